/* What elements make of the end of a zone, where tractions are singular or vanish (docs/bem.md, section 3). By Wiener's
 * and Hopf's method tractions at the last nodes are a0 e + a1 Se + a2 SSe + ..., where e are those of a sharp corner
 * and S adds up from the end. Far away e behaves like the inverse root of the distance to a point am_bem_end beyond the
 * last node, so that the coefficients say which singularity and which square root the nodes see, and from where. */
#ifndef AMONTONS_ENGINES_BOUNDARY_BEM_EDGE_H
#define AMONTONS_ENGINES_BOUNDARY_BEM_EDGE_H
#include <stddef.h>

enum { AM_BEM_EDGE_TERMS = 5 };

/* The coefficients of the first `terms` sums, from as many tractions d, the last node first. */
void am_bem_edge_resolve(size_t terms, const double *d, double *coefficient);

/* The factor of 1/sqrt(pi t), t the distance in spacings from a point `end` spacings beyond the place am_bem_end; and
 * its slope over `end`. */
double am_bem_edge_singular(size_t terms, const double *coefficient, double end, double *slope);

#endif
