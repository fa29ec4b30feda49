/* Branches of their own and folds in two parameters, against closed forms.
 *
 * The structure is an oscillator whose damper softens and stiffens again, force c1 v + c3 v^3 + c5 v^5 with c3 < 0.
 * With one harmonic, q of amplitude A at the frequency W and V = W A, its response is
 *
 *     x^2 + D(V)^2 = f^2/V^2,   x = (k(A) - W^2)/W,   D(V) = c1 + (3/4) c3 V^2 + (5/8) c5 V^4
 *
 * (k(A) = 1 + (3/4) k3 A^2 with a cubic spring). V D(V) has a maximum f_a at V_a and a minimum f_b at V_b: between
 * these forces a branch of large motions stands apart from the one that rises from rest. Folds without a spring (k3 =
 * 0) have f^2 = -V^3 D D'; they meet in cusps where that is greatest. */
#include <string.h>

#include "amontons/models.h"
#include "amontons/orbit.h"
#include "amontons/output.h"
#include "amontons/response.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "varied_model.h"

/* ---- the structure ---- */

typedef struct oscillator {
    double W, f;         /* of the load */
    double k3;           /* cubic spring */
    double kd, limit;    /* Jenkins element; kd = 0: none */
    double c1, c3, c5;   /* damper */
    bool self_excited;   /* no load */
    bool over_amplitude; /* the parameter is f, not W */
} oscillator;

static const oscillator plain = {.W = 1.0, .f = 0.03, .c1 = 0.1, .c3 = -0.2, .c5 = 0.12};

static am_system *make_oscillator(const oscillator *o) {
    const double one[1] = {1.0}, damping[1] = {o->c1};
    const am_polynomial_term terms[3] = {{o->c3, 0, 3}, {o->c5, 0, 5}, {o->k3, 3, 0}};
    const am_polynomial_def polynomial = {.direction = one, .term_count = 3, .terms = terms};
    const am_load_def load = {one, am_function_sine(o->f, o->W, 0.0)};
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(o->limit);
    contact.friction = 1.0;
    contact.tangential_stiffness = o->kd;
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.polynomial_count = 1;
    def.polynomials = &polynomial;
    def.load_count = o->self_excited ? 0 : 1;
    def.loads = &load;
    def.contact_count = o->kd > 0.0 ? 1 : 0;
    def.contacts = &contact;
    return dense_system(def, one, damping, one);
}

static am_system *make_one(void *context, double p, am_error *err) {
    oscillator o = *(const oscillator *)context;
    (void)err;
    *(o.over_amplitude ? &o.f : &o.W) = p;
    return make_oscillator(&o);
}

static am_system *make_two(void *context, double W, double f, am_error *err) {
    oscillator o = *(const oscillator *)context;
    (void)err;
    o.W = W;
    o.f = f;
    return make_oscillator(&o);
}

/* ---- closed forms ---- */

static double D(double V) {
    return plain.c1 + 0.75 * plain.c3 * V * V + 0.625 * plain.c5 * V * V * V * V;
}

static double slope_of_D(double V) {
    return 1.5 * plain.c3 * V + 2.5 * plain.c5 * V * V * V;
}

/* (V D)' = 0; side -1: V_a, +1: V_b */
static double turning_velocity(double side) {
    double a = 3.125 * plain.c5, b = 2.25 * plain.c3, root = sqrt(b * b - 4.0 * a * plain.c1);
    return sqrt((-b + side * root) / (2.0 * a));
}

static double turning_force(double side) {
    return turning_velocity(side) * D(turning_velocity(side));
}

/* The force at which V is a fold, squared, without a spring. */
static double fold_force2(double V) {
    return -V * V * V * D(V) * slope_of_D(V);
}

/* Its greatest value, a cusp, by golden section between V_a and V_b. */
static double cusp_velocity(void) {
    double low = turning_velocity(-1.0), high = turning_velocity(1.0), g = 0.3819660112501051;
    for (int i = 0; i < 100; i++) {
        double a = low + g * (high - low), b = high - g * (high - low);
        if (fold_force2(a) < fold_force2(b))
            low = a;
        else
            high = b;
    }
    return 0.5 * (low + high);
}

