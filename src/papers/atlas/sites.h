/* A chain as an atlas sees it: equal masses ("sites") on equal springs, each with a damper that is an odd polynomial of
 * its velocity, coupled by springs. In one harmonic x_n = Re(w_n exp(i omega t)) the equations are
 *
 *     (K_nn - m omega^2) w_n + sum over m of K_nm w_m + i omega D_n(omega |w_n|) w_n = 0,
 *     D(V) = sum over j of c_j C(2j+1, j)/4^j V^(2j)        (damper force: sum of c_j v^(2j+1))
 *
 * Everything depends on one parameter p in an affine way. See docs/atlas.md. */
#ifndef AMONTONS_PAPERS_ATLAS_SITES_H
#define AMONTONS_PAPERS_ATLAS_SITES_H
#include <stdbool.h>
#include <stddef.h>

#include "system/model.h"

enum {
    AM_SITES_MOST = 64,  /* sites */
    AM_SITES_POWERS = 5, /* v, v^3, ... v^9 */
    AM_SITES_ROOTS = 4   /* cycles of one oscillator, at most */
};

/* One symmetry: site n of the image is site from[n] of the original; `swap`: it exchanges the two colours. */
typedef struct am_site_symmetry {
    unsigned char from[AM_SITES_MOST];
    bool swap;
} am_site_symmetry;

typedef struct am_sites {
    size_t n;
    double mass;
    bool tuned;                          /* all K_nn are equal: the class is exact */
    double own[2];                       /* mean of K_nn (value and slope in p), that of the tuned companion */
    double *stiffness;                   /* 2 (value and slope in p) x n x n */
    double *damping;                     /* 2 x n x AM_SITES_POWERS: c_j C(2j+1, j)/4^j */
    size_t powers;                       /* of these, up to the highest that occurs */
    unsigned char alike[AM_SITES_MOST];  /* the first site with the same damper */
    unsigned char colour[AM_SITES_MOST]; /* 0 or 1: neighbours differ */
    size_t neighbours[AM_SITES_MOST];    /* of each site */
    unsigned char neighbour[AM_SITES_MOST][AM_SITES_MOST];
    size_t symmetry_count; /* the identity is the first */
    am_site_symmetry *symmetry;
    bool cyclic, reflected; /* all rotations; a reflection among them */
} am_sites;

/* From the systems of a line between `from` and `to`. Refuses, with a sentence, what has no quadrature class:
 * contacts, loads, dampers across sites or of displacements, even powers, unequal masses, couplings that are not
 * two-colourable. */
am_status am_sites_create(const am_model_line *line, double from, double to, am_sites *sites, am_error *err);
void am_sites_clear(am_sites *sites);

static inline double am_sites_stiffness(const am_sites *s, size_t i, size_t j, double p) {
    return s->stiffness[i * s->n + j] + p * s->stiffness[(s->n + i) * s->n + j];
}

double am_sites_omega(const am_sites *sites, double p); /* sqrt(K_nn/m), of every motion of the (tuned) class */

/* D_n as a polynomial of V^2 (AM_SITES_POWERS coefficients). */
void am_sites_damping(const am_sites *sites, size_t site, double p, double *coefficients);

/* Of the uncoupled oscillator: amplitudes of its cycles, ascending (displacement); returns how many. *fold: two of them
 * are about to meet (D and its derivative vanish together, relative to their terms). */
size_t am_sites_cycles(const am_sites *sites, size_t site, double p, double *amplitudes, bool *fold);

/* Displacement amplitudes between 0 and infinity at which the force D(V) V has an extremum, ascending: a label (rest,
 * first cycle, ...) is the piece between two of them. */
size_t am_sites_borders(const am_sites *sites, size_t site, double p, double *borders);

/* Are these all the solutions of the class at p, one for every configuration? True when (1) every coupling force a site
 * can feel is smaller than the extrema between its labels and (2) in the reach of each label the damper's slope beats
 * the sum of the couplings (strict diagonal dominance): docs/atlas.md, section 3. */
bool am_sites_complete(const am_sites *sites, double p);

#endif
