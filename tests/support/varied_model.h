/* Models from functions of one or two numbers. */
#ifndef AMONTONS_TESTS_VARIED_MODEL_H
#define AMONTONS_TESTS_VARIED_MODEL_H
#include "amontons/model.h"

/* The test ends where there is no memory. To be freed by varied_model_free. */
am_model *model_of_one(const char *name, am_system *(*make)(void *context, double first, am_error *err), void *context);
am_model *model_of_two(const char *first, const char *second,
                       am_system *(*make)(void *context, double first, double second, am_error *err), void *context);
void varied_model_free(am_model *model);

/* One that goes with its block. */
#define VARIED_MODEL __attribute__((cleanup(varied_model_leave))) am_model
void varied_model_leave(am_model **model);

#endif
