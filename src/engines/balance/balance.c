#include "engines/balance/balance.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "engines/balance/balance_internal.h"
#include "math/complex_lu.h"
#include "math/dense.h"
#include "math/trigonometric.h"
#include "system/capability.h"
#include "system/system.h"

/* ---- what can be balanced ---- */

static am_status check_contact(const am_system *system, size_t index, am_error *err) {
    const am_contact_def *c = am_system_contact(system, index);
    bool impacts = c->normal_law == AM_UNILATERAL, rigid = !(c->tangential_stiffness > 0.0);
    if (impacts || (rigid && am_contact_drops(c)))
        return am_fail_contact(
            err, system, index,
            impacts                 ? "law"
            : c->speed_friction.law ? "friction"
                                    : "static_friction",
            "velocities or friction of '%s' jump by themselves (impacts, static friction without a spring "
            "behind the slider), and a sum of harmonics has half of a jump where it happens; use `response` "
            "or `orbit`, which have such motions exactly",
            c->name);
    if (c->regularisation > 0.0 && c->friction > 0.0 &&
        (c->normal_law != AM_HELD || c->hold.kind != AM_FUNCTION_CONSTANT || c->hold.plus))
        return am_fail_contact(err, system, index, "regularisation",
                               "regularised friction (at '%s') needs a constant normal force here; leave "
                               "`regularisation` out: `response` balances Coulomb's law itself",
                               c->name);
    return AM_OK;
}

static am_status check_system(const am_system *system, am_error *err) {
    AM_TRY(am_system_check(system, "response", err));
    for (size_t c = 0; c < am_system_contacts(system); c++)
        AM_TRY(check_contact(system, c, err));
    return AM_OK;
}

/* What the closed forms of the stop operator do not have. */
static bool needs_slider(const am_contact_def *c) {
    bool goes_on = c->surface_velocity != 0.0;
    for (const am_function *f = &c->surface_motion; f; f = f->plus)
        goes_on |= f->value != 0.0 || f->kind == AM_FUNCTION_TABLE;
    return c->second_tangent || goes_on || am_contact_drops(c) || c->normal_law == AM_HUNT_CROSSLEY;
}

static am_balance_friction friction_of(const am_contact_def *first, const am_contact_def *last) {
    if (first->speed_friction.law && !am_law_sticks(&first->speed_friction))
        return AM_FRICTION_DRAG;
    if (first->speed_friction.law)
        return first->tangential_stiffness > 0.0 ? AM_FRICTION_SLIDER : AM_FRICTION_RIGID;
    if (first->friction == 0.0 && last->friction == 0.0)
        return AM_FRICTIONLESS;
    if (first->tangential_stiffness > 0.0)
        return needs_slider(first) || needs_slider(last) ? AM_FRICTION_SLIDER : AM_FRICTION_JENKINS;
    return first->regularisation > 0.0 ? AM_FRICTION_REGULARISED : AM_FRICTION_RIGID;
}

/* ---- coordinates of balance ---- */

/* Gram and Schmidt, twice: the direction becomes the next column of Q unless it lies in the span of the first ones. */
static bool add_direction(am_balance *b, size_t columns, const double *direction, double *work) {
    size_t n = b->n;
    double before = sqrt(am_dense_dot(direction, direction, n));
    size_t first = 0, end = n; /* outside all is zero: most directions are single coordinates */
    memcpy(work, direction, n * sizeof *work);
    while (first < end && work[first] == 0.0)
        first++;
    while (end > first && work[end - 1] == 0.0)
        end--;
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < columns; j++) {
            double dot = 0.0;
            for (size_t i = first; i < end; i++)
                dot += b->Q[i * n + j] * work[i];
            if (dot == 0.0)
                continue;
            first = 0;
            end = n;
            for (size_t i = 0; i < n; i++)
                work[i] -= dot * b->Q[i * n + j];
        }
    double size = sqrt(am_dense_dot(work, work, n));
    if (!(size > 1e-10 * before))
        return false;
    for (size_t i = 0; i < n; i++)
        b->Q[i * n + columns] = work[i] / size;
    return true;
}

/* work (2 n): the second half holds a unit vector. */
static bool add_unit(am_balance *b, size_t columns, size_t i, double *work) {
    memset(work + b->n, 0, b->n * sizeof *work);
    work[b->n + i] = 1.0;
    return add_direction(b, columns, work + b->n, work);
}

static void gather_directions(am_balance *b, const am_system *system, double *work) {
    for (size_t s = 0; s < b->springs && b->r < b->n; s++)
        b->r += add_direction(b, b->r, am_system_polynomial(system, s)->direction, work);
    for (size_t v = 0; v < b->varyings && b->r < b->n; v++)
        b->r += add_direction(b, b->r, am_system_varying(system, v)->direction, work);
    for (size_t c = 0; c < b->contacts && b->r < b->n; c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        if (b->joint[c].friction != AM_FRICTIONLESS)
            b->r += add_direction(b, b->r, contact->tangent, work);
        if (b->joint[c].friction != AM_FRICTIONLESS && b->joint[c].plane && b->r < b->n)
            b->r += add_direction(b, b->r, contact->second_tangent, work);
        if (b->joint[c].compliant && b->r < b->n)
            b->r += add_direction(b, b->r, contact->normal, work);
    }
    for (size_t i = 0; i < b->levers && b->r < b->n; i++) /* what is controlled stays among the unknowns */
        b->r += add_unit(b, b->r, b->control[i].coordinate, work);
}

