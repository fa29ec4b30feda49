/* Meshes of blocks, and what is refused of a mesh. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "errors.h"
#include "near.h"
#include "solid_support.h"
#include "uniform.h"

static const am_shape shapes[] = {AM_QUAD4, AM_QUAD8, AM_TRIANGLE6};
enum { SHAPES = 3 };

static const am_solid_body steel = {.modulus = 210.0, .poisson = 0.3, .density = 7.8, .thickness = 2.0};

/* Corners of elements along a side, with the largest ratio of neighbours. */
typedef struct side {
    size_t count;
    double *at, steepest, smallest, largest;
} side;

static side divided(double from, double to, double size, double growth, double largest, size_t fine_count,
                    const double *fine, size_t k, const double *keep) {
    side s = {.steepest = 1.0, .smallest = INFINITY};
    GOOD(am_block_divide(from, to, size, growth, largest, fine_count, fine, k, keep, &s.count, &s.at, err));
    assert_true(s.at[0] == from && s.at[s.count - 1] == to);
    for (size_t i = 1; i < s.count; i++) {
        double length = s.at[i] - s.at[i - 1];
        assert_true(length > 0.0);
        s.smallest = fmin(s.smallest, length);
        s.largest = fmax(s.largest, length);
        if (i > 1) {
            double before = s.at[i - 1] - s.at[i - 2];
            s.steepest = fmax(s.steepest, fmax(length / before, before / length));
        }
    }
    return s;
}

static bool has_corner(const side *s, double at) {
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i] == at)
            return true;
    return false;
}

static void without_growth_elements_are_equal(void **unused) {
    (void)unused;
    const double fine[] = {0.5};
    side s = divided(-1.0, 2.0, 0.25, 1.0, 1.0, 1, fine, 0, NULL);
    assert_int_equal(s.count, 13);
    for (size_t i = 0; i < s.count; i++)
        assert_near(s.at[i], -1.0 + 0.25 * (double)i, 1e-14); /* rounding */
    am_memory_free(s.at);
    s = divided(0.0, 1.0, 0.25, 1.3, 1.0, 0, NULL, 0, NULL); /* nor when nothing is to be fine */
    assert_int_equal(s.count, 5);
    am_memory_free(s.at);
}

/* s(1 + g + g^2 + ...) elements away from one end of a long side. */
static void elements_grow_geometrically_from_a_fine_end(void **unused) {
    (void)unused;
    const double fine[] = {0.0};
    side s = divided(0.0, 100.0, 0.1, 1.2, 10.0, 1, fine, 0, NULL);
    assert_near(s.at[1], 0.1, 0.01); /* a whole number of elements: 1/count, and some */
    assert_true(s.steepest < 1.2 && s.steepest > 1.1);
    assert_true(s.largest <= 10.0);
    for (size_t i = 2; i < s.count; i++)
        assert_true(s.at[i] - s.at[i - 1] >= (s.at[i - 1] - s.at[i - 2]) * (1.0 - 1e-9));
    assert_true(s.count < 60); /* an even division would need a thousand */
    am_memory_free(s.at);
}

static void kept_places_are_corners_and_neighbours_keep_to_the_growth(void **unused) {
    (void)unused;
    const double fine[] = {80.0, 220.0}, keep[] = {80.0, 150.0, 161.3, 220.0};
    for (int i = 0; i < 4; i++) {
        double size = 0.25 * pow(2.0, i);
        side s = divided(0.0, 300.0, size, 1.25, 20.0, 2, fine, 4, keep);
        for (int j = 0; j < 4; j++)
            assert_true(has_corner(&s, keep[j]));
        assert_true(s.steepest <= 1.25 * (1.0 + 1e-9));
        assert_true(s.largest <= 20.0);
        assert_near(s.smallest, size, 0.15 * size); /* whole numbers of elements */
        am_memory_free(s.at);
    }
}

/* Wherever the places lie: ordered, kept, hardly ever steeper than asked for. Growth 1.2 and sizes of a hundredth of
 * the side leave room to settle three places. */
static void random_places_are_met_without_jumps(void **unused) {
    (void)unused;
    uint64_t seed = 1;
    int steep = 0;
    for (int turn = 0; turn < 300; turn++) {
        double keep[3], fine[2];
        for (int i = 0; i < 3; i++)
            keep[i] = uniform(&seed, 0.0, 1.0);
        fine[0] = keep[0];
        fine[1] = uniform(&seed, -0.2, 1.2);
        side s = divided(0.0, 1.0, 0.01, 1.2, 0.1, 2, fine, 3, keep);
        for (int i = 0; i < 3; i++)
            assert_true(has_corner(&s, keep[i]));
        steep += s.steepest > 1.2 * (1.0 + 1e-9);
        assert_true(s.steepest < 2.0);
        am_memory_free(s.at);
    }
    assert_true(steep <= 3);
}

