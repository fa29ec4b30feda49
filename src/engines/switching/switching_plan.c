/* What all flows of a system share: ranges, weights, bounds of its frequencies. */
#include "engines/switching/flow.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/switching/nonlinear.h"
#include "laws/law.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "system/friction_pieces.h"

static am_interval range_of(const double *row, size_t n) {
    am_interval r = {0, n};
    while (r.to > 0 && row[r.to - 1] == 0.0)
        r.to--;
    while (r.from < r.to && row[r.from] == 0.0)
        r.from++;
    return r;
}

/* Where the matrices and the contacts have entries: most rows of a large structure are short. */
static void find_ranges(am_plan *plan) {
    size_t n = plan->n;
    for (size_t i = 0; i < n; i++) {
        plan->stiff[i] = range_of(plan->K + i * n, n);
        plan->damp[i] = range_of(plan->D + i * n, n);
    }
    for (size_t c = 0; c < plan->m; c++) {
        plan->normal[c] = range_of(plan->system->contact[c].normal, n);
        plan->tangent[c] = range_of(plan->system->contact[c].tangent, n);
    }
}

/* The normal force by which a contact answers to the forces, if nothing but its own masses give way. */
static double answer(const am_plan *plan, size_t c, const double *force) {
    const double *normal = plan->system->contact[c].normal;
    double push = 0.0, yield = 0.0;
    for (size_t i = plan->normal[c].from; i < plan->normal[c].to; i++) {
        const double *row = plan->inverse_mass + i * plan->n;
        push += normal[i] * am_dense_dot(row, force, plan->n);
        yield += normal[i] * am_dense_dot(row, normal, plan->n);
    }
    return yield > 0.0 ? fabs(push) / yield : 0.0;
}

/* Beside stiff coordinates also what friction makes of an input that presses on them: it acts on soft ones. */
static void add_friction(const am_plan *plan, double *force) {
    for (size_t c = 0; c < plan->m && plan->slowest < plan->frequency; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        double most = contact->normal_law == AM_UNILATERAL ? contact->friction * answer(plan, c, force) : 0.0;
        for (size_t l = plan->tangent[c].from; most > 0.0 && l < plan->tangent[c].to; l++)
            force[l] += most * fabs(contact->tangent[l]);
    }
}

/* The largest weighted velocity that a unit velocity along a contact's tangent brings about. */
static double drag_of(const am_plan *plan, size_t c) {
    const double *tangent = plan->system->contact[c].tangent, *wv = plan->weight + plan->n;
    double yield = 0.0, most = 0.0;
    for (size_t i = 0; i < plan->n; i++) {
        double pull = am_range_dot(&plan->tangent[c], plan->inverse_mass + i * plan->n, tangent);
        yield += tangent[i] * pull;
        most = fmax(most, wv[i] * fabs(pull));
    }
    return yield > 0.0 ? most / yield : 0.0;
}

/* What a unit of a support's place, and of its velocity, gives to what stays on it: the largest weighed coordinate and
 * velocity (drag_of along the normal). */
static void lift_of(const am_plan *plan, size_t c, double *place, double *velocity) {
    const double *normal = plan->system->contact[c].normal, *wq = plan->weight, *wv = plan->weight + plan->n;
    double yield = 0.0;
    *place = *velocity = 0.0;
    for (size_t i = 0; i < plan->n; i++) {
        double pull = am_range_dot(&plan->normal[c], plan->inverse_mass + i * plan->n, normal);
        yield += normal[i] * pull;
        *place = fmax(*place, wq[i] * fabs(pull));
        *velocity = fmax(*velocity, wv[i] * fabs(pull));
    }
    *place = yield > 0.0 ? *place / yield : 0.0;
    *velocity = yield > 0.0 ? *velocity / yield : 0.0;
}

/* How strongly a force input acts, as an acceleration of each coordinate: M^-1 times the loads' columns and the
 * tangents of held contacts, times the weights of velocities. force: n, work space. */
