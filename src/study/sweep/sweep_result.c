/* The result of a sweep, from its record. */
#include <math.h>

#include "base/columns.h"
#include "base/result_reuse.h"
#include "base/try.h"
#include "output/error_document.h"
#include "study/sweep/grid.h"
#include "study/sweep/points.h"

static void add_columns(const am_sweep_record *record, am_table *table) {
    const am_sweep_setting *sweep = record->sweep;
    for (size_t a = 0; a < sweep->axes.count; a++)
        am_table_describe_as(table, "<number>", sweep->axes.keys[a]->text);
    for (size_t o = 0; o < record->output_count; o++)
        if (record->columns[o].texts)
            am_table_add_column(table, record->outputs[o], "", AM_COLUMN_TEXT, NULL);
        else
            am_table_describe_output(table, record->outputs[o], sweep->refine.output != NULL);
    am_table_describe(table, sweep->refine.output ? "failure evaluated" : "failure");
}

/* An output's column: its numbers are moved into the table, its texts copied. Failed points have neither. */
static void fill_output(am_sweep_record *record, am_table *table, size_t output, am_error *err) {
    am_sweep_column *own = &record->columns[output];
    size_t column = record->sweep->axes.count + output;
    for (size_t p = 0; own->numbers && record->failures && p < record->points; p++)
        if (record->failures[p])
            own->numbers[p] = NAN;
    if (!own->texts)
        am_table_adopt(table, column, &own->numbers);
    for (size_t p = 0; own->texts && p < record->points; p++) {
        const char *text = am_sweep_record_failure(record, p) ? NULL : am_sweep_record_cell(record, p, output).text;
        if (text)
            am_table_put_text(table, p, column, text, err);
    }
}

static am_status fill_points(const am_sweep_record *record, am_table *table, am_error *err) {
    size_t axes = record->sweep->axes.count;
    for (size_t p = 0; p < record->points; p++) {
        const char *failure = am_sweep_record_failure(record, p);
        for (size_t a = 0; a < axes; a++)
            am_table_put_number(table, p, a, am_grid_value(record->sweep, p, a));
        if (failure)
            am_table_put_text(table, p, axes + record->output_count, failure, err);
        if (record->sweep->refine.output)
            am_table_put_number(table, p, axes + record->output_count + 1, record->known[p] != AM_SWEEP_FILLED);
    }
    return am_table_status(table, err);
}

/* Columns of numbers are moved in before there are rows, texts are copied after. */
static am_status fill_table(am_sweep_record *record, am_table *table, am_error *err) {
    const am_sweep_setting *sweep = record->sweep;
    size_t shape[AM_SWEEP_AXES];
    for (size_t a = 0; a < sweep->axes.count; a++) {
        const am_sweep_axis *axis = (const am_sweep_axis *)sweep->axes.items + a;
        shape[a] = axis->draw == AM_SWEEP_GRID ? axis->count : 0;
    }
    add_columns(record, table);
    am_table_set_axes(table, sweep->axes.count, shape);
    AM_TRY(am_table_status(table, err));
    for (size_t o = 0; o < record->output_count; o++)
        if (!record->columns[o].texts)
            fill_output(record, table, o, err);
    AM_TRY(am_table_make_rows(table, record->points, err));
    for (size_t o = 0; o < record->output_count; o++)
        if (record->columns[o].texts)
            fill_output(record, table, o, err);
    return fill_points(record, table, err);
}

static void fill_summary(const am_sweep_record *record, const char *first, am_result *result, am_error *err) {
    am_result_set_count(result, "points", record->points, err);
    if (record->sweep->refine.output)
        am_result_set_count(result, "evaluated", record->done, err);
    am_result_set_count(result, "failed", record->failed, err);
    am_result_set_words(result, "first_failure", first);
}

am_status am_sweep_all_failed(am_status why, size_t count, const char *first, am_error *err) {
    am_error_place place = am_error_place_of(first ? first : "there is none");
    return am_fail(err, why, "%.*severy point of the sweep failed (%zu); the first because: %s",
                   first ? (int)(place.words - first) : 0, first ? first : "", count, place.words);
}

am_status am_sweep_fill(am_sweep_record *record, const am_files *files, am_result *result, am_error *err) {
    const am_sweep_setting *sweep = record->sweep;
    const char *first = NULL;
    for (size_t p = 0; p < record->points && !first; p++)
        first = am_sweep_record_failure(record, p);
    if (record->failed == record->done)
        return am_sweep_all_failed(AM_ERR_EVIDENCE, record->failed, first, err);
    am_table *table = am_result_add_table(result, "sweep", err);
    AM_TRY(table ? fill_table(record, table, err) : AM_ERR_MEMORY);
    am_reading reading = {.pool = record->pool, .files = files, .err = err};
    if (record->kept)
        AM_TRY(am_sweep_tables(&reading, sweep, record->kept, record->points, result));
    if (sweep->over)
        AM_TRY(am_sweep_peaks(sweep, table, result, err));
    if (sweep->ratio)
        AM_TRY(am_sweep_ratios(sweep, table, result, err));
    if (am_sweep_is_drawn(sweep))
        AM_TRY(am_sweep_statistics(sweep, table, result, err));
    fill_summary(record, first, result, err);
    return am_sweep_extremes(sweep, table, result, err);
}
