/* Structured meshes of slider and base with common lines across the interface. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "models/blocks.h"
#include "solid/block_mesh.h"

static am_shape shape_of(am_blocks_element element) {
    return element == AM_BLOCKS_QUAD4 ? AM_QUAD4 : element == AM_BLOCKS_QUAD8 ? AM_QUAD8 : AM_TRIANGLE6;
}

static am_solid_body about(const am_blocks_body *body) {
    return (am_solid_body){.modulus = body->modulus,
                           .poisson = body->poisson,
                           .density = body->density,
                           .thickness = body->thickness,
                           .plane_stress = body->plane_stress};
}

/* A division that grows, in the arena of the mesh that is being made. */
typedef struct places {
    am_arena *memory;
    size_t count;
    double *at;
} places;

static am_status append(places *all, size_t count, const double *at, am_error *err) {
    size_t skip = all->count > 0; /* the last place is the first of what follows */
    double *longer = am_arena_new(all->memory, all->count + count, sizeof *longer, err);
    if (!longer)
        return AM_ERR_MEMORY;
    if (all->count > 0)
        memcpy(longer, all->at, all->count * sizeof *longer);
    memcpy(longer + all->count, at + skip, (count - skip) * sizeof *at);
    all->at = longer;
    all->count += count - skip;
    return AM_OK;
}

static am_status divide(places *all, double from, double to, double size, double growth, double largest,
                        size_t fine_count, const double *fine, size_t fixed_count, const double *fixed, am_error *err) {
    size_t count;
    double *at;
    AM_TRY(am_block_divide(from, to, size, growth, largest, fine_count, fine, fixed_count, fixed, &count, &at, err));
    am_status status = append(all, count, at, err);
    am_memory_free(at);
    return status;
}

/* Half of the slider, from its middle to an end at `to`: places that both bodies share. */
static am_status divide_half(const am_blocks_rig *rig, double to, places *half, am_error *err) {
    const am_blocks_mesh *m = &rig->blocks.mesh;
    double zone = fmin(m->zone, to), largest = fmax(m->largest, m->size);
    if (m->zone >= to && m->ends > 0.0)
        return divide(half, 0.0, to, m->ends, m->growth, m->size, 1, &to, 0, NULL, err);
    AM_TRY(divide(half, 0.0, zone, m->size, 1.0, m->size, 0, NULL, 0, NULL, err));
    if (zone < to)
        AM_TRY(divide(half, zone, to, m->size, m->growth, largest, 1, &zone, 0, NULL, err));
    return AM_OK;
}

/* Mirrored, so that what is symmetric stays so. */
static am_status divide_slider(const am_blocks_rig *rig, places *x, am_error *err) {
    places half = {x->memory, 0, NULL};
    AM_TRY(divide_half(rig, -rig->left, &half, err));
    x->count = 2 * half.count - 1;
    x->at = am_arena_new(x->memory, x->count, sizeof *x->at, err);
    for (size_t i = 0; i < half.count && x->at; i++) {
        x->at[half.count - 1 + i] = half.at[i];
        x->at[half.count - 1 - i] = -half.at[i];
    }
    return x->at ? AM_OK : AM_ERR_MEMORY;
}

/* What is condensed is a full matrix over slips and gaps of all contact nodes: too many are refused before any work. */
static am_status check_contact_nodes(const am_blocks_rig *rig, const places *slider, am_error *err) {
    const double most = 20000.0, bytes = 8.0, one_GB = 1e9;
    double elements = (double)(slider->count - 1);
    double nodes = rig->blocks.mesh.element == AM_BLOCKS_QUAD4 ? elements + 1.0 : 2.0 * elements + 1.0;
    if (nodes <= most)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "mesh.size",
                         "elements of %g along the interface make %.0f contact nodes, whose condensed stiffness alone "
                         "would take %.3g GB; at most %.0f nodes are allowed, so take larger elements",
                         rig->blocks.mesh.size, nodes, bytes * 4.0 * nodes * nodes / one_GB, most);
}

/* Under the slider its own places, outside ever larger elements. */
static am_status divide_base(const am_blocks_rig *rig, const places *slider, places *x, am_error *err) {
    const am_blocks_mesh *m = &rig->blocks.mesh;
    double from = rig->base_left, to = from + rig->blocks.base.length, left = rig->left, right = -left;
    double first = slider->at[1] - slider->at[0], largest = fmax(m->largest, first);
    if (from < left)
        AM_TRY(divide(x, from, left, first, m->growth, largest, 1, &left, 0, NULL, err));
    AM_TRY(append(x, slider->count, slider->at, err));
    if (to > right)
        AM_TRY(divide(x, right, to, first, m->growth, largest, 1, &right, 0, NULL, err));
    return AM_OK;
}

static am_status divide_height(const am_blocks_rig *rig, double from, double to, size_t fixed_count,
                               const double *fixed, places *y, am_error *err) {
    const am_blocks_mesh *m = &rig->blocks.mesh;
    const double interface = 0.0;
    double size = m->ends > 0.0 ? fmin(m->ends, m->size) : m->size;
    return divide(y, from, to, fmin(size, to - from), m->growth, fmax(m->largest, size), 1, &interface, fixed_count,
                  fixed, err);
}

static am_status add_block(am_blocks_rig *rig, const char *name, const am_blocks_body *body, const places *x,
                           const places *y, am_error *err) {
    const am_block_division along = {x->count, x->at}, up = {y->count, y->at};
    const am_solid_body made = about(body);
    return am_block_mesh_add(&rig->mesh, name, &made, shape_of(rig->blocks.mesh.element), &along, &up, err);
}

static am_status add_bodies(am_blocks_rig *rig, am_arena *memory, am_error *err) {
    const am_blocks *b = &rig->blocks;
    places slider = {memory, 0, NULL}, base = slider, up = slider, down = slider;
    size_t load = b->side != AM_BLOCKS_TOP && b->load_height > 0.0 && b->load_height < b->slider.height;
    AM_TRY(divide_slider(rig, &slider, err));
    AM_TRY(check_contact_nodes(rig, &slider, err));
    if (!b->slider.rigid) {
        AM_TRY(divide_height(rig, 0.0, b->slider.height, load, &b->load_height, &up, err));
        AM_TRY(add_block(rig, "slider", &b->slider, &slider, &up, err));
    }
    if (b->base.rigid)
        return AM_OK;
    AM_TRY(divide_base(rig, &slider, &base, err));
    AM_TRY(divide_height(rig, -b->base.height, 0.0, 0, NULL, &down, err));
    return add_block(rig, "base", &b->base, &base, &down, err);
}

am_status am_blocks_mesh_make(am_blocks_rig *rig, am_error *err) {
    am_arena memory = {0};
    am_status status = add_bodies(rig, &memory, err);
    if (status == AM_ERR_INPUT && err && !err->field[0])
        memcpy(err->field, "mesh", sizeof "mesh");
    am_arena_clear(&memory);
    return status;
}
