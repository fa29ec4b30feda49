/* Verdicts of `response` next to folds: the balance's folds are not those of the structure, and next to a fold two
 * motions are near. Compared with the structure's own branch, traced here through its folds by an integration in time,
 * and with what is known of cubic springs. */
/* ctest: long */
#include <stdio.h>
#include <string.h>

#include "compliant_structure.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

#if defined(__SANITIZE_ADDRESS__)
enum { SEEDS = 1 };
#else
enum { SEEDS = 5 };
#endif

/* ---- the exact branch, through its folds ---- */

/* A motion of the branch, the direction in which it goes on, and how many folds lie behind. */
typedef struct place_on_branch {
    double x[ORDER]; /* the state, then the frequency */
    double t[ORDER];
    size_t folds;
} place_on_branch;

enum { MOST_PLACES = 160 };

/* (1 - S) dx - P dp = end - x, with P the derivative by the frequency, and `border` below. */
static void border_equations(structure *s, const double *x, const double *border, double A[ORDER][ORDER], double *r) {
    const double h = 1e-6;
    double S[DIMENSION][DIMENSION], end[DIMENSION], above[DIMENSION], below[DIMENSION];
    s->omega = x[DIMENSION] + h;
    period_map(s, x, above, NULL);
    s->omega = x[DIMENSION] - h;
    period_map(s, x, below, NULL);
    s->omega = x[DIMENSION];
    period_map(s, x, end, NULL);
    differentiate_period(s, x, S);
    for (size_t i = 0; i < DIMENSION; i++) {
        for (size_t j = 0; j < DIMENSION; j++)
            A[i][j] = (i == j ? 1.0 : 0.0) - S[i][j];
        A[i][DIMENSION] = -(above[i] - below[i]) / (2.0 * h);
        r[i] = end[i] - x[i];
    }
    for (size_t i = 2 * MOST; i < DIMENSION; i++) /* a slider that nothing touches stays where it is */
        A[i][i] = A[i][i] == 0.0 ? 1.0 : A[i][i];
    memcpy(A[DIMENSION], border, ORDER * sizeof *border);
    r[DIMENSION] = 0.0;
}

/* From a place `length` along its direction, and back to the branch at right angles to it. */
static bool go_on(structure *s, const place_on_branch *from, double length, place_on_branch *to) {
    double A[ORDER][ORDER], r[ORDER], error = INFINITY;
    *to = *from;
    for (size_t i = 0; i < ORDER; i++)
        to->x[i] += length * from->t[i];
    for (int k = 0; k < 8 && !(error < 1e-9); k++) {
        border_equations(s, to->x, from->t, A, r);
        error = 0.0;
        for (size_t i = 0; i < DIMENSION; i++)
            error = fmax(error, fabs(r[i]));
        solve_rows(ORDER, A, r);
        for (size_t i = 0; i < ORDER; i++)
            to->x[i] += r[i];
    }
    if (!(error < 1e-9))
        return false;
    border_equations(s, to->x, from->t, A, r);
    memset(to->t, 0, sizeof to->t);
    to->t[DIMENSION] = 1.0;
    solve_rows(ORDER, A, to->t);
    double size = sqrt(dot_product(to->t, to->t, ORDER));
    for (size_t i = 0; i < ORDER; i++)
        to->t[i] /= size;
    to->folds += (to->t[DIMENSION] > 0.0) != (from->t[DIMENSION] > 0.0);
    return true;
}

/* Between a place and the next one lies a fold: it is put between them, once for each side. */
static size_t put_fold(structure *s, place_on_branch *place, size_t count) {
    place_on_branch *from = &place[count - 1], next = place[count], fold = next;
    double low = 0.0, high = 0.0;
    for (size_t i = 0; i < ORDER; i++)
        high += from->t[i] * (next.x[i] - from->x[i]);
    for (int k = 0; k < 24; k++) { /* the frequency is stationary there: known to the square of this */
        double middle = 0.5 * (low + high);
        place_on_branch trial;
        if (!go_on(s, from, middle, &trial))
            break;
        if (trial.folds == from->folds)
            low = middle;
        else
            high = middle, fold = trial;
    }
    place[count] = place[count + 1] = fold;
    place[count].folds--;
    place[count + 2] = next;
    return count + 3;
}

