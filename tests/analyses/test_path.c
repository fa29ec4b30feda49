/* Analysis `path`: closed forms of Cho and Barber (eqs. 13, 44, 52, Appendix B, Fig. 8), hysteresis, belts, and random
 * structures against an independent step-by-step solution. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/path.h"
#include "contact_equations.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "uniform.h"

/* Numbers of order one with a handful of roundings each. */
static const double rounding = 1e-13;

static const double axis[2][2] = {{1.0, 0.0}, {0.0, 1.0}};

/* The paper's mass under ramps. */
static am_system *ramped(double friction, double c1, double c2) {
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    def.stiffness[0][0] = def.stiffness[0][1] = def.stiffness[1][0] = 1.0;
    def.stiffness[1][1] = 2.0;
    def.friction = friction;
    def.load_rate[0] = c1;
    def.load_rate[1] = c2;
    am_system *system = am_klarbring_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

/* The paper's mass under tables of F1 and F2. */
static am_system *tabled(double friction, size_t count, const double *times, const double *f1, const double *f2,
                         double period) {
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    am_load_def loads[2] = {{.direction = axis[0], .function = am_function_table(count, times, f1)},
                            {.direction = axis[1], .function = am_function_table(count, times, f2)}};
    loads[0].function.period = loads[1].function.period = period;
    def.stiffness[0][0] = def.stiffness[0][1] = def.stiffness[1][0] = 1.0;
    def.stiffness[1][1] = 2.0;
    def.friction = friction;
    def.extra = loads;
    def.extra_count = 2;
    am_system *system = am_klarbring_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static am_result *run(const am_system *system, const am_path_options *options) {
    am_result *result = am_result_create(NULL);
    GOOD(am_path_run(system, options, result, NULL, err));
    return result;
}

static void assert_refused(const am_system *system, const am_path_options *options, am_status status,
                           const char *const *words) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_path_run(system, options, result, NULL, &err), status);
    for (size_t i = 0; words[i]; i++)
        assert_says(&err, words[i]);
    am_result_free(result);
}

static const char *final_state(const am_result *result) {
    return text(result, "final_state");
}

static void assert_evidence(const am_result *result, double tolerance) {
    static const char *const names[] = {"energy_residual", "equilibrium_residual", "complementarity_residual",
                                        "continuity_residual"};
    for (size_t i = 0; i < 4; i++)
        if (!(number(result, names[i]) <= tolerance))
            fail_msg("%s = %g", names[i], number(result, names[i]));
}

/* ---- Klarbring's mass ---- */

static void ramps_below_f_star_follow_eqs_11_13_19(void **state) {
    (void)state;
    const double f = 0.25;
    const struct {
        double c1, c2;
        const char *name;
        double u1, u2;
    } cases[] = {{0.1, -1.0, "stick", 0.0, 0.0},
                 {1.0, -0.3, "forward", (f * -0.3 + 1.0) / (f + 1.0), 0.0},
                 {-1.0, -1.2, "backward", (-1.0 + f * 1.2) / (1.0 - f), 0.0},
                 {-1.0, -0.8, "open", 2.0 * -1.0 + 0.8, -0.8 + 1.0}};
    for (size_t i = 0; i < 4; i++) {
        am_system *system = ramped(f, cases[i].c1, cases[i].c2);
        am_path_options options = am_path_options_default();
        options.until = 3.0;
        am_result *result = run(system, &options);
        assert_string_equal(final_state(result), cases[i].name);
        assert_int_equal(rows(result, "samples"), 201);
        for (size_t row = 0; row < 201; row++) {
            double t = cell(table_of(result, "samples"), row, "t");
            assert_near(cell(table_of(result, "samples"), row, "u1"), cases[i].u1 * t, rounding);
            assert_near(cell(table_of(result, "samples"), row, "u2"), cases[i].u2 * t, rounding);
        }
        assert_near(number(result, "corners"), 0.0, 0.0);
        assert_evidence(result, rounding);
        am_result_free(result);
        am_system_free(system);
    }
}

/* Press, push forward, pull back until it slips, pull on until it lifts, come back: every corner in closed form (eqs.
 * 12, 52 and its mirror image, 20; docs/path.md). */
static const double tour_times[] = {0, 1, 4, 10, 13, 19};
static const double tour_f1[] = {0, 0, 3, -3, -6, 0};
static const double tour_f2[] = {0, -4, -4, -4, -4, -4};

