/* `march` against exact solutions: closed forms, matrix exponentials between switches found by fine steps (a
 * Kelvin-Voigt contact is piecewise linear), `motion` where both apply, eigenvalues, and limits. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/march.h"
#include "amontons/models.h"
#include "amontons/motion.h"
#include "amontons/stability.h"
#include "base/random.h"
#include "math/convolution.h"

static const double pi = 3.14159265358979323846;

static void close_to(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("got %.17g, wanted %.17g within %g\n", got, wanted, tolerance);
        fail();
    }
}

/* ---- systems ---- */

enum { MOST = 4 };

typedef struct small_system { /* everything by value, to be changed freely */
    size_t n, m, loads;
    double M[MOST * MOST], C[MOST * MOST], K[MOST * MOST], A[MOST * MOST];
    bool circulatory;
    am_contact_def contact[MOST];
    double normal[MOST][MOST], tangent[MOST][MOST];
    am_load_def load[MOST];
    double direction[MOST][MOST];
} small_system;

static small_system small_new(size_t n, size_t m, size_t loads) {
    small_system s = {.n = n, .m = m, .loads = loads};
    for (size_t i = 0; i < n; i++)
        s.M[i * n + i] = s.K[i * n + i] = 1.0;
    for (size_t c = 0; c < m; c++)
        s.contact[c] = am_contact_def_default();
    return s;
}

static am_system *small_make(const small_system *s) {
    am_error err = {0};
    am_system_def def = am_system_def_default();
    am_contact_def contact[MOST];
    am_load_def load[MOST];
    am_matrix *M = am_matrix_dense(s->n, s->n, s->M, &err), *C = am_matrix_dense(s->n, s->n, s->C, &err);
    am_matrix *K = am_matrix_dense(s->n, s->n, s->K, &err), *A = am_matrix_dense(s->n, s->n, s->A, &err);
    for (size_t c = 0; c < s->m; c++) {
        contact[c] = s->contact[c];
        bool felt = false; /* a held contact need not act along its normal */
        for (size_t i = 0; i < s->n; i++)
            felt = felt || s->normal[c][i] != 0.0;
        contact[c].normal = felt ? s->normal[c] : NULL;
        contact[c].tangent = s->tangent[c];
    }
    for (size_t l = 0; l < s->loads; l++) {
        load[l] = s->load[l];
        load[l].direction = s->direction[l];
    }
    def.n = s->n;
    def.mass = M;
    def.damping = C;
    def.stiffness = K;
    def.circulatory = s->circulatory ? A : NULL;
    def.contact_count = s->m;
    def.contacts = contact;
    def.load_count = s->loads;
    def.loads = load;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        print_error("%s: %s\n", err.field, err.message);
    am_matrix_free(M);
    am_matrix_free(C);
    am_matrix_free(K);
    am_matrix_free(A);
    assert_non_null(system);
    return system;
}

static am_march_options options_until(double until) {
    am_march_options options = am_march_options_default();
    options.until = until;
    options.check = AM_MARCH_CHECK_NO;
    return options;
}

/* `events` are the moments at which contacts switch, each a row or several in the table. Adaptive steps also end where
 * surfaces part whose contact has opened before; that is no change of contact, and has no row. */
static void check_events(const am_result *result, bool adaptive) {
    const am_table *events = am_result_find_table(result, "events");
    size_t moments = 0, column = am_table_find_column(events, "t");
    for (size_t i = 0; i < am_table_rows(events); i++)
        moments += i == 0 || am_table_number(events, i, column) != am_table_number(events, i - 1, column);
    double told = am_result_find(result, "events")->number;
    assert_true(adaptive ? told >= (double)moments : told == (double)moments);
}

static am_result *march(const small_system *s, const am_march_options *options) {
    am_error err = {0};
    am_system *system = small_make(s);
    am_result *result = am_result_create(&err);
    am_status status = am_march_run(system, options, result, NULL, &err);
    if (status != AM_OK)
        print_error("%s\n", err.message);
    assert_int_equal(status, AM_OK);
    check_events(result, options->method == AM_MARCH_ADAPTIVE);
    am_system_free(system);
    return result;
}

static am_status march_fails(const small_system *s, const am_march_options *options, char *message, size_t size) {
    am_error err = {0};
    am_system *system = small_make(s);
    am_result *result = am_result_create(&err);
    am_status status = am_march_run(system, options, result, NULL, &err);
    snprintf(message, size, "%s", err.message);
    am_result_free(result);
    am_system_free(system);
    return status;
}

static double number(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    assert_non_null(scalar);
    return scalar->kind == AM_SCALAR_NONE ? NAN : scalar->number;
}

static double cell(const am_result *result, const char *table, size_t row, const char *column) {
    const am_table *t = am_result_find_table(result, table);
    assert_non_null(t);
    assert_true(row < am_table_rows(t));
    return am_table_number(t, row, am_table_find_column(t, column));
}

static const char *word(const am_result *result, size_t row, const char *column) {
    const am_table *t = am_result_find_table(result, "events");
    return am_table_text(t, row, am_table_find_column(t, column));
}

static size_t rows(const am_result *result, const char *table) {
    return am_table_rows(am_result_find_table(result, table));
}

/* A point mass above a Kelvin-Voigt or Hunt-Crossley ground: q = (x, height). */
static small_system ball(am_normal_law law) {
    small_system s = small_new(2, 1, 0);
    memset(s.K, 0, sizeof s.K);
    s.contact[0].normal_law = law;
    s.contact[0].contact_stiffness = 100.0;
    s.normal[0][1] = 1.0;
    s.tangent[0][0] = 1.0;
    return s;
}

/* ---- closed forms ---- */

/* Free of gravity: d = v/w exp(-a t) sin(w t), and k d + c d' = 0 at the moment of lift-off. */
static void test_kelvin_voigt_bounce_follows_its_closed_form(void **state) {
    (void)state;
    small_system s = ball(AM_KELVIN_VOIGT);
    const double k = 100.0, c = 4.0, v = 2.0, height = 1.0;
    const double a = 0.5 * c, w = sqrt(k - a * a);
    const double start[] = {0.0, height}, speed[] = {0.0, -v};
    s.contact[0].contact_damping = c;
    am_march_options o = options_until(1.5);
    o.displacement = start;
    o.velocity = speed;
    o.tolerance = 1e-11;
    am_result *r = march(&s, &o);
    /* k sin + c (w cos - a sin) = 0: tan(w t) = -c w/(k - c a) */
    double flight = (pi - atan(c * w / (k - c * a))) / w;
    double leave = v * exp(-a * flight) * (cos(w * flight) - a / w * sin(w * flight));
    assert_int_equal(rows(r, "events"), 2);
    /* errors of some hundred steps of 1e-11 each */
    close_to(cell(r, "events", 0, "t"), height / v, 1e-9);
    close_to(cell(r, "events", 1, "t"), height / v + flight, 1e-9);
    close_to(cell(r, "events", 1, "v2"), -leave, 1e-8);
    assert_string_equal(word(r, 0, "cause"), "impact");
    assert_string_equal(word(r, 1, "cause"), "lift_off");
    assert_string_equal(word(r, 1, "to"), "open");
    assert_int_equal((int)number(r, "lift_offs"), 1);
    assert_int_equal((int)number(r, "impacts"), 1);
    close_to(number(r, "first_lift_off"), height / v + flight, 1e-9);
    am_result_free(r);
}

/* m d'' = -k d^e (1 + 3/2 alpha d') has a first integral whatever e is: with u = 3/2 alpha d',
 * u - log(1 + u) changes by -(3/2 alpha)^2 times the elastic energy, so that at lift-off it is what it was at impact.
 */
static void test_hunt_crossley_restitution_obeys_its_first_integral(void **state) {
    (void)state;
    for (int trial = 0; trial < 3; trial++) {
        small_system s = ball(AM_HUNT_CROSSLEY);
        const double exponent[] = {1.0, 1.5, 2.0}, alpha = 0.2, v = 1.5;
        const double start[] = {0.0, 0.5}, speed[] = {0.0, -v};
        s.contact[0].contact_exponent = exponent[trial];
        s.contact[0].contact_dissipation = alpha;
        am_march_options o = options_until(6.0);
        o.displacement = start;
        o.velocity = speed;
        o.tolerance = 1e-11;
        am_result *r = march(&s, &o);
        assert_int_equal(rows(r, "events"), 2);
        double in = 1.5 * alpha * v, out = -1.5 * alpha * cell(r, "events", 1, "v2");
        assert_true(out < 0.0 && out > -in);
        close_to(out - log1p(out), in - log1p(in), 1e-8);
        double lost = 0.5 * (v * v - pow(cell(r, "events", 1, "v2"), 2));
        close_to(number(r, "loss_contact"), lost, 1e-7);
        assert_true(number(r, "energy_residual") < 1e-7);
        am_result_free(r);
    }
}