/* From the motion that rest leads to at `from`, towards `to`. Returns how many places were reached. */
static size_t trace(structure *s, double from, double to, place_on_branch *place) {
    double h = 0.01;
    size_t count = 1;
    place[0] = (place_on_branch){.t = {[DIMENSION] = to > from ? 1.0 : -1.0}};
    s->omega = from;
    for (int k = 0; k < 300; k++)
        period_map(s, place[0].x, place[0].x, NULL);
    place[0].x[DIMENSION] = from;
    if (!go_on(s, &place[0], 0.0, &place[0]))
        return 0;
    while (count + 3 < MOST_PLACES && h > 1e-6 && (place[count - 1].x[DIMENSION] - to) * (from - to) > 0.0) {
        bool reached = go_on(s, &place[count - 1], h, &place[count]);
        double turn = dot_product(place[count].t, place[count - 1].t, ORDER);
        if (!reached || turn < 0.9)
            h *= 0.5;
        else {
            count = place[count].folds > place[count - 1].folds ? put_fold(s, place, count) : count + 1;
            h = fmin(1.5 * h, 0.03);
        }
    }
    return count;
}

/* The motion at frequency p between two places, by the rule of false position. */
static bool reach(structure *s, const place_on_branch *from, const place_on_branch *next, double p,
                  place_on_branch *found) {
    double a = 0.0, b = 0.0, fa = from->x[DIMENSION] - p, fb = next->x[DIMENSION] - p;
    for (size_t i = 0; i < ORDER; i++)
        b += from->t[i] * (next->x[i] - from->x[i]);
    for (int k = 0; k < 40; k++) {
        double c = (a * fb - b * fa) / (fb - fa);
        if (!go_on(s, from, c, found))
            return false;
        double fc = found->x[DIMENSION] - p;
        if (fabs(fc) < 1e-11)
            return true;
        if (fc * fb < 0.0)
            a = b, fa = fb;
        else
            fa *= 0.5;
        b = c, fb = fc;
    }
    return false;
}

/* Largest multiplier of the exact motion at frequency p that has so many folds behind it. NAN: not known; INFINITY:
 * there is none, the branch has turned back before. */
static double exact_multiplier(structure *s, const place_on_branch *place, size_t count, size_t folds, double p) {
    double S[DIMENSION][DIMENSION];
    bool complete = false;
    for (size_t j = 0; j + 1 < count; j++) {
        place_on_branch found;
        complete = complete || place[j + 1].folds > folds;
        if (place[j].folds != folds || place[j + 1].folds != folds ||
            (place[j].x[DIMENSION] - p) * (place[j + 1].x[DIMENSION] - p) > 0.0)
            continue;
        if (!reach(s, &place[j], &place[j + 1], p, &found))
            return NAN;
        differentiate_period(s, found.x, S);
        for (size_t i = 2 * MOST; i < DIMENSION; i++)
            S[i][i] = S[i][i] == 1.0 ? 0.0 : S[i][i];
        return spectral_radius(S);
    }
    return complete ? INFINITY : NAN;
}

/* ---- verdicts ---- */

typedef struct tally {
    size_t compared, stable, unstable, withheld;
} tally;

/* A stop, or with two coordinates a contact element, that the first resonance reaches: the branch leans over, and folds
 * at the top and where the motion leaves the contact. */
static structure make_resonance(uint64_t seed, double *first) {
    bool slider = seed % 4 == 0;
    structure s = {.n = seed % 2 ? 1 : 2, .m = 1};
    for (int i = 0; i < 5; i++)
        uniform(&seed, 0, 1);
    double chain = s.n == 2 ? uniform(&seed, 0.3, 1.0) : 0.0, zeta = uniform(&seed, 0.01, 0.03);
    for (size_t i = 0; i < s.n; i++) {
        s.M[i] = uniform(&seed, 0.7, 1.5);
        s.K[i][i] = uniform(&seed, 0.7, 1.3) + chain;
        s.K[i][s.n - 1 - i] -= s.n == 2 ? chain : 0.0;
    }
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++)
            s.C[i][j] = zeta * s.K[i][j] + (i == j ? zeta * s.M[i] : 0.0);
    double a = s.K[0][0] / s.M[0], d = s.n == 2 ? s.K[1][1] / s.M[1] : 2.0 * a,
           b = chain * chain / (s.M[0] * s.M[s.n - 1]);
    *first = sqrt(0.5 * (a + d) - sqrt(0.25 * (a - d) * (a - d) + b));
    s.load[0] = 2.0 * zeta * s.K[0][0];
    s.omega = *first;
    s.contact[0] = (element){.normal = {-1.0},
                             .tangent = {[1] = slider},
                             .k = uniform(&seed, 2.0, 20.0),
                             .gap = uniform(&seed, 0.2, 0.5),
                             .mu = slider ? uniform(&seed, 0.2, 0.5) : 0.0,
                             .kt = slider ? uniform(&seed, 0.3, 1.0) : 0.0};
    if (!slider)
        s.contact[0].tangent[0] = 1.0;
    return s;
}

