#include "math/tape.h"

#include <math.h>
#include <string.h>

/* Whole exponents up to this become products. */
static const double most_product = 64.0;

void am_tape_clear(am_tape *tape) {
    am_arena_clear(&tape->memory);
    *tape = (am_tape){0};
}

am_status am_tape_status(const am_tape *tape, am_error *err) {
    return tape->status ? am_fail(err, tape->status, "there is no memory for the formula of a law") : AM_OK;
}

/* ---- recording ---- */

static bool grow(am_tape *tape) {
    size_t capacity = tape->capacity ? 2 * tape->capacity : 16;
    am_operation *larger = am_arena_new(&tape->memory, capacity, sizeof *larger, NULL);
    if (!larger) {
        tape->status = AM_ERR_MEMORY;
        return false;
    }
    if (tape->count > 0)
        memcpy(larger, tape->operation, tape->count * sizeof *larger);
    tape->operation = larger;
    tape->capacity = capacity;
    return true;
}

static am_term append(am_tape *tape, am_operation operation) {
    if (tape->status || (tape->count == tape->capacity && !grow(tape)))
        return 0;
    tape->operation[tape->count] = operation;
    return tape->count++;
}

void am_tape_copy(const am_tape *tape, am_tape *copy) {
    *copy = (am_tape){.status = tape->status};
    for (size_t i = 0; i < tape->count; i++)
        append(copy, tape->operation[i]);
}

static bool equal(const am_operation *a, const am_operation *b) {
    return a->kind == b->kind && a->left == b->left && a->right == b->right && a->value == b->value;
}

/* What was recorded before is not recorded again. */
static am_term record(am_tape *tape, am_operation_kind kind, am_term left, am_term right, double value) {
    am_operation operation = {kind, left, right, value};
    for (am_term i = 0; i < tape->count; i++)
        if (equal(&tape->operation[i], &operation))
            return i;
    return append(tape, operation);
}

static bool is_constant(const am_tape *tape, am_term a, double *value) {
    if (tape->status || tape->operation[a].kind != AM_TAPE_CONSTANT)
        return false;
    *value = tape->operation[a].value;
    return true;
}

static bool is(const am_tape *tape, am_term a, double value) {
    double own;
    return is_constant(tape, a, &own) && own == value;
}

am_term am_tape_argument(am_tape *tape) {
    return append(tape, (am_operation){.kind = AM_TAPE_ARGUMENT});
}

am_term am_tape_constant(am_tape *tape, double value) {
    return record(tape, AM_TAPE_CONSTANT, 0, 0, value);
}

am_term am_tape_add(am_tape *tape, am_term a, am_term b) {
    double x, y;
    if (is(tape, a, 0.0))
        return b;
    if (is(tape, b, 0.0))
        return a;
    if (is_constant(tape, a, &x) && is_constant(tape, b, &y))
        return am_tape_constant(tape, x + y);
    return record(tape, AM_TAPE_ADD, a, b, 0.0);
}

am_term am_tape_subtract(am_tape *tape, am_term a, am_term b) {
    double x, y;
    if (is(tape, b, 0.0))
        return a;
    if (is_constant(tape, a, &x) && is_constant(tape, b, &y))
        return am_tape_constant(tape, x - y);
    return record(tape, AM_TAPE_SUBTRACT, a, b, 0.0);
}

am_term am_tape_scale(am_tape *tape, am_term a, double factor) {
    double x;
    if (factor == 1.0)
        return a;
    if (factor == 0.0)
        return am_tape_constant(tape, 0.0);
    if (is_constant(tape, a, &x))
        return am_tape_constant(tape, factor * x);
    return record(tape, AM_TAPE_SCALE, a, 0, factor);
}

am_term am_tape_multiply(am_tape *tape, am_term a, am_term b) {
    double x;
    if (is_constant(tape, a, &x))
        return am_tape_scale(tape, b, x);
    if (is_constant(tape, b, &x))
        return am_tape_scale(tape, a, x);
    return record(tape, AM_TAPE_MULTIPLY, a, b, 0.0);
}

