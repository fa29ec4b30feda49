/* Interfaces of studies: two blocks one on the other, from an input deck, tables and meshes of Gmsh. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "scratch.h"

/* The lower block has the nodes 1 to 8 (x 0 and 2, y 0 and 1, z 0 and 1), the upper one 11 to 18 (z 1 and 2); each is a
 * column of springs over each corner, and stands on the ground by its own springs. */
static const char *const deck =
    "*NODE, NSET=ALL\n1, 0, 0, 0\n2, 2, 0, 0\n3, 2, 1, 0\n4, 0, 1\n5, 0, 0, 1\n6, 2, 0, 1\n7, 2, 1, 1\n8, 0, 1, 1\n"
    "*NODE\n11, 0, 0, 1\n12, 2, 0, 1\n13, 2, 1, 1\n14, 0, 1, 1\n15, 0, 0, 2\n16, 2, 0, 2\n17, 2, 1, 2\n18, 0, 1, 2\n"
    "*ELEMENT, TYPE=C3D8R, ELSET=E\n1, 1, 2, 3, 4, 5, 6,\n7, 8\n2, 11, 12, 13, 14, 15, 16, 17, 18\n"
    "*ELEMENT OUTPUT\nE\n*NSET, NSET=LOWER\n5, 6, 7, 8\n*NSET, NSET=UPPER\n14, 13, 12, 11\n*NSET, "
    "NSET=TOP\n15,16,17,18\n";

static void write_files(void) {
    char k[8192] = "", m[4096] = "";
    for (int body = 0; body < 2; body++)
        for (int c = 1; c <= 4; c++)
            for (int d = 1; d <= 3; d++) {
                int low = 10 * body + c, high = low + 4;
                snprintf(k + strlen(k), sizeof k - strlen(k), "%d,%d, %d,%d, 5\n%d,%d, %d,%d, %d\n%d,%d, %d,%d, -%d\n",
                         low, d, low, d, high, d, high, d, 3 + d, high, d, low, d, d);
                snprintf(m + strlen(m), sizeof m - strlen(m), "%d,%d, %d,%d, 1\n%d,%d, %d,%d, 2\n", low, d, low, d,
                         high, d, high, d);
            }
    write_scratch("k.mtx", k);
    write_scratch("m.mtx", m);
    write_scratch("blocks.inp", deck);
    write_scratch("blocks.csv", "node,x,y,z,set\n5,0,0,1,LOWER\n6,2,0,1,LOWER\n7,2,1,1,LOWER\n8,0,1,1,LOWER\n"
                                "11,0,0,1,UPPER\n12,2,0,1,UPPER\n13,2,1,1,UPPER\n14,0,1,1,UPPER\n"
                                "15,0,0,2,TOP\n16,2,0,2,TOP\n17,2,1,2,TOP\n18,0,1,2,TOP\n");
}

#define MODEL                                                                                                          \
    "model:\n  kind: structure\n  stiffness: {file: k.mtx}\n  mass: {file: m.mtx}\n  sets: {file: blocks.inp}\n"

static am_study *parse(const char *text, am_error *err) {
    return am_study_parse(in_scratch("s.yaml"), text, 0, NULL, false, err);
}

static am_study *good(const char *text) {
    am_error err = {0};
    am_study *study = parse(text, &err);
    if (!study)
        fail_msg("%s", err.message);
    return study;
}

static size_t find(const am_system *system, const char *name) {
    for (size_t i = 0; i < am_system_size(system); i++)
        if (strcmp(am_system_name(system, i), name) == 0)
            return i;
    fail_msg("there is no coordinate %s", name);
    return 0;
}

/* One row: 1 at a label of `one`, -1 at that of `other`. */
static void check_row(const am_system *system, const double *row, long one, long other, int direction) {
    char first[16], second[16];
    snprintf(first, sizeof first, "%ld.%d", one, direction);
    snprintf(second, sizeof second, "%ld.%d", other, direction);
    size_t plus = find(system, first), minus = other ? find(system, second) : am_system_size(system);
    for (size_t i = 0; i < am_system_size(system); i++)
        assert_near(row[i], i == plus ? 1.0 : i == minus ? -1.0 : 0.0, 0.0);
}

