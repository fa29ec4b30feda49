/* What is known of every contact at an instant, before the next state is chosen: does it touch, press, slide, hold? */
#include <float.h>
#include <math.h>

#include "engines/switching/switching.h"
#include "laws/law.h"
#include "math/dense.h"
#include "system/capability.h"

void am_engine_measure(am_motion *e) {
    e->size = am_plan_norm(&e->plan, e->x);
}

double am_engine_belt(const am_motion *e, size_t contact, am_belt belt) {
    const am_system *s = e->plan.system;
    if (belt == AM_BELT_ACCELERATES && s->drawn[contact])
        return am_dense_dot(s->surface_rate + contact * s->nz, e->x + e->plan.nd, s->nz);
    return belt == AM_BELT_MOVES ? am_engine_surface(e, contact) : 0.0;
}

double am_engine_raise(const am_motion *e, size_t contact, am_belt belt) {
    const am_system *s = e->plan.system;
    if (belt == AM_BELT_ACCELERATES && s->lifted[contact])
        return am_dense_dot(s->gap_bend + contact * s->nz, e->x + e->plan.nd, s->nz);
    return belt == AM_BELT_MOVES ? am_engine_lift(e, contact) : 0.0;
}

double am_engine_normal(const am_motion *e, size_t c) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    if (contact->normal_law == AM_HELD)
        return am_dense_dot(e->plan.system->hold + c * e->plan.nz, e->x + e->plan.nd, e->plan.nz);
    double depth = -am_engine_gap(e, c), rate = -am_engine_gap_rate(e, c);
    if (contact->normal_law == AM_KELVIN_VOIGT)
        return contact->contact_stiffness * depth + contact->contact_damping * rate;
    double factor = 1.0 + 1.5 * contact->contact_dissipation * rate;
    return depth > 0.0 ? contact->contact_stiffness * pow(depth, contact->contact_exponent) * factor : 0.0;
}

static int sign_of(double value, double rounding) {
    return value > rounding ? 1 : value < -rounding ? -1 : 0;
}

/* The direction in which a contact slides; without stick any velocity counts (am_quantity_is_sharp). */
static int slide_sign(const am_motion *e, size_t c) {
    if (e->plan.plain[c])
        return sign_of(am_engine_slide(e, c), am_engine_rounding(e, e->slide_dual[c]));
    if (am_plan_is_follower(&e->plan, c))
        return 0; /* it may jump: what follows is for the decision to say */
    bool sticks = am_law_sticks(&e->plan.system->contact[c].speed_friction);
    return sign_of(am_engine_slide(e, c), sticks ? am_engine_rounding(e, e->slide_dual[c]) : 0.0);
}

/* An open contact stands apart unless its gap has vanished; then its rate decides. */
static am_standing_kind standing_of_open(const am_motion *e, size_t c, bool vanished) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    double gap = am_engine_gap(e, c);
    double rounding = am_engine_rounding(e, e->gap_dual[c]) + 2.0 * e->zero * fabs(contact->gap);
    if (!vanished && gap > rounding)
        return AM_STANDS_APART;
    int rate = sign_of(am_engine_gap_rate(e, c), am_engine_rounding(e, e->rate_dual[c]));
    return rate > 0 ? AM_STANDS_LEAVING : rate < 0 ? AM_STANDS_CLOSING : AM_STANDS_TOUCHING;
}

bool am_engine_touches(const am_motion *e, size_t c) {
    return standing_of_open(e, c, false) == AM_STANDS_TOUCHING;
}

/* The force limit a spring behind a slider has reached. */
static int limit_of(const am_motion *e, size_t c, const am_quantity *trigger) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    size_t spring = 2 * e->plan.n + e->plan.spring[c];
    if (trigger && trigger->kind == AM_QUANTITY_UPPER)
        return 1;
    if (trigger && trigger->kind == AM_QUANTITY_LOWER)
        return -1;
    if (trigger && trigger->kind == AM_QUANTITY_DISC)
        return 1;
    if (contact->normal_law == AM_UNILATERAL) /* its normal force may jump: but for its own switch that is to be seen */
        return !trigger || am_contact_drops(contact) ? 0 : (int)am_slip_sign(e->state[c]);
    double T = am_plan_is_disc(&e->plan, c) ? am_disc_pull(e, c) : -contact->tangential_stiffness * e->x[spring];
    double most = am_engine_friction(e, c, true) * am_engine_normal(e, c);
    double rounding = am_engine_rounding(e, contact->tangential_stiffness / e->plan.weight[spring]);
    return most - T <= rounding ? 1 : most + T <= rounding ? -1 : 0; /* a pull in a plane is positive */
}

