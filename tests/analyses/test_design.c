/* Peaks followed along a number of the structure, against closed forms and against whole response curves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/models.h"
#include "amontons/response.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "varied_model.h"

static const double PI = 3.14159265358979323846;

/* ---- families ---- */

static am_system *make_griffin(void *context, double beta, double Omega, am_error *err) {
    am_griffin griffin = *(const am_griffin *)context;
    griffin.beta = beta;
    griffin.Omega = Omega;
    return am_griffin_create(&griffin, err);
}

static am_griffin damper(double eta, double delta_deg) {
    am_griffin griffin = am_griffin_default();
    griffin.eta = eta;
    griffin.delta_deg = delta_deg;
    return griffin;
}

static am_design_options over(double from, double to, size_t harmonics) {
    am_design_options options = am_design_options_default();
    options.from = from;
    options.to = to;
    options.frequency_from = 0.5;
    options.frequency_to = 2.0;
    options.harmonics = harmonics;
    return options;
}

static am_result *design(am_model *model, const am_design_options *options) {
    am_result *result = NULL;
    GOOD((result = am_result_create(err)) ? AM_OK : AM_ERR_MEMORY);
    GOOD(am_design_run(model, options, result, NULL, err));
    return result;
}

static am_result *design_griffin(am_griffin *griffin, const am_design_options *options) {
    VARIED_MODEL *model = model_of_two("parameter", "frequency", make_griffin, griffin);
    return design(model, options);
}

/* ---- another way: the whole response at one value ---- */

typedef struct at_beta {
    am_griffin griffin;
} at_beta;

static am_system *make_at_beta(void *context, double Omega, am_error *err) {
    am_griffin griffin = ((const at_beta *)context)->griffin;
    griffin.Omega = Omega;
    return am_griffin_create(&griffin, err);
}

static double peak_of_response(const am_griffin *griffin, double beta, size_t harmonics) {
    at_beta at = {*griffin};
    at.griffin.beta = beta;
    VARIED_MODEL *model = model_of_one("parameter", make_at_beta, &at);
    am_response_options options = am_response_options_default();
    options.from = 0.5;
    options.to = 2.0;
    options.harmonics = harmonics;
    options.stability = AM_RESPONSE_STABILITY_NONE;
    am_result *result = NULL;
    GOOD((result = am_result_create(err)) ? AM_OK : AM_ERR_MEMORY);
    GOOD(am_response_run(model, &options, result, NULL, err));
    double peak = number(result, "peak");
    am_result_free(result);
    return peak;
}

/* ---- closed forms ---- */

/* (8.10) with a Jenkins element under constant load and one harmonic: dynamic stiffness over amplitude. */
static double left_over(double A, double Omega, double beta, double ratio, double zeta) {
    double onset = beta / ratio, real = 1.0 + ratio - Omega * Omega, imaginary = 2.0 * zeta * Omega;
    if (A > onset) {
        double angle = acos(1.0 - 2.0 * onset / A);
        real = 1.0 - Omega * Omega + ratio / PI * (angle - 0.5 * sin(2.0 * angle));
        imaginary += 4.0 * beta / (PI * A) * (1.0 - onset / A);
    }
    return A * hypot(real, imaginary) - 1.0;
}

/* The least |Z| A over all frequencies, by golden section. */
static double least_left_over(double A, double beta) {
    double low = 0.5, high = 2.0, golden = 0.6180339887498949;
    for (int i = 0; i < 90; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (left_over(A, a, beta, 1.5, 0.1) < left_over(A, b, beta, 1.5, 0.1))
            high = b;
        else
            low = a;
    }
    return left_over(A, 0.5 * (low + high), beta, 1.5, 0.1);
}

