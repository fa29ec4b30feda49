#include "study/models/solid_report.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "solid/field.h"

/* ---- samples ---- */

am_solid_samples am_solid_find_samples(const am_solid_subject *subject, const am_result *result) {
    const am_table *table = am_result_find_table(result, "samples");
    am_solid_samples none = {0};
    if (!table || am_table_rows(table) == 0)
        return none;
    am_solid_samples found = {.table = table,
                              .contacts = am_solid_contacts(subject->solid),
                              .modes = subject->dynamics ? subject->dynamics->modes : 0,
                              .moving = am_table_find_column(table, "state1") != SIZE_MAX,
                              .z = am_table_find_column(table, "z1")};
    const struct {
        const char *name;
        size_t *column;
    } columns[] = {{"t", &found.t},  {found.moving ? "state1" : "state", &found.state},
                   {"v1", &found.v}, {"w1", &found.w},
                   {"N1", &found.N}, {"T1", &found.T}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i].column = am_table_find_column(table, columns[i].name);
        if (*columns[i].column == SIZE_MAX)
            return none;
    }
    if (found.modes > 0 && found.z == SIZE_MAX)
        return none;
    return found;
}

am_status am_solid_sample_init(am_solid_sample *sample, const am_solid_samples *samples, am_error *err) {
    size_t contacts = samples->contacts;
    double *numbers = am_memory_new(4 * contacts + samples->modes, sizeof *numbers, err);
    am_contact_state *state = am_memory_new(contacts, sizeof *state, err);
    *sample = (am_solid_sample){.v = numbers, .state = state};
    if (!numbers || !state) {
        am_solid_sample_clear(sample);
        return AM_ERR_MEMORY;
    }
    sample->w = numbers + contacts; /* behind v: together they are the coordinates */
    sample->N = numbers + 2 * contacts + samples->modes;
    sample->T = sample->N + contacts;
    return AM_OK;
}

void am_solid_sample_clear(am_solid_sample *sample) {
    am_memory_free(sample->v);
    am_memory_free(sample->state);
    *sample = (am_solid_sample){0};
}

/* Each word begins with a letter of its own. */
static am_contact_state state_of(const char *text) {
    return *text == 'o' ? AM_OPEN : *text == 's' ? AM_STICK : *text == 'f' ? AM_FORWARD : AM_BACKWARD;
}

/* "stick,open,..." */
static void read_states(const char *text, size_t contacts, am_contact_state *state) {
    for (size_t c = 0; c < contacts; c++) {
        state[c] = state_of(text);
        const char *comma = strchr(text, ',');
        text = comma ? comma + 1 : text;
    }
}

void am_solid_sample_read(const am_solid_samples *samples, size_t row, am_solid_sample *sample) {
    const am_table *table = samples->table;
    sample->t = am_table_number(table, row, samples->t);
    for (size_t c = 0; c < samples->contacts; c++) {
        sample->v[c] = am_table_number(table, row, samples->v + c);
        sample->w[c] = am_table_number(table, row, samples->w + c);
        sample->N[c] = am_table_number(table, row, samples->N + c);
        sample->T[c] = am_table_number(table, row, samples->T + c);
    }
    for (size_t k = 0; k < samples->modes; k++)
        sample->w[samples->contacts + k] = am_table_number(table, row, samples->z + k);
    if (!samples->moving)
        read_states(am_table_text(table, row, samples->state), samples->contacts, sample->state);
    for (size_t c = 0; c < samples->contacts && samples->moving; c++)
        sample->state[c] = state_of(am_table_text(table, row, samples->state + c));
}

am_status am_solid_sample_displacements(const am_solid_subject *subject, const am_solid_samples *samples,
                                        const am_solid_sample *sample, double *displacement, double *drive,
                                        am_error *err) {
    if (!samples->moving)
        return am_solid_displacements(subject->solid, sample->v, sample->t, displacement, NULL, drive, err);
    for (size_t d = 0; d < subject->def->drive_count && drive; d++)
        drive[d] = am_solid_dynamics_force(subject->dynamics, subject->def, d, sample->v, sample->t);
    return am_solid_dynamics_displacements(subject->dynamics, subject->solid, sample->v, displacement, err);
}

/* ---- the interface ---- */

enum { CONTACT, X, Y, S, PRESSURE, SHEAR, SLIP, GAP, STATE, AREA, COLUMNS };

