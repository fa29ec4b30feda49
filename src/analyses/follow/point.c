#include "analyses/follow/point.h"
#include "analyses/orbit/section_walk.h"
#include "base/local.h"

#include <math.h>
#include <string.h>

#include "engines/switching/switching.h"
#include "math/dense.h"

/* Neighbouring orbits differ by less than this part of their state and period. */
static const double jump = 0.3;

/* Once around from the section an orbit must come back to this part of its size: where it repels so strongly that
 * rounding is carried farther, it is not known well enough to be a point of a branch. */
static const double worst_closing = 1e-9;

void am_follow_clear(am_follow_point *x) {
    am_orbit_clear(&x->orbit);
    *x = (am_follow_point){0};
}

void am_follow_move(am_follow_point *to, am_follow_point *from) {
    am_orbit_clear(&to->orbit);
    *to = *from;
    from->orbit = (am_orbit){0};
}

am_status am_follow_copy(const am_follow_point *from, am_follow_point *to, am_error *err) {
    const am_orbit *o = &from->orbit;
    size_t d = o->dimension;
    am_orbit_clear(&to->orbit);
    *to = *from;
    am_orbit *copy = &to->orbit;
    copy->state = am_memory_doubles(o->state, d, err);
    copy->multiplier_re = am_memory_doubles(o->multiplier_re, d, err);
    copy->multiplier_im = am_memory_doubles(o->multiplier_im, d, err);
    copy->switch_times = am_memory_new(o->switches, sizeof(double), err);
    copy->contact = am_memory_new(from->contacts, sizeof *copy->contact, err);
    copy->sequence = am_memory_text(o->sequence, err);
    if (!copy->state || !copy->multiplier_re || !copy->multiplier_im || !copy->switch_times || !copy->contact ||
        !copy->sequence) {
        am_follow_clear(to);
        return AM_ERR_MEMORY;
    }
    if (o->switches > 0)
        memcpy(copy->switch_times, o->switch_times, o->switches * sizeof(double));
    if (from->contacts > 0)
        memcpy(copy->contact, o->contact, from->contacts * sizeof *copy->contact);
    return AM_OK;
}

/* ---- the system at one value ---- */

am_status am_follow_open(const am_model_line *line, double p, am_follow_system *opened, am_error *err) {
    *opened = (am_follow_system){NULL, NULL};
    AM_TRY(am_model_line_at(line, p, &opened->system, err));
    opened->engine = am_motion_create(opened->system, true, err);
    return opened->engine ? AM_OK : err->status;
}

void am_follow_shut(am_follow_system *opened) {
    am_motion_free(opened->engine);
}

/* ---- guesses ---- */

/* Add to x the shortest change that makes row.x = value. */
static void meet(const double *row, size_t n, double value, double *x) {
    double square = am_dense_dot(row, row, n), missing = value - am_dense_dot(row, x, n);
    for (size_t i = 0; i < n && square > 0.0; i++)
        x[i] += missing / square * row[i];
}

/* A slider in a plane that slips is on its circle, one that sticks inside; pressed by a spring it is left as it is. */
static void admit_plane(const am_contact_def *contact, am_contact_state state, double t, double *stretch) {
    double most = contact->friction * am_function_at(&contact->hold, t) / contact->tangential_stiffness;
    double length = hypot(stretch[0], stretch[1]);
    if (contact->normal_law != AM_HELD || !(length > 0.0) || (state == AM_STICK && length <= most))
        return;
    stretch[0] *= most / length;
    stretch[1] *= most / length;
}

/* No spring pulls harder than friction holds under the normal force of the guess. That of a rigid contact follows from all
 * others: there the guess stays as it is, and the start decides. */
static void admit_slider(am_motion *engine, size_t c, am_contact_state state, double t, double *guess) {
    const am_plan *plan = &engine->plan;
    const am_contact_def *contact = am_system_contact(plan->system, c);
    double *stretch = guess + 2 * plan->n + plan->spring[c];
    if (contact->normal_law == AM_UNILATERAL)
        return;
    memcpy(engine->x, guess, plan->nd * sizeof *guess);
    am_system_inputs(plan->system, t, engine->x + plan->nd);
    bool slips = am_slip_sign(state) != 0.0;
    double most =
        am_engine_friction(engine, c, !slips) * fmax(0.0, am_engine_normal(engine, c)) / contact->tangential_stiffness;
    *stretch = slips ? -am_slip_sign(state) * most : fmax(-most, fmin(most, *stretch));
}

/* What one contact asks of a guess: one that is open does not penetrate, one that is closed touches and does not open,
 * one that sticks does not slide, and no spring pulls harder than friction holds. */
