/* Coordinates without mass. The adaptive method integrates accelerations, so it gives them next to no inertia: one that
 * moves with the damping c by a first-order equation gets the mass c tau, and follows its forces later by tau; one that
 * springs and contacts of the stiffness k determine gets the damping k tau and the mass k tau^2/16, with which nothing
 * swings. tau = tolerance/pace, where pace is the fastest rate that the structure has without them: errors are of the order
 * of the tolerance, and the run with a tenth of it, whose tau is a tenth, measures them.
 *
 * Moreau and Jean's scheme needs no inertia: there such coordinates obey Euler's implicit rule (moreau.c). */
#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "base/local.h"
#include "base/try.h"
#include "engines/marching/marching.h"
#include "math/dense.h"
#include "math/eigen.h"

/* The mass of a coordinate that springs determine, in parts of its (stiffness x tau^2): a quarter would be critical. */
static const double heavy = 1.0 / 16.0;
/* Where nothing has a rate of its own the run is so many units of time long. */
static const double shortest_run = 100.0;
/* A matrix whose smallest eigenvalue is below this part of the largest, each coordinate in its own unit, is singular. */
static const double singular = 1e-13;
/* Velocities of coordinates that springs determine are known to so many roundings of their places, over lag. */
static const double roundings = 64.0;
/* With a smaller tolerance those roundings are larger than what is asked for. */
static const double finest = 1e-10;

/* What springs, layers and springs behind sliders add to the stiffness of coordinate i. */
static double stiffness_at(const am_march *m, size_t i) {
    double sum = 0.0;
    for (size_t j = 0; j < m->n; j++)
        sum += fabs(m->K[i * m->n + j]);
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        double n = contact->normal[i], t = contact->tangent[i];
        double across = contact->second_tangent ? contact->second_tangent[i] : 0.0;
        if (contact->normal_law == AM_KELVIN_VOIGT || contact->contact_exponent == 1.0)
            sum += contact->contact_stiffness * n * n;
        sum += contact->tangential_stiffness * (t * t + across * across);
    }
    return sum;
}

static double fastest_rate(const am_march *m) {
    double pace = shortest_run / m->duration;
    for (size_t i = 0; i < m->n; i++) {
        double k = stiffness_at(m, i), mass = m->M[i * m->n + i], c = fabs(m->C[i * m->n + i]);
        pace = fmax(pace, mass > 0.0 ? sqrt(k / mass) : c > 0.0 ? k / c : 0.0);
    }
    return pace;
}

/* What determines how the coordinates of one kind move has to do so in every direction. */
static am_status check_block(const am_march *m, const double *matrix, bool damped, const char *message, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    size_t *at = am_arena_new(&memory, m->n, sizeof *at, err), k = 0;
    double *a = am_arena_doubles(&memory, NULL, m->n * m->n, err), *values = am_arena_doubles(&memory, NULL, m->n, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t i = 0; i < m->n; i++)
        if (m->light[i] && (m->C[i * m->n + i] != 0.0) == damped)
            at[k++] = i;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            double unit = sqrt(fabs(matrix[at[i] * m->n + at[i]] * matrix[at[j] * m->n + at[j]]));
            a[i * k + j] =
                unit > 0.0 ? 0.5 * (matrix[at[i] * m->n + at[j]] + matrix[at[j] * m->n + at[i]]) / unit : 0.0;
        }
    if (k == 0)
        return AM_OK;
    AM_TRY(am_dense_symmetric_eigenvalues(a, k, values, err));
    return values[0] > singular * values[k - 1] ? AM_OK : am_fail_field(err, AM_ERR_UNSUPPORTED, "mass", "%s", message);
}

static am_status check_loads(const am_march *m, am_error *err) {
    const am_system *s = m->system;
    for (size_t l = 0; l < s->loads; l++)
        for (size_t i = 0; s->load[l].function.kind == AM_FUNCTION_IMPULSE && i < m->n; i++)
            if (m->light[i] && s->load[l].direction[i] != 0.0)
                return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                                     "a blow on a coordinate without mass has no limit");
    return AM_OK;
}

static am_status check_tolerance(const am_march *m, am_error *err) {
    for (size_t i = 0; i < m->n && m->method == AM_MARCH_ADAPTIVE && m->tolerance < finest; i++)
        if (m->light[i] && m->C[i * (m->n + 1)] == 0.0)
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "tolerance",
                                 "with coordinates that have neither mass nor damping march knows tolerances from %g "
                                 "on (the check takes a tenth of it); motion needs none",
                                 10.0 * finest);
    return AM_OK;
}

am_status am_march_take_massless(am_march *m, am_error *err) {
    for (size_t i = 0; i < m->n; i++) {
        m->light[i] = m->M[i * m->n + i] == 0.0;
        m->lights += m->light[i];
    }
    if (m->lights == 0)
        return AM_OK;
    m->pace = fastest_rate(m);
    for (size_t i = 0; i < m->n; i++)
        m->reach[i] = m->light[i] && m->C[i * (m->n + 1)] == 0.0 ? m->pace : 0.0;
    if (m->method == AM_MARCH_NEWMARK)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "method",
                             "some coordinates of this structure have no mass, and method: newmark carries "
                             "accelerations from step to step, which follow from no force there; the adaptive method "
                             "and method: moreau-jean know them");
    AM_TRY(check_loads(m, err));
    AM_TRY(check_tolerance(m, err));
    AM_TRY(check_block(m, m->C, true,
                       "some direction has neither mass nor damping although its coordinates have: march needs mass in "
                       "every direction, or damping of a coordinate without mass, or springs",
                       err));
    return check_block(m, m->K, false,
                       "a coordinate with neither mass nor damping needs springs (stiffness) in every direction that "
                       "hold it whatever contacts do",
                       err);
}

void am_march_give_inertia(am_march *m) {
    double lag = m->tolerance / m->pace;
    for (size_t i = 0; i < m->n; i++) {
        double *mass = &m->M[i * (m->n + 1)], *damping = &m->C[i * (m->n + 1)];
        if (!m->light[i])
            continue;
        if (*damping != 0.0) {
            *mass = *damping * lag;
            m->settling[i] = lag;
            continue;
        }
        *damping = stiffness_at(m, i) * lag;
        *mass = heavy * *damping * lag;
        m->settling[i] = heavy * lag * lag * m->pace;                              /* the way F/k within 1/pace */
        m->reach[i] = fmax(m->pace, roundings * DBL_EPSILON / lag / m->tolerance); /* it is a difference over lag */
    }
}
