/* Format 4.1: elements belong to curves and surfaces of the drawing (entities), and these to groups. Text and binary
 * files have the same numbers in the same order. */
#include <stdint.h>
#include <stdlib.h>

#include "imports/gmsh_raw.h"

/* ---- Entities ---- */

static void read_entity(am_gmsh_raw *raw, am_gmsh_scan *scan, int dimension) {
    long long number = am_gmsh_scan_int(scan, "the number of an entity");
    for (int i = 0; i < (dimension == 0 ? 3 : 6); i++)
        am_gmsh_scan_number(scan, "the place of an entity");
    size_t groups = am_gmsh_scan_count(scan, "the number of groups of an entity", true, 1, 4);
    am_gmsh_entity *entity = am_gmsh_add_entity(raw, scan);
    if (!entity)
        return;
    *entity = (am_gmsh_entity){dimension, number, raw->member_count, groups};
    for (size_t i = 0; i < groups && scan->status == AM_OK; i++)
        am_gmsh_add_member(raw, scan, am_gmsh_scan_int(scan, "the group of an entity"));
    size_t bounds = dimension == 0 ? 0 : am_gmsh_scan_count(scan, "the number of bounds of an entity", true, 1, 4);
    for (size_t i = 0; i < bounds && scan->status == AM_OK; i++)
        am_gmsh_scan_int(scan, "a bound of an entity");
}

static int compare_entities(const void *a, const void *b) {
    const am_gmsh_entity *x = a, *y = b;
    if (x->dimension != y->dimension)
        return x->dimension < y->dimension ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void am_gmsh_4_entities(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    size_t count[4];
    for (int dimension = 0; dimension < 4; dimension++)
        count[dimension] = am_gmsh_scan_count(scan, "the number of entities", true, 4, 20);
    for (int dimension = 0; dimension < 4; dimension++)
        for (size_t i = 0; i < count[dimension] && scan->status == AM_OK; i++)
            read_entity(raw, scan, dimension);
    if (raw->entity_count > 0)
        qsort(raw->entity, raw->entity_count, sizeof *raw->entity, compare_entities);
}

/* ---- Nodes ---- */

static size_t read_node_block(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    long long dimension = am_gmsh_scan_int(scan, "the dimension of an entity");
    am_gmsh_scan_int(scan, "the number of an entity");
    long long parametric = am_gmsh_scan_int(scan, "0 or 1");
    size_t count = am_gmsh_scan_count(scan, "the number of nodes", true, 4, 32), first = raw->node_count;
    if (dimension < 0 || dimension > 3)
        am_gmsh_scan_fail(scan, "the dimension of an entity must be 0 to 3, not %lld", dimension);
    for (size_t i = 0; i < count && scan->status == AM_OK; i++) {
        am_gmsh_node *node = am_gmsh_add_node(raw, scan);
        if (node)
            node->tag = am_gmsh_scan_size(scan, "the number of a node");
    }
    for (size_t i = 0; i < count && scan->status == AM_OK; i++) {
        for (int axis = 0; axis < 3; axis++)
            raw->node[first + i].place[axis] = am_gmsh_scan_number(scan, "the place of a node");
        for (long long k = 0; parametric != 0 && k < dimension; k++)
            am_gmsh_scan_number(scan, "a parameter of a node");
    }
    return count;
}

/* The sizes at the head of a section (blocks, items, least and greatest number) and its blocks. */
static void read_blocks(am_gmsh_raw *raw, am_gmsh_scan *scan, const char *what,
                        size_t (*read_block)(am_gmsh_raw *, am_gmsh_scan *)) {
    size_t blocks = am_gmsh_scan_count(scan, "the number of blocks", true, 4, 20), found = 0;
    size_t told = am_gmsh_scan_size(scan, "how many there are");
    am_gmsh_scan_size(scan, "the least number");
    am_gmsh_scan_size(scan, "the greatest number");
    for (size_t i = 0; i < blocks && scan->status == AM_OK; i++)
        found += read_block(raw, scan);
    if (told != found)
        am_gmsh_scan_fail(scan, "the section holds %zu %s, but tells of %zu", found, what, told);
}

void am_gmsh_4_nodes(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    read_blocks(raw, scan, "nodes", read_node_block);
}

/* ---- Elements ---- */

static size_t find_entity(const am_gmsh_raw *raw, int dimension, long long number) {
    am_gmsh_entity wanted = {.dimension = dimension, .number = number};
    const am_gmsh_entity *found =
        raw->entity_count > 0 ? bsearch(&wanted, raw->entity, raw->entity_count, sizeof *raw->entity, compare_entities)
                              : NULL;
    return found ? (size_t)(found - raw->entity) : SIZE_MAX;
}

static size_t read_element_block(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    long long dimension = am_gmsh_scan_int(scan, "the dimension of an entity");
    long long number = am_gmsh_scan_int(scan, "the number of an entity");
    long long code = am_gmsh_scan_int(scan, "the type of elements");
    size_t count = am_gmsh_scan_count(scan, "the number of elements", true, 2, 16);
    am_gmsh_type type = {0};
    size_t entity = 0;
    for (size_t i = 0; i < count && scan->status == AM_OK; i++) {
        size_t tag = am_gmsh_scan_size(scan, "the number of an element");
        if (i == 0) {
            type = am_gmsh_type_of(scan, code, tag);
            entity = find_entity(raw, type.dimension, number);
            if (scan->status == AM_OK && dimension != type.dimension)
                am_gmsh_scan_fail(scan, "element %zu, of dimension %d, lies on an entity of dimension %lld", tag,
                                  type.dimension, dimension);
            if (entity == SIZE_MAX && type.dimension > 0)
                am_gmsh_scan_fail(scan, "element %zu lies on entity %lld, which $Entities does not list", tag, number);
        }
        am_gmsh_read_element(raw, scan, &type, entity, tag, true);
    }
    return count;
}

void am_gmsh_4_elements(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    read_blocks(raw, scan, "elements", read_element_block);
}
