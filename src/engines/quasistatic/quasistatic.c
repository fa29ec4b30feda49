#include "engines/quasistatic/quasistatic.h"
#include "base/try.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/dense.h"
#include "math/pi.h"
#include "system/generator.h"

double am_path_largest(const double *x, size_t n) {
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

double am_path_size(const double *a, const double *x, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(a[i] * x[i]);
    return sum;
}

bool am_path_same_point(const am_path_engine *engine, const am_path_point *point, const am_path_point *other,
                        bool forces, double tolerance, double least_q, double least_force) {
    double q_scale, normal_scale, tangential_scale;
    double q = am_path_distance(point->q, other->q, engine->n, &q_scale);
    double normal = am_path_distance(point->normal, other->normal, engine->m, &normal_scale);
    double tangential = am_path_distance(point->tangential, other->tangential, engine->m, &tangential_scale);
    double force_scale = fmax(least_force, fmax(normal_scale, tangential_scale));
    return q <= tolerance * fmax(q_scale, least_q) && (!forces || fmax(normal, tangential) <= tolerance * force_scale);
}

double am_path_distance(const double *x, const double *y, size_t n, double *scale) {
    double most = 0.0;
    *scale = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        *scale = fmax(*scale, fmax(fabs(x[i]), fabs(y[i])));
    }
    return most;
}

/* ---- creation ---- */

static double term_frequency(const am_function *f) {
    switch (f->kind) {
    case AM_FUNCTION_SINE:
        return fabs(f->frequency);
    case AM_FUNCTION_PULSE:
        return two_pi / f->duration;
    case AM_FUNCTION_CHIRP:
        return fmax(f->frequency, f->frequency + f->rate * f->duration);
    case AM_FUNCTION_TABLE: /* a spline turns as fast as its points follow each other */
        return f->moments && f->count > 1 ? (double)(f->count - 1) / (f->times[f->count - 1] - f->times[0]) : 0.0;
    case AM_FUNCTION_CONSTANT:
    case AM_FUNCTION_RAMP:
    case AM_FUNCTION_IMPULSE:
        break;
    }
    return 0.0;
}

static double frequency_of(const am_function *function) {
    double fastest = 0.0;
    for (const am_function *f = function; f; f = f->plus)
        fastest = fmax(fastest, term_frequency(f));
    return fastest;
}

static double fastest_load(const am_system *system) {
    double fastest = 0.0;
    for (size_t l = 0; l < system->loads; l++)
        fastest = fmax(fastest, frequency_of(&system->load[l].function));
    for (size_t c = 0; c < system->m; c++)
        if (system->contact[c].normal_law == AM_HELD)
            fastest = fmax(fastest, frequency_of(&system->contact[c].hold));
    for (size_t c = 0; c < system->m; c++) { /* what a surface does is no straight line, even if its velocity is one */
        if (system->drawn[c])
            fastest = fmax(fastest, fmax(DBL_MIN, frequency_of(&system->contact[c].surface_motion)));
        if (system->lifted[c]) /* where a support is, is asked of the inputs at every instant */
            fastest = fmax(fastest, fmax(DBL_MIN, frequency_of(&system->contact[c].gap_motion)));
    }
    return fastest;
}

static am_path_point new_point(am_arena *memory, size_t n, size_t m, am_error *err) {
    am_path_point point;
    point.q = am_arena_doubles(memory, NULL, n, err);
    AM_ARENA_DOUBLES(memory, m, err, &point.normal, &point.tangential);
    return point;
}

static void reserve_series(am_path_engine *e, size_t orders, am_error *err) {
    am_arena *memory = &e->memory;
    for (size_t k = 0; k < orders; k++) {
        e->series[k] = new_point(memory, e->n, e->m, err);
        e->candidate[k] = new_point(memory, e->n, e->m, err);
        e->chosen[k] = new_point(memory, e->n, e->m, err);
        AM_ARENA_DOUBLES(memory, e->n, err, &e->force[k], &e->load_size[k], &e->q_size[k]);
        e->held[k] = am_arena_doubles(memory, NULL, e->m, err);
    }
    e->z = am_arena_doubles(memory, NULL, orders * e->system->nz, err);
}

