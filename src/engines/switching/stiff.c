/* Spans of stiff motions: where something decays much faster than anything moves, a Taylor series reaches no farther than
 * that decay, although it is long over. Then a span is a polynomial that fulfils the equations of motion at the points of
 * Radau IIA (collocation: implicit, L-stable, order 23 at its end), found by Newton's method with the exact derivatives
 * of the laws. It is written into the series, and everything else goes on as along any span. docs/motion.md, section 3b. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/switching/switching.h"
#include "laws/law.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/lu.h"

enum { POINTS = 12, VALUES = POINTS + 1 };

/* One per engine. */
struct am_stiff {
    long double point[VALUES];     /* 0, and those of Radau IIA on (0, 1] */
    double slope[VALUES * VALUES]; /* derivatives at the points from values there */
    double *value;                 /* VALUES x nx: x at the points */
    double *rise;                  /* VALUES x nd: how far it is from the start, to all digits */
    double *lost;                  /* (VALUES + 1) x m: am_engine_creep at the points, and between them */
    double *parts;                 /* m: sizes of what a sliding speed is the sum of on the span */
    double *jacobian;              /* (VALUES + 2) x nd x nd: of x' at the points, and two of work space */
    double *matrix;                /* (POINTS nd)^2: Newton's equations */
    double *right;                 /* POINTS nd x (1 + nd) */
    double *scale;                 /* POINTS nd */
    double *rate;                  /* nd */
    double *speed;                 /* m: the largest sliding speed of each contact along the last such span */
    int *order;                    /* POINTS nd */
    size_t creeps;                 /* spans one after another in which a creep was lost in rounding */
    double length;                 /* of the last such span: where the next one begins to look */
    bool made;                     /* the present span is one */
    bool failed;                   /* it was to be one, and none was found */
    const am_quantity *rests;      /* the speed that is too small for spans, and must be settled; NULL: none */
    bool settled;                  /* it has been */
    size_t wait;                   /* spans before it is asked again */
    int climb; /* steps of Newton's method that may grow: along the steep side of a slider without stick (law.h) */
};

/* Structures of more rows than this are not tried: Newton's equations are dense. */
static const size_t most_rows = 24;

/* A series of an exponential that decays reaches some times its time; so much of it shows that decay ends the span. */
static const double decays = 1.0;

/* Only spans shorter than this part of the structure's own time are looked at: others get on well enough. After a speed
 * was settled the first one that is tried has the other length. */
static const double too_short = 3e-2, first_tried = 1e-4;

/* An implicit span costs as much as some dozens of others. */
static const double worth = 32.0;

/* Spans without a switch before the question is asked, and spans before it is asked again. Far shorter ones than this part
 * of the structure's own time get nowhere: then it is asked at once. */
static const size_t quiet_enough = 24, patience = 64;
static const double nowhere = 1e-9;

/* How often a span is halved before it is given up. */
static const int most_halvings = 60;

/* Errors of the polynomial between its points, in units of rounding, and of sliding speeds without stick relative to
 * themselves, whose sign matters. */
static const double worst_error = 256.0, worst_speed = 1e-9;

/* ---- the points ---- */

