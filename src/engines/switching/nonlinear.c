#include "engines/switching/nonlinear.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/switching/rows.h"
#include "laws/law.h"
#include "math/dense.h"
#include "math/lu.h"
#include "system/friction_pieces.h"
#include "system/generator.h"
#include "system/polynomial.h"

/* ---- planning ---- */

am_term am_formula_argument(am_formula *f) {
    return f->argument[f->arguments++] = am_tape_argument(&f->tape);
}

static void plan_orders(am_formula *f) {
    am_tape_plan(&f->tape, f->force);
    for (size_t a = 0; a < f->arguments; a++)
        f->counts[a] = am_tape_needs(&f->tape, f->argument[a]);
}

/* Orders of the force and of all its slopes, which are recorded. */
static am_status plan_slopes(am_formula *f, am_error *err) {
    am_term of[AM_FORCE_ARGUMENTS + 1] = {f->force};
    am_term zero = am_tape_constant(&f->tape, 0.0);
    memcpy(of + 1, f->slope, f->arguments * sizeof *of);
    am_tape_plan_several(&f->tape, of, 1 + f->arguments);
    for (size_t a = 0; a < f->arguments; a++)
        f->felt[a] = f->slope[a] != zero;
    return am_tape_status(&f->tape, err);
}

/* The slopes of a force whose formula is recorded. */
am_status am_formula_finish(am_formula *f, am_error *err) {
    plan_orders(f);
    f->singular = am_tape_is_singular(&f->tape);
    for (size_t a = 0; a < f->arguments; a++)
        f->slope[a] = am_tape_derivative(&f->tape, f->force, f->argument[a]);
    return plan_slopes(f, err);
}

/* factor c e^i e'^j onto a sum */
static am_term add_monomial(am_formula *f, am_term sum, double factor, unsigned i, unsigned j) {
    am_tape *tape = &f->tape;
    am_term power =
        am_tape_multiply(tape, am_tape_power(tape, f->argument[0], i), am_tape_power(tape, f->argument[1], j));
    return am_tape_add(tape, sum, am_tape_scale(tape, power, factor));
}

/* Does each term have a factor e (which = 0) or e' (1)? */
static bool all_have(const am_polynomial_def *spring, int which) {
    for (size_t i = 0; i < spring->term_count; i++)
        if ((which == 0 ? spring->terms[i].displacement : spring->terms[i].velocity) == 0)
            return false;
    return spring->term_count > 0;
}

/* A factor common to all terms is taken out: what is left consists of the powers that the slopes need, too. Of e'^3 and
 * e'^5 three products are left, two of them squares. */
static am_status record_polynomial(const am_polynomial_def *spring, am_formula *f, am_error *err) {
    am_tape *tape = &f->tape;
    am_formula_argument(f);
    am_formula_argument(f);
    am_term zero = am_tape_constant(tape, 0.0), inner = zero;
    unsigned less_e = all_have(spring, 0), less_rate = !less_e && all_have(spring, 1);
    for (size_t i = 0; i < spring->term_count; i++) {
        const am_polynomial_term *t = &spring->terms[i];
        inner = add_monomial(f, inner, t->coefficient, t->displacement - less_e, t->velocity - less_rate);
    }
    f->force = less_e || less_rate ? am_tape_multiply(tape, f->argument[less_e ? 0 : 1], inner) : inner;
    plan_orders(f);
    f->slope[0] = f->slope[1] = zero;
    for (size_t i = 0; i < spring->term_count; i++) {
        const am_polynomial_term *t = &spring->terms[i];
        if (t->displacement > 0)
            f->slope[0] =
                add_monomial(f, f->slope[0], t->coefficient * t->displacement, t->displacement - 1, t->velocity);
        if (t->velocity > 0)
            f->slope[1] = add_monomial(f, f->slope[1], t->coefficient * t->velocity, t->displacement, t->velocity - 1);
    }
    return plan_slopes(f, err);
}

/* The normal force, the last of the arguments. One that is held and does not change is a number, which costs nothing. */
static am_term normal_force(const am_contact_def *contact, am_formula *f) {
    if (contact->normal_law == AM_HELD && am_functions_rest(&contact->hold))
        return am_tape_constant(&f->tape, am_function_at(&contact->hold, 0.0));
    return am_formula_argument(f);
}

/* Behind a spring the bodies may move either way while the slider slips or sticks: mu(|v|) has its pieces twice, those of
 * v < 0 first, and a corner at rest. */
static bool is_mirrored(const am_contact_def *contact) {
    return contact->tangential_stiffness > 0.0;
}

static double speed_knot(const am_contact_def *contact, size_t piece) {
    size_t pieces = is_mirrored(contact) ? am_law_pieces(&contact->speed_friction) : 0;
    if (piece >= pieces)
        return am_law_knot(&contact->speed_friction, piece - pieces);
    return piece + 1 < pieces ? -am_law_knot(&contact->speed_friction, pieces - 2 - piece) : 0.0;
}

static am_status record_friction(const am_contact_def *contact, size_t piece, am_formula *f, am_error *err) {
    am_tape *tape = &f->tape;
    const am_speed_friction *use = &contact->speed_friction;
    size_t pieces = is_mirrored(contact) ? am_law_pieces(use) : 0;
    am_term v = am_formula_argument(f), N = normal_force(contact, f);
    am_term speed = piece < pieces ? am_tape_scale(tape, v, -1.0) : v;
    am_term mu =
        am_law_named(use->law)->coefficient(tape, use, piece < pieces ? pieces - 1 - piece : piece - pieces, speed);
    am_term rest = am_tape_constant(tape, contact->friction);
    f->force = am_tape_multiply(tape, am_tape_subtract(tape, mu, rest), N);
    return am_formula_finish(f, err);
}

