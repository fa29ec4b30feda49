/* The linear pieces: for each combination of contact states the matrices of the motion and the rows of what bounds it.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/piecewise/engine.h"
#include "math/dense.h"
#include "math/lu.h"

/* ---- what is known ---- */

static am_status check_contact(const am_contact_def *c, am_error *err) {
    if (c->normal_law != AM_HELD && c->normal_law != AM_KELVIN_VOIGT)
        return am_fail(
            err, AM_ERR_UNSUPPORTED,
            "the normal law of '%s' is neither held nor kelvin-voigt, and its motion is not followed exactly", c->name);
    if (c->static_friction > c->friction)
        return am_fail(err, AM_ERR_UNSUPPORTED, "static friction at '%s' is above the kinetic one", c->name);
    if (c->regularisation > 0.0 && (c->normal_law != AM_HELD || c->hold.kind != AM_FUNCTION_CONSTANT || c->hold.plus))
        return am_fail(err, AM_ERR_UNSUPPORTED, "regularised friction at '%s' has a normal force that varies", c->name);
    return AM_OK;
}

static am_status check_system(const am_system *s, am_error *err) {
    if (s->polynomials > 0)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "with polynomial springs beside contacts no exact motion is at hand: the motion is neither "
                       "smooth nor linear between switches");
    for (size_t l = 0; l < s->loads; l++)
        if (s->load[l].function.kind == AM_FUNCTION_IMPULSE)
            return am_fail(err, AM_ERR_UNSUPPORTED, "blows are not followed here");
    for (size_t c = 0; c < s->m; c++)
        AM_TRY(check_contact(&s->contact[c], err));
    return AM_OK;
}

static am_rubbing rubbing_of(const am_contact_def *c) {
    if (!(c->friction > 0.0))
        return AM_RUBS_NOT;
    if (c->tangential_stiffness > 0.0)
        return AM_RUBS_SLIDER;
    return c->regularisation > 0.0 ? AM_RUBS_SMOOTHED : AM_RUBS_RIGID;
}

/* ---- the structure ---- */

am_piecewise *am_piecewise_create(am_error *err) {
    return am_memory_new(1, sizeof(am_piecewise), err);
}

static void clear(am_piecewise *e) {
    for (am_piece_flow *flow = e->flows; flow; flow = flow->next)
        am_propagator_free(flow->propagator);
    am_arena_clear(&e->flow_memory);
    am_arena_clear(&e->memory);
    *e = (am_piecewise){0};
}

void am_piecewise_free(am_piecewise *engine) {
    if (!engine)
        return;
    clear(engine);
    am_memory_free(engine);
}

