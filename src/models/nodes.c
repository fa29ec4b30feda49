/* N contact nodes on an elastic support (Andersson, Barber and Ahn, eqs. 2.1-2.4). The derivation is in docs/nodes.md.
 *
 * A constraint that advances moves both weld forces of its node: with the right-hand sides c_- and c_+ of eq. (2.4),
 * p^w = (c_- - c_+)/(2 mu) and q^w = -(c_- + c_+)/2. Its load is therefore one direction, (1/2, sign/(2 mu)) at its
 * node, times its distance from rest. */
#include "amontons/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "math/dense.h"
#include "math/inequalities.h"
#include "models/nodes.h"
#include "models/parts.h"

enum { field_size = 32 };

am_nodes am_nodes_default(void) {
    return (am_nodes){.cookie = AM_NODES_COOKIE};
}

void am_nodes_row(const am_nodes *nodes, size_t node, int sign, double *row) {
    if (!nodes)
        return;
    for (size_t j = 0; j < nodes->count; j++)
        row[j] = am_matrix_at(nodes->A, node, j) + (double)sign * nodes->mu[node] * am_matrix_at(nodes->B, node, j);
}

/* ---- checking ---- */

static am_status check_shape(const am_matrix *a, size_t n, const char *name, am_error *err) {
    size_t rows = am_matrix_rows(a), columns = am_matrix_columns(a);
    if (rows == n && columns == n)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, name, "%s must be %zu x %zu, one row and column per node; it is %zu x %zu",
                         name, n, n, rows, columns);
}

static am_status check_symmetric(const am_matrix *a, const char *name, am_error *err) {
    if (am_matrix_asymmetry(a) <= 1e-12 * am_matrix_largest(a))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, name, "%s must be symmetric, but entries differ from their mirror by %g",
                         name, am_matrix_asymmetry(a));
}

static am_status check_matrices(const am_nodes *nodes, am_error *err) {
    if (!nodes->A || !nodes->B)
        return am_fail_field(err, AM_ERR_INPUT, nodes->A ? "B" : "A", "the support needs the matrices A and B");
    AM_TRY(check_shape(nodes->A, nodes->count, "A", err));
    AM_TRY(check_shape(nodes->B, nodes->count, "B", err));
    if (nodes->C)
        AM_TRY(check_shape(nodes->C, nodes->count, "C", err));
    AM_TRY(check_symmetric(nodes->A, "A", err));
    return nodes->C ? check_symmetric(nodes->C, "C", err) : AM_OK;
}

static am_status check_friction(const am_nodes *nodes, am_error *err) {
    bool constraints = nodes->rest_minus != NULL;
    if (!nodes->mu)
        return am_fail_field(err, AM_ERR_INPUT, "mu", "the nodes need coefficients of friction");
    for (size_t i = 0; i < nodes->count; i++) {
        char field[field_size];
        double mu = nodes->mu[i];
        if (mu > 0.0 && isfinite(mu))
            continue;
        snprintf(field, sizeof field, "mu[%zu]", i);
        if (!(mu >= 0.0) || !isfinite(mu))
            return am_fail_field(err, AM_ERR_INPUT, field,
                                 "the coefficient of friction of node %zu must not be negative, but is %g", i + 1, mu);
        if (constraints && mu == 0.0)
            return am_fail_field(err, AM_ERR_INPUT, field,
                                 "node %zu has no friction, so its constraints are not two lines that could move; "
                                 "expected a positive coefficient, or weld forces instead of constraints",
                                 i + 1);
    }
    return AM_OK;
}

static am_status check_advance(const am_nodes *nodes, size_t at, am_error *err) {
    const am_nodes_advance *advance = &nodes->sequence[at];
    char field[64];
    snprintf(field, sizeof field, "constraints.sequence[%zu]", at);
    if (advance->node >= nodes->count)
        return am_fail_field(err, AM_ERR_INPUT, field, "there is no node %zu; expected 1 to %zu", advance->node + 1,
                             nodes->count);
    if (advance->sign != 1 && advance->sign != -1)
        return am_fail_field(err, AM_ERR_INPUT, field, "a constraint needs a sign, + or -");
    if (!isfinite(advance->extreme))
        return am_fail_field(err, AM_ERR_INPUT, field, "an extreme position must be a finite number");
    double rest = advance->sign > 0 ? nodes->rest_plus[advance->node] : nodes->rest_minus[advance->node];
    if ((double)advance->sign * (advance->extreme - rest) >= 0.0)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, field,
                         "%zu%c would recede, not advance: its extreme %g lies on the free side of its rest "
                         "position %g; expected at %s %g",
                         advance->node + 1, advance->sign > 0 ? '+' : '-', advance->extreme, rest,
                         advance->sign > 0 ? "least" : "most", rest);
}

