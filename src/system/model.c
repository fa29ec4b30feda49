#include "system/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"

static int compare_names(const void *a, const void *b) {
    return strcmp(((const am_model_name_index *)a)->name, ((const am_model_name_index *)b)->name);
}

static am_status add_numbers(am_model *m, const am_model_def *def, am_error *err) {
    m->numbers = am_arena_new(&m->memory, def->count, sizeof *m->numbers, err);
    m->sorted = am_arena_new(&m->memory, def->count, sizeof *m->sorted, err);
    m->values = am_arena_doubles(&m->memory, def->values, def->count, err);
    for (size_t i = 0; i < def->count && !am_arena_status(&m->memory); i++) {
        const char *name = def->names[i] ? def->names[i] : "";
        m->numbers[i].name = am_arena_text(&m->memory, name, strlen(name), err);
        m->sorted[i] = (am_model_name_index){m->numbers[i].name, i};
    }
    AM_TRY(am_arena_status(&m->memory));
    m->count = def->count;
    qsort(m->sorted, m->count, sizeof *m->sorted, compare_names);
    for (size_t i = 0; i < m->count; i++)
        if (!*m->sorted[i].name || (i > 0 && compare_names(&m->sorted[i - 1], &m->sorted[i]) == 0))
            return am_fail_field(err, AM_ERR_INPUT, "names", "the numbers of a model need names that differ");
    return AM_OK;
}

am_model *am_model_create(const am_model_def *def, am_error *err) {
    if (!def || !def->make || (def->count > 0 && !def->names))
        return am_misused_for_nothing(err, __func__);
    am_model *m = am_memory_new(1, sizeof *m, err);
    if (!m)
        return NULL;
    m->tag = AM_TAG_MODEL;
    m->changes = 1;
    am_status status = add_numbers(m, def, err);
    if (!status) { /* from now on the model owns the caller's context, and releases it when it is freed */
        m->def = *def;
        return m;
    }
    am_model_free(m);
    return NULL;
}

static void forget_system(am_model *m) {
    if (m->system && m->def.release)
        m->def.release(m->def.context, m->system);
    else
        am_system_free(m->system);
    m->system = NULL;
}

void am_model_free(am_model *model) {
    if (!am_is(model, AM_TAG_MODEL))
        return;
    forget_system(model);
    am_arena_clear(&model->memory);
    if (model->def.forget)
        model->def.forget(model->def.context);
    am_object_bury(model, sizeof *model);
}

size_t am_model_count(const am_model *model) {
    return am_is(model, AM_TAG_MODEL) ? model->count : 0;
}

const char *am_model_name(const am_model *model, size_t number) {
    return number < am_model_count(model) ? model->numbers[number].name : "";
}

double am_model_value(const am_model *model, size_t number) {
    return number < am_model_count(model) ? model->values[number] : NAN;
}

size_t am_model_find(const am_model *model, const char *name) {
    const am_model_name_index key = {name, 0}, *found = NULL;
    if (name && am_model_count(model) > 0)
        found = bsearch(&key, model->sorted, model->count, sizeof key, compare_names);
    return found ? found->number : SIZE_MAX;
}

am_status am_model_check(const am_model *model, size_t number, const char *field, am_error *err) {
    if (number < am_model_count(model))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, field, "the model has %zu numbers, and none with the index %zu",
                         am_model_count(model), number);
}

am_status am_model_set(am_model *model, size_t number, double value, am_error *err) {
    if (number >= am_model_count(model))
        return am_misused(err, __func__);
    if (value == model->values[number])
        return AM_OK;
    forget_system(model);
    model->values[number] = value;
    size_t *known_at = &model->numbers[number].known_at;
    bool still_known = *known_at == model->changes++; /* what the others do is to be found out again */
    *known_at = still_known ? model->changes : 0;
    return AM_OK;
}

const am_system *am_model_system(am_model *model, am_error *err) {
    if (!am_is(model, AM_TAG_MODEL))
        return am_misused_for_nothing(err, __func__);
    if (!model->system)
        model->system = model->def.make(model->def.context, model->values, err);
    return model->system;
}

am_status am_model_line_at(const am_model_line *line, double p, const am_system **system, am_error *err) {
    am_error own = {0};
    am_error *reason = err ? err : &own;
    am_status status = AM_OK;
    *system = NULL;
    if (line->held != SIZE_MAX)
        status = am_model_set(line->model, line->held, line->value, reason);
    if (!status && line->number != SIZE_MAX)
        status = am_model_set(line->model, line->number, p, reason);
    if (status)
        return status;
    *system = am_model_system(line->model, reason);
    return *system ? AM_OK : reason->status ? reason->status : AM_ERR_INPUT;
}
