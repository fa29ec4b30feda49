/* Results hold the study as it was run: it gives the same numbers again, with the files that it reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amontons/study.h"
#include "scratch.h"
#include "study/study.h"

/* ---- Reading ---- */

static char *record(const am_study *study) {
    am_arena *pool = am_arena_create(NULL);
    am_provenance provenance = {0};
    assert_int_equal(am_study_record(study, pool, &provenance, NULL), AM_OK);
    char *text = strdup(provenance.study);
    assert_non_null(text);
    assert_non_null(provenance.date);
    am_arena_free(pool);
    return text;
}

/* What was recorded of what was recorded is the same text: nothing was lost in it that a study can say. */
static void check_record(const char *path) {
    am_error err = {0};
    am_study *study = am_study_read(path, 0, NULL, false, &err);
    if (!study)
        fail_msg("%s", err.message);
    char *text = record(study);
    am_study_free(study);
    if (!strstr(text, "file: \"input")) { /* whose copies do not lie there */
        am_study *again = am_study_parse("study.yaml", text, 0, NULL, false, &err);
        if (!again)
            fail_msg("%s, as it was run: %s", path, err.message);
        char *second = record(again);
        assert_string_equal(text, second);
        free(second);
        am_study_free(again);
    }
    free(text);
}

static size_t check_folder(const char *folder) {
    size_t count = 0;
    DIR *directory = opendir(folder);
    if (!directory)
        return 0;
    for (const struct dirent *e; (e = readdir(directory));) {
        char path[2048];
        size_t length = strlen(e->d_name);
        if (e->d_name[0] == '.' || strcmp(e->d_name, "path_mesh.yaml") == 0)
            continue; /* the mesh of that one lies elsewhere, and nobody allows it here */
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (length > 5 && strcmp(e->d_name + length - 5, ".yaml") == 0) {
            if (count++ % 6 == 0) /* to read all of them takes long */
                check_record(path);
        } else {
            count += check_folder(path);
        }
    }
    closedir(directory);
    return count;
}

static void studies_of_the_gallery_survive_their_record(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    assert_true(check_folder(AMONTONS_SOURCE_DIR "/gallery/klarbring") > 5);
#else
    assert_true(check_folder(AMONTONS_SOURCE_DIR "/gallery") > 50);
    assert_true(check_folder(AMONTONS_SOURCE_DIR "/tests/quantities") > 40);
#endif
}

/* ---- Running ---- */

static am_run *run_into(const char *path, size_t count, const am_setting *settings, bool full, const char *folder) {
    am_error err = {0};
    am_study *study = am_study_read(path, count, settings, full, &err);
    am_run *run = study ? am_study_run_into(study, folder, false, NULL, &err) : NULL;
    if (!run)
        fail_msg("%s", err.message);
    assert_int_equal(am_run_note_command(run, "amontons run 'a study'", NULL), AM_OK);
    if (am_output_folder(am_run_report(run), folder, NULL, &err) != AM_OK)
        fail_msg("%s", err.message);
    am_study_free(study);
    return run;
}

/* The results of a study, and those of the study that lies beside them, moved elsewhere. */
static void check_repeats(const char *path, size_t count, const am_setting *settings, bool full) {
    char first[1024], moved[1024], study[1200];
    snprintf(first, sizeof first, "%s", in_scratch("first"));
    snprintf(moved, sizeof moved, "%s", in_scratch("moved"));
    am_run *one = run_into(path, count, settings, full, first);
    assert_int_equal(rename(first, moved), 0);
    snprintf(study, sizeof study, "%s/study.yaml", moved);
    am_run *two = run_into(study, 0, NULL, false, in_scratch("second"));
    assert_same_results(am_run_report(one)->result, am_run_report(two)->result);
    am_run_free(one);
    am_run_free(two);
    remove_tree(moved);
    remove_tree(in_scratch("second"));
}

static const char plain[] =
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
    "analysis: {kind: motion, until: 5}\n"
    "full: {analysis.until: 12}\n";

static void settings_and_finer_values_are_in_the_record(void **state) {
    (void)state;
    const am_setting settings[] = {{"model.friction", "0.31"}, {"title", "\"it's mine: {a, b}\""}};
    write_scratch("plain.yaml", plain);
    char path[1024];
    snprintf(path, sizeof path, "%s", in_scratch("plain.yaml"));
    check_repeats(path, 0, NULL, false);
    check_repeats(path, 2, settings, false);
    check_repeats(path, 2, settings, true);
}

