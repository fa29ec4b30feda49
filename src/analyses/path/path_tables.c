#include "analyses/path/path_internal.h"

#include "analyses/tables/dynamic_tables.h"
#include "base/columns.h"
#include "base/try.h"
#include "system/column_names.h"
#include "system/joints.h"
#include "system/observer.h"
#include "system/system.h"

am_table *am_path_table_create(am_result *result, const char *name, const am_system *system, bool with_cause) {
    am_table *table = am_result_describe_table(result, name, with_cause ? "t state cause" : "t state");
    am_columns_coordinates(table, system);
    am_columns_forces(table, system);
    return table;
}

am_status am_path_table_add(am_table *table, const am_system *system, const am_path_row *row, am_text *text,
                            am_error *err) {
    size_t column = 1;
    am_text_clear(text);
    am_joints_name(text, system, row->state);
    AM_TRY(am_text_status(text, err));
    am_table_add_numbers(table, &row->t, 1);
    am_table_set_text(table, column++, am_text_view(text), NULL);
    if (row->cause)
        am_table_set_text(table, column++, row->cause, NULL);
    column = am_table_set_numbers(table, column, row->q, system->n - system->unseen);
    am_columns_set_forces(table, column, system, row->normal, row->tangential, row->second);
    return AM_OK;
}

void am_path_set_state(am_result *result, const am_system *system, const am_contact_state *state) {
    am_text name = {0};
    am_joints_name(&name, system, state);
    am_result_take_text(result, "final_state", &name);
}

am_status am_path_show(const am_result *result, const am_system *system, const am_path_row *row, bool cycle,
                       am_error *err) {
    const am_sample sample = {row->t,      system->n,       system->m,  row->q,     NULL,
                              row->normal, row->tangential, row->state, row->second};
    return cycle ? am_observe_cycle(result, &sample, err) : am_observe(result, &sample, err);
}