static void a_tour_of_all_states_has_its_corners_where_theory_puts_them(void **state) {
    (void)state;
    const struct {
        double t;
        const char *name, *cause;
        double u1, u2, N;
    } corners[] = {{0, "stick", "start", 0, 0, 0},     {2, "forward", "slip", 0, 0, 4},
                   {4, "stick", "load", 1.6, 0, 5.6},  {6.8, "backward", "slip", 1.6, 0, 5.6},
                   {11, "open", "lift_off", -4, 0, 0}, {15, "forward", "touch_down", -4, 0, 0}};
    am_system *system = tabled(0.25, 6, tour_times, tour_f1, tour_f2, 0.0);
    am_path_options options = am_path_options_default();
    options.until = 19.0;
    am_result *result = run(system, &options);
    const am_table *table = am_result_find_table(result, "corners");
    assert_int_equal(am_table_rows(table), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_near(cell(table_of(result, "corners"), i, "t"), corners[i].t, rounding);
        assert_string_equal(word(table, i, "state"), corners[i].name);
        assert_string_equal(word(table, i, "cause"), corners[i].cause);
        assert_near(cell(table_of(result, "corners"), i, "u1"), corners[i].u1, rounding);
        assert_near(cell(table_of(result, "corners"), i, "u2"), corners[i].u2, rounding);
        assert_near(cell(table_of(result, "corners"), i, "N1"), corners[i].N, rounding);
    }
    assert_near(cell(table_of(result, "samples"), rows(result, "samples") - 1, "u1"), (0.25 * -4.0) / 1.25, rounding);
    assert_near(number(result, "corners"), 5.0, 0.0);
    assert_evidence(result, rounding);
    am_result_free(result);
    am_system_free(system);
}

static void the_result_does_not_depend_on_the_samples(void **state) {
    (void)state;
    static const size_t samples[] = {0, 1, 2, 7, 5000};
    am_system *system = tabled(0.25, 6, tour_times, tour_f1, tour_f2, 0.0);
    double loss = 0.0;
    for (size_t i = 0; i < 5; i++) {
        am_path_options options = am_path_options_default();
        options.until = 19.0;
        options.samples = samples[i];
        am_result *result = run(system, &options);
        if (i == 0)
            loss = number(result, "loss_friction");
        assert_near(number(result, "loss_friction"), loss, 0.0);
        size_t last = rows(result, "samples") - 1;
        assert_near(cell(table_of(result, "samples"), last, "t"), 19.0, 0.0);
        assert_near(cell(table_of(result, "samples"), last, "u1"), -0.8, rounding);
        for (size_t row = 1; row <= last; row++)
            assert_true(cell(table_of(result, "samples"), row, "t") > cell(table_of(result, "samples"), row - 1, "t"));
        am_result_free(result);
    }
    am_system_free(system);
}

static void friction_loss_of_the_tour_is_its_closed_form(void **state) {
    (void)state;
    am_system *system = tabled(0.25, 6, tour_times, tour_f1, tour_f2, 0.0);
    am_path_options options = am_path_options_default();
    options.until = 19.0;
    am_result *result = run(system, &options);
    /* f times mean normal force times distance, R2 being linear in u1 */
    double forward = 0.25 * 0.5 * (4.0 + 5.6) * 1.6, backward = 0.25 * 0.5 * (5.6 + 0.0) * 5.6;
    double again = 0.25 * 0.5 * (0.0 + 3.2) * 3.2;
    assert_near(number(result, "loss_friction"), forward + backward + again, 1e-12);
    assert_near(number(result, "loss_jump"), 0.0, 0.0);
    am_result_free(result);
    am_system_free(system);
}

static void a_thousand_cycles_do_not_drift(void **state) {
    (void)state;
    /* preload first (constant), then cycle the tangential load so that both slips occur */
    static const double times[] = {0, 3, 9, 12}, f1[] = {0, 3, -3, 0};
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    am_load_def load = {.direction = axis[0], .function = am_function_table(4, times, f1)};
    load.function.period = 12.0;
    def.stiffness[0][0] = def.stiffness[0][1] = def.stiffness[1][0] = 1.0;
    def.stiffness[1][1] = 2.0;
    def.friction = 0.25;
    def.load[1] = -4.0;
    def.extra = &load;
    def.extra_count = 1;
    am_system *system = am_klarbring_create(&def, &err);
    am_path_options options = am_path_options_default();
    options.until = 12000.0;
    options.samples = 1001;
    am_result *result = run(system, &options);
    double settled = NAN;
    for (size_t row = 0; row < rows(result, "samples"); row++) {
        double t = cell(table_of(result, "samples"), row, "t");
        if (t < 24.0 || fabs(remainder(t, 12.0)) > 1e-9)
            continue;
        if (isnan(settled))
            settled = cell(table_of(result, "samples"), row, "u1");
        /* times up to 12000 are rounded by 2e-12, and the load with them */
        assert_near(cell(table_of(result, "samples"), row, "u1"), settled, 1e-11);
    }
    assert_near(settled, -1.0 / 1.25, rounding); /* eq. 52 at F = (0, -4) */
    assert_evidence(result, 1e-11);              /* energies of a thousand cycles add up */
    am_result_free(result);
    am_system_free(system);
}

/* ---- above f*: jumps, several states ---- */

static const double jump_times[] = {0, 1, 3}, jump_f1[] = {0, 0, -2}, jump_f2[] = {0, -1, -1};

