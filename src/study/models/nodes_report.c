#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/try.h"
#include "study/models/nodes.h"

/* The four constraints in the order of the columns of `lines`. */
static const struct {
    const char *name;
    size_t node;
    int sign;
} constraint[4] = {{"1-", 0, -1}, {"1+", 0, 1}, {"2-", 1, -1}, {"2+", 1, 1}};

static am_status add_row(am_table *table, size_t first, size_t count, const double *values, am_error *err) {
    am_table_add_row(table, err);
    for (size_t i = 0; i < count; i++)
        am_table_set_number(table, first + i, values[i]);
    return am_table_status(table, err);
}

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
    for (size_t i = 0; status == AM_OK && i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "beta%zu", i + 1);
        status = am_result_set_number(result, name, beta[i], err);
    }
    return status;
}

/* Where Condition 3.1 fails a factor may not exist. */
static am_status report_factor(const am_nodes *nodes, am_result *result, am_error *err) {
    double factor = 0;
    am_error reason = {0};
    am_status status = am_nodes_factor(nodes, &factor, &reason);
    if (status == AM_OK)
        return am_result_set_number(result, "R", factor, err);
    status = forgive(status, &reason, err);
    return status == AM_OK ? am_result_set_none(result, "R", err) : status;
}

/* ---- The orbit of eq. (7.1) ---- */

/* Closed: the last point once more in front. */
static am_status add_orbit(const am_nodes *nodes, const double *points, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "orbit", "");
    am_table_describe_as(table, "<q>", "v1");
    am_table_describe_as(table, "<q>", "v2");
    add_row(table, 0, 2, points + 2 * (nodes->advance_count - 1), err);
    for (size_t k = 0; k < nodes->advance_count; k++)
        add_row(table, 0, 2, points + 2 * k, err);
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

typedef struct track {
    const am_table *table; /* cycle or samples */
    size_t t, v1, v2;      /* its columns */
} track;

static bool find_track(const am_result *result, track *found) {
    found->table = am_result_find_table(result, "cycle");
    if (!found->table)
        found->table = am_result_find_table(result, "samples");
    if (!found->table)
        return false;
    found->t = am_table_find_column(found->table, "t");
    found->v1 = am_table_find_column(found->table, "v1");
    found->v2 = am_table_find_column(found->table, "v2");
    return found->t != SIZE_MAX && found->v1 != SIZE_MAX && found->v2 != SIZE_MAX;
}

static void read_point(const track *path, size_t row, double point[3]) {
    point[0] = am_table_number(path->table, row, path->t);
    point[1] = am_table_number(path->table, row, path->v1);
    point[2] = am_table_number(path->table, row, path->v2);
}

static am_status add_instant(const am_nodes *nodes, const double point[3], am_table *table, am_error *err) {
    double values[7] = {point[0], point[1], point[2]};
    for (size_t c = 0; c < 4; c++)
        values[3 + c] = am_nodes_side(nodes, constraint[c].node, constraint[c].sign, point[0]);
    return add_row(table, 0, 7, values, err);
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

static am_status add_lines(const am_nodes *nodes, const track *path, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "lines", "t");
    am_table_describe_as(table, "<q>", "v1");
    am_table_describe_as(table, "<q>", "v2");
    for (size_t c = 0; c < 4; c++)
        am_table_describe_as(table, constraint[c].sign < 0 ? "<i>-" : "<i>+", constraint[c].name);
    am_status status = am_result_status(result, err);
    size_t rows = am_table_rows(path->table), first = rows > most_instants ? rows - most_instants : 0;
    double before[3] = {0}, now[3];
    for (size_t row = first; status == AM_OK && row < rows; row++) {
        read_point(path, row, now);
        if (row > first)
            status = add_turns(nodes, before, now, table, err);
        if (status == AM_OK)
            status = add_instant(nodes, now, table, err);
        read_point(path, row, before);
    }
    return status;
}

static am_status add_constraint(const am_nodes *nodes, am_table *table, size_t c, double rest, double extreme,
                                am_error *err) {
    double values[4] = {0, 0, rest, extreme};
    am_nodes_row(nodes, constraint[c].node, constraint[c].sign, values);
    add_row(table, 1, 4, values, err);
    am_table_set_text(table, 0, constraint[c].name, err);
    return am_table_status(table, err);
}

/* One row for each extreme position of a constraint; a constraint that never advances has its rest position for one. */
static am_status add_given(const am_nodes *nodes, am_table *table, size_t c, am_error *err) {
    double rest = constraint[c].sign > 0 ? nodes->rest_plus[constraint[c].node] : nodes->rest_minus[constraint[c].node];
    am_status status = AM_OK;
    size_t found = 0;
    for (size_t k = 0; status == AM_OK && k < nodes->advance_count; k++) {
        const am_nodes_advance *a = &nodes->sequence[k];
        bool is_new = a->node == constraint[c].node && a->sign == constraint[c].sign;
        for (size_t j = 0; j < k && is_new; j++)
            is_new = nodes->sequence[j].node != a->node || nodes->sequence[j].sign != a->sign ||
                     nodes->sequence[j].extreme != a->extreme;
        if (!is_new)
            continue;
        found++;
        status = add_constraint(nodes, table, c, rest, a->extreme, err);
    }
    return status == AM_OK && found == 0 ? add_constraint(nodes, table, c, rest, rest, err) : status;
}

/* Of weld forces: the ends of what was seen. */
static am_status add_seen(const am_nodes *nodes, am_table *table, const track *path, size_t c, am_error *err) {
    double least = INFINITY, most = -INFINITY;
    for (size_t row = 0; row < am_table_rows(path->table); row++) {
        double t = am_table_number(path->table, row, path->t);
        double side = am_nodes_side(nodes, constraint[c].node, constraint[c].sign, t);
        least = fmin(least, side);
        most = fmax(most, side);
    }
    bool plus = constraint[c].sign > 0;
    return add_constraint(nodes, table, c, plus ? least : most, plus ? most : least, err);
}

static am_status add_constraints(const am_nodes *nodes, const track *path, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "constraints", "constraint");
    am_table_describe_as(table, "n<i>", "n1");
    am_table_describe_as(table, "n<i>", "n2");
    am_table_describe(table, "rest extreme");
    AM_TRY(am_result_status(result, err));
    for (size_t c = 0; c < 4; c++)
        AM_TRY(nodes->rest_minus ? add_given(nodes, table, c, err) : add_seen(nodes, table, path, c, err));
    return AM_OK;
}

am_status am_nodes_report(const am_nodes *nodes, am_result *result, am_error *err) {
    track path = {0};
    bool draw = nodes->count == 2 && find_track(result, &path);
    am_status status = report_angles(nodes, result, err);
    if (status == AM_OK && nodes->rest_minus)
        status = report_factor(nodes, result, err);
    if (status == AM_OK && nodes->rest_minus)
        status = report_orbit(nodes, result, draw, err);
    if (status == AM_OK && draw)
        status = add_constraints(nodes, &path, result, err);
    return status == AM_OK && draw ? add_lines(nodes, &path, result, err) : status;
}
