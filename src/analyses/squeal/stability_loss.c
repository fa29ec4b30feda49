#include "analyses/squeal/stability_loss.h"
#include "base/try.h"

#include <float.h>
#include <math.h>

enum { MOST_HALVINGS = 200 };

double am_squeal_growth(const double complex *s, size_t count, size_t rank, double complex *which) {
    for (size_t i = 0; i < count; i++) {
        size_t above = 0;
        for (size_t j = 0; j < count; j++)
            above += creal(s[j]) > creal(s[i]) || (creal(s[j]) == creal(s[i]) && j < i);
        if (above + 1 == rank) {
            *which = s[i];
            return creal(s[i]);
        }
    }
    return -INFINITY;
}

/* Growth at mu. Without damping there is no negative growth: -1 where nothing grows. */
static am_status growth_at(const am_squeal_source *q, double mu, size_t rank, double complex *s, double *growth,
                           double complex *which, am_error *err) {
    size_t count;
    AM_TRY(q->eigenvalues(q->context, mu, s, &count, err));
    *growth = am_squeal_growth(s, count, rank, which);
    if (!q->damped && !(*growth > -INFINITY && q->grows(q->context, *which)))
        *growth = -1.0;
    return AM_OK;
}

/* Regula falsi in Illinois' form where the growth passes zero; halving where it begins like a root. */
am_status am_squeal_locate(const am_squeal_source *source, double fewer, double more, size_t rank, double complex *s,
                           am_squeal_threshold *threshold, am_error *err) {
    const am_squeal_source *q = source;
    double a = fewer, b = more, at_a, at_b;
    double complex which = 0.0, ignored;
    AM_TRY(growth_at(q, a, rank, s, &at_a, &ignored, err));
    AM_TRY(growth_at(q, b, rank, s, &at_b, &which, err));
    int side = 0;
    for (int step = 0; step < MOST_HALVINGS && fabs(b - a) > 4.0 * DBL_EPSILON * fabs(b); step++) {
        double middle = 0.5 * (a + b), growth;
        double complex here = 0.0;
        if (q->damped && step % 4 != 3)
            middle = (a * at_b - b * at_a) / (at_b - at_a);
        if (!(middle > fmin(a, b) && middle < fmax(a, b)))
            middle = 0.5 * (a + b);
        if (middle == a || middle == b)
            break;
        AM_TRY(growth_at(q, middle, rank, s, &growth, &here, err));
        if (growth > 0.0) {
            b = middle, at_b = growth, which = here;
            at_a = side > 0 ? 0.5 * at_a : at_a;
            side = 1;
        } else {
            a = middle, at_a = growth;
            at_b = side < 0 ? 0.5 * at_b : at_b;
            side = -1;
            if (growth == 0.0) /* on it */
                b = a, which = here;
        }
    }
    threshold->mu = b;
    threshold->s = which;
    threshold->kind = cimag(which) == 0.0 ? AM_THRESHOLD_DIVERGENCE
                      : q->damped         ? AM_THRESHOLD_FLUTTER
                                          : AM_THRESHOLD_COALESCENCE;
    return AM_OK;
}

/* ---- modes along mu ---- */

static size_t nearest_free(const double complex *s, size_t count, const size_t *number, double complex expected,
                           double *distance) {
    size_t best = count;
    *distance = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (number[i] == 0 && cabs(s[i] - expected) < *distance) {
            *distance = cabs(s[i] - expected);
            best = i;
        }
    return best;
}

/* The closest pairing first, then the next: a mode that jumps does not take another one's place. */
void am_squeal_follow(const double complex *s, size_t count, size_t most, double complex *before, size_t *known,
                      size_t *number) {
    double complex *older = before, *newer = before + most;
    for (size_t i = 0; i < count; i++)
        number[i] = 0;
    for (size_t round = 0; round < *known && round < count; round++) {
        double least = INFINITY;
        size_t mode = 0, at = count;
        for (size_t k = 0; k < *known; k++) {
            double distance;
            bool taken = false;
            for (size_t i = 0; i < count; i++)
                taken = taken || number[i] == k + 1;
            if (taken)
                continue;
            size_t i = nearest_free(s, count, number, 2.0 * newer[k] - older[k], &distance);
            if (i < count && distance < least) {
                least = distance;
                mode = k + 1;
                at = i;
            }
        }
        if (at < count)
            number[at] = mode;
    }
    for (size_t i = 0; i < count; i++) {
        bool fresh = number[i] == 0 && *known < most;
        if (fresh)
            number[i] = ++*known;
        if (number[i] == 0)
            continue;
        older[number[i] - 1] = fresh ? s[i] : newer[number[i] - 1];
        newer[number[i] - 1] = s[i];
    }
}
