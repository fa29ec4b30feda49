#include <string.h>

#include "amontons/output.h"
#include "base/input_file.h"
#include "base/local.h"
#include "base/object.h"
#include "output/animation.h"
#include "output/claim.h"
#include "output/csv.h"
#include "output/figure.h"
#include "output/file.h"
#include "output/folder.h"
#include "output/gnuplot.h"
#include "output/names.h"
#include "output/netcdf.h"
#include "output/replace.h"
#include "output/vtk.h"

static const char summary_name[] = "summary.json";
enum { LONGEST_SUMMARY = 64 << 20 }; /* bytes of an older summary.json worth looking into */

/* ---- Lists of names ---- */

static am_status add_name(char **names, const char *name, am_error *err) {
    size_t count = 0;
    while (names[count])
        count++;
    names[count] = am_memory_text(name, err);
    return names[count] ? AM_OK : AM_ERR_MEMORY;
}

static bool has_name(char *const *names, const char *name) {
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

void am_output_files_free(char **files) {
    for (char **file = files; file && *file; file++)
        am_memory_free(*file);
    am_memory_free(files);
}

/* ---- The files, one after the other ---- */

static am_status write_table(const am_report *report, size_t index, const char *name, am_staging *staging,
                             am_error *err) {
    am_output_file file;
    AM_TRY(am_staging_begin(staging, name, &file, err));
    am_status status = am_output_csv(am_result_table(report->result, index), &file, err);
    return am_staging_end(staging, name, &file, status, err);
}

static am_status write_tables(const am_report *report, am_staging *staging, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < am_result_table_count(report->result); i++) {
        char *name = am_output_csv_name(report->result, i, err);
        status = name ? write_table(report, i, name, staging, err) : AM_ERR_MEMORY;
        am_memory_free(name);
    }
    return status;
}

static am_status write_netcdf(const am_report *report, am_staging *staging, am_error *err) {
    AM_LOCAL(am_text_free) am_text bytes = {0};
    AM_TRY(am_output_netcdf(report, &bytes, err));
    return am_staging_write(staging, "results.nc", bytes.data, bytes.length, err);
}

static am_status write_fields(const am_report *report, am_staging *staging, am_error *err) {
    am_output_file file;
    if (!am_mesh_tables_there(report->result))
        return AM_OK;
    AM_TRY(am_staging_begin(staging, "fields.vtu", &file, err));
    am_status status = am_output_vtk(report->result, &file, err);
    return am_staging_end(staging, "fields.vtu", &file, status, err);
}

/* "sliding.mode_shape_nodes.csv" becomes "sliding.shapes.vtu". */
static am_status write_points(const am_report *report, size_t index, const char *ending, const char *file_name,
                              am_staging *staging, am_error *err) {
    const am_table *table = am_result_table(report->result, index), *cells = NULL;
    AM_LOCAL_MEMORY char *csv = am_output_csv_name(report->result, index, err);
    AM_LOCAL(am_text_free) am_text name = {0}, of_cells = {0};
    if (!csv)
        return AM_ERR_MEMORY;
    const char *whole = am_table_name(table);
    am_text_add_bytes(&name, csv, strlen(csv) - strlen(".csv") - strlen(ending));
    am_text_add(&name, file_name);
    am_text_add_bytes(&of_cells, whole, strlen(whole) - strlen(ending));
    am_text_add(&of_cells, "mode_shape_cells");
    AM_TRY(am_text_status(&name, err));
    AM_TRY(am_text_status(&of_cells, err));
    if (strcmp(ending, "mode_shape_nodes") == 0)
        cells = am_result_find_table(report->result, am_text_view(&of_cells));
    am_output_file file;
    AM_TRY(am_staging_begin(staging, am_text_view(&name), &file, err));
    am_status status = am_output_vtk_points(table, cells, &file, err);
    return am_staging_end(staging, am_text_view(&name), &file, status, err);
}