am_term am_tape_divide(am_tape *tape, am_term a, am_term b) {
    double x;
    if (is_constant(tape, b, &x))
        return am_tape_scale(tape, a, 1.0 / x);
    return is(tape, a, 0.0) ? a : record(tape, AM_TAPE_DIVIDE, a, b, 0.0);
}

am_term am_tape_exp(am_tape *tape, am_term a) {
    return record(tape, AM_TAPE_EXP, a, 0, 0.0);
}

am_term am_tape_log(am_tape *tape, am_term a) {
    return record(tape, AM_TAPE_LOG, a, 0, 0.0);
}

am_term am_tape_entropy(am_tape *tape, am_term a) {
    am_term log = record(tape, AM_TAPE_LOG_OR_ZERO, a, 0, 0.0);
    return record(tape, AM_TAPE_ENTROPY, a, log, 0.0);
}

am_term am_tape_sqrt(am_tape *tape, am_term a) {
    return record(tape, AM_TAPE_SQRT, a, 0, 0.0);
}

am_term am_tape_tanh(am_tape *tape, am_term a) {
    size_t before = tape->count;
    am_term y = record(tape, AM_TAPE_TANH, a, 0, 0.0);
    if (tape->count > before)
        append(tape, (am_operation){.kind = AM_TAPE_BESIDE_TANH, .left = y});
    return y;
}

am_term am_tape_asinh(am_tape *tape, am_term a) {
    am_term root = am_tape_sqrt(tape, am_tape_add(tape, am_tape_constant(tape, 1.0), am_tape_multiply(tape, a, a)));
    return record(tape, AM_TAPE_ASINH, a, root, 0.0);
}

am_term am_tape_atanh(am_tape *tape, am_term a, double least) {
    am_term one = am_tape_constant(tape, 1.0);
    am_term rest = am_tape_multiply(tape, am_tape_subtract(tape, one, a), am_tape_add(tape, one, a));
    return record(tape, AM_TAPE_ATANH, a, record(tape, AM_TAPE_AT_LEAST, rest, 0, least), least);
}

/* a^count by squaring. */
static am_term product(am_tape *tape, am_term a, unsigned count) {
    if (count == 1)
        return a;
    am_term half = product(tape, a, count / 2), square = am_tape_multiply(tape, half, half);
    return count % 2 ? am_tape_multiply(tape, square, a) : square;
}

am_term am_tape_power(am_tape *tape, am_term a, double exponent) {
    if (exponent == 0.0)
        return am_tape_constant(tape, 1.0);
    if (exponent != floor(exponent) || fabs(exponent) > most_product)
        return record(tape, AM_TAPE_POWER, a, 0, exponent);
    am_term whole = product(tape, a, (unsigned)fabs(exponent));
    return exponent > 0.0 ? whole : am_tape_divide(tape, am_tape_constant(tape, 1.0), whole);
}

bool am_tape_is_singular(const am_tape *tape) {
    for (size_t i = 0; i < tape->count; i++)
        if (tape->operation[i].kind == AM_TAPE_POWER || tape->operation[i].kind == AM_TAPE_ENTROPY)
            return true;
    return false;
}

/* ---- derivatives ---- */

