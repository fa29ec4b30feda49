/* Steady sliding equilibrium: docs/stability.md, section "The equilibrium".
 *
 * Contacts that are rigid, held, Kelvin-Voigt, or Hunt-Crossley with exponent 1 are linear at rest: one combination
 * (system/combination.h) with S = K + G + sum of slope b n^T solves them. The others are reduced to their penetrations
 * by the same combination, and handed to sliding_branch.c. Polynomial springs are replaced by their tangents, again and
 * again, until the equilibrium stays where it is (Newton's method from q = 0). */
#include "analyses/stability/sliding.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analyses/stability/sliding_internal.h"
#include "base/local.h"
#include "laws/law.h"
#include "math/dense.h"
#include "math/lu.h"
#include "system/capability.h"
#include "system/combination.h"
#include "system/generator.h"
#include "system/split.h"
#include "system/system.h"

/* Rounds of Newton's method for polynomial springs, and what is left of a change when it has converged. */
enum { NEWTON_ROUNDS = 100 };
static const double newton_rounding = 1e-14;

/* Below this the stiffness with friction counts as singular. */
static const double singular = 1e-14;

/* ---- laws ---- */

double am_sliding_force(const am_contact_def *contact, double d) {
    if (!(d > 0.0))
        return 0.0;
    return contact->normal_law == AM_KELVIN_VOIGT ? contact->contact_stiffness * d
                                                  : contact->contact_stiffness * pow(d, contact->contact_exponent);
}

double am_sliding_slope(const am_contact_def *contact, double d) {
    double beta = contact->contact_exponent;
    if (contact->normal_law == AM_KELVIN_VOIGT || beta == 1.0)
        return contact->contact_stiffness;
    return d > 0.0 ? contact->contact_stiffness * beta * pow(d, beta - 1.0) : 0.0; /* eq. 40 */
}

double am_sliding_rate(const am_contact_def *contact, double d) {
    if (contact->normal_law == AM_KELVIN_VOIGT)
        return contact->contact_damping;
    return 1.5 * contact->contact_dissipation * am_sliding_force(contact, d); /* eq. 41 */
}

/* Does the stiffness depend on the penetration? */
static bool is_curved(const am_contact_def *contact) {
    return contact->normal_law == AM_HUNT_CROSSLEY && contact->contact_exponent != 1.0;
}

/* Does the linearised law depend on the equilibrium? */
static bool needs_equilibrium(const am_contact_def *contact) {
    return contact->normal_law == AM_HUNT_CROSSLEY &&
           (contact->contact_exponent != 1.0 || contact->contact_dissipation > 0.0);
}

/* ---- which way each contact slides ---- */

static bool loads_are_constant(const am_system *system) {
    for (size_t l = 0; l < system->loads; l++)
        if (!am_functions_rest(&system->load[l].function))
            return false;
    for (size_t c = 0; c < system->m; c++)
        if (system->contact[c].normal_law == AM_HELD && !am_functions_rest(&system->contact[c].hold))
            return false;
    return true;
}

am_status am_sliding_check_loads(const am_system *system, am_error *err) {
    if (loads_are_constant(system))
        return AM_OK;
    return am_fail_field(err, AM_ERR_UNSUPPORTED, "loads",
                         "steady sliding needs loads and held normal forces that do not change with time");
}

static am_status check_regularisation(const am_system *system, const am_contact_state *state, am_error *err) {
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        bool slides = state[c] == AM_FORWARD || state[c] == AM_BACKWARD;
        if (slides && contact->regularisation > fabs(contact->surface_velocity))
            return am_fail_contact(
                err, system, c, "regularisation",
                "%s slides at %g, below the velocity %g under which its friction is regularised: that is "
                "viscous, not steady sliding",
                contact->name, contact->surface_velocity, contact->regularisation);
    }
    return AM_OK;
}

