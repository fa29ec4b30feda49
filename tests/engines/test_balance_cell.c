/* Contacts as signals: the exact Fourier coefficients of friction, against closed forms, against time stepping, and
 * against what symmetry and energy demand; derivatives against differences. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "engines/balance/cell.h"
#include "errors.h"
#include "math/trigonometric.h"
#include "near.h"
#include "signal_changes.h"

enum { MOST = 15, SIZE = 2 * MOST + 1, SEED = 66 };

static const double pi = 3.14159265358979323846, two_pi = 6.28318530717958647693;

static double unit(uint64_t index, size_t dimension) {
    return am_random_unit(SEED, index, dimension);
}

/* Harmonics that fall like h^-2, as displacements of structures do; the mean is small. */
static void random_signal(uint64_t index, size_t degree, double *s) {
    s[0] = 0.3 * (2 * unit(index, 0) - 1);
    for (size_t h = 1; h <= degree; h++)
        for (size_t k = 2 * h - 1; k <= 2 * h; k++)
            s[k] = (2 * unit(index, k) - 1) / (double)(h * h);
}

/* A mean plus harmonics that never reach beyond it: not negative, as friction limits are. */
static void random_limit(uint64_t index, size_t degree, double *s) {
    double sum = 0;
    random_signal(index, degree, s);
    for (size_t i = 1; i < am_trig_size(degree); i++) {
        s[i] *= 0.3;
        sum += fabs(s[i]);
    }
    s[0] = sum * (0.7 + 0.6 * unit(index, 300)) + 0.02;
    double least;
    am_trig_extremes(degree, s, NULL, NULL, &least, NULL);
    s[0] += least < 0 ? -least : 0;
}

static double sum_of(size_t degree, const double *s, double power) {
    double sum = fabs(s[0]);
    for (size_t h = 1; h <= degree; h++)
        sum += pow((double)h, power) * hypot(s[2 * h - 1], s[2 * h]);
    return sum;
}

static am_cell *cell_of(size_t degree) {
    am_error err = {0};
    am_cell *cell = am_cell_create(degree, &err);
    if (!cell)
        fail_msg("%s", err.message);
    return cell;
}

/* The limit at theta, zero where the contact is open. */
static double limit_at(size_t degree, const am_cell_limit *limit, double theta) {
    bool closed = !limit->starts;
    for (size_t i = 0; i < limit->intervals; i++)
        closed = closed || (theta >= limit->starts[i] && theta <= limit->ends[i]) ||
                 (theta + two_pi >= limit->starts[i] && theta + two_pi <= limit->ends[i]);
    return closed ? fmax(am_trig_value(degree, limit->signal, theta), 0) : 0;
}

/* Time stepping: f follows w and is cut at the limit at the end of every step. Extremes of w and the instants of
 * switching are met to half a step, so that the coefficients are off by (step)^2 times curvatures. */
typedef struct stepped {
    double f[SIZE], loss, slip;
} stepped;

/* The end of an interval strictly between two angles in [0, 2 pi), where the limit vanishes; NAN if there is none. */
static double end_between(const am_cell_limit *limit, double from, double to) {
    for (size_t i = 0; i < 2 * limit->intervals; i++) {
        double end = i % 2 ? limit->ends[i / 2] : limit->starts[i / 2], turned = fmod(end, two_pi);
        if (turned > from && turned < to)
            return turned;
    }
    return NAN;
}

static stepped step_jenkins(size_t degree, const double *w, const am_cell_limit *limit, size_t steps) {
    stepped out = {0};
    double force = 0, before = am_trig_value(degree, w, 0), c[MOST + 1], s[MOST + 1];
    for (size_t k = 1; k <= 4 * steps; k++) {
        double theta = two_pi * (double)(k % steps) / (double)steps, now = am_trig_value(degree, w, theta);
        /* Where the contact closes, the force is zero: met exactly, or the error would be of first order. */
        double end = end_between(limit, two_pi * (double)((k - 1) % steps) / (double)steps, k % steps ? theta : two_pi);
        if (!isnan(end)) {
            double there = am_trig_value(degree, w, end);
            out.loss += k > 3 * steps ? force / 2 * (there - before) : 0;
            force = 0;
            before = there;
        }
        double bound = limit_at(degree, limit, theta), trial = force + now - before;
        double next = fmax(-bound, fmin(bound, trial));
        if (k > 3 * steps) { /* a period, after three to forget the start */
            am_trig_basis(degree, theta, c, s);
            out.f[0] += next / (double)steps;
            for (size_t h = 1; h <= degree; h++) {
                out.f[2 * h - 1] += 2 * next * c[h] / (double)steps;
                out.f[2 * h] += 2 * next * s[h] / (double)steps;
            }
            out.loss += (force + next) / 2 * (now - before);
            out.slip += trial != next && bound > 0 ? 1 / (double)steps : 0;
        }
        force = next;
        before = now;
    }
    return out;
}

/* ---- Jenkins: closed forms ---- */

/* Griffin 1980: w = A cos theta, constant limit L < A. It sticks from the reversal to the angle with
 * A (1 - cos) = 2 L. */
static void one_harmonic_gives_griffins_describing_function(void **state) {
    (void)state;
    am_cell *cell = cell_of(1);
    for (int i = 1; i < 40; i++) {
        double amplitude = 1.7, limit = amplitude * i / 40, signal[] = {limit, 0, 0}, f[3], d_w[9];
        double w[] = {0, amplitude, 0}, angle = acos(1 - 2 * limit / amplitude);
        am_cell_report report;
        GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = signal}, f, d_w, NULL, &report, err));
        double rounding = 32 * DBL_EPSILON * amplitude;
        assert_near(f[0], 0, rounding);
        assert_near(f[1], amplitude / pi * (angle - sin(2 * angle) / 2), rounding);
        assert_near(f[2], -4 * limit / pi * (1 - limit / amplitude), rounding);
        assert_near(report.dissipation, 4 * limit * (amplitude - limit), 8 * rounding);
        assert_near(report.slip_share, 1 - angle / pi, 16 * DBL_EPSILON);
        assert_int_equal(report.switches, 4);
        assert_false(report.stuck);
        /* d a_1/dA = (angle - sin(2 angle)/2)/pi + A (1 - cos(2 angle))/pi d angle/dA, with
         * d angle/dA = -(2 L/A^2)/sin(angle) */
        double turn = -2 * limit / (amplitude * amplitude) / sin(angle);
        assert_near(d_w[4], (angle - sin(2 * angle) / 2 + amplitude * (1 - cos(2 * angle)) * turn) / pi, rounding);
    }
    am_cell_free(cell);
}

