/* Is the response bounded? A mode without damping that a load drives at its own frequency grows for ever unless
 * friction takes what the load gives. Large motions are a sine in the mode phi with its velocity in phase with the
 * load: over a period the load gives pi |phi.F_h| per unit of velocity, friction takes at most the integral of mu N
 * |t.phi| |cos|, which is 4 mu N |t.phi| for a constant normal force. Springs of sliders do not matter then: their
 * forces are bounded. Compliant contacts, polynomial springs and stiffness that varies change what a mode is: only modes
 * that leave them alone are looked at. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/pi.h"
#include "math/trigonometric.h"
#include "system/system.h"

/* Frequencies nearer than this to each other are one; projections smaller than this part of their terms vanish. */
static const double same = 1e-9, nothing = 1e-10;

typedef struct search {
    am_balance *b;
    const am_system *system; /* for the directions */
    double *V, *work;        /* n x n: modes as rows, v.M v = 1; the same */
    double *omega, *before;  /* n: natural frequencies at the present p and at the one before */
    double *rows, *basis;    /* (n + contacts + springs + varyings) x n; n x n */
    double *phi, *F;         /* n; 2 n: the load's harmonic, cosine and sine */
    double taken;            /* by friction, over what the load gives */
} search;

/* ---- modes ---- */

static bool is_symmetric(const double *A, size_t n) {
    double size = am_dense_largest(A, n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(A[i * n + j] - A[j * n + i]) > 1e-12 * size)
                return false;
    return true;
}

/* False where the structure has no modes: without mass in some direction, or with circulatory forces. */
static bool find_modes(search *s, double p) {
    am_balance *b = s->b;
    am_error own = {0};
    size_t n = b->n;
    if (am_balance_set(b, p, &own) || !is_symmetric(b->numbers + b->at_K, n))
        return false;
    memcpy(s->V, b->numbers + b->at_K, n * n * sizeof *s->V);
    memcpy(s->work, b->numbers + b->at_M, n * n * sizeof *s->V);
    if (am_generalised_eigen(s->V, s->work, n, s->omega, &own))
        return false;
    for (size_t i = 0; i < n; i++)
        s->omega[i] = sqrt(fmax(0.0, s->omega[i]));
    return true;
}

/* ---- one resonance ---- */

static double along(const double *direction, const double *phi, size_t n) {
    double dot = am_dense_dot(direction, phi, n), size = 0.0;
    for (size_t i = 0; i < n; i++)
        size += fabs(direction[i] * phi[i]);
    return fabs(dot) > nothing * size ? dot : 0.0;
}

/* The modes of this frequency that no damping reaches and that leave compliant contacts and springs alone: their
 * combinations c with sum of c_k (C v_k, n.v_k, ...) = 0, as rows of `basis` over the modes first .. first + count. */
static size_t undamped_combinations(search *s, size_t first, size_t count) {
    am_balance *b = s->b;
    size_t n = b->n, rows = n;
    am_error own = {0};
    const double *C = b->numbers + b->at_C;
    for (size_t k = 0; k < count; k++) {
        const double *v = s->V + (first + k) * n;
        double size = fmax(s->omega[first], 1e-300) * am_dense_largest(b->numbers + b->at_M, n * n);
        rows = n;
        for (size_t i = 0; i < n; i++)
            s->rows[i * count + k] = am_dense_dot(C + i * n, v, n) / size;
        for (size_t c = 0; c < b->contacts; c++)
            if (b->joint[c].compliant)
                s->rows[rows++ * count + k] = along(am_system_contact(s->system, c)->normal, v, n);
        for (size_t c = 0; c < b->springs; c++)
            s->rows[rows++ * count + k] = along(am_system_polynomial(s->system, c)->direction, v, n);
        for (size_t c = 0; c < b->varyings; c++)
            s->rows[rows++ * count + k] = along(am_system_varying(s->system, c)->direction, v, n);
    }
    double largest = am_dense_largest(s->rows, rows * count);
    memset(s->basis, 0, count * count * sizeof *s->basis);
    for (size_t k = 0; k < count; k++)
        s->basis[k * count + k] = 1.0;
    if (!(largest > 1e-12)) /* no force drives any of these modes */
        return count;
    size_t found = 0;
    return am_null_space(s->rows, rows, count, s->basis, &found, &own) ? 0 : found;
}

