#include "solid/mortar.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/watch.h"
#include "math/dense.h"
#include "math/quadrature.h"
#include "math/root.h"
#include "solid/element.h"
#include "solid/surface.h"

/* A part of an edge shorter than this (its parameter goes from -1 to 1) is rounding. */
static const double sliver = 1e-10;

/* An edge covered up to this part of itself counts as covered: meshes have rounded places. */
static const double nearly = 1e-6;

static double cross(const double a[2], const double b[2]) {
    return a[0] * b[1] - a[1] * b[0];
}

/* ---- what lies opposite ---- */

/* A side of the master, straight or through a mid-side node, as a polynomial of its parameter. */
typedef struct opposite {
    double c[3][2];            /* place = c0 + c1 s + c2 s^2 */
    const am_solid_edge *edge; /* NULL: rigid */
    double sag;                /* of the curve that a straight side is a chord of */
} opposite;

static opposite opposite_edge(const am_solid_mesh *mesh, const am_solid_edge *edge, double sag) {
    opposite o = {.edge = edge, .sag = sag};
    const double *a = mesh->place + 2 * edge->node[0], *b = mesh->place + 2 * edge->node[1];
    const double *m = edge->count == 3 ? mesh->place + 2 * edge->node[2] : NULL;
    for (size_t k = 0; k < 2; k++) {
        double middle = 0.5 * (a[k] + b[k]);
        o.c[0][k] = m ? m[k] : middle;
        o.c[1][k] = 0.5 * (b[k] - a[k]);
        o.c[2][k] = middle - o.c[0][k];
    }
    return o;
}

static opposite opposite_rigid(const double ends[2][2]) {
    opposite o = {.edge = NULL};
    for (size_t k = 0; k < 2; k++) {
        o.c[0][k] = 0.5 * (ends[0][k] + ends[1][k]);
        o.c[1][k] = 0.5 * (ends[1][k] - ends[0][k]);
    }
    return o;
}

static void opposite_place(const opposite *o, double s, double place[2]) {
    for (size_t k = 0; k < 2; k++)
        place[k] = o->c[0][k] + s * (o->c[1][k] + s * o->c[2][k]);
}

/* The curve that a straight side is a chord of: a parabola with its sag. */
static opposite opposite_curve(const opposite *o) {
    opposite curve = *o;
    double size = hypot(o->c[1][0], o->c[1][1]);
    if (!o->edge || o->edge->count == 3 || o->sag == 0.0)
        return curve;
    const double outward[2] = {o->c[1][1] / size, -o->c[1][0] / size};
    for (size_t k = 0; k < 2; k++) {
        curve.c[0][k] += o->sag * outward[k];
        curve.c[2][k] = -o->sag * outward[k];
    }
    return curve;
}

/* Where the line through `from` along `normal` meets it: the parameter; NaN: nowhere. */
static double intersect(const opposite *o, const double from[2], const double normal[2]) {
    double start[2] = {o->c[0][0] - from[0], o->c[0][1] - from[1]};
    double a = cross(o->c[2], normal), b = cross(o->c[1], normal), c = cross(start, normal);
    if (fabs(a) <= 1e-14 * fabs(b))
        return -c / b;
    double root = b * b - 4.0 * a * c;
    if (root < 0.0)
        return NAN;
    return c / (-0.5 * (b + copysign(sqrt(root), b))); /* the root near -c/b */
}

static double onto_side(double s) {
    return fmin(1.0, fmax(-1.0, s));
}

/* The same in -1..1; NaN: beside it. */
static double intersect_within(const opposite *o, const double from[2], const double normal[2]) {
    double s = intersect(o, from, normal);
    return fabs(s) <= 1.0 + nearly ? onto_side(s) : NAN;
}

/* ---- segments: where an end of a master's edge falls on a slave's edge ---- */

typedef struct fall {
    const am_surface *slave;
    size_t edge;
    const double *place;
} fall;

