#include "study/models/contact_rows.h"
#include "base/try.h"

#include <string.h>

#include "study/models.h"
#include "study/number_table.h"

static const am_field fields[] = {
    AM_FIELD("normal", LATER, am_contact_def, name, .required = true,
             .about = "one row n per contact, gap = n.q + gap: rows, or {file: name.mtx} or name.csv",
             .example = "[[1, 0]]"),
    AM_FIELD("tangent", LATER, am_contact_def, name, .required = true,
             .about = "one row t per contact, sliding velocity = t.q' - surface_velocity", .example = "[[0, 1]]"),
    AM_FIELD("friction", LATER, am_contact_def, name, .required = true,
             .about = "coefficient of friction: a number, or one per contact", .example = "0.4"),
    AM_FIELD("static_friction", LATER, am_contact_def, name, .initial = "equal to friction",
             .about = "coefficient that holds while sticking: a number, or one per contact"),
    AM_FIELD("weakening", RECORD, am_contact_def, weakening, .inner = &am_weakening_schema, .initial = "none",
             .about = "of all of them, as in a single contact"),
    AM_FIELD("surface_velocity", LATER, am_contact_def, name, .initial = "1", .unit = "length/time",
             .about = "of the other side: a number, or one per contact"),
    AM_FIELD("preload", LATER, am_contact_def, name, .initial = "1", .unit = "force",
             .about = "force that presses each contact on: a number, or one per contact"),
    AM_FIELD("gap", LATER, am_contact_def, name, .initial = "0", .unit = "length",
             .about = "gap at q = 0: a number, or one per contact"),
    AM_FIELD("law", WORD, am_contact_def, normal_law, .words = am_normal_law_words, .initial = "unilateral",
             .about = "normal law of all of them"),
    AM_FIELD("contact_stiffness", LATER, am_contact_def, name, .initial = "required by the compliant laws",
             .unit = "force/length", .about = "compliant laws: a number, or one per contact"),
    AM_FIELD("contact_damping", LATER, am_contact_def, name, .initial = "0", .unit = "force x time/length",
             .about = "law kelvin-voigt: a number, or one per contact"),
    AM_FIELD("contact_exponent", NUMBER, am_contact_def, contact_exponent, AM_POSITIVE, .initial = "1",
             .about = "law hunt-crossley: at least 1"),
    AM_FIELD("contact_dissipation", NUMBER, am_contact_def, contact_dissipation, AM_NOT_NEGATIVE, .initial = "0",
             .about = "law hunt-crossley: alpha of 1 + 3/2 alpha d'"),
    AM_FIELD("regularisation", NUMBER, am_contact_def, regularisation, AM_NOT_NEGATIVE, .initial = "0",
             .unit = "length/time", .about = "of friction, as in a single contact"),
};

static void set_defaults(void *record) {
    *(am_contact_def *)record = am_contact_def_default();
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_normal_law law = ((const am_contact_def *)record)->normal_law;
    if (law == AM_HELD)
        return am_node_fail(am_node_get(node, "law"), reading->err, AM_ERR_INPUT,
                            "contact_rows cannot have the law held: list such contacts one by one");
    if ((law == AM_KELVIN_VOIGT || law == AM_HUNT_CROSSLEY) && !am_node_get(node, "contact_stiffness"))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "the law %s needs the key 'contact_stiffness'",
                            am_normal_law_word(law));
    return AM_OK;
}

const am_schema am_contact_rows_schema = {
    .name = "contact_rows",
    .title = "contact_rows",
    .about = "Many contacts at once, of one law, from two tables with a row per contact.",
    .size = sizeof(am_contact_def),
    .defaults = set_defaults,
    .finish = finish,
    AM_FIELDS(fields)};

