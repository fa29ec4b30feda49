/* Shapes of vibration on the nodes of a structure's mesh, and how they correlate with those of another result
 * (docs/import.md, section 6). */
#ifndef AMONTONS_STUDY_MODELS_MODE_SHAPES_H
#define AMONTONS_STUDY_MODELS_MODE_SHAPES_H
#include "amontons/observer.h"
#include "imports/csv.h"
#include "study/coordinates.h"

typedef struct am_mode_shapes {
    bool wanted;
    size_t whole;               /* coordinates of the mesh */
    size_t size;                /* of the system: those of a reduction that are not prescribed, or of the mesh */
    const size_t *kept;         /* size: which they are before motions are prescribed */
    const double *shape;        /* of a reduction, what each moves of the whole; NULL: there is none */
    const am_labels *labels;    /* of the whole; NULL or count 0: a row is a node */
    const am_import_mesh *grid; /* where nodes are; NULL or empty: nobody knows */
    const char *path;           /* of the file to compare with; NULL: none */
    const am_csv *other;        /* what is in it */
} am_mode_shapes;

/* `compare: {file: shape_nodes.csv}`, into the pool. */
am_status am_mode_shapes_read(am_reading *reading, const am_node *node, am_mode_shapes *shapes);

/* Look on at the shapes of an analysis, and add them on the mesh. */
am_status am_mode_shapes_watch(const am_mode_shapes *shapes, am_model_watch *watch, am_error *err);

#endif
