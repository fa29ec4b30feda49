#include "analyses/squeal/full_problem.h"
#include "base/try.h"

#include <math.h>

#include "base/arena.h"
#include "math/entries.h"
#include "system/capability.h"
#include "system/combination.h"
#include "system/system.h"

/* ---- rows of contacts ---- */

static size_t count_entries(const double *row, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += row[i] != 0.0;
    return count;
}

/* Does the contact give a row for its normal force? Held and open ones do not: their forces do not change. */
static bool has_normal(const am_contact_def *contact, am_contact_state state) {
    return state != AM_OPEN && contact->normal_law != AM_HELD;
}

static am_status list_new(am_squeal_list *list, size_t rows, size_t entries, am_arena *memory, am_error *err) {
    list->start = am_arena_new(memory, rows + 1, sizeof *list->start, err);
    list->index = am_arena_new(memory, entries, sizeof *list->index, err);
    list->value = am_arena_doubles(memory, NULL, entries, err);
    return am_arena_status(memory);
}

static void list_set(am_squeal_list *list, size_t r, const double *row, double factor, size_t n) {
    size_t at = list->start[r];
    for (size_t i = 0; i < n && row && factor != 0.0; i++)
        if (row[i] != 0.0) {
            list->index[at] = i;
            list->value[at++] = factor * row[i];
        }
    list->start[r + 1] = at;
}

double am_squeal_list_dot(const am_squeal_list *list, size_t r, const double *x) {
    double sum = 0.0;
    for (size_t e = list->start[r]; e < list->start[r + 1]; e++)
        sum += list->value[e] * x[list->index[e]];
    return sum;
}

static am_status choose_states(am_squeal_full *f, const am_contact_state *state, am_error *err) {
    const am_system *system = f->system;
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        f->state[c] = state ? state[c] : contact->surface_velocity > 0.0 ? AM_BACKWARD : AM_FORWARD;
        if (!state && contact->surface_velocity == 0.0)
            return am_fail(err, AM_ERR_INPUT,
                           "the surface of '%s' does not move, so nothing slides there: give it a surface velocity, or "
                           "say in which state the contacts are",
                           contact->name);
        if (has_normal(contact, f->state[c]) && contact->normal_law == AM_HUNT_CROSSLEY &&
            !(contact->contact_exponent == 1.0 && contact->contact_dissipation == 0.0))
            return am_fail_contact(
                err, system, c, "law",
                "`squeal` knows contacts whose stiffness does not depend on how hard they are pressed: "
                "'%s' is hunt-crossley; use kelvin-voigt or unilateral, or the analysis stability",
                contact->name);
        f->reference = fmax(f->reference, contact->friction);
        f->m += has_normal(contact, f->state[c]) + (f->state[c] == AM_STICK);
    }
    return AM_OK;
}

static void fill_row(am_squeal_full *f, size_t r, size_t c, bool stuck) {
    const am_contact_def *contact = &f->system->contact[c];
    /* Where no friction is given at all, every contact counts alike. */
    double share = f->reference > 0.0 ? contact->friction / f->reference : 1.0;
    bool compliant = !stuck && am_contact_is_compliant(contact);
    f->contact[r] = c;
    list_set(&f->normal, r, stuck ? contact->tangent : contact->normal, 1.0, f->n);
    list_set(&f->tangent, r, contact->tangent, stuck ? 0.0 : share * am_slip_sign(f->state[c]), f->n);
    f->stiffness[r] = compliant ? contact->contact_stiffness : INFINITY;
    f->damping[r] = compliant && contact->normal_law == AM_KELVIN_VOIGT ? contact->contact_damping : 0.0;
    f->damped = f->damped || f->damping[r] > 0.0;
    f->rigid += !compliant;
}

static am_status make_rows(am_squeal_full *f, am_error *err) {
    const am_system *system = f->system;
    size_t normal = 0, tangent = 0, r = 0;
    for (size_t c = 0; c < system->m; c++) {
        normal += count_entries(system->contact[c].normal, f->n) + count_entries(system->contact[c].tangent, f->n);
        tangent += count_entries(system->contact[c].tangent, f->n);
    }
    f->contact = am_arena_new(&f->memory, f->m, sizeof *f->contact, err);
    AM_ARENA_DOUBLES(&f->memory, f->m, err, &f->stiffness, &f->damping);
    if (list_new(&f->normal, f->m, normal, &f->memory, err) || list_new(&f->tangent, f->m, tangent, &f->memory, err))
        return AM_ERR_MEMORY;
    for (size_t c = 0; c < system->m; c++) {
        if (has_normal(&system->contact[c], f->state[c]))
            fill_row(f, r++, c, false);
        if (f->state[c] == AM_STICK)
            fill_row(f, r++, c, true);
    }
    return AM_OK;
}

