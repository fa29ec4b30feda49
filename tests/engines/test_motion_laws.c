/* Motions whose forces are not linear: friction that depends on the sliding speed, polynomial springs and dampers beside
 * contacts; and compliant contacts, with and without springs behind their sliders. Random structures are checked against the equations of motion and the laws of contact themselves, written
 * out here once more; derivatives against differences of runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "amontons/orbit.h"
#include "cases.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_laws.h"
#include "random_system.h"
#include "results.h"
#include "steps.h"

enum { MOST = 4, CONTACTS = 2, SPRINGS = 2, POINTS = 4 };

/* ---- random structures ---- */

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef struct structure {
    size_t n, m, springs;
    double mass[MOST * MOST], damping[MOST * MOST], stiffness[MOST * MOST];
    double normal[CONTACTS][MOST], tangent[CONTACTS][MOST], along[SPRINGS][MOST], force[MOST];
    am_contact_def contact[CONTACTS];
    law_points points[CONTACTS];
    am_polynomial_def spring[SPRINGS];
    am_polynomial_term term[SPRINGS][2];
    am_function second[CONTACTS]; /* added to the motion of a surface */
    am_varying_def varying;       /* without a direction: none */
    double bend[MOST];
    am_function sweep, record; /* added to the stiffness that varies */
    double times[POINTS], values[POINTS], moments[POINTS];
    am_load_def load[2];
    double press[MOST];
} structure;

/* Compliant, damped or not; some with a spring behind the slider, which has Coulomb friction then. */
static void draw_compliance(structure *s, size_t c, random_source *random) {
    am_contact_def *contact = &s->contact[c];
    contact->normal_law = AM_KELVIN_VOIGT;
    contact->contact_stiffness = random_between(random, 3, 20);
    contact->contact_damping = random_chance(random, 0.5) ? random_between(random, 0.1, 1) : 0;
    s->press[2 * c] = -random_between(random, 0, 2);
    contact->gap = random_between(random, -0.1, 0.1);
    if (random_chance(random, 0.4)) { /* curved, with or without losses */
        static const double exponents[] = {1, 1.5, 2, 2.3};
        contact->normal_law = AM_HUNT_CROSSLEY;
        contact->contact_exponent = exponents[random_index(random, 4)];
        contact->contact_dissipation = random_chance(random, 0.5) ? random_between(random, 0.1, 1) : 0;
        contact->contact_damping = 0;
        return;
    }
    if (random_chance(random, 0.5))
        return;
    random_slider(random, contact);
}

/* Without a tangent and what goes with it; a rigid one may bounce. */
static void make_stop(am_contact_def *contact, random_source *random) {
    contact->tangent = NULL;
    contact->weakening = (am_friction){.law = AM_FRICTION_COULOMB};
    contact->friction = contact->static_friction = contact->surface_velocity = contact->tangential_stiffness = 0;
    contact->speed_friction = (am_speed_friction){.law = NULL};
    if (contact->normal_law == AM_UNILATERAL)
        contact->restitution = random_between(random, 0, 0.8);
}

/* Contacts along coordinates: coordinate 2c is the normal one, 2c + 1 the tangent. Held ones have no normal. */
static void draw_contact(structure *s, size_t c, random_source *random) {
    am_contact_def *contact = &s->contact[c];
    bool held = random_chance(random, 0.3), compliant = !held && random_chance(random, 0.6);
    *contact = am_contact_def_default();
    s->normal[c][2 * c] = 1;
    s->tangent[c][2 * c + 1] = 1;
    contact->tangent = s->tangent[c];
    contact->normal = held ? NULL : s->normal[c];
    contact->surface_velocity = random_between(random, -0.6, 0.6);
    contact->speed_friction = random_speed_law(random, false, &s->points[c]);
    if (random_chance(random, 0.3))
        random_weakening(random, contact, &s->points[c]);
    if (held) {
        contact->normal_law = AM_HELD;
        contact->hold = am_function_sine(random_between(random, 0, 0.5), random_between(random, 0.3, 2), 0);
        contact->hold.value = random_between(random, 1, 2);
        if (random_chance(random, 0.4))
            random_slider(random, contact);
    } else if (compliant) {
        draw_compliance(s, c, random);
    } else {
        s->press[2 * c] = -random_between(random, 1, 3);
    }
    if (!held && random_chance(random, 0.2))
        make_stop(contact, random);
}

