/* Analysis `states`: which contact states are admissible for which load rates. See docs/states.md.
 *
 * The rates of two loads span a plane. Each combination of contact states is admissible in a sector of it (all its
 * inequalities are linear in the rates), so the answer is exact: sectors bounded by angles. With many contacts and
 * loads the question is whether the states follow from the rates at all: am_uniqueness_test. */
#ifndef AMONTONS_STATES_H
#define AMONTONS_STATES_H
#include <stdbool.h>

#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_states_problem {
    AM_STATES_QUASISTATIC, /* equilibrium: K u' = F' + contact force rates (Fig. 2) */
    AM_STATES_DYNAMIC      /* the first instant of a motion from rest: M u''' = F' + contact force rates (Fig. 3) */
} am_states_problem;

typedef enum am_states_question {
    AM_STATES_AS_FITS,    /* sectors with one contact, two loads, or any option of the plane; else uniqueness */
    AM_STATES_SECTORS,    /* which states are admissible where in the plane of two load rates */
    AM_STATES_UNIQUENESS, /* is the rate problem of closed contacts unique for all load rates (Condition 3.1) */
    AM_STATES_SLIDING     /* can rigid contacts that slide stay closed: solutions of a = A N + b (docs/stability.md) */
} am_states_question;

/* What is known of a contact before the rates act. */
typedef enum am_standing {
    AM_STANDING_ORIGIN,   /* gap and forces all zero: every state possible */
    AM_STANDING_STICK,    /* inside the friction cone: stays stuck */
    AM_STANDING_FORWARD,  /* N > 0 and T = -mu N: stick or forward slip */
    AM_STANDING_BACKWARD, /* N > 0 and T = +mu N: stick or backward slip */
    AM_STANDING_OPEN      /* gap > 0: stays open */
} am_standing;

typedef struct am_states_options {
    am_states_question question;           /* default: as fits */
    am_states_problem problem;             /* default quasi-static */
    size_t loads[2];                       /* which loads span the plane; default 0, 1 */
    const am_standing *standing;           /* one per contact; NULL: origin for all */
    const double *rates;                   /* two load rates to classify; NULL: none */
    size_t budget;                         /* of the uniqueness test: minors to look at; 0: default (about a second) */
    const double *displacement, *velocity; /* sliding: where the contacts are looked at (n each); NULL: zero */
    int cookie;
} am_states_options;

AM_API am_states_options am_states_options_default(void);

/* Tables `regions` (state, from_deg, to_deg), `sectors` (from_deg, to_deg, states, count); summary `unique`,
 * `complete`, `most_states`, `fewest_states`, `f_critical` (one contact), `admissible` (for `rates`).
 *
 * Uniqueness: summary `unique` (none when undecided), `uniqueness` (unique, not unique, undecided), `witness` ("1+
 * 2-"), `minor`, `minors`, `margin`, `unique_when_open` (up to 8 contacts), `friction_factor_critical`, `mu_critical`
 * (or `mu_unique_below` and `mu_lost_above`), `alpha1`.. and `beta1`.. (two contacts); table `two_answers` (contact,
 * sign, rate, slip1, slip2) when not unique.
 *
 * Sliding: table `solutions` (solution, contact, state, N, a, boundary_layer, damping), summary `solutions` (none when
 * infinitely many or not enumerated), `answer` (none, one, two, several, infinitely many), `painleve`,
 * `unique_for_all`, `exhaustive`; with one contact also `contact_A`, `contact_b`, `conditions`, `no_contact`,
 * `contact_N`, `contact_boundary_layer`; `lcp_residual`. */
