#include "analyses/path/table.h"
#include "base/try.h"

#include "base/columns.h"
#include "engines/quasistatic/candidates.h"
#include "system/column_names.h"
#include "system/observer.h"
#include "system/system.h"

am_status am_path_table_columns(am_table *table, const am_system *system, bool with_cause, am_error *err) {
    am_table_describe(table, with_cause ? "t state cause" : "t state");
    am_columns_coordinates(table, system);
    am_columns_contacts(table, system, "N");
    am_columns_contacts(table, system, "T");
    return am_table_status(table, err);
}

am_status am_path_table_add(am_table *table, const am_system *system, const am_path_row *row, am_text *text,
                            am_error *err) {
    size_t column = 0;
    AM_TRY(am_table_add_row(table, err));
    am_text_clear(text);
    am_candidates_name(text, row->state, system->m);
    AM_TRY(am_text_status(text, err));
    am_table_set_number(table, column++, row->t);
    AM_TRY(am_table_set_text(table, column++, am_text_view(text), err));
    if (row->cause)
        AM_TRY(am_table_set_text(table, column++, row->cause, err));
    for (size_t i = 0; i < system->n; i++)
        am_table_set_number(table, column++, row->q[i]);
    for (size_t c = 0; c < system->m; c++)
        am_table_set_number(table, column++, row->normal[c]);
    for (size_t c = 0; c < system->m; c++)
        am_table_set_number(table, column++, row->tangential[c]);
    return AM_OK;
}

am_status am_path_show(const am_result *result, const am_system *system, const am_path_row *row, am_error *err) {
    const am_sample sample = {row->t, system->n, system->m, row->q, NULL, row->normal, row->tangential, row->state};
    return am_observe(result, &sample, err);
}
