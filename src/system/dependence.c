#include "system/dependence.h"

#include <math.h>
#include <string.h>

#include "base/try.h"
#include "math/pi.h"

enum { LARGEST_DEGREE = 32, MOST_NUMBERS = 200000 };

/* While it is being found. */
typedef struct search {
    am_dependence *d;
    const am_model_line *line;
    const am_dependence_reader *reader;
    am_arena memory;        /* of the arrays below */
    double *last, *compare; /* count: the numbers at `to`, and at some other value */
    double *scale;          /* count: what rounding is relative to */
    double *value;          /* LARGEST_DEGREE + 1 times count: at the points cos(pi j/32) of [from, to] */
    bool known[LARGEST_DEGREE + 1];
} search;

static am_status read_at(const search *s, double p, double *numbers, am_error *err) {
    const am_system *system;
    am_status status = am_model_line_at(s->line, p, &system, err);
    return status ? status : s->reader->read(s->reader->context, system, numbers, err);
}

void am_dependence_share(double *scale, size_t count) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, scale[i]);
    for (size_t i = 0; i < count; i++)
        scale[i] = most;
}

static void share_scales(const search *s) {
    if (s->reader->share)
        s->reader->share(s->reader->context, s->scale);
}

/* ---- straight lines ---- */

/* Are the numbers at p those of the straight line from `from` to `to`? Rounding of a few operations is allowed. */
static am_status is_on_the_line(search *s, double p, bool *straight, am_error *err) {
    const am_dependence *d = s->d;
    AM_TRY(read_at(s, p, s->compare, err));
    double share = (p - d->from) / (d->to - d->from);
    for (size_t i = 0; i < d->count; i++) {
        double expected = d->base[i] + share * (s->last[i] - d->base[i]);
        double size = s->reader->shared ? s->scale[i] : s->scale[i] + fabs(s->compare[i]);
        if (!(fabs(s->compare[i] - expected) <= s->reader->straightness * size))
            *straight = false;
    }
    return AM_OK;
}

static am_status try_lines(search *s, am_error *err) {
    static const double shares[] = {0.5, 0.2360679, 0.7071067};
    am_dependence *d = s->d;
    AM_TRY(read_at(s, d->to, s->last, err));
    for (size_t i = 0; i < d->count; i++)
        s->scale[i] = fmax(fabs(d->base[i]), fabs(s->last[i]));
    if (s->reader->shared)
        share_scales(s);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        AM_TRY(is_on_the_line(s, d->from + shares[i] * (d->to - d->from), &d->straight, err));
    for (size_t i = 0; i < d->count && d->straight; i++)
        if (s->last[i] != d->base[i]) {
            d->moving[d->moving_count] = i;
            d->slope[d->moving_count++] = (s->last[i] - d->base[i]) / (d->to - d->from);
        }
    return AM_OK;
}

/* ---- polynomials ---- */

static double place(const am_dependence *d, double share) { /* share: -1 .. 1 */
    return 0.5 * (d->from + d->to) + 0.5 * share * (d->to - d->from);
}

static am_status read_points(search *s, size_t degree, am_error *err) {
    const am_dependence *d = s->d;
    for (size_t j = 0; j <= LARGEST_DEGREE; j += LARGEST_DEGREE / degree) {
        double share = cos(pi * (double)j / LARGEST_DEGREE), *value = s->value + j * d->count;
        double p = j == 0 ? d->to : j == LARGEST_DEGREE ? d->from : place(d, share);
        AM_TRY(s->known[j] ? AM_OK : read_at(s, p, value, err));
        s->known[j] = true;
        for (size_t i = 0; i < d->count; i++)
            s->scale[i] = fmax(s->scale[i], fabs(value[i]));
    }
    share_scales(s);
    return AM_OK;
}

static void note_moving(search *s, size_t degree) {
    am_dependence *d = s->d;
    const double *first = s->value;
    d->moving_count = 0;
    for (size_t i = 0; i < d->count; i++) {
        bool moves = false;
        for (size_t j = 0; j <= LARGEST_DEGREE && !moves; j += LARGEST_DEGREE / degree)
            moves = s->value[j * d->count + i] != first[i];
        if (moves)
            d->moving[d->moving_count++] = i;
    }
}

