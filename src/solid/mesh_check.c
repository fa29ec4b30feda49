#include <math.h>

#include "base/local.h"
#include "base/watch.h"
#include "solid/element.h"

static const double most_poisson = 0.4999999; /* plane strain: 5e6 times stiffer in volume than in shape */

static const char *called(const am_solid_body *body) {
    return body->name ? body->name : "without a name";
}

static am_status check_positive(const am_solid_body *body, const char *what, double value, am_error *err) {
    if (value > 0.0 && isfinite(value))
        return AM_OK;
    return am_fail(err, AM_ERR_INPUT, "body '%s': %s is %g; it must be a positive number", called(body), what, value);
}

static am_status check_poisson(const am_solid_body *body, am_error *err) {
    double nu = body->poisson;
    if (!(nu > -1.0 && nu <= 0.5))
        return am_fail(err, AM_ERR_INPUT, "body '%s': Poisson's ratio is %g; it must lie above -1 and not above 0.5",
                       called(body), nu);
    if (!body->plane_stress && nu > most_poisson)
        return am_fail(
            err, AM_ERR_INPUT,
            "body '%s': Poisson's ratio is %.10g in plane strain, where an incompressible body has no finite "
            "stiffness; take 0.4999999 at most, the elements are made for it",
            called(body), nu);
    return AM_OK;
}

am_status am_solid_body_check(const am_solid_body *body, am_error *err) {
    AM_TRY(check_positive(body, "the modulus of elasticity", body->modulus, err));
    AM_TRY(check_positive(body, "the thickness", body->thickness, err));
    if (!(body->density >= 0.0 && isfinite(body->density)))
        return am_fail(err, AM_ERR_INPUT, "body '%s': the density is %g; it must not be negative", called(body),
                       body->density);
    return check_poisson(body, err);
}

/* Counts of users; nodes that do not exist and nodes listed twice are refused. */
static am_status check_nodes(const am_solid_mesh *mesh, size_t number, am_error *err) {
    const am_solid_element *element = &mesh->element[number];
    size_t nodes = am_shape_nodes(element->shape);
    if (element->body >= mesh->bodies)
        return am_fail(err, AM_ERR_INPUT, "element %zu belongs to body %zu, and there are only %zu bodies", number + 1,
                       element->body + 1, mesh->bodies);
    const char *name = called(&mesh->body[element->body]);
    for (size_t a = 0; a < nodes; a++) {
        if (element->node[a] >= mesh->nodes)
            return am_fail(err, AM_ERR_INPUT, "element %zu of body '%s' uses node %zu, and there are only %zu nodes",
                           number + 1, name, element->node[a] + 1, mesh->nodes);
        for (size_t b = 0; b < a; b++)
            if (element->node[a] == element->node[b]) {
                const double *place = mesh->place + 2 * element->node[a];
                return am_fail(err, AM_ERR_INPUT, "element %zu of body '%s' uses node %zu at (%g, %g) twice",
                               number + 1, name, element->node[a] + 1, place[0], place[1]);
            }
    }
    return AM_OK;
}

static am_status check_element(const am_solid_mesh *mesh, size_t number, am_error *err) {
    AM_TRY(check_nodes(mesh, number, err));
    AM_TRY(am_watch_spend(1e4, err));
    const am_solid_element *element = &mesh->element[number];
    size_t corners = am_shape_corners(element->shape);
    double place[AM_SHAPE_MOST][2], middle[2] = {0.0, 0.0};
    am_solid_mesh_places(mesh, element, place);
    for (size_t a = 0; a < corners; a++)
        for (int r = 0; r < 2; r++)
            middle[r] += place[a][r] / (double)corners;
    const char *flaw = am_element_flaw(element->shape, (const double(*)[2])place);
    if (!flaw)
        return AM_OK;
    return am_fail(err, AM_ERR_INPUT, "element %zu of body '%s', near (%g, %g): %s", number + 1,
                   called(&mesh->body[element->body]), middle[0], middle[1], flaw);
}

/* The side of the element from the edge's first node to its second, counterclockwise. */
static bool edge_fits(const am_solid_mesh *mesh, const am_solid_edge *edge) {
    for (size_t a = 0; a < am_shape_corners(mesh->element[edge->element].shape); a++) {
        am_solid_edge side = am_solid_mesh_edge(mesh, edge->element, a);
        if (side.node[0] == edge->node[0] && side.node[1] == edge->node[1])
            return edge->count == side.count && (side.count == 2 || edge->node[2] == side.node[2]);
    }
    return false;
}

static am_status check_line(const am_solid_mesh *mesh, const am_solid_line *line, am_error *err) {
    if (line->body >= mesh->bodies)
        return am_fail(err, AM_ERR_INPUT, "line '%s' belongs to body %zu, and there are only %zu bodies", line->name,
                       line->body + 1, mesh->bodies);
    if (line->count == 0)
        return am_fail(err, AM_ERR_INPUT, "line '%s' has no sides of elements", line->name);
    for (size_t i = 0; i < line->count; i++) {
        const am_solid_edge *edge = &line->edge[i];
        if (edge->element >= mesh->elements)
            return am_fail(err, AM_ERR_INPUT, "line '%s': its part %zu lies on element %zu, and there are only %zu",
                           line->name, i + 1, edge->element + 1, mesh->elements);
        const am_solid_element *element = &mesh->element[edge->element];
        if (element->body != line->body)
            return am_fail(err, AM_ERR_INPUT, "line '%s' belongs to body '%s', and its part %zu lies on body '%s'",
                           line->name, called(&mesh->body[line->body]), i + 1, called(&mesh->body[element->body]));
        if (!edge_fits(mesh, edge))
            return am_fail(err, AM_ERR_INPUT,
                           "line '%s': its part %zu is not a side of element %zu of body '%s', walked with the body on "
                           "the left",
                           line->name, i + 1, edge->element + 1, called(&mesh->body[line->body]));
    }
    return AM_OK;
}

/* A node of no element has no stiffness. */
static am_status check_used(const am_solid_mesh *mesh, am_error *err) {
    AM_LOCAL_MEMORY bool *used = am_memory_new(mesh->nodes, sizeof *used, err);
    if (!used)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < mesh->elements; i++)
        for (size_t a = 0; a < am_shape_nodes(mesh->element[i].shape); a++)
            used[mesh->element[i].node[a]] = true;
    for (size_t i = 0; i < mesh->nodes; i++)
        if (!used[i])
            return am_fail(err, AM_ERR_INPUT, "node %zu at (%g, %g) belongs to no element; leave it out", i + 1,
                           mesh->place[2 * i], mesh->place[2 * i + 1]);
    return AM_OK;
}

am_status am_solid_mesh_check(const am_solid_mesh *mesh, am_error *err) {
    if (mesh->bodies == 0 || mesh->elements == 0)
        return am_fail(err, AM_ERR_INPUT, "the mesh has no elements");
    for (size_t i = 0; i < mesh->bodies; i++)
        AM_TRY(am_solid_body_check(&mesh->body[i], err));
    for (size_t i = 0; i < mesh->elements; i++)
        AM_TRY(check_element(mesh, i, err));
    for (size_t i = 0; i < mesh->lines; i++)
        AM_TRY(check_line(mesh, &mesh->line[i], err));
    return check_used(mesh, err);
}