static double fall_miss(const void *context, double s) {
    const fall *f = context;
    double place[2], slope[2], normal[2];
    am_surface_place(f->slave, f->edge, s, place, slope);
    am_surface_normal(f->slave, f->edge, s, normal);
    double away[2] = {f->place[0] - place[0], f->place[1] - place[1]};
    return cross(away, normal);
}

/* NaN: beside this edge. */
static double fall_on(const am_surface *slave, size_t edge, const double place[2]) {
    fall f = {slave, edge, place};
    double low = fall_miss(&f, -1.0), high = fall_miss(&f, 1.0);
    if ((low > 0.0) == (high > 0.0))
        return NAN;
    return am_root_between(fall_miss, &f, -1.0, 1.0);
}

/* Part of the integral of psi_s phi_k: contact node s, node k of the other side. */
typedef struct share {
    size_t contact, node;
    double value;
} share;

typedef struct work {
    const am_solid_mesh *mesh;
    const am_mortar_hold *hold; /* of each node of the mesh */
    am_surface slave;
    bool *covered;  /* edges of the slave that end at a corner: the master covers them */
    opposite *side; /* of the master */
    size_t sides;
    bool wall;
    size_t *number; /* of each node of the mesh among the contact nodes, plus one; 0: none */
    /* parts of one edge that face the master */
    double *break_at; /* 2 sides + 2, like the next three */
    double *from, *to;
    size_t *against;
    size_t segments;
    am_mortar *mortar;
    share *shares;
    size_t share_count, share_capacity;
    am_arena memory; /* of the work; the result lies elsewhere */
} work;

/* The side that the middle of a segment faces, the nearest one: SIZE_MAX if none. Sides whose outward normal points
 * along the slave's face away. */
static size_t facing(const work *w, size_t edge, double s) {
    double place[2], slope[2], normal[2], there[2], nearest = INFINITY;
    size_t found = SIZE_MAX;
    am_surface_place(&w->slave, edge, s, place, slope);
    am_surface_normal(&w->slave, edge, s, normal);
    for (size_t i = 0; i < w->sides; i++) {
        double at = intersect_within(&w->side[i], place, normal);
        if (isnan(at))
            continue;
        opposite_place(&w->side[i], at, there);
        double along[2] = {w->side[i].c[1][0] + 2.0 * at * w->side[i].c[2][0],
                           w->side[i].c[1][1] + 2.0 * at * w->side[i].c[2][1]};
        double outward = along[1] * normal[0] - along[0] * normal[1];
        double distance = hypot(there[0] - place[0], there[1] - place[1]);
        if (outward < 0.0 && distance < nearest) {
            nearest = distance;
            found = i;
        }
    }
    return found;
}

/* The parts of an edge that face the master; false if they are not the whole edge. */
static bool segment(work *w, size_t edge) {
    size_t count = 0;
    w->segments = 0;
    w->break_at[count++] = -1.0;
    w->break_at[count++] = 1.0;
    for (size_t i = 0; i < w->sides && !w->wall; i++)
        for (int end = -1; end <= 1; end += 2) {
            double place[2];
            opposite_place(&w->side[i], end, place);
            double s = fall_on(&w->slave, edge, place);
            if (!isnan(s))
                w->break_at[count++] = s;
        }
    am_dense_sort(w->break_at, count);
    double covered = 0.0;
    for (size_t i = 0; i + 1 < count; i++) {
        double from = w->break_at[i], to = w->break_at[i + 1];
        if (to - from < sliver)
            continue;
        size_t side = w->wall ? 0 : facing(w, edge, 0.5 * (from + to));
        if (side == SIZE_MAX)
            continue;
        w->from[w->segments] = from;
        w->to[w->segments] = to;
        w->against[w->segments++] = side;
        covered += to - from;
    }
    return covered >= 2.0 * (1.0 - nearly);
}

/* ---- integrals over one edge ---- */

/* Dual functions: psi_i = sum over j of a_ij phi_j with integral of psi_i phi_j = 0 for i != j, and the integral of
 * phi_i for i = j. */
