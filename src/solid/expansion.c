#include "solid/expansion.h"
#include "base/try.h"

#include <stdint.h>

#include "base/memory.h"
#include "solid/place.h"

typedef struct work {
    const am_solid_def *def;
    const am_mortar *mortar;
    const am_holding *holding;
    am_expansion *e;
    am_arena memory;
    size_t *y; /* rows: coordinate of free ones */
} work;

/* ---- rows ---- */

static am_status add_term(am_expansion *e, size_t y, double factor, am_error *err) {
    AM_TRY(am_memory_reserve(&e->term, &e->term_capacity, e->term_count + 1, err));
    if (factor != 0.0)
        e->term[e->term_count++] = (am_solid_term){y, factor};
    return AM_OK;
}

/* A displacement that is free, fixed or driven, times a factor. */
static am_status add_simple(work *w, size_t row, double factor, am_error *err) {
    am_hold fate = w->holding->fate[row];
    if (fate == AM_HOLD_FREE)
        return add_term(w->e, w->y[row], factor, err);
    return fate == AM_HOLD_DRIVEN ? add_term(w->e, 2 * w->e->contacts + w->holding->drive[row], factor, err) : AM_OK;
}

static am_status add_slave(work *w, const am_mesh_contact *contact, const am_mortar *mortar, size_t i, size_t number,
                           size_t component, am_error *err) {
    const am_mortar_node *node = &mortar->node[i];
    double scale = w->e->scale[number];
    AM_TRY(add_term(w->e, number, scale * node->tangent[component], err));
    AM_TRY(add_term(w->e, w->e->contacts + number, scale * node->normal[component], err));
    for (size_t k = 0; k < node->count; k++) {
        const am_mortar_weight *weight = &mortar->weight[node->first + k];
        AM_TRY(add_simple(w, 2 * weight->node + component, weight->value, err));
    }
    size_t rigid = am_solid_find_rigid(w->def, contact->master);
    if (rigid == SIZE_MAX)
        return AM_OK;
    const am_mesh_rigid *body = &w->def->rigid[rigid];
    size_t row = 2 * w->def->mesh->nodes + 3 * rigid;
    double arm[2] = {node->arm[0] - 0.5 * (body->from[0] + body->to[0]),
                     node->arm[1] - 0.5 * (body->from[1] + body->to[1])};
    AM_TRY(add_simple(w, row + component, scale, err));
    return add_simple(w, row + 2, scale * (component == 0 ? -arm[1] : arm[0]), err);
}

static am_status fill_rows(work *w, const size_t *contact_of, const size_t *index_of, const size_t *number_of,
                           am_error *err) {
    am_expansion *e = w->e;
    for (size_t row = 0; row < e->rows; row++) {
        e->start[row] = e->term_count;
        if (w->holding->fate[row] == AM_HOLD_SLAVE) {
            size_t node = row / 2, k = contact_of[node];
            AM_TRY(add_slave(w, &w->def->contact[k], &w->mortar[k], index_of[node], number_of[node], row % 2, err));
        } else {
            AM_TRY(add_simple(w, row, 1.0, err));
        }
    }
    e->start[e->rows] = e->term_count;
    return AM_OK;
}

/* A contact node on a symmetry plane: one of its displacements is held, and it cannot slip. */
static bool is_idle(const am_holding *holding, size_t node) {
    return holding->fate[2 * node] != AM_HOLD_SLAVE || holding->fate[2 * node + 1] != AM_HOLD_SLAVE;
}

/* Which contact, which of its nodes, which number among all. */
static am_status number_contacts(work *w, am_error *err) {
    size_t nodes = w->def->mesh->nodes, number = 0;
    size_t *contact_of = am_arena_new(&w->memory, nodes, sizeof *contact_of, err);
    size_t *index_of = am_arena_new(&w->memory, nodes, sizeof *index_of, err);
    size_t *number_of = am_arena_new(&w->memory, nodes, sizeof *number_of, err);
    if (am_arena_status(&w->memory))
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < w->def->contact_count; k++)
        for (size_t i = 0; i < w->mortar[k].nodes; i++, number++) {
            size_t node = w->mortar[k].node[i].node;
            contact_of[node] = k;
            index_of[node] = i;
            number_of[node] = number;
            w->e->scale[number] = w->mortar[k].node[i].length / w->mortar[k].node[i].own;
            w->e->idle[number] = is_idle(w->holding, node);
        }
    return fill_rows(w, contact_of, index_of, number_of, err);
}

static void number_free(work *w) {
    am_expansion *e = w->e;
    e->kept = e->count = 2 * e->contacts + w->def->drive_count;
    for (size_t row = 0; row < e->rows; row++)
        if (w->holding->fate[row] == AM_HOLD_FREE)
            w->y[row] = e->count++;
}

am_status am_expansion_init(am_expansion *expansion, const am_solid_def *def, const am_mortar *mortar,
                            const am_holding *holding, am_arena *memory, am_error *err) {
    *expansion = (am_expansion){.rows = holding->rows};
    work w = {.def = def, .mortar = mortar, .holding = holding, .e = expansion};
    for (size_t k = 0; k < def->contact_count; k++)
        expansion->contacts += mortar[k].nodes;
    w.y = am_arena_new(&w.memory, expansion->rows, sizeof *w.y, err);
    expansion->start = am_arena_new(memory, expansion->rows + 1, sizeof *expansion->start, err);
    expansion->scale = am_arena_doubles(memory, NULL, expansion->contacts, err);
    expansion->idle = am_arena_new(memory, expansion->contacts, sizeof *expansion->idle, err);
    am_status status = w.y ? am_arena_status(memory) : AM_ERR_MEMORY;
    if (!status) {
        number_free(&w);
        status = number_contacts(&w, err);
    }
    am_arena_clear(&w.memory);
    return status;
}

void am_expansion_clear(am_expansion *expansion) {
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