AM_API am_status am_states_run(const am_system *system, const am_states_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Is the quasi-static rate problem uniquely solvable for all load rates (Condition 3.1 of Andersson, Barber and Ahn)?
 * See docs/uniqueness.md.
 *
 * With all contacts closed it is exactly when every matrix A + mu E B (E: any diagonal of signs) is a P-matrix, A and B
 * being blocks of the stiffness reduced to the contacts. Held contacts have no B. */

typedef enum am_uniqueness_verdict { AM_UNIQUE, AM_NOT_UNIQUE, AM_UNIQUENESS_UNDECIDED } am_uniqueness_verdict;

typedef struct am_uniqueness {
    am_uniqueness_verdict verdict;
    bool at_rounding; /* undecided because a minor is zero but for rounding (the witness), not for want of budget */
    double margin;    /* smallest relative pivot met, or margin of the certificate: > 0 when unique */
    size_t examined;  /* principal minors looked at */
    size_t contacts;  /* m */
    int *witness; /* m, owned; not unique: the signs of the contacts in the minor that is not positive; 0: not in it */
    double minor; /* the witness' determinant; NaN without one */
    /* Evidence, when not unique (m each, owned): with the witness' contacts at their friction limits (sign +: forward)
     * and all others stuck, these rates of the tangential weld forces (normal ones constant) leave two answers. */
    double *rates;
    double *first, *second;   /* the two different sets of slip rates */
    double evidence_residual; /* largest violation of the rate problem by either, relative */
} am_uniqueness;

/* `budget`: how many minors to look at before the verdict is "undecided"; 0: the default (about a second). All contacts
 * of a structure with up to 16 are decided. AM_ERR_UNSUPPORTED when the stiffness cannot be reduced to the contacts. */
AM_API am_status am_uniqueness_test(const am_system *system, size_t budget, am_uniqueness *uniqueness, am_error *err);
AM_API void am_uniqueness_clear(am_uniqueness *uniqueness);

/* The same while some contacts are apart (open: m flags; NULL: none): they carry no force, the support of the others is
 * softer, and what is unique with all closed need not be so now. Open contacts are never in the witness. */
AM_API am_status am_uniqueness_test_open(const am_system *system, const bool *open, size_t budget,
                                         am_uniqueness *uniqueness, am_error *err);

/* The factor on all coefficients of friction at which uniqueness is lost lies between factor[0], where it is certain,
 * and factor[1], where a witness shows that it is lost. They agree to 1e-11 or better when all tests were decided
 * within the budget. Both INFINITY when uniqueness is not lost up to the factor `most`. */
AM_API am_status am_uniqueness_critical(const am_system *system, double most, size_t budget, double factor[2],
                                        am_error *err);

/* "unique", "not unique", "undecided". */
AM_API const char *am_uniqueness_name(am_uniqueness_verdict verdict);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Does a given evolution obey the laws? At one instant: equilibrium, contact, friction, and the rate problem, whose
 * solutions are enumerated. See docs/twofold.md, "Checking an evolution".
 *
 * Everything is given as a deviation from an equilibrium in which each contact stands in a known way, so that an
 * evolution is judged on its own scale however small it is; with AM_STANDING_ORIGIN for all contacts the deviation is
 * the whole, from zero forces. Quasi-static; unilateral contacts whose other side rests. */

typedef struct am_verify am_verify;

/* An instant of an evolution; rates are those just after it. n coordinates, m contacts. */
typedef struct am_verify_instant {
    const double *displacement, *velocity;       /* n */
    const double *load, *load_rate;              /* n: applied forces */
    const double *normal, *tangential;           /* m: contact forces on the structure */
    const double *normal_rate, *tangential_rate; /* m */
    const double *slack;      /* 2m: T + mu N and mu N - T of each contact, exact near zero; NULL: from the forces, and
                               * zero below 1e-12 of `scale` */
    double scale, rate_scale; /* forces and force rates that residuals are relative to; > 0 */
} am_verify_instant;

typedef struct am_verify_report {
    double equilibrium; /* largest |K q - F - contact forces|, and of the rates */
    double friction;    /* largest violation of contact and friction laws */
    double rate;        /* largest violation of the rate problem by the given rates */
    double difference;  /* between the given rates and the nearest solution of the rate problem, times the stiffness */
    size_t solutions;   /* how many different solutions the rate problem has */
} am_verify_report;

/* `standing`: one per contact. The system must outlive the verifier, which is for one thread. */
AM_API am_verify *am_verify_create(const am_system *system, const am_standing *standing, am_error *err);
AM_API void am_verify_free(am_verify *verify);

/* Allocates nothing. A value that is not a number gives residuals that are infinite. */
AM_API am_status am_verify_check(am_verify *verify, const am_verify_instant *instant, am_verify_report *report,
                                 am_error *err);

#ifdef __cplusplus
}
#endif
#endif