/* One block of doubles, cut into arrays; the few arrays of other types behind it. */
static am_status reserve(am_piecewise *e, const am_system *s, size_t sliders, am_error *err) {
    clear(e);
    size_t n = s->n, m = s->m, nz = s->nz, nd = 2 * n + sliders, nx = nd + nz;
    e->n = n, e->m = m, e->nz = nz, e->sliders = sliders, e->nd = nd, e->nx = nx;
    e->constant_count = 3 * n * n + m * (2 * n + 8);
    am_arena *memory = &e->memory;
    e->constants = am_arena_doubles(memory, NULL, e->constant_count, err);
    AM_ARENA_DOUBLES(memory, n * n, err, &e->Aq, &e->Av);
    e->Bz = am_arena_doubles(memory, NULL, n * nz, err);
    AM_ARENA_DOUBLES(memory, m * n, err, &e->Bn, &e->Bt);
    e->W = am_arena_doubles(memory, NULL, m * m, err);
    e->G = am_arena_doubles(memory, NULL, nz * nz, err);
    AM_ARENA_DOUBLES(memory, nd, err, &e->weight, &e->x, &e->trial, &e->rate, &e->rate_before, &e->start, &e->end,
                     &e->re, &e->im);
    AM_ARENA_DOUBLES(memory, nz, err, &e->z, &e->trial_z);
    AM_ARENA_DOUBLES(memory, 3 * m, err, &e->value, &e->slope);
    e->S = am_arena_doubles(memory, NULL, nd * nd, err);
    AM_ARENA_DOUBLES(memory, n, err, &e->cosine, &e->sine, &e->first);
    e->series = am_arena_doubles(memory, NULL, AM_PIECE_ORDERS * nd, err);
    e->input_series = am_arena_doubles(memory, NULL, AM_PIECE_ORDERS * nz, err);
    e->row = am_arena_doubles(memory, NULL, nx, err);
    e->matrix = am_arena_doubles(memory, NULL, 4 * (nd + 1) * (nd + 1), err);
    e->step = am_arena_doubles(memory, NULL, nd + 1, err);
    e->slider = am_arena_new(memory, m, sizeof *e->slider, err);
    e->rubbing = am_arena_new(memory, m, sizeof *e->rubbing, err);
    AM_ARENA_ARRAYS(memory, am_piece, m, err, &e->state, &e->start_state);
    e->pivots = am_arena_new(memory, nd + 1, sizeof *e->pivots, err);
    e->disarmed = am_arena_new(memory, 3 * m, sizeof *e->disarmed, err);
    e->held_on = am_arena_new(memory, m, sizeof *e->held_on, err);
    e->zeros = am_arena_new(memory, 3 * m, sizeof *e->zeros, err);
    return am_arena_status(memory);
}

/* Everything that A of any flow is made of. */
static void gather_constants(const am_piecewise *e, double *to) {
    const am_system *s = e->system;
    size_t n = e->n;
    am_matrix_to_dense(s->M, to);
    am_matrix_to_dense(s->C, to + n * n);
    am_matrix_to_dense(s->K, to + 2 * n * n);
    for (size_t i = 0; s->circulatory && i < n * n; i++)
        to[2 * n * n + i] += am_matrix_at(s->circulatory, i / n, i % n);
    to += 3 * n * n;
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &s->contact[c];
        memcpy(to, contact->normal, n * sizeof *to);
        memcpy(to + n, contact->tangent, n * sizeof *to);
        to += 2 * n;
        const double numbers[8] = {contact->normal_law,
                                   contact->friction,
                                   contact->tangential_stiffness,
                                   contact->contact_stiffness,
                                   contact->contact_damping,
                                   contact->regularisation,
                                   contact->regularisation > 0.0 ? contact->hold.value : 0.0,
                                   rubbing_of(contact)};
        memcpy(to, numbers, sizeof numbers);
        to += 8;
    }
}

static double weighted_row(const double *row, const double *weight, size_t n, double own) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
        sum += fabs(row[j]) * own / weight[j];
    return sum;
}

/* q by sqrt(M_ii), q' by sqrt(M_ii)/frequency, a slider as the displacement along its tangent. */
static void weigh(am_piecewise *e, const double *M) {
    size_t n = e->n;
    double stiff = 0.0, damp = 0.0;
    for (size_t i = 0; i < n; i++)
        e->weight[i] = sqrt(M[i * n + i]);
    for (size_t i = 0; i < n; i++) {
        stiff = fmax(stiff, weighted_row(e->Aq + i * n, e->weight, n, e->weight[i]));
        damp = fmax(damp, weighted_row(e->Av + i * n, e->weight, n, e->weight[i]));
    }
    double frequency = stiff > 0.0 ? sqrt(stiff) : damp > 0.0 ? damp : 1.0;
    for (size_t i = 0; i < n; i++)
        e->weight[n + i] = e->weight[i] / frequency;
    for (size_t c = 0; c < e->m; c++)
        if (e->slider[c] != AM_NO_SLIDER) {
            double reach = 0.0;
            for (size_t i = 0; i < n; i++)
                reach += fabs(e->system->contact[c].tangent[i]) / e->weight[i];
            e->weight[2 * n + e->slider[c]] = reach > 0.0 ? 1.0 / reach : 1.0;
        }
}

