/* The load with infinitely many evolutions: Andersson, Barber and Ahn, section 9. The derivation and the corrections to
 * it are in docs/twofold.md.
 *
 * All of this file is written for x_i = sign_i v_i, so that both contacts slip in the positive direction:
 *
 *     row_a.x >= s_a,  row_b.x >= s_b,   row_ab > 0 > row_ba,   d2 = -(row_ab row_ba)/(row_aa row_bb) > 1.
 *
 * On its interval an evolution is described by l in [0, 1] (l = lambda on even n, 1 - lambda on odd n): at tau = 0 it
 * is at row_a.x = S_a, row_b.x = l S_b. Constraint b advances from S_b to 0 and pushes it along b, recedes to d2 S_b,
 * then constraint a advances from S_a to d2 S_a and pushes it along a, to d2 times the point of 1 - l. */
#include "base/try.h"
#include "papers/twofold.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "math/dense.h"
#include "math/smooth_step.h"
#include "papers/twofold/twofold_internal.h"
#include "system/capability.h"
#include "system/system.h"

enum { cookie = 0x414d5446 };

am_twofold_options am_twofold_options_default(void) {
    return (am_twofold_options){.between = 0.5, .intervals = 60, .samples = 48, .cookie = cookie};
}

/* ---- the auxiliary functions of Fig. 12 ---- */

/* The smooth step that rises while k/6 <= tau <= (k + 1)/6. */
static am_smooth_step rising(double tau, int k) {
    double phases = AM_TWOFOLD_PHASES;
    return am_smooth_step_at(phases * tau - k, (k + 1) - phases * tau);
}

double am_twofold_auxiliary(const am_twofold *twofold, size_t i, double tau) {
    double d2 = twofold->facts.d2;
    return i == twofold->a ? 1.0 + (d2 - 1.0) * rising(tau, 4).value
                           : rising(tau, 1).complement + d2 * rising(tau, 3).value;
}

void am_twofold_auxiliary_derivatives(const am_twofold *twofold, size_t i, double tau, size_t order,
                                      double *derivatives) {
    double d2 = twofold->facts.d2, x = AM_TWOFOLD_PHASES * tau, power = 1.0;
    double first[AM_SMOOTH_STEP_MOST + 1], second[AM_SMOOTH_STEP_MOST + 1];
    bool advances = i == twofold->a;
    am_smooth_step_derivatives(x - (advances ? 4.0 : 1.0), order, first);
    am_smooth_step_derivatives(x - 3.0, order, second);
    for (size_t k = 0; k <= order; k++) {
        derivatives[k] = power * (advances ? (d2 - 1.0) * first[k] : d2 * second[k] - first[k]);
        power *= AM_TWOFOLD_PHASES;
    }
    derivatives[0] += 1.0;
}

void am_twofold_largest(const am_twofold *twofold, size_t i, double largest[AM_TWOFOLD_ORDER + 1]) {
    enum { steps = 6000 };
    double now[AM_TWOFOLD_ORDER + 1];
    memset(largest, 0, (AM_TWOFOLD_ORDER + 1) * sizeof *largest);
    for (size_t j = 0; j <= steps; j++) {
        am_twofold_auxiliary_derivatives(twofold, i, (double)j / steps, AM_TWOFOLD_ORDER, now);
        for (size_t k = 0; k <= AM_TWOFOLD_ORDER; k++)
            largest[k] = fmax(largest[k], fabs(now[k]));
    }
}

/* ---- an evolution ---- */

/* How far a constraint that has gone the fraction `step` of its advance is past a point that it meets at the fraction
 * `meets` (complement: 1 - meets). Exact when the point is met at the very beginning or end. */
static double past(am_smooth_step step, double meets, double complement) {
    return meets <= 0.5 ? step.value - meets : complement - step.complement;
}

static void scale_point(const am_twofold *twofold, size_t n, double tau, am_twofold_point *point) {
    double number = (double)n;
    point->t = (1.0 + tau / (number - 1.0)) / number;
    point->logarithm = (1.0 - number) * twofold->logarithm;
    point->scale = exp(point->logarithm);
}

static void load_point(const am_twofold *twofold, double tau, am_twofold_point *point) {
    size_t a = twofold->a, b = twofold->b;
    double d2 = twofold->facts.d2, phases = AM_TWOFOLD_PHASES;
    point->s[a] = twofold->change[a] * am_twofold_auxiliary(twofold, a, tau);
    point->s[b] = twofold->change[b] * am_twofold_auxiliary(twofold, b, tau);
    point->s_rate[a] = twofold->change[a] * phases * (d2 - 1.0) * rising(tau, 4).slope;
    point->s_rate[b] = twofold->change[b] * phases * (d2 * rising(tau, 3).slope - rising(tau, 1).slope);
}