static void below_the_limit_it_is_a_spring_with_the_smallest_mean(void **state) {
    (void)state;
    am_cell *cell = cell_of(2);
    double w[] = {0.7, 0.3, -0.1, 0.05, 0.2}, limit[] = {1, 0, 0, 0, 0}, f[5], d_w[25], d_limit[25];
    am_cell_report report;
    GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, d_w, d_limit, &report, err));
    assert_true(report.stuck);
    assert_int_equal(report.switches, 0);
    assert_near(report.slip_share, 0, 0);
    assert_near(report.dissipation, 0, 0);
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            assert_near(f[i], i == 0 ? 0 : w[i], 0);
            assert_near(d_w[5 * i + j], i == j && i > 0 ? 1 : 0, 0);
            assert_near(d_limit[5 * i + j], 0, 0);
        }
    am_cell_free(cell);
}

/* cos theta + cos 2 theta / 2 reaches from -0.75 to 1.5: with a limit of 1.2 it fits, though not around its mean. */
static void a_mean_that_does_not_fit_is_moved_just_far_enough(void **state) {
    (void)state;
    am_cell *cell = cell_of(2);
    double w[] = {0.4, 1, 0, 0.5, 0}, limit[] = {1.2, 0, 0, 0, 0}, f[5], d_w[25], d_limit[25];
    am_cell_report report;
    GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, d_w, d_limit, &report, err));
    assert_true(report.stuck);
    assert_near(f[0], 1.2 - 1.5, 4 * DBL_EPSILON);
    assert_near(d_w[0], 0, 0);                /* the mean of w itself does not matter */
    assert_near(d_w[1], -1, 4 * DBL_EPSILON); /* the largest value, at theta = 0, moves with the cosines */
    assert_near(d_limit[0], 1, 4 * DBL_EPSILON);
    am_cell_free(cell);
}

static void nothing_moves_and_nothing_holds(void **state) {
    (void)state;
    am_cell *cell = cell_of(3);
    double still[7] = {0.3}, w[7] = {0.1, 1, 0.2, 0, 0.3, 0.1, 0}, none[7] = {0}, some[7] = {0.5}, f[7], d_w[49];
    am_cell_report report;
    GOOD(am_cell_jenkins(cell, still, &(am_cell_limit){.signal = some}, f, NULL, NULL, &report, err));
    assert_true(report.stuck);
    for (size_t i = 0; i < 7; i++)
        assert_near(f[i], 0, 0);
    GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = none}, f, d_w, NULL, &report, err));
    for (size_t i = 0; i < 7; i++)
        assert_near(f[i], 0, 64 * DBL_EPSILON);
    assert_near(report.slip_share, 1, 1e-6); /* reversals are extremes of w: known to the root of rounding */
    GOOD(am_cell_jenkins(cell, still, &(am_cell_limit){.signal = none}, f, NULL, NULL, &report, err));
    assert_near(f[0], 0, 4 * DBL_EPSILON);
    double nowhere[1] = {0};
    am_cell_limit open = {.signal = some, .intervals = 0, .starts = nowhere, .ends = nowhere};
    GOOD(am_cell_jenkins(cell, w, &open, f, d_w, NULL, &report, err));
    for (size_t i = 0; i < 49; i++)
        assert_near(d_w[i] + f[i / 7], 0, 0);
    assert_false(report.stuck);
    am_cell_free(cell);
}

/* w' = -(4/3) sin^3: the reversals are triple zeros of the velocity. Two reversals leave one loop, of area
 * 4 L (A - L) whatever the shape of w. */
static void flat_reversals_leave_the_loop_of_their_amplitude(void **state) {
    (void)state;
    am_cell *cell = cell_of(3);
    double w[] = {0, 1, 0, 0, 0, -1.0 / 9, 0}, limit[7] = {0.3}, f[7], amplitude = 8.0 / 9;
    am_cell_report report;
    GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, NULL, NULL, &report, err));
    assert_int_equal(report.switches, 4);
    assert_near(report.dissipation, 4 * 0.3 * (amplitude - 0.3), 64 * DBL_EPSILON);
    am_cell_free(cell);
}

/* limit = w + 1: the upper bound stands still and the lower one just reaches it. Stuck or slipping all the time, the
 * force is the limit. */
static void a_limit_that_moves_with_the_displacement_is_met_all_the_time(void **state) {
    (void)state;
    am_cell *cell = cell_of(2);
    double w[] = {0, 1, 0, 0, 0}, limit[] = {1, 1, 0, 0, 0}, f[5];
    GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, NULL, NULL, NULL, err));
    for (size_t i = 0; i < 5; i++)
        assert_near(f[i], limit[i], 16 * DBL_EPSILON);
    am_cell_free(cell);
}

/* ---- Jenkins: against time stepping ---- */

static void compare_with_steps(am_cell *cell, size_t degree, const double *w, const am_cell_limit *limit) {
    enum { STEPS = 4000 };
    double f[SIZE], step = two_pi / STEPS;
    am_cell_report report;
    GOOD(am_cell_jenkins(cell, w, limit, f, NULL, NULL, &report, err));
    stepped steps = step_jenkins(degree, w, limit, STEPS);
    double bend = sum_of(degree, w, 2) + sum_of(degree, limit->signal, 2);
    for (size_t i = report.stuck ? 1 : 0; i < am_trig_size(degree); i++)
        assert_near(f[i], steps.f[i], step * step * bend * (double)(1 + degree));
    assert_near(report.dissipation, steps.loss, 4 * step * step * bend * bend);
    /* Each switch is met to a step. */
    assert_near(report.slip_share, steps.slip, ((double)report.switches + 1) / STEPS);
}

static void random_cycles_agree_with_time_stepping(void **state) {
    (void)state;
    size_t slipping = 0;
    for (size_t degree = 1; degree <= 7; degree++) {
        am_cell *cell = cell_of(degree);
        for (uint64_t i = 0; i < 24; i++) {
            double w[SIZE], limit[SIZE], f[SIZE];
            random_signal(100 * degree + i, degree, w);
            if (i % 3 == 0)
                memset(limit, 0, sizeof limit);
            else
                random_limit(50 + 100 * degree + i, degree, limit);
            limit[0] += i % 3 == 0 ? 0.05 + unit(i, 9) : 0;
            am_cell_limit everywhere = {.signal = limit};
            am_cell_report report;
            GOOD(am_cell_jenkins(cell, w, &everywhere, f, NULL, NULL, &report, err));
            slipping += !report.stuck;
            compare_with_steps(cell, degree, w, &everywhere);
        }
        am_cell_free(cell);
    }
    assert_true(slipping > 100); /* of 168 */
}