/* Straight under the ground's own load, sliding: x'' = -mu g until it stops on the belt, then it rides along. */
static void test_block_on_a_belt_stops_when_coulomb_says(void **state) {
    (void)state;
    small_system s = ball(AM_KELVIN_VOIGT);
    s.loads = 1;
    s.load[0].function = am_function_constant(10.0);
    s.direction[0][1] = -1.0;
    s.contact[0].friction = 0.3;
    s.contact[0].surface_velocity = 1.0;
    const double start[] = {0.0, -0.1};
    am_march_options o = options_until(1.0);
    o.displacement = start;
    o.tolerance = 1e-11;
    am_result *r = march(&s, &o);
    assert_int_equal(rows(r, "events"), 1);
    close_to(cell(r, "events", 0, "t"), 1.0 / 3.0, 1e-9);
    assert_string_equal(word(r, 0, "from"), "backward");
    assert_string_equal(word(r, 0, "to"), "stick");
    assert_string_equal(word(r, 0, "cause"), "stop");
    close_to(cell(r, "samples", 1000, "v1"), 1.0, 1e-12);
    close_to(cell(r, "samples", 1000, "q1"), 1.0 / 6.0 + 2.0 / 3.0, 1e-8);
    close_to(number(r, "loss_friction"), 3.0 * (1.0 / 6.0), 1e-7); /* mu N times the way slid */
    close_to(number(r, "work_surface"), 3.0 / 3.0, 1e-7);
    am_result_free(r);
}

/* Touching and at rest, a load that grows: contact from the start, no impact; N = ramp less inertia. */
static void test_contact_that_just_touches_is_closed_by_a_load_and_open_without(void **state) {
    (void)state;
    small_system s = ball(AM_KELVIN_VOIGT);
    s.loads = 1;
    s.load[0].function = am_function_constant(1.0);
    for (int k = 0; k < 2; k++) {
        s.direction[0][1] = k == 0 ? -1.0 : 1.0;
        am_march_options o = options_until(0.2);
        am_result *r = march(&s, &o);
        assert_int_equal(rows(r, "events"), 0);
        /* without damping: N = 1 - cos(10 t) */
        close_to(cell(r, "samples", 1000, "N1"), k == 0 ? 1.0 - cos(2.0) : 0.0, 1e-6);
        am_result_free(r);
    }
}

/* ---- the piecewise linear reference ---- */

/* x = (q, v, 1), x' = G x for a given state of every contact. */
typedef struct reference {
    const small_system *s;
    size_t size;
    double Minv[MOST * MOST];
    am_contact_state state[MOST];
    bool overlap[MOST];
    double G[(2 * MOST + 1) * (2 * MOST + 1)];
    double x[2 * MOST + 1], t;
    size_t count;
    double when[400];
    size_t who[400];
    am_contact_state to[400];
} reference;

static void invert(const double *a, size_t n, double *inverse) { /* Gauss-Jordan, for small well-behaved matrices */
    double w[MOST * 2 * MOST];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < 2 * n; j++)
            w[i * 2 * n + j] = j < n ? a[i * n + j] : (j - n == i ? 1.0 : 0.0);
    for (size_t p = 0; p < n; p++) {
        double pivot = w[p * 2 * n + p];
        for (size_t j = 0; j < 2 * n; j++)
            w[p * 2 * n + j] /= pivot;
        for (size_t i = 0; i < n; i++) {
            double f = w[i * 2 * n + p];
            for (size_t j = 0; j < 2 * n && i != p; j++)
                w[i * 2 * n + j] -= f * w[p * 2 * n + j];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            inverse[i * n + j] = w[i * 2 * n + n + j];
}

/* Row of N of contact c over x, and G for the present states (at most one contact sticks at a time: solved by hand). */
static void normal_row(const reference *r, size_t c, double *row) {
    const small_system *s = r->s;
    memset(row, 0, r->size * sizeof *row);
    for (size_t i = 0; i < s->n; i++) {
        row[i] = -s->contact[c].contact_stiffness * s->normal[c][i];
        row[s->n + i] = -s->contact[c].contact_damping * s->normal[c][i];
    }
    row[2 * s->n] = -s->contact[c].contact_stiffness * s->contact[c].gap;
}

static void add_force(reference *r, const double *direction, const double *row) {
    size_t n = r->s->n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < r->size; j++)
                r->G[(n + i) * r->size + j] += r->Minv[i * n + k] * direction[k] * row[j];
}

/* T of the sticking contact over x (before it is added). */
static void stick_row(const reference *r, size_t c, double *row) {
    size_t n = r->s->n;
    double w = 0.0;
    memset(row, 0, r->size * sizeof *row);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            w += r->s->tangent[c][i] * r->Minv[i * n + k] * r->s->tangent[c][k];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < r->size; j++)
            row[j] -= r->s->tangent[c][i] * r->G[(n + i) * r->size + j] / w;
}

static double friction_row[2 * MOST + 1];

static void build(reference *r) {
    const small_system *s = r->s;
    size_t n = s->n, stuck = MOST;
    double row[2 * MOST + 1];
    memset(r->G, 0, sizeof r->G);
    for (size_t i = 0; i < n; i++) {
        r->G[i * r->size + n + i] = 1.0;
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++) {
                r->G[(n + i) * r->size + j] -= r->Minv[i * n + k] * (s->K[k * n + j] + s->A[k * n + j]);
                r->G[(n + i) * r->size + n + j] -= r->Minv[i * n + k] * s->C[k * n + j];
            }
    }
    for (size_t l = 0; l < s->loads; l++) {
        memset(row, 0, sizeof row);
        row[2 * n] = s->load[l].function.value;
        add_force(r, s->direction[l], row);
    }
    for (size_t c = 0; c < s->m; c++) {
        if (r->state[c] == AM_OPEN)
            continue;
        normal_row(r, c, row);
        add_force(r, s->normal[c], row);
        for (size_t j = 0; j < r->size; j++)
            row[j] *= r->state[c] == AM_FORWARD ? -s->contact[c].friction : s->contact[c].friction;
        if (r->state[c] == AM_STICK)
            stuck = c;
        else
            add_force(r, s->tangent[c], row);
    }
    if (stuck < MOST) {
        stick_row(r, stuck, friction_row);
        add_force(r, s->tangent[stuck], friction_row);
    }
}

static void flow(const reference *r, double h, double *x) { /* Taylor: exact to rounding for |G| h of about 1 */
    double term[2 * MOST + 1], next[2 * MOST + 1];
    memcpy(term, x, r->size * sizeof *x);
    for (int k = 1; k < 30; k++) {
        for (size_t i = 0; i < r->size; i++) {
            next[i] = 0.0;
            for (size_t j = 0; j < r->size; j++)
                next[i] += r->G[i * r->size + j] * term[j] * h / k;
        }
        memcpy(term, next, r->size * sizeof *x);
        for (size_t i = 0; i < r->size; i++)
            x[i] += term[i];
    }
}

static double row_value(const double *row, const double *x, size_t size) {
    double sum = 0.0;
    for (size_t i = 0; i < size; i++)
        sum += row[i] * x[i];
    return sum;
}

static double ref_slide(const reference *r, size_t c, const double *x) {
    return row_value(r->s->tangent[c], x + r->s->n, r->s->n) - r->s->contact[c].surface_velocity;
}

static double ref_normal(const reference *r, size_t c, const double *x) {
    double row[2 * MOST + 1];
    normal_row(r, c, row);
    return row_value(row, x, r->size);
}

static double ref_gap(const reference *r, size_t c, const double *x) {
    return row_value(r->s->normal[c], x, r->s->n) + r->s->contact[c].gap;
}

