/* The slip-displacement diagram: what the rest positions exclude is shaded, rest positions are dashed, extreme
 * positions solid; the paths are curves like any others. */
#include <string.h>

#include "output/figure_parts.h"
#include "output/slip.h"

#define EXCLUDED "#dfe3e8"

static bool add_excluded(am_text *script, const am_slip *slip, const am_slip_line *line) {
    double corners[AM_SLIP_MOST_CORNERS][2];
    size_t count = am_slip_excluded(&slip->box, line, line->rest, corners);
    if (count < 3)
        return false;
    am_text_add(script, "set object polygon from ");
    for (size_t i = 0; i <= count; i++)
        am_text_printf(script, "%s%s,%s", i > 0 ? " to " : "", AM_NUMBER(corners[i % count][0]),
                       AM_NUMBER(corners[i % count][1]));
    am_text_add(script, " fillcolor rgb '" EXCLUDED "' fillstyle solid noborder behind");
    am_figure_remark(script, "excluded by ", line->name, " at rest");
    return true;
}

static bool add_line(am_text *script, const am_slip *slip, const am_slip_line *line, bool rest) {
    double ends[2][2];
    if (!am_slip_clip(&slip->box, line->normal, rest ? line->rest : line->extreme, ends))
        return false;
    am_text_printf(script, "set arrow from %s,%s to %s,%s nohead back linecolor rgb '%s' %s", AM_NUMBER(ends[0][0]),
                   AM_NUMBER(ends[0][1]), AM_NUMBER(ends[1][0]), AM_NUMBER(ends[1][1]), am_slip_colour(line->name),
                   rest ? "linewidth 1.2 dashtype (8,6)" : "linewidth 1.4");
    am_figure_remark(script, "", line->name, rest ? " at rest" : " extreme");
    return true;
}

static void add_line_key(am_text *plot, const am_slip_line *line) {
    am_text title = {0};
    am_text_printf(&title, "O_{%c}^{%.*s}", line->sign > 0 ? '+' : '-', (int)strcspn(line->name, "+-"), line->name);
    am_text_printf(plot, ", \\\n    NaN with lines linewidth 1.4 linecolor rgb '%s' title ",
                   am_slip_colour(line->name));
    am_figure_quote(plot, am_text_view(&title));
    plot->status = title.status != AM_OK ? title.status : plot->status;
    am_text_free(&title);
}

size_t am_figure_slip(const am_slip *slip, am_text *script, am_text *plot) {
    bool excluded = false, rests = false;
    size_t keys = 0;
    for (size_t i = 0; i < slip->count; i++)
        if (am_slip_is_first(slip, i))
            excluded = add_excluded(script, slip, &slip->lines[i]) || excluded;
    for (size_t i = 0; i < slip->count; i++) {
        if (am_slip_is_first(slip, i)) {
            rests = add_line(script, slip, &slip->lines[i], true) || rests;
            add_line_key(plot, &slip->lines[i]);
            keys++;
        }
        add_line(script, slip, &slip->lines[i], false);
    }
    if (rests)
        am_text_add(plot,
                    ", \\\n    NaN with lines linewidth 1.2 dashtype (8,6) linecolor rgb '#404040' title 'at rest'");
    if (excluded)
        am_text_add(plot, ", \\\n    NaN with points pointtype 5 pointsize 1.6 linecolor rgb '" EXCLUDED
                          "' title 'excluded'");
    return keys + rests + excluded;
}
