/* How far a load step may go at once, and jumps. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/quasistatic/incremental_internal.h"
#include "system/combination.h"
#include "system/system.h"

/* Jumps. A step in which contacts take over out of proportion is divided; when the load changes by less than `instant`
 * of the largest force and they still take over `smallest_jump` of it, the path jumps. Smaller jumps pass as slip. */
static const double instant = 1e-9, smallest_jump = 1e-4;

/* Friction that weakens: where one way only is not certain, a step in which a coefficient falls by more than `coarse`
 * of its whole fall is divided; when the load changes by less than `soon` of the largest force, the path jumps. */
static const double coarse = 0.25, soon = 1e-7, further = 64.0;

/* How much force the step has changed beyond what the load did: contacts that begin to move carry what they must lose,
 * contacts that come down press in what separated them. *load: the change by the load alone. */
static double upheaval(const am_path_incremental *e, double *load) {
    double most = 0.0;
    *load = 0.0;
    for (size_t i = 0; i < e->p; i++)
        *load = fmax(*load, fabs(e->base[i] - e->weld_before[i] - e->elastic[i]));
    for (size_t c = 0; c < e->m; c++) {
        size_t row = e->reduced.normal_row[c];
        double N = row == AM_NO_ROW ? e->held[c] : e->base[row], limit = e->mu[c] * N;
        bool plane = e->reduced.second_row[c] != AM_NO_ROW;
        double T = plane ? -hypot(e->base[c], e->base[e->reduced.second_row[c]]) : e->base[c];
        if (e->trial[c] == AM_OPEN)
            most = fmax(most, fmax(fabs(T), fabs(N)));
        else if (e->trial[c] != AM_STICK)
            most = fmax(most, fabs(e->trial[c] == AM_FORWARD ? T + limit : T - limit));
        if (e->trial[c] != AM_OPEN && e->gap[c] > 0.0)
            most = fmax(most, e->gap[c] * e->reduced.stiffness[row * e->p + row]);
    }
    return most;
}

bool am_path_is_pressed(const am_path_incremental *e) {
    for (size_t c = 0; c < e->m; c++)
        if (e->normal[c] > 0.0)
            return true;
    return false;
}

/* Does the step change forces out of proportion? Small changes are let pass whatever their cause; so are those of a
 * structure that floats and has not been pressed on before. */
static am_status suspect(am_path_incremental *e, double *load, bool *suspicious, am_error *err) {
    double most = upheaval(e, load);
    bool tame;
    *suspicious = false;
    if (!(most > smallest_jump * e->scale) || (e->reduced.floating && !am_path_is_pressed(e)))
        return AM_OK;
    *suspicious = most > e->proportionate * *load;
    if (*suspicious || !e->prove || e->adrift)
        return AM_OK;
    am_status status = am_path_friction_is_tame(e, &tame, err);
    *suspicious = !tame;
    return status;
}

/* Is the step too coarse for the weakening in it? */
static am_status is_coarse(am_path_incremental *e, bool *too_coarse, am_error *err) {
    bool tame;
    double part;
    *too_coarse = e->lost;
    if (!e->weakens || e->lost)
        return AM_OK;
    am_path_friction_fallen(e, &part);
    if (part <= coarse)
        return AM_OK;
    am_status status = am_path_friction_is_tame(e, &tame, err);
    *too_coarse = !tame;
    return status;
}

static am_status refuse_jump(const am_path_incremental *e, double t, am_error *err) {
    double part = 0.0;
    size_t which = e->weakens ? am_path_friction_fallen(e, &part) : 0;
    if (part > 0.0)
        return am_fail(err, AM_ERR_NO_STATE,
                       "at t = %.10g friction weakens faster than the structure unloads, first of all at %s: the next "
                       "equilibrium of the contacts is a jump away (on_jump: release goes on from there)",
                       t, e->system->contact[which].name);
    return am_fail(err, AM_ERR_NO_STATE,
                   "at t = %.10g there is no continuous way on: the next equilibrium of the contacts is a jump away",
                   t);
}

