/* Sliders behind springs whose limit jumps (a stop is struck, and with the velocity the force of a damped layer or a
 * friction that depends on the speed is another one) or whose own velocity does (another contact sets off or stops, and
 * accelerations jump). Random structures are compared with an integration that knows no events: small steps, in each of
 * which the spring is stretched and cut back to its limit (return mapping). Starts from zero, and on surfaces that move. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "cases.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "steps.h"

/* x along the surface, y across it: a layer with a slider behind a spring, a rigid pad that rubs along x, a stop for each. */
enum { N = 2, LAYER, PAD, STOP_X, STOP_Y, CONTACTS };

typedef struct rig {
    double mass[N], damping[N], stiffness[N][N], amplitude[N], frequency[N], press;
    double layer, damper, spring, dissipation, exponent, held, coefficient, belt, wall[N], bounce[N];
    bool curved;          /* the layer: hunt-crossley */
    double mu, low, slow; /* of the slider: low + (mu - low) exp(-v/slow); slow = 0: mu */
} rig;

static rig draw(uint64_t seed) {
    random_source random = random_seed(seed);
    rig r = {.press = random_between(&random, 1, 3), .layer = random_between(&random, 10, 60)};
    for (size_t i = 0; i < N; i++) {
        r.mass[i] = random_between(&random, 0.5, 2);
        r.damping[i] = random_between(&random, 0, 0.2);
        r.stiffness[i][i] = random_between(&random, 1, 6);
        r.amplitude[i] = random_between(&random, 1, 4);
        r.frequency[i] = random_between(&random, 0.5, 3);
        r.wall[i] = random_between(&random, 0.02, 0.3);
        r.bounce[i] = random_between(&random, 0, 0.8);
    }
    r.stiffness[0][1] = r.stiffness[1][0] = random_between(&random, -0.5, 0.5);
    r.curved = random_chance(&random, 0.4);
    r.damper = random_between(&random, 0.1, 1.5);
    r.dissipation = random_between(&random, 0.1, 1);
    r.exponent = random_chance(&random, 0.5) ? 1.5 : 1;
    r.spring = random_between(&random, 3, 20);
    r.held = random_between(&random, 0.3, 1.5);
    r.coefficient = random_between(&random, 0.1, 0.5);
    r.belt = random_between(&random, -0.5, 0.5);
    r.mu = random_between(&random, 0.3, 0.7);
    r.low = random_between(&random, 0.1, 0.3);
    r.slow = random_chance(&random, 0.6) ? random_between(&random, 0.1, 0.5) : 0;
    return r;
}

static am_system *make(const rig *r) {
    static const double along[] = {1, 0}, across[] = {0, 1}, back[] = {-1, 0}, down[] = {0, -1};
    am_contact_def contact[CONTACTS - LAYER];
    for (size_t c = 0; c < CONTACTS - LAYER; c++)
        contact[c] = am_contact_def_default();
    am_contact_def *layer = &contact[0], *pad = &contact[PAD - LAYER];
    layer->normal = across;
    layer->tangent = along;
    layer->normal_law = r->curved ? AM_HUNT_CROSSLEY : AM_KELVIN_VOIGT;
    layer->contact_stiffness = r->layer;
    layer->contact_damping = r->curved ? 0 : r->damper;
    layer->contact_exponent = r->exponent;
    layer->contact_dissipation = r->curved ? r->dissipation : 0;
    layer->tangential_stiffness = r->spring;
    if (r->slow > 0)
        layer->speed_friction = (am_speed_friction){.law = "stribeck", .parameter = {r->mu, r->low, r->slow, 1, 0}};
    else
        layer->friction = r->mu;
    pad->tangent = along;
    pad->normal_law = AM_HELD;
    pad->hold = am_function_constant(r->held);
    pad->friction = r->coefficient;
    pad->surface_velocity = r->belt;
    for (size_t i = 0; i < N; i++) {
        am_contact_def *stop = &contact[STOP_X + i - LAYER];
        stop->normal = i == 0 ? back : down;
        stop->gap = r->wall[i];
        stop->restitution = r->bounce[i];
    }
    const am_load_def loads[] = {{along, am_function_sine(r->amplitude[0], r->frequency[0], 0)},
                                 {across, am_function_sine(r->amplitude[1], r->frequency[1], 0)},
                                 {down, am_function_constant(r->press)}};
    am_system_def def = am_system_def_default();
    def.n = N;
    def.contact_count = CONTACTS - LAYER;
    def.contacts = contact;
    def.load_count = 3;
    def.loads = loads;
    const double mass[] = {r->mass[0], 0, 0, r->mass[1]}, damping[] = {r->damping[0], 0, 0, r->damping[1]};
    return dense_system(def, mass, damping, &r->stiffness[0][0]);
}

