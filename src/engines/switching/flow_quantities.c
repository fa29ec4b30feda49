/* What must stay positive for a flow to last, and which entries of its rows are not zero. */
#include <string.h>

#include "engines/switching/flow.h"
#include "engines/switching/nonlinear.h"
#include "engines/switching/rows.h"
#include "laws/law.h"

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
    const double w[AM_LAW_MEMORIES] = {1.0, 1.0};
    if (plan->followers == 0 || !plan->massless[i] || am_law_sticks(use))
        return false;
    size_t a = am_flow_carrier(plan, flow, i, &factor);
    if (a == AM_NO_ROW || plan->force[flow->acting[a]].owner != c ||
        am_law_drag_at(use, 0.0, 1.0, w).force.value != 0.0)
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

static void add_quantities(const am_plan *plan, am_flow *flow) {
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

void am_flow_fill_quantities(const am_plan *plan, am_flow *flow) {
    add_quantities(plan, flow);
    add_facets(plan, flow);
    am_flow_mark_held(plan, flow);
    find_extents(plan, flow);
    flow->drifts = holds_by_rounding(flow);
    list_screens(flow);
}
