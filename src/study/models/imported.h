/* What a structure from finite elements has besides matrices: labels of its coordinates, sets of nodes, a reduction. */
#ifndef AMONTONS_STUDY_MODELS_IMPORTED_H
#define AMONTONS_STUDY_MODELS_IMPORTED_H
#include "amontons/system.h"
#include "study/coordinates.h"

/* Rows of contacts, loads and springs, as a study says them: filled in when it is known what the coordinates are. */
typedef struct am_row_wish {
    const double **target; /* in the struct of its contact, load or spring */
    am_picked picked;
    bool load; /* need not be on the interface of a reduction */
} am_row_wish;

typedef struct am_row_wishes {
    size_t count, capacity;
    am_row_wish *wish;
} am_row_wishes;

am_status am_row_wish_add(am_reading *reading, am_row_wishes *wishes, am_row_wish wish);

/* `reduce: {...}` of model structure. */
typedef struct am_reduce_setting {
    const am_node *interface, *modes, *watch;
    int method;
    double tolerance;
} am_reduce_setting;

/* What came of it. */
typedef struct am_reduce_outcome {
    size_t whole, interface, modes; /* coordinates */
    size_t own;                     /* of the modes: without shapes of loads */
    bool automatic;                 /* how many was left to the program */
    bool both;                      /* half of them modes with the interface at rest, half of the free structure */
    double error;
    bool keep;           /* before: its shapes are wanted, */
    const double *shape; /* what each of the small coordinates moves of the whole; NULL otherwise */
} am_reduce_outcome;

extern const am_schema am_reduce_schema;

/* The matrices that were read from files, with the same rows; labels (`labels:`, beside the file, or in it) and `sets:`. The
 * coordinates' names are theirs, if the study gives none. */
am_status am_imported_gather(am_reading *reading, const am_node *node, am_system_def *def, am_coordinates *coordinates);

/* The mesh in `{file: blade.inp}` at `node`, in the pool. */
am_status am_imported_mesh(am_reading *reading, const am_node *node, const char *name, const am_import_mesh **grid,
                           const am_sets **sets);

/* The structure reduced to its interface, which coordinates that contacts and springs act on join, and modes; the wishes are
 * filled in. `kept` (count of them, changed to where they stand afterwards) join it too. */
am_status am_imported_reduce(am_reading *reading, const am_node *node, const am_reduce_setting *setting,
                             const am_coordinates *coordinates, const am_row_wishes *wishes, size_t kept_count,
                             size_t *kept, am_system_def *def, am_reduce_outcome *outcome);

#endif