/* M^-1 times everything. */
static am_status solve_structure(am_piecewise *e, am_error *err) {
    size_t n = e->n, nz = e->nz;
    const double *M = e->constants, *C = M + n * n, *K = C + n * n;
    double *inverse = e->matrix, rcond = 0.0;
    for (size_t i = 0; i < n; i++)
        if (!(M[i * n + i] > 0.0))
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "the coordinate '%s' has no mass: exact motions need mass in every direction",
                           am_system_name(e->system, i));
    for (size_t i = 0; i < n * n; i++) /* in units of the masses, so that the condition is not one of units */
        inverse[i] = M[i] / sqrt(M[(i / n) * (n + 1)] * M[(i % n) * (n + 1)]);
    am_status status = am_dense_invert(inverse, n, &rcond, err);
    if (status || !(rcond > 1e-13))
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "some direction has no mass: exact motions need mass in every direction");
    for (size_t i = 0; i < n * n; i++)
        inverse[i] /= sqrt(M[(i / n) * (n + 1)] * M[(i % n) * (n + 1)]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double k = 0.0, c = 0.0;
            for (size_t l = 0; l < n; l++) {
                k += inverse[i * n + l] * K[l * n + j];
                c += inverse[i * n + l] * C[l * n + j];
            }
            e->Aq[i * n + j] = -k;
            e->Av[i * n + j] = -c;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < nz; j++) {
            double b = 0.0;
            for (size_t l = 0; l < n; l++)
                b += inverse[i * n + l] * e->system->input[l * nz + j];
            e->Bz[i * nz + j] = b;
        }
    for (size_t c = 0; c < e->m; c++) {
        am_dense_apply(inverse, n, n, e->system->contact[c].normal, e->Bn + c * n);
        am_dense_apply(inverse, n, n, e->system->contact[c].tangent, e->Bt + c * n);
    }
    for (size_t a = 0; a < e->m; a++)
        for (size_t b = 0; b < e->m; b++)
            e->W[a * e->m + b] = am_dense_dot(e->system->contact[a].tangent, e->Bt + b * n, n);
    weigh(e, M);
    return AM_OK;
}

/* Rigid contacts whose forces are not unique as long as they all stick. */
static am_status check_independent(am_piecewise *e, am_error *err) {
    size_t k = 0, m = e->m;
    double *a = e->matrix;
    size_t rigid = 0;
    for (size_t c = 0; c < m; c++)
        rigid += e->rubbing[c] == AM_RUBS_RIGID;
    for (size_t c = 0; c < m; c++)
        for (size_t d = 0; d < m && e->rubbing[c] == AM_RUBS_RIGID; d++)
            if (e->rubbing[d] == AM_RUBS_RIGID)
                a[k++] = e->W[c * m + d] / sqrt(e->W[c * m + c] * e->W[d * m + d]);
    double rcond = 1.0;
    if (rigid > e->n || (rigid > 0 && (am_dense_invert(a, rigid, &rcond, NULL) || !(rcond > 1e-12))))
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "rigid friction contacts whose directions depend on each other are not followed exactly here");
    return AM_OK;
}

