/* Paths of loads: legs, what they may be, and their table. */
#include "analyses/slip/load_path.h"

#include <math.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"

enum { MOST_LEGS = 100000 };

/* ---- Routes ---- */

bool am_slip_has_path(const am_slip_options *options) {
    return options->path_count > 0 || options->cycle_count > 0;
}

static size_t legs_of(const am_slip_options *options) {
    size_t path = options->path_count ? options->path_count : 1;
    return path + options->cycle_count * options->cycles;
}

static am_slip_corner corner_of(const am_slip_contact *contact, const am_slip_options *options, size_t i) {
    size_t path = options->path_count ? options->path_count : 1;
    if (i >= path)
        return options->cycle[(i - path) % options->cycle_count];
    return options->path_count ? options->path[i] : (am_slip_corner){.P = contact->P};
}

static am_status reserve(am_slip_route *route, const am_slip_contact *contact, size_t count, am_error *err) {
    *route = (am_slip_route){.count = count, .P = contact->P, .f = contact->f};
    route->corner = am_memory_new(count, sizeof *route->corner, err);
    return route->corner ? AM_OK : AM_ERR_MEMORY;
}

am_status am_slip_route_of_path(am_slip_route *route, const am_slip_contact *contact, const am_slip_options *options,
                                am_error *err) {
    AM_TRY(reserve(route, contact, legs_of(options), err));
    for (size_t i = 0; i < route->count; i++)
        route->corner[i] = corner_of(contact, options, i);
    route->table = "path";
    route->leg = "leg";
    route->shown = 1;
    route->closing = options->cycle_count;
    return AM_OK;
}

am_status am_slip_route_of_turns(am_slip_route *route, const am_slip_contact *contact, const am_slip_options *options,
                                 am_error *err) {
    size_t turns = options->turn_count;
    AM_TRY(reserve(route, contact, turns + 1, err));
    for (size_t i = 0; i <= turns; i++)
        route->corner[i] = (am_slip_corner){
            .P = contact->P,
            .Q = i ? options->turns[i - 1] * contact->f * contact->P : 0.0,
            .steps = i ? AM_SLIP_LEG_POINTS : 0,
        };
    route->table = "loop";
    route->leg = "turn";
    route->first = 1;
    route->closing = turns >= 3 && options->turns[turns - 1] == options->turns[turns - 3] ? 2 : 0;
    return AM_OK;
}

void am_slip_route_free(am_slip_route *route) {
    am_memory_free(route->corner);
    *route = (am_slip_route){0};
}

am_slip_contact am_slip_path_end(const am_slip_contact *contact, const am_slip_options *options) {
    am_slip_contact end = *contact;
    if (am_slip_has_path(options))
        end.P = corner_of(contact, options, legs_of(options) - 1).P;
    return end;
}

am_slip_contact am_slip_path_widest(const am_slip_contact *contact, const am_slip_options *options) {
    am_slip_contact widest = *contact;
    if (am_slip_has_path(options))
        widest.P = 0.0;
    for (size_t i = 0; am_slip_has_path(options) && i < legs_of(options); i++)
        widest.P = fmax(widest.P, corner_of(contact, options, i).P);
    return widest;
}

/* ---- What a path may be ---- */

/* The largest |Q| over P. */
static double strength(const am_slip_contact *contact, bool *tips) {
    double most = contact->f_s > contact->f && contact->law != AM_FRICTION_COULOMB ? contact->f_s : contact->f;
    double tilt = contact->shape == AM_SLIP_PUNCH ? contact->half_width / contact->height : INFINITY;
    *tips = tilt < most;
    return fmin(most, tilt);
}

