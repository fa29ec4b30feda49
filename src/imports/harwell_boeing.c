/* Harwell-Boeing files (Ansys: *SMAT, *EXPORT): assembled real matrices, symmetric (RSA) or not (RUA), by columns of fixed
 * width.
 *
 *     title (72), key (8)
 *     lines: total, of column starts, of rows, of values, of right-hand sides
 *     type (RSA), rows, columns, entries, element matrices
 *     formats of these: (8I10) (8I10) (3E25.16) */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "imports/import_internal.h"

typedef struct reader {
    am_lines lines;
    long rows, columns, entries, lines_of[5]; /* all, starts, rows, values, right-hand sides */
    bool symmetric;
    size_t per_line[3], width[3]; /* of starts, rows, values */
    am_arena memory;
    size_t *start, *row;
} reader;

static am_status next(reader *r, const char *what, am_error *err) {
    bool more;
    AM_TRY(am_lines_next(&r->lines, &more, err));
    return more ? AM_OK : am_lines_wrong(&r->lines, err, "the file ends before %s", what);
}

/* "(8I10)", "(1P,3E25.16)", "(1P4D20.12)": how many a line, and how wide. */
static am_status take_format(reader *r, int index, const char *text, am_error *err) {
    const char *letter = text + strcspn(text, "IEDFGiedfg");
    const char *count = letter;
    while (count > text && isdigit((unsigned char)count[-1]))
        count--;
    long many = count < letter ? strtol(count, NULL, 10) : 1, wide = *letter ? strtol(letter + 1, NULL, 10) : 0;
    if (many < 1 || many > 200 || wide < 1 || wide > 60)
        return am_lines_wrong(&r->lines, err, "'%.20s' is no format such as (8I10) or (3E25.16)", text);
    r->per_line[index] = (size_t)many;
    r->width[index] = (size_t)wide;
    return AM_OK;
}