/* Steps of length h to `until`: velocities from forces, rigid friction as an impulse that may at most stop the pad, places
 * from velocities, stops by reflection; the error is of the order h. */
static void map(const rig *r, double until, double h, double *q, double *v) {
    double stretch = 0;
    memset(q, 0, N * sizeof *q);
    memset(v, 0, N * sizeof *v);
    for (size_t step = 0; (double)step * h < until - 0.5 * h; step++) {
        double depth = -q[1], press = r->layer * depth - r->damper * v[1], speed = fabs(v[0]);
        if (r->curved)
            press = depth > 0 ? r->layer * pow(depth, r->exponent) * (1 - 1.5 * r->dissipation * v[1]) : 0;
        press = depth > 0 ? fmax(press, 0) : 0;
        double mu = r->slow > 0 ? r->low + (r->mu - r->low) * exp(-speed / r->slow) : r->mu;
        double most = mu * press / r->spring;
        stretch = fmin(fmax(stretch + h * v[0], -most), most);
        double force[N] = {-r->spring * stretch, press - r->press}, t = ((double)step + 0.5) * h;
        for (size_t i = 0; i < N; i++) {
            force[i] += r->amplitude[i] * sin(r->frequency[i] * t) - r->damping[i] * v[i];
            for (size_t j = 0; j < N; j++)
                force[i] -= r->stiffness[i][j] * q[j];
        }
        for (size_t i = 0; i < N; i++)
            v[i] += h / r->mass[i] * force[i];
        double slide = v[0] - r->belt, rub = h * r->coefficient * r->held / r->mass[0];
        v[0] -= fabs(slide) <= rub ? slide : copysign(rub, slide);
        for (size_t i = 0; i < N; i++) {
            q[i] += h * v[i];
            if (q[i] > r->wall[i] && v[i] > 0) {
                v[i] *= -r->bounce[i];
                q[i] = r->wall[i];
            }
        }
    }
}

/* The error of the mapping is told by one with twice the step; what is left after the leading order is taken out is some
 * times smaller, but for motions that bounce on the last digit. */
static void sliders_follow_limits_that_jump_as_steps_without_events_do(void **state) {
    (void)state;
    const double until = 5, h = 2e-5;
    int told = 0, tried = CASES(30, 4);
    for (int trial = 0; trial < tried; trial++) {
        rig r = draw(4000 + (uint64_t)trial);
        am_system *system = make(&r);
        am_motion *motion = am_motion_create(system, true, NULL);
        assert_non_null(motion);
        GOOD(am_motion_start(motion, 0, NULL, NULL, err));
        run_until(motion, until);
        const double *x = am_motion_state(motion);
        double q[N], v[N], q2[N], v2[N], error = 0, doubt = 0;
        map(&r, until, h, q, v);
        map(&r, until, 2 * h, q2, v2);
        for (size_t i = 0; i < N; i++) {
            error = fmax(error, fmax(fabs(q[i] - x[i]), fabs(v[i] - x[N + i])));
            doubt = fmax(doubt, fmax(fabs(q[i] - q2[i]), fabs(v[i] - v2[i])));
        }
        if (doubt < 2e-3) { /* the mapping knows where it goes */
            told++;
            if (!(error <= 4 * doubt + 1e-4))
                fail_msg("structure %d: %g from steps without events, which are known to %g", trial, error, doubt);
        }
        assert_true(am_motion_statistics_get(motion).energy_residual <= 1e-12);
        am_motion_free(motion);
        am_system_free(system);
    }
    assert_true(told > tried / 2);
}

/* ---- starts ---- */

/* m x'' + (k + K) x = K p from rest at zero, where nothing but a preloaded layer has a size: with a spring that is not
 * linear beside it, or not. */
