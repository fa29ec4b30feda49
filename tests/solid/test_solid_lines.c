/* Contact lines that turn corners, meet symmetry planes, supports and each other, or are circles made of facets. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engines/quasistatic/incremental.h"
#include "errors.h"
#include "math/sparse.h"
#include "near.h"
#include "solid/block_mesh.h"
#include "solid/solid.h"
#include "uniform.h"

enum { MOST_SUPPORTS = 4, MOST_LOADS = 3, MOST_CONTACTS = 2 };

typedef struct drawing {
    am_solid_mesh mesh;
    am_mesh_rigid rigid;
    am_mesh_support support[MOST_SUPPORTS];
    am_mesh_load load[MOST_LOADS];
    am_mesh_contact contact[MOST_CONTACTS];
    am_solid_def def;
    am_solid *solid;
    am_system *system;
    am_path_incremental path;
    double *q;
} drawing;

static const am_solid_body material = {.modulus = 3.0, .poisson = 0.3, .density = 1.0, .thickness = 2.0};

static size_t below(uint64_t *seed, size_t count) {
    return (size_t)uniform(seed, 0.0, (double)count);
}

/* ---- drawing ---- */

static void divide(double from, double to, size_t elements, uint64_t *seed, double *at) {
    for (size_t i = 0; i <= elements; i++) {
        double shift = i > 0 && i < elements && seed ? 0.5 * (uniform(seed, 0.0, 1.0) - 0.5) : 0.0;
        at[i] = from + (to - from) * ((double)i + shift) / (double)elements;
    }
}

/* With a seed elements differ in size. Returns the first of its nodes. */
static size_t add_block(drawing *d, const char *name, const am_solid_body *body, am_shape shape, const double box[4],
                        size_t along, size_t up, uint64_t *seed) {
    double x[128], y[64];
    size_t first = d->mesh.nodes;
    divide(box[0], box[1], along, seed, x);
    divide(box[2], box[3], up, NULL, y);
    GOOD(am_block_mesh_add(&d->mesh, name, body, shape, &(am_block_division){along + 1, x},
                           &(am_block_division){up + 1, y}, err));
    return first;
}

/* One line that runs along several. */
static void join_lines(drawing *d, const char *name, const char *one, const char *other) {
    const am_solid_line *from[2] = {&d->mesh.line[am_solid_mesh_find_line(&d->mesh, one)],
                                    &d->mesh.line[am_solid_mesh_find_line(&d->mesh, other)]};
    size_t count[2] = {from[0]->count, from[1]->count}, body = from[0]->body;
    am_solid_edge edge[256];
    memcpy(edge, from[0]->edge, count[0] * sizeof *edge);
    memcpy(edge + count[0], from[1]->edge, count[1] * sizeof *edge);
    am_solid_line *line;
    GOOD(am_solid_mesh_add_line(&d->mesh, name, body, count[0] + count[1], &line, err));
    memcpy(line->edge, edge, (count[0] + count[1]) * sizeof *edge);
}

static void support(drawing *d, const char *line, bool x, bool y) {
    d->support[d->def.support_count++] = (am_mesh_support){{.name = line}, {x, y}};
}

static void load(drawing *d, const char *line, double x, double y, bool grows) {
    d->load[d->def.load_count++] =
        (am_mesh_load){{.name = line}, {x, y}, grows ? am_function_ramp(0.0, 1.0) : am_function_constant(1.0)};
}

static am_mesh_contact *touch(drawing *d, const char *slave, const char *master, double friction) {
    am_mesh_contact *contact = &d->contact[d->def.contact_count++];
    *contact = (am_mesh_contact){
        .name = slave, .slave = slave, .master = master, .friction = {AM_FRICTION_COULOMB, .kinetic = friction}};
    return contact;
}

