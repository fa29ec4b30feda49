#include "imports/import.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "base/local.h"
#include "imports/csv.h"
#include "imports/import_internal.h"
#include "math/entries.h"

const char *am_import_format_name(am_import_format format) {
    static const char *const names[] = {"any",    "abaqus",        "coordinate", "nastran-dmig", "harwell-boeing",
                                        "matlab", "matrix-market", "csv"};
    return names[format];
}

const char *am_import_role_name(am_import_role role) {
    static const char *const names[] = {"unknown", "stiffness", "mass", "damping"};
    return names[role];
}

/* ---- what a matrix is ---- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcasecmp(text + length - tail, end) == 0;
}

static bool contains(const char *text, const char *word) {
    size_t length = strlen(word);
    for (; *text; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

/* By the ending, by words in the name, or by a last letter that stands alone: blade.sti, job_STIF2.mtx, blade_K.rsa. */
am_import_role am_import_role_of_file(const char *path) {
    static const struct {
        const char *ending, *words[4];
        char letter;
        am_import_role role;
    } known[] = {{".sti", {"stif", NULL}, 'K', AM_IMPORT_STIFFNESS},
                 {".mas", {"mass", NULL}, 'M', AM_IMPORT_MASS},
                 {".dam", {"damp", "dmpv", NULL}, 'C', AM_IMPORT_DAMPING}};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (ends_with(name, known[i].ending))
            return known[i].role;
        for (size_t w = 0; known[i].words[w]; w++)
            if (contains(name, known[i].words[w]))
                return known[i].role;
        if (length > 0 && toupper((unsigned char)name[length - 1]) == known[i].letter &&
            (length == 1 || !isalpha((unsigned char)name[length - 2])))
            return known[i].role;
    }
    return AM_IMPORT_UNKNOWN;
}

size_t am_import_part(const am_import *import, am_import_role role) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < import->count; i++)
        if (import->part[i].role == role)
            return i;
    if (import->count == 1)
        found = 0;
    return found;
}

/* ---- matrices ---- */

static am_status new_part(am_import *import, const char *name, am_import_role role, am_import_matrix **part,
                          am_error *err) {
    if (import->count == AM_IMPORT_PARTS)
        return am_fail(err, AM_ERR_LIMIT, "%s: more than %d matrices in one file", import->path, AM_IMPORT_PARTS);
    *part = &import->part[import->count];
    **part = (am_import_matrix){.role = role};
    snprintf((*part)->name, sizeof(*part)->name, "%s", name);
    return AM_OK;
}

am_status am_import_add(am_import *import, const char *name, am_import_role role, am_terms *terms,
                        const am_terms_order *order, am_error *err) {
    am_import_matrix *part = NULL;
    am_terms_found found = {0};
    am_status status = new_part(import, name, role, &part, err);
    if (!status)
        status = am_terms_matrix(terms, order, &found, err);
    am_terms_clear(terms);
    if (status)
        return status;
    part->matrix = found.matrix;
    part->row = found.row;
    part->zeros = found.zeros;
    memcpy(part->asymmetry, found.asymmetry, sizeof part->asymmetry);
    import->count++;
    return AM_OK;
}

am_status am_import_add_matrix(am_import *import, const char *name, am_import_role role, am_matrix *matrix,
                               am_error *err) {
    am_import_matrix *part = NULL;
    am_status status = new_part(import, name, role, &part, err);
    size_t n = am_matrix_rows(matrix);
    if (!status && n != am_matrix_columns(matrix))
        status = am_fail(err, AM_ERR_INPUT, "%s: the matrix%s%s has %zu rows and %zu columns; it must be square",
                         import->path, *name ? " " : "", name, n, am_matrix_columns(matrix));
    if (status) {
        am_matrix_free(matrix);
        return status;
    }
    part->matrix = matrix;
    import->count++;
    double difference = am_matrix_asymmetry(matrix), largest = am_matrix_largest(matrix);
    if (difference > 1e-9 * largest)
        snprintf(part->asymmetry, sizeof part->asymmetry,
                 "%s: the matrix%s%s is not symmetric: a term differs from its mirror by %.3g, the largest is %.3g",
                 import->path, *name ? " " : "", name, difference, largest);
    return AM_OK;
}

am_status am_import_sort(am_import *import, am_terms *terms, size_t count, am_error *err) {
    uint32_t *place = am_memory_new(import->labels.count, sizeof *place, err);
    am_status status = place ? am_labels_sort(&import->labels, place, err) : AM_ERR_MEMORY;
    for (size_t i = 0; i + 1 < import->labels.count && !status; i++) {
        const am_label *label = &import->labels.label[i];
        if (label->direction == 0 && label[1].node == label->node)
            status = am_import_wrong(import, 0, err,
                                     "node %ld is a single coordinate (direction 0) in some terms and has the "
                                     "direction %d in others",
                                     label->node, label[1].direction);
    }
    for (size_t k = 0; k < count && !status; k++)
        for (size_t i = 0; i < terms[k].count; i++) {
            am_term *t = &terms[k].term[i];
            t->row = place[t->row];
            t->column = place[t->column];
        }
    am_memory_free(place);
    return status;
}

