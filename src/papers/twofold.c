/* Analysis `twofold`: the evolutions sampled and each sample checked against the laws, on the scale of its interval. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/states.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "base/whole.h"
#include "base/worse.h"
#include "math/dense.h"
#include "papers/twofold/twofold_internal.h"
#include "system/system.h"

enum { evolutions = 3 };
static const char *const evolution_name[evolutions] = {"blue", "red", "between"};

/* A residual above this is no rounding. */
static const double evidence = 1e-10;

typedef struct twofold_run {
    am_arena memory;
    am_twofold *twofold;
    am_verify *verify;
    double lambda[evolutions];
    am_verify_report worst[evolutions];
    double p_min;
    size_t rate_solutions, samples;
    am_table *solutions, *zoom, *load;
    double *displacement, *velocity, *applied, *applied_rate; /* n each */
} twofold_run;

/* ---- checking ---- */

/* Contact forces over scale: N from the structure; T from the friction law where the evolution says that the contact is
 * at its limit, else from the structure. So equilibrium and friction check each other. */
static void contact_forces(const am_twofold *twofold, const double v[2], const double s[2], const double slack[2],
                           const bool limit[2], double normal[2], double tangential[2]) {
    const am_reduced *reduced = &twofold->reduced;
    for (size_t i = 0; i < 2; i++) {
        normal[i] = am_dense_dot(reduced->B + 2 * i, v, 2);
        tangential[i] = limit[i] ? twofold->sign[i] * (slack[i] - reduced->mu[i] * normal[i])
                                 : am_dense_dot(reduced->A + 2 * i, v, 2) - s[i];
    }
}

/* Coordinates and applied forces from what happens at the contacts: the load acts along their tangents. */
static am_status spread(const twofold_run *run, const double v[2], const double s[2], double *coordinates,
                        double *applied, am_error *err) {
    const am_system *system = run->twofold->system;
    const double closed[2] = {0.0, 0.0};
    for (size_t i = 0; i < system->n; i++)
        applied[i] = s[0] * system->contact[0].tangent[i] + s[1] * system->contact[1].tangent[i];
    return am_reduced_coordinates(&run->twofold->reduced, applied, v, closed, coordinates, run->twofold->work, err);
}

static void record_worst(am_verify_report *worst, const am_verify_report *report) {
    worst->equilibrium = am_worse(worst->equilibrium, report->equilibrium);
    worst->friction = am_worse(worst->friction, report->friction);
    worst->rate = am_worse(worst->rate, report->rate);
    worst->difference = am_worse(worst->difference, report->difference);
}

static am_status check_point(twofold_run *run, size_t which, const am_twofold_point *point, am_error *err) {
    const am_twofold *twofold = run->twofold;
    double normal[2], tangential[2], normal_rate[2], tangential_rate[2], slack[4];
    bool limit[2], rate_limit[2];
    double scale = fmax(twofold->change[twofold->a], -twofold->change[twofold->b]);
    for (size_t i = 0; i < 2; i++) {
        limit[i] = point->slack[i] == 0.0;
        rate_limit[i] = limit[i] && point->slack_rate[i] == 0.0;
    }
    contact_forces(twofold, point->v, point->s, point->slack, limit, normal, tangential);
    contact_forces(twofold, point->v_rate, point->s_rate, point->slack_rate, rate_limit, normal_rate, tangential_rate);
    for (size_t i = 0; i < 2; i++) {
        size_t forward = twofold->sign[i] > 0.0 ? 0 : 1;
        slack[2 * i + forward] = point->slack[i];
        slack[2 * i + 1 - forward] = INFINITY; /* the other limit is far away on this scale; see `most` */
    }
    AM_TRY(spread(run, point->v, point->s, run->displacement, run->applied, err));
    AM_TRY(spread(run, point->v_rate, point->s_rate, run->velocity, run->applied_rate, err));
    am_verify_instant instant = {.displacement = run->displacement,
                                 .velocity = run->velocity,
                                 .load = run->applied,
                                 .load_rate = run->applied_rate,
                                 .normal = normal,
                                 .tangential = tangential,
                                 .normal_rate = normal_rate,
                                 .tangential_rate = tangential_rate,
                                 .slack = slack,
                                 .scale = scale,
                                 .rate_scale = 2.0 * AM_TWOFOLD_PHASES * twofold->facts.d2 * scale};
    am_verify_report report;
    AM_TRY(am_verify_check(run->verify, &instant, &report, err));
    record_worst(&run->worst[which], &report);
    run->rate_solutions = report.solutions > run->rate_solutions ? report.solutions : run->rate_solutions;
    return AM_OK;
}

