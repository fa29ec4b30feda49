/* Equilibria by their stick zones: which end gives way, and under which load. */
#include <math.h>

#include "base/try.h"
#include "engines/boundary/bem_griffith_internal.h"
#include "math/root.h"

enum { LEAST_NODES = 4, MOST_SECANTS = 12, MOST_HALVINGS = 30 };

double am_bem_griffith_slipping(const am_bem_griffith *g) {
    return g->bem->friction.kinetic * g->load.P;
}

static double place_low(const am_bem *bem, double low) {
    return bem->x[0] + bem->h * (low - am_bem_end);
}

static double place_high(const am_bem *bem, double high) {
    return bem->x[0] + bem->h * (high + am_bem_end);
}

/* While all of a contact without corners sticks, f p plays no part: q is g times the solution for a unit of shift. That
 * f p vanishes at the ends the nodes of a steep profile see but roughly. */
static void leave_friction_out(const am_bem_griffith *g, am_bem_ends *e) {
    if (g->bem->ends)
        return;
    e->known = -am_bem_griffith_slipping(g);
    e->K0[0] = e->K0[1] = 0.0;
}

/* Q at which an end reaches the toughness. */
static double critical_load(const am_bem_griffith *g, const am_bem_ends *e, int side) {
    return am_bem_griffith_slipping(g) + e->known + e->unit * (g->toughness - e->K0[side]) / e->K1[side];
}

static double intensity(const am_bem_griffith *g, const am_bem_ends *e, int side, double Q) {
    return e->K0[side] + (Q - am_bem_griffith_slipping(g) - e->known) / e->unit * e->K1[side];
}

static void describe(const am_bem_griffith *g, const am_bem_ends *e, double low, double high, double Q,
                     am_bem_front *front) {
    *front = (am_bem_front){.exists = true,
                            .from = place_low(g->bem, low),
                            .to = place_high(g->bem, high),
                            .left = place_low(g->bem, g->low),
                            .right = place_high(g->bem, g->high),
                            .Q = Q,
                            .K_left = intensity(g, e, 0, Q),
                            .K_right = g->tilts ? NAN : intensity(g, e, 1, Q)};
}

/* ---- The equilibrium of a zone of given width ---- */

/* Of all zones of this width, the one whose ends are equally near to giving way. */
typedef struct sharing {
    am_bem_griffith *g;
    double slipped; /* spacings */
    am_status *status;
    am_error *err;
} sharing;

static double imbalance(const void *context, double from_left) {
    const sharing *s = context;
    am_bem_ends e;
    if (*s->status == AM_OK)
        *s->status =
            am_bem_griffith_measure(s->g, s->g->low + from_left, s->g->high - (s->slipped - from_left), &e, s->err);
    return *s->status == AM_OK ? critical_load(s->g, &e, 0) - critical_load(s->g, &e, 1) : NAN;
}

static am_status share(am_bem_griffith *g, double slipped, double *from_left, am_error *err) {
    am_status status = AM_OK;
    sharing s = {g, slipped, &status, err};
    *from_left = 0.5 * slipped;
    if (g->symmetric || slipped == 0.0)
        return AM_OK;
    /* near where the last zone had it */
    double low = fmax(0.0, g->lean * slipped - 1.0), high = fmin(slipped, g->lean * slipped + 1.0);
    if (!(imbalance(&s, low) < 0.0 && imbalance(&s, high) > 0.0)) {
        low = 0.0;
        high = slipped;
    }
    if (low == 0.0 && imbalance(&s, low) >= 0.0)
        *from_left = 0.0;
    else if (high == slipped && imbalance(&s, high) <= 0.0)
        *from_left = slipped;
    else if (status == AM_OK)
        *from_left = am_root_between(imbalance, &s, low, high);
    g->lean = *from_left / slipped;
    return status;
}

static am_status find_free(am_bem_griffith *g, double stuck, am_bem_front *front, am_error *err) {
    double slipped = fmax(0.0, g->high - g->low + 2.0 * am_bem_end - stuck), from_left;
    am_bem_ends e;
    AM_TRY(share(g, slipped, &from_left, err));
    double low = g->low + from_left, high = g->high - (slipped - from_left);
    AM_TRY(am_bem_griffith_measure(g, low, high, &e, err));
    if (slipped == 0.0)
        leave_friction_out(g, &e);
    double Q = fmin(critical_load(g, &e, 0), critical_load(g, &e, 1));
    if (slipped > 0.0) /* the end that slips */
        Q = from_left == 0.0 ? critical_load(g, &e, 1) : critical_load(g, &e, 0);
    describe(g, &e, low, high, Q, front);
    return AM_OK;
}

/* A punch that Q tilts: its pressures depend on Q, linearly until it lifts off. `miss`: how far the load that brings
 * the front to the toughness is above Q; negative where the punch has lifted off beyond the front. */
