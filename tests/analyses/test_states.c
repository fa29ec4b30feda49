/* Analysis `states`: Figs. 2 and 3 of Cho and Barber, and random structures against brute force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/states.h"
#include "contact_equations.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "uniform.h"

static const double degree = 180.0 / 3.14159265358979323846;

static am_system *paper_mass(double friction, double k21) {
    am_klarbring def = am_klarbring_default();
    am_error err = {0};
    def.stiffness[0][0] = 1.0;
    def.stiffness[0][1] = def.stiffness[1][0] = k21;
    def.stiffness[1][1] = 2.0;
    def.friction = friction;
    am_system *system = am_klarbring_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static am_result *run(const am_system *system, const am_states_options *options) {
    am_result *result = am_result_create(NULL);
    GOOD(am_states_run(system, options, result, NULL, err));
    return result;
}

/* The row of the region of a state; fails when there is none. */
static void assert_region(const am_result *result, const char *state, double from_deg, double to_deg) {
    const am_table *regions = am_result_find_table(result, "regions");
    assert_non_null(regions);
    for (size_t i = 0; i < am_table_rows(regions); i++) {
        if (strcmp(am_table_text(regions, i, 0), state) != 0)
            continue;
        /* angles come from atan2 of coefficients with a few roundings */
        assert_near(am_table_number(regions, i, 1), from_deg, 1e-11);
        assert_near(am_table_number(regions, i, 2), to_deg, 1e-11);
        return;
    }
    fail_msg("no region of %s", state);
}

/* The states of the sector that holds a direction. */
static const char *states_at(const am_result *result, double c1, double c2) {
    const am_table *sectors = am_result_find_table(result, "sectors");
    double angle = atan2(c2, c1) * degree;
    assert_non_null(sectors);
    for (size_t i = 0; i < am_table_rows(sectors); i++)
        for (double turn = -360.0; turn <= 720.0; turn += 360.0)
            if (angle + turn > am_table_number(sectors, i, 0) && angle + turn < am_table_number(sectors, i, 1))
                return am_table_text(sectors, i, 2);
    fail_msg("no sector at (%g, %g)", c1, c2);
    return NULL;
}

static void assert_covers_circle(const am_result *result) {
    const am_table *sectors = am_result_find_table(result, "sectors");
    double sum = 0.0;
    for (size_t i = 0; i < am_table_rows(sectors); i++) {
        assert_true(am_table_number(sectors, i, 0) >= 0.0 && am_table_number(sectors, i, 0) < 360.0);
        sum += am_table_number(sectors, i, 1) - am_table_number(sectors, i, 0);
        if (i > 0)
            assert_near(am_table_number(sectors, i, 0), am_table_number(sectors, i - 1, 1), 0.0);
    }
    assert_near(sum, 360.0, 1e-10);
}

/* ---- the paper ---- */

static void fig2a_low_friction_has_one_state_everywhere(void **state) {
    (void)state;
    am_system *system = paper_mass(0.25, 1.0);
    am_states_options options = am_states_options_default();
    am_result *result = run(system, &options);
    /* eqs. 12, 15, 17, 20 with k11 = k21 = 1, f = 1/4 */
    double cone = atan2(-1.0, 0.25) * degree;
    assert_region(result, "stick", 360.0 + atan2(-1.0, -0.25) * degree, 360.0 + cone);
    assert_region(result, "forward", 360.0 + cone, 405.0);
    assert_region(result, "backward", 225.0, 360.0 + atan2(-1.0, -0.25) * degree);
    assert_region(result, "open", 45.0, 225.0);
    assert_near(number(result, "unique"), 1.0, 0.0);
    assert_near(number(result, "complete"), 1.0, 0.0);
    assert_near(number(result, "f_critical"), 1.0, 1e-15);
    assert_true(number(result, "rate_residual") <= 1e-13);
    assert_covers_circle(result);
    am_result_free(result);
    am_system_free(system);
}

