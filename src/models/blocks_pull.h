/* What model `blocks` adds to a motion in which the slider is pulled through a spring. */
#ifndef AMONTONS_MODELS_BLOCKS_PULL_H
#define AMONTONS_MODELS_BLOCKS_PULL_H
#include "models/blocks.h"
#include "solid/solid_report.h"

/* One row of the table `pull`: what the spring does at a sample. */
typedef struct am_blocks_pull_row {
    double t, end, u, F, F_over_P, slip, slipping;
} am_blocks_pull_row;

am_blocks_pull_row am_blocks_pull_at(const am_blocks_rig *rig, const am_sample *sample);

/* Tables `pull` (t, end: of the spring; u: where it holds the slider; F, F_over_P; slip: mean over the interface;
 * slipping: part of its length) and `drops` (t and F where the force begins to fall and where it has fallen, drop,
 * one_mass: what a rigid slider that begins to slip at that force would do). Summary `pull_mean`, `pull_most`,
 * `pull_least` (from the first drop on, if there is one), `drops`, `drop`, `drop_over_one_mass`, `peak_over_P`,
 * `period` (means), and of the rigid slider `one_mass_drop`, `one_mass_period`. From the rows of all samples
 * from t = 0 on. docs/blocks.md. */
am_status am_blocks_report_pull(const am_blocks_rig *rig, size_t count, const am_blocks_pull_row *row,
                                am_result *result, am_error *err);

#endif
