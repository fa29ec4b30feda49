#include "engines/switching/flow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "engines/switching/nonlinear.h"
#include "engines/switching/rows.h"
#include "laws/law.h"
#include "math/dense.h"

/* Up to so many rows of A and contacts jets are made. */
static const size_t most_jet_rows = 4, most_jet_contacts = 8;

/* ---- building one flow ---- */

void am_plan_normal_row(const am_plan *plan, size_t c, double factor, double *row) {
    const am_contact_def *contact = &plan->system->contact[c];
    size_t n = plan->n;
    if (contact->normal_law == AM_HELD)
        for (size_t j = 0; j < plan->nz; j++)
            row[plan->nd + j] += factor * plan->system->hold[c * plan->nz + j];
    if (contact->normal_law == AM_HUNT_CROSSLEY)
        row[plan->nd + plan->nz + am_force_of(plan, AM_FORCE_PUSH, c)] += factor;
    if (contact->normal_law != AM_KELVIN_VOIGT)
        return;
    for (size_t i = plan->normal[c].from; i < plan->normal[c].to; i++) {
        row[i] -= factor * contact->contact_stiffness * contact->normal[i];
        row[n + i] -= factor * contact->contact_damping * contact->normal[i];
    }
    am_plan_gap_row(plan, c, -factor * contact->contact_stiffness, row);
    am_plan_gap_rate_row(plan, c, -factor * contact->contact_damping, row);
}

/* out (nx, zero before) = coefficients of response . (F - C v - K q - springs of sticking contacts), with F the loads
 * and the friction of held contacts that slip. */
static void response_row(const am_plan *plan, const am_flow *flow, const double *response, const double *force,
                         double *out) {
    size_t n = plan->n, nz = plan->nz;
    for (size_t i = 0; i < n; i++) { /* row by row: each matrix is read in the order it is stored */
        const double r = response[i], *K = plan->K + i * n, *C = plan->D + i * n, *F = force + i * nz;
        if (r == 0.0)
            continue;
        for (size_t j = plan->stiff[i].from; j < plan->stiff[i].to; j++)
            out[j] -= r * K[j];
        for (size_t j = plan->damp[i].from; j < plan->damp[i].to; j++)
            out[n + j] -= r * C[j];
        for (size_t j = 0; j < nz; j++)
            out[plan->nd + j] += r * F[j];
    }
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        if (plan->spring[c] == AM_NO_ROW || !am_spring_pulls(flow->k.state[c]))
            continue;
        out[2 * n + plan->spring[c]] = -contact->tangential_stiffness * am_dense_dot(response, contact->tangent, n);
        if (am_plan_is_disc(plan, c))
            out[2 * n + plan->spring[c] + 1] =
                -contact->tangential_stiffness * am_dense_dot(response, contact->second_tangent, n);
    }
    for (size_t c = 0; plan->compliant && c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        if (contact->normal_law != AM_KELVIN_VOIGT || !am_is_closed(flow->k.state[c]))
            continue; /* curved laws are among the forces below */
        double mu = am_slip_sign(flow->k.state[c]) * contact->friction;
        am_plan_normal_row(
            plan, c, am_dense_dot(response, contact->normal, n) + mu * am_dense_dot(response, contact->tangent, n),
            out);
    }
    for (size_t j = 0; j < plan->forces; j++)
        if (am_force_acts(plan, j, flow->k.state))
            out[plan->nd + nz + j] = am_force_response(plan, j, flow->k.state, response);
}

/* force (n x nz) = input + tangent * (-/+ mu N) of every held contact that slips. */
static void applied_force(const am_plan *plan, const am_contact_state *state, double *force) {
    const am_system *s = plan->system;
    memcpy(force, s->input, plan->n * plan->nz * sizeof *force);
    for (size_t c = 0; c < plan->m; c++) {
        double mu = am_slip_sign(state[c]) * s->contact[c].friction;
        if (s->contact[c].normal_law != AM_HELD || mu == 0.0)
            continue;
        for (size_t i = plan->tangent[c].from; i < plan->tangent[c].to; i++)
            for (size_t j = 0; j < plan->nz; j++)
                force[i * plan->nz + j] += mu * s->contact[c].tangent[i] * s->hold[c * plan->nz + j];
    }
}

/* The multiplier of constraint r. */
static void reaction_row(const am_plan *plan, const am_flow *flow, size_t r, const double *force, double *out) {
    response_row(plan, flow, flow->k.L + r * plan->n, force, out);
    am_flow_add_demands(plan, flow, flow->k.Lc + r * flow->k.p, out);
}

static void fill_forces(const am_plan *plan, am_flow *flow, const double *force) {
    const am_system *s = plan->system;
    size_t n = plan->n, nx = plan->nx;
    for (size_t c = 0; c < plan->m; c++) {
        double *N = flow->normal + c * nx, *T = flow->tangential + c * nx;
        double mu = am_slip_sign(flow->k.state[c]) * s->contact[c].friction;
        if (flow->k.normal_row[c] != AM_NO_ROW)
            reaction_row(plan, flow, flow->k.normal_row[c], force, N);
        else if (am_is_closed(flow->k.state[c]))
            am_plan_normal_row(plan, c, 1.0, N);
        if (flow->k.stick_row[c] != AM_NO_ROW)
            reaction_row(plan, flow, flow->k.stick_row[c], force, T);
        else if (plan->spring[c] != AM_NO_ROW && am_spring_pulls(flow->k.state[c]))
            T[2 * n + plan->spring[c]] = -s->contact[c].tangential_stiffness;
        else
            for (size_t j = 0; j < nx; j++)
                T[j] = mu * N[j];
    }
    for (size_t j = 0; j < plan->forces; j++)
        if (plan->force[j].kind == AM_FORCE_FRICTION || plan->force[j].kind == AM_FORCE_DRAG ||
            plan->force[j].kind == AM_FORCE_WEAKENING)
            flow->tangential[plan->force[j].owner * nx + plan->nd + plan->nz + j] +=
                am_slip_sign(flow->k.state[plan->force[j].owner]);
}

