/* Trails: states that motions with a known fate have passed, each with a radius within which neighbours share the fate
 * (tube.h; see docs/attractors.md, section 6). Filled between rounds, read
 * by all threads during one. */
#ifndef AMONTONS_ANALYSIS_ATTRACTORS_TRAILS_H
#define AMONTONS_ANALYSIS_ATTRACTORS_TRAILS_H
#include <stdint.h>

#include "amontons/orbit.h"

typedef struct am_trails am_trails;

/* d: dimension; weight: d, to measure all parts of a state in one unit (borrowed). */
am_trails *am_trails_create(size_t d, const double *weight, am_error *err);
void am_trails_free(am_trails *trails);

size_t am_trails_count(const am_trails *trails);

/* What two states must share to be compared: the section, and the states of all m contacts there. */
uint64_t am_trails_key(const am_orbit_return *how, const am_contact_state *contact, size_t m);

/* Remember a state on a section. Not found before am_trails_build. */
am_status am_trails_add(am_trails *trails, uint64_t key, const double *state, double radius, size_t orbit,
                        am_error *err);
am_status am_trails_build(am_trails *trails, am_error *err);

/* Is the state within `part` of the radius of a remembered one with the same key? Then *orbit is its fate and *radius
 * its radius. */
bool am_trails_meet(const am_trails *trails, uint64_t key, const double *state, double part, size_t *orbit,
                    double *radius);

#endif
