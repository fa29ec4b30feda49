#include "solid/place.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/quadrature.h"
#include "solid/element.h"

size_t am_solid_find_rigid(const am_solid_def *def, const char *name) {
    for (size_t i = 0; name && i < def->rigid_count; i++)
        if (strcmp(def->rigid[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static am_status unknown_line(const am_solid_def *def, const am_mesh_place *place, const char *field, am_error *err) {
    const am_solid_mesh *mesh = def->mesh;
    char known[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < mesh->lines && used + strlen(mesh->line[i].name) + 3 < sizeof known; i++) {
        if (i)
            used += strlen(strcpy(known + used, ", "));
        used += strlen(strcpy(known + used, mesh->line[i].name));
    }
    return am_fail_field(err, AM_ERR_INPUT, field, "there is no line or rigid body named %s; there are %s%s",
                         place->name ? place->name : "(none)", used ? known : "none",
                         def->rigid_count ? " and the rigid bodies" : "");
}

/* ---- nodes ---- */

static size_t nearest_node(const am_solid_mesh *mesh, const am_solid_line *line, const double at[2]) {
    size_t found = SIZE_MAX;
    double nearest = INFINITY;
    for (size_t e = 0; e < line->count; e++)
        for (size_t i = 0; i < line->edge[e].count; i++) {
            const double *p = mesh->place + 2 * line->edge[e].node[i];
            double distance = hypot(p[0] - at[0], p[1] - at[1]);
            if (distance < nearest) {
                nearest = distance;
                found = line->edge[e].node[i];
            }
        }
    return found;
}

static am_status all_nodes(const am_solid_mesh *mesh, const am_solid_line *line, am_arena *memory, size_t *count,
                           size_t **nodes, am_error *err) {
    bool *seen = am_arena_new(memory, mesh->nodes, sizeof *seen, err);
    *nodes = am_arena_new(memory, 3 * line->count, sizeof **nodes, err);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    for (size_t e = 0; e < line->count; e++)
        for (size_t i = 0; i < line->edge[e].count; i++) {
            size_t node = line->edge[e].node[i];
            if (!seen[node])
                (*nodes)[(*count)++] = node;
            seen[node] = true;
        }
    return AM_OK;
}

am_status am_place_nodes(const am_solid_def *def, const am_mesh_place *place, const char *field, am_arena *memory,
                         size_t *count, size_t **nodes, am_error *err) {
    size_t line = place->name ? am_solid_mesh_find_line(def->mesh, place->name) : SIZE_MAX;
    *count = 0;
    if (line == SIZE_MAX)
        return unknown_line(def, place, field, err);
    if (!place->point)
        return all_nodes(def->mesh, &def->mesh->line[line], memory, count, nodes, err);
    *nodes = am_arena_new(memory, 1, sizeof **nodes, err);
    if (!*nodes)
        return AM_ERR_MEMORY;
    (*nodes)[0] = nearest_node(def->mesh, &def->mesh->line[line], place->at);
    *count = 1;
    return AM_OK;
}

/* ---- weights ---- */

/* Evenly along the line: the integrals of the shape functions over its length. */
static void spread(const am_solid_mesh *mesh, const am_solid_line *line, size_t component, size_t *rows,
                   double *weights) {
    double length = 0.0, place[2], slope[2], shape[3], rate[3];
    size_t k = 0;
    for (size_t e = 0; e < line->count; e++, k += 3) {
        const am_solid_edge *edge = &line->edge[e];
        for (size_t i = 0; i < 3; i++) {
            rows[k + i] = 2 * edge->node[i < edge->count ? i : 0] + component;
            weights[k + i] = 0.0;
        }
        for (size_t g = 0; g < AM_QUADRATURE_POINTS; g++) {
            double s, weight = am_quadrature_point(g, &s);
            am_edge_place(mesh, edge, s, place, slope);
            weight *= hypot(slope[0], slope[1]);
            am_edge_shape(edge->count, s, shape, rate);
            for (size_t i = 0; i < edge->count; i++)
                weights[k + i] += weight * shape[i];
            length += weight;
        }
    }
    for (size_t i = 0; i < k; i++)
        weights[i] /= length;
}

/* The nearest place of an edge, by Newton's method from the nearest of a few. */
static double nearest_parameter(const am_solid_mesh *mesh, const am_solid_edge *edge, const double at[2],
                                double *distance) {
    double best = 0.0, place[2], slope[2];
    *distance = INFINITY;
    for (int i = -4; i <= 4; i++) {
        double s = 0.25 * i;
        am_edge_place(mesh, edge, s, place, slope);
        double d = hypot(place[0] - at[0], place[1] - at[1]);
        if (d < *distance) {
            *distance = d;
            best = s;
        }
    }
    for (int k = 0; k < 20; k++) {
        am_edge_place(mesh, edge, best, place, slope);
        double along = (at[0] - place[0]) * slope[0] + (at[1] - place[1]) * slope[1];
        best = fmin(1.0, fmax(-1.0, best + along / (slope[0] * slope[0] + slope[1] * slope[1])));
    }
    am_edge_place(mesh, edge, best, place, slope);
    *distance = hypot(place[0] - at[0], place[1] - at[1]);
    return best;
}

static void at_point(const am_solid_mesh *mesh, const am_solid_line *line, const double at[2], size_t component,
                     size_t *rows, double *weights) {
    double nearest = INFINITY, s = 0.0, shape[3] = {0}, rate[3], distance;
    const am_solid_edge *found = &line->edge[0];
    for (size_t e = 0; e < line->count; e++) {
        double here = nearest_parameter(mesh, &line->edge[e], at, &distance);
        if (distance < nearest) {
            nearest = distance;
            s = here;
            found = &line->edge[e];
        }
    }
    am_edge_shape(found->count, s, shape, rate);
    for (size_t i = 0; i < 3; i++) {
        rows[i] = 2 * found->node[i < found->count ? i : 0] + component;
        weights[i] = i < found->count ? shape[i] : 0.0;
    }
}

/* x = r_x - rotation (y - y0), y = r_y + rotation (x - x0), about the middle of the surface. */
static void of_rigid(const am_solid_def *def, size_t rigid, const am_mesh_place *place, size_t component, size_t *rows,
                     double *weights) {
    const am_mesh_rigid *body = &def->rigid[rigid];
    size_t other = 1 - component;
    double middle = 0.5 * (body->from[other] + body->to[other]);
    rows[0] = 2 * def->mesh->nodes + 3 * rigid + component;
    rows[1] = 2 * def->mesh->nodes + 3 * rigid + 2;
    weights[0] = 1.0;
    weights[1] = !place->point ? 0.0 : component == 0 ? middle - place->at[1] : place->at[0] - middle;
}

am_status am_place_weights(const am_solid_def *def, const am_mesh_place *place, size_t component, const char *field,
                           am_arena *memory, am_place_share *share, am_error *err) {
    size_t rigid = am_solid_find_rigid(def, place->name);
    size_t line = place->name ? am_solid_mesh_find_line(def->mesh, place->name) : SIZE_MAX;
    *share = (am_place_share){0};
    if (rigid == SIZE_MAX && line == SIZE_MAX)
        return unknown_line(def, place, field, err);
    size_t count = rigid != SIZE_MAX ? 2 : place->point ? 3 : 3 * def->mesh->line[line].count;
    size_t *row = am_arena_new(memory, count, sizeof *row, err);
    double *weight = am_arena_doubles(memory, NULL, count, err);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    *share = (am_place_share){count, row, weight};
    if (rigid != SIZE_MAX)
        of_rigid(def, rigid, place, component, row, weight);
    else if (place->point)
        at_point(def->mesh, &def->mesh->line[line], place->at, component, row, weight);
    else
        spread(def->mesh, &def->mesh->line[line], component, row, weight);
    return AM_OK;
}