static am_extent extent_of(const am_plan *plan, const double *row) {
    size_t nd = plan->nd, nx = plan->nx;
    am_extent e = {.from = 0, .to = nd, .input_from = nd, .input_to = nx};
    while (e.to > e.from && row[e.to - 1] == 0.0)
        e.to--;
    while (e.from < e.to && row[e.from] == 0.0)
        e.from++;
    while (e.input_to > e.input_from && row[e.input_to - 1] == 0.0)
        e.input_to--;
    while (e.input_from < e.input_to && row[e.input_from] == 0.0)
        e.input_from++;
    e.moves = e.to > e.from || e.input_to > nd + 1;
    return e;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Where the sum of two rows may have entries. */
static am_extent extent_of_both(const am_extent *a, const am_extent *b) {
    am_extent e = *a;
    if (a->from == a->to)
        e.from = b->from, e.to = b->to;
    else if (b->from < b->to)
        e.from = least(a->from, b->from), e.to = most(a->to, b->to);
    if (a->input_from == a->input_to)
        e.input_from = b->input_from, e.input_to = b->input_to;
    else if (b->input_from < b->input_to)
        e.input_from = least(a->input_from, b->input_from), e.input_to = most(a->input_to, b->input_to);
    e.moves = a->moves || b->moves;
    return e;
}

/* out (zero before) = a N + b T where they have entries. */
static void combine_extents(const am_extent *extent, double a, const double *N, double b, const double *T,
                            double *out) {
    for (size_t j = extent->from; j < extent->to; j++)
        out[j] = a * N[j] + b * T[j];
    for (size_t j = extent->input_from; j < extent->input_to; j++)
        out[j] = a * N[j] + b * T[j];
}

/* Its row; without an extent the caller finds that out. */
static double *add_quantity(am_flow *flow, size_t contact, am_quantity_kind kind, const am_extent *extent, size_t nx) {
    flow->quantity[flow->quantities] = (am_quantity){.contact = contact, .kind = kind};
    if (extent)
        flow->row_extent[flow->quantities] = *extent;
    return flow->row + nx * flow->quantities++;
}

/* On a coordinate without mass the speed v is what its own friction leaves of the speed r that it had without, v + C F(v)
 * = r. Where F has the sign of v, v has that of r, and r may be 1e30 times larger: it tells when slip turns, and the
 * difference of two velocities does not. False where this is no such contact, or its friction does not vanish at rest. */
static bool drive_row(const am_plan *plan, const am_flow *flow, size_t c, double *row) {
    const am_speed_friction *use = &plan->system->contact[c].speed_friction;
    size_t i = plan->tangent[c].from, nx = plan->nx;
    double factor;
    if (plan->followers == 0 || !plan->massless[i] || am_law_sticks(use))
        return false;
    size_t a = am_flow_carrier(plan, flow, i, &factor);
    if (a == AM_NO_ROW || plan->force[flow->acting[a]].owner != c || am_law_drag_at(use, 0.0, 1.0, 1.0).force != 0.0)
        return false;
    memcpy(row, am_force_argument(plan, flow, a, 1), nx * sizeof *row);
    row[plan->nd + plan->nz + flow->acting[a]] = 0.0;
    return true;
}

/* The gap of a contact, or its depth. */
static void add_gap(const am_plan *plan, am_flow *flow, size_t c, am_quantity_kind kind) {
    const am_contact_def *contact = &plan->system->contact[c];
    double sign = kind == AM_QUANTITY_GAP ? 1.0 : -1.0, *row = add_quantity(flow, c, kind, NULL, plan->nx);
    for (size_t i = 0; i < plan->n; i++)
        row[i] = sign * contact->normal[i];
    am_plan_gap_row(plan, c, sign, row);
    flow->row_extent[flow->quantities - 1] = extent_of(plan, row);
}

/* What presses a compliant contact that overlaps: its force, or of the law hunt-crossley the factor 1 + 3/2 alpha d'.
 * Of a lax one what it lacks. */
static void add_press(const am_plan *plan, am_flow *flow, size_t c, am_quantity_kind kind) {
    const am_contact_def *contact = &plan->system->contact[c];
    double sign = kind == AM_QUANTITY_NORMAL ? 1.0 : -1.0, *row = add_quantity(flow, c, kind, NULL, plan->nx);
    if (contact->normal_law == AM_KELVIN_VOIGT)
        am_plan_normal_row(plan, c, sign, row);
    for (size_t i = 0; contact->normal_law == AM_HUNT_CROSSLEY && i < plan->n; i++)
        row[plan->n + i] = -sign * 1.5 * contact->contact_dissipation * contact->normal[i];
    if (contact->normal_law == AM_HUNT_CROSSLEY) {
        row[plan->nd] = sign;
        am_plan_gap_rate_row(plan, c, -sign * 1.5 * contact->contact_dissipation, row);
    }
    flow->row_extent[flow->quantities - 1] = extent_of(plan, row);
}

/* mu N -/+ T of a contact that sticks. Where friction weakens with slip, or depends on the speed across a spring, mu N is
 * friction N and a force that is not linear. */
static void add_limit(const am_plan *plan, am_flow *flow, size_t c, am_quantity_kind kind, const am_extent *extent) {
    const am_contact_def *contact = &plan->system->contact[c];
    size_t nx = plan->nx, curved = am_force_of(plan, AM_FORCE_WEAKENING, c);
    double mu = curved == AM_NO_ROW ? contact->static_friction : contact->friction;
    if (plan->spring[c] != AM_NO_ROW && curved == AM_NO_ROW)
        curved = am_force_of(plan, AM_FORCE_FRICTION, c);
    double *row = add_quantity(flow, c, kind, extent, nx);
    combine_extents(extent, mu, flow->normal + c * nx, kind == AM_QUANTITY_UPPER ? -1.0 : 1.0,
                    flow->tangential + c * nx, row);
    if (curved == AM_NO_ROW)
        return;
    row[plan->nd + plan->nz + curved] += 1.0;
    flow->row_extent[flow->quantities - 1] = extent_of(plan, row);
}

/* Of a contact that slips in a plane the limit and the power of friction are forces that are not linear. */
static void add_disc(const am_plan *plan, am_flow *flow, size_t c) {
    bool sticks = flow->k.state[c] == AM_STICK;
    size_t j = am_force_of(plan, sticks ? AM_FORCE_DISC_LIMIT : AM_FORCE_DISC_POWER, c);
    double *row = add_quantity(flow, c, sticks ? AM_QUANTITY_DISC : AM_QUANTITY_SLIDE, NULL, plan->nx);
    row[plan->nd + plan->nz + j] = 1.0;
    flow->row_extent[flow->quantities - 1] = extent_of(plan, row);
}

static void fill_quantities(const am_plan *plan, am_flow *flow) {
    size_t nx = plan->nx;
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        const double *N = flow->normal + c * nx, *T = flow->tangential + c * nx;
        am_contact_state state = flow->k.state[c];
        bool curved = contact->normal_law == AM_HUNT_CROSSLEY;
        if (state == AM_OPEN)
            add_gap(plan, flow, c, AM_QUANTITY_GAP);
        if (state == AM_LAX || (curved && state != AM_OPEN))
            add_gap(plan, flow, c, AM_QUANTITY_OVERLAP);
        if (state == AM_LAX || (curved && state != AM_OPEN && contact->contact_dissipation > 0.0))
            add_press(plan, flow, c, state == AM_LAX ? AM_QUANTITY_LAX : AM_QUANTITY_NORMAL);
        if (!am_is_closed(state))
            continue;
        am_extent of_N = extent_of(plan, N);
        if (!curved && !am_split_shares(flow->split, &flow->k, c, AM_LIMIT_NORMAL))
            combine_extents(&of_N, 1.0, N, 0.0, N, add_quantity(flow, c, AM_QUANTITY_NORMAL, &of_N, nx));
        if (plan->system->stop[c])
            continue;
        if (am_plan_is_disc(plan, c) && am_spring_pulls(state)) {
            add_disc(plan, flow, c);
            continue;
        }
        if (flow->k.state[c] == AM_STICK) {
            am_extent of_T = extent_of(plan, T), both = extent_of_both(&of_N, &of_T);
            if (!am_split_shares(flow->split, &flow->k, c, AM_LIMIT_UPPER))
                add_limit(plan, flow, c, AM_QUANTITY_UPPER, &both);
            if (!am_split_shares(flow->split, &flow->k, c, AM_LIMIT_LOWER))
                add_limit(plan, flow, c, AM_QUANTITY_LOWER, &both);
        } else {
            double *row = add_quantity(flow, c, AM_QUANTITY_SLIDE, NULL, nx);
            if (!drive_row(plan, flow, c, row))
                am_flow_slide_row(plan, flow, c, row);
            flow->row_extent[flow->quantities - 1] = extent_of(plan, row);
        }
    }
}