static void pairs_become_contacts(void **state) {
    static const char *const ways[] = {
        MODEL "  interfaces: [{from: UPPER, to: LOWER, per: area, LAW}]\n",
        MODEL "  nodes: {file: surface.msh}\n  interfaces: [{from: [14, 13, 12, 11], to: LOWER, per: area, LAW}]\n",
        "model:\n  kind: structure\n  stiffness: {file: k.mtx}\n  mass: {file: m.mtx}\n  sets: {file: blocks.csv}\n"
        "  interfaces: [{from: UPPER, to: LOWER, per: area, surface: {file: only.msh}, LAW}]\n",
        "model:\n  kind: structure\n  stiffness: {file: k.mtx}\n  mass: {file: m.mtx}\n  sets: {file: blocks.csv}\n"
        "  interfaces: [{from: UPPER, to: LOWER, per: area, surface: {file: four.msh}, LAW}]\n"};
    (void)state;
    write_files();
    /* The same nodes with the surfaces of the upper block alone, format 2.2, in triangles. */
    write_scratch(
        "surface.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n5 0 0 1\n6 2 0 1\n7 2 1 1\n8 0 1 1\n11 0 0 1\n12 2 0 "
        "1\n13 2 1 1\n14 0 1 1\n15 0 0 2\n16 2 0 2\n17 2 1 2\n18 0 1 2\n$EndNodes\n$Elements\n2\n"
        "1 2 2 7 1 11 12 13\n2 5 2 8 2 11 12 13 14 15 16 17 18\n3 2 2 7 1 13 14 11\n$EndElements\n");
    /* A mesh with numbers of its own, of both surfaces, which lie on each other. */
    write_scratch("only.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 1 1\n2 0 0 1\n3 2 0 1\n4 2 1 1\n"
                              "$EndNodes\n$Elements\n2\n1 3 2 7 1 1 2 3 4\n2 3 2 8 2 4 1 2 3\n$EndElements\n");
    write_scratch("four.msh",
                  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"UPPER\"\n$EndPhysicalNames\n"
                  "$Entities\n0 0 1 0\n1 0 0 1 2 1 1 1 7 0\n$EndEntities\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n"
                  "0 1 1\n0 0 1\n2 0 1\n2 1 1\n$EndNodes\n$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n");
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        char text[2048], *law;
        snprintf(text, sizeof text, "%sanalysis: {kind: motion, until: 1}\n", ways[w]);
        law = strstr(text, "LAW");
        char after[512];
        snprintf(after, sizeof after, "%s", law + 3);
        sprintf(law, "law: spring, contact_stiffness: 1000, tangential_stiffness: 600, preload: 50, friction: 0.3%s",
                after);
        if (w == 1) { /* the count of the file is one too few */
            am_error err = {0};
            assert_null(parse(text, &err));
            assert_says(&err, "surface.msh:23: ");
            write_scratch(
                "surface.msh",
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n5 0 0 1\n6 2 0 1\n7 2 1 1\n8 0 1 1\n11 0 0 "
                "1\n12 2 0 1\n13 2 1 1\n14 0 1 1\n15 0 0 2\n16 2 0 2\n17 2 1 2\n18 0 1 2\n$EndNodes\n"
                "$Elements\n3\n1 2 2 7 1 11 12 13\n2 5 2 8 2 11 12 13 14 15 16 17 18\n3 2 2 7 1 13 14 11\n"
                "$EndElements\n");
        }
        am_study *study = good(text);
        const am_system *system = am_study_system(study);
        assert_int_equal(am_system_contacts(system), 4);
        for (size_t c = 0; c < 4; c++) {
            const am_contact_def *contact = am_system_contact(system, c);
            long node, other;
            assert_int_equal(sscanf(am_system_contact_name(system, c), "pair %ld-%ld", &node, &other), 2);
            assert_int_equal(node, w == 1 ? 14 - (long)c : 11 + (long)c);
            assert_int_equal(other, node - 6);
            /* A triangle gives a third to each corner: two of them touch nodes 11 and 13. */
            double area = w != 1 ? 0.5 : node % 2 ? 2.0 / 3.0 : 1.0 / 3.0;
            check_row(system, contact->normal, node, other, 3);
            check_row(system, contact->tangent, node, other, 1);
            check_row(system, contact->second_tangent, node, other, 2);
            assert_near(contact->contact_stiffness, 1000.0 * area, 1e-12);
            assert_near(contact->tangential_stiffness, 600.0 * area, 1e-12);
            assert_near(contact->gap, -0.05, 1e-16);
        }
        am_study_free(study);
    }
}

