/* `march` beside `motion`: every law of friction on every normal law that it knows, and stops, by each of its methods. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/march.h"
#include "amontons/motion.h"
#include "cases.h"
#include "dense_system.h"
#include "near.h"
#include "random_laws.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"

static am_speed_friction draw_law(random_source *r) {
    switch (random_index(r, 3)) {
    case 0:
        return (am_speed_friction){.law = "stribeck",
                                   .parameter = {0.5, random_between(r, 0.1, 0.4), random_between(r, 0.2, 1), 1, 0.02}};
    case 1:
        return (am_speed_friction){.law = "hyperbolic", .parameter = {0.5, random_between(r, 0.1, 0.4), 0.5}};
    default: /* no corner within reach: methods with steps are not told where corners are */
        return (am_speed_friction){.law = "falling", .parameter = {0.5, random_between(r, 0.01, 0.05)}};
    }
}

/* Two coordinates: one rubs on a belt, the other meets a stop (compliant, or rigid). */
static am_system *draw(uint64_t seed, bool rigid) {
    random_source r = random_seed(seed);
    double tangent[2] = {1, random_between(&r, -0.4, 0.4)}, normal[2] = {random_between(&r, -0.2, 0.2), -1};
    double push[2] = {0.6, 1.5}, K[4] = {random_between(&r, 1, 3), 0.2, 0.2, random_between(&r, 1, 3)};
    am_contact_def contact[2] = {am_contact_def_default(), am_contact_def_default()};
    am_load_def load = {.direction = push, .function = am_function_sine(1, random_between(&r, 0.8, 1.6), 0.2)};
    am_system_def def = am_system_def_default();
    contact[0].tangent = tangent;
    contact[0].normal_law = AM_HELD;
    contact[0].hold = am_function_constant(random_between(&r, 0.5, 2));
    contact[0].surface_velocity = random_between(&r, -0.6, 0.6);
    contact[0].speed_friction = draw_law(&r);
    contact[1].normal = normal;
    contact[1].gap = 0.4;
    contact[1].normal_law = rigid ? AM_UNILATERAL : AM_KELVIN_VOIGT;
    contact[1].contact_stiffness = rigid ? 0 : random_between(&r, 5, 30);
    contact[1].contact_damping = rigid ? 0 : random_between(&r, 0, 0.5);
    def.n = 2;
    def.contact_count = 2;
    def.contacts = contact;
    def.load_count = 1;
    def.loads = &load;
    return dense_system(def, (const double[]){1, 0, 0, 0.8}, (const double[]){0.1, 0, 0, 0.1}, K);
}

/* The largest relative difference of energies and losses. */
static double disagreement(const am_system *system, am_march_method method, double step) {
    static const char *const names[] = {"kinetic_energy", "loss_friction", "work_loads"};
    am_motion_options exact = am_motion_options_default();
    am_march_options steps = am_march_options_default();
    am_result *a = am_result_create(NULL), *b = am_result_create(NULL);
    am_error err = {0};
    double worst = 0;
    exact.until = steps.until = 5;
    steps.method = method;
    steps.tolerance = 1e-10;
    steps.step = step;
    steps.check = AM_MARCH_CHECK_NO;
    if (am_motion_run(system, &exact, a, NULL, &err) || am_march_run(system, &steps, b, NULL, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double difference = fabs(number(a, names[i]) - number(b, names[i]));
        worst = !(difference <= worst) ? difference : worst;
    }
    double scale = 1 + number(a, "loss_friction") + fabs(number(a, "work_loads"));
    am_result_free(a);
    am_result_free(b);
    return worst / scale;
}

/* 1e-10 in each of some hundred steps. */
static void adaptive_steps_agree_with_motion(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        am_system *system = draw(seed, false);
        assert_near(disagreement(system, AM_MARCH_ADAPTIVE, 0), 0, 1e-7);
        am_system_free(system);
    }
}

/* Switches fall within steps: the error is of the order of the step. */
static void fixed_steps_come_near(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        am_system *soft = draw(seed, false), *rigid = draw(seed, true);
        assert_near(disagreement(soft, AM_MARCH_NEWMARK, 5e-4), 0, 2e-3);
        assert_near(disagreement(rigid, AM_MARCH_MOREAU_JEAN, 5e-4), 0, 5e-3);
        am_system_free(soft);
        am_system_free(rigid);
    }
}

/* ---- every law ---- */

enum { MOST = 4, CONTACTS = 2 };

typedef enum law_family {
    COULOMB,
    DROPPING,
    SPEED,
    WEAKENING,
    DRAG,
    SLIDER,
    DROPPING_SLIDER,
    SPEED_SLIDER,
    WEAKENING_SLIDER,
    CREEPING_SLIDER,
    FAMILIES
} law_family;

