/* What the cells of harmonic balance share: their work space, integrals over pieces of the period, and the matrices made of
 * them. Mathematics in docs/balance_cell.md. */
#ifndef AMONTONS_ENGINES_BALANCE_CELL_INTERNAL_H
#define AMONTONS_ENGINES_BALANCE_CELL_INTERNAL_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "engines/balance/cell.h"
#include "math/trigonometric_table.h"

/* Means over the period of weight(theta) cos m theta and weight(theta) sin m theta, m = 0 .. 2H. */
typedef struct am_cell_moments {
    double *cosine, *sine;
} am_cell_moments;

/* The sign changes of a signal in [0, 2 pi) and its sign before the first of them. */
typedef struct am_cell_changes {
    size_t count;
    double *theta; /* at most 2H */
    int sign;
} am_cell_changes;

typedef enum am_cell_kind { AM_CELL_UPPER, AM_CELL_LOWER, AM_CELL_OPEN, AM_CELL_CLOSE } am_cell_kind;

/* Something that happens at theta; `after`: how far behind the start of the walk. */
typedef struct am_cell_event {
    double theta, after;
    am_cell_kind kind;
} am_cell_event;

enum { AM_CELL_POLYNOMIALS = 3 };

struct am_cell {
    am_arena memory;
    size_t degree, size;                         /* H, 2H + 1 */
    am_trig_table *search;                       /* points for the search of sign changes */
    am_trig_table *samples[AM_CELL_POLYNOMIALS]; /* points for polynomials of degrees up to 3, 5, 9 */
    size_t sample_count;                         /* most points of these */
    double *values, *other_values, *sum_values;  /* at the points of the search */
    double *rate, *other_rate, *sum;             /* signals */
    am_cell_changes upper, lower;
    double *share;                             /* 1/(2 pi m), m = 0 .. 2H */
    double *cosine[2], *sine[2];               /* of m theta at the two ends of a piece, m = 0 .. 2H */
    double end;                                /* of the piece */
    am_cell_moments piece, first, second;      /* of one piece; of the sets that multiply w and the limit */
    double *straight, *crossed;                /* moments (c, s) and (s, -c) for m = -H .. 2H, for the rows */
    double *row, *projection, *basis;          /* signals */
    double *power_x, *power_y;                 /* powers of the samples, AM_POLYNOMIAL_DEGREE + 1 each */
    double *sampled_f, *sampled_x, *sampled_y; /* the force and its derivatives at the samples */
    am_cell_event *events;
};

/* Refuses signals with numbers that are not finite. */
am_status am_cell_check_signal(const am_cell *cell, const double *s, const char *what, am_error *err);
/* The signal and the intervals; *everywhere and *nowhere say whether the limit is active all the time or never. */
am_status am_cell_check_limit(const am_cell *cell, const am_cell_limit *limit, bool *everywhere, bool *nowhere,
                              am_error *err);

/* Sign changes of a - b into cell->upper and of a + b into cell->lower. */
void am_cell_find_changes(am_cell *cell, const double *a, const double *b);
/* Sign changes of s. */
void am_cell_find_signs(am_cell *cell, const double *s, am_cell_changes *changes);
/* The sign just behind theta in [0, 2 pi). */
int am_cell_sign_at(const am_cell_changes *changes, double theta);

/* cell->events: all changes (and ends and starts of the intervals unless everywhere) in the order of a walk once around
 * from `base` in [0, 2 pi): what happens at base itself comes last. Returns how many. */
size_t am_cell_list_events(am_cell *cell, const am_cell_limit *limit, bool everywhere, double base);
/* Where such a walk begins when there are intervals: at the end of the last one. */
double am_cell_first_opening(const am_cell_limit *limit);

/* Pieces, one behind the other: begin somewhere, then go on to the next end. cell->piece has the moments of the piece,
 * cosine[0] and sine[0] belong to its start. */
void am_cell_begin_pieces(am_cell *cell, double theta);
void am_cell_next_piece(am_cell *cell, double theta);
/* sum += factor piece */
void am_cell_add_piece(const am_cell *cell, double factor, am_cell_moments sum);
void am_cell_clear(const am_cell *cell, am_cell_moments sum);

/* The projection of weight s: f += A s with the matrix A of the moments; A is added to `matrix` unless NULL. */
void am_cell_add_product(am_cell *cell, am_cell_moments moments, const double *s, double *f, double *matrix);

/* cell->projection: that of the function that is 1 on the piece and 0 elsewhere. */
void am_cell_project_piece(am_cell *cell);
/* cell->basis: the functions 1, cos, sin, ... at the start of the piece. */
void am_cell_basis_at_start(am_cell *cell);
/* matrix += factor projection basis^T, unless it is NULL. */
void am_cell_add_outer(const am_cell *cell, double factor, double *matrix);

void am_cell_set_zero(const am_cell *cell, double *f, double *matrix, double *other_matrix);

#endif
