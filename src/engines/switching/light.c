/* Coordinates with neither mass nor damping. Springs and contacts determine where they are (l: such coordinates, o: all
 * others):
 *
 *     K_ll q_l = F_l - K_lo q_o + B_l lambda,     J_l q_l = c
 *
 * the quasi-static problem of combination.h, with c what contacts hold: the place to which one sticks, the gap of one that
 * is closed. So q_l and the forces lambda of these contacts are rows over x, and contacts here are contact elements behind
 * springs: they strike nothing, and their sliders have no mass. What the springs and contacts do to the other coordinates
 * follows from these rows. The problem with rates in place of everything gives q_l', and the rate of that row q_l'': in x
 * such a coordinate is one like all others, but for its place and velocity being put right at every span, and its velocity
 * jumping with the states of contact. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "engines/switching/flow.h"
#include "engines/switching/rows.h"
#include "math/dense.h"

/* ---- plan ---- */

static bool row_is_empty(const double *matrix, size_t n, size_t i) {
    for (size_t j = 0; j < n; j++)
        if (matrix[i * n + j] != 0.0 || matrix[j * n + i] != 0.0)
            return false;
    return true;
}

/* Of any frequency that the structure has: it only makes E of one unit. */
static double square_of_frequency(const am_plan *plan) {
    size_t n = plan->n;
    double square = 0.0;
    for (size_t i = 0; i < n; i++) {
        double k = fabs(plan->K[i * n + i]), m = plan->M[i * n + i], c = plan->C[i * n + i];
        square = fmax(square, m > 0.0 ? k / m : c > 0.0 ? (k / c) * (k / c) : 0.0);
    }
    return square > 0.0 ? square : 1.0;
}

static bool touches(const am_plan *plan, const double *row) {
    for (size_t l = 0; l < plan->lights; l++)
        if (row[plan->light_at[l]] != 0.0)
            return true;
    return false;
}

static const double *part_of(const am_plan *plan, am_arena *memory, const double *row, am_error *err) {
    double *part = am_arena_doubles(memory, NULL, plan->n, err);
    for (size_t l = 0; part && l < plan->lights; l++)
        part[plan->light_at[l]] = row[plan->light_at[l]];
    return part;
}

/* Does a row join them to coordinates that have mass or damping? */
static bool mixes(const am_plan *plan, const double *row) {
    bool others = false;
    for (size_t i = 0; i < plan->n; i++)
        others |= row[i] != 0.0 && !plan->light[i];
    return others && touches(plan, row);
}

/* A copy of the system in which rows on coordinates without mass are that alone: their forces act on others by rows over
 * x (am_flow_lean), not at once. */
static am_status mask_contacts(am_plan *plan, am_error *err) {
    am_arena *memory = &plan->memory;
    am_system *held = am_arena_new(memory, 1, sizeof *held, err);
    am_contact_def *contact = am_arena_new(memory, plan->m, sizeof *contact, err);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    *held = *plan->system;
    for (size_t c = 0; c < plan->m; c++) {
        contact[c] = plan->system->contact[c];
        bool presses = contact[c].normal_law == AM_UNILATERAL && touches(plan, contact[c].normal);
        bool rubs = touches(plan, contact[c].tangent);
        plan->light_mixes |= (presses && mixes(plan, contact[c].normal)) || mixes(plan, contact[c].tangent) ||
                             (presses && !rubs && !plan->system->stop[c]);
        plan->leans[c] = (presses ? AM_LEANS_NORMAL : 0u) | (rubs ? AM_LEANS_TANGENT : 0u);
        if (presses)
            contact[c].normal = part_of(plan, memory, contact[c].normal, err);
        if (rubs)
            contact[c].tangent = part_of(plan, memory, contact[c].tangent, err);
        else if (presses)
            contact[c].friction = 0.0;
    }
    held->contact = contact;
    plan->held = held;
    return am_arena_status(memory);
}

am_status am_light_take(am_plan *plan, am_error *err) {
    size_t n = plan->n;
    plan->held = plan->system;
    for (size_t i = 0; i < n; i++) {
        plan->light[i] = row_is_empty(plan->M, n, i) && row_is_empty(plan->C, n, i);
        if (plan->light[i])
            plan->light_at[plan->lights++] = i;
    }
    if (plan->lights == 0)
        return AM_OK;
    plan->light_square = square_of_frequency(plan);
    return mask_contacts(plan, err);
}

/* Do springs or contacts join some of them to coordinates whose velocity follows? */
static bool joins_followers(const am_plan *plan) {
    size_t n = plan->n;
    for (size_t i = 0; i < n && plan->followers > 0; i++) {
        if (!plan->massless[i])
            continue;
        for (size_t l = 0; l < plan->lights; l++)
            if (plan->K[plan->light_at[l] * n + i] != 0.0)
                return true;
        for (size_t c = 0; c < plan->m; c++)
            if (plan->leans[c] &&
                (plan->system->contact[c].normal[i] != 0.0 || plan->system->contact[c].tangent[i] != 0.0))
                return true;
    }
    return false;
}

