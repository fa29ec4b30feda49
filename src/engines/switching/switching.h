/* Inside of the motion engine. switching.c starts and steps, motion_reading.c tells what a motion is at, span.c looks along
 * a span, event.c does what happens at an instant, mark.c tells what every contact does there, decide.c finds the next
 * state of contact, impact.c solves impacts, energy.c the balance of energy, nonlinear.c the forces that are not linear.
 * One engine per thread; all arrays are made once. */
#ifndef AMONTONS_ENGINES_SWITCHING_SWITCHING_H
#define AMONTONS_ENGINES_SWITCHING_SWITCHING_H
#include <float.h>

#include "amontons/motion.h"
#include "base/object.h"
#include "engines/switching/flow.h"
#include "engines/switching/nonlinear.h"

/* Values below ROUNDING times eps times their scale cannot be told from zero: a state carries a few dozen rounding
 * errors, and a wrong "zero" only passes the decision on to the next derivative. */
#define AM_ROUNDING 256.0

/* What a span adds: its polynomials are summed up with an error of at most 2 eps sum |x_k| h^k, and over a third of a
 * period, h about 2 over the frequency, that sum is at most e^2 |x|. */
#define AM_SPAN_ROUNDING 16.0

/* order of a quantity that vanishes identically */
#define AM_NEVER ((size_t)-1)

enum { AM_ZENO_IMPACTS = 16 };

/* What is known of a contact at an event, before the next state is chosen. */
typedef enum am_standing_kind {
    AM_STANDS_APART,   /* gap open, stays open */
    AM_STANDS_LEAVING, /* gap zero, opening: stays open unless an impact elsewhere drives it back */
    AM_STANDS_CLOSING, /* gap zero, approaching: needs an impact */
    AM_STANDS_TOUCHING /* gap and its rate zero, or held */
} am_standing_kind;

/* What the normal state of a compliant contact may be: its force follows from positions and velocities. */
enum { AM_MAY_BE_OPEN = 1, AM_MAY_BE_LAX = 2, AM_MAY_BE_CLOSED = 4 };

typedef struct am_mark {
    am_standing_kind standing;
    unsigned normal; /* of a compliant contact: AM_MAY_BE_...; 0 of others */
    bool unpressed;  /* compliant: its force is zero, but for rounding */
    bool released;   /* so is what presses it while its surfaces overlap; rigid, without stick: its force is zero */
    bool closes;     /* compliant: it was open until now */
    bool waits;      /* compliant: stays open until its surfaces overlap by more than rounding */
    bool ceases;     /* rigid, with a deflection that vanishes with its normal force, as that has: it opens */
    bool
        forgets; /* the same where it does not: without a normal force it is forgotten, then the contact opens or not */
    int slide;   /* sign of the sliding velocity; 0: zero within rounding */
    int limit;   /* with a tangential spring: +1 where T = mu N, -1 where T = -mu N, 0 in between */
    bool reversed; /* with a tangential spring: the slider would have to slide against its friction */
    bool shaken;   /* with a tangential spring: it slipped, and its own velocity may have jumped with accelerations */
    bool sets_off; /* with two tangents: slips at once where it closes */
    bool relaxed;  /* with a tangential spring: broke loose, and stuck again at once */
    bool jumped;   /* with a tangential spring: to where friction holds what the spring still pulls */
    int heads;     /* on a damped coordinate without mass: sign of the only velocity it may take from here; 0: any */
    bool rests;    /* its velocity has just vanished, or its friction limit is reached */
    bool impacted; /* took part in the impact of this event with a normal impulse */
    am_contact_state during; /* state while the impulse acted */
    am_contact_state before; /* state before the event */
} am_mark;

typedef struct am_energy {
    double start, work_loads, work_surface, work_circulatory, loss_friction, loss_damping, loss_impact, moved;
} am_energy;

/* Fixed-step switching, imitated: the quantities are only looked at at the ends of steps. */
typedef struct am_imitation {
    double step; /* 0: off */
    size_t bisections;
    double target;     /* nothing is looked at before this time */
    bool switches;     /* there a switch takes place */
    double *x, *start; /* nx each: work space */
} am_imitation;

/* How fast a motion gets on. */
typedef struct am_pace {
    size_t most; /* spans from one start on */
    bool named;  /* the user has a name for it: max_spans */
    size_t steps, window;
    double from; /* time when the present window of steps began */
} am_pace;

