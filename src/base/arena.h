/* An arena: memory for many pieces that live equally long, given back at once. An engine has one for its workspaces, a
 * run one for its settings. The first failure is remembered, so that many pieces are asked for and one check follows:
 *
 *     e->K = am_arena_new(&e->memory, n * n, sizeof *e->K, err);
 *     e->work = am_arena_new(&e->memory, n, sizeof *e->work, err);
 *     return am_arena_status(&e->memory);
 *
 * An arena belongs to one thread. Under the address sanitizer every piece is a block of its own. */
#ifndef AMONTONS_BASE_ARENA_H
#define AMONTONS_BASE_ARENA_H
#include <stddef.h>

#include "amontons/error.h"

/* Begins as {0}. */
typedef struct am_arena {
    struct am_arena_block *newest, *idle; /* idle: from before it was emptied */
    struct am_arena_guest *guests;
    am_status status;
} am_arena;

/* `count` zeroed items of `size` bytes, aligned for any type. NULL with err filled when there is no memory, and NULL from
 * then on. */
void *am_arena_new(am_arena *arena, size_t count, size_t size, am_error *err);

/* Several arrays of `count` items of one type, zeroed, into the pointers whose addresses follow:
 *
 *     AM_ARENA_DOUBLES(&e->memory, n, err, &e->right, &e->left);
 *     AM_ARENA_ARRAYS(&e->memory, bool, m, err, &e->open, &e->stuck); */
#define AM_ARENA_DOUBLES(arena, count, err, ...) AM_ARENA_ARRAYS(arena, double, count, err, __VA_ARGS__)
#define AM_ARENA_ARRAYS(arena, type, count, err, ...)                                                                  \
    am_arena_arrays(arena, count, sizeof(type), (void *const[]){__VA_ARGS__},                                          \
                    sizeof((type **const[]){__VA_ARGS__}) / sizeof(type **), err)
void am_arena_arrays(am_arena *arena, size_t count, size_t size, void *const *places, size_t place_count,
                     am_error *err);

/* Copies. values NULL: zeros. The text gets a zero at its end. */
double *am_arena_doubles(am_arena *arena, const double *values, size_t count, am_error *err);
char *am_arena_text(am_arena *arena, const char *text, size_t length, am_error *err);

/* Make *text a copy of itself in the arena; NULL stays NULL. */
am_status am_arena_keep(am_arena *arena, const char **text, am_error *err);

/* `object` goes with the arena, through `release`. On failure it is released at once. */
am_status am_arena_own(am_arena *arena, void *object, void (*release)(void *), am_error *err);

/* AM_OK, or AM_ERR_MEMORY when something that was asked for could not be given. */
am_status am_arena_status(const am_arena *arena);

/* Everything in it goes; its memory waits for what comes next. Failures are forgotten. */
void am_arena_reset(am_arena *arena);

/* Everything goes, and the memory is given back; it may begin anew. NULL is fine. */
void am_arena_clear(am_arena *arena);

/* One that is not part of another object; am_arena_free in the end. */
am_arena *am_arena_create(am_error *err);
void am_arena_free(am_arena *arena);

#endif