static void add_facets(const am_plan *plan, am_flow *flow) {
    for (size_t f = 0; flow->split && f < flow->split->facets; f++) {
        const am_facet *facet = &flow->split->facet[f];
        size_t q = flow->quantities;
        double *row =
            add_quantity(flow, facet->member[0].contact, am_quantity_kind_of(facet->member[0].kind), NULL, plan->nx);
        am_flow_facet_row(plan, flow, facet, row);
        flow->quantity[q].members = facet->members;
        flow->quantity[q].member = facet->member;
        flow->row_extent[q] = extent_of(plan, row);
    }
}

static bool has_entries(const am_extent *e) {
    return !am_extent_is_empty(e);
}

/* Of coordinates that keep their velocity all orders from 2 on vanish. */
static am_extent later_extent(const am_plan *plan, const am_extent *extent, const am_interval *moving) {
    am_extent later = *extent;
    later.from = most(extent->from, moving->from);
    later.to = extent->to <= plan->n ? least(extent->to, moving->to) : extent->to;
    if (later.to < later.from)
        later.to = later.from;
    return later;
}

static void find_extents(const am_plan *plan, am_flow *flow) {
    size_t n = plan->n, nx = plan->nx;
    for (size_t i = 0; i < plan->rows; i++)
        flow->extent[i] = extent_of(plan, flow->A + i * nx);
    am_interval moving = {0, n};
    while (moving.to > 0 && !has_entries(&flow->extent[moving.to - 1]))
        moving.to--;
    while (moving.from < moving.to && !has_entries(&flow->extent[moving.from]))
        moving.from++;
    flow->moving = moving;
    for (size_t i = 0; i < plan->rows; i++)
        flow->later[i] = later_extent(plan, &flow->extent[i], &moving);
}