/* r = n_+ v - c_+ >= 0 and c_- - n_- v = h - G r >= 0 with G = N_- N_+^-1, h = c_- - G c_+. */
static am_status constraints_apart(const am_nodes *nodes, double *inverse, double *G, double *h, bool *apart,
                                   am_error *err) {
    size_t n = nodes->count;
    double rcond = 0.0;
    for (size_t i = 0; i < n; i++)
        am_nodes_row(nodes, i, 1, inverse + i * n);
    am_status status = am_dense_invert(inverse, n, &rcond, err);
    *apart = true;
    if (status != AM_OK || rcond < 1e-14) /* parallel constraints: left to the analysis */
        return status;
    for (size_t i = 0; i < n; i++) {
        am_nodes_row(nodes, i, -1, h);
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++)
                sum += h[k] * inverse[k * n + j];
            G[i * n + j] = sum;
        }
    }
    for (size_t i = 0; i < n; i++)
        h[i] = nodes->rest_minus[i] - am_dense_dot(G + i * n, nodes->rest_plus, n);
    return am_inequalities_have_interior(G, h, n, n, apart, err);
}

static am_status check_apart(const am_nodes *nodes, am_error *err) {
    size_t n = nodes->count;
    bool apart = true;
    am_arena memory = {0};
    double *inverse = am_arena_doubles(&memory, NULL, n * n, err), *G = am_arena_doubles(&memory, NULL, n * n, err);
    double *h = am_arena_doubles(&memory, NULL, n, err);
    am_status status = am_arena_status(&memory);
    if (!status)
        status = constraints_apart(nodes, inverse, G, h, &apart, err);
    am_arena_clear(&memory);
    if (status == AM_OK && !apart)
        status = am_fail_field(err, AM_ERR_INPUT, "constraints",
                               "the rest positions exclude every point v: the nodes could not all be pressed against "
                               "the obstacle (p > 0) and stick while the constraints are at rest; expected rest_minus "
                               "farther above rest_plus");
    return status;
}

static am_status check_constraints(const am_nodes *nodes, am_error *err) {
    if (!nodes->rest_plus || (!nodes->sequence && nodes->advance_count > 0))
        return am_fail_field(err, AM_ERR_INPUT, "constraints",
                             "constraints need rest_minus, rest_plus and a sequence of advances");
    if (nodes->advance_count == 0)
        return am_fail_field(err, AM_ERR_INPUT, "constraints.sequence",
                             "no constraint advances; expected pairs such as [\"2-\", 0.5]");
    for (size_t i = 0; i < nodes->count; i++)
        if (!isfinite(nodes->rest_minus[i]) || !isfinite(nodes->rest_plus[i]))
            return am_fail_field(err, AM_ERR_INPUT, "constraints", "the rest positions of node %zu must be finite",
                                 i + 1);
    for (size_t k = 0; k < nodes->advance_count; k++)
        AM_TRY(check_advance(nodes, k, err));
    return check_apart(nodes, err);
}

static am_status check_weld_force(const am_function *function, const char *which, size_t node, am_error *err) {
    am_error inner = {0};
    if (function->kind == AM_FUNCTION_IMPULSE) {
        am_fail_field(&inner, AM_ERR_INPUT, "impulse", "a weld force cannot be an impulse");
    } else if (am_function_check(function, &inner) == AM_OK) {
        return AM_OK;
    }
    char field[sizeof inner.field];
    snprintf(field, sizeof field, "weld.%s[%zu].%.60s", which, node, inner.field);
    return am_fail_field(err, inner.status, field, "%s", inner.message);
}

