/* Where a followed orbit grazes: a motion on which nothing switches is a linear response, known in closed form, and so
 * is the value of the parameter at which it first touches something. Random structures of two coordinates,
 *
 *     M q'' + C q' + K q = a F sin(w t),   q = Im(Q e^(i w t)),   (K - w^2 M + i w C) Q = a F. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/orbit.h"
#include "cases.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "varied_model.h"

typedef enum what { FREQUENCY, AMPLITUDE, GAP, WHATS } what;

typedef struct machine {
    double M[4], C[4], K[4], force[2], normal[2], tangent[2];
    double amplitude, frequency, press; /* press: constant load against the first coordinate */
    am_contact_def contact;
    what varied;
} machine;

static am_system *make(void *context, double value, am_error *err) {
    machine m = *(const machine *)context;
    m.contact.normal = m.contact.normal_law == AM_HELD ? NULL : m.normal;
    m.contact.tangent = m.tangent;
    *(m.varied == FREQUENCY ? &m.frequency : m.varied == AMPLITUDE ? &m.amplitude : &m.contact.gap) = value;
    const double down[2] = {-1, 0};
    am_matrix *M = am_matrix_dense(2, 2, m.M, err), *K = am_matrix_dense(2, 2, m.K, err),
              *C = am_matrix_dense(2, 2, m.C, err);
    am_load_def loads[2] = {{m.force, am_function_sine(m.amplitude, m.frequency, 0)},
                            {down, am_function_constant(m.press)}};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.mass = M;
    def.stiffness = K;
    def.damping = C;
    def.contact_count = 1;
    def.contacts = &m.contact;
    def.load_count = m.press > 0 ? 2 : 1;
    def.loads = loads;
    am_system *system = am_system_create(&def, err);
    am_matrix_free(M);
    am_matrix_free(K);
    am_matrix_free(C);
    return system;
}

static machine draw(random_source *r) {
    double a = random_between(r, 0.8, 2.5), b = random_between(r, 0.8, 2.5);
    double c = random_between(r, -0.7, 0.7) * sqrt(a * b), turn = random_between(r, 0, 6.28);
    machine m = {.M = {random_between(r, 0.6, 1.5), 0, 0, random_between(r, 0.6, 1.5)},
                 .C = {random_between(r, 0.05, 0.4), 0, 0, random_between(r, 0.05, 0.4)},
                 .K = {a, c, c, b},
                 .force = {cos(turn), sin(turn)},
                 .normal = {1, 0},
                 .tangent = {0, 1},
                 .contact = am_contact_def_default()};
    m.frequency = random_between(r, 0.5, 2.2) * sqrt(a / m.M[0]);
    m.amplitude = random_between(r, 0.5, 2);
    return m;
}

/* The dynamic stiffness of coordinates i and j, with a spring beside the second coordinate. */
static double complex dynamic(const machine *m, size_t i, size_t j, double spring) {
    double w = m->frequency;
    return m->K[2 * i + j] + (i == 1 && j == 1 ? spring : 0) - w * w * m->M[2 * i + j] + I * w * m->C[2 * i + j];
}

static void response(const machine *m, double spring, double complex q[2]) {
    double complex a = dynamic(m, 0, 0, spring), b = dynamic(m, 0, 1, spring), c = dynamic(m, 1, 0, spring),
                   d = dynamic(m, 1, 1, spring), determinant = a * d - b * c;
    q[0] = m->amplitude * (d * m->force[0] - b * m->force[1]) / determinant;
    q[1] = m->amplitude * (a * m->force[1] - c * m->force[0]) / determinant;
}

static double reach(const machine *m) {
    double complex q[2];
    response(m, 0, q);
    return cabs(m->normal[0] * q[0] + m->normal[1] * q[1]);
}

static am_result *follow(machine *m, double from, double to, bool through_folds, am_status *status) {
    am_error err = {0};
    VARIED_MODEL *model = model_of_one("parameter", make, m);
    am_orbit_options first = am_orbit_options_default();
    am_follow_options options = am_follow_options_default();
    first.most_returns = 2000;
    options.from = from;
    options.to = to;
    options.first = &first;
    options.through_folds = through_folds;
    am_result *result = am_result_create(&err);
    *status = am_follow_run(model, &options, result, NULL, &err);
    return result;
}