typedef struct edge_integrals {
    size_t count;
    double dual[9], length[3];
} edge_integrals;

/* Point g of the rule on a segment: its parameter and weight, arc length included. */
static double point_of(const work *w, size_t edge, size_t segment, size_t g, double *s) {
    double middle = 0.5 * (w->from[segment] + w->to[segment]), half = 0.5 * (w->to[segment] - w->from[segment]);
    double place[2], slope[2], node, weight = am_quadrature_point(g, &node);
    *s = middle + half * node;
    am_surface_place(&w->slave, edge, *s, place, slope);
    return half * weight * hypot(slope[0], slope[1]);
}

static void add_products(const work *w, size_t edge, edge_integrals *e) {
    double shape[3], rate[3], s;
    for (size_t k = 0; k < w->segments; k++)
        for (size_t g = 0; g < AM_QUADRATURE_POINTS; g++) {
            double weight = point_of(w, edge, k, g, &s);
            am_edge_shape(e->count, s, shape, rate);
            for (size_t i = 0; i < e->count; i++) {
                e->length[i] += weight * shape[i];
                for (size_t j = 0; j < e->count; j++)
                    e->dual[i * e->count + j] += weight * shape[i] * shape[j];
            }
        }
}

/* dual = diag(length) times the inverse of the products: two or three unknowns, by Cramer's rule. */
static void make_dual(edge_integrals *e) {
    double m[9], *a = e->dual;
    memcpy(m, a, sizeof m);
    if (e->count == 2) {
        double det = m[0] * m[3] - m[1] * m[2];
        a[0] = m[3] / det, a[1] = -m[1] / det, a[2] = -m[2] / det, a[3] = m[0] / det;
    } else {
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) {
                size_t r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
                a[3 * i + j] = m[3 * r + c] * m[3 * s + d] - m[3 * r + d] * m[3 * s + c];
            }
        double det = m[0] * a[0] + m[1] * a[3] + m[2] * a[6];
        for (size_t i = 0; i < 9; i++)
            a[i] /= det;
    }
    for (size_t i = 0; i < e->count; i++)
        for (size_t j = 0; j < e->count; j++)
            a[i * e->count + j] *= e->length[i];
}

static am_status add_share(work *w, size_t contact, size_t node, double value, am_error *err) {
    AM_TRY(am_memory_reserve(&w->shares, &w->share_capacity, w->share_count + 1, err));
    w->shares[w->share_count++] = (share){contact, node, value};
    return AM_OK;
}

/* ---- nodes that bear no contact of their own ---- */

/* A node whose displacement is decided by others, or by contacts on both sides of a corner. */
static bool left_out(const work *w, size_t edge, size_t i) {
    size_t other = i == 0 ? w->slave.before[edge] : w->slave.next[edge];
    if (w->hold[w->slave.line->edge[edge].node[i]] == AM_MORTAR_LEFT_OUT)
        return true;
    return am_surface_at_corner(&w->slave, edge, i) && w->covered[edge] && w->covered[other];
}

/* Who of an edge's nodes bears what would be node i's: itself, or the nearest that is not left out. */
static am_status find_heirs(const work *w, size_t edge, size_t heir[3], am_error *err) {
    const am_solid_edge *e = &w->slave.line->edge[edge];
    static const size_t nearest[3][2] = {{2, 1}, {2, 0}, {0, 1}};
    for (size_t i = 0; i < e->count; i++) {
        heir[i] = left_out(w, edge, i) ? SIZE_MAX : i;
        for (size_t k = 0; k < 2 && heir[i] == SIZE_MAX; k++)
            if (nearest[i][k] < e->count && !left_out(w, edge, nearest[i][k]))
                heir[i] = nearest[i][k];
        if (heir[i] != SIZE_MAX)
            continue;
        const double *a = w->mesh->place + 2 * e->node[0], *b = w->mesh->place + 2 * e->node[1];
        return am_fail(err, AM_ERR_INPUT,
                       "no node between (%g, %g) and (%g, %g) of contact line %s is left for the contact: each is held "
                       "by a support or a drive, at a corner, or part of another contact. Take smaller elements there, "
                       "exchange slave and master, or end the line before",
                       a[0], a[1], b[0], b[1], w->slave.line->name);
    }
    return AM_OK;
}

