/* What shows how good a nonlinear mode is: the harmonics it left out, and the energy of its period. */
#include <math.h>
#include <string.h>

#include "analyses/backbone/backbone_internal.h"
#include "base/memory.h"
#include "base/try.h"
#include "math/pi.h"
#include "math/trigonometric.h"

/* ---- truncation ---- */

static am_status open_finer(am_backbone *b, am_error *err) {
    am_backbone_equations *e = &b->equations, *finer = &b->finer;
    size_t H = am_balance_degree(e->balance);
    am_parity parity = am_balance_odd(e->balance) ? AM_PARITY_ODD : AM_PARITY_ALL;
    AM_TRY(am_backbone_equations_open(b, parity, parity == AM_PARITY_ODD ? 2 * H + 1 : 2 * H, finer, err));
    am_balance_refine(e->balance, finer->balance, e->rest, finer->rest);
    finer->omega = e->omega;
    finer->unit = e->unit;
    return AM_OK;
}

/* The finer motion next to a point: in the plane through it normal to the curve, as a fold moves with the harmonics.
 * Unknowns Y = (y, s). */
typedef struct plane {
    am_backbone_equations *finer;
    double *at, *normal; /* N + 1 each */
    double *J, *Fs;      /* N^2, N */
} plane;

static am_status evaluate_plane(void *context, const double *Y, double p, double *F, double *J, double *Fp,
                                am_error *err) {
    plane *c = context;
    size_t N = c->finer->size + 1;
    (void)p;
    AM_TRY(c->finer->problem.evaluate(c->finer, Y, Y[N], F, J ? c->J : NULL, J ? c->Fs : NULL, err));
    F[N] = 0.0;
    for (size_t i = 0; i <= N; i++)
        F[N] += c->normal[i] * (Y[i] - c->at[i]);
    for (size_t i = 0; i < N && J; i++) {
        memcpy(J + i * (N + 1), c->J + i * N, N * sizeof *J);
        J[i * (N + 1) + N] = c->Fs[i];
    }
    if (J)
        memcpy(J + N * (N + 1), c->normal, (N + 1) * sizeof *J);
    if (Fp)
        memset(Fp, 0, (N + 1) * sizeof *Fp);
    return AM_OK;
}

/* A point of the curve with the unknowns of the finer equations, s behind them. */
static void refine(const am_backbone *b, size_t i, double *Y) {
    const am_backbone_equations *e = &b->equations, *f = &b->finer;
    const double *own = b->points + i * (e->size + 1);
    am_balance_refine(e->balance, f->balance, own, Y);
    Y[f->size] = own[e->size];
    Y[f->size + 1] = b->point[i].s;
}

/* By how much the finer motion Y differs from the point, relative to its size; in damping, absolute. Where there is none
 * near (more harmonics meet another mode there), what the linear structure would make of the forces left over. */
static am_status measure(am_backbone *b, size_t i, const double *Y, bool found, double *fine_signals, double *moved,
                         am_error *err) {
    am_backbone_equations *e = &b->equations, *f = &b->finer;
    const am_backbone_point *point = &b->point[i];
    size_t S = b->S, fine = am_trig_size(am_balance_degree(f->balance));
    double distance = 0.0, size = 0.0, missing = 0.0;
    am_backbone_unscale(e, b->points + i * (e->size + 1), point->s, e->x);
    AM_TRY(am_balance_unpack(e->balance, e->x, point->xi, b->signals, err));
    double xi = am_backbone_unscale(f, Y, Y[f->size + 1], f->x), omega = f->x[f->size - 1];
    AM_TRY(am_balance_unpack(f->balance, f->x, xi, fine_signals, err));
    for (size_t c = 0; c < b->n; c++)
        for (size_t k = 0; k < fine; k++) {
            double coarse = k < S ? b->signals[c * S + k] : 0.0, difference = coarse - fine_signals[c * fine + k];
            distance += difference * difference;
            size += k > 0 ? coarse * coarse : 0.0;
        }
    if (!found) {
        AM_TRY(am_balance_left_over(e->balance, f->balance, f->x, xi, &missing, err));
        *moved = missing / sqrt(size);
        return AM_OK;
    }
    *moved = fmax(sqrt(distance / size), fabs(omega / point->frequency - 1.0));
    *moved = fmax(*moved, 0.5 * fabs(xi / omega - point->xi / point->frequency));
    return AM_OK;
}

static bool same_branch(const am_backbone *b, size_t one, size_t other) {
    return b->point[one].branch == b->point[other].branch;
}

/* Of the points from first on the one whose next harmonics the linear structure answers most. */
static am_status find_worst(am_backbone *b, size_t first, size_t behind, double *Y, size_t *worst, am_error *err) {
    double most = -1.0;
    for (size_t i = first; i < behind; i++) {
        double missing = 0.0;
        refine(b, i, Y);
        double xi = am_backbone_unscale(&b->finer, Y, b->point[i].s, b->finer.x);
        AM_TRY(am_balance_left_over(b->equations.balance, b->finer.balance, b->finer.x, xi, &missing, err));
        if (missing / b->point[i].amplitude > most) {
            most = missing / b->point[i].amplitude;
            *worst = i;
        }
    }
    return AM_OK;
}

