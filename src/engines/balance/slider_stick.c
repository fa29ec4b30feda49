/* A slider with two tangents that never slips: e = c + u(theta), u the displacement, with any c for which the stretch stays
 * within the circle at all times, |c + u| <= a = mu N/k. Such c form a convex set, the intersection of the discs around -u
 * with the radii a. The past decides among them: the one nearest to c0 is taken, which leaves the spring as it was before
 * the motion (or relaxed in the mean), as with one tangent.
 *
 * Discs are added one by one where the present c leaves the circle most, until it does not; the nearest point of their
 * intersection lies inside all, on one, or where two meet. Derivatives follow from what holds there: with n = c + u and
 * G = (|n|^2 - a^2)/2 as a function of theta, G = G' = 0 on each disc, and c - c0 along n where there is one. */
#include <math.h>
#include <string.h>

#include "engines/balance/slider_internal.h"
#include "math/lu.h"
#include "math/pi.h"

enum { MOST_DISCS = 40, SAMPLES = 32 };

typedef am_slider_walk walk;
typedef am_slider_point point;

typedef struct disc {
    double theta, x[2], a; /* centre and radius */
} disc;

typedef struct search {
    const walk *k;
    double from[2], c[2], size; /* c0; the present c; what lengths are compared with */
    disc disc[MOST_DISCS];
    size_t count;
    size_t active, on[2]; /* discs that c lies on */
} search;

/* ---- where the circle is left most ---- */

static double radius(const walk *k, const point *p) {
    return k->c->static_friction * fmax(p->N, 0.0) / k->c->spring;
}

static double radius_rate(const walk *k, const point *p) { /* by theta */
    return k->c->static_friction * p->N_rate / (k->c->spring * k->c->omega);
}

static point read(const walk *k, double theta) {
    point p = {.theta = theta};
    am_slider_read(k, &p);
    return p;
}

static double excess(const search *s, const point *p) {
    return hypot(s->c[0] + p->u[0], s->c[1] + p->u[1]) - radius(s->k, p);
}

static double slope_of(const search *s, const point *p) { /* G' */
    return (s->c[0] + p->u[0]) * p->x_rate[0] + (s->c[1] + p->u[1]) * p->x_rate[1] -
           radius(s->k, p) * radius_rate(s->k, p);
}

/* Where the excess is greatest between two angles, G' falling from above zero to below. */
static point find_top(const search *s, double low, double high) {
    for (int i = 0; i < 50 && high - low > 1e-14; i++) {
        point p = read(s->k, 0.5 * (low + high));
        if (slope_of(s, &p) > 0.0)
            low = p.theta;
        else
            high = p.theta;
    }
    return read(s->k, 0.5 * (low + high));
}

/* The greatest excess over the period: among samples, then where G' vanishes next to it. */
static point find_worst(const search *s) {
    size_t count = SAMPLES * (s->k->e->H + 1), best = 0;
    double most = -INFINITY, step = two_pi / (double)count;
    for (size_t i = 0; i < count; i++) {
        point p = read(s->k, (double)i * step);
        double value = excess(s, &p);
        if (value > most)
            most = value, best = i;
    }
    return find_top(s, ((double)best - 1.0) * step, ((double)best + 1.0) * step);
}

/* ---- the nearest point of an intersection of discs ---- */

static bool is_inside(const search *s, const double *c) {
    for (size_t i = 0; i < s->count; i++)
        if (hypot(c[0] - s->disc[i].x[0], c[1] - s->disc[i].x[1]) > s->disc[i].a + 1e-13 * s->size)
            return false;
    return true;
}

static void consider(search *s, const double *c, size_t active, size_t first, size_t second, double *nearest) {
    double distance = hypot(c[0] - s->from[0], c[1] - s->from[1]);
    if (distance >= *nearest || !is_inside(s, c))
        return;
    *nearest = distance;
    memcpy(s->c, c, sizeof s->c);
    s->active = active;
    s->on[0] = first;
    s->on[1] = second;
}

/* One of the two points where two circles meet. False: they do not. */
static bool meet(const disc *a, const disc *b, double side, double *c) {
    double x = b->x[0] - a->x[0], y = b->x[1] - a->x[1], d = hypot(x, y);
    double along = 0.5 * (d + (a->a * a->a - b->a * b->a) / d), square = a->a * a->a - along * along;
    if (!(d > 0.0) || !(square >= 0.0))
        return false;
    double across = side * sqrt(square);
    c[0] = a->x[0] + (along * x - across * y) / d;
    c[1] = a->x[1] + (along * y + across * x) / d;
    return true;
}

static void consider_meetings(search *s, size_t i, size_t j, double *nearest) {
    double c[2];
    for (int side = -1; side <= 1; side += 2)
        if (meet(&s->disc[i], &s->disc[j], (double)side, c))
            consider(s, c, 2, i, j, nearest);
}

