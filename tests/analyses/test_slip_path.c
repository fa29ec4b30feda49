/* Loads in any order: superposition and boundary elements, which share no code, follow the same paths; what Mindlin and
 * Deresiewicz found for some of them; energy. */
#include <math.h>
#include <string.h>

#include "amontons/slip.h"
#include "base/random.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "results.h"

static const double PI = 3.14159265358979323846;

typedef struct asked {
    am_slip_contact contact;
    am_slip_options options;
} asked;

/* P0 = 1, f = 0.5 */
static asked ask(am_slip_shape shape) {
    asked q = {am_slip_contact_default(shape), am_slip_options_default()};
    q.contact.P = 1.0;
    if (shape == AM_SLIP_POWER) {
        q.contact.exponent = 4.0;
        q.contact.factor = 0.25;
    }
    return q;
}

static am_result *run(asked *q, am_slip_method method, size_t count, const am_slip_corner *path) {
    am_result *result = am_result_create(NULL);
    q->options.method = method;
    q->options.path = path;
    q->options.path_count = count;
    GOOD(am_slip_run(&q->contact, &q->options, result, NULL, err));
    return result;
}

static double last(const am_result *result, const char *column) {
    return cell(table_of(result, "path"), rows(result, "path") - 1, column);
}

static void refuse(asked *q, am_slip_method method, size_t count, const am_slip_corner *path, const char *field,
                   const char *words) {
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    q->options.method = method;
    q->options.path = path;
    q->options.path_count = count;
    assert_int_not_equal(am_slip_run(&q->contact, &q->options, result, NULL, &err), AM_OK);
    assert_blames(&err, field, words);
    am_result_free(result);
}

/* ---- two methods on random paths ---- */

enum { LEGS = 6 };

/* Corners with P alone, Q alone or both moved, |Q| up to 0.9 f P. */
static void draw_path(uint64_t seed, am_slip_corner *path) {
    double P = 1.0, Q = 0.0;
    for (size_t i = 0; i < LEGS; i++) {
        double kind = am_random_unit(seed, i, 0);
        if (i == 0 || kind < 0.7)
            P = 0.4 + 1.6 * am_random_unit(seed, i, 1);
        if (i == 0 || kind > 0.3)
            Q = 0.45 * P * (2.0 * am_random_unit(seed, i, 2) - 1.0);
        Q = fmax(-0.45 * P, fmin(0.45 * P, Q));
        path[i] = (am_slip_corner){P, Q, 0};
    }
}

static double at_x(const am_table *t, const char *column, double x) {
    size_t low = 0, high = am_table_rows(t) - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (cell(t, middle, "x") <= x)
            low = middle;
        else
            high = middle;
    }
    double part = (x - cell(t, low, "x")) / (cell(t, high, "x") - cell(t, low, "x"));
    return cell(t, low, column) + part * (cell(t, high, column) - cell(t, low, column));
}

static double mean_difference(const am_result *form, const am_result *nodes, const char *column, double a) {
    const am_table *one = table_of(form, "tractions"), *other = table_of(nodes, "tractions");
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < am_table_rows(other); i++) {
        double x = cell(other, i, "x");
        if (!(fabs(x) < 0.97 * a))
            continue;
        sum += fabs(at_x(one, column, x) - cell(other, i, column));
        count++;
    }
    assert_true(count > 20);
    return sum / (double)count;
}

/* 100 nodes on the half-width of the largest contact. Tractions have kinks like square roots, where elements miss them
 * by the root of a spacing over a few nodes: on the average 5e-3 of f P/2a. Displacements: the spacing to the power
 * 3/2. Zones end within two spacings (some end like the power 3/2, which is hard to see). Slip: nodes that close while
 * the rim slips are counted from the beginning of that increment, of which there are 40 on a leg. Losses: trapezoids
 * over these, in some of which slip turns. */