am_status am_piecewise_set(am_piecewise *e, const am_system *system, am_error *err) {
    am_status status = check_system(system, err);
    size_t springs = 0;
    for (size_t c = 0; c < system->m; c++)
        springs += rubbing_of(&system->contact[c]) == AM_RUBS_SLIDER;
    bool same = e->zeros && e->n == system->n && e->m == system->m && e->nz == system->nz && e->sliders == springs;
    if (!status && !same)
        status = reserve(e, system, springs, err);
    if (status)
        return status;
    e->system = system;
    double *fresh = am_memory_new(e->constant_count, sizeof *fresh, err);
    if (!fresh)
        return AM_ERR_MEMORY;
    gather_constants(e, fresh);
    if (!same || memcmp(fresh, e->constants, e->constant_count * sizeof *fresh)) {
        memcpy(e->constants, fresh, e->constant_count * sizeof *fresh);
        e->structure++;
    }
    am_memory_free(fresh);
    e->inputs++;
    for (size_t c = 0, s = 0; c < e->m; c++) {
        e->rubbing[c] = rubbing_of(&system->contact[c]);
        e->slider[c] = e->rubbing[c] == AM_RUBS_SLIDER ? s++ : AM_NO_SLIDER;
    }
    memset(e->G, 0, e->nz * e->nz * sizeof *e->G);
    for (size_t i = 0; i < system->entries; i++)
        e->G[system->G[i].row * e->nz + system->G[i].column] += system->G[i].value;
    status = solve_structure(e, err);
    return status ? status : check_independent(e, err);
}

/* ---- rows ---- */

double am_piece_dot(const am_piecewise *e, const double *row) {
    return am_dense_dot(row, e->x, e->nd) + am_dense_dot(row + e->nd, e->z, e->nz);
}

static double scale_of(const am_piecewise *e, double reach, const double *row) {
    double sum = reach * e->size;
    for (size_t j = 0; j < e->nz; j++)
        sum += fabs(row[e->nd + j] * e->z[j]);
    return sum;
}

double am_piece_scale(const am_piecewise *e, const am_bound *bound) {
    return scale_of(e, bound->reach, bound->row);
}

double am_piece_rate_scale(const am_piecewise *e, const am_bound *bound) {
    return scale_of(e, bound->rate_reach, bound->rate);
}

void am_piece_rate(const am_piecewise *e, const am_piece_flow *flow, double *rate) {
    am_dense_apply(flow->A, e->nd, e->nd, e->x, rate);
    am_dense_add(flow->B, e->nd, e->nz, e->z, rate);
}

/* row += factor n.q + other n.q' along a direction */
static void add_along(const am_piecewise *e, const double *direction, double on_q, double on_v, double *row) {
    for (size_t i = 0; i < e->n; i++) {
        row[i] += on_q * direction[i];
        row[e->n + i] += on_v * direction[i];
    }
}

static void add_scaled(double *row, double factor, const double *other, size_t count) {
    for (size_t i = 0; i < count; i++)
        row[i] += factor * other[i];
}

/* What pushes: k d + c d', with d = -(n.q + gap); of held contacts what is given. z[0] is the constant 1. */
static void write_push(const am_piecewise *e, size_t c, double *row) {
    const am_contact_def *contact = &e->system->contact[c];
    if (contact->normal_law == AM_HELD) {
        memcpy(row + e->nd, e->system->hold + c * e->nz, e->nz * sizeof *row);
        return;
    }
    add_along(e, contact->normal, -contact->contact_stiffness, -contact->contact_damping, row);
    row[e->nd] -= contact->contact_stiffness * contact->gap;
}

/* T of contacts that do not stick rigidly. */
static void write_friction(const am_piecewise *e, const am_piece_flow *flow, size_t c, double *row) {
    const am_contact_def *contact = &e->system->contact[c];
    am_piece state = flow->state[c];
    if (e->rubbing[c] == AM_RUBS_NOT || !am_piece_closed(state))
        return;
    if (state != AM_PIECE_HOLDS) {
        add_scaled(row, -am_piece_sign(state) * contact->friction, flow->normal + c * e->nx, e->nx);
    } else if (e->rubbing[c] == AM_RUBS_SLIDER) {
        add_along(e, contact->tangent, -contact->tangential_stiffness, 0.0, row);
        row[2 * e->n + e->slider[c]] += contact->tangential_stiffness;
    } else if (e->rubbing[c] == AM_RUBS_SMOOTHED) {
        double damping = contact->friction * contact->hold.value / contact->regularisation;
        add_along(e, contact->tangent, 0.0, -damping, row);
        row[e->nd] += damping * contact->surface_velocity;
    }
}