/* Frequency of a fold of velocity amplitude V: x^2 = -D (V D)'. */
static double fold_frequency(double V, double side) {
    double x = side * sqrt(-D(V) * (V * slope_of_D(V) + D(V)));
    return 0.5 * (-x + sqrt(x * x + 4.0));
}

/* The isola's folds: fold_force2 = f^2 between the cusp and V_b. */
static double isola_fold_velocity(double f) {
    double low = cusp_velocity(), high = turning_velocity(1.0);
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        if (fold_force2(middle) > f * f)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* The force that a motion needs: spring, damper and Jenkins element (its describing function). */
static double needed_force(const oscillator *o, double A, double W) {
    const double pi = 3.14159265358979323846;
    double V = W * A, stiffness = 1.0 + 0.75 * o->k3 * A * A, loss = W * D(V), reach = o->limit / o->kd;
    if (o->kd > 0.0 && A <= reach)
        stiffness += o->kd;
    if (o->kd > 0.0 && A > reach) {
        double angle = acos(1.0 - 2.0 * reach / A);
        stiffness += o->kd / pi * (angle - 0.5 * sin(2.0 * angle));
        loss += 4.0 * o->limit * (A - reach) / (pi * A * A);
    }
    return A * hypot(stiffness - W * W, loss);
}

/* ---- running ---- */

static am_response_options options_of(double from, double to, size_t harmonics) {
    am_response_options options = am_response_options_default();
    options.from = from;
    options.to = to;
    options.harmonics = harmonics;
    options.stability = AM_RESPONSE_STABILITY_NONE;
    return options;
}

static am_result *run_model(am_model *model, const am_response_options *options) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    if (!result || am_response_run(model, options, result, NULL, &err))
        fail_msg("%s", err.message);
    return result;
}

static am_result *run(const oscillator *o, const am_response_options *options) {
    VARIED_MODEL *model = model_of_one("W", make_one, (void *)o);
    return run_model(model, options);
}

static am_status refusal(const oscillator *o, const am_response_options *options, am_error *err) {
    VARIED_MODEL *model = model_of_two("W", "f", make_two, (void *)o);
    am_result *result = am_result_create(err);
    GOOD(am_model_set(model, 1, o->f, err));
    am_status status = am_response_run(model, options, result, NULL, err);
    am_result_free(result);
    return status;
}

static am_result *run_folds(const oscillator *o, am_response_options options, double from, double to) {
    VARIED_MODEL *model = model_of_two("W", "f", make_two, (void *)o);
    GOOD(am_model_set(model, 1, o->f, err));
    options.fold_curves.number = 1;
    options.fold_curves.from = from;
    options.fold_curves.to = to;
    am_result *result = run_model(model, &options);
    assert_near(am_model_value(model, 1), o->f, 0.0); /* as it was before */
    return result;
}

static size_t row_of(const am_table *table, const char *kind, size_t which) {
    for (size_t i = 0; i < am_table_rows(table); i++)
        if (!strcmp(word(table, i, "kind"), kind) && which-- == 0)
            return i;
    fail_msg("no %s", kind);
    return 0;
}

/* Every point of every branch solves the closed form. Newton's tolerance is 1e-10 of the terms of the equation, which
 * near resonance are some thirty times the force. */
static void check_points(const oscillator *o, const am_result *result) {
    const am_table *branch = table_of(result, "branch");
    assert_true(am_table_rows(branch) > 50);
    for (size_t i = 0; i < am_table_rows(branch); i++)
        assert_near(needed_force(o, cell(branch, i, "amplitude"), cell(branch, i, "W")), o->f, 1e-8 * o->f);
}

/* ---- isolas from starts ---- */

