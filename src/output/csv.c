#include "output/csv.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/local.h"
#include "base/text.h"

/* Spreadsheets run a cell as a formula when it begins so, some also behind blanks, some also with the wide signs of
 * East Asian letters. A text that is a number is left to be one. */
static bool would_run(const char *cell) {
    static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    const char *first = cell + strspn(cell, " \t\r\n\v\f");
    double ignored;
    size_t number = am_text_parse_number(cell, &ignored);
    if (number > 0 && cell[number] == '\0')
        return false;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(first, wide[i], strlen(wide[i])) == 0)
            return true;
    return (*first && strchr("=+-@", *first)) || *cell == '\t' || *cell == '\r';
}

/* An apostrophe in front is what spreadsheets themselves use to say: this is text. Cells with a semicolon or a tab are
 * quoted as well, since some spreadsheets separate cells by them. */
static void add_cell(am_text *text, const char *cell) {
    bool runs = would_run(cell);
    if (!runs && !strpbrk(cell, ",\"\r\n;\t")) {
        am_text_add(text, cell);
        return;
    }
    am_text_add(text, runs ? "\"'" : "\"");
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
    AM_LOCAL(am_text_free) am_text text = {0};
    for (size_t i = 0; i < am_table_columns(table); i++) {
        if (i > 0)
            am_text_add(&text, ",");
        add_cell(&text, am_table_column_name(table, i));
    }
    am_text_add(&text, "\n");
    for (size_t row = 0; row < am_table_rows(table); row++) {
        add_row(&text, table, row);
        am_output_file_move(file, &text, AM_OUTPUT_CHUNK);
    }
    am_output_file_move(file, &text, 0);
    return am_text_status(&text, err);
}