/* Condensing pays when enough coordinates go; a few are cheaper kept. */
enum { FEWEST_CONDENSED = 3 };

static am_status choose_coordinates(am_balance *b, const am_system *system, am_error *err) {
    size_t n = b->n;
    double *work = am_arena_doubles(&b->memory, NULL, 2 * n, err);
    b->Q = am_arena_doubles(&b->memory, NULL, n * n, err);
    if (am_arena_status(&b->memory))
        return AM_ERR_MEMORY;
    gather_directions(b, system, work);
    b->condensed = b->r > 0 && b->r + FEWEST_CONDENSED <= n && !b->whole;
    if (b->condensed) {
        size_t columns = b->r;
        for (size_t i = 0; i < n && columns < n; i++)
            columns += add_unit(b, columns, i, work);
    } else {
        b->r = n;
        memset(b->Q, 0, n * n * sizeof *b->Q);
        for (size_t i = 0; i < n; i++)
            b->Q[i * n + i] = 1.0;
    }
    return AM_OK;
}

am_status am_balance_make_row(am_balance *b, const double *direction, am_balance_row *row, am_error *err) {
    size_t n = b->n;
    row->index = am_arena_new(&b->memory, b->r, sizeof *row->index, err);
    row->value = am_arena_doubles(&b->memory, NULL, b->r, err);
    if (am_arena_status(&b->memory))
        return AM_ERR_MEMORY;
    double largest = am_dense_largest(direction, n);
    for (size_t j = 0; j < b->r; j++) {
        double dot = 0.0;
        for (size_t i = 0; i < n; i++)
            dot += b->Q[i * n + j] * direction[i];
        if (fabs(dot) > 1e-14 * largest) {
            row->index[row->count] = j;
            row->value[row->count++] = dot;
        }
    }
    return AM_OK;
}

static bool same_row(const double *a, const double *c, size_t n) {
    return memcmp(a, c, n * sizeof *a) == 0;
}

static bool same_second(const double *a, const double *c, size_t n) {
    return a && c ? same_row(a, c, n) : a == c;
}

static bool same_directions(const am_system *first, const am_system *last) {
    size_t n = am_system_size(first);
    for (size_t c = 0; c < am_system_contacts(first); c++)
        if (!same_row(am_system_contact(first, c)->tangent, am_system_contact(last, c)->tangent, n) ||
            !same_row(am_system_contact(first, c)->normal, am_system_contact(last, c)->normal, n) ||
            !same_second(am_system_contact(first, c)->second_tangent, am_system_contact(last, c)->second_tangent, n))
            return false;
    for (size_t s = 0; s < am_system_polynomials(first); s++)
        if (!same_row(am_system_polynomial(first, s)->direction, am_system_polynomial(last, s)->direction, n))
            return false;
    for (size_t v = 0; v < am_system_varyings(first); v++)
        if (!same_row(am_system_varying(first, v)->direction, am_system_varying(last, v)->direction, n))
            return false;
    return true;
}

/* ---- parts ---- */

static am_status describe_spring(am_balance *b, const am_polynomial_def *def, size_t *first, am_balance_spring *spring,
                                 am_error *err) {
    spring->terms = def->term_count;
    spring->first = *first;
    *first += def->term_count;
    AM_ARENA_ARRAYS(&b->memory, am_polynomial_term, def->term_count, err, &spring->term, &spring->slope_term);
    if (am_arena_status(&b->memory))
        return AM_ERR_MEMORY;
    memcpy(spring->term, def->terms, def->term_count * sizeof *spring->term);
    memcpy(spring->slope_term, def->terms, def->term_count * sizeof *spring->term);
    for (size_t i = 0; i < def->term_count; i++)
        spring->slope_term[i].coefficient = 0.0;
    return am_balance_make_row(b, def->direction, &spring->direction, err);
}

static double along(const am_balance *b, size_t at, const double *t) {
    return am_dense_quadratic(b->dependence.base + at, t, b->n);
}

/* Impedance of the structure at the contact: any positive number gives the same solution, this one good steps. Force
 * and velocity there are those of the structure over and times the length of the tangent, so its square comes in twice.
 */
static double impedance(const am_balance *b, const double *tangent) {
    double square = am_dense_dot(tangent, tangent, b->n), scale = 1.0 / (square * square);
    double m = along(b, b->at_M, tangent) * scale, k = along(b, b->at_K, tangent) * scale,
           omega = b->dependence.base[0];
    if (m > 0.0 && k > 0.0)
        return sqrt(m * k);
    return m > 0.0 ? m * omega : k > 0.0 ? k / omega : 1.0;
}

