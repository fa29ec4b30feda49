/* Pairs of nodes by their places: normals, tangents, areas, contacts; and what is refused. */
#include "amontons/system.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cases.h"
#include "errors.h"
#include "near.h"
#include "uniform.h"

enum { SIDE = 4, NODES = SIDE * SIDE, FACES = (SIDE - 1) * (SIDE - 1) };

/* A rectangular grid of nodes, turned and moved in space; the other side has them in another order and a little off. */
typedef struct rig {
    double axis[3][3]; /* of its plane, and across it: into the body of `from` */
    double place[2][3 * NODES];
    double inside[3 * NODES];
    long number[2][NODES];
    am_interface_face face[FACES];
    am_interface_def def;
} rig;

static void turn(double axis[3][3], uint64_t *seed) {
    double a = uniform(seed, 0.0, 6.0), b = uniform(seed, 0.0, 3.0), c = uniform(seed, 0.0, 6.0);
    double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
    double q[3][3] = {{ca * cc - sa * cb * sc, sa * cc + ca * cb * sc, sb * sc},
                      {-ca * sc - sa * cb * cc, -sa * sc + ca * cb * cc, sb * cc},
                      {sa * sb, -ca * sb, cb}};
    memcpy(axis, q, sizeof q);
}

static void build(rig *r, uint64_t *seed, double off) {
    *r = (rig){.def = am_interface_def_default()};
    turn(r->axis, seed);
    for (size_t i = 0; i < NODES; i++) {
        double u = 2.0 * (double)(i % SIDE), v = 1.5 * (double)(i / SIDE);
        size_t other = (5 * i + 3) % NODES; /* 5 has no factor in common with 16 */
        r->number[0][i] = 51 + (long)i;
        r->number[1][other] = 1051 + (long)i;
        for (size_t k = 0; k < 3; k++) {
            r->place[0][3 * i + k] = 7.0 + u * r->axis[0][k] + v * r->axis[1][k];
            r->place[1][3 * other + k] = r->place[0][3 * i + k] - off * r->axis[2][k];
            r->inside[3 * i + k] = r->axis[2][k] + uniform(seed, -0.3, 0.3) * r->axis[0][k];
        }
    }
    for (size_t f = 0; f < FACES; f++) {
        size_t corner = f % (SIDE - 1) + SIDE * (f / (SIDE - 1));
        bool back = f % 2; /* faces that turn either way */
        r->face[f] = (am_interface_face){
            4, {corner, back ? corner + SIDE : corner + 1, corner + SIDE + 1, back ? corner + 1 : corner + SIDE}};
    }
    r->def.from = (am_interface_nodes){NODES, r->number[0], r->place[0]};
    r->def.to = (am_interface_nodes){NODES, r->number[1], r->place[1]};
    r->def.inside = r->inside;
}

