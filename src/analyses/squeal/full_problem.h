/* Inside of `squeal`: small disturbances of steady sliding of a large structure, as one sparse problem. See
 * docs/squeal.md.
 *
 *     (s^2 M + s C + K + G) x - (N + mu T) lambda = 0          forces on the structure
 *     -N^T x - lambda/(k + s d)                  = 0          one row per contact; rigid: no second term
 *
 * or P(s, mu) v = 0 with v = (x, lambda). Without friction and damping it is symmetric: real modes. Friction that depends
 * on speed, or remembers, is in squeal_friction.c: there mu is a matrix, and v = (x, lambda, w). */
#ifndef AMONTONS_ANALYSES_SQUEAL_FULL_PROBLEM_H
#define AMONTONS_ANALYSES_SQUEAL_FULL_PROBLEM_H
#include <complex.h>

#include "amontons/system.h"
#include "base/arena.h"
#include "laws/law.h"
#include "math/sparse.h"

/* Sparse vectors, one per row. */
typedef struct am_squeal_list {
    size_t *start; /* rows + 1 */
    size_t *index;
    double *value;
} am_squeal_list;

/* Friction along one tangent of a contact: dF = F_N lambda - F_v t.x' + F_w w, w' = r_w w + r_N lambda - r_v t.x', with t
 * as friction acts on the structure. */
typedef struct am_squeal_rub {
    size_t contact;
    size_t row;             /* of its normal force; AM_NO_ROW: that of a held contact does not change */
    double share;           /* of its coefficient in the largest */
    bool law, across;       /* more than F_N lambda; across the slip, along the second tangent */
    size_t first, memories; /* of w: place behind x and lambda, how many */
    bool idle;              /* what it remembers changes by itself alone */
    bool remembers;         /* at the friction set last */
    am_drag slope;          /* there */
} am_squeal_rub;

/* Normal forces of steady sliding: lambda = (1 - mu R)^-1 (free + mu given). */
typedef struct am_squeal_statics {
    double *R, *free, *given; /* m x m, m, m: `given` by friction of held contacts */
    double *small, *lambda;   /* workspace, and the answer */
    int *order;
} am_squeal_statics;

typedef struct am_squeal_full {
    am_arena memory, symmetric_memory; /* of all arrays; of the symmetric factors */
    const am_system *system;
    size_t n, m, w, size;    /* coordinates, rows of contacts, what friction remembers, all together */
    am_contact_state *state; /* of every contact */
    size_t *contact;         /* m: whose row it is */
    am_squeal_list normal;   /* rows of N^T */
    am_squeal_list tangent;  /* rub by rub, T^T: direction of friction, without laws times its share */
    am_squeal_rub *rub;      /* rubs: of the m rows, then those without a row */
    size_t rubs;
    bool laws;                   /* friction is not mu times the normal force everywhere */
    am_squeal_statics statics;   /* of laws */
    double set_mu;               /* slopes of all rubs are those there; NAN: of none */
    double complex *rows;        /* w: workspace */
    double *stiffness, *damping; /* m: k and d; rigid: INFINITY */
    double reference;            /* mu of the model: the largest coefficient; the others keep their ratio to it */
    bool damped;
    size_t rigid; /* rows without compliance */

    /* Factors of P(s, 0) with s^2 = -shift, without damping: symmetric. */
    am_sparse *symmetric;
    int *symmetric_row, *symmetric_column;
    double *symmetric_value;
    size_t symmetric_count;
    double shift;
    /* Factors of P at some s and mu. */
    am_sparse *general;
    int *general_row, *general_column;
    double complex *general_value;
    size_t general_count;
    double complex factored_s;
    double factored_mu;
    bool factored;
    size_t factors; /* made so far of P */
} am_squeal_full;

/* `state`: m, or NULL: every contact slides against its surface. */
am_status am_squeal_full_init(am_squeal_full *full, const am_system *system, const am_contact_state *state,
                              am_error *err);
void am_squeal_full_clear(am_squeal_full *full);

