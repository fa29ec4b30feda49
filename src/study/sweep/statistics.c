/* What a drawn sweep says as a sample: the tables `statistics`, `probabilities` and `sensitivity`. */
#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/try.h"
#include "math/sampling.h"
#include "study/sweep/grid.h"
#include "study/sweep/sweep.h"

/* Values of axes of a grid have a sample each: of `size` rows, where the same draws stand in the same order. */
typedef struct sample {
    const am_sweep_setting *sweep;
    const am_table *table; /* `sweep` */
    am_arena memory;
    size_t size, groups, group;
    size_t *rows;        /* of all groups, one after the other */
    size_t fixed, drawn; /* how many axes of either kind */
    size_t *fixed_axes, *drawn_axes;
    double *values; /* size: the known values of one output */
    size_t *places; /* size: which of the draws they belong to */
    size_t count;   /* of them */
    /* Factors at the places of the output before: most outputs are known at the same ones. */
    am_factors *factors;
    size_t *known, known_count;
    double **x;           /* per drawn axis: its values at these places */
    am_sensitivity *each; /* per drawn axis */
} sample;

static size_t row_of(const sample *s, size_t place) {
    return s->rows[s->group * s->size + place];
}

static void take(sample *s, size_t column) {
    const double *values = am_table_numbers(s->table, column);
    s->count = 0;
    for (size_t place = 0; place < s->size; place++)
        if (isfinite(values[row_of(s, place)])) {
            s->places[s->count] = place;
            s->values[s->count++] = values[row_of(s, place)];
        }
}

/* Rows by group. */
static am_status sort_rows(sample *s, am_error *err) {
    size_t *filled = am_arena_new(&s->memory, s->groups, sizeof *filled, err);
    s->rows = am_arena_new(&s->memory, am_table_rows(s->table), sizeof *s->rows, err);
    AM_TRY(am_arena_status(&s->memory));
    for (size_t row = 0; row < am_table_rows(s->table); row++) {
        size_t group = am_grid_group(s->sweep, row);
        s->rows[group * s->size + filled[group]++] = row;
    }
    return AM_OK;
}

static am_status open_sample(sample *s, am_error *err) {
    const am_sweep_axis *axes = s->sweep->axes.items;
    size_t count = s->sweep->axes.count;
    s->groups = am_grid_groups(s->sweep);
    s->size = am_table_rows(s->table) / s->groups;
    s->fixed_axes = am_arena_new(&s->memory, count, sizeof *s->fixed_axes, err);
    s->drawn_axes = am_arena_new(&s->memory, count, sizeof *s->drawn_axes, err);
    s->values = am_arena_new(&s->memory, s->size, sizeof *s->values, err);
    s->places = am_arena_new(&s->memory, s->size, sizeof *s->places, err);
    s->known = am_arena_new(&s->memory, s->size, sizeof *s->known, err);
    s->each = am_arena_new(&s->memory, count, sizeof *s->each, err);
    s->x = am_arena_new(&s->memory, count, sizeof *s->x, err);
    for (size_t a = 0; s->x && a < count; a++)
        s->x[a] = am_arena_new(&s->memory, s->size, sizeof **s->x, err);
    AM_TRY(am_arena_status(&s->memory));
    for (size_t a = 0; a < count; a++)
        *(axes[a].draw == AM_SWEEP_GRID ? &s->fixed_axes[s->fixed++] : &s->drawn_axes[s->drawn++]) = a;
    return sort_rows(s, err);
}

static void close_sample(sample *s) {
    am_factors_free(s->factors);
    am_arena_clear(&s->memory);
}

/* A table with the axes of the grid in front. */
static am_table *describe(const sample *s, am_result *result, const char *name, const char *columns) {
    am_table *table = am_result_describe_table(result, name, "");
    for (size_t a = 0; a < s->fixed; a++)
        am_table_describe_as(table, "<number>", s->sweep->axes.keys[s->fixed_axes[a]]->text);
    am_table_describe(table, columns);
    return table;
}

/* A new row: where on the grid, then names and numbers. */
static void add_row(const sample *s, am_table *into, const char *const *names, const double *numbers, size_t count) {
    double all[AM_SWEEP_AXES + 16];
    for (size_t a = 0; a < s->fixed; a++)
        all[a] = am_table_number(s->table, row_of(s, 0), s->fixed_axes[a]);
    memcpy(all + s->fixed, numbers, count * sizeof *numbers);
    am_table_add_numbers(into, all, s->fixed + count);
    for (size_t i = 0; names[i]; i++)
        am_table_set_text(into, s->fixed + i, names[i], NULL);
}

