/* Can rigid contacts that slide stay closed? docs/stability.md, section "Where rigid contact fails".
 *
 * At a given place and velocity the accelerations of penetration of the rigid contacts are a = A N + b, with A = -J
 * M^-1 B. Surfaces cannot pull and cannot pass through each other: N >= 0, a <= 0 (a is an acceleration of
 * *penetration*: eq. 25 has the wrong sign), a N = 0. With few contacts all solutions are enumerated. */
#include "analyses/states/questions.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/stability/linearised.h"
#include "analyses/stability/sliding.h"
#include "base/columns.h"
#include "base/local.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/lcp.h"
#include "math/lu.h"
#include "math/p_matrix.h"
#include "system/capability.h"
#include "system/combination.h"
#include "system/steady.h"
#include "system/system.h"

/* Up to this many contacts every set of them is tried; solutions beyond this many are counted but not listed. */
enum { ENUMERATED = 14, MOST_LISTED = 1000 };

/* Below this fraction of the terms they were added up from, numbers are zero but for rounding. */
static const double same_zero = 1e-12;

typedef struct solution {
    double *N, *a; /* count */
    size_t set;    /* which contacts are closed, as bits (enumerated) */
    bool family;   /* one of infinitely many */
    double damping;
    const char *layer;
} solution;

typedef struct work {
    am_arena memory;
    const am_system *system;
    const am_states_options *options;
    size_t n, m, count;
    am_contact_state *state; /* m */
    size_t *contact;         /* count: rigid ones that touch */
    double *D, *D0;          /* count x count: -A, and the same without friction */
    double *b, *b_size;      /* count: acceleration of penetration without them, and the size of its terms */
    double *A;               /* count x count: of one set */
    double *x, *y;           /* count: work */
    int *order;              /* count */
    solution *found;
    size_t solutions, capacity;
    bool infinite, complete;
    double closing, residual;
} work;

/* ---- which way and from where ---- */

static const double *zero_or(const double *given, const double *zero) {
    return given ? given : zero;
}

static am_status decide_direction(work *w, size_t c, const double *velocity, am_error *err) {
    const am_contact_def *contact = &w->system->contact[c];
    am_standing standing = w->options->standing ? w->options->standing[c] : AM_STANDING_ORIGIN;
    double v = am_dense_dot(contact->tangent, velocity, w->n) - contact->surface_velocity;
    if (contact->second_tangent && am_dense_dot(contact->second_tangent, velocity, w->n) != 0.0)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "initial",
                             "%s slips obliquely in its plane (two tangents): turn its tangents so that the first lies "
                             "along the slip",
                             contact->name);
    if (w->system->stop[c]) /* a stop cannot slide: it pushes or is open */
        w->state[c] = standing == AM_STANDING_OPEN ? AM_OPEN : AM_STICK;
    else if (standing == AM_STANDING_OPEN || standing == AM_STANDING_FORWARD || standing == AM_STANDING_BACKWARD)
        w->state[c] = standing == AM_STANDING_OPEN      ? AM_OPEN
                      : standing == AM_STANDING_FORWARD ? AM_FORWARD
                                                        : AM_BACKWARD;
    else if (standing == AM_STANDING_STICK || v == 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "standing",
                             "%s does not slide (its surface and the structure have the same velocity): say forward "
                             "or backward, or give a surface velocity",
                             contact->name);
    else
        w->state[c] = v > 0.0 ? AM_FORWARD : AM_BACKWARD;
    return AM_OK;
}

/* A rigid contact with a gap is open; one that touches must neither overlap nor approach. */
static am_status examine_gap(work *w, size_t c, const double *q, const double *velocity, am_error *err) {
    const am_contact_def *contact = &w->system->contact[c];
    double gap = contact->gap, size = fabs(contact->gap), rate = 0.0, speed = 0.0;
    for (size_t i = 0; i < w->n; i++) {
        gap += contact->normal[i] * q[i];
        size += fabs(contact->normal[i] * q[i]);
        rate += contact->normal[i] * velocity[i];
        speed += fabs(contact->normal[i] * velocity[i]);
    }
    if (contact->normal_law != AM_UNILATERAL || w->state[c] == AM_OPEN)
        return AM_OK;
    if (gap < -same_zero * size)
        return am_fail_field(err, AM_ERR_INPUT, "initial", "%s overlaps by %g: rigid surfaces cannot", contact->name,
                             -gap);
    if (gap > same_zero * size || rate > same_zero * speed)
        w->state[c] = AM_OPEN; /* apart, or leaving */
    else if (rate < -same_zero * speed)
        return am_fail_field(err, AM_ERR_INPUT, "initial",
                             "%s closes with velocity %g: an impact comes before any steady contact force",
                             contact->name, -rate);
    return AM_OK;
}