static void compare(asked *q, const am_slip_corner *path) {
    am_result *form = run(q, AM_SLIP_CLOSED_FORM, LEGS, path), *nodes = run(q, AM_SLIP_ELEMENTS, LEGS, path);
    const am_table *one = table_of(form, "path"), *other = table_of(nodes, "path");
    double a = number(form, "a"), P = path[LEGS - 1].P, mean = 0.5 * P / (2.0 * a), reach = last(form, "approach");
    double widest = 0.0;
    for (size_t i = 0; i < am_table_rows(one); i++)
        widest = fmax(widest, cell(one, i, "a"));
    assert_near(number(nodes, "a"), a, 1e-4 * widest);
    assert_near(number(form, "P"), P, 1e-14);
    assert_near(number(form, "Q"), path[LEGS - 1].Q, 1e-14);
    assert_near(number(nodes, "Q"), path[LEGS - 1].Q, 1e-12);
    assert_true(mean_difference(form, nodes, "q", a) < 5e-3 * mean);
    assert_true(mean_difference(form, nodes, "slip", a) < 5e-3 * reach);
    assert_int_equal(am_table_rows(one), am_table_rows(other));
    for (size_t i = 39; i < am_table_rows(one); i += 40) { /* the corners */
        assert_near(cell(other, i, "displacement"), cell(one, i, "displacement"), 1e-4 * reach);
        assert_near(cell(other, i, "approach"), cell(one, i, "approach"), 1e-4 * reach);
        assert_near(cell(other, i, "c"), cell(one, i, "c"), 0.02 * widest);
    }
    assert_near(last(nodes, "loss_friction"), last(form, "loss_friction"), 2e-3 * 0.5 * P * reach);
    am_result_free(form);
    am_result_free(nodes);
}

static void random_paths(am_slip_shape shape, uint64_t seed) {
    asked q = ask(shape);
    for (uint64_t i = 0; i < CASES(4, 1); i++) {
        am_slip_corner path[LEGS];
        draw_path(seed + i, path);
        compare(&q, path);
    }
}

static void both_methods_agree_on_random_paths_of_cylinders(void **state) {
    (void)state;
    random_paths(AM_SLIP_HERTZ, 100);
}

static void both_methods_agree_on_random_paths_of_powers(void **state) {
    (void)state;
    random_paths(AM_SLIP_POWER, 200);
}

static void both_methods_agree_on_random_paths_of_waves(void **state) {
    (void)state;
    random_paths(AM_SLIP_WAVE, 300);
}

/* ---- what is known ---- */

static void check_known(asked *q, size_t count, const am_slip_corner *path, double c_over_a) {
    am_result *form = run(q, AM_SLIP_CLOSED_FORM, count, path), *nodes = run(q, AM_SLIP_ELEMENTS, count, path);
    assert_near(number(form, "c_over_a"), c_over_a, 1e-12); /* rounding */
    assert_near(number(nodes, "c_over_a"), c_over_a, 1e-3); /* a tenth of a spacing */
    assert_true(number(form, "equilibrium_residual") < 1e-10 && number(form, "stick_residual") < 1e-10 &&
                number(form, "friction_residual") < 1e-12);
    am_result_free(form);
    am_result_free(nodes);
}

/* Mindlin and Deresiewicz: P and Q grow together with dQ/dP below f, and what they add is dQ/dP times the pressure. */
static void oblique_loading_below_f_does_not_slip(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_HERTZ);
    const am_slip_corner path[] = {{1.0, 0.0, 0}, {2.0, 0.4, 0}};
    check_known(&q, 2, path, 1.0);
    am_result *form = run(&q, AM_SLIP_CLOSED_FORM, 2, path);
    assert_near(last(form, "loss_friction"), 0.0, 0.0);
    assert_int_equal(rows(form, "zones"), 1);
    assert_string_equal(word(table_of(form, "zones"), 0, "state"), "stick");
    double a0 = sqrt(4.0 / PI), a = sqrt(8.0 / PI);
    const am_table *t = table_of(form, "tractions");
    for (size_t i = 0; i < am_table_rows(t); i++) { /* q = 0.4 (p(x; P = 2) - p(x; P = 1)), p = sqrt(a^2 - x^2)/2 */
        double x = cell(t, i, "x"), inner = fabs(x) < a0 ? sqrt(a0 * a0 - x * x) : 0.0;
        assert_near(cell(t, i, "q"), 0.4 * 0.5 * (sqrt(a * a - x * x) - inner), 1e-13);
        assert_near(cell(t, i, "slip"), 0.0, 1e-12);
    }
    am_result_free(form);
}