static am_status describe_joint(am_balance *b, const am_contact_def *contact, am_balance_joint *joint, am_error *err) {
    AM_TRY(am_balance_make_row(b, contact->tangent, &joint->tangent, err));
    AM_TRY(am_balance_make_row(b, contact->normal, &joint->normal, err));
    if (joint->plane)
        AM_TRY(am_balance_make_row(b, contact->second_tangent, &joint->second, err));
    if (joint->friction != AM_FRICTION_RIGID)
        return AM_OK;
    size_t *index = am_arena_new(&b->memory, 1, sizeof *index, err);
    double *value = am_arena_doubles(&b->memory, NULL, 1, err);
    AM_TRY(am_arena_status(&b->memory));
    *index = b->r + b->multipliers++;
    *value = 1.0;
    joint->multiplier = (am_balance_row){1, index, value};
    joint->epsilon = impedance(b, contact->tangent);
    return AM_OK;
}

/* ---- symmetry ---- */

static bool only(const double *signal, size_t H, size_t parity) {
    if (parity == 1 && signal[0] != 0.0)
        return false;
    for (size_t h = 1; h <= H; h++)
        if (h % 2 != parity && (signal[2 * h - 1] != 0.0 || signal[2 * h] != 0.0))
            return false;
    return true;
}

/* Does q(t + T/2) = -q(t) agree with everything that acts? Loads and surfaces odd, normal forces and stiffnesses even,
 * odd springs, no belts. */
static bool is_symmetric(const am_balance *b, const double *numbers) {
    for (size_t i = 0; i < b->n; i++)
        if (!only(numbers + b->at_F + i * b->S, b->H, 1))
            return false;
    for (size_t c = 0; c < b->contacts; c++) {
        const double *own = numbers + b->at_contact + c * b->stride;
        if (b->joint[c].compliant ||
            (b->joint[c].friction != AM_FRICTIONLESS &&
             (!only(am_balance_hold(own), b->H, 0) || !only(am_balance_surface(b, own), b->H, 1))))
            return false;
    }
    for (size_t s = 0; s < b->springs; s++)
        for (size_t i = 0; i < b->spring[s].terms; i++)
            if ((b->spring[s].term[i].displacement + b->spring[s].term[i].velocity) % 2 == 0)
                return false;
    for (size_t v = 0; v < b->varyings; v++)
        if (!only(numbers + b->varying[v].first, 2 * b->H, 0))
            return false;
    return true;
}

static am_status choose_harmonics(am_balance *b, am_parity parity, am_error *err) {
    static const double shares[] = {0.3819660, 1.0, 0.0}; /* where numbers that follow no line differ from `from` */
    bool symmetric = is_symmetric(b, b->dependence.base) && am_balance_levers_odd(b);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        AM_TRY(am_balance_set(b, b->from + shares[i] * (b->to - b->from), err));
        symmetric = symmetric && is_symmetric(b, b->numbers);
    }
    if (parity == AM_PARITY_ODD && !symmetric)
        return am_fail(err, AM_ERR_INPUT,
                       "odd harmonics alone cannot balance this structure: a mean load, a normal force of the loads' "
                       "or a stiffness's own frequency, a belt or an even spring excites even ones");
    b->odd = parity == AM_PARITY_ODD || (parity == AM_PARITY_AUTO && symmetric);
    b->coefficient = am_arena_new(&b->memory, b->S, sizeof *b->coefficient, err);
    if (!b->coefficient)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < b->S; k++)
        if (!b->odd || ((k + 1) / 2) % 2 == 1)
            b->coefficient[b->kept++] = k;
    return AM_OK;
}

/* ---- work space ---- */

static am_status reserve(am_balance *b, am_error *err) {
    size_t n = b->n, r = b->r, S = b->S, H = b->H;
    am_arena *memory = &b->memory;
    b->size = (r + b->multipliers) * b->kept + (b->free_omega ? 1 : 0) + b->levers;
    b->Z = am_arena_new(memory, (H + 1) * r * r, sizeof *b->Z, err);
    b->dZ = am_arena_new(memory, (H + 1) * r * r, sizeof *b->dZ, err);
    b->load = am_arena_new(memory, (H + 1) * r, sizeof *b->load, err);
    b->dload = am_arena_new(memory, (H + 1) * r, sizeof *b->dload, err);
    b->inner = am_arena_new(memory, n * n, sizeof *b->inner, err);
    b->coupling = am_arena_new(memory, (3 * r + 2) * n, sizeof *b->coupling, err);
    b->split = am_arena_doubles(memory, NULL, b->condensed ? am_balance_split_size(n, r) : 0, err);
    b->pivots = am_arena_new(memory, n, sizeof *b->pivots, err);
    b->switching = am_arena_new(memory, r + b->multipliers, sizeof *b->switching, err);
    b->cell = am_cell_create(H, err);
    AM_ARENA_DOUBLES(memory, b->size, err, &b->phase, &b->work, &b->rate);
    b->force = am_arena_doubles(memory, NULL, S, err);
    AM_ARENA_DOUBLES(memory, S * S, err, &b->d1, &b->d2, &b->d3, &b->d4);
    b->drift = am_arena_doubles(memory, NULL, 1 + b->contacts * b->stride, err);
    AM_ARENA_DOUBLES(memory, 2 * H + 2, err, &b->starts, &b->ends, &b->chart_work);
    b->rotated = am_arena_doubles(memory, NULL, b->condensed ? 3 * n * n : 0, err);
    if (b->matrix_slope) {
        b->Zp = am_arena_new(memory, (H + 1) * r * r, sizeof *b->Zp, err);
        b->loadp = am_arena_new(memory, (H + 1) * r, sizeof *b->loadp, err);
        AM_ARENA_DOUBLES(memory, b->condensed ? 3 * n * n : 0, err, &b->rotated_base, &b->rotated_slope);
    }
    b->rotated_load = am_arena_doubles(memory, NULL, b->condensed ? n * S : 0, err);
    b->stale_matrices = b->stale_loads = true;
    return b->cell ? am_arena_status(memory) : AM_ERR_MEMORY;
}

