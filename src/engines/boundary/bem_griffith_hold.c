/* Tractions and slips of one equilibrium with Griffith friction, and what they say about it. */
#include <math.h>

#include "base/try.h"
#include "engines/boundary/bem_griffith_internal.h"
#include "engines/boundary/bem_internal.h"
#include "math/pi.h"

static size_t nearest_node(double place, size_t least, size_t most) {
    double node = round(place);
    return node < (double)least ? least : node > (double)most ? most : (size_t)node;
}

/* What is left of the conditions, from the tractions alone. */
static void gather_evidence(const am_bem_griffith *g, double Q, am_bem_evidence *evidence) {
    const am_bem *bem = g->bem;
    double largest = 0.0, wrong = 0.0, pull = 0.0, highest = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        double u = bem->motion[2 * i + 1], s = bem->now.place[i];
        bool stuck = i >= g->first && i <= g->last;
        largest = fmax(largest, fmax(fabs(u), fabs(g->dragged[i])));
        highest = fmax(highest, bem->now.p[i]);
        pull = bem->now.p[i] < -pull ? -bem->now.p[i] : pull;
        if (bem->now.state[i] != AM_OPEN)
            wrong = fmax(wrong, stuck ? fabs(s) : 0.0);
    }
    evidence->compliance = largest > 0.0 ? wrong / largest : 0.0;
    evidence->traction = highest > 0.0 ? pull / highest : 0.0;
    double moment = g->tilts ? fabs(bem->now.M - g->load.M - Q * g->load.height) / bem->width : 0.0;
    evidence->equilibrium = fmax(fmax(fabs(bem->now.P - g->load.P), fabs(bem->now.Q - Q)), moment) / g->load.P;
}

am_status am_bem_griffith_hold(am_bem_griffith *g, const am_bem_front *front, am_error *err) {
    am_bem *bem = g->bem;
    am_bem_fields *now = &bem->now;
    am_bem_borne b;
    AM_TRY(g->tilts ? am_bem_griffith_press(g, front->Q, err) : AM_OK);
    size_t first = 0, last = bem->n - 1;
    while (now->state[first] == AM_OPEN)
        first++;
    while (now->state[last] == AM_OPEN)
        last--;
    g->first = nearest_node((front->from - bem->x[0]) / bem->h + am_bem_end, first, last);
    g->last = nearest_node((front->to - bem->x[0]) / bem->h - am_bem_end, g->first, last);
    AM_TRY(am_bem_griffith_zone(g, g->first, g->last, &b, err));
    now->shift = (front->Q - am_bem_griffith_slipping(g) - b.known) / b.unit;
    now->Q = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        bool stuck = bem->in[i];
        double beyond = stuck ? bem->solution[2 * i] + now->shift * bem->solution[2 * i + 1] : 0.0;
        now->q[i] = bem->friction.kinetic * now->p[i] + beyond;
        now->Q += bem->h * now->q[i];
        if (now->state[i] != AM_OPEN)
            now->state[i] = stuck ? AM_STICK : AM_FORWARD;
    }
    am_bem_displace(bem, now->p, now->q, bem->motion);
    for (size_t i = 0; i < bem->n; i++) {
        bool slips = now->state[i] == AM_FORWARD;
        now->place[i] = now->shift - bem->motion[2 * i + 1];
        now->slip[i] = slips ? now->place[i] : 0.0;
        now->slid[i] = fabs(now->slip[i]);
    }
    gather_evidence(g, front->Q, &now->evidence);
    return AM_OK;
}

/* K from the tractions of the nodes beside an end; NaN where too few of them stick. */
static double fit(const am_bem_griffith *g, int side) {
    const am_bem *bem = g->bem;
    double d[AM_BEM_EDGE_TERMS], coefficient[AM_BEM_EDGE_TERMS], slope;
    if (g->last - g->first + 1 < 2 * AM_BEM_EDGE_TERMS)
        return NAN;
    for (size_t k = 0; k < AM_BEM_EDGE_TERMS; k++) {
        size_t i = side < 0 ? g->first + k : g->last - k;
        d[k] = bem->now.q[i] - bem->limit[i];
    }
    am_bem_edge_resolve(AM_BEM_EDGE_TERMS, d, coefficient);
    return sqrt(2.0 * bem->h) * am_bem_edge_singular(AM_BEM_EDGE_TERMS, coefficient, 0.0, &slope);
}

/* Slip against the shear, over the largest. */
static double backward_slip(const am_bem *bem) {
    double most = 0.0, backward = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        most = fmax(most, bem->now.slip[i]);
        backward = fmax(backward, -bem->now.slip[i]);
    }
    return backward > 0.0 ? backward / fmax(most, backward) : 0.0;
}

am_status am_bem_griffith_examine(am_bem_griffith *g, double *front, double *backward, am_error *err) {
    double K[2], size = g->toughness, Q = g->bem->now.Q;
    double half = 0.5 * g->bem->h * ((double)(g->last - g->first) + 2.0 * am_bem_end);
    AM_TRY(am_bem_griffith_measured(g, Q, &K[0], &K[1], err));
    size = fmax(size, fabs(Q) / sqrt(pi * half));
    *front = NAN;
    for (int side = 0; side < 2; side++) {
        double difference = fabs(fit(g, side == 0 ? -1 : 1) - K[side]) / size;
        if (!isnan(difference) && !(difference <= *front))
            *front = difference;
    }
    *backward = backward_slip(g->bem);
    return AM_OK;
}
