/* Before the points of a sweep run: which outputs and tables do they have? */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/try.h"
#include "study/sweep/job.h"

/* A sweep that needs more memory than this is refused on any machine. */
static const double most_bytes = 64e9;

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Where the study names an entry of a list. */
static const am_node *node_of(const am_texts *texts, size_t index) {
    return texts->node->kind == AM_NODE_LIST ? texts->node->items[index] : texts->node;
}

/* ---- what the study asks for ---- */

/* Those outputs the study lists, or all of them. `chosen`: as long as all. */
static am_status choose_outputs(am_reading *reading, const am_texts *wanted, size_t all, const char *const *known,
                                const char **chosen, size_t *count) {
    for (size_t i = 0; i < all && !wanted->values; i++)
        chosen[(*count)++] = known[i];
    for (size_t w = 0; w < wanted->count; w++) {
        bool found = false;
        for (size_t i = 0; i < all; i++) {
            bool fits = am_sweep_matches(wanted->values[w], known[i]);
            found = found || fits;
            if (fits && !is_among(known[i], chosen, *count))
                chosen[(*count)++] = known[i];
        }
        if (!found)
            return am_unknown(reading, node_of(wanted, w), "output", "sweep", wanted->values[w], all, known);
    }
    return AM_OK;
}

static am_status check_tables(am_reading *reading, const am_texts *wanted, const am_result *first) {
    size_t all = am_result_table_count(first);
    const char **known = am_arena_new(reading->pool, all, sizeof *known, reading->err);
    if (!known)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < all; i++)
        known[i] = am_table_name(am_result_table(first, i));
    for (size_t w = 0; w < wanted->count; w++)
        if (!is_among(wanted->values[w], known, all))
            return am_unknown(reading, node_of(wanted, w), "table", "sweep", wanted->values[w], all, known);
    return AM_OK;
}

/* The output that is refined must be one of the outputs. */
static am_status check_refined(am_reading *reading, const am_sweep_job *j, size_t count, const char *const *outputs) {
    const am_node *refine = am_node_get(am_node_get(j->root, "sweep"), "refine"), *at = am_node_get(refine, "output");
    const char *name = j->sweep->refine.output;
    if (!name || is_among(name, outputs, count))
        return AM_OK;
    return am_unknown(reading, at ? at : refine, "output", "refine of the sweep", name, count, outputs);
}

/* Bytes of memory this machine has; most_bytes where that is not known. */
static double machine_bytes(void) {
    double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
    return pages > 0.0 && size > 0.0 ? pages * size : most_bytes;
}

static am_status check_memory(am_reading *reading, const am_sweep_setting *sweep, size_t points, size_t outputs) {
    double each = am_sweep_record_bytes(sweep, outputs), all = each * (double)points, machine = machine_bytes();
    const am_node *at = sweep->outputs.node ? sweep->outputs.node : sweep->axes.node;
    char bound[64];
    if (all <= machine && all <= most_bytes)
        return AM_OK;
    if (machine < most_bytes)
        snprintf(bound, sizeof bound, "this machine has %.3g GB", 1e-9 * machine);
    else
        snprintf(bound, sizeof bound, "more than %.3g GB are refused", 1e-9 * most_bytes);
    return am_node_fail(at, reading->err, AM_ERR_INPUT,
                        "%zu points with %zu outputs need about %.3g GB of memory, %g bytes for each point, and %s. %s",
                        points, outputs, 1e-9 * all, each, bound,
                        sweep->outputs.values ? "Take fewer `outputs` or fewer points"
                                              : "List the `outputs` that are wanted (without a list all are kept), or "
                                                "take fewer points");
}

/* The first point that succeeded shows what there is. */
static am_status settle(am_sweep_job *j, const am_result *first, am_error *err) {
    am_sweep_record *record = j->record;
    am_reading reading = {.pool = record->pool, .files = j->place->files, .err = err};
    size_t all = am_result_scalar_count(first), count = 0;
    const char **known = am_arena_new(record->pool, all, sizeof *known, err);
    const char **chosen = am_arena_new(record->pool, all, sizeof *chosen, err);
    if (!known || !chosen)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < all; i++)
        known[i] = am_result_scalar(first, i)->name;
    AM_TRY(choose_outputs(&reading, &j->sweep->outputs, all, known, chosen, &count));
    AM_TRY(check_tables(&reading, &j->sweep->tables, first));
    AM_TRY(check_refined(&reading, j, count, chosen));
    AM_TRY(check_memory(&reading, j->sweep, record->points, count));
    return am_sweep_record_name(record, count, chosen, err);
}