/* Springs alone must hold them, whatever contacts do. */
static am_status check_springs(const am_plan *plan, am_error *err) {
    size_t n = plan->n, k = plan->lights, failing = 0;
    am_arena memory = {0};
    double *a = am_arena_doubles(&memory, NULL, k * k, err);
    am_status status = am_arena_status(&memory);
    for (size_t i = 0; !status && i < k * k; i++) {
        size_t row = plan->light_at[i / k], column = plan->light_at[i % k];
        double unit = sqrt(fabs(plan->K[row * n + row] * plan->K[column * n + column]));
        a[i] = unit > 0.0 ? 0.5 * (plan->K[row * n + column] + plan->K[column * n + row]) / unit : 0.0;
    }
    if (!status)
        status = am_dense_definite(a, k, &failing, err);
    am_arena_clear(&memory);
    if (status || failing == k)
        return status;
    return am_fail_field(
        err, AM_ERR_UNSUPPORTED, "stiffness",
        "nothing determines coordinate %s: it has neither mass nor damping, and springs do not hold it "
        "(add a spring, mass or damping)",
        am_system_name(plan->system, plan->light_at[failing]));
}

/* Normal and tangent of the contacts must not depend on each other there: nothing would say how they share forces. */
static am_status check_rows(const am_plan *plan, am_error *err) {
    size_t n = plan->n, count = 0;
    am_arena memory = {0};
    double *rows = am_arena_doubles(&memory, NULL, 2 * plan->m * n, err);
    am_status status = am_arena_status(&memory);
    for (size_t c = 0; !status && c < plan->m; c++)
        for (unsigned part = AM_LEANS_NORMAL; !status && part <= AM_LEANS_TANGENT; part <<= 1) {
            const am_contact_def *contact = &plan->held->contact[c];
            double *row = rows + count * n;
            if (!(plan->leans[c] & part))
                continue;
            memcpy(row, part == AM_LEANS_NORMAL ? contact->normal : contact->tangent, n * sizeof *row);
            for (size_t i = 0; i < n; i++)
                row[i] /= plan->light[i] ? sqrt(plan->E[i * n + i]) : 1.0;
            double before = sqrt(am_dense_dot(row, row, n));
            for (int twice = 0; twice < 2; twice++)
                for (size_t r = 0; r < count; r++) {
                    double share = am_dense_dot(rows + r * n, row, n);
                    for (size_t i = 0; i < n; i++)
                        row[i] -= share * rows[r * n + i];
                }
            double left = sqrt(am_dense_dot(row, row, n));
            if (!(left > 1e-9 * before))
                status = am_fail_field(err, AM_ERR_UNSUPPORTED, "contacts",
                                       "contact '%s' shares its direction on coordinates with neither mass nor damping "
                                       "with others: how they share their forces is not known (write them as one)",
                                       contact->name);
            for (size_t i = 0; !status && i < n; i++)
                row[i] /= left;
            count++;
        }
    am_arena_clear(&memory);
    return status;
}

static am_status check_contact(const am_plan *plan, size_t c, am_error *err) {
    const am_contact_def *contact = &plan->system->contact[c];
    bool presses = touches(plan, contact->normal), rubs = touches(plan, contact->tangent);
    bool plain = !contact->speed_friction.law && !am_friction_weakens(&contact->weakening) &&
                 !(contact->tangential_stiffness > 0.0) && !contact->second_tangent;
    if ((presses && am_contact_is_compliant(contact)) || ((presses || rubs) && !plain))
        return am_fail_field(
            err, AM_ERR_UNSUPPORTED, "contacts",
            "contact '%s' acts on a coordinate with neither mass nor damping, whose springs are those of "
            "the contact: there motions know rigid contacts (unilateral, held) and friction of constant "
            "coefficients (give the coordinate mass or damping, or write its spring as "
            "tangential_stiffness); `march` may follow others",
            contact->name);
    if (rubs && !presses && contact->normal_law != AM_HELD && contact->friction > 0.0)
        return am_fail_field(
            err, AM_ERR_UNSUPPORTED, "contacts",
            "contact '%s' presses a coordinate with mass and rubs on one with neither mass nor damping: "
            "write the spring between them as tangential_stiffness (`march` may follow it as it is)",
            contact->name);
    return AM_OK;
}

