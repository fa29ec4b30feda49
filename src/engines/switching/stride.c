/* Strides of motions of which nothing is asked on the way.
 *
 * While a linear flow x' = F x lasts, a motion is followed span by span so that no switch is missed, and spans are as
 * short as the fastest mode of the structure asks for, though that mode may hardly move. With the fast modes set apart,
 *
 *     x = y + sum of v_j a_j,     a_j(t) = a_j exp(lambda_j t),     y' = T y,     T = F - sum of lambda_j v_j w_j^T,
 *
 * a quantity c.x is the polynomial c.y over a long time, and beside it a part that is never larger than B = sum of
 * |c.v_j| |a_j| where Re lambda_j <= 0. Where c.y - B stays positive nothing switches, and the motion takes that time at
 * once, with a fundamental matrix of the flow. The modes only prove; what they lose to rounding moves nothing. */
#include "engines/switching/engine.h"
#include "engines/switching/rows.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "math/bernstein.h"
#include "math/dense.h"
#include "math/eigen.h"

enum {
    MOST_ENTRIES = 128, /* of x, beyond which modes cost too much */
    MOST_LEVELS = 12,   /* each leaves modes out that are half as fast as those of the one before */
    MOST_RUNGS = 24,
    LEAST_RUNG = 3, /* shorter strides are not worth their proof */
    QUIET = 32,     /* spans without a switch before the modes of a flow are sought, */
    SETTLED = 6,    /* before they are used, */
    PATIENCE = 6    /* and after a stride that was not possible */
};

/* What the series of a level may lose, and eigenvectors have lost, relative to the size of the motion: the margin of a
 * proof, far above rounding. */
static const double series_loss = 1e-12, margin = 1e-9;

/* The remainder of y's series is at most h^25 |y_25| |exp(T s)|, s <= h. Modes that decay or turn do not grow, but seen
 * in displacements and velocities they may, for a while: by no more than this, which a stride is checked for. */
static const double transient_growth = 1e4;

typedef struct mode {
    double complex value;
    const double complex *right, *left; /* nx: v_j, and w_j with w_j.v_j = 1 */
    double *share;                      /* quantities: |c.v_j|, twice for a pair */
} mode;

/* Modes 0 .. modes are left out. */
typedef struct level {
    size_t modes;
    double *T; /* nx x nx */
} level;

struct am_stride {
    size_t nx, modes, levels, rungs;
    size_t next; /* the level to begin with: one beyond the last that was of use */
    mode *mode;  /* the fastest first */
    double complex *amplitude;
    level level[MOST_LEVELS];
    double rung;       /* time of the first, 2/rate */
    double *ladder;    /* MOST_RUNGS x nx x nx, of which `rungs` are filled: exp(F rung 2^j) */
    double *F;         /* nx x nx: of the flow */
    long double *top;  /* nx x nx: the last rung */
    long double *work; /* 3 x nx x nx */
    double *bound, *x; /* quantities, nx: work space */
};

/* ---- making them ---- */

static double unit_of(const am_plan *plan, size_t i) {
    return plan->weight[i] > 0.0 ? plan->weight[i] : 1.0;
}

/* Vectors of one eigenvalue from LAPACK's rows, out of the plan's units, w.v = 1. False where left and right vectors are
 * nearly perpendicular: such a mode is not to be told from its neighbour. */
static bool enter_mode(const am_plan *plan, const am_eigen_pairs *pairs, size_t j, mode *m) {
    size_t nx = plan->nx;
    bool pair = pairs->imaginary[j] > 0.0;
    double complex *v = (double complex *)m->right, *w = (double complex *)m->left, product = 0.0;
    for (size_t i = 0; i < nx; i++) {
        v[i] = pairs->right[j * nx + i] + (pair ? pairs->right[(j + 1) * nx + i] * I : 0.0);
        w[i] = pairs->left[j * nx + i] - (pair ? pairs->left[(j + 1) * nx + i] * I : 0.0);
        product += w[i] * v[i];
    }
    m->value = pairs->real[j] + pairs->imaginary[j] * I;
    for (size_t i = 0; i < nx; i++) {
        v[i] /= unit_of(plan, i);
        w[i] *= unit_of(plan, i) / product;
    }
    return cabs(product) > 1e-6;
}

