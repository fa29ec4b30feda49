#include "study/sweep/points.h"
#include "base/try.h"

#include <math.h>

#include "base/memory.h"
#include "base/result_reuse.h"
#include "study/sweep/grid.h"

am_status am_sweep_book_init(am_sweep_book *book, const am_sweep_setting *sweep, am_error *err) {
    *book = (am_sweep_book){.sweep = sweep, .points = am_grid_points(sweep)};
    book->pool = am_arena_create(err);
    book->known = am_memory_new(book->points, sizeof *book->known, err);
    if (sweep->tables.count > 0)
        book->kept = am_memory_new(book->points, sizeof *book->kept, err);
    return book->pool && book->known && (book->kept || !sweep->tables.count) ? AM_OK : AM_ERR_MEMORY;
}

void am_sweep_book_clear(am_sweep_book *book) {
    for (size_t o = 0; book->columns && o < book->output_count; o++) {
        am_memory_free(book->columns[o].numbers);
        am_memory_free(book->columns[o].texts);
    }
    for (size_t p = 0; book->kept && p < book->points; p++)
        am_result_free(book->kept[p]);
    am_dictionary_clear(&book->words);
    am_memory_free(book->kept);
    am_memory_free(book->failures);
    am_memory_free(book->known);
    am_memory_free(book->pending);
    am_memory_free(book->read);
    am_memory_free(book->folder);
    am_memory_free(book->study);
    am_arena_free(book->pool);
    *book = (am_sweep_book){0};
}

am_status am_sweep_book_name(am_sweep_book *book, size_t count, const char *const *outputs, am_error *err) {
    book->outputs = am_arena_new(book->pool, count, sizeof *book->outputs, err);
    book->columns = book->outputs ? am_arena_new(book->pool, count, sizeof *book->columns, err) : NULL;
    if (!book->columns)
        return AM_ERR_MEMORY;
    book->output_count = count;
    for (size_t i = 0; i < count; i++) {
        book->outputs[i] = outputs[i];
        if (am_arena_keep(book->pool, &book->outputs[i], err) != AM_OK)
            return AM_ERR_MEMORY;
    }
    return AM_OK;
}

/* ---- cells ---- */

am_sweep_cell am_sweep_book_cell(const am_sweep_book *book, size_t point, size_t output) {
    const am_sweep_column *column = &book->columns[output];
    if (column->texts && column->texts[point])
        return (am_sweep_cell){NAN, am_dictionary_word(&book->words, column->texts[point] - 1)};
    return (am_sweep_cell){column->numbers ? column->numbers[point] : NAN, NULL};
}

const char *am_sweep_book_failure(const am_sweep_book *book, size_t point) {
    uint32_t code = book->failures ? book->failures[point] : 0;
    return code ? am_dictionary_word(&book->words, code - 1) : NULL;
}

/* The code of a text, plus one, at a point's place in a list of codes that is made when first needed. */
static am_status put_code(am_sweep_book *book, uint32_t **codes, size_t point, const char *text, am_error *err) {
    uint32_t code;
    AM_TRY(am_dictionary_code(&book->words, text, &code, err));
    if (!*codes && !(*codes = am_memory_new(book->points, sizeof **codes, err)))
        return AM_ERR_MEMORY;
    (*codes)[point] = code + 1;
    return AM_OK;
}

am_status am_sweep_book_put(am_sweep_book *book, size_t point, size_t output, am_sweep_cell cell, am_error *err) {
    am_sweep_column *column = &book->columns[output];
    if (cell.text)
        return put_code(book, &column->texts, point, cell.text, err);
    if (!column->numbers && !(column->numbers = am_memory_new(book->points, sizeof *column->numbers, err)))
        return AM_ERR_MEMORY;
    if (column->texts)
        column->texts[point] = 0;
    column->numbers[point] = cell.number;
    return AM_OK;
}

am_status am_sweep_book_put_failure(am_sweep_book *book, size_t point, const char *failure, am_error *err) {
    return put_code(book, &book->failures, point, failure, err);
}

void am_sweep_book_clear_failure(am_sweep_book *book, size_t point) {
    if (book->failures)
        book->failures[point] = 0;
}

/* ---- points ---- */

/* Held: what is known of it, its place in the list of points to run or in the column of failures, its outputs and its
 * axes. Failures are counted as if there were some; refinement has lists and a column of its own. Then the results are
 * written, and their file is made in memory. */
double am_sweep_book_bytes(const am_sweep_setting *sweep, size_t outputs) {
    const double numbers = 8.0 * (double)(outputs + sweep->axes.count), held = 1 + 4 + 4 + numbers;
    const double more = (sweep->refine.output ? 1 + 4 + 8 : 0) + (sweep->tables.count > 0 ? sizeof(am_result *) : 0);
    return held + more + numbers + 4;
}

static am_status enter_outputs(am_sweep_book *book, size_t point, const am_result *result, am_error *err) {
    am_status status = AM_OK;
    for (size_t o = 0; o < book->output_count && !status; o++) {
        const am_scalar *scalar = am_result_find(result, book->outputs[o]);
        bool text = scalar && scalar->kind == AM_SCALAR_TEXT, number = scalar && scalar->kind != AM_SCALAR_NONE;
        am_sweep_cell cell = {number && !text ? scalar->number : NAN, text ? scalar->text : NULL};
        status = am_sweep_book_put(book, point, o, cell, err);
    }
    return status;
}

static am_status keep_tables(am_sweep_book *book, size_t point, am_result *result, am_error *err) {
    const am_texts *wanted = &book->sweep->tables;
    am_status status = AM_OK;
    book->kept[point] = am_result_create(err);
    if (!book->kept[point])
        return AM_ERR_MEMORY;
    for (size_t t = 0; t < wanted->count && !status; t++)
        status = am_result_move_table(book->kept[point], result, wanted->values[t], err);
    return status;
}

/* A point that no file holds yet. */
static am_status note_pending(am_sweep_book *book, size_t point, am_error *err) {
    AM_TRY(am_memory_reserve(&book->pending, &book->pending_capacity, book->pending_count + 1, err));
    book->pending[book->pending_count++] = (uint32_t)point;
    return AM_OK;
}

am_status am_sweep_book_enter(am_sweep_book *book, size_t point, am_result *result, const char *failure,
                              am_error *err) {
    AM_TRY(failure ? am_sweep_book_put_failure(book, point, failure, err) : enter_outputs(book, point, result, err));
    if (!failure && book->kept)
        AM_TRY(keep_tables(book, point, result, err));
    if (book->lists)
        AM_TRY(note_pending(book, point, err));
    book->known[point] = failure ? AM_SWEEP_FAILED : AM_SWEEP_DONE;
    book->done++;
    book->failed += failure != NULL;
    return AM_OK;
}
