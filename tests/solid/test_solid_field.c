/* Stresses at the nodes of a mesh, and the tables they go to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "errors.h"
#include "near.h"
#include "results.h"
#include "solid/field.h"
#include "solid/gmsh.h"

static const double modulus = 210, poisson = 0.3;

static void read_blocks(am_solid_mesh *mesh, const char *name, bool plane_stress) {
    char path[1000];
    snprintf(path, sizeof path, AMONTONS_SOURCE_DIR "/tests/data/%s", name);
    *mesh = (am_solid_mesh){0};
    GOOD(am_gmsh_read(mesh, path, err));
    for (size_t i = 0; i < mesh->bodies; i++) {
        mesh->body[i].modulus = modulus;
        mesh->body[i].poisson = poisson;
        mesh->body[i].thickness = 1;
        mesh->body[i].plane_stress = plane_stress;
    }
}

typedef void (*motion)(const double *place, double *u);

static double *displacements(const am_solid_mesh *mesh, motion move) {
    double *u = calloc(2 * mesh->nodes, sizeof *u);
    assert_non_null(u);
    for (size_t i = 0; i < mesh->nodes; i++)
        move(&mesh->place[2 * i], &u[2 * i]);
    return u;
}

static void stretch(const double *p, double *u) {
    u[0] = 0.001 * p[0] + 0.0004 * p[1];
    u[1] = -0.0002 * p[0] + 0.003 * p[1];
}

/* Hooke's law for the strains of `stretch`. */
static am_element_stress_result stretched(bool plane_stress) {
    const double xx = 0.001, yy = 0.003, xy = 0.0001, shear = modulus / (1 + poisson);
    if (plane_stress) {
        double m = modulus / (1 - poisson * poisson);
        return (am_element_stress_result){m * (xx + poisson * yy), m * (yy + poisson * xx), shear * xy, 0};
    }
    double lame = modulus * poisson / ((1 + poisson) * (1 - 2 * poisson));
    return (am_element_stress_result){shear * xx + lame * (xx + yy), shear * yy + lame * (xx + yy), shear * xy,
                                      lame * (xx + yy)};
}

static void assert_stress(const am_element_stress_result *got, const am_element_stress_result *wanted, double near) {
    assert_near(got->xx, wanted->xx, near);
    assert_near(got->yy, wanted->yy, near);
    assert_near(got->xy, wanted->xy, near);
    assert_near(got->zz, wanted->zz, near);
}

static void test_uniform_strain_gives_hookes_stress_at_every_node(void **state) {
    (void)state;
    const char *const files[] = {"blocks_q8_41.msh", "blocks_t6_41.msh"};
    for (size_t f = 0; f < 4; f++) {
        am_solid_mesh mesh;
        am_solid_field field;
        bool plane_stress = f % 2;
        read_blocks(&mesh, files[f / 2], plane_stress);
        double *u = displacements(&mesh, stretch);
        am_element_stress_result wanted = stretched(plane_stress);
        GOOD(am_solid_field_init(&field, &mesh, u, err));
        assert_int_equal(field.points, mesh.nodes);
        for (size_t i = 0; i < field.points; i++)
            assert_stress(&field.point[i].stress, &wanted, 1e-8); /* places of the file are good to about 1e-11 */
        am_solid_field_clear(&field);
        am_solid_mesh_clear(&mesh);
        free(u);
    }
}

/* Pure bending in plane stress: sxx = E k y, all others zero; u is quadratic. */
static void bend(const double *p, double *u) {
    const double k = 0.001;
    u[0] = k * p[0] * p[1];
    u[1] = -k * p[0] * p[0] / 2 - poisson * k * p[1] * p[1] / 2;
}

static void test_pure_bending_gives_its_linear_stress_at_every_node(void **state) {
    (void)state;
    const char *const files[] = {"blocks_q8_41.msh", "blocks_t6_41.msh"};
    for (size_t f = 0; f < 2; f++) {
        am_solid_mesh mesh;
        am_solid_field field;
        read_blocks(&mesh, files[f], true);
        double *u = displacements(&mesh, bend);
        GOOD(am_solid_field_init(&field, &mesh, u, err));
        for (size_t i = 0; i < field.points; i++) {
            am_element_stress_result wanted = {modulus * 0.001 * mesh.place[2 * field.point[i].node + 1], 0, 0, 0};
            assert_stress(&field.point[i].stress, &wanted, 1e-8); /* as above */
        }
        am_solid_field_clear(&field);
        am_solid_mesh_clear(&mesh);
        free(u);
    }
}