/* The greatest amplitude that a force of one can drive at some frequency. */
static double griffins_peak(double beta) {
    double low = 0.1, high = 6.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (least_left_over(middle, beta) < 0.0)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* Peaks: rounding of two searches (1e-15 by slopes of order ten). The place of the least one: square root of that. */
static void one_harmonic_peaks_under_constant_load_are_griffins(void **state) {
    (void)state;
    am_griffin griffin = damper(0.0, 0.0);
    am_design_options options = over(0.1, 12.0, 1);
    am_result *result = design_griffin(&griffin, &options);
    const am_table *peaks = table_of(result, "peaks");
    assert_true(am_table_rows(peaks) > 20);
    for (size_t i = 0; i < am_table_rows(peaks); i++)
        assert_near(cell(peaks, i, "peak"), griffins_peak(cell(peaks, i, "parameter")), 1e-12);
    double low = 1.0, high = 1.2;
    while (high - low > 1e-7) {
        double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low);
        if (griffins_peak(a) < griffins_peak(b))
            high = b;
        else
            low = a;
    }
    assert_near(number(result, "optimum_at"), low, 1e-6);
    assert_near(number(result, "optimum_at"), 1.08569, 5e-6);
    assert_near(number(result, "optimum"), griffins_peak(low), 1e-12);
    assert_string_equal(text(result, "optimum_kind"), "minimum");
    am_result_free(result);
}

/* Both ends of the robust range: the peak there, by the closed form, is what was allowed. */
static void the_robust_range_ends_where_the_peak_exceeds_the_least_one_by_the_share(void **state) {
    (void)state;
    am_griffin griffin = damper(0.0, 0.0);
    am_design_options options = over(0.1, 12.0, 1);
    options.robust = 0.25;
    am_result *result = design_griffin(&griffin, &options);
    double level = 1.25 * number(result, "optimum");
    assert_near(griffins_peak(number(result, "robust_from")), level, 1e-9); /* regula falsi stops at 1e-11 */
    assert_near(griffins_peak(number(result, "robust_to")), level, 1e-9);
    assert_false(flag(result, "robust_open"));
    am_result_free(result);
    options.from = 0.9;
    result = design_griffin(&griffin, &options);
    assert_true(number(result, "robust_from") == 0.9);
    assert_true(flag(result, "robust_open"));
    am_result_free(result);
}

/* In phase the top is a corner shortly before the damper sticks for good. Brent's search of `response` ends within
 * 3e-9 of a step of its curve (about 0.02 of Omega) from the corner, where the amplitude has a slope of about ten. */
static void corners_are_followed_and_are_the_peaks_of_whole_responses(void **state) {
    (void)state;
    am_griffin griffin = damper(0.9, 0.0);
    am_design_options options = over(9.0, 11.5, 5);
    am_result *result = design_griffin(&griffin, &options);
    const am_table *peaks = table_of(result, "peaks");
    size_t corners = 0;
    for (size_t i = 0; i < am_table_rows(peaks); i++) {
        bool corner = !strcmp(word(peaks, i, "kind"), "kink");
        corners += corner;
        if (cell(peaks, i, "top") == 1.0 && (corner || i % 5 == 0))
            assert_near(cell(peaks, i, "peak"), peak_of_response(&griffin, cell(peaks, i, "parameter"), 5), 2e-9);
    }
    assert_true(corners > 2);
    assert_true(number(result, "kinks") == (double)corners);
    am_result_free(result);
}

/* The stuck damper carries T = k_ratio q, q = 1/(1 + k_ratio - Omega^2 + 2 i zeta Omega), and any constant. It can stay
 * stuck while |T - beta eta| + |T + beta eta| <= 2 beta (in phase): inside an ellipse with the foci +-beta eta. */
static double ellipse(double ratio, double beta, double Omega) {
    double real = 1.0 + ratio - Omega * Omega, imaginary = 0.2 * Omega, size = real * real + imaginary * imaginary;
    double x = ratio * real / size, y = -ratio * imaginary / size, focus = 0.9 * beta;
    return (hypot(x - focus, y) + hypot(x + focus, y)) / (2.0 * beta);
}

/* A stiff damper in phase: its slider creeps to one side, means are ten times amplitudes, and both tops are corners.
 * The place of a corner is known to the width of its bracket, 2e-10 of the frequencies' range, times slopes of order
 * 100. */
