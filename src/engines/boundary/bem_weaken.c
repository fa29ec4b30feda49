/* Tangential contact when the coefficient of friction falls with the distance slid. Unknown are the tractions of the
 * nodes that stick and the places of those that slip, where the law is a straight line at each iteration of Newton's
 * method:
 *
 *     stick   s_i given,  q_i unknown         (A q)_i       - g = -s_i
 *     slip    s_i unknown, q_i = k_i s_i + c_i  s_i + (A q)_i - g = 0
 *
 * The first rows are of the first kind, as in Coulomb's law, and the inverse of the full line preconditions them; the
 * second ones are of the second kind and need no help. Weakening (k < 0) makes the matrix indefinite: GMRES. The pairs
 * hold the right-hand side and the column of g. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "engines/boundary/bem_internal.h"

enum { MOST_CHANGES = 60, WIDTH = 50, MOST_PRODUCTS = 400 };
static const double tolerance = 1e-13, zero = 1e-12, settled = 1e-10;

/* ---- the linear system ---- */

static bool slips(const am_bem *bem, size_t i) {
    return bem->now.state[i] == AM_FORWARD || bem->now.state[i] == AM_BACKWARD;
}

static void apply(void *context, const double *x, double *y) {
    am_bem *bem = context;
    for (size_t i = 0; i < bem->n; i++) {
        double factor = bem->in[i] ? 1.0 : slips(bem, i) ? bem->slope[i] : 0.0;
        y[2 * i] = factor * x[2 * i];
        y[2 * i + 1] = factor * x[2 * i + 1];
    }
    am_convolution_apply(&bem->even, y, y);
    bem->products++;
    for (size_t i = 0; i < bem->n; i++)
        for (size_t c = 2 * i; c < 2 * i + 2; c++)
            y[c] = bem->in[i] ? y[c] : slips(bem, i) ? x[c] + y[c] : x[c];
}

static void precondition(void *context, const double *x, double *y) {
    am_bem *bem = context;
    for (size_t i = 0; i < bem->n; i++)
        for (size_t c = 2 * i; c < 2 * i + 2; c++)
            bem->image[c] = bem->in[i] ? x[c] : 0.0;
    am_convolution_apply(&bem->inverse, bem->image, bem->image);
    bem->products++;
    for (size_t i = 0; i < bem->n; i++)
        for (size_t c = 2 * i; c < 2 * i + 2; c++)
            y[c] = bem->in[i] ? bem->image[c] : x[c];
}

/* ---- one iterate ---- */

static int sense(const am_bem *bem, size_t i) {
    return bem->now.state[i] == AM_FORWARD ? 1 : -1;
}

static double law(const am_bem *bem, size_t i, double place, double *slope) {
    double moved = fmax(0.0, sense(bem, i) * (place - bem->stay[i]));
    double f = am_friction_at(&bem->friction, bem->before.slid[i] + moved, slope);
    *slope *= bem->now.p[i];
    return sense(bem, i) * f * bem->now.p[i];
}

/* The straight line of each node that slips, level where asked for, and the displacements by what is known of q. */
static void linearise(am_bem *bem, bool level) {
    am_bem_fields *now = &bem->now;
    for (size_t i = 0; i < bem->n; i++) {
        bem->in[i] = now->state[i] == AM_STICK;
        bem->slope[i] = bem->constant[i] = 0.0;
        if (slips(bem, i)) {
            double q = law(bem, i, now->place[i], &bem->slope[i]);
            if (level)
                bem->slope[i] = 0.0;
            bem->constant[i] = q - bem->slope[i] * now->place[i];
        }
    }
    am_bem_displace(bem, now->p, bem->constant, bem->motion);
}

/* Both right-hand sides in the pairs; the second one, the column of g, made as long as the first. Returns its factor.
 */
static double right_hand_sides(am_bem *bem) {
    double size = 0.0, count = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        double closed = bem->in[i] || slips(bem, i) ? 1.0 : 0.0;
        bem->rhs[2 * i] = closed * (-bem->motion[2 * i + 1] - (bem->in[i] ? bem->stay[i] : 0.0));
        bem->rhs[2 * i + 1] = closed;
        size += bem->rhs[2 * i] * bem->rhs[2 * i];
        count += closed;
    }
    double factor = size > 0.0 ? sqrt(size / count) : 1.0;
    for (size_t i = 0; i < bem->n; i++)
        bem->rhs[2 * i + 1] *= factor;
    return factor;
}

/* Tractions of the solution in the pairs, known part and part per unit of shift. */
static void traction_parts(const am_bem *bem, double factor, double *pairs) {
    const double *y = bem->solution;
    for (size_t i = 0; i < bem->n; i++) {
        double k = bem->in[i] ? 1.0 : slips(bem, i) ? bem->slope[i] : 0.0;
        pairs[2 * i] = k * y[2 * i] + bem->constant[i];
        pairs[2 * i + 1] = k * y[2 * i + 1] / factor;
    }
}

/* Mean of u over the nodes, for tractions in the pairs. */
static am_bem_affine mean_displacement(am_bem *bem, const double *pairs) {
    am_bem_affine mean = {0};
    if (bem->beta != 0.0) { /* what p moves along */
        am_bem_displace(bem, bem->now.p, bem->nothing, bem->motion);
        for (size_t i = 0; i < bem->n; i++)
            mean.known += bem->motion[2 * i + 1];
    }
    am_convolution_apply(&bem->even, pairs, bem->image);
    bem->products++;
    for (size_t i = 0; i < bem->n; i++) {
        mean.known += bem->image[2 * i];
        mean.unit += bem->image[2 * i + 1];
    }
    return (am_bem_affine){mean.known / (double)bem->n, mean.unit / (double)bem->n};
}

