#include "solid/gmsh.h"
#include "base/try.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solid/element.h"
#include "solid/gmsh_build.h"

am_status am_gmsh_build_fail(const am_gmsh_build *build, const am_gmsh_element *element, const char *format, ...) {
    char text[700];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (element && element->line > 0)
        return am_fail(build->err, AM_ERR_INPUT, "%s:%zu: %s", build->path, element->line, text);
    return am_fail(build->err, AM_ERR_INPUT, "%s: %s", build->path, text);
}

/* ---- Kinds of elements ---- */

static bool shape_of(int type, am_shape *shape) {
    static const struct {
        int type;
        am_shape shape;
    } known[] = {{3, AM_QUAD4}, {16, AM_QUAD8}, {9, AM_TRIANGLE6}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].type == type) {
            *shape = known[i].shape;
            return true;
        }
    return false;
}

static am_status refuse(const am_gmsh_build *build, const am_gmsh_element *element) {
    if (element->dimension == 3)
        return am_gmsh_build_fail(build, element,
                                  "element %zu is three-dimensional; bodies are plane here: mesh in two dimensions",
                                  element->tag);
    if (element->count == 3)
        return am_gmsh_build_fail(build, element,
                                  "element %zu is a triangle of 3 nodes, which is too stiff; mesh with order 2 "
                                  "(Mesh.ElementOrder = 2), or with quadrilaterals alone",
                                  element->tag);
    return am_gmsh_build_fail(build, element,
                              "element %zu is a quadrilateral of 9 nodes; mesh with Mesh.SecondOrderIncomplete = 1 "
                              "for those of 8",
                              element->tag);
}

static am_status check_shapes(const am_gmsh_build *build) {
    am_shape shape;
    for (size_t i = 0; i < build->raw->element_count; i++) {
        const am_gmsh_element *element = &build->raw->element[i];
        if (element->dimension > 1 && !shape_of(element->type, &shape))
            return refuse(build, element);
    }
    return AM_OK;
}

/* ---- Bodies and their elements ---- */

/* The one group that a surface belongs to. */
static am_status body_group(const am_gmsh_build *build, const am_gmsh_element *element, size_t *group) {
    const am_gmsh_entity *entity = &build->raw->entity[element->entity];
    const am_gmsh_group *groups = build->raw->group;
    if (entity->groups == 0)
        return am_gmsh_build_fail(build, element,
                                  "element %zu belongs to no physical surface; give every body a name: Physical "
                                  "Surface(\"block\") = {...}",
                                  element->tag);
    *group = build->group_index[entity->first];
    if (entity->groups > 1)
        return am_gmsh_build_fail(
            build, element, "element %zu belongs to the physical surfaces '%s' and '%s', but only to one body",
            element->tag, groups[*group].name, groups[build->group_index[entity->first + 1]].name);
    return AM_OK;
}

/* Bodies in the order of their groups; `body` of each group, SIZE_MAX without elements. */
static am_status add_bodies(const am_gmsh_build *build, size_t *body) {
    const am_gmsh_raw *raw = build->raw;
    for (size_t i = 0; i < raw->element_count; i++) {
        size_t group = 0;
        if (raw->element[i].dimension != 2)
            continue;
        AM_TRY(body_group(build, &raw->element[i], &group));
        body[group] = 0; /* this body has elements */
    }
    for (size_t g = 0; g < raw->group_count; g++)
        if (body[g] != SIZE_MAX)
            AM_TRY(am_solid_mesh_add_body(build->mesh, raw->group[g].name, &(am_solid_body){0}, &body[g], build->err));
    return AM_OK;
}

static am_status take_nodes_of(const am_gmsh_build *build, const am_gmsh_element *from, am_solid_element *to,
                               size_t *index) {
    for (size_t k = 0; k < from->count; k++) {
        size_t node = am_gmsh_find_node(build->raw, from->node[k]);
        if (node == SIZE_MAX)
            return am_gmsh_build_fail(build, from, "element %zu has the node %zu, which $Nodes does not list",
                                      from->tag, from->node[k]);
        to->node[k] = node; /* of the file; renumbered when all used ones are known */
        index[node] = 0;
    }
    return AM_OK;
}

static am_status take_elements(am_gmsh_build *build, const size_t *body, size_t *index) {
    const am_gmsh_raw *raw = build->raw;
    am_solid_mesh *mesh = build->mesh;
    size_t count = 0;
    for (size_t i = 0; i < raw->element_count; i++)
        count += raw->element[i].dimension == 2;
    if (count == 0)
        return am_gmsh_build_fail(build, NULL,
                                  "there are no elements of surfaces; mesh in two dimensions (gmsh -2) with physical "
                                  "surfaces");
    mesh->element = am_memory_new(count, sizeof *mesh->element, build->err);
    build->source = am_arena_new(&build->memory, count, sizeof *build->source, build->err);
    if (!mesh->element || !build->source)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < raw->element_count; i++) {
        const am_gmsh_element *from = &raw->element[i];
        if (from->dimension != 2)
            continue;
        am_solid_element *to = &mesh->element[mesh->elements];
        build->source[mesh->elements++] = i;
        shape_of(from->type, &to->shape);
        to->body = body[build->group_index[raw->entity[from->entity].first]];
        AM_TRY(take_nodes_of(build, from, to, index));
    }
    return AM_OK;
}

