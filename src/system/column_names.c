#include "system/column_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "base/object.h"
#include "system/joints.h"
#include "system/system.h"

/* ---- names ---- */

/* Which of the contacts that a study lists it belongs to. */
static size_t joint_of(const am_system *system, size_t contact) {
    size_t joint = contact;
    if (system->joints != system->m)
        for (joint = 0; system->joint[joint + 1] <= contact; joint++)
            ;
    return joint;
}

const char *am_system_velocity_name(const am_system *system, size_t coordinate) {
    if (!am_is(system, AM_TAG_SYSTEM) || coordinate >= system->n)
        return "";
    return system->velocity[coordinate];
}

/* A contact without a name is called "contact 3" in sentences, and 3 in results. */
static const char *shown_name(const char *name, size_t number) {
    static const char word[] = "contact ";
    char unnamed[48];
    bool numbered = strncmp(name, word, sizeof word - 1) == 0 &&
                    strcmp(name, am_text_numbered(unnamed, sizeof unnamed, word, number)) == 0;
    return numbered ? name + sizeof word - 1 : name;
}

const char *am_system_contact_name(const am_system *system, size_t contact) {
    if (!am_is(system, AM_TAG_SYSTEM) || contact >= system->m)
        return "";
    return shown_name(system->contact[contact].name, joint_of(system, contact) + 1);
}

bool am_system_names_contact(const am_system *system, size_t contact) {
    return !system->named_by_model && am_system_contact_name(system, contact) == system->contact[contact].name;
}

static void add_name(am_text *text, const am_system *system, const char *name, size_t number) {
    const char *shown = shown_name(name, number);
    if (!system->named_by_model && shown == name) {
        am_text_add(text, "_");
        am_text_add(text, name);
    } else {
        am_text_number(text, (double)number);
    }
}

static void column_add_contact(am_text *name, const am_system *system, size_t contact) {
    add_name(name, system, system->contact[contact].name, joint_of(system, contact) + 1);
}

void am_column_add_joint(am_text *name, const am_system *system, size_t joint) {
    const am_contact_def *first = &system->contact[system->joint[joint]];
    add_name(name, system, first->joint ? first->joint : first->name, joint + 1);
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
    for (size_t i = 0; i < system->n - system->unseen; i++)
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
        am_table_describe_as(table, "q<i>", am_text_numbered(name, sizeof name, "q", i + 1));
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

static void add_contact_columns(am_table *table, const am_system *system, const char *what, size_t count,
                                void (*add)(am_text *, const am_system *, size_t)) {
    char key[32];
    snprintf(key, sizeof key, "%s<c>", what);
    for (size_t c = 0; c < count; c++) {
        am_text name = {0};
        am_text_add(&name, what);
        add(&name, system, c);
        add_column(table, key, &name);
    }
}

void am_columns_contacts(am_table *table, const am_system *system, const char *what) {
    add_contact_columns(table, system, what, system->m, column_add_contact);
}

void am_columns_joints(am_table *table, const am_system *system, const char *what) {
    add_contact_columns(table, system, what, system->joints, am_column_add_joint);
}

bool am_columns_have_second(const am_system *system) {
    bool any = false;
    for (size_t c = 0; c < system->m && !any; c++)
        any = system->contact[c].second_tangent != NULL;
    return any;
}

void am_columns_forces(am_table *table, const am_system *system) {
    am_columns_joints(table, system, "N");
    am_columns_joints(table, system, "T");
    for (size_t j = 0; j < system->joints; j++) {
        am_text name = {0};
        if (!system->contact[system->joint[j]].second_tangent)
            continue;
        am_text_add(&name, "T2");
        am_column_add_joint(&name, system, j);
        add_column(table, "T2<c>", &name);
    }
}

/* No contact of the study is several sliders. */
static bool has_no_joints(const am_system *system) {
    return system->joints == system->m;
}

size_t am_columns_set_forces(am_table *table, size_t column, const am_system *system, const double *normal,
                             const double *tangential, const double *second) {
    size_t end = column + 2 * system->joints;
    bool plain = has_no_joints(system);
    if (plain)
        am_table_set_numbers(table, am_table_set_numbers(table, column, normal, system->m), tangential, system->m);
    for (size_t j = 0; j < system->joints && !plain; j++) {
        am_table_set_number(table, column + j, am_joint_normal(system, j, normal));
        am_table_set_number(table, column + system->joints + j, am_joint_tangential(system, j, tangential));
    }
    for (size_t j = 0; j < system->joints; j++)
        if (system->contact[system->joint[j]].second_tangent)
            am_table_set_number(table, end++, second ? second[system->joint[j]] : NAN);
    return end;
}

size_t am_columns_set_states(am_table *table, size_t column, const am_system *system, const am_contact_state *state) {
    bool plain = has_no_joints(system);
    for (size_t j = 0; j < system->joints; j++)
        am_table_set_text(table, column + j, plain ? am_contact_state_name(state[j]) : am_joint_state(system, j, state),
                          NULL);
    return column + system->joints;
}

/* ---- summaries ---- */

void am_summary_contacts(am_result *result, const am_system *system, const char *what, const double *values,
                         size_t count) {
    for (size_t c = 0; c < count; c++) {
        char name[160];
        if (am_system_names_contact(system, c))
            snprintf(name, sizeof name, "%s_%s", what, am_system_contact_name(system, c));
        else
            am_text_numbered(name, sizeof name, what, c + 1);
        am_result_set_number(result, name, values[c], NULL);
    }
}
