/* What half-planes would do in the place of the blocks: cylinders where the gap is curved, a punch where the slider is
 * rigid (docs/blocks.md, section 5). */
#include <math.h>

#include "amontons/slip.h"
#include "base/columns.h"
#include "base/local.h"
#include "halfplane/field.h"
#include "models/blocks_report.h"

/* A contact closed to this part of its half-width, and away by this part of it from where it begins to stick, is
 * compared: beyond, slopes are infinite, and no mesh follows them. */
static const double inner = 0.9, away = 0.1;

/* Plane stress is plane strain of another material. */
static am_status medium_of(const am_blocks_body *body, am_medium *medium, am_error *err) {
    double E = body->modulus, nu = body->poisson;
    if (body->plane_stress) {
        double one = 1.0 + nu;
        E *= (1.0 + 2.0 * nu) / (one * one);
        nu /= one;
    }
    return am_medium_plane_strain(E, nu, medium, err);
}

static am_status fill_materials(const am_blocks *b, am_slip_contact *contact, am_error *err) {
    const am_blocks_body body[2] = {b->slider, b->base};
    am_medium medium[2];
    for (size_t i = 0; i < 2; i++) {
        medium[i] = (am_medium){.shear_modulus = INFINITY, .kolosov = 1.0};
        AM_TRY(body[i].rigid ? AM_OK : medium_of(&body[i], &medium[i], err));
    }
    AM_TRY(am_medium_pair(&medium[0], &medium[1], &contact->modulus, &contact->beta, err));
    if (contact->shape == AM_SLIP_PUNCH || fabs(contact->beta) < 1e-12)
        contact->beta = 0.0; /* eq. (3.24) is that of an uncoupled half-plane */
    return AM_OK;
}

/* Friction that falls in a transition zone has a closed form between cylinders of similar bodies; boundary elements
 * know it as the function of slip that it is. */
static void fill_friction(const am_friction *friction, am_slip_contact *contact) {
    bool falls = am_friction_weakens(friction) && friction->law != AM_FRICTION_TABLE;
    contact->f = am_friction_last(friction);
    contact->f_s = am_friction_most(friction);
    contact->slip_length = friction->distance;
    contact->law =
        falls && contact->beta == 0.0 && contact->shape == AM_SLIP_HERTZ ? AM_FRICTION_DOUBLE : friction->law;
    contact->law_count = friction->count;
    contact->law_slip = friction->slip;
    contact->law_f = friction->coefficient;
}

static am_status solve(const am_blocks_rig *rig, double Q, am_result *result, am_error *err) {
    const am_blocks *b = &rig->blocks;
    bool punch = !(b->radius > 0.0);
    am_slip_contact contact = am_slip_contact_default(punch ? AM_SLIP_PUNCH : AM_SLIP_HERTZ);
    am_slip_options options = am_slip_options_default();
    AM_TRY(fill_materials(b, &contact, err));
    fill_friction(&b->friction, &contact);
    contact.P = b->P / am_blocks_thickness(b);
    contact.radius = b->radius;
    contact.half_width = 0.5 * b->slider.length;
    contact.height = b->side == AM_BLOCKS_TOP ? 0.0 : b->load_height;
    contact.tilts = !punch && contact.beta != 0.0; /* the slider may turn, and coupled tractions turn it */
    options.Q = Q / am_blocks_thickness(b);
    options.branch = punch ? 101 : 0;
    return am_slip_run(&contact, &options, result, NULL, err);
}

/* ---- errors ---- */

/* Where the half-planes touch, and where they stick: what `slip` says of its zones. */
typedef struct extent {
    double from, to, stick_from, stick_to; /* the latter NaN: nowhere */
} extent;

static am_status see_zone(void *context, am_contact_state state, double from, double to, am_error *err) {
    extent *e = context;
    (void)err;
    if (state == AM_OPEN)
        return AM_OK;
    e->from = isnan(e->from) ? from : e->from;
    e->to = to;
    if (state != AM_STICK)
        return AM_OK;
    e->stick_from = isnan(e->stick_from) ? from : e->stick_from;
    e->stick_to = to;
    return AM_OK;
}

