#include "study/models/friction_law.h"

#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "laws/law.h"
#include "study/schema.h"

enum { MOST_KEYS = AM_LAW_PARAMETERS + 3 };

static am_status unknown_law(am_reading *reading, const am_node *node, const char *name) {
    const char *known[32];
    size_t count = 0;
    for (; count < 31 && am_speed_law_name(count); count++)
        known[count] = am_speed_law_name(count);
    known[count++] = "iwan";
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
    char own[96];
    size_t count = list_keys(law, keys);
    snprintf(own, sizeof own, "friction law %s", law->name);
    for (size_t i = 0; i < node->count; i++) {
        size_t k = 0;
        const am_node *key = node->entries[i].key;
        while (k < count && !am_node_is_text(key, keys[k]))
            k++;
        if (k == count)
            return am_unknown(reading, key, "key", own, key->text, count, keys);
    }
    return AM_OK;
}

/* What messages call it: "kinetic of friction law stribeck". */
typedef struct whose {
    char name[96];
} whose;

static whose key_of(const char *key, const am_law *law) {
    whose w;
    snprintf(w.name, sizeof w.name, "%s of friction law %s", key, law->name);
    return w;
}

static am_status read_choice(am_reading *reading, const am_node *node, const am_law *law, const am_law_parameter *p,
                             double *place) {
    const char *word = NULL;
    size_t count = 0;
    whose own = key_of(p->name, law);
    AM_TRY(am_read_text(reading, node, own.name, &word));
    for (; p->choices[count]; count++)
        if (strcmp(p->choices[count], word) == 0) {
            *place = (double)count;
            return AM_OK;
        }
    return am_unknown(reading, node, "word", own.name, word, count, p->choices);
}

static am_status read_parameter(am_reading *reading, const am_node *node, const am_law *law, const am_law_parameter *p,
                                double *place) {
    if (p->choices)
        return read_choice(reading, node, law, p, place);
    am_range range = p->any ? AM_RANGE_ANY : p->positive ? AM_RANGE_POSITIVE : AM_RANGE_NOT_NEGATIVE;
    whose own = key_of(p->name, law);
    return am_read_number(reading, node, own.name, range, place);
}

static am_status read_parameters(am_reading *reading, const am_node *node, const am_law *law, am_speed_friction *use) {
    for (size_t i = 0; i < law->parameters; i++) {
        const am_law_parameter *p = &law->parameter[i];
        const am_node *given = am_node_get(node, p->name);
        use->parameter[i] = p->initial;
        if (!given && p->required)
            return am_node_fail(node, reading->err, AM_ERR_INPUT, "friction law %s needs the key '%s': %s", law->name,
                                p->name, p->about);
        if (given)
            AM_TRY(read_parameter(reading, given, law, p, &use->parameter[i]));
    }
    return AM_OK;
}

static am_status read_points(am_reading *reading, const am_node *node, am_speed_friction *use) {
    const am_node *speed = am_node_get(node, "velocity"), *values = am_node_get(node, "values");
    am_numbers x = {0}, y = {0};
    if (!speed || !values)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "friction law table needs the keys 'velocity' and 'values': two lists of one length");
    AM_TRY(am_read_numbers(reading, speed, "friction law table: velocity", AM_RANGE_NOT_NEGATIVE, 0, &x));
    AM_TRY(am_read_numbers(reading, values, "friction law table: values", AM_RANGE_NOT_NEGATIVE, 0, &y));
    if (x.count != y.count)
        return am_node_fail(values, reading->err, AM_ERR_INPUT,
                            "values of friction law table must be as many as velocity: %zu, not %zu", x.count, y.count);
    use->points = x.count;
    use->speed = x.values;
    use->coefficient = y.values;
    return AM_OK;
}

/* ---- Iwan joints ---- */

static const am_word density_words[] = {
    {"segalman", AM_IWAN_SEGALMAN, "R phi^chi up to phi_max, and a share of the stiffness there (four parameters)"},
    {"uniform", AM_IWAN_UNIFORM, "constant about the mean threshold F_S/K_T"},
    {"table", AM_IWAN_TABLE, "the sliders one by one: strength and stiffness"},
    {NULL, 0, NULL}};

static const am_field iwan_fields[] = {
    AM_FIELD("density", WORD, am_iwan, density, .words = density_words, .initial = "segalman",
             .about = "of the sliders over their thresholds phi, the stretch at which one gives way"),
    AM_FIELD("F_S", NUMBER, am_iwan, F_S, AM_POSITIVE, .initial = "required, but for a table",
             .about = "force at which all sliders slip, per unit of normal force", .example = "1"),
    AM_FIELD("K_T", NUMBER, am_iwan, K_T, AM_POSITIVE, .initial = "required, but for a table", .unit = "force/length",
             .about = "tangential stiffness before any slips", .example = "10"),
    AM_FIELD("chi", NUMBER, am_iwan, chi, .initial = "required by segalman",
             .about = "exponent of the density, above -1: the loss of small cycles grows like amplitude^(3 + chi)",
             .example = "-0.5"),
    AM_FIELD("beta", NUMBER, am_iwan, beta, AM_NOT_NEGATIVE, .initial = "required by segalman",
             .about = "stiffness of the sliders that give way together at the end, over that of all others",
             .example = "1"),
    AM_FIELD("width", NUMBER, am_iwan, width, AM_POSITIVE, .initial = "2",
             .about = "uniform: thresholds lie between 1 - width/2 and 1 + width/2 times F_S/K_T; at most 2"),
    AM_FIELD("sliders", COUNT, am_iwan, sliders, .initial = "20", .least = 2, .most = 1000,
             .about = "into how many the density is divided"),
    AM_FIELD("ratio", NUMBER, am_iwan, ratio, AM_POSITIVE, .initial = "1.2",
             .about = "of neighbouring intervals of phi, at least 1: small thresholds are divided more finely"),
    AM_FIELD("strength", LIST, am_iwan, strength, .counted = offsetof(am_iwan, points),
             .initial = "required by a table", .about = "of every slider, per unit of normal force"),
    AM_FIELD("stiffness", LATER, am_iwan, stiffness, .initial = "required by a table", .unit = "force/length",
             .about = "of every slider's spring"),
};

