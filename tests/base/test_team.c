/* Several processes on one sweep, here threads that know no more of each other than processes would: all end with the
 * bits of a run alone. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "scratch.h"
#include "team_of_threads.h"

#define MODEL "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
#define GRID                                                                                                           \
    MODEL "analysis: {kind: motion, until: 38, max_events: 3}\n" /* some points fail */                                \
          "sweep: {axes: {model.friction: {from: 0.05, to: 0.95, count: 15}, model.load_rate.1: {from: -1, to: -0.7, " \
          "count: 10}}, tables: [events]}\n"
#define REFINED                                                                                                        \
    "model: {kind: oscillator, beta: 0.5, Omega: 0.5}\n"                                                               \
    "analysis: {kind: orbit, samples: 0}\n"                                                                            \
    "sweep: {axes: {model.beta: {from: 0.3, to: 0.9, count: 17}, model.Omega: {from: 0.62, to: 1.5, count: 17}},\n"    \
    "  refine: {output: stops, coarse: 8}}\n"

/* What the members are given, and what they find. */
typedef struct order {
    am_study *study;
    char folder[1024];
    int threads;
    size_t stop_after; /* points of a member; 0: none */
    am_run *runs[MOST_MEMBERS];
    am_error errors[MOST_MEMBERS];
    size_t computed[MOST_MEMBERS];
} order;

typedef struct counting {
    size_t first, done, stop_after;
} counting;

static void count(void *context, size_t done, size_t all, size_t failed) {
    (void)all;
    (void)failed;
    counting *c = context;
    c->first = c->first ? c->first : done;
    c->done = done;
}

static bool go_on(void *context, double fraction) {
    (void)fraction;
    const counting *c = context;
    return !c->stop_after || !c->first || c->done - c->first + 1 < c->stop_after;
}

static void run_member(const am_team *team, void *context) {
    order *o = context;
    counting c = {.stop_after = o->stop_after};
    am_progress progress = {
        .report = go_on, .context = &c, .threads = o->threads ? o->threads : 1, .count = count, .team = team};
    const char *folder = *o->folder ? o->folder : NULL;
    o->runs[team->rank] = am_study_run_into(o->study, folder, false, &progress, &o->errors[team->rank]);
    o->computed[team->rank] = c.done;
}

static void begin(order *o, const char *text_of, const char *folder) {
    am_error err = {0};
    *o = (order){.study = am_study_parse("test.yaml", text_of, 0, NULL, false, &err)};
    if (!o->study)
        fail_msg("%s", err.message);
    snprintf(o->folder, sizeof o->folder, "%s", in_scratch(folder));
}

static void end(order *o) {
    for (size_t i = 0; i < MOST_MEMBERS; i++)
        am_run_free(o->runs[i]);
    am_study_free(o->study);
}

static void compare_with_a_run_alone(const order *o, size_t size) {
    am_error err = {0};
    am_run *alone = am_study_run(o->study, NULL, &err);
    assert_non_null(alone);
    for (size_t i = 0; i < size; i++) {
        if (!o->runs[i])
            fail_msg("member %zu: %s", i, o->errors[i].message);
        assert_same_results(am_run_report(o->runs[i])->result, am_run_report(alone)->result);
    }
    am_run_free(alone);
}

