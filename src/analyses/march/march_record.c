#include "analyses/march/march_record.h"

#include <math.h>
#include <string.h>

#include "analyses/tables/dynamic_tables.h"
#include "base/arena.h"
#include "base/try.h"
#include "math/dense.h"

/* ---- tables ---- */

static am_status make_events(am_march_recorder *r, am_result *result, am_error *err) {
    r->events = am_dynamic_events(result, r->march->system, err);
    return r->events ? AM_OK : AM_ERR_MEMORY;
}

static am_status make_samples(am_march_recorder *r, am_result *result, am_error *err) {
    if (r->options->samples == 0)
        return AM_OK;
    r->series = am_arena_doubles(&r->memory, NULL, r->options->samples, err);
    r->samples = r->series ? am_dynamic_samples(result, r->march->system, err) : NULL;
    return r->samples ? AM_OK : AM_ERR_MEMORY;
}

static void reserve_returns(am_arena *memory, am_march_returns *back, size_t n2, am_error *err) {
    back->t = am_arena_doubles(memory, NULL, AM_MARCH_RETURNS, err);
    AM_ARENA_DOUBLES(memory, AM_MARCH_RETURNS * n2, err, &back->y, &back->low, &back->high);
    AM_ARENA_DOUBLES(memory, n2, err, &back->least, &back->most);
    AM_ARENA_DOUBLES(memory, AM_MARCH_PEAKS, err, &back->peak_t, &back->peak);
}

am_status am_march_record_init(am_march_recorder *r, am_march *march, const am_march_options *options,
                               am_result *result, am_error *err) {
    size_t n2 = march->size;
    *r = (am_march_recorder){.result = result,
                             .march = march,
                             .options = options,
                             .record_from = fmax(options->from, options->record_from),
                             .first_lift_off = NAN,
                             .least_normal = INFINITY,
                             .most_normal = -INFINITY};
    r->check = am_arena_doubles(&r->memory, NULL, AM_MARCH_CHECKS * n2, err);
    r->y = am_arena_doubles(&r->memory, NULL, n2, err);
    r->shown = am_arena_new(&r->memory, march->m, sizeof *r->shown, err);
    for (size_t k = 0; k < AM_MARCH_SECTIONS; k++)
        reserve_returns(&r->memory, &r->returns[k], n2, err);
    AM_TRY(am_arena_status(&r->memory));
    if (result)
        AM_TRY(make_events(r, result, err));
    return !result ? AM_OK : make_samples(r, result, err);
}

void am_march_record_clear(am_march_recorder *r) {
    am_arena_clear(&r->memory);
}

/* A contact without friction knows no other state than the direction of its sliding, which nothing waits for. */
static am_contact_state shown_state(const am_march *m, size_t c, const double *y) {
    const am_contact_def *contact = &m->system->contact[c];
    if (m->state[c] == AM_OPEN || contact->static_friction > 0.0 || m->system->stop[c])
        return m->state[c];
    return am_march_has_plane(m, c) || am_march_slide(m, c, y + m->n) >= 0.0 ? AM_FORWARD : AM_BACKWARD;
}

/* ---- energy ---- */

static double stored_in_contacts(const am_march *m, const am_contact_state *state, const double *y) {
    double sum = 0.0;
    for (size_t c = 0; c < m->m; c++)
        if (state[c] != AM_OPEN) {
            double stretch = m->kind[c] == AM_MARCH_SPRING  ? y[m->inner[c]]
                             : m->kind[c] == AM_MARCH_PLANE ? am_march_plane_length(m, c, y)
                                                            : 0.0;
            sum += am_march_stored(m, c, y) + 0.5 * m->system->contact[c].tangential_stiffness * stretch * stretch;
        }
    return sum;
}

static double energy_now(am_march_recorder *r) {
    am_march *m = r->march;
    am_march_energy *e = &r->energy;
    e->kinetic = 0.5 * am_dense_quadratic(m->M, m->y + m->n, m->n);
    e->potential = 0.5 * am_dense_quadratic(m->K, m->y, m->n) + am_march_springs_stored(m, m->y);
    e->contact = stored_in_contacts(m, m->state, m->y);
    return e->kinetic + e->potential + e->contact;
}