/* ---- which format ---- */

static bool is_number_list(const char *text) {
    return text[strspn(text, "0123456789+-.eEdD, \t\r")] == '\0' && strpbrk(text, "0123456789");
}

/* The first line that is no comment of any format decides. */
static am_status detect(const char *path, am_import_format *format, am_error *err) {
    unsigned char magic[128] = {0};
    size_t bytes = 0;
    FILE *file = am_input_open(path, "a file of matrices", (size_t)1 << 36, &bytes, err);
    if (!file)
        return am_error_status(err);
    size_t got = fread(magic, 1, sizeof magic, file);
    fclose(file);
    *format = ends_with(path, ".csv") ? AM_IMPORT_CSV : AM_IMPORT_ANY;
    if (got > 18 && (strncmp((const char *)magic, "MATLAB 5.0 MAT-file", 19) == 0 ||
                     strncmp((const char *)magic, "MATLAB 7.3 MAT-file", 19) == 0))
        *format = AM_IMPORT_MATLAB;
    if (*format != AM_IMPORT_ANY)
        return AM_OK;
    am_lines lines;
    AM_TRY(am_lines_open(&lines, path, "a file of matrices", err));
    bool more = true;
    am_status status = AM_OK;
    while (!status && *format == AM_IMPORT_ANY && (status = am_lines_next(&lines, &more, err)) == AM_OK && more) {
        const char *text = lines.text + strspn(lines.text, " \t");
        if (lines.line == 1 && contains(text, "MatrixMarket")) /* its reader knows whether that is all right */
            *format = AM_IMPORT_MATRIX_MARKET;
        else if (strncasecmp(text, "DMIG", 4) == 0)
            *format = AM_IMPORT_DMIG;
        else if (lines.line >= 3 && lines.line <= 5 && strlen(text) >= 3 && strchr("RrPpCc", text[0]) &&
                 strchr("SsUuHhZzRr", text[1]) && strchr("AaEe", text[2]) && strchr(" \t", text[3]))
            *format = AM_IMPORT_HARWELL_BOEING;
        else if (lines.line == 1 && lines.length >= 72) /* a title: Harwell-Boeing, whose third line tells */
            continue;
        else if (is_number_list(text) && lines.line != 2) {
            size_t fields = 0;
            for (const char *p = text; *p; p += strcspn(p, ", \t"), fields++)
                if (!*(p += strspn(p, ", \t")))
                    break;
            if (fields == 5 || fields == 3)
                *format = fields == 5 ? AM_IMPORT_ABAQUS : AM_IMPORT_COORDINATE;
        }
        if (lines.line > 1000)
            break;
    }
    am_lines_close(&lines);
    lines.line = 1;
    if (!status && *format == AM_IMPORT_ANY)
        status = am_lines_wrong(
            &lines, err,
            "this is no file of matrices that can be read%s: known are Abaqus and CalculiX (lists "
            "of terms), Nastran DMIG, Harwell-Boeing, MATLAB 5 to 7, Matrix Market and CSV (.csv: rows of numbers)",
            bytes == 0 ? " (it is empty)" : "");
    return status;
}

/* Rows of numbers; three or five in each of other than three or five rows are a list of terms. */
static am_status read_csv(am_import *import, am_error *err) {
    AM_LOCAL(am_csv_free) am_csv table = {0};
    AM_TRY(am_csv_read(import->path, &table, err));
    bool terms = table.rows != table.columns && (table.columns == 3 || table.columns == 5);
    if (terms) {
        import->format = table.columns == 5 ? AM_IMPORT_ABAQUS : AM_IMPORT_COORDINATE;
        return am_import_list(import, err);
    }
    am_matrix *matrix = am_matrix_dense(table.rows, table.columns, table.values, err);
    return matrix ? am_import_add_matrix(import, "", am_import_role_of_file(import->path), matrix, err)
                  : am_error_status(err);
}

am_status am_import_read(am_import *import, const char *path, am_import_format format, am_error *err) {
    static am_status (*const readers[])(am_import *, am_error *) = {NULL,
                                                                    am_import_list,
                                                                    am_import_list,
                                                                    am_import_dmig,
                                                                    am_import_harwell_boeing,
                                                                    am_import_matlab,
                                                                    am_import_matrix_market,
                                                                    read_csv};
    *import = (am_import){.path = am_memory_text(path, err), .format = format};
    am_status status = import->path ? AM_OK : AM_ERR_MEMORY;
    if (!status && format == AM_IMPORT_ANY)
        status = detect(path, &import->format, err);
    if (!status)
        status = readers[import->format](import, err);
    if (!status && import->count == 0)
        status = am_fail(err, AM_ERR_INPUT, "%s: there is no matrix in this file", path);
    if (status)
        am_import_clear(import);
    return status;
}