static void corners_of_a_stiff_damper_lie_on_the_ellipse_of_sticking(void **state) {
    (void)state;
    am_griffin griffin = damper(0.9, 0.0);
    griffin.stiffness_ratio = 10.0;
    am_design_options options = over(9.0, 16.0, 3);
    options.frequency_to = 4.0;
    am_result *result = design_griffin(&griffin, &options);
    const am_table *peaks = table_of(result, "peaks");
    size_t corners = 0;
    for (size_t i = 0; i < am_table_rows(peaks); i++) {
        double Omega = cell(peaks, i, "frequency");
        if (strcmp(word(peaks, i, "kind"), "kink") != 0)
            continue;
        corners++;
        assert_near(ellipse(10.0, cell(peaks, i, "parameter"), Omega), 1.0, 1e-7);
        assert_near(cell(peaks, i, "peak"), 1.0 / hypot(11.0 - Omega * Omega, 0.2 * Omega), 1e-7);
    }
    assert_true(corners > 10);
    assert_true(number(result, "gaps") == 0.0);
    am_result_free(result);
}

/* The tops of two resonances exchange their places near beta = 7: both are followed, and the envelope is the peak of
 * the whole response. Smooth tops: Brent's value is right to rounding. */
static void the_envelope_is_the_peak_of_whole_responses_where_tops_exchange(void **state) {
    (void)state;
    am_griffin griffin = damper(0.9, 0.0);
    am_design_options options = over(5.0, 8.5, 5);
    options.checks = 2;
    am_result *result = design_griffin(&griffin, &options);
    const am_table *envelope = table_of(result, "envelope");
    assert_true(number(result, "peaks") >= 2.0);
    for (size_t i = 0; i < am_table_rows(envelope); i += 4)
        assert_near(cell(envelope, i, "peak"), peak_of_response(&griffin, cell(envelope, i, "parameter"), 5), 1e-9);
    am_result_free(result);
}

/* A cubic through neighbouring points with these slopes is right to the fourth power of the step; its value in the
 * middle is compared with a peak computed there. Steps are 0.02. */
static void slopes_are_those_of_the_curve(void **state) {
    (void)state;
    am_griffin griffin = damper(0.9, 90.0);
    am_design_options options = over(0.9, 1.2, 3);
    options.largest_step = 0.02;
    am_result *result = design_griffin(&griffin, &options);
    const am_table *peaks = table_of(result, "peaks");
    for (size_t i = 0; i + 1 < am_table_rows(peaks); i += 3) {
        double a = cell(peaks, i, "parameter"), b = cell(peaks, i + 1, "parameter");
        if (cell(peaks, i, "curve") != cell(peaks, i + 1, "curve") || cell(peaks, i, "top") != 1.0)
            continue;
        double middle = 0.5 * (cell(peaks, i, "peak") + cell(peaks, i + 1, "peak")) +
                        (b - a) / 8.0 * (cell(peaks, i, "slope") - cell(peaks, i + 1, "slope"));
        assert_near(middle, peak_of_response(&griffin, 0.5 * (a + b), 3), 2e-7);
    }
    am_result_free(result);
}

/* The ratio to constant load is least where the damper under constant load begins to stick for good: its force there is
 * beta = k_ratio A, A the stuck peak. A corner of the ratio, located to 1e-9 of the range. */
static void the_ratio_to_another_structure_is_least_where_that_one_begins_to_stick(void **state) {
    (void)state;
    am_griffin griffin = damper(0.9, 0.0), constant = damper(0.0, 0.0);
    VARIED_MODEL *against = model_of_two("parameter", "frequency", make_griffin, &constant);
    am_design_options options = over(3.0, 7.0, 3);
    options.against = against;
    am_result *result = design_griffin(&griffin, &options);
    const am_table *envelope = table_of(result, "envelope");
    double stuck = 1.0 / (0.2 * sqrt(2.5 - 0.01));
    assert_near(number(result, "ratio_least_at"), 1.5 * stuck, 1e-7);
    assert_near(number(result, "ratio_least"), peak_of_response(&griffin, 1.5 * stuck, 3) / stuck, 1e-7);
    assert_true(number(result, "ratio_greatest") >= number(result, "ratio_least"));
    for (size_t i = 0; i < am_table_rows(envelope); i += 9) { /* smooth tops: rounding */
        double beta = cell(envelope, i, "parameter");
        assert_near(cell(envelope, i, "ratio"), cell(envelope, i, "peak") / peak_of_response(&constant, beta, 3), 1e-8);
    }
    am_result_free(result);
}

