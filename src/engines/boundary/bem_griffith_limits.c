/* What a growing Q does, from the loads Q(c) of all stick zones c: it slips from the widest zone on that bears it. */
#include <math.h>

#include "base/try.h"
#include "engines/boundary/bem_griffith_internal.h"
#include "math/pi.h"
#include "math/root.h"

enum { SAMPLES = AM_BEM_GRIFFITH_SAMPLES, HALVINGS = 20, TRIES = 16, PARABOLAS = 5 };

/* Loads over the ratio of the stick zone to the contact, which increases; the last one is the widest there is. */
typedef struct curve {
    am_bem_griffith *g;
    const double *ratio, *Q;
    double target;
    am_status status;
    am_error *err;
} curve;

/* For the search of zeros, which takes its context as constant. */
typedef struct handle {
    curve *c;
} handle;

static double load_at(curve *c, double ratio) {
    am_bem_front front = {0};
    if (c->status == AM_OK)
        c->status = am_bem_griffith_at(c->g, ratio, &front, c->err);
    return c->status == AM_OK && front.exists ? front.Q : NAN;
}

static double excess_at(const void *context, double ratio) {
    curve *c = ((const handle *)context)->c;
    return load_at(c, ratio) - c->target;
}

/* From a ratio with an equilibrium towards one without. */
static double find_last(curve *c, double some, double none) {
    if (!isnan(load_at(c, none)))
        return none;
    for (int i = 0; i < HALVINGS && c->status == AM_OK; i++) {
        double middle = 0.5 * (some + none);
        *(isnan(load_at(c, middle)) ? &none : &some) = middle;
    }
    return some;
}

/* The ratios between which there is an equilibrium: a punch may have lifted off before it slips, or tip over before
 * slip comes near its end. */
static void find_range(curve *c, double *low, double *high) {
    double least = am_bem_griffith_least(c->g), most = am_bem_griffith_most(c->g), some = most;
    for (int i = 0; i < TRIES && c->status == AM_OK && isnan(load_at(c, some)); i++)
        some = least + (most - least) * (double)(TRIES - 1 - i) / TRIES;
    *low = find_last(c, some, least);
    *high = find_last(c, some, most);
}

static am_status sample(curve *c) {
    am_bem_griffith *g = c->g;
    double low, high;
    find_range(c, &low, &high);
    for (int i = 0; i <= SAMPLES && c->status == AM_OK; i++) {
        g->ratio[i] = i == SAMPLES ? high : low + (high - low) * 0.5 * (1.0 - cos(pi * i / SAMPLES));
        g->Q[i] = load_at(c, g->ratio[i]);
        if (c->status == AM_OK && isnan(g->Q[i]))
            c->status = am_fail(c->err, AM_ERR_NO_STATE,
                                "the punch tips over, or stands on a few nodes, before so much energy is set free");
    }
    return c->status;
}

/* The highest peak between the ends, 0 when Q grows all the way to the smallest zone, SAMPLES when there is none. */
static int find_peak(const curve *c) {
    int best = -1;
    for (int i = 0; i < SAMPLES; i++)
        if ((i == 0 || c->Q[i] >= c->Q[i - 1]) && c->Q[i] > c->Q[i + 1] && (best < 0 || c->Q[i] > c->Q[best]))
            best = i;
    return best < 0 ? SAMPLES : best;
}

/* The top (or the bottom) near the i-th sample, by parabolas through three places that come closer. */
static double find_extreme(curve *c, int i, double *Q) {
    double x = c->ratio[i], step = 0.5 * (c->ratio[i + 1] - c->ratio[i - 1]);
    double low = c->ratio[i - 1], high = c->ratio[i + 1];
    for (int pass = 0; pass < PARABOLAS && c->status == AM_OK; pass++, step *= 0.3) {
        x = fmin(fmax(x, low + step), high - step);
        double left = load_at(c, x - step), middle = load_at(c, x), right = load_at(c, x + step);
        double bend = left - 2.0 * middle + right, move = 0.5 * (left - right) / bend;
        if (fabs(move) < 1.0)
            x += step * move;
    }
    *Q = load_at(c, x);
    return x;
}

/* Ratios in the place of half-widths. */
static am_griffith_limits limits_of(curve *c) {
    bool closed = am_bem_griffith_most(c->g) < 1.0;
    int peak = find_peak(c), foot = peak;
    am_griffith_limits l = {.onset = closed ? INFINITY : c->Q[SAMPLES]};
    l.slides_at_once = peak == SAMPLES;
    if (l.slides_at_once) {
        l.critical = l.widest = c->ratio[SAMPLES];
        l.maximum = l.least = l.largest = l.onset;
        return l;
    }
    while (foot < SAMPLES && c->Q[foot + 1] < c->Q[foot])
        foot++;
    l.critical = c->g->toughness > 0.0 ? NAN : 0.0; /* a smaller zone than the nodes show */
    l.maximum = fmax(c->Q[0], am_bem_griffith_slipping(c->g));
    if (peak > 0)
        l.critical = find_extreme(c, peak, &l.maximum);
    l.widest = c->ratio[SAMPLES];
    l.least = c->Q[SAMPLES];
    if (foot < SAMPLES)
        l.widest = find_extreme(c, foot, &l.least);
    l.jumps = foot < SAMPLES;
    l.slides_at_once = l.jumps && l.onset >= l.maximum;
    l.largest = fmax(l.onset, l.maximum);
    return l;
}

/* Once for all loads. */
static curve known_curve(am_bem_griffith *g, am_error *err) {
    curve c = {.g = g, .ratio = g->ratio, .Q = g->Q, .err = err};
    if (!g->sampled && sample(&c) == AM_OK)
        g->limits = limits_of(&c);
    g->sampled = c.status == AM_OK;
    return c;
}

am_status am_bem_griffith_limits(am_bem_griffith *g, am_griffith_limits *limits, am_error *err) {
    curve c = known_curve(g, err);
    *limits = g->limits;
    return c.status;
}

/* The first zone that bears the target, as the zone shrinks. */
static double find_stick(curve *c, const am_griffith_limits *l) {
    handle h = {c};
    double wide = c->ratio[SAMPLES];
    for (int i = SAMPLES - 1; i >= 0; i--) {
        if (c->Q[i] >= c->target)
            return am_root_between(excess_at, &h, c->ratio[i], wide);
        wide = c->ratio[i];
        if (l->critical >= c->ratio[i] && l->critical < c->ratio[i + 1] && l->maximum >= c->target)
            return am_root_between(excess_at, &h, l->critical, c->ratio[i + 1]);
    }
    return NAN;
}

am_status am_bem_griffith_load(am_bem_griffith *g, double Q, am_bem_front *front, am_error *err) {
    curve c = known_curve(g, err);
    am_griffith_limits l = g->limits;
    AM_TRY(c.status);
    if (Q > l.largest)
        return am_fail_field(err, AM_ERR_NO_STATE, "Q",
                             "Q exceeds what the stick zone can hold: the contact slides as a whole; the largest load "
                             "is %g",
                             l.largest);
    if (Q <= l.onset) {
        AM_TRY(am_bem_griffith_stuck(g, Q, front, err));
        return am_bem_griffith_hold(g, front, err);
    }
    c.target = Q;
    double ratio = find_stick(&c, &l);
    AM_TRY(c.status);
    if (isnan(ratio))
        return am_fail(err, AM_ERR_EVIDENCE, "under Q = %g the stick zone has only a few nodes: take more nodes", Q);
    AM_TRY(am_bem_griffith_at(g, ratio, front, err));
    front->Q = Q;
    return am_bem_griffith_hold(g, front, err);
}
