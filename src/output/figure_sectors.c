/* The plane of two load rates: every sector with the contact states admissible in it. One admissible state gives the
 * sector its colour; several make it grey, the darker the more; none leaves it white. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "math/pi.h"
#include "output/figure_parts.h"

/* Size of label text in units of the circle's radius. */
static const double half_letter = 0.029, half_line = 0.046;

typedef struct sector {
    double from, width;    /* degrees */
    const char *states;    /* joined by '+' */
    size_t count, longest; /* of states; letters of the longest */
} sector;

typedef struct point {
    double x, y;
} point;

static point at(double radius, double degrees) {
    double angle = degrees / 360 * two_pi;
    return (point){radius * cos(angle), radius * sin(angle)};
}

static sector sector_at(const am_table *table, const size_t columns[3], size_t row) {
    double from = am_table_number(table, row, columns[0]), to = am_table_number(table, row, columns[1]);
    sector s = {.from = from, .width = to - from, .states = am_table_text(table, row, columns[2])};
    if (s.width <= 0)
        s.width += 360;
    for (const char *c = s.states; *c; c += c[strcspn(c, "+")] == '+' ? strcspn(c, "+") + 1 : strcspn(c, "+")) {
        size_t letters = strcspn(c, "+");
        s.longest = letters > s.longest ? letters : s.longest;
        s.count++;
    }
    if (s.count == 0) {
        s.states = "none";
        s.longest = 4;
    }
    return s;
}

static void choose_colour(const sector *s, char out[8]) {
    const char *own = am_figure_state_colour(s->states);
    if (s->count == 0)
        snprintf(out, 8, "#ffffff");
    else if (s->count == 1)
        am_figure_tint(own ? own : am_figure_colour(0), 0.45, out);
    else
        am_figure_tint("#606060", fmin(0.3 + 0.2 * (double)(s->count - 2), 0.8), out);
}

/* ---- Labels ---- */

static double lines_of(const sector *s) {
    return s->count > 1 ? (double)s->count : 1;
}

static bool inside(const sector *s, double x, double y) {
    double degrees = atan2(y, x) / two_pi * 360;
    double past = fmod(degrees - s->from, 360);
    return hypot(x, y) < 0.98 && (past < 0 ? past + 360 : past) < s->width;
}

/* Does the label lie within its sector when its middle is at p, and (if asked) beside the axes? */
static bool fits(const sector *s, point p, bool beside_axes) {
    double w = half_letter * (double)s->longest + 0.03, h = half_line * lines_of(s) + 0.02;
    for (int i = -2; i <= 2; i++)
        if (!inside(s, p.x + w * i / 2, p.y + h) || !inside(s, p.x + w * i / 2, p.y - h))
            return false;
    return !beside_axes || (fabs(p.x) > w && fabs(p.y) > h);
}

/* The place nearest to the middle of the sector where the label fits. */
static bool find_place(const sector *s, bool beside_axes, point *place) {
    double best = INFINITY;
    for (int i = 1; i < 20; i++) {
        for (int j = 0; j <= 10; j++) {
            double radius = 0.4 + 0.05 * j, off = fabs(i / 20.0 - 0.5) * s->width / 100 + fabs(radius - 0.65);
            point p = at(radius, s->from + s->width * i / 20);
            if (off < best && fits(s, p, beside_axes)) {
                best = off;
                *place = p;
            }
        }
    }
    return best < INFINITY;
}

/* 'stick'."\n".'open': one state per line. */
static void add_lines(am_text *script, const char *states) {
    for (bool first = true; *states; first = false) {
        size_t length = strcspn(states, "+");
        am_text word = {0};
        am_text_add_bytes(&word, states, length);
        am_text_add(script, first ? "" : ".\"\\n\".");
        am_figure_quote_plain(script, am_text_view(&word));
        if (word.status != AM_OK)
            script->status = word.status;
        am_text_free(&word);
        states += length + (states[length] == '+');
    }
}

