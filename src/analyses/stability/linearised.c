#include "analyses/stability/linearised.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/lu.h"
#include "math/p_matrix.h"
#include "system/combination.h"
#include "system/steady.h"
#include "system/system.h"

/* Up to this many rigid contacts all principal minors are looked at; beyond, am_p_family cuts most of them off. */
enum { MINOR_LIMIT = 10 };

/* Up to this many directions masses are inverted in place, without LAPACK. */
enum { FEW = 8 };

/* Below this the reduced mass counts as singular. */
static const double singular = 1e-13;

static am_status reserve(am_linearised *r, size_t n, am_error *err) {
    *r = (am_linearised){.n = n, .closing = NAN};
    AM_ARENA_DOUBLES(&r->memory, n * n, err, &r->M, &r->C, &r->K, &r->inverse, &r->Z, &r->W);
    r->work = am_arena_doubles(&r->memory, NULL, n * n + 2 * n, err);
    r->massless = am_arena_new(&r->memory, n, sizeof *r->massless, err);
    return am_arena_status(&r->memory);
}

void am_linearised_clear(am_linearised *r) {
    am_arena_clear(&r->memory);
    *r = (am_linearised){0};
}

/* ---- rows of J and columns of B ---- */

static bool is_rigid(const am_contact_def *contact, am_contact_state state) {
    return contact->normal_law == AM_UNILATERAL && state != AM_OPEN;
}

/* Along how many tangents a contact that sticks holds. */
static size_t held_tangents(const am_system *system, size_t c, const am_contact_state *state) {
    if (!am_contact_holds(system, c, state[c]))
        return 0;
    return system->contact[c].second_tangent ? 2 : 1;
}

static size_t count_rows(const am_system *system, const am_contact_state *state) {
    size_t p = 0;
    for (size_t c = 0; c < system->m; c++)
        p += (is_rigid(&system->contact[c], state[c]) ? 1 : 0) + held_tangents(system, c, state);
    return p;
}

/* J, and B^T, both p x n; normal rows first (in the order of contacts), then those of stick. `friction`: 0 leaves it
 * out. normal: NULL where no friction depends on it. */
static void fill_rows(const am_system *system, const am_contact_state *state, const double *normal, double friction,
                      double *J, double *B) {
    size_t n = system->n, p = 0;
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (!is_rigid(contact, state[c]))
            continue;
        double mu = friction * am_slip_sign(state[c]) * am_steady_friction(contact, normal ? normal[c] : 1.0);
        for (size_t i = 0; i < n; i++) {
            J[p * n + i] = contact->normal[i];
            B[p * n + i] = contact->normal[i] + mu * contact->tangent[i];
        }
        p++;
    }
    for (size_t c = 0; c < system->m; c++) {
        const double *const tangents[] = {system->contact[c].tangent, system->contact[c].second_tangent};
        for (size_t k = 0; k < held_tangents(system, c, state); k++, p++) {
            memcpy(J + p * n, tangents[k], n * sizeof *J);
            memcpy(B + p * n, tangents[k], n * sizeof *B);
        }
    }
}

static void unit_matrix(double *a, size_t n) {
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++)
        a[i * n + i] = 1.0;
}

static am_status find_bases(am_linearised *r, const am_system *system, const am_sliding *s, am_error *err) {
    const am_contact_state *state = s->state;
    const double *normal = s->known ? s->normal : NULL;
    size_t left = 0, n = r->n, p = count_rows(system, state);
    if (p == 0) { /* nothing is rigid */
        r->k = r->rows = n;
        unit_matrix(r->Z, n);
        unit_matrix(r->W, n);
        return AM_OK;
    }
    double *J, *B;
    AM_ARENA_DOUBLES(&r->memory, p * n, err, &J, &B);
    AM_TRY(am_arena_status(&r->memory));
    fill_rows(system, state, normal, 1.0, J, B);
    AM_TRY(am_null_space(J, p, n, r->Z, &r->k, err));
    AM_TRY(am_null_space(B, p, n, r->W, &left, err));
    if (left != r->k)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the contact forces of this state act in fewer directions than the contacts forbid: the "
                       "reduced equations are not square");
    r->rows = r->k;
    if (!am_reactions_matter(system, s))
        return AM_OK;
    fill_rows(system, state, normal, 1.0, J, B);
    return am_reactions_add(r, system, s, B, p, err);
}

