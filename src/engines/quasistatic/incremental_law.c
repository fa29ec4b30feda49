/* Coefficients of friction during a load step. A contact that weakens slides with the coefficient at the end of its
 * slide, f(s0 + |x|): in Newton's method its row has the slope f' N on the diagonal (forward and backward alike,
 * because slip and force change sign together). One that drops has two coefficients and changes once. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "engines/quasistatic/incremental_internal.h"
#include "system/combination.h"
#include "system/system.h"

const am_friction *am_path_weakening(const am_path_incremental *e, size_t c) {
    const am_friction *law = &e->system->contact[c].weakening;
    return e->weakens && am_friction_weakens(law) ? law : NULL;
}

static bool drops(const am_path_incremental *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    return e->drops && contact->static_friction > contact->friction && !am_friction_weakens(&contact->weakening);
}

double am_path_coefficient(const am_path_incremental *e, size_t c, am_contact_state state) {
    const am_friction *law = am_path_weakening(e, c);
    double slope;
    if (law)
        return am_friction_at(law, e->slid[c], &slope);
    return drops(e, c) && !am_path_slides(state) ? e->system->contact[c].static_friction
                                                 : e->system->contact[c].friction;
}

void am_path_friction_restart(am_path_incremental *e) {
    for (size_t c = 0; c < e->m; c++) {
        const am_friction *law = am_path_weakening(e, c);
        double slope, N = am_path_normal_force(e, c, e->base);
        if (!law)
            continue;
        e->mu[c] = e->hold[c] = am_friction_at(law, e->slid[c], &slope);
        e->slope[c] = e->tangent && e->gap[c] == 0.0 ? slope * fmax(N, 0.0) : 0.0;
        e->at[c] = 0.0;
    }
}

void am_path_friction_begin(am_path_incremental *e) {
    for (size_t c = 0; c < e->m; c++) {
        e->released[c] = am_path_slides(e->state[c]);
        if (!am_path_weakening(e, c))
            e->mu[c] = e->hold[c] = am_path_coefficient(e, c, e->state[c]);
    }
    am_path_friction_restart(e);
}

double am_path_friction_follow(am_path_incremental *e) {
    double miss = 0.0;
    for (size_t c = 0, item = 0; c < e->m; c++) {
        const am_friction *law = am_path_weakening(e, c);
        am_contact_state state = e->trial[c];
        double x = am_path_slides(state) ? e->x[item] : 0.0, sense = state == AM_BACKWARD ? -1.0 : 1.0, slope;
        item += am_path_unknowns(state);
        if (!law)
            continue;
        double N = fmax(am_path_normal_force(e, c, e->force), 0.0), moved = fmax(0.0, sense * x);
        e->mu[c] = am_friction_at(law, e->slid[c] + moved, &slope);
        e->at[c] = sense * moved;
        if (!e->tangent) /* a contact that stops within the step does so with the coefficient it slid with */
            e->hold[c] = e->mu[c];
        e->slope[c] = e->tangent && state != AM_OPEN ? slope * N : 0.0;
        if (am_path_slides(state))
            miss = fmax(miss, fabs(e->force[c] + sense * e->mu[c] * am_path_normal_force(e, c, e->force)));
    }
    return miss;
}

size_t am_path_friction_release(am_path_incremental *e) {
    size_t count = 0;
    for (size_t c = 0; c < e->m; c++)
        if (drops(e, c) && am_path_slides(e->trial[c]) && !e->released[c]) {
            e->released[c] = 1;
            e->mu[c] = e->hold[c] = e->system->contact[c].friction;
            count++;
        }
    return count;
}

size_t am_path_friction_fallen(const am_path_incremental *e, double *part) {
    size_t which = 0;
    double slope;
    *part = 0.0;
    for (size_t c = 0; c < e->m; c++) {
        const am_friction *law = am_path_weakening(e, c);
        if (!law || !am_path_slides(e->trial[c]))
            continue;
        double all = am_friction_most(law) - am_friction_last(law), now = am_friction_at(law, e->slid[c], &slope);
        double fallen = all > 0.0 ? (now - e->mu[c]) / all : 0.0;
        if (fallen > *part) {
            *part = fallen;
            which = c;
        }
    }
    return which;
}

bool am_path_friction_changed(const am_path_incremental *e, size_t count) {
    if (e->weak != e->old_weak)
        return true;
    for (size_t i = 0; i < count; i++) {
        size_t c = e->item[i] / 4;
        if (e->item[i] % 4 < 2 && (e->mu[c] != e->old_mu[c] || e->slope[c] != e->old_slope[c]))
            return true;
    }
    return false;
}

void am_path_friction_note(am_path_incremental *e) {
    memcpy(e->old_mu, e->mu, e->m * sizeof *e->mu);
    memcpy(e->old_slope, e->slope, e->m * sizeof *e->slope);
    e->old_weak = e->weak;
}

/* ---- one way only? ---- */

/* The slopes of the steepest falls between the beginning of the step and the iterate, in place of the present ones. */
static void take_steepest(am_path_incremental *e) {
    for (size_t c = 0; c < e->m; c++) {
        const am_friction *law = am_path_weakening(e, c);
        if (!law || !am_path_slides(e->trial[c]))
            continue;
        double N = fmax(am_path_normal_force(e, c, e->force), am_path_normal_force(e, c, e->base));
        e->slope[c] = fmin(0.0, am_friction_steepest(law, e->slid[c], e->slid[c] + fabs(e->at[c]))) * fmax(N, 0.0);
    }
}

/* The unknowns on the way: a contact that opens in the step may have slid first, the way its force pushed. */
static size_t list_way(const am_path_incremental *e, size_t *item) {
    size_t count = 0;
    for (size_t c = 0; c < e->m; c++) {
        bool opens = e->trial[c] == AM_OPEN && e->gap[c] == 0.0 && e->tangential[c] != 0.0;
        if (opens || am_path_slides(e->trial[c]))
            item[count++] = 4 * c + (opens ? e->tangential[c] > 0.0 : e->trial[c] == AM_BACKWARD);
        else if (e->trial[c] == AM_OPEN) {
            item[count++] = 4 * c + 2;
            item[count++] = 4 * c + 3;
        }
    }
    return count;
}

/* A matrix whose symmetric part is positive definite has positive principal minors, whatever part of its contacts
 * moves: one solution, reached without a jump. */
am_status am_path_friction_is_tame(am_path_incremental *e, bool *tame, am_error *err) {
    size_t *item = e->column, count = list_way(e, item);
    AM_LOCAL_MEMORY double *a = am_memory_new(count * count, sizeof *a, err);
    if (!a)
        return AM_ERR_MEMORY;
    take_steepest(e);
    e->block_problem.gather(e, count, item, count, item, a);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            a[i * count + j] = a[j * count + i] = 0.5 * (a[i * count + j] + a[j * count + i]);
    *tame = count == 0 || LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)count, a, (lapack_int)count) == 0;
    return AM_OK;
}
