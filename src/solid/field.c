#include "solid/field.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"

/* ---- Stresses of one element at its nodes ---- */

enum { MOST_SAMPLES = 4 };

/* Where the stresses of an element are most accurate: Gauss points of the order of its strains. From there they are
 * carried to the nodes by the (bi)linear function through them. */
static size_t sample_places(am_shape shape, double place[MOST_SAMPLES][2]) {
    const double g = 1 / sqrt(3.0);
    const double square[4][2] = {{-g, -g}, {g, -g}, {g, g}, {-g, g}};
    const double triangle[3][2] = {{1.0 / 6, 1.0 / 6}, {2.0 / 3, 1.0 / 6}, {1.0 / 6, 2.0 / 3}};
    if (shape == AM_TRIANGLE6) {
        memcpy(place, triangle, sizeof triangle);
        return 3;
    }
    memcpy(place, square, sizeof square);
    return 4;
}

static void sample_weights(am_shape shape, double xi, double eta, double weight[MOST_SAMPLES]) {
    if (shape == AM_TRIANGLE6) { /* linear, 1 at its own sample and 0 at the others */
        weight[1] = 2 * xi - 1.0 / 3;
        weight[2] = 2 * eta - 1.0 / 3;
        weight[0] = 1 - weight[1] - weight[2];
        return;
    }
    const double s = sqrt(3.0), sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; k < 4; k++)
        weight[k] = (1 + sign[k][0] * s * xi) * (1 + sign[k][1] * s * eta) / 4;
}

static void element_stresses(const am_solid_mesh *mesh, const am_solid_element *element, const double *displacement,
                             am_element_stress_result at_node[AM_SHAPE_MOST]) {
    double place[AM_SHAPE_MOST][2], own[AM_ELEMENT_SIZE], sample[MOST_SAMPLES][2];
    size_t nodes = am_shape_nodes(element->shape), samples = sample_places(element->shape, sample);
    am_element_stress_result stress[MOST_SAMPLES];
    am_solid_mesh_places(mesh, element, place);
    for (size_t i = 0; i < 2 * nodes; i++)
        own[i] = displacement[2 * element->node[i / 2] + i % 2];
    am_element_stresses(element->shape, (const double(*)[2])place, &mesh->body[element->body], own, samples,
                        (const double(*)[2])sample, stress);
    for (size_t k = 0; k < nodes; k++) {
        double xi, eta, weight[MOST_SAMPLES];
        am_element_node_place(element->shape, k, &xi, &eta);
        sample_weights(element->shape, xi, eta, weight);
        at_node[k] = (am_element_stress_result){0};
        for (size_t s = 0; s < samples; s++)
            am_element_add_stress(&at_node[k], weight[s], &stress[s]);
    }
}

/* ---- Points ---- */

/* One body after the other: the points of a body are numbered when its first element at the node comes. `point_of` has
 * an entry per node. */
static void number_points(am_solid_field *field, const am_solid_mesh *mesh, size_t *point_of) {
    for (size_t body = 0; body < mesh->bodies; body++) {
        size_t first = field->points;
        for (size_t e = 0; e < mesh->elements; e++) {
            const am_solid_element *element = &mesh->element[e];
            if (element->body != body)
                continue;
            for (size_t k = 0; k < am_shape_nodes(element->shape); k++) {
                size_t node = element->node[k];
                if (point_of[node] == SIZE_MAX || point_of[node] < first) {
                    point_of[node] = field->points++;
                    field->point[point_of[node]] = (am_solid_point){.node = node, .body = body};
                }
                field->of_element[AM_SHAPE_MOST * e + k] = point_of[node];
            }
        }
    }
}

static void average(am_solid_field *field, const am_solid_mesh *mesh, const double *displacement, size_t *parts) {
    for (size_t e = 0; e < mesh->elements; e++) {
        am_element_stress_result at_node[AM_SHAPE_MOST];
        element_stresses(mesh, &mesh->element[e], displacement, at_node);
        for (size_t k = 0; k < am_shape_nodes(mesh->element[e].shape); k++) {
            size_t point = field->of_element[AM_SHAPE_MOST * e + k];
            am_element_add_stress(&field->point[point].stress, 1, &at_node[k]);
            parts[point]++;
        }
    }
    for (size_t p = 0; p < field->points; p++) {
        am_element_stress_result sum = field->point[p].stress;
        field->point[p].stress = (am_element_stress_result){0};
        am_element_add_stress(&field->point[p].stress, 1.0 / (double)parts[p], &sum);
    }
}