static am_status reserve(am_path_engine *e, am_error *err) {
    size_t n = e->n, m = e->m;
    am_arena *memory = &e->memory;
    reserve_series(e, e->fastest > 0.0 ? AM_COEFFICIENTS : 2, err);
    AM_ARENA_ARRAYS(memory, am_contact_state, m, err, &e->state, &e->trial);
    e->hit = am_arena_new(memory, m, sizeof *e->hit, err);
    e->standing = am_arena_new(memory, m, sizeof *e->standing, err);
    e->choices = am_arena_new(memory, m, sizeof *e->choices, err);
    e->apart = am_arena_new(memory, m, sizeof *e->apart, err);
    e->origin = am_arena_new(memory, m, sizeof *e->origin, err);
    e->best = am_arena_new(memory, m, sizeof *e->best, err);
    e->K = am_arena_doubles(memory, NULL, n * n, err);
    AM_ARENA_DOUBLES(memory, n, err, &e->right, &e->right_size, &e->q_scale, &e->reference, &e->base_force);
    AM_ARENA_DOUBLES(memory, m, err, &e->stuck, &e->since, &e->base_held, &e->tangent_sum, &e->normal_sum);
    AM_ARENA_DOUBLES(memory, 2 * m, err, &e->given, &e->lambda);
    return am_arena_status(memory);
}

am_status am_path_engine_init(am_path_engine *engine, const am_system *system, am_error *err) {
    am_path_engine *e = engine;
    size_t n = system->n, m = system->m;
    *e = (am_path_engine){.system = system, .n = n, .m = m, .fastest = fastest_load(system)};
    if (am_path_cache_init(&e->cache, n, m, err) || reserve(e, err)) {
        am_path_engine_clear(e);
        return AM_ERR_MEMORY;
    }
    for (size_t c = 0; c < m; c++)
        for (size_t i = 0; i < n; i++) {
            e->tangent_sum[c] += fabs(system->contact[c].tangent[i]);
            e->normal_sum[c] += fabs(system->contact[c].normal[i]);
        }
    e->base_t = INFINITY;
    am_matrix_to_dense(system->K, e->K);
    return AM_OK;
}

void am_path_engine_clear(am_path_engine *engine) {
    am_path_cache_clear(&engine->cache);
    am_arena_clear(&engine->memory);
    *engine = (am_path_engine){0};
}

void am_path_copy(const am_path_engine *engine, am_path_point *to, const am_path_point *from) {
    memcpy(to->q, from->q, engine->n * sizeof *to->q);
    memcpy(to->normal, from->normal, engine->m * sizeof *to->normal);
    memcpy(to->tangential, from->tangential, engine->m * sizeof *to->tangential);
}

/* ---- loads ---- */

/* Loads are measured by the largest entry of their generator's state: unlike the load itself it does not pass through
 * zero at the crest of a sine, and so tells how large rounding is there. */
static void measure_loads(am_path_engine *e, size_t order) {
    const am_system *s = e->system;
    const double *z = e->z + order * s->nz;
    double *size = e->load_size[order];
    memset(size, 0, e->n * sizeof *size);
    for (size_t l = 0; l < s->loads; l++) {
        double block = am_path_largest(z + s->load_start[l], am_generator_size(&s->load[l].function));
        for (size_t i = 0; block > 0.0 && i < e->n; i++)
            size[i] += block * fabs(s->load[l].direction[i]);
    }
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &s->contact[c];
        if (contact->normal_law != AM_HELD)
            continue;
        double block = am_path_largest(z + s->hold_start[c], am_functions_size(&contact->hold));
        for (size_t i = 0; block > 0.0 && i < e->n; i++)
            size[i] += block * ((contact->normal ? fabs(contact->normal[i]) : 0.0) +
                                contact->friction * fabs(contact->tangent[i]));
    }
}

/* z_(k+1) = G z_k / (k+1). False when it vanishes. */
static bool next_input(const am_path_engine *e, size_t order) {
    const am_system *s = e->system;
    const double *z = e->z + order * s->nz;
    double *next = e->z + (order + 1) * s->nz, scale = 1.0 / (double)(order + 1);
    bool any = false;
    memset(next, 0, s->nz * sizeof *next);
    for (size_t i = 0; i < s->entries; i++) {
        next[s->G[i].row] += scale * s->G[i].value * z[s->G[i].column];
        any = any || next[s->G[i].row] != 0.0;
    }
    return any;
}

/* Bounds of what a combination is given at an order from 1 on, phases of sines and friction of held contacts left aside. */
static void bound_loads(am_path_engine *e, size_t order) {
    double most = 0.0;
    for (size_t c = 0; c < e->m; c++)
        most = fmax(most, fmax(am_path_surface_size(e, c, order), am_path_gap_size(e, c, order)));
    e->right_bound[order] = fmax(am_path_largest(e->load_size[order], e->n), am_path_largest(e->force[order], e->n));
    e->given_bound[order] = most;
}