static am_status check_forces(const am_plan *plan, am_error *err) {
    const am_system *s = plan->system;
    const char *what = NULL;
    bool blow = false;
    for (size_t l = 0; l < s->loads; l++)
        blow |= s->load[l].function.kind == AM_FUNCTION_IMPULSE && touches(plan, s->load[l].direction);
    what = blow ? "a blow" : NULL;
    for (size_t p = 0; p < s->polynomials; p++)
        if (touches(plan, s->polynomial[p].direction))
            what = "a polynomial spring or damper";
    for (size_t p = 0; p < s->varyings; p++)
        if (touches(plan, s->varying[p].direction))
            what = "stiffness that varies in time";
    if (plan->light_follows && plan->forces > 0)
        what = "a coordinate that is damped, beside forces that are not linear,";
    if (!what)
        return AM_OK;
    return am_fail_field(
        err, AM_ERR_UNSUPPORTED, "mass",
        "%s acts on a coordinate with neither mass nor damping: motions know linear springs, loads and "
        "rigid contacts there (give it mass or damping%s)",
        what, blow ? "" : "; `march` may follow it as it is");
}

am_status am_light_check(am_plan *plan, am_error *err) {
    if (plan->lights == 0)
        return AM_OK;
    plan->light_follows = joins_followers(plan);
    if (plan->lights == plan->n)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                             "no coordinate has mass or damping: motion needs some (use path for quasi-static "
                             "evolution)");
    AM_TRY(check_springs(plan, err));
    for (size_t c = 0; c < plan->m; c++)
        AM_TRY(check_contact(plan, c, err));
    AM_TRY(check_rows(plan, err));
    return check_forces(plan, err);
}

/* ---- one flow ---- */

/* row += factor times what acts on coordinate i if those without mass are at zero: F_i - K_io q_o. */
static void force_row(const am_plan *plan, const double *force, size_t i, double factor, double *row) {
    size_t n = plan->n;
    for (size_t j = plan->stiff[i].from; j < plan->stiff[i].to; j++)
        row[j] -= plan->light[j] ? 0.0 : factor * plan->K[i * n + j];
    for (size_t j = 0; j < plan->nz; j++)
        row[plan->nd + j] += factor * force[i * plan->nz + j];
}

/* row += factor c of the normal: n_l.q_l = -gap - n_o.q_o; of the tangent: t_l.q_l stays where it is. */
static void hold_normal(const am_plan *plan, size_t c, double factor, double *row) {
    const am_contact_def *contact = &plan->system->contact[c];
    for (size_t i = plan->normal[c].from; i < plan->normal[c].to; i++)
        row[i] -= plan->light[i] ? 0.0 : factor * contact->normal[i];
    am_plan_gap_row(plan, c, -factor, row);
}

static void hold_tangent(const am_plan *plan, size_t c, double factor, double *row) {
    for (size_t i = plan->tangent[c].from; i < plan->tangent[c].to; i++)
        row[i] += factor * plan->held->contact[c].tangent[i];
}

/* The same of c': n_l.q_l' = -gap' - n_o.q_o', t_l.q_l' = surface velocity - t_o.q_o'. */
static void hold_normal_rate(const am_plan *plan, size_t c, double factor, double *row) {
    const am_contact_def *contact = &plan->system->contact[c];
    for (size_t i = plan->normal[c].from; i < plan->normal[c].to; i++)
        row[plan->n + i] -= plan->light[i] ? 0.0 : factor * contact->normal[i];
    am_plan_gap_rate_row(plan, c, -factor, row);
}

static void hold_tangent_rate(const am_plan *plan, size_t c, double factor, double *row) {
    const am_contact_def *contact = &plan->system->contact[c];
    for (size_t i = plan->tangent[c].from; i < plan->tangent[c].to; i++)
        row[plan->n + i] -= plan->light[i] ? 0.0 : factor * contact->tangent[i];
    am_plan_surface_row(plan, c, factor, row);
}

/* Do the rows of a contact, in this state, hold coordinates without mass? */
static bool holds_normal(const am_plan *plan, const am_flow *flow, size_t c) {
    return am_plan_leans(plan, c) && flow->k.normal_row[c] != AM_NO_ROW;
}

static bool holds_tangent(const am_plan *plan, const am_flow *flow, size_t c) {
    return am_plan_creeps(plan, c) && flow->k.stick_row[c] != AM_NO_ROW;
}

/* E is K_ll over light_square, so that E (light_square q_l) = F_l - K_lo q_o + B_l lambda: q_l = Y r/light_square + Yc c,
 * lambda = L r + Lc (light_square c). */
