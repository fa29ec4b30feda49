/* The equations of a nonlinear mode: the balance of free motion, its phase, and the modal amplitude. */
#include <math.h>
#include <string.h>

#include "analyses/backbone/backbone_internal.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"

double am_backbone_unscale(const am_backbone_equations *e, const double *y, double s, double *x) {
    size_t last = e->size - 1;
    double a = exp(s);
    for (size_t i = 0; i < last; i++)
        x[i] = e->rest[i] + a * e->unit * y[i];
    x[last] = e->omega * y[last];
    return e->omega * y[last + 1];
}

/* One row of the Jacobian by y (N) and s: from that by x (size, omega last) and xi. The row of forces is divided by a^k;
 * value: of the row, before. */
static void put_row(const am_backbone_equations *e, const double *y, double a, double power, double value,
                    const double *by_x, double by_xi, double *row, double *by_s) {
    size_t last = e->size - 1;
    double scale = pow(a, -power), along = 0.0;
    for (size_t j = 0; j < last; j++) {
        double slope = scale * a * e->unit * by_x[j];
        row[j] = slope;
        along += slope * y[j];
    }
    row[last] = scale * e->omega * by_x[last];
    row[last + 1] = scale * e->omega * by_xi;
    if (by_s)
        *by_s = along - power * scale * value;
}

static am_status evaluate(void *context, const double *y, double s, double *F, double *J, double *Fs, am_error *err) {
    am_backbone_equations *e = context;
    size_t size = e->size, N = size + 1;
    double a = exp(s), xi = am_backbone_unscale(e, y, s, e->x), square, by_xi;
    bool derive = J || Fs;
    AM_TRY(am_balance_evaluate(e->balance, e->x, xi, e->F, derive ? e->J : NULL, derive ? e->Fp : NULL, err));
    AM_TRY(am_balance_modal(e->balance, e->x, xi, &square, e->slope, &by_xi, err));
    for (size_t i = 0; i < size; i++)
        F[i] = e->F[i] / a;
    F[size] = square / (a * a) - 1.0;
    double *row = e->row;
    for (size_t i = 0; i < size && derive; i++)
        put_row(e, y, a, 1.0, e->F[i], e->J + i * size, e->Fp[i], J ? J + i * N : row, Fs ? Fs + i : NULL);
    if (derive)
        put_row(e, y, a, 2.0, square, e->slope, by_xi, J ? J + size * N : row, Fs ? Fs + size : NULL);
    return AM_OK;
}

static void advance(void *context, const double *y, double s) {
    am_backbone_equations *e = context;
    am_continuation_problem inner = am_balance_problem(e->balance);
    double xi = am_backbone_unscale(e, y, s, e->x);
    inner.advance(inner.context, e->x, xi);
}

void am_backbone_phase(am_backbone_equations *e, const double *y, double s) {
    memset(e->balance->phase, 0, e->size * sizeof *e->balance->phase);
    advance(e, y, s);
}

am_status am_backbone_equations_open(am_backbone *b, am_parity parity, size_t harmonics, am_backbone_equations *e,
                                     am_error *err) {
    const am_balance_options options = {
        .degree = harmonics, .parity = parity, .self_excited = true, .whole = b->whole, .rest = b->rest.state};
    *e = (am_backbone_equations){.omega = 1.0, .unit = 1.0};
    e->balance = am_balance_create(&b->line, 0.0, b->xi_scale, &options, err);
    if (!e->balance)
        return am_error_status(err);
    e->size = am_balance_size(e->balance);
    e->curve = am_continuation_create(e->size + 1, 0, err);
    AM_ARENA_DOUBLES(&e->memory, e->size + 1, err, &e->rest, &e->x, &e->F, &e->Fp, &e->slope, &e->row);
    e->J = am_arena_doubles(&e->memory, NULL, e->size * e->size, err);
    e->problem = (am_continuation_problem){.n = e->size + 1, .evaluate = evaluate, .advance = advance, .context = e};
    return e->curve ? am_arena_status(&e->memory) : AM_ERR_MEMORY;
}

void am_backbone_equations_close(am_backbone_equations *e) {
    am_balance_free(e->balance);
    am_continuation_free(e->curve);
    am_arena_clear(&e->memory);
    *e = (am_backbone_equations){0};
}
