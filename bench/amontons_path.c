/* Quasi-static paths with Amontons.
 *
 * usage: amontons_path starts COUNT REPEAT                        am_attractors_run on Example 1 of Andersson, Barber
 *                                                                  and Ahn (gallery/attractors/fig7.yaml), one thread
 *        amontons_path steps half-plane|decaying N STEPS           incremental path, STEPS load steps per cycle
 *        amontons_path corners sine|table N CYCLES REPEAT          exact path, engine warm
 * REPEAT = 0 (starts, corners): once to warm up and once in `counted_run`, where callgrind counts instructions.
 *
 * Supports of `steps` and `corners`. half-plane: N elements of uniform traction on an elastic half-plane in plane
 * strain (Poisson's ratio 0.3), whose compliance (logarithms, and signs for the coupling of normal and tangential
 * motion) is inverted. decaying: stiffness and coupling that fall like the square of the distance, diagonal dominant.
 * The contact is pressed by a pressure that is highest in the middle, sheared to and fro and rocked: slip spreads from
 * the edges, turns round, and the edges open and close. */
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "amontons/attractors.h"
#include "amontons/models.h"
#include "bench.h"
#include "engines/quasistatic/incremental.h"
#include "engines/quasistatic/path_cycle.h"

enum { MAX_REPEAT = 1000 };

static const char *const program = "amontons_path";

static void *or_give_up(void *made, const am_error *err) {
    if (!made)
        give_up(program, err);
    return made;
}

static void succeed(am_status status, const am_error *err) {
    if (status != AM_OK)
        give_up(program, err);
}

static double *numbers(size_t count) {
    am_error err = {.message = "out of memory"};
    return or_give_up(calloc(count, sizeof(double)), &err);
}

static void print_numbers(const char *name, const double *values, size_t count) {
    printf("\"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%.9g", i ? ", " : "", values[i]);
    printf("]");
}

static int repetitions(const char *text) {
    int repeat = atoi(text);
    return repeat > MAX_REPEAT ? MAX_REPEAT : repeat;
}

/* callgrind switches its counting on and off where this function begins and ends, so it must not end in a jump. */
__attribute__((noinline)) int counted_run(void (*run)(void *), void *self);
int counted_run(void (*run)(void *), void *self) {
    run(self);
    return self != NULL;
}

static void time_runs(void (*run)(void *), void *self, int repeat, double *seconds) {
    run(self);
    for (int i = 0; i < repeat; i++) {
        double before = seconds_now();
        run(self);
        seconds[i] = seconds_now() - before;
    }
    if (repeat == 0)
        counted_run(run, self);
}

/* ---- 200 starts of Example 1 ---- */

static am_system *example_1(am_error *err) {
    static const double A[] = {1, 0.5, 0.5, 1}, B[] = {0.5, 0.25, 0.95, 0.95}, mu[] = {1, 1};
    static const double rest_minus[] = {1.6, 0.8}, rest_plus[] = {-3, -6};
    static const am_nodes_advance sequence[] = {{0, 1, 0.75}, {1, 1, 3.4}, {0, -1, -0.25}, {1, -1, 0.4}};
    am_nodes nodes = am_nodes_default();
    am_matrix *a = or_give_up(am_matrix_dense(2, 2, A, err), err), *b = or_give_up(am_matrix_dense(2, 2, B, err), err);
    nodes.count = 2;
    nodes.A = a;
    nodes.B = b;
    nodes.mu = mu;
    nodes.rest_minus = rest_minus;
    nodes.rest_plus = rest_plus;
    nodes.advance_count = 4;
    nodes.sequence = sequence;
    am_system *system = am_nodes_create(&nodes, err);
    am_matrix_free(a), am_matrix_free(b);
    return system;
}

typedef struct survey {
    am_system *system;
    am_attractors_options options;
    am_result *result;
} survey;