typedef struct am_steady am_steady; /* steady.c */

typedef struct am_stiff am_stiff;

typedef struct am_slopes am_slopes; /* slopes.h */

struct am_motion {
    uint64_t tag;                                         /* AM_TAG_MOTION */
    am_arena memory, quantity_memory, sensitivity_memory; /* of all arrays, of those that grow, of the derivative */
    am_system *sharp; /* the structure with regularised friction as a law mu(v); NULL: it has none */
    am_plan plan;
    am_flow_cache *cache;
    size_t most_flows; /* kept in it from one step to the next */
    bool with_energy, seek_final;
    bool strides; /* nothing is asked on the way: neither samples nor energy (stride.c) */

    am_exact_time now;
    double begun;            /* time of the start */
    double *x;               /* nx: q, v, z */
    am_contact_state *state; /* m */
    am_contact_state *shown; /* m: the same for callers, who know no lax contacts */
    am_flow *flow;
    am_exact_time next_break;
    bool final_known;
    double final_time; /* from which the state is proved final, if it lasts until then */
    am_steady *steady; /* made when first asked for */

    /* the span just passed, and the one being prepared */
    am_exact_time span_start;
    double span_length;
    am_flow *span_flow;
    double *series;           /* AM_ORDERS x nx */
    bool by_jets;             /* its orders were computed all at once, from the jets of the flow */
    am_written written;       /* what of the higher orders is not zero by construction */
    am_stiff *stiff;          /* spans of stiff motions; NULL where there are none */
    double *lost, *lost_work; /* m: sliding speed less that of x (am_engine_creep) */
    am_force_work forces;     /* of forces that are not linear; reserved where there are some */
    double *trial_series[2];  /* AM_ORDERS x nx each: orders of flows that are only tried; reserved as the forces */
    am_written trial_written[2];
    size_t watched;         /* 1 + the coordinate at whose maxima spans end (coordinate_maximum.c); 0: none */
    bool watch_armed;       /* it has gone back since the last one, or since the start */
    bool at_maximum;        /* the span just passed ended there */
    bool fresh;             /* the span starts at an event: quantities may start from zero */
    size_t most_quantities; /* of any flow met so far; 3m where no contacts depend on each other */
    size_t *order;          /* most_quantities: how many leading coefficients of each quantity vanish there */
    bool *in_band;          /* most_quantities: quantity ended the last span within rounding of zero */

    /* the event just passed */
    am_mark *mark; /* m */
    size_t switch_count;
    am_switch *switches; /* m */
    bool had_impact;
    double *v_before;    /* n */
    double *impulse;     /* 2m: P and Q of every contact in the last impact */
    double *impact_loss; /* m: of its impacts since the start; followed with the energy */
    double *directions;  /* (n + 1) x n: those of the contacts that switch; NULL where none share theirs */

    /* scales of gap, gap rate and sliding velocity of each contact: what one unit of the weighted norm can do to them
     */
    double *gap_dual, *rate_dual, *slide_dual; /* m each */
    double *normal_yield, *tangent_yield;      /* m each: n.M^-1 n and t.M^-1 t, the velocity a unit impulse causes */
    double size;                               /* |x| at the present instant (am_engine_measure) */
    size_t quiet;                              /* spans since a contact last switched */
    size_t next_stride;                        /* so many of them before a stride is tried again */
    /* What counts as zero, as a part of a value's scale: one measure for the search along a span, the kinematics (twice
     * as much, see am_engine_rounding) and the decision, so that none of them sees what another one does not. It grows
     * with the spans since the last switch, which puts the state in order. */
    double zero;

