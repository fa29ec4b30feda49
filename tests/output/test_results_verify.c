/* `am_study_verify` finds every damage to results, names the file, and takes nothing else for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amontons/study.h"
#include "scratch.h"
#include "uniform.h"

#if defined(__SANITIZE_ADDRESS__)
enum { CASES = 7 };
#else
enum { CASES = 35 };
#endif

typedef enum damage { NOTHING, REMOVED, CUT_OFF, ONE_BIT, LONGER, A_FOLDER, FOREIGN, DAMAGES } damage;
static const char *const named[DAMAGES] = {NULL,      "missing",   "half-written", "changed",
                                           "changed", "not known", "foreign"};

typedef struct said {
    size_t faults, notes;
    char name[300], words[300]; /* of the last one */
} said;

static void hear(void *context, const char *name, const char *words, bool fault) {
    said *s = context;
    s->faults += fault;
    s->notes += !fault;
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(s->words, sizeof s->words, "%s", words);
}

static char **write_results(const char *folder) {
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "samples", NULL);
    am_table_add_column(table, "t", "s", AM_COLUMN_NUMBER, NULL);
    for (size_t row = 0; row < 50; row++) {
        am_table_add_row(table, NULL);
        am_table_set_number(table, 0, 0.1 * (double)row);
    }
    am_report report = {.study = "one.yaml", .title = "", .source = "", .analysis = "motion", .result = result};
    char **files = NULL;
    assert_int_equal(am_output_folder(&report, folder, &files, NULL), AM_OK);
    am_result_free(result);
    return files;
}

static void flip(const char *path, uint64_t *seed) {
    FILE *file = fopen(path, "r+b");
    struct stat info;
    assert_true(file && fstat(fileno(file), &info) == 0);
    long at = (long)uniform(seed, 0, (double)info.st_size);
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ (1 << (int)uniform(seed, 0, 8)), file);
    fclose(file);
}

static void harm(const char *path, damage d, uint64_t *seed) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    FILE *file = NULL;
    switch (d) {
    case REMOVED:
    case A_FOLDER:
        assert_int_equal(unlink(path), 0);
        assert_true(d == REMOVED || mkdir(path, 0777) == 0);
        break;
    case CUT_OFF:
        assert_int_equal(truncate(path, (off_t)uniform(seed, 0, (double)info.st_size)), 0);
        break;
    case ONE_BIT:
        flip(path, seed);
        break;
    case LONGER:
        file = fopen(path, "ab");
        assert_true(file && fputs("\n", file) >= 0 && fclose(file) == 0);
        break;
    case FOREIGN:
        write_scratch("results/notes.txt", "mine\n");
        break;
    default:
        break;
    }
}

static void every_damage_is_found_and_named(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < CASES; i++) {
        damage d = (damage)(i % DAMAGES);
        char **files = write_results(in_scratch("results"));
        size_t count = 0;
        while (files[count])
            count++;
        const char *victim = files[(size_t)uniform(&seed, 0, (double)count)];
        char path[1024];
        snprintf(path, sizeof path, "results/%s", victim);
        harm(in_scratch(path), d, &seed);
        said s = {0};
        bool whole = false, harmless = d == NOTHING || d == FOREIGN;
        am_error err = {0};
        am_status status = am_study_verify(in_scratch("results"), hear, &s, &whole, &err);
        if (status != AM_OK || whole != harmless || (s.faults == 0) != harmless)
            fail_msg("case %d, damage %d to %s: status %d, whole %d, %zu faults: %s", i, d, victim, status, whole,
                     s.faults, err.message);
        bool sums = strcmp(victim, "SHA256SUMS") == 0; /* the file it does not fit any more may be named instead */
        if (named[d] && !sums && d != FOREIGN &&
            (s.faults != 1 || strcmp(s.name, victim) != 0 || strncmp(s.words, named[d], strlen(named[d])) != 0))
            if (strcmp(victim, "summary.json") != 0) /* whose list is then missing, too */
                fail_msg("case %d, damage %d to %s: it says %s: %s", i, d, victim, s.name, s.words);
        if (d == FOREIGN)
            assert_true(s.notes == 1 && strcmp(s.name, "notes.txt") == 0 && strncmp(s.words, "foreign", 7) == 0);
        am_output_files_free(files);
        remove_tree(in_scratch("results"));
    }
}