static void run_survey(void *self) {
    survey *s = self;
    am_error err = {0};
    am_progress progress = {.threads = 1};
    am_result_free(s->result);
    s->result = or_give_up(am_result_create(&err), &err);
    succeed(am_attractors_run(s->system, &s->options, s->result, &progress, &err), &err);
}

static void print_columns(const am_result *result, const char *name) {
    const am_table *table = am_result_find_table(result, name);
    bool first = true;
    printf("\"%s\": {", name);
    for (size_t c = 0; table && c < am_table_columns(table); c++) {
        if (am_table_column_kind(table, c) == AM_COLUMN_TEXT)
            continue;
        printf("%s\"%s\": [", first ? "" : ", ", am_table_column_name(table, c));
        for (size_t row = 0; row < am_table_rows(table); row++) {
            double value = am_table_number(table, row, c);
            printf(isfinite(value) ? "%s%.17g" : "%snull", row ? ", " : "", value);
        }
        printf("]");
        first = false;
    }
    printf("}, ");
}

static int starts(char **argv) {
    am_error err = {0};
    double seconds[MAX_REPEAT];
    int repeat = repetitions(argv[1]);
    const am_start_range box[] = {{.coordinate = 0, .low = -1.5, .high = 1.5},
                                  {.coordinate = 1, .low = -1.5, .high = 1.5}};
    survey s = {.system = or_give_up(example_1(&err), &err), .options = am_attractors_options_default()};
    s.options.count = strtoul(argv[0], NULL, 10);
    s.options.method = AM_STARTS_RANDOM;
    s.options.range_count = 2;
    s.options.ranges = box;
    time_runs(run_survey, &s, repeat, seconds);
    printf("{\"name\": \"Amontons\", ");
    print_columns(s.result, "orbits");
    print_columns(s.result, "starts");
    print_numbers("seconds", seconds, (size_t)repeat);
    printf("}\n");
    am_result_free(s.result);
    am_system_free(s.system);
    return 0;
}

/* ---- supports with many nodes ---- */

/* The integral of ln|x| over an element of unit width at distance d. */
static double logarithm_over_element(double d) {
    double right = fabs(d + 0.5), left = fabs(d - 0.5);
    return (d + 0.5) * (log(right) - 1) - (d - 0.5) * (log(left) - 1);
}

static void half_plane(size_t N, double *K) {
    const double poisson = 0.3, pi = acos(-1);
    double coupling = 0.25 * pi * (1 - 2 * poisson) / (1 - poisson), depth = log(4.0 * (double)N);
    size_t n = 2 * N;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double d = (double)i - (double)j, side = (double)((d > 0) - (d < 0));
            K[i * n + j] = K[(N + i) * n + N + j] = depth - logarithm_over_element(d);
            K[(N + i) * n + j] = coupling * side;
            K[i * n + N + j] = -coupling * side;
        }
    am_error err = {.message = "the compliance of the half-plane is not positive definite"};
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)n, K, (int)n) ||
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', (int)n, K, (int)n))
        give_up(program, &err);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            K[j * n + i] = K[i * n + j];
}

static void decaying(size_t N, double *K) {
    size_t n = 2 * N;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double d = (double)i - (double)j, near = i == j ? 0 : 1 / (d * d);
            K[i * n + j] = K[(N + i) * n + N + j] = i == j ? 3.6 : -0.5 * near;
            K[(N + i) * n + j] = K[j * n + N + i] = i == j ? 0 : 0.15 * near * (d > 0 ? 1 : -1);
        }
}

static am_matrix *support(const char *kind, size_t N) {
    am_error err = {0};
    double *K = numbers(4 * N * N);
    (strcmp(kind, "half-plane") == 0 ? half_plane : decaying)(N, K);
    am_matrix *made = or_give_up(am_matrix_dense(2 * N, 2 * N, K, &err), &err);
    free(K);
    return made;
}

