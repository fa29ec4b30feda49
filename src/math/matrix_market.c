/* Matrix Market files: "%%MatrixMarket matrix coordinate|array real|integer general|symmetric|skew-symmetric". */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "amontons/matrix.h"
#include "base/arena.h"
#include "base/input_file.h"
#include "base/object.h"
#include "base/text.h"
#include "base/try.h"
#include "math/matrix_market.h"

static const char space[] = " \t\r\n\v\f";

enum { MIRROR_NONE, MIRROR_SAME, MIRROR_NEGATIVE };

/* Entries a file may claim to hold: 16 bytes each stay well inside memory and a wrong header cannot ask for the
 * impossible. */
static const size_t most_entries = (size_t)1 << 28;
static const size_t most_rows = (size_t)1 << 24;
static const size_t most_bytes = (size_t)1 << 34; /* of a file */

typedef struct reader {
    const char *path;
    FILE *file;
    size_t bytes, taken; /* of the file when it was opened; read so far */
    size_t line;
    char text[1024];
    bool too_long; /* the line did not fit */
    bool zero;     /* the line has a zero character, which would end it too early */
    int trouble;   /* errno of the last attempt to read a line */
    bool coordinate, integer;
    int mirror;
    size_t rows, columns, listed; /* as in the header; listed: entries in the file */
    size_t count;                 /* entries stored so far */
    size_t *row, *column;
    double *value;
    am_arena memory;
    am_market_visit visit; /* NULL: entries are stored */
    void *context;
} reader;

static am_status wrong(const reader *r, am_error *err, const char *what) {
    return am_fail(err, AM_ERR_INPUT, "%s:%zu: %s", r->path, r->line,
                   r->too_long ? "the line is longer than 1000 characters"
                   : r->zero   ? "the line has a zero character: this is no text"
                               : what);
}

/* No further line: the file ends too early, or could not be read on. */
static am_status ended(const reader *r, am_error *err, const char *what) {
    if (ferror(r->file))
        return am_fail(err, AM_ERR_FILE, "%s: cannot be read beyond line %zu: %s", r->path, r->line,
                       strerror(r->trouble));
    return wrong(r, err, what);
}

/* One line into `text`, its end included; what does not fit is passed over, and the line is too long unless it is a
 * comment. False at the end of the file, when it cannot be read, and when it grows while it is read. */
static bool get_line(reader *r) {
    size_t length = 0;
    bool cut = false;
    int c = EOF;
    errno = 0;
    r->zero = false;
    while (r->taken < r->bytes && (c = getc_unlocked(r->file)) != EOF) {
        r->taken++;
        r->zero = r->zero || c == 0;
        if (length + 1 < sizeof r->text)
            r->text[length++] = (char)c;
        else
            cut = true;
        if (c == '\n')
            break;
    }
    r->text[length] = '\0';
    r->trouble = errno;
    r->too_long = cut && r->text[strspn(r->text, " \t")] != '%';
    return length > 0 && !ferror(r->file); /* not a part of a line */
}

/* The next line that is not blank or a comment. False at the end, and when the file cannot be read. */
static bool next_line(reader *r) {
    while (get_line(r)) {
        r->line++;
        const char *p = r->text;
        while (isspace((unsigned char)*p))
            p++;
        if ((*p && *p != '%') || r->too_long || r->zero)
            return true;
    }
    return false;
}

static am_status read_banner(reader *r, am_error *err) {
    static const char mark[] = "\xEF\xBB\xBF"; /* of the byte order: editors put it before the first line */
    char object[32], format[32], field[32], symmetry[32];
    if (!get_line(r) && ferror(r->file))
        return ended(r, err, "");
    r->line = 1;
    bool zero = r->zero;
    r->zero = false; /* a file of another kind is called so first */
    const char *text = r->text + (strncmp(r->text, mark, 3) == 0 ? 3 : 0);
    if (sscanf(text, "%%%%MatrixMarket %31s %31s %31s %31s", object, format, field, symmetry) != 4)
        return wrong(r, err,
                     "not a Matrix Market file; the first line must read like "
                     "'%%MatrixMarket matrix coordinate real general'");
    if (strcasecmp(object, "matrix") != 0)
        return wrong(r, err, "only Matrix Market objects of type 'matrix' are read");
    r->coordinate = strcasecmp(format, "coordinate") == 0;
    if (!r->coordinate && strcasecmp(format, "array") != 0)
        return wrong(r, err, "the format must be 'coordinate' or 'array'");
    r->integer = strcasecmp(field, "integer") == 0;
    if (!r->integer && strcasecmp(field, "real") != 0)
        return wrong(r, err, "entries must be 'real' or 'integer'");
    if (strcasecmp(symmetry, "symmetric") == 0)
        r->mirror = MIRROR_SAME;
    else if (strcasecmp(symmetry, "skew-symmetric") == 0)
        r->mirror = MIRROR_NEGATIVE;
    else if (strcasecmp(symmetry, "general") != 0)
        return wrong(r, err, "the symmetry must be 'general', 'symmetric' or 'skew-symmetric'");
    r->zero = zero;
    return zero ? wrong(r, err, "") : AM_OK;
}

