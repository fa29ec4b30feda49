#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"
#include "output/file.h"

/* "dir/fig4b.yaml" gives "fig4b-results". */
static void default_folder(const char *study, char *folder, size_t size) {
    study = strcmp(study, "-") == 0 ? AM_STANDARD_INPUT : study;
    const char *slash = strrchr(study, '/'), *name = slash ? slash + 1 : study, *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    snprintf(folder, size, "%.*s-results", length, name);
}

/* A part of new results does not replace older ones that are whole; it does replace an older part. */
static bool holds_whole_results(const char *folder) {
    char path[4096], line[256];
    int length = snprintf(path, sizeof path, "%s/summary.json", folder);
    FILE *file = length < 0 || (size_t)length >= sizeof path ? NULL : fopen(path, "r");
    bool whole = true;
    if (!file)
        return length < 0 || (size_t)length >= sizeof path || access(path, F_OK) == 0;
    while (whole && fgets(line, sizeof line, file)) /* inside a text the quotes would be escaped */
        whole = strncmp(line, "\t\t\"interrupted\":\ttrue", 21) != 0;
    fclose(file);
    return whole;
}

/* A run that was stopped: what it has got so far is written, and says so. */
static am_exit write_part(const am_run_order *order, const am_claim *claim, const am_run *run, char ***files,
                          am_error *err) {
    am_error reason = *err, failure = {0};
    const char *folder = order->folder;
    bool writes = claim && !holds_whole_results(folder);
    if (writes && am_output_folder_claimed(am_run_report(run), claim, files, &failure) != AM_OK)
        am_fail(err, AM_ERR_INTERRUPTED, "%.200s; what was computed until then could not be written: %.600s",
                reason.message, failure.message);
    else if (writes)
        am_fail(err, AM_ERR_INTERRUPTED, "%.200s; what was computed until then is in %.600s, marked `interrupted`",
                reason.message, folder);
    else if (folder)
        am_fail(err, AM_ERR_INTERRUPTED, "%.200s; the results of an earlier run in %.600s were left as they are",
                reason.message, folder);
    else
        am_fail(err, AM_ERR_INTERRUPTED, "%.200s; what was computed until then is marked `interrupted`",
                reason.message);
    return AM_EXIT_INTERRUPTED;
}

/* The results are written even where the figure cannot be drawn: with its script, or if that is what cannot be written
 * without it; *undrawn then, with the reason in err. */
static am_status write_results(const am_run *run, const am_claim *claim, char ***files, bool *undrawn, am_error *err) {
    am_report report = *am_run_report(run);
    am_error ignored = {0};
    am_status status = am_output_folder_claimed(&report, claim, files, err);
    *undrawn = false;
    if (status == AM_OK || !report.figure || am_interrupted())
        return status;
    report.undrawn = true;
    *undrawn = am_output_folder_claimed(&report, claim, files, &ignored) == AM_OK;
    report.figure = NULL;
    if (!*undrawn && !am_interrupted())
        *undrawn = am_output_folder_claimed(&report, claim, files, &ignored) == AM_OK;
    return *undrawn ? AM_OK : status;
}

/* Compute; then write, what was stopped by Ctrl-C as the part it is. */
static am_exit compute_and_write(const am_study *study, const am_run_order *order, const am_claim *claim, am_run **run,
                                 char ***files, bool *written, am_error *err) {
    am_bar bar;
    am_progress progress = am_bar_start(&bar, am_study_analysis(study), order->threads);
    progress.team = order->team;
    *run = am_study_run_into(study, order->folder, order->force, &progress, err);
    am_interrupt_writing(true);
    am_bar_end(&bar);
    if (*run && order->command && am_run_note_command(*run, order->command, err) != AM_OK)
        return AM_EXIT_FAILED;
    if (*run && am_run_interrupted(*run))
        return write_part(order, claim, *run, files, err);
    if (!*run) /* a run that was finished before the signal was noticed is written */
        return err->status == AM_ERR_INTERRUPTED ? AM_EXIT_INTERRUPTED
               : err->status == AM_ERR_INPUT     ? AM_EXIT_INVALID
                                                 : AM_EXIT_FAILED;
    bool undrawn = false;
    *err = (am_error){0}; /* of what was tried on the way and went well another way */
    if (claim && write_results(*run, claim, files, &undrawn, err) != AM_OK)
        return am_interrupted() ? AM_EXIT_INTERRUPTED : AM_EXIT_FAILED;
    *written = true;
    if (claim)
        am_study_settled(order->folder);
    if (undrawn)
        return AM_EXIT_FAILED;
    return am_run_met(*run) && !am_run_mistake(*run, true) ? AM_EXIT_DONE : AM_EXIT_NOT_MET;
}

