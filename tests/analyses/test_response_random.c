/* Random structures: harmonic balance against the exact motions next to it, and its verdicts on stability against long
 * integrations in time by a method of its own, written here. */
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static const double PI = 3.14159265358979323846;

enum { MOST = 3, STEPS = 128 };

/* ---- random structures ---- */

typedef struct structure {
    size_t n, sliders, springs;
    double M[MOST], K[MOST][MOST], C[MOST][MOST], load[MOST], omega; /* M: diagonal */
    double tangent[MOST][MOST], limit[MOST], stiffness[MOST];
    double direction[MOST][MOST], cubic[MOST];
} structure;

static double random_number(uint64_t *seed, double from, double to) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(*seed >> 11) * 0x1p-53;
}

static size_t random_count(uint64_t *seed, size_t from, size_t to) {
    size_t count = from + (size_t)random_number(seed, 0.0, (double)(to - from + 1));
    return count < to ? count : to;
}

/* A coordinate, or the difference of two. */
static void choose_direction(uint64_t *seed, size_t n, double *direction) {
    size_t one = random_count(seed, 0, n - 1), other = random_count(seed, 0, n - 1);
    memset(direction, 0, MOST * sizeof *direction);
    direction[one] = 1.0;
    if (other != one && random_number(seed, 0.0, 1.0) < 0.5)
        direction[other] = -1.0;
}

static structure make(uint64_t seed, bool with_sliders, bool with_springs) {
    structure s = {.n = random_count(&seed, 1, MOST)};
    for (size_t i = 0; i < s.n; i++) {
        s.M[i] = random_number(&seed, 0.7, 1.5);
        s.load[i] = random_number(&seed, -0.5, 0.5);
    }
    for (size_t i = 0; i < s.n; i++) {
        double ground = random_number(&seed, 0.5, 1.5), chain = random_number(&seed, 0.1, 0.6);
        s.K[i][i] += ground;
        if (i + 1 < s.n) {
            s.K[i][i] += chain;
            s.K[i + 1][i + 1] += chain;
            s.K[i][i + 1] -= chain;
            s.K[i + 1][i] -= chain;
        }
    }
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++)
            s.C[i][j] = 0.05 * s.K[i][j] + (i == j ? 0.03 * s.M[i] : 0.0);
    s.omega = random_number(&seed, 0.6, 1.6);
    s.sliders = with_sliders ? random_count(&seed, 1, MOST) : 0;
    for (size_t c = 0; c < s.sliders; c++) {
        choose_direction(&seed, s.n, s.tangent[c]);
        s.stiffness[c] = random_number(&seed, 0.1, 0.8);
        s.limit[c] = random_number(&seed, 0.02, 0.2);
    }
    s.springs = with_springs ? random_count(&seed, 1, 2) : 0;
    for (size_t c = 0; c < s.springs; c++) {
        choose_direction(&seed, s.n, s.direction[c]);
        s.cubic[c] = random_number(&seed, 0.02, 0.4);
    }
    return s;
}

/* ---- as a study ---- */

typedef struct sheet {
    char bytes[4096];
    size_t used;
} sheet;

static void add(sheet *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(t->bytes + t->used, sizeof t->bytes - t->used, format, arguments);
    va_end(arguments);
    assert_true(wrote >= 0 && t->used + (size_t)wrote < sizeof t->bytes);
    t->used += (size_t)wrote;
}

static void add_row(sheet *t, const double *row, size_t n) {
    for (size_t i = 0; i < n; i++)
        add(t, "%s%.17g", i ? ", " : "[", row[i]);
    add(t, "]");
}

static void add_matrix(sheet *t, const char *name, double (*matrix)[MOST], size_t n) {
    add(t, "  %s: [", name);
    for (size_t i = 0; i < n; i++) {
        add(t, i ? ", " : "");
        add_row(t, matrix[i], n);
    }
    add(t, "]\n");
}

