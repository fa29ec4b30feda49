/* The analyses a study can name. A new one is a file that defines an am_analysis_kind, and a line in AM_ANALYSES. */
#ifndef AMONTONS_STUDY_ANALYSES_H
#define AMONTONS_STUDY_ANALYSES_H
#include "amontons/orbit.h"
#include "amontons/path.h"
#include "amontons/result.h"
#include "amontons/system.h"
#include "study/schema.h"

typedef struct am_case am_case; /* study/case.h */

/* What an analysis leaves for its next run on the same system (an engine, plans). */
typedef struct am_kept {
    void *object; /* NULL before the first run */
    void (*release)(void *object);
} am_kept;

typedef struct am_analysis_kind {
    const am_schema *schema;
    /* Fit the settings (the schema's struct) to the case, its model and system: check sizes and names, fill in the
     * options. */
    am_status (*bind)(am_reading *reading, const am_node *node, const am_case *made, void *settings);
    am_status (*run)(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err);
    /* What a run with these options refuses at once, because of what the structure has: laws, masses, loads. NULL: what
     * the row of this name in the table of laws and analyses says, if there is one. */
    am_status (*check)(const am_system *system, const void *settings, am_error *err);
    /* As `run`, with something kept from run to run on one system; its results are the same bits whatever ran before.
     * NULL: `run` does. */
    am_status (*run_again)(const am_system *system, const void *settings, am_kept *kept, am_result *result,
                           const am_progress *progress, am_error *err);
    /* What docs/quantities.md calls the form in which it answers for this system ("map with orbits"); NULL: one form. */
    const char *(*form)(const am_system *system);
    size_t questions;       /* whether to go on, of a million operations or so, until it can refuse; 0: a few */
    const char *figure;     /* the template's figure, in YAML */
    const char *model;      /* lines of the template's model, in YAML */
    const char *model_kind; /* of the template; NULL: klarbring */
} am_analysis_kind;

/* The analyses, in the order of `amontons list`: one line each. am_analysis_<name> is defined in analyses/<name>.c. */
#define AM_ANALYSES(X)                                                                                                 \
    X(motion)                                                                                                          \
    X(path)                                                                                                            \
    X(states)                                                                                                          \
    X(stability)                                                                                                       \
    X(attractors)                                                                                                      \
    X(orbit)                                                                                                           \
    X(cells)                                                                                                           \
    X(shakedown)                                                                                                       \
    X(twofold)                                                                                                         \
    X(march)                                                                                                           \
    X(squeal)                                                                                                          \
    X(response)                                                                                                        \
    X(backbone)                                                                                                        \
    X(design)                                                                                                          \
    X(atlas)                                                                                                           \
    X(slip)

#define AM_DECLARE_ANALYSIS(name) extern const am_analysis_kind am_analysis_##name;
AM_ANALYSES(AM_DECLARE_ANALYSIS)
#undef AM_DECLARE_ANALYSIS

/* The options in the settings of a `path`: some models answer it themselves. */
const am_path_options *am_analysis_path_options(const void *settings);

/* The options in the settings of an `orbit`: `follow` starts from them. */
const am_orbit_options *am_analysis_orbit_options(const void *settings);

/* Ends with NULL. */
extern const am_analysis_kind *const am_analysis_kinds[];

/* One analysis of a study, ready to run. */
typedef struct am_analysis {
    const char *name; /* "" for `analysis:`, otherwise its name under `also:` */
    const am_analysis_kind *kind;
    const am_node *node;
    void *settings;
} am_analysis;

am_status am_analysis_read(am_reading *reading, const am_node *node, const am_case *made, am_analysis *analysis);

#endif
