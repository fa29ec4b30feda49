/* Running the points of a sweep: threads, members of a team, files on the way, and the table in the end. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "study/sweep/grid.h"
#include "study/sweep/refine.h"

/* Points that a thread takes at once: few enough that threads and members end together, many enough that taking them
 * costs nothing. */
enum { MOST_AT_ONCE = 1024, TURNS = 128 };

/* Seconds: longer than NFS keeps an old listing of a folder. */
static const double usual_patience = 90.0;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct job {
    const am_sweep_setting *sweep;
    const am_node *root;
    const am_sweep_place *place;
    const am_progress *progress;
    const am_team *team;
    am_sweep_book *book;
    /* the points to run now */
    size_t *todo, count, at_once;
    atomic_size_t taken; /* a team of one counts itself */
    atomic_bool stop;
    bool announced; /* a point that was run to learn the outputs' names waits to be entered */
    size_t probe;
    am_result *probe_result;
} job;

/* ---- One point ---- */

/* A thread's own: its grid, and a model that the points share where they can. */
typedef struct hand {
    job *j;
    am_grid grid;
    am_pool *pool;
    am_case first;
    bool has_first;
} hand;

static bool report_inside(void *context, double fraction) {
    (void)fraction; /* many points run at once: only whole ones are counted */
    const job *j = context;
    return !atomic_load(&j->stop);
}

static am_status hand_open(hand *h, job *j, am_error *err) {
    *h = (hand){.j = j};
    return am_grid_open(&h->grid, j->sweep, j->root, err);
}

static void hand_close(hand *h) {
    am_grid_close(&h->grid);
    am_pool_free(h->pool);
}

/* Run one point. A failure of the point itself, in `reason`, is no failure of the sweep. */
static am_status run_point(hand *h, size_t point, am_result *result, am_error *reason) {
    am_pool *pool = NULL;
    am_case made;
    am_progress inner = {.report = report_inside, .context = h->j, .threads = 1};
    am_grid_move(&h->grid, point);
    am_status status =
        am_grid_case(&h->grid, h->j->place->folder, h->has_first ? &h->first : NULL, &pool, &made, reason);
    if (status == AM_OK)
        status = am_case_run(&made, result, &inner, reason);
    if (status == AM_OK && !h->has_first) { /* its model may serve the next points */
        h->first = made;
        h->pool = pool;
        h->has_first = true;
    } else {
        am_pool_free(pool);
    }
    return status;
}

static bool is_grave(am_status status) {
    return status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED;
}

/* ---- The names of the outputs ---- */

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Those the study lists, or all of the first point that succeeds. */
static am_status choose_outputs(job *j, const am_result *first, am_error *err) {
    const am_texts *wanted = &j->sweep->outputs;
    am_sweep_book *book = j->book;
    size_t all = am_result_scalar_count(first), count = 0;
    const char **known = am_pool_new(book->pool, all, sizeof *known, err);
    const char **chosen = am_pool_new(book->pool, all, sizeof *chosen, err);
    if (!known || !chosen)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < all; i++)
        known[i] = am_result_scalar(first, i)->name;
    if (!wanted->values)
        return am_sweep_book_name(book, all, known, err);
    for (size_t w = 0; w < wanted->count; w++) {
        bool found = false;
        for (size_t i = 0; i < all; i++) {
            bool fits = am_sweep_matches(wanted->values[w], known[i]);
            found = found || fits;
            if (fits && !is_among(known[i], chosen, count))
                chosen[count++] = known[i];
        }
        if (!found) {
            const am_node *at = wanted->node->kind == AM_NODE_LIST ? wanted->node->items[w] : wanted->node;
            am_reading reading = {book->pool, j->place->folder, err};
            return am_unknown(&reading, at, "output", "sweep", wanted->values[w], all, known);
        }
    }
    return am_sweep_book_name(book, count, chosen, err);
}

