/* Load steps of structures whose springs are not linear, or vary with the load parameter: polynomial springs, stiffness
 * k(t), and contacts on layers K_c d^beta. All coordinates stay, and Newton's method solves
 *
 *     K q + g(q, t) = F + sum of n N + t T
 *
 * with the laws of contact at the end of the step. In given states
 *
 *     N = K_c d^beta (a layer), N(t) (held), or n.q + gap = 0 (rigid)
 *     T = -k (e0 + x) (a slider that sticks behind a spring), -/+ mu N (slip), or x = 0 (stick)
 *
 * or, under friction that follows the way alone (dahl, bouc-wen), T = -F(z) with dz = r(N, z) dx, integrated over the way,
 * with x the way of the contact in the step against its surface. mu falls with the distance slid (weakening), or drops
 * where slip begins, which is a jump. Newton's method changes states as it goes. An equilibrium
 * counts as the next one of the path if the matrix there has a positive determinant (as that of a structure at rest has)
 * and it is no further away than the matrices at both ends of the step explain. Otherwise the step is divided, and where
 * it is as short as rounding lets it be, the path has come to a limit point: it jumps. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "base/watch.h"
#include "engines/quasistatic/incremental_internal.h"
#include "laws/law.h"
#include "math/dense.h"
#include "math/lu.h"
#include "system/friction_pieces.h"
#include "system/system.h"

/* Rounds of Newton's method; from the first number on one contact at a time changes its state. */
enum { TOGETHER = 30, MOST_ROUNDS = 120 };
/* Rounds in which slides and coefficients follow each other, and the change of a coefficient that ends them. */
enum { MOST_SLIDES = 2000 };
static const double settled = 1e-6;

/* A step has converged when Newton's method moves it by no more than this part of the displacements, and forces balance
 * to this part of the largest. */
static const double converged = 1e-11, balanced = 1e-10;
/* Violations below this part of the largest force, or displacement, are none. */
static const double rounding = 1e-12;
/* How much further than the matrices at its ends explain a step may go; and what passes whatever its cause, as a part of
 * the largest displacement. */
static const double out_of_proportion = 2.0, smallest_jump = 1e-6;
/* How much softer than at its end a structure may be at the beginning of a step. */
static const double softest = 20.0;
/* The part of its whole fall by which a coefficient may fall in a step. */
static const double coarse = 0.25;
/* The shortest part of a load step. */
static const double shortest = 1e-10;
/* How much further on in the load the next equilibrium is looked for. */
static const double further = 8.0;

struct am_path_curved {
    size_t n, m, size;    /* size: of the present matrix: coordinates, normal forces and friction of rigid contacts */
    double *K, *M;        /* n x n; (n + 2m) squared: the matrix, then its factors */
    int *order;           /* n + 2m */
    double *u, *r;        /* n + 2m: q, and the forces that hold rigid contacts; residual, then step */
    double *q0;           /* n: at the beginning of the step */
    double *g, *gq;       /* n, n x n */
    double *z, *F;        /* nz, n: inputs and loads */
    double *carried;      /* m: ways of surfaces in the step */
    double *stretch;      /* m: of springs behind sliders */
    double *N, *T, *x;    /* m: of the present iterate */
    double *bent, *bends; /* m: deflections of laws that follow the way, at the start of the step and of the iterate */
    double *by_way, *by_normal; /* m: slopes of their friction, and of that which weakens */
    bool lagging, releasing;    /* coefficients that weaken, or drop, are those in `lag` (m), whatever slides */
    double *lag;
    size_t *normal_at, *tangent_at; /* m: places in u; 0: none */
    am_contact_state *trial, *next; /* m */
    double *rest, *after;           /* n: velocities, all zero; workspace */
    double stiffest;                /* entry of K */
    double largest;                 /* displacement so far */
    double force_now, way_now;      /* the largest force and displacement, those of the present iterate included */
};

typedef struct am_path_curved curved;

