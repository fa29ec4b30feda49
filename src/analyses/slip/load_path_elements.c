/* Paths of P and Q by boundary elements. */
#include <math.h>
#include <string.h>

#include "analyses/slip/elements.h"
#include "base/local.h"

typedef struct elements {
    am_bem *bem;
    am_slip_contact contact; /* with the present P */
} elements;

static am_status step(void *engine, double P, double Q, am_error *err) {
    elements *e = engine;
    e->contact.P = P;
    am_bem_load load = am_slip_elements_load(&e->contact, Q);
    return am_bem_step(e->bem, &load, err);
}

static am_slip_point_of_path observe(const void *engine) {
    const elements *e = engine;
    am_bem_zone zones[AM_SLIP_MOST_ZONES];
    size_t found = am_bem_zones(e->bem, AM_SLIP_MOST_ZONES, zones);
    size_t count = found < AM_SLIP_MOST_ZONES ? found : AM_SLIP_MOST_ZONES;
    am_slip_found f = am_slip_elements_found(&e->contact, e->bem, zones, count);
    am_bem_view v = am_bem_view_of(e->bem);
    bool known = am_slip_resolve(&e->contact, &v, true, zones, count).stick;
    double mean = am_slip_elements_mean(&v);
    return (am_slip_point_of_path){.P = v.P,
                                   .Q = v.Q,
                                   .displacement = v.shift - mean * v.Q,
                                   .approach = v.approach - mean * v.P,
                                   .a = f.a,
                                   .c = known ? f.point.c * f.a : NAN,
                                   .lost = v.dissipation};
}

/* Some of the nodes, or all of them. */
static am_slip_seen look(const void *engine, size_t place, size_t places) {
    am_bem_view v = am_bem_view_of(((const elements *)engine)->bem);
    size_t i = places > 1 ? place * (v.nodes - 1) / (places - 1) : 0;
    return (am_slip_seen){.x = v.x[i], .p = v.p[i], .q = v.q[i], .state = (am_contact_state)v.state[i]};
}

/* How many nodes are looked at on this route. */
static size_t places_on(const am_slip_route *route, const am_slip_options *options, const am_bem *bem) {
    size_t nodes = am_bem_view_of(bem).nodes;
    if (strcmp(route->table, "path") != 0)
        return 0;
    return options->profiles < nodes ? options->profiles : nodes;
}

static am_status walk(am_bem *bem, const am_slip_contact *contact, const am_slip_options *options,
                      const am_slip_route *route, am_result *result, const am_progress *progress, am_error *err) {
    elements e = {.bem = bem, .contact = *contact};
    bool coupled = contact->beta != 0.0;
    size_t steps = options->steps ? options->steps : coupled ? 50 : AM_SLIP_LEG_POINTS;
    am_slip_walker walker = {.engine = &e,
                             .places = places_on(route, options, bem),
                             .look = look,
                             .step = step,
                             .observe = observe,
                             .steps = steps,
                             .even_growth = coupled};
    return am_slip_walk(route, &walker, result, progress, err);
}

am_status am_slip_path_elements(am_bem *bem, const am_slip_contact *contact, const am_slip_options *options,
                                am_result *result, const am_progress *progress, am_error *err) {
    AM_LOCAL(am_slip_route_free) am_slip_route route = {0};
    AM_TRY(am_slip_route_of_path(&route, contact, options, err));
    return walk(bem, contact, options, &route, result, progress, err);
}

/* Each leg starts from full stick, and the stick zone shrinks along it: every step is exact. */
am_status am_slip_loop_elements(const am_slip_contact *contact, const am_slip_options *options, const am_bem_def *def,
                                am_result *result, am_error *err) {
    AM_LOCAL(am_slip_route_free) am_slip_route route = {0};
    AM_TRY(am_slip_route_of_turns(&route, contact, options, err));
    AM_LOCAL(am_bem_free_at) am_bem *bem = am_bem_create(def, err);
    route.corner[0].steps = contact->beta == 0.0 ? 1 : 0;
    return bem ? walk(bem, contact, options, &route, result, NULL, err) : am_error_status(err);
}
