/* Sides of elements, and the lines of the drawing matched to them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "solid/gmsh_build.h"

/* ---- Sides ---- */

static int compare_sides(const void *a, const void *b) {
    const am_gmsh_side *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

static const am_gmsh_element *source(const am_gmsh_build *build, const am_gmsh_side *side) {
    return &build->raw->element[build->source[side->element]];
}

/* Two elements that share a side walk it in opposite ways, and share its middle. */
static am_status check_pair(const am_gmsh_build *build, const am_gmsh_side *a, const am_gmsh_side *b) {
    am_solid_edge first = am_solid_mesh_edge(build->mesh, a->element, a->side),
                  second = am_solid_mesh_edge(build->mesh, b->element, b->side);
    if (first.node[0] == second.node[0])
        return am_gmsh_build_fail(build, source(build, b),
                                  "elements %zu and %zu lie on the same side of an edge that they share: they overlap, "
                                  "or one is given twice",
                                  source(build, a)->tag, source(build, b)->tag);
    if (first.count != second.count || (first.count == 3 && first.node[2] != second.node[2]))
        return am_gmsh_build_fail(build, source(build, b),
                                  "elements %zu and %zu share the ends of a side but not its middle node",
                                  source(build, a)->tag, source(build, b)->tag);
    return AM_OK;
}

static bool same_ends(const am_gmsh_side *a, const am_gmsh_side *b) {
    return a->low == b->low && a->high == b->high;
}

static am_status check_sides(const am_gmsh_build *build) {
    const am_gmsh_side *side = build->side;
    for (size_t i = 0; i < build->side_count; i++) {
        if (side[i].low == side[i].high)
            return am_gmsh_build_fail(build, source(build, &side[i]), "element %zu has the same node at two corners",
                                      source(build, &side[i])->tag);
        if (i == 0 || !same_ends(&side[i - 1], &side[i]))
            continue;
        if (i > 1 && same_ends(&side[i - 2], &side[i]))
            return am_gmsh_build_fail(build, source(build, &side[i]), "element %zu shares a side with two others",
                                      source(build, &side[i])->tag);
        AM_TRY(check_pair(build, &side[i - 1], &side[i]));
    }
    return AM_OK;
}

am_status am_gmsh_build_sides(am_gmsh_build *build) {
    const am_solid_mesh *mesh = build->mesh;
    build->side = am_arena_new(&build->memory, 4 * mesh->elements, sizeof *build->side, build->err);
    if (!build->side)
        return AM_ERR_MEMORY;
    for (size_t e = 0; e < mesh->elements; e++)
        for (size_t k = 0; k < am_shape_corners(mesh->element[e].shape); k++) {
            am_solid_edge edge = am_solid_mesh_edge(mesh, e, k);
            size_t a = edge.node[0], b = edge.node[1];
            build->side[build->side_count++] = (am_gmsh_side){a < b ? a : b, a < b ? b : a, e, k};
        }
    qsort(build->side, build->side_count, sizeof *build->side, compare_sides);
    return check_sides(build);
}

/* ---- Edges of one line ---- */

static am_status inner_edge(const am_gmsh_build *build, const am_gmsh_element *from, const char *name,
                            const am_gmsh_side *side) {
    const am_solid_mesh *mesh = build->mesh;
    size_t a = mesh->element[side[0].element].body, b = mesh->element[side[1].element].body;
    if (a == b)
        return am_gmsh_build_fail(build, from, "line '%s' runs inside body '%s'; lines are parts of surfaces", name,
                                  mesh->body[a].name);
    return am_gmsh_build_fail(build, from,
                              "bodies '%s' and '%s' are grown together along line '%s': they have the same nodes "
                              "there, so that it is not clear whose surface it is. Bodies that touch need curves and "
                              "nodes of their own (draw the curve twice, without Coherence)",
                              mesh->body[a].name, mesh->body[b].name, name);
}

/* The first of the sides with these ends; NULL: none. */
static const am_gmsh_side *find_side(const am_gmsh_build *build, size_t a, size_t b) {
    size_t low = a < b ? a : b, high = a < b ? b : a, from = 0, to = build->side_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const am_gmsh_side *side = &build->side[middle];
        if (side->low < low || (side->low == low && side->high < high))
            from = middle + 1;
        else
            to = middle;
    }
    const am_gmsh_side *found = &build->side[from];
    return from < build->side_count && found->low == low && found->high == high ? found : NULL;
}

static am_status match_edge(const am_gmsh_build *build, const am_gmsh_element *from, const size_t *index,
                            const char *name, am_solid_edge *edge) {
    size_t ends[2];
    for (int k = 0; k < 2; k++) {
        size_t node = am_gmsh_find_node(build->raw, from->node[k]);
        if (node == SIZE_MAX)
            return am_gmsh_build_fail(build, from, "an edge of line '%s' has the node %zu, which $Nodes does not list",
                                      name, from->node[k]);
        ends[k] = index[node];
    }
    bool used = ends[0] != SIZE_MAX && ends[1] != SIZE_MAX;
    const am_gmsh_side *side = used ? find_side(build, ends[0], ends[1]) : NULL;
    if (!side)
        return am_gmsh_build_fail(build, from,
                                  "line '%s' leaves the bodies: its edge between nodes %zu and %zu is no side of an "
                                  "element",
                                  name, from->node[0], from->node[1]);
    if (side + 1 < build->side + build->side_count && same_ends(side, side + 1))
        return inner_edge(build, from, name, side);
    *edge = am_solid_mesh_edge(build->mesh, side->element, side->side);
    return AM_OK;
}