/* Points one after another until one succeeds: it tells which outputs there are, and is kept until its turn comes. */
static am_status probe(job *j, am_error *err) {
    hand h;
    am_error first = {0};
    am_status status = hand_open(&h, j, err);
    for (size_t point = 0; status == AM_OK && point < j->book->points && !j->announced; point++) {
        am_error reason = {0};
        am_result *result = am_result_create(err);
        am_status came = result ? run_point(&h, point, result, &reason) : AM_ERR_MEMORY;
        if (came == AM_OK) {
            j->announced = true;
            j->probe = point;
            j->probe_result = result;
            status = choose_outputs(j, result, err);
            continue;
        }
        am_result_free(result);
        first = first.status ? first : reason;
        if (is_grave(came)) {
            status = came;
            if (err && reason.status)
                *err = reason;
        }
        if (status == AM_OK && !am_progress_report(j->progress, 0.0))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted before any point of the sweep succeeded");
    }
    if (status == AM_OK && !j->announced)
        status = am_fail(err, AM_ERR_EVIDENCE, "every point of the sweep failed (%zu); the first because: %s",
                         j->book->points, first.message);
    hand_close(&h);
    return status;
}

/* ---- Many points ---- */

/* What is known goes into the book, its file and the progress: one thread at a time. */
static am_status enter(job *j, size_t point, am_result *result, const char *failure, am_error *err) {
    am_sweep_book *book = j->book;
    am_status status = am_sweep_book_enter(book, point, result, failure, err);
    if (!status)
        status = am_sweep_book_flush(book, false, err);
    if (j->progress && j->progress->count)
        j->progress->count(j->progress->context, book->done, book->points, book->failed);
    if (!am_progress_report(j->progress, (double)book->done / (double)book->points))
        atomic_store(&j->stop, true);
    return status;
}

static am_status compute_point(hand *h, size_t point, am_error *err) {
    job *j = h->j;
    am_error reason = {0};
    am_status came = AM_OK, status = AM_OK;
    am_result *result = NULL;
    bool ready = j->announced && point == j->probe && j->probe_result; /* only one thread has this point */
    if (ready) {
        result = j->probe_result;
        j->probe_result = NULL;
    } else {
        result = am_result_create(err);
        came = result ? run_point(h, point, result, &reason) : AM_ERR_MEMORY;
    }
    if (is_grave(came)) {
        am_result_free(result);
        if (err && reason.status)
            *err = reason;
        return came;
    }
#ifdef _OPENMP
#pragma omp critical(am_sweep_enter)
#endif
    status = enter(j, point, result, came ? reason.message : NULL, err);
    return status;
}

/* The next points for this thread: *from up to *to of the list; false: there are none left. */
static bool take(job *j, size_t *from, size_t *to) {
    size_t turn = 0;
#ifdef _OPENMP
#pragma omp critical(am_sweep_take)
#endif
    turn = j->team ? j->team->next(j->team->context) : atomic_fetch_add(&j->taken, 1);
    *from = turn < j->count / j->at_once + 1 ? turn * j->at_once : j->count;
    *to = *from + j->at_once < j->count ? *from + j->at_once : j->count;
    return *from < *to;
}

/* One thread's share of the points. */
static am_status run_share(job *j, am_error *err) {
    hand h;
    size_t from, to;
    am_status status = hand_open(&h, j, err);
    while (status == AM_OK && !atomic_load(&j->stop) && take(j, &from, &to))
        for (size_t i = from; i < to && status == AM_OK && !atomic_load(&j->stop); i++)
            status = compute_point(&h, j->todo[i], err);
    if (status != AM_OK)
        atomic_store(&j->stop, true);
    hand_close(&h);
    return status;
}

static am_status run_todo(job *j, am_error *err) {
    am_status worst = AM_OK;
    int threads = am_progress_threads(j->progress);
    (void)threads;
    j->at_once = j->count / (TURNS * am_team_size(j->team));
    j->at_once = j->at_once < 1 ? 1 : j->at_once > MOST_AT_ONCE ? MOST_AT_ONCE : j->at_once;
    atomic_store(&j->taken, 0);
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
    {
        am_error own = {0};
        am_status status = run_share(j, &own);
#ifdef _OPENMP
#pragma omp critical
#endif
        if (status != AM_OK && (worst == AM_OK || worst == AM_ERR_INTERRUPTED)) {
            worst = status;
            if (err)
                *err = own;
        }
    }
    am_error last = {0};
    am_status kept = am_sweep_book_flush(j->book, true, &last);
    if (worst == AM_OK && kept != AM_OK && err)
        *err = last;
    worst = worst == AM_OK ? kept : worst;
    if ((worst == AM_OK || worst == AM_ERR_INTERRUPTED) && atomic_load(&j->stop))
        return am_fail(err, AM_ERR_INTERRUPTED, "interrupted after %zu of %zu points of the sweep%s", j->book->done,
                       j->book->points, j->book->folder ? "; the same command goes on from there" : "");
    return worst;
}

