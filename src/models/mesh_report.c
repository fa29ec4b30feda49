#include "models/mesh_report.h"

#include <math.h>

#include "base/arena.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"

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
    for (size_t i = 0; i < rig->def.contact_count; i++) {
        double sum[SLIP + 1] = {0};
        sum_contact(rig->solid, last, i, sum);
        am_table_add_numbers(table, sum + FX, SLIP);
        am_table_set_text(table, CONTACT, rig->def.contact[i].name, err);
    }
    return am_result_status(result, err);
}

static am_status report_totals(const am_solid *solid, const am_sample *last, am_result *result, am_error *err) {
    double normal = 0, tangential = 0, most = 0;
    for (size_t c = 0; c < am_solid_contacts(solid); c++) {
        normal += last->normal[c];
        tangential += last->tangential[c];
        most = fmax(most, last->normal[c] / am_solid_node_at(solid, c)->area);
    }
    am_result_set_number(result, "N", normal, err);
    am_result_set_number(result, "T", tangential, err);
    return am_result_set_number(result, "max_pressure", most, err);
}

/* ---- drives ---- */

static am_status report_drives(const am_mesh_rig *rig, const am_solid_subject *subject, const am_sample *last,
                               am_result *result, am_error *err) {
    if (rig->def.drive_count == 0)
        return AM_OK;
    am_arena memory = {0};
    double *displacement = am_arena_doubles(&memory, NULL, 2 * rig->mesh.nodes, err);
    double *force = am_arena_doubles(&memory, NULL, rig->def.drive_count, err);
    am_status status = am_arena_status(&memory);
    if (status == AM_OK)
        status = am_solid_sample_displacements(subject, last, displacement, force, err);
    am_table *table = status == AM_OK ? am_result_describe_table(result, "drives", "drive displacement force") : NULL;
    for (size_t i = 0; table && i < rig->def.drive_count; i++) {
        const am_mesh_drive *drive = &rig->def.drive[i];
        am_table_add_numbers(table, AM_NUMBERS(am_function_at(&drive->function, last->t), force[i]));
        am_table_set_text(table, 0, drive->name, err);
    }
    am_arena_clear(&memory);
    return status == AM_OK ? am_result_status(result, err) : status;
}

typedef struct mesh_watch {
    am_mesh_rig *rig, *own; /* own: to be cleared with it; NULL: the rig is borrowed */
    bool fields;
    am_solid_last last;
} mesh_watch;

static void release(void *watch) {
    mesh_watch *w = watch;
    am_solid_last_clear(&w->last);
    if (w->own)
        am_mesh_rig_clear(w->own);
    am_memory_free(w->own);
    am_memory_free(w);
}

static am_status see_sample(void *watch, const am_sample *sample, am_error *err) {
    return am_solid_last_keep(&((mesh_watch *)watch)->last, sample, err);
}

static am_status report(void *watch, am_result *result, am_error *err) {
    mesh_watch *w = watch;
    am_mesh_rig *rig = w->rig;
    const am_sample *last = &w->last.sample;
    const am_solid_subject subject = {rig->solid, &rig->def, &rig->dynamics};
    AM_TRY(am_solid_report(&subject, w->fields, &w->last, result, err));
    if (!last->displacement)
        return AM_OK;
    AM_TRY(report_totals(rig->solid, last, result, err));
    AM_TRY(report_contacts(rig, last, result, err));
    return report_drives(rig, &subject, last, result, err);
}

am_status am_mesh_watch_open(am_mesh_rig *rig, bool fields, am_model_watch *watch, am_error *err) {
    mesh_watch *w = am_memory_new(1, sizeof *w, err);
    if (!w)
        return AM_ERR_MEMORY;
    *w = (mesh_watch){.rig = rig, .fields = fields};
    *watch = (am_model_watch){{.sample = see_sample, .context = w}, report, release};
    return AM_OK;
}

am_system *am_mesh_create_watched(const am_mesh *mesh, bool fields, am_model_watch *watch, am_error *err) {
    if (!mesh || !watch)
        return am_misused_for_nothing(err, __func__);
    am_mesh_rig *rig = am_memory_new(1, sizeof *rig, err);
    am_system *system = rig ? am_mesh_rig_create(rig, mesh, err) : NULL;
    if (system && am_mesh_watch_open(rig, fields, watch, err) == AM_OK) {
        ((mesh_watch *)watch->observer.context)->own = rig;
        return system;
    }
    am_system_free(system);
    if (rig)
        am_mesh_rig_clear(rig);
    am_memory_free(rig);
    return NULL;
}