static am_status choose_states(am_sliding *s, const am_system *system, const am_contact_state *state, am_error *err) {
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double v = contact->surface_velocity;
        if (state) {
            if ((int)state[c] < 0 || state[c] > AM_BACKWARD)
                return am_fail_field(err, AM_ERR_INPUT, "state", "unknown contact state of %s", contact->name);
            if (contact->normal_law == AM_HELD && state[c] == AM_OPEN)
                return am_fail_field(err, AM_ERR_INPUT, "state", "%s is held and cannot be open", contact->name);
            if (state[c] == AM_STICK && !am_law_sticks(&contact->speed_friction))
                return am_fail_field(err, AM_ERR_INPUT, "state",
                                     "friction of %s never sticks (law %s): it slides forward or backward, however "
                                     "slowly",
                                     contact->name, contact->speed_friction.law);
            s->state[c] = state[c];
            continue;
        }
        if (system->stop[c]) { /* closed, unless it would have to pull */
            s->state[c] = AM_STICK;
            continue;
        }
        if (v == 0.0)
            return am_fail_field(
                err, AM_ERR_INPUT, "state",
                "the contact state whose stability is asked for is missing, and the surface of %s does not move "
                "(surface_velocity is zero), so that it has no direction of steady sliding; give one of open, stick, "
                "forward, backward for each of %zu contacts",
                contact->name, s->m);
        s->state[c] = v > 0.0 ? AM_BACKWARD : AM_FORWARD; /* sliding velocity at rest: -v */
    }
    if (!state)
        AM_TRY(am_sliding_check_loads(system, err));
    return check_regularisation(system, s->state, err);
}

am_status am_sliding_check_states(const am_system *system, const am_contact_state *state, am_error *err) {
    AM_LOCAL_MEMORY am_contact_state *chosen = am_memory_new(system->m, sizeof *chosen, err);
    am_sliding s = {.m = system->m, .state = chosen};
    return chosen ? choose_states(&s, system, state, err) : AM_ERR_MEMORY;
}

/* Is the state given one that can last under the loads: no stick (its force depends on its past), no slip against the
 * motion of the surface, no loads that vary? */
static bool is_steady(const am_sliding *s, const am_system *system) {
    for (size_t c = 0; c < s->m; c++)
        if ((s->state[c] == AM_STICK && !system->stop[c]) ||
            am_slip_sign(s->state[c]) * system->contact[c].surface_velocity < 0.0)
            return false;
    return loads_are_constant(system);
}

/* ---- the linear part ---- */

typedef struct problem {
    const am_system *system;
    am_sliding *s;
    size_t n, m, r;
    size_t *curved;                 /* r: contacts handed to the branch */
    const am_contact_def **contact; /* r */
    double *reference;              /* m: stiffness by which each contact is part of S */
    double *S;                      /* n x n */
    double *force, *b, *column;     /* n */
    double *g, *gq, *before;        /* n, n x n, n: polynomial springs at s->q, and that q; NULL: none */
    double *d0, *L, *G, *d;         /* r, r x r, r x r, r */
    double *multipliers;            /* of the combination: at most 2 m */
    bool sharp;                     /* condense the contacts where their law needs the equilibrium */
    bool again;                     /* not the first round: tangents of the springs are taken at an equilibrium */
    am_combination k;
} problem;

/* n + sign mu t. */
static void push_direction(const problem *p, size_t c, double *b) {
    const am_contact_def *contact = &p->system->contact[c];
    double mu = am_slip_sign(p->s->state[c]) * contact->friction;
    for (size_t i = 0; i < p->n; i++)
        b[i] = contact->normal[i] + mu * contact->tangent[i];
}

/* g(q', 0) = g(q, 0) + g_q (q' - q) near the present q. */
static void fill_springs(problem *p) {
    size_t n = p->n;
    memset(p->gq, 0, n * n * sizeof *p->gq);
    memset(p->column, 0, n * sizeof *p->column);
    am_system_polynomial_force(p->system, p->s->q, p->column, p->g, p->gq, NULL);
    for (size_t i = 0; i < n; i++) {
        p->force[i] += am_dense_dot(p->gq + i * n, p->s->q, n) - p->g[i];
        for (size_t j = 0; j < n; j++)
            p->S[i * n + j] += p->gq[i * n + j];
    }
}