/* A quantity of the present flow, and by how much it may differ from zero by rounding; INFINITY where there is none. */
static double value_of(const am_motion *e, size_t c, am_quantity_kind kind, double *rounding) {
    for (size_t q = 0; q < e->flow->quantities; q++)
        if (e->flow->quantity[q].contact == c && e->flow->quantity[q].kind == kind) {
            *rounding = am_engine_rounding(e, e->flow->dual[q]);
            return am_extent_dot(&e->flow->row_extent[q], e->flow->row + q * e->plan.nx, e->x);
        }
    *rounding = 0.0;
    return INFINITY;
}

double am_engine_slider_velocity(const am_motion *e, size_t c, double *rounding) {
    double velocity = value_of(e, c, AM_QUANTITY_SLIDE, rounding);
    return isfinite(velocity) ? velocity : 0.0;
}

/* Does this slider slip along a limit whose rate contains accelerations, which jump wherever another contact switches or a
 * load jumps: that of a layer with a damper, or of a friction that depends on the speed? Or on a coordinate without mass,
 * where velocities jump? Then its own velocity, that of the bodies less the rate of the stretch, jumps as well. */
static bool slips_with_accelerations(const am_motion *e, size_t c) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    bool compliant = am_contact_is_compliant(contact);
    return e->state[c] != AM_STICK && contact->normal_law != AM_UNILATERAL &&
           (contact->speed_friction.law || (compliant && am_contact_is_damped(contact)) ||
            am_plan_is_follower(&e->plan, c));
}

/* A slider has no mass: what it may do next follows from its force and from its own velocity, not from that of the
 * structure. */
static void mark_slider(am_motion *e, size_t c, const am_quantity *trigger) {
    am_mark *mark = &e->mark[c];
    double rounding = 0.0;
    if (!am_is_closed(e->state[c]))
        return;
    mark->limit = limit_of(e, c, trigger);
    const am_contact_def *contact = &e->plan.system->contact[c];
    bool own = trigger && trigger->kind == AM_QUANTITY_SLIDE;
    if (!own && slips_with_accelerations(e, c)) {
        mark->shaken = true;
        mark->limit = am_plan_is_disc(&e->plan, c) ? 1 : (int)am_slip_sign(e->state[c]);
        return;
    }
    bool rigid =
        contact->normal_law == AM_UNILATERAL; /* its normal force may jump: but for static friction, limits decide */
    if (e->state[c] == AM_STICK || (rigid && !trigger && !am_contact_drops(contact)))
        return;
    double velocity = am_engine_slider_velocity(e, c, &rounding); /* first: it sets `rounding` */
    int moves = sign_of(velocity, rounding);
    if (own) { /* it vanishes, or jumps at a corner of its law */
        mark->reversed = moves < 0 && am_slider_is_curved(contact);
        return;
    }
    mark->reversed = moves < 0 && !rigid;
    if (moves > 0)
        mark->slide = e->state[c] == AM_FORWARD ? 1 : -1;
}

/* The same of a slider on a coordinate with neither mass nor damping. Its velocity may jump whenever another contact
 * switches: whether it slips on is for the decision to say. */
static void mark_creeping(am_motion *e, size_t c, const am_quantity *trigger) {
    double rounding;
    am_mark *mark = &e->mark[c];
    if (!am_is_closed(e->state[c]))
        return;
    double slip = am_slip_sign(e->state[c]);
    if (!am_contact_drops(&e->plan.system->contact[c]))
        mark->limit = (int)slip;
    else if (slip != 0.0 && !trigger && value_of(e, c, AM_QUANTITY_SLIDE, &rounding) > rounding)
        mark->slide = slip < 0.0 ? 1 : -1; /* the limit at rest lies beyond: it slips on if it can (stop_sliders) */
    if (trigger && trigger->kind == AM_QUANTITY_UPPER)
        mark->limit = 1;
    else if (trigger && trigger->kind == AM_QUANTITY_LOWER)
        mark->limit = -1;
    else if (e->state[c] == AM_STICK && value_of(e, c, AM_QUANTITY_UPPER, &rounding) <= rounding)
        mark->limit = 1;
    else if (e->state[c] == AM_STICK && value_of(e, c, AM_QUANTITY_LOWER, &rounding) <= rounding)
        mark->limit = -1;
}

