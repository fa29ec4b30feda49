#include "imports/gmsh_raw.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"

void am_gmsh_raw_free(am_gmsh_raw *raw) {
    am_memory_free(raw->group);
    am_memory_free(raw->entity);
    am_memory_free(raw->member);
    am_memory_free(raw->node);
    am_memory_free(raw->element);
    *raw = (am_gmsh_raw){0};
}

/* ---- Lists that grow with what was really read ---- */

/* Space for one more item of a list; the scan remembers a failure. */
#define HAS_SPACE(scan, list, space, count)                                                                            \
    (!(scan)->status && !((scan)->status = am_memory_reserve((list), (space), (count) + 1, (scan)->err)))

static am_gmsh_group *gmsh_add_group(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    if (raw->group_count == AM_GMSH_MOST_GROUPS)
        am_gmsh_scan_fail(scan, "there are more than %d physical groups", AM_GMSH_MOST_GROUPS);
    if (!HAS_SPACE(scan, &raw->group, &raw->group_capacity, raw->group_count))
        return NULL;
    raw->group[raw->group_count] = (am_gmsh_group){0};
    return &raw->group[raw->group_count++];
}

am_gmsh_entity *am_gmsh_add_entity(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    if (!HAS_SPACE(scan, &raw->entity, &raw->entity_capacity, raw->entity_count))
        return NULL;
    raw->entity[raw->entity_count] = (am_gmsh_entity){0};
    return &raw->entity[raw->entity_count++];
}

/* The sign of a group tells how the curve runs, which the elements know better. */
void am_gmsh_add_member(am_gmsh_raw *raw, am_gmsh_scan *scan, long long group) {
    if (HAS_SPACE(scan, &raw->member, &raw->member_capacity, raw->member_count))
        raw->member[raw->member_count++] = group < 0 ? -group : group;
}

am_gmsh_node *am_gmsh_add_node(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    if (!HAS_SPACE(scan, &raw->node, &raw->node_capacity, raw->node_count))
        return NULL;
    raw->node[raw->node_count] = (am_gmsh_node){0};
    return &raw->node[raw->node_count++];
}

void am_gmsh_read_element(am_gmsh_raw *raw, am_gmsh_scan *scan, const am_gmsh_type *type, size_t entity, size_t tag,
                          bool wide) {
    am_gmsh_element element = {.tag = tag,
                               .entity = entity,
                               .line = scan->binary ? 0 : scan->line,
                               .dimension = type->dimension,
                               .type = type->type,
                               .count = type->nodes};
    for (size_t i = 0; i < type->nodes; i++) {
        long long narrow = wide ? 0 : am_gmsh_scan_int(scan, "a node of an element");
        element.node[i] = wide ? am_gmsh_scan_size(scan, "a node of an element") : narrow > 0 ? (size_t)narrow : 0;
    }
    if (type->dimension > 0 && HAS_SPACE(scan, &raw->element, &raw->element_capacity, raw->element_count))
        raw->element[raw->element_count++] = element;
}

/* ---- Kinds of elements ---- */

/* Dimension and nodes of Gmsh's types from 1 on. */
static const struct {
    unsigned char dimension, nodes;
} known_types[] = {{1, 2},  {2, 3},  {2, 4},  {3, 4},  {3, 8}, {3, 6}, {3, 5},  {1, 3},  {2, 6}, {2, 9},
                   {3, 10}, {3, 27}, {3, 18}, {3, 14}, {0, 1}, {2, 8}, {3, 20}, {3, 15}, {3, 13}};

am_gmsh_type am_gmsh_type_of(am_gmsh_scan *scan, long long type, size_t tag) {
    if (type >= 1 && type <= (long long)(sizeof known_types / sizeof *known_types))
        return (am_gmsh_type){(int)type, known_types[type - 1].dimension, known_types[type - 1].nodes};
    am_gmsh_scan_fail(scan,
                      "element %zu is of Gmsh's type %lld, which is not read; elements of orders 1 and 2 are "
                      "(Mesh.ElementOrder)",
                      tag, type);
    return (am_gmsh_type){0};
}

/* ---- Sections ---- */

