/* fields.vtu and the drawn mesh: read back, number by number. */
#include <dirent.h>
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

#include "amontons/output.h"
#include "base/memory.h"
#include "errors.h"
#include "near.h"
#include "output/figure.h"
#include "output/file.h"
#include "output/vtk.h"
#include "results.h"
#include "solid/field.h"
#include "solid/gmsh.h"

/* ---- A folder of our own per test ---- */

static int make_place(void **state) {
    char *place = strdup(AMONTONS_BINARY_DIR "/test_vtk-XXXXXX");
    *state = place;
    return place && mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state) {
    DIR *directory = opendir(*state);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory)) != NULL) {
        char *inner = am_output_path(*state, entry->d_name, NULL);
        unlink(inner); /* "." and ".." stay */
        am_memory_free(inner);
    }
    closedir(directory);
    rmdir(*state);
    free(*state);
    return 0;
}

static char *contents(const char *folder, const char *name) {
    char *path = am_output_path(folder, name, NULL);
    char *text = am_output_read(path, 64u << 20, NULL);
    am_memory_free(path);
    assert_non_null(text);
    return text;
}

/* ---- Results with a mesh ---- */

/* Two blocks, moved by u = (x/100, -y/50). */
static am_result *mesh_result(const char *name) {
    char path[1000];
    am_solid_mesh mesh = {0};
    snprintf(path, sizeof path, AMONTONS_SOURCE_DIR "/tests/data/%s", name);
    GOOD(am_gmsh_read(&mesh, path, err));
    for (size_t i = 0; i < mesh.bodies; i++) {
        mesh.body[i].modulus = 100;
        mesh.body[i].poisson = 0.25;
        mesh.body[i].thickness = 1;
    }
    double *u = calloc(2 * mesh.nodes, sizeof *u);
    assert_non_null(u);
    for (size_t i = 0; i < mesh.nodes; i++) {
        u[2 * i] = mesh.place[2 * i] / 100;
        u[2 * i + 1] = -mesh.place[2 * i + 1] / 50;
    }
    am_result *result = am_result_create(NULL);
    GOOD(am_solid_field_tables(&mesh, u, result, err));
    am_solid_mesh_clear(&mesh);
    free(u);
    return result;
}

static am_report report_of(const am_result *result, const am_figure *figure) {
    return (am_report){.study = "mesh.yaml",
                       .title = "A mesh",
                       .source = "",
                       .about = "",
                       .analysis = "path",
                       .result = result,
                       .figure = figure};
}

static bool lists(char *const *files, const char *name) {
    for (; *files; files++)
        if (strcmp(*files, name) == 0)
            return true;
    return false;
}

static char **write_all(const char *folder, const am_result *result, const am_figure *figure) {
    char **files = NULL;
    am_report report = report_of(result, figure);
    GOOD(am_output_folder(&report, folder, &files, err));
    return files;
}

/* ---- Reading it back ---- */

/* The numbers of a DataArray; how many there are in *count. */
static double *array_of(const char *text, const char *name, size_t *count) {
    char mark[80];
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char *at = strstr(text, mark);
    assert_non_null(at);
    at = strchr(at, '>') + 1;
    size_t room = strcspn(at, "<"); /* more characters than numbers */
    double *numbers = malloc(room * sizeof *numbers);
    assert_non_null(numbers);
    char *end;
    for (*count = 0;; at = end, ++*count) {
        double value = strtod(at, &end);
        if (end == at)
            break;
        numbers[*count] = value;
    }
    at += strspn(at, " \n");
    assert_memory_equal(at, "</DataArray>", 12);
    return numbers;
}

/* Every element of XML that opens closes, in order. */
static void assert_balanced(const char *text) {
    char open[20][40];
    size_t depth = 0, seen = 0;
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        size_t length = strcspn(at + 1 + (at[1] == '/'), " >");
        assert_true(length > 0 && length < 40);
        if (at[1] == '?')
            continue;
        if (at[1] == '/') {
            assert_true(depth > 0);
            assert_int_equal(strlen(open[--depth]), length);
            assert_memory_equal(open[depth], at + 2, length);
        } else {
            assert_true(depth < 20);
            snprintf(open[depth++], 40, "%.*s", (int)length, at + 1);
        }
        seen++;
    }
    assert_int_equal(depth, 0);
    assert_true(seen > 20);
}

static void compare_points(const char *text, const am_table *nodes, const char *name, const char *const *columns,
                           size_t components) {
    size_t count;
    double *numbers = array_of(text, name, &count);
    assert_int_equal(count, components * am_table_rows(nodes));
    for (size_t i = 0; i < count; i++) {
        const char *column = columns[i % components];
        assert_true(numbers[i] == (column ? cell(nodes, i / components, column) : 0)); /* numbers round-trip */
    }
    free(numbers);
}

