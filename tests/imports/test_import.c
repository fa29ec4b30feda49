/* Matrices of other programs: samples they wrote give the frequencies they printed, every format says the same about
 * random matrices, and files that are broken in any way are refused with file, line and a reason. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "errors.h"
#include "imports/gather.h"
#include "imports/imported_mesh.h"
#include "math/pencil.h"
#include "near.h"
#include "scratch.h"
#include "uniform.h"

static const char *sample(const char *name) {
    static char path[4][512];
    static size_t turn;
    char *at = path[turn++ % 4];
    snprintf(at, sizeof path[0], "%s/tests/data/imports/%s", AMONTONS_SOURCE_DIR, name);
    return at;
}

/* ---- frequencies ---- */

static void gather_files(const char *stiffness, const char *mass, am_import imports[2], am_gathered *gathered) {
    am_gather_source source[AM_IMPORT_ROLES] = {{0}};
    GOOD(am_import_read(&imports[0], stiffness, AM_IMPORT_ANY, err));
    GOOD(am_import_labels_beside(&imports[0], err));
    if (mass) {
        GOOD(am_import_read(&imports[1], mass, AM_IMPORT_ANY, err));
        GOOD(am_import_labels_beside(&imports[1], err));
    }
    const am_import *second = mass ? &imports[1] : &imports[0];
    source[AM_IMPORT_STIFFNESS] = (am_gather_source){&imports[0], am_import_part(&imports[0], AM_IMPORT_STIFFNESS)};
    source[AM_IMPORT_MASS] = (am_gather_source){second, am_import_part(second, AM_IMPORT_MASS)};
    GOOD(am_gather(gathered, source, err));
}

/* The sources printed ten digits. */
static void assert_hertz(const char *stiffness, const char *mass, size_t n, const char *last, const double hertz[10]) {
    am_import imports[2] = {{0}};
    am_gathered g;
    am_pencil pencil;
    size_t count = 10;
    double squares[10];
    char words[AM_LABEL_SIZE];
    gather_files(stiffness, mass, imports, &g);
    assert_int_equal(g.n, n);
    assert_int_equal(g.warning_count, 0);
    if (last)
        assert_string_equal(am_label_words(g.labels.label[n - 1], words), last);
    double *shapes = calloc(10 * n, sizeof *shapes);
    GOOD(am_pencil_init(&pencil, g.matrix[AM_IMPORT_STIFFNESS], g.matrix[AM_IMPORT_MASS], err));
    GOOD(am_pencil_settle(&pencil, err));
    GOOD(am_pencil_lowest(&pencil, &count, squares, shapes, NULL, err));
    assert_int_equal(count, 10);
    assert_int_equal(am_pencil_rigid(&pencil, count, squares), 0);
    for (size_t k = 0; k < 10; k++)
        assert_near(sqrt(squares[k]) / 6.283185307179586, hertz[k], 1e-9 * hertz[k]);
    free(shapes);
    am_pencil_clear(&pencil);
    am_gathered_clear(&g);
    am_import_clear(&imports[0]);
    am_import_clear(&imports[1]);
}

static void samples_have_the_frequencies_that_their_programs_printed(void **state) {
    static const double blade[] = {218.58098323,  833.82007360,  1424.43531918, 1999.77115304,  4327.37131489,
                                   4570.11990754, 6133.15993970, 6528.59585023, 10003.16167797, 10787.59133608};
    static const double chain[] = {54.26056996,  107.72989864, 159.62828280, 209.19892714, 255.71898006,
                                   298.51007441, 336.94821970, 370.47290120, 398.59525357, 420.90518958};
    (void)state;
    assert_hertz(sample("blade.sti"), sample("blade.mas"), 144, "56.3", blade);
    assert_hertz(sample("chain12_dmig_long_ifo6_tin2.pch"), NULL, 12, "112.1", chain);
    assert_hertz(sample("chain12_dmig_short_ifo1_tin1.pch"), NULL, 12, "112.1", chain);
#ifdef AMONTONS_WITH_MATIO
    assert_hertz(sample("blade_v7.mat"), NULL, 144, "56.3", blade);
#endif
}

/* ---- every format says the same ---- */

enum { NODES = 5, N = 3 * NODES };

static am_label label_of(size_t i) {
    return (am_label){(long)(10 * (i / 3) + 7), (int)(i % 3) + 1};
}

