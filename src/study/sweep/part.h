/* Inside the files of a sweep that is under way. */
#ifndef AMONTONS_STUDY_SWEEP_PART_H
#define AMONTONS_STUDY_SWEEP_PART_H
#include "study/sweep/points.h"

/* The tables that the sweep keeps, of the points that are pending. */
am_status am_sweep_part_put_tables(const am_sweep_record *record, am_result *part, am_error *err);

/* Those of a part, for the points that are open. */
am_status am_sweep_part_take_tables(am_sweep_record *record, const am_result *part, am_error *err);

/* Looks at the files with the points of the study that `plan` is the fingerprint of. */
typedef struct am_sweep_parts_order {
    const char *parts, *plan; /* their folder */
    am_sweep_part_visit *visit;
    void *context;
} am_sweep_parts_order;
am_status am_sweep_parts_check(const am_sweep_parts_order *order, am_error *err);

#endif
