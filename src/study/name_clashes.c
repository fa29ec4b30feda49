#include "study/result_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glossary.h"
#include "base/text.h"
#include "base/try.h"
#include "study/result_settings.h"
#include "system/column_names.h"
#include "system/system.h"

typedef enum owner { NOBODY, COORDINATE, CONTACT } owner;

typedef struct entry {
    const char *name;
    owner owner;
    size_t index; /* of the coordinate or contact */
} entry;

typedef struct check {
    am_reading *reading;
    const am_node *model;
    const am_system *system;
    const char *kind;            /* of the model */
    const am_analysis *analysis; /* with its settings; NULL: its name alone is known */
    bool sides;                  /* the table has columns for the sides of `starts` alone */
    entry *entries;              /* the names that one table (or the summary) has */
    size_t count, capacity;
} check;

/* ---- where a name is given ---- */

/* The last of `names: [...]` with this text. */
static const am_node *coordinate_node(const am_node *model, const char *name) {
    const am_node *names = am_node_get(model, "names"), *found = NULL;
    for (size_t i = 0; names && names->kind == AM_NODE_LIST && i < names->count; i++)
        if (am_node_is_text(names->items[i], name))
            found = names->items[i];
    return found ? found : names ? names : model;
}

/* The last of `contacts: [{name: ...}]` with this text. */
static const am_node *contact_node(const am_node *model, const char *name) {
    const am_node *contacts = am_node_get(model, "contacts"), *found = NULL;
    for (size_t i = 0; contacts && contacts->kind == AM_NODE_LIST && i < contacts->count; i++) {
        const am_node *given = am_node_get(contacts->items[i], "name");
        if (given && am_node_is_text(given, name))
            found = given;
    }
    return found ? found : contacts ? contacts : model;
}

/* ---- contacts by themselves ---- */

static am_status check_contacts(const check *c) {
    size_t m = am_system_contacts(c->system);
    for (size_t i = 0; i < m; i++) {
        const char *name = am_system_contact_name(c->system, i);
        if (!am_system_names_contact(c->system, i))
            continue;
        if (!*name)
            return am_node_fail(contact_node(c->model, name), c->reading->err, AM_ERR_INPUT,
                                "the name of a contact is empty; leave it out, and results call the contact %zu",
                                i + 1);
        for (size_t k = 0; k < m; k++)
            if (k != i && strcmp(am_system_contact_name(c->system, k), name) == 0)
                return am_node_fail(contact_node(c->model, name), c->reading->err, AM_ERR_INPUT,
                                    "two contacts are both called '%s'", name);
    }
    return AM_OK;
}

/* ---- names of one table ---- */

static am_status add(check *c, const char *name, owner whose, size_t index) {
    if (c->count == c->capacity) {
        size_t capacity = c->capacity < 64 ? 64 : 2 * c->capacity;
        entry *larger = am_arena_new(c->reading->pool, capacity, sizeof *larger, c->reading->err);
        if (!larger)
            return AM_ERR_MEMORY;
        if (c->count > 0)
            memcpy(larger, c->entries, c->count * sizeof *larger);
        c->entries = larger;
        c->capacity = capacity;
    }
    c->entries[c->count++] = (entry){name, whose, index};
    return AM_OK;
}

static void add_own(am_text *text, const am_system *system, char kind, size_t index) {
    if (kind == 'c')
        am_column_add_joint(text, system, index);
    else
        am_text_add(text, kind == 'q' ? am_system_name(system, index) : am_system_velocity_name(system, index));
}

bool am_result_names_start(const am_node *analysis, const char *name) {
    const am_node *starts = am_node_get(analysis, "starts");
    const am_node *box = starts ? am_node_get(starts, "box") : NULL;
    bool points = starts && (starts->kind == AM_NODE_SCALAR || am_node_get(starts, "count"));
    return !starts || (points && !box) || am_node_get(box ? box : starts, name);
}

/* All names that a pattern stands for: one for each coordinate or contact. */
static am_status expand(check *c, const char *pattern) {
    const char *open = strchr(pattern, '<');
    if (!open)
        return add(c, pattern, NOBODY, 0);
    bool contact = strncmp(open, "<c>", 3) == 0;
    if (!contact && strncmp(open, "<q>", 3) != 0 && strncmp(open, "<v>", 3) != 0)
        return AM_OK;
    size_t count = contact ? c->system->joints : am_system_size(c->system);
    am_status status = AM_OK;
    for (size_t i = 0; i < count && status == AM_OK; i++) {
        am_text text = {0};
        am_text_add_bytes(&text, pattern, (size_t)(open - pattern));
        add_own(&text, c->system, open[1], i);
        am_text_add(&text, open + 3);
        status = am_text_status(&text, c->reading->err);
        const char *kept =
            status == AM_OK ? am_arena_text(c->reading->pool, am_text_view(&text), text.length, c->reading->err) : NULL;
        am_text_free(&text);
        if (kept && !contact && c->sides && !am_result_names_start(c->analysis ? c->analysis->node : NULL, kept))
            continue;
        status = kept ? add(c, kept, contact ? CONTACT : COORDINATE, contact ? c->system->joint[i] : i) : AM_ERR_MEMORY;
    }
    return status;
}