/* ---- statistics ---- */

static void add_moments(sample *s, size_t column, am_table *into) {
    if (s->count == 0)
        return;
    am_sample_moments m = am_sample_describe(s->values, s->count);
    const double *q = m.quantiles;
    add_row(s, into, (const char *[]){am_table_column_name(s->table, column), NULL},
            AM_NUMBERS((double)s->count, m.mean, m.mean_error, m.deviation, q[0], q[1], q[2], q[3], q[4]));
}

/* ---- probabilities ---- */

static void add_probability(const sample *s, am_table *into, const char *name, size_t hits) {
    double low, high;
    if (s->count == 0)
        return;
    am_sample_interval(hits, s->count, &low, &high);
    add_row(s, into, (const char *[]){name, NULL},
            AM_NUMBERS((double)s->count, (double)hits / (double)s->count, low, high));
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
            add_probability(s, into, am_table_column_name(s->table, c), count_between(s, 0.5, NAN));
        }
    for (size_t i = 0; i < s->sweep->conditions.count; i++) {
        size_t column = am_table_find_column(s->table, conditions[i].output);
        if (column >= am_table_columns(s->table) || am_table_column_kind(s->table, column) == AM_COLUMN_TEXT)
            return am_fail_field(err, AM_ERR_INPUT, "sweep.conditions", "%s is no output of the sweep that is a number",
                                 conditions[i].output);
        take(s, column);
        add_probability(s, into, s->sweep->conditions.keys[i]->text,
                        count_between(s, conditions[i].above, conditions[i].below));
    }
    return am_table_status(into, err);
}

/* ---- sensitivity ---- */

static am_status prepare_factors(sample *s, am_error *err) {
    const am_sweep_axis *axes = s->sweep->axes.items;
    bool even = true; /* beside independent numbers a sequence is no more even than they are */
    if (s->factors && s->known_count == s->count && memcmp(s->known, s->places, s->count * sizeof *s->places) == 0)
        return AM_OK;
    am_factors_free(s->factors);
    s->known_count = s->count;
    memcpy(s->known, s->places, s->count * sizeof *s->places);
    for (size_t a = 0; a < s->drawn; a++) {
        even = even && axes[s->drawn_axes[a]].draw == AM_SWEEP_SOBOL;
        for (size_t i = 0; i < s->count; i++)
            s->x[a][i] = am_table_number(s->table, row_of(s, s->places[i]), s->drawn_axes[a]);
    }
    s->factors = am_factors_create(s->count, s->drawn, even, (const double *const *)s->x, err);
    return s->factors ? AM_OK : AM_ERR_MEMORY;
}

static am_status add_sensitivity(sample *s, size_t column, am_table *into, am_error *err) {
    if (s->count == 0)
        return AM_OK;
    AM_TRY(prepare_factors(s, err));
    am_factors_sensitivity(s->factors, s->values, s->each);
    for (size_t a = 0; a < s->drawn; a++) {
        const am_sensitivity *d = &s->each[a];
        add_row(s, into,
                (const char *[]){am_table_column_name(s->table, column),
                                 am_table_column_name(s->table, s->drawn_axes[a]), NULL},
                AM_NUMBERS(d->first, d->first_error, d->total, d->total_error));
    }
    return am_table_status(into, err);
}

/* ---- all of them ---- */

static am_status fill_tables(sample *s, am_result *result, am_error *err) {
    am_table *moments =
        describe(s, result, "statistics", "output points mean mean_error deviation p05 p25 median p75 p95");
    am_table *probabilities = describe(s, result, "probabilities", "condition points probability low high");
    am_table *sensitivity =
        describe(s, result, "sensitivity", "output axis first_order first_order_error total total_error");
    AM_TRY(am_result_status(result, err));
    for (s->group = 0; s->group < s->groups; s->group++) {
        for (size_t c = s->sweep->axes.count; c + 1 < am_table_columns(s->table); c++) {
            if (am_table_column_kind(s->table, c) == AM_COLUMN_TEXT)
                continue;
            take(s, c);
            AM_TRY(add_sensitivity(s, c, sensitivity, err)); /* before the values are sorted */
            add_moments(s, c, moments);
        }
        AM_TRY(fill_probabilities(s, probabilities, err));
    }
    return am_result_status(result, err);
}

am_status am_sweep_statistics(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err) {
    AM_LOCAL(close_sample) sample s = {.sweep = sweep, .table = table};
    AM_TRY(open_sample(&s, err));
    return fill_tables(&s, result, err);
}
