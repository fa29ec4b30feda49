/* One study, read and run once on one thread inside `counted_run`, for callgrind (bench/check.py, bench/cost.py).
 *
 * usage: amontons_counts [--write FOLDER] STUDY [path=value]...
 *
 * With --write the results are written into the folder, which is counted too.
 * The document of `amontons run --json` without tables goes to stdout. A study whose expectations are not met ends with
 * status 1: the instructions of wrong results are not worth counting. */
#include <stdio.h>
#include <string.h>

#include "amontons/amontons.h"
#include "bench.h"

enum { MOST_SETTINGS = 16 };

typedef struct counted {
    const char *path, *folder; /* folder: NULL, nothing is written */
    size_t setting_count;
    am_setting settings[MOST_SETTINGS];
    am_study *study;
    am_run *run;
    am_error err;
} counted;

__attribute__((noinline)) static void counted_run(counted *c) {
    am_progress progress = {.threads = 1};
    c->study = am_study_read(c->path, c->setting_count, c->settings, false, &c->err);
    c->run = c->study ? am_study_run(c->study, &progress, &c->err) : NULL;
    if (c->run && c->folder && am_output_folder(am_run_report(c->run), c->folder, NULL, &c->err) != AM_OK)
        give_up("amontons_counts", &c->err);
    __asm__ volatile("" ::: "memory");
}

static size_t read_settings(int count, char **words, am_setting *settings) {
    for (int i = 0; i < count; i++) {
        char *equals = strchr(words[i], '=');
        if (!equals || i == MOST_SETTINGS) {
            fprintf(stderr, "amontons_counts: '%s' is one setting too many, or no path=value\n", words[i]);
            exit(2);
        }
        *equals = '\0';
        settings[i] = (am_setting){words[i], equals + 1};
    }
    return (size_t)count;
}

int main(int argc, char **argv) {
    bool writes = argc > 3 && strcmp(argv[1], "--write") == 0;
    int first = writes ? 3 : 1;
    if (argc <= first) {
        fprintf(stderr, "usage: %s [--write FOLDER] STUDY [path=value]...\n", argv[0]);
        return 2;
    }
    counted c = {.path = argv[first], .folder = writes ? argv[2] : NULL};
    c.setting_count = read_settings(argc - first - 1, argv + first + 1, c.settings);
    counted_run(&c);
    if (!c.run)
        give_up("amontons_counts", &c.err);
    char *text = am_output_json(am_run_report(c.run), false, 0, NULL, &c.err);
    if (!text)
        give_up("amontons_counts", &c.err);
    puts(text);
    am_output_text_free(text);
    bool met = am_run_met(c.run);
    am_run_free(c.run);
    am_study_free(c.study);
    return met ? 0 : 1;
}
