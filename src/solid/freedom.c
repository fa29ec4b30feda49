#include "solid/freedom.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "math/eigen.h"
#include "solid/place.h"

/* Nodes and rigid bodies that hang together, through elements or contacts: a forest of parents. */
typedef struct work {
    const am_solid_def *def;
    const am_expansion *e;
    size_t count;   /* nodes, then rigid bodies */
    size_t *parent; /* count */
} work;

static size_t root_of(const work *w, size_t i) {
    while (w->parent[i] != i) {
        w->parent[i] = w->parent[w->parent[i]];
        i = w->parent[i];
    }
    return i;
}

static void join(const work *w, size_t i, size_t j) {
    w->parent[root_of(w, i)] = root_of(w, j);
}

static void connect_elements(const work *w) {
    const am_solid_mesh *mesh = w->def->mesh;
    for (size_t i = 0; i < mesh->elements; i++)
        for (size_t k = 1; k < am_shape_nodes(mesh->element[i].shape); k++)
            join(w, mesh->element[i].node[0], mesh->element[i].node[k]);
}

static void connect_contacts(const work *w, const am_mortar *mortar) {
    const am_solid_mesh *mesh = w->def->mesh;
    for (size_t c = 0; c < w->def->contact_count; c++) {
        size_t rigid = am_solid_find_rigid(w->def, w->def->contact[c].master);
        for (size_t i = 0; i < mortar[c].nodes; i++) {
            const am_mortar_node *node = &mortar[c].node[i];
            for (size_t k = 0; k < node->count; k++)
                join(w, node->node, mortar[c].weight[node->first + k].node);
            if (rigid != SIZE_MAX)
                join(w, node->node, mesh->nodes + rigid);
        }
    }
}

/* A displacement of a contact node depends on its slip or its gap. */
static bool is_contact(const am_expansion *e, size_t row) {
    for (size_t k = e->start[row]; k < e->start[row + 1]; k++)
        if (e->term[k].y < 2 * e->contacts)
            return true;
    return false;
}

/* A displacement that supports, drives or (while contacts `stick`) walls decide alone. */
static bool is_held(const am_expansion *e, size_t row, bool stick) {
    for (size_t k = e->start[row]; k < e->start[row + 1]; k++)
        if (e->term[k].y >= e->kept)
            return false;
    return stick || !is_contact(e, row);
}

/* What is known of one piece: its pole and size, and the sum of r r^T over the rigid motions (x, y, rotation times
 * size) of displacements that are held. */
typedef struct piece {
    double pole[2], size, held[9];
    size_t nodes;
} piece;

static void hold(piece *p, const double motion[3]) {
    const double r[3] = {motion[0], motion[1], motion[2] / p->size};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            p->held[3 * i + j] += r[i] * r[j];
}

static void measure(const work *w, size_t root, piece *p) {
    const am_solid_mesh *mesh = w->def->mesh;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < w->count; i++) {
        if (root_of(w, i) != root)
            continue;
        const am_mesh_rigid *rigid = i < mesh->nodes ? NULL : &w->def->rigid[i - mesh->nodes];
        for (size_t c = 0; c < 2; c++) {
            double from = rigid ? rigid->from[c] : mesh->place[2 * i + c], to = rigid ? rigid->to[c] : from;
            low[c] = fmin(low[c], fmin(from, to));
            high[c] = fmax(high[c], fmax(from, to));
        }
        p->nodes++;
    }
    for (size_t c = 0; c < 2; c++)
        p->pole[c] = 0.5 * (low[c] + high[c]);
    p->size = fmax(high[0] - low[0], high[1] - low[1]);
}

/* What a row of displacements does when the piece moves rigidly (x, y, rotation about the pole): zeros if it is not the
 * piece's. */
static void motion_of_row(const work *w, size_t root, const piece *p, size_t row, double motion[3]) {
    size_t nodes = w->def->mesh->nodes, who = row < 2 * nodes ? row / 2 : nodes + (row - 2 * nodes) / 3;
    size_t component = row < 2 * nodes ? row % 2 : (row - 2 * nodes) % 3;
    const am_mesh_rigid *rigid = who < nodes ? NULL : &w->def->rigid[who - nodes];
    motion[0] = motion[1] = motion[2] = 0.0;
    if (root_of(w, who) != root)
        return;
    double x = rigid ? 0.5 * (rigid->from[0] + rigid->to[0]) : w->def->mesh->place[2 * who];
    double y = rigid ? 0.5 * (rigid->from[1] + rigid->to[1]) : w->def->mesh->place[2 * who + 1];
    motion[component] = 1.0;
    if (component < 2)
        motion[2] = component == 0 ? p->pole[1] - y : x - p->pole[0];
}