static void admit(am_motion *engine, size_t c, am_contact_state state, double t, double *guess) {
    const am_plan *plan = &engine->plan;
    const am_contact_def *contact = am_system_contact(plan->system, c);
    size_t n = plan->n;
    double *q = guess, *v = guess + n;
    if (contact->normal_law == AM_UNILATERAL) {
        double surface = -am_system_gap_at(plan->system, c, t);
        if (state != AM_OPEN || am_dense_dot(contact->normal, q, n) < surface)
            meet(contact->normal, n, surface, q);
        if (state != AM_OPEN)
            meet(contact->normal, n, -am_system_gap_rate_at(plan->system, c, t), v);
    }
    if (am_plan_is_disc(plan, c)) {
        admit_plane(contact, state, t, guess + 2 * n + plan->spring[c]);
    } else if (plan->spring[c] != AM_NO_ROW) {
        admit_slider(engine, c, state, t, guess);
    } else if (state == AM_STICK) {
        meet(contact->tangent, n, am_system_surface_at(plan->system, c, t), v);
    }
}

/* A guess is a straight line through earlier orbits, and may leave what contacts allow. Contacts that share coordinates
 * are satisfied in turns. */
static void make_admissible(am_motion *engine, const am_follow_point *like, double t, double *guess) {
    enum { ROUNDS = 20 };
    for (int round = 0; round < ROUNDS; round++)
        for (size_t c = 0; c < engine->plan.m; c++)
            admit(engine, c, like->orbit.contact ? like->orbit.contact[c] : AM_OPEN, t, guess);
}

/* ---- walking around ---- */

static double approach_speed(const am_motion *engine, const am_switch *s) {
    if (s->cause != AM_CAUSE_IMPACT)
        return 0.0;
    const am_contact_def *contact = am_system_contact(engine->plan.system, s->contact);
    double before = am_dense_dot(contact->normal, am_motion_velocity_before(engine), engine->plan.n);
    return fmax(0.0, -before - am_engine_lift(engine, s->contact));
}

/* A contact has come to rest after infinitely many bounces. How many of them were told apart is a matter of rounding:
 * they do not count as switches. */
static void forget_bounces(am_follow_point *x, size_t contact) {
    size_t kept = x->count;
    for (size_t i = x->count; i-- > 0;) {
        const am_follow_event *e = &x->events[i];
        if (e->contact == contact && !(e->from == AM_OPEN && e->to == AM_OPEN))
            break;
        if (e->contact == contact) {
            memmove(&x->events[i], &x->events[i + 1], (kept - i - 1) * sizeof *x->events);
            kept--;
        }
    }
    x->count = kept;
}

static void collect(am_follow_point *x, const am_motion *engine) {
    for (size_t i = 0; i < am_motion_switches(engine) && x->count < AM_FOLLOW_MOST_EVENTS; i++) {
        const am_switch *s = am_motion_switch(engine, i);
        if (s->cause == AM_CAUSE_ZENO)
            forget_bounces(x, s->contact);
        x->events[x->count++] = (am_follow_event){.contact = s->contact,
                                                  .from = s->from,
                                                  .to = s->to,
                                                  .t = am_motion_time(engine) - x->how.start,
                                                  .speed = approach_speed(engine, s)};
    }
}

static double largest(const double *a, const double *b, size_t n) {
    double size = 0.0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(a[i] - (b ? b[i] : 0.0)));
    return size;
}

/* Once around the orbit, event by event. */
static am_status walk(am_follow_point *x, am_motion *engine, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    double end = x->how.start + x->orbit.period * (1.0 + 1e-12);
    x->count = 0;
    x->size = largest(x->orbit.state, NULL, x->orbit.dimension);
    AM_TRY(am_motion_start_state(engine, x->how.start, x->orbit.state, err));
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(engine, end, &kind, err));
        collect(x, engine);
        x->size = fmax(x->size, largest(am_motion_state(engine), NULL, x->orbit.dimension));
    }
    return AM_OK;
}

/* The switch farthest in time from its neighbours. */
static size_t loneliest_switch(const am_follow_point *x) {
    size_t best = 0;
    double widest = -1.0;
    for (size_t i = 0; i < x->count; i++) {
        double before = i > 0 ? x->events[i].t - x->events[i - 1].t : x->events[i].t;
        double after =
            i + 1 < x->count ? x->events[i + 1].t - x->events[i].t : x->orbit.period - x->events[i].t + x->events[0].t;
        if (fmin(before, after) > widest) {
            widest = fmin(before, after);
            best = i;
        }
    }
    return best;
}