/* Above f the new rim slips, and with it a zone inside the old contact: Q = f (P - P(c)), as if P had come first. */
static void oblique_loading_above_f_slips_to_where_Q_is_held(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_HERTZ);
    const am_slip_corner path[] = {{1.0, 0.0, 0}, {1.2, 0.3, 0}};
    check_known(&q, 2, path, sqrt(1.0 - 0.3 / (0.5 * 1.2)));
    q = ask(AM_SLIP_POWER);
    check_known(&q, 2, path, pow(1.0 - 0.3 / (0.5 * 1.2), 0.25)); /* P as a^4 */
}

/* After oblique loading at k = dQ/(f dP) everything holds a share k: a rise of Q overwrites 1 - k. A fall 1 + k. */
static void a_contact_that_grew_obliquely_has_less_left_for_Q(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_HERTZ);
    const am_slip_corner up[] = {{1.0, 0.2, 0}, {1.0, 0.35, 0}};
    check_known(&q, 2, up, sqrt(1.0 - 0.15 / (0.5 * (1.0 - 0.4))));
    const am_slip_corner down[] = {{1.0, 0.2, 0}, {1.0, -0.1, 0}};
    check_known(&q, 2, down, sqrt(1.0 - 0.3 / (0.5 * (1.0 + 0.4))));
}

/* Forward slip goes on while P falls under a constant Q: the same state as with the smaller P from the start. */
static void unloading_P_under_Q_slips_on(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_HERTZ);
    const am_slip_corner path[] = {{1.0, 0.0, 0}, {1.0, 0.25, 0}, {0.7, 0.25, 0}};
    check_known(&q, 3, path, sqrt(1.0 - 0.25 / (0.5 * 0.7)));
    am_result *form = run(&q, AM_SLIP_CLOSED_FORM, 3, path);
    assert_string_equal(word(table_of(form, "zones"), 0, "state"), "forward");
    assert_near(number(form, "Q_over_fP"), 0.25 / 0.35, 1e-14);
    am_result_free(form);
}

/* ---- the state at the end ---- */

static void tables_and_summary_describe_the_last_state(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_HERTZ);
    const am_slip_corner path[] = {{1.0, 0.0, 0}, {2.0, 0.8, 0}, {1.5, -0.45, 0}};
    for (int method = AM_SLIP_CLOSED_FORM; method <= AM_SLIP_ELEMENTS; method++) {
        am_result *made = run(&q, (am_slip_method)method, 3, path);
        assert_near(number(made, "P"), 1.5, 1e-14);
        assert_near(number(made, "Q_over_fP"), -0.6, 1e-12);
        assert_near(number(made, "a"), sqrt(6.0 / PI), 1e-4);
        assert_near(last(made, "P_over_P0"), 1.5, 1e-12);
        assert_near(last(made, "Q_over_fP0"), -0.9, 1e-12);
        assert_near(last(made, "leg"), 3.0, 0.0);
        assert_near(last(made, "a"), number(made, "a"), 1e-14);
        assert_near(last(made, "c_over_a"), number(made, "c_over_a"), 1e-13);
        const am_table *zones = table_of(made, "zones"), *t = table_of(made, "tractions");
        assert_string_equal(word(zones, 0, "state"), "backward");
        double sum = 0.0;
        for (size_t i = 1; i < am_table_rows(t); i++)
            sum += 0.5 * (cell(t, i, "q") + cell(t, i - 1, "q")) * (cell(t, i, "x") - cell(t, i - 1, "x"));
        assert_near(sum, -0.45, 1e-4); /* trapezoids */
        am_result_free(made);
    }
}

static void turns_are_a_path_at_constant_P(void **state) {
    (void)state;
    static const double turns[] = {0.8, -0.6, 0.8};
    const am_slip_corner corners[] = {{1.0, 0.4, 0}, {1.0, -0.3, 0}, {1.0, 0.4, 0}};
    for (int method = AM_SLIP_CLOSED_FORM; method <= AM_SLIP_ELEMENTS; method++) {
        asked loop = ask(AM_SLIP_HERTZ), path = ask(AM_SLIP_HERTZ);
        loop.options.turns = turns;
        loop.options.turn_count = 3;
        path.options.cycle = corners;
        path.options.cycle_count = 3;
        am_result *one = run(&loop, (am_slip_method)method, 0, NULL),
                  *other = run(&path, (am_slip_method)method, 0, NULL);
        const am_table *a = table_of(one, "loop"), *b = table_of(other, "path");
        assert_int_equal(am_table_rows(a), 121);
        assert_int_equal(am_table_rows(b), 160); /* the first leg presses */
        static const char *const same[] = {"Q_over_fP", "displacement", "loss_friction", "c_over_a"};
        for (size_t i = 0; i < 121; i++) {
            /* elements solve to 1e-12; where the loop closes, the new slip zone meets the old one: c is either's */
            for (size_t k = 0; k < (i < 120 ? 4 : 3); k++)
                assert_near(cell(a, i, same[k]), cell(b, i + 39, same[k]), 1e-10);
        }
        am_result_free(one);
        am_result_free(other);
    }
}

