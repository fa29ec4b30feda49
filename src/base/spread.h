/* Work that consists of independent items, shared out among threads. Every item writes to a place of its own, so that
 * results do not depend on who did it. */
#ifndef AMONTONS_BASE_SPREAD_H
#define AMONTONS_BASE_SPREAD_H
#include <stddef.h>

#include "amontons/error.h"
#include "amontons/result.h"

typedef struct am_spread {
    size_t count, chunk; /* items, and how many a thread takes at once */
    int threads;
    const am_progress *progress; /* may be NULL */
    double from, to;             /* the part of the progress that these items are */
    const am_team *team;         /* members that share the items, with `chunk` alike; NULL: none */
    const char *doing;           /* "following the starts": for the message of an interruption */
    void *context;
    /* What a thread works with, NULL after an error; `thread` is 0 .. threads - 1. `close` may be NULL. */
    void *(*open)(void *context, int thread, am_error *err);
    void (*close)(void *worker);
    am_status (*item)(void *context, void *worker, size_t index, am_error *err);
} am_spread;

/* Do all items. After the first failure, or when the progress says so, no more are begun. */
am_status am_spread_run(const am_spread *work, am_error *err);

/* How many threads so many products are worth, among those that the work watched here may use: one where they take no
 * milliseconds, or where nothing is watched. */
int am_spread_threads(double products);

/* Tell how far the work is, from any thread; an interruption is an error from here on. */
am_status am_spread_report(const am_progress *progress, double done, const char *doing, am_error *err);

#endif
