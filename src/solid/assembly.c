#include "solid/assembly.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "solid/element.h"
#include "solid/place.h"

static am_status reserve(am_assembly *a, size_t more, am_error *err) {
    if (a->count + more <= a->capacity)
        return AM_OK;
    size_t capacity = a->capacity + a->capacity / 2 + more + 4096;
    AM_TRY(am_memory_resize(&a->row, capacity, err));
    AM_TRY(am_memory_resize(&a->column, capacity, err));
    AM_TRY(am_memory_resize(&a->value, capacity, err));
    a->capacity = capacity;
    return AM_OK;
}

static void add_entry(am_assembly *a, size_t i, size_t j, double value) {
    size_t high = i > j ? i : j, low = i > j ? j : i;
    a->row[a->count] = (int)high + 1;
    a->column[a->count] = (int)low + 1;
    a->value[a->count++] = value;
}

/* Coordinates that a few displacements depend on, each once, and their factors (rows x count, row by row). */
typedef struct local {
    size_t capacity, count;
    size_t *y;
    double *factor, *half; /* half: matrix times factors */
    size_t *seat;          /* of every coordinate among them, plus one; zero between uses */
} local;

static am_status local_init(local *l, size_t coordinates, am_error *err) {
    *l = (local){0};
    l->seat = am_memory_new(coordinates, sizeof *l->seat, err);
    return l->seat ? AM_OK : AM_ERR_MEMORY;
}

static void local_clear(local *l) {
    am_memory_free(l->y);
    am_memory_free(l->factor);
    am_memory_free(l->half);
    am_memory_free(l->seat);
}

static am_status local_grow(local *l, size_t terms, am_error *err) {
    if (terms <= l->capacity)
        return AM_OK;
    AM_TRY(am_memory_resize(&l->y, terms, err));
    AM_TRY(am_memory_resize(&l->factor, terms * AM_ELEMENT_SIZE, err));
    AM_TRY(am_memory_resize(&l->half, terms * AM_ELEMENT_SIZE, err));
    l->capacity = terms;
    return AM_OK;
}

static am_status local_fill(local *l, const am_expansion *e, size_t size, const size_t *rows, am_error *err) {
    size_t terms = 0;
    for (size_t i = 0; i < size; i++)
        terms += e->start[rows[i] + 1] - e->start[rows[i]];
    AM_TRY(local_grow(l, terms, err));
    l->count = 0;
    for (size_t i = 0; i < size; i++)
        for (size_t k = e->start[rows[i]]; k < e->start[rows[i] + 1]; k++)
            if (!l->seat[e->term[k].y]) {
                l->y[l->count] = e->term[k].y;
                l->seat[e->term[k].y] = ++l->count;
            }
    memset(l->factor, 0, size * l->count * sizeof *l->factor);
    for (size_t i = 0; i < size; i++)
        for (size_t k = e->start[rows[i]]; k < e->start[rows[i] + 1]; k++)
            l->factor[i * l->count + l->seat[e->term[k].y] - 1] += e->term[k].factor;
    for (size_t i = 0; i < l->count; i++)
        l->seat[l->y[i]] = 0;
    return AM_OK;
}

/* Adds T^T matrix T. */
static am_status add_matrix(am_assembly *a, local *l, const am_expansion *e, size_t size, const size_t *rows,
                            const double *matrix, am_error *err) {
    AM_TRY(local_fill(l, e, size, rows, err));
    AM_TRY(reserve(a, l->count * (l->count + 1) / 2, err));
    size_t count = l->count;
    memset(l->half, 0, size * count * sizeof *l->half);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            for (size_t k = 0; k < count; k++)
                l->half[i * count + k] += matrix[i * size + j] * l->factor[j * count + k];
    for (size_t p = 0; p < count; p++)
        for (size_t q = 0; q <= p; q++) {
            double sum = 0.0;
            for (size_t i = 0; i < size; i++)
                sum += l->factor[i * count + p] * l->half[i * count + q];
            if (sum != 0.0)
                add_entry(a, l->y[p], l->y[q], sum);
        }
    return AM_OK;
}