static void load_order(am_path_engine *e, size_t order) {
    const am_system *s = e->system;
    const double *z = e->z + order * s->nz;
    am_dense_apply(s->input, e->n, s->nz, z, e->force[order]);
    am_dense_apply(s->hold, e->m, s->nz, z, e->held[order]);
    if (order == 0) /* sizes are compared with rates alone */
        return;
    measure_loads(e, order);
    bound_loads(e, order);
}

/* Between two breaks linear loads are where their rates have brought them. */
static bool load_linearly(am_path_engine *e, double t) {
    if (e->fastest > 0.0 || !(t >= e->base_t && t < e->base_end))
        return false;
    double since = t - e->base_t;
    for (size_t i = 0; i < e->n; i++)
        e->force[0][i] = e->base_force[i] + since * e->force[1][i];
    for (size_t c = 0; c < e->m; c++)
        e->held[0][c] = e->base_held[c] + since * e->held[1][c];
    return true;
}

static void load_afresh(am_path_engine *e, double t) {
    am_system_inputs(e->system, t, e->z);
    load_order(e, 0);
    next_input(e, 0);
    load_order(e, 1);
    e->orders = 2;
    while (e->fastest > 0.0 && e->orders < AM_COEFFICIENTS && next_input(e, e->orders - 1))
        load_order(e, e->orders++);
    for (size_t c = 0; c < e->m && e->orders < AM_COEFFICIENTS; c++)
        if (e->system->drawn[c]) { /* displacements of surfaces have one order more than their velocities */
            load_order(e, e->orders++);
            break;
        }
    if (e->fastest > 0.0)
        return;
    e->base_t = t;
    e->base_end = am_system_next_break(e->system, t);
    memcpy(e->base_force, e->force[0], e->n * sizeof *e->base_force);
    memcpy(e->base_held, e->held[0], e->m * sizeof *e->base_held);
}

void am_path_load(am_path_engine *engine, double t) {
    am_path_engine *e = engine;
    e->t = t;
    if (!load_linearly(e, t))
        load_afresh(e, t);
    e->force_scale = fmax(e->force_scale, am_path_largest(e->force[0], e->n));
}

double am_path_next_break(const am_path_engine *engine) {
    return engine->fastest > 0.0 ? am_system_next_break(engine->system, engine->t) : engine->base_end;
}

void am_path_note_scales(am_path_engine *engine, const am_path_point *point) {
    am_path_engine *e = engine;
    for (size_t i = 0; i < e->n; i++)
        e->q_scale[i] = fmax(e->q_scale[i], fabs(point->q[i]));
    for (size_t c = 0; c < e->m; c++)
        e->force_scale = fmax(e->force_scale, fmax(fabs(point->normal[c]), fabs(point->tangential[c])));
}

/* ---- solving one combination ---- */

/* K q = force + friction of held contacts + B lambda, J q = given: at any order of the series. */
static void solve(am_path_engine *e, const am_combination *k, const double *force, const double *held,
                  am_path_point *p) {
    memcpy(e->right, force, e->n * sizeof *e->right);
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        double friction =
            contact->normal_law == AM_HELD ? am_slip_sign(k->state[c]) * contact->friction * held[c] : 0.0;
        for (size_t i = 0; friction != 0.0 && i < e->n; i++)
            e->right[i] += friction * contact->tangent[i];
    }
    am_dense_apply(k->Y, e->n, e->n, e->right, p->q);
    am_dense_add(k->Yc, e->n, k->p, e->given, p->q);
    am_dense_apply(k->L, k->p, e->n, e->right, e->lambda);
    am_dense_add(k->Lc, k->p, k->p, e->given, e->lambda);
    am_candidates_forces(k, e->system, e->lambda, held, p->normal, p->tangential);
}

double am_path_surface(const am_path_engine *engine, size_t contact, size_t order) {
    const am_system *s = engine->system;
    if (!s->drawn[contact])
        return order == 1 ? s->contact[contact].surface_velocity : 0.0;
    return am_dense_dot(s->surface + contact * s->nz, engine->z + (order - 1) * s->nz, s->nz) / (double)order;
}

/* The size of a function of time with this row over the inputs: unlike it the states it is made of do not pass through
 * zero together. */