/* ---- A and b ---- */

/* Force of a held or compliant contact, whatever the rigid ones do. */
static double given_force(const work *w, size_t c, const double *q, const double *velocity) {
    const am_contact_def *contact = &w->system->contact[c];
    if (contact->normal_law == AM_HELD)
        return am_function_at(&contact->hold, 0.0);
    if (w->state[c] == AM_OPEN || !am_contact_is_compliant(contact))
        return 0.0;
    double d = -contact->gap - am_dense_dot(contact->normal, q, w->n);
    double speed = -am_dense_dot(contact->normal, velocity, w->n);
    return d > 0.0 ? fmax(0.0, am_sliding_force(contact, d) + am_sliding_rate(contact, d) * speed) : 0.0;
}

/* b = -J M^-1 (F - C q' - K q - g(q, q') + forces of the other contacts). `parts` x n: the summands, to know the size
 * of what cancels. */
static void add_part(const work *w, const double *factors, const int *order, double *part) {
    am_lu_solve(factors, w->n, order, 1, part);
    for (size_t i = 0; i < w->count; i++) {
        const double *n = w->system->contact[w->contact[i]].normal;
        double term = -am_dense_dot(n, part, w->n);
        w->b[i] += term;
        w->b_size[i] += fabs(term);
    }
}

static void fill_b(work *w, const double *factors, const int *order, const double *q, const double *velocity,
                   double *part) {
    const am_system *s = w->system;
    const am_matrix *matrices[] = {s->K, s->circulatory, s->C};
    for (size_t k = 0; k < 3; k++) {
        if (!matrices[k])
            continue;
        am_matrix_apply(matrices[k], k < 2 ? q : velocity, part);
        for (size_t i = 0; i < w->n; i++)
            part[i] = -part[i];
        add_part(w, factors, order, part);
    }
    if (s->polynomials > 0) {
        am_system_polynomial_force(s, q, velocity, part, NULL, NULL);
        for (size_t i = 0; i < w->n; i++)
            part[i] = -part[i];
        add_part(w, factors, order, part);
    }
    for (size_t l = 0; l < s->loads; l++) {
        double value = am_function_at(&s->load[l].function, 0.0);
        for (size_t i = 0; i < w->n; i++)
            part[i] = s->load[l].direction[i] * value;
        add_part(w, factors, order, part);
    }
    for (size_t c = 0; c < w->m; c++) {
        double N = given_force(w, c, q, velocity), mu = am_slip_sign(w->state[c]) * s->contact[c].friction;
        for (size_t i = 0; i < w->n; i++)
            part[i] = (s->contact[c].normal[i] + mu * s->contact[c].tangent[i]) * N;
        if (N != 0.0)
            add_part(w, factors, order, part);
    }
}

static am_status set_up(work *w, am_error *err) {
    size_t n = w->n;
    bool regular = false;
    AM_LOCAL_ARENA memory = {0};
    double *numbers = am_arena_new(&memory, n * n + 2 * n, sizeof *numbers, err);
    int *order = am_arena_new(&memory, n, sizeof *order, err);
    AM_TRY(am_arena_status(&memory));
    double *factors = numbers, *part = numbers + n * n, *zero = part + n;
    const double *q = zero_or(w->options->displacement, zero), *velocity = zero_or(w->options->velocity, zero);
    for (size_t c = 0; c < w->m; c++) {
        AM_TRY(decide_direction(w, c, velocity, err));
        AM_TRY(examine_gap(w, c, q, velocity, err));
    }
    AM_TRY(am_linearised_contacts(w->system, w->state, NULL, &w->count, w->contact, w->D, w->D0, &regular, err));
    am_matrix_to_dense(w->system->M, factors);
    if (!regular || !am_lu_factor(factors, n, order))
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                             "the accelerations of contacts need a mass in every direction: the mass matrix is "
                             "singular");
    fill_b(w, factors, order, q, velocity, part);
    return AM_OK;
}