/* ---- elements ---- */

static size_t element_places(const am_solid_mesh *mesh, const am_solid_element *element, double (*place)[2],
                             size_t *rows) {
    size_t size = 2 * am_shape_nodes(element->shape);
    am_solid_mesh_places(mesh, element, place);
    for (size_t i = 0; i < size; i++)
        rows[i] = 2 * element->node[i / 2] + i % 2;
    return size;
}

static am_status add_stiffnesses(am_assembly *a, local *l, const am_solid_def *def, const am_expansion *e,
                                 am_error *err) {
    const am_solid_mesh *mesh = def->mesh;
    double stiffness[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE], place[AM_SHAPE_MOST][2];
    size_t rows[AM_ELEMENT_SIZE];
    for (size_t i = 0; i < mesh->elements; i++) {
        const am_solid_element *element = &mesh->element[i];
        size_t size = element_places(mesh, element, place, rows);
        AM_TRY(am_element_matrices(element->shape, (const double(*)[2])place, &mesh->body[element->body], stiffness,
                                   NULL, err));
        AM_TRY(add_matrix(a, l, e, size, rows, stiffness, err));
    }
    return AM_OK;
}

size_t am_assembly_bubbles(const am_solid_mesh *mesh) {
    size_t count = 0;
    for (size_t i = 0; i < mesh->elements; i++)
        count += am_element_bubbles(mesh->element[i].shape);
    return count;
}

/* The rows of an element's bubble, whose coordinates begin at `first`: its coupling with the coordinates that the local
 * factors were just filled with, and its own part. `mass` has size + bubbles rows. */
static am_status add_bubble(am_assembly *a, const local *l, size_t size, size_t bubbles, size_t first,
                            const double *mass, am_error *err) {
    AM_TRY(reserve(a, bubbles * (l->count + bubbles), err));
    for (size_t b = 0; b < bubbles; b++) {
        const double *row = mass + (size + b) * (size + bubbles);
        for (size_t p = 0; p < l->count; p++) {
            double sum = 0.0;
            for (size_t i = 0; i < size; i++)
                sum += row[i] * l->factor[i * l->count + p];
            if (sum != 0.0)
                add_entry(a, first + b, l->y[p], sum);
        }
        for (size_t c = 0; c <= b; c++)
            add_entry(a, first + b, first + c, row[size + c]);
    }
    return AM_OK;
}

static am_status add_masses(am_assembly *a, local *l, const am_solid_def *def, const am_expansion *e, am_error *err) {
    const am_solid_mesh *mesh = def->mesh;
    double all[AM_ELEMENT_MOVING * AM_ELEMENT_MOVING], own[AM_ELEMENT_SIZE * AM_ELEMENT_SIZE], place[AM_SHAPE_MOST][2];
    size_t rows[AM_ELEMENT_SIZE], next = e->count;
    for (size_t i = 0; i < mesh->elements; i++) {
        const am_solid_element *element = &mesh->element[i];
        size_t size = element_places(mesh, element, place, rows), bubbles = am_element_bubbles(element->shape);
        AM_TRY(am_element_inertia(element->shape, (const double(*)[2])place, &mesh->body[element->body], all, err));
        for (size_t r = 0; r < size; r++)
            memcpy(own + r * size, all + r * (size + bubbles), size * sizeof *own);
        AM_TRY(add_matrix(a, l, e, size, rows, own, err));
        AM_TRY(add_bubble(a, l, size, bubbles, next, all, err));
        next += bubbles;
    }
    return AM_OK;
}

/* A slip that no displacement depends on, of a contact node on a symmetry plane, is a coordinate of its own. Nothing
 * loads it and it stays zero; it has the stiffness, or the mass, of a square of its body. */