static void hold_rows(const work *w, size_t root, bool stick, piece *p) {
    double motion[3];
    for (size_t row = 0; row < w->e->rows; row++)
        if (is_held(w->e, row, stick)) {
            motion_of_row(w, root, p, row, motion);
            hold(p, motion);
        }
}

/* Springs of drives act on mean displacements: what those do when the piece moves rigidly. */
static am_status motion_of_spring(const work *w, size_t root, const piece *p, const am_mesh_drive *drive,
                                  double mean[3], am_error *err) {
    double motion[3];
    AM_LOCAL_ARENA memory = {0};
    mean[0] = mean[1] = mean[2] = 0.0;
    for (size_t c = 0; c < 2; c++) {
        am_place_share share;
        AM_TRY(am_place_weights(w->def, &drive->place, c, "drives", &memory, &share, err));
        for (size_t i = 0; i < share.count; i++) {
            motion_of_row(w, root, p, share.row[i], motion);
            for (size_t k = 0; k < 3; k++)
                mean[k] += share.weight[i] * drive->direction[c] * motion[k];
        }
    }
    return AM_OK;
}

static am_status hold_springs(const work *w, size_t root, piece *p, am_error *err) {
    double mean[3];
    for (size_t d = 0; d < w->def->drive_count; d++)
        if (w->def->drive[d].stiffness > 0.0) {
            AM_TRY(motion_of_spring(w, root, p, &w->def->drive[d], mean, err));
            hold(p, mean);
        }
    return AM_OK;
}

static void name_piece(const work *w, size_t root, char *text, size_t size_of_text) {
    const am_solid_mesh *mesh = w->def->mesh;
    size_t used = 0;
    text[0] = 0;
    for (size_t b = 0; b < mesh->bodies + w->def->rigid_count; b++) {
        bool inside = b >= mesh->bodies && root_of(w, mesh->nodes + b - mesh->bodies) == root;
        const char *name = b < mesh->bodies ? mesh->body[b].name : w->def->rigid[b - mesh->bodies].name;
        for (size_t i = 0; b < mesh->bodies && i < mesh->elements && !inside; i++)
            inside = mesh->element[i].body == b && root_of(w, mesh->element[i].node[0]) == root;
        if (inside && used + strlen(name) + 6 < size_of_text)
            used += (size_t)snprintf(text + used, size_of_text - used, "%s%s", used ? " with " : "", name);
    }
}

static void describe_motion(const piece *p, const double motion[3], char *what, size_t size_of_text) {
    double turn = motion[2] / p->size, move = hypot(motion[0], motion[1]);
    if (fabs(motion[2]) > 1e-3 * move)
        snprintf(what, size_of_text, "turn about (%.4g, %.4g)", p->pole[0] - motion[1] / turn,
                 p->pole[1] + motion[0] / turn);
    else if (fabs(motion[1]) < 1e-6 * move)
        snprintf(what, size_of_text, "move along x");
    else if (fabs(motion[0]) < 1e-6 * move)
        snprintf(what, size_of_text, "move along y");
    else
        snprintf(what, size_of_text, "move along (%.3g, %.3g)", motion[0] / move, motion[1] / move);
}

/* One motion is named; of a piece that nothing holds all three are. */
static am_status refuse_motion(const work *w, size_t root, const piece *p, const double *motions, size_t free,
                               am_error *err) {
    char who[120], what[120] = "move along x, along y and turn";
    name_piece(w, root, who, sizeof who);
    if (free < 3)
        describe_motion(p, motions, what, sizeof what);
    return am_fail_field(err, AM_ERR_INPUT, "supports",
                         "%s can %s as a rigid body even while all contacts stick%s: it needs a support there, a drive "
                         "(with a stiffness: a spring), or a contact with something that is held",
                         who, what, free == 3 ? ", for nothing holds it" : "");
}

static am_status check_piece(const work *w, size_t root, am_error *err) {
    piece p = {.nodes = 0};
    double basis[9];
    size_t free = 0;
    measure(w, root, &p);
    hold_rows(w, root, true, &p);
    AM_TRY(hold_springs(w, root, &p, err));
    AM_TRY(am_null_space(p.held, 3, 3, basis, &free, err));
    return free == 0 ? AM_OK : refuse_motion(w, root, &p, basis, free, err);
}