static void fig2b_high_friction_has_a_sector_of_stick_backward_open(void **state) {
    (void)state;
    am_system *system = paper_mass(1.25, 1.0);
    am_states_options options = am_states_options_default();
    double rates[2] = {-1.0, -0.9};
    options.rates = rates;
    am_result *result = run(system, &options);
    assert_region(result, "backward", 360.0 + atan2(-0.8, -1.0) * degree, 225.0); /* eq. 18 */
    assert_string_equal(states_at(result, -1.0, -0.9), "stick+backward+open");
    assert_string_equal(states_at(result, -1.0, -1.01), "stick");
    assert_string_equal(states_at(result, -1.0, -0.79), "open");
    assert_string_equal(text(result, "admissible"), "stick+backward+open");
    assert_near(number(result, "admissible_count"), 3.0, 0.0);
    assert_near(number(result, "most_states"), 3.0, 0.0);
    assert_near(number(result, "fewest_states"), 1.0, 0.0);
    assert_near(number(result, "unique"), 0.0, 0.0);
    assert_near(number(result, "complete"), 1.0, 0.0);
    assert_covers_circle(result);
    am_result_free(result);
    am_system_free(system);
}

static void fig3_dynamic_start_is_unique_for_all_friction(void **state) {
    (void)state;
    static const double friction[] = {0.01, 0.25, 1.0, 1.25, 10.0};
    for (size_t i = 0; i < sizeof friction / sizeof *friction; i++) {
        am_system *system = paper_mass(friction[i], 1.0);
        am_states_options options = am_states_options_default();
        options.problem = AM_STATES_DYNAMIC;
        am_result *result = run(system, &options);
        double cone = atan(friction[i]) * degree; /* eqs. 24, 33, 37, 38 */
        assert_region(result, "stick", 270.0 - cone, 270.0 + cone);
        assert_region(result, "forward", 270.0 + cone, 360.0);
        assert_region(result, "backward", 180.0, 270.0 - cone);
        assert_region(result, "open", 0.0, 180.0);
        assert_near(number(result, "most_states"), 1.0, 0.0);
        assert_near(number(result, "fewest_states"), 1.0, 0.0);
        assert_near(number(result, "f_critical"), 1.0, 1e-15);
        assert_true(isinf(number(result, "f_critical_dynamic")));
        am_result_free(result);
        am_system_free(system);
    }
}

static void negative_coupling_exchanges_forward_and_backward(void **state) {
    (void)state;
    am_system *system = paper_mass(1.25, -1.0);
    am_states_options options = am_states_options_default();
    am_result *result = run(system, &options);
    assert_string_equal(states_at(result, 1.0, -0.9), "stick+forward+open"); /* the paper's footnote 1 */
    assert_near(number(result, "f_critical"), 1.0, 1e-15);
    am_result_free(result);
    am_system_free(system);
}

static void high_friction_in_backward_slip_has_rates_without_solution(void **state) {
    (void)state;
    am_system *system = paper_mass(1.25, 1.0);
    am_states_options options = am_states_options_default();
    am_standing standing = AM_STANDING_BACKWARD;
    options.standing = &standing;
    am_result *result = run(system, &options);
    /* C1 - f C2 > 0: stick and backward; < 0: neither */
    assert_string_equal(states_at(result, 1.0, 0.0), "stick+backward");
    assert_string_equal(states_at(result, -1.0, 0.0), "");
    assert_near(number(result, "fewest_states"), 0.0, 0.0);
    assert_near(number(result, "complete"), 0.0, 0.0);
    assert_near(number(result, "most_states"), 2.0, 0.0);
    am_result_free(result);
    am_system_free(system);
}

