/* Meshes read from files of Gmsh. tests/data/blocks_*.msh were written by Gmsh itself, from blocks.geo. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "errors.h"
#include "near.h"
#include "solid/gmsh.h"

static const char *data(const char *name) {
    static char path[1000];
    snprintf(path, sizeof path, AMONTONS_SOURCE_DIR "/tests/data/%s", name);
    return path;
}

/* ---- Files of Gmsh ---- */

static double area_of(const am_solid_mesh *mesh, size_t body) {
    double area = 0;
    for (size_t e = 0; e < mesh->elements; e++) {
        const am_solid_element *element = &mesh->element[e];
        size_t corners = am_shape_corners(element->shape);
        for (size_t k = 0; k < corners && element->body == body; k++) {
            const double *a = &mesh->place[2 * element->node[k]],
                         *b = &mesh->place[2 * element->node[(k + 1) % corners]];
            area += (a[0] * b[1] - b[0] * a[1]) / 2;
        }
    }
    return area;
}

static void give_materials(am_solid_mesh *mesh) {
    for (size_t i = 0; i < mesh->bodies; i++) {
        mesh->body[i].modulus = mesh->body[i].thickness = mesh->body[i].density = 1;
        mesh->body[i].poisson = 0.3;
    }
}

static void assert_walk(const am_solid_mesh *mesh, const char *name, const char *body, double x0, double y0, double x1,
                        double y1) {
    size_t number = am_solid_mesh_find_line(mesh, name);
    assert_true(number != SIZE_MAX);
    const am_solid_line *line = &mesh->line[number];
    assert_string_equal(mesh->body[line->body].name, body);
    assert_int_equal(line->count, 2);
    assert_int_equal(line->edge[0].node[1], line->edge[1].node[0]);
    const double *from = &mesh->place[2 * line->edge[0].node[0]], *to = &mesh->place[2 * line->edge[1].node[1]];
    const double wanted[4] = {x0, y0, x1, y1}, got[4] = {from[0], from[1], to[0], to[1]};
    for (int i = 0; i < 4; i++)
        assert_near(got[i], wanted[i], 1e-9); /* the mesher bisects curves to about 1e-11 */
}

/* Two blocks 2 x 1, one on the other, with nodes of their own. */
static void assert_blocks(const char *name, size_t nodes, size_t elements) {
    am_solid_mesh mesh = {0};
    GOOD(am_gmsh_read(&mesh, data(name), err));
    assert_int_equal(mesh.nodes, nodes);
    assert_int_equal(mesh.elements, elements);
    assert_int_equal(mesh.bodies, 2);
    assert_int_equal(mesh.lines, 5);
    assert_walk(&mesh, "bottom", "below", 0, 0, 2, 0);
    assert_walk(&mesh, "below.contact", "below", 2, 1, 0, 1);
    assert_walk(&mesh, "above.contact", "above", 0, 1, 2, 1);
    assert_walk(&mesh, "top", "above", 2, 2, 0, 2);
    for (size_t b = 0; b < 2; b++)
        assert_near(area_of(&mesh, b), 2, 1e-9); /* as above; the lower block is clockwise in the file */
    give_materials(&mesh);
    GOOD(am_solid_mesh_check(&mesh, err));
    am_solid_mesh_clear(&mesh);
}

static void test_every_format_gives_the_same_two_blocks(void **state) {
    (void)state;
    assert_blocks("blocks_q8_22.msh", 26, 4);
    assert_blocks("blocks_q8_22_binary.msh", 26, 4);
    assert_blocks("blocks_q8_41.msh", 26, 4);
    assert_blocks("blocks_q8_41_binary.msh", 26, 4);
    assert_blocks("blocks_t6_41.msh", 30, 8);
}

static void test_mid_sides_lie_between_the_corners_they_belong_to(void **state) {
    (void)state;
    const char *const files[] = {"blocks_q8_22.msh", "blocks_q8_41_binary.msh", "blocks_t6_41.msh"};
    for (size_t f = 0; f < 3; f++) {
        am_solid_mesh mesh = {0};
        GOOD(am_gmsh_read(&mesh, data(files[f]), err));
        for (size_t e = 0; e < mesh.elements; e++) {
            const size_t *node = mesh.element[e].node, corners = am_shape_corners(mesh.element[e].shape);
            for (size_t k = 0; k < corners; k++)
                for (size_t i = 0; i < 2; i++)
                    assert_near(mesh.place[2 * node[corners + k] + i],
                                (mesh.place[2 * node[k] + i] + mesh.place[2 * node[(k + 1) % corners] + i]) / 2,
                                1e-9); /* the mesher bisects curves to about 1e-11 */
        }
        am_solid_mesh_clear(&mesh);
    }
}

