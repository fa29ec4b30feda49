#include "imports/csv.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/input_file.h"
#include "base/local.h"
#include "base/text.h"

static const size_t most_bytes = (size_t)1 << 30;

typedef struct scan {
    const char *name, *line_start;
    size_t line, capacity, line_capacity, names; /* line: from 1; names: of the heading, 0 without one */
    bool names_by_commas;
    am_csv *table;
} scan;

/* ---- what is wrong, and where ---- */

/* Columns count characters, not bytes: those that continue one (10xxxxxx) are left out. */
static size_t column_of(const scan *s, const char *at) {
    size_t column = 1;
    for (const char *p = s->line_start; p < at; p++)
        column += ((unsigned char)*p & 0xc0) != 0x80;
    return column;
}

static am_status refuse(const scan *s, const char *at, const char *what, am_error *err) {
    return am_fail(err, AM_ERR_INPUT, "%s:%zu:%zu: %s", s->name, s->line, column_of(s, at), what);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_separator(char c) {
    return c == ',' || c == ';';
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static const char *cell_end(const char *p, const char *end, bool blanks_too) {
    while (p < end && !is_separator(*p) && !(blanks_too && is_blank(*p)))
        p++;
    return p;
}

static am_status no_number(const scan *s, const char *at, const char *end, am_error *err) {
    char shown[41];
    const char *stop = cell_end(at, end, true);
    size_t length = 0;
    for (const char *p = at; p < stop && length + 1 < sizeof shown; p++)
        shown[length++] = isprint((unsigned char)*p) ? *p : '?';
    shown[length] = '\0';
    if (length == 0)
        return refuse(s, at, "a number is missing", err);
    return am_fail(err, AM_ERR_INPUT, "%s:%zu:%zu: '%s' stands where a finite number was expected", s->name, s->line,
                   column_of(s, at), shown);
}

/* ---- a line of numbers ---- */

static am_status append_value(scan *s, size_t count, double value, am_error *err) {
    AM_TRY(am_memory_reserve(&s->table->values, &s->capacity, count + 1, err));
    s->table->values[count] = value;
    return AM_OK;
}

/* The number at *at, and past what separates it from the next. `separator`: the sign this line uses, 0 so far none. */
static am_status read_cell(const scan *s, const char **at, const char *end, char *separator, double *value,
                           am_error *err) {
    size_t length = am_text_parse_number(*at, value);
    const char *p = *at + length;
    if (length == 0 || p > end || (p < end && !is_separator(*p) && !is_blank(*p)) || !isfinite(*value))
        return no_number(s, *at, end, err);
    p = skip_blanks(p, end);
    if (p < end && is_separator(*p)) {
        if (*separator && *separator != *p)
            return refuse(
                s, p, "commas and semicolons in one line: which of them separates numbers? Decimals have a point", err);
        *separator = *p;
        p = skip_blanks(p + 1, end);
        if (p == end)
            return refuse(s, p, "a number is missing at the end of the line", err);
    }
    *at = p;
    return AM_OK;
}

static am_status read_numbers(scan *s, const char *p, const char *end, am_error *err) {
    size_t columns = 0, before = s->table->rows * s->table->columns;
    char separator = 0;
    const char *first = p;
    while (p < end) {
        double value = 0.0;
        AM_TRY(read_cell(s, &p, end, &separator, &value, err));
        AM_TRY(append_value(s, before + columns, value, err));
        columns++;
    }
    if (s->table->rows > 0 && columns != s->table->columns)
        return am_fail(err, AM_ERR_INPUT, "%s:%zu:%zu: %zu numbers where the first row has %zu", s->name, s->line,
                       column_of(s, first), columns, s->table->columns);
    AM_TRY(am_memory_reserve(&s->table->line, &s->line_capacity, s->table->rows + 1, err));
    s->table->line[s->table->rows] = s->line;
    s->table->columns = columns;
    s->table->rows++;
    return AM_OK;
}

/* ---- the heading ---- */

/* Words that stand for numbers that are not there. */
static bool means_nothing(const char *p, size_t length) {
    static const char *const words[] = {"nan", "inf", "infinity", "na", "n/a", "null", "none"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t k = 0;
        while (k < length && words[i][k] && tolower((unsigned char)p[k]) == words[i][k])
            k++;
        if (k == length && !words[i][k])
            return true;
    }
    return false;
}

/* A letter of ASCII, or what may be one in UTF-8: U+00C0 to U+1FFF (without the signs of times and division) and from
 * U+3040 to U+D7FF. Signs, digits and marks that look like ASCII (a long minus, a byte-order mark) lie elsewhere. */
static bool begins_with_letter(const char *p, const char *end) {
    const unsigned char *u = (const unsigned char *)p;
    if (isalpha(u[0]) || u[0] == '_')
        return true;
    unsigned code = 0;
    if (u[0] >= 0xc3 && u[0] < 0xe0 && end - p >= 2)
        code = (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
    else if (u[0] >= 0xe0 && u[0] < 0xf0 && end - p >= 3)
        code = (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    return (code >= 0xc0 && code <= 0x1fff && code != 0xd7 && code != 0xf7) || (code >= 0x3040 && code <= 0xd7ff);
}

/* The name of a column begins with a letter. A point with a digit behind it makes it a number with a slip (O.5). */
static bool is_name(const char *p, const char *end) {
    while (end > p && is_blank(end[-1]))
        end--;
    if (p == end || !begins_with_letter(p, end) || means_nothing(p, (size_t)(end - p)))
        return false;
    for (; p < end; p++)
        if (*p == '"' || (*p == '.' && p + 1 < end && isdigit((unsigned char)p[1])))
            return false;
    return true;
}

static am_status read_heading(scan *s, const char *p, const char *end, am_error *err) {
    const char *first = p;
    s->names_by_commas = cell_end(p, end, false) < end;
    while (p < end) {
        const char *stop = cell_end(p, end, !s->names_by_commas);
        bool unit = !s->names_by_commas && s->names > 0 && (*p == '[' || *p == '('); /* of the name before */
        if (!unit && !is_name(p, stop))
            return no_number(s, p, end, err);
        s->names += !unit;
        p = skip_blanks(stop < end && is_separator(*stop) ? stop + 1 : stop, end);
        if (p == end && stop < end && is_separator(*stop))
            return refuse(s, p, "a name is missing at the end of the line", err);
    }
    if (s->names == 0)
        return no_number(s, first, end, err);
    s->table->heading = am_memory_new((size_t)(end - first) + 1, 1, err);
    if (!s->table->heading)
        return AM_ERR_MEMORY;
    memcpy(s->table->heading, first, (size_t)(end - first));
    return AM_OK;
}

size_t am_csv_column(const am_csv *table, const char *name) {
    const char *p = table->heading ? table->heading : "", *end = p + strlen(p);
    size_t length = strlen(name), column = 0;
    bool by_commas = cell_end(p, end, false) < end;
    for (; p < end && column < table->columns; column++) {
        const char *stop = cell_end(p, end, !by_commas), *last = stop;
        while (last > p && is_blank(last[-1]))
            last--;
        if ((size_t)(last - p) == length && memcmp(p, name, length) == 0)
            return column;
        p = skip_blanks(stop < end && is_separator(*stop) ? stop + 1 : stop, end);
        if (!by_commas && p < end && (*p == '[' || *p == '(')) /* the unit of the name before */
            p = skip_blanks(cell_end(p, end, true), end);
    }
    return table->columns;
}

/* A name for every column; a single one may have blanks in it. */
static am_status check_heading(const scan *s, am_error *err) {
    size_t columns = s->table->columns;
    if (s->names == 0 || s->names == columns || (columns == 1 && !s->names_by_commas))
        return AM_OK;
    return am_fail(err, AM_ERR_INPUT, "%s:%zu:1: %zu numbers under a heading of %zu names", s->name, s->line, columns,
                   s->names);
}

/* ---- lines ---- */

static bool begins_a_number(const char *p) {
    double ignored;
    return am_text_parse_number(p, &ignored) > 0;
}

static am_status read_line(scan *s, const char *p, const char *end, am_error *err) {
    for (const char *c = p; c < end; c++)
        if ((unsigned char)*c < ' ' && *c != '\t')
            return refuse(s, c, "a control character stands here: this is no text of numbers", err);
    p = skip_blanks(p, end);
    if (p == end || *p == '#')
        return AM_OK;
    if (s->table->rows == 0 && s->names == 0 && !begins_a_number(p))
        return read_heading(s, p, end, err);
    am_status status = read_numbers(s, p, end, err);
    return status == AM_OK && s->table->rows == 1 ? check_heading(s, err) : status;
}

am_status am_csv_parse(const char *name, const char *bytes, size_t length, am_csv *table, am_error *err) {
    static const char mark[] = "\xef\xbb\xbf";
    *table = (am_csv){0};
    scan s = {.name = name, .table = table};
    am_status status = AM_OK;
    const char *p = bytes, *all = bytes + length;
    if (length >= 3 && memcmp(p, mark, 3) == 0)
        p += 3;
    while (p < all && !status) {
        const char *newline = memchr(p, '\n', (size_t)(all - p)), *end = newline ? newline : all;
        s.line_start = p;
        s.line++;
        status = read_line(&s, p, end > p && end[-1] == '\r' ? end - 1 : end, err);
        p = newline ? newline + 1 : all;
    }
    if (!status && table->rows == 0)
        status = am_fail(err, AM_ERR_INPUT, "%s: there are no numbers in this file", name);
    if (status)
        am_csv_free(table);
    return status;
}

am_status am_csv_read(const char *path, am_csv *table, am_error *err) {
    AM_LOCAL(am_text_free) am_text text = {0};
    *table = (am_csv){0};
    AM_TRY(am_input_read(path, "a table", most_bytes, &text, err));
    return am_csv_parse(path, text.data, text.length, table, err);
}

void am_csv_free(am_csv *table) {
    am_memory_free(table->values);
    am_memory_free(table->line);
    am_memory_free(table->heading);
    *table = (am_csv){0};
}