static void move_point(const am_twofold *twofold, double l, double tau, am_twofold_point *point) {
    size_t a = twofold->a, b = twofold->b;
    const double(*row)[2] = twofold->row;
    double d2 = twofold->facts.d2, phases = AM_TWOFOLD_PHASES;
    double Sa = twofold->change[a], Sb = -twofold->change[b], way = (d2 - 1.0) * Sa; /* Sb > 0 here */
    double determinant = row[a][a] * row[b][b] * (1.0 + d2);
    am_smooth_step forth = rising(tau, 1), back = rising(tau, 3), advance = rising(tau, 4);
    double beyond_b = past(forth, 1.0 - l, l), beyond_a = past(advance, l, 1.0 - l);
    bool push_b = beyond_b >= 0.0, push_a = beyond_a >= 0.0 && advance.slope > 0.0;
    double moved_b = fmax(beyond_b, 0.0), moved_a = fmax(beyond_a, 0.0);
    point->v[a] = (row[b][b] * Sa + row[a][b] * l * Sb) / determinant + moved_a * way / row[a][a];
    point->v[b] = (-row[b][a] * Sa - row[a][a] * l * Sb) / determinant + moved_b * Sb / row[b][b];
    point->v_rate[a] = push_a ? phases * advance.slope * way / row[a][a] : 0.0;
    point->v_rate[b] = push_b ? phases * forth.slope * Sb / row[b][b] : 0.0;
    bool late = advance.value > 0.0; /* constraint a has started */
    point->slack[a] = way * (late ? fmax(-beyond_a, 0.0) : moved_b);
    point->slack_rate[a] = way * phases * (late ? (push_a ? 0.0 : -advance.slope) : push_b ? forth.slope : 0.0);
    if (!late) {
        point->slack[b] = Sb * (fmax(-beyond_b, 0.0) + d2 * back.value);
        point->slack_rate[b] = Sb * phases * ((push_b ? 0.0 : -forth.slope) + d2 * back.slope);
    } else {
        point->slack[b] = Sb * d2 * (moved_a > 0.0 ? l + advance.complement : 1.0);
        point->slack_rate[b] = push_a ? -Sb * d2 * phases * advance.slope : 0.0;
    }
}

am_twofold_point am_twofold_at(const am_twofold *twofold, double lambda, size_t n, double tau) {
    if (!am_is(twofold, AM_TAG_TWOFOLD))
        return (am_twofold_point){0};
    am_twofold_point point;
    scale_point(twofold, n, tau, &point);
    load_point(twofold, tau, &point);
    move_point(twofold, n % 2 == 0 ? lambda : 1.0 - lambda, tau, &point);
    for (size_t i = 0; i < 2; i++) {
        point.s[i] *= twofold->sign[i];
        point.s_rate[i] *= twofold->sign[i];
        point.v[i] *= twofold->sign[i];
        point.v_rate[i] *= twofold->sign[i];
    }
    return point;
}

/* ---- the construction ---- */

static am_status check_options(const am_system *system, const am_twofold_options *options, am_error *err) {
    if (options->cookie != cookie)
        return am_fail(err, AM_ERR_INPUT, "options of twofold must come from am_twofold_options_default()");
    AM_TRY(am_system_check(system, "twofold", err));
    if (system->m != 2)
        return am_fail(err, AM_ERR_UNSUPPORTED, "twofold needs a structure with two contacts; this one has %zu",
                       system->m);
    for (size_t c = 0; c < 2; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (contact->surface_velocity != 0.0 || !(contact->friction > 0.0))
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "twofold needs contacts with some friction, whose other side rests; '%s' is of another kind",
                           contact->name);
        if (options->slip && options->slip[c] != AM_FORWARD && options->slip[c] != AM_BACKWARD)
            return am_fail_field(err, AM_ERR_INPUT, "slip", "each contact must slip forward or backward, not %s",
                                 am_contact_state_name(options->slip[c]));
    }
    if (!(options->between >= 0.0 && options->between <= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "between", "between must be from 0 (red) to 1 (blue), not %g",
                             options->between);
    if (options->intervals < 1 || options->intervals > 100000)
        return am_fail_field(err, AM_ERR_INPUT, "intervals", "intervals must be from 1 to 100000, not %zu",
                             options->intervals);
    if (options->samples < 6 || options->samples > 10000000 / options->intervals)
        return am_fail_field(err, AM_ERR_INPUT, "samples",
                             "samples (per interval) must be at least 6 and at most 10 million in all, not %zu",
                             options->samples);
    return AM_OK;
}

/* Row i of A + mu E B for a direction of slip. */
static void fill_row(const am_reduced *reduced, size_t i, double sign, double row[2]) {
    for (size_t j = 0; j < 2; j++)
        row[j] = reduced->A[2 * i + j] + sign * reduced->mu[i] * reduced->B[2 * i + j];
}