static void draw_spring(structure *s, size_t p, random_source *random) {
    for (size_t i = 0; i < s->n; i++)
        s->along[p][i] = random_between(random, -1, 1);
    s->term[p][0] = (am_polynomial_term){random_between(random, 0.1, 1), 3, 0};
    s->term[p][1] = (am_polynomial_term){random_between(random, 0, 0.1), 2, 1};
    s->spring[p] = (am_polynomial_def){NULL, s->along[p], 2, s->term[p]};
}

/* A spring behind the slider of whatever law there is, or of static friction. */
static void put_spring_behind_any(am_contact_def *contact, random_source *random) {
    contact->tangential_restitution = 0; /* a spring gives no impulse */
    if (random_chance(random, 0.3)) {
        random_slider(random, contact);
        contact->static_friction = contact->friction + random_between(random, 0, 0.4);
    }
    contact->tangential_stiffness = exp(random_between(random, log(0.5), log(30)));
}

static am_system *make_system(const structure *s) {
    am_system_def def = am_system_def_default();
    def.n = s->n;
    def.contact_count = s->m;
    def.contacts = s->contact;
    def.load_count = 1 + (dot(s->press, s->press, s->n) > 0);
    def.loads = s->load;
    def.polynomial_count = s->springs;
    def.polynomials = s->spring;
    def.varying_count = s->varying.direction != NULL;
    def.varying = &s->varying;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* Surfaces that swing, and a stiffness that is the sum of a sine, a chirp and a spline. */
static void draw_what_varies(structure *s, random_source *random) {
    for (size_t c = 0; c < s->m; c++) {
        if (!s->contact[c].tangent || random_chance(random, 0.5))
            continue;
        s->second[c] = am_function_sine(random_between(random, 0, 0.3), random_between(random, 1, 5), 1);
        s->contact[c].surface_motion =
            am_function_sine(random_between(random, 0, 0.8), random_between(random, 0.3, 2), 0);
        s->contact[c].surface_motion.plus = &s->second[c];
        if (s->contact[c].normal_law == AM_UNILATERAL && random_chance(random, 0.3)) {
            s->contact[c].restitution_law = random_chance(random, 0.5) ? AM_POISSON : AM_NEWTON;
            s->contact[c].tangential_restitution = random_between(random, 0, 0.5);
        }
    }
    if (random_chance(random, 0.5))
        return;
    for (size_t i = 0; i < s->n; i++)
        s->bend[i] = random_between(random, -1, 1);
    for (size_t i = 0; i < POINTS; i++) {
        s->times[i] = 2 * (double)i + random_between(random, 0, 1);
        s->values[i] = random_between(random, -0.3, 0.3);
    }
    s->record = am_function_table(POINTS, s->times, s->values);
    GOOD(am_function_spline(&s->record, s->moments, err));
    s->record.moments = s->moments;
    s->sweep = am_function_chirp(0.2, random_between(random, 0, 1), random_between(random, 1, 4), 6);
    s->sweep.plus = &s->record;
    s->varying = (am_varying_def){NULL, s->bend, am_function_sine(0.4, random_between(random, 0.5, 3), 2)};
    s->varying.stiffness.plus = &s->sweep;
}

static void draw_structure(structure *s, uint64_t seed) {
    random_source random = random_seed(seed);
    memset(s, 0, sizeof *s);
    s->m = 1 + random_index(&random, CONTACTS);
    s->n = 2 * s->m;
    s->springs = random_index(&random, SPRINGS + 1);
    random_definite(&random, s->n, 0.5, 1, s->mass);
    random_definite(&random, s->n, 0.5, 2, s->stiffness);
    random_definite(&random, s->n, 0, 0.1, s->damping);
    for (size_t c = 0; c < s->m; c++)
        draw_contact(s, c, &random);
    for (size_t p = 0; p < s->springs; p++)
        draw_spring(s, p, &random);
    for (size_t i = 0; i < s->n; i++)
        s->force[i] = random_between(&random, -1, 1);
    s->load[0] =
        (am_load_def){s->force, am_function_sine(random_between(&random, 0.2, 1), random_between(&random, 0.3, 2), 1)};
    s->load[1] = (am_load_def){s->press, am_function_constant(1)};
    random_source other = random_seed(seed + 70000);
    draw_what_varies(s, &other);
    other = random_seed(seed + 90000);
    for (size_t c = 0; c < s->m; c++)
        if (s->contact[c].tangent && random_chance(&other, 0.5))
            put_spring_behind_any(&s->contact[c], &other);
}

/* ---- the laws, once more ---- */

/* Linear between points, constant beyond. */
static double on_line(const double *x, const double *y, size_t points, double at) {
    size_t i = 0;
    while (i < points && x[i] <= at)
        i++;
    if (i == 0 || i == points)
        return y[i == 0 ? 0 : i - 1];
    return y[i - 1] + (at - x[i - 1]) / (x[i] - x[i - 1]) * (y[i] - y[i - 1]);
}

static double weakened(const am_contact_def *contact, double slid) {
    const am_friction *w = &contact->weakening;
    double fall[2] = {contact->static_friction, contact->friction};
    double ends[2] = {w->law == AM_FRICTION_RAMP ? 0 : 0.75 * w->distance,
                      w->distance * (w->law == AM_FRICTION_RAMP ? 2 : 1.25)};
    if (w->law == AM_FRICTION_TABLE)
        return on_line(w->slip, w->coefficient, w->count, slid);
    if (w->law == AM_FRICTION_EXPONENTIAL)
        return fall[1] + (fall[0] - fall[1]) * exp(-slid / w->distance);
    return on_line(ends, fall, 2, slid);
}

static double friction_at(const am_contact_def *contact, double v, double slid) {
    const am_speed_friction *f = &contact->speed_friction;
    const double *p = f->parameter;
    if (am_friction_weakens(&contact->weakening))
        return weakened(contact, slid);
    if (!f->law)
        return contact->friction;
    if (strcmp(f->law, "stribeck") == 0)
        return p[1] + (p[0] - p[1]) * exp(-pow(v / p[2], p[3])) + p[4] * v;
    if (strcmp(f->law, "hyperbolic") == 0)
        return p[1] + (p[0] - p[1]) / (1 + v / p[2]);
    if (strcmp(f->law, "falling") == 0)
        return fmax(p[0] - p[1] * v, p[2]);
    return on_line(f->speed, f->coefficient, f->points, v);
}

/* M a + C v + K q + g - F - contact forces: by how much the equation of motion is not fulfilled. */
static double imbalance(const structure *s, double t, const double *q, const double *v, const double *a,
                        const double *N, const double *T) {
    double worst = 0;
    for (size_t i = 0; i < s->n; i++) {
        double sum = dot(s->mass + i * s->n, a, s->n) + dot(s->damping + i * s->n, v, s->n) +
                     dot(s->stiffness + i * s->n, q, s->n);
        for (size_t l = 0; l < 2; l++)
            sum -= s->load[l].direction[i] * am_function_at(&s->load[l].function, t);
        for (size_t p = 0; p < s->springs; p++) {
            double e = dot(s->along[p], q, s->n), rate = dot(s->along[p], v, s->n);
            sum += s->along[p][i] * (s->term[p][0].coefficient * e * e * e + s->term[p][1].coefficient * e * e * rate);
        }
        if (s->varying.direction)
            sum += s->bend[i] * am_function_at(&s->varying.stiffness, t) * dot(s->bend, q, s->n);
        for (size_t c = 0; c < s->m; c++)
            sum -= (s->contact[c].normal ? s->normal[c][i] * N[c] : 0) + s->tangent[c][i] * T[c];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* By how much its normal force is not the one of its law. */
static double normal_error(const structure *s, size_t c, am_contact_state state, double t, const double *q,
                           const double *v, double N) {
    const am_contact_def *contact = &s->contact[c];
    double depth = -q[2 * c] - contact->gap,
           force = contact->contact_stiffness * depth - contact->contact_damping * v[2 * c];
    if (contact->normal_law == AM_HUNT_CROSSLEY)
        force = depth > 0 ? contact->contact_stiffness * pow(depth, contact->contact_exponent) *
                                (1 - 1.5 * contact->contact_dissipation * v[2 * c])
                          : 0;
    switch (contact->normal_law) {
    case AM_HELD:
        return fabs(N - am_function_at(&contact->hold, t));
    case AM_HUNT_CROSSLEY:
    case AM_KELVIN_VOIGT: /* open: apart, or overlapping where the force would pull */
        return state == AM_OPEN ? fmax(fabs(N), fmin(depth, force)) : fmax(fabs(N - force), fmax(-N, -depth));
    default:
        return state == AM_OPEN ? fmax(fabs(N), depth) : fmax(fabs(depth), -N);
    }
}

/* By how much a contact breaks its law. */
static double lawlessness(const structure *s, size_t c, am_contact_state state, double t, const double *q,
                          const double *v, double N, double T, double slid) {
    const am_contact_def *contact = &s->contact[c];
    double slide = v[2 * c + 1] - contact->surface_velocity - am_function_at(&contact->surface_motion, t),
           worst = normal_error(s, c, state, t, q, v, N);
    bool sprung = contact->tangential_stiffness > 0;
    if (state == AM_OPEN || !contact->tangent)
        return fmax(worst, fabs(T));
    double holds = am_friction_weakens(&contact->weakening)
                       ? weakened(contact, slid)
                       : fmax(friction_at(contact, sprung ? fabs(slide) : 0, slid), contact->static_friction);
    if (state == AM_STICK)
        return fmax(worst, fmax(sprung ? 0 : fabs(slide), fabs(T) - holds * N));
    double sign = state == AM_FORWARD ? 1 : -1;
    if (!sprung) /* a slider behind a spring has a velocity of its own */
        worst = fmax(worst, -sign * slide);
    double speed = sprung ? fabs(slide) : fmax(sign * slide, 0);
    return fmax(worst, fabs(T + sign * friction_at(contact, speed, slid) * N));
}

/* How far a surface has moved. */
static double carried(const am_contact_def *contact, double from, double to) {
    double sum = contact->surface_velocity * (to - from);
    for (const am_function *f = &contact->surface_motion; f; f = f->plus)
        if (f->kind == AM_FUNCTION_SINE)
            sum +=
                f->amplitude / f->frequency * (cos(f->frequency * from + f->phase) - cos(f->frequency * to + f->phase));
    return sum;
}

/* What is at one time: displacements and friction. */
typedef struct instant {
    double t, q[MOST], T[CONTACTS];
} instant;

/* How far a slider has moved along its surface: with the structure, less what its spring is stretched by. */
static double slip_between(const structure *s, size_t c, const instant *a, const instant *b) {
    const am_contact_def *contact = &s->contact[c];
    double moved = b->q[2 * c + 1] - a->q[2 * c + 1] - carried(contact, a->t, b->t);
    return contact->tangential_stiffness > 0 ? moved + (b->T[c] - a->T[c]) / contact->tangential_stiffness : moved;
}

/* A slider that sticks stays where it is, one that slips gets on in its direction. */
static double slider_error(const structure *s, size_t c, am_contact_state state, const instant *a, const instant *b) {
    if (!(s->contact[c].tangential_stiffness > 0) || state == AM_OPEN)
        return 0;
    double slip = slip_between(s, c, a, b);
    return state == AM_STICK ? fabs(slip) : fmax(state == AM_FORWARD ? -slip : slip, 0);
}

/* How far a contact has slid, in all; up to a: `slid`. */
static double slid_after(const structure *s, size_t c, am_contact_state state, const instant *a, const instant *b,
                         double slid) {
    bool slips = state == AM_FORWARD || state == AM_BACKWARD;
    return slid + (slips ? fabs(slip_between(s, c, a, b)) : 0);
}

/* q'' at t from velocities around it: fourth-order differences with h and h/2, and what is left of their error, of order
 * h^4, taken out. */
static void acceleration_at(const am_motion *motion, double t, double h, size_t n, double *a) {
    double v[4][MOST], coarse[MOST];
    for (int half = 0; half < 2; half++, h *= 0.5) {
        for (int k = 0; k < 4; k++)
            am_motion_at(motion, t + (k < 2 ? k - 2 : k - 1) * h, NULL, v[k], NULL, NULL);
        for (size_t j = 0; j < n; j++) {
            double fine = (v[0][j] - 8 * v[1][j] + 8 * v[2][j] - v[3][j]) / (12 * h);
            a[j] = half == 0 ? fine : (16 * fine - coarse[j]) / 15;
            coarse[j] = fine;
        }
    }
}

/* Largest residual inside the span just passed. Next to the steepest laws, which change over a time of some 1e-2, the
 * accelerations above have an error of 1e-9; rounding/h is 1e-12. */
static double worst_in_span(const structure *s, const am_motion *motion) {
    const double h = 5e-4, from = am_motion_span_start(motion), to = am_motion_time(motion);
    double worst = 0, q[MOST], v[MOST], a[MOST], N[CONTACTS], T[CONTACTS];
    for (int i = 0; i < 3 && to - from > 8 * h; i++) {
        double t = from + 2 * h + (to - from - 4 * h) * i / 2;
        acceleration_at(motion, t, h, s->n, a);
        am_motion_at(motion, t, q, v, N, T);
        worst = fmax(worst, imbalance(s, t, q, v, a, N, T));
    }
    return worst;
}

/* Step through the motion; every span and every state between events is looked at. */
static void check_motion(const structure *s, double until, size_t *slips, double *energy) {
    am_error err = {0};
    am_system *system = make_system(s);
    am_motion *motion = am_motion_create(system, true, &err);
    assert_non_null(motion);
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    am_step_kind kind = AM_STEP_SPAN;
    double slid[CONTACTS] = {0}, pull[CONTACTS] = {0};
    bool closed[CONTACTS] = {false};
    while (kind != AM_STEP_END) {
        am_contact_state before[CONTACTS];
        memcpy(before, am_motion_states(motion), s->m * sizeof *before);
        double old = am_motion_time(motion);
        GOOD(am_motion_step(motion, until, &kind, err));
        *slips += am_motion_switches(motion);
        if (am_motion_time(motion) == old) /* no span, but what happens at its end */
            continue;
        double N[CONTACTS], v[MOST];
        instant first = {.t = am_motion_span_start(motion)}, last = first, at;
        am_motion_at(motion, first.t, first.q, NULL, NULL, first.T);
        last = first;
        for (size_t c = 0; c < s->m; c++) /* a slider without mass may have jumped: its spring alone knows */
            if (s->contact[c].tangential_stiffness > 0 && before[c] != AM_OPEN && closed[c])
                slid[c] += fabs(first.T[c] - pull[c]) / s->contact[c].tangential_stiffness;
        assert_near(worst_in_span(s, motion), 0, 1e-8);
        for (int i = 1; i <= 8; i++, last = at) {
            at.t = first.t + (am_motion_time(motion) - first.t) * i / 8;
            am_motion_at(motion, at.t, at.q, v, N, at.T);
            for (size_t c = 0; c < s->m; c++) {
                double now = slid_after(s, c, before[c], &first, &at, slid[c]);
                assert_near(slider_error(s, c, before[c], &last, &at), 0, 1e-12);
                if (i < 8) { /* the end belongs to what comes next */
                    assert_near(fmax(lawlessness(s, c, before[c], at.t, at.q, v, N[c], at.T[c], now), 0), 0, 1e-12);
                    continue;
                }
                slid[c] = now;
                pull[c] = at.T[c];
                closed[c] = before[c] != AM_OPEN;
            }
        }
    }
    *energy = fmax(*energy, am_motion_statistics_get(motion).energy_residual);
    am_motion_free(motion);
    am_system_free(system);
}

static void random_motions_fulfil_their_laws(void **state) {
    (void)state;
    size_t switches = 0;
    double energy = 0;
    for (uint64_t seed = 0; seed < CASES(110, 20); seed++) {
        structure s;
        draw_structure(&s, seed);
        check_motion(&s, 12, &switches, &energy);
    }
    assert_true(switches > CASES(300, 50));
    assert_near(energy, 0, 1e-13); /* of what moved; rounding of some hundred spans */
}

/* ---- derivatives ---- */

typedef struct outcome {
    double state[3 * MOST];
    size_t events;
} outcome;

static outcome run_from(am_motion *motion, const double *start, size_t d, double until) {
    outcome o = {.events = 0};
    am_step_kind kind = AM_STEP_SPAN;
    GOOD(am_motion_start_state(motion, 0, start, err));
    while (kind != AM_STEP_END) {
        GOOD(am_motion_step(motion, until, &kind, err));
        o.events += kind == AM_STEP_EVENT;
    }
    memcpy(o.state, am_motion_state(motion), d * sizeof *o.state);
    return o;
}

/* The derivative with respect to entry j of the start: central differences with h and h/2, of which the error of order
 * h^2 is taken out. False where neighbours switch another number of times: then differences show no derivative. */
static bool difference(am_motion *motion, const double *start, size_t j, double until, const outcome *here,
                       double *found) {
    size_t d = am_motion_dimension(motion);
    double coarse[3 * MOST], h = 4e-6;
    for (int half = 0; half < 2; half++, h *= 0.5) {
        outcome side[2];
        for (int k = 0; k < 2; k++) {
            double moved[3 * MOST];
            memcpy(moved, start, d * sizeof *moved);
            moved[j] += k ? h : -h;
            side[k] = run_from(motion, moved, d, until);
            if (side[k].events != here->events)
                return false;
        }
        for (size_t i = 0; i < d; i++) {
            double fine = (side[1].state[i] - side[0].state[i]) / (2 * h);
            found[i] = half == 0 ? fine : (4 * fine - coarse[i]) / 3;
            coarse[i] = fine;
        }
    }
    return true;
}

/* Differences are known to rounding/h, which the motion amplifies as it does disturbances: some 1e-9 of the largest
 * entry, and more next to grazing switches. Returns how many columns were compared. */
static size_t check_derivative(const structure *s, const double *start, double until) {
    am_error err = {0};
    am_system *system = make_system(s);
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    size_t d = am_motion_dimension(motion), compared = 0;
    double exact[9 * MOST * MOST], largest = 1;
    GOOD(am_motion_follow_sensitivity(motion, true, err));
    outcome here = run_from(motion, start, d, until);
    memcpy(exact, am_motion_sensitivity(motion), d * d * sizeof *exact);
    GOOD(am_motion_follow_sensitivity(motion, false, err));
    for (size_t i = 0; i < d * d; i++)
        largest = fmax(largest, fabs(exact[i]));
    for (size_t j = 0; j < 2 * s->n; j++) {
        double found[3 * MOST];
        if (!difference(motion, start, j, until, &here, found))
            continue;
        compared++;
        for (size_t i = 0; i < d; i++)
            assert_near(found[i], exact[i * d + j], 3e-8 * largest);
    }
    am_motion_free(motion);
    am_system_free(system);
    return compared;
}

/* Above the surfaces and sliding, so that every direction is free at the start. */
static void derivatives_are_those_of_differences(void **state) {
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 500; seed < 500 + CASES(60, 10); seed++) {
        structure s;
        double start[3 * MOST] = {0};
        draw_structure(&s, seed);
        random_source random = random_seed(seed + 1000);
        for (size_t c = 0; c < s.m; c++) /* where bounces accumulate the derivative is known to 1e-7 only */
            s.contact[c].restitution = 0;
        for (size_t i = 0; i < 2 * s.n; i++)
            start[i] = random_between(&random, 0.1, 0.9);
        compared += check_derivative(&s, start, 4);
    }
    assert_true(compared > CASES(80, 8));
}

/* When slip begins depends on the force of the spring, which is not linear, and static friction drops then: the time of
 * the switch moves what follows. */
static void a_drop_of_friction_beside_a_curved_spring_is_followed(void **state) {
    (void)state;
    structure s = {.n = 2, .m = 1, .springs = 1};
    const double start[2 * MOST] = {0.1, 0.2, 0.05, -0.3};
    for (size_t i = 0; i < 2; i++) {
        s.mass[3 * i] = 1 + (double)i;
        s.stiffness[3 * i] = 1;
    }
    s.stiffness[1] = s.stiffness[2] = -0.4;
    s.contact[0] = am_contact_def_default();
    s.tangent[0][1] = s.along[0][1] = s.force[0] = 1;
    s.contact[0].tangent = s.tangent[0];
    s.contact[0].normal_law = AM_HELD;
    s.contact[0].hold = am_function_constant(1);
    s.contact[0].friction = 0.2;
    s.contact[0].static_friction = 0.6;
    s.contact[0].surface_velocity = 0.2;
    s.term[0][0] = (am_polynomial_term){2, 3, 0};
    s.term[0][1] = (am_polynomial_term){0.1, 2, 1};
    s.spring[0] = (am_polynomial_def){NULL, s.along[0], 2, s.term[0]};
    s.load[0] = (am_load_def){s.force, am_function_sine(0.3, 0.7, 1)};
    assert_int_equal(check_derivative(&s, start, 12), 4);
}

/* ---- three motions of one structure ---- */

/* x'' + 0.02 x' + x + 0.3 x^3 + friction = 0.4 sin 1.6 t: a large and a small motion that attract, one between them that
 * does not. */
static am_system *hardening_with_friction(void) {
    static const double one[1] = {1}, damping[1] = {0.02};
    const am_polynomial_term cubic = {0.3, 3, 0};
    const am_polynomial_def spring = {NULL, one, 1, &cubic};
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.05;
    const am_load_def load = {one, am_function_sine(0.4, 1.6, 0)};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = def.load_count = def.polynomial_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    def.polynomials = &spring;
    return dense_system(def, one, damping, one);
}

/* The larger eigenvalue of the map over one period, from differences: h^2 and rounding/h leave some 1e-9. */
static double multiplier_by_differences(const am_system *system, const double *state, double period) {
    const double h = 1e-5;
    double map[2][2];
    am_error err = {0};
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    for (int j = 0; j < 2; j++) {
        double above[2] = {state[0], state[1]}, below[2] = {state[0], state[1]};
        above[j] += h;
        below[j] -= h;
        outcome up = run_from(motion, above, 2, period), down = run_from(motion, below, 2, period);
        for (int i = 0; i < 2; i++)
            map[i][j] = (up.state[i] - down.state[i]) / (2 * h);
    }
    am_motion_free(motion);
    double half = (map[0][0] + map[1][1]) / 2, product = map[0][0] * map[1][1] - map[0][1] * map[1][0];
    return half * half > product ? half + copysign(sqrt(half * half - product), half) : sqrt(product);
}

static void a_guess_is_closed_at_once_be_the_motion_stable_or_not(void **state) {
    (void)state;
    const struct {
        double x, v;
        bool stable;
    } guess[] = {{-1, 0, true}, {-1, -3, false}, {-1.3, 1, true}};
    am_system *system = hardening_with_friction();
    double amplitude[3];
    for (size_t i = 0; i < 3; i++) {
        am_orbit_options options = am_orbit_options_default();
        am_error err = {0};
        am_result *result = am_result_create(&err);
        options.displacement = &guess[i].x;
        options.velocity = &guess[i].v;
        options.transient = 0;
        GOOD(am_orbit_run(system, &options, result, NULL, err));
        assert_true(flag(result, "stable") == guess[i].stable);
        double start[2] = {cell(table_of(result, "samples"), 0, "q1"), cell(table_of(result, "samples"), 0, "v1")};
        double wanted = fabs(multiplier_by_differences(system, start, number(result, "period")));
        assert_near(number(result, "multiplier"), wanted, 1e-8);
        assert_true(number(result, "closing_error") < 1e-13);
        amplitude[i] = number(result, "q1_amplitude");
        am_result_free(result);
    }
    assert_true(amplitude[0] < amplitude[1] && amplitude[1] < amplitude[2]);
    am_system_free(system);
}

/* ---- limits and units ---- */

static void end_of(const structure *s, double until, double *state) {
    am_error err = {0};
    am_system *system = make_system(s);
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    run_until(motion, until);
    memcpy(state, am_motion_state(motion), 2 * s->n * sizeof *state);
    am_motion_free(motion);
    am_system_free(system);
}

static double distance(const double *a, const double *b, size_t n) {
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* What a stiff spring behind a slider changes of displacements is of the order of 1/k (velocities swing in stick, by
 * 1/sqrt(k)). */
static void a_stiff_spring_behind_a_slider_tends_to_the_rigid_law(void **state) {
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 2000; seed < 2000 + CASES(60, 8); seed++) {
        structure s;
        double rigid[2 * MOST], stiff[2 * MOST], stiffer[2 * MOST];
        draw_structure(&s, seed);
        am_contact_def *contact = &s.contact[0];
        if (s.m != 1 || !contact->speed_friction.law || contact->normal_law == AM_HUNT_CROSSLEY)
            continue;
        contact->restitution = contact->tangential_restitution = contact->tangential_stiffness = 0;
        if (contact->normal_law == AM_UNILATERAL) /* impulses rub, and springs give none: it stays closed */
            s.press[0] = -5;
        end_of(&s, 3, rigid);
        contact->tangential_stiffness = 1e4;
        end_of(&s, 3, stiff);
        contact->tangential_stiffness = 1e5;
        end_of(&s, 3, stiffer);
        /* C/k with C some tens: forces of some units on stiffnesses of some units, and switches that they move */
        assert_near(distance(rigid, stiff, s.n), 0, 40 / 1e4);
        assert_near(distance(rigid, stiffer, s.n), 0, 40 / 1e5);
        compared++;
    }
    assert_true(compared >= CASES(8, 1));
}

/* The same structure in units of other masses, lengths and times. */
static void change_units(structure *s, double mass, double length, double time) {
    double force = mass * length / (time * time), speed = length / time;
    for (size_t i = 0; i < s->n * s->n; i++) {
        s->mass[i] *= mass;
        s->damping[i] *= mass / time;
        s->stiffness[i] *= mass / (time * time);
    }
    for (size_t i = 0; i < s->n; i++) {
        s->force[i] *= force;
        s->press[i] *= force;
    }
    s->load[0].function.frequency /= time;
    for (size_t c = 0; c < s->m; c++) {
        am_contact_def *contact = &s->contact[c];
        double *p = contact->speed_friction.parameter;
        const char *law = contact->speed_friction.law ? contact->speed_friction.law : "";
        contact->gap *= length;
        contact->surface_velocity *= speed;
        for (am_function *f = &contact->surface_motion; f; f = f == &s->second[c] ? NULL : &s->second[c]) {
            f->amplitude *= speed;
            f->frequency /= time;
        }
        contact->hold.amplitude *= force;
        contact->hold.value *= force;
        contact->hold.frequency /= time;
        contact->contact_stiffness *= contact->normal_law == AM_HUNT_CROSSLEY
                                          ? force / pow(length, contact->contact_exponent)
                                          : mass / (time * time);
        contact->contact_damping *= mass / time;
        contact->contact_dissipation /= speed;
        contact->tangential_stiffness *= mass / (time * time);
        contact->weakening.distance *= length;
        for (size_t i = 0; i < POINTS; i++) {
            s->points[c].slip[i] *= length;
            s->points[c].speed[i] *= speed;
        }
        if (strcmp(law, "stribeck") == 0 || strcmp(law, "hyperbolic") == 0)
            p[2] *= speed;
        p[strcmp(law, "stribeck") == 0 ? 4 : 1] /=
            strcmp(law, "stribeck") == 0 || strcmp(law, "falling") == 0 ? speed : 1;
    }
}

static void units_do_not_matter(void **state) {
    (void)state;
    const double mass = 4, length = 0.5, time = 2; /* powers of two: roundings are the same */
    for (uint64_t seed = 3000; seed < 3000 + CASES(40, 6); seed++) {
        structure s, other;
        double here[2 * MOST], there[2 * MOST];
        for (int scaled = 0; scaled < 2; scaled++) {
            structure *one = scaled ? &other : &s;
            draw_structure(one, seed);
            one->springs = 0;
            one->varying.direction = NULL;
            if (scaled)
                change_units(one, mass, length, time);
            end_of(one, scaled ? 6 * time : 6, scaled ? there : here);
        }
        for (size_t i = 0; i < 2 * s.n; i++)
            assert_near(there[i] / (i < s.n ? length : length / time), here[i], 1e-9);
    }
}

/* What a curved, damped layer has stored when a mass is torn off it is lost, all of it: beyond its lax end the layer has no
 * series, k d^1.5. */
static void a_curved_layer_left_behind_loses_what_it_has_stored(void **state) {
    (void)state;
    const double up[] = {1}, M = 1, C = 0.05, K = 1;
    const am_load_def load = {up, am_function_sine(3, 1.7, 0)};
    am_contact_def contact = am_contact_def_default();
    am_system_def def = am_system_def_default();
    contact.normal = up;
    contact.normal_law = AM_HUNT_CROSSLEY;
    contact.gap = 0.1;
    contact.contact_stiffness = 14;
    contact.contact_exponent = 1.5;
    contact.contact_dissipation = 0.4;
    def.n = def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    am_system *system = dense_system(def, &M, &C, &K);
    am_motion *motion = am_motion_create(system, true, NULL);
    am_step_kind kind = AM_STEP_SPAN;
    GOOD(am_motion_start(motion, 0, NULL, NULL, err));
    while (kind != AM_STEP_END)
        GOOD(am_motion_step(motion, 12, &kind, err));
    assert_near(am_motion_statistics_get(motion).energy_residual, 0, 1e-13);
    am_motion_free(motion);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_drop_of_friction_beside_a_curved_spring_is_followed),
                                       cmocka_unit_test(a_curved_layer_left_behind_loses_what_it_has_stored),
                                       cmocka_unit_test(a_guess_is_closed_at_once_be_the_motion_stable_or_not),
                                       cmocka_unit_test(derivatives_are_those_of_differences),
                                       cmocka_unit_test(a_stiff_spring_behind_a_slider_tends_to_the_rigid_law),
                                       cmocka_unit_test(units_do_not_matter),
                                       cmocka_unit_test(random_motions_fulfil_their_laws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
