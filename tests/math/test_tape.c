/* Arithmetic of power series: random formulas, whose series are compared with values of the formula itself near by and
 * with those of the C library's functions; derivatives with differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "math/tape.h"
#include "near.h"
#include "uniform.h"

enum { TERMS = 12, ARGUMENTS = 2 };

/* A formula as a list of steps, evaluated here once more. */
typedef struct formula {
    int kind[TERMS];
    size_t left[TERMS], right[TERMS];
    double value[TERMS];
} formula;

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, EXP, LOG, SQRT, TANH, ASINH, ATANH, POWER, CUBE, ENTROPY, KINDS };

/* Every step is kept near 1: functions get 1 + u^2/4 or tanh where they need something positive or small. */
static double step_value(const formula *f, size_t i, const double *value) {
    double a = value[f->left[i]], b = value[f->right[i]], positive = 1 + 0.25 * a * a;
    switch (f->kind[i]) {
    case ADD:
        return a + f->value[i] * b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return b / positive;
    case EXP:
        return exp(-positive);
    case LOG:
        return log(positive);
    case SQRT:
        return sqrt(positive);
    case TANH:
        return tanh(a);
    case ASINH:
        return asinh(a);
    case ATANH: /* of 0.9 tanh(a), whose 1 - x^2 may be below 0.3 */
        return am_tape_atanh_or_line(0.9 * tanh(a), 0.3);
    case POWER:
        return pow(positive, f->value[i]);
    case ENTROPY:
        return positive * log(positive);
    default:
        return a * a * a;
    }
}

static am_term step_term(am_tape *tape, const formula *f, size_t i, const am_term *term) {
    am_term a = term[f->left[i]], b = term[f->right[i]];
    am_term square = am_tape_scale(tape, am_tape_multiply(tape, a, a), 0.25);
    am_term positive = am_tape_add(tape, am_tape_constant(tape, 1), square);
    switch (f->kind[i]) {
    case ADD:
        return am_tape_add(tape, a, am_tape_scale(tape, b, f->value[i]));
    case SUBTRACT:
        return am_tape_subtract(tape, a, b);
    case MULTIPLY:
        return am_tape_multiply(tape, a, b);
    case DIVIDE:
        return am_tape_divide(tape, b, positive);
    case EXP:
        return am_tape_exp(tape, am_tape_scale(tape, positive, -1));
    case LOG:
        return am_tape_log(tape, positive);
    case SQRT:
        return am_tape_sqrt(tape, positive);
    case TANH:
        return am_tape_tanh(tape, a);
    case ASINH:
        return am_tape_asinh(tape, a);
    case ATANH:
        return am_tape_atanh(tape, am_tape_scale(tape, am_tape_tanh(tape, a), 0.9), 0.3);
    case ENTROPY:
        return am_tape_entropy(tape, positive);
    case POWER:
        return am_tape_power(tape, positive, f->value[i]);
    default:
        return am_tape_power(tape, a, 3);
    }
}

static formula draw(uint64_t *seed) {
    formula f = {.kind = {0}};
    for (size_t i = 0; i < TERMS; i++) {
        f.kind[i] = (int)uniform(seed, 0, KINDS);
        f.left[i] = (size_t)uniform(seed, 0, (double)(i + ARGUMENTS));
        f.right[i] = (size_t)uniform(seed, 0, (double)(i + ARGUMENTS));
        f.value[i] = uniform(seed, -1.5, 1.5);
    }
    return f;
}

static double value_at(const formula *f, double x, double y, double *largest) {
    double value[ARGUMENTS + TERMS] = {x, y};
    for (size_t i = 0; i < TERMS; i++) {
        value[ARGUMENTS + i] = step_value(f, i, value);
        *largest = fmax(*largest, fabs(value[ARGUMENTS + i]));
    }
    return value[ARGUMENTS + TERMS - 1];
}

typedef struct recorded {
    am_tape tape;
    am_term argument[ARGUMENTS], result, slope[ARGUMENTS];
    double *series;
} recorded;

