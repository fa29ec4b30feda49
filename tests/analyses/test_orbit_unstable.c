/* Unstable orbits against closed forms: a mass on a spring that hits a rigid stop once a cycle.
 *
 *     x'' + 2 zeta x' + x = A cos(Omega t),   x <= gap,   x' -> -r x' at the stop.
 *
 * Between impacts x = p + h with p = B cos(Omega t + psi) and a free vibration h. With the impact at t = 0 and H = e^(A
 * T) of the free vibration over a period, h(T) = h(0) = h0 and the law of the impact give h'(0) = g h0, x'(0+) = k h0,
 *
 *     g = (1 - H11)/H12,   k = ((1 - H22) g - H21)/(1 + 1/r),   p(0) = gap - h0,  p'(0) = (k - g) h0,
 *
 * and p^2 + p'^2/Omega^2 = B^2 is a quadratic in h0: two orbits, which meet in a fold at gap^2 = B^2 a/(a - 1), a = 1 +
 * (k - g)^2/Omega^2. Multipliers from S H with the saltation matrix of the impact. While B < gap the motion without
 * impacts exists too and attracts: of the three orbits the slow impacting one divides the basins of the others. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/attractors.h"
#include "amontons/orbit.h"
#include "near.h"
#include "results.h"
#include "varied_model.h"

static const double two_pi = 6.283185307179586476925;

typedef struct stop {
    double zeta, Omega, restitution, gap; /* A = 1 */
} stop;

/* The stop is smooth; along it the mass rests (critically damped, multiplier below those of x). */
static am_system *make(void *context, double gap, am_error *err) {
    const stop *s = context;
    const double along[2] = {1, 0}, against[2] = {-1, 0}, across[2] = {0, 1};
    const double unit[4] = {1, 0, 0, 1}, viscous[4] = {2 * s->zeta, 0, 0, 2};
    am_matrix *M = am_matrix_dense(2, 2, unit, err), *K = am_matrix_dense(2, 2, unit, err),
              *C = am_matrix_dense(2, 2, viscous, err);
    am_contact_def contact = am_contact_def_default();
    contact.normal = against;
    contact.tangent = across;
    contact.gap = gap;
    contact.restitution = s->restitution;
    am_load_def load = {along, am_function_sine(1, s->Omega, 0.25 * two_pi)};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.mass = M;
    def.stiffness = K;
    def.damping = C;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = am_system_create(&def, err);
    am_matrix_free(M);
    am_matrix_free(K);
    am_matrix_free(C);
    return system;
}

typedef struct known {
    double x, v;       /* at t = 0 of the load */
    double impact;     /* velocity before the impact */
    double multiplier; /* largest modulus */
} known;

/* H = e^(A T), and the amplitude B without a stop. */
static double free_vibration(const stop *s, double H[2][2]) {
    double w = sqrt(1 - s->zeta * s->zeta), T = two_pi / s->Omega, e = exp(-s->zeta * T);
    double c = e * cos(w * T), n = e * sin(w * T) / w;
    H[0][0] = c + s->zeta * n;
    H[0][1] = n;
    H[1][0] = -n;
    H[1][1] = c - s->zeta * n;
    return 1 / hypot(1 - s->Omega * s->Omega, 2 * s->zeta * s->Omega);
}

static void ratios(const stop *s, double H[2][2], double *g, double *k) {
    *g = (1 - H[0][0]) / H[0][1];
    *k = ((1 - H[1][1]) * *g - H[1][0]) / (1 + 1 / s->restitution);
}

/* The orbit with the hard (0) or the soft (1) impact. */
static known closed_form(const stop *s, int which) {
    double H[2][2], g, k, B = free_vibration(s, H), r = s->restitution, T = two_pi / s->Omega;
    ratios(s, H, &g, &k);
    double slope = (k - g) / s->Omega, a = 1 + slope * slope, d = s->gap;
    double root = sqrt(d * d - a * (d * d - B * B)), h0 = (d + (which == 0 ? root : -root)) / a;
    double after = k * h0, before = -after / r, psi = atan2(-slope * h0, d - h0);
    double phase = psi + atan2(2 * s->zeta * s->Omega, 1 - s->Omega * s->Omega), force = cos(phase);
    double push = (force - 2 * s->zeta * after - d + r * (force - 2 * s->zeta * before - d)) / before;
    double trace = -r * H[0][0] + push * H[0][1] - r * H[1][1], det = r * r * exp(-2 * s->zeta * T);
    double complex half = csqrt(trace * trace / 4 - det);
    double t = fmod(two_pi - fmod(phase, two_pi), two_pi) / s->Omega; /* from the impact to t = 0 of the load */
    double w = sqrt(1 - s->zeta * s->zeta), e = exp(-s->zeta * t), sine = sin(w * t) / w, h1 = g * h0;
    known o = {.impact = before, .multiplier = fmax(cabs(trace / 2 + half), cabs(trace / 2 - half))};
    o.x = e * (h0 * cos(w * t) + (h1 + s->zeta * h0) * sine) + B * cos(s->Omega * t + psi);
    o.v = e * (h1 * cos(w * t) - (h0 + s->zeta * h1) * sine) - B * s->Omega * sin(s->Omega * t + psi);
    return o;
}

/* Gap at which the two orbits meet. */
static double fold_of(const stop *s) {
    double H[2][2], g, k, B = free_vibration(s, H);
    ratios(s, H, &g, &k);
    double slope = (k - g) / s->Omega;
    return B * sqrt(1 + 1 / (slope * slope));
}

