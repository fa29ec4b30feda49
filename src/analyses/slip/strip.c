/* Where boundary elements are needed: profiles whose contact no formula tells are pressed roughly first. */
#include <math.h>

#include "analyses/slip/elements.h"
#include "base/local.h"
#include "base/whole.h"

typedef struct interval {
    double from, to;
} interval;

/* A strip that holds everything that could touch: all of the table, or at first a little more than the flat. */
static void first_strip(const am_slip_contact *contact, am_bem_def *def) {
    enum { ROUGH = 201 };
    def->nodes = ROUGH;
    def->centre = 0.0;
    def->width = 1.5 * contact->half_width;
    if (contact->shape == AM_SLIP_TABLE) {
        def->centre = 0.5 * (contact->x[contact->count - 1] + contact->x[0]);
        def->width = 0.55 * (contact->x[contact->count - 1] - contact->x[0]);
    }
}

/* The contact under P and the moment of Q on that strip. */
static am_status press_roughly(const am_slip_contact *contact, const am_bem_def *def, double Q, interval *found,
                               am_error *err) {
    AM_LOCAL(am_bem_free_at) am_bem *bem = am_bem_create(def, err);
    am_bem_load load = am_slip_elements_load(contact, 0.0);
    load.M += Q * contact->height;
    AM_TRY(bem ? am_bem_step(bem, &load, err) : am_error_status(err));
    am_bem_view v = am_bem_view_of(bem);
    size_t first = 0, last = v.nodes - 1;
    while (first < last && !(v.p[first] > 0.0))
        first++;
    while (last > first && !(v.p[last] > 0.0))
        last--;
    *found = (interval){v.x[first] - v.spacing, v.x[last] + v.spacing};
    return AM_OK;
}

/* The contact under Q, on a strip that grows while it does not fit. */
static am_status find_contact(const am_slip_contact *contact, am_bem_def *def, double Q, interval *found,
                              am_error *err) {
    am_status status;
    do {
        status = press_roughly(contact, def, Q, found, err);
        if (status != AM_OK)
            def->width *= 1.5;
    } while (status != AM_OK && status != AM_ERR_MEMORY && contact->shape == AM_SLIP_ROUNDED &&
             def->width < 1e6 * contact->half_width);
    return status;
}

am_status am_slip_find_strip(const am_slip_contact *contact, size_t nodes, double margin, am_bem_def *def,
                             am_error *err) {
    interval still = {0.0, 0.0}, turned;
    am_status status = am_bem_profile_check(&def->profile, err);
    if (status != AM_OK)
        return status;
    first_strip(contact, def);
    status = find_contact(contact, def, 0.0, &still, err);
    if (status != AM_OK)
        return status;
    turned = still;
    if (contact->tilts && contact->height != 0.0) {
        /* the contact wanders as the body turns: at most to where the largest Q takes it, if the profile goes so far */
        am_error ignored = {0};
        status = find_contact(contact, def, am_friction_most(&def->friction) * contact->P, &turned, &ignored);
        if (status == AM_ERR_MEMORY || (status != AM_OK && contact->shape != AM_SLIP_TABLE))
            return am_fail(err, status, "%s", ignored.message);
        if (status != AM_OK)
            turned = (interval){contact->x[0], contact->x[contact->count - 1]};
    }
    double from = fmin(still.from, turned.from), to = fmax(still.to, turned.to), a = 0.5 * (still.to - still.from);
    def->centre = 0.5 * (from + to);
    def->width = 0.5 * margin * (to - from);
    def->nodes = 2 * am_whole(ceil(def->width / a * (double)nodes)) + 1;
    def->reference = 4.0 * a;
    return AM_OK;
}