static void weigh_inputs(am_plan *plan, double *force) {
    const double *inverse = plan->inverse_mass;
    const am_system *s = plan->system;
    size_t n = plan->n, nz = plan->nz;
    const double *wv = plan->weight + n;
    double *wz = plan->weight + plan->nd;
    for (size_t j = 0; j < nz; j++) {
        for (size_t l = 0; l < n; l++)
            force[l] = fabs(s->input[l * nz + j]);
        for (size_t c = 0; c < s->m; c++)
            for (size_t l = plan->tangent[c].from; l < plan->tangent[c].to; l++)
                force[l] += s->contact[c].friction * fabs(s->contact[c].tangent[l] * s->hold[c * nz + j]);
        add_friction(plan, force);
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t l = 0; l < n; l++)
                sum += fabs(inverse[i * n + l]) * force[l];
            wz[j] = fmax(wz[j], wv[i] * sum / am_plan_frequency_of(plan, i));
        }
    }
    for (size_t f = 0; f < plan->forces; f++) { /* the same of forces that are not linear */
        if (plan->force[f].kind == AM_FORCE_DISC_RATE)
            wz[nz + f] = plan->weight[2 * n + plan->spring[plan->force[f].owner]] / plan->frequency;
        bool moves = !am_force_is_disc(plan->force[f].kind) && plan->force[f].kind != AM_FORCE_RATE;
        for (size_t i = 0; i < n && moves; i++) {
            double sum = fabs(am_dense_dot(inverse + i * n, plan->force[f].direction, n));
            wz[nz + f] = fmax(wz[nz + f], wv[i] * sum / am_plan_frequency_of(plan, i));
        }
        if (plan->force[f].kind == AM_FORCE_CHANGE) /* a rate, which acts for a time */
            wz[nz + f] /= plan->frequency;
    }
    /* What a held normal force does to the stretch of a slipping spring. */
    for (size_t c = 0; c < s->m; c++)
        for (size_t j = 0; plan->spring[c] != AM_NO_ROW && j < nz; j++)
            wz[j] = fmax(wz[j], plan->weight[2 * n + plan->spring[c]] * s->contact[c].friction *
                                    fabs(s->hold[c * nz + j]) / s->contact[c].tangential_stiffness);
    /* The velocity that a surface gives to what sticks to it; where friction begins with a deflection from rest, a
     * constant one is all that is there. */
    for (size_t c = 0; c < s->m; c++)
        for (size_t j = am_force_inner_is_directed(plan, c, 0) ? 0 : 1; j < (s->drawn[c] ? nz : 1); j++)
            wz[j] = fmax(wz[j], fabs(s->surface[c * nz + j]) * drag_of(plan, c));
    for (size_t c = 0; c < s->m; c++) {
        double place, velocity;
        if (!s->lifted[c])
            continue;
        lift_of(plan, c, &place, &velocity);
        for (size_t j = 1; j < nz; j++)
            wz[j] = fmax(wz[j], fmax(fabs(s->gap[c * nz + j]) * place, fabs(s->gap_rate[c * nz + j]) * velocity));
    }
    /* A slope enters through the value it changes: z_row' = value z_column must not add to the norm either. */
    for (size_t e = 0; e < s->entries; e++) {
        const am_generator_entry *g = &s->G[e];
        wz[g->column] = fmax(wz[g->column], wz[g->row] * fabs(g->value) / fmax(plan->slowest, fabs(g->value)));
    }
}

/* matrix += factor n n^T of a contact. */
static void add_compliance(const am_plan *plan, size_t c, double factor, double *matrix) {
    const double *normal = plan->system->contact[c].normal;
    for (size_t i = plan->normal[c].from; i < plan->normal[c].to; i++)
        for (size_t j = plan->normal[c].from; j < plan->normal[c].to; j++)
            matrix[i * plan->n + j] += factor * normal[i] * normal[j];
}

/* Stiffness with what compliant contacts add while they are closed, and the springs behind sliders while they stick. */
static void sprung_stiffness(const am_plan *plan, double *K) {
    size_t n = plan->n;
    memcpy(K, plan->K, n * n * sizeof *K);
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        const am_interval *r = &plan->tangent[c];
        for (size_t i = r->from; contact->tangential_stiffness > 0.0 && i < r->to; i++)
            for (size_t j = r->from; j < r->to; j++)
                K[i * n + j] += contact->tangential_stiffness * contact->tangent[i] * contact->tangent[j];
        for (size_t i = 0; contact->second_tangent && i < n * n; i++)
            K[i] += contact->tangential_stiffness * contact->second_tangent[i / n] * contact->second_tangent[i % n];
        if (contact->normal_law == AM_KELVIN_VOIGT)
            add_compliance(plan, c, contact->contact_stiffness, K);
    }
    for (size_t i = 0; i < n && plan->lights > 0; i++) /* they follow: all others are stiffest while these are held */
        for (size_t j = 0; j < n; j++)
            if (plan->light[i] || plan->light[j])
                K[i * n + j] = 0.0;
}

