/* The files with the points of a sweep that is under way. A part is a NetCDF file: the table `points` (number of the
 * point, failed or not, why, outputs), and the tables that the sweep keeps. Its name
 * has the member that wrote it, its number, and a sum of its bytes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/text.h"
#include "output/file.h"
#include "output/netcdf.h"
#include "output/packed.h"
#include "output/replace.h"
#include "study/sweep/part.h"

/* Files appear this often (seconds), and less often as the sweep lasts: after t seconds every t/100. */
static const double shortest_interval = 0.25, share_of_time = 0.01;

/* Columns of the table `points`: these, then the outputs, then the numbers of outputs that are texts elsewhere. */
enum { POINT, FAILED, FAILURE, FIRST_OUTPUT };

static const char is_text = '='; /* begins a text where texts and numbers mix */

/* ---- writing ---- */

static am_status add_columns(const am_sweep_record *record, am_table *table, const bool *text, am_error *err) {
    am_table_add_column(table, "point", "", AM_COLUMN_NUMBER, err);
    am_table_add_column(table, "failed", "", AM_COLUMN_NUMBER, err);
    am_table_add_column(table, "failure", "", AM_COLUMN_TEXT, err);
    char name[64]; /* by number: an output may be called anything, `failed` too */
    for (size_t o = 0; o < record->output_count; o++) {
        snprintf(name, sizeof name, "output%zu", o);
        am_table_add_column(table, name, "", text[o] ? AM_COLUMN_TEXT : AM_COLUMN_NUMBER, err);
    }
    for (size_t o = 0; o < record->output_count; o++) {
        snprintf(name, sizeof name, "number%zu", o);
        if (text[o])
            am_table_add_column(table, name, "", AM_COLUMN_NUMBER, err);
    }
    return am_table_status(table, err);
}

static void set_mixed(am_table *table, size_t column, const char *text, am_text *marked, am_error *err) {
    am_error why = {0};
    am_text_clear(marked);
    if (text)
        am_text_printf(marked, "%c%s", is_text, text);
    if (am_text_status(marked, &why) != AM_OK)
        am_table_fail(table, &why);
    am_table_set_text(table, column, am_text_view(marked), err);
}

static void fill_row(const am_sweep_record *record, size_t point, am_table *table, const bool *text, am_text *marked,
                     am_error *err) {
    const char *failure = am_sweep_record_failure(record, point);
    size_t beside = FIRST_OUTPUT + record->output_count;
    am_table_add_row(table, err);
    am_table_set_number(table, POINT, (double)point);
    am_table_set_number(table, FAILED, failure ? 1.0 : 0.0);
    am_table_set_text(table, FAILURE, failure ? failure : "", err);
    for (size_t o = 0; o < record->output_count; o++) {
        am_sweep_cell cell = {0}; /* zeros in the place of what a failed point does not have */
        if (!failure)
            cell = am_sweep_record_cell(record, point, o);
        if (text[o])
            set_mixed(table, FIRST_OUTPUT + o, cell.text, marked, err);
        am_table_set_number(table, text[o] ? beside++ : FIRST_OUTPUT + o, cell.number);
    }
}

static am_status fill_part(const am_sweep_record *record, am_result *part, am_error *err) {
    AM_LOCAL_MEMORY bool *text = am_memory_new(record->output_count, sizeof *text, err);
    am_table *table = am_result_add_table(part, "points", err);
    AM_LOCAL(am_text_free) am_text marked = {0};
    if (!text || !table)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < record->pending_count; i++)
        for (size_t o = 0; o < record->output_count; o++)
            text[o] = text[o] || am_sweep_record_cell(record, record->pending[i], o).text;
    AM_TRY(add_columns(record, table, text, err));
    for (size_t i = 0; i < record->pending_count; i++)
        fill_row(record, record->pending[i], table, text, &marked, err);
    AM_TRY(am_table_status(table, err));
    return am_sweep_part_put_tables(record, part, err);
}

/* ---- which files are known ---- */

static uint64_t name_sum(const char *name) {
    return am_sweep_hash(AM_SWEEP_HASH_BEGIN, name, strlen(name));
}

static bool was_read(const am_sweep_record *record, const char *name) {
    const uint64_t sum = name_sum(name);
    for (size_t i = 0; i < record->read_count; i++)
        if (record->read[i] == sum)
            return true;
    return false;
}

static am_status note_read(am_sweep_record *record, const char *name, am_error *err) {
    AM_TRY(am_memory_resize(&record->read, record->read_count + 1, err));
    record->read[record->read_count++] = name_sum(name);
    return AM_OK;
}

/* Of the bytes and of the study: a part of another study is refused like a damaged one. */
static uint64_t part_sum(const char *plan, const void *bytes, size_t count) {
    return am_sweep_hash(am_sweep_hash(AM_SWEEP_HASH_BEGIN, plan, strlen(plan)), bytes, count);
}