/* N = k d^beta (1 + 3/2 alpha d') */
static am_status record_push(const am_contact_def *contact, am_formula *f, am_error *err) {
    am_tape *tape = &f->tape;
    am_term depth = am_formula_argument(f), rate = am_formula_argument(f);
    am_term loss = am_tape_scale(tape, rate, 1.5 * contact->contact_dissipation);
    am_term spring =
        am_tape_scale(tape, am_tape_power(tape, depth, contact->contact_exponent), contact->contact_stiffness);
    f->force = am_tape_multiply(tape, spring, am_tape_add(tape, am_tape_constant(tape, 1.0), loss));
    return am_formula_finish(f, err);
}

/* Friction without stick, or the rate of an internal variable. The first w comes first: it is w that pieces join at. */
static am_status record_drag(const am_contact_def *contact, const am_force *force, size_t piece, am_formula *f,
                             am_error *err) {
    const am_speed_friction *use = &contact->speed_friction;
    const am_law *law = am_law_named(use->law);
    am_drag_terms at;
    at.w[0] = am_formula_argument(f);
    at.v = am_formula_argument(f);
    for (size_t i = 1; i < am_law_memories(use); i++)
        at.w[i] = am_formula_argument(f);
    at.N = normal_force(contact, f);
    f->force = (force->kind == AM_FORCE_RATE ? law->memory[force->along].rate : law->drag)(&f->tape, use, piece, &at);
    f->edge = law->knot ? 0 : 1; /* without pieces in w it is at rest that a law may have no series */
    return am_formula_finish(f, err);
}

static am_status record_weakening(const am_contact_def *contact, size_t piece, am_formula *f, am_error *err) {
    am_tape *tape = &f->tape;
    am_term slid = am_formula_argument(f), N = normal_force(contact, f);
    am_term mu = am_friction_record(tape, &contact->weakening, piece, slid);
    am_term linear = am_tape_constant(tape, contact->friction);
    f->force = am_tape_multiply(tape, am_tape_subtract(tape, mu, linear), N);
    return am_formula_finish(f, err);
}

/* w' = |v| until friction has fallen for good: from then on nothing depends on the distance, and motions may repeat. */
static am_status record_slip(size_t piece, size_t pieces, am_formula *f, am_error *err) {
    am_formula_argument(f);
    am_term v = am_formula_argument(f);
    f->force = piece + 1 < pieces ? am_tape_scale(&f->tape, v, 1.0) : am_tape_constant(&f->tape, 0.0);
    return am_formula_finish(f, err);
}

/* The rate of a force whose formula was recorded: sum of slopes times rates of arguments. */
static am_status record_change(am_formula *f, am_error *err) {
    size_t arguments = f->arguments;
    am_term sum = am_tape_constant(&f->tape, 0.0);
    for (size_t i = 0; i < arguments; i++)
        sum = am_tape_add(&f->tape, sum, am_tape_multiply(&f->tape, f->slope[i], am_formula_argument(f)));
    f->force = sum;
    return am_formula_finish(f, err);
}

/* k(t) e */
static am_status record_varying(am_formula *f, am_error *err) {
    am_term e = am_formula_argument(f), stiffness = am_formula_argument(f);
    f->force = am_tape_multiply(&f->tape, stiffness, e);
    return am_formula_finish(f, err);
}

/* Of the structure, not of a contact. */
static bool is_spring(const am_force *force) {
    return force->kind == AM_FORCE_POLYNOMIAL || force->kind == AM_FORCE_VARYING;
}

static bool weakens(const am_system *system, const am_force *force) {
    return !is_spring(force) && am_friction_weakens(&system->contact[force->owner].weakening);
}

static am_status record(const am_system *system, const am_force *force, size_t piece, am_formula *formula,
                        am_error *err) {
    if (am_force_is_disc(force->kind))
        return am_disc_record(&system->contact[force->owner], force, piece, formula, err);
    if (force->kind == AM_FORCE_RATE && weakens(system, force))
        return record_slip(piece, force->pieces, formula, err);
    switch (force->kind) {
    case AM_FORCE_POLYNOMIAL:
        return record_polynomial(&system->polynomial[force->owner], formula, err);
    case AM_FORCE_VARYING:
        return record_varying(formula, err);
    case AM_FORCE_PUSH:
        return record_push(&system->contact[force->owner], formula, err);
    case AM_FORCE_DRAG:
    case AM_FORCE_RATE:
        return record_drag(&system->contact[force->owner], force, piece, formula, err);
    case AM_FORCE_WEAKENING:
        return record_weakening(&system->contact[force->owner], piece, formula, err);
    default: /* AM_FORCE_FRICTION */
        break;
    }
    return record_friction(&system->contact[force->owner], piece, formula, err);
}

static double knot_of(const am_system *system, const am_force *force, size_t piece) {
    if (is_spring(force) || force->kind == AM_FORCE_PUSH || am_force_is_disc(force->kind))
        return INFINITY;
    const am_contact_def *contact = &system->contact[force->owner];
    if (weakens(system, force))
        return am_friction_knot(&contact->weakening, piece);
    return force->kind == AM_FORCE_FRICTION ? speed_knot(contact, piece) : am_law_knot(&contact->speed_friction, piece);
}

