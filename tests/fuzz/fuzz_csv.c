/* Tables of numbers (imports/csv.h): what is read has its shape and finite numbers, and reads again as the same bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "harness.h"
#include "imports/csv.h"

static void require_same_again(const am_csv *table) {
    am_text text = {0};
    am_csv again = {0};
    am_error err = {0};
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        am_text_number(&text, table->values[i]);
        am_text_add(&text, (i + 1) % table->columns == 0 ? "\n" : ",");
    }
    const char *view = am_text_view(&text);
    fuzz_require(am_csv_parse("again", view, strlen(view), &again, &err) == AM_OK, "numbers that were read are read");
    fuzz_require(again.rows == table->rows && again.columns == table->columns, "with the same rows and columns");
    fuzz_require(memcmp(again.values, table->values, table->rows * table->columns * sizeof *table->values) == 0,
                 "and the same bits");
    am_csv_free(&again);
    am_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    am_csv table = {0};
    am_error err = {0};
    char *text = fuzz_text(data, size);
    am_status status = am_csv_parse("table.csv", text, size, &table, &err);
    free(text);
    if (status != AM_OK) {
        fuzz_require_failure(status, &err);
        fuzz_require(strncmp(err.message, "table.csv:", 10) == 0, "a message names the file");
        return 0;
    }
    fuzz_require(table.rows > 0 && table.columns > 0 && table.values, "a table has rows and columns");
    for (size_t i = 0; i < table.rows * table.columns; i++)
        fuzz_require(isfinite(table.values[i]), "numbers of a table are finite");
    require_same_again(&table);
    am_csv_free(&table);
    return 0;
}
