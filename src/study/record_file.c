#include "study/record_file.h"

#include <math.h>
#include <stdio.h>

#include "base/try.h"
#include "imports/csv.h"
#include "study/files.h"
#include "study/schema.h"

/* A column by its name in the heading, or by its number from 1. */
static am_status find_column(am_reading *reading, const am_node *given, const am_csv *file, const char *key,
                             size_t usual, size_t *column) {
    char digits[AM_TEXT_NUMBER_SIZE];
    double number = (double)usual + 1.0;
    *column = usual;
    if (given) {
        const char *name = given->kind == AM_NODE_SCALAR ? am_node_words(given, digits) : "";
        *column = am_csv_column(file, name);
        if (*column < file->columns)
            return AM_OK;
        if (!am_node_number(given, &number) || !(number >= 1.0) || number != floor(number))
            return am_node_fail(given, reading->err, AM_ERR_INPUT,
                                "%s: there is no column '%s' in the file%s; give a name of its heading, or a number "
                                "from 1 to %zu",
                                key, name, file->heading ? "" : ", which has no heading", file->columns);
    }
    if (number > (double)file->columns)
        return am_node_fail(given, reading->err, AM_ERR_INPUT, "%s: the file has %zu columns, not %g", key,
                            file->columns, number);
    *column = (size_t)number - 1;
    return AM_OK;
}

/* Where the times of a file stop increasing is said with its line. */
static am_status check_times(const char *path, const am_csv *file, size_t column, am_error *err) {
    for (size_t i = 1; i < file->rows; i++) {
        double before = file->values[(i - 1) * file->columns + column], now = file->values[i * file->columns + column];
        if (!(now > before))
            return am_fail(err, AM_ERR_INPUT,
                           "%s:%zu:%zu: the times of a record must increase, but %.15g comes after %.15g", path,
                           file->line[i], column + 1, now, before);
    }
    return AM_OK;
}

static am_status take_column(am_reading *reading, const am_csv *file, size_t column, const double **to) {
    double *taken = am_arena_new(reading->pool, file->rows, sizeof *taken, reading->err);
    if (!taken)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < file->rows; i++)
        taken[i] = file->values[i * file->columns + column];
    *to = taken;
    return AM_OK;
}

static am_status take(am_reading *reading, const am_node *node, const char *path, const am_csv *file, bool with_times,
                      am_function *table) {
    size_t time = 0, value = 0;
    const am_node *of_value = am_node_get(node, "value");
    table->count = file->rows;
    if (file->columns == 1 && with_times)
        return am_node_fail(am_node_get(node, "file"), reading->err, AM_ERR_INPUT,
                            "the file has one column: give the key 'step', the time between its values");
    AM_TRY(find_column(reading, of_value, file, "value", with_times ? 1 : 0, &value));
    AM_TRY(take_column(reading, file, value, &table->values));
    if (!with_times)
        return AM_OK;
    AM_TRY(find_column(reading, am_node_get(node, "time"), file, "time", 0, &time));
    am_status status = check_times(path, file, time, reading->err);
    if (status)
        am_node_locate(node, reading->err);
    return status ? status : take_column(reading, file, time, &table->times);
}

am_status am_record_read(am_reading *reading, const am_node *node, bool with_times, am_function *table) {
    const am_node *named = am_node_get(node, "file");
    const char *name = NULL;
    AM_TRY(am_read_text(reading, named, "file", &name));
    const char *path = am_files_path(reading, named, name);
    if (!path)
        return reading->err->status;
    am_csv file;
    am_status status = am_csv_read(path, &file, reading->err);
    if (status) {
        if (status != AM_ERR_MEMORY) {
            snprintf(reading->err->field, sizeof reading->err->field, "file");
            am_node_locate(node, reading->err);
        }
        return status;
    }
    status = take(reading, node, path, &file, with_times, table);
    am_csv_free(&file);
    return status;
}
