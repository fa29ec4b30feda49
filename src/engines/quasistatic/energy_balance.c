/* The balance of energy along a path, slip and loss of every contact, and the residuals of equilibrium and contact
 * laws. Exact: forces and velocities are polynomials on every stretch. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "engines/quasistatic/path_walk.h"
#include "engines/quasistatic/quasistatic.h"
#include "math/dense.h"

am_status am_path_balance_init(am_path_balance *balance, const am_path_engine *engine, am_error *err) {
    *balance = (am_path_balance){0};
    balance->work = am_arena_doubles(&balance->memory, NULL, engine->n, err);
    AM_ARENA_DOUBLES(&balance->memory, engine->m, err, &balance->slip, &balance->loss);
    return am_arena_status(&balance->memory);
}

void am_path_balance_clear(am_path_balance *balance) {
    am_arena_clear(&balance->memory);
    *balance = (am_path_balance){0};
}

static double stored_energy(am_path_balance *b, const am_path_engine *e) {
    am_matrix_apply(e->system->K, e->series[0].q, b->work);
    return 0.5 * am_dense_dot(e->series[0].q, b->work, e->n);
}

static void note_worst(double *worst, double value, double scale) {
    if (scale > 0.0 && !(value / scale <= *worst))
        *worst = value / scale;
}

/* Equilibrium and contact laws of the present point. */
static void check_point(am_path_balance *b, const am_path_engine *e) {
    const am_path_point *p = &e->series[0];
    am_path_point shown = {p->q, e->lambda, e->lambda + e->m};
    memcpy(shown.normal, p->normal, e->m * sizeof *shown.normal);
    memcpy(shown.tangential, p->tangential, e->m * sizeof *shown.tangential);
    am_path_share_point(e, &shown);
    am_matrix_apply(e->system->K, p->q, b->work);
    for (size_t i = 0; i < e->n; i++)
        b->work[i] -= e->force[0][i];
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        bool held = am_path_held(e, c); /* its normal force is among the loads already */
        double N = shown.normal[c], T = shown.tangential[c];
        for (size_t i = 0; i < e->n; i++)
            b->work[i] -= (held ? 0.0 : contact->normal[i] * N) + contact->tangent[i] * T;
        note_worst(&b->laws, fmax(-N, fabs(T) - contact->friction * N), e->force_scale);
        if (held)
            continue;
        double gap = am_path_engine_gap(e, c, p->q);
        double size = am_path_gap_size(e, c, 0) + am_path_size(contact->normal, e->q_scale, e->n);
        note_worst(&b->laws, e->state[c] == AM_OPEN ? -gap : fabs(gap), size);
    }
    for (size_t i = 0; i < e->n; i++)
        note_worst(&b->equilibrium, fabs(b->work[i]), e->force_scale);
}

void am_path_balance_start(am_path_balance *balance, const am_path_engine *engine) {
    am_path_balance *b = balance;
    memset(b->slip, 0, engine->m * sizeof *b->slip);
    memset(b->loss, 0, engine->m * sizeof *b->loss);
    b->work_loads = b->work_surface = b->loss_friction = b->loss_jump = b->moved = 0.0;
    b->stored_first = b->stored = stored_energy(b, engine);
    check_point(b, engine);
}

/* Work of the loads on the stretch: integral of F.q', term by term. */
static double work_of_loads(const am_path_engine *e, double length) {
    double work = 0.0, force_power = 1.0;
    for (size_t j = 0; j < e->orders; j++, force_power *= length) {
        double power = force_power;
        for (size_t k = 1; k < e->orders; k++) {
            power *= length;
            work += am_dense_dot(e->force[j], e->series[k].q, e->n) * power * (double)k / (double)(j + k);
        }
    }
    return work;
}

/* Integral of T times the sliding velocity of contact c. */
static double work_of_slip(const am_path_engine *e, size_t c, double length) {
    double slide[AM_COEFFICIENTS], work = 0.0, force_power = 1.0;
    for (size_t k = 1; k < e->orders; k++)
        slide[k] = am_path_slide(e, &e->series[k], c, k, 1.0);
    for (size_t j = 0; j < e->orders; j++, force_power *= length) {
        double power = force_power;
        for (size_t k = 1; k < e->orders; k++) {
            power *= length;
            work += e->series[j].tangential[c] * slide[k] * power * (double)k / (double)(j + k);
        }
    }
    return work;
}

/* Integral of T times the velocity of the surface over the stretch, and of N times that of the support. */
static double work_of_surface(const am_path_engine *e, size_t c, double length) {
    double sum = 0.0;
    for (size_t k = 1; k < e->orders; k++) {
        double carried = am_path_surface(e, c, k), lifted = -am_path_gap(e, c, k);
        if (carried == 0.0 && lifted == 0.0)
            continue;
        double power = pow(length, (double)k);
        for (size_t j = 0; j < e->orders; j++, power *= length)
            sum += (e->series[j].tangential[c] * carried + e->series[j].normal[c] * lifted) * power * (double)k /
                   (double)(j + k);
    }
    return sum;
}

static double slid(const am_path_engine *e, size_t c, double length) {
    double sum = 0.0, power = length;
    for (size_t k = 1; k < e->orders; k++, power *= length)
        sum += am_path_slide(e, &e->series[k], c, k, 1.0) * power;
    return sum;
}

void am_path_balance_stretch(am_path_balance *balance, const am_path_engine *engine, double to) {
    const am_path_engine *e = engine;
    double length = to - e->t, work = work_of_loads(e, length);
    balance->work_loads += work;
    balance->moved += fabs(work);
    for (size_t c = 0; c < e->m; c++) {
        double surface = work_of_surface(e, c, length);
        balance->work_surface += surface;
        balance->moved += fabs(surface);
        if (e->state[c] != AM_FORWARD && e->state[c] != AM_BACKWARD)
            continue;
        double loss = -work_of_slip(e, c, length);
        balance->loss[c] += loss;
        balance->slip[c] += fabs(slid(e, c, length));
        balance->loss_friction += loss;
        balance->moved += fabs(loss);
    }
}

void am_path_balance_arrive(am_path_balance *balance, const am_path_engine *engine) {
    am_path_balance *b = balance;
    check_point(b, engine);
    b->stored = stored_energy(b, engine);
    double open = b->stored - b->stored_first - b->work_loads - b->work_surface + b->loss_friction + b->loss_jump;
    note_worst(&b->residual, fabs(open), fmax(b->moved, fmax(b->stored, b->stored_first)));
}

void am_path_balance_jump(am_path_balance *balance, const am_path_engine *engine, const double *before) {
    am_path_balance *b = balance;
    double work = 0.0, stored = b->stored;
    for (size_t i = 0; i < engine->n; i++)
        work += engine->force[0][i] * (engine->series[0].q[i] - before[i]);
    b->stored = stored_energy(b, engine);
    double loss = work - (b->stored - stored);
    b->work_loads += work;
    b->loss_jump += loss;
    b->moved += fabs(work) + fabs(loss);
    check_point(b, engine);
}
