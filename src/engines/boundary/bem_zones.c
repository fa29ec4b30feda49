/* Where zones end. A node is on one side or the other; the end itself lies where the traction that vanishes there does,
 * as a square root: where the tractions of the last nodes have no singular part (bem_edge.c). */
#include <math.h>

#include "engines/boundary/bem_internal.h"

enum { TERMS = AM_BEM_EDGE_TERMS, FITS = 12 };

/* What vanishes at the end of a zone, from inside: pressure, or what friction could bear beyond q. */
static double margin(const am_bem *bem, size_t i, am_contact_state beyond) {
    const am_bem_fields *now = &bem->now;
    double slope, p = now->p[i], q = now->q[i];
    if (beyond == AM_OPEN)
        return p;
    double f = am_friction_weakens(&bem->friction) ? am_friction_at(&bem->friction, now->slid[i], &slope)
                                                   : bem->friction.kinetic;
    return beyond == AM_FORWARD ? f * p - q : f * p + q;
}

/* Where the tractions d have no singular part, in spacings beyond the place am_bem_end; NAN when that is not beside the
 * node. */
static double regular_end(size_t terms, const double *d) {
    double coefficient[TERMS], end = 0.0, slope;
    am_bem_edge_resolve(terms, d, coefficient);
    for (int pass = 0; pass < FITS; pass++) {
        double value = am_bem_edge_singular(terms, coefficient, end, &slope);
        end -= value / slope;
        if (!(end > -1.5 && end < 1.5))
            return NAN;
    }
    return end;
}

/* How far beyond the last node the traction vanishes; NAN when it has no square root. */
static double beyond_last(const am_bem *bem, size_t last, int step, size_t terms, am_contact_state beyond) {
    double d[TERMS];
    for (size_t j = 0; j < terms; j++)
        d[j] = margin(bem, step > 0 ? last - j : last + j, beyond);
    return bem->h * (am_bem_end + regular_end(terms, d));
}

/* Does the traction vanish faster than a square root, whose value at the eighth node is at most 2.7 times that at the
 * second? Stick that a growing contact left behind ends with the power 3/2 and a ripple from the steps. */
static bool is_grown(const am_bem *bem, size_t last, int step, size_t count, am_contact_state beyond) {
    if (beyond == AM_OPEN || count < 40)
        return false;
    return margin(bem, step > 0 ? last - 8 : last + 8, beyond) >
           3.0 * margin(bem, step > 0 ? last - 2 : last + 2, beyond);
}

/* The end of such a zone. */
static double beyond_last_grown(const am_bem *bem, size_t last, int step, am_contact_state beyond) {
    double d[2];
    for (size_t j = 0; j < 2; j++) {
        size_t back = 2 * (j + 1);
        d[j] = pow(fmax(0.0, margin(bem, step > 0 ? last - back : last + back, beyond)), 2.0 / 3.0);
    }
    double end = 2.0 * bem->h * (d[0] / (d[1] - d[0]) - 1.0);
    return end > -bem->h && end < 2.0 * bem->h ? end : NAN;
}

static double strip_end(const am_bem *bem, int step) {
    return bem->x[step > 0 ? bem->n - 1 : 0] + step * bem->h * bem->end;
}

/* The end beyond the last node `last` of a zone of `count` nodes, going by `step` = +1 or -1. Half a spacing beyond
 * that node when the zone is too short to tell, or when there is no square root (a singular end). Friction that weakens
 * has its square root only within the zone of transition: the nearest nodes alone. */
static double locate(const am_bem *bem, size_t last, int step, size_t count, am_contact_state beyond) {
    bool weakens = beyond != AM_OPEN && am_friction_weakens(&bem->friction);
    size_t terms = weakens ? 3 : TERMS;
    terms = count / 2 < terms ? count / 2 : terms;
    bool grown = is_grown(bem, last, step, count, beyond);
    double end = terms >= 2 && !grown ? beyond_last(bem, last, step, terms, beyond) : NAN;
    if (isnan(end) && beyond != AM_OPEN && count > 8)
        end = beyond_last_grown(bem, last, step, beyond);
    double at = bem->x[last] + step * (isnan(end) ? 0.5 * bem->h : end);
    /* an end that is extrapolated past a last node at the strip's end, where a punch has its corner, lies there */
    return step > 0 ? fmin(at, strip_end(bem, 1)) : fmax(at, strip_end(bem, -1));
}

/* ---- zones ---- */

/* Where zone [from, to] ends beyond `to` (or before `from`): at the end of the strip there is nothing to locate. */
static double zone_end(const am_bem *bem, size_t from, size_t to, int step) {
    size_t last = step > 0 ? to : from, n = bem->n;
    bool outside = step > 0 ? last + 1 >= n : last == 0;
    const unsigned char *state = bem->now.state;
    if (outside)
        return strip_end(bem, step);
    am_contact_state here = (am_contact_state)state[last],
                     beyond = (am_contact_state)state[step > 0 ? last + 1 : last - 1];
    if (beyond == AM_OPEN) { /* all closed nodes on this side of it, whatever they do, tell where contact ends */
        size_t count = 0;
        for (size_t i = last; i < n && state[i] != AM_OPEN; i -= (size_t)step)
            count++;
        return locate(bem, last, step, count, beyond);
    }
    if (here == AM_STICK)
        return locate(bem, last, step, to - from + 1, beyond);
    return bem->x[last] + 0.5 * step * bem->h; /* slip against slip: no square root */
}

static size_t end_of_run(const am_bem *bem, size_t from) {
    size_t to = from;
    while (to + 1 < bem->n && bem->now.state[to + 1] == bem->now.state[from])
        to++;
    return to;
}

size_t am_bem_zones(const am_bem *bem, size_t most, am_bem_zone *zones) {
    const unsigned char *state = bem->now.state;
    size_t first = 0, last = bem->n, count = 0;
    while (first < bem->n && state[first] == AM_OPEN)
        first++;
    while (last > first && state[last - 1] == AM_OPEN)
        last--;
    for (size_t from = first; from < last;) {
        size_t to = end_of_run(bem, from);
        am_bem_zone zone = {.state = (am_contact_state)state[from], .from = NAN, .to = NAN, .nodes = to - from + 1};
        /* The side that sticks, or that is closed, knows where the end is. */
        if (zone.state != AM_OPEN) {
            bool left_known = from == 0 || state[from - 1] == AM_OPEN || zone.state == AM_STICK;
            bool right_known = to + 1 == bem->n || state[to + 1] != AM_STICK || zone.state == AM_STICK;
            zone.from = left_known ? zone_end(bem, from, to, -1) : NAN;
            zone.to = right_known ? zone_end(bem, from, to, 1) : NAN;
        }
        if (count < most)
            zones[count] = zone;
        count++;
        from = to + 1;
    }
    for (size_t i = 0; i + 1 < count && i + 1 < most; i++) {
        if (isnan(zones[i].to))
            zones[i].to = zones[i + 1].from;
        zones[i + 1].from = zones[i].to;
    }
    return count;
}