/* Gaps between grazing (gap = B) and the fold. */
static const stop cases[] = {{0.05, 1.6, 0.8, 0.8}, {0.05, 1.3, 0.6, 2.4}, {0.1, 1.6, 0.8, 0.9}, {0.02, 1.3, 0.9, 2.0}};
enum { CASES = sizeof cases / sizeof *cases };

/* Closing is to rounding times the multiplier: 1e-10 of a state of size 1 leaves room. */
static void both_orbits_close_where_the_closed_form_puts_them(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++)
        for (int which = 0; which < 2; which++) {
            stop s = cases[i];
            am_error err = {0};
            known wanted = closed_form(&s, which);
            assert_true(wanted.impact > 0);
            am_system *system = make(&s, s.gap, &err);
            assert_non_null(system);
            am_motion *engine = am_motion_create(system, true, &err);
            am_orbit_return how = {.section = AM_SECTION_PERIOD, .period = two_pi / s.Omega, .returns = 1};
            const double guess[4] = {wanted.x + 1e-3, 0, wanted.v - 1e-3, 0};
            am_orbit orbit;
            assert_int_equal(am_orbit_close(engine, &how, guess, &orbit, &err), AM_OK);
            assert_near(orbit.state[0], wanted.x, 1e-10);
            assert_near(orbit.state[2], wanted.v, 1e-10);
            assert_near(orbit.multiplier, wanted.multiplier, 1e-9 * wanted.multiplier);
            assert_int_equal(orbit.stable, which == 0);
            am_orbit_clear(&orbit);
            am_motion_free(engine);
            am_system_free(system);
        }
}

/* Starts alone: nothing is told about where the orbits are. */
static void the_search_finds_the_orbit_that_divides_two_basins(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        stop s = cases[i];
        am_error err = {0};
        am_system *system = make(&s, s.gap, &err);
        const am_start_range box[2] = {{0, false, -3, s.gap}, {0, true, -4, 4}};
        am_attractors_options options = am_attractors_options_default();
        options.count = 64;
        options.range_count = 2;
        options.ranges = box;
        options.search_unstable = true;
        am_result *result = am_result_create(&err);
        assert_int_equal(am_attractors_run(system, &options, result, NULL, &err), AM_OK);
        known hard = closed_form(&s, 0), soft = closed_form(&s, 1);
        size_t found_hard = 0, found_soft = 0, found_free = 0, rows = am_table_rows(table_of(result, "orbits"));
        double none = exp(-s.zeta * two_pi / s.Omega);
        for (size_t k = 0; k < rows; k++) {
            double multiplier = cell(table_of(result, "orbits"), k, "multiplier");
            bool once = fabs(cell(table_of(result, "orbits"), k, "period") - two_pi / s.Omega) < 1e-9;
            found_hard += once && fabs(multiplier - hard.multiplier) < 1e-8;
            found_soft += once && fabs(multiplier - soft.multiplier) < 1e-8 * soft.multiplier;
            found_free += once && fabs(multiplier - none) < 1e-8;
        }
        assert_int_equal(found_hard, 1);
        assert_int_equal(found_free, 1);
        assert_int_equal(found_soft, 1);
        am_result_free(result);
        am_system_free(system);
    }
}

/* The last step before a fold is a millionth of the way, so it is located to about that. */
static void a_branch_goes_around_its_fold_and_back_on_the_unstable_side(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        stop s = cases[i];
        am_error err = {0};
        double fold = fold_of(&s), way = 1.1 * fold - s.gap;
        known hard = closed_form(&s, 0);
        am_orbit_options first = am_orbit_options_default();
        first.displacement = (const double[2]){hard.x, 0};
        first.velocity = (const double[2]){hard.v, 0};
        am_follow_options options = am_follow_options_default();
        options.from = s.gap;
        options.to = 1.1 * fold;
        options.first = &first;
        options.through_folds = true;
        VARIED_MODEL *model = model_of_one("parameter", make, &s);
        am_result *result = am_result_create(&err);
        am_status status = am_follow_run(model, &options, result, NULL, &err);
        if (status)
            print_error("%s\n", err.message);
        assert_int_equal(status, AM_OK);
        assert_int_equal(am_table_rows(table_of(result, "bifurcations")), 1);
        assert_string_equal(am_table_text(am_result_find_table(result, "bifurcations"), 0, 1), "fold");
        assert_near(cell(table_of(result, "bifurcations"), 0, "parameter"), fold, 2e-6 * way);
        size_t rows = am_table_rows(table_of(result, "branch")), sides[2] = {0, 0};
        assert_near(cell(table_of(result, "branch"), rows - 1, "parameter"), s.gap, 0);
        for (size_t k = 0; k < rows; k++) {
            stop here = s;
            here.gap = cell(table_of(result, "branch"), k, "parameter");
            int side = cell(table_of(result, "branch"), k, "stable") == 1 ? 0 : 1;
            double wanted = closed_form(&here, side).multiplier;
            double near = fmax(1e-9, 1e-14 / fabs(1 - here.gap / fold)); /* square root at the fold */
            assert_near(cell(table_of(result, "branch"), k, "multiplier"), wanted, 10 * near * wanted);
            sides[side]++;
        }
        assert_true(sides[0] >= 10 && sides[1] >= 10);
        am_result_free(result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_orbits_close_where_the_closed_form_puts_them),
        cmocka_unit_test(the_search_finds_the_orbit_that_divides_two_basins),
        cmocka_unit_test(a_branch_goes_around_its_fold_and_back_on_the_unstable_side),
    };
    return cmocka_run_group_tests_name("orbit_unstable", tests, NULL, NULL);
}