/* A contact that holds one coordinate holds it exactly: its row of A vanishes. Otherwise J q'' is not zero but a
 * rounding, always the same one, and what should rest moves away with the square of time. */
static bool holds_by_rounding(const am_flow *flow) {
    const am_combination *k = &flow->k;
    for (size_t r = 0; r < k->p; r++) {
        size_t entries = 0;
        for (size_t i = 0; i < k->n; i++) {
            if (k->J[r * k->n + i] == 0.0)
                continue;
            if (++entries > 1 || has_entries(&flow->extent[i]))
                return true;
        }
    }
    return false;
}

/* Does the upper limit of a contact stand between its normal force and its lower limit? */
static bool limits_follow(const am_flow *flow, size_t q) {
    const am_quantity *upper = &flow->quantity[q];
    return upper->kind == AM_QUANTITY_UPPER && upper->members == 0 && q > 0 && q + 1 < flow->quantities &&
           upper[-1].contact == upper->contact && upper[-1].kind == AM_QUANTITY_NORMAL &&
           upper[1].contact == upper->contact && upper[1].kind == AM_QUANTITY_LOWER;
}

/* Quantities that are constant for good need never be looked at. */
static void list_screens(am_flow *flow) {
    const am_extent *extent = flow->row_extent;
    for (size_t q = 0; q < flow->quantities; q++) {
        if (!extent[q].moves)
            continue;
        /* the limits of a contact follow its normal force, of which they are the sum and the difference with T */
        bool twin = limits_follow(flow, q) && extent[q + 1].moves && extent[q - 1].to == extent[q - 1].from &&
                    extent[q].to > extent[q].from;
        flow->screen[flow->screens++] = (am_screen){q, twin};
        q += twin;
    }
}

/* Sum of |row|/weight over [from, to), entries without weight left out. */
static double dual_part(const double *row, const double *weight, size_t from, size_t to) {
    double sum = 0.0;
    for (size_t j = from; j < to; j++)
        if (row[j] != 0.0 && weight[j] > 0.0)
            sum += fabs(row[j]) / weight[j];
    return sum;
}

/* The fastest oscillation among the inputs: a pair of entries that turn into each other. */
static double fastest_input(const am_system *s) {
    double fastest = 0.0;
    for (size_t e = 0; e < s->entries; e++)
        for (size_t f = 0; f < s->entries; f++)
            if (s->G[f].row == s->G[e].column && s->G[f].column == s->G[e].row)
                fastest = fmax(fastest, fabs(s->G[e].value));
    return fastest;
}

/* Is entry j the constant input, or of a coordinate that keeps its velocity? Such have no orders above the first, and
 * no part in a remainder. */
bool am_flow_is_still(const am_plan *plan, const am_flow *flow, size_t j) {
    return j == plan->nd || (j < 2 * plan->n && am_extent_is_empty(&flow->extent[j % plan->n]));
}

/* Sum of |row|/weight over all that moves in [from, to). */
static double moving_part(const am_plan *plan, const am_flow *flow, const double *w, const double *row, size_t from,
                          size_t to) {
    double sum = 0.0;
    for (size_t j = from; j < to; j++)
        if (row[j] != 0.0 && w[j] > 0.0 && !am_flow_is_still(plan, flow, j))
            sum += fabs(row[j]) / w[j];
    return sum;
}

/* The plan's weights suit a structure whose fastest coordinates move. Where contacts hold them (nodes of a fine mesh)
 * the rows of the others may have a norm far below that of q' = v, `frequency`, which alone would end the spans. With
 * velocities that weigh `lift` times as much q' = v has the norm frequency/lift, and the rows S lift + D, with S from
 * displacements and D from velocities: both are the same at the lift returned. */
static double find_lift(const am_plan *plan, const am_flow *flow, double *frequency) {
    static const double most = 1e6;
    const double *w = plan->weight;
    size_t n = plan->n;
    double S = 0.0, D = 0.0;
    *frequency = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *row = flow->A + i * plan->nx;
        if (am_extent_is_empty(&flow->extent[i]))
            continue;
        *frequency = fmax(*frequency, am_plan_frequency_of(plan, i));
        S = fmax(S,
                 w[n + i] * (moving_part(plan, flow, w, row, 0, n) + moving_part(plan, flow, w, row, 2 * n, plan->nd)));
        D = fmax(D, w[n + i] * moving_part(plan, flow, w, row, n, 2 * n));
    }
    double root = D + sqrt(D * D + 4.0 * S * *frequency);
    return root > 0.0 ? fmin(most, 2.0 * *frequency / root) : 1.0;
}

/* Weights of its own for such a flow; none is smaller than the plan's, so that a remainder bounded in them is bounded
 * in those. Where little is gained it stays with the plan's. */
static am_status weigh_slow_flow(const am_plan *plan, am_flow *flow, am_error *err) {
    static const double worth = 5.0;
    double frequency, lift = find_lift(plan, flow, &frequency);
    if (!(lift > worth))
        return AM_OK;
    flow->weight = am_arena_doubles(&flow->memory, plan->weight, plan->nx, err);
    if (!flow->weight)
        return AM_ERR_MEMORY;
    double *w = flow->weight, *wz = w + plan->nd;
    frequency /= lift;
    for (size_t i = plan->n; i < 2 * plan->n; i++)
        w[i] *= lift;
    for (size_t j = 0; j < plan->nz; j++) /* the displacement that an input would cause */
        wz[j] *= lift * lift;
    for (size_t e = 0; e < plan->system->entries; e++) { /* as in the plan: slopes must not add to the norm */
        const am_generator_entry *g = &plan->system->G[e];
        wz[g->column] = fmax(wz[g->column], wz[g->row] * fabs(g->value) / fmax(frequency, fabs(g->value)));
    }
    return AM_OK;
}