/* What is still positive in the contact's state; the least of its quantities. */
static double reserve(const reference *r, size_t c, const double *x) {
    double N = ref_normal(r, c, x), slide = ref_slide(r, c, x);
    if (r->state[c] != AM_OPEN && r->s->contact[c].friction == 0.0)
        return N; /* its direction of sliding is no switch */
    switch (r->state[c]) {
    case AM_OPEN:
        return r->overlap[c] ? -N : ref_gap(r, c, x);
    case AM_STICK:
        return fmin(N, r->s->contact[c].friction * N - fabs(row_value(friction_row, x, r->size)));
    case AM_FORWARD:
        return fmin(N, slide);
    case AM_BACKWARD:
        return fmin(N, -slide);
    }
    return NAN;
}

static void ref_switch(reference *r, size_t c) {
    double N = ref_normal(r, c, r->x), slide = ref_slide(r, c, r->x), mu = r->s->contact[c].friction;
    const double tiny = 1e-9;
    am_contact_state old = r->state[c];
    if (old == AM_OPEN) {
        r->state[c] = slide > 0 ? AM_FORWARD : AM_BACKWARD;
        r->overlap[c] = false;
    } else if (N <= tiny) {
        r->state[c] = AM_OPEN;
        r->overlap[c] = ref_gap(r, c, r->x) < 0.0;
    } else if (old == AM_STICK) {
        r->state[c] = row_value(friction_row, r->x, r->size) > 0 ? AM_BACKWARD : AM_FORWARD;
    } else { /* stopped: does it hold? */
        r->state[c] = AM_STICK;
        build(r);
        double T = row_value(friction_row, r->x, r->size);
        if (fabs(T) > mu * N)
            r->state[c] = T > 0 ? AM_BACKWARD : AM_FORWARD;
    }
    build(r);
    if (r->count < 400) {
        r->when[r->count] = r->t;
        r->who[r->count] = c;
        r->to[r->count++] = r->state[c];
    }
}

static void ref_part(reference *r) { /* overlapping surfaces that have parted */
    for (size_t c = 0; c < r->s->m; c++)
        if (r->state[c] == AM_OPEN && r->overlap[c] && ref_gap(r, c, r->x) > 0.0)
            r->overlap[c] = false;
}

static void ref_run(reference *r, const small_system *s, const double *q, const double *v, double until, double h) {
    *r = (reference){.s = s, .size = 2 * s->n + 1};
    invert(s->M, s->n, r->Minv);
    memcpy(r->x, q, s->n * sizeof *q);
    memcpy(r->x + s->n, v, s->n * sizeof *v);
    r->x[2 * s->n] = 1.0;
    for (size_t c = 0; c < s->m; c++) {
        r->state[c] = AM_OPEN;
        if (ref_gap(r, c, r->x) < 0.0 && ref_normal(r, c, r->x) > 0.0)
            r->state[c] = ref_slide(r, c, r->x) > 0 ? AM_FORWARD : AM_BACKWARD;
    }
    build(r);
    while (r->t < until) {
        double x[2 * MOST + 1], step = fmin(h, until - r->t);
        size_t first = MOST;
        double least = step;
        memcpy(x, r->x, sizeof x);
        flow(r, step, x);
        for (size_t c = 0; c < s->m; c++) {
            if (reserve(r, c, x) >= 0.0)
                continue;
            double low = 0.0, high = step;
            for (int i = 0; i < 60; i++) {
                double middle = 0.5 * (low + high), y[2 * MOST + 1];
                memcpy(y, r->x, sizeof y);
                flow(r, middle, y);
                *(reserve(r, c, y) >= 0.0 ? &low : &high) = middle;
            }
            if (first == MOST || high < least) {
                first = c;
                least = high;
            }
        }
        flow(r, least, r->x);
        r->t += least;
        ref_part(r);
        if (first < MOST)
            ref_switch(r, first);
        if (least <= 0.0)
            r->t += 1e-300;
    }
}

/* Random structures of two degrees of freedom pressed on two Kelvin-Voigt contacts, one with friction on a belt. */
static small_system random_pressed(uint64_t seed) {
    small_system s = small_new(3, 2, 1);
    for (size_t i = 0; i < 3; i++) {
        s.M[i * 3 + i] = 0.5 + am_random_unit(seed, i, 0);
        s.K[i * 3 + i] = 2.0 + 4.0 * am_random_unit(seed, i, 1);
        s.C[i * 3 + i] = 0.1 * am_random_unit(seed, i, 2);
        s.direction[0][i] = i == 1 ? -1.0 : 0.6 * am_random_unit(seed, i, 3) - 0.3;
    }
    s.K[1] = s.K[3] = am_random_unit(seed, 5, 0) - 0.5;
    s.K[5] = s.K[7] = am_random_unit(seed, 6, 0) - 0.5;
    s.load[0].function = am_function_constant(2.0);
    for (size_t c = 0; c < 2; c++) {
        s.contact[c].normal_law = AM_KELVIN_VOIGT;
        s.contact[c].contact_stiffness = 30.0 + 60.0 * am_random_unit(seed, 7, c);
        s.contact[c].contact_damping = 0.6 * am_random_unit(seed, 8, c);
        s.normal[c][1] = 1.0;
        s.normal[c][2] = c == 0 ? 0.6 : -0.6;
        s.tangent[c][0] = 1.0;
    }
    s.contact[0].friction = 0.2 + 0.5 * am_random_unit(seed, 9, 0);
    s.contact[0].surface_velocity = 0.4 * am_random_unit(seed, 9, 1);
    return s;
}

/* Every switch of the reference, in its order, at its time: none lost, none added. */
static void test_random_kelvin_voigt_systems_switch_like_matrix_exponentials(void **state) {
    (void)state;
    size_t switches = 0, lifts = 0, sticks = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        small_system s = random_pressed(seed);
        double q[3], v[3];
        for (size_t i = 0; i < 3; i++) {
            q[i] = 0.4 * am_random_unit(seed, 20 + i, 0);
            v[i] = 4.0 * am_random_unit(seed, 20 + i, 1) - 2.0;
        }
        reference *wanted = malloc(sizeof *wanted);
        ref_run(wanted, &s, q, v, 8.0, 4e-3);
        am_march_options o = options_until(8.0);
        o.displacement = q;
        o.velocity = v;
        o.tolerance = 1e-11;
        o.samples = 0;
        am_result *r = march(&s, &o);
        for (size_t i = 0; i < wanted->count; i++) {
            /* motions separate at most like exp(8 x a few tenths); 1e-11 a step, some thousand steps */
            close_to(cell(r, "events", i, "t"), wanted->when[i], 1e-6);
            assert_int_equal(strtol(word(r, i, "contact"), NULL, 10), (int)wanted->who[i] + 1);
            if (wanted->who[i] == 0)
                assert_string_equal(word(r, i, "to"), am_contact_state_name(wanted->to[i]));
            lifts += wanted->to[i] == AM_OPEN;
            sticks += wanted->to[i] == AM_STICK;
        }
        switches += wanted->count;
        assert_int_equal(wanted->count, rows(r, "events"));
        assert_true(number(r, "energy_residual") < 1e-7);
        am_result_free(r);
        free(wanted);
    }
    assert_true(switches > 400 && lifts > 100 && sticks > 20); /* or the test would show nothing */
}

/* ---- motion: exact for held contacts ---- */

/* Two masses in a row, each pressed by a given force on a belt; the first is also shaken. */
static small_system held_pair(uint64_t seed) {
    small_system s = small_new(2, 2, 2);
    s.K[0] = 3.0;
    s.K[3] = 2.0;
    s.K[1] = s.K[2] = -1.0;
    for (size_t c = 0; c < 2; c++) {
        s.contact[c].normal_law = AM_HELD;
        s.contact[c].hold = am_function_sine(0.5, 0.7 + am_random_unit(seed, c, 0), 1.0);
        s.contact[c].hold.value = 1.5;
        s.contact[c].friction = 0.2 + 0.3 * am_random_unit(seed, c, 1);
        s.contact[c].static_friction = s.contact[c].friction * (c == 0 ? 1.0 : 1.3);
        s.contact[c].surface_velocity = 0.5 * am_random_unit(seed, c, 2);
        if (seed % 2 == 0) { /* belts that swing, and sweep */
            static am_function sweep;
            sweep = am_function_chirp(0.2, 1.0, 3.0, 9.0);
            s.contact[c].surface_motion = am_function_sine(0.4, 0.5 + am_random_unit(seed, c, 3), 0.3);
            s.contact[c].surface_motion.plus = &sweep;
        }
        s.tangent[c][c] = 1.0;
    }
    s.load[0].function = am_function_sine(1.5, 1.0 + am_random_unit(seed, 2, 0), 0.0);
    s.direction[0][0] = 1.0;
    static const double times[] = {0.0, 3.0, 3.5, 9.0}, values[] = {0.0, 1.0, -1.0, 0.5};
    s.load[1].function = am_function_table(4, times, values);
    s.direction[1][1] = 1.0;
    return s;
}