static void compare_cells(const char *text, const am_table *elements, size_t nodes, unsigned type) {
    size_t counts[4];
    double *connectivity = array_of(text, "connectivity", &counts[0]), *offsets = array_of(text, "offsets", &counts[1]),
           *types = array_of(text, "types", &counts[2]), *body = array_of(text, "body", &counts[3]);
    size_t rows_ = am_table_rows(elements);
    assert_int_equal(counts[0], nodes * rows_);
    for (int i = 1; i < 4; i++)
        assert_int_equal(counts[i], rows_);
    for (size_t row = 0; row < rows_; row++) {
        assert_true(offsets[row] == (double)(nodes * (row + 1)));
        assert_true(types[row] == type);
        assert_true(body[row] == (strcmp(word(elements, row, "body"), word(elements, 0, "body")) == 0 ? 1 : 2));
        for (size_t k = 0; k < nodes; k++) {
            const char column[] = {'n', (char)('1' + (char)k), '\0'};
            assert_true(connectivity[nodes * row + k] == cell(elements, row, column) - 1);
        }
    }
    free(connectivity);
    free(offsets);
    free(types);
    free(body);
}

static void assert_file_holds_mesh(const char *folder, const char *mesh, size_t nodes, unsigned type) {
    am_result *result = mesh_result(mesh);
    char **files = write_all(folder, result, NULL);
    assert_true(lists(files, "fields.vtu"));
    char *text = contents(folder, "fields.vtu");
    assert_balanced(text);
    const am_table *points = table_of(result, "mesh_nodes");
    compare_points(text, points, "Points", (const char *const[]){"x", "y", NULL}, 3);
    compare_points(text, points, "displacement", (const char *const[]){"ux", "uy", NULL}, 3);
    compare_points(text, points, "mises", (const char *const[]){"mises"}, 1);
    compare_points(text, points, "stress", (const char *const[]){"sxx", "syy", "szz", "sxy", NULL, NULL}, 6);
    compare_cells(text, table_of(result, "mesh_elements"), nodes, type);
    am_memory_free(text);
    am_output_files_free(files);
    am_result_free(result);
}

static void test_a_mesh_of_quadrilaterals_is_written_as_vtk_cells_23(void **state) {
    assert_file_holds_mesh(*state, "blocks_q8_41.msh", 8, 23);
}

static void test_a_mesh_of_triangles_is_written_as_vtk_cells_22(void **state) {
    assert_file_holds_mesh(*state, "blocks_t6_41.msh", 6, 22);
}

static void test_fields_of_an_earlier_run_are_taken_away(void **state) {
    am_result *result = mesh_result("blocks_q8_41.msh"), *empty = am_result_create(NULL);
    am_output_files_free(write_all(*state, result, NULL));
    assert_true(am_output_is_file(*state, "fields.vtu"));
    am_output_files_free(write_all(*state, empty, NULL));
    assert_false(am_output_is_file(*state, "fields.vtu"));
    am_result_free(result);
    am_result_free(empty);
}

static void test_tables_that_are_no_mesh_are_refused_and_nothing_is_left(void **state) {
    am_result *result = am_result_create(NULL);
    am_table *nodes = am_result_add_table(result, "mesh_nodes", NULL);
    assert_int_equal(am_table_add_column(nodes, "x", "", AM_COLUMN_NUMBER, NULL), AM_OK);
    assert_non_null(am_result_add_table(result, "mesh_elements", NULL));
    am_report report = report_of(result, NULL);
    am_error err = {0};
    assert_int_equal(am_output_folder(&report, *state, NULL, &err), AM_ERR_INPUT);
    assert_says(&err, "table mesh_elements has no column 'body'");
    assert_false(am_output_is_file(*state, "fields.vtu"));
    assert_false(am_output_is_file(*state, "mesh_nodes.csv"));
    am_result_free(result);
}

/* ---- The drawn mesh ---- */

/* The image and the blocks of lines behind it. */
typedef struct drawing {
    size_t columns, lines, blocks;
    size_t polylines[4];
    double *level;
    char *script;
} drawing;

static void read_image(drawing *d, char **at) {
    size_t count = 0;
    d->level = malloc(strlen(*at) / 2 * sizeof *d->level); /* a digit and a comma at least */
    assert_non_null(d->level);
    for (char *end; **at != '\n' && **at; *at = end + 1) {
        double value = strtod(*at, &end); /* reads NaN too */
        assert_true(end != *at && (*end == ',' || *end == '\n'));
        d->level[count++] = value;
        if (*end == '\n' && d->columns == 0)
            d->columns = count;
    }
    d->lines = count / d->columns;
    assert_int_equal(count, d->lines * d->columns);
}

/* Script and data without running gnuplot. */
static drawing draw(const char *folder, const am_result *result, const am_figure *figure) {
    drawing d = {0};
    am_report report = report_of(result, figure);
    am_claim *claim = am_output_claim(folder, NULL);
    am_staging *staging;
    GOOD(am_staging_open(&staging, claim, err));
    assert_non_null(staging);
    GOOD(am_figure_write(&report, staging, err));
    d.script = contents(am_staging_folder(staging), "figure.gp");
    char *data = contents(am_staging_folder(staging), "figure.dat"), *at = data;
    am_staging_close(staging);
    am_output_release(claim);
    read_image(&d, &at);
    while (*at) {
        size_t blank = strspn(at, "\n");
        at += blank;
        if (!*at)
            break;
        d.blocks += blank >= 2;
        assert_true(d.blocks >= 1 && d.blocks <= 4);
        d.polylines[d.blocks - 1]++;
        while (*at && *at != '\n') /* points up to a blank line */
            at += strcspn(at, "\n") + 1;
    }
    am_memory_free(data);
    return d;
}

