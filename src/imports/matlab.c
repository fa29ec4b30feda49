/* MATLAB files, versions 5 to 7.3, by libmatio: every real matrix in it, full or sparse, under its name; and labels, `dof`:
 * a column of numbers such as 51.3, or two columns, node and direction. */
#include "imports/import_internal.h"

#ifndef AMONTONS_WITH_MATIO

am_status am_import_matlab(am_import *import, am_error *err) {
    return am_fail(err, AM_ERR_UNSUPPORTED,
                   "%s: this is a MATLAB file, and this library was built without libmatio, which reads them; install "
                   "it (Debian: libmatio-dev) and build again",
                   import->path);
}

#else

#include <math.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/input_file.h"
#include "base/memory.h"
#include "base/try.h"

static am_import_role role_of(const char *name) {
    static const struct {
        const char *name;
        am_import_role role;
    } known[] = {{"K", AM_IMPORT_STIFFNESS},    {"stiffness", AM_IMPORT_STIFFNESS}, {"M", AM_IMPORT_MASS},
                 {"mass", AM_IMPORT_MASS},      {"C", AM_IMPORT_DAMPING},           {"D", AM_IMPORT_DAMPING},
                 {"damping", AM_IMPORT_DAMPING}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(known[i].name, name) == 0)
            return known[i].role;
    return AM_IMPORT_UNKNOWN;
}

static am_status add_full(am_import *import, const matvar_t *v, am_error *err) {
    size_t n = v->dims[0];
    const double *data = v->data; /* by columns */
    double *values = am_memory_new(n * n, sizeof *values, err);
    if (!values)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            values[i * n + j] = data[j * n + i];
    am_error own = {0};
    am_matrix *matrix = am_matrix_dense(n, n, values, &own);
    am_memory_free(values);
    if (!matrix)
        return am_fail(err, own.status, "%s: %s: %s", import->path, v->name, own.message);
    return am_import_add_matrix(import, v->name, role_of(v->name), matrix, err);
}

static am_status wrong(const am_import *import, const matvar_t *v, am_error *err) {
    return am_fail(err, AM_ERR_INPUT, "%s: the sparse matrix %s is damaged", import->path, v->name);
}

static am_status add_sparse(am_import *import, const matvar_t *v, am_error *err) {
    const mat_sparse_t *s = v->data;
    const double *data = s ? s->data : NULL;
    size_t n = v->dims[0];
    am_terms terms = {0};
    am_status status = s && s->njc == n + 1 && s->jc && s->jc[0] == 0 && (s->ndata == 0 || (data && s->ir))
                           ? AM_OK
                           : wrong(import, v, err);
    for (size_t j = 0; j < n && !status; j++) {
        if (s->jc[j + 1] < s->jc[j] || s->jc[j + 1] > s->ndata || s->jc[j + 1] > s->nir)
            status = wrong(import, v, err);
        for (size_t e = s->jc[j]; !status && e < s->jc[j + 1]; e++) {
            if (s->ir[e] >= n)
                status = wrong(import, v, err);
            else if (!isfinite(data[e]))
                status = am_fail(err, AM_ERR_INPUT, "%s: the term (%zu, %zu) of %s is not a finite number",
                                 import->path, (size_t)s->ir[e] + 1, j + 1, v->name);
            else
                status = am_terms_add(&terms, s->ir[e], j, data[e], 0, err);
        }
    }
    am_terms_order order = {import->path, n, NULL, false, true};
    if (!status)
        status = am_import_add(import, v->name, role_of(v->name), &terms, &order, err);
    am_terms_clear(&terms);
    return status;
}

