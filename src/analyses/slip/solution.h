/* A solved half-plane contact, whatever solved it. Lengths and loads have dimensions. */
#ifndef AMONTONS_ANALYSES_SLIP_SOLUTION_H
#define AMONTONS_ANALYSES_SLIP_SOLUTION_H
#include "amontons/slip.h"
#include "halfplane/griffith.h"
#include "halfplane/power.h"
#include "halfplane/punch.h"
#include "halfplane/sinusoid.h"
#include "halfplane/weakening.h"

/* Q over f P. */
typedef struct am_slip_limits {
    double onset, maximum;
    double partial_most, partial_least; /* of stable partial slip */
    double critical;                    /* c/a, or half of the punch's stick zone over a, at the maximum */
    bool tips_over;                     /* the maximum is tip-over */
    bool slides_at_once;                /* no partial slip is stable */
} am_slip_limits;

typedef struct am_slip_state am_slip_state;
typedef struct am_slip_walked am_slip_walked;

/* One point of the branch of all equilibria. */
typedef struct am_slip_point {
    double share; /* Q over f P */
    double c, b, l;
} am_slip_point;

/* The closed form of one problem. Places x are measured from the state's origin. */
typedef struct am_slip_kind {
    double (*pressure)(const am_slip_state *state, double x);
    double (*shear)(const am_slip_state *state, double x);
    double (*slip)(const am_slip_state *state, double x);
    void (*transforms)(const am_slip_state *state, double x, double z, am_transform *p, am_transform *q);
    /* The equilibrium whose stick zone is `ratio` of the contact, 0..1; false: there is none. */
    bool (*point)(const am_slip_state *state, double ratio, am_slip_point *point);
} am_slip_kind;

/* Not to be copied: parts point at each other. */
struct am_slip_state {
    const am_slip_contact *contact;
    const am_slip_kind *kind;
    double Q, a, period;
    double origin;               /* x from which places are measured: the leading corner of a punch, else the middle */
    double from, to;             /* the contact */
    double stick_from, stick_to; /* equal: nothing sticks */
    bool backward;               /* the sense of slip */
    double transition;           /* b: friction is f beyond; NaN: there is none */
    double intensity;            /* K_II at the edge of the stick zone */
    am_slip_point point;
    am_slip_limits limits;
    /* of the kinds */
    union {
        am_power power;
        am_sinusoid wave;
    };
    am_profile_kind own; /* hertz */
    am_griffith griffith;
    am_punch punch;
    double toughness; /* of the punch */
    am_weakening_contact weakening;
    am_weakening_zones zones;
    double peak;            /* weakening: the largest coefficient of friction */
    am_slip_walked *walked; /* what a path of loads leaves behind; NULL: P, then Q */
    double still;           /* of a path: half of what has stuck all along the second half of its last leg */
};

/* The normal solution of cylinders, powers and waves, kept in *state. */
am_status am_slip_choose_profile(am_slip_state *state, const am_slip_contact *contact, am_profile *profile,
                                 am_error *err);

/* A state in the place of a load: c/a, and b/a of a double solution; NaN: not given. */
typedef struct am_slip_place {
    double stick, transition;
} am_slip_place;

/* The closed forms: fill *state for the load Q, or for the stick zone `stick` (c/a) unless that is NaN. */
am_status am_slip_solve_profile(am_slip_state *state, const am_slip_contact *contact, double Q, double stick,
                                am_error *err);
am_status am_slip_solve_punch(am_slip_state *state, const am_slip_contact *contact, double Q, am_error *err);
am_status am_slip_solve_weakening(am_slip_state *state, const am_slip_contact *contact, double Q,
                                  const am_slip_place *place, am_error *err);

/* The friction that a double solution implies, over slip: the table `friction`. */
void am_slip_friction_table(const am_slip_state *state, size_t samples, am_result *result);

/* What quadrature of the tractions alone says about a solution. */
typedef struct am_slip_evidence {
    double equilibrium; /* of P, Q and the moment, relative */
    double stick;       /* half of E* times the strain of the stick zone, over f P/(pi a), or over q there */
    double friction;    /* violation of p >= 0, q = f p where it slips, |q| <= f p where it sticks, over largest f p */
} am_slip_evidence;

am_slip_evidence am_slip_examine(const am_slip_state *state);

/* Displacements of the bodies are relative to points at this distance from the middle: 4 a. */
double am_slip_reference(const am_slip_contact *contact);

/* The boundary elements' way, from loads to tables. */
am_status am_slip_run_elements(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

/* Tables and summary that both ways share. */
am_table *am_slip_tractions_table(am_result *result);
/* row: x, p, q, slip */
void am_slip_tractions_row(am_table *table, const am_slip_contact *contact, double a, const double row[4]);
am_table *am_slip_zones_table(am_result *result);
void am_slip_zones_row(am_result *result, am_table *table, am_contact_state state, double from, double to);
am_table *am_slip_branch_table(am_result *result);
void am_slip_branch_row(am_table *table, const am_slip_point *point, bool stable);
void am_slip_summary(am_result *result, const char *method, const am_slip_contact *contact, double Q, double a,
                     const am_slip_point *point, const am_slip_limits *limits);
void am_slip_evidence_summary(am_result *result, const am_slip_evidence *evidence);

/* Q to and fro: the table `loop`. */
am_status am_slip_loop(const am_slip_state *state, const am_slip_options *options, am_result *result, am_error *err);

/* At the end of a path: change of the shear, and of the slip where x is in contact, along the second half of its last
 * leg. */
double am_slip_walked_change(const am_slip_state *state, double x);
double am_slip_walked_advance(const am_slip_state *state, double x);

/* Map of stresses: `at` gives the stress at (x, z). */
typedef am_stress (*am_slip_stress_at)(const void *context, double x, double z);
am_status am_slip_stress_table(am_result *result, const am_slip_options *options, double a, am_slip_stress_at at,
                               const void *context, am_error *err);

#endif