static am_status lay_out(am_balance *b, const am_system *system, const am_balance_options *options, am_error *err) {
    size_t square;
    am_arena *memory = &b->memory;
    b->n = am_system_size(system);
    b->contacts = am_system_contacts(system);
    b->springs = am_system_polynomials(system);
    b->varyings = am_system_varyings(system);
    b->H = options->degree;
    b->S = am_trig_size(b->H);
    square = b->n * b->n;
    b->at_M = 1;
    b->at_C = b->at_M + square;
    b->at_K = b->at_C + square;
    b->at_F = b->at_K + square;
    b->at_contact = b->at_F + b->n * b->S;
    b->stride = CONTACT_NUMBERS + 3 * b->S;
    b->at_terms = b->at_contact + b->contacts * b->stride;
    b->at_varying = b->at_terms;
    for (size_t s = 0; s < b->springs; s++)
        b->at_varying += am_system_polynomial(system, s)->term_count;
    b->count = b->at_varying + b->varyings * am_trig_size(2 * b->H);
    b->numbers = am_arena_doubles(memory, NULL, b->count, err);
    b->signal = am_arena_doubles(memory, NULL, 6 * b->S, err);
    b->joint = am_arena_new(memory, b->contacts, sizeof *b->joint, err);
    b->spring = am_arena_new(memory, b->springs, sizeof *b->spring, err);
    b->varying = am_arena_new(memory, b->varyings, sizeof *b->varying, err);
    return am_arena_status(memory);
}

static bool same_law(const am_speed_friction *a, const am_speed_friction *b) {
    if (!a->law || !b->law)
        return !a->law && !b->law;
    return !strcmp(a->law, b->law) && a->points == b->points &&
           !memcmp(a->speed, b->speed, a->points * sizeof *a->speed) &&
           !memcmp(a->coefficient, b->coefficient, a->points * sizeof *a->coefficient);
}

static am_status take_law(am_balance *b, const am_contact_def *first, const am_contact_def *last,
                          am_balance_joint *joint, am_error *err) {
    const am_speed_friction *use = &first->speed_friction;
    joint->power = first->normal_law == AM_HUNT_CROSSLEY;
    joint->plane = first->second_tangent != NULL;
    joint->worn = am_friction_weakens(&first->weakening) ? am_friction_reach(&first->weakening) : 0.0;
    joint->general = use->law || joint->power;
    if (!same_law(use, &last->speed_friction))
        return am_fail(err, AM_ERR_INPUT,
                       "the parameter changes the law of friction of '%s', or a table of it: it cannot be followed",
                       first->name);
    bool slides = joint->friction == AM_FRICTION_SLIDER;
    joint->general |= slides;
    if (slides && !b->slider)
        b->slider = am_slider_create(b->H, err);
    if (joint->general && !slides && !b->element)
        b->element = am_element_create(b->H, err);
    if (use->law)
        joint->law = am_element_law_create(use, err);
    if (use->law && am_law_named(use->law)->memory[0].start)
        joint->remembered[0] = am_law_named(use->law)->memory[0].start(use, fabs(first->surface_velocity));
    bool prepared = slides ? b->slider != NULL : !joint->general || b->element;
    return prepared && (!use->law || joint->law) ? AM_OK : am_error_status(err);
}

