/* Meshes of Gmsh, text and binary: what is read is a mesh whose elements and lines name nodes and bodies that are
 * there, and the check of the mesh that a study makes of it ends with a verdict. */
#include <math.h>

#include "harness.h"
#include "solid/gmsh.h"

static void require_sound(const am_solid_mesh *mesh) {
    fuzz_require(mesh->elements > 0 && mesh->nodes > 0 && mesh->bodies > 0, "a mesh has bodies, elements and nodes");
    for (size_t i = 0; i < 2 * mesh->nodes; i++)
        fuzz_require(isfinite(mesh->place[i]), "nodes are somewhere");
    for (size_t e = 0; e < mesh->elements; e++) {
        const am_solid_element *element = &mesh->element[e];
        fuzz_require(element->body < mesh->bodies, "an element belongs to a body");
        for (size_t k = 0; k < am_shape_nodes(element->shape); k++)
            fuzz_require(element->node[k] < mesh->nodes, "an element has nodes of the mesh");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    am_solid_mesh mesh = {0};
    am_error err = {0};
    am_status status = am_gmsh_read(&mesh, fuzz_file(data, size), &err);
    if (status != AM_OK) {
        fuzz_require_failure(status, &err);
        fuzz_require(mesh.elements == 0 && mesh.nodes == 0, "a mesh that cannot be read is empty");
        return 0;
    }
    require_sound(&mesh);
    for (size_t i = 0; i < mesh.bodies; i++) {
        mesh.body[i].modulus = mesh.body[i].thickness = mesh.body[i].density = 1.0;
        mesh.body[i].poisson = 0.3;
    }
    status = am_solid_mesh_check(&mesh, &err);
    if (status != AM_OK)
        fuzz_require_failure(status, &err);
    am_solid_mesh_clear(&mesh);
    return 0;
}
