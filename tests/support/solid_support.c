#include "solid_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "uniform.h"

static am_block_division equal_parts(double length, size_t count) {
    double *at = malloc((count + 1) * sizeof *at);
    for (size_t i = 0; i <= count; i++)
        at[i] = length * (double)i / (double)count;
    return (am_block_division){count + 1, at};
}

am_solid_mesh solid_rectangle(am_shape shape, const am_solid_body *body, double width, double height, size_t columns,
                              size_t rows) {
    am_solid_mesh mesh = {0};
    am_block_division x = equal_parts(width, columns), y = equal_parts(height, rows);
    GOOD(am_block_mesh_add(&mesh, "block", body, shape, &x, &y, err));
    free((void *)x.at);
    free((void *)y.at);
    return mesh;
}

static void extent(const am_solid_mesh *mesh, double low[2], double high[2]) {
    for (int r = 0; r < 2; r++) {
        low[r] = high[r] = mesh->place[r];
        for (size_t i = 0; i < mesh->nodes; i++) {
            low[r] = fmin(low[r], mesh->place[2 * i + r]);
            high[r] = fmax(high[r], mesh->place[2 * i + r]);
        }
    }
}

bool solid_on_boundary(const am_solid_mesh *mesh, size_t node) {
    double low[2], high[2];
    extent(mesh, low, high);
    for (int r = 0; r < 2; r++) {
        double close = 1e-9 * (high[r] - low[r]), at = mesh->place[2 * node + r];
        if (at - low[r] < close || high[r] - at < close)
            return true;
    }
    return false;
}

void solid_distort(am_solid_mesh *mesh, double part) {
    uint64_t seed = 7;
    bool *moved = calloc(mesh->nodes, sizeof *moved);
    const am_solid_element *first = &mesh->element[0];
    double step = hypot(mesh->place[2 * first->node[1]] - mesh->place[2 * first->node[0]],
                        mesh->place[2 * first->node[1] + 1] - mesh->place[2 * first->node[0] + 1]);
    for (size_t i = 0; i < mesh->nodes; i++)
        moved[i] = solid_on_boundary(mesh, i);
    for (size_t e = 0; e < mesh->elements; e++)
        for (size_t a = 0; a < am_shape_corners(mesh->element[e].shape); a++) {
            size_t node = mesh->element[e].node[a];
            for (size_t r = 0; r < 2 && !moved[node]; r++)
                mesh->place[2 * node + r] += uniform(&seed, -part, part) * step;
            moved[node] = true;
        }
    for (size_t e = 0; e < mesh->elements; e++) {
        const am_solid_element *element = &mesh->element[e];
        size_t corners = am_shape_corners(element->shape);
        for (size_t a = 0; a < corners && am_shape_nodes(element->shape) > corners; a++)
            for (size_t r = 0; r < 2; r++)
                mesh->place[2 * element->node[corners + a] + r] =
                    0.5 *
                    (mesh->place[2 * element->node[a] + r] + mesh->place[2 * element->node[(a + 1) % corners] + r]);
    }
    free(moved);
}

void solid_places(const am_solid_mesh *mesh, size_t element, double place[AM_SHAPE_MOST][2]) {
    solid_gather(mesh, element, mesh->place, &place[0][0]);
}

void solid_gather(const am_solid_mesh *mesh, size_t element, const double *all, double *own) {
    const am_solid_element *e = &mesh->element[element];
    for (size_t a = 0; a < am_shape_nodes(e->shape); a++) {
        own[2 * a] = all[2 * e->node[a]];
        own[2 * a + 1] = all[2 * e->node[a] + 1];
    }
}

static size_t band_of(const am_solid_mesh *mesh) {
    size_t band = 0;
    for (size_t e = 0; e < mesh->elements; e++)
        for (size_t a = 0; a < am_shape_nodes(mesh->element[e].shape); a++)
            for (size_t b = 0; b < a; b++) {
                size_t i = mesh->element[e].node[a], j = mesh->element[e].node[b];
                size_t apart = 2 * (i > j ? i - j : j - i) + 1;
                band = apart > band ? apart : band;
            }
    return band;
}

static double *entry(const solid_problem *p, double *matrix, size_t row, size_t column) {
    return matrix + row * (p->band + 1) + p->band + column - row;
}

solid_problem solid_assemble(const am_solid_mesh *mesh) {
    solid_problem p = {.n = 2 * mesh->nodes, .band = band_of(mesh)};
    p.stiffness = calloc(p.n * (p.band + 1), sizeof(double));
    p.mass = calloc(p.n * (p.band + 1), sizeof(double));
    p.force = calloc(p.n, sizeof(double));
    p.displacement = calloc(p.n, sizeof(double));
    p.fixed = calloc(p.n, sizeof(bool));
    for (size_t e = 0; e < mesh->elements; e++) {
        const am_solid_element *element = &mesh->element[e];
        double place[AM_SHAPE_MOST][2], k[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE], m[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE];
        size_t size = 2 * am_shape_nodes(element->shape);
        solid_places(mesh, e, place);
        GOOD(am_element_matrices(element->shape, (const double(*)[2])place, &mesh->body[element->body], k, m, err));
        for (size_t r = 0; r < size; r++)
            for (size_t c = 0; c < size; c++) {
                size_t row = 2 * element->node[r / 2] + r % 2, column = 2 * element->node[c / 2] + c % 2;
                if (column > row)
                    continue;
                *entry(&p, p.stiffness, row, column) += k[r * size + c];
                *entry(&p, p.mass, row, column) += m[r * size + c];
            }
    }
    return p;
}