/* P_POINTS - P_(POINTS-1) and its derivative on [-1, 1]; its zeros are the points of Radau IIA. */
static long double radau(long double x, long double *slope) {
    long double p[POINTS + 1] = {1.0L, x}, d[POINTS + 1] = {0.0L, 1.0L};
    for (int k = 1; k < POINTS; k++) {
        p[k + 1] = ((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1);
        d[k + 1] = d[k - 1] + (2 * k + 1) * p[k];
    }
    *slope = d[POINTS] - d[POINTS - 1];
    return p[POINTS] - p[POINTS - 1];
}

/* From the left, each by Newton's method with those already found divided out. */
static void find_points(long double *c) {
    c[0] = 0.0L;
    for (int i = 1; i < VALUES; i++) {
        long double x = -1.0L;
        for (int step = 0; step < 200; step++) {
            long double slope, value = radau(x, &slope), sum = slope / value;
            if (value == 0.0L)
                break;
            for (int j = 1; j < i; j++)
                sum -= 1.0L / (x - (2.0L * c[j] - 1.0L));
            x -= 1.0L / sum;
            if (fabsl(1.0L / sum) < 1e-19L)
                break;
        }
        c[i] = 0.5L * (1.0L + x);
    }
    c[POINTS] = 1.0L;
}

/* Derivatives from values, by the factors 1/prod (c_j - c_m) of Lagrange's polynomials: through their orders, of some 1e8,
 * seven digits would be lost. Those of a constant vanish. */
static void fill_points(am_stiff *s) {
    long double factor[VALUES];
    find_points(s->point);
    for (int j = 0; j < VALUES; j++) {
        factor[j] = 1.0L;
        for (int m = 0; m < VALUES; m++)
            factor[j] /= m == j ? 1.0L : s->point[j] - s->point[m];
    }
    for (int i = 0; i < VALUES; i++) {
        long double sum = 0.0L;
        for (int j = 0; j < VALUES; j++) {
            long double slope = i == j ? 0.0L : factor[j] / (factor[i] * (s->point[i] - s->point[j]));
            s->slope[i * VALUES + j] = (double)slope;
            sum += slope;
        }
        s->slope[i * VALUES + i] = (double)-sum;
    }
}

/* Contacts that slip in a plane are left to their series. */
static bool has_discs(const am_plan *plan) {
    for (size_t j = 0; j < plan->forces; j++)
        if (am_force_is_disc(plan->force[j].kind))
            return true;
    return false;
}

/* A step rises by a factor e along a logarithm, from where it has its tangent to where it ends. */
static const int longest_climb = 14;

am_status am_stiff_reserve(const am_plan *plan, am_arena *memory, am_stiff **stiff, am_error *err) {
    size_t nd = plan->nd, unknowns = POINTS * nd;
    *stiff = NULL;
    if (plan->forces == 0 || plan->followers > 0 || nd > most_rows || has_discs(plan))
        return AM_OK;
    am_stiff *s = am_arena_new(memory, 1, sizeof *s, err);
    if (!s)
        return AM_ERR_MEMORY;
    s->value = am_arena_doubles(memory, NULL, VALUES * plan->nx, err);
    s->rise = am_arena_doubles(memory, NULL, VALUES * nd, err);
    s->lost = am_arena_doubles(memory, NULL, (VALUES + 1) * plan->m, err);
    s->parts = am_arena_doubles(memory, NULL, plan->m, err);
    s->jacobian = am_arena_doubles(memory, NULL, (VALUES + 2) * nd * nd, err);
    s->matrix = am_arena_doubles(memory, NULL, unknowns * unknowns, err);
    s->right = am_arena_doubles(memory, NULL, unknowns * (1 + nd), err);
    s->scale = am_arena_doubles(memory, NULL, unknowns, err);
    s->rate = am_arena_doubles(memory, NULL, nd, err);
    s->speed = am_arena_doubles(memory, NULL, plan->m, err);
    s->order = am_arena_new(memory, unknowns, sizeof *s->order, err);
    AM_TRY(am_arena_status(memory));
    fill_points(s);
    for (size_t c = 0; c < plan->m; c++) {
        const am_law *law = am_law_named(plan->system->contact[c].speed_friction.law);
        s->climb = law && law->alone ? longest_climb : s->climb;
    }
    *stiff = s;
    return AM_OK;
}

/* ---- the equations of motion at a point ---- */

static double slide_at(const am_plan *plan, size_t c, const double *x) {
    const double *tangent = plan->system->contact[c].tangent;
    return am_dense_dot(tangent, x + plan->n, plan->n) - am_system_surface(plan->system, c, x + plan->nd);
}

/* Beyond the stretch at which sliders that go with the bodies would stop their law has another solution, which nothing leads
 * to. */
static bool sliders_go_with_bodies(const am_motion *e, const double *x) {
    const am_plan *plan = &e->plan;
    for (size_t c = 0; plan->inners > 0 && c < plan->m; c++) {
        if (!am_slider_goes_with_bodies(e, c))
            continue;
        double slide = slide_at(plan, c, x);
        const double *row = e->flow->A + (plan->n + plan->inner[c]) * plan->nx;
        if (slide * (slide - am_dense_dot(row, x, plan->nx)) < 0.0)
            return false;
    }
    return true;
}

/* Has contact c a speed that passes zero without stopping in the present state? */
static bool creeps(const am_motion *e, size_t c) {
    return am_is_closed(e->flow->k.state[c]) && !am_law_sticks(&e->plan.system->contact[c].speed_friction);
}

/* x at point i from how far it is from the start; its sliding speeds, too, which may be below the rounding of x. */
static void place(const am_motion *e, size_t i) {
    am_stiff *s = e->stiff;
    const am_plan *plan = &e->plan;
    size_t n = plan->n, nd = plan->nd;
    double *x = s->value + i * plan->nx;
    const double *rise = s->rise + i * nd;
    for (size_t l = 0; l < nd; l++)
        x[l] = e->series[l] + rise[l];
    for (size_t c = 0; c < plan->m; c++) {
        const double *tangent = plan->system->contact[c].tangent;
        if (!creeps(e, c))
            continue;
        double slide = slide_at(plan, c, e->series) + e->lost[c], parts = fabs(slide),
               moves = am_system_surface(plan->system, c, x + nd) - am_system_surface(plan->system, c, e->series + nd);
        for (size_t l = 0; l < n; l++)
            parts += fabs(tangent[l] * rise[n + l]);
        slide += am_dense_dot(tangent, rise + n, n) - moves;
        s->lost[i * plan->m + c] = slide - slide_at(plan, c, x);
        s->parts[c] = fmax(i == 0 ? 0.0 : s->parts[c], parts + fabs(moves));
    }
}

static double slide_at_point(const am_motion *e, size_t c, size_t i) {
    return slide_at(&e->plan, c, e->stiff->value + i * e->plan.nx) + e->stiff->lost[i * e->plan.m + c];
}

/* x' (nd) at x, whose forces are filled in, and its derivative; false where they are no numbers. `lost`: of x. */
static bool rate_at(am_motion *e, const double *lost, double *x, double *rate, double *jacobian) {
    const am_plan *plan = &e->plan;
    size_t n = plan->n, nd = plan->nd, nx = plan->nx, first = nd + plan->nz;
    e->forces.lost = lost;
    am_forces_at(plan, e->flow, &e->forces, x);
    e->forces.lost = e->lost;
    am_forces_gradient(plan, e->flow, &e->forces);
    memcpy(rate, x + n, n * sizeof *rate);
    am_dense_apply(e->flow->A, plan->rows, nx, x, rate + n);
    memset(jacobian, 0, nd * nd * sizeof *jacobian);
    for (size_t i = 0; i < n; i++)
        jacobian[i * nd + n + i] = 1.0;
    for (size_t i = 0; i < plan->rows; i++) {
        const double *row = e->flow->A + i * nx;
        double *out = jacobian + (n + i) * nd;
        memcpy(out, row, nd * sizeof *out);
        for (size_t j = 0; j < plan->forces; j++)
            for (size_t l = 0; row[first + j] != 0.0 && l < nd; l++)
                out[l] += row[first + j] * e->forces.gradient[j * nd + l];
    }
    return am_dense_is_finite(rate, nd) && am_dense_is_finite(jacobian, nd * nd) && sliders_go_with_bodies(e, x);
}

/* The rate of the fastest decay at the start of the span; 0 where something grows as fast. */
static double fastest_decay(am_motion *e) {
    am_stiff *s = e->stiff;
    size_t nd = e->plan.nd;
    am_eigen eigen;
    double *x = s->value, fastest = 0.0, growth = 0.0;
    memcpy(x, e->series, e->plan.nx * sizeof *x);
    if (!rate_at(e, e->lost, x, s->rate, s->jacobian) || am_eigen_init(&eigen, s->jacobian, nd, 0.0, NULL))
        return 0.0;
    for (size_t i = 0; i < nd; i++) {
        fastest = fmin(fastest, eigen.real[i]);
        growth = fmax(growth, eigen.real[i]);
    }
    am_eigen_clear(&eigen);
    return -fastest > growth ? -fastest : 0.0;
}

/* ---- Newton's method ---- */

/* Rows are scaled to one. An equation in which an unknown decays far faster than all else must be the pivot of that: another
 * one would tell it as a difference of what is 1e20 times larger. */
static double row_scale(const double *row, size_t count, size_t diagonal) {
    static const double far_faster = 1e3;
    double beside = fmax(am_dense_largest(row, diagonal), am_dense_largest(row + diagonal + 1, count - diagonal - 1));
    bool dominates = fabs(row[diagonal]) > far_faster * beside;
    return (dominates ? far_faster : 1.0) / fmax(fabs(row[diagonal]), beside);
}

/* Equation of point i: sum over j of slope_ij x_j - length x'(x_i) = 0. */
static bool fill_equations(am_motion *e, double length) {
    am_stiff *s = e->stiff;
    size_t nd = e->plan.nd, nx = e->plan.nx, U = POINTS * nd;
    memset(s->matrix, 0, U * U * sizeof *s->matrix);
    for (size_t i = 1; i < VALUES; i++) {
        double *jacobian = s->jacobian + i * nd * nd;
        if (!rate_at(e, s->lost + i * e->plan.m, s->value + i * nx, s->rate, jacobian))
            return false;
        for (size_t l = 0; l < nd; l++) {
            size_t u = (i - 1) * nd + l;
            double *row = s->matrix + u * U, sum = -length * s->rate[l];
            for (size_t j = 0; j < VALUES; j++)
                sum += s->slope[i * VALUES + j] * s->rise[j * nd + l];
            for (size_t j = 1; j < VALUES; j++)
                row[(j - 1) * nd + l] = s->slope[i * VALUES + j];
            for (size_t m = 0; m < nd; m++)
                row[(i - 1) * nd + m] -= length * jacobian[l * nd + m];
            s->right[u] = -sum;
        }
    }
    for (size_t u = 0; u < U; u++) {
        s->scale[u] = row_scale(s->matrix + u * U, U, u);
        for (size_t w = 0; w < U; w++)
            s->matrix[u * U + w] *= s->scale[u];
        s->right[u] *= s->scale[u];
    }
    return am_lu_factor(s->matrix, U, s->order);
}

/* Inputs `ahead` of the present. Next to the end of a piece of a load they are those of that piece, from a little before
 * on along z' = G z. */
static void inputs_ahead(const am_motion *e, double ahead, double *z) {
    const am_system *system = e->plan.system;
    am_exact_time t = am_exact_time_after(e->now, ahead), before = t;
    double little = 1024.0 * DBL_EPSILON * (fabs(t.t) + ahead);
    if (!(t.t + little < e->next_break.t))
        before = am_exact_time_until(e->now, t) > 2.0 * little ? am_exact_time_after(t, -2.0 * little) : e->now;
    am_system_inputs_at(system, before, z);
    double left = am_exact_time_until(before, t);
    for (size_t g = 0; left > 0.0 && g < system->entries; g++)
        z[system->G[g].row] += left * system->G[g].value * z[system->G[g].column];
}

/* Speeds of friction without stick are what they were at the start. A creep that goes on is so small beside what moves the
 * structure and its surfaces that Newton's method, from another one, would go through the steep side of the law. */
static void preserve_slides(const am_motion *e, size_t i) {
    const am_plan *plan = &e->plan;
    double *u = e->n_work[0], *rise = e->stiff->rise + i * plan->nd;
    for (size_t c = 0; c < plan->m; c++) {
        const double *tangent = plan->system->contact[c].tangent;
        if (!creeps(e, c))
            continue;
        am_dense_apply(e->flow->k.Y, plan->n, plan->n, tangent, u);
        double yield = am_dense_dot(tangent, u, plan->n);
        double off = slide_at_point(e, c, 0) - slide_at_point(e, c, i);
        for (size_t l = 0; l < plan->n && yield > 0.0; l++)
            rise[plan->n + l] += off / yield * u[l];
        place(e, i);
    }
}

/* Inputs at the points, and the start everywhere. */
static void guess(am_motion *e, double length) {
    am_stiff *s = e->stiff;
    size_t n = e->plan.n, nd = e->plan.nd, nx = e->plan.nx;
    memset(s->rise, 0, VALUES * nd * sizeof *s->rise);
    for (size_t i = 0; i < VALUES; i++) {
        double *x = s->value + i * nx, passed = (double)s->point[i] * length;
        memcpy(x, e->series, nx * sizeof *x);
        for (size_t l = 0; l < n; l++) /* with its acceleration: a contact that begins to press does so by it */
            s->rise[i * nd + l] = passed * (x[n + l] + 0.5 * passed * e->series[nx + n + l]);
        inputs_ahead(e, passed, x + nd);
        place(e, i);
        preserve_slides(e, i);
    }
}

/* The largest change of a sliding speed without stick at the points, relative to itself: it is to be known to as many
 * digits as the forces, however small it is. */
static double change_of_speeds(const am_motion *e) {
    const am_stiff *s = e->stiff;
    const am_plan *plan = &e->plan;
    size_t n = plan->n, nd = plan->nd;
    double most = 0.0;
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        if (!creeps(e, c))
            continue;
        for (size_t i = 1; i < VALUES; i++) {
            double slide = slide_at_point(e, c, i);
            double change = am_dense_dot(contact->tangent, s->right + (i - 1) * nd + n, n);
            double noise = 4.0 * DBL_EPSILON * s->parts[c];
            most = fmax(most, fmax(0.0, fabs(change) - noise) / fmax(fabs(slide), DBL_MIN));
        }
    }
    return most;
}

