/* Cubic splines through tables. With the second derivatives m_i at the points, steps h_i and slopes s_i of the chords,
 *
 *     h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (s_i - s_(i-1))
 *
 * makes the first derivative continuous at every inner point (de Boor, A Practical Guide to Splines, chapter IV).
 * Natural: no curvature at the ends. Periodic: the equation holds at the seam, too. */
#include <math.h>

#include "amontons/system.h"
#include "base/local.h"
#include "base/object.h"

static double step(const am_function *f, size_t i) {
    return f->times[i + 1] - f->times[i];
}

static double bend(const am_function *f, size_t before, size_t after) {
    return 6.0 * ((f->values[after + 1] - f->values[after]) / step(f, after) -
                  (f->values[before + 1] - f->values[before]) / step(f, before));
}

/* Thomas' algorithm for points first .. last, whose neighbours beyond count as zero: m holds the right-hand side.
 * `extra`: added to the diagonal at both ends. ratio: work space. */
static void solve(const am_function *f, size_t first, size_t last, double before, double extra, double *ratio,
                  double *m) {
    for (size_t i = first; i <= last; i++) {
        double below = i > first ? step(f, i - 1) : 0.0;
        double diagonal = 2.0 * ((i > first ? step(f, i - 1) : before) + step(f, i));
        diagonal += i == first || i == last ? extra : 0.0;
        double pivot = diagonal - (i > first ? below * ratio[i - 1] : 0.0);
        ratio[i] = step(f, i) / pivot;
        m[i] = (m[i] - (i > first ? below * m[i - 1] : 0.0)) / pivot;
    }
    for (size_t i = last; i-- > first;)
        m[i] -= ratio[i] * m[i + 1];
}

static void natural(const am_function *f, double *ratio, double *m) {
    size_t last = f->count - 1;
    m[0] = m[last] = 0.0;
    for (size_t i = 1; i < last; i++)
        m[i] = bend(f, i - 1, i);
    if (last > 1)
        solve(f, 1, last - 1, step(f, 0), 0.0, ratio, m);
}

/* The matrix is cyclic: its corners are both h of the last step. It is a tridiagonal one plus corner u u^T, u = (1, 0, ..,
 * 0, 1), whose inverse Sherman and Morrison give. */
static void periodic(const am_function *f, double *work, double *m) {
    size_t last = f->count - 1, end = last - 1;
    double corner = step(f, end), *ratio = work, *u = work + f->count;
    for (size_t i = 0; i <= end; i++) {
        m[i] = bend(f, i == 0 ? end : i - 1, i);
        u[i] = 0.0;
    }
    if (end == 0) {
        m[0] = m[1] = 0.0;
        return;
    }
    if (end == 1) { /* two points: both steps join them */
        double h = step(f, 0) + step(f, 1), a = m[0], b = m[1];
        m[0] = m[2] = (2.0 * a - b) / (3.0 * h);
        m[1] = (2.0 * b - a) / (3.0 * h);
        return;
    }
    u[0] = u[end] = 1.0;
    solve(f, 0, end, corner, -corner, ratio, m);
    solve(f, 0, end, corner, -corner, ratio, u);
    double share = corner * (m[0] + m[end]) / (1.0 + corner * (u[0] + u[end]));
    for (size_t i = 0; i <= end; i++)
        m[i] -= share * u[i];
    m[last] = m[0];
}

am_status am_function_spline(const am_function *table, double *moments, am_error *err) {
    if (!table || !moments || table->kind != AM_FUNCTION_TABLE)
        return am_misused(err, __func__);
    am_function plain = *table;
    plain.moments = NULL;
    plain.plus = NULL;
    AM_TRY(am_function_check(&plain, err));
    size_t last = plain.count - 1;
    double span = plain.times[last] - plain.times[0];
    if (plain.period > 0.0 && (fabs(plain.period - span) > 1e-12 * span || plain.values[last] != plain.values[0]))
        return am_fail_field(
            err, AM_ERR_INPUT, "period",
            "a cubic table that repeats must end where it begins: it must span its period, %g, and its "
            "last value equal the first",
            plain.period);
    AM_LOCAL_MEMORY double *work = am_memory_new(2 * plain.count, sizeof *work, err);
    if (!work)
        return AM_ERR_MEMORY;
    if (last == 0)
        moments[0] = 0.0;
    else if (plain.period > 0.0)
        periodic(&plain, work, moments);
    else
        natural(&plain, work, moments);
    return AM_OK;
}
