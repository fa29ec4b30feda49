/* A system as one array of numbers, and how they depend on the parameter. */
#include <math.h>
#include <string.h>

#include "amontons/orbit.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/pi.h"
#include "math/quadrature.h"
#include "math/trigonometric.h"

const double *am_balance_contact_numbers(const am_balance *b, size_t contact) {
    return b->numbers + b->at_contact + contact * b->stride;
}

/* ---- functions of time as signals ---- */

/* signal += the harmonic k with the coefficient c = a - i b of a function, of whose derivatives one may be meant. */
static void add_harmonic(const am_function *f, size_t k, double omega, double complex c, double *signal) {
    for (unsigned d = 0; d < f->derivative; d++)
        c *= I * (double)k * omega;
    signal[2 * k - 1] += creal(c);
    signal[2 * k] -= cimag(c);
}

/* amplitude sin(k theta + phase) */
static am_status add_sine(size_t degree, const am_function *f, double omega, double *signal, am_error *err) {
    if (f->amplitude == 0.0)
        return AM_OK;
    double ratio = f->frequency / omega, k = round(ratio);
    if (k < 0.5 || fabs(ratio - k) > 1e-9 * k)
        return am_fail(err, AM_ERR_UNSUPPORTED, "a load's frequency, %.15g, is no multiple of the response's, %.15g",
                       f->frequency, omega);
    if (k > (double)degree)
        return am_fail(
            err, AM_ERR_INPUT,
            "a load has %g times the frequency of the response, and the harmonics asked for know %zu times it "
            "at most: more are needed",
            k, degree);
    add_harmonic(f, (size_t)k, omega, f->amplitude * (sin(f->phase) - I * cos(f->phase)), signal);
    return AM_OK;
}

/* A piece of a table: its length, and its value and first three derivatives as it begins. */
typedef struct piece {
    double length, d[4];
} piece;

/* The last one lasts until the next period begins. */
static piece piece_of(const am_function *f, size_t i) {
    if (i + 1 == f->count)
        return (piece){.length = f->times[0] + f->period - f->times[i], .d = {f->values[i]}};
    double h = f->times[i + 1] - f->times[i], m0 = f->moments ? f->moments[i] : 0.0,
           m1 = f->moments ? f->moments[i + 1] : 0.0;
    double slope = (f->values[i + 1] - f->values[i]) / h - h * (2.0 * m0 + m1) / 6.0;
    return (piece){.length = h, .d = {f->values[i], slope, m0, (m1 - m0) / h}};
}

static double piece_at(const piece *p, double s, unsigned derivative) {
    double value = 0.0, factor = 1.0;
    for (unsigned k = derivative; k < 4; factor *= s / (double)(++k - derivative))
        value += factor * p->d[k];
    return value;
}

/* Integral of a piece times exp(-i w s) from its beginning, s = 0: where it is short by points, elsewhere by parts, the
 * sum of (p^(k)(0) - p^(k)(h) exp(-i w h))/(i w)^(k+1). */
static double complex piece_integral(const piece *p, double w) {
    double complex sum = 0.0, power = 1.0, turn = cexp(-I * w * p->length);
    for (size_t g = 0; g < AM_QUADRATURE_POINTS && w * p->length <= 2.0; g++) {
        double node, weight = 0.5 * p->length * am_quadrature_point(g, &node), s = 0.5 * p->length * (1.0 + node);
        sum += weight * piece_at(p, s, 0) * cexp(-I * w * s);
    }
    for (unsigned k = 0; k < 4 && w * p->length > 2.0; k++) {
        power /= I * w;
        sum += (p->d[k] - piece_at(p, p->length, k) * turn) * power;
    }
    return sum;
}

/* Fourier coefficients of a table that repeats. */
static am_status add_table(size_t degree, const am_function *f, double omega, double *signal, am_error *err) {
    double period = 2.0 * pi / omega, copies = round(period / f->period);
    if (!(f->period > 0.0) || copies < 0.5 || fabs(period / f->period - copies) > 1e-9 * copies)
        return am_fail(err, AM_ERR_UNSUPPORTED, "a load given by a table does not repeat with the response's period");
    for (size_t i = 0; i < f->count; i++) {
        const piece p = piece_of(f, i);
        if (!(p.length > 0.0))
            continue;
        if (f->derivative == 0)
            signal[0] += creal(piece_integral(&p, 0.0)) / f->period;
        for (size_t h = 1; h * (size_t)copies <= degree; h++) {
            double w = 2.0 * pi * (double)h / f->period;
            double complex c = 2.0 / f->period * piece_integral(&p, w) * cexp(-I * w * f->times[i]);
            add_harmonic(f, h * (size_t)copies, omega, c, signal);
        }
    }
    return AM_OK;
}