static am_mortar_node *heir_node(const work *w, size_t edge, size_t heir) {
    return &w->mortar->node[w->number[w->slave.line->edge[edge].node[heir]] - 1];
}

/* ---- the gap ---- */

/* At node i of an edge: the distance along its normal to the curve that the other side was drawn as. `doubt`: by how
 * much that may be wrong, since curves between nodes are guessed. */
static double gap_at(const work *w, size_t edge, size_t i, double *doubt) {
    static const double wrong = 0.1; /* of the sags */
    double place[2], slope[2], normal[2], there[2], s = am_surface_parameter(i);
    size_t k = 0;
    *doubt = 0.0;
    if (w->wall)
        return 0.0;
    while (k + 1 < w->segments && w->to[k] < s)
        k++;
    const opposite *side = &w->side[w->against[k]], curve = opposite_curve(side);
    am_surface_place(&w->slave, edge, s, place, slope);
    am_surface_normal(&w->slave, edge, s, normal);
    double at = intersect(&curve, place, normal);
    const opposite *met = isnan(at) ? side : &curve;
    opposite_place(met, onto_side(isnan(at) ? intersect(side, place, normal) : at), there);
    *doubt = wrong * (fabs(side->sag) + fabs(w->slave.sag[edge]));
    return (there[0] - place[0]) * normal[0] + (there[1] - place[1]) * normal[1];
}

/* What one point adds: the other side's place or shape functions. */
static void add_point(const work *w, size_t edge, size_t k, size_t g, const edge_integrals *e, const size_t heir[3],
                      double sums[3][3]) {
    double shape[3], rate[3], normal[2], place[2], slope[2], there[2], s;
    double weight = point_of(w, edge, k, g, &s);
    const opposite *o = w->wall ? NULL : &w->side[w->against[k]];
    am_surface_place(&w->slave, edge, s, place, slope);
    am_surface_normal(&w->slave, edge, s, normal);
    am_edge_shape(e->count, s, shape, rate);
    double at = o ? intersect_within(o, place, normal) : 0.0, facing_shape[3] = {0};
    if (o)
        opposite_place(o, at, there);
    else
        memcpy(there, place, sizeof there);
    if (o && o->edge)
        am_edge_shape(o->edge->count, at, facing_shape, rate);
    for (size_t i = 0; i < e->count; i++) {
        double psi = 0.0;
        for (size_t j = 0; j < e->count; j++)
            psi += e->dual[i * e->count + j] * shape[j];
        am_mortar_node *node = heir_node(w, edge, heir[i]);
        node->arm[0] += weight * psi * there[0];
        node->arm[1] += weight * psi * there[1];
        for (size_t j = 0; o && o->edge && j < o->edge->count; j++)
            sums[heir[i]][j] += weight * psi * facing_shape[j];
    }
}

/* Lengths, gaps, and the displacements of nodes that are left out, which take part in those of their heirs. */
static am_status add_nodes(work *w, size_t edge, const edge_integrals *e, const size_t heir[3], am_error *err) {
    const am_solid_edge *slave = &w->slave.line->edge[edge];
    for (size_t i = 0; i < e->count; i++) {
        am_mortar_node *node = heir_node(w, edge, heir[i]);
        double doubt, gap = gap_at(w, edge, i, &doubt);
        node->length += e->length[i];
        node->gap += e->length[i] * gap;
        node->doubt = fmax(node->doubt, doubt);
        if (heir[i] == i)
            node->own += e->length[i];
        else
            AM_TRY(add_share(w, w->number[slave->node[heir[i]]] - 1, slave->node[i], -e->length[i], err));
    }
    return AM_OK;
}