am_status am_path_curved_init(am_path_incremental *e, am_error *err) {
    size_t n = e->system->n, m = e->m, most = n + 2 * m;
    am_arena *memory = &e->memory;
    curved *k = e->curved = am_arena_new(memory, 1, sizeof *k, err);
    if (!k)
        return AM_ERR_MEMORY;
    *k = (curved){.n = n, .m = m};
    AM_ARENA_DOUBLES(memory, n * n, err, &k->K, &k->gq);
    k->M = am_arena_doubles(memory, NULL, most * most, err);
    AM_ARENA_DOUBLES(memory, most, err, &k->u, &k->r);
    AM_ARENA_DOUBLES(memory, n, err, &k->q0, &k->g, &k->F, &k->rest, &k->after);
    AM_ARENA_DOUBLES(memory, m, err, &k->carried, &k->stretch, &k->N, &k->T, &k->x, &k->bent, &k->bends, &k->by_way,
                     &k->by_normal, &k->lag);
    k->z = am_arena_doubles(memory, NULL, e->system->nz, err);
    k->order = am_arena_new(memory, most, sizeof *k->order, err);
    AM_ARENA_ARRAYS(memory, size_t, m, err, &k->normal_at, &k->tangent_at);
    AM_ARENA_ARRAYS(memory, am_contact_state, m, err, &k->trial, &k->next);
    AM_TRY(am_arena_status(memory));
    am_matrix_to_dense(e->system->K, k->K);
    k->stiffest = am_dense_largest(k->K, n * n);
    return AM_OK;
}

/* ---- laws ---- */

static bool is_rigid(const am_path_incremental *e, size_t c) {
    return e->system->contact[c].normal_law == AM_UNILATERAL;
}

static double spring_of(const am_path_incremental *e, size_t c) {
    return e->system->contact[c].tangential_stiffness;
}

static double gap_of(const am_path_incremental *e, size_t c, const double *q) {
    return am_dense_dot(e->system->contact[c].normal, q, e->system->n) + am_system_gap(e->system, c, e->curved->z);
}

/* N of a layer and its slope over the depth. */
static double layer(const am_contact_def *contact, double depth, double *slope) {
    double beta = contact->normal_law == AM_HUNT_CROSSLEY ? contact->contact_exponent : 1.0;
    double power = depth > 0.0 ? contact->contact_stiffness * pow(depth, beta - 1.0) : 0.0;
    *slope = beta * power;
    return power * fmax(depth, 0.0);
}

static bool follows_way(const am_path_incremental *e, size_t c) {
    return am_law_is_rate_independent(&e->system->contact[c].speed_friction);
}

/* dz/d|x| on the way in the direction of `sign`; z along it. */
static double bending(const am_speed_friction *use, double N, double z) {
    return am_law_drag_at(use, 1.0, N, &z).rate[0].value;
}

/* z after a way h, by Gragg's rule in so many parts. */
static double gragg(const am_speed_friction *use, double N, double z, double h, size_t parts) {
    double part = h / (double)parts, before = z, now = z + part * bending(use, N, z);
    for (size_t i = 1; i < parts; i++) {
        double next = before + 2.0 * part * bending(use, N, now);
        before = now;
        now = next;
    }
    return 0.5 * (now + before + part * bending(use, N, now));
}

/* The same with 2, 4, 6, ... parts, extrapolated to none (Bulirsch and Stoer); *error: of the last column. */
static double extrapolate(const am_speed_friction *use, double N, double z, double h, double *error) {
    enum { COLUMNS = 8 };
    double row[COLUMNS] = {0}, best = z;
    for (size_t k = 0; k < COLUMNS; k++) {
        double above = row[0];
        row[0] = gragg(use, N, z, h, 2 * (k + 1));
        for (size_t j = 1; j <= k; j++) {
            double ratio = (double)(k + 1) / (double)(k + 1 - j), value = row[j - 1];
            double next = value + (value - above) / (ratio * ratio - 1.0);
            above = row[j];
            row[j] = next;
        }
        *error = fabs(row[k] - best);
        best = row[k];
        if (k > 1 && *error <= 1e-15 * fabs(best))
            break;
    }
    return best;
}

/* z after the way: pieces of it on which z changes by no more than extrapolation sees, divided at corners of the law. */
static double bend(const am_speed_friction *use, double N, double z, double way) {
    double gone = 0.0, piece = way;
    while (gone < way) {
        double error, rate = fabs(am_law_drag_at(use, 1.0, N, &z).rate[0].by_w[0]);
        piece = fmin(piece, fmin(way - gone, rate > 0.0 ? 1.0 / rate : way));
        double next = extrapolate(use, N, z, piece, &error);
        if (error > 1e-13 * fmax(fabs(next), fabs(z)) && piece > 1e-9 * way) {
            piece *= 0.5;
            continue;
        }
        if (fabs(next - z) <= DBL_EPSILON * fabs(z) && rate > 0.0) /* saturated: no further way changes it */
            return next;
        z = next;
        gone = way - gone <= piece ? way : gone + piece;
        piece *= 2.0;
    }
    return z;
}

