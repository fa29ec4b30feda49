/* A span: its Taylor series, how far it is exact, and the first quantity that turns negative on it. See docs/motion.md,
 * sections 3 and 4. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engines/switching/slow.h"
#include "engines/switching/switching.h"
#include "laws/law.h"
#include "math/dense.h"

/* From so many of them on a bound for all quantities pays. */
static const size_t many_quantities = 8;

/* Beyond it the remainder of a series is not bounded by its first term. */
static double longest_length(double rate) {
    return 0.5 * (AM_COEFFICIENTS + 1) / rate;
}

/* A span that is a polynomial ends nevertheless where the powers of its length would be no numbers any more, and a
 * switch at a tiny part of it would be misplaced. Few of them reach any time. */
static double longest_polynomial(const am_motion *e) {
    return 1e30 * (1.0 / e->plan.frequency + (e->now.t - e->begun));
}

/* The length over which a series with this remainder is exact to rounding:
 * remainder <= |x_24| h^24 / (1 - h rate/25) <= 2 eps |x| for the h chosen here. */
static double exact_length(const am_motion *e, double rest, double rate) {
    if (!(rest > 0.0)) /* a polynomial: exact at any length */
        return longest_polynomial(e);
    double length = pow(DBL_EPSILON * e->size / rest, 1.0 / AM_COEFFICIENTS);
    return fmin(length, longest_length(rate));
}

/* A span of jets costs about half of one computed order by order, so it may be shorter: up to this factor, ^24. */
static const double jet_patience = 16834.0; /* 1.5^24 */

/* Do the jets of the flow reach as far as the span may, or nearly so? Asked without the root of exact_length. */
static bool jets_reach(const am_motion *e, double limit) {
    double most = fmin(limit, longest_length(e->flow->rate));
    if (most <= e->flow->jet_length)
        return true;
    double last = am_flow_last_order(&e->plan, e->flow, e->x);
    return last * (e->flow->jet_power * jet_patience) >= DBL_EPSILON * e->size;
}

/* After so many spans without a switch it is asked whether stiff coordinates only follow the others. */
static const size_t long_quiet = 64;

/* Do they, to within rounding, at the present x? */
static bool follows_slowly(am_motion *e) {
    am_flow *flow = e->flow;
    if (e->quiet < long_quiet || flow->stepwise || e->plan.compliant || e->plan.lights > 0)
        return false;
    if (!flow->slow_sought && am_slow_seek(&e->plan, flow, NULL))
        flow->slow = NULL; /* without memory for it the motion is followed span by span */
    flow->slow_sought = true;
    return flow->slow && am_slow_distance(&e->plan, flow->slow, e->x) <= 0.25 * AM_ROUNDING * DBL_EPSILON * e->size;
}

/* The series of the slow motion. */
static double expand_slowly(am_motion *e, double limit) {
    am_slow *slow = e->flow->slow;
    am_slow_expand(&e->plan, slow, e->series);
    memcpy(e->x, e->series, e->plan.nd * sizeof *e->x);
    e->by_jets = false;
    e->written = (am_written){.to = e->plan.n, .orders = AM_ORDERS};
    double rest = slow->lead * am_plan_norm(&e->plan, e->series + AM_COEFFICIENTS * e->plan.nx);
    return fmin(exact_length(e, rest, slow->rate), limit);
}

/* A start at zero, from which only preloaded layers push, has no size yet: it is that of where it gets to in its own time.
 */
static void size_from_rest(am_motion *e) {
    double unit = 1.0;
    for (size_t k = 1; k <= 3 && e->size == 0.0; k++) {
        unit /= e->plan.frequency;
        e->size = unit * am_plan_norm(&e->plan, e->series + k * e->plan.nx);
    }
}

/* ---- sliding speeds below the rounding of velocities ---- */

