#include "imports/sets.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/lines.h"
#include "base/memory.h"
#include "base/try.h"

const am_set *am_sets_find(const am_sets *sets, const char *name, size_t length) {
    for (size_t i = 0; i < sets->count; i++)
        if (strlen(sets->set[i].name) == length && strncasecmp(sets->set[i].name, name, length) == 0)
            return &sets->set[i];
    return NULL;
}

static am_status open_set(am_sets *sets, const char *name, am_set **set, am_error *err) {
    *set = (am_set *)(void *)am_sets_find(sets, name, strlen(name));
    if (*set)
        return AM_OK;
    AM_TRY(am_memory_reserve(&sets->set, &sets->capacity, sets->count + 1, err));
    *set = &sets->set[sets->count++];
    **set = (am_set){.count = 0};
    snprintf((*set)->name, sizeof(*set)->name, "%s", name);
    return AM_OK;
}

am_status am_sets_add(am_sets *sets, const char *name, long node, am_error *err) {
    am_set *set;
    AM_TRY(open_set(sets, name, &set, err));
    AM_TRY(am_memory_reserve(&set->node, &set->capacity, set->count + 1, err));
    set->node[set->count++] = node;
    return AM_OK;
}

static int compare(const void *one, const void *other) {
    long a = *(const long *)one, b = *(const long *)other;
    return (a > b) - (a < b);
}

void am_sets_sort(am_sets *sets) {
    for (size_t i = 0; i < sets->count; i++) {
        am_set *set = &sets->set[i];
        size_t kept = 0;
        qsort(set->node, set->count, sizeof *set->node, compare);
        for (size_t k = 0; k < set->count; k++)
            if (kept == 0 || set->node[kept - 1] != set->node[k])
                set->node[kept++] = set->node[k];
        set->count = kept;
    }
}

void am_sets_clear(am_sets *sets) {
    for (size_t i = 0; i < sets->count; i++)
        am_memory_free(sets->set[i].node);
    am_memory_free(sets->set);
    *sets = (am_sets){0};
}

/* ---- files ---- */

typedef struct reader {
    am_sets *sets;
    am_lines lines;
    char name[80]; /* of the set whose nodes follow; "": none do */
    bool nodes;    /* of *NODE: only the first number of a line is a node */
    bool generate; /* first, last, step */
    int node_column, set_column;
} reader;

/* The value of a parameter of a card, "NSET=TIP", without blanks around it. */
static bool take_parameter(const char *card, const char *key, char value[80]) {
    for (const char *at = strchr(card, ','); at; at = strchr(at + 1, ',')) {
        const char *word = at + 1 + strspn(at + 1, " \t");
        size_t length = strlen(key);
        if (strncasecmp(word, key, length) != 0)
            continue;
        word += length;
        word += strspn(word, " \t");
        if (*word != '=' && *word != ',' && *word != '\0')
            continue;
        word += *word == '=';
        word += strspn(word, " \t\"");
        snprintf(value, 80, "%.*s", (int)strcspn(word, ", \t\""), word);
        return true;
    }
    return false;
}

static void begin_card(reader *r) {
    char unused[80];
    const char *text = r->lines.text;
    r->nodes = strncasecmp(text, "*NODE", 5) == 0 && strchr(", \t", text[5]) && strncasecmp(text, "*NODE ", 6) != 0;
    bool set = strncasecmp(text, "*NSET", 5) == 0;
    r->name[0] = '\0';
    if ((r->nodes || set) && !take_parameter(text, "NSET", r->name))
        r->name[0] = '\0';
    r->generate = set && take_parameter(text, "GENERATE", unused);
}

static am_status take_numbers(reader *r, long numbers[32], size_t *count, am_error *err) {
    const char *text = r->lines.text;
    *count = 0;
    for (char *end; *(text += strspn(text, ", \t")) && *count < 32; text = end) {
        numbers[*count] = strtol(text, &end, 10);
        if (end == text)
            return am_lines_wrong(&r->lines, err, "expected nodes of the set %s, not '%.40s'", r->name, text);
        ++*count;
        if (r->nodes)
            break;
    }
    return AM_OK;
}

/* A line that names sets joins them. */
static am_status join_set(reader *r, const char *text, am_error *err) {
    size_t length = strcspn(text, ", \t");
    const am_set *other = am_sets_find(r->sets, text, length);
    if (!other)
        return am_lines_wrong(&r->lines, err, "there is no set '%.*s' yet", (int)(length < 60 ? length : 60), text);
    size_t index = (size_t)(other - r->sets->set), count = other->count; /* a new set may move the others */
    for (size_t i = 0; i < count; i++)
        AM_TRY(am_sets_add(r->sets, r->name, r->sets->set[index].node[i], err));
    return AM_OK;
}

