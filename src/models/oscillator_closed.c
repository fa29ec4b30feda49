/* Closed forms of the friction oscillator: docs/oscillator.md derives each of them. */
#include <math.h>

#include "amontons/models.h"
#include "math/pi.h"
#include "models/play.h"

static double phase_of(const am_oscillator *oscillator) {
    return remainder(oscillator->delta_deg, 360.0) * pi / 180.0;
}

double am_oscillator_shakedown_limit(double eta, double delta_deg) {
    double c = eta * cos(remainder(delta_deg, 360.0) * pi / 180.0);
    return eta < 1.0 ? sqrt((1.0 - c * c) / ((1.0 - eta) * (1.0 + eta))) : INFINITY;
}

/* ---- Quasi-static motion ---- */

/* sin t -/+ beta eta sin(t + delta) as one sine each. */
static am_play limits(const am_oscillator *oscillator) {
    double b = oscillator->beta * oscillator->eta, delta = phase_of(oscillator);
    double along = b * cos(delta), across = b * sin(delta);
    return (am_play){.beta = oscillator->beta,
                     .R_f = hypot(1.0 - along, across),
                     .R_b = hypot(1.0 + along, across),
                     .a_f = atan2(across, 1.0 - along),
                     .a_b = atan2(across, 1.0 + along)};
}

static double lower_limit(const am_play *play, double theta) {
    return play->R_f * sin(theta - play->a_f) - play->beta;
}

static double upper_limit(const am_play *play, double theta) {
    return play->R_b * sin(theta + play->a_b) + play->beta;
}

/* The first angle after `theta` that equals `angle` up to whole turns. */
static double first_after(double theta, double angle) {
    return angle + 2.0 * pi * ceil((theta - angle) / (2.0 * pi));
}

/* When a sine R sin(x) rises to `level` next, x >= from; INFINITY if it does not come so high. */
static double rises_to(double R, double level, double from) {
    static const double rounding = 1e-15; /* at its peak a sine turns round: nothing rises any more */
    if (!(level < R * (1.0 - rounding)))
        return INFINITY;
    return first_after(from, asin(fmax(level / R, -1.0)));
}

static void move_to(am_play *play, double theta) {
    if (play->state == AM_FORWARD)
        play->v = lower_limit(play, theta);
    else if (play->state == AM_BACKWARD)
        play->v = upper_limit(play, theta);
    play->theta = theta;
}

bool am_play_next(am_play *play, double end) {
    double change;
    am_contact_state next = AM_STICK;
    if (play->state == AM_FORWARD) {
        change = first_after(play->theta, play->a_f + pi / 2.0);
    } else if (play->state == AM_BACKWARD) {
        change = first_after(play->theta, -play->a_b - pi / 2.0);
    } else {
        /* The upper limit falls to v when minus itself rises to -v: -R_b sin(x) = R_b sin(x - pi). */
        double forward = play->a_f + rises_to(play->R_f, play->v + play->beta, play->theta - play->a_f);
        double backward = -play->a_b + pi + rises_to(play->R_b, play->beta - play->v, play->theta + play->a_b - pi);
        next = forward <= backward ? AM_FORWARD : AM_BACKWARD;
        change = fmin(forward, backward);
    }
    if (!(change <= end)) {
        move_to(play, end);
        return false;
    }
    move_to(play, change);
    if (next == AM_STICK) /* the turning point itself, free of the rounding of its angle */
        play->v = play->state == AM_FORWARD ? play->R_f - play->beta : play->beta - play->R_b;
    play->state = next;
    return true;
}

am_play am_play_start(const am_oscillator *oscillator, double theta, double v) {
    am_play play = limits(oscillator);
    double lower = lower_limit(&play, theta), upper = upper_limit(&play, theta);
    play.theta = theta;
    play.v = v < lower ? lower : v > upper ? upper : v;
    play.state = AM_STICK;
    if (v <= lower && cos(theta - play.a_f) > 0.0)
        play.state = AM_FORWARD;
    else if (v >= upper && cos(theta + play.a_b) < 0.0)
        play.state = AM_BACKWARD;
    return play;
}

double am_oscillator_quasistatic_at(const am_oscillator *oscillator, double from, double v, double t,
                                    am_contact_state *state) {
    if (!oscillator)
        return NAN;
    am_play play = am_play_start(oscillator, oscillator->Omega * from, v);
    double turns = oscillator->Omega * (t - from) / (2.0 * pi);
    /* A play operator has forgotten its start after one cycle: of many cycles only the last part is walked through. */
    double whole = turns > 3.0 ? floor(turns) - 2.0 : 0.0;
    double end = play.theta + 2.0 * pi * (turns - whole);
    while (am_play_next(&play, end))
        ;
    if (state)
        *state = play.state;
    return play.v;
}

/* ---- The steady cycle ---- */

double am_play_energy(double R, double shift, double mean, double eta, double delta, double from, double to) {
    double steady = sin(to + shift) - sin(from + shift);
    double varying =
        cos(2.0 * from + delta + shift) - cos(2.0 * to + delta + shift) + 2.0 * (to - from) * sin(delta - shift);
    return R * (mean * steady + eta / 4.0 * varying);
}