static double size_of_motion(const am_path_engine *e, const am_function *motion, size_t start, const double *row,
                             size_t order) {
    const double *z = e->z + order * e->system->nz;
    size_t states = am_functions_size(motion);
    double block = am_path_largest(row + start, states) * am_path_largest(z + start, states);
    return block + fabs(row[0] * z[0]);
}

double am_path_surface_size(const am_path_engine *engine, size_t contact, size_t order) {
    const am_system *s = engine->system;
    if (!s->drawn[contact])
        return fabs(am_path_surface(engine, contact, order));
    return size_of_motion(engine, &s->contact[contact].surface_motion, s->surface_start[contact],
                          s->surface + contact * s->nz, order - 1) /
           (double)order;
}

double am_path_gap(const am_path_engine *engine, size_t contact, size_t order) {
    const am_system *s = engine->system;
    if (!s->lifted[contact])
        return order == 0 ? s->contact[contact].gap : 0.0;
    return am_dense_dot(s->gap + contact * s->nz, engine->z + order * s->nz, s->nz);
}

double am_path_gap_size(const am_path_engine *engine, size_t contact, size_t order) {
    const am_system *s = engine->system;
    if (!s->lifted[contact])
        return fabs(am_path_gap(engine, contact, order));
    return size_of_motion(engine, &s->contact[contact].gap_motion, s->gap_start[contact], s->gap + contact * s->nz,
                          order);
}

/* What the closed and stuck contacts prescribe at an order of the series from 1 on: the support lifts those that are
 * closed, the surface carries those that stick. */
static void choose_order(am_path_engine *e, const am_combination *k, size_t order) {
    for (size_t c = 0; c < e->m; c++) {
        if (k->normal_row[c] != AM_NO_ROW)
            e->given[k->normal_row[c]] = -am_path_gap(e, c, order);
        if (k->stick_row[c] != AM_NO_ROW)
            e->given[k->stick_row[c]] = am_path_surface(e, c, order);
    }
}

/* Sizes of what rows are given: how many of them count, none where supports and surfaces rest. */
static size_t count_sizes(am_path_engine *e, const am_combination *k, size_t order) {
    for (size_t c = 0; c < e->m; c++) {
        if (k->normal_row[c] != AM_NO_ROW)
            e->given[k->normal_row[c]] = am_path_gap_size(e, c, order);
        if (k->stick_row[c] != AM_NO_ROW)
            e->given[k->stick_row[c]] = am_path_surface_size(e, c, order);
    }
    return am_path_largest(e->given, k->p) > 0.0 ? k->p : 0;
}

double am_path_force_bound(const am_path_engine *engine, size_t order) {
    const am_path_plan *plan = engine->tried;
    double right = engine->right_bound[order];
    return fmax(right, plan->L * right + plan->Lc * engine->given_bound[order]);
}

double am_path_row_bound(const am_path_engine *engine, size_t order, double sum) {
    const am_path_plan *plan = engine->tried;
    return sum * (plan->Y * engine->right_bound[order] + plan->Yc * engine->given_bound[order]);
}

/* Sizes of the terms that a coefficient was added up from: they tell zero from rounding. */
static void measure_order(am_path_engine *e, size_t order) {
    const am_combination *k = &e->tried->k;
    double size = 0.0;
    size_t given = count_sizes(e, k, order);
    for (size_t i = 0; i < e->n; i++) {
        e->right_size[i] = fmax(e->load_size[order][i], fabs(e->force[order][i]));
        size = fmax(size, e->right_size[i]);
    }
    for (size_t i = 0; i < e->n; i++)
        e->q_size[order][i] =
            am_path_size(k->Y + i * e->n, e->right_size, e->n) + am_path_size(k->Yc + i * k->p, e->given, given);
    for (size_t r = 0; r < k->p; r++)
        size = fmax(size, am_path_size(k->L + r * e->n, e->right_size, e->n) +
                              am_path_size(k->Lc + r * k->p, e->given, given));
    e->force_size[order] = size;
}

void am_path_measure_orders(am_path_engine *engine, size_t order) {
    for (; engine->measured <= order; engine->measured++)
        measure_order(engine, engine->measured);
}

void am_path_solve_orders(am_path_engine *engine, size_t order) {
    am_path_engine *e = engine;
    for (; e->solved <= order; e->solved++) {
        choose_order(e, &e->tried->k, e->solved);
        solve(e, &e->tried->k, e->force[e->solved], e->held[e->solved], &e->candidate[e->solved]);
    }
}