/* S = K + G + sum of reference b n^T, and the force that goes with it. */
static void fill_problem(problem *p) {
    const am_system *system = p->system;
    size_t n = p->n;
    am_matrix_to_dense(system->K, p->S);
    memset(p->force, 0, n * sizeof *p->force);
    for (size_t i = 0; system->circulatory && i < n; i++)
        for (size_t j = 0; j < n; j++)
            p->S[i * n + j] += am_matrix_at(system->circulatory, i, j);
    for (size_t l = 0; l < system->loads; l++)
        for (size_t i = 0; i < n; i++)
            p->force[i] += system->load[l].direction[i] * am_function_at(&system->load[l].function, 0.0);
    if (p->g)
        fill_springs(p);
    for (size_t c = 0; c < p->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        bool held = contact->normal_law == AM_HELD;
        if (p->s->state[c] == AM_OPEN || contact->normal_law == AM_UNILATERAL)
            continue;
        push_direction(p, c, p->b);
        double N = held ? am_function_at(&contact->hold, 0.0) : -p->reference[c] * contact->gap;
        for (size_t i = 0; i < n; i++) {
            p->force[i] += p->b[i] * N;
            for (size_t j = 0; !held && j < n; j++)
                p->S[i * n + j] += p->reference[c] * p->b[i] * contact->normal[j];
        }
    }
}

static bool anything_acts(const problem *p) {
    bool acts = am_dense_largest(p->force, p->n) > 0.0;
    for (size_t c = 0; c < p->m; c++)
        acts = acts || (p->s->state[c] != AM_OPEN && p->system->contact[c].normal_law != AM_HELD &&
                        p->system->contact[c].gap != 0.0);
    return acts;
}

/* q = Y force + Yc c + sum over curved contacts of Y b_j x_j; rigid normal forces alike. */
static void spread(const problem *p, const double *force, double *q, double *multipliers) {
    const am_combination *k = &p->k;
    am_dense_apply(k->Y, p->n, p->n, force, q);
    am_dense_apply(k->L, k->p, p->n, force, multipliers);
    for (size_t c = 0; c < p->m; c++) {
        size_t row = k->normal_row[c];
        double level = row == AM_NO_ROW ? 0.0 : -p->system->contact[c].gap; /* n.q = -gap0 */
        for (size_t i = 0; level != 0.0 && i < p->n; i++)
            q[i] += k->Yc[i * k->p + row] * level;
        for (size_t i = 0; level != 0.0 && i < k->p; i++)
            multipliers[i] += k->Lc[i * k->p + row] * level;
    }
}

/* d of a contact at q. */
static double penetration(const problem *p, size_t c, const double *q) {
    return -(am_dense_dot(p->system->contact[c].normal, q, p->n) + p->system->contact[c].gap);
}

/* With S containing reference stiffnesses k: (1 + G k) d = d0 + G N(d), G = -n^T Y b. */
static void reduce_curved(problem *p) {
    size_t r = p->r;
    spread(p, p->force, p->s->q, p->multipliers);
    for (size_t i = 0; i < r; i++)
        p->d0[i] = penetration(p, p->curved[i], p->s->q);
    for (size_t j = 0; j < r; j++) {
        push_direction(p, p->curved[j], p->b);
        am_dense_apply(p->k.Y, p->n, p->n, p->b, p->column);
        for (size_t i = 0; i < r; i++) {
            double G = -am_dense_dot(p->system->contact[p->curved[i]].normal, p->column, p->n);
            p->G[i * r + j] = G;
            p->L[i * r + j] = (i == j ? 1.0 : 0.0) + G * p->reference[p->curved[j]];
        }
    }
}

