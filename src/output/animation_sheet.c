#include "output/animation_sheet.h"

#include <stdio.h>
#include <string.h>

#include "output/figure_parts.h"
#include "output/xml.h"

enum { CURVES = 4, STRIPS = 8, STATES = 8, MOST_PIECES = 400, PANEL = 120, STRIP = 16, MOST_POINTS = 1600 };
enum { INNER = AM_SHEET_WIDTH - AM_SHEET_LEFT - AM_SHEET_RIGHT };

void am_sheet_begin(am_text *out, const char *title, const char *words, double height) {
    am_text_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %s\" font-family=\"Helvetica, Arial, "
                   "sans-serif\" font-size=\"13\" fill=\"#202020\">\n<title>",
                   AM_SHEET_WIDTH, AM_PIXELS(height));
    am_xml_add(out, title);
    am_text_printf(out,
                   "</title>\n<rect width=\"%d\" height=\"%s\" fill=\"#fff\"/>\n<text text-anchor=\"middle\" "
                   "font-size=\"16\" x=\"%d\" y=\"26\">",
                   AM_SHEET_WIDTH, AM_PIXELS(height), AM_SHEET_WIDTH / 2);
    am_xml_add(out, title);
    am_text_printf(out, "</text>\n<text text-anchor=\"middle\" fill=\"#505050\" x=\"%d\" y=\"48\">",
                   AM_SHEET_WIDTH / 2);
    am_xml_add(out, words);
    am_text_add(out, "</text>\n");
}

void am_sheet_end(am_text *out) {
    am_text_add(out, "</svg>\n");
}

void am_sheet_ruler(am_text *out, double scale, double y) {
    double length = am_mark_step(6 * 70 / scale); /* about 70 pixels */
    am_text_printf(out,
                   "<path d=\"M%d,%sv8m0,-4H%sm0,-4v8\" fill=\"none\" stroke=\"#505050\"/>\n<text x=\"%s\" y=\"%s\" "
                   "font-size=\"12\" fill=\"#505050\">displacement %s</text>\n",
                   AM_SHEET_LEFT, AM_PIXELS(y - 4), AM_PIXELS(AM_SHEET_LEFT + length * scale),
                   AM_PIXELS(AM_SHEET_LEFT + length * scale + 8), AM_PIXELS(y + 4), AM_NUMBER(length));
}

void am_sheet_state_colour(const char *state, char out[8]) {
    const char *own = am_figure_state_colour(state);
    am_figure_tint(own ? own : "#808080", 0.8, out);
}

/* ---- Curves over time ---- */

typedef struct chosen {
    size_t count, coordinate[CURVES];
    double low, high;
} chosen;

static double range_of(const am_frames *frames, size_t coordinate, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t k = 0; k < frames->count; k++) {
        *low = fmin(*low, frames->value[coordinate][k]);
        *high = fmax(*high, frames->value[coordinate][k]);
    }
    return *high - *low;
}

/* The coordinates that move most, in their own order. */
static chosen choose(const am_frames *frames) {
    chosen found = {.low = INFINITY, .high = -INFINITY};
    double least = 0, low, high;
    for (size_t i = 0; i < frames->coordinates; i++)
        least = fmax(least, 1e-9 * range_of(frames, i, &low, &high)); /* what rests is no curve */
    for (size_t i = 0; i < frames->coordinates; i++) {                /* below the fourth largest range */
        size_t larger = 0;
        double own = range_of(frames, i, &low, &high);
        for (size_t k = 0; k < frames->coordinates && larger < CURVES; k++)
            larger += range_of(frames, k, &low, &high) > own;
        if (larger == CURVES)
            least = fmax(least, own);
    }
    for (size_t i = 0; i < frames->coordinates && found.count < CURVES; i++)
        if (range_of(frames, i, &low, &high) > least || (least == 0 && high >= low)) {
            found.coordinate[found.count++] = i;
            found.low = fmin(found.low, low);
            found.high = fmax(found.high, high);
        }
    double room = found.high > found.low ? 0.06 * (found.high - found.low) : fmax(fabs(found.high), 1);
    found.low -= room;
    found.high += room;
    return found;
}

static double across(const am_sheet_panel *p, double time) {
    const am_frames *frames = p->frames;
    return AM_SHEET_LEFT + INNER * (time - frames->time[0]) / (frames->time[frames->count - 1] - frames->time[0]);
}

static double upwards(const am_sheet_panel *p, const chosen *c, double value) {
    return p->y + PANEL - PANEL * (value - c->low) / (c->high - c->low);
}

static void add_curves(am_text *out, const am_sheet_panel *p, const chosen *c) {
    size_t count = p->frames->count, stride = 1 + count / MOST_POINTS;
    for (size_t i = 0; i < c->count; i++) {
        const double *value = p->frames->value[c->coordinate[i]];
        am_text_printf(out, "<path fill=\"none\" stroke-width=\"1.4\" stroke=\"%s\" d=\"M", am_figure_colour(i));
        for (size_t k = 0; k < count; k = k + 1 < count && k + stride >= count ? count - 1 : k + stride)
            am_text_printf(out, "%s%s,%s", k > 0 ? " " : "", AM_PIXELS(across(p, p->frames->time[k])),
                           AM_PIXELS(upwards(p, c, value[k])));
        am_text_printf(out, "\"/>\n<text x=\"%d\" y=\"%s\" fill=\"%s\">", AM_SHEET_LEFT + 8 + 80 * (int)i,
                       AM_PIXELS(p->y - 6), am_figure_colour(i));
        am_xml_add(out, am_system_name(p->system, c->coordinate[i]));
        am_text_add(out, "</text>\n");
    }
}

