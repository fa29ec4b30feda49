/* The forced response near a mode, from the mode alone (single nonlinear mode theory): with phi = X/a and the modal
 * force f = |phi^H F| of the harmonic load F,
 *
 *     (-Omega^2 + 2 i zeta omega Omega + omega^2) a = f,
 *
 * where omega and zeta are the mode's at the amplitude a. So at each amplitude there are two frequencies,
 *
 *     Omega^2 = omega^2 (1 - 2 zeta^2) -+ sqrt(f^2/a^2 - 4 zeta^2 omega^4 (1 - zeta^2)),
 *
 * and the curve turns where the root vanishes. In phase resonance (Omega = omega, lag 90 degrees) f = xi omega a. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "analyses/backbone/backbone_internal.h"
#include "analyses/tables/first_harmonics.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/try.h"

/* The complex amplitudes of the harmonic loads, n; all have one frequency. */
static am_status gather_loads(const am_system *system, double complex *F, bool *any, am_error *err) {
    size_t n = am_system_size(system);
    double frequency = 0.0;
    *any = false;
    for (size_t i = 0; i < n; i++)
        F[i] = 0.0;
    for (size_t l = 0; l < am_system_loads(system); l++) {
        const am_load_def *load = am_system_load(system, l);
        const am_function *f = &load->function;
        if (f->kind != AM_FUNCTION_SINE || f->amplitude == 0.0)
            continue;
        if (*any && fabs(f->frequency - frequency) > 1e-12 * frequency)
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "forces",
                                 "the loads have the frequencies %g and %g: a forced response near one mode is "
                                 "predicted for loads of one frequency",
                                 frequency, f->frequency);
        frequency = f->frequency;
        for (size_t i = 0; i < n; i++)
            F[i] += load->direction[i] * f->amplitude * (sin(f->phase) - I * cos(f->phase));
        *any = true;
    }
    return AM_OK;
}

/* |phi^H F| of a point whose signals are given. */
static double modal_force(const am_backbone *b, const double complex *F, double amplitude) {
    double complex sum = 0.0;
    for (size_t i = 0; i < b->n; i++)
        sum += (b->signals[i * b->S + 1] + I * b->signals[i * b->S + 2]) * F[i]; /* conj(a - i b) */
    return cabs(sum) / amplitude;
}

am_status am_backbone_forces(am_backbone *b, am_error *err) {
    am_backbone_equations *e = &b->equations;
    double complex *F = am_memory_new(b->n, sizeof *F, err);
    bool any = false;
    am_status status = F ? gather_loads(b->system, F, &any, err) : AM_ERR_MEMORY;
    if (!status && !any && b->options->force_count > 0)
        status = am_fail_field(err, AM_ERR_INPUT, "forces",
                               "no load is a sine: nothing forces the structure; give it a load, of any frequency");
    for (size_t i = 0; i < b->count && any && !status; i++) {
        am_backbone_point *p = &b->point[i];
        am_backbone_unscale(e, b->points + i * (e->size + 1), p->s, e->x);
        status = am_balance_unpack(e->balance, e->x, p->xi, b->signals, err);
        p->modal_force = modal_force(b, F, p->amplitude);
    }
    am_memory_free(F);
    return status;
}

/* ---- the table ---- */

/* What stands under the root, over omega^4. */
static double root_of(const am_backbone_point *p, double force) {
    double zeta = 0.5 * p->xi / p->frequency,
           ratio = force * p->modal_force / (p->amplitude * p->frequency * p->frequency);
    return ratio * ratio - 4.0 * zeta * zeta * (1.0 - zeta * zeta);
}

static am_status add_row(am_backbone *b, am_table *table, double force, const am_backbone_point *p, double Omega,
                         const double *y, const char *kind, am_error *err) {
    am_backbone_equations *e = &b->equations;
    am_backbone_unscale(e, y, p->s, e->x);
    AM_TRY(am_balance_unpack(e->balance, e->x, p->xi, b->signals, err));
    am_table_add_numbers(table, AM_NUMBERS(force, Omega, p->amplitude));
    am_table_set_text(table, 3, kind, NULL);
    for (size_t c = 0; c < b->n; c++)
        am_table_set_number(table, 4 + c, hypot(b->signals[c * b->S + 1], b->signals[c * b->S + 2]));
    return AM_OK;
}

/* The point between i and i + 1 where the root vanishes, by the line between them: both branches meet there. */
static am_status add_turn(am_backbone *b, am_table *table, double force, size_t i, am_error *err) {
    const am_backbone_point *p = &b->point[i], *next = p + 1;
    size_t N = b->equations.size + 1;
    double here = root_of(p, force), there = root_of(next, force), share = here / (here - there);
    am_backbone_point turn = *p;
    for (size_t k = 0; k < N; k++)
        b->trial[k] = b->points[i * N + k] + share * (b->points[(i + 1) * N + k] - b->points[i * N + k]);
    turn.s = p->s + share * (next->s - p->s);
    turn.amplitude = exp(turn.s);
    turn.frequency = p->frequency + share * (next->frequency - p->frequency);
    turn.xi = p->xi + share * (next->xi - p->xi);
    double zeta = 0.5 * turn.xi / turn.frequency;
    return add_row(b, table, force, &turn, turn.frequency * sqrt(fmax(0.0, 1.0 - 2.0 * zeta * zeta)), b->trial, "peak",
                   err);
}

/* Points first .. last, where the root is real: up along the lower frequencies, back along the higher ones. */
static am_status add_loop(am_backbone *b, am_table *table, double force, size_t first, size_t last, am_error *err) {
    size_t count = last - first + 1, N = b->equations.size + 1;
    for (size_t k = 0; k < 2 * count; k++) {
        bool back = k >= count;
        size_t i = back ? last - (k - count) : first + k;
        const am_backbone_point *p = &b->point[i];
        double zeta = 0.5 * p->xi / p->frequency, root = sqrt(root_of(p, force));
        double square = 1.0 - 2.0 * zeta * zeta + (back ? root : -root);
        if (k == count && last + 1 < b->own)
            AM_TRY(add_turn(b, table, force, last, err));
        if (square > 0.0)
            AM_TRY(add_row(b, table, force, p, p->frequency * sqrt(square), b->points + i * N, back ? "above" : "below",
                           err));
    }
    return AM_OK;
}

am_status am_backbone_forced(am_backbone *b, am_result *result, am_error *err) {
    if (b->options->force_count == 0)
        return AM_OK;
    am_table *table = am_result_describe_table(result, "forced", "force frequency amplitude kind");
    am_table_describe_first_harmonics(table, b->system, false);
    for (size_t f = 0; f < b->options->force_count; f++)
        for (size_t i = 0; i < b->own; i++) {
            size_t first = i;
            while (i < b->own && root_of(&b->point[i], b->options->forces[f]) > 0.0)
                i++;
            if (i > first)
                AM_TRY(add_loop(b, table, b->options->forces[f], first, i - 1, err));
        }
    return AM_OK;
}
