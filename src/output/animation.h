/* animation.svg: the slip-displacement diagram in motion, in one file without scripts. */
#ifndef AMONTONS_OUTPUT_ANIMATION_H
#define AMONTONS_OUTPUT_ANIMATION_H
#include "amontons/output.h"
#include "output/file.h"

/* Writes animation.svg when the figure is a slip diagram and there is the table `lines` beside its own. */
am_status am_animation_write(const am_report *report, am_staging *staging, am_error *err);

#endif