static am_status condense(drawing *d, am_error *err) {
    d->def.mesh = &d->mesh;
    d->def.rigid = &d->rigid;
    d->def.support = d->support;
    d->def.load = d->load;
    d->def.contact = d->contact;
    return am_solid_create(&d->solid, &d->def, err);
}

static am_status walk(drawing *d, size_t steps, am_error *err) {
    d->system = am_solid_system(d->solid, err);
    assert_non_null(d->system);
    d->q = am_memory_new(am_system_size(d->system), sizeof *d->q, err);
    am_status status = am_path_incremental_init(&d->path, d->system, err);
    if (!status)
        status = am_path_incremental_place(&d->path, 0.0, NULL, err);
    for (size_t i = 1; i <= steps && !status; i++)
        status = am_path_incremental_step(&d->path, (double)i / (double)steps, err);
    return status ? status : am_path_incremental_coordinates(&d->path, d->q, err);
}

static void erase(drawing *d) {
    if (d->system)
        am_path_incremental_clear(&d->path);
    am_system_free(d->system);
    am_memory_free(d->q);
    am_solid_free(d->solid);
    am_solid_mesh_clear(&d->mesh);
}

static am_shape any_shape(uint64_t *seed) {
    static const am_shape shapes[] = {AM_QUAD4, AM_QUAD8, AM_TRIANGLE6};
    return shapes[below(seed, 3)];
}

/* ---- corners ---- */

/* A parallelogram, so stiff that it does not bend down to it, on a wide base; its contact line runs along its underside
 * and up its side, which leans by `lean`: outwards, it looks at the base. P = 1, Q = `ratio` f P. */
static am_status lean_on(drawing *d, am_shape shape, double lean, double f, double ratio, uint64_t *seed,
                         am_error *err) {
    am_solid_body stiff = material;
    stiff.modulus = 3000.0;
    *d = (drawing){0};
    size_t first = add_block(d, "block", &stiff, shape, (double[]){0.0, 2.0, 0.0, 1.0}, 4 + below(seed, 6),
                             3 + below(seed, 3), seed);
    for (size_t i = first; i < d->mesh.nodes; i++)
        d->mesh.place[2 * i] += lean * d->mesh.place[2 * i + 1] * d->mesh.place[2 * i] / 2.0;
    add_block(d, "base", &stiff, shape, (double[]){-3.0, 6.0, -1.0, 0.0}, 15 + below(seed, 10), 2, seed);
    join_lines(d, "around", "block.bottom", "block.right");
    support(d, "base.bottom", true, true);
    load(d, "block.top", 0.0, -1.0, false);
    load(d, "block.bottom", ratio * f, 0.0, true); /* low, so that it does not tip over */
    touch(d, "around", "base.top", f);
    GOOD(condense(d, err));
    return walk(d, 4, err);
}

/* What friction holds is f P and no more, wherever the line goes when it has left the base: no node has a normal that
 * is half of the one side and half of the other. */
static void test_a_line_around_a_corner_holds_what_friction_holds(void **state) {
    (void)state;
    uint64_t seed = 20240801;
    for (int trial = 0; trial < 12; trial++) {
        am_shape shape = any_shape(&seed);
        double lean =
            tan((80.0 * uniform(&seed, 0.0, 1.0) - 25.0) * 3.14159265358979 / 180.0); /* turns by 35 to 115 degrees */
        double f = 0.1 + 0.5 * uniform(&seed, 0.0, 1.0);
        drawing d;
        uint64_t again = seed;
        am_error err = {0};
        GOOD(lean_on(&d, shape, lean, f, 0.995, &seed, err));
        double N = 0.0, T = 0.0;
        for (size_t i = 0; i < am_solid_contacts(d.solid); i++) {
            const am_solid_node *node = am_solid_node_at(d.solid, i);
            if (node->place[1] == 0.0)
                assert_true(node->normal[0] == 0.0 && node->normal[1] == 1.0);
            N += node->normal[1] * d.path.normal[i] + node->tangent[1] * d.path.tangential[i];
            T += node->normal[0] * d.path.normal[i] + node->tangent[0] * d.path.tangential[i];
        }
        assert_near(N, 1.0, 1e-10);
        assert_near(T, -0.995 * f, 1e-10);
        erase(&d);
        assert_int_not_equal(lean_on(&d, shape, lean, f, 1.005, &again, &err), AM_OK);
        assert_says(&err, "slides as a whole");
        erase(&d);
    }
}