/* Coefficients of Chebyshev's polynomials T_0 .. T_degree from the values at cos(pi j/degree), j = 0 .. degree. */
static void set_coefficients(search *s, size_t degree) {
    am_dependence *d = s->d;
    size_t stride = LARGEST_DEGREE / degree;
    d->bend = degree;
    for (size_t m = 0; m < d->moving_count; m++)
        for (size_t k = 0; k <= degree; k++) {
            double sum = 0.0;
            for (size_t j = 0; j <= degree; j++)
                sum += (j == 0 || j == degree ? 0.5 : 1.0) * s->value[j * stride * d->count + d->moving[m]] *
                       cos(pi * (double)((j * k) % (2 * degree)) / (double)degree);
            d->bent[m * (degree + 1) + k] = (k == 0 || k == degree ? 1.0 : 2.0) / (double)degree * sum;
        }
}

static void bend(const am_dependence *d, double p, double *numbers) {
    double t = 2.0 * (p - d->from) / (d->to - d->from) - 1.0;
    for (size_t m = 0; m < d->moving_count; m++) { /* Clenshaw */
        const double *c = d->bent + m * (d->bend + 1);
        double one = 0.0, two = 0.0;
        for (size_t k = d->bend; k > 0; k--) {
            double next = 2.0 * t * one - two + c[k];
            two = one;
            one = next;
        }
        numbers[d->moving[m]] = t * one - two + c[0];
    }
}

/* Does the polynomial give the numbers elsewhere, too? */
static am_status is_right(search *s, bool *right, am_error *err) {
    static const double shares[] = {-0.93969262, -0.61803399, 0.14142136, 0.70307019, 0.98480775};
    const am_dependence *d = s->d;
    *right = true;
    for (size_t i = 0; i < sizeof shares / sizeof *shares && *right; i++) {
        double p = place(d, shares[i]);
        AM_TRY(read_at(s, p, s->compare, err));
        memcpy(s->last, d->base, d->count * sizeof *d->base);
        bend(d, p, s->last);
        for (size_t k = 0; k < d->count && *right; k++)
            *right = fabs(s->last[k] - s->compare[k]) <= 4e-14 * (s->scale[k] + fabs(s->compare[k]));
    }
    return AM_OK;
}

static am_status try_polynomials(search *s, am_error *err) {
    am_dependence *d = s->d;
    bool right = false;
    if (d->count > MOST_NUMBERS)
        return AM_OK;
    s->value = am_arena_doubles(&s->memory, NULL, (LARGEST_DEGREE + 1) * d->count, err);
    AM_TRY(am_arena_status(&s->memory));
    memset(s->scale, 0, d->count * sizeof *s->scale);
    for (size_t degree = 4; degree <= LARGEST_DEGREE && !right; degree *= 2) {
        AM_TRY(read_points(s, degree, err));
        note_moving(s, degree);
        d->bent = am_arena_doubles(&d->memory, NULL, d->moving_count * (degree + 1), err);
        if (!d->bent)
            return AM_ERR_MEMORY;
        set_coefficients(s, degree);
        AM_TRY(is_right(s, &right, err));
    }
    if (!right)
        d->bend = 0;
    return AM_OK;
}

/* ---- both ---- */

static am_status reserve(am_dependence *d, size_t count, am_error *err) {
    am_arena memory = d->memory;
    am_arena_reset(&memory);
    *d = (am_dependence){.memory = memory, .count = count};
    AM_ARENA_DOUBLES(&d->memory, count, err, &d->base, &d->slope);
    d->moving = am_arena_new(&d->memory, count, sizeof *d->moving, err);
    return am_arena_status(&d->memory);
}

am_status am_dependence_find(am_dependence *d, const am_model_line *line, double from, double to,
                             const am_dependence_reader *reader, am_error *err) {
    search s = {.d = d, .line = line, .reader = reader};
    am_status status = reserve(d, reader->count, err);
    d->from = from;
    d->to = to;
    d->straight = true;
    if (!status)
        status = read_at(&s, from, d->base, err);
    if (status || from == to)
        return status;
    AM_ARENA_DOUBLES(&s.memory, reader->count, err, &s.last, &s.compare, &s.scale);
    status = am_arena_status(&s.memory);
    if (!status)
        status = try_lines(&s, err);
    if (!status && !d->straight && reader->bends)
        status = try_polynomials(&s, err);
    am_arena_clear(&s.memory);
    return status;
}

void am_dependence_clear(am_dependence *d) {
    am_arena_clear(&d->memory);
    *d = (am_dependence){0};
}

bool am_dependence_at(const am_dependence *d, double p, double *numbers) {
    if (d->straight)
        for (size_t i = 0; i < d->moving_count; i++)
            numbers[d->moving[i]] = d->base[d->moving[i]] + (p - d->from) * d->slope[i];
    else if (d->bend > 0)
        bend(d, p, numbers);
    return d->straight || d->bend > 0;
}
