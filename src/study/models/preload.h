/* `preload:` of model structure: constant loads that are put on before anything else. */
#ifndef AMONTONS_STUDY_MODELS_PRELOAD_H
#define AMONTONS_STUDY_MODELS_PRELOAD_H
#include "amontons/system.h"
#include "study/coordinates.h"

extern const am_schema am_preload_schema;

/* Adds them to `loads` (a new list is made in the pool), with rows of all coordinates. */
am_status am_preload_read(am_reading *reading, const am_records *preload, const am_coordinates *coordinates,
                          const am_matrix *mass, const am_load_def **loads, size_t *count);

#endif
