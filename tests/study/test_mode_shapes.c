/* Mode shapes on the mesh: a chain in closed form, whole and reduced to its ends; its file for ParaView; and how shapes
 * correlate. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "scratch.h"

/* Five masses 1 on six springs 1, fixed at both ends: mode k has the frequency 2 sin(k pi/12), and node i of it moves
 * as sin(i k pi/6). In the plane they are on springs 400 across the chain. */
enum { N = 5 };
static const double pi_ = 3.14159265358979323846;

static void write_chain(bool plane) {
    char k[1024] = "", m[512] = "", deck[1024] = "*NODE\n", shapes[4096] = "mode,node,uz,ux,uy\n";
    for (int i = 1; i <= N; i++) {
        snprintf(k + strlen(k), sizeof k - strlen(k), "%d,1, %d,1, 2\n", 10 * i, 10 * i);
        if (i < N)
            snprintf(k + strlen(k), sizeof k - strlen(k), "%d,1, %d,1, -1\n", 10 * i + 10, 10 * i);
        snprintf(m + strlen(m), sizeof m - strlen(m), "%d,1, %d,1, 1\n", 10 * i, 10 * i);
        if (plane) {
            snprintf(k + strlen(k), sizeof k - strlen(k), "%d,2, %d,2, 400\n", 10 * i, 10 * i);
            snprintf(m + strlen(m), sizeof m - strlen(m), "%d,2, %d,2, 1\n", 10 * i, 10 * i);
        }
    }
    for (int i = 0; i <= N + 1; i++)
        snprintf(deck + strlen(deck), sizeof deck - strlen(deck), "%d, %d, 0, 0\n", 10 * i + (i == 0), i);
    strcat(deck, "*ELEMENT, TYPE=T3D2\n1, 1, 10\n2, 10, 20\n3, 20, 30\n4, 30, 40\n5, 40, 50\n6, 50, 60\n");
    for (int j = 1; j <= N; j++)
        for (int i = 2; i <= N; i++) /* not node 10; sizes and signs are others */
            snprintf(shapes + strlen(shapes), sizeof shapes - strlen(shapes), "%d,%d,0,%.17g,0\n", j, 10 * i,
                     -3.0 * j * sin(i * j * pi_ / 6.0));
    write_scratch("k.mtx", k);
    write_scratch("m.mtx", m);
    write_scratch("chain.inp", deck);
    write_scratch("other.csv", shapes);
}

static void write_files(void) {
    write_chain(false);
}

static am_study *parse(const char *more, am_error *err) {
    char text[2048];
    snprintf(text, sizeof text, "model:\n  kind: structure\n  stiffness: {file: k.mtx}\n  mass: {file: m.mtx}\n%s\n",
             more);
    return am_study_parse(in_scratch("s.yaml"), text, 0, NULL, false, err);
}

static am_run *run(const char *more) {
    am_error err = {0};
    am_study *study = parse(more, &err);
    am_run *made = study ? am_study_run(study, NULL, &err) : NULL;
    if (!made)
        fail_msg("%s", err.message);
    am_study_free(study);
    return made;
}

/* ---- a reader of VTU files ---- */