/* "2.2 0 8", then in binary files the number one, to tell which way bytes go. */
static void read_format(am_gmsh_scan *scan, bool *fourth) {
    char version[32];
    am_gmsh_scan_word(scan, version, sizeof version);
    long long binary = am_gmsh_scan_text_int(scan, "0 (text) or 1 (binary)");
    long long size = am_gmsh_scan_text_int(scan, "the size of a number, 8");
    *fourth = strcmp(version, "4.1") == 0;
    if (!*fourth && strcmp(version, "2.2") != 0)
        am_gmsh_scan_fail(scan, "the file is of format %.20s; expected 4.1 or 2.2 (gmsh -format msh41)", version);
    if ((binary != 0 && binary != 1) || size != 8)
        am_gmsh_scan_fail(scan, "the format must read '%s 0 8' (text) or '%s 1 8' (binary)", version, version);
    am_gmsh_scan_end_line(scan);
    if (scan->status != AM_OK || binary == 0)
        return;
    scan->binary = true;
    const char *start = scan->at;
    if (am_gmsh_scan_int(scan, "the number 1") == 1)
        return;
    scan->at = start;
    scan->swapped = true;
    if (am_gmsh_scan_int(scan, "the number 1") != 1)
        am_gmsh_scan_fail(scan, "the binary number after the format is not 1; the file is damaged");
}

static void read_names(am_gmsh_raw *raw, am_gmsh_scan *scan) {
    long long count = am_gmsh_scan_text_int(scan, "the number of physical names");
    for (long long i = 0; i < count && scan->status == AM_OK; i++) {
        long long dimension = am_gmsh_scan_text_int(scan, "the dimension of a physical group");
        long long number = am_gmsh_scan_text_int(scan, "the number of a physical group");
        am_gmsh_group *group = gmsh_add_group(raw, scan);
        if (!group)
            return;
        group->dimension = dimension >= 0 && dimension <= 3 ? (int)dimension : 3;
        group->number = number;
        am_gmsh_scan_quoted(scan, group->name, sizeof group->name);
    }
}

typedef struct progress {
    bool format, fourth, nodes, elements;
} progress;

static void refuse_section(am_gmsh_scan *scan, const char *name) {
    if (strcmp(name, "PartitionedEntities") == 0)
        am_gmsh_scan_fail(scan, "the mesh is divided into partitions; write it without them");
    if (strcmp(name, "ParametricNodes") == 0)
        am_gmsh_scan_fail(scan, "nodes are written with parameters; write them with Mesh.SaveParametric = 0");
}

/* True: the section was read up to its end mark; false: it is none of ours. */
static bool read_section(am_gmsh_raw *raw, am_gmsh_scan *scan, const char *name, progress *done) {
    bool nodes = strcmp(name, "Nodes") == 0, elements = strcmp(name, "Elements") == 0;
    if (strcmp(name, "MeshFormat") == 0) {
        if (done->format)
            am_gmsh_scan_fail(scan, "there is a second $MeshFormat");
        done->format = true;
        read_format(scan, &done->fourth);
    } else if (strcmp(name, "PhysicalNames") == 0) {
        read_names(raw, scan);
    } else if (strcmp(name, "Entities") == 0 && done->fourth) {
        if (done->nodes || raw->entity_count > 0)
            am_gmsh_scan_fail(scan, "$Entities must come once, and before the nodes");
        am_gmsh_4_entities(raw, scan);
    } else if (nodes) {
        if (done->nodes)
            am_gmsh_scan_fail(scan, "there is a second $Nodes");
        done->nodes = true;
        (done->fourth ? am_gmsh_4_nodes : am_gmsh_2_nodes)(raw, scan);
    } else if (elements) {
        if (done->elements)
            am_gmsh_scan_fail(scan, "there is a second $Elements");
        done->elements = true;
        (done->fourth ? am_gmsh_4_elements : am_gmsh_2_elements)(raw, scan);
    } else {
        refuse_section(scan, name);
        return false;
    }
    return true;
}