static void starts_find_the_isola_of_a_softening_damper(void **state) {
    (void)state;
    const double at[] = {0.9, 1.0};
    am_response_options options = options_of(0.8, 1.25, 1);
    options.isolas.count = 2;
    options.isolas.at = at;
    options.isolas.guesses = 0; /* exact orbits alone */
    am_result *result = run(&plain, &options);
    const am_table *search = table_of(result, "search"), *special = table_of(result, "special");
    assert_near(number(result, "isolas"), 1.0, 0.0);
    assert_near(number(result, "other_branches"), 0.0, 0.0);
    assert_near(number(result, "branches"), 2.0, 0.0);
    check_points(&plain, result);
    /* V D(V) = f has one solution at W = 1 below V_a, two above: two stable motions, three in all */
    assert_near(cell(search, 0, "orbits"), 1.0, 0.0);
    assert_near(cell(search, 0, "solutions"), 1.0, 0.0);
    assert_near(cell(search, 1, "orbits"), 2.0, 0.0);
    assert_near(cell(search, 1, "solutions"), 3.0, 0.0);
    assert_near(cell(search, 1, "found"), 2.0, 0.0);
    assert_near(number(result, "search_unmatched"), 0.0, 0.0);
    /* Located to rounding on the curve: 1e-10 is Newton's tolerance. */
    double V = isola_fold_velocity(plain.f), high = 0.0, low = 9.0;
    for (size_t i = 0; i < 2; i++) {
        size_t row = row_of(special, "fold", i);
        assert_near(cell(special, row, "branch"), 1.0, 0.0);
        high = fmax(high, cell(special, row, "W"));
        low = fmin(low, cell(special, row, "W"));
    }
    assert_near(high, fold_frequency(V, -1.0), 1e-9);
    assert_near(low, fold_frequency(V, 1.0), 1e-9);
    am_result_free(result);
}

static void guesses_alone_find_it_too(void **state) {
    (void)state;
    const double at[] = {1.0};
    am_response_options options = options_of(0.8, 1.25, 1);
    options.isolas.count = 1;
    options.isolas.at = at;
    options.isolas.starts = 0;
    am_result *result = run(&plain, &options);
    assert_near(number(result, "isolas"), 1.0, 0.0);
    assert_near(number(result, "search_starts"), 0.0, 0.0);
    assert_near(number(result, "search_solutions"), 3.0, 0.0);
    am_result_free(result);
}

static void the_isola_exists_between_birth_and_merger_only(void **state) {
    (void)state;
    const double forces[] = {0.99 * turning_force(1.0), 1.01 * turning_force(1.0), 0.99 * turning_force(-1.0),
                             1.01 * turning_force(-1.0)};
    const double isolas[] = {0.0, 1.0, 1.0, 0.0}, folds[] = {0.0, 0.0, 0.0, 4.0}, at[] = {1.0};
    for (size_t i = 0; i < 4; i++) {
        oscillator o = plain;
        am_response_options options = options_of(0.8, 1.25, 1);
        o.f = forces[i];
        options.isolas.count = 1;
        options.isolas.at = at;
        am_result *result = run(&o, &options);
        assert_near(number(result, "isolas"), isolas[i], 0.0);
        assert_near(number(result, "other_branches"), 0.0, 0.0);
        assert_near(number(result, "folds"), folds[i], 0.0); /* of the main branch */
        check_points(&o, result);
        am_result_free(result);
    }
}

/* The isola is narrow, from 0.991 to 1.009: values spread over the range miss it, that of the resonance does not. */
static void resonances_are_looked_at_besides_values_spread_over_the_range(void **state) {
    (void)state;
    am_response_options options = options_of(0.5, 1.6, 1);
    options.isolas.count = 2; /* 0.775, 1.325 */
    am_result *result = run(&plain, &options);
    const am_table *search = table_of(result, "search");
    assert_near(number(result, "isolas"), 1.0, 0.0);
    assert_near(number(result, "search_values"), 3.0, 0.0);
    assert_near(cell(search, 0, "W"), 0.775, 1e-15);
    assert_near(cell(search, 0, "found") + cell(search, 1, "found"), 0.0, 0.0);
    assert_near(cell(search, 2, "found"), 2.0, 0.0);
    am_result_free(result);
}

/* With enough harmonics the isola is that of the exact motion. */
static void the_isola_agrees_with_exact_orbits(void **state) {
    (void)state;
    const double at[] = {1.0}, start[] = {-1.1}, rest[] = {0.0};
    am_response_options options = options_of(0.8, 1.25, 13);
    options.isolas.count = 1;
    options.isolas.at = options.values = at;
    options.value_count = 1;
    am_result *result = run(&plain, &options), *exact = am_result_create(NULL);
    am_system *system = make_oscillator(&plain);
    am_orbit_options orbit = am_orbit_options_default();
    orbit.displacement = start;
    orbit.velocity = rest;
    GOOD(am_orbit_run(system, &orbit, exact, NULL, err));
    double wanted = number(exact, "q1_max"), best = INFINITY;
    const am_table *branch = table_of(result, "branch");
    for (size_t i = 0; i < am_table_rows(branch); i++)
        if (cell(branch, i, "branch") == 1.0 && cell(branch, i, "W") == 1.0)
            best = fmin(best, fabs(cell(branch, i, "largest") - wanted));
    /* Harmonics fall by a factor of a hundred from one to the next odd one; those above 13 are below 1e-13. The orbit's
     * maximum is taken from samples: parabolas between 1001 of them leave 1e-5 squared. */
    assert_near(best, 0.0, 1e-9);
    am_system_free(system);
    am_result_free(result);
    am_result_free(exact);
}

