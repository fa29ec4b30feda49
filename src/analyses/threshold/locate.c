/* A threshold between a stable sample and another one, to rounding. What is followed to zero is a function of the
 * eigenvalues that is smooth there:
 *
 *     with damping       the real part of the crossing eigenvalue
 *     without damping    divergence: kappa = -lambda^2, which passes zero where lambda turns from the imaginary to the
 *                        real axis; flutter: the discriminant (kappa_1 - kappa_2)^2 of the two that meet, which passes
 *                        zero where lambda itself has a branch point
 *     rigid contact      delta_0 (for several contacts the least principal minor of their matrix)
 *
 * Where the equilibrium is lost there is nothing to follow: bisection between the two answers. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analyses/threshold/sample.h"
#include "base/local.h"

typedef enum followed { FOLLOW_REAL, FOLLOW_KAPPA, FOLLOW_MEETING, FOLLOW_CLOSING } followed;

typedef struct locating {
    am_threshold_search *search;
    const am_threshold_sample *low; /* the stable sample */
    followed what;
    double target;   /* MEETING: kappa where they meet, nearly */
    bool *permanent; /* REAL: eigenvalues of low that are on the axis all the time: not those that cross */
    bool *taken;     /* `flags` of them: one per eigenvalue of a sample */
    size_t flags;
    am_threshold_sample last; /* the sample taken last */
    size_t crossing;          /* its eigenvalue that is followed */
} locating;

static double kappa_of(const am_spectrum *s, size_t i) {
    return s->imaginary[i] * s->imaginary[i] - s->real[i] * s->real[i];
}

/* The eigenvalue of s nearest to number i of `low` that is not taken yet; SIZE_MAX: none. */
static size_t nearest_to(const locating *l, size_t i, const am_threshold_sample *s) {
    const am_spectrum *x = &l->low->spectrum, *y = &s->spectrum;
    size_t nearest = SIZE_MAX;
    double best = INFINITY;
    for (size_t j = 0; j < y->count; j++) {
        double distance = hypot(x->real[i] - y->real[j], x->imaginary[i] - y->imaginary[j]);
        if (!l->taken[j] && distance < best) {
            best = distance;
            nearest = j;
        }
    }
    return nearest;
}

/* Those of `low` that are on the axis there and at the other end. */
static void find_permanent(locating *l, const am_threshold_sample *high) {
    memset(l->taken, 0, l->flags * sizeof *l->taken);
    for (size_t i = 0; i < l->low->spectrum.count; i++) {
        size_t j = am_threshold_sample_neutral(l->low, i) ? nearest_to(l, i, high) : SIZE_MAX;
        if (j == SIZE_MAX)
            continue;
        l->taken[j] = true;
        l->permanent[i] = am_threshold_sample_neutral(high, j);
    }
}

/* The largest real part but for those that belong to eigenvalues that stay on the axis. */
static double follow_real(locating *l, const am_threshold_sample *s) {
    double top = -INFINITY;
    memset(l->taken, 0, l->flags * sizeof *l->taken);
    for (size_t i = 0; i < l->low->spectrum.count; i++) {
        size_t j = l->permanent[i] ? nearest_to(l, i, s) : SIZE_MAX;
        if (j != SIZE_MAX)
            l->taken[j] = true;
    }
    for (size_t j = 0; j < s->spectrum.count; j++)
        if (!l->taken[j] && s->spectrum.real[j] > top) {
            top = s->spectrum.real[j];
            l->crossing = j;
        }
    return top;
}

/* Without damping every eigenvalue that grows has a partner that decays as fast. */
static bool is_undamped(const am_threshold_sample *s) {
    const am_spectrum *e = &s->spectrum;
    double re = e->real[s->worst], im = e->imaginary[s->worst], near = 1e-6 * re;
    for (size_t j = 0; j < e->count; j++)
        if (hypot(e->real[j] + re, e->imaginary[j] - im) <= near + e->uncertainty[j])
            return true;
    return false;
}

/* Minus the least kappa: positive once an eigenvalue is real. */
static double follow_kappa(locating *l, const am_threshold_sample *s) {
    double least = INFINITY;
    for (size_t j = 0; j < s->spectrum.count; j++) {
        double kappa = kappa_of(&s->spectrum, j);
        if (hypot(s->spectrum.real[j], s->spectrum.imaginary[j]) > s->spectrum.uncertainty[j] && kappa < least) {
            least = kappa;
            l->crossing = j;
        }
    }
    return -least;
}