/* What was written, of which every tag is closed in its order. */
static const char *read_xml(const char *name) {
    static char text[65536];
    char open[16][32];
    int depth = 0;
    FILE *file = fopen(in_scratch(name), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (const char *at = strstr(text, "?>"); (at = strchr(at, '<'));) {
        char tag[32];
        bool closes = at[1] == '/';
        at += 1 + closes;
        assert_int_equal(sscanf(at, "%31[A-Za-z]", tag), 1);
        if (closes)
            assert_true(depth > 0 && strcmp(open[--depth], tag) == 0);
        else
            strcpy(open[depth++], tag);
        at = strchr(at, '>');
        assert_non_null(at);
        assert_true(depth < 16 && at[-1] != '/');
    }
    assert_int_equal(depth, 0);
    return text;
}

/* The numbers of the array of this name, as many as there are. */
static size_t array_of(const char *text, const char *name, double *values, size_t most) {
    char key[64];
    snprintf(key, sizeof key, "Name=\"%s\" ", name);
    const char *at = strstr(text, key);
    if (!at)
        fail_msg("there is no array %s", name);
    at = strchr(at, '>') + 1;
    size_t count = 0;
    for (char *end; count < most; count++, at = end) {
        values[count] = strtod(at, &end);
        if (end == at)
            break;
    }
    assert_int_equal(strspn(at, " \n") + at - strchr(at, '<'), 0);
    return count;
}

/* Which mode k has this frequency; the modes are 2 sin(k pi/12). */
static int mode_of(double frequency) {
    int k = (int)lround(asin(frequency / 2.0) * 12.0 / pi_);
    assert_near(2.0 * sin(k * pi_ / 12.0), frequency, 1e-12);
    return k;
}

/* `nodes` rows for each mode; node 10 i lies at x = i. */
static void assert_shapes(const am_result *result, size_t modes) {
    const am_table *list = am_result_find_table(result, "mode_shapes"),
                   *nodes = am_result_find_table(result, "mode_shape_nodes");
    assert_non_null(list);
    assert_non_null(nodes);
    assert_int_equal(am_table_rows(list), modes);
    assert_int_equal(am_table_rows(nodes), modes * (N + 2));
    for (size_t j = 0; j < modes; j++) {
        int k = mode_of(cell(list, j, "imaginary"));
        double largest = 0.0;
        for (int i = 1; i <= N; i++)
            if (fabs(sin(i * k * pi_ / 6.0)) > (1.0 + 1e-6) * fabs(largest))
                largest = sin(i * k * pi_ / 6.0);
        for (size_t i = 0; i < N + 2; i++) {
            size_t row = j * (N + 2) + i;
            assert_true(cell(nodes, row, "mode") == cell(list, j, "mode"));
            double x = cell(nodes, row, "x"), u = cell(nodes, row, "ux");
            assert_near(u, sin(x * k * pi_ / 6.0) / largest, 1e-12); /* rounding of eigenvectors */
            assert_near(cell(nodes, row, "ux_imaginary"), 0.0, 1e-12);
            assert_true(cell(nodes, row, "uy") == 0.0);
        }
    }
}

static void shapes_are_those_of_the_chain(void **state) {
    (void)state;
    write_files();
    am_run *whole = run("  nodes: {file: chain.inp}\n  shapes: true\nanalysis: {kind: stability, state: []}");
    assert_shapes(am_run_report(whole)->result, N);
    am_run_free(whole);
    am_run *reduced = run("  nodes: {file: chain.inp}\n  shapes: true\n  reduce: {interface: [\"10.1\", \"50.1\"], "
                          "modes: 3}\nanalysis: {kind: stability, state: []}");
    assert_shapes(am_run_report(reduced)->result, N); /* three modes of three masses inside: nothing is left out */
    am_run_free(reduced);
    /* Held by a constant force, friction of a belt is constant too: the modes are those without it. */
    am_run *squeal = run("  nodes: {file: chain.inp}\n  shapes: true\n  contacts: [{tangent: {\"10.1\": 1}, friction: "
                         "0.3, law: held, hold: {constant: 0.2}, surface_velocity: 1}]\nanalysis: {kind: squeal}");
    assert_shapes(am_run_report(squeal)->result, N);
    am_run_free(squeal);
}

static void backbone_of_a_linear_chain_has_its_shape(void **state) {
    (void)state;
    write_files();
    am_run *study = run("  nodes: {file: chain.inp}\n  shapes: true\n  polynomials: [{direction: {\"10.1\": 1}, terms: "
                        "[{coefficient: 1.0e-30, displacement: 3}]}]\nanalysis: {kind: backbone, mode: 2, from: 0.1, "
                        "to: 0.2, values: [0.15], harmonics: 3, stability: none}");
    assert_shapes(am_run_report(study)->result, 2); /* at the value and at the end */
    assert_near(cell(am_result_find_table(am_run_report(study)->result, "mode_shapes"), 0, "amplitude"), 0.15, 1e-12);
    am_run_free(study);
}

/* MAC of modes over some nodes: the sums themselves. */
static void correlation_is_that_of_the_nodes_both_have(void **state) {
    (void)state;
    write_files();
    am_run *study =
        run("  nodes: {file: chain.inp}\n  compare: {file: other.csv}\nanalysis: {kind: stability, state: []}");
    const am_result *result = am_run_report(study)->result;
    const am_table *mac = am_result_find_table(result, "mac"), *list = am_result_find_table(result, "mode_shapes");
    assert_int_equal(am_table_rows(mac), N * N);
    assert_near(am_result_find(result, "mac_nodes")->number, N - 1, 0.0);
    for (size_t r = 0; r < N * N; r++) {
        int k = mode_of(cell(list, r / N, "imaginary")), j = (int)cell(mac, r, "other_mode");
        double ab = 0.0, aa = 0.0, bb = 0.0;
        for (int i = 2; i <= N; i++) {
            double a = sin(i * k * pi_ / 6.0), b = sin(i * j * pi_ / 6.0);
            ab += a * b, aa += a * a, bb += b * b;
        }
        assert_true(cell(mac, r, "mode") == cell(list, r / N, "mode"));
        assert_near(cell(mac, r, "mac"), ab * ab / (aa * bb), 1e-12);
    }
    am_run_free(study);
}

/* MAC with itself, by the file that it wrote: 1 on the diagonal, and 0 beside it, for the masses are equal. */
static void a_result_correlates_with_itself(void **state) {
    (void)state;
    write_files();
    am_run *first = run("  nodes: {file: chain.inp}\n  shapes: true\nanalysis: {kind: stability, state: []}");
    GOOD(am_output_folder(am_run_report(first), in_scratch("first"), NULL, err));
    am_run *second = run("  reduce: {interface: [\"10.1\"], modes: 4}\n  compare: {file: first/mode_shape_nodes.csv}\n"
                         "analysis: {kind: stability, state: []}");
    const am_table *mac = table_of(am_run_report(second)->result, "mac");
    assert_int_equal(am_table_rows(mac), N * N);
    for (size_t r = 0; r < N * N; r++) /* rounding of eigenvectors, squared but for the product with 1 */
        assert_near(cell(mac, r, "mac"), r / N == r % N ? 1.0 : 0.0, 1e-12);
    am_run_free(first);
    am_run_free(second);
}

/* A chain that `squeal` projects onto its real modes: along, across and coupled by springs 0.1, with damping 0.001 M and two
 * contacts on springs across. */
enum { LONG = 55, FIRST = 30, LAST = 45 };

static void write_long_chain(void) {
    static char k[16384], m[8192], deck[4096];
    k[0] = m[0] = '\0';
    strcpy(deck, "*NODE\n");
    for (int i = 1; i <= LONG; i++) {
        snprintf(k + strlen(k), sizeof k - strlen(k), "%d,1, %d,1, 2.2\n%d,2, %d,2, 2.8\n%d,1, %d,2, 0.1\n", i, i, i, i,
                 i, i);
        if (i < LONG)
            snprintf(k + strlen(k), sizeof k - strlen(k), "%d,1, %d,1, -1\n%d,2, %d,2, -1.2\n", i + 1, i, i + 1, i);
        snprintf(m + strlen(m), sizeof m - strlen(m), "%d,1, %d,1, 1\n%d,2, %d,2, 1\n", i, i, i, i);
        snprintf(deck + strlen(deck), sizeof deck - strlen(deck), "%d, %d, 0, 0\n", i, i);
    }
    write_scratch("k.mtx", k);
    write_scratch("m.mtx", m);
    write_scratch("chain.inp", deck);
}

/* Of (s^2 M + s C + K) u, where friction does not act. */
static double long_residual(double complex s, const double complex u[2][LONG + 2]) {
    double worst = 0.0;
    for (int i = 1; i <= LONG; i++) {
        double complex inertia = s * s + 0.001 * s;
        double layer = i == FIRST ? 3.0 : i == LAST ? 2.0 : 0.0;
        double complex along = (inertia + 2.2) * u[0][i] - u[0][i - 1] - u[0][i + 1] + 0.1 * u[1][i];
        double complex across = (inertia + 2.8 + layer) * u[1][i] - 1.2 * (u[1][i - 1] + u[1][i + 1]) + 0.1 * u[0][i];
        worst = fmax(worst, fmax(layer > 0.0 ? 0.0 : cabs(along), cabs(across)));
    }
    return worst;
}

/* Not those of the projection: every shape solves the full problem, whether it grows or not. */
static void shapes_of_a_large_structure_that_squeals_are_exact(void **state) {
    (void)state;
    write_long_chain();
    am_run *made =
        run("  nodes: {file: chain.inp}\n  rayleigh: {mass: 0.001}\n  shapes: true\n  contacts:\n"
            "    - {normal: {\"30.2\": 1}, tangent: {\"30.1\": 1}, law: spring, contact_stiffness: 3, friction: 0.6, "
            "surface_velocity: 1}\n"
            "    - {normal: {\"45.2\": -1}, tangent: {\"45.1\": 1}, law: spring, contact_stiffness: 2, friction: 0.6, "
            "surface_velocity: 1}\n"
            "analysis: {kind: squeal, modes: 12, friction: {from: 0, to: 1, count: 3}}");
    const am_result *result = am_run_report(made)->result;
    const am_table *list = table_of(result, "mode_shapes"), *nodes = table_of(result, "mode_shape_nodes");
    assert_string_equal(am_result_find(result, "method")->text, "modes");
    assert_true(am_table_rows(list) >= 12);
    for (size_t j = 0; j < am_table_rows(list); j++) {
        double complex u[2][LONG + 2] = {{0}};
        for (size_t i = 0; i < LONG; i++) {
            size_t row = j * LONG + i;
            u[0][i + 1] = cell(nodes, row, "ux") + I * cell(nodes, row, "ux_imaginary");
            u[1][i + 1] = cell(nodes, row, "uy") + I * cell(nodes, row, "uy_imaginary");
        }
        double complex s = cell(list, j, "real") + I * cell(list, j, "imaginary");
        assert_true(long_residual(s, u) < 1e-9);
    }
    am_run_free(made);
    write_files();
}

/* Two equal chains beside one that rubs: their modes are double, and have two shapes. */
static void double_modes_of_a_large_structure_have_two_shapes(void **state) {
    (void)state;
    static char k[16384], m[8192], deck[8192];
    k[0] = m[0] = '\0';
    strcpy(deck, "*NODE\n");
    for (int chain = 0; chain < 3; chain++)
        for (int i = 1; i <= LONG; i++) {
            int node = 100 * chain + i;
            snprintf(k + strlen(k), sizeof k - strlen(k), "%d,1, %d,1, %g\n", node, node, chain ? 2.2 : 2.6);
            if (i < LONG)
                snprintf(k + strlen(k), sizeof k - strlen(k), "%d,1, %d,1, -1\n", node + 1, node);
            if (chain == 0)
                snprintf(k + strlen(k), sizeof k - strlen(k), "%d,2, %d,2, 3\n%d,1, %d,2, 0.1\n", node, node, node,
                         node);
            snprintf(m + strlen(m), sizeof m - strlen(m), "%d,1, %d,1, 1\n", node, node);
            if (chain == 0)
                snprintf(m + strlen(m), sizeof m - strlen(m), "%d,2, %d,2, 1\n", node, node);
            snprintf(deck + strlen(deck), sizeof deck - strlen(deck), "%d, %d, %d, 0\n", node, i, chain);
        }
    write_scratch("k.mtx", k);
    write_scratch("m.mtx", m);
    write_scratch("chain.inp", deck);
    am_run *made = run("  nodes: {file: chain.inp}\n  rayleigh: {mass: 0.001}\n  shapes: true\n  contacts:\n"
                       "    - {normal: {\"30.2\": 1}, tangent: {\"30.1\": 1}, law: spring, contact_stiffness: 3, "
                       "friction: 0.6, surface_velocity: 1}\n"
                       "analysis: {kind: squeal, modes: 12, friction: {from: 0, to: 1, count: 3}}");
    const am_table *list = table_of(am_run_report(made)->result, "mode_shapes");
    const am_table *nodes = table_of(am_run_report(made)->result, "mode_shape_nodes");
    size_t all = 3 * LONG, twins = 0;
    for (size_t j = 1; j < am_table_rows(list); j++) {
        double ab = 0.0, aa = 0.0, bb = 0.0;
        if (!(fabs(cell(list, j, "imaginary") - cell(list, j - 1, "imaginary")) < 1e-9))
            continue;
        for (size_t i = 0; i < all; i++) {
            double complex a = cell(nodes, j * all + i, "ux") + I * cell(nodes, j * all + i, "ux_imaginary");
            double complex b =
                cell(nodes, (j - 1) * all + i, "ux") + I * cell(nodes, (j - 1) * all + i, "ux_imaginary");
            ab += creal(conj(a) * b);
            aa += creal(conj(a) * a);
            bb += creal(conj(b) * b);
        }
        assert_true(fabs(ab) < 1e-6 * sqrt(aa * bb)); /* masses are 1 */
        twins++;
    }
    assert_true(twins >= 4);
    am_run_free(made);
    write_files();
}

/* How far (s^2 M + s C + K) u is from zero, for the shape of mode j in the tables; dampers at nodes 10 and 30. */
static double residual_of(const am_result *result, size_t j) {
    const am_table *list = table_of(result, "mode_shapes"), *nodes = table_of(result, "mode_shape_nodes");
    double complex s = cell(list, j, "real") + I * cell(list, j, "imaginary"), u[N + 2] = {0};
    double worst = 0.0;
    for (size_t i = 0; i < N; i++) {
        assert_true(cell(nodes, j * N + i, "node") == 10.0 * (double)(i + 1));
        u[i + 1] = cell(nodes, j * N + i, "ux") + I * cell(nodes, j * N + i, "ux_imaginary");
    }
    for (size_t i = 1; i <= N; i++) {
        double c = i == 1 ? 0.3 : i == 3 ? 0.1 : 0.0;
        worst = fmax(worst, cabs((s * s + c * s + 2.0) * u[i] - u[i - 1] - u[i + 1]));
    }
    return worst;
}

/* Complex shapes solve the quadratic eigenproblem, whole and reduced to what leaves nothing out, and phase and size do
 * not matter to MAC: the file has each shape times 2 i. */
static void complex_shapes_are_right_and_correlate_whatever_their_phase(void **state) {
    (void)state;
    write_files();
    write_scratch("c.mtx", "10,1, 10,1, 0.3\n20,1, 20,1, 0\n30,1, 30,1, 0.1\n40,1, 40,1, 0\n50,1, 50,1, 0\n");
    const char *damped = "  damping: {file: c.mtx}\n  shapes: true\nanalysis: {kind: stability, state: []}";
    am_run *made = run(damped);
    const am_table *nodes = table_of(am_run_report(made)->result, "mode_shape_nodes");
    char text[8192] = "mode,node,ux,uy,uz,ux_imaginary,uy_imaginary,uz_imaginary\n";
    double largest = 0.0;
    for (size_t r = 0; r < am_table_rows(nodes); r++) {
        double re = cell(nodes, r, "ux"), im = cell(nodes, r, "ux_imaginary");
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.0f,%.0f,%.17g,0,0,%.17g,0,0\n",
                 cell(nodes, r, "mode"), cell(nodes, r, "node"), -2.0 * im, 2.0 * re);
        largest = fmax(largest, fabs(im));
    }
    assert_true(largest > 0.01); /* they are complex */
    for (size_t j = 0; j < N; j++)
        assert_true(residual_of(am_run_report(made)->result, j) < 1e-12);
    write_scratch("turned.csv", text);
    am_run_free(made);
    char more[512];
    snprintf(more, sizeof more, "  compare: {file: turned.csv}\n  reduce: {interface: [\"20.1\"], modes: 4}\n%s",
             damped);
    made = run(more);
    const am_table *mac = table_of(am_run_report(made)->result, "mac");
    assert_int_equal(am_table_rows(mac), N * N);
    for (size_t r = 0; r < N * N; r++) {
        assert_true(cell(mac, r, "mac") < (r / N == r % N ? 1.0 + 1e-12 : 0.5));
        assert_true(r / N != r % N || cell(mac, r, "mac") > 1.0 - 1e-12);
        assert_true(residual_of(am_run_report(made)->result, r / N) < 1e-12);
    }
    am_run_free(made);
}

