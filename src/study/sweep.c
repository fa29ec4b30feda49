#include "study/sweep.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "study/case.h"
#include "study/grid.h"

static const double most_points = 1e8;

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_sweep_setting *sweep = record;
    const am_sweep_axis *axes = sweep->axes.items;
    double points = 1;
    if (sweep->axes.count < 1 || sweep->axes.count > AM_SWEEP_AXES)
        return am_node_fail(sweep->axes.node, reading->err, AM_ERR_INPUT, "a sweep must have 1 to %d axes, not %zu",
                            AM_SWEEP_AXES, sweep->axes.count);
    for (size_t a = 0; a < sweep->axes.count; a++) {
        const am_node *key = sweep->axes.keys[a];
        points *= (double)axes[a].count;
        if (strncmp(key->text, "model.", 6) != 0 && strncmp(key->text, "analysis.", 9) != 0 &&
            strncmp(key->text, "also.", 5) != 0)
            return am_node_fail(key, reading->err, AM_ERR_INPUT,
                                "'%s' cannot be swept; expected a path such as model.friction or analysis.until",
                                key->text);
    }
    if (sweep->over) {
        bool known = false;
        for (size_t a = 0; a < sweep->axes.count; a++)
            known = known || strcmp(sweep->axes.keys[a]->text, sweep->over) == 0;
        if (!known || sweep->axes.count < 2)
            return am_node_fail(am_node_get(node, "over"), reading->err, AM_ERR_INPUT,
                                "over must name one of two or more axes of the sweep, not '%s'", sweep->over);
    }
    if (sweep->ratio) {
        bool known = false;
        for (size_t a = 0; a < sweep->axes.count; a++)
            known = known || strcmp(sweep->axes.keys[a]->text, sweep->ratio) == 0;
        if (!known)
            return am_node_fail(am_node_get(node, "ratio"), reading->err, AM_ERR_INPUT,
                                "ratio must name one of the axes of the sweep, not '%s'", sweep->ratio);
    }
    if (points > most_points)
        return am_node_fail(sweep->axes.node, reading->err, AM_ERR_INPUT,
                            "the sweep has %g points; at most %g are allowed", points, most_points);
    return AM_OK;
}

static const am_field fields[] = {
    {.name = "axes",
     .type = AM_FIELD_NAMED,
     .offset = offsetof(am_sweep_setting, axes),
     .required = true,
     .inner = &am_sweep_axis_schema,
     .about = "paths of numeric fields (model.friction, model.load_rate.0) with values",
     .example = "{model.friction: {from: 0.1, to: 0.9, count: 9}}"},
    {.name = "outputs",
     .type = AM_FIELD_TEXTS,
     .offset = offsetof(am_sweep_setting, outputs),
     .initial = "all",
     .about = "names of summary values to keep"},
    {.name = "tables",
     .type = AM_FIELD_TEXTS,
     .offset = offsetof(am_sweep_setting, tables),
     .initial = "none",
     .about = "names of tables to keep: those of all points, one below the other, axes in front"},
    {.name = "over",
     .type = AM_FIELD_TEXT,
     .offset = offsetof(am_sweep_setting, over),
     .initial = "none",
     .about = "one of the axes: the table `peaks` has the rows in which the first output is greatest along it"},
    {.name = "ratio",
     .type = AM_FIELD_TEXT,
     .offset = offsetof(am_sweep_setting, ratio),
     .initial = "none",
     .about = "one of the axes: the table `ratios` has every output over what it is at the axis' first value"},
};

const am_schema am_sweep_schema = {.name = "sweep",
                                   .title = "sweep",
                                   .about = "Run the study at every point of a grid of parameters, in parallel.",
                                   .size = sizeof(am_sweep_setting),
                                   .finish = finish,
                                   AM_FIELDS(fields)};

/* Read the case at the grid's present point, in a pool of its own. */
static am_status read_case(const am_grid *grid, const char *folder, am_pool **pool, am_case *made, am_error *err) {
    *pool = am_pool_create(err);
    if (!*pool)
        return AM_ERR_MEMORY;
    am_reading reading = {*pool, folder, err};
    return am_case_read(&reading, grid->root, made);
}

