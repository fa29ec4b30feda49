/* Where zones end. A node is on one side or the other; the end itself lies where the traction that vanishes there does,
 * as a square root: with t the distance to the end, d^2 = b (t + k/t) + c t^2 + e t^3. The term k/t is what the lattice
 * of nodes adds, and k is known: by Wiener's and Hopf's method the elements see an end a distance r beyond the last
 * node (docs/bem.md, section 3), and when it is elsewhere, at r + s, the square roots of both have k = s^2/4 between
 * them. */
#include <math.h>

#include "halfplane/bem_room.h"

enum { POINTS = 4, FITS = 12 };

/* What vanishes at the end of a zone, from inside: pressure, or what friction could bear beyond q. */
static double margin(const am_bem *bem, size_t i, am_bem_state beyond) {
    const am_bem_fields *now = &bem->now;
    double slope, p = now->p[i], q = now->q[i];
    if (beyond == AM_BEM_OPEN)
        return p;
    double f = am_friction_weakens(&bem->friction) ? am_friction_at(&bem->friction, now->slid[i], &slope)
                                                   : bem->friction.kinetic;
    return beyond == AM_BEM_FORWARD ? f * p - q : f * p + q;
}

/* The coefficients a, b of d^2 = a + b (t + k/t) + c t^2 + e t^3 at distances t, the first `terms` of these and as many
 * points. */
static void fit(size_t terms, double k, const double *t, const double *d2, double *a, double *b) {
    double m[POINTS][POINTS + 1];
    for (size_t i = 0; i < terms; i++) {
        double row[POINTS] = {1.0, t[i] + k / t[i], t[i] * t[i], t[i] * t[i] * t[i]};
        for (size_t j = 0; j < terms; j++)
            m[i][j] = row[j];
        m[i][terms] = d2[i];
    }
    for (size_t column = 0; column < terms; column++) {
        size_t best = column;
        for (size_t i = column + 1; i < terms; i++)
            best = fabs(m[i][column]) > fabs(m[best][column]) ? i : best;
        for (size_t j = 0; j <= terms; j++) {
            double swap = m[column][j];
            m[column][j] = m[best][j];
            m[best][j] = swap;
        }
        for (size_t i = 0; i < terms; i++)
            for (size_t j = terms + 1; i != column && j-- > column;)
                m[i][j] -= m[i][column] / m[column][column] * m[column][j];
    }
    *a = m[0][terms] / m[0][0];
    *b = m[1][terms] / m[1][1];
}

/* How far beyond the last node the traction vanishes, from nodes `stride` apart; NAN when that is not beside the node.
 */
static double beyond_last(const am_bem *bem, size_t last, int step, size_t stride, size_t terms, am_bem_state beyond) {
    double end = 0.5 * bem->h, unit = bem->h * (double)stride, d2[POINTS];
    for (size_t j = 0; j < terms; j++) {
        size_t back = (j + 1) * stride;
        double d = margin(bem, step > 0 ? last - back : last + back, beyond);
        d2[j] = d * d;
    }
    for (int pass = 0; pass < FITS; pass++) {
        double t[POINTS], a, b, aside = (end - am_bem_end * bem->h) / unit;
        for (size_t j = 0; j < terms; j++)
            t[j] = end / unit + (double)(j + 1);
        fit(terms, 0.25 * aside * aside, t, d2, &a, &b);
        end += a / b * unit;
        if (!(end > -bem->h && end < 2.0 * bem->h))
            return NAN;
    }
    return end;
}

/* The same where stick was left behind by a contact that grew: there what vanishes does so with the power 3/2. */
static double beyond_last_grown(const am_bem *bem, size_t last, int step, am_bem_state beyond) {
    double d[2];
    for (size_t j = 0; j < 2; j++) {
        size_t back = 2 * (j + 1);
        d[j] = pow(fmax(0.0, margin(bem, step > 0 ? last - back : last + back, beyond)), 2.0 / 3.0);
    }
    double end = 2.0 * bem->h * (d[0] / (d[1] - d[0]) - 1.0);
    return end > -bem->h && end < 2.0 * bem->h ? end : NAN;
}

/* Nodes of the next zone: the traction is smooth no farther than to its other end. All there are when it is the last.
 */
