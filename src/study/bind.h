/* What analyses of a study share when their options are fitted to the case: names become indices, lists one number or word
 * per coordinate or contact, whole spans are checked. */
#ifndef AMONTONS_STUDY_BIND_H
#define AMONTONS_STUDY_BIND_H
#include "study/case.h"

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
