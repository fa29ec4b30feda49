/* `isolas:` and `folds:` of the analysis `response`. */
#ifndef AMONTONS_STUDY_ANALYSES_RESPONSE_SEARCH_H
#define AMONTONS_STUDY_ANALYSES_RESPONSE_SEARCH_H
#include "amontons/response.h"
#include "study/schema.h"

typedef struct am_isolas_setting {
    am_numbers at;
    size_t count, starts, guesses, seed;
    double within;
    bool given;
} am_isolas_setting;

typedef struct am_folds_setting {
    const char *along; /* NULL: folds are not followed */
    double from, to;
    size_t most_points;
    const char *path; /* of the number, from the root of the study */
    const am_node *node;
} am_folds_setting;

extern const am_schema am_isolas_schema, am_folds_schema;

/* Into the options; the folds' family is set where they are run. */
void am_response_search_bind(const am_isolas_setting *isolas, am_response_options *options);

/* The path of the folds' number; not that of `over`, when both are given. */
am_status am_folds_relate(am_reading *reading, const am_node *node, const char *over, am_folds_setting *folds,
                          am_response_options *options);

#endif
