/* Sweeps that are interrupted and go on: what was computed is not computed again, and the results have the same bits as
 * those of an undisturbed run. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "scratch.h"

#define MODEL "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
#define MOTION "analysis: {kind: motion, until: 38, max_events: 3}\n"
/* Some points fail (too many events), and outputs are numbers, counts and texts. */
#define SWEEP                                                                                                          \
    "sweep: {axes: {model.friction: {from: 0.05, to: 0.95, count: 20}, model.load_rate.1: {from: -1, to: -0.7, "       \
    "count: 10}}}\n"
#define STUDY MODEL MOTION SWEEP

/* ---- running, and stopping after some points ---- */

typedef struct stop {
    size_t after;               /* points that are computed; 0: all */
    size_t first, done, failed; /* what `count` was told: at first, and at last */
} stop;

static void count(void *context, size_t done, size_t all, size_t failed) {
    stop *s = context;
    assert_true(done <= all && failed <= done);
    s->first = s->first ? s->first : done;
    s->done = done;
    s->failed = failed;
}

static bool go_on(void *context, double fraction) {
    (void)fraction;
    stop *s = context;
    return !s->after || s->done < s->first + s->after - 1 || s->first == 0;
}

/* NULL with err filled when the run failed. */
static am_run *run_named(const char *name, const char *text, const char *folder, bool force, stop *s, am_error *err) {
    am_progress progress = {.report = go_on, .context = s, .threads = 1, .count = count};
    am_study *study = am_study_parse(in_scratch(name), text, 0, NULL, false, err);
    if (!study)
        fail_msg("%s", err->message);
    char results[1024];
    snprintf(results, sizeof results, "%s", in_scratch(folder));
    am_run *made = am_study_run_into(study, results, force, &progress, err);
    am_study_free(study);
    return made;
}

static am_run *run_into(const char *text, const char *folder, stop *s, am_error *err) {
    return run_named("first.yaml", text, folder, false, s, err);
}

static void interrupt(const char *text, const char *folder, size_t after) {
    am_error err = {0};
    stop s = {.after = after};
    assert_null(run_into(text, folder, &s, &err));
    assert_int_equal(err.status, AM_ERR_INTERRUPTED);
    assert_says(&err, "the same command goes on from there");
    assert_int_equal(s.done, s.first + after - 1);
}

static am_run *whole_run(const char *text) {
    am_error err = {0};
    stop s = {0};
    am_run *made = run_into(text, "undisturbed", &s, &err);
    if (!made)
        fail_msg("%s", err.message);
    return made;
}

/* Goes on, and compares with a run that was not disturbed. `known`: points that need not be computed again. */
static void finish(const char *text, const char *folder, size_t known) {
    am_error err = {0};
    stop s = {0};
    am_run *resumed = run_into(text, folder, &s, &err), *whole = whole_run(text);
    if (!resumed)
        fail_msg("%s", err.message);
    assert_int_equal(s.first, known + 1);
    assert_same_results(am_run_report(resumed)->result, am_run_report(whole)->result);
    am_run_free(resumed);
    am_run_free(whole);
}

/* ---- going on ---- */

static void an_interrupted_sweep_goes_on_where_it_was(void **state) {
    (void)state;
    am_run *whole = whole_run(STUDY);
    const am_result *result = am_run_report(whole)->result;
    assert_true(number(result, "failed") > 3 && number(result, "failed") < 150); /* the case is worth its name */
    am_run_free(whole);
    interrupt(STUDY, "here", 37);
    assert_int_equal(parts_in("here", NULL), 1);
    interrupt(STUDY, "here", 1);
    interrupt(STUDY, "here", 90);
    assert_int_equal(parts_in("here", NULL), 3);
    finish(STUDY, "here", 128);
}

static void tables_that_are_kept_go_on_as_well(void **state) {
    (void)state;
    static const char text_of[] =
        MODEL "analysis: {kind: motion, until: 38, max_events: 12}\n"
              "sweep: {axes: {model.friction: {from: 0.05, to: 0.95, count: 30}}, outputs: [state_changes], tables: "
              "[events]}\n";
    interrupt(text_of, "here", 17);
    finish(text_of, "here", 17);
}

static void a_refined_sweep_goes_on_with_the_same_bits(void **state) {
    (void)state;
    static const char text_of[] = "model: {kind: oscillator, beta: 0.5, Omega: 0.5}\n"
                                  "analysis: {kind: orbit, samples: 0}\n"
                                  "sweep: {axes: {model.beta: {from: 0.3, to: 0.9, count: 17}, model.Omega: {from: "
                                  "0.62, to: 1.5, count: 17}}, refine: {output: stops, coarse: 8}}\n";
    interrupt(text_of, "here", 5);  /* within the coarse grid */
    interrupt(text_of, "here", 30); /* within a finer one */
    finish(text_of, "here", 35);
}