/* ---- friction ---- */

/* Polynomial dampers and friction together: exact motions find the two that are stable, and perhaps the one between them. */
static void the_isola_of_a_structure_with_friction_solves_its_closed_form(void **state) {
    (void)state;
    oscillator o = plain;
    const double at[] = {1.0};
    am_response_options options = options_of(0.85, 1.25, 1);
    o.kd = 0.1;
    o.limit = 0.004;
    o.f = 0.034;
    options.isolas.count = 1;
    options.isolas.at = at;
    options.isolas.guesses = 0;
    am_result *result = run(&o, &options);
    assert_true(cell(table_of(result, "search"), 0, "orbits") >= 2.0);
    assert_near(number(result, "search_unmatched"), 0.0, 0.0);
    assert_near(number(result, "isolas"), 1.0, 0.0);
    check_points(&o, result);
    am_result_free(result);
}

/* A mass that touches a compliant stop with friction beside it: the resonance leans, and both stable motions of its
 * bistable range lie on the one branch there is. */
static am_system *make_stop(void *context, double W, am_error *err) {
    const double unit[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
    const double mass[4] = {1.0, 0.0, 0.0, 1.0}, damping[4] = {0.04, 0.0, 0.0, 0.1};
    const double stiffness[4] = {1.0, -0.05, -0.05, 3.0}, away[2] = {-1.0, 0.0};
    const am_load_def load = {unit[0], am_function_sine(0.1, W, 0.0)};
    am_contact_def contacts[2] = {am_contact_def_default(), am_contact_def_default()};
    contacts[0].normal = away;
    contacts[0].tangent = unit[1];
    contacts[0].normal_law = AM_KELVIN_VOIGT;
    contacts[0].gap = 0.5;
    contacts[0].contact_stiffness = 2.0;
    contacts[0].contact_damping = 0.01;
    contacts[1].tangent = unit[1];
    contacts[1].normal_law = AM_HELD;
    contacts[1].hold = am_function_constant(0.02);
    contacts[1].friction = 0.3;
    am_system_def def = am_system_def_default();
    (void)context;
    (void)err;
    def.n = 2;
    def.load_count = 1;
    def.loads = &load;
    def.contact_count = 2;
    def.contacts = contacts;
    return dense_system(def, mass, damping, stiffness);
}

static void motions_at_a_compliant_stop_are_those_of_the_branch(void **state) {
    (void)state;
    const double at[] = {1.13};
    VARIED_MODEL *model = model_of_one("W", make_stop, NULL);
    am_response_options options = options_of(0.8, 1.5, 5);
    options.isolas.count = 1;
    options.isolas.at = at;
    options.isolas.starts = 32;
    am_result *result = am_result_create(NULL);
    GOOD(am_response_run(model, &options, result, NULL, err));
    const am_table *search = table_of(result, "search");
    assert_near(cell(search, 0, "orbits"), 2.0, 0.0);
    assert_near(cell(search, 0, "unmatched"), 0.0, 0.0);
    assert_near(cell(search, 0, "solutions"), 3.0, 0.0);
    assert_near(cell(search, 0, "found"), 0.0, 0.0);
    assert_near(number(result, "branches"), 1.0, 0.0);
    am_result_free(result);
}

/* Without mass and damping there is no motion in time: the guesses are left, and the summary says why. */
static am_system *make_massless(void *context, double W, am_error *err) {
    const double unit[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
    const double mass[4] = {1.0, 0.0, 0.0, 0.0}, damping[4] = {0.1, 0.0, 0.0, 0.0};
    const double stiffness[4] = {2.0, -1.0, -1.0, 2.0};
    const am_load_def load = {unit[0], am_function_sine(0.1, W, 0.0)};
    const am_polynomial_term cubic[1] = {{1.0, 3, 0}};
    const am_polynomial_def spring = {.direction = unit[1], .term_count = 1, .terms = cubic};
    am_system_def def = am_system_def_default();
    (void)context;
    (void)err;
    def.n = 2;
    def.load_count = 1;
    def.loads = &load;
    def.polynomial_count = 1;
    def.polynomials = &spring;
    return dense_system(def, mass, damping, stiffness);
}

static void a_structure_without_mass_is_searched_by_guesses(void **state) {
    (void)state;
    VARIED_MODEL *model = model_of_one("W", make_massless, NULL);
    am_response_options options = options_of(0.8, 1.5, 3);
    options.isolas.count = 1;
    am_result *result = am_result_create(NULL);
    GOOD(am_response_run(model, &options, result, NULL, err));
    assert_near(number(result, "search_starts"), 0.0, 0.0);
    assert_true(number(result, "search_guesses") > 0.0);
    assert_true(strstr(text(result, "search_without_starts"), "mass") != NULL);
    am_result_free(result);
}

static am_system *make_griffin(void *context, double Omega, am_error *err) {
    am_griffin griffin = *(const am_griffin *)context;
    griffin.Omega = Omega;
    return am_griffin_create(&griffin, err);
}

/* Friction under a given normal load is monotone: with viscous damping the energy of the difference of two motions only
 * falls, so a linear structure with such dampers has one response, and no isola may be reported. */
static void a_linear_structure_with_friction_has_one_response(void **state) {
    (void)state;
    am_griffin griffin = am_griffin_default();
    griffin.stiffness_ratio = 1.5;
    griffin.zeta = 0.1;
    griffin.beta = 2.0;
    griffin.eta = 0.9;
    griffin.delta_deg = 90.0;
    VARIED_MODEL *model = model_of_one("W", make_griffin, &griffin);
    am_response_options options = options_of(0.7, 1.9, 5);
    options.isolas.count = 3;
    options.isolas.starts = 8;
    am_result *result = am_result_create(NULL);
    GOOD(am_response_run(model, &options, result, NULL, err));
    const am_table *search = table_of(result, "search");
    for (size_t i = 0; i < 3; i++) {
        assert_near(cell(search, i, "starts"), 8.0, 0.0);
        assert_near(cell(search, i, "orbits"), 1.0, 0.0);
        assert_near(cell(search, i, "lost"), 0.0, 0.0);
        assert_near(cell(search, i, "solutions"), 1.0, 0.0);
    }
    assert_near(number(result, "isolas") + number(result, "other_branches"), 0.0, 0.0);
    am_result_free(result);
}

/* ---- subharmonic motions ---- */

/* q'' + 0.1 q' + q + q^3 = f sin 5 t */
static const oscillator hardening = {.W = 5.0, .f = 5.0, .c1 = 0.1, .k3 = 1.0, .over_amplitude = true};

static void subharmonic_orbits_are_reported_and_balanced_only_at_their_own_frequency(void **state) {
    (void)state;
    const double at[] = {8.0};
    am_response_options options = options_of(1.0, 30.0, 7);
    options.isolas.count = 1;
    options.isolas.at = at;
    am_result *result = run(&hardening, &options);
    assert_true(number(result, "subharmonics") > 0.0);
    assert_near(number(result, "isolas"), 0.0, 0.0);
    am_result_free(result);

    /* With a third of the frequency the same search finds their isola; the three motions that differ by a period of the
     * load are one. */
    options.omega = 5.0 / 3.0;
    result = run(&hardening, &options);
    assert_near(number(result, "isolas"), 1.0, 0.0);
    const am_table *special = table_of(result, "special");
    size_t branch = 0, folds = 0;
    for (size_t i = 0; i < am_table_rows(special); i++)
        if (!strcmp(word(special, i, "kind"), "fold") && cell(special, i, "amplitude") > 1e-3) {
            branch = (size_t)cell(special, i, "branch");
            folds++;
        }
    assert_int_equal(folds, 2);
    assert_true(branch > 0);
    am_result_free(result);
}

/* ---- folds in two parameters ---- */

static void fold_curves_show_where_the_isola_is_born_and_merges(void **state) {
    (void)state;
    const double at[] = {1.0};
    am_response_options options = options_of(0.8, 1.25, 1);
    options.isolas.count = 1;
    options.isolas.at = at;
    am_result *result = run_folds(&plain, options, 0.02, 0.05);
    const am_table *curve = table_of(result, "fold_curve");
    assert_near(number(result, "fold_curves"), 1.0, 0.0);
    assert_near(number(result, "fold_curves_lost"), 0.0, 0.0);
    assert_near(number(result, "isola_births"), 1.0, 0.0);
    assert_near(number(result, "mergers"), 1.0, 0.0);
    assert_near(number(result, "cusps"), 2.0, 0.0);
    /* An extremum is located to the square root of rounding along the curve, its value to rounding. */
    size_t birth = row_of(curve, "isola-birth", 0), merger = row_of(curve, "merger", 0);
    assert_near(cell(curve, birth, "f"), turning_force(1.0), 1e-12);
    assert_near(cell(curve, birth, "W"), 1.0, 1e-7);
    assert_near(cell(curve, birth, "amplitude"), turning_velocity(1.0), 1e-7);
    assert_near(cell(curve, merger, "f"), turning_force(-1.0), 1e-12);
    assert_near(cell(curve, merger, "amplitude"), turning_velocity(-1.0), 1e-7);
    for (size_t i = 0; i < 2; i++) {
        size_t cusp = row_of(curve, "cusp", i);
        double W = cell(curve, cusp, "W");
        assert_near(cell(curve, cusp, "f"), sqrt(fold_force2(cusp_velocity())), 1e-12);
        assert_near(W, fold_frequency(cusp_velocity(), W > 1.0 ? -1.0 : 1.0), 1e-7);
    }
    /* All of it: f^2 = -V^3 D D' */
    for (size_t i = 0; i < am_table_rows(curve); i++) {
        double V = cell(curve, i, "W") * cell(curve, i, "amplitude"), f = cell(curve, i, "f");
        assert_near(fold_force2(V), f * f, 1e-9 * f * f);
    }
    am_result_free(result);
}

/* A cubic spring leans the branches: now the one that rises from rest has folds of its own, on the same curve as those
 * of the isola. Following it alone, without any start, finds the isola. Birth and merger happen where D + V D' = 0,
 * with or without a spring. */
static void folds_of_the_main_branch_lead_to_the_isola(void **state) {
    (void)state;
    oscillator o = plain;
    o.k3 = 1.0;
    o.f = 0.033;
    am_result *result = run_folds(&o, options_of(0.8, 1.6, 1), 0.02, 0.05);
    assert_near(number(result, "folds"), 2.0, 0.0);
    assert_near(number(result, "isolas"), 1.0, 0.0);
    assert_near(number(result, "branches"), 2.0, 0.0);
    assert_near(number(result, "fold_curves"), 1.0, 0.0);
    assert_near(number(result, "first_birth"), turning_force(1.0), 1e-12);
    assert_near(number(result, "first_merger"), turning_force(-1.0), 1e-12);
    check_points(&o, result);
    /* Amplitudes of the two branches do not overlap: at the merger they would meet at V_a. */
    const am_table *branch = table_of(result, "branch");
    for (size_t i = 0; i < am_table_rows(branch); i++) {
        double V = cell(branch, i, "W") * cell(branch, i, "amplitude");
        assert_true(cell(branch, i, "branch") == 0.0 ? V < turning_velocity(-1.0) : V > turning_velocity(-1.0));
    }
    am_result_free(result);
}

/* The curve of folds passes, at another force, through the folds that a response at that force has. */
static void check_other_force(oscillator o) {
    oscillator other = o;
    o.f = 0.033;
    other.f = 0.0325;
    am_result *curves = run_folds(&o, options_of(0.8, 1.6, 5), 0.0325, 0.05);
    am_response_options options = options_of(0.8, 1.6, 5);
    am_result *response = run(&other, &options);
    const am_table *curve = table_of(curves, "fold_curve"), *special = table_of(response, "special");
    for (size_t k = 0; k < 2; k++) {
        double W = cell(special, row_of(special, "fold", k), "W"), best = INFINITY;
        for (size_t i = 0; i < am_table_rows(curve); i++)
            if (cell(curve, i, "f") == 0.0325) /* the end of the range */
                best = fmin(best, fabs(cell(curve, i, "W") - W));
        assert_near(best, 0.0, 1e-9); /* both to Newton's tolerance */
    }
    am_result_free(curves);
    am_result_free(response);
}

static void a_fold_curve_agrees_with_responses_at_other_forces(void **state) {
    (void)state;
    oscillator o = plain;
    o.k3 = 1.0;
    check_other_force(o);
    o.k3 = 2.0; /* with friction, which slips over most of the period */
    o.kd = 0.2;
    o.limit = 0.001;
    check_other_force(o);
}

/* One mass of the chain of Papangelo's chapter 9 has its fold at xi1 = 9 xi3^2/(40 xi5), with one harmonic. */
static void folds_of_self_excited_motions_are_followed_too(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: chain, count: 1, xi1: 0.15, xi3: 0.3, xi5: 0.1}\n"
                            "analysis: {kind: response, over: xi1, from: -0.1, to: 1, harmonics: 1, stability: none, "
                            "start: {pattern: [1]}, folds: {along: xi3, from: 0.2, to: 0.5}}\n");
    const am_table *curve = table_of(am_run_report(made)->result, "fold_curve");
    assert_true(am_table_rows(curve) > 10);
    for (size_t i = 0; i < am_table_rows(curve); i++) {
        double xi3 = cell(curve, i, "xi3"), wanted = 9.0 * xi3 * xi3 / 4.0;
        assert_near(cell(curve, i, "xi1"), wanted, 1e-9); /* Newton's tolerance, relaxed by the fold's flatness */
    }
    assert_near(cell(curve, 0, "xi3"), 0.5, 0.0);
    assert_near(cell(curve, am_table_rows(curve) - 1, "xi3"), 0.2, 0.0);
    am_run_free(made);
}