static am_status find_shift(am_bem *bem, const am_bem_load *load, double factor, am_error *err) {
    double *pairs = bem->third;
    am_bem_affine sum = {0}, mean = {0}, verge = {0};
    traction_parts(bem, factor, pairs);
    for (size_t i = 0; i < bem->n; i++) {
        sum.known += pairs[2 * i];
        sum.unit += pairs[2 * i + 1];
    }
    if (load->tangential == AM_BEM_MEAN_SLIP)
        mean = mean_displacement(bem, pairs);
    if (load->tangential == AM_BEM_VERGE)
        verge = (am_bem_affine){pairs[2 * load->verge], pairs[2 * load->verge + 1]};
    return am_bem_shift(bem, load, sum, mean, verge, &bem->now.shift, err);
}

/* Tractions and places; *miss: how far the tractions of slipping nodes are from their law. */
static am_status iterate(am_bem *bem, const am_bem_load *load, bool level, double *miss, am_error *err) {
    am_bem_fields *now = &bem->now;
    linearise(bem, level);
    double factor = right_hand_sides(bem);
    am_gmres_problem problem = {.n = 2 * bem->n, .apply = apply, .precondition = precondition, .context = bem};
    double residual = am_gmres_solve(&bem->gmres, &problem, bem->rhs, tolerance, MOST_PRODUCTS, bem->solution, NULL);
    if (!(residual < 1e-9))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the equations of a contact with weakening friction could not be solved (residual %g)",
                       residual);
    AM_TRY(find_shift(bem, load, factor, err));
    *miss = 0.0;
    for (size_t i = 0; i < bem->n; i++) {
        double y = bem->solution[2 * i] + now->shift * bem->solution[2 * i + 1] / factor, slope;
        if (bem->in[i]) {
            now->q[i] = y;
            now->place[i] = bem->stay[i];
        } else if (slips(bem, i)) {
            now->place[i] = y;
            now->q[i] = law(bem, i, y, &slope);
            *miss = fmax(*miss, fabs(now->q[i] - bem->slope[i] * y - bem->constant[i]));
        } else {
            now->q[i] = 0.0;
        }
    }
    return AM_OK;
}

static size_t change(am_bem *bem, const am_bem_load *load, double largest_p) {
    am_bem_fields *now = &bem->now;
    size_t changes = 0;
    double largest = 0.0, slope;
    for (size_t i = 0; i < bem->n; i++)
        if (now->state[i] != AM_OPEN)
            largest = fmax(largest, fabs(now->place[i]));
    for (size_t i = 0; i < bem->n; i++) {
        unsigned char old = now->state[i];
        bem->limit[i] = am_friction_at(&bem->friction, bem->before.slid[i], &slope) * now->p[i];
        if (load->tangential == AM_BEM_VERGE && i == load->verge)
            continue;
        if (bem->in[i] && fabs(now->q[i]) > bem->limit[i] + zero * largest_p)
            now->state[i] = now->q[i] > 0.0 ? AM_FORWARD : AM_BACKWARD;
        else if (slips(bem, i) && sense(bem, i) * (now->place[i] - bem->stay[i]) < -zero * largest)
            now->state[i] = AM_STICK;
        changes += now->state[i] != old;
    }
    return changes;
}

/* Places of nodes that are open, and the resultants. */
static void finish(am_bem *bem) {
    am_bem_fields *now = &bem->now;
    am_bem_displace(bem, now->p, now->q, bem->motion);
    for (size_t i = 0; i < bem->n; i++)
        if (now->state[i] == AM_OPEN)
            now->place[i] = now->shift - bem->motion[2 * i + 1];
    am_bem_add_up(bem);
}

am_status am_bem_weaken(am_bem *bem, const am_bem_load *load, am_error *err) {
    if (!bem->gmres.basis) {
        AM_TRY(am_gmres_init(&bem->gmres, 2 * bem->n, WIDTH, err));
    }
    double largest_p = 0.0;
    for (size_t i = 0; i < bem->n; i++)
        largest_p = fmax(largest_p, bem->now.p[i]);
    memset(bem->solution, 0, 2 * bem->n * sizeof *bem->solution);
    for (size_t iteration = 0; iteration < MOST_CHANGES; iteration++) {
        AM_TRY(am_watch_spend(1e2 * (double)bem->n, err));
        double miss = 0.0;
        for (size_t i = 0; i < bem->n; i++)
            bem->now.q[i] = slips(bem, i) ? law(bem, i, bem->now.place[i], &bem->slope[i]) : 0.0;
        am_bem_hold_verge(bem, load);
        am_bem_hold_one(bem, load);
        /* Tangents lead astray where slip is far beyond the transition; coefficients of the last iterate do not. */
        AM_TRY(iterate(bem, load, iteration % 16 >= 12, &miss, err));
        bem->now.evidence.set_changes++;
        if (!change(bem, load, largest_p) && miss <= settled * largest_p) {
            finish(bem);
            return AM_OK;
        }
    }
    return am_fail(err, AM_ERR_NO_STATE,
                   "no equilibrium was found from the present one: beyond its largest load a contact whose friction "
                   "weakens slides as a whole; short of it, nodes %g apart may be too coarse for the zone over which "
                   "friction falls",
                   bem->h);
}
