#include "study/models/contact_rows.h"
#include "base/try.h"

#include <string.h>

#include "study/models.h"
#include "study/table.h"

static const am_field fields[] = {
    AM_FIELD("normal", NODE, am_contact_rows_setting, normal, .required = true,
             .about = "one row n per contact, gap = n.q + gap: rows, or {file: name.mtx} or name.csv",
             .example = "[[1, 0]]"),
    AM_FIELD("tangent", NODE, am_contact_rows_setting, tangent, .required = true,
             .about = "one row t per contact, sliding velocity = t.q' - surface_velocity", .example = "[[0, 1]]"),
    AM_FIELD("friction", NODE, am_contact_rows_setting, friction, .required = true,
             .about = "coefficient of friction: a number, or one per contact", .example = "0.4"),
    AM_FIELD("static_friction", NODE, am_contact_rows_setting, static_friction, .initial = "equal to friction",
             .about = "coefficient that holds while sticking: a number, or one per contact"),
    AM_FIELD("weakening", RECORD, am_contact_rows_setting, weakening, .inner = &am_weakening_schema, .initial = "none",
             .about = "of all of them, as in a single contact"),
    AM_FIELD("surface_velocity", NODE, am_contact_rows_setting, surface_velocity, .initial = "1", .unit = "length/time",
             .about = "of the other side: a number, or one per contact"),
    AM_FIELD("preload", NODE, am_contact_rows_setting, preload, .initial = "1", .unit = "force",
             .about = "force that presses each contact on: a number, or one per contact"),
    AM_FIELD("gap", NODE, am_contact_rows_setting, gap, .initial = "0", .unit = "length",
             .about = "gap at q = 0: a number, or one per contact"),
    AM_FIELD("law", WORD, am_contact_rows_setting, law, .words = am_normal_law_words, .initial = "unilateral",
             .about = "normal law of all of them"),
    AM_FIELD("contact_stiffness", NODE, am_contact_rows_setting, contact_stiffness,
             .initial = "required by the compliant laws", .unit = "force/length",
             .about = "compliant laws: a number, or one per contact"),
    AM_FIELD("contact_damping", NODE, am_contact_rows_setting, contact_damping, .initial = "0",
             .unit = "force x time/length", .about = "law kelvin-voigt: a number, or one per contact"),
    AM_FIELD("contact_exponent", NUMBER, am_contact_rows_setting, contact_exponent, .range = AM_RANGE_POSITIVE,
             .initial = "1", .about = "law hunt-crossley: at least 1"),
    AM_FIELD("contact_dissipation", NUMBER, am_contact_rows_setting, contact_dissipation,
             .range = AM_RANGE_NOT_NEGATIVE, .initial = "0", .about = "law hunt-crossley: alpha of 1 + 3/2 alpha d'"),
    AM_FIELD("regularisation", NUMBER, am_contact_rows_setting, regularisation, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "0", .unit = "length/time", .about = "of friction, as in a single contact"),
};

static void set_defaults(void *record) {
    am_contact_rows_setting *setting = record;
    setting->contact_exponent = am_contact_def_default().contact_exponent;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    const am_contact_rows_setting *setting = record;
    bool compliant = setting->law == AM_KELVIN_VOIGT || setting->law == AM_HUNT_CROSSLEY;
    if (setting->law == AM_HELD)
        return am_node_fail(am_node_get(node, "law"), reading->err, AM_ERR_INPUT,
                            "contact_rows cannot have the law held: list such contacts one by one");
    if (compliant && !setting->contact_stiffness)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "the law %s needs the key 'contact_stiffness'",
                            am_normal_law_word((am_normal_law)setting->law));
    return AM_OK;
}

const am_schema am_contact_rows_schema = {
    .name = "contact_rows",
    .title = "contact_rows",
    .about = "Many contacts at once, of one law, from two tables with a row per contact.",
    .size = sizeof(am_contact_rows_setting),
    .defaults = set_defaults,
    .finish = finish,
    AM_FIELDS(fields)};