/* Where symmetry makes a fold a branch point as well its curve is not followed, and that is said. */
static void folds_that_are_branch_points_are_reported_as_lost(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: chain, count: 4, coupling: 0.01, xi1: 0.15, xi3: 0.3, xi5: 0.1}\n"
                            "analysis: {kind: response, over: xi1, from: -0.1, to: 1, harmonics: 1, stability: none, "
                            "start: {pattern: [1, 0, 0, 0]}, folds: {along: coupling, from: 0.009, to: 0.011}}\n");
    assert_near(scalar(made, "fold_curves_lost"), 2.0, 0.0);
    /* every other fold lies on a curve, at the chain's own coupling */
    assert_near(scalar(made, "folds"), 14.0, 0.0);
    const am_table *curve = table_of(am_run_report(made)->result, "fold_curve");
    size_t crossings = 0;
    for (size_t i = 0; i < am_table_rows(curve); i++)
        crossings += cell(curve, i, "coupling") == 0.01;
    assert_true(crossings >= 12);
    am_run_free(made);
}

/* ---- bad input ---- */

static void wrong_options_are_refused_with_a_reason(void **state) {
    (void)state;
    const double outside[] = {2.0};
    am_error err = {0};
    am_response_options options = options_of(0.8, 1.25, 1);
    options.isolas.count = 1;
    options.isolas.at = outside;
    assert_int_equal(refusal(&plain, &options, &err), AM_ERR_INPUT);
    assert_blames(&err, "isolas.at", "outside the range");

    options = options_of(0.8, 1.25, 1);
    options.isolas.count = 1;
    options.isolas.within = 0.0;
    err = (am_error){0};
    refusal(&plain, &options, &err);
    assert_blames(&err, "isolas.within", "must have a size");

    options = options_of(0.8, 1.25, 1);
    options.isolas.count = 1;
    options.isolas.starts = options.isolas.guesses = 0;
    err = (am_error){0};
    refusal(&plain, &options, &err);
    assert_blames(&err, "isolas", "nothing can be found");

    oscillator free_of_load = plain;
    free_of_load.self_excited = true;
    options = options_of(0.8, 1.25, 1);
    options.isolas.count = 1;
    err = (am_error){0};
    assert_int_equal(refusal(&free_of_load, &options, &err), AM_ERR_UNSUPPORTED);
    assert_says(&err, "forced motions");

    options = options_of(0.8, 1.25, 1);
    options.fold_curves.number = 1;
    options.fold_curves.from = 0.04;
    options.fold_curves.to = 0.05;
    err = (am_error){0};
    refusal(&plain, &options, &err);
    assert_blames(&err, "folds.from", "outside the range");
}