static double factor_of(const mode *m) {
    return cimag(m->value) > 0.0 ? 2.0 : 1.0;
}

/* The next fastest eigenvalue below a speed; SIZE_MAX: none. */
static size_t next_fastest(const am_eigen_pairs *pairs, const bool *taken) {
    size_t best = SIZE_MAX;
    double fastest = 0.0;
    for (size_t j = 0; j < pairs->n; j++) {
        double speed = hypot(pairs->real[j], pairs->imaginary[j]);
        if (!taken[j] && pairs->imaginary[j] >= 0.0 && speed > fastest) {
            fastest = speed;
            best = j;
        }
    }
    return best;
}

/* The fast modes that decay, or turn: up to the first one that may grow. */
static void enter_modes(const am_plan *plan, const am_flow *flow, const am_eigen_pairs *pairs, am_stride *s) {
    bool taken[MOST_ENTRIES] = {false};
    double slowest = ldexp(flow->rate, -MOST_LEVELS);
    for (size_t j; (j = next_fastest(pairs, taken)) != SIZE_MAX; s->modes++) {
        mode *m = &s->mode[s->modes];
        double speed = hypot(pairs->real[j], pairs->imaginary[j]);
        taken[j] = true;
        if (speed < slowest || pairs->real[j] > 1e-12 * speed || !enter_mode(plan, pairs, j, m))
            return;
        for (size_t q = 0; q < flow->quantities; q++) {
            double complex share = 0.0;
            for (size_t i = 0; i < plan->nx; i++)
                share += flow->row[q * plan->nx + i] * m->right[i];
            m->share[q] = factor_of(m) * cabs(share);
        }
    }
}

static void make_levels(am_stride *s) {
    size_t nx = s->nx, done = 0;
    const double *before = s->F;
    for (size_t k = 1; k <= MOST_LEVELS && done < s->modes; k++) {
        double speed = ldexp(cabs(s->mode[0].value), -(int)k);
        size_t first = done;
        while (done < s->modes && cabs(s->mode[done].value) > speed)
            done++;
        if (done == first)
            continue;
        level *l = &s->level[s->levels++];
        l->modes = done;
        memcpy(l->T, before, nx * nx * sizeof *l->T);
        for (size_t j = first; j < done; j++) {
            const mode *m = &s->mode[j];
            for (size_t i = 0; i < nx; i++)
                for (size_t c = 0; c < nx; c++)
                    l->T[i * nx + c] -= factor_of(m) * creal(m->value * m->right[i] * m->left[c]);
        }
        before = l->T;
    }
}

static void multiply(const long double *a, const long double *b, size_t n, long double *restrict out) {
    memset(out, 0, n * n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < n; l++)
            for (size_t j = 0; a[i * n + l] != 0.0L && j < n; j++)
                out[i * n + j] += a[i * n + l] * b[l * n + j];
}

/* exp(F rung) by its series. */
static void stand_on_first(am_stride *s) {
    size_t nx = s->nx, count = nx * nx;
    long double *F = s->work, *term = F + count, *next = term + count, *swap;
    memset(s->top, 0, count * sizeof *s->top);
    memset(term, 0, count * sizeof *term);
    for (size_t i = 0; i < nx; i++)
        s->top[i * nx + i] = term[i * nx + i] = 1.0L;
    for (size_t i = 0; i < count; i++)
        F[i] = s->F[i];
    for (size_t k = 1; k <= AM_COEFFICIENTS + 4; k++) {
        multiply(F, term, nx, next);
        for (size_t i = 0; i < count; i++) {
            next[i] *= s->rung / (long double)k;
            s->top[i] += next[i];
        }
        swap = term, term = next, next = swap;
    }
}

/* Each rung is the square of the one below. Squaring doubles what rounding did to slow motions in the one before: so it
 * is done with more digits than the result has. */
