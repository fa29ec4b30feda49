#include "math/bernstein.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/bernstein_internal.h"
#include "math/dense.h"
#include "math/wide.h"

/* Horner's rule for even and for odd orders: two sums that do not wait for each other. */
double am_polynomial_at(const double a[AM_COEFFICIENTS], double s) {
    double even = a[AM_DEGREE - 1], odd = a[AM_DEGREE], square = s * s;
    for (size_t k = AM_DEGREE - 1; k > 0; k -= 2) {
        even = even * square + a[k - 2];
        odd = odd * square + a[k - 1];
    }
    return odd * s + even;
}

/* A zero of b between low and high, where its sign changes. */
static double sign_change(const double b[AM_COEFFICIENTS], double low, double high) {
    bool rises = am_polynomial_at(b, low) < 0.0;
    for (int i = 0; i < 60 && high - low > DBL_EPSILON; i++) {
        double middle = 0.5 * (low + high);
        if ((am_polynomial_at(b, middle) < 0.0) == rises)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

size_t am_polynomial_turns(const double a[AM_COEFFICIENTS], double *where) {
    double b[AM_COEFFICIENTS], before = a[1];
    size_t count = 0;
    for (size_t k = 1; k < AM_COEFFICIENTS; k++)
        b[k - 1] = (double)k * a[k];
    b[AM_DEGREE] = 0.0;
    for (size_t i = 1; i <= AM_MOST_TURNS; i++) {
        double s = (double)i / AM_MOST_TURNS, here = am_polynomial_at(b, s);
        if ((before < 0.0) != (here < 0.0))
            where[count++] = sign_change(b, s - 1.0 / AM_MOST_TURNS, s);
        before = here;
    }
    return count;
}

/* With a(s) = even(s^2) + s odd(s^2): a' = odd + 2 s (even' + s odd'). */
double am_polynomial_slope(const double a[AM_COEFFICIENTS], double s, double *value) {
    double even = a[AM_DEGREE - 1], odd = a[AM_DEGREE], square = s * s, even_slope = 0.0, odd_slope = 0.0;
    for (size_t k = AM_DEGREE - 1; k > 0; k -= 2) {
        even_slope = even_slope * square + even;
        odd_slope = odd_slope * square + odd;
        even = even * square + a[k - 2];
        odd = odd * square + a[k - 1];
    }
    *value = odd * s + even;
    return odd + 2.0 * s * (even_slope + s * odd_slope);
}

double am_polynomial_integral(const double a[AM_COEFFICIENTS]) {
    double sum = 0.0;
    for (size_t k = AM_COEFFICIENTS; k-- > 0;)
        sum += a[k] / (double)(k + 1);
    return sum;
}

/* How many coefficients there are before the rest is zero. */
static size_t length_of(const double a[AM_COEFFICIENTS]) {
    size_t length = AM_COEFFICIENTS;
    while (length > 0 && a[length - 1] == 0.0)
        length--;
    return length;
}

/* sum over i, j of a_i b_j / (i + j + 1), by anti-diagonals from the smallest terms up. A load that is a ramp has two
 * coefficients, and most of the products need not be made. Eight diagonals at a time, in which each adds its
 * products in the order of i: zeros beside the coefficients stand for those that do not exist. */
AM_WIDE double am_polynomial_product_integral(const double a[AM_COEFFICIENTS], const double b[AM_COEFFICIENTS]) {
    enum { FOURS = 2, DIAGONALS = 4 * FOURS, ALL = 2 * AM_COEFFICIENTS };
    size_t length_a = length_of(a), length_b = length_of(b), most = length_a + length_b;
    if (length_a == 0 || length_b == 0)
        return 0.0;
    double sum = 0.0, term[ALL], beside[ALL + AM_COEFFICIENTS] = {0};
    memcpy(beside + AM_COEFFICIENTS, b, AM_COEFFICIENTS * sizeof *b);
    for (size_t first = 0; first + 1 < most; first += DIAGONALS) {
        size_t low = first >= length_b ? first - length_b + 1 : 0;
        size_t high = first + DIAGONALS < length_a ? first + DIAGONALS : length_a;
        am_four sums[FOURS] = {AM_FOUR_OF(0.0), AM_FOUR_OF(0.0)};
        for (size_t i = low; i < high; i++) {
            const double *other = beside + AM_COEFFICIENTS + first - i;
            for (size_t f = 0; f < FOURS; f++)
                sums[f] += a[i] * *(const am_four *)(const void *)(other + 4 * f);
        }
        memcpy(term + first, sums, sizeof sums);
    }
    for (size_t d = most - 1; d-- > 0;)
        sum += term[d] / (double)(d + 1);
    return sum;
}

/* b_j = sum over k <= j of C(j,k)/C(n,k) a_k, four j at a time: this runs for every quantity on every span. */
AM_WIDE void am_bernstein_from_power(const double a[AM_COEFFICIENTS], double b[AM_COEFFICIENTS]) {
    enum { FOURS = AM_COEFFICIENTS / 4 };
    am_four sum[FOURS];
    for (size_t j = 0; j < FOURS; j++)
        sum[j] = AM_FOUR_OF(a[0]);
    for (size_t k = 1; k < AM_COEFFICIENTS; k++) {
        const am_four *column = (const am_four *)(const void *)share[k];
        for (size_t j = k / 4; j < FOURS; j++)
            sum[j] += a[k] * column[j];
    }
    memcpy(b, sum, sizeof sum);
}

/* Halve: left half into `left`, right half stays in b (de Casteljau). */
static void halve(double b[AM_COEFFICIENTS], double left[AM_COEFFICIENTS]) {
    left[0] = b[0];
    for (size_t pass = 1; pass <= AM_DEGREE; pass++) {
        for (size_t j = 0; j + pass <= AM_DEGREE; j++)
            b[j] = 0.5 * (b[j] + b[j + 1]);
        left[pass] = b[0];
    }
}

/* The single zero of a + shift in [low, high], where it changes from positive to negative: Newton from s, kept inside
 * by bisection. Steps that converge shrink with their square, so that two of them foretell the error left by the last.
 */
static double single_zero(const double a[AM_COEFFICIENTS], double shift, double low, double high, double s) {
    double before = 0.0; /* size of the step before; 0: there is none to go by */
    for (int step = 0; step < 100 && high - low > 4.0 * DBL_EPSILON * high; step++) {
        double value, slope = am_polynomial_slope(a, s, &value);
        value += shift;
        if (value == 0.0)
            return s;
        if (value > 0.0)
            low = s;
        else
            high = s;
        double next = s - value / slope, size = fabs(next - s), ratio = before > 0.0 ? size / before : 1.0;
        /* Converged, what is left is rounding. Asked before the bracket, whose end s has just become: else the search
         * would start again from the middle. */
        if (size <= 2.0 * DBL_EPSILON * fabs(s))
            return next;
        bool inside = next > low && next < high; /* false: the step goes too far, or the slope is zero */
        bool settles = ratio < 1e-2; /* where it only creeps (a double zero halves its steps) nothing is foretold */
        if (inside && settles && size * ratio * ratio <= DBL_EPSILON * fabs(s))
            return next;
        before = inside ? size : 0.0;
        s = inside ? next : 0.5 * (low + high);
    }
    return s;
}

/* Where the control polygon of b turns negative, as part of its interval: close to where the polynomial does. */
static double polygon_zero(const double b[AM_COEFFICIENTS]) {
    size_t j = 1;
    while (j < AM_DEGREE && b[j] >= 0.0)
        j++;
    return ((double)(j - 1) + b[j - 1] / (b[j - 1] - b[j])) / AM_DEGREE;
}

static size_t sign_changes(const double b[AM_COEFFICIENTS]) {
    size_t changes = 0;
    bool negative = b[0] < 0.0;
    for (size_t j = 1; j <= AM_DEGREE; j++) {
        if (b[j] == 0.0)
            continue;
        changes += (b[j] < 0.0) != negative;
        negative = b[j] < 0.0;
    }
    return changes;
}

/* Depth first, left half first: at most one pending right half per level of halving. */
bool am_bernstein_first_negative(const double a[AM_COEFFICIENTS], double shift, double *where) {
    double b[AM_COEFFICIENTS];
    am_bernstein_from_power(a, b);
    return am_bernstein_search(a, b, shift, where);
}

double am_bernstein_least(const double b[AM_COEFFICIENTS]) {
    double least = b[0];
    for (size_t j = 1; j <= AM_DEGREE; j++)
        least = b[j] < least ? b[j] : least;
    return least;
}

AM_WIDE bool am_bernstein_above(const double a[AM_COEFFICIENTS], double level) {
    enum { FOURS = AM_QUICK_COEFFICIENTS / 4 };
    double rest = am_dense_size(a + AM_QUICK_COEFFICIENTS, AM_COEFFICIENTS - AM_QUICK_COEFFICIENTS);
    am_four sum[FOURS];
    for (size_t j = 0; j < FOURS; j++)
        sum[j] = AM_FOUR_OF(a[0]);
    for (size_t k = 1; k < AM_QUICK_COEFFICIENTS; k++) {
        const am_four *column = (const am_four *)(const void *)quick_share[k];
        for (size_t j = 0; j < FOURS; j++) /* also where the column is zero: so the sums stay in registers */
            sum[j] += a[k] * column[j];
    }
    double least[4] = {sum[0][0], sum[0][1], sum[0][2], sum[0][3]};
    for (size_t j = 1; j < FOURS; j++)
        for (size_t i = 0; i < 4; i++)
            least[i] = sum[j][i] < least[i] ? sum[j][i] : least[i];
    least[0] = least[1] < least[0] ? least[1] : least[0];
    least[2] = least[3] < least[2] ? least[3] : least[2];
    return (least[2] < least[0] ? least[2] : least[0]) - rest > level;
}

bool am_bernstein_search(const double a[AM_COEFFICIENTS], const double whole[AM_COEFFICIENTS], double shift,
                         double *where) {
    enum { DEPTH = 52 }; /* then the interval is a rounding unit wide */
    double stack[DEPTH + 1][AM_COEFFICIENTS];
    double start[DEPTH + 1], width[DEPTH + 1];
    int top = 0;
    for (size_t j = 0; j <= AM_DEGREE; j++)
        stack[0][j] = whole[j] + shift;
    start[0] = 0.0;
    width[0] = 1.0;
    while (top >= 0) {
        double *b = stack[top];
        double low = start[top], wide = width[top];
        if (am_bernstein_least(b) >= 0.0) {
            top--;
            continue;
        }
        if (b[0] < 0.0 || wide < 4.0 * DBL_EPSILON || top == DEPTH) {
            if (b[0] < 0.0 || b[AM_DEGREE] < 0.0) {
                *where = low;
                return true;
            }
            top--; /* touches -shift within rounding and returns */
            continue;
        }
        if (b[AM_DEGREE] < 0.0 && sign_changes(b) == 1) {
            *where = single_zero(a, shift, low, low + wide, low + wide * polygon_zero(b));
            return true;
        }
        if (wide == 1.0 && !am_dense_is_finite(b, AM_COEFFICIENTS)) { /* halves of such numbers have no end */
            *where = NAN;
            return true;
        }
        double left[AM_COEFFICIENTS];
        halve(b, left); /* the right half replaces b, the left one goes on top */
        start[top] = low + 0.5 * wide;
        width[top] = 0.5 * wide;
        top++;
        memcpy(stack[top], left, sizeof left);
        start[top] = low;
        width[top] = 0.5 * wide;
    }
    return false;
}

/* So near to a zero one step of Newton's method is exact to rounding: what it leaves is of the size of its square. */
static const double next_to_zero = 1e-11;

double am_bernstein_refine(const double a[AM_COEFFICIENTS], double shift, double where) {
    double value, slope = am_polynomial_slope(a, where, &value);
    if (value == 0.0 || !(slope < 0.0) || !isfinite(where))
        return where;
    double radius = 2.0 * fabs(shift / slope) + 4.0 * DBL_EPSILON * where, step = where - value / slope;
    if (value > 0.0) { /* a positive value is left of the zero, if there is one at all */
        double high = where + radius;
        if (!(am_polynomial_at(a, high) < 0.0))
            return where;
        return radius < next_to_zero && step < high ? step : single_zero(a, 0.0, where, high, 0.5 * (where + high));
    }
    double low = where - radius;
    if (radius < next_to_zero && low > 0.0 && step > low && am_polynomial_at(a, low) >= 0.0)
        return step;
    while (low > 0.0 && am_polynomial_at(a, low) < 0.0) {
        radius *= 2.0;
        low = where - radius;
    }
    if (!(low > 0.0)) {
        low = 0.0;
        if (a[0] <= 0.0)
            return 0.0;
    }
    return single_zero(a, 0.0, low, where, 0.5 * (low + where));
}