/* ---- studies ---- */

#define STRUCTURE                                                                                                      \
    "model:\n"                                                                                                         \
    "  kind: structure\n"                                                                                              \
    "  mass: [[1]]\n"                                                                                                  \
    "  stiffness: [[1]]\n"                                                                                             \
    "  damping: [[0.1]]\n"                                                                                             \
    "  polynomials:\n"                                                                                                 \
    "    - {direction: [1], terms: [{coefficient: -0.2, velocity: 3}, {coefficient: 0.12, velocity: 5}]}\n"            \
    "  loads:\n"                                                                                                       \
    "    - {direction: [1], sine: {amplitude: 0.03, frequency: 1}}\n"

static void a_study_seeks_isolas_and_follows_folds(void **state) {
    (void)state;
    am_run *made = run_text(STRUCTURE "analysis: {kind: response, over: 'loads.0.sine.frequency', from: 0.8, to: 1.25, "
                                      "harmonics: 1, isolas: {at: [1], starts: 8, guesses: 8, within: 4, seed: 3}, "
                                      "folds: {along: 'loads.0.sine.amplitude', from: 0.02, to: 0.05}}\n");
    assert_near(scalar(made, "isolas"), 1.0, 0.0);
    assert_near(scalar(made, "isola_births"), 1.0, 0.0);
    assert_near(scalar(made, "first_birth"), turning_force(1.0), 1e-12);
    am_run_free(made);
}