/* Matrices of Matrix Market files and a load from a table, in folders of their own and with names that need care. */
static void files_are_copied_beside_the_record(void **state) {
    (void)state;
    assert_int_equal(mkdir(in_scratch("data"), 0777), 0);
    assert_int_equal(mkdir(in_scratch("data/a b"), 0777), 0);
    write_scratch("data/a b/K.mtx",
                  "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 2\n");
    write_scratch("data/M.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n");
    write_scratch("with_files.yaml", "model:\n"
                                     "  kind: structure\n"
                                     "  mass: {file: data/M.mtx}\n"
                                     "  stiffness: {file: \"data/a b/K.mtx\"}\n"
                                     "  contacts: [{name: plane, normal: [0, 1], tangent: [1, 0], friction: 0.25}]\n"
                                     "  loads: [{direction: [-1, -0.99], ramp: 1}]\n"
                                     "analysis: {kind: motion, until: 5}\n");
    char path[1024];
    snprintf(path, sizeof path, "%s", in_scratch("with_files.yaml"));
    check_repeats(path, 0, NULL, false);
    /* And what is recorded of a study that was recorded does not grow. */
    am_run_free(run_into(path, 0, NULL, false, in_scratch("results")));
    am_run_free(run_into(in_scratch("results/study.yaml"), 0, NULL, false, in_scratch("results")));
    struct stat info;
    assert_int_equal(stat(in_scratch("results/input1-M.mtx"), &info), 0);
    assert_int_equal(stat(in_scratch("results/input2-K.mtx"), &info), 0);
}

/* ---- What else is told ---- */

static cJSON *summary_of(const char *folder) {
    char path[1024], text[65536];
    snprintf(path, sizeof path, "%s/summary.json", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cJSON *document = cJSON_Parse(text);
    assert_non_null(document);
    return document;
}

static const char *told(const cJSON *object, const char *name) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    if (!text || !*text)
        fail_msg("%s is not told", name);
    return text;
}

static void summary_tells_where_results_come_from(void **state) {
    (void)state;
    static const char *const names[] = {"version", "commit", "machine"}, *const libraries[] = {"OpenBLAS", "NetCDF",
                                                                                               "libfyaml", "cJSON"};
    write_scratch("plain.yaml", plain);
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "86400", 1), 0);
    am_run_free(run_into(in_scratch("plain.yaml"), 0, NULL, false, in_scratch("results")));
    unsetenv("SOURCE_DATE_EPOCH");
    cJSON *document = summary_of(in_scratch("results"));
    const cJSON *provenance = cJSON_GetObjectItemCaseSensitive(document, "provenance");
    for (size_t i = 0; i < 3; i++)
        told(provenance, names[i]);
    for (size_t i = 0; i < 4; i++)
        told(cJSON_GetObjectItemCaseSensitive(provenance, "libraries"), libraries[i]);
    assert_string_equal(told(provenance, "command"), "amontons run 'a study'");
    assert_string_equal(told(provenance, "date"), "1970-01-02T00:00:00Z");
    const char *commit = told(provenance, "commit");
    assert_true(strcmp(commit, "unknown") == 0 || strspn(commit, "0123456789abcdef") == 40);
    cJSON_Delete(document);
}

/* A study.yaml that somebody wrote into the folder is his. */
static void a_study_of_that_name_is_not_written_over(void **state) {
    (void)state;
    assert_int_equal(mkdir(in_scratch("results"), 0777), 0);
    write_scratch("results/study.yaml", plain);
    for (int turn = 0; turn < 2; turn++) {
        char path[1024], text[1024] = "";
        snprintf(path, sizeof path, "%s", in_scratch("results/study.yaml"));
        am_run_free(run_into(path, 0, NULL, false, in_scratch("results")));
        FILE *file = fopen(path, "r");
        assert_true(file && fread(text, 1, sizeof text - 1, file) > 0);
        fclose(file);
        assert_string_equal(text, plain);
        struct stat info;
        assert_int_equal(stat(in_scratch("results/study-as-run.yaml"), &info), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(studies_of_the_gallery_survive_their_record),
        cmocka_unit_test_setup_teardown(settings_and_finer_values_are_in_the_record, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(files_are_copied_beside_the_record, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(summary_tells_where_results_come_from, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_study_of_that_name_is_not_written_over, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