static void fig8_stick_jumps_to_separation_at_the_backward_limit(void **state) {
    (void)state;
    am_system *system = tabled(1.25, 3, jump_times, jump_f1, jump_f2, 0.0);
    am_path_options options = am_path_options_default();
    options.until = 3.0;
    options.on_jump = AM_JUMP_RELEASE;
    am_result *result = run(system, &options);
    const am_table *corners = am_result_find_table(result, "corners");
    /* stuck at u1 = 0: R1 = -F1 = f R2 = 1.25 at t = 2.25; then u = k^-1 F (eq. 19) */
    assert_near(number(result, "jumps"), 1.0, 0.0);
    assert_near(number(result, "first_jump"), 2.25, rounding);
    assert_int_equal(am_table_rows(corners), 3);
    assert_string_equal(am_table_text(corners, 1, 1), "stick");
    assert_string_equal(am_table_text(corners, 2, 1), "open");
    assert_string_equal(am_table_text(corners, 1, 2), "jump");
    assert_string_equal(am_table_text(corners, 2, 2), "jump");
    assert_near(cell(table_of(result, "corners"), 1, "u1"), 0.0, rounding);
    assert_near(cell(table_of(result, "corners"), 1, "T1"), 1.25, rounding);
    assert_near(cell(table_of(result, "corners"), 2, "u1"), -1.5, rounding);
    assert_near(cell(table_of(result, "corners"), 2, "u2"), 0.25, rounding);
    assert_near(cell(table_of(result, "corners"), 2, "N1"), 0.0, 0.0);
    /* released: half the square of the jump in the norm of k */
    assert_near(number(result, "loss_jump"), 0.5 * (1.5 * 1.5 - 2.0 * 1.5 * 0.25 + 2.0 * 0.25 * 0.25), rounding);
    assert_near(cell(table_of(result, "samples"), rows(result, "samples") - 1, "u1"), 2.0 * -2.0 + 1.0, rounding);
    assert_evidence(result, rounding);
    am_result_free(result);
    am_system_free(system);
}

static void the_jump_is_in_the_samples_before_and_after(void **state) {
    (void)state;
    am_system *system = tabled(1.25, 3, jump_times, jump_f1, jump_f2, 0.0);
    am_path_options options = am_path_options_default();
    options.until = 3.0;
    options.samples = 4;
    options.on_jump = AM_JUMP_RELEASE;
    am_result *result = run(system, &options);
    assert_int_equal(rows(result, "samples"), 6); /* 0, 1, 2, twice 2.25, 3 */
    assert_near(cell(table_of(result, "samples"), 3, "t"), 2.25, rounding);
    assert_near(cell(table_of(result, "samples"), 4, "t"), 2.25, rounding);
    assert_near(cell(table_of(result, "samples"), 3, "u1"), 0.0, rounding);
    assert_near(cell(table_of(result, "samples"), 4, "u1"), -1.5, rounding);
    am_result_free(result);
    am_system_free(system);
}

static void without_release_the_jump_is_refused_with_time_contact_and_candidates(void **state) {
    (void)state;
    am_system *system = tabled(1.25, 3, jump_times, jump_f1, jump_f2, 0.0);
    am_path_options options = am_path_options_default();
    options.until = 3.0;
    assert_refused(system, &options, AM_ERR_NO_STATE,
                   (const char *const[]){"t = 2.25", "plane", "stick", "backward", NULL});
    am_system_free(system);
}

static void a_start_inside_the_obstacle_is_refused_by_both_methods(void **state) {
    (void)state;
    am_system *system = tabled(0.25, 3, jump_times, jump_f1, jump_f2, 0.0);
    const double inside[] = {0.0, -0.125};
    am_path_options options = am_path_options_default();
    options.until = 1.0;
    options.displacement = inside;
    assert_refused(system, &options, AM_ERR_INPUT, (const char *const[]){"penetrates", "plane", "0.125", NULL});
    options.method = AM_PATH_INCREMENTAL;
    assert_refused(system, &options, AM_ERR_INPUT, (const char *const[]){"penetrates", "plane", "0.125", NULL});
    am_system_free(system);
}

static void a_load_that_turns_exactly_at_the_limit_is_undecided_only_above_f_star(void **state) {
    (void)state;
    static const double times[] = {0, 1, 2, 3}, f1[] = {0, 0, -1.25, 0}, f2[] = {0, -1, -1, -1};
    am_system *system = tabled(1.25, 4, times, f1, f2, 0.0);
    am_path_options options = am_path_options_default();
    am_contact_state stick = AM_STICK;
    options.until = 3.0;
    options.start = &stick;
    /* At the limit with C1 - f C2 > 0 both stick and backward slip go on when f > f*: not decidable, and said so. */
    assert_refused(system, &options, AM_ERR_SEVERAL_STATES, (const char *const[]){"t = 2", "stick+backward", NULL});
    am_system_free(system);
    /* Below f* the limit is at F1 = -f: it has slipped, lifted off at F1 = -1, and comes back down sliding forward. */
    system = tabled(0.9, 4, times, f1, f2, 0.0);
    options.start = NULL;
    am_result *result = run(system, &options);
    assert_near(number(result, "corners"), 3.0, 0.0);
    assert_near(cell(table_of(result, "corners"), 1, "t"), 1.72, rounding);
    assert_near(cell(table_of(result, "corners"), 2, "t"), 1.8, rounding);
    assert_near(cell(table_of(result, "corners"), 3, "t"), 2.2, rounding);
    assert_string_equal(final_state(result), "forward");
    am_result_free(result);
    am_system_free(system);
}