/* The size of what the sliding speed of x is the difference of. */
static double parts_of_slide(const am_motion *e, size_t c, const double *x) {
    const double *tangent = e->plan.system->contact[c].tangent;
    double parts = fabs(am_system_surface(e->plan.system, c, x + e->plan.nd));
    for (size_t l = 0; l < e->plan.n; l++)
        parts += fabs(tangent[l] * x[e->plan.n + l]);
    return parts;
}

/* What is lost from a quantity, a sliding speed in the direction of slip. */
static double lost_from(const am_motion *e, const am_quantity *quantity) {
    return -am_slip_sign(e->flow->k.state[quantity->contact]) * e->lost[quantity->contact];
}

void am_engine_creep(const am_motion *e, double length, const double *x, double *lost) {
    static const double most_roundings = 16.0; /* more is a surface that has jumped */
    const am_flow *flow = e->flow;
    if (!e->stiff)
        return;
    for (size_t c = 0; c < e->plan.m; c++)
        if (!am_is_closed(flow->k.state[c]))
            lost[c] = 0.0;
    for (size_t q = 0; q < flow->quantities; q++) {
        const am_quantity *quantity = &flow->quantity[q];
        size_t c = quantity->contact;
        if (!am_engine_turns(e, quantity))
            continue;
        double a[AM_COEFFICIENTS], speed = 0.0;
        am_engine_quantity_orders(e, flow, q, a);
        a[0] += lost_from(e, quantity);
        for (size_t k = AM_COEFFICIENTS; k-- > 0;)
            speed = speed * length + a[k];
        double off = speed - am_extent_dot(&flow->row_extent[q], flow->row + q * e->plan.nx, x);
        bool rounds = fabs(off) <= most_roundings * DBL_EPSILON * parts_of_slide(e, c, x);
        lost[c] = rounds ? -am_slip_sign(flow->k.state[c]) * off : 0.0;
    }
}

/* ---- forces that are not linear ---- */

void am_engine_load(am_motion *e) {
    if (e->plan.forces > 0 && e->flow->active > 0)
        am_forces_choose(&e->plan, e->flow, &e->forces, e->x, 2.0 * e->zero * e->size);
    am_engine_load_again(e);
}

void am_engine_load_again(am_motion *e) {
    if (e->plan.forces > 0)
        am_forces_at(&e->plan, e->flow, &e->forces, e->x);
    if (e->plan.followers > 0)
        am_flow_follow(&e->plan, e->flow, &e->forces, 0, e->x);
}

/* The length over which the last orders of a series reach rounding. No bound is known of the remainder: what the length
 * promises is checked afterwards. */
static double apparent_length(const am_motion *e) {
    double length = longest_polynomial(e);
    for (size_t k = AM_COEFFICIENTS - 2; k <= AM_COEFFICIENTS; k++) {
        double last = am_plan_norm(&e->plan, e->series + k * e->plan.nx);
        if (!am_dense_is_finite(e->series + k * e->plan.nx, e->plan.nx))
            return 0.0; /* something decays so fast that numbers cannot hold its orders */
        if (last > 0.0)
            length = fmin(length, pow(DBL_EPSILON * e->size / last, 1.0 / (double)k));
    }
    return length;
}

/* The same of an internal variable of a contact, which has a unit of its own: relative to its value, or to how it begins
 * to move; of the distance slid relative to that over which friction falls. */
static double apparent_length_of(const am_motion *e, size_t contact, size_t inner) {
    const double *x = e->series + 2 * e->plan.n + e->plan.inner[contact] + inner;
    double length = INFINITY, scale = am_friction_reach(&e->plan.system->contact[contact].weakening);
    for (size_t k = AM_COEFFICIENTS - 2; k <= AM_COEFFICIENTS; k++) {
        double last = fabs(x[k * e->plan.nx]);
        double best = last > 0.0 ? pow(DBL_EPSILON * scale / last, 1.0 / (double)k) : 0.0;
        for (size_t j = 0; j < 3 && last > 0.0; j++)
            best = fmax(best, pow(DBL_EPSILON * fabs(x[j * e->plan.nx]) / last, 1.0 / (double)(k - j)));
        length = last > 0.0 ? fmin(length, best) : length;
    }
    return length;
}

