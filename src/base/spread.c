#include "base/spread.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/watch.h"

typedef struct sharing {
    const am_spread *work;
    size_t next; /* share of the items that nobody has yet */
    int stop;
} sharing;

static int this_thread(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

am_status am_spread_report(const am_progress *progress, double done, const char *doing, am_error *err) {
    bool go_on = true;
#pragma omp critical(amontons_progress)
    go_on = am_progress_report(progress, done);
    if (go_on)
        return AM_OK;
    return am_fail(err, AM_ERR_INTERRUPTED, "interrupted while %s, after about %.0f percent", doing, 100.0 * done);
}

/* The first of the next items that nobody has; `count`: there are none. */
static size_t take(sharing *s) {
    const am_spread *work = s->work;
    size_t share;
    int stopped;
    if (work->team) {
#pragma omp critical(amontons_team)
        share = work->team->next(work->team->context);
    } else {
#pragma omp atomic capture
        share = s->next++;
    }
#pragma omp atomic read
    stopped = s->stop;
    return !stopped && share <= work->count / work->chunk ? share * work->chunk : work->count;
}

/* A thread's part. */
static am_status take_part(sharing *s, am_error *err) {
    const am_spread *work = s->work;
    void *worker = work->open(work->context, this_thread(), err);
    am_status status = worker ? AM_OK : err->status;
    for (size_t first; !status && (first = take(s)) < work->count;) {
        size_t end = first + work->chunk < work->count ? first + work->chunk : work->count;
        for (size_t i = first; i < end && !status; i++)
            status = work->item(work->context, worker, i, err);
        double done = work->from + (work->to - work->from) * (double)first / (double)work->count;
        if (!status)
            status = am_spread_report(work->progress, done, work->doing, err);
    }
    if (status) {
#pragma omp atomic write
        s->stop = 1;
    }
    if (worker && work->close)
        work->close(worker);
    return status;
}

/* No more threads than shares: each of them costs what it works with. */
static int threads_for(const am_spread *work) {
    size_t shares = work->count / work->chunk + (work->count % work->chunk > 0);
    return shares < (size_t)work->threads ? (int)shares : work->threads;
}

int am_spread_threads(double products) {
    static const double worth = 1e8;
    const am_watch *watch = am_watch_here();
    return watch && products > worth ? am_progress_threads(watch->progress) : 1;
}

am_status am_spread_run(const am_spread *work, am_error *err) {
    sharing s = {.work = work};
    am_status status = AM_OK;
    am_watch *whole = am_watch_here();
    int threads = threads_for(work);
    if (threads == 0)
        return AM_OK;
#pragma omp parallel num_threads(threads)
    {
        am_error own = {0};
        am_watch watch;
        am_watch_join(&watch, whole);
        am_status mine = take_part(&s, &own);
        mine = am_watch_end(&watch, mine, &own);
#pragma omp critical(amontons_failure)
        if (mine && !status) {
            status = mine;
            if (err)
                *err = own;
        }
    }
    return status;
}