    /* derivative of the state with respect to the state at the start; NULL unless asked for */
    size_t followed;               /* its columns: nd, or 1 for the derivative in one direction */
    double *sensitivity;           /* nd x followed */
    double owed;                   /* time of the present flow that it has not been carried over yet */
    double *terms;                 /* 2 x nd x nd: work space of its propagation */
    double *fundamental, *product; /* nd x nd each: the same */
    double *column;                /* 3 nx: the same for single columns */
    double *variation; /* AM_ORDERS x (nd + 3 forces) x followed: orders of the derivative along the present span, of
                            forces that are not linear and of their arguments; NULL where there are none (variation.c) */
    double
        *slid_kept; /* m x nd: what stays of the derivative while a slider slips whose friction weakens (sliders.c) */
    double *event_share; /* nd: how much each column moves the time of the event, c.column / (c.f) */
    double *hop_share;   /* m x nd: the same of each contact's last impact */
    double *hop_start;   /* m: when that was */
    double carried;      /* its largest entry since the start, weighted, where forces are not linear: what becomes of a
                            rounding at most */
    double *rate_before; /* nd: x' just before the event, carried through its impacts */
    double *rate_event;  /* nd: x' just before the event, as it was */
    am_slopes *slopes;   /* derivatives with respect to numbers of a model; NULL unless asked for */

    /* work space of decisions and impacts */
    double *x_work[2], *size_work[3];          /* nx each */
    double *n_work[2];                         /* n each */
    double *p_work[2];                         /* 2m each */
    double *found, *lambda;                    /* n, 2m: velocities and impulses of the impact found */
    bool expands;                              /* the impact has an expansion (Poisson's restitution) */
    am_contact_state *expansion;               /* m: in it, AM_OPEN: without a normal impulse beyond the restored one */
    am_contact_state *expansion_slip;          /* m: stick or slip in it */
    size_t *order_work, *option_count, *digit; /* most_quantities, m, m */
    bool *held_back;                           /* m: contacts that stick when one of them does */
    am_contact_state *options, *trial;         /* 4m, m */
    am_imitation imitation;
    am_contact_state *late;    /* m: the states a late switch asks for */
    am_contact_state *instead; /* m: those of a flow with one of them changed */

    double impact_time[AM_ZENO_IMPACTS]; /* ring */
    size_t recent_impacts;               /* since the start or the last accumulation */
    double *struck, *struck_rate;        /* m: when each contact had its last impact, and how fast it closed then */
    size_t idle;                         /* events since time last advanced */
    am_energy energy;
    am_pace pace;
    am_motion_statistics statistics;
    bool met_indeterminate; /* statistics.indeterminate of any motion so far */
};

/* Follow the motion to `until`. */
am_status am_engine_run_until(am_motion *e, double until, am_error *err);

/* Is it somewhere? Not before a start has succeeded. */
static inline bool am_engine_started(const am_motion *e) {
    return e->span_flow != NULL;
}
am_status am_engine_need_start(const am_motion *e, am_error *err); /* fails with a sentence where there is none */

extern const size_t am_pace_usual;
void am_pace_start(am_motion *e);
am_status am_pace_check(am_motion *e, double until, am_error *err); /* after every step */

/* Where on a span a quantity first turns negative; NAN: it cannot be said, the numbers are too large. */
typedef struct am_crossing {
    double where; /* fraction of the span; 1 if none */
    size_t quantity;
    size_t grazes;
} am_crossing;

am_crossing am_engine_first_crossing(am_motion *e, double length);

/* Taylor coefficients (AM_COEFFICIENTS) of quantity q of a flow along the present series, which must be that flow's: of
 * the span just passed, e->span_flow's. */
void am_engine_quantity_orders(const am_motion *e, const am_flow *flow, size_t q, double *a);

/* End spans at maxima of a coordinate, from now to the next start. A start at a maximum is none. */
void am_engine_watch(am_motion *e, size_t coordinate);
/* The first of them within `length` of the span just expanded, after so much time. */
bool am_engine_first_maximum(am_motion *e, double length, double *where);

/* Everything that happens at one instant. `trigger`: the quantity that vanished, NULL if none; `usual`: the cause of
 * switches that neither the trigger nor an impact explains. */
am_status am_engine_happen(am_motion *e, const am_quantity *trigger, am_cause usual, am_error *err);

/* The same where fixed-step switching left no consistent state: only the contacts that changed sign switch (imitate.c).
 */
am_status am_engine_happen_by_rule(am_motion *e, const am_quantity *trigger, am_error *err);

/* From when on does the present state last for ever? */
am_status am_engine_seek_final(am_motion *e, am_error *err);

/* ---- steady.c: rest and steady sliding, docs/motion.md, section 8b ---- */