static void climb(am_stride *s, size_t rung) {
    size_t count = s->nx * s->nx;
    for (; s->rungs <= rung; s->rungs++) {
        if (s->rungs == 0)
            stand_on_first(s);
        else {
            multiply(s->top, s->top, s->nx, s->work);
            memcpy(s->top, s->work, count * sizeof *s->top);
        }
        for (size_t i = 0; i < count; i++)
            s->ladder[s->rungs * count + i] = (double)s->top[i];
    }
}

static am_status reserve(am_arena *memory, const am_plan *plan, const am_flow *flow, am_stride **made, am_error *err) {
    size_t nx = plan->nx;
    am_stride *s = *made = am_arena_new(memory, 1, sizeof *s, err);
    AM_TRY(s ? AM_OK : AM_ERR_MEMORY);
    double complex *vectors = am_arena_new(memory, 2 * nx * nx, sizeof *vectors, err);
    double *shares = am_arena_doubles(memory, NULL, nx * flow->quantities, err);
    s->mode = am_arena_new(memory, nx, sizeof *s->mode, err);
    s->amplitude = am_arena_new(memory, nx, sizeof *s->amplitude, err);
    s->ladder = am_arena_doubles(memory, NULL, MOST_RUNGS * nx * nx, err);
    s->bound = am_arena_doubles(memory, NULL, flow->quantities, err);
    s->x = am_arena_doubles(memory, NULL, nx, err);
    s->F = am_arena_doubles(memory, NULL, nx * nx, err);
    s->top = am_arena_new(memory, nx * nx, sizeof *s->top, err);
    s->work = am_arena_new(memory, 3 * nx * nx, sizeof *s->work, err);
    for (size_t k = 0; k < MOST_LEVELS; k++)
        s->level[k].T = am_arena_doubles(memory, NULL, nx * nx, err);
    AM_TRY(am_arena_status(memory));
    for (size_t j = 0; j < nx; j++)
        s->mode[j] = (mode){
            .right = vectors + 2 * j * nx, .left = vectors + (2 * j + 1) * nx, .share = shares + j * flow->quantities};
    s->nx = nx;
    s->rung = 2.0 / flow->rate;
    return AM_OK;
}

static am_status seek(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t nx = plan->nx;
    am_eigen_pairs pairs = {0};
    am_stride *s = NULL;
    am_status status = reserve(&flow->stride_memory, plan, flow, &s, err);
    if (!status) {
        am_flow_matrix(plan, flow, s->F);
        double *F = s->level[0].T;
        for (size_t i = 0; i < nx * nx; i++)
            F[i] = s->F[i] * unit_of(plan, i / nx) / unit_of(plan, i % nx);
        status = am_eigen_pairs_init(&pairs, F, nx, err);
    }
    if (status)
        return status;
    enter_modes(plan, flow, &pairs, s);
    am_eigen_pairs_clear(&pairs);
    make_levels(s);
    flow->stride = s->levels > 0 ? s : NULL;
    return AM_OK;
}

/* ---- taking one ---- */

static void find_amplitudes(am_stride *s, const double *x) {
    for (size_t j = 0; j < s->modes; j++) {
        double complex sum = 0.0;
        for (size_t i = 0; i < s->nx; i++)
            sum += s->mode[j].left[i] * x[i];
        s->amplitude[j] = sum;
    }
}

/* y at the start of the series, and B of every quantity. */
static void leave_modes_out(const am_motion *e, am_stride *s, const level *l, double *y) {
    memcpy(y, e->x, s->nx * sizeof *y);
    memset(s->bound, 0, e->flow->quantities * sizeof *s->bound);
    for (size_t j = 0; j < l->modes; j++) {
        const mode *m = &s->mode[j];
        for (size_t i = 0; i < s->nx; i++)
            y[i] -= factor_of(m) * creal(m->right[i] * s->amplitude[j]);
        for (size_t q = 0; q < e->flow->quantities; q++)
            s->bound[q] += m->share[q] * cabs(s->amplitude[j]);
    }
}

