/* Model `mesh` from C: the structure that a study of the same file has, bit by bit, and what is refused, by field. */
#include <stdio.h>
#include <string.h>

#include "amontons/mesh.h"
#include "errors.h"
#include "math/sparse.h"
#include "study_text.h"

#define FILE_OF_BLOCKS AMONTONS_SOURCE_DIR "/tests/data/blocks_q8_41.msh"

/* Two blocks, one on the other, pressed together and pushed. */
typedef struct blocks {
    am_mesh mesh;
    am_mesh_body bodies[2];
    am_mesh_contact contact;
    am_mesh_support support;
    am_mesh_load loads[2];
} blocks;

static void fill(blocks *b, size_t modes) {
    *b = (blocks){.mesh = am_mesh_default(),
                  .bodies = {{"below", 100.0, 0.0, 2.0, 3.0, true}, {"above", 50.0, 0.0, 2.0, 3.0, true}},
                  .contact = {.name = "above.contact",
                              .slave = "above.contact",
                              .master = "below.contact",
                              .friction = {.law = AM_FRICTION_COULOMB, .kinetic = 0.3, .fixed = 0.3}},
                  .support = {{.name = "bottom"}, {true, true}},
                  .loads = {{{.name = "top"}, {0.0, -12.0}, am_function_constant(1.0)},
                            {{.name = "top"}, {1.0, 0.0}, am_function_ramp(0.0, 1.0)}}};
    b->mesh.file = FILE_OF_BLOCKS;
    b->mesh.body_count = 2;
    b->mesh.bodies = b->bodies;
    b->mesh.contact_count = b->mesh.support_count = 1;
    b->mesh.contacts = &b->contact;
    b->mesh.supports = &b->support;
    b->mesh.load_count = 2;
    b->mesh.loads = b->loads;
    b->mesh.modes = modes;
    b->mesh.stiffness_damping = modes > 0 ? 0.05 : 0.0;
}

static void same_matrix(const am_matrix *a, const am_matrix *b) {
    assert_int_equal(am_matrix_rows(a), am_matrix_rows(b));
    for (size_t i = 0; i < am_matrix_rows(a); i++)
        for (size_t j = 0; j < am_matrix_columns(a); j++)
            assert_true(am_matrix_at(a, i, j) == am_matrix_at(b, i, j));
}

static void a_mesh_from_c_is_the_structure_of_the_study(void **state) {
    (void)state;
    for (size_t modes = 0; modes <= 4; modes += 4) {
        blocks b;
        am_error err = {0};
        char text[2000];
        fill(&b, modes);
        am_system *made = am_mesh_create(&b.mesh, &err);
        if (!made)
            fail_msg("%s: %s", err.field, err.message);
        snprintf(
            text, sizeof text,
            "model: {kind: mesh, file: " FILE_OF_BLOCKS
            ", modes: %zu, stiffness_damping: %g, bodies: [{name: below, E: "
            "100, nu: 0, thickness: 3, density: 2, plane: stress}, {name: above, E: 50, nu: 0, thickness: 3, density: "
            "2, plane: stress}], contacts: [{slave: above.contact, master: below.contact, f: 0.3}], supports: [{line: "
            "bottom}], loads: [{line: top, force: [0, -12]}, {line: top, force: [1, 0], ramp: 1}]}\n"
            "analysis: {kind: path, until: 1}\n",
            modes, b.mesh.stiffness_damping);
        am_study *study = read_text(text);
        const am_system *asked = am_study_system(study);
        assert_int_equal(am_system_size(made), am_system_size(asked));
        assert_int_equal(am_system_contacts(made), am_system_contacts(asked));
        same_matrix(am_system_stiffness(made), am_system_stiffness(asked));
        same_matrix(am_system_mass(made), am_system_mass(asked));
        same_matrix(am_system_damping(made), am_system_damping(asked));
        assert_true(modes == 0 || am_system_size(made) > am_system_contacts(made) * 2);
        am_study_free(study);
        am_system_free(made);
    }
}

static void refused(const blocks *b, const char *field, const char *words) {
    am_error err = {0};
    assert_null(am_mesh_create(&b->mesh, &err));
    assert_string_equal(err.field, field);
    assert_says(&err, words);
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    blocks b;
    fill(&b, 0);
    b.mesh.text = "nothing";
    refused(&b, "file", "one of the two");
    b.mesh.text = NULL;
    b.mesh.file = AMONTONS_SOURCE_DIR "/tests/data/no such file.msh";
    refused(&b, "file", "");
    fill(&b, 0);
    b.bodies[1].name = "elsewhere";
    refused(&b, "bodies[1]", "'below', 'above'");
    b.bodies[1].name = "below";
    refused(&b, "bodies[1]", "given twice");
    fill(&b, 0);
    b.mesh.body_count = 1;
    refused(&b, "bodies", "'above'");
    fill(&b, 0);
    b.loads[1].place.name = "bottom"; /* which the support holds */
    refused(&b, "loads[1].force", "no contact feels");
    fill(&b, 0);
    b.mesh.cookie = 0;
    refused(&b, "", "am_mesh_default");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_mesh_from_c_is_the_structure_of_the_study),
                                       cmocka_unit_test(what_is_wrong_is_named)};
    if (!am_sparse_available())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