typedef struct am_steady_state {
    bool exists;        /* a steady state near the motion, of its state of contact, under its loads */
    double distance;    /* from it, in the weights of the plan */
    double growth;      /* of small disturbances: the largest real part of the eigenvalues */
    double uncertainty; /* by how much rounding may have moved it */
    bool lasts;         /* proved: the motion tends to it, and no contact switches any more */
} am_steady_state;

/* The steady state near the motion where it is now. Loads must be constant from now on, else there is none. */
am_status am_engine_find_steady(am_motion *e, am_steady_state *steady, am_error *err);
void am_steady_free(am_steady *steady);
void am_slopes_free(am_slopes *slopes);

/* Take the size of x anew: at the beginning of an instant, and when velocities have jumped. */
void am_engine_measure(am_motion *e);

/* Below this a linear function of x with the given dual norm counts as zero in the kinematics. It is twice what a
 * decision takes for zero, so that a contact that stands apart here has a gap or a rate that is positive there. */
static inline double am_engine_rounding(const am_motion *e, double dual) {
    return 2.0 * e->zero * dual * e->size;
}

/* A layer whose force is curved, N = k d^beta, under friction without stick begins and parts at so many times the depth that
 * counts as zero: beyond it the depth is a number, and behind a spring (whose stretch follows N, ever faster as that
 * vanishes) the normal force is, too. */
double am_engine_edge(const am_motion *e, size_t contact);

/* Put q and v exactly where the closed contacts of a flow hold them: the corrections are of the size of rounding. */
void am_engine_project(am_motion *e, const am_flow *flow);

/* The flow of a combination, with space for its quantities. */
am_status am_engine_flow(am_motion *e, const am_contact_state *state, am_flow **flow, am_error *err);

/* Choose the state of contact after an event from the marks; sets state, flow, order. */
am_status am_engine_decide(am_motion *e, am_error *err);

/* The combination that the digits choose among the options, into trial; the next one (false after the last). */
static inline void am_engine_compose(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++)
        e->trial[c] = e->options[4 * c + e->digit[c]];
}

static inline bool am_engine_next_combination(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        if (++e->digit[c] < e->option_count[c])
            return true;
        e->digit[c] = 0;
    }
    return false;
}

/* The state that a violated quantity asks for: beyond its limit a contact slips, pulled it opens, at rest it sticks;
 * one that penetrates closes, sliding with the sign `slide`. */
am_contact_state am_engine_pivot(am_quantity_kind violated, int slide);

/* Solve the impulse-level problem for all contacts that are closing or touching; changes v and the marks. `elastic`:
 * use the contacts' restitution. */
am_status am_engine_impact(am_motion *e, bool elastic, am_error *err);

/* Mark every contact at the present x; `trigger` is the quantity that vanished (NULL: none). `at_break`: velocities of
 * surfaces may have jumped. */
void am_engine_mark(am_motion *e, const am_quantity *trigger, bool at_break);

/* Is this a sliding velocity that passes zero without stopping: of a law without stick, on a coordinate with mass? */
static inline bool am_engine_turns(const am_motion *e, const am_quantity *quantity) {
    return e->plan.forces > 0 && am_quantity_is_sharp(&e->plan, quantity) &&
           !am_plan_is_follower(&e->plan, quantity->contact);
}

/* Velocities that were just above rounding when they were marked, and are not since others were set to zero, count as
 * zero too. True if there were any. */
bool am_engine_mark_lost(am_motion *e);

/* The sliding velocity of a slider behind a spring, from the present flow, positive in its direction of slip. */
double am_engine_slider_velocity(const am_motion *e, size_t contact, double *rounding);

/* Are the gap of a rigid contact and its rate zero? */
bool am_engine_touches(const am_motion *e, size_t contact);

/* Mark only the sliders behind springs again. */
void am_engine_mark_sliders(am_motion *e);

/* The spring of a slider that slips, or has slipped, in this state is stretched by the kinetic friction force; from
 * above that limit it jumps there and loses energy. */
void am_engine_settle_stretch(am_motion *e, size_t contact, am_contact_state slip);

/* Contacts that slip in a plane (plane_slip.c): the pull of their springs; springs that are relaxed where the contact is open,
 * and stretched to the limit where it slips; a direction for springs of a contact that has just closed. */
