#include "analyses/squeal/eigenvalue_disc.h"

#include <math.h>
#include <stdlib.h>

#include "analyses/stability/mode_order.h"
#include "base/local.h"
#include "math/dense.h"
#include "math/pi.h"

enum { MOST_NODES = 400, MOST_MULLER = 30, MOST_STARTS = 24 };

/* Between neighbours on the circle ln g may change by so much. */
static const double most_turn = 0.5, most_stretch = 1.0;

/* The circle passes through the widest gap between frequencies from this part of the highest mode on. */
static const double least_radius = 0.6;

/* Eigenvalues of the modes outside of the circle by less than this part of the gap may belong inside. */
static const double margin = 0.4;

/* Of the highest frequency: eigenvalues of directions that nothing holds, which rounding moves by its root. */
static const double nothing = 1e-5;

/* Decays closer than this (relative) are not told apart; and how wide a circle about such is at least. */
static const double alike = 0.02, around = 0.03;

/* Closer than this (relative), two eigenvalues may be one. */
static const double same = 1e-7;

/* ---- the list ---- */

void am_squeal_disc_clear(am_squeal_disc *disc) {
    am_memory_free(disc->pair);
    *disc = (am_squeal_disc){0};
}

static am_status add(am_squeal_disc *d, const am_squeal_pair *pair, am_error *err) {
    AM_TRY(am_memory_reserve(&d->pair, &d->capacity, d->count + 1, err));
    d->pair[d->count] = *pair;
    double complex *s = &d->pair[d->count++].s;
    if (fabs(cimag(*s)) <= 1e-10 * cabs(*s)) /* real ones have no partner */
        *s = creal(*s);
    if (cimag(*s) < 0.0)
        *s = conj(*s);
    return AM_OK;
}

/* An eigenvalue and its conjugate, or a real one. */
static int weight(double complex s) {
    return cimag(s) == 0.0 ? 1 : 2;
}

static size_t largest_coordinate(const am_squeal_problem *p) {
    size_t best = 0;
    for (size_t i = 1; i < p->full->n; i++)
        if (cabs(p->work->v[i]) > (1.0 + AM_SHAPE_TIE) * cabs(p->work->v[best]))
            best = i;
    return best;
}

/* ---- the circle ---- */

/* The widest gap between the frequencies of the real modes and the sizes of the eigenvalues; *gap: relative. */
static am_status choose_radius(const am_squeal_projected *q, const double complex *s, size_t count, double *radius,
                               double *gap, am_error *err) {
    double highest = sqrt(fmax(q->omega2[q->p - 1], 0.0)), top = isinf(q->next2) ? 1.5 * highest : sqrt(q->next2);
    AM_LOCAL_MEMORY double *sizes = am_memory_new(count + q->p + 2, sizeof *sizes, err);
    size_t used = 0;
    if (!sizes)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count + q->p; i++) {
        double size = i < count ? cabs(s[i]) : sqrt(fmax(q->omega2[i - count], 0.0));
        if (size >= least_radius * highest && size < top)
            sizes[used++] = size;
    }
    sizes[used++] = top;
    sizes[used++] = least_radius * highest;
    am_dense_sort(sizes, used);
    *gap = 0.0;
    for (size_t i = 0; i + 1 < used; i++)
        if (sizes[i + 1] - sizes[i] > *gap * sizes[i]) {
            *gap = (sizes[i + 1] - sizes[i]) / sizes[i];
            *radius = sqrt(sizes[i] * sizes[i + 1]);
        }
    return AM_OK;
}

/* ---- what is counted only ---- */

bool am_squeal_disc_is_in_cluster(const am_squeal_disc *d, double complex s) {
    for (size_t i = 0; i < d->clusters; i++)
        if (cabs(s - d->cluster[i].center) < d->cluster[i].radius)
            return true;
    return false;
}

