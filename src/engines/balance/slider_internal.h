/* Inside of sliders behind springs: what one turn around the period (slider_round.c) and the period (slider.c) share. */
#ifndef AMONTONS_ENGINES_BALANCE_SLIDER_INTERNAL_H
#define AMONTONS_ENGINES_BALANCE_SLIDER_INTERNAL_H
#include "engines/balance/element_internal.h"

typedef struct am_slider_point {
    double theta, weight;
    double x_rate[2], y, y_rate, place; /* place: of the surface */
    double u[2], v[2], v_rate;          /* relative displacement; sliding velocity; the first one's rate in time */
    double mu, mu_v;                    /* coefficient, and its derivative by v[0] */
    double N, N_d, N_r, N_rate;         /* the last: in time */
    double angle, R, R_angle;           /* phi; dphi/dtheta, and its derivative by phi */
    double along[2];                    /* cos phi, sin phi */
    double e[2], event;
} am_slider_point;

struct am_slider {
    am_arena memory;
    am_element *element; /* its points, and where the layer switches */
    size_t S, most;      /* most columns */
    double *place;       /* S */
    double *f[2], *f_all[2];
    double *gradient, *known, *angles; /* AM_QUADRATURE_POINTS x most, twice; most x AM_QUADRATURE_POINTS */
    double *constant[2], *angle;       /* most: derivatives of c and of phi */
    double *end[2], *change[2];        /* most: of the stretches after the period, and of those at theta = 0 */
    double *f_x[4], *f_y[2], *f_omega[2];
    double matrix[AM_QUADRATURE_POINTS * AM_QUADRATURE_POINTS];
    int pivots[AM_QUADRATURE_POINTS];
};

/* Once around the period. */
typedef struct am_slider_walk {
    am_slider *s;
    am_element *e;
    const am_element_contact *c;
    bool derive;
    size_t tangents, columns, at_y, at_second; /* columns: the last two are the stretches at theta = 0 */
    am_moment_state now;
    bool closed, fresh; /* fresh: stick begins at its limit */
    bool slips;         /* it has, since theta = 0 */
    size_t piece;       /* of the law, and the sign of v[0] in it */
    double sign;
    double constant[2], angle, theta;
    double largest_f, largest_N, largest_event[3], largest_e;
    double rounding; /* of the event of stick, on the last panel */
    size_t switches;
    am_slider_point at[AM_QUADRATURE_POINTS];
} am_slider_walk;

/* From the stretches at theta = 0; `end`: those after the period, `growth`: their derivatives by them (2 x 2). */
am_status am_slider_go_round(am_slider_walk *k, const double *start, double *end, double *growth, am_error *err);

/* Signals and the normal force at p->theta. Row 0 of the element's basis is that of this point afterwards. */
void am_slider_read(const am_slider_walk *k, am_slider_point *p);
/* Derivatives by a column at the point that was read last: of N, and of the displacement along tangent i. */
double am_slider_pressure(const am_slider_walk *k, const am_slider_point *p, size_t column);
double am_slider_shift(const am_slider_walk *k, size_t i, size_t column);
/* Is it closed for the whole period, on a surface that does not move? */
bool am_slider_rests(const am_slider_walk *k);

/* ---- slider_stick.c ---- */
/* Is that a question here: two tangents, a constant coefficient, closed all the time? */
bool am_slider_may_stick(const am_slider_walk *k);
/* Can it stick all the time? Then the stretches are c + u: c, and with k->derive its derivatives by all columns but those
 * of the stretches at theta = 0. */
bool am_slider_sticks(const am_slider_walk *k, double *c, double *change[2]);

#endif
