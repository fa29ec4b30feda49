/* Seeded random structures with contacts, for property tests. The same seed gives the same structure on every machine.
 */
#ifndef AMONTONS_TESTS_RANDOM_SYSTEM_H
#define AMONTONS_TESTS_RANDOM_SYSTEM_H
#include <stdbool.h>
#include <stdint.h>

#include "reference.h"

typedef struct random_source {
    uint64_t state;
} random_source;

random_source random_seed(uint64_t seed);
double random_between(random_source *source, double low, double high);
bool random_chance(random_source *source, double probability);
size_t random_index(random_source *source, size_t count); /* 0 .. count - 1 */

/* least + size A^T A/n (n x n) with entries of A in -1..1 */
void random_definite(random_source *source, size_t n, double least, double size, double *matrix);

/* What may occur; probabilities are per contact or per structure. */
typedef struct random_options {
    size_t n, m;   /* 2 m <= n, so that no set of constraints is redundant */
    double damped; /* probability */
    double held;
    double static_kinetic;
    double restitution;
    double belt;     /* surface velocity */
    bool piecewise;  /* tables and pulses among the loads */
    double friction; /* largest coefficient */
} random_options;

random_options random_options_default(size_t n, size_t m);

/* Mass and stiffness positive definite with moderate condition; a constant load presses every contact, others vary.
 * Half of the structures have contacts along coordinates and start on the surface or above it, the others are oblique
 * and start above. */
void random_system(uint64_t seed, const random_options *options, plain_system *plain, double *q, double *v);

#endif