static void every_state_of_the_triple_sector_can_be_chosen(void **state) {
    (void)state;
    static const am_contact_state choice[] = {AM_STICK, AM_BACKWARD, AM_OPEN};
    const double c2 = -0.9, u1[] = {0.0, (-1.0 - 1.25 * c2) / (1.0 - 1.25), -2.0 - c2}, u2[] = {0.0, 0.0, c2 + 1.0};
    am_system *system = ramped(1.25, -1.0, c2);
    am_path_options options = am_path_options_default();
    options.until = 2.0;
    assert_refused(system, &options, AM_ERR_SEVERAL_STATES,
                   (const char *const[]){"t = 0", "stick+backward+open", NULL});
    for (size_t i = 0; i < 3; i++) {
        options.start = &choice[i];
        am_result *result = run(system, &options);
        size_t last = rows(result, "samples") - 1;
        assert_string_equal(final_state(result), am_contact_state_name(choice[i]));
        assert_near(cell(table_of(result, "samples"), last, "u1"), 2.0 * u1[i], rounding); /* eqs. 11, 44, 19 */
        assert_near(cell(table_of(result, "samples"), last, "u2"), 2.0 * u2[i], rounding);
        assert_evidence(result, rounding);
        am_result_free(result);
    }
    am_contact_state forward = AM_FORWARD;
    options.start = &forward;
    assert_refused(system, &options, AM_ERR_INPUT, (const char *const[]){"stick+backward+open", NULL});
    am_system_free(system);
}

/* Appendix B (3): after the jump the mass lands in forward slip or stick, never in backward slip. */
static void after_the_jump_the_mass_lands_as_appendix_b_says(void **state) {
    (void)state;
    static const double times[] = {0, 1, 3, 6}, f2[] = {0, -1, -1, -1}, forward_f1[] = {0, 0, -2, 1};
    static const double stick_f1[] = {0, 0, -2, -2}, stick_f2[] = {0, -1, -1, -5};
    const struct {
        const double *f1, *f2;
        const char *name;
        double touch;
    } cases[] = {{forward_f1, f2, "forward", 4.0}, {stick_f1, stick_f2, "stick", 3.75}};
    for (size_t i = 0; i < 2; i++) {
        am_system *system = tabled(1.25, 4, times, cases[i].f1, cases[i].f2, 0.0);
        am_path_options options = am_path_options_default();
        options.until = 6.0;
        options.on_jump = AM_JUMP_RELEASE;
        am_result *result = run(system, &options);
        assert_near(number(result, "jumps"), 1.0, 0.0);
        assert_near(cell(table_of(result, "corners"), 3, "t"), cases[i].touch, rounding); /* k11 F2 = k21 F1 */
        assert_near(cell(table_of(result, "corners"), 3, "u2"), 0.0, rounding);
        assert_near(cell(table_of(result, "corners"), 3, "u1"), i == 0 ? -1.0 : -2.0, rounding); /* F1/k11 */
        assert_string_equal(final_state(result), cases[i].name);
        assert_evidence(result, rounding);
        am_result_free(result);
        am_system_free(system);
    }
}

/* ---- general structures ---- */

static am_system *slider(double surface_velocity, am_function load) {
    static const double one = 1.0;
    am_contact_def contact = am_contact_def_default();
    am_load_def loads = {.direction = &one, .function = load};
    contact.tangent = &one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(3.0);
    contact.friction = 0.5;
    contact.surface_velocity = surface_velocity;
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &loads;
    return dense_system(def, NULL, NULL, (const double[]){2.0});
}

static void a_held_slider_dissipates_the_area_of_its_loop(void **state) {
    (void)state;
    static const double times[] = {0, 1, 3, 4}, values[] = {0, 5, -5, 0};
    am_function load = am_function_table(4, times, values);
    load.period = 4.0;
    am_system *system = slider(0.0, load);
    am_path_options options = am_path_options_default();
    options.until = 40.0;
    am_result *result = run(system, &options);
    /* extremes x = (5 - 1.5)/2; first quarter reaches it once, each later half cycle crosses 2 x */
    double x = 1.75, half_cycles = 19.0, rest = 1.0; /* the last quarter slips from F = -2 to 0 */
    assert_near(number(result, "loss_friction"), 1.5 * (x + half_cycles * 2.0 * x + rest), 1e-11);
    assert_evidence(result, 1e-12);
    am_result_free(result);
    am_system_free(system);
}

static void a_belt_carries_the_slider_to_its_limit_and_slips_under_it(void **state) {
    (void)state;
    static const double speed[] = {0.1, -0.1};
    for (size_t i = 0; i < 2; i++) {
        am_system *system = slider(speed[i], am_function_constant(0.0));
        am_path_options options = am_path_options_default();
        options.until = 10.0;
        am_result *result = run(system, &options);
        /* K x = mu N at x = 0.75, t = 7.5 */
        assert_near(cell(table_of(result, "corners"), 1, "t"), 7.5, rounding);
        assert_near(cell(table_of(result, "corners"), 1, "q1"), copysign(0.75, speed[i]), rounding);
        assert_string_equal(final_state(result), i == 0 ? "backward" : "forward");
        assert_near(cell(table_of(result, "samples"), rows(result, "samples") - 1, "q1"), copysign(0.75, speed[i]),
                    rounding);
        assert_near(number(result, "loss_friction"), 1.5 * 0.1 * 2.5, rounding);
        assert_near(number(result, "work_surface"), 0.5 * 2.0 * 0.75 * 0.75 + 1.5 * 0.1 * 2.5, rounding);
        assert_evidence(result, rounding);
        am_result_free(result);
        am_system_free(system);
    }
}

