/* Evidence for closed forms, from their tractions alone, by quadrature: equilibrium, no strain in the stick zone
 * (the principal value of the shear over the distance vanishes), friction. Shares no formula with the solutions. */
#include <float.h>
#include <math.h>

#include "analyses/slip/load_path.h"
#include "math/pi.h"
#include "math/quadrature.h"

enum { MOST_EDGES = 8, STRAIN_POINTS = 5, FRICTION_POINTS = 64 }; /* no strain point is the middle */

/* Between these places tractions are smooth but for square roots of the distance to them. */
typedef struct edges {
    size_t count;
    const double *at;
    double own[MOST_EDGES];
} edges;

/* Edges that rounding could exchange are one: what lies between them, or beside them, cannot be told. */
static bool is_known(const edges *e, double x, double rounding) {
    for (size_t i = 0; i < e->count; i++)
        if (fabs(e->own[i] - x) <= rounding)
            return true;
    return false;
}

static void add_edge(edges *e, double x, double rounding) {
    if (!isfinite(x) || is_known(e, x, rounding))
        return;
    size_t i = e->count;
    for (; i > 0 && e->own[i - 1] > x; i--)
        e->own[i] = e->own[i - 1];
    e->own[i] = x;
    e->count++;
}

/* The larger size; NaN, if one is. */
static double larger(double a, double b) {
    return fabs(b) <= a ? a : isnan(a) ? a : fabs(b);
}

static void find_edges(const am_slip_state *state, edges *e) {
    *e = (edges){.at = e->own};
    if (state->walked) {
        e->count = state->walked->edge_count;
        e->at = state->walked->edge;
        return;
    }
    double rounding = 64.0 * DBL_EPSILON * (state->to - state->from);
    add_edge(e, state->from, rounding); /* the ends come first: they stay */
    add_edge(e, state->to, rounding);
    add_edge(e, state->stick_from, rounding);
    add_edge(e, state->stick_to, rounding);
    add_edge(e, state->transition, rounding);
    add_edge(e, -state->transition, rounding);
    if (state->from < 0.0 && state->to > 0.0)
        add_edge(e, 0.0, rounding); /* a wedge is sharp there */
}

typedef double (*traction)(const am_slip_state *state, double x);

typedef struct integrand {
    const am_slip_state *state;
    traction t;
    bool moment;
    double low, high; /* of the part */
    bool strain;      /* t(y)/(x - y) with t(x) taken off where `inside` */
    double x, at_x;
    bool inside;
} integrand;

static double kernel(const am_slip_state *state, double distance) {
    if (state->period > 0.0)
        return pi / state->period / tan(pi * distance / state->period);
    return 1.0 / distance;
}

/* y = middle - half cos(angle): square roots at both ends become smooth, and the integrand even about the ends. So it
 * stands still (to the square of the angle) where y could not be told from the end. */
static double at_angle(const void *context, double angle) {
    const integrand *in = context;
    double far = fmax(fabs(in->low), fabs(in->high));
    double still = sqrt(64.0 * DBL_EPSILON * far / (in->high - in->low));
    angle = fmin(pi - still, fmax(still, angle));
    double half = 0.5 * (in->high - in->low), y = in->low + 2.0 * half * pow(sin(0.5 * angle), 2.0);
    if (angle > 0.5 * pi)
        y = in->high - 2.0 * half * pow(cos(0.5 * angle), 2.0);
    if (fabs(y) < 1e-100 * in->state->a)
        y = copysign(1e-100 * in->state->a, y); /* x/a must stay a number */
    double value = in->t(in->state, y);
    if (in->moment)
        value *= y;
    if (in->strain)
        value = y == in->x ? 0.0 : (value - (in->inside ? in->at_x : 0.0)) * kernel(in->state, in->x - y);
    return value * half * sin(angle);
}

static double over_part(integrand in, double low, double high) {
    in.low = low;
    in.high = high;
    if (!(high > low))
        return 0.0;
    /* finer towards the ends, where the next zone's square root may be close by */
    const double angles[] = {0.0, 1e-4, 1e-3, 1e-2, 0.05, 0.2, 0.6, 1.1, half_pi};
    double sum = 0.0;
    for (size_t i = 0; i + 1 < sizeof angles / sizeof *angles; i++) {
        sum += am_quadrature_gauss(at_angle, &in, angles[i], angles[i + 1], 1);
        sum += am_quadrature_gauss(at_angle, &in, pi - angles[i + 1], pi - angles[i], 1);
    }
    return sum;
}

static double over_all(const am_slip_state *state, const edges *e, traction t, bool moment) {
    integrand in = {.state = state, .t = t, .moment = moment};
    double sum = 0.0;
    for (size_t i = 0; i + 1 < e->count; i++)
        sum += over_part(in, e->at[i], e->at[i + 1]);
    return sum;
}

