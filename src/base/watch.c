#include "base/watch.h"

#include <stddef.h>

/* Operations between two questions: about a millisecond's work, so that asking costs nothing and an answer is heard
 * soon even where an operation is slower than it looks. */
static const double between_questions = 1e6;

static _Thread_local am_watch *here;

am_watch *am_watch_here(void) {
    return here;
}

void am_watch_begin(am_watch *watch, const am_progress *progress) {
    am_watch *outer = here;
    am_watch_apart(watch, progress || !outer ? progress : outer->progress);
    if (outer) {
        watch->stop = outer->stop;
        watch->done = progress ? 0.0 : outer->done;
    }
}

void am_watch_apart(am_watch *watch, const am_progress *progress) {
    *watch = (am_watch){.progress = progress, .outer = here, .left = between_questions};
    watch->stop = &watch->own_stop;
    here = watch;
}

void am_watch_join(am_watch *watch, am_watch *whole) {
    if (whole == here) { /* the thread that shared the work out does its part too */
        am_watch_begin(watch, NULL);
        return;
    }
    am_watch_apart(watch, whole ? whole->progress : NULL);
    if (whole) {
        watch->done = whole->done;
        watch->stop = whole->stop;
    }
}

am_status am_watch_end(am_watch *watch, am_status status, am_error *err) {
    here = watch->outer;
    if (status != AM_ERR_INTERRUPTED && atomic_load(watch->stop))
        return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    /* Who gets no table takes it for a lack of memory; the result may have had one of that name already, says err. */
    return status == AM_ERR_MEMORY && err && err->status != AM_OK ? err->status : status;
}

void am_watch_mark(am_result *result) {
    am_result_set_flag(result, "interrupted", true, NULL);
}

bool am_watch_marked(const am_result *result) {
    const am_scalar *mark = am_result_find(result, "interrupted");
    return mark && mark->kind == AM_SCALAR_FLAG && mark->number != 0.0;
}

void am_watch_note(const am_progress *progress, double done) {
    if (!here || here->progress != progress)
        return;
    here->done = done;
    here->left = between_questions;
}

static bool ask(am_watch *watch) {
    bool more = true;
    watch->left = between_questions;
#ifdef _OPENMP
#pragma omp critical(amontons_progress)
#endif
    more = am_progress_report(watch->progress, watch->done);
    if (!more)
        atomic_store(watch->stop, true);
    return more;
}

bool am_watch_stopped(double operations) {
    am_watch *watch = here;
    if (!watch || !((watch->left -= operations) < 0.0))
        return false;
    return atomic_load(watch->stop) || !ask(watch);
}

bool am_watch_refused(void) {
    return here && atomic_load(here->stop);
}

am_status am_watch_spend(double operations, am_error *err) {
    return am_watch_stopped(operations) ? am_fail(err, AM_ERR_INTERRUPTED, "interrupted") : AM_OK;
}
