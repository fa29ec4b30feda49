#include "study/family.h"

#include <string.h>

am_status am_model_family_open(am_model_family *family, const am_node *root, const char *folder, size_t count,
                               const char *const *paths, const am_node *const *at, am_error *err) {
    *family = (am_model_family){.folder = folder, .count = count, .pool = am_pool_create(err)};
    if (!family->pool)
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
    am_pool_free(family->settings);
    family->settings = NULL;
}

static am_system *make_values(am_model_family *family, const double *values, am_error *err) {
    am_error local = {0};
    am_error *own = err ? err : &local;
    am_model model;
    for (size_t i = 0; i < family->count; i++)
        am_text_format_number(values[i], family->texts[i]);
    family->settings = am_pool_create(own);
    if (!family->settings)
        return NULL;
    am_reading reading = {family->settings, family->folder, own};
    am_system *system = am_model_read(&reading, am_node_get(family->root, "model"), &model);
    if (!system)
        release(family, NULL);
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

const char *am_model_path(am_pool *pool, const char *name, am_error *err) {
    if (strncmp(name, "model.", 6) == 0)
        return name;
    size_t length = strlen(name);
    char *path = am_pool_new(pool, length + 7, 1, err);
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
    am_pool_free(family->settings);
    am_pool_free(family->pool);
    *family = (am_model_family){0};
}
