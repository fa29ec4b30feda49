/* Strides of motions of which nothing is asked on the way.
 *
 * While a linear flow x' = F x lasts, a motion is followed span by span so that no switch is missed, and spans are as
 * short as the fastest mode of the structure asks for, though that mode may hardly move. With the modes set apart that
 * do not grow,
 *
 *     x = y + sum of v_j a_j,     a_j(t) = a_j exp(lambda_j t),     y' = T y,     T = F - sum of lambda_j v_j w_j^T,
 *
 * a quantity c.x is c.y, a polynomial over a long time; the slow modes, whose series are those of an exponential; and the
 * fast ones, which are never larger than B = sum of |c.v_j| |a_j|. Where the first two stay above B nothing switches, and
 * the motion takes that time at once, with fundamental matrices of the flow. The modes only prove; what they lose to
 * rounding moves nothing. */
#include "engines/switching/rows.h"
#include "engines/switching/switching.h"

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
    MOST_LEVELS = 24,   /* each takes modes for fast that are half as fast as those of the one before */
    MOST_RUNGS = 24,
    LEAST_RUNG = 3, /* shorter strides are not worth their proof */
    DIGITS = 4,     /* of a stride's length, counted in rungs: more would hardly lengthen it */
    QUIET = 32,     /* spans without a switch before the modes of a flow are sought, */
    SETTLED = 6,    /* before they are used, */
    PATIENCE = 6    /* and after a stride that was not possible */
};

/* What the series may lose, and eigenvectors have lost, relative to the size of the motion: the margin of a proof, far
 * above rounding. */
static const double series_loss = 1e-12, margin = 1e-9;

/* What is left in y may grow: within a stride by no more than this, which its end is checked for. */
static const double growth_left = 1e4;

typedef struct mode {
    double complex value;
    double speed, size;                 /* |value|, |v_j| in the plan's units, twice for a pair */
    const double complex *right, *left; /* nx: v_j, and w_j with w_j.v_j = 1 */
    double complex *share;              /* quantities: c.v_j, twice for a pair */
    double complex now;                 /* a_j */
} mode;

