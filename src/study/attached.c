#include "study/attached.h"

#include <math.h>
#include <string.h>

#include "base/try.h"

typedef struct attaching {
    am_reading *reading;
    size_t count;
    const am_study_array *arrays;
} attaching;

static size_t rows_of(const am_study_array *array) {
    return array->matrix ? am_matrix_rows(array->matrix) : array->rows;
}

static size_t columns_of(const am_study_array *array) {
    return array->matrix ? am_matrix_columns(array->matrix) : array->columns;
}

static double entry_of(const am_study_array *array, size_t i, size_t j) {
    return array->matrix ? am_matrix_at(array->matrix, i, j) : array->values[i * array->columns + j];
}

/* The name in {array: NAME}; NULL: the node says something else. */
static const char *name_in(const am_node *node) {
    const am_node *name = node->kind == AM_NODE_MAP && node->count == 1 ? am_node_get(node, "array") : NULL;
    return name && name->kind == AM_NODE_SCALAR ? name->text : NULL;
}

static const am_study_array *array_named(const attaching *a, const char *name) {
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->arrays[i].name, name) == 0)
            return &a->arrays[i];
    return NULL;
}

/* ---- numbers of the tree ---- */

static am_status append_number(const attaching *a, am_node *list, double value, const char *name) {
    if (!isfinite(value))
        return am_node_fail(list, a->reading->err, AM_ERR_INPUT, "the array '%s' holds a number that is not finite",
                            name);
    am_node *number = am_node_of_number(a->reading->pool, value, list, a->reading->err);
    return number ? am_node_append(a->reading->pool, list, number, a->reading->err) : AM_ERR_MEMORY;
}

/* The node itself becomes the list, so that whoever holds it sees the numbers. */
static am_status become_list(const attaching *a, am_node *node, const am_study_array *array) {
    size_t rows = rows_of(array), columns = columns_of(array);
    node->kind = AM_NODE_LIST;
    node->count = node->capacity = 0;
    node->items = NULL;
    for (size_t i = 0; i < rows; i++) {
        if (columns == 0) {
            AM_TRY(append_number(a, node, array->values[i], array->name));
            continue;
        }
        am_node *row = am_node_new(a->reading->pool, AM_NODE_LIST, node, a->reading->err);
        AM_TRY(row ? am_node_append(a->reading->pool, node, row, a->reading->err) : AM_ERR_MEMORY);
        for (size_t j = 0; j < columns; j++)
            AM_TRY(append_number(a, row, entry_of(array, i, j), array->name));
    }
    return AM_OK;
}

static bool is_listed(const am_study_array *array) {
    return columns_of(array) == 0 || (rows_of(array) <= AM_STUDY_LISTED && columns_of(array) <= AM_STUDY_LISTED);
}

static am_status fill_in(const attaching *a, am_node *node) {
    const char *name = name_in(node);
    const am_study_array *array = name ? array_named(a, name) : NULL;
    if (name && !array)
        return am_node_fail(node, a->reading->err, AM_ERR_INPUT, "there is no array '%s' with this study", name);
    if (array)
        return is_listed(array) ? become_list(a, node, array) : AM_OK;
    for (size_t i = 0; node->kind != AM_NODE_SCALAR && i < node->count; i++)
        AM_TRY(fill_in(a, node->kind == AM_NODE_LIST ? node->items[i] : node->entries[i].value));
    return AM_OK;
}

/* ---- matrices beside it ---- */

static void release_matrix(void *matrix) {
    am_matrix_free(matrix);
}

static am_status copy_matrix(am_reading *reading, const am_study_array *array, am_attached *kept) {
    kept->name = am_arena_text(reading->pool, array->name, strlen(array->name), reading->err);
    kept->matrix = array->matrix ? am_matrix_copy(array->matrix, reading->err)
                                 : am_matrix_dense(array->rows, array->columns, array->values, reading->err);
    AM_TRY(kept->matrix ? am_arena_own(reading->pool, kept->matrix, release_matrix, reading->err)
                        : reading->err->status);
    return kept->name ? AM_OK : AM_ERR_MEMORY;
}

static am_status check(const am_study_options *options, am_error *err) {
    for (size_t i = 0; i < options->array_count; i++) {
        const am_study_array *array = &options->arrays[i];
        if (!array->name || (!array->matrix && !array->values && array->rows > 0))
            return am_fail_field(err, AM_ERR_INPUT, "arrays", "array %zu has no name or no numbers", i);
    }
    return AM_OK;
}

am_status am_attach_arrays(am_reading *reading, const am_study_options *options, am_node *root, am_files *files) {
    const attaching a = {reading, options->array_count, options->arrays};
    if (a.count == 0)
        return AM_OK;
    AM_TRY(check(options, reading->err));
    am_attached *kept = am_arena_new(reading->pool, a.count, sizeof *kept, reading->err);
    if (!kept)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < a.count; i++)
        if (!is_listed(&a.arrays[i]))
            AM_TRY(copy_matrix(reading, &a.arrays[i], &kept[files->attached_count++]));
    files->attached = kept;
    return fill_in(&a, root);
}

am_matrix *am_attached_find(const am_files *files, const am_node *node) {
    const char *name = files && files->attached_count > 0 ? name_in(node) : NULL;
    for (size_t i = 0; name && i < files->attached_count; i++)
        if (strcmp(files->attached[i].name, name) == 0)
            return files->attached[i].matrix;
    return NULL;
}