/* ---- the boundary layer ---- */

/* A contact of slight compliance replaces the rigid ones of the set: z'' = A (z + d z'), eq. 23, with equal stiffness
 * 1 and damping d of the contacts. With an eigenvalue l of A: s^2 = l (1 + d s). Real l < 0: stable; Re l > 0 or l = 0:
 * unstable; complex with Re l < 0: stable when d exceeds |Im l|/(sqrt(|Re l|) |l|). */
static am_status judge_layer(work *w, solution *s, const size_t *in, size_t size, am_error *err) {
    am_eigen e;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            w->A[i * size + j] = -w->D[in[i] * w->count + in[j]];
    AM_TRY(am_eigen_init(&e, w->A, size, 0.0, err));
    s->layer = "stable";
    s->damping = 0.0;
    for (size_t i = 0; i < size; i++) {
        double re = e.real[i], im = e.imaginary[i];
        if (re > -e.uncertainty[i])
            s->damping = INFINITY;
        else if (im != 0.0)
            s->damping = fmax(s->damping, fabs(im) / (sqrt(-re) * hypot(re, im)));
    }
    am_eigen_clear(&e);
    if (s->damping > 0.0)
        s->layer = isinf(s->damping) ? "unstable" : "stable with damping";
    s->damping = isinf(s->damping) ? NAN : s->damping;
    return AM_OK;
}

/* ---- solutions ---- */

static am_status add_solution(work *w, const double *N, size_t set, bool family, am_error *err) {
    size_t in[ENUMERATED], size = 0, count = w->count;
    w->infinite = w->infinite || family;
    if (w->solutions >= MOST_LISTED) {
        w->complete = false;
        return AM_OK;
    }
    AM_TRY(am_memory_reserve(&w->found, &w->capacity, w->solutions + 1, err));
    solution *s = &w->found[w->solutions];
    *s = (solution){.set = set, .family = family, .layer = ""};
    s->N = am_arena_doubles(&w->memory, N, count, err);
    s->a = am_arena_doubles(&w->memory, NULL, count, err);
    if (am_arena_status(&w->memory))
        return AM_ERR_MEMORY;
    w->solutions++;
    for (size_t i = 0; i < count; i++)
        s->a[i] = w->b[i] - am_dense_dot(w->D + i * count, N, count);
    for (size_t i = 0; i < count && count <= ENUMERATED; i++)
        if (set >> i & 1)
            in[size++] = i;
    s->layer = family ? "" : "stable"; /* apart: nothing to be stiff against */
    return family || size == 0 ? AM_OK : judge_layer(w, s, in, size, err);
}

/* Are the accelerations of the contacts outside the set not into the surface? */
static bool others_part(const work *w, const double *N, size_t set) {
    for (size_t i = 0; i < w->count; i++) {
        double a = w->b[i], size = w->b_size[i];
        for (size_t j = 0; j < w->count; j++) {
            a -= w->D[i * w->count + j] * N[j];
            size += fabs(w->D[i * w->count + j] * N[j]);
        }
        if (!(set >> i & 1) && a > same_zero * size)
            return false;
    }
    return true;
}

/* A set whose A is singular: the forces base + tau step, for every tau, where they exist. */
typedef struct line {
    double base[ENUMERATED], step[ENUMERATED];
} line;

/* One particular solution and the direction that A does not see; false in *exists where there is none, or more than one
 * such direction. A single contact is singular by comparison with its value without friction. */
