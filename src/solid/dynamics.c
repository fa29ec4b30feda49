#include "solid/dynamics.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "math/arnoldi.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "solid/cleaning.h"
#include "solid/freedom.h"
#include "solid/solid_internal.h"

/* Shapes of more numbers than this (4 GB) are refused. */
static const double most_numbers = 5e8;

/* Shapes that are a sum of the others but for this part of themselves add nothing. */
static const double same = 1e-8;

enum { CHECKED_FREQUENCIES = 10 };

typedef struct work {
    am_arena memory;
    am_solid *solid;
    am_solid_dynamics *d;
    am_assembly mass;
    size_t count, n;              /* coordinates of the mesh; with the bubbles' own motions, whose stiffness is 1 */
    size_t kept, inner, contacts; /* kept ones; all others (n - kept); 2m */
    size_t loads;                 /* loads, weights, drives */
    double *force;                /* loads x n */
    double *basis;                /* contacts x n: shapes of slips and gaps */
    double *zero;                 /* n */
    double *y, *z;                /* n: work */
    double *residual, *inertia;   /* n: of a mode that is checked */
} work;

/* ---- loads as forces on all coordinates ---- */

static am_status fill_forces(work *w, am_error *err) {
    const am_solid *s = w->solid;
    for (size_t l = 0; l < s->loads; l++)
        memcpy(w->force + l * w->n, s->force + l * w->count, w->count * sizeof *w->force);
    for (size_t g = 0; g < s->def.gravity_count; g++)
        AM_TRY(am_assembly_bubble_forces(&s->def, g, w->force + (s->def.load_count + g) * w->n + w->count, err));
    for (size_t i = 0; i < s->def.drive_count; i++) { /* the far end moves by one: what its spring does to the rest */
        double *force = w->force + (s->loads + i) * w->n;
        size_t far = w->contacts + i;
        memset(w->y, 0, w->n * sizeof *w->y);
        w->y[far] = -1.0;
        am_assembly_apply(&s->stiffness, w->y, force);
        force[far] = 0.0;
    }
    return AM_OK;
}

/* ---- modes with all contacts at rest ---- */

static void apply_stiffness(const work *w, const double *x, double *y) {
    am_assembly_apply(&w->solid->stiffness, x, y);
    memcpy(y + w->count, x + w->count, (w->n - w->count) * sizeof *y);
}

/* The eliminated coordinates x in w->z, while the kept ones rest. */
static void place_inner(work *w, const double *x) {
    memset(w->z, 0, w->kept * sizeof *w->z);
    memcpy(w->z + w->kept, x, w->inner * sizeof *x);
}

static am_status solve_inner(void *context, const double *x, double *y, am_error *err) {
    work *w = context;
    size_t moved = w->count - w->kept;
    place_inner(w, x);
    AM_TRY(am_sparse_expand(w->solid->factor, w->z, w->zero, w->y, err));
    memcpy(y, w->y + w->kept, moved * sizeof *y);
    memcpy(y + moved, w->z + w->count, (w->n - w->count) * sizeof *y);
    return AM_OK;
}

static void apply_mass_inner(void *context, const double *x, double *y) {
    work *w = context;
    place_inner(w, x);
    am_assembly_apply(&w->mass, w->z, w->y);
    memcpy(y, w->y + w->kept, w->inner * sizeof *y);
}

static am_status find_modes(work *w, size_t modes, am_error *err) {
    am_arnoldi_problem problem = {w->inner, 0.0, solve_inner, apply_mass_inner, w};
    if (modes == 0)
        return AM_OK;
    if (modes + 1 >= w->inner)
        return am_fail_field(err, AM_ERR_INPUT, "modes", "the mesh has %zu coordinates inside: fewer modes than that",
                             w->inner);
    return am_arnoldi_lowest(&problem, modes, w->d->frequency, w->d->shape, NULL, err);
}

/* What the loads do in statics while the contacts rest, without its part along the shapes found before; shapes have
 * mass 1. Returns in *count how many there are now. */