static am_status build(am_balance *b, const am_system *first, const am_system *last, const am_balance_options *options,
                       am_error *err) {
    AM_TRY(lay_out(b, first, options, err));
    if (am_system_size(last) != b->n || am_system_contacts(last) != b->contacts ||
        am_system_polynomials(last) != b->springs || am_system_varyings(last) != b->varyings ||
        !same_directions(first, last))
        return am_fail(err, AM_ERR_INPUT,
                       "the parameter changes which parts the structure has or where they act: it cannot be "
                       "followed");
    for (size_t c = 0; c < b->contacts; c++) {
        b->joint[c].friction = friction_of(am_system_contact(first, c), am_system_contact(last, c));
        b->joint[c].compliant = am_contact_is_compliant(am_system_contact(first, c));
        b->joint[c].drawn = first->drawn[c] || last->drawn[c];
        AM_TRY(take_law(b, am_system_contact(first, c), am_system_contact(last, c), &b->joint[c], err));
    }
    b->levers = options->control_count;
    b->control = options->controls;
    AM_TRY(choose_coordinates(b, first, err));
    size_t terms = b->at_terms;
    for (size_t i = 0; i < b->springs; i++)
        AM_TRY(describe_spring(b, am_system_polynomial(first, i), &terms, &b->spring[i], err));
    for (size_t v = 0; v < b->varyings; v++) {
        b->varying[v].first = b->at_varying + v * am_trig_size(2 * b->H);
        AM_TRY(am_balance_make_row(b, am_system_varying(first, v)->direction, &b->varying[v].direction, err));
    }
    AM_TRY(am_balance_examine(b, err));
    AM_TRY(am_balance_take_levers(b, err));
    AM_TRY(choose_harmonics(b, options->parity, err));
    for (size_t c = 0; c < b->contacts; c++)
        AM_TRY(describe_joint(b, am_system_contact(first, c), &b->joint[c], err));
    AM_TRY(reserve(b, err));
    AM_TRY(am_balance_make_jacobian(b, err));
    AM_TRY(am_balance_find_modes(b, err));
    return am_balance_take_conditions(b, first, err);
}

/* Where sliders had their springs relaxed: a stretch away from where they rested. */
static am_status recall(am_balance *b, const am_system *system, const double *rest, am_error *err) {
    size_t spring = 2 * b->n;
    b->rest = am_arena_doubles(&b->memory, NULL, b->n, err);
    AM_TRY(am_arena_status(&b->memory));
    memcpy(b->rest, rest, b->n * sizeof *rest);
    b->recalls = true;
    for (size_t c = 0; c < b->contacts; c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        const double *const tangent[2] = {contact->tangent, contact->second_tangent};
        for (size_t i = 0; i < 2 && contact->tangential_stiffness > 0.0 && tangent[i]; i++)
            b->joint[c].relaxed[i] = am_dense_dot(tangent[i], rest, b->n) - rest[spring++];
    }
    return AM_OK;
}

static am_status check_options(const am_balance_options *options, am_error *err) {
    if (options->degree < 1)
        return am_fail_field(err, AM_ERR_INPUT, "harmonics", "a response needs at least one harmonic");
    if (options->degree > 100000)
        return am_fail_field(err, AM_ERR_INPUT, "harmonics", "%zu harmonics are more than can be balanced",
                             options->degree);
    if (options->omega < 0.0 || !isfinite(options->omega))
        return am_fail_field(err, AM_ERR_INPUT, "omega", "the frequency must be positive, but is %g", options->omega);
    return AM_OK;
}

/* A copy of the system at p: the model keeps one alive at a time. NULL with err filled. */
static am_system *copy_at(const am_model_line *line, double p, am_error *err) {
    const am_system *system;
    am_status status = am_model_line_at(line, p, &system, err);
    if (!status)
        status = check_system(system, err);
    return status ? NULL : am_system_copy(system, err);
}

am_balance *am_balance_create(const am_model_line *line, double from, double to, const am_balance_options *options,
                              am_error *err) {
    if (check_options(options, err))
        return NULL;
    am_balance *b = am_memory_new(1, sizeof *b, err);
    if (!b)
        return NULL;
    b->line = *line;
    b->from = from;
    b->to = to;
    b->self_excited = options->self_excited;
    b->free_omega = options->self_excited || options->free_omega;
    b->fixed_omega = options->omega;
    b->whole = options->whole;
    b->p = NAN;
    am_system *last = copy_at(line, to, err), *first = last ? copy_at(line, from, err) : NULL;
    am_status status = first ? build(b, first, last, options, err) : AM_ERR_INPUT;
    if (!status && options->rest)
        status = recall(b, first, options->rest, err);
    am_system_free(first);
    am_system_free(last);
    if (!status)
        return b;
    am_balance_free(b);
    return NULL;
}

void am_balance_free(am_balance *b) {
    if (!b)
        return;
    am_balance_drop_chart(b);
    am_balance_free(b->finer);
    am_continuation_free(b->finer_curve);
    am_cell_free(b->cell);
    for (size_t c = 0; c < b->contacts && b->joint; c++)
        am_element_law_free(b->joint[c].law);
    am_element_free(b->element);
    am_slider_free(b->slider);
    am_dependence_clear(&b->dependence);
    am_arena_clear(&b->memory);
    am_memory_free(b);
}

/* ---- using it ---- */

size_t am_balance_size(const am_balance *b) {
    return b->size;
}

size_t am_balance_degree(const am_balance *b) {
    return b->H;
}

size_t am_balance_coordinates(const am_balance *b) {
    return b->n;
}

bool am_balance_odd(const am_balance *b) {
    return b->odd;
}

