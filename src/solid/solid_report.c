#include "solid/solid_report.h"

#include <string.h>

#include "base/columns.h"
#include "base/local.h"
#include "solid/field.h"

/* ---- samples ---- */

am_status am_solid_last_keep(am_solid_last *last, const am_sample *sample, am_error *err) {
    size_t n = sample->coordinates, m = sample->contacts;
    am_arena_reset(&last->memory);
    last->sample.displacement = NULL;
    double *q, *v, *N, *T;
    AM_ARENA_DOUBLES(&last->memory, n, err, &q, &v);
    AM_ARENA_DOUBLES(&last->memory, m, err, &N, &T);
    am_contact_state *state = am_arena_new(&last->memory, m, sizeof *state, err);
    AM_TRY(am_arena_status(&last->memory));
    memcpy(q, sample->displacement, n * sizeof *q);
    if (sample->velocity)
        memcpy(v, sample->velocity, n * sizeof *v);
    memcpy(N, sample->normal, m * sizeof *N);
    memcpy(T, sample->tangential, m * sizeof *T);
    memcpy(state, sample->state, m * sizeof *state);
    last->sample = (am_sample){sample->t, n, m, q, sample->velocity ? v : NULL, N, T, state, NULL};
    return AM_OK;
}

void am_solid_last_clear(am_solid_last *last) {
    am_arena_clear(&last->memory);
    *last = (am_solid_last){0};
}

am_status am_solid_sample_displacements(const am_solid_subject *subject, const am_sample *sample, double *displacement,
                                        double *drive, am_error *err) {
    const double *q = sample->displacement;
    if (!sample->velocity)
        return am_solid_displacements(subject->solid, q, sample->t, displacement, NULL, drive, err);
    for (size_t d = 0; d < subject->def->drive_count && drive; d++)
        drive[d] = am_solid_dynamics_force(subject->dynamics, subject->def, d, q, sample->t);
    return am_solid_dynamics_displacements(subject->dynamics, subject->solid, q, displacement, err);
}

/* ---- the interface ---- */

static void interface_row(am_table *table, const char *name, const am_solid_node *node, const am_sample *last,
                          size_t c) {
    am_table_add_numbers(table, AM_NUMBERS(node->place[0], node->place[1], node->arc, last->normal[c] / node->area,
                                           -last->tangential[c] / node->area, last->displacement[c],
                                           node->gap + am_solid_gaps(last)[c], node->area));
    am_table_set_text(table, 0, name ? name : "", NULL);
    am_table_set_text(table, 8, am_contact_state_name(last->state[c]), NULL);
}

static void report_interface(const am_solid_subject *subject, const am_sample *last, am_result *result) {
    const am_solid *solid = subject->solid;
    am_table *table = am_result_describe_table(result, "interface", "contact x y s p q slip gap state area");
    for (size_t c = 0; c < am_solid_contacts(solid); c++) {
        const am_solid_node *node = am_solid_node_at(solid, c);
        interface_row(table, subject->def->contact[node->contact].name, node, last, c);
    }
}

static am_status report_fields(const am_solid_subject *subject, const am_sample *last, am_result *result,
                               am_error *err) {
    const am_solid_mesh *mesh = subject->def->mesh;
    AM_LOCAL_MEMORY double *displacement = am_memory_new(2 * mesh->nodes, sizeof *displacement, err);
    if (!displacement)
        return AM_ERR_MEMORY;
    AM_TRY(am_solid_sample_displacements(subject, last, displacement, NULL, err));
    return am_solid_field_tables(mesh, displacement, result, err);
}

static void report_sizes(const am_solid_subject *subject, am_result *result) {
    const am_solid_dynamics *d = subject->dynamics;
    am_result_set_count(result, "contact_nodes", am_solid_contacts(subject->solid), NULL);
    am_result_set_count(result, "unknowns", am_solid_unknowns(subject->solid), NULL);
    if (!d || d->modes == 0)
        return;
    am_result_set_count(result, "modes", d->modes, NULL);
    am_result_set_numbers(
        result, AM_NAMED({"frequency_error", d->frequency_error}, {"highest_frequency", d->highest_frequency}));
}

am_status am_solid_report(const am_solid_subject *subject, bool fields, const am_solid_last *last, am_result *result,
                          am_error *err) {
    report_sizes(subject, result);
    if (last->sample.displacement) {
        report_interface(subject, &last->sample, result);
        AM_TRY(fields ? report_fields(subject, &last->sample, result, err) : AM_OK);
    }
    return am_result_status(result, err);
}
