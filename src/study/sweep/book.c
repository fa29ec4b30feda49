#include "study/sweep/book.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "study/sweep/grid.h"

am_status am_sweep_book_init(am_sweep_book *book, const am_sweep_setting *sweep, am_error *err) {
    *book = (am_sweep_book){.sweep = sweep, .points = am_grid_points(sweep)};
    book->pool = am_pool_create(err);
    book->known = am_memory_new(book->points, sizeof *book->known, err);
    book->failures = am_memory_new(book->points, sizeof *book->failures, err);
    book->pending = am_memory_new(book->points, sizeof *book->pending, err);
    if (sweep->tables.count > 0)
        book->kept = am_memory_new(book->points, sizeof *book->kept, err);
    bool ready = book->pool && book->known && book->failures && book->pending && (book->kept || !sweep->tables.count);
    return ready ? AM_OK : AM_ERR_MEMORY;
}

void am_sweep_book_drop(am_sweep_book *book, size_t point) {
    for (size_t o = 0; o < book->output_count; o++) {
        am_sweep_cell *cell = &book->cells[point * book->output_count + o];
        am_memory_free(cell->text);
        *cell = (am_sweep_cell){0};
    }
}

void am_sweep_book_clear(am_sweep_book *book) {
    for (size_t p = 0; book->cells && p < book->points; p++) /* what no point has reached was never touched */
        if (book->known[p] != AM_SWEEP_OPEN)
            am_sweep_book_drop(book, p);
    for (size_t p = 0; book->failures && p < book->points; p++)
        am_memory_free(book->failures[p]);
    for (size_t p = 0; book->kept && p < book->points; p++)
        am_result_free(book->kept[p]);
    am_memory_free(book->kept);
    am_memory_free(book->cells);
    am_memory_free(book->failures);
    am_memory_free(book->known);
    am_memory_free(book->pending);
    am_memory_free(book->read);
    am_memory_free(book->folder);
    am_memory_free(book->study);
    am_pool_free(book->pool);
    *book = (am_sweep_book){0};
}

am_status am_sweep_book_name(am_sweep_book *book, size_t count, const char *const *outputs, am_error *err) {
    book->outputs = am_pool_new(book->pool, count, sizeof *book->outputs, err);
    book->cells = book->outputs ? am_memory_new(book->points, (count + 1) * sizeof *book->cells, err) : NULL;
    if (!book->cells)
        return AM_ERR_MEMORY;
    book->output_count = count;
    for (size_t i = 0; i < count; i++) {
        book->outputs[i] = outputs[i];
        if (am_pool_keep(book->pool, &book->outputs[i], err) != AM_OK)
            return AM_ERR_MEMORY;
    }
    return AM_OK;
}

static am_status enter_outputs(am_sweep_book *book, size_t point, const am_result *result, am_error *err) {
    for (size_t o = 0; o < book->output_count; o++) {
        am_sweep_cell *c = &book->cells[point * book->output_count + o];
        const am_scalar *scalar = am_result_find(result, book->outputs[o]);
        c->number = scalar && scalar->kind != AM_SCALAR_NONE && scalar->kind != AM_SCALAR_TEXT ? scalar->number : NAN;
        if (!scalar || scalar->kind != AM_SCALAR_TEXT)
            continue;
        c->text = am_memory_text(scalar->text, err);
        if (!c->text)
            return AM_ERR_MEMORY;
    }
    return AM_OK;
}

am_status am_sweep_book_enter(am_sweep_book *book, size_t point, am_result *result, const char *failure,
                              am_error *err) {
    am_status status = AM_OK;
    if (failure) {
        book->failures[point] = am_memory_text(failure, err);
        status = book->failures[point] ? AM_OK : AM_ERR_MEMORY;
    } else {
        status = enter_outputs(book, point, result, err);
    }
    if (status)
        am_sweep_book_drop(book, point);
    if (!status) {
        book->known[point] = failure ? AM_SWEEP_FAILED : AM_SWEEP_DONE;
        book->done++;
        book->failed += failure != NULL;
        if (book->folder)
            book->pending[book->pending_count++] = point;
    }
    if (!status && !failure && book->kept)
        book->kept[point] = result;
    else
        am_result_free(result);
    return status;
}
