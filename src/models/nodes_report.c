#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "models/nodes.h"

/* The four constraints in the order of the columns of `lines`. */
static const struct {
    const char *name;
    size_t node;
    int sign;
} constraint[4] = {{"1-", 0, -1}, {"1+", 0, 1}, {"2-", 1, -1}, {"2+", 1, 1}};

/* ---- Summary ---- */

/* What does not exist is left out; that there is no memory is no answer. */
static am_status forgive(am_status status, const am_error *reason, am_error *err) {
    return status == AM_ERR_MEMORY ? am_fail(err, status, "%s", reason->message) : AM_OK;
}

static am_status report_angles(const am_nodes *nodes, am_result *result, am_error *err) {
    double alpha[4], beta[4];
    am_error reason = {0};
    am_status status = nodes->count == 2 ? am_nodes_angles(nodes, alpha, beta, &reason) : AM_ERR_UNSUPPORTED;
    if (status != AM_OK)
        return forgive(status, &reason, err);
    const am_named angles[] = {{"beta1", beta[0]}, {"beta2", beta[1]}, {"beta3", beta[2]}, {"beta4", beta[3]}};
    am_result_set_numbers(result, angles, sizeof angles / sizeof *angles);
    return am_result_status(result, err);
}

/* Where Condition 3.1 fails a factor may not exist. */
static am_status report_factor(const am_nodes *nodes, am_result *result, am_error *err) {
    double factor = 0;
    am_error reason = {0};
    am_status status = am_nodes_factor(nodes, &factor, &reason);
    if (status == AM_OK)
        return am_result_set_number(result, "R", factor, err);
    AM_TRY(forgive(status, &reason, err));
    return am_result_set_none(result, "R", err);
}

/* ---- The orbit of eq. (7.1) ---- */

/* Closed: the last point once more in front. */
static am_status add_orbit(const am_nodes *nodes, const double *points, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "orbit", "");
    am_table_describe_as(table, "<q>", "v1");
    am_table_describe_as(table, "<q>", "v2");
    am_table_add_numbers(table, points + 2 * (nodes->advance_count - 1), 2);
    for (size_t k = 0; k < nodes->advance_count; k++)
        am_table_add_numbers(table, points + 2 * k, 2);
    return am_result_status(result, err);
}

static am_status report_orbit(const am_nodes *nodes, am_result *result, bool draw, am_error *err) {
    bool happens = false;
    double *points = am_memory_new(nodes->advance_count * nodes->count, sizeof *points, err);
    if (!points)
        return AM_ERR_MEMORY;
    am_error reason = {0};
    am_status status = am_nodes_orbit(nodes, points, &reason);
    if (status == AM_OK)
        status = am_nodes_orbit_happens(nodes, points, &happens, err);
    else
        status = forgive(status, &reason, err);
    if (status == AM_OK)
        status = am_result_set_flag(result, "orbit_happens", happens, err);
    if (status == AM_OK && draw && happens)
        status = add_orbit(nodes, points, result, err);
    am_memory_free(points);
    return status;
}

/* ---- The slip-displacement diagram ---- */

typedef struct nodes_watch {
    const am_nodes *nodes;
    double (*seen)[3]; /* t, v1, v2 of the samples, or of the cycle that repeats */
    size_t count, capacity;
    bool cycle;
} nodes_watch;

static am_status add_instant(const am_nodes *nodes, const double point[3], am_table *table, am_error *err) {
    double values[7] = {point[0], point[1], point[2]};
    for (size_t c = 0; c < 4; c++)
        values[3 + c] = am_nodes_side(nodes, constraint[c].node, constraint[c].sign, point[0]);
    am_table_add_numbers(table, values, 7);
    return am_table_status(table, err);
}

/* Constraints turn at whole numbers, where an idle one leaves no corner in the path. */
static am_status add_turns(const am_nodes *nodes, const double from[3], const double to[3], am_table *table,
                           am_error *err) {
    double least = 1e-9 * (1 + fabs(to[0]));
    for (double t = floor(from[0] + least) + 1; nodes->rest_minus && t < to[0] - least; t++) {
        double share = (t - from[0]) / (to[0] - from[0]), between[3] = {t};
        for (size_t i = 1; i < 3; i++)
            between[i] = from[i] + share * (to[i] - from[i]);
        add_instant(nodes, between, table, err);
    }
    return am_table_status(table, err);
}

/* Of a long path the last instants are enough to look at. */
enum { most_instants = 4000 };

static am_status add_lines(const nodes_watch *w, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "lines", "t");
    am_table_describe_as(table, "<q>", "v1");
    am_table_describe_as(table, "<q>", "v2");
    for (size_t c = 0; c < 4; c++)
        am_table_describe_as(table, constraint[c].sign < 0 ? "<i>-" : "<i>+", constraint[c].name);
    AM_TRY(am_result_status(result, err));
    size_t first = w->count > most_instants ? w->count - most_instants : 0;
    for (size_t i = first; i < w->count; i++) {
        if (i > first)
            AM_TRY(add_turns(w->nodes, w->seen[i - 1], w->seen[i], table, err));
        AM_TRY(add_instant(w->nodes, w->seen[i], table, err));
    }
    return AM_OK;
}