/* The normal state of a rigid contact that presses on such a coordinate: pressed, or apart, or the next derivatives say. */
static void mark_leaning(am_motion *e, size_t c, const am_quantity *trigger) {
    am_mark *mark = &e->mark[c];
    bool open = !am_is_closed(e->state[c]);
    double rounding, value = value_of(e, c, open ? AM_QUANTITY_GAP : AM_QUANTITY_NORMAL, &rounding);
    rounding += open ? 2.0 * e->zero * fabs(e->plan.system->contact[c].gap) : 0.0;
    bool vanished = trigger && (trigger->kind == AM_QUANTITY_GAP || trigger->kind == AM_QUANTITY_NORMAL);
    bool apart = !vanished && value > rounding;
    mark->closes = open;
    mark->unpressed = !apart;
    mark->standing = apart ? AM_STANDS_APART : AM_STANDS_CLOSING;
    mark->normal = !apart ? AM_MAY_BE_OPEN | AM_MAY_BE_CLOSED : open ? AM_MAY_BE_OPEN : AM_MAY_BE_CLOSED;
}

bool am_contact_is_damped(const am_contact_def *contact) {
    return contact->normal_law == AM_KELVIN_VOIGT ? contact->contact_damping > 0.0 : contact->contact_dissipation > 0.0;
}

/* The sign of what presses a compliant contact that overlaps (add_press in flow.c). */
static int press_of(const am_motion *e, size_t c, double near, double slow) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    if (contact->normal_law == AM_KELVIN_VOIGT)
        return sign_of(am_engine_normal(e, c), contact->contact_stiffness * near + contact->contact_damping * slow);
    double loss = 1.5 * contact->contact_dissipation;
    return sign_of(1.0 - loss * am_engine_gap_rate(e, c), loss * slow + 4.0 * DBL_EPSILON);
}

/* Has its friction a deflection, whose rate divides by its normal force? */
static bool has_deflection(const am_motion *e, size_t c) {
    return e->plan.inner[c] != AM_NO_ROW && am_force_inner_is_directed(&e->plan, c, 0);
}

/* Has its friction vanished with the normal force, but for rounding? Dahl's does not if it is against the slip when the
 * surfaces part, Bouc and Wen's never does. */
static bool friction_vanished(const am_motion *e, size_t c) {
    static const double room = 64.0; /* friction may be some times the normal force */
    double rounding, T = am_dense_dot(e->flow->tangential + c * e->plan.nx, e->x, e->plan.nx);
    value_of(e, c, AM_QUANTITY_NORMAL, &rounding);
    return fabs(T) <= room * rounding;
}

double am_engine_edge(const am_motion *e, size_t c) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    const double least = 4.0, faint = 1e-11;
    bool follows = am_plan_is_follower(&e->plan, c) && e->plan.memories[c] > 0;
    if (!am_contact_creeps_behind(contact) && !follows)
        return least;
    return fmax(least, pow(faint, 1.0 / contact->contact_exponent) / e->zero);
}

/* What the normal state of a compliant contact may be, and how near to touching it is. What has vanished says it of
 * itself; otherwise depth, force and their signs do, and within rounding of zero the next derivative decides. */