static am_interface *create(const am_interface_def *def) {
    am_error err = {0};
    am_interface *interface = am_interface_create(def, &err);
    if (!interface)
        fail_msg("%s", err.message);
    return interface;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Node 51 + i moves at coordinates 3 i .. 3 i + 2, its partner 48 further on; direction 2 of node 51 does not move. */
static size_t coordinate(const void *mesh, long node, int direction) {
    (void)mesh;
    if (node == 51 && direction == 2)
        return SIZE_MAX;
    return (size_t)(node > 1000 ? 48 + 3 * (node - 1051) : 3 * (node - 51)) + (size_t)direction - 1;
}

static void check_pair(const am_interface *interface, const rig *r, size_t i, bool faces, double off) {
    const am_interface_pair *pair = am_interface_pair_at(interface, i);
    double corner = i == 0 || i == SIDE - 1 || i == NODES - SIDE || i == NODES - 1;
    double edge = i % SIDE == 0 || i % SIDE == SIDE - 1 || i / SIDE == 0 || i / SIDE == SIDE - 1;
    assert_int_equal(pair->from, 51 + (long)i);
    assert_int_equal(pair->to, 1051 + (long)i);
    assert_near(pair->area, !faces ? 0.0 : corner ? 0.75 : edge ? 1.5 : 3.0, 1e-13);
    assert_near(pair->distance, off, 1e-13); /* roundings of places near 10 */
    for (size_t k = 0; k < 3; k++)
        assert_near(pair->normal[k], r->axis[2][k], 1e-13);
    for (int t = 0; t < 2; t++) {
        assert_near(dot(pair->tangent[t], pair->normal), 0.0, 1e-14);
        assert_near(dot(pair->tangent[t], pair->tangent[t]), 1.0, 1e-14);
    }
    assert_near(dot(pair->tangent[0], pair->tangent[1]), 0.0, 1e-14);
}

static void pairs_follow_from_places(void **state) {
    uint64_t seed = 41;
    (void)state;
    for (size_t round = 0; round < CASES(20, 4); round++) {
        rig r;
        am_error err = {0};
        bool faces = round % 2;
        double off = round % 4 < 2 ? 0.0 : 0.01;
        build(&r, &seed, off);
        r.def.tolerance = 0.02;
        r.def.faces = faces ? r.face : NULL;
        r.def.face_count = faces ? FACES : 0;
        r.def.per_area = faces;
        r.def.gap_of_mesh = true;
        r.def.contact.normal_law = AM_KELVIN_VOIGT;
        r.def.contact.contact_stiffness = 100.0;
        r.def.contact.tangential_stiffness = 10.0;
        r.def.contact.gap = 0.5;
        am_interface *interface = create(&r.def);
        const am_contact_def *contacts = am_interface_contacts(interface, 96, coordinate, NULL, &err);
        assert_non_null(contacts);
        assert_int_equal(am_interface_count(interface), NODES);
        for (size_t i = 0; i < NODES; i++) {
            const am_interface_pair *pair = am_interface_pair_at(interface, i);
            double share = faces ? pair->area : 1.0;
            check_pair(interface, &r, i, faces, off);
            assert_near(contacts[i].gap, 0.5 + pair->distance, 1e-15);
            assert_near(contacts[i].contact_stiffness, 100.0 * share, 1e-12);
            assert_near(contacts[i].tangential_stiffness, 10.0 * share, 1e-13);
            for (size_t j = 0; j < 96; j++) {
                size_t own = j / 3 % 16, k = j % 3;
                double sign = own != i || (i == 0 && j == 1) ? 0.0 : j < 48 ? 1.0 : -1.0;
                assert_near(contacts[i].normal[j], sign * pair->normal[k], 0.0);
                assert_near(contacts[i].tangent[j], sign * pair->tangent[0][k], 0.0);
                assert_near(contacts[i].second_tangent[j], sign * pair->tangent[1][k], 0.0);
            }
        }
        assert_string_equal(contacts[0].name, "pair 51-1051");
        am_interface_free(interface);
    }
}

/* Nodes on a cylinder, which no plane fits: faces give radial normals, of either sign. */
static void faces_give_curved_normals(void **state) {
    enum { ROUND = 12 };
    double place[6 * ROUND], inside[6 * ROUND];
    long number[2 * ROUND];
    am_interface_face face[ROUND];
    am_error err = {0};
    (void)state;
    for (size_t i = 0; i < 2 * ROUND; i++) {
        double angle = 2.0 * acos(-1.0) * (double)(i % ROUND) / ROUND;
        number[i] = (long)i;
        double at[3] = {cos(angle), sin(angle), i < ROUND ? 0.0 : 2.0};
        for (size_t k = 0; k < 3; k++) {
            place[3 * i + k] = at[k];
            inside[3 * i + k] = k < 2 ? -at[k] : 0.3; /* a shaft, seen askew */
        }
        if (i < ROUND)
            face[i] = (am_interface_face){4, {i, (i + 1) % ROUND, ROUND + (i + 1) % ROUND, ROUND + i}};
    }
    am_interface_def def = am_interface_def_default();
    def.from = (am_interface_nodes){2 * ROUND, number, place};
    def.inside = inside;
    assert_null(am_interface_create(&def, &err));
    assert_blames(&err, "normal", "do not lie in a plane");
    def.faces = face;
    def.face_count = ROUND;
    def.per_area = true;
    am_interface *interface = create(&def);
    for (size_t i = 0; i < 2 * ROUND; i++) {
        const am_interface_pair *pair = am_interface_pair_at(interface, i);
        for (size_t k = 0; k < 3; k++)
            assert_near(pair->normal[k], k < 2 ? -place[3 * i + k] : 0.0, 1e-14);
        assert_near(pair->area, 2.0 * sin(acos(-1.0) / ROUND), 1e-14); /* half of two facets of length 2 */
    }
    assert_string_equal(am_interface_contact(interface, 5)->name, "node 5");
    am_interface_free(interface);
}

/* In the plane: edges, one tangent. A pressure on held contacts becomes forces, tables included. */
static void edges_and_pressures(void **state) {
    const double place[9] = {0, 0, 0, 1, 0, 0, 3, 0, 0}, inside[9] = {0, -1, 0, 0, -1, 0, 0, -1, 0};
    const long number[3] = {1, 2, 3};
    const am_interface_face edge[2] = {{2, {0, 1}}, {2, {2, 1}}};
    const double times[2] = {0, 1}, values[2] = {2, 4};
    const am_function sine = am_function_sine(2.0, 1.0, 0.5);
    am_function table = am_function_table(2, times, values);
    am_interface_def def = am_interface_def_default();
    (void)state;
    def.from = (am_interface_nodes){3, number, place};
    def.inside = inside;
    def.plane = def.per_area = true;
    def.faces = edge;
    def.face_count = 2;
    def.contact.normal_law = AM_HELD;
    def.contact.hold = am_function_ramp(1.0, 3.0);
    def.contact.hold.plus = &table;
    table.plus = &sine;
    am_interface *interface = create(&def);
    const double areas[3] = {0.5, 1.5, 1.0};
    for (size_t i = 0; i < 3; i++) {
        const am_interface_pair *pair = am_interface_pair_at(interface, i);
        assert_near(pair->area, areas[i], 0.0);
        assert_near(pair->normal[1], -1.0, 0.0);
        assert_near(pair->tangent[0][0], 1.0, 0.0);
        assert_near(dot(pair->tangent[1], pair->tangent[1]), 0.0, 0.0);
        assert_near(am_function_at(&am_interface_contact(interface, i)->hold, 0.5),
                    areas[i] * (2.5 + 3.0 + 2.0 * sin(1.0)), 4e-15);
    }
    am_interface_free(interface);
}

static void directions_may_be_given(void **state) {
    uint64_t seed = 3;
    rig r;
    const double normal[3] = {0, 0, 2}, first[3] = {1, 1, 5}, second[3] = {0, -1, 0};
    (void)state;
    build(&r, &seed, 0.0);
    r.def.normal = normal;
    r.def.tangent = first;
    am_interface *interface = create(&r.def);
    const am_interface_pair *pair = am_interface_pair_at(interface, 0);
    assert_near(pair->normal[2], 1.0, 0.0);
    assert_near(pair->tangent[0][0], sqrt(0.5), 1e-15);
    assert_near(pair->tangent[0][2], 0.0, 0.0);
    assert_near(dot(pair->tangent[1], pair->tangent[1]), 0.0, 0.0); /* one direction was given */
    am_interface_free(interface);
    r.def.second_tangent = second;
    interface = create(&r.def);
    pair = am_interface_pair_at(interface, 0);
    assert_near(pair->tangent[1][0], sqrt(0.5), 1e-15);
    assert_near(pair->tangent[1][1], -sqrt(0.5), 1e-15);
    am_interface_free(interface);
    r.def.frictionless = true;
    interface = create(&r.def);
    pair = am_interface_pair_at(interface, 0);
    assert_near(dot(pair->tangent[0], pair->tangent[0]), 0.0, 0.0);
    am_interface_free(interface);
}

static void refuse(const am_interface_def *def, const char *field, const char *says) {
    am_error err = {0};
    if (am_interface_create(def, &err))
        fail_msg("was not refused: %s", says);
    assert_blames(&err, field, says);
}

static void what_does_not_meet_is_named(void **state) {
    uint64_t seed = 5;
    rig r, bad;
    const double zero[3] = {0, 0, 0}, along[3] = {1, 0, 0};
    (void)state;
    build(&r, &seed, 0.0);
    bad = r;
    bad.def.from.place = bad.place[0];
    for (size_t i = 3; i < 5; i++)
        bad.place[0][3 * i] += 0.1;
    refuse(&bad.def, "from", ": 54, 55 (node 1054 is 0.1 away, the nearest to node 54)");
    bad.def.from = (am_interface_nodes){NODES - 1, r.number[0], r.place[0]};
    bad.def.to.place = r.place[1];
    refuse(&bad.def, "to", "1 node of `to` has no partner in `from` within");
    bad.def.from.count = NODES;
    bad.def.tolerance = 5.0;
    bad.def.to.count = NODES - 1;
    refuse(&bad.def, "tolerance", "have the same partner");
    bad.def = r.def;
    bad.def.inside = NULL;
    refuse(&bad.def, "normal", "on which side");
    double flat[3 * NODES] = {0};
    bad.def.inside = flat;
    refuse(&bad.def, "normal", "give `normal`, from `to` into the body");
    bad.def = r.def;
    bad.def.normal = zero;
    refuse(&bad.def, "normal", "not zero");
    bad.def.normal = bad.def.tangent = along;
    refuse(&bad.def, "tangent", "along the normal");
    bad.def = r.def;
    bad.def.per_area = true;
    refuse(&bad.def, "per", "need the faces");
    bad.def.faces = r.face;
    bad.def.face_count = 1;
    bad.def.normal = along;
    refuse(&bad.def, "per", "12 nodes of `from` lie on no face of the surface and have no area: 53, 54, 57");
    bad.def = r.def;
    bad.def.from.count = 2;
    bad.def.to.count = 0;
    refuse(&bad.def, "normal", "span no surface");
    bad.def.from.count = 0;
    refuse(&bad.def, "from", "needs nodes");
    bad.def.from = (am_interface_nodes){3, NULL, r.place[0]};
    refuse(&bad.def, "from", "need numbers and places");
    bad = r;
    bad.def.to.place = bad.place[1];
    bad.place[1][5] = NAN;
    refuse(&bad.def, "to", "is not finite");
    bad.def = r.def;
    bad.def.face_count = 1;
    refuse(&bad.def, "faces", "no list of them");
    bad.face[0].node[2] = NODES;
    bad.def.faces = bad.face;
    refuse(&bad.def, "faces", "face 0");
    bad.def = r.def;
    bad.def.tolerance = -1.0;
    refuse(&bad.def, "tolerance", "zero or positive");
    am_error err = {0};
    am_interface *interface = create(&r.def);
    assert_null(am_interface_contacts(interface, 40, coordinate, NULL, &err));
    assert_says(&err, "there is no coordinate");
    assert_null(am_interface_pair_at(interface, NODES));
    assert_null(am_interface_create(NULL, &err));
    am_interface_free(interface);
    am_interface_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_follow_from_places),    cmocka_unit_test(faces_give_curved_normals),
        cmocka_unit_test(edges_and_pressures),         cmocka_unit_test(directions_may_be_given),
        cmocka_unit_test(what_does_not_meet_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