static am_status add_term(size_t degree, const am_function *f, double omega, double *signal, am_error *err) {
    switch (f->kind) {
    case AM_FUNCTION_CONSTANT:
    case AM_FUNCTION_SINE:
        signal[0] += f->derivative == 0 ? f->value : 0.0;
        return f->kind == AM_FUNCTION_SINE ? add_sine(degree, f, omega, signal, err) : AM_OK;
    case AM_FUNCTION_TABLE:
        return add_table(degree, f, omega, signal, err);
    case AM_FUNCTION_RAMP:
        if (f->rate != 0.0 && f->derivative == 0)
            return am_fail(err, AM_ERR_UNSUPPORTED, "a load grows for ever: there is no periodic response");
        signal[0] += f->derivative == 0 ? f->value : f->derivative == 1 ? f->rate : 0.0;
        return AM_OK;
    default:
        return am_fail(err, AM_ERR_UNSUPPORTED, "`response` knows constant loads, sines and tables that repeat, not %s",
                       am_function_kind_name(f->kind));
    }
}

static am_status add_function(size_t degree, const am_function *function, double omega, double *signal, am_error *err) {
    am_status status = AM_OK;
    for (const am_function *f = function; f && !status; f = f->plus)
        status = add_term(degree, f, omega, signal, err);
    return status;
}

/* ---- reading a system ---- */

static am_status find_omega(const am_balance *b, const am_system *system, double *omega, am_error *err) {
    double period = am_orbit_load_period(system);
    if (isnan(period))
        return am_fail(err, AM_ERR_UNSUPPORTED, "the loads have no common period: the response cannot be periodic");
    if (b->fixed_omega > 0.0) {
        *omega = b->fixed_omega;
        return AM_OK;
    }
    if (b->self_excited) {
        *omega = 1.0;
        return period > 0.0 ? am_fail(err, AM_ERR_INPUT, "a load repeats: the response is forced, not self-excited")
                            : AM_OK;
    }
    *omega = period > 0.0 ? 2.0 * pi / period : 0.0;
    if (!(*omega > 0.0))
        return am_fail(err, AM_ERR_INPUT,
                       "no load repeats (its frequency is zero, or there is none): nothing forces a periodic response");
    return AM_OK;
}

static am_status check_held(const am_balance *b, const am_contact_def *contact, const double *signal, am_error *err) {
    double least;
    am_trig_extremes(b->H, signal, NULL, NULL, &least, NULL);
    if (least < -1e-12 * fabs(signal[0]))
        return am_fail(err, AM_ERR_INPUT, "the normal force of '%s' goes down to %g: a held contact must stay pressed",
                       contact->name, least);
    return AM_OK;
}

static am_status read_contact(const am_balance *b, const am_contact_def *contact, double omega, double *numbers,
                              am_error *err) {
    double *hold = numbers + CONTACT_NUMBERS, *surface = hold + b->S, *gap = surface + b->S;
    numbers[FRICTION] = contact->friction;
    numbers[SPRING] = contact->tangential_stiffness;
    surface[0] = contact->surface_velocity;
    gap[0] = contact->gap;
    numbers[STIFFNESS] = contact->contact_stiffness;
    numbers[DAMPING] = contact->contact_damping;
    numbers[STATIC] = am_friction_weakens(&contact->weakening) ? contact->friction : contact->static_friction;
    numbers[REGULARISED] = contact->regularisation;
    numbers[EXPONENT] = contact->contact_exponent;
    numbers[DISSIPATION] = contact->contact_dissipation;
    memcpy(numbers + LAW, contact->speed_friction.parameter, AM_LAW_PARAMETERS * sizeof *numbers);
    AM_TRY(add_function(b->H, &contact->surface_motion, omega, surface, err));
    AM_TRY(add_function(b->H, &contact->gap_motion, omega, gap, err));
    if (contact->normal_law != AM_HELD)
        return AM_OK;
    AM_TRY(add_function(b->H, &contact->hold, omega, hold, err));
    return check_held(b, contact, hold, err);
}