/* Friction over the way x of the step; without pressure its deflection is forgotten. */
static void follow_way(const am_path_incremental *e, size_t c) {
    curved *k = e->curved;
    const am_speed_friction *use = &e->system->contact[c].speed_friction;
    double sign = k->x[c] < 0.0 ? -1.0 : 1.0, N = k->N[c], way = fabs(k->x[c]), from = sign * k->bent[c];
    k->bends[c] = k->by_way[c] = k->by_normal[c] = 0.0;
    if (k->trial[c] == AM_OPEN || !(N > 0.0))
        return;
    double z = bend(use, N, from, way), apart = 1e-6 * N, more = 0.0, less = 0.0;
    am_drag at = am_law_drag_at(use, 1.0, N, &z);
    if (e->system->contact[c].normal_law != AM_HELD) { /* the matrix alone needs it */
        more = bend(use, N + apart, from, way);
        less = bend(use, N - apart, from, way);
    }
    k->bends[c] = sign * z;
    k->T[c] = -sign * at.force.value;
    k->by_way[c] = -at.force.by_w[0] * at.rate[0].value;
    k->by_normal[c] = -sign * (at.force.by_N + at.force.by_w[0] * 0.5 * (more - less) / apart);
}

static double slip_sign(am_contact_state state) {
    return state == AM_FORWARD ? 1.0 : state == AM_BACKWARD ? -1.0 : 0.0;
}

/* Does it slip with a coefficient that falls on the way? */
static bool weakens(const am_path_incremental *e, size_t c) {
    return slip_sign(e->curved->trial[c]) != 0.0 && am_path_weakening(e, c);
}

/* Up to which coefficient a force T holds: of one that drops to the static one, but for a contact that went on slipping
 * that way. */
static double holding(const am_path_incremental *e, size_t c, double T) {
    const am_friction *law = am_path_weakening(e, c);
    double slope;
    if (law ? e->curved->lagging : e->curved->releasing)
        return e->curved->lag[c];
    if (law)
        return am_friction_at(law, e->slid[c], &slope);
    return am_path_coefficient(e, c, slip_sign(e->state[c]) * T < 0.0 ? e->state[c] : AM_STICK);
}

/* T = -/+ f(s0 + w) N at the end of the slide w of the step. A slider behind a spring k stops where its spring meets
 * friction: k (E - w) = f(s0 + w) N, with E the stretch if it stuck. */
static void weaken(const am_path_incremental *e, size_t c) {
    curved *k = e->curved;
    const am_friction *law = am_path_weakening(e, c);
    double sign = slip_sign(k->trial[c]), spring = spring_of(e, c), N = fmax(k->N[c], 0.0), slope;
    double end = e->slid[c] + fmax(0.0, sign * k->x[c]), relaxes = 1.0;
    if (spring > 0.0) {
        double stretch = sign * (k->stretch[c] + k->x[c]);
        double excess = spring * stretch - am_friction_at(law, e->slid[c], &slope) * N;
        end = excess > 0.0 ? am_friction_meets(law, spring, N, stretch, e->slid[c], excess) : e->slid[c];
    }
    double mu = am_friction_at(law, end, &slope);
    if (k->lagging)
        mu = k->lag[c], slope = 0.0;
    relaxes = spring > 0.0 ? 1.0 + slope * N / spring : 1.0;
    k->T[c] = -sign * mu * N;
    k->by_way[c] = -slope * N / relaxes;
    k->by_normal[c] = -sign * mu / relaxes;
}

/* Which forces of rigid contacts are unknown in the present states. */
static void number_unknowns(const am_path_incremental *e) {
    curved *k = e->curved;
    k->size = k->n;
    for (size_t c = 0; c < k->m; c++) {
        bool closed = k->trial[c] != AM_OPEN, sticks = k->trial[c] == AM_STICK && !e->system->stop[c];
        sticks = sticks && !follows_way(e, c);
        k->normal_at[c] = closed && is_rigid(e, c) ? k->size++ : 0;
        k->tangent_at[c] = sticks && !(spring_of(e, c) > 0.0) ? k->size++ : 0;
    }
}

/* N and T of contact c at u, and dN/d(depth). */
static double find_forces(const am_path_incremental *e, size_t c) {
    curved *k = e->curved;
    const am_contact_def *contact = &e->system->contact[c];
    double slope = 0.0;
    k->N[c] = k->T[c] = k->x[c] = 0.0;
    if (contact->normal_law == AM_HELD)
        k->N[c] = am_dense_dot(e->system->hold + c * e->system->nz, k->z, e->system->nz);
    else if (k->normal_at[c] > 0)
        k->N[c] = k->u[k->normal_at[c]];
    else if (k->trial[c] != AM_OPEN)
        k->N[c] = layer(contact, -gap_of(e, c, k->u), &slope);
    if (e->system->stop[c])
        return slope;
    k->x[c] = am_dense_dot(contact->tangent, k->u, k->n) - am_dense_dot(contact->tangent, k->q0, k->n) - k->carried[c];
    if (follows_way(e, c))
        follow_way(e, c);
    else if (k->tangent_at[c] > 0)
        k->T[c] = k->u[k->tangent_at[c]];
    else if (k->trial[c] == AM_STICK)
        k->T[c] = -spring_of(e, c) * (k->stretch[c] + k->x[c]);
    else if (weakens(e, c))
        weaken(e, c);
    else
        k->T[c] = -slip_sign(k->trial[c]) * (k->releasing ? k->lag[c] : contact->friction) * k->N[c];
    return slope;
}

