/* Displacements of nodes by the coordinates that are left when supports, prescribed motions, rigid bodies and contacts
 * have been put in: u = T y (docs/solid.md, section 5). y: slips and then gaps of all contact nodes (m each), drives,
 * rigid bodies, free displacements of nodes. The first `kept` = 2m + drives stay, the others are eliminated. */
#ifndef AMONTONS_SOLID_EXPANSION_H
#define AMONTONS_SOLID_EXPANSION_H
#include "solid/holding.h"

typedef struct am_solid_term {
    size_t y;
    double factor;
} am_solid_term;

typedef struct am_expansion {
    size_t contacts; /* m: contact nodes */
    size_t kept;     /* 2m + drives */
    size_t count;    /* coordinates in all */
    size_t rows;     /* 2 nodes + 3 rigid bodies: x, y of each node; x, y, rotation of each rigid body */
    size_t *start;   /* rows + 1 */
    am_solid_term *term;
    size_t term_count, term_capacity;
    double *scale; /* contacts: displacement of the contact node over that of its slip and gap; 1 but next to nodes that
                    * bear no contact of their own */
    bool *idle;    /* contacts: on a symmetry plane nothing slips, and no displacement depends on the slip */
} am_expansion;

/* `mortar`: one for each contact of the definition. `holding`: contacts included. All but the terms lies in `memory`. */
am_status am_expansion_init(am_expansion *expansion, const am_solid_def *def, const am_mortar *mortar,
                            const am_holding *holding, am_arena *memory, am_error *err);
void am_expansion_clear(am_expansion *expansion);

/* All displacements (rows) of the coordinates y. */
void am_expansion_apply(const am_expansion *expansion, const double *y, double *u);

/* forces += T^T load */
void am_expansion_gather(const am_expansion *expansion, size_t row, double load, double *forces);

#endif