/* The same of stretches that follow the way, relative to the largest on it: next to nothing may press there. */
static double change_of_stretches(const am_motion *e) {
    const am_stiff *s = e->stiff;
    const am_plan *plan = &e->plan;
    double most = 0.0;
    for (size_t c = 0; c < plan->m; c++) {
        size_t inner = am_slider_goes_with_bodies(e, c) ? 2 * plan->n + plan->inner[c] : 0;
        double change = 0.0, largest = DBL_MIN;
        for (size_t i = 1; i < VALUES && inner > 0; i++) {
            change = fmax(change, fabs(s->right[(i - 1) * plan->nd + inner]));
            largest = fmax(largest, fabs(s->value[i * plan->nx + inner]));
        }
        most = fmax(most, change / largest);
    }
    return most;
}

/* The values at the points; false where Newton's method does not arrive. */
static bool collocate(am_motion *e, double length) {
    enum { MOST_STEPS = 20 };
    static const double close_speed = 1e-4; /* known to 1e-11, or as well as Newton's method can */
    am_stiff *s = e->stiff;
    size_t nd = e->plan.nd, U = POINTS * nd;
    double before = INFINITY;
    guess(e, length);
    for (int step = 0; step < MOST_STEPS; step++) {
        double change = 0.0;
        if (!fill_equations(e, length))
            return false;
        am_lu_solve(s->matrix, U, s->order, 1, s->right);
        for (size_t u = 0; u < U; u++) {
            s->rise[nd + u] += s->right[u];
            change = fmax(change, e->plan.weight[u % nd] * fabs(s->right[u]));
        }
        for (size_t i = 0; i < VALUES; i++)
            place(e, i);
        if (!isfinite(change))
            return false;
        change = fmax(change, close_speed * fmax(change_of_speeds(e), change_of_stretches(e)) * e->size);
        bool stands = step >= s->climb && change > 0.5 * before; /* by rounding */
        if (change <= 4.0 * DBL_EPSILON * e->size || (change <= 1e-10 * e->size && stands))
            return fill_equations(e, length); /* forces and derivatives at the values found */
        before = change;
    }
    return false;
}