static am_status write_all_points(const am_report *report, am_staging *staging, am_error *err) {
    static const char *const kinds[][2] = {{"mode_shape_nodes", "shapes.vtu"}, {"contact_cycles", "contacts.vtu"}};
    for (size_t i = 0; i < am_result_table_count(report->result); i++)
        for (size_t k = 0; k < 2; k++) {
            const am_table *table = am_result_table(report->result, i);
            const char *dot = strrchr(am_table_name(table), '.');
            if (strcmp(dot ? dot + 1 : am_table_name(table), kinds[k][0]) == 0 && am_vtk_has_points(table))
                AM_TRY(write_points(report, i, kinds[k][0], kinds[k][1], staging, err));
        }
    return AM_OK;
}

static am_status write_figure(const am_report *report, am_staging *staging, const char *folder, am_error *err) {
    const char *hidden = am_staging_folder(staging);
    AM_TRY(am_animation_write(report, staging, err));
    if (!report->figure)
        return AM_OK;
    AM_TRY(am_figure_write(report, staging, err));
    if (report->undrawn || !am_gnuplot_installed()) /* the script can be run by `amontons plot` */
        return AM_OK;
    AM_TRY(am_gnuplot_run(hidden, "figure.gp", hidden, folder, err));
    AM_TRY(am_staging_adopt(staging, "figure.svg", err));
    return am_staging_adopt(staging, "figure.png", err);
}

enum { LARGEST_DRAWING = 1 << 28 }; /* bytes */

static am_status draw_aside(const am_report *report, const am_claim *claim, am_text *svg, am_text *png, am_error *err) {
    am_staging *staging;
    AM_TRY(am_staging_open(&staging, claim, err));
    const char *hidden = am_staging_folder(staging);
    am_status status = write_tables(report, staging, err);
    if (status == AM_OK)
        status = write_figure(report, staging, am_claim_folder(claim), err);
    if (status == AM_OK)
        status = am_input_read(AM_OUTPUT_PATH(hidden, "figure.svg"), "a drawing", LARGEST_DRAWING, svg, err);
    if (status == AM_OK)
        status = am_input_read(AM_OUTPUT_PATH(hidden, "figure.png"), "a drawing", LARGEST_DRAWING, png, err);
    am_staging_close(staging);
    return status;
}

am_status am_output_draw(const am_report *report, const char *scratch, am_text *svg, am_text *png, am_error *err) {
    am_claim *claim;
    if (!report->figure)
        return am_fail(err, AM_ERR_INPUT, "the study draws no figure: it has no `figure`");
    if (!am_gnuplot_installed())
        return am_fail(err, AM_ERR_FILE, "the figure was not drawn: gnuplot is not installed");
    AM_TRY(am_claim_open(&claim, scratch, err));
    am_status status = draw_aside(report, claim, svg, png, err);
    am_output_release(claim);
    return status;
}

am_status am_output_summary_of(const char *folder, cJSON **document, am_error *err) {
    am_error own = {0};
    char *text = am_output_read(AM_OUTPUT_PATH(folder, summary_name), LONGEST_SUMMARY, &own);
    *document = text ? cJSON_Parse(text) : NULL;
    am_memory_free(text);
    if (own.status != AM_ERR_MEMORY) /* a summary that cannot be read counts as none */
        return AM_OK;
    if (err)
        *err = own;
    return AM_ERR_MEMORY;
}

/* ---- The study as it was run ---- */

static const char study_name[] = "study.yaml", other_study_name[] = "study-as-run.yaml";

/* A study.yaml that no earlier run wrote is the user's own, and stays. */
static am_status choose_study_name(const char *folder, const char **name, am_error *err) {
    cJSON *document = NULL;
    am_status status = am_output_summary_of(folder, &document, err);
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(document, "files"), *file = NULL;
    bool ours = !am_output_is_file(folder, study_name);
    cJSON_ArrayForEach(file, files) {
        const char *listed = cJSON_GetStringValue(file);
        ours = ours || (listed && strcmp(listed, study_name) == 0);
    }
    cJSON_Delete(document);
    *name = ours ? study_name : other_study_name;
    return status;
}

