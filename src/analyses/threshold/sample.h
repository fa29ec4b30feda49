/* The spectrum at one value of the parameter, kept for the search of a threshold (first_crossing.c) and for its
 * location (locate.c). */
#ifndef AMONTONS_ANALYSES_THRESHOLD_SAMPLE_H
#define AMONTONS_ANALYSES_THRESHOLD_SAMPLE_H
#include "amontons/stability.h"
#include "system/model.h"

typedef enum am_threshold_sample_state {
    AM_THRESHOLD_SAMPLE_STABLE,   /* no eigenvalue grows by more than rounding */
    AM_THRESHOLD_SAMPLE_UNSTABLE, /* one does */
    AM_THRESHOLD_SAMPLE_PAINLEVE, /* rigid contact fails */
    AM_THRESHOLD_SAMPLE_LOST      /* no steady sliding: no equilibrium, or one that needs contacts to pull */
} am_threshold_sample_state;

typedef struct am_threshold_sample {
    double parameter;
    am_threshold_sample_state state;
    am_spectrum spectrum; /* may be empty when lost */
    size_t worst;         /* eigenvalue with the largest real part */
} am_threshold_sample;

/* What a search shares. */
typedef struct am_threshold_search {
    const am_spectra *spectra;
    const am_threshold_options *options;
    const am_progress *progress;
    double start, width; /* of the present span; width has a sign */
    double floor;        /* differences of the parameter below this mean nothing */
    size_t count, unresolved;
} am_threshold_search;

/* The systems of a model: along one of its numbers, while another may be held at a value. */
typedef struct am_threshold_systems {
    am_model_line line;
    const am_stability_options *stability;
} am_threshold_systems;

/* held: SIZE_MAX for none; standard: used where the options name no others. */
am_threshold_systems am_threshold_systems_of(am_model *model, const am_threshold_options *options, size_t held,
                                             const am_stability_options *standard);
am_status am_threshold_spectrum(void *systems, double parameter, am_spectrum *spectrum, am_error *err);

am_status am_threshold_sample_take(am_threshold_search *search, double parameter, am_threshold_sample *sample,
                                   am_error *err);
void am_threshold_sample_clear(am_threshold_sample *sample);

/* The same eigenvalues once more, without their shapes, which no search asks for. */
am_status am_threshold_sample_copy(const am_threshold_sample *from, am_threshold_sample *to, am_error *err);

/* Zero but for rounding? */
bool am_threshold_sample_neutral(const am_threshold_sample *sample, size_t eigenvalue);

/* partner[i]: the eigenvalue of `b` that belongs to eigenvalue i of `a`: the nearest one, each taken once, rightmost
 * first; SIZE_MAX when none is left. taken: one flag per eigenvalue of b. */
void am_threshold_sample_match(const am_threshold_sample *a, const am_threshold_sample *b, size_t *partner,
                               bool *taken);

/* The first stretch at whose beginning sliding is stable and at whose end it is not, in the present span. low and high
 * are filled (and to be cleared) when *found. `begin` is stable and stays the caller's. */
am_status am_threshold_bracket(am_threshold_search *search, const am_threshold_sample *begin, am_threshold_sample *low,
                               am_threshold_sample *high, bool *found, am_error *err);

/* The threshold between a stable and another sample, to rounding. Both stay the caller's. */
am_status am_threshold_locate(am_threshold_search *search, const am_threshold_sample *low,
                              const am_threshold_sample *high, am_threshold *found, am_error *err);

#endif