static void draw(uint64_t *seed, double a[N][N]) {
    memset(a, 0, N * N * sizeof(double));
    for (size_t i = 0; i < N; i++) {
        a[i][i] = uniform(seed, 5.0, 9.0);
        for (size_t j = 0; j < i; j++)
            if (uniform(seed, 0.0, 1.0) < 0.4)
                a[i][j] = a[j][i] = uniform(seed, -1.0, 1.0) * pow(10.0, floor(uniform(seed, -3.0, 1.0)));
    }
}

typedef enum triangle { LOWER, UPPER, BOTH } triangle;

static bool is_listed(size_t i, size_t j, triangle which) {
    return which == BOTH || (which == LOWER ? j <= i : i <= j);
}

static void write_abaqus(FILE *file, double a[N][N], triangle which) {
    fprintf(file, "** written by a test\n");
    for (size_t i = N; i-- > 0;) /* in no order that the reader could like */
        for (size_t j = 0; j < N; j++)
            if (a[i][j] != 0.0 && is_listed(i, j, which))
                fprintf(file, "%ld,%d, %ld,%d, %24.16e\n", label_of(i).node, label_of(i).direction, label_of(j).node,
                        label_of(j).direction, a[i][j]);
}

static void write_coordinate(FILE *file, double a[N][N], triangle which) {
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            if ((a[i][j] != 0.0 || i == j) && is_listed(i, j, which))
                fprintf(file, "%zu %zu  %.16e\n", i + 1, j + 1, a[i][j]);
}

/* Fortran's D, sixteen wide: ten digits. */
static void write_dmig(FILE *file, double a[N][N], triangle which) {
    fprintf(file, "$ a comment\nDMIG    KTEST          0       %d       2       0\n", which == BOTH ? 1 : 6);
    for (size_t j = 0; j < N; j++) {
        fprintf(file, "DMIG*   KTEST   %16ld%16d\n", label_of(j).node, label_of(j).direction);
        for (size_t i = 0; i < N; i++)
            if (a[i][j] != 0.0 && is_listed(i, j, which)) {
                char number[32];
                snprintf(number, sizeof number, "%16.9E", a[i][j]);
                *strchr(number, 'E') = 'D';
                fprintf(file, "*       %16ld%16d%s\n", label_of(i).node, label_of(i).direction, number);
            }
    }
}

static void write_harwell_boeing(FILE *file, double a[N][N], triangle which) {
    size_t start[N + 1] = {1}, count = 0, row[N * N];
    double value[N * N];
    for (size_t j = 0; j < N; j++) {
        for (size_t i = 0; i < N; i++)
            if (a[i][j] != 0.0 && is_listed(i, j, which)) {
                row[count] = i + 1;
                value[count++] = a[i][j];
            }
        start[j + 1] = count + 1;
    }
    fprintf(file, "%-72s%-8s\n", "a test", "TEST");
    fprintf(file, "%14zu%14d%14d%14d%14d\n", count, 1, 1, 1, 0);
    fprintf(file, "%s           %14d%14d%14zu%14d\n", which == BOTH ? "RUA" : "RSA", N, N, count, 0);
    fprintf(file, "%-16s%-16s%-20s\n", "(5I6)", "(7I4)", "(1P,3E25.16)");
    for (size_t j = 0; j <= N; j++)
        fprintf(file, "%6zu%s", start[j], j % 5 == 4 || j == N ? "\n" : "");
    for (size_t e = 0; e < count; e++)
        fprintf(file, "%4zu%s", row[e], e % 7 == 6 || e + 1 == count ? "\n" : "");
    for (size_t e = 0; e < count; e++)
        fprintf(file, "%25.16E%s", value[e], e % 3 == 2 || e + 1 == count ? "\n" : "");
}

static const struct form {
    const char *file;
    am_import_format format;
    void (*write)(FILE *file, double a[N][N], triangle which);
    bool labelled;
    double rounding; /* of the digits */
} forms[] = {{"list.mtx", AM_IMPORT_ABAQUS, write_abaqus, true, 0.0},
             {"rows.sti", AM_IMPORT_COORDINATE, write_coordinate, false, 0.0},
             {"punch.pch", AM_IMPORT_DMIG, write_dmig, true, 1e-9},
             {"columns.rsa", AM_IMPORT_HARWELL_BOEING, write_harwell_boeing, false, 0.0}};
enum { FORMS = sizeof forms / sizeof *forms };