static void low_friction_in_backward_slip_always_has_one_solution(void **state) {
    (void)state;
    am_system *system = paper_mass(0.25, 1.0);
    am_states_options options = am_states_options_default();
    am_standing standing = AM_STANDING_BACKWARD;
    options.standing = &standing;
    am_result *result = run(system, &options);
    assert_string_equal(states_at(result, 1.0, 0.0), "stick");
    assert_string_equal(states_at(result, -1.0, 0.0), "backward");
    assert_near(number(result, "unique") * number(result, "complete"), 1.0, 0.0);
    am_result_free(result);
    am_system_free(system);
}

static void at_the_critical_friction_backward_slip_is_singular(void **state) {
    (void)state;
    am_system *system = paper_mass(1.0, 1.0);
    am_states_options options = am_states_options_default();
    am_result *result = run(system, &options);
    assert_near(number(result, "singular_combinations"), 1.0, 0.0);
    assert_near(number(result, "unique") * number(result, "complete"), 1.0, 0.0);
    am_result_free(result);
    am_system_free(system);
}

static void an_inside_contact_stays_stuck_and_an_open_one_open(void **state) {
    (void)state;
    static const am_standing standing[] = {AM_STANDING_STICK, AM_STANDING_OPEN};
    static const char *const name[] = {"stick", "open"};
    am_system *system = paper_mass(1.25, 1.0);
    for (size_t i = 0; i < 2; i++) {
        am_states_options options = am_states_options_default();
        options.standing = &standing[i];
        am_result *result = run(system, &options);
        assert_region(result, name[i], 0.0, 360.0);
        assert_near((double)rows(result, "sectors"), 1.0, 0.0);
        am_result_free(result);
    }
    am_system_free(system);
}

/* ---- random structures against brute force ---- */

static uint64_t seed_state;

enum { MAX_N = 5, MAX_M = 2 };

static void random_definite(double *a, size_t n) {
    double g[MAX_N * MAX_N];
    for (size_t i = 0; i < n * n; i++)
        g[i] = uniform(&seed_state, -1.0, 1.0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] = i == j ? 0.1 : 0.0;
            for (size_t k = 0; k < n; k++)
                a[i * n + j] += g[i * n + k] * g[j * n + k];
        }
}

static plain_system random_structure(size_t n, size_t m) {
    plain_system s = plain_system_new(n, m);
    s.loads = 2;
    random_definite(s.stiffness, n);
    random_definite(s.mass, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < m; c++) {
            s.contact[c].normal[i] = uniform(&seed_state, -1.0, 1.0);
            s.contact[c].tangent[i] = uniform(&seed_state, -1.0, 1.0);
        }
        s.load[0].direction[i] = uniform(&seed_state, -1.0, 1.0);
        s.load[1].direction[i] = uniform(&seed_state, -1.0, 1.0);
    }
    for (size_t l = 0; l < 2; l++)
        s.load[l].function = am_function_ramp(0.0, 1.0);
    for (size_t c = 0; c < m; c++)
        s.contact[c].friction = uniform(&seed_state, 0.05, 3.0);
    return s;
}