static size_t nodes_beyond(const am_bem *bem, size_t last, int step) {
    size_t n = bem->n, count = 0;
    for (size_t k = 1; k < n; k++) {
        size_t i = step > 0 ? last + k : last + n - k;
        bool wraps = step > 0 ? i >= n : i < n;
        if (wraps && bem->period == 0.0)
            return n;
        if (k > 1 && bem->now.state[i % n] != bem->now.state[(step > 0 ? last + 1 : last + n - 1) % n])
            return count;
        count++;
    }
    return count;
}

/* The end beyond the last node `last` of a zone of `count` nodes, going by `step` = +1 or -1. Half a spacing beyond
 * that node when the zone is too short to tell, or when there is no square root (a singular end). Friction that weakens
 * has its square root only within the zone of transition: the nearest nodes alone. */
static double locate(const am_bem *bem, size_t last, int step, size_t count, am_bem_state beyond) {
    size_t outside = beyond == AM_BEM_OPEN ? 2 * nodes_beyond(bem, last, step) : count;
    bool weakens = beyond != AM_BEM_OPEN && am_friction_weakens(&bem->friction);
    size_t terms = weakens ? POINTS - 1 : POINTS;
    size_t stride = weakens ? 2 : 2 + (size_t)lround(0.4 * cbrt((double)(count < outside ? count : outside)));
    double end = NAN;
    for (; stride >= 1 && isnan(end); stride--)
        if (2 * terms * stride < count)
            end = beyond_last(bem, last, step, stride, terms, beyond);
    if (isnan(end) && beyond != AM_BEM_OPEN && count > 8)
        end = beyond_last_grown(bem, last, step, beyond);
    return bem->x[last] + step * (isnan(end) ? 0.5 * bem->h : end);
}

/* ---- zones ---- */

/* Where zone [from, to] ends beyond `to` (or before `from`): at the end of the strip there is nothing to locate. */
static double zone_end(const am_bem *bem, size_t from, size_t to, int step) {
    size_t last = step > 0 ? to : from, n = bem->n;
    bool outside = step > 0 ? last + 1 >= n : last == 0;
    const unsigned char *state = bem->now.state;
    if (outside)
        return bem->x[last] + step * bem->h * bem->end;
    am_bem_state here = (am_bem_state)state[last], beyond = (am_bem_state)state[step > 0 ? last + 1 : last - 1];
    if (beyond == AM_BEM_OPEN) { /* all closed nodes on this side of it, whatever they do, tell where contact ends */
        size_t count = 0;
        for (size_t i = last; i < n && state[i] != AM_BEM_OPEN; i -= (size_t)step)
            count++;
        return locate(bem, last, step, count, beyond);
    }
    if (here == AM_BEM_STICK)
        return locate(bem, last, step, to - from + 1, beyond);
    return bem->x[last] + 0.5 * step * bem->h; /* slip against slip: no square root */
}

static size_t end_of_run(const am_bem *bem, size_t from) {
    size_t to = from;
    while (to + 1 < bem->n && bem->now.state[to + 1] == bem->now.state[from])
        to++;
    return to;
}

size_t am_bem_zones(const am_bem *bem, size_t room, am_bem_zone *zones) {
    const unsigned char *state = bem->now.state;
    size_t first = 0, last = bem->n, count = 0;
    while (first < bem->n && state[first] == AM_BEM_OPEN)
        first++;
    while (last > first && state[last - 1] == AM_BEM_OPEN)
        last--;
    for (size_t from = first; from < last;) {
        size_t to = end_of_run(bem, from);
        am_bem_zone zone = {.state = (am_bem_state)state[from], .from = NAN, .to = NAN};
        /* The side that sticks, or that is closed, knows where the end is. */
        if (zone.state != AM_BEM_OPEN) {
            bool left_known = from == 0 || state[from - 1] == AM_BEM_OPEN || zone.state == AM_BEM_STICK;
            bool right_known = to + 1 == bem->n || state[to + 1] != AM_BEM_STICK || zone.state == AM_BEM_STICK;
            zone.from = left_known ? zone_end(bem, from, to, -1) : NAN;
            zone.to = right_known ? zone_end(bem, from, to, 1) : NAN;
        }
        if (count < room)
            zones[count] = zone;
        count++;
        from = to + 1;
    }
    for (size_t i = 0; i + 1 < count && i + 1 < room; i++) {
        if (isnan(zones[i].to))
            zones[i].to = zones[i + 1].from;
        zones[i + 1].from = zones[i].to;
    }
    return count;
}
