#include "study/model_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The context of a model. */
typedef struct varied {
    const am_files *files;
    am_arena tree;       /* of the copy and the record */
    am_arena settings;   /* of the system made last */
    am_study_model last; /* its kind and settings */
    am_node *model;      /* the copy */
    size_t count;
    const char *path[AM_MODEL_NUMBERS];
    am_node *node[AM_MODEL_NUMBERS]; /* of the numbers, in the copy */
    /* Where the model is nothing but numbers, flags and words it is read once, and only the numbers that vary again: */
    const am_model_kind *kind; /* NULL: not read yet */
    const void *record;        /* its fields; NULL: the whole model is read for each system */
    const am_field *field[AM_MODEL_NUMBERS];
    size_t offset[AM_MODEL_NUMBERS];
} varied;

/* ---- systems ---- */

static void release(void *context, am_system *system) {
    varied *v = context;
    am_system_free(system);
    am_arena_reset(&v->settings);
}

/* The field of a number by its path from a schema, and where it stands in its record; NULL when it is none that can be set
 * by itself. */
static const am_field *locate_number(const am_schema *schema, const am_node *node, const char *path, size_t *offset) {
    char name[64];
    size_t length = strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    const am_field *field = node ? am_schema_field(schema, name) : NULL;
    if (!field)
        return NULL;
    *offset += field->offset;
    if (!path[length])
        return field->type == AM_FIELD_NUMBER ? field : NULL;
    bool plain = field->type == AM_FIELD_RECORD && !field->inner->finish && !field->inner->complete;
    return plain ? locate_number(field->inner, am_node_get(node, name), path + length + 1, offset) : NULL;
}

/* Read what does not vary, if that can be done; errors other than of memory are left to the reading of the whole model.
 */
static am_status read_once(varied *v, am_error *err) {
    am_error own = {0};
    am_reading reading = {.pool = &v->tree, .files = v->files, .err = &own};
    const am_model_kind *kind = am_model_kind_find(&reading, v->model);
    bool plain = kind && am_schema_is_plain(kind->schema, v->model);
    for (size_t i = 0; plain && i < v->count; i++) {
        v->offset[i] = 0;
        v->field[i] = locate_number(kind->schema, v->model, v->path[i], &v->offset[i]);
        plain = v->field[i] != NULL;
    }
    void *record = plain ? am_arena_new(&v->tree, 1, kind->schema->size, &own) : NULL;
    bool read = record && am_schema_read_fields(&reading, kind->schema, v->model, record) == AM_OK;
    v->record = read ? record : NULL;
    v->kind = kind;
    if (own.status != AM_ERR_MEMORY)
        return AM_OK;
    *err = own;
    return AM_ERR_MEMORY;
}

/* Numbers that the model refuses are left to the reading of the whole, which has the words for it. */
static bool values_hold(const varied *v, const double *values) {
    for (size_t i = 0; i < v->count; i++)
        if (!isfinite(values[i]) || !am_range_holds(v->field[i]->range, values[i]))
            return false;
    return true;
}

/* From the model's record with the present numbers in it. */
static am_system *build_again(varied *v, am_reading *reading, const double *values) {
    const am_schema *schema = v->kind->schema;
    char *record = am_arena_new(reading->pool, 1, schema->size, reading->err);
    if (!record)
        return NULL;
    memcpy(record, v->record, schema->size);
    for (size_t i = 0; i < v->count; i++) {
        double value = v->field[i]->factor ? values[i] * *v->field[i]->factor : values[i];
        memcpy(record + v->offset[i], &value, sizeof value);
    }
    if (am_schema_finish(reading, schema, v->model, record) != AM_OK)
        return NULL;
    v->last = (am_study_model){v->kind, record};
    return am_study_model_build(reading, v->model, &v->last);
}