static am_result *exact(const small_system *s, double until) {
    am_error err = {0};
    am_system *system = small_make(s);
    am_result *result = am_result_create(&err);
    am_motion_options options = am_motion_options_default();
    options.until = until;
    am_status status = am_motion_run(system, &options, result, NULL, &err);
    if (status != AM_OK)
        print_error("%s\n", err.message);
    assert_int_equal(status, AM_OK);
    am_system_free(system);
    return result;
}

static void test_held_contacts_switch_as_in_motion(void **state) {
    (void)state;
    size_t events = 0;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        small_system s = held_pair(seed);
        am_march_options o = options_until(12.0);
        o.tolerance = 1e-11;
        am_result *r = march(&s, &o), *wanted = exact(&s, 12.0);
        assert_int_equal(rows(r, "events"), rows(wanted, "events"));
        for (size_t i = 0; i < rows(r, "events"); i++) {
            /* a slip begins where the reserve, its rate of order one, vanishes: times as good as the solution */
            close_to(cell(r, "events", i, "t"), cell(wanted, "events", i, "t"), 1e-7);
            assert_string_equal(word(r, i, "to"), word(wanted, i, "to"));
            assert_string_equal(word(r, i, "cause"), word(wanted, i, "cause"));
            assert_string_equal(word(r, i, "contact"), word(wanted, i, "contact"));
        }
        close_to(cell(r, "samples", 1000, "q1"), cell(wanted, "samples", 1000, "q1"), 1e-8);
        close_to(number(r, "loss_friction"), number(wanted, "loss_friction"), 1e-7);
        close_to(number(r, "work_loads"), number(wanted, "work_loads"), 1e-7);
        close_to(number(r, "work_surface"), number(wanted, "work_surface"), 1e-7);
        events += rows(r, "events");
        am_result_free(r);
        am_result_free(wanted);
    }
    assert_true(events > 150);
}

/* A saw tooth: what stuck to the surface is left behind. */
static void test_a_surface_that_jumps_leaves_a_block_behind_as_in_motion(void **state) {
    (void)state;
    static const double times[] = {0.0, 2.0}, values[] = {0.0, 0.2};
    small_system s = held_pair(1);
    for (size_t c = 0; c < 2; c++) {
        s.contact[c].hold = am_function_constant(9.0);
        s.contact[c].surface_motion = am_function_table(2, times, values);
        s.contact[c].surface_motion.period = 2.0;
    }
    am_march_options o = options_until(9.0);
    o.tolerance = 1e-11;
    am_result *r = march(&s, &o), *wanted = exact(&s, 9.0);
    assert_true(rows(wanted, "events") >= 12); /* two leave at each of four jumps, and stop again */
    assert_int_equal(rows(r, "events"), rows(wanted, "events"));
    for (size_t i = 0; i < rows(r, "events"); i++) {
        close_to(cell(r, "events", i, "t"), cell(wanted, "events", i, "t"), 1e-7);
        assert_string_equal(word(r, i, "to"), word(wanted, i, "to"));
    }
    close_to(number(r, "loss_friction"), number(wanted, "loss_friction"), 1e-8);
    am_result_free(r);
    am_result_free(wanted);
}

static double largest_error(const am_result *a, const am_result *b) {
    double most = 0.0;
    for (size_t i = 0; i < rows(a, "samples"); i++)
        most = fmax(most, fabs(cell(a, "samples", i, "q1") - cell(b, "samples", i, "q1")));
    return most;
}

/* The error follows the tolerance: a factor of 1e4 in one brings at least 1e3 in the other. */
static void test_error_falls_with_the_tolerance_through_switches(void **state) {
    (void)state;
    small_system s = held_pair(3);
    am_result *wanted = exact(&s, 12.0);
    double error[2];
    for (int k = 0; k < 2; k++) {
        am_march_options o = options_until(12.0);
        o.tolerance = k == 0 ? 1e-5 : 1e-9;
        o.check = AM_MARCH_CHECK_YES;
        am_result *r = march(&s, &o);
        error[k] = largest_error(r, wanted);
        /* what the second run says is the size of the error itself */
        assert_true(number(r, "error_estimate") > 0.1 * error[k]);
        assert_true(number(r, "error_estimate") < 100.0 * error[k] + 1e-12);
        am_result_free(r);
    }
    assert_true(error[1] < 1e-3 * error[0]);
    am_result_free(wanted);
}

/* Newmark's method is of second order where nothing switches; halving the step divides the error by four. */
static void test_fixed_steps_are_of_second_order_while_nothing_switches(void **state) {
    (void)state;
    static const am_march_method methods[] = {AM_MARCH_NEWMARK, AM_MARCH_MOREAU_JEAN};
    small_system s = held_pair(3);
    s.m = 0;
    s.loads = 1;
    am_result *wanted = exact(&s, 12.0);
    for (size_t i = 0; i < 2; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            am_march_options o = options_until(12.0);
            o.method = methods[i];
            o.step = k == 0 ? 0.02 : 0.01;
            am_result *r = march(&s, &o);
            error[k] = largest_error(r, wanted);
            am_result_free(r);
        }
        close_to(error[0] / error[1], 4.0, 0.1); /* terms of fourth order: (w h)^2/10 or so */
    }
    am_result_free(wanted);
}

/* With switches at the ends of steps the order is one: the error is at most proportional to the step. */
static void test_newmark_approaches_the_exact_motion_through_switches(void **state) {
    (void)state;
    double sum[3] = {0};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        small_system s = held_pair(seed);
        am_result *wanted = exact(&s, 12.0);
        for (int k = 0; k < 3; k++) {
            am_march_options o = options_until(12.0);
            o.method = AM_MARCH_NEWMARK;
            o.step = 0.016 / pow(4.0, k);
            am_result *r = march(&s, &o);
            sum[k] += largest_error(r, wanted);
            am_result_free(r);
        }
        am_result_free(wanted);
    }
    assert_true(sum[1] < 0.5 * sum[0]);
    assert_true(sum[2] < 0.5 * sum[1]);
}

/* A mass that swings on a contact of any stiffness, in steps much longer than its period: the rule of average
 * acceleration, written here, is one linear equation in every step. Tolerance: what Newton's method leaves (1e-12),
 * over 50 steps. */
static void test_newmark_takes_steps_of_any_length_on_stiff_contacts(void **state) {
    (void)state;
    enum { STEPS = 50 };
    for (int trial = 0; trial < 12; trial++) {
        double k = pow(10.0, 1.0 + 0.5 * trial), c = trial % 2 ? 0.02 * sqrt(k) : 0.0, h = 0.05, rest = -1.0 / k;
        double q[] = {0.0, 1.5 * rest}, height = q[1], v = 0.0, a = -1.0 - k * height;
        small_system s = ball(AM_KELVIN_VOIGT);
        s.contact[0].contact_stiffness = k;
        s.contact[0].contact_damping = c;
        s.loads = 1;
        s.load[0].function = am_function_constant(1.0);
        s.direction[0][1] = -1.0;
        am_march_options o = options_until(STEPS * h);
        o.displacement = q;
        o.method = AM_MARCH_NEWMARK;
        o.step = h;
        am_result *r = march(&s, &o);
        for (int step = 0; step < STEPS; step++) {
            double far = height + h * v + 0.25 * h * h * a, fast = v + 0.5 * h * a;
            a = (-1.0 - k * far - c * fast) / (1.0 + 0.25 * h * h * k + 0.5 * h * c);
            height = far + 0.25 * h * h * a;
            v = fast + 0.5 * h * a;
        }
        size_t last = rows(r, "samples") - 1;
        close_to(cell(r, "samples", last, "q2"), height, 1e-9 * fabs(rest));
        close_to(cell(r, "samples", last, "v2"), v, 1e-9 * sqrt(k) * fabs(rest));
        am_result_free(r);
    }
}

