/* Matrices, and the Matrix Market files they come from. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "amontons/matrix.h"
#include "errors.h"
#include "near.h"

/* What the C library does in a locale with a decimal comma, when `comma` is set (linked with --wrap). */
static bool comma;
double __real_strtod(const char *text, char **end);
double __wrap_strtod(const char *text, char **end);
struct lconv *__real_localeconv(void);
struct lconv *__wrap_localeconv(void);

double __wrap_strtod(const char *text, char **end) {
    char turned[2000];
    if (!comma)
        return __real_strtod(text, end);
    snprintf(turned, sizeof turned, "%s", text);
    for (char *p = turned; *p; p++)
        *p = *p == ',' ? '.' : *p == '.' ? ',' : *p;
    char *stop = NULL;
    double value = __real_strtod(turned, &stop);
    if (end)
        *end = (char *)text + (stop - turned);
    return value;
}

struct lconv *__wrap_localeconv(void) {
    static struct lconv turned;
    turned = *__real_localeconv();
    if (comma)
        turned.decimal_point = (char *)",";
    return &turned;
}

static void same(const am_matrix *a, size_t rows, size_t columns, const double *wanted) {
    assert_non_null(a);
    assert_int_equal(am_matrix_rows(a), rows);
    assert_int_equal(am_matrix_columns(a), columns);
    double *dense = malloc(rows * columns * sizeof *dense);
    assert_non_null(dense);
    am_matrix_to_dense(a, dense);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            assert_near(am_matrix_at(a, i, j), wanted[i * columns + j], 0);
            assert_near(dense[i * columns + j], wanted[i * columns + j], 0);
        }
    free(dense);
}

/* ---- dense ---- */

static void dense_matrices_copy_the_callers_values(void **state) {
    (void)state;
    double values[] = {1, 2, 3, 4, 5, 6};
    const double wanted[] = {1, 2, 3, 4, 5, 6};
    am_matrix *a = am_matrix_dense(2, 3, values, NULL);
    values[0] = 99;
    same(a, 2, 3, wanted);
    assert_false(am_matrix_is_sparse(a));
    am_matrix_free(a);
}

static void values_that_are_not_numbers_are_refused_with_their_place(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < 3; b++) {
        const double values[] = {1, 2, 3, 4, 5, bad[b]};
        am_error err = {0};
        assert_null(am_matrix_dense(2, 3, values, &err));
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_says(&err, "(2, 3)");
        const size_t row[] = {0}, column[] = {1};
        assert_null(am_matrix_sparse(2, 2, 1, row, column, &bad[b], &err));
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_says(&err, "(1, 2)");
    }
}

