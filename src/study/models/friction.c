#include "study/models/friction.h"

#include <string.h>

#include "base/try.h"
#include "study/number_table.h"

/* ---- of a contact ---- */

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
    .about = "Friction that falls with the distance slid, from static_friction to friction; it never heals. Known "
             "to path with method: incremental, motion, and what follows motions.",
    .size = sizeof(am_friction),
    .finish = finish,
    AM_FIELDS(fields)};

/* ---- of meshed bodies ---- */

const am_word am_friction_law_words[] = {
    {"coulomb", AM_FRICTION_COULOMB, "f"},
    {"static-kinetic", AM_FRICTION_STATIC_KINETIC, "f_s until slip begins, then f"},
    {"ramp", AM_FRICTION_RAMP, "f_s to f linearly over 2 Delta"},
    {"step", AM_FRICTION_STEP, "f_s to f at Delta"},
    {"exponential", AM_FRICTION_EXPONENTIAL, "f_s to f like exp(-slip/Delta)"},
    {"table", AM_FRICTION_TABLE, "the points of `weakening`"},
    {NULL, 0, NULL}};

static am_status take_table(am_reading *reading, const am_node *node, const am_node *weakening, am_friction *friction) {
    if (am_node_get(node, "f") || am_node_get(node, "f_s") || am_node_get(node, "Delta"))
        return am_node_fail(weakening, reading->err, AM_ERR_INPUT,
                            "`weakening` takes the place of f, f_s and Delta; give one or the other");
    return am_read_friction_points(reading, weakening, "weakening", friction);
}

static am_status choose_law(am_reading *reading, const am_node *node, am_friction *friction) {
    const am_node *law = am_node_get(node, "law"), *fixed = am_node_get(node, "f_s");
    const am_node *distance = am_node_get(node, "Delta"), *table = am_node_get(node, "weakening");
    bool named_table = law && friction->law == AM_FRICTION_TABLE;
    if (table && law && !named_table)
        return am_node_fail(law, reading->err, AM_ERR_INPUT,
                            "friction has a table, `weakening`; its law is `table`, not `%s`",
                            am_friction_law_name(friction->law));
    if (table)
        return take_table(reading, node, table, friction);
    if (named_table)
        return am_node_fail(law, reading->err, AM_ERR_INPUT, "law `table` needs the key 'weakening'");
    if (!law)
        friction->law = !fixed ? AM_FRICTION_COULOMB : distance ? AM_FRICTION_RAMP : AM_FRICTION_STATIC_KINETIC;
    if (!fixed && friction->law != AM_FRICTION_COULOMB)
        return am_node_fail(law, reading->err, AM_ERR_INPUT, "law `%s` needs the static coefficient f_s",
                            am_friction_law_name(friction->law));
    if (fixed && friction->law == AM_FRICTION_COULOMB)
        return am_node_fail(fixed, reading->err, AM_ERR_INPUT, "law `coulomb` has one coefficient, f; f_s has no use");
    if (am_friction_weakens(friction) && !distance)
        return am_node_fail(law, reading->err, AM_ERR_INPUT, "law `%s` needs Delta, the slip over which friction falls",
                            am_friction_law_name(friction->law));
    if (!am_friction_weakens(friction) && distance)
        return am_node_fail(distance, reading->err, AM_ERR_INPUT, "Delta has no use with law `%s`",
                            am_friction_law_name(friction->law));
    return AM_OK;
}

am_status am_friction_finish(am_reading *reading, const am_node *node, am_friction *friction) {
    static const struct {
        const char *field, *key;
    } keys[] = {{"friction.kinetic", "f"},
                {"friction.static", "f_s"},
                {"friction.distance", "Delta"},
                {"friction.points", "weakening"}};
    AM_TRY(choose_law(reading, node, friction));
    am_status status = am_friction_check(friction, reading->err);
    for (size_t i = 0; status && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(reading->err->field, keys[i].field) == 0) {
            memcpy(reading->err->field, keys[i].key, strlen(keys[i].key) + 1);
            break;
        }
    if (status)
        am_node_locate(node, reading->err);
    return status;
}
