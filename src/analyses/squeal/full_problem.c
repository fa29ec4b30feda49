#include "analyses/squeal/full_problem.h"
#include "base/try.h"

#include <math.h>

#include "base/arena.h"
#include "math/entries.h"
#include "system/capability.h"
#include "system/combination.h"
#include "system/system.h"

/* ---- rows of contacts ---- */

size_t am_squeal_count(const double *row, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n && row; i++)
        count += row[i] != 0.0;
    return count;
}

/* Does the contact give a row for its normal force? Held and open ones do not: their forces do not change. */
static bool has_normal(const am_contact_def *contact, am_contact_state state) {
    return state != AM_OPEN && contact->normal_law != AM_HELD;
}

am_status am_squeal_list_new(am_squeal_list *list, size_t rows, size_t entries, am_arena *memory, am_error *err) {
    list->start = am_arena_new(memory, rows + 1, sizeof *list->start, err);
    list->index = am_arena_new(memory, entries, sizeof *list->index, err);
    list->value = am_arena_doubles(memory, NULL, entries, err);
    return am_arena_status(memory);
}

void am_squeal_list_set(am_squeal_list *list, size_t r, const double *row, double factor, size_t n) {
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
    bool compliant = !stuck && am_contact_is_compliant(contact), sprung = stuck && contact->tangential_stiffness > 0.0;
    f->contact[r] = c;
    am_squeal_list_set(&f->normal, r, stuck ? contact->tangent : contact->normal, 1.0, f->n);
    f->stiffness[r] = compliant ? contact->contact_stiffness : sprung ? contact->tangential_stiffness : INFINITY;
    f->damping[r] = compliant && contact->normal_law == AM_KELVIN_VOIGT ? contact->contact_damping : 0.0;
    f->damped = f->damped || f->damping[r] > 0.0;
    f->rigid += !compliant && !sprung;
}

static am_status make_rows(am_squeal_full *f, am_error *err) {
    const am_system *system = f->system;
    size_t normal = 0, r = 0;
    for (size_t c = 0; c < system->m; c++)
        normal += am_squeal_count(system->contact[c].normal, f->n) + am_squeal_count(system->contact[c].tangent, f->n);
    f->contact = am_arena_new(&f->memory, f->m, sizeof *f->contact, err);
    AM_ARENA_DOUBLES(&f->memory, f->m, err, &f->stiffness, &f->damping);
    AM_TRY(am_squeal_list_new(&f->normal, f->m, normal, &f->memory, err));
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
    return am_sparse_create(&f->symmetric, AM_SPARSE_SYMMETRIC, f->n + f->m, f->symmetric_count, f->symmetric_row,
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

/* Entries of a rub: forces that follow its normal force and its speed; of each w the force, what feeds it, and w'. */
static size_t rub_entries(const am_squeal_full *f, size_t r) {
    const am_squeal_rub *rub = &f->rub[r];
    size_t along = f->tangent.start[r + 1] - f->tangent.start[r];
    return (rub->row != AM_NO_ROW) * along + rub->law * along * along +
           rub->memories * (2 * along + (rub->row != AM_NO_ROW) + rub->memories);
}

static size_t add_place(am_squeal_full *f, size_t row, size_t column, size_t at) {
    f->general_row[at] = (int)row + 1;
    f->general_column[at] = (int)column + 1;
    return at + 1;
}

static size_t add_rub_places(am_squeal_full *f, size_t r, size_t at) {
    const am_squeal_rub *rub = &f->rub[r];
    const size_t *t = f->tangent.index, begin = f->tangent.start[r], end = f->tangent.start[r + 1];
    size_t inner = f->n + f->m + rub->first;
    for (size_t e = begin; e < end && rub->row != AM_NO_ROW; e++)
        at = add_place(f, t[e], f->n + rub->row, at);
    for (size_t e = begin; e < end && rub->law; e++)
        for (size_t k = begin; k < end; k++)
            at = add_place(f, t[e], t[k], at);
    for (size_t w = 0; w < rub->memories; w++) {
        for (size_t e = begin; e < end; e++) {
            at = add_place(f, t[e], inner + w, at);
            at = add_place(f, inner + w, t[e], at);
        }
        if (rub->row != AM_NO_ROW)
            at = add_place(f, inner + w, f->n + rub->row, at);
        for (size_t by = 0; by < rub->memories; by++)
            at = add_place(f, inner + w, inner + by, at);
    }
    return at;
}

/* What does not remember has the row w = 0. */
static size_t add_rub_values(am_squeal_full *f, size_t r, double complex s, double other, size_t at) {
    const am_squeal_rub *rub = &f->rub[r];
    const am_sloped *force = &rub->slope.force, *rate = rub->slope.rate;
    const double *t = f->tangent.value;
    size_t begin = f->tangent.start[r], end = f->tangent.start[r + 1];
    bool remembers = rub->remembers && other != 0.0;
    for (size_t e = begin; e < end && rub->row != AM_NO_ROW; e++)
        f->general_value[at++] = -other * force->by_N * t[e];
    for (size_t e = begin; e < end && rub->law; e++)
        for (size_t k = begin; k < end; k++)
            f->general_value[at++] = other * s * force->by_v * t[e] * t[k];
    for (size_t w = 0; w < rub->memories; w++) {
        for (size_t e = begin; e < end; e++) {
            f->general_value[at++] = -other * force->by_w[w] * t[e];
            f->general_value[at++] = remembers ? s * rate[w].by_v * t[e] : 0.0;
        }
        if (rub->row != AM_NO_ROW)
            f->general_value[at++] = remembers ? -rate[w].by_N : 0.0;
        for (size_t by = 0; by < rub->memories; by++)
            f->general_value[at++] = (by == w ? (remembers ? s : 1.0) : 0.0) - (remembers ? rate[w].by_w[by] : 0.0);
    }
    return at;
}

static am_status make_general(am_squeal_full *f, am_error *err) {
    const am_system *s = f->system;
    size_t at = 0, rows = 2 * f->normal.start[f->m] + f->m;
    for (size_t r = 0; r < f->rubs; r++)
        rows += rub_entries(f, r);
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
        f->general_row[at] = f->general_column[at] = last, at++;
    }
    for (size_t r = 0; r < f->rubs; r++)
        at = add_rub_places(f, r, at);
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
        f->general_value[at++] = reference ? -flexibility(f, r) : -compliance(f, r, s);
    }
    am_squeal_friction_set(f, mu);
    for (size_t r = 0; r < f->rubs; r++)
        at = add_rub_values(f, r, s, other, at);
}

