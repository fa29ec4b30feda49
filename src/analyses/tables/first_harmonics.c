#include "analyses/tables/first_harmonics.h"

#include <stdio.h>

#include "base/columns.h"

void am_table_describe_first_harmonics(am_table *table, const am_system *system, bool phases) {
    for (size_t i = 0; i < am_system_size(system); i++) {
        char name[160];
        snprintf(name, sizeof name, "%.100s_1", am_system_name(system, i));
        am_table_describe_as(table, "<q>_1", name);
        if (!phases)
            continue;
        snprintf(name, sizeof name, "%.100s_phase_deg", am_system_name(system, i));
        am_table_describe_as(table, "<q>_phase_deg", name);
    }
}