/* ---- energy ---- */

/* Of Q between +-0.8 f P at constant P: (2 f^2 P^2/(pi E*)) (1 - n^2 + 2 n ln n), n = 0.2. */
static void a_cycle_at_constant_P_loses_what_mindlin_and_deresiewicz_say(void **state) {
    (void)state;
    const am_slip_corner cycle[] = {{1.0, 0.4, 0}, {1.0, -0.4, 0}};
    double wanted = 2.0 * 0.25 / PI * (1.0 - 0.04 + 0.4 * log(0.2));
    asked q = ask(AM_SLIP_HERTZ);
    q.options.cycle = cycle;
    q.options.cycle_count = 2;
    q.options.cycles = 2;
    am_result *form = run(&q, AM_SLIP_CLOSED_FORM, 0, NULL), *nodes = run(&q, AM_SLIP_ELEMENTS, 0, NULL);
    assert_near(number(form, "loss_per_cycle"), wanted, 1e-12);
    assert_near(number(form, "loop_area"), wanted, 1e-3 * wanted); /* trapezoids over 40 points of each leg */
    assert_near(number(nodes, "loss_per_cycle"), wanted, 1e-3 * wanted);
    assert_near(number(nodes, "loop_area"), wanted, 2e-3 * wanted);
    am_result_free(form);
    am_result_free(nodes);
}

/* Fretting with P a quarter of a cycle ahead. What is lost is the area of the loop of Q, since P gives back what it
 * takes; its trapezoids miss it by the square of the step. */
static void a_cycle_of_P_and_Q_loses_the_area_of_its_loop(void **state) {
    (void)state;
    static const am_slip_shape shapes[] = {AM_SLIP_HERTZ, AM_SLIP_POWER, AM_SLIP_WAVE};
    const am_slip_corner cycle[] = {{1.3, 0.0, 0}, {1.0, 0.25, 0}, {0.7, 0.0, 0}, {1.0, -0.25, 0}};
    for (size_t i = 0; i < 3; i++) {
        asked q = ask(shapes[i]);
        q.options.cycle = cycle;
        q.options.cycle_count = 4;
        q.options.cycles = 3;
        am_result *form = run(&q, AM_SLIP_CLOSED_FORM, 0, NULL), *nodes = run(&q, AM_SLIP_ELEMENTS, 0, NULL);
        double loss = number(form, "loss_per_cycle");
        assert_true(loss > 1e-3);
        assert_near(number(form, "loop_area"), loss, 1e-3 * loss);
        assert_near(number(nodes, "loss_per_cycle"), loss, 5e-3 * loss);
        assert_near(number(nodes, "loop_area"), loss, 5e-3 * loss);
        const am_table *t = table_of(form, "path"); /* from the second cycle on nothing changes any more */
        size_t n = am_table_rows(t);
        assert_near(cell(t, n - 1, "displacement"), cell(t, n - 161, "displacement"), 1e-13);
        assert_near(cell(t, n - 1, "loss_friction") - cell(t, n - 161, "loss_friction"), loss, 1e-13);
        am_result_free(form);
        am_result_free(nodes);
    }
}

static double work(const am_table *t, size_t from, const char *load, const char *motion) {
    double sum = 0.0;
    for (size_t i = from + 1; i < am_table_rows(t); i++)
        sum += 0.5 * (cell(t, i, load) + cell(t, i - 1, load)) * (cell(t, i, motion) - cell(t, i - 1, motion));
    return sum;
}