static am_status factor(am_squeal_full *f, double complex s, double mu, bool reference, bool *singular, am_error *err) {
    AM_TRY(f->general ? AM_OK : make_general(f, err));
    fill_general(f, s, mu, reference);
    if (!reference && !am_squeal_friction_is_finite(f)) {
        *singular = true;
        f->factored = false;
        return AM_OK;
    }
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

static double complex along(const am_squeal_list *list, size_t r, const double complex *x) {
    double complex sum = 0.0;
    for (size_t e = list->start[r]; e < list->start[r + 1]; e++)
        sum += list->value[e] * x[list->index[e]];
    return sum;
}

/* out -= the force of a rub, and its rows; returns the square of the force. */
static double add_rub(const am_squeal_full *f, size_t r, double complex s, const double complex *v,
                      double complex *out) {
    const am_squeal_rub *rub = &f->rub[r];
    const am_sloped *force = &rub->slope.force, *rate = rub->slope.rate;
    double complex lambda = rub->row != AM_NO_ROW ? v[f->n + rub->row] : 0.0, pull = force->by_N * lambda;
    double complex speed = rub->law ? s * along(&f->tangent, r, v) : 0.0;
    const double complex *w = v + f->n + f->m + rub->first;
    double complex *change = out + f->n + f->m + rub->first;
    for (size_t i = 0; i < rub->memories; i++) {
        change[i] = rub->remembers ? s * w[i] - rate[i].by_N * lambda + rate[i].by_v * speed : w[i];
        pull += force->by_w[i] * w[i];
        for (size_t by = 0; by < rub->memories; by++)
            change[i] -= rate[i].by_w[by] * w[by];
    }
    if (rub->law)
        pull -= force->by_v * speed;
    return push(&f->tangent, r, -pull, out);
}

void am_squeal_full_apply(am_squeal_full *f, double complex s, double mu, const double complex *v, double complex *out,
                          double *terms) {
    const double complex *lambda = v + f->n;
    double contacts = 0.0;
    am_squeal_friction_set(f, mu);
    for (size_t i = 0; i < f->size; i++)
        out[i] = 0.0;
    double sum = add_product(f->system->M, s * s, v, out) + add_product(f->system->C, s, v, out) +
                 add_product(f->system->K, 1.0, v, out) + add_product(f->system->circulatory, 1.0, v, out);
    for (size_t r = 0; r < f->m; r++) {
        contacts += push(&f->normal, r, -lambda[r], out);
        for (size_t e = f->normal.start[r]; e < f->normal.start[r + 1]; e++)
            out[f->n + r] -= f->normal.value[e] * v[f->normal.index[e]];
        out[f->n + r] -= lambda[r] * compliance(f, r, s);
    }
    for (size_t r = 0; r < f->rubs; r++)
        contacts += add_rub(f, r, s, v, out);
    if (terms)
        *terms = sum + sqrt(contacts);
}

void am_squeal_full_by_s(am_squeal_full *f, double complex s, double mu, const double complex *v, double complex *out) {
    am_squeal_friction_set(f, mu);
    for (size_t i = 0; i < f->size; i++)
        out[i] = 0.0;
    add_product(f->system->M, 2.0 * s, v, out);
    add_product(f->system->C, 1.0, v, out);
    for (size_t r = 0; r < f->m; r++) {
        double complex c = compliance(f, r, s);
        out[f->n + r] = v[f->n + r] * f->damping[r] * c * c;
    }
    for (size_t r = 0; r < f->rubs; r++) {
        const am_squeal_rub *rub = &f->rub[r];
        if (!rub->law)
            continue;
        double complex slip = along(&f->tangent, r, v);
        push(&f->tangent, r, rub->slope.force.by_v * slip, out);
        for (size_t i = 0, w = f->n + f->m + rub->first; i < rub->memories && rub->remembers; i++, w++)
            out[w] = v[w] + rub->slope.rate[i].by_v * slip;
    }
}

/* Laws by differences: Newton's method, which asks, ends at the same place with a slope that is nearly right. */
void am_squeal_full_by_mu(am_squeal_full *f, double complex s, double mu, const double complex *v,
                          double complex *out) {
    double step = f->laws ? 1e-5 * fmax(mu, 1e-3) : 0.5;
    for (size_t i = 0; i < f->size; i++)
        out[i] = 0.0;
    for (size_t r = 0; r < f->m && !f->laws; r++)
        push(&f->tangent, r, -v[f->n + r], out);
    for (int side = -1; side <= 1 && f->laws; side += 2) {
        am_squeal_friction_set(f, mu + side * step);
        for (size_t i = 0; i < f->size; i++)
            out[i] = -out[i];
        for (size_t i = f->n + f->m; i < f->size; i++) /* a rub fills its rows anew */
            f->rows[i - f->n - f->m] = out[i];
        for (size_t r = 0; r < f->rubs; r++)
            add_rub(f, r, s, v, out);
        for (size_t i = f->n + f->m; i < f->size; i++)
            out[i] += f->rows[i - f->n - f->m];
    }
    for (size_t i = 0; i < f->size && f->laws; i++)
        out[i] /= 2.0 * step;
}

/* ---- steady sliding ---- */

bool am_squeal_full_loads(const am_squeal_full *f, double mu, double complex *right) {
    const am_system *system = f->system;
    for (size_t l = 0; l < system->loads; l++) {
        if (system->load[l].function.kind != AM_FUNCTION_CONSTANT)
            return false;
        for (size_t i = 0; i < system->n; i++)
            right[i] += system->load[l].direction[i] * am_function_at(&system->load[l].function, 0.0);
    }
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (f->state[c] == AM_STICK)
            return false;
        if (contact->normal_law != AM_HELD)
            continue;
        if (contact->hold.kind != AM_FUNCTION_CONSTANT || contact->hold.plus)
            return false;
        double force = am_function_at(&contact->hold, 0.0);
        double along = am_slip_sign(f->state[c]) * am_squeal_friction_of(f, c, mu) * force;
        for (size_t i = 0; i < system->n; i++)
            right[i] += contact->normal[i] * force + contact->tangent[i] * along;
    }
    for (size_t k = 0; k < f->m; k++)
        right[f->n + k] = system->contact[f->contact[k]].gap;
    return true;
}

/* ---- life ---- */

am_status am_squeal_full_init(am_squeal_full *full, const am_system *system, const am_contact_state *state,
                              am_error *err) {
    *full = (am_squeal_full){.system = system, .n = system->n};
    full->state = am_arena_new(&full->memory, system->m, sizeof *full->state, err);
    am_status status = full->state ? choose_states(full, state, err) : AM_ERR_MEMORY;
    if (!status)
        status = make_rows(full, err);
    if (!status)
        status = am_squeal_friction_list(full, err);
    full->size = full->n + full->m + full->w;
    full->damped = full->damped || full->laws || am_matrix_largest(system->C) > 0.0;
    full->rows = am_arena_new(&full->memory, full->w, sizeof *full->rows, err);
    if (!status)
        status = full->rows ? am_squeal_friction_settle(full, err) : AM_ERR_MEMORY;
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