static void write_form(const struct form *form, double a[N][N], triangle which) {
    FILE *file = fopen(in_scratch(form->file), "w");
    assert_non_null(file);
    form->write(file, a, which);
    fclose(file);
}

static void every_format_gives_the_matrix_that_was_written(void **state) {
    double a[N][N];
    uint64_t seed = 1;
    (void)state;
    for (size_t round = 0; round < CASES(20, 3); round++)
        for (size_t f = 0; f < FORMS; f++)
            for (triangle which = LOWER; which <= BOTH; which++) {
                am_import import;
                draw(&seed, a);
                write_form(&forms[f], a, which);
                GOOD(am_import_read(&import, in_scratch(forms[f].file), AM_IMPORT_ANY, err));
                assert_int_equal(import.format, forms[f].format);
                assert_int_equal(import.count, 1);
                assert_string_equal(import.part[0].asymmetry, "");
                for (size_t i = 0; i < N; i++)
                    assert_true(import.part[0].row[i].diagonal);
                assert_int_equal(am_matrix_rows(import.part[0].matrix), N);
                assert_int_equal(import.labels.count, forms[f].labelled ? N : 0);
                for (size_t i = 0; i < N; i++)
                    for (size_t j = 0; j < N; j++)
                        assert_near(am_matrix_at(import.part[0].matrix, i, j), a[i][j],
                                    forms[f].rounding * fabs(a[i][j]));
                am_import_clear(&import);
            }
}

/* ---- broken files ---- */

static am_status read_text(const char *name, const char *text, am_error *err) {
    am_import import;
    write_scratch(name, text);
    am_status status = am_import_read(&import, in_scratch(name), AM_IMPORT_ANY, err);
    am_gathered gathered;
    if (status)
        return status;
    am_gather_source source[AM_IMPORT_ROLES] = {[AM_IMPORT_STIFFNESS] = {&import, 0}};
    status = am_gather(&gathered, source, err);
    if (!status)
        am_gathered_clear(&gathered);
    am_import_clear(&import);
    return status;
}

