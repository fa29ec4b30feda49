#include <math.h>

#include "base/try.h"
#include "math/pi.h"
#include "study/models/halfplane.h"

static void set_defaults(void *record) {
    am_halfplane_setting *setting = record;
    am_halfplane_defaults(setting, AM_SLIP_PUNCH);
    setting->alpha = 1.0;
}

static am_status find_height(am_reading *reading, const am_node *node, am_halfplane_setting *setting) {
    am_slip_contact *contact = &setting->contact;
    am_status status = am_halfplane_either(reading, node, "h", "alpha");
    if (!am_node_get(node, "h"))
        contact->height = contact->half_width / (2.0 * contact->f * setting->alpha);
    return status;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_halfplane_setting *setting = record;
    am_slip_contact *contact = &setting->contact;
    AM_TRY(am_halfplane_coefficients(reading, node, setting));
    if (!(contact->f > 0.0))
        return am_node_fail(am_node_get(node, "f"), reading->err, AM_ERR_INPUT,
                            "partial slip needs a positive coefficient of friction; it is %g", contact->f);
    am_status status = am_halfplane_materials(reading, node, setting);
    if (status == AM_OK)
        status = find_height(reading, node, setting);
    if (status == AM_OK)
        status = am_halfplane_friction(reading, node, setting, "W_tilde");
    if (status == AM_OK && am_node_get(node, "W_tilde")) /* W~ = sqrt(pi E* W a)/(f P) */
        contact->energy =
            pow(setting->W_tilde * contact->f * contact->P, 2.0) / (pi * contact->modulus * contact->half_width);
    return status;
}

static const am_field fields[] = {
    AM_HALFPLANE("alpha", AM_FIELD_NUMBER, alpha, .range = AM_RANGE_POSITIVE, .initial = "1",
                 .about = "a/(2 f h): below 1 the trailing corner lifts off, below 1/2 the punch tips over",
                 .example = "2"),
    AM_HALFPLANE("h", AM_FIELD_NUMBER, contact.height, .range = AM_RANGE_POSITIVE, .initial = "that of alpha",
                 .unit = "length", .about = "height at which Q acts above the interface, in the place of alpha"),
    AM_HALFPLANE("P", AM_FIELD_NUMBER, contact.P, .initial = "1", .unit = "force/length",
                 .about = "normal load, at the middle"),
    AM_HALFPLANE("a", AM_FIELD_NUMBER, contact.half_width, .range = AM_RANGE_POSITIVE, .initial = "1", .unit = "length",
                 .about = "half-width of the punch"),
    AM_HALFPLANE_MATERIAL_FIELDS,
    AM_HALFPLANE_FRICTION_FIELDS,
    AM_HALFPLANE("W_tilde", AM_FIELD_NUMBER, W_tilde, .range = AM_RANGE_NOT_NEGATIVE, .initial = "none",
                 .about = "sqrt(pi E* W a)/(f P), in the place of W"),
};

static const am_schema schema = {
    .name = "punch",
    .title = "model punch",
    .about = "A rigid flat punch on a half-plane, pressed by P at its middle and pushed by Q above the interface "
             "(Papangelo 2017, section 3.1 and Appendix A). As a structure, for other analyses, it does not turn.",
    .size = sizeof(am_halfplane_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

const am_model_kind am_model_punch = {.schema = &schema,
                                      .build = am_halfplane_build,
                                      .contact = am_halfplane_contact,
                                      .analysis = "slip",
                                      .figure = "{table: tractions, curves: [{x: x_over_a, y: p_over_pm, label: p}, "
                                                "{x: x_over_a, y: q_over_fpm, label: q/f}], x_label: x/a, y_label: "
                                                "over the mean pressure, y_range: [0, 4]}"};
