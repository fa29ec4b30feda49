#include "solid/holding.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "solid/place.h"

/* ---- supports and drives ---- */

static am_status double_use(const am_solid_def *def, size_t node, am_hold fate, am_error *err) {
    const double *p = def->mesh->place + 2 * node;
    return am_fail(err, AM_ERR_INPUT, "the node at (%g, %g) is %s and moved by a drive at once; it can be one of them",
                   p[0], p[1], fate == AM_HOLD_FIXED ? "fixed by a support" : "moved by another drive");
}

static am_status mark_support(am_holding *h, const am_solid_def *def, size_t i, am_arena *work, am_error *err) {
    const am_mesh_support *support = &def->support[i];
    size_t count, *nodes = NULL;
    char field[40];
    snprintf(field, sizeof field, "supports[%zu].line", i);
    am_status status = am_place_nodes(def, &support->place, field, work, &count, &nodes, err);
    for (size_t k = 0; k < count && !status; k++)
        for (size_t c = 0; c < 2; c++)
            if (support->fixed[c])
                h->fate[2 * nodes[k] + c] = AM_HOLD_FIXED;
    return status;
}

static am_status mark_rigid_drive(am_holding *h, const am_solid_def *def, size_t i, size_t component, am_error *err) {
    size_t rigid = am_solid_find_rigid(def, def->drive[i].place.name);
    size_t row = 2 * def->mesh->nodes + 3 * rigid + component;
    if (def->rigid[rigid].fixed[component])
        return am_fail(err, AM_ERR_INPUT, "rigid body %s is fixed and moved by drive %s at once",
                       def->rigid[rigid].name, def->drive[i].name);
    h->fate[row] = AM_HOLD_DRIVEN;
    h->drive[row] = i;
    return AM_OK;
}

/* A drive without a spring prescribes displacements themselves. */
static am_status mark_drive(am_holding *h, const am_solid_def *def, size_t i, am_arena *work, am_error *err) {
    const am_mesh_drive *drive = &def->drive[i];
    char field[40];
    if (drive->stiffness > 0.0)
        return AM_OK;
    snprintf(field, sizeof field, "drives[%zu].direction", i);
    size_t component = drive->direction[0] == 0.0;
    if (drive->direction[component] != 1.0 || drive->direction[1 - component] != 0.0)
        return am_fail_field(err, AM_ERR_INPUT, field, "a drive without a spring acts along x or y: [1, 0] or [0, 1]");
    if (am_solid_find_rigid(def, drive->place.name) != SIZE_MAX)
        return mark_rigid_drive(h, def, i, component, err);
    size_t count, *nodes = NULL;
    snprintf(field, sizeof field, "drives[%zu].line", i);
    am_status status = am_place_nodes(def, &drive->place, field, work, &count, &nodes, err);
    for (size_t k = 0; k < count && !status; k++) {
        size_t row = 2 * nodes[k] + component;
        if (h->fate[row] != AM_HOLD_FREE)
            status = double_use(def, nodes[k], h->fate[row], err);
        h->fate[row] = AM_HOLD_DRIVEN;
        h->drive[row] = i;
    }
    return status;
}

am_status am_holding_init(am_holding *holding, const am_solid_def *def, am_arena *memory, am_error *err) {
    AM_LOCAL_ARENA work = {0};
    *holding = (am_holding){.rows = 2 * def->mesh->nodes + 3 * def->rigid_count};
    holding->fate = am_arena_new(memory, holding->rows, sizeof *holding->fate, err);
    holding->drive = am_arena_new(memory, holding->rows, sizeof *holding->drive, err);
    AM_TRY(am_arena_status(memory));
    for (size_t i = 0; i < def->rigid_count; i++)
        for (size_t c = 0; c < 3; c++)
            if (def->rigid[i].fixed[c])
                holding->fate[2 * def->mesh->nodes + 3 * i + c] = AM_HOLD_FIXED;
    for (size_t i = 0; i < def->support_count; i++)
        AM_TRY(mark_support(holding, def, i, &work, err));
    for (size_t i = 0; i < def->drive_count; i++)
        AM_TRY(mark_drive(holding, def, i, &work, err));
    return AM_OK;
}

/* ---- where contact lines meet something else ---- */

/* What lies opposite of a contact node on a plane of symmetry is held along c as well. */
static bool opposite_held(const am_holding *h, const am_solid_def *def, const am_mesh_contact *contact,
                          const am_mortar *mortar, const am_mortar_node *node, size_t c) {
    static const double nearly = 1e-6; /* of the contact node's length: places of meshes are rounded */
    size_t rigid = am_solid_find_rigid(def, contact->master);
    if (!contact->master)
        return true; /* a wall */
    if (rigid != SIZE_MAX)
        return def->rigid[rigid].fixed[c] && def->rigid[rigid].fixed[2];
    for (size_t k = 0; k < node->count; k++) {
        size_t other = mortar->weight[node->first + k].node;
        double away = def->mesh->place[2 * other + c] - def->mesh->place[2 * node->node + c];
        if (h->fate[2 * other + c] == AM_HOLD_FIXED && fabs(away) <= nearly * node->length)
            return true;
    }
    return false;
}