static void broken_files_are_refused_with_their_line(void **state) {
#define DMIG_HEAD "DMIG    K              0       6       2       0\n"
#define HB_HEAD "title                                                                   KEY     \n"
    static const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"a.mtx", "1,1, 1,1, 2.0\n1,2, 1,1, 1.0\n1,2, 1,2, 3.0\n1,2, 1,1, 1.0\n",
         "a.mtx:4: the term (1.2, 1.1) comes twice"},
        {"a.mtx", "1,1, 1,1, 2.0\n1,2, 1,1, 1.0\n1,1, 1,2, 1.5\n1,2, 1,2, 3.0\n", ":3: the matrix is not symmetric"},
        {"a.mtx", "1,1, 1,1, 2\n1,2, 1,1, 1\n1,1, 1,2, 1\n1,2, 1,2, 3\n1,3, 1,1, 2\n1,3, 1,3, 9\n",
         ":5: the matrix is not symmetric"},
        {"a.mtx", "1,1, 1,1, 2.0\n1,2, 1,1, nan\n", ":2: expected one finite number"},
        {"a.mtx", "1,1, 1,1, 2.0\n1,2, 1,1, 1e999\n", ":2: expected one finite number"},
        {"a.mtx", "1,1, 1,1, 2.0\n1,2, 1,1, 1.0", ":2: the file ends inside a line"},
        {"a.mtx", "1,1, 1,1, 2.0\n1,2, 1,1\n", ":2: expected"},
        {"a.mtx", "1,1, 1,1, 2.0\n1,2, 1,1, 1.0\n", "1.2 has no term on the diagonal of the stiffness"},
        {"a.mtx", "1,1, 1,1, 2.0\n1,x, 1,1, 1.0\n", ":2: expected 'node, direction"},
        {"a.sti", "1 1  2.0\n1 2  1.0\n2 2  3.0\n1 2 1.0\n", "a.sti:4: the term (1, 2) comes twice"},
        {"a.sti", "1 1  2.0\n1 2  1.0\n2 1  4.0\n2 2  3.0\n", "not symmetric"},
        {"a.sti", "1 1  2.0\n1 3  1.0\n3 3  3.0\n", "the coordinate 2 has no term"},
        {"a.sti", "1 1  2.0\n0 2  1.0\n", ":2: there is no row or column 0"},
        {"a.sti", "1 1  2.0\n1 2  inf\n", ":2: expected one finite number"},
        {"a.sti", "1 1  2.0\n100000000 1  1.0\n", "is this a matrix?"},
        {"a.pch", DMIG_HEAD "DMIG*   K                              1               1\n",
         ":2: column 1.1 of K has no terms"},
        {"a.pch", "DMIG    K              0       9       2       0\n", ":1: the matrix K has the form 9"},
        {"a.pch", "DMIG    K              0       6       3       0\n", ":1: the matrix K has the type 3"},
        {"a.pch", DMIG_HEAD DMIG_HEAD, ":2: the matrix K begins a second time"},
        {"a.pch", "DMIG    K              1       1               1       1     2.0\n",
         ":1: a column of the matrix 'K', which has not begun"},
        {"a.pch", DMIG_HEAD "DMIG    K              1       1               1       1     nan\n",
         ":2: expected a finite number"},
        {"a.pch", DMIG_HEAD "DMIG    K              1       1               1       1     2.0",
         ":2: the file ends inside a line"},
        {"a.pch",
         DMIG_HEAD "DMIG    K              1       1               1       1     2.0\n"
                   "DMIG    K              1       1               1       1     2.0\n",
         ":3: the term (1.1, 1.1) comes twice"},
        {"a.pch", DMIG_HEAD "DMIG    K              1       1               1       7     2.0\n",
         ":2: there is no coordinate 1.7"},
        {"a.pch", DMIG_HEAD, "the matrix K has no terms"},
        {"a.rsa",
         HB_HEAD " 3 1 1 1 0\nRSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n     1     3     4\n   1   2   2\n  1.0000E+00  "
                 "0.5000E+00  2.0000E+\n",
         ":7: the line ends inside of the values"},
        {"a.rsa", HB_HEAD " 3 1 1 1 0\nRSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n     1     3     4\n   1   2   3\n",
         ":6: '   3' is none of the rows"},
        {"a.rsa", HB_HEAD " 3 1 1 1 0\nRSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n     1     3     3\n",
         ":5: the columns have 2 entries"},
        {"a.rsa", HB_HEAD " 3 1 1 1 0\nRSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n     1     3     4\n   1   2   2\n",
         ":6: the file ends before the values"},
        {"a.rsa",
         HB_HEAD " 3 1 1 1 0\nRSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n     1     3     4\n   1   1   2\n  1.0000E+00  "
                 "0.5000E+00  2.0000E+00\n",
         "the term (1, 1) comes twice"},
        {"a.rsa",
         HB_HEAD " 3 1 1 1 0\nRSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n     1     3     4\n   1   2   2\n  1.0000E+00        "
                 " nan  2.0000E+00\n",
         ":7: expected a finite number"},
        {"a.rsa", HB_HEAD " 3 1 1 1 0\nCSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n", ":3: the type is CSA"},
        {"a.rsa",
         HB_HEAD " 3 1 1 1 0\nRUA 2 2 4 0\n(5I6) (7I4) (4E12.4)\n     1     3     5\n   1   2   1   2\n  1.0000E+00  "
                 "0.5000E+00  0.6000E+00  2.0000E+00\n",
         "not symmetric"},
        /* Fields that are full of signs, and whole numbers that do not fit. */
        {"a.pch", DMIG_HEAD "DMIG,K,1,1,,1,1,1+++++++++++++++++++++++++++++++++++++\n", ":2: expected a finite number"},
        {"a.pch", DMIG_HEAD "DMIG,K,1,1,,1,1,1.000000000000000000000000000000000000000000\n",
         ":2: a field has more than"},
        {"a.pch", DMIG_HEAD "DMIG*   K                              1               1\n*\n",
         ":3: the line goes on with column 1.1 but has no term"},
        {"a.rsa",
         HB_HEAD " 3 1 1 1 0\nRSA 1 1 1 0\n(5I6) (7I4) (1E60.4)\n     1     2\n   1\n"
                 "1+++++++++++++++++++++++++++++++++++++++++++++++++++++++++++\n",
         ":7: expected a finite number"},
        {"a.rsa",
         HB_HEAD " 3 1 1 1 0\nRSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n     1     3     4\n   1   2   2\n  1.0000E+00  "
                 "0.5000E+00  2.0000E+00\n  1.0000E+00  0.5000E+00  2.0000E+00\n",
         ":8: the file goes on behind the last"},
        {"a.rsa",
         HB_HEAD " 3 1 1 1 0\nRSA 2 2 3 0\n(5I6) (7I4) (3E12.4)\n     1     3     4\n   1   2   1\n  1.0000E+00  "
                 "0.5000E+00  2.0000E+00\n",
         "lies in the other triangle"},
        {"a.mtx", "1,1, 99999999999999999999,1, 2.0\n", ":1: expected 'node, direction"},
        {"a.mtx", "1,1, 1,1, 2.0\n1,0, 1,0, 2.0\n", ":2: node 1 is a single coordinate (direction 0) in some terms"},
        {"a.mtx", "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.0\n", ":1: not a Matrix Market file"},
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 2.0\n1 1 2.0\n",
         ":4: the term (1, 1) comes twice (first in line 3)"},
        {"a.mtx",
         "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2.00000000000000e+00\n2 2 2.00000000000000e",
         ":4: expected one finite number"},
        {"a.mtx",
         "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2.00000000000000e+00\n2 2 2.00000000000000",
         ":4: the last value has fewer digits"},
        {"a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2.0\n2 2 2.0\n2 1 1.0\n",
         ":5: the matrix is not symmetric"},
        {"a.txt", "nothing of the kind\n", "no file of matrices that can be read"},
        {"a.txt", "", "no file of matrices that can be read"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_error err = {0};
        am_status status = read_text(cases[i].name, cases[i].text, &err);
        if (status != AM_ERR_INPUT)
            fail_msg("case %zu (%s) has the status %d: %s", i, cases[i].says, (int)status, err.message);
        assert_says(&err, cases[i].says);
        assert_says(&err, cases[i].name);
    }
}