static am_run *respond(const structure *given, const char *analysis) {
    structure s = *given;
    sheet t = {.used = 0};
    add(&t, "title: t\nmodel:\n  kind: structure\n  mass: ");
    add_row(&t, s.M, s.n);
    add(&t, "\n");
    add_matrix(&t, "stiffness", s.K, s.n);
    add_matrix(&t, "damping", s.C, s.n);
    add(&t, s.sliders ? "  contacts:\n" : "");
    for (size_t c = 0; c < s.sliders; c++) {
        add(&t, "    - {law: held, friction: 1, hold: {constant: %.17g}, tangential_stiffness: %.17g, tangent: ",
            s.limit[c], s.stiffness[c]);
        add_row(&t, s.tangent[c], s.n);
        add(&t, "}\n");
    }
    add(&t, s.springs ? "  polynomials:\n" : "");
    for (size_t c = 0; c < s.springs; c++) {
        add(&t, "    - {terms: [{coefficient: %.17g, displacement: 3}], direction: ", s.cubic[c]);
        add_row(&t, s.direction[c], s.n);
        add(&t, "}\n");
    }
    add(&t, "  loads:\n    - {sine: {amplitude: 1, frequency: %.17g}, direction: ", s.omega);
    add_row(&t, s.load, s.n);
    add(&t, "}\nanalysis: {kind: response, %s}\n", analysis);
    return run_text(t.bytes);
}

/* ---- in time: Runge and Kutta's method, sliders brought back to their limits every step ---- */

typedef struct moment {
    double t, q[MOST], v[MOST], T[MOST]; /* T: forces of the springs behind sliders */
} moment;

static double along(const double *row, const double *q, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += row[i] * q[i];
    return sum;
}

static double clip(double value, double limit) {
    return fmax(-limit, fmin(limit, value));
}

/* The sliders' forces when q has moved on from `from`. */
static void drag(const structure *s, const moment *from, const double *q, double *T) {
    for (size_t c = 0; c < s->sliders; c++) {
        double moved = along(s->tangent[c], q, s->n) - along(s->tangent[c], from->q, s->n);
        T[c] = clip(from->T[c] + s->stiffness[c] * moved, s->limit[c]);
    }
}

static void accelerate(const structure *s, const moment *from, double t, const double *q, const double *v, double *a) {
    double T[MOST], force[MOST];
    drag(s, from, q, T);
    for (size_t i = 0; i < s->n; i++)
        force[i] = s->load[i] * sin(s->omega * t) - along(s->K[i], q, s->n) - along(s->C[i], v, s->n);
    for (size_t c = 0; c < s->sliders; c++)
        for (size_t i = 0; i < s->n; i++)
            force[i] -= s->tangent[c][i] * T[c];
    for (size_t c = 0; c < s->springs; c++) {
        double e = along(s->direction[c], q, s->n);
        for (size_t i = 0; i < s->n; i++)
            force[i] -= s->direction[c][i] * s->cubic[c] * e * e * e;
    }
    for (size_t i = 0; i < s->n; i++)
        a[i] = force[i] / s->M[i];
}

static void step(const structure *s, moment *m, double h) {
    static const double share[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    moment next = *m;
    double dq[MOST] = {0.0}, dv[MOST] = {0.0};
    for (int k = 0; k < 4; k++) {
        double q[MOST], v[MOST];
        for (size_t i = 0; i < s->n; i++) {
            q[i] = m->q[i] + h * share[k] * dq[i];
            v[i] = m->v[i] + h * share[k] * dv[i];
        }
        accelerate(s, m, m->t + h * share[k], q, v, dv);
        memcpy(dq, v, sizeof v);
        for (size_t i = 0; i < s->n; i++) {
            next.q[i] += h * weight[k] * dq[i];
            next.v[i] += h * weight[k] * dv[i];
        }
    }
    drag(s, m, next.q, next.T);
    next.t += h;
    *m = next;
}

/* First harmonic (cosine, sine) of all coordinates over the next period. */
static void one_period(const structure *s, moment *m, double *cosine, double *sine) {
    double h = 2.0 * PI / s->omega / STEPS;
    memset(cosine, 0, MOST * sizeof *cosine);
    memset(sine, 0, MOST * sizeof *sine);
    for (int k = 0; k < STEPS; k++) {
        for (size_t i = 0; i < s->n; i++) {
            cosine[i] += 2.0 / STEPS * m->q[i] * cos(2.0 * PI * k / STEPS);
            sine[i] += 2.0 / STEPS * m->q[i] * sin(2.0 * PI * k / STEPS);
        }
        step(s, m, h);
    }
}

/* ---- balanced motions ---- */

typedef struct motion {
    double cosine[MOST], sine[MOST], size;
} motion;

static motion first_harmonic(const am_table *branch, size_t row, size_t n) {
    motion m = {.size = 0.0};
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "q%zu_1", i + 1);
        double amplitude = cell(branch, row, name);
        snprintf(name, sizeof name, "q%zu_phase_deg", i + 1);
        double phase = PI / 180.0 * cell(branch, row, name); /* A cos(theta - phase) */
        m.cosine[i] = amplitude * cos(phase);
        m.sine[i] = amplitude * sin(phase);
        m.size = fmax(m.size, amplitude);
    }
    return m;
}

