#include "output/animation_frames.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "math/pi.h"

enum { MOST_FRAMES = 4000, OF_A_PERIOD = 96, MOST_TURNS = 80, LONGEST_NAME = 250 };

const char *const am_frames_tables[AM_FRAMES_TABLES] = {"samples", "shape", "mode_shape_nodes", "modes", "backbone",
                                                        "branch",  "cycle"};

/* "samples" of "steady.samples". */
static const char *kind_of(const am_table *table) {
    const char *dot = strrchr(am_table_name(table), '.');
    return dot ? dot + 1 : am_table_name(table);
}

static bool is_kind(const am_table *table, const char *kind) {
    return strcmp(kind_of(table), kind) == 0;
}

typedef struct reader {
    am_arena *memory;
    const am_result *result;
    const am_system *system;
    am_frames *frames;
    am_error *err;
} reader;

/* The column of a coordinate, with something behind its name. */
static size_t column_of(const am_table *table, const am_system *system, size_t coordinate, const char *ending) {
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "%s%s", am_system_name(system, coordinate), ending);
    return am_table_find_column(table, name);
}

static bool has_columns(const am_table *table, const am_system *system, const char *ending) {
    for (size_t i = 0; i < am_system_size(system); i++)
        if (column_of(table, system, i, ending) == SIZE_MAX)
            return false;
    return am_table_rows(table) > 0;
}

static bool can_be_drawn(const am_table *table, const am_system *system) {
    if (is_kind(table, "mode_shape_nodes") || is_kind(table, "modes"))
        return am_table_rows(table) > 0;
    if (is_kind(table, "shape"))
        return has_columns(table, system, "_cos") && has_columns(table, system, "_sin");
    if (am_table_find_column(table, "t") != SIZE_MAX)
        return am_table_rows(table) > 1 && has_columns(table, system, "");
    return has_columns(table, system, "_1") && has_columns(table, system, "_phase_deg");
}

static am_status find_table(reader *r, const char *wanted) {
    for (size_t k = 0; k < 2 * (size_t)AM_FRAMES_TABLES && !r->frames->table;
         k++) /* of `analysis`, then of those under `also` */
        for (size_t i = 0; i < am_result_table_count(r->result) && !r->frames->table; i++) {
            const am_table *table = am_result_table(r->result, i);
            const char *name = am_table_name(table);
            bool usual = is_kind(table, am_frames_tables[k % AM_FRAMES_TABLES]) &&
                         (k >= AM_FRAMES_TABLES || strcmp(name, am_frames_tables[k]) == 0);
            if ((wanted ? strcmp(name, wanted) == 0 : usual) && can_be_drawn(table, r->system))
                r->frames->table = table;
        }
    if (r->frames->table)
        return AM_OK;
    if (wanted)
        return am_fail_field(
            r->err, AM_ERR_INPUT, "table",
            "there is no motion of all coordinates in table '%.60s'; an animation is drawn of samples, "
            "cycle, shape, modes, mode_shape_nodes, backbone or branch",
            wanted);
    return am_fail_field(
        r->err, AM_ERR_INPUT, "table",
        "nothing moves in these results: an animation is drawn of a table samples, cycle, shape, modes, "
        "mode_shape_nodes, backbone or branch with all coordinates");
}

/* ---- Motions and paths ---- */