/* By how much a law may differ from its series, in units of rounding: their own roundings, which a law that is steep
 * amplifies. */
static const double worst_defect = 256.0;

/* Are the forces at `length` into the series those that their laws give there? The rest of x follows from them. */
static bool passes_check(am_motion *e, double length) {
    size_t first = e->plan.nd + e->plan.nz;
    double *x = e->x_work[0], *law = e->x_work[1];
    const double *w = e->plan.weight + first;
    am_engine_evaluate(e, length, x, e->plan.nx);
    memcpy(law, x, e->plan.nx * sizeof *x);
    am_engine_creep(e, length, law, e->lost_work);
    e->forces.lost = e->lost_work;
    am_forces_at(&e->plan, e->flow, &e->forces, law);
    e->forces.lost = e->lost;
    for (size_t j = 0; j < e->plan.forces; j++) {
        double defect = fabs(x[first + j] - law[first + j]), most = e->size + w[j] * fabs(law[first + j]),
               weight = w[j];
        if (e->plan.force[j].kind == AM_FORCE_CHANGE) /* it adds up over the span to what a stretch is wrong by */
            weight *= fmin(1.0, length * e->plan.frequency);
        if (e->plan.force[j].kind == AM_FORCE_RATE) { /* it adds up over the span to what w is wrong by */
            size_t c = e->plan.force[j].owner, i = e->plan.force[j].along, inner = 2 * e->plan.n + e->plan.inner[c] + i;
            bool directed = am_force_inner_is_directed(&e->plan, c, i);
            if (am_slider_goes_with_bodies(e, c) && !(length * defect <= AM_WORST_STRETCH * fabs(x[inner])))
                return false;
            weight = length;
            most = fabs(x[inner]) + length * fabs(law[first + j]) + (directed ? e->size / e->plan.weight[inner] : 0.0);
            most += am_friction_reach(&e->plan.system->contact[c].weakening);
        }
        if (!(weight * defect <= worst_defect * DBL_EPSILON * most) &&
            !(defect <= worst_defect * am_force_noise(&e->plan, e->flow, &e->forces, j, law)) &&
            !am_force_begins(&e->plan, e->flow, &e->forces, j, e->series, x))
            return false;
    }
    for (size_t i = 0; i < e->plan.n && e->plan.followers > 0; i++) {
        double v = x[e->plan.n + i], weight = e->plan.weight[e->plan.n + i];
        if (e->plan.massless[i] && !(weight * fabs(v - am_dense_dot(e->flow->A + i * e->plan.nx, x, e->plan.nx)) <=
                                     worst_defect * DBL_EPSILON * e->size))
            return false;
    }
    return true;
}

/* Where on the span, as a part of it, a contact slides slowest. */
static double slowest_place(const am_motion *e, const double *row, const am_extent *extent, double length) {
    enum { PLACES = 16 };
    double a[AM_COEFFICIENTS], power = 1.0, where = 1.0, least = INFINITY;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= length)
        a[k] = power * am_extent_dot(extent, row, e->series + k * e->plan.nx);
    if (fabs(a[0]) > 2.0 * am_dense_size(a + 1, AM_DEGREE))
        return 1.0; /* it changes little */
    for (int i = 1; i <= PLACES; i++) {
        double part = (double)i / PLACES, speed = fabs(am_polynomial_at(a, part));
        if (speed < least) {
            least = speed;
            where = part;
        }
    }
    return where;
}

/* What a law does at low speeds may be so narrow (exp(-(v/velocity)^2) underflows) that no order of the series knows of
 * it, and that it lies between the places where the span is checked. */