/* What is one number for all contacts, or one for each. */
typedef struct each {
    const double *friction, *fixed, *velocity, *gap, *preload, *stiffness, *damping;
} each;

static am_status read_each(am_reading *reading, const am_contact_rows_setting *s, size_t m, each *e) {
    const struct {
        const am_node *node;
        const char *name;
        am_range range;
        double initial;
        const double **values;
    } wanted[] = {{s->friction, "friction", AM_RANGE_NOT_NEGATIVE, 0.0, &e->friction},
                  {s->static_friction, "static_friction", AM_RANGE_NOT_NEGATIVE, 0.0, &e->fixed},
                  {s->surface_velocity, "surface_velocity", AM_RANGE_ANY, 1.0, &e->velocity},
                  {s->gap, "gap", AM_RANGE_ANY, 0.0, &e->gap},
                  {s->preload, "preload", AM_RANGE_NOT_NEGATIVE, 1.0, &e->preload},
                  {s->contact_stiffness, "contact_stiffness", AM_RANGE_POSITIVE, 0.0, &e->stiffness},
                  {s->contact_damping, "contact_damping", AM_RANGE_NOT_NEGATIVE, 0.0, &e->damping}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        AM_TRY(am_read_each(reading, wanted[i].node, wanted[i].name, "contact", wanted[i].range, wanted[i].initial, m,
                            wanted[i].values));
    return AM_OK;
}

static am_status read_rows(am_reading *reading, const am_node *node, const char *name, size_t n,
                           am_number_table *table) {
    am_status status = am_read_table(reading, node, name, table);
    if (status != AM_OK || table->columns == n)
        return status;
    return am_node_fail(node, reading->err, AM_ERR_INPUT,
                        "%s must have one row per contact with one number per coordinate: %zu columns, not %zu%s", name,
                        n, table->columns, table->rows == n ? " (is it transposed?)" : "");
}

am_status am_contact_rows_read(am_reading *reading, const am_contact_rows_setting *setting, size_t n,
                               const am_contact_def **contacts, size_t *count, double *press) {
    am_number_table normal = {0}, tangent = {0};
    each e = {0};
    am_status status = read_rows(reading, setting->normal, "normal", n, &normal);
    if (status == AM_OK)
        status = read_rows(reading, setting->tangent, "tangent", n, &tangent);
    if (status == AM_OK && normal.rows != tangent.rows)
        status = am_node_fail(setting->tangent, reading->err, AM_ERR_INPUT,
                              "tangent has %zu rows, one per contact, where normal has %zu", tangent.rows, normal.rows);
    if (status == AM_OK)
        status = read_each(reading, setting, normal.rows, &e);
    if (status != AM_OK)
        return status;
    am_contact_def *all = am_arena_new(reading->pool, *count + normal.rows, sizeof *all, reading->err);
    if (!all)
        return AM_ERR_MEMORY;
    if (*count > 0)
        memcpy(all, *contacts, *count * sizeof *all);
    for (size_t c = 0; c < normal.rows; c++) {
        am_contact_def *contact = &all[*count + c];
        *contact = am_contact_def_default();
        contact->normal = normal.values + c * n;
        contact->tangent = tangent.values + c * n;
        contact->gap = e.gap[c];
        contact->surface_velocity = e.velocity[c];
        contact->friction = e.friction[c];
        contact->static_friction = e.fixed[c];
        contact->weakening = setting->weakening.friction;
        contact->normal_law = (am_normal_law)setting->law;
        contact->contact_stiffness = e.stiffness[c];
        contact->contact_damping = e.damping[c];
        contact->contact_exponent = setting->contact_exponent;
        contact->contact_dissipation = setting->contact_dissipation;
        contact->regularisation = setting->regularisation;
        for (size_t i = 0; i < n; i++)
            press[i] -= contact->normal[i] * e.preload[c];
    }
    *contacts = all;
    *count += normal.rows;
    return AM_OK;
}
