/* A group of unknowns that is eliminated before those it meets, [D B; C .] with D of order k: D^-1 B is what leads back,
 * and -C D^-1 B what is left in the rows below. Most rows of C have few entries (a contact that slips feels the pressure
 * of its own normal alone, in every harmonic), so C is kept by its entries, but for rows that are full. */
#ifndef AMONTONS_MATH_FRONT_H
#define AMONTONS_MATH_FRONT_H
#include <stdbool.h>
#include <stddef.h>

typedef struct am_front_entry {
    size_t at;
    double value;
} am_front_entry;

typedef struct am_front {
    size_t k, columns, below; /* of D; of D and B together; rows of C */
    double *a;                /* k x columns: [D B], then the factors of D and D^-1 B */
    int *order;               /* k */
    size_t full, *full_row;   /* rows of C that are full, `below` at most... */
    double *C;                /* ...below x k at most */
    double *share;            /* below x (columns - k) at most: what these leave */
    size_t *first;            /* below + 1: entries of the other rows */
    am_front_entry *entry;    /* am_front_most_entries of them at most */
    double largest;           /* of the entries of C */
} am_front;

size_t am_front_most_entries(size_t k, size_t below);

/* Rows of C, from the first on. */
void am_front_take_row(am_front *front, size_t row, const double *values);

/* False where D is nearly singular. Fronts may be eliminated by different threads. */
bool am_front_eliminate(am_front *front);

/* a (rows `stride` apart): row[i] and column[j] of it get what is left for row i of C and column j of B. False where that
 * outgrows the front by far: digits would be lost. `work`: columns - k numbers. */
bool am_front_add_share(const am_front *front, const size_t *row, const size_t *column, double *a, size_t stride,
                        double *work);

/* x (k) becomes D^-1 x; rest[row[i]] is less by what C makes of that. */
void am_front_forward(const am_front *front, double *x, const size_t *row, double *rest);
/* x from there, with what the group meets known (columns - k). */
void am_front_backward(const am_front *front, double *x, const double *met);
int am_front_sign(const am_front *front); /* of det D */

#endif