static am_status check_weld(const am_nodes *nodes, am_error *err) {
    if (!nodes->tangential || !nodes->normal)
        return am_fail_field(err, AM_ERR_INPUT, "weld",
                             "the nodes need loads: the weld forces (tangential and normal), or constraints");
    for (size_t i = 0; i < nodes->count; i++) {
        AM_TRY(check_weld_force(&nodes->tangential[i], "tangential", i, err));
        AM_TRY(check_weld_force(&nodes->normal[i], "normal", i, err));
    }
    return AM_OK;
}

am_status am_nodes_check(const am_nodes *nodes, am_error *err) {
    if (nodes->cookie != AM_NODES_COOKIE)
        return am_fail(err, AM_ERR_INPUT, "a definition of nodes must come from am_nodes_default()");
    if (nodes->count == 0)
        return am_fail_field(err, AM_ERR_INPUT, "A", "there must be at least one node");
    if (nodes->rest_minus && nodes->tangential)
        return am_fail_field(err, AM_ERR_INPUT, "weld", "weld forces and constraints cannot both be given");
    if (nodes->rest_minus && (nodes->static_mu || am_friction_weakens(&nodes->weakening)))
        return am_fail_field(err, AM_ERR_INPUT, nodes->static_mu ? "static_mu" : "weakening",
                             "constraints belong to one coefficient of friction: give the loads as weld forces");
    AM_TRY(check_matrices(nodes, err));
    AM_TRY(check_friction(nodes, err));
    return nodes->rest_minus ? check_constraints(nodes, err) : check_weld(nodes, err);
}

/* ---- the stiffness K = [[A, B^T], [B, C]] ---- */

/* C = B A^-1 B^T + (trace A / N) I into the lower right block: what K needs to be positive definite, and stiff enough
 * that a free node opens by N / trace A per unit force. `work` (n x n) takes A^-1. */
static am_status fill_default_C(const am_nodes *nodes, double *K, double *work, am_error *err) {
    size_t n = nodes->count, width = 2 * n;
    double rcond = 0.0, mean = 0.0;
    for (size_t i = 0; i < n; i++)
        mean += am_matrix_at(nodes->A, i, i) / (double)n;
    am_matrix_to_dense(nodes->A, work);
    am_status status = am_dense_invert(work, n, &rcond, err);
    for (size_t i = 0; status == AM_OK && i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *bi = K + (n + i) * width, *bj = K + (n + j) * width;
            double sum = i == j ? mean : 0.0;
            for (size_t k = 0; k < n; k++)
                sum += bi[k] * am_dense_dot(work + k * n, bj, n);
            K[(n + i) * width + n + j] = K[(n + j) * width + n + i] = sum;
        }
    return status;
}

static void fill_known(const am_nodes *nodes, double *K) {
    size_t n = nodes->count, width = 2 * n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            K[i * width + j] = am_matrix_at(nodes->A, i, j);
            K[(n + i) * width + j] = K[j * width + n + i] = am_matrix_at(nodes->B, i, j);
            if (nodes->C)
                K[(n + i) * width + n + j] = am_matrix_at(nodes->C, i, j);
        }
}

static am_status check_definite(const am_nodes *nodes, const double *K, double *work, am_error *err) {
    size_t n = nodes->count, failing = 0;
    memcpy(work, K, 4 * n * n * sizeof *work);
    am_status status = am_dense_definite(work, 2 * n, &failing, err);
    if (status != AM_OK || failing == 2 * n)
        return status;
    if (failing < n)
        return am_fail_field(err, AM_ERR_INPUT, "A",
                             "A is not positive definite, so this is no elastic support (row %zu)", failing + 1);
    return am_fail_field(err, AM_ERR_INPUT, nodes->C ? "C" : "B",
                         "the support's stiffness [[A, B^T], [B, C]] is not positive definite: C must exceed "
                         "B A^-1 B^T, and does not in row %zu",
                         failing - n + 1);
}

/* A alone comes first: without it C has no default. */
static am_status check_A(const am_nodes *nodes, double *work, am_error *err) {
    size_t failing = 0;
    am_matrix_to_dense(nodes->A, work);
    AM_TRY(am_dense_definite(work, nodes->count, &failing, err));
    if (failing < nodes->count)
        return am_fail_field(err, AM_ERR_INPUT, "A",
                             "A is not positive definite, so this is no elastic support (row %zu)", failing + 1);
    return AM_OK;
}

