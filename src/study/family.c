#include "study/family.h"

#include <math.h>
#include <string.h>

am_status am_model_family_open(am_model_family *family, const am_node *root, const am_files *files, size_t count,
                               const char *const *paths, const am_node *const *at, am_error *err) {
    *family = (am_model_family){.files = files, .count = count};
    for (size_t i = 0; i < count; i++)
        family->paths[i] = paths[i];
    family->pool = am_arena_create(err);
    family->settings = am_arena_create(err);
    if (!family->pool || !family->settings)
        return AM_ERR_MEMORY;
    /* Only the model is needed, but paths begin at the root. */
    const am_node *model = am_node_get(root, "model");
    am_node *key = am_node_new(family->pool, AM_NODE_SCALAR, model, err);
    am_node *copy = key ? am_node_copy(family->pool, model, err) : NULL;
    family->root = copy ? am_node_new(family->pool, AM_NODE_MAP, root, err) : NULL;
    if (!family->root)
        return AM_ERR_MEMORY;
    key->text = "model";
    am_status status = am_node_put(family->pool, family->root, key, copy, err);
    for (size_t i = 0; status == AM_OK && i < count; i++) {
        am_node *value = am_node_new(family->pool, AM_NODE_SCALAR, at[i], err);
        if (!value)
            return AM_ERR_MEMORY;
        value->text = family->texts[i];
        status = am_node_set(family->pool, family->root, paths[i], value, err);
    }
    return status;
}

static void release(void *context, am_system *system) {
    am_model_family *family = context;
    am_system_free(system);
    am_arena_reset(family->settings);
}

/* Where a number stands in the record of a schema, by its path from there; false when it is none that can be set by
 * itself. */
static bool locate_number(const am_schema *schema, const am_node *node, const char *path, size_t *offset,
                          am_range *range) {
    const char *dot = strchr(path, '.');
    for (size_t i = 0; node && i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        if (!dot && strcmp(field->name, path) == 0) {
            *offset += field->offset;
            *range = field->range;
            return field->type == AM_FIELD_NUMBER;
        }
        size_t length = dot ? (size_t)(dot - path) : 0;
        if (dot && strncmp(field->name, path, length) == 0 && field->name[length] == '\0') {
            *offset += field->offset;
            return field->type == AM_FIELD_RECORD && !field->inner->finish &&
                   locate_number(field->inner, am_node_get(node, field->name), dot + 1, offset, range);
        }
    }
    return false;
}

/* Read what does not vary, if that can be done; errors other than of memory are left to the reading of the whole model.
 */
static am_status read_once(am_model_family *family, const am_node *node, am_error *err) {
    am_error own = {0};
    am_reading reading = {.pool = family->pool, .files = family->files, .err = &own};
    const am_model_kind *kind = am_model_find(&reading, node);
    bool plain = kind && am_schema_is_plain(kind->schema, node);
    for (size_t i = 0; plain && i < family->count; i++)
        plain = locate_number(kind->schema, node, am_model_path_short(family->paths[i]), &family->offset[i],
                              &family->range[i]);
    void *record = plain ? am_arena_new(family->pool, 1, kind->schema->size, &own) : NULL;
    if (record && am_schema_read_fields(&reading, kind->schema, node, record) == AM_OK)
        family->record = record;
    family->kind = kind;
    if (own.status != AM_ERR_MEMORY)
        return AM_OK;
    *err = own;
    return AM_ERR_MEMORY;
}

/* Numbers that the model refuses are left to the reading of the whole, which has the words for it. */
static bool values_hold(const am_model_family *family, const double *values) {
    for (size_t i = 0; i < family->count; i++)
        if (!isfinite(values[i]) || !am_range_holds(family->range[i], values[i]))
            return false;
    return true;
}

/* From the model's record with the present numbers in it. */
static am_system *build_again(am_model_family *family, am_reading *reading, const am_node *node, const double *values) {
    const am_schema *schema = family->kind->schema;
    char *record = am_arena_new(reading->pool, 1, schema->size, reading->err);
    if (!record)
        return NULL;
    memcpy(record, family->record, schema->size);
    for (size_t i = 0; i < family->count; i++)
        memcpy(record + family->offset[i], &values[i], sizeof *values);
    if (schema->finish && schema->finish(reading, node, record) != AM_OK)
        return NULL;
    return family->kind->build(reading, node, record);
}

static am_system *make_values(am_model_family *family, const double *values, am_error *err) {
    am_error local = {0};
    am_error *own = err ? err : &local;
    am_reading reading = {.pool = family->settings, .files = family->files, .err = own};
    const am_node *node = am_node_get(family->root, "model");
    am_model model;
    for (size_t i = 0; i < family->count; i++)
        am_text_format_number(values[i], family->texts[i]);
    if (!family->kind && read_once(family, node, own) != AM_OK)
        return NULL;
    am_system *system = family->record && values_hold(family, values) ? build_again(family, &reading, node, values)
                                                                      : am_model_read(&reading, node, &model);
    if (!system)
        am_arena_reset(family->settings);
    return system;
}

static am_system *make_one(void *context, double parameter, am_error *err) {
    return make_values(context, &parameter, err);
}

static am_system *make_two(void *context, double parameter, double second, am_error *err) {
    const double values[2] = {parameter, second};
    return make_values(context, values, err);
}

am_family am_model_family_of_one(am_model_family *family) {
    return (am_family){.make = make_one, .release = release, .context = family};
}

am_family2 am_model_family_of_two(am_model_family *family) {
    return (am_family2){.make = make_two, .release = release, .context = family};
}

const char *am_model_path(am_arena *pool, const char *name, am_error *err) {
    if (strncmp(name, "model.", 6) == 0)
        return name;
    size_t length = strlen(name);
    char *path = am_arena_new(pool, length + 7, 1, err);
    if (!path)
        return NULL;
    memcpy(path, "model.", 6);
    memcpy(path + 6, name, length);
    return path;
}

const char *am_model_path_short(const char *path) {
    return strncmp(path, "model.", 6) == 0 ? path + 6 : path;
}

am_status am_model_family_check(am_model_family *family, const double *values, am_error *err) {
    am_error local = {0};
    am_error *own = err ? err : &local;
    am_system *system = make_values(family, values, own);
    if (!system)
        return own->status;
    release(family, system);
    return AM_OK;
}

void am_model_family_close(am_model_family *family) {
    am_arena_free(family->settings);
    am_arena_free(family->pool);
    *family = (am_model_family){0};
}
