/* The result of a sweep, from its book. */
#include <math.h>

#include "study/sweep/book.h"
#include "study/sweep/grid.h"

static bool is_text_column(const am_sweep_book *book, size_t output) {
    for (size_t p = 0; p < book->points; p++)
        if (book->cells[p * book->output_count + output].text)
            return true;
    return false;
}

static am_status add_columns(const am_sweep_book *book, am_table *table, am_error *err) {
    const am_sweep_setting *sweep = book->sweep;
    am_status status = AM_OK;
    for (size_t a = 0; status == AM_OK && a < sweep->axes.count; a++)
        status = am_table_add_column(table, sweep->axes.keys[a]->text, "", AM_COLUMN_NUMBER, err);
    for (size_t o = 0; status == AM_OK && o < book->output_count; o++)
        status = am_table_add_column(table, book->outputs[o], "",
                                     is_text_column(book, o) ? AM_COLUMN_TEXT : AM_COLUMN_NUMBER, err);
    if (status == AM_OK)
        status = am_table_add_column(table, "failure", "", AM_COLUMN_TEXT, err);
    if (status == AM_OK && sweep->refine.output)
        status = am_table_add_column(table, "evaluated", "", AM_COLUMN_NUMBER, err);
    return status;
}

static am_status fill_row(const am_sweep_book *book, am_table *table, size_t point, am_error *err) {
    size_t axes = book->sweep->axes.count;
    am_status status = am_table_add_row(table, err);
    if (status != AM_OK)
        return status;
    for (size_t a = 0; a < axes; a++)
        am_table_set_number(table, a, am_grid_value(book->sweep, point, a));
    if (book->sweep->refine.output)
        am_table_set_number(table, axes + book->output_count + 1, book->known[point] != AM_SWEEP_FILLED);
    if (book->failures[point])
        return am_table_set_text(table, axes + book->output_count, book->failures[point], err);
    for (size_t o = 0; status == AM_OK && o < book->output_count; o++) {
        const am_sweep_cell *c = &book->cells[point * book->output_count + o];
        if (am_table_column_kind(table, axes + o) == AM_COLUMN_TEXT)
            status = am_table_set_text(table, axes + o, c->text ? c->text : "", err);
        else
            am_table_set_number(table, axes + o, c->number);
    }
    return status;
}

static am_status fill_summary(const am_sweep_book *book, const char *first, am_result *result, am_error *err) {
    am_status status = am_result_set_count(result, "points", book->points, err);
    if (status == AM_OK && book->sweep->refine.output)
        status = am_result_set_count(result, "evaluated", book->done, err);
    if (status == AM_OK)
        status = am_result_set_count(result, "failed", book->failed, err);
    if (status == AM_OK)
        status = first ? am_result_set_text(result, "first_failure", first, err)
                       : am_result_set_none(result, "first_failure", err);
    return status;
}

am_status am_sweep_fill(const am_sweep_book *book, const char *folder, am_result *result, am_error *err) {
    const am_sweep_setting *sweep = book->sweep;
    const char *first = NULL;
    for (size_t p = 0; p < book->points && !first; p++)
        first = book->failures[p];
    if (book->failed == book->done)
        return am_fail(err, AM_ERR_EVIDENCE, "every point of the sweep failed (%zu); the first because: %s",
                       book->failed, first ? first : "there is none");
    am_table *table = am_result_add_table(result, "sweep", err);
    am_status status = table ? add_columns(book, table, err) : AM_ERR_MEMORY;
    am_reading reading = {book->pool, folder, err};
    for (size_t p = 0; status == AM_OK && p < book->points; p++)
        status = fill_row(book, table, p, err);
    if (status == AM_OK && book->kept)
        status = am_sweep_tables(&reading, sweep, book->kept, book->points, result);
    if (status == AM_OK && sweep->over)
        status = am_sweep_peaks(sweep, table, result, err);
    if (status == AM_OK && sweep->ratio)
        status = am_sweep_ratios(sweep, table, result, err);
    if (status == AM_OK)
        status = fill_summary(book, first, result, err);
    return status == AM_OK ? am_sweep_extremes(sweep, table, result, err) : status;
}
