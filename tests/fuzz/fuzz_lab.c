/* Requests of the lab, as far as they have come through the connection: who may ask, what is asked for, and the work that
 * workers do. Answers are documents, files of the page lie in its folder, and nothing is written beside the opened one.
 *
 * An input is a line "METHOD ADDRESS?NAME=VALUE&...", lines "Host: ..." and "Origin: ...", an empty line, the body. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/local.h"
#include "base/text.h"
#include "base/watch.h"
#include "harness.h"
#include "lab/gate.h"
#include "lab/places.h"
#include "lab/plan.h"
#include "lab/work.h"
#include "study/files.h"

static const char token[] = "0123456789abcdef0123456789abcdef";
enum { PORT = 8000 };

/* outer/opened is the folder, outer/page the page, outer/scratch the worker's own; outer/secret.yaml is nobody's. */
static char outer[64], opened[80], page[80], scratch[80];
static int home = -1;

/* ---- Folders ---- */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *position) {
    (void)info, (void)kind, (void)position;
    return remove(path);
}

static void remove_folders(void) {
    nftw(outer, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    fuzz_require(file && fputs(text, file) >= 0 && fclose(file) == 0, "scratch can be written");
}

static void make_folders(void) {
    if (home >= 0)
        return;
    home = open(".", O_RDONLY | O_CLOEXEC);
    snprintf(outer, sizeof outer, "%s/amontons-fuzz-XXXXXX", P_tmpdir);
    fuzz_require(home >= 0 && mkdtemp(outer), "there is a folder for scratch");
    atexit(remove_folders);
    char *const folders[] = {opened, page, scratch};
    const char *const names[] = {"opened", "page", "scratch"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(folders[i], sizeof opened, "%s/%s", outer, names[i]);
        fuzz_require(mkdir(folders[i], 0700) == 0, "and room in it");
    }
    write_file(outer, "secret.yaml", "title: secret\n");
    write_file(page, "index.html", "<!doctype html>");
    write_file(opened, "a.yaml", "title: a\n");
    write_file(opened, "K.mtx", "%%MatrixMarket matrix array real general\n1 1\n2\n");
}

static size_t entries(const char *folder) {
    size_t count = 0;
    DIR *directory = opendir(folder);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

/* What earlier inputs saved is gone: each input finds the same. */
static void tidy(void) {
    DIR *directory = opendir(opened);
    char path[512];
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (strcmp(entry->d_name, "a.yaml") != 0 && strcmp(entry->d_name, "K.mtx") != 0 && entry->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", opened, entry->d_name) < (int)sizeof path)
            remove(path);
    if (directory)
        closedir(directory);
    write_file(opened, "a.yaml", "title: a\n");
}

/* ---- Requests ---- */

/* Cuts the text at the first of these characters; the rest, or "" where there is none. */
static char *cut(char *text, const char *at) {
    char *rest = text + strcspn(text, at);
    if (!*rest)
        return rest;
    *rest = '\0';
    return rest + 1;
}

static void take_arguments(am_lab_request *request, char *query) {
    while (*query && request->argument_count < AM_LAB_ARGUMENTS) {
        char *name = query;
        query = cut(query, "&");
        char *value = cut(name, "=");
        request->arguments[request->argument_count++] = (am_lab_argument){name, value};
    }
}

/* ---- Promises ---- */

static void require_document(const am_text *body) {
    cJSON *document = cJSON_ParseWithLength(am_text_view(body), body->length);
    if (!document)
        fprintf(stderr, "%s\n", am_text_view(body));
    fuzz_require(document, "an answer is a document");
    cJSON_Delete(document);
}

static void require_answer(const am_lab_answer *answer) {
    fuzz_require(answer->status >= 200 && answer->status < 600, "an answer has a status");
    fuzz_require(answer->body.status == AM_OK, "and is whole");
    if (answer->type == AM_LAB_JSON)
        require_document(&answer->body);
    else if (answer->type == AM_LAB_COLUMNS)
        fuzz_require(answer->body.length >= 16 && memcmp(answer->body.data, "AMCOLS01", 8) == 0 &&
                         answer->body.length % 8 == 0,
                     "columns are columns");
}

static void require_same_order(const am_lab_order *order) {
    AM_LOCAL(am_text_free) am_text bytes = {0};
    am_lab_order again;
    fuzz_require(am_lab_order_write(order, &bytes, NULL) == AM_OK, "an order is written");
    fuzz_require(am_lab_order_read(&again, bytes.data, bytes.length), "and read");
    bool same = again.task == order->task && again.root == order->root && strcmp(again.name, order->name) == 0 &&
                strcmp(again.text, order->text) == 0 && again.setting_count == order->setting_count &&
                again.trace == order->trace && again.preview == order->preview;
    for (size_t i = 0; same && i < order->setting_count; i++)
        same = strcmp(again.settings[i].path, order->settings[i].path) == 0 &&
               strcmp(again.settings[i].value, order->settings[i].value) == 0;
    fuzz_require(same, "as it was");
    if (bytes.length > 0)
        fuzz_require(!am_lab_order_read(&again, bytes.data, bytes.length - 1), "a part of one is none");
}

static void do_work(const am_lab_options *options, const am_lab_order *order, am_trace *trace, size_t preview) {
    const am_lab_bench bench = {options, scratch};
    am_lab_answer answer = {0};
    fuzz_bound bound = {10};
    am_progress progress = fuzz_bounded(&bound);
    am_watch watch;
    progress.trace = trace;
    progress.preview = preview;
    am_watch_begin(&watch, &progress);
    am_lab_work(&bench, order, &progress, &answer);
    am_watch_end(&watch, AM_OK, NULL);
    fuzz_require(fchdir(home) == 0, "the way back is known");
    require_answer(&answer);
    am_text_free(&answer.body);
}

/* As its worker does, which has the branches of the order before. */
static void follow_order(const am_lab_options *options, const am_lab_order *order) {
    if (order->task == AM_LAB_FIGURE || order->svg) /* gnuplot is another program */
        return;
    am_trace *trace = order->trace != 0 ? am_trace_create(NULL) : NULL;
    do_work(options, order, trace, 0);
    if (trace && order->preview > 0)
        do_work(options, order, trace, order->preview);
    am_trace_free(trace);
}

static void ask(const am_lab_request *request) {
    const am_lab_options options = {.folder = opened, .page = page, .threads = 1, .seconds = 60};
    am_lab_plan plan = {0};
    am_lab_plan_request(&options, request, &plan);
    if (plan.step == AM_LAB_SAY)
        require_answer(&plan.answer);
    else if (plan.step == AM_LAB_SEND_FILE)
        fuzz_require(am_files_is_below(page, plan.path), "the page is its folder");
    else if (plan.step == AM_LAB_DO || plan.step == AM_LAB_START_JOB) {
        require_same_order(&plan.order);
        follow_order(&options, &plan.order);
    }
    fuzz_require(!plan.answer.body.data || !strstr(plan.answer.body.data, "title: secret"), "nothing else is read");
    am_lab_plan_clear(&plan);
    fuzz_require(entries(outer) == 6 && entries(page) == 3 && entries(scratch) == 2, "nothing else is written");
    tidy();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    make_folders();
    char *text = fuzz_text(data, size), *body = strstr(text, "\n\n"), *line = text;
    am_lab_request request = {.method = text};
    size_t head = body ? (size_t)(body - text) + 2 : size;
    if (body)
        *body = '\0';
    char *rest = cut(line, "\n"), *path = cut(line, " "), *origin = strstr(rest, "Origin: ");
    take_arguments(&request, cut(path, "?"));
    const char *below = am_lab_below_token(token, path);
    fuzz_require(!below || strncmp(path + 1, token, strlen(token)) == 0, "nobody comes in without the token");
    if (am_lab_is_door(token, path))
        fuzz_require(strlen(path) == strlen("/open/") + strlen(token), "or through the door without the code");
    if (am_lab_is_own(PORT, strncmp(rest, "Host: ", 6) == 0 ? rest + 6 : NULL, origin ? origin + 8 : NULL))
        fuzz_require(!origin || strncmp(origin + 8, "http://", 7) == 0, "pages of other places stay outside");
    request.path = below ? below : path;
    request.columns = size % 2 == 0;
    request.length = body ? size - head : 0;
    request.body = body ? (const char *)data + head : NULL;
    ask(&request);
    free(text);
    return 0;
}
