/* What model nodes adds to the results of an analysis. */
#ifndef AMONTONS_STUDY_MODELS_NODES_H
#define AMONTONS_STUDY_MODELS_NODES_H
#include "amontons/models.h"
#include "amontons/result.h"

/* Summary `beta1..beta4` (two nodes, eqs. 3.2 and 3.3), `R` (eq. 7.1) and `orbit_happens` (with constraints). Of two
 * nodes, where there are samples of a path, also what the slip-displacement diagram is drawn from: tables `constraints`
 * (constraint, n1, n2, rest, extreme), `lines` (t, v1, v2 and where each constraint stands; of the cycle that repeats,
 * or of all samples) and `orbit` (v1, v2: the closed orbit of eq. 7.1, where it happens). */
am_status am_nodes_report(const am_nodes *nodes, am_result *result, am_error *err);

#endif
