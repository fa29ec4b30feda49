#include "study/study_numbers.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "study/describe.h"
#include "study/study.h"
#include "study/tree_json.h"

/* On the way through the tree. */
typedef struct numbers_walk {
    am_text *out, *path;
    const am_field_note *notes; /* sorted by node */
    size_t note_count, written;
} numbers_walk;

static int compare_notes(const void *left, const void *right) {
    const am_field_note *a = left, *b = right;
    return ((uintptr_t)a->node > (uintptr_t)b->node) - ((uintptr_t)a->node < (uintptr_t)b->node);
}

/* The row that a value was read by; that of what it is part of (an entry of a matrix) when it has none. */
static const am_field *field_of(const numbers_walk *w, const am_node *node, const am_field *around) {
    const am_field_note wanted = {.node = node};
    const am_field_note *found =
        w->note_count > 0 ? bsearch(&wanted, w->notes, w->note_count, sizeof *w->notes, compare_notes) : NULL;
    return found ? found->field : around;
}

static void add_bound(am_text *out, const char *name, bool known, double bound) {
    am_text_printf(out, ", \"%s\": %s", name, known ? AM_NUMBER(bound) : "null");
}

static void add_row(am_text *out, const am_field *field) {
    am_range range = field ? field->range : AM_RANGE_ANY;
    bool counts = field && (field->type == AM_FIELD_COUNT || field->type == AM_FIELD_DEGREE);
    am_text_add(out, ", \"unit\": ");
    am_describe_string(out, field && field->unit ? field->unit : "");
    am_text_add(out, ", \"about\": ");
    am_describe_string(out, field && field->about ? field->about : "");
    add_bound(out, "least", counts || range != AM_RANGE_ANY, counts ? (double)field->least : 0.0);
    add_bound(out, "most", range == AM_RANGE_FRACTION || (counts && field->most > 0),
              counts ? (double)field->most : 1.0);
    am_text_printf(out, ", \"whole\": %s}", counts ? "true" : "false");
}

static void add_number(numbers_walk *w, const am_node *node, double value, const am_field *field) {
    am_text_add(w->out, w->written++ > 0 ? ",\n{\"path\": " : "\n{\"path\": ");
    am_describe_string(w->out, am_text_view(w->path));
    am_text_printf(w->out, ", \"value\": %s, \"line\": %d, \"column\": %d, \"end_column\": %d", AM_NUMBER(value),
                   node->line, node->column, node->column + (int)strlen(node->text));
    add_row(w->out, field);
}

static void numbers_visit(numbers_walk *w, const am_node *node, const am_field *around) {
    const am_field *field = field_of(w, node, around);
    size_t length = w->path->length;
    double value;
    if (node->kind == AM_NODE_SCALAR && node->line > 0 && am_node_number(node, &value))
        add_number(w, node, value, field);
    for (size_t i = 0; node->kind != AM_NODE_SCALAR && i < node->count; i++) {
        const char *dot = length > 0 ? "." : "";
        if (node->kind == AM_NODE_LIST)
            am_text_printf(w->path, "%s%zu", dot, i);
        else
            am_text_printf(w->path, "%s%s", dot, node->entries[i].key->text);
        /* In a mapping a key that no row has read says nothing of what it is. */
        numbers_visit(w, node->kind == AM_NODE_LIST ? node->items[i] : node->entries[i].value,
                      node->kind == AM_NODE_LIST ? field : NULL);
        if (w->path->status == AM_OK)
            w->path->data[w->path->length = length] = '\0';
    }
}

static am_status write_numbers(void *context, const am_node *root, const am_field_notes *notes, am_error *err) {
    AM_LOCAL(am_text_free) am_text path = {0};
    numbers_walk w = {.out = context, .path = &path, .notes = notes->notes, .note_count = notes->count};
    if (notes->count > 0)
        qsort(notes->notes, notes->count, sizeof *notes->notes, compare_notes);
    am_text_add(w.path, "");
    am_text_add(w.out, "{\"numbers\": [");
    numbers_visit(&w, root, NULL);
    am_text_add(w.out, "],\n\"study\": ");
    am_tree_json(w.out, root);
    am_text_add(w.out, "}\n");
    AM_TRY(am_text_status(w.path, err));
    return am_text_status(w.out, err);
}

char *am_study_numbers(const char *name, const char *text, const am_study_options *options, am_error *err) {
    AM_LOCAL(am_text_free) am_text out = {0};
    am_status status = am_study_look_at(name, text, options, write_numbers, &out, err);
    return status == AM_OK ? am_text_take(&out, err) : NULL;
}