static am_status add_constraint(const am_nodes *nodes, am_table *table, size_t c, double rest, double extreme,
                                am_error *err) {
    double values[4] = {0, 0, rest, extreme};
    am_nodes_row(nodes, constraint[c].node, constraint[c].sign, values);
    am_table_add_numbers(table, values, 4);
    am_table_set_text(table, 0, constraint[c].name, err);
    return am_table_status(table, err);
}

/* One row for each extreme position of a constraint; a constraint that never advances has its rest position for one. */
static am_status add_given(const am_nodes *nodes, am_table *table, size_t c, am_error *err) {
    double rest = constraint[c].sign > 0 ? nodes->rest_plus[constraint[c].node] : nodes->rest_minus[constraint[c].node];
    size_t found = 0;
    for (size_t k = 0; k < nodes->advance_count; k++) {
        const am_nodes_advance *a = &nodes->sequence[k];
        bool is_new = a->node == constraint[c].node && a->sign == constraint[c].sign;
        for (size_t j = 0; j < k && is_new; j++)
            is_new = nodes->sequence[j].node != a->node || nodes->sequence[j].sign != a->sign ||
                     nodes->sequence[j].extreme != a->extreme;
        if (!is_new)
            continue;
        found++;
        AM_TRY(add_constraint(nodes, table, c, rest, a->extreme, err));
    }
    return found == 0 ? add_constraint(nodes, table, c, rest, rest, err) : AM_OK;
}

/* Of weld forces: the ends of what was seen. */
static am_status add_seen(const nodes_watch *w, am_table *table, size_t c, am_error *err) {
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < w->count; i++) {
        double side = am_nodes_side(w->nodes, constraint[c].node, constraint[c].sign, w->seen[i][0]);
        least = fmin(least, side);
        most = fmax(most, side);
    }
    bool plus = constraint[c].sign > 0;
    return add_constraint(w->nodes, table, c, plus ? least : most, plus ? most : least, err);
}

static am_status add_constraints(const nodes_watch *w, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "constraints", "constraint");
    am_table_describe_as(table, "n<i>", "n1");
    am_table_describe_as(table, "n<i>", "n2");
    am_table_describe(table, "rest extreme");
    AM_TRY(am_result_status(result, err));
    for (size_t c = 0; c < 4; c++)
        AM_TRY(w->nodes->rest_minus ? add_given(w->nodes, table, c, err) : add_seen(w, table, c, err));
    return AM_OK;
}

/* ---- Watching ---- */

static void release(void *watch) {
    am_memory_free(((nodes_watch *)watch)->seen);
    am_memory_free(watch);
}

static am_status see_sample(void *watch, const am_sample *sample, am_error *err) {
    nodes_watch *w = watch;
    if (w->nodes->count != 2)
        return AM_OK;
    AM_TRY(am_memory_reserve(&w->seen, &w->capacity, w->count + 1, err));
    const double point[3] = {sample->t, sample->displacement[0], sample->displacement[1]};
    memcpy(w->seen[w->count++], point, sizeof point);
    return AM_OK;
}

static am_status see_cycle(void *watch, const am_sample *sample, am_error *err) {
    nodes_watch *w = watch;
    w->count = w->cycle ? w->count : 0; /* the cycle replaces the path that led to it */
    w->cycle = true;
    return see_sample(watch, sample, err);
}

static am_status report(void *watch, am_result *result, am_error *err) {
    const nodes_watch *w = watch;
    const am_nodes *nodes = w->nodes;
    AM_TRY(report_angles(nodes, result, err));
    if (nodes->rest_minus) {
        AM_TRY(report_factor(nodes, result, err));
        AM_TRY(report_orbit(nodes, result, w->count > 0, err));
    }
    if (w->count == 0)
        return AM_OK;
    AM_TRY(add_constraints(w, result, err));
    return add_lines(w, result, err);
}

am_status am_nodes_watch_open(const am_nodes *nodes, am_model_watch *watch, am_error *err) {
    nodes_watch *w = am_memory_new(1, sizeof *w, err);
    if (!w)
        return AM_ERR_MEMORY;
    w->nodes = nodes;
    *watch = (am_model_watch){{.sample = see_sample, .cycle = see_cycle, .context = w}, report, release};
    return AM_OK;
}

am_system *am_nodes_create_watched(const am_nodes *nodes, am_model_watch *watch, am_error *err) {
    am_system *system = watch ? am_nodes_create(nodes, err) : am_misused_for_nothing(err, __func__);
    if (!system || am_nodes_watch_open(nodes, watch, err) == AM_OK)
        return system;
    am_system_free(system);
    return NULL;
}