/* ---- assembly ---- */

size_t am_squeal_entries(const am_matrix *a, bool lower) {
    size_t count = 0;
    for (size_t i = 0; a && i < am_matrix_rows(a); i++) {
        const size_t *columns;
        const double *values;
        size_t entries = am_matrix_row_entries(a, i, &columns, &values);
        for (size_t e = 0; e < entries; e++)
            count += !lower || (columns ? columns[e] : e) <= i;
    }
    return count;
}

size_t am_squeal_add_places(const am_matrix *a, bool lower, int *row, int *column, size_t at) {
    for (size_t i = 0; a && i < am_matrix_rows(a); i++) {
        const size_t *columns;
        const double *values;
        size_t entries = am_matrix_row_entries(a, i, &columns, &values);
        for (size_t e = 0; e < entries; e++) {
            size_t j = columns ? columns[e] : e;
            if (lower && j > i)
                continue;
            row[at] = (int)i + 1;
            column[at++] = (int)j + 1;
        }
    }
    return at;
}

size_t am_squeal_add_values(const am_matrix *a, double factor, double *value, size_t at) {
    for (size_t i = 0; a && i < am_matrix_rows(a); i++) {
        const size_t *columns;
        const double *values;
        size_t entries = am_matrix_row_entries(a, i, &columns, &values);
        for (size_t e = 0; e < entries; e++)
            if ((columns ? columns[e] : e) <= i)
                value[at++] = factor * values[e];
    }
    return at;
}

static size_t add_complex(const am_matrix *a, double complex factor, double complex *value, size_t at) {
    for (size_t i = 0; a && i < am_matrix_rows(a); i++) {
        const size_t *columns;
        const double *values;
        size_t entries = am_matrix_row_entries(a, i, &columns, &values);
        for (size_t e = 0; e < entries; e++)
            value[at++] = factor * values[e];
    }
    return at;
}

static am_status make_symmetric(am_squeal_full *f, am_error *err) {
    const am_system *s = f->system;
    size_t at = 0;
    f->symmetric_count = am_squeal_entries(s->K, true) + am_squeal_entries(s->M, true) + f->normal.start[f->m] + f->m;
    AM_ARENA_ARRAYS(&f->symmetric_memory, int, f->symmetric_count, err, &f->symmetric_row, &f->symmetric_column);
    f->symmetric_value = am_arena_doubles(&f->symmetric_memory, NULL, f->symmetric_count, err);
    AM_TRY(am_arena_status(&f->symmetric_memory));
    at = am_squeal_add_places(s->K, true, f->symmetric_row, f->symmetric_column, at);
    at = am_squeal_add_places(s->M, true, f->symmetric_row, f->symmetric_column, at);
    for (size_t r = 0; r < f->m; r++)
        for (size_t e = f->normal.start[r]; e <= f->normal.start[r + 1]; e++) { /* the last one: the diagonal */
            bool diagonal = e == f->normal.start[r + 1];
            f->symmetric_row[at] = (int)(f->n + r) + 1;
            f->symmetric_column[at++] = (int)(diagonal ? f->n + r : f->normal.index[e]) + 1;
        }
    return am_sparse_create(&f->symmetric, AM_SPARSE_SYMMETRIC, f->size, f->symmetric_count, f->symmetric_row,
                            f->symmetric_column, err);
}

static double flexibility(const am_squeal_full *f, size_t r) {
    return isinf(f->stiffness[r]) ? 0.0 : 1.0 / f->stiffness[r];
}

am_status am_squeal_full_factor_symmetric(am_squeal_full *f, double shift, bool *singular, am_error *err) {
    AM_TRY(f->symmetric ? AM_OK : make_symmetric(f, err));
    size_t at = am_squeal_add_values(f->system->K, 1.0, f->symmetric_value, 0);
    at = am_squeal_add_values(f->system->M, -shift, f->symmetric_value, at);
    for (size_t r = 0; r < f->m; r++) {
        for (size_t e = f->normal.start[r]; e < f->normal.start[r + 1]; e++)
            f->symmetric_value[at++] = -f->normal.value[e];
        f->symmetric_value[at++] = -flexibility(f, r);
    }
    f->shift = shift;
    return am_sparse_factor(f->symmetric, f->symmetric_value, singular, err);
}

