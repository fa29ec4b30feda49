/* The key below a figure: as many rows as its words need, and room for them below the label of the x axis. */
#include "output/figure_parts.h"

#include <math.h>
#include <string.h>

static const double row_height = 1.35; /* in letters: indices above and below fit between rows */

/* Letters that are seen: no markup, and the bytes of one sign once. */
static size_t visible_letters(const char *label) {
    size_t count = 0;
    for (const char *c = label; *c; c++)
        count += ((unsigned char)*c & 0xc0) != 0x80 && !strchr("_^{}", *c);
    return count;
}

void am_figure_title(am_drawing *d, const char *label, bool plain) {
    if (!label || !label[0]) {
        am_text_add(&d->plot, " notitle");
        return;
    }
    am_text_add(&d->plot, " title ");
    if (plain)
        am_figure_quote_plain(&d->plot, label);
    else
        am_figure_quote(&d->plot, label);
    am_figure_count_key(d, visible_letters(label));
}

void am_figure_count_key(am_drawing *d, size_t letters) {
    d->keys++;
    d->longest_key = letters > d->longest_key ? letters : d->longest_key;
}

/* How many letters stand beside each other below the axes. */
double am_figure_letters(const am_drawing *d) {
    return d->letters > 0 ? d->letters : 60;
}

/* Beside the words a column has its sample and room around both. */
static size_t columns_of(const am_drawing *d) {
    double columns = floor(am_figure_letters(d) / ((double)d->longest_key + 6));
    return columns > 1 ? (size_t)columns : 1;
}

static bool is_shown(const am_drawing *d) {
    return d->keys > (d->key_wanted ? 0 : 1);
}

size_t am_figure_key_rows(const am_drawing *d) {
    size_t columns = columns_of(d);
    return is_shown(d) ? (d->keys + columns - 1) / columns : 0;
}

double am_figure_key_margin(const am_drawing *d) {
    return 4.1 + row_height * (double)am_figure_key_rows(d);
}

void am_figure_key(am_drawing *d) {
    if (is_shown(d))
        am_text_printf(&d->script, "set key bmargin center horizontal Left reverse samplen %g spacing %g maxcols %zu\n",
                       d->key_wanted && d->small_samples ? 0.6 : 2.5, row_height, columns_of(d));
    if (is_shown(d) || d->below > 0)
        am_text_printf(&d->script, "set bmargin %g\n", am_figure_key_margin(d) + d->below);
}