/* ---- the search ---- */

/* Points that are refused cost next to nothing: whether to go on is asked after so many of them. `amontons check`, which
 * is told not to, sees as many. */
enum { REFUSED_AT_ONCE = 1024 };

typedef struct search {
    am_sweep_job *j;
    atomic_size_t next, best; /* the point to take next; the least one that succeeded */
    size_t failed, refused;   /* refused: failed for what the study says */
} search;

/* A point that failed: its reason is in the record. One thread at a time. */
static am_status note_failure(search *s, size_t point, const am_error *reason, am_error *err) {
    const am_progress *progress = s->j->progress;
    size_t all = s->j->record->points;
    bool refused = reason->status == AM_ERR_INPUT;
    am_status status = am_sweep_record_put_failure(s->j->record, point, reason->message, err);
    s->failed++;
    s->refused += refused;
    if (progress && progress->count)
        progress->count(progress->context, s->failed, all, s->failed);
    bool ask = !refused || s->refused % REFUSED_AT_ONCE == 0;
    if (!status && ask && !am_progress_report(progress, (double)s->failed / (double)all))
        status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted before any point of the sweep succeeded");
    return status;
}

static void note_success(search *s, size_t point) {
    if (point < atomic_load(&s->best))
        atomic_store(&s->best, point);
}

/* One thread's share: up to its first point that succeeds, or until somebody else has found an earlier one. */
static am_status search_on(am_sweep_job *j, void *context, size_t thread, am_error *err) {
    search *s = context;
    am_sweep_worker *h = am_sweep_job_worker(j, thread, err);
    am_status status = h ? AM_OK : AM_ERR_MEMORY;
    while (!status && !atomic_load(&j->stop)) {
        am_error reason = {0};
        size_t point = atomic_fetch_add(&s->next, 1);
        if (point >= atomic_load(&s->best))
            break;
        am_status came = am_sweep_worker_run(h, point, true, &reason);
        if (came == AM_ERR_INTERRUPTED)
            return am_fail(err, came, "interrupted before any point of the sweep succeeded");
        if (am_status_is_fatal(came)) {
            *err = reason.status ? reason : *err;
            return came;
        }
#ifdef _OPENMP
#pragma omp critical(am_sweep_enter)
#endif
        {
            if (came)
                status = note_failure(s, point, &reason, err);
            else
                note_success(s, point);
        }
        if (!came) {
            j->early[thread] = (am_sweep_early){point, h->result};
            h->result = NULL;
            break;
        }
    }
    return status;
}

am_status am_sweep_probe(am_sweep_job *j, am_error *err) {
    search s = {.j = j};
    const am_result *first = NULL;
    atomic_init(&s.next, 0);
    atomic_init(&s.best, j->record->points);
    AM_TRY(am_sweep_job_share(j, search_on, &s, err));
    j->probed = atomic_load(&s.next);
    j->probed_failures = j->record->failures;
    for (size_t t = 0; t < j->threads; t++)
        if (j->early[t].result && j->early[t].point == atomic_load(&s.best))
            first = j->early[t].result;
    if (!first)
        return am_sweep_all_failed(s.refused == s.failed ? AM_ERR_INPUT : AM_ERR_EVIDENCE, j->record->points,
                                   am_sweep_record_failure(j->record, 0), err);
    return settle(j, first, err);
}

void am_sweep_begin(const am_sweep_setting *sweep, const am_node *root, const am_files *files, size_t analysis,
                    am_error *err) {
    am_error first = {0}, reason = {0};
    am_sweep_worker *h = am_sweep_worker_open(sweep, root, files, NULL, NULL, &reason);
    size_t points = h ? am_grid_points(sweep) : 0, refused = 0;
    while (refused < points && refused < REFUSED_AT_ONCE) {
        reason = (am_error){0};
        am_sweep_worker_begin(h, refused, analysis, &reason);
        if (reason.status != AM_ERR_INPUT)
            break;
        first = refused++ == 0 ? reason : first;
    }
    am_sweep_worker_close(h);
    if (points > 0 && refused == points)
        am_sweep_all_failed(AM_ERR_INPUT, points, first.message, err);
}