static bool passes_slowly(am_motion *e, double length) {
    for (size_t q = 0; q < e->flow->quantities; q++) {
        const am_quantity *quantity = &e->flow->quantity[q];
        if (quantity->kind != AM_QUANTITY_SLIDE || !e->plan.system->contact[quantity->contact].speed_friction.law)
            continue;
        double where = slowest_place(e, e->flow->row + q * e->plan.nx, &e->flow->row_extent[q], length);
        if (where < 1.0 && !passes_check(e, where * length))
            return false;
    }
    return true;
}

bool am_engine_holds_at(am_motion *e, double length) {
    return !e->flow->stepwise || am_stiff_made(e) || passes_check(e, length);
}

/* Where friction has fallen for good the distance slid stays at the end of the fall, wherever a motion came from. */
static void end_weakening(am_motion *e) {
    for (size_t a = 0; a < e->flow->active; a++) {
        size_t j = e->flow->acting[a];
        const am_force *force = &e->plan.force[j];
        if (force->kind != AM_FORCE_WEAKENING || e->forces.piece[j] + 1 < force->pieces)
            continue;
        size_t slid = 2 * e->plan.n + e->plan.inner[force->owner];
        e->x[slid] = e->series[slid] = force->knot[force->pieces - 2];
        if (e->sensitivity)
            memset(e->sensitivity + slid * e->followed, 0, e->followed * sizeof *e->sensitivity);
    }
}

double am_engine_expand_again(am_motion *e) {
    e->by_jets = false;
    e->forces.with_slopes = e->sensitivity != NULL;
    am_flow_expand(&e->plan, e->flow, false, &e->forces, e->series, &e->written);
    double length = e->sensitivity ? am_engine_vary(e) : INFINITY;
    e->forces.with_slopes = false;
    return length;
}

/* A stretch whose rate leaps as it passes zero: where it does so later, by dt, it has moved by (rate before) dt less, and by
 * (rate behind) dt more. All else goes on as it was. */
static void vary_leaps(am_motion *e) {
    for (size_t a = 0; a < e->flow->active && !e->fresh; a++) {
        size_t j = e->flow->acting[a], c = e->plan.force[j].owner;
        if (!e->plan.force[j].leaps || e->plan.force[j].kind != AM_FORCE_RATE || e->plan.force[j].along > 0 ||
            e->forces.piece[j] == e->forces.left[j])
            continue;
        size_t row = 2 * e->plan.n + e->plan.inner[c];
        double w[AM_LAW_MEMORIES] = {0}, speed = fabs(am_engine_slide(e, c)), N = am_engine_normal(e, c), rate[2];
        memcpy(w, e->x + row, e->plan.memories[c] * sizeof *w);
        for (int above = 0; above < 2; above++) {
            w[0] = above ? DBL_MIN : -DBL_MIN;
            rate[above] = am_law_drag_at(&e->plan.system->contact[c].speed_friction, speed, N, w).rate[0].value;
        }
        bool up = e->forces.piece[j] > e->forces.left[j];
        for (size_t i = 0; i < e->followed; i++)
            e->sensitivity[row * e->followed + i] *= rate[up] / rate[!up];
    }
}

static double expand_nonlinear(am_motion *e, double limit) {
    const double zero = 2.0 * e->zero * e->size;
    static const int most_halvings = 60;
    e->forces.folded = false;
    am_disc_project_stretch(e);
    if (e->plan.forces > 0)
        memcpy(e->forces.left, e->forces.piece, e->plan.forces * sizeof *e->forces.left);
    am_forces_choose(&e->plan, e->flow, &e->forces, e->series, zero);
    if (e->sensitivity)
        vary_leaps(e);
    end_weakening(e);
    am_sliders_project(e);
    double reach = am_engine_expand_again(e);
    size_from_rest(e);
    double apparent = apparent_length(e), length = fmin(limit, fmin(reach, apparent));
    for (size_t c = 0; e->plan.inners > 0 && c < e->plan.m; c++)
        for (size_t i = 0; i < e->plan.memories[c]; i++)
            if (!am_force_inner_is_directed(&e->plan, c, i)) /* deflections are in the norm */
                length = fmin(length, apparent_length_of(e, c, i));
    length = am_forces_until(&e->plan, e->flow, &e->forces, e->series, length, zero);
    for (int i = 0;
         i < most_halvings && !(passes_check(e, length) && passes_check(e, 0.5 * length) && passes_slowly(e, length));
         i++)
        length *= 0.5;
    e->statistics.implicit_spans += am_stiff_expand(e, limit, !(apparent > 0.0), &length);
    return length;
}

