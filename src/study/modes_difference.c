#include "study/modes_difference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "system/joints.h"
#include "system/system.h"

static const double forces_agree = 0.01, events_agree = 0.05;

/* ---- watching ---- */

static am_status watch_sample(void *context, const am_sample *sample, am_error *err) {
    am_contact_record *r = context;
    size_t first = 2 * r->joints * r->samples;
    AM_TRY(am_memory_reserve(&r->t, &r->t_capacity, r->samples + 1, err));
    AM_TRY(am_memory_reserve(&r->force, &r->force_capacity, first + 2 * r->joints, err));
    for (size_t j = 0; j < r->joints; j++) {
        r->force[first + 2 * j] = am_joint_normal(r->system, j, sample->normal);
        r->force[first + 2 * j + 1] = am_joint_tangential(r->system, j, sample->tangential);
    }
    r->t[r->samples++] = sample->t;
    return r->next.sample ? r->next.sample(r->next.context, sample, err) : AM_OK;
}

static am_status watch_event(void *context, const am_event *event, am_error *err) {
    am_contact_record *r = context;
    AM_TRY(am_memory_reserve(&r->event, &r->event_capacity, r->events + 1, err));
    r->event[r->events++] = event->t;
    return r->next.event ? r->next.event(r->next.context, event, err) : AM_OK;
}

static am_status watch_cycle(void *context, const am_sample *sample, am_error *err) {
    const am_observer *next = &((const am_contact_record *)context)->next;
    return next->cycle ? next->cycle(next->context, sample, err) : AM_OK;
}

static am_status watch_period(void *context, const am_period *period, am_error *err) {
    const am_observer *next = &((const am_contact_record *)context)->next;
    return next->period ? next->period(next->context, period, err) : AM_OK;
}

am_observer am_contact_record_watch(am_contact_record *record, const am_system *system, const am_observer *next) {
    record->system = system;
    record->joints = system->joints;
    record->next = *next;
    return (am_observer){
        .sample = watch_sample, .event = watch_event, .cycle = watch_cycle, .period = watch_period, .context = record};
}

void am_contact_record_clear(am_contact_record *record) {
    am_memory_free(record->t);
    am_memory_free(record->force);
    am_memory_free(record->event);
    *record = (am_contact_record){0};
}

/* ---- forces ---- */

static double compare_forces(const am_contact_record *a, const am_contact_record *b) {
    if (a->samples == 0 || b->samples == 0 || a->joints != b->joints)
        return NAN;
    size_t most = a->samples < b->samples ? a->samples : b->samples, row = 2 * b->joints;
    double off = 0.0, size = 0.0;
    for (size_t i = 0; i < most; i++) {
        if (a->t[i] != b->t[i])
            return NAN; /* samples of other times */
        for (size_t k = i * row; k < (i + 1) * row; k++) {
            off += (a->force[k] - b->force[k]) * (a->force[k] - b->force[k]);
            size += b->force[k] * b->force[k];
        }
    }
    return a->samples != b->samples ? INFINITY : size > 0.0 ? sqrt(off / size) : off;
}

/* ---- events ---- */

/* How many more events one has up to some time than the other up to a little later, at most. */
static size_t ahead(const am_contact_record *one, const am_contact_record *other, double slack) {
    size_t most = 0, counted = 0;
    for (size_t i = 0; i < one->events; i++) {
        while (counted < other->events && other->event[counted] <= one->event[i] + slack)
            counted++;
        most = i + 1 > counted + most ? i + 1 - counted : most;
    }
    return most;
}

static double compare_events(const am_contact_record *one, const am_contact_record *two) {
    if (one->samples == 0)
        return NAN;
    double slack = 0.01 * (one->t[one->samples - 1] - one->t[0]);
    size_t all = one->events > two->events ? one->events : two->events;
    size_t first = ahead(one, two, slack), second = ahead(two, one, slack);
    return all ? (double)(first > second ? first : second) / (double)all : 0.0;
}

/* ---- numbers that are not of a motion ---- */

/* What people ask of an analysis: summary values, or (with a table) the first rows of a column. */
typedef struct asked {
    const char *analysis, *table, *name;
    bool ratio; /* compared as it is */
} asked;

enum { MOST_ROWS = 10 };

static const asked answers[] = {{"response", NULL, "peak", false},
                                {"response", NULL, "peak_at", false},
                                {"backbone", NULL, "linear_frequency", false},
                                {"backbone", NULL, "least_frequency", false},
                                {"backbone", NULL, "greatest_frequency", false},
                                {"backbone", NULL, "most_damping", true},
                                {"stability", "squeal", "hertz", false},
                                {"stability", "squeal", "damping_ratio", true}};

enum { ANSWERS = sizeof answers / sizeof *answers };

