/* What the kinds of figure share: labels, colours, frames, the tables and columns that a figure names. */
#ifndef AMONTONS_OUTPUT_FIGURE_PARTS_H
#define AMONTONS_OUTPUT_FIGURE_PARTS_H
#include "amontons/output.h"
#include "base/arena.h"
#include "base/text.h"

/* A figure under way. Failures of its texts are found in the end. */
typedef struct am_drawing {
    const am_report *report;
    const am_figure *figure;
    am_text script, data; /* figure.gp and figure.dat */
    am_text plot;         /* the plot command */
    am_arena memory;
    const char *data_file;    /* the name of what `data` becomes */
    size_t sets;              /* of data in it, two empty lines apart */
    bool panel;               /* of a figure of several, which has the terminals */
    double letters;           /* that fit beside each other below the axes; 0: 60 */
    size_t keys, longest_key; /* entries of the key, and letters of the longest */
    bool key_wanted;          /* also of one entry */
    bool small_samples;       /* squares, no lines */
    int power[2];             /* of ten, by which the marks of x and y are to be multiplied */
    double below;             /* letters between the axis and its marks: strips */
} am_drawing;

/* A label as a gnuplot string: u_1 and u_{12}, x^2, {/:Italic x} and {/:Bold x} are set as such, names of Greek letters
 * ("Omega", "xi1") as these, everything else is itself ("state_changes"); nothing that the text says reaches gnuplot with another meaning. */
void am_figure_quote(am_text *script, const char *label);

/* The same indices and Greek letters in a page of HTML. */
void am_label_html(am_text *page, const char *text);

/* A plain gnuplot string: nothing in it has a meaning. */
void am_figure_quote_plain(am_text *script, const char *text);

/* The end of a line of the script with a remark about a name: nothing of the name leaves the line. */
void am_figure_remark(am_text *script, const char *before, const char *name, const char *behind);

/* The name of a column as an axis label: "u1" as u_1, "state_changes" as two words, with its unit in parentheses. */
void am_figure_quote_column(am_text *script, const am_table *table, size_t column);

/* A column whose name labels an axis. */
typedef struct am_figure_axis {
    const am_table *table; /* NULL: none */
    size_t column;
} am_figure_axis;

/* Title, axis labels, ranges of `figure`. A label left out is the name of the column. */
void am_figure_frame(am_drawing *d, const am_figure *figure, am_figure_axis x, am_figure_axis y);

/* Of the axis x, y or cb. */
void am_figure_range(am_text *script, const char *axis, double low, double high);

/* The key. Whoever adds to the plot command says what the key says of it (nothing: no entry); plain: a text without
 * indices. */
void am_figure_title(am_drawing *d, const char *label, bool plain);
void am_figure_count_key(am_drawing *d, size_t letters); /* of an entry written elsewhere */
size_t am_figure_key_rows(const am_drawing *d);
double am_figure_key_margin(const am_drawing *d); /* in letters */
void am_figure_key(am_drawing *d);                /* writes it, when all entries are known */

double am_figure_letters(const am_drawing *d);

/* Strips with the states of contacts below curves over time, or with zones of stick, slip and separation below curves
 * over a place (tables[i], column x[i]), and their colours for the key. Nothing where there is nothing of that, or more
 * than can be seen. */
void am_figure_timeline(am_drawing *d, size_t count, const am_table *const *tables, const size_t *x);

/* Terminals, outputs and the plot command, twice; of a panel the plot command alone. */
void am_figure_outputs(am_drawing *d, int width, int height);

/* The commands that choose the terminal of figure.svg or of figure.png. */
void am_figure_terminal_svg(am_text *script, int width, int height);
void am_figure_terminal_png(am_text *script, int width, int height);

/* Column of a figure's table; AM_ERR_INPUT naming `field` when it is absent or not of the kind wanted. */
am_status am_figure_column(const am_table *table, const char *name, const char *field, bool number, size_t *column,
                           am_error *err);
am_status am_figure_table(const am_result *result, const char *name, const char *field, size_t *index, am_error *err);

/* A table and columns of it at once; column i may hold texts where `texts` has the bit i. */
am_status am_figure_columns(const am_drawing *d, const char *table, size_t count, const char *const *names,
                            const char *const *fields, unsigned texts, const am_table **found, size_t *columns,
                            am_error *err);

/* Colour of a contact state wherever it is drawn ("#rrggbb"); NULL for other labels. */
const char *am_figure_state_colour(const char *state);

/* The axes of a figure that has nothing to show, and the plot command that draws them. A range left out: a usual
 * one. */
void am_figure_empty(am_drawing *d);

/* The i-th colour of a palette that colour-blind readers can tell apart (Okabe and Ito). */
const char *am_figure_colour(size_t index);

/* The colour map viridis, from 0 (dark) to 1 (light). */
void am_figure_viridis(double place, char out[8]);

/* The i-th of `count` colours of lines: of the palette, or, where it has too few, in order from dark to light. */
enum { AM_FIGURE_PALETTE = 7 };
void am_figure_line_colour(size_t index, size_t count, char out[8]);

/* `colour` mixed with white, for areas: strength 1 is the colour itself, 0 white. */
void am_figure_tint(const char *colour, double strength, char out[8]);

/* The kinds of figure that have files of their own. `more`: further parts of the plot command. */
am_status am_figure_curves(am_drawing *d, const char *more, am_error *err);
am_status am_figure_map(am_drawing *d, am_error *err);
am_status am_figure_mesh(am_drawing *d, am_error *err);
am_status am_figure_of_table(am_drawing *d, am_error *err);
am_status am_figure_sectors(am_drawing *d, am_error *err);

/* Adds shades and lines to the script, their keys, which it counts, to the plot command. */
struct am_slip;
size_t am_figure_slip(const struct am_slip *slip, am_text *script, am_text *plot);

#endif