static void the_error_of_time_stepping_is_of_second_order_and_not_ours(void **state) {
    (void)state;
    am_cell *cell = cell_of(3);
    double w[] = {0.1, 1, 0.2, -0.3, 0.1, 0.2, 0.3}, limit[] = {0.4, 0.1, 0.2, 0, 0, 0, 0}, f[7], error[3] = {0};
    am_cell_limit everywhere = {.signal = limit};
    GOOD(am_cell_jenkins(cell, w, &everywhere, f, NULL, NULL, NULL, err));
    for (size_t k = 0; k < 3; k++) {
        stepped steps = step_jenkins(3, w, &everywhere, 2000 * (size_t)pow(4, (double)k));
        for (size_t i = 0; i < 7; i++)
            error[k] = fmax(error[k], fabs(f[i] - steps.f[i]));
    }
    /* Sixteen times smaller for steps four times smaller, unevenly since switches fall anywhere within a step. */
    assert_true(error[1] < error[0] / 4 && error[2] < error[1] / 4 && error[2] < error[0] / 64);
    am_cell_free(cell);
}

static void a_limit_that_touches_zero_is_no_obstacle(void **state) {
    (void)state;
    am_cell *cell = cell_of(3);
    double limit[] = {0.5, -0.5, 0, 0, 0, 0, 0}; /* zero at theta = 0 */
    for (uint64_t i = 0; i < 12; i++) {
        double w[SIZE];
        random_signal(900 + i, 3, w);
        compare_with_steps(cell, 3, w, &(am_cell_limit){.signal = limit});
    }
    am_cell_free(cell);
}

/* A layer without damping: f = w where w > 0. `starts` and `ends`: room for 2 degree + 1. */
static am_status positive_part(am_cell *cell, const double *w, double *f, double *d_w, double *starts, double *ends,
                               size_t *pieces, bool *always, am_error *err) {
    return am_cell_layer(cell, w, w, f, NULL, d_w, starts, ends, pieces, always, err);
}

/* The limit of a contact that opens: the positive part of a signal. */
typedef struct opening {
    double starts[2 * MOST + 1], ends[2 * MOST + 1];
    am_cell_limit limit;
} opening;

static void open_where_negative(am_cell *cell, const double *signal, opening *out) {
    double f[SIZE];
    size_t pieces;
    bool always;
    GOOD(positive_part(cell, signal, f, NULL, out->starts, out->ends, &pieces, &always, err));
    out->limit = (am_cell_limit){.signal = signal,
                                 .intervals = pieces,
                                 .starts = always ? NULL : out->starts,
                                 .ends = always ? NULL : out->ends};
}

static void contacts_that_open_agree_with_time_stepping(void **state) {
    (void)state;
    size_t opened = 0;
    for (size_t degree = 1; degree <= 5; degree++) {
        am_cell *cell = cell_of(degree);
        for (uint64_t i = 0; i < 20; i++) {
            double w[SIZE], signal[SIZE];
            opening lift;
            random_signal(2000 + 100 * degree + i, degree, w);
            random_signal(3000 + 100 * degree + i, degree, signal);
            signal[0] += 0.2;
            open_where_negative(cell, signal, &lift);
            opened += lift.limit.starts && lift.limit.intervals > 0;
            compare_with_steps(cell, degree, w, &lift.limit);
        }
        am_cell_free(cell);
    }
    assert_true(opened > 60); /* of 100 */
}

/* Surfaces that meet at speed: the limit jumps up, and the spring starts from zero. */
static void contacts_that_close_with_a_jump_agree_with_time_stepping(void **state) {
    (void)state;
    size_t closed = 0;
    am_cell *cell = cell_of(3);
    for (uint64_t i = 0; i < 30; i++) {
        double w[SIZE], d[SIZE], signal[SIZE], f[SIZE];
        opening lift;
        size_t pieces;
        bool always;
        random_signal(2700 + i, 3, w);
        random_signal(2800 + i, 3, d);
        am_trig_derivative(3, d, signal);
        for (size_t k = 0; k < 7; k++)
            signal[k] = 0.2 * d[k] + 0.1 * signal[k];
        GOOD(am_cell_layer(cell, d, signal, f, NULL, NULL, lift.starts, lift.ends, &pieces, &always, err));
        lift.limit = (am_cell_limit){
            .signal = signal, .intervals = pieces, .starts = always ? NULL : lift.starts, .ends = lift.ends};
        closed += pieces > 0;
        compare_with_steps(cell, 3, w, &lift.limit);
    }
    assert_true(closed > 20);
    am_cell_free(cell);
}

/* ---- Jenkins: derivatives ---- */

typedef am_status evaluate_signals(am_cell *cell, const double *w, const double *limit, double *f, double *d_w,
                                   double *d_limit);

static am_status evaluate_jenkins(am_cell *cell, const double *w, const double *limit, double *f, double *d_w,
                                  double *d_limit) {
    return am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, d_w, d_limit, NULL, NULL);
}

/* The intervals move with the signal. */
static am_status evaluate_opening_jenkins(am_cell *cell, const double *w, const double *limit, double *f, double *d_w,
                                          double *d_limit) {
    opening lift;
    open_where_negative(cell, limit, &lift);
    return am_cell_jenkins(cell, w, &lift.limit, f, d_w, d_limit, NULL, NULL);
}

static am_status evaluate_clip(am_cell *cell, const double *w, const double *limit, double *f, double *d_w,
                               double *d_limit) {
    return am_cell_clip(cell, w, &(am_cell_limit){.signal = limit}, f, d_w, d_limit, NULL, NULL);
}

static am_status evaluate_opening_clip(am_cell *cell, const double *w, const double *limit, double *f, double *d_w,
                                       double *d_limit) {
    opening lift;
    open_where_negative(cell, limit, &lift);
    return am_cell_clip(cell, w, &lift.limit, f, d_w, d_limit, NULL, NULL);
}

