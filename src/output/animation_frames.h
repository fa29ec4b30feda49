/* The instants of an animation, read from the tables of a result: where each coordinate is, and what each contact does. */
#ifndef AMONTONS_OUTPUT_ANIMATION_FRAMES_H
#define AMONTONS_OUTPUT_ANIMATION_FRAMES_H
#include "amontons/output.h"
#include "amontons/system.h"
#include "base/arena.h"

/* Tables that can be drawn, the first of them first. */
enum { AM_FRAMES_TABLES = 7 };
extern const char *const am_frames_tables[AM_FRAMES_TABLES];

/* Which rows are drawn. */
typedef struct am_frames_wish {
    const char *table; /* NULL: the first that can be drawn */
    double mode, row;  /* of shapes, of branches; NaN: the first mode, the row with the largest motion */
    double from, to;   /* of motions; NaN: from the beginning, as long as can be followed */
} am_frames_wish;

typedef struct am_frame_change {
    double time; /* from which on */
    const char *state;
} am_frame_change;

typedef struct am_frames {
    const am_table *table;
    bool timed; /* the table is a motion or a path; otherwise one period of a shape, time being its part */
    bool cut;   /* the motion goes on */
    size_t count, coordinates, contacts;
    double *time;
    double **value;           /* of each coordinate, count of them */
    am_frame_change **change; /* of each contact; changed[i] of them. NULL: no states are known */
    size_t *changed;
    size_t turns; /* of the coordinate that moves most */
    double mode;  /* of a shape; NaN: none */
    size_t row;   /* of a branch; SIZE_MAX: none */
} am_frames;

/* All in the arena. AM_ERR_INPUT: there is nothing that moves in the result, or not so many; err->field is table, mode or
 * row. */
am_status am_frames_read(am_arena *memory, const am_result *result, const am_system *system, const am_frames_wish *wish,
                         am_frames *frames, am_error *err);

/* The shapes on a mesh (mode_shape_nodes): the rows of that mode (NaN: the first). */
am_status am_frames_of_mesh(const am_table *nodes, double mode, size_t *first, size_t *count, am_error *err);

#endif
