/* The model of a study as an am_model (amontons/model.h): its numbers are those of the study's tree, every one by its
 * path. First come those that `over:`, `threshold:`, `along:` and `follow:` name, or the axes of a sweep. */
#ifndef AMONTONS_STUDY_MODEL_NUMBERS_H
#define AMONTONS_STUDY_MODEL_NUMBERS_H
#include "study/models.h"
#include "system/model.h"

enum { AM_MODEL_NUMBERS = 8 };

/* Those that somebody varies. Filled while a study is read, and constant afterwards: runs of one study may go on at the
 * same time, each with a model of its own. */
typedef struct am_model_numbers {
    const am_node *model; /* of the study's tree */
    const am_files *files;
    am_study_model home; /* the model as the study gives it, where values are found that the tree leaves out */
    size_t count;
    const char *path[AM_MODEL_NUMBERS]; /* without "model." */
    const char *name[AM_MODEL_NUMBERS]; /* that the am_model knows it by */
    const am_node *at[AM_MODEL_NUMBERS];
    double value[AM_MODEL_NUMBERS]; /* the study's own; NAN: it has none */
} am_model_numbers;

/* `home`: NULL where nobody asks for values that the tree leaves out. None yet. */
am_model_numbers am_model_numbers_of(const am_node *model, const am_files *files, const am_study_model *home);

/* "Delta" and "model.Delta" mean the same, and "Delta" is the name. Whether there is such a number is known when the
 * model is asked for a system; messages point to `at`. Returns its index. */
size_t am_model_numbers_add(am_model_numbers *numbers, const char *path, const am_node *at);
bool am_model_numbers_have(const am_model_numbers *numbers, const char *path);

/* Does the model accept these values of its one or two numbers, one pair after the other? */
am_status am_model_numbers_accept(const am_model_numbers *numbers, size_t sets, const double (*values)[2],
                                  am_error *err);

/* One thread's; NULL with err filled. Numbers that nobody changes cost a comparison per system; a system is read anew
 * from the tree as far as it must be. What was given to am_model_numbers_of must live as long. */
am_model *am_model_numbers_open(const am_model_numbers *numbers, am_error *err);

/* The kind and the settings of the system that such a model has made last, which live as long. */
const am_study_model *am_model_numbers_made(const am_model *model);

/* The path without "model.". */
const char *am_model_path_short(const char *path);

#endif