static am_matrix *stiffness(const am_nodes *nodes, am_error *err) {
    size_t n = nodes->count;
    double *K = am_memory_new(4 * n * n, sizeof *K, err);
    double *work = am_memory_new(4 * n * n, sizeof *work, err);
    am_status status = K && work ? check_A(nodes, work, err) : AM_ERR_MEMORY;
    if (status == AM_OK) {
        fill_known(nodes, K);
        status = nodes->C ? AM_OK : fill_default_C(nodes, K, work, err);
    }
    if (status == AM_OK)
        status = check_definite(nodes, K, work, err);
    am_matrix *made = status == AM_OK ? am_matrix_dense(2 * n, 2 * n, K, err) : NULL;
    am_memory_free(K);
    am_memory_free(work);
    return made;
}

/* ---- loads ---- */

/* What am_system_create copies. */
typedef struct parts {
    am_arena memory;
    const am_matrix *K;
    double *rows;       /* 2N x 2N, the identity: tangents, then normals */
    const char **names; /* of 2N coordinates and N contacts */
    am_contact_def *contacts;
    am_load_def *loads; /* at most 1 + 2N */
    size_t load_count;
    double *directions;     /* one row of 2N per load */
    double *times, *values; /* of the tables: three points per advance, and two more for each constraint */
} parts;

static double *new_load(parts *p, size_t n, am_function function) {
    double *direction = p->directions + p->load_count * 2 * n;
    p->loads[p->load_count++] = (am_load_def){direction, function};
    return direction;
}

static double rest_of(const am_nodes *nodes, size_t node, int sign) {
    return sign > 0 ? nodes->rest_plus[node] : nodes->rest_minus[node];
}

static double weld_normal(const am_nodes *nodes, size_t node, double minus, double plus) {
    return (minus - plus) / (2.0 * nodes->mu[node]);
}

/* The distance from rest of one constraint over a cycle: at most three points per advance, the first and the last one
 * at rest. *count is 0 when it never advances. */
static am_function advance_table(const am_nodes *nodes, size_t node, int sign, double *times, double *values,
                                 size_t *count) {
    size_t used = 0;
    bool advances = false;
    for (size_t k = 0; k < nodes->advance_count; k++) {
        const am_nodes_advance *a = &nodes->sequence[k];
        if (a->node != node || a->sign != sign)
            continue;
        advances = true;
        double from = 2.0 * (double)k;
        if (used == 0 && from > 0.0)
            times[used++] = 0.0;
        if (used == 0 || times[used - 1] < from)
            times[used++] = from;
        times[used] = from + 1.0;
        values[used++] = a->extreme - rest_of(nodes, node, sign);
        times[used++] = from + 2.0;
    }
    double period = 2.0 * (double)nodes->advance_count;
    if (advances && times[used - 1] < period)
        times[used++] = period;
    *count = used;
    am_function function = am_function_table(used, times, values);
    function.period = period;
    return function;
}

/* (2.1) reads K (v, w) = (q, p) - (q^w, p^w): the loads are minus the weld forces. */
static void constraint_loads(const am_nodes *nodes, parts *p) {
    size_t n = nodes->count, used = 0;
    double *rest = new_load(p, n, am_function_constant(1.0));
    for (size_t i = 0; i < n; i++) {
        rest[i] = 0.5 * (nodes->rest_minus[i] + nodes->rest_plus[i]);
        rest[n + i] = -weld_normal(nodes, i, nodes->rest_minus[i], nodes->rest_plus[i]);
    }
    for (size_t i = 0; i < n; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            size_t count = 0;
            am_function table = advance_table(nodes, i, sign, p->times + used, p->values + used, &count);
            if (count == 0)
                continue;
            double *direction = new_load(p, n, table);
            direction[i] = 0.5;
            direction[n + i] = (double)sign * 0.5 / nodes->mu[i];
            used += count;
        }
}

/* All constant weld forces together are one load, each other one is its own. */
static void weld_loads(const am_nodes *nodes, parts *p) {
    size_t n = nodes->count;
    double *rest = new_load(p, n, am_function_constant(1.0));
    for (size_t i = 0; i < 2 * n; i++) {
        const am_function *f = i < n ? &nodes->tangential[i] : &nodes->normal[i - n];
        if (f->kind == AM_FUNCTION_CONSTANT && !f->plus)
            rest[i] = -f->value;
        else
            new_load(p, n, *f)[i] = -1.0;
    }
}

