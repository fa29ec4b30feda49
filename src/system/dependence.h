/* How numbers read from a model's systems depend on one number p of the model, over a range: found out once, so that no
 * system is built while p varies.
 *
 * Straight: base + (p - from) slope, checked at three values in between. Bent: a polynomial through Chebyshev points of
 * the range, whose degree is doubled until it meets the numbers at further points to rounding (centrifugal loads,
 * damping of modes, phases). Neither: the system is made anew at every value, by whoever asks. */
#ifndef AMONTONS_SYSTEM_DEPENDENCE_H
#define AMONTONS_SYSTEM_DEPENDENCE_H
#include "base/arena.h"
#include "system/model.h"

/* What is read from a system. */
typedef struct am_dependence_reader {
    size_t count; /* of numbers */
    am_status (*read)(void *context, const am_system *system, double *numbers, am_error *err);
    /* Entries that are rounded relative to the largest of them (of a matrix, of a signal) get its scale. May be NULL. */
    void (*share)(void *context, double *scale);
    void *context;
    double straightness; /* distance from the line that is rounding, of an entry's own size, or... */
    bool shared;         /* ...of its shared scale */
    bool bends;          /* polynomials are tried where there are no straight lines */
} am_dependence_reader;

typedef struct am_dependence {
    am_arena memory; /* of its arrays */
    double from, to;
    size_t count;
    double *base;  /* count: the numbers at `from` */
    bool straight; /* all of them are affine in p */
    size_t bend;   /* not straight: degree of the polynomials; 0: there are none */
    double *bent;  /* moving_count x (bend + 1): Chebyshev coefficients over [from, to] */
    size_t moving_count, *moving;
    double *slope; /* moving_count: straight only */
} am_dependence;

/* Fills *d; what was in it before is freed. from == to: only the base. */
am_status am_dependence_find(am_dependence *d, const am_model_line *line, double from, double to,
                             const am_dependence_reader *reader, am_error *err);
void am_dependence_clear(am_dependence *d);

/* For `share` of a reader: entries that have the scale of the largest of them. */
void am_dependence_share(double *scale, size_t count);

/* The moving ones of `numbers` at p; false: neither straight nor bent, nothing is done. */
bool am_dependence_at(const am_dependence *d, double p, double *numbers);

#endif