/* Cut off anywhere: refused, or cut between two terms, where what is left is a list as well. */
static void files_that_are_cut_off_are_noticed(void **state) {
    double a[N][N];
    uint64_t seed = 7;
    char *text = calloc(1 << 16, 1);
    (void)state;
    draw(&seed, a);
    for (size_t f = 0; f < FORMS; f++) {
        write_form(&forms[f], a, LOWER);
        FILE *file = fopen(in_scratch(forms[f].file), "r");
        assert_non_null(file);
        size_t length = fread(text, 1, (1 << 16) - 1, file);
        fclose(file);
        for (size_t cut = length - 1; cut > 0; cut -= cut < CASES(7, 37) ? cut : CASES(7, 37)) {
            am_error err = {0};
            am_import import;
            char kept = text[cut];
            text[cut] = '\0';
            bool between = text[cut - 1] == '\n' && forms[f].format != AM_IMPORT_HARWELL_BOEING;
            write_scratch("cut", text);
            am_status status = am_import_read(&import, in_scratch("cut"), AM_IMPORT_ANY, &err);
            if (!status && !between)
                fail_msg("%s, cut off after %zu bytes, was read", forms[f].file, cut);
            if (status && status != AM_ERR_INPUT)
                fail_msg("%s after %zu bytes: %s", forms[f].file, cut, err.message);
            if (!status)
                am_import_clear(&import);
            text[cut] = kept;
        }
    }
    free(text);
}

