/* Matrices, labels and meshes of other programs: what is read is square and finite, symmetric unless it is said where it is
 * not, and has a label for each row or none. MATLAB files are libmatio's to read. */
#include <math.h>
#include <string.h>

#include "harness.h"
#include "imports/import.h"
#include "imports/imported_mesh.h"

static const size_t small = 64; /* looked at entry by entry */

static void require_sound(const am_import *import, const am_import_matrix *part) {
    size_t n = am_matrix_rows(part->matrix);
    fuzz_require(n > 0 && n == am_matrix_columns(part->matrix), "a matrix is square");
    fuzz_require(isfinite(am_matrix_largest(part->matrix)), "entries are finite");
    fuzz_require(import->labels.count == 0 || import->labels.count == n, "each row has a label, or none has");
    if (n > small || part->asymmetry[0])
        return;
    double largest = am_matrix_largest(part->matrix);
    fuzz_require(am_matrix_asymmetry(part->matrix) <= 1e-8 * largest, "it is symmetric, or it is said where it is not");
}

static void read_labels(const char *path) {
    am_error err = {0};
    am_labels labels;
    am_status status = am_labels_read(&labels, path, &err);
    if (status)
        fuzz_require_failure(status, &err);
    for (size_t i = 0; !status && i < labels.count; i++)
        fuzz_require(am_labels_find(&labels, labels.label[i]) == i, "labels are found again");
    am_labels_clear(&labels);
}

static void read_mesh(const char *path) {
    am_error err = {0};
    am_sets sets = {0};
    am_import_mesh mesh = {0};
    am_status status = am_import_mesh_read(&mesh, &sets, path, &err);
    if (status)
        fuzz_require_failure(status, &err);
    for (size_t i = 0; !status && i < sets.count; i++)
        for (size_t k = 1; k < sets.set[i].count; k++)
            fuzz_require(sets.set[i].node[k - 1] < sets.set[i].node[k], "nodes of a set ascend");
    for (size_t i = 0; !status && i < mesh.count; i++)
        fuzz_require(am_import_mesh_find(&mesh, mesh.node[i].number) == i, "nodes are found again");
    for (size_t k = 0; !status && k < mesh.corner_count; k++)
        fuzz_require((size_t)mesh.corner[k] < mesh.count, "elements have nodes of the mesh");
    am_import_mesh_clear(&mesh);
    am_sets_clear(&sets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    am_error err = {0};
    am_import import;
    if (size >= 6 && memcmp(data, "MATLAB", 6) == 0)
        return 0;
    const char *path = fuzz_file(data, size);
    am_status status = am_import_read(&import, path, AM_IMPORT_ANY, &err);
    if (status)
        fuzz_require_failure(status, &err);
    for (size_t i = 0; !status && i < import.count; i++)
        require_sound(&import, &import.part[i]);
    if (!status)
        am_import_clear(&import);
    read_labels(path);
    read_mesh(path);
    return 0;
}
