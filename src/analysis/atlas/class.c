#include "analysis/atlas/class.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/eigen.h"
#include "math/lu.h"

am_status am_class_create(am_class *made, const am_configurations *configurations, double at, am_error *err) {
    const am_sites *s = configurations->sites;
    size_t n = s->n;
    *made = (am_class){.configurations = configurations, .sites = s, .factor = 1.0, .at = at};
    made->u = am_memory_new(3 * n, sizeof *made->u, err);
    made->J = am_memory_new(n * n, sizeof *made->J, err);
    made->pencil = am_memory_new(16 * n * n, sizeof *made->pencil, err);
    made->matrix = am_memory_new(4 * n * n, sizeof *made->matrix, err);
    made->order = am_memory_new(2 * n, sizeof *made->order, err);
    if (!made->u || !made->J || !made->pencil || !made->matrix || !made->order) {
        am_class_clear(made);
        return AM_ERR_MEMORY;
    }
    made->guess = made->u + n;
    made->F = made->u + 2 * n;
    for (size_t i = 0; i < n; i++) {
        bool fold;
        am_sites_cycles(s, i, at, made->amplitude[i], &fold);
        made->borders[i] = am_sites_borders(s, i, at, made->border[i]);
    }
    return AM_OK;
}

void am_class_clear(am_class *made) {
    am_memory_free(made->u);
    am_memory_free(made->J);
    am_memory_free(made->pencil);
    am_memory_free(made->matrix);
    am_memory_free(made->order);
    *made = (am_class){0};
}

/* ---- Equations ---- */

/* omega D(omega u) u and its derivative with respect to u; with slope, its derivative with respect to p at fixed omega
 * and the derivative with respect to omega. */
typedef struct damper_force {
    double value, by_u, by_p, by_omega;
} damper_force;

static damper_force damper(const am_sites *s, size_t site, double p, double omega, double u) {
    const double *c = s->damping + site * AM_SITES_POWERS, *slope = c + s->n * AM_SITES_POWERS;
    damper_force f = {0.0, 0.0, 0.0, 0.0};
    double v2 = omega * u * omega * u, power = omega;
    for (size_t j = 0; j < AM_SITES_POWERS; j++, power *= v2) {
        double coefficient = c[j] + p * slope[j], odd = (double)(2 * j + 1);
        f.value += coefficient * power * u;
        f.by_u += odd * coefficient * power;
        f.by_p += slope[j] * power * u;
        f.by_omega += odd * coefficient * power * u / omega;
    }
    return f;
}

static am_status evaluate(void *context, const double *u, double p, double *F, double *J, double *Fp, am_error *err) {
    const am_class *made = context;
    const am_sites *s = made->sites;
    size_t n = s->n;
    double omega = am_sites_omega(s, p);
    double omega_p = s->own[1] / (2.0 * s->mass * omega); /* d omega/dp */
    (void)err;
    if (J)
        memset(J, 0, n * n * sizeof *J);
    for (size_t i = 0; i < n; i++) {
        damper_force f = damper(s, i, p, omega, u[i]);
        double sign = s->colour[i] ? -made->factor : made->factor, slope = f.by_p + f.by_omega * omega_p;
        F[i] = f.value;
        if (J)
            J[i * n + i] = f.by_u;
        for (size_t k = 0; k < s->neighbours[i]; k++) {
            size_t j = s->neighbour[i][k];
            double stiffness = am_sites_stiffness(s, i, j, p);
            F[i] += sign * stiffness * u[j];
            slope += sign * s->stiffness[(n + i) * n + j] * u[j];
            if (J)
                J[i * n + j] = sign * stiffness;
        }
        if (Fp)
            Fp[i] = slope;
    }
    return AM_OK;
}

am_continuation_problem am_class_problem(am_class *made) {
    made->factor = 1.0;
    return (am_continuation_problem){.n = made->sites->n, .evaluate = evaluate, .context = made};
}

/* ---- From the uncoupled limit ---- */

/* Newton's method at the present factor; false when it does not converge, or wanders further than `leash`. */
static bool newton(am_class *made, double *u, double leash) {
    size_t n = made->sites->n;
    double moved = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(u[i]));
    for (int k = 0; k < 12; k++) {
        evaluate(made, u, made->at, made->F, made->J, NULL, NULL);
        if (!am_lu_factor(made->J, n, made->order))
            return false;
        am_lu_solve(made->J, n, made->order, 1, made->F);
        double step = 0.0;
        for (size_t i = 0; i < n; i++) {
            u[i] -= made->F[i];
            step = fmax(step, fabs(made->F[i]));
        }
        moved += step;
        if (!(moved <= leash))
            return false;
        if (step <= 1e-13 * size)
            return true;
    }
    return false;
}

