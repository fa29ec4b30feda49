#include "study/models.h"

#include <stdint.h>
#include <string.h>

#include "imports/labels.h"

#define ADDRESS(name) &am_model_##name,
const am_model_kind *const am_model_kinds[] = {AM_MODELS(ADDRESS) NULL};
#undef ADDRESS

static const am_node *kind_node(am_reading *reading, const am_node *node, const char *what) {
    if (node->kind != AM_NODE_MAP) {
        am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a mapping (key: value), not %s", what,
                     am_node_kind_name(node));
        return NULL;
    }
    const am_node *kind = am_node_get(node, "kind");
    if (!kind) {
        am_node_fail(node, reading->err, AM_ERR_INPUT, "%s needs the key 'kind'; `amontons list` shows the kinds",
                     what);
        return NULL;
    }
    if (kind->kind != AM_NODE_SCALAR) {
        am_node_fail(kind, reading->err, AM_ERR_INPUT, "kind must be a name, not %s", am_node_kind_name(kind));
        return NULL;
    }
    return kind;
}

size_t am_kind_find(am_reading *reading, const am_node *node, const char *what, const char *unknown,
                    const am_schema *(*schema_of)(size_t index)) {
    const am_node *kind = kind_node(reading, node, what);
    const char *names[64] = {NULL};
    size_t count = 0;
    for (const am_schema *schema; kind && (schema = schema_of(count)); count++) {
        names[count] = schema->name;
        if (strcmp(names[count], kind->text) == 0)
            return count;
    }
    if (kind)
        am_unknown(reading, kind, unknown, "", kind->text, count, names);
    return SIZE_MAX;
}

static const am_schema *schema_of(size_t index) {
    return am_model_kinds[index] ? am_model_kinds[index]->schema : NULL;
}

const am_model_kind *am_model_kind_find(am_reading *reading, const am_node *node) {
    size_t index = am_kind_find(reading, node, "model", "model", schema_of);
    return index < SIZE_MAX ? am_model_kinds[index] : NULL;
}

am_system *am_study_model_build(am_reading *reading, const am_node *node, const am_study_model *model) {
    if (model->kind->build)
        return model->kind->build(reading, node, model->settings);
    am_system *system = model->kind->create(model->settings, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

am_system *am_study_model_read(am_reading *reading, const am_node *node, am_study_model *model) {
    const am_model_kind *kind = am_model_kind_find(reading, node);
    if (!kind)
        return NULL;
    void *settings = am_arena_new(reading->pool, 1, kind->schema->size, reading->err);
    reading->model = node;
    if (!settings || am_schema_read(reading, kind->schema, node, settings) != AM_OK)
        return NULL;
    *model = (am_study_model){kind, settings};
    return am_study_model_build(reading, node, model);
}

/* Names become columns of tables and keys of studies: letters, digits and underscores, each once. */
am_status am_coordinate_names_check(am_reading *reading, const am_texts *names, const char *what, size_t n) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    if (names->count != n)
        return am_node_fail(names->node, reading->err, AM_ERR_INPUT, "names must have one text per %s: %zu, not %zu",
                            what, n, names->count);
    for (size_t i = 0; i < n; i++) {
        const am_node *at = names->node->kind == AM_NODE_LIST ? names->node->items[i] : names->node;
        const char *name = names->values[i];
        am_label label;
        char words[AM_LABEL_SIZE];
        bool labelled = am_label_parse(name, &label) && label.direction > 0 &&
                        strcmp(am_label_words(label, words), name) == 0; /* 51.3 */
        if (!labelled && (!*name || name[strspn(name, allowed)] || strchr("0123456789", name[0])))
            return am_node_fail(
                at, reading->err, AM_ERR_INPUT,
                "'%.60s' cannot name a %s; expected letters, digits and underscores, or node and direction "
                "such as 51.3",
                name, what);
        for (size_t j = 0; j < i; j++)
            if (strcmp(names->values[j], name) == 0)
                return am_node_fail(at, reading->err, AM_ERR_INPUT, "two %ss are both called '%s'", what, name);
    }
    return AM_OK;
}