static void iwan_defaults(void *record) {
    *(am_iwan *)record = am_iwan_default();
    ((am_iwan *)record)->density = AM_IWAN_SEGALMAN;
}

bool am_iwan_has(am_iwan_density density, const char *key) {
    static const char *const keys[] = {[AM_IWAN_NONE] = "",
                                       [AM_IWAN_SEGALMAN] = " density F_S K_T chi beta sliders ratio ",
                                       [AM_IWAN_UNIFORM] = " density F_S K_T width sliders ratio ",
                                       [AM_IWAN_TABLE] = " density strength stiffness "};
    const char *found = strstr(keys[density], key);
    size_t length = strlen(key);
    while (found && !(found[-1] == ' ' && found[length] == ' '))
        found = strstr(found + 1, key);
    return found != NULL;
}

static bool may_be_left_out(const char *key) {
    static const char *const keys[] = {"density", "width", "sliders", "ratio"};
    bool may = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        may = may || strcmp(keys[i], key) == 0;
    return may;
}

static am_status iwan_finish(am_reading *reading, const am_node *node, void *record) {
    am_iwan *iwan = record;
    const am_node *stiffness = am_node_get(node, "stiffness");
    for (size_t i = 0; i < sizeof iwan_fields / sizeof *iwan_fields; i++) {
        const char *key = iwan_fields[i].name, *density = density_words[iwan->density - 1].name;
        const am_node *given = am_node_get(node, key);
        if (given && !am_iwan_has(iwan->density, key))
            return am_node_fail(given, reading->err, AM_ERR_INPUT, "%s is not for an Iwan joint with density: %s", key,
                                density);
        if (!given && am_iwan_has(iwan->density, key) && !may_be_left_out(key))
            return am_node_fail(node, reading->err, AM_ERR_INPUT,
                                "friction law iwan with density: %s needs the key '%s': %s", density, key,
                                iwan_fields[i].about);
    }
    if (stiffness) {
        am_numbers values = {0};
        AM_TRY(am_read_numbers(reading, stiffness, "stiffness", AM_RANGE_POSITIVE, 0, &values));
        if (values.count != iwan->points)
            return am_node_fail(stiffness, reading->err, AM_ERR_INPUT,
                                "stiffness must be as many as strength: %zu, not %zu", iwan->points, values.count);
        iwan->stiffness = values.values;
    }
    am_status status = am_iwan_check(iwan, reading->err);
    if (status)
        am_node_locate(node, reading->err);
    return status;
}

const am_schema am_iwan_schema = {.name = "iwan",
                                  .title = "friction law iwan",
                                  .about =
                                      "An Iwan joint: sliders behind springs side by side, with a chosen density of "
                                      "their thresholds. Every analysis that knows a slider behind a spring knows "
                                      "it.",
                                  .size = sizeof(am_iwan),
                                  .defaults = iwan_defaults,
                                  .finish = iwan_finish,
                                  AM_FIELDS(iwan_fields)};

/* The mapping without the key `law`, which chose its rows. */
static am_status read_iwan(am_reading *reading, const am_node *node, am_iwan *iwan) {
    am_node rest = *node;
    rest.count = 0;
    rest.entries = am_arena_new(reading->pool, node->count, sizeof *rest.entries, reading->err);
    if (!rest.entries)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < node->count; i++)
        if (!am_node_is_text(node->entries[i].key, "law"))
            rest.entries[rest.count++] = node->entries[i];
    return am_schema_read(reading, &am_iwan_schema, &rest, iwan);
}

am_status am_friction_read(am_reading *reading, const am_node *node, am_contact_def *def) {
    if (node->kind != AM_NODE_MAP)
        return am_read_number(reading, node, "friction", AM_RANGE_NOT_NEGATIVE, &def->friction);
    const am_node *name = am_node_get(node, "law");
    const char *word = NULL;
    if (!name)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "friction is a coefficient, or a law with the key 'law'");
    AM_TRY(am_read_text(reading, name, "law", &word));
    if (strcmp(word, "iwan") == 0)
        return read_iwan(reading, node, &def->iwan);
    const am_law *law = am_law_named(word);
    if (!law || law->alone)
        return unknown_law(reading, name, word);
    def->speed_friction.law = law->name;
    AM_TRY(check_keys(reading, node, law));
    AM_TRY(read_parameters(reading, node, law, &def->speed_friction));
    return law->table ? read_points(reading, node, &def->speed_friction) : AM_OK;
}