static am_status add_load_shapes(work *w, size_t *count, am_error *err) {
    double *product = am_arena_doubles(&w->memory, NULL, w->inner, err);
    AM_TRY(am_arena_status(&w->memory));
    for (size_t l = 0; l < w->loads; l++) {
        double *shape = w->d->shape + *count * w->inner, first = 0.0, left = 0.0;
        AM_TRY(solve_inner(w, w->force + l * w->n + w->kept, shape, err));
        for (int twice = 0; twice < 2; twice++) {
            apply_mass_inner(w, shape, product);
            first = twice ? first : am_dense_dot(shape, product, w->inner);
            for (size_t k = 0; k < *count; k++) {
                const double *other = w->d->shape + k * w->inner;
                double share = am_dense_dot(other, product, w->inner);
                for (size_t i = 0; i < w->inner; i++)
                    shape[i] -= share * other[i];
            }
        }
        apply_mass_inner(w, shape, product);
        left = am_dense_dot(shape, product, w->inner);
        if (!(left > same * same * first))
            continue;
        for (size_t i = 0; i < w->inner; i++)
            shape[i] /= sqrt(left);
        ++*count;
    }
    return AM_OK;
}

/* y = K x for eliminated coordinates. */
static void apply_stiffness_inner(work *w, const double *x, double *y) {
    place_inner(w, x);
    apply_stiffness(w, w->z, w->y);
    memcpy(y, w->y + w->kept, w->inner * sizeof *y);
}

/* Both signs of a shape are as good: its largest entry shall be positive (equally large ones, as in symmetric bodies,
 * within a millionth: the first), so that modal coordinates do not change theirs with rounding. */
static void choose_sign(double *shape, size_t n) {
    size_t largest = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(shape[i]) > (1.0 + 1e-6) * fabs(shape[largest]))
            largest = i;
    double sign = n > 0 && shape[largest] < 0.0 ? -1.0 : 1.0;
    for (size_t i = 0; i < n; i++)
        shape[i] *= sign;
}

/* Modes of the span, so that its matrices are diagonal. */
static am_status diagonalise(work *w, am_error *err) {
    am_solid_dynamics *d = w->d;
    size_t k = d->modes, n = w->inner;
    double *K = am_arena_doubles(&w->memory, NULL, k * k, err), *M = am_arena_doubles(&w->memory, NULL, k * k, err);
    double *product = am_arena_doubles(&w->memory, NULL, n, err), *row = am_arena_doubles(&w->memory, NULL, k, err);
    if (am_arena_status(&w->memory))
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < k; i++) {
        apply_stiffness_inner(w, d->shape + i * n, product);
        for (size_t j = 0; j < k; j++)
            K[j * k + i] = am_dense_dot(d->shape + j * n, product, n);
        apply_mass_inner(w, d->shape + i * n, product);
        for (size_t j = 0; j < k; j++)
            M[j * k + i] = am_dense_dot(d->shape + j * n, product, n);
    }
    AM_TRY(k ? am_generalised_eigen(K, M, k, d->frequency, err) : AM_OK);
    for (size_t i = 0; i < n; i++) { /* new shapes: rows of K are the vectors */
        for (size_t j = 0; j < k; j++) {
            row[j] = 0.0;
            for (size_t l = 0; l < k; l++)
                row[j] += K[j * k + l] * d->shape[l * n + i];
        }
        for (size_t j = 0; j < k; j++)
            d->shape[j * n + i] = row[j];
    }
    for (size_t j = 0; j < k; j++) {
        d->frequency[j] = sqrt(fmax(0.0, d->frequency[j]));
        choose_sign(d->shape + j * n, n);
    }
    return AM_OK;
}

/* ---- the system ---- */

static am_status find_contact_shapes(work *w, am_error *err) {
    double *place = am_arena_doubles(&w->memory, NULL, w->kept, err);
    AM_TRY(am_arena_status(&w->memory));
    for (size_t j = 0; j < w->contacts; j++) {
        place[j] = 1.0;
        AM_TRY(am_sparse_expand(w->solid->factor, w->zero, place, w->basis + j * w->n, err));
        place[j] = 0.0;
    }
    return AM_OK;
}

/* x.y of a contact's shape (all coordinates) or a mode's (eliminated ones), with a vector of all. */
static double along(const work *w, size_t coordinate, const double *vector) {
    if (coordinate < w->contacts)
        return am_dense_dot(w->basis + coordinate * w->n, vector, w->n);
    return am_dense_dot(w->d->shape + (coordinate - w->contacts) * w->inner, vector + w->kept, w->inner);
}

static void fill_shape(const work *w, size_t coordinate, double *vector) {
    if (coordinate < w->contacts) {
        memcpy(vector, w->basis + coordinate * w->n, w->n * sizeof *vector);
        return;
    }
    memset(vector, 0, w->kept * sizeof *vector);
    memcpy(vector + w->kept, w->d->shape + (coordinate - w->contacts) * w->inner, w->inner * sizeof *vector);
}