static am_status solve_curved(problem *p, am_error *err) {
    am_sliding_branch_report report;
    reduce_curved(p);
    am_sliding_branch branch = {.r = p->r, .contact = p->contact, .L = p->L, .G = p->G, .d0 = p->d0};
    AM_TRY(am_sliding_branch_solve(&branch, p->d, &report, err));
    p->s->equilibria = report.equilibria;
    p->s->fold = report.fold;
    if (report.equilibria == 0 && report.fold < 1.0)
        return am_fail(err, AM_ERR_NO_STATE,
                       "there is no steady sliding equilibrium: as the loads grow, the contacts give way at %.6g of "
                       "them, where two equilibria meet and vanish",
                       report.fold);
    if (report.equilibria == 0)
        return am_fail(err, AM_ERR_NO_STATE,
                       "no steady sliding equilibrium was found by letting the loads grow from nothing");
    for (size_t j = 0; j < p->r; j++) {
        size_t c = p->curved[j];
        double extra = am_sliding_force(p->contact[j], p->d[j]) - p->reference[c] * p->d[j];
        push_direction(p, c, p->b);
        for (size_t i = 0; i < p->n; i++)
            p->force[i] += p->b[i] * extra;
    }
    return AM_OK;
}

/* ---- what was found ---- */

/* Contacts whose directions depend on each other: the normal forces of an admissible split, if there is one. */
static am_status share_forces(problem *p, am_error *err) {
    const am_combination *k = &p->k;
    double *N = p->d0, *T = p->d;
    am_split *split;
    p->s->indeterminate = k->redundant > 0;
    am_status status = am_split_create(p->system, k, AM_SPLIT_STATIC, NULL, &split, err);
    if (status || !split)
        return status;
    for (size_t c = 0; c < p->m; c++) {
        const am_contact_def *contact = &p->system->contact[c];
        bool held = contact->normal_law == AM_HELD;
        N[c] = k->normal_row[c] != AM_NO_ROW ? p->multipliers[k->normal_row[c]]
               : held                        ? am_function_at(&contact->hold, 0.0)
                                             : 0.0;
        T[c] = k->stick_row[c] != AM_NO_ROW ? p->multipliers[k->stick_row[c]] : 0.0;
    }
    am_split_choose(split, k, p->system, N, T);
    for (size_t c = 0; c < p->m; c++)
        if (k->normal_row[c] != AM_NO_ROW)
            p->multipliers[k->normal_row[c]] = N[c];
    am_split_free(split);
    return AM_OK;
}

/* Must this contact be pulled to stay closed? One that shares its force may bear nothing. */
static bool is_pulled(const am_sliding *s, const am_system *system, size_t c) {
    if (s->state[c] == AM_OPEN || system->contact[c].normal_law == AM_HELD)
        return false;
    return s->indeterminate ? s->normal[c] < -1e-12 * am_dense_largest(s->normal, s->m) : !(s->normal[c] > 0.0);
}

static void fill_contacts(problem *p) {
    am_sliding *s = p->s;
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &p->system->contact[c];
        size_t row = p->k.normal_row[c];
        s->penetration[c] = contact->normal_law == AM_HELD ? 0.0 : penetration(p, c, s->q);
        if (contact->normal_law == AM_UNILATERAL)
            s->normal[c] = row == AM_NO_ROW ? 0.0 : p->multipliers[row];
        else if (contact->normal_law == AM_HELD)
            s->normal[c] = am_function_at(&contact->hold, 0.0);
        else if (s->state[c] == AM_OPEN)
            s->normal[c] = 0.0;
        else /* of linear laws also where it pulls: am_sliding_demand complains */
            s->normal[c] = is_curved(contact) ? am_sliding_force(contact, s->penetration[c])
                                              : contact->contact_stiffness * s->penetration[c];
        if (row != AM_NO_ROW)
            s->penetration[c] = 0.0;
    }
}