static am_status press_tilted(am_bem_griffith *g, double low, double Q, am_bem_ends *e, double *miss, am_error *err) {
    AM_TRY(am_bem_griffith_press(g, Q, err));
    *miss = -g->load.P;
    if (g->low > low + 1e-9)
        return AM_OK;
    AM_TRY(am_bem_griffith_measure(g, low, 0.0, e, err));
    *miss = critical_load(g, e, 0) - Q;
    return AM_OK;
}

/* By secants from the last Q found; true when it has come near enough. */
static bool tilt_by_secants(am_bem_griffith *g, double low, double most, double *Q, am_bem_ends *e, am_status *status,
                            am_error *err) {
    double last_Q = 0.0, last_miss = 0.0, miss;
    for (int guess = 0; guess<MOST_SECANTS && * Q> 0.0 && *Q < most; guess++) {
        *status = press_tilted(g, low, *Q, e, &miss, err);
        if (*status != AM_OK || g->low > low + 1e-9)
            return false;
        if (fabs(miss) <= 1e-10 * g->load.P)
            return true;
        double slope = guess > 0 ? (miss - last_miss) / (*Q - last_Q) : -1.0;
        last_Q = *Q;
        last_miss = miss;
        *Q -= miss / slope;
    }
    return false;
}

/* By halving, which ends at an equilibrium or where the punch lifts off. */
static bool tilt_by_halving(am_bem_griffith *g, double low, double most, double *Q, am_bem_ends *e, am_status *status,
                            am_error *err) {
    double below = 0.0, above = most, miss = 0.0;
    *status = press_tilted(g, low, most, e, &miss, err);
    if (*status != AM_OK || miss > 0.0)
        return false; /* the punch would tip over before it reaches equilibrium */
    for (int guess = 0; guess < MOST_HALVINGS; guess++) {
        *Q = 0.5 * (below + above);
        *status = press_tilted(g, low, *Q, e, &miss, err);
        if (*status != AM_OK)
            return false;
        *(miss > 0.0 ? &below : &above) = *Q;
    }
    return fabs(miss) <= 1e-8 * g->load.P;
}

static am_status find_tilting(am_bem_griffith *g, double stuck, am_bem_front *front, am_error *err) {
    double high = (double)(g->bem->n - 1), low = fmax(0.0, high + 2.0 * am_bem_end - stuck);
    double most = (1.0 - 8.0 / (double)g->bem->n) * g->load.P * place_high(g->bem, high) / g->load.height;
    double Q = g->guess > 0.0 ? g->guess : 0.5 * fmin(most, am_bem_griffith_slipping(g));
    am_status status = AM_OK;
    am_bem_ends e = {0};
    *front = (am_bem_front){.exists = false};
    bool found = tilt_by_secants(g, low, most, &Q, &e, &status, err);
    if (!found && status == AM_OK)
        found = tilt_by_halving(g, low, most, &Q, &e, &status, err);
    if (!found)
        return status;
    g->guess = Q;
    describe(g, &e, low, high, Q, front);
    return AM_OK;
}

static double width(const am_bem_griffith *g) {
    return g->tilts ? (double)(g->bem->n - 1) + 2.0 * am_bem_end : g->high - g->low + 2.0 * am_bem_end;
}

double am_bem_griffith_least(const am_bem_griffith *g) {
    return (LEAST_NODES + 2.0 * am_bem_end) / width(g);
}

double am_bem_griffith_most(const am_bem_griffith *g) {
    return g->closed ? 1.0 - 6.0 / width(g) : 1.0;
}

am_status am_bem_griffith_at(am_bem_griffith *g, double ratio, am_bem_front *front, am_error *err) {
    double stuck = ratio * width(g);
    if (!(stuck >= 0.999 * (LEAST_NODES + 2.0 * am_bem_end)))
        return am_fail_field(err, AM_ERR_INPUT, "c_over_a",
                             "a stick zone %g of the contact's width has too few nodes: take more of them", ratio);
    return g->tilts ? find_tilting(g, stuck, front, err) : find_free(g, stuck, front, err);
}

am_status am_bem_griffith_measured(am_bem_griffith *g, double Q, double *left, double *right, am_error *err) {
    am_bem_ends e;
    AM_TRY(am_bem_griffith_measure(g, (double)g->first, (double)g->last, &e, err));
    *left = intensity(g, &e, 0, Q);
    *right = g->tilts ? NAN : intensity(g, &e, 1, Q);
    return AM_OK;
}

/* Before anything slips. */
am_status am_bem_griffith_stuck(am_bem_griffith *g, double Q, am_bem_front *front, am_error *err) {
    am_bem_ends e = {.unit = 1.0};
    AM_TRY(g->tilts ? am_bem_griffith_press(g, Q, err) : AM_OK);
    AM_TRY(g->closed ? AM_OK : am_bem_griffith_measure(g, g->low, g->high, &e, err));
    leave_friction_out(g, &e);
    describe(g, &e, g->low, g->high, Q, front);
    return AM_OK;
}
