#include "analyses/orbit/section_walk.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "engines/switching/switching.h"
#include "math/eigen.h"

/* Steps without any switch after which a self-excited motion is taken not to return. */
static const size_t most_quiet = 100000;

/* Switches elsewhere after which it is taken not to return either. */
static const size_t most_events = 5000;

bool am_walk_at_section(const am_motion *engine, const am_orbit_return *how) {
    if (how->section == AM_SECTION_MAXIMUM)
        return engine->at_maximum;
    for (size_t i = 0; i < am_motion_switches(engine); i++) {
        const am_switch *s = am_motion_switch(engine, i);
        if (s->contact == how->contact && s->from == how->from && s->to == how->to)
            return true;
    }
    return false;
}

double am_walk_horizon(const am_motion *engine) {
    /* A fault that creeps for months beside waves that pass in seconds needs some dozens of steps, not millions. */
    double periods = engine->flow->stepwise ? 1e8 : 100.0;
    return am_motion_time(engine) + periods / engine->plan.frequency;
}

am_status am_walk_start(am_motion *engine, const am_orbit_return *how, double t, const double *state, am_error *err) {
    AM_TRY(am_motion_start_state(engine, t, state, err));
    if (how->section == AM_SECTION_MAXIMUM)
        am_engine_watch(engine, how->coordinate);
    return AM_OK;
}

am_status am_walk_begin(am_walk *walk, am_motion *engine, const am_orbit_return *how, const double *state,
                        am_error *err) {
    *walk = (am_walk){.engine = engine, .how = how, .begin = how->start};
    AM_TRY(am_walk_start(engine, how, how->start, state, err));
    walk->until = am_walk_is_timed(how) ? how->start + (double)how->returns * how->period : am_walk_horizon(engine);
    /* A section where slip or separation begins is entered with the limit reached only up to rounding: the switch may
     * still be to come. */
    walk->armed = how->section == AM_SECTION_MAXIMUM ||
                  (how->section == AM_SECTION_SWITCH && am_motion_states(engine)[how->contact] != how->from);
    return AM_OK;
}

static void detect_return(am_walk *walk, am_step_kind kind) {
    walk->events += kind == AM_STEP_EVENT;
    if (!am_walk_at_section(walk->engine, walk->how))
        return;
    walk->quiet = 0;
    walk->events = 0;
    if (walk->armed)
        walk->returns++;
    walk->armed = true;
    walk->done = walk->returns >= walk->how->returns;
}

/* A motion that has come to rest or to steady sliding for good will not return. Asked now and then. */
static am_status check_steady(const am_walk *walk, am_error *err) {
    am_steady_state steady = {0};
    bool now = walk->quiet >= 256 && (walk->quiet & (walk->quiet - 1)) == 0 && walk->engine->flow->stepwise;
    AM_TRY(now ? am_engine_find_steady(walk->engine, &steady, err) : AM_OK);
    return steady.lasts ? am_fail(err, AM_ERR_LIMIT, "the motion comes to rest, or to steady sliding, for good")
                        : AM_OK;
}

am_status am_walk_step(am_walk *walk, am_step_kind *kind, am_error *err) {
    AM_TRY(am_motion_step(walk->engine, walk->until, kind, err));
    walk->quiet = am_motion_switches(walk->engine) > 0 ? 0 : walk->quiet + 1;
    if (am_walk_is_timed(walk->how)) {
        walk->done = !(am_motion_time(walk->engine) < walk->until);
        return AM_OK;
    }
    detect_return(walk, *kind);
    if (walk->events > most_events)
        return am_fail(err, AM_ERR_LIMIT, "the motion does not come back to the section within %zu switches",
                       most_events);
    AM_TRY(check_steady(walk, err));
    if (walk->quiet > most_quiet)
        return am_fail(err, AM_ERR_LIMIT, "%s between t = %g and t = %g",
                       walk->how->section == AM_SECTION_MAXIMUM ? "the coordinate that is looked at has had no maximum"
                                                                : "no contact has changed its state",
                       walk->begin, am_motion_time(walk->engine));
    if (!(am_motion_time(walk->engine) < walk->until))
        walk->until = am_walk_horizon(walk->engine);
    return AM_OK;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    return hash * 0xff51afd7ed558ccdu;
}

uint64_t am_walk_mix_switches(const am_motion *engine, uint64_t hash) {
    for (size_t i = 0; i < am_motion_switches(engine); i++) {
        const am_switch *s = am_motion_switch(engine, i);
        hash = mix(hash, ((uint64_t)s->contact << 4) | ((uint64_t)s->from << 2) | (uint64_t)s->to);
    }
    return hash;
}

double am_orbit_size(const am_motion *engine, const double *state) {
    double size = 0.0;
    for (size_t i = 0; i < am_motion_dimension(engine); i++)
        size = fmax(size, fabs(engine->plan.weight[i] * state[i]));
    return size;
}