static am_status read_rows(am_reading *reading, const am_node *node, const char *name, size_t n,
                           am_number_table *table) {
    const am_node *at = am_node_get(node, name);
    AM_TRY(am_read_table(reading, at, name, table));
    if (table->columns == n)
        return AM_OK;
    return am_node_fail(at, reading->err, AM_ERR_INPUT,
                        "%s must have one row per contact with one number per coordinate: %zu columns, not %zu%s", name,
                        n, table->columns, table->rows == n ? " (is it transposed?)" : "");
}

/* What is one number for all contacts, or one for each. */
static am_status read_each(am_reading *reading, const am_node *node, size_t m, am_contact_def *contacts,
                           const double **preload) {
    static const struct {
        const char *name;
        am_range range;
        double initial;
        size_t offset;
    } wanted[] = {{"friction", AM_RANGE_NOT_NEGATIVE, 0.0, offsetof(am_contact_def, friction)},
                  {"static_friction", AM_RANGE_NOT_NEGATIVE, 0.0, offsetof(am_contact_def, static_friction)},
                  {"surface_velocity", AM_RANGE_ANY, 1.0, offsetof(am_contact_def, surface_velocity)},
                  {"gap", AM_RANGE_ANY, 0.0, offsetof(am_contact_def, gap)},
                  {"contact_stiffness", AM_RANGE_POSITIVE, 0.0, offsetof(am_contact_def, contact_stiffness)},
                  {"contact_damping", AM_RANGE_NOT_NEGATIVE, 0.0, offsetof(am_contact_def, contact_damping)}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const double *each;
        AM_TRY(am_read_each(reading, am_node_get(node, wanted[i].name), wanted[i].name, "contact", wanted[i].range,
                            wanted[i].initial, m, &each));
        for (size_t c = 0; c < m; c++)
            memcpy((char *)&contacts[c] + wanted[i].offset, &each[c], sizeof each[c]);
    }
    return am_read_each(reading, am_node_get(node, "preload"), "preload", "contact", AM_RANGE_NOT_NEGATIVE, 1.0, m,
                        preload);
}

am_status am_contact_rows_read(am_reading *reading, const am_node *node, const am_contact_def *common, size_t n,
                               const am_contact_def **contacts, size_t *count, double *press) {
    am_number_table normal = {0}, tangent = {0};
    const double *preload = NULL;
    AM_TRY(read_rows(reading, node, "normal", n, &normal));
    AM_TRY(read_rows(reading, node, "tangent", n, &tangent));
    if (normal.rows != tangent.rows)
        return am_node_fail(am_node_get(node, "tangent"), reading->err, AM_ERR_INPUT,
                            "tangent has %zu rows, one per contact, where normal has %zu", tangent.rows, normal.rows);
    am_contact_def *all = am_arena_new(reading->pool, *count + normal.rows, sizeof *all, reading->err);
    if (!all)
        return AM_ERR_MEMORY;
    if (*count > 0)
        memcpy(all, *contacts, *count * sizeof *all);
    am_contact_def *own = all + *count;
    for (size_t c = 0; c < normal.rows; c++) {
        own[c] = *common;
        own[c].normal = normal.values + c * n;
        own[c].tangent = tangent.values + c * n;
    }
    AM_TRY(read_each(reading, node, normal.rows, own, &preload));
    for (size_t c = 0; c < normal.rows; c++)
        for (size_t i = 0; i < n; i++)
            press[i] -= own[c].normal[i] * preload[c];
    *contacts = all;
    *count += normal.rows;
    return AM_OK;
}

am_status am_contact_rows_press(am_reading *reading, const double *press, size_t n, const am_load_def **loads,
                                size_t *count) {
    am_load_def *all = am_arena_new(reading->pool, *count + 1, sizeof *all, reading->err);
    if (!all)
        return AM_ERR_MEMORY;
    if (*count > 0)
        memcpy(all, *loads, *count * sizeof *all);
    *loads = all;
    for (size_t i = 0; i < n; i++)
        if (press[i] != 0.0) {
            all[(*count)++] = (am_load_def){press, am_function_constant(1.0)};
            break;
        }
    return AM_OK;
}
