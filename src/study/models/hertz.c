#include <math.h>

#include "base/try.h"
#include "math/pi.h"
#include "study/models/halfplane.h"

static void set_defaults(void *record) {
    am_halfplane_defaults(record, AM_SLIP_HERTZ);
}

/* W of (c_c/a) (5.45, k = 2): c_c^3 = 2 R^2 W/(pi E* f^2). */
static double energy_of(const am_slip_contact *contact, double critical) {
    double c = critical * am_slip_half_width(contact);
    return 0.5 * pi * contact->modulus * pow(contact->f / contact->radius, 2.0) * c * c * c;
}

/* Lambda (4.37) and Psi (4.42) are chi/phi and chi phi, chi = R Delta/(f_d a^2), phi = f_s/f_d - 1. */
static am_status find_length(am_reading *reading, const am_node *node, am_halfplane_setting *setting) {
    static const char *const names[] = {"Delta", "Lambda", "Psi"};
    am_slip_contact *contact = &setting->contact;
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < 3; i++)
        status = am_halfplane_either(reading, node, names[i], names[(i + 1) % 3]);
    double a = am_slip_half_width(contact), unit = contact->f * a * a / contact->radius;
    double excess = contact->f_s / contact->f - 1.0;
    if (am_node_get(node, "Lambda"))
        contact->slip_length = setting->Lambda * excess * unit;
    if (am_node_get(node, "Psi"))
        contact->slip_length = setting->Psi / excess * unit;
    return status;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_halfplane_setting *setting = record;
    AM_TRY(am_halfplane_coefficients(reading, node, setting));
    am_status status = am_halfplane_materials(reading, node, setting);
    if (status == AM_OK)
        status = am_halfplane_load(reading, node, setting, 1.0);
    if (status == AM_OK)
        status = find_length(reading, node, setting);
    if (status == AM_OK)
        status = am_halfplane_friction(reading, node, setting, "c_c_over_a");
    if (status == AM_OK && am_node_get(node, "c_c_over_a"))
        setting->contact.energy = energy_of(&setting->contact, setting->critical);
    return status;
}

static const am_field fields[] = {
    AM_HALFPLANE_LOAD_FIELDS("1"),
    AM_HALFPLANE("R", AM_FIELD_NUMBER, contact.radius, .range = AM_RANGE_POSITIVE, .initial = "1", .unit = "length",
                 .about = "radius of the cylinder; of two, 1/R = 1/R1 + 1/R2", .example = "1"),
    AM_HALFPLANE_MATERIAL_FIELDS,
    AM_HALFPLANE_FRICTION_FIELDS,
    AM_HALFPLANE("Lambda", AM_FIELD_NUMBER, Lambda, .range = AM_RANGE_POSITIVE, .initial = "none",
                 .about = "R Delta/(a^2 (f_s - f)), eq. (4.37), in the place of Delta"),
    AM_HALFPLANE("Psi", AM_FIELD_NUMBER, Psi, .range = AM_RANGE_POSITIVE, .initial = "none",
                 .about = "R Delta (f_s - f)/(a f)^2, eq. (4.42), in the place of Delta"),
    AM_HALFPLANE_DOUBLE_FIELDS,
};

static const am_schema schema = {
    .name = "hertz",
    .title = "model hertz",
    .about =
        "Two elastic cylinders, or a cylinder and a half-plane, pressed together by P per unit of length (Papangelo "
        "2017, chapters 1, 4, 5). The half-width of the contact is 1 unless P or a is given.",
    .size = sizeof(am_halfplane_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

const am_model_kind am_model_hertz = {
    .schema = &schema, .build = am_halfplane_build, .contact = am_halfplane_contact, .analysis = "slip"};