/* Pressure sqrt(1.02 - s^2), shear 1 and rocking 0.35 s, friction 0.5; s from -1 to 1. */
static am_system *contact_of(const char *kind, size_t N, am_function shear, am_function rocking) {
    am_error err = {0};
    size_t n = 2 * N;
    am_matrix *K = support(kind, N);
    double *rows = numbers(n * n), *load = numbers(3 * n);
    am_contact_def *contacts = or_give_up(calloc(N, sizeof *contacts), &err);
    for (size_t c = 0; c < N; c++) {
        double s = 2 * ((double)c + 0.5) / (double)N - 1;
        contacts[c] = am_contact_def_default();
        contacts[c].friction = 0.5;
        contacts[c].tangent = rows + c * n;
        contacts[c].normal = rows + (N + c) * n;
        rows[c * n + c] = rows[(N + c) * n + N + c] = 1;
        load[N + c] = -sqrt(1.02 - s * s); /* pressing: minus the weld force */
        load[n + c] = 1;
        load[2 * n + N + c] = 0.35 * s;
    }
    am_load_def loads[] = {{load, am_function_constant(1)}, {load + n, shear}, {load + 2 * n, rocking}};
    am_system_def def = am_system_def_default();
    def.n = n;
    def.stiffness = K;
    def.contact_count = N;
    def.contacts = contacts;
    def.load_count = 3;
    def.loads = loads;
    am_system *system = or_give_up(am_system_create(&def, &err), &err);
    am_matrix_free(K);
    free(rows), free(load), free(contacts);
    return system;
}

static am_function wave(double amplitude, double cycles, double phase) {
    return am_function_sine(amplitude, 2 * acos(-1) * cycles, phase);
}

/* Triangular waves with one or two periods in a cycle, zero at its beginning. */
static am_function triangles(int cycles) {
    static const double times[] = {0, 0.25, 0.75, 1}, values[] = {0, 0.5, -0.5, 0};
    static const double twice_times[] = {0, 0.125, 0.375, 0.5}, twice_values[] = {0, 1, -1, 0};
    am_function table =
        cycles == 1 ? am_function_table(4, times, values) : am_function_table(4, twice_times, twice_values);
    table.period = 1.0 / cycles;
    return table;
}

/* ---- incremental steps ---- */

typedef struct step_tally {
    double *seconds, *iterations, *factored, *moving; /* of every step */
    size_t pivots, open;
    double residual;
} step_tally;

static void count_step(step_tally *tally, size_t step, const am_path_incremental *path) {
    tally->iterations[step] = (double)path->last.iterations;
    tally->factored[step] = (double)path->last.factored;
    tally->moving[step] = (double)path->last.moving;
    tally->pivots += path->last.pivots;
    for (size_t c = 0; c < path->m; c++)
        tally->open += path->state[c] == AM_OPEN;
}

/* Half a cycle to get used to the load, then one that counts. */
static void walk_steps(am_path_incremental *path, size_t count, step_tally *tally) {
    am_error err = {0};
    double *work = numbers(path->p);
    for (size_t i = 0; i < count / 2 + count; i++) {
        double before = seconds_now();
        succeed(am_path_incremental_step(path, (double)(i + 1) / (double)count, &err), &err);
        double seconds = seconds_now() - before;
        if (i < count / 2)
            continue;
        tally->seconds[i - count / 2] = seconds;
        count_step(tally, i - count / 2, path);
        if (i % 20 == 0)
            tally->residual = fmax(tally->residual, am_path_incremental_residual(path, work));
    }
    free(work);
}