/* The point at a corner of the grid: bit a of `corner` chooses the end of axis a. */
static size_t corner_point(const am_sweep_setting *sweep, size_t corner) {
    const am_sweep_axis *axes = sweep->axes.items;
    size_t point = 0;
    for (size_t a = 0; a < sweep->axes.count; a++)
        point = point * axes[a].count + (corner >> a & 1 ? axes[a].count - 1 : 0);
    return point;
}

am_status am_sweep_check(am_reading *reading, const am_sweep_setting *sweep, const am_node *root) {
    am_grid grid;
    am_status status = am_grid_open(&grid, sweep, root, reading->err);
    for (size_t corner = 0; status == AM_OK && corner < (size_t)1 << sweep->axes.count; corner++) {
        am_pool *pool = NULL;
        am_case made;
        am_grid_move(&grid, corner_point(sweep, corner));
        status = read_case(&grid, reading->folder, &pool, &made, reading->err);
        am_pool_free(pool);
    }
    am_grid_close(&grid);
    return status;
}

/* ---- Running ---- */

typedef struct cell {
    double number;
    char *text; /* NULL: a number */
} cell;

typedef struct job {
    const am_sweep_setting *sweep;
    const am_node *root;
    const char *folder;
    const am_progress *progress;
    size_t points, output_count;
    const char **outputs;
    am_pool *pool;    /* of the names of outputs */
    cell *cells;      /* points x outputs */
    char **failures;  /* points; NULL: succeeded */
    am_result **kept; /* points: whole results, when `tables` are wanted; NULL otherwise, and where a point failed */
    atomic_size_t done;
    atomic_bool stop;
    atomic_flag reporting; /* one thread reports at a time */
} job;

/* Called by whichever thread is free to: fraction of the whole, and whether to go on. */
static bool report(job *j, double within) {
    if (atomic_load(&j->stop))
        return false;
    if (atomic_flag_test_and_set(&j->reporting))
        return true; /* another thread is reporting */
    double fraction = ((double)atomic_load(&j->done) + within) / (double)j->points;
    if (!am_progress_report(j->progress, fraction < 1 ? fraction : 1))
        atomic_store(&j->stop, true);
    atomic_flag_clear(&j->reporting);
    return !atomic_load(&j->stop);
}

static bool report_inside(void *context, double fraction) {
    (void)fraction; /* many points run at once: only whole ones are counted */
    return report(context, 0);
}

/* Run one point. A failure of the point itself is recorded and is no failure of the sweep. */
static am_status run_point(job *j, am_grid *grid, size_t point, am_result *result, am_error *err) {
    am_pool *pool = NULL;
    am_case made;
    am_error reason = {0};
    am_progress inner = {report_inside, j, 1};
    am_grid_move(grid, point);
    am_status status = read_case(grid, j->folder, &pool, &made, &reason);
    if (status == AM_OK)
        status = am_case_run(&made, result, &inner, &reason);
    am_pool_free(pool);
    if (status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED) {
        if (err)
            *err = reason;
        return status;
    }
    if (status != AM_OK)
        j->failures[point] = am_memory_text(reason.message, err);
    atomic_fetch_add(&j->done, 1);
    return status == AM_OK || j->failures[point] ? AM_OK : AM_ERR_MEMORY;
}

static am_status keep_outputs(job *j, size_t point, const am_result *result, am_error *err) {
    for (size_t o = 0; o < j->output_count; o++) {
        cell *c = &j->cells[point * j->output_count + o];
        const am_scalar *scalar = am_result_find(result, j->outputs[o]);
        c->number = scalar && scalar->kind != AM_SCALAR_NONE && scalar->kind != AM_SCALAR_TEXT ? scalar->number : NAN;
        if (!scalar || scalar->kind != AM_SCALAR_TEXT)
            continue;
        c->text = am_memory_text(scalar->text, err);
        if (!c->text)
            return AM_ERR_MEMORY;
    }
    return AM_OK;
}

/* The result of a point, which is given away: for its tables, or to be freed. */
static void keep_result(job *j, size_t point, am_result *result) {
    if (j->kept && !j->failures[point])
        j->kept[point] = result;
    else
        am_result_free(result);
}

