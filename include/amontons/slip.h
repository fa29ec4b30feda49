/* Analysis `slip`: two half-planes pressed together by P and dragged by Q. Where does the interface stick, where does
 * it slip, what are the tractions, and which Q can it carry? In closed form where there is one, else by boundary
 * elements. See docs/slip.md.
 *
 * Loads are per unit of thickness, and per period for a wave. Q acts towards +x and is applied after P, unless a path
 * says otherwise. */
#ifndef AMONTONS_SLIP_H
#define AMONTONS_SLIP_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_slip_shape {
    AM_SLIP_HERTZ,   /* gap x^2/(2 radius): cylinders */
    AM_SLIP_POWER,   /* gap factor |x|^exponent */
    AM_SLIP_WAVE,    /* gap amplitude (1 - cos(2 pi x/wavelength)), repeated */
    AM_SLIP_PUNCH,   /* rigid, flat, sharp ends at +-half_width, Q at the height `height` above the interface */
    AM_SLIP_ROUNDED, /* flat for |x| < half_width, then (|x| - half_width)^2/(2 radius); boundary elements */
    AM_SLIP_TABLE    /* gap through points; boundary elements */
} am_slip_shape;

/* How energy and slip length of the double solution go together (docs/halfplane.md, section 9). */
typedef enum am_slip_measure {
    AM_SLIP_EDGE,     /* W = (f_s - f_d) p(c) Delta (4.11) */
    AM_SLIP_INTEGRAL, /* Delta = integral of (f - f_d) du/(f_s - f_d), with p where the slip is u */
    AM_SLIP_ENERGY    /* W itself, the same for every c (4.21): inside of the closed forms */
} am_slip_measure;

typedef struct am_slip_contact {
    am_slip_shape shape;
    double modulus; /* E* */
    double beta;    /* Dundurs' second parameter; 0: similar, or otherwise uncoupled */
    double P;

    am_friction_law law;
    double f;           /* Coulomb's, or the dynamic one */
    double f_s;         /* where friction weakens */
    double slip_length; /* Delta: area between the curve of friction over slip and f, over f_s - f */
    am_slip_measure measure;
    double energy;    /* W, Griffith friction */
    size_t law_count; /* AM_FRICTION_TABLE: points, slip increasing from 0; f is the last coefficient */
    const double *law_slip, *law_f;

    double radius;
    double exponent, factor;
    double amplitude, wavelength;
    bool isolated; /* wave: the thesis' singular term, that of a single flat (closed form with Griffith friction) */
    double half_width, height;
    bool tilts; /* rounded, table: the body turns until the moment of p about x = 0 is moment + Q height */
    double moment;
    size_t count; /* of the table */
    const double *x, *gap;
    int cookie;
} am_slip_contact;

/* All sizes 1, f = 0.5, half-width 1 (wave: a quarter of the wavelength). */
AM_API am_slip_contact am_slip_contact_default(am_slip_shape shape);

/* Half-width of the contact under P alone, beta = 0; that of the punch itself. NaN where P is not positive, or where
 * only boundary elements can tell. */
AM_API double am_slip_half_width(const am_slip_contact *contact);

/* The load that presses the contact to the half-width a, beta = 0: cylinders, powers and waves only. */
AM_API double am_slip_load(const am_slip_contact *contact, double a);

typedef enum am_slip_method { AM_SLIP_AUTOMATIC, AM_SLIP_CLOSED_FORM, AM_SLIP_ELEMENTS } am_slip_method;

/* A corner of a path of loads. On the leg that leads to it both loads move in proportion. */
typedef struct am_slip_corner {
    double P, Q;
    size_t steps; /* increments of that leg, boundary elements; 0: those of the options */
} am_slip_corner;

typedef struct am_slip_options {
    double Q;
    double stick; /* c/a, 0 to 1, in the place of Q: any equilibrium, stable or not; NaN (default): Q counts. Closed
                     forms of cylinders, powers and waves; Griffith friction by boundary elements */
    double transition;     /* b/a beside it: the double solution with this transition zone, whatever slip_length; NaN */
    am_slip_method method; /* default automatic: the closed form where there is one */
    size_t samples;        /* rows of the table `tractions` (closed form; boundary elements have their nodes) */
    size_t nodes;          /* boundary elements per half-width of the contact; default 100 */
    size_t steps;          /* increments of Q, boundary elements; 0: 1 where that is exact, else 20 */
    size_t branch;         /* rows of the table `branch`: all equilibria, stable or not; 0: none */
    const double *turns;   /* Q over f P at which Q turns, at constant P, for the table `loop`; NULL: none. Coulomb */
    size_t turn_count;
    /* Loads in any order, in the place of P and then Q: from where nothing touches, corner by corner; then the corners
     * of the cycle, `cycles` times. The state described is the last one. Tables `path` and, where `profiles` asks for so
     * many places along the surfaces, `profiles`: pressure, shear and state there for each of its rows. Without a path, a cycle starts
     * from the contact's P alone. */
    const am_slip_corner *path;
    size_t path_count;
    size_t profiles; /* default 0: none; boundary elements look at nodes, as many as they have at most */
    const am_slip_corner *cycle;
    size_t cycle_count, cycles;
    size_t stress;       /* points along x of the map of stresses below the surface; 0: none */
    double width, depth; /* of that map, over a */
    int cookie;
} am_slip_options;

AM_API am_slip_options am_slip_options_default(void);

/* Is there a closed form? */
AM_API bool am_slip_has_closed_form(const am_slip_contact *contact);

/* Tables `tractions` (x, p, q, slip), `zones` (state, from, to), and on demand `branch`, `path`, `profiles`, `loop` and `stress`.
 * Summary `c_over_a`, `b_over_a`, `l_over_a`, `Q_over_fP`, `Q_max_over_fP`, `Q_onset_over_fP`, ..., evidence
 * `equilibrium_residual`, `stick_residual`, `friction_residual`. */
AM_API am_status am_slip_run(const am_slip_contact *contact, const am_slip_options *options, am_result *result,
                             const am_progress *progress, am_error *err);

/* The same half-planes as a structure of `nodes` contact nodes for other analyses: the approach is that of P, the shift
 * grows from zero at t = 0 to sliding at t = 1. A punch does not turn in it. */
AM_API am_system *am_slip_system(const am_slip_contact *contact, size_t nodes, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