/* ---- the equations of a step ---- */

static void add_outer(double *M, size_t size, const double *column, const double *row, double factor, size_t n) {
    for (size_t i = 0; i < n && factor != 0.0; i++)
        for (size_t j = 0; j < n; j++)
            M[i * size + j] += factor * column[i] * row[j];
}

static void add_contact(const am_path_incremental *e, size_t c, bool matrix) {
    curved *k = e->curved;
    const am_contact_def *contact = &e->system->contact[c];
    size_t n = k->n, size = k->size;
    double slope = find_forces(e, c), mu = slip_sign(k->trial[c]) * (k->releasing ? k->lag[c] : contact->friction);
    bool way = follows_way(e, c) || weakens(e, c);
    mu = way ? -k->by_normal[c] : mu;
    bool held = contact->normal_law == AM_HELD; /* its push is one of the loads */
    const double *normal = contact->normal, *tangent = contact->tangent;
    for (size_t i = 0; i < n; i++)
        k->r[i] -= (held ? 0.0 : normal[i] * k->N[c]) + tangent[i] * k->T[c];
    if (k->normal_at[c] > 0)
        k->r[k->normal_at[c]] = gap_of(e, c, k->u);
    if (k->tangent_at[c] > 0)
        k->r[k->tangent_at[c]] = k->x[c];
    if (!matrix)
        return;
    add_outer(k->M, size, normal, normal, slope, n); /* dN = -slope n.dq, dT = -mu dN */
    add_outer(k->M, size, tangent, normal, -mu * slope, n);
    if (way)
        add_outer(k->M, size, tangent, tangent, -k->by_way[c], n);
    else if (k->trial[c] == AM_STICK && k->tangent_at[c] == 0 && !e->system->stop[c])
        add_outer(k->M, size, tangent, tangent, spring_of(e, c), n);
    for (size_t i = 0; i < n && k->normal_at[c] > 0; i++) {
        k->M[i * size + k->normal_at[c]] = -(normal[i] - mu * tangent[i]);
        k->M[k->normal_at[c] * size + i] = normal[i];
    }
    for (size_t i = 0; i < n && k->tangent_at[c] > 0; i++) {
        k->M[i * size + k->tangent_at[c]] = -tangent[i];
        k->M[k->tangent_at[c] * size + i] = tangent[i];
    }
}

/* The residual at u under the loads in F and z, and with `matrix` its derivative. */
static void assemble(const am_path_incremental *e, bool matrix) {
    curved *k = e->curved;
    size_t n = k->n;
    if (matrix) {
        memset(k->gq, 0, n * n * sizeof *k->gq);
        memset(k->M, 0, k->size * k->size * sizeof *k->M);
    }
    am_system_polynomial_force(e->system, k->u, k->rest, k->g, matrix ? k->gq : NULL, NULL);
    am_system_varying_force(e->system, k->z, k->u, k->g, matrix ? k->gq : NULL);
    for (size_t i = 0; i < n; i++) {
        k->r[i] = am_dense_dot(k->K + i * n, k->u, n) + k->g[i] - k->F[i];
        for (size_t j = 0; j < n && matrix; j++)
            k->M[i * k->size + j] = k->K[i * n + j] + k->gq[i * n + j];
    }
    for (size_t c = 0; c < k->m; c++)
        add_contact(e, c, matrix);
}

static void load_at(const am_path_incremental *e, double t) {
    curved *k = e->curved;
    am_system_inputs(e->system, t, k->z);
    am_dense_apply(e->system->input, k->n, e->system->nz, k->z, k->F);
}

/* ---- states ---- */

/* A contact that comes down goes on sliding as it came: if it stuck at once, it might be held above its surface. */
static am_contact_state touching_down(const am_path_incremental *e, size_t c) {
    double slide = e->curved->x[c];
    return e->system->stop[c] || spring_of(e, c) > 0.0 || slide == 0.0 ? AM_STICK
           : slide > 0.0                                               ? AM_FORWARD
                                                                       : AM_BACKWARD;
}