/* At t = 0, somewhat beside it. The sliders are taken round with the balanced motion, from the state without a mean, so
 * that those which never slip have it, too. */
static moment begin(const structure *s, const motion *m, double beside) {
    moment start = {.t = 0.0};
    for (size_t i = 0; i < s->n; i++)
        start.q[i] = m->cosine[i];
    for (size_t c = 0; c < s->sliders; c++)
        start.T[c] = clip(s->stiffness[c] * along(s->tangent[c], start.q, s->n), s->limit[c]);
    for (int k = 1; k <= 2 * STEPS; k++) {
        double q[MOST] = {0.0}, T[MOST], theta = 2.0 * PI * k / STEPS;
        for (size_t i = 0; i < s->n; i++)
            q[i] = m->cosine[i] * cos(theta) + m->sine[i] * sin(theta);
        drag(s, &start, q, T);
        memcpy(start.q, q, sizeof q);
        memcpy(start.T, T, s->sliders * sizeof *T);
    }
    for (size_t i = 0; i < s->n; i++) {
        start.q[i] = (1.0 + beside) * m->cosine[i];
        start.v[i] = s->omega * (1.0 - beside) * m->sine[i];
    }
    return start;
}

/* How far the motion is from the balanced one after so many periods, relative to its size. */
static double distance_after(const structure *s, const motion *m, int periods) {
    double cosine[MOST], sine[MOST], distance = 0.0;
    moment now = begin(s, m, 0.01);
    for (int p = 0; p < periods; p++)
        one_period(s, &now, cosine, sine);
    for (size_t i = 0; i < s->n; i++)
        distance = fmax(distance, hypot(cosine[i] - m->cosine[i], sine[i] - m->sine[i]));
    return distance / m->size;
}

/* Verdicts that a hundred periods can show. */
typedef struct tally {
    size_t stable, unstable, withheld;
} tally;

enum { PERIODS = 100 };

static void compare(structure s, const am_table *branch, size_t row, double tolerance, tally *count) {
    double stable = cell(branch, row, "stable"), exponent = cell(branch, row, "exponent");
    s.omega = cell(branch, row, "frequency");
    double growth = exponent * PERIODS * 2.0 * PI / s.omega; /* logarithm of what becomes of a disturbance */
    motion m = first_harmonic(branch, row, s.n);
    if (isnan(stable)) { /* withheld, and said why */
        assert_true(strlen(word(branch, row, "withheld")) > 20);
        count->withheld++;
        return;
    }
    if (!(fabs(growth) > 9.0)) /* 0.01 must become 1e-6, or fill the space between the motions */
        return;
    double distance = distance_after(&s, &m, PERIODS);
    if (stable == 1.0)
        assert_near(distance, 0.0, tolerance);
    else
        assert_true(distance > 0.05);
    count->stable += stable == 1.0;
    count->unstable += stable == 0.0;
}

/* ---- tests ---- */

/* Jenkins elements: harmonics left out are of the order h^-4, thirty of them leave about 1e-5. */
static void balanced_motions_are_those_of_the_exact_equations(void **state) {
    (void)state;
    size_t slipping = 0;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        structure s = make(seed, true, false);
        am_run *made = respond(&s, "harmonics: 29, stability: floquet");
        const am_table *branch = table_of(am_run_report(made)->result, "branch");
        double balanced = cell(branch, 0, "amplitude"), exact = cell(branch, 0, "exact");
        assert_near(balanced, exact, 3e-5 * exact);
        slipping += fabs(balanced - exact) > 1e-9 * exact; /* a linear motion is exact */
        am_run_free(made);
    }
    assert_true(slipping >= 8);
}