static recorded record(const formula *f) {
    recorded r = {.tape = {.count = 0}};
    am_term term[ARGUMENTS + TERMS];
    am_error err = {0};
    for (size_t i = 0; i < ARGUMENTS; i++)
        r.argument[i] = term[i] = am_tape_argument(&r.tape);
    for (size_t i = 0; i < TERMS; i++)
        term[ARGUMENTS + i] = step_term(&r.tape, f, i, term);
    r.result = term[ARGUMENTS + TERMS - 1];
    for (size_t i = 0; i < ARGUMENTS; i++)
        r.slope[i] = am_tape_derivative(&r.tape, r.result, r.argument[i]);
    assert_int_equal(am_tape_status(&r.tape, &err), AM_OK);
    r.series = calloc(r.tape.count * AM_TAPE_ORDERS, sizeof *r.series);
    return r;
}

static void release(recorded *r) {
    free(r->series);
    am_tape_clear(&r->tape);
}

/* x = x0 + x1 t + x2 t^2, y = y0 + y1 t. */
static void run(recorded *r, const double *x, const double *y) {
    for (size_t k = 0; k < AM_TAPE_ORDERS; k++) {
        r->series[r->argument[0] * AM_TAPE_ORDERS + k] = k < 3 ? x[k] : 0;
        r->series[r->argument[1] * AM_TAPE_ORDERS + k] = k < 2 ? y[k] : 0;
        am_tape_run(&r->tape, r->tape.count, k, r->series);
    }
}

static double sum_at(const recorded *r, am_term term, double t) {
    double sum = 0;
    for (size_t k = AM_TAPE_ORDERS; k-- > 0;)
        sum = sum * t + r->series[term * AM_TAPE_ORDERS + k];
    return sum;
}

/* At t = 0.02 twenty-five orders of a formula whose singularities are a distance of some tenths away leave rounding. */
static void the_series_of_a_formula_is_its_value_near_by(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int k = 0; k < 400; k++) {
        formula f = draw(&seed);
        recorded r = record(&f);
        double x[3], y[2], size = 1;
        for (int i = 0; i < 3; i++)
            x[i] = uniform(&seed, -0.8, 0.8);
        for (int i = 0; i < 2; i++)
            y[i] = uniform(&seed, -0.8, 0.8);
        run(&r, x, y);
        for (int side = -2; side <= 2; side++) {
            double t = 0.01 * side;
            double wanted = value_at(&f, x[0] + x[1] * t + x[2] * t * t, y[0] + y[1] * t, &size);
            if (size < 1e3) /* cubes of cubes: their singularities come too near */
                assert_near(sum_at(&r, r.result, t), wanted, 1e-13 * size * size);
        }
        release(&r);
    }
}

static void derivatives_are_those_of_differences(void **state) {
    (void)state;
    uint64_t seed = 18;
    const double h = 1e-5;
    for (int k = 0; k < 400; k++) {
        formula f = draw(&seed);
        recorded r = record(&f);
        double x[3] = {uniform(&seed, -0.8, 0.8)}, y[2] = {uniform(&seed, -0.8, 0.8)}, size = 1;
        run(&r, x, y);
        double by_x = (value_at(&f, x[0] + h, y[0], &size) - value_at(&f, x[0] - h, y[0], &size)) / (2 * h);
        double by_y = (value_at(&f, x[0], y[0] + h, &size) - value_at(&f, x[0], y[0] - h, &size)) / (2 * h);
        if (size < 30) { /* the error of a difference is h^2 times a third derivative, and rounding/h */
            assert_near(sum_at(&r, r.slope[0], 0), by_x, 1e-7 * size * size);
            assert_near(sum_at(&r, r.slope[1], 0), by_y, 1e-7 * size * size);
        }
        release(&r);
    }
}

/* Constants before and after the formula, and factors of factors. What the plan does not need is no number: it must not
 * be looked at. */