/* Sizes below `nothing` of the highest frequency are zero; the circle lies between them and the others. */
static void choose_core(am_squeal_disc *d, const am_squeal_projected *q, const double complex *s, size_t count) {
    double highest = sqrt(fmax(q->omega2[q->p - 1], 0.0)), below = 0.0, above = d->radius;
    bool any = false;
    for (size_t i = 0; i < count + q->p; i++) {
        double size = i < count ? cabs(s[i]) : sqrt(fmax(q->omega2[i - count], 0.0));
        any = any || size < nothing * highest;
        below = size < nothing * highest ? fmax(below, size) : below;
        above = size < nothing * highest ? above : fmin(above, size);
    }
    if (any)
        d->cluster[d->clusters++] = (am_squeal_cluster){.radius = sqrt(fmax(below, 1e-2 * nothing * highest) * above)};
}

/* Eigenvalues of the modes that nearly coincide left of the axis, s[first] to s[last - 1] by size; where a circle about
 * them keeps clear of the others, of the axis and of the edge, they are a cluster. */
static void add_cluster(am_squeal_disc *d, const double complex *s, size_t count, size_t first, size_t last) {
    double most = -INFINITY, least = INFINITY, high = 0.0;
    for (size_t i = first; i < last; i++) {
        most = fmax(most, creal(s[i])), least = fmin(least, creal(s[i]));
        high = fmax(high, cimag(s[i]));
    }
    double center = 0.5 * (most + least), radius = 1.5 * hypot(0.5 * (most - least), high) - around * center;
    bool clear = radius < 0.5 * fabs(center) && fabs(center) + radius < d->radius && d->clusters < AM_SQUEAL_CLUSTERS;
    for (size_t i = 0; i < count; i++)
        clear = clear && ((i >= first && i < last) || cabs(s[i] - center) > 1.2 * radius);
    if (clear)
        d->cluster[d->clusters++] = (am_squeal_cluster){.center = center, .radius = radius};
}

static int by_real_part(const void *left, const void *right) {
    double a = creal(*(const double complex *)left), b = creal(*(const double complex *)right);
    return (a > b) - (a < b);
}

/* Nearly real ones first, each near the next. */
static am_status choose_clusters(am_squeal_disc *d, const double complex *all, size_t count, am_error *err) {
    AM_LOCAL_MEMORY double complex *s = am_memory_new(count, sizeof *s, err);
    size_t real = 0, others = count;
    if (!s)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        bool decays = creal(all[i]) < 0.0 && cimag(all[i]) <= -0.1 * creal(all[i]);
        s[decays ? real++ : --others] = all[i];
    }
    if (real > 0)
        qsort(s, real, sizeof *s, by_real_part);
    for (size_t first = 0, last; first < real; first = last) {
        for (last = first + 1; last < real && cabs(s[last] - s[last - 1]) <= alike * cabs(s[last]); last++)
            ;
        if (last > first + 1)
            add_cluster(d, s, count, first, last);
    }
    return AM_OK;
}

typedef struct node {
    double angle;
    double complex known, reference; /* ln f over the known zeros; ln f0 over its own */
} node;

typedef struct circle {
    const am_squeal_problem *problem;
    const am_squeal_disc *disc;
    double center, radius;
    node *nodes; /* ascending angle, from 0 to pi */
    size_t count;
    double slope, bend; /* exp(slope s + bend s^2) has no zeros; divided out, it leaves less to follow */
} circle;

static am_status log_remainder(const am_squeal_problem *p, const am_squeal_disc *d, double complex s,
                               double complex *known, am_error *err) {
    AM_TRY(am_squeal_full_log_determinant(p->full, s, d->mu, false, known, err));
    for (size_t i = 0; i < d->clusters; i++)
        *known -= d->cluster[i].count * clog(s - d->cluster[i].center);
    for (size_t j = 0; j < d->count; j++) {
        *known -= clog(s - d->pair[j].s);
        if (cimag(d->pair[j].s) != 0.0)
            *known -= clog(s - conj(d->pair[j].s));
    }
    if (!am_progress_report(p->progress, p->done))
        return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    return AM_OK;
}