static void a_mirrored_side_gets_mirrored_corners(void **unused) {
    (void)unused;
    const double fine[] = {0.3, 4.0}, keep[] = {0.3, 1.7, 4.0}, there_fine[] = {6.0, 9.7}, there[] = {6.0, 8.3, 9.7};
    side a = divided(0.0, 10.0, 0.05, 1.15, 1.0, 2, fine, 3, keep);
    side b = divided(0.0, 10.0, 0.05, 1.15, 1.0, 2, there_fine, 3, there);
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; i++) /* rounding: exponentials and sums of about a hundred elements */
        assert_near(a.at[i], 10.0 - b.at[b.count - 1 - i], 1e-11);
    am_memory_free(a.at);
    am_memory_free(b.at);
}

static void impossible_divisions_are_refused(void **unused) {
    (void)unused;
    static const double numbers[6][5] = {{1.0, 1.0, 0.1, 1.2, 1.0}, {0.0, 1.0, 0.0, 1.2, 1.0},
                                         {0.0, 1.0, 0.1, 0.9, 1.0}, {0.0, 1.0, 0.1, 1.2, 0.05},
                                         {0.0, 1.0, 0.1, 1.2, 1.0}, {0.0, 1.0, 1e-8, 1.0, 1.0}};
    static const char *const words[6] = {"no length",        "must be positive",         "1 or more",
                                         "below the finest", "does not lie on the side", "take larger ones"};
    const double outside[] = {1.5};
    for (int i = 0; i < 6; i++) {
        const double *n = numbers[i];
        am_error err = {0};
        size_t count;
        double *at;
        assert_int_equal(am_block_divide(n[0], n[1], n[2], n[3], n[4], 0, NULL, i == 4, outside, &count, &at, &err),
                         AM_ERR_INPUT);
        assert_says(&err, words[i]);
    }
}

/* Elements too small beside their places for numbers to tell their corners apart. Either there is a division whose
 * places ascend, or it is refused in words: from ends and sizes of 1e-300 to 1. */
static void elements_that_vanish_beside_their_places_are_refused(void **unused) {
    (void)unused;
    size_t refused = 0;
    for (double end = 1.0; end > 1e-290; end *= 1e-15)
        for (double size = 1.0; size > 1e-299; size *= 1e-9) {
            am_error err = {0};
            size_t count = 0;
            double *at = NULL, fine = -size;
            if (size >= end)
                continue;
            am_status status = am_block_divide(-end, fine, size, 1.3, end, 1, &fine, 0, NULL, &count, &at, &err);
            assert_true(status == AM_OK ? at && count > 1 : status == AM_ERR_INPUT && err.message[0]);
            refused += status != AM_OK;
            for (size_t i = 1; !status && i < count; i++)
                assert_true(at[i] >= at[i - 1]);
            if (!status)
                am_memory_free(at);
        }
    assert_true(refused > 0);
}

static am_solid_mesh two_blocks(am_shape shape) {
    static const double x[] = {0.0, 1.0, 2.5, 3.0}, y[] = {0.0, 0.5, 1.5}, high[] = {1.5, 2.0, 4.0};
    am_solid_mesh mesh = {0};
    am_block_division along = {4, x}, base = {3, y}, slider = {3, high};
    GOOD(am_block_mesh_add(&mesh, "base", &steel, shape, &along, &base, err));
    GOOD(am_block_mesh_add(&mesh, "slider", &steel, shape, &along, &slider, err));
    return mesh;
}

static void blocks_have_the_nodes_elements_and_area_they_should(void **unused) {
    (void)unused;
    static const size_t nodes[] = {12, 29, 35}, elements[] = {6, 6, 12}; /* of 3 x 2 cells */
    for (size_t s = 0; s < SHAPES; s++) {
        am_solid_mesh mesh = two_blocks(shapes[s]);
        GOOD(am_solid_mesh_check(&mesh, err));
        assert_int_equal(mesh.nodes, 2 * nodes[s]);
        assert_int_equal(mesh.elements, 2 * elements[s]);
        assert_int_equal(am_solid_mesh_find_body(&mesh, "slider"), 1);
        assert_true(am_solid_mesh_find_body(&mesh, "punch") == SIZE_MAX);
        double weight = 0.0, force[AM_ELEMENT_SIZE];
        const double right[2] = {1.0, 0.0};
        for (size_t e = 0; e < mesh.elements; e++) {
            double place[AM_SHAPE_MOST][2];
            solid_places(&mesh, e, place);
            am_element_body_force(shapes[s], (const double(*)[2])place, &steel, right, force);
            for (size_t i = 0; i < 2 * am_shape_nodes(shapes[s]); i++)
                weight += force[i];
        }
        assert_near(weight, steel.density * steel.thickness * 3.0 * 4.0, 1e-11); /* rounding of sums */
        am_solid_mesh_clear(&mesh);
        assert_true(mesh.nodes == 0 && mesh.place == NULL);
    }
}

