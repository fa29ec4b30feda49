/* Format 2.2: every element carries its group. */
#include "imports/gmsh_raw.h"

void am_gmsh_2_nodes(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    long long count = am_gmsh_scan_text_int(scan, "the number of nodes");
    am_gmsh_scan_end_line(scan);
    for (long long i = 0; i < count && scan->status == AM_OK; i++) {
        am_gmsh_node *node = am_gmsh_add_node(raw, scan);
        if (!node)
            return;
        node->tag = (size_t)am_gmsh_scan_int(scan, "the number of a node");
        for (int axis = 0; axis < 3; axis++)
            node->place[axis] = am_gmsh_scan_number(scan, "the place of a node");
    }
}

/* The entity that stands for a group; 0 is none. Neighbours in the file are mostly of the same group. */
static size_t entity_of_group(am_gmsh_raw *raw, am_gmsh_scan *scan, int dimension, long long number) {
    number = number < 0 ? -number : number;
    for (size_t i = raw->entity_count; i-- > 0;)
        if (raw->entity[i].dimension == dimension && raw->entity[i].number == number)
            return i;
    if (raw->entity_count > AM_GMSH_MOST_GROUPS)
        am_gmsh_scan_fail(scan, "there are more than %d physical groups", AM_GMSH_MOST_GROUPS);
    am_gmsh_entity *entity = am_gmsh_add_entity(raw, scan);
    if (!entity)
        return 0;
    *entity = (am_gmsh_entity){dimension, number, raw->member_count, number != 0};
    if (number != 0)
        am_gmsh_add_member(raw, scan, number);
    return raw->entity_count - 1;
}

static void read_element(am_gmsh_raw *raw, am_gmsh_scan *scan, size_t tag, const am_gmsh_type *type, size_t tags) {
    long long group = 0;
    for (size_t i = 0; i < tags && scan->status == AM_OK; i++) {
        long long value = am_gmsh_scan_int(scan, "a tag of an element");
        group = i == 0 ? value : group;
    }
    size_t entity =
        type->dimension > 0 && scan->status == AM_OK ? entity_of_group(raw, scan, type->dimension, group) : 0;
    am_gmsh_read_element(raw, scan, type, entity, tag, false);
}

static void read_text_element(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    long long tag = am_gmsh_scan_int(scan, "the number of an element");
    long long code = am_gmsh_scan_int(scan, "the type of an element");
    size_t tags = am_gmsh_scan_count(scan, "the number of tags", false, 1, 4);
    if (scan->status != AM_OK)
        return;
    am_gmsh_type type = am_gmsh_type_of(scan, code, (size_t)tag);
    read_element(raw, scan, (size_t)tag, &type, tags);
}

/* A run of elements of one type. */
static size_t read_binary_run(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    long long code = am_gmsh_scan_int(scan, "the type of elements");
    size_t count = am_gmsh_scan_count(scan, "the number of elements", false, 1, 8);
    size_t tags = am_gmsh_scan_count(scan, "the number of tags", false, 1, 4);
    if (scan->status != AM_OK)
        return 0;
    if (count == 0)
        am_gmsh_scan_fail(scan, "a run of elements is empty; the file is damaged");
    am_gmsh_type type = {0};
    for (size_t i = 0; i < count && scan->status == AM_OK; i++) {
        long long tag = am_gmsh_scan_int(scan, "the number of an element");
        if (i == 0)
            type = am_gmsh_type_of(scan, code, (size_t)tag);
        read_element(raw, scan, (size_t)tag, &type, tags);
    }
    return count;
}

void am_gmsh_2_elements(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    long long count = am_gmsh_scan_text_int(scan, "the number of elements");
    am_gmsh_scan_end_line(scan);
    for (long long done = 0; done < count && scan->status == AM_OK;) {
        if (scan->binary)
            done += (long long)read_binary_run(raw, scan);
        else {
            read_text_element(raw, scan);
            done++;
        }
    }
}
