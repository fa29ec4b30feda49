#include "engines/boundary/bem.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "engines/boundary/bem_internal.h"

enum { FEWEST_NODES = 8 };

const double am_bem_end = 0.38494784162437;

/* ---- creation ---- */

static am_status check(const am_bem_def *def, am_error *err) {
    if (!(def->modulus > 0.0 && isfinite(def->modulus)))
        return am_fail_field(err, AM_ERR_INPUT, "modulus", "the modulus E* is %g and must be positive", def->modulus);
    if (!(fabs(def->beta) <= 0.5))
        return am_fail_field(err, AM_ERR_INPUT, "beta", "Dundurs' beta is %g and must lie between -1/2 and 1/2",
                             def->beta);
    if (def->nodes < FEWEST_NODES)
        return am_fail_field(err, AM_ERR_INPUT, "nodes", "a contact needs at least %d nodes; %zu were asked for",
                             FEWEST_NODES, def->nodes);
    if (!(def->period >= 0.0 && isfinite(def->period)))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period is %g and must be positive, or 0 for none",
                             def->period);
    bool strip = def->period == 0.0 && def->profile.shape != AM_SLIP_PUNCH;
    if (strip && !(def->width > 0.0 && isfinite(def->width) && isfinite(def->centre)))
        return am_fail_field(err, AM_ERR_INPUT, "width",
                             "the half-width of the strip of nodes is %g and must be positive", def->width);
    if (!(def->reference >= 0.0 && isfinite(def->reference)))
        return am_fail_field(err, AM_ERR_INPUT, "reference", "the reference distance is %g and must be positive",
                             def->reference);
    if (def->profile.shape == AM_SLIP_PUNCH && def->period > 0.0 && !(2.0 * def->profile.half_width < def->period))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period %g is not longer than the punch, %g wide",
                             def->period, 2.0 * def->profile.half_width);
    am_status status = am_bem_profile_check(&def->profile, err);
    return status ? status : am_friction_check(&def->friction, err);
}

static void reserve_fields(am_bem *b, am_bem_fields *fields, am_error *err) {
    double *next = am_arena_doubles(&b->memory, NULL, 6 * b->n, err); /* together: am_bem_copy */
    double **const arrays[] = {&fields->p, &fields->q, &fields->gap, &fields->place, &fields->slip, &fields->slid};
    for (size_t i = 0; next && i < sizeof arrays / sizeof *arrays; i++, next += b->n)
        *arrays[i] = next;
    fields->state = am_arena_new(&b->memory, b->n, sizeof *fields->state, err);
}

static am_status reserve(am_bem *b, am_error *err) {
    size_t n = b->n;
    am_bem_fields *const fields[] = {&b->now, &b->before, &b->start};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        reserve_fields(b, fields[i], err);
    AM_ARENA_DOUBLES(&b->memory, 2 * n, err, &b->motion, &b->across, &b->rhs, &b->solution, &b->third, &b->residual,
                     &b->direction, &b->image, &b->better);
    AM_ARENA_DOUBLES(&b->memory, n, err, &b->x, &b->gap0, &b->stay, &b->limit, &b->slope, &b->constant, &b->nothing,
                     &b->last_p, &b->last_q);
    AM_ARENA_ARRAYS(&b->memory, unsigned char, n, err, &b->in, &b->next, &b->released);
    return am_arena_status(&b->memory);
}

/* Nodes are symmetric about their centre. A sharp end lies a little beyond the last node. */
static am_status place_nodes(am_bem *b, const am_bem_def *def, am_error *err) {
    size_t n = b->n;
    bool flat = def->profile.shape == AM_SLIP_PUNCH;
    double centre = flat ? 0.0 : def->centre, last = 0.5 * (double)(n - 1);
    if (flat)
        b->h = 2.0 * def->profile.half_width / ((double)(n - 1) + 2.0 * am_bem_end);
    else
        b->h = def->period > 0.0 ? def->period / (double)n : 2.0 * def->width / (double)(n - 1);
    b->width = b->h * (double)n;
    b->ends = flat;
    b->end = flat ? am_bem_end : 0.5;
    for (size_t i = 0; i < n; i++)
        b->x[i] = centre + b->h * ((double)i - last);
    am_status status = am_bem_profile_gaps(&def->profile, n, b->x, b->gap0, err);
    size_t can_touch = 0;
    for (size_t i = 0; i < n; i++)
        can_touch += isfinite(b->gap0[i]);
    if (!status && can_touch == 0)
        status = am_fail_field(err, AM_ERR_INPUT, "profile",
                               "the profile never touches: no node lies where it is given (x from %g to %g)", b->x[0],
                               b->x[n - 1]);
    return status;
}