static void mark_normal(am_motion *e, size_t c, const am_quantity *trigger) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    am_mark *mark = &e->mark[c];
    double depth = -am_engine_gap(e, c);
    double near = am_engine_rounding(e, e->gap_dual[c]) + 2.0 * e->zero * fabs(contact->gap);
    double slow = am_engine_rounding(e, e->rate_dual[c]);
    if (contact->normal_law == AM_HUNT_CROSSLEY && !am_law_sticks(&contact->speed_friction))
        near *= am_engine_edge(e, c);                /* it begins and parts beyond what counts as zero (span.c) */
    bool follows = am_plan_gap_follows(&e->plan, c); /* its rate may jump: what it is now is for the decision to say */
    int approach = follows ? 0 : sign_of(-am_engine_gap_rate(e, c), slow), inside = sign_of(depth, near);
    bool damped = am_contact_is_damped(contact);
    int pressed = press_of(e, c, near, slow);
    bool touched = trigger && trigger->kind == AM_QUANTITY_GAP,
         parted = trigger && trigger->kind == AM_QUANTITY_OVERLAP;
    bool relaxed = trigger && trigger->kind == AM_QUANTITY_NORMAL && !damped; /* its force is that of its depth */
    if (touched || parted || relaxed)
        inside = 0;
    if (trigger && (trigger->kind == AM_QUANTITY_NORMAL || trigger->kind == AM_QUANTITY_LAX))
        pressed = 0;
    mark->closes = !am_is_closed(e->state[c]);
    mark->standing = inside != 0    ? AM_STANDS_APART
                     : approach > 0 ? AM_STANDS_CLOSING
                     : approach < 0 ? AM_STANDS_LEAVING
                                    : AM_STANDS_TOUCHING;
    mark->released = pressed == 0;
    bool lifts = damped && contact->normal_law == AM_KELVIN_VOIGT; /* presses from the first instant, by its damper */
    mark->unpressed = lifts ? mark->released : inside <= 0 || (damped && mark->released);
    /* A force over a normal force has no value where neither has begun: another contact may close at this instant. */
    bool meets = mark->standing == AM_STANDS_TOUCHING || (mark->standing == AM_STANDS_CLOSING && mark->unpressed);
    mark->waits = mark->closes && meets && !touched && !am_law_sticks(&contact->speed_friction) &&
                  (has_deflection(e, c) || contact->tangential_stiffness > 0.0);
    if (inside < 0)
        mark->normal = AM_MAY_BE_OPEN;
    else if (inside > 0)
        mark->normal = damped && follows        ? AM_MAY_BE_CLOSED | AM_MAY_BE_LAX
                       : !damped || pressed > 0 ? AM_MAY_BE_CLOSED
                       : pressed < 0            ? AM_MAY_BE_LAX
                                                : AM_MAY_BE_CLOSED | AM_MAY_BE_LAX;
    else if (mark->waits)
        mark->normal = AM_MAY_BE_OPEN;
    else
        mark->normal = approach > 0   ? AM_MAY_BE_CLOSED
                       : approach < 0 ? AM_MAY_BE_OPEN
                                      : AM_MAY_BE_CLOSED | AM_MAY_BE_OPEN;
}

void am_engine_mark_compliant(am_motion *e) {
    for (size_t c = 0; c < e->plan.m && e->plan.compliant; c++)
        if (am_contact_is_compliant(&e->plan.system->contact[c])) {
            mark_normal(e, c, NULL);
            if (e->plan.spring[c] == AM_NO_ROW)
                e->mark[c].slide = slide_sign(e, c);
        }
}

void am_engine_mark_sliders(am_motion *e) {
    am_engine_load(e); /* their velocities follow from forces, which have jumped */
    for (size_t c = 0; c < e->plan.m; c++) {
        if (e->plan.spring[c] == AM_NO_ROW || e->plan.system->contact[c].normal_law == AM_UNILATERAL)
            continue;
        am_mark *mark = &e->mark[c];
        *mark = (am_mark){.standing = AM_STANDS_TOUCHING, .during = e->state[c], .before = e->state[c]};
        if (!am_is_closed(e->state[c]))
            continue;
        bool relaxes = am_slider_relax(e, c, &mark->during);
        mark_slider(e, c, NULL);
        mark->jumped = relaxes;
        mark->relaxed = relaxes && mark->before == AM_STICK;
        if (!relaxes && mark->before != AM_STICK && am_slider_is_slack(e, c)) { /* its limit is higher now: it holds */
            mark->slide = mark->limit = 0;
            mark->shaken = false;
            mark->reversed = true;
        }
    }
}

/* A surface whose velocity jumps leaves behind what stuck to it: only an impulse could take that along at once. */
static bool surface_jumps(const am_motion *e, size_t c, bool at_break) {
    return at_break && e->plan.system->drawn[c] &&
           fabs(am_engine_slide(e, c)) > am_engine_rounding(e, e->slide_dual[c]);
}

