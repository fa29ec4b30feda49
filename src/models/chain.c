#include "amontons/models.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/object.h"
#include "math/pi.h"

am_chain am_chain_default(void) {
    return (am_chain){
        .count = 12, .coupling = 0.01, .xi1 = 0.15, .xi3 = 0.3, .xi5 = 0.1, .omega0 = 2.0 * pi, .x0 = 1.0};
}

/* ---- Checking ---- */

static am_status check_damping(const char *name, double value, am_error *err) {
    if (isfinite(value))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, name, "the damping coefficient %s must be a finite number", name);
}

static am_status check_scale(const char *name, const char *what, double value, am_error *err) {
    if (value > 0.0 && isfinite(value))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, name, "the %s %s must be positive, but is %g", what, name, value);
}

static am_status check_mistuning(const am_chain *c, am_error *err) {
    char field[48];
    if (c->mistuning_count == 0)
        return AM_OK;
    if (c->mistuning_count != c->count)
        return am_fail_field(err, AM_ERR_INPUT, "mistuning", "mistuning must have one number per mass: %zu, not %zu",
                             c->count, c->mistuning_count);
    for (size_t i = 0; i < c->count; i++) {
        if (c->mistuning[i] > -1.0 && isfinite(c->mistuning[i]))
            continue;
        snprintf(field, sizeof field, "mistuning[%zu]", i);
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "with a mistuning of %g mass %zu has no positive stiffness left: it must be above -1",
                             c->mistuning[i], i + 1);
    }
    return AM_OK;
}

static am_status check(const am_chain *c, am_error *err) {
    if (c->count < 1 || c->count > AM_CHAIN_MOST)
        return am_fail_field(err, AM_ERR_INPUT, "count", "a chain has 1 to %d masses, not %zu", AM_CHAIN_MOST,
                             c->count);
    if (!(c->coupling >= 0.0) || !isfinite(c->coupling))
        return am_fail_field(err, AM_ERR_INPUT, "coupling",
                             "the stiffness of the coupling springs must not be negative, but is %g", c->coupling);
    am_status status = check_damping("xi1", c->xi1, err);
    if (status == AM_OK)
        status = check_damping("xi3", c->xi3, err);
    if (status == AM_OK)
        status = check_damping("xi5", c->xi5, err);
    if (status == AM_OK)
        status = check_scale("omega0", "natural frequency", c->omega0, err);
    if (status == AM_OK)
        status = check_scale("x0", "reference displacement", c->x0, err);
    return status == AM_OK ? check_mistuning(c, err) : status;
}

/* ---- Building ---- */

enum { name_size = 32 };

typedef struct parts {
    am_arena memory;
    am_polynomial_term terms[3];
    double *directions; /* N x N, unit vectors */
    double *value;
    size_t *place;
    char *text; /* names of coordinates, then of dampers */
    const char **names;
    am_polynomial_def *dampers;
    am_matrix *mass, *stiffness;
} parts;

static void clear(parts *p) {
    am_arena_clear(&p->memory);
    am_matrix_free(p->mass);
    am_matrix_free(p->stiffness);
}

static am_status allocate(parts *p, size_t n, am_error *err) {
    size_t entries = 5 * n; /* ground, and four of each of N springs */
    p->directions = am_arena_new(&p->memory, n, n * sizeof *p->directions, err);
    p->value = am_arena_new(&p->memory, entries, sizeof *p->value, err);
    p->place = am_arena_new(&p->memory, entries, 2 * sizeof *p->place, err);
    p->text = am_arena_new(&p->memory, n, 2 * (size_t)name_size, err);
    p->names = am_arena_new(&p->memory, n, sizeof *p->names, err);
    p->dampers = am_arena_new(&p->memory, n, sizeof *p->dampers, err);
    return am_arena_status(&p->memory);
}

static am_matrix *ones(parts *p, size_t n, am_error *err) {
    for (size_t i = 0; i < n; i++) {
        p->place[i] = p->place[5 * n + i] = i;
        p->value[i] = 1.0;
    }
    return am_matrix_sparse(n, n, n, p->place, p->place + 5 * n, p->value, err);
}