bool am_class_solve(am_class *made, const am_site_label *labels, double *u) {
    const double smallest = 1e-4;
    size_t n = made->sites->n;
    double reached = 0.0, step = 1.0, leash = INFINITY;
    memset(u, 0, n * sizeof *u);
    for (size_t i = 0; i < n; i++) {
        int cycle = labels[i] < 0 ? -labels[i] : labels[i];
        if (cycle > 0)
            u[i] = labels[i] < 0 ? -made->amplitude[i][cycle - 1] : made->amplitude[i][cycle - 1];
        /* a solution that moves further than a tenth of the way to the next label's may be another one's */
        if (cycle > 0)
            leash = fmin(leash, 0.1 * made->amplitude[i][0]);
    }
    if (isinf(leash))
        return true; /* everything is at rest */
    while (reached < 1.0 && step >= smallest) {
        double next = fmin(1.0, reached + step);
        memcpy(made->guess, u, n * sizeof *u);
        made->factor = next;
        if (newton(made, made->guess, leash)) {
            memcpy(u, made->guess, n * sizeof *u);
            reached = next;
            step *= 2.0;
        } else {
            step *= 0.5;
        }
    }
    made->factor = 1.0;
    return reached >= 1.0;
}

void am_class_labels(const am_class *made, const double *u, am_site_label *labels) {
    for (size_t i = 0; i < made->sites->n; i++) {
        int label = 0;
        size_t piece = 0;
        while (piece < made->borders[i] && fabs(u[i]) > made->border[i][piece])
            piece++;
        double low = piece > 0 ? made->border[i][piece - 1] : 0.0;
        double high = piece < made->borders[i] ? made->border[i][piece] : INFINITY;
        for (int k = 0; k < made->configurations->cycles[i]; k++)
            if (made->amplitude[i][k] > low && made->amplitude[i][k] < high)
                label = k + 1;
        labels[i] = (am_site_label)(u[i] < 0.0 ? -label : label);
    }
}

double am_class_energy(const am_class *made, const double *u) {
    double sum = 0.0;
    for (size_t i = 0; i < made->sites->n; i++)
        sum += u[i] * u[i];
    return 0.5 * sum;
}

void am_class_phasors(const am_class *made, const double *u, double *w) {
    for (size_t i = 0; i < made->sites->n; i++) {
        w[2 * i] = made->sites->colour[i] ? 0.0 : u[i];
        w[2 * i + 1] = made->sites->colour[i] ? u[i] : 0.0;
    }
}

/* ---- Stability ---- */

/* The damper's force on the first harmonic is D(|V|) V with V = i omega w; B = D + D' |V| v v^T, v = V/|V|. */
static void damper_matrix(const am_sites *s, size_t site, double p, double omega, const double *w, double *B) {
    double c[AM_SITES_POWERS], re = -omega * w[1], im = omega * w[0];
    double v2 = re * re + im * im, D = 0.0, twice_slope = 0.0, power = 1.0, before = 0.0;
    am_sites_damping(s, site, p, c);
    for (size_t j = 0; j < AM_SITES_POWERS; j++) {
        D += c[j] * power;
        twice_slope += 2.0 * (double)j * c[j] * before; /* D'(|V|)/|V| */
        before = power;
        power *= v2;
    }
    B[0] = D + twice_slope * re * re;
    B[1] = B[2] = twice_slope * re * im;
    B[3] = D + twice_slope * im * im;
}

/* m lambda^2 r + (2 m omega J + B) lambda r + (K - m omega^2 + omega B J) r = 0, J = [0 -1; 1 0] for i, as the matrix
 * [0 1; -A0/m  -A1/m]. */
static void fill_pencil(am_class *made, const double *w, double omega, double p) {
    const am_sites *s = made->sites;
    size_t n = s->n, half = 2 * n, size = 4 * n;
    double *a = made->pencil;
    memset(a, 0, size * size * sizeof *a);
    for (size_t i = 0; i < half; i++)
        a[i * size + half + i] = 1.0;
    for (size_t i = 0; i < n; i++) {
        double B[4], *row[2] = {a + (half + 2 * i) * size, a + (half + 2 * i + 1) * size};
        damper_matrix(s, i, p, omega, w + 2 * i, B);
        for (size_t r = 0; r < 2; r++) {
            /* B J: column 0 is B's column 1, column 1 minus B's column 0 */
            row[r][2 * i] -= omega * B[2 * r + 1] / s->mass;
            row[r][2 * i + 1] += omega * B[2 * r] / s->mass;
            for (size_t j = 0; j < n; j++) {
                double k = am_sites_stiffness(s, i, j, p) - (i == j ? s->mass * omega * omega : 0.0);
                row[r][2 * j + r] -= k / s->mass;
            }
            row[r][half + 2 * i] -= B[2 * r] / s->mass;
            row[r][half + 2 * i + 1] -= B[2 * r + 1] / s->mass;
        }
        row[0][half + 2 * i + 1] += 2.0 * omega;
        row[1][half + 2 * i] -= 2.0 * omega;
    }
}