/* ---- tables ---- */

/* Columns of each evolution: v1_blue, ... `forms` are letters; there are two contacts. */
static void add_columns(am_table *table, const char *forms) {
    for (size_t e = 0; e < evolutions; e++)
        for (size_t f = 0; f < 2 * strlen(forms); f++) {
            char name[32], key[32], form = forms[f / 2];
            snprintf(name, sizeof name, "%c%zu_%s", form, f % 2 + 1, evolution_name[e]);
            if (form == 'v')
                snprintf(key, sizeof key, "<q>_%s", evolution_name[e]);
            else
                snprintf(key, sizeof key, "%c<i>_%s", form, evolution_name[e]);
            am_table_describe_as(table, key, name);
        }
}

/* A column for each of the two contacts. */
static void add_pair(am_table *table, const char *letter) {
    for (size_t i = 1; i <= 2; i++) {
        char name[16], key[16];
        snprintf(name, sizeof name, "%s%zu", letter, i);
        snprintf(key, sizeof key, "%s<i>", letter);
        am_table_describe_as(table, key, name);
    }
}

static am_status begin_tables(twofold_run *run, am_result *result, am_error *err) {
    run->solutions = am_result_describe_table(result, "solutions", "t n tau");
    add_pair(run->solutions, "s");
    add_columns(run->solutions, "vpq");
    run->zoom = am_result_describe_table(result, "zoom", "t");
    add_columns(run->zoom, "x");
    run->load = am_result_describe_table(result, "load", "t");
    add_pair(run->load, "s");
    return am_result_status(result, err);
}

static void put(am_table *table, size_t *column, double value) {
    am_table_set_number(table, (*column)++, value);
}

/* One evolution's cells: whole displacements and forces. */
static void put_evolution(twofold_run *run, const am_twofold_point *point, size_t *column, size_t *zoom) {
    const am_twofold *twofold = run->twofold;
    const am_reduced *reduced = &twofold->reduced;
    const am_twofold_facts *facts = &twofold->facts;
    am_twofold_point end = am_twofold_at(twofold, 1.0, 2, 1.0);
    double v[2], p[2];
    for (size_t i = 0; i < 2; i++) {
        v[i] = facts->start[i] + point->scale * point->v[i];
        put(run->solutions, column, v[i]);
        put(run->zoom, zoom,
            (log(fabs(point->v[i] / end.v[i])) + point->logarithm - end.logarithm) / twofold->logarithm);
    }
    for (size_t i = 0; i < 2; i++) {
        p[i] = facts->normal_weld[i] + am_dense_dot(reduced->B + 2 * i, v, 2);
        run->p_min = fmin(run->p_min, p[i]);
        put(run->solutions, column, p[i]);
    }
    for (size_t i = 0; i < 2; i++)
        put(run->solutions, column,
            facts->tangential_weld[i] - point->scale * point->s[i] + am_dense_dot(reduced->A + 2 * i, v, 2));
}

static void put_load(twofold_run *run, double t, const double s[2]) {
    am_table_add_numbers(run->load, AM_NUMBERS(t, s[0], s[1]));
}

static am_status sample(twofold_run *run, size_t n, double tau, am_error *err) {
    const am_twofold_facts *facts = &run->twofold->facts;
    size_t column = 0, zoom = 0;
    am_twofold_point point = am_twofold_at(run->twofold, 1.0, n, tau);
    double s[2] = {facts->s_start[0] + point.scale * point.s[0], facts->s_start[1] + point.scale * point.s[1]};
    AM_TRY(am_table_add_row(run->solutions, err));
    AM_TRY(am_table_add_row(run->zoom, err));
    put_load(run, point.t, s);
    const double first[] = {point.t, (double)n, tau, s[0], s[1]};
    for (size_t i = 0; i < 5; i++)
        put(run->solutions, &column, first[i]);
    put(run->zoom, &zoom, point.t);
    for (size_t e = 0; e < evolutions; e++) {
        point = am_twofold_at(run->twofold, run->lambda[e], n, tau);
        put_evolution(run, &point, &column, &zoom);
        AM_TRY(check_point(run, e, &point, err));
    }
    run->samples++;
    return AM_OK;
}