/* A support along the surface on both sides of the contact is a plane of symmetry: the normal force stays, friction has
 * nothing to do. What is held in any other way cannot follow a contact as well. */
static am_mortar_hold cross(const am_holding *h, const am_solid_def *def, const am_mesh_contact *contact,
                            const am_mortar *mortar, const am_mortar_node *node) {
    static const double along =
        0.866; /* 30 degrees: a curved surface is not at right angles to the plane to rounding */
    const am_hold *fate = h->fate + 2 * node->node;
    if (fate[0] == AM_HOLD_FREE && fate[1] == AM_HOLD_FREE)
        return AM_MORTAR_FREE;
    for (size_t c = 0; c < 2; c++)
        if (fate[c] == AM_HOLD_FIXED && fate[1 - c] == AM_HOLD_FREE && fabs(node->tangent[c]) > along &&
            opposite_held(h, def, contact, mortar, node, c))
            return c ? AM_MORTAR_PLANE_Y : AM_MORTAR_PLANE_X;
    return AM_MORTAR_LEFT_OUT;
}

/* Nodes that another contact needs too, as a contact node or (but for a whole line of it) on its other side. */
static bool used_elsewhere(const am_solid_def *def, size_t contact, size_t slave_of, size_t master_of) {
    if (slave_of && slave_of != contact + 1)
        return true;
    return master_of && master_of != contact + 1 &&
           strcmp(def->contact[master_of - 1].master, def->contact[contact].slave) != 0;
}

am_status am_holding_cross(const am_holding *holding, const am_solid_def *def, const am_mortar *mortar,
                           am_mortar_hold *hold, size_t *crossed, am_arena *memory, am_error *err) {
    size_t nodes = def->mesh->nodes;
    size_t *slave_of = am_arena_new(memory, nodes, sizeof *slave_of, err); /* plus one */
    size_t *master_of = am_arena_new(memory, nodes, sizeof *master_of, err);
    *crossed = 0;
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < def->contact_count; k++) {
        for (size_t i = 0; i < mortar[k].nodes; i++) {
            size_t *first = &slave_of[mortar[k].node[i].node];
            *first = *first ? SIZE_MAX : k + 1; /* of several */
        }
        for (size_t i = 0; i < mortar[k].weights; i++)
            master_of[mortar[k].weight[i].node] = k + 1;
    }
    for (size_t k = 0; k < def->contact_count; k++)
        for (size_t i = 0; i < mortar[k].nodes; i++) {
            const am_mortar_node *node = &mortar[k].node[i];
            bool shared = used_elsewhere(def, k, slave_of[node->node], master_of[node->node]);
            hold[node->node] = shared ? AM_MORTAR_LEFT_OUT : cross(holding, def, &def->contact[k], &mortar[k], node);
            *crossed += hold[node->node] != AM_MORTAR_FREE;
        }
    return AM_OK;
}

/* ---- contacts ---- */

static void mark_contact(am_holding *h, const am_mortar *mortar) {
    for (size_t i = 0; i < mortar->nodes; i++)
        for (size_t c = 0; c < 2; c++) {
            am_hold *fate = &h->fate[2 * mortar->node[i].node + c];
            *fate = *fate == AM_HOLD_FREE ? AM_HOLD_SLAVE : *fate; /* a symmetry plane holds what it holds */
        }
}

/* What a contact node refers to must not refer to something else in turn. */
static am_status check_masters(const am_holding *h, const am_solid_def *def, const am_mortar *mortar, am_error *err) {
    for (size_t k = 0; k < def->contact_count; k++)
        for (size_t i = 0; i < mortar[k].weights; i++)
            for (size_t c = 0; c < 2; c++)
                if (h->fate[2 * mortar[k].weight[i].node + c] == AM_HOLD_SLAVE)
                    return am_fail(err, AM_ERR_INPUT,
                                   "line %s is the other side of contact %s, and a contact line of its own (`slave`) "
                                   "in another one: exchange the sides of one of them",
                                   def->contact[k].master, def->contact[k].name);
    return AM_OK;
}

am_status am_holding_contacts(am_holding *holding, const am_solid_def *def, const am_mortar *mortar, am_error *err) {
    for (size_t k = 0; k < def->contact_count; k++)
        mark_contact(holding, &mortar[k]);
    return check_masters(holding, def, mortar, err);
}