static am_status compute_point(job *j, am_grid *grid, size_t point, am_error *err) {
    am_result *result = am_result_create(err);
    if (!result)
        return AM_ERR_MEMORY;
    am_status status = run_point(j, grid, point, result, err);
    if (status == AM_OK && !j->failures[point])
        status = keep_outputs(j, point, result, err);
    keep_result(j, point, result);
    return status;
}

/* The names to keep: those the study lists, or all of the first point that succeeds. */
static am_status choose_outputs(job *j, const am_result *first, am_error *err) {
    const am_texts *wanted = &j->sweep->outputs;
    size_t all = am_result_scalar_count(first);
    am_reading reading = {j->pool, j->folder, err};
    j->output_count = wanted->values ? wanted->count : all;
    j->outputs = am_pool_new(j->pool, j->output_count + all, sizeof *j->outputs, err);
    if (!j->outputs)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < all; i++) {
        const char *name = am_result_scalar(first, i)->name;
        j->outputs[i] = am_pool_text(j->pool, name, strlen(name), err);
        if (!j->outputs[i])
            return AM_ERR_MEMORY;
    }
    for (size_t i = 0; wanted->values && i < wanted->count; i++)
        if (!am_result_find(first, wanted->values[i])) {
            const am_node *at = wanted->node->kind == AM_NODE_LIST ? wanted->node->items[i] : wanted->node;
            return am_unknown(&reading, at, "output", "sweep", wanted->values[i], all, j->outputs);
        }
    if (wanted->values)
        memcpy(j->outputs, wanted->values, wanted->count * sizeof *j->outputs);
    j->cells = am_memory_new(j->points, (j->output_count + 1) * sizeof *j->cells, err);
    return j->cells ? AM_OK : AM_ERR_MEMORY;
}

/* Points one after another until one succeeds: it tells which outputs there are. *next: the first point not yet run. */
static am_status run_first(job *j, size_t *next, am_error *err) {
    am_grid grid;
    am_status status = am_grid_open(&grid, j->sweep, j->root, err);
    for (*next = 0; status == AM_OK && *next < j->points && !j->cells; ++*next) {
        am_result *result = am_result_create(err);
        status = result ? run_point(j, &grid, *next, result, err) : AM_ERR_MEMORY;
        if (status == AM_OK && !j->failures[*next])
            status = choose_outputs(j, result, err);
        if (status == AM_OK && j->cells)
            status = keep_outputs(j, *next, result, err);
        keep_result(j, *next, result);
    }
    am_grid_close(&grid);
    return status;
}

/* One thread's share of the points; called by every thread of the team. */
static am_status run_share(job *j, size_t next, am_error *err) {
    am_grid grid;
    am_status status = am_grid_open(&grid, j->sweep, j->root, err);
    if (status != AM_OK)
        atomic_store(&j->stop, true);
#ifdef _OPENMP
#pragma omp for schedule(dynamic) nowait
#endif
    for (size_t point = next; point < j->points; point++) {
        if (status != AM_OK || !report(j, 0))
            continue;
        status = compute_point(j, &grid, point, err);
        if (status != AM_OK)
            atomic_store(&j->stop, true);
    }
    am_grid_close(&grid);
    return status;
}

static am_status run_rest(job *j, size_t next, am_error *err) {
    am_status worst = AM_OK;
    int threads = am_progress_threads(j->progress);
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
#endif
    {
        am_error own = {0};
        am_status status = run_share(j, next, &own);
#ifdef _OPENMP
#pragma omp critical
#endif
        if (status != AM_OK && worst == AM_OK) {
            worst = status;
            if (err)
                *err = own;
        }
    }
    if (worst == AM_OK && atomic_load(&j->stop))
        return am_fail(err, AM_ERR_INTERRUPTED, "interrupted after %zu of %zu points of the sweep",
                       atomic_load(&j->done), j->points);
    return worst;
}

/* ---- The table ---- */

static bool is_text_column(const job *j, size_t output) {
    for (size_t p = 0; p < j->points; p++)
        if (j->cells[p * j->output_count + output].text)
            return true;
    return false;
}

