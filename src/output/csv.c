#include "output/csv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum { CHUNK = 1 << 18 }; /* bytes collected before they are written */

static void add_cell(am_text *text, const char *cell) {
    if (!strpbrk(cell, ",\"\r\n")) {
        am_text_add(text, cell);
        return;
    }
    am_text_add(text, "\"");
    for (const char *c = cell; *c; c++)
        am_text_add_bytes(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    am_text_add(text, "\"");
}

static void add_number(am_text *text, double value) {
    if (!isnan(value))
        am_text_number(text, value);
}

static void add_row(am_text *text, const am_table *table, size_t row) {
    for (size_t i = 0; i < am_table_columns(table); i++) {
        if (i > 0)
            am_text_add(text, ",");
        if (am_table_column_kind(table, i) == AM_COLUMN_TEXT)
            add_cell(text, am_table_text(table, row, i));
        else
            add_number(text, am_table_number(table, row, i));
    }
    am_text_add(text, "\n");
}

am_status am_output_csv(const am_table *table, am_output_file *file, am_error *err) {
    am_text text = {0};
    for (size_t i = 0; i < am_table_columns(table); i++) {
        if (i > 0)
            am_text_add(&text, ",");
        add_cell(&text, am_table_column_name(table, i));
    }
    am_text_add(&text, "\n");
    for (size_t row = 0; row < am_table_rows(table); row++) {
        add_row(&text, table, row);
        if (text.length >= CHUNK && text.status == AM_OK) {
            am_output_file_write(file, text.data, text.length);
            am_text_clear(&text);
        }
    }
    am_output_file_write(file, am_text_view(&text), text.length);
    am_status status = am_text_status(&text, err);
    am_text_free(&text);
    return status;
}
