/* YAML text to a tree, through libfyaml's events. Anchors, aliases and tags are refused: a study is read by people, and
 * a file that unfolds to more than it shows is not what they see. */
#include <libfyaml.h>
#include <string.h>

#include "base/try.h"
#include "study/node.h"
#include "study/yaml_words.h"

enum { deepest = 24, most_keys = 10000 };

typedef struct builder {
    am_arena *pool;
    const char *origin;
    bool lines;
    am_error *err;
    struct fy_parser *parser;
    size_t depth;
    am_node *open[deepest + 1]; /* lists and maps being filled, outermost first */
    am_node *key[deepest + 1];  /* of a map: the key that waits for its value */
    am_node *root;
    size_t documents;
} builder;

/* libfyaml marks a quoted text and an alias behind the quote or star they begin with. */
static int sign_before(struct fy_event *event) {
    if (event->type == FYET_ALIAS)
        return 1;
    if (event->type != FYET_SCALAR || !event->scalar.value)
        return 0;
    enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
    return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

/* A node for the position of an event. */
static am_node *node_at(builder *b, am_node_kind kind, struct fy_event *event) {
    am_node *node = am_node_new(b->pool, kind, NULL, b->err);
    if (!node)
        return NULL;
    node->origin = b->origin;
    if (!b->lines)
        return node;
    const struct fy_mark *mark = fy_event_start_mark(event);
    const am_node *key = b->depth > 0 ? b->key[b->depth] : NULL; /* an empty value stands where its key does */
    node->line = mark ? mark->line + 1 : key ? key->line : 1;
    node->column = mark ? mark->column + 1 - sign_before(event) : key ? key->column : 1;
    return node;
}

static am_status refuse(builder *b, struct fy_event *event, const char *what) {
    am_node *node = node_at(b, AM_NODE_SCALAR, event);
    return node ? am_node_fail(node, b->err, AM_ERR_INPUT, "%s", what) : AM_ERR_MEMORY;
}

static am_status take_key(builder *b, am_node *map, am_node *key) {
    if (key->kind != AM_NODE_SCALAR)
        return am_node_fail(key, b->err, AM_ERR_INPUT, "%s cannot be a key; expected a name", am_node_kind_name(key));
    if (map->count == most_keys)
        return am_node_fail(key, b->err, AM_ERR_INPUT, "a mapping has more than %d keys", most_keys);
    for (size_t i = 0; i < map->count; i++) {
        const am_node *other = map->entries[i].key;
        if (strcmp(other->text, key->text) != 0)
            continue;
        if (other->line > 0)
            return am_node_fail(key, b->err, AM_ERR_INPUT,
                                "the key '%s' is here a second time; the first is on line %d", key->text, other->line);
        return am_node_fail(key, b->err, AM_ERR_INPUT, "the key '%s' is here a second time", key->text);
    }
    b->key[b->depth] = key;
    return AM_OK;
}

/* Hand a finished or just opened node to what is open around it. */
static am_status place(builder *b, am_node *node) {
    if (b->depth == 0) {
        b->root = node;
        return AM_OK;
    }
    am_node *parent = b->open[b->depth];
    if (parent->kind == AM_NODE_LIST)
        return am_node_append(b->pool, parent, node, b->err);
    am_node *key = b->key[b->depth];
    if (!key)
        return take_key(b, parent, node);
    b->key[b->depth] = NULL;
    return am_node_put(b->pool, parent, key, node, b->err);
}

static am_status open_node(builder *b, struct fy_event *event, am_node_kind kind) {
    if (b->depth == deepest)
        return refuse(b, event, "lists and mappings are nested too deeply; a study needs fewer than 24 levels");
    am_node *node = node_at(b, kind, event);
    if (!node)
        return AM_ERR_MEMORY;
    AM_TRY(place(b, node));
    b->depth++;
    b->open[b->depth] = node;
    b->key[b->depth] = NULL;
    return AM_OK;
}

static am_status take_scalar(builder *b, struct fy_event *event) {
    am_node *node = node_at(b, AM_NODE_SCALAR, event);
    size_t length = 0;
    const char *text = "";
    if (!node)
        return AM_ERR_MEMORY;
    if (event->scalar.value) {
        text = fy_token_get_text(event->scalar.value, &length);
        node->quoted = fy_token_scalar_style(event->scalar.value) != FYSS_PLAIN;
    }
    if (!text)
        return am_fail(b->err, AM_ERR_MEMORY, "out of memory while reading %s", b->origin);
    if (memchr(text, '\0', length))
        return refuse(b, event, "a text contains a zero character");
    node->text = am_arena_text(b->pool, text, length, b->err);
    return node->text ? place(b, node) : AM_ERR_MEMORY;
}

static am_status take_event(builder *b, struct fy_event *event) {
    if (event->type == FYET_ALIAS || fy_event_get_anchor_token(event))
        return refuse(b, event,
                      "anchors and aliases ('&name', '*name') are not used in study files; write the value out");
    if (fy_event_get_tag_token(event))
        return refuse(b, event, "tags ('!name') are not used in study files; write the value alone");
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++b->documents > 1)
            return refuse(b, event, "a second document starts here; a study file holds one");
        return AM_OK;
    case FYET_MAPPING_START:
        return open_node(b, event, AM_NODE_MAP);
    case FYET_SEQUENCE_START:
        return open_node(b, event, AM_NODE_LIST);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        b->depth--;
        return AM_OK;
    case FYET_SCALAR:
        return take_scalar(b, event);
    default:
        return AM_OK;
    }
}

