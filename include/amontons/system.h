/* A linear structure with frictional contacts: what every model builds and every analysis takes.
 *
 *     M q'' + C q' + K q + g(q, q') = F(t) + sum over contacts c of ( n_c N_c + t_c T_c )
 *
 * gap of c = n_c.q + gap0; sliding velocity of c = t_c.q' - surface velocity. N and T are the forces on the structure:
 * forward slip (positive sliding velocity) has T = -mu N. g: polynomial springs and dampers. A system is constant once
 * created and may be shared by threads. */
#ifndef AMONTONS_SYSTEM_H
#define AMONTONS_SYSTEM_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "amontons/friction.h"
#include "amontons/function.h"
#include "amontons/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_system am_system;

typedef enum am_contact_state { AM_OPEN, AM_STICK, AM_FORWARD, AM_BACKWARD } am_contact_state;

/* "open", "stick", "forward", "backward". */
AM_API const char *am_contact_state_name(am_contact_state state);

typedef enum am_normal_law {
    AM_UNILATERAL,   /* rigid: gap >= 0, N >= 0, one of them zero; impacts with `restitution` */
    AM_HELD,         /* N(t) is given; the gap plays no part */
    AM_KELVIN_VOIGT, /* compliant: N = contact_stiffness d + contact_damping d' where that is positive; d = -gap */
    AM_HUNT_CROSSLEY /* compliant: N = contact_stiffness d^contact_exponent (1 + 3/2 contact_dissipation d') */
} am_normal_law;

typedef struct am_contact_def {
    const char *name;            /* optional; copied */
    const double *normal;        /* n entries; may be NULL for a held contact whose normal force does not act on q */
    const double *tangent;       /* n entries */
    double gap;                  /* gap at q = 0; default 0 */
    double surface_velocity;     /* of the other side along the tangent; default 0 */
    am_normal_law normal_law;    /* default AM_UNILATERAL */
    double restitution;          /* 0 (default, inelastic) to 1 */
    am_function hold;            /* held: N(t) */
    double friction;             /* kinetic coefficient, >= 0 */
    double static_friction;      /* >= friction; 0 means equal to friction (Coulomb) */
    am_friction weakening;       /* a coefficient that falls with the distance slid: ramp, step, exponential (from
                               * static_friction to friction; its own two coefficients are filled in) or table (both
                               * coefficients above are filled in: the largest and the last). Default: none (law
                               * coulomb). `path` by load steps knows it, others refuse it */
    double tangential_stiffness; /* of a spring in series with the slider (Jenkins element; laws held and
                               * kelvin-voigt, where |T| <= mu N with the N of the instant, T = 0 while open and
                               * at re-contact); 0: none. The slider has no mass: T = -stiffness * stretch, and its own
                               * velocity, sliding velocity minus rate of stretch, decides between stick and slip */
    /* Compliant laws; `stability` and `march` know them, the analyses that switch between rigid states refuse them. */
    double contact_stiffness;   /* > 0 */
    double contact_damping;     /* Kelvin-Voigt: >= 0 */
    double contact_exponent;    /* Hunt-Crossley: >= 1; default 1 */
    double contact_dissipation; /* Hunt-Crossley: >= 0, per unit of velocity */
    double regularisation; /* `march`: > 0: friction is mu N v/regularisation below this sliding velocity v, instead of
                            * stick; 0 (default): Coulomb's law itself */
} am_contact_def;

typedef struct am_load_def {
    const double *direction; /* n entries */
    am_function function;
} am_load_def;

/* coefficient e^displacement e'^velocity */
typedef struct am_polynomial_term {
    double coefficient;              /* of any sign */
    unsigned displacement, velocity; /* powers; together from 1 to AM_POLYNOMIAL_DEGREE */
} am_polynomial_term;

enum { AM_POLYNOMIAL_DEGREE = 9 };

/* A polynomial spring or damper: with e = direction.q the structure feels the force
 * -direction * sum of terms c e^i e'^j. `response`, `orbit`, `march` and `stability` know them; analyses of linear
 * structures refuse them. */
typedef struct am_polynomial_def {
    const char *name;        /* optional; copied */
    const double *direction; /* n entries */
    size_t term_count;       /* at least 1 */
    const am_polynomial_term *terms;
} am_polynomial_def;

typedef struct am_system_def {
    size_t n;                     /* degrees of freedom */
    const am_matrix *mass;        /* n x n, symmetric positive semidefinite; NULL: no mass */
    const am_matrix *damping;     /* n x n, symmetric part positive semidefinite; NULL: none. Of any sign where a
                                   * contact slides over a moving surface: friction that falls with speed, linearised
                                   * about steady sliding. `stability` and `squeal` know that, others refuse it */
    const am_matrix *stiffness;   /* n x n, symmetric positive semidefinite */
    const am_matrix *circulatory; /* n x n, added to the stiffness, of any shape: forces that no potential has; NULL:
                                   * none. `stability` and `march` know it, others refuse it */
    size_t contact_count;
    const am_contact_def *contacts;
    size_t load_count;
    const am_load_def *loads;
    size_t polynomial_count;
    const am_polynomial_def *polynomials; /* g(q, q') */
    const char *const *names;             /* n names of coordinates; NULL: q1, q2, ... */
    bool named_by_model;                  /* names of coordinates and contacts are a model's symbols, not its user's:
                                           * tables number velocities and forces there */
    int cookie;                           /* set by am_system_def_default; catches an uninitialised struct */
} am_system_def;

AM_API am_contact_def am_contact_def_default(void);
AM_API am_system_def am_system_def_default(void);

/* Checks and copies everything. NULL on failure; err->field is "mass", "contacts[0].friction",
 * "loads[1].function.times", ... */
AM_API am_system *am_system_create(const am_system_def *def, am_error *err);
AM_API void am_system_free(am_system *system);

/* An index beyond the last is "" or NULL. */
AM_API size_t am_system_size(const am_system *system); /* n */
AM_API size_t am_system_contacts(const am_system *system);
AM_API size_t am_system_loads(const am_system *system);
AM_API const char *am_system_name(const am_system *system, size_t coordinate);
/* What tables call its velocity: v_x of x; v1 of q1, which has no name of its own, and of a model's symbols. */
AM_API const char *am_system_velocity_name(const am_system *system, size_t coordinate);
/* What tables call a contact: its name, or its number from 1. */
AM_API const char *am_system_contact_name(const am_system *system, size_t contact);
AM_API const am_matrix *am_system_mass(const am_system *system);        /* never NULL (zero if none was given) */
AM_API const am_matrix *am_system_damping(const am_system *system);     /* never NULL */
AM_API const am_matrix *am_system_stiffness(const am_system *system);   /* never NULL */
AM_API const am_matrix *am_system_circulatory(const am_system *system); /* NULL if none was given */
AM_API const am_contact_def *am_system_contact(const am_system *system, size_t contact); /* static_friction filled in */
AM_API size_t am_system_polynomials(const am_system *system);
AM_API const am_polynomial_def *am_system_polynomial(const am_system *system, size_t polynomial);
AM_API const am_load_def *am_system_load(const am_system *system, size_t load);

#ifdef __cplusplus
}
#endif
#endif
