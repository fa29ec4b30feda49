/* Reading a case: its model, then its analyses. */
#include <string.h>

#include "base/try.h"
#include "study/refine_modes.h"

static void release_system(void *system) {
    am_system_free(system);
}

static am_status check_name(am_reading *reading, const am_node *key) {
    if (*key->text && !strpbrk(key->text, ".[]/ \t"))
        return AM_OK;
    return am_node_fail(key, reading->err, AM_ERR_INPUT,
                        "'%s' cannot name an analysis; expected letters, digits and underscores", key->text);
}

/* By names, and what the model knows besides. */
static am_status read_coordinates(am_reading *reading, am_case *made) {
    size_t n = am_system_size(made->system);
    const char **names = am_arena_new(reading->pool, n, sizeof *names, reading->err);
    for (size_t i = 0; names && i < n; i++)
        names[i] = am_system_name(made->system, i);
    made->coordinates = (am_coordinates){.n = n, .names = names};
    if (made->model.kind->coordinates)
        made->model.kind->coordinates(made->model.settings, &made->coordinates);
    return names ? AM_OK : AM_ERR_MEMORY;
}

static am_status read_analyses(am_reading *reading, const am_node *root, const am_node *also, am_case *made) {
    size_t more = also ? also->count : 0;
    AM_TRY(read_coordinates(reading, made));
    made->analyses = am_arena_new(reading->pool, 1 + more, sizeof *made->analyses, reading->err);
    if (!made->analyses)
        return AM_ERR_MEMORY;
    made->count = 1 + more;
    made->analyses[0].name = "";
    am_status status = am_analysis_read(reading, am_node_get(root, "analysis"), made, &made->analyses[0]);
    for (size_t i = 0; status == AM_OK && i < more; i++) {
        made->analyses[1 + i].name = also->entries[i].key->text;
        status = check_name(reading, also->entries[i].key);
        if (status == AM_OK)
            status = am_analysis_read(reading, also->entries[i].value, made, &made->analyses[1 + i]);
    }
    return status == AM_OK ? am_refine_check(reading, made) : status;
}

const am_node *am_case_model(am_reading *reading, const am_node *root) {
    am_node *model = am_node_get(root, "model");
    const am_node *analysis = am_node_get(root, "analysis"), *name = am_node_get(analysis, "threshold");
    const am_node *from = am_node_get(analysis, "from");
    if (!name || name->kind != AM_NODE_SCALAR || model->kind != AM_NODE_MAP)
        return model;
    const char *key = strncmp(name->text, "model.", 6) == 0 ? name->text + 6 : name->text;
    const am_model_kind *kind = am_model_kind_find(reading, model);
    const am_field *field = kind ? am_schema_field(kind->schema, key) : NULL;
    if (!kind || !field || !field->required || am_node_get(model, key))
        return kind ? model : NULL;
    am_node *copy = am_node_copy(reading->pool, model, reading->err);
    am_node *value = from ? am_node_copy(reading->pool, from, reading->err)
                          : am_node_of_number(reading->pool, 0.0, name, reading->err);
    if (!copy || !value)
        return NULL;
    return am_node_set(reading->pool, copy, key, value, reading->err) == AM_OK ? copy : NULL;
}

am_status am_case_read(am_reading *reading, const am_node *root, am_case *made) {
    const am_node *also = am_node_get(root, "also");
    *made = (am_case){.root = root, .files = reading->files};
    if (also && also->kind != AM_NODE_MAP)
        return am_node_fail(also, reading->err, AM_ERR_INPUT, "also must be a mapping of names to analyses, not %s",
                            am_node_kind_name(also));
    const am_node *model = am_case_model(reading, root);
    am_system *system = model ? am_study_model_read(reading, model, &made->model) : NULL;
    if (!system)
        return reading->err->status;
    made->model_node = model;
    made->system = system;
    am_status status = am_arena_own(reading->pool, system, release_system, reading->err);
    return status == AM_OK ? read_analyses(reading, root, also, made) : status;
}

am_status am_case_read_with(am_reading *reading, const am_node *root, const am_study_model *model,
                            const am_system *system, am_case *made) {
    *made = (am_case){.root = root, .files = reading->files, .system = system, .model = *model};
    return read_analyses(reading, root, am_node_get(root, "also"), made);
}

bool am_case_is_preloaded(const am_case *made) {
    const am_node *model = made->model_node ? made->model_node : am_node_get(made->root, "model");
    return model && am_node_get(model, "preload") && strcmp(made->model.kind->schema->name, "structure") == 0;
}