/* The library says nothing on standard error, HDF5 beneath it included, whichever thread it is called from. */
static void run_quietly(size_t size, order *o) {
    struct stat told;
    int before = dup(2), file = open(in_scratch("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(before >= 0 && file >= 0);
    fflush(stderr);
    dup2(file, 2);
    run_team(size, run_member, o);
    fflush(stderr);
    dup2(before, 2);
    close(before);
    assert_int_equal(fstat(file, &told), 0);
    close(file);
    assert_int_equal(told.st_size, 0);
}

static void check_team(const char *text_of, size_t size, int threads) {
    order o;
    char folder[40];
    snprintf(folder, sizeof folder, "team%zu-%d", size, threads);
    begin(&o, text_of, folder);
    o.threads = threads;
    run_quietly(size, &o);
    compare_with_a_run_alone(&o, size);
    end(&o);
}

static void teams_of_any_size_give_the_same_bits(void **state) {
    (void)state;
    for (size_t size = 1; size <= 4; size++)
        check_team(GRID, size, 1);
}

static void members_with_several_threads_give_the_same_bits(void **state) {
    (void)state;
    check_team(GRID, 2, 2);
}

static void a_refined_map_of_a_team_has_the_same_bits(void **state) {
    (void)state;
    for (size_t size = 2; size <= 3; size++)
        check_team(REFINED, size, 1);
}

/* They tell each other directly what they found. */
static void a_team_without_a_folder_gives_the_same_bits(void **state) {
    (void)state;
    static const char *const studies[] = {GRID, REFINED};
    for (size_t i = 0; i < 2; i++) {
        order o;
        begin(&o, studies[i], "");
        *o.folder = '\0';
        run_quietly(3, &o);
        compare_with_a_run_alone(&o, 3);
        end(&o);
    }
}

/* All members are stopped; another number of them goes on. */
static void a_team_goes_on_where_another_was_stopped(void **state) {
    (void)state;
    order o;
    begin(&o, GRID, "here");
    o.stop_after = 20;
    run_team(3, run_member, &o);
    for (size_t i = 0; i < 3; i++) {
        assert_null(o.runs[i]);
        assert_int_equal(o.errors[i].status, AM_ERR_INTERRUPTED);
    }
    assert_true(parts_in("here", NULL) >= 1);
    end(&o);
    begin(&o, GRID, "here");
    run_team(2, run_member, &o);
    compare_with_a_run_alone(&o, 2);
    end(&o);
}

static void points_are_shared_not_repeated(void **state) {
    (void)state;
    order o;
    begin(&o, GRID, "here");
    run_team(2, run_member, &o);
    compare_with_a_run_alone(&o, 2);
    char part[1024];
    assert_true(parts_in("here", part) >= 1);
    assert_true(o.computed[0] + o.computed[1] <= 150 + 1); /* each point once */
    end(&o);
}

/* ---- a member alone that believes to be one of two ---- */

typedef struct half {
    am_team team;
    size_t turn;
} half;

static size_t every_second(void *context) {
    half *h = context;
    h->turn += 2; /* the other one takes the rest, and is never heard of */
    return h->turn - 2;
}

static void nobody_to_meet(void *context) {
    ((half *)context)->turn = 0;
}

static void points_of_others_that_never_appear_are_reported(void **state) {
    (void)state;
    order o;
    half h = {.team = {.size = 2, .next = every_second, .meet = nobody_to_meet, .patience = 0.2}};
    h.team.context = &h;
    begin(&o, GRID, "here");
    run_member(&h.team, &o);
    assert_null(o.runs[0]);
    assert_int_equal(o.errors[0].status, AM_ERR_FILE);
    assert_says(&o.errors[0], "a folder that all machines share");
    assert_says(&o.errors[0], "sweep-parts");
    end(&o);
}

static void a_team_that_cannot_merge_needs_a_folder(void **state) {
    (void)state;
    am_error err = {0};
    half h = {.team = {.size = 2, .next = every_second, .meet = nobody_to_meet}};
    h.team.context = &h;
    am_progress progress = {.threads = 1, .team = &h.team};
    am_study *study = am_study_parse("test.yaml", GRID, 0, NULL, false, &err);
    assert_non_null(study);
    assert_null(am_study_run(study, &progress, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "give a folder (--out)");
    am_study_free(study);
}

static void nobody_is_a_team_of_one(void **state) {
    (void)state;
    assert_int_equal(am_team_rank(NULL), 0);
    assert_int_equal(am_team_size(NULL), 1);
    am_team_meet(NULL);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(teams_of_any_size_give_the_same_bits),
        IN_SCRATCH(members_with_several_threads_give_the_same_bits),
        IN_SCRATCH(a_refined_map_of_a_team_has_the_same_bits),
        IN_SCRATCH(a_team_goes_on_where_another_was_stopped),
        IN_SCRATCH(points_are_shared_not_repeated),
        IN_SCRATCH(points_of_others_that_never_appear_are_reported),
        IN_SCRATCH(a_team_that_cannot_merge_needs_a_folder),
        IN_SCRATCH(a_team_without_a_folder_gives_the_same_bits),
        cmocka_unit_test(nobody_is_a_team_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