/* The derivative of one operation from those of its operands. */
static am_term differentiate(am_tape *tape, am_term i, am_term left, am_term right) {
    const am_operation o = tape->operation[i];
    switch (o.kind) {
    case AM_TAPE_ADD:
        return am_tape_add(tape, left, right);
    case AM_TAPE_SUBTRACT:
        return am_tape_subtract(tape, left, right);
    case AM_TAPE_MULTIPLY:
        return am_tape_add(tape, am_tape_multiply(tape, left, o.right), am_tape_multiply(tape, o.left, right));
    case AM_TAPE_DIVIDE:
        return am_tape_divide(tape, am_tape_subtract(tape, left, am_tape_multiply(tape, i, right)), o.right);
    case AM_TAPE_SCALE:
        return am_tape_scale(tape, left, o.value);
    case AM_TAPE_EXP:
        return am_tape_multiply(tape, i, left);
    case AM_TAPE_ENTROPY: /* (ln u + 1) u' */
        return am_tape_multiply(tape, am_tape_add(tape, o.right, am_tape_constant(tape, 1.0)), left);
    case AM_TAPE_LOG_OR_ZERO:
    case AM_TAPE_LOG:
        return am_tape_divide(tape, left, o.left);
    case AM_TAPE_SQRT:
        return am_tape_scale(tape, am_tape_divide(tape, left, i), 0.5);
    case AM_TAPE_POWER:
        return am_tape_scale(tape, am_tape_multiply(tape, am_tape_power(tape, o.left, o.value - 1.0), left), o.value);
    case AM_TAPE_TANH:
        return am_tape_multiply(tape, i + 1, left);
    case AM_TAPE_BESIDE_TANH:
        return am_tape_scale(tape, am_tape_multiply(tape, o.left, am_tape_multiply(tape, i, left)), -2.0);
    case AM_TAPE_ASINH:
    case AM_TAPE_ATANH:
        return am_tape_divide(tape, left, o.right);
    case AM_TAPE_AT_LEAST:
        return am_tape_multiply(tape, record(tape, AM_TAPE_ABOVE, o.left, 0, o.value), left);
    case AM_TAPE_ABOVE:
    case AM_TAPE_ARGUMENT:
    case AM_TAPE_CONSTANT:
        break;
    }
    return am_tape_constant(tape, 0.0);
}

/* What 1 - tanh^2 depends on is the argument of the tanh, whose derivative stands for its own here. */
static am_term operand_slope(const am_tape *tape, const am_term *slope, am_term i) {
    const am_operation *o = &tape->operation[i];
    return o->kind == AM_TAPE_BESIDE_TANH ? slope[tape->operation[o->left].left] : slope[o->left];
}

am_term am_tape_derivative(am_tape *tape, am_term of, am_term argument) {
    am_term zero = am_tape_constant(tape, 0.0), one = am_tape_constant(tape, 1.0);
    am_term few[AM_TAPE_SHORT], *slope = few;
    if (of >= AM_TAPE_SHORT)
        slope = am_arena_new(&tape->memory, of + 1, sizeof *slope, NULL);
    if (!slope || tape->status) {
        tape->status = AM_ERR_MEMORY;
        return 0;
    }
    for (am_term i = 0; i <= of && !tape->status; i++) {
        bool leaf = tape->operation[i].kind == AM_TAPE_ARGUMENT || tape->operation[i].kind == AM_TAPE_CONSTANT;
        slope[i] = i == argument ? one
                   : leaf        ? zero
                          : differentiate(tape, i, operand_slope(tape, slope, i), slope[tape->operation[i].right]);
    }
    return tape->status ? 0 : slope[of];
}

/* ---- planning ---- */

/* What is needed of a term: nothing, its orders above the first, or order 0 beside them. */
typedef enum need { NOTHING, LATER, ALL } need;

/* What plus or minus a constant has the orders of the other operand. */
static am_term same_orders(const am_tape *tape, am_term i) {
    double value;
    for (;;) {
        const am_operation *o = &tape->operation[i];
        bool sum = o->kind == AM_TAPE_ADD, difference = o->kind == AM_TAPE_SUBTRACT;
        if (sum && is_constant(tape, o->left, &value))
            i = o->right;
        else if ((sum || difference) && is_constant(tape, o->right, &value))
            i = o->left;
        else
            return i;
    }
}

