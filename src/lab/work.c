#include "lab/work.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/local.h"
#include "base/watch.h"
#include "lab/columns.h"
#include "lab/places.h"
#include "output/error_document.h"
#include "output/folder.h"
#include "study/catalogue.h"
#include "study/describe.h"
#include "study/json_schema.h"
#include "study/show_json.h"
#include "study/study_numbers.h"

/* Exit statuses of the command, which its documents repeat (docs/command.md). */
enum { EXIT_NOT_MET = 1, EXIT_INVALID = 2, EXIT_FAILED = 3 };

static int exit_status(const am_error *err) {
    return err->status == AM_ERR_INPUT ? EXIT_INVALID : EXIT_FAILED;
}

static unsigned http_status(const am_error *err) {
    return err->status == AM_ERR_INPUT ? AM_LAB_REFUSED : AM_LAB_FAILED;
}

/* Takes the text, which may be NULL: then err says why. */
static void give(am_lab_answer *answer, char *text, const am_error *err) {
    if (!text) {
        am_lab_refuse(answer, http_status(err), err);
        return;
    }
    size_t length = strlen(text);
    *answer = (am_lab_answer){AM_LAB_OK, AM_LAB_JSON, {.data = text, .length = length, .capacity = length + 1}};
}

void am_lab_refuse(am_lab_answer *answer, unsigned status, const am_error *why) {
    static const char nothing[] = "{\"error\": {\"message\": \"out of memory\", \"status\": 3}}";
    char *text = am_output_error(NULL, why->message, why->field, exit_status(why), NULL);
    am_text_free(&answer->body);
    answer->status = status;
    answer->type = AM_LAB_JSON;
    am_text_add(&answer->body, text ? text : nothing);
    am_output_text_free(text);
}

/* ---- lists ---- */

static void add_study(am_text *out, const char *root, const am_catalogue_study *study, am_arena *memory) {
    am_study_heading heading = {"", "", ""};
    am_study_heading_read(study->path, memory, &heading, NULL); /* one that is no YAML is there nevertheless */
    am_text_printf(out, ",\n{\"name\": ");
    AM_LOCAL(am_text_free) am_text name = {0};
    am_text_printf(&name, "%s/%s", root, study->file);
    const char *const members[][2] = {{"", am_text_view(&name)},
                                      {", \"title\": ", heading.title},
                                      {", \"group\": ", study->group},
                                      {", \"topic\": ", heading.topic},
                                      {", \"verdict\": ", heading.verdict}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        am_text_add(out, members[i][0]);
        am_describe_string(out, members[i][1] ? members[i][1] : "");
    }
    am_text_add(out, "}");
}

static am_status list_root(const am_lab_options *options, am_lab_root root, am_text *out, am_error *err) {
    enum { DEEPEST = 3 };
    static const char *const words[] = {[AM_LAB_FOLDER] = "folder", [AM_LAB_GALLERY] = "gallery"};
    AM_LOCAL(am_catalogue_clear) am_catalogue found = {0};
    AM_LOCAL_ARENA memory = {0};
    AM_LOCAL(am_text_free) am_text name = {0}, path = {0};
    if (!am_lab_folder(options, root))
        return AM_OK;
    AM_TRY(am_catalogue_read(&found, am_lab_folder(options, root), root == AM_LAB_GALLERY, DEEPEST, err));
    for (size_t i = 0; i < found.count; i++) {
        bool there;
        am_text_clear(&name);
        am_text_printf(&name, "%s/%s", words[root], found.studies[i].file);
        if (am_lab_path(options, am_text_view(&name), &path, &there, NULL) == AM_OK && there)
            add_study(out, words[root], &found.studies[i], &memory);
        am_arena_reset(&memory);
    }
    return AM_OK;
}

static char *list_studies(const am_lab_options *options, am_error *err) {
    AM_LOCAL(am_text_free) am_text list = {0}, out = {0};
    if (list_root(options, AM_LAB_FOLDER, &list, err) != AM_OK ||
        list_root(options, AM_LAB_GALLERY, &list, err) != AM_OK || am_text_status(&list, err) != AM_OK)
        return NULL;
    am_text_printf(&out, "{\"folder\": %s, \"opened\": ", options->folder ? "true" : "false");
    if (options->opened)
        am_describe_string(&out, options->opened);
    else
        am_text_add(&out, "null");
    am_text_add(&out, ", \"studies\": [");
    am_text_add(&out, list.length > 0 ? list.data + 1 : ""); /* without the first comma */
    am_text_add(&out, "]}");
    return am_text_take(&out, err);
}

/* ---- one study ---- */

static char *check(const am_study *study, const am_error *wrong, am_error *err) {
    AM_LOCAL(am_text_free) am_text out = {0};
    am_error_place place = am_error_place_of(wrong->message);
    if (!study && wrong->status == AM_ERR_MEMORY) {
        *err = *wrong;
        return NULL;
    }
    am_text_printf(&out, "{\"ok\": %s, \"problems\": [", study ? "true" : "false");
    if (!study) {
        am_text_printf(&out, "{\"line\": %d, \"column\": %d, \"message\": ", place.line, place.column);
        am_describe_string(&out, place.words);
        am_text_add(&out, ", \"field\": ");
        am_describe_string(&out, wrong->field);
        am_text_add(&out, "}");
    }
    am_text_add(&out, "]}");
    return am_text_take(&out, err);
}

