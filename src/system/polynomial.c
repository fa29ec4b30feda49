#include "system/polynomial.h"

double am_polynomial_force(const am_polynomial_def *spring, double e, double rate, double *by_e, double *by_rate) {
    double force = 0.0;
    for (size_t k = 0; k < spring->term_count; k++) {
        const am_polynomial_term *term = &spring->terms[k];
        unsigned i = term->displacement, j = term->velocity;
        force += term->coefficient * am_integer_power(e, i) * am_integer_power(rate, j);
        if (by_e && i > 0)
            *by_e += term->coefficient * i * am_integer_power(e, i - 1) * am_integer_power(rate, j);
        if (by_rate && j > 0)
            *by_rate += term->coefficient * j * am_integer_power(e, i) * am_integer_power(rate, j - 1);
    }
    return force;
}

double am_polynomial_stored(const am_polynomial_def *spring, double e) {
    double stored = 0.0;
    for (size_t k = 0; k < spring->term_count; k++) {
        const am_polynomial_term *term = &spring->terms[k];
        if (term->velocity == 0)
            stored +=
                term->coefficient * am_integer_power(e, term->displacement + 1) / (double)(term->displacement + 1);
    }
    return stored;
}

double am_polynomial_lost(const am_polynomial_def *spring, double e, double rate) {
    double lost = 0.0;
    for (size_t k = 0; k < spring->term_count; k++) {
        const am_polynomial_term *term = &spring->terms[k];
        if (term->velocity > 0)
            lost += term->coefficient * am_integer_power(e, term->displacement) *
                    am_integer_power(rate, term->velocity + 1);
    }
    return lost;
}
