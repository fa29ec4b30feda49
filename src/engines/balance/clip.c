/* Forces without memory: the clip, and a layer that damps. Where they switch, two known signals are
 * equal or one is zero. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/balance/cell.h"
#include "engines/balance/cell_internal.h"
#include "math/pi.h"
#include "math/trigonometric.h"

/* Where w is against the limit; closed unless the contact is open. */
typedef struct position {
    bool closed;
    int above; /* sign of w - limit */
    int below; /* sign of w + limit */
} position;

/* 1: f = limit; -1: f = -limit; 0: f = w (or 0, open). */
static int saturation(position at) {
    if (!at.closed)
        return 0;
    return at.above > 0 ? 1 : at.below < 0 ? -1 : 0;
}

static void finish_piece(am_cell *cell, position at, double theta, am_cell_report *report) {
    am_cell_next_piece(cell, theta);
    int side = saturation(at);
    if (side != 0) {
        am_cell_add_piece(cell, side, cell->second);
        report->slip_share += cell->piece.cosine[0];
    } else if (at.closed) {
        am_cell_add_piece(cell, 1, cell->first);
    }
}

static position behind(position at, am_cell_kind kind) {
    switch (kind) {
    case AM_CELL_UPPER:
        at.above = -at.above;
        break;
    case AM_CELL_LOWER:
        at.below = -at.below;
        break;
    case AM_CELL_OPEN:
        at.closed = false;
        break;
    case AM_CELL_CLOSE:
        at.closed = true;
        break;
    }
    return at;
}

static void go_round(am_cell *cell, const am_cell_limit *limit, bool everywhere, am_cell_report *report) {
    double base = everywhere ? 0 : am_cell_first_opening(limit);
    size_t count = am_cell_list_events(cell, limit, everywhere, base);
    position at = {everywhere, am_cell_sign_at(&cell->upper, base), am_cell_sign_at(&cell->lower, base)};
    am_cell_begin_pieces(cell, base);
    for (size_t i = 0; i < count; i++) {
        position next = behind(at, cell->events[i].kind);
        if (next.closed != at.closed || saturation(next) != saturation(at)) {
            finish_piece(cell, at, cell->events[i].theta, report);
            report->switches++;
        }
        at = next;
    }
    finish_piece(cell, at, base + two_pi, report);
}

/* Integral of f w over the period. */
static double power(const am_cell *cell, const double *f, const double *w) {
    double sum = 2 * f[0] * w[0];
    for (size_t i = 1; i < cell->size; i++)
        sum += f[i] * w[i];
    return pi * sum;
}

am_status am_cell_clip(am_cell *cell, const double *w, const am_cell_limit *limit, double *f, double *d_w,
                       double *d_limit, am_cell_report *report, am_error *err) {
    bool everywhere, nowhere;
    AM_TRY(am_cell_check_signal(cell, w, "sliding velocity", err));
    AM_TRY(am_cell_check_limit(cell, limit, &everywhere, &nowhere, err));
    am_cell_report seen = {0};
    am_cell_set_zero(cell, f, d_w, d_limit);
    if (!nowhere) {
        am_cell_clear(cell, cell->first);
        am_cell_clear(cell, cell->second);
        am_cell_find_changes(cell, w, limit->signal);
        go_round(cell, limit, everywhere, &seen);
        am_cell_add_product(cell, cell->first, w, f, d_w);
        am_cell_add_product(cell, cell->second, limit->signal, f, d_limit);
    }
    seen.stuck = everywhere && seen.slip_share == 0;
    seen.dissipation = power(cell, f, w);
    if (report)
        *report = seen;
    return AM_OK;
}

static void pass_through(const am_cell *cell, const double *w, double *f, double *d_w) {
    memcpy(f, w, cell->size * sizeof *f);
    for (size_t i = 0; d_w && i < cell->size; i++)
        d_w[i * cell->size + i] = 1;
}

/* ---- a layer that damps: the changes of d are `upper`, those of w `lower` ---- */

/* The piece that begins at theta moves its start with d: by -dd/d', which takes w basis with it. */
static void add_jump(am_cell *cell, const double *d, const double *w, double theta, double *d_d) {
    double rate, force = am_trig_value(cell->degree, w, theta);
    am_trig_value_rate(cell->degree, d, theta, &rate);
    if (!d_d || !(rate > 0))
        return;
    am_cell_basis_at_start(cell);
    cell->projection[0] = 1 / two_pi;
    for (size_t i = 1; i < cell->size; i++)
        cell->projection[i] = cell->basis[i] / pi;
    am_cell_add_outer(cell, force / rate, d_d);
}

/* A state of d and w, both of which must be positive. */
static bool closed(position at) {
    return at.above > 0 && at.below > 0;
}

/* An instant at which the contact is open, from which a walk can begin; false if there is none. */
static bool find_open(am_cell *cell, double *base) {
    position at = {true, am_cell_sign_at(&cell->upper, 0), am_cell_sign_at(&cell->lower, 0)};
    size_t count = am_cell_list_events(cell, NULL, true, 0);
    *base = 0;
    for (size_t i = 0; i < count && closed(at); i++) {
        at = behind(at, cell->events[i].kind);
        *base = cell->events[i].theta < two_pi ? cell->events[i].theta : 0;
    }
    return !closed(at);
}

typedef struct layer {
    const double *d, *w;
    double *d_d, *starts, *ends;
    size_t count; /* of closed pieces */
} layer;

static void add_closed_piece(am_cell *cell, layer *l, const am_cell_event *start, const am_cell_event *end) {
    am_cell_begin_pieces(cell, start->theta);
    am_cell_next_piece(cell, end->theta);
    am_cell_add_piece(cell, 1, cell->first);
    if (start->kind == AM_CELL_UPPER)
        add_jump(cell, l->d, l->w, start->theta, l->d_d);
    if (l->starts)
        l->starts[l->count] = start->theta;
    if (l->ends)
        l->ends[l->count] = end->theta;
    l->count++;
}

/* Once around from an instant at which the contact is open. */
static void go_round_layer(am_cell *cell, layer *l, double base) {
    size_t events = am_cell_list_events(cell, NULL, true, base);
    position at = {true, am_cell_sign_at(&cell->upper, base), am_cell_sign_at(&cell->lower, base)};
    const am_cell_event *start = cell->events;
    for (size_t i = 0; i < events; i++) {
        position next = behind(at, cell->events[i].kind);
        if (closed(next) && !closed(at))
            start = &cell->events[i];
        else if (closed(at) && !closed(next))
            add_closed_piece(cell, l, start, &cell->events[i]);
        at = next;
    }
}

am_status am_cell_layer(am_cell *cell, const double *d, const double *w, double *f, double *d_d, double *d_w,
                        double *starts, double *ends, size_t *pieces, bool *always, am_error *err) {
    AM_TRY(am_cell_check_signal(cell, d, "penetration", err));
    AM_TRY(am_cell_check_signal(cell, w, "normal force", err));
    layer l = {.d = d, .w = w, .d_d = d_d, .starts = starts, .ends = ends};
    double base;
    am_cell_set_zero(cell, f, d_d, d_w);
    am_cell_clear(cell, cell->first);
    am_cell_find_signs(cell, d, &cell->upper);
    am_cell_find_signs(cell, w, &cell->lower);
    bool opens = find_open(cell, &base);
    if (opens)
        go_round_layer(cell, &l, base);
    else
        pass_through(cell, w, f, d_w);
    if (l.count > 0)
        am_cell_add_product(cell, cell->first, w, f, d_w);
    if (pieces)
        *pieces = l.count;
    if (always)
        *always = !opens;
    return AM_OK;
}
