/* Laws of friction that depend on the sliding speed, with stick (mu(v)) and without it (a force, and at most one internal
 * variable). They are listed by am_speed_law_name; docs/laws.md has the formulas, and how a new one is added. */
#ifndef AMONTONS_LAWS_H
#define AMONTONS_LAWS_H
#include <stddef.h>

#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Friction that depends on the sliding speed v >= 0: a law by its name and its parameters, in the order in which
 * am_speed_law_parameter lists them (of a choice of words the place of the word: evolution aging 0, slip 1; form asinh 0,
 * log 1); law "table": points instead, linear between them and constant beyond. */
enum { AM_LAW_PARAMETERS = 8 };

typedef struct am_speed_friction {
    const char *law; /* "stribeck", "lugre", ...; NULL: none */
    double parameter[AM_LAW_PARAMETERS];
    size_t points;
    const double *speed, *coefficient; /* speeds increasing */
} am_speed_friction;

/* The names of the laws, one after the other, and of a law's parameters; NULL after the last. */
AM_API const char *am_speed_law_name(size_t index);
AM_API const char *am_speed_law_parameter(const char *law, size_t index);

/* mu at the speed v >= 0, and its slope just above v (slope may be NULL). NAN for a law that is not right, or has
 * no coefficient (those without stick). */
AM_API double am_speed_friction_at(const am_speed_friction *friction, double v, double *slope);

/* ---------------------------------------------------------------------------------------------------------------- */

/* An Iwan joint: sliders side by side, each behind a spring, with the density rho of their thresholds phi (the stretch at
 * which a slider gives way):  K_T = integral of rho,  F_S = integral of phi rho. A system replaces the contact by that
 * many sliders. Strengths are per unit of normal force. */
typedef enum am_iwan_density {
    AM_IWAN_NONE,     /* no Iwan joint */
    AM_IWAN_SEGALMAN, /* R phi^chi up to phi_max, and beta times its stiffness there (Segalman 2005, four parameters) */
    AM_IWAN_UNIFORM,  /* constant from (1 - width/2) to (1 + width/2) times F_S/K_T (Iwan 1966) */
    AM_IWAN_TABLE     /* `strength` and `stiffness` of every slider */
} am_iwan_density;

typedef struct am_iwan {
    am_iwan_density density;
    double F_S, K_T;  /* force when all sliders slip (macroslip), per unit of normal force; tangential stiffness */
    double chi, beta; /* Segalman: chi > -1, beta >= 0 */
    double width;     /* uniform: above 0, at most 2 */
    size_t sliders;   /* into how many the density is divided */
    double ratio;     /* of the lengths of neighbouring intervals of phi, at least 1 */
    size_t points;
    const double *strength, *stiffness;
} am_iwan;

/* Density none, and what the numbers are when nothing is said: 20 sliders, ratio 1.2, width 2. */
AM_API am_iwan am_iwan_default(void);

/* err->field names the member. */
AM_API am_status am_iwan_check(const am_iwan *iwan, am_error *err);

/* How many sliders it becomes, and the strength and stiffness of each, weakest first. Each stands for an interval of phi
 * and has its integrals of phi rho and rho: the force on first loading is exact at the ends of the intervals, and
 * nowhere off by more than a quarter of the interval's stiffness times its length. */
AM_API size_t am_iwan_sliders(const am_iwan *iwan);
AM_API void am_iwan_divide(const am_iwan *iwan, double *strength, double *stiffness);

#ifdef __cplusplus
}
#endif
#endif
