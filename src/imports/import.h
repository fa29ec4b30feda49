/* Matrices as programs of finite elements write them: docs/import.md. Which format a file has is found from what is in it.
 *
 *     am_import import;
 *     am_import_read(&import, "blade.sti", AM_IMPORT_ANY, err);
 *     ... import.part[am_import_part(&import, AM_IMPORT_STIFFNESS)].matrix ...
 *     am_import_clear(&import); */
#ifndef AMONTONS_IMPORTS_IMPORT_H
#define AMONTONS_IMPORTS_IMPORT_H
#include "amontons/matrix.h"
#include "imports/labels.h"
#include "imports/terms.h"

typedef enum am_import_format {
    AM_IMPORT_ANY,
    AM_IMPORT_ABAQUS,         /* node, direction, node, direction, value */
    AM_IMPORT_COORDINATE,     /* row, column, value: CalculiX, Abaqus */
    AM_IMPORT_DMIG,           /* Nastran */
    AM_IMPORT_HARWELL_BOEING, /* Ansys */
    AM_IMPORT_MATLAB,
    AM_IMPORT_MATRIX_MARKET,
    AM_IMPORT_CSV /* its rows */
} am_import_format;

const char *am_import_format_name(am_import_format format); /* "abaqus" */

/* What a matrix is, as far as its name or that of its file tells. */
typedef enum am_import_role {
    AM_IMPORT_UNKNOWN,
    AM_IMPORT_STIFFNESS,
    AM_IMPORT_MASS,
    AM_IMPORT_DAMPING,
    AM_IMPORT_ROLES
} am_import_role;

const char *am_import_role_name(am_import_role role); /* "stiffness" */

typedef struct am_import_matrix {
    char name[64]; /* in the file; "": it has none */
    am_import_role role;
    am_matrix *matrix;               /* square, both triangles */
    char asymmetry[AM_IMPORT_WORDS]; /* where it is not symmetric; "": it is */
    bool zeros;                      /* zeros are listed too */
    am_term_row *row;                /* where each row stands in the file; NULL: not known */
} am_import_matrix;

enum { AM_IMPORT_PARTS = 16 };

typedef struct am_import {
    char *path;
    am_import_format format;
    size_t count;
    am_import_matrix part[AM_IMPORT_PARTS];
    am_labels labels; /* of the rows of all matrices of the file; count 0: it has no labels */
    size_t lines;     /* of the file; 0: it has none */
} am_import;

/* AM_ERR_FILE when it cannot be read, AM_ERR_INPUT ("path:line: ...") when it is wrong. */
am_status am_import_read(am_import *import, const char *path, am_import_format format, am_error *err);
void am_import_clear(am_import *import);

/* "path:line: ...", AM_ERR_INPUT; line 0: the last one of a file that has lines. */
am_status am_import_wrong(const am_import *import, size_t line, am_error *err, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* The matrix of a role, or the only one there is; SIZE_MAX: none, or it is not clear which. */
size_t am_import_part(const am_import *import, am_import_role role);

/* The name of the file of labels that CalculiX writes beside a matrix: blade.dof of blade.sti; NULL where a name has no
 * ending. am_memory_free. */
char *am_import_beside(const char *path, am_error *err);
bool am_import_lacks_labels(const am_import *import); /* and is of a format that has none of its own */

/* Labels in the file beside it that CalculiX writes (blade.dof beside blade.sti), if there is one and it has none of its
 * own. */
am_status am_import_labels_beside(am_import *import, am_error *err);

/* Give its rows labels; AM_ERR_INPUT when there are not as many. The labels are copied. */
am_status am_import_label(am_import *import, const am_labels *labels, const char *from, am_error *err);

/* The same matrix with the rows of other labels: those that it lacks are zero, and what it has beyond them is refused. */
am_status am_import_arrange(const am_import *import, size_t part, const am_labels *labels, am_matrix **arranged,
                            am_error *err);

#endif