static am_system *make(void *context, const double *values, am_error *err) {
    varied *v = context;
    am_error local = {0};
    am_reading reading = {.pool = &v->settings, .files = v->files, .err = err ? err : &local};
    for (size_t i = 0; i < v->count; i++)
        v->node[i]->number = values[i];
    if (!v->kind && read_once(v, reading.err) != AM_OK)
        return NULL;
    am_system *system = v->record && values_hold(v, values) ? build_again(v, &reading, values)
                                                            : am_study_model_read(&reading, v->model, &v->last);
    if (!system)
        am_arena_reset(&v->settings);
    return system;
}

/* ---- the model ---- */

static void forget(void *context) {
    varied *v = context;
    am_arena_clear(&v->settings);
    am_arena_clear(&v->tree);
    am_memory_free(v);
}

static am_status put_numbers(varied *v, const am_model_numbers *numbers, am_error *err) {
    am_status status = AM_OK;
    v->model = am_node_copy(&v->tree, numbers->model, err);
    for (size_t i = 0; v->model && status == AM_OK && i < numbers->count; i++) {
        v->path[i] = numbers->path[i];
        v->node[i] = am_node_of_number(&v->tree, numbers->value[i], numbers->at[i], err);
        status = v->node[i] ? am_node_set(&v->tree, v->model, v->path[i], v->node[i], err) : AM_ERR_MEMORY;
    }
    return v->model ? status : AM_ERR_MEMORY;
}

am_model *am_model_numbers_open(const am_model_numbers *numbers, am_error *err) {
    varied *v = am_memory_new(1, sizeof *v, err);
    if (!v)
        return NULL;
    const am_model_def def = {.count = numbers->count,
                              .names = numbers->name,
                              .values = numbers->value,
                              .make = make,
                              .release = release,
                              .forget = forget,
                              .context = v};
    v->files = numbers->files;
    v->count = numbers->count;
    am_model *model = put_numbers(v, numbers, err) == AM_OK ? am_model_create(&def, err) : NULL;
    if (!model)
        forget(v);
    return model;
}

/* ---- which numbers ---- */

am_model_numbers am_model_numbers_of(const am_node *model, const am_files *files, const am_study_model *home) {
    return (am_model_numbers){.model = model, .files = files, .home = home ? *home : (am_study_model){NULL, NULL}};
}

/* The value that the study gives, or the model has by default. */
static double own_value(const am_model_numbers *numbers, const char *path) {
    double value;
    const am_node *node = am_node_find((am_node *)numbers->model, path); /* only looked at */
    if (node && am_node_number(node, &value))
        return value;
    const am_field *field = numbers->home.kind ? am_schema_field(numbers->home.kind->schema, path) : NULL;
    if (!field || field->type != AM_FIELD_NUMBER)
        return NAN;
    value = *(const double *)((const char *)numbers->home.settings + field->offset);
    return field->factor ? value / *field->factor : value;
}

size_t am_model_numbers_add(am_model_numbers *numbers, const char *path, const am_node *at) {
    size_t i = numbers->count++;
    numbers->path[i] = numbers->name[i] = am_model_path_short(path);
    numbers->at[i] = at;
    numbers->value[i] = own_value(numbers, numbers->path[i]);
    return i;
}

bool am_model_numbers_have(const am_model_numbers *numbers, const char *path) {
    for (size_t i = 0; i < numbers->count; i++)
        if (strcmp(numbers->path[i], am_model_path_short(path)) == 0)
            return true;
    return false;
}

am_status am_model_numbers_accept(const am_model_numbers *numbers, size_t sets, const double (*values)[2],
                                  am_error *err) {
    am_model *model = am_model_numbers_open(numbers, err);
    bool accepts = model != NULL;
    for (size_t k = 0; k < sets && accepts; k++) {
        for (size_t i = 0; i < numbers->count; i++)
            am_model_set(model, i, values[k][i], NULL);
        accepts = am_model_system(model, err) != NULL;
    }
    am_model_free(model);
    return accepts ? AM_OK : err->status;
}

const am_study_model *am_model_numbers_made(const am_model *model) {
    return &((const varied *)model->def.context)->last;
}

const char *am_model_path_short(const char *path) {
    return strncmp(path, "model.", 6) == 0 ? path + 6 : path;
}
