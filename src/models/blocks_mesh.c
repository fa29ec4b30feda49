/* Structured meshes of slider and base with common lines across the interface. */
#include <math.h>
#include <string.h>

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

/* A division that grows. */
typedef struct places {
    size_t count;
    double *at;
} places;

static am_status append(places *all, size_t count, const double *at, am_error *err) {
    size_t skip = all->count > 0; /* the last place is the first of what follows */
    AM_TRY(am_memory_resize(&all->at, all->count + count, err));
    memcpy(all->at + all->count, at + skip, (count - skip) * sizeof *at);
    all->count += count - skip;
    return AM_OK;
}

static am_status divide(places *all, double from, double to, double size, double growth, double largest,
                        size_t fine_count, const double *fine, size_t keep_count, const double *keep, am_error *err) {
    size_t count;
    double *at;
    am_status status =
        am_block_divide(from, to, size, growth, largest, fine_count, fine, keep_count, keep, &count, &at, err);
    if (status)
        return status;
    status = append(all, count, at, err);
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
    places half = {0};
    am_status status = divide_half(rig, -rig->left, &half, err);
    x->at = status ? NULL : am_memory_new(2 * half.count - 1, sizeof *x->at, err);
    if (!status && !x->at)
        status = AM_ERR_MEMORY;
    for (size_t i = 0; i < half.count && !status; i++) {
        x->at[half.count - 1 + i] = half.at[i];
        x->at[half.count - 1 - i] = -half.at[i];
    }
    x->count = status ? 0 : 2 * half.count - 1;
    am_memory_free(half.at);
    return status;
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
    am_status status = AM_OK;
    if (from < left)
        status = divide(x, from, left, first, m->growth, largest, 1, &left, 0, NULL, err);
    if (!status)
        status = append(x, slider->count, slider->at, err);
    if (!status && to > right)
        status = divide(x, right, to, first, m->growth, largest, 1, &right, 0, NULL, err);
    return status;
}

static am_status divide_height(const am_blocks_rig *rig, double from, double to, size_t keep_count, const double *keep,
                               places *y, am_error *err) {
    const am_blocks_mesh *m = &rig->blocks.mesh;
    const double interface = 0.0;
    double size = m->ends > 0.0 ? fmin(m->ends, m->size) : m->size;
    return divide(y, from, to, fmin(size, to - from), m->growth, fmax(m->largest, size), 1, &interface, keep_count,
                  keep, err);
}

static am_status add_block(am_blocks_rig *rig, const char *name, const am_blocks_body *body, const places *x,
                           const places *y, am_error *err) {
    const am_block_division along = {x->count, x->at}, up = {y->count, y->at};
    const am_solid_body made = about(body);
    return am_block_mesh_add(&rig->mesh, name, &made, shape_of(rig->blocks.mesh.element), &along, &up, err);
}

am_status am_blocks_mesh_make(am_blocks_rig *rig, am_error *err) {
    const am_blocks *b = &rig->blocks;
    places slider = {0}, base = {0}, up = {0}, down = {0};
    size_t load = b->side != AM_BLOCKS_TOP && b->load_height > 0.0 && b->load_height < b->slider.height;
    am_status status = divide_slider(rig, &slider, err);
    if (!status)
        status = check_contact_nodes(rig, &slider, err);
    if (!status && !b->slider.rigid)
        status = divide_height(rig, 0.0, b->slider.height, load, &b->load_height, &up, err);
    if (!status && !b->slider.rigid)
        status = add_block(rig, "slider", &b->slider, &slider, &up, err);
    if (!status && !b->base.rigid)
        status = divide_base(rig, &slider, &base, err);
    if (!status && !b->base.rigid)
        status = divide_height(rig, -b->base.height, 0.0, 0, NULL, &down, err);
    if (!status && !b->base.rigid)
        status = add_block(rig, "base", &b->base, &base, &down, err);
    if (status == AM_ERR_INPUT && err && !err->field[0])
        memcpy(err->field, "mesh", sizeof "mesh");
    am_memory_free(slider.at);
    am_memory_free(base.at);
    am_memory_free(up.at);
    am_memory_free(down.at);
    return status;
}