/* On a leg |Q| - f P is largest at an end. */
static am_status check_corner(const am_slip_contact *contact, const am_slip_corner *corner, const char *field,
                              size_t leg, am_error *err) {
    bool tips;
    double most = strength(contact, &tips) * corner->P;
    if (!isfinite(corner->P) || !isfinite(corner->Q))
        return am_fail_field(err, AM_ERR_INPUT, field, "leg %zu of the path: its loads must be finite numbers", leg);
    if (!(corner->P > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "leg %zu of the path: P falls to %g, where the bodies part; P must stay positive", leg,
                             corner->P);
    if (!(fabs(corner->Q) < most))
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "leg %zu of the path: Q %s %s: the contact %s; with P = %g the largest load is %g, and Q "
                             "is %g",
                             leg, fabs(corner->Q) > most ? "exceeds" : "reaches", tips ? "P a/h" : "f P",
                             tips ? "tips over" : "slides as a whole", corner->P, most, corner->Q);
    if (contact->shape == AM_SLIP_WAVE && corner->P > am_slip_load(contact, 0.5 * contact->wavelength))
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "leg %zu of the path: P = %g closes the contact over the whole period", leg, corner->P);
    return AM_OK;
}

am_status am_slip_check_path(const am_slip_contact *contact, const am_slip_options *options, am_error *err) {
    if (!am_slip_has_path(options))
        return AM_OK;
    if ((options->path_count && !options->path) || (options->cycle_count && !options->cycle))
        return am_fail_field(err, AM_ERR_INPUT, "path", "a path that has corners must give them");
    if (options->Q != 0.0 || !isnan(options->stick))
        return am_fail_field(err, AM_ERR_INPUT, "path",
                             "the path says which loads there are: leave Q, Q_over_fP and c_over_a out");
    if (options->turn_count)
        return am_fail_field(err, AM_ERR_INPUT, "turns",
                             "turns are a path at constant P: give one of the two; cycle repeats corners of a path");
    if (options->cycle_count && !options->cycles)
        return am_fail_field(err, AM_ERR_INPUT, "cycles", "a cycle must be run through at least once");
    if (options->cycle_count && options->cycles > MOST_LEGS / options->cycle_count)
        return am_fail_field(err, AM_ERR_INPUT, "cycles", "a path may have %d legs, and %zu cycles have more",
                             MOST_LEGS, options->cycles);
    if (contact->law == AM_FRICTION_GRIFFITH || contact->law == AM_FRICTION_DOUBLE || contact->law == AM_FRICTION_SHORT)
        return am_fail_field(err, AM_ERR_INPUT, "path",
                             "the closed forms of Griffith friction and of the double solution are for P and then Q; "
                             "with a path take coulomb, or by boundary elements static-kinetic, ramp, step, "
                             "exponential or a table");
    size_t path = options->path_count ? options->path_count : 1;
    for (size_t i = 0; i < path + options->cycle_count; i++) {
        am_slip_corner corner = corner_of(contact, options, i);
        AM_TRY(check_corner(contact, &corner, i < path && options->path_count ? "path" : "cycle", i + 1, err));
    }
    return AM_OK;
}

/* ---- The table ---- */

static void add_row(am_table *table, const am_slip_route *route, size_t leg, const am_slip_point_of_path *at) {
    am_table_add_numbers(table, AM_NUMBERS((double)(leg - route->first + route->shown), at->Q / (route->f * at->P),
                                           at->displacement, at->c / at->a, at->lost, at->P, at->Q, at->P / route->P,
                                           at->Q / (route->f * route->P), at->approach, at->a, at->c));
}

/* The surfaces at the last row of the path. */
static void add_profile(am_table *table, const am_slip_walker *walker, const am_table *path) {
    for (size_t i = 0; i < walker->places; i++) {
        am_slip_seen seen = walker->look(walker->engine, i, walker->places);
        am_table_add_numbers(table, AM_NUMBERS((double)am_table_rows(path), seen.x, seen.p, seen.q));
        am_table_set_text(table, 4, am_contact_state_name(seen.state), NULL);
    }
}

/* ---- The walk ---- */