/* Put the equilibrium back into its equations, from the definitions alone. */
static double residual_of(problem *p) {
    const am_system *system = p->system;
    double largest = 0.0, worst = 0.0, *sum = p->b, *term = p->column;
    am_matrix_apply(system->K, p->s->q, sum);
    largest = am_dense_largest(sum, p->n);
    if (system->circulatory) {
        am_matrix_apply(system->circulatory, p->s->q, term);
        for (size_t i = 0; i < p->n; i++) {
            sum[i] += term[i];
            largest = fmax(largest, fabs(term[i]));
        }
    }
    for (size_t l = 0; l < system->loads; l++)
        for (size_t i = 0; i < p->n; i++) {
            double load = system->load[l].direction[i] * am_function_at(&system->load[l].function, 0.0);
            sum[i] -= load;
            largest = fmax(largest, fabs(load));
        }
    if (p->g) {
        memset(term, 0, p->n * sizeof *term);
        am_system_polynomial_force(system, p->s->q, term, p->g, NULL, NULL);
        for (size_t i = 0; i < p->n; i++) {
            sum[i] += p->g[i];
            largest = fmax(largest, fabs(p->g[i]));
        }
    }
    for (size_t c = 0; c < p->m; c++)
        for (size_t i = 0; i < p->n && p->s->state[c] != AM_OPEN; i++) {
            const am_contact_def *contact = &system->contact[c];
            double mu = am_slip_sign(p->s->state[c]) * contact->friction;
            double push = (contact->normal[i] + mu * contact->tangent[i]) * p->s->normal[c];
            sum[i] -= push;
            largest = fmax(largest, fabs(push));
        }
    for (size_t i = 0; i < p->n; i++)
        worst = !(fabs(sum[i]) <= worst) ? fabs(sum[i]) : worst;
    return worst > 0.0 ? worst / largest : 0.0;
}

static void judge(am_sliding *s, const am_system *system) {
    s->closed = s->known;
    for (size_t c = 0; c < s->m && s->loaded; c++)
        if (is_pulled(s, system, c))
            s->closed = false;
}

/* ---- all of it ---- */

static void choose_references(problem *p, bool support_curved) {
    double stiff = fmax(am_matrix_largest(p->system->K), DBL_MIN);
    p->r = 0;
    for (size_t c = 0; c < p->m; c++) {
        const am_contact_def *contact = &p->system->contact[c];
        p->reference[c] = 0.0;
        if (!am_contact_is_compliant(contact) || p->s->state[c] == AM_OPEN)
            continue;
        if (!is_curved(contact)) {
            p->reference[c] = contact->contact_stiffness;
            continue;
        }
        double length = am_dense_dot(contact->normal, contact->normal, p->n);
        p->reference[c] = support_curved && length > 0.0 ? stiff / length : 0.0;
        p->curved[p->r] = c;
        p->contact[p->r++] = contact;
    }
}

/* The combination; where a structure is held by its curved contacts alone, with a stiffness in their place. */
static am_status plan(problem *p, am_error *err) {
    for (int support = 0; support < 2; support++) {
        choose_references(p, support == 1);
        fill_problem(p);
        am_status status = am_combination_init(&p->k, p->system, p->S, p->s->state, err);
        if (!status)
            status = am_combination_share(&p->k, p->S, err);
        if (status || p->k.condition > 0.0 || p->r == 0)
            return status;
        if (support == 0)
            am_combination_clear(&p->k);
    }
    return AM_OK;
}

/* ---- stiff contacts of linear laws ---- */

/* Row i of 1 - G K_c for the contacts listed in `curved`, over the size of its terms, and d0 likewise. */
static void condense_row(problem *p, size_t count, size_t i) {
    const am_contact_def *contact = p->contact[i];
    double terms = 1.0;
    for (size_t j = 0; j < count; j++) {
        double slope = p->contact[j]->contact_stiffness, sum = 0.0, size = 0.0;
        push_direction(p, p->curved[j], p->b);
        for (size_t l = 0; l < p->n; l++)
            for (size_t k = 0; k < p->n; k++) {
                double term = contact->normal[l] * p->k.Y[l * p->n + k] * p->b[k];
                sum += term;
                size += fabs(term);
            }
        p->L[i * count + j] = (i == j ? 1.0 : 0.0) + sum * slope;
        terms += size * slope;
    }
    for (size_t j = 0; j < count; j++)
        p->L[i * count + j] /= terms;
    p->d[i] = penetration(p, p->curved[i], p->s->q) / terms;
}

