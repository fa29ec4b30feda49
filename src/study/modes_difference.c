#include "study/modes_difference.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static const double forces_agree = 0.01, events_agree = 0.05;

/* ---- forces ---- */

/* Columns N1.. and T1.. of a table of samples. */
typedef struct forces {
    const am_table *table;
    size_t t, N, T, contacts;
} forces;

static forces forces_of(const am_result *result) {
    forces f = {.table = am_result_find_table(result, "samples")};
    if (!f.table)
        return f;
    f.t = am_table_find_column(f.table, "t");
    f.N = am_table_find_column(f.table, "N1");
    f.T = am_table_find_column(f.table, "T1");
    if (f.t == SIZE_MAX || f.N == SIZE_MAX || f.T == SIZE_MAX)
        return (forces){0};
    for (char name[32];; f.contacts++) {
        snprintf(name, sizeof name, "N%zu", f.contacts + 1);
        if (am_table_find_column(f.table, name) != f.N + f.contacts)
            return f;
    }
}

static double squared_difference(const forces *a, const forces *b, size_t row) {
    double sum = 0.0;
    for (size_t c = 0; c < b->contacts; c++) {
        double N = am_table_number(b->table, row, b->N + c), T = am_table_number(b->table, row, b->T + c);
        N -= a ? am_table_number(a->table, row, a->N + c) : 0.0;
        T -= a ? am_table_number(a->table, row, a->T + c) : 0.0;
        sum += N * N + T * T;
    }
    return sum;
}

static double compare_forces(const am_result *result, const am_result *other) {
    forces a = forces_of(result), b = forces_of(other);
    if (!a.table || !b.table || a.contacts != b.contacts)
        return NAN;
    size_t rows = am_table_rows(a.table), others = am_table_rows(b.table), most = rows < others ? rows : others;
    double off = 0.0, size = 0.0;
    for (size_t row = 0; row < most; row++) {
        if (am_table_number(a.table, row, a.t) != am_table_number(b.table, row, b.t))
            return NAN; /* samples of other times */
        off += squared_difference(&a, &b, row);
        size += squared_difference(NULL, &b, row);
    }
    return rows != others ? INFINITY : size > 0.0 ? sqrt(off / size) : off;
}

/* ---- events ---- */

/* How many more events one table has up to some time than the other up to a little later, at most; both are in the
 * order of time. */
static size_t ahead(const am_table *one, const am_table *other, size_t t[2], double slack) {
    size_t most = 0, counted = 0;
    for (size_t i = 0; i < am_table_rows(one); i++) {
        double until = am_table_number(one, i, t[0]) + slack;
        while (counted < am_table_rows(other) && am_table_number(other, counted, t[1]) <= until)
            counted++;
        most = i + 1 > counted + most ? i + 1 - counted : most;
    }
    return most;
}

static double compare_events(const am_result *result, const am_result *other, size_t count[2]) {
    const am_table *one = am_result_find_table(result, "events"), *two = am_result_find_table(other, "events");
    const am_table *samples = am_result_find_table(result, "samples");
    size_t t[2] = {one ? am_table_find_column(one, "t") : SIZE_MAX, two ? am_table_find_column(two, "t") : SIZE_MAX};
    if (t[0] == SIZE_MAX || t[1] == SIZE_MAX || !samples || am_table_rows(samples) == 0)
        return NAN;
    size_t time = am_table_find_column(samples, "t"), last = am_table_rows(samples) - 1;
    double slack = 0.01 * (am_table_number(samples, last, time) - am_table_number(samples, 0, time));
    count[0] = am_table_rows(one);
    count[1] = am_table_rows(two);
    size_t all = count[0] > count[1] ? count[0] : count[1];
    size_t first = ahead(one, two, t, slack), second = ahead(two, one, (size_t[]){t[1], t[0]}, slack);
    return all ? (double)(first > second ? first : second) / (double)all : 0.0;
}

/* ---- both ---- */

void am_modes_compare(const am_result *result, const am_result *other, am_modes_difference *difference) {
    difference->forces = compare_forces(result, other);
    difference->events = compare_events(result, other, difference->event_count);
}

bool am_modes_agree(const am_modes_difference *difference) {
    bool made = difference->modes > 0 && !(difference->failure && difference->failure[0]);
    return made && difference->forces <= forces_agree && !(difference->events > events_agree);
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