/* One body with a spring, on several pads of one belt: they carry it together, to where the spring equals all they can
 * hold. */
static void pads_on_one_belt_carry_as_far_as_their_friction_together(void **state) {
    (void)state;
    enum { PADS = 4 };
    static const double one = 1.0;
    uint64_t seed = 41;
    for (size_t trial = 0; trial < 30; trial++) {
        double k = uniform(&seed, 0.5, 2.0), v = uniform(&seed, 0.1, 0.5) * (trial % 2 ? 1.0 : -1.0), limit = 0.0;
        size_t count = 1 + trial % PADS;
        am_contact_def contact[PADS];
        for (size_t i = 0; i < count; i++) {
            double F = uniform(&seed, 0.2, 1.0);
            contact[i] = am_contact_def_default();
            contact[i].tangent = &one;
            contact[i].normal_law = AM_HELD;
            contact[i].friction = 0.5;
            contact[i].hold = am_function_constant(F / 0.5);
            contact[i].surface_velocity = v;
            limit += F;
        }
        am_system_def def = am_system_def_default();
        def.n = 1;
        def.contact_count = count;
        def.contacts = contact;
        am_system *system = dense_system(def, NULL, NULL, &k);
        for (int part = 1; part <= 3; part++) {
            am_path_options options = am_path_options_default();
            options.until = 0.5 * part * limit / k / fabs(v);
            am_result *result = run(system, &options);
            assert_near(cell(table_of(result, "samples"), rows(result, "samples") - 1, "q1"),
                        copysign(fmin(fabs(v) * options.until, limit / k), v), 10.0 * rounding); /* a few sums */
            am_result_free(result);
        }
        am_system_free(system);
    }
}

/* A body between two walls that both touch it: what presses it on one of them leaves the other without a force (nobody
 * said that they clamp it), and it slides where the friction of the one is spent. */
static void a_body_between_two_walls_rubs_on_the_one_it_is_pressed_on(void **state) {
    (void)state;
    static const double up[2] = {0, 1}, down[2] = {0, -1}, along[2] = {1, 0};
    uint64_t seed = 43;
    for (size_t trial = 0; trial < 20; trial++) {
        double K[4] = {uniform(&seed, 0.5, 2.0), 0, 0, uniform(&seed, 0.5, 2.0)}, P = uniform(&seed, 0.5, 2.0);
        double rate = uniform(&seed, 0.5, 1.0) * (trial % 4 < 2 ? 1.0 : -1.0), until = 6.0;
        am_contact_def walls[2] = {am_contact_def_default(), am_contact_def_default()};
        am_load_def loads[2] = {{.direction = up, .function = am_function_constant(trial % 2 ? P : -P)},
                                {.direction = along, .function = am_function_ramp(0.0, rate)}};
        for (size_t c = 0; c < 2; c++) {
            walls[c].normal = c == 0 ? up : down;
            walls[c].tangent = along;
            walls[c].friction = uniform(&seed, 0.2, 0.8);
        }
        am_system_def def = am_system_def_default();
        def.n = 2;
        def.contact_count = 2;
        def.contacts = walls;
        def.load_count = 2;
        def.loads = loads;
        am_system *system = dense_system(def, NULL, NULL, K);
        am_path_options options = am_path_options_default();
        options.until = until;
        am_result *result = run(system, &options);
        double hold = walls[trial % 2].friction * P, far = fmax(0.0, fabs(rate) * until - hold) / K[0];
        size_t last = rows(result, "samples") - 1;
        assert_near(cell(table_of(result, "samples"), last, "q1"), copysign(far, rate), 10.0 * rounding * (1.0 + far));
        assert_near(cell(table_of(result, "samples"), last, "q2"), 0.0, rounding);
        am_result_free(result);
        am_system_free(system);
    }
}

enum { N = 4, M = 2, BREAKS = 6 };

static uint64_t seed_state;