/* A block in a corner of rigid walls, squeezed evenly from both sides: a constant stress, which every node bears with
 * its own side's pressure, the two next to the corner with what the corner would bear as well. The whole may be turned.
 * Rounding only. */
static void test_even_pressures_pass_on_both_sides_of_a_corner(void **state) {
    (void)state;
    uint64_t seed = 77;
    for (int trial = 0; trial < 12; trial++) {
        drawing d = {0};
        double p[2] = {1.0 + uniform(&seed, 0.0, 1.0), 1.0 + uniform(&seed, 0.0, 1.0)},
               angle = 6.3 * uniform(&seed, 0.0, 1.0);
        double c = cos(angle), s = sin(angle), width = 2.0, height = 1.5, t = material.thickness;
        add_block(&d, "block", &material, any_shape(&seed), (double[]){0.0, width, 0.0, height}, 2 + below(&seed, 5),
                  2 + below(&seed, 5), &seed);
        for (size_t i = 0; i < d.mesh.nodes; i++) {
            double x = d.mesh.place[2 * i], y = d.mesh.place[2 * i + 1];
            d.mesh.place[2 * i] = c * x - s * y;
            d.mesh.place[2 * i + 1] = s * x + c * y;
        }
        load(&d, "block.top", p[0] * width * t * s, -p[0] * width * t * c, false);
        load(&d, "block.left", p[1] * height * t * c, p[1] * height * t * s, false);
        bool one = trial % 2; /* one line around the corner, or two that meet there */
        if (one) {
            join_lines(&d, "around", "block.bottom", "block.right");
            touch(&d, "around", NULL, 0.0);
        } else {
            touch(&d, "block.bottom", NULL, 0.0);
            touch(&d, "block.right", NULL, 0.0);
        }
        GOOD(condense(&d, err));
        GOOD(walk(&d, 1, err));
        double length[2] = {0.0, 0.0};
        for (size_t i = 0; i < am_solid_contacts(d.solid); i++) {
            const am_solid_node *node = am_solid_node_at(d.solid, i);
            size_t side = fabs(node->normal[0] * c + node->normal[1] * s) > 0.5;
            assert_near(d.path.normal[i] / node->area, p[side], 1e-11);
            assert_near(d.path.tangential[i] / node->area, 0.0, 1e-11);
            length[side] += node->area / t;
        }
        assert_near(length[0], width, 1e-12);
        assert_near(length[1], height, 1e-12);
        erase(&d);
    }
}

/* ---- symmetry planes ---- */

/* Blocks from `left` to `right` on top of each other, pressed unevenly but symmetrically, with a curved gap; the half
 * has its plane at x = 0. Elements mirror those of the half. */
static void press_blocks(drawing *d, bool half, am_shape shape, const size_t n[4], const double *numbers) {
    const am_solid_body upper = {.modulus = 1.0 + numbers[0], .poisson = 0.1 + 0.3 * numbers[1], .thickness = 1.0};
    const am_solid_body lower = {.modulus = 2.0 + numbers[2], .poisson = 0.1 + 0.3 * numbers[3], .thickness = 1.0};
    double from = half ? 0.0 : -1.0;
    size_t times = half ? 1 : 2;
    *d = (drawing){0};
    add_block(d, "slider", &upper, shape, (double[]){from, 1.0, 0.0, 0.7}, times * n[0], n[1], NULL);
    add_block(d, "base", &lower, shape, (double[]){1.5 * from, 1.5, -1.0, 0.0}, times * n[2], n[3], NULL);
    support(d, "base.bottom", numbers[4] < 0.5, true);
    if (half || numbers[4] >= 0.5)
        support(d, "slider.left", half, false);
    support(d, "base.left", half, false);
    load(d, "slider.top", 0.0, -0.05 * (double)times, true);
    touch(d, "slider.bottom", "base.top", 0.6 * numbers[5])->curvature = 0.1 * numbers[6];
    if (!half && numbers[4] >= 0.5) /* the whole is held along x where its plane of symmetry is */
        d->support[1] = (am_mesh_support){{.name = "base.bottom", .point = true, .at = {0.0, -1.0}}, {true, false}};
}