/* ---- a hardening spring: response curves with folds ---- */

typedef struct duffing {
    double cubic, force;
} duffing;

static am_system *make_duffing(void *context, double damping, double frequency, am_error *err) {
    const duffing *d = context;
    const double one = 1.0;
    am_polynomial_term term = {.coefficient = d->cubic, .displacement = 3};
    am_polynomial_def spring = {.direction = &one, .term_count = 1, .terms = &term};
    am_load_def load = {.direction = &one, .function = am_function_sine(d->force, frequency, 0.0)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.mass = am_matrix_dense(1, 1, &one, err);
    def.stiffness = am_matrix_dense(1, 1, &one, err);
    def.damping = am_matrix_dense(1, 1, &damping, err);
    def.polynomial_count = def.load_count = 1;
    def.polynomials = &spring;
    def.loads = &load;
    am_system *system = am_system_create(&def, err);
    am_matrix_free((am_matrix *)def.mass);
    am_matrix_free((am_matrix *)def.stiffness);
    am_matrix_free((am_matrix *)def.damping);
    return system;
}

/* (1 + 3/4 a A^2 - w^2)^2 + c^2 w^2 = F^2/A^2 has its greatest A where w^2 = 1 + 3/4 a A^2 - c^2/2:
 * c^2 (1 + 3/4 a A^2) - c^4/4 = F^2/A^2. With c = 0.05 the curve hangs over by about 0.1 of the frequency. */
static void peaks_of_overhanging_resonances_have_their_closed_form(void **state) {
    (void)state;
    duffing d = {.cubic = 0.05, .force = 0.2};
    VARIED_MODEL *model = model_of_two("parameter", "frequency", make_duffing, &d);
    am_design_options options = over(0.05, 0.4, 1);
    options.frequency_to = 3.0;
    am_result *result = design(model, &options);
    const am_table *peaks = table_of(result, "peaks");
    assert_true(am_table_rows(peaks) > 20);
    for (size_t i = 0; i < am_table_rows(peaks); i++) {
        double c = cell(peaks, i, "parameter"), A = cell(peaks, i, "peak"), w = cell(peaks, i, "frequency");
        assert_near(c * c * (1.0 + 0.75 * d.cubic * A * A) - 0.25 * c * c * c * c, d.force * d.force / (A * A), 1e-12);
        assert_near(w * w, 1.0 + 0.75 * d.cubic * A * A - 0.5 * c * c, 1e-6); /* square root of the search's 1e-8 */
    }
    assert_string_equal(text(result, "optimum_kind"), "end");
    assert_false(flag(result, "optimum_inside"));
    am_result_free(result);
}

/* ---- a tuned absorber: two resonances of equal height ---- */

static am_system *make_absorber(void *context, double k, double frequency, am_error *err) {
    (void)context;
    const double mass[] = {1.0, 0.0, 0.0, 0.1}, stiffness[] = {1.0 + k, -k, -k, k},
                 damping[] = {0.04, -0.02, -0.02, 0.02}, direction[] = {1.0, 0.0};
    am_load_def load = {.direction = direction, .function = am_function_sine(1.0, frequency, 0.3)};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.mass = am_matrix_dense(2, 2, mass, err);
    def.stiffness = am_matrix_dense(2, 2, stiffness, err);
    def.damping = am_matrix_dense(2, 2, damping, err);
    def.load_count = 1;
    def.loads = &load;
    am_system *system = am_system_create(&def, err);
    am_matrix_free((am_matrix *)def.mass);
    am_matrix_free((am_matrix *)def.stiffness);
    am_matrix_free((am_matrix *)def.damping);
    return system;
}

/* |q1| = |Z22| / |Z11 Z22 - Z12^2| */
static double absorber(double k, double w) {
    double a = 1.0 + k - w * w, b = 0.04 * w, c = k - 0.1 * w * w, d = 0.02 * w, e = -k, f = -0.02 * w;
    double real = a * c - b * d - (e * e - f * f), imaginary = a * d + b * c - 2.0 * e * f;
    return hypot(c, d) / hypot(real, imaginary);
}

/* Highest value between two frequencies, by golden section. */
static double highest(double k, double low, double high) {
    double golden = 0.6180339887498949;
    for (int i = 0; i < 80; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (absorber(k, a) > absorber(k, b))
            high = b;
        else
            low = a;
    }
    return absorber(k, 0.5 * (low + high));
}

/* Both golden searches and the design curve are right to rounding in height; equal heights to 1e-9 fix k to 1e-10 of
 * the range, the width at which the search for a corner stops. */
static void the_best_tuning_of_an_absorber_has_two_peaks_of_equal_height(void **state) {
    (void)state;
    VARIED_MODEL *model = model_of_two("parameter", "frequency", make_absorber, NULL);
    am_design_options options = over(0.05, 0.15, 1);
    options.coordinate = 0;
    am_result *result = design(model, &options);
    double low = 0.07, high = 0.1; /* the lower resonance is higher above the best tuning */
    while (high - low > 1e-12) {
        double k = 0.5 * (low + high);
        if (highest(k, 0.7, 0.95) > highest(k, 0.95, 1.3))
            high = k;
        else
            low = k;
    }
    assert_string_equal(text(result, "optimum_kind"), "crossing");
    assert_near(number(result, "optimum_at"), low, 1e-9);
    assert_near(number(result, "optimum"), highest(low, 0.7, 0.95), 1e-8);
    assert_true(number(result, "peaks") == 2.0);
    am_result_free(result);
}

/* Amplitudes are those of the coordinate asked for, or of the largest of all: here the absorber's, |q2| = |Z12|/|det|,
 * which moves more than what it is tied to. Heights are right to rounding. */
static void amplitudes_are_those_of_the_coordinate_asked_for(void **state) {
    (void)state;
    static const size_t coordinates[] = {0, 1, SIZE_MAX};
    VARIED_MODEL *model = model_of_two("parameter", "frequency", make_absorber, NULL);
    for (size_t i = 0; i < 3; i++) {
        am_design_options options = over(0.05, 0.15, 1);
        options.coordinate = coordinates[i];
        am_result *result = design(model, &options);
        const am_table *peaks = table_of(result, "peaks");
        assert_true(am_table_rows(peaks) > 10);
        for (size_t row = 0; row < am_table_rows(peaks); row++) {
            double k = cell(peaks, row, "parameter"), w = cell(peaks, row, "frequency");
            double q1 = absorber(k, w), q2 = q1 * hypot(k, 0.02 * w) / hypot(k - 0.1 * w * w, 0.02 * w);
            double own = coordinates[i] == 0 ? q1 : coordinates[i] == 1 ? q2 : fmax(q1, q2);
            assert_near(cell(peaks, row, "peak"), own, 1e-8 * own);
        }
        am_result_free(result);
    }
}

/* ---- ends ---- */

/* Below resonance the amplitude rises up to the end of the frequencies. The stuck damper there is a spring: closed
 * form, exact. */
static void a_response_that_rises_to_the_end_of_the_frequencies_peaks_there(void **state) {
    (void)state;
    am_griffin griffin = damper(0.0, 0.0);
    am_design_options options = over(3.0, 6.0, 3);
    options.frequency_to = 1.2;
    am_result *result = design_griffin(&griffin, &options);
    const am_table *peaks = table_of(result, "peaks");
    double stuck = 1.0 / hypot(2.5 - 1.44, 0.2 * 1.2);
    for (size_t i = 0; i < am_table_rows(peaks); i++) {
        assert_string_equal(word(peaks, i, "kind"), "end");
        assert_near(cell(peaks, i, "peak"), stuck, 1e-13);
        assert_near(cell(peaks, i, "frequency"), 1.2, 1e-15);
        assert_near(cell(peaks, i, "slope"), 0.0, 1e-13);
    }
    am_result_free(result);
}

/* ---- more harmonics ---- */

static void harmonics_are_added_until_the_tolerance_is_met(void **state) {
    (void)state;
    am_griffin griffin = damper(0.9, 90.0);
    am_design_options options = over(0.8, 1.4, 0);
    options.tolerance = 1e-4;
    am_result *result = design_griffin(&griffin, &options);
    double few = number(result, "optimum");
    assert_true(number(result, "truncation") <= 1e-4);
    assert_true(number(result, "harmonics") > 5.0);
    assert_false(flag(result, "odd"));
    am_result_free(result);
    options.harmonics = 31;
    result = design_griffin(&griffin, &options);
    assert_near(few, number(result, "optimum"), 2e-4 * few); /* twice the tolerance */
    am_result_free(result);
}

/* A frequency given in other units: only the names of frequencies change. */
static am_system *make_in_hertz(void *context, double beta, double hertz, am_error *err) {
    return make_griffin(context, beta, 2.0 * PI * hertz, err);
}

static void the_frequency_may_be_any_straight_function_of_the_number(void **state) {
    (void)state;
    am_griffin griffin = damper(0.0, 0.0);
    VARIED_MODEL *model = model_of_two("parameter", "frequency", make_in_hertz, &griffin);
    am_design_options options = over(0.5, 2.0, 1);
    options.frequency_from = 2.0 / (2.0 * PI);
    options.frequency_to = 0.5 / (2.0 * PI); /* downwards, too */
    am_result *hertz = design(model, &options);
    options = over(0.5, 2.0, 1);
    am_result *radians = design_griffin(&griffin, &options);
    assert_near(number(hertz, "optimum"), number(radians, "optimum"), 1e-12);
    assert_near(2.0 * PI * number(hertz, "optimum_frequency"), number(radians, "optimum_frequency"), 1e-6);
    am_result_free(hertz);
    am_result_free(radians);
}

/* ---- what is refused ---- */

static am_system *make_disc(void *context, double normal_load, double Omega, am_error *err) {
    am_bladed_disc disc = am_bladed_disc_default();
    (void)context;
    disc.sectors = 4;
    disc.engine_order = 1;
    disc.normal_load = normal_load;
    disc.centrifugal = 1.0;
    disc.Omega = Omega;
    return am_bladed_disc_create(&disc, err);
}

static am_system *make_chain(void *context, double xi1, double xi3, am_error *err) {
    am_chain chain = am_chain_default();
    (void)context;
    chain.count = 2;
    chain.xi1 = xi1;
    chain.xi3 = xi3;
    return am_chain_create(&chain, err);
}

static am_error refusal(am_model *model, const am_design_options *options) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_non_null(result);
    assert_true(am_design_run(model, options, result, NULL, &err) != AM_OK);
    am_result_free(result);
    return err;
}