static double *acceleration_row(const am_piecewise *e, double *rows, size_t i) {
    return rows + i * e->nx;
}

/* Forces that keep the rigid contacts from sliding: t.q'' = 0 for all of them at once. accelerations: n x nx. */
static am_status hold_rigid(am_piecewise *e, am_piece_flow *flow, double *accelerations, am_error *err) {
    size_t k = 0, m = e->m, nx = e->nx;
    for (size_t c = 0; c < m; c++)
        k += e->rubbing[c] == AM_RUBS_RIGID && flow->state[c] == AM_PIECE_HOLDS;
    if (k == 0)
        return AM_OK;
    am_arena memory = {0};
    double *W = am_arena_doubles(&memory, NULL, k * k, err), *side = am_arena_doubles(&memory, NULL, k * nx, err);
    size_t *which = am_arena_new(&memory, k, sizeof *which, err);
    int *order = am_arena_new(&memory, k, sizeof *order, err);
    am_status status = am_arena_status(&memory);
    for (size_t c = 0, a = 0; c < m && !status; c++)
        if (e->rubbing[c] == AM_RUBS_RIGID && flow->state[c] == AM_PIECE_HOLDS)
            which[a++] = c;
    for (size_t a = 0; a < k && !status; a++) {
        for (size_t b = 0; b < k; b++)
            W[a * k + b] = e->W[which[a] * m + which[b]];
        for (size_t i = 0; i < e->n; i++)
            for (size_t j = 0; j < nx; j++) /* one right side after the other */
                side[j * k + a] -= e->system->contact[which[a]].tangent[i] * accelerations[i * nx + j];
    }
    if (!status && !am_lu_factor(W, k, order))
        status = am_fail(err, AM_ERR_UNSUPPORTED, "contacts stick whose directions depend on each other");
    if (!status)
        am_lu_solve(W, k, order, nx, side);
    for (size_t a = 0; a < k && !status; a++)
        for (size_t j = 0; j < nx; j++) {
            flow->friction[which[a] * nx + j] = side[j * k + a];
            for (size_t i = 0; i < e->n; i++)
                accelerations[i * nx + j] += e->Bt[which[a] * e->n + i] * side[j * k + a];
        }
    am_arena_clear(&memory);
    return status;
}

static am_status write_accelerations(am_piecewise *e, am_piece_flow *flow, double *rows, am_error *err) {
    size_t n = e->n, nx = e->nx;
    memset(flow->normal, 0, 2 * e->m * nx * sizeof *flow->normal); /* friction lies behind */
    for (size_t i = 0; i < n; i++) {
        double *row = acceleration_row(e, rows, i);
        memset(row, 0, nx * sizeof *row);
        memcpy(row, e->Aq + i * n, n * sizeof *row);
        memcpy(row + n, e->Av + i * n, n * sizeof *row);
        memcpy(row + e->nd, e->Bz + i * e->nz, e->nz * sizeof *row);
    }
    for (size_t c = 0; c < e->m; c++) {
        if (!am_piece_closed(flow->state[c]))
            continue;
        double *N = flow->normal + c * nx, *T = flow->friction + c * nx;
        write_push(e, c, N);
        write_friction(e, flow, c, T);
        bool held = e->system->contact[c].normal_law == AM_HELD; /* its push is one of the inputs */
        for (size_t i = 0; i < n; i++) {
            add_scaled(acceleration_row(e, rows, i), held ? 0.0 : e->Bn[c * n + i], N, nx);
            add_scaled(acceleration_row(e, rows, i), e->Bt[c * n + i], T, nx);
        }
    }
    return hold_rigid(e, flow, rows, err);
}

/* ---- bounds ---- */