struct am_stride {
    size_t nx, modes, levels, rungs;
    size_t next;               /* the level to begin with: one beyond the last that was of use */
    mode *mode;                /* the fastest first */
    size_t level[MOST_LEVELS]; /* so many modes are fast */
    double *rest, *T, *last;   /* nx x nx each: y = rest x, y' = T y, and the first order left out is last x */
    double *row;               /* quantities x AM_COEFFICIENTS x nx: the orders of c.y are these times x */
    double rung;               /* time of the first, 2/rate */
    double *ladder;            /* MOST_RUNGS x nx x nx, of which `rungs` are filled: exp(F rung 2^j) */
    double *F;                 /* nx x nx: of the flow */
    long double *top;          /* nx x nx: the last rung */
    long double *work;         /* 3 x nx x nx */
    double *x, *other;         /* nx: work space */
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

/* The modes that decay, or turn: up to the first one that may grow, or is not to be told from rest. */
static void enter_modes(const am_plan *plan, const am_flow *flow, const am_eigen_pairs *pairs, am_stride *s) {
    bool taken[MOST_ENTRIES] = {false};
    for (size_t j; (j = next_fastest(pairs, taken)) != SIZE_MAX; s->modes++) {
        mode *m = &s->mode[s->modes];
        m->speed = hypot(pairs->real[j], pairs->imaginary[j]);
        taken[j] = true;
        if (m->speed < 1e-9 * flow->rate || pairs->real[j] > 1e-12 * m->speed || !enter_mode(plan, pairs, j, m))
            return;
        for (size_t i = 0; i < plan->nx; i++)
            m->size = fmax(m->size, factor_of(m) * plan->weight[i] * cabs(m->right[i]));
        for (size_t q = 0; q < flow->quantities; q++)
            for (size_t i = 0; i < plan->nx; i++)
                m->share[q] += factor_of(m) * flow->row[q * plan->nx + i] * m->right[i];
    }
}

static void set_modes_apart(am_stride *s) {
    size_t nx = s->nx, fast = 0;
    memcpy(s->T, s->F, nx * nx * sizeof *s->T);
    for (size_t i = 0; i < nx; i++)
        s->rest[i * nx + i] = 1.0;
    for (size_t j = 0; j < s->modes; j++) {
        const mode *m = &s->mode[j];
        for (size_t i = 0; i < nx; i++)
            for (size_t c = 0; c < nx; c++) {
                double complex part = factor_of(m) * m->right[i] * m->left[c];
                s->rest[i * nx + c] -= creal(part);
                s->T[i * nx + c] -= creal(m->value * part);
            }
    }
    for (int k = 1; k <= MOST_LEVELS && fast < s->modes; k++) {
        size_t before = fast;
        while (fast < s->modes && s->mode[fast].speed > ldexp(s->mode[0].speed, -k))
            fast++;
        if (fast > before)
            s->level[s->levels++] = fast;
    }
}

/* out = factor A B, A of so many rows. */
static void multiply_rows(const double *a, size_t rows, const double *b, size_t nx, double factor, double *out) {
    memset(out, 0, rows * nx * sizeof *out);
    am_dense_add_product(a, b, rows, nx, nx, out);
    for (size_t i = 0; i < rows * nx; i++)
        out[i] *= factor;
}

static void expand_rest(const am_plan *plan, const am_flow *flow, am_stride *s) {
    size_t nx = s->nx;
    for (size_t q = 0; q < flow->quantities; q++) {
        double *row = s->row + q * AM_COEFFICIENTS * nx;
        multiply_rows(flow->row + q * nx, 1, s->rest, nx, 1.0, row);
        for (size_t k = 0; k + 1 < AM_COEFFICIENTS; k++)
            multiply_rows(row + k * nx, 1, s->T, nx, plan->inverse_order[k], row + (k + 1) * nx);
    }
    double *a = s->last, *b = s->ladder; /* which is not in use yet */
    memcpy(a, s->rest, nx * nx * sizeof *a);
    for (size_t k = 0; k < AM_COEFFICIENTS; k += 2) {
        multiply_rows(a, nx, s->T, nx, plan->inverse_order[k], b);
        multiply_rows(b, nx, s->T, nx, plan->inverse_order[k + 1], a);
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
    double complex *shares = am_arena_new(memory, nx * flow->quantities, sizeof *shares, err);
    s->mode = am_arena_new(memory, nx, sizeof *s->mode, err);
    s->ladder = am_arena_doubles(memory, NULL, MOST_RUNGS * nx * nx, err);
    AM_ARENA_DOUBLES(memory, nx, err, &s->x, &s->other);
    AM_ARENA_DOUBLES(memory, nx * nx, err, &s->F, &s->T, &s->rest, &s->last);
    s->row = am_arena_doubles(memory, NULL, flow->quantities * AM_COEFFICIENTS * nx, err);
    s->top = am_arena_new(memory, nx * nx, sizeof *s->top, err);
    s->work = am_arena_new(memory, 3 * nx * nx, sizeof *s->work, err);
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
        double *F = s->T;
        for (size_t i = 0; i < nx * nx; i++)
            F[i] = s->F[i] * unit_of(plan, i / nx) / unit_of(plan, i % nx);
        status = am_eigen_pairs_init(&pairs, F, nx, err);
    }
    if (status)
        return status;
    enter_modes(plan, flow, &pairs, s);
    am_eigen_pairs_clear(&pairs);
    set_modes_apart(s);
    expand_rest(plan, flow, s);
    flow->stride = s->levels > 0 ? s : NULL;
    return AM_OK;
}

/* ---- taking one ---- */

/* a_j, and the time over which the series of y are exact to series_loss. */
static double set_apart(am_motion *e, am_stride *s) {
    for (size_t j = 0; j < s->modes; j++) {
        double complex sum = 0.0;
        for (size_t i = 0; i < s->nx; i++)
            sum += s->mode[j].left[i] * e->x[i];
        s->mode[j].now = sum;
    }
    am_dense_apply(s->last, s->nx, s->nx, e->x, s->x);
    double size = growth_left * am_plan_norm(&e->plan, s->x);
    return size > 0.0 ? pow(series_loss * e->size / size, 1.0 / AM_COEFFICIENTS) : INFINITY;
}

/* The time over which the series of the slow modes are exact to series_loss: what follows the last order is no larger
 * than |v_j a_j| |lambda_j h|^24/24!, because |exp(lambda_j t)| <= 1. */
static double slow_length(const am_motion *e, const am_stride *s, size_t fast) {
    double sum = 0.0, unit = fast < s->modes ? s->mode[fast].speed : 1.0;
    for (size_t j = fast; j < s->modes; j++)
        sum += s->mode[j].size * cabs(s->mode[j].now) * pow(s->mode[j].speed / unit, AM_COEFFICIENTS);
    return sum > 0.0 ? pow(series_loss * e->size * tgamma(AM_COEFFICIENTS + 1.0) / sum, 1.0 / AM_COEFFICIENTS) / unit
                     : INFINITY;
}

/* The orders of c.y and of the slow modes' part of a quantity, over a unit of time. */
static void expand_quantity(const am_motion *e, const am_stride *s, size_t fast, size_t q, double unit, double *a) {
    const double *row = s->row + q * AM_COEFFICIENTS * s->nx;
    double power = 1.0;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= unit)
        a[k] = power * am_dense_dot(row + k * s->nx, e->x, s->nx);
    for (size_t j = fast; j < s->modes; j++) {
        double complex term = s->mode[j].share[q] * s->mode[j].now, step = s->mode[j].value * unit;
        for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
            a[k] += creal(term);
            term *= step * e->plan.inverse_order[k];
        }
    }
}