/* Points there can be at most: every node once for each element that has it. */
static size_t most_points(const am_solid_mesh *mesh) {
    size_t most = 0;
    for (size_t e = 0; e < mesh->elements; e++)
        most += am_shape_nodes(mesh->element[e].shape);
    return mesh->bodies == 1 && mesh->nodes < most ? mesh->nodes : most;
}

am_status am_solid_field_init(am_solid_field *field, const am_solid_mesh *mesh, const double *displacement,
                              am_error *err) {
    size_t most = most_points(mesh);
    *field = (am_solid_field){0};
    field->point = am_arena_new(&field->memory, most, sizeof *field->point, err);
    field->of_element = am_arena_new(&field->memory, AM_SHAPE_MOST * mesh->elements, sizeof *field->of_element, err);
    size_t *point_of = am_arena_new(&field->memory, mesh->nodes, sizeof *point_of, err);
    size_t *parts = am_arena_new(&field->memory, most, sizeof *parts, err);
    am_status status = am_arena_status(&field->memory);
    if (status) {
        am_solid_field_clear(field);
        return status;
    }
    for (size_t i = 0; i < mesh->nodes; i++)
        point_of[i] = SIZE_MAX;
    number_points(field, mesh, point_of);
    average(field, mesh, displacement, parts);
    return AM_OK;
}

void am_solid_field_clear(am_solid_field *field) {
    am_arena_clear(&field->memory);
    *field = (am_solid_field){0};
}

double am_solid_mises(const am_element_stress_result *stress) {
    double a = stress->xx - stress->yy, b = stress->yy - stress->zz, c = stress->zz - stress->xx;
    return sqrt((a * a + b * b + c * c) / 2 + 3 * stress->xy * stress->xy);
}

/* ---- Tables ---- */

static void add_nodes(const am_solid_field *field, const am_solid_mesh *mesh, const double *displacement,
                      am_result *result) {
    am_table *table = am_result_describe_table(result, "mesh_nodes", "x y ux uy sxx syy sxy szz mises");
    for (size_t p = 0; p < field->points; p++) {
        const am_solid_point *point = &field->point[p];
        const am_element_stress_result *s = &point->stress;
        const double *place = &mesh->place[2 * point->node], *u = &displacement[2 * point->node];
        const double row[] = {place[0], place[1], u[0], u[1], s->xx, s->yy, s->xy, s->zz, am_solid_mises(s)};
        am_table_add_row(table, NULL);
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
            am_table_set_number(table, i, row[i]);
    }
}

static const char *shape_name(am_shape shape) {
    return shape == AM_QUAD4 ? "quad4" : shape == AM_QUAD8 ? "quad8" : "triangle6";
}

static void add_elements(const am_solid_field *field, const am_solid_mesh *mesh, am_result *result) {
    am_table *table = am_result_describe_table(result, "mesh_elements", "body shape");
    for (int k = 1; k <= AM_SHAPE_MOST; k++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", k);
        am_table_describe_as(table, "n<i>", name);
    }
    for (size_t e = 0; e < mesh->elements; e++) {
        const am_solid_element *element = &mesh->element[e];
        am_table_add_row(table, NULL);
        am_table_set_text(table, 0, mesh->body[element->body].name, NULL);
        am_table_set_text(table, 1, shape_name(element->shape), NULL);
        for (size_t k = 0; k < am_shape_nodes(element->shape); k++)
            am_table_set_number(table, 2 + k, (double)(field->of_element[AM_SHAPE_MOST * e + k] + 1));
    }
}

am_status am_solid_field_tables(const am_solid_mesh *mesh, const double *displacement, am_result *result,
                                am_error *err) {
    am_solid_field field;
    AM_TRY(am_solid_field_init(&field, mesh, displacement, err));
    add_nodes(&field, mesh, displacement, result);
    add_elements(&field, mesh, result);
    am_solid_field_clear(&field);
    return am_result_status(result, err);
}