double am_balance_omega(am_balance *b, const double *x, double p) {
    am_error ignored = {0};
    if (b->free_omega)
        return x[b->size - 1];
    const am_dependence *d = &b->dependence;
    if (!d->straight && am_balance_set(b, p, &ignored))
        return NAN;
    double steered = am_balance_steered_omega(b, x);
    if (p == b->p)
        return b->numbers[0] + steered;
    return steered + (d->moving_count > 0 && d->moving[0] == 0 ? d->base[0] + (p - d->from) * d->slope[0] : d->base[0]);
}

/* The direction in which a shift in time moves x: d u/d theta has the coefficients (h b, -h a). Its squared length. */
static double shift_direction(const am_balance *b, const double *x, double *direction) {
    double size = 0.0;
    memset(direction, 0, b->size * sizeof *direction);
    for (size_t c = 0; c < b->r; c++)
        for (size_t k = 0; k < b->kept; k++) {
            size_t full = b->coefficient[k], at = c * b->kept + k;
            double h = (double)((full + 1) / 2);
            if (full > 0)
                direction[at] = full % 2 == 1 ? h * x[at + 1] : -h * x[at - 1];
            size += direction[at] * direction[at];
        }
    return size;
}

/* The reference of the phase condition is a motion on the branch. A new one turns the tangent, so the old one is kept
 * while the motion still looks like it. */
static void advance(void *context, const double *x, double p) {
    am_balance *b = context;
    double size = sqrt(shift_direction(b, x, b->work)), along_old = am_dense_dot(b->work, b->phase, b->size);
    (void)p;
    if (!(size > 0.0) || along_old > 0.9 * size)
        return;
    for (size_t i = 0; i < b->size; i++)
        b->phase[i] = b->work[i] / size;
}

/* x shifted in time so that it is as near to `start` as it can be: the maximum of their correlation, a signal. */
static void align(void *context, const double *start, const double *x, double *aligned) {
    am_balance *b = context;
    double *correlation = b->signal, shift = 0.0;
    memset(correlation, 0, b->S * sizeof *correlation);
    for (size_t c = 0; c < b->r + b->multipliers; c++)
        for (size_t k = 0; k < b->kept; k++) {
            size_t full = b->coefficient[k], at = c * b->kept + k;
            if (full % 2 == 0)
                continue;
            correlation[full] += start[at] * x[at] + start[at + 1] * x[at + 1];
            correlation[full + 1] += start[at] * x[at + 1] - start[at + 1] * x[at];
        }
    am_trig_extremes(b->H, correlation, NULL, &shift, NULL, NULL);
    memcpy(aligned, x, b->size * sizeof *x);
    for (size_t c = 0; c < b->r + b->multipliers; c++)
        for (size_t k = 0; k < b->kept; k++) {
            size_t full = b->coefficient[k], at = c * b->kept + k;
            double angle = (double)((full + 1) / 2) * shift;
            if (full % 2 == 1) {
                aligned[at] = x[at] * cos(angle) + x[at + 1] * sin(angle);
                aligned[at + 1] = x[at + 1] * cos(angle) - x[at] * sin(angle);
            }
        }
}

/* Does anything but the linear structure act on a coordinate: do its harmonics depend on each other? */
static bool is_switching(const am_balance *b, const double *J, size_t coordinate) {
    for (size_t k = 0; k < b->kept; k++)
        for (size_t l = 0; l < b->kept; l++)
            if ((b->coefficient[k] + 1) / 2 != (b->coefficient[l] + 1) / 2 &&
                J[(coordinate * b->kept + k) * b->size + coordinate * b->kept + l] != 0.0)
                return true;
    return false;
}

/* Contacts that neither slip nor lift are linear: harmonic by harmonic their coordinates are groups that do not meet. */
static size_t arrange(const void *arranger, const double *J, size_t *order, size_t *ends) {
    const am_balance *b = arranger;
    size_t coordinates = b->r + b->multipliers, at = 0, last = b->size, groups = 0;
    for (size_t i = coordinates * b->kept; i < b->size; i++)
        order[--last] = i;
    for (size_t c = 0; c < coordinates; c++) {
        b->switching[c] = is_switching(b, J, c);
        for (size_t k = 0; k < b->kept && b->switching[c]; k++)
            order[--last] = c * b->kept + k;
    }
    for (size_t k = 0; k < b->kept && last > 0;) {
        size_t width = b->coefficient[k] == 0 ? 1 : 2;
        for (size_t c = 0; c < coordinates; c++)
            for (size_t l = 0; l < width && !b->switching[c]; l++)
                order[at++] = c * b->kept + k + l;
        ends[groups++] = at;
        k += width;
    }
    return groups;
}

am_continuation_problem am_balance_problem(am_balance *b) {
    am_continuation_problem problem = {.n = b->size,
                                       .evaluate = am_balance_evaluate,
                                       .advance = b->self_excited ? advance : NULL,
                                       .align = b->self_excited ? align : NULL,
                                       .arrange = arrange,
                                       .arranger = b,
                                       .matrix = b->jacobian ? &am_balance_matrix : NULL,
                                       .context = b};
    am_balance_set_tests(b, &problem);
    return problem;
}

