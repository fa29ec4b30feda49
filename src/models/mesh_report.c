#include "models/mesh_report.h"

#include <math.h>

#include "base/columns.h"
#include "base/memory.h"

/* ---- forces of contacts ---- */

enum { CONTACT, FX, FY, NORMAL, TANGENTIAL, OPEN, STICK, SLIP };

static void sum_contact(const am_solid *solid, const am_sample *last, size_t contact, double sum[SLIP + 1]) {
    for (size_t c = 0; c < am_solid_contacts(solid); c++) {
        const am_solid_node *node = am_solid_node_at(solid, c);
        if (node->contact != contact)
            continue;
        sum[FX] += last->normal[c] * node->normal[0] + last->tangential[c] * node->tangent[0];
        sum[FY] += last->normal[c] * node->normal[1] + last->tangential[c] * node->tangent[1];
        sum[NORMAL] += last->normal[c];
        sum[TANGENTIAL] += last->tangential[c];
        sum[last->state[c] == AM_OPEN ? OPEN : last->state[c] == AM_STICK ? STICK : SLIP] += 1;
    }
}

static am_status report_contacts(const am_mesh_rig *rig, const am_sample *last, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "contact_forces", "contact Fx Fy N T open stick slip");
    am_status status = am_result_status(result, err);
    for (size_t i = 0; status == AM_OK && i < rig->def.contact_count; i++) {
        double sum[SLIP + 1] = {0};
        sum_contact(rig->solid, last, i, sum);
        status = am_table_add_row(table, err);
        if (status == AM_OK)
            status = am_table_set_text(table, CONTACT, rig->def.contact[i].name, err);
        for (size_t k = FX; status == AM_OK && k <= SLIP; k++)
            am_table_set_number(table, k, sum[k]);
    }
    return status;
}

static am_status report_totals(const am_solid *solid, const am_sample *last, am_result *result, am_error *err) {
    double normal = 0, tangential = 0, most = 0;
    for (size_t c = 0; c < am_solid_contacts(solid); c++) {
        normal += last->normal[c];
        tangential += last->tangential[c];
        most = fmax(most, last->normal[c] / am_solid_node_at(solid, c)->area);
    }
    am_status status = am_result_set_number(result, "N", normal, err);
    if (status == AM_OK)
        status = am_result_set_number(result, "T", tangential, err);
    return status == AM_OK ? am_result_set_number(result, "max_pressure", most, err) : status;
}

/* ---- drives ---- */

static am_status drive_rows(const am_mesh_rig *rig, double t, const double *force, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "drives", "drive displacement force");
    am_status status = am_result_status(result, err);
    for (size_t i = 0; status == AM_OK && i < rig->def.drive_count; i++) {
        status = am_table_add_row(table, err);
        if (status == AM_OK)
            status = am_table_set_text(table, 0, rig->def.drive[i].name, err);
        if (status != AM_OK)
            break;
        am_table_set_number(table, 1, am_function_at(&rig->def.drive[i].function, t));
        am_table_set_number(table, 2, force[i]);
    }
    return status;
}

static am_status report_drives(const am_mesh_rig *rig, const am_solid_subject *subject, const am_sample *last,
                               am_result *result, am_error *err) {
    if (rig->def.drive_count == 0)
        return AM_OK;
    double *displacement = am_memory_new(2 * rig->mesh.nodes, sizeof *displacement, err);
    double *force = am_memory_new(rig->def.drive_count, sizeof *force, err);
    am_status status = displacement && force ? AM_OK : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = am_solid_sample_displacements(subject, last, displacement, force, err);
    if (status == AM_OK)
        status = drive_rows(rig, last->t, force, result, err);
    am_memory_free(displacement);
    am_memory_free(force);
    return status;
}

am_status am_mesh_report(am_mesh_rig *rig, bool fields, const am_solid_last *last, am_result *result, am_error *err) {
    const am_solid_subject subject = {rig->solid, &rig->def, &rig->dynamics};
    am_status status = am_solid_report(&subject, fields, last, result, err);
    if (status != AM_OK || !last->sample.displacement)
        return status;
    status = report_totals(rig->solid, &last->sample, result, err);
    if (status == AM_OK)
        status = report_contacts(rig, &last->sample, result, err);
    return status == AM_OK ? report_drives(rig, &subject, &last->sample, result, err) : status;
}
