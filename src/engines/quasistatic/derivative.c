/* How the contacts' positions depend on those at the start: docs/path.md, "Multipliers". */
#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "engines/quasistatic/path_walk.h"
#include "engines/quasistatic/quasistatic.h"

am_status am_path_derivative_init(am_path_derivative *derivative, size_t n, size_t m, am_error *err) {
    am_path_derivative *d = derivative;
    *d = (am_path_derivative){.m = m};
    AM_ARENA_DOUBLES(&d->memory, m * m, err, &d->D, &d->positions);
    AM_ARENA_DOUBLES(&d->memory, m, err, &d->corner, &d->slide);
    d->row = am_arena_doubles(&d->memory, NULL, 2 * m, err);
    d->given = am_arena_doubles(&d->memory, NULL, n + m, err);
    return am_arena_status(&d->memory);
}

void am_path_derivative_clear(am_path_derivative *derivative) {
    am_arena_clear(&derivative->memory);
    *derivative = (am_path_derivative){0};
}

void am_path_derivative_start(am_path_derivative *derivative) {
    am_path_derivative *d = derivative;
    memset(d->D, 0, d->m * d->m * sizeof *d->D);
    for (size_t c = 0; c < d->m; c++)
        d->D[c * d->m + c] = 1.0;
    d->valid = true;
}

/* out (m) = weights of the sticking contacts (a row over the multipliers' right-hand sides) times D. */
static void through_stuck(const am_path_derivative *d, const am_combination *k, const double *weight, double *out) {
    memset(out, 0, d->m * sizeof *out);
    for (size_t c = 0; c < d->m; c++) {
        if (k->stick_row[c] == AM_NO_ROW)
            continue;
        double w = weight[k->stick_row[c]];
        for (size_t j = 0; w != 0.0 && j < d->m; j++)
            out[j] += w * d->D[c * d->m + j];
    }
}

/* How a row of displacements follows what is given: row.q = row.Yc c. */
static void weight_of_row(am_path_derivative *d, const am_combination *k, const double *row) {
    for (size_t r = 0; r < k->p; r++) {
        d->row[r] = 0.0;
        for (size_t i = 0; i < k->n; i++)
            d->row[r] += row[i] * k->Yc[i * k->p + r];
    }
}

static void position(am_path_derivative *d, const am_path_engine *e, const am_combination *k, size_t c, double *out) {
    if (k->stick_row[c] != AM_NO_ROW) {
        memcpy(out, d->D + c * d->m, d->m * sizeof *out);
        return;
    }
    weight_of_row(d, k, e->system->contact[c].tangent);
    through_stuck(d, k, d->row, out);
}

/* How N (sign 0) or mu N + sign T of a closed contact follows what is given. */
static void weight_of_force(am_path_derivative *d, const am_path_engine *e, const am_combination *k, size_t c,
                            double sign) {
    double normal = sign == 0.0 ? 1.0 : e->system->contact[c].friction;
    for (size_t r = 0; r < k->p; r++) {
        double N = k->normal_row[c] != AM_NO_ROW ? k->Lc[k->normal_row[c] * k->p + r] : 0.0;
        double T = k->stick_row[c] != AM_NO_ROW ? k->Lc[k->stick_row[c] * k->p + r] : 0.0;
        d->row[r] = normal * N + sign * T;
    }
}

/* The rate at time `to` of a quantity given by its coefficients' owner. */
static double rate_at(const am_path_engine *e, size_t c, unsigned char what, double length) {
    double rate = 0.0;
    for (size_t k = e->orders - 1; k > 0; k--)
        rate = rate * length + (double)k * am_path_quantity(e, &e->series[k], c, what, k, 1.0);
    return rate;
}

/* The corner at which a sum of limits is spent that contacts share. */
static void facet_time(am_path_derivative *d, const am_path_engine *e, const am_combination *k, double length) {
    const am_split *split = e->present->split;
    const am_facet *facet = &split->facet[e->spent];
    double rate = 0.0;
    for (size_t order = e->orders - 1; order > 0; order--)
        rate = rate * length + (double)order * am_path_facet(split, facet, &e->series[order]);
    for (size_t i = 0; i < split->limits; i++) {
        am_limit_kind kind = split->limit[i].kind;
        if (!(facet->weight[i] > 0.0))
            continue;
        weight_of_force(d, e, k, split->limit[i].contact,
                        kind == AM_LIMIT_NORMAL  ? 0.0
                        : kind == AM_LIMIT_LOWER ? 1.0
                                                 : -1.0);
        for (size_t r = 0; r < k->p; r++)
            d->row[r] *= rate != 0.0 ? -facet->weight[i] / rate : 0.0;
        through_stuck(d, k, d->row, d->given);
        for (size_t j = 0; j < d->m; j++)
            d->corner[j] += d->given[j];
    }
}

/* A stop of slip is where a sliding velocity vanishes, which depends on the loads alone: like a break of a load, it
 * does not move with the start. */
static void corner_time(am_path_derivative *d, const am_path_engine *e, const am_combination *k, double length) {
    memset(d->corner, 0, d->m * sizeof *d->corner);
    if (e->spent != AM_NO_ROW && e->present->split) {
        facet_time(d, e, k, length);
        return;
    }
    for (size_t c = 0; c < e->m; c++) {
        unsigned char what = e->hit[c] & (unsigned char)~AM_HIT_STOP;
        if (!what)
            continue;
        if (what & AM_HIT_GAP)
            weight_of_row(d, k, e->system->contact[c].normal);
        else
            weight_of_force(d, e, k, c, what & AM_HIT_NORMAL ? 0.0 : what & AM_HIT_FORWARD ? 1.0 : -1.0);
        double rate = rate_at(e, c, what, length);
        through_stuck(d, k, d->row, d->corner);
        for (size_t j = 0; j < d->m; j++)
            d->corner[j] = rate != 0.0 ? -d->corner[j] / rate : 0.0;
        return;
    }
}

am_status am_path_derivative_leave(am_path_derivative *derivative, am_path_engine *engine, double to, am_error *err) {
    am_path_derivative *d = derivative;
    const am_path_engine *e = engine;
    am_path_plan *plan;
    AM_TRY(am_path_combination(engine, e->state, &plan, err));
    const am_combination *k = &plan->k;
    for (size_t c = 0; c < d->m; c++) {
        position(d, e, k, c, d->positions + c * d->m);
        d->slide[c] = rate_at(e, c, 0, to - e->t);
    }
    corner_time(d, e, k, to - e->t);
    return AM_OK;
}

void am_path_derivative_decide(am_path_derivative *derivative, const am_path_engine *engine,
                               const am_contact_state *before) {
    am_path_derivative *d = derivative;
    for (size_t c = 0; c < d->m; c++) {
        if (engine->state[c] != AM_STICK || before[c] == AM_STICK)
            continue;
        for (size_t j = 0; j < d->m; j++)
            d->D[c * d->m + j] = d->positions[c * d->m + j] + d->slide[c] * d->corner[j];
    }
}

am_status am_path_derivative_positions(am_path_derivative *derivative, am_path_engine *engine, double *out,
                                       am_error *err) {
    am_path_plan *plan;
    am_status status = am_path_combination(engine, engine->state, &plan, err);
    for (size_t c = 0; !status && c < derivative->m; c++)
        position(derivative, engine, &plan->k, c, out + c * derivative->m);
    return status;
}