double am_disc_pull(const am_motion *e, size_t contact);
void am_disc_settle(am_motion *e, size_t contact, am_contact_state state);
void am_disc_prepare(am_motion *e, size_t contact);
void am_disc_project_stretch(am_motion *e);
void am_disc_admit(am_motion *e);
/* Of a contact that has just closed, where nothing presses yet: do the springs outgrow the limit? */
bool am_disc_slips_at_once(am_motion *e, size_t contact);

/* ---- sliders behind springs (sliders.c) ---- */

/* The coefficient of friction of a slider that sticks, or slips, at the present instant. */
double am_engine_friction(const am_motion *e, size_t contact, bool sticks);

/* Is there a slider behind a spring whose friction follows the way? It goes where the bodies go; and its stretch is to be
 * right by itself, however little presses. */
bool am_slider_goes_with_bodies(const am_motion *e, size_t contact);
#define AM_WORST_STRETCH 1e-3

/* row (nd): how the stretch at the limit changes with (q, v, e, w), in a flow in which the slider slips and whose forces
 * are those in x. */
void am_slider_limit_row(am_motion *e, const am_flow *flow, size_t contact, double *row);
/* The derivative of the stretch of a slider that slips, or whose contact is open, from that of the rest. */
void am_slider_follow_limit(am_motion *e, size_t contact);
/* A slider at its limit that can neither hold nor slide on from there jumps to where it can: the spring relaxes to the
 * kinetic limit, or to where friction that weakens has fallen to what the spring still pulls. False: it has no reason. */
bool am_slider_jump(am_motion *e, size_t contact, am_contact_state slip);
/* After a jump of velocities or loads: a spring that pulls harder than friction holds now relaxes to the limit. True where
 * it does; *slip: the way in which the slider went. */
bool am_slider_relax(am_motion *e, size_t contact, am_contact_state *slip);
/* Does its spring pull with less than the friction of a slider that slips? */
bool am_slider_is_slack(const am_motion *e, size_t contact);
/* The same of a rigid contact, in a flow in which it slips. */
bool am_slider_jump_rigid(am_motion *e, am_flow *flow, size_t contact);
/* A start that lies a little beyond a limit that is not linear is put onto it. */
void am_sliders_admit(am_motion *e);
/* The flow of a start, in which sliders slip that pull with the kinetic force and move on. */
am_status am_sliders_start(am_motion *e, am_error *err);
/* At the beginning of a span: stretches of sliders that slip are those of their limits, and so are their derivatives.
 * The same of the derivatives alone, at any time; `learn`: after a switch. */
void am_sliders_project(am_motion *e);
void am_sliders_project_derivative(am_motion *e, bool learn);
/* What vanishes where quantity q does: of a slider whose velocity jumps at a corner of its law the distance from that. */
const double *am_slider_trigger_row(const am_motion *e, size_t q);

/* ---- coordinates with neither mass nor damping (light.c, light_jump.c) ---- */

/* They take their places and velocities in the present flow; what they lose where they jump, friction has taken. */
void am_light_settle(am_motion *e);
/* The same of the derivative, without velocities: through a jump in a flow, and after. */
void am_light_settle_derivative(am_motion *e, const am_flow *flow);
void am_light_settle_rates(am_motion *e);
/* Where loads have jumped, or at a start: the states of contact in which they go at once to where they are in balance. */
am_status am_light_jump(am_motion *e, am_error *err);
/* Those whose friction drops and cannot hold any more jump too. *any: there were some. */
am_status am_light_break(am_motion *e, bool *any, am_error *err);
/* As above at a start, of which states are not known. */
am_status am_light_start(am_motion *e, am_error *err);

/* Normal force of a contact that is held, or compliant and closed. */
double am_engine_normal(const am_motion *e, size_t contact);

/* Can damping take the force of a compliant contact while its surfaces overlap? */
bool am_contact_is_damped(const am_contact_def *contact);

/* Mark compliant contacts again: their forces may have jumped with velocities. */
void am_engine_mark_compliant(am_motion *e);

/* The gap of a contact; its rate, and the part of it that is its support's. */
static inline double am_engine_gap(const am_motion *e, size_t contact) {
    const am_system *s = e->plan.system;
    return am_range_dot(&e->plan.normal[contact], s->contact[contact].normal, e->x) +
           am_system_gap(s, contact, e->x + e->plan.nd);
}