typedef struct structure {
    size_t n, m;
    double mass[MOST * MOST], damping[MOST * MOST], stiffness[MOST * MOST];
    double normal[CONTACTS][MOST], tangent[CONTACTS][MOST], force[MOST], press[MOST];
    law_points points[CONTACTS];
    am_contact_def contact[CONTACTS];
    am_load_def load[2];
} structure;

/* Lugre's friction falls with the speed of its slider. */
static bool stands_behind(const am_speed_friction *use) {
    return use->law && strcmp(use->law, "lugre") != 0;
}

static void draw_friction(random_source *r, am_contact_def *contact, law_family family, law_points *points) {
    switch (family) {
    case COULOMB:
    case DROPPING:
        contact->friction = random_between(r, 0.1, 0.5);
        contact->static_friction = family == DROPPING ? contact->friction + random_between(r, 0.05, 0.2) : 0;
        break;
    case SPEED:
        contact->speed_friction = random_speed_law(r, false, points);
        break;
    case WEAKENING:
        random_weakening(r, contact, points);
        break;
    case DRAG:
        contact->speed_friction = random_drag_law(r, (drag_kind)random_index(r, DRAG_KINDS));
        break;
    default:
        random_slider(r, contact);
        if (family == DROPPING_SLIDER)
            contact->static_friction = contact->friction + random_between(r, 0.05, 0.2);
        if (family >= SPEED_SLIDER)
            contact->friction = 0; /* the law says it */
        if (family == SPEED_SLIDER)
            contact->speed_friction = random_speed_law(r, false, points);
        if (family == WEAKENING_SLIDER)
            random_weakening(r, contact, points);
        while (family == CREEPING_SLIDER && !stands_behind(&contact->speed_friction))
            contact->speed_friction = random_drag_law(r, (drag_kind)random_index(r, DRAG_KINDS));
        if (family == CREEPING_SLIDER && !strcmp(contact->speed_friction.law, "tanh"))
            contact->speed_friction.parameter[1] += 0.2; /* a flat one says next to nothing where surfaces part */
    }
}

/* Held, a spring (damped or not), or Hunt-Crossley. Sliders know the first two; and laws that remember, on which motions
 * do not always begin where a curved law has no pressure yet. */
static void draw_normal(random_source *r, structure *s, size_t c, bool slider, bool rigid) {
    static const double exponents[] = {1, 1.5, 2, 2.3};
    am_contact_def *contact = &s->contact[c];
    size_t law = random_index(r, slider ? 2 : 3);
    contact->normal = law == 0 ? NULL : s->normal[c];
    contact->normal_law = law == 0 ? AM_HELD : law == 1 ? AM_KELVIN_VOIGT : AM_HUNT_CROSSLEY;
    contact->hold = am_function_sine(random_between(r, 0, 0.5), random_between(r, 0.3, 2), 0);
    contact->hold.value = random_between(r, 1, 2);
    contact->contact_stiffness = random_between(r, 3, 20);
    contact->contact_damping = law == 1 && random_chance(r, 0.5) ? random_between(r, 0.1, 1) : 0;
    contact->contact_exponent = exponents[random_index(r, 4)];
    contact->contact_dissipation = law == 2 && random_chance(r, 0.5) ? random_between(r, 0.1, 1) : 0;
    contact->gap = law == 0 ? 0 : random_between(r, -0.1, 0.1);
    s->press[2 * c] = law == 0 ? 0 : -random_between(r, 0, 2);
    if (!rigid)
        return;
    contact->normal = slider ? NULL : s->normal[c];
    contact->normal_law = slider ? AM_HELD : AM_UNILATERAL;
    contact->gap = 0;
    s->press[2 * c] = slider ? 0 : -2;
}