static void add_mark(am_text *out, const char *anchor, double x, double y, double number) {
    am_text_printf(out, "<text font-size=\"11\" text-anchor=\"%s\" x=\"%s\" y=\"%s\">%s</text>", anchor, AM_PIXELS(x),
                   AM_PIXELS(y), AM_NUMBER(number + 0.0));
}

/* k steps, without the digits that rounding leaves. */
static double mark(double k, double step) {
    char text[AM_TEXT_NUMBER_SIZE];
    double value;
    snprintf(text, sizeof text, "%.10g", k * step);
    am_text_parse_number(text, &value);
    return value;
}

static void add_axes(am_text *out, const am_sheet_panel *p, const chosen *c, double bottom) {
    double from = p->frames->time[0], to = p->frames->time[p->frames->count - 1], step = am_mark_step(to - from),
           up = am_mark_step(2 * (c->high - c->low));
    am_text_printf(out, "<rect x=\"%d\" y=\"%s\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#808080\"/>\n",
                   AM_SHEET_LEFT, AM_PIXELS(p->y), INNER, PANEL);
    for (double k = ceil(from / step); k * step <= to; k++)
        add_mark(out, "middle", across(p, k * step), bottom + 14, mark(k, step));
    for (double k = ceil(c->low / up); k * up <= c->high; k++)
        add_mark(out, "end", AM_SHEET_LEFT - 5, upwards(p, c, k * up) + 4, mark(k, up));
    am_text_printf(out, "\n<text text-anchor=\"middle\" x=\"%d\" y=\"%s\">t</text>\n", AM_SHEET_LEFT + INNER / 2,
                   AM_PIXELS(bottom + 30));
}

/* ---- Strips ---- */

static size_t strip_contacts(const am_sheet_panel *p, size_t contacts[STRIPS]) {
    size_t count = 0, pieces = 0;
    for (size_t i = 0; i < p->frames->contacts && count < STRIPS; i++)
        if (p->frames->change[i]) {
            contacts[count++] = i;
            pieces += p->frames->changed[i];
        }
    return pieces > MOST_PIECES ? 0 : count;
}

static void add_strip(am_text *out, const am_sheet_panel *p, size_t contact, double y) {
    const am_frame_change *change = p->frames->change[contact];
    double end = p->frames->time[p->frames->count - 1];
    char colour[8];
    am_text_printf(out, "<text font-size=\"11\" text-anchor=\"end\" x=\"%d\" y=\"%s\">", AM_SHEET_LEFT - 5,
                   AM_PIXELS(y + 10));
    am_xml_add(out, am_system_contact_name(p->system, contact));
    am_text_add(out, "</text>");
    for (size_t i = 0; i < p->frames->changed[contact]; i++) {
        double from = across(p, change[i].time),
               to = across(p, i + 1 < p->frames->changed[contact] ? change[i + 1].time : end);
        am_sheet_state_colour(change[i].state, colour);
        am_text_printf(out, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%d\" fill=\"%s\"/>", AM_PIXELS(from),
                       AM_PIXELS(y), AM_PIXELS(to - from), STRIP - 4, colour);
    }
    am_text_add(out, "\n");
}

/* What the colours mean. */
static void add_key(am_text *out, const am_sheet_panel *p, size_t count, const size_t *contacts, double y) {
    const char *seen[STATES];
    size_t states = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < p->frames->changed[contacts[i]]; k++) {
            const char *state = p->frames->change[contacts[i]][k].state;
            size_t at = 0;
            while (at < states && strcmp(seen[at], state) != 0)
                at++;
            if (at == states && states < STATES && *state)
                seen[states++] = state;
        }
    for (size_t i = 0; i < states; i++) {
        char colour[8];
        double x = AM_SHEET_WIDTH - AM_SHEET_RIGHT - 92 * (double)(states - i);
        am_sheet_state_colour(seen[i], colour);
        am_text_printf(out, "<rect x=\"%s\" y=\"%s\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%s\" y=\"%s\">",
                       AM_PIXELS(x), AM_PIXELS(y - 10), colour, AM_PIXELS(x + 17), AM_PIXELS(y));
        am_xml_add(out, seen[i]);
        am_text_add(out, "</text>\n");
    }
}

double am_sheet_panel_height(const am_sheet_panel *panel) {
    size_t contacts[STRIPS];
    return PANEL + 6 + STRIP * (double)strip_contacts(panel, contacts) + 36;
}

void am_sheet_add_panel(am_text *out, const am_sheet_panel *p) {
    size_t contacts[STRIPS], count = strip_contacts(p, contacts);
    double bottom = p->y + PANEL + (count > 0 ? 6 + STRIP * (double)count : 0);
    chosen c = choose(p->frames);
    add_curves(out, p, &c);
    add_axes(out, p, &c, bottom);
    for (size_t i = 0; i < count; i++)
        add_strip(out, p, contacts[i], p->y + PANEL + 6 + STRIP * (double)i);
    add_key(out, p, count, contacts, p->y - 6);
    am_text_printf(out,
                   "<path id=\"now\" d=\"M%d,%sV%s\" stroke=\"#000\" stroke-opacity=\".6\"><animateTransform "
                   "attributeName=\"transform\" type=\"translate\" values=\"0,0;%d,0\" keyTimes=\"0;1\" dur=\"%ss\" "
                   "repeatCount=\"indefinite\"/></path>\n",
                   AM_SHEET_LEFT, AM_PIXELS(p->y), AM_PIXELS(bottom), INNER, AM_NUMBER(p->keys->seconds));
}