/* The norm of A, of all that moves. */
static double rate_of(const am_plan *plan, const am_flow *flow) {
    size_t n = plan->n, nd = plan->nd;
    const double *w = flow->weight ? flow->weight : plan->weight;
    double rate = 0.0;
    /* Nothing but the inputs: 2^24/24! is below rounding, so that oscillations may turn by 2 radians (the length that
     * follows from the rate is 12.5/rate); and the others are polynomials. */
    if (flow->moving.from == flow->moving.to && plan->rows == n)
        return 6.25 * fastest_input(plan->system);
    for (size_t i = 0; i < plan->rows; i++) {
        if (am_extent_is_empty(&flow->extent[i]))
            continue;
        if (i < n)
            rate = fmax(rate, w[i] / w[n + i]);
        rate = fmax(rate, w[n + i] * moving_part(plan, flow, w, flow->A + i * plan->nx, 0, plan->nx));
    }
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        double ratio = w[nd + g->column] > 0.0 ? w[nd + g->row] / w[nd + g->column] : 0.0;
        rate = fmax(rate, fabs(g->value) * ratio);
    }
    return rate;
}

bool am_quantity_is_sharp(const am_plan *plan, const am_quantity *quantity) {
    return quantity->kind == AM_QUANTITY_SLIDE &&
           !am_law_sticks(&plan->system->contact[quantity->contact].speed_friction);
}

/* Norms in the plan's weights. The constant input z[0] carries no remainder, so gaps and belts are left out of `dual`.
 */
static void measure(const am_plan *plan, am_flow *flow) {
    size_t nd = plan->nd, nx = plan->nx;
    const double *w = plan->weight;
    flow->rate = rate_of(plan, flow);
    for (size_t q = 0; q < flow->quantities; q++) {
        const am_extent *extent = &flow->row_extent[q];
        size_t inputs = extent->input_from > nd ? extent->input_from : nd + 1;
        flow->dual[q] = dual_part(flow->row + q * nx, w, extent->from, extent->to) +
                        dual_part(flow->row + q * nx, w, inputs, extent->input_to);
        if (am_quantity_is_sharp(plan, &flow->quantity[q]))
            flow->dual[q] = 0.0;
    }
}

/* ---- jets ---- */

static bool wants_jets(const am_plan *plan) {
    return plan->rows <= most_jet_rows && plan->m <= most_jet_contacts;
}

/* next = row A/(k + 1), with A of all of x: q' = v, the rows of the flow, z' = G z. */
static void next_of_jet(const am_plan *plan, const am_flow *flow, const double *row, size_t k, double *next) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx;
    memset(next, 0, nx * sizeof *next);
    for (size_t i = 0; i < n; i++)
        next[n + i] += row[i];
    for (size_t i = 0; i < plan->rows; i++)
        for (size_t j = 0; row[n + i] != 0.0 && j < nx; j++)
            next[j] += row[n + i] * flow->A[i * nx + j];
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        next[nd + g->column] += row[nd + g->row] * g->value;
    }
    for (size_t j = 0; j < nx; j++)
        next[j] *= plan->inverse_order[k];
}

/* Does column j of the orders have an entry at a place of the given parity? */
static bool has_parity(const double *orders, size_t nx, size_t j, size_t parity) {
    for (size_t k = parity; k < AM_COEFFICIENTS; k += 2)
        if (orders[k * nx + j] != 0.0)
            return true;
    return false;
}

/* The column that shares its place with column j: without damping the even orders depend on some entries of x and the
 * odd ones on others. Itself if there is none. */
static size_t partner_of(const double *orders, size_t nx, size_t j, const bool *taken) {
    for (size_t l = 0; l < nx && !has_parity(orders, nx, j, 1); l++)
        if (!taken[l] && has_parity(orders, nx, l, 1) && !has_parity(orders, nx, l, 0))
            return l;
    return j;
}

/* Work space for jets. */
typedef struct jet_work {
    double *orders; /* AM_ORDERS x nx */
    bool *taken;    /* nx */
} jet_work;

/* The jet of `row` from order `first` on. Returns how many columns it took. */
static size_t make_jet(const am_plan *plan, const am_flow *flow, const double *row, size_t first, const jet_work *work,
                       double *coefficient, size_t *column, am_jet *jet) {
    size_t nx = plan->nx, count = 0;
    const double *orders = work->orders + first * nx;
    memcpy(work->orders, row, nx * sizeof *row);
    memset(work->taken, 0, nx * sizeof *work->taken);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++)
        next_of_jet(plan, flow, work->orders + k * nx, k, work->orders + (k + 1) * nx);
    for (int parity = 0; parity < 2; parity++) /* what has even places first: it may find a partner */
        for (size_t j = 0; j < nx; j++) {
            if (work->taken[j] || !has_parity(orders, nx, j, (size_t)parity))
                continue;
            size_t partner = partner_of(orders, nx, j, work->taken);
            work->taken[j] = work->taken[partner] = true;
            column[2 * count] = j;
            column[2 * count + 1] = partner;
            for (size_t k = 0; k < AM_COEFFICIENTS; k++)
                coefficient[count * AM_COEFFICIENTS + k] = orders[k * nx + column[2 * count + k % 2]];
            count++;
        }
    *jet = (am_jet){.count = count, .column = column, .coefficient = coefficient};
    return count;
}

