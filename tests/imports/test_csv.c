/* Tables of numbers in CSV files: what is written in any of the usual ways is read with every bit, and whatever is not
 * a table of numbers is refused where it stands. And what spreadsheets would run is written as text. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "errors.h"
#include "imports/csv.h"
#include "output/csv.h"
#include "scratch.h"
#include "uniform.h"

static size_t below(uint64_t *seed, size_t count) {
    return (size_t)uniform(seed, 0, (double)count);
}

static bool chance(uint64_t *seed, size_t of) {
    return below(seed, of) == 0;
}

/* ---- tables in all the usual ways ---- */

enum { MOST = 8 };

typedef struct text {
    char bytes[8192];
    size_t length, lines;
    size_t line_of[MOST], column_of[MOST][MOST]; /* where each number stands */
    size_t rows, columns;
    double values[MOST * MOST];
} text;

static void add(text *t, const char *piece) {
    size_t length = strlen(piece);
    assert_true(t->length + length < sizeof t->bytes);
    memcpy(t->bytes + t->length, piece, length + 1);
    t->length += length;
}

static void end_line(text *t, bool windows) {
    add(t, windows ? "\r\n" : "\n");
    t->lines++;
}

static double random_number(uint64_t *seed) {
    return chance(seed, 4) ? (double)below(seed, 100) : ldexp(uniform(seed, -1, 1), (int)below(seed, 200) - 100);
}

/* `mark` apart: a byte-order mark is no column. */
static void make_table(uint64_t *seed, text *t) {
    static const char *const separators[] = {",", ";", " ", "\t", ", ", " ; ", "   "};
    static const char *const names[] = {"x", "Kraft", "u_2", "f [N]", "phi", "\xcf\x86", "n.a"};
    bool windows = chance(seed, 2);
    const char *separator = separators[below(seed, sizeof separators / sizeof *separators)];
    bool blank = separator[0] == ' ' && !strpbrk(separator, ",;");
    *t = (text){.rows = 1 + below(seed, MOST), .columns = 1 + below(seed, MOST)};
    if (chance(seed, 3))
        add(t, "\xef\xbb\xbf");
    size_t start = t->length;
    if (chance(seed, 3)) {
        add(t, "# a remark, \"quoted\", nan");
        end_line(t, windows);
        start = t->length;
    }
    if (chance(seed, 2)) {
        for (size_t c = 0; c < t->columns; c++) {
            add(t, c > 0 ? separator : "");
            const char *name = names[below(seed, sizeof names / sizeof *names)];
            add(t, (blank || separator[0] == '\t') && strchr(name, ' ') ? "w" : name);
        }
        end_line(t, windows);
        start = t->length;
    }
    for (size_t r = 0; r < t->rows; r++) {
        add(t, chance(seed, 4) ? "  " : "");
        for (size_t c = 0; c < t->columns; c++) {
            char number[64];
            double value = t->values[r * t->columns + c] = random_number(seed);
            snprintf(number, sizeof number, chance(seed, 2) ? "%.17g" : "%+.17e", value);
            add(t, c > 0 ? separator : "");
            t->line_of[r] = t->lines + 1;
            t->column_of[r][c] = t->length - start + 1;
            add(t, number);
        }
        if (r + 1 < t->rows || chance(seed, 2))
            end_line(t, windows);
        if (r + 1 < t->rows && chance(seed, 6))
            end_line(t, windows);
        start = t->length;
    }
}

static void tables_are_read_with_every_bit_however_they_are_written(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < CASES(5000, 1000); i++) {
        text t;
        am_csv read;
        am_error err = {0};
        make_table(&seed, &t);
        if (am_csv_parse("t.csv", t.bytes, t.length, &read, &err) != AM_OK)
            fail_msg("%s\n%s", err.message, t.bytes);
        assert_int_equal(read.rows, t.rows);
        assert_int_equal(read.columns, t.columns);
        assert_memory_equal(read.values, t.values, t.rows * t.columns * sizeof *t.values);
        am_csv_free(&read);
    }
}

/* ---- what is wrong, and where ---- */

static void refused_at(const char *bytes, size_t length, size_t line, size_t column, const char *words) {
    am_csv read;
    am_error err = {0};
    char where[64];
    if (am_csv_parse("t.csv", bytes, length, &read, &err) == AM_OK)
        fail_msg("was read as %zu x %zu:\n%s", read.rows, read.columns, bytes);
    assert_int_equal(err.status, AM_ERR_INPUT);
    snprintf(where, sizeof where, "t.csv:%zu:%zu: ", line, column);
    if (strncmp(err.message, where, strlen(where)) != 0)
        fail_msg("%s: not at %s\n%s", err.message, where, bytes);
    assert_says(&err, words);
    assert_null(read.values);
}