/* A line less in SHA256SUMS does not hide the file it was about. */
static void a_file_without_its_sum_is_found(void **state) {
    (void)state;
    am_output_files_free(write_results(in_scratch("results")));
    FILE *file = fopen(in_scratch("results/SHA256SUMS"), "r");
    char text[4096];
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    char *line = strstr(text, "  results.nc\n"), *begin = line;
    assert_non_null(line);
    while (begin > text && begin[-1] != '\n')
        begin--;
    memmove(begin, line + 13, strlen(line + 13) + 1);
    write_scratch("results/SHA256SUMS", text);
    said s = {0};
    bool whole = true;
    assert_int_equal(am_study_verify(in_scratch("results"), hear, &s, &whole, NULL), AM_OK);
    assert_false(whole);
}

/* Points that a sweep keeps: whole ones, and one that was damaged. */
static void points_of_a_sweep_are_looked_at(void **state) {
    (void)state;
    static const char text[] =
        "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
        "analysis: {kind: motion, until: 3}\n"
        "sweep: {axes: {model.friction: [0.1, 0.2, 0.3]}, outputs: [state_changes]}\n";
    am_error err = {0};
    am_study *study = am_study_parse("sweep.yaml", text, 0, NULL, false, &err);
    am_run *run = study ? am_study_run_into(study, in_scratch("results"), false, NULL, &err) : NULL;
    if (!run)
        fail_msg("%s", err.message);
    said s = {0};
    bool whole = true;
    assert_int_equal(am_study_verify(in_scratch("results"), hear, &s, &whole, &err), AM_OK);
    assert_false(whole); /* there are no results yet */
    assert_true(s.faults == 1 && strstr(s.words, "not finished"));
    char part[1024];
    uint64_t seed = 8;
    assert_true(parts_in("results", part) > 0);
    flip(part, &seed);
    s = (said){0};
    assert_int_equal(am_study_verify(in_scratch("results"), hear, &s, &whole, &err), AM_OK);
    assert_true(!whole && s.faults == 2);
    assert_int_equal(am_output_folder(am_run_report(run), in_scratch("results"), NULL, &err), AM_OK);
    am_study_settled(in_scratch("results"));
    s = (said){0};
    assert_int_equal(am_study_verify(in_scratch("results"), hear, &s, &whole, &err), AM_OK);
    assert_true(whole && s.faults == 0 && s.notes == 0);
    am_run_free(run);
    run = am_study_run_into(study, in_scratch("results"), false, NULL, &err); /* once more, beside the results */
    assert_non_null(run);
    s = (said){0};
    assert_int_equal(am_study_verify(in_scratch("results"), hear, &s, &whole, &err), AM_OK);
    assert_true(whole && s.faults == 0 && s.notes == 1 && strstr(s.words, "not finished, beside results"));
    am_run_free(run);
    am_study_free(study);
}

static void a_folder_without_results_is_told_apart(void **state) {
    (void)state;
    said s = {0};
    bool whole = true;
    am_error err = {0};
    assert_int_equal(mkdir(in_scratch("empty"), 0777), 0);
    assert_int_equal(am_study_verify(in_scratch("empty"), hear, &s, &whole, &err), AM_ERR_INPUT);
    assert_false(whole);
    assert_int_equal(am_study_verify(in_scratch("nowhere"), hear, &s, &whole, &err), AM_ERR_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_damage_is_found_and_named, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_file_without_its_sum_is_found, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(points_of_a_sweep_are_looked_at, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_folder_without_results_is_told_apart, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
