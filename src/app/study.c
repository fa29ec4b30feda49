/* The commands that read a study, or write about studies, without running one. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"
#include "base/local.h"
#include "base/text.h"
#include "study/json_schema.h"
#include "study/show_json.h"
#include "study/study.h"

am_study *am_options_study(const am_options *options, const char *name, am_error *err) {
    const am_study_options how = {.setting_count = options->setting_count,
                                  .settings = options->settings,
                                  .full = options->full,
                                  .allowed_count = options->allowed_count,
                                  .allowed = options->allowed};
    const char *text;
    if (strcmp(name, "-") != 0)
        return am_study_open(name, &how, err);
    return am_standard_input(&text, err) == AM_OK ? am_study_open_text(AM_STANDARD_INPUT, text, &how, err) : NULL;
}

static am_exit check_one(const am_options *options, const char *name) {
    am_error err = {0};
    am_study *study = am_options_study(options, name, &err);
    if (!study)
        return am_print_failure(&err, AM_EXIT_INVALID);
    if (am_study_begin(study, &err) != AM_OK) {
        am_study_free(study);
        return am_print_failure(&err, AM_EXIT_INVALID);
    }
    const am_system *system = am_study_system(study);
    size_t n = am_system_size(system), contacts = am_system_contacts(system), loads = am_system_loads(system);
    if (!options->quiet)
        printf("%s: ok: %zu coordinate%s, %zu contact%s, %zu load%s; analysis %s\n", name, n, n == 1 ? "" : "s",
               contacts, contacts == 1 ? "" : "s", loads, loads == 1 ? "" : "s", am_study_analysis(study));
    am_study_free(study);
    return AM_EXIT_DONE;
}

am_exit am_command_check(const am_options *options) {
    am_exit status = AM_EXIT_DONE;
    for (size_t i = 0; i < options->count && status < AM_EXIT_INTERRUPTED; i++) {
        am_exit one = check_one(options, options->names[i]);
        status = one > status ? one : status;
    }
    return status;
}

static am_exit print_numbers(const am_study *study) {
    am_error err = {0};
    char digits[AM_TEXT_NUMBER_SIZE];
    am_model *model = am_study_open_model(study, &err);
    if (!model)
        return am_print_failure(&err, AM_EXIT_FAILED);
    for (size_t i = 0; i < am_model_count(model); i++)
        if (!isnan(am_model_value(model, i))) {
            am_text_format_number(am_model_value(model, i), digits);
            printf("%s: %s\n", am_model_name(model, i), digits);
        }
    am_model_free(model);
    return AM_EXIT_DONE;
}

static am_exit print_structure(const am_study *study) {
    am_error err = {0};
    AM_LOCAL_MEMORY char *text = am_study_show_json(study, &err);
    if (!text)
        return am_print_failure(&err, AM_EXIT_FAILED);
    am_print_document(text, AM_EXIT_DONE);
    return AM_EXIT_DONE;
}

am_exit am_command_show(const am_options *options) {
    am_error err = {0};
    am_study *study = am_options_study(options, options->names[0], &err);
    if (!study)
        return am_print_failure(&err, AM_EXIT_INVALID);
    am_exit status = options->json      ? print_structure(study)
                     : options->numbers ? print_numbers(study)
                                        : am_print_text(am_study_show(study, &err), &err);
    am_study_free(study);
    return status;
}

am_exit am_command_new(const am_options *options) {
    am_error err = {0};
    return am_print_text(am_study_template(options->names[0], &err), &err);
}

static am_exit list_gallery(void) {
    am_error err = {0};
    am_gallery_list list = {0};
    if (am_gallery_find(&list, &err) != AM_OK)
        return am_print_failure(&err, AM_EXIT_INVALID);
    printf("Gallery\n");
    for (size_t i = 0; i < list.count; i++) {
        am_study *study = am_study_read(list.studies[i].path, 0, NULL, false, &err);
        printf("  ");
        am_gallery_print_name(&list, &list.studies[i]);
        if (study)
            printf("%-11s %s\n", am_study_analysis(study), am_study_title(study));
        else
            printf("%s\n", err.message);
        am_study_free(study);
    }
    am_gallery_free(&list);
    return AM_EXIT_DONE;
}

am_exit am_command_list(const am_options *options) {
    static const char *const all[] = {"models", "analyses", "laws"};
    am_error err = {0};
    if (options->count == 1 && strcmp(options->names[0], "gallery") == 0)
        return list_gallery();
    if (options->count == 1)
        return am_print_text(am_study_list(options->names[0], &err), &err);
    am_exit status = AM_EXIT_DONE;
    for (size_t i = 0; status == AM_EXIT_DONE && i < sizeof all / sizeof *all; i++)
        status = am_print_text(am_study_list(all[i], &err), &err);
    return status;
}

/* The folder of results: as given, or the one a file in it lies in. */
static bool result_folder(const char *result, char *folder, size_t size) {
    struct stat status_of;
    if (stat(result, &status_of) != 0)
        return am_print_error("%s: there are no such results", result);
    const char *slash = strrchr(result, '/');
    if (S_ISDIR(status_of.st_mode))
        snprintf(folder, size, "%s", result);
    else if (slash)
        snprintf(folder, size, "%.*s", (int)(slash - result), result);
    else
        snprintf(folder, size, ".");
    return true;
}

