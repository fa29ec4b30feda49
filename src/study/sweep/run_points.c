/* Running the points of a sweep: threads, members of a team, files on the way, and the table in the end. */
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/clock.h"
#include "base/local.h"
#include "study/sweep/job.h"
#include "study/sweep/refine_grid.h"

/* Points that a thread takes at once: few enough that threads and members end together, many enough that taking them
 * costs nothing. */
enum { MOST_AT_ONCE = 1024, SHARES = 128 };

/* Seconds: longer than NFS keeps an old listing of a folder. */
static const double usual_patience = 90.0;

/* While a point runs, which may take long: should the work go on? */
static bool go_on(void *context) {
    am_sweep_job *j = context;
    if (!atomic_load(&j->stop)) {
        bool more = true;
#ifdef _OPENMP
#pragma omp critical(am_sweep_enter)
#endif
        more = am_progress_report(j->progress, (double)j->record->done / (double)j->record->points);
        if (!more)
            atomic_store(&j->stop, true);
    }
    return !atomic_load(&j->stop);
}

am_sweep_worker *am_sweep_job_worker(am_sweep_job *job, size_t thread, am_error *err) {
    if (!job->workers[thread])
        job->workers[thread] = am_sweep_worker_open(job->sweep, job->root, job->place->files, go_on, job, err);
    return job->workers[thread];
}

static size_t this_thread(void) {
#ifdef _OPENMP
    return (size_t)omp_get_thread_num();
#else
    return 0;
#endif
}

am_status am_sweep_job_share(am_sweep_job *job, am_sweep_work *work, void *context, am_error *err) {
    am_status worst = AM_OK;
#ifdef _OPENMP
#pragma omp parallel num_threads((int)job->threads)
#endif
    {
        am_error own = {0};
        am_status status = work(job, context, this_thread(), &own);
        if (status != AM_OK)
            atomic_store(&job->stop, true);
#ifdef _OPENMP
#pragma omp critical
#endif
        if (status != AM_OK && (worst == AM_OK || worst == AM_ERR_INTERRUPTED)) {
            worst = status;
            if (err)
                *err = own;
        }
    }
    return worst;
}

/* ---- Many points ---- */

/* The points so far, the others failed: spoils the record. */
static am_status make_part(void *context, am_result *result, am_error *err) {
    am_sweep_job *j = context;
    for (size_t p = 0; p < j->record->points; p++)
        if (j->record->known[p] == AM_SWEEP_OPEN)
            AM_TRY(am_sweep_record_put_failure(j->record, p, "not run", err));
    return am_sweep_fill(j->record, j->place->files, result, err);
}

/* What is known goes into the record, its file and the progress: one thread at a time. */
static am_status enter(am_sweep_job *j, size_t point, am_result *result, const char *failure, am_error *err) {
    am_sweep_record *record = j->record;
    am_status status = am_sweep_record_enter(record, point, result, failure, err);
    if (!status)
        status = am_sweep_record_flush(record, false, err);
    if (j->progress && j->progress->count)
        j->progress->count(j->progress->context, record->done, record->points, record->failed);
    if (j->progress && j->progress->part)
        j->progress->part(j->progress->context, make_part, j);
    if (!am_progress_report(j->progress, (double)record->done / (double)record->points))
        atomic_store(&j->stop, true);
    return status;
}

/* The result of a point that the probe has run; NULL: it has not. */
static am_result *take_early(am_sweep_job *j, size_t point) {
    am_result *result = NULL;
    for (size_t t = 0; t < j->threads && point < j->probed && !result; t++)
        if (j->early[t].result && j->early[t].point == point)
            result = j->early[t].result; /* only one thread has this point; freed with the job */
    return result;
}

