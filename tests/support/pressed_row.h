/* A row of contact nodes, pressed most in its middle, sheared to and fro, and rocked until its ends open. */
#ifndef AMONTONS_TESTS_PRESSED_ROW_H
#define AMONTONS_TESTS_PRESSED_ROW_H
#include "amontons/system.h"

/* K is 2 nodes x 2 nodes, row by row: tangential coordinates first, then normal ones. One cycle takes a time of 1. */
am_system *pressed_row(size_t nodes, const double *K);

#endif