static am_contact_state wanted(const am_path_incremental *e, size_t c) {
    curved *k = e->curved;
    const am_contact_def *contact = &e->system->contact[c];
    bool held = contact->normal_law == AM_HELD;
    double force = rounding * k->force_now, gap = held ? 0.0 : gap_of(e, c, k->u);
    am_contact_state state = k->trial[c];
    if (!held && state == AM_OPEN)
        return gap < (is_rigid(e, c) ? -rounding * k->way_now : 0.0) ? touching_down(e, c) : AM_OPEN;
    double pull = follows_way(e, c) ? 0.0 : force; /* a deflection is forgotten where nothing presses */
    if (!held && (is_rigid(e, c) ? k->N[c] < -pull : gap >= 0.0))
        return AM_OPEN;
    if (e->system->stop[c])
        return AM_STICK;
    if (follows_way(e, c)) /* the name of its direction; forces do not depend on it */
        return k->x[c] > 0.0 ? AM_FORWARD : k->x[c] < 0.0 ? AM_BACKWARD : state == AM_OPEN ? AM_FORWARD : state;
    if (spring_of(e, c) > 0.0) { /* what the spring would bear if the slider stuck decides */
        double trial = -spring_of(e, c) * (k->stretch[c] + k->x[c]);
        bool holds = fabs(trial) <= holding(e, c, trial) * k->N[c] + force;
        bool turns = slip_sign(state) * trial > 0.0; /* not from one slip to the other at once */
        return holds || turns ? AM_STICK : trial < 0.0 ? AM_FORWARD : AM_BACKWARD;
    }
    if (state == AM_STICK)
        return fabs(k->T[c]) <= holding(e, c, k->T[c]) * k->N[c] + force ? AM_STICK
               : k->T[c] < 0.0                                           ? AM_FORWARD
                                                                         : AM_BACKWARD;
    return slip_sign(state) * k->x[c] >= -rounding * k->way_now ? state : AM_STICK;
}

static bool change_states(am_path_incremental *e, bool one) {
    curved *k = e->curved;
    bool changed = false;
    for (size_t c = 0; c < k->m; c++)
        k->next[c] = wanted(e, c);
    for (size_t c = 0; c < k->m && !(changed && one); c++) {
        changed = changed || k->next[c] != k->trial[c];
        k->trial[c] = k->next[c];
    }
    return changed;
}

/* The present forces on the rows of u, which change places with the states. */
static void put_forces(const am_path_incremental *e) {
    curved *k = e->curved;
    for (size_t c = 0; c < k->m; c++) {
        if (k->normal_at[c] > 0)
            k->u[k->normal_at[c]] = k->N[c];
        if (k->tangent_at[c] > 0)
            k->u[k->tangent_at[c]] = k->T[c];
    }
}

/* Forces that count are those of contacts, and the loads. */
static void measure(const am_path_incremental *e) {
    curved *k = e->curved;
    k->force_now = fmax(e->scale, am_dense_largest(k->F, k->n));
    for (size_t c = 0; c < k->m; c++)
        k->force_now = fmax(k->force_now, fmax(fabs(k->N[c]), fabs(k->T[c])));
    k->way_now = fmax(k->largest, am_dense_largest(k->u, k->n));
}

/* From u, under the loads in F and z. *found: an equilibrium, with the factors of its matrix in M. */
static am_status solve(am_path_incremental *e, bool *found, am_error *err) {
    curved *k = e->curved;
    *found = false;
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        AM_TRY(am_watch_spend((double)k->size * (double)k->size * (double)k->size, err));
        number_unknowns(e);
        put_forces(e);
        assemble(e, true);
        double left = am_dense_largest(k->r, k->n);
        e->last.iterations++;
        if (!am_lu_factor(k->M, k->size, k->order))
            return AM_OK;
        am_lu_solve(k->M, k->size, k->order, 1, k->r);
        double change = am_dense_largest(k->r, k->n);
        for (size_t i = 0; i < k->size; i++)
            k->u[i] -= k->r[i];
        if (!isfinite(change))
            return AM_OK;
        assemble(e, false);
        measure(e);
        bool moved = change_states(e, round >= TOGETHER);
        left = fmin(left, am_dense_largest(k->r, k->n));
        bool still = change <= converged * k->way_now || change * k->stiffest <= DBL_EPSILON * k->force_now;
        *found = !moved && still && left <= balanced * k->force_now;
        if (*found)
            return AM_OK;
    }
    return AM_OK;
}

/* ---- how far a step may go ---- */