static void damp_compliances(const am_plan *plan, double *C) {
    memcpy(C, plan->D, plan->n * plan->n * sizeof *C);
    for (size_t c = 0; c < plan->m; c++)
        if (plan->system->contact[c].normal_law == AM_KELVIN_VOIGT)
            add_compliance(plan, c, plan->system->contact[c].contact_damping, C);
}

/* out (n) = the row of M^-1 times a matrix. */
static void mass_times(const double *inverse_row, const double *matrix, size_t n, double *out) {
    memset(out, 0, n * sizeof *out);
    for (size_t l = 0; l < n; l++)
        for (size_t j = 0; inverse_row[l] != 0.0 && j < n; j++)
            out[j] += inverse_row[l] * matrix[l * n + j];
}

/* Row sum of absolute values in the weights. */
static double weighted_sum(const double *row, const double *weight, size_t i, size_t n) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
        sum += weight[i] / weight[j] * fabs(row[j]);
    return sum;
}

/* A bound of the structure's own frequencies, from the weighted norms of M^-1 K and M^-1 C; and what each coordinate
 * has by itself, from their diagonals. work: 2 n x n + n */
static double bound_frequencies(const am_plan *plan, double *work, double *own) {
    size_t n = plan->n;
    double *row = work + n * n, *C = plan->compliant ? row + n : plan->D, stiff = 0.0, damp = 0.0;
    sprung_stiffness(plan, work);
    if (plan->compliant)
        damp_compliances(plan, C);
    for (size_t i = 0; i < n; i++) {
        mass_times(plan->inverse_mass + i * n, work, n, row);
        double rows = weighted_sum(row, plan->weight, i, n);
        stiff = fmax(stiff, plan->massless[i] ? rows * rows : rows); /* there K/C is a rate, not its square */
        own[i] = plan->massless[i] ? fabs(row[i]) : sqrt(fabs(row[i]));
        if (plan->damped || plan->compliant) {
            mass_times(plan->inverse_mass + i * n, C, n, row);
            damp = fmax(damp, weighted_sum(row, plan->weight, i, n));
            own[i] = fmax(own[i], fabs(row[i]));
        }
    }
    double frequency = fmax(sqrt(stiff), damp);
    return frequency > 0.0 ? frequency : 1.0; /* a free mass: any time unit does */
}

/* Coordinates slower than the fastest by this factor are measured on their own time scale. */
static const double much_slower = 64.0;

/* The frequencies that coordinates are measured by: in most structures that of the fastest, for all of them. */
static void choose_frequencies(am_plan *plan, double *own) {
    plan->slowest = plan->frequency;
    for (size_t i = 0; i < plan->n; i++) {
        if (own[i] * much_slower >= plan->frequency)
            own[i] = plan->frequency;
        if (own[i] > 0.0)
            plan->slowest = fmin(plan->slowest, own[i]);
    }
    for (size_t i = 0; i < plan->n; i++)
        if (own[i] == 0.0) /* nothing holds it */
            own[i] = plan->slowest;
}

/* A stretch is weighed as the displacement along its tangent. */
static void weigh_springs(am_plan *plan) {
    for (size_t c = 0; c < plan->m; c++) {
        if (plan->spring[c] == AM_NO_ROW)
            continue;
        double reach = 0.0;
        for (size_t i = 0; i < plan->n; i++)
            reach += fabs(plan->system->contact[c].tangent[i]) / plan->weight[i];
        plan->weight[2 * plan->n + plan->spring[c]] = 1.0 / reach;
        if (!am_plan_is_disc(plan, c))
            continue;
        for (size_t i = 0; i < plan->n; i++)
            reach = fmax(reach, fabs(plan->system->contact[c].second_tangent[i]) / plan->weight[i]);
        plan->weight[2 * plan->n + plan->spring[c]] = plan->weight[2 * plan->n + plan->spring[c] + 1] = 1.0 / reach;
    }
}

/* What one unit of slip does to the internal variable of a contact: a deflection follows it, an age is renewed by it (from
 * that of a start, at the speed of which this is the steady one), the distance slid is measured by the fall of friction.
 */
