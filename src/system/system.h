/* Inside of a system: what analyses need beyond the public header. Constant once created.
 *
 * All functions of time are gathered in one input vector z(t): z[0] = 1, then the generator state of every load and
 * every held normal force. Between breaks z' = G z, and the applied force is F = input z, held normal forces are N_c =
 * hold[c].z. */
#ifndef AMONTONS_SYSTEM_SYSTEM_H
#define AMONTONS_SYSTEM_SYSTEM_H
#include <stdbool.h>

#include "amontons/system.h"
#include "base/arena.h"
#include "base/local.h"
#include "base/object.h"
#include "math/dense.h"
#include "system/exact_time.h"

typedef struct am_generator_entry {
    size_t row, column;
    double value;
} am_generator_entry;

struct am_system {
    uint64_t tag; /* AM_TAG_SYSTEM */
    am_arena memory;
    size_t n, m, loads;
    am_matrix *M, *C, *K;
    bool driving;            /* C feeds energy in */
    bool yielding;           /* K is negative in some direction */
    am_matrix *circulatory;  /* NULL: none */
    am_contact_def *contact; /* m */
    bool *stop;              /* m: it has no tangent */
    size_t joints;           /* contacts as tables show them: the sliders of a joint are one (joints.h) */
    size_t *joint;           /* joints + 1: where each begins */
    am_contact_def *given;   /* joints: contacts as they were defined; NULL where none was divided */
    am_load_def *load;
    size_t polynomials;
    am_polynomial_def *polynomial;
    size_t varyings;
    am_varying_def *varying;
    const char **name, **velocity; /* n: of the coordinates, and what tables call their velocities */
    bool named_by_model;           /* see am_system_def */
    size_t unseen;                 /* of the last coordinates, which tables leave out: sliders of divided joints */
    size_t nz;                     /* length of z */
    size_t *load_start;            /* loads: where each load's generator state begins in z */
    size_t *hold_start;            /* m: the same for held normal forces */
    double *input;                 /* n x nz */
    size_t *surface_start;         /* m: and for surfaces */
    double *hold;                  /* m x nz; zero rows for unilateral contacts */
    double *surface;               /* m x nz: velocity of the surface */
    double *surface_rate;          /* m x nz: its acceleration */
    bool *drawn;                   /* m: the velocity of its surface varies in time */
    size_t *gap_start;             /* m: where the states of supports that move along the normal begin */
    double *gap;                   /* m x nz: gap at q = 0 */
    double *gap_rate, *gap_bend;   /* m x nz: its first and second derivative */
    bool *lifted;                  /* m: it varies in time */
    size_t *varying_start;         /* varyings: where the states of stiffnesses begin */
    double *varying_row;           /* varyings x nz: their values */
    size_t entries;
    am_generator_entry *G; /* the entries of G that are not zero */
};

/* Gives all functions of time their places in z; the other parts are there. */
am_status am_system_build_inputs(am_system *system, am_error *err);

/* z just after t. */
void am_system_inputs(const am_system *system, double t, double *z);
void am_system_inputs_at(const am_system *system, am_exact_time now, double *z);

/* The first time after t at which z jumps, or a blow falls; INFINITY if none. */
double am_system_next_break(const am_system *system, double t);
am_exact_time am_system_break_after(const am_system *system, double t);

/* The functions of time of a contact, one after another: its given normal force, what its surface and its support do;
 * NULL after the last. Those it has no use for are constant zero. */
const am_function *am_contact_function(const am_contact_def *contact, size_t index);

/* Velocity of a contact's surface with the inputs z, and just after t. */
static inline double am_system_surface(const am_system *system, size_t contact, const double *z) {
    if (!system->drawn[contact])
        return system->contact[contact].surface_velocity;
    return am_dense_dot(system->surface + contact * system->nz, z, system->nz);
}
double am_system_surface_at(const am_system *system, size_t contact, double t);