/* A copy of a file that the study reads: only if it is still the file that was read. */
static am_status copy_input(const am_input *input, am_staging *staging, am_error *err) {
    char found[AM_SHA256_TEXT];
    am_text bytes = {0};
    bool there = false;
    am_error own = {0};
    am_status status = am_output_read_whole(input->path, &bytes, &there, &own);
    am_sha256 sum;
    am_sha256_begin(&sum);
    am_sha256_add(&sum, am_text_view(&bytes), bytes.length);
    am_sha256_end(&sum, found);
    bool same = status == AM_OK && there && strcmp(found, input->sum) == 0;
    if (status == AM_ERR_MEMORY)
        am_fail(err, status, "%s", own.message);
    else
        status = AM_OK;
    if (same)
        status = am_staging_write(staging, input->name, am_text_view(&bytes), bytes.length, err);
    am_text_free(&bytes);
    return status;
}

static am_status write_study(const am_report *report, am_staging *staging, const char *folder, am_error *err) {
    const am_provenance *from = report->provenance;
    if (!from || !from->study)
        return AM_OK;
    const char *name = NULL;
    AM_TRY(choose_study_name(folder, &name, err));
    AM_TRY(am_staging_write(staging, name, from->study, strlen(from->study), err));
    for (size_t i = 0; i < from->input_count; i++)
        AM_TRY(copy_input(&from->inputs[i], staging, err));
    return AM_OK;
}

/* The files that are there, then the last two. NULL only without memory. */
static char **list_files(const am_sums *sums, am_error *err) {
    size_t count = sums->count;
    char **names = am_memory_new(count + 3, sizeof *names, err);
    am_status status = names ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < count + 2; i++)
        status = add_name(names, i < count ? sums->files[i].name : i == count ? am_sums_name : summary_name, err);
    if (status == AM_OK)
        return names;
    am_output_files_free(names);
    return NULL;
}

static am_status write_text(am_staging *staging, const char *name, const char *text, am_error *err) {
    return text ? am_staging_write(staging, name, text, strlen(text), err) : AM_ERR_MEMORY;
}

/* summary.json, which lists all files, and the sums of every file but their own. */
static am_status write_last(const am_report *report, am_staging *staging, char ***names, am_error *err) {
    const am_sums *sums = am_staging_sums(staging);
    size_t count = sums->count + 2;
    *names = list_files(sums, err);
    char *text = *names ? am_output_json(report, false, count, (const char *const *)*names, err) : NULL;
    am_status status = write_text(staging, summary_name, text, err);
    am_output_text_free(text);
    text = status == AM_OK ? am_sums_write(sums, err) : NULL;
    if (status == AM_OK)
        status = write_text(staging, am_sums_name, text, err);
    am_memory_free(text);
    return status;
}

static am_status write_all(const am_report *report, am_staging *staging, const char *folder, char ***names,
                           am_error *err) {
    AM_TRY(write_tables(report, staging, err));
    AM_TRY(write_netcdf(report, staging, err));
    AM_TRY(write_fields(report, staging, err));
    AM_TRY(write_all_points(report, staging, err));
    AM_TRY(write_figure(report, staging, folder, err));
    AM_TRY(write_study(report, staging, folder, err));
    return write_last(report, staging, names, err);
}

/* ---- Files of an earlier run ---- */

/* A copy of a file that a study reads: "input1-...". */
static bool is_input(const char *name) {
    size_t digits = strncmp(name, "input", 5) == 0 ? strspn(name + 5, "0123456789") : 0;
    return digits > 0 && name[5 + digits] == '-';
}