static am_status write_file(am_sweep_record *record, const void *bytes, size_t count, am_error *err) {
    char name[96];
    uint64_t sum = part_sum(record->plan, bytes, count);
    snprintf(name, sizeof name, "part-%zu-%zu-%016llx.nc", record->rank, record->serial, (unsigned long long)sum);
    AM_TRY(am_output_make_folder(record->folder, err));
    AM_TRY(am_output_replace(AM_OUTPUT_PATH(record->folder, name), bytes, count, err));
    return note_read(record, name, err);
}

static am_status make_part(const am_sweep_record *record, am_text *bytes, am_error *err) {
    AM_LOCAL(am_result_free_at) am_result *part = am_result_create(err);
    if (!part)
        return AM_ERR_MEMORY;
    AM_TRY(fill_part(record, part, err));
    am_report report = {.title = "part of a sweep",
                        .source = "",
                        .study = record->study ? record->study : "",
                        .analysis = "sweep",
                        .result = part};
    return am_output_netcdf(&report, bytes, err);
}

static am_status write_part(am_sweep_record *record, am_error *err) {
    AM_LOCAL(am_text_free) am_text bytes = {0};
    AM_TRY(make_part(record, &bytes, err));
    AM_TRY(write_file(record, bytes.data, bytes.length, err));
    record->serial++;
    record->pending_count = 0;
    return AM_OK;
}

am_status am_sweep_record_flush(am_sweep_record *record, bool all, am_error *err) {
    if (!record->folder || record->pending_count == 0 || !record->columns)
        return AM_OK;
    double t = am_clock_seconds();
    if (record->begun == 0.0)
        record->begun = record->written = t;
    if (!all && t - record->written < fmax(shortest_interval, share_of_time * (t - record->begun)))
        return AM_OK;
    am_status status = write_part(record, err);
    record->written = am_clock_seconds();
    return status;
}

/* ---- reading ---- */

static am_status take_outputs(am_sweep_record *record, const am_table *table, size_t row, size_t point, am_error *err) {
    size_t beside = FIRST_OUTPUT + record->output_count;
    am_status status = AM_OK;
    for (size_t o = 0; o < record->output_count && !status; o++) {
        size_t column = FIRST_OUTPUT + o;
        bool mixed = am_table_column_kind(table, column) == AM_COLUMN_TEXT;
        const char *marked = mixed ? am_table_text(table, row, column) : "";
        double number = am_table_number(table, row, mixed ? beside++ : column);
        am_sweep_cell cell = {number, marked[0] == is_text ? marked + 1 : NULL};
        status = am_sweep_record_put(record, point, o, cell, err);
    }
    return status;
}

static am_status take_row(am_sweep_record *record, const am_table *table, size_t row, am_error *err) {
    double number = am_table_number(table, row, POINT);
    if (!(number >= 0.0 && number < (double)record->points && number == floor(number)))
        return am_fail(err, AM_ERR_FILE, "it has no point %g", number);
    size_t point = (size_t)number;
    bool failed = am_table_number(table, row, FAILED) != 0.0;
    if (record->known[point] != AM_SWEEP_OPEN)
        return AM_OK;
    am_status status = AM_OK;
    if (failed)
        status = am_sweep_record_put_failure(record, point, am_table_text(table, row, FAILURE), err);
    else
        status = take_outputs(record, table, row, point, err);
    if (!status && !failed && record->kept && !record->kept[point])
        status = (record->kept[point] = am_result_create(err)) ? AM_OK : AM_ERR_MEMORY; /* this point kept no table */
    if (status)
        return status;
    record->known[point] = failed ? AM_SWEEP_FAILED : AM_SWEEP_DONE;
    record->done++;
    record->failed += failed;
    return AM_OK;
}

/* Does the table have the columns that a part of this sweep has? */
static bool has_our_columns(const am_sweep_record *record, const am_table *table) {
    size_t wanted = FIRST_OUTPUT + record->output_count, columns = am_table_columns(table);
    if (columns < wanted || strcmp(am_table_column_name(table, POINT), "point") != 0 ||
        am_table_column_kind(table, FAILURE) != AM_COLUMN_TEXT)
        return false;
    for (size_t o = 0; o < record->output_count; o++)
        wanted += am_table_column_kind(table, FIRST_OUTPUT + o) == AM_COLUMN_TEXT;
    for (size_t c = 0; c < columns; c++)
        if ((c < FAILURE || c >= FIRST_OUTPUT + record->output_count) &&
            am_table_column_kind(table, c) != AM_COLUMN_NUMBER)
            return false;
    return columns == wanted;
}

static am_status take_points(am_sweep_record *record, const am_result *part, am_error *err) {
    const am_table *table = am_result_find_table(part, "points");
    if (!table || !has_our_columns(record, table))
        return am_fail(err, AM_ERR_FILE, "it is no part of this sweep");
    AM_TRY(am_sweep_part_take_tables(record, part, err));
    for (size_t row = 0; row < am_table_rows(table); row++)
        AM_TRY(take_row(record, table, row, err));
    return AM_OK;
}

/* From a file, or from another process: what read them from the bytes. */
typedef am_status reader(const void *bytes, size_t count, am_result *result, am_error *err);

