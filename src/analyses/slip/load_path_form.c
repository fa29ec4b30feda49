/* Paths of P and Q in closed form: superposition of flats (docs/halfplane.md, section 4). */
#include <math.h>

#include "analyses/slip/load_path.h"
#include "base/local.h"
#include "math/dense.h"
#include "math/pi.h"

/* ---- The walk ---- */

typedef struct closed_form {
    am_superposition s;
    double widest; /* half-width of the contact on its path */
} closed_form;

static am_status step(void *engine, double P, double Q, am_error *err) {
    return am_superposition_step(&((closed_form *)engine)->s, P, Q, err);
}

static am_slip_point_of_path observe(const void *engine) {
    const am_superposition *s = &((const closed_form *)engine)->s;
    double a = am_superposition_half_width(s);
    return (am_slip_point_of_path){.P = s->P,
                                   .Q = s->Q,
                                   .displacement = am_superposition_displacement(s),
                                   .approach = s->profile.kind->approach(s->profile.data, a),
                                   .a = a,
                                   .c = am_superposition_stick(s),
                                   .lost = s->lost};
}

static am_contact_state state_at(const am_superposition *s, double x) {
    if (!(fabs(x) < am_superposition_half_width(s)))
        return AM_OPEN;
    bool stuck = s->sense == 0.0 || fabs(x) <= am_superposition_stick(s);
    return stuck ? AM_STICK : s->sense > 0.0 ? AM_FORWARD : AM_BACKWARD;
}

/* Places are dense where the widest contact ends, but never there. */
static am_slip_seen look(const void *engine, size_t place, size_t places) {
    const closed_form *e = engine;
    const am_superposition *s = &e->s;
    double x = -e->widest * cos(pi * ((double)place + 0.5) / (double)places);
    am_contact_state state = state_at(s, x);
    bool open = state == AM_OPEN;
    return (am_slip_seen){.x = x,
                          .p = open ? 0.0
                                    : s->profile.kind->pressure(s->profile.data, x, am_superposition_half_width(s)),
                          .q = open ? 0.0 : am_superposition_shear(s, x),
                          .state = state};
}

static double widest_on(const am_slip_route *route, const am_profile *profile) {
    double P = 0.0;
    for (size_t i = 0; i < route->count; i++)
        P = fmax(P, route->corner[i].P);
    return profile->kind->half_width(profile->data, P);
}

/* The walk by superposition, for its tables alone. */
static am_status walk_superposition(const am_slip_route *route, am_profile profile, size_t places, am_result *result,
                                    const am_progress *progress, am_error *err) {
    closed_form e = {.widest = widest_on(route, &profile)};
    am_status status = am_superposition_start(&e.s, profile, route->f, err);
    am_slip_walker walker = {.engine = &e, .places = places, .look = look, .step = step, .observe = observe};
    if (status == AM_OK)
        status = am_slip_walk(route, &walker, result, progress, err);
    am_superposition_end(&e.s);
    return status;
}

am_status am_slip_loop(const am_slip_state *state, const am_slip_options *options, am_result *result, am_error *err) {
    AM_LOCAL(am_slip_route_free) am_slip_route route = {0};
    AM_TRY(am_slip_route_of_turns(&route, state->contact, options, err));
    return walk_superposition(&route, state->griffith.profile, 0, result, NULL, err);
}

/* To the given part of the last leg, corner by corner. */
static am_status follow(am_superposition *s, const am_slip_route *route, double part, am_error *err) {
    for (size_t i = 0; i + 1 < route->count; i++)
        AM_TRY(am_superposition_move(s, route->corner[i].P, route->corner[i].Q, err));
    am_slip_corner to = route->corner[route->count - 1];
    if (part < 1.0) {
        to.P = s->P + part * (to.P - s->P);
        to.Q = s->Q + part * (to.Q - s->Q);
    }
    return am_superposition_move(s, to.P, to.Q, err);
}

/* ---- What it looks like at the end ---- */

/* Halfway along the last leg the contact may be wider: evidence asks beyond the end, too. */
static double pressure(const am_slip_state *state, double x) {
    const am_profile *profile = &state->griffith.profile;
    return fabs(x) < state->a ? profile->kind->pressure(profile->data, x, state->a) : 0.0;
}

static double shear_of(const am_superposition *s, double x) {
    return fabs(x) < am_superposition_half_width(s) ? am_superposition_shear(s, x) : 0.0;
}

static double shear(const am_slip_state *state, double x) {
    return shear_of(&state->walked->now, x);
}

/* Where a leg meets the load N at which x is at the edge of the contact. */
static am_status go_to_edge(am_superposition *s, const am_slip_corner *to, double N, am_error *err) {
    double part = (N - s->P) / (to->P - s->P);
    return am_superposition_move(s, N, s->Q + part * (to->Q - s->Q), err);
}

/* x slips while it is in contact: from where its edge passes by to where it comes back. The whole path again, for each
 * x; nothing is lost by stopping on the way, since steps are exact. */