/* How far the structure goes from t0 to t1 if the matrix whose factors are in M stands for it. */
static double explained(const am_path_incremental *e, double t0, double t1) {
    curved *k = e->curved;
    load_at(e, t1);
    assemble(e, false);
    memcpy(k->after, k->r, k->n * sizeof *k->r);
    load_at(e, t0);
    assemble(e, false);
    for (size_t i = 0; i < k->size; i++)
        k->r[i] = i < k->n ? k->r[i] - k->after[i] : 0.0;
    for (size_t c = 0; c < k->m; c++) {
        if (k->normal_at[c] > 0)
            k->r[k->normal_at[c]] = am_system_gap_at(e->system, c, t0) - am_system_gap_at(e->system, c, t1);
        if (k->tangent_at[c] > 0)
            k->r[k->tangent_at[c]] = k->carried[c];
        for (size_t i = 0; i < k->n && k->trial[c] == AM_STICK && k->tangent_at[c] == 0 && !e->system->stop[c]; i++)
            k->r[i] += spring_of(e, c) * e->system->contact[c].tangent[i] * k->carried[c];
    }
    am_lu_solve(k->M, k->size, k->order, 1, k->r);
    return am_dense_largest(k->r, k->n);
}

/* Where the step begins, in its states. */
static void stand_at_start(const am_path_incremental *e) {
    curved *k = e->curved;
    memcpy(k->u, k->q0, k->n * sizeof *k->u);
    memcpy(k->trial, e->state, k->m * sizeof *k->trial);
    memcpy(k->N, e->normal, k->m * sizeof *k->N);
    memcpy(k->T, e->tangential, k->m * sizeof *k->T);
}

/* A contact that begins to slip and drops is a jump; *which: it. */
static bool drops(const am_path_incremental *e, size_t *which) {
    for (*which = 0; *which < e->m; ++*which) {
        bool begins = slip_sign(e->curved->trial[*which]) != 0.0 && e->state[*which] == AM_STICK;
        if (begins && am_path_coefficient(e, *which, AM_STICK) > am_path_coefficient(e, *which, AM_FORWARD))
            return true;
    }
    return false;
}

/* Has a coefficient fallen too far for one step? */
static bool falls(const am_path_incremental *e) {
    curved *k = e->curved;
    for (size_t c = 0; c < e->m; c++) {
        const am_friction *law = weakens(e, c) ? am_path_weakening(e, c) : NULL;
        double slope, all = law ? am_friction_most(law) - am_friction_last(law) : 0.0;
        if (law && (am_friction_at(law, e->slid[c], &slope) - fabs(k->T[c]) / k->N[c]) > coarse * all && k->N[c] > 0.0)
            return true;
    }
    return false;
}

/* Tries to go from e->t to t. *found: there is a stable equilibrium; *next: and the path leads to it. */
static am_status attempt(am_path_incremental *e, double t, bool *found, bool *next, am_error *err) {
    curved *k = e->curved;
    double start = 0.0, end = 0.0, way = 0.0;
    size_t which;
    bool regular;
    for (size_t c = 0; c < k->m; c++)
        k->carried[c] = am_system_carried(e->system, c, e->t, t);
    stand_at_start(e);
    number_unknowns(e);
    put_forces(e);
    load_at(e, e->t);
    assemble(e, true);
    regular = am_lu_factor(k->M, k->size, k->order);
    start = regular ? explained(e, e->t, t) : 0.0;
    stand_at_start(e);
    load_at(e, t);
    AM_TRY(solve(e, found, err));
    *found = *next = *found && am_lu_sign(k->M, k->size, k->order) > 0;
    if (!*next)
        return AM_OK;
    for (size_t i = 0; i < k->n; i++)
        way = fmax(way, fabs(k->u[i] - k->q0[i]));
    end = explained(e, e->t, t);
    load_at(e, t);
    assemble(e, false);
    double trusted = fmax(end, fmin(start, softest * end)); /* at a limit point the first explains everything */
    bool nothing = way <= smallest_jump * k->way_now || way * k->stiffest <= rounding * k->force_now;
    *next = (nothing || way <= out_of_proportion * trusted) && !drops(e, &which) && !falls(e);
    return AM_OK;
}

/* ---- steps ---- */

/* What is left of the equations, and by how much laws are violated, over the largest force. */
static double residual_now(const am_path_incremental *e) {
    curved *k = e->curved;
    assemble(e, false);
    double worst = am_dense_largest(k->r, k->n);
    for (size_t c = 0; c < k->m; c++) {
        double limit = am_path_coefficient(e, c, e->state[c]) * e->normal[c], T = e->tangential[c];
        if (follows_way(e, c)) { /* the force of its deflection */
            worst = fmax(worst, fmax(fabs(T - k->T[c]), -e->normal[c]));
            continue;
        }
        worst = fmax(worst, fmax(fabs(T) - limit, -e->normal[c]));
        if (slip_sign(e->state[c]) != 0.0)
            worst = fmax(worst, fabs(T + slip_sign(e->state[c]) * limit));
    }
    return e->scale > 0.0 ? worst / e->scale : worst;
}

