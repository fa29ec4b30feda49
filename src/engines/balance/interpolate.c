/* Numbers that depend smoothly on the parameter, but not along straight lines (centrifugal loads, damping of modes,
 * phases): polynomials through Chebyshev points of the range take the place of building the system again at every step.
 * The degree is doubled until the polynomial meets the numbers at further points to rounding; where it does not, the
 * system is built at every step after all. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engines/balance/balance_internal.h"
#include "math/pi.h"

enum { LARGEST_DEGREE = 32, MOST_NUMBERS = 200000 };

typedef struct nodes {
    am_balance *b;
    double *value; /* LARGEST_DEGREE + 1 times b->count: at the points cos(pi j/32) of [from, to] */
    bool known[LARGEST_DEGREE + 1];
    double *scale; /* b->count: what rounding is relative to */
} nodes;

static double place(const am_balance *b, double share) { /* share: -1 .. 1 */
    return 0.5 * (b->from + b->to) + 0.5 * share * (b->to - b->from);
}

static am_status fill(nodes *s, size_t degree, am_error *err) {
    am_status status = AM_OK;
    for (size_t j = 0; j <= LARGEST_DEGREE && !status; j += LARGEST_DEGREE / degree) {
        double share = cos(pi * (double)j / LARGEST_DEGREE), *value = s->value + j * s->b->count;
        double p = j == 0 ? s->b->to : j == LARGEST_DEGREE ? s->b->from : place(s->b, share);
        if (!s->known[j])
            status = am_balance_read_at(s->b, p, value, err);
        s->known[j] = true;
        for (size_t i = 0; i < s->b->count; i++)
            s->scale[i] = fmax(s->scale[i], fabs(value[i]));
    }
    return status;
}

static void share_scale(double *scale, size_t from, size_t to) {
    double most = 0.0;
    for (size_t i = from; i < to; i++)
        most = fmax(most, scale[i]);
    for (size_t i = from; i < to; i++)
        scale[i] = most;
}

/* Entries of a matrix, or of a signal, are rounded relative to the largest of them. */
static void share_scales(const am_balance *b, double *scale) {
    const size_t at[] = {b->at_M, b->at_C, b->at_K, b->at_F, b->at_contact};
    for (size_t i = 0; i + 1 < sizeof at / sizeof *at; i++)
        share_scale(scale, at[i], at[i + 1]);
    for (size_t c = 0; c < b->contacts; c++) {
        size_t own = b->at_contact + c * (CONTACT_NUMBERS + b->S);
        share_scale(scale, own + CONTACT_NUMBERS, own + CONTACT_NUMBERS + b->S);
    }
}

/* ---- the polynomial ---- */

static void note_moving(nodes *s, size_t degree) {
    am_balance *b = s->b;
    const double *first = s->value;
    b->moving_count = 0;
    for (size_t i = 0; i < b->count; i++) {
        bool moves = false;
        for (size_t j = 0; j <= LARGEST_DEGREE && !moves; j += LARGEST_DEGREE / degree)
            moves = s->value[j * b->count + i] != first[i];
        if (moves)
            b->moving[b->moving_count++] = i;
    }
}

/* Coefficients of Chebyshev's polynomials T_0 .. T_degree from the values at cos(pi j/degree), j = 0 .. degree. */
static void set_coefficients(nodes *s, size_t degree) {
    am_balance *b = s->b;
    size_t stride = LARGEST_DEGREE / degree;
    b->bend = degree;
    for (size_t m = 0; m < b->moving_count; m++)
        for (size_t k = 0; k <= degree; k++) {
            double sum = 0.0;
            for (size_t j = 0; j <= degree; j++)
                sum += (j == 0 || j == degree ? 0.5 : 1.0) * s->value[j * stride * b->count + b->moving[m]] *
                       cos(pi * (double)((j * k) % (2 * degree)) / (double)degree);
            b->bent[m * (degree + 1) + k] = (k == 0 || k == degree ? 1.0 : 2.0) / (double)degree * sum;
        }
}

void am_balance_bend(am_balance *b, double p, double *numbers) {
    double t = 2.0 * (p - b->from) / (b->to - b->from) - 1.0;
    for (size_t m = 0; m < b->moving_count; m++) { /* Clenshaw */
        const double *c = b->bent + m * (b->bend + 1);
        double one = 0.0, two = 0.0;
        for (size_t k = b->bend; k > 0; k--) {
            double next = 2.0 * t * one - two + c[k];
            two = one;
            one = next;
        }
        numbers[b->moving[m]] = t * one - two + c[0];
    }
}

/* Does the polynomial give the numbers elsewhere, too? b->numbers is used as room. */
static am_status is_right(nodes *s, bool *right, am_error *err) {
    static const double shares[] = {-0.93969262, -0.61803399, 0.14142136, 0.70307019, 0.98480775};
    am_balance *b = s->b;
    am_status status = AM_OK;
    *right = true;
    for (size_t i = 0; i < sizeof shares / sizeof *shares && *right && !status; i++) {
        double p = place(b, shares[i]);
        status = am_balance_read_at(b, p, b->compare, err);
        memcpy(b->numbers, b->base, b->count * sizeof *b->base);
        am_balance_bend(b, p, b->numbers);
        for (size_t k = 0; k < b->count && *right && !status; k++)
            *right = fabs(b->numbers[k] - b->compare[k]) <= 4e-14 * (s->scale[k] + fabs(b->compare[k]));
    }
    return status;
}

am_status am_balance_interpolate(am_balance *b, am_error *err) {
    nodes s = {.b = b};
    bool right = false;
    am_status status = AM_OK;
    b->bend = 0;
    if (b->count > MOST_NUMBERS)
        return AM_OK;
    s.value = am_memory_new((LARGEST_DEGREE + 1) * b->count, sizeof *s.value, err);
    s.scale = am_memory_new(b->count, sizeof *s.scale, err);
    if (!s.value || !s.scale)
        status = AM_ERR_MEMORY;
    for (size_t degree = 4; degree <= LARGEST_DEGREE && !right && !status; degree *= 2) {
        status = fill(&s, degree, err);
        if (status)
            break;
        share_scales(b, s.scale);
        note_moving(&s, degree);
        status = am_memory_resize(&b->bent, b->moving_count * (degree + 1) + 1, err);
        if (status)
            break;
        set_coefficients(&s, degree);
        status = is_right(&s, &right, err);
    }
    if (!right)
        b->bend = 0;
    am_memory_free(s.value);
    am_memory_free(s.scale);
    return status;
}