static am_status read_deck_line(reader *r, am_error *err) {
    long numbers[32];
    size_t count = 0;
    const char *text = r->lines.text + strspn(r->lines.text, " \t");
    if (text[0] == '*' && text[1] != '*')
        begin_card(r);
    if (*text == '*' || !*text || !r->name[0])
        return AM_OK;
    if (isalpha((unsigned char)*text))
        return join_set(r, text, err);
    AM_TRY(take_numbers(r, numbers, &count, err));
    if (!r->generate) {
        for (size_t i = 0; i < count; i++)
            AM_TRY(am_sets_add(r->sets, r->name, numbers[i], err));
        return AM_OK;
    }
    long step = count > 2 ? numbers[2] : 1;
    if (count < 2 || step < 1 || (numbers[1] - numbers[0]) / step > 100000000)
        return am_lines_wrong(&r->lines, err, "expected the first and the last node of the set %s, and a step",
                              r->name);
    for (long node = numbers[0]; node <= numbers[1]; node += step)
        AM_TRY(am_sets_add(r->sets, r->name, node, err));
    return AM_OK;
}

/* Field `index` of a line of a table. */
static const char *field_of(const char *text, int index, size_t *length) {
    for (; index > 0 && text; index--)
        text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL;
    if (!text)
        return NULL;
    text += strspn(text, " \t\"");
    *length = strcspn(text, ",\"");
    while (*length > 0 && isspace((unsigned char)text[*length - 1]))
        --*length;
    return text;
}

static am_status read_head(reader *r, am_error *err) {
    size_t length;
    r->node_column = r->set_column = -1;
    for (int i = 0;; i++) {
        const char *field = field_of(r->lines.text, i, &length);
        if (!field)
            break;
        if (length == 4 && strncasecmp(field, "node", 4) == 0)
            r->node_column = i;
        if ((length == 3 && strncasecmp(field, "set", 3) == 0) || (length == 4 && strncasecmp(field, "sets", 4) == 0))
            r->set_column = i;
    }
    return r->node_column >= 0 && r->set_column >= 0
               ? AM_OK
               : am_lines_wrong(&r->lines, err, "expected an input deck, or a table with the columns node and set");
}

/* A node may be in several sets: names with blanks or semicolons between them. */
static am_status read_table_line(reader *r, am_error *err) {
    size_t node_length = 0, set_length = 0;
    const char *node = field_of(r->lines.text, r->node_column, &node_length);
    const char *set = field_of(r->lines.text, r->set_column, &set_length), *end = set ? set + set_length : NULL;
    char *after;
    if (!r->lines.text[strspn(r->lines.text, " \t")])
        return AM_OK;
    long number = node ? strtol(node, &after, 10) : 0;
    if (!node || after == node || after != node + node_length)
        return am_lines_wrong(&r->lines, err, "expected the number of a node");
    while (set && (set += strspn(set, "; \t")) < end) {
        size_t length = strcspn(set, "; \t,\"");
        snprintf(r->name, sizeof r->name, "%.*s", (int)(length < 79 ? length : 79), set);
        AM_TRY(am_sets_add(r->sets, r->name, number, err));
        set += length;
    }
    return AM_OK;
}

am_status am_sets_read(am_sets *sets, const char *path, am_error *err) {
    reader r = {.sets = sets};
    bool more = true, deck = true, begun = false;
    am_status status = am_lines_open(&r.lines, path, "an input deck or a table of nodes", err);
    while (!status && (status = am_lines_next(&r.lines, &more, err)) == AM_OK && more) {
        if (!begun && r.lines.text[strspn(r.lines.text, " \t")]) {
            begun = true;
            deck = r.lines.text[strspn(r.lines.text, " \t")] == '*';
            if (!deck) {
                status = read_head(&r, err);
                continue;
            }
        }
        if (begun)
            status = deck ? read_deck_line(&r, err) : read_table_line(&r, err);
    }
    if (!status && sets->count == 0)
        status = am_fail(err, AM_ERR_INPUT, "%s: there is no set of nodes in this file", path);
    am_lines_close(&r.lines);
    am_sets_sort(sets);
    return status;
}