/* `of`: the force itself, or that whose rate it is. */
static am_status plan_force(const am_system *system, am_force *force, const am_force *of, am_arena *memory,
                            am_error *err) {
    const am_contact_def *contact = is_spring(of) ? NULL : &system->contact[force->owner];
    force->direction = of->kind == AM_FORCE_VARYING      ? system->varying[force->owner].direction
                       : of->kind == AM_FORCE_POLYNOMIAL ? system->polynomial[force->owner].direction
                       : of->kind == AM_FORCE_PUSH       ? contact->normal
                                                         : contact->tangent;
    force->leaps = contact && am_law_leaps(&contact->speed_friction);
    for (force->pieces = 1; isfinite(knot_of(system, of, force->pieces - 1));)
        force->pieces++;
    if (am_disc_may_slack(force->kind))
        force->pieces = 2; /* chosen by the normal force: plane_slip.c */
    force->formula = am_arena_new(memory, force->pieces, sizeof *force->formula, err);
    force->knot = am_arena_doubles(memory, NULL, force->pieces, err);
    AM_TRY(am_arena_status(memory));
    for (size_t p = 0; p < force->pieces; p++)
        force->knot[p] = knot_of(system, of, p);
    for (size_t p = 0; p < force->pieces; p++) {
        AM_TRY(record(system, of, p, &force->formula[p], err));
        AM_TRY(force == of ? AM_OK : record_change(&force->formula[p], err));
    }
    return AM_OK;
}

bool am_slider_is_curved(const am_contact_def *contact) {
    return contact->tangential_stiffness > 0.0 &&
           (contact->normal_law == AM_HUNT_CROSSLEY || contact->speed_friction.law ||
            am_friction_weakens(&contact->weakening));
}

bool am_slider_follows_state(const am_contact_def *contact) {
    return contact->tangential_stiffness > 0.0 && (contact->normal_law != AM_HELD || am_slider_is_curved(contact));
}

static bool lacks_mass(const am_system *system) {
    for (size_t i = 0; i < system->n; i++)
        if (am_matrix_at(system->M, i, i) == 0.0)
            return true;
    return false;
}

/* Every force may have a part in the normal force of a rigid contact, and in velocities of coordinates without mass, on which
 * a limit that is curved depends. */
static bool depends_on_all(const am_contact_def *contact, bool massless) {
    return contact->tangential_stiffness > 0.0 &&
           (contact->normal_law == AM_UNILATERAL || (massless && am_slider_is_curved(contact)));
}

static bool needs_all_rates(const am_system *system) {
    bool massless = lacks_mass(system);
    for (size_t c = 0; c < system->m; c++)
        if (depends_on_all(&system->contact[c], massless))
            return true;
    return false;
}

/* Does a force have a rate of its own? Not what is no force. */
static bool has_change(const am_system *system, const am_force *force, bool all) {
    if (am_force_is_disc(force->kind) || force->kind == AM_FORCE_RATE || force->kind == AM_FORCE_CHANGE)
        return false;
    return all || (!is_spring(force) && system->contact[force->owner].tangential_stiffness > 0.0);
}

size_t am_forces_count(const am_system *system) {
    bool all = needs_all_rates(system);
    size_t count = (system->polynomials + system->varyings) * (all ? 2 : 1);
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        size_t own = (contact->normal_law == AM_HUNT_CROSSLEY) + (contact->speed_friction.law != NULL) +
                     am_friction_weakens(&contact->weakening);
        count += own * (all || contact->tangential_stiffness > 0.0 ? 2 : 1);
        count += am_contact_memories(contact);
        count += contact->second_tangent ? AM_DISC_FORCES : 0;
    }
    return count;
}

am_status am_forces_plan(am_plan *plan, am_error *err) {
    const am_system *system = plan->system;
    size_t j = 0;
    plan->force = am_arena_new(&plan->memory, plan->forces, sizeof *plan->force, err);
    plan->change = am_arena_new(&plan->memory, plan->forces, sizeof *plan->change, err);
    AM_TRY(am_arena_status(&plan->memory));
    for (size_t p = 0; p < system->polynomials; p++)
        plan->force[j++] = (am_force){.kind = AM_FORCE_POLYNOMIAL, .owner = p};
    for (size_t v = 0; v < system->varyings; v++)
        plan->force[j++] = (am_force){.kind = AM_FORCE_VARYING, .owner = v};
    for (size_t c = 0; c < system->m; c++) {
        if (system->contact[c].normal_law == AM_HUNT_CROSSLEY)
            plan->force[j++] = (am_force){.kind = AM_FORCE_PUSH, .owner = c};
        const am_speed_friction *use = &system->contact[c].speed_friction;
        if (use->law)
            plan->force[j++] = (am_force){.kind = am_law_sticks(use) ? AM_FORCE_FRICTION : AM_FORCE_DRAG, .owner = c};
        if (am_friction_weakens(&system->contact[c].weakening))
            plan->force[j++] = (am_force){.kind = AM_FORCE_WEAKENING, .owner = c};
    }
    for (size_t c = 0; c < system->m; c++) /* they look at normal forces, which all forces before may have a part in */
        for (size_t i = 0; i < plan->memories[c]; i++)
            plan->force[j++] = (am_force){.kind = AM_FORCE_RATE, .owner = c, .along = i};
    for (size_t c = 0; c < system->m; c++)
        if (system->contact[c].second_tangent) {
            am_disc_list(c, plan->force + j);
            j += AM_DISC_FORCES;
        }
    bool all = needs_all_rates(system);
    for (size_t i = 0, own = j; i < plan->forces; i++) {
        plan->change[i] = i < own && has_change(system, &plan->force[i], all) ? j : AM_NO_ROW;
        if (plan->change[i] != AM_NO_ROW)
            plan->force[j++] = (am_force){.kind = AM_FORCE_CHANGE, .owner = plan->force[i].owner, .of = i};
    }
    for (j = 0; j < plan->forces; j++) {
        am_force *force = &plan->force[j];
        const am_force *of = force->kind == AM_FORCE_CHANGE ? &plan->force[force->of] : force;
        AM_TRY(plan_force(system, force, of, &plan->memory, err));
    }
    return AM_OK;
}