static void test_newmark_and_adaptive_agree_on_bouncing(void **state) {
    (void)state;
    small_system s = random_pressed(5);
    const double q[] = {0.1, 0.3, 0.2};
    am_march_options o = options_until(3.0);
    o.displacement = q;
    am_result *fine = march(&s, &o);
    double error[2];
    for (int k = 0; k < 2; k++) {
        o.method = AM_MARCH_NEWMARK;
        o.step = k == 0 ? 2e-3 : 2.5e-4;
        am_result *r = march(&s, &o);
        assert_true(number(r, "lift_offs") == number(fine, "lift_offs"));
        error[k] = largest_error(r, fine);
        am_result_free(r);
    }
    assert_true(number(fine, "lift_offs") > 2.0);
    assert_true(error[1] < 0.25 * error[0]); /* eight times smaller steps, order one at least */
    am_result_free(fine);
}

/* ---- no lift-off is lost ---- */

/* A mass on a Kelvin-Voigt contact under -P + a sin(w t), in its periodic motion: N = P + A cos(w t + phase)
 * exactly, so its least value is chosen by the amplitude of the load. */
static void run_grazing(double excess, size_t lift_offs, double tolerance) {
    const double k = 100.0, c = 2.0, P = 1.0, w = 3.0;
    small_system s = small_new(1, 1, 2);
    s.K[0] = 0.0;
    s.contact[0].normal_law = AM_KELVIN_VOIGT;
    s.contact[0].contact_stiffness = k;
    s.contact[0].contact_damping = c;
    s.normal[0][0] = s.tangent[0][0] = 1.0; /* without friction the tangent means nothing */
    /* q = -P/k + Re(X exp(i w t)), X (k - w^2 + i c w) = -a, N = P - Re((k + i c w) X exp(i w t)) */
    double amplitude = P * (1.0 + excess) * hypot(k - w * w, c * w) / hypot(k, c * w);
    double re = k - w * w, im = c * w, size = re * re + im * im;
    s.load[0].function = am_function_constant(P);
    s.direction[0][0] = -1.0;
    s.load[1].function = am_function_sine(amplitude, w, 0.5 * pi); /* cosine */
    s.direction[1][0] = -1.0;
    const double q[] = {-P / k - amplitude * re / size}, v[] = {-w * amplitude * im / size};
    am_march_options o = options_until(2.0 * pi / w * 0.9); /* one minimum of N is passed */
    o.displacement = q;
    o.velocity = v;
    o.tolerance = tolerance;
    o.samples = 0;
    am_result *r = march(&s, &o);
    if (number(r, "lift_offs") != (double)lift_offs)
        print_error("excess %g: %g lift-offs\n", excess, number(r, "lift_offs"));
    assert_int_equal((int)number(r, "lift_offs"), (int)lift_offs);
    if (lift_offs > 0) { /* N = P (1 + (1 + e) cos(w t + phase)) passes zero at an angle acos(-1/(1 + e)) */
        double phase = atan2(c * w, k) - atan2(im, re);
        double t = (acos(-1.0 / (1.0 + excess)) - phase) / w;
        /* the angle is the worse determined the flatter the zero: error of N over its slope */
        close_to(number(r, "first_lift_off"), t, 1e3 * tolerance / sqrt(2.0 * excess));
    }
    am_result_free(r);
}

static void test_shallow_lift_offs_are_found_and_near_misses_are_not_lift_offs(void **state) {
    (void)state;
    const double excess[] = {1e-2, 1e-4, 1e-6, 1e-8};
    for (size_t i = 0; i < sizeof excess / sizeof *excess; i++) {
        run_grazing(excess[i], 1, fmin(1e-8, 1e-4 * excess[i]));
        run_grazing(-excess[i], 0, fmin(1e-8, 1e-4 * excess[i]));
    }
}

/* A stiff contact lifts off when the rigid one does: the difference falls like 1/k. */
static void test_stiff_contact_lifts_off_like_the_rigid_one_in_the_limit(void **state) {
    (void)state;
    small_system s = small_new(2, 1, 2);
    s.K[1] = s.K[2] = 0.3;
    s.normal[0][1] = 1.0;
    s.tangent[0][0] = 1.0;
    s.contact[0].friction = 0.3;
    s.contact[0].surface_velocity = 1.0;
    s.load[0].function = am_function_ramp(-2.0, 0.5);
    s.direction[0][1] = 1.0;
    s.loads = 1;
    am_result *rigid = exact(&s, 8.0);
    double error[2];
    for (int k = 0; k < 2; k++) {
        const double stiffness = k == 0 ? 1e4 : 1e5;
        s.contact[0].normal_law = AM_KELVIN_VOIGT;
        s.contact[0].contact_stiffness = stiffness;
        s.contact[0].contact_damping = 2.0 * sqrt(stiffness);
        const double q[] = {0.0, -2.0 / stiffness};
        am_march_options o = options_until(8.0);
        o.displacement = q;
        o.tolerance = 1e-10;
        am_result *r = march(&s, &o);
        error[k] = fabs(number(r, "first_lift_off") - number(rigid, "first_lift_off"));
        am_result_free(r);
    }
    assert_true(error[0] < 0.1 && error[1] < 0.2 * error[0]); /* a tenth, but for terms of higher order in 1/k */
    am_result_free(rigid);
}

/* ---- friction ---- */

static void test_regularised_friction_approaches_coulombs_law(void **state) {
    (void)state;
    small_system s = held_pair(2);
    for (size_t c = 0; c < 2; c++)
        s.contact[c].static_friction = s.contact[c].friction;
    am_result *wanted = exact(&s, 12.0);
    double error[2];
    for (int k = 0; k < 2; k++) {
        for (size_t c = 0; c < 2; c++)
            s.contact[c].regularisation = k == 0 ? 1e-3 : 1e-4;
        am_march_options o = options_until(12.0);
        am_result *r = march(&s, &o);
        error[k] = largest_error(r, wanted);
        assert_true(number(r, "loss_friction") > 0.0);
        am_result_free(r);
    }
    assert_true(error[0] < 0.05 && error[1] < 0.2 * error[0]); /* proportional to the velocity of creep */
    am_result_free(wanted);
}

/* The same events at the same times, to the tolerance of the steps; then both are freed. */
static void expect_equal_events(am_result *r[2], size_t more_than) {
    assert_true(rows(r[0], "events") > more_than);
    assert_int_equal(rows(r[0], "events"), rows(r[1], "events"));
    for (size_t i = 0; i < rows(r[0], "events"); i++)
        close_to(cell(r[1], "events", i, "t"), cell(r[0], "events", i, "t"), 1e-8);
    am_result_free(r[0]);
    am_result_free(r[1]);
}

/* In a unit of length a million times as long the numbers are a millionth, and the motion is the same: also where the contact
 * leaves its creep backwards. */
static void test_units_do_not_matter_to_regularised_friction(void **state) {
    (void)state;
    am_result *r[2];
    for (int k = 0; k < 2; k++) {
        double unit = k == 0 ? 1.0 : 0x1p-20;
        small_system s = small_new(1, 1, 1);
        s.contact[0].normal_law = AM_HELD;
        s.contact[0].hold = am_function_constant(unit);
        s.contact[0].friction = s.contact[0].static_friction = 0.4;
        s.contact[0].regularisation = 1e-2 * unit;
        s.tangent[0][0] = 1.0;
        s.load[0].function = am_function_sine(1.5 * unit, 1.3, 1.0);
        s.direction[0][0] = 1.0;
        am_march_options o = options_until(12.0);
        r[k] = march(&s, &o);
    }
    expect_equal_events(r, 8);
}