/* Two nodes with two directions each on a coupled support: friction low enough for unique paths. */
static plain_system random_structure(void) {
    plain_system s = plain_system_new(N, M);
    s.massless = true;
    s.loads = 2;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++)
            s.stiffness[i * N + j] = s.stiffness[j * N + i] =
                i == j ? uniform(&seed_state, 1.5, 3.0) : uniform(&seed_state, -0.4, 0.4);
    for (size_t c = 0; c < M; c++) {
        s.contact[c].tangent[2 * c] = 1.0;
        s.contact[c].normal[2 * c + 1] = 1.0;
        s.contact[c].friction = uniform(&seed_state, 0.1, 0.6);
        s.contact[c].gap = uniform(&seed_state, 0.0, 0.3);
    }
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < N; i++)
            s.load[l].direction[i] = uniform(&seed_state, -1.0, 1.0);
        s.load[l].function = am_function_table(BREAKS, NULL, NULL);
    }
    for (size_t c = 0; c < M; c++)
        s.load[0].direction[2 * c + 1] = -uniform(&seed_state, 1.0, 2.0); /* the first load presses */
    for (size_t b = 1; b < BREAKS; b++) {
        s.load[0].times[b] = s.load[1].times[b] = s.load[0].times[b - 1] + uniform(&seed_state, 0.5, 1.5);
        s.load[0].values[b] = uniform(&seed_state, -0.3, 2.0);
        s.load[1].values[b] = uniform(&seed_state, -3.0, 3.0);
    }
    return s;
}

static double end_of_loads(const plain_system *s) {
    return s->load[0].times[BREAKS - 1];
}