static inline double am_engine_lift(const am_motion *e, size_t contact) {
    return am_system_gap_rate(e->plan.system, contact, e->x + e->plan.nd);
}

static inline double am_engine_gap_rate(const am_motion *e, size_t contact) {
    const double *normal = e->plan.system->contact[contact].normal;
    return am_range_dot(&e->plan.normal[contact], normal, e->x + e->plan.n) + am_engine_lift(e, contact);
}

/* Velocity of its surface; its sliding velocity t.v - surface. */
static inline double am_engine_surface(const am_motion *e, size_t contact) {
    return am_system_surface(e->plan.system, contact, e->x + e->plan.nd);
}

static inline double am_engine_slide(const am_motion *e, size_t contact) {
    const double *tangent = e->plan.system->contact[contact].tangent;
    return am_range_dot(&e->plan.tangent[contact], tangent, e->x + e->plan.n) - am_engine_surface(e, contact) +
           e->lost[contact];
}

/* What an impact takes from surfaces: nothing, in the map of disturbances; their velocities; or, of the rate at which the
 * outcome of an impact changes with its time, their accelerations. Along the tangent, and along the normal. */
typedef enum am_belt { AM_BELT_RESTS, AM_BELT_MOVES, AM_BELT_ACCELERATES } am_belt;
double am_engine_belt(const am_motion *e, size_t contact, am_belt belt);
double am_engine_raise(const am_motion *e, size_t contact, am_belt belt);

/* Sensitivity (sensitivity.c). Over a span of the present flow; before an event with the quantity that vanishes (NULL:
 * an event at a given time); through an impact that maps v to the velocities `flow` gives; after the event. */
am_status am_engine_follow(am_motion *e, bool follow, am_error *err);
/* One direction only: after the start the caller writes the disturbance (nd) into e->sensitivity. */
am_status am_engine_follow_one(am_motion *e, am_error *err);
void am_engine_sensitivity_start(am_motion *e);
void am_engine_sensitivity_span(am_motion *e, double length);
/* While a flow that is linear lasts, the derivative waits: over many spans it is carried at once. Before it is read. */
void am_engine_sensitivity_settle(am_motion *e);
void am_engine_sensitivity_before(am_motion *e, const double *row);
/* After that, when the event is an impact of `contact`. */
void am_engine_sensitivity_hop(am_motion *e, size_t contact);
void am_engine_sensitivity_impact(am_motion *e, const am_flow *flow, bool elastic);
void am_engine_sensitivity_after(am_motion *e);

/* total (nd): how a row over x changes with (q, v, e, w), through forces that are not linear as well, those in x. */
void am_engine_total_row(am_motion *e, const am_flow *flow, const double *row, double *total);

/* Where forces are not linear (variation.c): the orders of the derivative along the span that was just expanded, and
 * the length over which they are exact to rounding; the derivative at `length` into it. */
double am_engine_vary(am_motion *e);
/* All orders of entry (row, column) of the derivative. */
void am_engine_vary_write(am_motion *e, size_t row, size_t column, const double *orders);
void am_engine_vary_followers(am_motion *e); /* of velocities without mass, at the present instant */
void am_engine_vary_to(am_motion *e, double length);

/* Forces that are not linear, and velocities of coordinates without mass, at the present x and flow; the same with the
 * pieces of laws that hold already. */
void am_engine_load(am_motion *e);
void am_engine_load_again(am_motion *e);

/* x' (nd) of a flow at the present x. */
void am_engine_rate(const am_motion *e, const am_flow *flow, double *rate);

/* The velocities after an impact in the combination of `flow`, as a linear map of v and of what surfaces
 * do. */
void am_engine_impact_map(am_motion *e, const am_flow *flow, bool elastic, const double *v, am_belt belt,
                          double *v_after);

/* The orders of the present series from its first, and of the derivative; the length over which that is exact. */
double am_engine_expand_again(am_motion *e);

/* Are the forces so far into the present series those of their laws? */
bool am_engine_holds_at(am_motion *e, double length);

/* Nothing without mass resists friction that falls: what to say of it. */
am_status am_engine_fail_jump(const am_motion *e, am_error *err);

/* Taylor coefficients at x, at most `limit` long; returns the length over which they are exact to rounding. */
double am_engine_expand(am_motion *e, double limit);
/* A sliding speed is a difference of velocities, and friction may depend on one that is below their rounding. What that
 * takes from speeds of friction without stick, closed contacts all, is kept beside x: at `length` into the series. */