/* d of the contacts listed; false where they and the structure together hold nothing. */
static bool solve_condensed(problem *p, size_t count, int *order) {
    spread(p, p->force, p->s->q, p->multipliers);
    for (size_t i = 0; i < count; i++)
        condense_row(p, count, i);
    bool regular = am_lu_factor(p->L, count, order);
    for (size_t i = 0; regular && i < count; i++)
        regular = fabs(p->L[i * count + i]) > singular;
    if (regular)
        am_lu_solve(p->L, count, order, 1, p->d);
    return regular;
}

/* The combination of the structure without its compliant contacts, and their forces among the others. */
static am_status condense(problem *p, bool *done, am_error *err) {
    size_t count = 0;
    for (size_t c = 0; c < p->m; c++)
        if (am_contact_is_compliant(&p->system->contact[c]) && p->s->state[c] != AM_OPEN) {
            p->reference[c] = 0.0;
            p->curved[count] = c;
            p->contact[count++] = &p->system->contact[c];
        }
    fill_problem(p);
    int *order = am_memory_new(count, sizeof *order, err);
    am_status status = order ? am_combination_init(&p->k, p->system, p->S, p->s->state, err) : AM_ERR_MEMORY;
    if (!status)
        status = am_combination_share(&p->k, p->S, err);
    *done = !status && count > 0 && p->k.condition > 0.0 && solve_condensed(p, count, order);
    for (size_t j = 0; *done && j < count; j++) {
        push_direction(p, p->curved[j], p->b);
        for (size_t i = 0; i < p->n; i++)
            p->force[i] += p->b[i] * p->contact[j]->contact_stiffness * p->d[j];
    }
    am_memory_free(order);
    return status;
}

/* Stiff contacts whose friction nearly undoes them leave little of S, a sum of large numbers: what is left of it is
 * lost to rounding by their stiffness squared over the structure's. Condensed to the contacts, d = d0 + G K_c d, it is
 * lost by that ratio itself. Worth the trouble where a law asks how far its contact is pressed in. */
static bool needs_better(const problem *p) {
    bool needs = false;
    for (size_t c = 0; c < p->m; c++)
        needs = needs || (p->s->state[c] != AM_OPEN && needs_equilibrium(&p->system->contact[c]));
    return needs && p->sharp && p->r == 0 && p->s->loaded;
}

static am_status improve(problem *p, am_error *err) {
    am_combination first = p->k;
    bool done = false;
    p->k = (am_combination){0};
    am_status status = condense(p, &done, err);
    if (done) {
        am_combination_clear(&first);
        return AM_OK;
    }
    am_combination_clear(&p->k);
    p->k = first;
    choose_references(p, false);
    fill_problem(p);
    return status;
}

static am_status solve(problem *p, am_error *err) {
    am_sliding *s = p->s;
    am_status status = plan(p, err);
    if (status)
        return status;
    if (!p->again)
        s->loaded = anything_acts(p);            /* at q = 0 springs do not */
    if (!s->loaded && !(p->k.condition > 0.0)) { /* nothing holds it and nothing moves it */
        s->known = s->closed = true;
        s->equilibria = 1;
        am_combination_clear(&p->k);
        return AM_OK;
    }
    if (needs_better(p))
        status = improve(p, err);
    s->known = p->k.condition > 0.0;
    if (!status && s->known && p->r > 0 && s->loaded)
        status = solve_curved(p, err);
    if (!status && s->known) {
        s->equilibria = p->r > 0 ? s->equilibria : 1;
        spread(p, p->force, s->q, p->multipliers);
        status = share_forces(p, err);
        fill_contacts(p);
        s->residual = residual_of(p);
        judge(s, p->system);
    }
    am_combination_clear(&p->k);
    return status;
}