static am_status integrate(work *w, size_t edge, const size_t heir[3], am_error *err) {
    const am_solid_edge *slave = &w->slave.line->edge[edge];
    edge_integrals e = {.count = slave->count};
    add_products(w, edge, &e);
    make_dual(&e);
    AM_TRY(add_nodes(w, edge, &e, heir, err));
    for (size_t k = 0; k < w->segments; k++) {
        double sums[3][3] = {{0}};
        for (size_t g = 0; g < AM_QUADRATURE_POINTS; g++)
            add_point(w, edge, k, g, &e, heir, sums);
        const am_solid_edge *other = w->wall ? NULL : w->side[w->against[k]].edge;
        for (size_t i = 0; i < e.count && other; i++)
            for (size_t j = 0; j < other->count && heir[i] == i; j++)
                AM_TRY(add_share(w, w->number[slave->node[i]] - 1, other->node[j], sums[i][j], err));
    }
    return AM_OK;
}

/* ---- contact nodes ---- */

static void add_node(work *w, size_t edge, size_t i) {
    size_t node = w->slave.line->edge[edge].node[i];
    if (w->number[node])
        return;
    am_mortar *m = w->mortar;
    const double *outward = w->slave.normal[3 * edge + i];
    m->node[m->nodes] =
        (am_mortar_node){.node = node, .normal = {-outward[0], -outward[1]}, .tangent = {-outward[1], outward[0]}};
    w->number[node] = ++m->nodes;
}

/* The nodes of the edges that the master covers. Their order is that of the tangent: the line is walked with its body
 * on the left, its outward normal on the right, so that the tangent (clockwise from the inward normal) leads along the
 * walk. */
static am_status find_nodes(work *w, am_error *err) {
    static const size_t order[3] = {0, 2, 1};
    const am_solid_line *line = w->slave.line;
    for (size_t e = 0; e < line->count; e++) {
        size_t heir[3];
        AM_TRY(am_watch_spend(1e2 * (double)w->sides, err));
        if (!segment(w, e)) {
            w->mortar->partial += w->segments > 0;
            continue;
        }
        AM_TRY(find_heirs(w, e, heir, err));
        for (size_t k = 0; k < 3; k++)
            if (order[k] < line->edge[e].count && heir[order[k]] == order[k])
                add_node(w, e, order[k]);
        AM_TRY(integrate(w, e, heir, err));
    }
    return AM_OK;
}

/* Which edges at corners the master covers: a corner with contact on one side alone is an end like any other. */
static void cover_corners(work *w) {
    for (size_t e = 0; e < w->slave.line->count; e++)
        if (!am_watch_stopped(1e2) && (am_surface_at_corner(&w->slave, e, 0) || am_surface_at_corner(&w->slave, e, 1)))
            w->covered[e] = segment(w, e);
}

/* On a symmetry plane the surface is at right angles to it: it goes on as its mirror image. */
static void straighten(work *w) {
    for (size_t e = 0; e < w->slave.line->count; e++)
        for (size_t i = 0; i < w->slave.line->edge[e].count; i++) {
            double *normal = w->slave.normal[3 * e + i];
            am_mortar_hold hold = w->hold[w->slave.line->edge[e].node[i]];
            if (hold != AM_MORTAR_PLANE_X && hold != AM_MORTAR_PLANE_Y)
                continue;
            size_t held = hold == AM_MORTAR_PLANE_Y;
            normal[held] = 0.0;
            normal[1 - held] = copysign(1.0, normal[1 - held]);
        }
}

static int by_contact(const void *a, const void *b) {
    const share *x = a, *y = b;
    return x->contact != y->contact ? (x->contact > y->contact) - (x->contact < y->contact)
                                    : (x->node > y->node) - (x->node < y->node);
}