/* a becomes its Cholesky factor. */
static void factor(const solid_problem *p, double *a) {
    for (size_t i = 0; i < p->n; i++) {
        size_t first = i > p->band ? i - p->band : 0;
        for (size_t j = first; j <= i; j++) {
            size_t start = j > p->band && j - p->band > first ? j - p->band : first;
            double sum = *entry(p, a, i, j);
            for (size_t k = start; k < j; k++)
                sum -= *entry(p, a, i, k) * *entry(p, a, j, k);
            if (i == j && !(sum > 0.0))
                fail_msg("the stiffness is not positive definite: row %zu leaves %g", i, sum);
            *entry(p, a, i, j) = i == j ? sqrt(sum) : sum / *entry(p, a, j, j);
        }
    }
}

static void substitute(const solid_problem *p, double *a, double *x) {
    for (size_t i = 0; i < p->n; i++) {
        for (size_t j = i > p->band ? i - p->band : 0; j < i; j++)
            x[i] -= *entry(p, a, i, j) * x[j];
        x[i] /= *entry(p, a, i, i);
    }
    for (size_t i = p->n; i-- > 0;) {
        x[i] /= *entry(p, a, i, i);
        for (size_t j = i > p->band ? i - p->band : 0; j < i; j++)
            x[j] -= *entry(p, a, i, j) * x[i];
    }
}

/* y += factor A x for one triangle of a symmetric band. */
static void add_product(const solid_problem *p, double *a, double times, const double *x, double *y) {
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = i > p->band ? i - p->band : 0; j <= i; j++) {
            y[i] += times * *entry(p, a, i, j) * x[j];
            if (j < i)
                y[j] += times * *entry(p, a, i, j) * x[i];
        }
}

/* The factor with rows and columns of fixed unknowns replaced by those of the unit matrix. */
static double *factor_free(const solid_problem *p) {
    size_t size = p->n * (p->band + 1) * sizeof(double);
    double *a = malloc(size);
    memcpy(a, p->stiffness, size);
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = i > p->band ? i - p->band : 0; j <= i; j++)
            if (p->fixed[i] || p->fixed[j])
                *entry(p, a, i, j) = i == j ? 1.0 : 0.0;
    factor(p, a);
    return a;
}

void solid_solve(solid_problem *p) {
    double *a = factor_free(p), *x = malloc(p->n * sizeof *x);
    memcpy(x, p->force, p->n * sizeof *x);
    for (size_t i = 0; i < p->n; i++)
        if (!p->fixed[i])
            p->displacement[i] = 0.0;
    for (int turn = 0; turn < 2; turn++) { /* the second turn takes away rounding */
        memcpy(x, p->force, p->n * sizeof *x);
        add_product(p, p->stiffness, -1.0, p->displacement, x);
        for (size_t i = 0; i < p->n; i++)
            if (p->fixed[i])
                x[i] = 0.0;
        substitute(p, a, x);
        for (size_t i = 0; i < p->n; i++)
            p->displacement[i] += x[i];
    }
    free(a);
    free(x);
}

double solid_lowest_frequency(solid_problem *p) {
    double *a = factor_free(p), *x = malloc(p->n * sizeof *x), *y = calloc(p->n, sizeof *y), value = 0.0;
    uint64_t seed = 3;
    for (size_t i = 0; i < p->n; i++)
        x[i] = p->fixed[i] ? 0.0 : uniform(&seed, -1.0, 1.0);
    for (int turn = 0; turn < 60; turn++) {
        memset(y, 0, p->n * sizeof *y);
        add_product(p, p->mass, 1.0, x, y);
        double above = 0.0, below = 0.0;
        for (size_t i = 0; i < p->n; i++)
            y[i] = p->fixed[i] ? 0.0 : y[i];
        memcpy(x, y, p->n * sizeof *x);
        substitute(p, a, x);
        for (size_t i = 0; i < p->n; i++)
            above += x[i] * y[i];
        memset(y, 0, p->n * sizeof *y);
        add_product(p, p->mass, 1.0, x, y);
        for (size_t i = 0; i < p->n; i++)
            below += x[i] * y[i];
        value = above / below;
        for (size_t i = 0; i < p->n; i++)
            x[i] /= sqrt(below);
    }
    free(a);
    free(x);
    free(y);
    return value;
}

void solid_problem_free(solid_problem *p) {
    free(p->stiffness);
    free(p->mass);
    free(p->force);
    free(p->displacement);
    free(p->fixed);
}
