#include "analyses/backbone/few_modes.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "math/dense.h"
#include "system/projected.h"
#include "system/system.h"

/* What is left of a shape beside the others is a shape if it is more than this part of itself. */
static const double same = 1e-5;

/* x joins the shapes, of mass 1 and orthogonal to them, if it adds something. */
static void add_shape(am_few_modes *few, const am_matrix *mass, double *x, double *product, size_t n) {
    double before = 0.0, left = 0.0, *to = few->shapes + few->count * n;
    for (int pass = 0; pass < 3; pass++) {
        am_matrix_apply(mass, x, product);
        left = am_dense_dot(x, product, n);
        before = pass == 0 ? left : before;
        for (size_t k = 0; k < few->count && pass < 2; k++) {
            double share = am_dense_dot(few->shapes + k * n, product, n);
            for (size_t i = 0; i < n; i++)
                x[i] -= share * few->shapes[k * n + i];
        }
    }
    if (!(left > same * same * before))
        return;
    for (size_t i = 0; i < n; i++)
        to[i] = x[i] / sqrt(left);
    few->count++;
}

/* Rows on which forces act that are not those of the linear structure; NULL entries are passed over. */
static size_t list_rows(const am_backbone *b, const double **row) {
    size_t count = 0;
    for (size_t c = 0; c < am_system_contacts(b->system); c++) {
        const am_contact_def *contact = am_system_contact(b->system, c);
        const double *const own[] = {contact->normal, contact->tangent, contact->second_tangent};
        for (size_t i = 0; i < 3; i++)
            if (own[i])
                row[count++] = own[i];
    }
    for (size_t p = 0; p < am_system_polynomials(b->system); p++)
        row[count++] = am_system_polynomial(b->system, p)->direction;
    for (size_t l = 0; l < am_system_loads(b->system); l++)
        row[count++] = am_system_load(b->system, l)->direction;
    return count;
}

static am_status find_shapes(am_few_modes *few, const am_backbone *b, am_pencil *pencil, size_t modes, am_error *err) {
    size_t n = b->n, m = am_system_contacts(b->system), found = modes;
    size_t rows = 3 * m + am_system_polynomials(b->system) + am_system_loads(b->system);
    AM_LOCAL_ARENA memory = {0};
    const double **row = am_arena_new(&memory, rows, sizeof *row, err);
    double *x = am_arena_doubles(&memory, NULL, modes * n, err), *squares = am_arena_doubles(&memory, NULL, modes, err);
    double *one = am_arena_doubles(&memory, NULL, n, err), *product = am_arena_doubles(&memory, NULL, n, err);
    few->shapes = am_arena_doubles(&few->memory, NULL, (modes + rows) * n, err);
    AM_TRY(am_arena_status(&memory));
    AM_TRY(am_arena_status(&few->memory));
    AM_TRY(am_pencil_lowest(pencil, &found, squares, x, NULL, err));
    for (size_t k = 0; k < found; k++)
        add_shape(few, pencil->mass, x + k * n, product, n);
    rows = list_rows(b, row);
    for (size_t r = 0; r < rows; r++) {
        memcpy(one, row[r], n * sizeof *one);
        AM_TRY(am_pencil_solve(pencil, one, 1, err));
        add_shape(few, pencil->mass, one, product, n);
    }
    return few->count < n ? AM_OK : am_fail(err, AM_ERR_LIMIT, "the shapes are as many as the coordinates");
}

am_status am_few_modes_init(am_few_modes *few, const am_backbone *b, am_pencil *pencil, size_t modes, am_error *err) {
    AM_TRY(find_shapes(few, b, pencil, modes, err));
    few->system = am_system_project(b->system, few->shapes, few->count, err);
    if (!few->system)
        return am_error_status(err);
    AM_TRY(am_backbone_free_model(few->system, &few->model, err));
    few->line = (am_model_line){.model = few->model, .number = 0, .held = SIZE_MAX};
    few->closer =
        am_closer_create_projected(&few->line, b->equations.balance, true, pencil->mass, few->shapes, few->count, err);
    return few->closer ? AM_OK : am_error_status(err);
}

void am_few_modes_clear(am_few_modes *few) {
    am_closer_free(few->closer);
    am_model_free(few->model);
    am_system_free(few->system);
    am_arena_clear(&few->memory);
    *few = (am_few_modes){0};
}

am_status am_few_modes_count(am_pencil *pencil, double omega, size_t most, size_t *count, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    double *shapes = am_arena_doubles(&memory, NULL, most * pencil->n, err);
    double *squares = am_arena_doubles(&memory, NULL, most, err);
    size_t found = most;
    AM_TRY(am_arena_status(&memory));
    AM_TRY(am_pencil_lowest(pencil, &found, squares, shapes, NULL, err));
    *count = 0;
    while (*count < found && squares[*count] < omega * omega)
        ++*count;
    return AM_OK;
}