static double inner_per_slip(const am_plan *plan, size_t c, size_t i) {
    const am_speed_friction *use = &plan->system->contact[c].speed_friction;
    const am_law_memory *memory = use->law ? &am_law_named(use->law)->memory[i] : NULL;
    double w[AM_LAW_MEMORIES] = {0};
    if (memory && memory->directed) {
        am_law_settled(use, 0.0, 1.0, w);
        return am_law_drag_at(use, 0.0, 1.0, w).rate[i].by_v;
    }
    return memory && memory->start && memory->steady ? memory->start(use, 0.0) / memory->steady(use, 1.0, 1.0) : 0.0;
}

/* Ages and distances slid have next to no part in the norm. */
static void weigh_inner(am_plan *plan) {
    static const double next_to_none = 0x1p-20;
    for (size_t c = 0; c < plan->m; c++) {
        double fall = am_friction_reach(&plan->system->contact[c].weakening), reach = 0.0;
        for (size_t i = 0; plan->memories[c] > 0 && i < plan->n; i++)
            reach += fabs(plan->system->contact[c].tangent[i]) / plan->weight[i];
        for (size_t i = 0; i < plan->memories[c]; i++) {
            double part = am_force_inner_is_directed(plan, c, i) ? 1.0 : next_to_none;
            plan->weight[2 * plan->n + plan->inner[c] + i] =
                fall > 0.0 ? next_to_none / fall : part / (reach * inner_per_slip(plan, c, i));
        }
    }
}

/* Weights that measure everything in the unit sqrt(mass) * displacement: q by sqrt(M_ii), v by sqrt(M_ii)/frequency,
 * inputs by the displacement they would cause. Where some coordinates are far stiffer than others (1e12 with a mass of
 * 1e-6), displacements of the slower ones are measured by their energy, as those of the stiff ones are: else what a
 * stiff contact does would be lost in the rounding of a soft one's displacement, and velocities of the soft one in the
 * rounding of the stiff one's force. */
static am_status weigh(am_plan *plan, am_error *err) {
    size_t n = plan->n;
    double *w = plan->weight, *frequency = plan->weight + n;
    double *work = am_memory_new(2 * n * n + n, sizeof *work, err);
    if (!work)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        double damping = plan->C[i * n + i], stiffness = fabs(plan->K[i * n + i]);
        w[i] = !plan->massless[i] ? sqrt(plan->E[i * n + i])
               : stiffness > 0.0  ? damping / sqrt(stiffness)
                                  : sqrt(damping);
    }
    plan->frequency = bound_frequencies(plan, work, frequency);
    choose_frequencies(plan, frequency);
    for (size_t i = 0; i < n; i++) {
        double relative = frequency[i] / plan->frequency; /* 1 in most structures */
        w[n + i] = w[i] / plan->frequency;
        w[i] *= relative;
    }
    weigh_springs(plan);
    weigh_inner(plan);
    weigh_inputs(plan, work);
    am_memory_free(work);
    return AM_OK;
}

static am_status invert_mass(am_plan *plan, am_error *err) {
    double rcond;
    memcpy(plan->inverse_mass, plan->E, plan->n * plan->n * sizeof *plan->E);
    am_status status = am_dense_invert(plan->inverse_mass, plan->n, &rcond, err);
    if (!status && rcond == 0.0)
        return am_fail(err, AM_ERR_UNSUPPORTED, "the mass matrix cannot be inverted: some direction has no mass");
    return status;
}

/* Of coordinates without mass the damping decides how they move: E has it in place of the mass; without damping springs
 * decide, and E has those (light.c). */
