/* A table set as a table: where a result is a handful of rows, dots in a frame tell less. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "output/figure_parts.h"

enum { MOST_ROWS = 24, MOST_COLUMNS = 12, LONGEST_CELL = 144, LINE = 36 };

typedef struct table_columns {
    const am_table *table;
    size_t column[MOST_COLUMNS], width[MOST_COLUMNS]; /* in letters */
    size_t count, rows;
    size_t top[MOST_ROWS + 1]; /* the line on which a row begins */
} table_columns;

/* How much of a text is set on one line: it ends behind a blank or a comma where there is one. */
static size_t line_length(const char *text) {
    size_t length = strlen(text), last = 0;
    if (length <= LINE)
        return length;
    for (size_t i = 1; i <= LINE; i++)
        last = text[i - 1] == ' ' || text[i - 1] == ',' ? i : last;
    for (length = last > 0 ? last : LINE; ((unsigned char)text[length] & 0xc0) == 0x80;)
        length++;
    return length;
}

static void measure_cell(const char *text, size_t *width, size_t *lines) {
    *lines = 0;
    for (; *text; text += line_length(text), ++*lines)
        *width = line_length(text) > *width ? line_length(text) : *width;
}

/* Long texts end between two characters. */
static void add_shortened(const char *text, am_text *cell) {
    size_t length = strlen(text);
    if (length > LONGEST_CELL)
        for (length = LONGEST_CELL; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    am_text_add_bytes(cell, text, length);
    am_text_add(cell, text[length] ? "\xe2\x80\xa6" : "");
}

/* What a reader wants of a number: five digits, words for flags. */
static void add_cell(const am_table *table, size_t row, size_t column, am_text *cell) {
    double value = NAN;
    am_text_clear(cell);
    switch (am_table_column_kind(table, column)) {
    case AM_COLUMN_TEXT:
        add_shortened(am_table_text(table, row, column), cell);
        return;
    case AM_COLUMN_FLAG:
        value = am_table_number(table, row, column);
        am_text_add(cell, isnan(value) ? "?" : value != 0.0 ? "yes" : "no");
        return;
    case AM_COLUMN_NUMBER:
    case AM_COLUMN_COUNT:
        value = am_table_number(table, row, column);
        if (!isnan(value))
            am_text_printf(cell, "%.5g", value + 0.0); /* no -0 */
    }
}

static am_status find_columns(am_drawing *d, table_columns *t, am_error *err) {
    size_t index;
    AM_TRY(am_figure_table(d->report->result, d->figure->table, "figure.table", &index, err));
    t->table = am_result_table(d->report->result, index);
    size_t all = am_table_columns(t->table), rows = am_table_rows(t->table);
    t->rows = rows < MOST_ROWS ? rows : MOST_ROWS;
    t->count = d->figure->shown_count > 0 ? d->figure->shown_count : all;
    t->count = t->count < MOST_COLUMNS ? t->count : MOST_COLUMNS;
    for (size_t i = 0; i < t->count; i++) {
        t->column[i] = i;
        if (d->figure->shown_count > 0)
            AM_TRY(am_figure_column(t->table, d->figure->shown[i], "figure.shown", false, &t->column[i], err));
    }
    return AM_OK;
}

static am_status measure(table_columns *t, am_error *err) {
    am_text cell = {0};
    size_t height[MOST_ROWS] = {0};
    for (size_t i = 0; i < t->count; i++) {
        am_text_printf(&cell, "%s%s", am_table_column_name(t->table, t->column[i]),
                       am_table_column_unit(t->table, t->column[i]));
        t->width[i] = cell.length + 3;
        for (size_t row = 0; row < t->rows; row++) {
            size_t lines;
            add_cell(t->table, row, t->column[i], &cell);
            measure_cell(am_text_view(&cell), &t->width[i], &lines);
            height[row] = lines > height[row] ? lines : height[row];
        }
        am_text_clear(&cell);
    }
    for (size_t row = 0; row < t->rows; row++)
        t->top[row + 1] = t->top[row] + (height[row] > 0 ? height[row] : 1);
    am_status status = am_text_status(&cell, err);
    am_text_free(&cell);
    return status;
}

/* Texts stand at the left of their column, numbers at the right. */
static void add_label(am_text *script, const table_columns *t, size_t i, double left, double y, const char *text) {
    bool words = am_table_column_kind(t->table, t->column[i]) == AM_COLUMN_TEXT;
    am_text_add(script, "set label ");
    if (text)
        am_figure_quote_plain(script, text);
    else
        am_figure_quote_column(script, t->table, t->column[i]);
    am_text_printf(script, " at %g,%g %s\n", words ? left : left + (double)t->width[i], y, words ? "left" : "right");
}

static am_status add_rows(am_drawing *d, const table_columns *t, am_error *err) {
    am_text cell = {0};
    double left = 0.0;
    for (size_t i = 0; i < t->count; left += (double)t->width[i++] + 3.0) {
        add_label(&d->script, t, i, left, 0.0, NULL);
        for (size_t row = 0; row < t->rows; row++) {
            add_cell(t->table, row, t->column[i], &cell);
            const char *text = am_text_view(&cell);
            for (size_t line = t->top[row], length; *text; text += length, line++) {
                char part[LINE + 4];
                length = line_length(text);
                snprintf(part, sizeof part, "%.*s", (int)length, text);
                add_label(&d->script, t, i, left, (double)line + 1.3, part);
            }
        }
    }
    am_status status = am_text_status(&cell, err);
    am_text_free(&cell);
    return status;
}

am_status am_figure_of_table(am_drawing *d, am_error *err) {
    table_columns t = {0};
    AM_TRY(find_columns(d, &t, err));
    AM_TRY(measure(&t, err));
    size_t letters = 0, more = am_table_rows(t.table) - t.rows;
    for (size_t i = 0; i < t.count; i++)
        letters += t.width[i] + 3;
    am_figure plain = {.title = d->figure->title};
    am_figure_frame(d, &plain, (am_figure_axis){0}, (am_figure_axis){0});
    double lines = (double)t.top[t.rows] + (more > 0 ? 2.6 : 1.3);
    am_text_printf(&d->script,
                   "unset border\nunset tics\nunset zeroaxis\nset margins 2,2,1,3\nset xrange [-1:%zu]\n"
                   "set yrange [%g:-0.8]\nset arrow from -1,0.6 to %zu,0.6 nohead linewidth 0.8 linecolor rgb "
                   "'#404040'\n",
                   letters, lines, letters);
    AM_TRY(add_rows(d, &t, err));
    if (more > 0)
        am_text_printf(&d->script, "set label 'and %zu more' at 0,%g left textcolor rgb '#606060'\n", more,
                       (double)t.top[t.rows] + 1.3);
    am_text_add(&d->plot, "plot NaN notitle");
    int width = (int)fmax(480.0, 9.0 * (double)letters + 60.0);
    am_figure_outputs(d, width, (int)(28.0 * lines + 70.0));
    return AM_OK;
}
