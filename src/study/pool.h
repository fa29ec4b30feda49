/* A pool: everything read from one study, freed at once. What the reader makes is many small pieces that all live
 * equally long. */
#ifndef AMONTONS_STUDY_POOL_H
#define AMONTONS_STUDY_POOL_H
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_pool am_pool;

am_pool *am_pool_create(am_error *err);
void am_pool_free(am_pool *pool);

/* Everything in it goes; its memory waits for what comes next. */
void am_pool_clear(am_pool *pool);

/* Zeroed, aligned for any type; NULL with err filled when there is no memory. */
void *am_pool_new(am_pool *pool, size_t count, size_t size, am_error *err);
char *am_pool_text(am_pool *pool, const char *text, size_t length, am_error *err);

/* Make *text a copy of itself in the pool; NULL stays NULL. */
am_status am_pool_keep(am_pool *pool, const char **text, am_error *err);

/* `object` goes with the pool, through `release`. On failure it is released at once. */
am_status am_pool_own(am_pool *pool, void *object, void (*release)(void *), am_error *err);

#endif
