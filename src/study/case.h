/* One case of a study: the model built and its analyses ready to run. A sweep makes one per point. */
#ifndef AMONTONS_STUDY_CASE_H
#define AMONTONS_STUDY_CASE_H
#include "study/analyses.h"
#include "study/coordinates.h"
#include "study/models.h"

struct am_case {
    am_study_model model;
    const am_node *model_node; /* that it was read from; NULL: it was made already */
    const am_node *root;       /* of the study; borrowed, like where its files may lie */
    const am_files *files;
    const am_system *system;
    am_coordinates coordinates; /* of the system, as analyses and figures may say them */
    size_t count;
    am_analysis *analyses; /* `analysis:` first, then those under `also:` */
};

/* From the root of a study's tree; everything in reading->pool. */
am_status am_case_read(am_reading *reading, const am_node *root, am_case *made);

/* The same with a model that was made already, and its system; both must live as long as `made`. */
am_status am_case_read_with(am_reading *reading, const am_node *root, const am_study_model *model,
                            const am_system *system, am_case *made);

/* The model's node. The number whose threshold is asked for may be left out even where the model requires it: it is
 * then what the search begins with. NULL with err filled. */
const am_node *am_case_model(am_reading *reading, const am_node *root);

/* Does its model say a preload, which is put on before anything else? */
bool am_case_is_preloaded(const am_case *made);

/* Before a run: does each analysis know what the system has? Input errors carry the position. */
am_status am_case_check_laws(const am_case *made, am_error *err);

/* Run all analyses; those under `also:` have their names as prefix. Input errors carry the position. `result` is empty
 * before; after a failure it may hold a part. */
am_status am_case_run(const am_case *made, am_result *result, const am_progress *progress, am_error *err);

/* Run one analysis, for a while, for what it says against its input: err. The while is over when the analysis has asked
 * so often whether to go on (am_case_go_on, whose context counts down from there): a number that depends on no clock. */
void am_case_begin(const am_case *made, size_t index, am_error *err);
size_t am_case_questions(const am_case *made, size_t index);
bool am_case_go_on(void *left, double fraction);

/* What runs of many cases of one study, one after another, have in common. One thread's. */
typedef struct am_case_sharing {
    am_kept *kept;        /* one per analysis, of cases with one system; NULL: nothing is kept */
    const am_texts *wish; /* the tables somebody will look at; NULL: all */
} am_case_sharing;

am_status am_case_run_in(const am_case *made, const am_case_sharing *sharing, am_result *result,
                         const am_progress *progress, am_error *err);

#endif