static void stand_here(am_follow_point *x, const am_motion *engine) {
    memcpy(x->orbit.state, am_motion_state(engine), x->orbit.dimension * sizeof *x->orbit.state);
    memcpy(x->orbit.contact, am_motion_states(engine), x->contacts * sizeof *x->orbit.contact);
}

/* Self-excited: the loneliest switch makes the safest section. */
static am_status choose_switch(am_follow_point *x, am_motion *engine, am_error *err) {
    if (x->count < 2)
        return AM_OK;
    size_t best = loneliest_switch(x), passed = 0;
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(engine, x->how.start, x->orbit.state, err));
    while (passed <= best && kind != AM_STEP_END) {
        AM_TRY(am_motion_step(engine, x->how.start + 2.0 * x->orbit.period, &kind, err));
        passed += am_motion_switches(engine);
    }
    if (passed <= best)
        return AM_OK;
    const am_follow_event chosen = x->events[best];
    x->how.section = AM_SECTION_SWITCH;
    x->how.contact = chosen.contact;
    x->how.from = chosen.from;
    x->how.to = chosen.to;
    x->how.returns = 0;
    for (size_t i = 0; i < x->count; i++)
        x->how.returns +=
            x->events[i].contact == chosen.contact && x->events[i].from == chosen.from && x->events[i].to == chosen.to;
    stand_here(x, engine);
    return walk(x, engine, err);
}

/* The longest interval without a switch, cyclic: it ends at *end after the section. Returns its length; the present
 * section lies in it with *margin on the nearer side, or not at all (0). */
static double longest_quiet(const am_follow_point *x, double *end, double *margin) {
    double longest = 0.0, period = x->orbit.period;
    *margin = fmin(x->events[0].t, period - x->events[x->count - 1].t);
    for (size_t i = 0; i < x->count; i++) {
        double before = i > 0 ? x->events[i - 1].t : x->events[x->count - 1].t - period;
        if (x->events[i].t - before > longest) {
            longest = x->events[i].t - before;
            *end = x->events[i].t;
        }
    }
    return longest;
}

/* Forced: a switch that passes the phase of the section makes the state there jump (an impact turns the velocity),
 * though the orbit does not. Before that happens the section moves into the middle of the longest interval without a
 * switch. */
static am_status choose_phase(am_follow_point *x, am_motion *engine, am_error *err) {
    double end = 0.0, margin = 0.0, longest = x->count > 0 ? longest_quiet(x, &end, &margin) : 0.0;
    if (x->count == 0 || margin > 0.1 * longest)
        return AM_OK;
    double offset = end - 0.5 * longest, start = x->how.start + (offset > 0.0 ? offset : offset + x->orbit.period);
    AM_TRY(am_motion_start_state(engine, x->how.start, x->orbit.state, err));
    AM_TRY(am_engine_run_until(engine, start, err));
    x->how.start = x->orbit.start = start;
    stand_here(x, engine);
    return walk(x, engine, err);
}

/* ---- closing ---- */

/* While the sequence of switches stays the same a branch is smooth: it does not leave the line through its last two
 * orbits by more than it went along it. Another branch, next to a fold for instance, would be nearer than a neighbour
 * must be. An expectation that is the last state itself says nothing. */
static bool is_expected(const am_follow_point *x, const am_follow_point *last, const double *expected) {
    size_t d = x->orbit.dimension;
    if (expected == last->orbit.state || !am_follow_same_section(x, last) || !am_follow_same_sequence(x, last))
        return true;
    return largest(x->orbit.state, expected, d) <= largest(expected, last->orbit.state, d) + 1e-4 * x->size;
}

/* expected: NULL, or where a neighbour of `like` should be, seen at its phase (forced) or switch (if that is still the
 * best one). */
static am_status close_with(const am_follow_system *at, const am_follow_point *like, const double *guess,
                            const double *expected, am_follow_point *x, am_error *err) {
    const am_orbit_return *how = &like->how;
    if (how->section == AM_SECTION_PERIOD) { /* the loads' period may depend on the parameter; keep the phase */
        x->how.period = am_orbit_load_period(at->system);
        x->how.start = how->start * x->how.period / how->period;
    }
    if (how->section == AM_SECTION_FREE && like->orbit.period > 0.0)
        x->how.period = like->orbit.period / (double)how->returns;
    AM_LOCAL_MEMORY double *admissible = am_memory_doubles(guess, am_motion_dimension(at->engine), err);
    if (!admissible)
        return AM_ERR_MEMORY;
    make_admissible(at->engine, like, x->how.start, admissible);
    AM_TRY(am_orbit_close(at->engine, &x->how, admissible, &x->orbit, err));
    if (!(x->orbit.closing <= worst_closing))
        return am_fail(err, AM_ERR_LIMIT,
                       "the orbit repels its neighbours too strongly (multiplier %.3g): it closes to %.3g of its size",
                       x->orbit.multiplier, x->orbit.closing);
    AM_TRY(am_motion_follow_sensitivity(at->engine, false, err));
    AM_TRY(walk(x, at->engine, err));
    bool forced = how->section == AM_SECTION_PERIOD;
    if (!forced)
        AM_TRY(choose_switch(x, at->engine, err));
    if (expected && !(am_follow_is_neighbour(x, like) && is_expected(x, like, expected)))
        return am_fail(err, AM_ERR_LIMIT, "the orbit found at %g is another one", x->p);
    return forced ? choose_phase(x, at->engine, err) : AM_OK;
}