/* The largest difference between a derivative and a central difference, over all entries. */
static double worst_difference(evaluate_signals *evaluate, am_cell *cell, size_t degree, const double *w,
                               const double *limit, double step) {
    size_t n = am_trig_size(degree);
    double f[SIZE], up[SIZE], down[SIZE], d_w[SIZE * SIZE], d_limit[SIZE * SIZE], worst = 0;
    assert_int_equal(evaluate(cell, w, limit, f, d_w, d_limit), AM_OK);
    for (size_t j = 0; j < 2 * n; j++) {
        double moved[2][SIZE];
        memcpy(moved[0], w, n * sizeof *w);
        memcpy(moved[1], limit, n * sizeof *limit);
        moved[j / n][j % n] += step;
        assert_int_equal(evaluate(cell, moved[0], moved[1], up, NULL, NULL), AM_OK);
        moved[j / n][j % n] -= 2 * step;
        assert_int_equal(evaluate(cell, moved[0], moved[1], down, NULL, NULL), AM_OK);
        for (size_t i = 0; i < n; i++) {
            double error = fabs((up[i] - down[i]) / (2 * step) - (j < n ? d_w : d_limit)[i * n + j % n]);
            worst = error > worst || isnan(error) ? error : worst;
        }
    }
    return worst;
}

/* Differences of step 1e-6: rounding leaves 1e-10; what is cut off is 1e-12 over powers of the slopes at which switches
 * are passed, and random slopes are small now and then. */
static void check_derivatives(evaluate_signals *evaluate, double limit_shift) {
    size_t switching = 0;
    for (size_t degree = 1; degree <= 5; degree++) {
        am_cell *cell = cell_of(degree);
        size_t n = am_trig_size(degree);
        for (uint64_t i = 0; i < 24; i++) {
            double w[SIZE], limit[SIZE], f[SIZE], d_w[SIZE * SIZE];
            random_signal(5000 + 100 * degree + i, degree, w);
            random_limit(7000 + 100 * degree + i, degree, limit);
            limit[0] += limit_shift;
            assert_near(worst_difference(evaluate, cell, degree, w, limit, 1e-6), 0, 1e-6);
            assert_int_equal(evaluate(cell, w, limit, f, d_w, NULL), AM_OK);
            switching += fabs(d_w[n * n - 1] - 1) > 1e-3; /* not just a spring */
        }
        am_cell_free(cell);
    }
    assert_true(switching > 60); /* of 120 */
}

static void derivatives_of_jenkins_are_those_of_differences(void **state) {
    (void)state;
    check_derivatives(evaluate_jenkins, 0);
}

static void derivatives_of_an_opening_jenkins_are_those_of_differences(void **state) {
    (void)state;
    check_derivatives(evaluate_opening_jenkins, -0.3);
}

static void derivatives_of_the_clip_are_those_of_differences(void **state) {
    (void)state;
    check_derivatives(evaluate_clip, 0);
    check_derivatives(evaluate_opening_clip, -0.3);
}

/* w = A cos theta just beyond the limit: slip lasts sqrt(1 - L/A). The slope of the part in phase leaves that of a
 * spring with a vertical tangent, that of the part out of phase, -(4 L/pi)(1 - L/A), jumps: a kink of the response. */
static void derivatives_near_the_onset_of_slip_are_right(void **state) {
    (void)state;
    am_cell *cell = cell_of(3);
    double limit[7] = {1};
    for (int power = 2; power <= 8; power += 2) {
        double beyond = pow(10, -power), w[7] = {0, 1 + beyond, 0, 0, 0, 0, 0}, f[7], d_w[49];
        am_cell_report report;
        GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, d_w, NULL, &report, err));
        assert_false(report.stuck);
        /* The lost part of a spring: two arcs of length sqrt(8 beyond) or so. */
        assert_near(d_w[8], 1, 4 * sqrt(beyond));
        assert_true(d_w[8] < 1 - 0.1 * sqrt(beyond));
        double angle = acos(1 - 2 / w[1]), turn = -2 / (w[1] * w[1]) / sin(angle);
        /* cos(angle) near -1 loses half of the digits of the closed form */
        assert_near(d_w[8], (angle - sin(2 * angle) / 2 + w[1] * (1 - cos(2 * angle)) * turn) / pi, 1e-7);
        assert_near(d_w[15], -4 / (pi * w[1] * w[1]), 64 * DBL_EPSILON);
        w[1] = 1 - beyond;
        GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, d_w, NULL, &report, err));
        assert_true(report.stuck);
        assert_near(d_w[8], 1, 0);
        assert_near(d_w[15], 0, 0);
    }
    am_cell_free(cell);
}

/* f is homogeneous of first degree in (w, limit): Euler's identity, exactly. */
static void derivatives_satisfy_eulers_identity(void **state) {
    (void)state;
    evaluate_signals *cells[] = {evaluate_jenkins, evaluate_opening_jenkins, evaluate_clip, evaluate_opening_clip};
    for (size_t c = 0; c < 4; c++)
        for (uint64_t i = 0; i < 30; i++) {
            size_t degree = 1 + i % MOST, n = am_trig_size(degree);
            double w[SIZE], limit[SIZE], f[SIZE], d_w[SIZE * SIZE], d_limit[SIZE * SIZE];
            am_cell *cell = cell_of(degree);
            random_signal(400 + i, degree, w);
            random_limit(500 + i, degree, limit);
            limit[0] -= c % 2 ? 0.2 : 0;
            assert_int_equal(cells[c](cell, w, limit, f, d_w, d_limit), AM_OK);
            for (size_t r = 0; r < n; r++) {
                double sum = 0, size = 1;
                for (size_t j = 0; j < n; j++) {
                    sum += d_w[r * n + j] * w[j] + d_limit[r * n + j] * limit[j];
                    size += fabs(d_w[r * n + j] * w[j]) + fabs(d_limit[r * n + j] * limit[j]);
                }
                assert_near(sum, f[r], 16 * DBL_EPSILON * (double)n * size);
            }
            am_cell_free(cell);
        }
}

/* ---- symmetries and energy ---- */

static void units_do_not_matter(void **state) {
    (void)state;
    evaluate_signals *cells[] = {evaluate_jenkins, evaluate_opening_jenkins, evaluate_clip, evaluate_opening_clip};
    double scales[] = {0x1p-600, 0x1p-60, 0x1p60, 0x1p600}; /* powers of two: nothing is rounded */
    am_cell *cell = cell_of(5);
    for (size_t c = 0; c < 4; c++)
        for (uint64_t i = 0; i < 20; i++) {
            double w[SIZE], limit[SIZE], f[SIZE], scaled_w[SIZE], scaled_limit[SIZE], scaled_f[SIZE];
            random_signal(4000 + i, 5, w);
            random_limit(4100 + i, 5, limit);
            limit[0] -= c % 2 ? 0.2 : 0;
            assert_int_equal(cells[c](cell, w, limit, f, NULL, NULL), AM_OK);
            for (size_t k = 0; k < am_trig_size(5); k++) {
                scaled_w[k] = scales[i % 4] * w[k];
                scaled_limit[k] = scales[i % 4] * limit[k];
            }
            assert_int_equal(cells[c](cell, scaled_w, scaled_limit, scaled_f, NULL, NULL), AM_OK);
            for (size_t k = 0; k < am_trig_size(5); k++)
                assert_near(scaled_f[k] / scales[i % 4], f[k], 16 * DBL_EPSILON);
        }
    am_cell_free(cell);
}

