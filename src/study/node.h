/* The tree of a study file: plain data with positions, made from YAML (yaml.c), changed by `--set`, `full:` and sweeps,
 * and read by the schemas. Everything in a tree lives in one pool. Unlike libfyaml's own tree it may be read by many
 * threads. */
#ifndef AMONTONS_STUDY_NODE_H
#define AMONTONS_STUDY_NODE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "base/arena.h"
#include "base/text.h"

typedef enum am_node_kind { AM_NODE_SCALAR, AM_NODE_LIST, AM_NODE_MAP } am_node_kind;

typedef struct am_node am_node;

/* One entry of a map. */
typedef struct am_entry {
    am_node *key; /* a scalar */
    am_node *value;
} am_entry;

struct am_node {
    am_node_kind kind;
    const char *origin; /* the file, or "--set path=value" */
    int line, column;   /* from 1; line 0: the origin has no lines */
    /* SCALAR */
    const char *text;
    bool quoted;   /* so "3" is text where 3 is a number */
    bool numeric;  /* it was put there as a number, and has no text: */
    double number; /* that */
    /* LIST and MAP */
    size_t count, capacity;
    union {
        am_node **items;
        am_entry *entries;
    };
};

/* Was it given by whoever runs the study (--set), not by whoever wrote it? */
bool am_node_is_from_command(const am_node *node);

/* Parse one YAML document; NULL with "origin:line:column: ..." on failure. `lines` false: positions are left out of
 * messages. */
am_node *am_node_parse(am_arena *pool, const char *origin, const char *text, size_t length, bool lines, am_error *err);

/* New nodes take their position from `like`. */
am_node *am_node_new(am_arena *pool, am_node_kind kind, const am_node *like, am_error *err);
am_status am_node_append(am_arena *pool, am_node *list, am_node *item, am_error *err);
am_status am_node_put(am_arena *pool, am_node *map, am_node *key, am_node *value, am_error *err);
am_node *am_node_copy(am_arena *pool, const am_node *node, am_error *err);

/* Value of a key, or NULL; NULL too when `map` is NULL or no map. */
am_node *am_node_get(const am_node *map, const char *key);

/* Value of a key, or the mapping itself where the key was left out: where a message points to. */
const am_node *am_node_at(const am_node *map, const char *key);

/* The node at a path ("model.load_rate.0", "model.contacts[0].friction"), or NULL. Keys that contain dots are found
 * too. */
am_node *am_node_find(am_node *root, const char *path);

/* The node that a builder's err->field is about: as far along the path as the tree goes. Never NULL. */
const am_node *am_node_nearest(const am_node *root, const char *field);

/* Put `value` at the path, adding maps on the way. */
am_status am_node_set(am_arena *pool, am_node *root, const char *path, am_node *value, am_error *err);

/* A new scalar that is a number. */
am_node *am_node_of_number(am_arena *pool, double number, const am_node *like, am_error *err);

/* What a scalar would read in a file. */
const char *am_node_words(const am_node *node, char digits[AM_TEXT_NUMBER_SIZE]);

bool am_node_is_text(const am_node *node, const char *text); /* a plain or quoted scalar with just this text */
bool am_node_is_null(const am_node *node);
const char *am_node_kind_name(const am_node *node); /* "a list", "a mapping", "the text 'x'" without its text */

/* Fill err with "file:line:column: message" and return status. */
am_status am_node_fail(const am_node *node, am_error *err, am_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* Give a message that has no position the position of the field it names, below `root`. */
void am_node_locate(const am_node *root, am_error *err);

/* The reverse, for programs: the path of the field that stands at the position of a message becomes err->field. */
void am_node_name_field(const am_node *root, am_error *err);

#endif