/* Against the ground, one direction, without friction, seen from below. */
static void other_ways_to_say_it(void **state) {
    (void)state;
    write_files();
    am_study *study = good(MODEL "  interfaces:\n    - {from: LOWER, normal: [0, 0, -1], gap: 0.2}\n"
                                 "    - {from: LOWER, to: UPPER, friction: 0.1, tangent: [0, 1, 0]}\n"
                                 "analysis: {kind: motion, until: 1}\n");
    const am_system *system = am_study_system(study);
    assert_int_equal(am_system_contacts(system), 8);
    const am_contact_def *one = am_system_contact(system, 0), *other = am_system_contact(system, 4);
    assert_string_equal(one->name, "node 5");
    for (size_t i = 0; i < 48; i++)
        assert_near(one->tangent[i], 0.0, 0.0); /* a stop */
    assert_near(one->gap, 0.2, 0.0);
    assert_near(one->normal[find(system, "5.3")], -1.0, 0.0);
    assert_string_equal(other->name, "pair 5-11");
    check_row(system, other->normal, 11, 5, 3); /* into the lower block: -(u5 - u11) */
    check_row(system, other->tangent, 5, 11, 2);
    assert_null(other->second_tangent);
    am_study_free(study);
}

static double last_of(const am_run *run, const char *name) {
    const am_table *table = am_result_find_table(am_run_report(run)->result, "samples");
    assert_non_null(table);
    for (size_t c = 0; c < am_table_columns(table); c++)
        if (strcmp(am_table_column_name(table, c), name) == 0)
            return am_table_number(table, am_table_rows(table) - 1, c);
    fail_msg("there is no column %s", name);
    return 0.0;
}