/* Also where nothing moves at the start and the load passes through zero there: a micrometre is as much as a metre. */
static void test_units_do_not_matter_to_a_start_from_rest(void **state) {
    (void)state;
    am_result *r[2];
    for (int k = 0; k < 2; k++) {
        double unit = k == 0 ? 1.0 : 0x1p-20;
        small_system s = small_new(2, 1, 1);
        s.contact[0].normal_law = AM_KELVIN_VOIGT;
        s.contact[0].contact_stiffness = 50;
        s.contact[0].contact_damping = 1;
        s.contact[0].gap = unit;
        s.normal[0][1] = 1.0;
        s.tangent[0][0] = 1.0;
        s.load[0].function = am_function_sine(3.0 * unit, 1.2, 0.0);
        s.direction[0][0] = 1.0;
        s.direction[0][1] = 0.8;
        am_march_options o = options_until(20.0);
        r[k] = march(&s, &o);
    }
    expect_equal_events(r, 4);
}

/* Two contacts of one rigid mass stick together: only the sum of their frictions is determined, and shared evenly. */
static void test_contacts_that_cannot_move_apart_share_friction(void **state) {
    (void)state;
    small_system s = small_new(1, 2, 1);
    for (size_t c = 0; c < 2; c++) {
        s.contact[c].normal_law = AM_HELD;
        s.contact[c].hold = am_function_constant(1.0);
        s.contact[c].friction = 0.5;
        s.tangent[c][0] = 1.0;
    }
    s.load[0].function = am_function_ramp(0.0, 0.1);
    s.direction[0][0] = 1.0;
    am_march_options o = options_until(12.0);
    am_result *r = march(&s, &o);
    close_to(cell(r, "samples", 500, "T1"), -0.3, 1e-9);
    close_to(cell(r, "samples", 500, "T2"), -0.3, 1e-9);
    assert_true(rows(r, "events") >= 2);
    close_to(cell(r, "events", 0, "t"), 10.0, 1e-6);
    close_to(cell(r, "events", 1, "t"), 10.0, 1e-6);
    am_result_free(r);
}

/* ---- after the threshold ---- */

/* Two modes coupled by a follower force: flutter, whose growth is the eigenvalue's. */
static small_system flutter(double mu) {
    small_system s = small_new(2, 1, 1);
    s.K[0] = 3.0; /* as much as the other direction has with its contact */
    s.K[3] = 1.0;
    s.K[1] = s.K[2] = -0.2;
    s.C[0] = s.C[3] = 0.01;
    s.contact[0].normal_law = AM_HUNT_CROSSLEY;
    s.contact[0].contact_exponent = 1.5;
    s.contact[0].contact_stiffness = 2.0;
    s.contact[0].contact_dissipation = 0.01;
    s.contact[0].friction = mu;
    s.contact[0].surface_velocity = 5.0;
    s.normal[0][1] = 1.0;
    s.tangent[0][0] = 1.0;
    s.load[0].function = am_function_constant(1.0);
    s.direction[0][1] = -1.0;
    return s;
}

static void test_growth_is_that_of_the_eigenvalue(void **state) {
    (void)state;
    size_t compared = 0;
    for (int k = 0; k < 3; k++) {
        small_system s = flutter(0.3 + 0.3 * k);
        am_error err = {0};
        am_system *system = small_make(&s);
        am_spectrum spectrum = {0};
        am_stability_options stability = am_stability_options_default();
        assert_int_equal(am_stability_spectrum(system, &stability, &spectrum, &err), AM_OK);
        const double disturbance[] = {1e-6, 0.0};
        am_march_options o = options_until(150.0);
        o.equilibrium = true;
        o.disturbance = disturbance;
        o.tolerance = 1e-10;
        am_result *r = march(&s, &o);
        if (spectrum.real[0] > 0.01) { /* one pair grows alone: the other is gone in the second half */
            close_to(number(r, "growth_rate"), spectrum.real[0], 0.01 * spectrum.real[0]);
            compared++;
        }
        am_result_free(r);
        am_spectrum_clear(&spectrum);
        am_system_free(system);
    }
    assert_true(compared > 0);
}

/* A mass on a belt whose static friction exceeds the kinetic: stick-slip, with a period known in closed form. */
static void test_stick_slip_is_recognised_as_a_limit_cycle_with_its_period(void **state) {
    (void)state;
    const double mus = 0.6, mu = 0.4, V = 0.1;
    small_system s = small_new(2, 1, 1);
    s.contact[0].normal_law = AM_KELVIN_VOIGT;
    s.contact[0].contact_stiffness = 1000.0;
    s.contact[0].contact_damping = 10.0;
    s.contact[0].friction = mu;
    s.contact[0].static_friction = mus;
    s.contact[0].surface_velocity = V;
    s.normal[0][1] = 1.0;
    s.tangent[0][0] = 1.0;
    s.K[3] = 0.0;
    s.load[0].function = am_function_constant(1.0);
    s.direction[0][1] = -1.0;
    am_march_options o = options_until(120.0);
    const double q[] = {0.0, -1e-3};
    o.displacement = q;
    o.tolerance = 1e-10;
    am_result *r = march(&s, &o);
    /* slip: q - mu = (mus - mu) cos t + V sin t until q' = V again; stick: from mu - (mus - mu) to mus with V */
    double slip = 2.0 * (pi - atan((mus - mu) / V)), stick = 2.0 * (mus - mu) / V;
    size_t last = rows(r, "events") - 1;
    assert_true(last > 8);
    close_to(cell(r, "events", last, "t") - cell(r, "events", last - 2, "t"), slip + stick, 1e-7);
    assert_true(number(r, "limit_cycle") == 1.0);
    close_to(number(r, "period"), slip + stick, 1e-4);
    close_to(number(r, "amplitude"), hypot(mus - mu, V), 1e-3); /* half the way of q1 */
    am_result_free(r);
}

/* Chatterjee's shoe grows as s: X = mu N/(s^2 + c0 s + 1), theta = (mu h - 1) N/(s^2 + c1 s + k1). Sliding backward
 * with N0 - |N| >= 0 and |s (X + h theta)| <= v_s, it first stops below v_s = N0 |s (X + h theta)/N|, lifts off above.
 */
static void test_shoe_stops_below_and_lifts_off_above_a_velocity_known_from_its_eigenvector(void **state) {
    (void)state;
    am_error err = {0};
    am_shoe shoe = am_shoe_default();
    am_spectrum spectrum = {0};
    am_stability_options stability = am_stability_options_default();
    shoe.h = 2.70;
    shoe.c2 = 0.3;
    am_system *system = am_shoe_create(&shoe, &err);
    assert_non_null(system);
    assert_int_equal(am_stability_spectrum(system, &stability, &spectrum, &err), AM_OK);
    double complex g = spectrum.real[0] + I * fabs(spectrum.imaginary[0]);
    double complex X = shoe.mu / (g * g + shoe.c0 * g + 1.0),
                   theta = (shoe.mu * shoe.h - 1.0) / (g * g + shoe.c1 * g + 1.0);
    /* k2 Y = 1 - N, theta = 1 + (mu h - 1) N, Y + theta = N/K_c */
    double N0 = 3.0 / (1.0 / shoe.K_c + 2.0 - (shoe.mu * shoe.h - 1.0));
    double limit = N0 * cabs(g * (X + shoe.h * theta));
    am_spectrum_clear(&spectrum);
    am_system_free(system);
    const double disturbance[] = {0.0, 0.5, -0.5};
    for (int k = 0; k < 2; k++) {
        shoe.v_s = limit * (k == 0 ? 0.98 : 1.02); /* a cycle grows by 2 %, and other modes have long decayed */
        system = am_shoe_create(&shoe, &err);
        am_march_options o = options_until(450.0);
        o.equilibrium = true;
        o.disturbance = disturbance;
        am_result *r = am_result_create(&err);
        assert_int_equal(am_march_run(system, &o, r, NULL, &err), AM_OK);
        assert_true(rows(r, "events") > 0);
        assert_string_equal(word(r, 0, "cause"), k == 0 ? "stop" : "lift_off");
        am_result_free(r);
        am_system_free(system);
    }
}

static void test_decay_to_equilibrium_is_no_limit_cycle(void **state) {
    (void)state;
    small_system s = flutter(0.0);
    s.K[0] = 9.0; /* far from the other: no beats */
    s.C[3] = 0.05;
    const double disturbance[] = {0.0, 0.1};
    am_march_options o = options_until(60.0);
    o.equilibrium = true;
    o.disturbance = disturbance;
    am_result *r = march(&s, &o);
    assert_true(number(r, "limit_cycle") == 0.0);
    assert_true(number(r, "growth_rate") < 0.0);
    am_result_free(r);
}

/* ---- spectrum ---- */