/* Nodes that elements use, numbered as they are in the file. Bodies are plane: z is the same everywhere. */
static am_status take_places(const am_gmsh_build *build, size_t *index) {
    const am_gmsh_raw *raw = build->raw;
    am_solid_mesh *mesh = build->mesh;
    const am_gmsh_node *first = NULL;
    double size = 0;
    for (size_t i = 0; i < raw->node_count; i++) {
        if (index[i] == SIZE_MAX)
            continue;
        index[i] = mesh->nodes++;
        first = first ? first : &raw->node[i];
        size = fmax(size, fmax(fabs(raw->node[i].place[0]), fabs(raw->node[i].place[1])));
    }
    mesh->place = am_memory_new(2 * mesh->nodes, sizeof *mesh->place, build->err);
    if (!mesh->place)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < raw->node_count; i++) {
        if (index[i] == SIZE_MAX)
            continue;
        if (!(fabs(raw->node[i].place[2] - first->place[2]) <= 1e-9 * size))
            return am_gmsh_build_fail(build, NULL,
                                      "bodies must be plane: node %zu is at z = %g, but node %zu at z = %g",
                                      raw->node[i].tag, raw->node[i].place[2], first->tag, first->place[2]);
        mesh->place[2 * index[i]] = raw->node[i].place[0];
        mesh->place[2 * index[i] + 1] = raw->node[i].place[1];
    }
    return AM_OK;
}

/* The same element walked the other way from its first corner: side k becomes side corners - 1 - k. */
static void reverse_nodes(am_solid_element *element) {
    size_t corners = am_shape_corners(element->shape), nodes = am_shape_nodes(element->shape);
    am_solid_element old = *element;
    for (size_t k = 1; k < corners; k++)
        element->node[k] = old.node[corners - k];
    for (size_t k = corners; k < nodes; k++)
        element->node[k] = old.node[corners + nodes - 1 - k];
}

static void orient(am_solid_mesh *mesh, const size_t *index) {
    double place[AM_SHAPE_MOST][2];
    for (size_t e = 0; e < mesh->elements; e++) {
        am_solid_element *element = &mesh->element[e];
        for (size_t k = 0; k < am_shape_nodes(element->shape); k++)
            element->node[k] = index[element->node[k]];
        am_solid_mesh_places(mesh, element, place);
        if (am_element_area((const double(*)[2])place, am_shape_corners(element->shape)) < 0)
            reverse_nodes(element);
    }
}

static am_status make_mesh(am_gmsh_build *build, size_t *body, size_t *index) {
    const am_gmsh_raw *raw = build->raw;
    for (size_t i = 0; i < raw->group_count; i++)
        body[i] = SIZE_MAX;
    for (size_t i = 0; i < raw->node_count; i++)
        index[i] = SIZE_MAX;
    AM_TRY(add_bodies(build, body));
    AM_TRY(take_elements(build, body, index));
    AM_TRY(take_places(build, index));
    orient(build->mesh, index);
    AM_TRY(am_gmsh_build_sides(build));
    return am_gmsh_build_lines(build, index);
}

static am_status convert(am_gmsh_build *build) {
    AM_TRY(check_shapes(build));
    AM_TRY(am_gmsh_sort_nodes(build->raw, build->path, build->err));
    AM_TRY(am_gmsh_find_groups(build->raw, build->path, &build->memory, &build->group_index, build->err));
    size_t *body = am_arena_new(&build->memory, build->raw->group_count, sizeof *body, build->err);
    size_t *index = am_arena_new(&build->memory, build->raw->node_count, sizeof *index, build->err);
    am_status status = am_arena_status(&build->memory);
    return status ? status : make_mesh(build, body, index);
}

static am_status read_mesh(am_solid_mesh *mesh, const char *path, const char *text, am_error *err) {
    am_gmsh_raw raw = {0};
    am_gmsh_build build = {.path = path, .raw = &raw, .mesh = mesh, .err = err};
    am_status status = am_gmsh_raw_read(&raw, path, text, err);
    if (status == AM_OK)
        status = convert(&build);
    if (status != AM_OK)
        am_solid_mesh_clear(mesh);
    am_arena_clear(&build.memory);
    am_gmsh_raw_free(&raw);
    return status;
}

am_status am_gmsh_read(am_solid_mesh *mesh, const char *path, am_error *err) {
    return read_mesh(mesh, path, NULL, err);
}

am_status am_gmsh_read_text(am_solid_mesh *mesh, const char *name, const char *text, am_error *err) {
    return read_mesh(mesh, name, text, err);
}