#ifdef AMONTONS_WITH_MATIO
static void matlab_files_that_are_cut_off_are_refused(void **state) {
    char *bytes = calloc(1 << 16, 1);
    FILE *file = fopen(sample("blade_v7.mat"), "rb");
    (void)state;
    assert_non_null(file);
    size_t length = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    for (size_t cut = 1; cut < length; cut += CASES(97, 1999)) {
        am_error err = {0};
        am_import import;
        file = fopen(in_scratch("cut.mat"), "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, cut, file), cut);
        fclose(file);
        assert_int_equal(am_import_read(&import, in_scratch("cut.mat"), AM_IMPORT_ANY, &err), AM_ERR_INPUT);
        assert_says(&err, "cut.mat");
    }
    free(bytes);
}
#endif

/* The last number has lost digits, and the line has an end all the same. */
static void numbers_that_lost_digits_are_noticed(void **state) {
    double a[N][N];
    uint64_t seed = 8;
    char *text = calloc(1 << 16, 1);
    (void)state;
    draw(&seed, a);
    for (size_t f = 0; f < FORMS; f++) {
        write_form(&forms[f], a, LOWER);
        FILE *file = fopen(in_scratch(forms[f].file), "r");
        assert_non_null(file);
        size_t length = fread(text, 1, (1 << 16) - 1, file);
        fclose(file);
        for (size_t lost = 1; lost < 9; lost++) {
            am_error err = {0};
            am_import import;
            text[length - 1 - lost] = '\n';
            text[length - lost] = '\0';
            write_scratch("cut", text);
            assert_int_equal(am_import_read(&import, in_scratch("cut"), AM_IMPORT_ANY, &err), AM_ERR_INPUT);
        }
    }
    free(text);
}

/* ---- several files ---- */

static am_status gather_texts(const char *stiffness, const char *mass, am_gathered *g, am_error *err) {
    am_import k = {0}, m = {0};
    write_scratch("k.mtx", stiffness);
    write_scratch("m.mtx", mass);
    am_status status = am_import_read(&k, in_scratch("k.mtx"), AM_IMPORT_ANY, err);
    if (!status)
        status = am_import_read(&m, in_scratch("m.mtx"), AM_IMPORT_ANY, err);
    am_gather_source source[AM_IMPORT_ROLES] = {[AM_IMPORT_STIFFNESS] = {&k, 0}, [AM_IMPORT_MASS] = {&m, 0}};
    if (!status)
        status = am_gather(g, source, err);
    am_import_clear(&k);
    am_import_clear(&m);
    return status;
}

static void rows_are_matched_by_their_labels(void **state) {
    static const char stiffness[] = "2,1, 2,1, 5\n-3,1, -3,1, 7\n1,1, 1,1, 3\n1,1, 2,1, -1\n";
    am_gathered g;
    am_error err = {0};
    (void)state;
    GOOD(gather_texts(stiffness, "1,1, 1,1, 10\n2,1, 2,1, 20\n", &g, err));
    assert_int_equal(g.n, 3); /* -3 is an internal node, and has no mass */
    assert_int_equal(g.warning_count, 1);
    assert_non_null(strstr(g.warning[0], "-3.1"));
    size_t one = am_labels_find(&g.labels, (am_label){1, 1}), two = am_labels_find(&g.labels, (am_label){2, 1});
    assert_near(am_matrix_at(g.matrix[AM_IMPORT_STIFFNESS], one, two), -1.0, 0.0);
    assert_near(am_matrix_at(g.matrix[AM_IMPORT_MASS], two, two), 20.0, 0.0);
    am_gathered_clear(&g);

    /* A direction alone was lost; a coordinate that the stiffness lacks. */
    assert_int_equal(gather_texts("1,1, 1,1, 3\n1,2, 1,2, 3\n", "1,1, 1,1, 3\n", &g, &err), AM_ERR_INPUT);
    assert_says(&err, "the coordinate 1.2 is missing");
    assert_int_equal(gather_texts("1,1, 1,1, 3\n", "1,1, 1,1, 3\n4,1, 4,1, 3\n", &g, &err), AM_ERR_INPUT);
    assert_says(&err, "the coordinate 4.1 is not in the stiffness");
    /* Numbers instead of labels: as many. */
    assert_int_equal(gather_texts("1 1 3\n2 2 3\n", "1 1 3\n", &g, &err), AM_ERR_INPUT);
    assert_says(&err, "1 coordinates where the stiffness has 2");
}

static void masses_that_nothing_can_have_are_refused(void **state) {
    static const char stiffness[] = "1,1, 1,1, 3\n1,2, 1,2, 3\n1,4, 1,4, 3\n",
                      *const masses[] = {"1,1, 1,1, -2\n1,2, 1,2, 2\n", "1,1, 1,1, 2\n1,1, 1,2, 2.1\n1,2, 1,2, 2\n",
                                         "1,1, 1,1, 0\n1,1, 1,2, 1\n1,2, 1,2, 2\n"};
    am_gathered g;
    am_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++) {
        assert_int_equal(gather_texts(stiffness, masses[i], &g, &err), AM_ERR_INPUT);
        assert_says(&err, "m.mtx:1: no mass is like this: the term (1.1, 1.");
    }
    GOOD(gather_texts(stiffness, "1,1, 1,1, 2\n1,1, 1,2, 2\n1,2, 1,2, 2\n", &g, err)); /* a rotation may have none */
    assert_int_equal(g.warning_count, 1);
    am_gathered_clear(&g);
}

/* Two coordinates that resist cannot be coupled by far more than they resist; below, a structure may buckle, and constraints
 * have no diagonal. */
