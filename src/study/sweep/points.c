#include "study/sweep/points.h"
#include "base/try.h"

#include <math.h>

#include "base/memory.h"
#include "base/result_reuse.h"
#include "study/sweep/grid.h"

am_status am_sweep_record_init(am_sweep_record *record, const am_sweep_setting *sweep, am_error *err) {
    *record = (am_sweep_record){.sweep = sweep, .points = am_grid_points(sweep)};
    record->pool = am_arena_create(err);
    record->known = am_memory_new(record->points, sizeof *record->known, err);
    if (sweep->tables.count > 0)
        record->kept = am_memory_new(record->points, sizeof *record->kept, err);
    return record->pool && record->known && (record->kept || !sweep->tables.count) ? AM_OK : AM_ERR_MEMORY;
}

void am_sweep_record_clear(am_sweep_record *record) {
    for (size_t o = 0; record->columns && o < record->output_count; o++) {
        am_memory_free(record->columns[o].numbers);
        am_memory_free(record->columns[o].texts);
    }
    for (size_t p = 0; record->kept && p < record->points; p++)
        am_result_free(record->kept[p]);
    am_dictionary_clear(&record->words);
    am_memory_free(record->kept);
    am_memory_free(record->failures);
    am_memory_free(record->known);
    am_memory_free(record->pending);
    am_memory_free(record->read);
    am_memory_free(record->folder);
    am_memory_free(record->study);
    am_arena_free(record->pool);
    *record = (am_sweep_record){0};
}

am_status am_sweep_record_name(am_sweep_record *record, size_t count, const char *const *outputs, am_error *err) {
    record->outputs = am_arena_new(record->pool, count, sizeof *record->outputs, err);
    record->columns = record->outputs ? am_arena_new(record->pool, count, sizeof *record->columns, err) : NULL;
    if (!record->columns)
        return AM_ERR_MEMORY;
    record->output_count = count;
    for (size_t i = 0; i < count; i++) {
        record->outputs[i] = outputs[i];
        if (am_arena_keep(record->pool, &record->outputs[i], err) != AM_OK)
            return AM_ERR_MEMORY;
    }
    return AM_OK;
}

/* ---- cells ---- */

am_sweep_cell am_sweep_record_cell(const am_sweep_record *record, size_t point, size_t output) {
    const am_sweep_column *column = &record->columns[output];
    if (column->texts && column->texts[point])
        return (am_sweep_cell){NAN, am_dictionary_word(&record->words, column->texts[point] - 1)};
    return (am_sweep_cell){column->numbers ? column->numbers[point] : NAN, NULL};
}

const char *am_sweep_record_failure(const am_sweep_record *record, size_t point) {
    uint32_t code = record->failures ? record->failures[point] : 0;
    return code ? am_dictionary_word(&record->words, code - 1) : NULL;
}

/* The code of a text, plus one, at a point's place in a list of codes that is made when first needed. */
static am_status put_code(am_sweep_record *record, uint32_t **codes, size_t point, const char *text, am_error *err) {
    uint32_t code;
    AM_TRY(am_dictionary_code(&record->words, text, &code, err));
    if (!*codes && !(*codes = am_memory_new(record->points, sizeof **codes, err)))
        return AM_ERR_MEMORY;
    (*codes)[point] = code + 1;
    return AM_OK;
}

am_status am_sweep_record_put(am_sweep_record *record, size_t point, size_t output, am_sweep_cell cell, am_error *err) {
    am_sweep_column *column = &record->columns[output];
    if (cell.text)
        return put_code(record, &column->texts, point, cell.text, err);
    if (!column->numbers && !(column->numbers = am_memory_new(record->points, sizeof *column->numbers, err)))
        return AM_ERR_MEMORY;
    if (column->texts)
        column->texts[point] = 0;
    column->numbers[point] = cell.number;
    return AM_OK;
}

am_status am_sweep_record_put_failure(am_sweep_record *record, size_t point, const char *failure, am_error *err) {
    return put_code(record, &record->failures, point, failure, err);
}

void am_sweep_record_clear_failure(am_sweep_record *record, size_t point) {
    if (record->failures)
        record->failures[point] = 0;
}

/* ---- points ---- */

/* Held: what is known of it, its place in the list of points to run or in the column of failures, its outputs and its
 * axes. Failures are counted as if there were some; refinement has lists and a column of its own. Then the results are
 * written, and their file is made in memory. */
double am_sweep_record_bytes(const am_sweep_setting *sweep, size_t outputs) {
    const double numbers = 8.0 * (double)(outputs + sweep->axes.count), early = 1 + 4 + 4 + numbers;
    const double more = (sweep->refine.output ? 1 + 4 + 8 : 0) + (sweep->tables.count > 0 ? sizeof(am_result *) : 0);
    return early + more + numbers + 4;
}

static am_status enter_outputs(am_sweep_record *record, size_t point, const am_result *result, am_error *err) {
    am_status status = AM_OK;
    for (size_t o = 0; o < record->output_count && !status; o++) {
        const am_scalar *scalar = am_result_find(result, record->outputs[o]);
        bool text = scalar && scalar->kind == AM_SCALAR_TEXT, number = scalar && scalar->kind != AM_SCALAR_NONE;
        am_sweep_cell cell = {number && !text ? scalar->number : NAN, text ? scalar->text : NULL};
        status = am_sweep_record_put(record, point, o, cell, err);
    }
    return status;
}

static am_status take_tables(am_sweep_record *record, size_t point, am_result *result, am_error *err) {
    const am_texts *wanted = &record->sweep->tables;
    am_status status = AM_OK;
    record->kept[point] = am_result_create(err);
    if (!record->kept[point])
        return AM_ERR_MEMORY;
    for (size_t t = 0; t < wanted->count && !status; t++)
        status = am_result_move_table(record->kept[point], result, wanted->values[t], err);
    return status;
}

/* A point that no file holds yet. */
static am_status note_pending(am_sweep_record *record, size_t point, am_error *err) {
    AM_TRY(am_memory_reserve(&record->pending, &record->pending_capacity, record->pending_count + 1, err));
    record->pending[record->pending_count++] = (uint32_t)point;
    return AM_OK;
}

am_status am_sweep_record_enter(am_sweep_record *record, size_t point, am_result *result, const char *failure,
                                am_error *err) {
    AM_TRY(failure ? am_sweep_record_put_failure(record, point, failure, err)
                   : enter_outputs(record, point, result, err));
    if (!failure && record->kept)
        AM_TRY(take_tables(record, point, result, err));
    if (record->lists)
        AM_TRY(note_pending(record, point, err));
    record->known[point] = failure ? AM_SWEEP_FAILED : AM_SWEEP_DONE;
    record->done++;
    record->failed += failure != NULL;
    return AM_OK;
}