/* The part of a leg from P0 to P1 done at `part` of its steps. */
static double even_part(const am_slip_walker *walker, double P0, double P1, double part) {
    if (!walker->even_growth || P0 == P1)
        return part;
    double root = sqrt(P0) + part * (sqrt(P1) - sqrt(P0)); /* even steps of the half-width of a cylinder */
    return (root * root - P0) / (P1 - P0);
}

static am_status name_leg(am_status status, size_t leg, const am_slip_corner *to, double Q, am_error *err) {
    if (status != AM_ERR_NO_STATE)
        return status;
    return am_fail_field(err, AM_ERR_INPUT, "path",
                         "leg %zu of the path: the contact slides as a whole, or tips over, before P = %g, Q = %g are "
                         "reached; the largest load met is Q = %g",
                         leg, to->P, to->Q, Q);
}

typedef struct work_done {
    am_slip_point_of_path last;
    double area;              /* integral of Q over the displacement */
    double begin, begin_area; /* at the start of the last cycle */
} work_done;

static void add_work(work_done *b, const am_slip_point_of_path *now) {
    b->area += 0.5 * (now->Q + b->last.Q) * (now->displacement - b->last.displacement);
    b->last = *now;
}

static am_status walk_leg(const am_slip_route *route, const am_slip_walker *walker, size_t leg, am_table *table,
                          am_table *profiles, work_done *b, am_error *err) {
    am_slip_corner from = leg ? route->corner[leg - 1] : (am_slip_corner){0}, to = route->corner[leg];
    size_t steps = to.steps ? to.steps : walker->steps ? walker->steps : AM_SLIP_LEG_POINTS;
    am_status status = AM_OK;
    if (leg == route->first && leg > 0)
        add_row(table, route, leg, &b->last);
    for (size_t i = 1; status == AM_OK && i <= steps; i++) {
        double part = even_part(walker, from.P, to.P, (double)i / (double)steps);
        bool last = i == steps;
        status = walker->step(walker->engine, last ? to.P : from.P + part * (to.P - from.P),
                              last ? to.Q : from.Q + part * (to.Q - from.Q), err);
        if (am_watch_refused()) /* the user asked to stop: what came of the step does not count */
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted on leg %zu of the path", leg + 1);
        if (status != AM_OK)
            return name_leg(status, leg + 1, &to, b->last.Q, err);
        am_slip_point_of_path now = walker->observe(walker->engine);
        add_work(b, &now);
        if (leg >= route->first)
            add_row(table, route, leg, &now);
        if (leg >= route->first && profiles)
            add_profile(profiles, walker, table);
    }
    return status;
}

am_status am_slip_walk(const am_slip_route *route, const am_slip_walker *walker, am_result *result,
                       const am_progress *progress, am_error *err) {
    am_table *table = am_result_describe_table(result, route->table, route->leg);
    am_table_describe(table, "Q_over_fP displacement c_over_a loss_friction P Q P_over_P0 Q_over_fP0 approach a c");
    am_table *profiles =
        walker->places > 0 ? am_result_describe_table(result, "profiles", "path_row x p q state") : NULL;
    am_status status = AM_OK;
    work_done b = {0};
    for (size_t leg = 0; status == AM_OK && leg < route->count; leg++) {
        if (leg + route->closing == route->count) {
            b.begin = b.last.lost;
            b.begin_area = b.area;
        }
        status = walk_leg(route, walker, leg, table, profiles, &b, err);
        if (status == AM_OK && !am_progress_report(progress, (double)(leg + 1) / (double)(route->count + 1)))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted after leg %zu of the path", leg + 1);
    }
    if (status == AM_ERR_INTERRUPTED && am_table_rows(table) > 0)
        am_watch_mark(result); /* the loads so far */
    if (status != AM_OK || !route->closing)
        return status;
    am_result_set_numbers(result,
                          AM_NAMED({"loss_per_cycle", b.last.lost - b.begin}, {"loop_area", b.area - b.begin_area}));
    return AM_OK;
}