/* Newton's method for the springs. */
static am_status solve_with_springs(problem *p, am_error *err) {
    am_sliding *s = p->s;
    AM_TRY(solve(p, err));
    if (!p->g || !s->loaded)
        return AM_OK;
    for (int round = 0; round < NEWTON_ROUNDS && s->known; round++) {
        double change = 0.0;
        p->again = true;
        memcpy(p->before, s->q, p->n * sizeof *p->before);
        AM_TRY(solve(p, err));
        for (size_t i = 0; i < p->n; i++)
            change = fmax(change, fabs(s->q[i] - p->before[i]));
        if (change <= newton_rounding * am_dense_largest(s->q, p->n))
            return AM_OK;
    }
    if (s->known)
        return am_fail(err, AM_ERR_NO_STATE,
                       "no equilibrium of the polynomial springs was found by Newton's method from no displacement");
    return AM_OK;
}

static am_status find_equilibrium(am_sliding *s, const am_system *system, bool sharp, am_error *err) {
    size_t n = s->n, m = s->m;
    AM_LOCAL_ARENA memory = {0};
    problem p = {.system = system, .s = s, .n = n, .m = m, .sharp = sharp};
    p.S = am_arena_doubles(&memory, NULL, n * n, err);
    AM_ARENA_DOUBLES(&memory, n, err, &p.force, &p.b, &p.column);
    AM_ARENA_DOUBLES(&memory, m, err, &p.reference, &p.d0, &p.d);
    p.multipliers = am_arena_doubles(&memory, NULL, 2 * m, err);
    AM_ARENA_DOUBLES(&memory, m * m, err, &p.L, &p.G);
    p.curved = am_arena_new(&memory, m, sizeof *p.curved, err);
    p.contact = am_arena_new(&memory, m, sizeof *p.contact, err);
    if (system->polynomials > 0) {
        AM_ARENA_DOUBLES(&memory, n, err, &p.g, &p.before);
        p.gq = am_arena_doubles(&memory, NULL, n * n, err);
    }
    return am_arena_status(&memory) ? AM_ERR_MEMORY : solve_with_springs(&p, err);
}

/* Stiffness and damping of springs that are curved are those at the equilibrium. */
static am_status check_springs(const am_sliding *s, const am_system *system, am_error *err) {
    for (size_t p = 0; p < system->polynomials && !s->known; p++)
        for (size_t k = 0; k < system->polynomial[p].term_count; k++)
            if (system->polynomial[p].terms[k].displacement + system->polynomial[p].terms[k].velocity > 1)
                return am_fail(err, AM_ERR_UNSUPPORTED,
                               "the stiffness and damping of '%s' depend on the equilibrium, which is known only in "
                               "steady sliding under constant loads that the linear stiffness can balance",
                               system->polynomial[p].name);
    return AM_OK;
}

/* Laws that depend on the equilibrium must have one; slopes of all. */
static am_status linearise_contacts(am_sliding *s, const am_system *system, am_error *err) {
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (s->state[c] == AM_OPEN || !am_contact_is_compliant(contact))
            continue;
        if (needs_equilibrium(contact)) {
            if (!s->known && !is_steady(s, system))
                return am_fail_contact(
                    err, system, c, "law",
                    "the stiffness and damping of %s depend on how far it is pressed in, which is known "
                    "only in steady sliding against moving surfaces under constant loads",
                    contact->name);
            AM_TRY(am_sliding_demand(s, system, err));
            if (!(s->penetration[c] > 0.0))
                return am_fail(err, AM_ERR_NO_STATE,
                               "there is no steady sliding equilibrium: no load presses %s together (N = 0)",
                               contact->name);
        }
        s->slope[c] = am_sliding_slope(contact, s->penetration[c]);
        s->rate[c] = am_sliding_rate(contact, s->penetration[c]);
    }
    return AM_OK;
}