/* Does friction take less than the load gives to a motion along phi, harmonic h? */
static bool grows_along(search *s, const double *phi, size_t h) {
    const am_balance *b = s->b;
    size_t n = b->n;
    double cosine = along(s->F, phi, n), sine = along(s->F + n, phi, n), given = pi * hypot(cosine, sine), taken = 0.0;
    double phase = atan2(sine, cosine), size = 0.0;
    for (size_t i = 0; i < n; i++)
        size += (fabs(s->F[i]) + fabs(s->F[n + i])) * fabs(phi[i]);
    if (!(given > nothing * size))
        return false;
    for (size_t c = 0; c < b->contacts; c++) {
        enum { SAMPLES = 720 };
        const double *numbers = am_balance_contact_numbers(b, c);
        double moved = fabs(along(am_system_contact(s->system, c)->tangent, phi, n)), sum = 0.0;
        if (b->joint[c].friction == AM_FRICTIONLESS || moved == 0.0)
            continue;
        if (b->joint[c].compliant || b->joint[c].general)
            return false; /* how hard it is pressed, or what it takes at large speeds, is not known here */
        for (int k = 0; k < SAMPLES; k++) {
            double theta = 2.0 * pi * (k + 0.5) / SAMPLES;
            sum += am_trig_value(b->H, am_balance_hold(numbers), theta) * fabs(cos((double)h * theta - phase));
        }
        taken += numbers[FRICTION] * moved * sum * 2.0 * pi / SAMPLES;
    }
    s->taken = taken / given;
    return taken < given * (1.0 - 1e-5); /* the error of the integral */
}

/* Among modes of one frequency the load chooses a direction; and one that no friction reaches, if there is any. */
static bool grows(search *s, size_t first, size_t count, size_t h) {
    size_t n = s->b->n, free = undamped_combinations(s, first, count);
    for (int part = 0; part < 2; part++) {
        memset(s->phi, 0, n * sizeof *s->phi);
        for (size_t k = 0; k < free; k++) {
            double *mode = s->work + k * n, share;
            memset(mode, 0, n * sizeof *mode);
            for (size_t l = 0; l < count; l++)
                for (size_t i = 0; i < n; i++)
                    mode[i] += s->basis[k * count + l] * s->V[(first + l) * n + i];
            share = free == 1 ? 1.0 : am_dense_dot(mode, s->F + (size_t)part * n, n);
            for (size_t i = 0; i < n; i++)
                s->phi[i] += share * mode[i];
        }
        if (free > 0 && grows_along(s, s->phi, h))
            return true;
    }
    return false;
}

/* ---- along the range ---- */

static bool gather_load(search *s, size_t h) {
    const am_balance *b = s->b;
    bool any = false;
    for (size_t i = 0; i < b->n; i++) {
        const double *signal = b->numbers + b->at_F + i * b->S;
        s->F[i] = signal[2 * h - 1];
        s->F[b->n + i] = signal[2 * h];
        any = any || s->F[i] != 0.0 || s->F[b->n + i] != 0.0;
    }
    return any;
}

/* The p between two samples at which h omega(p) is the j-th natural frequency. */
static double meet(search *s, size_t j, size_t h, double low, double high) {
    find_modes(s, low);
    bool below = (double)h * s->b->numbers[0] < s->omega[j];
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (!find_modes(s, middle))
            break;
        ((double)h * s->b->numbers[0] < s->omega[j]) == below ? (low = middle) : (high = middle);
    }
    return 0.5 * (low + high);
}

static am_status refuse(const search *s, const char *parameter, double p, double omega, am_error *err) {
    char place[160] = "";
    if (parameter)
        snprintf(place, sizeof place, " at %.100s = %.9g", parameter, p);
    char friction[128] = "nothing limits it";
    if (s->taken > 0.0)
        snprintf(friction, sizeof friction, "friction takes only %.3g of the energy that the load gives", s->taken);
    return am_fail_field(
        err, AM_ERR_INPUT, parameter ? "over" : "",
        "the response is unbounded%s: there a load drives a mode without damping at its own frequency, "
        "%.9g, and %s; give the structure damping, or leave this place out of the range",
        place, omega, friction);
}

static am_status check_resonance(search *s, const char *parameter, size_t j, size_t h, double p, am_error *err) {
    size_t first = j, count = 1, n = s->b->n;
    if (!find_modes(s, p) || !gather_load(s, h))
        return AM_OK;
    while (first > 0 && s->omega[j] - s->omega[first - 1] <= same * s->omega[j])
        first--;
    while (first + count < n && s->omega[first + count] - s->omega[j] <= same * s->omega[j])
        count++;
    s->taken = 0.0;
    return grows(s, first, count, h) ? refuse(s, parameter, p, s->omega[j], err) : AM_OK;
}

