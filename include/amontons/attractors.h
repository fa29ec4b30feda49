/* Analysis `attractors`: where a set of starts leads. First form: the contact state that provably lasts for ever, for
 * loads that are constant or grow linearly. See docs/attractors.md for the proof. */
#ifndef AMONTONS_ATTRACTORS_H
#define AMONTONS_ATTRACTORS_H
#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One axis of the grid of starts. */
typedef struct am_start_axis {
    size_t coordinate; /* which degree of freedom */
    bool velocity;     /* its velocity, not its displacement */
    double from, to;
    size_t count; /* at least 1; evenly spaced, ends included */
} am_start_axis;

typedef struct am_attractors_options {
    const double *displacement; /* n; of all starts, where no axis says otherwise; NULL: zero */
    const double *velocity;
    size_t axis_count; /* 1 or 2 */
    const am_start_axis *axes;
    double until; /* give up (label `undecided`) at this time; default 10000 */
    /* Locate the border between two different final states on the straight line between two starts (each 2n: q, v);
     * NULL: none */
    const double *edge_from, *edge_to;
    int cookie;
} am_attractors_options;

am_attractors_options am_attractors_options_default(void);

/* Table `map` (one column per axis, `state`, `settled` time, `changes`); summary `starts`, `stick`, `open`, `other`,
 * `undecided`, `edge` (position of the border on the line, as the coordinates of the first axis), `edge_width`. */
am_status am_attractors_run(const am_system *system, const am_attractors_options *options, am_result *result,
                            const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