static am_status interface_columns(am_table *table, am_error *err) {
    static const struct {
        const char *name, *unit;
        am_column_kind kind;
    } columns[COLUMNS] = {{"contact", "", AM_COLUMN_TEXT},
                          {"x", "length", AM_COLUMN_NUMBER},
                          {"y", "length", AM_COLUMN_NUMBER},
                          {"s", "length", AM_COLUMN_NUMBER},
                          {"p", "force/length^2", AM_COLUMN_NUMBER},
                          {"q", "force/length^2", AM_COLUMN_NUMBER},
                          {"slip", "length", AM_COLUMN_NUMBER},
                          {"gap", "length", AM_COLUMN_NUMBER},
                          {"state", "", AM_COLUMN_TEXT},
                          {"area", "length^2", AM_COLUMN_NUMBER}};
    am_status status = AM_OK;
    for (size_t i = 0; i < COLUMNS && !status; i++)
        status = am_table_add_column(table, columns[i].name, columns[i].unit, columns[i].kind, err);
    return status;
}

static am_status interface_row(am_table *table, const char *name, const am_solid_node *node,
                               const am_solid_sample *last, size_t c, am_error *err) {
    am_status status = am_table_add_row(table, err);
    if (status)
        return status;
    am_table_set_number(table, X, node->place[0]);
    am_table_set_number(table, Y, node->place[1]);
    am_table_set_number(table, S, node->arc);
    am_table_set_number(table, PRESSURE, last->N[c] / node->area);
    am_table_set_number(table, SHEAR, -last->T[c] / node->area);
    am_table_set_number(table, SLIP, last->v[c]);
    am_table_set_number(table, GAP, node->gap + last->w[c]);
    am_table_set_number(table, AREA, node->area);
    status = am_table_set_text(table, CONTACT, name ? name : "", err);
    return status ? status : am_table_set_text(table, STATE, am_contact_state_name(last->state[c]), err);
}

static am_status report_interface(const am_solid_subject *subject, const am_solid_sample *last, am_result *result,
                                  am_error *err) {
    const am_solid *solid = subject->solid;
    am_table *table = am_result_add_table(result, "interface", err);
    am_status status = table ? interface_columns(table, err) : AM_ERR_MEMORY;
    for (size_t c = 0; c < am_solid_contacts(solid) && !status; c++) {
        const am_solid_node *node = am_solid_node_at(solid, c);
        status = interface_row(table, subject->def->contact[node->contact].name, node, last, c, err);
    }
    return status;
}

static am_status report_fields(const am_solid_subject *subject, const am_solid_samples *samples,
                               const am_solid_sample *last, am_result *result, am_error *err) {
    const am_solid_mesh *mesh = subject->def->mesh;
    double *displacement = am_memory_new(2 * mesh->nodes, sizeof *displacement, err);
    if (!displacement)
        return AM_ERR_MEMORY;
    am_status status = am_solid_sample_displacements(subject, samples, last, displacement, NULL, err);
    if (!status)
        status = am_solid_field_tables(mesh, displacement, result, err);
    am_memory_free(displacement);
    return status;
}

static am_status report_sizes(const am_solid_subject *subject, am_result *result, am_error *err) {
    const am_solid_dynamics *d = subject->dynamics;
    am_status status = am_result_set_count(result, "contact_nodes", am_solid_contacts(subject->solid), err);
    if (!status)
        status = am_result_set_count(result, "unknowns", am_solid_unknowns(subject->solid), err);
    if (status || !d || d->modes == 0)
        return status;
    status = am_result_set_count(result, "modes", d->modes, err);
    if (!status)
        status = am_result_set_number(result, "frequency_error", d->frequency_error, err);
    return status ? status : am_result_set_number(result, "highest_frequency", d->highest_frequency, err);
}

am_status am_solid_report(const am_solid_subject *subject, bool fields, am_result *result, am_error *err) {
    am_solid_samples samples = am_solid_find_samples(subject, result);
    am_solid_sample last;
    am_status status = report_sizes(subject, result, err);
    if (status || !samples.table)
        return status;
    status = am_solid_sample_init(&last, &samples, err);
    if (status)
        return status;
    am_solid_sample_read(&samples, am_table_rows(samples.table) - 1, &last);
    status = report_interface(subject, &last, result, err);
    if (!status && fields)
        status = report_fields(subject, &samples, &last, result, err);
    am_solid_sample_clear(&last);
    return status;
}
