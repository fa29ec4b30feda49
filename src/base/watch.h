/* Work that somebody may want to stop. Whoever begins long work (an analysis, the command, a thread of either) watches
 * it; loops anywhere below spend what they do and so learn, about every millisecond, whether the work is still wanted.
 * The watch belongs to the thread and lives on the stack of who began it: no loop needs to be handed a progress, and
 * nothing remains afterwards. */
#ifndef AMONTONS_BASE_WATCH_H
#define AMONTONS_BASE_WATCH_H
#include <stdatomic.h>
#include <stdbool.h>

#include "amontons/error.h"
#include "amontons/result.h"

typedef struct am_watch {
    const am_progress *progress; /* whom to ask; NULL: nobody */
    struct am_watch *outer;      /* what this thread watched before */
    double done;                 /* as last reported */
    double left;                 /* operations until the next question */
    atomic_bool *stop;           /* somebody said no: of the outermost watch, shared by its threads */
    atomic_bool own_stop;
} am_watch;

/* Watch what follows in this thread. Without a progress the outer watch, if any, goes on. */
void am_watch_begin(am_watch *watch, const am_progress *progress);

/* The same for work of its own: that it is stopped says nothing of what is watched outside. */
void am_watch_apart(am_watch *watch, const am_progress *progress);

/* For a thread that does part of what `whole` watches (NULL: nothing does). */
void am_watch_join(am_watch *watch, am_watch *whole);

/* No longer. Work that was stopped is AM_ERR_INTERRUPTED, whatever came of it: what a loop left half done is no result.
 */
am_status am_watch_end(am_watch *watch, am_status status, am_error *err);

/* What was computed until the work was stopped is worth keeping: the summary says `interrupted`. */
void am_watch_mark(am_result *result);
bool am_watch_marked(const am_result *result);

/* The watch of this thread; NULL: there is none. */
am_watch *am_watch_here(void);

/* So many operations (multiplications, about) were or will be done: AM_OK while they are wanted. */
am_status am_watch_spend(double operations, am_error *err);

/* For loops that cannot fail: true once the work is not wanted. */
bool am_watch_stopped(double operations);

/* Was it not wanted when somebody last asked? What came of a loop since then may be half done: no part to keep. */
bool am_watch_refused(void);

/* What was reported last: a question repeats it. */
void am_watch_note(const am_progress *progress, double done);

#endif