static am_status find_line(work *w, const size_t *in, size_t size, line *l, bool *exists, am_error *err) {
    size_t null = 0, count = w->count;
    if (size == 1) {
        l->base[0] = 0.0;
        l->step[0] = 1.0;
        *exists = fabs(w->b[in[0]]) <= same_zero * w->b_size[in[0]];
        return AM_OK;
    }
    double *copy = am_memory_new(2 * size * size, sizeof *copy, err);
    if (!copy)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            copy[i * size + j] = copy[size * size + i * size + j] = w->D[in[i] * count + in[j]];
    am_status status = am_null_space(copy, size, size, w->A, &null, err);
    memcpy(l->step, w->A, size * sizeof *l->step);
    for (size_t i = 0; i < size; i++)
        l->base[i] = w->b[in[i]];
    if (!status)
        status = am_least_squares(copy + size * size, size, l->base, 1e-12, err);
    am_memory_free(copy);
    *exists = !status && null == 1;
    for (size_t i = 0; i < size && *exists; i++) {
        double off = w->b[in[i]];
        for (size_t j = 0; j < size; j++)
            off -= w->D[in[i] * count + in[j]] * l->base[j];
        *exists = fabs(off) <= same_zero * w->b_size[in[i]];
    }
    return status;
}

/* A tau in the middle of those that make all forces positive; NaN where there are none. */
static double positive_part(const line *l, size_t size) {
    double low = -INFINITY, high = INFINITY;
    for (size_t i = 0; i < size; i++) {
        double tau = -l->base[i] / l->step[i];
        if (fabs(l->step[i]) <= same_zero)
            low = l->base[i] > 0.0 ? low : INFINITY;
        else if (l->step[i] > 0.0)
            low = fmax(low, tau);
        else
            high = fmin(high, tau);
    }
    if (!(low < high))
        return NAN;
    if (isinf(low))
        return isinf(high) ? 0.0 : high - 1.0;
    return isinf(high) ? low + 1.0 : 0.5 * (low + high);
}

/* Forces that are not determined: infinitely many solutions. */
static am_status try_singular(work *w, size_t set, const size_t *in, size_t size, am_error *err) {
    line l;
    bool exists = false;
    AM_TRY(find_line(w, in, size, &l, &exists, err));
    double tau = exists ? positive_part(&l, size) : NAN;
    if (isnan(tau))
        return AM_OK;
    memset(w->x, 0, w->count * sizeof *w->x);
    for (size_t i = 0; i < size; i++)
        w->x[in[i]] = l.base[i] + tau * l.step[i];
    return others_part(w, w->x, set) ? add_solution(w, w->x, set, true, err) : AM_OK;
}

static bool is_singular(const work *w, size_t c) {
    return fabs(w->D[c * w->count + c]) <= same_zero * w->D0[c * w->count + c];
}

static am_status try_set(work *w, size_t set, am_error *err) {
    size_t in[ENUMERATED], size = 0, count = w->count;
    for (size_t i = 0; i < count; i++)
        if (set >> i & 1)
            in[size++] = i;
    for (size_t i = 0; i < size; i++) {
        w->y[i] = w->b[in[i]];
        for (size_t j = 0; j < size; j++)
            w->A[i * size + j] = w->D[in[i] * count + in[j]];
    }
    if ((size == 1 && is_singular(w, in[0])) || (size > 0 && !am_lu_factor(w->A, size, w->order)))
        return try_singular(w, set, in, size, err);
    if (size > 0)
        am_lu_solve(w->A, size, w->order, 1, w->y);
    memset(w->x, 0, count * sizeof *w->x);
    /* A force that is zero but for rounding belongs to the set without its contact. */
    double most = am_dense_largest(w->y, size);
    bool pushed = size == 0;
    for (size_t i = 0; i < size; i++) {
        pushed = pushed || fabs(w->b[in[i]]) > same_zero * w->b_size[in[i]];
        w->x[in[i]] = w->y[i];
        if (!(w->y[i] > same_zero * most))
            return AM_OK;
    }
    if (!pushed)
        return AM_OK;
    return others_part(w, w->x, set) ? add_solution(w, w->x, set, false, err) : AM_OK;
}

static am_status enumerate(work *w, const am_progress *progress, am_error *err) {
    size_t sets = (size_t)1 << w->count;
    w->complete = true;
    for (size_t set = 0; set < sets; set++) {
        if (set % 256 == 0 && !am_progress_report(progress, (double)set / (double)sets))
            return am_fail(err, AM_ERR_INTERRUPTED, "stopped after %zu of %zu sets of contacts", set, sets);
        AM_TRY(try_set(w, set, err));
    }
    return AM_OK;
}

