/* What becomes of each of many starts, when motions end on orbits. Starts are run in rounds; what one round has learnt
 * (orbits) is used by the next and does not change meanwhile, so nothing depends on the number of threads. */
#ifndef AMONTONS_ANALYSES_ATTRACTORS_SURVEY_H
#define AMONTONS_ANALYSES_ATTRACTORS_SURVEY_H
#include "amontons/attractors.h"
#include "analyses/attractors/starts.h"
#include "analyses/orbit/set.h"
#include "base/arena.h"

typedef enum am_fate_kind {
    AM_FATE_NOT_RUN, /* not yet; the work was stopped before */
    AM_FATE_ORBIT,
    AM_FATE_SLIDING,   /* slips for ever, proved */
    AM_FATE_STICK,     /* all contacts stick for ever, proved */
    AM_FATE_OPEN,      /* all contacts are open for ever, proved */
    AM_FATE_FINAL,     /* another state of contact lasts for ever, proved */
    AM_FATE_APERIODIC, /* does not repeat within the limits, neighbours part */
    AM_FATE_UNDECIDED, /* does not repeat within the limits, but neighbours do not part either */
    AM_FATE_DIVERGENT,
    AM_FATE_FAILED, /* the motion cannot go on: no or several states of contact */
    AM_FATE_KINDS
} am_fate_kind;
const char *am_fate_name(am_fate_kind kind);

typedef struct am_fate {
    am_fate_kind kind;
    size_t orbit;    /* place in the set */
    size_t returns;  /* until it was known */
    double lyapunov; /* APERIODIC, UNDECIDED: largest exponent per unit time; otherwise NAN */
    double lyapunov_error;
    bool joined; /* the orbit was known, and not closed again */
} am_fate;

/* The last visits of one start to its section. */
typedef struct am_visits {
    size_t count, first; /* number of visits kept, and which visit the first of them was */
    double *states;      /* count x d */
} am_visits;

typedef struct am_worker am_worker;

typedef struct am_survey {
    am_arena memory;
    const am_system *system;
    const am_attractors_options *options;
    size_t n, m, d;
    am_starts starts;
    am_orbit_set set;
    am_fate *fates;  /* starts */
    size_t furthest; /* starts from here on have no fate yet: there may be many, and their memory is not even touched */
    am_visits *visits; /* starts; NULL unless options->section > 0 */
    bool joins;        /* motions end where they meet a trail */
    size_t joined, checks, mismatches;
    char failure[256]; /* why the first failed start failed */
    int worker_count;
    am_worker **worker;
} am_survey;

/* The caller clears the survey in any case. */
am_status am_survey_init(am_survey *survey, const am_system *system, const am_attractors_options *options, int threads,
                         am_error *err);
void am_survey_clear(am_survey *survey);

/* Interrupted: the fates found so far are there, the others are NOT_RUN. */
am_status am_survey_run(am_survey *survey, const am_progress *progress, am_error *err);

/* The fate of one more start (2n), by worker 0 and without adding to the survey, except that an orbit met for the first
 * time enters the set. `joins`: an orbit that is known is not closed again. */
am_status am_survey_ask(am_survey *survey, const double *start, bool joins, am_fate *fate, am_error *err);

/* The visits of the start just asked about to its section: *length states. Borrowed until the next question. */
const double *am_survey_path(const am_survey *survey, am_orbit_return *how, size_t *length);

/* Did contacts share their forces, in any motion followed, in a way that the motion does not tell? */
bool am_survey_indeterminate(const am_survey *survey);

/* An engine that is free between rounds. */
am_motion *am_survey_engine(am_survey *survey);

/* Unstable orbits, sought where motions part: on the borders between basins, and around the trails. After
 * am_survey_run; what is found enters the set. */
am_status am_border_search(am_survey *survey, const am_progress *progress, am_error *err);

#endif