static am_status add_idle_slips(am_assembly *a, const am_solid_def *def, const am_expansion *e, const am_mortar *mortar,
                                bool mass, am_error *err) {
    AM_TRY(reserve(a, e->contacts, err));
    for (size_t k = 0, number = 0; k < def->contact_count; k++) {
        const am_solid_line *line = &def->mesh->line[am_solid_mesh_find_line(def->mesh, def->contact[k].slave)];
        const am_solid_body *body = &def->mesh->body[line->body];
        for (size_t i = 0; i < mortar[k].nodes; i++, number++) {
            double side = mortar[k].node[i].length;
            if (e->idle[number])
                add_entry(a, number, number, body->thickness * (mass ? body->density * side * side : body->modulus));
        }
    }
    return AM_OK;
}

/* ---- springs of drives, masses of rigid bodies ---- */

/* vector += T^T of a force on a place, shared out by its weights. */
static am_status gather_place(const am_solid_def *def, const am_expansion *e, const am_mesh_place *place,
                              const double force[2], const char *field, double *vector, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    for (size_t c = 0; c < 2; c++) {
        am_place_share share;
        AM_TRY(am_place_weights(def, place, c, field, &memory, &share, err));
        for (size_t i = 0; i < share.count; i++)
            am_expansion_gather(e, share.row[i], force[c] * share.weight[i], vector);
    }
    return AM_OK;
}

/* The mean displacement of a drive's place, less that of its far end, as a vector in y (dense, zero before). */
static am_status drive_vector(const am_solid_def *def, const am_expansion *e, size_t drive, double *g, am_error *err) {
    const am_mesh_drive *d = &def->drive[drive];
    char field[40];
    snprintf(field, sizeof field, "drives[%zu].line", drive);
    g[2 * e->contacts + drive] -= 1.0;
    return gather_place(def, e, &d->place, d->direction, field, g, err);
}

static am_status add_spring(am_assembly *a, size_t n, double stiffness, const double *g, am_error *err) {
    size_t terms = 0;
    for (size_t i = 0; i < n; i++)
        terms += g[i] != 0.0;
    AM_TRY(reserve(a, terms * (terms + 1) / 2, err));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i && g[i] != 0.0; j++)
            if (g[j] != 0.0)
                add_entry(a, i, j, stiffness * g[i] * g[j]);
    return AM_OK;
}

static am_status add_springs(am_assembly *a, const am_solid_def *def, const am_expansion *e, am_error *err) {
    AM_LOCAL_MEMORY double *g = am_memory_new(e->count, sizeof *g, err);
    if (!g)
        return AM_ERR_MEMORY;
    for (size_t d = 0; d < def->drive_count; d++) {
        if (!(def->drive[d].stiffness > 0.0))
            continue;
        memset(g, 0, e->count * sizeof *g);
        AM_TRY(drive_vector(def, e, d, g, err));
        AM_TRY(add_spring(a, e->count, def->drive[d].stiffness, g, err));
    }
    return AM_OK;
}

static am_status add_rigid_masses(am_assembly *a, local *l, const am_solid_def *def, const am_expansion *e,
                                  am_error *err) {
    for (size_t i = 0; i < def->rigid_count; i++) {
        size_t row = 2 * def->mesh->nodes + 3 * i, rows[3] = {row, row + 1, row + 2};
        double mass = def->rigid[i].mass, matrix[9] = {mass, 0, 0, 0, mass, 0, 0, 0, def->rigid[i].inertia};
        AM_TRY(add_matrix(a, l, e, 3, rows, matrix, err));
    }
    return AM_OK;
}

/* ---- all of it ---- */

static am_status begin(am_assembly *a, local *l, const am_expansion *e, size_t bubbles, am_error *err) {
    *a = (am_assembly){.n = e->count + bubbles};
    *l = (local){0};
    if (a->n > INT_MAX)
        return am_fail(err, AM_ERR_LIMIT, "a mesh with %zu unknowns is too large", a->n);
    return local_init(l, e->count, err);
}

