#include "amontons/models.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/object.h"
#include "base/random.h"
#include "base/try.h"
#include "math/eigen.h"
#include "math/pi.h"
#include "models/kind.h"
#include "models/parts.h"

/* The disc, and how it is mistuned at random. */
typedef struct bladed_disc_setting {
    am_bladed_disc disc;
    double deviation; /* NaN: not at random */
    size_t seed;
    double pattern[AM_BLADED_DISC_MOST];
} bladed_disc_setting;

static const am_field random_fields[] = {
    AM_FIELD("deviation", NUMBER, bladed_disc_setting, deviation, .optional = true, .required = true, AM_NOT_NEGATIVE,
             .about = "standard deviation of the blades' stiffness, relative"),
    AM_FIELD("seed", COUNT, bladed_disc_setting, seed, .initial = "1",
             .about = "chooses the pattern; the same seed always gives the same one"),
};

static const am_schema random_schema = {.name = "mistuning",
                                        .title = "mistuning",
                                        .about = "A random pattern of mistuning, normally distributed.",
                                        .size = sizeof(bladed_disc_setting),
                                        AM_FIELDS(random_fields)};

static am_status complete(void *record, am_error *err) {
    bladed_disc_setting *setting = record;
    am_bladed_disc *disc = &setting->disc;
    if (disc->mistuning && disc->mistuning_count == 0)
        return am_fail_field(err, AM_ERR_INPUT, "mistuning", "mistuning must have one number per blade: %zu, not 0",
                             disc->sectors);
    if (isnan(setting->deviation))
        return AM_OK;
    am_bladed_disc_mistune(setting->seed, setting->deviation, disc->sectors, setting->pattern);
    disc->mistuning = setting->pattern;
    disc->mistuning_count = disc->sectors;
    return AM_OK;
}

#define NUMBER(name_, ...) AM_FIELD(#name_, NUMBER, bladed_disc_setting, disc.name_, __VA_ARGS__)

static const am_field fields[] = {
    AM_FIELD("sectors", COUNT, bladed_disc_setting, disc.sectors, .least = 2, .most = AM_BLADED_DISC_MOST,
             .initial = "12", .about = "number of blades N", .example = "12"),
    AM_FIELD("engine_order", COUNT, bladed_disc_setting, disc.engine_order, .initial = "3",
             .about = "EO: blade j = 0..N-1 feels F sin(Omega t + 2 pi EO j/N)", .example = "3"),
    NUMBER(Omega, AM_POSITIVE, .initial = "1", .unit = "radians/time",
           .about = "frequency of the excitation, EO times the speed of the shaft", .example = "0.97"),
    NUMBER(normal_load, AM_NOT_NEGATIVE, .initial = "5", .unit = "force", .about = "normal load on each damper",
           .example = "5"),
    NUMBER(mu, AM_NOT_NEGATIVE, .initial = "0.3", .about = "coefficient of friction of the dampers", .example = "0.3"),
    NUMBER(damper_stiffness, AM_NOT_NEGATIVE, .initial = "0.1", .unit = "force/length",
           .about = "k_d of each damper's contact, in series with its slider; 0: no dampers", .example = "0.1"),
    NUMBER(blade_mass, AM_POSITIVE, .initial = "1", .unit = "mass", .about = "modal mass m_b of a blade"),
    NUMBER(blade_stiffness, AM_POSITIVE, .initial = "1", .unit = "force/length", .about = "k_b, blade to disc"),
    NUMBER(disc_mass, AM_POSITIVE, .initial = "4", .unit = "mass", .about = "m_d of a sector's piece of the disc"),
    NUMBER(disc_stiffness, AM_NOT_NEGATIVE, .initial = "1", .unit = "force/length", .about = "k_g, disc to ground"),
    NUMBER(coupling_stiffness, AM_NOT_NEGATIVE, .initial = "4", .unit = "force/length",
           .about = "k_c between neighbouring pieces of the disc"),
    NUMBER(zeta, AM_NOT_NEGATIVE, .initial = "0.005",
           .about = "viscous damping ratio of every mode of the structure without its dampers"),
    NUMBER(centrifugal, AM_NOT_NEGATIVE, .initial = "0", .unit = "mass x length",
           .about = "mass of a damper times its radius: adds centrifugal (Omega/engine_order)^2 to normal_load"),
    NUMBER(force, AM_NOT_NEGATIVE, .initial = "1", .unit = "force", .about = "amplitude F on each blade"),
    AM_FIELD("mistuning", LIST, bladed_disc_setting, disc.mistuning, .inner = &random_schema,
             .counted = offsetof(bladed_disc_setting, disc.mistuning_count), .initial = "none",
             .about = "relative change of each blade's stiffness, a list; or a random pattern {deviation, seed}"),
};

static const am_schema schema = {
    .name = "bladed-disc",
    .title = "model bladed-disc",
    .about = "A bladed disc of N sectors, each a blade mass on a disc mass, with underplatform friction dampers "
             "(Jenkins elements) between neighbouring blades, under an engine-order excitation, tuned or mistuned. "
             "Coordinates blade1..bladeN, disc1..discN, contacts damper1..damperN.",
    .size = sizeof(bladed_disc_setting),
    .complete = complete,
    .has_kind = true,
    AM_FIELDS(fields)};