static am_status close_at(const am_model_line *line, double p, const am_follow_point *like, const double *guess,
                          const double *expected, am_follow_point *x, am_error *err) {
    am_follow_system at;
    *x = (am_follow_point){.p = p, .how = like->how};
    am_status status = am_follow_open(line, p, &at, err);
    if (!status) {
        x->contacts = am_system_contacts(at.system);
        status = close_with(&at, like, guess, expected, x, err);
        if (status && status != AM_ERR_MEMORY && status != AM_ERR_INTERRUPTED)
            status = err->status = AM_ERR_LIMIT;
    }
    am_follow_shut(&at);
    if (status)
        am_follow_clear(x);
    return status;
}

am_status am_follow_close(const am_model_line *line, double p, const am_follow_point *like, const double *guess,
                          am_follow_point *x, am_error *err) {
    return close_at(line, p, like, guess, NULL, x, err);
}

bool am_follow_same_section(const am_follow_point *a, const am_follow_point *b) {
    const am_orbit_return *x = &a->how, *y = &b->how;
    if (x->section == AM_SECTION_PERIOD && y->section == AM_SECTION_PERIOD) {
        double shift = x->start / x->period - y->start / y->period;
        return x->returns == y->returns && fabs(shift - round(shift)) < 1e-9;
    }
    bool same = x->section == y->section && x->returns == y->returns;
    if (x->section == AM_SECTION_SWITCH)
        return same && x->contact == y->contact && x->from == y->from && x->to == y->to;
    return same && (x->section == AM_SECTION_FREE || x->coordinate == y->coordinate);
}

double am_follow_difference(const am_follow_point *a, const am_follow_point *b) {
    size_t d = a->orbit.dimension;
    const double *x = a->orbit.state, *y = b->orbit.state;
    double periods = fabs(a->orbit.period - b->orbit.period) / fmax(a->orbit.period, b->orbit.period);
    if (!am_follow_same_section(a, b))
        return periods;
    double size = fmax(a->size, b->size), states = size > 0.0 ? largest(x, y, d) / size : 0.0;
    return am_orbit_is_self_excited(&a->how) ? fmax(periods, states) : states;
}

bool am_follow_is_neighbour(const am_follow_point *x, const am_follow_point *last) {
    if (x->how.section == AM_SECTION_PERIOD && x->orbit.returns != last->orbit.returns)
        return false;
    return am_follow_difference(x, last) <= jump;
}

am_status am_follow_close_near(const am_model_line *line, double p, const am_follow_point *last,
                               const am_follow_point *before, am_follow_point *x, am_error *err) {
    bool two = before && before->orbit.state && am_follow_same_section(last, before) && last->p != before->p;
    bool smooth = two && am_follow_same_sequence(last, before);
    size_t d = last->orbit.dimension;
    const double *here = last->orbit.state;
    double *guess = am_memory_doubles(here, d, err);
    if (!guess)
        return AM_ERR_MEMORY;
    for (size_t i = 0; two && i < d; i++)
        guess[i] += (p - last->p) / (last->p - before->p) * (here[i] - before->orbit.state[i]);
    am_status status = close_at(line, p, last, guess, smooth ? guess : here, x, err);
    if (status == AM_ERR_LIMIT && two)
        status = close_at(line, p, last, here, smooth ? guess : here, x, err);
    am_memory_free(guess);
    return status;
}

/* ---- sequences ---- */

static bool same_kind(const am_follow_event *a, const am_follow_event *b) {
    return a->contact == b->contact && a->from == b->from && a->to == b->to;
}

bool am_follow_same_sequence(const am_follow_point *a, const am_follow_point *b) {
    if (a->count != b->count)
        return false;
    for (size_t shift = 0; shift < a->count || shift == 0; shift++) {
        size_t i = 0;
        while (i < a->count && same_kind(&a->events[i], &b->events[(i + shift) % b->count]))
            i++;
        if (i == a->count)
            return true;
    }
    return false;
}