static void fill_mass(work *w, size_t size, double *M) {
    for (size_t j = 0; j < size; j++) {
        fill_shape(w, j, w->z);
        am_assembly_apply(&w->mass, w->z, w->y);
        for (size_t i = 0; i <= j; i++)
            M[i * size + j] = M[j * size + i] = along(w, i, w->y);
    }
}

/* Statics of the contacts and the modes do not feel each other. */
static void fill_stiffness(const work *w, size_t size, double *K) {
    for (size_t i = 0; i < w->contacts; i++)
        memcpy(K + i * size, w->solid->schur + i * w->kept, w->contacts * sizeof *K);
    for (size_t k = 0; k < w->d->modes; k++)
        K[(w->contacts + k) * (size + 1)] = w->d->frequency[k] * w->d->frequency[k];
}

/* Coordinates of the small model (contacts, modes) of a motion of the mesh that they contain. */
static void reduce_motion(work *w, const double *y, double *q) {
    memcpy(q, y, w->contacts * sizeof *q);
    memset(w->z, 0, w->n * sizeof *w->z); /* far ends of springs and the bubbles' own motions rest */
    memcpy(w->z, y, w->contacts * sizeof *y);
    memcpy(w->z + w->kept, y + w->kept, (w->count - w->kept) * sizeof *y);
    for (size_t j = 0; j < w->contacts; j++)
        for (size_t i = 0; i < w->n; i++)
            w->z[i] -= q[j] * w->basis[j * w->n + i];
    am_assembly_apply(&w->mass, w->z, w->y);
    for (size_t k = 0; k < w->d->modes; k++)
        q[w->contacts + k] = along(w, w->contacts + k, w->y);
}

/* The stiffness of the material without the springs of drives (k g g^T, g the force of a drive over k), which bodies
 * feel nothing of while they move rigidly, rounding cleaned away: such a motion is a sum of contacts' and loads'
 * shapes. */
static am_status fill_material(work *w, size_t size, const double *K, const double *felt, double *material,
                               am_error *err) {
    const am_solid_def *def = &w->solid->def;
    memcpy(material, K, size * size * sizeof *K);
    for (size_t l = 0; l < def->drive_count; l++) {
        const double *pull = felt + (w->solid->loads + l) * size;
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j < size; j++)
                material[i * size + j] -= pull[i] * pull[j] / def->drive[l].stiffness;
    }
    size_t count;
    double *motions;
    am_status status = am_freedom_motions(def, &w->solid->expansion, &count, &motions, err);
    double *basis = am_arena_doubles(&w->memory, NULL, count * size, err);
    if (!status)
        status = am_arena_status(&w->memory);
    if (!status) {
        for (size_t k = 0; k < count; k++)
            reduce_motion(w, motions + k * w->count, basis + k * size);
        am_clean_basis(basis, &count, size, size);
        status = am_clean_matrix(material, size, size, basis, count, size, NULL, err);
    }
    am_memory_free(motions);
    return status;
}

/* The material is damped, not the springs of drives, whose far end moves. */
static am_status fill_damping(work *w, size_t size, const double *M, const double *K, const double *felt, double *C,
                              am_error *err) {
    const am_solid_def *def = &w->solid->def;
    AM_TRY(fill_material(w, size, K, felt, C, err));
    for (size_t i = 0; i < size * size; i++)
        C[i] = def->mass_damping * M[i] + def->stiffness_damping * C[i];
    return AM_OK;
}

static am_status make_system(work *w, am_error *err) {
    size_t size = w->contacts + w->d->modes;
    const am_solid_def *def = &w->solid->def;
    bool damped = def->mass_damping > 0.0 || def->stiffness_damping > 0.0;
    double *M = am_arena_doubles(&w->memory, NULL, size * size, err);
    double *K = am_arena_doubles(&w->memory, NULL, size * size, err);
    double *C = damped ? am_arena_doubles(&w->memory, NULL, size * size, err) : NULL;
    double *felt = am_arena_doubles(&w->memory, NULL, w->loads * size, err);
    if (am_arena_status(&w->memory))
        return AM_ERR_MEMORY;
    fill_mass(w, size, M);
    fill_stiffness(w, size, K);
    for (size_t l = 0; l < w->loads; l++)
        for (size_t i = 0; i < size; i++)
            felt[l * size + i] = along(w, i, w->force + l * w->n);
    AM_TRY(damped ? fill_damping(w, size, M, K, felt, C, err) : AM_OK);
    w->d->size = size;
    w->d->pull = am_arena_doubles(&w->d->memory, felt + w->solid->loads * size, def->drive_count * size, err);
    AM_TRY(am_arena_status(&w->d->memory));
    w->d->system = am_solid_make_system(w->solid, size, K, M, C, felt, err);
    return w->d->system ? AM_OK : err ? err->status : AM_ERR_MEMORY;
}

