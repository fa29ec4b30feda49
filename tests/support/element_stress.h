/* The stress at one point of an element. */
#ifndef AMONTONS_TESTS_ELEMENT_STRESS_H
#define AMONTONS_TESTS_ELEMENT_STRESS_H
#include "solid/element.h"

static inline am_element_stress_result element_stress(am_shape shape, const double (*place)[2],
                                                      const am_solid_body *body, const double *displacement, double xi,
                                                      double eta) {
    const double at[1][2] = {{xi, eta}};
    am_element_stress_result stress;
    am_element_stresses(shape, place, body, displacement, 1, at, &stress);
    return stress;
}

#endif
