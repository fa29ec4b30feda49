/* Klarbring's mass with Amontons: the engine itself (am_motion_*), one object for all starts, as a user with many
 * trajectories would call it.
 *
 * usage: amontons_klarbring FRICTION C1 C2 UNTIL fixed|final REPEAT BATCH energy|plain < STARTS      (see
 * bench/README.md) A time is the mean over BATCH runs in a row, since one run is too short for the clock. REPEAT = 0
 * runs every start once to warm up and once in `counted_run`, where callgrind counts instructions. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amontons/models.h"
#include "amontons/motion.h"

enum { MAX_EVENTS = 10000, MAX_REPEAT = 1000 };

typedef struct event {
    double t;
    am_contact_state from, to;
} event;

typedef struct trajectory {
    double start[2];
    const char *final;
    size_t event_count;
    event events[MAX_EVENTS];
    double seconds[MAX_REPEAT];
} trajectory;

typedef struct setting {
    double until;
    bool seek_final;
} setting;

static void give_up(const am_error *err) {
    fprintf(stderr, "amontons_klarbring: %s\n", err->message);
    exit(3);
}

static void record(trajectory *run, double t, am_contact_state from, am_contact_state to) {
    if (from != to && run->event_count < MAX_EVENTS)
        run->events[run->event_count++] = (event){t, from, to};
}

/* An impact passes through the state that acted during it, which is how Appendix A counts changes. */
static void record_switches(trajectory *run, const am_motion *motion) {
    double t = am_motion_time(motion);
    for (size_t i = 0; i < am_motion_switches(motion); i++) {
        const am_switch *s = am_motion_switch(motion, i);
        if (am_motion_had_impact(motion)) {
            record(run, t, s->from, s->during);
            record(run, t, s->during, s->to);
        } else {
            record(run, t, s->from, s->to);
        }
    }
}

static void run_once(am_motion *motion, const setting *how, trajectory *run) {
    static const double origin[2] = {0, 0};
    am_error err = {0};
    am_step_kind kind = AM_STEP_SPAN;
    run->event_count = 0;
    if (am_motion_start(motion, 0, origin, run->start, &err) != AM_OK)
        give_up(&err);
    while (kind != AM_STEP_END && kind != AM_STEP_FINAL) {
        if (am_motion_step(motion, how->until, &kind, &err) != AM_OK)
            give_up(&err);
        if (kind == AM_STEP_EVENT)
            record_switches(run, motion);
    }
    run->final = am_contact_state_name(am_motion_states(motion)[0]);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* callgrind switches its counting on and off where this function begins and ends, so it must not end in a jump. */
__attribute__((noinline)) int counted_run(am_motion *motion, const setting *how, trajectory *run);
int counted_run(am_motion *motion, const setting *how, trajectory *run) {
    run_once(motion, how, run);
    return run->event_count > 0;
}

static void print_run(const am_motion *motion, const trajectory *run, int repeat, bool first) {
    const double *q = am_motion_displacement(motion), *v = am_motion_velocity(motion);
    printf("%s\n{\"events\": [", first ? "" : ",");
    for (size_t i = 0; i < run->event_count; i++)
        printf("%s[%.17g, \"%s\", \"%s\"]", i ? ", " : "", run->events[i].t, am_contact_state_name(run->events[i].from),
               am_contact_state_name(run->events[i].to));
    am_motion_statistics s = am_motion_statistics_get(motion);
    printf("], \"final\": \"%s\", \"t\": %.17g, \"q\": [%.17g, %.17g], \"v\": [%.17g, %.17g], \"spans\": %zu, "
           "\"energy_residual\": %.3g, \"seconds\": [",
           run->final, am_motion_time(motion), q[0], q[1], v[0], v[1], s.spans, s.energy_residual);
    for (int i = 0; i < repeat; i++)
        printf("%s%.9g", i ? ", " : "", run->seconds[i]);
    printf("]}");
}

int main(int argc, char **argv) {
    if (argc != 9) {
        fprintf(stderr, "usage: %s FRICTION C1 C2 UNTIL fixed|final REPEAT BATCH energy|plain < STARTS\n", argv[0]);
        return 2;
    }
    am_klarbring def = am_klarbring_default();
    memcpy(def.stiffness, (double[2][2]){{1, 1}, {1, 2}}, sizeof def.stiffness);
    def.friction = strtod(argv[1], NULL);
    def.load_rate[0] = strtod(argv[2], NULL), def.load_rate[1] = strtod(argv[3], NULL);
    setting how = {.until = strtod(argv[4], NULL), .seek_final = strcmp(argv[5], "final") == 0};
    int repeat = atoi(argv[6]), batch = atoi(argv[7]);
    if (repeat > MAX_REPEAT)
        repeat = MAX_REPEAT;

    am_error err = {0};
    double begin = seconds_now();
    am_system *system = am_klarbring_create(&def, &err);
    am_motion *motion = system ? am_motion_create(system, strcmp(argv[8], "energy") == 0, &err) : NULL;
    trajectory *run = calloc(1, sizeof *run);
    if (!motion || !run)
        give_up(&err);
    am_motion_seek_final(motion, how.seek_final);
    bool first = true;
    double cold = 0;
    printf("{\"name\": \"Amontons\", \"runs\": [");
    while (scanf("%lf %lf", &run->start[0], &run->start[1]) == 2) {
        run_once(motion, &how, run);
        if (first)
            cold = seconds_now() - begin;
        for (int i = 0; i < repeat; i++) {
            double before = seconds_now();
            for (int j = 0; j < batch; j++)
                run_once(motion, &how, run);
            run->seconds[i] = (seconds_now() - before) / batch;
        }
        if (repeat == 0)
            counted_run(motion, &how, run);
        print_run(motion, run, repeat, first);
        first = false;
    }
    printf("\n], \"cold_seconds\": %.9g}\n", cold);
    free(run);
    am_motion_free(motion);
    am_system_free(system);
    return 0;
}