static void a_sweep_whose_points_are_all_known_computes_none(void **state) {
    (void)state;
    am_error err = {0};
    stop s = {0}, none = {0};
    am_run *made = run_into(STUDY, "here", &s, &err); /* the parts stay until the results are written */
    am_run *again = run_into(STUDY, "here", &none, &err);
    assert_non_null(made);
    assert_non_null(again);
    assert_int_equal(s.done, 200);
    assert_int_equal(none.done, 0);
    assert_same_results(am_run_report(made)->result, am_run_report(again)->result);
    am_run_free(made);
    am_run_free(again);
    am_study_settled(in_scratch("here"));
    assert_true(has_no_parts("here"));
}

static void words_figures_and_expectations_may_change_in_between(void **state) {
    (void)state;
    am_error err = {0};
    stop s = {0};
    interrupt(STUDY, "here", 37);
    am_run *made = run_into("title: another title\nexpect: {points: 200}\n" STUDY, "here", &s, &err);
    assert_non_null(made);
    assert_int_equal(s.first, 38);
    am_run_free(made);
}

/* ---- damage ---- */

static void damage(void (*how)(const char *path)) {
    char part[1024];
    interrupt(STUDY, "here", 20);
    assert_int_equal(parts_in("here", part), 1);
    how(part);
    interrupt(STUDY, "here", 50); /* the damaged part costs its points: they are computed again */
    finish(STUDY, "here", 50);
}

static void cut(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size / 2), 0);
}

static void empty(const char *path) {
    assert_int_equal(truncate(path, 0), 0);
}

static void fill_with_garbage(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 5000; i++)
        fputc(i * 37 % 251, file);
    fclose(file);
}

static void flip_one_bit(const char *path) {
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long middle = ftell(file) / 2;
    fseek(file, middle, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, middle, SEEK_SET);
    fputc(byte ^ 4, file);
    fclose(file);
}

static void a_part_that_was_cut_off_costs_its_points_only(void **state) {
    (void)state;
    damage(cut);
}

static void an_empty_part_costs_its_points_only(void **state) {
    (void)state;
    damage(empty);
}

static void a_part_of_garbage_costs_its_points_only(void **state) {
    (void)state;
    damage(fill_with_garbage);
}

static void a_part_with_a_wrong_bit_costs_its_points_only(void **state) {
    (void)state;
    damage(flip_one_bit);
}

static void what_a_kill_left_half_written_is_passed_over(void **state) {
    (void)state;
    interrupt(STUDY, "here", 20);
    write_scratch("here/sweep-parts/part-0-1-0123456789abcdef.nc.part", "half");
    write_scratch("here/sweep-parts/part-0-x.nc", "no part");
    finish(STUDY, "here", 20);
    am_study_settled(in_scratch("here"));
    assert_true(has_no_parts("here"));
}

static void a_plan_that_cannot_be_read_is_no_reason_to_throw_parts_away(void **state) {
    (void)state;
    am_error err = {0};
    stop s = {0};
    interrupt(STUDY, "here", 20);
    assert_int_equal(rename(in_scratch("here/sweep-parts/plan.json"), in_scratch("plan")), 0);
    assert_int_equal(mkdir(in_scratch("here/sweep-parts/plan.json"), 0777), 0); /* opens, but cannot be read */
    assert_null(run_into(STUDY, "here", &s, &err));
    assert_int_equal(err.status, AM_ERR_FILE);
    assert_int_equal(rmdir(in_scratch("here/sweep-parts/plan.json")), 0);
    assert_int_equal(rename(in_scratch("plan"), in_scratch("here/sweep-parts/plan.json")), 0);
    finish(STUDY, "here", 20);
}