/* What order k >= 1 of an operation needs of its left operand, and of its right one. */
static void needs_of(const am_operation *o, need *left, need *right) {
    bool linear = o->kind == AM_TAPE_ADD || o->kind == AM_TAPE_SUBTRACT || o->kind == AM_TAPE_SCALE;
    bool leaf = o->kind == AM_TAPE_ARGUMENT || o->kind == AM_TAPE_CONSTANT;
    bool both = o->kind == AM_TAPE_MULTIPLY || o->kind == AM_TAPE_DIVIDE || o->kind == AM_TAPE_ENTROPY ||
                o->kind == AM_TAPE_ASINH || o->kind == AM_TAPE_ATANH;
    bool by_rate = o->kind == AM_TAPE_EXP || o->kind == AM_TAPE_TANH;
    *left = leaf ? NOTHING : linear || by_rate ? LATER : ALL;
    *right = both ? ALL : o->kind == AM_TAPE_ADD || o->kind == AM_TAPE_SUBTRACT ? LATER : NOTHING;
}

static void ask(const am_tape *tape, need *needs, am_term i, need what) {
    i = what == LATER ? same_orders(tape, i) : i;
    needs[i] = needs[i] > what ? needs[i] : what;
}

/* Factors of factors are one. */
static am_operation gathered(const am_tape *tape, am_term i) {
    am_operation o = tape->operation[i];
    double value;
    if (same_orders(tape, i) != i) /* a copy, where order 0 is needed, too */
        return (am_operation){AM_TAPE_SCALE, same_orders(tape, i), 0, 1.0};
    if (o.kind == AM_TAPE_SUBTRACT && is_constant(tape, o.left, &value))
        o = (am_operation){AM_TAPE_SCALE, o.right, 0, -1.0};
    while (o.kind == AM_TAPE_SCALE) {
        am_term inner = same_orders(tape, o.left);
        o.left = inner;
        if (tape->operation[inner].kind != AM_TAPE_SCALE)
            break;
        o.value *= tape->operation[inner].value;
        o.left = tape->operation[inner].left;
    }
    return o;
}

/* What is asked for needs in turn. */
static void find_needs(const am_tape *tape, need *needs) {
    for (am_term i = tape->count; i-- > 0;) {
        const am_operation o = gathered(tape, i);
        need left, right;
        if (needs[i] == NOTHING)
            continue;
        needs_of(&o, &left, &right);
        ask(tape, needs, o.left, left);
        ask(tape, needs, o.right, right);
        if (o.kind == AM_TAPE_TANH)
            needs[i] = needs[i + 1] = ALL;
    }
}

static am_tape_step step_of(const am_tape *tape, am_term i) {
    am_operation o = gathered(tape, i);
    need left, right;
    needs_of(&o, &left, &right);
    am_term a = left == LATER ? same_orders(tape, o.left) : o.left;
    am_term b = o.kind == AM_TAPE_TANH ? i + 1 : right == LATER ? same_orders(tape, o.right) : o.right;
    return (am_tape_step){o, i * AM_TAPE_ORDERS, a * AM_TAPE_ORDERS, b * AM_TAPE_ORDERS};
}

/* The steps to `count` terms. */
static void plan_steps(am_tape *tape, const am_term *of, size_t count, need what, am_tape_steps *plan) {
    if (tape->status)
        return;
    need *needs = am_arena_new(&tape->memory, tape->count, sizeof *needs, NULL);
    am_tape_step *step = am_arena_new(&tape->memory, tape->count, sizeof *step, NULL);
    *plan = (am_tape_steps){.step = step}; /* instead of an earlier one */
    if (!needs || !step) {
        tape->status = AM_ERR_MEMORY;
        return;
    }
    for (size_t i = 0; i < count; i++)
        ask(tape, needs, of[i], what);
    find_needs(tape, needs);
    for (am_term i = 0; i < tape->count; i++)
        if (needs[i] != NOTHING && tape->operation[i].kind != AM_TAPE_ARGUMENT)
            step[plan->count++] = step_of(tape, i);
}