/* ---- how good the modes are ---- */

/* Of a mode of the small model with freely sliding contacts (gaps closed), the residual K y - omega^2 M y of the mesh
 * is what a step of inverse iteration would remove: the eigenvalue falls by r.K_ii^-1 r to first order, of y.M y = 1.
 */
static am_status error_of(work *w, double value, const double *y, double *error, am_error *err) {
    double *r = w->residual, *inertia = w->inertia;
    apply_stiffness(w, y, r);
    am_assembly_apply(&w->mass, y, inertia);
    for (size_t i = 0; i < w->n; i++)
        r[i] -= value * inertia[i];
    AM_TRY(solve_inner(w, r + w->kept, inertia, err));
    *error = 0.5 * am_dense_dot(r + w->kept, inertia, w->inner) / value;
    return AM_OK;
}

static am_status check_frequencies(work *w, size_t asked, am_error *err) {
    size_t m = w->contacts / 2, size = m + w->d->modes;
    double *K = am_arena_doubles(&w->memory, NULL, size * size, err);
    double *M = am_arena_doubles(&w->memory, NULL, size * size, err);
    double *values = am_arena_doubles(&w->memory, NULL, size, err), *y = am_arena_doubles(&w->memory, NULL, w->n, err);
    AM_ARENA_DOUBLES(&w->memory, w->n, err, &w->residual, &w->inertia);
    if (am_arena_status(&w->memory))
        return AM_ERR_MEMORY;
    const am_matrix *stiffness = am_system_stiffness(w->d->system), *mass = am_system_mass(w->d->system);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) { /* slips and modes; gaps stay closed */
            size_t a = i < m ? i : i + m, b = j < m ? j : j + m;
            K[i * size + j] = am_matrix_at(stiffness, a, b);
            M[i * size + j] = am_matrix_at(mass, a, b);
        }
    AM_TRY(am_generalised_eigen(K, M, size, values, err));
    double highest = asked ? w->d->frequency[asked - 1] : w->d->modes ? w->d->frequency[w->d->modes - 1] : INFINITY;
    double rigid = 1e-8 * (size ? values[size - 1] : 0.0);
    size_t checked = 0;
    w->d->frequency_error = 0.0;
    for (size_t k = 0; k < size && checked < CHECKED_FREQUENCIES; k++) {
        double error = 0.0;
        if (!(values[k] > rigid))
            continue;
        if (checked > 0 && values[k] > 0.25 * highest * highest)
            break;
        memset(y, 0, w->n * sizeof *y);
        for (size_t i = 0; i < size; i++) {
            fill_shape(w, i < m ? i : i + m, w->z);
            for (size_t j = 0; j < w->n; j++)
                y[j] += K[k * size + i] * w->z[j];
        }
        AM_TRY(error_of(w, values[k], y, &error, err));
        w->d->frequency_error = fmax(w->d->frequency_error, error);
        checked++;
    }
    return AM_OK;
}

/* ---- all of it ---- */

static am_status check(const work *w, size_t modes, am_error *err) {
    const am_solid_def *def = &w->solid->def;
    for (size_t i = 0; i < def->mesh->bodies; i++)
        if (!(def->mesh->body[i].density > 0.0))
            return am_fail_field(err, AM_ERR_INPUT, "density", "%s has no density, and dynamics need its mass",
                                 def->mesh->body[i].name);
    for (size_t i = 0; i < def->drive_count; i++)
        if (!(def->drive[i].stiffness > 0.0))
            return am_fail_field(err, AM_ERR_INPUT, "stiffness",
                                 "in dynamics drive %s needs a spring, however stiff: a prescribed displacement would "
                                 "start with a blow",
                                 def->drive[i].name ? def->drive[i].name : "");
    double numbers = ((double)w->contacts + (double)modes + (double)w->loads) * (double)w->n;
    if (numbers > most_numbers)
        return am_fail(
            err, AM_ERR_LIMIT,
            "%zu contact nodes and %zu modes on a mesh of %zu unknowns need %.1f GB for their shapes: take a "
            "coarser mesh or fewer modes in dynamics",
            w->contacts / 2, modes, w->n, 8e-9 * numbers);
    return AM_OK;
}

