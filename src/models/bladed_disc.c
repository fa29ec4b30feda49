#include "amontons/models.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/object.h"
#include "base/random.h"
#include "math/eigen.h"
#include "math/pi.h"
#include "models/quantities.h"

am_bladed_disc am_bladed_disc_default(void) {
    return (am_bladed_disc){.sectors = 12,
                            .blade_mass = 1.0,
                            .blade_stiffness = 1.0,
                            .disc_mass = 4.0,
                            .disc_stiffness = 1.0,
                            .coupling_stiffness = 4.0,
                            .zeta = 0.005,
                            .damper_stiffness = 0.1,
                            .mu = 0.3,
                            .normal_load = 5.0,
                            .engine_order = 3,
                            .force = 1.0,
                            .Omega = 1.0};
}

void am_bladed_disc_mistune(size_t seed, double deviation, size_t count, double *mistuning) {
    for (size_t j = 0; mistuning && j < count; j++) { /* Box and Muller */
        double radius = sqrt(-2.0 * log1p(-am_random_unit(seed, j, 0)));
        mistuning[j] = deviation * radius * cos(2.0 * pi * am_random_unit(seed, j, 1));
    }
}

/* ---- Checking ---- */

static am_status check_numbers(const am_bladed_disc *d, am_error *err) {
    const am_model_quantity numbers[] = {
        {"blade_mass", "mass of a blade", d->blade_mass, false},
        {"blade_stiffness", "stiffness of a blade", d->blade_stiffness, false},
        {"disc_mass", "mass of a sector's piece of the disc", d->disc_mass, false},
        {"disc_stiffness", "stiffness between disc and ground", d->disc_stiffness, true},
        {"coupling_stiffness", "stiffness between sectors", d->coupling_stiffness, true},
        {"zeta", "damping ratio zeta", d->zeta, true},
        {"damper_stiffness", "stiffness of the dampers", d->damper_stiffness, true},
        {"mu", "friction coefficient mu of the dampers", d->mu, true},
        {"normal_load", "normal load on a damper", d->normal_load, true},
        {"centrifugal", "mass of a damper times its radius", d->centrifugal, true},
        {"force", "amplitude of the force on a blade", d->force, true},
        {"Omega", "frequency Omega of the excitation", d->Omega, false}};
    return AM_QUANTITIES_CHECK(numbers, err);
}

static am_status check_mistuning(const am_bladed_disc *d, am_error *err) {
    char field[48];
    if (d->mistuning_count == 0)
        return AM_OK;
    if (d->mistuning_count != d->sectors)
        return am_fail_field(err, AM_ERR_INPUT, "mistuning", "mistuning must have one number per blade: %zu, not %zu",
                             d->sectors, d->mistuning_count);
    for (size_t j = 0; j < d->sectors; j++) {
        if (d->mistuning[j] > -1.0 && isfinite(d->mistuning[j]))
            continue;
        snprintf(field, sizeof field, "mistuning[%zu]", j);
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "with a mistuning of %g blade %zu has no positive stiffness left: it must be above -1",
                             d->mistuning[j], j + 1);
    }
    return AM_OK;
}

static am_status check(const am_bladed_disc *d, am_error *err) {
    if (d->sectors < 2 || d->sectors > AM_BLADED_DISC_MOST)
        return am_fail_field(err, AM_ERR_INPUT, "sectors", "a bladed disc has 2 to %d sectors, not %zu",
                             AM_BLADED_DISC_MOST, d->sectors);
    am_status status = check_numbers(d, err);
    if (status == AM_OK && d->centrifugal > 0.0 && d->engine_order == 0)
        return am_fail_field(err, AM_ERR_INPUT, "centrifugal",
                             "an excitation of engine order 0 does not tell the speed of the shaft, which the "
                             "centrifugal load needs");
    return status == AM_OK ? check_mistuning(d, err) : status;
}

/* ---- Building ---- */

enum { name_size = 32 };

typedef struct parts {
    am_arena memory;
    size_t n;                           /* 2 N coordinates: blades, then disc */
    double *mass, *stiffness, *damping; /* n x n */
    double *vectors, *squares;          /* modes */
    double *tangents;                   /* N x n */
    double *directions;                 /* 2 x n */
    am_contact_def *contacts;
    am_load_def loads[2];
    size_t load_count;
    char *text;
    const char **names; /* n of coordinates, N of dampers */
    am_matrix *M, *C, *K;
} parts;

static void clear(parts *p) {
    am_arena_clear(&p->memory);
    am_matrix_free(p->M);
    am_matrix_free(p->C);
    am_matrix_free(p->K);
}