static void test_transform_equals_its_definition_for_any_length(void **state) {
    (void)state;
    const size_t lengths[] = {1, 2, 3, 5, 8, 12, 31, 64, 100};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        size_t n = lengths[l];
        double x[100], re[51], im[51];
        for (size_t j = 0; j < n; j++)
            x[j] = am_random_unit(7, j, l) - 0.5;
        assert_int_equal(am_fourier(x, n, re, im, NULL), AM_OK);
        for (size_t k = 0; k <= n / 2; k++) {
            double a = 0.0, b = 0.0;
            for (size_t j = 0; j < n; j++) {
                a += x[j] * cos(2.0 * pi * (double)(j * k % n) / (double)n);
                b -= x[j] * sin(2.0 * pi * (double)(j * k % n) / (double)n);
            }
            close_to(re[k], a, 1e-13 * (double)(n + 10)); /* rounding of n terms */
            close_to(im[k], b, 1e-13 * (double)(n + 10));
        }
    }
}

static void test_spectrum_of_a_known_force_has_its_line(void **state) {
    (void)state;
    small_system s = small_new(1, 1, 0);
    s.contact[0].normal_law = AM_HELD;
    s.contact[0].hold = am_function_sine(0.5, 4.0, 0.3);
    s.contact[0].hold.value = 2.0;
    s.tangent[0][0] = 1.0;
    am_march_options o = options_until(10.0 * 2.0 * pi / 4.0 * 999.0 / 1000.0); /* 1000 samples: ten whole periods */
    o.samples = 1000;
    am_result *r = march(&s, &o);
    close_to(number(r, "dominant_frequency"), 4.0, 1e-9);
    close_to(number(r, "dominant_amplitude"), 0.5, 1e-9);
    close_to(cell(r, "spectrum", 0, "amplitude"), 2.0, 1e-9);
    close_to(cell(r, "spectrum", 30, "amplitude"), 0.0, 1e-9);
    am_result_free(r);
}

/* ---- loads ---- */

static void test_blow_changes_the_velocity_by_its_size_over_the_mass(void **state) {
    (void)state;
    small_system s = small_new(1, 0, 1);
    s.M[0] = 2.0;
    s.K[0] = 0.0;
    s.load[0].function = am_function_impulse(3.0, 1.0);
    s.direction[0][0] = 1.0;
    for (int k = 0; k < 2; k++) {
        am_march_options o = options_until(2.0);
        o.method = k == 0 ? AM_MARCH_ADAPTIVE : AM_MARCH_NEWMARK;
        o.step = 0.001;
        am_result *r = march(&s, &o);
        close_to(cell(r, "samples", 1000, "v1"), 1.5, 1e-9);
        close_to(cell(r, "samples", 1000, "q1"), 1.5, k == 0 ? 1e-9 : 1.5 * 0.0011); /* within its step */
        am_result_free(r);
    }
}

/* A load bends at t = 0.25 and the run ends a few roundings of time later: no step is possible, and none is needed. */
static void test_break_just_before_the_end_is_passed(void **state) {
    (void)state;
    small_system s = ball(AM_KELVIN_VOIGT);
    const double times[] = {0.0, 0.25}, values[] = {0.0, 1.0};
    double end = 0.25;
    s.loads = 1;
    s.load[0].function = am_function_table(2, times, values);
    s.direction[0][0] = 1.0;
    for (int k = 0; k < 24; k++) {
        end = nextafter(end, 1.0);
        am_march_options o = options_until(end);
        am_result *r = march(&s, &o);
        close_to(cell(r, "samples", 1000, "v1"), 0.125, 1e-7); /* half of 1 times 0.25 */
        close_to(number(r, "t_end"), end, 0.0);
        am_result_free(r);
    }
}

static void test_every_energy_is_accounted_for(void **state) {
    (void)state;
    for (uint64_t seed = 41; seed < 46; seed++) {
        small_system s = random_pressed(seed);
        const double q[] = {0.1, 0.5, 0.1};
        s.circulatory = true;
        s.A[1] = 0.1;
        s.A[3] = -0.1;
        s.contact[0].normal_law = AM_HUNT_CROSSLEY;
        s.contact[0].contact_exponent = 1.5;
        s.contact[0].contact_dissipation = 0.1;
        am_march_options o = options_until(10.0);
        o.displacement = q;
        am_result *r = march(&s, &o);
        assert_true(number(r, "energy_residual") < 1e-6); /* some thousand steps of 1e-8 */
        assert_true(fabs(number(r, "work_circulatory")) > 1e-4 && number(r, "loss_contact") > 0.0);
        assert_true(number(r, "loss_friction") > 0.0 && number(r, "loss_damping") > 0.0);
        am_result_free(r);
    }
}

/* ---- rigid contacts ---- */

/* Falls, bounces with restitution: the first impact and the velocity after it, to the order of the step. */
static void test_moreau_jean_bounces_with_its_restitution(void **state) {
    (void)state;
    small_system s = ball(AM_UNILATERAL);
    s.contact[0].contact_stiffness = 0.0;
    s.contact[0].restitution = 0.6;
    s.loads = 1;
    s.load[0].function = am_function_constant(1.0);
    s.direction[0][1] = -1.0;
    const double start[] = {0.0, 1.0};
    am_march_options o = options_until(3.0);
    o.displacement = start;
    o.method = AM_MARCH_MOREAU_JEAN;
    o.step = 1e-4;
    am_result *r = march(&s, &o);
    assert_true(rows(r, "events") >= 2);
    close_to(cell(r, "events", 0, "t"), sqrt(2.0), 2e-4);
    close_to(cell(r, "events", 0, "v2"), 0.6 * sqrt(2.0), 1e-3);
    close_to(number(r, "loss_impact"), 1.0 - 0.36, 1e-3);
    assert_true(number(r, "energy_residual") < 1e-10); /* theta = 1/2 and constant loads: exact */
    am_result_free(r);
}

/* Random rigid structures with friction on a belt: the error falls in proportion to the step. */
static void test_moreau_jean_converges_to_motion_with_order_one(void **state) {
    (void)state;
    double sum[2] = {0};
    size_t impacts = 0, sticks = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        small_system s = random_pressed(seed);
        for (size_t c = 0; c < 2; c++) {
            s.contact[c].normal_law = AM_UNILATERAL;
            s.contact[c].contact_stiffness = s.contact[c].contact_damping = 0.0;
            s.contact[c].contact_exponent = 1.0;
            s.contact[c].gap = 0.1;
        }
        am_result *wanted = exact(&s, 4.0);
        for (int k = 0; k < 2; k++) {
            am_march_options o = options_until(4.0);
            o.method = AM_MARCH_MOREAU_JEAN;
            o.step = k == 0 ? 4e-3 : 5e-4;
            am_result *r = march(&s, &o);
            sum[k] += largest_error(r, wanted);
            impacts += (size_t)number(r, "impacts");
            sticks += (size_t)number(r, "sticks");
            am_result_free(r);
        }
        am_result_free(wanted);
    }
    assert_true(impacts > 20 && sticks > 5);
    assert_true(sum[0] < 12 * 0.05);
    assert_true(sum[1] < 0.25 * sum[0]); /* an eighth, but for motions that happen to switch near a step's end */
}

/* A row of masses that all stick, slip and lift off: pivoting and sweeping are two ways to one answer, so what counts
 * is that the laws hold at the end of every step: no pull, no friction beyond its limit, no sinking in. */
