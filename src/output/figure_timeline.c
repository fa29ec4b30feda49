/* What the contacts do: under curves over time a strip for each contact, coloured by its state, with the exact times of
 * the events as borders where the result has them; under tractions a strip with the zones that stick, slip and are open. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "output/figure_parts.h"

enum { MOST_STRIPS = 6, MOST_CHANGES = 400, MOST_STATES = 8, LONGEST_NAME = 200 };

static const double strip_height = 0.8, strip_step = 1.2; /* in letters */

typedef struct timeline {
    const am_table *samples, *events; /* events: NULL, there are none */
    size_t t, event_t, event_contact, event_to;
    size_t column[MOST_STRIPS], strips;
    const char *state[MOST_STATES]; /* those drawn, for the key */
    size_t states;
    double from, to, top; /* the times shown; where the strips begin, in letters */
    bool drawn;           /* the states are known, and pieces are drawn */
} timeline;

/* The table of that name beside another, under the same prefix; NULL: there is none. */
static const am_table *find_beside(const am_drawing *d, const am_table *table, const char *name) {
    const char *own = am_table_name(table), *dot = strrchr(own, '.');
    char whole[LONGEST_NAME];
    snprintf(whole, sizeof whole, "%.*s%s", dot ? (int)(dot + 1 - own) : 0, own, name);
    return am_result_find_table(d->report->result, whole);
}

/* `events` and `switches` stand beside `samples`, under the same prefix. */
static void find_events(const am_drawing *d, timeline *line) {
    static const char *const tables[] = {"events", "switches"};
    for (size_t i = 0; i < 2 && !line->events; i++)
        line->events = find_beside(d, line->samples, tables[i]);
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
    if (!line->drawn)
        return;
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

static void add_contacts(am_drawing *d, timeline *line) {
    for (size_t i = 0; i < line->strips; i++) {
        if (line->events)
            add_from_events(d, line, i, contact_of(line->samples, line->column[i]));
        else
            add_from_samples(d, line, i);
    }
}

/* ---- Zones ---- */

typedef struct zones {
    const am_table *table; /* state, from, to */
    double scale;          /* of its places to those of the axis */
    const char *name;
    int length;
} zones;

/* Places are lengths; an axis may have them over the half-width of the contact. */
static double scale_of(const am_table *tractions, size_t x) {
    size_t place = am_table_find_column(tractions, "x");
    double most = 0, scale = 1;
    for (size_t row = 0; place != SIZE_MAX && row < am_table_rows(tractions); row++) {
        double own = am_table_number(tractions, row, place);
        if (fabs(own) > most)
            scale = am_table_number(tractions, row, x) / own;
        most = fmax(most, fabs(own));
    }
    return scale;
}

static bool find_zones(const am_drawing *d, const am_table *tractions, size_t x, zones *found) {
    const char *column = am_table_column_name(tractions, x), *own = am_table_name(tractions);
    const char *dot = strrchr(own, '.');
    const am_table *table = find_beside(d, tractions, "zones");
    if (!table || am_table_columns(table) != 3 || am_table_rows(table) > MOST_CHANGES || *column != 'x')
        return false;
    *found = (zones){table, scale_of(tractions, x), dot ? own : "zones", dot ? (int)(dot - own) : 5};
    return am_table_find_column(table, "state") == 0 && isfinite(found->scale);
}

static void add_zones(am_drawing *d, timeline *line, const zones *all) {
    for (size_t i = 0; i < line->strips; i++)
        for (size_t row = 0; row < am_table_rows(all[i].table); row++)
            add_piece(d, line, i, all[i].scale * am_table_number(all[i].table, row, 1),
                      all[i].scale * am_table_number(all[i].table, row, 2), am_table_text(all[i].table, row, 0));
}

/* ---- Strips ---- */

/* A contact without a name is more than its number. Returns how long the name is. */
static int add_name(am_drawing *d, const timeline *line, size_t strip, const char *name, int length) {
    char text[LONGEST_NAME];
    bool number = line->samples && name[strspn(name, "0123456789")] == '\0';
    length = snprintf(text, sizeof text, "%s%.*s", number ? "contact " : "", length, name);
    for (char *c = text; !line->samples && *c; c++)
        *c = *c == '_' ? ' ' : *c; /* of an analysis, whose name is one word */
    am_text_add(&d->script, "set label ");
    am_figure_quote_plain(&d->script, text);
    am_text_printf(&d->script, " at graph -0.01,character %g right font ',11'\n",
                   line->top - strip_step * (double)strip - strip_height / 2);
    return length;
}

/* Beside the axis there is room for the marks of an axis and its label; longer names get more, up to a third of it. */
static void make_room_for_names(am_drawing *d, int longest) {
    enum { USUAL = 8, MOST = 24 };
    if (longest > USUAL)
        am_text_printf(&d->script, "set lmargin %d\n", (longest < MOST ? longest : MOST) + 2);
}

/* When the states are known the key has its rows, and the strips stand above it. */
static void make_room(am_drawing *d, timeline *line) {
    d->key_wanted = true;
    for (size_t i = 0; i < line->states; i++) {
        char colour[8];
        state_colour(line->state[i], colour);
        am_text_printf(&d->plot, ", \\\n    NaN with points pointtype 5 pointsize 1.6 linecolor rgb '%s'", colour);
        am_figure_title(d, line->state[i], true);
    }
    d->below = strip_step * (double)line->strips + 0.5;
    line->top = am_figure_key_margin(d) + d->below - 0.7; /* the names stand clear of the lowest mark */
    line->drawn = true;
    am_text_printf(&d->script, "set xtics offset 0,%g\nset xlabel offset 0,%g\n", -d->below, -d->below);
}

static bool is_time(const am_table *table, size_t x) {
    return strcmp(am_table_column_name(table, x), "t") == 0;
}

void am_figure_timeline(am_drawing *d, size_t count, const am_table *const *tables, const size_t *x) {
    timeline line = {0};
    zones all[MOST_STRIPS];
    if (d->panel || d->figure->x_log || count == 0)
        return;
    bool timed = is_time(tables[0], x[0]);
    if (timed && (count > 1 || !find_strips(d, tables[0], x[0], &line) || count_changes(&line) > MOST_CHANGES))
        return;
    for (size_t i = 0; !timed && i < count && line.strips < MOST_STRIPS; i++)
        line.strips += find_zones(d, tables[i], x[i], &all[line.strips]);
    if (line.strips == 0)
        return;
    size_t rows = am_table_rows(tables[0]);
    line.from = d->figure->x_range ? d->figure->x_range[0] : timed ? am_table_number(tables[0], 0, x[0]) : -INFINITY;
    line.to = d->figure->x_range ? d->figure->x_range[1]
              : timed            ? am_table_number(tables[0], rows - 1, x[0])
                                 : INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        if (timed)
            add_contacts(d, &line);
        else
            add_zones(d, &line, all);
        if (pass == 0)
            make_room(d, &line);
    }
    int longest = 0;
    for (size_t i = 0; i < line.strips; i++) {
        const char *name = timed ? contact_of(line.samples, line.column[i]) : all[i].name;
        int length = add_name(d, &line, i, name, timed ? (int)strlen(name) : all[i].length);
        longest = length > longest ? length : longest;
    }
    make_room_for_names(d, longest);
}