void am_tape_plan(am_tape *tape, am_term of) {
    plan_steps(tape, &of, 1, LATER, &tape->one);
    tape->of = of;
    tape->from = tape->status ? of : same_orders(tape, of);
}

void am_tape_plan_several(am_tape *tape, const am_term *of, size_t count) {
    plan_steps(tape, of, count, ALL, &tape->several);
}

/* ---- running ---- */

/* Two neighbouring orders. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline pair two_up(const double *a) {
    return *(const pair *)(const void *)a;
}

/* a[0] and the one before it. */
static inline pair two_down(const double *a) {
    pair two = two_up(a - 1);
    return __builtin_shufflevector(two, two, 1, 0);
}

/* sum over from <= j <= to of a_j b_(k - j) */
static double convolve(const double *a, const double *b, size_t k, size_t from, size_t to) {
    pair sum = {0.0, 0.0};
    size_t j = from;
    for (; j < to; j += 2)
        sum += two_up(a + j) * two_down(b + k - j);
    return sum[0] + sum[1] + (j == to ? a[j] * b[k - j] : 0.0);
}

/* Order k of a^2: each product of two orders counts twice. */
static double square(const double *a, size_t k) {
    double twice = k > 0 ? convolve(a, a, k, 0, (k - 1) / 2) : 0.0;
    return 2.0 * twice + (k % 2 == 0 ? a[k / 2] * a[k / 2] : 0.0);
}

/* sum over from <= j <= to of j a_j b_(k - j): k times the order k of the integral of a' b */
static double convolve_rate(const double *a, const double *b, size_t k, size_t from, size_t to) {
    pair sum = {0.0, 0.0}, place = {(double)from, (double)from + 1.0};
    size_t j = from;
    for (; j < to; j += 2, place += 2.0)
        sum += place * two_up(a + j) * two_down(b + k - j);
    return sum[0] + sum[1] + (j == to ? (double)j * a[j] * b[k - j] : 0.0);
}

/* At zero a power that is no whole number has no series. */
static double power_order(const double *u, const double *y, double c, size_t k) {
    double sum = 0.0;
    if (u[0] == 0.0)
        return 0.0;
    for (size_t j = 1; j <= k; j++)
        sum += (c * (double)j - (double)(k - j)) * u[j] * y[k - j];
    return sum / ((double)k * u[0]);
}

/* Order k >= 1 of a function of one term: y' = f'(u) u'. */
static inline double function_order(const am_operation *o, size_t k, const double *u, const double *w,
                                    const double *y) {
    const double order = (double)k;
    switch (o->kind) {
    case AM_TAPE_EXP:
        return convolve_rate(u, y, k, 1, k) / order;
    case AM_TAPE_LOG_OR_ZERO:
        if (u[0] == 0.0)
            return 0.0;
        return (u[k] - convolve_rate(y, u, k, 1, k - 1) / order) / u[0];
    case AM_TAPE_LOG:
        return (u[k] - convolve_rate(y, u, k, 1, k - 1) / order) / u[0];
    case AM_TAPE_SQRT:
        return (u[k] - convolve(y, y, k, 1, k - 1)) / (2.0 * y[0]);
    case AM_TAPE_POWER:
        return power_order(u, y, o->value, k);
    case AM_TAPE_TANH:
        return convolve_rate(u, w, k, 1, k) / order;
    case AM_TAPE_BESIDE_TANH:
        return -square(u, k);
    case AM_TAPE_ASINH:
    case AM_TAPE_ATANH:
        return (u[k] - convolve_rate(y, w, k, 1, k - 1) / order) / w[0];
    case AM_TAPE_AT_LEAST:
        return u[0] > o->value ? u[k] : 0.0;
    default:
        return 0.0;
    }
}

double am_tape_atanh_or_line(double u, double least) {
    double most = sqrt(1.0 - least);
    if ((1.0 - u) * (1.0 + u) > least)
        return atanh(u);
    return copysign(log((1.0 + most) / sqrt(least)) + (fabs(u) - most) / least, u);
}