static void paraview_gets_points_cells_and_vectors(void **state) {
    (void)state;
    write_files();
    am_run *study = run("  nodes: {file: chain.inp}\n  shapes: true\nanalysis: {kind: stability, state: []}");
    const am_table *list = table_of(am_run_report(study)->result, "mode_shapes");
    GOOD(am_output_folder(am_run_report(study), in_scratch("out"), NULL, err));
    const char *text = read_xml("out/shapes.vtu");
    double point[3 * (N + 2)], vector[3 * (N + 2)], corner[2 * (N + 1)], offset[N + 1], type[N + 1], node[N + 2];
    assert_non_null(strstr(text, "NumberOfPoints=\"7\" NumberOfCells=\"6\""));
    assert_int_equal(array_of(text, "Points", point, 3 * (N + 2)), 3 * (N + 2));
    assert_int_equal(array_of(text, "node", node, N + 2), N + 2);
    assert_int_equal(array_of(text, "connectivity", corner, 2 * (N + 1)), 2 * (N + 1));
    assert_int_equal(array_of(text, "offsets", offset, N + 1), N + 1);
    assert_int_equal(array_of(text, "types", type, N + 1), N + 1);
    for (size_t i = 0; i <= N; i++) {
        assert_true(corner[2 * i] == (double)i && corner[2 * i + 1] == (double)i + 1.0);
        assert_true(offset[i] == 2.0 * (double)i + 2.0 && type[i] == 3.0);
    }
    for (size_t j = 0; j < N; j++) { /* the eigenvector up to a factor, for its largest is 1 */
        char name[32];
        int k = mode_of(cell(list, j, "imaginary"));
        double largest = 0.0;
        snprintf(name, sizeof name, "mode_%.0f", cell(list, j, "mode"));
        assert_int_equal(array_of(text, name, vector, 3 * (N + 2)), 3 * (N + 2));
        for (size_t i = 0; i < N + 2; i++)
            largest = fmax(largest, fabs(sin((double)i * k * pi_ / 6.0)));
        for (size_t i = 0; i < N + 2; i++) {
            assert_true(point[3 * i] == (double)i && point[3 * i + 1] == 0.0 && point[3 * i + 2] == 0.0);
            assert_true(node[i] == (i == 0 ? 1.0 : 10.0 * (double)i));
            assert_near(fabs(vector[3 * i]), fabs(sin((double)i * k * pi_ / 6.0)) / largest, 1e-12);
            assert_true(vector[3 * i + 1] == 0.0 && vector[3 * i + 2] == 0.0);
        }
    }
    am_run_free(study);
}