static int by_name(const void *a, const void *b) {
    const entry *one = a, *two = b;
    int order = strcmp(one->name, two->name);
    return order ? order : (int)one->owner - (int)two->owner;
}

/* Did the study name what it belongs to? */
static bool is_named(const check *c, const entry *e) {
    return e->owner == COORDINATE ? am_system_names_coordinate(c->system, e->index)
                                  : e->owner == CONTACT && am_system_names_contact(c->system, e->index);
}

static am_status refuse(const check *c, const entry *e, const char *where) {
    bool contact = e->owner == CONTACT;
    const char *name = contact ? am_system_contact_name(c->system, e->index) : am_system_name(c->system, e->index);
    const am_node *at = contact ? contact_node(c->model, name) : coordinate_node(c->model, name);
    return am_node_fail(at, c->reading->err, AM_ERR_INPUT,
                        "with a %s called '%s', %s would have '%s' twice; choose another name",
                        contact ? "contact" : "coordinate", name, where, e->name);
}

/* Does the place have the name with the settings of this study? */
static bool holds(const check *c, const char *list, const char *place) {
    return !c->analysis ||
           am_result_settings_hold(
               &(am_result_settings){c->system, c->model, c->analysis->node, NULL, c->analysis->kind}, list, place);
}

/* The names of the summary of an analysis, or of one of its tables: is one there twice? */
static am_status check_names(check *c, const char *analysis, const char *table, const char *where) {
    am_glossary_section section = table ? AM_GLOSSARY_COLUMNS : AM_GLOSSARY_SUMMARY;
    am_status status = AM_OK;
    bool any = false;
    c->count = 0;
    c->sides = table && (strcmp(table, "map") == 0 || strcmp(table, "starts") == 0);
    for (size_t i = 0; i < am_glossary_size() && status == AM_OK; i++) {
        const am_glossary_entry *known = am_glossary_entry_at(i);
        if (known->section != section ||
            !am_glossary_lists(known->where, table ? table : analysis, table ? analysis : c->kind) ||
            !holds(c, known->where, table ? table : analysis))
            continue;
        const char *pattern = table ? am_glossary_column(known, table) : known->name;
        any = any || strstr(pattern, "<q>") || strstr(pattern, "<v>") || strstr(pattern, "<c>");
        status = expand(c, pattern);
    }
    if (status != AM_OK || !any)
        return status;
    qsort(c->entries, c->count, sizeof *c->entries, by_name);
    for (size_t i = 0; i + 1 < c->count; i++) {
        const entry *one = &c->entries[i], *two = one + 1;
        if (strcmp(one->name, two->name) == 0 && (is_named(c, one) || is_named(c, two)))
            return refuse(c, is_named(c, two) ? two : one, where);
    }
    return AM_OK;
}

/* Some tables (`samples`, `section`) are written where a field of that name asks for them. */
static bool is_written(const am_analysis *analysis, const char *table) {
    const am_schema *schema = analysis->kind->schema;
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        if (strcmp(field->name, table) != 0)
            continue;
        if (field->type == AM_FIELD_COUNT)
            return *(const size_t *)((const char *)analysis->settings + field->offset) > 0;
        if (field->type == AM_FIELD_RECORD)
            return am_node_get(analysis->node, table) != NULL;
    }
    return true;
}

static am_status check_analysis(check *c, const char *name, const am_analysis *analysis) {
    c->analysis = analysis;
    am_status status = check_names(c, name, NULL, "the summary");
    for (size_t i = 0; i < am_glossary_size() && status == AM_OK; i++) {
        const am_glossary_entry *table = am_glossary_entry_at(i);
        char where[128];
        if (table->section != AM_GLOSSARY_TABLES || !am_glossary_lists(table->where, name, NULL) ||
            (analysis && !is_written(analysis, table->name)))
            continue;
        snprintf(where, sizeof where, "table %s", table->name);
        status = check_names(c, name, table->name, where);
    }
    return status;
}

static bool has_names(const am_system *system) {
    bool found = false;
    for (size_t i = 0; i < am_system_size(system) && !found; i++)
        found = am_system_names_coordinate(system, i);
    for (size_t i = 0; i < am_system_contacts(system) && !found; i++)
        found = am_system_names_contact(system, i);
    return found;
}

am_status am_name_clashes_check(am_reading *reading, const am_study_setting *setting, const am_node *root,
                                const am_case *made) {
    check c = {.reading = reading,
               .model = am_node_get(root, "model"),
               .system = made->system,
               .kind = made->model.kind->schema->name};
    if (!made->system || !has_names(made->system))
        return AM_OK;
    AM_TRY(check_contacts(&c));
    if (setting->follow.parameter) /* the orbit that is followed has no tables of its own */
        return check_analysis(&c, "follow", NULL);
    for (size_t i = 0; i < made->count; i++)
        AM_TRY(check_analysis(&c, made->analyses[i].kind->schema->name, &made->analyses[i]));
    return AM_OK;
}
