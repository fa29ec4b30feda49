/* Normal contact: p >= 0, gap >= 0, p gap = 0 with a given load. Newton's method on min(p, gap) = 0: nodes taken to be
 * closed have gap 0, the others p = 0; those that turn out wrong change side. The inverse of the influence matrix has
 * no positive entries beside its diagonal, so that the sets settle in a few iterations, each of which is exact. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "engines/boundary/bem_internal.h"

enum { MOST_CHANGES = 500 };

/* ---- the rigid motion ---- */

typedef struct rigid {
    double force[3], moment[3]; /* of the pressures for: the gaps, a unit of approach, a unit of tilt */
} rigid;

static am_status find_motion(const am_bem *bem, const am_bem_load *load, const rigid *r, double *approach, double *tilt,
                             am_error *err) {
    *approach = load->P;
    *tilt = load->tilt;
    bool force = load->normal == AM_BEM_FORCE;
    double F = load->P / bem->h - r->force[0], M = load->M / bem->h - r->moment[0];
    if (force && load->free_tilt) {
        double det = r->force[1] * r->moment[2] - r->force[2] * r->moment[1];
        if (!(fabs(det) > 1e-12 * fabs(r->force[1] * r->moment[2])))
            return am_fail(err, AM_ERR_NO_STATE,
                           "the contact shrinks to a point: the moment tips the body over its edge");
        *approach = (F * r->moment[2] - r->force[2] * M) / det;
        *tilt = (r->force[1] * M - F * r->moment[1]) / det;
    } else if (force) {
        *approach = (F - r->force[2] * load->tilt) / r->force[1];
    } else if (load->free_tilt) {
        *tilt = (M - r->moment[1] * load->P) / r->moment[2];
    }
    return AM_OK;
}

/* ---- one iterate ---- */

static void count_part(const am_bem *bem, const double *pairs, size_t part, size_t column, rigid *r) {
    r->force[column] = r->moment[column] = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        r->force[column] += pairs[2 * i + part];
        r->moment[column] += bem->x[i] * pairs[2 * i + part];
    }
}

/* Pressures of the closed nodes that make their gaps zero. */
static am_status pressures(am_bem *bem, const am_bem_load *load, const double *across, double tolerance,
                           am_error *err) {
    size_t n = bem->n;
    am_bem_fields *now = &bem->now;
    double *rhs = bem->rhs, *y = bem->solution;
    rigid r = {0};
    for (size_t i = 0; i < n; i++) {
        bem->in[i] = now->state[i] != AM_OPEN;
        rhs[2 * i] = bem->in[i] ? -bem->gap0[i] - (across ? across[2 * i] : 0.0) : 0.0;
        rhs[2 * i + 1] = 1.0;
    }
    AM_TRY(am_bem_solve(bem, rhs, y, tolerance, err));
    count_part(bem, y, 0, 0, &r);
    count_part(bem, y, 1, 1, &r);
    bool tilts = load->free_tilt || load->tilt != 0.0;
    if (tilts) {
        for (size_t i = 0; i < n; i++) {
            rhs[2 * i] = bem->x[i];
            rhs[2 * i + 1] = 0.0;
        }
        AM_TRY(am_bem_solve(bem, rhs, bem->third, tolerance, err));
        count_part(bem, bem->third, 0, 2, &r);
    }
    am_status status = find_motion(bem, load, &r, &now->approach, &now->tilt, err);
    for (size_t i = 0; i < n && !status; i++)
        now->p[i] =
            bem->in[i] ? y[2 * i] + now->approach * y[2 * i + 1] + (tilts ? now->tilt * bem->third[2 * i] : 0.0) : 0.0;
    return status;
}

static void gaps(am_bem *bem) {
    am_bem_fields *now = &bem->now;
    am_bem_displace(bem, now->p, now->q, bem->motion);
    for (size_t i = 0; i < bem->n; i++)
        now->gap[i] = bem->in[i] ? 0.0 : bem->gap0[i] - now->approach - now->tilt * bem->x[i] + bem->motion[2 * i];
}

/* Nodes that pull open, nodes that overlap close. Returns how many were wrong. */
static size_t change(am_bem *bem, const am_bem_search *search) {
    am_bem_fields *now = &bem->now;
    double largest_p = 0.0, largest_u = 0.0, zero = am_bem_search_zero(search);
    size_t wrong = 0, last = 0;
    for (size_t i = 0; i < bem->n; i++) {
        largest_p = fmax(largest_p, fabs(now->p[i]));
        largest_u = fmax(largest_u, fabs(bem->motion[2 * i]));
    }
    for (size_t i = 0; i < bem->n; i++) {
        bool is_wrong = bem->in[i] ? now->p[i] < -zero * largest_p : now->gap[i] < -zero * largest_u;
        bem->next[i] = !is_wrong ? now->state[i] : bem->in[i] ? AM_OPEN : AM_STICK;
        wrong += is_wrong;
        last = is_wrong ? i : last;
    }
    if (wrong > 0)
        am_bem_change(bem, search, wrong, last);
    return wrong;
}

/* ---- the start ---- */

bool am_bem_touches(const am_bem *bem) {
    for (size_t i = 0; i < bem->n; i++)
        if (bem->now.state[i] != AM_OPEN)
            return true;
    return false;
}

/* Every node that can ever touch. */
void am_bem_close_all(am_bem *bem) {
    for (size_t i = 0; i < bem->n; i++)
        bem->now.state[i] = isfinite(bem->gap0[i]) ? AM_STICK : AM_OPEN;
    memset(bem->solution, 0, 2 * bem->n * sizeof *bem->solution);
    memset(bem->third, 0, 2 * bem->n * sizeof *bem->third);
}

/* Displacements across by q (pairs, the normal part counts); NULL where there are none. */
static const double *displaced_across(am_bem *bem) {
    if (bem->beta == 0.0)
        return NULL;
    am_bem_displace(bem, bem->nothing, bem->now.q, bem->across);
    return bem->across;
}

am_status am_bem_press(am_bem *bem, const am_bem_load *load, am_error *err) {
    const double *across = displaced_across(bem);
    if (!am_bem_touches(bem))
        am_bem_close_all(bem);
    am_bem_search search = AM_BEM_SEARCH;
    for (size_t iteration = 0; iteration < MOST_CHANGES; iteration++) {
        AM_TRY(am_watch_spend(1e2 * (double)bem->n, err));
        AM_TRY(pressures(bem, load, across, search.tolerance, err));
        gaps(bem);
        bem->now.evidence.set_changes++;
        if (am_bem_search_ends(&search, change(bem, &search))) {
            am_bem_add_up(bem);
            return AM_OK;
        }
        if (!am_bem_touches(bem)) {
            if (load->normal == AM_BEM_FORCE)
                return am_fail(err, AM_ERR_NO_STATE, "no node is pressed: the moment tips the body over its edge");
            gaps(bem);
        }
    }
    return am_fail(err, AM_ERR_EVIDENCE, "the contact zone did not settle in %d changes", MOST_CHANGES);
}