static am_status allocate(parts *p, size_t sectors, am_error *err) {
    size_t n = p->n = 2 * sectors;
    double **const squares[] = {&p->mass, &p->stiffness, &p->damping, &p->vectors};
    for (size_t i = 0; i < 4; i++)
        *squares[i] = am_arena_new(&p->memory, n, n * sizeof(double), err);
    p->squares = am_arena_new(&p->memory, n, sizeof *p->squares, err);
    p->tangents = am_arena_new(&p->memory, sectors, n * sizeof *p->tangents, err);
    p->directions = am_arena_new(&p->memory, 2, n * sizeof *p->directions, err);
    p->contacts = am_arena_new(&p->memory, sectors, sizeof *p->contacts, err);
    p->text = am_arena_new(&p->memory, n + sectors, name_size, err);
    p->names = am_arena_new(&p->memory, n + sectors, sizeof *p->names, err);
    return am_arena_status(&p->memory);
}

static void add_spring(double *stiffness, size_t n, size_t i, size_t j, double k) {
    stiffness[i * n + i] += k;
    stiffness[j * n + j] += k;
    stiffness[i * n + j] -= k;
    stiffness[j * n + i] -= k;
}

static void make_matrices(const am_bladed_disc *d, parts *p) {
    size_t N = d->sectors, n = p->n;
    for (size_t j = 0; j < N; j++) {
        size_t piece = N + j;
        p->mass[j * n + j] = d->blade_mass;
        p->mass[piece * n + piece] = d->disc_mass;
        p->stiffness[piece * n + piece] += d->disc_stiffness;
        add_spring(p->stiffness, n, j, piece, d->blade_stiffness * (d->mistuning_count ? 1.0 + d->mistuning[j] : 1.0));
        add_spring(p->stiffness, n, piece, N + (j + 1) % N, d->coupling_stiffness);
    }
}

/* C = sum over modes phi (phi.M phi = 1) of 2 zeta omega (M phi)(M phi)^T: each has the damping ratio zeta. */
static am_status make_damping(const am_bladed_disc *d, parts *p, am_error *err) {
    size_t n = p->n;
    memcpy(p->vectors, p->stiffness, n * n * sizeof *p->vectors);
    memcpy(p->damping, p->mass, n * n * sizeof *p->damping); /* destroyed; what is left is overwritten */
    am_status status = am_generalised_eigen(p->vectors, p->damping, n, p->squares, err);
    memset(p->damping, 0, n * n * sizeof *p->damping);
    for (size_t k = 0; k < n && status == AM_OK; k++) {
        double factor = 2.0 * d->zeta * sqrt(fmax(p->squares[k], 0.0)), *phi = p->vectors + k * n;
        for (size_t i = 0; i < n; i++)
            phi[i] *= p->mass[i * n + i];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                p->damping[i * n + j] += factor * (phi[i] * phi[j]);
    }
    return status;
}

/* F sin(Omega t + phi_j) = F cos(phi_j) sin(Omega t) + F sin(phi_j) cos(Omega t), phi_j = 2 pi EO j/N: two loads. All
 * sines vanish where EO is a multiple of N/2. */
static void make_loads(const am_bladed_disc *d, parts *p) {
    size_t N = d->sectors, order = d->engine_order % N;
    bool standing = 2 * order % N == 0;
    for (size_t j = 0; j < N; j++) {
        size_t step = order * j % N;
        double phase = 2.0 * pi * (double)step / (double)N;
        p->directions[j] = standing ? (step == 0 ? 1.0 : -1.0) : cos(phase);
        p->directions[p->n + j] = sin(phase);
    }
    p->loads[0] = (am_load_def){p->directions, am_function_sine(d->force, d->Omega, 0.0)};
    p->loads[1] = (am_load_def){p->directions + p->n, am_function_sine(d->force, d->Omega, 0.5 * pi)};
    p->load_count = standing ? 1 : 2;
}

static void make_dampers(const am_bladed_disc *d, parts *p) {
    size_t N = d->sectors;
    double load = d->normal_load;
    if (d->centrifugal > 0.0)
        load += d->centrifugal * pow(d->Omega / (double)d->engine_order, 2.0);
    for (size_t j = 0; j < N; j++) {
        double *tangent = p->tangents + j * p->n;
        tangent[j] = -1.0;
        tangent[(j + 1) % N] = 1.0;
        p->contacts[j] = am_contact_def_default();
        p->contacts[j].name = p->names[p->n + j];
        p->contacts[j].tangent = tangent;
        p->contacts[j].normal_law = AM_HELD;
        p->contacts[j].hold = am_function_constant(load);
        p->contacts[j].friction = d->mu;
        p->contacts[j].tangential_stiffness = d->damper_stiffness;
    }
}

static void make_names(const am_bladed_disc *d, parts *p) {
    static const char *const kinds[3] = {"blade", "disc", "damper"};
    for (size_t i = 0; i < 3 * d->sectors; i++) {
        char *name = p->text + i * name_size;
        snprintf(name, name_size, "%s%zu", kinds[i / d->sectors], i % d->sectors + 1);
        p->names[i] = name;
    }
}