static am_status log_reference(const am_squeal_problem *p, double radius, double complex s, double complex *reference,
                               am_error *err) {
    const am_squeal_projected *q = p->projected;
    AM_TRY(am_squeal_full_log_determinant(p->full, s, 0.0, true, reference, err));
    for (size_t j = 0; j < q->p; j++)
        if (q->omega2[j] < radius * radius)
            *reference -= clog(s * s + q->omega2[j]);
    return AM_OK;
}

static am_status take_node(circle *c, double angle, am_error *err) {
    if (c->count == MOST_NODES)
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the eigenvalues at the friction %g could not be counted: the determinant turns too fast on the "
                       "circle of radius %g",
                       c->disc->mu, c->radius);
    double complex s = c->center + c->radius * cexp(angle * I);
    node new = {.angle = angle};
    bool mirrored = false;
    for (size_t i = 0; i < c->count && c->center == 0.0; i++) /* f0 depends on s^2: at pi - angle it is the conjugate */
        if (fabs(c->nodes[i].angle - (pi - angle)) < 1e-12) {
            new.reference = conj(c->nodes[i].reference);
            mirrored = true;
        }
    AM_TRY(log_remainder(c->problem, c->disc, s, &new.known, err));
    if (!mirrored)
        AM_TRY(log_reference(c->problem, c->center == 0.0 ? c->radius : 0.0, s, &new.reference, err));
    size_t at = c->count++;
    for (; at > 0 && c->nodes[at - 1].angle > angle; at--)
        c->nodes[at] = c->nodes[at - 1];
    c->nodes[at] = new;
    return AM_OK;
}

static double complex value_of(const circle *c, size_t i) {
    double complex s = c->radius * cexp(c->nodes[i].angle * I);
    return c->nodes[i].known - c->nodes[i].reference - c->slope * s - c->bend * s * s;
}

/* Damping of many modes beyond the circle makes g grow like (1 + beta s)^n. From g at R, iR and -R. */
static void take_out_growth(circle *c) {
    double right = creal(value_of(c, 0)), up = creal(value_of(c, 1)), left = creal(value_of(c, 2));
    c->slope = 0.5 * (right - left) / c->radius;
    c->bend = 0.25 * (right + left - 2.0 * up) / (c->radius * c->radius);
}

/* The change of ln g from one node to the next, its imaginary part the smallest possible. */
static double complex change(const circle *c, size_t i) {
    double complex by = value_of(c, i + 1) - value_of(c, i);
    return creal(by) + remainder(cimag(by), 2.0 * pi) * I;
}

/* Dense near the imaginary axis, where eigenvalues are, down to the width of the gap; then halved where g changes
 * fast. */
static am_status sample_circle(circle *c, double gap, am_error *err) {
    AM_TRY(take_node(c, 0.0, err));
    AM_TRY(take_node(c, pi, err));
    AM_TRY(take_node(c, 0.5 * pi, err));
    take_out_growth(c);
    for (double offset = 0.25 * gap; offset < 0.4 * pi; offset *= 2.0)
        for (int side = -1; side <= 1; side += 2)
            AM_TRY(take_node(c, 0.5 * pi + side * offset, err));
    for (size_t i = 0; i + 1 < c->count;) {
        double complex by = change(c, i);
        if (fabs(cimag(by)) <= most_turn && fabs(creal(by)) <= most_stretch)
            i++;
        else
            AM_TRY(take_node(c, 0.5 * (c->nodes[i].angle + c->nodes[i + 1].angle), err));
    }
    return AM_OK;
}

/* ---- what is missing ---- */

static int winding(const circle *c) {
    double turned = 0.0;
    for (size_t i = 0; i + 1 < c->count; i++)
        turned += cimag(change(c, i));
    return (int)lround(turned / pi); /* g is real at both ends */
}

/* Sums of the missing eigenvalues' powers, (1/pi) Im of the integral of s^k d(ln g) along the upper half. */
static double power_sum(const circle *c, int k) {
    double complex sum = 0.0;
    for (size_t i = 0; i + 1 < c->count; i++) {
        double middle = 0.5 * (c->nodes[i].angle + c->nodes[i + 1].angle);
        sum += cpow(c->radius * cexp(middle * I), k) * change(c, i);
    }
    return cimag(sum) / pi;
}