/* Taylor coefficients at x. */
double am_engine_expand(am_motion *e, double limit) {
    if (e->plan.lights > 0)
        am_flow_settle_light(&e->plan, e->flow, e->x);
    am_engine_measure(e);
    memcpy(e->series, e->x, e->plan.nx * sizeof *e->x);
    if (e->flow->stepwise)
        return expand_nonlinear(e, limit);
    if (follows_slowly(e))
        return expand_slowly(e, limit);
    e->by_jets = e->flow->rate_jet && jets_reach(e, limit);
    if (e->by_jets)
        limit = fmin(limit, e->flow->jet_length);
    am_flow_expand(&e->plan, e->flow, e->by_jets, NULL, e->series, &e->written);
    size_from_rest(e);
    double rest = am_flow_norm(&e->plan, e->flow, e->series + AM_COEFFICIENTS * e->plan.nx);
    if (e->by_jets && rest * e->flow->jet_power <= DBL_EPSILON * e->size) /* the whole reach of the jets is exact */
        return fmin(limit, longest_length(e->flow->rate));
    return fmin(exact_length(e, rest, e->flow->rate), limit);
}

/* A touch that recurs for ever must not look like a switch one day: what counts as zero grows with the spans. */
static double rounding_of(const am_motion *e, size_t q, double scale) {
    return e->zero * e->flow->dual[q] * scale;
}

/* row.x_k of all orders. */
void am_engine_quantity_orders(const am_motion *e, const am_flow *flow, size_t q, double *a) {
    const double *row = flow->row + q * e->plan.nx, *x = e->series;
    const am_extent *extent = &flow->row_extent[q];
    if (e->by_jets) {
        am_jet_at(&flow->quantity_jet[q], x, a);
        return;
    }
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, x += e->plan.nx) {
        bool inputs = k < e->written.orders;
        a[k] = inputs ? am_extent_dot(extent, row, x) : am_extent_dynamic(extent, row, x);
    }
}

/* How many orders of a quantity vanish at the start of the span. A speed that turns may have any there: by how much it
 * must pass zero covers that. */
static size_t zeros_at_start(const am_motion *e, size_t q) {
    return e->fresh && !am_engine_turns(e, &e->flow->quantity[q]) ? e->order[q] : 0;
}

/* One quantity along the span as a polynomial on [0, 1], zeros at its start divided out. Returns its rounding level. */
static double quantity_polynomial(const am_motion *e, size_t q, const double *power, double scale, double *a) {
    size_t skip = zeros_at_start(e, q);
    am_engine_quantity_orders(e, e->flow, q, a);
    if (am_engine_turns(e, &e->flow->quantity[q]))
        a[0] += lost_from(e, &e->flow->quantity[q]);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++)
        a[k] *= power[k];
    if (skip == 0)
        return rounding_of(e, q, scale);
    double sum = 0.0;
    for (size_t k = skip; k < AM_COEFFICIENTS; k++) {
        a[k - skip] = a[k];
        sum += fabs(a[k]);
    }
    for (size_t k = AM_COEFFICIENTS - skip; k < AM_COEFFICIENTS; k++)
        a[k] = 0.0;
    return AM_ROUNDING * DBL_EPSILON * sum;
}

/* With static friction above kinetic a sliding velocity that only touches zero may end in stick: it must be looked at.
 */
