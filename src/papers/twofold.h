/* Analysis `twofold`: one smooth load, one start, infinitely many quasi-static evolutions (Andersson, Barber and Ahn,
 * section 9, corrected). See docs/twofold.md.
 *
 * Two contacts, both at their friction limit at t = 0. With n_i the rows of A + mu E B for the two directions of slip
 * and
 *
 *     d2 = -(n_12 n_21)/(n_11 n_22) = tan(beta_1) tan(beta_4) > 1,
 *
 * the right-hand sides s_i(t) of the two constraints (eqs. 9.1, 9.2) are moved, on each interval 1/n <= t <= 1/(n - 1),
 * by the same amounts as on the interval before times d2. All derivatives of s vanish as t -> 0. The evolutions are
 * numbered by lambda in [0, 1]: 1 is the paper's blue one, 0 its red one. */
#ifndef AMONTONS_PAPERS_TWOFOLD_H
#define AMONTONS_PAPERS_TWOFOLD_H
#include <stdbool.h>

#include "amontons/result.h"
#include "amontons/system.h"

typedef struct am_twofold_options {
    const am_contact_state *slip; /* 2: AM_FORWARD or AM_BACKWARD, the constraints O+ or O- that act; NULL: those with
                                   * the largest d2 */
    const double *change;         /* 2: s(1) - s(0), a force; NULL: half of what keeps both contacts pressed on */
    double between;               /* lambda of a third evolution; default 1/2 */
    size_t intervals;             /* n = 2 ... intervals + 1; default 60 */
    size_t samples;               /* per interval; default 48 */
    int cookie;
} am_twofold_options;

am_twofold_options am_twofold_options_default(void);

typedef struct am_twofold am_twofold;

/* What the construction found. */
typedef struct am_twofold_facts {
    double d2;
    am_contact_state slip[2];
    size_t alternating; /* the contact whose constraint goes to and fro (the paper's node 2) */
    double rows[2][2];  /* n_i = a^i + or - mu_i b^i */
    double start[2];    /* v(0) */
    double s_start[2];  /* s(0) */
    double change[2];   /* s(1) - s(0) */
    double most;        /* largest multiple of `change` that keeps the contacts pressed on and off the other limits */
    bool unique;        /* eqs. (3.4), (3.5): the rate problem has one solution for every load rate */
    double normal_weld[2], tangential_weld[2]; /* p^w and q^w at t = 0 */
} am_twofold_facts;

/* One evolution at one time, on the scale of its interval. */
typedef struct am_twofold_point {
    double t;
    double logarithm; /* of the scale d2^(1 - n) */
    double scale;     /* may underflow to 0 */
    double s[2];      /* (s(t) - s(0))/scale */
    double v[2];      /* (v(t) - v(0))/scale */
    double slack[2];  /* distance from the constraint, a force >= 0, over scale; exact when tiny */
    double s_rate[2]; /* derivatives of the above with respect to tau = n (n - 1) (t - 1/n), just after t */
    double v_rate[2];
    double slack_rate[2];
} am_twofold_point;

/* The loads of the system stay as they are at t = 0. NULL on failure: AM_ERR_INPUT when `change` violates the
 * condition without which the evolutions do not exist, AM_ERR_UNSUPPORTED when d2 <= 1. The system must outlive it. */
am_twofold *am_twofold_create(const am_system *system, const am_twofold_options *options, am_error *err);
void am_twofold_free(am_twofold *twofold);

/* n >= 2, tau in [0, 1], lambda in [0, 1]. */
am_twofold_point am_twofold_at(const am_twofold *twofold, double lambda, size_t n, double tau);

/* Tables `solutions`, `zoom` (logarithms to base d2 of the distances from the start), `load` (t, s1, s2), `auxiliary`
 * (tau, A1, A2), `smoothness` (n, largest derivatives); summary `d2`, `samples`, residuals of each evolution, `p_min`,
 * `distance`, `unique`, `rate_solutions`, `smooth_from`. AM_ERR_EVIDENCE when a residual exceeds 1e-10. */
am_status am_twofold_run(const am_system *system, const am_twofold_options *options, am_result *result,
                         const am_progress *progress, am_error *err);

#endif