/* Minus the discriminant of the two that meet: kappa real and different before, a complex pair after. Once something
 * grows beyond rounding they have met, whatever else lies nearer to where they were seen to be. */
static double follow_meeting(locating *l, const am_threshold_sample *s) {
    const am_spectrum *e = &s->spectrum;
    double best = INFINITY, value = -INFINITY;
    bool met = s->state == AM_THRESHOLD_SAMPLE_UNSTABLE;
    for (size_t i = 0; i < e->count; i++) {
        if (e->imaginary[i] <= 0.0 || (met && !(e->real[i] > e->uncertainty[i])))
            continue;
        double kappa = kappa_of(e, i), twist = 2.0 * e->real[i] * e->imaginary[i];
        if (e->real[i] > 0.0 && fabs(kappa - l->target) < best) {
            best = fabs(kappa - l->target);
            value = 4.0 * twist * twist;
            l->crossing = i;
        }
        for (size_t j = 0; e->real[i] == 0.0 && j < i; j++) {
            double mean = 0.5 * (kappa + kappa_of(e, j)), apart = kappa - kappa_of(e, j);
            if (e->imaginary[j] <= 0.0 || e->real[j] != 0.0 || fabs(mean - l->target) >= best)
                continue;
            best = fabs(mean - l->target);
            value = -apart * apart;
            l->crossing = i;
        }
    }
    return met && isinf(value) ? l->target * l->target : value; /* something real grows: beyond, too */
}

static double follow(locating *l, const am_threshold_sample *s) {
    if (l->what == FOLLOW_REAL)
        return follow_real(l, s);
    if (l->what == FOLLOW_CLOSING)
        return -s->spectrum.closing;
    return l->what == FOLLOW_KAPPA ? follow_kappa(l, s) : follow_meeting(l, s);
}

static am_status locating_open(locating *l, am_threshold_search *search, const am_threshold_sample *low,
                               const am_threshold_sample *high, am_error *err) {
    const am_spectrum *e = &high->spectrum;
    *l = (locating){.search = search, .low = low};
    l->flags = low->spectrum.count + e->count; /* spectra may differ in size */
    l->taken = am_memory_new(2 * l->flags + 1, sizeof *l->taken, err);
    if (!l->taken)
        return AM_ERR_MEMORY;
    l->permanent = l->taken + l->flags;
    if (high->state == AM_THRESHOLD_SAMPLE_PAINLEVE)
        l->what = FOLLOW_CLOSING;
    if (high->state != AM_THRESHOLD_SAMPLE_UNSTABLE)
        return AM_OK;
    find_permanent(l, high);
    if (am_threshold_sample_neutral(low, low->worst) && is_undamped(high)) {
        l->what = e->imaginary[high->worst] == 0.0 ? FOLLOW_KAPPA : FOLLOW_MEETING;
        l->target = kappa_of(e, high->worst);
    }
    return AM_OK;
}

static void locating_close(locating *l) {
    am_threshold_sample_clear(&l->last);
    am_memory_free(l->taken);
}

/* The followed function at a value of the parameter; *beyond: sliding is not even there. */
static am_status value_at(locating *l, double parameter, double *value, bool *beyond, am_error *err) {
    am_threshold_sample_clear(&l->last);
    AM_TRY(am_threshold_sample_take(l->search, parameter, &l->last, err));
    bool there = l->last.state == AM_THRESHOLD_SAMPLE_STABLE || l->last.state == AM_THRESHOLD_SAMPLE_UNSTABLE;
    bool closing = l->last.state != AM_THRESHOLD_SAMPLE_LOST && !isnan(l->last.spectrum.closing);
    *beyond = !(l->what == FOLLOW_CLOSING ? closing : there);
    *value = *beyond || l->last.spectrum.count > l->flags ? 0.0 : follow(l, &l->last);
    return AM_OK;
}

static double resolution(const locating *l, double x, double y) {
    return fmax(2.0 * DBL_EPSILON * fmax(fabs(x), fabs(y)) + DBL_MIN, l->search->floor);
}

