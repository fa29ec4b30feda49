#include "lab/columns.h"

#include <stdint.h>
#include <string.h>

#include "base/local.h"
#include "output/error_document.h"
#include "output/names.h"
#include "study/describe.h"

static void add_texts(am_text *out, const am_table *table, size_t column) {
    am_text_add(out, ", \"texts\": [");
    for (size_t row = 0; row < am_table_rows(table); row++) {
        am_text_add(out, row > 0 ? ", " : "");
        am_describe_string(out, am_table_text(table, row, column));
    }
    am_text_add(out, "]}");
}

static void add_column(am_text *out, const am_table *table, size_t column, size_t *offset) {
    am_text_add(out, column > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
    am_describe_string(out, am_table_column_name(table, column));
    am_text_add(out, ", \"unit\": ");
    am_describe_string(out, am_table_column_unit(table, column));
    am_text_printf(out, ", \"type\": \"%s\"", am_output_column_type(am_table_column_kind(table, column)));
    if (am_table_column_kind(table, column) == AM_COLUMN_TEXT) {
        add_texts(out, table, column);
        return;
    }
    am_text_printf(out, ", \"offset\": %zu}", *offset);
    *offset += am_table_rows(table) * sizeof(double);
}

static void add_table(am_text *out, const am_table *table, size_t index, size_t *offset) {
    am_text_add(out, index > 0 ? ",\n " : "\n ");
    am_describe_string(out, am_table_name(table));
    am_text_printf(out, ": {\"rows\": %zu, \"columns\": [", am_table_rows(table));
    for (size_t i = 0; i < am_table_columns(table); i++)
        add_column(out, table, i, offset);
    am_text_add(out, "]}");
}

static void put_little(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static void add_numbers(am_text *bytes, const double *values, size_t count) {
    unsigned char block[512][8];
    for (size_t done = 0; done < count;) {
        size_t some = count - done < 512 ? count - done : 512;
        for (size_t i = 0; i < some; i++) {
            uint64_t bits;
            memcpy(&bits, &values[done + i], sizeof bits);
            put_little(block[i], bits);
        }
        am_text_add_bytes(bytes, (const char *)block, 8 * some);
        done += some;
    }
}

am_status am_lab_columns(const char *document, const am_result *result, am_text *bytes, am_error *err) {
    AM_LOCAL(am_text_free) am_text tables = {0};
    size_t offset = 0;
    am_text_add(&tables, "{");
    for (size_t i = 0; i < am_result_table_count(result); i++)
        add_table(&tables, am_result_table(result, i), i, &offset);
    am_text_add(&tables, "}");
    AM_TRY(am_text_status(&tables, err));
    AM_LOCAL_MEMORY char *header = am_output_member(document, "tables", tables.data, err);
    if (!header)
        return AM_ERR_MEMORY;
    size_t length = strlen(header), blanks = (8 - length % 8) % 8;
    unsigned char count[8];
    put_little(count, length + blanks);
    am_text_add(bytes, "AMCOLS01");
    am_text_add_bytes(bytes, (const char *)count, sizeof count);
    am_text_add_bytes(bytes, header, length);
    am_text_add_bytes(bytes, "        ", blanks);
    for (size_t i = 0; i < am_result_table_count(result); i++) {
        const am_table *table = am_result_table(result, i);
        for (size_t c = 0; c < am_table_columns(table); c++)
            if (am_table_numbers(table, c))
                add_numbers(bytes, am_table_numbers(table, c), am_table_rows(table));
    }
    return am_text_status(bytes, err);
}