static bool is_smooth(const char *kind) {
    return !strcmp(kind, "fold") || !strcmp(kind, "flip") || !strcmp(kind, "Neimark-Sacker");
}

/* Rows of the kind at the true value, to 1e-9 of the way; nothing smooth may be reported there. */
static size_t count_grazes(const am_result *result, const char *kind, double truth, double way) {
    const am_table *table = table_of(result, "bifurcations");
    size_t count = 0;
    for (size_t i = 0; i < am_table_rows(table); i++) {
        double off = fabs(cell(table, i, "parameter") - truth) / way;
        count += !strcmp(word(table, i, "kind"), kind) && off <= 1e-9;
        assert_false(is_smooth(word(table, i, "kind")) && off <= 1e-6);
    }
    return count;
}

/* A gap that the response without impacts just bridges; the parameter is drawn, and whether the contact is oblique.
 * Returns the value at which it grazes; *free: one without, *hits: one with impacts. NAN: the response does not vary
 * one way. */
static double draw_impact(random_source *r, machine *m, double *free, double *hits) {
    *m = draw(r);
    if (random_chance(r, 0.5)) {
        double turn = random_between(r, 0, 6.28);
        m->normal[0] = m->tangent[1] = cos(turn);
        m->normal[1] = sin(turn);
        m->tangent[0] = -m->normal[1];
    }
    m->contact.restitution = random_between(r, 0.1, 0.95);
    m->contact.friction = m->contact.static_friction = random_chance(r, 0.5) ? random_between(r, 0.05, 0.6) : 0;
    m->varied = (what)random_index(r, WHATS);
    m->contact.gap = reach(m);
    double truth = m->varied == FREQUENCY ? m->frequency : m->varied == AMPLITUDE ? m->amplitude : m->contact.gap;
    double less = random_between(r, 0.03, 0.2), more = random_between(r, 0.03, 0.2);
    bool rises = m->varied == AMPLITUDE;
    for (int i = 1; i <= 100 && m->varied == FREQUENCY; i++) {
        machine below = *m, above = *m;
        below.frequency *= 1 - 0.01 * i * less;
        above.frequency *= 1 + 0.01 * i * more;
        rises = i == 1 ? reach(&above) > m->contact.gap : rises;
        if ((reach(&above) > m->contact.gap) != rises || (reach(&below) < m->contact.gap) != rises)
            return NAN;
    }
    *free = truth * (rises ? 1 - less : 1 + more);
    *hits = truth * (rises ? 1 + more : 1 - less);
    return truth;
}

/* The start may lead to another motion, with impacts, that exists beside the free one: those are left out. */
static void the_first_impact_comes_where_the_response_bridges_the_gap(void **state) {
    (void)state;
    random_source r = random_seed(1601);
    size_t free_starts = 0, wanted = CASES(40, 4);
    for (size_t i = 0; i < 3 * wanted && free_starts < wanted; i++) {
        machine m;
        am_status status;
        double free, hits, truth = draw_impact(&r, &m, &free, &hits);
        if (isnan(truth))
            continue;
        am_result *result = follow(&m, free, hits, false, &status);
        bool counts = status == AM_OK && cell(table_of(result, "branch"), 0, "switches") == 0;
        if (counts && count_grazes(result, "grazing-impact", truth, fabs(hits - free)) != 1)
            fail_msg("case %zu: no graze at %.15g", i, truth);
        free_starts += counts;
        am_result_free(result);
    }
    assert_int_equal(free_starts, wanted);
}

/* From the side with impacts, around folds: the orbit with one weak impact ends at the same graze. A branch may also
 * end in a fold outside the range, or lead elsewhere; but an impact never disappears anywhere else than at the graze.
 */