/* tan(beta) tan(beta) of the corner of two constraints; minus infinity when eq. (3.4) fails. */
static double corner_factor(const am_reduced *reduced, const double sign[2]) {
    double first[2], second[2];
    fill_row(reduced, 0, sign[0], first);
    fill_row(reduced, 1, sign[1], second);
    return first[0] > 0.0 && second[1] > 0.0 ? -(first[1] * second[0]) / (first[0] * second[1]) : -INFINITY;
}

/* Eqs. (3.4) and (3.5): 1 + factor is the determinant over the product of the diagonal. */
static bool rate_problem_unique(const am_reduced *reduced) {
    for (int k = 0; k < 4; k++) {
        double sign[2] = {k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0};
        if (!(1.0 + corner_factor(reduced, sign) > 0.0))
            return false;
    }
    return true;
}

static void choose_signs(const am_reduced *reduced, const am_contact_state *slip, double sign[2]) {
    double best = -INFINITY;
    if (slip) {
        sign[0] = slip[0] == AM_FORWARD ? 1.0 : -1.0;
        sign[1] = slip[1] == AM_FORWARD ? 1.0 : -1.0;
        return;
    }
    for (int k = 3; k >= 0; k--) { /* of equals, forward */
        double tried[2] = {k & 2 ? 1.0 : -1.0, k & 1 ? 1.0 : -1.0}, factor = corner_factor(reduced, tried);
        if (k == 3 || factor > best * (1.0 + 64.0 * DBL_EPSILON)) {
            best = factor;
            memcpy(sign, tried, sizeof tried);
        }
    }
}

static am_status choose_corner(am_twofold *twofold, const am_contact_state *slip, am_error *err) {
    const am_reduced *reduced = &twofold->reduced;
    am_twofold_facts *facts = &twofold->facts;
    choose_signs(reduced, slip, twofold->sign);
    facts->d2 = corner_factor(reduced, twofold->sign);
    facts->unique = rate_problem_unique(reduced);
    twofold->logarithm = log(facts->d2);
    if (!(facts->d2 > 1.0 + 1e-6))
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "slip",
                             "tan(beta) tan(beta') of the two constraints is %.6g; only where it is above 1 do two "
                             "evolutions move apart faster than the load that drives them",
                             facts->d2);
    for (size_t i = 0; i < 2; i++) {
        facts->slip[i] = twofold->sign[i] > 0.0 ? AM_FORWARD : AM_BACKWARD;
        fill_row(reduced, i, twofold->sign[i], facts->rows[i]);
        for (size_t j = 0; j < 2; j++)
            twofold->row[i][j] = twofold->sign[i] * facts->rows[i][j] * twofold->sign[j];
    }
    twofold->a = twofold->row[0][1] > 0.0 ? 0 : 1;
    twofold->b = 1 - twofold->a;
    facts->alternating = twofold->b;
    return AM_OK;
}

/* Weld forces with the gaps closed, and the corner v(0) of the two constraints. */
static am_status choose_start(am_twofold *twofold, am_error *err) {
    const am_reduced *reduced = &twofold->reduced;
    am_twofold_facts *facts = &twofold->facts;
    double(*n)[2] = facts->rows;
    am_reduced_weld(reduced, twofold->load, facts->tangential_weld, facts->normal_weld, twofold->work);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            double w = -twofold->system->contact[j].gap;
            facts->tangential_weld[i] += reduced->B[2 * j + i] * w;
            facts->normal_weld[i] += reduced->C[2 * i + j] * w;
        }
    for (size_t i = 0; i < 2; i++)
        facts->s_start[i] =
            -twofold->sign[i] * reduced->mu[i] * facts->normal_weld[i] - facts->tangential_weld[i]; /* (9.5), (9.6) */
    double determinant = n[0][0] * n[1][1] - n[0][1] * n[1][0];
    facts->start[0] = (n[1][1] * facts->s_start[0] - n[0][1] * facts->s_start[1]) / determinant;
    facts->start[1] = (n[0][0] * facts->s_start[1] - n[1][0] * facts->s_start[0]) / determinant;
    for (size_t i = 0; i < 2; i++)
        if (!(facts->normal_weld[i] + am_dense_dot(reduced->B + 2 * i, facts->start, 2) > 0.0))
            return am_fail(err, AM_ERR_INPUT,
                           "contact %zu is not pressed on where both contacts are about to slip: the loads at t = 0 "
                           "must press harder",
                           i + 1);
    return AM_OK;
}

/* The part of the amplitude of `change` that keeps N and the distance from the other limit, 2 mu N - slack, positive.
 * Both are linear along each phase, so the phases' ends of the last interval (the largest) decide. */