static am_system *create(const plain_system *s) {
    am_error err = {0};
    am_system *system = plain_system_create(s, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

/* One implicit step from q under the given load values, by trying all combinations: an independent, first-order
 * solution. */
static bool implicit_step(const plain_system *s, const double value[2], double *q) {
    static const am_contact_state order[] = {AM_STICK, AM_FORWARD, AM_BACKWARD, AM_OPEN};
    const double before[M] = {q[0], q[2]};
    double force[N];
    for (size_t i = 0; i < N; i++)
        force[i] = value[0] * s->load[0].direction[i] + value[1] * s->load[1].direction[i];
    for (size_t code = 0; code < 16; code++) {
        am_contact_state state[M] = {order[code / 4], order[code % 4]};
        contact_solution next;
        if (!contact_equations(s, s->stiffness, state, force, before, &next))
            continue;
        bool ok = true;
        for (size_t c = 0; c < M && ok; c++) {
            double gap = next.q[2 * c + 1] + s->contact[c].gap, slip = next.q[2 * c] - before[c];
            double normal = next.N[c], limit = s->contact[c].friction * normal;
            ok = state[c] == AM_OPEN      ? gap >= -1e-12
                 : state[c] == AM_STICK   ? normal >= -1e-12 && fabs(next.T[c]) <= limit + 1e-12
                 : state[c] == AM_FORWARD ? normal >= -1e-12 && slip >= -1e-12
                                          : normal >= -1e-12 && slip <= 1e-12;
        }
        if (ok) {
            memcpy(q, next.q, N * sizeof *q);
            return true;
        }
    }
    return false;
}

static double table_at(const plain_load *load, double t) {
    size_t b = 0;
    while (b + 2 < BREAKS && load->times[b + 1] <= t)
        b++;
    double w = (t - load->times[b]) / (load->times[b + 1] - load->times[b]);
    return load->values[b] + w * (load->values[b + 1] - load->values[b]);
}

static bool step_by_step(const plain_system *s, size_t steps, double *q) {
    double end = end_of_loads(s);
    memset(q, 0, N * sizeof *q);
    for (size_t i = 1; i <= steps; i++) {
        double t = end * (double)i / (double)steps, value[2] = {table_at(&s->load[0], t), table_at(&s->load[1], t)};
        if (!implicit_step(s, value, q))
            return false;
    }
    return true;
}

static void random_paths_agree_with_small_steps_and_close_their_energy(void **state) {
    (void)state;
    seed_state = 8;
    size_t corners = 0;
    for (size_t trial = 0; trial < 60; trial++) {
        plain_system s = random_structure();
        am_system *system = create(&s);
        am_path_options options = am_path_options_default();
        double coarse[N], fine[N];
        options.until = end_of_loads(&s);
        am_result *result = run(system, &options);
        assert_true(step_by_step(&s, 1000, coarse));
        assert_true(step_by_step(&s, 4000, fine));
        size_t last = rows(result, "samples") - 1;
        for (size_t i = 0; i < N; i++) {
            char name[8];
            snprintf(name, sizeof name, "q%zu", i + 1);
            /* first order: the error of the fine steps is a third of the difference; 1e-3 a step where they agree by
             * chance */
            assert_near(fine[i], cell(table_of(result, "samples"), last, name), 2e-3 + fabs(fine[i] - coarse[i]));
        }
        assert_evidence(result, 1e-12);
        corners += (size_t)number(result, "corners");
        am_result_free(result);
        am_system_free(system);
    }
    assert_true(corners > 300); /* or the loads were too tame to prove anything */
}

/* What happens after a time depends only on where the structure stands then. */
static void a_path_cut_in_two_gives_the_same_end(void **state) {
    (void)state;
    seed_state = 52;
    for (size_t trial = 0; trial < 60; trial++) {
        plain_system s = random_structure();
        am_system *system = create(&s);
        am_path_options options = am_path_options_default();
        double end = end_of_loads(&s), middle[N], cut = uniform(&seed_state, 0.2, 0.8) * end;
        options.until = end;
        am_result *whole = run(system, &options);
        options.until = cut;
        am_result *first = run(system, &options);
        for (size_t i = 0; i < N; i++)
            middle[i] = am_table_number(am_result_find_table(first, "samples"), rows(first, "samples") - 1, 2 + i);
        options.from = cut;
        options.until = end;
        options.displacement = middle;
        am_result *second = run(system, &options);
        for (size_t i = 0; i < N; i++)
            assert_near(am_table_number(am_result_find_table(second, "samples"), rows(second, "samples") - 1, 2 + i),
                        am_table_number(am_result_find_table(whole, "samples"), rows(whole, "samples") - 1, 2 + i),
                        1e-11);
        am_result_free(whole);
        am_result_free(first);
        am_result_free(second);
        am_system_free(system);
    }
}

static void scaling_loads_and_gaps_scales_the_path(void **state) {
    (void)state;
    seed_state = 13;
    for (size_t trial = 0; trial < 20; trial++) {
        plain_system s = random_structure(), big = s;
        const double factor = 1e6;
        for (size_t c = 0; c < M; c++)
            big.contact[c].gap *= factor;
        for (size_t l = 0; l < 2; l++)
            for (size_t b = 0; b < BREAKS; b++)
                big.load[l].values[b] *= factor;
        am_path_options options = am_path_options_default();
        options.until = end_of_loads(&s);
        am_system *systems[2] = {create(&s), create(&big)};
        am_result *results[2] = {run(systems[0], &options), run(systems[1], &options)};
        assert_int_equal(rows(results[0], "corners"), rows(results[1], "corners"));
        for (size_t row = 0; row < rows(results[0], "corners"); row++)
            assert_near(cell(table_of(results[0], "corners"), row, "t"),
                        cell(table_of(results[1], "corners"), row, "t"), 1e-11);
        for (size_t i = 0; i < 2; i++) {
            am_result_free(results[i]);
            am_system_free(systems[i]);
        }
    }
}

/* High friction: paths jump, end undecided or go through, but whatever is reported passes its own check. */
static void high_friction_ends_in_a_checked_path_or_in_a_named_refusal(void **state) {
    (void)state;
    seed_state = 48;
    size_t jumps = 0, done = 0, refused = 0;
    for (size_t trial = 0; trial < 300; trial++) {
        plain_system s = random_structure();
        for (size_t c = 0; c < M; c++)
            s.contact[c].friction = uniform(&seed_state, 1.0, 12.0);
        am_system *system = create(&s);
        am_path_options options = am_path_options_default();
        options.until = end_of_loads(&s);
        options.on_jump = AM_JUMP_RELEASE;
        am_error err = {0};
        am_result *result = am_result_create(&err);
        am_status status = am_path_run(system, &options, result, NULL, &err);
        if (status == AM_OK) {
            done++;
            jumps += (size_t)number(result, "jumps");
            assert_true(number(result, "loss_jump") >= 0.0);
            assert_evidence(result, 1e-10); /* some combinations are nearly singular here */
        } else {
            refused++;
            if (status != AM_ERR_SEVERAL_STATES && status != AM_ERR_NO_STATE)
                fail_msg("trial %zu: %s", trial, err.message);
            assert_says(&err, "t = ");
        }
        am_result_free(result);
        am_system_free(system);
    }
    assert_true(jumps > 10 && done > 100);
    assert_true(refused < 150);
}

static void a_loaded_start_settles_where_its_contacts_allow(void **state) {
    (void)state;
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    def.stiffness[0][0] = def.stiffness[0][1] = def.stiffness[1][0] = 1.0;
    def.stiffness[1][1] = 2.0;
    def.friction = 0.25;
    def.load[0] = 3.0;
    def.load[1] = -4.0;
    def.load_rate[0] = -1.0;
    am_system *system = am_klarbring_create(&def, &err);
    am_path_options options = am_path_options_default();
    options.until = 1.0;
    am_result *result = run(system, &options); /* pushed beyond its limit from u = 0: forward to eq. 52, then stick */
    assert_near(cell(table_of(result, "samples"), 0, "u1"), 1.6, rounding);
    assert_string_equal(final_state(result), "stick");
    am_result_free(result);
    const double inside[2] = {2.0, 0.0}; /* R1 = -1, R2 = 6: within the cone, so it stays there */
    options.displacement = inside;
    result = run(system, &options);
    assert_near(cell(table_of(result, "samples"), 0, "u1"), 2.0, rounding);
    assert_string_equal(final_state(result), "stick");
    am_result_free(result);
    am_system_free(system);
}

/* ---- refusals ---- */

static void loads_it_cannot_follow_are_refused_with_a_sentence(void **state) {
    (void)state;
    static const double times[] = {0, 1}, values[] = {0, 5};
    am_function saw = am_function_table(2, times, values);
    saw.period = 1.0;
    const struct {
        am_function load;
        const char *word;
    } cases[] = {{am_function_impulse(1.0, 0.5), "impulse"}, {saw, "jumps"}};
    for (size_t i = 0; i < 2; i++) {
        am_system *system = slider(0.0, cases[i].load);
        am_path_options options = am_path_options_default();
        options.until = 1.0;
        assert_refused(system, &options, AM_ERR_UNSUPPORTED, (const char *const[]){cases[i].word, NULL});
        am_system_free(system);
    }
}

static void bad_options_are_refused_with_a_sentence(void **state) {
    (void)state;
    am_system *system = ramped(0.25, 1.0, 0.0);
    am_path_options options = am_path_options_default(), raw = {0};
    const double wrong[2] = {NAN, 0.0};
    const am_contact_state unknown = (am_contact_state)17;
    assert_refused(system, &options, AM_ERR_INPUT, (const char *const[]){"end time", NULL});
    options.until = NAN;
    assert_refused(system, &options, AM_ERR_INPUT, (const char *const[]){"end time", NULL});
    options.until = 1.0;
    options.displacement = wrong;
    assert_refused(system, &options, AM_ERR_INPUT, (const char *const[]){"u1", NULL});
    options.displacement = NULL;
    options.start = &unknown;
    assert_refused(system, &options, AM_ERR_INPUT, (const char *const[]){"unknown", NULL});
    assert_refused(system, &raw, AM_ERR_INPUT, (const char *const[]){"am_path_options_default", NULL});
    am_system_free(system);
}

static void friction_that_drops_is_refused_with_a_sentence(void **state) {
    (void)state;
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    def.friction = 0.2;
    def.static_friction = 0.3;
    am_system *system = am_klarbring_create(&def, &err);
    am_path_options options = am_path_options_default();
    options.until = 1.0;
    assert_refused(system, &options, AM_ERR_UNSUPPORTED, (const char *const[]){"drops", "plane", NULL});
    am_system_free(system);
}

static bool stop(void *context, double fraction) {
    (void)context;
    return fraction < 0.5;
}

static void a_stopped_run_says_so(void **state) {
    (void)state;
    am_system *system = tabled(0.25, 6, tour_times, tour_f1, tour_f2, 0.0);
    am_path_options options = am_path_options_default();
    am_progress progress = {.report = stop};
    am_error err = {0};
    am_result *result = am_result_create(&err);
    options.until = 19.0;
    assert_int_equal(am_path_run(system, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
    am_result_free(result);
    am_system_free(system);
}

/* Energies are beyond what numbers hold where loads are beyond the root of it: there is no path without its evidence.
 */
static void loads_whose_energy_overflows_give_no_path(void **state) {
    (void)state;
    size_t paths = 0, refused = 0;
    for (double size = 1.0; size < 1e308; size *= 1e11) {
        am_system *system = ramped(0.25, size, -0.99);
        am_result *result = am_result_create(NULL);
        am_path_options options = am_path_options_default();
        am_error err = {0};
        options.until = 9.5;
        if (am_path_run(system, &options, result, NULL, &err) == AM_OK) {
            assert_evidence(result, 1e-8); /* what the analysis itself lets pass */
            paths++;
        } else {
            assert_true(err.message[0] != '\0');
            refused++;
        }
        am_result_free(result);
        am_system_free(system);
    }
    assert_true(paths > 10 && refused > 10); /* of 28 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ramps_below_f_star_follow_eqs_11_13_19),
        cmocka_unit_test(loads_whose_energy_overflows_give_no_path),
        cmocka_unit_test(a_tour_of_all_states_has_its_corners_where_theory_puts_them),
        cmocka_unit_test(the_result_does_not_depend_on_the_samples),
        cmocka_unit_test(friction_loss_of_the_tour_is_its_closed_form),
        cmocka_unit_test(a_thousand_cycles_do_not_drift),
        cmocka_unit_test(fig8_stick_jumps_to_separation_at_the_backward_limit),
        cmocka_unit_test(the_jump_is_in_the_samples_before_and_after),
        cmocka_unit_test(a_start_inside_the_obstacle_is_refused_by_both_methods),
        cmocka_unit_test(without_release_the_jump_is_refused_with_time_contact_and_candidates),
        cmocka_unit_test(a_load_that_turns_exactly_at_the_limit_is_undecided_only_above_f_star),
        cmocka_unit_test(every_state_of_the_triple_sector_can_be_chosen),
        cmocka_unit_test(after_the_jump_the_mass_lands_as_appendix_b_says),
        cmocka_unit_test(a_held_slider_dissipates_the_area_of_its_loop),
        cmocka_unit_test(a_belt_carries_the_slider_to_its_limit_and_slips_under_it),
        cmocka_unit_test(pads_on_one_belt_carry_as_far_as_their_friction_together),
        cmocka_unit_test(a_body_between_two_walls_rubs_on_the_one_it_is_pressed_on),
        cmocka_unit_test(random_paths_agree_with_small_steps_and_close_their_energy),
        cmocka_unit_test(a_path_cut_in_two_gives_the_same_end),
        cmocka_unit_test(scaling_loads_and_gaps_scales_the_path),
        cmocka_unit_test(high_friction_ends_in_a_checked_path_or_in_a_named_refusal),
        cmocka_unit_test(a_loaded_start_settles_where_its_contacts_allow),
        cmocka_unit_test(loads_it_cannot_follow_are_refused_with_a_sentence),
        cmocka_unit_test(bad_options_are_refused_with_a_sentence),
        cmocka_unit_test(friction_that_drops_is_refused_with_a_sentence),
        cmocka_unit_test(a_stopped_run_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