/* ---- from values to series ---- */

/* Orders of entry l from its values at the points, by Newton's divided differences, which are small where the polynomial is
 * smooth: so the series has at its end the value found there. Orders beyond the polynomial's are zero. */
static void orders_of(const am_stiff *s, const double *value, size_t stride, double length, double *out,
                      size_t out_stride) {
    long double a[VALUES], unit = 1.0L;
    for (size_t j = 0; j < VALUES; j++)
        a[j] = (long double)value[j * stride] - value[0];
    for (size_t k = 1; k < VALUES; k++)
        for (size_t j = VALUES - 1; j >= k; j--)
            a[j] = (a[j] - a[j - 1]) / (s->point[j] - s->point[j - k]);
    for (size_t k = VALUES - 1; k-- > 0;) /* a_k + (t - c_k)(a_(k+1) + ...), multiplied out */
        for (size_t j = k; j < VALUES - 1; j++)
            a[j] -= s->point[k] * a[j + 1];
    for (size_t k = 1; k < AM_ORDERS; k++) {
        unit *= length;
        out[k * out_stride] = k < VALUES ? (double)(a[k] / unit) : 0.0;
    }
    out[0] = value[0];
}

/* Friction that is steep carries the rounding of a sliding speed, a difference of velocities, into the force. The
 * accelerations of the polynomial know better what the forces are: by least squares, in the weights of velocities. */