void am_forces_clear(am_plan *plan) {
    for (size_t j = 0; plan->force && j < plan->forces; j++)
        for (size_t p = 0; plan->force[j].formula && p < plan->force[j].pieces; p++)
            am_tape_clear(&plan->force[j].formula[p].tape);
}

am_status am_forces_reserve(const am_plan *plan, am_arena *memory, am_force_work *work, am_error *err) {
    size_t F = plan->forces;
    work->series = am_arena_new(memory, F, sizeof *work->series, err);
    AM_ARENA_ARRAYS(memory, size_t, F, err, &work->piece, &work->left);
    size_t unknowns = plan->followers > 0 ? plan->arguments * F : F;
    work->pivot = am_arena_new(memory, unknowns, sizeof *work->pivot, err);
    work->matrix = am_arena_doubles(memory, NULL, unknowns * unknowns, err);
    AM_ARENA_DOUBLES(memory, unknowns, err, &work->side, &work->scale, &work->known, &work->yield);
    work->gradient = am_arena_doubles(memory, NULL, F * plan->nd, err);
    for (size_t j = 0; work->series && j < F; j++) {
        size_t most = 0;
        for (size_t p = 0; p < plan->force[j].pieces; p++)
            most = most > plan->force[j].formula[p].tape.count ? most : plan->force[j].formula[p].tape.count;
        work->series[j] = am_arena_doubles(memory, NULL, most * AM_TAPE_ORDERS, err);
    }
    return am_arena_status(memory);
}

/* ---- flows ---- */

bool am_force_inner_is_directed(const am_plan *plan, size_t contact, size_t i) {
    const am_law *law = am_law_named(plan->system->contact[contact].speed_friction.law);
    return law && law->memory[i].directed;
}

double am_force_inner_sign(const am_plan *plan, size_t contact, size_t i, const am_contact_state *state) {
    return am_force_inner_is_directed(plan, contact, i) ? -am_slip_sign(state[contact]) : 1.0;
}

/* Does some slider slip whose velocity has a part from the rate of a force? */
static bool change_is_wanted(const am_plan *plan, const am_force *of, const am_contact_state *state) {
    for (size_t c = 0; c < plan->m; c++) {
        bool slips = am_is_closed(state[c]) && state[c] != AM_STICK;
        bool own = !is_spring(of) && of->owner == c;
        bool any = depends_on_all(&plan->system->contact[c], plan->followers > 0);
        if (plan->spring[c] != AM_NO_ROW && slips && (own || any))
            return true;
    }
    return false;
}

bool am_force_acts(const am_plan *plan, size_t j, const am_contact_state *state) {
    const am_force *force = &plan->force[j];
    if (force->kind == AM_FORCE_CHANGE)
        return am_force_acts(plan, force->of, state) && change_is_wanted(plan, &plan->force[force->of], state);
    if (is_spring(force))
        return true;
    if (am_force_is_disc(force->kind))
        return am_disc_acts(force, state[force->owner]);
    bool presses = force->kind == AM_FORCE_PUSH || force->kind == AM_FORCE_WEAKENING ||
                   (force->kind == AM_FORCE_FRICTION && plan->spring[force->owner] != AM_NO_ROW); /* of its limit */
    return presses ? am_is_closed(state[force->owner]) : am_slip_sign(state[force->owner]) != 0.0;
}

double am_force_response(const am_plan *plan, size_t j, const am_contact_state *state, const double *response) {
    const am_force *force = &plan->force[j];
    if (force->kind == AM_FORCE_RATE || force->kind == AM_FORCE_CHANGE || am_force_is_disc(force->kind))
        return 0.0;
    double along = am_dense_dot(response, force->direction, plan->n);
    if (is_spring(force))
        return -along;
    double slip = am_slip_sign(state[force->owner]);
    if (force->kind != AM_FORCE_PUSH)
        return slip * along;
    const am_contact_def *contact = &plan->system->contact[force->owner];
    return along + slip * contact->friction * am_dense_dot(response, contact->tangent, plan->n);
}

size_t am_force_of(const am_plan *plan, am_force_kind kind, size_t contact) {
    for (size_t j = 0; j < plan->forces; j++)
        if (plan->force[j].kind == kind && plan->force[j].owner == contact)
            return j;
    return AM_NO_ROW;
}

