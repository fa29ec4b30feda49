/* The analyses a study can name. A new one is a file that defines an am_analysis_kind, and a line in AM_ANALYSES. */
#ifndef AMONTONS_STUDY_ANALYSES_H
#define AMONTONS_STUDY_ANALYSES_H
#include "amontons/orbit.h"
#include "amontons/path.h"
#include "amontons/progress.h"
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
    /* The same with something kept from run to run on one system; its results are the same bits whatever ran before.
     * NULL: `run` does. */
    am_status (*run_again)(const am_system *system, const void *settings, am_kept *kept, am_result *result,
                           const am_progress *progress, am_error *err);
    /* What docs/quantities.md calls the form in which it answers for this system ("map with orbits"); NULL: one form. */
    const char *(*form)(const am_system *system);
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

/* ---- What several analyses share ---- */

typedef struct am_place { /* `initial:` and the ends of `edge:` */
    am_numbers displacement, velocity;
} am_place;
extern const am_schema am_place_schema;

extern const am_word am_state_words[];  /* open, stick, forward, backward */
extern const am_word am_parity_words[]; /* which harmonics are kept: auto, all, odd */

/* Defaults and run of an analysis whose settings have a member `options` and that takes a system. */
#define AM_ANALYSIS_DEFAULTS(record_, stem)                                                                            \
    static void set_defaults(void *record) {                                                                           \
        ((record_ *)record)->options = stem##_options_default();                                                       \
    }
#define AM_ANALYSIS_RUN(record_, stem)                                                                                 \
    static am_status run(const am_system *system, const void *settings, am_result *result,                             \
                         const am_progress *progress, am_error *err) {                                                 \
        return stem##_run(system, &((const record_ *)settings)->options, result, progress, err);                       \
    }

/* Whole numbers below `limit`, the number of `what`, into *indices. */
am_status am_bind_indices(am_reading *reading, const am_numbers *numbers, const char *name, const char *what,
                          size_t limit, size_t *indices);

/* One number per coordinate; *values stays NULL when none were given. */
am_status am_bind_vector(am_reading *reading, const am_numbers *numbers, const char *name, const am_case *made,
                         const double **values);

/* Both parts of a place; each stays NULL when it was not given. */
am_status am_bind_place(am_reading *reading, const am_place *place, const am_case *made, const double **displacement,
                        const double **velocity);

/* One word per contact; a single word stands for all. NULL with err filled; NULL without an error when none were given.
 */
am_status am_bind_words(am_reading *reading, const am_words *words, const char *name, const am_system *system,
                        const int **values);

/* The same as contact states. */
am_status am_bind_states(am_reading *reading, const am_words *words, const char *name, const am_system *system,
                         const am_contact_state **states);

/* `harmonics: auto` (or none given: 0) or a whole number. */
am_status am_bind_harmonics(am_reading *reading, const am_node *node, const char *text, size_t *harmonics);

/* Is it a coordinate ("x", "node 51 z"), or a velocity: by its name ("v_x"), or by the number of its coordinate ("v1")? */
bool am_is_state_variable(am_reading *reading, const char *name, const am_case *made, size_t *coordinate,
                          bool *velocity);

/* `coordinate:`, in any words (study/coordinates.h); *index stays when none was given. */
am_status am_bind_coordinate(am_reading *reading, const am_node *node, const char *name, const am_case *made,
                             size_t *index);

/* Is each of them the name of a contact? */
am_status am_check_contact_names(am_reading *reading, const am_texts *names, const am_system *system);

/* until > from, at the position of `until`. */
am_status am_check_span(am_reading *reading, const am_node *node, double from, double until);

/* A table somebody could still hold in memory. */
enum { AM_MOST_SAMPLES = 10000000 };

#endif