/* Of a contact that is not plain: what presses it. True where its normal force follows from positions. */
static bool mark_soft(am_motion *e, size_t c, const am_quantity *trigger) {
    am_mark *mark = &e->mark[c];
    bool soft = am_plan_is_soft(&e->plan, c), unilateral = e->plan.system->contact[c].normal_law == AM_UNILATERAL;
    bool lost = unilateral && trigger && trigger->kind == AM_QUANTITY_NORMAL && has_deflection(e, c);
    if (unilateral && trigger && trigger->kind == AM_QUANTITY_NORMAL)
        mark->released =
            !am_law_sticks(&e->plan.system->contact[c].speed_friction); /* (switches_at_rounding, span.c) */
    mark->ceases = lost && friction_vanished(e, c);
    mark->forgets = lost && !mark->ceases;
    if (mark->rests && am_plan_is_follower(&e->plan, c) &&
        am_law_sticks(&e->plan.system->contact[c].speed_friction)) /* another velocity is another force: it jumps */
        mark->heads = trigger->kind == AM_QUANTITY_UPPER || e->state[c] == AM_BACKWARD ? -1 : 1;
    if (am_plan_leans(&e->plan, c))
        mark_leaning(e, c, trigger);
    else if (soft)
        mark_normal(e, c, trigger);
    if (am_plan_is_disc(&e->plan, c) && mark->closes) {
        am_disc_prepare(e, c);
        mark->sets_off = mark->unpressed && am_disc_slips_at_once(e, c);
    }
    return soft;
}

void am_engine_mark(am_motion *e, const am_quantity *trigger, bool at_break) {
    for (size_t c = 0; c < e->plan.m; c++) {
        am_mark *mark = &e->mark[c];
        bool vanished = trigger && trigger->contact == c;
        *mark = (am_mark){.standing = AM_STANDS_TOUCHING, .during = e->state[c], .before = e->state[c]};
        mark->rests = vanished && trigger->kind >= AM_QUANTITY_UPPER && trigger->kind <= AM_QUANTITY_SLIDE;
        bool plain = e->plan.plain[c], soft = !plain && mark_soft(e, c, vanished ? trigger : NULL);
        if (e->state[c] == AM_OPEN && !soft)
            mark->standing = standing_of_open(e, c, vanished && trigger->kind == AM_QUANTITY_GAP);
        else if (at_break && !soft && e->plan.system->lifted[c]) /* the velocity of its support may jump */
            mark->standing = standing_of_open(e, c, true);
        if (!plain && am_plan_is_slider(&e->plan, c)) {
            (e->plan.spring[c] != AM_NO_ROW ? mark_slider : mark_creeping)(e, c, vanished ? trigger : NULL);
            continue;
        }
        bool at_rest = (e->state[c] == AM_STICK && !surface_jumps(e, c, at_break)) ||
                       (vanished && trigger->kind == AM_QUANTITY_SLIDE && !am_engine_turns(e, trigger));
        if (!at_rest)
            mark->slide = slide_sign(e, c);
    }
}

/* A contact that leaves, whose gap no longer opens, touches; one whose sliding velocity is zero or has turned rests. */
static bool mark_is_lost(const am_motion *e, size_t c, am_mark *mark) {
    bool lost = false, compliant = mark->normal != 0;
    if (!compliant && mark->standing == AM_STANDS_LEAVING &&
        sign_of(am_engine_gap_rate(e, c), am_engine_rounding(e, e->rate_dual[c])) <= 0) {
        mark->standing = AM_STANDS_TOUCHING;
        lost = true;
    }
    bool touches = compliant ? (mark->normal & AM_MAY_BE_CLOSED) != 0 : mark->standing == AM_STANDS_TOUCHING;
    if (touches && mark->slide != 0 && slide_sign(e, c) != mark->slide) {
        mark->slide = 0;
        lost = true;
    }
    return lost;
}

bool am_engine_mark_lost(am_motion *e) {
    bool any = false;
    for (size_t c = 0; c < e->plan.m; c++)
        if (!am_plan_is_slider(&e->plan, c))
            any |= mark_is_lost(e, c, &e->mark[c]);
    return any;
}
