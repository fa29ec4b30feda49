/* Steady sliding of contacts that slip in a plane: friction turns with the slip, and so acts across it. Characteristic
 * polynomials written out, motions after a small blow across the slip, and `squeal` with the same numbers. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

typedef struct slide {
    double m, c, k, kt, N, mu, v; /* kt 0: rigid */
} slide;

static slide draw(uint64_t *seed, bool rigid) {
    slide s = {uniform(seed, 0.5, 2.0),
               uniform(seed, 0.05, 0.4),
               uniform(seed, 0.5, 4.0),
               0.0,
               uniform(seed, 0.5, 2.0),
               uniform(seed, 0.2, 0.6),
               uniform(seed, 0.5, 2.0) * (uniform(seed, -1.0, 1.0) > 0.0 ? 1.0 : -1.0)};
    s.kt = rigid ? 0.0 : uniform(seed, 1.0, 6.0);
    return s;
}

/* x along the slip, y across it, z presses. */
static am_run *run(const slide *s, const char *contact, const char *loads, const char *analysis) {
    char text[2048];
    snprintf(text, sizeof text,
             "model: {kind: structure, names: [x, y, z], mass: [%.17g, %.17g, %.17g], damping: [1.9, %.17g, 0.5], "
             "stiffness: [1, %.17g, 3], contacts: [{name: belt, tangents: [[1, 0, 0], [0, 1, 0]], friction: %.17g, "
             "surface_velocity: %.17g, %s, tangential_stiffness: %.17g}], loads: [{direction: [0, 0, -1], constant: "
             "%.17g}%s]}\nanalysis: {%s}\n",
             s->m, s->m, s->m, s->c, s->k, s->mu, s->v, contact, s->kt, s->N, loads, analysis);
    return run_text(text);
}

/* m s^2 + c s + k + across(s) = 0, over the size of its terms. */
static double defect(const slide *s, double complex at) {
    double complex across = s->mu * s->N / fabs(s->v) * at;
    if (s->kt > 0.0)
        across = s->kt * at / (at + fabs(s->v) * s->kt / (s->mu * s->N));
    double complex terms[] = {s->m * at * at, s->c * at, s->k, across}, sum = 0.0;
    double size = 0.0;
    for (size_t i = 0; i < 4; i++) {
        sum += terms[i];
        size += cabs(terms[i]);
    }
    return cabs(sum) / size;
}

static const char held[] = "law: held, hold: {constant: %.17g}", rigid[] = "normal: [0, 0, 1]";

static void eigenvalues_are_roots(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int trial = 0; trial < CASES(24, 6); trial++) {
        slide s = draw(&seed, trial % 2 == 0);
        char contact[64];
        snprintf(contact, sizeof contact, trial % 4 == 0 ? rigid : held, s.N);
        am_run *made = run(&s, contact, "", "kind: stability");
        const am_table *modes = table_of(am_run_report(made)->result, "eigenvalues");
        size_t roots = 0, want = s.kt > 0.0 ? 3 : 2;
        for (size_t i = 0; i < am_table_rows(modes); i++) {
            double complex at = cell(modes, i, "real") + cell(modes, i, "imaginary") * I;
            roots += defect(&s, at) <= 1e-10; /* of a few roundings of a 7 x 7 matrix, its condition some hundred */
        }
        assert_int_equal(roots, want);
        am_run_free(made);
    }
}

/* y after a blow p across, by the linear equations. */
static void blow_linear(const slide *s, double p, double until, double *y) {
    double decay = s->kt > 0.0 ? fabs(s->v) * s->kt / (s->mu * s->N) : 0.0;
    double damping = s->c + (s->kt > 0.0 ? 0.0 : s->mu * s->N / fabs(s->v));
    int steps = 4000;
    double h = until / steps, at[3], k[4][3];
    y[0] = y[2] = 0.0;
    y[1] = p / s->m;
    for (int n = 0; n < steps; n++) {
        for (int stage = 0; stage < 4; stage++) {
            double part = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
            for (int i = 0; i < 3; i++)
                at[i] = y[i] + (stage > 0 ? part * k[stage - 1][i] : 0.0);
            k[stage][0] = at[1];
            k[stage][1] = -(damping * at[1] + s->k * at[0] + s->kt * at[2]) / s->m;
            k[stage][2] = at[1] - decay * at[2];
        }
        for (int i = 0; i < 3; i++)
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

static void small_blows_across_decay_as_it_says(void **state) {
    (void)state;
    uint64_t seed = 44;
    for (int trial = 0; trial < CASES(6, 2); trial++) {
        slide s = draw(&seed, trial % 2 == 0);
        bool stiff = s.kt > 0.0;
        double p = 1e-5, y[3], from = 36.0;
        char contact[64], blow[128];
        s.v = copysign(fmax(fabs(s.v), 1.0), s.v);
        snprintf(contact, sizeof contact, held, s.N);
        snprintf(blow, sizeof blow, ", {direction: [0, 1, 0], impulse: {start: %g, amplitude: %.17g}}", from, p);
        am_run *made = run(&s, contact, blow,
                           stiff ? "kind: motion, until: 40, samples: 41"
                                 : "kind: march, method: moreau-jean, step: 0.001, until: 40, samples: 41");
        const am_table *samples = table_of(am_run_report(made)->result, "samples");
        for (size_t i = 37; i < 41; i++) {
            blow_linear(&s, p, (double)i - from, y);
            /* (p/(m v))^2 is left out; moreau-jean has the order of its step */
            assert_near(cell(samples, i, "y"), y[0], (stiff ? 1e-4 : 2e-3) * p);
            assert_near(cell(samples, i, "v_y"), y[1], (stiff ? 1e-4 : 2e-3) * p);
        }
        am_run_free(made);
    }
}

/* The model's own friction in `squeal` is what `stability` says. */
static void squeal_knows_it_too(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < CASES(6, 2); trial++) {
        slide s = draw(&seed, trial % 2 == 0);
        char contact[64];
        snprintf(contact, sizeof contact, held, s.N);
        am_run *one = run(&s, contact, "", "kind: stability"),
               *two = run(&s, contact, "", "kind: squeal, friction: {to: 0.7, count: 3}");
        assert_near(scalar(two, "growth_rate"), scalar(one, "growth_rate"), 1e-12);
        am_run_free(one);
        am_run_free(two);
    }
}

static void without_a_speed_it_is_refused(void **state) {
    (void)state;
    slide s = {1.0, 0.1, 1.0, 0.0, 1.0, 0.3, 0.0};
    char text[1024];
    am_error err = {0};
    snprintf(text, sizeof text,
             "model: {kind: structure, mass: [1, 1], stiffness: [1, 1], contacts: [{tangents: [[1, 0], [0, 1]], law: "
             "held, hold: {constant: 1}, friction: %g}]}\nanalysis: {kind: stability, state: [forward]}\n",
             s.mu);
    am_study *study = read_text(text);
    assert_null(am_study_run(study, NULL, &err));
    assert_says(&err, "turns in its plane");
    am_study_free(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_are_roots),
        cmocka_unit_test(small_blows_across_decay_as_it_says),
        cmocka_unit_test(squeal_knows_it_too),
        cmocka_unit_test(without_a_speed_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
