/* Motions whose laws are not linear, or switch often, with Amontons: a mass on a Stribeck belt, a Duffing oscillator with
 * a stop, a contact element that lifts off (gallery/laws).
 *
 * usage: amontons_laws belt|stop|element UNTIL REPEAT      from rest at t = 0, the engine itself
 * REPEAT = 0: once to warm up and once in `counted_run`, where callgrind counts instructions. */
#include <string.h>

#include "amontons/motion.h"
#include "bench.h"

enum { MAX_REPEAT = 1000 };

static const char *const program = "amontons_laws";

static am_matrix *matrix(size_t n, const double *values) {
    am_error err = {0};
    am_matrix *made = am_matrix_dense(n, n, values, &err);
    if (!made)
        give_up(program, &err);
    return made;
}

static am_system *create(am_system_def def, const double *mass, const double *damping, const double *stiffness) {
    am_error err = {0};
    am_matrix *M = matrix(def.n, mass), *C = matrix(def.n, damping), *K = matrix(def.n, stiffness);
    def.mass = M;
    def.damping = C;
    def.stiffness = K;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        give_up(program, &err);
    am_matrix_free(M);
    am_matrix_free(C);
    am_matrix_free(K);
    return system;
}

/* x'' + 0.02 x' + x = T on a belt that runs at 0.3, mu = 0.25 + 0.15 exp(-v/0.5), N = 1. */
static am_system *belt(void) {
    const double one[] = {1};
    am_contact_def contact = am_contact_def_default();
    am_system_def def = am_system_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.surface_velocity = 0.3;
    contact.speed_friction = (am_speed_friction){.law = "stribeck", .parameter = {0.4, 0.25, 0.5, 1}};
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    return create(def, one, (const double[]){0.02}, one);
}

/* x'' + 0.1 x' + x + 0.5 x^3 = 0.6 sin(1.4 t) - N, a stop at 0.8 with N = 20 d + 0.2 d'. */
static am_system *stop(void) {
    const double one[] = {1}, back[] = {-1};
    const am_polynomial_term cubic = {0.5, 3, 0};
    am_contact_def contact = am_contact_def_default();
    am_polynomial_def spring = {.direction = one, .term_count = 1, .terms = &cubic};
    am_load_def load = {one, am_function_sine(0.6, 1.4, 0)};
    am_system_def def = am_system_def_default();
    contact.normal = back;
    contact.gap = 0.8;
    contact.normal_law = AM_KELVIN_VOIGT;
    contact.contact_stiffness = 20;
    contact.contact_damping = 0.2;
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    def.polynomial_count = 1;
    def.polynomials = &spring;
    def.load_count = 1;
    def.loads = &load;
    return create(def, one, (const double[]){0.1}, one);
}

static am_system *element(void) {
    const double x[] = {1, 0}, y[] = {0, 1};
    am_contact_def contact = am_contact_def_default();
    am_load_def loads[] = {{x, am_function_sine(2, 0.9, 0)}, {y, am_function_sine(3, 0.9, 0.7)}};
    am_system_def def = am_system_def_default();
    loads[1].function.value = -0.8;
    contact.normal = y;
    contact.tangent = x;
    contact.normal_law = AM_KELVIN_VOIGT;
    contact.contact_stiffness = 10;
    contact.tangential_stiffness = 5;
    contact.friction = 0.4;
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 2;
    def.loads = loads;
    return create(def, (const double[]){1, 0, 0, 1}, (const double[]){0.1, 0, 0, 0.1},
                  (const double[]){2, 0.3, 0.3, 3});
}

static size_t follow(am_motion *motion, double until) {
    const double zero[4] = {0};
    am_error err = {0};
    am_step_kind kind = AM_STEP_SPAN;
    size_t events = 0;
    if (am_motion_start(motion, 0, zero, zero, &err))
        give_up(program, &err);
    while (kind != AM_STEP_END) {
        if (am_motion_step(motion, until, &kind, &err))
            give_up(program, &err);
        events += kind == AM_STEP_EVENT;
    }
    return events;
}

size_t counted_run(am_motion *motion, double until);

__attribute__((noinline)) size_t counted_run(am_motion *motion, double until) {
    return follow(motion, until);
}

int main(int argc, char **argv) {
    am_error err = {0};
    if (argc != 4) {
        fprintf(stderr, "usage: %s belt|stop|element UNTIL REPEAT\n", program);
        return 2;
    }
    am_system *system = strcmp(argv[1], "belt") == 0 ? belt() : strcmp(argv[1], "stop") == 0 ? stop() : element();
    am_motion *motion = am_motion_create(system, false, &err);
    if (!motion)
        give_up(program, &err);
    double until = strtod(argv[2], NULL), seconds[MAX_REPEAT];
    int repeat = atoi(argv[3]);
    repeat = repeat > MAX_REPEAT ? MAX_REPEAT : repeat;
    size_t events = follow(motion, until);
    for (int i = 0; i < repeat; i++) {
        double start = seconds_now();
        follow(motion, until);
        seconds[i] = seconds_now() - start;
    }
    if (repeat == 0)
        events = counted_run(motion, until);
    printf("{\"events\": %zu, \"state\": [", events);
    for (size_t i = 0; i < am_motion_dimension(motion); i++)
        printf("%s%.17g", i ? ", " : "", am_motion_state(motion)[i]);
    printf("], \"seconds\": [");
    for (int i = 0; i < repeat; i++)
        printf("%s%.9g", i ? ", " : "", seconds[i]);
    printf("]}\n");
    am_motion_free(motion);
    am_system_free(system);
    return 0;
}