am_status am_squeal_full_solve_symmetric(am_squeal_full *f, double *v, size_t count, am_error *err) {
    return am_sparse_solve(f->symmetric, v, count, err);
}

void am_squeal_full_drop_symmetric(am_squeal_full *f) {
    am_sparse_free(f->symmetric);
    f->symmetric = NULL;
    am_arena_clear(&f->symmetric_memory);
}

static am_status make_general(am_squeal_full *f, am_error *err) {
    const am_system *s = f->system;
    size_t at = 0, rows = 2 * f->normal.start[f->m] + f->tangent.start[f->m] + f->m;
    f->general_count = am_squeal_entries(s->M, false) + am_squeal_entries(s->C, false) +
                       am_squeal_entries(s->K, false) + am_squeal_entries(s->circulatory, false) + rows;
    AM_ARENA_ARRAYS(&f->memory, int, f->general_count, err, &f->general_row, &f->general_column);
    f->general_value = am_arena_new(&f->memory, f->general_count, sizeof *f->general_value, err);
    AM_TRY(am_arena_status(&f->memory));
    const am_matrix *const all[] = {s->M, s->C, s->K, s->circulatory};
    for (int i = 0; i < 4; i++)
        at = am_squeal_add_places(all[i], false, f->general_row, f->general_column, at);
    for (size_t r = 0; r < f->m; r++) {
        int last = (int)(f->n + r) + 1;
        for (size_t e = f->normal.start[r]; e < f->normal.start[r + 1]; e++) {
            int i = (int)f->normal.index[e] + 1;
            f->general_row[at] = i, f->general_column[at++] = last;
            f->general_row[at] = last, f->general_column[at++] = i;
        }
        for (size_t e = f->tangent.start[r]; e < f->tangent.start[r + 1]; e++)
            f->general_row[at] = (int)f->tangent.index[e] + 1, f->general_column[at++] = last;
        f->general_row[at] = f->general_column[at] = last, at++;
    }
    return am_sparse_create(&f->general, AM_SPARSE_COMPLEX, f->size, f->general_count, f->general_row,
                            f->general_column, err);
}

/* 1/(k + s d) */
static double complex compliance(const am_squeal_full *f, size_t r, double complex s) {
    return isinf(f->stiffness[r]) ? 0.0 : 1.0 / (f->stiffness[r] + s * f->damping[r]);
}

/* Values of P(s, mu), or of its reference: symmetric, without damping. */
static void fill_general(am_squeal_full *f, double complex s, double mu, bool reference) {
    const am_system *system = f->system;
    double other = reference ? 0.0 : 1.0;
    size_t at = add_complex(system->M, s * s, f->general_value, 0);
    at = add_complex(system->C, other * s, f->general_value, at);
    at = add_complex(system->K, 1.0, f->general_value, at);
    at = add_complex(system->circulatory, other, f->general_value, at);
    for (size_t r = 0; r < f->m; r++) {
        for (size_t e = f->normal.start[r]; e < f->normal.start[r + 1]; e++) {
            f->general_value[at++] = -f->normal.value[e];
            f->general_value[at++] = -f->normal.value[e];
        }
        for (size_t e = f->tangent.start[r]; e < f->tangent.start[r + 1]; e++)
            f->general_value[at++] = -other * mu * f->tangent.value[e];
        f->general_value[at++] = reference ? -flexibility(f, r) : -compliance(f, r, s);
    }
}

static am_status factor(am_squeal_full *f, double complex s, double mu, bool reference, bool *singular, am_error *err) {
    AM_TRY(f->general ? AM_OK : make_general(f, err));
    fill_general(f, s, mu, reference);
    f->factored_s = s;
    f->factored_mu = mu;
    f->factors++;
    am_status status = am_sparse_factor(f->general, (double *)f->general_value, singular, err);
    f->factored = !status && !*singular && !reference;
    return status;
}

am_status am_squeal_full_factor(am_squeal_full *f, double complex s, double mu, bool *singular, am_error *err) {
    return factor(f, s, mu, false, singular, err);
}

