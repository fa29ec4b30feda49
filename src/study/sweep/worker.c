#include "study/sweep/worker.h"

#include <string.h>

#include "base/memory.h"
#include "base/result_reuse.h"
#include "base/watch.h"
#include "study/model_numbers.h"

/* The axes that are numbers of the model. */
static am_model *open_model(am_sweep_worker *h, am_error *err) {
    const am_records *axes = &h->grid.sweep->axes;
    am_reading reading = {.pool = h->grid.pool, .files = h->files, .err = err};
    const am_node *model = am_case_model(&reading, h->grid.root);
    am_model_numbers numbers = am_model_numbers_of(model, h->files, NULL);
    for (size_t a = 0; a < axes->count; a++)
        if (strncmp(axes->keys[a]->text, "model.", 6) == 0)
            h->axis[am_model_numbers_add(&numbers, axes->keys[a]->text, axes->nodes[a])] = a;
    h->axis_count = numbers.count;
    return model ? am_model_numbers_open(&numbers, err) : NULL;
}

am_sweep_worker *am_sweep_worker_open(const am_sweep_setting *sweep, const am_node *root, const am_files *files,
                                      bool (*go_on)(void *context), void *context, am_error *err) {
    am_sweep_worker *h = am_memory_new(1, sizeof *h, err);
    am_error own = {0};
    if (!h)
        return NULL;
    *h = (am_sweep_worker){.files = files, .go_on = go_on, .context = context};
    if (am_grid_open(&h->grid, sweep, root, &own) == AM_OK)
        h->model = open_model(h, &own);
    if (h->model)
        return h;
    if (err)
        *err = own;
    am_sweep_worker_close(h);
    return NULL;
}

static void drop_kept(am_sweep_worker *h) {
    for (size_t i = 0; i < h->kept_count; i++)
        if (h->kept[i].object)
            h->kept[i].release(h->kept[i].object);
    am_memory_free(h->kept);
    h->kept = NULL;
    h->kept_count = 0;
}

void am_sweep_worker_close(am_sweep_worker *worker) {
    if (!worker)
        return;
    drop_kept(worker);
    am_result_free(worker->result);
    am_model_free(worker->model);
    am_grid_close(&worker->grid);
    am_arena_clear(&worker->passing);
    am_memory_free(worker);
}

/* The system of the present point; engines that were kept belong to the one before, if that was another. */
static const am_system *find_system(am_sweep_worker *h, am_error *reason) {
    for (size_t i = 0; i < h->axis_count; i++) {
        double value = h->grid.values[h->axis[i]]->number;
        if (value != am_model_value(h->model, i))
            drop_kept(h);
        am_model_set(h->model, i, value, NULL);
    }
    return am_model_system(h->model, reason);
}

static am_status read_case(am_sweep_worker *h, am_case *made, am_error *reason) {
    am_reading reading = {.pool = &h->passing, .files = h->files, .err = reason};
    const am_system *system = find_system(h, reason);
    if (!system)
        return reason->status;
    am_status status = am_case_read_with(&reading, h->grid.root, am_model_numbers_made(h->model), system, made);
    if (status || h->kept)
        return status;
    h->kept = am_memory_new(made->count, sizeof *h->kept, reason);
    h->kept_count = h->kept ? made->count : 0;
    return h->kept ? AM_OK : AM_ERR_MEMORY;
}

static bool report_inside(void *context, double fraction) {
    (void)fraction; /* many points run at once: only whole ones are counted */
    const am_sweep_worker *h = context;
    return h->go_on(h->context);
}

am_status am_sweep_worker_run(am_sweep_worker *worker, size_t point, bool all, am_error *reason) {
    am_sweep_worker *h = worker;
    am_case made;
    if (h->result)
        am_result_clear(h->result);
    else
        h->result = am_result_create(reason);
    if (!h->result)
        return AM_ERR_MEMORY;
    am_arena_reset(&h->passing);
    am_grid_move(&h->grid, point);
    const am_progress inner = {.report = report_inside, .context = h, .threads = 1};
    am_watch watch;
    am_watch_apart(&watch, &inner);
    am_status status = read_case(h, &made, reason);
    const am_case_sharing sharing = {h->kept, all ? NULL : &h->grid.sweep->tables};
    if (!status)
        status = am_case_run_in(&made, &sharing, h->result, &inner, reason);
    return am_watch_end(&watch, status, reason);
}

void am_sweep_worker_begin(am_sweep_worker *worker, size_t point, size_t analysis, am_error *reason) {
    am_case made;
    am_arena_reset(&worker->passing);
    am_grid_move(&worker->grid, point);
    if (read_case(worker, &made, reason) == AM_OK)
        am_case_begin(&made, analysis, reason);
}