static void drop(drawing *d) {
    free(d->level);
    am_memory_free(d->script);
}

/* ux = x/100 is drawn exactly: levels 0..1000 over the range. */
static void test_the_image_shows_the_number_at_its_place(void **state) {
    const char *const files[] = {"blocks_q8_41.msh", "blocks_t6_41.msh"};
    for (size_t f = 0; f < 2; f++) {
        const double still = 0, range[2] = {0, 0.02}, x[2] = {-0.5, 2.5}, y[2] = {-0.5, 2.5};
        am_figure figure = {.kind = AM_FIGURE_MESH,
                            .value = "ux",
                            .deformation = &still,
                            .value_range = range,
                            .x_range = x,
                            .y_range = y};
        am_result *result = mesh_result(files[f]);
        drawing d = draw(*state, result, &figure);
        assert_int_equal(d.columns, 720);
        assert_int_equal(d.lines, 720);
        for (size_t j = 0; j < d.lines; j += 7)
            for (size_t i = 0; i < d.columns; i += 3) {
                double px = -0.5 + ((double)i + 0.5) / 240, py = -0.5 + ((double)j + 0.5) / 240;
                bool inside = px > 0.001 && px < 1.999 && py > 0.001 && py < 1.999; /* both blocks; a pixel is 1/240 */
                bool outside = px < -0.005 || px > 2.005 || py < -0.005 || py > 2.005;
                if (inside)
                    assert_near(d.level[j * d.columns + i], 500 * px, 0.51); /* whole levels, numbers as float */
                if (outside)
                    assert_true(isnan(d.level[j * d.columns + i]));
            }
        drop(&d);
        am_result_free(result);
    }
}

/* Two blocks of two quadrilaterals: 12 sides outside, 2 inside; drawn deformed, and the outlines at rest. */
static void test_outlines_are_told_from_inner_edges(void **state) {
    am_result *result = mesh_result("blocks_q8_41.msh");
    am_figure figure = {.kind = AM_FIGURE_MESH};
    drawing d = draw(*state, result, &figure);
    assert_int_equal(d.blocks, 3);
    assert_int_equal(d.polylines[0], 12); /* at rest */
    assert_int_equal(d.polylines[1], 2);
    assert_int_equal(d.polylines[2], 12);
    assert_non_null(strstr(d.script, "von Mises stress"));
    drop(&d);
    figure.no_edges = true;
    d = draw(*state, result, &figure);
    assert_int_equal(d.blocks, 2);
    drop(&d);
    am_result_free(result);
}

/* The largest displacement is hypot(0.02, 0.04) at (2, 2), the diagonal hypot(2, 2): 3.16 times would draw a
 * twentieth. */
static void test_the_scale_of_displacements_is_a_round_number_and_is_told(void **state) {
    am_result *result = mesh_result("blocks_q8_41.msh");
    am_figure figure = {.kind = AM_FIGURE_MESH};
    drawing d = draw(*state, result, &figure);
    assert_non_null(strstr(d.script, "displacements \xc3\x97 2'"));
    drop(&d);
    const double given = 7.5;
    figure.deformation = &given;
    d = draw(*state, result, &figure);
    assert_non_null(strstr(d.script, "displacements \xc3\x97 7.5'"));
    drop(&d);
    am_result_free(result);
}

static void test_a_column_that_is_not_there_is_refused(void **state) {
    am_result *result = mesh_result("blocks_q8_41.msh");
    am_figure figure = {.kind = AM_FIGURE_MESH, .value = "tresca"};
    am_report report = report_of(result, &figure);
    am_claim *claim = am_output_claim(*state, NULL);
    am_staging *staging;
    assert_int_equal(am_staging_open(&staging, claim, NULL), AM_OK);
    am_error err = {0};
    assert_int_equal(am_figure_write(&report, staging, &err), AM_ERR_INPUT);
    assert_blames(&err, "figure.value", "table \"mesh_nodes\" has no column \"tresca\"");
    am_staging_close(staging);
    am_output_release(claim);
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_mesh_of_quadrilaterals_is_written_as_vtk_cells_23, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(test_a_mesh_of_triangles_is_written_as_vtk_cells_22, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_fields_of_an_earlier_run_are_taken_away, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_tables_that_are_no_mesh_are_refused_and_nothing_is_left, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(test_the_image_shows_the_number_at_its_place, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_outlines_are_told_from_inner_edges, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_the_scale_of_displacements_is_a_round_number_and_is_told, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(test_a_column_that_is_not_there_is_refused, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