static am_status take_labels(am_import *import, const matvar_t *v, am_error *err) {
    const double *data = v->data;
    size_t count = v->dims[1] == 1 || v->dims[0] > 1 ? v->dims[0] : v->dims[1];
    bool pairs = v->dims[0] == count && v->dims[1] == 2;
    for (size_t i = 0; i < count; i++) {
        double node = pairs ? data[i] : floor(data[i] + 1e-6);
        double direction = pairs ? data[count + i] : rint(10.0 * (data[i] - node));
        size_t row;
        bool added = false;
        if (!(fabs(node) < 1e15) || !(direction >= 0 && direction <= 99) || node != rint(node))
            return am_fail(err, AM_ERR_INPUT, "%s: entry %zu of %s, %.10g, is no label such as 51.3", import->path,
                           i + 1, v->name, data[i]);
        AM_TRY(am_labels_row(&import->labels, (am_label){(long)node, (int)direction}, &row, &added, err));
        if (!added)
            return am_fail(err, AM_ERR_INPUT, "%s: entry %zu of %s, %.10g, is the label of row %zu already",
                           import->path, i + 1, v->name, data[i], row + 1);
    }
    return AM_OK;
}

static am_status take(am_import *import, const matvar_t *v, am_error *err) {
    bool number = v->class_type == MAT_C_DOUBLE && v->data_type == MAT_T_DOUBLE;
    if (v->rank != 2 || !v->name || v->isComplex || v->dims[0] == 0 || v->dims[1] == 0)
        return AM_OK;
    if (strcasecmp(v->name, "dof") == 0 || strcasecmp(v->name, "labels") == 0)
        return number && v->data && (v->dims[1] <= 2 || v->dims[0] == 1) ? take_labels(import, v, err) : AM_OK;
    if (v->dims[0] != v->dims[1] || !v->data)
        return AM_OK;
    if (v->class_type == MAT_C_SPARSE)
        return add_sparse(import, v, err);
    return number ? add_full(import, v, err) : AM_OK;
}

/* As many labels as rows, or none. */
static am_status check(const am_import *import, am_error *err) {
    for (size_t i = 0; i < import->count && import->labels.count > 0; i++)
        if (am_matrix_rows(import->part[i].matrix) != import->labels.count)
            return am_fail(err, AM_ERR_INPUT, "%s: %s has %zu rows where `dof` has %zu labels", import->path,
                           import->part[i].name, am_matrix_rows(import->part[i].matrix), import->labels.count);
    return AM_OK;
}

/* libmatio says nothing about variables that a file was cut off before, or in: the pieces of a file of version 5 (a head
 * of 128 bytes, then each with a type and a length) must fill it. */
static am_status check_pieces(const am_import *import, am_error *err) {
    unsigned char head[128], tag[8];
    size_t bytes, at = sizeof head;
    FILE *file = am_input_open(import->path, "a MATLAB file", (size_t)1 << 36, &bytes, err);
    if (!file)
        return am_error_status(err);
    bool whole = fread(head, sizeof head, 1, file) == 1, old = head[7] == '5', big = head[126] == 'M';
    while (whole && old && at < bytes) {
        uint32_t length = 0;
        whole = fseek(file, (long)at, SEEK_SET) == 0 && fread(tag, sizeof tag, 1, file) == 1;
        for (int i = 0; i < 4; i++)
            length |= (uint32_t)tag[4 + (big ? 3 - i : i)] << (8 * i);
        at += sizeof tag + length;
    }
    fclose(file);
    if (!whole || (old && at != bytes))
        return am_fail(err, AM_ERR_INPUT, "%s: this MATLAB file is damaged or was cut off: it has %zu bytes%s",
                       import->path, bytes, at > bytes ? " and its last piece needs more" : "");
    return AM_OK;
}

am_status am_import_matlab(am_import *import, am_error *err) {
    AM_TRY(check_pieces(import, err));
    mat_t *mat = Mat_Open(import->path, MAT_ACC_RDONLY);
    if (!mat)
        return am_fail(err, AM_ERR_INPUT, "%s: this MATLAB file cannot be read: it is damaged or was cut off",
                       import->path);
    am_status status = AM_OK;
    matvar_t *v;
    while (!status && (v = Mat_VarReadNext(mat)) != NULL) {
        status = take(import, v, err);
        Mat_VarFree(v);
    }
    Mat_Close(mat);
    return status ? status : check(import, err);
}

#endif
