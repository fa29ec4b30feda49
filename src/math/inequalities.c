#include "math/inequalities.h"

#include <string.h>

#include "base/local.h"
#include "math/dense.h"
#include "math/lcp.h"

/* Maximise t over A u <= b with A = [G 1; 0 1], u = (x, t) >= 0, b = (h, largest |h|): with the multipliers y
 *
 *     w = [0 A^T; -A 0] (u, y) + (-e_t, b) >= 0,     a complementarity problem in u and y. */
static void fill(const double *G, const double *h, size_t rows, size_t columns, double largest, double *M, double *q) {
    size_t width = columns + 1, n = width + rows + 1;
    for (size_t i = 0; i <= rows; i++)
        for (size_t j = 0; j < width; j++) {
            double entry = j == columns ? 1.0 : i < rows ? G[i * columns + j] : 0.0;
            M[j * n + width + i] = entry;
            M[(width + i) * n + j] = -entry;
        }
    q[columns] = -1.0;
    memcpy(q + width, h, rows * sizeof *h);
    q[width + rows] = largest;
}

static am_status solve(const double *G, const double *h, size_t rows, size_t columns, am_lcp_workspace *workspace,
                       bool *interior, am_error *err) {
    size_t n = columns + rows + 2;
    double largest = am_dense_largest(h, rows), *M, *q, *z;
    am_arena memory = {0};
    am_lcp_info info;
    M = am_arena_doubles(&memory, NULL, n * n, err);
    AM_ARENA_DOUBLES(&memory, n, err, &q, &z);
    am_status status = am_arena_status(&memory);
    if (!status) {
        fill(G, h, rows, columns, largest, M, q);
        am_lcp problem = am_lcp_dense(n, M, q);
        status = am_lcp_solve(&problem, &(am_lcp_options){.method = AM_LCP_LEMKE}, workspace, z, &info, err);
    }
    if (!status && info.status == AM_LCP_STALLED)
        status = am_fail(err, AM_ERR_EVIDENCE, "rounding hides whether %zu linear inequalities leave room", rows);
    *interior = !status && info.status == AM_LCP_SOLVED && z[columns] > 1e-12 * largest;
    am_arena_clear(&memory);
    return status;
}

am_status am_inequalities_have_interior(const double *G, const double *h, size_t rows, size_t columns, bool *interior,
                                        am_error *err) {
    AM_LOCAL(am_lcp_workspace_free_at) am_lcp_workspace *workspace = am_lcp_workspace_create(err);
    if (!workspace)
        return AM_ERR_MEMORY;
    return solve(G, h, rows, columns, workspace, interior, err);
}