/* Four masses rub on the ground, and one is far from it; what their points in contacts.vtu lose adds up to the losses of the balance, and of a
 * single harmonic each loses 4 mu N (X - mu N/k). */
static void the_map_of_losses_adds_up(void **state) {
    (void)state;
    write_chain(true);
    am_run *study = run(
        "  nodes: {file: chain.inp}\n  interfaces: [{from: [10, 20, 40, 50], normal: [0, 1, 0], "
        "tangent: [1, 0, 0], law: held, hold: {constant: 0.2}, friction: 0.5, tangential_stiffness: 3}, {from: [30], "
        "normal: [0, 1, 0], friction: 0.5, tangent: [1, 0, 0], law: spring, contact_stiffness: 9, "
        "tangential_stiffness: 3, gap: 1}]\nanalysis: {kind: backbone, from: 0.1, to: 1.5, values: [1], harmonics: 1, "
        "stability: none, contact_cycles: true}");
    const am_table *backbone = table_of(am_run_report(study)->result, "backbone");
    GOOD(am_output_folder(am_run_report(study), in_scratch("map"), NULL, err));
    const char *text = read_xml("map/contacts.vtu");
    double place[15], value[2], loss[5], type[5], state_of[5];
    assert_int_equal(array_of(text, "Points", place, 15), 15);
    assert_int_equal(array_of(text, "types", type, 5), 5);
    assert_int_equal(array_of(text, "value", value, 2), 2);
    for (size_t block = 0; block < 2; block++) {
        char name[32];
        double sum = 0.0, size = 0.0;
        size_t row = 0;
        while (row < am_table_rows(backbone) && cell(backbone, row, "amplitude") != value[block])
            row++;
        assert_true(row < am_table_rows(backbone));
        snprintf(name, sizeof name, "loss_%zu", block + 1);
        assert_int_equal(array_of(text, name, loss, 5), 5);
        snprintf(name, sizeof name, "state_%zu", block + 1);
        assert_int_equal(array_of(text, name, state_of, 5), 5);
        for (size_t c = 0; c < 4; c++) {
            static const double x[] = {1.0, 2.0, 4.0, 5.0};
            char coordinate[32];
            snprintf(coordinate, sizeof coordinate, "%.0f.1_1", 10.0 * x[c]);
            double X = cell(backbone, row, coordinate), wanted = 4.0 * 0.1 * fmax(X - 0.1 / 3.0, 0.0);
            assert_true(place[3 * c] == x[c] && place[3 * c + 1] == 0.0 && type[c] == 1.0);
            assert_near(loss[c], wanted, 1e-9 * wanted); /* of a sum over moments */
            assert_true(state_of[c] == (wanted > 0.0 ? 1.0 : 0.0));
            sum += loss[c], size += wanted;
        }
        assert_true(size > 0.0 && place[12] == 3.0 && loss[4] == 0.0 && state_of[4] == 3.0);
        assert_near(sum, cell(backbone, row, "loss_nonlinear"), 1e-10 * size);
    }
    am_run_free(study);
}