/* A load of no direction is none. */
static void drop_empty_rest(parts *p, size_t n) {
    for (size_t i = 0; i < 2 * n; i++)
        if (p->loads[0].direction[i] != 0.0)
            return;
    memmove(p->loads, p->loads + 1, --p->load_count * sizeof *p->loads);
}

static am_status make_parts(const am_nodes *nodes, parts *p, am_error *err) {
    size_t n = nodes->count, points = 3 * nodes->advance_count + 4 * n;
    p->K = am_parts_own(&p->memory, stiffness(nodes, err), err);
    if (!p->K)
        return AM_ERR_INPUT;
    p->rows = am_parts_identity(&p->memory, 2 * n, err);
    p->names = am_arena_new(&p->memory, 3 * n, sizeof *p->names, err);
    p->contacts = am_arena_new(&p->memory, n, sizeof *p->contacts, err);
    p->loads = am_arena_new(&p->memory, 2 * n + 1, sizeof *p->loads, err);
    p->directions = am_arena_new(&p->memory, (2 * n + 1) * 2 * n, sizeof *p->directions, err);
    p->times = am_arena_new(&p->memory, points, sizeof *p->times, err);
    p->values = am_arena_new(&p->memory, points, sizeof *p->values, err);
    AM_TRY(am_arena_status(&p->memory));
    am_parts_names(&p->memory, "v", n, p->names, err);
    am_parts_names(&p->memory, "w", n, p->names + n, err);
    am_parts_names(&p->memory, "node ", n, p->names + 2 * n, err);
    return am_arena_status(&p->memory);
}

static void make_contacts(const am_nodes *nodes, parts *p) {
    size_t n = nodes->count;
    for (size_t i = 0; i < n; i++) {
        p->contacts[i] = am_contact_def_default();
        p->contacts[i].name = p->names[2 * n + i];
        p->contacts[i].tangent = p->rows + i * 2 * n;
        p->contacts[i].normal = p->rows + (n + i) * 2 * n;
        p->contacts[i].friction = nodes->mu[i];
        p->contacts[i].static_friction = nodes->static_mu ? nodes->static_mu[i] : 0.0;
        p->contacts[i].weakening = nodes->weakening;
    }
}

am_system *am_nodes_create(const am_nodes *nodes, am_error *err) {
    if (!nodes)
        return am_misused_for_nothing(err, __func__);
    parts p = {0};
    am_system *system = NULL;
    if (am_nodes_check(nodes, err) == AM_OK && make_parts(nodes, &p, err) == AM_OK) {
        make_contacts(nodes, &p);
        if (nodes->rest_minus)
            constraint_loads(nodes, &p);
        else
            weld_loads(nodes, &p);
        drop_empty_rest(&p, nodes->count);
        am_system_def def = am_parts_def(2 * nodes->count, p.names, nodes->count, p.contacts, p.load_count, p.loads);
        def.stiffness = p.K;
        system = am_system_create(&def, err);
    }
    am_arena_clear(&p.memory);
    return system;
}

/* ---- where a constraint stands ---- */

/* Distance from rest within a cycle that begins at 0: a triangle for every advance of this constraint. */
static double distance(const am_nodes *nodes, size_t node, int sign, double t) {
    double period = 2.0 * (double)nodes->advance_count, local = t - period * floor(t / period), sum = 0.0;
    for (size_t k = 0; k < nodes->advance_count; k++) {
        const am_nodes_advance *a = &nodes->sequence[k];
        double share = 1.0 - fabs(local - 2.0 * (double)k - 1.0);
        if (a->node == node && a->sign == sign && share > 0.0)
            sum += share * (a->extreme - rest_of(nodes, node, sign));
    }
    return sum;
}

double am_nodes_side(const am_nodes *nodes, size_t node, int sign, double t) {
    if (!nodes || (!nodes->rest_minus && !(nodes->mu && nodes->normal && nodes->tangential)))
        return NAN;
    if (nodes->rest_minus)
        return rest_of(nodes, node, sign) + distance(nodes, node, sign, t);
    return -(double)sign * nodes->mu[node] * am_function_at(&nodes->normal[node], t) -
           am_function_at(&nodes->tangential[node], t);
}