/* The iterate in u becomes the present point. What friction takes in a jump is not known: the way is missing.
 * (Where friction drops it is the kinetic one on all of it.) */
static am_status accept(am_path_incremental *e, double t, bool jumped, am_error *err) {
    curved *k = e->curved;
    double moved = 0.0;
    e->last.moving = 0;
    for (size_t c = 0; c < k->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        double before = e->position[c], stretch = k->stretch[c], pulled = e->tangential[c];
        bool spring = spring_of(e, c) > 0.0, open = k->trial[c] == AM_OPEN;
        e->state[c] = k->trial[c];
        e->normal[c] = k->N[c];
        e->tangential[c] = k->T[c];
        k->stretch[c] = spring && !open ? -k->T[c] / spring_of(e, c) : 0.0;
        e->position[c] = e->system->stop[c] ? 0.0 : am_dense_dot(contact->tangent, k->u, k->n) - k->stretch[c];
        e->gap[c] = contact->normal_law == AM_HELD || !open ? 0.0 : gap_of(e, c, k->u);
        double slide = k->x[c] + stretch - k->stretch[c];
        e->last.moving += k->trial[c] != AM_STICK;
        moved = fmax(moved, fabs(e->position[c] - before));
        k->bent[c] = k->bends[c];
        if (slip_sign(k->trial[c]) == 0.0)
            continue;
        const am_friction *law = am_path_weakening(e, c);
        double T = follows_way(e, c) ? 0.5 * (pulled + k->T[c]) : k->T[c], loss = -T * slide;
        if (law)
            loss = k->N[c] * (am_friction_work(law, e->slid[c] + fabs(slide)) - am_friction_work(law, e->slid[c]));
        e->slid[c] += law ? fabs(slide) : 0.0;
        if (jumped)
            continue;
        e->slip[c] += slide;
        e->loss[c] += loss;
        e->last.dissipation += loss;
    }
    memcpy(k->q0, k->u, k->n * sizeof *k->u);
    measure(e);
    e->scale = k->force_now;
    k->largest = k->way_now;
    e->last.moved = fmax(e->last.moved, moved);
    e->t = t;
    memset(k->carried, 0, k->m * sizeof *k->carried); /* counted */
    double residual = residual_now(e);
    e->last.residual = residual <= e->last.residual ? e->last.residual : residual;
    if (!(e->last.residual <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "at t = %.10g equilibrium and contact laws are violated by %.3g of the "
                       "largest force",
                       t, e->last.residual);
    return AM_OK;
}

/* The coefficient that goes with what contact c has slid at an equilibrium: where friction weakens, and where it drops. */
static double slid_to(const am_path_incremental *e, size_t c) {
    curved *k = e->curved;
    const am_friction *law = am_path_weakening(e, c);
    double sign = slip_sign(k->trial[c]), spring = spring_of(e, c), slope;
    double slide = spring > 0.0 ? k->stretch[c] + k->x[c] + k->T[c] / spring : k->x[c];
    if (sign == 0.0)
        return k->lag[c];
    return law ? am_friction_at(law, e->slid[c] + fmax(0.0, sign * slide), &slope)
               : am_path_coefficient(e, c, AM_FORWARD);
}

/* Coefficients fall to what goes with the slides of the equilibrium in u; by how much at most. */
static double fall_behind(const am_path_incremental *e) {
    double *lag = e->curved->lag, fallen = 0.0;
    for (size_t c = 0; c < e->m; c++) {
        double mu = fmin(slid_to(e, c), lag[c]);
        fallen = fmax(fallen, lag[c] - mu);
        lag[c] = mu;
    }
    return fallen;
}

/* Where falling friction leads: coefficients follow the slides that they cause, from equilibrium to equilibrium, so that
 * none is passed over; then those that weaken go with their slides at once. */
static am_status slide_on(am_path_incremental *e, double t, bool *found, am_error *err) {
    curved *k = e->curved;
    am_status status = AM_OK;
    stand_at_start(e);
    load_at(e, t);
    for (size_t c = 0; c < k->m; c++) {
        k->carried[c] = am_system_carried(e->system, c, e->t, t);
        k->lag[c] = holding(e, c, e->tangential[c]);
    }
    *found = k->lagging = k->releasing = true;
    for (size_t round = 0; round < MOST_SLIDES && *found && !status; round++) {
        status = solve(e, found, err);
        if (status || !*found || fall_behind(e) > settled)
            continue;
        k->lagging = false;
        status = solve(e, found, err);
        if (*found && !status && fall_behind(e) <= settled)
            break;
        k->lagging = true;
    }
    k->lagging = k->releasing = false;
    *found = *found && am_lu_sign(k->M, k->size, k->order) > 0;
    return status;
}

/* The next equilibrium. At a limit point Newton's method hardly knows where to go: then a little further on in the load.
 * *aim: where it was found; the path goes on from there. */
static am_status jump(am_path_incremental *e, double t, double *aim, bool found, am_error *err) {
    double start = e->t, moved = e->last.moved;
    size_t which;
    bool next;
    if (!e->let_jump && found && drops(e, &which))
        return am_path_refuse_drop(e, e->t, which, err);
    if (!e->let_jump)
        return am_fail(err, AM_ERR_NO_STATE,
                       "at t = %.10g there is no continuous way on: the path comes to a limit point, and the next "
                       "equilibrium is a jump away (on_jump: release goes on from there)",
                       e->t);
    bool falling = e->weakens || e->drops, stable = found;
    if (falling)
        AM_TRY(slide_on(e, *aim, &found, err));
    if (stable && !found)
        AM_TRY(attempt(e, *aim, &found, &next, err));
    while (!found && *aim < t) {
        *aim = fmin(t, e->t + further * (*aim - e->t));
        AM_TRY(attempt(e, *aim, &found, &next, err));
        if (falling && !found)
            AM_TRY(slide_on(e, *aim, &found, err));
    }
    if (!found)
        return am_fail(err, AM_ERR_NO_STATE,
                       "at t = %.10g the path comes to a limit point, and no other equilibrium was found from there: "
                       "`motion` tells where the structure goes",
                       e->t);
    e->last.moved = 0.0;
    AM_TRY(accept(e, *aim, !drops(e, &which), err));
    e->last.jumps++;
    e->last.jump_time = start;
    e->last.jump_size = e->last.moved;
    e->last.moved = fmax(moved, e->last.moved);
    return AM_OK;
}

am_status am_path_curved_step(am_path_incremental *e, double t, am_error *err) {
    double whole = t - e->t, aim = t;
    while (e->t < t) {
        bool found, next;
        AM_TRY(attempt(e, aim, &found, &next, err));
        double half = 0.5 * (e->t + aim);
        if (next) {
            double length = aim - e->t;
            AM_TRY(accept(e, aim, false, err));
            aim = fmin(t, e->t + 2.0 * length); /* a limit point may be close */
        } else if (aim - e->t > shortest * whole && half > e->t && half < aim) {
            e->last.divisions++;
            aim = half;
        } else {
            AM_TRY(jump(e, t, &aim, found, err));
            aim = t;
        }
    }
    return AM_OK;
}

/* The first equilibrium: a step that takes no time, from where the contacts stand with relaxed springs. */
am_status am_path_curved_place(am_path_incremental *e, double t, const double *q, am_error *err) {
    curved *k = e->curved;
    bool found;
    for (size_t i = 0; i < k->n; i++)
        k->q0[i] = q ? q[i] : 0.0;
    e->t = t;
    e->scale = 0.0;
    k->largest = am_dense_largest(k->q0, k->n);
    memset(k->stretch, 0, k->m * sizeof *k->stretch);
    memset(k->bent, 0, k->m * sizeof *k->bent);
    memset(k->carried, 0, k->m * sizeof *k->carried);
    load_at(e, t);
    for (size_t c = 0; c < k->m; c++) {
        bool held = e->system->contact[c].normal_law == AM_HELD;
        e->state[c] = held || gap_of(e, c, k->q0) <= 0.0 ? AM_STICK : AM_OPEN;
        e->normal[c] = e->tangential[c] = 0.0;
    }
    stand_at_start(e);
    AM_TRY(solve(e, &found, err));
    if (!found && (e->weakens || e->drops))
        AM_TRY(slide_on(e, t, &found, err));
    if (!found || am_lu_sign(k->M, k->size, k->order) <= 0)
        return am_fail(err, AM_ERR_NO_STATE,
                       "at t = %.10g no stable equilibrium was found from where the structure stands: give `initial` "
                       "close to one",
                       t);
    return accept(e, t, false, err);
}

void am_path_curved_coordinates(const am_path_incremental *e, double *q) {
    memcpy(q, e->curved->q0, e->curved->n * sizeof *q);
}

double am_path_curved_residual(const am_path_incremental *e) {
    load_at(e, e->t);
    stand_at_start(e);
    number_unknowns(e);
    put_forces(e);
    return residual_now(e);
}