static void check_refused(const char *study, const char *words) {
    am_error err = {0};
    am_study *read = am_study_parse("test.yaml", study, 0, NULL, false, &err);
    assert_null(read);
    assert_says(&err, words);
}

static void wrong_studies_are_refused_where_they_are_wrong(void **state) {
    (void)state;
    check_refused(STRUCTURE "analysis: {kind: response, isolas: {count: 3}}\n", "isolas needs `over:`");
    check_refused(STRUCTURE "analysis: {kind: response, over: 'loads.0.sine.frequency', from: 0.8, to: 1.25, "
                            "isolas: {at: [1], count: 2}}\n",
                  "either `at` or `count`");
    check_refused(STRUCTURE "analysis: {kind: response, over: 'loads.0.sine.frequency', from: 0.8, to: 1.25, "
                            "folds: {along: 'loads.0.sine.frequency', from: 0.8, to: 1.25}}\n",
                  "another number");
    check_refused(STRUCTURE "analysis: {kind: response, over: 'loads.0.sine.frequency', from: 0.8, to: 1.25, "
                            "folds: {along: nothing, from: 0.8, to: 1.25}}\n",
                  "nothing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_find_the_isola_of_a_softening_damper),
        cmocka_unit_test(guesses_alone_find_it_too),
        cmocka_unit_test(the_isola_exists_between_birth_and_merger_only),
        cmocka_unit_test(resonances_are_looked_at_besides_values_spread_over_the_range),
        cmocka_unit_test(the_isola_agrees_with_exact_orbits),
        cmocka_unit_test(the_isola_of_a_structure_with_friction_solves_its_closed_form),
        cmocka_unit_test(motions_at_a_compliant_stop_are_those_of_the_branch),
        cmocka_unit_test(a_structure_without_mass_is_searched_by_guesses),
        cmocka_unit_test(a_linear_structure_with_friction_has_one_response),
        cmocka_unit_test(subharmonic_orbits_are_reported_and_balanced_only_at_their_own_frequency),
        cmocka_unit_test(fold_curves_show_where_the_isola_is_born_and_merges),
        cmocka_unit_test(folds_of_the_main_branch_lead_to_the_isola),
        cmocka_unit_test(a_fold_curve_agrees_with_responses_at_other_forces),
        cmocka_unit_test(folds_of_self_excited_motions_are_followed_too),
        cmocka_unit_test(folds_that_are_branch_points_are_reported_as_lost),
        cmocka_unit_test(wrong_options_are_refused_with_a_reason),
        cmocka_unit_test(a_study_seeks_isolas_and_follows_folds),
        cmocka_unit_test(wrong_studies_are_refused_where_they_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