/* The weighted norm of all of x of the last order, as a map of x. */
static double last_order_norm(const am_plan *plan, const am_flow *flow) {
    const double *w = plan->weight;
    double norm = 0.0;
    for (size_t i = 0; i < plan->rows; i++) {
        const am_jet *jet = &flow->rate_jet[i];
        double rate = 0.0, before = 0.0;
        for (size_t j = 0; j < jet->count; j++) {
            const double *c = jet->coefficient + (j + 1) * AM_COEFFICIENTS - 2;
            size_t even = jet->column[2 * j], odd = jet->column[2 * j + 1];
            before += w[even] > 0.0 ? fabs(c[0]) / w[even] : 0.0;
            rate += w[odd] > 0.0 ? fabs(c[1]) / w[odd] : 0.0;
        }
        norm = fmax(norm, w[plan->n + i] * rate);
        if (i < plan->n)
            norm = fmax(norm, w[i] * before * plan->inverse_order[AM_DEGREE]);
    }
    return norm;
}

/* Each coefficient from a jet has a rounding error of its own, relative to what x could cause. Where x causes far less
 * (near equilibrium, or in slow motions of a stiff structure) a span may be long, and the errors would grow with its
 * powers. So jets serve up to the length at which the last order reaches rounding for whatever x, and a little more:
 * the powers of errors then sum up to a few roundings. Beyond it the orders are computed one from the other, which
 * keeps their errors together. */
static const double jet_reach = 1.15;

static void limit_jets(const am_plan *plan, am_flow *flow) {
    double norm = last_order_norm(plan, flow);
    flow->jet_length = norm > 0.0 ? jet_reach * pow(DBL_EPSILON / norm, 1.0 / AM_COEFFICIENTS) : INFINITY;
    flow->jet_power = norm > 0.0 ? pow(jet_reach, AM_COEFFICIENTS) * DBL_EPSILON / norm : INFINITY;
}

static am_status reserve_jets(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t rates = plan->rows, jets = rates + flow->quantities;
    am_arena *memory = &flow->jet_memory;
    flow->rate_jet = am_arena_new(memory, rates, sizeof *flow->rate_jet, err);
    flow->quantity_jet = am_arena_new(memory, flow->quantities, sizeof *flow->quantity_jet, err);
    flow->jet_coefficients = am_arena_doubles(memory, NULL, jets * plan->nx * AM_COEFFICIENTS, err);
    flow->jet_columns = am_arena_new(memory, 2 * jets * plan->nx, sizeof(size_t), err);
    return am_arena_status(memory);
}

static am_status fill_jets(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t n = plan->n, rates = plan->rows, nx = plan->nx, used = 0;
    am_arena memory = {0};
    jet_work work = {.orders = am_arena_doubles(&memory, NULL, AM_ORDERS * nx, err),
                     .taken = am_arena_new(&memory, nx, sizeof(bool), err)};
    double *unit = am_arena_doubles(&memory, NULL, nx, err);
    am_status status = am_arena_status(&memory);
    if (!status)
        status = reserve_jets(plan, flow, err);
    for (size_t i = 0; !status && i < rates + flow->quantities; i++) {
        am_jet *jet = i < rates ? &flow->rate_jet[i] : &flow->quantity_jet[i - rates];
        const double *row = i < rates ? unit : flow->row + (i - rates) * nx;
        memset(unit, 0, nx * sizeof *unit);
        if (i < rates)
            unit[n + i] = 1.0;
        used += make_jet(plan, flow, row, i < rates ? 1 : 0, &work, flow->jet_coefficients + used * AM_COEFFICIENTS,
                         flow->jet_columns + 2 * used, jet);
    }
    am_arena_clear(&memory);
    if (!status) {
        limit_jets(plan, flow);
        return AM_OK;
    }
    am_arena_clear(&flow->jet_memory);
    flow->rate_jet = NULL;
    return status;
}

am_status am_flow_ready(const am_plan *plan, am_flow *flow, am_error *err) {
    return flow->rate_jet || flow->stepwise || !wants_jets(plan) ? AM_OK : fill_jets(plan, flow, err);
}

/* ---- one flow ---- */

void am_flow_free(am_flow *flow) {
    if (!flow)
        return;
    am_combination_clear(&flow->k);
    am_split_free(flow->split);
    am_split_free(flow->impulses);
    am_arena_clear(&flow->memory);
    am_arena_clear(&flow->jet_memory);
    am_arena_clear(&flow->finality_memory);
    am_arena_clear(&flow->slow_memory);
    am_arena_clear(&flow->stride_memory);
    am_memory_free(flow);
}

static am_status reserve_rows(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t m = plan->m, nx = plan->nx;
    size_t most = 4 * m + (flow->split ? flow->split->facets : 0);
    am_arena *memory = &flow->memory;
    flow->A = am_arena_doubles(memory, NULL, (plan->rows) * nx, err);
    AM_ARENA_ARRAYS(memory, am_extent, plan->rows, err, &flow->extent, &flow->later);
    AM_ARENA_DOUBLES(memory, m * nx, err, &flow->normal, &flow->tangential);
    flow->quantity = am_arena_new(memory, most, sizeof *flow->quantity, err);
    flow->row = am_arena_doubles(memory, NULL, most * nx, err);
    flow->row_extent = am_arena_new(memory, most, sizeof *flow->row_extent, err);
    flow->dual = am_arena_doubles(memory, NULL, most, err);
    flow->screen = am_arena_new(memory, most, sizeof *flow->screen, err);
    return am_arena_status(memory);
}