static void fill_place(const am_plan *plan, am_flow *flow, const double *force, size_t l) {
    size_t n = plan->n, i = plan->light_at[l];
    double *place = flow->place + l * plan->nx, *pace = flow->pace + l * plan->nx;
    const double *answer = flow->k.Yc + i * flow->k.p;
    for (size_t j = 0; j < plan->lights; j++)
        force_row(plan, force, plan->light_at[j], flow->k.Y[i * n + plan->light_at[j]] / plan->light_square, place);
    am_flow_rate_row(plan, flow, place, 1.0, pace);
    for (size_t c = 0; c < plan->m; c++) {
        if (holds_normal(plan, flow, c)) {
            hold_normal(plan, c, answer[flow->k.normal_row[c]], place);
            hold_normal_rate(plan, c, answer[flow->k.normal_row[c]], pace);
        }
        if (holds_tangent(plan, flow, c)) {
            hold_tangent(plan, c, answer[flow->k.stick_row[c]], place);
            hold_tangent_rate(plan, c, answer[flow->k.stick_row[c]], pace);
        }
    }
}

static void fill_reaction(const am_plan *plan, const am_flow *flow, const double *force, size_t r, double *row) {
    for (size_t l = 0; l < plan->lights; l++)
        force_row(plan, force, plan->light_at[l], flow->k.L[r * plan->n + plan->light_at[l]], row);
    const double *answer = flow->k.Lc + r * flow->k.p;
    for (size_t c = 0; c < plan->m; c++) {
        if (holds_normal(plan, flow, c))
            hold_normal(plan, c, plan->light_square * answer[flow->k.normal_row[c]], row);
        if (holds_tangent(plan, flow, c))
            hold_tangent(plan, c, plan->light_square * answer[flow->k.stick_row[c]], row);
    }
}

am_status am_flow_fill_light(const am_plan *plan, am_flow *flow, const double *force, am_error *err) {
    AM_ARENA_DOUBLES(&flow->memory, plan->lights * plan->nx, err, &flow->place, &flow->pace);
    flow->light_work = am_arena_doubles(&flow->memory, NULL, 2 * plan->lights, err);
    if (am_arena_status(&flow->memory))
        return AM_ERR_MEMORY;
    for (size_t l = 0; l < plan->lights; l++)
        fill_place(plan, flow, force, l);
    for (size_t c = 0; c < plan->m; c++) {
        if (holds_normal(plan, flow, c))
            fill_reaction(plan, flow, force, flow->k.normal_row[c], flow->normal + c * plan->nx);
        if (holds_tangent(plan, flow, c))
            fill_reaction(plan, flow, force, flow->k.stick_row[c], flow->tangential + c * plan->nx);
    }
    return AM_OK;
}

/* row.response over the coordinates that have mass or damping. */
static double push(const am_plan *plan, const double *row, const double *response) {
    double sum = 0.0;
    for (size_t i = 0; i < plan->n; i++)
        sum += plan->light[i] ? 0.0 : row[i] * response[i];
    return sum;
}

static void add(const am_plan *plan, double factor, const double *row, double *out) {
    for (size_t j = 0; factor != 0.0 && j < plan->nx; j++)
        out[j] += factor * row[j];
}

void am_flow_lean(const am_plan *plan, const am_flow *flow, const double *response, double *out) {
    double *share = flow->light_work;
    for (size_t l = 0; l < plan->lights; l++) {
        share[l] = out[plan->light_at[l]];
        out[plan->light_at[l]] = 0.0;
    }
    for (size_t l = 0; l < plan->lights; l++)
        add(plan, share[l], flow->place + l * plan->nx, out);
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        double mu = am_slip_sign(flow->k.state[c]) * contact->friction;
        if (holds_normal(plan, flow, c))
            add(plan, push(plan, contact->normal, response) + mu * push(plan, contact->tangent, response),
                flow->normal + c * plan->nx, out);
        if (holds_tangent(plan, flow, c))
            add(plan, push(plan, contact->tangent, response), flow->tangential + c * plan->nx, out);
    }
}

void am_flow_accelerate_light(const am_plan *plan, am_flow *flow) {
    for (size_t l = 0; l < plan->lights; l++)
        am_flow_rate_row(plan, flow, flow->pace + l * plan->nx, 1.0, flow->A + plan->light_at[l] * plan->nx);
}

/* Forces that are not linear have no part in these rows, and no value yet where their contact is about to open. */
void am_flow_settle_light(const am_plan *plan, const am_flow *flow, double *x) {
    size_t known = plan->nd + plan->nz;
    double *place = flow->light_work;
    for (size_t l = 0; l < plan->lights; l++)
        place[l] = am_dense_dot(flow->place + l * plan->nx, x, known);
    for (size_t l = 0; l < plan->lights; l++)
        x[plan->light_at[l]] = place[l];
    for (size_t i = 0; i < plan->n && plan->light_follows; i++)
        if (plan->massless[i])
            x[plan->n + i] = am_dense_dot(flow->A + i * plan->nx, x, plan->nx);
    for (size_t l = 0; l < plan->lights; l++)
        x[plan->n + plan->light_at[l]] = am_dense_dot(flow->pace + l * plan->nx, x, known);
}
