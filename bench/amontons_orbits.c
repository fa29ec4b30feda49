/* Long-term motions with Amontons: the friction oscillator, its map of stops, and the rod.
 *
 * usage: amontons_orbits oscillator UNTIL REPEAT BATCH < POINTS        the engine itself, from rest at t = 0
 *        amontons_orbits stops REPEAT < POINTS                         the closed orbit of every point, as a user asks
 * for it amontons_orbits attractors ELEMENTS ALPHA STARTS REPEAT       one call of am_attractors_run on one thread
 *        amontons_orbits events ELEMENTS ALPHA EVENTS REPEAT           a long run of the rod from its undeformed state
 * POINTS has one line per oscillator, "beta Omega". A time of `oscillator` is the mean over BATCH runs in a row, since
 * one run is too short for the clock. REPEAT = 0 (oscillator, events): once to warm up and once in `counted_run`, where
 * callgrind counts instructions. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "amontons/motion.h"
#include "amontons/orbit.h"
#include "bench.h"

enum { MAX_REPEAT = 1000, MAX_EVENTS = 10000 };

/* A rod whose nodes never stick again has no further events: no run goes on longer than this. */
static const double HORIZON = 20000;

static const char *const program = "amontons_orbits";

static int repetitions(const char *text) {
    int repeat = atoi(text);
    return repeat > MAX_REPEAT ? MAX_REPEAT : repeat;
}

static void print_seconds(const double *seconds, int repeat) {
    printf("\"seconds\": [");
    for (int i = 0; i < repeat; i++)
        printf("%s%.9g", i ? ", " : "", seconds[i]);
    printf("]");
}

static void *or_give_up(void *made, const am_error *err) {
    if (!made)
        give_up(program, err);
    return made;
}

static am_system *oscillator_at(double beta, double Omega) {
    am_error err = {0};
    am_oscillator def = am_oscillator_default();
    def.beta = beta;
    def.Omega = Omega;
    return or_give_up(am_oscillator_create(&def, &err), &err);
}

/* ---- one run ---- */

typedef struct course {
    am_motion *motion;
    const double *q, *v; /* start; NULL: zero */
    double until;
    size_t most_events; /* 0: no limit */
    size_t events;
    double *times; /* MAX_EVENTS; NULL: not kept */
} course;

static void run_once(course *c) {
    am_error err = {0};
    am_step_kind kind = AM_STEP_SPAN;
    c->events = 0;
    if (am_motion_start(c->motion, 0, c->q, c->v, &err) != AM_OK)
        give_up(program, &err);
    while (kind != AM_STEP_END && (c->most_events == 0 || c->events < c->most_events)) {
        if (am_motion_step(c->motion, c->until, &kind, &err) != AM_OK)
            give_up(program, &err);
        if (kind != AM_STEP_EVENT)
            continue;
        if (c->times && c->events < MAX_EVENTS)
            c->times[c->events] = am_motion_time(c->motion);
        c->events++;
    }
}

/* callgrind switches its counting on and off where this function begins and ends, so it must not end in a jump. */
__attribute__((noinline)) int counted_run(course *c);
int counted_run(course *c) {
    run_once(c);
    return c->events > 0;
}

static void time_runs(course *c, int repeat, int batch, double *seconds) {
    for (int i = 0; i < repeat; i++) {
        double before = seconds_now();
        for (int j = 0; j < batch; j++)
            run_once(c);
        seconds[i] = (seconds_now() - before) / batch;
    }
    if (repeat == 0)
        counted_run(c);
}

static void print_times(const course *c) {
    printf("\"times\": [");
    for (size_t i = 0; i < c->events && i < MAX_EVENTS; i++)
        printf("%s%.17g", i ? ", " : "", c->times[i]);
    printf("], ");
}

static int oscillator(char **argv) {
    double beta, Omega, seconds[MAX_REPEAT], times[MAX_EVENTS];
    int repeat = repetitions(argv[1]), batch = atoi(argv[2]);
    bool first = true;
    printf("{\"name\": \"Amontons\", \"runs\": [");
    while (scanf("%lf %lf", &beta, &Omega) == 2) {
        am_error err = {0};
        am_system *system = oscillator_at(beta, Omega);
        course c = {.until = strtod(argv[0], NULL), .times = times};
        c.motion = or_give_up(am_motion_create(system, false, &err), &err);
        run_once(&c);
        time_runs(&c, repeat, batch, seconds);
        printf("%s\n{", first ? "" : ",");
        print_times(&c);
        printf("\"q\": %.17g, \"v\": %.17g, ", am_motion_displacement(c.motion)[0], am_motion_velocity(c.motion)[0]);
        print_seconds(seconds, repeat);
        printf("}");
        am_motion_free(c.motion);
        am_system_free(system);
        first = false;
    }
    printf("\n]}\n");
    return 0;
}

/* ---- the rod's events ---- */