static am_status make_parts(const am_bladed_disc *d, parts *p, am_error *err) {
    am_status status = allocate(p, d->sectors, err);
    if (status != AM_OK)
        return status;
    make_matrices(d, p);
    make_names(d, p);
    make_loads(d, p);
    make_dampers(d, p);
    if (d->zeta > 0.0)
        status = make_damping(d, p, err);
    if (status != AM_OK)
        return status;
    p->M = am_matrix_dense(p->n, p->n, p->mass, err);
    p->K = p->M ? am_matrix_dense(p->n, p->n, p->stiffness, err) : NULL;
    p->C = p->K ? am_matrix_dense(p->n, p->n, p->damping, err) : NULL;
    return p->C ? AM_OK : AM_ERR_MEMORY;
}

am_system *am_bladed_disc_create(const am_bladed_disc *disc, am_error *err) {
    if (!disc)
        return am_misused_for_nothing(err, __func__);
    parts p = {.n = 0};
    am_system *system = NULL;
    if (check(disc, err) != AM_OK)
        return NULL;
    if (make_parts(disc, &p, err) == AM_OK) {
        am_system_def def = am_system_def_default();
        def.n = p.n;
        def.mass = p.M;
        def.damping = disc->zeta > 0.0 ? p.C : NULL;
        def.stiffness = p.K;
        def.contact_count = disc->damper_stiffness > 0.0 ? disc->sectors : 0;
        def.contacts = p.contacts;
        def.load_count = p.load_count;
        def.loads = p.loads;
        def.names = p.names;
        def.named_by_model = true;
        system = am_system_create(&def, err);
    }
    clear(&p);
    return system;
}

/* ---- The tuned disc: travelling waves x_j = X exp(2 pi i n j/N) ---- */

/* Of one nodal diameter, with s^2 = 4 sin^2(pi n/N): blade k_b + d, coupling -k_b, disc k_b + g. */
typedef struct sector {
    double d, g;                /* k_d s^2 when stuck, k_g + k_c s^2 */
    double blade, cross, piece; /* of M^(-1/2) K M^(-1/2) */
    double determinant;         /* of that, without cancellation */
} sector;

static sector wave(const am_bladed_disc *disc, size_t nodal_diameter, bool stuck) {
    double s = 2.0 * sin(pi * (double)(nodal_diameter % disc->sectors) / (double)disc->sectors);
    double k = disc->blade_stiffness, masses = disc->blade_mass * disc->disc_mass;
    sector w = {.d = stuck ? disc->damper_stiffness * s * s : 0.0,
                .g = disc->disc_stiffness + disc->coupling_stiffness * s * s};
    w.blade = (k + w.d) / disc->blade_mass;
    w.piece = (k + w.g) / disc->disc_mass;
    w.cross = -k / sqrt(masses);
    w.determinant = (k * w.g + w.d * (k + w.g)) / masses;
    return w;
}

size_t am_bladed_disc_nodal_diameter(const am_bladed_disc *disc) {
    if (!disc || disc->sectors == 0)
        return 0;
    size_t order = disc->engine_order % disc->sectors;
    return 2 * order > disc->sectors ? disc->sectors - order : order;
}

void am_bladed_disc_frequencies(const am_bladed_disc *disc, size_t nodal_diameter, bool stuck, double omega[2]) {
    if (!disc || disc->sectors == 0 || !omega)
        return;
    sector w = wave(disc, nodal_diameter, stuck);
    double large = 0.5 * (w.blade + w.piece) + hypot(0.5 * (w.blade - w.piece), w.cross);
    omega[0] = sqrt(w.determinant / large);
    omega[1] = sqrt(large);
}

/* (K + i Omega C - Omega^2 M) (X, Y) = (F, 0). With the ratio zeta in every mode of the free disc C is M^(1/2) 2 zeta
 * S M^(1/2), S the square root of a 2 x 2 matrix A: (A + sqrt(det A) I)/sqrt(tr A + 2 sqrt(det A)). */
void am_bladed_disc_amplitudes(const am_bladed_disc *disc, bool stuck, double *blade, double *piece) {
    if (!disc || disc->sectors == 0 || !blade || !piece)
        return;
    size_t nodal_diameter = am_bladed_disc_nodal_diameter(disc);
    sector free = wave(disc, nodal_diameter, false), w = wave(disc, nodal_diameter, stuck);
    double root = sqrt(free.determinant), Omega = disc->Omega;
    double _Complex damping = 2.0 * disc->zeta * Omega * I / sqrt(free.blade + free.piece + 2.0 * root);
    double _Complex a = w.blade - Omega * Omega + damping * (free.blade + root);
    double _Complex b = w.cross + damping * free.cross;
    double _Complex c = w.piece - Omega * Omega + damping * (free.piece + root);
    double _Complex determinant = a * c - b * b;
    *blade = disc->force / disc->blade_mass * cabs(c / determinant);
    *piece = disc->force / sqrt(disc->blade_mass * disc->disc_mass) * cabs(b / determinant);
}