/* Where to begin looking for one: where the sums say, while one eigenvalue or pair is missing; elsewhere spread over
 * the disc. */
static double complex start_of(const circle *c, int missing, int attempt) {
    if (attempt == 0 && missing == 1)
        return power_sum(c, 1);
    if (attempt == 0 && missing == 2) {
        double p1 = power_sum(c, 1), p2 = power_sum(c, 2);
        return 0.5 * p1 + csqrt(0.25 * p1 * p1 - 0.5 * (p1 * p1 - p2));
    }
    double part = (double)(attempt % 8 + 1) / 9.0; /* along the axis, then to either side of it */
    return c->radius * part * cexp((attempt < 8 ? 0.5 : attempt < 16 ? 0.2 : 0.8) * pi * I);
}

static am_status deflated(const circle *c, double complex s, double complex *value, am_error *err) {
    double complex reference = 0.0;
    AM_TRY(log_remainder(c->problem, c->disc, s, value, err));
    AM_TRY(log_reference(c->problem, c->radius, s, &reference, err));
    *value -= reference;
    return AM_OK;
}

/* Muller's method for a zero of g: it knows nothing of the zeros that are divided out. */
static am_status muller(const circle *c, double complex start, double complex *zero, bool *found, am_error *err) {
    double complex x[3], f[3], first = 0.0;
    *found = false;
    for (int i = 0; i < 3; i++) {
        x[i] = start * (1.0 + 0.01 * (double)(i - 1) * (1.0 + 0.5 * I)) + 1e-6 * c->radius;
        AM_TRY(deflated(c, x[i], &f[i], err));
        first = i == 0 ? f[0] : first;
        f[i] = cexp(f[i] - first);
    }
    for (int step = 0; step < MOST_MULLER; step++) {
        double complex q = (x[2] - x[1]) / (x[1] - x[0]), a = q * f[2] - q * (1.0 + q) * f[1] + q * q * f[0];
        double complex b = (2.0 * q + 1.0) * f[2] - (1.0 + q) * (1.0 + q) * f[1] + q * q * f[0], e = (1.0 + q) * f[2];
        double complex root = csqrt(b * b - 4.0 * a * e);
        double complex below = cabs(b + root) > cabs(b - root) ? b + root : b - root;
        double complex next = x[2] - (x[2] - x[1]) * 2.0 * e / below;
        if (!isfinite(creal(next)) || !isfinite(cimag(next)) || cabs(next) > 2.0 * c->radius)
            return AM_OK;
        double moved = cabs(next - x[2]);
        x[0] = x[1], x[1] = x[2], x[2] = next;
        f[0] = f[1], f[1] = f[2];
        *zero = next;
        *found = moved <= 1e-9 * cabs(next) && cabs(next) < c->radius && !am_squeal_disc_is_in_cluster(c->disc, next);
        if (moved <= 1e-9 * cabs(next))
            return AM_OK;
        AM_TRY(deflated(c, next, &f[2], err));
        f[2] = cexp(f[2] - first);
    }
    return AM_OK;
}

/* The vector, and the eigenvalue to rounding. Where it is one of two that are equal, the first one's does. */
static am_status polish(const am_squeal_problem *p, am_squeal_disc *d, double complex s, am_error *err) {
    am_squeal_pair pair;
    AM_TRY(am_squeal_inverse_iteration(p->full, p->work, d->mu, s, err));
    AM_TRY(am_squeal_refine(p->full, p->work, d->mu, s, true, &pair, err));
    if (!pair.confirmed || cabs(pair.s - s) > 1e-4 * cabs(s))
        pair = (am_squeal_pair){.mu = d->mu, .s = s, .residual = NAN, .confirmed = true};
    pair.projected = NAN;
    pair.largest = largest_coordinate(p);
    return add(d, &pair, err);
}

