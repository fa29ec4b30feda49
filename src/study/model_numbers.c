#include "study/model_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "study/number_list.h"
#include "study/unknown_number.h"

/* A number of the model. */
typedef struct place {
    const char *path;
    const am_node *like; /* where messages point to */
    double own;          /* as the study has it */
    double present;      /* in the copy; NAN: it was asked for and is left out there */
    bool written;        /* into the copy even where it is `own`; false: the study leaves it out, and then so does it */
    am_node *node;       /* in the copy, once it differs from its own value; NULL: the copy is as the study has it */
    const am_field *field; /* where it stands in the record */
    size_t offset;
} place;

/* The context of a model. */
typedef struct varied {
    const am_node *source; /* the study's own */
    const am_files *files;
    am_arena tree;       /* of the copy and the record */
    am_arena settings;   /* of the system made last */
    am_study_model last; /* its kind and settings */
    am_node *model;      /* the copy */
    size_t count;
    place *places;
    size_t changed_count, *changed; /* those with a node */
    /* Where the model is nothing but numbers, flags and words it is read once, and only the changed numbers again: */
    const am_model_kind *kind; /* NULL: not read yet */
    const void *record;        /* its fields; NULL: the whole model is read for each system */
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
    am_text_part(name, sizeof name, path, length);
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
    for (size_t i = 0; plain && i < v->changed_count; i++) {
        place *p = &v->places[v->changed[i]];
        p->offset = 0;
        p->field = locate_number(kind->schema, v->model, p->path, &p->offset);
        plain = p->field != NULL;
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
static bool values_hold(const varied *v) {
    for (size_t i = 0; i < v->changed_count; i++) {
        const place *p = &v->places[v->changed[i]];
        if (!isfinite(p->present) || !am_range_holds(p->field->range, p->present))
            return false;
    }
    return true;
}

/* From the model's record with the present numbers in it. */
static am_system *build_again(varied *v, am_reading *reading) {
    const am_schema *schema = v->kind->schema;
    char *record = am_arena_new(reading->pool, 1, schema->size, reading->err);
    if (!record)
        return NULL;
    memcpy(record, v->record, schema->size);
    for (size_t i = 0; i < v->changed_count; i++) {
        const place *p = &v->places[v->changed[i]];
        double value = p->field->factor ? p->present * *p->field->factor : p->present;
        memcpy(record + p->offset, &value, sizeof value);
    }
    if (am_schema_finish(reading, schema, v->model, record) != AM_OK)
        return NULL;
    v->last = (am_study_model){v->kind, record};
    return am_study_model_build(reading, v->model, &v->last);
}

/* The copy anew, with every number in it that is not left out. */
static am_status copy_again(varied *v, am_error *err) {
    size_t kept = 0;
    v->model = am_node_copy(&v->tree, v->source, err);
    v->kind = NULL;
    if (!v->model)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < v->changed_count; i++) {
        place *p = &v->places[v->changed[i]];
        if (!p->node)
            continue;
        v->changed[kept++] = v->changed[i];
        AM_TRY(am_node_set(&v->tree, v->model, p->path, p->node, err));
    }
    v->changed_count = kept;
    return AM_OK;
}

static bool are_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static am_status change(varied *v, size_t number, double value, bool *left_out, am_error *err) {
    place *p = &v->places[number];
    p->present = value;
    if (!p->written && are_same(value, p->own)) { /* left out again */
        p->node = NULL;
        *left_out = true;
        return AM_OK;
    }
    if (p->node) {
        p->node->number = value;
        return AM_OK;
    }
    am_node *node = am_node_of_number(&v->tree, value, p->like, err);
    if (!node)
        return AM_ERR_MEMORY;
    AM_TRY(am_node_set(&v->tree, v->model, p->path, node, err));
    p->node = node;
    v->changed[v->changed_count++] = number;
    v->kind = NULL; /* the model is read again, so that the new node counts */
    return AM_OK;
}

static am_status take_values(varied *v, const double *values, am_error *err) {
    bool left_out = false;
    for (size_t i = 0; i < v->count; i++)
        if (!are_same(values[i], v->places[i].present))
            AM_TRY(change(v, i, values[i], &left_out, err));
    return left_out ? copy_again(v, err) : AM_OK;
}

static am_system *make(void *context, const double *values, am_error *err) {
    varied *v = context;
    am_error local = {0};
    am_reading reading = {.pool = &v->settings, .files = v->files, .err = err ? err : &local};
    if (take_values(v, values, reading.err) != AM_OK || (!v->kind && read_once(v, reading.err) != AM_OK))
        return NULL;
    am_system *system =
        v->record && values_hold(v) ? build_again(v, &reading) : am_study_model_read(&reading, v->model, &v->last);
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

/* Is it one of those that were asked for? */
static bool is_asked(const am_model_numbers *numbers, const char *path) {
    for (size_t i = 0; i < numbers->count; i++)
        if (strcmp(numbers->path[i], path) == 0)
            return true;
    return false;
}

/* Those that were asked for, as analyses and sweeps do, which make many models; where none was, all. */
static am_status list_numbers(varied *v, const am_model_numbers *numbers, am_number_list *list, am_error *err) {
    am_error own = {0};
    am_reading reading = {.pool = &v->tree, .files = v->files, .err = &own};
    for (size_t i = 0; i < numbers->count; i++)
        AM_TRY(am_number_list_add(list, &v->tree, numbers->path[i], numbers->value[i], err));
    const am_model_kind *kind = numbers->count == 0 ? am_model_kind_find(&reading, numbers->model) : NULL;
    /* a kind that is none is refused when a system is asked for */
    return kind ? am_number_list_fill(list, &v->tree, kind->schema, numbers->model, err) : AM_OK;
}

/* An am_model of everything that was listed. */
static am_model *create_model(varied *v, const am_model_numbers *numbers, const am_number_list *all, am_error *err) {
    const char **names = am_arena_new(&v->tree, all->count, sizeof *names, err);
    double *values = am_arena_new(&v->tree, all->count, sizeof *values, err);
    v->count = all->count;
    v->places = am_arena_new(&v->tree, v->count, sizeof *v->places, err);
    v->changed = am_arena_new(&v->tree, v->count, sizeof *v->changed, err);
    if (am_arena_status(&v->tree) != AM_OK)
        return NULL;
    for (size_t i = 0; i < v->count; i++) {
        const am_listed_number *n = &all->numbers[i];
        bool asked = i < numbers->count;
        values[i] = n->value;
        names[i] = asked ? numbers->name[i] : n->path;
        bool given = am_node_find(v->model, n->path) != NULL;
        v->places[i] = (place){.path = n->path,
                               .like = asked ? numbers->at[i] : am_node_nearest(v->model, n->path),
                               .written = given || asked,
                               .own = n->value,
                               .present = given || !asked ? n->value : NAN};
    }
    const am_model_def def = {.count = v->count,
                              .names = names,
                              .values = values,
                              .make = make,
                              .release = release,
                              .forget = forget,
                              .context = v};
    return am_model_create(&def, err);
}

am_model *am_model_numbers_open(const am_model_numbers *numbers, am_error *err) {
    varied *v = am_memory_new(1, sizeof *v, err);
    am_number_list all = {0};
    am_model *model = NULL;
    if (!v)
        return NULL;
    v->source = numbers->model;
    v->files = numbers->files;
    v->model = am_node_copy(&v->tree, numbers->model, err);
    if (v->model && list_numbers(v, numbers, &all, err) == AM_OK)
        model = create_model(v, numbers, &all, err);
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
    return is_asked(numbers, am_model_path_short(path));
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
    for (size_t i = 0; i < numbers->count && !accepts; i++)
        am_suggest_number(numbers->model, numbers->path[i], strncmp(numbers->name[i], "model.", 6) == 0 ? "model." : "",
                          err);
    return accepts ? AM_OK : err->status;
}

const am_study_model *am_model_numbers_made(const am_model *model) {
    return &((const varied *)model->def.context)->last;
}

const char *am_model_path_short(const char *path) {
    return strncmp(path, "model.", 6) == 0 ? path + 6 : path;
}