static void balance_forces(am_motion *e, size_t i, double length) {
    am_stiff *s = e->stiff;
    const am_plan *plan = &e->plan;
    size_t n = plan->n, nx = plan->nx, first = plan->nd + plan->nz, F = e->flow->active;
    double *x = s->value + i * nx, *matrix = e->forces.matrix, *side = e->forces.side;
    memset(matrix, 0, F * F * sizeof *matrix);
    memset(side, 0, F * sizeof *side);
    for (size_t l = 0; l < n; l++) {
        const double *row = e->flow->A + l * nx, weight = plan->weight[n + l];
        double lacks = -am_dense_dot(row, x, nx);
        for (size_t j = 1; j < VALUES; j++)
            lacks += s->slope[i * VALUES + j] * s->rise[j * plan->nd + n + l] / length;
        for (size_t a = 0; a < F; a++) {
            double acts = weight * row[first + e->flow->acting[a]];
            side[a] += acts * weight * lacks;
            for (size_t b = 0; b < F; b++)
                matrix[a * F + b] += acts * weight * row[first + e->flow->acting[b]];
        }
    }
    for (size_t a = 0; a < F; a++) /* rates of internal variables move nothing, and stay as they are */
        if (matrix[a * F + a] == 0.0)
            matrix[a * F + a] = 1.0;
    if (!am_lu_factor(matrix, F, e->forces.pivot))
        return;
    am_lu_solve(matrix, F, e->forces.pivot, 1, side);
    for (size_t a = 0; a < F; a++)
        x[first + e->flow->acting[a]] += side[a];
}

static void write_series(am_motion *e, double length) {
    am_stiff *s = e->stiff;
    size_t nd = e->plan.nd, nx = e->plan.nx;
    rate_at(e, s->lost, s->value, s->rate, s->jacobian); /* forces at the start */
    for (size_t i = 0; i < VALUES; i++)
        balance_forces(e, i, length);
    for (size_t l = 0; l < nx; l++) {
        bool moves = l < nd;
        orders_of(s, moves ? s->rise + l : s->value + l, moves ? nd : nx, length, e->series + l, nx);
        e->series[l] = s->value[l];
    }
    e->written = (am_written){.to = e->plan.n, .orders = AM_ORDERS, .forces = true};
}

/* The largest speeds with which a contact slides forward and backward at the points. */
static void span_speeds(const am_motion *e, size_t c, double *forward, double *backward) {
    *forward = *backward = 0.0;
    for (size_t i = 0; i < VALUES; i++) {
        double slide = slide_at_point(e, c, i);
        *forward = fmax(*forward, slide);
        *backward = fmax(*backward, -slide);
    }
}

/* The sliding speed of a contact at x, to which its errors are relative; where it turns, or has just turned, the largest
 * on the way. */
