/* Figures: gnuplot scripts that a person can read, change and run again. */
#ifndef AMONTONS_OUTPUT_FIGURE_H
#define AMONTONS_OUTPUT_FIGURE_H
#include "amontons/output.h"
#include "output/file.h"

/* Writes figure.gp, and before it figure.dat where the figure needs data that no table holds as such. A table or column
 * that is not there is AM_ERR_INPUT with the figure's field. */
am_status am_figure_write(const am_report *report, am_staging *staging, am_error *err);

#endif