static am_system *create(const plain_system *s) {
    am_error err = {0};
    am_system *system = plain_system_create(s, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

/* Is the combination admissible for this load? */
static bool admissible(const plain_system *s, const double *S, const am_contact_state *state, double angle) {
    contact_solution rates;
    double force[MAX_N];
    for (size_t i = 0; i < s->n; i++)
        force[i] = cos(angle) * s->load[0].direction[i] + sin(angle) * s->load[1].direction[i];
    if (!contact_equations(s, S, state, force, NULL, &rates))
        return false;
    for (size_t c = 0; c < s->m; c++) {
        double gap = 0.0, slip = 0.0, N = rates.N[c];
        for (size_t j = 0; j < s->n; j++) {
            gap += s->contact[c].normal[j] * rates.q[j];
            slip += s->contact[c].tangent[j] * rates.q[j];
        }
        bool ok = state[c] == AM_OPEN      ? gap > 0.0
                  : state[c] == AM_STICK   ? N > 0.0 && fabs(rates.T[c]) < s->contact[c].friction * N
                  : state[c] == AM_FORWARD ? N > 0.0 && slip > 0.0
                                           : N > 0.0 && slip < 0.0;
        if (!ok)
            return false;
    }
    return true;
}

static void brute_force(const plain_system *s, const double *S, double angle, char *names, size_t room) {
    static const am_contact_state order[] = {AM_STICK, AM_FORWARD, AM_BACKWARD, AM_OPEN};
    names[0] = '\0';
    for (size_t code = 0; code < (s->m == 1 ? 4u : 16u); code++) {
        am_contact_state state[MAX_M] = {order[s->m == 1 ? code : code / 4], order[code % 4]};
        if (!admissible(s, S, state, angle))
            continue;
        size_t used = strlen(names);
        snprintf(names + used, room - used, "%s%s%s%s", used > 0 ? "+" : "", am_contact_state_name(state[0]),
                 s->m > 1 ? "," : "", s->m > 1 ? am_contact_state_name(state[1]) : "");
    }
}

static void compare_with_brute_force(const plain_system *s, am_states_problem problem) {
    am_system *system = create(s);
    am_states_options options = am_states_options_default();
    options.problem = problem;
    am_result *result = run(system, &options);
    const am_table *sectors = am_result_find_table(result, "sectors");
    assert_covers_circle(result);
    for (double angle = 0.05; angle < 360.0; angle += 1.0) {
        char expected[1024];
        double nearest = 360.0;
        for (size_t i = 0; i < am_table_rows(sectors); i++)
            nearest = fmin(nearest, fabs(remainder(angle - am_table_number(sectors, i, 0), 360.0)));
        if (nearest < 1e-6) /* closer to a boundary than elimination without refinement can tell */
            continue;
        brute_force(s, problem == AM_STATES_DYNAMIC ? s->mass : s->stiffness, angle / degree, expected,
                    sizeof expected);
        assert_string_equal(states_at(result, cos(angle / degree), sin(angle / degree)), expected);
    }
    assert_true(number(result, "rate_residual") <= 1e-9); /* friction up to 3: some combinations are nearly singular */
    am_result_free(result);
    am_system_free(system);
}

static void random_structures_agree_with_brute_force(void **state) {
    (void)state;
    seed_state = 1998;
    for (size_t trial = 0; trial < 150; trial++) {
        size_t m = 1 + trial % 2, n = 2 * m + trial % (MAX_N - 2 * m + 1);
        plain_system s = random_structure(n, m);
        compare_with_brute_force(&s, trial % 3 == 0 ? AM_STATES_DYNAMIC : AM_STATES_QUASISTATIC);
    }
}

/* f* separates one state everywhere from several somewhere, for any structure with one contact. */
static void critical_friction_separates_unique_from_several(void **state) {
    (void)state;
    seed_state = 21;
    for (size_t trial = 0; trial < 100; trial++) {
        plain_system s = random_structure(2 + trial % 4, 1);
        am_states_options options = am_states_options_default();
        am_system *system = create(&s);
        am_result *result = run(system, &options);
        double critical = number(result, "f_critical");
        am_result_free(result);
        am_system_free(system);
        for (int above = 0; above <= 1; above++) {
            s.contact[0].friction = critical * (above ? 1.001 : 0.999);
            system = create(&s);
            result = run(system, &options);
            assert_near(number(result, "unique"), above ? 0.0 : 1.0, 0.0);
            assert_near(number(result, "complete"), 1.0, 0.0);
            am_result_free(result);
            am_system_free(system);
        }
    }
}

/* ---- refusals ---- */

static void assert_refused(const am_system *system, const am_states_options *options, am_status status,
                           const char *word) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_states_run(system, options, result, NULL, &err), status);
    assert_says(&err, word);
    am_result_free(result);
}

