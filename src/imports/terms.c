#include "imports/terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"

/* Terms that differ from their mirror by more than this part of the diagonal between them are no rounding. */
static const double rounding = 1e-9;

void am_terms_clear(am_terms *terms) {
    am_memory_free(terms->term);
    *terms = (am_terms){0};
}

am_status am_terms_add(am_terms *terms, size_t row, size_t column, double value, size_t line, am_error *err) {
    AM_TRY(am_memory_reserve(&terms->term, &terms->capacity, terms->count + 1, err));
    terms->term[terms->count++] = (am_term){(uint32_t)row, (uint32_t)column, (uint32_t)line, value};
    return AM_OK;
}

/* ---- order: terms and their mirrors side by side ---- */

static uint32_t outer(const am_term *t) {
    return t->row > t->column ? t->row : t->column;
}

static uint32_t inner(const am_term *t) {
    return t->row > t->column ? t->column : t->row;
}

static int compare(const void *one, const void *other) {
    const am_term *a = one, *b = other;
    if (inner(a) != inner(b))
        return inner(a) < inner(b) ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static am_status sort(am_terms *terms, size_t n, am_error *err) {
    size_t *start = am_memory_new(n + 2, sizeof *start, err);
    am_term *sorted = am_memory_new(terms->count, sizeof *sorted, err);
    if (start && sorted) {
        for (size_t i = 0; i < terms->count; i++)
            start[outer(&terms->term[i]) + 2]++;
        for (size_t i = 2; i < n + 2; i++)
            start[i] += start[i - 1];
        for (size_t i = 0; i < terms->count; i++)
            sorted[start[outer(&terms->term[i]) + 1]++] = terms->term[i];
        for (size_t i = 0; i < n; i++)
            qsort(sorted + start[i], start[i + 1] - start[i], sizeof *sorted, compare);
        am_memory_free(terms->term);
        terms->term = sorted;
        terms->capacity = terms->count;
    } else
        am_memory_free(sorted);
    am_memory_free(start);
    return sorted && start ? AM_OK : AM_ERR_MEMORY;
}

/* ---- what is wrong ---- */

enum { PAIR_SIZE = 2 * AM_LABEL_SIZE + 16 };

static const char *pair(const am_terms_order *order, const am_term *t, char words[PAIR_SIZE]) {
    char row[AM_LABEL_SIZE], column[AM_LABEL_SIZE];
    if (order->labels)
        snprintf(words, PAIR_SIZE, "(%s, %s)", am_label_words(order->labels->label[t->row], row),
                 am_label_words(order->labels->label[t->column], column));
    else
        snprintf(words, PAIR_SIZE, "(%u, %u)", (unsigned)t->row + 1, (unsigned)t->column + 1);
    return words;
}

/* "path:line", or the path alone where there are no lines. */
static const char *place(const am_terms_order *order, uint32_t line, char words[AM_IMPORT_WORDS / 2]) {
    if (line > 0)
        snprintf(words, AM_IMPORT_WORDS / 2, "%.200s:%u", order->path, (unsigned)line);
    else
        snprintf(words, AM_IMPORT_WORDS / 2, "%.200s", order->path);
    return words;
}

/* " (line 7)"; nothing for files without lines. */
static const char *line_words(const char *before, size_t line, char *text, size_t size) {
    text[0] = '\0';
    if (line > 0)
        snprintf(text, size, " (%sline %zu)", before, line);
    return text;
}

static am_status twice(const am_terms_order *order, const am_term *first, const am_term *second, am_error *err) {
    char words[PAIR_SIZE], at[AM_IMPORT_WORDS / 2], where[40];
    bool mirror = first->row != second->row;
    const am_term *late = first->line > second->line ? first : second, *early = late == first ? second : first;
    return am_fail(err, AM_ERR_INPUT, "%s: the term %s comes twice%s%s", place(order, late->line, at),
                   pair(order, late, words), mirror ? ", as its mirror, in a matrix of one triangle" : "",
                   line_words("first in ", early->line, where, sizeof where));
}

/* The first disagreement is kept. */
static void note_asymmetry(const am_terms_order *order, const am_term *t, const am_term *mirror,
                           am_terms_found *found) {
    char words[PAIR_SIZE], at[AM_IMPORT_WORDS / 2], where[40];
    if (found->asymmetry[0])
        return;
    if (mirror)
        snprintf(found->asymmetry, sizeof found->asymmetry,
                 "%s: the matrix is not symmetric: the term %s is %.10g, its mirror %.10g%s", place(order, t->line, at),
                 pair(order, t, words), t->value, mirror->value, line_words("", mirror->line, where, sizeof where));
    else
        snprintf(
            found->asymmetry, sizeof found->asymmetry,
            "%s: the matrix is not symmetric: the file lists both triangles, and the term %s = %.10g has no mirror",
            place(order, t->line, at), pair(order, t, words), t->value);
}

/* ---- the matrix ---- */

typedef struct filled {
    size_t count;
    size_t *row, *column;
    double *value, *diagonal;
} filled;

static void put(filled *f, size_t row, size_t column, double value) {
    f->row[f->count] = row;
    f->column[f->count] = column;
    f->value[f->count++] = value;
}

static bool is_mirror(const am_term *t, const am_term *next) {
    return next && next->row == t->column && next->column == t->row && t->row != t->column;
}

/* Does the file list both triangles? */
static bool lists_both(const am_terms *terms) {
    for (size_t i = 0; i + 1 < terms->count; i++)
        if (is_mirror(&terms->term[i], &terms->term[i + 1]))
            return true;
    return false;
}

static am_status check_twice(const am_terms *terms, const am_terms_order *order, am_error *err) {
    for (size_t i = 0; i + 1 < terms->count; i++) {
        const am_term *t = &terms->term[i], *next = t + 1;
        if ((t->row == next->row && t->column == next->column) || (order->one_triangle && is_mirror(t, next)))
            return twice(order, t, next, err);
    }
    return AM_OK;
}

static void note_line(uint32_t *first, uint32_t line) {
    *first = *first == 0 || line < *first ? line : *first;
}

static void examine_rows(const am_terms *terms, size_t n, double *diagonal, am_terms_found *found) {
    for (size_t i = 0; i < n; i++)
        diagonal[i] = NAN;
    for (size_t i = 0; i < terms->count; i++) {
        const am_term *t = &terms->term[i];
        found->zeros = found->zeros || t->value == 0.0;
        note_line(&found->row[t->row].line, t->line);
        note_line(&found->row[t->column].line, t->line);
        if (t->row == t->column)
            diagonal[t->row] = t->value;
    }
    for (size_t i = 0; i < terms->count; i++)
        if (terms->term[i].row == terms->term[i].column)
            found->row[terms->term[i].row] = (am_term_row){terms->term[i].line, true};
}

/* A term and its mirror that differ by rounding become their mean; others stay as they are. */
static void fill(const am_terms *terms, const am_terms_order *order, bool both, filled *f, am_terms_found *found) {
    for (size_t i = 0; i < terms->count; i++) {
        const am_term *t = &terms->term[i], *next = i + 1 < terms->count ? t + 1 : NULL;
        double between = sqrt(fabs(f->diagonal[t->row] * f->diagonal[t->column]));
        double size = fmax(fabs(t->value), isnan(between) ? 0.0 : between);
        if (t->row == t->column) {
            put(f, t->row, t->column, t->value);
        } else if (is_mirror(t, next)) {
            bool equal = fabs(t->value - next->value) <= rounding * size;
            double mean = 0.5 * (t->value + next->value);
            if (!equal)
                note_asymmetry(order, t, next, found);
            put(f, t->row, t->column, equal ? mean : t->value);
            put(f, t->column, t->row, equal ? mean : next->value);
            i++;
        } else {
            if (both && fabs(t->value) > rounding * size)
                note_asymmetry(order, t, NULL, found);
            put(f, t->row, t->column, t->value);
            if (!both)
                put(f, t->column, t->row, t->value);
        }
    }
}

am_status am_terms_matrix(am_terms *terms, const am_terms_order *order, am_terms_found *found, am_error *err) {
    *found = (am_terms_found){0};
    AM_TRY(sort(terms, order->n, err));
    AM_TRY(check_twice(terms, order, err));
    filled f = {.row = am_memory_new(2 * terms->count, sizeof *f.row, err),
                .column = am_memory_new(2 * terms->count, sizeof *f.column, err),
                .value = am_memory_new(2 * terms->count, sizeof *f.value, err),
                .diagonal = am_memory_new(order->n, sizeof *f.diagonal, err)};
    found->row = am_memory_new(order->n, sizeof *found->row, err);
    if (f.row && f.column && f.value && f.diagonal && found->row) {
        examine_rows(terms, order->n, f.diagonal, found);
        fill(terms, order, order->both_triangles || (!order->one_triangle && lists_both(terms)), &f, found);
        found->matrix = am_matrix_sparse(order->n, order->n, f.count, f.row, f.column, f.value, err);
    }
    am_memory_free(f.row);
    am_memory_free(f.column);
    am_memory_free(f.value);
    am_memory_free(f.diagonal);
    if (found->matrix)
        return AM_OK;
    am_memory_free(found->row);
    found->row = NULL;
    return am_error_status(err);
}
