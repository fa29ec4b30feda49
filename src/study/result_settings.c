#include "study/result_settings.h"

#include <stdio.h>
#include <string.h>

#include "base/glossary.h"

/* Is it a part of the path of an axis, as "reduce" is of model.reduce.modes? */
static bool is_varied(const am_node *axes, const char *field) {
    size_t length = strlen(field);
    for (size_t i = 0; axes && axes->kind == AM_NODE_MAP && i < axes->count; i++)
        for (const char *at = axes->entries[i].key->text; (at = strstr(at, field)); at += length)
            if (at > axes->entries[i].key->text && at[-1] == '.' && (at[length] == '.' || !at[length]))
                return true;
    return false;
}

/* A field that the study gives to its analysis or model, or the form in which the analysis answers. */
static bool is_set(const am_result_settings *given, const char *name, size_t length) {
    char field[64];
    const char *form = given->kind && given->kind->form && given->system ? given->kind->form(given->system) : NULL;
    snprintf(field, sizeof field, "%.*s", (int)length, name);
    return am_node_get(given->options, field) || am_node_get(given->model, field) || is_varied(given->axes, field) ||
           (form && strcmp(form, field) == 0);
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