static am_status compute_point(am_sweep_job *j, am_sweep_worker *h, size_t point, am_error *err) {
    am_error reason = {0};
    am_status came = AM_OK, status = AM_OK;
    am_result *result = take_early(j, point);
    bool failed = point < j->probed && j->probed_failures && j->probed_failures[point]; /* as the probe has seen */
    if (!result && !failed) {
        came = am_sweep_worker_run(h, point, false, &reason);
        result = h->result;
    }
    if (am_status_is_fatal(came)) {
        if (err && reason.status)
            *err = reason;
        return came;
    }
#ifdef _OPENMP
#pragma omp critical(am_sweep_enter)
#endif
    {
        const char *why = failed ? am_sweep_record_failure(j->record, point) : came ? reason.message : NULL;
        status = enter(j, point, result, why, err);
    }
    return status;
}

/* The next points for this thread: *from up to *to of the list; false: there are none left. */
static bool take(am_sweep_job *j, size_t *from, size_t *to) {
    size_t share = 0;
#ifdef _OPENMP
#pragma omp critical(am_sweep_take)
#endif
    share = j->team ? j->team->next(j->team->context) : atomic_fetch_add(&j->taken, 1);
    *from = share < j->count / j->at_once + 1 ? share * j->at_once : j->count;
    *to = *from + j->at_once < j->count ? *from + j->at_once : j->count;
    return *from < *to;
}

/* One thread's share of the points. */
static am_status run_share(am_sweep_job *j, void *context, size_t thread, am_error *err) {
    (void)context;
    size_t from, to;
    am_sweep_worker *h = am_sweep_job_worker(j, thread, err);
    am_status status = h ? AM_OK : AM_ERR_MEMORY;
    while (status == AM_OK && !atomic_load(&j->stop) && take(j, &from, &to))
        for (size_t i = from; i < to && status == AM_OK && !atomic_load(&j->stop); i++)
            status = compute_point(j, h, j->todo[i], err);
    return status;
}

static am_status run_todo(am_sweep_job *j, am_error *err) {
    j->at_once = j->count / (SHARES * am_team_size(j->team));
    j->at_once = j->at_once < 1 ? 1 : j->at_once > MOST_AT_ONCE ? MOST_AT_ONCE : j->at_once;
    atomic_store(&j->taken, 0);
    am_status worst = am_sweep_job_share(j, run_share, NULL, err);
    am_error last = {0};
    am_status kept = am_sweep_record_flush(j->record, true, &last);
    if (worst == AM_OK && kept != AM_OK && err)
        *err = last;
    worst = worst == AM_OK ? kept : worst;
    if ((worst == AM_OK || worst == AM_ERR_INTERRUPTED) && atomic_load(&j->stop))
        return am_fail(err, AM_ERR_INTERRUPTED, "interrupted after %zu of %zu points of the sweep%s", j->record->done,
                       j->record->points, j->record->folder ? "; the same command goes on from there" : "");
    return worst;
}

/* The points of a list (NULL: all) that are not known. */
static void list_open(am_sweep_job *j, const uint32_t *points, size_t count) {
    j->count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t point = points ? points[i] : i;
        if (j->record->known[point] == AM_SWEEP_OPEN)
            j->todo[j->count++] = (uint32_t)point;
    }
}

/* All members have written their points: read them. Some file systems show files of other machines only after a while.
 */