/* The right half of the whole model and the half model: the same tractions, slips and gaps. */
static void test_a_half_model_is_half_of_the_whole(void **state) {
    (void)state;
    uint64_t seed = 4711;
    for (int trial = 0; trial < 10; trial++) {
        static const am_shape shapes[] = {AM_QUAD4, AM_QUAD8};
        am_shape shape = shapes[below(&seed, 2)];
        size_t n[4], steps = 5;
        double numbers[7];
        for (size_t i = 0; i < 4; i++)
            n[i] = 3 + below(&seed, 5);
        for (size_t i = 0; i < 7; i++)
            numbers[i] = uniform(&seed, 0.0, 1.0);
        drawing half, whole;
        press_blocks(&half, true, shape, n, numbers);
        press_blocks(&whole, false, shape, n, numbers);
        GOOD(condense(&half, err));
        GOOD(condense(&whole, err));
        GOOD(walk(&half, steps, err));
        GOOD(walk(&whole, steps, err));
        size_t m = am_solid_contacts(half.solid), all = am_solid_contacts(whole.solid);
        assert_int_equal(all, 2 * m - 1);
        for (size_t i = 0; i < m; i++) {
            size_t j = m - 1 + i;
            const am_solid_node *one = am_solid_node_at(half.solid, i), *other = am_solid_node_at(whole.solid, j);
            assert_near(one->place[0], other->place[0], 1e-14);
            assert_near(one->area, other->area * (i ? 1.0 : 0.5), 1e-14);
            /* both are condensed with rounding of 1e-12 of stiffnesses of 1; pressures are 0.05 */
            assert_near(half.path.normal[i] / one->area, whole.path.normal[j] / other->area, 1e-11);
            assert_near(half.path.tangential[i] / one->area, whole.path.tangential[j] / other->area, 1e-11);
            assert_near(half.q[i], whole.q[j], 1e-11);
            assert_near(half.q[m + i], whole.q[all + j], 1e-11);
        }
        assert_true(half.q[0] == 0.0 && half.path.tangential[0] == 0.0);
        erase(&half);
        erase(&whole);
    }
}

/* A node of the contact line that is held in the way of a slip, opposite to one that is not, bears no contact: its
 * neighbours bear its share, and a constant stress still passes. The right side grows freely. */
static void test_even_pressure_passes_beside_a_node_that_is_held(void **state) {
    (void)state;
    static const am_shape shapes[] = {AM_QUAD4, AM_QUAD8, AM_TRIANGLE6};
    for (size_t k = 0; k < 3; k++) {
        drawing d = {0};
        add_block(&d, "slider", &material, shapes[k], (double[]){0.0, 3.0, 0.0, 1.0}, 5, 3, NULL);
        add_block(&d, "base", &material, shapes[k], (double[]){0.0, 3.0, -1.0, 0.0}, 7, 3, NULL);
        support(&d, "slider.left", true, false);
        support(&d, "base.bottom", false, true);
        d.support[d.def.support_count++] =
            (am_mesh_support){{.name = "base.bottom", .point = true, .at = {0.0, -1.0}}, {true, false}};
        load(&d, "slider.top", 0.0, -6.0, false);
        touch(&d, "slider.bottom", "base.top", 0.3);
        GOOD(condense(&d, err));
        GOOD(walk(&d, 1, err));
        double length = 0.0;
        for (size_t i = 0; i < am_solid_contacts(d.solid); i++) {
            const am_solid_node *node = am_solid_node_at(d.solid, i);
            assert_true(node->place[0] > 0.0);
            assert_near(d.path.normal[i] / node->area, 1.0, 1e-11);
            assert_near(d.path.tangential[i] / node->area, 0.0, 1e-11);
            length += node->area / material.thickness;
        }
        assert_near(length, 3.0, 1e-12);
        erase(&d);
    }
}

