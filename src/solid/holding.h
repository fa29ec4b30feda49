/* What becomes of every displacement of the bodies: free, fixed by a support, moved by a drive, or one of a contact
 * node. docs/solid.md, section 5. */
#ifndef AMONTONS_SOLID_HOLDING_H
#define AMONTONS_SOLID_HOLDING_H
#include "base/arena.h"
#include "solid/definition.h"
#include "solid/mortar.h"

typedef enum am_hold { AM_HOLD_FREE, AM_HOLD_FIXED, AM_HOLD_DRIVEN, AM_HOLD_SLAVE } am_hold;

/* Rows: x, y of each node, then x, y, rotation of each rigid body. */
typedef struct am_holding {
    size_t rows;
    am_hold *fate;
    size_t *drive; /* of driven rows */
} am_holding;

/* Supports and drives without a spring; nothing is a contact's yet. It lies in `memory`. */
am_status am_holding_init(am_holding *holding, const am_solid_def *def, am_arena *memory, am_error *err);

/* Where contact lines meet supports, drives and each other: what is to become of each node (`hold`, one for each node
 * of the mesh, free before), and how many of them are not free. `mortar`: contacts that know nothing of this yet. Works in `memory`. */
am_status am_holding_cross(const am_holding *holding, const am_solid_def *def, const am_mortar *mortar,
                           am_mortar_hold *hold, size_t *crossed, am_arena *memory, am_error *err);

/* Displacements of contact nodes become the contacts' own, but for what a symmetry plane holds. AM_ERR_INPUT where the
 * other side of a contact is a contact line (`slave`) itself. */
am_status am_holding_contacts(am_holding *holding, const am_solid_def *def, const am_mortar *mortar, am_error *err);

#endif