void am_engine_creep(const am_motion *e, double length, const double *x, double *lost);

/* x (its first `count` entries) at `length` into the present series. */
void am_engine_evaluate(const am_motion *e, double length, double *x, size_t count);
/* The coordinates alone (n). */
void am_engine_coordinates(const am_motion *e, double length, double *q);

/* Fixed-step switching (imitate.c). Set the next target; which quantity is negative at the present x (the worst one;
 * AM_NEVER: none); the states the negative quantities ask for; what went too far is put back. */
void am_engine_set_target(am_motion *e);
size_t am_engine_overshot(const am_motion *e);
void am_engine_switched(const am_motion *e, am_contact_state *state);
void am_engine_put_back(am_motion *e);

/* Kinetic plus potential energy, and the integrals over the first `length` of the present series. */
double am_engine_kinetic(const am_motion *e);
double am_engine_potential(const am_motion *e);
void am_engine_account(am_motion *e, double length);

/* What callers are told of a state. */
static inline am_contact_state am_state_shown(am_contact_state state) {
    return state == AM_LAX ? AM_OPEN : state == AM_SWEEP ? AM_FORWARD : state;
}

/* Write "open,stick" for the states of all contacts into text. */
void am_engine_describe(const am_motion *e, const am_contact_state *state, char *text, size_t size);

/* ---- strides (stride.c) ---- */

/* A stride of at most `limit` from the present x. *length: what it was; 0 where there is none. */
am_status am_stride_try(am_motion *e, double limit, double *length, am_error *err);

/* ---- stiff motions (stiff.c) ---- */

/* What they need; NULL where the engine has no use for it. */
am_status am_stiff_reserve(const am_plan *plan, am_arena *memory, am_stiff **stiff, am_error *err);
void am_stiff_start(am_motion *e);

/* Is a span of this length, which the series in e->series reaches, so short because something decays fast? Then *length
 * becomes longer, and the series (with e->sensitivity also its derivative) that of the implicit method. `lost`: numbers
 * cannot hold the orders of the series. */
bool am_stiff_expand(am_motion *e, double limit, bool lost, double *length);

/* No span is short enough for a speed that passes zero in steep friction: it is put where it goes, a change far below
 * rounding. False: there is none. */
bool am_stiff_settle(am_motion *e, am_quantity *trigger);

/* Has the implicit method made the present series? Was it to, and could not? */
bool am_stiff_made(const am_motion *e);
bool am_stiff_failed(const am_motion *e);

/* Does it get on? */
am_status am_stiff_check(const am_motion *e, am_error *err);

/* ---- impacts of many contacts at once (impact_many.c) ---- */

/* Is this contact touched by the impact? */
bool am_impact_takes_part(const am_motion *engine, size_t contact);

/* Can it have a tangential impulse? Neither a stop nor a spring behind a slider can. */
static inline bool am_impact_rubs(const am_motion *engine, size_t contact) {
    return !engine->plan.system->stop[contact] && engine->plan.spring[contact] == AM_NO_ROW;
}

/* The states (engine->trial, of the contacts that take part) while the impulses act. *solved: there are any. */
am_status am_impact_states(am_motion *engine, bool elastic, bool *solved, am_error *err);

/* ---- Poisson's restitution (impact_expand.c) ---- */

/* v (n), after the compression in the combination k with the impulses engine->lambda, becomes the velocities after the
 * expansion, whose impulses are added to engine->impulse. */
am_status am_impact_expand(am_motion *engine, const am_combination *k, double *v, am_error *err);

/* Its derivative in the states found: v (n) before the impact, v_after after the compression with impulses lambda. */
void am_impact_expand_map(am_motion *engine, const am_combination *k, const double *lambda, const double *v,
                          am_belt belt, double *v_after);

/* ---- does the present state of contact last for ever? (finality.c) ---- */

/* The time from which the combination provably lasts for ever, if it lasts until then, starting from x at time t (x:
 * nx); INFINITY if no such time can be given. Memory is used only when a flow is asked for the first time. */
am_status am_finality_time(const am_plan *plan, am_flow *flow, double t, const double *x, double *when, am_error *err);

#endif
