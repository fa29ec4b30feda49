#include "varied_model.h"

#include <stdlib.h>

#include "system/model.h"

typedef struct makers {
    am_system *(*one)(void *context, double first, am_error *err);
    am_system *(*two)(void *context, double first, double second, am_error *err);
    void *context;
} makers;

static am_system *make(void *context, const double *values, am_error *err) {
    const makers *m = context;
    return m->one ? m->one(m->context, values[0], err) : m->two(m->context, values[0], values[1], err);
}

static am_model *model_of(size_t count, const char *const *names, makers how) {
    makers *kept = malloc(sizeof *kept);
    const am_model_def def = {.count = count, .names = names, .make = make, .context = kept};
    am_model *model = kept ? am_model_create(&def, NULL) : NULL;
    if (!model)
        abort();
    *kept = how;
    return model;
}

am_model *model_of_one(const char *name, am_system *(*one)(void *, double, am_error *), void *context) {
    return model_of(1, &name, (makers){.one = one, .context = context});
}

am_model *model_of_two(const char *first, const char *second, am_system *(*two)(void *, double, double, am_error *),
                       void *context) {
    const char *const names[2] = {first, second};
    return model_of(2, names, (makers){.two = two, .context = context});
}

void varied_model_free(am_model *model) {
    void *how = model ? model->def.context : NULL;
    am_model_free(model);
    free(how);
}

void varied_model_leave(am_model **model) {
    varied_model_free(*model);
}
