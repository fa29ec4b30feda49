/* The structure as its contacts see it: the stiffness condensed onto their tangent and normal rows (eq. 2.1 of
 * Andersson, Barber and Ahn),
 *
 *     T = q^w + A v + B^T w,    N = p^w + B v + C w,
 *
 * with v_c = t_c.q, w_c = n_c.q (a gap is w_c + gap0), T and N the contact forces on the structure, and the weld forces
 * q^w, p^w those that hold v = w = 0 under the load. A held contact has no normal row: its N is part of the load, its
 * row of B and its row and column of C are zero. Of a contact with a spring in series, v is the place of the slider.
 * Constant once made; may be shared by threads. */
#ifndef AMONTONS_SYSTEM_REDUCED_H
#define AMONTONS_SYSTEM_REDUCED_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/system.h"
#include "base/arena.h"

typedef struct am_reduced {
    am_arena memory;
    size_t n, m;        /* coordinates and contacts of the system */
    double *A, *B, *C;  /* m x m, row-major; A and C exactly symmetric */
    double *mu;         /* m: kinetic coefficients */
    bool *held;         /* m */
    size_t *normal_row; /* m: row of the contact's normal among the p rows (tangents first); AM_NO_ROW if held */
    size_t *second_row; /* m: row of the contact's second tangent; AM_NO_ROW where it has none */
    size_t p;           /* rows: m tangents, then the normals of the contacts that are not held, then second tangents */
    bool direct;        /* the rows are the coordinates themselves, in some order and sense: nothing was inverted */
    size_t *coordinate; /* p, direct: coordinate of each row */
    double *sense;      /* p, direct: +1 or -1 */
    size_t size;        /* n and one more for every spring in series: its slider */
    double *rows;       /* p x size: R; NULL when direct, like the next two */
    double *factor;     /* size x size: Cholesky factor of the stiffness (column-major, lower) */
    double *flexible;   /* p x size: row r is K^-1 R_r^T */
    double *stiffness;  /* p x p: (R K^-1 R^T)^-1 */
    double *spring;     /* p: floating, not direct: springs on the rows that factor and flexible contain; else NULL */
    bool floating;      /* the stiffness is singular: only its contacts hold the structure */
} am_reduced;

/* AM_ERR_UNSUPPORTED, with a sentence, when the stiffness is singular (the structure moves freely) or when the
 * contacts' rows depend on each other (more contacts than the structure has ways to move). */
am_status am_reduced_init(am_reduced *reduced, const am_system *system, am_error *err);

/* The same for load steps, which know friction that weakens with slip, and structures that float. */
am_status am_reduced_init_steps(am_reduced *reduced, const am_system *system, am_error *err);
void am_reduced_clear(am_reduced *reduced);

/* Doubles of workspace that the two functions below need, so that they allocate nothing. */
size_t am_reduced_work(const am_reduced *reduced);

/* Weld forces of all rows (p) under a load, and the coordinates q (n) when the rows are at `place` (p). */
void am_reduced_weld_rows(const am_reduced *reduced, const double *load, double *weld, double *work);
am_status am_reduced_place(const am_reduced *reduced, const double *load, const double *place, double *q, double *work,
                           am_error *err);

/* The same of contacts without second tangents. Weld forces (m each; p^w of held contacts: 0) under a load (n, held normal forces included: am_system's input). */
void am_reduced_weld(const am_reduced *reduced, const double *load, double *tangential, double *normal, double *work);

/* The coordinates q (n) when the contacts are at v, w (m each; w of held contacts is ignored) under a load (n). */
am_status am_reduced_coordinates(const am_reduced *reduced, const double *load, const double *v, const double *w,
                                 double *q, double *work, am_error *err);

#endif