static double speed_of(const am_motion *e, size_t c, const double *x) {
    double forward, backward, speed = fabs(slide_at(&e->plan, c, x) + e->stiff->lost[VALUES * e->plan.m + c]);
    span_speeds(e, c, &forward, &backward);
    if (forward > 0.0 && backward > 0.0)
        speed = fmax(forward, backward);
    return e->fresh ? fmax(speed, e->stiff->speed[c]) : speed;
}

/* An age is to be right by itself, a deflection by the force it makes, for as long as its error lasts. */
static bool inner_is_exact(const am_motion *e, size_t c, size_t i, const double *x, const double *delta, double length,
                           double most) {
    const am_plan *plan = &e->plan;
    size_t inner = 2 * plan->n + plan->inner[c] + i, j = am_force_of(plan, AM_FORCE_DRAG, c),
           first = plan->nd + plan->nz;
    if (!am_force_inner_is_directed(plan, c, i))
        return plan->weight[inner] * fabs(x[inner]) >= e->size || fabs(delta[inner]) <= worst_speed * fabs(x[inner]);
    if (am_slider_goes_with_bodies(e, c) && !(fabs(delta[inner]) <= AM_WORST_STRETCH * fabs(x[inner])))
        return false;
    const double *gradient = e->forces.gradient + inner;
    double force = gradient[j * plan->nd] * delta[inner];
    double decay = fabs(gradient[(am_force_of(plan, AM_FORCE_RATE, c) + i) * plan->nd]);
    return plan->weight[first + j] * fabs(force) <= most * (1.0 + decay * length);
}

/* The error of the polynomial at a place between the points: what (1/length - J) delta = x' - x'(x) gives, so that what
 * decays fast counts for what is left of it. */
static bool is_exact_at(am_motion *e, double length, double part) {
    am_stiff *s = e->stiff;
    const am_plan *plan = &e->plan;
    size_t nd = plan->nd, nx = plan->nx;
    double *x = e->x_work[0], *z = e->x_work[1], *lost = s->lost + VALUES * plan->m,
           *matrix = s->jacobian + (VALUES + 1) * nd * nd, *delta = s->right;
    const double most = worst_error * DBL_EPSILON * e->size;
    am_engine_evaluate(e, part * length, x, nx);
    memcpy(z, x, nx * sizeof *z);
    inputs_ahead(e, part * length, z + nd);
    for (size_t j = nd; j < nd + plan->nz; j++)
        if (!(plan->weight[j] * fabs(x[j] - z[j]) <= most))
            return false;
    am_engine_creep(e, part * length, z, lost);
    if (!rate_at(e, lost, z, s->rate, matrix))
        return false;
    for (size_t l = 0; l < nd; l++) {
        double slope = 0.0, power = 1.0;
        for (size_t k = 1; k < VALUES; k++, power *= part * length)
            slope += (double)k * e->series[k * nx + l] * power;
        delta[l] = slope - s->rate[l];
        for (size_t m = 0; m < nd; m++)
            matrix[l * nd + m] = (l == m ? 1.0 / length : 0.0) - matrix[l * nd + m];
        double scale = 1.0 / am_dense_largest(matrix + l * nd, nd);
        for (size_t m = 0; m < nd; m++)
            matrix[l * nd + m] *= scale;
        delta[l] *= scale;
    }
    if (!am_lu_factor(matrix, nd, s->order))
        return false;
    am_lu_solve(matrix, nd, s->order, 1, delta);
    for (size_t l = 0; l < nd; l++)
        if (!(plan->weight[l] * fabs(delta[l]) <= most))
            return false;
    for (size_t c = 0; c < plan->m; c++)
        for (size_t i = 0; i < plan->memories[c]; i++)
            if (!inner_is_exact(e, c, i, x, delta, length, most))
                return false;
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        double known = worst_speed * speed_of(e, c, z) + 64.0 * DBL_EPSILON * s->parts[c];
        if (creeps(e, c) && !(fabs(am_dense_dot(contact->tangent, delta + plan->n, plan->n)) <= known))
            return false;
    }
    return true;
}

/* The derivative along the span: sum of slope_ij dx_j - length J_i dx_i = 0, with the factors of Newton's equations. */
static void write_variation(am_motion *e, double length) {
    am_stiff *s = e->stiff;
    size_t nd = e->plan.nd, U = POINTS * nd, columns = e->followed;
    for (size_t c = 0; c < columns; c++) {
        double *right = s->right + c * U;
        for (size_t u = 0; u < U; u++)
            right[u] = -s->scale[u] * s->slope[(1 + u / nd) * VALUES] * e->sensitivity[u % nd * columns + c];
    }
    am_lu_solve(s->matrix, U, s->order, columns, s->right);
    for (size_t c = 0; c < columns; c++)
        for (size_t l = 0; l < nd; l++) {
            double value[VALUES] = {e->sensitivity[l * columns + c]}, orders[AM_ORDERS];
            for (size_t j = 1; j < VALUES; j++)
                value[j] = s->right[c * U + (j - 1) * nd + l];
            orders_of(s, value, 1, length, orders, 1);
            am_engine_vary_write(e, l, c, orders);
        }
}

