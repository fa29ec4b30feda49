/* Coordinates as a study says them: by name, by number, by node and direction ("51.3", "node 51 x"), or all of a set of nodes
 * ("TIP.3", "TIP"). */
#ifndef AMONTONS_STUDY_COORDINATES_H
#define AMONTONS_STUDY_COORDINATES_H
#include "imports/imported_mesh.h"
#include "imports/labels.h"
#include "study/schema.h"

typedef struct am_coordinates {
    size_t n;
    const char *const *names;   /* NULL: q1, q2, ... */
    const am_labels *labels;    /* count 0: none */
    const am_labels *clamped;   /* coordinates that were left out; may be NULL */
    const am_sets *sets;        /* may be NULL */
    const am_import_mesh *grid; /* where nodes are; may be NULL, or empty */
    bool stored;                /* its matrices and labels are kept as long as the study */
} am_coordinates;

/* Entries of a row that is zero elsewhere. */
typedef struct am_picked {
    size_t count;
    size_t *index;
    double *value;
} am_picked;

am_status am_picked_add(am_reading *reading, am_picked *picked, size_t index, double value);

/* What a text names: one coordinate, or all of a set. Errors stand at `node`. */
am_status am_coordinates_find(am_reading *reading, const am_node *node, const char *text,
                              const am_coordinates *coordinates, am_picked *picked);

/* The same where it must be a single one. */
am_status am_coordinates_one(am_reading *reading, const am_node *node, const char *text,
                             const am_coordinates *coordinates, size_t *index);

/* The text with a coordinate in it, if there is one, as its own name: "v_node 51 z" is "v_51.3", "TIP.z_1" is "51.3_1" where
 * that is the only one. The text itself where nothing is to be done; NULL with err filled. */
const char *am_coordinates_spell(am_reading *reading, const am_coordinates *coordinates, const char *text);

/* A row: numbers for all coordinates, or a mapping {"51.3": 1}. */
am_status am_coordinates_row(am_reading *reading, const am_node *node, const char *name,
                             const am_coordinates *coordinates, am_picked *picked);

/* A list of them, each once. */
am_status am_coordinates_list(am_reading *reading, const am_node *node, const char *name,
                              const am_coordinates *coordinates, am_picked *picked);

/* The row in full, in the pool; NULL with err filled. */
double *am_picked_row(am_reading *reading, const am_picked *picked, size_t n);

#endif