static am_status allocate(work *w, size_t modes, am_error *err) {
    am_solid_dynamics *d = w->d;
    d->frequency = am_arena_doubles(&d->memory, NULL, modes + w->loads, err);
    d->shape = am_arena_doubles(&d->memory, NULL, (modes + w->loads) * w->inner, err);
    w->force = am_arena_doubles(&w->memory, NULL, w->loads * w->n, err);
    w->basis = am_arena_doubles(&w->memory, NULL, w->contacts * w->n, err);
    AM_ARENA_DOUBLES(&w->memory, w->n, err, &w->zero, &w->y, &w->z);
    return d->shape ? am_arena_status(&w->memory) : AM_ERR_MEMORY;
}

static am_status fill(work *w, size_t modes, am_error *err) {
    am_solid_dynamics *d = w->d;
    d->inner = w->inner;
    d->modes = modes;
    AM_TRY(check(w, modes, err));
    AM_TRY(allocate(w, modes, err));
    AM_TRY(am_assembly_mass(&w->mass, &w->solid->def, &w->solid->expansion, w->solid->mortar, err));
    AM_TRY(fill_forces(w, err));
    AM_TRY(find_modes(w, modes, err));
    AM_TRY(add_load_shapes(w, &d->modes, err));
    AM_TRY(diagonalise(w, err));
    d->highest_frequency = modes > 0 ? d->frequency[modes - 1] : 0.0;
    AM_TRY(find_contact_shapes(w, err));
    AM_TRY(make_system(w, err));
    return check_frequencies(w, modes, err);
}

am_status am_solid_dynamics_init(am_solid_dynamics *dynamics, am_solid *solid, size_t modes, am_error *err) {
    *dynamics = (am_solid_dynamics){0};
    const am_expansion *e = &solid->expansion;
    size_t n = e->count + am_assembly_bubbles(solid->def.mesh);
    work w = {.solid = solid,
              .d = dynamics,
              .count = e->count,
              .n = n,
              .kept = e->kept,
              .inner = n - e->kept,
              .contacts = 2 * e->contacts,
              .loads = solid->loads + solid->def.drive_count};
    am_status status = fill(&w, modes, err);
    am_assembly_clear(&w.mass);
    am_arena_clear(&w.memory);
    if (status)
        am_solid_dynamics_clear(dynamics);
    return status;
}

void am_solid_dynamics_clear(am_solid_dynamics *dynamics) {
    am_system_free(dynamics->system);
    am_arena_clear(&dynamics->memory);
    *dynamics = (am_solid_dynamics){0};
}

double am_solid_dynamics_force(const am_solid_dynamics *dynamics, const am_solid_def *def, size_t drive,
                               const double *q, double t) {
    const am_mesh_drive *d = &def->drive[drive];
    return d->stiffness * am_function_at(&d->function, t) -
           am_dense_dot(dynamics->pull + drive * dynamics->size, q, dynamics->size);
}

am_status am_solid_dynamics_displacements(const am_solid_dynamics *dynamics, am_solid *solid, const double *q,
                                          double *displacement, am_error *err) {
    const am_expansion *e = &solid->expansion;
    size_t contacts = 2 * e->contacts;
    AM_LOCAL_MEMORY double *place = am_memory_new(e->kept + e->rows, sizeof *place, err);
    if (!place)
        return AM_ERR_MEMORY;
    memcpy(place, q, contacts * sizeof *place); /* drives rest: their springs pull as loads */
    memset(solid->total, 0, e->count * sizeof *solid->total);
    AM_TRY(am_sparse_expand(solid->factor, solid->total, place, solid->y, err));
    for (size_t k = 0; k < dynamics->modes; k++)
        for (size_t i = 0; i < e->count - e->kept; i++)
            solid->y[e->kept + i] += q[contacts + k] * dynamics->shape[k * dynamics->inner + i];
    am_expansion_apply(e, solid->y, place + e->kept);
    memcpy(displacement, place + e->kept, 2 * solid->def.mesh->nodes * sizeof *displacement);
    return AM_OK;
}