static int steps(char **argv) {
    am_error err = {0};
    size_t N = strtoul(argv[1], NULL, 10), count = strtoul(argv[2], NULL, 10);
    am_path_incremental path;
    double *memory = numbers(4 * count);
    step_tally tally = {memory, memory + count, memory + 2 * count, memory + 3 * count, 0, 0, 0};
    am_system *system = contact_of(argv[0], N, wave(0.4, 1, 0), wave(1, 1, 1.2));
    double before = seconds_now();
    succeed(am_path_incremental_init(&path, system, &err), &err);
    double init = seconds_now() - before;
    before = seconds_now();
    succeed(am_path_incremental_place(&path, 0, NULL, &err), &err);
    double place = seconds_now() - before;
    walk_steps(&path, count, &tally);
    printf("{\"nodes\": %zu, \"init\": %.6g, \"place\": %.6g, \"pivots\": %zu, \"open\": %zu, \"residual\": %.3g, "
           "\"drift\": %.3g, ",
           N, init, place, tally.pivots, tally.open, tally.residual, path.drift);
    print_numbers("iterations", tally.iterations, count);
    printf(", ");
    print_numbers("factored", tally.factored, count);
    printf(", ");
    print_numbers("moving", tally.moving, count);
    printf(", ");
    print_numbers("seconds", tally.seconds, count);
    printf("}\n");
    am_path_incremental_clear(&path);
    am_system_free(system);
    free(memory);
    return 0;
}

/* ---- corners of the exact path ---- */

typedef struct course {
    am_path_walk walk;
    am_path_cycle_options how;
    size_t cycles;
} course;

static void run_cycles(void *self) {
    course *c = self;
    am_error err = {0};
    for (size_t i = 0; i < c->cycles; i++)
        succeed(am_path_cycle_walk(&c->walk, &c->how, &err), &err);
}

static int corners(char **argv) {
    am_error err = {0};
    double seconds[MAX_REPEAT];
    bool sine = strcmp(argv[0], "sine") == 0;
    size_t N = strtoul(argv[1], NULL, 10);
    int repeat = repetitions(argv[3]);
    am_system *system =
        contact_of("half-plane", N, sine ? wave(0.5, 1, 0) : triangles(1), sine ? wave(1, 2, 0) : triangles(2));
    double *position = numbers(N);
    course c = {.how = {.length = 1}, .cycles = 1};
    double before = seconds_now();
    succeed(am_path_walk_init(&c.walk, system, AM_JUMP_STOP, &err), &err);
    succeed(am_path_engine_place_at(&c.walk.engine, 0, position, &err), &err);
    succeed(am_path_walk_start(&c.walk, NULL, &err), &err);
    run_cycles(&c);
    double cold = seconds_now() - before;
    size_t cold_corners = c.walk.corners;
    c.cycles = strtoul(argv[2], NULL, 10);
    run_cycles(&c); /* onto the limit cycle: every run that is timed sees the same corners */
    size_t first = c.walk.corners;
    run_cycles(&c);
    size_t per_run = c.walk.corners - first;
    time_runs(run_cycles, &c, repeat, seconds);
    printf("{\"nodes\": %zu, \"corners\": %zu, \"cycles\": %zu, \"cold_seconds\": %.6g, \"cold_corners\": %zu, "
           "\"combinations\": %zu, \"unchecked\": %zu, \"proven\": %s, ",
           N, per_run, c.cycles, cold, cold_corners, c.walk.engine.cache.count, c.walk.engine.unchecked,
           c.walk.engine.unique == AM_PATH_PROVEN ? "true" : "false");
    print_numbers("seconds", seconds, (size_t)repeat);
    printf("}\n");
    am_path_walk_clear(&c.walk);
    am_system_free(system);
    free(position);
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int arguments;
        int (*run)(char **argv);
    } works[] = {{"starts", 2, starts}, {"steps", 3, steps}, {"corners", 4, corners}};
    for (size_t i = 0; argc > 1 && i < sizeof works / sizeof *works; i++)
        if (strcmp(argv[1], works[i].name) == 0 && argc == 2 + works[i].arguments)
            return works[i].run(argv + 2);
    fprintf(stderr, "usage: see the beginning of %s.c\n", program);
    return 2;
}
