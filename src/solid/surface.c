#include "solid/surface.h"

#include <math.h>
#include <stdint.h>

#include "math/pi.h"
#include "solid/element.h"

void am_surface_place(const am_surface *surface, size_t edge, double s, double place[2], double slope[2]) {
    am_edge_place(surface->mesh, &surface->line->edge[edge], s, place, slope);
}

void am_surface_normal(const am_surface *surface, size_t edge, double s, double normal[2]) {
    size_t count = surface->line->edge[edge].count;
    double shape[3], rate[3];
    am_edge_shape(count, s, shape, rate);
    normal[0] = normal[1] = 0.0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 2; k++)
            normal[k] += shape[i] * surface->normal[3 * edge + i][k];
    double size = hypot(normal[0], normal[1]);
    normal[0] /= size;
    normal[1] /= size;
}

double am_surface_parameter(size_t i) {
    return i == 0 ? -1.0 : i == 1 ? 1.0 : 0.0;
}

bool am_surface_at_corner(const am_surface *surface, size_t edge, size_t i) {
    if (i == 1)
        return surface->corner[edge];
    return i == 0 && surface->before[edge] != SIZE_MAX && surface->corner[surface->before[edge]];
}

/* ---- neighbours ---- */

/* begins: of each node the edge that begins there, plus one. */
static void find_neighbours(am_surface *s, size_t *begins) {
    for (size_t e = 0; e < s->line->count; e++) {
        begins[s->line->edge[e].node[0]] = e + 1;
        s->before[e] = SIZE_MAX;
    }
    for (size_t e = 0; e < s->line->count; e++) {
        size_t next = begins[s->line->edge[e].node[1]];
        s->next[e] = next ? next - 1 : SIZE_MAX;
        if (next)
            s->before[next - 1] = e;
    }
}

static double length_of(const am_surface *s, size_t edge) {
    const double *a = s->mesh->place + 2 * s->line->edge[edge].node[0],
                 *b = s->mesh->place + 2 * s->line->edge[edge].node[1];
    return hypot(b[0] - a[0], b[1] - a[1]);
}

/* Of the line walked with its body on the left, where edge e ends: positive to the left (a convex body), 0 at an end of
 * the line. */
static double angle_after(const am_surface *s, size_t e) {
    double place[2], from[2], to[2];
    if (e == SIZE_MAX || s->next[e] == SIZE_MAX)
        return 0.0;
    am_surface_place(s, e, 1.0, place, from);
    am_surface_place(s, s->next[e], -1.0, place, to);
    return atan2(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]);
}

/* ---- corners ---- */

/* A circle of facets turns at every node, in proportion to the facets on either side of it: by less than at the two
 * nodes next to it together. What turns by more than half as much again is a corner of the drawing, and so is what
 * turns by more than a circle of nine facets would. Small turns are left: the parabolas of quadratic edges meet with
 * a few degrees. */
static bool turns_corner(const am_surface *s, size_t e, const double *angle) {
    static const double always = 40.0, never = 5.0, excess = 1.5;
    double here = fabs(angle[e]), sign = angle[e] < 0.0 ? -1.0 : 1.0;
    if (s->next[e] == SIZE_MAX || !(here > never * one_degree))
        return false;
    if (here > always * one_degree)
        return true;
    bool first = s->before[e] == SIZE_MAX, last = s->next[s->next[e]] == SIZE_MAX;
    double earlier = first ? 0.0 : fmax(0.0, sign * angle[s->before[e]]);
    double later = last ? 0.0 : fmax(0.0, sign * angle[s->next[e]]);
    if (first || last) /* next to an end of the line: as if it went on in the same way */
        earlier = later = fmax(earlier, later);
    return here > excess * (earlier + later);
}

/* ---- normals ---- */

static void outward(const am_surface *s, size_t e, size_t i, double normal[2]) {
    double place[2], slope[2];
    am_surface_place(s, e, am_surface_parameter(i), place, slope);
    double size = hypot(slope[0], slope[1]);
    normal[0] = slope[1] / size; /* the body is on the left: outward is to the right */
    normal[1] = -slope[0] / size;
}