/* Two squares of four nodes with a side in common: body 0 left, body 1 right, twice as stiff. */
static void two_squares(am_solid_mesh *mesh) {
    static const double places[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1};
    static const size_t nodes[2][4] = {{0, 1, 4, 3}, {1, 2, 5, 4}};
    size_t body;
    *mesh = (am_solid_mesh){.nodes = 6, .elements = 2};
    GOOD(am_solid_mesh_add_body(mesh, "soft", &(am_solid_body){.modulus = 1, .thickness = 1}, &body, err));
    GOOD(am_solid_mesh_add_body(mesh, "stiff", &(am_solid_body){.modulus = 2, .thickness = 1}, &body, err));
    mesh->place = malloc(sizeof places);
    memcpy(mesh->place, places, sizeof places);
    mesh->element = calloc(2, sizeof *mesh->element);
    for (size_t e = 0; e < 2; e++) {
        mesh->element[e].body = e;
        memcpy(mesh->element[e].node, nodes[e], sizeof nodes[e]);
    }
}

static void pull(const double *p, double *u) {
    u[0] = 0.01 * p[0];
    u[1] = 0;
}

static void test_stresses_are_not_averaged_across_bodies(void **state) {
    (void)state;
    am_solid_mesh mesh;
    am_solid_field field;
    two_squares(&mesh);
    double *u = displacements(&mesh, pull);
    GOOD(am_solid_field_init(&field, &mesh, u, err));
    assert_int_equal(field.points, 8); /* two nodes belong to both */
    for (size_t i = 0; i < field.points; i++)
        assert_near(field.point[i].stress.xx, field.point[i].body == 0 ? 0.01 : 0.02, 1e-14); /* rounding */
    am_solid_field_clear(&field);
    am_solid_mesh_clear(&mesh);
    free(u);
}

static void test_von_mises_of_simple_states(void **state) {
    (void)state;
    assert_near(am_solid_mises(&(am_element_stress_result){.xx = -3}), 3, 1e-14); /* rounding, here and below */
    assert_near(am_solid_mises(&(am_element_stress_result){.xy = 2}), 2 * sqrt(3), 1e-14);
    assert_near(am_solid_mises(&(am_element_stress_result){5, 5, 0, 5}), 0, 1e-14);
    assert_near(am_solid_mises(&(am_element_stress_result){1, -1, 0, 0}), sqrt(3), 1e-14);
}

static void test_the_tables_hold_the_points_and_the_elements(void **state) {
    (void)state;
    am_solid_mesh mesh;
    two_squares(&mesh);
    double *u = displacements(&mesh, pull);
    am_result *result = am_result_create(NULL);
    GOOD(am_solid_field_tables(&mesh, u, result, err));
    const am_table *nodes = table_of(result, "mesh_nodes"), *elements = table_of(result, "mesh_elements");
    assert_int_equal(am_table_rows(nodes), 8);
    assert_int_equal(am_table_rows(elements), 2);
    assert_string_equal(word(elements, 1, "body"), "stiff");
    assert_string_equal(word(elements, 1, "shape"), "quad4");
    assert_true(isnan(cell(elements, 1, "n5")));
    const char *const corner[] = {"n1", "n2", "n3", "n4"};
    for (size_t e = 0; e < 2; e++)
        for (size_t k = 0; k < 4; k++) {
            size_t row = (size_t)cell(elements, e, corner[k]) - 1, node = mesh.element[e].node[k];
            assert_true(cell(nodes, row, "x") == mesh.place[2 * node] &&
                        cell(nodes, row, "y") == mesh.place[2 * node + 1]);
            assert_true(cell(nodes, row, "ux") == u[2 * node] && cell(nodes, row, "uy") == 0);
            assert_near(cell(nodes, row, "mises"), e == 0 ? 0.01 : 0.02, 1e-14); /* rounding; nu = 0: uniaxial */
        }
    am_result_free(result);
    am_solid_mesh_clear(&mesh);
    free(u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform_strain_gives_hookes_stress_at_every_node),
        cmocka_unit_test(test_pure_bending_gives_its_linear_stress_at_every_node),
        cmocka_unit_test(test_stresses_are_not_averaged_across_bodies),
        cmocka_unit_test(test_von_mises_of_simple_states),
        cmocka_unit_test(test_the_tables_hold_the_points_and_the_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