/* Each line walks its side counterclockwise, edge after edge, from corner to corner. */
static void lines_walk_their_sides_with_the_body_on_the_left(void **unused) {
    (void)unused;
    static const char *const names[4] = {"slider.bottom", "slider.right", "slider.top", "slider.left"};
    static const double corner[4][2] = {{0.0, 1.5}, {3.0, 1.5}, {3.0, 4.0}, {0.0, 4.0}};
    for (size_t s = 0; s < SHAPES; s++) {
        am_solid_mesh mesh = two_blocks(shapes[s]);
        for (int i = 0; i < 4; i++) {
            const am_solid_line *line = &mesh.line[am_solid_mesh_find_line(&mesh, names[i])];
            assert_int_equal(line->body, 1);
            assert_int_equal(line->count, i % 2 ? 2 : 3);
            const double *first = mesh.place + 2 * line->edge[0].node[0];
            const double *last = mesh.place + 2 * line->edge[line->count - 1].node[1];
            for (int r = 0; r < 2; r++) {
                assert_true(first[r] == corner[i][r]);
                assert_true(last[r] == corner[(i + 1) % 4][r]);
            }
            for (size_t e = 0; e + 1 < line->count; e++)
                assert_int_equal(line->edge[e].node[1], line->edge[e + 1].node[0]);
            for (size_t e = 0; e < line->count && line->edge[e].count == 3; e++)
                for (size_t r = 0; r < 2; r++)
                    assert_near(
                        mesh.place[2 * line->edge[e].node[2] + r],
                        0.5 * (mesh.place[2 * line->edge[e].node[0] + r] + mesh.place[2 * line->edge[e].node[1] + r]),
                        0.0);
        }
        assert_true(am_solid_mesh_find_line(&mesh, "slider.middle") == SIZE_MAX);
        am_solid_mesh_clear(&mesh);
    }
}

static void a_second_block_of_the_same_name_is_refused(void **unused) {
    (void)unused;
    am_solid_mesh mesh = two_blocks(AM_QUAD4);
    static const double x[] = {0.0, 1.0}, back[] = {1.0, 0.0};
    am_block_division unit = {2, x}, wrong = {2, back}, none = {1, x};
    am_error err = {0};
    assert_int_equal(am_block_mesh_add(&mesh, "base", &steel, AM_QUAD4, &unit, &unit, &err), AM_ERR_INPUT);
    assert_says(&err, "two bodies are called 'base'");
    assert_int_equal(am_block_mesh_add(&mesh, "new", &steel, AM_QUAD4, &unit, &wrong, &err), AM_ERR_INPUT);
    assert_says(&err, "must increase");
    assert_int_equal(am_block_mesh_add(&mesh, "new", &steel, AM_QUAD4, &none, &unit, &err), AM_ERR_INPUT);
    assert_says(&err, "at least one element along x");
    am_solid_mesh_clear(&mesh);
}

static void turn_element_round(am_solid_mesh *mesh) {
    size_t *node = mesh->element[7].node, first = node[1];
    node[1] = node[3];
    node[3] = first;
}

static void fold_element(am_solid_mesh *mesh) { /* the upper right corner beyond the diagonal of the others */
    size_t node = mesh->element[7].node[2];
    mesh->place[2 * node] = 1.2;
    mesh->place[2 * node + 1] = 1.6;
}

static void flatten_row(am_solid_mesh *mesh) {
    for (size_t i = 0; i < mesh->nodes; i++)
        if (mesh->place[2 * i + 1] == 2.0)
            mesh->place[2 * i + 1] = 1.5;
}

static void lose_node(am_solid_mesh *mesh) {
    mesh->element[7].node[0] = 1000;
}

static void repeat_node(am_solid_mesh *mesh) {
    mesh->element[7].node[0] = mesh->element[7].node[1];
}

static void lose_body(am_solid_mesh *mesh) {
    mesh->element[7].body = 5;
}

static void free_node(am_solid_mesh *mesh) { /* the last element and its lines go, its outer corner stays */
    mesh->elements--;
    for (size_t i = 0; i < mesh->lines; i++)
        mesh->line[i].count = 1;
    mesh->line[6].edge[0] = mesh->line[6].edge[2];
}

static void turn_edge_round(am_solid_mesh *mesh) {
    size_t *node = mesh->line[4].edge[1].node, first = node[0];
    node[0] = node[1];
    node[1] = first;
}