am_status am_squeal_full_log_determinant(am_squeal_full *f, double complex s, double mu, bool reference,
                                         double complex *value, am_error *err) {
    bool singular = false;
    AM_TRY(factor(f, s, mu, reference, &singular, err));
    if (singular)
        return am_fail(err, AM_ERR_EVIDENCE, "the matrix at %g + %gi has no determinant: it is singular", creal(s),
                       cimag(s));
    double log_size, argument;
    am_sparse_determinant(f->general, &log_size, &argument);
    *value = log_size + argument * I;
    for (size_t r = 0; r < f->m && !reference; r++)
        if (f->damping[r] > 0.0)
            *value += clog(1.0 + s * f->damping[r] / f->stiffness[r]);
    return AM_OK;
}

am_status am_squeal_full_solve(am_squeal_full *f, double complex *v, size_t count, am_error *err) {
    return am_sparse_solve(f->general, (double *)v, count, err);
}

/* ---- products ---- */

/* out += factor A x; returns the size of what was added. */
static double add_product(const am_matrix *a, double complex factor, const double complex *x, double complex *out) {
    double size = 0.0;
    for (size_t i = 0; a && factor != 0.0 && i < am_matrix_rows(a); i++) {
        const size_t *columns;
        const double *values;
        size_t entries = am_matrix_row_entries(a, i, &columns, &values);
        double re = 0.0, im = 0.0;
        for (size_t e = 0; e < entries; e++) {
            double complex xe = x[columns ? columns[e] : e];
            re += values[e] * creal(xe);
            im += values[e] * cimag(xe);
        }
        double complex term = factor * (re + im * I);
        out[i] += term;
        size += creal(term) * creal(term) + cimag(term) * cimag(term);
    }
    return sqrt(size);
}

static double push(const am_squeal_list *list, size_t r, double complex force, double complex *out) {
    double size = 0.0;
    for (size_t e = list->start[r]; e < list->start[r + 1]; e++) {
        out[list->index[e]] += list->value[e] * force;
        size += list->value[e] * list->value[e];
    }
    return size * (creal(force) * creal(force) + cimag(force) * cimag(force));
}

void am_squeal_full_apply(const am_squeal_full *f, double complex s, double mu, const double complex *v,
                          double complex *out, double *terms) {
    const double complex *lambda = v + f->n;
    double contacts = 0.0;
    for (size_t i = 0; i < f->size; i++)
        out[i] = 0.0;
    double sum = add_product(f->system->M, s * s, v, out) + add_product(f->system->C, s, v, out) +
                 add_product(f->system->K, 1.0, v, out) + add_product(f->system->circulatory, 1.0, v, out);
    for (size_t r = 0; r < f->m; r++) {
        contacts += push(&f->normal, r, -lambda[r], out) + push(&f->tangent, r, -mu * lambda[r], out);
        for (size_t e = f->normal.start[r]; e < f->normal.start[r + 1]; e++)
            out[f->n + r] -= f->normal.value[e] * v[f->normal.index[e]];
        out[f->n + r] -= lambda[r] * compliance(f, r, s);
    }
    if (terms)
        *terms = sum + sqrt(contacts);
}

void am_squeal_full_by_s(const am_squeal_full *f, double complex s, const double complex *v, double complex *out) {
    for (size_t i = 0; i < f->size; i++)
        out[i] = 0.0;
    add_product(f->system->M, 2.0 * s, v, out);
    add_product(f->system->C, 1.0, v, out);
    for (size_t r = 0; r < f->m; r++) {
        double complex c = compliance(f, r, s);
        out[f->n + r] = v[f->n + r] * f->damping[r] * c * c;
    }
}

void am_squeal_full_by_mu(const am_squeal_full *f, const double complex *v, double complex *out) {
    for (size_t i = 0; i < f->size; i++)
        out[i] = 0.0;
    for (size_t r = 0; r < f->m; r++)
        push(&f->tangent, r, -v[f->n + r], out);
}

/* ---- life ---- */

am_status am_squeal_full_init(am_squeal_full *full, const am_system *system, const am_contact_state *state,
                              am_error *err) {
    *full = (am_squeal_full){.system = system, .n = system->n};
    full->state = am_arena_new(&full->memory, system->m, sizeof *full->state, err);
    am_status status = full->state ? choose_states(full, state, err) : AM_ERR_MEMORY;
    if (!status)
        status = make_rows(full, err);
    full->size = full->n + full->m;
    full->damped = full->damped || am_matrix_largest(system->C) > 0.0;
    if (status)
        am_squeal_full_clear(full);
    return status;
}

void am_squeal_full_clear(am_squeal_full *f) {
    am_squeal_full_drop_symmetric(f);
    am_sparse_free(f->general);
    am_arena_clear(&f->memory);
    *f = (am_squeal_full){0};
}