/* Of a sound table one number, whichever, is made into something else. */
static void a_cell_that_is_no_number_is_refused_where_it_stands(void **state) {
    (void)state;
    static const char *const wrong[] = {"nan",  "NaN",  "inf",   "-inf",  "1-0.5",   "\"1\"",     "1e999",
                                        "O.5",  "0x10", "1.2.3", "1e",    "--1",     "+-1",       "1_000",
                                        "=1+1", "'1'",  "1%",    "1\"",   "2d0",     "\xc2\xbd",  "null",
                                        "N/A",  ".",    "e5",    "1\x01", "\x1b[0m", "1\xc2\xa0", "(1)"};
    uint64_t seed = 12;
    for (int i = 0; i < CASES(5000, 1000); i++) {
        text t;
        char changed[9000];
        make_table(&seed, &t);
        size_t r = below(&seed, t.rows), c = below(&seed, t.columns), line = 1;
        const char *p = t.bytes + (strncmp(t.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
        for (; line < t.line_of[r]; line++)
            p = strchr(p, '\n') + 1;
        p += t.column_of[r][c] - 1;
        const char *instead = wrong[below(&seed, sizeof wrong / sizeof *wrong)];
        size_t head = (size_t)(p - t.bytes), old = strspn(p, "+-.e0123456789");
        /* In the first cell of a first row without a heading a word may be a name, but the line is then no heading. */
        bool may_be_heading = r == 0 && t.columns == 1 && instead[0] == 'e';
        if (may_be_heading)
            continue;
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)head, t.bytes, instead, p + old);
        am_csv read;
        am_error err = {0};
        assert_int_equal(am_csv_parse("t.csv", changed, strlen(changed), &read, &err), AM_ERR_INPUT);
        char where[64];
        snprintf(where, sizeof where, "t.csv:%zu:", line);
        if (strncmp(err.message, where, strlen(where)) != 0)
            fail_msg("%s: not at %s\n%s", err.message, where, changed);
    }
}

static void a_row_of_another_length_is_refused(void **state) {
    (void)state;
    uint64_t seed = 13;
    for (int i = 0; i < CASES(2000, 400); i++) {
        text t;
        make_table(&seed, &t);
        if (t.bytes[t.length - 1] != '\n')
            end_line(&t, false);
        size_t columns = below(&seed, MOST + 4);
        if (columns == 0 || columns == t.columns)
            continue;
        for (size_t c = 0; c < columns; c++)
            add(&t, c > 0 ? ", 1" : "1");
        refused_at(t.bytes, t.length, t.lines + 1, 1, "numbers where the first row has");
    }
}

static void each_fault_is_named_at_its_place(void **state) {
    (void)state;
#define REFUSED(bytes, line, column, words) refused_at(bytes, sizeof(bytes) - 1, line, column, words)
    REFUSED("1,2\n3,\n", 2, 3, "missing at the end");
    REFUSED("1,,2\n", 1, 3, "a number is missing");
    REFUSED(",1\n", 1, 1, "a number is missing");
    REFUSED("a,b\nc,d\n1,2\n", 2, 1, "'c' stands where"); /* one heading */
    REFUSED("1,2\na,b\n", 2, 1, "'a' stands where");      /* before the numbers */
    REFUSED("nan,0.5\n0.5,1\n", 1, 1, "'nan' stands where");
    REFUSED("nan\n0.5\n", 1, 1, "'nan' stands where");
    REFUSED("O.5,l\n0.5,1\n", 1, 1, "'O.5' stands where");
    REFUSED("\"1\",\"2\"\n3,4\n", 1, 1, "'\"1\"' stands where");
    REFUSED("x,0.5\n0.5,1\n", 1, 3, "'0.5' stands where"); /* half a heading */
    REFUSED("a,b,c\n1,2\n", 2, 1, "under a heading of 3 names");
    REFUSED("a,\n1,2\n", 1, 3, "a name is missing");
    REFUSED("1,2\n3,4\0,5\n", 2, 4, "a control character");
    REFUSED("\0001,2\n", 1, 1, "a control character");
    REFUSED("1,2\r3,4\r", 1, 4, "a control character"); /* lines of an old Macintosh */
    REFUSED("0,5;1,5\n", 1, 4, "commas and semicolons");
    REFUSED("\xef\xbb\xbf\xef\xbb\xbf"
            "1\n",
            1, 1, ""); /* a mark in the middle is none */
    REFUSED("\xc3\xa4, \xc3\xb6\n1, x\n", 2, 4, "'x'");
    REFUSED("\xc3\xa4, 1\n", 1, 4, "'1' stands where"); /* characters, not bytes */
#undef REFUSED
    am_csv read;
    am_error err = {0};
    static const char *const empty[] = {"", "\n\n", "\xef\xbb\xbf", "# nothing\n", "a, b\n"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        assert_int_equal(am_csv_parse("t.csv", empty[i], strlen(empty[i]), &read, &err), AM_ERR_INPUT);
        assert_says(&err, "there are no numbers in this file");
    }
}

