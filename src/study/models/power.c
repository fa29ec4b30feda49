#include <math.h>

#include "base/try.h"
#include "study/models/halfplane.h"

static void set_defaults(void *record) {
    am_halfplane_defaults(record, AM_SLIP_POWER);
}

/* W of c_c (5.45). */
static double energy_of(const am_slip_contact *contact, double critical) {
    double k = contact->exponent, c = critical * am_slip_half_width(contact);
    double gammas = exp(lgamma(0.5 * (k + 1.0)) - lgamma(0.5 * k));
    double root = contact->f * k * contact->factor * gammas * pow(c, k - 0.5);
    return 2.0 * contact->modulus * root * root;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_halfplane_setting *setting = record;
    AM_TRY(am_halfplane_coefficients(reading, node, setting));
    if (!(setting->contact.exponent >= 1.0))
        return am_node_fail(am_node_get(node, "k"), reading->err, AM_ERR_INPUT,
                            "the power k of the profile must be at least 1 (1 is a wedge); it is %g",
                            setting->contact.exponent);
    am_status status = am_halfplane_materials(reading, node, setting);
    if (status == AM_OK)
        status = am_halfplane_load(reading, node, setting, 1.0);
    if (status == AM_OK)
        status = am_halfplane_friction(reading, node, setting, "c_c_over_a");
    if (status == AM_OK && am_node_get(node, "c_c_over_a"))
        setting->contact.energy = energy_of(&setting->contact, setting->critical);
    return status;
}

static const am_field fields[] = {
    AM_HALFPLANE("k", AM_FIELD_NUMBER, contact.exponent, .initial = "2",
                 .about = "power of the profile, at least 1 (a wedge)", .example = "4"),
    AM_HALFPLANE("C", AM_FIELD_NUMBER, contact.factor, .range = AM_RANGE_POSITIVE, .initial = "0.5",
                 .unit = "length^(1-k)", .about = "factor of the profile C |x|^k", .example = "0.5"),
    AM_HALFPLANE_LOAD_FIELDS("1"),
    AM_HALFPLANE_MATERIAL_FIELDS,
    AM_HALFPLANE_FRICTION_FIELDS,
    AM_HALFPLANE_DOUBLE_FIELDS,
};

static const am_schema schema = {
    .name = "power",
    .title = "model power",
    .about = "A profile C |x|^k pressed on a half-plane (Papangelo 2017, chapter 5): 1 a wedge, 2 a cylinder, large k "
             "nearly a flat punch. The half-width of the contact is 1 unless P or a is given.",
    .size = sizeof(am_halfplane_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

const am_model_kind am_model_power = {
    .schema = &schema, .build = am_halfplane_build, .contact = am_halfplane_contact, .analysis = "slip"};