static bool stops_at_touch(const am_motion *e, size_t q) {
    const am_quantity *quantity = &e->flow->quantity[q];
    const am_contact_def *contact = &e->plan.system->contact[quantity->contact];
    return quantity->kind == AM_QUANTITY_SLIDE && am_contact_drops(contact);
}

/* Laws without stick may be singular where the normal force vanishes: no series gets beyond, and the contact opens where
 * rounding begins, or closes where it ends. */
static bool switches_at_rounding(const am_motion *e, size_t q) {
    const am_quantity *quantity = &e->flow->quantity[q];
    const am_contact_def *contact = &e->plan.system->contact[quantity->contact];
    bool closes = quantity->kind == AM_QUANTITY_GAP && am_contact_is_compliant(contact);
    bool parts = quantity->kind == AM_QUANTITY_NORMAL || quantity->kind == AM_QUANTITY_OVERLAP;
    return (parts || closes) && !am_law_sticks(&contact->speed_friction);
}

/* The depth of a layer whose force is curved is a number only beyond twice what counts as zero (am_force_arguments). */
static bool is_depth_of_curved(const am_motion *e, size_t q) {
    const am_quantity *quantity = &e->flow->quantity[q];
    return (quantity->kind == AM_QUANTITY_GAP || quantity->kind == AM_QUANTITY_OVERLAP) &&
           e->plan.system->contact[quantity->contact].normal_law == AM_HUNT_CROSSLEY;
}

/* By how much a speed without stick must have passed zero before it has turned: then it has a direction, whatever rounding
 * there is in what it is the rest of, and friction, which is continuous there, needs no decision. */
static double turning(const am_motion *e, size_t q, const double *a) {
    const am_extent *extent = &e->flow->row_extent[q];
    const double *row = e->flow->row + q * e->plan.nx, *x = e->series;
    double size = 0.0;
    for (size_t j = extent->from; j < extent->to; j++)
        size += fabs(row[j] * x[j]);
    for (size_t j = extent->input_from; j < extent->input_to; j++)
        size += fabs(row[j] * x[j]);
    return 2.0 * AM_ROUNDING * DBL_EPSILON * (size + am_dense_size(a, AM_COEFFICIENTS));
}

/* reach[from .. to) += part |x|. */
static void add_reach(const double *restrict x, double part, size_t from, size_t to, double *restrict reach) {
    for (size_t i = from; i < to; i++)
        reach[i] += part * fabs(x[i]);
}

/* How far each entry of x gets along the span from the straight line on which it starts, at most. */
static void measure_reach(const am_motion *e, const double *power, double *reach) {
    size_t n = e->plan.n, nx = e->plan.nx;
    memset(reach, 0, nx * sizeof *reach);
    for (size_t k = 2; k < AM_COEFFICIENTS; k++) {
        const double *x = e->series + k * nx;
        add_reach(x, power[k], e->written.from, e->written.to, reach);
        add_reach(x, power[k], n + e->written.from, n + e->written.to, reach);
        add_reach(x, power[k], 2 * n, am_written_columns(&e->plan, &e->written, k), reach);
    }
}

/* Part of a quantity: its value at the start, its change along the straight line, and how far it gets from that. */
typedef struct enclosure {
    double value, change, most;
} enclosure;

static enclosure enclose(const am_motion *e, const double *row, size_t from, size_t to, const double *reach) {
    const double *x = e->series, *slope = x + e->plan.nx;
    enclosure o = {0.0, 0.0, 0.0};
    for (size_t j = from; j < to; j++) {
        o.value += row[j] * x[j];
        o.change += row[j] * slope[j];
        o.most += fabs(row[j]) * reach[j];
    }
    return o;
}

/* Does a quantity with this dynamic part stay above the rounding around zero because x does not get far enough? Most
 * contacts of a large structure are that far from a switch, and need no polynomial. */
