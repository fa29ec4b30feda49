#include "study/models/contacts.h"

#include <math.h>

#include "base/try.h"
#include "study/functions.h"
#include "study/models/friction.h"
#include "study/models/friction_law.h"
#include "study/number_table.h"

const am_word am_normal_law_words[] = {
    {"unilateral", AM_UNILATERAL, "gap >= 0 and N >= 0, one of them zero; impacts with `restitution`"},
    {"held", AM_HELD, "the normal force is given by `hold`; the gap plays no part"},
    {"kelvin-voigt", AM_KELVIN_VOIGT,
     "compliant: N = contact_stiffness d + contact_damping d' of the penetration d, where that is positive"},
    {"spring", AM_KELVIN_VOIGT, "compliant: N = contact_stiffness d of the penetration d, where that is positive"},
    {"hunt-crossley", AM_HUNT_CROSSLEY,
     "compliant: N = contact_stiffness d^contact_exponent (1 + 3/2 contact_dissipation d')"},
    {"power", AM_HUNT_CROSSLEY, "compliant: N = contact_stiffness d^contact_exponent (3/2: Hertz)"},
    {NULL, 0, NULL}};

static void contact_defaults(void *record) {
    *(am_contact_def *)record = am_contact_def_default();
}

const char *am_normal_law_word(am_normal_law law) {
    const am_word *word = am_normal_law_words;
    while (word->name && word->value != (int)law)
        word++;
    return word->name ? word->name : "unknown";
}

/* Keys that a law has and others do not: a number that would be ignored is refused. */
static am_status check_law_keys(am_reading *reading, const am_node *node, am_normal_law law) {
    const struct {
        const char *key, *laws;
        bool used;
    } keys[] = {{"contact_stiffness", "spring, kelvin-voigt, hunt-crossley or power",
                 law == AM_KELVIN_VOIGT || law == AM_HUNT_CROSSLEY},
                {"contact_damping", "kelvin-voigt",
                 law == AM_KELVIN_VOIGT && !am_node_is_text(am_node_get(node, "law"), "spring")},
                {"preload", "spring or kelvin-voigt", law == AM_KELVIN_VOIGT},
                {"contact_exponent", "hunt-crossley or power", law == AM_HUNT_CROSSLEY},
                {"contact_dissipation", "hunt-crossley",
                 law == AM_HUNT_CROSSLEY && !am_node_is_text(am_node_get(node, "law"), "power")},
                {"gap", "unilateral, spring, kelvin-voigt, hunt-crossley or power", law != AM_HELD},
                {"restitution", "unilateral", law == AM_UNILATERAL},
                {"restitution_law", "unilateral", law == AM_UNILATERAL},
                {"tangential_restitution", "unilateral", law == AM_UNILATERAL}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const am_node *given = am_node_get(node, keys[i].key);
        if (given && !keys[i].used)
            return am_node_fail(given, reading->err, AM_ERR_INPUT, "%s is only for a contact with law: %s", keys[i].key,
                                keys[i].laws);
    }
    if (keys[0].used && !am_node_get(node, "contact_stiffness"))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact with law: %s needs the key 'contact_stiffness'",
                            am_node_get(node, "law") ? am_node_get(node, "law")->text : am_normal_law_word(law));
    return AM_OK;
}

/* A contact that is pressed by `preload` at q = 0: its spring reaches beyond the surface by that much. */
static am_status read_preload(am_reading *reading, const am_node *node, am_contact_def *contact) {
    const am_node *given = am_node_get(node, "preload"), *gap = am_node_get(node, "gap");
    double preload;
    if (!given)
        return AM_OK;
    if (gap)
        return am_node_fail(gap, reading->err, AM_ERR_INPUT, "a contact has a gap or a preload at q = 0, not both");
    AM_TRY(am_read_number(reading, given, "preload", AM_RANGE_NOT_NEGATIVE, &preload));
    contact->gap = -preload / contact->contact_stiffness;
    return AM_OK;
}