/* ---- projection ---- */

static void project(const am_linearised *r, const am_matrix *a, double *projected) {
    for (size_t j = 0; j < r->k; j++) {
        am_matrix_apply(a, r->Z + j * r->n, r->work);
        for (size_t i = 0; i < r->rows; i++)
            projected[i * r->k + j] += am_dense_dot(r->W + i * r->n, r->work, r->n);
    }
}

/* Compliant contacts: N = -(slope n.x + rate n.x'), pushing along b: K += slope b n^T, C += rate b n^T. Returns the
 * largest term added to K. */
static double add_contacts(am_linearised *r, const am_system *system, const am_sliding *s) {
    double most = 0.0, *push = r->work, *pressed = r->work + r->rows;
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double mu = am_slip_sign(s->state[c]) * am_steady_slope(contact, s->normal[c]).force.by_N;
        if (s->slope[c] == 0.0 && s->rate[c] == 0.0)
            continue;
        for (size_t i = 0; i < r->rows; i++) {
            const double *w = r->W + i * r->n;
            push[i] = am_dense_dot(w, contact->normal, r->n) + mu * am_dense_dot(w, contact->tangent, r->n);
        }
        for (size_t j = 0; j < r->k; j++)
            pressed[j] = am_dense_dot(r->Z + j * r->n, contact->normal, r->n);
        for (size_t i = 0; i < r->rows; i++)
            for (size_t j = 0; j < r->k; j++) {
                double both = push[i] * pressed[j];
                r->K[i * r->k + j] += s->slope[c] * both;
                r->C[i * r->k + j] += s->rate[c] * both;
                most = fmax(most, fabs(s->slope[c] * both));
            }
    }
    return most;
}

/* Polynomial springs: K += W^T (dg/dq) Z, C += W^T (dg/dq') Z at the equilibrium. Returns the largest term of dg/dq. */
static am_status add_springs(am_linearised *r, const am_system *system, const am_sliding *s, double *most,
                             am_error *err) {
    size_t n = r->n;
    if (system->polynomials == 0)
        return AM_OK;
    double *g, *still, *gq, *gv;
    AM_ARENA_DOUBLES(&r->memory, n, err, &g, &still);
    AM_ARENA_DOUBLES(&r->memory, n * n, err, &gq, &gv);
    AM_TRY(am_arena_status(&r->memory));
    am_system_polynomial_force(system, s->q, still, g, gq, gv);
    for (size_t j = 0; j < r->k; j++)
        for (size_t part = 0; part < 2; part++) {
            double *to = part == 0 ? r->K : r->C;
            am_dense_apply(part == 0 ? gq : gv, n, n, r->Z + j * n, r->work);
            for (size_t i = 0; i < r->rows; i++)
                to[i * r->k + j] += am_dense_dot(r->W + i * n, r->work, n);
        }
    *most = am_dense_largest(gq, n * n);
    return AM_OK;
}

/* The inverse of a small matrix (k <= FEW) and its reciprocal condition number, 0 where it is singular. */
static double invert_few(const double *a, size_t k, double *inverse) {
    double factors[FEW * FEW], columns[FEW * FEW], sums[2] = {0.0, 0.0};
    int order[FEW];
    memcpy(factors, a, k * k * sizeof *a);
    if (!am_lu_factor(factors, k, order))
        return 0.0;
    unit_matrix(columns, k);
    am_lu_solve(factors, k, order, k, columns);
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++)
            inverse[i * k + j] = columns[j * k + i];
        sums[0] = fmax(sums[0], am_dense_size(a + i * k, k));
        sums[1] = fmax(sums[1], am_dense_size(inverse + i * k, k));
    }
    return k == 0 ? 1.0 : 1.0 / (sums[0] * sums[1]);
}

/* ---- directions with neither mass nor damping ----
 *
 * With M R = C R = 0 and L^T M = L^T C = 0, y = Y u + R a: the rows L^T K y = 0 give a, and the others are equations of u
 * with the stiffness condensed. Y and V complete R and L; all bases are rows. */

/* Are there coordinates that only springs and contacts determine? */
static bool has_light(const am_system *system) {
    for (size_t i = 0; i < system->n; i++)
        if (am_matrix_at(system->M, i, i) == 0.0 && am_matrix_at(system->C, i, i) == 0.0)
            return true;
    return false;
}