static void turn_signal(size_t degree, const double *s, double angle, double *turned) {
    turned[0] = s[0];
    for (size_t h = 1; h <= degree; h++) {
        double c = cos((double)h * angle), sine = sin((double)h * angle);
        turned[2 * h - 1] = s[2 * h - 1] * c - s[2 * h] * sine;
        turned[2 * h] = s[2 * h - 1] * sine + s[2 * h] * c;
    }
}

static void a_shift_of_phase_and_a_change_of_sign_pass_through(void **state) {
    (void)state;
    evaluate_signals *cells[] = {evaluate_jenkins, evaluate_opening_jenkins, evaluate_clip, evaluate_opening_clip};
    for (size_t c = 0; c < 4; c++)
        for (uint64_t i = 0; i < 40; i++) {
            size_t degree = 1 + i % 8;
            double w[SIZE], limit[SIZE], f[SIZE], turned_w[SIZE], turned_limit[SIZE], turned_f[SIZE], wanted[SIZE];
            double angle = two_pi * unit(i, 77);
            am_cell *cell = cell_of(degree);
            random_signal(600 + i, degree, w);
            random_limit(700 + i, degree, limit);
            limit[0] -= c % 2 ? 0.2 : 0;
            assert_int_equal(cells[c](cell, w, limit, f, NULL, NULL), AM_OK);
            turn_signal(degree, w, angle, turned_w);
            turn_signal(degree, limit, angle, turned_limit);
            assert_int_equal(cells[c](cell, turned_w, turned_limit, turned_f, NULL, NULL), AM_OK);
            turn_signal(degree, f, angle, wanted);
            /* Turning rounds the signals; the force follows them continuously, with a factor of a few. */
            double rounding = 200 * DBL_EPSILON * (sum_of(degree, w, 1) + sum_of(degree, limit, 1));
            for (size_t k = 0; k < am_trig_size(degree); k++)
                assert_near(turned_f[k], wanted[k], rounding);
            for (size_t k = 0; k < am_trig_size(degree); k++)
                w[k] = -w[k];
            assert_int_equal(cells[c](cell, w, limit, turned_f, NULL, NULL), AM_OK);
            for (size_t k = 0; k < am_trig_size(degree); k++)
                assert_near(turned_f[k], -f[k], rounding);
            am_cell_free(cell);
        }
}

/* A constant limit: what slides, slides under it. Between extremes c only moves in slip, so that the loss is the limit
 * times the whole way of the slider, found here from the extremes of w alone. */
static void the_loss_is_the_limit_times_the_way_of_the_slider(void **state) {
    (void)state;
    am_cell *cell = cell_of(6);
    size_t slipping = 0;
    for (uint64_t i = 0; i < 60; i++) {
        double w[SIZE], rate[SIZE], limit[SIZE] = {0.05 + unit(i, 3)}, turns[2 * MOST], f[SIZE], force = 0, way = 0;
        random_signal(800 + i, 6, w);
        am_trig_derivative(6, w, rate);
        size_t count = signal_changes(6, rate, turns);
        for (size_t k = 1; k <= 4 * count; k++) { /* from turn to turn, four times around */
            double trial = force + am_trig_value(6, w, turns[k % count]) - am_trig_value(6, w, turns[(k - 1) % count]);
            force = fmax(-limit[0], fmin(limit[0], trial));
            way += k > 3 * count ? fabs(trial - force) : 0;
        }
        am_cell_report report;
        GOOD(am_cell_jenkins(cell, w, &(am_cell_limit){.signal = limit}, f, NULL, NULL, &report, err));
        slipping += !report.stuck;
        assert_near(report.dissipation, limit[0] * way, 1000 * DBL_EPSILON);
    }
    assert_true(slipping > 40);
    am_cell_free(cell);
}

/* ---- clip and positive part ---- */

static void the_clip_agrees_with_samples(void **state) {
    (void)state;
    enum { SAMPLES = 4000 };
    for (uint64_t i = 0; i < 60; i++) {
        size_t degree = 1 + i % 8;
        double w[SIZE], limit[SIZE], f[SIZE], sampled[SIZE] = {0}, c[MOST + 1], s[MOST + 1], saturated = 0, power = 0;
        am_cell *cell = cell_of(degree);
        opening lift = {.limit = {.signal = limit}};
        random_signal(1200 + i, degree, w);
        random_limit(1300 + i, degree, limit);
        if (i % 2) {
            limit[0] -= 0.3;
            open_where_negative(cell, limit, &lift);
        }
        am_cell_report report;
        GOOD(am_cell_clip(cell, w, &lift.limit, f, NULL, NULL, &report, err));
        for (size_t k = 0; k < SAMPLES; k++) {
            double theta = two_pi * (double)k / SAMPLES, bound = limit_at(degree, &lift.limit, theta);
            double input = am_trig_value(degree, w, theta), force = fmax(-bound, fmin(bound, input));
            am_trig_basis(degree, theta, c, s);
            sampled[0] += force / SAMPLES;
            for (size_t h = 1; h <= degree; h++) {
                sampled[2 * h - 1] += 2 * force * c[h] / SAMPLES;
                sampled[2 * h] += 2 * force * s[h] / SAMPLES;
            }
            saturated += bound > 0 && fabs(input) > bound ? 1.0 / SAMPLES : 0;
            power += two_pi * force * input / SAMPLES;
        }
        /* A kink inside a step costs the step squared times the jump of the slope. */
        double step = two_pi / SAMPLES, steep = sum_of(degree, w, 1) + sum_of(degree, limit, 1);
        for (size_t k = 0; k < am_trig_size(degree); k++)
            assert_near(f[k], sampled[k], ((double)report.switches + 1) * step * step * steep);
        assert_near(report.slip_share, saturated, ((double)report.switches + 1) / SAMPLES);
        assert_near(report.dissipation, power, ((double)report.switches + 1) * 4 * step * step * steep * steep);
        am_cell_free(cell);
    }
}

