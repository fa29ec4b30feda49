/* Amontons' part of bench/slip.
 *
 *     hertz NODES WIDTH BETA REPEAT LOAD...    a parabola pressed (half-width 1, on a strip of NODES from -WIDTH to
 *                                              WIDTH), then dragged in one increment to each LOAD = Q/fP in turn
 *
 * One JSON document on stdout: for every load the seconds of the whole (room, pressing, dragging, ends of the zones)
 * and of the increment of Q alone, c/a, a, what the increment cost and its evidence. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "engines/boundary/bem.h"

static const char *const program = "amontons_slip";
static const double friction = 0.5, pi = 3.14159265358979323846;

static void print_list(const char *name, const double *values, size_t count, const char *end) {
    printf("\"%s\": [", name);
    for (size_t k = 0; k < count; k++)
        printf("%s%.17g", k ? ", " : "", values[k]);
    printf("]%s", end);
}

/* Half the widths of the contact and of the zone that sticks. */
static void read_ends(const am_bem *bem, double *a, double *c) {
    am_bem_zone zones[16];
    size_t count = am_bem_zones(bem, 16, zones);
    *a = *c = NAN;
    if (count == 0 || count > 16)
        return;
    *a = 0.5 * (zones[count - 1].to - zones[0].from);
    for (size_t i = 0; i < count; i++)
        if (zones[i].state == AM_STICK)
            *c = 0.5 * (zones[i].to - zones[i].from);
}

typedef struct timed {
    double whole, increment, a, c;
    am_bem_evidence evidence;
} timed;

static timed press_and_drag(const am_bem_def *def, double part) {
    timed t = {0};
    am_error err = {0};
    am_bem_load load = {.P = 0.25 * pi};
    double start = seconds_now();
    am_bem *bem = am_bem_create(def, &err);
    if (!bem || am_bem_step(bem, &load, &err))
        give_up(program, &err);
    double pressed = seconds_now();
    load.Q = part * friction * load.P;
    if (am_bem_step(bem, &load, &err))
        give_up(program, &err);
    t.increment = seconds_now() - pressed;
    read_ends(bem, &t.a, &t.c);
    t.whole = seconds_now() - start;
    t.evidence = am_bem_view_of(bem).evidence;
    am_bem_free(bem);
    return t;
}

static void print_load(const am_bem_def *def, double part, size_t repeat) {
    timed t = {0};
    double *whole = malloc(repeat * sizeof *whole), *increment = malloc(repeat * sizeof *increment);
    for (size_t r = 0; r < repeat; r++) {
        t = press_and_drag(def, part);
        whole[r] = t.whole;
        increment[r] = t.increment;
    }
    printf("{\"load\": %.17g, \"c_over_a\": %.17g, \"a\": %.17g, \"sets\": %zu, \"products\": %zu, "
           "\"equilibrium\": %.3g, \"compliance\": %.3g, \"traction\": %.3g, ",
           part, t.c / t.a, t.a, t.evidence.set_changes, t.evidence.products, t.evidence.equilibrium,
           t.evidence.compliance, t.evidence.traction);
    print_list("whole", whole, repeat, ", ");
    print_list("increment", increment, repeat, "}");
    free(whole);
    free(increment);
}

int main(int argc, char **argv) {
    if (argc < 7 || strcmp(argv[1], "hertz") != 0)
        return 2;
    am_bem_def def = {.profile = {.shape = AM_SLIP_HERTZ, .radius = 1.0},
                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction},
                      .modulus = 1.0,
                      .beta = atof(argv[4]),
                      .nodes = strtoul(argv[2], NULL, 10),
                      .width = atof(argv[3])};
    size_t repeat = strtoul(argv[5], NULL, 10);
    printf("[");
    for (int i = 6; i < argc && repeat > 0; i++) {
        printf(i > 6 ? ",\n " : "");
        print_load(&def, atof(argv[i]), repeat);
    }
    printf("]\n");
    return 0;
}
