/* Model `modes`: a structure given by its modes of vibration, with contacts,
 *
 *     m_i (q_i'' + 2 zeta_i omega_i q_i' + omega_i^2 q_i) = F_i(t) + sum over contacts c of ( n_ci N_c + t_ci T_c ),
 *
 * where n_ci and t_ci are what mode i moves the contact c by, along its normal and its tangent. See docs/modes.md. */
#ifndef AMONTONS_MODES_H
#define AMONTONS_MODES_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_modes {
    size_t modes;
    const double *frequency;     /* omega_i >= 0, radians per unit time; NULL: from `stiffness` */
    const double *stiffness;     /* m_i omega_i^2 >= 0; NULL: from `frequency` */
    const double *damping_ratio; /* zeta_i >= 0; NULL: none */
    const double *mass;          /* m_i > 0; NULL: 1 (modes normalised by mass) */
    size_t contact_count;
    const am_contact_def *contacts; /* rows of one number per mode */
    size_t load_count;
    const am_load_def *loads;
    const char *const *names; /* NULL: q1, q2, ... */
    bool named_by_model;      /* see am_system_def */
} am_modes;

AM_API am_system *am_modes_create(const am_modes *modes, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
