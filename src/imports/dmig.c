/* Nastran DMIG in the bulk data or a punch file: fields of 8 (short) or 16 characters (long, with a star), or separated by
 * commas.
 *
 *     DMIG    NAME           0     IFO     TIN    TOUT               begins a matrix; IFO 6: one triangle, 1: both
 *     DMIG    NAME          GJ      CJ              G1      C1      A1      B1     begins a column: a node, a direction
 *                   G2      C2      A2      B2      G3      C3      A3      B3     goes on with it; short
 *     DMIG*   NAME                          GJ              CJ
 *     *                     G1              C1              A1              B1     long: one term a line */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/try.h"
#include "imports/import_internal.h"

enum { FIELDS = 9, FIELD_SIZE = 40 };

typedef struct dmig_matrix {
    char name[FIELD_SIZE];
    long form; /* IFO */
    am_terms terms;
} dmig_matrix;

typedef struct reader {
    am_import *import;
    am_lines lines;
    size_t count;
    dmig_matrix matrix[AM_IMPORT_PARTS];
    dmig_matrix *open; /* whose column is being read; NULL: none */
    am_label column;
    size_t column_terms, column_line;
    size_t width, widths; /* characters of all lines in long fields so far (0: they differ), and how many lines */
    bool cut;             /* but the last one has fewer: it was cut off, though its number still is one */
    char field[FIELDS][FIELD_SIZE]; /* without blanks around them */
    bool long_fields, too_long;     /* too_long: one of them does not fit */
} reader;

static void store_field(reader *r, size_t index, const char *text, size_t length) {
    while (length > 0 && isspace((unsigned char)*text))
        text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    r->too_long = r->too_long || length >= FIELD_SIZE;
    snprintf(r->field[index], FIELD_SIZE, "%.*s", (int)(length < FIELD_SIZE ? length : FIELD_SIZE - 1), text);
}

/* field[0] is the name of the card, or what stands for it in the next line of it. */
static void split(reader *r) {
    const char *text = r->lines.text;
    size_t length = r->lines.length;
    memset(r->field, 0, sizeof r->field);
    r->long_fields = memchr(text, '*', length < 8 ? length : 8) != NULL;
    if (strchr(text, ',')) {
        for (size_t i = 0; i < FIELDS && text; i++) {
            const char *comma = strchr(text, ',');
            store_field(r, i, text, comma ? (size_t)(comma - text) : strlen(text));
            text = comma ? comma + 1 : NULL;
        }
        return;
    }
    size_t at = 8, width = r->long_fields ? 16 : 8;
    store_field(r, 0, text, length < 8 ? length : 8);
    for (size_t i = 1; i < FIELDS && at < length && !(r->long_fields && i > 4); i++, at += width)
        store_field(r, i, text + at, length - at < width ? length - at : width);
}

static am_status take_whole(const reader *r, size_t index, long *value, am_error *err) {
    const char *text = r->field[index];
    return am_import_whole(&text, value) && !*text
               ? AM_OK
               : am_lines_wrong(&r->lines, err, "expected a whole number in field %zu, not '%.40s'", index + 1,
                                r->field[index]);
}

static am_status take_number(const reader *r, size_t index, double *value, am_error *err) {
    const char *text = r->field[index];
    return am_import_number(text, strlen(text), value)
               ? AM_OK
               : am_lines_wrong(&r->lines, err, "expected a finite number in field %zu, not '%.40s'", index + 1, text);
}

static am_status take_label(const reader *r, size_t node, size_t direction, am_label *label, am_error *err) {
    long where = 0;
    AM_TRY(take_whole(r, node, &label->node, err));
    if (r->field[direction][0]) /* blank: a scalar point */
        AM_TRY(take_whole(r, direction, &where, err));
    if (label->node < 1 || where < 0 || where > 6)
        return am_lines_wrong(&r->lines, err, "there is no coordinate %ld.%ld", label->node, where);
    label->direction = (int)where;
    return AM_OK;
}

static am_status begin_matrix(reader *r, am_error *err) {
    long form, type;
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->matrix[i].name, r->field[1]) == 0)
            return am_lines_wrong(&r->lines, err, "the matrix %.40s begins a second time", r->field[1]);
    if (r->count == AM_IMPORT_PARTS)
        return am_lines_wrong(&r->lines, err, "more than %d matrices in one file", AM_IMPORT_PARTS);
    AM_TRY(take_whole(r, 3, &form, err));
    AM_TRY(take_whole(r, 4, &type, err));
    if (form != 1 && form != 6)
        return am_lines_wrong(&r->lines, err,
                              "the matrix %.40s has the form %ld: square (1) and symmetric (6) ones are read",
                              r->field[1], form);
    if (type != 1 && type != 2)
        return am_lines_wrong(&r->lines, err, "the matrix %.40s has the type %ld: real ones (1, 2) are read",
                              r->field[1], type);
    dmig_matrix *m = &r->matrix[r->count++];
    memcpy(m->name, r->field[1], FIELD_SIZE);
    m->form = form;
    return AM_OK;
}

/* A column without a term was cut off. */
static am_status end_column(reader *r, am_error *err) {
    dmig_matrix *open = r->open;
    char words[AM_LABEL_SIZE];
    r->open = NULL;
    if (open && r->column_terms == 0)
        return am_fail(err, AM_ERR_INPUT, "%s:%zu: column %s of %s has no terms", r->lines.path, r->column_line,
                       am_label_words(r->column, words), open->name);
    return AM_OK;
}

