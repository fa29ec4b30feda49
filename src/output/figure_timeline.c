/* What the contacts do while something moves: under curves over time a strip for each contact, coloured by its state.
 * Its borders are the exact times of the events, where the result has them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "output/figure_parts.h"

enum { MOST_STRIPS = 6, MOST_CHANGES = 400, MOST_STATES = 8 };

static const double strip_height = 0.8, strip_step = 1.2; /* in letters */

typedef struct timeline {
    const am_table *samples, *events; /* events: NULL, there are none */
    size_t t, event_t, event_contact, event_to;
    size_t column[MOST_STRIPS], strips;
    const char *state[MOST_STATES]; /* those drawn, for the key */
    size_t states;
    double from, to, top; /* the times shown; where the strips begin, in letters */
} timeline;

/* `events` and `switches` stand beside `samples`, under the same prefix. */
static void find_events(const am_drawing *d, timeline *line) {
    static const char *const tables[] = {"events", "switches"};
    const char *own = am_table_name(line->samples), *dot = strrchr(own, '.');
    char name[200];
    for (size_t i = 0; i < 2 && !line->events; i++) {
        snprintf(name, sizeof name, "%.*s%s", dot ? (int)(dot + 1 - own) : 0, own, tables[i]);
        line->events = am_result_find_table(d->report->result, name);
    }
    if (!line->events)
        return;
    line->event_t = am_table_find_column(line->events, "t");
    line->event_contact = am_table_find_column(line->events, "contact");
    line->event_to = am_table_find_column(line->events, "to");
    if (line->event_t == SIZE_MAX || line->event_contact == SIZE_MAX || line->event_to == SIZE_MAX)
        line->events = NULL;
}

/* The contact of a column: "belt" of state_belt, "1" of state1; NULL: it holds no state of a contact. */
static const char *contact_of(const am_table *samples, size_t column) {
    const char *name = am_table_column_name(samples, column);
    if (am_table_column_kind(samples, column) != AM_COLUMN_TEXT || strncmp(name, "state", 5) != 0 || !name[5])
        return NULL;
    return name + (name[5] == '_' ? 6 : 5);
}

/* Models with symbols of their own number the columns of samples where events have names: with one contact it does not
 * matter, with several the samples must do. */
static void check_names(timeline *line) {
    for (size_t row = 0; line->events && line->strips > 1 && row < am_table_rows(line->events); row++) {
        const char *contact = am_table_text(line->events, row, line->event_contact);
        bool known = false;
        for (size_t i = 0; i < line->strips; i++)
            known = known || strcmp(contact_of(line->samples, line->column[i]), contact) == 0;
        if (!known)
            line->events = NULL;
    }
}

static bool find_strips(const am_drawing *d, const am_table *samples, size_t x, timeline *line) {
    size_t rows = am_table_rows(samples);
    *line = (timeline){.samples = samples, .t = x};
    if (rows < 2 || strcmp(am_table_column_name(samples, x), "t") != 0)
        return false;
    for (size_t i = 0; i < am_table_columns(samples); i++)
        if (contact_of(samples, i) && line->strips++ < MOST_STRIPS)
            line->column[line->strips - 1] = i;
    if (line->strips <= MOST_STRIPS) {
        find_events(d, line);
        check_names(line);
    }
    const double *range = d->figure->x_range;
    line->from = range ? range[0] : am_table_number(samples, 0, x);
    line->to = range ? range[1] : am_table_number(samples, rows - 1, x);
    return line->strips > 0 && line->strips <= MOST_STRIPS;
}

/* ---- Drawing ---- */

static void note_state(timeline *line, const char *state) {
    for (size_t i = 0; i < line->states; i++)
        if (strcmp(line->state[i], state) == 0)
            return;
    if (line->states < MOST_STATES)
        line->state[line->states++] = state;
}

static void state_colour(const char *state, char out[8]) {
    const char *own = am_figure_state_colour(state);
    am_figure_tint(own ? own : "#808080", 0.75, out);
}

