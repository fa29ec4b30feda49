/* The table brake engineers read: one row per mode of steady sliding. */
#ifndef AMONTONS_STUDY_ANALYSES_SQUEAL_TABLE_H
#define AMONTONS_STUDY_ANALYSES_SQUEAL_TABLE_H
#include "amontons/result.h"

/* Adds, beside the table `eigenvalues` of a `stability` result, the table `squeal` (mode, real, imaginary, hertz,
 * damping_ratio, unstable, coordinate): one row per pair or real eigenvalue, lowest frequency first; `unstable` is 1 or
 * 0, `coordinate` the one with the largest part in the mode's shape. Summary `unstable_modes`. Nothing when there are
 * no eigenvalues. */
am_status am_squeal_table(am_result *result, am_error *err);

#endif