static void test_a_line_that_is_held_everywhere_is_refused(void **state) {
    (void)state;
    drawing d = {0};
    am_error err = {0};
    add_block(&d, "slider", &material, AM_QUAD4, (double[]){0.0, 3.0, 0.0, 1.0}, 3, 2, NULL);
    support(&d, "slider.bottom", true, true);
    touch(&d, "slider.bottom", NULL, 0.3);
    assert_int_equal(condense(&d, &err), AM_ERR_INPUT);
    assert_says(&err, "no node between (0, 0) and (1, 0) of contact line slider.bottom is left for the contact");
    erase(&d);
}

/* ---- circles ---- */

/* Bends a block, x from 0 to 1 and y the radius, to a sector from `first` on, over `angle`, walked clockwise so that
 * elements stay counterclockwise. */
static void bend(drawing *d, size_t from, double first, double angle) {
    for (size_t i = from; i < d->mesh.nodes; i++) {
        double at = first - angle * d->mesh.place[2 * i], r = d->mesh.place[2 * i + 1];
        d->mesh.place[2 * i] = r * cos(at);
        d->mesh.place[2 * i + 1] = r * sin(at);
    }
}

static const double right_angle = 1.57079632679489662;

/* A quarter of a ring inside of another one, with a clearance, each of facets of its own number. */
static void nest_rings(drawing *d, am_shape shape, size_t inner, size_t outer, double clearance, uint64_t *seed) {
    *d = (drawing){0};
    size_t first = add_block(d, "pin", &material, shape, (double[]){0.0, 1.0, 0.5, 1.0}, inner, 4, seed);
    bend(d, first, right_angle, right_angle);
    first = add_block(d, "ring", &material, shape, (double[]){0.0, 1.0, 1.0 + clearance, 2.0}, outer, 6, seed);
    bend(d, first, right_angle, right_angle);
    support(d, "pin.left", true, false); /* the plane x = 0, and y = 0 below */
    support(d, "ring.left", true, false);
    support(d, "pin.right", false, true);
    support(d, "ring.right", false, true);
}

/* Facets of a circle of radius R overlap those of the other side by up to a sag h^2/8R. The gap is that of the circles:
 * what is left are parts of the sag times the square of a facet's angle (the curve between nodes is a parabola), and
 * at the ends of lines, where curvature is guessed from one side, about as much again. */
static void test_gaps_of_facets_are_those_of_circles(void **state) {
    (void)state;
    uint64_t seed = 31;
    for (int trial = 0; trial < 30; trial++) {
        size_t inner = 6 + below(&seed, 30), outer = trial % 3 ? 6 + below(&seed, 30) : inner;
        double clearance = trial % 4 ? 0.01 * uniform(&seed, 0.0, 1.0) : 0.0;
        drawing d;
        nest_rings(&d, AM_QUAD4, inner, outer, clearance, trial % 2 ? &seed : NULL);
        touch(&d, trial % 5 ? "pin.top" : "ring.bottom", trial % 5 ? "ring.bottom" : "pin.top", 0.3);
        GOOD(condense(&d, err));
        double facet = right_angle / (double)(inner < outer ? inner : outer) * (trial % 2 ? 1.5 : 1.0);
        double sag = facet * facet / 8.0;
        for (size_t i = 0; i < am_solid_contacts(d.solid); i++)
            assert_near(am_solid_node_at(d.solid, i)->gap, clearance, sag * facet * facet + 1e-9);
        erase(&d);
    }
}