static bool stays_positive(const am_motion *e, size_t q, const enclosure *dynamic, double length, double rounding,
                           const double *reach) {
    const am_extent *extent = &e->flow->row_extent[q];
    enclosure inputs = enclose(e, e->flow->row + q * e->plan.nx, extent->input_from, extent->input_to, reach);
    double value = dynamic->value + inputs.value, change = length * (dynamic->change + inputs.change);
    return value + (change < 0.0 ? change : 0.0) > dynamic->most + inputs.most + rounding;
}

/* Where does quantity q first turn negative? First the whole band of rounding around zero is tested in one go: almost
 * always the quantity stays above it. */
static void find_crossing(am_motion *e, size_t q, const double *power, double scale, am_crossing *first) {
    double a[AM_COEFFICIENTS], where;
    if (zeros_at_start(e, q) == AM_NEVER)
        return;
    double rounding = quantity_polynomial(e, q, power, scale, a);
    bool singular = switches_at_rounding(e, q), opens = singular && e->flow->quantity[q].kind != AM_QUANTITY_GAP;
    double edge = rounding;
    if (singular && is_depth_of_curved(e, q))
        edge = fmax(4.0 * rounding, am_engine_edge(e, e->flow->quantity[q].contact) * rounding_of(e, q, e->size));
    bool from_above = a[0] > edge;
    if (from_above && (a[0] - am_dense_size(a + 1, AM_DEGREE) > edge || am_bernstein_above(a, edge)))
        return;
    double b[AM_COEFFICIENTS], touch;
    am_bernstein_from_power(a, b);
    if (from_above && am_bernstein_least(b) >= edge)
        return;
    bool turns = am_engine_turns(e, &e->flow->quantity[q]);
    if (opens && !from_above && a[1] < 0.0 && zeros_at_start(e, q) == 0) { /* what counts as zero has grown over it */
        *first = (am_crossing){.where = 0.0, .quantity = q, .grazes = first->grazes};
        return;
    }
    double shift = from_above && (stops_at_touch(e, q) || opens) ? -edge : edge;
    if (turns)
        shift = turning(e, q, a);
    if (am_bernstein_search(a, b, shift, &where)) {
        where = singular || turns ? where : am_bernstein_refine(a, shift, where);
        if (!(where >= first->where)) {
            first->where = where;
            first->quantity = q;
        }
    } else if (from_above && am_bernstein_search(a, b, -rounding, &touch) && touch < first->where) {
        first->grazes++;
        e->in_band[q] = am_polynomial_at(a, 1.0) <= rounding;
    }
}

am_crossing am_engine_first_crossing(am_motion *e, double length) {
    double power[AM_COEFFICIENTS];
    am_crossing first = {.where = 2.0, .quantity = AM_NEVER};
    power[0] = 1.0;
    power[1] = length;
    for (size_t k = 2; k < AM_COEFFICIENTS; k++) {
        double next = power[k - 2] * (length * length);
        power[k] = next < DBL_MAX ? next : DBL_MAX; /* times a coefficient of zero it must be zero */
    }
    double scale = e->size + length * am_plan_norm(&e->plan, e->series + e->plan.nx);
    double *reach = e->size_work[0];
    bool many = e->flow->screens >= many_quantities;
    if (many)
        measure_reach(e, power, reach);
    for (size_t s = 0; s < e->flow->screens; s++) {
        size_t q = e->flow->screen[s].quantity, last = q + e->flow->screen[s].twin;
        const am_extent *extent = &e->flow->row_extent[q];
        enclosure dynamic = {0.0, 0.0, 0.0};
        if (many)
            dynamic = enclose(e, e->flow->row + q * e->plan.nx, extent->from, extent->to, reach);
        for (; q <= last; q++) {
            bool starts_at_zero = zeros_at_start(e, q) > 0;
            if (!many || starts_at_zero || !stays_positive(e, q, &dynamic, length, rounding_of(e, q, scale), reach))
                find_crossing(e, q, power, scale, &first);
            dynamic = (enclosure){-dynamic.value, -dynamic.change, dynamic.most};
        }
    }
    return first;
}