static am_status gather_all(am_sweep_job *j, const uint32_t *points, size_t count, am_error *err) {
    const double patience = j->team->patience > 0.0 ? j->team->patience : usual_patience, begin = am_clock_seconds();
    for (;;) {
        AM_TRY(am_sweep_record_gather(j->record, err));
        list_open(j, points, count);
        if (j->count == 0)
            return AM_OK;
        if (am_clock_seconds() - begin >= patience)
            return am_fail(err, AM_ERR_FILE,
                           "%zu points that other processes computed did not appear in %s within %g seconds: the "
                           "results need a folder that all machines share",
                           j->count, j->record->folder, patience);
        if (!am_progress_report(j->progress, (double)j->record->done / (double)j->record->points))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted; the same command goes on from there");
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

/* Without a folder members exchange points directly; the counter begins anew. */
static am_status exchange_all(am_sweep_job *j, am_error *err) {
    AM_TRY(am_sweep_record_exchange(j->record, j->team, err));
    am_team_meet(j->team);
    return AM_OK;
}

/* Until all points of the list are known to all members. A member that fails returns at once: it must end the team. */
static am_status run_list(am_sweep_job *j, const uint32_t *points, size_t count, am_error *err) {
    list_open(j, points, count);
    am_status status = j->count > 0 ? run_todo(j, err) : AM_OK;
    if (status != AM_OK || !j->team)
        return status;
    if (!j->record->folder)
        return exchange_all(j, err);
    am_team_meet(j->team); /* all have written before anybody reads */
    status = gather_all(j, points, count, err);
    if (status == AM_OK)
        am_team_meet(j->team); /* all have read before anybody writes, or removes the parts */
    return status;
}

static am_status run_refined(am_sweep_job *j, am_error *err) {
    AM_LOCAL(am_refinement_clear) am_refinement refinement = {0};
    AM_TRY(am_refinement_init(&refinement, j->record, err));
    while (refinement.point_count > 0) {
        AM_TRY(run_list(j, refinement.points, refinement.point_count, err));
        AM_TRY(am_refinement_next(&refinement, err));
    }
    return AM_OK;
}

/* What earlier runs left, and the outputs' names. */
static am_status begin(am_sweep_job *j, am_error *err) {
    am_sweep_record *record = j->record;
    const am_sweep_place *place = j->place;
    bool found = false;
    am_status status = AM_OK;
    record->lists = am_team_size(j->team) > 1;
    if (place->results)
        status = am_sweep_record_open(record, place, j->root, am_team_rank(j->team), &found, err);
    else if (record->lists && !j->team->merge)
        status = am_fail(err, AM_ERR_INPUT, "these processes share their points through files: give a folder (--out)");
    if (status == AM_OK && !found)
        status = am_sweep_probe(j, err);
    if (status == AM_OK)
        am_team_meet(j->team); /* nobody writes a plan while another reads one */
    if (status == AM_OK)
        status = found ? am_sweep_record_gather(record, err) : am_sweep_record_plan(record, err);
    if (status == AM_OK)
        am_team_meet(j->team); /* all have read what there was before anybody writes */
    return status;
}

static am_status open_job(am_sweep_job *j, am_error *err) {
    AM_TRY(am_sweep_record_init(j->record, j->sweep, err));
    j->threads = (size_t)am_progress_threads(j->progress);
    j->todo = am_memory_new(j->record->points, sizeof *j->todo, err);
    j->workers = am_memory_new(j->threads, sizeof *j->workers, err);
    j->early = am_memory_new(j->threads, sizeof *j->early, err);
    return j->todo && j->workers && j->early ? AM_OK : AM_ERR_MEMORY;
}

/* All but the record. */
static void close_job(am_sweep_job *j) {
    for (size_t t = 0; j->workers && t < j->threads; t++)
        am_sweep_worker_close(j->workers[t]);
    for (size_t t = 0; j->early && t < j->threads; t++)
        am_result_free(j->early[t].result);
    am_memory_free(j->workers);
    am_memory_free(j->early);
    am_memory_free(j->todo);
}

am_status am_sweep_run(const am_sweep_setting *sweep, const am_node *root, const am_sweep_place *place,
                       am_result *result, const am_progress *progress, am_error *err) {
    AM_LOCAL(am_sweep_record_clear) am_sweep_record record = {0};
    const am_team *team = progress ? progress->team : NULL;
    AM_LOCAL(close_job)
    am_sweep_job j = {
        .sweep = sweep, .root = root, .place = place, .progress = progress, .team = team, .record = &record};
    AM_TRY(open_job(&j, err));
    AM_TRY(begin(&j, err));
    AM_TRY(sweep->refine.output ? run_refined(&j, err) : run_list(&j, NULL, record.points, err));
    return am_sweep_fill(&record, place->files, result, err);
}
