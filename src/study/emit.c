#include "study/emit.h"

#include <ctype.h>
#include <string.h>

/* Letters, digits and a few signs that mean nothing to YAML anywhere in a scalar. */
static bool is_plain(const char *text) {
    if (!*text || !(isalnum((unsigned char)*text) || strchr("_+-./~", *text)))
        return false;
    if (text[0] == '-' && (!text[1] || text[1] == '-'))
        return false;
    for (const char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("_+-./~", *p))
            return false;
    return true;
}

static void emit_quoted(am_text *out, const char *text) {
    am_text_add(out, "\"");
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            am_text_printf(out, "\\%c", c);
        else if (c == '\n')
            am_text_add(out, "\\n");
        else if (c < 0x20)
            am_text_printf(out, "\\x%02x", c);
        else
            am_text_add_bytes(out, p, 1);
    }
    am_text_add(out, "\"");
}

/* A word that YAML would take for something else than text. */
static bool has_meaning(const char *text) {
    static const char *const words[] = {"~", "null", "true", "false", ".nan", ".inf", "-.inf", "+.inf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return isdigit((unsigned char)*text) || strchr("+-.", *text) != NULL;
}

void am_emit_text(am_text *out, const char *text) {
    if (is_plain(text) && !has_meaning(text))
        am_text_add(out, text);
    else
        emit_quoted(out, text);
}

static void emit_scalar(am_text *out, const am_node *node) {
    char digits[AM_TEXT_NUMBER_SIZE];
    const char *words = am_node_words(node, digits);
    if (am_node_is_null(node))
        am_text_add(out, "null");
    else if (!node->quoted && is_plain(words))
        am_text_add(out, words);
    else
        emit_quoted(out, words);
}

/* On one line: {a: 1, b: [2, 3]}. */
static void emit_flow(am_text *out, const am_node *node) {
    if (node->kind == AM_NODE_SCALAR) {
        emit_scalar(out, node);
        return;
    }
    bool map = node->kind == AM_NODE_MAP;
    am_text_add(out, map ? "{" : "[");
    for (size_t i = 0; i < node->count; i++) {
        if (i > 0)
            am_text_add(out, ", ");
        if (map) {
            emit_scalar(out, node->entries[i].key);
            am_text_add(out, ": ");
        }
        emit_flow(out, map ? node->entries[i].value : node->items[i]);
    }
    am_text_add(out, map ? "}" : "]");
}

void am_emit_entry(am_text *out, const char *key, const am_node *value) {
    am_text_printf(out, "%s:", key);
    if (value->kind == AM_NODE_SCALAR || value->count == 0) {
        am_text_add(out, " ");
        emit_flow(out, value);
        am_text_add(out, "\n");
        return;
    }
    am_text_add(out, "\n");
    for (size_t i = 0; i < value->count; i++) {
        am_text_add(out, value->kind == AM_NODE_MAP ? "  " : "  - ");
        if (value->kind == AM_NODE_MAP) {
            emit_scalar(out, value->entries[i].key);
            am_text_add(out, ": ");
        }
        emit_flow(out, value->kind == AM_NODE_MAP ? value->entries[i].value : value->items[i]);
        am_text_add(out, "\n");
    }
}