static am_status read_sizes(reader *r, am_error *err) {
    AM_TRY(next(r, "the sizes", err));
    if (sscanf(r->lines.text, "%ld %ld %ld %ld %ld", &r->lines_of[0], &r->lines_of[1], &r->lines_of[2], &r->lines_of[3],
               &r->lines_of[4]) < 4)
        return am_lines_wrong(&r->lines, err, "expected four or five whole numbers: how many lines each part has");
    AM_TRY(next(r, "the type", err));
    char type[4] = "";
    if (sscanf(r->lines.text, "%3s %ld %ld %ld", type, &r->rows, &r->columns, &r->entries) != 4)
        return am_lines_wrong(&r->lines, err, "expected the type and three sizes, such as 'RSA 144 144 5237 0'");
    for (char *c = type; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    r->symmetric = strcmp(type, "RSA") == 0;
    if (!r->symmetric && strcmp(type, "RUA") != 0)
        return am_lines_wrong(&r->lines, err, "the type is %s: RSA (symmetric) and RUA matrices are read", type);
    if (r->rows < 1 || r->rows > AM_IMPORT_MOST_ROWS || r->rows != r->columns || r->entries < 0)
        return am_lines_wrong(&r->lines, err, "the matrix has %ld rows, %ld columns and %ld entries: it must be square",
                              r->rows, r->columns, r->entries);
    if ((size_t)r->rows + (size_t)r->entries > r->lines.bytes)
        return am_lines_wrong(&r->lines, err, "the sizes ask for more entries than the file has room for");
    return AM_OK;
}

static am_status read_head(reader *r, am_error *err) {
    AM_TRY(next(r, "its title", err));
    AM_TRY(read_sizes(r, err));
    AM_TRY(next(r, "the formats", err));
    const char *text = r->lines.text;
    for (int i = 0; i < 3; i++) {
        char format[32];
        text += strspn(text, " \t");
        size_t length = strcspn(text, ")");
        if (*text != '(' || !text[length])
            return am_lines_wrong(&r->lines, err, "expected three formats such as (8I10) (8I10) (3E25.16)");
        snprintf(format, sizeof format, "%.*s", (int)(length < 30 ? length + 1 : 30), text);
        AM_TRY(take_format(r, i, format, err));
        text += length + 1;
    }
    return r->lines_of[4] > 0 ? next(r, "the right-hand sides", err) : AM_OK;
}

/* Field `index` of a part, reading on where a line begins. A field that the line does not fill was cut off. */
static am_status take_field(reader *r, int part, size_t index, const char *what, char field[64], am_error *err) {
    size_t place = index % r->per_line[part], width = r->width[part];
    if (place == 0)
        AM_TRY(next(r, what, err));
    if (r->lines.length < (place + 1) * width)
        return am_lines_wrong(&r->lines, err, "the line ends inside of %s: expected %zu characters for each", what,
                              width);
    memcpy(field, r->lines.text + place * width, width);
    field[width] = '\0';
    return AM_OK;
}

static am_status take_whole(reader *r, int part, size_t index, const char *what, long least, long most, size_t *value,
                            am_error *err) {
    char field[64];
    const char *text = field;
    long number;
    AM_TRY(take_field(r, part, index, what, field, err));
    text += strspn(text, " ");
    if (!am_import_whole(&text, &number) || text[strspn(text, " ")] || number < least || number > most)
        return am_lines_wrong(&r->lines, err, "'%s' is none of %s: expected %ld to %ld", field, what, least, most);
    *value = (size_t)number;
    return AM_OK;
}

static am_status take_value(reader *r, size_t index, double *value, am_error *err) {
    char field[64];
    AM_TRY(take_field(r, 2, index, "the values", field, err));
    return am_import_number(field, strlen(field), value)
               ? AM_OK
               : am_lines_wrong(&r->lines, err, "expected a finite number, not '%s'", field);
}

static am_status read_pattern(reader *r, am_error *err) {
    size_t n = (size_t)r->columns, entries = (size_t)r->entries;
    for (size_t j = 0; j <= n; j++) {
        AM_TRY(take_whole(r, 0, j, "the column starts", 1, r->entries + 1, &r->start[j], err));
        if (j > 0 && r->start[j] < r->start[j - 1])
            return am_lines_wrong(&r->lines, err, "column %zu begins before the one to its left", j + 1);
    }
    if (r->start[0] != 1 || r->start[n] != entries + 1)
        return am_lines_wrong(&r->lines, err, "the columns have %zu entries, the sizes in line 3 say %zu",
                              r->start[n] - r->start[0], entries);
    for (size_t e = 0; e < entries; e++)
        AM_TRY(take_whole(r, 1, e, "the rows", 1, r->rows, &r->row[e], err));
    return AM_OK;
}

/* Lines beyond the last value: some of them were there twice, or the sizes are wrong. */
static am_status expect_end(reader *r, am_error *err) {
    bool more = true;
    while (r->lines_of[4] <= 0) {
        AM_TRY(am_lines_next(&r->lines, &more, err));
        if (!more)
            break;
        if (r->lines.text[strspn(r->lines.text, " \t")])
            return am_lines_wrong(&r->lines, err, "the file goes on behind the last of its %ld values", r->entries);
    }
    return AM_OK;
}

static am_status read_values(reader *r, am_terms *terms, am_error *err) {
    size_t column = 0;
    bool seen_lower = false, seen_upper = false;
    for (size_t e = 0; e < (size_t)r->entries; e++) {
        double value;
        AM_TRY(take_value(r, e, &value, err));
        while (r->start[column + 1] <= e + 1)
            column++;
        bool lower = r->row[e] > column + 1, upper = r->row[e] < column + 1;
        if (r->symmetric && ((lower && seen_upper) || (upper && seen_lower)))
            return am_lines_wrong(&r->lines, err,
                                  "entry %zu, (%zu, %zu), lies in the other triangle than those before it", e + 1,
                                  r->row[e], column + 1);
        seen_lower = seen_lower || lower;
        seen_upper = seen_upper || upper;
        AM_TRY(am_terms_add(terms, r->row[e] - 1, column, value, r->lines.line, err));
    }
    return r->lines.whole ? expect_end(r, err)
                          : am_lines_wrong(&r->lines, err, "the file ends inside a line: it was cut off");
}

static void close_reader(reader *r) {
    am_lines_close(&r->lines);
    am_arena_clear(&r->memory);
}

am_status am_import_harwell_boeing(am_import *import, am_error *err) {
    AM_LOCAL(close_reader) reader r = {.rows = 0};
    AM_LOCAL(am_terms_clear) am_terms terms = {0};
    AM_TRY(am_lines_open(&r.lines, import->path, "a Harwell-Boeing file", err));
    AM_TRY(read_head(&r, err));
    r.start = am_arena_new(&r.memory, (size_t)r.columns + 1, sizeof *r.start, err);
    r.row = am_arena_new(&r.memory, (size_t)r.entries, sizeof *r.row, err);
    AM_TRY(am_arena_status(&r.memory));
    AM_TRY(read_pattern(&r, err));
    AM_TRY(read_values(&r, &terms, err));
    import->lines = r.lines.line;
    am_terms_order order = {import->path, (size_t)r.rows, NULL, r.symmetric, !r.symmetric};
    return am_import_add(import, "", am_import_role_of_file(import->path), &terms, &order, err);
}