/* The gap of a contact at q = 0 with the inputs z, and its rate. */
static inline double am_system_gap(const am_system *system, size_t contact, const double *z) {
    if (!system->lifted[contact])
        return system->contact[contact].gap;
    return am_dense_dot(system->gap + contact * system->nz, z, system->nz);
}
static inline double am_system_gap_rate(const am_system *system, size_t contact, const double *z) {
    return system->lifted[contact] ? am_dense_dot(system->gap_rate + contact * system->nz, z, system->nz) : 0.0;
}
double am_system_gap_at(const am_system *system, size_t contact, double t);
double am_system_gap_rate_at(const am_system *system, size_t contact, double t);

/* How far a contact's surface moves from one time to another. */
double am_system_carried(const am_system *system, size_t contact, double from, double to);

/* Sum of the blows at t as a generalised impulse (n); false if there is none. */
bool am_system_blow(const am_system *system, double t, double *impulse);

/* Does friction drop at once when the contact begins to slip? One that weakens with slip falls gradually. */
bool am_contact_drops(const am_contact_def *contact);

/* Is a definition that came from its default complete and physical (definition_check.c)? Also whether its damping can
 * drive (is not positive semidefinite), and whether its stiffness can yield. */
am_status am_system_check_definition(const am_system_def *def, bool *driving, bool *yielding, am_error *err);

/* The limit of stick of a law of the speed; 0 for a law without stick. */
double am_speed_friction_at_rest(const am_speed_friction *friction);

/* Is the normal law compliant (Kelvin-Voigt, Hunt-Crossley)? */
bool am_contact_is_compliant(const am_contact_def *contact);

/* g(q, q') (n) of the polynomial springs and dampers; with `dq` and `dv` also its derivatives (n x n each, added to).
 */
void am_system_polynomial_force(const am_system *system, const double *q, const double *v, double *g, double *dq,
                                double *dv);

/* The forces of stiffness that varies, with the inputs z: added to g (n), and their derivative to dq (n x n; may be NULL).
 */
void am_system_varying_force(const am_system *system, const double *z, const double *q, double *g, double *dq);

/* A contact's law of weakening friction (contact_weakening.c): its coefficients against the contact's; a copy with its
 * table in the arena and all coefficients filled in. */
am_status am_contact_check_weakening(const am_contact_def *contact, am_error *err);
void am_contact_copy_weakening(am_contact_def *to, const am_contact_def *from, am_arena *memory, am_error *err);

/* Iwan joints (joints.c). Is one of the contacts an Iwan joint? */
bool am_joints_any(const am_system_def *def);

/* The density itself, and that nothing else says what friction is. */
am_status am_joint_check(const am_contact_def *contact, am_error *err);

/* The definition with every Iwan joint divided into its sliders; names and contacts come from the arena. */
am_system_def am_joints_divide(const am_system_def *def, am_arena *memory, am_error *err);

/* Contacts next to each other with one `joint` are one joint, any other contact is one by itself: how many, and where
 * each begins (system->joints + 1 of them). */
am_status am_joints_group(am_system *system, am_error *err);

/* The definition a contact was made from: one that is held without a normal has none again (inside it is zero). Borrows
 * the system's arrays. */
am_contact_def am_system_contact_again(const am_system *system, size_t contact);

/* How many contacts have a spring in series with their slider. */
size_t am_system_springs(const am_system *system);

/* The definition the whole was made from, with its contacts (m) in `contacts`. */
am_system_def am_system_definition(const am_system *system, am_contact_def *contacts);

/* A system of its own, equal to `system`. */
am_system *am_system_copy(const am_system *system, am_error *err);

/* Did the user name this coordinate? */
bool am_system_names_coordinate(const am_system *system, size_t coordinate);

AM_LOCAL_POINTER(am_matrix, am_matrix_free)
AM_LOCAL_POINTER(am_system, am_system_free)

/* Regularised friction is a law mu(v) that rises from zero at rest to its coefficient: the same structure with that law, or
 * NULL where no friction is regularised. */
am_status am_system_sharpen(const am_system *system, am_system **sharp, am_error *err);

#endif
