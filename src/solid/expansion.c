#include "solid/expansion.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* What becomes of a displacement. */
enum { FREE, FIXED, DRIVEN, SLAVE };

typedef struct work {
    const am_solid_def *def;
    const am_mortar *mortar;
    am_expansion *e;
    unsigned char *fate; /* rows */
    size_t *drive;       /* rows: of DRIVEN ones */
    size_t *y;           /* rows: coordinate of FREE ones */
} work;

static am_status double_use(const work *w, size_t node, const char *one, const char *other, am_error *err) {
    const double *p = w->def->mesh->place + 2 * node;
    return am_fail(err, AM_ERR_INPUT, "the node at (%g, %g) is %s and %s at once; it can be one of them", p[0], p[1],
                   one, other);
}

static const char *fate_name(unsigned char what) {
    return what == FIXED ? "fixed by a support" : what == DRIVEN ? "moved by a drive" : "a contact node";
}

/* ---- supports, drives, contacts ---- */

static am_status mark_support(work *w, size_t i, am_error *err) {
    const am_solid_support *support = &w->def->support[i];
    size_t count, *nodes;
    char field[40];
    snprintf(field, sizeof field, "supports[%zu].line", i);
    am_status status = am_place_nodes(w->def, &support->place, field, &count, &nodes, err);
    for (size_t k = 0; k < count && !status; k++)
        for (size_t c = 0; c < 2; c++)
            if (support->fixed[c])
                w->fate[2 * nodes[k] + c] = FIXED;
    am_memory_free(nodes);
    return status;
}

static am_status mark_rigid_drive(work *w, size_t i, size_t component, am_error *err) {
    size_t rigid = am_solid_find_rigid(w->def, w->def->drive[i].place.name);
    size_t row = 2 * w->def->mesh->nodes + 3 * rigid + component;
    if (w->def->rigid[rigid].fixed[component])
        return am_fail(err, AM_ERR_INPUT, "rigid body %s is fixed and moved by drive %s at once",
                       w->def->rigid[rigid].name, w->def->drive[i].name);
    w->fate[row] = DRIVEN;
    w->drive[row] = i;
    return AM_OK;
}

/* A drive without a spring prescribes displacements themselves. */
static am_status mark_drive(work *w, size_t i, am_error *err) {
    const am_solid_drive *drive = &w->def->drive[i];
    char field[40];
    if (drive->stiffness > 0.0)
        return AM_OK;
    snprintf(field, sizeof field, "drives[%zu].direction", i);
    size_t component = drive->direction[0] == 0.0;
    if (drive->direction[component] != 1.0 || drive->direction[1 - component] != 0.0)
        return am_fail_field(err, AM_ERR_INPUT, field, "a drive without a spring acts along x or y: [1, 0] or [0, 1]");
    if (am_solid_find_rigid(w->def, drive->place.name) != SIZE_MAX)
        return mark_rigid_drive(w, i, component, err);
    size_t count, *nodes;
    snprintf(field, sizeof field, "drives[%zu].line", i);
    am_status status = am_place_nodes(w->def, &drive->place, field, &count, &nodes, err);
    for (size_t k = 0; k < count && !status; k++) {
        size_t row = 2 * nodes[k] + component;
        if (w->fate[row] != FREE)
            status = double_use(w, nodes[k], fate_name(w->fate[row]), "moved by a drive", err);
        w->fate[row] = DRIVEN;
        w->drive[row] = i;
    }
    am_memory_free(nodes);
    return status;
}

static am_status mark_contact(work *w, const am_mortar *mortar, am_error *err) {
    for (size_t i = 0; i < mortar->nodes; i++) {
        size_t node = mortar->node[i].node;
        for (size_t c = 0; c < 2; c++) {
            if (w->fate[2 * node + c] != FREE)
                return double_use(w, node, fate_name(w->fate[2 * node + c]), "a contact node", err);
            w->fate[2 * node + c] = SLAVE;
        }
    }
    return AM_OK;
}

/* What a contact node refers to must not refer to something else in turn. */
static am_status check_masters(const work *w, am_error *err) {
    for (size_t k = 0; k < w->def->contact_count; k++)
        for (size_t i = 0; i < w->mortar[k].weights; i++)
            if (w->fate[2 * w->mortar[k].weight[i].node] == SLAVE)
                return am_fail(err, AM_ERR_INPUT,
                               "line %s is the other side of contact %s, and a contact line of its own (`slave`) in "
                               "another one: exchange the sides of one of them",
                               w->def->contact[k].master, w->def->contact[k].name);
    return AM_OK;
}

static am_status mark(work *w, am_error *err) {
    const am_solid_def *def = w->def;
    am_status status = AM_OK;
    for (size_t i = 0; i < def->rigid_count; i++)
        for (size_t c = 0; c < 3; c++)
            if (def->rigid[i].fixed[c])
                w->fate[2 * def->mesh->nodes + 3 * i + c] = FIXED;
    for (size_t i = 0; i < def->support_count && !status; i++)
        status = mark_support(w, i, err);
    for (size_t i = 0; i < def->drive_count && !status; i++)
        status = mark_drive(w, i, err);
    for (size_t i = 0; i < def->contact_count && !status; i++)
        status = mark_contact(w, &w->mortar[i], err);
    return status ? status : check_masters(w, err);
}

/* ---- rows ---- */