static void bad_input_is_refused_with_a_sentence(void **state) {
    (void)state;
    am_system *system = paper_mass(0.25, 1.0);
    am_states_options options = am_states_options_default();
    options.loads[1] = 7;
    assert_refused(system, &options, AM_ERR_INPUT, "no load 7");
    options.loads[1] = 0;
    assert_refused(system, &options, AM_ERR_INPUT, "two different loads");
    options = am_states_options_default();
    double rates[2] = {0.0, 0.0};
    options.rates = rates;
    assert_refused(system, &options, AM_ERR_INPUT, "zero");
    rates[0] = NAN;
    assert_refused(system, &options, AM_ERR_INPUT, "finite");
    am_states_options raw = {0};
    assert_refused(system, &raw, AM_ERR_INPUT, "am_states_options_default");
    am_system_free(system);
}

static am_system *scalar_system(size_t contacts, size_t loads, double surface_velocity) {
    static const double one = 1.0, matrix = 1.0;
    am_contact_def contact[20];
    am_load_def load[2];
    for (size_t c = 0; c < contacts; c++) {
        contact[c] = am_contact_def_default();
        contact[c].normal = contact[c].tangent = &one;
        contact[c].surface_velocity = surface_velocity;
    }
    for (size_t l = 0; l < loads; l++)
        load[l] = (am_load_def){.direction = &one, .function = am_function_ramp(0.0, 1.0)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.contact_count = contacts;
    def.contacts = contact;
    def.load_count = loads;
    def.loads = load;
    return dense_system(def, NULL, NULL, &matrix);
}

static void systems_without_an_answer_are_refused_with_a_sentence(void **state) {
    (void)state;
    const struct {
        size_t contacts, loads;
        double surface_velocity;
        am_states_problem problem;
        const char *word;
    } cases[] = {{1, 1, 0.0, AM_STATES_QUASISTATIC, "two loads"},
                 {1, 0, 0.0, AM_STATES_QUASISTATIC, "two loads"},
                 {9, 2, 0.0, AM_STATES_QUASISTATIC, "too many"},
                 {1, 2, 1.0, AM_STATES_QUASISTATIC, "moves by itself"},
                 {1, 2, 0.0, AM_STATES_DYNAMIC, "mass"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_system *system = scalar_system(cases[i].contacts, cases[i].loads, cases[i].surface_velocity);
        am_states_options options = am_states_options_default();
        options.problem = cases[i].problem;
        assert_refused(system, &options, AM_ERR_UNSUPPORTED, cases[i].word);
        am_system_free(system);
    }
}

static bool stop(void *context, double fraction) {
    (void)context;
    (void)fraction;
    return false;
}

static void a_stopped_run_says_so(void **state) {
    (void)state;
    am_system *system = paper_mass(0.25, 1.0);
    am_states_options options = am_states_options_default();
    am_progress progress = {.report = stop};
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_states_run(system, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fig2a_low_friction_has_one_state_everywhere),
        cmocka_unit_test(fig2b_high_friction_has_a_sector_of_stick_backward_open),
        cmocka_unit_test(fig3_dynamic_start_is_unique_for_all_friction),
        cmocka_unit_test(negative_coupling_exchanges_forward_and_backward),
        cmocka_unit_test(high_friction_in_backward_slip_has_rates_without_solution),
        cmocka_unit_test(low_friction_in_backward_slip_always_has_one_solution),
        cmocka_unit_test(at_the_critical_friction_backward_slip_is_singular),
        cmocka_unit_test(an_inside_contact_stays_stuck_and_an_open_one_open),
        cmocka_unit_test(random_structures_agree_with_brute_force),
        cmocka_unit_test(critical_friction_separates_unique_from_several),
        cmocka_unit_test(bad_input_is_refused_with_a_sentence),
        cmocka_unit_test(systems_without_an_answer_are_refused_with_a_sentence),
        cmocka_unit_test(a_stopped_run_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
