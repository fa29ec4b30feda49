/* Meshes of Gmsh as nodes, cells and sets: physical groups of any dimension are sets of their nodes. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "imports/gmsh_raw.h"
#include "imports/imported_mesh.h"

/* Of Gmsh's types from 1 on: the shape, and where its nodes stand in Gmsh's order; NULL: in the same. Nodes inside of faces and
 * bodies (types 12 to 14) are left out. */
static const unsigned char tetra[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const unsigned char hexahedron[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};
static const unsigned char wedge[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11};
static const unsigned char pyramid[] = {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12};
static const struct {
    am_cell_shape shape;
    const unsigned char *order;
} types[] = {{AM_CELL_LINE, NULL},
             {AM_CELL_TRIANGLE, NULL},
             {AM_CELL_QUAD, NULL},
             {AM_CELL_TETRA, NULL},
             {AM_CELL_HEXAHEDRON, NULL},
             {AM_CELL_WEDGE, NULL},
             {AM_CELL_PYRAMID, NULL},
             {AM_CELL_LINE_3, NULL},
             {AM_CELL_TRIANGLE_6, NULL},
             {AM_CELL_QUAD_9, NULL},
             {AM_CELL_TETRA_10, tetra},
             {AM_CELL_HEXAHEDRON_20, hexahedron},
             {AM_CELL_WEDGE_15, wedge},
             {AM_CELL_PYRAMID_13, pyramid},
             {0, NULL}, /* points are not kept */
             {AM_CELL_QUAD_8, NULL},
             {AM_CELL_HEXAHEDRON_20, hexahedron},
             {AM_CELL_WEDGE_15, wedge},
             {AM_CELL_PYRAMID_13, pyramid}};

static am_status check_number(size_t tag, const char *path, am_error *err) {
    return tag <= LONG_MAX ? AM_OK : am_fail(err, AM_ERR_INPUT, "%s: the number of a node is too large", path);
}

static am_status take_cell(const am_gmsh_element *element, am_import_mesh *grid, am_error *err) {
    long corner[AM_CELL_MOST_NODES];
    am_cell_shape shape = types[element->type - 1].shape;
    const unsigned char *order = types[element->type - 1].order;
    for (size_t k = 0; k < am_cell_nodes(shape); k++)
        corner[k] = (long)element->node[order ? order[k] : k];
    return am_import_mesh_add_cell(grid, shape, corner, err);
}

static am_status take_sets(const am_gmsh_raw *raw, const am_gmsh_element *element, const size_t *group, am_sets *sets,
                           am_error *err) {
    const am_gmsh_entity *entity = &raw->entity[element->entity];
    for (size_t g = entity->first; g < entity->first + entity->groups; g++)
        for (size_t k = 0; k < element->count; k++)
            AM_TRY(am_sets_add(sets, raw->group[group[g]].name, (long)element->node[k], err));
    return AM_OK;
}

static am_status convert(am_gmsh_raw *raw, const char *path, const size_t *group, am_import_mesh *grid, am_sets *sets,
                         am_error *err) {
    for (size_t g = 0; g < raw->group_count; g++)
        for (size_t h = 0; h < g; h++)
            if (strcmp(raw->group[g].name, raw->group[h].name) == 0)
                return am_fail(err, AM_ERR_INPUT, "%s: two physical groups are called '%s'", path, raw->group[g].name);
    for (size_t i = 0; i < raw->node_count; i++) {
        AM_TRY(check_number(raw->node[i].tag, path, err));
        AM_TRY(am_import_mesh_add_node(grid, (long)raw->node[i].tag, raw->node[i].place, err));
    }
    for (size_t e = 0; e < raw->element_count; e++) {
        for (size_t k = 0; k < raw->element[e].count; k++)
            AM_TRY(check_number(raw->element[e].node[k], path, err));
        AM_TRY(take_cell(&raw->element[e], grid, err));
        AM_TRY(take_sets(raw, &raw->element[e], group, sets, err));
    }
    am_sets_sort(sets);
    return am_import_mesh_sort(grid, path, err);
}

am_status am_import_mesh_read_gmsh(am_import_mesh *grid, am_sets *sets, const char *path, am_error *err) {
    AM_LOCAL(am_gmsh_raw_free) am_gmsh_raw raw = {0};
    AM_LOCAL_ARENA memory = {0};
    size_t *group = NULL;
    AM_TRY(am_gmsh_raw_read(&raw, path, NULL, err));
    AM_TRY(am_gmsh_sort_nodes(&raw, path, err));
    AM_TRY(am_gmsh_find_groups(&raw, path, &memory, &group, err));
    return convert(&raw, path, group, grid, sets, err);
}
