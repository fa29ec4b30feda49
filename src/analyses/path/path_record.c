/* What a path leaves in tables: its corners, and evenly spaced samples with the corners among them. */

#include <math.h>

#include "analyses/path/path_internal.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/quasistatic/quasistatic.h"

void am_path_record_into(am_path_record *record, const am_system *system, am_result *result, const char *table) {
    record->corners = record->samples = am_path_table_create(result, table, system, true);
    record->sample_cause = "sample";
    record->cycle = true;
}

void am_path_record_spread(am_path_record *record, double from, double until, size_t count) {
    record->from = from;
    record->until = until;
    record->count = count;
    record->interval = count > 1 ? (until - from) / (double)(count - 1) : 0.0;
    record->next = 0;
}

void am_path_record_clear(am_path_record *record) {
    am_memory_free(record->memory);
    am_text_free(&record->name);
}

static am_status add_row(am_path_record *record, const am_path_engine *engine, am_table *table, double t,
                         const char *cause, const am_path_point *point, am_error *err) {
    am_path_point *shown = &record->shown;
    if (point != shown)
        am_path_copy(engine, shown, point);
    am_path_share_point(engine, shown);
    am_path_row row = {t, engine->state, cause, shown->q, shown->normal, shown->tangential, NULL};
    AM_TRY(am_path_table_add(table, engine->system, &row, &record->name, err));
    if (table != record->samples)
        return AM_OK;
    return am_path_show(record->result, engine->system, &row, record->cycle, err);
}

am_status am_path_record_corner(am_path_record *record, const am_path_engine *engine, const char *cause,
                                am_error *err) {
    record->due = record->samples != record->corners;
    return add_row(record, engine, record->corners, record->shift + engine->t, cause, &engine->series[0], err);
}

am_status am_path_record_point(am_path_record *record, const am_path_engine *engine, am_error *err) {
    return add_row(record, engine, record->samples, record->shift + engine->t, record->sample_cause, &engine->series[0],
                   err);
}

static double sample_time(const am_path_record *r, size_t index) {
    if (index >= r->count)
        return INFINITY;
    return index + 1 == r->count && index > 0 ? r->until : r->from + r->interval * (double)index;
}

/* t: as shown. */
static am_status sample_at(am_path_record *r, const am_path_engine *e, double t, am_error *err) {
    am_path_engine_at(e, t - r->shift, &r->shown);
    return add_row(r, e, r->samples, t, r->sample_cause, &r->shown, err);
}

/* All rows of `samples` from the present time up to, but without, `to`. */
static am_status record_stretch(void *of, const am_path_engine *engine, double to, am_error *err) {
    am_path_record *r = of;
    double now = r->shift + engine->t, end = r->shift + to;
    if (r->due && sample_time(r, r->next) > now)
        AM_TRY(sample_at(r, engine, now, err));
    r->due = false;
    for (; sample_time(r, r->next) < end; r->next++)
        AM_TRY(sample_at(r, engine, sample_time(r, r->next), err));
    return AM_OK;
}

static am_status see_corner(void *of, const am_path_engine *engine, const char *cause, am_error *err) {
    return am_path_record_corner(of, engine, cause, err);
}

static am_status see_jump(void *of, const am_path_engine *engine, am_error *err) {
    return am_path_record_point(of, engine, err);
}

/* Lines between samples should have a corner where the loads have one. */
static void see_break(void *of) {
    ((am_path_record *)of)->due = true;
}

static void see_cycle_end(void *of, double length) {
    ((am_path_record *)of)->shift += length;
}

am_status am_path_record_init(am_path_record *record, const am_system *system, am_result *result, am_error *err) {
    size_t n = system->n, m = system->m;
    *record = (am_path_record){.observer = {record, see_corner, see_jump, see_break, record_stretch, see_cycle_end},
                               .memory = am_memory_new(n + 2 * m, sizeof *record->memory, err)};
    if (!record->memory)
        return AM_ERR_MEMORY;
    record->shown = (am_path_point){record->memory, record->memory + n, record->memory + n + m};
    record->corners = am_path_table_create(result, "corners", system, true);
    record->samples = am_path_table_create(result, "samples", system, false);
    record->result = result;
    return am_result_status(result, err);
}
