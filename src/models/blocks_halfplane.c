/* What half-planes would do in the place of the blocks: cylinders where the gap is curved, a punch where the slider is
 * rigid (docs/blocks.md, section 5). */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "amontons/slip.h"
#include "base/columns.h"
#include "base/try.h"
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

static void fill_friction(const am_friction *friction, am_slip_contact *contact) {
    contact->f = am_friction_last(friction);
    contact->f_s = am_friction_most(friction);
    contact->slip_length = friction->distance;
    contact->law = am_friction_weakens(friction) && friction->law != AM_FRICTION_TABLE ? AM_FRICTION_DOUBLE
                   : friction->law == AM_FRICTION_STATIC_KINETIC                       ? AM_FRICTION_STATIC_KINETIC
                                                                                       : AM_FRICTION_COULOMB;
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

/* Linear between the rows of `tractions`; 0 outside. */
static double traction_at(const am_table *table, size_t column, double x) {
    size_t place = am_table_find_column(table, "x"), low = 0, high = am_table_rows(table) - 1;
    if (!(x > am_table_number(table, low, place) && x < am_table_number(table, high, place)))
        return 0.0;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(am_table_number(table, middle, place) <= x ? &low : &high) = middle;
    }
    double from = am_table_number(table, low, place), to = am_table_number(table, high, place);
    double share = to > from ? (x - from) / (to - from) : 0.0;
    return (1.0 - share) * am_table_number(table, low, column) + share * am_table_number(table, high, column);
}

static double largest(const am_table *table, size_t column) {
    double most = 0.0;
    for (size_t row = 0; row < am_table_rows(table); row++)
        most = fmax(most, fabs(am_table_number(table, row, column)));
    return most;
}

static double number_of(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    return scalar && scalar->kind == AM_SCALAR_NUMBER ? scalar->number : NAN;
}

/* Where the half-planes touch, and where they stick. */
typedef struct extent {
    double from, to, stick_from, stick_to; /* the latter NaN: nowhere */
} extent;

static extent extent_of(const am_table *zones) {
    extent e = {NAN, NAN, NAN, NAN};
    size_t state = am_table_find_column(zones, "state"), from = am_table_find_column(zones, "from");
    size_t to = am_table_find_column(zones, "to");
    for (size_t row = 0; row < am_table_rows(zones); row++) {
        const char *what = am_table_text(zones, row, state);
        double begin = am_table_number(zones, row, from), end = am_table_number(zones, row, to);
        if (strcmp(what, "open") == 0)
            continue;
        e.from = isnan(e.from) ? begin : e.from;
        e.to = end;
        if (strcmp(what, "stick") != 0)
            continue;
        e.stick_from = isnan(e.stick_from) ? begin : e.stick_from;
        e.stick_to = end;
    }
    return e;
}

/* Away from where slopes are infinite: for pressure the ends of the contact, for shear those of what sticks as well. */
static bool is_smooth(const extent *e, bool shear, double x) {
    double a = 0.5 * (e->to - e->from);
    if (!(fabs(x - 0.5 * (e->from + e->to)) <= inner * a))
        return false;
    return !shear || !(fabs(x - e->stick_from) < away * a || fabs(x - e->stick_to) < away * a);
}

/* The largest difference between a column of `interface` and of `tractions`, over the largest value of the latter; NaN
 * if that is nothing against the pressure. */
static double difference(const am_table *mesh, const am_result *half, const char *name) {
    const am_table *exact = am_result_find_table(half, "tractions");
    const extent e = extent_of(am_result_find_table(half, "zones"));
    size_t x = am_table_find_column(mesh, "x"), here = am_table_find_column(mesh, name);
    size_t there = am_table_find_column(exact, name);
    double most = 0.0, size = largest(exact, there);
    if (!(size > 1e-9 * largest(exact, am_table_find_column(exact, "p"))))
        return NAN;
    for (size_t row = 0; row < am_table_rows(mesh); row++) {
        double place = am_table_number(mesh, row, x);
        if (!is_smooth(&e, strcmp(name, "q") == 0, place))
            continue;
        double off = fabs(am_table_number(mesh, row, here) - traction_at(exact, there, place));
        most = off <= most ? most : off; /* NaN stays */
    }
    return most / size;
}

static am_status compare(const am_blocks_rig *rig, am_result *result, const am_result *exact, am_error *err) {
    const am_table *interface = am_result_find_table(result, "interface");
    bool tables = am_result_find_table(exact, "tractions") && am_result_find_table(exact, "zones");
    if (!interface || !tables || !(rig->hertz > 0.0))
        return AM_OK;
    const am_named errors[] = {{"pressure_error", difference(interface, exact, "p")},
                               {"shear_error", difference(interface, exact, "q")}};
    am_result_set_numbers(result, errors, sizeof errors / sizeof *errors);
    return am_result_status(result, err);
}

am_status am_blocks_compare(const am_blocks_rig *rig, am_result *result, am_error *err) {
    static const double rounding = 1e-9; /* of P: no tangential load */
    double Q = number_of(result, "Q");
    if (!(rig->blocks.P > 0.0)) /* half-planes that are not pressed do not touch */
        return AM_OK;
    Q = fabs(Q) <= rounding * rig->blocks.P ? 0.0 : Q;
    am_result *exact = isnan(Q) ? NULL : am_result_create(err);
    if (!exact)
        return isnan(Q) ? AM_OK : AM_ERR_MEMORY;
    am_status status = solve(rig, Q, exact, err);
    if (!status)
        status = compare(rig, result, exact, err);
    if (!status)
        status = am_result_absorb(result, exact, "halfplane", err);
    am_result_free(exact);
    return status;
}