static am_status take_part(am_sweep_record *record, reader *read, const void *bytes, size_t count, am_error *err) {
    AM_LOCAL(am_result_free_at) am_result *part = am_result_create(err);
    if (!part)
        return AM_ERR_MEMORY;
    AM_TRY(read(bytes, count, part, err));
    return take_points(record, part, err);
}

/* A file that is not what was written (a failure of power or of the disk may leave one) costs its points, nothing
 * else. */
static am_status read_part(am_sweep_record *record, const char *path, const char *name, uint64_t sum, am_error *err) {
    am_text bytes = {0};
    bool found;
    am_error own = {0};
    am_status status = am_output_read_whole(path, &bytes, &found, &own);
    bool whole = !status && found && part_sum(record->plan, bytes.data, bytes.length) == sum;
    if (whole)
        status = take_part(record, am_output_netcdf_read, bytes.data, bytes.length, &own);
    am_text_free(&bytes);
    if (status == AM_ERR_MEMORY && err)
        *err = own;
    if (status == AM_ERR_MEMORY)
        return status;
    if (!status && found && !whole && record->rank == 0)
        am_output_remove(path);
    return whole && !status ? note_read(record, name, err) : AM_OK;
}

/* What the name of a part says; false: it is none. */
static bool read_name(const char *name, size_t *rank, size_t *serial, uint64_t *sum) {
    unsigned long long number = 0;
    int length = 0;
    bool part = sscanf(name, "part-%zu-%zu-%llx.nc%n", rank, serial, &number, &length) == 3 && length > 0 &&
                name[length] == '\0';
    *sum = number;
    return part;
}

static am_status read_one(void *context, const char *name, am_error *err) {
    am_sweep_record *record = context;
    size_t rank, serial;
    uint64_t sum;
    if (!read_name(name, &rank, &serial, &sum) || was_read(record, name))
        return AM_OK;
    if (rank == record->rank && serial >= record->serial)
        record->serial = serial + 1;
    return read_part(record, AM_OUTPUT_PATH(record->folder, name), name, sum, err);
}

am_status am_sweep_record_gather(am_sweep_record *record, am_error *err) {
    return record->folder && record->columns ? am_output_list(record->folder, read_one, record, err) : AM_OK;
}

/* ---- checking only ---- */

static am_status check_one(void *context, const char *name, am_error *err) {
    const am_sweep_parts_order *o = context;
    size_t rank, serial;
    uint64_t sum;
    if (!read_name(name, &rank, &serial, &sum))
        return AM_OK;
    am_text bytes = {0};
    am_error own = {0};
    bool found = false;
    am_status status = am_output_read_whole(AM_OUTPUT_PATH(o->parts, name), &bytes, &found, &own);
    if (status != AM_ERR_MEMORY && (found || status != AM_OK))
        o->visit(o->context, name, status == AM_OK && part_sum(o->plan, bytes.data, bytes.length) == sum);
    am_text_free(&bytes);
    return status == AM_ERR_MEMORY ? am_fail(err, status, "%s", own.message) : AM_OK;
}

am_status am_sweep_parts_check(const am_sweep_parts_order *order, am_error *err) {
    return am_output_list(order->parts, check_one, (void *)order, err);
}

/* ---- without files ---- */

/* Every member's part, one behind the other; sizes (team): of each. NULL with err filled. */
static char *merge_parts(const am_team *team, const void *own, size_t *sizes, am_error *err) {
    size_t rank = am_team_rank(team), total = 0, before = 0;
    am_team_merge(team, sizes, am_team_size(team) * sizeof *sizes);
    for (size_t r = 0; r < am_team_size(team); r++) {
        before = r == rank ? total : before;
        total += sizes[r];
    }
    char *all = am_memory_new(total, 1, err);
    if (!all)
        return NULL;
    if (sizes[rank] > 0)
        memcpy(all + before, own, sizes[rank]);
    am_team_merge(team, all, total);
    return all;
}

static am_status pack_pending(const am_sweep_record *record, am_text *bytes, am_error *err) {
    AM_LOCAL(am_result_free_at) am_result *part = am_result_create(err);
    if (!part)
        return AM_ERR_MEMORY;
    AM_TRY(fill_part(record, part, err));
    return am_tables_pack(part, bytes, err);
}

am_status am_sweep_record_exchange(am_sweep_record *record, const am_team *team, am_error *err) {
    size_t members = am_team_size(team), *sizes = am_memory_new(members, sizeof *sizes, err);
    am_text own = {0};
    am_status status = sizes ? AM_OK : AM_ERR_MEMORY;
    if (!status && record->pending_count > 0)
        status = pack_pending(record, &own, err);
    if (!status)
        sizes[am_team_rank(team)] = own.length;
    char *all = status ? NULL : merge_parts(team, own.data, sizes, err), *part = all;
    status = status || all ? status : AM_ERR_MEMORY;
    for (size_t r = 0; r < members && !status; part += sizes[r++])
        if (r != am_team_rank(team) && sizes[r] > 0)
            status = take_part(record, am_tables_unpack, part, sizes[r], err);
    record->pending_count = 0;
    am_text_free(&own);
    am_memory_free(all);
    am_memory_free(sizes);
    return status;
}
