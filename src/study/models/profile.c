#include <math.h>

#include "base/try.h"
#include "study/models/halfplane.h"

static void set_defaults(void *record) {
    am_halfplane_setting *setting = record;
    am_halfplane_defaults(setting, AM_SLIP_ROUNDED);
    setting->contact.height = 0.0;
}

static am_status check_table(am_reading *reading, const am_halfplane_setting *setting) {
    const am_numbers *x = &setting->x, *gap = &setting->gap;
    if (!gap->values || gap->count != x->count)
        return am_node_fail(gap->values ? gap->node : x->node, reading->err, AM_ERR_INPUT,
                            "a table of points needs as many gaps as places x: %zu and %zu", gap->count, x->count);
    if (x->count < 3)
        return am_node_fail(x->node, reading->err, AM_ERR_INPUT, "a table needs at least three points, not %zu",
                            x->count);
    for (size_t i = 1; i < x->count; i++)
        if (!(x->values[i] > x->values[i - 1]))
            return am_node_fail(x->node->items[i], reading->err, AM_ERR_INPUT,
                                "the places x of the table must increase, and %g comes after %g", x->values[i],
                                x->values[i - 1]);
    return AM_OK;
}

static am_status choose_shape(am_reading *reading, const am_node *node, am_halfplane_setting *setting) {
    am_slip_contact *contact = &setting->contact;
    const am_node *gap = am_node_get(node, "gap"), *flat = am_node_get(node, "flat"), *R = am_node_get(node, "R");
    if (!setting->x.values && !gap)
        return AM_OK;
    if (!setting->x.values)
        return am_node_fail(gap, reading->err, AM_ERR_INPUT, "a table of points needs the places x of its gaps");
    if (flat || R)
        return am_node_fail(flat ? flat : R, reading->err, AM_ERR_INPUT,
                            "a profile is either a table (x, gap) or a flat with rounded ends (flat, R)");
    contact->shape = AM_SLIP_TABLE;
    contact->count = setting->x.count;
    contact->x = setting->x.values;
    contact->gap = setting->gap.values;
    return check_table(reading, setting);
}

/* Moments turn a body that may turn. */
static am_status check_tilt(am_reading *reading, const am_node *node, const am_halfplane_setting *setting) {
    const am_node *height = am_node_get(node, "h"), *moment = am_node_get(node, "M");
    if (setting->contact.tilts || !(height || moment))
        return AM_OK;
    return am_node_fail(height ? height : moment, reading->err, AM_ERR_INPUT,
                        "%s turns a body that may turn: give tilts: true as well",
                        height ? "Q at a height" : "a moment");
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_halfplane_setting *setting = record;
    AM_TRY(am_halfplane_coefficients(reading, node, setting));
    am_status status = choose_shape(reading, node, setting);
    if (status == AM_OK)
        status = check_tilt(reading, node, setting);
    if (status == AM_OK)
        status = am_halfplane_materials(reading, node, setting);
    return status == AM_OK ? am_halfplane_friction(reading, node, setting, "W") : status;
}

static const am_field fields[] = {
    AM_HALFPLANE("flat", AM_FIELD_NUMBER, contact.half_width, .range = AM_RANGE_POSITIVE, .initial = "1",
                 .unit = "length", .about = "half-width of the flat part of a punch with rounded ends", .example = "1"),
    AM_HALFPLANE("R", AM_FIELD_NUMBER, contact.radius, .range = AM_RANGE_POSITIVE, .initial = "1", .unit = "length",
                 .about = "radius of its ends", .example = "4"),
    AM_HALFPLANE("x", AM_FIELD_NUMBERS, x, .initial = "none", .unit = "length",
                 .about = "places, increasing, of a table of points in the place of flat and R"),
    AM_HALFPLANE("gap", AM_FIELD_NUMBERS, gap, .initial = "none", .unit = "length",
                 .about =
                     "gap before loading at these places; a smooth curve goes through them, nothing touches beyond"),
    AM_HALFPLANE("P", AM_FIELD_NUMBER, contact.P, .initial = "1", .unit = "force/length",
                 .about = "normal load, at x = 0"),
    AM_HALFPLANE("tilts", AM_FIELD_FLAG, contact.tilts, .initial = "false",
                 .about = "the body turns until the moment of the pressure about x = 0 is M + Q h"),
    AM_HALFPLANE("h", AM_FIELD_NUMBER, contact.height, .initial = "0", .unit = "length",
                 .about = "height at which Q acts above the interface, where the body tilts"),
    AM_HALFPLANE("M", AM_FIELD_NUMBER, contact.moment, .initial = "0", .unit = "force",
                 .about = "moment that presses the right side down, where the body tilts"),
    AM_HALFPLANE_MATERIAL_FIELDS,
    AM_HALFPLANE_FRICTION_FIELDS,
};

static const am_schema schema = {
    .name = "profile",
    .title = "model profile",
    .about =
        "Any profile pressed on a half-plane, by boundary elements: a flat with rounded ends, or a table of points. "
        "It turns where tilts says so.",
    .size = sizeof(am_halfplane_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

const am_model_kind am_model_profile = {
    .schema = &schema, .build = am_halfplane_build, .contact = am_halfplane_contact, .analysis = "slip"};