/* False: the discs have no point in common. */
static bool find_nearest(search *s) {
    double nearest = INFINITY;
    consider(s, s->from, 0, 0, 0, &nearest);
    for (size_t i = 0; i < s->count; i++) {
        const disc *a = &s->disc[i];
        double x = s->from[0] - a->x[0], y = s->from[1] - a->x[1], d = hypot(x, y);
        const double c[2] = {a->x[0] + a->a * x / d, a->x[1] + a->a * y / d};
        if (d > 0.0)
            consider(s, c, 1, i, i, &nearest);
        for (size_t j = 0; j < i; j++)
            consider_meetings(s, i, j, &nearest);
    }
    return isfinite(nearest);
}

static disc disc_at(const search *s, const point *p) {
    return (disc){p->theta, {-p->u[0], -p->u[1]}, radius(s->k, p)};
}

static bool find_stuck(search *s) {
    for (size_t round = 0; round <= MOST_DISCS; round++) {
        point worst = find_worst(s);
        if (excess(s, &worst) <= 1e-13 * s->size)
            return true;
        if (s->count == MOST_DISCS)
            return false;
        s->disc[s->count++] = disc_at(s, &worst);
        if (!find_nearest(s))
            return false;
    }
    return false;
}

/* ---- derivatives ---- */

/* Of c0, of u, of u' and of a by a column. */
static double past(const walk *k, size_t i, size_t l) {
    return !k->c->relaxed && l == (i == 0 ? 0 : k->at_second) ? -1.0 : 0.0;
}

static double shift_rate(const walk *k, size_t i, size_t l) {
    size_t first = i == 0 ? 0 : k->at_second;
    return l >= first && l < first + k->e->S ? k->e->slope[l - first] : 0.0;
}

static double longer(const walk *k, const point *p, size_t l) {
    return k->c->static_friction * am_slider_pressure(k, p, l) / k->c->spring;
}

/* On no disc. */
static void change_of_past(const search *s, double *change[2]) {
    for (size_t i = 0; i < 2; i++)
        for (size_t l = 0; l < s->k->columns - 2; l++)
            change[i][l] = past(s->k, i, l);
}

/* On one disc, at its angle: G = 0, c - c0 along n and G' = 0, linear in dc and the angle's own change. */
typedef struct touch {
    point p;
    double n[2], d[2], a, rate; /* d = c - c0; radius, and its rate by theta */
    double matrix[9];
    int pivots[3];
    bool turns; /* else nothing moves, and any angle is as good */
} touch;

static const double beside = 1e-4; /* angle of differences */

/* False: c0 is the disc's middle. Row 0 of the basis is that of the angle afterwards. */
static bool linearise(const search *s, double theta, touch *t) {
    const walk *k = s->k;
    point before = read(k, theta - beside), after = read(k, theta + beside);
    *t = (touch){.p = read(k, theta), .turns = true};
    t->a = radius(k, &t->p);
    t->rate = radius_rate(k, &t->p);
    double curve = -t->rate * t->rate - t->a * (radius_rate(k, &after) - radius_rate(k, &before)) / (2.0 * beside);
    for (size_t i = 0; i < 2; i++) {
        double rate = t->p.x_rate[i];
        t->n[i] = s->c[i] + t->p.u[i];
        t->d[i] = s->c[i] - s->from[i];
        curve += rate * rate + t->n[i] * (after.x_rate[i] - before.x_rate[i]) / (2.0 * beside);
    }
    const double *n = t->n, *d = t->d, *v = t->p.x_rate;
    const double turning[9] = {n[0], n[1], 0.0, n[1] - d[1], d[0] - n[0], d[0] * v[1] - d[1] * v[0], v[0], v[1], curve};
    const double still[9] = {n[0], n[1], 0.0, n[1] - d[1], d[0] - n[0], 0.0, 0.0, 0.0, 1.0};
    memcpy(t->matrix, turning, sizeof turning);
    if (am_lu_factor(t->matrix, 3, t->pivots))
        return true;
    t->turns = false;
    memcpy(t->matrix, still, sizeof still);
    return am_lu_factor(t->matrix, 3, t->pivots);
}

/* Discs were taken where others had left c; the last one's own angle is found by Newton's method. */
static double polish(search *s, double theta) {
    const double kept[3] = {s->c[0], s->c[1], theta};
    touch t;
    for (int round = 0; round < 6; round++) {
        if (!linearise(s, theta, &t) || !t.turns)
            break;
        double step[3] = {0.5 * (t.a * t.a - t.n[0] * t.n[0] - t.n[1] * t.n[1]), t.d[1] * t.n[0] - t.d[0] * t.n[1],
                          t.a * t.rate - t.n[0] * t.p.x_rate[0] - t.n[1] * t.p.x_rate[1]};
        am_lu_solve(t.matrix, 3, t.pivots, 1, step);
        s->c[0] += step[0];
        s->c[1] += step[1];
        theta += step[2];
        if (fabs(step[2]) <= 1e-12)
            break;
    }
    point worst = find_worst(s);
    if (fabs(theta - kept[2]) < 1e-3 && excess(s, &worst) <= 1e-12 * s->size)
        return theta;
    memcpy(s->c, kept, sizeof s->c);
    return kept[2];
}

