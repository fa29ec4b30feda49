#include "study/models/solid_friction.h"
#include "base/try.h"

#include <string.h>

#include "study/models/contact_weakening.h"

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