/* P = D^-1 M, row by row; what cancels is left out. */
static am_status make_weights(work *w, am_arena *memory, am_error *err) {
    static const double nothing = 1e-13;
    am_mortar *m = w->mortar;
    if (w->share_count > 0) /* a rigid master has none */
        qsort(w->shares, w->share_count, sizeof *w->shares, by_contact);
    m->weight = am_arena_new(memory, w->share_count, sizeof *m->weight, err);
    if (!m->weight)
        return AM_ERR_MEMORY;
    size_t k = 0;
    for (size_t c = 0; c < m->nodes; c++) {
        am_mortar_node *node = &m->node[c];
        node->first = m->weights;
        while (k < w->share_count && w->shares[k].contact == c) {
            size_t other = w->shares[k].node;
            double sum = 0.0;
            for (; k < w->share_count && w->shares[k].contact == c && w->shares[k].node == other; k++)
                sum += w->shares[k].value / node->own;
            if (fabs(sum) > nothing)
                m->weight[m->weights++] = (am_mortar_weight){other, sum};
        }
        node->count = m->weights - node->first;
        node->gap /= node->length;
        node->arm[0] /= node->length;
        node->arm[1] /= node->length;
    }
    return AM_OK;
}

/* ---- all of it ---- */

static am_status allocate(work *w, am_arena *memory, am_error *err) {
    size_t breaks = 2 * w->sides + 2, edges = w->slave.line->count;
    AM_ARENA_DOUBLES(&w->memory, breaks, err, &w->break_at, &w->from, &w->to);
    w->against = am_arena_new(&w->memory, breaks, sizeof *w->against, err);
    w->number = am_arena_new(&w->memory, w->mesh->nodes, sizeof *w->number, err);
    w->side = am_arena_new(&w->memory, w->sides, sizeof *w->side, err);
    w->covered = am_arena_new(&w->memory, edges, sizeof *w->covered, err);
    w->mortar->node = am_arena_new(memory, 3 * edges, sizeof *w->mortar->node, err);
    return w->mortar->node ? am_arena_status(&w->memory) : AM_ERR_MEMORY;
}

static am_status find_sides(work *w, const am_mortar_master *master, am_error *err) {
    if (master->rigid)
        w->side[0] = opposite_rigid(master->rigid);
    if (!master->line)
        return AM_OK;
    am_surface surface;
    AM_TRY(am_surface_init(&surface, w->mesh, master->line, &w->memory, err));
    for (size_t i = 0; i < w->sides; i++)
        w->side[i] = opposite_edge(w->mesh, &master->line->edge[i], surface.sag[i]);
    return AM_OK;
}

static am_status check_facing(const work *w, const am_mortar_master *master, am_error *err) {
    if (w->mortar->nodes > 0)
        return AM_OK;
    const double *at = w->mesh->place + 2 * w->slave.line->edge[0].node[0];
    return am_fail(err, AM_ERR_INPUT,
                   "contact line %s does not face %s anywhere (its own surface begins at (%g, %g)): the two must lie "
                   "opposite each other, with the bodies on their far sides",
                   w->slave.line->name, master->name ? master->name : "its wall", at[0], at[1]);
}

static am_status integrate_all(work *w, const am_solid_line *slave, const am_mortar_master *master, am_arena *memory,
                               am_error *err) {
    AM_TRY(am_surface_init(&w->slave, w->mesh, slave, &w->memory, err));
    AM_TRY(allocate(w, memory, err));
    AM_TRY(find_sides(w, master, err));
    straighten(w);
    cover_corners(w);
    AM_TRY(find_nodes(w, err));
    AM_TRY(check_facing(w, master, err));
    return make_weights(w, memory, err);
}

am_status am_mortar_init(am_mortar *mortar, const am_solid_mesh *mesh, const am_solid_line *slave,
                         const am_mortar_master *master, const am_mortar_hold *hold, am_arena *memory, am_error *err) {
    *mortar = (am_mortar){0};
    work w = {.mesh = mesh,
              .hold = hold,
              .sides = master->line    ? master->line->count
                       : master->rigid ? 1
                                       : 0,
              .wall = !master->line && !master->rigid,
              .mortar = mortar};
    am_status status = integrate_all(&w, slave, master, memory, err);
    am_memory_free(w.shares);
    am_arena_clear(&w.memory);
    return status;
}