static void polish_two(search *s) {
    disc *both[2] = {&s->disc[s->on[0]], &s->disc[s->on[1]]};
    for (int round = 0; round < 3; round++) {
        double there[2][2] = {{INFINITY, INFINITY}, {INFINITY, INFINITY}}, away[2];
        for (size_t j = 0; j < 2; j++) {
            point top = find_top(s, both[j]->theta - 1e-3, both[j]->theta + 1e-3);
            *both[j] = disc_at(s, &top);
        }
        for (size_t j = 0; j < 2; j++) {
            meet(both[0], both[1], j ? 1.0 : -1.0, there[j]);
            away[j] = hypot(there[j][0] - s->c[0], there[j][1] - s->c[1]);
        }
        size_t nearer = away[1] < away[0];
        if (away[nearer] <= 1e-3 * s->size)
            memcpy(s->c, there[nearer], sizeof s->c);
    }
}

static void change_on_one(const search *s, double theta, double *change[2]) {
    const walk *k = s->k;
    size_t count = k->columns - 2;
    touch t;
    double *later = change[0]; /* a' by the columns first, in the place of dc */
    point p = read(k, theta - beside);
    for (size_t l = 0; l < count; l++)
        later[l] = -longer(k, &p, l) / (2.0 * beside);
    p = read(k, theta + beside);
    for (size_t l = 0; l < count; l++)
        later[l] += longer(k, &p, l) / (2.0 * beside);
    if (!linearise(s, theta, &t)) {
        change_of_past(s, change);
        return;
    }
    const double *n = t.n, *d = t.d, *v = t.p.x_rate;
    for (size_t l = 0; l < count; l++) {
        double u[2] = {am_slider_shift(k, 0, l), am_slider_shift(k, 1, l)}, more = longer(k, &t.p, l);
        double side[3] = {t.a * more - n[0] * u[0] - n[1] * u[1],
                          past(k, 0, l) * n[1] - past(k, 1, l) * n[0] - d[0] * u[1] + d[1] * u[0],
                          more * t.rate + t.a * later[l] - u[0] * v[0] - u[1] * v[1] - n[0] * shift_rate(k, 0, l) -
                              n[1] * shift_rate(k, 1, l)};
        side[2] = t.turns ? side[2] : 0.0;
        am_lu_solve(t.matrix, 3, t.pivots, 1, side);
        change[0][l] = side[0];
        change[1][l] = side[1];
    }
}

/* Where two discs meet: G = 0 on both. */
static void change_on_two(const search *s, double *change[2]) {
    const walk *k = s->k;
    double n[2][2];
    for (size_t j = 0; j < 2; j++) {
        point p = read(k, s->disc[s->on[j]].theta);
        double a = radius(k, &p);
        for (size_t i = 0; i < 2; i++)
            n[j][i] = s->c[i] + p.u[i];
        for (size_t l = 0; l < k->columns - 2; l++)
            change[j][l] =
                a * longer(k, &p, l) - n[j][0] * am_slider_shift(k, 0, l) - n[j][1] * am_slider_shift(k, 1, l);
    }
    double determinant = n[0][0] * n[1][1] - n[0][1] * n[1][0];
    for (size_t l = 0; l < k->columns - 2; l++) {
        double first = change[0][l], second = change[1][l];
        change[0][l] = (n[1][1] * first - n[0][1] * second) / determinant;
        change[1][l] = (n[0][0] * second - n[1][0] * first) / determinant;
    }
}

/* Two discs next to each other stand for the one between them. */
static bool lies_on_two(const search *s) {
    return s->active == 2 && fabs(remainder(s->disc[s->on[0]].theta - s->disc[s->on[1]].theta, two_pi)) > 1e-3;
}

/* ---- the whole ---- */

/* Does it never slip? Then c, and its derivatives if they are wanted, in change. */
bool am_slider_may_stick(const walk *k) {
    return k->tangents == 2 && !k->c->law && am_slider_rests(k);
}

bool am_slider_sticks(const walk *k, double *c, double *change[2]) {
    const am_element_contact *contact = k->c;
    search s = {.k = k};
    for (size_t i = 0; i < 2; i++) {
        const double *x = i == 0 ? contact->x : contact->second;
        s.from[i] = s.c[i] = contact->relaxed ? -contact->relaxed[i] : -x[0];
        for (size_t h = 0; h < k->e->S; h++)
            s.size += fabs(x[h]);
        s.size += fabs(s.from[i]);
    }
    if (!find_stuck(&s))
        return false;
    bool one = s.active > 0 && !lies_on_two(&s);
    double theta = one ? polish(&s, find_worst(&s).theta) : 0.0;
    if (s.active > 0 && !one)
        polish_two(&s);
    memcpy(c, s.c, sizeof s.c);
    if (!k->derive)
        return true;
    if (one)
        change_on_one(&s, theta, change);
    else if (s.active > 0)
        change_on_two(&s, change);
    else
        change_of_past(&s, change);
    return true;
}