typedef struct powers {
    double loads, surface, circulatory, damping, friction, contact, impact;
} powers;

/* Does a rigid contact close, or a blow fall, in the step just passed? Its forces are then impulses over the step. */
static bool holds_impact(const am_march *m) {
    if (!m->impulses || m->blown)
        return m->impulses != NULL;
    for (size_t c = 0; c < m->m; c++)
        if (m->system->contact[c].normal_law == AM_UNILATERAL && m->span_state[c] == AM_OPEN &&
            m->state[c] != AM_OPEN && am_march_approach(m, c, m->span_y + m->n) > 0.0)
            return true;
    return false;
}

/* After am_march_rate at (t, y). */
static powers powers_at(const am_march *m, const double *y, bool impact) {
    size_t n = m->n, nz = m->system->nz;
    const double *v = y + n;
    powers p = {0};
    for (size_t i = 0; i < n; i++) {
        p.loads += v[i] * am_dense_dot(m->system->input + i * nz, m->z, nz);
        p.circulatory -= m->A ? v[i] * am_dense_dot(m->A + i * n, y, n) : 0.0;
    }
    for (size_t k = 0; k < m->system->varyings; k++) {
        const double *direction = m->system->varying[k].direction;
        p.loads -= am_dense_dot(m->system->varying_row + k * nz, m->z, nz) * am_dense_dot(direction, y, n) *
                   am_dense_dot(direction, v, n);
    }
    p.damping = am_dense_quadratic(m->C, v, n) + am_march_springs_lost(m, y);
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        double slide = am_march_slide(m, c, v), T = m->tangential[c];
        double across = am_march_slide_across(m, c, v);
        if (m->kind[c] == AM_MARCH_SPRING || m->kind[c] == AM_MARCH_PLANE) /* the slider's own */
            slide -= m->rate[m->inner[c]];
        if (m->kind[c] == AM_MARCH_PLANE)
            across -= m->rate[m->inner[c] + 1];
        p.surface += T * am_system_surface(m->system, c, m->z);
        if (m->state[c] != AM_OPEN)
            p.surface -= m->normal[c] * am_system_gap_rate(m->system, c, m->z);
        bool rigid = contact->normal_law == AM_UNILATERAL;
        *(rigid && impact ? &p.impact : &p.friction) -= T * slide + (m->second ? m->second[c] * across : 0.0);
        if (rigid)
            p.impact += m->normal[c] * am_march_approach(m, c, v);
        if (m->state[c] == AM_OPEN || !am_contact_is_compliant(contact))
            continue;
        double rate = am_march_approach(m, c, v), push = am_march_push(m, c, y);
        double elastic = contact->normal_law == AM_KELVIN_VOIGT ? contact->contact_stiffness * am_march_depth(m, c, y)
                                                                : (push != 0.0 ? m->normal[c] / push : 0.0);
        p.contact += (m->normal[c] - elastic) * rate;
    }
    return p;
}

static void add_powers(am_march_energy *e, powers p, double weight) {
    e->work_loads += weight * p.loads;
    e->work_surface += weight * p.surface;
    e->work_circulatory += weight * p.circulatory;
    e->loss_damping += weight * p.damping;
    e->loss_friction += weight * p.friction;
    e->loss_contact += weight * p.contact;
    e->loss_impact += weight * p.impact;
    e->moved += weight * (fabs(p.loads) + fabs(p.surface) + fabs(p.circulatory) + fabs(p.damping) + fabs(p.friction) +
                          fabs(p.contact) + fabs(p.impact));
}

