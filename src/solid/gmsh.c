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

/* ---- Nodes ---- */

static int compare_nodes(const void *a, const void *b) {
    const am_gmsh_node *x = a, *y = b;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static am_status sort_nodes(const am_gmsh_build *build) {
    am_gmsh_raw *raw = build->raw;
    if (raw->node_count > 0)
        qsort(raw->node, raw->node_count, sizeof *raw->node, compare_nodes);
    for (size_t i = 1; i < raw->node_count; i++)
        if (raw->node[i].tag == raw->node[i - 1].tag)
            return am_gmsh_build_fail(build, NULL, "there are two nodes %zu", raw->node[i].tag);
    return AM_OK;
}

size_t am_gmsh_find_node(const am_gmsh_raw *raw, size_t tag) {
    am_gmsh_node wanted = {.tag = tag};
    const am_gmsh_node *found =
        raw->node_count > 0 ? bsearch(&wanted, raw->node, raw->node_count, sizeof wanted, compare_nodes) : NULL;
    return found ? (size_t)(found - raw->node) : SIZE_MAX;
}

/* ---- Groups ---- */

static am_status find_group(const am_gmsh_build *build, int dimension, long long number, size_t *index) {
    am_gmsh_raw *raw = build->raw;
    for (size_t i = 0; i < raw->group_count; i++)
        if (raw->group[i].dimension == dimension && raw->group[i].number == number) {
            *index = i;
            return AM_OK;
        }
    am_gmsh_scan scan = {.path = build->path, .binary = true, .err = build->err}; /* there is no line to tell */
    am_gmsh_group *group = am_gmsh_add_group(raw, &scan);
    if (!group)
        return scan.status;
    group->dimension = dimension;
    group->number = number;
    *index = raw->group_count - 1;
    return AM_OK;
}

static am_status name_groups(const am_gmsh_build *build) {
    const am_gmsh_raw *raw = build->raw;
    for (size_t i = 0; i < raw->group_count; i++) {
        am_gmsh_group *group = &raw->group[i];
        if (!group->name[0])
            snprintf(group->name, sizeof group->name, "%lld", group->number);
        for (size_t j = 0; j < i; j++)
            if (raw->group[j].dimension == group->dimension && strcmp(raw->group[j].name, group->name) == 0)
                return am_gmsh_build_fail(build, NULL, "two physical groups of dimension %d are called '%s'",
                                          group->dimension, group->name);
    }
    return AM_OK;
}

/* Groups that no name was given to are found among the members. */
static am_status find_groups(am_gmsh_build *build) {
    const am_gmsh_raw *raw = build->raw;
    build->group_index = am_arena_new(&build->memory, raw->member_count, sizeof *build->group_index, build->err);
    if (!build->group_index)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < raw->entity_count; i++) {
        const am_gmsh_entity *entity = &raw->entity[i];
        for (size_t k = entity->first; k < entity->first + entity->groups; k++)
            AM_TRY(find_group(build, entity->dimension, raw->member[k], &build->group_index[k]));
    }
    return name_groups(build);
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
        body[group] = 0; /* it has elements */
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
        to->shape = from->shape;
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
    AM_TRY(sort_nodes(build));
    AM_TRY(find_groups(build));
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