/* Many contacts: one solution, by pivoting. It is the only one where -A is a P-matrix. */
static am_status pivot(work *w, bool unique, am_error *err) {
    size_t count = w->count;
    AM_LOCAL_MEMORY double *q = am_memory_new(2 * count, sizeof *q, err);
    AM_LOCAL(am_lcp_workspace_free_at) am_lcp_workspace *workspace = am_lcp_workspace_create(err);
    if (!q || !workspace)
        return AM_ERR_MEMORY;
    am_lcp_info info;
    for (size_t i = 0; i < count; i++)
        q[i] = -w->b[i];
    am_lcp lcp = am_lcp_dense(count, w->D, q);
    AM_TRY(am_lcp_solve(&lcp, NULL, workspace, q + count, &info, err));
    if (info.status == AM_LCP_SOLVED)
        AM_TRY(add_solution(w, q + count, 0, false, err));
    w->complete = unique || (info.status == AM_LCP_RAY && info.infeasible);
    for (size_t i = 0; i < w->solutions; i++)
        w->found[i].layer = unique ? "stable" : "";
    return AM_OK;
}

/* Largest violation of N >= 0, a <= 0, a N = 0, relative to the sizes met. */
static double residual_of(const work *w) {
    double worst = 0.0;
    for (size_t k = 0; k < w->solutions; k++) {
        const solution *s = &w->found[k];
        double N = fmax(am_dense_largest(s->N, w->count), DBL_MIN), a = DBL_MIN;
        for (size_t i = 0; i < w->count; i++) {
            a = fmax(a, w->b_size[i]);
            for (size_t j = 0; j < w->count; j++)
                a = fmax(a, fabs(w->D[i * w->count + j] * s->N[j]));
        }
        for (size_t i = 0; i < w->count; i++) {
            double off = fabs(fmin(s->N[i] / N, -s->a[i] / a));
            worst = !(off <= worst) ? off : worst;
        }
    }
    return worst;
}

/* ---- report ---- */

static const char *answer_of(const work *w) {
    static const char *const words[] = {"none", "one", "two"};
    if (w->infinite)
        return "infinitely many";
    if (!w->complete)
        return w->solutions > 0 ? "at least one" : "unknown";
    return w->solutions < 3 ? words[w->solutions] : "several";
}

static void report_table(const work *w, am_result *result) {
    am_table *table =
        am_result_describe_table(result, "solutions", "solution contact state N a boundary_layer damping");
    for (size_t k = 0; k < w->solutions; k++)
        for (size_t i = 0; i < w->count; i++) {
            const solution *s = &w->found[k];
            am_table_add_numbers(table, AM_NUMBERS((double)k + 1.0, s->family ? NAN : s->N[i],
                                                   s->N[i] > 0.0 ? 0.0 : s->a[i], s->damping));
            am_table_set_text(table, 1, am_system_contact_name(w->system, w->contact[i]), NULL);
            am_table_set_text(table, 2, s->N[i] > 0.0 ? "contact" : "no contact", NULL);
            am_table_set_text(table, 5, s->layer, NULL);
        }
}

static int sign_of(double value, double zero) {
    return fabs(value) <= zero ? 0 : value > 0.0 ? 1 : -1;
}

/* One contact: a row of Table 1. */
static void report_row(const work *w, am_result *result) {
    static const char signs[] = "<=>";
    double A = w->D[0] == 0.0 ? 0.0 : -w->D[0], b = w->b[0];
    char conditions[32];
    const solution *contact = NULL;
    bool apart = false;
    snprintf(conditions, sizeof conditions, "A %c 0, b %c 0", signs[1 + sign_of(A, same_zero * w->D0[0])],
             signs[1 + sign_of(b, same_zero * w->b_size[0])]);
    for (size_t k = 0; k < w->solutions; k++) {
        apart = apart || w->found[k].set == 0;
        contact = w->found[k].set != 0 && !w->found[k].family ? &w->found[k] : contact;
    }
    am_result_set_text(result, "conditions", conditions, NULL);
    am_result_set_numbers(result, AM_NAMED({"contact_A", A}, {"contact_b", b}));
    am_result_set_flag(result, "no_contact", apart, NULL);
    am_result_set_known(result, "contact_N", contact ? contact->N[0] : NAN);
    am_result_set_words(result, "contact_boundary_layer", contact ? contact->layer : NULL);
}