static am_oscillator_cycle at_rest(const am_play *play) {
    double low = play->R_f - play->beta, high = play->beta - play->R_b;
    double v = low > 0.0 ? low : high < 0.0 ? high : 0.0;
    return (am_oscillator_cycle){.v_max = v,
                                 .v_min = v,
                                 .v_peak = fabs(v),
                                 .backward_from = NAN,
                                 .backward_to = NAN,
                                 .forward_from = NAN,
                                 .forward_to = NAN,
                                 .shakedown = true};
}

am_oscillator_cycle am_oscillator_quasistatic(const am_oscillator *oscillator) {
    if (!oscillator)
        return (am_oscillator_cycle){0};
    am_play p = limits(oscillator);
    double eta = oscillator->eta, delta = phase_of(oscillator);
    double beta_cr = am_oscillator_shakedown_limit(eta, oscillator->delta_deg);
    if (!(oscillator->beta < beta_cr) || !(p.R_f + p.R_b > 2.0 * p.beta))
        return at_rest(&p);
    am_oscillator_cycle c = {.v_max = p.R_f - p.beta, .v_min = p.beta - p.R_b};
    c.v_peak = fmax(fabs(c.v_max), fabs(c.v_min));
    c.v_amplitude = 0.5 * (c.v_max - c.v_min);
    /* Onsets of slip, eqs. (B.15) and (B.18): the limit that falls meets v_max, the one that rises meets v_min. */
    double g_b = fmax(-1.0, (p.R_f - 2.0 * p.beta) / p.R_b), g_f = fmin(1.0, (2.0 * p.beta - p.R_b) / p.R_f);
    c.vdot_backward = g_b >= 0.0 ? p.R_b : p.R_b * sqrt((1.0 - g_b) * (1.0 + g_b));
    c.vdot_forward = g_f <= 0.0 ? p.R_f : p.R_f * sqrt((1.0 - g_f) * (1.0 + g_f));
    double turn = 2.0 * pi, b_from = pi - asin(g_b) - p.a_b, f_from = asin(g_f) + p.a_f;
    c.backward_from = b_from - turn * floor(b_from / turn);
    c.forward_from = f_from - turn * floor(f_from / turn);
    c.backward_to = c.backward_from + pi / 2.0 + asin(g_b);
    c.forward_to = c.forward_from + pi / 2.0 - asin(g_f);
    c.dissipation = -am_play_energy(p.R_b, p.a_b, 1.0, eta, delta, c.backward_from, c.backward_to) +
                    am_play_energy(p.R_f, -p.a_f, 1.0, eta, delta, c.forward_from, c.forward_to);
    return c;
}

/* ---- Steady motion without stops ---- */

/* One half cycle, from the maximum at t = 0 to the minimum at t = T = pi/Omega, backward slip all the way:
 *     v = beta + A sin(Omega t + phi) - beta cos(t - T/2)/cos(T/2) */
typedef struct half_cycle {
    double T, Omega, force, phi, friction; /* A Omega, phase, beta/cos(T/2) */
} half_cycle;

static double velocity(const half_cycle *h, double t) {
    return h->force * cos(h->Omega * t + h->phi) + h->friction * sin(t - 0.5 * h->T);
}

static double acceleration(const half_cycle *h, double t) {
    return -h->force * h->Omega * sin(h->Omega * t + h->phi) + h->friction * cos(t - 0.5 * h->T);
}

/* Where the acceleration changes sign between a and b. */
static double turning(const half_cycle *h, double a, double b) {
    bool negative = acceleration(h, a) < 0.0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (a + b);
        if ((acceleration(h, middle) < 0.0) == negative)
            a = middle;
        else
            b = middle;
    }
    return 0.5 * (a + b);
}

/* The largest speed; negative if the velocity is positive somewhere, so that the mass would have stopped. Between two
 * points of the grid the velocity has at most one turning point: its frequencies are 1 and Omega. */
static double largest_speed(const half_cycle *h) {
    double steps = ceil(128.0 * fmax(1.0, h->T / pi)), largest = 0.0;
    for (double i = 0.0; i < steps; i++) {
        double a = h->T * i / steps, b = h->T * (i + 1.0) / steps;
        if (i > 0.0 && velocity(h, a) > 0.0)
            return -1.0;
        if ((acceleration(h, a) < 0.0) == (acceleration(h, b) < 0.0))
            continue;
        double extreme = velocity(h, turning(h, a, b));
        if (extreme > 0.0)
            return -1.0;
        largest = fmax(largest, -extreme);
    }
    return largest;
}

bool am_oscillator_zero_stop(double beta, double Omega, double *v_max, double *vdot_max) {
    double square = (1.0 - Omega) * (1.0 + Omega);
    if (!(beta >= 0.0) || !(Omega > 0.0) || square == 0.0)
        return false;
    double A = 1.0 / square, T = pi / Omega;
    double lag = beta * tan(0.5 * T) / Omega; /* A cos(phi) */
    if (!(fabs(lag) < fabs(A)))
        return false;
    double peak = sqrt((fabs(A) - lag) * (fabs(A) + lag)); /* A sin(phi) > 0, eq. (7.16) */
    half_cycle h = {
        .T = T, .Omega = Omega, .force = A * Omega, .phi = atan2(peak / A, lag / A), .friction = beta / cos(0.5 * T)};
    double speed = largest_speed(&h);
    if (!(acceleration(&h, 0.0) <= 0.0) || !(acceleration(&h, T) >= 0.0) || !(speed > 0.0))
        return false;
    if (v_max)
        *v_max = peak;
    if (vdot_max)
        *vdot_max = speed / Omega;
    return true;
}
