/* Inside of a condensed solid: what statics and dynamics share. */
#ifndef AMONTONS_SOLID_SOLID_INTERNAL_H
#define AMONTONS_SOLID_SOLID_INTERNAL_H
#include "math/sparse.h"
#include "solid/assembly.h"
#include "solid/solid.h"

struct am_solid {
    am_arena memory;
    am_solid_def def;
    am_mortar *mortar; /* one for each contact of the definition */
    am_holding holding;
    am_expansion expansion;
    am_assembly stiffness;
    am_sparse *factor;
    int *kept;           /* numbers of the kept coordinates, from 1 */
    double *schur;       /* kept x kept */
    size_t loads;        /* loads, then weights */
    double *force;       /* loads x coordinates: per unit of the function */
    double *felt;        /* loads x kept: the same as the kept coordinates feel it */
    am_solid_node *node; /* contact nodes */
    double *y, *total;   /* coordinates: workspaces */
};

/* A system with these matrices over the slips, gaps and further coordinates (n in all; rows of `stiffness` n apart),
 * with contacts, loads (`felt`: rows of n, loads + drives of them). NULL mass: none. */
am_system *am_solid_make_system(const am_solid *solid, size_t n, const double *stiffness, const double *mass,
                                const double *damping, const double *felt, am_error *err);

#endif