static void files_that_do_not_fit_are_refused(void **state) {
    (void)state;
    write_files();
    am_error err = {0};
    write_scratch("bad.csv", "mode,node,ux,uy\n1,10,1,0\n");
    assert_null(parse("  compare: {file: bad.csv}\nanalysis: {kind: stability, state: []}", &err));
    assert_non_null(strstr(err.message, "has no column 'uz'"));
    write_scratch("strange.csv", "mode,node,ux,uy,uz\n1,7,1,0,0\n");
    am_study *study = parse("  compare: {file: strange.csv}\nanalysis: {kind: stability, state: []}", &err);
    assert_non_null(study);
    assert_null(am_study_run(study, NULL, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "mode 1 has none of the nodes"));
    am_study_free(study);
    static const char *const wrong[][2] = {{"1,10,1,0,0\n2,10,1,0,0\n1,20,1,0,0\n", "wrong.csv:4: mode 1 comes again"},
                                           {"1,10,1,0,0\n1,10,1,0,0\n", "wrong.csv:3: node 10 comes again"},
                                           {"1,10.5,1,0,0\n", "wrong.csv:2: 10.5 is no number of a node"},
                                           {"1,10,1,0\n", "wrong.csv:2:1: 4 numbers"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256];
        snprintf(text, sizeof text, "mode,node,ux,uy,uz\n%s", wrong[i][0]);
        write_scratch("wrong.csv", text);
        assert_null(parse("  compare: {file: wrong.csv}\nanalysis: {kind: stability, state: []}", &err));
        assert_int_equal(err.status, AM_ERR_INPUT);
        if (!strstr(err.message, wrong[i][1]))
            fail_msg("'%s' does not say '%s'", err.message, wrong[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_are_those_of_the_chain),
                                       cmocka_unit_test(backbone_of_a_linear_chain_has_its_shape),
                                       cmocka_unit_test(correlation_is_that_of_the_nodes_both_have),
                                       cmocka_unit_test(a_result_correlates_with_itself),
                                       cmocka_unit_test(complex_shapes_are_right_and_correlate_whatever_their_phase),
                                       cmocka_unit_test(shapes_of_a_large_structure_that_squeals_are_exact),
                                       cmocka_unit_test(double_modes_of_a_large_structure_have_two_shapes),
                                       cmocka_unit_test(the_map_of_losses_adds_up),
                                       cmocka_unit_test(paraview_gets_points_cells_and_vectors),
                                       cmocka_unit_test(files_that_do_not_fit_are_refused)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
