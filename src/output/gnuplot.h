/* Running gnuplot, which is a program beside this library and may be absent. */
#ifndef AMONTONS_OUTPUT_GNUPLOT_H
#define AMONTONS_OUTPUT_GNUPLOT_H
#include <stdbool.h>

#include "amontons/error.h"

bool am_gnuplot_installed(void);

/* Run the script (a path seen from `folder`) in that folder, and check that there are a whole figure.svg and figure.png
 * in `drawn`; `shown` is the folder messages name. AM_ERR_FILE with gnuplot's own words when it fails or is not
 * installed. No shell is involved. */
am_status am_gnuplot_run(const char *folder, const char *script, const char *drawn, const char *shown, am_error *err);

#endif
