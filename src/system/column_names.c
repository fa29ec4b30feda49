#include "system/column_names.h"

#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "base/object.h"
#include "system/system.h"

/* ---- names ---- */

const char *am_system_velocity_name(const am_system *system, size_t coordinate) {
    if (!am_is(system, AM_TAG_SYSTEM) || coordinate >= system->n)
        return "";
    return system->velocity[coordinate];
}

/* A contact without a name is called "contact 3" in sentences, and 3 in results. */
const char *am_system_contact_name(const am_system *system, size_t contact) {
    static const char word[] = "contact ";
    char unnamed[48];
    if (!am_is(system, AM_TAG_SYSTEM) || contact >= system->m)
        return "";
    const char *name = system->contact[contact].name;
    if (strncmp(name, word, sizeof word - 1) != 0)
        return name;
    snprintf(unnamed, sizeof unnamed, "%zu", contact + 1);
    return strcmp(name + sizeof word - 1, unnamed) == 0 ? name + sizeof word - 1 : name;
}

bool am_system_names_contact(const am_system *system, size_t contact) {
    return !system->named_by_model && am_system_contact_name(system, contact) == system->contact[contact].name;
}

void am_column_add_contact(am_text *name, const am_system *system, size_t contact) {
    if (am_system_names_contact(system, contact))
        am_text_printf(name, "_%s", am_system_contact_name(system, contact));
    else
        am_text_printf(name, "%zu", contact + 1);
}

/* ---- columns ---- */

/* A column with the name in `text`, which is used up. */
static void add_column(am_table *table, const char *key, am_text *text) {
    am_error err = {0};
    if (am_text_status(text, &err) == AM_OK)
        am_table_describe_as(table, key, am_text_view(text));
    else
        am_table_fail(table, &err);
    am_text_free(text);
}

void am_columns_coordinates(am_table *table, const am_system *system) {
    for (size_t i = 0; i < system->n; i++)
        am_table_describe_as(table, "<q>", system->name[i]);
}

void am_columns_velocities(am_table *table, const am_system *system) {
    for (size_t i = 0; i < system->n; i++)
        am_table_describe_as(table, "<v>", system->velocity[i]);
}

void am_columns_event_coordinates(am_table *table, const am_system *system) {
    if (!system->named_by_model) {
        am_columns_coordinates(table, system);
        return;
    }
    for (size_t i = 0; i < system->n; i++) {
        char name[32];
        snprintf(name, sizeof name, "q%zu", i + 1);
        am_table_describe_as(table, "q<i>", name);
    }
}

void am_columns_event_velocities(am_table *table, const am_system *system, const char *after) {
    for (size_t i = 0; i < system->n; i++) {
        am_text name = {0};
        char key[32];
        snprintf(key, sizeof key, "%s%s", system->named_by_model ? "v<i>" : "<v>", after);
        if (system->named_by_model)
            am_text_printf(&name, "v%zu%s", i + 1, after);
        else
            am_text_printf(&name, "%s%s", system->velocity[i], after);
        add_column(table, key, &name);
    }
}

void am_columns_contacts(am_table *table, const am_system *system, const char *what) {
    char key[32];
    snprintf(key, sizeof key, "%s<c>", what);
    for (size_t c = 0; c < system->m; c++) {
        am_text name = {0};
        am_text_add(&name, what);
        am_column_add_contact(&name, system, c);
        add_column(table, key, &name);
    }
}

/* ---- summaries ---- */

void am_summary_contacts(am_result *result, const am_system *system, const char *what, const double *values,
                         size_t count) {
    for (size_t c = 0; c < count; c++) {
        char name[160], digits[24], *digit = digits + sizeof digits - 1;
        *digit = '\0';
        for (size_t number = c + 1; number > 0;
             number /= 10) /* printf costs more than the rest of a short run's report */
            *--digit = (char)('0' + number % 10);
        bool named = am_system_names_contact(system, c);
        size_t length = strlen(what);
        memcpy(name, what, length);
        if (named)
            snprintf(name + length, sizeof name - length, "_%s", am_system_contact_name(system, c));
        else
            memcpy(name + length, digit, strlen(digit) + 1);
        am_result_set_number(result, name, values[c], NULL);
    }
}