/* Away from where slopes are infinite: for pressure the ends of the contact, for shear those of what sticks as well. */
static bool is_smooth(const extent *e, bool shear, double x) {
    double a = 0.5 * (e->to - e->from);
    if (!(fabs(x - 0.5 * (e->from + e->to)) <= inner * a))
        return false;
    return !shear || !(fabs(x - e->stick_from) < away * a || fabs(x - e->stick_to) < away * a);
}

/* A column of `tractions`. */
typedef struct traction {
    size_t count;
    const double *x, *value;
} traction;

static traction traction_of(const am_result *half, const char *name) {
    const am_table *table = am_result_find_table(half, "tractions");
    return (traction){am_table_rows(table), am_table_numbers(table, am_table_find_column(table, "x")),
                      am_table_numbers(table, am_table_find_column(table, name))};
}

/* Linear between its points; 0 outside. */
static double traction_at(const traction *t, double x) {
    size_t low = 0, high = t->count - 1;
    if (!(x > t->x[low] && x < t->x[high]))
        return 0.0;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(t->x[middle] <= x ? &low : &high) = middle;
    }
    double share = t->x[high] > t->x[low] ? (x - t->x[low]) / (t->x[high] - t->x[low]) : 0.0;
    return (1.0 - share) * t->value[low] + share * t->value[high];
}

static double largest(const traction *t) {
    double most = 0.0;
    for (size_t i = 0; i < t->count; i++)
        most = fmax(most, fabs(t->value[i]));
    return most;
}

/* The largest difference between the tractions of contact nodes, sign times their forces over their areas, and of the
 * half-planes, over the largest of the latter; NaN if that is nothing against the pressure. */
static double difference(const am_solid *solid, const double *force, double sign, const traction *exact,
                         double pressure, const extent *e) {
    double most = 0.0, size = largest(exact);
    if (!(size > 1e-9 * pressure))
        return NAN;
    for (size_t c = 0; c < am_solid_contacts(solid); c++) {
        const am_solid_node *node = am_solid_node_at(solid, c);
        double x = node->place[0];
        if (!is_smooth(e, sign < 0.0, x))
            continue;
        double off = fabs(sign * force[c] / node->area - traction_at(exact, x));
        most = off <= most ? most : off; /* NaN stays */
    }
    return most / size;
}

static void compare(const am_blocks_rig *rig, const am_sample *last, const am_result *half, const extent *e,
                    am_result *result) {
    const traction p = traction_of(half, "p"), q = traction_of(half, "q");
    double pressure = largest(&p);
    am_result_set_numbers(result,
                          AM_NAMED({"pressure_error", difference(rig->solid, last->normal, 1.0, &p, pressure, e)},
                                   {"shear_error", difference(rig->solid, last->tangential, -1.0, &q, pressure, e)}));
}

am_status am_blocks_compare(const am_blocks_rig *rig, const am_sample *last, double Q, am_result *result,
                            am_error *err) {
    static const double rounding = 1e-9; /* of P: no tangential load */
    extent e = {NAN, NAN, NAN, NAN};
    const am_observer zones = {.zone = see_zone, .context = &e};
    if (!(rig->blocks.P > 0.0)) /* half-planes that are not pressed do not touch */
        return AM_OK;
    AM_LOCAL(am_result_free_at) am_result *half = am_result_create(err);
    if (!half)
        return AM_ERR_MEMORY;
    am_result_observe(half, &zones);
    AM_TRY(solve(rig, fabs(Q) <= rounding * rig->blocks.P ? 0.0 : Q, half, err));
    if (rig->hertz > 0.0)
        compare(rig, last, half, &e, result);
    AM_TRY(am_result_status(result, err));
    return am_result_absorb(result, half, "halfplane", err);
}