static void stiffnesses_that_nothing_can_have_are_refused(void **state) {
    am_gathered g;
    am_error err = {0};
    (void)state;
    assert_int_equal(gather_texts("1,1, 1,1, 2\n1,1, 1,2, 1e30\n1,2, 1,2, 2\n", "1,1, 1,1, 2\n1,2, 1,2, 2\n", &g, &err),
                     AM_ERR_INPUT);
    assert_says(&err, "k.mtx:1: no stiffness is like this: the term (1.1, 1.2) is 1e+30");
    GOOD(gather_texts("1,1, 1,1, 2\n1,1, 1,2, 15\n1,2, 1,2, 2\n", "1,1, 1,1, 2\n1,2, 1,2, 2\n", &g, err));
    am_gathered_clear(&g);
    GOOD(gather_texts("1,1, 1,1, 2\n1,1, 1,2, 15\n1,2, 1,2, 0\n", "1,1, 1,1, 2\n1,2, 1,2, 2\n", &g, err));
    am_gathered_clear(&g);
}

/* Nodes, sets and elements: what is wrong is said with its line, and nothing is passed over. */
static void broken_decks_and_tables_are_refused(void **state) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"*NODE\n1 0.5 0.5 0.5\n", ":2: expected 'node, x, y, z' with commas"},
        {"*NODE\n1, 0.5, 0.5x, 0.5\n", ":2: expected the place of node 1"},
        {"*NODE\n1, 0.5, nan, 0.5\n", ":2: expected the place of node 1"},
        {"*NODE\n0, 0.5, 0.5, 0.5\n", ":2: expected 'node, x, y, z'"},
        {"*NODE\n99999999999999999999, 0.5, 0.5, 0.5\n", ":2: expected 'node, x, y, z'"},
        {"*NODE\n1, 0, 0, 0\n2, 0.5, 0.", ":3: the file ends inside the place of node 2"},
        {"*NODE\n1, 0, 0, 0\n1, 0, 0, 1\n", "two nodes 1 at different places"},
        {"*NSET, NSET=A\n1, 2, x\n", ":2: expected nodes of the set A"},
        {"*NSET, NSET=A\n1, -2\n", ":2: expected nodes of the set A"},
        {"*NSET, NSET=A, GENERATE\n5, 1\n", ":2: expected the first and the last node"},
        {"*NSET, NSET=A, GENERATE\n1, 999999999999999999\n", ":2: expected the first and the last node"},
        {"*NSET, NSET=A\nB\n", ":2: there is no set 'B' yet"},
        {"*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 1, 1\n", ":4: the file ends inside an element"},
        {"*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 1, 1, 7\n", "an element has the node 7"},
        {"node,set\n1,A\n2\n", ":3: the column `set` of node 2 is missing"},
        {"node,set\nx,A\n", ":2: expected the number of a node"},
        {"node,x,y,z\n1,0,0\n", ":2: expected the z of node 1"},
        {"node,x,y,z\n1,0,0,inf\n", ":2: expected the z of node 1"},
        {"what,is,this\n1,0,0\n", ":1: expected an input deck"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_error err = {0};
        am_import_mesh mesh = {0};
        am_sets sets = {0};
        write_scratch("deck", cases[i].text);
        if (am_import_mesh_read(&mesh, &sets, in_scratch("deck"), &err) != AM_ERR_INPUT)
            fail_msg("case %zu was read: %s", i, cases[i].text);
        assert_says(&err, cases[i].says);
        am_import_mesh_clear(&mesh);
        am_sets_clear(&sets);
    }
}

/* As editors on other machines leave files: a byte-order mark, lines that end with a carriage return, too. */
static void marks_of_editors_do_not_matter(void **state) {
    static const char *const texts[] = {"\xEF\xBB\xBF"
                                        "1 1 2.0\r\n2 2 3.0\r\n",
                                        "\xEF\xBB\xBF%%MatrixMarket matrix coordinate real symmetric\r\n2 2 2\r\n1 1 "
                                        "2.0\r\n2 2 3.0\r\n"};
    am_import import;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        write_scratch("k.sti", texts[i]);
        GOOD(am_import_read(&import, in_scratch("k.sti"), AM_IMPORT_ANY, err));
        assert_near(am_matrix_at(import.part[0].matrix, 1, 1), 3.0, 0.0);
        am_import_clear(&import);
    }
}