/* Where a row over x has entries. */
static am_interval range_of(const double *row, size_t nx) {
    am_interval range = {0, nx};
    while (range.to > 0 && row[range.to - 1] == 0.0)
        range.to--;
    while (range.from < range.to && row[range.from] == 0.0)
        range.from++;
    return range;
}

/* What an acting force depends on, as rows over x. */
static void fill_arguments(const am_plan *plan, const am_flow *flow, const am_force *force, double *row) {
    size_t n = plan->n;
    double *second = row + plan->nx;
    if (force->kind == AM_FORCE_VARYING) {
        memcpy(row, force->direction, n * sizeof *row);
        memcpy(second + plan->nd, plan->system->varying_row + force->owner * plan->nz, plan->nz * sizeof *second);
        return;
    }
    if (force->kind == AM_FORCE_POLYNOMIAL || force->kind == AM_FORCE_PUSH) {
        double sign = force->kind == AM_FORCE_POLYNOMIAL ? 1.0 : -1.0; /* depth = -gap */
        for (size_t i = 0; i < n; i++)
            row[i] = second[n + i] = sign * force->direction[i];
        if (force->kind == AM_FORCE_PUSH) {
            am_plan_gap_row(plan, force->owner, -1.0, row);
            am_plan_gap_rate_row(plan, force->owner, -1.0, second);
        }
        return;
    }
    if (am_force_is_disc(force->kind)) {
        am_disc_arguments(plan, flow, force, row);
        return;
    }
    double slip = am_slip_sign(flow->k.state[force->owner]), sign = slip != 0.0 ? -slip : 1.0;
    if (plan->inner[force->owner] != AM_NO_ROW)
        row[2 * n + plan->inner[force->owner]] = am_force_inner_sign(plan, force->owner, 0, flow->k.state);
    for (size_t i = 1; i < plan->memories[force->owner]; i++, second += plan->nx)
        second[plan->nx + 2 * n + plan->inner[force->owner] + i] =
            am_force_inner_sign(plan, force->owner, i, flow->k.state);
    bool weakening = force->kind == AM_FORCE_WEAKENING;
    if (force->kind != AM_FORCE_FRICTION && !weakening)
        row += plan->nx, second += plan->nx;
    bool own = force->kind == AM_FORCE_RATE && plan->spring[force->owner] != AM_NO_ROW; /* speed: the slider's */
    for (size_t i = 0; !weakening && !own && i < n; i++)
        row[n + i] = sign * force->direction[i];
    if (own)
        am_flow_slide_row(plan, flow, force->owner, row);
    else if (!weakening)
        am_plan_surface_row(plan, force->owner, -sign, row);
    memcpy(second, flow->normal + force->owner * plan->nx, plan->nx * sizeof *second);
}

static void fill_rates(const am_plan *plan, const am_flow *flow, const am_force *force, double *row) {
    const am_force *of = &plan->force[force->of];
    fill_arguments(plan, flow, of, row);
    for (size_t i = 0, m = of->formula->arguments; i < m; i++) {
        /* of a held and constant normal force there is no argument: what stands in its place is overwritten */
        memset(row + (m + i) * plan->nx, 0, plan->nx * sizeof *row);
        am_flow_rate_row(plan, flow, row + i * plan->nx, 1.0, row + (m + i) * plan->nx);
    }
}

/* Velocities of coordinates without mass follow from the forces: a row is written without them. */
static void replace_velocities(const am_plan *plan, const am_flow *flow, double *row) {
    for (size_t i = 0; plan->followers > 0 && i < plan->n; i++) {
        double share = row[plan->n + i];
        if (!plan->massless[i] || share == 0.0)
            continue;
        row[plan->n + i] = 0.0;
        for (size_t j = 0; j < plan->nx; j++)
            row[j] += share * flow->A[i * plan->nx + j];
    }
}

/* Does a force depend on an argument at all, on any piece of its law? */
static bool feels(const am_force *force, size_t argument) {
    for (size_t p = 0; p < force->pieces; p++)
        if (force->formula[p].felt[argument])
            return true;
    return false;
}

am_status am_forces_fill(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t nx = plan->nx, first = plan->nd + plan->nz;
    bool circle = false;
    flow->acting = am_arena_new(&flow->memory, plan->forces, sizeof *flow->acting, err);
    for (size_t j = 0; flow->acting && j < plan->forces; j++)
        if (am_force_acts(plan, j, flow->k.state))
            flow->acting[flow->active++] = j;
    flow->stepwise |= flow->active > 0;
    flow->arguments = plan->arguments;
    flow->argument = am_arena_doubles(&flow->memory, NULL, flow->active * plan->arguments * nx, err);
    flow->argued = am_arena_new(&flow->memory, flow->active * plan->arguments, sizeof *flow->argued, err);
    AM_TRY(am_arena_status(&flow->memory));
    for (size_t a = 0; a < flow->active; a++) {
        double *row = flow->argument + a * plan->arguments * nx;
        const am_force *force = &plan->force[flow->acting[a]];
        (force->kind == AM_FORCE_CHANGE ? fill_rates : fill_arguments)(plan, flow, force, row);
        for (size_t i = 0; i < plan->arguments; i++, row += nx) {
            replace_velocities(plan, flow, row);
            for (size_t b = 0; b < flow->active; b++)
                if (row[first + flow->acting[b]] != 0.0) {
                    flow->loops = true;
                    circle |= b >= a && feels(force, i);
                }
            flow->argued[a * plan->arguments + i] = range_of(row, nx);
        }
    }
    flow->chained = flow->loops && !circle && plan->followers == 0;
    return AM_OK;
}

