/* What somebody meant who wrote a text where a number stands: "0,3", "50 Hz", "pi/2", "1 000". */
#ifndef AMONTONS_STUDY_NUMBER_HINT_H
#define AMONTONS_STUDY_NUMBER_HINT_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "study/reading.h"

/* A sentence that begins with "; ", or "". `name`: of the field, which may tell its unit (_deg). */
enum { AM_NUMBER_HINT = 200 };
const char *am_number_hint(const char *name, const char *text, bool quoted, char buffer[AM_NUMBER_HINT]);

/* An angle in radians that was given in degrees, or the reverse: refused where it can be nothing else. */
am_status am_angle_check(am_reading *reading, const am_node *node, const char *radians, const char *degrees);

#endif