static am_status read_sizes(reader *r, am_error *err) {
    if (!next_line(r))
        return ended(r, err, "the line with the sizes is missing");
    long long rows = 0, columns = 0, listed = 0;
    int used = 0, wanted = r->coordinate ? 3 : 2;
    int got = r->coordinate ? sscanf(r->text, "%lld %lld %lld %n", &rows, &columns, &listed, &used)
                            : sscanf(r->text, "%lld %lld %n", &rows, &columns, &used);
    if (got < wanted || r->text[used] != '\0' || rows < 1 || columns < 1 || listed < 0)
        return wrong(r, err, r->coordinate ? "expected 'rows columns entries'" : "expected 'rows columns'");
    if (r->mirror != MIRROR_NONE && rows != columns)
        return wrong(r, err, "a symmetric matrix must be square");
    if ((size_t)rows > most_rows || (size_t)columns > most_rows || (size_t)listed > most_entries ||
        (!r->coordinate && (size_t)columns > most_entries / (size_t)rows))
        return wrong(r, err, "the matrix is too large to be read");
    r->rows = (size_t)rows;
    r->columns = (size_t)columns;
    r->listed = (size_t)listed;
    if (!r->coordinate && r->mirror != MIRROR_NONE) /* the lower triangle by columns, without the diagonal when skew */
        r->listed = r->mirror == MIRROR_SAME ? r->rows * (r->rows + 1) / 2 : r->rows * (r->rows - 1) / 2;
    else if (!r->coordinate)
        r->listed = r->rows * r->columns;
    if (r->listed > r->bytes / 2 + 1) /* a digit and the end of the line at least: refused before memory is asked for */
        return wrong(r, err, "the sizes ask for more entries than the file has room for");
    return AM_OK;
}

static am_status allocate(reader *r, am_error *err) {
    size_t most = r->listed * (r->mirror == MIRROR_NONE ? 1 : 2);
    AM_ARENA_ARRAYS(&r->memory, size_t, most, err, &r->row, &r->column);
    r->value = am_arena_doubles(&r->memory, NULL, most, err);
    return am_arena_status(&r->memory);
}

static void store(reader *r, size_t row, size_t column, double value) {
    r->row[r->count] = row;
    r->column[r->count] = column;
    r->value[r->count++] = value;
    if (r->mirror != MIRROR_NONE && row != column) {
        r->row[r->count] = column;
        r->column[r->count] = row;
        r->value[r->count++] = r->mirror == MIRROR_SAME ? value : -value;
    }
}

static am_status distribute(reader *r, const am_market_entry *entry, am_error *err) {
    if (r->visit)
        return r->visit(r->context, entry, err);
    store(r, entry->row, entry->column, entry->value);
    return AM_OK;
}

static am_status read_number(reader *r, const char *from, double *value, am_error *err) {
    from += strspn(from, space);
    size_t length = am_text_parse_number(from, value);
    if (length == 0 || from[length + strspn(from + length, space)] != '\0' || !isfinite(*value))
        return wrong(r, err, "expected one finite number at the end of the line");
    if (r->integer && *value != trunc(*value))
        return wrong(r, err, "expected a whole number: the first line says 'integer'");
    return AM_OK;
}