static void a_clip_that_never_saturates_is_the_identity(void **state) {
    (void)state;
    am_cell *cell = cell_of(2);
    double w[] = {0.1, 0.3, -0.1, 0.05, 0.2}, limit[] = {1, 0.1, 0, 0, 0}, f[5], d_w[25];
    am_cell_report report;
    GOOD(am_cell_clip(cell, w, &(am_cell_limit){.signal = limit}, f, d_w, NULL, &report, err));
    assert_true(report.stuck && report.switches == 0);
    for (size_t i = 0; i < 5; i++) {
        assert_near(f[i], w[i], 4 * DBL_EPSILON);
        for (size_t j = 0; j < 5; j++)
            assert_near(d_w[5 * i + j], i == j ? 1 : 0, 4 * DBL_EPSILON);
    }
    am_cell_free(cell);
}

static void half_a_cosine_has_the_known_series(void **state) {
    (void)state;
    am_cell *cell = cell_of(6);
    double w[13] = {0, 2}, f[13], starts[13], ends[13];
    size_t pieces;
    bool always;
    GOOD(positive_part(cell, w, f, NULL, starts, ends, &pieces, &always, err));
    assert_int_equal(pieces, 1);
    assert_false(always);
    assert_near(starts[0], 3 * pi / 2, 4 * DBL_EPSILON);
    assert_near(ends[0], 5 * pi / 2, 8 * DBL_EPSILON);
    /* 1/pi + cos/2 + (2/pi) sum over even h of (-1)^(h/2+1) cos(h theta)/(h^2 - 1), times 2 */
    double wanted[13] = {2 / pi, 1, 0, 4 / (3 * pi), 0, 0, 0, -4 / (15 * pi), 0, 0, 0, 4 / (35 * pi), 0};
    for (size_t i = 0; i < 13; i++)
        assert_near(f[i], wanted[i], 8 * DBL_EPSILON);
    am_cell_free(cell);
}

static void the_positive_part_and_its_derivative_agree_with_differences(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 30; i++) {
        size_t degree = 1 + i % 6, n = am_trig_size(degree), pieces;
        double w[SIZE], f[SIZE], mirrored[SIZE], up[SIZE], down[SIZE], d_w[SIZE * SIZE];
        double starts[2 * MOST + 1], ends[2 * MOST + 1];
        bool always;
        am_cell *cell = cell_of(degree);
        random_signal(1500 + i, degree, w);
        GOOD(positive_part(cell, w, f, d_w, starts, ends, &pieces, &always, err));
        for (size_t k = 0; k < pieces; k++) {
            assert_true(am_trig_value(degree, w, (starts[k] + ends[k]) / 2) > 0);
            assert_near(am_trig_value(degree, w, starts[k]), 0, 64 * DBL_EPSILON * sum_of(degree, w, 1));
            assert_near(am_trig_value(degree, w, ends[k]), 0, 64 * DBL_EPSILON * sum_of(degree, w, 1));
            assert_true(starts[k] >= 0 && starts[k] < two_pi && (k == 0 || starts[k] >= ends[k - 1]));
        }
        for (size_t k = 0; k < n; k++)
            mirrored[k] = -w[k];
        GOOD(positive_part(cell, mirrored, up, NULL, NULL, NULL, NULL, NULL, err));
        for (size_t k = 0; k < n; k++) /* w+ - (-w)+ = w */
            assert_near(f[k] - up[k], w[k], 64 * DBL_EPSILON * sum_of(degree, w, 0));
        for (size_t j = 0; j < n; j++) {
            double moved[SIZE];
            memcpy(moved, w, sizeof moved);
            moved[j] += 1e-6;
            GOOD(positive_part(cell, moved, up, NULL, NULL, NULL, NULL, NULL, err));
            moved[j] -= 2e-6;
            GOOD(positive_part(cell, moved, down, NULL, NULL, NULL, NULL, NULL, err));
            for (size_t r = 0; r < n; r++) /* rounding 1e-10; curvature 1e-12 over the slope at the zero */
                assert_near((up[r] - down[r]) / 2e-6, d_w[r * n + j], 1e-7);
        }
        am_cell_free(cell);
    }
}

static void what_is_always_positive_passes_and_what_never_is_does_not(void **state) {
    (void)state;
    am_cell *cell = cell_of(1);
    double w[] = {2, 1, 1}, f[3], d_w[9];
    size_t pieces = 9;
    bool always = false;
    GOOD(positive_part(cell, w, f, d_w, NULL, NULL, &pieces, &always, err));
    assert_true(always && pieces == 0);
    assert_near(f[0] + f[1] + f[2], 4, 0);
    assert_near(d_w[0] + d_w[4] + d_w[8], 3, 0);
    w[0] = -2;
    GOOD(positive_part(cell, w, f, d_w, NULL, NULL, &pieces, &always, err));
    assert_true(!always && pieces == 0);
    for (size_t i = 0; i < 9; i++)
        assert_near(f[i / 3] + d_w[i], 0, 0);
    am_cell_free(cell);
}

/* d = cos theta, w = d + c d': closes at -pi/2 with the force c, opens where cos = c sin, that is atan(1/c). */
static void a_damping_layer_pushes_from_the_first_touch_on(void **state) {
    (void)state;
    am_cell *cell = cell_of(1);
    double c = 0.3, d[] = {0, 1, 0}, w[] = {0, 1, -c}, f[3], starts[3], ends[3], end = atan(1 / c);
    size_t pieces;
    bool always;
    GOOD(am_cell_layer(cell, d, w, f, NULL, NULL, starts, ends, &pieces, &always, err));
    assert_int_equal(pieces, 1);
    assert_false(always);
    assert_near(starts[0], 3 * pi / 2, 4 * DBL_EPSILON);
    assert_near(ends[0], two_pi + end, 8 * DBL_EPSILON);
    /* integrals of cos - c sin, and of it times cos and sin, from -pi/2 */
    double s = sin(end), k = cos(end), width = end + pi / 2;
    assert_near(f[0], (s + 1 + c * k) / two_pi, 8 * DBL_EPSILON);
    assert_near(f[1], ((width + s * k) / 2 - c * (s * s - 1) / 2) / pi, 8 * DBL_EPSILON);
    assert_near(f[2], ((s * s - 1) / 2 - c * (width - s * k) / 2) / pi, 8 * DBL_EPSILON);
    am_cell_free(cell);
}

