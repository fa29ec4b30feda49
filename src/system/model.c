#include "system/model.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/object.h"

static am_status add_numbers(am_model *m, const am_model_def *def, am_error *err) {
    m->numbers = am_arena_new(&m->memory, def->count, sizeof *m->numbers, err);
    m->values = am_arena_doubles(&m->memory, def->values, def->count, err);
    for (; m->count < def->count && !am_arena_status(&m->memory); m->count++) {
        const char *name = def->names[m->count];
        if (!name || am_model_find(m, name) != SIZE_MAX)
            return am_fail_field(err, AM_ERR_INPUT, "names", "the numbers of a model need names that differ");
        m->numbers[m->count].name = am_arena_text(&m->memory, name, strlen(name), err);
    }
    return am_arena_status(&m->memory);
}

am_model *am_model_create(const am_model_def *def, am_error *err) {
    if (!def || !def->make || (def->count > 0 && !def->names))
        return am_misused_for_nothing(err, __func__);
    am_model *m = am_memory_new(1, sizeof *m, err);
    if (!m)
        return NULL;
    m->tag = AM_TAG_MODEL;
    am_status status = add_numbers(m, def, err);
    if (!status) { /* from now on the context is forgotten with it */
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
    for (size_t i = 0; name && i < am_model_count(model); i++)
        if (strcmp(model->numbers[i].name, name) == 0)
            return i;
    return SIZE_MAX;
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
    for (size_t i = 0; i < model->count; i++)
        model->numbers[i].known = model->numbers[i].known && i == number;
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
