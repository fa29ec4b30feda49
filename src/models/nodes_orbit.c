/* Closed forms of model `nodes`: slopes of the constraints, the orbit in which every advance makes its node slip, and
 * how a deviation from it grows. See docs/nodes.md. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/object.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/pi.h"
#include "models/nodes.h"

am_status am_nodes_angles(const am_nodes *nodes, double alpha[4], double beta[4], am_error *err) {
    if (!nodes)
        return am_misused(err, __func__);
    /* Which constraint each beta belongs to, eqs. (3.2), (3.3): O+1, O-2, O-1, O+2. */
    static const struct {
        size_t node;
        int sign;
    } owner[4] = {{0, 1}, {1, -1}, {0, -1}, {1, 1}};
    AM_TRY(am_nodes_check(nodes, err));
    if (nodes->count != 2)
        return am_fail(err, AM_ERR_UNSUPPORTED, "the angles alpha and beta are those of two nodes, and there are %zu",
                       nodes->count);
    for (size_t i = 0; i < 4; i++) {
        double row[2], own, other;
        am_nodes_row(nodes, owner[i].node, owner[i].sign, row);
        own = row[owner[i].node];
        other = row[1 - owner[i].node];
        if (own == 0.0 && other == 0.0)
            return am_fail(err, AM_ERR_UNSUPPORTED, "constraint %zu%c has no direction: its row of eq. (2.4) is zero",
                           owner[i].node + 1, owner[i].sign > 0 ? '+' : '-');
        beta[i] = (owner[i].node == 0 ? 1.0 : -1.0) * atan(other / own);
    }
    for (size_t i = 0; i < 4; i++)
        alpha[i] = half_pi - beta[(i + 3) % 4]; /* (3.1) */
    return AM_OK;
}

/* Everything the two questions below need: where the cycle's linear map is built up. */
typedef struct cycle {
    size_t n;
    double *row;      /* n */
    double *map;      /* n x n: the product so far */
    double *constant; /* n: v after the advances so far = map v0 + constant */
    double *spare;    /* n x n */
    double *point;    /* n */
    am_arena memory;
} cycle;

static am_status cycle_init(cycle *c, size_t n, am_error *err) {
    *c = (cycle){.n = n};
    AM_ARENA_DOUBLES(&c->memory, n, err, &c->row, &c->constant, &c->point);
    AM_ARENA_DOUBLES(&c->memory, n * n, err, &c->map, &c->spare);
    for (size_t i = 0; c->map && i < n; i++)
        c->map[i * n + i] = 1.0;
    return am_arena_status(&c->memory);
}

static am_status unyielding(const am_nodes_advance *advance, double own, am_error *err) {
    return am_fail_field(err, AM_ERR_UNSUPPORTED, "mu",
                         "constraint %zu%c cannot be followed by slip of its own node: a %c mu b = %g is not positive "
                         "there (Condition 3.1 fails)",
                         advance->node + 1, advance->sign > 0 ? '+' : '-', advance->sign > 0 ? '+' : '-', own);
}

/* One advance: v_i becomes (extreme - sum over j != i of n_j v_j)/n_i; the other nodes keep their place. */
static am_status cycle_advance(cycle *c, const am_nodes *nodes, const am_nodes_advance *advance, am_error *err) {
    size_t n = c->n, i = advance->node;
    am_nodes_row(nodes, i, advance->sign, c->row);
    double own = c->row[i], *target = c->map + i * n, constant = advance->extreme;
    if (!(own > DBL_EPSILON * fabs(am_matrix_at(nodes->A, i, i))))
        return unyielding(advance, own, err);
    memset(target, 0, n * sizeof *target);
    for (size_t j = 0; j < n; j++) {
        if (j == i)
            continue;
        for (size_t k = 0; k < n; k++)
            target[k] -= c->row[j] / own * c->map[j * n + k];
        constant -= c->row[j] * c->constant[j];
    }
    c->constant[i] = constant / own;
    return AM_OK;
}

static am_status need_constraints(const am_nodes *nodes, am_error *err) {
    AM_TRY(am_nodes_check(nodes, err));
    if (!nodes->rest_minus)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "weld",
                             "which constraint advances when is not known of weld forces; expected constraints");
    return AM_OK;
}