static double end_of(const char *model, const char *analysis, const char *name) {
    char text[4096];
    am_error err = {0};
    snprintf(text, sizeof text, "%s%s", model, analysis);
    am_study *study = good(text);
    am_run *run = am_study_run(study, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    double value = last_of(run, name);
    am_run_free(run);
    am_study_free(study);
    return value;
}

#define LOADS                                                                                                          \
    "  loads: [{direction: {TOP.3: -1}, constant: 3}, {direction: {TOP.1: 1, \"16.1\": 0.5}, sine: {amplitude: 2, "    \
    "frequency: 0.7}}]\n"
#define LAW "friction: 0.3, law: spring, contact_stiffness: 20, tangential_stiffness: 8"

/* The blocks move as with the contacts written down one by one; reduced to the interface (its nodes join by themselves) with
 * all their modes they move the same way, and so do contacts of tables. */
static void they_move_as_contacts_written_by_hand(void **state) {
    char hand[2048] = MODEL LOADS "  contacts:\n", normal[4096] = "", tangent[4096] = "", tables[8192];
    const char *motion = "analysis: {kind: motion, until: 9, samples: 3}\n";
    (void)state;
    write_files();
    for (int c = 0; c < 4; c++) {
        snprintf(hand + strlen(hand), sizeof hand - strlen(hand),
                 "    - {normal: {\"%d.3\": 1, \"%d.3\": -1}, tangent: {\"%d.1\": 1, \"%d.1\": -1}, " LAW "}\n", 11 + c,
                 5 + c, 11 + c, 5 + c);
        for (int i = 0; i < 48; i++) { /* labels ascend: 1 .. 8, 11 .. 18 */
            int sign = i / 3 == 8 + c ? 1 : i / 3 == 4 + c ? -1 : 0;
            snprintf(normal + strlen(normal), sizeof normal - strlen(normal), "%d%s", i % 3 == 2 ? sign : 0,
                     i < 47 ? "," : "\n");
            snprintf(tangent + strlen(tangent), sizeof tangent - strlen(tangent), "%d%s", i % 3 == 0 ? sign : 0,
                     i < 47 ? "," : "\n");
        }
    }
    write_scratch("n.csv", normal);
    write_scratch("t.csv", tangent);
    const char *made = MODEL LOADS "  interfaces: [{from: UPPER, to: LOWER, tangent: [1, 0, 0], " LAW "}]\n";
    const char *small = MODEL LOADS "  reduce: {modes: 24, watch: [\"16.1\"]}\n"
                                    "  interfaces: [{from: UPPER, to: LOWER, tangent: [1, 0, 0], " LAW "}]\n";
    double wanted = end_of(hand, motion, "16.1");
    assert_true(fabs(wanted) > 0.01);
    assert_near(end_of(made, motion, "16.1"), wanted, 0.0);
    assert_near(end_of(small, motion, "16.1"), wanted, 1e-9); /* roundings of another basis */
    snprintf(tables, sizeof tables,
             MODEL LOADS "  contact_rows: {normal: {file: n.csv}, tangent: {file: t.csv}, friction: 0.3, preload: 2, "
                         "surface_velocity: 0, law: spring, contact_stiffness: 20}\n");
    wanted = end_of(tables, motion, "16.1");
    snprintf(tables + strlen(tables), sizeof tables - strlen(tables), "  reduce: {modes: 23, watch: [\"16.1\"]}\n");
    assert_near(end_of(tables, motion, "16.1"), wanted, 1e-9);
}

/* A sweep knows files and reduction from when the study was read: what the files hold since then
 * does not matter. */
static void sweeps_read_and_reduce_once(void **state) {
    const char *text = MODEL LOADS "  reduce: {modes: 6, watch: [\"16.1\"]}\n"
                                   "  interfaces: [{from: UPPER, to: LOWER, tangent: [1, 0, 0], friction: 0.3, law: "
                                   "spring, contact_stiffness: 20, tangential_stiffness: 8}]\n";
    const char *ends[] = {"k.mtx", "m.mtx", "blocks.inp"};
    const double values[3] = {0.1, 0.3, 0.5};
    double wanted[3];
    char whole[4096];
    am_error err = {0};
    (void)state;
    write_files();
    for (size_t i = 0; i < 3; i++) {
        char single[4096], *at;
        snprintf(single, sizeof single, "%s", text);
        at = strstr(single, "friction: 0.3");
        at[strlen("friction: 0.")] = (char)('0' + (int)lround(10.0 * values[i]));
        wanted[i] = end_of(single, "analysis: {kind: motion, until: 9, samples: 3}\n", "16.1");
    }
    assert_true(fabs(wanted[0] - wanted[1]) > 1e-6);
    snprintf(whole, sizeof whole,
             "%sanalysis: {kind: motion, until: 9, samples: 3}\nsweep: {axes: {model.interfaces.0.friction: [0.1, 0.3, "
             "0.5]}, tables: [samples]}\n",
             text);
    am_study *study = good(whole);
    for (size_t i = 0; i < 3; i++)
        write_scratch(ends[i], "nothing that could be read again\n");
    am_run *run = am_study_run(study, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    const am_table *samples = am_result_find_table(am_run_report(run)->result, "samples");
    assert_non_null(samples);
    size_t column = 0;
    while (strcmp(am_table_column_name(samples, column), "16.1") != 0)
        column++;
    assert_int_equal(am_table_rows(samples), 9);
    for (size_t i = 0; i < 3; i++)
        assert_near(am_table_number(samples, 3 * i + 2, column), wanted[i], 0.0);
    am_run_free(run);
    am_study_free(study);
}

static void mistakes_are_shown_where_they_stand(void **state) {
    static const struct {
        const char *interface, *says;
    } cases[] = {
        {"from: UP, to: LOWER", "s.yaml:7:14: there is no set of nodes 'UP'"},
        {"from: TOP, to: LOWER", "4 nodes of `from` have no partner in `to` within 2.24e-06: 15, 16, 17, 18"},
        {"from: [11, 12], to: LOWER", "2 nodes of `to` have no partner in `from`"},
        {"from: [11, 11], to: LOWER", "s.yaml:7:14: node 11 comes twice"},
        {"from: [11.5], to: LOWER", "a node is a whole number"},
        {"from: [99], to: LOWER", "the place of node 99 is not known"},
        {"to: LOWER", "needs the key 'from'"},
        {"from: UPPER, to: LOWER, normal: [0, 1]", "normal must have 3 numbers, not 2"},
        {"from: UPPER, to: LOWER, normal: [0, 0, 0]", "s.yaml:7:40: normal must be a vector"},
        {"from: UPPER, to: LOWER, friction: 0.1, tangent: [0, 0, 1]", "along the normal"},
        {"from: UPPER, to: LOWER, friction: 0.1, tangents: [[1, 0, 0], [2, 0, 0]]", "or the first tangent"},
        {"from: UPPER, to: LOWER, friction: 0.1, tangents: [[1, 0], [0, 1]]", "two rows of 3 numbers"},
        {"from: UPPER, to: LOWER, tangent: [1, 0, 0], tangents: [[1, 0, 0], [0, 1, 0]]", "not both"},
        {"from: UPPER, to: LOWER, contact_stiffness: 3", "contact_stiffness is only for a contact with law: spring"},
        {"from: UPPER, to: LOWER, law: spring, contact_stiffness: 3, gap: 1, preload: 2", "not both"},
        {"from: UPPER, to: LOWER, law: held", "needs the key 'hold'"},
        {"from: UPPER, to: LOWER, friction: -1", "friction must be zero or positive"},
        {"from: UPPER, to: LOWER, per: volume", "per cannot be 'volume'; expected one of: node, area"},
        {"from: [11, 12, 13], to: [5, 6, 7], per: area", "values per area need the faces of the surface"},
        {"from: UPPER, to: LOWER, surface: {file: far.msh}", "no face of this mesh has all its nodes where"},
        {"from: UPPER, to: LOWER, surface: {file: short.msh}", "short.msh:7: "},
        {"from: UPPER, to: LOWER, surface: {file: none.msh}", "none.msh"},
        {"from: UPPER, to: LOWER, surface: UPPER", "surface"},
    };
    (void)state;
    write_files();
    write_scratch("far.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 9 1 1\n2 0 0 1\n3 2 0 1\n"
                             "$EndNodes\n$Elements\n1\n1 2 2 7 1 1 2 3\n$EndElements\n");
    write_scratch("short.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 9 1 1\n2 0 0");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_error err = {0};
        char text[2048];
        snprintf(text, sizeof text, MODEL "  interfaces:\n    - {%s}\nanalysis: {kind: motion, until: 1}\n",
                 cases[i].interface);
        am_study *study = parse(text, &err);
        if (study)
            fail_msg("case %zu was read", i);
        assert_int_equal(err.status, strstr(cases[i].says, "none.msh") ? AM_ERR_FILE : AM_ERR_INPUT);
        assert_says(&err, "s.yaml:7:");
        assert_says(&err, cases[i].says);
    }
}

/* Decks and tables that are wrong. */
static void broken_meshes_are_shown_by_line(void **state) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"*NODE\n1, 0, x\n", "mesh.inp:2: expected the place of node 1, not 'x'"},
        {"*NODE\nx, 0\n", "mesh.inp:2: expected the number of a node"},
        {"*NODE\n1, 0\n1, 1\n", "mesh.inp: there are two nodes 1 at different places"},
        {"*NODE\n1, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n",
         "an element has the node 2, whose place the file does not"},
        {"*NODE\n1, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 1\n*NSET, NSET=A\n1\n",
         "mesh.inp:5: the element before it has only 2 of"},
        {"*NODE\n1, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 1, 1, 1, 1\n", "mesh.inp:4: an element has more than its 4 nodes"},
        {"*NODE\n1, 0\n*ELEMENT, TYPE=C3D4\n1, 1, b\n", "mesh.inp:4: expected nodes of an element, not 'b'"},
        {"*NODE\n1, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 1", "mesh.inp:4: the file ends inside an element"},
        {"node,x,y,z\n1,0,b,0\n", "mesh.inp:2: expected the y of node 1"},
        {"node,color\n1,0\n", "mesh.inp:1: expected an input deck"},
        {"*HEADING\nnothing\n", "there are no places of nodes in this file"},
    };
    (void)state;
    write_files();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_error err = {0};
        write_scratch("mesh.inp", cases[i].text);
        assert_null(parse(MODEL "  nodes: {file: mesh.inp}\nanalysis: {kind: motion, until: 1}\n", &err));
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_says(&err, "s.yaml:6:");
        assert_says(&err, cases[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_become_contacts),
        cmocka_unit_test(other_ways_to_say_it),
        cmocka_unit_test(they_move_as_contacts_written_by_hand),
        cmocka_unit_test(sweeps_read_and_reduce_once),
        cmocka_unit_test(mistakes_are_shown_where_they_stand),
        cmocka_unit_test(broken_meshes_are_shown_by_line),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
