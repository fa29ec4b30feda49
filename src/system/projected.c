#include "system/projected.h"

#include "base/local.h"
#include "math/dense.h"
#include "system/system.h"

typedef struct projection {
    const double *shapes;
    size_t n, count;
    am_arena memory;
    am_status status;
    am_error *err;
} projection;

static void clear(projection *p) {
    am_arena_clear(&p->memory);
}

static void release_matrix(void *matrix) {
    am_matrix_free(matrix);
}

/* S A S^T */
static const am_matrix *project_matrix(projection *p, const am_matrix *a) {
    size_t k = p->count, n = p->n;
    double *product = am_arena_doubles(&p->memory, NULL, n, p->err);
    double *small = am_arena_doubles(&p->memory, NULL, k * k, p->err);
    if (!a || !product || !small)
        return NULL;
    for (size_t j = 0; j < k; j++) {
        am_matrix_apply(a, p->shapes + j * n, product);
        for (size_t i = 0; i < k; i++)
            small[i * k + j] = am_dense_dot(p->shapes + i * n, product, n);
    }
    for (size_t i = 0; i < k && am_matrix_asymmetry(a) == 0.0; i++)
        for (size_t j = 0; j < i; j++)
            small[i * k + j] = small[j * k + i];
    am_matrix *matrix = am_matrix_dense(k, k, small, p->err);
    if (!matrix || am_arena_own(&p->memory, matrix, release_matrix, p->err))
        p->status = AM_ERR_MEMORY;
    return matrix;
}

static void project_row(projection *p, const double **row) {
    double *small = *row ? am_arena_doubles(&p->memory, NULL, p->count, p->err) : NULL;
    for (size_t i = 0; small && i < p->count; i++)
        small[i] = am_dense_dot(p->shapes + i * p->n, *row, p->n);
    *row = small;
}

am_system *am_system_project(const am_system *system, const double *shapes, size_t count, am_error *err) {
    AM_LOCAL(clear) projection p = {.shapes = shapes, .n = am_system_size(system), .count = count, .err = err};
    am_contact_def *contact = am_arena_new(&p.memory, am_system_contacts(system), sizeof *contact, err);
    if (am_arena_status(&p.memory))
        return NULL;
    am_system_def def = am_system_definition(system, contact);
    am_load_def *load = am_arena_new(&p.memory, def.load_count, sizeof *load, err);
    am_polynomial_def *polynomial = am_arena_new(&p.memory, def.polynomial_count, sizeof *polynomial, err);
    am_varying_def *varying = am_arena_new(&p.memory, def.varying_count, sizeof *varying, err);
    if (am_arena_status(&p.memory))
        return NULL;
    for (size_t c = 0; c < def.contact_count; c++) {
        project_row(&p, &contact[c].normal);
        project_row(&p, &contact[c].tangent);
        project_row(&p, &contact[c].second_tangent);
    }
    for (size_t l = 0; l < def.load_count; l++) {
        load[l] = def.loads[l];
        project_row(&p, &load[l].direction);
    }
    for (size_t i = 0; i < def.polynomial_count; i++) {
        polynomial[i] = def.polynomials[i];
        project_row(&p, &polynomial[i].direction);
    }
    for (size_t i = 0; i < def.varying_count; i++) {
        varying[i] = def.varying[i];
        project_row(&p, &varying[i].direction);
    }
    def.n = count;
    def.names = NULL;
    def.loads = load;
    def.polynomials = polynomial;
    def.varying = varying;
    def.mass = project_matrix(&p, def.mass);
    def.damping = project_matrix(&p, def.damping);
    def.stiffness = project_matrix(&p, def.stiffness);
    def.circulatory = project_matrix(&p, def.circulatory);
    return am_arena_status(&p.memory) || p.status ? NULL : am_system_create(&def, err);
}
