/* The greatest amplitudes of a branch, between its points: Brent's search for a maximum, each try a solution at its own
 * parameter. It does not need derivatives, so a peak may be a kink (onset of slip). */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analyses/response/response_internal.h"
#include "base/try.h"

typedef struct bracket {
    am_response *r;
    size_t left, middle, right; /* points */
} bracket;

/* Amplitude at t in [0, 2]: 0 left, 1 middle, 2 right. */
static am_status amplitude_at(const bracket *b, double t, am_response_point *point, am_error *err) {
    return t < 1.0 ? am_response_between(b->r, b->left, b->middle, t, point, err)
                   : am_response_between(b->r, b->middle, b->right, t - 1.0, point, err);
}

/* Brent's method without derivatives; the accuracy of t is the square root of rounding, that of the amplitude rounding
 * itself. */
static am_status maximise(const bracket *b, am_response_point *best, am_error *err) {
    const double golden = 0.3819660112501051;
    double low = 0.0, high = 2.0, x = 1.0, w = 1.0, v = 1.0, step = 0.0, before = 0.0;
    double fx = -b->r->point[b->middle].amplitude, fw = fx, fv = fx;
    *best = b->r->point[b->middle];
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high), small = 3e-9, q, p, u;
        if (fabs(x - middle) <= 2.0 * small - 0.5 * (high - low))
            break;
        bool golden_step = true;
        if (fabs(before) > small) { /* a parabola through the three best points */
            double r1 = (x - w) * (fx - fv), q1 = (x - v) * (fx - fw);
            p = (x - v) * q1 - (x - w) * r1;
            q = 2.0 * (q1 - r1);
            p = q > 0.0 ? -p : p;
            q = fabs(q);
            if (fabs(p) < fabs(0.5 * q * before) && p > q * (low - x) && p < q * (high - x)) {
                before = step;
                step = p / q;
                golden_step = false;
            }
        }
        if (golden_step) {
            before = x >= middle ? low - x : high - x;
            step = golden * before;
        }
        u = x + (fabs(step) >= small ? step : copysign(small, step));
        am_response_point point;
        AM_TRY(amplitude_at(b, u, &point, err));
        double fu = -point.amplitude;
        if (point.amplitude > best->amplitude)
            *best = point;
        if (fu <= fx) {
            (u >= x ? (low = x) : (high = x));
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
        } else {
            (u < x ? (low = u) : (high = u));
            if (fu <= fw || w == x)
                v = w, fv = fw, w = u, fw = fu;
            else if (fu <= fv || v == x || v == w)
                v = u, fv = fu;
        }
    }
    return AM_OK;
}

static am_status add_peak(am_response *r, const bracket *b, am_error *err) {
    am_response_point best;
    am_error own = {0};
    double rise = r->point[b->middle].p - r->point[b->left].p, fall = r->point[b->right].p - r->point[b->middle].p;
    bool turns = !(rise * fall > 0.0); /* next to a fold p is no coordinate: the nearest point stands for the peak */
    am_status status = turns ? AM_ERR_LIMIT : maximise(b, &best, &own);
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    if (status)
        best = r->point[b->middle];
    best.located = status == AM_OK;
    best.kind = "peak";
    if (status)
        memcpy(r->trial, r->x + b->middle * r->size, r->size * sizeof *r->x);
    else { /* the best try was not the last one: solve it again */
        double share = (best.p - r->point[b->left].p) / rise;
        am_response_point again;
        AM_TRY(share <= 1.0
                   ? am_response_between(r, b->left, b->middle, share, &again, err)
                   : am_response_between(r, b->middle, b->right, (best.p - r->point[b->middle].p) / fall, &again, err));
    }
    return am_response_add(r, &best, r->trial, err);
}

static am_status peaks_of(am_response *r, size_t index, am_error *err) {
    const am_response_branch branch = r->branch[index];
    size_t last = branch.first + branch.count - 1;
    for (size_t i = branch.first; i <= last; i++) {
        bracket b = {r, i - 1, i, i + 1};
        if (i == branch.first || i == last) {
            if (!branch.closed || i == last || branch.count < 4)
                continue;
            b.left = last - 1; /* the last point is the first again */
        }
        double here = r->point[i].amplitude;
        if (!(here > 1e-9 * r->point[i].largest)) /* rounding: a motion without this harmonic */
            continue;
        double rise = here - r->point[b.left].amplitude, fall = here - r->point[b.right].amplitude;
        if (rise + fall <= 1e-10 * here) /* a plateau is flat but for the tolerance of Newton's method */
            continue;
        if (rise >= 0.0 && fall > 0.0 && r->point[b.left].p != r->point[i].p && r->point[b.right].p != r->point[i].p)
            AM_TRY(add_peak(r, &b, err));
    }
    return AM_OK;
}

am_status am_response_peaks(am_response *r, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < r->branches && !status; i++)
        if (r->branch[i].count > 0)
            status = peaks_of(r, i, err);
    r->peak = SIZE_MAX;
    for (size_t i = 0; i < r->count && !status; i++)
        if (r->peak == SIZE_MAX || r->point[i].amplitude > r->point[r->peak].amplitude)
            r->peak = i;
    return status;
}