/* There P works, too. The cycle needs some rounds to repeat; books and work are both of second order in 20 steps. */
static void a_cycle_of_dissimilar_bodies_loses_what_both_loads_do(void **state) {
    (void)state;
    const am_slip_corner cycle[] = {{1.3, 0.0, 0}, {1.0, 0.15, 0}, {0.7, 0.0, 0}, {1.0, -0.15, 0}};
    asked q = ask(AM_SLIP_HERTZ);
    q.contact.beta = 0.2;
    q.options.cycle = cycle;
    q.options.cycle_count = 4;
    q.options.cycles = 4;
    q.options.nodes = 50;
    q.options.steps = 20;
    am_result *made = run(&q, AM_SLIP_AUTOMATIC, 0, NULL);
    const am_table *t = table_of(made, "path");
    size_t from = am_table_rows(t) - 81;
    double along = work(t, from, "Q", "displacement"), across = work(t, from, "P", "approach");
    double loss = number(made, "loss_per_cycle");
    assert_near(number(made, "loop_area"), along, 1e-14);
    assert_true(fabs(across) > 0.02 * loss);
    assert_near(along + across, loss, 0.01 * loss);
    am_result_free(made);
}

/* ---- other bodies and laws ---- */

/* A path that first presses and then drags is what the load Q alone means, increment for increment. */
static void check_plain(asked q, double share, size_t steps, const char *name) {
    double P = q.contact.P, Q = share * q.contact.f * P;
    const am_slip_corner path[] = {{P, 0.0, steps}, {P, Q, steps}};
    q.options.nodes = 40;
    q.options.steps = steps;
    q.options.branch = 0;
    am_result *one = run(&q, AM_SLIP_ELEMENTS, 2, path);
    q.options.Q = Q;
    am_result *other = run(&q, AM_SLIP_ELEMENTS, 0, NULL);
    assert_near(number(one, name), number(other, name), 1e-9);
    assert_near(number(one, "slip_max"), number(other, "slip_max"), 1e-9);
    am_result_free(one);
    am_result_free(other);
}

static void dissimilar_bodies_and_weakening_friction_take_paths(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_HERTZ);
    q.contact.beta = 0.2;
    check_plain(q, 0.3, 20, "c_over_a");
    q = ask(AM_SLIP_HERTZ);
    q.contact.law = AM_FRICTION_RAMP;
    q.contact.f_s = 0.75;
    q.contact.slip_length = 0.05;
    check_plain(q, 0.8, 20, "c_over_a");
}

/* Pressing a flat punch harder for a while strains and slips nothing. */
static void a_punch_forgets_that_it_was_pressed_harder(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_PUNCH);
    q.contact.height = q.contact.half_width / (2.0 * q.contact.f * 2.0); /* alpha = 2 */
    const am_slip_corner path[] = {{3.0, 0.0, 2}, {1.0, 0.0, 2}, {1.0, 0.375, 10}};
    am_result *made = run(&q, AM_SLIP_AUTOMATIC, 3, path);
    assert_string_equal(text(made, "method"), "boundary-elements");
    assert_near(number(made, "l_over_a"), 2.0 / 3.0, 5e-3); /* half a spacing; closed form of Q/fP = 0.75 */
    am_result_free(made);
}

/* ---- refusals ---- */

