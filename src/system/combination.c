#include "system/combination.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"
#include "system/system.h"

/* Below this the bordered matrix counts as singular: inverting it would lose all digits. */
static const double singular = 1e-14;

double am_slip_sign(am_contact_state state) {
    return state == AM_FORWARD ? -1.0 : state == AM_BACKWARD ? 1.0 : 0.0;
}

static size_t number_rows(am_combination *k, const am_system *system) {
    size_t p = 0;
    for (size_t c = 0; c < k->m; c++) {
        bool closed = system->contact[c].normal_law == AM_UNILATERAL && k->state[c] != AM_OPEN;
        k->normal_row[c] = closed ? p++ : AM_NO_ROW;
        bool sprung =
            system->contact[c].tangential_stiffness > 0.0; /* its force follows from the stretch, not from J */
        k->stick_row[c] = k->state[c] == AM_STICK && !sprung ? p++ : AM_NO_ROW;
    }
    return p;
}

/* J and B: a closed contact pushes along n, a slipping one along n -/+ mu t; a sticking one also along t. */
static void fill_rows(am_combination *k, const am_system *system) {
    for (size_t c = 0; c < k->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double mu = am_slip_sign(k->state[c]) * contact->friction;
        for (size_t i = 0; i < k->n; i++) {
            if (k->normal_row[c] != AM_NO_ROW) {
                k->J[k->normal_row[c] * k->n + i] = contact->normal[i];
                k->B[i * k->p + k->normal_row[c]] = contact->normal[i] + mu * contact->tangent[i];
            }
            if (k->stick_row[c] != AM_NO_ROW) {
                k->J[k->stick_row[c] * k->n + i] = contact->tangent[i];
                k->B[i * k->p + k->stick_row[c]] = contact->tangent[i];
            }
        }
    }
}

/* Scale factors that make the bordered matrix independent of units: unit diagonal of S, unit rows of J and columns of
 * B. */
static void scale_factors(const am_combination *k, const double *S, double *unknown, double *row, double *column) {
    for (size_t i = 0; i < k->n; i++)
        unknown[i] = S[i * k->n + i] > 0.0 ? 1.0 / sqrt(S[i * k->n + i]) : 1.0;
    for (size_t r = 0; r < k->p; r++) {
        double in_row = 0.0, in_column = 0.0;
        for (size_t i = 0; i < k->n; i++) {
            in_row = fmax(in_row, fabs(k->J[r * k->n + i] * unknown[i]));
            in_column = fmax(in_column, fabs(k->B[i * k->p + r] * unknown[i]));
        }
        row[r] = in_row > 0.0 ? 1.0 / in_row : 1.0;
        column[r] = in_column > 0.0 ? 1.0 / in_column : 1.0;
    }
}

/* Entries of the scaled inverse below its rounding error are zero: what a contact holds fast then stays exactly at
 * rest. */
static void remove_noise(double *a, size_t size) {
    double largest = 0.0;
    for (size_t e = 0; e < size * size; e++)
        largest = fmax(largest, fabs(a[e]));
    for (size_t e = 0; e < size * size; e++)
        if (fabs(a[e]) < 4.0 * DBL_EPSILON * largest)
            a[e] = 0.0;
}

/* Invert [S -B; J 0] in scaled form and spread its blocks. */
static am_status solve(am_combination *k, const double *S, double *work, am_error *err) {
    size_t n = k->n, p = k->p, size = n + p;
    double *a = work, *unknown = work + size * size, *row = unknown + n, *column = row + p;
    scale_factors(k, S, unknown, row, column);
    memset(a, 0, size * size * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            a[i * size + j] = unknown[i] * S[i * n + j] * unknown[j];
        for (size_t r = 0; r < p; r++) {
            a[i * size + n + r] = -unknown[i] * k->B[i * p + r] * column[r];
            a[(n + r) * size + i] = row[r] * k->J[r * n + i] * unknown[i];
        }
    }
    am_status status = am_dense_invert(a, size, &k->condition, err);
    if (status)
        return status;
    if (k->condition < singular) {
        k->condition = 0.0;
        return AM_OK;
    }
    remove_noise(a, size);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            k->Y[i * n + j] = unknown[i] * a[i * size + j] * unknown[j];
        for (size_t r = 0; r < p; r++) {
            k->Yc[i * p + r] = unknown[i] * a[i * size + n + r] * row[r];
            k->L[r * n + i] = column[r] * a[(n + r) * size + i] * unknown[i];
        }
    }
    for (size_t r = 0; r < p; r++)
        for (size_t s = 0; s < p; s++)
            k->Lc[r * p + s] = column[r] * a[(n + r) * size + n + s] * row[s];
    return AM_OK;
}

am_status am_combination_init(am_combination *combination, const am_system *system, const double *S,
                              const am_contact_state *state, am_error *err) {
    am_combination *k = combination;
    *k = (am_combination){.n = system->n, .m = system->m};
    k->state = am_memory_new(k->m, sizeof *k->state, err);
    k->normal_row = am_memory_new(k->m, sizeof *k->normal_row, err);
    k->stick_row = am_memory_new(k->m, sizeof *k->stick_row, err);
    if (!k->state || !k->normal_row || !k->stick_row) {
        am_combination_clear(k);
        return AM_ERR_MEMORY;
    }
    if (k->m > 0)
        memcpy(k->state, state, k->m * sizeof *state);
    size_t n = k->n, p = k->p = number_rows(k, system), size = n + p;
    k->J = am_memory_new(p * n, sizeof(double), err);
    k->B = am_memory_new(n * p, sizeof(double), err);
    k->Y = am_memory_new(n * n, sizeof(double), err);
    k->Yc = am_memory_new(n * p, sizeof(double), err);
    k->L = am_memory_new(p * n, sizeof(double), err);
    k->Lc = am_memory_new(p * p, sizeof(double), err);
    double *work = am_memory_new(size * size + n + 2 * p, sizeof *work, err);
    am_status status = AM_ERR_MEMORY;
    if (k->J && k->B && k->Y && k->Yc && k->L && k->Lc && work) {
        fill_rows(k, system);
        status = solve(k, S, work, err);
    }
    am_memory_free(work);
    if (status)
        am_combination_clear(k);
    return status;
}

void am_combination_clear(am_combination *combination) {
    am_memory_free(combination->state);
    am_memory_free(combination->normal_row);
    am_memory_free(combination->stick_row);
    am_memory_free(combination->J);
    am_memory_free(combination->B);
    am_memory_free(combination->Y);
    am_memory_free(combination->Yc);
    am_memory_free(combination->L);
    am_memory_free(combination->Lc);
    *combination = (am_combination){0};
}