am_status am_squeal_full_factor_symmetric(am_squeal_full *full, double shift, bool *singular, am_error *err);
am_status am_squeal_full_solve_symmetric(am_squeal_full *full, double *v, size_t count, am_error *err);
void am_squeal_full_drop_symmetric(am_squeal_full *full);

am_status am_squeal_full_factor(am_squeal_full *full, double complex s, double mu, bool *singular, am_error *err);
/* ln det P(s, mu), times the stiffnesses 1 + s d/k of the contacts: a polynomial in s but for a constant, whose zeros
 * are the eigenvalues. `reference`: of the structure without friction, damping and circulatory forces instead. */
am_status am_squeal_full_log_determinant(am_squeal_full *full, double complex s, double mu, bool reference,
                                         double complex *value, am_error *err);
am_status am_squeal_full_solve(am_squeal_full *full, double complex *v, size_t count, am_error *err);

/* out = P v, dP/ds v, dP/dmu v. *terms (may be NULL): sum of the sizes of the forces that P v adds up. */
void am_squeal_full_apply(am_squeal_full *full, double complex s, double mu, const double complex *v,
                          double complex *out, double *terms);
void am_squeal_full_by_s(am_squeal_full *full, double complex s, double mu, const double complex *v,
                         double complex *out);
void am_squeal_full_by_mu(am_squeal_full *full, double complex s, double mu, const double complex *v,
                          double complex *out);

/* Loads and gaps of the steady state at mu (right: size, added to); false where they change with time or something
 * sticks. */
bool am_squeal_full_loads(const am_squeal_full *full, double mu, double complex *right);

/* ---- friction (squeal_friction.c) ---- */

/* Rubs and their directions, once rows and states are known; what they remember, once the normal forces are. */
am_status am_squeal_friction_list(am_squeal_full *full, am_error *err);
am_status am_squeal_friction_settle(am_squeal_full *full, am_error *err);

/* The slopes of all rubs become those at mu: NAN where steady sliding is not there. */
void am_squeal_friction_set(am_squeal_full *full, double mu);

/* Are they all numbers? */
bool am_squeal_friction_is_finite(const am_squeal_full *full);

/* The coefficient of a contact when the largest is mu. */
double am_squeal_friction_of(const am_squeal_full *full, size_t contact, double mu);

/* Are all contacts whose friction has a law pressed together at mu? Others do not ask. */
bool am_squeal_friction_holds(am_squeal_full *full, double mu);

/* The entries of a matrix (NULL: none) in a fixed order, or those on and below its diagonal: how many there are, their
 * places counted from 1, and (`add_values`: below) their values times a factor, behind the `at` that are there already.
 * Returns how many there are then. */
size_t am_squeal_entries(const am_matrix *a, bool lower);
size_t am_squeal_add_places(const am_matrix *a, bool lower, int *row, int *column, size_t at);
size_t am_squeal_add_values(const am_matrix *a, double factor, double *value, size_t at);

/* Sparse vectors: nonzero entries of a dense one (NULL: none); a list of so many rows; row r of it, after those before;
 * list row r times x. */
size_t am_squeal_count(const double *row, size_t n);
am_status am_squeal_list_new(am_squeal_list *list, size_t rows, size_t entries, am_arena *memory, am_error *err);
void am_squeal_list_set(am_squeal_list *list, size_t r, const double *row, double factor, size_t n);
double am_squeal_list_dot(const am_squeal_list *list, size_t r, const double *x);

/* The friction from which on inertia no longer keeps the rigid contacts closed (docs/stability.md, "Where rigid contact
 * fails"): the least mu > 0 at which a principal minor of J M^-1 B vanishes; INFINITY: none, no rigid contact, or a singular
 * mass. All minors up to ten rigid contacts; beyond, those of one contact, of two, and of all. `to` > 0: where the shares
 * of laws are not the same at every mu, up to there only. */
am_status am_squeal_painleve(am_squeal_full *full, double to, double *mu, am_error *err);

#endif