void am_path_solve_total(am_path_engine *engine, const am_combination *k, const double *reference,
                         am_path_point *point) {
    am_path_engine *e = engine;
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        if (k->normal_row[c] != AM_NO_ROW)
            e->given[k->normal_row[c]] = -am_path_gap(e, c, 0);
        if (k->stick_row[c] != AM_NO_ROW)
            e->given[k->stick_row[c]] = reference ? am_dense_dot(contact->tangent, reference, e->n)
                                                  : e->stuck[c] + am_system_carried(e->system, c, e->since[c], e->t);
    }
    solve(e, k, e->force[0], e->held[0], point);
}

void am_path_note_terms(am_path_engine *engine, const am_combination *k) {
    am_path_engine *e = engine;
    for (size_t i = 0; i < e->n; i++)
        e->q_scale[i] = fmax(e->q_scale[i], am_path_size(k->Y + i * e->n, e->right, e->n) +
                                                am_path_size(k->Yc + i * k->p, e->given, k->p));
}

/* ---- quantities ---- */

double am_path_engine_continuity(const am_path_engine *engine) {
    /* A structure that hardly moves is measured by what the loads would do to the stiffest of its springs. */
    double stiffest = am_path_largest(engine->K, engine->n * engine->n);
    double scale =
        fmax(am_path_largest(engine->q_scale, engine->n), stiffest > 0.0 ? engine->force_scale / stiffest : 0.0);
    return scale > 0.0 ? engine->continuity / scale : 0.0;
}

double am_path_engine_gap(const am_path_engine *engine, size_t contact, const double *q) {
    const am_contact_def *def = &engine->system->contact[contact];
    return am_dense_dot(def->normal, q, engine->n) + am_path_gap(engine, contact, 0);
}

double am_path_gap_tolerance(const am_path_engine *engine, size_t contact) {
    const am_contact_def *def = &engine->system->contact[contact];
    return AM_PATH_SAME_VALUE *
           (am_path_gap_size(engine, contact, 0) + am_path_size(def->normal, engine->q_scale, engine->n));
}

double am_path_slide(const am_path_engine *engine, const am_path_point *point, size_t contact, size_t order,
                     double sign) {
    const am_contact_def *def = &engine->system->contact[contact];
    return sign * (am_dense_dot(def->tangent, point->q, engine->n) - am_path_surface(engine, contact, order));
}

bool am_path_held(const am_path_engine *engine, size_t contact) {
    return engine->system->contact[contact].normal_law == AM_HELD;
}

static void evaluate(const am_path_engine *e, double s, size_t count, size_t member, double *out) {
    memset(out, 0, count * sizeof *out);
    for (size_t k = e->orders; k-- > 0;) {
        const am_path_point *p = &e->series[k];
        const double *x = member == 0 ? p->q : member == 1 ? p->normal : p->tangential;
        for (size_t i = 0; i < count; i++)
            out[i] = out[i] * s + x[i];
    }
}

void am_path_engine_at(const am_path_engine *engine, double t, am_path_point *point) {
    double s = t - engine->t;
    evaluate(engine, s, engine->n, 0, point->q);
    evaluate(engine, s, engine->m, 1, point->normal);
    evaluate(engine, s, engine->m, 2, point->tangential);
}

am_status am_path_engine_advance(am_path_engine *engine, double t, am_error *err) {
    am_path_engine *e = engine;
    am_path_plan *plan;
    AM_TRY(am_path_combination(e, e->state, &plan, err));
    am_path_load(e, t);
    am_path_solve_total(e, &plan->k, NULL, &e->series[0]);
    am_path_note_scales(e, &e->series[0]);
    am_path_note_terms(e, &plan->k);
    for (size_t c = 0; c < e->m; c++)
        if (am_path_held(e, c) && e->held[0][c] < -AM_PATH_SAME_VALUE * e->force_scale)
            return am_fail(err, AM_ERR_INPUT, "the held normal force of %s becomes negative before t = %.10g",
                           e->system->contact[c].name, t);
    return AM_OK;
}

am_status am_path_engine_expand(am_path_engine *engine, am_error *err) {
    am_path_engine *e = engine;
    AM_TRY(am_path_combination(e, e->state, &e->tried, err));
    e->present = e->tried;
    e->solved = e->measured = 1;
    am_path_solve_orders(e, e->orders - 1);
    for (size_t k = 1; k < e->orders; k++)
        am_path_copy(e, &e->series[k], &e->candidate[k]);
    return AM_OK;
}
