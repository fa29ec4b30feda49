#include "contact_equations.h"

#include <math.h>
#include <string.h>

static void swap(double *x, double *y) {
    double kept = *x;
    *x = *y;
    *y = kept;
}

/* Gauss with the largest pivot of the column; b becomes the solution. */
static bool eliminate(double *a, double *b, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        if (fabs(a[pivot * n + k]) < 1e-12)
            return false;
        for (size_t j = 0; j < n; j++)
            swap(&a[k * n + j], &a[pivot * n + j]);
        swap(&b[k], &b[pivot]);
        for (size_t i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
    return true;
}

bool contact_equations(const plain_system *plain, const double *matrix, const am_contact_state *state,
                       const double *force, const double *stuck_at, contact_solution *solution) {
    enum { MOST = PLAIN_SIZE + 2 * PLAIN_CONTACTS };
    size_t n = plain->n, m = plain->m, size = n + 2 * m;
    double a[MOST * MOST] = {0}, b[MOST] = {0};
    for (size_t i = 0; i < n; i++) {
        memcpy(a + i * size, matrix + i * n, n * sizeof *a);
        for (size_t c = 0; c < m; c++) {
            a[i * size + n + c] = -plain->contact[c].normal[i];
            a[i * size + n + m + c] = -plain->contact[c].tangent[i];
        }
        b[i] = force[i];
    }
    for (size_t c = 0; c < m; c++) {
        const plain_contact *contact = &plain->contact[c];
        double *first = a + (n + c) * size, *second = a + (n + m + c) * size, mu = contact->friction;
        if (state[c] == AM_OPEN) {
            first[n + c] = 1;
        } else {
            memcpy(first, contact->normal, n * sizeof *first);
            b[n + c] = -contact->gap;
        }
        if (state[c] == AM_STICK) {
            memcpy(second, contact->tangent, n * sizeof *second);
            b[n + m + c] = stuck_at ? stuck_at[c] : 0;
        } else {
            second[n + m + c] = 1;
            second[n + c] = state[c] == AM_FORWARD ? mu : state[c] == AM_BACKWARD ? -mu : 0;
        }
    }
    if (!eliminate(a, b, size))
        return false;
    memcpy(solution->q, b, n * sizeof *b);
    memcpy(solution->N, b + n, m * sizeof *b);
    memcpy(solution->T, b + n + m, m * sizeof *b);
    return true;
}
