/* A large structure M q'' + C q' + K q reduced to a few of its coordinates, the interface, and modes.
 *
 * Craig and Bampton: q = sum over interface coordinates of (its value) x (what the others do in statics while it moves by one
 * and the rest of the interface rests) + sum over modes of (amplitude) x (shape in which the interface rests). Statics are
 * exact. The shapes are the lowest modes with the interface at rest, or (Rubin) those of the free structure less what the
 * interface's own shapes say of them, or both; and what loads elsewhere do in statics while the interface rests.
 * docs/import.md. */
#ifndef AMONTONS_MATH_SUBSTRUCTURE_H
#define AMONTONS_MATH_SUBSTRUCTURE_H
#include "amontons/matrix.h"
#include "base/arena.h"

/* Entries of a row that is zero elsewhere. */
typedef struct am_sparse_row {
    size_t count;
    const size_t *index;
    const double *value;
} am_sparse_row;

typedef struct am_substructure_def {
    const am_matrix *stiffness, *mass, *damping, *circulatory; /* but for the stiffness NULL: none */
    size_t interface_count;
    const size_t *interface; /* ascending */
    size_t load_count;
    const am_sparse_row *loads;
} am_substructure_def;

/* Modes with the interface at rest (Craig and Bampton), of the free structure (Rubin), or half as many of each. */
typedef enum am_substructure_modes { AM_MODES_FIXED, AM_MODES_FREE, AM_MODES_BOTH } am_substructure_modes;

typedef struct am_substructure_choice {
    am_substructure_modes kind;
    size_t modes;     /* besides the shapes of loads; without mass 0 */
    bool automatic;   /* as many modes as it takes; `modes` is then not looked at */
    double tolerance; /* automatic: of the error of frequencies, relative */
    bool keep;        /* the shapes themselves, `shape` */
} am_substructure_choice;

typedef struct am_substructure {
    am_arena memory;
    size_t size, modes;   /* coordinates: the interface first, then modes and shapes of loads */
    am_matrix *matrix[4]; /* stiffness, mass, damping, circulatory; NULL where there was none */
    size_t own;           /* of the modes: without shapes of loads */
    double *load;         /* load_count x size: what the coordinates feel of each */
    double *frequency;    /* of each mode, with the interface at rest; infinite: it has no mass */
    double *shape;        /* size x coordinates of the whole: what each moves; NULL: not kept */
    double error;         /* of the lowest frequencies of the whole structure: relative, estimated */
    size_t checked;       /* how many of these */
} am_substructure;

/* What reductions of one structure share: the factors inside, the shapes of the interface, the modes found so far. After
 * an automatic choice they stay for further ones, which then only add modes. */
typedef struct am_substructure_shapes am_substructure_shapes;

/* In `memory`, cleared before that goes; matrices are borrowed, the rest of the definition is copied. Nothing is found
 * yet. */
am_status am_substructure_shapes_create(am_substructure_shapes **shapes, am_arena *memory,
                                        const am_substructure_def *def, am_error *err);
void am_substructure_shapes_clear(am_substructure_shapes *shapes); /* NULL is fine */

/* AM_ERR_INPUT with the field "interface" where the structure can move although its interface rests; with "modes" where
 * there are not so many, or the tolerance cannot be reached. Needs MUMPS and ARPACK beyond a few hundred coordinates. */
am_status am_substructure_reduce(am_substructure *sub, am_substructure_shapes *shapes,
                                 const am_substructure_choice *choice, am_error *err);
void am_substructure_clear(am_substructure *sub);

#endif