static am_status check_resonances_between(search *s, const char *parameter, double before, double p,
                                          double omega_before, am_error *err) {
    am_status status = AM_OK;
    double omega = s->b->numbers[0];
    for (size_t h = 1; h <= s->b->H && !status; h++) {
        if (!gather_load(s, h))
            continue;
        for (size_t j = 0; j < s->b->n && !status; j++) {
            double here = (double)h * omega - s->omega[j], there = (double)h * omega_before - s->before[j];
            bool meets = fabs(here) <= 1e-13 * s->omega[j];
            if (s->omega[j] > 0.0 && meets)
                status = check_resonance(s, parameter, j, h, p, err);
            else if (s->omega[j] > 0.0 && here * there < 0.0)
                status = check_resonance(s, parameter, j, h, meet(s, j, h, before, p), err);
            if (!status && (meets || here * there < 0.0))
                find_modes(s, p); /* back to the modes at p: the check left those of another p */
        }
    }
    return status;
}

static am_status walk(search *s, const char *parameter, am_error *err) {
    am_balance *b = s->b;
    size_t samples = b->from == b->to ? 1 : b->moves_matrices && b->n > 60 ? 9 : 65;
    double before = b->from, omega_before = NAN;
    am_status status = AM_OK;
    for (size_t i = 0; i < samples && !status; i++) {
        double p = samples == 1 ? b->from : b->from + (b->to - b->from) * (double)i / (double)(samples - 1);
        if (!find_modes(s, p))
            return AM_OK;
        double omega = b->numbers[0];
        if (i == 0) {
            memcpy(s->before, s->omega, b->n * sizeof *s->before);
            omega_before = omega;
        }
        status = check_resonances_between(s, parameter, before, p, omega_before, err);
        memcpy(s->before, s->omega, b->n * sizeof *s->before);
        before = p;
        omega_before = omega;
    }
    return status;
}

/* No eigenvalue is larger than the largest sum of a row: Cholesky's factors of what is left when a little of that is
 * taken from the diagonal. */
static bool is_surely_damped(const double *C, size_t n, double *work) {
    double most = 0.0;
    size_t failing = 0;
    am_error own = {0};
    memcpy(work, C, n * n * sizeof *work);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, am_dense_size(C + i * n, n));
    for (size_t i = 0; i < n; i++)
        work[i * n + i] -= 1e-12 * most;
    return am_dense_is_symmetric(C, n) && am_dense_definite(work, n, &failing, &own) == AM_OK && failing == n;
}

/* Damping in every direction bounds everything. */
static bool is_damped(search *s) {
    size_t n = s->b->n;
    am_error own = {0};
    if (am_balance_set(s->b, s->b->from, &own))
        return true;
    const double *C = s->b->numbers + s->b->at_C;
    if (is_surely_damped(C, n, s->work))
        return true;
    memcpy(s->work, C, n * n * sizeof *s->work);
    if (am_dense_symmetric_eigenvalues(s->work, n, s->before, &own))
        return true;
    return s->before[0] > 1e-13 * s->before[n - 1];
}

am_status am_balance_check_bounded(am_balance *b, const char *parameter, am_error *err) {
    size_t n = b->n, rows = n + b->contacts + b->springs + b->varyings;
    if (b->free_omega || b->levers > 0) /* control keeps the motion within bounds */
        return AM_OK;
    search s = {.b = b};
    am_arena memory = {0};
    AM_ARENA_DOUBLES(&memory, n * n, err, &s.V, &s.work, &s.basis);
    AM_ARENA_DOUBLES(&memory, n, err, &s.omega, &s.before, &s.phi);
    s.rows = am_arena_doubles(&memory, NULL, rows * n, err);
    s.F = am_arena_doubles(&memory, NULL, 2 * n, err);
    const am_system *system = NULL;
    am_status status = am_arena_status(&memory);
    if (!status)
        status = am_model_line_at(&b->line, b->from, &system, err);
    am_system *own = system ? am_system_copy(system, err) : NULL;
    s.system = own;
    if (!status && !own)
        status = AM_ERR_MEMORY;
    if (!status && !is_damped(&s))
        status = walk(&s, parameter, err);
    am_system_free(own);
    am_arena_clear(&memory);
    return status;
}