static am_status read_system(void *context, const am_system *system, double *numbers, am_error *err) {
    am_balance *b = context;
    size_t n = b->n, k = 0;
    if (am_system_size(system) != n || am_system_contacts(system) != b->contacts ||
        am_system_polynomials(system) != b->springs || am_system_varyings(system) != b->varyings)
        return am_fail(err, AM_ERR_INPUT,
                       "the parameter changes how many parts the structure has: it cannot be "
                       "followed");
    memset(numbers, 0, b->count * sizeof *numbers);
    AM_TRY(find_omega(b, system, &numbers[0], err));
    am_matrix_to_dense(am_system_mass(system), numbers + b->at_M);
    am_matrix_to_dense(am_system_damping(system), numbers + b->at_C);
    am_matrix_to_dense(am_system_stiffness(system), numbers + b->at_K);
    if (am_system_circulatory(system))
        for (size_t i = 0; i < n * n; i++)
            numbers[b->at_K + i] += am_matrix_at(am_system_circulatory(system), i / n, i % n);
    for (size_t l = 0; l < am_system_loads(system); l++) {
        const am_load_def *load = am_system_load(system, l);
        memset(b->signal, 0, b->S * sizeof *b->signal);
        AM_TRY(add_function(b->H, &load->function, numbers[0], b->signal, err));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < b->S; j++)
                numbers[b->at_F + i * b->S + j] += load->direction[i] * b->signal[j];
    }
    for (size_t c = 0; c < b->contacts; c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        double *own = numbers + b->at_contact + c * b->stride;
        AM_TRY(read_contact(b, contact, numbers[0], own, err));
        for (size_t i = 0; i < n * b->S; i++) /* a held normal force is a load as well, where it acts on q */
            numbers[b->at_F + i] += contact->normal[i / b->S] * own[CONTACT_NUMBERS + i % b->S];
    }
    for (size_t s = 0; s < b->springs; s++)
        for (size_t i = 0; i < am_system_polynomial(system, s)->term_count; i++)
            numbers[b->at_terms + k++] = am_system_polynomial(system, s)->terms[i].coefficient;
    for (size_t v = 0; v < b->varyings; v++)
        AM_TRY(add_function(2 * b->H, &am_system_varying(system, v)->stiffness, numbers[0],
                            numbers + b->varying[v].first, err));
    return AM_OK;
}

/* ---- the parameter ---- */

static void update_terms(am_balance *b) {
    for (size_t s = 0; s < b->springs; s++)
        for (size_t i = 0; i < b->spring[s].terms; i++)
            b->spring[s].term[i].coefficient = b->numbers[b->spring[s].first + i];
}

static am_status update_laws(am_balance *b, am_error *err) {
    for (size_t c = 0; c < b->contacts; c++)
        if (b->joint[c].law)
            AM_TRY(am_element_law_set(b->joint[c].law, am_balance_contact_numbers(b, c) + LAW, err));
    return AM_OK;
}

am_status am_balance_set(am_balance *b, double p, am_error *err) {
    if (p == b->p)
        return AM_OK;
    if (!am_dependence_at(&b->dependence, p, b->numbers)) {
        const am_system *system;
        am_status status = am_model_line_at(&b->line, p, &system, err);
        if (!status)
            status = read_system(b, system, b->numbers, err);
        if (status) {
            b->p = NAN;
            return status;
        }
    }
    b->p = p;
    AM_TRY(update_laws(b, err));
    b->stale_matrices |= b->moves_matrices && !b->matrix_slope;
    b->stale_loads |= b->moves_loads;
    if (b->moves_matrices || b->moves_loads)
        b->linear_ready = false;
    update_terms(b);
    return AM_OK;
}