/* Springs to the ground, and one of stiffness eta between each mass and the next. */
static am_matrix *springs(const am_chain *c, parts *p, am_error *err) {
    size_t n = c->count, count = 0, *row = p->place, *column = p->place + 5 * n;
    size_t bonds = c->ends == AM_CHAIN_CYCLIC ? n : n - 1;
    for (size_t i = 0; i < n; i++) {
        row[count] = column[count] = i;
        p->value[count++] = 1.0 + (c->mistuning_count ? c->mistuning[i] : 0.0);
    }
    for (size_t i = 0; i < bonds && n > 1 && c->coupling > 0.0; i++) {
        const size_t ends[2] = {i, (i + 1) % n};
        for (size_t k = 0; k < 4; k++) {
            row[count] = ends[k / 2];
            column[count] = ends[k % 2];
            p->value[count++] = k / 2 == k % 2 ? c->coupling : -c->coupling;
        }
    }
    return am_matrix_sparse(n, n, count, row, column, p->value, err);
}

/* 2 xi1 v - 2 xi3 (omega0 x0)^2 v^3 + 2 xi5 (omega0 x0)^4 v^5, eq. (9.4) */
static void make_dampers(const am_chain *c, parts *p) {
    size_t n = c->count;
    double square = c->omega0 * c->x0 * c->omega0 * c->x0;
    p->terms[0] = (am_polynomial_term){.coefficient = 2.0 * c->xi1, .velocity = 1};
    p->terms[1] = (am_polynomial_term){.coefficient = -2.0 * c->xi3 * square, .velocity = 3};
    p->terms[2] = (am_polynomial_term){.coefficient = 2.0 * c->xi5 * square * square, .velocity = 5};
    for (size_t i = 0; i < n; i++) {
        char *name = p->text + i * name_size, *damper = p->text + (n + i) * name_size;
        snprintf(name, name_size, "x%zu", i + 1);
        snprintf(damper, name_size, "damper %zu", i + 1);
        p->names[i] = name;
        p->directions[i * n + i] = 1.0;
        p->dampers[i] = (am_polynomial_def){damper, p->directions + i * n, 3, p->terms};
    }
}

am_system *am_chain_create(const am_chain *chain, am_error *err) {
    if (!chain)
        return am_misused_for_nothing(err, __func__);
    parts p = {.directions = NULL};
    am_system *system = NULL;
    if (check(chain, err) != AM_OK)
        return NULL;
    if (allocate(&p, chain->count, err) == AM_OK) {
        p.mass = ones(&p, chain->count, err);
        p.stiffness = p.mass ? springs(chain, &p, err) : NULL;
    }
    if (p.stiffness) {
        make_dampers(chain, &p);
        am_system_def def = am_system_def_default();
        def.n = chain->count;
        def.mass = p.mass;
        def.stiffness = p.stiffness;
        def.polynomial_count = chain->count;
        def.polynomials = p.dampers;
        def.names = p.names;
        def.named_by_model = true;
        system = am_system_create(&def, err);
    }
    clear(&p);
    return system;
}

/* ---- Closed forms ---- */

double am_chain_frequency(const am_chain *chain, size_t p) {
    if (!chain)
        return NAN;
    double waves = chain->ends == AM_CHAIN_CYCLIC ? 2.0 * pi : pi;
    double half = sin(0.5 * waves * (double)p / (double)chain->count);
    return sqrt(1.0 + 4.0 * chain->coupling * half * half);
}

static double amplitude(double square, double rho) {
    return square > 0.0 && isfinite(square) ? sqrt(square) / rho : NAN;
}

/* With s = rho^2 A^2 the damping of a cycle is D(s) = 2 xi1 - b s + c s^2; it is stable where D grows with s. Of the
 * two roots of D the one that would lose digits follows from their product, 2 xi1/c. */
am_chain_cycles am_chain_amplitudes(const am_chain *chain, double rho) {
    if (!chain)
        return (am_chain_cycles){0};
    double square = chain->omega0 * chain->x0 * chain->omega0 * chain->x0;
    double b = 0.75 * 2.0 * chain->xi3 * square, c = 0.625 * 2.0 * chain->xi5 * square * square;
    double root = sqrt(b * b - 8.0 * c * chain->xi1); /* NAN: no cycles */
    double sum = b >= 0.0 ? b + root : b - root;
    double far = sum / (2.0 * c), near = 4.0 * chain->xi1 / sum;
    return (am_chain_cycles){.unstable = amplitude(b >= 0.0 ? near : far, rho),
                             .stable = amplitude(b >= 0.0 ? far : near, rho)};
}

double am_chain_fold(const am_chain *chain) {
    if (!chain)
        return NAN;
    bool bistable = chain->xi3 > 0.0 && chain->xi5 > 0.0;
    return bistable ? 9.0 * chain->xi3 * chain->xi3 / (40.0 * chain->xi5) : NAN;
}