static am_status truncation_at(am_backbone *b, size_t i, am_continuation *curve, plane *c, double *Y,
                               double *fine_signals, double *moved, am_error *err) {
    am_backbone_equations *f = &b->finer;
    am_continuation_problem problem = {.n = f->size + 2, .evaluate = evaluate_plane, .context = c};
    am_error lost = {0};
    refine(b, i > 0 && same_branch(b, i - 1, i) ? i - 1 : i, c->at);
    refine(b, i + 1 < b->count && same_branch(b, i, i + 1) ? i + 1 : i, c->normal);
    for (size_t k = 0; k < f->size + 2; k++)
        c->normal[k] -= c->at[k];
    refine(b, i, c->at);
    memcpy(Y, c->at, (f->size + 2) * sizeof *Y);
    am_backbone_phase(f, Y, b->point[i].s);
    am_status status = am_continuation_solve(curve, &problem, 0.0, 1e-9, Y, NULL, &lost);
    if (status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED)
        return am_fail(err, status, "%s", lost.message);
    return measure(b, i, status ? c->at : Y, status == AM_OK, fine_signals, moved, err);
}

static am_status measure_places(am_backbone *b, am_continuation *curve, am_arena *memory, am_error *err) {
    /* each place costs a solution with twice the unknowns */
    size_t places = b->equations.size < 100 ? 12 : 4, parts = b->count < places ? b->count : places;
    size_t N = b->finer.size + 1, fine = am_trig_size(am_balance_degree(b->finer.balance));
    plane c = {.finer = &b->finer};
    double *Y, *signals = am_arena_doubles(memory, NULL, b->n * fine, err);
    AM_ARENA_DOUBLES(memory, N + 1, err, &Y, &c.at, &c.normal, &c.Fs);
    c.J = am_arena_doubles(memory, NULL, N * N, err);
    AM_TRY(am_arena_status(memory));
    b->truncation = 0.0;
    b->truncation_at = b->from;
    for (size_t part = 0; part < parts; part++) {
        double moved = 0.0;
        size_t i = part * b->count / parts;
        AM_TRY(find_worst(b, i, (part + 1) * b->count / parts, Y, &i, err));
        AM_TRY(truncation_at(b, i, curve, &c, Y, signals, &moved, err));
        if (moved > b->truncation) {
            b->truncation = moved;
            b->truncation_at = b->point[i].amplitude;
        }
    }
    return AM_OK;
}

am_status am_backbone_truncation(am_backbone *b, am_error *err) {
    am_arena memory = {0};
    AM_TRY(open_finer(b, err));
    am_continuation *curve = am_continuation_create(b->finer.size + 2, 0, err);
    am_status status = curve ? measure_places(b, curve, &memory, err) : AM_ERR_MEMORY;
    am_continuation_free(curve);
    am_arena_clear(&memory);
    am_backbone_equations_close(&b->finer);
    return status;
}

/* ---- energy ---- */

/* What xi feeds in: xi times the integral of q'.M q' over a period. The damping of the free structure is C - xi M. */
static double fed_in(const am_backbone *b, const am_backbone_point *point, double *kinetic) {
    const am_matrix *M = am_system_mass(b->system);
    double *column = b->column, *out = column + b->n, sum = 0.0;
    for (size_t k = 1; k < b->S; k++) {
        double h = (double)((k + 1) / 2);
        for (size_t i = 0; i < b->n; i++)
            column[i] = b->signals[i * b->S + k];
        am_matrix_apply(M, column, out);
        for (size_t i = 0; i < b->n; i++)
            sum += h * h * column[i] * out[i];
    }
    *kinetic = 0.5 * point->frequency * point->frequency * sum;
    return point->xi * pi * point->frequency * sum;
}

am_status am_backbone_energy(am_backbone *b, am_error *err) {
    am_backbone_equations *e = &b->equations;
    for (size_t i = 0; i < b->count; i++) {
        am_backbone_point *point = &b->point[i];
        double surplus = 0.0, kinetic;
        am_backbone_unscale(e, b->points + i * (e->size + 1), point->s, e->x);
        AM_TRY(am_balance_losses(e->balance, e->x, point->xi, &point->nonlinear, &surplus, err));
        AM_TRY(am_balance_unpack(e->balance, e->x, point->xi, b->signals, err));
        double fed = fed_in(b, point, &kinetic);
        point->damping = surplus + fed;
        point->balance =
            fabs(point->nonlinear + surplus) / (fabs(point->nonlinear) + fabs(point->damping) + fabs(fed) + kinetic);
    }
    return AM_OK;
}