double am_orbit_distance(const am_motion *engine, const double *a, const double *b) {
    double size = 0.0;
    for (size_t i = 0; i < am_motion_dimension(engine); i++)
        size = fmax(size, fabs(engine->plan.weight[i] * (a[i] - b[i])));
    return size;
}

bool am_orbit_all_stick(const am_contact_state *state, size_t m) {
    bool any = false;
    for (size_t c = 0; c < m; c++) {
        if (state[c] != AM_STICK && state[c] != AM_OPEN)
            return false;
        any |= state[c] == AM_STICK;
    }
    return any;
}

static void add_row(const am_motion *e, double *rows, size_t *count, const double *entries, size_t first,
                    size_t length) {
    double *row = rows + *count * e->plan.nd;
    memset(row, 0, e->plan.nd * sizeof *row);
    for (size_t i = 0; i < length; i++)
        row[first + i] = entries[i] / e->plan.weight[first + i];
    ++*count;
}

/* The stretch of a slider that slips is given by its limit, which may follow the state. */
static void add_limit(am_motion *e, double *rows, size_t *count, size_t c) {
    const double *w = e->plan.weight;
    size_t spring = 2 * e->plan.n + e->plan.spring[c];
    double *row = rows + *count * e->plan.nd;
    am_slider_limit_row(e, e->flow, c, row);
    for (size_t i = 0; i < e->plan.nd; i++)
        row[i] /= -w[i];
    row[spring] += 1.0 / w[spring];
    ++*count;
}

/* In a plane it lies on the circle |k e| = mu N: k^2 e.de = mu^2 N dN. */
static void add_circle(const am_motion *e, double *rows, size_t *count, size_t c) {
    const am_contact_def *contact = am_system_contact(e->plan.system, c);
    const double *w = e->plan.weight, *stretch = e->x + 2 * e->plan.n + e->plan.spring[c];
    size_t n = e->plan.n;
    double *row = rows + *count * e->plan.nd, k = contact->tangential_stiffness;
    double factor = contact->friction * contact->friction * am_engine_normal(e, c) / (k * k);
    add_row(e, rows, count, stretch, 2 * n + e->plan.spring[c], 2);
    for (size_t i = 0; am_contact_is_compliant(contact) && i < n; i++) {
        row[i] = factor * contact->contact_stiffness * contact->normal[i] / w[i];
        row[n + i] = factor * contact->contact_damping * contact->normal[i] / w[n + i];
    }
}

am_status am_orbit_basis(am_motion *engine, const am_contact_state *state, double *work, double *basis, size_t *count,
                         am_error *err) {
    am_motion *e = engine;
    const double one = 1.0;
    size_t n = e->plan.n, rows = 0;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = am_system_contact(e->plan.system, c);
        bool sprung = e->plan.spring[c] != AM_NO_ROW;
        if (am_friction_weakens(&contact->weakening)) /* the distance slid never goes back: an orbit keeps it */
            add_row(e, work, &rows, &one, 2 * n + e->plan.inner[c], 1);
        bool disc = am_plan_is_disc(&e->plan, c);
        if (!am_is_closed(state[c])) {
            if (sprung)
                add_row(e, work, &rows, &one, 2 * n + e->plan.spring[c], 1);
            if (disc)
                add_row(e, work, &rows, &one, 2 * n + e->plan.spring[c] + 1, 1);
            continue;
        }
        if (contact->normal_law == AM_UNILATERAL) {
            add_row(e, work, &rows, contact->normal, 0, n);
            add_row(e, work, &rows, contact->normal, n, n);
        }
        if (disc) {
            if (state[c] != AM_STICK)
                add_circle(e, work, &rows, c);
        } else if (sprung) {
            if (state[c] != AM_STICK)
                add_limit(e, work, &rows, c);
        } else if (state[c] == AM_STICK && !e->plan.system->stop[c]) {
            add_row(e, work, &rows, contact->tangent, n, n);
        }
    }
    return am_null_space(work, rows, e->plan.nd, basis, count, err);
}

void am_orbit_reduce_sensitivity(am_motion *engine, const double *basis, size_t count, double *work, double *reduced) {
    const double *phi = am_motion_sensitivity(engine), *w = engine->plan.weight;
    size_t d = am_motion_dimension(engine);
    for (size_t i = 0; i < d; i++) /* W Phi W^-1 Z^T */
        for (size_t b = 0; b < count; b++) {
            double sum = 0.0;
            for (size_t j = 0; j < d; j++)
                sum += phi[i * d + j] / w[j] * basis[b * d + j];
            work[i * count + b] = w[i] * sum;
        }
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            double sum = 0.0;
            for (size_t i = 0; i < d; i++)
                sum += basis[a * d + i] * work[i * count + b];
            reduced[a * count + b] = sum;
        }
}

bool am_walk_is_unheld(const am_motion *engine) {
    return engine->plan.m == 0 && engine->plan.followers == 0;
}