am_status am_class_stability(am_class *made, const double *w, double omega, double p, double *exponent,
                             am_verdict *verdict, am_error *err) {
    am_eigen eigen;
    size_t size = 4 * made->sites->n, trivial = 0, largest = size;
    fill_pencil(made, w, omega, p);
    am_status status = am_eigen_init(&eigen, made->pencil, size, 0.0, err);
    if (status)
        return status;
    for (size_t k = 1; k < size; k++)
        if (hypot(eigen.real[k], eigen.imaginary[k]) < hypot(eigen.real[trivial], eigen.imaginary[trivial]))
            trivial = k;
    /* Exponents of half the frequency and more belong to the harmonics that were left out. */
    for (size_t k = 0; k < size; k++)
        if (k != trivial && fabs(eigen.imaginary[k]) < omega &&
            (largest == size || eigen.real[k] > eigen.real[largest]))
            largest = k;
    *exponent = largest < size ? eigen.real[largest] : -INFINITY;
    double doubt = largest < size ? eigen.uncertainty[largest] : 0.0;
    *verdict = *exponent > doubt ? AM_VERDICT_UNSTABLE : *exponent < -doubt ? AM_VERDICT_STABLE : AM_VERDICT_MARGINAL;
    am_eigen_clear(&eigen);
    return AM_OK;
}

/* T(lambda) = lambda^2 + lambda A1/m + A0/m from the companion matrix; with `x`, y = T'(lambda) x. */
static void fill_quadratic(const am_class *made, double lambda, const double *x, double *y) {
    size_t half = 2 * made->sites->n, size = 2 * half;
    for (size_t i = 0; i < half; i++) {
        const double *row = made->pencil + (half + i) * size;
        double *to = made->matrix + i * half;
        y[i] = 2.0 * lambda * x[i];
        for (size_t j = 0; j < half; j++) {
            to[j] = -row[j] - lambda * row[half + j];
            y[i] -= row[half + j] * x[j];
        }
        to[i] += lambda * lambda;
    }
}

/* Newton's method on T(lambda) x = 0, c.x = 1: T y = T' x, lambda -= 1/(c.y), x = y/(c.y). When lambda has settled to
 * rounding it is an eigenvalue, whatever the start was. */
static bool finds_positive(am_class *made, double lambda, size_t site, const double *w) {
    double x[2 * AM_SITES_MOST] = {0.0}, y[2 * AM_SITES_MOST];
    size_t half = 2 * made->sites->n;
    double size = w[2 * site] * w[2 * site] + w[2 * site + 1] * w[2 * site + 1];
    x[2 * site] = w[2 * site];
    x[2 * site + 1] = w[2 * site + 1];
    for (int k = 0; k < 12; k++) {
        fill_quadratic(made, lambda, x, y);
        if (!am_lu_factor(made->matrix, half, made->order))
            return lambda > 0.0; /* T is singular to rounding: there it is */
        am_lu_solve(made->matrix, half, made->order, 1, y);
        double along = (w[2 * site] * y[2 * site] + w[2 * site + 1] * y[2 * site + 1]) / size;
        double change = 1.0 / along;
        if (!isfinite(change))
            return false;
        lambda -= change;
        for (size_t i = 0; i < half; i++)
            x[i] = y[i] / along;
        if (fabs(change) <= 1e-12 * fabs(lambda))
            return lambda > 0.0;
    }
    return false;
}

bool am_class_surely_unstable(am_class *made, const double *w, double omega, double p) {
    const am_sites *s = made->sites;
    double steepest = 0.0;
    size_t site = s->n;
    for (size_t i = 0; i < s->n; i++) {
        double amplitude = hypot(w[2 * i], w[2 * i + 1]), slope = damper(s, i, p, omega, amplitude).by_u;
        if (amplitude > 0.0 && slope < steepest) {
            steepest = slope;
            site = i;
        }
    }
    if (site == s->n)
        return false;
    fill_pencil(made, w, omega, p);
    return finds_positive(made, -steepest / (2.0 * s->mass * omega), site, w);
}
