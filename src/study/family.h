/* The systems a study's model gives for every value of some of its numbers: what `follow:` and `threshold:` vary. */
#ifndef AMONTONS_STUDY_FAMILY_H
#define AMONTONS_STUDY_FAMILY_H
#include "amontons/follow.h"
#include "amontons/threshold.h"
#include "base/text.h"
#include "study/models.h"

enum { AM_FAMILY_NUMBERS = 2 };

/* The study's tree with the present values in it. One system at a time is alive. Filled in place (the tree points into
 * it); belongs to one thread. */
typedef struct am_model_family {
    const am_files *files;
    am_arena *pool;     /* of the tree */
    am_arena *settings; /* of the system made last */
    am_node *root;
    size_t count;
    const char *paths[AM_FAMILY_NUMBERS]; /* of the numbers */
    char texts[AM_FAMILY_NUMBERS][AM_TEXT_NUMBER_SIZE];
    /* Where the model is nothing but numbers, flags and words it is read once, and only the numbers that vary again: */
    const am_model_kind *kind; /* NULL: not read yet */
    const void *record;        /* its fields; NULL: the whole model is read for each system */
    size_t offset[AM_FAMILY_NUMBERS];
    am_range range[AM_FAMILY_NUMBERS];
} am_model_family;

/* `paths`: full paths such as model.friction, which must live as long as the family; positions of messages come from
 * `at`. */
am_status am_model_family_open(am_model_family *family, const am_node *root, const am_files *files, size_t count,
                               const char *const *paths, const am_node *const *at, am_error *err);
void am_model_family_close(am_model_family *family);

am_family am_model_family_of_one(am_model_family *family);
am_family2 am_model_family_of_two(am_model_family *family);

/* "Delta" means model.Delta: the full path of a number of the model, in the pool; NULL with err filled. And back. */
const char *am_model_path(am_arena *pool, const char *name, am_error *err);
const char *am_model_path_short(const char *path);

/* Does the model accept these values? */
am_status am_model_family_check(am_model_family *family, const double *values, am_error *err);

#endif