static void compare_numbers(const asked *what, double a, double b, double *most) {
    double size = fmax(fabs(a), fabs(b)), apart = fabs(a - b);
    double change = what->ratio ? apart : size > 0.0 ? apart / size : 0.0;
    if (!(change <= *most) && isfinite(size)) /* what neither has is no change */
        *most = change;
}

static double largest_of(const am_table *table, size_t column) {
    double largest = 0.0;
    for (size_t row = 0; row < am_table_rows(table) && row < MOST_ROWS; row++)
        largest = fmax(largest, fabs(am_table_number(table, row, column)));
    return largest;
}

static void compare_rows(const asked *what, const am_table *one, const am_table *other, double *most) {
    size_t column = one ? am_table_find_column(one, what->name) : SIZE_MAX;
    if (!one || !other || column == SIZE_MAX)
        return;
    size_t rows = am_table_rows(one) < am_table_rows(other) ? am_table_rows(one) : am_table_rows(other);
    double least = what->ratio ? 0.0 : 1e-4 * largest_of(one, column); /* motions that nothing pulls back */
    for (size_t row = 0; row < rows && row < MOST_ROWS; row++)
        if (fabs(am_table_number(one, row, column)) >= least)
            compare_numbers(what, am_table_number(one, row, column), am_table_number(other, row, column), most);
}

bool am_modes_have_answers(const char *analysis) {
    for (size_t i = 0; i < ANSWERS; i++)
        if (strcmp(answers[i].analysis, analysis) == 0)
            return true;
    return false;
}

bool am_modes_compare_answers(const char *analysis, const am_result *result, const am_result *other,
                              am_modes_difference *difference) {
    difference->forces = 0.0;
    difference->events = NAN;
    for (size_t i = 0; i < ANSWERS; i++) {
        const am_scalar *a = am_result_find(result, answers[i].name), *b = am_result_find(other, answers[i].name);
        if (strcmp(answers[i].analysis, analysis) != 0)
            continue;
        if (answers[i].table)
            compare_rows(&answers[i], am_result_find_table(result, answers[i].table),
                         am_result_find_table(other, answers[i].table), &difference->forces);
        else if (a && b)
            compare_numbers(&answers[i], a->number, b->number, &difference->forces);
    }
    return am_modes_have_answers(analysis);
}

/* ---- both ---- */

void am_modes_compare(const am_contact_record *record, const am_contact_record *other,
                      am_modes_difference *difference) {
    difference->forces = compare_forces(record, other);
    difference->events = compare_events(record, other);
    difference->event_count[0] = record->events;
    difference->event_count[1] = other->events;
}

bool am_modes_agree(const am_modes_difference *difference) {
    bool made = difference->modes > 0 && !(difference->failure && difference->failure[0]);
    double tolerance = difference->tolerance > 0.0 ? difference->tolerance : forces_agree;
    return made && difference->forces <= tolerance && !(difference->events > events_agree);
}

static am_status set_number(am_result *result, const char *name, double value, am_error *err) {
    return isfinite(value) ? am_result_set_number(result, name, value, err) : am_result_set_none(result, name, err);
}

static void verdict(const am_modes_difference *d, char *text, size_t size) {
    if (d->failure && d->failure[0])
        snprintf(text, size, "with %zu modes in the place of %zu the analysis fails: %.300s", d->others, d->modes,
                 d->failure);
    else if (am_modes_agree(d))
        snprintf(text, size, "the answer stands still: %zu and %zu modes agree", d->modes, d->others);
    else if (isnan(d->forces))
        snprintf(text, size, "the answers of %zu and %zu modes have no samples at common times to compare", d->modes,
                 d->others);
    else if (isnan(d->events))
        snprintf(text, size,
                 "the answer changes when modes are added: not to be trusted with %zu modes; modes: auto "
                 "adds them until it stands still",
                 d->modes);
    else
        snprintf(text, size,
                 "the answer changes when modes are added (%zu events with %zu modes, %zu with %zu): not to be trusted "
                 "with %zu modes; modes: auto adds them until it stands still",
                 d->event_count[0], d->modes, d->event_count[1], d->others, d->modes);
}

am_status am_modes_report(am_result *result, size_t modes, const am_modes_difference *difference, am_error *err) {
    const am_modes_difference none = {.modes = modes, .others = modes};
    const am_modes_difference *d = difference ? difference : &none;
    bool failed = d->failure && d->failure[0];
    char text[600] = "all modes of the mesh take part";
    if (difference)
        verdict(difference, text, sizeof text);
    am_result_set_count(result, "modes_used", modes, err);
    am_result_set_count(result, "modes_compared", modes == d->others ? d->modes : d->others, err);
    set_number(result, "modes_difference", failed ? NAN : d->forces, err);
    set_number(result, "modes_events_difference", failed ? NAN : d->events, err);
    am_result_set_flag(result, "modes_converged", !difference || am_modes_agree(d), err);
    am_result_set_text(result, "modes_verdict", text, err);
    return am_result_status(result, err);
}
