/* Files of matrices that a study names, each read once: what else they hold (labels, other matrices) is found by the matrix
 * that was taken from them. */
#ifndef AMONTONS_STUDY_SHELF_H
#define AMONTONS_STUDY_SHELF_H
#include "imports/gather.h"
#include "study/reading.h"

/* The file, in the pool; NULL with err filled. */
am_import *am_shelf_read(am_reading *reading, const char *path, am_import_format format);

/* Where a matrix was read from; import NULL: from no file. */
typedef struct am_shelf_place {
    am_import *import;
    size_t part;
} am_shelf_place;
am_shelf_place am_shelf_find(const am_reading *reading, const am_matrix *matrix);

#endif
