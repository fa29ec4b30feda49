#include "solid/mesh.h"
#include "base/try.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

void am_solid_mesh_clear(am_solid_mesh *mesh) {
    am_arena_clear(&mesh->memory);
    am_memory_free(mesh->place);
    am_memory_free(mesh->element);
    am_memory_free(mesh->body);
    am_memory_free(mesh->line);
    *mesh = (am_solid_mesh){0};
}

am_status am_solid_mesh_add_body(am_solid_mesh *mesh, const char *name, const am_solid_body *about, size_t *body,
                                 am_error *err) {
    if (am_solid_mesh_find_body(mesh, name) != SIZE_MAX)
        return am_fail(err, AM_ERR_INPUT, "two bodies are called '%s'; give every body a name of its own", name);
    AM_TRY(am_memory_resize(&mesh->body, mesh->bodies + 1, err));
    mesh->body[mesh->bodies] = *about;
    mesh->body[mesh->bodies].name = am_arena_text(&mesh->memory, name, strlen(name), err);
    *body = mesh->bodies++;
    return am_arena_status(&mesh->memory);
}

am_status am_solid_mesh_add_line(am_solid_mesh *mesh, const char *name, size_t body, size_t count, am_solid_line **line,
                                 am_error *err) {
    if (am_solid_mesh_find_line(mesh, name) != SIZE_MAX)
        return am_fail(err, AM_ERR_INPUT, "two lines are called '%s'; give every line a name of its own", name);
    AM_TRY(am_memory_resize(&mesh->line, mesh->lines + 1, err));
    *line = &mesh->line[mesh->lines++];
    **line = (am_solid_line){.name = am_arena_text(&mesh->memory, name, strlen(name), err),
                             .body = body,
                             .count = count,
                             .edge = am_arena_new(&mesh->memory, count, sizeof *(*line)->edge, err)};
    return am_arena_status(&mesh->memory);
}

size_t am_solid_mesh_find_line(const am_solid_mesh *mesh, const char *name) {
    for (size_t i = 0; i < mesh->lines; i++)
        if (strcmp(mesh->line[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

size_t am_solid_mesh_find_body(const am_solid_mesh *mesh, const char *name) {
    for (size_t i = 0; i < mesh->bodies; i++)
        if (strcmp(mesh->body[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

void am_solid_mesh_places(const am_solid_mesh *mesh, const am_solid_element *element, double (*place)[2]) {
    for (size_t a = 0; a < am_shape_nodes(element->shape); a++)
        memcpy(place[a], mesh->place + 2 * element->node[a], sizeof place[a]);
}

am_solid_edge am_solid_mesh_edge(const am_solid_mesh *mesh, size_t element, size_t side) {
    const am_solid_element *e = &mesh->element[element];
    size_t corners = am_shape_corners(e->shape);
    bool quadratic = am_shape_nodes(e->shape) > corners;
    return (am_solid_edge){
        .count = quadratic ? 3 : 2,
        .node = {e->node[side], e->node[(side + 1) % corners], quadratic ? e->node[corners + side] : 0},
        .element = element};
}