static am_status take_term(reader *r, size_t first, am_error *err) {
    am_label label;
    double value;
    size_t row, column;
    bool empty = true;
    for (size_t i = first; i < first + 4 && i < FIELDS; i++)
        empty = empty && !r->field[i][0];
    if (empty)
        return AM_OK;
    AM_TRY(take_label(r, first, first + 1, &label, err));
    AM_TRY(take_number(r, first + 2, &value, err));
    AM_TRY(am_labels_row(&r->import->labels, label, &row, NULL, err));
    AM_TRY(am_labels_row(&r->import->labels, r->column, &column, NULL, err));
    r->column_terms++;
    return am_terms_add(&r->open->terms, row, column, value, r->lines.line, err);
}

static am_status begin_column(reader *r, am_error *err) {
    AM_TRY(end_column(r, err));
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->matrix[i].name, r->field[1]) == 0)
            r->open = &r->matrix[i];
    if (!r->open)
        return am_lines_wrong(&r->lines, err, "a column of the matrix '%.40s', which has not begun: 'DMIG %.40s 0 ...'",
                              r->field[1], r->field[1]);
    r->column_terms = 0;
    r->column_line = r->lines.line;
    AM_TRY(take_label(r, 2, 3, &r->column, err));
    return r->long_fields ? AM_OK : take_term(r, 5, err);
}

static am_status read_line(reader *r, am_error *err) {
    split(r);
    if (r->too_long)
        return am_lines_wrong(&r->lines, err, "a field has more than %d characters", FIELD_SIZE - 1);
    const char *card = r->field[0];
    bool blank = strspn(r->lines.text, " \t\r") == r->lines.length;
    if (!r->lines.whole && !blank &&
        strcasecmp(card, "ENDDATA") != 0) /* cut off inside a number it would still be one */
        return am_lines_wrong(&r->lines, err, "the file ends inside a line: it was cut off");
    if (strncasecmp(card, "DMIG", 4) == 0 && (card[4] == '\0' || card[4] == '*')) {
        if (strcmp(r->field[2], "0") == 0) {
            AM_TRY(end_column(r, err));
            return begin_matrix(r, err);
        }
        return begin_column(r, err);
    }
    bool goes_on = card[0] == '\0' || card[0] == '*' || card[0] == '+';
    if (!goes_on) /* another card */
        return end_column(r, err);
    if (!r->open || blank)
        return AM_OK;
    size_t before = r->column_terms;
    AM_TRY(take_term(r, 1, err));
    if (r->column_terms == before)
        return am_lines_wrong(&r->lines, err, "the line goes on with column %ld.%d but has no term", r->column.node,
                              r->column.direction);
    if (r->long_fields) {
        r->width = r->widths++ == 0 ? r->lines.length : r->cut || r->lines.length > r->width ? 0 : r->width;
        r->cut = r->lines.length < r->width;
        return AM_OK;
    }
    return take_term(r, 5, err);
}

/* K4 is structural damping, which is no matrix of M q'' + C q' + K q. */
static am_import_role role_of(const char *name) {
    char first = (char)toupper((unsigned char)name[0]);
    if (first == 'K' && name[1] == '4')
        return AM_IMPORT_UNKNOWN;
    return first == 'K'   ? AM_IMPORT_STIFFNESS
           : first == 'M' ? AM_IMPORT_MASS
           : first == 'B' ? AM_IMPORT_DAMPING
                          : AM_IMPORT_UNKNOWN;
}

static am_status finish(reader *r, am_error *err) {
    am_terms all[AM_IMPORT_PARTS];
    for (size_t i = 0; i < r->count; i++)
        all[i] = r->matrix[i].terms;
    AM_TRY(am_import_sort(r->import, all, r->count, err));
    for (size_t i = 0; i < r->count; i++) {
        const dmig_matrix *m = &r->matrix[i];
        am_terms_order order = {r->lines.path, r->import->labels.count, &r->import->labels, m->form == 6, m->form == 1};
        if (m->terms.count == 0)
            return am_lines_wrong(&r->lines, err, "the matrix %s has no terms", m->name);
        am_status status = am_import_add(r->import, m->name, role_of(m->name), &r->matrix[i].terms, &order, err);
        if (status)
            return status;
    }
    return AM_OK;
}

static am_status read_file(reader *r, am_error *err) {
    bool more = true;
    AM_TRY(am_lines_open(&r->lines, r->import->path, "a Nastran file", err));
    for (;;) {
        AM_TRY(am_lines_next(&r->lines, &more, err));
        if (!more)
            break;
        if (r->lines.text[0] != '$')
            AM_TRY(read_line(r, err));
    }
    r->import->lines = r->lines.line;
    if (r->cut)
        return am_lines_wrong(&r->lines, err, "the last term is shorter than all others: the file was cut off");
    AM_TRY(end_column(r, err));
    return finish(r, err);
}

am_status am_import_dmig(am_import *import, am_error *err) {
    reader *r = am_memory_new(1, sizeof *r, err);
    if (!r)
        return AM_ERR_MEMORY;
    r->import = import;
    am_status status = read_file(r, err);
    am_lines_close(&r->lines);
    for (size_t i = 0; i < r->count; i++)
        am_terms_clear(&r->matrix[i].terms);
    am_memory_free(r);
    return status;
}
