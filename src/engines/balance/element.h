/* A contact of any law along a given periodic motion: its normal force and its friction as signals, with exact
 * derivatives. Where cell.h has no closed form: friction that depends on the speed, remembers or never sticks, and layers
 * that are not linear. Between located switches forces are integrated by Gauss's rule on panels that are halved until the
 * force is a polynomial to 1e-12 of its size; what a law remembers obeys its own equation there, solved by collocation
 * at the same points and made periodic by Newton's method. See docs/balance_cell.md, section 5. */
#ifndef AMONTONS_ENGINES_BALANCE_ELEMENT_H
#define AMONTONS_ENGINES_BALANCE_ELEMENT_H
#include "engines/balance/cell.h"
#include "laws/law.h"

/* A law of friction with its formulas recorded, one for each piece. */
typedef struct am_element_law am_element_law;
am_element_law *am_element_law_create(const am_speed_friction *use, am_error *err);
void am_element_law_free(am_element_law *law);
/* Has it something to remember? */
bool am_element_law_remembers(const am_element_law *law);
/* Other parameters (AM_LAW_PARAMETERS): formulas are recorded anew where they differ. */
am_status am_element_law_set(am_element_law *law, const double *parameter, am_error *err);

typedef enum am_element_normal {
    AM_NORMAL_HELD,  /* given */
    AM_NORMAL_LAYER, /* stiffness d + damping d', where both d and that are positive */
    AM_NORMAL_POWER  /* stiffness d^exponent (1 + 3/2 dissipation d'), where d and the factor are positive */
} am_element_normal;

/* What a contact does at the instants at which it was looked at, in no order; weights add up to 2 pi. */
typedef enum am_moment_state { AM_MOMENT_OPEN, AM_MOMENT_STICK, AM_MOMENT_SLIP } am_moment_state;
typedef struct am_contact_moment {
    double theta, weight;
    am_moment_state state;
    double u[2], rate[2]; /* relative displacement along the tangents; sliding velocity over omega */
    double depth_rate;    /* of the layer, by theta */
    double N, f[2];       /* f: friction against the slip */
} am_contact_moment;

typedef struct am_contact_trace {
    size_t count, capacity;
    am_contact_moment *moment;
    double impacts;   /* loss in the impacts of a period */
    am_status status; /* what could not be kept */
} am_contact_trace;

void am_contact_trace_add(am_contact_trace *trace, const am_contact_moment *moment);
void am_contact_trace_sort(am_contact_trace *trace); /* by theta */

typedef struct am_element_contact {
    am_element_normal normal;
    double stiffness, damping, exponent, dissipation;
    bool rubs;
    double spring, static_friction; /* of a slider behind springs (am_slider_follow) */
    bool rigid;          /* friction is clip(lambda + epsilon v, +-mu(v) N), else that of a law without stick */
    double friction;     /* where there is no law */
    am_element_law *law; /* NULL: Coulomb's */
    double epsilon, omega;
    const double *x, *y, *lambda, *hold; /* signals: t.q, n.q + gap, multiplier (rigid), normal force (held) */
    const double *surface;               /* signal of its velocity */
    const double *second;                /* sliders: along the second tangent; NULL: they have one */
    double *memory;                      /* what the law remembers at theta = 0: a guess, and what it is; two stretches
                                          * of a slider's springs */
    const double *relaxed;               /* two places along the tangents at which a slider's springs were relaxed
                                          * before; NULL: they are in the mean */
    am_contact_trace *trace;             /* what it does is written down here; NULL: nowhere */
} am_element_contact;

/* Projections (2H+1 each) of the normal force and of the friction against the slip, and their derivatives with respect to
 * the signals x, y (where it is not held), lambda (rigid) and omega. */
typedef struct am_element_forces {
    double *N, *f;
    double *N_y, *N_omega;
    double *f_x, *f_y, *f_lambda, *f_omega;
} am_element_forces;

typedef struct am_element am_element; /* work space; one per thread */
am_element *am_element_create(size_t degree, am_error *err);
void am_element_free(am_element *element);

/* The forces are the element's own until its next use; `derive`: with derivatives. AM_ERR_LIMIT, with a sentence, where
 * the law has no value along the motion, or what it remembers does not become periodic. */
am_status am_element_follow(am_element *element, am_cell *cell, const am_element_contact *contact, bool derive,
                            am_element_forces *forces, am_error *err);

/* Sliders behind springs: the same for each tangent. f is the force of the spring, its stiffness times the stretch. */
typedef struct am_slider_forces {
    double *N, *f[2];
    double *N_y, *N_omega;
    double *f_x[2][2], *f_y[2], *f_omega[2]; /* f_x[i][j]: of f[i] by tangent j */
} am_slider_forces;

typedef struct am_slider am_slider; /* work space; one per thread */
am_slider *am_slider_create(size_t degree, am_error *err);
void am_slider_free(am_slider *slider);

/* As am_element_follow, for contacts with `spring`. */
am_status am_slider_follow(am_slider *slider, am_cell *cell, const am_element_contact *contact, bool derive,
                           am_slider_forces *forces, am_error *err);

#endif
