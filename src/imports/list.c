/* Lists of terms: `node, direction, node, direction, value` (Abaqus, *MATRIX GENERATE: matrix input and labels) or
 * `row column value` (Abaqus coordinate, CalculiX .sti and .mas), one triangle or both, separated by commas or blanks. */
#include <string.h>

#include "base/local.h"
#include "imports/import_internal.h"

static const char between[] = " \t,";

/* A whole number at *text, which moves past it and what separates it from the next. */
static bool take_whole(const char **text, long *value) {
    *text += strspn(*text, between);
    if (!am_import_whole(text, value))
        return false;
    const char *end = *text;
    *text += strspn(end, between);
    return *text != end || *end == '\0';
}

/* The value at the end of a line. */
static am_status take_value(const am_lines *lines, const char *text, double *value, am_error *err) {
    size_t length = strcspn(text, between);
    if (text[length + strspn(text + length, between)] == '\0' && am_import_number(text, length, value))
        return AM_OK;
    return am_lines_wrong(lines, err, "expected one finite number at the end of the line, not '%.60s'", text);
}

static am_status unclear(const am_lines *lines, bool labelled, am_error *err) {
    return am_lines_wrong(lines, err, "expected '%s', not '%.60s'",
                          labelled ? "node, direction, node, direction, value" : "row column value", lines->text);
}

/* A pair of labels or of numbers, as rows counted from 0. */
static am_status take_place(am_import *import, const am_lines *lines, bool labelled, const char **text, size_t place[2],
                            am_error *err) {
    for (int k = 0; k < 2; k++) {
        long node = 0, direction = 0;
        if (!take_whole(text, &node) || (labelled && !take_whole(text, &direction)))
            return unclear(lines, labelled, err);
        if (labelled && (direction < 0 || direction > 99))
            return am_lines_wrong(lines, err, "a node has no direction %ld", direction);
        if (!labelled && (node < 1 || node > AM_IMPORT_MOST_ROWS))
            return am_lines_wrong(lines, err, "there is no row or column %ld", node);
        if (labelled)
            AM_TRY(am_labels_row(&import->labels, (am_label){node, (int)direction}, &place[k], NULL, err));
        else
            place[k] = (size_t)node - 1;
    }
    return AM_OK;
}

static am_status read_line(am_import *import, const am_lines *lines, bool labelled, am_terms *terms, size_t *n,
                           am_import_digits *d, am_error *err) {
    const char *text = lines->text;
    size_t place[2];
    double value;
    AM_TRY(take_place(import, lines, labelled, &text, place, err));
    AM_TRY(take_value(lines, text, &value, err));
    if (!lines->whole) /* cut off inside a number it would still be one */
        return am_lines_wrong(lines, err, "the file ends inside a line: it was cut off");
    am_import_count_digits(d, text, terms->count == 0);
    for (int k = 0; k < 2; k++)
        *n = place[k] + 1 > *n ? place[k] + 1 : *n;
    return am_terms_add(terms, place[0], place[1], value, lines->line, err);
}

static bool is_comment(const char *text) {
    text += strspn(text, between);
    return *text == '\0' || strchr("*#$%!", *text);
}

am_status am_import_list(am_import *import, am_error *err) {
    bool labelled = import->format == AM_IMPORT_ABAQUS, more = true;
    AM_LOCAL(am_terms_clear) am_terms terms = {0};
    AM_LOCAL(am_lines_close) am_lines lines = {0};
    am_import_digits d = {0};
    size_t n = 0;
    AM_TRY(am_lines_open(&lines, import->path, "a list of terms", err));
    for (;;) {
        AM_TRY(am_lines_next(&lines, &more, err));
        if (!more)
            break;
        if (!is_comment(lines.text))
            AM_TRY(read_line(import, &lines, labelled, &terms, &n, &d, err));
    }
    import->lines = lines.line;
    if (d.cut)
        return am_lines_wrong(&lines, err, "the last value has fewer digits than all others: the file was cut off");
    if (n / 64 > terms.count) /* rows cost memory, whatever is in them */
        return am_lines_wrong(&lines, err, "%zu rows have %zu terms only: is this a matrix?", n, terms.count);
    if (labelled)
        AM_TRY(am_import_sort(import, &terms, 1, err));
    am_terms_order order = {.path = import->path, .n = n, .labels = labelled ? &import->labels : NULL};
    return am_import_add(import, "", am_import_role_of_file(import->path), &terms, &order, err);
}