static am_status find_missing(circle *c, am_squeal_disc *d, am_error *err) {
    for (int attempt = 0; attempt < MOST_STARTS && d->missing > 0; attempt++) {
        double complex zero = 0.0;
        bool found = false;
        AM_TRY(muller(c, start_of(c, d->missing, attempt), &zero, &found, err));
        if (!found)
            continue;
        AM_TRY(polish(c->problem, d, zero, err));
        d->missing -= weight(d->pair[d->count - 1].s);
    }
    return AM_OK;
}

/* ---- all of it ---- */

/* Is it in the list already? */
static bool is_known(const am_squeal_disc *d, double complex s) {
    for (size_t j = 0; j < d->count; j++)
        if (cabs(d->pair[j].s - s) <= same * cabs(s))
            return true;
    return false;
}

/* Every eigenvalue of the modes made exact on the full problem. Where two become one, factors of its own may separate
 * them; one that stays is not counted twice: if the structure does have it twice, one is missing. */
static am_status take_from_modes(am_squeal_disc *d, const am_squeal_problem *p, const double complex *s, size_t count,
                                 double gap, am_error *err) {
    double outermost = (1.0 + margin * fmin(gap, 0.1)) * d->radius;
    for (size_t i = 0; i < count; i++) {
        am_squeal_pair pair;
        if (!(cabs(s[i]) < outermost) || am_squeal_disc_is_in_cluster(d, s[i]))
            continue;
        AM_TRY(am_squeal_confirm(p->full, p->projected, p->work, d->mu, s[i], false, &pair, err));
        if (pair.confirmed && is_known(d, pair.s))
            AM_TRY(am_squeal_confirm(p->full, p->projected, p->work, d->mu, s[i], true, &pair, err));
        if (pair.confirmed && !is_known(d, pair.s) && cabs(pair.s) < d->radius &&
            !am_squeal_disc_is_in_cluster(d, pair.s)) {
            pair.largest = largest_coordinate(p);
            AM_TRY(add(d, &pair, err));
        }
        if (!am_progress_report(p->progress, p->done))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    return AM_OK;
}

/* Divided out, those that the modes have in a cluster leave little to follow; what is left are the others. */
static am_status count_clusters(am_squeal_disc *d, const am_squeal_problem *p, const double complex *s, size_t count,
                                node *nodes, am_error *err) {
    for (size_t k = 0; k < d->clusters; k++) {
        am_squeal_cluster *own = &d->cluster[k];
        circle c = {.problem = p, .disc = d, .center = own->center, .radius = own->radius, .nodes = nodes};
        for (size_t i = 0; i < count && own->center != 0.0; i++)
            own->count += cabs(s[i] - own->center) < own->radius ? weight(s[i]) : 0;
        AM_TRY(sample_circle(&c, 0.5, err));
        own->count += winding(&c);
    }
    return AM_OK;
}

static am_status find(am_squeal_disc *disc, const am_squeal_problem *problem, double mu, am_error *err) {
    size_t count = 0;
    double gap = 0.0;
    AM_LOCAL_ARENA memory = {0};
    double complex *s = am_arena_new(&memory, problem->projected->most, sizeof *s, err);
    node *nodes = am_arena_new(&memory, MOST_NODES, sizeof *nodes, err);
    AM_TRY(am_arena_status(&memory));
    AM_TRY(am_squeal_projected_eigenvalues(problem->projected, mu, s, &count, err));
    AM_TRY(choose_radius(problem->projected, s, count, &disc->radius, &gap, err));
    choose_core(disc, problem->projected, s, count);
    AM_TRY(choose_clusters(disc, s, count, err));
    AM_TRY(count_clusters(disc, problem, s, count, nodes, err));
    AM_TRY(take_from_modes(disc, problem, s, count, gap, err));
    circle c = {.problem = problem, .disc = disc, .radius = disc->radius, .nodes = nodes};
    AM_TRY(sample_circle(&c, gap, err));
    disc->missing = winding(&c);
    return find_missing(&c, disc, err);
}

am_status am_squeal_disc_find(am_squeal_disc *disc, const am_squeal_problem *problem, double mu, am_error *err) {
    *disc = (am_squeal_disc){.mu = mu};
    am_status status = find(disc, problem, mu, err);
    if (status)
        am_squeal_disc_clear(disc);
    return status;
}
