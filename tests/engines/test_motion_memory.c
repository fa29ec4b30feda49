/* Friction without stick: tanh, dahl, lugre, bouc-wen, rate-and-state, on structures with and without mass. Random motions
 * are put into the equations of motion and into the laws, written out here once more: the internal variable is recovered
 * from the friction force, and its rate compared with that of the law. Derivatives are compared with differences. */
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
#include "random_laws.h"
#include "random_system.h"
#include "results.h"
#include "steps.h"
#include "uniform.h"

enum { MOST = 4, CONTACTS = 2, STATES = 2 * MOST + CONTACTS };

typedef struct structure {
    size_t n, m;
    double mass[MOST * MOST], damping[MOST * MOST], stiffness[MOST * MOST];
    double normal[CONTACTS][MOST], tangent[CONTACTS][MOST], force[MOST], press[MOST];
    drag_kind kind[CONTACTS];
    am_contact_def contact[CONTACTS];
    am_load_def load[2];
} structure;

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double sign(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/* ---- random structures ---- */

/* Coordinate 2c is the normal one of contact c, 2c + 1 the tangent; the latter may have no mass. */
static void draw_contact(structure *s, size_t c, random_source *random) {
    am_contact_def *contact = &s->contact[c];
    *contact = am_contact_def_default();
    s->normal[c][2 * c] = 1;
    s->tangent[c][2 * c + 1] = 1;
    s->kind[c] = (drag_kind)random_index(random, DRAG_KINDS);
    contact->tangent = s->tangent[c];
    contact->surface_velocity = random_between(random, -0.6, 0.6);
    contact->speed_friction = random_drag_law(random, s->kind[c]);
    switch (random_index(random, 3)) {
    case 0:
        contact->normal_law = AM_HELD;
        contact->hold = am_function_sine(random_between(random, 0, 0.5), random_between(random, 0.3, 2), 0);
        contact->hold.value = random_between(random, 1, 2);
        return;
    case 1: /* pressed so that it never opens */
        contact->normal_law = AM_KELVIN_VOIGT;
        contact->contact_stiffness = random_between(random, 5, 20);
        contact->contact_damping = random_between(random, 0, 1);
        contact->gap = -random_between(random, 0.5, 1);
        break;
    default:
        break;
    }
    contact->normal = s->normal[c];
    s->press[2 * c] = -random_between(random, 4, 6);
}

static void hold(am_contact_def *contact) {
    contact->normal_law = AM_HELD;
    contact->normal = NULL;
    contact->hold = am_function_constant(2);
    contact->gap = 0;
}

static void remove_mass(structure *s, size_t i, random_source *random) {
    for (size_t j = 0; j < s->n; j++)
        s->mass[i * s->n + j] = s->mass[j * s->n + i] = 0;
    s->damping[i * s->n + i] += random_between(random, 0.3, 2);
}

static void draw_structure(structure *s, uint64_t seed) {
    random_source random = random_seed(seed);
    memset(s, 0, sizeof *s);
    s->m = 1 + random_index(&random, CONTACTS);
    s->n = 2 * s->m;
    random_definite(&random, s->n, 0.5, 1, s->mass);
    random_definite(&random, s->n, 0.5, 2, s->stiffness);
    random_definite(&random, s->n, 0, 0.1, s->damping);
    for (size_t c = 0; c < s->m; c++) {
        draw_contact(s, c, &random);
        bool massless = random_chance(&random, 0.4) || s->kind[c] == AGEING || s->kind[c] == SLIP;
        if (massless)
            remove_mass(s, 2 * c + 1, &random);
        /* Damping of bristles does not vanish with N, and without mass the velocity may jump under it. */
        if (s->kind[c] == LUGRE && (massless || s->contact[c].normal_law == AM_KELVIN_VOIGT))
            s->contact[c].speed_friction.parameter[1] = 0;
        if (s->kind[c] == LUGRE && massless && s->contact[c].normal_law == AM_KELVIN_VOIGT)
            hold(&s->contact[c]); /* where it opens its deflection has no series */
    }
    for (size_t i = 0; i < s->n; i++)
        s->force[i] = random_between(&random, -1, 1);
    s->load[0] =
        (am_load_def){s->force, am_function_sine(random_between(&random, 0.2, 1), random_between(&random, 0.3, 2), 1)};
    s->load[1] = (am_load_def){s->press, am_function_constant(1)};
}

static am_system *make_system(const structure *s) {
    am_system_def def = am_system_def_default();
    def.n = s->n;
    def.contact_count = s->m;
    def.contacts = s->contact;
    def.load_count = 1 + (dot(s->press, s->press, s->n) > 0);
    def.loads = s->load;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* ---- the laws, once more ---- */

static double lugre_limit(const double *p, double u, double N) {
    return N * (p[4] + (p[3] - p[4]) * exp(-u * u / (p[5] * p[5])));
}

/* The internal variable that goes with the friction force F (along u, against which it acts). */
static double recover(drag_kind kind, const double *p, double F, double u, double N) {
    switch (kind) {
    case TANH:
        return 0;
    case DAHL:
    case BOUC_WEN:
        return F / p[0];
    case LUGRE: /* F = s0 z + s1 (u - s0 |u| z/g) + s2 u */
        return (F - (p[1] + p[2]) * u) / (p[0] * (1 - p[1] * fabs(u) / lugre_limit(p, u, N)));
    default: /* F = N a asinh(u/(2 V0) exp((f0 + b ln(V0 theta/Dc))/a)) */
        return p[4] / p[3] * exp((p[1] * log(2 * p[3] / u * sinh(F / (N * p[1]))) - p[0]) / p[2]);
    }
}

static double rate_of(drag_kind kind, const double *p, double w, double u, double N) {
    switch (kind) {
    case TANH:
        return 0;
    case DAHL:
        return u * (1 - p[0] * w * sign(u) / (p[1] * N));
    case LUGRE:
        return u - p[0] * fabs(u) * w / lugre_limit(p, u, N);
    case BOUC_WEN:
        return p[1] * u - p[2] * fabs(u) * pow(fabs(w), p[4] - 1) * w - p[3] * u * pow(fabs(w), p[4]);
    case AGEING:
        return 1 - fabs(u) * w / p[4];
    default:
        return -fabs(u) * w / p[4] * log(fabs(u) * w / p[4]);
    }
}

/* ---- looking at a motion ---- */

typedef struct instant {
    double q[MOST], v[MOST], N[CONTACTS], T[CONTACTS], w[CONTACTS];
} instant;

static double slide_of(const structure *s, const instant *x, size_t c) {
    return x->v[2 * c + 1] - s->contact[c].surface_velocity;
}

static instant look(const structure *s, const am_motion *motion, double t) {
    instant x;
    am_motion_at(motion, t, x.q, x.v, x.N, x.T);
    for (size_t c = 0; c < s->m; c++)
        x.w[c] = recover(s->kind[c], s->contact[c].speed_friction.parameter, -x.T[c], slide_of(s, &x, c), x.N[c]);
    return x;
}

/* Rates of v and w at t: fourth-order differences with h and h/2, and what is left of their error taken out. */
static instant rates(const structure *s, const am_motion *motion, double t, double h) {
    instant coarse = {0}, result = {0};
    for (int half = 0; half < 2; half++, h *= 0.5) {
        instant x[4];
        for (int k = 0; k < 4; k++)
            x[k] = look(s, motion, t + (k < 2 ? k - 2 : k - 1) * h);
        for (size_t i = 0; i < s->n + s->m; i++) {
            bool inner = i >= s->n;
            size_t j = inner ? i - s->n : i;
#define VALUE(k) (inner ? x[k].w[j] : x[k].v[j])
            double fine = (VALUE(0) - 8 * VALUE(1) + 8 * VALUE(2) - VALUE(3)) / (12 * h);
#undef VALUE
            double *old = inner ? &coarse.w[j] : &coarse.v[j], *out = inner ? &result.w[j] : &result.v[j];
            *out = half == 0 ? fine : (16 * fine - *old) / 15;
            *old = fine;
        }
    }
    return result;
}

static double imbalance(const structure *s, double t, const instant *x, const double *a) {
    double worst = 0;
    for (size_t i = 0; i < s->n; i++) {
        double sum = dot(s->mass + i * s->n, a, s->n) + dot(s->damping + i * s->n, x->v, s->n) +
                     dot(s->stiffness + i * s->n, x->q, s->n);
        for (size_t l = 0; l < 2; l++)
            sum -= s->load[l].direction[i] * am_function_at(&s->load[l].function, t);
        for (size_t c = 0; c < s->m; c++)
            sum -= (s->contact[c].normal ? s->normal[c][i] * x->N[c] : 0) + s->tangent[c][i] * x->T[c];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* Next to a reversal w is not known from the force (0/0), nor are rates that change over a time of h, there and where a
 * contact opens. */
static const double near_rest = 2e-2, near_opening = 0.1;

/* Differences are wrong by h^6 of what changes over some 1e-2, 1e-9, and by rounding/h, 1e-12, of what is recovered. */
static void check_span(const structure *s, const am_motion *motion, size_t *looked) {
    const double h = 5e-4, from = am_motion_span_start(motion), to = am_motion_time(motion);
    for (int i = 0; i < 3 && to - from > 8 * h; i++) {
        double t = from + 2 * h + (to - from - 4 * h) * i / 2;
        instant x = look(s, motion, t), rate = rates(s, motion, t, h);
        assert_near(imbalance(s, t, &x, rate.v), 0, 1e-8);
        for (size_t c = 0; c < s->m; c++) {
            const double *p = s->contact[c].speed_friction.parameter, u = slide_of(s, &x, c);
            if (s->kind[c] == TANH)
                assert_near(x.T[c], -p[0] * x.N[c] * tanh(u / p[1]), 1e-13);
            if (s->kind[c] == TANH || fabs(u) < near_rest || x.N[c] < near_opening)
                continue;
            double expected = rate_of(s->kind[c], p, x.w[c], u, x.N[c]);
            assert_near(rate.w[c], expected, 1e-7 * (1 + fabs(expected) + fabs(x.w[c])));
            ++*looked;
        }
    }
}

/* State, and not the force of the law, remembers: T must not jump where nothing else does. */
static void check_motion(const structure *s, double until, size_t *looked, size_t *reversals, double *energy) {
    am_error err = {0};
    am_system *system = make_system(s);
    am_motion *motion = am_motion_create(system, true, &err);
    if (!motion)
        fail_msg("%s", err.message);
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    am_step_kind kind = AM_STEP_SPAN;
    double before[CONTACTS], after[CONTACTS];
    am_motion_forces(motion, NULL, before);
    while (kind != AM_STEP_END) {
        GOOD(am_motion_step(motion, until, &kind, err));
        if (kind == AM_STEP_END)
            break;
        double N[CONTACTS];
        am_motion_at(motion, am_motion_span_start(motion), NULL, NULL, N, after);
        for (size_t c = 0; c < s->m; c++) /* rounding times the slopes of laws, which are steep where a contact opens */
            assert_near(after[c], before[c], N[c] < near_opening ? 1e-7 : 1e-10);
        am_motion_forces(motion, NULL, before);
        check_span(s, motion, looked);
        for (size_t c = 0; c < s->m; c++)
            assert_true(am_motion_states(motion)[c] != AM_STICK);
        *reversals += am_motion_switches(motion);
    }
    *energy = fmax(*energy, am_motion_statistics_get(motion).energy_residual);
    am_motion_free(motion);
    am_system_free(system);
}

static void random_motions_fulfil_their_laws(void **state) {
    (void)state;
    size_t looked = 0, reversals = 0;
    double energy = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        structure s;
        draw_structure(&s, seed);
        check_motion(&s, 10, &looked, &reversals, &energy);
    }
    assert_true(looked > 3000);
    assert_true(reversals > 300);
    assert_near(energy, 0, 1e-13); /* of what moved; rounding of some hundred spans */
}

/* ---- derivatives ---- */

static void run_to(am_motion *motion, const double *start, double until, double *end) {
    am_step_kind kind = AM_STEP_SPAN;
    GOOD(am_motion_start_state(motion, 0, start, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(motion, until, &kind, err));
    memcpy(end, am_motion_state(motion), am_motion_dimension(motion) * sizeof *end);
}

/* Central differences with h and h/2, of which the error of order h^2 is taken out; reversals are smooth enough for
 * that. Velocities without mass are no free entries of a start. */
static void check_derivative(const structure *s, const double *start, double until) {
    am_error err = {0};
    am_system *system = make_system(s);
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    size_t d = am_motion_dimension(motion);
    double exact[STATES * STATES], end[STATES], largest = 1;
    GOOD(am_motion_follow_sensitivity(motion, true, err));
    run_to(motion, start, until, end);
    memcpy(exact, am_motion_sensitivity(motion), d * d * sizeof *exact);
    GOOD(am_motion_follow_sensitivity(motion, false, err));
    for (size_t i = 0; i < d * d; i++)
        largest = fmax(largest, fabs(exact[i]));
    for (size_t j = 0; j < d; j++) {
        double coarse[STATES], fine[STATES], h = 4e-6;
        if (j < 2 * s->n && j >= s->n && s->mass[(j - s->n) * (s->n + 1)] == 0)
            continue;
        for (int half = 0; half < 2; half++, h *= 0.5) {
            double side[2][STATES], moved[STATES];
            for (int k = 0; k < 2; k++) {
                memcpy(moved, start, d * sizeof *moved);
                moved[j] += k ? h : -h;
                run_to(motion, moved, until, side[k]);
            }
            for (size_t i = 0; i < d; i++) {
                double found = (side[1][i] - side[0][i]) / (2 * h);
                fine[i] = half == 0 ? found : (4 * found - coarse[i]) / 3;
                coarse[i] = found;
            }
        }
        for (size_t i = 0; i < d; i++)
            assert_near(fine[i], exact[i * d + j], 1e-7 * largest);
    }
    am_motion_free(motion);
    am_system_free(system);
}

static void derivatives_are_those_of_differences(void **state) {
    (void)state;
    for (uint64_t seed = 700; seed < 740; seed++) {
        structure s;
        double start[STATES] = {0};
        draw_structure(&s, seed);
        random_source random = random_seed(seed + 1000);
        size_t place = 2 * s.n;
        for (size_t c = 0; c < s.m; c++) {
            if (s.contact[c].normal) { /* rigid contacts would be held where they stand */
                hold(&s.contact[c]);
                s.press[2 * c] = 0;
            }
            start[s.n + 2 * c + 1] = random_between(&random, -1, 1);
            if (s.kind[c] != TANH)
                start[place++] = random_between(&random, 0.05, 0.1);
        }
        for (size_t i = 0; i < s.n; i++)
            start[i] = random_between(&random, -0.5, 0.5);
        check_derivative(&s, start, 3);
    }
}

/* ---- stiff motions ---- */

/* A mass on a belt under rate-and-state friction. Creep decays 1e10 times faster than the mass moves. */
static const double f0 = 0.5, a = 0.02, b = 0.06, V0 = 0.1, Dc = 0.02, belt = 0.05, damping = 0.05;

/* y = (x, slip rate u = x' - belt, theta); y' and its derivative. */
static void fault_rate(const double *y, double *rate, double J[3][3]) {
    double strength = exp((f0 + b * log(V0 * y[2] / Dc)) / a) / (2 * V0), w = strength * y[1];
    double by_w = a / sqrt(1 + w * w);
    rate[0] = y[1] + belt;
    rate[1] = -y[0] - damping * rate[0] - a * asinh(w);
    rate[2] = 1 - fabs(y[1]) * y[2] / Dc;
    const double rows[3][3] = {{0, 1, 0},
                               {-1, -damping - by_w * strength, -by_w * w * b / (a * y[2])},
                               {0, -sign(y[1]) * y[2] / Dc, -fabs(y[1]) / Dc}};
    memcpy(J, rows, sizeof rows);
}

/* 9 equations by elimination with row interchanges. */
static void solve_nine(double m[9][10]) {
    for (int c = 0; c < 9; c++) {
        int best = c;
        for (int r = c + 1; r < 9; r++)
            best = fabs(m[r][c]) > fabs(m[best][c]) ? r : best;
        for (int k = 0; k < 10; k++) {
            double swap = m[c][k];
            m[c][k] = m[best][k], m[best][k] = swap;
        }
        for (int r = 0; r < 9; r++) {
            double factor = r == c ? 0 : m[r][c] / m[c][c];
            for (int k = c; k < 10 && factor != 0; k++)
                m[r][k] -= factor * m[c][k];
        }
    }
    for (int r = 0; r < 9; r++)
        m[r][9] /= m[r][r];
}

/* One step of Radau IIA with three stages, order 5 (Hairer and Wanner, Solving Ordinary Differential Equations II); in
 * halves where Newton's method does not arrive. */
static void radau_step(double *y, double h) {
    const double r = sqrt(6);
    const double A[3][3] = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                            {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                            {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
    double z[3][3] = {{0}};
    double change = 1;
    for (int step = 0; step < 10 && change >= 1e-15; step++) {
        double m[9][10] = {{0}}, rate[3][3], J[3][3][3];
        for (int i = 0; i < 3; i++) {
            const double at[3] = {y[0] + z[i][0], y[1] + z[i][1], y[2] + z[i][2]};
            fault_rate(at, rate[i], J[i]);
        }
        for (int i = 0; i < 9; i++) {
            m[i][i] = 1;
            m[i][9] = -z[i / 3][i % 3];
            for (int j = 0; j < 3; j++) {
                m[i][9] += h * A[i / 3][j] * rate[j][i % 3];
                for (int k = 0; k < 3; k++)
                    m[i][3 * j + k] -= h * A[i / 3][j] * J[j][i % 3][k];
            }
        }
        solve_nine(m);
        change = 0;
        for (int i = 0; i < 9; i++) {
            z[i / 3][i % 3] += m[i][9];
            change = fmax(change, fabs(m[i][9]));
        }
    }
    if (!(change < 1e-15) && h > 1e-12) {
        radau_step(y, 0.5 * h);
        radau_step(y, 0.5 * h);
        return;
    }
    for (int i = 0; i < 3; i++)
        y[i] += z[2][i];
}

/* The motion goes by fewer spans than the decay would ask for, by many orders, and arrives where another implicit method
 * does; with derivatives as well. */
static void a_stiff_motion_agrees_with_another_method(void **state) {
    (void)state;
    const double one[1] = {1}, c[1] = {damping}, until = 12, h = 1e-4;
    structure s = {.n = 1, .m = 1, .kind = {AGEING}};
    am_error err = {0};
    s.contact[0] = am_contact_def_default();
    s.contact[0].tangent = one;
    s.contact[0].surface_velocity = belt;
    s.contact[0].normal_law = AM_HELD;
    s.contact[0].hold = am_function_constant(1);
    s.contact[0].speed_friction = (am_speed_friction){.law = "rate-and-state", .parameter = {f0, a, b, V0, Dc, 0, 0}};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = 1;
    def.contacts = s.contact;
    am_system *system = dense_system(def, one, c, one);
    am_motion *motion = am_motion_create(system, true, &err);
    assert_non_null(motion);
    double start[3] = {0, 0, Dc / belt}, y[3] = {0, -belt, Dc / belt}, end[3];
    run_to(motion, start, until, end);
    for (long i = 0; i < lround(until / h); i++)
        radau_step(y, h);
    am_motion_statistics statistics = am_motion_statistics_get(motion);
    assert_near(end[0], y[0], 1e-9); /* of order 5, over changes within 1e-2 */
    assert_near(end[1], y[1] + belt, 1e-9);
    assert_near(end[2], y[2], 1e-8);
    assert_true(statistics.implicit_spans > 10);
    assert_true(statistics.spans < 10000); /* series alone would take 1e9 */
    GOOD(am_motion_follow_sensitivity(motion, true, err));
    run_to(motion, start, until, end);
    double exact[9], near[2][3], step = 1e-6;
    memcpy(exact, am_motion_sensitivity(motion), sizeof exact);
    for (int j = 0; j < 3; j += 2) {
        for (int k = 0; k < 2; k++) {
            double moved[3] = {start[0], start[1], start[2]};
            moved[j] += k ? step : -step;
            run_to(motion, moved, until, near[k]);
        }
        for (int i = 0; i < 3; i++) /* rounding/h, of ends known to 1e-12: some 1e-6 */
            assert_near((near[1][i] - near[0][i]) / (2 * step), exact[3 * i + j], 5e-6 * (1 + fabs(exact[3 * i + j])));
    }
    am_motion_free(motion);
    am_system_free(system);
}

/* A fault with mass on a spring of 2e9 Pa/m, by its natural period: drawn by its surface, or, in coordinates that move with
 * that, by the far end of its spring. There its speed is no difference of velocities. */
static am_system *heavy_fault(double period, double slip_law, bool rides) {
    static const double one[1] = {1}, pull[1] = {2e9}, waves[1] = {2e10 / 6000};
    const double draw = 1e-6, mass[1] = {pull[0] * period * period / (4 * acos(-1) * acos(-1))};
    am_contact_def contact = am_contact_def_default();
    am_load_def load = {one, am_function_ramp(-waves[0] * draw, -pull[0] * draw)};
    am_system_def def = am_system_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(5e6);
    contact.surface_velocity = rides ? 0 : draw;
    contact.speed_friction =
        (am_speed_friction){.law = "rate-and-state", .parameter = {0.6, 0.01, 0.025, draw, 1e-5, slip_law, 0}};
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = rides;
    def.loads = &load;
    return dense_system(def, mass, waves, pull);
}

/* Two slips of some 1e-3, in which the speed goes from 1e-20 to 1e-2 and back; with T = 0.1 and the ageing law it falls to
 * 7e-22, where velocities of 1e-6 have the rounding 2e-22. */
static void a_fault_with_mass_goes_through_whole_cycles(void **state) {
    (void)state;
    static const double periods[] = {0.1, 5, 1, 0.1, 1, 0.01}, slip_law[] = {0, 0, 1, 1, 0, 0};
    static const double from[] = {1.8e-3, 1.4e-3, 1.4e-3, 1.4e-3, 1.4e-3, 1.4e-3};
    for (size_t i = 0; i < CASES(6, 1); i++) {
        const double until = 1300, start[3] = {from[i], 0, 10}, riding[3] = {from[i], -1e-6, 10};
        double end[2][3];
        for (int rides = 0; rides < 2; rides++) {
            am_error err = {0};
            am_system *system = heavy_fault(periods[i], slip_law[i], rides);
            am_motion *motion = am_motion_create(system, true, &err);
            assert_non_null(motion);
            run_to(motion, rides ? riding : start, until, end[rides]);
            am_motion_statistics got = am_motion_statistics_get(motion);
            assert_true(got.implicit_spans > 10);
            assert_true(got.spans < 20000);
            assert_true(got.energy_residual < 1e-12);
            am_motion_free(motion);
            am_system_free(system);
        }
        assert_near(end[0][0], end[1][0] + 1e-6 * until, 1e-13); /* rounding of the way of the surface: 2e-16 a slip */
        assert_near(end[0][2], end[1][2], 1e-9 * end[1][2]);     /* speeds are right to that (is_exact_at) */
    }
}

/* A mass on a spring, driven by sin(0.7 t), under rate-and-state friction with N = 1: p as in the law. */
static am_system *driven_mass(const double *p, double amplitude) {
    static const double one[1] = {1}, little[1] = {0.02};
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.speed_friction =
        (am_speed_friction){.law = "rate-and-state", .parameter = {p[0], p[1], p[2], p[3], p[4], p[5], 0}};
    am_load_def load = {one, am_function_sine(amplitude, 0.7, 0)};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    return dense_system(def, one, little, one);
}

static void driven_rate(const double *p, double amplitude, double t, const double *y, double *rate) {
    double speed = fabs(y[1]) * y[2] / p[4];
    rate[0] = y[1];
    rate[1] = amplitude * sin(0.7 * t) - 0.02 * y[1] - y[0] -
              p[1] * asinh(y[1] / (2 * p[3]) * exp((p[0] + p[2] * log(p[3] * y[2] / p[4])) / p[1]));
    rate[2] = p[5] == 0 ? 1 - speed : speed > 0 ? -speed * log(speed) : 0;
}

static void runge_kutta(const double *p, double amplitude, double until, long steps, double *y) {
    const double h = until / (double)steps, part[] = {0, 0.5, 0.5, 1}, weight[] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    for (long i = 0; i < steps; i++) {
        double k[3] = {0}, sum[3] = {0};
        for (int stage = 0; stage < 4; stage++) {
            double at[3];
            for (int l = 0; l < 3; l++)
                at[l] = y[l] + part[stage] * h * k[l];
            driven_rate(p, amplitude, ((double)i + part[stage]) * h, at, k);
            for (int l = 0; l < 3; l++)
                sum[l] += weight[stage] * h * k[l];
        }
        for (int l = 0; l < 3; l++)
            y[l] += sum[l];
    }
}

/* Friction at rest has a slope of a N/(2 V0) exp(f0/a), from 1e3 to 1e26: a mass that turns passes a layer of speeds that
 * thin, or creeps in it until it breaks away. Gentle ones are followed by Runge's and Kutta's method as well. */
static void a_mass_turns_under_steep_friction(void **state) {
    (void)state;
    random_source random = random_seed(8);
    for (int i = 0; i < 6; i++) {
        const double f = random_between(&random, 0.2, 0.6), steep = i < 2 ? 8 : random_between(&random, 10, 60);
        const double law[6] = {f,
                               f / steep,
                               f / steep * random_between(&random, 0.3, 1.5),
                               1e-3 * (i < 2 ? 100 : 1),
                               random_between(&random, 0.01, 0.2),
                               i % 2};
        const double amplitude = random_between(&random, 1.2, 2) * f, until = i < 2 ? 6 : 12;
        am_error err = {0};
        am_system *system = driven_mass(law, amplitude);
        am_motion *motion = am_motion_create(system, true, &err);
        double start[3] = {0, 0, law[4] / law[3]}, end[3];
        run_to(motion, start, until, end);
        am_motion_statistics statistics = am_motion_statistics_get(motion);
        assert_near(statistics.energy_residual, 0, 1e-12);
        assert_true(statistics.state_changes > 0 && statistics.spans < 50000);
        if (i < 2) { /* its error where |v| has its corner: h^2 of the rate there */
            runge_kutta(law, amplitude, until, 200000, start);
            for (int l = 0; l < 3; l++)
                assert_near(end[l], start[l], 1e-7);
        }
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* Stiff bristles on a belt (Canudas de Wit and others 1995): the fall of friction is so narrow that exp(-(v/velocity)^2) is
 * zero, with all its orders, until the mass is nearly as fast as the belt. No span may jump over it. */
static void bristle_rate(const double *p, const double *y, double *rate) {
    double w = y[1] - 0.1;
    rate[0] = y[1];
    rate[2] = w - p[0] * fabs(w) * y[2] / lugre_limit(p, w, 1);
    rate[1] = -2 * y[0] - (p[0] * y[2] + p[1] * rate[2] + p[2] * w);
}

static void no_span_jumps_over_a_narrow_fall(void **state) {
    (void)state;
    const double one[1] = {1}, none[1] = {0}, two[1] = {2}, until[] = {0.115, 0.5}, h = 5e-6;
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.surface_velocity = 0.1;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.speed_friction =
        (am_speed_friction){.law = "lugre", .parameter = {1e5, 316.22776601683796, 0.4, 1.5, 1, 1e-3}};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, one, none, two);
    am_error err = {0};
    am_motion *motion = am_motion_create(system, true, &err);
    double start[3] = {0}, y[3] = {0}, end[3];
    long done = 0;
    for (int i = 0; i < 2; i++) {
        run_to(motion, start, until[i], end);
        for (; done < lround(until[i] / h); done++) { /* Runge and Kutta: errors of (316 h)^4, some 1e-11 */
            double k[4][3] = {{0}}, at[3];
            for (int stage = 0; stage < 4; stage++) {
                for (int l = 0; l < 3; l++)
                    at[l] = stage == 0 ? y[l] : y[l] + (stage == 3 ? h : 0.5 * h) * k[stage - 1][l];
                bristle_rate(contact.speed_friction.parameter, at, k[stage]);
            }
            for (int l = 0; l < 3; l++)
                y[l] += h / 6 * (k[0][l] + 2 * k[1][l] + 2 * k[2][l] + k[3][l]);
        }
        assert_near(end[0], y[0], 1e-10);
        assert_near(end[1], y[1], 1e-10);
    }
    am_motion_free(motion);
    am_system_free(system);
}

/* Just touching, neither pressed nor bent: z/N has no value, and the motion begins all the same, on flat and on curved
 * contacts, on surfaces that rest and that move (bristles then follow mu N/sigma0, however fast they decay). */
static void a_contact_that_begins_to_press_begins_to_bend(void **state) {
    (void)state;
    static const am_speed_friction laws[] = {{.law = "dahl", .parameter = {10, 0.3}},
                                             {.law = "lugre", .parameter = {20, 0, 0.1, 0.5, 0.3, 0.1}},
                                             {.law = "lugre", .parameter = {20, 1, 0.1, 0.5, 0.3, 0.1}}};
    static const double exponents[] = {0, 1.5, 2}; /* 0: kelvin-voigt without damping */
    for (size_t i = 0; i < 18; i++) {
        structure s = {.n = 2, .m = 1, .kind = {i % 3 == 0 ? DAHL : LUGRE}};
        for (size_t k = 0; k < 2; k++)
            s.mass[3 * k] = s.stiffness[3 * k] = 1, s.damping[3 * k] = 0.1;
        s.normal[0][0] = s.tangent[0][1] = s.force[1] = 1;
        s.press[0] = -2;
        s.contact[0] = am_contact_def_default();
        s.contact[0].normal = s.normal[0];
        s.contact[0].tangent = s.tangent[0];
        s.contact[0].contact_stiffness = 50;
        s.contact[0].normal_law = i / 3 % 3 == 0 ? AM_KELVIN_VOIGT : AM_HUNT_CROSSLEY;
        if (i / 3 % 3 > 0) {
            s.contact[0].contact_exponent = exponents[i / 3 % 3];
            s.contact[0].contact_dissipation = i / 3 % 3 == 1 ? 0.2 : 0;
        }
        s.contact[0].surface_velocity = i < 9 ? 0 : 0.15;
        s.contact[0].speed_friction = laws[i % 3];
        s.load[0] = (am_load_def){s.force, am_function_sine(0.5, 1.1, 0)};
        s.load[1] = (am_load_def){s.press, am_function_constant(1)};
        size_t looked = 0, reversals = 0;
        double energy = 0;
        check_motion(&s, 4, &looked, &reversals, &energy);
        assert_true(looked > 8);
        assert_near(energy, 0, 1e-13);
    }
}

/* A body that jumps on its surface, a linear layer or (exponent > 0) a curved one, `layers` of them; `mass` along it. The end of the motion;
 * how often it parts. */
static size_t jump_about(const am_speed_friction *law, double mass, double exponent, double spring, size_t layers,
                         double *end) {
    const double M[4] = {mass, 0, 0, 1}, C[4] = {0.5, 0, 0, 0.2}, K[4] = {2, 0.1, 0.1, 3};
    const double along[2] = {1, 0}, up[2] = {0, 1}, down[2] = {0, -1};
    const am_load_def loads[2] = {{up, am_function_sine(3, 1.3, 0)}, {along, am_function_sine(1, 2, 0)}};
    am_contact_def contact = am_contact_def_default();
    contact.normal = down;
    contact.tangent = along;
    contact.normal_law = AM_KELVIN_VOIGT;
    contact.contact_stiffness = 50;
    contact.speed_friction = *law;
    contact.tangential_stiffness = spring;
    if (exponent > 0) {
        contact.normal_law = AM_HUNT_CROSSLEY;
        contact.contact_exponent = exponent;
        contact.contact_dissipation = exponent < 2 ? 0.2 : 0;
    }
    am_contact_def both[2] = {contact, contact};
    both[1].contact_stiffness = 20;
    am_system_def def = am_system_def_default();
    def.n = def.load_count = 2;
    def.contact_count = layers;
    def.contacts = both;
    def.loads = loads;
    am_system *system = dense_system(def, M, C, K);
    am_motion *motion = am_motion_create(system, true, NULL);
    am_step_kind kind = AM_STEP_SPAN;
    size_t parts = 0;
    GOOD(am_motion_start(motion, 0.0, NULL, NULL, err));
    while (kind != AM_STEP_END) {
        double N[2], T[2];
        GOOD(am_motion_step(motion, 6, &kind, err));
        am_motion_forces(motion, N, T);
        bool opposed = (am_motion_states(motion)[0] == AM_FORWARD) == (T[0] < 0);
        if (spring > 0 && strcmp(law->law, "dahl") == 0 && opposed) /* behind a spring dahl's law ends there */
            assert_true(fabs(T[0]) <= (1 + spring / law->parameter[0]) * law->parameter[1] * N[0] + 1e-13);
        for (size_t w = 0; w < am_motion_switches(motion); w++)
            parts += am_motion_switch(motion, w)->to == AM_OPEN;
    }
    memcpy(end, am_motion_state(motion), 2 * sizeof *end);
    assert_near(am_motion_statistics_get(motion).energy_residual, 0.0, 1e-12);
    am_motion_free(motion);
    am_system_free(system);
    return parts;
}

/* What laws remember is divided by a normal force that vanishes: faster and faster until the surfaces part. Without mass
 * along the surface the body goes where a small one takes it. */
static void contacts_that_remember_part(void **state) {
    (void)state;
    static const am_speed_friction laws[] = {{.law = "dahl", .parameter = {10, 0.3}},
                                             {.law = "lugre", .parameter = {20, 0, 0, 0.4, 0.3, 0.5}},
                                             {.law = "lugre", .parameter = {20, 0.1, 0, 0.4, 0.3, 0.5}}};
    for (size_t i = 0; i < 3; i++) {
        double tall[2];
        assert_true(jump_about(&laws[i], 1, 0, 0, 1, tall) >= 2);
    }
    double massless[2], small[2]; /* without mass short spans alone follow what decays, and cost most: one law */
    assert_true(jump_about(&laws[1], 0, 0, 0, 1, massless) >= 2);
    assert_true(jump_about(&laws[1], 1e-5, 0, 0, 1, small) >= 2);
    for (size_t k = 0; k < 2; k++) /* a mass of 1e-5 is late by mass/damping */
        assert_near(massless[k], small[k], 1e-3);
}

/* On curved layers N vanishes faster than the depth: what is divided by it has a value from a depth on that is a number,
 * with a spring behind the slider and without. */
static void contacts_that_remember_part_from_curved_layers(void **state) {
    (void)state;
    static const struct {
        am_speed_friction law;
        double exponent, spring;
    } cases[] = {{{.law = "dahl", .parameter = {10, 0.3}}, 1.5, 0},
                 {{.law = "lugre", .parameter = {20, 0, 0, 0.4, 0.3, 0.5}}, 1.5, 0},
                 {{.law = "lugre", .parameter = {20, 0, 0, 0.4, 0.3, 0.5}}, 2, 0},
                 {{.law = "dahl", .parameter = {10, 0.3}}, 2, 3},
                 {{.law = "tanh", .parameter = {0.4, 0.2}}, 1.5, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double end[2];
        assert_true(jump_about(&cases[i].law, 1, cases[i].exponent, cases[i].spring, 1, end) >= 1);
    }
    double end[2]; /* two layers that meet and part at the same instants */
    assert_true(jump_about(&cases[4].law, 1, 1.5, 0, 2, end) >= 2);
}

/* A fault far below its strength creeps by e^-60 of its belt's speed, and less: what is left of two speeds is below the
 * rounding of either. It is carried along, x = x0 + V t, and the creep turns where the stress on it does, k x + eta V = 0.
 */
static void a_fault_begins_from_any_stress(void **state) {
    (void)state;
    const double one[1] = {1}, k[1] = {2e9}, eta[1] = {2e10 / 6000}, V = 1e-6, N = 5e6, until = 100;
    uint64_t seed = 5;
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.surface_velocity = V;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(N);
    contact.speed_friction =
        (am_speed_friction){.law = "rate-and-state", .parameter = {0.6, 0.01, 0.025, 1e-6, 1e-5, 0, 0}};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, NULL, eta, k);
    am_motion *motion = am_motion_create(system, true, NULL);
    for (int i = 0; i < CASES(20, 5); i++) {
        double x0 = i == 0 ? 0.0 : uniform(&seed, -0.3, 0.2) * N / k[0], turn = -(x0 + eta[0] * V / k[0]) / V;
        am_step_kind kind = AM_STEP_SPAN;
        size_t turns = 0;
        GOOD(am_motion_start(motion, 0.0, &x0, NULL, err));
        assert_int_equal(am_motion_states(motion)[0], turn < 0.0 ? AM_BACKWARD : AM_FORWARD);
        while (kind != AM_STEP_END) {
            GOOD(am_motion_step(motion, until, &kind, err));
            for (size_t w = 0; w < am_motion_switches(motion); w++, turns++)
                assert_near(am_motion_time(motion), turn, 1e-9 * until);
        }
        assert_int_equal(turns, turn > 0.0 && turn < until);
        assert_near(am_motion_state(motion)[0], x0 + V * until, 1e-12 * (fabs(x0) + V * until));
        assert_near(am_motion_statistics_get(motion).energy_residual, 0.0, 1e-12);
    }
    am_motion_free(motion);
    am_system_free(system);
}

/* Nothing but the belt moves, and that from rest: friction comes to mu N, and the spring to it. */
static void a_belt_bends_what_is_at_rest(void **state) {
    (void)state;
    static const double one[] = {1}, damping[] = {2};
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    am_system_def def = am_system_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1.5);
    contact.surface_velocity = 0.5;
    contact.speed_friction = (am_speed_friction){.law = "dahl", .parameter = {20, 0.3}};
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, one, damping, one);
    am_motion *motion = am_motion_create(system, true, &err);
    am_step_kind kind = AM_STEP_SPAN;
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(motion, 60, &kind, err));
    assert_near(am_motion_state(motion)[0], 0.45, 1e-13); /* 61 exp(-60) of it is left */
    am_motion_free(motion);
    am_system_free(system);
}

/* A mass that creeps at 1e-4 of the speed of a surface that accelerates is carried along, in few spans: the slope of the
 * law would allow hundreds of times as many. */
static void a_creep_is_carried_along_with_its_surface(void **state) {
    (void)state;
    static const double one[] = {1}, stiffness[] = {0.2}, damping[] = {0.1}, speed[] = {0.8};
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    am_system_def def = am_system_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(2);
    contact.surface_velocity = 1;
    contact.surface_motion = am_function_sine(0.5, 0.7, 0);
    contact.speed_friction =
        (am_speed_friction){.law = "rate-and-state", .parameter = {0.56, 0.025, 0.019, 0.01, 0.4, 1, 0}};
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, one, damping, stiffness);
    am_motion *motion = am_motion_create(system, true, &err);
    am_step_kind kind = AM_STEP_SPAN;
    GOOD(am_motion_start(motion, 0, NULL, speed, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(motion, 2, &kind, err));
    assert_near(am_motion_state(motion)[1], 1 + 0.5 * sin(1.4), 1e-3);
    assert_true(am_motion_statistics_get(motion).energy_residual < 1e-11);
    assert_true(am_motion_statistics_get(motion).spans < 400); /* 120, or 1637 where implicit spans are not found */
    am_motion_free(motion);
    am_system_free(system);
}

/* The logarithm has no value at rest, and the message says so. */
static void a_law_for_sliding_alone_says_so_at_rest(void **state) {
    (void)state;
    static const double one[] = {1};
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    am_system_def def = am_system_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.speed_friction =
        (am_speed_friction){.law = "rate-and-state", .parameter = {0.5, 0.02, 0.03, 0.1, 0.05, 0, 1}};
    def.n = def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, one, one, one);
    am_motion *motion = am_motion_create(system, true, &err);
    assert_int_equal(am_motion_start(motion, 0, NULL, NULL, &err), AM_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "form asinh"));
    assert_string_equal(err.field, "contacts[0].friction");
    am_motion_free(motion);
    am_system_free(system);
    /* On a surface that turns back it slides ever more slowly. */
    const double M = 0.792, C = 0.032, K = 1.0712, along = 0.58966;
    am_load_def load = {one, am_function_sine(1.11335, 1.31276, 2.5957)};
    load.function.value = -0.10636;
    contact.tangent = &along;
    contact.hold = am_function_constant(0.5717);
    contact.surface_motion = am_function_sine(0.68295, 1.31276, 2.90779);
    contact.speed_friction = (am_speed_friction){
        .law = "rate-and-state", .parameter = {0.41366, 0.0319175, 0.02559066, 0.4711474, 0.2116372, 0, 1}};
    def.load_count = 1;
    def.loads = &load;
    system = dense_system(def, &M, &C, &K);
    motion = am_motion_create(system, true, &err);
    am_step_kind kind = AM_STEP_SPAN;
    am_status status = am_motion_start(motion, 0, NULL, NULL, &err);
    while (!status && kind != AM_STEP_END)
        status = am_motion_step(motion, 10, &kind, &err);
    assert_int_equal(status, AM_ERR_LIMIT);
    assert_non_null(strstr(err.message, "slides ever more slowly, and its friction (law rate-and-state) has no value"));
    am_motion_free(motion);
    am_system_free(system);
}

/* A layer that is curved begins to press more slowly than the spring before its slider pulls: with N next to nothing a step
 * could lead to a force that friction cannot hold, from which the law alone never comes back. */
static void no_slider_is_held_by_more_than_its_friction(void **state) {
    (void)state;
    static const double mass[] = {1, 0, 0, 0.8482}, damping[] = {0.1173, 0, 0, 0.165};
    static const double stiffness[] = {1.1775, -0.1368, -0.1368, 1.2945}, normal[] = {0, -1}, tangent[] = {1, 0};
    static const double push[] = {0, 1.8695}, shake[] = {1, 0.0321};
    static const double exponents[] = {1, 1.5, 2};
    const double k = 4.045, bristle = 16.4194, mu = 0.31;
    size_t held = 0;
    for (size_t i = 0; i < 3; i++) {
        am_contact_def contact = am_contact_def_default();
        am_load_def load[] = {{push, am_function_constant(1)}, {shake, am_function_sine(2.195, 1.5251, 0.3)}};
        am_system_def def = am_system_def_default();
        contact.normal = normal;
        contact.tangent = tangent;
        contact.normal_law = AM_HUNT_CROSSLEY;
        contact.contact_stiffness = 17.1447;
        contact.contact_exponent = exponents[i];
        contact.contact_dissipation = 0.3621;
        contact.surface_velocity = -0.2181;
        contact.tangential_stiffness = k;
        contact.speed_friction = (am_speed_friction){.law = "dahl", .parameter = {bristle, mu}};
        def.n = 2;
        def.contact_count = 1;
        def.contacts = &contact;
        def.load_count = 2;
        def.loads = load;
        am_system *system = dense_system(def, mass, damping, stiffness);
        am_motion_options options = am_motion_options_default();
        am_result *result = am_result_create(NULL);
        am_error err = {0};
        options.until = 3;
        options.samples = 31;
        if (am_motion_run(system, &options, result, NULL, &err))
            fail_msg("%s", err.message);
        const am_table *samples = table_of(result, "samples");
        for (size_t row = 0; row < am_table_rows(samples); row++, held++) {
            double N = cell(samples, row, "N1"), T = cell(samples, row, "T1");
            assert_true(fabs(T) <= mu * N * (1 + k / bristle) * (1 + 1e-12));
        }
        am_result_free(result);
        am_system_free(system);
    }
    assert_int_equal(held, 3 * 31);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_motions_fulfil_their_laws),
        cmocka_unit_test(derivatives_are_those_of_differences),
        cmocka_unit_test(a_contact_that_begins_to_press_begins_to_bend),
        cmocka_unit_test(contacts_that_remember_part),
        cmocka_unit_test(contacts_that_remember_part_from_curved_layers),
        cmocka_unit_test(no_span_jumps_over_a_narrow_fall),
        cmocka_unit_test(a_mass_turns_under_steep_friction),
        cmocka_unit_test(a_stiff_motion_agrees_with_another_method),
        cmocka_unit_test(a_fault_with_mass_goes_through_whole_cycles),
        cmocka_unit_test(a_fault_begins_from_any_stress),
        cmocka_unit_test(a_belt_bends_what_is_at_rest),
        cmocka_unit_test(a_creep_is_carried_along_with_its_surface),
        cmocka_unit_test(a_law_for_sliding_alone_says_so_at_rest),
        cmocka_unit_test(no_slider_is_held_by_more_than_its_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