/* Gauss: exact for powers that are polynomials of degree 11 in a step. */
static void integrate_powers(am_march_recorder *r) {
    static const double at[] = {0.93246951420315202781, 0.66120938646626451366, 0.23861918608319690863};
    static const double weight[] = {0.17132449237917034504, 0.36076157304813860757, 0.46791393457269104739};
    am_march *m = r->march;
    double half = 0.5 * (m->t - m->span_start), middle = 0.5 * (m->t + m->span_start);
    bool impact = holds_impact(m);
    for (int k = 0; k < 6; k++) {
        double t = middle + (k % 2 ? half : -half) * at[k / 2];
        am_march_at(m, t, r->y);
        am_march_rate(m, t, r->y, m->rate);
        add_powers(&r->energy, powers_at(m, r->y, impact), half * weight[k / 2]);
        for (size_t c = 0; c < m->m && t >= r->record_from; c++) {
            r->least_normal = fmin(r->least_normal, m->normal[c]);
            r->most_normal = fmax(r->most_normal, m->normal[c]);
        }
    }
}

/* ---- samples ---- */

static am_status sample_row(am_march_recorder *r, double t, const double *y, am_error *err) {
    am_march *m = r->march;
    am_march_rate(m, t, y, m->rate);
    for (size_t c = 0; c < m->m; c++)
        r->shown[c] = shown_state(m, c, y);
    const am_sample sample = {t, m->n, m->m, y, y + m->n, m->normal, m->tangential, r->shown, m->second};
    r->series[r->next_sample++] = m->m > 0 ? m->normal[0] : 0.0;
    return am_dynamic_sample_row(r->result, r->samples, m->system, &sample, err);
}

static double sample_time(const am_march_recorder *r) {
    return am_dynamic_sample_time(r->record_from, r->options->until, r->next_sample, r->options->samples);
}

static double check_time(const am_march_recorder *r) {
    return am_dynamic_sample_time(r->options->from, r->options->until, r->next_check, AM_MARCH_CHECKS);
}

static am_status take_samples(am_march_recorder *r, bool at_end, am_error *err) {
    am_march *m = r->march;
    while (r->samples && r->next_sample < r->options->samples) {
        double t = sample_time(r);
        if (at_end ? t > m->t : !(t < m->t))
            break;
        if (!at_end)
            am_march_at(m, t, r->y);
        AM_TRY(sample_row(r, t, at_end ? m->y : r->y, err));
    }
    while (r->next_check < AM_MARCH_CHECKS) {
        double t = check_time(r), *y = r->check + r->next_check * m->size;
        if (at_end ? t > m->t : !(t < m->t))
            break;
        if (at_end)
            memcpy(y, m->y, m->size * sizeof *y);
        else
            am_march_at(m, t, y);
        r->next_check++;
    }
    return AM_OK;
}

/* ---- returns ---- */

/* What passes zero downwards at a return. */
static double section(const am_march *m, size_t k, const double *y) {
    if (m->m == 0)
        return k == 0 ? y[m->n] : 0.0;
    const am_contact_def *first = &m->system->contact[0];
    return k == 0 ? -am_dense_dot(first->normal, y + m->n, m->n) : am_dense_dot(first->tangent, y + m->n, m->n);
}

static void widen(am_march_returns *back, const double *y, size_t n2) {
    for (size_t i = 0; i < n2; i++) {
        back->least[i] = fmin(back->least[i], y[i]);
        back->most[i] = fmax(back->most[i], y[i]);
    }
}

static void add_return(am_march_recorder *r, am_march_returns *back, double t, const double *y) {
    size_t n2 = r->march->size, place = back->count++ % AM_MARCH_RETURNS;
    back->t[place] = t;
    memcpy(back->y + place * n2, y, n2 * sizeof *y);
    memcpy(back->low + place * n2, back->least, n2 * sizeof *y);
    memcpy(back->high + place * n2, back->most, n2 * sizeof *y);
    memcpy(back->least, y, n2 * sizeof *y);
    memcpy(back->most, y, n2 * sizeof *y);
    double peak = r->from_equilibrium ? am_march_depth(r->march, 0, y) - r->rest_depth : 0.0;
    if (peak > 1e-12 * fabs(r->rest_depth) && r->changes == 0 && back->peaks < AM_MARCH_PEAKS) {
        back->peak_t[back->peaks] = t;
        back->peak[back->peaks++] = log(peak);
    }
}