/* rate = d(row . (x, z))/dt of the flow */
static void write_rate(const am_piecewise *e, const am_piece_flow *flow, const double *row, double *rate) {
    memset(rate, 0, e->nx * sizeof *rate);
    for (size_t i = 0; i < e->nd; i++)
        if (row[i] != 0.0) {
            add_scaled(rate, row[i], flow->A + i * e->nd, e->nd);
            add_scaled(rate + e->nd, row[i], flow->B + i * e->nz, e->nz);
        }
    for (size_t j = 0; j < e->nz; j++)
        if (row[e->nd + j] != 0.0)
            add_scaled(rate + e->nd, row[e->nd + j], e->G + j * e->nz, e->nz);
}

static double *add_bound(const am_piecewise *e, am_piece_flow *flow, size_t contact, am_bound_kind kind) {
    double *row = flow->rows + 2 * flow->bounds * e->nx;
    memset(row, 0, 2 * e->nx * sizeof *row);
    flow->bound[flow->bounds++] = (am_bound){.contact = contact, .kind = kind, .row = row, .rate = row + e->nx};
    return row;
}

static void add_normal_bounds(const am_piecewise *e, am_piece_flow *flow, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    if (contact->normal_law == AM_HELD)
        return;
    if (am_piece_closed(flow->state[c])) {
        memcpy(add_bound(e, flow, c, AM_BOUND_PUSH), flow->normal + c * e->nx, e->nx * sizeof(double));
        return;
    }
    bool apart = flow->state[c] == AM_PIECE_APART;
    double *gap = add_bound(e, flow, c, apart ? AM_BOUND_GAP : AM_BOUND_DEPTH), sign = apart ? 1.0 : -1.0;
    add_along(e, contact->normal, sign, 0.0, gap);
    gap[e->nd] += sign * contact->gap;
    if (!apart) {
        double *push = add_bound(e, flow, c, AM_BOUND_RECOVER);
        write_push(e, c, push);
        for (size_t i = 0; i < e->nx; i++)
            push[i] = -push[i];
    }
}

/* mu N -+ T, or the velocity at which regularised friction saturates less the sliding velocity. */
static void add_reserves(const am_piecewise *e, am_piece_flow *flow, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    for (int side = 0; side < 2; side++) {
        double sign = side ? 1.0 : -1.0, *row = add_bound(e, flow, c, side ? AM_BOUND_LOWER : AM_BOUND_UPPER);
        if (e->rubbing[c] == AM_RUBS_SMOOTHED) { /* beyond v0 the force is -mu N */
            add_along(e, contact->tangent, 0.0, -sign, row);
            row[e->nd] += contact->regularisation + sign * contact->surface_velocity;
        } else {
            add_scaled(row, contact->friction, flow->normal + c * e->nx, e->nx);
            add_scaled(row, sign, flow->friction + c * e->nx, e->nx);
        }
    }
}

/* The velocity of slip in its own direction; the slider's is t.q' less the rate of the stretch, sign mu N'/k_t. */
static void add_slide(am_piecewise *e, am_piece_flow *flow, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    double sign = am_piece_sign(flow->state[c]), *row = add_bound(e, flow, c, AM_BOUND_SLIDE);
    if (e->rubbing[c] == AM_RUBS_SLIDER) {
        write_rate(e, flow, flow->normal + c * e->nx, row);
        for (size_t i = 0; i < e->nx; i++)
            row[i] *= -contact->friction / contact->tangential_stiffness;
        add_along(e, contact->tangent, 0.0, sign, row);
        return;
    }
    add_along(e, contact->tangent, 0.0, sign, row);
    row[e->nd] -= sign * contact->surface_velocity;
    if (e->rubbing[c] == AM_RUBS_SMOOTHED)
        row[e->nd] -= contact->regularisation;
}