static double most_amplitude(const am_twofold *twofold) {
    const am_reduced *reduced = &twofold->reduced;
    double most = INFINITY;
    for (int k = 0; k < 2 * (AM_TWOFOLD_PHASES + 1); k++) {
        am_twofold_point point = am_twofold_at(twofold, k % 2, 2, (double)(k / 2) / AM_TWOFOLD_PHASES);
        for (size_t i = 0; i < 2; i++) {
            const double *B = reduced->B + 2 * i;
            double base = twofold->facts.normal_weld[i] + am_dense_dot(B, twofold->facts.start, 2);
            double normal = am_dense_dot(B, point.v, 2) * point.scale;
            double other = normal - point.slack[i] * point.scale / (2.0 * reduced->mu[i]);
            most = fmin(most, base / fmax(0.0, -fmin(normal, other)));
        }
    }
    return most;
}

static void set_change(am_twofold *twofold, double amplitude) {
    size_t a = twofold->a, b = twofold->b;
    twofold->change[b] = -amplitude;
    twofold->change[a] =
        amplitude * twofold->row[a][b] / (twofold->row[b][b] * (twofold->facts.d2 - 1.0)); /* the missing condition */
}

static am_status choose_change(am_twofold *twofold, const double *given, am_error *err) {
    am_twofold_facts *facts = &twofold->facts;
    size_t a = twofold->a, b = twofold->b;
    double unit = facts->normal_weld[b];
    set_change(twofold, given ? fabs(given[b]) : fabs(unit) > 0.0 ? fabs(unit) : 1.0);
    if (given && !(twofold->sign[b] * given[b] < 0.0 && isfinite(given[a])))
        return am_fail_field(err, AM_ERR_INPUT, "change",
                             "change[%zu] must be %s: the constraint of contact %zu recedes on the whole", b,
                             twofold->sign[b] > 0.0 ? "negative" : "positive", b + 1);
    double wanted = twofold->sign[a] * twofold->change[a];
    if (given && !(fabs(given[a] - wanted) <= 1e-9 * fabs(wanted)))
        return am_fail_field(err, AM_ERR_INPUT, "change",
                             "(d^2 - 1) change[%zu]/n_%zu%zu = -change[%zu]/n_%zu%zu must hold, or no two evolutions "
                             "keep apart: with change[%zu] = %.17g, change[%zu] must be %.17g",
                             a, a + 1, b + 1, b, b + 1, b + 1, b, given[b], a, wanted);
    facts->most = most_amplitude(twofold);
    if (!given) {
        double half = isfinite(facts->most) ? 0.5 * facts->most : 1.0;
        set_change(twofold, -half * twofold->change[b]);
        facts->most /= half;
    }
    if (!(facts->most > 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "change",
                             "a contact would open or reach its other limit: the loads at t = 0 press the contacts on "
                             "enough for %.6g times this change",
                             facts->most);
    for (size_t i = 0; i < 2; i++)
        facts->change[i] = twofold->sign[i] * twofold->change[i];
    return AM_OK;
}

static am_status take_load(am_twofold *twofold, am_error *err) {
    const am_system *system = twofold->system;
    double *z = am_arena_doubles(&twofold->memory, NULL, system->nz, err);
    twofold->load = am_arena_doubles(&twofold->memory, NULL, system->n, err);
    twofold->work = am_arena_doubles(&twofold->memory, NULL, am_reduced_work(&twofold->reduced), err);
    AM_TRY(am_arena_status(&twofold->memory));
    am_system_inputs(system, 0.0, z);
    am_dense_apply(system->input, system->n, system->nz, z, twofold->load);
    return AM_OK;
}

static am_status construct(am_twofold *twofold, const am_twofold_options *options, am_error *err) {
    AM_TRY(am_reduced_init(&twofold->reduced, twofold->system, err));
    AM_TRY(take_load(twofold, err));
    AM_TRY(choose_corner(twofold, options->slip, err));
    AM_TRY(choose_start(twofold, err));
    return choose_change(twofold, options->change, err);
}

am_twofold *am_twofold_create(const am_system *system, const am_twofold_options *options, am_error *err) {
    if (!am_is(system, AM_TAG_SYSTEM) || !options)
        return am_misused_for_nothing(err, __func__);
    if (check_options(system, options, err) != AM_OK)
        return NULL;
    am_twofold *twofold = am_memory_new(1, sizeof *twofold, err);
    if (!twofold)
        return NULL;
    twofold->tag = AM_TAG_TWOFOLD;
    twofold->system = system;
    if (construct(twofold, options, err) == AM_OK)
        return twofold;
    am_twofold_free(twofold);
    return NULL;
}

void am_twofold_free(am_twofold *twofold) {
    if (!am_is(twofold, AM_TAG_TWOFOLD))
        return;
    am_reduced_clear(&twofold->reduced);
    am_arena_clear(&twofold->memory);
    am_object_bury(twofold, sizeof *twofold);
}