/* ---- Between two answers ---- */

/* Bisection until nothing lies between: the last stable sample is left in *low. *unstable: the first sample found that
 * is there but unstable (then the search goes on with it), if any. */
static am_status bisect(locating *l, am_threshold_sample *low, double *beyond, am_threshold_sample *unstable, bool *has,
                        am_error *err) {
    *has = false;
    while (fabs(*beyond - low->parameter) > resolution(l, *beyond, low->parameter)) {
        am_threshold_sample m;
        double middle = low->parameter + 0.5 * (*beyond - low->parameter);
        if (middle == low->parameter || middle == *beyond)
            return AM_OK;
        AM_TRY(am_threshold_sample_take(l->search, middle, &m, err));
        if (m.state == AM_THRESHOLD_SAMPLE_STABLE) {
            am_threshold_sample_clear(low);
            *low = m;
        } else if (m.state == AM_THRESHOLD_SAMPLE_UNSTABLE) {
            *unstable = m;
            *has = true;
            return AM_OK;
        } else {
            *beyond = middle;
            am_threshold_sample_clear(&m);
        }
    }
    return AM_OK;
}

static double modulus(const am_spectrum *s, size_t i) {
    return hypot(s->real[i], s->imaginary[i]);
}

/* ln of the product of the eigenvalues' sizes: half that of |det K|/|det M|, and so a measure of the tangent stiffness,
 * whichever eigenvalues carry it. The `left_out` smallest do not count. */
static double stiffness_size(const am_spectrum *s, size_t left_out) {
    double sum = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        size_t smaller = 0;
        for (size_t j = 0; j < s->count; j++)
            smaller += modulus(s, j) < modulus(s, i) || (modulus(s, j) == modulus(s, i) && j < i);
        if (smaller >= left_out)
            sum += log(modulus(s, i));
    }
    return sum;
}

/* The equilibrium ends. Where the tangent stiffness becomes singular it is a divergence: a fold, or displacements
 * without bound. Its determinant then goes to zero at least like a root, over the twelve decades or more that bisection
 * passes: a thousandth separates that from a contact that opens. (A single eigenvalue is no measure: where damping
 * vanishes too, a pair goes to zero together, like the fourth root. Directions that nothing holds are zero all the
 * time.) */
static am_threshold_kind kind_of_end(const am_threshold_sample *start, const am_threshold_sample *end) {
    const am_spectrum *a = &start->spectrum, *b = &end->spectrum;
    size_t free = 0;
    if (b->count == 0 || b->count != a->count)
        return AM_THRESHOLD_LIFT_OFF;
    for (size_t i = 0; i < a->count; i++)
        free += modulus(a, i) <= a->uncertainty[i];
    return stiffness_size(b, free) - stiffness_size(a, free) <= log(1e-3) ? AM_THRESHOLD_DIVERGENCE
                                                                          : AM_THRESHOLD_LIFT_OFF;
}

/* The stable sample the search began with may happen to lie next to the end; one a thousandth of the span before it is
 * compared instead. */
static am_status name_end(locating *l, const am_threshold_sample *end, double beyond, am_threshold_kind *kind,
                          am_error *err) {
    am_threshold_sample before;
    AM_TRY(am_threshold_sample_take(l->search, beyond - 1e-3 * l->search->width, &before, err));
    *kind = kind_of_end(before.state == AM_THRESHOLD_SAMPLE_STABLE ? &before : l->low, end);
    am_threshold_sample_clear(&before);
    return AM_OK;
}

static am_status locate_end(locating *l, const am_threshold_sample *high, am_threshold *found, am_error *err) {
    am_threshold_sample low = {0}, unstable = {0};
    bool has = false, painleve = high->state == AM_THRESHOLD_SAMPLE_PAINLEVE;
    double beyond = high->parameter;
    am_status status = am_threshold_sample_copy(l->low, &low, err);
    if (status == AM_OK)
        status = bisect(l, &low, &beyond, &unstable, &has, err);
    if (status == AM_OK && has)
        status = am_threshold_locate(l->search, &low, &unstable, found, err);
    if (status == AM_OK && !has && !painleve)
        status = name_end(l, &low, beyond, &found->kind, err);
    if (status == AM_OK && !has) {
        found->kind = painleve ? AM_THRESHOLD_PAINLEVE : found->kind;
        found->critical = beyond;
        found->omega = found->kind == AM_THRESHOLD_DIVERGENCE ? 0.0 : NAN;
        found->growth = low.spectrum.count > 0 ? low.spectrum.real[low.worst] : 0.0;
        found->bracket = fabs(beyond - low.parameter);
        found->uncertainty = found->bracket;
    }
    am_threshold_sample_clear(&low);
    am_threshold_sample_clear(&unstable);
    return status;
}