static void move_edge(am_solid_mesh *mesh) {
    mesh->line[4].edge[1].element = 8;
}

static void move_edge_to_other_body(am_solid_mesh *mesh) {
    mesh->line[4].edge[1].element = 1;
}

static void empty_line(am_solid_mesh *mesh) {
    mesh->line[4].count = 0;
}

static void soften_body(am_solid_mesh *mesh) {
    mesh->body[1].modulus = -1.0;
}

static void thin_body(am_solid_mesh *mesh) {
    mesh->body[1].thickness = 0.0;
}

static void make_incompressible(am_solid_mesh *mesh) {
    mesh->body[1].poisson = 0.5;
}

static void lose_place(am_solid_mesh *mesh) {
    mesh->place[2 * mesh->element[7].node[2]] = NAN;
}

static void flawed_meshes_are_refused_with_element_body_and_place(void **unused) {
    (void)unused;
    static const struct {
        void (*spoil)(am_solid_mesh *);
        const char *words[2];
    } cases[] = {
        {turn_element_round, {"element 8 of body 'slider', near (1.75, 1.75)", "clockwise"}},
        {fold_element, {"element 8 of body 'slider', near", "folded"}},
        {flatten_row, {"element 7 of body 'slider'", "degenerate"}},
        {lose_node, {"element 8 of body 'slider'", "uses node 1001"}},
        {repeat_node, {"element 8 of body 'slider'", "twice"}},
        {lose_body, {"element 8", "only 2 bodies"}},
        {free_node, {"node 24 at (3, 4)", "belongs to no element"}},
        {turn_edge_round, {"line 'slider.bottom'", "body on the left"}},
        {move_edge, {"line 'slider.bottom'", "not a side of element 9"}},
        {move_edge_to_other_body, {"line 'slider.bottom' belongs to body 'slider'", "body 'base'"}},
        {empty_line, {"line 'slider.bottom'", "no sides"}},
        {soften_body, {"body 'slider'", "modulus"}},
        {thin_body, {"body 'slider'", "thickness"}},
        {make_incompressible, {"body 'slider'", "take 0.4999999"}},
        {lose_place, {"element 8 of body 'slider'", "not a finite number"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_solid_mesh mesh = two_blocks(AM_QUAD4);
        am_error err = {0};
        cases[i].spoil(&mesh);
        assert_int_equal(am_solid_mesh_check(&mesh, &err), AM_ERR_INPUT);
        assert_says(&err, cases[i].words[0]);
        assert_says(&err, cases[i].words[1]);
        am_solid_mesh_clear(&mesh);
    }
    am_solid_mesh nothing = {0};
    am_error err = {0};
    assert_int_equal(am_solid_mesh_check(&nothing, &err), AM_ERR_INPUT);
    assert_says(&err, "no elements");
}

static void a_mid_side_far_from_the_middle_is_refused(void **unused) {
    (void)unused;
    for (size_t s = 1; s < SHAPES; s++) {
        am_solid_mesh mesh = two_blocks(shapes[s]);
        const am_solid_edge *edge = &mesh.line[am_solid_mesh_find_line(&mesh, "slider.top")].edge[1];
        const double *from = mesh.place + 2 * edge->node[0], *to = mesh.place + 2 * edge->node[1];
        am_error refused = {0};
        mesh.place[2 * edge->node[2]] = from[0] + 0.3 * (to[0] - from[0]);
        GOOD(am_solid_mesh_check(&mesh, err));
        mesh.place[2 * edge->node[2]] = from[0] + 0.25 * (to[0] - from[0]);
        assert_int_equal(am_solid_mesh_check(&mesh, &refused), AM_ERR_INPUT);
        assert_says(&refused, "mid-side");
        am_solid_mesh_clear(&mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_growth_elements_are_equal),
        cmocka_unit_test(elements_grow_geometrically_from_a_fine_end),
        cmocka_unit_test(kept_places_are_corners_and_neighbours_keep_to_the_growth),
        cmocka_unit_test(random_places_are_met_without_jumps),
        cmocka_unit_test(a_mirrored_side_gets_mirrored_corners),
        cmocka_unit_test(impossible_divisions_are_refused),
        cmocka_unit_test(elements_that_vanish_beside_their_places_are_refused),
        cmocka_unit_test(blocks_have_the_nodes_elements_and_area_they_should),
        cmocka_unit_test(lines_walk_their_sides_with_the_body_on_the_left),
        cmocka_unit_test(a_second_block_of_the_same_name_is_refused),
        cmocka_unit_test(flawed_meshes_are_refused_with_element_body_and_place),
        cmocka_unit_test(a_mid_side_far_from_the_middle_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
