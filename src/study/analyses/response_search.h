/* `isolas:` and `folds:` of the analysis `response`. */
#ifndef AMONTONS_STUDY_ANALYSES_RESPONSE_SEARCH_H
#define AMONTONS_STUDY_ANALYSES_RESPONSE_SEARCH_H
#include "amontons/response.h"
#include "study/model_numbers.h"

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
} am_folds_setting;

extern const am_schema am_isolas_schema, am_folds_schema;

/* Into the options. */
void am_response_search_bind(const am_isolas_setting *isolas, am_response_options *options);

/* The same, with the folds' number behind that of `over`. */
am_status am_folds_bind(am_reading *reading, const am_node *node, am_model_numbers *numbers,
                        const am_folds_setting *folds, am_response_options *options);

#endif
