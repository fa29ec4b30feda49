#include "study/tree_json.h"

#include <math.h>

#include "study/describe.h"
#include "study/schema.h"

static void add_scalar(am_text *out, const am_node *node) {
    char digits[AM_TEXT_NUMBER_SIZE];
    double value;
    bool plain = !node->quoted;
    if (plain && (am_node_is_text(node, "true") || am_node_is_text(node, "false")))
        am_text_add(out, node->text);
    else if (am_node_is_null(node))
        am_text_add(out, "null");
    else if (am_node_number(node, &value) && isfinite(value))
        am_text_add(out, AM_NUMBER(value));
    else
        am_describe_string(out, am_node_words(node, digits));
}

void am_tree_json(am_text *out, const am_node *node) {
    if (node->kind == AM_NODE_SCALAR) {
        add_scalar(out, node);
        return;
    }
    bool list = node->kind == AM_NODE_LIST;
    am_text_add(out, list ? "[" : "{");
    for (size_t i = 0; i < node->count; i++) {
        am_text_add(out, i > 0 ? ", " : "");
        if (!list) {
            am_describe_string(out, node->entries[i].key->text);
            am_text_add(out, ": ");
        }
        am_tree_json(out, list ? node->items[i] : node->entries[i].value);
    }
    am_text_add(out, list ? "]" : "}");
}