static void take_followers(am_plan *plan) {
    size_t n = plan->n;
    memcpy(plan->E, plan->M, n * n * sizeof *plan->E);
    memcpy(plan->D, plan->C, n * n * sizeof *plan->D);
    for (size_t i = 0; i < n; i++) {
        plan->massless[i] = plan->M[i * n + i] == 0.0 && !plan->light[i];
        plan->followers += plan->massless[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (plan->massless[i] && plan->massless[j]) {
                plan->E[i * n + j] = plan->C[i * n + j];
                plan->D[i * n + j] = 0.0;
            }
            if (plan->light[i] && plan->light[j])
                plan->E[i * n + j] = plan->K[i * n + j] / plan->light_square;
        }
}

static bool touches(const am_plan *plan, const double *row, bool massless) {
    for (size_t i = 0; i < plan->n; i++)
        if (row[i] != 0.0 && plan->massless[i] == massless)
            return true;
    return false;
}

/* What may act on a coordinate without mass: no blow, no rigid contact that it could strike, and no stick that holds it
 * together with one that has mass. */
static am_status check_followers(const am_plan *plan, am_error *err) {
    const am_system *s = plan->system;
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &s->contact[c];
        bool sticks = am_law_sticks(&contact->speed_friction) && !(contact->tangential_stiffness > 0.0);
        if (contact->normal_law == AM_UNILATERAL && touches(plan, contact->normal, true))
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                                 "the rigid contact '%s' can strike a coordinate without mass: give it mass, or the "
                                 "contact a compliant law (spring, kelvin-voigt, hunt-crossley); `march` with method: "
                                 "moreau-jean knows it",
                                 contact->name);
        if (contact->normal_law == AM_KELVIN_VOIGT && contact->contact_damping > 0.0 &&
            touches(plan, contact->normal, true))
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                                 "contact '%s' damps a coordinate without mass: give it mass, or the contact the law "
                                 "spring; `march` knows it",
                                 contact->name);
        if (sticks && touches(plan, contact->tangent, true) && touches(plan, contact->tangent, false))
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                                 "the tangent of contact '%s' joins coordinates with and without mass: use a spring in "
                                 "series (tangential_stiffness), or a law without stick; `march` knows it",
                                 contact->name);
    }
    for (size_t l = 0; l < s->loads; l++)
        if (s->load[l].function.kind == AM_FUNCTION_IMPULSE && touches(plan, s->load[l].direction, true))
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass", "a blow on a coordinate without mass has no limit");
    return AM_OK;
}

/* Motion needs mass, or else damping, in every direction; name one that has none. */
static am_status check_mass(const am_plan *plan, am_error *err) {
    size_t n = plan->n;
    am_arena memory = {0};
    double *a = am_arena_doubles(&memory, plan->E, n * n, err);
    double *values = am_arena_doubles(&memory, NULL, n, err);
    am_status status = am_arena_status(&memory);
    for (size_t i = 0; !status && i < n; i++) /* each in its own units, the damping's symmetric part */
        for (size_t j = 0; j < n && plan->followers + plan->lights > 0; j++) {
            double unit = sqrt(fabs(plan->E[i * n + i] * plan->E[j * n + j]));
            a[i * n + j] = unit > 0.0 ? 0.5 * (plan->E[i * n + j] + plan->E[j * n + i]) / unit : 0.0;
        }
    if (!status)
        status = am_dense_symmetric_eigenvalues(a, n, values, err);
    if (!status && !(values[0] > 1e-13 * values[n - 1]))
        status =
            am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                          "some direction has no mass (smallest eigenvalue of the mass matrix: %g): motion needs mass "
                          "in every direction, or damping of a coordinate without mass",
                          values[0]);
    am_arena_clear(&memory);
    return status ? status : check_followers(plan, err);
}

static am_status reserve(am_plan *plan, am_error *err) {
    size_t n = plan->n, m = plan->m;
    am_arena *memory = &plan->memory;
    AM_ARENA_ARRAYS(memory, size_t, m, err, &plan->spring, &plan->inner, &plan->memories);
    plan->circulatory = plan->system->circulatory ? am_arena_doubles(memory, NULL, n * n, err) : NULL;
    AM_ARENA_DOUBLES(memory, n * n, err, &plan->M, &plan->C, &plan->K, &plan->inverse_mass, &plan->E, &plan->D);
    plan->massless = am_arena_new(memory, n, sizeof *plan->massless, err);
    plan->light = am_arena_new(memory, n, sizeof *plan->light, err);
    plan->light_at = am_arena_new(memory, n, sizeof *plan->light_at, err);
    plan->leans = am_arena_new(memory, m, sizeof *plan->leans, err);
    plan->plain = am_arena_new(memory, m, sizeof *plan->plain, err);
    plan->weight = am_arena_doubles(memory, NULL, plan->nx, err);
    AM_ARENA_ARRAYS(memory, am_interval, n, err, &plan->stiff, &plan->damp);
    plan->normal = am_arena_new(memory, m, sizeof *plan->normal, err);
    plan->tangent = am_arena_new(memory, m, sizeof *plan->tangent, err);
    return am_arena_status(memory);
}

static bool has_spring(const am_system *system, size_t contact) {
    return system->contact[contact].tangential_stiffness > 0.0;
}

static bool is_plain(const am_plan *plan, size_t c) {
    const am_contact_def *contact = &plan->system->contact[c];
    bool rigid = contact->normal_law == AM_UNILATERAL || contact->normal_law == AM_HELD;
    bool alone = plan->spring[c] == AM_NO_ROW && plan->inner[c] == AM_NO_ROW && !contact->second_tangent;
    bool heavy = plan->lights == 0 && !am_plan_is_follower(plan, c);
    return rigid && alone && heavy && !plan->system->stop[c] && !contact->speed_friction.law;
}