/* The integration takes sliders back to their limits once a step, which is good to the step's square, (2 pi/128)^2. */
static void verdicts_on_sliders_are_those_of_long_integrations(void **state) {
    (void)state;
    tally count = {0};
    for (uint64_t seed = 101; seed <= 112; seed++) {
        structure s = make(seed, true, false);
        am_run *made = respond(&s, "harmonics: 9, stability: floquet");
        compare(s, table_of(am_run_report(made)->result, "branch"), 0, 3e-3, &count);
        am_run_free(made);
    }
    assert_true(count.stable >= 9 && count.unstable == 0); /* friction on a stable structure leaves it stable */
}

/* Hardening springs, with sliders or without: three motions between the folds, the middle one unstable. */
static void verdicts_on_springs_are_those_of_long_integrations(void **state) {
    (void)state;
    tally count = {0};
    for (uint64_t seed = 201; seed <= 212; seed++) {
        structure s = make(seed, seed % 3 == 0, true);
        for (size_t i = 0; i < s.n; i++)
            s.load[i] *= 1.5; /* enough to bend the resonance over */
        am_run *made = respond(&s, "harmonics: 5, stability: hill, over: model.loads.0.sine.frequency, from: 0.9, to: "
                                   "2.2, values: [1.2, 1.4, 1.5, 1.6, 1.7]");
        const am_table *branch = table_of(am_run_report(made)->result, "branch");
        for (size_t i = 0; i < am_table_rows(branch); i++)
            if (!strcmp(word(branch, i, "kind"), "value"))
                compare(s, branch, i, 1e-2, &count); /* truncation of five harmonics */
        am_run_free(made);
    }
    assert_true(count.stable >= 50 && count.unstable >= 6);
}

static const char sweep[] = "harmonics: 5, over: model.loads.0.sine.frequency, from: 0.9, to: 1.3";

static bool is_proved(const structure *s, const char *more, double *least) {
    char analysis[128];
    snprintf(analysis, sizeof analysis, "%s%s", sweep, more);
    am_run *made = respond(s, analysis);
    const am_result *result = am_run_report(made)->result;
    const am_table *branch = table_of(result, "branch");
    bool proved = !strcmp(text(result, "stability"), "contraction");
    *least = 1.0;
    for (size_t i = 0; i < am_table_rows(branch); i++)
        if (!isnan(cell(branch, i, "stable")))
            *least = fmin(*least, cell(branch, i, "stable"));
    for (size_t i = 0; i < am_table_rows(branch) && proved; i++)
        assert_true(cell(branch, i, "stable") == 1.0);
    am_run_free(made);
    return proved;
}

/* Sliders under given normal forces on a damped structure let all motions approach each other; multipliers of exact
 * motions say the same. Without damping of a coordinate, with damping that feeds energy in, or beside springs that
 * stiffen there is no such proof. */
static void structures_that_contract_are_stable_without_multipliers(void **state) {
    (void)state;
    for (uint64_t seed = 301; seed <= 302; seed++) {
        structure s = make(seed, true, false), loose = s, fed = s, stiff = make(seed, true, true);
        double least;
        assert_true(is_proved(&s, "", &least));
        assert_false(is_proved(&s, ", stability: floquet", &least));
        assert_true(least == 1.0);
        for (size_t i = 0; i < s.n; i++) {
            loose.C[0][i] = loose.C[i][0] = 0.0;
            fed.C[i][i] -= i == 0 ? 0.07 * s.K[0][0] + 0.04 * s.M[0] : 0.0;
        }
        assert_false(is_proved(&loose, "", &least));
        assert_false(is_proved(&fed, "", &least));
        assert_false(is_proved(&stiff, "", &least));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balanced_motions_are_those_of_the_exact_equations),
        cmocka_unit_test(verdicts_on_sliders_are_those_of_long_integrations),
        cmocka_unit_test(verdicts_on_springs_are_those_of_long_integrations),
        cmocka_unit_test(structures_that_contract_are_stable_without_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