/* How often a column turns until row `end`; what is below a hundredth of its range does not count. */
static size_t count_turns(const double *x, size_t from, size_t end) {
    double low = INFINITY, high = -INFINITY, last;
    size_t turns = 0;
    for (size_t i = from; i < end; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    double least = 0.01 * (high - low), way = 0;
    last = x[from];
    for (size_t i = from + 1; i < end; i++) {
        double step = x[i] - last;
        if (way * step < 0 && fabs(step) < least)
            continue;
        if (way * step < 0)
            turns++;
        if (fabs(step) >= least || way * step > 0) {
            way = step;
            last = x[i];
        }
    }
    return turns;
}

static size_t largest_turns(const reader *r, size_t from, size_t end) {
    double most = 0;
    size_t turns = 0;
    for (size_t i = 0; i < am_system_size(r->system); i++) {
        const double *x = am_table_numbers(r->frames->table, column_of(r->frames->table, r->system, i, ""));
        double low = INFINITY, high = -INFINITY;
        for (size_t row = from; row < end; row++) {
            low = fmin(low, x[row]);
            high = fmax(high, x[row]);
        }
        if (high - low > most) {
            most = high - low;
            turns = count_turns(x, from, end);
        }
    }
    return turns;
}

/* The rows between two times; without an end as many as make some tens of vibrations. */
static am_status choose_rows(const reader *r, const am_frames_wish *wish, size_t *from, size_t *end) {
    const double *t = am_table_numbers(r->frames->table, am_table_find_column(r->frames->table, "t"));
    size_t rows = am_table_rows(r->frames->table);
    *from = 0;
    while (*from < rows && wish->from > t[*from])
        ++*from;
    *end = rows;
    while (*end > *from && wish->to < t[*end - 1])
        --*end;
    if (*end - *from < 2 || !(t[*end - 1] > t[*from]))
        return am_fail_field(r->err, AM_ERR_INPUT, "from", "table %s has no two instants from %g to %g",
                             am_table_name(r->frames->table), isnan(wish->from) ? t[0] : wish->from,
                             isnan(wish->to) ? t[rows - 1] : wish->to);
    size_t most = *from + MOST_FRAMES;
    *end = *end < most ? *end : most;
    while (isnan(wish->to) && *end - *from > 8 && largest_turns(r, *from, *end) > MOST_TURNS)
        *end = *from + (*end - *from) * 3 / 4;
    r->frames->cut = *end < rows && isnan(wish->to);
    return AM_OK;
}

/* ---- States of contact ---- */

static const am_table *find_beside(const reader *r, const char *name) {
    const char *own = am_table_name(r->frames->table);
    char whole[LONGEST_NAME];
    snprintf(whole, sizeof whole, "%.*s%s", (int)(kind_of(r->frames->table) - own), own, name);
    return am_result_find_table(r->result, whole);
}

static void note(am_frames *frames, size_t contact, double time, const char *state) {
    am_frame_change *change = frames->change[contact];
    size_t *count = &frames->changed[contact];
    if (*count > 0 && strcmp(change[*count - 1].state, state) == 0)
        return;
    change[(*count)++] = (am_frame_change){time, state};
}

/* The states in the rows: a column for the contact. */
static size_t state_column(const reader *r, size_t contact) {
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "state_%s", am_system_contact_name(r->system, contact));
    size_t column = am_table_find_column(r->frames->table, name);
    if (column != SIZE_MAX)
        return column;
    snprintf(name, sizeof name, "state%zu", contact + 1);
    column = am_table_find_column(r->frames->table, name);
    return column == SIZE_MAX ? am_table_find_column(r->frames->table, "state") : column;
}

/* The name of the state that a text has for a contact: paths have one text for all, "stick,forward". */
static const char *state_in(const char *text, size_t contact, size_t contacts) {
    for (size_t i = 0; contacts > 1 && i < contact && *text; i++) {
        text += strcspn(text, " ,");
        text += strspn(text, " ,");
    }
    for (am_contact_state state = AM_OPEN; state <= AM_BACKWARD; state++) {
        const char *name = am_contact_state_name(state);
        size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 && strcspn(text + length, " ,") == 0)
            return name;
    }
    return contacts > 1 ? "" : text;
}

/* Exact instants, from the table of events beside the motion. */
static void read_events(const reader *r, size_t contact, const am_table *events) {
    am_frames *frames = r->frames;
    size_t t = am_table_find_column(events, "t"), who = am_table_find_column(events, "contact"),
           to = am_table_find_column(events, "to");
    for (size_t row = 0; t != SIZE_MAX && who != SIZE_MAX && to != SIZE_MAX && row < am_table_rows(events); row++) {
        double time = am_table_number(events, row, t);
        if (strcmp(am_table_text(events, row, who), am_system_contact_name(r->system, contact)) == 0 &&
            time > frames->time[0] && time < frames->time[frames->count - 1])
            note(frames, contact, time, am_table_text(events, row, to));
    }
}