static am_status add_columns(const job *j, am_table *table, am_error *err) {
    am_status status = AM_OK;
    for (size_t a = 0; status == AM_OK && a < j->sweep->axes.count; a++)
        status = am_table_add_column(table, j->sweep->axes.keys[a]->text, "", AM_COLUMN_NUMBER, err);
    for (size_t o = 0; status == AM_OK && o < j->output_count; o++)
        status = am_table_add_column(table, j->outputs[o], "", is_text_column(j, o) ? AM_COLUMN_TEXT : AM_COLUMN_NUMBER,
                                     err);
    if (status == AM_OK)
        status = am_table_add_column(table, "failure", "", AM_COLUMN_TEXT, err);
    return status;
}

static am_status fill_row(const job *j, am_table *table, size_t point, am_error *err) {
    size_t axes = j->sweep->axes.count;
    am_status status = am_table_add_row(table, err);
    if (status != AM_OK)
        return status;
    for (size_t a = 0; a < axes; a++)
        am_table_set_number(table, a, am_grid_value(j->sweep, point, a));
    if (j->failures[point])
        return am_table_set_text(table, axes + j->output_count, j->failures[point], err);
    for (size_t o = 0; status == AM_OK && o < j->output_count; o++) {
        const cell *c = &j->cells[point * j->output_count + o];
        if (am_table_column_kind(table, axes + o) == AM_COLUMN_TEXT)
            status = am_table_set_text(table, axes + o, c->text ? c->text : "", err);
        else
            am_table_set_number(table, axes + o, c->number);
    }
    return status;
}

static am_status fill_result(const job *j, am_result *result, am_error *err) {
    size_t failed = 0;
    const char *first = NULL;
    for (size_t p = 0; p < j->points; p++)
        if (j->failures[p]) {
            first = first ? first : j->failures[p];
            failed++;
        }
    if (failed == j->points)
        return am_fail(err, AM_ERR_EVIDENCE, "every point of the sweep failed (%zu); the first because: %s", failed,
                       first);
    am_table *table = am_result_add_table(result, "sweep", err);
    am_status status = table ? add_columns(j, table, err) : AM_ERR_MEMORY;
    am_reading reading = {j->pool, j->folder, err};
    for (size_t p = 0; status == AM_OK && p < j->points; p++)
        status = fill_row(j, table, p, err);
    if (status == AM_OK && j->kept)
        status = am_sweep_tables(&reading, j->sweep, j->kept, j->points, result);
    if (status == AM_OK && j->sweep->over)
        status = am_sweep_peaks(j->sweep, table, result, err);
    if (status == AM_OK && j->sweep->ratio)
        status = am_sweep_ratios(j->sweep, table, result, err);
    if (status == AM_OK)
        status = am_result_set_count(result, "points", j->points, err);
    if (status == AM_OK)
        status = am_result_set_count(result, "failed", failed, err);
    if (status == AM_OK)
        status = first ? am_result_set_text(result, "first_failure", first, err)
                       : am_result_set_none(result, "first_failure", err);
    return status == AM_OK ? am_sweep_extremes(j->sweep, table, result, err) : status;
}

static void free_job(job *j) {
    for (size_t i = 0; j->cells && i < j->points * j->output_count; i++)
        am_memory_free(j->cells[i].text);
    for (size_t p = 0; j->failures && p < j->points; p++)
        am_memory_free(j->failures[p]);
    for (size_t p = 0; j->kept && p < j->points; p++)
        am_result_free(j->kept[p]);
    am_memory_free(j->kept);
    am_memory_free(j->cells);
    am_memory_free(j->failures);
    am_pool_free(j->pool);
}

am_status am_sweep_run(const am_sweep_setting *sweep, const am_node *root, const char *folder, am_result *result,
                       const am_progress *progress, am_error *err) {
    job j = {.sweep = sweep, .root = root, .folder = folder, .progress = progress, .reporting = ATOMIC_FLAG_INIT};
    size_t next = 0;
    j.points = am_grid_points(sweep);
    j.pool = am_pool_create(err);
    j.failures = am_memory_new(j.points, sizeof *j.failures, err);
    if (j.failures && sweep->tables.count > 0)
        j.kept = am_memory_new(j.points, sizeof *j.kept, err);
    bool ready = j.pool && j.failures && (j.kept || sweep->tables.count == 0);
    am_status status = ready ? run_first(&j, &next, err) : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = run_rest(&j, next, err);
    if (status == AM_OK)
        status = fill_result(&j, result, err);
    free_job(&j);
    return status;
}