static am_status report(work *w, bool unique_for_all, am_result *result, am_error *err) {
    am_result_set_text(result, "answer", answer_of(w), NULL);
    am_result_set_counts(result, AM_NAMED({"solutions", w->infinite || !w->complete ? NAN : (double)w->solutions}));
    /* Painlevé's case: delta_0 >= 0, generally: the accelerations do not decide for every b. */
    am_result_set_flag(result, "painleve", w->count > 0 && !unique_for_all, NULL);
    am_result_set_flag(result, "unique_for_all", unique_for_all, NULL);
    am_result_set_flag(result, "exhaustive", w->complete, NULL);
    if (w->count == 1)
        report_row(w, result);
    report_table(w, result);
    double residual = residual_of(w);
    am_result_set_number(result, "lcp_residual", residual, NULL);
    if (!(residual <= 1e-9))
        return am_fail(err, AM_ERR_EVIDENCE, "a solution does not satisfy N >= 0, a <= 0, a N = 0: off by %g",
                       residual);
    return AM_OK;
}

/* ---- all of it ---- */

static am_status reserve(work *w, am_error *err) {
    size_t m = w->m;
    AM_ARENA_DOUBLES(&w->memory, m * m, err, &w->D, &w->D0, &w->A);
    AM_ARENA_DOUBLES(&w->memory, m, err, &w->b, &w->b_size, &w->x, &w->y);
    w->contact = am_arena_new(&w->memory, m, sizeof *w->contact, err);
    w->order = am_arena_new(&w->memory, m, sizeof *w->order, err);
    w->state = am_arena_new(&w->memory, m, sizeof *w->state, err);
    return am_arena_status(&w->memory);
}

static void release(work *w) {
    am_memory_free(w->found);
    am_arena_clear(&w->memory);
}

static am_status test_uniqueness(work *w, bool *unique, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    double *zero = am_arena_new(&memory, w->count * w->count, sizeof *zero, err);
    int *choice = am_arena_new(&memory, w->count, sizeof *choice, err);
    AM_TRY(am_arena_status(&memory));
    am_p_report report = {.verdict = AM_P_YES};
    if (w->count > 0)
        AM_TRY(am_p_family(w->D, zero, w->count, w->options->budget, choice, &report, err));
    *unique = report.verdict == AM_P_YES;
    for (size_t c = 0; c < w->count; c++)
        *unique = *unique && !is_singular(w, c);
    return AM_OK;
}

am_status am_states_check_sliding(const am_system *system, am_error *err) {
    AM_TRY(am_system_check(system, "states with question: sliding", err));
    for (size_t c = 0; c < system->m; c++)
        if (system->contact[c].normal_law == AM_UNILATERAL)
            return AM_OK;
    return am_fail_field(err, AM_ERR_UNSUPPORTED, "contacts",
                         "the question `sliding` is about rigid contacts (law unilateral), and this system has none: "
                         "compliant ones always have a force");
}

static am_status answer(work *w, am_result *result, const am_progress *progress, am_error *err) {
    bool unique = false;
    AM_TRY(reserve(w, err));
    AM_TRY(set_up(w, err));
    AM_TRY(test_uniqueness(w, &unique, err));
    AM_TRY(w->count <= ENUMERATED ? enumerate(w, progress, err) : pivot(w, unique, err));
    return report(w, unique, result, err);
}

am_status am_states_sliding(const am_system *system, const am_states_options *options, am_result *result,
                            const am_progress *progress, am_error *err) {
    AM_LOCAL(am_steady_sliding_clear) am_steady_sliding steady = {0};
    AM_TRY(am_states_check_sliding(system, err));
    AM_TRY(am_steady_sliding_init(&steady, system, NULL, options->velocity, err));
    AM_LOCAL(release) work w = {.system = steady.system, .options = options, .n = system->n, .m = system->m};
    return answer(&w, result, progress, err);
}
