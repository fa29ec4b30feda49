/* The equations of small disturbances of a contact state, without multipliers. See docs/stability.md.
 *
 *     M x'' + C x' + K x = B lambda, J x = 0;    x = Z y;    W^T M Z y'' + W^T C Z y' + W^T K Z y = 0
 *
 * C and K contain circulatory forces, compliant contacts, the tangents of polynomial springs, and friction. */
#ifndef AMONTONS_ANALYSES_STABILITY_LINEARISED_H
#define AMONTONS_ANALYSES_STABILITY_LINEARISED_H
#include "amontons/stability.h"
#include "amontons/system.h"
#include "analyses/stability/sliding.h"
#include "base/arena.h"

typedef struct am_linearised {
    am_arena memory;
    size_t n, k;       /* degrees of freedom of the structure, and those rigid contacts leave */
    size_t rows;       /* k, and one more for each `reaction` while the equations are made */
    double *M, *C, *K; /* k x k (first rows x k) */
    double *inverse;   /* k x k: of M; where coordinates have no mass, of M with their columns of C in place of zeros */
    bool *massless;    /* k: no mass at all: y' of it follows from the rest */
    size_t followers;  /* how many are */
    double *Z, *W;     /* n x n, of which k rows are filled: bases as rows; W: and the reactions */
    double *work;      /* n x n, and 2 n */
    size_t inner;      /* what friction remembers: M y'' + C y' + K y + P w = 0, w' = Q y + V y' + decay w */
    size_t filled;     /* so many of them are there yet */
    double *P;         /* inner x k (first inner x rows): columns of P as rows */
    double *Q, *V, *A; /* inner x k; A y'' is a part of w' until the inverse of M is known */
    size_t *reaction;  /* m: the row of a rigid contact whose normal force changes w'; 0: none does. NULL: no contact */
    double *decay;     /* inner x inner */
    double terms;      /* size of the terms in M^-1 K before they cancelled */
    double most[3];    /* the largest entries of M, C and K */
    double closing;    /* smallest principal minor of J M^-1 B over the same without friction: <= 0 is Painlevé's case;
                        * NaN where no rigid contact is closed, or a mass is singular */
    bool painleve;     /* inertia cannot keep the rigid contacts closed; M may be singular then (`solvable`) */
    bool solvable;     /* M has an inverse */
} am_linearised;

/* AM_ERR_UNSUPPORTED for directions without inertia. */
am_status am_linearised_init(am_linearised *linearised, const am_system *system, const am_sliding *sliding,
                             am_error *err);
void am_linearised_clear(am_linearised *linearised);

/* Acceleration of penetration of rigid contacts that are closed: a = -D N + b with D = J M^-1 B, and the same without
 * friction. D, D0: count x count; *count <= m contacts, listed in `contact` (m). Stuck contacts hold their tangential
 * acceleration at zero. *regular: false where the mass is singular (D is then undefined). `normal` (m; NULL: no friction
 * depends on it): of steady sliding. */
am_status am_linearised_contacts(const am_system *system, const am_contact_state *state, const double *normal,
                                 size_t *count, size_t *contact, double *D, double *D0, bool *regular, am_error *err);

/* Rigid contacts whose friction remembers something that follows their normal force (reactions.c): are there any? Their
 * rows, with the p directions of forces of contacts (p x n) of full rank. What w' gets from a row with dr/dN. And, with the
 * inverse of M, w' without y''. */
bool am_reactions_matter(const am_system *system, const am_sliding *sliding);
am_status am_reactions_add(am_linearised *linearised, const am_system *system, const am_sliding *sliding,
                           const double *B, size_t p, am_error *err);
void am_reactions_follow(am_linearised *linearised, size_t w, size_t row, double by_normal);
am_status am_reactions_without_inertia(am_linearised *linearised, am_error *err);

/* Friction about steady sliding: damping N dmu/dv along the tangent, springs behind sliders that stick, and what laws
 * remember (linearised_friction.c). */
am_status am_linearised_friction(am_linearised *linearised, const am_system *system, const am_sliding *sliding,
                                 am_error *err);

/* am_stability_spectrum of a structure whose friction is that of steady sliding already (system/steady.h). */
am_status am_stability_spectrum_steady(const am_system *view, const am_stability_options *options,
                                       am_spectrum *spectrum, am_error *err);

/* Their eigenvalues: fills eigenvalues, uncertainties, shapes and residual; the rest of the spectrum is left as it is. M must have an
 * inverse. */
am_status am_spectrum_solve(const am_linearised *linearised, am_spectrum *spectrum, am_error *err);

#endif
