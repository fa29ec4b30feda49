/* The result of a sweep, from its book. */
#include <math.h>

#include "base/result_reuse.h"
#include "study/sweep/grid.h"
#include "study/sweep/points.h"

static am_status add_columns(const am_sweep_book *book, am_table *table, am_error *err) {
    const am_sweep_setting *sweep = book->sweep;
    am_status status = AM_OK;
    for (size_t a = 0; status == AM_OK && a < sweep->axes.count; a++)
        status = am_table_add_column(table, sweep->axes.keys[a]->text, "", AM_COLUMN_NUMBER, err);
    for (size_t o = 0; status == AM_OK && o < book->output_count; o++)
        status = am_table_add_column(table, book->outputs[o], "",
                                     book->columns[o].texts ? AM_COLUMN_TEXT : AM_COLUMN_NUMBER, err);
    if (status == AM_OK)
        status = am_table_add_column(table, "failure", "", AM_COLUMN_TEXT, err);
    if (status == AM_OK && sweep->refine.output)
        status = am_table_add_column(table, "evaluated", "", AM_COLUMN_FLAG, err);
    return status;
}

/* An output's column: its numbers change hands, its texts are put down again. Failed points have neither. */
static am_status fill_output(am_sweep_book *book, am_table *table, size_t output, am_error *err) {
    am_sweep_column *own = &book->columns[output];
    size_t column = book->sweep->axes.count + output;
    am_status status = AM_OK;
    for (size_t p = 0; own->numbers && book->failures && p < book->points; p++)
        if (book->failures[p])
            own->numbers[p] = NAN;
    if (!own->texts) {
        am_table_adopt(table, column, &own->numbers);
        return AM_OK;
    }
    for (size_t p = 0; p < book->points && !status; p++) {
        const char *text = am_sweep_book_failure(book, p) ? NULL : am_sweep_book_cell(book, p, output).text;
        if (text)
            status = am_table_put_text(table, p, column, text, err);
    }
    return status;
}

static am_status fill_points(const am_sweep_book *book, am_table *table, am_error *err) {
    size_t axes = book->sweep->axes.count;
    am_status status = AM_OK;
    for (size_t p = 0; p < book->points && !status; p++) {
        const char *failure = am_sweep_book_failure(book, p);
        for (size_t a = 0; a < axes; a++)
            am_table_put_number(table, p, a, am_grid_value(book->sweep, p, a));
        if (failure)
            status = am_table_put_text(table, p, axes + book->output_count, failure, err);
        if (book->sweep->refine.output)
            am_table_put_number(table, p, axes + book->output_count + 1, book->known[p] != AM_SWEEP_FILLED);
    }
    return status;
}

/* Numbers are adopted before the rows are laid, texts put down after. */
static am_status fill_table(am_sweep_book *book, am_table *table, am_error *err) {
    am_status status = add_columns(book, table, err);
    for (size_t o = 0; o < book->output_count && !status; o++)
        status = book->columns[o].texts ? AM_OK : fill_output(book, table, o, err);
    if (!status)
        status = am_table_lay(table, book->points, err);
    for (size_t o = 0; o < book->output_count && !status; o++)
        status = book->columns[o].texts ? fill_output(book, table, o, err) : AM_OK;
    return status ? status : fill_points(book, table, err);
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

am_status am_sweep_fill(am_sweep_book *book, const am_files *files, am_result *result, am_error *err) {
    const am_sweep_setting *sweep = book->sweep;
    const char *first = NULL;
    for (size_t p = 0; p < book->points && !first; p++)
        first = am_sweep_book_failure(book, p);
    if (book->failed == book->done)
        return am_fail(err, AM_ERR_EVIDENCE, "every point of the sweep failed (%zu); the first because: %s",
                       book->failed, first ? first : "there is none");
    am_table *table = am_result_add_table(result, "sweep", err);
    am_status status = table ? fill_table(book, table, err) : AM_ERR_MEMORY;
    am_reading reading = {.pool = book->pool, .files = files, .err = err};
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