void am_import_clear(am_import *import) {
    for (size_t i = 0; i < import->count; i++) {
        am_matrix_free(import->part[i].matrix);
        am_memory_free(import->part[i].row);
    }
    am_labels_clear(&import->labels);
    am_memory_free(import->path);
    *import = (am_import){0};
}

am_status am_import_wrong(const am_import *import, size_t line, am_error *err, const char *format, ...) {
    char what[AM_IMPORT_WORDS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    line = line > 0 ? line : import->lines;
    return line > 0 ? am_fail(err, AM_ERR_INPUT, "%s:%zu: %s", import->path, line, what)
                    : am_fail(err, AM_ERR_INPUT, "%s: %s", import->path, what);
}

/* ---- labels ---- */

am_status am_import_label(am_import *import, const am_labels *labels, const char *from, am_error *err) {
    for (size_t i = 0; i < import->count; i++) {
        size_t n = am_matrix_rows(import->part[i].matrix);
        const char *slash = strrchr(from, '/');
        if (n != labels->count)
            return am_fail(err, AM_ERR_INPUT,
                           "%s:%zu: %s has %zu labels where %s has %zu rows: a coordinate is missing", from,
                           labels->lines, slash ? slash + 1 : from, labels->count, import->path, n);
    }
    am_labels_clear(&import->labels);
    return am_labels_copy(&import->labels, labels, err);
}

char *am_import_beside(const char *path, am_error *err) {
    const char *dot = strrchr(path, '.');
    size_t stem = dot ? (size_t)(dot - path) : 0;
    char *beside = dot && !strchr(dot, '/') ? am_memory_new(stem + 5, 1, err) : NULL;
    if (beside) {
        memcpy(beside, path, stem);
        memcpy(beside + stem, ".dof", 5);
    }
    return beside;
}

bool am_import_lacks_labels(const am_import *import) {
    return import->labels.count == 0 &&
           (import->format == AM_IMPORT_COORDINATE || import->format == AM_IMPORT_MATRIX_MARKET ||
            import->format == AM_IMPORT_CSV || import->format == AM_IMPORT_HARWELL_BOEING);
}

am_status am_import_labels_beside(am_import *import, am_error *err) {
    struct stat there;
    am_labels labels = {0};
    am_status status = AM_OK;
    char *beside = am_import_lacks_labels(import) ? am_import_beside(import->path, err) : NULL;
    if (beside && stat(beside, &there) == 0 && S_ISREG(there.st_mode)) {
        status = am_labels_read(&labels, beside, err);
        if (!status)
            status = am_import_label(import, &labels, beside, err);
    }
    am_labels_clear(&labels);
    am_memory_free(beside);
    return status;
}

/* Where the rows of the matrix go. */
static am_status find_places(const am_import *import, const am_import_matrix *part, const am_labels *labels,
                             size_t *place, am_error *err) {
    for (size_t i = 0; i < am_matrix_rows(part->matrix); i++) {
        char words[AM_LABEL_SIZE];
        place[i] = am_labels_find(labels, import->labels.label[i]);
        if (place[i] == SIZE_MAX)
            return am_import_wrong(import, part->row ? part->row[i].line : 0, err,
                                   "the coordinate %s is not in the stiffness, where a node or one of its directions "
                                   "is missing",
                                   am_label_words(import->labels.label[i], words));
    }
    return AM_OK;
}

am_status am_import_arrange(const am_import *import, size_t part, const am_labels *labels, am_matrix **arranged,
                            am_error *err) {
    const am_import_matrix *p = &import->part[part];
    size_t n = am_matrix_rows(p->matrix), count = 0, all = 0;
    const size_t *columns;
    const double *values;
    for (size_t i = 0; i < n; i++)
        all += am_matrix_row_entries(p->matrix, i, &columns, &values);
    size_t *place = am_memory_new(n + 2 * all, sizeof *place, err);
    double *value = am_memory_new(all, sizeof *value, err);
    am_status status = place && value ? find_places(import, p, labels, place, err) : AM_ERR_MEMORY;
    *arranged = NULL;
    if (!status) {
        size_t *row = place + n, *column = row + all;
        for (size_t i = 0; i < n; i++) {
            size_t entries = am_matrix_row_entries(p->matrix, i, &columns, &values);
            for (size_t e = 0; e < entries; e++, count++) {
                row[count] = place[i];
                column[count] = place[columns ? columns[e] : e];
                value[count] = values[e];
            }
        }
        *arranged = am_matrix_sparse(labels->count, labels->count, count, row, column, value, err);
        status = *arranged ? AM_OK : am_error_status(err);
    }
    am_memory_free(place);
    am_memory_free(value);
    return status;
}