/* The document of a run; what its figure or its expectations name that is not there is its `error`. */
static char *document_of(const am_run *run, bool with_tables, am_error *err) {
    char *text = am_output_json(am_run_report(run), with_tables, 0, NULL, err);
    for (int figure = 0; text && figure < 2; figure++) {
        const am_error *mistake = am_run_mistake(run, figure);
        char *more = mistake ? am_output_error(text, mistake->message, mistake->field, EXIT_NOT_MET, err) : NULL;
        if (!mistake)
            continue;
        am_output_text_free(text);
        return more;
    }
    return text;
}

/* ..., "figures": {"svg": TEXT}. A figure that cannot be drawn is null, and why is in `problem`. */
static char *add_figures(const am_lab_bench *bench, const am_run *run, char *document, am_error *err) {
    AM_LOCAL(am_text_free) am_text svg = {0}, png = {0}, figures = {0};
    AM_LOCAL_MEMORY char *before = document;
    am_error own = {0};
    am_status status = am_output_draw(am_run_report(run), bench->scratch, &svg, &png, &own);
    am_text_add(&figures, "{\"svg\": ");
    if (status == AM_OK) {
        am_describe_string(&figures, svg.data);
    } else {
        am_text_add(&figures, "null, \"problem\": ");
        am_describe_string(&figures, own.message);
    }
    am_text_add(&figures, "}");
    return am_text_status(&figures, err) == AM_OK ? am_output_member(before, "figures", figures.data, err) : NULL;
}

void am_lab_show_part(const am_lab_order *order, am_result *result, am_lab_answer *answer) {
    am_error err = {0};
    am_watch_mark(result);
    const am_report report = {.study = order->name, .title = "", .source = "", .analysis = "sweep", .result = result};
    give(answer, am_output_json(&report, true, 0, NULL, &err), &err);
}

static void show_run(const am_lab_bench *bench, const am_lab_order *order, const am_run *run, am_lab_answer *answer) {
    am_error err = {0};
    AM_LOCAL_MEMORY char *document = document_of(run, !order->columns, &err);
    if (document && order->svg)
        document = add_figures(bench, run, document, &err);
    if (!document || !order->columns) {
        give(answer, document, &err);
        document = NULL;
        return;
    }
    answer->status = AM_LAB_OK;
    answer->type = AM_LAB_COLUMNS;
    if (am_lab_columns(document, am_run_report(run)->result, &answer->body, &err) != AM_OK)
        am_lab_refuse(answer, http_status(&err), &err);
}

static void draw(const am_lab_bench *bench, const am_lab_order *order, const am_run *run, am_lab_answer *answer) {
    AM_LOCAL(am_text_free) am_text svg = {0}, png = {0};
    am_error err = {0};
    if (am_run_mistake(run, true) && !am_run_report(run)->figure) {
        am_lab_refuse(answer, AM_LAB_REFUSED, am_run_mistake(run, true));
        return;
    }
    if (am_output_draw(am_run_report(run), bench->scratch, &svg, &png, &err) != AM_OK) {
        am_lab_refuse(answer, http_status(&err), &err);
        return;
    }
    am_text *drawn = order->png ? &png : &svg;
    *answer = (am_lab_answer){AM_LAB_OK, order->png ? AM_LAB_PNG : AM_LAB_SVG, *drawn};
    *drawn = (am_text){0};
}

static void compute(const am_lab_bench *bench, const am_lab_order *order, const am_study *study,
                    const am_progress *progress, am_lab_answer *answer) {
    am_error err = {0};
    am_run *run = am_study_run(study, progress, &err);
    if (!run)
        am_lab_refuse(answer, http_status(&err), &err);
    else if (order->task == AM_LAB_FIGURE)
        draw(bench, order, run, answer);
    else
        show_run(bench, order, run, answer);
    am_run_free(run);
}

/* Relative names of files mean those beside the study. */
static am_status stand_in(const am_lab_bench *bench, am_lab_root root, am_error *err) {
    const char *folder = am_lab_folder(bench->options, root);
    if (chdir(folder ? folder : bench->scratch) != 0)
        return am_fail(err, AM_ERR_FILE, "the folder of the study cannot be entered: %s", strerror(errno));
    return AM_OK;
}

static void read_and_answer(const am_lab_bench *bench, const am_lab_order *order, const am_progress *progress,
                            am_lab_answer *answer) {
    am_error wrong = {0}, err = {0};
    const am_study_options how = {
        .setting_count = order->setting_count, .settings = order->settings, .full = order->full};
    const char *name = *order->name ? order->name : "study.yaml";
    if (order->task == AM_LAB_NUMBERS) {
        give(answer, am_study_numbers(name, order->text, &how, &err), &err);
        return;
    }
    am_study *study = am_study_open_text(name, order->text, &how, &wrong);
    if (order->task == AM_LAB_CHECK)
        give(answer, check(study, &wrong, &err), &err);
    else if (!study)
        am_lab_refuse(answer, http_status(&wrong), &wrong);
    else if (order->task == AM_LAB_STRUCTURE)
        give(answer, am_study_show_json(study, &err), &err);
    else
        compute(bench, order, study, progress, answer);
    am_study_free(study);
}

void am_lab_work(const am_lab_bench *bench, const am_lab_order *order, const am_progress *progress,
                 am_lab_answer *answer) {
    am_error err = {0};
    if (stand_in(bench, order->root, &err) != AM_OK)
        am_lab_refuse(answer, http_status(&err), &err);
    else if (order->task == AM_LAB_STUDIES)
        give(answer, list_studies(bench->options, &err), &err);
    else if (order->task == AM_LAB_SCHEMA)
        give(answer, am_json_schema_of_studies(&err), &err);
    else
        read_and_answer(bench, order, progress, answer);
}