static void add_label(am_text *script, const sector *s) {
    point p;
    const char *side = "center";
    double middle = s->from + s->width / 2;
    double lift = half_line * (lines_of(s) - 1); /* a label hangs from its first line */
    if (!find_place(s, true, &p) && !find_place(s, false, &p)) {
        point start = at(0.85, middle), end = at(1.07, middle);
        am_text_printf(script, "set arrow from %.4f,%.4f to %.4f,%.4f nohead linewidth 0.6 linecolor rgb '#606060'\n",
                       start.x, start.y, end.x, end.y);
        p = at(1.1, middle);
        side = fabs(p.x) < 0.3 ? "center" : p.x > 0 ? "left" : "right";
        lift += lift * p.y / 1.1; /* outside, it grows away from the circle */
    }
    am_text_add(script, "set label ");
    add_lines(script, s->states);
    am_text_printf(script, " at %.4f,%.4f %s front\n", p.x, p.y + lift, side);
}

/* ---- Sectors ---- */

static void add_sector(am_text *script, const sector *s) {
    char colour[8], arc[64] = "";
    choose_colour(s, colour);
    if (s->width < 360)
        snprintf(arc, sizeof arc, "arc [%.10g:%.10g] ", s->from, s->from + s->width);
    am_text_printf(script, "set object circle at 0,0 size 1 %sfillcolor rgb '%s' fillstyle solid noborder behind\n",
                   arc, colour);
}

static void add_ray(am_text *script, const sector *s) {
    point end = at(1.04, s->from);
    if (s->width < 360)
        am_text_printf(script,
                       "set arrow from 0,0 to %.6f,%.6f nohead linewidth 1.4 linecolor rgb '#202020' # %.6g degrees\n",
                       end.x, end.y, s->from);
}

static void add_plane(am_text *script, const am_figure *figure) {
    am_text_add(script,
                "set xrange [-1.5:1.5]\nset yrange [-1.3:1.3]\nunset border\nunset tics\nunset zeroaxis\n"
                "set arrow from -1.2,0 to 1.25,0 head filled size 0.04,18 linewidth 0.7 linecolor rgb '#707070'\n"
                "set arrow from 0,-1.2 to 0,1.25 head filled size 0.04,18 linewidth 0.7 linecolor rgb '#707070'\n"
                "set label ");
    am_figure_quote(script, figure->x_label && figure->x_label[0] ? figure->x_label : "C_1");
    am_text_add(script, " at 1.28,0 left\nset label ");
    am_figure_quote(script, figure->y_label && figure->y_label[0] ? figure->y_label : "C_2");
    am_text_add(script, " at 0.05,1.23 left\n");
}

am_status am_figure_sectors(am_drawing *d, am_error *err) {
    static const char *const names[] = {"from_deg", "to_deg", "states"};
    const char *name = d->figure->table && d->figure->table[0] ? d->figure->table : "sectors";
    const am_table *table;
    size_t columns[3];
    AM_TRY(am_figure_columns(d, name, 3, names, NULL, 1u << 2, &table, columns, err));
    am_figure plain = {.title = d->figure->title, .equal_axes = true};
    am_figure_frame(d, &plain, (am_figure_axis){0}, (am_figure_axis){0});
    add_plane(&d->script, d->figure);
    for (size_t row = 0; row < am_table_rows(table); row++) {
        sector s = sector_at(table, columns, row);
        if (!isfinite(s.from) || !isfinite(s.width))
            continue;
        add_sector(&d->script, &s);
        add_ray(&d->script, &s);
        add_label(&d->script, &s);
    }
    am_text_add(&d->script,
                "set object circle at 0,0 size 1 fillstyle empty border linecolor rgb '#a0a0a0' linewidth 0.6\n");
    am_text_add(&d->plot, "plot NaN notitle");
    am_figure_outputs(d, 660, 580);
    return AM_OK;
}