static void a_frequency_that_moves_more_than_the_loads_is_refused(void **state) {
    (void)state;
    VARIED_MODEL *disc = model_of_two("parameter", "frequency", make_disc, NULL);
    am_design_options options = over(1.0, 5.0, 1);
    am_error err = refusal(disc, &options);
    assert_blames(&err, "frequency", "nothing else");
    VARIED_MODEL *chain = model_of_two("parameter", "frequency", make_chain, NULL);
    err = refusal(chain, &options);
    assert_says(&err, "no load repeats");
}

static void ranges_and_shares_without_sense_are_refused(void **state) {
    (void)state;
    am_griffin griffin = damper(0.0, 0.0);
    VARIED_MODEL *model = model_of_two("parameter", "frequency", make_griffin, &griffin);
    am_design_options options = over(1.0, 1.0, 1);
    am_error err = refusal(model, &options);
    assert_blames(&err, "to", "empty");
    options = over(1.0, 2.0, 1);
    options.frequency_to = NAN;
    err = refusal(model, &options);
    assert_blames(&err, "frequency_to", "finite");
    options = over(1.0, 2.0, 1);
    options.robust = 0.0;
    err = refusal(model, &options);
    assert_blames(&err, "robust", "positive");
    options = over(1.0, 2.0, 1);
    options.checks = 1;
    err = refusal(model, &options);
    assert_blames(&err, "checks", "both ends");
    options = over(1.0, 2.0, 1);
    options.coordinate = 7;
    err = refusal(model, &options);
    assert_blames(&err, "coordinate", "8");
    options = over(1.0, 2.0, 1);
    options.cookie = 0;
    err = refusal(model, &options);
    assert_says(&err, "am_design_options_default");
}