static void detect_return(am_march_recorder *r, size_t k) {
    am_march *m = r->march;
    am_march_returns *back = &r->returns[k];
    double after = section(m, k, m->y), from = m->span_start, to = m->t;
    widen(back, m->y, m->size);
    if (back->before > 0.0 && !(after > 0.0)) {
        for (int i = 0; i < 60 && to - from > 1e-15 * fabs(to); i++) {
            double middle = 0.5 * (from + to);
            am_march_at(m, middle, r->y);
            *(section(m, k, r->y) > 0.0 ? &from : &to) = middle;
        }
        am_march_at(m, to, r->y);
        add_return(r, back, to, r->y);
    }
    back->before = after;
}

/* ---- spans and switches ---- */

void am_march_record_start(am_march_recorder *r) {
    am_march *m = r->march;
    r->energy.start = energy_now(r);
    for (size_t k = 0; k < AM_MARCH_SECTIONS; k++) {
        r->returns[k].before = section(m, k, m->y);
        memcpy(r->returns[k].least, m->y, m->size * sizeof(double));
        memcpy(r->returns[k].most, m->y, m->size * sizeof(double));
    }
}

am_status am_march_record_span(am_march_recorder *r, am_error *err) {
    am_march *m = r->march;
    if (m->t > m->span_start)
        integrate_powers(r);
    for (size_t k = 0; k < AM_MARCH_SECTIONS; k++)
        detect_return(r, k);
    AM_TRY(take_samples(r, false, err));
    am_march_rate(m, m->t, m->y, m->rate);
    return AM_OK;
}

static am_status event_row(am_march_recorder *r, const am_march_switch *s, am_error *err) {
    const am_march *m = r->march;
    const am_event event = {.t = m->t,
                            .contact = s->contact,
                            .from = s->from,
                            .to = s->to,
                            .cause = s->cause,
                            .displacement = m->y,
                            .velocity = m->y + m->n,
                            .normal = m->normal,
                            .tangential = m->tangential,
                            .second = m->second};
    return am_dynamic_event_row(r->result, r->events, m->system, &event, err);
}

/* Overlapping surfaces that lose or regain contact: what their compliance holds then is lost, or found again. */
static void count_switch(am_march_recorder *r, const am_march_switch *s) {
    am_march *m = r->march;
    bool leaves = s->to == AM_OPEN, meets = s->from == AM_OPEN;
    double stored = am_march_depth(m, s->contact, m->y) > 0.0 ? am_march_stored(m, s->contact, m->y) : 0.0;
    r->changes++;
    r->lift_offs += leaves;
    r->impacts += meets;
    r->sticks += s->to == AM_STICK;
    r->slips += s->from == AM_STICK && !leaves;
    if (leaves && isnan(r->first_lift_off))
        r->first_lift_off = m->t;
    if (leaves || meets) {
        r->energy.loss_contact += leaves ? stored : -stored;
        r->energy.moved += stored;
    }
}

am_status am_march_record_switches(am_march_recorder *r, am_error *err) {
    am_march *m = r->march;
    r->energy.loss_friction += m->relaxed;
    r->energy.moved += fabs(m->relaxed);
    m->relaxed = 0.0;
    if (m->blown && m->method == AM_MARCH_ADAPTIVE) {
        double gain =
            0.5 * am_dense_quadratic(m->M, m->y + m->n, m->n) - 0.5 * am_dense_quadratic(m->M, m->before, m->n);
        r->energy.work_loads += gain;
        r->energy.moved += fabs(gain);
    }
    for (size_t i = 0; i < m->switches; i++) {
        count_switch(r, &m->change[i]);
        if (r->events && m->t >= r->record_from)
            AM_TRY(event_row(r, &m->change[i], err));
    }
    return AM_OK;
}

am_status am_march_record_end(am_march_recorder *r, am_error *err) {
    energy_now(r);
    return take_samples(r, true, err);
}
