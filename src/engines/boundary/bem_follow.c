/* Through the limit point. Under load control a contact whose friction weakens jumps to sliding at the largest load.
 * With a node put on the verge of slip, one after another, Q is what it has to be: the way goes on along the unstable
 * branch, and no step size is chosen but the mesh's. */
#include <math.h>

#include "engines/boundary/bem_internal.h"

enum { MOST_MISSED = 24 };

/* The last three points passed: place of the node on the verge, and |Q|. */
typedef struct trail {
    double x[3], Q[3];
    size_t count;
} trail;

static void pass(trail *t, double x, double Q) {
    for (int i = 0; i < 2; i++) {
        t->x[i] = t->x[i + 1];
        t->Q[i] = t->Q[i + 1];
    }
    t->x[2] = x;
    t->Q[2] = Q;
    t->count++;
}

/* The top of the parabola through the three points, when the middle one is the highest so far. */
static void find_limit(const trail *t, am_bem_limit *limit) {
    const double *x = t->x, *Q = t->Q;
    if (t->count < 3 || !(Q[1] >= Q[0] && Q[1] > Q[2] && Q[1] >= fabs(limit->Q)))
        return;
    double left = (Q[1] - Q[0]) / (x[1] - x[0]), right = (Q[2] - Q[1]) / (x[2] - x[1]);
    double bend = (right - left) / (x[2] - x[0]);
    limit->found = true;
    limit->end = 0.5 * (x[0] + x[1]) - 0.5 * left / bend;
    limit->Q = Q[0] + left * (limit->end - x[0]) + bend * (limit->end - x[0]) * (limit->end - x[1]);
}

/* The outermost node that sticks on a side; n when none does. */
static size_t outermost(const am_bem *bem, int side) {
    for (size_t k = 0; k < bem->n; k++) {
        size_t i = side > 0 ? bem->n - 1 - k : k;
        if (bem->now.state[i] == AM_STICK)
            return i;
    }
    return bem->n;
}

static size_t nearest(const am_bem *bem, double x) {
    double at = round((x - bem->x[0]) / bem->h);
    return at <= 0.0 ? 0 : at >= (double)(bem->n - 1) ? bem->n - 1 : (size_t)at;
}

am_status am_bem_follow(am_bem *bem, const am_bem_load *load, int side, double to, size_t steps, am_bem_limit *limit,
                        am_bem_visit visit, void *context, am_error *err) {
    am_bem_load step = *load;
    step.tangential = AM_BEM_VERGE;
    double sense = load->Q < 0.0 ? -1.0 : 1.0;
    step.Q = sense;
    size_t from = outermost(bem, side), last = nearest(bem, to);
    *limit = (am_bem_limit){.Q = bem->now.Q, .end = from < bem->n ? bem->x[from] : NAN};
    if (from == bem->n || steps == 0 || (side > 0 ? last >= from : last <= from))
        return am_fail_field(err, AM_ERR_INPUT, "to",
                             "the zone that sticks must end beyond x = %g for slip to be followed to there", to);
    size_t distance = side > 0 ? from - last : last - from, count = steps < distance ? steps : distance;
    trail passed = {0};
    size_t missed = 0;
    for (size_t i = 1; i <= count; i++) {
        size_t inward = distance * i / count;
        step.verge = side > 0 ? from - inward : from + inward;
        am_status status = am_bem_step(bem, &step, err);
        /* a node that has no equilibrium on the verge of its own: where friction falls within a spacing, nodes leave
         * the fall in pairs */
        if (status == AM_ERR_NO_STATE && ++missed <= MOST_MISSED && i < count)
            continue;
        if (status)
            return status;
        missed = 0;
        pass(&passed, bem->x[step.verge], sense * bem->now.Q);
        if (passed.Q[2] > fabs(limit->Q)) {
            limit->Q = passed.Q[2];
            limit->end = passed.x[2];
            limit->found = false; /* an earlier maximum was passed by */
        }
        find_limit(&passed, limit);
        if (visit && !visit(context, bem))
            break;
    }
    limit->Q = sense * fabs(limit->Q);
    return AM_OK;
}
