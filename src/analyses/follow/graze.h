/* The orbit that grazes: on it some gap, normal force, sliding velocity or friction reserve touches zero. See
 * docs/follow.md. */
#ifndef AMONTONS_ANALYSES_FOLLOW_GRAZE_H
#define AMONTONS_ANALYSES_FOLLOW_GRAZE_H
#include "analyses/follow/point.h"
#include "engines/switching/flow.h"

typedef struct am_follow_graze {
    double p;
    am_quantity quantity; /* that touches zero */
    am_follow_point side; /* an orbit next to it, on which the quantity is still positive */
} am_follow_graze;

/* Starting from an orbit on which the quantities are positive, which is the first to touch zero on the way to the value
 * `toward`, and where? `before`: an orbit farther away with the same switches, if it has any. [low, high] is the whole
 * way of the branch, a part of which (docs/follow.md) the answer is good to, and which is not left. *found is false
 * when none does. The caller clears graze->side. */
am_status am_follow_find_graze(const am_model_line *line, const am_follow_point *before, const am_follow_point *from,
                               double toward, double low, double high, am_follow_graze *graze, bool *found,
                               am_error *err);

/* Its name: grazing-impact, grazing-lift-off, grazing-sliding or adding-sliding. */
const char *am_follow_graze_name(am_quantity_kind kind);

#endif