am_status am_balance_pack(am_balance *b, const double *signals, double omega, double p, double *x, am_error *err) {
    AM_TRY(am_balance_set(b, p, err));
    memset(x, 0, b->size * sizeof *x);
    for (size_t c = 0; c < b->r; c++)
        for (size_t i = 0; i < b->n; i++)
            if (b->Q[i * b->n + c] != 0.0)
                for (size_t k = 0; k < b->kept; k++)
                    x[c * b->kept + k] += b->Q[i * b->n + c] * signals[i * b->S + b->coefficient[k]];
    if (b->free_omega)
        x[b->size - 1] = omega;
    if (b->self_excited) {
        memset(b->phase, 0, b->size * sizeof *b->phase);
        advance(b, x, p);
    }
    return AM_OK;
}

void am_balance_pack_friction(const am_balance *b, const double *friction, double *x) {
    for (size_t c = 0; c < b->contacts; c++)
        for (size_t k = 0; k < b->kept && b->joint[c].friction == AM_FRICTION_RIGID; k++)
            x[b->joint[c].multiplier.index[0] * b->kept + k] = friction[c * b->S + b->coefficient[k]];
}

/* q: a - i b of the harmonic of which x has the coefficients from `at` on. */
static am_status unpack_harmonic(am_balance *b, const double *x, double omega, size_t at, double complex *q,
                                 am_error *err) {
    double complex *u = b->load;
    size_t h = (b->coefficient[at] + 1) / 2;
    for (size_t c = 0; c < b->r; c++)
        u[c] = h == 0 ? x[c * b->kept] : x[c * b->kept + at] - I * x[c * b->kept + at + 1];
    b->linear_ready = false;
    return am_balance_recover(b, h, omega, u, q, err);
}

am_status am_balance_unpack(am_balance *b, const double *x, double p, double *signals, am_error *err) {
    AM_TRY(am_balance_set(b, p, err));
    am_balance_steer(b, x);
    double omega = am_balance_omega(b, x, p);
    memset(signals, 0, b->n * b->S * sizeof *signals);
    double complex *q = b->coupling + (3 * b->r + 1) * b->n; /* am_balance_recover leaves it alone */
    for (size_t at = 0; at < b->kept; at += b->coefficient[at] == 0 ? 1 : 2) {
        size_t h = (b->coefficient[at] + 1) / 2;
        AM_TRY(unpack_harmonic(b, x, omega, at, q, err));
        for (size_t i = 0; i < b->n; i++) {
            signals[i * b->S + (h > 0 ? 2 * h - 1 : 0)] = creal(q[i]);
            if (h > 0)
                signals[i * b->S + 2 * h] = -cimag(q[i]);
        }
    }
    return AM_OK;
}

am_status am_balance_unpack_first(am_balance *b, const double *x, double p, double *signals, am_error *err) {
    AM_TRY(am_balance_set(b, p, err));
    am_balance_steer(b, x);
    double complex *q = b->coupling + (3 * b->r + 1) * b->n;
    AM_TRY(unpack_harmonic(b, x, am_balance_omega(b, x, p), b->coefficient[0] == 0 ? 1 : 0, q, err));
    for (size_t i = 0; i < b->n; i++) {
        signals[i * b->S + 1] = creal(q[i]);
        signals[i * b->S + 2] = -cimag(q[i]);
    }
    return AM_OK;
}

/* The unknowns x from `at` on of every coordinate of balance are the harmonic h with the coefficients u = a - i b. */
static void put_harmonic(const am_balance *b, size_t h, size_t at, const double complex *u, double *x) {
    for (size_t c = 0; c < b->r; c++) {
        x[c * b->kept + at] = creal(u[c]);
        if (h > 0)
            x[c * b->kept + at + 1] = -cimag(u[c]);
    }
}

/* The response without contacts and springs: what large motions look like. */
static am_status guess_free(am_balance *b, double p, double *x, am_error *err) {
    size_t r = b->r;
    AM_TRY(am_balance_set(b, p, err));
    memset(x, 0, b->size * sizeof *x);
    am_balance_steer(b, NULL);
    AM_TRY(am_balance_linear(b, am_balance_omega(b, x, p), false, err));
    for (size_t at = 0; at < b->kept;) {
        size_t h = (b->coefficient[at] + 1) / 2;
        double complex *u = b->coupling;
        for (size_t i = 0; i < r * r; i++)
            b->inner[(i % r) * r + i / r] = b->Z[h * r * r + i];
        memcpy(u, b->load + h * r, r * sizeof *u);
        if (!am_complex_lu_factor(b->inner, r, b->pivots))
            return am_fail(err, AM_ERR_LIMIT, "the structure resonates without damping");
        am_complex_lu_solve(b->inner, r, b->pivots, false, 1, u);
        put_harmonic(b, h, at, u, x);
        at += h == 0 ? 1 : 2;
    }
    return AM_OK;
}