/* Rows y with M y = C y = 0, or with M^T and C^T. stack: 2 k x k. */
static am_status common_kernel(const am_linearised *r, bool transposed, double *stack, double *basis, size_t *count,
                               am_error *err) {
    size_t k = r->k;
    const double *both[] = {r->M, r->C};
    for (size_t b = 0; b < 2; b++) {
        double most = am_dense_largest(both[b], k * k), unit = most > 0.0 ? 1.0 / most : 0.0;
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                stack[(b * k + i) * k + j] = unit * both[b][transposed ? j * k + i : i * k + j];
    }
    return am_null_space(stack, 2 * k, k, basis, count, err);
}

/* out (rows x columns) = left (rows x k) a (k x k) right^T (columns x k). */
static void between(const double *left, size_t rows, const double *a, size_t k, const double *right, size_t columns,
                    double *out) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < k; l++)
                sum += left[i * k + l] * am_dense_dot(a + l * k, right + j * k, k);
            out[i * columns + j] = sum;
        }
}

/* rows (count x n) = basis (count x k) times what they were (k x n). */
static void combine(const double *basis, size_t count, size_t k, size_t n, double *work, double *rows) {
    memset(work, 0, count * n * sizeof *work);
    am_dense_add_product(basis, rows, count, k, n, work);
    memcpy(rows, work, count * n * sizeof *rows);
}

static am_status condense(am_linearised *r, const am_system *system, am_error *err) {
    size_t k = r->k, n = r->n, s = 0, left = 0, u = 0, rest = 0;
    if (k == 0 || !has_light(system))
        return AM_OK;
    double *stack, *R, *L, *Y, *V, *held, *follow;
    stack = am_arena_doubles(&r->memory, NULL, 2 * n * n, err);
    AM_ARENA_DOUBLES(&r->memory, n * n, err, &R, &L, &Y, &V, &held, &follow);
    AM_TRY(am_arena_status(&r->memory));
    AM_TRY(common_kernel(r, false, stack, R, &s, err));
    AM_TRY(common_kernel(r, true, stack, L, &left, err));
    for (size_t w = 0; w < r->inner; w++)
        for (size_t i = 0; i < left; i++) /* what friction remembers acts there at once */
            if (fabs(am_dense_dot(L + i * k, r->P + w * k, k)) > singular * am_dense_largest(r->P + w * k, k))
                return AM_OK;
    if (s == 0 || s != left)
        return AM_OK;
    memcpy(stack, R, s * k * sizeof *R);
    AM_TRY(am_null_space(stack, s, k, Y, &u, err));
    memcpy(stack, L, s * k * sizeof *L);
    AM_TRY(am_null_space(stack, s, k, V, &rest, err));
    double rcond;
    between(L, s, r->K, k, R, s, held);
    AM_TRY(am_dense_invert(held, s, &rcond, err));
    if (!(rcond > singular) || u != rest || u == 0) /* without any mass and damping nothing moves by itself */
        return AM_OK;
    between(L, s, r->K, k, Y, u, follow);
    for (size_t j = 0; j < u; j++) /* Y + R a */
        for (size_t i = 0; i < s; i++)
            for (size_t l = 0; l < s; l++)
                for (size_t c = 0; c < k; c++)
                    Y[j * k + c] -= held[i * s + l] * follow[l * u + j] * R[i * k + c];
    double *const part[] = {r->M, r->C, r->K};
    for (size_t p = 0; p < 3; p++) {
        between(V, u, part[p], k, Y, u, stack);
        memcpy(part[p], stack, u * u * sizeof *stack);
    }
    combine(Y, u, k, n, stack, r->Z);
    combine(V, u, k, n, stack, r->W);
    double *const inner[] = {r->P, r->Q, r->V, r->A};
    for (size_t p = 0; p < 4; p++)
        for (size_t w = 0; w < r->inner; w++) {
            for (size_t j = 0; j < u; j++)
                stack[j] = am_dense_dot((p == 0 ? V : Y) + j * k, inner[p] + w * k, k);
            memcpy(inner[p] + w * u, stack, u * sizeof *stack);
        }
    r->k = u;
    return AM_OK;
}