static int events(char **argv) {
    am_error err = {0};
    am_rod def = am_rod_default();
    double seconds[MAX_REPEAT];
    def.elements = strtoul(argv[0], NULL, 10);
    def.alpha = strtod(argv[1], NULL);
    int repeat = repetitions(argv[3]);
    double *q = or_give_up(calloc(2 * def.elements, sizeof *q), &err), *v = q + def.elements;
    am_rod_undeformed(&def, q, v);
    am_system *system = or_give_up(am_rod_create(&def, &err), &err);
    double *times = or_give_up(calloc(MAX_EVENTS, sizeof *times), &err);
    course c = {.q = q, .v = v, .until = HORIZON, .most_events = strtoul(argv[2], NULL, 10), .times = times};
    c.motion = or_give_up(am_motion_create(system, false, &err), &err);
    double before = seconds_now();
    run_once(&c);
    double cold = seconds_now() - before;
    time_runs(&c, repeat, 1, seconds);
    am_motion_statistics s = am_motion_statistics_get(c.motion);
    printf("{\"elements\": %zu, \"events\": %zu, \"changes\": %zu, \"spans\": %zu, \"combinations\": %zu, "
           "\"unchecked\": %zu, \"t\": %.17g, "
           "\"complementarity\": %.3g, \"cold_seconds\": %.9g, ",
           def.elements, c.events, s.state_changes, s.spans, s.combinations, s.unchecked, am_motion_time(c.motion),
           s.complementarity, cold);
    print_times(&c);
    print_seconds(seconds, repeat);
    printf("}\n");
    am_motion_free(c.motion);
    am_system_free(system);
    free(times);
    free(q);
    return 0;
}

/* ---- the map of stops ---- */

typedef struct answer {
    am_orbit_outcome outcome;
    double period, closing, multiplier;
    size_t stops, returns;
} answer;

static answer steady_motion(double beta, double Omega) {
    am_error err = {0};
    am_orbit orbit = {0};
    am_orbit_search search = {0};
    am_orbit_options options = am_orbit_options_default();
    am_system *system = oscillator_at(beta, Omega);
    am_motion *motion = or_give_up(am_motion_create(system, false, &err), &err);
    if (am_orbit_find(motion, &options, &orbit, &search, NULL, &err) != AM_OK)
        give_up(program, &err);
    answer found = {search.outcome, orbit.period, orbit.closing, orbit.multiplier, orbit.stops, search.returns};
    am_orbit_clear(&orbit);
    am_motion_free(motion);
    am_system_free(system);
    return found;
}

static int stops(char **argv) {
    double beta, Omega;
    int repeat = repetitions(argv[0]);
    bool first = true;
    printf("{\"name\": \"Amontons\", \"runs\": [");
    while (scanf("%lf %lf", &beta, &Omega) == 2) {
        double seconds[MAX_REPEAT];
        answer a = {0};
        for (int i = 0; i < repeat; i++) {
            double before = seconds_now();
            a = steady_motion(beta, Omega);
            seconds[i] = seconds_now() - before;
        }
        printf("%s\n{\"periodic\": %s, \"stops\": %zu, \"period\": %.17g, \"closing\": %.3g, \"multiplier\": %.6g, "
               "\"returns\": %zu, ",
               first ? "" : ",", a.outcome == AM_ORBIT_PERIODIC ? "true" : "false", a.stops, a.period, a.closing,
               a.multiplier, a.returns);
        print_seconds(seconds, repeat);
        printf("}");
        first = false;
    }
    printf("\n]}\n");
    return 0;
}

/* ---- the rod's attractors ---- */

static void print_row(const am_table *table, size_t row, const char *between) {
    printf("%s{", between);
    for (size_t c = 0; c < am_table_columns(table); c++) {
        printf("%s\"%s\": ", c ? ", " : "", am_table_column_name(table, c));
        if (am_table_column_kind(table, c) == AM_COLUMN_TEXT)
            printf("\"%s\"", am_table_text(table, row, c));
        else if (isfinite(am_table_number(table, row, c)))
            printf("%.17g", am_table_number(table, row, c));
        else
            printf("null");
    }
    printf("}");
}

static void print_table(const am_result *result, const char *name) {
    const am_table *table = am_result_find_table(result, name);
    printf("\"%s\": [", name);
    for (size_t row = 0; table && row < am_table_rows(table); row++)
        print_row(table, row, row ? ",\n" : "\n");
    printf("], ");
}

static int attractors(char **argv) {
    am_error err = {0};
    am_rod def = am_rod_default();
    double seconds[MAX_REPEAT];
    def.elements = strtoul(argv[0], NULL, 10);
    def.alpha = strtod(argv[1], NULL);
    am_attractors_options options = am_attractors_options_default();
    options.count = strtoul(argv[2], NULL, 10);
    int repeat = repetitions(argv[3]);
    am_progress progress = {.threads = 1};
    am_system *system = or_give_up(am_rod_create(&def, &err), &err);
    printf("{");
    for (int i = 0; i < repeat; i++) {
        am_result *result = or_give_up(am_result_create(&err), &err);
        double before = seconds_now();
        if (am_attractors_run(system, &options, result, &progress, &err) != AM_OK)
            give_up(program, &err);
        seconds[i] = seconds_now() - before;
        if (i == 0) {
            print_table(result, "orbits");
            print_table(result, "starts");
        }
        am_result_free(result);
    }
    print_seconds(seconds, repeat);
    printf("}\n");
    am_system_free(system);
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int arguments;
        int (*run)(char **argv);
    } works[] = {
        {"oscillator", 3, oscillator}, {"stops", 1, stops}, {"attractors", 4, attractors}, {"events", 4, events}};
    for (size_t i = 0; argc > 1 && i < sizeof works / sizeof *works; i++)
        if (strcmp(argv[1], works[i].name) == 0 && argc == 2 + works[i].arguments)
            return works[i].run(argv + 2);
    fprintf(stderr, "usage: see the beginning of %s.c\n", program);
    return 2;
}