/* The same equations with a share s of the loads: F(x) + (1 - s) load = 0. */
typedef struct loading {
    am_balance *b;
    double p;
    double *load; /* size */
    double *x;    /* the motion met last */
} loading;

static am_status evaluate_share(void *context, const double *x, double s, double *F, double *J, double *Fs,
                                am_error *err) {
    loading *l = context;
    am_status status = am_balance_evaluate(l->b, x, l->p, F, J, NULL, err);
    for (size_t i = 0; i < l->b->size && !status; i++) {
        F[i] += (1.0 - s) * l->load[i];
        if (Fs)
            Fs[i] = -l->load[i];
    }
    return status;
}

static bool record_last(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    loading *l = context;
    (void)special;
    memcpy(l->x, point->x, l->b->size * sizeof *l->x);
    return true;
}

static am_status gather_loads(am_balance *b, double p, double *load, am_error *err) {
    AM_TRY(am_balance_set(b, p, err));
    am_balance_steer(b, NULL);
    AM_TRY(am_balance_linear(b, b->numbers[0], false, err));
    memset(load, 0, b->size * sizeof *load);
    for (size_t at = 0; at < b->kept;) {
        size_t h = (b->coefficient[at] + 1) / 2;
        put_harmonic(b, h, at, b->load + h * b->r, load);
        at += h == 0 ? 1 : 2;
    }
    return AM_OK;
}

/* From the unloaded structure to the whole load, through folds where need be. */
static am_status load_slowly(am_balance *b, am_continuation *curve, double p, double *x, am_error *err) {
    am_arena memory = {0};
    loading l = {.b = b, .p = p, .x = x, .load = am_arena_doubles(&memory, NULL, b->size, err)};
    double *start = am_arena_doubles(&memory, NULL, b->size, err);
    am_continuation_problem problem = {
        .n = b->size, .evaluate = evaluate_share, .context = &l, .test_count = am_balance_problem(b).test_count};
    am_continuation_options options = am_continuation_options_default();
    am_continuation_report report = {0};
    options.to = 1.0;
    options.x_scale = 1.0;
    memset(x, 0, b->size * sizeof *x);
    am_status status = am_arena_status(&memory);
    if (!status)
        status = gather_loads(b, p, l.load, err);
    if (!status)
        status = am_continuation_follow(curve, &problem, &options, start, &report, record_last, &l, err);
    am_arena_clear(&memory);
    if (!status && report.end != AM_CONTINUATION_LEFT)
        status = am_fail(err, AM_ERR_LIMIT, "%s", report.sentence);
    return status;
}

typedef am_status start(am_balance *b, am_continuation *curve, double p, double tolerance, double *x, double *residual,
                        am_error *err);

static am_status start_at_once(am_balance *b, am_continuation *curve, double p, double tolerance, double *x,
                               double *residual, am_error *err) {
    am_continuation_problem problem = am_balance_problem(b);
    am_error own = {0};
    memset(x, 0, b->size * sizeof *x); /* at rest every slider sticks: Newton's first step is the stuck structure's */
    am_status status = am_continuation_solve(curve, &problem, p, tolerance, x, residual, &own);
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    if (status == AM_OK)
        return AM_OK;
    if (guess_free(b, p, x, err) == AM_OK &&
        am_continuation_solve(curve, &problem, p, tolerance, x, residual, err) == AM_OK)
        return AM_OK;
    return am_fail(err, AM_ERR_LIMIT, "no periodic response was found to start from at %.15g: %s", p, own.message);
}

static am_status start_slowly(am_balance *b, am_continuation *curve, double p, double tolerance, double *x,
                              double *residual, am_error *err) {
    am_continuation_problem problem = am_balance_problem(b);
    if (b->free_omega)
        return am_fail(err, AM_ERR_LIMIT, "no load sets the frequency of the motion");
    AM_TRY(load_slowly(b, curve, p, x, err));
    return am_continuation_solve(curve, &problem, p, tolerance, x, residual, err);
}

/* Without control first, then under it. */
static am_status start_controlled(am_balance *b, start *find, am_continuation *curve, double p, double tolerance,
                                  double *x, double *residual, am_error *err) {
    am_continuation_problem problem = am_balance_problem(b);
    b->hold = b->levers > 0;
    am_status status = find(b, curve, p, tolerance, x, residual, err);
    b->hold = false;
    if (status || b->levers == 0)
        return status;
    AM_TRY(am_balance_reach_control(b, curve, p, x, err));
    return am_continuation_solve(curve, &problem, p, tolerance, x, residual, err);
}

am_status am_balance_start(am_balance *b, am_continuation *curve, double p, double tolerance, double *x,
                           double *residual, am_error *err) {
    return start_controlled(b, start_at_once, curve, p, tolerance, x, residual, err);
}

am_status am_balance_start_slowly(am_balance *b, am_continuation *curve, double p, double tolerance, double *x,
                                  double *residual, am_error *err) {
    return start_controlled(b, start_slowly, curve, p, tolerance, x, residual, err);
}