am_status am_assembly_stiffness(am_assembly *assembly, const am_solid_def *def, const am_expansion *expansion,
                                const am_mortar *mortar, am_error *err) {
    AM_LOCAL(local_clear) local l = {0};
    AM_TRY(begin(assembly, &l, expansion, 0, err));
    AM_TRY(add_stiffnesses(assembly, &l, def, expansion, err));
    AM_TRY(add_springs(assembly, def, expansion, err));
    return add_idle_slips(assembly, def, expansion, mortar, false, err);
}

am_status am_assembly_mass(am_assembly *assembly, const am_solid_def *def, const am_expansion *expansion,
                           const am_mortar *mortar, am_error *err) {
    AM_LOCAL(local_clear) local l = {0};
    AM_TRY(begin(assembly, &l, expansion, am_assembly_bubbles(def->mesh), err));
    AM_TRY(add_masses(assembly, &l, def, expansion, err));
    AM_TRY(add_rigid_masses(assembly, &l, def, expansion, err));
    return add_idle_slips(assembly, def, expansion, mortar, true, err);
}

void am_assembly_clear(am_assembly *assembly) {
    am_memory_free(assembly->row);
    am_memory_free(assembly->column);
    am_memory_free(assembly->value);
    *assembly = (am_assembly){0};
}

void am_assembly_apply(const am_assembly *assembly, const double *x, double *y) {
    memset(y, 0, assembly->n * sizeof *y);
    for (size_t k = 0; k < assembly->count; k++) {
        size_t i = (size_t)assembly->row[k] - 1, j = (size_t)assembly->column[k] - 1;
        y[i] += assembly->value[k] * x[j];
        if (i != j)
            y[j] += assembly->value[k] * x[i];
    }
}

/* ---- loads ---- */

am_status am_assembly_load(const am_solid_def *def, const am_expansion *expansion, size_t load, double *forces,
                           am_error *err) {
    const am_mesh_load *l = &def->load[load];
    char field[40];
    snprintf(field, sizeof field, "loads[%zu].line", load);
    return gather_place(def, expansion, &l->place, l->force, field, forces, err);
}

void am_assembly_gravity(const am_solid_def *def, const am_expansion *expansion, size_t gravity, double *forces) {
    const am_solid_mesh *mesh = def->mesh;
    const double *acceleration = def->gravity[gravity].acceleration;
    double place[AM_SHAPE_MOST][2], force[AM_ELEMENT_SIZE];
    size_t rows[AM_ELEMENT_SIZE];
    for (size_t i = 0; i < mesh->elements; i++) {
        const am_solid_element *element = &mesh->element[i];
        size_t size = element_places(mesh, element, place, rows);
        am_element_body_force(element->shape, (const double(*)[2])place, &mesh->body[element->body], acceleration,
                              force);
        for (size_t k = 0; k < size; k++)
            am_expansion_gather(expansion, rows[k], force[k], forces);
    }
    for (size_t i = 0; i < def->rigid_count; i++)
        for (size_t c = 0; c < 2; c++)
            am_expansion_gather(expansion, 2 * mesh->nodes + 3 * i + c, def->rigid[i].mass * acceleration[c], forces);
}

am_status am_assembly_bubble_forces(const am_solid_def *def, size_t gravity, double *forces, am_error *err) {
    const am_solid_mesh *mesh = def->mesh;
    const double *acceleration = def->gravity[gravity].acceleration;
    double mass[AM_ELEMENT_MOVING * AM_ELEMENT_MOVING], place[AM_SHAPE_MOST][2];
    size_t rows[AM_ELEMENT_SIZE], next = 0;
    for (size_t i = 0; i < mesh->elements; i++) {
        const am_solid_element *element = &mesh->element[i];
        size_t size = element_places(mesh, element, place, rows), bubbles = am_element_bubbles(element->shape);
        AM_TRY(am_element_inertia(element->shape, (const double(*)[2])place, &mesh->body[element->body], mass, err));
        for (size_t b = 0; b < bubbles; b++, next++)
            for (size_t k = 0; k < size; k++)
                forces[next] += mass[(size + b) * (size + bubbles) + k] * acceleration[k % 2];
    }
    return AM_OK;
}