/* Matrices that follow straight lines have exact derivatives; a renewed balance has them where it had at first. */
static am_status take_matrix_slope(am_balance *b, am_error *err) {
    const am_dependence *d = &b->dependence;
    bool straight = b->moves_matrices && d->straight;
    if (straight && !b->Z) /* not laid out yet */
        b->slope_work = am_arena_doubles(&b->memory, NULL, 3 * b->n * b->n, err);
    AM_TRY(am_arena_status(&b->memory));
    b->matrix_slope = straight ? b->slope_work : NULL;
    b->moves_other |= straight && !b->matrix_slope;
    if (!b->matrix_slope)
        return AM_OK;
    memset(b->matrix_slope, 0, 3 * b->n * b->n * sizeof *b->matrix_slope);
    for (size_t k = 0; k < d->moving_count; k++)
        if (d->moving[k] >= b->at_M && d->moving[k] < b->at_F)
            b->matrix_slope[d->moving[k] - b->at_M] = d->slope[k];
    return AM_OK;
}

static void classify(am_balance *b) {
    const am_dependence *d = &b->dependence;
    for (size_t k = 0; k < d->moving_count; k++) {
        size_t i = d->moving[k];
        b->moves_matrices |= i >= b->at_M && i < b->at_F;
        b->moves_loads |= i >= b->at_F && i < b->at_contact;
        b->moves_other |= (i >= b->at_F && i < b->at_terms) || i >= b->at_varying;
        for (size_t s = 0; s < b->springs; s++)
            if (i >= b->spring[s].first && i < b->spring[s].first + b->spring[s].terms) {
                b->spring[s].moving = true;
                b->spring[s].slope_term[i - b->spring[s].first].coefficient = d->straight ? d->slope[k] : 0.0;
            }
    }
    if (!d->straight && d->bend == 0)
        b->moves_matrices = b->moves_loads = b->moves_other = true;
}

/* Entries of a matrix, or of a signal, are rounded relative to the largest of them. */
static void share_scales(void *context, double *scale) {
    const am_balance *b = context;
    const size_t at[] = {b->at_M, b->at_C, b->at_K, b->at_F, b->at_contact};
    for (size_t i = 0; i + 1 < sizeof at / sizeof *at; i++)
        am_dependence_share(scale + at[i], at[i + 1] - at[i]);
    for (size_t c = 0; c < 3 * b->contacts; c++)
        am_dependence_share(scale + b->at_contact + c / 3 * b->stride + CONTACT_NUMBERS + c % 3 * b->S, b->S);
    for (size_t v = 0; v < b->varyings; v++)
        am_dependence_share(scale + b->varying[v].first, am_trig_size(2 * b->H));
}

am_status am_balance_load_signal(const am_balance *b, const am_system *system, size_t load, double omega,
                                 double *signal, am_error *err) {
    return add_function(b->H, &am_system_load(system, load)->function, omega, signal, err);
}

am_status am_balance_find_dependence(am_balance *b, const am_model_line *line, double from, double to, am_dependence *d,
                                     am_error *err) {
    const am_dependence_reader reader = {.count = b->count,
                                         .read = read_system,
                                         .share = share_scales,
                                         .context = b,
                                         .straightness = 4e-15, /* rounding of a few operations */
                                         .bends = true};
    return am_dependence_find(d, line, from, to, &reader, err);
}

am_status am_balance_examine(am_balance *b, am_error *err) {
    AM_TRY(am_balance_find_dependence(b, &b->line, b->from, b->to, &b->dependence, err));
    memcpy(b->numbers, b->dependence.base, b->count * sizeof *b->numbers);
    b->p = b->from;
    update_terms(b);
    classify(b);
    return take_matrix_slope(b, err);
}

am_status am_balance_renew(am_balance *b, am_error *err) {
    b->moves_matrices = b->moves_loads = b->moves_other = false;
    for (size_t s = 0; s < b->springs; s++) {
        b->spring[s].moving = false;
        for (size_t i = 0; i < b->spring[s].terms; i++)
            b->spring[s].slope_term[i].coefficient = 0.0;
    }
    am_balance_free(b->finer); /* it would still know the old numbers */
    am_continuation_free(b->finer_curve);
    b->finer = NULL;
    b->finer_curve = NULL;
    b->linear_ready = false;
    b->stale_matrices = b->stale_loads = true;
    AM_TRY(am_balance_examine(b, err));
    return am_balance_renew_control(b, err);
}