static void derivatives_of_the_layer_account_for_the_jump(void **state) {
    (void)state;
    size_t jumps = 0;
    for (uint64_t i = 0; i < 40; i++) {
        size_t degree = 1 + i % 5, n = am_trig_size(degree);
        double d[SIZE], w[SIZE], rate[SIZE], f[SIZE], up[SIZE], down[SIZE], d_d[SIZE * SIZE], d_w[SIZE * SIZE];
        am_cell *cell = cell_of(degree);
        random_signal(2600 + i, degree, d);
        am_trig_derivative(degree, d, rate);
        for (size_t k = 0; k < n; k++)
            w[k] = d[k] + 0.4 * rate[k];
        GOOD(am_cell_layer(cell, d, w, f, d_d, d_w, NULL, NULL, NULL, NULL, err));
        for (size_t j = 0; j < 2 * n; j++) {
            double moved[2][SIZE];
            memcpy(moved[0], d, n * sizeof *d);
            memcpy(moved[1], w, n * sizeof *w);
            moved[j / n][j % n] += 1e-6;
            GOOD(am_cell_layer(cell, moved[0], moved[1], up, NULL, NULL, NULL, NULL, NULL, NULL, err));
            moved[j / n][j % n] -= 2e-6;
            GOOD(am_cell_layer(cell, moved[0], moved[1], down, NULL, NULL, NULL, NULL, NULL, NULL, err));
            for (size_t r = 0; r < n; r++) /* as in check_derivatives */
                assert_near((up[r] - down[r]) / 2e-6, (j < n ? d_d : d_w)[r * n + j % n], 1e-6);
        }
        jumps += d_d[0] != 0;
        am_cell_free(cell);
    }
    assert_true(jumps > 30); /* of 40 */
}

/* ---- polynomials ---- */

/* Eq. (9.8) of the thesis: of y^3 and y^5 one harmonic keeps 3/4 r^2 and 5/8 r^4 of itself. */
static void one_harmonic_of_cube_and_fifth_power_keeps_three_quarters_and_five_eighths(void **state) {
    (void)state;
    am_cell *cell = cell_of(1);
    am_polynomial_term terms[] = {{0.4, 0, 1}, {-0.7, 0, 3}, {0.3, 0, 5}};
    for (uint64_t i = 0; i < 20; i++) {
        double x[3] = {0}, y[3] = {0, 2 * unit(i, 0) - 1, 2 * unit(i, 1) - 1}, f[3], d_x[9], d_y[9];
        double square = y[1] * y[1] + y[2] * y[2], gain = 0.4 - 0.7 * 0.75 * square + 0.3 * 0.625 * square * square;
        double slope = -0.7 * 0.75 + 0.3 * 0.625 * 2 * square; /* d gain/d square */
        GOOD(am_cell_polynomial(cell, 3, terms, x, y, f, d_x, d_y, err));
        assert_near(f[0], 0, 8 * DBL_EPSILON);
        for (size_t r = 1; r < 3; r++) {
            assert_near(f[r], gain * y[r], 16 * DBL_EPSILON);
            for (size_t j = 1; j < 3; j++)
                assert_near(d_y[3 * r + j], (r == j ? gain : 0) + 2 * slope * y[r] * y[j], 32 * DBL_EPSILON);
        }
        /* The mean moves by the mean of the slope 0.4 - 2.1 y^2 + 1.5 y^4. */
        assert_near(d_y[0], 0.4 - 2.1 * square / 2 + 1.5 * 0.375 * square * square, 32 * DBL_EPSILON);
        for (size_t k = 0; k < 9; k++)
            assert_near(d_x[k], 0, 0);
    }
    am_cell_free(cell);
}

static double polynomial_at(size_t count, const am_polynomial_term *terms, double x, double y) {
    double sum = 0;
    for (size_t t = 0; t < count; t++)
        sum += terms[t].coefficient * pow(x, terms[t].displacement) * pow(y, terms[t].velocity);
    return sum;
}

static void polynomials_of_all_degrees_agree_with_ten_times_more_samples(void **state) {
    (void)state;
    for (unsigned power = 1; power <= AM_POLYNOMIAL_DEGREE; power++)
        for (size_t degree = 1; degree <= 6; degree++) {
            size_t samples = 10 * ((power + 1) * degree + 1);
            am_cell *cell = cell_of(degree);
            am_polynomial_term terms[] = {
                {0.7, power, 0}, {-0.4, power / 2, power - power / 2}, {0.2, 0, power}, {0.5, 1, 0}};
            double x[SIZE], y[SIZE], f[SIZE], wanted[SIZE] = {0}, c[MOST + 1], s[MOST + 1], size = 0;
            random_signal(1600 + power, degree, x);
            random_signal(1700 + power, degree, y);
            GOOD(am_cell_polynomial(cell, 4, terms, x, y, f, NULL, NULL, err));
            for (size_t k = 0; k < samples; k++) {
                double theta = two_pi * (double)k / (double)samples;
                double force =
                    polynomial_at(4, terms, am_trig_value(degree, x, theta), am_trig_value(degree, y, theta));
                size = fmax(size, fabs(force));
                am_trig_basis(degree, theta, c, s);
                wanted[0] += force / (double)samples;
                for (size_t h = 1; h <= degree; h++) {
                    wanted[2 * h - 1] += 2 * force * c[h] / (double)samples;
                    wanted[2 * h] += 2 * force * s[h] / (double)samples;
                }
            }
            for (size_t i = 0; i < am_trig_size(degree); i++)
                assert_near(f[i], wanted[i], 100 * DBL_EPSILON * (1 + size));
            am_cell_free(cell);
        }
}

/* A polynomial of degree d is its own Taylor series: the difference of step h misses h^2 times third derivatives. */
static void derivatives_of_polynomials_are_those_of_differences(void **state) {
    (void)state;
    am_polynomial_term terms[] = {{0.7, 3, 0}, {-0.4, 1, 2}, {0.2, 0, 5}, {0.5, 1, 0}, {0.3, 2, 0}, {0.1, 4, 5}};
    for (size_t degree = 1; degree <= 5; degree++) {
        size_t n = am_trig_size(degree);
        double x[SIZE], y[SIZE], f[SIZE], up[SIZE], down[SIZE], d_x[SIZE * SIZE], d_y[SIZE * SIZE];
        am_cell *cell = cell_of(degree);
        random_signal(1800 + degree, degree, x);
        random_signal(1900 + degree, degree, y);
        GOOD(am_cell_polynomial(cell, 6, terms, x, y, f, d_x, d_y, err));
        for (size_t j = 0; j < 2 * n; j++) {
            double moved[2][SIZE], step = 1e-5;
            memcpy(moved[0], x, n * sizeof *x);
            memcpy(moved[1], y, n * sizeof *y);
            moved[j / n][j % n] += step;
            GOOD(am_cell_polynomial(cell, 6, terms, moved[0], moved[1], up, NULL, NULL, err));
            moved[j / n][j % n] -= 2 * step;
            GOOD(am_cell_polynomial(cell, 6, terms, moved[0], moved[1], down, NULL, NULL, err));
            for (size_t i = 0; i < n; i++) /* 1e-10 times third derivatives of up to a hundred */
                assert_near((up[i] - down[i]) / (2 * step), (j < n ? d_x : d_y)[i * n + j % n], 2e-8);
        }
        am_cell_free(cell);
    }
}