/* Two rows instead of one. */
static am_status read_tangents(am_reading *reading, const am_node *node, am_contact_def *contact) {
    const am_node *given = am_node_get(node, "tangents");
    am_number_table rows = {0};
    if (!given)
        return AM_OK;
    if (contact->tangent)
        return am_node_fail(given, reading->err, AM_ERR_INPUT, "a contact has a tangent or two tangents, not both");
    if (given->kind == AM_NODE_LIST && given->count == 2 && given->items[0]->kind == AM_NODE_MAP) {
        contact->tangent = contact->second_tangent = am_row_by_name; /* filled in with the others */
        return AM_OK;
    }
    AM_TRY(am_read_table(reading, given, "tangents", &rows));
    if (rows.rows != 2)
        return am_node_fail(given, reading->err, AM_ERR_INPUT, "tangents are two rows, not %zu", rows.rows);
    contact->tangent = rows.values;
    contact->second_tangent = rows.values + rows.columns;
    return AM_OK;
}

/* A held contact needs its force, and no other may have one. */
static am_status check_hold(am_reading *reading, const am_node *node, const am_node *hold,
                            const am_contact_def *contact) {
    if (contact->normal_law == AM_HELD && !hold)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact with law: held needs the key 'hold': its normal force as a function of time");
    if (contact->normal_law != AM_HELD && hold)
        return am_node_fail(hold, reading->err, AM_ERR_INPUT, "hold is only for a contact with law: held");
    if (contact->normal_law != AM_HELD && !contact->normal)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact needs the key 'normal', unless its law is held");
    return AM_OK;
}

am_status am_contact_law_finish(am_reading *reading, const am_node *node, am_contact_def *contact) {
    const am_node *hold = am_node_get(node, "hold"), *friction = am_node_get(node, "friction");
    if (friction)
        AM_TRY(am_friction_read(reading, friction, contact));
    if (contact->iwan.density != AM_IWAN_NONE && !contact->normal && !hold && !am_node_get(node, "law")) {
        contact->normal_law = AM_HELD; /* its strengths are forces */
        contact->hold = am_function_constant(1.0);
    } else
        AM_TRY(check_hold(reading, node, hold, contact));
    if (!friction && contact->tangent && contact->weakening.law != AM_FRICTION_TABLE)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact needs the key 'friction': kinetic coefficient of friction");
    AM_TRY(check_law_keys(reading, node, contact->normal_law));
    return read_preload(reading, node, contact);
}

static am_status contact_finish(am_reading *reading, const am_node *node, void *record) {
    AM_TRY(read_tangents(reading, node, record));
    return am_contact_law_finish(reading, node, record);
}

const am_word am_restitution_words[] = {
    {"newton", AM_NEWTON, "of the normal velocities after and before an impact"},
    {"poisson", AM_POISSON, "of the normal impulses while an impact expands and while it compresses"},
    {NULL, 0, NULL}};

static const am_field contact_fields[] = {
    AM_FIELD("name", TEXT, am_contact_def, name, .initial = "its number", .about = "what results call it",
             .example = "plane"),
    AM_FIELD("normal", VECTOR, am_contact_def, normal, .by_name = true,
             .about = "row n: gap = n.q + gap, one number per coordinate, or {\"51.3\": 1}", .example = "[0, 1]"),
    AM_FIELD("tangent", VECTOR, am_contact_def, tangent, .by_name = true, .initial = "none: a stop without friction",
             .about = "row t: sliding velocity = t.q' - surface_velocity", .example = "[1, 0]"),
    AM_FIELD("tangents", LATER, am_contact_def, second_tangent, .initial = "none",
             .about =
                 "instead of tangent: two rows, [[1, 0, 0], [0, 1, 0]]; the contact slips in any direction of their "
                 "plane, with |T| <= mu N on a circle, rigid or behind springs (tangential_stiffness)"),
    AM_CONTACT_LAW_FIELDS};

const am_schema am_contact_schema = {
    .name = "contact",
    .title = "a contact",
    .about = "One point of frictional contact: two rows that pick gap and sliding velocity from the coordinates, a "
             "normal law, and Coulomb friction (static and kinetic coefficients may differ).",
    .size = sizeof(am_contact_def),
    .defaults = contact_defaults,
    .finish = contact_finish,
    AM_FIELDS(contact_fields)};