static double function_value(const am_operation *o, double u) {
    switch (o->kind) {
    case AM_TAPE_EXP:
        return exp(u);
    case AM_TAPE_LOG_OR_ZERO:
        return u == 0.0 ? 0.0 : log(fabs(u)); /* as below */
    case AM_TAPE_LOG:
        return log(u);
    case AM_TAPE_SQRT:
        return sqrt(u);
    case AM_TAPE_POWER:
        if (u == 0.0 && o->value < 0.0)
            return 0.0;                /* no value: it counts as zero there, as its orders do */
        return pow(fabs(u), o->value); /* a span may look a little beyond the zero at which it ends */
    case AM_TAPE_TANH:
        return tanh(u);
    case AM_TAPE_BESIDE_TANH:
        return 1.0 - u * u;
    case AM_TAPE_ASINH:
        return asinh(u);
    case AM_TAPE_ATANH:
        return am_tape_atanh_or_line(u, o->value);
    case AM_TAPE_AT_LEAST:
        return fmax(u, o->value);
    case AM_TAPE_ABOVE:
        return u > o->value ? 1.0 : 0.0;
    default:
        return 0.0;
    }
}

static inline double order_of(const am_operation *o, size_t k, const double *a, const double *b, const double *y) {
    switch (o->kind) {
    case AM_TAPE_CONSTANT:
        return k == 0 ? o->value : 0.0;
    case AM_TAPE_ADD:
        return a[k] + b[k];
    case AM_TAPE_SUBTRACT:
        return a[k] - b[k];
    case AM_TAPE_ENTROPY:
    case AM_TAPE_MULTIPLY:
        return a == b ? square(a, k) : convolve(a, b, k, 0, k);
    case AM_TAPE_DIVIDE:
        if (a[0] == 0.0 && b[0] == 0.0)
            return 0.0; /* no series, as powers have none at zero: it counts as zero there */
        return (a[k] - (k > 0 ? convolve(b, y, k, 1, k) : 0.0)) / b[0];
    case AM_TAPE_SCALE:
        return o->value * a[k];
    default:
        return k > 0 ? function_order(o, k, a, b, y) : function_value(o, a[0]);
    }
}

void am_tape_run(const am_tape *tape, size_t count, size_t k, double *series) {
    for (size_t i = 0; i < count; i++) {
        const am_operation *o = &tape->operation[i];
        if (o->kind == AM_TAPE_ARGUMENT)
            continue;
        double *y = series + i * AM_TAPE_ORDERS;
        /* of tanh the series beside it, known up to the order before */
        const double *right = o->kind == AM_TAPE_TANH ? y + AM_TAPE_ORDERS : series + o->right * AM_TAPE_ORDERS;
        y[k] = order_of(o, k, series + o->left * AM_TAPE_ORDERS, right, y);
    }
}

bool am_tape_needs(const am_tape *tape, am_term term) {
    for (const am_tape_step *s = tape->one.step, *end = s + tape->one.count; s < end; s++)
        if (s->left == term * AM_TAPE_ORDERS || s->right == term * AM_TAPE_ORDERS)
            return true;
    return tape->from == term;
}

static inline void run_steps(const am_tape_steps *plan, size_t k, double *series) {
    for (const am_tape_step *s = plan->step, *end = s + plan->count; s < end; s++)
        series[s->to + k] = order_of(&s->operation, k, series + s->left, series + s->right, series + s->to);
}

double am_tape_order(const am_tape *tape, size_t k, double *series) {
    run_steps(&tape->one, k, series);
    return series[tape->of * AM_TAPE_ORDERS + k] = series[tape->from * AM_TAPE_ORDERS + k];
}

void am_tape_orders(const am_tape *tape, size_t k, double *series) {
    run_steps(&tape->several, k, series);
}