static void the_last_impact_vanishes_at_the_same_graze(void **state) {
    (void)state;
    random_source r = random_seed(1602);
    size_t reached = 0, tried = CASES(40, 4);
    for (size_t i = 0; i < tried; i++) {
        machine m;
        am_status status;
        double free, hits, truth = draw_impact(&r, &m, &free, &hits), way = fabs(hits - free);
        if (isnan(truth))
            continue;
        am_result *result = follow(&m, hits, free, true, &status);
        const am_table *table = table_of(result, "bifurcations");
        size_t grazes = status ? 0 : count_grazes(result, "grazing-impact", truth, way);
        for (size_t k = 0; !status && k < am_table_rows(table); k++)
            if (!strncmp(word(table, k, "what"), "1 switches become 0", 19))
                assert_near(cell(table, k, "parameter"), truth, 1e-9 * way);
        reached += grazes > 0;
        am_result_free(result);
    }
    assert_true(reached >= tried / 3);
}

/* ---- the other grazes ---- */

/* Draws a structure of one kind; returns the amplitude at which its linear response touches the limit. */
typedef double draws(random_source *r, machine *m);

static double draw_slider(random_source *r, machine *m) { /* behind its spring a slider sticks: kt q2 reaches mu N */
    double complex q[2];
    double hold = random_between(r, 0.5, 2);
    m->contact.normal_law = AM_HELD;
    m->contact.hold = am_function_constant(hold);
    m->contact.tangential_stiffness = random_between(r, 0.5, 3);
    m->contact.friction = m->contact.static_friction = random_between(r, 0.1, 0.6);
    response(m, m->contact.tangential_stiffness, q);
    return m->amplitude * m->contact.friction * hold / (m->contact.tangential_stiffness * cabs(q[1]));
}

static double draw_belt(random_source *r,
                        machine *m) { /* a belt is faster than the mass on it: w q2 reaches its speed */
    double complex q[2];
    m->contact.normal_law = AM_HELD;
    m->contact.hold = am_function_constant(random_between(r, 0.2, 1));
    m->contact.friction = m->contact.static_friction = random_between(r, 0.1, 0.6);
    m->contact.surface_velocity = random_between(r, 0.5, 2) * (random_chance(r, 0.5) ? 1 : -1);
    response(m, 0, q);
    return m->amplitude * fabs(m->contact.surface_velocity) / (m->frequency * cabs(q[1]));
}

static double draw_pressed(random_source *r, machine *m) { /* q1 = 0: the force on it reaches what presses it down */
    m->press = random_between(r, 0.5, 2);
    m->contact.friction = m->contact.static_friction = 0;
    m->contact.restitution = random_between(r, 0, 0.8);
    double complex q = m->amplitude * m->force[1] / dynamic(m, 1, 1, 0);
    double complex N = m->amplitude * m->force[0] - dynamic(m, 0, 1, 0) * q;
    return m->amplitude * m->press / cabs(N);
}

static void touches_where_the_response_says(draws *draw_one, const char *kind, uint64_t seed) {
    random_source r = random_seed(seed);
    for (size_t i = 0; i < CASES(12, 2); i++) {
        am_status status;
        machine m = draw(&r);
        double truth = draw_one(&r, &m), from = 0.3 * truth, to = random_between(&r, 1.02, 1.4) * truth;
        m.varied = AMPLITUDE;
        am_result *result = follow(&m, from, to, false, &status);
        assert_int_equal(status, AM_OK);
        if (count_grazes(result, kind, truth, to - from) != 1)
            fail_msg("case %zu: no %s at %.15g", i, kind, truth);
        am_result_free(result);
    }
}

static void a_slider_first_slips_where_its_spring_reaches_the_limit(void **state) {
    (void)state;
    touches_where_the_response_says(draw_slider, "adding-sliding", 1603);
}

static void a_mass_first_sticks_to_its_belt_where_it_is_as_fast(void **state) {
    (void)state;
    touches_where_the_response_says(draw_belt, "grazing-sliding", 1604);
}

static void a_pressed_contact_first_opens_where_the_load_lifts_it(void **state) {
    (void)state;
    touches_where_the_response_says(draw_pressed, "grazing-lift-off", 1605);
}