/* All orders of y, and the length over which they are exact to series_loss. */
static double expand(am_motion *e, const am_stride *s, const level *l) {
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        double *y = e->series + k * s->nx, *next = y + s->nx;
        am_dense_apply(l->T, s->nx, s->nx, y, next);
        for (size_t i = 0; i < s->nx; i++)
            next[i] *= e->plan.inverse_order[k];
    }
    double rest = transient_growth * am_plan_norm(&e->plan, e->series + AM_COEFFICIENTS * s->nx);
    return rest > 0.0 ? pow(series_loss * e->size / rest, 1.0 / AM_COEFFICIENTS) : INFINITY;
}

/* For how long c.y - B of a quantity stays above the margin. */
static double proved_length(const am_motion *e, const am_stride *s, size_t q, double length) {
    double a[AM_COEFFICIENTS], power = 1.0, where;
    const double *row = e->flow->row + q * s->nx;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= length)
        a[k] = power * am_dense_dot(row, e->series + k * s->nx, s->nx);
    a[0] -= s->bound[q] + margin * e->flow->dual[q] * e->size;
    if (!(a[0] > 0.0))
        return 0.0;
    return am_bernstein_first_negative(a, 0.0, &where) ? where * length : length;
}

static double reach_of(am_motion *e, am_stride *s, const level *l, double limit) {
    leave_modes_out(e, s, l, e->series);
    double length = fmin(limit, expand(e, s, l));
    for (size_t i = 0; i < e->flow->screens && length > 0.0; i++)
        for (size_t q = e->flow->screen[i].quantity, last = q + e->flow->screen[i].twin; q <= last; q++)
            length = fmin(length, proved_length(e, s, q, length));
    return length;
}

/* Do series and modes say of the end of a stride what the fundamental matrix says of it (s->x)? */
static bool agrees(const am_motion *e, const am_stride *s, const level *l, double length) {
    for (size_t i = 0; i < e->plan.nd; i++) {
        double value = 0.0;
        for (size_t k = AM_COEFFICIENTS + 1; k-- > 0;)
            value = value * length + e->series[k * s->nx + i];
        for (size_t j = 0; j < l->modes; j++) {
            const mode *m = &s->mode[j];
            value += factor_of(m) * creal(m->right[i] * s->amplitude[j] * cexp(m->value * length));
        }
        if (!(e->plan.weight[i] * fabs(value - s->x[i]) <= margin * e->size))
            return false;
    }
    return true;
}

/* The longest rung within reach. False where its end is not the one that was proved: the modes are no good. */
static bool take(am_motion *e, am_stride *s, const level *l, double reach, double *length) {
    int most = ilogb(reach / s->rung);
    size_t rung = most < MOST_RUNGS ? (size_t)most : MOST_RUNGS - 1;
    *length = ldexp(s->rung, (int)rung);
    climb(s, rung);
    am_dense_apply(s->ladder + rung * s->nx * s->nx, e->plan.nd, s->nx, e->x, s->x);
    if (!agrees(e, s, l, *length))
        return false;
    memcpy(e->x, s->x, e->plan.nd * sizeof *e->x);
    return true;
}

am_status am_stride_try(am_motion *e, double limit, double *length, am_error *err) {
    am_flow *flow = e->flow;
    *length = 0.0;
    if (!e->strides || e->fresh || e->quiet < SETTLED || flow->stepwise || e->plan.compliant || e->with_energy ||
        e->watched || e->plan.nx > MOST_ENTRIES || e->quiet < e->next_stride)
        return AM_OK;
    if (!flow->stride_sought && e->quiet < QUIET)
        return AM_OK;
    if (!flow->stride_sought)
        AM_TRY(seek(&e->plan, flow, err));
    flow->stride_sought = true;
    am_stride *s = flow->stride;
    if (!s)
        return AM_OK;
    am_engine_measure(e);
    find_amplitudes(s, e->x);
    for (size_t k = s->next < s->levels ? s->next + 1 : s->levels; k-- > 0;) {
        const level *l = &s->level[k];
        double reach = reach_of(e, s, l, limit);
        s->next = k + 1;
        if (reach >= ldexp(s->rung, LEAST_RUNG) && take(e, s, l, reach, length))
            return AM_OK;
    }
    *length = 0.0;
    e->next_stride = e->quiet + PATIENCE;
    return AM_OK;
}
