/* Items shared out among threads and the members of a team (base/spread.h). */
#include <stdbool.h>

#include "base/spread.h"
#include "errors.h"
#include "team_of_threads.h"

enum { ITEMS = 1000 };

/* What the items are given, and what they find; every item and every thread has a place of its own. */
typedef struct field {
    int done[ITEMS], opened[16], closed[16];
    size_t bad;      /* the item that fails; ITEMS: none */
    bool speechless; /* no thread can begin */
} field;

static void *open_hand(void *context, int thread, am_error *err) {
    field *f = context;
    if (f->speechless) {
        am_fail(err, AM_ERR_MEMORY, "no hands");
        return NULL;
    }
    f->opened[thread]++;
    return &f->closed[thread];
}

static void close_hand(void *hand) {
    ++*(int *)hand;
}

static am_status do_item(void *context, void *hand, size_t i, am_error *err) {
    field *f = context;
    (void)hand;
    f->done[i]++;
    return i == f->bad ? am_fail(err, AM_ERR_EVIDENCE, "item %zu is bad", i) : AM_OK;
}

static am_spread work_on(field *f, size_t count, size_t chunk, int threads) {
    *f = (field){.bad = ITEMS};
    return (am_spread){.count = count,
                       .chunk = chunk,
                       .threads = threads,
                       .to = 1.0,
                       .doing = "counting",
                       .context = f,
                       .open = open_hand,
                       .close = close_hand,
                       .item = do_item};
}

static int sum(const int *value, size_t count) {
    int all = 0;
    for (size_t i = 0; i < count; i++)
        all += value[i];
    return all;
}

static void every_item_is_done_once_whatever_the_threads(void **state) {
    (void)state;
    static field f;
    for (int threads = 1; threads <= 4; threads++) {
        for (size_t chunk = 1; chunk <= 64; chunk *= 4) {
            for (size_t count = ITEMS - 3; count <= ITEMS; count++) {
                am_spread work = work_on(&f, count, chunk, threads);
                GOOD(am_spread_run(&work, err));
                for (size_t i = 0; i < ITEMS; i++)
                    assert_int_equal(f.done[i], i < count);
            }
        }
    }
}

static void every_thread_closes_what_it_opened_also_after_a_failure(void **state) {
    (void)state;
    static field f;
    for (size_t bad = 0; bad <= ITEMS; bad += 500) {
        am_spread work = work_on(&f, ITEMS, 8, 4);
        f.bad = bad;
        am_error err = {0};
        assert_int_equal(am_spread_run(&work, &err), bad < ITEMS ? AM_ERR_EVIDENCE : AM_OK);
        assert_true(f.opened[0] == 1 && sum(f.opened, 16) <= 4);
        assert_memory_equal(f.opened, f.closed, sizeof f.opened);
    }
}

static void no_more_threads_begin_than_there_are_turns(void **state) {
    (void)state;
    static field f;
    am_spread work = work_on(&f, 20, 10, 8);
    GOOD(am_spread_run(&work, err));
    assert_in_range(sum(f.opened, 16), 1, 2);
    work = work_on(&f, 0, 10, 8);
    GOOD(am_spread_run(&work, err));
    assert_int_equal(sum(f.opened, 16), 0);
}

static void a_failure_ends_the_work_and_is_told(void **state) {
    (void)state;
    static field f;
    am_spread work = work_on(&f, ITEMS, 8, 1);
    f.bad = 100;
    am_error err = {0};
    assert_int_equal(am_spread_run(&work, &err), AM_ERR_EVIDENCE);
    assert_says(&err, "item 100 is bad");
    assert_int_equal(sum(f.done, ITEMS), 101);
    assert_int_equal(am_spread_run(&work, NULL), AM_ERR_EVIDENCE);
}

/* The first item fails; every other one waits until the thread of that one has gone. */
static am_status wait_for_the_failure(void *context, void *hand, size_t i, am_error *err) {
    field *f = context;
    (void)hand;
    f->done[i]++;
    if (i == f->bad)
        return am_fail(err, AM_ERR_EVIDENCE, "item %zu is bad", i);
    for (int closed = 0; closed == 0;)
        for (size_t thread = 0; thread < 16; thread++) {
            int one;
#pragma omp atomic read
            one = f->closed[thread];
            closed += one;
        }
    return AM_OK;
}

static void close_hand_before_others(void *hand) {
#pragma omp atomic
    ++*(int *)hand;
}

static void after_a_failure_the_other_threads_begin_nothing_new(void **state) {
    (void)state;
    static field f;
    for (int threads = 2; threads <= 4; threads++) {
        am_spread work = work_on(&f, ITEMS, 1, threads);
        work.item = wait_for_the_failure;
        work.close = close_hand_before_others;
        f.bad = 0;
        am_error err = {0};
        assert_int_equal(am_spread_run(&work, &err), AM_ERR_EVIDENCE);
        assert_in_range(sum(f.done, ITEMS), 1, threads); /* what each of them had in hand */
    }
}

static void a_thread_that_cannot_begin_is_a_failure(void **state) {
    (void)state;
    static field f;
    am_spread work = work_on(&f, ITEMS, 8, 2);
    f.speechless = true;
    am_error err = {0};
    assert_int_equal(am_spread_run(&work, &err), AM_ERR_MEMORY);
    assert_says(&err, "no hands");
    assert_int_equal(sum(f.done, ITEMS), 0);
}

static bool until_half(void *context, double fraction) {
    double *last = context;
    *last = fraction;
    return fraction < 0.5;
}

static void the_progress_runs_over_its_part_and_can_stop_the_work(void **state) {
    (void)state;
    static field f;
    double last = -1.0;
    am_progress progress = {.report = until_half, .context = &last};
    am_spread work = work_on(&f, ITEMS, 10, 1);
    work.progress = &progress;
    work.from = 0.25;
    work.to = 0.75; /* half of the progress is half of these items */
    am_error err = {0};
    assert_int_equal(am_spread_run(&work, &err), AM_ERR_INTERRUPTED);
    assert_says(&err, "interrupted while counting, after about 50 percent");
    assert_true(last == 0.5);
    assert_int_equal(sum(f.done, ITEMS), ITEMS / 2 + 10);
}

typedef struct members {
    field field[MOST_MEMBERS];
    am_status status[MOST_MEMBERS];
} members;

static void take_part(const am_team *team, void *context) {
    members *m = context;
    am_spread work = work_on(&m->field[team->rank], ITEMS, 16, 2);
    work.team = team;
    m->status[team->rank] = am_spread_run(&work, NULL);
}

static void the_members_of_a_team_do_every_item_once_together(void **state) {
    (void)state;
    static members m;
    run_team(3, take_part, &m);
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(m.field[0].done[i] + m.field[1].done[i] + m.field[2].done[i], 1);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(m.status[k], AM_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_whatever_the_threads),
        cmocka_unit_test(every_thread_closes_what_it_opened_also_after_a_failure),
        cmocka_unit_test(no_more_threads_begin_than_there_are_turns),
        cmocka_unit_test(a_failure_ends_the_work_and_is_told),
        cmocka_unit_test(after_a_failure_the_other_threads_begin_nothing_new),
        cmocka_unit_test(a_thread_that_cannot_begin_is_a_failure),
        cmocka_unit_test(the_progress_runs_over_its_part_and_can_stop_the_work),
        cmocka_unit_test(the_members_of_a_team_do_every_item_once_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
