/* What a .msh file says, before it becomes a mesh. */
#ifndef AMONTONS_SOLID_GMSH_RAW_H
#define AMONTONS_SOLID_GMSH_RAW_H
#include "base/arena.h"
#include "imports/gmsh_scan.h"

enum { AM_GMSH_NAME_SIZE = 128, AM_GMSH_MOST_GROUPS = 4096 };

typedef struct am_gmsh_group {
    int dimension;
    long long number;
    char name[AM_GMSH_NAME_SIZE]; /* "": it has none */
} am_gmsh_group;

/* A curve or a surface of the drawing and the groups it belongs to: `groups` of raw->member from `first`. */
typedef struct am_gmsh_entity {
    int dimension;
    long long number;
    size_t first, groups;
} am_gmsh_entity;

typedef struct am_gmsh_node {
    size_t tag;
    double place[3];
} am_gmsh_node;

enum { AM_GMSH_MOST_NODES = 27 };

/* Corners, then the nodes between them, in Gmsh's order. */
typedef struct am_gmsh_element {
    size_t tag, entity, line;               /* line of the file, 0 in binary ones */
    int dimension, type;                    /* Gmsh's number of its shape */
    size_t count, node[AM_GMSH_MOST_NODES]; /* tags of nodes */
} am_gmsh_element;

typedef struct am_gmsh_raw {
    size_t group_count, group_capacity;
    am_gmsh_group *group;
    size_t entity_count, entity_capacity;
    am_gmsh_entity *entity;
    size_t member_count, member_capacity;
    long long *member; /* numbers of groups */
    size_t node_count, node_capacity;
    am_gmsh_node *node;
    size_t element_count, element_capacity;
    am_gmsh_element *element;
} am_gmsh_raw;

/* `text`: what the file holds, where it is known already; NULL: it is read. */
am_status am_gmsh_raw_read(am_gmsh_raw *raw, const char *path, const char *text, am_error *err);
void am_gmsh_raw_free(am_gmsh_raw *raw);

/* Nodes in the order of their numbers, each once; the index of one (SIZE_MAX: none). */
am_status am_gmsh_sort_nodes(am_gmsh_raw *raw, const char *path, am_error *err);
size_t am_gmsh_find_node(const am_gmsh_raw *raw, size_t tag);

/* Of each member the index of its group, where groups without a name are called by their number. In `memory`. */
am_status am_gmsh_find_groups(am_gmsh_raw *raw, const char *path, am_arena *memory, size_t **group, am_error *err);

/* ---- Shared by the formats; failures are remembered by the scan ---- */

/* Nodes that an element of Gmsh's type `type` has; orders above 2 are refused. Points are read, and not kept. */
typedef struct am_gmsh_type {
    int type, dimension;
    size_t nodes;
} am_gmsh_type;
am_gmsh_type am_gmsh_type_of(am_gmsh_scan *scan, long long type, size_t tag);

am_gmsh_entity *am_gmsh_add_entity(am_gmsh_raw *raw, am_gmsh_scan *scan);
void am_gmsh_add_member(am_gmsh_raw *raw, am_gmsh_scan *scan, long long group);
am_gmsh_node *am_gmsh_add_node(am_gmsh_raw *raw, am_gmsh_scan *scan);

/* An element that belongs to an entity, from its nodes on; `wide`: these are sizes, else ints. */
void am_gmsh_read_element(am_gmsh_raw *raw, am_gmsh_scan *scan, const am_gmsh_type *type, size_t entity, size_t tag,
                          bool wide);

/* Sections, from behind their first line to before the last. */
void am_gmsh_2_nodes(am_gmsh_raw *raw, am_gmsh_scan *scan);
void am_gmsh_2_elements(am_gmsh_raw *raw, am_gmsh_scan *scan);
void am_gmsh_4_entities(am_gmsh_raw *raw, am_gmsh_scan *scan);
void am_gmsh_4_nodes(am_gmsh_raw *raw, am_gmsh_scan *scan);
void am_gmsh_4_elements(am_gmsh_raw *raw, am_gmsh_scan *scan);

#endif