/* Influence for offsets 0 .. count - 1. */
static void influence(const am_bem *b, double reference, double period, size_t count, double *even, double *odd) {
    for (size_t k = 0; k < count; k++) {
        even[k] = 2.0 / b->modulus *
                  (period > 0.0 ? am_bem_hat_periodic((double)k, b->h, period)
                                : am_bem_hat_isolated((double)k, b->h, reference));
        odd[k] = b->beta / b->modulus * am_bem_hat_sign(k, b->h, period);
    }
}

static am_status make_influence(am_bem *b, const am_bem_def *def, am_error *err) {
    size_t n = b->n, wide = am_convolution_length(n + n / 8);
    double reference = def->reference > 0.0 ? def->reference : b->width;
    if (!(2.0 * reference >= b->width)) /* the influence matrix is positive definite beyond a quarter of the width */
        return am_fail_field(err, AM_ERR_INPUT, "reference",
                             "the reference distance is %g; it must be at least half the strip of nodes, %g wide",
                             reference, b->width);
    size_t longest = n > wide / 2 + 1 ? n : wide / 2 + 1;
    AM_LOCAL_MEMORY double *even = am_memory_new(2 * longest, sizeof *even, err);
    if (!even)
        return AM_ERR_MEMORY;
    double *odd = even + longest;
    AM_TRY(am_convolution_init(&b->even, n, 2 * n - 1, err));
    if (b->beta != 0.0)
        AM_TRY(am_convolution_init(&b->influence, n, 2 * n - 1, err));
    AM_TRY(am_convolution_init(&b->inverse, n, wide, err));
    influence(b, reference, b->period, n, even, odd);
    am_convolution_set(&b->even, even, NULL, n);
    if (b->beta != 0.0)
        am_convolution_set(&b->influence, even, odd, n);
    influence(b, reference, b->h * (double)wide, wide / 2 + 1, even, odd);
    am_convolution_set(&b->inverse, even, NULL, wide / 2 + 1);
    am_convolution_invert(&b->inverse);
    return AM_OK;
}

static am_status copy_friction(am_bem *b, const am_friction *friction, am_error *err) {
    b->friction = *friction;
    if (friction->law != AM_FRICTION_TABLE)
        return AM_OK;
    b->friction.slip = am_arena_doubles(&b->memory, friction->slip, friction->count, err);
    b->friction.coefficient = am_arena_doubles(&b->memory, friction->coefficient, friction->count, err);
    return am_arena_status(&b->memory);
}

am_bem *am_bem_create(const am_bem_def *def, am_error *err) {
    if (check(def, err))
        return NULL;
    am_bem *b = am_memory_new(1, sizeof *b, err);
    if (!b)
        return NULL;
    b->n = def->nodes;
    b->modulus = def->modulus;
    b->beta = def->beta;
    b->period = def->period;
    if (reserve(b, err) || copy_friction(b, &def->friction, err) || place_nodes(b, def, err) ||
        make_influence(b, def, err)) {
        am_bem_free(b);
        return NULL;
    }
    memcpy(b->now.gap, b->gap0, b->n * sizeof(double));
    return b;
}

void am_bem_free(am_bem *bem) {
    if (!bem)
        return;
    am_convolution_clear(&bem->even);
    am_convolution_clear(&bem->influence);
    am_convolution_clear(&bem->inverse);
    am_gmres_clear(&bem->gmres);
    am_bem_couple_free(bem->couple);
    am_arena_clear(&bem->memory);
    am_memory_free(bem);
}

/* ---- states ---- */

void am_bem_copy(am_bem_fields *to, const am_bem_fields *from, size_t n) {
    am_bem_fields kept = *to;
    *to = *from;
    to->p = kept.p, to->q = kept.q, to->gap = kept.gap;
    to->place = kept.place, to->slip = kept.slip, to->slid = kept.slid, to->state = kept.state;
    memcpy(to->p, from->p, 6 * n * sizeof *to->p);
    memcpy(to->state, from->state, n * sizeof *to->state);
}

am_bem_view am_bem_view_of(const am_bem *bem) {
    const am_bem_fields *now = &bem->now;
    return (am_bem_view){.nodes = bem->n,
                         .spacing = bem->h,
                         .period = bem->period,
                         .modulus = bem->modulus,
                         .beta = bem->beta,
                         .x = bem->x,
                         .p = now->p,
                         .q = now->q,
                         .gap = now->gap,
                         .slip = now->slip,
                         .slid = now->slid,
                         .state = now->state,
                         .P = now->P,
                         .Q = now->Q,
                         .M = now->M,
                         .approach = now->approach,
                         .tilt = now->tilt,
                         .shift = now->shift,
                         .mean_slip = now->mean_slip,
                         .dissipated = now->dissipated,
                         .dissipation = now->dissipation,
                         .evidence = now->evidence};
}