/* ---- values and orders ---- */

/* What one unit of the weighted norm can do to an argument. */
static double dual_of(const am_plan *plan, const double *row) {
    double sum = 0.0;
    for (size_t i = 0; i < plan->nd; i++)
        sum += plan->weight[i] > 0.0 ? fabs(row[i]) / plan->weight[i] : 0.0;
    return sum;
}

/* Argument i of the acting force a, from the first `columns` entries of x. */
static inline double argument_of(const am_plan *plan, const am_flow *flow, size_t a, size_t i, const double *x,
                                 size_t columns) {
    const am_interval *range = &flow->argued[a * plan->arguments + i];
    const double *row = am_force_argument(plan, flow, a, i);
    size_t to = range->to < columns ? range->to : columns;
    double sum = 0.0;
    for (size_t l = range->from; l < to; l++)
        sum += row[l] * x[l];
    return sum;
}

void am_force_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t a, size_t k,
                        const double *x, size_t columns) {
    size_t j = flow->acting[a];
    const am_formula *f = am_force_formula(plan, work, j);
    for (size_t i = 0; i < f->arguments; i++)
        work->series[j][f->argument[i] * AM_TAPE_ORDERS + k] = argument_of(plan, flow, a, i, x, columns);
    am_force_kind kind = plan->force[j].kind;
    if (k == 0 && (kind == AM_FORCE_DRAG || kind == AM_FORCE_RATE)) {
        size_t c = plan->force[j].owner;
        work->series[j][f->argument[1] * AM_TAPE_ORDERS] -= am_slip_sign(flow->k.state[c]) * work->lost[c];
    }
    double *place = &work->series[j][f->argument[f->edge] * AM_TAPE_ORDERS];
    if (k == 0 && f->singular && fabs(*place) <= work->zero * dual_of(plan, am_force_argument(plan, flow, a, f->edge)))
        *place = 0.0; /* its noise would be taken for a distance from the singularity */
}

bool am_force_begins(const am_plan *plan, const am_flow *flow, const am_force_work *work, size_t j, const double *from,
                     const double *to) {
    const am_force *force = &plan->force[j];
    bool of_contact = force->kind == AM_FORCE_PUSH || force->kind == AM_FORCE_FRICTION ||
                      force->kind == AM_FORCE_DRAG || force->kind == AM_FORCE_WEAKENING ||
                      force->kind == AM_FORCE_CHANGE;
    for (size_t a = 0; of_contact && a < flow->active; a++) {
        const am_force *push = &plan->force[flow->acting[a]];
        const am_formula *f = am_force_formula(plan, work, flow->acting[a]);
        if (push->kind != AM_FORCE_PUSH || push->owner != force->owner || !f->singular)
            continue;
        double edge = work->zero * dual_of(plan, am_force_argument(plan, flow, a, f->edge));
        return fabs(argument_of(plan, flow, a, f->edge, from, plan->nx)) <= edge &&
               fabs(argument_of(plan, flow, a, f->edge, to, plan->nx)) <= 4.0 * edge;
    }
    return false;
}

void am_forces_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, const double *x,
                         size_t columns) {
    for (size_t a = 0; a < flow->active; a++)
        am_force_arguments(plan, flow, work, a, k, x, columns);
}

double am_force_run(const am_plan *plan, am_force_work *work, size_t j, size_t k) {
    const am_formula *f = am_force_formula(plan, work, j);
    if (k > 0 && !work->with_slopes)
        return am_tape_order(&f->tape, k, work->series[j]);
    if (k > 0)
        am_tape_orders(&f->tape, k, work->series[j]);
    else
        am_tape_run(&f->tape, f->tape.count, k, work->series[j]);
    return work->series[j][f->force * AM_TAPE_ORDERS + k];
}

void am_forces_at(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x) {
    size_t first = plan->nd + plan->nz;
    if (!flow->loops) {
        am_forces_order(plan, flow, work, 0, x);
        return;
    }
    for (size_t j = 0; j < plan->forces; j++)
        if (!am_force_acts(plan, j, flow->k.state))
            x[first + j] = 0.0;
    am_loops_values(plan, flow, work, x);
}

/* Order k >= 1 of forces that depend on no others, without their slopes. */
static void order_alone(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *x) {
    size_t first = plan->nd + plan->nz;
    for (size_t a = 0; a < flow->active; a++) {
        size_t j = flow->acting[a];
        const am_formula *f = am_force_formula(plan, work, j);
        double *series = work->series[j];
        for (size_t i = 0; i < f->arguments; i++)
            if (f->counts[i])
                series[f->argument[i] * AM_TAPE_ORDERS + k] = argument_of(plan, flow, a, i, x, first);
        x[first + j] = am_tape_order(&f->tape, k, series);
    }
}

void am_forces_order(const am_plan *plan, const am_flow *flow, am_force_work *work, size_t k, double *x) {
    size_t first = plan->nd + plan->nz;
    if (k == 0 && flow->loops) {
        am_forces_at(plan, flow, work, x);
        return;
    }
    if (flow->active < plan->forces)
        memset(x + first, 0, plan->forces * sizeof *x);
    if (k > 0 && !flow->loops && !work->with_slopes && plan->followers == 0) { /* which look at all arguments */
        order_alone(plan, flow, work, k, x);
        return;
    }
    am_forces_arguments(plan, flow, work, k, x, first);
    for (size_t a = 0; a < flow->active; a++)
        x[first + flow->acting[a]] = am_force_run(plan, work, flow->acting[a], k);
    if (flow->loops)
        am_loops_order(plan, flow, work, k, x);
}