static void test_moreau_jean_keeps_the_laws_of_two_hundred_contacts(void **state) {
    (void)state;
    enum { MASSES = 100 };
    size_t n = 2 * MASSES;
    am_error err = {0};
    double *K = calloc(n * n, sizeof *K), *M = calloc(n * n, sizeof *M), *rows_ = calloc(2 * n * n, sizeof *rows_);
    double *push = calloc(n, sizeof *push);
    am_contact_def *contact = calloc(2 * MASSES, sizeof *contact);
    for (size_t i = 0; i < MASSES; i++) {
        for (size_t d = 0; d < 2; d++) {
            size_t a = 2 * i + d, b = a + 2;
            M[a * n + a] = 1.0;
            K[a * n + a] += 0.1;
            if (i + 1 < MASSES) {
                K[a * n + a] += 5.0;
                K[b * n + b] += 5.0;
                K[a * n + b] -= 5.0;
                K[b * n + a] -= 5.0;
            }
        }
        push[2 * i + 1] = -1.0 - 0.5 * sin(0.3 * (double)i);
        for (size_t side = 0; side < 2; side++) { /* a floor and a ceiling */
            size_t c = 2 * i + side;
            contact[c] = am_contact_def_default();
            rows_[2 * c * n + 2 * i + 1] = side == 0 ? 1.0 : -1.0;
            rows_[(2 * c + 1) * n + 2 * i] = 1.0;
            contact[c].normal = rows_ + 2 * c * n;
            contact[c].tangent = rows_ + (2 * c + 1) * n;
            contact[c].friction = 0.4;
            contact[c].surface_velocity = side == 0 ? 0.5 : 0.0;
            contact[c].gap = side == 0 ? 0.0 : 0.2;
        }
    }
    am_load_def load = {.direction = push, .function = am_function_sine(3.0, 2.0, 0.3)};
    am_system_def def = am_system_def_default();
    am_matrix *mass = am_matrix_dense(n, n, M, &err), *stiffness = am_matrix_dense(n, n, K, &err);
    def.n = n;
    def.mass = mass;
    def.stiffness = stiffness;
    def.contact_count = 2 * MASSES;
    def.contacts = contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = am_system_create(&def, &err);
    assert_non_null(system);
    am_march_options o = options_until(4.0);
    o.method = AM_MARCH_MOREAU_JEAN;
    o.step = 0.01;
    o.samples = 51;
    am_result *r = am_result_create(&err);
    assert_int_equal(am_march_run(system, &o, r, NULL, &err), AM_OK);
    const am_table *samples = am_result_find_table(r, "samples");
    size_t first = am_table_find_column(samples, "N1"), along = am_table_find_column(samples, "T1");
    for (size_t row = 1; row < am_table_rows(samples); row++)
        for (size_t c = 0; c < 2 * MASSES; c++) {
            double N = am_table_number(samples, row, first + c), T = am_table_number(samples, row, along + c);
            assert_true(N >= 0.0 && fabs(T) <= 0.4 * N * (1.0 + 1e-12));
            double height = am_table_number(samples, row, 1 + 2 * (c / 2) + 1);
            double gap = c % 2 == 0 ? height : 0.2 - height;
            assert_true(gap > -0.05); /* a step's way at the speed of impact: 0.01 x 5 */
        }
    assert_true(number(r, "impacts") > 50.0 && number(r, "lift_offs") > 50.0);
    am_result_free(r);
    am_system_free(system);
    am_matrix_free(mass);
    am_matrix_free(stiffness);
    free(K);
    free(M);
    free(rows_);
    free(push);
    free(contact);
}

/* ---- bad input ---- */

static void test_refusals_say_what_is_wrong(void **state) {
    (void)state;
    char message[1024];
    am_march_options o = options_until(1.0);
    small_system s = ball(AM_KELVIN_VOIGT);
    s.M[0] = 0.0;
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_UNSUPPORTED);
    assert_non_null(strstr(message, "neither mass nor damping"));
    s = ball(AM_UNILATERAL);
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_UNSUPPORTED);
    assert_non_null(strstr(message, "rigid"));
    s = ball(AM_KELVIN_VOIGT);
    s.contact[0].friction = 0.3;
    o.equilibrium = true;
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_INPUT);
    assert_non_null(strstr(message, "surface"));
    o = options_until(0.0);
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_INPUT);
    o = options_until(1.0);
    o.tolerance = 1.0;
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_INPUT);
    o = options_until(1.0);
    o.method = AM_MARCH_NEWMARK;
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_INPUT);
    const double bad[] = {NAN, 0.0};
    o = options_until(1.0);
    o.displacement = bad;
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_INPUT);
    o = options_until(10.0);
    o.max_events = 1;
    s = held_pair(1);
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_LIMIT);
    o = options_until(10.0);
    s.contact[0].hold = am_function_ramp(1.0, -0.5);
    assert_int_equal(march_fails(&s, &o, message, sizeof message), AM_ERR_INPUT);
    assert_non_null(strstr(message, "cannot pull"));
}

static void test_contact_stiffness_of_zero_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    am_system_def def = am_system_def_default();
    am_contact_def contact = am_contact_def_default();
    const double row[] = {1.0}, one[] = {1.0};
    am_matrix *K = am_matrix_dense(1, 1, one, &err);
    contact.normal_law = AM_KELVIN_VOIGT;
    contact.normal = contact.tangent = row;
    def.n = 1;
    def.stiffness = def.mass = K;
    def.contact_count = 1;
    def.contacts = &contact;
    assert_null(am_system_create(&def, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    am_matrix_free(K);
}

int main(void) {
    const struct CMUnitTest fixed[] = {
        cmocka_unit_test(test_fixed_steps_are_of_second_order_while_nothing_switches),
        cmocka_unit_test(test_newmark_approaches_the_exact_motion_through_switches),
        cmocka_unit_test(test_transform_equals_its_definition_for_any_length),
        cmocka_unit_test(test_moreau_jean_bounces_with_its_restitution),
        cmocka_unit_test(test_moreau_jean_converges_to_motion_with_order_one),
        cmocka_unit_test(test_moreau_jean_keeps_the_laws_of_two_hundred_contacts),
    };
    if (!am_march_available(AM_MARCH_ADAPTIVE)) /* built without SUNDIALS: what needs no adaptive method */
        return cmocka_run_group_tests(fixed, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kelvin_voigt_bounce_follows_its_closed_form),
        cmocka_unit_test(test_hunt_crossley_restitution_obeys_its_first_integral),
        cmocka_unit_test(test_block_on_a_belt_stops_when_coulomb_says),
        cmocka_unit_test(test_contact_that_just_touches_is_closed_by_a_load_and_open_without),
        cmocka_unit_test(test_random_kelvin_voigt_systems_switch_like_matrix_exponentials),
        cmocka_unit_test(test_held_contacts_switch_as_in_motion),
        cmocka_unit_test(test_a_surface_that_jumps_leaves_a_block_behind_as_in_motion),
        cmocka_unit_test(test_error_falls_with_the_tolerance_through_switches),
        cmocka_unit_test(test_fixed_steps_are_of_second_order_while_nothing_switches),
        cmocka_unit_test(test_newmark_approaches_the_exact_motion_through_switches),
        cmocka_unit_test(test_newmark_takes_steps_of_any_length_on_stiff_contacts),
        cmocka_unit_test(test_newmark_and_adaptive_agree_on_bouncing),
        cmocka_unit_test(test_shallow_lift_offs_are_found_and_near_misses_are_not_lift_offs),
        cmocka_unit_test(test_stiff_contact_lifts_off_like_the_rigid_one_in_the_limit),
        cmocka_unit_test(test_regularised_friction_approaches_coulombs_law),
        cmocka_unit_test(test_units_do_not_matter_to_regularised_friction),
        cmocka_unit_test(test_units_do_not_matter_to_a_start_from_rest),
        cmocka_unit_test(test_contacts_that_cannot_move_apart_share_friction),
        cmocka_unit_test(test_growth_is_that_of_the_eigenvalue),
        cmocka_unit_test(test_stick_slip_is_recognised_as_a_limit_cycle_with_its_period),
        cmocka_unit_test(test_shoe_stops_below_and_lifts_off_above_a_velocity_known_from_its_eigenvector),
        cmocka_unit_test(test_decay_to_equilibrium_is_no_limit_cycle),
        cmocka_unit_test(test_transform_equals_its_definition_for_any_length),
        cmocka_unit_test(test_spectrum_of_a_known_force_has_its_line),
        cmocka_unit_test(test_blow_changes_the_velocity_by_its_size_over_the_mass),
        cmocka_unit_test(test_break_just_before_the_end_is_passed),
        cmocka_unit_test(test_every_energy_is_accounted_for),
        cmocka_unit_test(test_moreau_jean_bounces_with_its_restitution),
        cmocka_unit_test(test_moreau_jean_converges_to_motion_with_order_one),
        cmocka_unit_test(test_moreau_jean_keeps_the_laws_of_two_hundred_contacts),
        cmocka_unit_test(test_refusals_say_what_is_wrong),
        cmocka_unit_test(test_contact_stiffness_of_zero_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