/* Only what this library writes, and nothing outside the folder. */
static bool is_ours(const char *name) {
    const char *const endings[] = {".csv", ".nc", ".gp", ".dat", ".svg", ".png", ".vtu"};
    const char *dot = strrchr(name, '.');
    if (strchr(name, '/'))
        return false;
    if (strcmp(name, am_sums_name) == 0 || strcmp(name, study_name) == 0 || strcmp(name, other_study_name) == 0 ||
        is_input(name))
        return true;
    for (size_t i = 0; dot && !strchr(name, '/') && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* The files an older summary.json lists and the new results no longer have: left behind, they would pass for results of
 * this run. An unreadable summary lists nothing. NULL only without memory. */
static char **find_stale(const char *folder, char *const *names, am_error *err) {
    cJSON *document = NULL;
    am_status status = am_output_summary_of(folder, &document, err);
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(document, "files");
    int count = cJSON_IsArray(files) ? cJSON_GetArraySize(files) : 0;
    char **stale = status == AM_OK ? am_memory_new((size_t)count + 1, sizeof *stale, err) : NULL;
    status = stale ? AM_OK : AM_ERR_MEMORY;
    const cJSON *file = count > 0 ? files->child : NULL;
    for (; status == AM_OK && file; file = file->next) {
        const char *name = cJSON_GetStringValue(file);
        if (name && is_ours(name) && !has_name(names, name) && !has_name(stale, name) &&
            am_output_is_file(folder, name))
            status = add_name(stale, name, err);
    }
    cJSON_Delete(document);
    if (status == AM_OK)
        return stale;
    am_output_files_free(stale);
    return NULL;
}

/* A text of the document, copied; NULL where there is none. */
static char *text_of(const cJSON *document, const char *key, am_error *err) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(document, key));
    return text && *text ? am_memory_text(text, err) : NULL;
}

am_status am_output_study_of(const char *folder, char **study, char **fingerprint, am_error *err) {
    am_error own = {0};
    cJSON *document = NULL;
    am_status status = am_output_summary_of(folder, &document, &own);
    *study = text_of(document, "study", &own);
    *fingerprint = text_of(document, "fingerprint", &own);
    cJSON_Delete(document);
    if (own.status != AM_OK && err)
        *err = own;
    return status != AM_OK ? status : own.status;
}

/* ---- The folder ---- */

static am_status write_and_commit(const am_report *report, const char *folder, am_staging *staging, char ***names,
                                  am_error *err) {
    AM_TRY(write_all(report, staging, folder, names, err));
    char **stale = find_stale(folder, *names, err);
    if (!stale)
        return AM_ERR_MEMORY;
    am_status status = am_staging_commit(staging, *names, stale, err);
    am_output_files_free(stale);
    return status;
}

static am_status refuse_empty(const am_report *report, char ***files, am_error *err) {
    if (files)
        *files = NULL;
    return report->result ? AM_OK : am_fail(err, AM_ERR_INPUT, "there is no result to write");
}

am_status am_output_folder_claimed(const am_report *report, const am_claim *claim, char ***files, am_error *err) {
    if (!report || !am_is(claim, AM_TAG_CLAIM))
        return am_misused(err, __func__);
    char **names = NULL;
    am_staging *staging;
    AM_TRY(refuse_empty(report, files, err));
    AM_TRY(am_staging_open(&staging, claim, err));
    am_status status = write_and_commit(report, am_claim_folder(claim), staging, &names, err);
    am_staging_close(staging);
    if (status == AM_OK && files)
        *files = names;
    else
        am_output_files_free(names);
    return status;
}

am_status am_output_folder(const am_report *report, const char *folder, char ***files, am_error *err) {
    if (!report)
        return am_misused(err, __func__);
    am_claim *claim;
    AM_TRY(refuse_empty(report, files, err));
    AM_TRY(am_claim_open(&claim, folder, err));
    am_status status = am_output_folder_claimed(report, claim, files, err);
    am_output_release(claim);
    return status;
}

am_status am_output_folder_check_claimed(const am_claim *claim, am_error *err) {
    if (!am_is(claim, AM_TAG_CLAIM))
        return am_misused(err, __func__);
    static const char probe[4096] = ""; /* a full disk still makes folders: try a little data too */
    am_staging *staging;
    AM_TRY(am_staging_open(&staging, claim, err));
    am_status status = am_staging_write(staging, summary_name, probe, sizeof probe, err);
    am_staging_close(staging);
    return status;
}

am_status am_output_folder_check(const char *folder, am_error *err) {
    am_claim *claim;
    AM_TRY(am_claim_open(&claim, folder, err));
    am_status status = am_output_folder_check_claimed(claim, err);
    am_output_release(claim);
    return status;
}