/* ---- cells that a spreadsheet would run ---- */

/* What a spreadsheet sees: cells of a line after their quotes are removed (RFC 4180). */
static void unquote(const char *line, char cells[][256], size_t count) {
    for (size_t c = 0; c < count; c++) {
        size_t length = 0;
        bool quoted = *line == '"';
        line += quoted;
        while (quoted ? !(line[0] == '"' && line[1] != '"') : *line != ',' && *line != '\n') {
            assert_true(*line != '\0' && length < 255);
            line += quoted && line[0] == '"';
            cells[c][length++] = *line++;
        }
        cells[c][length] = '\0';
        line += quoted;
        assert_true(*line == (c + 1 < count ? ',' : '\n'));
        line++;
    }
}

static void write_cell(const char *word, double number, char cells[2][256]) {
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "t", NULL);
    am_output_file file;
    GOOD(am_table_add_column(table, "word", "", AM_COLUMN_TEXT, err));
    GOOD(am_table_add_column(table, "number", "", AM_COLUMN_NUMBER, err));
    GOOD(am_table_add_row(table, err));
    GOOD(am_table_set_text(table, 0, word, err));
    am_table_set_number(table, 1, number);
    GOOD(am_output_file_open(&file, in_scratch("t.csv"), "t.csv", err));
    GOOD(am_output_csv(table, &file, err));
    GOOD(am_output_file_close(&file, err));
    char bytes[1024] = "";
    FILE *stream = fopen(in_scratch("t.csv"), "r");
    assert_non_null(stream);
    assert_true(fread(bytes, 1, sizeof bytes - 1, stream) > 0);
    fclose(stream);
    assert_int_equal(strncmp(bytes, "word,number\n", 12), 0);
    unquote(bytes + 12, cells, 2);
    am_result_free(result);
}

static void texts_that_a_spreadsheet_would_run_are_written_as_text(void **state) {
    (void)state;
    static const char *const signs[] = {"=", "+", "-", "@", "\t=", "\r=", " =", "\xef\xbc\x9d", "\n@", "\t", "\r"};
    static const char alphabet[] = "abc123(),;\"'=+-@!|/ \t\n";
    uint64_t seed = 14;
    char cells[2][256], word[64];
    for (int i = 0; i < CASES(300, 100); i++) {
        const char *sign = signs[below(&seed, sizeof signs / sizeof *signs)];
        size_t length = (size_t)snprintf(word, sizeof word, "%sc", sign); /* with a letter, so that it is no number */
        for (size_t more = below(&seed, 20); more > 0; more--)
            word[length++] = alphabet[below(&seed, sizeof alphabet - 1)];
        word[length] = '\0';
        write_cell(word, -1.5, cells);
        assert_int_equal(cells[0][0], '\'');
        assert_string_equal(cells[0] + 1, word);
        assert_string_equal(cells[1], "-1.5");
    }
    static const char *const harmless[] = {"open", "",     "-1.5",       "+3",  "-2e-7", "a=b",
                                           "x,=y", "p;=q", "say \"=1\"", "1-2", "0"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        write_cell(harmless[i], 1e300, cells);
        assert_string_equal(cells[0], harmless[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read_with_every_bit_however_they_are_written),
        cmocka_unit_test(a_cell_that_is_no_number_is_refused_where_it_stands),
        cmocka_unit_test(a_row_of_another_length_is_refused),
        cmocka_unit_test(each_fault_is_named_at_its_place),
        cmocka_unit_test_setup_teardown(texts_that_a_spreadsheet_would_run_are_written_as_text, make_scratch,
                                        remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