static void loads_beyond_sliding_are_refused_with_their_leg(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_HERTZ);
    const am_slip_corner slides[] = {{1.0, 0.0, 0}, {1.0, 0.4, 0}, {0.5, 0.4, 0}};
    refuse(&q, AM_SLIP_AUTOMATIC, 3, slides, "path",
           "leg 3 of the path: Q exceeds f P: the contact slides as a whole; with P = 0.5 the largest load is 0.25");
    const am_slip_corner back[] = {{1.0, 0.0, 0}, {1.0, -0.5, 0}};
    refuse(&q, AM_SLIP_ELEMENTS, 2, back, "path", "leg 2 of the path: Q reaches f P");
    const am_slip_corner parts[] = {{1.0, 0.0, 0}, {0.0, 0.0, 0}};
    refuse(&q, AM_SLIP_AUTOMATIC, 2, parts, "path", "leg 2 of the path: P falls to 0, where the bodies part");
    const am_slip_corner nothing[] = {{1.0, NAN, 0}};
    refuse(&q, AM_SLIP_AUTOMATIC, 1, nothing, "path", "finite");
    q.options.cycle = back;
    q.options.cycle_count = 2;
    refuse(&q, AM_SLIP_AUTOMATIC, 0, NULL, "cycle", "leg 3 of the path: Q reaches f P");
    q = ask(AM_SLIP_WAVE);
    const am_slip_corner closes[] = {{1.0, 0.0, 0}, {1e6, 0.0, 0}};
    refuse(&q, AM_SLIP_AUTOMATIC, 2, closes, "path", "leg 2 of the path: P = 1e+06 closes the contact");
    q = ask(AM_SLIP_PUNCH);
    q.contact.height = 4.0; /* tips over at Q = P/4 */
    const am_slip_corner tips[] = {{1.0, 0.0, 0}, {2.0, 0.6, 0}};
    refuse(&q, AM_SLIP_AUTOMATIC, 2, tips, "path",
           "leg 2 of the path: Q exceeds P a/h: the contact tips over; with P = 2 the largest load is 0.5");
    q = ask(AM_SLIP_HERTZ);
    q.contact.law = AM_FRICTION_RAMP;
    q.contact.f_s = 0.75;
    q.contact.slip_length = 1e-3;
    q.options.nodes = 40;
    const am_slip_corner weakens[] = {{1.0, 0.0, 1}, {1.0, 0.74, 10}};
    refuse(&q, AM_SLIP_AUTOMATIC, 2, weakens, "path", "leg 2 of the path: the contact slides as a whole");
}

static void what_a_path_cannot_be_is_said(void **state) {
    (void)state;
    asked q = ask(AM_SLIP_HERTZ);
    const am_slip_corner path[] = {{1.0, 0.0, 0}, {1.0, 0.2, 0}};
    q.options.Q = 0.1;
    refuse(&q, AM_SLIP_AUTOMATIC, 2, path, "path", "leave Q, Q_over_fP and c_over_a out");
    q = ask(AM_SLIP_HERTZ);
    refuse(&q, AM_SLIP_AUTOMATIC, 2, NULL, "path", "must give them");
    q.contact.beta = 0.2;
    refuse(&q, AM_SLIP_CLOSED_FORM, 2, path, "method", "take boundary-elements");
    q = ask(AM_SLIP_PUNCH);
    refuse(&q, AM_SLIP_CLOSED_FORM, 2, path, "method", "with a path take boundary-elements");
    q = ask(AM_SLIP_HERTZ);
    q.contact.law = AM_FRICTION_GRIFFITH;
    q.contact.energy = 0.01;
    refuse(&q, AM_SLIP_AUTOMATIC, 2, path, "path", "for P and then Q");
    q = ask(AM_SLIP_HERTZ);
    q.options.cycle = path;
    q.options.cycle_count = 2;
    q.options.cycles = 0;
    refuse(&q, AM_SLIP_AUTOMATIC, 0, NULL, "cycles", "at least once");
    static const double turns[] = {0.5};
    q.options.cycles = 1;
    q.options.turns = turns;
    q.options.turn_count = 1;
    refuse(&q, AM_SLIP_AUTOMATIC, 0, NULL, "turns", "a path at constant P");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_methods_agree_on_random_paths_of_cylinders),
        cmocka_unit_test(both_methods_agree_on_random_paths_of_powers),
        cmocka_unit_test(both_methods_agree_on_random_paths_of_waves),
        cmocka_unit_test(oblique_loading_below_f_does_not_slip),
        cmocka_unit_test(oblique_loading_above_f_slips_to_where_Q_is_held),
        cmocka_unit_test(a_contact_that_grew_obliquely_has_less_left_for_Q),
        cmocka_unit_test(unloading_P_under_Q_slips_on),
        cmocka_unit_test(tables_and_summary_describe_the_last_state),
        cmocka_unit_test(turns_are_a_path_at_constant_P),
        cmocka_unit_test(a_cycle_at_constant_P_loses_what_mindlin_and_deresiewicz_say),
        cmocka_unit_test(a_cycle_of_P_and_Q_loses_the_area_of_its_loop),
        cmocka_unit_test(a_cycle_of_dissimilar_bodies_loses_what_both_loads_do),
        cmocka_unit_test(dissimilar_bodies_and_weakening_friction_take_paths),
        cmocka_unit_test(a_punch_forgets_that_it_was_pressed_harder),
        cmocka_unit_test(loads_beyond_sliding_are_refused_with_their_leg),
        cmocka_unit_test(what_a_path_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