static void sizes_beyond_counting_are_refused(void **state) {
    (void)state;
    const double value = 1;
    am_error err = {0};
    assert_null(am_matrix_dense(SIZE_MAX / 2, 3, &value, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
}

/* ---- sparse ---- */

static void sparse_entries_are_sorted_and_repeated_ones_added(void **state) {
    (void)state;
    const size_t row[] = {2, 0, 2, 0, 2, 0}, column[] = {3, 1, 0, 0, 3, 1};
    const double value[] = {5, 1, 7, 2, -1, 0.5};
    const double wanted[] = {2, 1.5, 0, 0, 0, 0, 0, 0, 7, 0, 0, 4};
    am_matrix *a = am_matrix_sparse(3, 4, 6, row, column, value, NULL);
    same(a, 3, 4, wanted);
    assert_true(am_matrix_is_sparse(a));
    am_matrix_free(a);
}

static void sparse_matrices_may_be_empty(void **state) {
    (void)state;
    const double wanted[6] = {0}, x[3] = {1, 2, 3};
    double y[2] = {9, 9};
    am_matrix *a = am_matrix_sparse(2, 3, 0, NULL, NULL, NULL, NULL);
    same(a, 2, 3, wanted);
    am_matrix_apply(a, x, y);
    assert_near(y[0], 0, 0);
    assert_near(y[1], 0, 0);
    assert_near(am_matrix_largest(a), 0, 0);
    am_matrix *copy = am_matrix_copy(a, NULL);
    same(copy, 2, 3, wanted);
    am_matrix_free(a);
    am_matrix_free(copy);
}

static void sparse_entries_outside_are_refused(void **state) {
    (void)state;
    const size_t zero[] = {0}, two[] = {2};
    const double one[] = {1};
    am_error err = {0};
    assert_null(am_matrix_sparse(2, 3, 1, two, zero, one, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "(3, 1)");
    assert_null(am_matrix_sparse(3, 2, 1, zero, two, one, &err));
    assert_says(&err, "(1, 3)");
}

/* ---- both ---- */

/* A matrix of each kind with the same entries. */
static void make_both(size_t rows, size_t columns, const double *values, am_matrix *both[2]) {
    size_t row[64], column[64], count = 0;
    double value[64];
    for (size_t e = rows * columns; e-- > 0;) /* not in order */
        if (values[e] != 0) {
            row[count] = e / columns;
            column[count] = e % columns;
            value[count++] = values[e];
        }
    both[0] = am_matrix_dense(rows, columns, values, NULL);
    both[1] = am_matrix_sparse(rows, columns, count, row, column, value, NULL);
    assert_non_null(both[0]);
    assert_non_null(both[1]);
}

static void both_kinds_multiply_copy_and_measure_alike(void **state) {
    (void)state;
    const double values[] = {1, 0, -3, 0, 2, 0, 4, 0.5, 0, 0, 0, 0}, x[] = {2, -1, 3};
    const double wanted[] = {-7, -2, 7.5, 0};
    am_matrix *both[2];
    make_both(4, 3, values, both);
    for (size_t k = 0; k < 2; k++) {
        double y[4];
        am_matrix *copy = am_matrix_copy(both[k], NULL);
        assert_near(am_matrix_largest(both[k]), 4, 0);
        am_matrix_free(both[k]); /* the copy does not need it */
        same(copy, 4, 3, values);
        assert_int_equal(am_matrix_is_sparse(copy), k == 1);
        am_matrix_apply(copy, x, y);
        for (size_t i = 0; i < 4; i++)
            assert_near(y[i], wanted[i], 0);
        am_matrix_free(copy);
    }
}

static void asymmetry_is_the_largest_difference_from_the_mirror(void **state) {
    (void)state;
    const double symmetric[] = {1, 2, 0, 2, 3, -4, 0, -4, 5};
    const double upper[] = {1, 2, 0.25, 2, 3, -4, 0, -4, 5}; /* an entry whose mirror is not even stored */
    const double lower[] = {1, 2, 0, 2, 3, -4, 0, -4.5, 5};
    const struct {
        const double *values;
        double wanted;
    } cases[] = {{symmetric, 0}, {upper, 0.25}, {lower, 0.5}};
    for (size_t c = 0; c < 3; c++) {
        am_matrix *both[2];
        make_both(3, 3, cases[c].values, both);
        for (size_t k = 0; k < 2; k++) {
            assert_near(am_matrix_asymmetry(both[k]), cases[c].wanted, 0);
            am_matrix_free(both[k]);
        }
    }
}

static void freeing_nothing_is_fine(void **state) {
    (void)state;
    am_matrix_free(NULL);
}

/* ---- files ---- */

static char path[64];

static const char *write_bytes(const char *text, size_t size) {
    snprintf(path, sizeof path, "test_matrix_%ld.mtx", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static am_matrix *read_text(const char *text, am_error *err) {
    am_matrix *a = am_matrix_read(write_bytes(text, strlen(text)), err);
    unlink(path);
    return a;
}

static void reads(const char *text, size_t rows, size_t columns, const double *wanted, bool sparse) {
    am_error err = {0};
    am_matrix *a = read_text(text, &err);
    if (!a)
        print_error("%s\n", err.message);
    same(a, rows, columns, wanted);
    assert_int_equal(am_matrix_is_sparse(a), sparse);
    am_matrix_free(a);
}

/* The message starts with the file and the line, and speaks of the matter. */
static void refuses(const char *text, size_t line, const char *word) {
    am_error err = {0};
    char start[128];
    am_matrix *a = read_text(text, &err);
    snprintf(start, sizeof start, "%s:%zu: ", path, line);
    if (a || err.status != AM_ERR_INPUT || strncmp(err.message, start, strlen(start)) != 0 ||
        !strstr(err.message, word)) {
        print_error("wanted '%s...%s...', got '%s' for\n%.200s\n", start, word, a ? "a matrix" : err.message, text);
        fail();
    }
}

#define COORDINATE "%%MatrixMarket matrix coordinate real general\n"

static void coordinate_files_are_read(void **state) {
    (void)state;
    const double wanted[] = {1.5, 0, 0, 0, 0, -2e-3};
    reads(COORDINATE "2 3 2\n1 1 1.5\n2 3 -2e-3\n", 2, 3, wanted, true);
    reads(COORDINATE "% a remark\n\n   \n% another\n2 3 2\n1 1 1.5\n%\n2 3 -2e-3\n\n", 2, 3, wanted, true);
    reads(COORDINATE "2 3 2\n2 3 -2e-3\n1 1 1.5", 2, 3, wanted, true); /* no end of the last line */
    reads("%%MatrixMarket MATRIX Coordinate REAL General\r\n2 3 2\r\n1 1 1.5\r\n2 3 -2e-3\r\n", 2, 3, wanted, true);
    reads(COORDINATE "2 3 3\n1 1 1\n2 3 -2e-3\n1 1 0.5\n", 2, 3, wanted, true); /* repeated entries add up */
}

static void numbers_in_files_have_a_point_in_every_locale(void **state) {
    (void)state;
    const double wanted[] = {1.5, 0, 0, 0, 0, -2.25e-3};
    char *end = NULL;
    comma = true;
    assert_true(strtod("1,5", &end) == 1.5 && *end == '\0'); /* the locale is as said */
    reads(COORDINATE "2 3 2\n1 1 1.5\n2 3 -2.25e-3 \n", 2, 3, wanted, true);
    reads("%%MatrixMarket matrix array real general\n2 3\n1.5\n.0\n0.\n0\n0\n -2.25E-3\t\n", 2, 3, wanted, false);
    refuses(COORDINATE "1 1 1\n1 1 1,5\n", 3, "number");
    comma = false;
    refuses(COORDINATE "1 1 1\n1 1 1,5\n", 3, "number");
    refuses(COORDINATE "1 1 1\n1 1 0x1\n", 3, "number");
    refuses(COORDINATE "1 1 1\n1 1 1e\n", 3, "number");
}

static void symmetric_and_skew_coordinate_files_are_completed(void **state) {
    (void)state;
    const double symmetric[] = {4, 1, 1, 3}, skew[] = {0, -1, 1, 0};
    reads("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n", 2, 2, symmetric, true);
    reads("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", 2, 2, skew, true);
    reads("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 1 0\n", 2, 2, skew, true);
}

static void array_files_are_read_by_columns(void **state) {
    (void)state;
    const double general[] = {1, 3, 5, 2, 4, 6}, symmetric[] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
    const double skew[] = {0, -1, -2, 1, 0, -3, 2, 3, 0};
    reads("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", 2, 3, general, false);
    reads("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 3, 3, symmetric, false);
    reads("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3, skew, false);
}

static void integer_files_are_read(void **state) {
    (void)state;
    const double wanted[] = {7, 0, 0, -12};
    reads("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 7\n2 2 -12\n", 2, 2, wanted, true);
    reads("%%MatrixMarket matrix array integer general\n2 2\n7\n0\n0\n-12\n", 2, 2, wanted, false);
    refuses("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", 3, "whole number");
}

static void wrong_first_lines_are_refused(void **state) {
    (void)state;
    refuses("", 1, "not a Matrix Market file");
    refuses("1 2 3\n", 1, "not a Matrix Market file");
    refuses("%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, "not a Matrix Market file");
    refuses("%%MatrixMarket matrix coordinate real\n1 1 0\n", 1, "not a Matrix Market file");
    refuses("%%MatrixMarket vector coordinate real general\n1 1 0\n", 1, "matrix");
    refuses("%%MatrixMarket matrix list real general\n1 1 0\n", 1, "array");
    refuses("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", 1, "real");
    refuses("%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", 1, "real");
    refuses("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", 1, "symmetric");
}

static void wrong_sizes_are_refused(void **state) {
    (void)state;
    refuses(COORDINATE, 1, "sizes");
    refuses(COORDINATE "% only remarks\n", 2, "sizes");
    refuses(COORDINATE "2 2\n", 2, "rows columns entries");
    refuses(COORDINATE "two 2 1\n", 2, "rows columns entries");
    refuses(COORDINATE "2 2 1 1\n1 1 1\n", 2, "rows columns entries");
    refuses(COORDINATE "2.5 2 1\n", 2, "rows columns entries");
    refuses(COORDINATE "0 2 0\n", 2, "rows columns entries");
    refuses(COORDINATE "-2 2 0\n", 2, "rows columns entries");
    refuses(COORDINATE "2 2 -1\n", 2, "rows columns entries");
    refuses("%%MatrixMarket matrix array real general\n\n2\n", 3, "rows columns");
    refuses("%%MatrixMarket matrix array real general\n2 2 4\n", 2, "rows columns");
    refuses("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", 2, "square");
}

/* Refused at once, before memory is asked for or touched. */
static void huge_headers_are_refused(void **state) {
    (void)state;
    refuses(COORDINATE "2 2 99999999\n1 1 1\n", 2, "more entries");
    refuses(COORDINATE "2 2 9999999999999\n1 1 1\n", 2, "too large");
    refuses(COORDINATE "2000000000 2000000000 0\n", 2, "too large");
    refuses(COORDINATE "99999999999999999999999999 1 0\n", 2, "too large");
    refuses("%%MatrixMarket matrix array real general\n16000 16000\n1\n", 2, "more entries");
    refuses("%%MatrixMarket matrix array real general\n9999999999 9999999999\n1\n", 2, "too large");
    refuses("%%MatrixMarket matrix array real symmetric\n16000 16000\n1\n", 2, "more entries");
}

static void wrong_entries_are_refused_with_their_line(void **state) {
    (void)state;
    refuses(COORDINATE "2 2 2\n1 1 1\n", 3, "1 of 2");
    refuses(COORDINATE "2 2 1\n% remark\n1 1\n", 4, "number");
    refuses(COORDINATE "2 2 1\n1 x 1\n", 3, "row column value");
    refuses(COORDINATE "2 2 1\n1 1 one\n", 3, "number");
    refuses(COORDINATE "2 2 1\n1 1 1 1\n", 3, "number");
    refuses(COORDINATE "2 2 1\n1 1 nan\n", 3, "finite");
    refuses(COORDINATE "2 2 1\n1 1 inf\n", 3, "finite");
    refuses(COORDINATE "2 2 1\n1 1 1e999\n", 3, "finite");
    refuses(COORDINATE "2 2 1\n0 1 1\n", 3, "outside");
    refuses(COORDINATE "2 2 1\n1 3 1\n", 3, "outside");
    refuses(COORDINATE "2 2 1\n-1 1 1\n", 3, "outside");
    refuses("%%MatrixMarket matrix array real general\n2 1\n1\n", 3, "(2, 1)");
    refuses("%%MatrixMarket matrix array real general\n2 1\n1 2\n", 3, "number");
    refuses("%%MatrixMarket matrix array real general\n2 1\n1\ntwo\n", 4, "number");
}

/* Mirrored and added up, such entries would silently double. */
static void entries_of_the_wrong_triangle_are_refused(void **state) {
    (void)state;
    refuses("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n", 4, "above the diagonal");
    refuses("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 3\n", 3, "diagonal");
}

static void entries_beyond_the_promised_ones_are_refused(void **state) {
    (void)state;
    refuses(COORDINATE "2 2 1\n1 1 1\n2 2 1\n", 4, "more entries");
    refuses("%%MatrixMarket matrix array real general\n1 1\n1\n\n% end\n2\n", 6, "more entries");
}

static char *long_text(const char *before, char filler, const char *after) {
    size_t room = 5000;
    char *text = malloc(room + strlen(before) + strlen(after) + 1);
    assert_non_null(text);
    strcpy(text, before);
    memset(text + strlen(before), filler, room);
    strcpy(text + strlen(before) + room, after);
    return text;
}

static void long_remarks_are_read_over_and_long_lines_refused(void **state) {
    (void)state;
    const double wanted[] = {3};
    char *text = long_text(COORDINATE "%", '1', "\n1 1 1\n1 1 3\n");
    reads(text, 1, 1, wanted, true);
    free(text);
    text = long_text(COORDINATE "1 1 1\n1 1", ' ', "3\n");
    refuses(text, 3, "longer");
    free(text);
    text = long_text(COORDINATE "1 1 1\n1 1 3", '0', "\n");
    refuses(text, 3, "longer");
    free(text);
    text = long_text(COORDINATE, ' ', "1 1 1\n1 1 3\n");
    refuses(text, 2, "longer");
    free(text);
}

static void binary_files_are_refused(void **state) {
    (void)state;
    char bytes[4096];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7919 % 256);
    am_error err = {0};
    assert_null(am_matrix_read(write_bytes(bytes, sizeof bytes), &err));
    unlink(path);
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "not a Matrix Market file");
}

static void files_that_cannot_be_read_are_file_errors(void **state) {
    (void)state;
    am_error err = {0};
    assert_null(am_matrix_read("no/such/file.mtx", &err));
    assert_int_equal(err.status, AM_ERR_FILE);
    assert_says(&err, "no/such/file.mtx");
    assert_non_null(strstr(err.message, strerror(ENOENT)));
    assert_null(am_matrix_read(".", &err));
    assert_int_equal(err.status, AM_ERR_FILE);
    assert_says(&err, "folder");
    assert_null(am_matrix_read("", NULL)); /* without err too */
}

/* A file of which the disk gives the beginning, then an error: what fdopen makes of it meanwhile. */
static const char *readable; /* NULL: files as they are */

FILE *__real_fdopen(int file, const char *mode);
FILE *__wrap_fdopen(int file, const char *mode);

static ssize_t read_beginning(void *cookie, char *buffer, size_t size) {
    size_t *at = cookie, left = strlen(readable) - *at, count = left < size ? left : size;
    memcpy(buffer, readable + *at, count);
    *at += count;
    if (count > 0)
        return (ssize_t)count;
    errno = EIO;
    return -1;
}

FILE *__wrap_fdopen(int file, const char *mode) {
    static size_t at;
    if (!readable)
        return __real_fdopen(file, mode);
    at = 0;
    close(file);
    return fopencookie(&at, mode, (cookie_io_functions_t){.read = read_beginning});
}

static void interrupted_after(const char *text, size_t line) {
    am_error err = {0};
    char wanted[96], whole[512];
    snprintf(whole, sizeof whole, "%s%%%%%%%%\n1 1 1\n1 1 1\n", text); /* there was more */
    write_bytes(whole, strlen(whole));
    readable = text;
    am_matrix *a = am_matrix_read(path, &err);
    readable = NULL;
    unlink(path);
    assert_null(a);
    assert_int_equal(err.status, AM_ERR_FILE);
    snprintf(wanted, sizeof wanted, "beyond line %zu: %s", line, strerror(EIO));
    assert_says(&err, wanted);
}

static void files_that_break_off_while_read_are_file_errors_not_short_files(void **state) {
    (void)state;
    interrupted_after(COORDINATE "2 2 2\n1 1 1\n", 3);
    interrupted_after(COORDINATE "2 2 1\n1 1 1\n", 3); /* all promised entries were there */
    interrupted_after(COORDINATE, 1);
    interrupted_after("%%MatrixMarket matrix array real general\n2 1\n1\n", 3);
    interrupted_after("", 0);
}

/* Root may do everything: as root the claim is tested as the user nobody. */
static void become_nobody(bool nobody) {
    static const uid_t id = 65534;
    if (getuid() == 0)
        assert_int_equal(seteuid(nobody ? id : 0), 0);
}

static void files_without_permission_are_file_errors(void **state) {
    (void)state;
    am_error err = {0};
    write_bytes(COORDINATE, strlen(COORDINATE));
    chmod(path, 0);
    become_nobody(true);
    am_matrix *matrix = am_matrix_read(path, &err);
    become_nobody(false);
    unlink(path);
    assert_null(matrix);
    assert_int_equal(err.status, AM_ERR_FILE);
    assert_non_null(strstr(err.message, strerror(EACCES)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_matrices_copy_the_callers_values),
        cmocka_unit_test(values_that_are_not_numbers_are_refused_with_their_place),
        cmocka_unit_test(sizes_beyond_counting_are_refused),
        cmocka_unit_test(sparse_entries_are_sorted_and_repeated_ones_added),
        cmocka_unit_test(sparse_matrices_may_be_empty),
        cmocka_unit_test(sparse_entries_outside_are_refused),
        cmocka_unit_test(both_kinds_multiply_copy_and_measure_alike),
        cmocka_unit_test(asymmetry_is_the_largest_difference_from_the_mirror),
        cmocka_unit_test(freeing_nothing_is_fine),
        cmocka_unit_test(coordinate_files_are_read),
        cmocka_unit_test(numbers_in_files_have_a_point_in_every_locale),
        cmocka_unit_test(symmetric_and_skew_coordinate_files_are_completed),
        cmocka_unit_test(array_files_are_read_by_columns),
        cmocka_unit_test(integer_files_are_read),
        cmocka_unit_test(wrong_first_lines_are_refused),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(huge_headers_are_refused),
        cmocka_unit_test(wrong_entries_are_refused_with_their_line),
        cmocka_unit_test(entries_of_the_wrong_triangle_are_refused),
        cmocka_unit_test(entries_beyond_the_promised_ones_are_refused),
        cmocka_unit_test(long_remarks_are_read_over_and_long_lines_refused),
        cmocka_unit_test(binary_files_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_file_errors),
        cmocka_unit_test(files_that_break_off_while_read_are_file_errors_not_short_files),
        cmocka_unit_test(files_without_permission_are_file_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