static am_status work_init(work *w, const am_solid_def *def, const am_expansion *e, am_error *err) {
    *w = (work){.def = def, .e = e, .count = def->mesh->nodes + def->rigid_count};
    w->parent = am_memory_new(w->count, sizeof *w->parent, err);
    if (!w->parent)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < w->count; i++)
        w->parent[i] = i;
    connect_elements(w);
    return AM_OK;
}

am_status am_freedom_check(const am_solid_def *def, const am_expansion *expansion, const am_mortar *mortar,
                           am_error *err) {
    work w;
    am_status status = work_init(&w, def, expansion, err);
    if (status)
        return status;
    connect_contacts(&w, mortar);
    for (size_t i = 0; i < w.count && !status; i++)
        if (w.parent[i] == i)
            status = check_piece(&w, i, err);
    am_memory_free(w.parent);
    return status;
}

/* ---- motions without strain ---- */

static double motion_along(const work *w, size_t root, const piece *p, const double amount[3], size_t row) {
    double motion[3];
    motion_of_row(w, root, p, row, motion);
    return amount[0] * motion[0] + amount[1] * motion[1] + amount[2] * motion[2] / p->size;
}

static double square(double x) {
    return x * x;
}

/* Slips and gaps are what is left of a contact node's displacement without the part of the other side; tangent and
 * normal are at right angles and of length `scale`, so that their factors pick them out. */
static void fill_contact(const am_expansion *e, size_t row, double displacement, double *y) {
    for (size_t k = e->start[row]; k < e->start[row + 1]; k++)
        if (e->term[k].y >= 2 * e->contacts)
            displacement -= e->term[k].factor * y[e->term[k].y];
    for (size_t k = e->start[row]; k < e->start[row + 1]; k++)
        if (e->term[k].y < 2 * e->contacts)
            y[e->term[k].y] += e->term[k].factor * displacement / square(e->scale[e->term[k].y % e->contacts]);
}

/* Coordinates (zero before) of a rigid motion of one piece; `amount`: x, y, rotation times size. */
static am_status fill_motion(const work *w, size_t root, const piece *p, const double amount[3], double *y,
                             am_error *err) {
    const am_expansion *e = w->e;
    for (size_t row = 0; row < e->rows; row++) /* a free displacement is its own coordinate */
        if (!is_contact(e, row) && !is_held(e, row, false))
            y[e->term[e->start[row]].y] = motion_along(w, root, p, amount, row);
    for (size_t d = 0; d < w->def->drive_count; d++) {
        double mean[3];
        if (!(w->def->drive[d].stiffness > 0.0))
            continue;
        AM_TRY(motion_of_spring(w, root, p, &w->def->drive[d], mean, err));
        y[2 * e->contacts + d] = amount[0] * mean[0] + amount[1] * mean[1] + amount[2] * mean[2] / p->size;
    }
    for (size_t row = 0; row < e->rows; row++)
        if (is_contact(e, row))
            fill_contact(e, row, motion_along(w, root, p, amount, row), y);
    return AM_OK;
}

static am_status add_motions(const work *w, size_t root, size_t *count, double **motions, am_error *err) {
    piece p = {.nodes = 0};
    double basis[9];
    size_t free = 0, n = w->e->count;
    measure(w, root, &p);
    hold_rows(w, root, false, &p);
    AM_TRY(am_null_space(p.held, 3, 3, basis, &free, err));
    AM_TRY(free > 0 ? am_memory_resize(motions, (*count + free) * n, err) : AM_OK);
    for (size_t k = 0; k < free; k++, ++*count) {
        double *y = *motions + *count * n;
        memset(y, 0, n * sizeof *y);
        AM_TRY(fill_motion(w, root, &p, basis + 3 * k, y, err));
    }
    return AM_OK;
}

am_status am_freedom_motions(const am_solid_def *def, const am_expansion *expansion, size_t *count, double **motions,
                             am_error *err) {
    work w;
    *count = 0;
    *motions = NULL;
    am_status status = work_init(&w, def, expansion, err);
    for (size_t i = 0; i < w.count && !status; i++)
        if (w.parent[i] == i)
            status = add_motions(&w, i, count, motions, err);
    am_memory_free(w.parent);
    if (status) {
        am_memory_free(*motions);
        *motions = NULL;
        *count = 0;
    }
    return status;
}