static void read_sections(am_gmsh_raw *raw, am_gmsh_scan *scan, progress *done) {
    char word[64], mark[80], found[80];
    while (scan->status == AM_OK) {
        am_gmsh_scan_word(scan, word, sizeof word);
        if (!word[0])
            return;
        bool opens = word[0] == '$' && strncmp(word, "$End", 4) != 0;
        if (!done->format && strcmp(word, "$MeshFormat") != 0 && strcmp(word, "$Comments") != 0) {
            am_gmsh_scan_fail(scan, "this is not a mesh of Gmsh: it does not begin with $MeshFormat");
            return;
        }
        if (!opens) {
            am_gmsh_scan_fail(scan, "'%.40s' stands where a section such as $Nodes was expected", word);
            return;
        }
        am_gmsh_scan_end_line(scan);
        memcpy(mark, "$End", 4);
        memcpy(mark + 4, word + 1, strlen(word)); /* its zero too */
        if (!read_section(raw, scan, word + 1, done)) {
            am_gmsh_scan_skip_to(scan, mark);
            continue;
        }
        am_gmsh_scan_word(scan, found, sizeof found);
        if (strcmp(found, mark) != 0)
            am_gmsh_scan_fail(scan, found[0] ? "'%.40s' stands where %s was expected" : "%.0sthe file ends before %s",
                              found, mark);
    }
}

am_status am_gmsh_raw_read(am_gmsh_raw *raw, const char *path, const char *text, am_error *err) {
    am_gmsh_scan scan;
    progress done = {0};
    am_status status = am_gmsh_scan_open(&scan, path, text, err);
    if (status == AM_OK) {
        read_sections(raw, &scan, &done);
        if (!done.format)
            am_gmsh_scan_fail(&scan, "this is not a mesh of Gmsh: it does not begin with $MeshFormat");
        if (!done.nodes || !done.elements)
            am_gmsh_scan_fail(&scan, "the file ends before %s", done.nodes ? "its elements" : "its nodes");
        status = scan.status;
    }
    am_gmsh_scan_close(&scan);
    if (status != AM_OK)
        am_gmsh_raw_free(raw);
    return status;
}

/* ---- Nodes and groups ---- */

static int compare_nodes(const void *a, const void *b) {
    const am_gmsh_node *x = a, *y = b;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

am_status am_gmsh_sort_nodes(am_gmsh_raw *raw, const char *path, am_error *err) {
    if (raw->node_count > 0)
        qsort(raw->node, raw->node_count, sizeof *raw->node, compare_nodes);
    for (size_t i = 1; i < raw->node_count; i++)
        if (raw->node[i].tag == raw->node[i - 1].tag)
            return am_fail(err, AM_ERR_INPUT, "%s: there are two nodes %zu", path, raw->node[i].tag);
    return AM_OK;
}

size_t am_gmsh_find_node(const am_gmsh_raw *raw, size_t tag) {
    am_gmsh_node wanted = {.tag = tag};
    const am_gmsh_node *found =
        raw->node_count > 0 ? bsearch(&wanted, raw->node, raw->node_count, sizeof wanted, compare_nodes) : NULL;
    return found ? (size_t)(found - raw->node) : SIZE_MAX;
}

static am_status find_group(am_gmsh_raw *raw, const char *path, int dimension, long long number, size_t *index,
                            am_error *err) {
    for (size_t i = 0; i < raw->group_count; i++)
        if (raw->group[i].dimension == dimension && raw->group[i].number == number) {
            *index = i;
            return AM_OK;
        }
    am_gmsh_scan scan = {.path = path, .binary = true, .err = err}; /* there is no line to tell */
    am_gmsh_group *group = gmsh_add_group(raw, &scan);
    if (!group)
        return scan.status;
    group->dimension = dimension;
    group->number = number;
    *index = raw->group_count - 1;
    return AM_OK;
}

static am_status name_groups(const am_gmsh_raw *raw, const char *path, am_error *err) {
    for (size_t i = 0; i < raw->group_count; i++) {
        am_gmsh_group *group = &raw->group[i];
        if (!group->name[0])
            snprintf(group->name, sizeof group->name, "%lld", group->number);
        for (size_t j = 0; j < i; j++)
            if (raw->group[j].dimension == group->dimension && strcmp(raw->group[j].name, group->name) == 0)
                return am_fail(err, AM_ERR_INPUT, "%s: two physical groups of dimension %d are called '%s'", path,
                               group->dimension, group->name);
    }
    return AM_OK;
}

am_status am_gmsh_find_groups(am_gmsh_raw *raw, const char *path, am_arena *memory, size_t **group, am_error *err) {
    *group = am_arena_new(memory, raw->member_count, sizeof **group, err);
    if (!*group)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < raw->entity_count; i++) {
        const am_gmsh_entity *entity = &raw->entity[i];
        for (size_t k = entity->first; k < entity->first + entity->groups; k++)
            AM_TRY(find_group(raw, path, entity->dimension, raw->member[k], *group + k, err));
    }
    return name_groups(raw, path, err);
}