/* A span of this length, or up to where a law comes to a corner: until then the text beyond it has done no harm. */
static bool try_length(am_motion *e, double *length) {
    am_stiff *s = e->stiff;
    if (!collocate(e, *length))
        return false;
    write_series(e, *length);
    if (!is_exact_at(e, *length, (double)(s->point[3] + s->point[4]) / 2.0) ||
        !is_exact_at(e, *length, (double)(s->point[8] + s->point[9]) / 2.0))
        return false;
    if (e->sensitivity) {
        if (!fill_equations(e, *length)) /* the check has used its factors' order */
            return false;
        write_variation(e, *length);
    }
    *length = am_forces_until(&e->plan, e->flow, &e->forces, e->series, *length, 2.0 * e->zero * e->size);
    return true;
}

void am_stiff_start(am_motion *e) {
    if (!e->stiff)
        return;
    memset(e->stiff->speed, 0, e->plan.m * sizeof *e->stiff->speed);
    e->stiff->length = 0.0;
    e->stiff->wait = e->stiff->creeps = 0;
    e->stiff->rests = NULL;
    e->stiff->settled = false;
}

/* The time in which sliding speeds without stick change by as much as they are, the shortest. */
static double time_of_speeds(const am_motion *e) {
    double shortest = INFINITY;
    for (size_t q = 0; q < e->flow->quantities; q++) {
        const double *row = e->flow->row + q * e->plan.nx, *x = e->series;
        if (!am_quantity_is_sharp(&e->plan, &e->flow->quantity[q]))
            continue;
        double speed = fabs(am_dense_dot(row, x, e->plan.nx)),
               rate = fabs(am_dense_dot(row, x + e->plan.nx, e->plan.nx));
        shortest = fmin(shortest, speed < rate * DBL_MAX ? speed / rate : INFINITY);
    }
    return isfinite(shortest) ? shortest : 0.0;
}

/* A law may be so steep at rest that friction depends on a speed which is lost in the rounding of the velocities whose
 * difference it is: a contact that creeps with its surface. */
static bool creep_is_lost(const am_motion *e, size_t c) {
    const am_plan *plan = &e->plan;
    const am_contact_def *contact = &plan->system->contact[c];
    const am_speed_friction *use = &contact->speed_friction;
    double parts = e->stiff->parts[c], N = am_dense_dot(e->flow->normal + c * plan->nx, e->x, plan->nx);
    if (am_law_sticks(use) || !am_is_closed(e->flow->k.state[c]))
        return false;
    const double *w = plan->inner[c] == AM_NO_ROW ? NULL : e->x + 2 * plan->n + plan->inner[c];
    double rest = am_law_drag_at(use, 0.0, N, w).force.value,
           noise = am_law_drag_at(use, DBL_EPSILON * parts, N, w).force.value;
    return fabs(am_engine_slide(e, c)) <= worst_error * DBL_EPSILON * parts &&
           noise - rest > 0.1 * fabs(am_law_drag_at(use, parts, N, w).force.value);
}

static void count_lost_creep(am_motion *e, bool lost) {
    bool any = false;
    for (size_t c = 0; lost && c < e->plan.m; c++)
        any |= creep_is_lost(e, c);
    e->stiff->creeps = any ? e->stiff->creeps + 1 : 0;
}

am_status am_stiff_check(const am_motion *e, am_error *err) {
    enum { MOST_LOST = 256 };
    for (size_t c = 0; e->stiff && e->stiff->creeps > MOST_LOST && c < e->plan.m; c++)
        if (creep_is_lost(e, c))
            return am_fail(
                err, AM_ERR_LIMIT,
                "at t = %.15g contact '%s' creeps on its surface at a speed that is lost in the rounding of "
                "the velocities (its friction is that steep at rest): let coordinates move with the surface, "
                "or take a law that sticks",
                e->now.t, e->plan.system->contact[c].name);
    return AM_OK;
}

static void preserve_speeds(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        double forward, backward;
        span_speeds(e, c, &forward, &backward);
        e->stiff->speed[c] = fmax(forward, backward);
    }
}

/* Below this part of what velocities are of a structure a speed is far below rounding, and one of these parts is left where
 * it does not creep. Shorter spans than this part of its own time have powers that numbers cannot hold. */
static const double tiny_speed = 1e-18, left_speed = 1e-20, shortest = 1e-22;