/* The folder belongs to this run until it has ended; the first member of a team claims it for all of them. */
static am_status prepare_folder(const am_run_order *order, am_claim **claim, am_error *err) {
    if (!order->folder)
        return AM_OK;
    if (am_team_rank(order->team) > 0)
        return am_output_make_folder(order->folder, err);
    *claim = am_output_claim(order->folder, err);
    return *claim ? am_output_folder_check_claimed(*claim, err) : AM_ERR_FILE;
}

am_exit am_run_and_write(const am_study *study, const am_run_order *order, am_run **run, char ***files, am_error *err) {
    struct stat before;
    const char *folder = order->folder;
    bool existed = folder && stat(folder, &before) == 0;
    *run = NULL;
    *files = NULL;
    am_claim *claim = NULL;
    bool written = false;
    am_exit status = prepare_folder(order, &claim, err) == AM_OK
                         ? compute_and_write(study, order, claim, run, files, &written, err)
                         : AM_EXIT_INVALID;
    am_output_release(claim);
    am_interrupt_writing(false);
    if (written || (*run && am_run_interrupted(*run)))
        return status;
    if (folder && !existed)
        rmdir(folder); /* only when it is empty, and it was not there before */
    am_run_free(*run);
    *run = NULL;
    return status;
}

static am_exit print_json(const am_run *run, char *const *files, am_exit status) {
    am_error err = {0};
    size_t count = 0;
    while (files && files[count])
        count++;
    char *text = am_output_json(am_run_report(run), true, count, (const char *const *)files, &err);
    if (!text)
        return am_print_failure(&err, AM_EXIT_FAILED);
    am_print_document(text, status);
    am_output_text_free(text);
    return status;
}

static void print_human(const am_run *run, const am_options *options, const char *folder, char *const *files) {
    if (options->quiet) {
        am_print_unmet(am_run_report(run));
        return;
    }
    am_print_report(am_run_report(run), options->verbose);
    printf("\nwritten to %s:", folder);
    for (; files && *files; files++)
        printf(" %s", *files);
    printf("\n");
}

/* All members find the same mistake in the input: the first one prints it. */
static am_exit print_failure(const am_run_order *order, const am_error *err, am_exit status) {
    bool silent = am_team_rank(order->team) > 0 && err->status == AM_ERR_INPUT;
    return silent ? AM_EXIT_INVALID : am_print_failure(err, status);
}

/* Results that are there, and what is wrong with the study nevertheless. */
static am_exit print_results(const am_options *options, const am_run_order *order, const am_run *run,
                             char *const *files, const am_error *err, am_exit status) {
    if (!options->json)
        print_human(run, options, order->folder, files);
    if (err->status != AM_OK)
        am_print_error("%s", err->message);
    for (int figure = 0; figure < 2; figure++)
        if (am_run_mistake(run, figure))
            am_print_error("%s", am_run_mistake(run, figure)->message);
    return options->json ? print_json(run, files, status) : status;
}

/* All members of a team compute what can be shared; the first one alone runs everything else, and prints. */
static am_exit run_as_member(const am_options *options, const am_study *study, const am_run_order *order) {
    am_error err = {0};
    am_run *run = NULL;
    char **files = NULL;
    bool first = am_team_rank(order->team) == 0;
    const char *analysis = am_study_analysis(study);
    if (!first && strcmp(analysis, "sweep") != 0 && strcmp(analysis, "attractors") != 0)
        return AM_EXIT_DONE;
    am_exit status = am_run_and_write(study, order, &run, &files, &err);
    bool part = run && am_run_interrupted(run);
    if (!run || part)
        print_failure(order, &err, status);
    if (run && first && part && options->json)
        status = print_json(run, files, status);
    else if (run && first && !part)
        status = print_results(options, order, run, files, &err, status);
    am_output_files_free(files);
    am_run_free(run);
    return status;
}

am_exit am_command_run(const am_options *options) {
    am_error err = {0};
    char own_folder[4096];
    am_run_order order = {
        .folder = options->out, .threads = options->threads, .force = options->force, .command = options->command};
    am_exit status = am_team_join(&order.team);
    if (status != AM_EXIT_DONE)
        return status;
    if (order.team && order.threads == 0)
        order.threads = am_team_threads();
    if (!order.folder && !options->json) {
        default_folder(options->names[0], own_folder, sizeof own_folder);
        order.folder = own_folder;
    }
    am_study *study = am_options_study(options, options->names[0], &err);
    status = study ? run_as_member(options, study, &order) : print_failure(&order, &err, AM_EXIT_INVALID);
    am_study_free(study);
    if (am_team_rank(order.team) == 0)
        am_print_error_document(status);
    am_team_leave(order.team, status);
    return status;
}