static void add_piece(am_drawing *d, timeline *line, size_t strip, double from, double to, const char *state) {
    char colour[8];
    double top = line->top - strip_step * (double)strip;
    from = fmax(from, line->from);
    to = fmin(to, line->to);
    if (!(to > from) || !state[0])
        return;
    note_state(line, state);
    state_colour(state, colour);
    am_text_printf(&d->script,
                   "set object rectangle from first %s,character %g to first %s,character %g noclip fillcolor rgb '%s' "
                   "fillstyle solid noborder\n",
                   AM_NUMBER(from), top - strip_height, AM_NUMBER(to), top, colour);
}

/* The strip of one contact from the events that are its own. */
static void add_from_events(am_drawing *d, timeline *line, size_t strip, const char *contact) {
    const char *state = am_table_text(line->samples, 0, line->column[strip]);
    double since = am_table_number(line->samples, 0, line->t);
    for (size_t row = 0; row < am_table_rows(line->events); row++) {
        const char *to = am_table_text(line->events, row, line->event_to);
        bool own = line->strips == 1 || strcmp(am_table_text(line->events, row, line->event_contact), contact) == 0;
        if (!own || strcmp(to, state) == 0)
            continue;
        double t = am_table_number(line->events, row, line->event_t);
        add_piece(d, line, strip, since, t, state);
        state = to;
        since = t;
    }
    add_piece(d, line, strip, since, INFINITY, state);
}

/* Without events: as the samples have it, changes half way between two of them. */
static void add_from_samples(am_drawing *d, timeline *line, size_t strip) {
    const am_table *samples = line->samples;
    size_t column = line->column[strip], first = 0, rows = am_table_rows(samples);
    double since = am_table_number(samples, 0, line->t);
    for (size_t row = 1; row <= rows; row++) {
        const char *state = am_table_text(samples, first, column);
        if (row < rows && strcmp(am_table_text(samples, row, column), state) == 0)
            continue;
        double until = row < rows
                           ? (am_table_number(samples, row - 1, line->t) + am_table_number(samples, row, line->t)) / 2
                           : am_table_number(samples, rows - 1, line->t);
        add_piece(d, line, strip, since, until, state);
        since = until;
        first = row;
    }
}

static size_t count_changes(const timeline *line) {
    size_t changes = line->events ? am_table_rows(line->events) : 0, rows = am_table_rows(line->samples);
    for (size_t i = 0; i < line->strips && !line->events; i++)
        for (size_t row = 1; row < rows; row++)
            changes += strcmp(am_table_text(line->samples, row, line->column[i]),
                              am_table_text(line->samples, row - 1, line->column[i])) != 0;
    return changes;
}

bool am_figure_timeline(am_drawing *d, const am_table *samples, size_t x, size_t keys) {
    timeline line;
    if (d->panel || d->figure->x_log || !find_strips(d, samples, x, &line) || count_changes(&line) > MOST_CHANGES)
        return false;
    double down = strip_step * (double)line.strips + 0.2;
    am_figure_key(d, keys + MOST_STATES / 2, "samplen 2.5");
    line.top = am_figure_key_margin(keys + MOST_STATES / 2) + down - 0.4;
    for (size_t i = 0; i < line.strips; i++) {
        const char *contact = contact_of(samples, line.column[i]);
        if (line.events)
            add_from_events(d, &line, i, contact);
        else
            add_from_samples(d, &line, i);
        am_text_add(&d->script, "set label ");
        am_figure_quote_plain(&d->script, contact);
        am_text_printf(&d->script, " at graph -0.01,character %g right font ',11'\n",
                       line.top - strip_step * (double)i - strip_height / 2);
    }
    am_text_printf(&d->script, "set bmargin %g\nset xtics offset 0,%g\nset xlabel offset 0,%g\n", line.top + 0.4, -down,
                   -down);
    for (size_t i = 0; i < line.states; i++) {
        char colour[8];
        state_colour(line.state[i], colour);
        am_text_printf(&d->plot, ", \\\n    NaN with points pointtype 5 pointsize 1.6 linecolor rgb '%s' title ",
                       colour);
        am_figure_quote_plain(&d->plot, line.state[i]);
    }
    return true;
}