static am_status fill_flow(const am_plan *plan, am_flow *flow, am_error *err) {
    double *force = am_memory_new(plan->n * plan->nz, sizeof *force, err);
    am_status status = force ? reserve_rows(plan, flow, err) : AM_ERR_MEMORY;
    if (!status) {
        applied_force(plan, flow->k.state, force);
        for (size_t i = 0; i < plan->n; i++) {
            response_row(plan, flow, flow->k.Y + i * plan->n, force, flow->A + i * plan->nx);
            am_flow_add_demands(plan, flow, flow->k.Yc + i * flow->k.p, flow->A + i * plan->nx);
        }
        fill_forces(plan, flow, force);
        am_flow_fill_inner(plan, flow);
        flow->stepwise = plan->followers > 0;
        status = plan->forces > 0 ? am_forces_fill(plan, flow, err) : AM_OK;
        fill_quantities(plan, flow);
        add_facets(plan, flow);
        am_flow_mark_held(plan, flow);
        find_extents(plan, flow);
        flow->drifts = holds_by_rounding(flow);
        list_screens(flow);
        if (!status)
            status = weigh_slow_flow(plan, flow, err);
    }
    if (!status)
        measure(plan, flow);
    am_memory_free(force);
    return status;
}

am_status am_flow_build(const am_plan *plan, const am_contact_state *state, am_flow **made, am_error *err) {
    am_flow *flow = am_memory_new(1, sizeof *flow, err);
    if (!flow)
        return AM_ERR_MEMORY;
    am_status status = am_combination_init(&flow->k, plan->system, plan->E, state, err);
    if (!status)
        status = am_combination_share(&flow->k, plan->E, err);
    if (!status && flow->k.redundant > 0)
        status = am_flow_make_splits(plan, flow, err);
    flow->possible = !status && flow->k.condition > 0.0 && !(flow->split && flow->split->clamps) &&
                     am_flow_surfaces_agree(plan, &flow->k);
    if (flow->possible)
        status = fill_flow(plan, flow, err);
    if (status) {
        am_flow_free(flow);
        return status;
    }
    *made = flow;
    return AM_OK;
}

double am_flow_bytes(const am_plan *plan) {
    double rates = (double)plan->rows, contacts = (double)plan->m, nx = (double)plan->nx;
    double border = (double)(plan->n + 2 * plan->m);
    double jets = wants_jets(plan) ? AM_COEFFICIENTS * (rates + 3.0 * contacts) : 0.0;
    return 8.0 * ((rates + 5.0 * contacts + jets) * nx + 2.0 * border * border);
}

/* ---- expanding ---- */

/* next = factor G z; false if z has no derivative. */
static bool next_inputs(const am_plan *plan, const double *z, double factor, double *next) {
    bool any = false;
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        next[g->row] += factor * g->value * z[g->column];
        any |= z[g->column] != 0.0;
    }
    return any;
}

size_t am_flow_next_order(const am_plan *plan, const am_flow *flow, const double *restrict x, size_t columns, size_t k,
                          double *restrict next) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx;
    const double *row = flow->A;
    const am_extent *extent = flow->extent;
    double factor = plan->inverse_order[k];
    bool inputs = columns > nd;
    for (size_t i = 0; i < n; i++)
        next[i] = factor * x[n + i];
    for (size_t i = n; i < nd; i++, row += nx, extent++)
        next[i] = factor * (inputs ? am_extent_dot(extent, row, x) : am_extent_dynamic(extent, row, x));
    for (size_t j = nd; j < nx; j++)
        next[j] = 0.0;
    return inputs && next_inputs(plan, x + nd, factor, next + nd) ? nx : nd;
}

/* The inputs of all orders, up to where they and what was written before end: constants and ramps have two. Entries
 * without a derivative are never written: they stay zero from the beginning. */
static void expand_inputs(const am_plan *plan, double *series, am_written *written) {
    const am_generator_entry *G = plan->system->G, *end = G + plan->system->entries;
    size_t nx = plan->nx, orders = 1;
    double *z = series + plan->nd;
    for (size_t k = 0; G < end && k < AM_COEFFICIENTS; k++, z += nx) {
        double *next = z + nx, factor = plan->inverse_order[k];
        bool any = false;
        for (const am_generator_entry *g = G; g < end;) { /* they are sorted by rows */
            size_t row = g->row;
            double sum = 0.0;
            for (; g < end && g->row == row; g++) {
                sum += factor * g->value * z[g->column];
                any |= z[g->column] != 0.0;
            }
            next[row] = sum;
        }
        if (!any && k + 1 >= written->orders)
            break;
        orders += any && orders == k + 1;
    }
    written->orders = orders;
}

/* What other coordinates have left there is removed. */
static void prepare_series(const am_plan *plan, const am_interval *moving, double *series, am_written *written) {
    size_t n = plan->n, nx = plan->nx, count = written->to - written->from;
    if (count > 0 && (written->from < moving->from || written->to > moving->to))
        for (double *x = series + nx; x <= series + AM_COEFFICIENTS * nx; x += nx) {
            memset(x + written->from, 0, count * sizeof *x);
            memset(x + n + written->from, 0, count * sizeof *x);
        }
    written->from = moving->from;
    written->to = moving->to;
    memcpy(series + nx, series + n, n * sizeof *series); /* q' = v */
}