/* What multiplies y'', and y' of coordinates without mass. It is kept in work. */
static const double *inertia(am_linearised *r) {
    size_t k = r->k;
    memcpy(r->work, r->M, k * k * sizeof *r->M);
    for (size_t j = 0; j < k; j++) {
        double most = 0.0;
        for (size_t i = 0; i < k; i++)
            most = fmax(most, fmax(fabs(r->M[i * k + j]), fabs(r->M[j * k + i])));
        r->massless[j] = most == 0.0;
        r->followers += r->massless[j];
        for (size_t i = 0; i < k && r->massless[j]; i++)
            r->work[i * k + j] = r->C[i * k + j];
    }
    return r->work;
}

static am_status invert_mass(am_linearised *r, am_error *err) {
    size_t k = r->k;
    double rcond = 0.0;
    const double *E = inertia(r);
    if (k <= FEW) {
        rcond = invert_few(E, k, r->inverse);
    } else {
        memcpy(r->inverse, E, k * k * sizeof *E);
        AM_TRY(am_dense_invert(r->inverse, k, &rcond, err));
    }
    r->solvable = rcond > singular && !(fabs(r->closing) <= singular); /* a single direction is never ill-conditioned */
    if (!r->solvable && !r->painleve)
        return am_fail(
            err, AM_ERR_UNSUPPORTED,
            "in this contact state some directions move without inertia (coordinates that have neither mass nor "
            "damping, or friction at its Painlevé limit): growth in them has no finite rate");
    return AM_OK;
}

/* ---- can inertia keep the contacts closed? ---- */

/* out = J M^-1 B (p x p), with the tangential rows of stick (the last ones, beyond `normals`) eliminated. */
static bool contact_inertia(const double *J, const double *B, const double *factors, const int *order, size_t n,
                            size_t p, size_t normals, double *column, double *out) {
    for (size_t j = 0; j < p; j++) {
        memcpy(column, B + j * n, n * sizeof *column);
        am_lu_solve(factors, n, order, 1, column);
        for (size_t i = 0; i < p; i++)
            out[i * p + j] = am_dense_dot(J + i * n, column, n);
    }
    for (size_t e = p; e-- > normals;) {
        double pivot = out[e * p + e];
        memcpy(column, B + e * n, n * sizeof *column);
        am_lu_solve(factors, n, order, 1, column);
        if (fabs(pivot) <= singular * am_dense_dot(J + e * n, column, n)) /* others hold this direction */
            continue;
        if (!(pivot > 0.0))
            return false;
        for (size_t i = 0; i < e; i++)
            for (size_t j = 0; j < e; j++)
                out[i * p + j] -= out[i * p + e] * out[e * p + j] / pivot;
    }
    return true;
}

static void copy_block(const double *from, size_t p, size_t count, double *to) {
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * count, from + i * p, count * sizeof *to);
}

am_status am_linearised_contacts(const am_system *system, const am_contact_state *state, const double *normal,
                                 size_t *count, size_t *contact, double *D, double *D0, bool *regular, am_error *err) {
    size_t n = system->n, p = count_rows(system, state);
    *count = 0;
    for (size_t c = 0; c < system->m; c++)
        if (is_rigid(&system->contact[c], state[c]))
            contact[(*count)++] = c;
    AM_LOCAL_ARENA memory = {0};
    double *a = am_arena_new(&memory, n * n + 2 * p * n + n + p * p, sizeof *a, err);
    int *order = am_arena_new(&memory, n, sizeof *order, err);
    AM_TRY(am_arena_status(&memory));
    double *J = a + n * n, *B = J + p * n, *column = B + p * n, *full = column + n;
    am_matrix_to_dense(system->M, a);
    *regular = am_lu_factor(a, n, order);
    for (int friction = 0; friction < 2 && *regular; friction++) {
        fill_rows(system, state, normal, friction, J, B);
        *regular = contact_inertia(J, B, a, order, n, p, *count, column, full);
        copy_block(full, p, *count, friction ? D : D0);
    }
    return AM_OK;
}

/* The smallest ratio of principal minors with and without friction: positive while every set of contacts alone could
 * be kept closed by inertia (a P-matrix). */
