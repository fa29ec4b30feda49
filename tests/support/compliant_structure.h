/* Random structures with compliant contacts, stops or sliders behind springs, as studies and in an integration in time of
 * their own: fixed steps of Runge and Kutta's method, switches bisected, derivatives by differences. */
#ifndef AMONTONS_TESTS_COMPLIANT_STRUCTURE_H
#define AMONTONS_TESTS_COMPLIANT_STRUCTURE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST = 3, CONTACTS = 2, DIMENSION = 2 * MOST + CONTACTS, ORDER = DIMENSION + 1 };

typedef struct element {
    double normal[MOST], tangent[MOST], gap, k, mu, kt; /* kt 0: no friction */
} element;

typedef struct structure {
    size_t n, m;
    double M[MOST], K[MOST][MOST], C[MOST][MOST], load[MOST], mean[MOST], omega;
    element contact[CONTACTS];
} structure;

structure random_structure(uint64_t seed, bool sliders);

/* ---- as a study ---- */

typedef struct sheet {
    char bytes[8192];
    size_t used;
} sheet;

void sheet_add(sheet *t, const char *format, ...);
void sheet_add_row(sheet *t, const double *row, size_t n);
sheet study_of(const structure *s, const char *analysis); /* of response, with these fields */

/* ---- its own integration: states are q, q' at MOST, positions of sliders at 2 MOST ---- */

double dot_product(const double *a, const double *b, size_t n);
void solve_rows(size_t d, double a[ORDER][ORDER], double *b); /* b becomes the solution */

/* State after one period; *moved (may be NULL): every slider slipped or lifted. */
void period_map(const structure *s, const double *x, double *out, bool *moved);
void differentiate_period(const structure *s, const double *x, double S[DIMENSION][DIMENSION]);
double spectral_radius(double S[DIMENSION][DIMENSION]); /* largest modulus of the eigenvalues */

/* The orbit next to x; the largest modulus of its multipliers. NAN: Newton's method did not converge, or a slider sticks
 * for good (its multiplier is 1). */
double close_orbit(const structure *s, double *x);

#endif