/* The speed of friction without stick that is that small. */
static const am_quantity *tiny_slide(const am_motion *e) {
    for (size_t q = 0; q < e->flow->quantities; q++) {
        size_t c = e->flow->quantity[q].contact;
        if (am_quantity_is_sharp(&e->plan, &e->flow->quantity[q]) &&
            fabs(am_engine_slide(e, c)) <= tiny_speed * e->slide_dual[c] * e->size)
            return &e->flow->quantity[q];
    }
    return NULL;
}

/* The acceleration of a contact along its tangent at x, and its derivative with respect to velocities along u. */
static double slide_rate(am_motion *e, size_t c, double *x, const double *u, double *slope) {
    size_t n = e->plan.n, nd = e->plan.nd;
    const double *tangent = e->plan.system->contact[c].tangent;
    double *rate = e->stiff->rate, *jacobian = e->stiff->jacobian, sum = NAN;
    *slope = 0.0;
    if (rate_at(e, e->stiff->lost, x, rate, jacobian))
        sum = am_dense_dot(tangent, rate + n, n);
    for (size_t i = 0; i < n; i++)
        *slope += tangent[i] * am_dense_dot(jacobian + (n + i) * nd + n, u, n);
    return sum;
}

/* Where friction is so steep at rest that its layer of creep cannot be resolved in time, nothing else moves while the speed
 * passes through it: it takes that at which friction balances the other forces, or leaves on the side they push to. The
 * change is far below rounding. Friction is concave in the speed, so that Newton's method rises to it from rest. */
bool am_stiff_settle(am_motion *e, am_quantity *trigger) {
    enum { MOST_STEPS = 400 };
    am_stiff *s = e->stiff;
    size_t n = e->plan.n;
    if (!s || !s->rests)
        return false;
    size_t c = s->rests->contact;
    const double *tangent = e->plan.system->contact[c].tangent, edge = left_speed * e->slide_dual[c] * e->size;
    double *u = e->n_work[0], *x = e->x_work[0], speed = 0.0, slope;
    am_dense_apply(e->flow->k.Y, n, n, tangent, u);
    double yield = am_dense_dot(tangent, u, n), slide = am_engine_slide(e, c), *lost = s->lost;
    memcpy(x, e->x, e->plan.nx * sizeof *x);
    memcpy(lost, e->lost, e->plan.m * sizeof *lost);
    for (size_t i = 0; i < n; i++) {
        u[i] /= yield;
        x[n + i] -= slide * u[i];
    }
    lost[c] = -slide_at(&e->plan, c, x);
    for (int step = 0; step < MOST_STEPS && fabs(speed) < edge; step++) {
        double rate = slide_rate(e, c, x, u, &slope), change = -rate / slope;
        if (!(slope < 0.0) || !isfinite(change) || fabs(change) <= 1e-13 * fabs(speed))
            break;
        speed += change;
        for (size_t i = 0; i < n; i++)
            x[n + i] += change * u[i];
        lost[c] = speed - slide_at(&e->plan, c, x);
    }
    s->settled = fabs(speed) < edge;
    speed = fmax(-edge, fmin(edge, speed));
    for (size_t i = 0; i < n; i++)
        e->x[n + i] += (speed - slide) * u[i];
    e->lost[c] = speed - slide_at(&e->plan, c, e->x);
    *trigger = *s->rests;
    s->rests = NULL;
    return true;
}

bool am_stiff_failed(const am_motion *e) {
    return e->stiff && e->stiff->failed;
}

bool am_stiff_made(const am_motion *e) {
    return e->stiff && e->stiff->made;
}

bool am_stiff_expand(am_motion *e, double limit, bool lost, double *length) {
    am_stiff *s = e->stiff;
    const double series = *length, own = series * e->plan.frequency;
    if (s)
        s->made = s->failed = false;
    if (!s || series >= limit || own > too_short || (e->quiet < quiet_enough && own > nowhere))
        return false;
    if (s->wait > 0 && !lost) {
        s->wait--;
        return false;
    }
    double decay = fastest_decay(e), least = lost ? shortest / e->plan.frequency : worth * series;
    double begin = !lost                    ? least
                   : s->settled || e->fresh ? first_tried / e->plan.frequency
                                            : fmax(decays / decay, time_of_speeds(e));
    bool stiff = lost ? decay > 0.0 : decay * series > decays;
    double trial = fmin(limit, 4.0 * fmax(s->length, begin));
    for (int i = 0; stiff && i < most_halvings && (trial >= least || i == 0); i++, trial *= 0.5) {
        *length = trial;
        if (try_length(e, length)) {
            s->length = trial;
            s->made = true;
            s->settled = false;
            preserve_speeds(e);
            count_lost_creep(e, lost);
            return true;
        }
    }
    *length = series;
    s->failed = stiff;
    s->wait = patience;
    s->rests = lost && !s->settled ? tiny_slide(e) : NULL;
    if (stiff && !s->rests) {
        s->length = 0.0;
        am_engine_expand_again(e); /* the series that was overwritten */
    }
    return false;
}
