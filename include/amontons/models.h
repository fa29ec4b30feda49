/* The models: builders of structures that the documents and examples speak of. Each is a struct of numbers with defaults,
 * a function that makes the system, and closed forms where it has them. */
#ifndef AMONTONS_MODELS_H
#define AMONTONS_MODELS_H
#include "amontons/observer.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Model `klarbring`: one mass on an elastic support above a frictional plane (Cho and Barber 1998, Fig. 1). */

typedef struct am_klarbring {
    double stiffness[2][2]; /* k, eq. (9): symmetric positive definite */
    double damping[2][2];   /* viscous; default 0 */
    double mass;            /* M; default 1 */
    double friction;        /* f */
    double static_friction; /* 0: equal to friction */
    double restitution;     /* default 0, as in Appendix A */
    double gap;             /* height of the mass above the plane at u = 0; default 0 */
    double load[2];         /* F at t = 0; default 0 */
    double load_rate[2];    /* C of eq. (10) */
    /* Support vibrating harmonically (springs and plane together), s_i = amplitude_i sin(frequency t): in coordinates
     * that move with the support this is the load -M s''. */
    double support_amplitude[2];
    double support_frequency;
    const am_load_def *extra; /* further loads (tables, pulses, impulses), borrowed */
    size_t extra_count;
} am_klarbring;

AM_API am_klarbring am_klarbring_default(void);

/* f* of eq. (21), k11/|k21|; INFINITY when k21 = 0. */
AM_API double am_klarbring_critical_friction(const am_klarbring *def);

/* Unit vector that bisects the sector of load rates with stick, slip and separation (Fig. 2b).
 * AM_ERR_INPUT when f <= f*: there is no such sector. */
AM_API am_status am_klarbring_bisector(const am_klarbring *def, double direction[2], am_error *err);