static void test_a_line_has_the_sides_of_its_body_with_their_middles(void **state) {
    (void)state;
    am_solid_mesh mesh = {0};
    GOOD(am_gmsh_read(&mesh, data("blocks_t6_41.msh"), err));
    const am_solid_line *line = &mesh.line[am_solid_mesh_find_line(&mesh, "below.contact")];
    for (size_t i = 0; i < line->count; i++) {
        assert_int_equal(line->edge[i].count, 3);
        const double middle = mesh.place[2 * line->edge[i].node[2]];
        assert_near(middle, i == 0 ? 1.5 : 0.5, 1e-9); /* the mesher bisects curves to about 1e-11 */
    }
    am_solid_mesh_clear(&mesh);
}

/* ---- Texts written here: one square of four nodes ---- */

static const char square[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                             "$PhysicalNames\n2\n1 1 \"bottom\"\n2 2 \"block\"\n$EndPhysicalNames\n"
                             "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n9 7 7 7\n$EndNodes\n"
                             "$Elements\n2\n1 1 2 1 1 1 2\n2 3 2 2 1 1 2 3 4\n$EndElements\n";

static char scratch[] = AMONTONS_BINARY_DIR "/test_gmsh-XXXXXX";

static void put(const char *bytes, size_t count) {
    FILE *file = fopen(scratch, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* The square with `old` replaced. */
static am_status read_changed(am_solid_mesh *mesh, const char *old, const char *now, am_error *err) {
    char text[2000];
    const char *at = strstr(square, old);
    assert_non_null(at);
    int length = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - square), square, now, at + strlen(old));
    put(text, (size_t)length);
    return am_gmsh_read(mesh, scratch, err);
}

static void assert_refused(const char *old, const char *now, size_t line, const char *words) {
    am_solid_mesh mesh = {0};
    am_error err = {0};
    assert_int_equal(read_changed(&mesh, old, now, &err), AM_ERR_INPUT);
    assert_says(&err, words);
    assert_null(mesh.element);
    assert_int_equal(mesh.nodes, 0);
    char where[100];
    snprintf(where, sizeof where, "%s:%zu: ", scratch, line);
    if (line > 0)
        assert_says(&err, where);
}

static void test_the_square_is_read_without_its_unused_node(void **state) {
    (void)state;
    am_solid_mesh mesh = {0};
    GOOD(read_changed(&mesh, "2.2", "2.2", err));
    assert_int_equal(mesh.nodes, 4);
    assert_int_equal(mesh.line[0].edge[0].node[0], 0);
    assert_int_equal(mesh.line[0].edge[0].node[1], 1);
    am_solid_mesh_clear(&mesh);
}

static void test_the_body_is_left_of_a_line_drawn_the_other_way(void **state) {
    (void)state;
    am_solid_mesh mesh = {0};
    GOOD(read_changed(&mesh, "1 1 2 1 1 1 2\n", "1 1 2 1 1 2 1\n", err));
    assert_int_equal(mesh.line[0].edge[0].node[0], 0);
    am_solid_mesh_clear(&mesh);
    GOOD(read_changed(&mesh, "1 2 3 4\n$", "4 3 2 1\n$", err)); /* clockwise */
    assert_int_equal(mesh.line[0].edge[0].node[0], 0);
    assert_int_equal(mesh.line[0].edge[0].node[1], 1);
    am_solid_mesh_clear(&mesh);
}

static void test_a_group_without_a_name_is_called_by_its_number(void **state) {
    (void)state;
    am_solid_mesh mesh = {0};
    GOOD(read_changed(&mesh, "$PhysicalNames\n2\n1 1 \"bottom\"\n2 2 \"block\"\n$EndPhysicalNames\n", "", err));
    assert_int_equal(am_solid_mesh_find_body(&mesh, "2"), 0);
    assert_int_equal(am_solid_mesh_find_line(&mesh, "1"), 0);
    am_solid_mesh_clear(&mesh);
}

static void test_sections_of_no_use_are_passed_over(void **state) {
    (void)state;
    am_solid_mesh mesh = {0};
    GOOD(read_changed(&mesh, "$Nodes\n", "$NodeData\nanything 1 $End\n$EndNodeData\n$Nodes\n", err));
    am_solid_mesh_clear(&mesh);
}

static void test_elements_that_are_not_ours_are_refused_by_number(void **state) {
    (void)state;
    assert_refused("2 3 2 2 1 1 2 3 4", "2 2 2 2 1 1 2 3", 20, "element 2 is a triangle of 3 nodes");
    assert_refused("2 3 2 2 1 1 2 3 4", "2 10 2 2 1 1 2 3 4 1 2 3 4 1", 20, "Mesh.SecondOrderIncomplete = 1");
    assert_refused("2 3 2 2 1 1 2 3 4", "2 4 2 2 1 1 2 3 4", 20, "three-dimensional");
    assert_refused("2 3 2 2 1 1 2 3 4", "2 3 2 0 1 1 2 3 4", 20, "element 2 belongs to no physical surface");
    assert_refused("2 3 2 2 1 1 2 3 4", "2 3 2 2 1 1 2 3 8", 20, "the node 8, which $Nodes does not list");
    assert_refused("2 3 2 2 1 1 2 3 4", "2 3 2 2 1 1 2 2 4", 20, "the same node at two corners");
    assert_refused("$Elements\n2", "$Elements\n1", 20, "stands where $EndElements was expected");
}

static void test_elements_that_do_not_fit_together_are_refused(void **state) {
    (void)state;
    assert_refused("$Elements\n2\n", "$Elements\n3\n7 3 2 2 1 1 2 3 4\n", 21, "elements 7 and 2 lie on the same side");
    /* eight nodes beside four: a middle node on one side only */
    assert_refused("$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n9 7 7 7\n$EndNodes\n$Elements\n2\n",
                   "$Nodes\n11\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 0 0\n6 2 1 0\n7 1.5 0 0\n8 2 0.5 0\n"
                   "9 1.5 1 0\n10 1 0.5 0\n11 9 9 9\n$EndNodes\n$Elements\n3\n5 16 2 2 1 2 5 6 3 7 8 9 10\n",
                   27, "share the ends of a side but not its middle node");
}

static void test_lines_that_are_no_surface_are_refused_by_name(void **state) {
    (void)state;
    assert_refused("1 1 2 1 1 1 2\n", "1 1 2 1 1 1 3\n", 19, "line 'bottom' leaves the bodies");
    assert_refused("1 1 2 1 1 1 2\n", "1 1 2 1 1 1 9\n", 19, "line 'bottom' leaves the bodies");
    assert_refused("2\n1 1 2 1 1 1 2\n", "3\n1 1 2 1 1 1 2\n3 1 2 1 1 2 1\n", 0, "line 'bottom' has an edge twice");
    const char *nodes = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n9 7 7 7\n$EndNodes\n$Elements\n2\n"
                        "1 1 2 1 1 1 2\n";
    assert_refused(nodes,
                   "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 -1 0\n6 1 -1 0\n$EndNodes\n$Elements\n3\n"
                   "1 1 2 1 1 1 2\n3 3 2 2 1 5 6 2 1\n",
                   20, "line 'bottom' runs inside body 'block'");
    assert_refused(nodes,
                   "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 -1 0\n6 1 -1 0\n$EndNodes\n$Elements\n3\n"
                   "1 1 2 1 1 1 2\n3 3 2 5 1 5 6 2 1\n",
                   20, "grown together along line 'bottom'");
    assert_refused(nodes,
                   "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 0 0\n6 3 0 0\n7 3 1 0\n8 2 1 0\n$EndNodes\n"
                   "$Elements\n4\n1 1 2 1 1 1 2\n4 1 2 1 1 5 6\n3 3 2 5 1 5 6 7 8\n",
                   23, "line 'bottom' runs along two bodies");
}

static void test_bodies_must_be_plane(void **state) {
    (void)state;
    assert_refused("3 1 1 0\n", "3 1 1 0.5\n", 0, "node 3 is at z = 0.5");
}

static void test_files_that_are_no_meshes_say_so(void **state) {
    (void)state;
    am_solid_mesh mesh = {0};
    am_error err = {0};
    assert_refused("$MeshFormat\n", "solid\n", 1, "does not begin with $MeshFormat");
    assert_refused("2.2 0 8", "4 0 8", 2, "format 4; expected 4.1 or 2.2");
    assert_refused("1 0 0 0\n", "1 0 nan 0\n", 11, "'nan' stands where the place of a node was expected");
    assert_refused("$Nodes\n5", "$Nodes\n500", 0, "'$EndNodes' stands where the number of a node was expected");
    assert_refused("9 7 7 7", "1 7 7 7", 0, "there are two nodes 1");
    assert_refused("\"block\"", "\"block", 7, "the quote that ends a name");
    assert_refused("2 2 \"block\"", "1 2 \"bottom\"", 0, "two physical groups of dimension 1 are called 'bottom'");
    assert_int_equal(am_gmsh_read(&mesh, "/tmp/there/is/no/such.msh", &err), AM_ERR_FILE);
    assert_int_equal(am_gmsh_read(&mesh, "/tmp", &err), AM_ERR_FILE);
    put("", 0);
    assert_int_equal(am_gmsh_read(&mesh, scratch, &err), AM_ERR_INPUT);
}

/* A count that no file could hold is refused before memory is asked for. */
static void test_counts_beyond_the_file_are_refused(void **state) {
    (void)state;
    am_solid_mesh mesh = {0};
    am_error err = {0};
    const char text[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 0\n"
                        "1 0 0 0 1 1 0 1 2 0\n$EndEntities\n$Nodes\n1 999999999999 1 4\n2 1 0 999999999999\n1\n";
    put(text, sizeof text - 1);
    assert_int_equal(am_gmsh_read(&mesh, scratch, &err), AM_ERR_INPUT);
    assert_says(&err, "more than the rest of the file has room for");
}

/* ---- Damaged files: refused with a sentence, or read as what they became ---- */

static uint64_t shift(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

static size_t load(const char *name, char *bytes, size_t room) {
    FILE *file = fopen(data(name), "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

static void read_damaged(const char *bytes, size_t count) {
    am_solid_mesh mesh = {0};
    am_error err = {0};
    put(bytes, count);
    if (am_gmsh_read(&mesh, scratch, &err) != AM_OK) {
        assert_true(err.message[0] != '\0');
        assert_null(mesh.place);
    } else {
        give_materials(&mesh);
        (void)am_solid_mesh_check(&mesh, &err); /* may refuse: nodes moved */
    }
    am_solid_mesh_clear(&mesh);
}

static void test_files_cut_anywhere_are_refused(void **state) {
    (void)state;
    const char *const files[] = {"blocks_q8_22.msh", "blocks_q8_22_binary.msh", "blocks_q8_41_binary.msh"};
    static char bytes[8000];
    for (size_t f = 0; f < 3; f++) {
        size_t count = load(files[f], bytes, sizeof bytes);
        for (size_t cut = 0; cut + 13 < count; cut += 23) { /* 13: the last word is complete */
            am_solid_mesh mesh = {0};
            am_error err = {0};
            put(bytes, cut);
            assert_int_equal(am_gmsh_read(&mesh, scratch, &err), AM_ERR_INPUT);
        }
    }
}

static void test_damaged_bytes_never_break_the_reader(void **state) {
    (void)state;
    const char *const files[] = {"blocks_q8_22.msh", "blocks_q8_22_binary.msh", "blocks_q8_41.msh",
                                 "blocks_q8_41_binary.msh"};
    static char bytes[8000];
    uint64_t seed = 20240607;
    for (size_t round = 0; round < 1200; round++) {
        size_t count = load(files[round % 4], bytes, sizeof bytes);
        for (size_t k = 0; k <= shift(&seed) % 4; k++) {
            size_t at = shift(&seed) % count;
            bytes[at] = shift(&seed) % 2 ? "0123456789-$ \n"[shift(&seed) % 14] : (char)shift(&seed);
        }
        read_damaged(bytes, count);
    }
}

static int make_scratch(void **state) {
    (void)state;
    int file = mkstemp(scratch);
    return file < 0 ? -1 : close(file);
}

static int remove_scratch(void **state) {
    (void)state;
    return remove(scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format_gives_the_same_two_blocks),
        cmocka_unit_test(test_mid_sides_lie_between_the_corners_they_belong_to),
        cmocka_unit_test(test_a_line_has_the_sides_of_its_body_with_their_middles),
        cmocka_unit_test(test_the_square_is_read_without_its_unused_node),
        cmocka_unit_test(test_the_body_is_left_of_a_line_drawn_the_other_way),
        cmocka_unit_test(test_a_group_without_a_name_is_called_by_its_number),
        cmocka_unit_test(test_sections_of_no_use_are_passed_over),
        cmocka_unit_test(test_elements_that_are_not_ours_are_refused_by_number),
        cmocka_unit_test(test_elements_that_do_not_fit_together_are_refused),
        cmocka_unit_test(test_lines_that_are_no_surface_are_refused_by_name),
        cmocka_unit_test(test_bodies_must_be_plane),
        cmocka_unit_test(test_files_that_are_no_meshes_say_so),
        cmocka_unit_test(test_counts_beyond_the_file_are_refused),
        cmocka_unit_test(test_files_cut_anywhere_are_refused),
        cmocka_unit_test(test_damaged_bytes_never_break_the_reader),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