/* ---- pieces ---- */

static size_t piece_at(const am_force *force, double argument) {
    size_t piece = 0;
    while (argument >= force->knot[piece])
        piece++;
    return piece;
}

/* How near to a knot an argument is there. The distance slid has the roundings of its own value, and no others. */
static double nearness(const am_plan *plan, const am_force *force, const double *row, double knot, double zero) {
    bool slid = am_friction_weakens(&plan->system->contact[force->owner].weakening);
    if (force->leaps) /* as far as rounding leaves it the sign itself says it */
        return zero * dual_of(plan, row) / 64.0;
    return !slid ? zero * dual_of(plan, row) : isfinite(knot) ? 16.0 * DBL_EPSILON * knot : 0.0;
}

/* The rate of an argument at x, of which the forces are known: friction is continuous at a knot, so that either piece
 * gives it. */
static double rate_of(const am_plan *plan, const am_flow *flow, const double *row, const double *x) {
    double rate = 0.0;
    for (size_t i = 0; i < plan->n && plan->followers > 0; i++) /* of a velocity that follows from places */
        rate += row[i] * x[plan->n + i];
    for (size_t i = 0; i < plan->rows; i++)
        if (row[plan->n + i] != 0.0)
            rate += row[plan->n + i] * am_dense_dot(flow->A + i * plan->nx, x, plan->nx);
    for (const am_generator_entry *g = plan->system->G, *end = g + plan->system->entries; g < end; g++)
        rate += row[plan->nd + g->row] * g->value * x[plan->nd + g->column]; /* of a surface */
    return rate;
}

void am_forces_choose(const am_plan *plan, const am_flow *flow, am_force_work *work, double *x, double zero) {
    bool at_knot = false;
    work->zero = zero;
    for (size_t a = 0; a < flow->active; a++) {
        const am_force *force = &plan->force[flow->acting[a]];
        if (force->kind == AM_FORCE_CHANGE) { /* it comes after the force whose rate it is */
            work->piece[flow->acting[a]] = work->piece[force->of];
            continue;
        }
        bool divided = force->pieces > 1 && !am_force_is_disc(force->kind);
        work->piece[flow->acting[a]] =
            divided ? piece_at(force, am_dense_dot(am_force_argument(plan, flow, a, 0), x, plan->nx)) : 0;
        if (am_disc_may_slack(force->kind))
            work->piece[flow->acting[a]] = am_disc_is_slack(plan, flow, a, x, zero);
        at_knot |= divided;
    }
    if (!at_knot)
        return;
    am_forces_at(plan, flow, work, x);
    for (size_t a = 0; a < flow->active; a++) {
        size_t j = flow->acting[a];
        const am_force *force = &plan->force[j];
        const double *row = am_force_argument(plan, flow, a, 0);
        if (force->kind == AM_FORCE_CHANGE)
            work->piece[j] = work->piece[force->of];
        if (force->pieces == 1 || am_force_is_disc(force->kind) || force->kind == AM_FORCE_CHANGE)
            continue;
        double v = am_dense_dot(row, x, plan->nx), rate = rate_of(plan, flow, row, x);
        size_t piece = work->piece[j];
        double above = force->knot[piece], below = piece > 0 ? force->knot[piece - 1] : -INFINITY;
        bool enters = rate > 0.0 || (plan->force[j].kind != AM_FORCE_FRICTION && rate == 0.0); /* w follows the slip */
        if (above - v <= nearness(plan, force, row, above, zero) && enters)
            work->piece[j]++;
        else if (v - below <= nearness(plan, force, row, below, zero) && rate < 0.0 && !weakens(plan->system, force))
            work->piece[j]--; /* (a slider that would have to slide back by its law jumps on: sliders.c) */
    }
}

/* The orders of an argument along the span, on [0, 1]. */
static void speed_polynomial(const am_plan *plan, const double *row, const double *series, double length, double *a) {
    double power = 1.0;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= length)
        a[k] = power * am_dense_dot(row, series + k * plan->nx, plan->nx);
}

/* Where on [0, 1] a first gets below zero by more than `zero`, 1 if nowhere. Laws are continuous at their knots: a speed
 * that stays that near to one may keep its piece. */
static double first_zero(const double *a, double zero) {
    double b[AM_COEFFICIENTS], where;
    am_bernstein_from_power(a, b);
    if (!am_bernstein_search(a, b, zero, &where))
        return 1.0;
    double refined = am_bernstein_refine(a, zero, where);
    return refined > 0.5 * where ? refined : where; /* one that begins at zero has left it by then */
}

/* Where on the span the normal force of a contact in a plane passes the one below which its slider has no direction. */
static double disc_until(const am_plan *plan, const am_flow *flow, size_t acting, bool slack, const double *series,
                         double length, double zero) {
    double a[AM_COEFFICIENTS], limit = am_disc_slack_force(plan, flow, acting, zero);
    speed_polynomial(plan, am_force_argument(plan, flow, acting, 2), series, length, a);
    a[0] -= limit;
    for (size_t k = 0; slack && k < AM_COEFFICIENTS; k++)
        a[k] = -a[k];
    return first_zero(a, 0.125 * limit);
}