/* From the smallest times to t = 1; the end of an interval is the beginning of the next. */
static am_status sample_all(twofold_run *run, const am_twofold_options *options, const am_progress *progress,
                            am_error *err) {
    put_load(run, 0.0, run->twofold->facts.s_start);
    for (size_t n = options->intervals + 1; n >= 2; n--) {
        size_t last = options->samples - (n == 2 ? 0 : 1);
        for (size_t j = 0; j <= last; j++)
            AM_TRY(sample(run, n, (double)j / (double)options->samples, err));
        double done = (double)(options->intervals + 2 - n) / (double)options->intervals;
        if (!am_progress_report(progress, done))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    return AM_OK;
}

static void add_auxiliary(const am_twofold *twofold, am_result *result) {
    enum { steps = 600 };
    am_table *table = am_result_describe_table(result, "auxiliary", "tau");
    add_pair(table, "A");
    for (size_t j = 0; j <= steps; j++) {
        double tau = (double)j / steps;
        am_table_add_numbers(table, AM_NUMBERS(tau, am_twofold_auxiliary(twofold, twofold->a, tau),
                                               am_twofold_auxiliary(twofold, twofold->b, tau)));
    }
}

/* Largest derivatives of s on each interval: |S_i| d2^(1 - n) (n (n - 1))^k max |A_i^(k)|. They fall with n once
 * ((n + 1)/(n - 1))^k < d2. `last`: the largest one on the first interval after t = 0 that was sampled. */
static void add_smoothness(const am_twofold *twofold, size_t intervals, am_result *result, double *last,
                           am_error *err) {
    double largest[2][AM_TWOFOLD_ORDER + 1];
    am_table *table = am_result_describe_table(result, "smoothness", "n");
    for (size_t k = 0; k <= AM_TWOFOLD_ORDER; k++) {
        char name[16];
        snprintf(name, sizeof name, "d%zu", k);
        am_table_describe_as(table, "d<i>", name);
    }
    for (size_t i = 0; i < 2; i++)
        am_twofold_largest(twofold, i, largest[i]);
    for (size_t n = 2; n <= intervals + 1; n++) {
        double number = (double)n, logarithm = (1.0 - number) * twofold->logarithm;
        am_table_add_row(table, err);
        *last = 0.0;
        am_table_set_number(table, 0, number);
        for (size_t k = 0; k <= AM_TWOFOLD_ORDER; k++) {
            double most = fmax(fabs(twofold->change[0]) * largest[0][k], fabs(twofold->change[1]) * largest[1][k]);
            double value = most * exp(logarithm + (double)k * log(number * (number - 1.0)));
            *last = fmax(*last, value);
            am_table_set_number(table, 1 + k, value);
        }
    }
}

/* ---- the summary ---- */

/* Returns the worst of them. */
static double put_residuals(const twofold_run *run, am_result *result, am_error *err) {
    double worst = 0.0;
    for (size_t e = 0; e < evolutions; e++) {
        const am_verify_report *report = &run->worst[e];
        static const char *const names[] = {"equilibrium_residual", "friction_residual", "rate_residual",
                                            "rate_difference"};
        const double values[] = {report->equilibrium, report->friction, report->rate, report->difference};
        for (size_t i = 0; i < 4; i++) {
            char name[48];
            snprintf(name, sizeof name, "%s_%s", names[i], evolution_name[e]);
            worst = am_worse(worst, values[i]);
            am_result_set_number(result, name, values[i], err);
        }
    }
    am_result_set_number(result, "residual", worst, err);
    return worst;
}

/* The first n from which on the derivatives up to the order looked at fall. */
static size_t smooth_from(const am_twofold *twofold) {
    double root = exp(twofold->logarithm / AM_TWOFOLD_ORDER);
    return am_whole(fmax(2.0, floor((root + 1.0) / (root - 1.0)) + 1.0));
}

static double distance_at_end(const am_twofold *twofold) {
    am_twofold_point blue = am_twofold_at(twofold, 1.0, 2, 1.0), red = am_twofold_at(twofold, 0.0, 2, 1.0);
    return blue.scale * hypot(blue.v[0] - red.v[0], blue.v[1] - red.v[1]);
}

static am_status summarise(const twofold_run *run, const am_twofold_options *options, double last, am_result *result,
                           am_error *err) {
    const am_twofold *twofold = run->twofold;
    const am_twofold_facts *facts = &twofold->facts;
    char slip[32];
    snprintf(slip, sizeof slip, "%s,%s", am_contact_state_name(facts->slip[0]), am_contact_state_name(facts->slip[1]));
    am_result_set_number(result, "d2", facts->d2, err);
    am_result_set_text(result, "slip_states", slip, err);
    am_result_set_flag(result, "unique", facts->unique, err);
    am_result_set_count(result, "rate_solutions", run->rate_solutions, err);
    am_result_set_count(result, "samples", run->samples, err);
    double worst = put_residuals(run, result, err);
    double distance = distance_at_end(twofold), shrinks = exp(-(double)options->intervals * twofold->logarithm);
    am_result_set_numbers(result,
                          AM_NAMED({"p_min", run->p_min}, {"distance", distance},
                                   {"distance_start", distance * shrinks}, {"change1", facts->change[0]},
                                   {"change2", facts->change[1]}, {"room", facts->most}, {"derivative_last", last}));
    am_result_set_counts(result,
                         AM_NAMED({"smooth_order", AM_TWOFOLD_ORDER}, {"smooth_from", (double)smooth_from(twofold)}));
    AM_TRY(am_result_status(result, err));
    if (!(worst <= evidence))
        return am_fail(err, AM_ERR_EVIDENCE, "an evolution violates the laws it should satisfy by %g of its scale",
                       worst);
    return AM_OK;
}

static am_status prepare(twofold_run *run, const am_system *system, const am_twofold_options *options, am_error *err) {
    run->twofold = am_twofold_create(system, options, err);
    if (!run->twofold)
        return err ? err->status : AM_ERR_INPUT;
    const am_twofold_facts *facts = &run->twofold->facts;
    am_standing standing[2];
    for (size_t i = 0; i < 2; i++)
        standing[i] = facts->slip[i] == AM_FORWARD ? AM_STANDING_FORWARD : AM_STANDING_BACKWARD;
    run->verify = am_verify_create(system, standing, err);
    AM_ARENA_DOUBLES(&run->memory, system->n, err, &run->displacement, &run->velocity, &run->applied,
                     &run->applied_rate);
    if (!run->verify || am_arena_status(&run->memory))
        return err ? err->status : AM_ERR_MEMORY;
    run->lambda[0] = 1.0;
    run->lambda[1] = 0.0;
    run->lambda[2] = options->between;
    run->p_min = INFINITY;
    return AM_OK;
}

static void close_run(twofold_run *run) {
    am_verify_free(run->verify);
    am_twofold_free(run->twofold);
    am_arena_clear(&run->memory);
}

static am_status twofold_run_watched(const am_system *system, const am_twofold_options *options, am_result *result,
                                     const am_progress *progress, am_error *err) {
    am_error local = {0}, *own = err ? err : &local;
    AM_LOCAL(close_run) twofold_run run = {0};
    double last = 0.0;
    AM_TRY(prepare(&run, system, options, own));
    AM_TRY(begin_tables(&run, result, own));
    AM_TRY(sample_all(&run, options, progress, own));
    add_auxiliary(run.twofold, result);
    add_smoothness(run.twofold, options->intervals, result, &last, own);
    return summarise(&run, options, last, result, own);
}

am_status am_twofold_run(const am_system *system, const am_twofold_options *options, am_result *result,
                         const am_progress *progress, am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM) || !options || !am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    am_watch watch;
    am_watch_begin(&watch, progress);
    am_status status = twofold_run_watched(system, options, result, progress, err);
    return am_watch_end(&watch, status, err);
}