/* A step in which `count` contacts jump; `jumped`: over a jump of the whole. */
static am_status take_jump(am_path_incremental *e, double t, size_t count, bool jumped, am_error *err) {
    double moved = e->last.moved;
    e->last.moved = 0.0;
    am_status status = am_path_take_step(e, t, jumped, err);
    e->last.jumps += count;
    e->last.jump_time = t;
    e->last.jump_size = e->last.moved;
    e->last.moved = fmax(moved, e->last.moved);
    return status;
}

/* Contacts that have dropped from static to kinetic friction in the step: each of them is a jump, small where contacts
 * are many. They pass within the step, since dividing it would only find them one by one. */
static size_t count_drops(const am_path_incremental *e, size_t *first) {
    size_t count = 0;
    for (size_t c = e->m; e->drops && c-- > 0;)
        if (e->released[c] && !am_path_slides(e->state[c])) {
            *first = c;
            count++;
        }
    return count;
}

am_status am_path_refuse_drop(const am_path_incremental *e, double t, size_t first, am_error *err) {
    const am_contact_def *contact = &e->system->contact[first];
    return am_fail(err, AM_ERR_NO_STATE,
                   "at t = %.10g %s begins to slip and its friction drops from %g to %g: a jump (on_jump: release "
                   "goes on from the next equilibrium)",
                   t, contact->name, contact->static_friction, contact->friction);
}

/* The next equilibrium. Just beyond a limit point the way is long, because the contacts hardly know where to go: then
 * a little further on in the load. */
static am_status fall(am_path_incremental *e, double t, double *aim, am_error *err) {
    am_status status = am_path_incremental_fall(e, *aim, err);
    while (status == AM_ERR_LIMIT && *aim < t) {
        *aim = fmin(t, e->t + further * (*aim - e->t));
        am_path_prepare(e, *aim, *aim - e->t);
        status = am_path_incremental_fall(e, *aim, err);
    }
    return status;
}

/* The step as it is, or over a jump; *aim: where it leads. */
static am_status go(am_path_incremental *e, double t, double *aim, bool coarse_step, bool suspicious, am_error *err) {
    double load;
    size_t first = 0;
    if (coarse_step) {
        AM_TRY(fall(e, t, aim, err));
        suspicious = upheaval(e, &load) > smallest_jump * e->scale; /* or it is one that nobody can tell from slip */
    }
    size_t dropped = count_drops(e, &first);
    if (!suspicious && dropped == 0)
        return am_path_take_step(e, *aim, false, err);
    if (!e->let_jump)
        return suspicious ? refuse_jump(e, *aim, err) : am_path_refuse_drop(e, *aim, first, err);
    return take_jump(e, *aim, suspicious ? 1 : dropped, suspicious, err);
}

am_status am_path_advance(am_path_incremental *e, double t, double *aim, am_error *err) {
    double load;
    bool too_coarse = false;
    size_t first;
    memcpy(e->weld_before, e->weld, e->p * sizeof *e->weld);
    bool suspicious = false;
    AM_TRY(am_path_try_step(e, *aim, err));
    AM_TRY(is_coarse(e, &too_coarse, err));
    AM_TRY(suspect(e, &load, &suspicious, err));
    double half = 0.5 * (e->t + *aim);
    if (count_drops(e, &first) > 0 && !too_coarse)
        suspicious = false;
    if ((too_coarse ? load > soon * e->scale : suspicious && load > instant * e->scale) && half > e->t && half < *aim) {
        memcpy(e->weld, e->weld_before, e->p * sizeof *e->weld);
        *aim = half;
        e->last.divisions++;
        return AM_OK;
    }
    am_status status = go(e, t, aim, too_coarse, suspicious, err);
    *aim = t;
    return status;
}
