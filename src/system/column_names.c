#include "system/column_names.h"

#include <stdio.h>
#include <string.h>

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
    snprintf(unnamed, sizeof unnamed, "%s%zu", word, contact + 1);
    return strcmp(name, unnamed) == 0 ? name + strlen(word) : name;
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
static am_status add_column(am_table *table, am_text *text, am_column_kind kind, am_error *err) {
    am_status status = am_text_status(text, err);
    if (!status)
        status = am_table_add_column(table, am_text_view(text), "", kind, err);
    am_text_free(text);
    return status;
}

am_status am_columns_coordinates(am_table *table, const am_system *system, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < system->n && !status; i++)
        status = am_table_add_column(table, system->name[i], "", AM_COLUMN_NUMBER, err);
    return status;
}

am_status am_columns_velocities(am_table *table, const am_system *system, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < system->n && !status; i++)
        status = am_table_add_column(table, system->velocity[i], "", AM_COLUMN_NUMBER, err);
    return status;
}

am_status am_columns_event_coordinates(am_table *table, const am_system *system, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < system->n && !status; i++) {
        am_text text = {0};
        if (system->named_by_model)
            am_text_printf(&text, "q%zu", i + 1);
        else
            am_text_add(&text, system->name[i]);
        status = add_column(table, &text, AM_COLUMN_NUMBER, err);
    }
    return status;
}

am_status am_columns_event_velocities(am_table *table, const am_system *system, const char *after, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < system->n && !status; i++) {
        am_text text = {0};
        if (system->named_by_model)
            am_text_printf(&text, "v%zu%s", i + 1, after);
        else
            am_text_printf(&text, "%s%s", system->velocity[i], after);
        status = add_column(table, &text, AM_COLUMN_NUMBER, err);
    }
    return status;
}

am_status am_columns_contacts(am_table *table, const am_system *system, const char *what, am_column_kind kind,
                              am_error *err) {
    am_status status = AM_OK;
    for (size_t c = 0; c < system->m && !status; c++) {
        am_text text = {0};
        am_text_add(&text, what);
        am_column_add_contact(&text, system, c);
        status = add_column(table, &text, kind, err);
    }
    return status;
}