static am_status read_coordinates(reader *r, am_error *err) {
    for (size_t e = 0; e < r->listed; e++) {
        if (!next_line(r)) {
            char what[96];
            snprintf(what, sizeof what, "the file ends after %zu of %zu entries", e, r->listed);
            return ended(r, err, what);
        }
        if (r->zero || r->too_long)
            return wrong(r, err, "");
        long long i = 0, j = 0;
        int used = 0;
        double value = 0.0;
        if (sscanf(r->text, "%lld %lld %n", &i, &j, &used) < 2 || used == 0)
            return wrong(r, err, "expected 'row column value'");
        if (i < 1 || j < 1 || (size_t)i > r->rows || (size_t)j > r->columns)
            return am_fail(err, AM_ERR_INPUT, "%s:%zu: entry (%lld, %lld) lies outside the %zu x %zu matrix", r->path,
                           r->line, i, j, r->rows, r->columns);
        AM_TRY(read_number(r, r->text + used, &value, err));
        if (r->mirror != MIRROR_NONE && j > i) /* given twice, entries would add up */
            return wrong(r, err,
                         "a symmetric matrix lists its lower triangle only, but this entry is above the diagonal");
        if (r->mirror == MIRROR_NEGATIVE && i == j && value != 0.0)
            return wrong(r, err, "the diagonal of a skew-symmetric matrix must be zero");
        const am_market_entry entry = {(size_t)i - 1, (size_t)j - 1, value, r->line, r->text + used};
        AM_TRY(distribute(r, &entry, err));
    }
    return AM_OK;
}

static am_status read_array(reader *r, am_error *err) {
    for (size_t j = 0; j < r->columns; j++) {
        size_t first = r->mirror == MIRROR_NONE ? 0 : r->mirror == MIRROR_SAME ? j : j + 1;
        for (size_t i = first; i < r->rows; i++) {
            double value = 0.0;
            if (!next_line(r)) {
                char what[96];
                snprintf(what, sizeof what, "the file ends before entry (%zu, %zu)", i + 1, j + 1);
                return ended(r, err, what);
            }
            if (r->zero || r->too_long)
                return wrong(r, err, "");
            AM_TRY(read_number(r, r->text, &value, err));
            AM_TRY(distribute(r, &(am_market_entry){i, j, value, r->line, r->text}, err));
        }
    }
    return AM_OK;
}

static am_status read_entries(reader *r, am_error *err) {
    AM_TRY(r->coordinate ? read_coordinates(r, err) : read_array(r, err));
    if (next_line(r))
        AM_TRY(wrong(r, err, "more entries than the header says"));
    if (ferror(r->file))
        AM_TRY(ended(r, err, ""));
    return AM_OK;
}

static am_status read_all(reader *r, am_error *err) {
    AM_TRY(read_banner(r, err));
    AM_TRY(read_sizes(r, err));
    AM_TRY(allocate(r, err));
    return read_entries(r, err);
}

am_status am_matrix_market_entries(const char *path, am_market_head *head, am_market_visit visit, void *context,
                                   am_error *err) {
    reader r = {.path = path, .visit = visit, .context = context};
    r.file = am_input_open(path, "a Matrix Market file", most_bytes, &r.bytes, err);
    if (!r.file)
        return am_error_status(err);
    am_status status = read_banner(&r, err);
    if (!status)
        status = read_sizes(&r, err);
    *head = (am_market_head){.coordinate = r.coordinate,
                             .symmetric = r.mirror == MIRROR_SAME,
                             .skew = r.mirror == MIRROR_NEGATIVE,
                             .rows = r.rows,
                             .columns = r.columns};
    if (!status)
        status = read_entries(&r, err);
    head->lines = r.line;
    fclose(r.file);
    return status;
}

static am_matrix *finish(reader *r, am_error *err) {
    if (r->coordinate)
        return am_matrix_sparse(r->rows, r->columns, r->count, r->row, r->column, r->value, err);
    double *dense = am_arena_doubles(&r->memory, NULL, r->rows * r->columns, err);
    if (!dense)
        return NULL;
    for (size_t e = 0; e < r->count; e++)
        dense[r->row[e] * r->columns + r->column[e]] = r->value[e];
    return am_matrix_dense(r->rows, r->columns, dense, err);
}

am_matrix *am_matrix_read(const char *path, am_error *err) {
    if (!path)
        return am_misused_for_nothing(err, __func__);
    reader r = {.path = path};
    r.file = am_input_open(path, "a Matrix Market file", most_bytes, &r.bytes, err);
    if (!r.file)
        return NULL;
    am_matrix *matrix = read_all(&r, err) == AM_OK ? finish(&r, err) : NULL;
    fclose(r.file);
    am_arena_clear(&r.memory);
    return matrix;
}