/* Verdicts at the points next to one fold of the balance. */
static tally compare_at_fold(structure *s, const am_table *branch, size_t row, size_t folds,
                             const place_on_branch *place, size_t count) {
    static const int offsets[] = {-6, -2, -1, 1, 2, 6};
    tally tally = {0};
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        size_t at = row + (size_t)offsets[k];
        double stable = cell(branch, at, "stable");
        double own = exact_multiplier(s, place, count, folds + (offsets[k] > 0), cell(branch, at, "frequency"));
        if (isnan(stable)) {
            assert_true(strlen(word(branch, at, "withheld")) > 10);
            tally.withheld++;
        } else if (!isnan(own)) {
            assert_true(isfinite(own));
            if (fabs(own - 1.0) > 1e-4) /* differences of 1e-6 over bisected switches */
                assert_true(stable == (own < 1.0));
            tally.compared++;
            tally.stable += stable == 1.0;
            tally.unstable += stable == 0.0;
        }
    }
    return tally;
}

static size_t count_folds(const am_table *branch) {
    size_t folds = 0;
    for (size_t row = 0; row < am_table_rows(branch); row++)
        folds += !strcmp(word(branch, row, "kind"), "fold");
    return folds;
}

/* Next to folds: with few harmonics the folds of the balance are not those of the structure, whose branch is traced
 * here through its own. A motion that the structure has is judged as it is; of one beyond its fold nothing is said. */
static void verdicts_next_to_folds_are_those_of_an_integration(void **state) {
    (void)state;
    static place_on_branch place[MOST_PLACES];
    tally sum = {0};
    for (uint64_t seed = 509; seed < 509 + SEEDS; seed++) {
        double first;
        structure s = make_resonance(seed, &first);
        char analysis[256];
        snprintf(analysis, sizeof analysis,
                 "over: loads.0.sine.frequency, from: %.17g, to: %.17g, harmonics: 3, tolerance: 10, stability: %s",
                 0.85 * first, 1.4 * first, seed % 3 ? "floquet" : "auto");
        sheet text = study_of(&s, analysis);
        am_run *made = run_text(text.bytes);
        const am_table *branch = table_of(am_run_report(made)->result, "branch");
        size_t count = trace(&s, 0.85 * first, 1.4 * first, place), folds = 0;
        bool alike = count > 0 && place[count - 1].folds == count_folds(branch);
        for (size_t row = 0; row < am_table_rows(branch) && alike; row++)
            if (!strcmp(word(branch, row, "kind"), "fold")) {
                tally one = compare_at_fold(&s, branch, row, folds++, place, count);
                sum.compared += one.compared;
                sum.stable += one.stable;
                sum.unstable += one.unstable;
                sum.withheld += one.withheld;
            }
        am_run_free(made);
    }
    assert_true(sum.compared >= 6 * SEEDS && sum.stable >= 2 * SEEDS && sum.unstable >= 2 * SEEDS);
    assert_true(sum.withheld > 0 && sum.withheld < sum.compared);
}

/* One coordinate with a cubic spring and little damping, driven at its resonance: unstable between its two folds and
 * nowhere else, however few harmonics. */