/* The points of a list (NULL: all) that are not known. */
static void list_open(job *j, const size_t *points, size_t count) {
    j->count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t point = points ? points[i] : i;
        if (j->book->known[point] == AM_SWEEP_OPEN)
            j->todo[j->count++] = point;
    }
}

/* All members have written their points: read them. Some file systems show files of other machines only after a while.
 */
static am_status gather_all(job *j, const size_t *points, size_t count, am_error *err) {
    const double patience = j->team->patience > 0.0 ? j->team->patience : usual_patience, begin = now();
    for (;;) {
        am_status status = am_sweep_book_gather(j->book, err);
        if (status != AM_OK)
            return status;
        list_open(j, points, count);
        if (j->count == 0)
            return AM_OK;
        if (now() - begin >= patience)
            return am_fail(err, AM_ERR_FILE,
                           "%zu points that other processes computed did not appear in %s within %g seconds: the "
                           "results need a folder that all machines share",
                           j->count, j->book->folder, patience);
        if (!am_progress_report(j->progress, (double)j->book->done / (double)j->book->points))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted; the same command goes on from there");
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

/* Until all points of the list are known to all members. A member that fails returns at once: it must end the team. */
static am_status run_list(job *j, const size_t *points, size_t count, am_error *err) {
    list_open(j, points, count);
    am_status status = j->count > 0 ? run_todo(j, err) : AM_OK;
    if (status != AM_OK || !j->team)
        return status;
    am_team_meet(j->team); /* all have written before anybody reads */
    status = gather_all(j, points, count, err);
    if (status == AM_OK)
        am_team_meet(j->team); /* all have read before anybody writes, or removes the parts */
    return status;
}

static am_status run_refined(job *j, am_error *err) {
    am_refinement refinement;
    am_status status = am_refinement_init(&refinement, j->book, err);
    while (status == AM_OK && refinement.point_count > 0) {
        status = run_list(j, refinement.points, refinement.point_count, err);
        if (status == AM_OK)
            status = am_refinement_next(&refinement, err);
    }
    am_refinement_clear(&refinement);
    return status;
}

/* What earlier runs left, and the outputs' names. */
static am_status begin(job *j, am_error *err) {
    am_sweep_book *book = j->book;
    const am_sweep_place *place = j->place;
    bool found = false;
    am_status status = AM_OK;
    if (place->results)
        status = am_sweep_book_open(book, place, j->root, am_team_rank(j->team), &found, err);
    else if (am_team_size(j->team) > 1)
        status =
            am_fail(err, AM_ERR_INPUT, "several processes share their points through files: give a folder (--out)");
    if (status == AM_OK && !found)
        status = probe(j, err);
    if (status == AM_OK)
        am_team_meet(j->team); /* nobody writes a plan while another looks for one */
    if (status == AM_OK)
        status = found ? am_sweep_book_gather(book, err) : am_sweep_book_plan(book, err);
    if (status == AM_OK)
        am_team_meet(j->team); /* all have read what there was before anybody writes */
    return status;
}

am_status am_sweep_run(const am_sweep_setting *sweep, const am_node *root, const am_sweep_place *place,
                       am_result *result, const am_progress *progress, am_error *err) {
    am_sweep_book book;
    const am_team *team = progress ? progress->team : NULL;
    job j = {.sweep = sweep, .root = root, .place = place, .progress = progress, .team = team, .book = &book};
    am_status status = am_sweep_book_init(&book, sweep, err);
    j.todo = status == AM_OK ? am_memory_new(book.points, sizeof *j.todo, err) : NULL;
    if (status == AM_OK)
        status = j.todo ? begin(&j, err) : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = sweep->refine.output ? run_refined(&j, err) : run_list(&j, NULL, book.points, err);
    if (status == AM_OK)
        status = am_sweep_fill(&book, place->folder, result, err);
    am_result_free(j.probe_result);
    am_memory_free(j.todo);
    am_sweep_book_clear(&book);
    return status;
}
