#include "study/models/friction_law.h"

#include <string.h>

#include "base/try.h"
#include "laws/law.h"
#include "study/schema.h"

enum { MOST_KEYS = AM_LAW_PARAMETERS + 3 };

static am_status unknown_law(am_reading *reading, const am_node *node, const char *name) {
    const char *known[32];
    size_t count = 0;
    for (; count < 32 && am_speed_law_name(count); count++)
        known[count] = am_speed_law_name(count);
    return am_unknown(reading, node, "law", "friction", name, count, known);
}

/* The keys of a law. */
static size_t list_keys(const am_law *law, const char **keys) {
    size_t count = 0;
    keys[count++] = "law";
    for (size_t i = 0; i < law->parameters; i++)
        keys[count++] = law->parameter[i].name;
    if (law->table) {
        keys[count++] = "velocity";
        keys[count++] = "values";
    }
    return count;
}

static am_status check_keys(am_reading *reading, const am_node *node, const am_law *law) {
    const char *keys[MOST_KEYS];
    size_t count = list_keys(law, keys);
    for (size_t i = 0; i < node->count; i++) {
        size_t k = 0;
        const am_node *key = node->entries[i].key;
        while (k < count && !am_node_is_text(key, keys[k]))
            k++;
        if (k == count)
            return am_unknown(reading, key, "key", "the friction of a contact", key->text, count, keys);
    }
    return AM_OK;
}

static am_status read_choice(am_reading *reading, const am_node *node, const am_law_parameter *p, double *place) {
    const char *word = NULL;
    size_t count = 0;
    AM_TRY(am_read_text(reading, node, p->name, &word));
    for (; p->choices[count]; count++)
        if (strcmp(p->choices[count], word) == 0) {
            *place = (double)count;
            return AM_OK;
        }
    return am_unknown(reading, node, "word", p->name, word, count, p->choices);
}

static am_status read_parameters(am_reading *reading, const am_node *node, const am_law *law, am_speed_friction *use) {
    for (size_t i = 0; i < law->parameters; i++) {
        const am_law_parameter *p = &law->parameter[i];
        const am_node *given = am_node_get(node, p->name);
        use->parameter[i] = p->initial;
        if (!given && p->required)
            return am_node_fail(node, reading->err, AM_ERR_INPUT, "friction law %s needs the key '%s': %s", law->name,
                                p->name, p->about);
        if (given && p->choices)
            AM_TRY(read_choice(reading, given, p, &use->parameter[i]));
        else if (given)
            AM_TRY(am_read_number(reading, given, p->name,
                                  p->any        ? AM_RANGE_ANY
                                  : p->positive ? AM_RANGE_POSITIVE
                                                : AM_RANGE_NOT_NEGATIVE,
                                  &use->parameter[i]));
    }
    return AM_OK;
}

static am_status read_points(am_reading *reading, const am_node *node, am_speed_friction *use) {
    const am_node *speed = am_node_get(node, "velocity"), *values = am_node_get(node, "values");
    am_numbers x = {0}, y = {0};
    if (!speed || !values)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "friction law table needs the keys 'velocity' and 'values': two lists of one length");
    AM_TRY(am_read_numbers(reading, speed, "velocity", AM_RANGE_NOT_NEGATIVE, 0, &x));
    AM_TRY(am_read_numbers(reading, values, "values", AM_RANGE_NOT_NEGATIVE, 0, &y));
    if (x.count != y.count)
        return am_node_fail(values, reading->err, AM_ERR_INPUT, "values must be as many as velocity: %zu, not %zu",
                            x.count, y.count);
    use->points = x.count;
    use->speed = x.values;
    use->coefficient = y.values;
    return AM_OK;
}

am_status am_friction_read(am_reading *reading, const am_node *node, am_contact_def *def) {
    if (node->kind != AM_NODE_MAP)
        return am_read_number(reading, node, "friction", AM_RANGE_NOT_NEGATIVE, &def->friction);
    const am_node *name = am_node_get(node, "law");
    const char *word = NULL;
    if (!name)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "friction is a coefficient, or a law with the key 'law'");
    AM_TRY(am_read_text(reading, name, "law", &word));
    const am_law *law = am_law_named(word);
    if (!law)
        return unknown_law(reading, name, word);
    def->speed_friction.law = law->name;
    AM_TRY(check_keys(reading, node, law));
    AM_TRY(read_parameters(reading, node, law, &def->speed_friction));
    return law->table ? read_points(reading, node, &def->speed_friction) : AM_OK;
}