/* For how long a quantity without its fast part stays above that part's bound and the margin. */
static double proved_length(const am_motion *e, const am_stride *s, size_t fast, size_t q, double length) {
    double a[AM_COEFFICIENTS], where;
    expand_quantity(e, s, fast, q, length, a);
    a[0] -= margin * e->flow->dual[q] * e->size;
    for (size_t j = 0; j < fast; j++)
        a[0] -= cabs(s->mode[j].share[q] * s->mode[j].now);
    if (!(a[0] > 0.0))
        return 0.0;
    return am_bernstein_first_negative(a, 0.0, &where) ? where * length : length;
}

static double length_of_stride(const am_motion *e, const am_stride *s, size_t fast, double limit) {
    double length = fmin(limit, slow_length(e, s, fast));
    for (size_t i = 0; i < e->flow->screens && length > 0.0; i++)
        for (size_t q = e->flow->screen[i].quantity, last = q + e->flow->screen[i].twin; q <= last; q++)
            length = fmin(length, proved_length(e, s, fast, q, length));
    return length;
}

/* Do series and modes say of a quantity at the end of a stride what the fundamental matrices say of it (s->x)? */
static bool agrees(const am_motion *e, const am_stride *s, size_t q, double length) {
    double a[AM_COEFFICIENTS], value = 0.0;
    expand_quantity(e, s, s->modes, q, length, a);
    for (size_t k = AM_COEFFICIENTS; k-- > 0;)
        value += a[k];
    for (size_t j = 0; j < s->modes; j++)
        value += creal(s->mode[j].share[q] * s->mode[j].now);
    double found = am_dense_dot(e->flow->row + q * s->nx, s->x, s->nx);
    return fabs(value - found) <= margin * e->flow->dual[q] * e->size;
}

static bool all_agree(const am_motion *e, am_stride *s, double length) {
    for (size_t j = 0; j < s->modes; j++)
        s->mode[j].now *= cexp(s->mode[j].value * length);
    for (size_t i = 0; i < e->flow->screens; i++)
        for (size_t q = e->flow->screen[i].quantity, last = q + e->flow->screen[i].twin; q <= last; q++)
            if (!agrees(e, s, q, length))
                return false;
    return true;
}

/* As many rungs as are within reach. False where their end is not the one that was proved: the modes are no good. */
static bool take(am_motion *e, am_stride *s, double reach, double *length) {
    int most = ilogb(reach / s->rung), highest = most < MOST_RUNGS ? most : MOST_RUNGS - 1;
    *length = 0.0;
    memcpy(s->x, e->x, s->nx * sizeof *s->x);
    climb(s, (size_t)highest);
    for (int rung = highest; rung >= 0 && rung > highest - DIGITS; rung--) {
        double step = ldexp(s->rung, rung), *swap = s->x;
        if (*length + step > reach)
            continue;
        am_dense_apply(s->ladder + (size_t)rung * s->nx * s->nx, s->nx, s->nx, s->x, s->other);
        s->x = s->other, s->other = swap;
        *length += step;
    }
    if (!all_agree(e, s, *length))
        return false;
    memcpy(e->x, s->x, e->plan.nd * sizeof *e->x);
    return true;
}

am_status am_stride_try(am_motion *e, double limit, double *length, am_error *err) {
    am_flow *flow = e->flow;
    *length = 0.0;
    if (!e->strides || e->fresh || e->quiet < SETTLED || flow->stepwise || e->plan.compliant || e->plan.lights > 0 ||
        e->with_energy || e->watched || e->plan.nx > MOST_ENTRIES || e->quiet < e->next_stride)
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
    double longest = fmin(limit, set_apart(e, s));
    for (size_t k = s->next < s->levels ? s->next + 1 : s->levels; k-- > 0;) {
        double reach = length_of_stride(e, s, s->level[k], longest);
        s->next = k + 1;
        if (!(reach >= ldexp(s->rung, LEAST_RUNG)))
            continue;
        if (take(e, s, reach, length))
            return AM_OK;
        break;
    }
    *length = 0.0;
    e->next_stride = e->quiet + PATIENCE;
    return AM_OK;
}
