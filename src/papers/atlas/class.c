#include "papers/atlas/class.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/eigen.h"
#include "math/lu.h"

am_status am_class_create(am_class *made, const am_configurations *configurations, double at, am_error *err) {
    const am_sites *s = configurations->sites;
    size_t n = s->n;
    *made = (am_class){.configurations = configurations, .sites = s, .factor = 1.0, .at = at};
    AM_ARENA_DOUBLES(&made->memory, n, err, &made->u, &made->guess, &made->F);
    made->J = am_arena_new(&made->memory, n * n, sizeof *made->J, err);
    made->pencil = am_arena_new(&made->memory, 16 * n * n, sizeof *made->pencil, err);
    made->matrix = am_arena_new(&made->memory, 4 * n * n, sizeof *made->matrix, err);
    made->exponents = am_arena_new(&made->memory, (8 + 4 * AM_EIGENVALUES_WORK) * n, sizeof *made->exponents, err);
    made->blocks = am_arena_new(&made->memory, 8 * n, sizeof *made->blocks, err);
    made->order = am_arena_new(&made->memory, 2 * n, sizeof *made->order, err);
    if (am_arena_status(&made->memory)) {
        am_class_clear(made);
        return AM_ERR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        bool fold;
        am_sites_cycles(s, i, at, made->amplitude[i], &fold);
        made->borders[i] = am_sites_borders(s, i, at, made->border[i]);
    }
    return AM_OK;
}

void am_class_clear(am_class *made) {
    am_arena_clear(&made->memory);
    *made = (am_class){0};
}

/* ---- Equations ---- */

/* omega D(omega u) u and its derivative with respect to u. */
typedef struct damper_force {
    double value, by_u;
} damper_force;

static damper_force damper(const am_sites *s, size_t site, double p, double omega, double u) {
    const double *c = s->damping + site * AM_SITES_POWERS, *slope = c + s->n * AM_SITES_POWERS;
    damper_force f = {0.0, 0.0};
    double v2 = omega * u * omega * u, power = omega;
    for (size_t j = 0; j < s->powers; j++, power *= v2) {
        double coefficient = c[j] + p * slope[j];
        f.value += coefficient * power * u;
        f.by_u += (double)(2 * j + 1) * coefficient * power;
    }
    return f;
}

/* Its derivative with respect to p, where omega moves with p by omega_p. */
static double damper_slope(const am_sites *s, size_t site, double p, double omega, double omega_p, double u) {
    const double *c = s->damping + site * AM_SITES_POWERS, *slope = c + s->n * AM_SITES_POWERS;
    double v2 = omega * u * omega * u, power = omega, by_p = 0.0, by_omega = 0.0;
    for (size_t j = 0; j < s->powers; j++, power *= v2) {
        by_p += slope[j] * power * u;
        if (omega_p != 0.0)
            by_omega += (double)(2 * j + 1) * (c[j] + p * slope[j]) * power * u / omega;
    }
    return by_p + by_omega * omega_p;
}

double am_class_slope(const am_class *made, size_t site, double p, double omega, double amplitude) {
    return damper(made->sites, site, p, omega, amplitude).by_u;
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
        double sign = s->colour[i] ? -made->factor : made->factor;
        double slope = Fp ? damper_slope(s, i, p, omega, omega_p, u[i]) : 0.0;
        F[i] = f.value;
        if (J)
            J[i * n + i] = f.by_u;
        for (size_t k = 0; k < s->neighbours[i]; k++) {
            size_t j = s->neighbour[i][k];
            double stiffness = am_sites_stiffness(s, i, j, p);
            F[i] += sign * stiffness * u[j];
            if (Fp)
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

double am_class_energy(const double *u, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += 0.5 * u[i] * u[i];
    return sum;
}

void am_class_phasors(const am_class *made, const double *u, double *w) {
    for (size_t i = 0; i < made->sites->n; i++) {
        w[2 * i] = made->sites->colour[i] ? 0.0 : u[i];
        w[2 * i + 1] = made->sites->colour[i] ? u[i] : 0.0;
    }
}