/* next[n + i] = factor (A x)_i for the rows i in `rows`. */
static inline void next_rates(const am_plan *plan, const double *A, const am_extent *extent, const am_interval *rows,
                              bool inputs, double factor, const double *restrict x, double *restrict next) {
    for (size_t i = rows->from; i < rows->to; i++) {
        const double *row = A + i * plan->nx;
        double sum = am_extent_dynamic(&extent[i], row, x);
        if (inputs)
            sum = am_extent_inputs(&extent[i], row, x, sum);
        next[plan->n + i] = factor * sum;
    }
}

/* Order by order. */
static void expand_rows(const am_plan *plan, const am_flow *flow, am_force_work *work, double *restrict series,
                        size_t with_inputs, size_t from, size_t to) {
    size_t n = plan->n, nx = plan->nx;
    const am_interval moving = flow->moving, others = {n, plan->rows};
    for (size_t k = from; k < to; k++) {
        const double *x = series + k * nx, factor = plan->inverse_order[k];
        const am_extent *extent = k < 2 ? flow->extent : flow->later;
        double *next = series + (k + 1) * nx;
        if (flow->active > 0)
            am_forces_order(plan, flow, work, k, series + k * nx);
        if (plan->followers > 0)
            am_flow_follow(plan, flow, work, k, series + k * nx);
        next_rates(plan, flow->A, extent, &moving, k < with_inputs, factor, x, next);
        next_rates(plan, flow->A, extent, &others, k < with_inputs, factor, x, next);
        for (size_t i = moving.from; i < moving.to; i++)
            next[i] = factor * x[n + i];
    }
}

double am_flow_last_order(const am_plan *plan, const am_flow *flow, const double *x) {
    const double *w = plan->weight;
    size_t n = plan->n;
    double norm = 0.0;
    for (size_t i = 0; i < plan->rows; i++) {
        const am_jet *jet = &flow->rate_jet[i];
        const double *c = jet->coefficient + AM_COEFFICIENTS - 2;
        double before = 0.0, last = 0.0;
        for (size_t j = 0; j < jet->count; j++, c += AM_COEFFICIENTS) {
            before += c[0] * x[jet->column[2 * j]];
            last += c[1] * x[jet->column[2 * j + 1]];
        }
        last = w[n + i] * fabs(last);
        before = i < n ? w[i] * fabs(before) * plan->inverse_order[AM_DEGREE] : 0.0;
        norm = last > norm ? last : norm;
        norm = before > norm ? before : norm;
    }
    return norm;
}

/* All orders at once. */
static void expand_jets(const am_plan *plan, const am_flow *flow, double *restrict series) {
    size_t n = plan->n, nx = plan->nx;
    double rate[AM_COEFFICIENTS];
    for (size_t i = flow->moving.from; i < flow->moving.to; i++) {
        double *velocity = series + nx + n + i, *displacement = series + 2 * nx + i;
        am_jet_at(&flow->rate_jet[i], series, rate);
        for (size_t k = 0; k < AM_DEGREE; k++, velocity += nx, displacement += nx) {
            *velocity = rate[k];
            *displacement = plan->inverse_order[k + 1] * rate[k];
        }
        *velocity = rate[AM_DEGREE];
    }
    for (size_t i = n; i < plan->rows; i++) {
        am_jet_at(&flow->rate_jet[i], series, rate);
        for (size_t k = 0; k < AM_COEFFICIENTS; k++)
            series[(k + 1) * nx + n + i] = rate[k];
    }
}

/* What forces that act no more have left in the higher orders. */
static void remove_forces(const am_plan *plan, double *series) {
    for (size_t k = 1; k <= AM_COEFFICIENTS; k++)
        memset(series + k * plan->nx + plan->nd + plan->nz, 0, plan->forces * sizeof *series);
}

/* All orders. Once the inputs have no further derivatives only the dynamic part of the rows counts. */
static void begin_series(const am_plan *plan, const am_flow *flow, double *restrict series, am_written *written) {
    expand_inputs(plan, series, written);
    prepare_series(plan, &flow->moving, series, written);
    if (written->forces && flow->active == 0)
        remove_forces(plan, series);
    written->forces = flow->active > 0;
    if (written->forces)
        written->orders = AM_ORDERS;
}

void am_flow_expand(const am_plan *plan, const am_flow *flow, bool by_jets, am_force_work *work,
                    double *restrict series, am_written *written) {
    begin_series(plan, flow, series, written);
    if (by_jets)
        expand_jets(plan, flow, series);
    else
        expand_rows(plan, flow, work, series, written->orders, 0, AM_COEFFICIENTS);
}

void am_flow_expand_orders(const am_plan *plan, const am_flow *flow, am_force_work *work, double *restrict series,
                           am_written *written, size_t from, size_t to) {
    if (from == 0)
        begin_series(plan, flow, series, written);
    expand_rows(plan, flow, work, series, written->orders, from, to);
}

void am_flow_follow_size(const am_plan *plan, const am_flow *flow, const am_force_work *work, double *size) {
    for (size_t i = 0; i < plan->n && plan->followers > 0; i++) {
        double factor;
        if (!plan->massless[i])
            continue;
        size_t a = am_flow_carrier(plan, flow, i, &factor);
        double yield = a == AM_NO_ROW || !flow->loops ? 1.0 : work->yield[a * flow->arguments + 1];
        size[plan->n + i] = yield * am_extent_size(&flow->extent[i], flow->A + i * plan->nx, size);
    }
}