static am_status read_states(reader *r, size_t from, size_t end) {
    am_frames *frames = r->frames;
    size_t contacts = am_system_contacts(r->system);
    const am_table *events = find_beside(r, "events");
    events = events ? events : find_beside(r, "switches");
    size_t most = end - from + 1 + (events ? am_table_rows(events) : 0);
    frames->change = am_arena_new(r->memory, contacts, sizeof *frames->change, r->err);
    frames->changed = am_arena_new(r->memory, contacts, sizeof *frames->changed, r->err);
    AM_TRY(am_arena_status(r->memory));
    for (size_t i = 0; i < contacts; i++) {
        size_t column = state_column(r, i);
        if (column == SIZE_MAX || am_table_column_kind(frames->table, column) != AM_COLUMN_TEXT)
            continue;
        frames->change[i] = am_arena_new(r->memory, most, sizeof **frames->change, r->err);
        if (!frames->change[i])
            return AM_ERR_MEMORY;
        bool own = strcmp(am_table_column_name(frames->table, column), "state") != 0;
        size_t in_text = own ? 1 : contacts;
        note(frames, i, frames->time[0], state_in(am_table_text(frames->table, from, column), i, in_text));
        if (events)
            read_events(r, i, events);
        for (size_t row = from + 1; !events && row < end; row++)
            note(frames, i, frames->time[row - from], state_in(am_table_text(frames->table, row, column), i, in_text));
    }
    frames->contacts = contacts;
    return AM_OK;
}

static am_status make_room(reader *r, size_t count) {
    am_frames *frames = r->frames;
    frames->count = count;
    frames->coordinates = am_system_size(r->system);
    frames->value = am_arena_new(r->memory, frames->coordinates, sizeof *frames->value, r->err);
    AM_ARENA_DOUBLES(r->memory, count, r->err, &frames->time);
    AM_TRY(am_arena_status(r->memory));
    for (size_t i = 0; i < frames->coordinates; i++)
        AM_ARENA_DOUBLES(r->memory, count, r->err, &frames->value[i]);
    return am_arena_status(r->memory);
}

static am_status read_motion(reader *r, const am_frames_wish *wish) {
    am_frames *frames = r->frames;
    const am_table *table = frames->table;
    size_t from, end, t = am_table_find_column(table, "t");
    AM_TRY(choose_rows(r, wish, &from, &end));
    AM_TRY(make_room(r, end - from));
    frames->timed = true;
    frames->turns = largest_turns(r, from, end);
    for (size_t k = 0; k < frames->count; k++)
        frames->time[k] = am_table_number(table, from + k, t);
    for (size_t i = 0; i < frames->coordinates; i++) {
        const double *column = am_table_numbers(table, column_of(table, r->system, i, "")) + from;
        for (size_t k = 0; k < frames->count; k++) /* where it is not known it stays where it was */
            frames->value[i][k] = isfinite(column[k]) ? column[k] : k > 0 ? frames->value[i][k - 1] : 0;
    }
    return read_states(r, from, end);
}

/* ---- Shapes ---- */

static am_status begin_period(reader *r) {
    AM_TRY(make_room(r, OF_A_PERIOD + 1));
    for (size_t k = 0; k < r->frames->count; k++)
        r->frames->time[k] = (double)k / OF_A_PERIOD;
    r->frames->turns = 2;
    return AM_OK;
}

/* Adds cosine cos(h wt) + sine sin(h wt). */
static void add_harmonic(am_frames *frames, size_t coordinate, double h, double cosine, double sine) {
    for (size_t k = 0; k < frames->count; k++) {
        double angle = 2 * pi * h * frames->time[k];
        frames->value[coordinate][k] += cosine * cos(angle) + sine * sin(angle);
    }
}

static am_status no_mode(double mode, const am_table *table, am_error *err) {
    return am_fail_field(err, AM_ERR_INPUT, "mode", "there is no mode %g in table %s", mode, am_table_name(table));
}