/* Stops that would have to pull are open, and open ones that overlap are closed. Returns whether some changed. */
static bool settle_stops(am_sliding *s, const am_system *system) {
    bool changed = false;
    for (size_t c = 0; c < s->m && s->known && s->loaded; c++) {
        double gap = system->contact[c].gap + am_dense_dot(system->contact[c].normal, s->q, s->n);
        bool open = s->state[c] == AM_OPEN, wrong = open ? gap < 0.0 : s->normal[c] < 0.0;
        if (!system->stop[c] || !wrong)
            continue;
        s->state[c] = open ? AM_STICK : AM_OPEN;
        changed = true;
    }
    return changed;
}

static am_status reserve(am_sliding *s, const am_system *system, am_error *err) {
    *s = (am_sliding){.n = system->n, .m = system->m, .fold = NAN, .loaded = true};
    s->q = am_arena_doubles(&s->memory, NULL, s->n, err);
    AM_ARENA_DOUBLES(&s->memory, s->m, err, &s->normal, &s->penetration, &s->slope, &s->rate);
    s->state = am_arena_new(&s->memory, s->m, sizeof *s->state, err);
    return am_arena_status(&s->memory);
}

am_status am_sliding_init_at(am_sliding *sliding, const am_system *system, const am_contact_state *state,
                             const double *q, const double *normal, const double *tangential, am_error *err) {
    am_sliding *s = sliding;
    am_status status = reserve(s, system, err);
    s->tangential = am_arena_doubles(&s->memory, tangential, s->m, err);
    if (status || !s->tangential) {
        am_sliding_clear(s);
        return AM_ERR_MEMORY;
    }
    s->known = s->closed = true;
    s->equilibria = 1;
    memcpy(s->q, q, s->n * sizeof *q);
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        s->state[c] = state[c];
        s->normal[c] = normal[c];
        if (contact->normal_law != AM_HELD)
            s->penetration[c] = -(am_dense_dot(contact->normal, q, s->n) + am_system_gap_at(system, c, 0.0));
        if (state[c] != AM_OPEN && am_contact_is_compliant(contact)) {
            s->slope[c] = am_sliding_slope(contact, s->penetration[c]);
            s->rate[c] = am_sliding_rate(contact, s->penetration[c]);
        }
    }
    return AM_OK;
}

static am_status init(am_sliding *s, const am_system *system, const am_contact_state *state, bool sharp,
                      am_error *err) {
    am_status status = reserve(s, system, err);
    if (!status)
        status = choose_states(s, system, state, err);
    bool steady = !status && is_steady(s, system), settled = false;
    for (size_t round = 0; steady && !settled && !status; round++) {
        status = find_equilibrium(s, system, sharp, err);
        settled = status || state || round > 2 * s->m || !settle_stops(s, system);
    }
    if (!status)
        status = check_springs(s, system, err);
    if (!status)
        status = linearise_contacts(s, system, err);
    if (status)
        am_sliding_clear(s);
    return status;
}

am_status am_sliding_init(am_sliding *sliding, const am_system *system, const am_contact_state *state, am_error *err) {
    return init(sliding, system, state, false, err);
}

am_status am_sliding_init_sharp(am_sliding *sliding, const am_system *system, const am_contact_state *state,
                                am_error *err) {
    return init(sliding, system, state, true, err);
}

void am_sliding_clear(am_sliding *sliding) {
    am_arena_clear(&sliding->memory);
    *sliding = (am_sliding){0};
}

am_status am_sliding_demand(const am_sliding *sliding, const am_system *system, am_error *err) {
    const am_sliding *s = sliding;
    if (!s->known)
        return am_fail(err, AM_ERR_NO_STATE,
                       "there is no steady sliding equilibrium: in this state the stiffness together with friction is "
                       "singular (or the motion depends on how rigid contacts share their normal forces), so nothing "
                       "decides how the loads are balanced");
    for (size_t c = 0; c < s->m && !s->closed; c++)
        if (is_pulled(s, system, c))
            return am_fail(err, AM_ERR_NO_STATE,
                           "there is no steady sliding equilibrium with contact: %s would need the normal force %g, "
                           "but surfaces cannot pull; they part",
                           system->contact[c].name, s->normal[c]);
    return AM_OK;
}