static void a_preloaded_layer_sets_off_from_zero(void **state) {
    (void)state;
    const double one[] = {1}, mass[] = {1}, stiffness[] = {4}, layer = 3, preload = 0.2;
    for (int cubic = 0; cubic < 2; cubic++) {
        am_polynomial_term term = {1e-12, 3, 0}; /* it does nothing here that could be seen */
        am_polynomial_def spring = {NULL, one, 1, &term};
        am_contact_def stop = am_contact_def_default();
        stop.normal = one;
        stop.normal_law = AM_KELVIN_VOIGT;
        stop.contact_stiffness = layer;
        stop.gap = -preload;
        am_system_def def = am_system_def_default();
        def.n = def.contact_count = 1;
        def.contacts = &stop;
        def.polynomial_count = (size_t)cubic;
        def.polynomials = &spring;
        am_system *system = dense_system(def, mass, NULL, stiffness);
        am_motion *motion = am_motion_create(system, true, NULL);
        GOOD(am_motion_start(motion, 0, NULL, NULL, err));
        run_until(motion, 3);
        double w = sqrt(stiffness[0] + layer), rest = layer * preload / (w * w);
        assert_near(am_motion_state(motion)[0], rest * (1 - cos(3 * w)), 1e-13);
        assert_near(am_motion_state(motion)[1], rest * w * sin(3 * w), 1e-13);
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* theta = Dc/v with the speed of the start, on a surface that moves as a function of time: its friction at once is that of
 * steady sliding. */
static void what_friction_remembers_begins_with_the_speed_on_a_surface_that_moves(void **state) {
    (void)state;
    const double one[] = {1}, mass[] = {1}, stiffness[] = {4};
    const double f0 = 0.4, a = 0.05, b = 0.03, V0 = 0.1, Dc = 0.2, N0 = 1.5;
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(N0);
    contact.surface_velocity = 0.2;
    contact.surface_motion = am_function_sine(0.5, 2, 1);
    contact.speed_friction = (am_speed_friction){.law = "rate-and-state", .parameter = {f0, a, b, V0, Dc, 0, 0}};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, mass, NULL, stiffness);
    am_motion *motion = am_motion_create(system, false, NULL);
    const double v = -0.1, speed = 0.2 + 0.5 * sin(1.0) - v;
    GOOD(am_motion_start(motion, 0, NULL, &v, err));
    double T, wanted = N0 * a * asinh(speed / (2 * V0) * exp((f0 + b * log(V0 / speed)) / a));
    am_motion_forces(motion, NULL, &T);
    assert_near(T, wanted, 1e-13);
    am_motion_free(motion);
    am_system_free(system);
}

/* How long a mass of 1 on a spring k, with the squared speed `square` at x = 0, stays in a layer K depth^p behind `gap`: twice
 * the integral of dx/v up to where it turns, with x = turn - s^2. */
static double stay(double k, double square, double gap, double K, double p) {
    enum { PARTS = 20000 };
    double low = gap, turn = sqrt(square / k), sum = 0;
    for (int i = 0; i < 200; i++) {
        double x = 0.5 * (low + turn);
        *(square - k * x * x - 2 * K / (p + 1) * pow(x - gap, p + 1) > 0 ? &low : &turn) = x;
    }
    double h = sqrt(turn - gap) / PARTS;
    for (int i = 0; i < PARTS; i++) {
        double s = (i + 0.5) * h, x = turn - s * s;
        double lost = k * (turn + x) * s * s + 2 * K / (p + 1) * (pow(turn - gap, p + 1) - pow(x - gap, p + 1));
        sum += 2 * s / sqrt(lost) * h;
    }
    return 2 * sum;
}

/* A mass meets a layer with a force like depth^p and is thrown back, also where it hardly comes so far and is there for a
 * small part of a span. */
static void curved_layers_throw_back_what_meets_them(void **state) {
    (void)state;
    const double mass[] = {1};
    random_source random = random_seed(77);
    for (int trial = 0; trial < (int)CASES(40, 8); trial++) {
        static const double exponents[] = {1.2, 1.5, 2, 2.5};
        const double k = random_between(&random, 1, 6), q = -0.1, v = random_between(&random, 0.8, 3);
        const double square = v * v + k * q * q, K = exp(random_between(&random, log(1), log(1e4)));
        am_contact_def stop = am_contact_def_default();
        double p = stop.contact_exponent = exponents[random_index(&random, 4)];
        const double back[] = {-1};
        stop.normal = back;
        stop.normal_law = AM_HUNT_CROSSLEY;
        stop.contact_stiffness = K;
        stop.gap = sqrt(square / k) * (1 - exp(random_between(&random, log(1e-3), log(0.5))));
        am_system_def def = am_system_def_default();
        def.n = def.contact_count = 1;
        def.contacts = &stop;
        am_system *system = dense_system(def, mass, NULL, &k);
        am_motion *motion = am_motion_create(system, true, NULL);
        GOOD(am_motion_start(motion, 0, &q, &v, err));
        assert_true(next_event(motion, 100));
        double met = am_motion_time(motion);
        assert_true(next_event(motion, 100));
        double wanted = stay(k, square, stop.gap, K, p);
        assert_near(am_motion_time(motion) - met, wanted, 1e-6 * wanted);
        assert_true(am_motion_statistics_get(motion).energy_residual <= 1e-13);
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* The spring of a slider presses a rigid contact; without it the surfaces would part. Where a load begins a new piece of
 * its series everything is looked at again, and the contact goes on as it was: without that its spring would be forgotten. */
static void a_contact_that_its_own_spring_presses_stays_closed(void **state) {
    (void)state;
    const double mass[] = {0.4, 0, 0, 1.8}, damping[] = {0.06, 0, 0, 0.03}, stiffness[] = {5.5, -0.6, -0.6, 5.5};
    const double normal[] = {-0.15, 0.18}, tangent[] = {-0.67, 0.53}, direction[] = {0.74, -0.67};
    am_contact_def contact = am_contact_def_default();
    contact.normal = normal;
    contact.tangent = tangent;
    contact.gap = 0.024;
    contact.friction = 0.51;
    contact.tangential_stiffness = 33;
    const am_load_def load = {direction, am_function_chirp(1.5, 0.57, 2.5, 17.6)};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    am_system *system = dense_system(def, mass, damping, stiffness);
    am_motion *motion = am_motion_create(system, true, NULL);
    for (int start = 0; start < 40; start++) { /* some of these end with two states without this */
        const double q[] = {0.03 + 0.001 * start, -0.1 + 0.002 * start}, v[] = {-0.25, -0.54 + 0.01 * start};
        GOOD(am_motion_start(motion, 0, q, v, err));
        run_until(motion, 18);
        assert_true(am_motion_statistics_get(motion).energy_residual <= 1e-12);
    }
    am_motion_free(motion);
    am_system_free(system);
}

/* C x' + K x = r t - mu N on a coordinate without mass: where friction drops from the static limit its velocity jumps, and
 * x = A + B s + (-A) exp(-K s/C), s the time since then. */
static void friction_that_drops_lets_a_coordinate_without_mass_jump_off(void **state) {
    (void)state;
    const double one[] = {1}, mass[] = {0}, damping[] = {2}, stiffness[] = {0.5};
    const double N0 = 1.5, high = 0.8, low = 0.3, rate = 0.7, until = 4;
    for (int sign = -1; sign <= 1; sign += 2) {
        am_contact_def contact = am_contact_def_default();
        contact.tangent = one;
        contact.normal_law = AM_HELD;
        contact.hold = am_function_constant(N0);
        contact.friction = low;
        contact.static_friction = high;
        const am_load_def load = {one, am_function_ramp(0, sign * rate)};
        am_polynomial_term term = {1e-14, 3, 0}; /* nothing that could be seen, but not linear */
        am_polynomial_def spring = {NULL, one, 1, &term};
        am_system_def def = am_system_def_default();
        def.n = def.contact_count = def.load_count = def.polynomial_count = 1;
        def.contacts = &contact;
        def.loads = &load;
        def.polynomials = &spring;
        am_system *system = dense_system(def, mass, damping, stiffness);
        am_motion *motion = am_motion_create(system, true, NULL);
        GOOD(am_motion_start(motion, 0, NULL, NULL, err));
        run_until(motion, until);
        double K = stiffness[0], C = damping[0], s = until - high * N0 / rate, B = rate / K;
        double A = ((high - low) * N0 - C * B) / K, x = A + B * s - A * exp(-K * s / C);
        assert_near(am_motion_state(motion)[0], sign * x, 1e-12);
        am_motion_free(motion);
        am_system_free(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliders_follow_limits_that_jump_as_steps_without_events_do),
        cmocka_unit_test(a_preloaded_layer_sets_off_from_zero),
        cmocka_unit_test(curved_layers_throw_back_what_meets_them),
        cmocka_unit_test(a_contact_that_its_own_spring_presses_stays_closed),
        cmocka_unit_test(friction_that_drops_lets_a_coordinate_without_mass_jump_off),
        cmocka_unit_test(what_friction_remembers_begins_with_the_speed_on_a_surface_that_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