/* ---- verify ---- */

static void print_finding(void *context, const char *name, const char *words, bool fault) {
    (void)fault;
    printf("%s/%s: %s\n", (const char *)context, name, words);
}

am_exit am_command_verify(const am_options *options) {
    am_error err = {0};
    bool whole = false;
    char folder[4096];
    if (!result_folder(options->names[0], folder, sizeof folder))
        return AM_EXIT_INVALID;
    if (am_study_verify(folder, print_finding, folder, &whole, &err) != AM_OK)
        return am_print_failure(&err, AM_EXIT_FAILED);
    printf("%s: %s\n", folder, whole ? "whole: every file is as it was written" : "not whole");
    return whole ? AM_EXIT_DONE : AM_EXIT_FAILED;
}

/* The study that results are of lies beside them, under another name where one of the user's own was there. */
static am_exit animate(const am_options *options, const char *folder) {
    am_error err = {0};
    char name[4200];
    snprintf(name, sizeof name, "%s/study-as-run.yaml", folder);
    if (access(name, F_OK) != 0)
        snprintf(name, sizeof name, "%s/study.yaml", folder);
    am_study *study = am_options_study(options, name, &err);
    if (!study)
        return am_print_failure(&err, AM_EXIT_INVALID);
    char *text = am_study_animate(study, folder, &err);
    am_status status = text ? am_output_animation(folder, text, &err) : err.status;
    am_output_text_free(text);
    am_study_free(study);
    if (status != AM_OK)
        return am_print_failure(&err, AM_EXIT_FAILED);
    printf("drawn: %s/animation.svg\n", folder);
    return AM_EXIT_DONE;
}

am_exit am_command_plot(const am_options *options) {
    am_error err = {0};
    char folder[4096];
    if (!result_folder(options->names[0], folder, sizeof folder))
        return AM_EXIT_INVALID;
    if (options->animate)
        return animate(options, folder);
    if (am_output_plot(folder, &err) != AM_OK)
        return am_print_failure(&err, AM_EXIT_FAILED);
    printf("drawn: %s/figure.svg %s/figure.png\n", folder, folder);
    return AM_EXIT_DONE;
}

am_exit am_command_schema(const am_options *options) {
    const char *what = options->count > 0 ? options->names[0] : "study";
    am_error err = {0};
    if (strcmp(what, "study") == 0)
        return am_print_text(am_json_schema_of_studies(&err), &err);
    if (strcmp(what, "result") == 0)
        return am_print_text(am_json_schema_of_results(&err), &err);
    am_print_error("amontons schema: there are schemas of 'study' and 'result', not of '%.60s'", what);
    return AM_EXIT_INVALID;
}