static void a_full_disk_ends_the_sweep_and_later_it_goes_on(void **state) {
    (void)state;
    am_error err = {0};
    stop s = {0};
    struct rlimit before, tight;
    interrupt(STUDY, "here", 20);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 1000; /* bytes of a file: as if the disk had no more */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    am_run *made = run_into(STUDY, "here", &s, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_null(made);
    assert_int_equal(err.status, AM_ERR_FILE);
    assert_says(&err, "could not be written");
    assert_int_equal(parts_in("here", NULL), 1);
    finish(STUDY, "here", 20);
}

/* ---- other studies ---- */

static void refused(const char *name, const char *text, const char *says) {
    am_error err = {0};
    stop s = {0};
    assert_null(run_named(name, text, "here", false, &s, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, says);
    assert_says(&err, "--force");
    assert_int_equal(s.done, 0);
}

#define OTHER                                                                                                          \
    MODEL "analysis: {kind: motion, until: 9}\n"                                                                       \
          "sweep: {axes: {model.friction: [0.1, 0.2, 0.3]}}\n"

static void parts_of_another_study_are_refused_by_its_name_and_kept(void **state) {
    (void)state;
    interrupt(STUDY, "here", 20);
    refused("second.yaml", OTHER, "first.yaml");
    finish(STUDY, "here", 20);
}

static void parts_of_the_study_as_it_was_are_refused(void **state) {
    (void)state;
    interrupt(STUDY, "here", 20);
    refused("first.yaml", OTHER, "as it was before it was changed");
}

static void force_throws_parts_of_another_study_away(void **state) {
    (void)state;
    am_error err = {0};
    stop s = {0};
    interrupt(STUDY, "here", 20);
    am_run *made = run_named("second.yaml", OTHER, "here", true, &s, &err), *whole = whole_run(OTHER);
    if (!made)
        fail_msg("%s", err.message);
    assert_int_equal(s.first, 1);
    assert_same_results(am_run_report(made)->result, am_run_report(whole)->result);
    am_run_free(made);
    am_run_free(whole);
}

static void force_does_not_throw_its_own_parts_away(void **state) {
    (void)state;
    am_error err = {0};
    stop s = {0};
    interrupt(STUDY, "here", 20);
    am_run *made = run_named("first.yaml", STUDY, "here", true, &s, &err);
    assert_non_null(made);
    assert_int_equal(s.first, 21);
    am_run_free(made);
}

static void a_matrix_file_that_changed_makes_another_study(void **state) {
    (void)state;
    static const char matrix[] = "%%%%MatrixMarket matrix array real general\n2 2\n%d\n0\n0\n3\n";
    static const char text_of[] =
        "model: {kind: structure, mass: [[1, 0], [0, 1]], stiffness: {file: K.mtx},\n"
        "  contacts: [{normal: [0, 1], tangent: [1, 0], friction: 0.3}], loads: [{direction: [0, -1], constant: 1}]}\n"
        "analysis: {kind: motion, until: 5}\n"
        "sweep: {axes: {model.contacts.0.friction: {from: 0, to: 0.5, count: 9}}}\n";
    char numbers[100];
    snprintf(numbers, sizeof numbers, matrix, 2);
    write_scratch("K.mtx", numbers);
    interrupt(text_of, "here", 4);
    snprintf(numbers, sizeof numbers, matrix, 4);
    write_scratch("K.mtx", numbers);
    refused("first.yaml", text_of, "as it was before it was changed");
}

/* Finished results of OTHER, under the name first.yaml. */
static void leave_results(void) {
    am_error err = {0};
    stop s = {0};
    am_run *made = run_into(OTHER, "here", &s, &err);
    assert_non_null(made);
    GOOD(am_output_folder(am_run_report(made), in_scratch("here"), NULL, err));
    am_study_settled(in_scratch("here"));
    am_run_free(made);
}

static void results_of_another_study_are_refused_by_its_name(void **state) {
    (void)state;
    am_error err = {0};
    stop s = {0};
    leave_results();
    refused("second.yaml", STUDY, "first.yaml");
    am_run *made = run_named("second.yaml", OTHER, "here", true, &s, &err);
    assert_non_null(made); /* by force */
    am_run_free(made);
    made = run_into(OTHER, "here", &s, &err);
    assert_non_null(made); /* one's own are written over */
    am_run_free(made);
}

/* The same file, but it said something else: hours of results are not written over without a word. */
static void results_of_the_study_as_it_was_are_refused(void **state) {
    (void)state;
    am_error err = {0};
    stop s = {0};
    leave_results();
    refused("first.yaml", STUDY, "first.yaml with another model, analysis or sweep: take another folder (--out)");
    refused("single.yaml",
            "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
            "analysis: {kind: motion, until: 0.1}\n",
            "first.yaml: take another folder"); /* no sweep at all */
    am_run *made = run_into("title: other words\n" OTHER, "here", &s, &err);
    assert_non_null(made);
    am_run_free(made);
    made = run_named("first.yaml", STUDY, "here", true, &s, &err);
    assert_non_null(made); /* by force */
    am_run_free(made);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(an_interrupted_sweep_goes_on_where_it_was),
        IN_SCRATCH(tables_that_are_kept_go_on_as_well),
        IN_SCRATCH(a_refined_sweep_goes_on_with_the_same_bits),
        IN_SCRATCH(a_sweep_whose_points_are_all_known_computes_none),
        IN_SCRATCH(words_figures_and_expectations_may_change_in_between),
        IN_SCRATCH(a_part_that_was_cut_off_costs_its_points_only),
        IN_SCRATCH(an_empty_part_costs_its_points_only),
        IN_SCRATCH(a_part_of_garbage_costs_its_points_only),
        IN_SCRATCH(a_part_with_a_wrong_bit_costs_its_points_only),
        IN_SCRATCH(what_a_kill_left_half_written_is_passed_over),
        IN_SCRATCH(a_plan_that_cannot_be_read_is_no_reason_to_throw_parts_away),
        IN_SCRATCH(a_full_disk_ends_the_sweep_and_later_it_goes_on),
        IN_SCRATCH(parts_of_another_study_are_refused_by_its_name_and_kept),
        IN_SCRATCH(parts_of_the_study_as_it_was_are_refused),
        IN_SCRATCH(force_throws_parts_of_another_study_away),
        IN_SCRATCH(force_does_not_throw_its_own_parts_away),
        IN_SCRATCH(a_matrix_file_that_changed_makes_another_study),
        IN_SCRATCH(results_of_another_study_are_refused_by_its_name),
        IN_SCRATCH(results_of_the_study_as_it_was_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