static void write_bounds(am_piecewise *e, am_piece_flow *flow) {
    flow->bounds = 0;
    for (size_t c = 0; c < e->m; c++) {
        add_normal_bounds(e, flow, c);
        if (e->rubbing[c] == AM_RUBS_NOT || !am_piece_closed(flow->state[c]))
            continue;
        if (flow->state[c] == AM_PIECE_HOLDS)
            add_reserves(e, flow, c);
        else
            add_slide(e, flow, c);
    }
    for (size_t b = 0; b < flow->bounds; b++) {
        const double *row = flow->bound[b].row;
        write_rate(e, flow, row, flow->rows + (2 * b + 1) * e->nx);
        for (size_t i = 0; i < e->nd; i++) {
            flow->bound[b].reach += fabs(row[i]) / e->weight[i];
            flow->bound[b].rate_reach += fabs(row[e->nx + i]) / e->weight[i];
        }
    }
}

/* ---- flows ---- */

/* A power of two, so that it seldom changes with the frequency of the loads. */
static double base_length(const am_piecewise *e, const am_piece_flow *flow) {
    double norm = 0.0;
    for (size_t i = 0; i < e->nd; i++)
        norm = fmax(norm, weighted_row(flow->A + i * e->nd, e->weight, e->nd, e->weight[i]));
    norm = fmax(norm, am_dense_largest(e->G, e->nz * e->nz));
    int exponent = 0;
    frexp(AM_PROPAGATOR_REACH / (norm > 0.0 ? norm : 1.0), &exponent);
    return ldexp(0.5, exponent);
}

static am_status make_flow(am_piecewise *e, am_piece_flow *flow, am_error *err) {
    size_t n = e->n, nd = e->nd, nz = e->nz;
    double *rows = am_memory_new(n * e->nx, sizeof *rows, err);
    am_status status = rows ? write_accelerations(e, flow, rows, err) : AM_ERR_MEMORY;
    if (!status) {
        memset(flow->A, 0, (nd * nd + nd * nz) * sizeof *flow->A); /* B lies behind */
        for (size_t i = 0; i < n; i++) {
            flow->A[i * nd + n + i] = 1.0;
            memcpy(flow->A + (n + i) * nd, rows + i * e->nx, nd * sizeof *rows);
            memcpy(flow->B + (n + i) * nz, rows + i * e->nx + nd, nz * sizeof *rows);
        }
        write_bounds(e, flow);
        double base = base_length(e, flow);
        if (flow->structure != e->structure || base != am_propagator_length(flow->propagator, 0))
            am_propagator_set(flow->propagator, flow->A, base);
        am_propagator_set_inputs(flow->propagator, flow->B, e->G);
        flow->structure = e->structure;
        flow->inputs = e->inputs;
    }
    am_memory_free(rows);
    return status;
}

static am_piece_flow *new_flow(am_piecewise *e, am_error *err) {
    size_t m = e->m, nx = e->nx, nd = e->nd;
    am_arena *memory = &e->flow_memory;
    am_piece_flow *flow = am_arena_new(memory, 1, sizeof *flow, err);
    if (!flow)
        return NULL;
    flow->state = am_arena_new(memory, m, sizeof *flow->state, err);
    flow->bound = am_arena_new(memory, 3 * m, sizeof *flow->bound, err);
    flow->A = am_arena_doubles(memory, NULL, nd * nx + 8 * m * nx, err);
    if (am_arena_status(memory) || !(flow->propagator = am_propagator_create(nd, e->nz, err)))
        return NULL;
    flow->next = e->flows;
    e->flows = flow;
    flow->B = flow->A + nd * nd;
    flow->normal = flow->A + nd * nx;
    flow->friction = flow->normal + m * nx;
    flow->rows = flow->friction + m * nx;
    memcpy(flow->state, e->state, m * sizeof *flow->state);
    return flow;
}

am_piece_flow *am_piece_flow_get(am_piecewise *e, am_error *err) {
    am_piece_flow *flow = e->flows;
    while (flow && (!flow->rows || memcmp(flow->state, e->state, e->m * sizeof *e->state)))
        flow = flow->next;
    if (!flow)
        flow = new_flow(e, err);
    if (!flow)
        return NULL;
    if (flow->inputs != e->inputs && make_flow(e, flow, err))
        return NULL;
    return flow;
}