/* Principal value of the kernel over a part that holds x. */
static double bare(const am_slip_state *state, double x, double low, double high) {
    if (state->period > 0.0)
        return log(sin(pi * (x - low) / state->period) / sin(pi * (high - x) / state->period));
    return log((x - low) / (high - x));
}

/* What was stuck before stays as strained as it was: of a path the change of the shear counts. */
static double strain_at(const am_slip_state *state, const edges *e, double x) {
    traction t = state->walked ? am_slip_walked_change : state->kind->shear;
    integrand in = {.state = state, .t = t, .strain = true, .x = x};
    double sum = 0.0;
    in.at_x = t(state, x);
    for (size_t i = 0; i + 1 < e->count; i++) {
        double low = e->at[i], high = e->at[i + 1];
        in.inside = x > low && x < high;
        if (in.inside)
            sum += over_part(in, low, x) + over_part(in, x, high) + in.at_x * bare(state, x, low, high);
        else
            sum += over_part(in, low, high);
    }
    return sum / pi;
}

/* The coefficients friction may have at x; with Griffith friction the stick zone has no bound. */
static void bounds_at(const am_slip_state *state, double x, double *least, double *most) {
    const am_slip_contact *contact = state->contact;
    bool singular = contact->law == AM_FRICTION_GRIFFITH || contact->law == AM_FRICTION_SHORT;
    bool sticks = x > state->stick_from && x < state->stick_to;
    bool changing = contact->law == AM_FRICTION_DOUBLE && (sticks || fabs(x) < state->transition);
    *most = changing ? state->peak : contact->f;
    *least = sticks ? -*most : contact->f;
    if (sticks && singular)
        *most = INFINITY;
}

/* Slip against the friction. */
static bool is_dragged_back(const am_slip_state *state, double sense, double x) {
    double slip = state->walked ? am_slip_walked_advance(state, x) : state->kind->slip(state, x);
    return sense * slip < 0.0;
}

static double friction_error(const am_slip_state *state) {
    double worst = 0.0, largest = 0.0, sense = state->backward ? -1.0 : 1.0;
    for (int i = 0; i < FRICTION_POINTS; i++) {
        double x =
            0.5 * (state->from + state->to) - 0.5 * (state->to - state->from) * cos(pi * (i + 0.5) / FRICTION_POINTS);
        double p = state->kind->pressure(state, x), q = sense * state->kind->shear(state, x), least, most;
        bounds_at(state, x, &least, &most);
        largest = fmax(largest, most < INFINITY ? most * p : 0.0);
        double excess = isinf(most) ? 0.0 : q - most * p;
        worst = fmax(worst, fmax(-p, fmax(excess, least * p - q)));
        if (!(p >= 0.0) || isnan(q))
            return NAN;
        if (is_dragged_back(state, sense, x))
            worst = INFINITY;
    }
    return largest > 0.0 ? worst / largest : worst;
}

/* x, or a place beside it that is no edge: the principal value at an edge of an old zone does not exist. */
static double off_edges(const edges *e, double x, double step) {
    for (size_t i = 0; i < e->count; i++)
        if (fabs(e->at[i] - x) < 0.5 * step)
            x = e->at[i] + 0.5 * step;
    return x;
}

am_slip_evidence am_slip_examine(const am_slip_state *state) {
    const am_slip_contact *contact = state->contact;
    edges e;
    find_edges(state, &e);
    double P = contact->P, limit = contact->f * P;
    double normal = over_all(state, &e, state->kind->pressure, false) / P - 1.0;
    double tangential = (over_all(state, &e, state->kind->shear, false) - state->Q) / fmax(limit, state->Q);
    double wanted = contact->shape == AM_SLIP_PUNCH ? state->Q * contact->height - P * state->origin : 0.0;
    double moment = (over_all(state, &e, state->kind->pressure, true) - wanted) / (P * state->a);
    am_slip_evidence found = {.equilibrium = larger(larger(fabs(normal), tangential), moment)};
    double from = state->walked ? -state->still : state->stick_from;
    double width = state->walked ? 2.0 * state->still : state->stick_to - from;
    for (int i = 0; width > 1e-7 * state->a && i < STRAIN_POINTS; i++) {
        double x = off_edges(&e, from + width * (i + 0.6) / (STRAIN_POINTS + 0.4), 1e-3 * width);
        double scale = fmax(limit / (pi * state->a), fabs(state->kind->shear(state, x)));
        found.stick = larger(found.stick, strain_at(state, &e, x) / scale);
    }
    found.friction = friction_error(state);
    return found;
}