static am_status smallest_minor(am_arena *memory, const double *D, const double *D0, size_t count, double *least,
                                am_error *err) {
    if (count == 1) {
        *least = D[0] / D0[0];
        return AM_OK;
    }
    double *zero = am_arena_doubles(memory, NULL, count * count, err);
    int *choice = am_arena_new(memory, count, sizeof *choice, err);
    AM_TRY(am_arena_status(memory));
    *least = INFINITY;
    if (count > MINOR_LIMIT) {
        am_p_report report;
        AM_TRY(am_p_family(D, zero, count, 0, choice, &report, err));
        *least = report.margin;
        return AM_OK;
    }
    for (size_t set = 1; set < (size_t)1 << count; set++) {
        double minor = 0.0, without = 0.0, size = 1.0;
        bool certain;
        for (size_t c = 0; c < count; c++)
            if ((choice[c] = (int)(set >> c & 1)))
                size *= D0[c * count + c];
        AM_TRY(am_p_minor(D, zero, count, choice, &minor, &certain, err));
        AM_TRY(am_p_minor(D0, zero, count, choice, &without, &certain, err));
        if (without > singular * size) /* not where contacts hold the same place twice */
            *least = fmin(*least, minor / without);
    }
    return AM_OK;
}

static am_status test_painleve(am_linearised *r, const am_system *system, const am_sliding *s, am_error *err) {
    size_t m = system->m, count = 0;
    bool regular = false, any = false;
    for (size_t c = 0; c < m; c++)
        any = any || is_rigid(&system->contact[c], s->state[c]);
    if (!any)
        return AM_OK;
    double *D, *D0;
    AM_ARENA_DOUBLES(&r->memory, m * m, err, &D, &D0);
    size_t *contact = am_arena_new(&r->memory, m, sizeof *contact, err);
    AM_TRY(am_arena_status(&r->memory));
    const double *normal = s->known ? s->normal : NULL;
    AM_TRY(am_linearised_contacts(system, s->state, normal, &count, contact, D, D0, &regular, err));
    if (!regular || count == 0)
        return AM_OK;
    AM_TRY(smallest_minor(&r->memory, D, D0, count, &r->closing, err));
    r->painleve = !(r->closing > singular);
    return AM_OK;
}

/* With the bases known: M, C, K and the inverse of M. */
static am_status fill_equations(am_linearised *r, const am_system *system, const am_sliding *sliding, am_error *err) {
    double springs = 0.0, stiffest = am_matrix_largest(system->K);
    project(r, system->M, r->M);
    project(r, system->C, r->C);
    project(r, system->K, r->K);
    if (system->circulatory) {
        project(r, system->circulatory, r->K);
        stiffest = fmax(stiffest, am_matrix_largest(system->circulatory));
    }
    stiffest = fmax(stiffest, add_contacts(r, system, sliding));
    AM_TRY(add_springs(r, system, sliding, &springs, err));
    AM_TRY(am_linearised_friction(r, system, sliding, err));
    AM_TRY(condense(r, system, err));
    AM_TRY(invert_mass(r, err));
    if (r->solvable && r->reaction)
        AM_TRY(am_reactions_without_inertia(r, err));
    const double *const part[] = {r->M, r->C, r->K};
    for (size_t p = 0; p < 3; p++)
        r->most[p] = am_dense_largest(part[p], r->k * r->k);
    r->terms = (double)r->k * am_dense_largest(r->inverse, r->k * r->k) * fmax(stiffest, springs);
    return AM_OK;
}

static am_status linearise(am_linearised *r, const am_system *system, const am_sliding *sliding, am_error *err) {
    am_error own = {0};
    AM_TRY(reserve(r, system->n, err));
    AM_TRY(test_painleve(r, system, sliding, err));
    am_status status = find_bases(r, system, sliding, &own);
    /* At Painlevé's limit itself friction may have turned one contact's force into another's: no bases, no motion. */
    if (status == AM_ERR_UNSUPPORTED && r->painleve) {
        r->k = 0;
        return AM_OK;
    }
    if (status && err)
        *err = own;
    return status ? status : fill_equations(r, system, sliding, err);
}

am_status am_linearised_init(am_linearised *linearised, const am_system *system, const am_sliding *sliding,
                             am_error *err) {
    am_status status = linearise(linearised, system, sliding, err);
    if (status)
        am_linearised_clear(linearised);
    return status;
}