static am_status cycle_build(cycle *c, const am_nodes *nodes, am_error *err) {
    AM_TRY(need_constraints(nodes, err));
    AM_TRY(cycle_init(c, nodes->count, err));
    for (size_t k = 0; k < nodes->advance_count; k++)
        AM_TRY(cycle_advance(c, nodes, &nodes->sequence[k], err));
    return AM_OK;
}

/* The node that slipped last has lost its memory: its column of the map is zero, and for two nodes the other diagonal
 * entry is the factor. */
static am_status largest_eigenvalue(double *map, size_t n, double *factor, am_error *err) {
    am_eigen eigen;
    double modulus = -1.0;
    if (n <= 2) {
        *factor = n == 1 ? map[0] : map[0] + map[3];
        return AM_OK;
    }
    AM_TRY(am_eigen_init(&eigen, map, n, 0.0, err));
    for (size_t i = 0; i < n; i++) {
        double size = hypot(eigen.real[i], eigen.imaginary[i]);
        if (size > modulus) {
            modulus = size;
            *factor = eigen.imaginary[i] == 0.0 ? eigen.real[i] : size;
        }
    }
    am_eigen_clear(&eigen);
    return AM_OK;
}

am_status am_nodes_factor(const am_nodes *nodes, double *factor, am_error *err) {
    if (!nodes)
        return am_misused(err, __func__);
    cycle c = {0};
    am_status status = cycle_build(&c, nodes, err);
    if (status == AM_OK)
        status = largest_eigenvalue(c.map, c.n, factor, err);
    am_arena_clear(&c.memory);
    return status;
}

/* The point that a whole cycle brings back: point = map point + constant. */
static am_status fixed_point(cycle *c, am_error *err) {
    size_t n = c->n;
    double rcond = 0.0;
    for (size_t i = 0; i < n * n; i++)
        c->spare[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - c->map[i];
    AM_TRY(am_dense_invert(c->spare, n, &rcond, err));
    if (rcond < 1e-14)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "no single orbit closes: a node never slips, or a deviation from an orbit keeps its size "
                       "(R = 1), so that there are none or infinitely many");
    am_dense_apply(c->spare, n, n, c->constant, c->point);
    return AM_OK;
}

am_status am_nodes_orbit(const am_nodes *nodes, double *points, am_error *err) {
    if (!nodes)
        return am_misused(err, __func__);
    cycle c = {0};
    size_t n = nodes->count;
    am_status status = cycle_build(&c, nodes, err);
    if (status == AM_OK)
        status = fixed_point(&c, err);
    for (size_t k = 0; status == AM_OK && k < nodes->advance_count; k++) {
        const am_nodes_advance *a = &nodes->sequence[k];
        am_nodes_row(nodes, a->node, a->sign, c.row);
        c.point[a->node] += (a->extreme - am_dense_dot(c.row, c.point, n)) / c.row[a->node];
        memcpy(points + k * n, c.point, n * sizeof *points);
    }
    am_arena_clear(&c.memory);
    return status;
}

/* On the free side of every rest position. Slips are straight and the free region is convex, so corners tell. */
static bool is_free(const am_nodes *nodes, const double *point, double *row) {
    for (size_t i = 0; i < nodes->count; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            am_nodes_row(nodes, i, sign, row);
            double rest = sign > 0 ? nodes->rest_plus[i] : nodes->rest_minus[i];
            if (!((double)sign * (am_dense_dot(row, point, nodes->count) - rest) >= 0.0))
                return false;
        }
    return true;
}

am_status am_nodes_orbit_happens(const am_nodes *nodes, const double *points, bool *happens, am_error *err) {
    if (!nodes)
        return am_misused(err, __func__);
    size_t n = nodes->count, count = nodes->advance_count;
    AM_TRY(need_constraints(nodes, err));
    AM_LOCAL_MEMORY double *row = am_memory_new(n, sizeof *row, err);
    if (!row)
        return AM_ERR_MEMORY;
    *happens = true;
    for (size_t k = 0; k < count; k++) {
        const am_nodes_advance *a = &nodes->sequence[k];
        const double *now = points + k * n, *before = points + (k + count - 1) % count * n;
        double slip = (double)a->sign * (now[a->node] - before[a->node]);
        *happens = *happens && slip >= 0.0 && is_free(nodes, now, row);
    }
    return AM_OK;
}