static double slip(const am_slip_state *state, double x) {
    const am_slip_route *route = &state->walked->route;
    am_superposition *s = &state->walked->scratch;
    const am_profile *profile = &s->profile;
    double N = profile->kind->load(profile->data, fabs(x)), start = 0.0, sum = 0.0;
    am_error ignored = {0};
    am_superposition_restart(s);
    for (size_t i = 0; i < route->count; i++) {
        const am_slip_corner *to = &route->corner[i];
        bool closes = s->P < N && to->P >= N, opens = s->P >= N && to->P < N;
        if ((closes || opens) && go_to_edge(s, to, N, &ignored) != AM_OK)
            return NAN;
        if (closes)
            start = am_superposition_relative(s, x);
        if (opens)
            sum += am_superposition_relative(s, x) - start;
        if (am_superposition_move(s, to->P, to->Q, &ignored) != AM_OK)
            return NAN;
    }
    return s->P >= N ? sum + am_superposition_relative(s, x) - start : sum;
}

static void transforms(const am_slip_state *state, double x, double z, am_transform *p, am_transform *q) {
    const am_profile *profile = &state->griffith.profile;
    *p = profile->kind->transform(profile->data, x, z, state->a);
    *q = am_superposition_transform(&state->walked->now, x, z);
}

static bool no_point(const am_slip_state *state, double ratio, am_slip_point *point) {
    (void)state, (void)ratio, (void)point;
    return false;
}

static const am_slip_kind kind = {pressure, shear, slip, transforms, no_point};

/* ---- Evidence ---- */

double am_slip_walked_change(const am_slip_state *state, double x) {
    const am_slip_walked *w = state->walked;
    return shear_of(&w->now, x) - shear_of(&w->half, x);
}

double am_slip_walked_advance(const am_slip_state *state, double x) {
    const am_slip_walked *w = state->walked;
    if (!(fabs(x) < fmin(state->a, am_superposition_half_width(&w->half))))
        return 0.0;
    double change = am_superposition_relative(&w->now, x) - am_superposition_relative(&w->half, x);
    double rounding = 1e-12 * w->now.friction * fabs(w->now.profile.kind->slip(w->now.profile.data, state->a, 0.0));
    return fabs(change) < rounding ? 0.0 : change;
}

static void add_edges(am_slip_walked *w, const am_superposition *s) {
    const am_profile *profile = &s->profile;
    for (size_t i = 0; i < s->count; i++) {
        double edge = profile->kind->half_width(profile->data, s->layer[i].top);
        w->edge[w->edge_count++] = edge;
        w->edge[w->edge_count++] = -edge;
    }
}

/* Tractions have kinks at the tops of layers, and a wedge one in the middle. */
static am_status find_edges(am_slip_walked *w, double a, am_error *err) {
    w->edge = am_memory_new(2 * (w->now.count + w->half.count) + 1, sizeof *w->edge, err);
    if (!w->edge)
        return AM_ERR_MEMORY;
    w->edge[w->edge_count++] = 0.0;
    add_edges(w, &w->now);
    add_edges(w, &w->half);
    am_dense_sort(w->edge, w->edge_count);
    size_t kept = 1;
    for (size_t i = 1; i < w->edge_count; i++) /* thinner parts than this hold nothing */
        if (w->edge[i] - w->edge[kept - 1] > 1e-13 * a)
            w->edge[kept++] = w->edge[i];
    w->edge_count = kept;
    return AM_OK;
}

/* ---- The question ---- */

void am_slip_walked_free(am_slip_walked *walked) {
    if (!walked)
        return;
    am_slip_route_free(&walked->route);
    am_superposition_end(&walked->now);
    am_superposition_end(&walked->half);
    am_superposition_end(&walked->scratch);
    am_memory_free(walked->edge);
    am_memory_free(walked);
}

static void describe(am_slip_state *state) {
    am_slip_walked *w = state->walked;
    double a = am_superposition_half_width(&w->now), c = w->now.sense == 0.0 ? a : am_superposition_stick(&w->now);
    state->contact = &w->contact;
    state->kind = &kind;
    state->Q = w->now.Q;
    state->a = state->to = a;
    state->from = -a;
    state->stick_to = c;
    state->stick_from = -c;
    state->still = fmin(c, am_superposition_half_width(&w->half));
    state->backward = w->now.sense < 0.0;
    state->intensity = 0.0;
    state->limits.onset = NAN; /* depends on where the path goes on to */
    state->point =
        (am_slip_point){.share = w->now.Q / (w->contact.f * w->contact.P), .c = c / a, .b = NAN, .l = 1.0 - c / a};
}

am_status am_slip_solve_path(am_slip_state *state, const am_slip_contact *contact, const am_slip_options *options,
                             am_result *result, const am_progress *progress, am_error *err) {
    AM_TRY(am_slip_solve_profile(state, contact, 0.0, NAN, err));
    am_slip_walked *w = am_memory_new(1, sizeof *w, err);
    if (!w)
        return AM_ERR_MEMORY;
    state->walked = w;
    w->contact = am_slip_path_end(contact, options);
    am_profile profile = state->griffith.profile;
    AM_TRY(am_slip_route_of_path(&w->route, contact, options, err));
    AM_TRY(walk_superposition(&w->route, profile, options->profiles, result, progress, err));
    AM_TRY(am_superposition_start(&w->now, profile, contact->f, err));
    AM_TRY(am_superposition_start(&w->half, profile, contact->f, err));
    AM_TRY(am_superposition_start(&w->scratch, profile, contact->f, err));
    AM_TRY(follow(&w->now, &w->route, 1.0, err));
    AM_TRY(follow(&w->half, &w->route, 0.5, err));
    describe(state);
    return find_edges(w, state->a, err);
}
