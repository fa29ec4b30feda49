#include <math.h>

#include "base/try.h"
#include "math/pi.h"
#include "study/models/halfplane.h"

static void set_defaults(void *record) {
    am_halfplane_defaults(record, AM_SLIP_WAVE);
}

/* W~ = sqrt(2 W lambda/(pi E* Delta^2))/f */
static double energy_of(const am_slip_contact *contact, double tilde) {
    double root = contact->f * tilde * contact->amplitude;
    return 0.5 * pi * contact->modulus * root * root / contact->wavelength;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_halfplane_setting *setting = record;
    AM_TRY(am_halfplane_coefficients(reading, node, setting));
    double usual = am_node_get(node, "a_over_lambda") ? setting->a_over_lambda : 0.25;
    am_status status = am_halfplane_materials(reading, node, setting);
    if (status == AM_OK)
        status = am_halfplane_either(reading, node, "a", "a_over_lambda");
    if (status == AM_OK)
        status = am_halfplane_either(reading, node, "P", "a_over_lambda");
    if (status == AM_OK && usual > 0.5)
        status = am_node_fail(am_node_get(node, "a_over_lambda"), reading->err, AM_ERR_INPUT,
                              "the contact is at most as wide as the wave: a/lambda <= 1/2, not %g", usual);
    if (status == AM_OK)
        status = am_halfplane_load(reading, node, setting, usual * setting->contact.wavelength);
    if (status == AM_OK)
        status = am_halfplane_friction(reading, node, setting, "W_tilde");
    if (status == AM_OK && am_node_get(node, "W_tilde"))
        setting->contact.energy = energy_of(&setting->contact, setting->W_tilde);
    return status;
}

static const am_field fields[] = {
    AM_HALFPLANE("amplitude", AM_FIELD_NUMBER, contact.amplitude, .range = AM_RANGE_POSITIVE, .initial = "1",
                 .unit = "length", .about = "half of the wave's height", .example = "1"),
    AM_HALFPLANE("wavelength", AM_FIELD_NUMBER, contact.wavelength, .range = AM_RANGE_POSITIVE, .initial = "1",
                 .unit = "length", .about = "its period", .example = "1"),
    AM_HALFPLANE_LOAD_FIELDS("a quarter of the wavelength"),
    AM_HALFPLANE("a_over_lambda", AM_FIELD_NUMBER, a_over_lambda, .range = AM_RANGE_POSITIVE, .initial = "0.25",
                 .about = "a over the wavelength, in the place of a and P"),
    AM_HALFPLANE_MATERIAL_FIELDS,
    AM_HALFPLANE_FRICTION_FIELDS,
    AM_HALFPLANE("measure", AM_FIELD_WORD, contact.measure, .words = am_halfplane_measure_words, .initial = "edge",
                 .about = "how Delta and the energy of the double solution go together"),
    AM_HALFPLANE("W_tilde", AM_FIELD_NUMBER, W_tilde, .range = AM_RANGE_NOT_NEGATIVE, .initial = "none",
                 .about = "sqrt(2 W wavelength/(pi E* amplitude^2))/f, in the place of W"),
    AM_HALFPLANE("isolated", AM_FIELD_FLAG, contact.isolated, .initial = "false",
                 .about = "the thesis' singular term of a single flat, which does not keep the stick zone from "
                          "straining"),
};

static const am_schema schema = {
    .name = "wave",
    .title = "model wave",
    .about = "A sinusoidal profile pressed on a half-plane (Papangelo 2017, chapter 5). Loads are per period.",
    .size = sizeof(am_halfplane_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

const am_model_kind am_model_wave = {
    .schema = &schema, .build = am_halfplane_build, .contact = am_halfplane_contact, .analysis = "slip"};