/* The ring pressed on its pin, a quarter of it between two planes of symmetry: facets of four-node elements against
 * quadratic ones that follow the circle. */
static double squeeze(am_shape shape, size_t inner, size_t outer, double *total) {
    drawing d;
    nest_rings(&d, shape, inner, outer, 0.001, NULL);
    load(&d, "ring.top", 0.0, -0.02, true);
    touch(&d, "pin.top", "ring.bottom", 0.0);
    GOOD(condense(&d, err));
    GOOD(walk(&d, 8, err));
    double most = 0.0;
    *total = 0.0;
    for (size_t i = 0; i < am_solid_contacts(d.solid); i++) {
        const am_solid_node *node = am_solid_node_at(d.solid, i);
        most = fmax(most, d.path.normal[i] / node->area);
        *total += d.path.normal[i];
    }
    erase(&d);
    return most;
}

static void test_facets_bear_what_circles_bear(void **state) {
    (void)state;
    double total[3], smooth = squeeze(AM_QUAD8, 24, 30, &total[0]);
    static const size_t facets[2][2] = {{40, 40}, {40, 53}};
    for (size_t k = 0; k < 2; k++) {
        double most = squeeze(AM_QUAD4, facets[k][0], facets[k][1], &total[1 + k]);
        assert_near(most, smooth, 0.02 * smooth); /* elements of four nodes, whose stresses err by the first order */
        assert_near(total[1 + k], total[0], 0.01 * total[0]);
    }
}

/* A real overlap stays a mistake, and the sentence says what helps. */
static void test_an_overlap_is_refused_with_what_helps(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 4; trial++) {
        drawing d;
        am_error err = {0};
        if (trial < 2) {
            nest_rings(&d, trial ? AM_QUAD4 : AM_QUAD8, 12, 17, -0.01, &seed);
        } else { /* flat: nothing excuses even a small one */
            d = (drawing){0};
            add_block(&d, "pin", &material, AM_QUAD4, (double[]){0.0, 1.0, 0.0, 1.0}, 4, 2, &seed);
            add_block(&d, "ring", &material, AM_QUAD4, (double[]){-1.0, 2.0, -1.0, 3e-6}, 9, 2, &seed);
            support(&d, "ring.bottom", true, true);
        }
        const char *slave = trial < 2 ? "pin.top" : "pin.bottom", *master = trial < 2 ? "ring.bottom" : "ring.top";
        touch(&d, slave, master, 0.3)->flush = trial == 3;
        am_status status = condense(&d, &err);
        assert_int_equal(status, trial == 3 ? AM_OK : AM_ERR_INPUT);
        if (trial < 3) {
            assert_string_equal(err.field, "contacts[0].gap");
            assert_says(&err, "`flush: true`");
            assert_says(&err, trial == 2 ? "overlaps ring.top by 3e-06 at (0, 0)" : "overlaps ring.bottom by 0.0");
        }
        erase(&d);
    }
}

int main(void) {
    if (!am_sparse_available())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_around_a_corner_holds_what_friction_holds),
        cmocka_unit_test(test_even_pressures_pass_on_both_sides_of_a_corner),
        cmocka_unit_test(test_a_half_model_is_half_of_the_whole),
        cmocka_unit_test(test_even_pressure_passes_beside_a_node_that_is_held),
        cmocka_unit_test(test_a_line_that_is_held_everywhere_is_refused),
        cmocka_unit_test(test_gaps_of_facets_are_those_of_circles),
        cmocka_unit_test(test_facets_bear_what_circles_bear),
        cmocka_unit_test(test_an_overlap_is_refused_with_what_helps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