/* Rows mode, coordinate, real, imaginary: U exp(i w t). */
static am_status read_mode(reader *r, double wanted) {
    am_frames *frames = r->frames;
    const am_table *table = frames->table;
    const size_t mode = am_table_find_column(table, "mode"), name = am_table_find_column(table, "coordinate"),
                 real = am_table_find_column(table, "real"), imaginary = am_table_find_column(table, "imaginary");
    bool found = false;
    if (mode == SIZE_MAX || name == SIZE_MAX || real == SIZE_MAX)
        return no_mode(wanted, table, r->err);
    frames->mode = isnan(wanted) ? am_table_number(table, 0, mode) : wanted;
    for (size_t row = 0; row < am_table_rows(table); row++)
        for (size_t i = 0; am_table_number(table, row, mode) == frames->mode && i < frames->coordinates; i++)
            if (strcmp(am_table_text(table, row, name), am_system_name(r->system, i)) == 0) {
                found = true;
                add_harmonic(frames, i, 1, am_table_number(table, row, real),
                             imaginary == SIZE_MAX ? 0 : -am_table_number(table, row, imaginary));
            }
    return found ? AM_OK : no_mode(frames->mode, table, r->err);
}

/* Rows of harmonics with columns <q>_cos, <q>_sin. */
static void read_harmonics(reader *r) {
    const am_table *table = r->frames->table;
    size_t harmonic = am_table_find_column(table, "harmonic");
    for (size_t row = 0; harmonic != SIZE_MAX && row < am_table_rows(table); row++)
        for (size_t i = 0; i < r->frames->coordinates; i++)
            add_harmonic(r->frames, i, am_table_number(table, row, harmonic),
                         am_table_number(table, row, column_of(table, r->system, i, "_cos")),
                         am_table_number(table, row, column_of(table, r->system, i, "_sin")));
}

/* The row of a branch with the largest first harmonics. */
static size_t largest_row(const reader *r) {
    size_t largest = 0;
    double most = -1;
    for (size_t row = 0; row < am_table_rows(r->frames->table); row++) {
        double size = 0;
        for (size_t i = 0; i < r->frames->coordinates; i++)
            size = hypot(size, am_table_number(r->frames->table, row, column_of(r->frames->table, r->system, i, "_1")));
        if (size > most) {
            most = size;
            largest = row;
        }
    }
    return largest;
}

/* Columns <q>_1, <q>_phase_deg: A cos(w t - phase). */
static am_status read_branch(reader *r, double wanted) {
    am_frames *frames = r->frames;
    const am_table *table = frames->table;
    if (!isnan(wanted) && !(wanted >= 0 && wanted < (double)am_table_rows(table)))
        return am_fail_field(r->err, AM_ERR_INPUT, "row", "table %s has no row %g: it has %zu, counted from 0",
                             am_table_name(table), wanted, am_table_rows(table));
    frames->row = isnan(wanted) ? largest_row(r) : (size_t)wanted;
    for (size_t i = 0; i < frames->coordinates; i++) {
        double size = am_table_number(table, frames->row, column_of(table, r->system, i, "_1"));
        double phase = pi / 180 * am_table_number(table, frames->row, column_of(table, r->system, i, "_phase_deg"));
        if (size > 0) /* at rest there is no phase */
            add_harmonic(frames, i, 1, size * cos(phase), size * sin(phase));
    }
    return AM_OK;
}

am_status am_frames_of_mesh(const am_table *nodes, double mode, size_t *first, size_t *count, am_error *err) {
    size_t column = am_table_find_column(nodes, "mode");
    double wanted = isnan(mode) ? am_table_number(nodes, 0, column) : mode;
    *first = 0;
    while (*first < am_table_rows(nodes) && am_table_number(nodes, *first, column) != wanted)
        ++*first;
    *count = 0;
    while (*first + *count < am_table_rows(nodes) && am_table_number(nodes, *first + *count, column) == wanted)
        ++*count;
    return *count > 0 ? AM_OK : no_mode(wanted, nodes, err);
}

am_status am_frames_read(am_arena *memory, const am_result *result, const am_system *system, const am_frames_wish *wish,
                         am_frames *frames, am_error *err) {
    reader r = {memory, result, system, frames, err};
    *frames = (am_frames){.mode = NAN, .row = SIZE_MAX};
    AM_TRY(find_table(&r, wish->table));
    if (is_kind(frames->table, "mode_shape_nodes"))
        return AM_OK;
    if (am_table_find_column(frames->table, "t") != SIZE_MAX)
        return read_motion(&r, wish);
    AM_TRY(begin_period(&r));
    if (is_kind(frames->table, "modes"))
        return read_mode(&r, wish->mode);
    if (!is_kind(frames->table, "shape"))
        return read_branch(&r, wish->row);
    read_harmonics(&r);
    return AM_OK;
}