static am_status add_term(am_expansion *e, size_t y, double factor, am_error *err) {
    if (e->term_count == e->term_room) {
        size_t room = 2 * e->term_room + 1024;
        am_status status = am_memory_resize((void **)&e->term, room, sizeof *e->term, err);
        if (status)
            return status;
        e->term_room = room;
    }
    if (factor != 0.0)
        e->term[e->term_count++] = (am_solid_term){y, factor};
    return AM_OK;
}

/* A displacement that is free, fixed or driven, times a factor. */
static am_status add_simple(work *w, size_t row, double factor, am_error *err) {
    if (w->fate[row] == FREE)
        return add_term(w->e, w->y[row], factor, err);
    return w->fate[row] == DRIVEN ? add_term(w->e, 2 * w->e->contacts + w->drive[row], factor, err) : AM_OK;
}

static am_status add_slave(work *w, const am_solid_contact *contact, const am_mortar *mortar, size_t i, size_t number,
                           size_t component, am_error *err) {
    const am_mortar_node *node = &mortar->node[i];
    am_status status = add_term(w->e, number, node->tangent[component], err);
    if (!status)
        status = add_term(w->e, w->e->contacts + number, node->normal[component], err);
    for (size_t k = 0; k < node->count && !status; k++) {
        const am_mortar_weight *weight = &mortar->weight[node->first + k];
        status = add_simple(w, 2 * weight->node + component, weight->value, err);
    }
    size_t rigid = am_solid_find_rigid(w->def, contact->master);
    if (rigid == SIZE_MAX || status)
        return status;
    const am_solid_rigid *body = &w->def->rigid[rigid];
    size_t row = 2 * w->def->mesh->nodes + 3 * rigid;
    double arm[2] = {node->arm[0] - 0.5 * (body->from[0] + body->to[0]),
                     node->arm[1] - 0.5 * (body->from[1] + body->to[1])};
    status = add_simple(w, row + component, 1.0, err);
    return status ? status : add_simple(w, row + 2, component == 0 ? -arm[1] : arm[0], err);
}

static am_status fill_rows(work *w, const size_t *contact_of, const size_t *index_of, const size_t *number_of,
                           am_error *err) {
    am_expansion *e = w->e;
    am_status status = AM_OK;
    for (size_t row = 0; row < e->rows && !status; row++) {
        e->start[row] = e->term_count;
        if (w->fate[row] == SLAVE) {
            size_t node = row / 2, k = contact_of[node];
            status = add_slave(w, &w->def->contact[k], &w->mortar[k], index_of[node], number_of[node], row % 2, err);
        } else {
            status = add_simple(w, row, 1.0, err);
        }
    }
    e->start[e->rows] = e->term_count;
    return status;
}

/* Which contact, which of its nodes, which number among all. */
static am_status number_contacts(work *w, am_error *err) {
    size_t nodes = w->def->mesh->nodes, number = 0;
    size_t *memory = am_memory_new(3 * nodes, sizeof *memory, err);
    if (!memory)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < w->def->contact_count; k++)
        for (size_t i = 0; i < w->mortar[k].nodes; i++, number++) {
            size_t node = w->mortar[k].node[i].node;
            memory[node] = k;
            memory[nodes + node] = i;
            memory[2 * nodes + node] = number;
        }
    am_status status = fill_rows(w, memory, memory + nodes, memory + 2 * nodes, err);
    am_memory_free(memory);
    return status;
}

static void number_free(work *w) {
    am_expansion *e = w->e;
    for (size_t k = 0; k < w->def->contact_count; k++)
        e->contacts += w->mortar[k].nodes;
    e->kept = e->count = 2 * e->contacts + w->def->drive_count;
    for (size_t row = 0; row < e->rows; row++)
        if (w->fate[row] == FREE)
            w->y[row] = e->count++;
}

am_status am_expansion_init(am_expansion *expansion, const am_solid_def *def, const am_mortar *mortar, am_error *err) {
    *expansion = (am_expansion){.rows = 2 * def->mesh->nodes + 3 * def->rigid_count};
    work w = {.def = def, .mortar = mortar, .e = expansion};
    w.fate = am_memory_new(expansion->rows, sizeof *w.fate, err);
    w.drive = am_memory_new(expansion->rows, sizeof *w.drive, err);
    w.y = am_memory_new(expansion->rows, sizeof *w.y, err);
    expansion->start = am_memory_new(expansion->rows + 1, sizeof *expansion->start, err);
    am_status status = w.fate && w.drive && w.y && expansion->start ? mark(&w, err) : AM_ERR_MEMORY;
    if (!status) {
        number_free(&w);
        status = number_contacts(&w, err);
    }
    am_memory_free(w.fate);
    am_memory_free(w.drive);
    am_memory_free(w.y);
    if (status)
        am_expansion_clear(expansion);
    return status;
}

void am_expansion_clear(am_expansion *expansion) {
    am_memory_free(expansion->start);
    am_memory_free(expansion->term);
    *expansion = (am_expansion){0};
}

void am_expansion_apply(const am_expansion *expansion, const double *y, double *u) {
    for (size_t row = 0; row < expansion->rows; row++) {
        u[row] = 0.0;
        for (size_t k = expansion->start[row]; k < expansion->start[row + 1]; k++)
            u[row] += expansion->term[k].factor * y[expansion->term[k].y];
    }
}

void am_expansion_gather(const am_expansion *expansion, size_t row, double load, double *forces) {
    for (size_t k = expansion->start[row]; k < expansion->start[row + 1]; k++)
        forces[expansion->term[k].y] += expansion->term[k].factor * load;
}