/* ---- The zero of what is followed ---- */

/* Three values on the way to the zero: x1 the newest, x2 on the other side of it, x3 the one before. */
typedef struct zero {
    double x1, f1, x2, f2, x3, f3;
} zero;

/* Chandrupatla's rule: inverse quadratic interpolation where the three values allow it, halving elsewhere. */
static double next_part(const zero *z) {
    double xi = (z->x1 - z->x2) / (z->x3 - z->x2), phi = (z->f1 - z->f2) / (z->f3 - z->f2);
    if (!(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi))
        return 0.5;
    return z->f1 / (z->f2 - z->f1) * z->f3 / (z->f2 - z->f3) +
           (z->x3 - z->x1) / (z->x2 - z->x1) * z->f1 / (z->f3 - z->f1) * z->f2 / (z->f3 - z->f2);
}

static am_status find_zero(locating *l, zero *z, double *best, am_error *err) {
    double part = 0.5;
    for (int step = 0; step < 200; step++) {
        double x = z->x1 + part * (z->x2 - z->x1), f;
        bool beyond;
        am_status status = value_at(l, x, &f, &beyond, err);
        if (status == AM_ERR_EVIDENCE && l->what == FOLLOW_CLOSING) {
            /* Next to delta_0 = 0 the eigenvalues are past computing; delta_0 has been followed as far as it goes. */
            *best = x;
            return AM_OK;
        }
        if (status != AM_OK)
            return status;
        if (beyond)
            f = fmax(z->f1, z->f2); /* on the far side */
        bool same = (f > 0.0) == (z->f1 > 0.0);
        z->x3 = same ? z->x1 : z->x2;
        z->f3 = same ? z->f1 : z->f2;
        if (!same) {
            z->x2 = z->x1;
            z->f2 = z->f1;
        }
        z->x1 = x;
        z->f1 = f;
        *best = fabs(z->f1) < fabs(z->f2) ? z->x1 : z->x2;
        double least = resolution(l, z->x1, z->x2) / fabs(z->x2 - z->x1);
        if (least > 0.5 || z->f1 == 0.0)
            return AM_OK;
        part = fmin(fmax(next_part(z), least), 1.0 - least);
    }
    return AM_OK;
}

/* Where two eigenvalues meet at zero growth, that of the mean of both; at the threshold itself either will do. Where two
 * real ones come to zero together, rounding makes a pair of them that is hardly more than its uncertainty away from it:
 * that is no frequency. */
static double frequency_of(const locating *l) {
    const am_spectrum *s = &l->last.spectrum;
    double frequency = fabs(s->imaginary[l->crossing]);
    return l->what == FOLLOW_KAPPA || frequency <= 3 * s->uncertainty[l->crossing] ? 0.0 : frequency;
}

/* The modulus of the largest eigenvalue. */
static double largest(const am_spectrum *s) {
    double size = 0.0;
    for (size_t i = 0; i < s->count; i++)
        size = fmax(size, modulus(s, i));
    return size;
}

static am_status describe(locating *l, const zero *z, double steep, am_threshold *found, am_error *err) {
    const am_spectrum *s = &l->last.spectrum;
    double growth = s->real[l->crossing], size = fmax(largest(s), largest(&l->low->spectrum));
    found->omega = frequency_of(l);
    found->kind = found->omega == 0.0 ? AM_THRESHOLD_DIVERGENCE : AM_THRESHOLD_FLUTTER;
    found->growth = growth;
    found->bracket = fabs(z->x1 - z->x2);
    found->uncertainty = found->bracket;
    if (l->what == FOLLOW_REAL && steep > 0.0)
        found->uncertainty = fmax(found->bracket, s->uncertainty[l->crossing] / steep);
    /* At a branch point rounding moves the eigenvalue by its square root; beyond that the followed one has jumped. */
    if (!(fabs(growth) <= 1e-5 * size))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "no eigenvalue passes the axis at %s = %.17g although stability changes there (growth rate %g)",
                       l->search->options->parameter, found->critical, growth);
    return AM_OK;
}