/* ---- refusals ---- */

static void numbers_that_are_not_finite_are_refused(void **state) {
    (void)state;
    am_cell *cell = cell_of(2);
    double wrong[] = {NAN, INFINITY, -INFINITY}, f[5];
    am_polynomial_term cube = {1, 3, 0};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 5; k++) {
            double good[] = {0.5, 0.1, 0.2, 0.1, 0}, bad[] = {0.5, 0.1, 0.2, 0.1, 0};
            am_error err;
            bad[k] = wrong[i];
            assert_int_equal(am_cell_jenkins(cell, bad, &(am_cell_limit){.signal = good}, f, NULL, NULL, NULL, &err),
                             AM_ERR_INPUT);
            assert_says(&err, "displacement");
            assert_int_equal(am_cell_jenkins(cell, good, &(am_cell_limit){.signal = bad}, f, NULL, NULL, NULL, &err),
                             AM_ERR_INPUT);
            assert_says(&err, "friction limit");
            assert_int_equal(am_cell_clip(cell, bad, &(am_cell_limit){.signal = good}, f, NULL, NULL, NULL, &err),
                             AM_ERR_INPUT);
            assert_int_equal(am_cell_clip(cell, good, &(am_cell_limit){.signal = bad}, f, NULL, NULL, NULL, &err),
                             AM_ERR_INPUT);
            assert_int_equal(am_cell_layer(cell, bad, good, f, NULL, NULL, NULL, NULL, NULL, NULL, &err), AM_ERR_INPUT);
            assert_int_equal(am_cell_layer(cell, good, bad, f, NULL, NULL, NULL, NULL, NULL, NULL, &err), AM_ERR_INPUT);
            assert_int_equal(am_cell_polynomial(cell, 1, &cube, bad, good, f, NULL, NULL, &err), AM_ERR_INPUT);
        }
    am_cell_free(cell);
}

static void polynomials_beyond_the_range_of_numbers_are_refused(void **state) {
    (void)state;
    am_cell *cell = cell_of(1);
    double x[] = {0, 1e200, 0}, f[3];
    am_polynomial_term cube = {1, 3, 0}, tenth = {1, 4, 6};
    am_error err;
    assert_int_equal(am_cell_polynomial(cell, 1, &cube, x, x, f, NULL, NULL, &err), AM_ERR_INPUT);
    assert_says(&err, "finite");
    assert_int_equal(am_cell_polynomial(cell, 1, &tenth, x, x, f, NULL, NULL, &err), AM_ERR_INPUT);
    assert_says(&err, "at most 9");
    am_cell_free(cell);
}

static void intervals_out_of_order_are_refused(void **state) {
    (void)state;
    am_cell *cell = cell_of(2);
    double s[] = {0.5, 0.1, 0, 0, 0}, f[5];
    double cases[][4] = {{2, 1, 3, 4},   {1, 3, 2, 4},        {1, 2, 3, 8}, {NAN, 2, 3, 4},
                         {1, NAN, 3, 4}, {1, 2, 3, INFINITY}, {7, 8, 9, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double starts[] = {cases[i][0], cases[i][2]}, ends[] = {cases[i][1], cases[i][3]};
        am_cell_limit limit = {.signal = s, .intervals = 2, .starts = starts, .ends = ends};
        am_error err;
        assert_int_equal(am_cell_jenkins(cell, s, &limit, f, NULL, NULL, NULL, &err), AM_ERR_INPUT);
        assert_says(&err, "intervals");
        assert_int_equal(am_cell_clip(cell, s, &limit, f, NULL, NULL, NULL, &err), AM_ERR_INPUT);
    }
    am_cell_free(cell);
    am_error err;
    assert_null(am_cell_create(0, &err));
    assert_says(&err, "at least one harmonic");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_harmonic_gives_griffins_describing_function),
        cmocka_unit_test(below_the_limit_it_is_a_spring_with_the_smallest_mean),
        cmocka_unit_test(a_mean_that_does_not_fit_is_moved_just_far_enough),
        cmocka_unit_test(nothing_moves_and_nothing_holds),
        cmocka_unit_test(flat_reversals_leave_the_loop_of_their_amplitude),
        cmocka_unit_test(a_limit_that_moves_with_the_displacement_is_met_all_the_time),
        cmocka_unit_test(random_cycles_agree_with_time_stepping),
        cmocka_unit_test(the_error_of_time_stepping_is_of_second_order_and_not_ours),
        cmocka_unit_test(a_limit_that_touches_zero_is_no_obstacle),
        cmocka_unit_test(contacts_that_open_agree_with_time_stepping),
        cmocka_unit_test(contacts_that_close_with_a_jump_agree_with_time_stepping),
        cmocka_unit_test(derivatives_of_jenkins_are_those_of_differences),
        cmocka_unit_test(derivatives_of_an_opening_jenkins_are_those_of_differences),
        cmocka_unit_test(derivatives_of_the_clip_are_those_of_differences),
        cmocka_unit_test(derivatives_near_the_onset_of_slip_are_right),
        cmocka_unit_test(derivatives_satisfy_eulers_identity),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(a_shift_of_phase_and_a_change_of_sign_pass_through),
        cmocka_unit_test(the_loss_is_the_limit_times_the_way_of_the_slider),
        cmocka_unit_test(the_clip_agrees_with_samples),
        cmocka_unit_test(a_clip_that_never_saturates_is_the_identity),
        cmocka_unit_test(half_a_cosine_has_the_known_series),
        cmocka_unit_test(the_positive_part_and_its_derivative_agree_with_differences),
        cmocka_unit_test(what_is_always_positive_passes_and_what_never_is_does_not),
        cmocka_unit_test(a_damping_layer_pushes_from_the_first_touch_on),
        cmocka_unit_test(derivatives_of_the_layer_account_for_the_jump),
        cmocka_unit_test(one_harmonic_of_cube_and_fifth_power_keeps_three_quarters_and_five_eighths),
        cmocka_unit_test(polynomials_of_all_degrees_agree_with_ten_times_more_samples),
        cmocka_unit_test(derivatives_of_polynomials_are_those_of_differences),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(polynomials_beyond_the_range_of_numbers_are_refused),
        cmocka_unit_test(intervals_out_of_order_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