/* ---- The order of the walk ---- */

typedef struct step {
    size_t node, edge; /* the edge that begins at this node */
    bool done;
} step;

static int compare_steps(const void *a, const void *b) {
    const step *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* An edge not walked yet that begins at the node; NULL: none. */
static step *next_step(step *steps, size_t count, size_t node) {
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (steps[middle].node < node)
            from = middle + 1;
        else
            to = middle;
    }
    while (from < count && steps[from].node == node && steps[from].done)
        from++;
    return from < count && steps[from].node == node ? &steps[from] : NULL;
}

static size_t walk(step *steps, size_t count, const am_solid_edge *edge, step *at, am_solid_edge *sorted) {
    size_t taken = 0;
    for (; at; at = next_step(steps, count, edge[at->edge].node[1])) {
        at->done = true;
        sorted[taken++] = edge[at->edge];
    }
    return taken;
}

/* The same edge twice would carry a load twice. */
static am_status check_once(const am_gmsh_build *build, const am_solid_line *line, const step *steps) {
    for (size_t i = 1; i < line->count; i++)
        for (size_t j = i; j-- > 0 && steps[j].node == steps[i].node;)
            if (line->edge[steps[j].edge].node[1] == line->edge[steps[i].edge].node[1])
                return am_gmsh_build_fail(build, NULL, "line '%s' has an edge twice", line->name);
    return AM_OK;
}

/* Open stretches first, from where nothing leads to; then closed ones. */
static void walk_all(step *steps, size_t count, const am_solid_edge *edge, bool *led, am_solid_edge *sorted) {
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        step *next = next_step(steps, count, edge[i].node[1]);
        if (next)
            led[next->edge] = true;
    }
    for (size_t i = 0; i < count; i++)
        if (!led[steps[i].edge] && !steps[i].done)
            taken += walk(steps, count, edge, &steps[i], sorted + taken);
    for (size_t i = 0; i < count; i++)
        if (!steps[i].done)
            taken += walk(steps, count, edge, &steps[i], sorted + taken);
}

static am_status sort_edges(am_gmsh_build *build, am_solid_line *line) {
    size_t count = line->count;
    step *steps = am_arena_new(&build->memory, count, sizeof *steps, build->err);
    am_solid_edge *sorted = am_arena_new(&build->memory, count, sizeof *sorted, build->err);
    bool *led = am_arena_new(&build->memory, count, sizeof *led, build->err);
    if (am_arena_status(&build->memory))
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        steps[i] = (step){line->edge[i].node[0], i, false};
    qsort(steps, count, sizeof *steps, compare_steps);
    AM_TRY(check_once(build, line, steps));
    walk_all(steps, count, line->edge, led, sorted);
    memcpy(line->edge, sorted, count * sizeof *sorted);
    return AM_OK;
}

/* ---- Lines ---- */

/* Edges of all groups, one group after the other. */
typedef struct bundle {
    size_t group, element; /* of raw */
} bundle;

static int compare_bundles(const void *a, const void *b) {
    const bundle *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

static am_status collect(am_gmsh_build *build, bundle **bundles, size_t *count) {
    const am_gmsh_raw *raw = build->raw;
    *count = 0;
    for (size_t i = 0; i < raw->element_count; i++)
        *count += raw->element[i].dimension == 1 ? raw->entity[raw->element[i].entity].groups : 0;
    *bundles = am_arena_new(&build->memory, *count, sizeof **bundles, build->err);
    if (!*bundles)
        return AM_ERR_MEMORY;
    size_t at = 0;
    for (size_t i = 0; i < raw->element_count; i++) {
        const am_gmsh_entity *entity = &raw->entity[raw->element[i].entity];
        for (size_t k = 0; raw->element[i].dimension == 1 && k < entity->groups; k++)
            (*bundles)[at++] = (bundle){build->group_index[entity->first + k], i};
    }
    qsort(*bundles, *count, sizeof **bundles, compare_bundles);
    return AM_OK;
}

static am_status add_line(am_gmsh_build *build, const size_t *index, const bundle *bundles, size_t count) {
    const am_gmsh_raw *raw = build->raw;
    const char *name = raw->group[bundles[0].group].name;
    am_solid_mesh *mesh = build->mesh;
    am_solid_line *line = NULL;
    AM_TRY(am_solid_mesh_add_line(mesh, name, 0, count, &line, build->err));
    for (size_t i = 0; i < count; i++) {
        const am_gmsh_element *from = &raw->element[bundles[i].element];
        AM_TRY(match_edge(build, from, index, name, &line->edge[i]));
        size_t body = mesh->element[line->edge[i].element].body;
        line->body = i == 0 ? body : line->body;
        if (body != line->body)
            return am_gmsh_build_fail(build, from,
                                      "line '%s' runs along two bodies, '%s' and '%s'; give each a line of its own",
                                      name, mesh->body[line->body].name, mesh->body[body].name);
    }
    return sort_edges(build, line);
}

am_status am_gmsh_build_lines(am_gmsh_build *build, const size_t *index) {
    bundle *bundles = NULL;
    size_t count = 0;
    AM_TRY(collect(build, &bundles, &count));
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && bundles[next].group == bundles[i].group;)
            next++;
        AM_TRY(add_line(build, index, bundles + i, next - i));
    }
    return AM_OK;
}