/* An end that is stable within rounding only is moved back until it is stable, but not past the beginning of the
 * search: what lies there was not asked for, and may not exist. */
static am_status step_back(locating *l, zero *z, am_error *err) {
    double stride = z->x2 - z->x1, f;
    bool beyond;
    for (int step = 0; step < 8 && z->f2 > 0.0; step++) {
        if (fabs(l->search->width) > 0.0 && (z->x2 + stride - l->search->options->from) * l->search->width < 0.0)
            break;
        AM_TRY(value_at(l, z->x2 + stride, &f, &beyond, err));
        if (beyond)
            break;
        z->x2 += stride;
        z->f2 = f;
        stride *= 2.0;
    }
    z->f2 = fmin(z->f2, 0.0);
    return AM_OK;
}

static am_status locate_crossing(locating *l, const am_threshold_sample *high, am_threshold *found, am_error *err) {
    zero z = {.x1 = high->parameter, .f1 = follow(l, high), .x2 = l->low->parameter, .f2 = follow(l, l->low)};
    double steep = fabs((z.f1 - z.f2) / (z.x1 - z.x2)), value, best = z.x1;
    bool beyond;
    if (!(z.f1 > 0.0) || !isfinite(z.f2))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the eigenvalue that crosses the axis between %s = %g and %g was not found",
                       l->search->options->parameter, z.x2, z.x1);
    AM_TRY(step_back(l, &z, err));
    AM_TRY(find_zero(l, &z, &best, err));
    if (l->last.parameter != best)
        AM_TRY(value_at(l, best, &value, &beyond, err));
    found->critical = best;
    return describe(l, &z, steep, found, err);
}

/* delta_0 as a smooth function of the parameter; where it is not to be had, bisection finds the value as well. */
static am_status locate_painleve(locating *l, const am_threshold_sample *high, am_threshold *found, am_error *err) {
    zero z = {.x1 = high->parameter, .f1 = -high->spectrum.closing};
    z.x2 = l->low->parameter;
    z.f2 = -l->low->spectrum.closing;
    if (!(z.f1 >= 0.0 && z.f2 < 0.0))
        return locate_end(l, high, found, err);
    am_threshold_sample before = {.parameter = 0.0};
    am_status status = AM_OK;
    found->critical = z.x1;
    if (z.f1 > 0.0)
        status = find_zero(l, &z, &found->critical, err);
    if (status != AM_OK)
        return status;
    /* Has an eigenvalue crossed on the way? */
    status = am_threshold_sample_take(l->search, found->critical + 1e-3 * (l->low->parameter - found->critical),
                                      &before, err);
    bool crossed = status == AM_OK && before.state == AM_THRESHOLD_SAMPLE_UNSTABLE;
    if (crossed)
        status = am_threshold_locate(l->search, l->low, &before, found, err);
    am_threshold_sample_clear(&before);
    if (crossed || (status != AM_OK && status != AM_ERR_EVIDENCE))
        return status;
    found->kind = AM_THRESHOLD_PAINLEVE;
    found->growth = l->low->spectrum.count > 0 ? l->low->spectrum.real[l->low->worst] : 0.0;
    found->bracket = found->uncertainty = z.f1 == 0.0 ? 0.0 : fabs(z.x1 - z.x2);
    return AM_OK;
}

am_status am_threshold_locate(am_threshold_search *search, const am_threshold_sample *low,
                              const am_threshold_sample *high, am_threshold *found, am_error *err) {
    AM_LOCAL(locating_close) locating l = {0};
    AM_TRY(locating_open(&l, search, low, high, err));
    return high->state == AM_THRESHOLD_SAMPLE_UNSTABLE   ? locate_crossing(&l, high, found, err)
           : high->state == AM_THRESHOLD_SAMPLE_PAINLEVE ? locate_painleve(&l, high, found, err)
                                                         : locate_end(&l, high, found, err);
}
