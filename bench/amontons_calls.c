/* The calls behind bench/python, made from C: a study read and run, and many starts of one structure, on one thread.
 *
 * usage: amontons_calls study FILE ROUNDS
 *        amontons_calls starts FILE STARTS ENDS UNTIL
 *
 * STARTS holds the starts as doubles, and so will ENDS where they end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/amontons.h"
#include "bench.h"

enum { REPEAT = 3 };

static const am_progress one_thread = {.threads = 1};

static am_study *read_study(const char *path) {
    am_error err = {0};
    am_study *study = am_study_read(path, 0, NULL, false, &err);
    if (!study)
        give_up("amontons_calls", &err);
    return study;
}

static void print_least(const double seconds[REPEAT]) {
    double least = seconds[0];
    for (int i = 1; i < REPEAT; i++)
        least = seconds[i] < least ? seconds[i] : least;
    printf("%.17g\n", least);
}

/* Seconds of one run with its reading: the best of REPEAT means over so many. */
static void time_study(const char *path, int rounds) {
    double seconds[REPEAT];
    for (int i = 0; i < REPEAT; i++) {
        double begun = seconds_now();
        for (int k = 0; k < rounds; k++) {
            am_error err = {0};
            am_study *study = read_study(path);
            am_run *run = am_study_run(study, &one_thread, &err);
            if (!run)
                give_up("amontons_calls", &err);
            am_run_free(run);
            am_study_free(study);
        }
        seconds[i] = (seconds_now() - begun) / rounds;
    }
    print_least(seconds);
}

static void *read_all(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        exit(2);
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *all = malloc(*bytes);
    if (!all || fread(all, 1, *bytes, file) != *bytes)
        exit(2);
    fclose(file);
    return all;
}

static void time_starts(char **words) {
    am_study *study = read_study(words[0]);
    const am_system *system = am_study_system(study);
    size_t bytes;
    double *starts = read_all(words[1], &bytes), *ends = malloc(bytes), seconds[REPEAT];
    am_motion_many many = {.count = bytes / (2 * am_system_size(system) * sizeof *starts),
                           .starts = starts,
                           .until = strtod(words[3], NULL),
                           .ends = ends};
    for (int i = 0; i < REPEAT; i++) {
        am_error err = {0};
        double begun = seconds_now();
        if (am_motion_run_many(system, &many, &one_thread, &err) != AM_OK)
            give_up("amontons_calls", &err);
        seconds[i] = seconds_now() - begun;
    }
    FILE *file = fopen(words[2], "wb");
    if (!file || fwrite(ends, 1, bytes, file) != bytes || fclose(file) != 0)
        exit(2);
    print_least(seconds);
    free(starts);
    free(ends);
    am_study_free(study);
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "study") == 0)
        time_study(argv[2], atoi(argv[3]));
    else if (argc == 6 && strcmp(argv[1], "starts") == 0)
        time_starts(argv + 2);
    else
        return 2;
    return 0;
}