double am_forces_until(const am_plan *plan, const am_flow *flow, const am_force_work *work, const double *series,
                       double length, double zero) {
    double until = 1.0;
    for (size_t f = 0; f < flow->active; f++) {
        size_t j = flow->acting[f];
        const am_force *force = &plan->force[j];
        const double *row = am_force_argument(plan, flow, f, 0);
        if (am_disc_may_slack(force->kind))
            until = fmin(until, disc_until(plan, flow, f, work->piece[j] == 1, series, length, zero));
        if (force->pieces == 1 || am_force_is_disc(force->kind) || force->kind == AM_FORCE_CHANGE)
            continue;
        double a[AM_COEFFICIENTS], above[AM_COEFFICIENTS], below[AM_COEFFICIENTS];
        speed_polynomial(plan, row, series, length, a);
        for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
            above[k] = -a[k];
            below[k] = a[k];
        }
        size_t piece = work->piece[j];
        above[0] += force->knot[piece];
        if (isfinite(above[0]))
            until = fmin(until, first_zero(above, nearness(plan, force, row, force->knot[piece], zero)));
        if (piece > 0) {
            below[0] -= force->knot[piece - 1];
            until = fmin(until, first_zero(below, nearness(plan, force, row, force->knot[piece - 1], zero)));
        }
    }
    return until * length;
}

/* ---- derivatives ---- */

/* Where coordinates have no mass: P (1 - C P)^-1 R. */
static void gradient_by_arguments(const am_plan *plan, const am_flow *flow, am_force_work *work) {
    size_t F = flow->active, U = F * plan->arguments, nd = plan->nd;
    for (size_t l = 0; l < nd; l++) {
        for (size_t u = 0; u < U; u++)
            work->side[u] = am_force_argument(plan, flow, u / plan->arguments, u % plan->arguments)[l];
        if (flow->loops)
            am_loops_solve_arguments(flow, work);
        for (size_t u = 0; u < U; u++) {
            size_t j = flow->acting[u / plan->arguments], i = u % plan->arguments;
            const am_formula *f = am_force_formula(plan, work, j);
            if (i < f->arguments)
                work->gradient[j * nd + l] += work->series[j][f->slope[i] * AM_TAPE_ORDERS] * work->side[u];
        }
    }
}

void am_forces_gradient(const am_plan *plan, const am_flow *flow, am_force_work *work) {
    size_t F = flow->active, nd = plan->nd;
    memset(work->gradient, 0, plan->forces * nd * sizeof *work->gradient);
    if (plan->followers > 0) {
        gradient_by_arguments(plan, flow, work);
        return;
    }
    for (size_t a = 0; a < F; a++) {
        const am_formula *f = am_force_formula(plan, work, flow->acting[a]);
        double *row = work->gradient + flow->acting[a] * nd;
        for (size_t i = 0; i < f->arguments; i++) {
            double slope = work->series[flow->acting[a]][f->slope[i] * AM_TAPE_ORDERS];
            const double *argument = am_force_argument(plan, flow, a, i);
            for (size_t l = 0; l < nd; l++)
                row[l] += slope * argument[l];
        }
    }
    for (size_t l = 0; flow->loops && l < nd; l++) {
        for (size_t a = 0; a < F; a++)
            work->side[a] = work->gradient[flow->acting[a] * nd + l];
        am_lu_solve(work->matrix, F, work->pivot, 1, work->side);
        for (size_t a = 0; a < F; a++)
            work->gradient[flow->acting[a] * nd + l] = work->side[a];
    }
}

double am_force_noise(const am_plan *plan, const am_flow *flow, const am_force_work *work, size_t j, const double *x) {
    const am_formula *f = am_force_formula(plan, work, j);
    double noise = 0.0;
    size_t a = 0;
    while (a < flow->active && flow->acting[a] != j)
        a++;
    for (size_t i = 0; a < flow->active && i < f->arguments; i++) {
        const double *row = am_force_argument(plan, flow, a, i);
        double sum = 0.0;
        for (size_t l = 0; l < plan->nx; l++)
            sum += fabs(row[l] * x[l]);
        noise += fabs(work->series[j][f->slope[i] * AM_TAPE_ORDERS]) * DBL_EPSILON * sum;
    }
    return noise;
}

void am_forces_size(const am_plan *plan, const am_flow *flow, const am_force_work *work, const double *x,
                    double *size) {
    size_t first = plan->nd + plan->nz;
    memset(size + first, 0, plan->forces * sizeof *size);
    for (size_t a = 0; a < flow->active; a++) {
        size_t j = flow->acting[a];
        const am_formula *f = am_force_formula(plan, work, j);
        double sum = fabs(x[first + j]);
        for (size_t i = 0; i < f->arguments; i++) {
            const double *row = am_force_argument(plan, flow, a, i);
            double slope = fabs(work->series[j][f->slope[i] * AM_TAPE_ORDERS]);
            if (plan->followers > 0 && flow->loops) /* what a law answers to, it does not feel */
                slope *= work->yield[a * plan->arguments + i];
            for (size_t l = 0; slope > 0.0 && l < first; l++)
                sum += slope * fabs(row[l]) * size[l];
        }
        size[first + j] = sum;
    }
}