/* Where two edges meet smoothly the shorter one counts more: the tangent of a circle divides the angle between two of
 * its chords in proportion to their lengths. */
static void join_normals(am_surface *s, size_t e, size_t next) {
    double *one = s->normal[3 * e + 1], *other = s->normal[3 * next], sum[2];
    double a = 1.0 / length_of(s, e), b = 1.0 / length_of(s, next);
    for (size_t k = 0; k < 2; k++)
        sum[k] = a * one[k] + b * other[k];
    double size = hypot(sum[0], sum[1]);
    for (size_t k = 0; k < 2; k++)
        one[k] = other[k] = sum[k] / size;
}

static void find_normals(am_surface *s) {
    for (size_t e = 0; e < s->line->count; e++)
        for (size_t i = 0; i < s->line->edge[e].count; i++)
            outward(s, e, i, s->normal[3 * e + i]);
    for (size_t e = 0; e < s->line->count; e++)
        if (s->next[e] != SIZE_MAX && !s->corner[e])
            join_normals(s, e, s->next[e]);
}

/* ---- bulges ---- */

/* The angle between the tangent of the curve and a facet where it meets a neighbour, which is where edge `meeting` ends;
 * NaN: at the end of the line, or at a corner, nothing tells. */
static double angle_between(const am_surface *s, size_t e, size_t other, size_t meeting, const double *angle) {
    if (other == SIZE_MAX || s->corner[meeting])
        return NAN;
    double own = length_of(s, e), beside = length_of(s, other);
    return angle[meeting] * own / (own + beside);
}

/* A facet is a chord of an arc that leaves it by an angle at either end: by the smaller of the two, so that a straight
 * stretch beside an arc stays straight. Quadratic edges have their own bulge, to the middle node. */
static double find_sag(const am_surface *s, size_t e, const double *angle) {
    const am_solid_edge *edge = &s->line->edge[e];
    double length = length_of(s, e);
    if (edge->count == 3) {
        double chord[2], place[2], slope[2], normal[2];
        for (size_t k = 0; k < 2; k++)
            chord[k] = 0.5 * (s->mesh->place[2 * edge->node[0] + k] + s->mesh->place[2 * edge->node[1] + k]);
        am_surface_place(s, e, 0.0, place, slope);
        outward(s, e, 2, normal);
        return (place[0] - chord[0]) * normal[0] + (place[1] - chord[1]) * normal[1];
    }
    double a = angle_between(s, e, s->before[e], s->before[e], angle), b = angle_between(s, e, s->next[e], e, angle);
    a = isnan(a) ? b : a;
    b = isnan(b) ? a : b;
    if (!(a * b > 0.0))
        return 0.0;
    return 0.5 * length * tan(0.5 * (fabs(a) < fabs(b) ? a : b));
}

am_status am_surface_init(am_surface *surface, const am_solid_mesh *mesh, const am_solid_line *line, am_arena *memory,
                          am_error *err) {
    size_t edges = line->count;
    *surface = (am_surface){.mesh = mesh, .line = line};
    AM_ARENA_ARRAYS(memory, size_t, edges, err, &surface->next, &surface->before);
    surface->corner = am_arena_new(memory, edges, sizeof *surface->corner, err);
    surface->normal = am_arena_new(memory, 3 * edges, sizeof *surface->normal, err);
    surface->sag = am_arena_doubles(memory, NULL, edges, err);
    double *angle = am_arena_doubles(memory, NULL, edges, err);
    size_t *begins = am_arena_new(memory, mesh->nodes, sizeof *begins, err);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    find_neighbours(surface, begins);
    for (size_t e = 0; e < edges; e++)
        angle[e] = angle_after(surface, e);
    for (size_t e = 0; e < edges; e++)
        surface->corner[e] = turns_corner(surface, e, angle);
    find_normals(surface);
    for (size_t e = 0; e < edges; e++)
        surface->sag[e] = find_sag(surface, e, angle);
    return AM_OK;
}