/* libfyaml's first complaint, in our words. */
static am_status syntax_error(builder *b, struct fy_diag *diag, const char *text) {
    void *iterator = NULL;
    struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iterator);
    int line = first && first->line > 0 ? first->line : 1, column = first && first->column > 0 ? first->column : 1;
    am_node at = {.origin = b->origin, .line = 0, .column = 0};
    if (first && b->lines) {
        at.line = line;
        at.column = column;
    }
    char words[AM_YAML_WORDS];
    const char *said = first && first->msg ? first->msg : "it could not be read";
    return am_node_fail(&at, b->err, AM_ERR_INPUT, "this is not valid YAML: %s",
                        am_yaml_words(said, text, line, column, words));
}

static am_status take_all(builder *b, struct fy_diag *diag, const char *text) {
    bool ended = false;
    am_status status = AM_OK;
    while (status == AM_OK && !ended) {
        struct fy_event *event = fy_parser_parse(b->parser);
        if (!event)
            return syntax_error(b, diag, text);
        ended = event->type == FYET_STREAM_END;
        status = take_event(b, event);
        fy_parser_event_free(b->parser, event);
    }
    return status;
}

static void swallow(struct fy_diag *diag, void *user, const char *text, size_t length) {
    (void)diag, (void)user, (void)text, (void)length; /* errors are collected; nothing is printed */
}

static struct fy_diag *quiet_diag(void) {
    struct fy_diag_cfg configuration;
    fy_diag_cfg_default(&configuration);
    configuration.fp = NULL;
    configuration.output_fn = swallow;
    configuration.colorize = false;
    struct fy_diag *diag = fy_diag_create(&configuration);
    if (diag)
        fy_diag_set_collect_errors(diag, true);
    return diag;
}

static am_status parse_with(builder *b, struct fy_diag *diag, const char *text, size_t length) {
    struct fy_parse_cfg configuration = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_SLOPPY_FLOW_INDENTATION |
                                                  FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
                                         .diag = diag};
    b->parser = fy_parser_create(&configuration);
    if (!b->parser)
        return am_fail(b->err, AM_ERR_MEMORY, "out of memory while reading %s", b->origin);
    am_status status = AM_OK;
    if (fy_parser_set_string(b->parser, text, length) != 0)
        status = am_fail(b->err, AM_ERR_MEMORY, "out of memory while reading %s", b->origin);
    else
        status = take_all(b, diag, text);
    fy_parser_destroy(b->parser);
    return status;
}

/* libfyaml is not asked to judge bytes that are no text: the message would name the first strange character and nothing
 * else. */
static bool is_text(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        size_t more = c < 0x80                ? 0
                      : c >= 0xf0 && c < 0xf8 ? 3
                      : c >= 0xe0 && c < 0xf0 ? 2
                      : c >= 0xc2 && c < 0xe0 ? 1
                                              : 9;
        if ((c < 0x20 && !strchr("\t\n\r", c)) || c == 0 || c == 0x7f || more == 9 || more > length - i - 1)
            return false;
        for (; more > 0; more--)
            if (((unsigned char)text[++i] & 0xc0) != 0x80)
                return false;
    }
    return true;
}

am_node *am_node_parse(am_arena *pool, const char *origin, const char *text, size_t length, bool lines, am_error *err) {
    builder b = {.pool = pool, .lines = lines, .err = err};
    b.origin = am_arena_text(pool, origin, strlen(origin), err);
    if (!b.origin)
        return NULL;
    if (!is_text(text, length)) {
        am_fail(err, AM_ERR_INPUT, "%s: this is not a text file (UTF-8); expected a study in YAML", origin);
        return NULL;
    }
    struct fy_diag *diag = quiet_diag();
    if (!diag) {
        am_fail(err, AM_ERR_MEMORY, "out of memory while reading %s", origin);
        return NULL;
    }
    am_status status = parse_with(&b, diag, text, length);
    fy_diag_destroy(diag);
    if (status == AM_OK && !b.root)
        am_fail(err, AM_ERR_INPUT, "%s: the file is empty; `amontons new klarbring` prints a study to start from",
                origin);
    return status == AM_OK ? b.root : NULL;
}