am_bladed_disc am_bladed_disc_default(void) {
    bladed_disc_setting setting = {0};
    am_schema_defaults(&schema, &setting);
    return setting.disc;
}

void am_bladed_disc_mistune(size_t seed, double deviation, size_t count, double *mistuning) {
    for (size_t j = 0; mistuning && j < count; j++) { /* Box and Muller */
        double radius = sqrt(-2.0 * log1p(-am_random_unit(seed, j, 0)));
        mistuning[j] = deviation * radius * cos(2.0 * pi * am_random_unit(seed, j, 1));
    }
}

static am_status check(const am_bladed_disc *d, am_error *err) {
    const bladed_disc_setting setting = {.disc = *d, .deviation = NAN};
    AM_TRY(am_schema_check(&schema, &setting, err));
    if (d->centrifugal > 0.0 && d->engine_order == 0)
        return am_fail_field(err, AM_ERR_INPUT, "centrifugal",
                             "an excitation of engine order 0 does not tell the speed of the shaft, which the "
                             "centrifugal load needs");
    return am_mistuning_check(d->mistuning, d->mistuning_count, d->sectors, "blade", err);
}

/* ---- Building ---- */

typedef struct parts {
    size_t n;                           /* 2 N coordinates: blades, then disc */
    double *mass, *stiffness, *damping; /* n x n */
    double *vectors, *squares;          /* modes */
    double *tangents;                   /* N x n */
    double *directions;                 /* 2 x n */
    am_contact_def *contacts;
    am_load_def loads[2];
    size_t load_count;
    const char **names; /* n of coordinates, N of dampers */
} parts;

static am_status allocate(am_arena *memory, parts *p, size_t sectors, am_error *err) {
    size_t n = p->n = 2 * sectors;
    double **const squares[] = {&p->mass, &p->stiffness, &p->damping, &p->vectors};
    for (size_t i = 0; i < 4; i++)
        *squares[i] = am_arena_new(memory, n, n * sizeof(double), err);
    p->squares = am_arena_new(memory, n, sizeof *p->squares, err);
    p->tangents = am_arena_new(memory, sectors, n * sizeof *p->tangents, err);
    p->directions = am_arena_new(memory, 2, n * sizeof *p->directions, err);
    p->contacts = am_arena_new(memory, sectors, sizeof *p->contacts, err);
    p->names = am_arena_new(memory, 3 * sectors, sizeof *p->names, err);
    AM_TRY(am_arena_status(memory));
    am_parts_names(memory, "blade", sectors, p->names, err);
    am_parts_names(memory, "disc", sectors, p->names + sectors, err);
    am_parts_names(memory, "damper", sectors, p->names + n, err);
    return am_arena_status(memory);
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

static am_system *make(const am_bladed_disc *d, am_arena *memory, am_error *err) {
    parts p = {0};
    if (allocate(memory, &p, d->sectors, err) != AM_OK)
        return NULL;
    make_matrices(d, &p);
    make_loads(d, &p);
    make_dampers(d, &p);
    if (d->zeta > 0.0 && make_damping(d, &p, err) != AM_OK)
        return NULL;
    size_t dampers = d->damper_stiffness > 0.0 ? d->sectors : 0;
    return am_arrays_create(
        am_parts_def(p.n, p.names, dampers, p.contacts, p.load_count, p.loads),
        (am_arrays){.mass = p.mass, .damping = d->zeta > 0.0 ? p.damping : NULL, .stiffness = p.stiffness}, err);
}

am_system *am_bladed_disc_create(const am_bladed_disc *disc, am_error *err) {
    if (!disc)
        return am_misused_for_nothing(err, __func__);
    am_arena memory = {0};
    am_system *system = check(disc, err) == AM_OK ? make(disc, &memory, err) : NULL;
    am_arena_clear(&memory);
    return system;
}

static am_system *create(const void *settings, am_error *err) {
    return am_bladed_disc_create(&((const bladed_disc_setting *)settings)->disc, err);
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

/* Where to look for the peaks: between the frequencies of the tuned disc with its dampers away and stuck. */
static am_status report(const void *settings, am_result *result, am_error *err) {
    const am_bladed_disc *disc = &((const bladed_disc_setting *)settings)->disc;
    size_t diameter = am_bladed_disc_nodal_diameter(disc);
    double free[2], stuck[2];
    am_bladed_disc_frequencies(disc, diameter, false, free);
    am_bladed_disc_frequencies(disc, diameter, true, stuck);
    am_result_set_numbers(result, AM_NAMED({"nodal_diameter", (double)diameter}, {"omega_free_1", free[0]},
                                           {"omega_free_2", free[1]}, {"omega_stuck_1", stuck[0]},
                                           {"omega_stuck_2", stuck[1]}));
    return am_result_status(result, err);
}

const am_model_kind am_model_bladed_disc = {
    .schema = &schema, .create = create, .figure = "{x: t, y: blade1, x_label: t, y_label: blade 1}", .report = report};
