/* Does a given evolution obey the laws? At one instant: equilibrium, contact, friction, and the rate problem, whose
 * solutions are enumerated. See docs/twofold.md, "Checking an evolution".
 *
 * Everything is given as a deviation from an equilibrium in which each contact stands in a known way, so that an
 * evolution is judged on its own scale however small it is; with AM_STANDING_ORIGIN for all contacts the deviation is
 * the whole, from zero forces. Quasi-static; unilateral contacts whose other side rests. */
#ifndef AMONTONS_VERIFY_H
#define AMONTONS_VERIFY_H
#include "amontons/states.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_verify am_verify;

/* An instant of an evolution; rates are those just after it. n coordinates, m contacts. */
typedef struct am_verify_instant {
    const double *displacement, *velocity;       /* n */
    const double *load, *load_rate;              /* n: applied forces */
    const double *normal, *tangential;           /* m: contact forces on the structure */
    const double *normal_rate, *tangential_rate; /* m */
    const double *slack;      /* 2m: T + mu N and mu N - T of each contact, exact near zero; NULL: from the forces, and
                               * zero below 1e-12 of `scale` */
    double scale, rate_scale; /* forces and force rates that residuals are relative to; > 0 */
} am_verify_instant;

typedef struct am_verify_report {
    double equilibrium; /* largest |K q - F - contact forces|, and of the rates */
    double friction;    /* largest violation of contact and friction laws */
    double rate;        /* largest violation of the rate problem by the given rates */
    double difference;  /* between the given rates and the nearest solution of the rate problem, times the stiffness */
    size_t solutions;   /* how many different solutions the rate problem has */
} am_verify_report;

/* `standing`: one per contact. The system must outlive the verifier, which is for one thread. */
AM_API am_verify *am_verify_create(const am_system *system, const am_standing *standing, am_error *err);
AM_API void am_verify_free(am_verify *verify);

/* Allocates nothing. A value that is not a number gives residuals that are infinite. */
AM_API am_status am_verify_check(am_verify *verify, const am_verify_instant *instant, am_verify_report *report,
                                 am_error *err);

#ifdef __cplusplus
}
#endif
#endif
