/* Arrays in memory that a study names, {array: NAME}, where it could say a list of numbers or a matrix. Lists and small
 * matrices become numbers of its tree; large matrices stay beside it. */
#ifndef AMONTONS_STUDY_ATTACHED_H
#define AMONTONS_STUDY_ATTACHED_H
#include "amontons/study.h"
#include "study/reading.h"

typedef struct am_attached {
    const char *name;
    am_matrix *matrix;
} am_attached;

/* Puts the arrays of the options where the tree names them, the large ones into `files`; all are copied into the pool. */
am_status am_attach_arrays(am_reading *reading, const am_study_options *options, am_node *root, am_files *files);

/* The large matrix that a node names; NULL: it names none. */
am_matrix *am_attached_find(const am_files *files, const am_node *node);

#endif