static bool stop(void *context, double fraction) {
    (void)context;
    (void)fraction;
    return false;
}

static void it_can_be_interrupted(void **state) {
    (void)state;
    am_griffin griffin = damper(0.0, 0.0);
    VARIED_MODEL *model = model_of_two("parameter", "frequency", make_griffin, &griffin);
    am_design_options options = over(0.1, 12.0, 1);
    am_progress progress = {.report = stop};
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_design_run(model, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
    am_result_free(result);
}

/* ---- as a study ---- */

static void a_study_of_a_design_gives_the_same(void **state) {
    (void)state;
    am_run *made = run_text("title: t\nmodel: {kind: griffin, k_ratio: 1.5, zeta: 0.1, beta: 1}\n"
                            "analysis: {kind: design, over: beta, from: 0.5, to: 2, frequency: Omega, "
                            "frequency_from: 0.5, frequency_to: 2, harmonics: 1, robust: 0.1}\n");
    assert_near(scalar(made, "optimum_at"), 1.08569, 5e-6); /* digits of the closed form */
    assert_near(scalar(made, "optimum"), griffins_peak(scalar(made, "optimum_at")), 1e-12);
    am_run_free(made);
}

static void a_study_compares_with_other_numbers_of_its_model(void **state) {
    (void)state;
    const char *const head = "title: t\nmodel: {kind: griffin, beta: 1, eta: 0.9}\n"
                             "analysis: {kind: design, over: beta, from: 0.5, to: 2, frequency: Omega, frequency_from: "
                             "0.5, frequency_to: 2, harmonics: 1, against: ";
    char words[400];
    snprintf(words, sizeof words, "%s{eta: 0, k_ratio: 1.5}}\n", head);
    am_run *made = run_text(words);
    assert_near(scalar(made, "ratio_greatest"), 1.03351927, 1e-7); /* of Fig. 8.7 (b), found by another range */
    am_run_free(made);
    static const char *const refused[][2] = {
        {"{beta: 2}}\n", "beta varies"}, {"{etta: 0}}\n", "did you mean 'eta'"}, {"[1]}\n", "must be a mapping"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        am_error err = {0};
        snprintf(words, sizeof words, "%s%s", head, refused[i][0]);
        assert_null(am_study_parse("test.yaml", words, 0, NULL, false, &err));
        assert_says(&err, refused[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_harmonic_peaks_under_constant_load_are_griffins),
        cmocka_unit_test(the_robust_range_ends_where_the_peak_exceeds_the_least_one_by_the_share),
        cmocka_unit_test(corners_are_followed_and_are_the_peaks_of_whole_responses),
        cmocka_unit_test(corners_of_a_stiff_damper_lie_on_the_ellipse_of_sticking),
        cmocka_unit_test(the_envelope_is_the_peak_of_whole_responses_where_tops_exchange),
        cmocka_unit_test(slopes_are_those_of_the_curve),
        cmocka_unit_test(the_ratio_to_another_structure_is_least_where_that_one_begins_to_stick),
        cmocka_unit_test(peaks_of_overhanging_resonances_have_their_closed_form),
        cmocka_unit_test(the_best_tuning_of_an_absorber_has_two_peaks_of_equal_height),
        cmocka_unit_test(amplitudes_are_those_of_the_coordinate_asked_for),
        cmocka_unit_test(a_response_that_rises_to_the_end_of_the_frequencies_peaks_there),
        cmocka_unit_test(harmonics_are_added_until_the_tolerance_is_met),
        cmocka_unit_test(the_frequency_may_be_any_straight_function_of_the_number),
        cmocka_unit_test(a_frequency_that_moves_more_than_the_loads_is_refused),
        cmocka_unit_test(ranges_and_shares_without_sense_are_refused),
        cmocka_unit_test(it_can_be_interrupted),
        cmocka_unit_test(a_study_of_a_design_gives_the_same),
        cmocka_unit_test(a_study_compares_with_other_numbers_of_its_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
