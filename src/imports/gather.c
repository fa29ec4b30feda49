#include "imports/gather.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "math/entries.h"

/* A coordinate that is this much stiffer than the middle one is clamped by it (Abaqus: 1e36). */
static const double clamping = 1e18;

static void release(void *matrix) {
    am_matrix_free(matrix);
}

static am_status warn(am_gathered *g, am_error *err, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

static am_status warn(am_gathered *g, am_error *err, const char *format, ...) {
    char text[AM_IMPORT_WORDS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (g->warning_count == sizeof g->warning / sizeof *g->warning)
        return AM_OK;
    g->warning[g->warning_count] = am_arena_text(&g->memory, text, strlen(text), err);
    return g->warning[g->warning_count++] ? AM_OK : AM_ERR_MEMORY;
}

static const am_import_matrix *part_of(const am_gather_source *source) {
    return source->import ? &source->import->part[source->part] : NULL;
}

/* A row of the file of a matrix. */
static const char *row_words(const am_gather_source *source, size_t row, char words[AM_LABEL_SIZE]) {
    const am_labels *labels = &source->import->labels;
    if (labels->count > 0)
        return am_label_words(labels->label[row], words);
    snprintf(words, AM_LABEL_SIZE, "%zu", row + 1);
    return words;
}

/* ---- the same rows everywhere ---- */

static am_status take_labels(am_gathered *g, const am_gather_source *source, am_error *err) {
    for (size_t role = AM_IMPORT_STIFFNESS; role < AM_IMPORT_ROLES && g->labels.count == 0; role++)
        if (source[role].import && source[role].import->labels.count > 0)
            AM_TRY(am_labels_copy(&g->labels, &source[role].import->labels, err));
    return AM_OK;
}

/* Displacements, or rotations: shells may have mass in the first alone. */
static int group_of(am_label label) {
    return label.direction > 3;
}

/* Row i of the structure in the file of a matrix; SIZE_MAX: it is not there. */
static size_t row_in(const am_gathered *g, const am_gather_source *source, size_t i) {
    const am_labels *own = &source->import->labels;
    return own->count > 0 && g->labels.count > 0 ? am_labels_find(own, g->labels.label[i]) : i;
}

static bool has_diagonal(const am_gathered *g, const am_gather_source *source, size_t i) {
    size_t row = row_in(g, source, i);
    return row < SIZE_MAX && part_of(source)->row[row].diagonal;
}

/* Nodes that the mass lacks have none, if all of their displacements, or rotations, lack it; a direction alone was lost. */
static am_status check_mass(am_gathered *g, const am_gather_source *source, am_error *err) {
    size_t missing = 0;
    char words[AM_LABEL_SIZE], first[AM_LABEL_SIZE] = "";
    for (size_t i = 0; i < g->labels.count && part_of(source)->row; i++) {
        am_label label = g->labels.label[i];
        if (has_diagonal(g, source, i))
            continue;
        for (int direction = 0; direction <= 6; direction++) {
            size_t other = am_labels_find(&g->labels, (am_label){label.node, direction});
            if (other < SIZE_MAX && group_of(g->labels.label[other]) == group_of(label) &&
                has_diagonal(g, source, other)) {
                size_t row = row_in(g, source, other);
                return am_import_wrong(source->import, part_of(source)->row[row].line, err,
                                       "the coordinate %s is missing: the mass has other directions of node %ld, and "
                                       "the stiffness has this one",
                                       am_label_words(label, words), label.node);
            }
        }
        if (missing++ == 0)
            am_label_words(label, first);
    }
    return missing == 0 ? AM_OK
                        : warn(g, err, "%s: %zu coordinates of the stiffness, from %s on, have no mass",
                               source->import->path, missing, first);
}

static am_status take_matrix(am_gathered *g, const am_gather_source *source, am_import_role role, am_error *err) {
    const am_import_matrix *part = part_of(source);
    const am_labels *own = &source->import->labels;
    size_t n = am_matrix_rows(part->matrix);
    bool arrange = own->count > 0 && g->labels.count > 0 && !am_labels_equal(own, &g->labels);
    am_matrix *matrix = NULL;
    arrange = arrange && role != AM_IMPORT_STIFFNESS;
    if (arrange)
        AM_TRY(am_import_arrange(source->import, source->part, &g->labels, &matrix, err));
    else if (n != g->n)
        return am_import_wrong(source->import, 0, err,
                               "the %s has %zu coordinates where the stiffness has %zu: a coordinate is missing in one "
                               "of them",
                               am_import_role_name(role), n, g->n);
    else
        matrix = am_matrix_copy(part->matrix, err);
    if (!matrix)
        return am_error_status(err);
    AM_TRY(am_arena_own(&g->memory, matrix, release, err));
    g->matrix[role] = matrix;
    return role == AM_IMPORT_MASS ? check_mass(g, source, err) : AM_OK;
}

/* ---- what must hold ---- */

/* The stiffness of a coordinate stands on its diagonal; a mass may lack it, unless its file lists zeros too. Matrix Market says
 * how many rows there are, empty ones included. */
static am_status check_diagonal(const am_gather_source *source, am_import_role role, am_error *err) {
    const am_import_matrix *part = part_of(source);
    char words[AM_LABEL_SIZE];
    bool listed = source->import->format == AM_IMPORT_COORDINATE && part->zeros;
    if (!part->row || source->import->format == AM_IMPORT_MATRIX_MARKET ||
        !(role == AM_IMPORT_STIFFNESS || (role == AM_IMPORT_MASS && listed)))
        return AM_OK;
    for (size_t i = 0; i < am_matrix_rows(part->matrix); i++)
        if (!part->row[i].diagonal)
            return am_import_wrong(source->import, part->row[i].line, err,
                                   "the coordinate %s has no term on the diagonal of the %s: it is missing",
                                   row_words(source, i, words), am_import_role_name(role));
    return AM_OK;
}

/* No mass moves without inertia: m_ii is not negative, and m_ij^2 is at most m_ii m_jj. Where a number lost its digits or its
 * sign it is. A stiffness may be negative somewhere (a structure that buckles; constraints have zeros on their diagonal),
 * but not by far between two coordinates that both resist. */
static am_status check_positive(const am_gather_source *source, am_import_role role, am_error *err) {
    bool mass = role == AM_IMPORT_MASS;
    double room = mass ? 1.0 + 1e-3 : 10.0;
    const am_import_matrix *part = part_of(source);
    const am_matrix *m = part->matrix;
    char one[AM_LABEL_SIZE], other[AM_LABEL_SIZE];
    const size_t *columns;
    const double *values;
    size_t n = am_matrix_rows(m);
    AM_LOCAL_MEMORY double *diagonal = am_memory_new(n, sizeof *diagonal, err);
    if (!diagonal)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        diagonal[i] = am_matrix_at(m, i, i);
    for (size_t i = 0; i < n; i++) {
        size_t entries = am_matrix_row_entries(m, i, &columns, &values);
        for (size_t e = 0; e < entries; e++) {
            size_t j = columns ? columns[e] : e;
            if (!mass && !(diagonal[i] > 0.0 && diagonal[j] > 0.0))
                continue;
            if (diagonal[i] >= 0.0 && fabs(values[e]) <= room * sqrt(diagonal[i]) * sqrt(fmax(diagonal[j], 0.0)))
                continue;
            return am_import_wrong(source->import, part->row ? part->row[i].line : 0, err,
                                   "no %s is like this: the term (%s, %s) is %.6g, on the diagonal stand %.6g and %.6g",
                                   am_import_role_name(role), row_words(source, i, one), row_words(source, j, other),
                                   values[e], diagonal[i], diagonal[j]);
        }
    }
    return AM_OK;
}

static am_status check_part(const am_gather_source *source, am_import_role role, am_error *err) {
    const am_import_matrix *part = part_of(source);
    if (role != AM_IMPORT_DAMPING && part->asymmetry[0])
        return am_fail(err, AM_ERR_INPUT, "%s", part->asymmetry);
    AM_TRY(check_diagonal(source, role, err));
    return role == AM_IMPORT_DAMPING ? AM_OK : check_positive(source, role, err);
}

/* ---- clamped coordinates ---- */

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* place[i] of the coordinates that stay; *kept: how many. */
static am_status find_clamped(am_gathered *g, size_t *place, size_t *kept, am_error *err) {
    AM_LOCAL_MEMORY double *diagonal = am_memory_new(2 * g->n, sizeof *diagonal, err);
    if (!diagonal)
        return AM_ERR_MEMORY;
    double *sorted = diagonal + g->n;
    for (size_t i = 0; i < g->n; i++)
        sorted[i] = diagonal[i] = fabs(am_matrix_at(g->matrix[AM_IMPORT_STIFFNESS], i, i));
    qsort(sorted, g->n, sizeof *sorted, compare);
    /* The smallest that is not zero: where most of a structure is clamped, the middle one is huge as well. */
    size_t first = 0, row;
    while (first < g->n && sorted[first] == 0.0)
        first++;
    *kept = 0;
    for (size_t i = 0; i < g->n; i++) {
        bool clamped = first < g->n && diagonal[i] > 1e30 && diagonal[i] > clamping * sorted[first];
        place[i] = clamped ? SIZE_MAX : (*kept)++;
        if (clamped)
            AM_TRY(am_labels_row(&g->clamped, g->labels.count ? g->labels.label[i] : (am_label){(long)i + 1, 0}, &row,
                                 NULL, err));
    }
    return AM_OK;
}

static am_status store_labels(am_gathered *g, const size_t *place, am_error *err) {
    am_labels kept = {0};
    am_status status = AM_OK;
    size_t row;
    for (size_t i = 0; i < g->labels.count && !status; i++)
        if (place[i] < SIZE_MAX)
            status = am_labels_row(&kept, g->labels.label[i], &row, NULL, err);
    am_labels_clear(&g->labels);
    g->labels = kept;
    return status;
}

static am_status leave_out_clamped(am_gathered *g, am_error *err) {
    size_t kept = 0;
    char words[AM_LABEL_SIZE];
    size_t *place = am_arena_new(&g->memory, g->n, sizeof *place, err);
    AM_TRY(am_arena_status(&g->memory));
    AM_TRY(find_clamped(g, place, &kept, err));
    if (g->clamped.count == 0)
        return AM_OK;
    for (size_t role = 0; role < AM_IMPORT_ROLES; role++) {
        if (!g->matrix[role])
            continue;
        am_matrix *matrix = am_matrix_select(g->matrix[role], place, kept, err);
        if (!matrix)
            return am_error_status(err);
        g->matrix[role] = matrix;
        AM_TRY(am_arena_own(&g->memory, matrix, release, err));
    }
    AM_TRY(store_labels(g, place, err));
    g->n = kept;
    return warn(g, err, "%zu coordinates, from %s on, are clamped by a huge stiffness (1e36) and left out",
                g->clamped.count, am_label_words(g->clamped.label[0], words));
}

static am_status gather(am_gathered *g, const am_gather_source *source, am_error *err) {
    AM_TRY(take_labels(g, source, err));
    g->n = am_matrix_rows(part_of(&source[AM_IMPORT_STIFFNESS])->matrix);
    for (size_t role = AM_IMPORT_STIFFNESS; role < AM_IMPORT_ROLES; role++) {
        if (!source[role].import)
            continue;
        AM_TRY(take_matrix(g, &source[role], (am_import_role)role, err));
        AM_TRY(check_part(&source[role], (am_import_role)role, err));
    }
    return leave_out_clamped(g, err);
}

am_status am_gather(am_gathered *gathered, const am_gather_source source[AM_IMPORT_ROLES], am_error *err) {
    *gathered = (am_gathered){0};
    if (!source[AM_IMPORT_STIFFNESS].import)
        return am_fail(err, AM_ERR_INPUT, "there is no stiffness among the matrices");
    am_status status = gather(gathered, source, err);
    if (status)
        am_gathered_clear(gathered);
    return status;
}

void am_gathered_clear(am_gathered *gathered) {
    am_labels_clear(&gathered->labels);
    am_labels_clear(&gathered->clamped);
    am_arena_clear(&gathered->memory);
    *gathered = (am_gathered){0};
}
