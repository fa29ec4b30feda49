/* A structure for programs that draw it. */
#ifndef AMONTONS_STUDY_SHOW_JSON_H
#define AMONTONS_STUDY_SHOW_JSON_H
#include "amontons/study.h"

/* One JSON document: kind of the model, analysis, coordinates, contacts (names, rows, laws, coefficients, places), loads,
 * matrices. Rows and matrices of structures of more than 200 coordinates are null. Freed with am_output_text_free; NULL
 * with err filled. */
char *am_study_show_json(const am_study *study, am_error *err);

#endif