/* Coordinates u1, u2; contact "plane"; loads 0 and 1 are F1 and F2. */
AM_API am_system *am_klarbring_create(const am_klarbring *def, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `rod`: an elastic rod of n elements dragged over a rough plane (Vielsack and Kirillowa 1997).
 *
 * Dimensionless, in the relative coordinates of eq. (32): xi = 0 is steady sliding, time in units of L sqrt(rho/E), the
 * ground moves with velocity -1. Consistent mass matrix (1/6) tridiag(1, 4, 1) with 2 at the free end, stiffness
 * tridiag(-1, 2, -1) with 1 there. Every node j has a held contact with normal force w_j (1, at the free end 1/2),
 * kinetic friction beta and static friction (1 + epsilon) beta; a constant load beta w_j makes xi = 0 the equilibrium
 * of sliding. alpha = epsilon beta, eq. (30), is the only parameter while no node slides backwards. */

#define AM_ROD_MOST_ELEMENTS 1000

typedef struct am_rod {
    size_t elements; /* n, 1 to AM_ROD_MOST_ELEMENTS; default 2 */
    double alpha;    /* eq. (30), > 0 */
    double beta;     /* sqrt(rho/E) mu g L / v; default 5 (start (41) is the undeformed rod at rest for beta = 5) */
} am_rod;

/* Physical data, converted to the above (and a scale for time and length). */
typedef struct am_rod_physical {
    size_t elements;
    double density, modulus, length, friction, epsilon, velocity,
        gravity; /* rho, E, L_s (whole rod), mu, epsilon, v, g (default 9.81) */
} am_rod_physical;

AM_API am_rod am_rod_default(void);
AM_API am_rod_physical am_rod_physical_default(void);
/* AM_ERR_INPUT with the field at fault. time_unit = L sqrt(rho/E), length_unit = time_unit * v (may be NULL). */
AM_API am_status am_rod_from_physical(const am_rod_physical *physical, am_rod *rod, double *time_unit,
                                      double *length_unit, am_error *err);

/* Coordinates xi1..xin, contacts "node 1".."node n". */
AM_API am_system *am_rod_create(const am_rod *rod, am_error *err);

/* The rod undeformed and at rest on the ground (n numbers each): start (41) for two elements and beta = 5. */
AM_API void am_rod_undeformed(const am_rod *rod, double *displacement, double *velocity);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `oscillator`: a mass on a spring with Coulomb friction under a tangential and a varying normal load (Papangelo
 * 2017, chapter 7).
 *
 * Dimensionless: mass 1, stiffness 1, Q = sin(Omega t), f N = beta (1 + eta sin(Omega t + delta)). Displacements are in
 * Q1/k, time in 1/omega_n. */

typedef struct am_oscillator {
    double beta;      /* f N0/Q1, > 0 */
    double eta;       /* N1/N0, 0 <= eta < 1 (eta >= 1 lets the contact separate: refused) */
    double delta_deg; /* phase of the normal load against the tangential one */
    double Omega;     /* omega_d/omega_n, > 0 */
    double xi;        /* viscous damping ratio c/(2 sqrt(k m)); default 0 */
} am_oscillator;

AM_API am_oscillator am_oscillator_default(void);
/* Coordinate v, contact "plane" (held, friction 1, N = beta (1 + ...)). Refuses Omega = 1 without damping for beta <
 * pi/4: the response is unbounded. */
AM_API am_system *am_oscillator_create(const am_oscillator *oscillator, am_error *err);

/* The same, and of an orbit or a path that repeats in the units of the thesis: summary `v_max` (largest |v|, in Q1/k),
 * `vdot_max` (in omega_d Q1/k), `dissipation_ratio` (in f N0 Q1/k), `loss_factor` (Fig. 7.17: dissipation over k
 * v_a^2/2); of an orbit also the quasi-static cycle and Den Hartog's and Hong and Liu's motion beside it. */
AM_API am_system *am_oscillator_create_watched(const am_oscillator *oscillator, am_model_watch *watch, am_error *err);

/* ---- closed forms ---- */

/* Quasi-static steady cycle, in Q1/k, omega_d Q1/k and f N0 Q1/k (eqs. 7.8, 7.12, 7.13, B.11-B.14, B.21, B.22, B.24
 * and B.28, with B.8, B.10, B.24, B.28 corrected). Omega and xi play no part. */
typedef struct am_oscillator_cycle {
    double v_max, v_min;                /* ends of the cycle */
    double v_peak;                      /* the larger of |v_max| and |v_min| */
    double v_amplitude;                 /* (v_max - v_min)/2 */
    double vdot_forward, vdot_backward; /* largest speeds in the two directions */
    double dissipation;
    double backward_from, backward_to, forward_from, forward_to; /* omega_d t of slip, each `from` in [0, 2 pi) */
    bool shakedown; /* no slip in the steady state: v stays where the path from v = 0 leaves it, the times are NAN */
} am_oscillator_cycle;
AM_API am_oscillator_cycle am_oscillator_quasistatic(const am_oscillator *oscillator);

/* Quasi-static motion from v at time `from` (0 <= ... in 1/omega_n): where the mass stands at time t >= from, exactly,
 * however many cycles lie between; *state (may be NULL) is the state of contact just after t. */
AM_API double am_oscillator_quasistatic_at(const am_oscillator *oscillator, double from, double v, double t,
                                           am_contact_state *state);

/* The answer of analysis `path` for this model: tables `corners` and `samples` from `from` to `until` (in 1/omega_n),
 * with the columns, and `corners`, `final_state`, energies (in Q1^2/k) and residuals in the summary, of am_path_run;
 * and of the steady cycle `v_max` (largest |v|), `v_min`, `v_amplitude`, `vdot_max`, `dissipation` (an energy, in
 * Q1^2/k), `dissipation_ratio` (the same in f N0 Q1/k), `shakedown`, `beta_cr` and `stops` (per cycle). */
AM_API am_status am_oscillator_path(const am_oscillator *oscillator, double from, double until, double v,
                                    size_t samples, am_result *result, am_error *err);

/* beta_cr of eq. (7.36): above it the structure shakes down. */
AM_API double am_oscillator_shakedown_limit(double eta, double delta_deg);

/* Den Hartog's and Hong-Liu's steady response without stops, eta = 0, xi = 0 (eqs. 7.16, 7.17 with the corrected sign):
 * exact where it exists. Returns false where it does not (the motion would stop, or is unbounded). vdot_max in omega_d
 * Q1/k. Either pointer may be NULL. */
AM_API bool am_oscillator_zero_stop(double beta, double Omega, double *v_max, double *vdot_max);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `griffin`: a damped mass with a massless Coulomb damper behind a spring (Papangelo 2017, chapter 8, Fig. 8.2).
 *
 * Dimensionless: mass 1, stiffness 1, Q = sin(Omega t), f N = beta (1 + eta sin(Omega t + delta)), damper spring k_d/k,
 * damping 2 zeta. */

typedef struct am_griffin {
    double stiffness_ratio; /* k_d/k, `k_ratio` of a study; default 1.5 */
    double zeta;            /* c/(2 sqrt(k m)); default 0.1 */
    double beta;            /* f N0/Q1 > 0 */
    double eta, delta_deg;  /* N1/N0, below 1, and phase of the normal load; default 0 */
    double Omega;           /* omega_d/omega_n; default 1 */
} am_griffin;

AM_API am_griffin am_griffin_default(void);
/* Coordinate v, contact "damper" (held, with tangential_stiffness k_d/k). */
AM_API am_system *am_griffin_create(const am_griffin *griffin, am_error *err);

/* The same, and `v_max`, `vdot_max`, `dissipation_ratio` and `loss_factor` as am_oscillator_create_watched has them. */
AM_API am_system *am_griffin_create_watched(const am_griffin *griffin, am_model_watch *watch, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `nodes`: N contact nodes on an elastic support, loaded slowly. Andersson, Barber and Ahn; see docs/nodes.md.
 *
 *     q = q^w + A v + B^T w,    p = p^w + B v + C w                                            (2.1)
 *
 * v, w: tangential and normal displacements; q, p: contact forces on the structure (p > 0: compression); q^w, p^w:
 * forces if all nodes were welded. The coordinates of the system are v1..vN, w1..wN, its loads -(q^w, p^w). */

/* One step of a loading cycle: constraint O(node, sign) of eq. (2.4) goes from rest to `extreme` and back, one unit of
 * time each way. */
typedef struct am_nodes_advance {
    size_t node;    /* from 0 */
    int sign;       /* +1: limits motion v' > 0 (O+); -1: O- */
    double extreme; /* right-hand side of eq. (2.4) */
} am_nodes_advance;

typedef struct am_nodes {
    size_t count;               /* N */
    const am_matrix *A, *B, *C; /* N x N; [[A, B^T], [B, C]] symmetric positive definite. C may be NULL, since only what
                                 * happens while a node is open depends on it: then B A^-1 B^T + (trace A / N) I */
    const double *mu;           /* N, >= 0 (> 0 with constraints) */
    const double *static_mu;    /* N, >= mu; NULL: equal to mu. With weld forces only */
    am_friction weakening;      /* of all nodes, as of a contact (system.h); default: none. With weld forces only */
    /* Weld forces as functions of time, N each; NULL when the constraints below are given. */
    const am_function *tangential, *normal; /* q^w, p^w */
    /* Or the right-hand sides of eq. (2.4) at rest (N each), and the order in which they advance. */
    const double *rest_minus, *rest_plus;
    size_t advance_count;
    const am_nodes_advance *sequence;
    int cookie;
} am_nodes;

AM_API am_nodes am_nodes_default(void);

/* Coordinates v1..vN, w1..wN, contacts "node 1".."node N". With constraints the loads are the constant weld forces at
 * rest and one periodic table for each constraint that advances, with period 2 advance_count. NULL on failure;
 * err->field names the field ("A", "mu[1]", "constraints.sequence[2]", "weld.normal[0].table.times", ...). */
AM_API am_system *am_nodes_create(const am_nodes *nodes, am_error *err);

/* The same, and angles, factor and slip-displacement diagram (docs/nodes.md) of what was seen; borrows the nodes. */
AM_API am_system *am_nodes_create_watched(const am_nodes *nodes, am_model_watch *watch, am_error *err);

/* Row n of constraint O(node, sign), eq. (2.4): a_j + sign mu b_j, N numbers. */
AM_API void am_nodes_row(const am_nodes *nodes, size_t node, int sign, double *row);

/* Where that constraint stands at time t: the right-hand side of eq. (2.4), c_- = mu p^w - q^w or c_+ = -mu p^w - q^w.
 */
AM_API double am_nodes_side(const am_nodes *nodes, size_t node, int sign, double t);

/* The slope angles of eqs. (3.1)-(3.3) of two nodes, in radians. */
AM_API am_status am_nodes_angles(const am_nodes *nodes, double alpha[4], double beta[4], am_error *err);

/* The factor by which a small deviation from the orbit grows in one loading cycle in which every advance makes its node
 * slip, one at a time: eq. (7.1) for two nodes; for N nodes the eigenvalue of largest modulus of the product of the
 * projections I - e_i n_i^T / n_ii (n_i: row of the constraint of node i). Of a complex pair: the modulus. */
AM_API am_status am_nodes_factor(const am_nodes *nodes, double *factor, am_error *err);

/* The orbit itself: the point after each advance (advance_count x N), solved from the corner equations n_i.v = extreme.
 * Whether it can happen is another question. */
AM_API am_status am_nodes_orbit(const am_nodes *nodes, double *points, am_error *err);

/* Does that orbit happen: does every slip go the way its constraint pushes, and do the rest positions leave it alone?
 * `points` as made by am_nodes_orbit. */
AM_API am_status am_nodes_orbit_happens(const am_nodes *nodes, const double *points, bool *happens, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `two-mode`: two modes of vibration coupled by one sliding contact (Chatterjee 2006, eqs. 10, 11).
 *
 *     m1 X1'' + c1 X1' + k1 X1 + A2 (X1 - beta2 X2) = f1 N + eta1 P
 *     m2 X2'' + c2 X2' + k2 X2 + A1 (X2 - beta1 X1) = f2 N + eta2 P
 *
 * The contact's penetration is lambda1 X1 + lambda2 X2. The factors f hold the direction of the normal force and of
 * friction together. With lambda = lambda2/lambda1, chi = lambda2 f2 and
 *
 *     K_r = k2/k1,  C_r = c2/c1,  m_r = m2/m1,  Delta = -f1/(lambda f2)
 *
 * the characteristic equation of steady sliding is p1 p2 - chi (K_c + s D_c)(p1 - Delta p2) = 0 with
 * p = m s^2 + c s + k of each mode. See docs/two_mode.md. */

typedef struct am_two_mode {
    double m1, c1, k1;       /* of mode 1; default 1, 0.1, 1 */
    double m_r, C_r, K_r;    /* mode 2 over mode 1; default 1 */
    double lambda1, lambda2; /* constraint, eq. (12); default 1 */
    double f1, f2;           /* contact coupling; default 0, -1 */
    double eta1, eta2, P;    /* preload; default 1 */
    double A1, A2;           /* structural coupling; default 0 */
    double beta1, beta2;     /* of the structural coupling; default 1 */
    double v_s;              /* velocity of the surface; default 1 */
    am_normal_law contact;   /* AM_UNILATERAL (rigid, the default), AM_KELVIN_VOIGT or AM_HUNT_CROSSLEY */
    double K_c;              /* compliant: stiffness, default 1000 */
    double D_c;              /* Kelvin-Voigt: damping, default 0 */
    double alpha, beta;      /* Hunt-Crossley, eq. (33): damping, default 0, and exponent, default 1 */
} am_two_mode;

AM_API am_two_mode am_two_mode_default(void);

/* Delta = -f1/(lambda f2), and back: sets f1. lambda1, lambda2 and f2 must not be zero. */
AM_API double am_two_mode_delta(const am_two_mode *model);
AM_API am_status am_two_mode_set_delta(am_two_mode *model, double Delta, am_error *err);

/* delta_0 of eq. (17): contact is rigid in a sound way only while it is negative. */
AM_API double am_two_mode_delta_0(const am_two_mode *model);

/* Coordinates X1, X2, contact "contact", sliding backward (sliding velocity t.X' - v_s with t = f - n and n =
 * -(lambda1, lambda2), coefficient of friction 1: friction is part of f). */
AM_API am_system *am_two_mode_create(const am_two_mode *model, am_error *err);

/* Without structural coupling and for chi < 0, Delta > 0: the smallest Delta at which steady sliding on a rigid contact
 * ends, min(1/C_r, 1/K_r, 1/m_r), and how: "flutter", "divergence" or "painleve" (section 2.2.4). */
AM_API double am_two_mode_rigid_limit(const am_two_mode *model, const char **instability);

/* The limit for K_c to infinity at fixed D_c of the Delta at which the contact's own vibration becomes unstable
 * (high-frequency flutter): Delta = (m1 - mu)/m2 with the positive root of
 * |chi| D_c mu^2 + m2 c1 mu - m1 (m2 c1 - m1 c2) = 0. INFINITY where it never does (C_r >= m_r). */
AM_API double am_two_mode_stiff_limit(const am_two_mode *model);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `shoe`: a brake shoe with a tangential, a normal and a torsional spring, pressed on a moving surface
 * (Chatterjee 2006, sections 2.1 and 4), dimensionless, eqs. (6)-(8):
 *
 *     X'' + c0 X' + X = F
 *     Y'' + c2 Y' + k2 Y = P - N
 *     r^2 theta'' + c1 theta' + k1 theta = l_p P + h F - l N
 *
 * with N = K_c d^beta (1 + xi_c d') of the penetration d = Y + l theta and F = +mu N sgn(v_s - X' - h theta'), the
 * corrected sign of eq. (42). See docs/shoe.md. */

typedef struct am_shoe {
    double h;       /* height of the shoe's centre above the contact; required > 0 */
    double l, l_p;  /* lever arms of normal force and preload; default 1 */
    double r;       /* radius of gyration; default 1 */
    double k1, c1;  /* torsion; default 1, 0.1 */
    double k2, c2;  /* normal; default 0.5, 0.1 */
    double c0;      /* tangential damping (the stiffness is 1); default 0.1 */
    double mu;      /* friction; default 0.5 */
    double K_c;     /* contact stiffness; default 1000 */
    double xi_c;    /* contact damping, 1.5 alpha x0 omega0; default 1e-5 */
    double beta;    /* exponent of the contact's force; default 1 */
    double v_s;     /* velocity of the surface; default 10 */
    double P;       /* preload; default 1 */
    double epsilon; /* eps_c of eq. (42): regularisation of friction; default 0, Coulomb's law itself */
} am_shoe;

AM_API am_shoe am_shoe_default(void);

/* Coordinates X, Y, theta, contact "surface", which steady sliding leaves backward. */
AM_API am_system *am_shoe_create(const am_shoe *shoe, am_error *err);

/* Y and theta as a two-mode system: Delta = l (mu h - l). */
AM_API double am_shoe_delta(const am_shoe *shoe);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `modes`: a structure given by its modes of vibration, with contacts,
 *
 *     m_i (q_i'' + 2 zeta_i omega_i q_i' + omega_i^2 q_i) = F_i(t) + sum over contacts c of ( n_ci N_c + t_ci T_c ),
 *
 * where n_ci and t_ci are what mode i moves the contact c by, along its normal and its tangent. See docs/modes.md. */

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

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `disc-pad`: a brake disc and one or two pads, each by its modes of vibration, pressed together at several
 * contact springs with friction. See docs/disc_pad.md for the derivation.
 *
 * Disc: annular Kirchhoff plate, clamped at the inner and free at the outer radius; modes by Rayleigh-Ritz in the
 * radius, cos and sin round the circumference, the two of a doublet slightly split. Pad: free Euler-Bernoulli beam
 * along the circumference, held by the caliper (a foundation) and by the abutment (along the sliding). SI units by
 * default, but any consistent set works. */

typedef struct am_disc {
    double outer_radius, inner_radius, thickness;
    double modulus, density, poisson;
    double damping_ratio; /* of every mode */
    double split;         /* relative difference of the two frequencies of a doublet, >= 0 */
    size_t modes;         /* the lowest ones; default 20 */
} am_disc;

typedef struct am_pad {
    double length, width, thickness; /* length along the circumference */
    double height;                   /* of the neutral line above the friction face */
    double modulus, density;
    double damping_ratio;
    double caliper_stiffness;  /* of the foundation, over the whole length */
    double abutment_stiffness; /* along the sliding */
    size_t modes;              /* of each pad: sliding, lift, tilt, bending 1, 2, ...; default 10 */
} am_pad;

typedef struct am_disc_pad {
    am_disc disc;
    am_pad pad;
    size_t pads;             /* 1, or 2 on both sides of the disc (the default) */
    size_t contacts;         /* contact springs spread over each pad; default 9 */
    double radius;           /* at which the pad acts */
    double lining_stiffness; /* of all contact springs of a pad together */
    double lining_damping;
    double mu;       /* friction */
    double velocity; /* of the disc under the pad */
    double force;    /* that presses each pad on */
} am_disc_pad;

AM_API am_disc_pad am_disc_pad_default(void);

/* Coordinates disc0, disc1c, disc1s, ..., pad1_slide, pad1_lift, pad1_tilt, pad1_bend1, ..., pad2_slide, ...; contacts
 * "pad 1 spring 1", ... Modes are normalised to mass 1. */
AM_API am_system *am_disc_pad_create(const am_disc_pad *model, am_error *err);

/* Frequencies (radians per unit time) of the disc with `diameters` nodal diameters and 0, 1, ... nodal circles, and its
 * shape at `radius` for modal mass 1 (w = shape cos(n theta)), `count` of each. */
AM_API am_status am_disc_modes(const am_disc *disc, size_t diameters, double radius, size_t count, double *frequency,
                               double *shape, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `brake`: a brake disc and a pad by finite elements, with as many degrees of freedom as wanted: a large sparse
 * structure with friction contacts. See docs/squeal.md, section 8.
 *
 * Disc: a ring, clamped at its inner radius. Pad: a sector of a ring on top of it, held from above by the caliper
 * (along the axis) and by the abutment (in the plane), with nodes above those of the disc. Every pair of nodes is a
 * contact. Elements are bricks of eight nodes with incompatible bending modes; displacements are radial,
 * circumferential and axial. SI units by default, but any consistent set works. */

typedef struct am_brake {
    double outer_radius, inner_radius, thickness; /* disc */
    double modulus, density, poisson;
    double pad_inner_radius, pad_outer_radius, pad_thickness; /* radii: the nearest ones of the disc's nodes */
    double pad_angle;                                         /* of the sector, radians */
    double pad_modulus, pad_density, pad_poisson;
    double caliper_stiffness, abutment_stiffness; /* of all springs behind the pad together */
    bool rigid;                                   /* contacts are rigid instead of springs of the lining */
    double lining_stiffness, lining_damping;      /* of all contact springs together */
    double mass_damping, stiffness_damping;       /* damping = mass_damping M + stiffness_damping K */
    double mu;
    double speed;                                /* of the disc, radians per unit time */
    double force;                                /* that presses the pad on */
    size_t radial, around, through, pad_through; /* elements of the disc in its three directions; layers of the pad */
} am_brake;

/* 10 x 60 x 1 elements, 2 layers of the pad: 4,200 degrees of freedom. */
AM_API am_brake am_brake_default(void);

AM_API size_t am_brake_size(const am_brake *model); /* degrees of freedom */

/* Coordinates disc.1.r, disc.1.c, disc.1.z, ..., pad.1.r, ...; contacts "pair 1", ... */
AM_API am_system *am_brake_create(const am_brake *model, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `chain`: oscillators that are bistable by a damper of the fifth degree, coupled to their neighbours by weak
 * springs (Papangelo 2017, chapter 9, eqs. 9.2-9.4), dimensionless, time in 1/omega0, displacement in x0:
 *
 *     x_n'' + q2 x_n' - q3 x_n'^3 + q4 x_n'^5 + (1 + mistuning_n) x_n - eta (x_(n+1) + x_(n-1) - 2 x_n) = 0
 *     q2 = 2 xi1,  q3 = 2 xi3 omega0^2 x0^2,  q4 = 2 xi5 omega0^4 x0^4
 *
 * See docs/chain.md. */

typedef enum am_chain_ends {
    AM_CHAIN_CYCLIC, /* the last mass is the first one's neighbour: eq. (9.3) with its indices taken modulo N. So two
                      * masses have two springs between them, and a single one none */
    AM_CHAIN_OPEN    /* the first and the last mass have one neighbour */
} am_chain_ends;

enum { AM_CHAIN_MOST = 1000 };

typedef struct am_chain {
    size_t count;            /* N, 1 to AM_CHAIN_MOST; default 12 */
    double coupling;         /* eta_Delta = k_Delta/k >= 0; default 0.01 */
    double xi1, xi3, xi5;    /* c_i/(2 sqrt(k m)), of any sign; default 0.15, 0.3, 0.1 */
    double omega0, x0;       /* scales of time and displacement, > 0; default 2 pi, 1 */
    am_chain_ends ends;      /* default AM_CHAIN_CYCLIC */
    size_t mistuning_count;  /* 0 (none) or N */
    const double *mistuning; /* relative change of each mass' grounded stiffness, above -1 */
} am_chain;

AM_API am_chain am_chain_default(void);

/* Coordinates x1..xN, one polynomial damper "damper n" per mass, which has all terms of velocity (so that xi1 may be
 * negative), no contacts, no loads. */
AM_API am_system *am_chain_create(const am_chain *chain, am_error *err);

/* Frequency of the linear tuned chain's mode with p waves around the ring (eq. 9.10, which prints omega where its
 * square is meant): omega_p^2 = 1 + 2 eta (1 - cos(2 pi p/N)); with open ends p half waves, cos(pi p/N). */
AM_API double am_chain_frequency(const am_chain *chain, size_t p);

/* Amplitudes A of a single oscillator's cycles of angular frequency rho (1 when it is uncoupled) by one harmonic:
 * 2 xi1 - (3/4) q3 rho^2 A^2 + (5/8) q4 rho^4 A^4 = 0. NAN where there is no such cycle. */
typedef struct am_chain_cycles {
    double unstable; /* the small one, when xi3 and xi5 are positive */
    double stable;   /* the large one */
} am_chain_cycles;

AM_API am_chain_cycles am_chain_amplitudes(const am_chain *chain, double rho);

/* xi1 at which both cycles meet, 9 xi3^2/(40 xi5) (one harmonic); NAN unless xi3 and xi5 are positive. */
AM_API double am_chain_fold(const am_chain *chain);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `bladed-disc`: a ring of sectors, each a blade on a piece of the disc, with underplatform dampers between
 * neighbouring blades, under an engine-order excitation. With x_j of blade j and y_j of its piece of the disc, j =
 * 0..N-1 modulo N:
 *
 *     m_b x_j'' + k_b (1 + delta_j) (x_j - y_j) + damping = F sin(Omega t + 2 pi EO j/N) + T_(j-1) - T_j
 *     m_d y_j'' - k_b (1 + delta_j) (x_j - y_j) + k_g y_j - k_c (y_(j+1) + y_(j-1) - 2 y_j) + damping = 0
 *
 * T_j is the force of damper j: a spring k_d in series with a slider, |T_j| <= mu N, on the stretch x_(j+1) - x_j.
 * Blades and dampers are numbered from 1 in names. See docs/bladed_disc.md. */

enum { AM_BLADED_DISC_MOST = 500 };

typedef struct am_bladed_disc {
    size_t sectors;                     /* N, 2 to AM_BLADED_DISC_MOST; default 12 */
    double blade_mass, blade_stiffness; /* m_b, k_b > 0; default 1: frequencies in those of a clamped blade */
    double disc_mass;                   /* m_d > 0; default 4 */
    double disc_stiffness;              /* k_g >= 0, to the ground; default 1 */
    double coupling_stiffness;          /* k_c >= 0, to the next piece of the disc; default 4 */
    double zeta;             /* damping ratio of every mode of the structure without dampers; default 0.005 */
    double damper_stiffness; /* k_d; 0: no dampers; default 0.1 */
    double mu;               /* friction of the dampers; default 0.3 */
    double normal_load;      /* on each damper; default 5 */
    double centrifugal;      /* mass of a damper times its radius: adds centrifugal (Omega/EO)^2 to the normal
                              * load, Omega/EO being the speed of the shaft; default 0 */
    size_t engine_order;     /* EO; default 3 */
    double force;            /* F >= 0 on each blade; default 1 */
    double Omega;            /* > 0; default 1 */
    size_t mistuning_count;  /* 0 (none) or N */
    const double *mistuning; /* delta_j > -1: relative change of each blade's stiffness */
} am_bladed_disc;

AM_API am_bladed_disc am_bladed_disc_default(void);

/* Coordinates blade1..bladeN, disc1..discN; contacts damper1..damperN (held, with tangential_stiffness), damper j
 * between blades j and j + 1; two loads (one when all blades move with or against each other). */
AM_API am_system *am_bladed_disc_create(const am_bladed_disc *disc, am_error *err);

/* A random pattern: `count` independent normal numbers of mean 0 and standard deviation `deviation`, the same for the
 * same seed and proportional to `deviation`. */
AM_API void am_bladed_disc_mistune(size_t seed, double deviation, size_t count, double *mistuning);

/* The nodal diameter that the engine order excites: EO up to N/2, folded back beyond. */
AM_API size_t am_bladed_disc_nodal_diameter(const am_bladed_disc *disc);

/* The two natural frequencies of a nodal diameter, ascending, of the tuned disc without its dampers, or with all of
 * them stuck. */
AM_API void am_bladed_disc_frequencies(const am_bladed_disc *disc, size_t nodal_diameter, bool stuck, double omega[2]);

/* Amplitudes of all blades and of all pieces of the tuned disc, without dampers or with all of them stuck. */
AM_API void am_bladed_disc_amplitudes(const am_bladed_disc *disc, bool stuck, double *blade, double *piece);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Model `blocks`: an elastic slider pressed on an elastic base and pushed above the interface, both divided into finite
 * elements and condensed onto the contact nodes (Papangelo 2017, section 3.2). See docs/blocks.md.
 *
 * The interface is y = 0, the middle of the slider x = 0. Loads go with time: P(t) from 0 at t = -1 to P at t = 0, Q(t)
 * (or the push) from 0 at t = 0 to its end at t = 1; constant outside. So `from` = -1 presses gradually, `from` = 0 at
 * once. */

typedef struct am_blocks_body {
    double length, height, thickness;
    double modulus, poisson;
    double density;
    bool plane_stress; /* else plane strain */
    bool rigid;        /* slider: a punch with a flat end; base: a rigid plane. Not both */
} am_blocks_body;

typedef enum am_blocks_control {
    AM_BLOCKS_FORCE,        /* Q itself: Q_over_P times P at t = 1 */
    AM_BLOCKS_DISPLACEMENT, /* the loaded point is moved by `push` */
    AM_BLOCKS_SPRING        /* the far end of a spring on the loaded point is moved by `push` */
} am_blocks_control;

typedef enum am_blocks_side {
    AM_BLOCKS_LEFT,  /* at load_height on the left edge, to the right */
    AM_BLOCKS_RIGHT, /* at load_height on the right edge, to the left */
    AM_BLOCKS_TOP    /* to the right, spread over the top; shear along both ends keeps the slider from turning */
} am_blocks_side;

typedef enum am_blocks_element { AM_BLOCKS_QUAD4, AM_BLOCKS_QUAD8, AM_BLOCKS_TRIANGLE6 } am_blocks_element;

typedef struct am_blocks_mesh {
    am_blocks_element element;
    double size;    /* of elements along the interface; 0: a 70th of the slider, with a radius a 12th of the contact */
    double ends;    /* at the slider's ends, growing to `size`; 0: the same as `size` */
    double growth;  /* from element to element away from the interface */
    double largest; /* 0: an eighth of the larger height */
    double zone;    /* half-width around the middle that has elements of `size`; 0: the slider, with a radius the
                     * contact that is expected */
} am_blocks_mesh;

typedef struct am_blocks {
    am_blocks_body slider, base;
    double position; /* of the slider's left end from that of the base; NaN: centred */
    am_friction friction;
    double P;
    am_blocks_control control;
    am_blocks_side side;
    double load_height; /* h */
    double Q_over_P;    /* force: at t = 1; NaN: 99 percent of the last coefficient of friction */
    double push;        /* displacement, spring: at t = 1; NaN: not given */
    double speed;       /* spring: or its far end moves at this speed from t = 0 on, for ever; then push is not given */
    double stiffness;   /* of the spring */
    bool hold[3];       /* base: bottom, right, left fixed */
    double radius;      /* of curvature of the gap, closed at the middle of the slider; 0: flat */
    double gravity;     /* downwards, on both */
    am_blocks_mesh mesh;
    /* Dynamics: with modes the blocks have mass, and coordinates z1.. behind the slips and gaps. */
    size_t modes;                           /* shapes in which all contacts rest (Craig and Bampton); 0: no mass */
    double mass_damping, stiffness_damping; /* C = mass_damping M + stiffness_damping K */
    bool halfplane; /* who watches also reports what half-planes would do; with a radius or a rigid slider */
    int cookie;
} am_blocks;

/* The thesis' rig of Fig. 3.13 with h = 6 mm (N, mm): slider 140 x 80 x 6, base 300 x 30 x 30, its bottom and right
 * side fixed, E = 3100, nu = 0.35, f = 0.47, P = 3000. */
AM_API am_blocks am_blocks_default(void);

/* Coordinates v1..vm (slips), w1..wm (gaps) of the contact nodes, contacts "interface 1".. in their order along the
 * interface. NULL on failure; err->field is "slider.E", "load_height", "mesh.size", ... */
AM_API am_system *am_blocks_create(const am_blocks *blocks, am_error *err);

/* The same, and slip fronts, tractions and the balance of the loads of what was seen (docs/blocks.md); `fields`: the
 * deformed mesh and its stresses too. What `blocks` points to is borrowed until the watch is released. */
AM_API am_system *am_blocks_create_watched(const am_blocks *blocks, bool fields, am_model_watch *watch, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