static void clamped_coordinates_are_left_out(void **state) {
    am_gathered g;
    (void)state;
    GOOD(gather_texts("1,1, 1,1, 1e36\n2,1, 2,1, 5e10\n3,1, 3,1, 7e9\n3,1, 2,1, -1e9\n2,1, 1,1, -1e9\n",
                      "1,1, 1,1, 1\n2,1, 2,1, 2\n3,1, 3,1, 3\n", &g, err));
    assert_int_equal(g.n, 2);
    assert_int_equal(g.clamped.count, 1);
    assert_int_equal(g.clamped.label[0].node, 1);
    assert_near(am_matrix_at(g.matrix[AM_IMPORT_MASS], 1, 1), 3.0, 0.0);
    assert_near(am_matrix_at(g.matrix[AM_IMPORT_STIFFNESS], 0, 1), -1e9, 0.0);
    am_gathered_clear(&g);
}

static void labels_are_read_as_people_write_them(void **state) {
    static const struct {
        const char *text;
        long node;
        int direction;
    } good[] = {{"51.3", 51, 3},  {"51.z", 51, 3},    {"node 51 x", 51, 1}, {"51, 2", 51, 2},
                {" 7 UY ", 7, 2}, {"12 ROTZ", 12, 6}, {"-4.1", -4, 1},      {"9", 9, 0}};
    static const char *const bad[] = {"", "x", "51.", "51.q", "51.3.1", "51x", "node", "5.12"};
    am_label label;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(am_label_parse(good[i].text, &label));
        assert_int_equal(label.node, good[i].node);
        assert_int_equal(label.direction, good[i].direction);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (am_label_parse(bad[i], &label))
            fail_msg("'%s' was read as a label", bad[i]);
    am_labels labels;
    am_error err = {0};
    write_scratch("twice.dof", "9.1\n9.2\n9.1\n");
    assert_int_equal(am_labels_read(&labels, in_scratch("twice.dof"), &err), AM_ERR_INPUT);
    assert_says(&err, "twice.dof:3: 9.1 is the label of row 1 already");
    write_scratch("odd.dof", "9.1\n9.w\n");
    assert_int_equal(am_labels_read(&labels, in_scratch("odd.dof"), &err), AM_ERR_INPUT);
    assert_says(&err, "odd.dof:2: '9.w' is no label");
    write_scratch("mapping", "     Matrix Eqn     Node   DOF\n  1   51  UX\n  2   51  UZ\n");
    GOOD(am_labels_read(&labels, in_scratch("mapping"), err));
    assert_int_equal(labels.count, 2);
    assert_int_equal(am_labels_find(&labels, (am_label){51, 3}), 1);
    am_labels_clear(&labels);
}

/* Labels beside a matrix that has another number of rows. */
static void labels_must_be_as_many_as_rows(void **state) {
    am_import import;
    am_error err = {0};
    (void)state;
    write_scratch("few.sti", "1 1 2.0\n2 2 2.0\n");
    write_scratch("few.dof", "5.1\n");
    GOOD(am_import_read(&import, in_scratch("few.sti"), AM_IMPORT_ANY, err));
    assert_int_equal(am_import_labels_beside(&import, &err), AM_ERR_INPUT);
    assert_says(&err, "few.dof has 1 labels where");
    am_import_clear(&import);
}

/* As Python writes 17 digits: the last value happens to need fewer. */
static void values_without_exponents_may_have_fewer_digits(void **state) {
    (void)state;
    const char *text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 7104000000.0000038\n"
                       "2 1 -444000000.00000012\n2 2 74000000.00000003\n";
    am_error err = {0};
    if (read_text("K.mtx", text, &err))
        fail_msg("%s", err.message);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_without_exponents_may_have_fewer_digits),
        cmocka_unit_test(samples_have_the_frequencies_that_their_programs_printed),
        cmocka_unit_test(every_format_gives_the_matrix_that_was_written),
        cmocka_unit_test(broken_files_are_refused_with_their_line),
        cmocka_unit_test(files_that_are_cut_off_are_noticed),
        cmocka_unit_test(numbers_that_lost_digits_are_noticed),
#ifdef AMONTONS_WITH_MATIO
        cmocka_unit_test(matlab_files_that_are_cut_off_are_refused),
#endif
        cmocka_unit_test(rows_are_matched_by_their_labels),
        cmocka_unit_test(masses_that_nothing_can_have_are_refused),
        cmocka_unit_test(stiffnesses_that_nothing_can_have_are_refused),
        cmocka_unit_test(broken_decks_and_tables_are_refused),
        cmocka_unit_test(marks_of_editors_do_not_matter),
        cmocka_unit_test(clamped_coordinates_are_left_out),
        cmocka_unit_test(labels_are_read_as_people_write_them),
        cmocka_unit_test(labels_must_be_as_many_as_rows),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
