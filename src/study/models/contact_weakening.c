#include "study/models/contact_weakening.h"
#include "base/try.h"

#include "study/table.h"

const am_word am_weakening_law_words[] = {
    {"ramp", AM_FRICTION_RAMP, "falls linearly over a slip of 2 length"},
    {"step", AM_FRICTION_STEP, "falls at a slip of length (in a line from 3/4 to 5/4 of it)"},
    {"exponential", AM_FRICTION_EXPONENTIAL, "friction + (static_friction - friction) exp(-slip/length)"},
    {"table", AM_FRICTION_TABLE, "linear between points, constant beyond the last"},
    {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("law", WORD, am_friction, law, .words = am_weakening_law_words, .required = true,
             .about = "how the coefficient depends on the distance slid", .example = "ramp"),
    AM_FIELD("length", NUMBER, am_friction, distance, AM_POSITIVE, .initial = "required, but for a table",
             .unit = "length",
             .about = "area between the curve and `friction`, divided by static_friction - friction: Delta of eq. "
                      "(4.11)",
             .example = "0.01"),
    AM_FIELD("points", LATER, am_friction, slip, .initial = "required by a table",
             .about = "law table: [[slip, coefficient], ...], slip increasing from 0; or {file: name.csv}"),
};

am_status am_read_friction_points(am_reading *reading, const am_node *node, const char *name, am_friction *friction) {
    am_number_table table = {0};
    AM_TRY(am_read_table(reading, node, name, &table));
    if (table.columns != 2)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "%s is a table of two columns, slip and coefficient of friction, not of %zu", name,
                            table.columns);
    double *values = am_arena_new(reading->pool, 2 * table.rows, sizeof *values, reading->err);
    if (!values)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < table.rows; i++) {
        values[i] = table.values[2 * i];
        values[table.rows + i] = table.values[2 * i + 1];
    }
    friction->law = AM_FRICTION_TABLE;
    friction->count = table.rows;
    friction->slip = values;
    friction->coefficient = values + table.rows;
    return AM_OK;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_friction *friction = record;
    bool table = friction->law == AM_FRICTION_TABLE;
    const am_node *length = am_node_get(node, "length"), *points = am_node_get(node, "points");
    if (table && length)
        return am_node_fail(length, reading->err, AM_ERR_INPUT, "length is not for law: table, whose points say all");
    if (!table && points)
        return am_node_fail(points, reading->err, AM_ERR_INPUT, "points are for law: table only");
    if (table ? !points : !length)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "weakening with law: %s needs the key '%s'",
                            am_friction_law_name(friction->law), table ? "points" : "length");
    return table ? am_read_friction_points(reading, points, "points", friction) : AM_OK;
}

const am_schema am_weakening_schema = {
    .name = "weakening",
    .title = "weakening",
    .about = "Friction that falls with the distance slid, from static_friction to friction; it never heals. Analysis "
             "path with method: incremental knows it.",
    .size = sizeof(am_friction),
    .finish = finish,
    AM_FIELDS(fields)};
