/* What a drawn sweep says as a sample: the tables `statistics`, `probabilities` and `sensitivity`. */
#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/try.h"
#include "math/sampling.h"
#include "study/sweep/grid.h"
#include "study/sweep/sweep.h"

typedef struct sample {
    const am_sweep_setting *sweep;
    const am_table *table; /* `sweep` */
    am_arena memory;
    double *values; /* rows: the known values of one output */
    size_t *rows;   /* rows: where they stand */
    size_t count;   /* of them */
    /* Factors at the rows of the output before: most outputs are known at the same ones. */
    am_factors *factors;
    size_t *known, known_count;
    double **x; /* per axis: its values at these rows */
} sample;

static void take(sample *s, size_t column) {
    const double *values = am_table_numbers(s->table, column);
    s->count = 0;
    for (size_t row = 0; row < am_table_rows(s->table); row++)
        if (isfinite(values[row])) {
            s->rows[s->count] = row;
            s->values[s->count++] = values[row];
        }
}

static am_status open_sample(sample *s, am_error *err) {
    size_t rows = am_table_rows(s->table), axes = s->sweep->axes.count;
    s->values = am_arena_new(&s->memory, rows, sizeof *s->values, err);
    s->rows = am_arena_new(&s->memory, rows, sizeof *s->rows, err);
    s->known = am_arena_new(&s->memory, rows, sizeof *s->known, err);
    s->x = am_arena_new(&s->memory, axes, sizeof *s->x, err);
    for (size_t a = 0; s->x && a < axes; a++)
        s->x[a] = am_arena_new(&s->memory, rows, sizeof **s->x, err);
    return am_arena_status(&s->memory);
}

static void close_sample(sample *s) {
    am_factors_free(s->factors);
    am_arena_clear(&s->memory);
}

/* ---- statistics ---- */

static void add_moments(sample *s, size_t column, am_table *into) {
    if (s->count == 0)
        return;
    am_sample_moments m = am_sample_describe(s->values, s->count);
    const double *q = m.quantiles;
    am_table_add_numbers(into,
                         AM_NUMBERS((double)s->count, m.mean, m.mean_error, m.deviation, q[0], q[1], q[2], q[3], q[4]));
    am_table_set_text(into, 0, am_table_column_name(s->table, column), NULL);
}

/* ---- probabilities ---- */

static void add_probability(am_table *into, const char *name, size_t hits, size_t count) {
    double low, high;
    if (count == 0)
        return;
    am_sample_interval(hits, count, &low, &high);
    am_table_add_numbers(into, AM_NUMBERS((double)count, (double)hits / (double)count, low, high));
    am_table_set_text(into, 0, name, NULL);
}

static size_t count_between(const sample *s, double above, double below) {
    size_t hits = 0;
    for (size_t i = 0; i < s->count; i++) /* a limit that is not given is NaN */
        hits += !(s->values[i] <= above) && !(s->values[i] >= below);
    return hits;
}

/* Flags by their names, then the conditions of the study. */
static am_status fill_probabilities(sample *s, am_table *into, am_error *err) {
    const am_sweep_condition *conditions = s->sweep->conditions.items;
    for (size_t c = s->sweep->axes.count; c < am_table_columns(s->table); c++)
        if (am_table_column_kind(s->table, c) == AM_COLUMN_FLAG) {
            take(s, c);
            add_probability(into, am_table_column_name(s->table, c), count_between(s, 0.5, NAN), s->count);
        }
    for (size_t i = 0; i < s->sweep->conditions.count; i++) {
        size_t column = am_table_find_column(s->table, conditions[i].output);
        if (column >= am_table_columns(s->table) || am_table_column_kind(s->table, column) == AM_COLUMN_TEXT)
            return am_fail_field(err, AM_ERR_INPUT, "sweep.conditions", "%s is no output of the sweep that is a number",
                                 conditions[i].output);
        take(s, column);
        add_probability(into, s->sweep->conditions.keys[i]->text,
                        count_between(s, conditions[i].above, conditions[i].below), s->count);
    }
    return am_table_status(into, err);
}

/* ---- sensitivity ---- */

static am_status prepare_factors(sample *s, am_error *err) {
    if (s->factors && s->known_count == s->count && memcmp(s->known, s->rows, s->count * sizeof *s->rows) == 0)
        return AM_OK;
    am_factors_free(s->factors);
    s->known_count = s->count;
    memcpy(s->known, s->rows, s->count * sizeof *s->rows);
    for (size_t a = 0; a < s->sweep->axes.count; a++)
        for (size_t i = 0; i < s->count; i++)
            s->x[a][i] = am_table_number(s->table, s->rows[i], a);
    s->factors = am_factors_create(s->count, s->sweep->axes.count, (const double *const *)s->x, err);
    return s->factors ? AM_OK : AM_ERR_MEMORY;
}

static am_status add_sensitivity(sample *s, size_t column, am_table *into, am_error *err) {
    if (s->count == 0)
        return AM_OK;
    AM_TRY(prepare_factors(s, err));
    for (size_t a = 0; a < s->sweep->axes.count; a++) {
        am_sensitivity d = am_factors_sensitivity(s->factors, a, s->values);
        am_table_add_numbers(into, AM_NUMBERS(d.first, d.first_error, d.total, d.total_error));
        am_table_set_text(into, 0, am_table_column_name(s->table, column), NULL);
        am_table_set_text(into, 1, am_table_column_name(s->table, a), NULL);
    }
    return am_table_status(into, err);
}

/* ---- all of them ---- */

/* The estimators need neighbours along one number that are independent in all others. Points of a Sobol sequence are far
 * apart there by construction, and those of a grid are the same. */
static bool all_axes_are_random(const am_sweep_setting *sweep) {
    const am_sweep_axis *axes = sweep->axes.items;
    for (size_t a = 0; a < sweep->axes.count; a++)
        if (axes[a].draw != AM_SWEEP_RANDOM)
            return false;
    return true;
}

static am_status fill_tables(sample *s, am_result *result, am_error *err) {
    am_table *moments = am_result_describe_table(result, "statistics",
                                                 "output points mean mean_error deviation p05 p25 median p75 p95");
    am_table *probabilities =
        am_result_describe_table(result, "probabilities", "condition points probability low high");
    am_table *sensitivity =
        all_axes_are_random(s->sweep)
            ? am_result_describe_table(result, "sensitivity",
                                       "output axis first_order first_order_error total total_error")
            : NULL;
    AM_TRY(am_result_status(result, err));
    for (size_t c = s->sweep->axes.count; c + 1 < am_table_columns(s->table); c++) {
        if (am_table_column_kind(s->table, c) == AM_COLUMN_TEXT)
            continue;
        take(s, c);
        if (sensitivity) /* before the values are sorted */
            AM_TRY(add_sensitivity(s, c, sensitivity, err));
        add_moments(s, c, moments);
    }
    AM_TRY(fill_probabilities(s, probabilities, err));
    return am_result_status(result, err);
}

am_status am_sweep_statistics(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err) {
    AM_LOCAL(close_sample) sample s = {.sweep = sweep, .table = table};
    AM_TRY(open_sample(&s, err));
    return fill_tables(&s, result, err);
}
