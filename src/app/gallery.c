/* `amontons gallery`: every study run, its results written, and one page that shows them all. */
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "base/input_file.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/text.h"

/* One study of the gallery, as it goes through. */
typedef struct visit {
    const am_gallery_study *study;
    char folder[1024]; /* relative to the page */
    char failure[1024];
    am_run *run;
    am_exit status;
} visit;

/* "klarbring", "fig4b" and "klarbring/fig4b" all name gallery/klarbring/fig4b.yaml. */
static bool is_called(const am_gallery_study *study, const char *name) {
    const char *slash = strchr(name, '/');
    if (!slash)
        return strcmp(name, study->group) == 0 || strcmp(name, study->name) == 0;
    size_t group = (size_t)(slash - name);
    return strlen(study->group) == group && strncmp(name, study->group, group) == 0 &&
           strcmp(slash + 1, study->name) == 0;
}

static bool is_wanted(const am_gallery_study *study, const am_options *options) {
    for (size_t i = 0; i < options->count; i++)
        if (is_called(study, options->names[i]))
            return true;
    return options->count == 0;
}

static bool print_unknown(const am_gallery_list *list, const char *name) {
    const char **names = am_memory_new(2 * list->count, sizeof *names, NULL);
    const char *nearest = NULL;
    for (size_t i = 0; names && i < list->count; i++) {
        names[2 * i] = list->studies[i].name;
        names[2 * i + 1] = list->studies[i].group;
    }
    if (names)
        nearest = am_text_nearest(name, names, 2 * list->count);
    am_print_error("amontons gallery: there is no study '%.60s'%s%s%s; `amontons list gallery` shows all", name,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    am_memory_free(names);
    return false;
}

static bool check_names(const am_gallery_list *list, const am_options *options) {
    for (size_t i = 0; i < options->count; i++) {
        bool found = false;
        for (size_t s = 0; s < list->count; s++)
            found = found || is_called(&list->studies[s], options->names[i]);
        if (!found)
            return print_unknown(list, options->names[i]);
    }
    return true;
}

static void print_visit(const am_gallery_list *list, const visit *v) {
    const am_report *report = v->run ? am_run_report(v->run) : NULL;
    printf("%s ", v->status == AM_EXIT_DONE ? "✓" : "✗");
    am_gallery_print_name(list, v->study);
    if (report) {
        size_t met = 0;
        for (size_t i = 0; i < report->expectation_count; i++)
            met += report->expectations[i].ok;
        printf("%7.2f s  %zu of %zu expectations  %s\n", report->seconds, met, report->expectation_count,
               report->title);
    } else {
        printf("%s\n", v->failure);
    }
    fflush(stdout);
}

static void make_visit(visit *v, const am_options *options, const char *page) {
    am_error err = {0};
    char path[4096], **files = NULL;
    snprintf(v->folder, sizeof v->folder, "%.500s/%.500s", v->study->group, v->study->name);
    snprintf(path, sizeof path, "%.3000s/%s", page, v->folder);
    v->status = AM_EXIT_INVALID;
    am_study *study = am_study_read(v->study->path, 0, NULL, options->full, &err);
    if (study)
        v->status = am_run_and_write(
            study,
            &(am_run_order){.folder = path, .threads = options->threads, .force = true, .command = options->command},
            &v->run, &files, &err);
    if (!v->run)
        snprintf(v->failure, sizeof v->failure, "%s", err.message);
    am_output_files_free(files);
    am_study_free(study);
}

enum { LONGEST_SHOWN = 1 << 17, LONGEST_TITLE = 1 << 10 }; /* bytes of a study on its page, and of a group's title */

/* A small text file, without the end of its last line; NULL: there is none, and the page does without. */
static const char *read_text(am_arena *memory, const char *path, size_t most) {
    AM_LOCAL(am_text_free) am_text text = {0};
    bool found = false;
    if (am_input_read_if_there(path, "a text", most, &text, &found, NULL) != AM_OK || !found)
        return NULL;
    size_t length = strlen(am_text_view(&text));
    while (length > 0 && text.data[length - 1] == '\n')
        length--;
    return am_arena_text(memory, am_text_view(&text), length, NULL);
}

/* What document or topic a group of studies is: group.txt beside them. */
static const char *read_title(am_arena *memory, const char *study) {
    char path[4096];
    const char *slash = strrchr(study, '/');
    snprintf(path, sizeof path, "%.*s/group.txt", (int)(slash ? slash - study : 0), study);
    return slash ? read_text(memory, path, LONGEST_TITLE) : NULL;
}

static am_exit write_page(const char *page, const visit *visits, size_t count) {
    am_error err = {0};
    AM_LOCAL_ARENA memory = {0};
    am_gallery_entry *entries = am_memory_new(count, sizeof *entries, &err);
    am_status status = entries ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; entries && i < count; i++) {
        const visit *v = &visits[i];
        entries[i] = (am_gallery_entry){.group = v->study->group,
                                        .name = v->study->name,
                                        .folder = v->folder,
                                        .report = v->run ? am_run_report(v->run) : NULL,
                                        .failure = v->run ? NULL : v->failure,
                                        .text = read_text(&memory, v->study->path, LONGEST_SHOWN),
                                        .group_title = read_title(&memory, v->study->path)};
    }
    if (status == AM_OK)
        status = am_output_gallery(page, count, entries, &err);
    am_memory_free(entries);
    if (status != AM_OK)
        return am_print_failure(&err, AM_EXIT_FAILED);
    printf("page: %s/index.html\n", page);
    return AM_EXIT_DONE;
}

/* The gravest of two statuses: interrupted, failed, invalid, not met, done. */
static am_exit worse(am_exit a, am_exit b) {
    return a > b ? a : b;
}

static am_exit visit_all(const am_gallery_list *list, const am_options *options, const char *page, visit *visits) {
    size_t count = 0;
    am_exit status = AM_EXIT_DONE;
    for (size_t i = 0; i < list->count && !am_interrupted(); i++) {
        if (!is_wanted(&list->studies[i], options))
            continue;
        visit *v = &visits[count++];
        v->study = &list->studies[i];
        make_visit(v, options, page);
        status = worse(status, v->status);
        if (!am_interrupted())
            print_visit(list, v);
    }
    if (am_interrupted()) {
        am_print_error("interrupted; the page was not written");
        status = AM_EXIT_INTERRUPTED;
    } else {
        status = worse(status, write_page(page, visits, count));
    }
    for (size_t i = 0; i < count; i++)
        am_run_free(visits[i].run);
    return status;
}

am_exit am_command_gallery(const am_options *options) {
    am_error err = {0};
    am_gallery_list list = {0};
    const char *page = options->out ? options->out : "gallery-out";
    am_exit status = AM_EXIT_INVALID;
    if (am_gallery_find(&list, &err) != AM_OK)
        return am_print_failure(&err, AM_EXIT_INVALID);
    visit *visits = am_memory_new(list.count, sizeof *visits, &err);
    if (visits && check_names(&list, options)) {
        if (am_output_folder_check(page, &err) == AM_OK)
            status = visit_all(&list, options, page, visits);
        else
            am_print_failure(&err, AM_EXIT_INVALID);
    }
    am_memory_free(visits);
    am_gallery_free(&list);
    return status;
}