static void cubic_springs_are_unstable_between_their_folds(void **state) {
    (void)state;
    uint64_t seed = 23;
    for (int i = 0; i < SEEDS; i++) {
        double damping = uniform(&seed, 0.08, 0.15), cubic = uniform(&seed, 0.3, 2.0), force = uniform(&seed, 0.2, 0.4);
        char text[1024];
        snprintf(text, sizeof text,
                 "title: t\nmodel:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n  damping: [%.17g]\n"
                 "  polynomials: [{direction: [1], terms: [{coefficient: %.17g, displacement: 3}]}]\n"
                 "  loads: [{direction: [1], sine: {amplitude: %.17g, frequency: 1}}]\n"
                 "analysis: {kind: response, over: loads.0.sine.frequency, from: 0.9, to: 4, harmonics: %d, "
                 "parity: %s, tolerance: 10, stability: %s}\n",
                 damping, cubic, force, 1 + i % 3, i % 2 ? "odd" : "all", i % 3 ? "floquet" : "auto");
        am_run *made = run_text(text);
        const am_table *branch = table_of(am_run_report(made)->result, "branch");
        size_t folds = 0, judged = 0;
        assert_int_equal(count_folds(branch), 2);
        for (size_t row = 0; row < am_table_rows(branch); row++) {
            double stable = cell(branch, row, "stable");
            folds += !strcmp(word(branch, row, "kind"), "fold");
            judged += !isnan(stable);
            assert_true(isnan(stable) || stable == (folds != 1));
        }
        assert_true(10 * judged > 9 * am_table_rows(branch));
        am_run_free(made);
    }
}

static const char two_damped_stops[] =
    "title: t\nmodel:\n  kind: structure\n  mass: [1.4686, 0.7778]\n"
    "  stiffness: [[1.498, -0.8213], [-0.8213, 1.4768]]\n"
    "  damping: [[0.08808, -0.02438], [-0.02438, 0.06694]]\n  contacts:\n"
    "    - {law: kelvin-voigt, contact_stiffness: 59.57, contact_damping: 0.101, gap: 0.4759, friction: 0, "
    "normal: [0, 1], tangent: [0, 1]}\n"
    "    - {law: kelvin-voigt, contact_stiffness: 31.97, contact_damping: 0.7233, gap: 0.2349, friction: 0, "
    "normal: [0, -1], tangent: [0, 1]}\n"
    "  loads: [{direction: [1, 0], sine: {amplitude: 0.07506, frequency: 1}}]\n"
    "analysis: {kind: response, over: loads.0.sine.frequency, from: 0.6, to: 0.95, tolerance: 10, ";

/* The amplitude that a branch has at a frequency behind so many folds; NAN: it is not there. */
static double amplitude_behind(const am_table *branch, size_t folds, double frequency) {
    size_t behind = 0;
    for (size_t row = 0; row + 1 < am_table_rows(branch); row++) {
        double a = cell(branch, row, "frequency"), b = cell(branch, row + 1, "frequency");
        behind += !strcmp(word(branch, row, "kind"), "fold");
        if (behind == folds && a != b && (a - frequency) * (b - frequency) <= 0.0)
            return cell(branch, row, "amplitude") +
                   (frequency - a) / (b - a) * (cell(branch, row + 1, "amplitude") - cell(branch, row, "amplitude"));
    }
    return NAN;
}

/* Eight folds, and with few harmonics shooting may go from one part of the branch to another: the motion that is judged
 * is the one which four times as many harmonics have there. Their own error, and that of straight lines between their
 * points, is below 2 percent; other parts differ by 10 and more. */
static void the_motion_judged_is_that_of_its_part_of_the_branch(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "%sharmonics: 5, stability: floquet}\n", two_damped_stops);
    am_run *coarse = run_text(text);
    snprintf(text, sizeof text, "%sharmonics: 21, stability: none}\n", two_damped_stops);
    am_run *fine = run_text(text);
    const am_table *a = table_of(am_run_report(coarse)->result, "branch"),
                   *b = table_of(am_run_report(fine)->result, "branch");
    size_t folds = 0, compared = 0;
    assert_int_equal(count_folds(a), count_folds(b));
    for (size_t row = 0; row < am_table_rows(a); row++) {
        folds += !strcmp(word(a, row, "kind"), "fold");
        double other = amplitude_behind(b, folds, cell(a, row, "frequency"));
        if (isnan(cell(a, row, "stable")) || isnan(other))
            continue;
        assert_near(cell(a, row, "exact"), other, 0.04 * other);
        compared++;
    }
    assert_true(3 * compared > 2 * am_table_rows(a)); /* the others have no verdict */
    am_run_free(coarse);
    am_run_free(fine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_next_to_folds_are_those_of_an_integration),
        cmocka_unit_test(cubic_springs_are_unstable_between_their_folds),
        cmocka_unit_test(the_motion_judged_is_that_of_its_part_of_the_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