/* Coordinate 2c is normal to contact c, 2c + 1 along it; the matrices are full. */
static am_system *draw_every_law(uint64_t seed, law_family family, bool rigid, structure *s) {
    random_source r = random_seed(seed);
    am_system_def def = am_system_def_default();
    *s = (structure){.m = 1 + random_index(&r, CONTACTS)};
    s->n = 2 * s->m;
    random_definite(&r, s->n, 0.5, 1, s->mass);
    random_definite(&r, s->n, 0.5, 2, s->stiffness);
    random_definite(&r, s->n, 0, 0.1, s->damping);
    for (size_t c = 0; c < s->m; c++) {
        law_family own = c == 0 ? family : (law_family)random_index(&r, SPEED_SLIDER);
        s->contact[c] = am_contact_def_default();
        s->normal[c][2 * c] = s->tangent[c][2 * c + 1] = 1;
        s->contact[c].tangent = s->tangent[c];
        s->contact[c].surface_velocity = random_between(&r, -0.6, 0.6);
        draw_friction(&r, &s->contact[c], own, &s->points[c]);
        draw_normal(&r, s, c, rigid ? own >= SLIDER : own >= DRAG, rigid);
    }
    for (size_t i = 0; i < s->n; i++)
        s->force[i] = random_between(&r, -1, 1);
    s->load[0] = (am_load_def){s->force, am_function_sine(random_between(&r, 0.5, 2), random_between(&r, 0.3, 2), 1)};
    s->load[1] = (am_load_def){s->press, am_function_constant(1)};
    def.n = s->n;
    def.contact_count = s->m;
    def.contacts = s->contact;
    def.load_count = 2;
    for (size_t c = 0, pressed = 0; c < s->m; c++) {
        pressed += s->press[2 * c] != 0;
        def.load_count = 1 + (pressed > 0);
    }
    def.loads = s->load;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* The largest difference of coordinates, velocities and forces at the samples, relative to the largest of its column
 * but at least `least`. */
static double sample_difference(const am_result *a, const am_result *b, const structure *s, double least) {
    const am_table *x = table_of(a, "samples"), *y = table_of(b, "samples");
    double worst = 0;
    char name[32];
    assert_int_equal(am_table_rows(x), am_table_rows(y));
    for (size_t k = 0; k < 2 * s->n + 2 * s->m; k++) {
        double most = least, difference = 0;
        snprintf(name, sizeof name, "%c%zu",
                 k < s->n              ? 'q'
                 : k < 2 * s->n        ? 'v'
                 : k < 2 * s->n + s->m ? 'N'
                                       : 'T',
                 k < 2 * s->n ? k % s->n + 1 : (k - 2 * s->n) % s->m + 1);
        for (size_t row = 0; row < am_table_rows(x); row++) {
            double value = cell(x, row, name);
            most = fmax(most, fabs(value));
            difference = fmax(difference, fabs(value - cell(y, row, name)));
        }
        worst = fmax(worst, difference / most);
    }
    return worst;
}

/* Rigid contacts that strike in turns: a step takes their impacts together, which is another motion, however short it
 * is. Friction a ln v has no value at rest, through which a step may lead. */
static bool is_beyond_steps(const structure *s, double impacts) {
    enum { FORM = 6 };
    bool beyond = s->m > 1 && impacts > 1;
    for (size_t c = 0; c < s->m; c++) {
        const am_speed_friction *use = &s->contact[c].speed_friction;
        beyond = beyond || (use->law && !strcmp(use->law, "rate-and-state") && use->parameter[FORM] == 1.0);
    }
    return beyond;
}

static double compare_every_law(uint64_t seed, law_family family, am_march_method method, bool rigid, double step,
                                double allowed) {
    structure s;
    am_system *system = draw_every_law(seed, family, rigid, &s);
    am_motion_options exact = am_motion_options_default();
    am_march_options steps = am_march_options_default();
    am_result *a = am_result_create(NULL), *b = am_result_create(NULL);
    am_error err = {0};
    exact.until = steps.until = 6;
    exact.samples = steps.samples = 38; /* no switch of a load falls on one of them */
    steps.method = method;
    steps.tolerance = 1e-10;
    steps.step = step;
    steps.check = AM_MARCH_CHECK_NO;
    if (am_motion_run(system, &exact, a, NULL, &err))
        fail_msg("seed %d, family %d: %s", (int)seed, (int)family, err.message);
    bool skipped = method == AM_MARCH_MOREAU_JEAN && is_beyond_steps(&s, rigid ? number(a, "impacts") : 0);
    if (!skipped && am_march_run(system, &steps, b, NULL, &err))
        fail_msg("seed %d, family %d: %s", (int)seed, (int)family, err.message);
    for (size_t c = 0; c < s.m; c++)
        if (s.contact[c].speed_friction.law && isnan(am_speed_friction_at(&s.contact[c].speed_friction, 0, NULL)))
            allowed = fmax(allowed, 1e-5); /* without stick, see below */
    double difference = skipped ? 0.0 : sample_difference(a, b, &s, 0.1);
    if (!(difference <= allowed))
        fail_msg("seed %d, family %d, law %s: %g", (int)seed, (int)family,
                 s.contact[0].speed_friction.law ? s.contact[0].speed_friction.law : "-", difference);
    am_result_free(a);
    am_result_free(b);
    am_system_free(system);
    return difference;
}

/* Impulses over steps are of order one: a quarter of the step leaves less than half of the error, or, where a switch near
 * a sample falls late in the short step and early in the long one, at least a sixteenth does. */
static void compare_steps(uint64_t seed, law_family family, bool rigid) {
    static const double step = 1e-3;
    double coarse = compare_every_law(seed, family, AM_MARCH_MOREAU_JEAN, rigid, step, 5e-2);
    if (coarse > 2e-3 && compare_every_law(seed, family, AM_MARCH_MOREAU_JEAN, rigid, step / 4, coarse) > 0.5 * coarse)
        compare_every_law(seed, family, AM_MARCH_MOREAU_JEAN, rigid, step / 16, 0.5 * coarse);
}

/* 1e-10 in each of some hundred steps. Friction without stick passes from one side to the other within some 1e-5 of the
 * speed of the motion, and makes errors of velocity so much larger in T. */
static void every_law_moves_as_in_motion(void **state) {
    (void)state;
    for (law_family family = 0; family < FAMILIES; family++)
        for (uint64_t seed = 1; seed <= CASES(family > DROPPING_SLIDER ? 4 : 8, 2); seed++)
            compare_every_law(seed + 100 * family, family, AM_MARCH_ADAPTIVE, false, 0, 1e-6);
}

/* Switches fall within steps, and T jumps there: the error of a step is of its order, and T is off by it for a step. */
static void fixed_steps_know_every_law(void **state) {
    (void)state;
    for (law_family family = 0; family < FAMILIES; family++) {
        compare_every_law(1 + 100 * family, family, AM_MARCH_NEWMARK, false, 1e-3, 1e-2);
        for (uint64_t seed = 1; seed <= CASES(2, 1); seed++) { /* forces beside impulses, too */
            compare_steps(seed + 100 * family, family, true);
            compare_steps(seed + 100 * family, family, false);
        }
    }
}

/* A closed stop is called `stick`, as motions do. */
static void states_have_the_names_of_motion(void **state) {
    (void)state;
    const double row[] = {-1}, one[] = {1};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {.direction = one, .function = am_function_constant(2)};
    am_system_def def = am_system_def_default();
    contact.normal = row;
    contact.normal_law = AM_KELVIN_VOIGT;
    contact.contact_stiffness = 10;
    contact.contact_damping = 1;
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = dense_system(def, one, one, one);
    am_march_options options = am_march_options_default();
    am_result *result = am_result_create(NULL);
    options.until = 3;
    options.displacement = (const double[]){-1};
    assert_int_equal(am_march_run(system, &options, result, NULL, NULL), AM_OK);
    assert_string_equal(text(result, "final_state"), "stick");
    assert_string_equal(word(table_of(result, "events"), 0, "to"), "stick");
    am_result_free(result);
    am_system_free(system);
}

/* Where a layer just touches N is next to nothing, and a step of any length takes the spring of a slider to its limit at
 * most: friction that stays above it for good solves the formula too. */
static double loss_on_a_touching_layer(uint64_t seed, const char *law, double stiffness, const char *analysis) {
    char study[1024];
    random_source r = random_seed(seed);
    double k = random_between(&r, 10, 100), speed = random_between(&r, 1, 3), fall = random_between(&r, 0.05, 0.3);
    snprintf(study, sizeof study,
             "model: {kind: structure, mass: [1, 1], stiffness: [1, 2], contacts: [{normal: [0, 1], tangent: [1, 0], "
             "law: kelvin-voigt, contact_stiffness: 50, contact_damping: 0.5, tangential_stiffness: %.17g, friction: "
             "{law: %s, stiffness: %.17g, %s}}], loads: [{direction: [0, -1], constant: 1}]}\n"
             "analysis: {kind: %s, until: 0.4, initial: {displacement: [0, 0], velocity: [%.17g, %.17g]}}\n",
             k, law, stiffness, strcmp(law, "dahl") ? "A: 1, beta: 30, gamma: 20, n: 1" : "friction: 0.4", analysis,
             random_chance(&r, 0.5) ? speed : -speed, -fall);
    am_run *run = run_text(study);
    double loss = scalar(run, "loss_friction");
    am_run_free(run);
    return loss;
}

static void long_steps_take_springs_to_their_limit(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(12, 2); seed++) {
        random_source r = random_seed(seed + 100);
        double stiffness = random_between(&r, 20, 500);
        const char *law = seed % 4 ? "dahl" : "bouc-wen";
        double exact = loss_on_a_touching_layer(seed, law, stiffness, "motion");
        double rough = loss_on_a_touching_layer(seed, law, stiffness, "march, method: moreau-jean, step: 0.01");
        /* Second order but where N begins and turns: (0.01 sqrt(50))^2 of it. The other solution lost half, or twice. */
        assert_near(rough, exact, 5e-3 * exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_steps_agree_with_motion), cmocka_unit_test(fixed_steps_come_near),
        cmocka_unit_test(every_law_moves_as_in_motion),     cmocka_unit_test(fixed_steps_know_every_law),
        cmocka_unit_test(states_have_the_names_of_motion),  cmocka_unit_test(long_steps_take_springs_to_their_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