/* ---- branches that end ---- */

/* What a smooth bifurcation says must show in the rows of the branch on both sides of it. */
static void check_smooth(const am_result *result, size_t row) {
    const am_table *branch = table_of(result, "branch"), *table = table_of(result, "bifurcations");
    const char *kind = word(table, row, "kind");
    double p = cell(table, row, "parameter");
    for (size_t i = 0; i + 1 < am_table_rows(branch); i++) {
        double a = cell(branch, i, "parameter"), b = cell(branch, i + 1, "parameter");
        bool changes = cell(branch, i, "stable") != cell(branch, i + 1, "stable");
        if (!((p - a) * (p - b) < 0) || !changes || cell(branch, i, "switches") != cell(branch, i + 1, "switches"))
            continue;
        size_t unstable = cell(branch, i, "stable") == 1 ? i + 1 : i;
        double re = cell(branch, unstable, "multiplier_re"), im = cell(branch, unstable, "multiplier_im");
        if (!strcmp(kind, "flip"))
            assert_true(re < -1 && im == 0);
        if (!strcmp(kind, "Neimark-Sacker"))
            assert_true(im != 0);
    }
}

/* Whatever happens on the way, what was followed is kept, closed, and the end has its reason. */
static void no_branch_of_an_impact_oscillator_is_lost(void **state) {
    (void)state;
    random_source r = random_seed(1606);
    size_t followed = 0, ended = 0;
    for (size_t i = 0; i < CASES(40, 4); i++) {
        am_error err = {0};
        am_status status;
        machine m = draw(&r);
        m.contact.gap = random_between(&r, 0.02, 0.8);
        m.contact.restitution = random_chance(&r, 0.2) ? 0 : random_between(&r, 0.1, 0.95);
        m.contact.friction = m.contact.static_friction = random_between(&r, 0, 0.5);
        m.varied = (what)random_index(&r, WHATS);
        double from = m.varied == FREQUENCY ? m.frequency : m.varied == AMPLITUDE ? m.amplitude : m.contact.gap;
        double to = from * random_between(&r, 0.4, 1.7);
        am_system *system = make(&m, from, &err);
        am_motion *engine = am_motion_create(system, false, &err);
        am_orbit_options first = am_orbit_options_default();
        am_orbit orbit = {0};
        am_orbit_search search;
        first.most_returns = 2000;
        assert_int_equal(am_orbit_find(engine, &first, &orbit, &search, NULL, &err), AM_OK);
        am_result *result = follow(&m, from, to, false, &status);
        assert_int_equal(status, search.outcome == AM_ORBIT_PERIODIC ? AM_OK : AM_ERR_LIMIT);
        if (!status) {
            followed++;
            assert_true(number(result, "points") >= 1);
            assert_near(number(result, "worst_closing"), 0, 1e-9);
            bool arrived = number(result, "followed_to") == to;
            assert_int_equal(!strcmp(text(result, "end"), "left the range"), arrived);
            assert_true(arrived || strlen(text(result, "end")) > 10);
            ended += !arrived;
            for (size_t k = 0; k < rows(result, "bifurcations"); k++)
                if (is_smooth(word(table_of(result, "bifurcations"), k, "kind")))
                    check_smooth(result, k);
        }
        am_result_free(result);
        am_orbit_clear(&orbit);
        am_motion_free(engine);
        am_system_free(system);
    }
    assert_true(followed >= CASES(25, 2) && (ended >= 4 || CASES(0, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_impact_comes_where_the_response_bridges_the_gap),
        cmocka_unit_test(the_last_impact_vanishes_at_the_same_graze),
        cmocka_unit_test(a_slider_first_slips_where_its_spring_reaches_the_limit),
        cmocka_unit_test(a_mass_first_sticks_to_its_belt_where_it_is_as_fast),
        cmocka_unit_test(a_pressed_contact_first_opens_where_the_load_lifts_it),
        cmocka_unit_test(no_branch_of_an_impact_oscillator_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
