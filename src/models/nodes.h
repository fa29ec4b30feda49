/* What the files of model `nodes` share. */
#ifndef AMONTONS_MODELS_NODES_H
#define AMONTONS_MODELS_NODES_H
#include "amontons/models.h"
#include "amontons/observer.h"

enum { AM_NODES_COOKIE = 0x414d4e4f };

/* The report: summary `beta1..beta4` (two nodes, eqs. 3.2 and 3.3), `R` (eq. 7.1) and `orbit_happens` (with constraints).
 * Of two nodes that were seen also what the slip-displacement diagram is drawn from: tables `constraints` (constraint,
 * n1, n2, rest, extreme), `lines` (t, v1, v2 and where each constraint stands; of the cycle that repeats, or of all
 * samples) and `orbit` (v1, v2: the closed orbit of eq. 7.1, where it happens). Borrows the nodes. */
am_status am_nodes_watch_open(const am_nodes *nodes, am_model_watch *watch, am_error *err);

/* Everything but the definiteness of the support. */
am_status am_nodes_check(const am_nodes *nodes, am_error *err);

#endif