static am_status take_structure(am_plan *plan, am_error *err) {
    for (size_t k = 0; k < AM_ORDERS; k++)
        plan->inverse_order[k] = 1.0 / (double)(k + 1);
    for (size_t c = 0, springs = 0; c < plan->m; c++) {
        plan->spring[c] = has_spring(plan->system, c) ? springs++ : AM_NO_ROW;
        springs += plan->system->contact[c].second_tangent != NULL;
    }
    for (size_t c = 0, inners = plan->springs; c < plan->m; c++) {
        plan->memories[c] = am_contact_memories(&plan->system->contact[c]);
        plan->inner[c] = plan->memories[c] > 0 ? inners : AM_NO_ROW;
        inners += plan->memories[c];
    }
    am_matrix_to_dense(plan->system->M, plan->M);
    am_matrix_to_dense(plan->system->C, plan->C);
    am_matrix_to_dense(plan->system->K, plan->K);
    if (plan->circulatory)
        am_matrix_to_dense(plan->system->circulatory, plan->circulatory);
    for (size_t i = 0; plan->circulatory && i < plan->n * plan->n; i++)
        plan->K[i] += plan->circulatory[i];
    plan->damped = am_matrix_largest(plan->system->C) > 0.0;
    AM_TRY(am_light_take(plan, err));
    take_followers(plan);
    find_ranges(plan);
    for (size_t c = 0; c < plan->m; c++)
        plan->plain[c] = is_plain(plan, c);
    return AM_OK;
}

am_status am_plan_init(am_plan *plan, const am_system *system, am_error *err) {
    bool curved = false; /* the slider behind some spring moves with the rates of forces */
    size_t memories = 1; /* of a contact, at most */
    *plan = (am_plan){.system = system, .n = system->n, .m = system->m, .nz = system->nz};
    for (size_t c = 0; c < system->m; c++) {
        bool plane = system->contact[c].second_tangent != NULL;
        plan->springs += (size_t)has_spring(system, c) + plane;
        size_t own = am_contact_memories(&system->contact[c]);
        plan->inners += own;
        memories = own > memories ? own : memories;
        plan->compliant |= am_contact_is_compliant(&system->contact[c]);
        plan->plane |= plane;
        curved |= am_slider_is_curved(&system->contact[c]) ||
                  (has_spring(system, c) && system->contact[c].normal_law == AM_UNILATERAL);
    }
    plan->rows = plan->n + plan->springs + plan->inners;
    plan->nd = plan->n + plan->rows;
    plan->forces = am_forces_count(system);
    plan->arguments = (AM_FORCE_FEW_ARGUMENTS - AM_LAW_MEMORIES + memories) * (curved ? 2 : 1);
    if (plan->plane && plan->arguments < AM_FORCE_PLANE_ARGUMENTS)
        plan->arguments = AM_FORCE_PLANE_ARGUMENTS;
    plan->nx = plan->nd + plan->nz + plan->forces;
    am_status status = reserve(plan, err);
    if (!status) {
        status = take_structure(plan, err);
        if (!status)
            status = am_light_check(plan, err);
        if (!status)
            status = check_mass(plan, err);
    }
    if (!status && plan->forces > 0)
        status = am_forces_plan(plan, err);
    if (!status)
        status = invert_mass(plan, err);
    if (!status)
        status = weigh(plan, err);
    if (status)
        am_plan_clear(plan);
    return status;
}

void am_plan_clear(am_plan *plan) {
    am_forces_clear(plan);
    am_arena_clear(&plan->memory);
    *plan = (am_plan){0};
}

double am_plan_norm(const am_plan *plan, const double *x) {
    const double *w = plan->weight;
    double norm = 0.0, other = 0.0; /* a NaN is found elsewhere; fmax is a call */
    size_t i = 0;
    for (; i + 2 <= plan->nx; i += 2) {
        double a = w[i] * fabs(x[i]), b = w[i + 1] * fabs(x[i + 1]);
        norm = a > norm ? a : norm;
        other = b > other ? b : other;
    }
    for (; i < plan->nx; i++) {
        double size = w[i] * fabs(x[i]);
        norm = size > norm ? size : norm;
    }
    return norm > other ? norm : other;
}