static void planned_orders_are_those_of_all_operations(void **state) {
    (void)state;
    uint64_t seed = 19;
    size_t left_out = 0;
    for (int k = 0; k < 400; k++) {
        formula f = draw(&seed);
        recorded r = record(&f);
        am_term three = am_tape_constant(&r.tape, 3), half = am_tape_scale(&r.tape, r.result, -0.5);
        am_term shifted = am_tape_add(&r.tape, am_tape_subtract(&r.tape, three, half), am_tape_constant(&r.tape, 0.25));
        am_term of = k % 3 == 0   ? r.result
                     : k % 3 == 1 ? am_tape_scale(&r.tape, shifted, 4)
                                  : am_tape_exp(&r.tape, am_tape_tanh(&r.tape, shifted));
        am_tape_plan(&r.tape, r.result); /* another plan takes its place */
        am_tape_plan(&r.tape, of);
        size_t count = r.tape.count;
        double *all = calloc(count * AM_TAPE_ORDERS, sizeof *all), *few = malloc(count * AM_TAPE_ORDERS * sizeof *few);
        for (size_t i = 0; i < count * AM_TAPE_ORDERS; i++)
            few[i] = NAN;
        double size = 0, power = 1;
        for (size_t order = 0; order < AM_TAPE_ORDERS; order++, power *= 0.05) {
            for (size_t i = 0; i < ARGUMENTS; i++) {
                double x = order < 3 ? uniform(&seed, -0.8, 0.8) : 0;
                all[r.argument[i] * AM_TAPE_ORDERS + order] = x;
                if (order == 0 || am_tape_needs(&r.tape, r.argument[i]))
                    few[r.argument[i] * AM_TAPE_ORDERS + order] = x;
            }
            am_tape_run(&r.tape, count, order, all);
            double wanted = all[of * AM_TAPE_ORDERS + order];
            size += fabs(wanted) * power;
            if (order == 0)
                am_tape_run(&r.tape, count, 0, few);
            else /* both have roundings of their own, relative to what came before */
                assert_near(power * am_tape_order(&r.tape, order, few), power * wanted, 1e-13 * (1 + size));
            for (size_t i = 0; order > 0 && i < count; i++)
                left_out += isnan(few[i * AM_TAPE_ORDERS + order]);
        }
        assert_near(few[of * AM_TAPE_ORDERS + 1], all[of * AM_TAPE_ORDERS + 1], 1e-13 * (1 + 20 * size));
        free(all);
        free(few);
        release(&r);
    }
    assert_true(left_out > 400 * AM_TAPE_ORDERS);
}

/* The series of exp and of a geometric sum are known. */
static void known_series_come_out(void **state) {
    (void)state;
    am_tape tape = {0};
    double series[16 * AM_TAPE_ORDERS] = {0}, factorial = 1;
    am_term t = am_tape_argument(&tape), e = am_tape_exp(&tape, t), one = am_tape_constant(&tape, 1);
    am_term sum = am_tape_divide(&tape, one, am_tape_subtract(&tape, one, t));
    am_term root = am_tape_power(&tape, am_tape_add(&tape, one, t), 0.5);
    am_term also = am_tape_sqrt(&tape, am_tape_add(&tape, one, t));
    for (size_t k = 0; k < AM_TAPE_ORDERS; k++) {
        series[t * AM_TAPE_ORDERS + k] = k == 1;
        am_tape_run(&tape, tape.count, k, series);
        factorial *= k > 0 ? (double)k : 1;
        assert_near(series[e * AM_TAPE_ORDERS + k] * factorial, 1, 1e-14);
        assert_near(series[sum * AM_TAPE_ORDERS + k], 1, 0);
        assert_near(series[root * AM_TAPE_ORDERS + k], series[also * AM_TAPE_ORDERS + k], 1e-15);
    }
    am_tape_clear(&tape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_series_come_out),
        cmocka_unit_test(the_series_of_a_formula_is_its_value_near_by),
        cmocka_unit_test(planned_orders_are_those_of_all_operations),
        cmocka_unit_test(derivatives_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
