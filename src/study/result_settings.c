#include "study/result_settings.h"

#include <stdio.h>
#include <string.h>

#include "base/glossary.h"
#include "system/column_names.h"
#include "system/system.h"

/* Is it a part of the path of an axis, as "reduce" is of model.reduce.modes? */
static bool is_varied(const am_node *axes, const char *field) {
    size_t length = strlen(field);
    for (size_t i = 0; axes && axes->kind == AM_NODE_MAP && i < axes->count; i++)
        for (const char *at = axes->entries[i].key->text; (at = strstr(at, field)); at += length)
            if (at > axes->entries[i].key->text && at[-1] == '.' && (at[length] == '.' || !at[length]))
                return true;
    return false;
}

/* Has an axis this field, as `draw`? */
static bool is_of_an_axis(const am_node *axes, const char *field) {
    for (size_t i = 0; axes && axes->kind == AM_NODE_MAP && i < axes->count; i++)
        if (am_node_get(axes->entries[i].value, field))
            return true;
    return false;
}

/* What a structure is, in a word: its model has symbols of its own, contacts move in a plane. */
static bool is_structure(const am_system *system, const char *word) {
    return (strcmp(word, "symbols") == 0 && system->named_by_model) ||
           (strcmp(word, "planes") == 0 && am_columns_have_second(system));
}

/* A field that the study gives to its analysis, its model or an axis, the form in which the analysis answers, or a word
 * for its structure. */
static bool is_set(const am_result_settings *given, const char *name, size_t length) {
    char field[64];
    const char *form = given->kind && given->kind->form && given->system ? given->kind->form(given->system) : NULL;
    snprintf(field, sizeof field, "%.*s", (int)length, name);
    return am_node_get(given->options, field) || am_node_get(given->model, field) || is_varied(given->axes, field) ||
           is_of_an_axis(given->axes, field) || (form && strcmp(form, field) == 0) ||
           (given->system && is_structure(given->system, field));
}

bool am_result_settings_hold(const am_result_settings *given, const char *list, const char *place) {
    bool without, found = false;
    const char *at = am_glossary_settings(list, place, &without);
    if (!at)
        return true;
    for (size_t length;; at += length + strlen(" or ")) {
        length = strcspn(at, " ,");
        found = found || is_set(given, at, length);
        if (strncmp(at + length, " or ", strlen(" or ")) != 0)
            return found != without;
    }
}
