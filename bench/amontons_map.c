/* The map of Fig. 6 with Amontons as a user asks for it: one call of am_attractors_run.
 *
 * usage: amontons_map FRICTION C1 C2 V1_FROM V1_TO V1_COUNT V2_FROM V2_TO V2_COUNT THREADS REPEAT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amontons/attractors.h"
#include "amontons/models.h"

static double seconds_now(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int give_up(const am_error *err) {
    fprintf(stderr, "amontons_map: %s\n", err->message);
    return 3;
}

static void print_count(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    printf("\"%s\": %.0f, ", name, scalar ? scalar->number : -1);
}

int main(int argc, char **argv) {
    if (argc != 12) {
        fprintf(stderr, "usage: %s FRICTION C1 C2 V1_FROM V1_TO V1_COUNT V2_FROM V2_TO V2_COUNT THREADS REPEAT\n",
                argv[0]);
        return 2;
    }
    am_klarbring def = am_klarbring_default();
    memcpy(def.stiffness, (double[2][2]){{1, 1}, {1, 2}}, sizeof def.stiffness);
    def.friction = strtod(argv[1], NULL);
    def.load_rate[0] = strtod(argv[2], NULL), def.load_rate[1] = strtod(argv[3], NULL);
    am_start_axis axes[2];
    for (int i = 0; i < 2; i++)
        axes[i] = (am_start_axis){.coordinate = (size_t)i,
                                  .velocity = true,
                                  .from = strtod(argv[4 + 3 * i], NULL),
                                  .to = strtod(argv[5 + 3 * i], NULL),
                                  .count = strtoul(argv[6 + 3 * i], NULL, 10)};
    am_attractors_options options = am_attractors_options_default();
    options.axis_count = 2;
    options.axes = axes;
    am_progress progress = {.threads = atoi(argv[10])};
    int repeat = atoi(argv[11]);

    double processor = 0; /* of all threads, in the quickest repetition */
    double quickest = INFINITY;
    am_error err = {0};
    am_system *system = am_klarbring_create(&def, &err);
    if (!system)
        return give_up(&err);
    printf("{\"threads\": %d, ", progress.threads);
    for (int i = 0; i < repeat; i++) {
        am_result *result = am_result_create(&err);
        double before = seconds_now(CLOCK_MONOTONIC), worked = seconds_now(CLOCK_PROCESS_CPUTIME_ID);
        if (!result || am_attractors_run(system, &options, result, &progress, &err) != AM_OK)
            return give_up(&err);
        double seconds = seconds_now(CLOCK_MONOTONIC) - before;
        if (seconds < quickest) {
            quickest = seconds;
            processor = seconds_now(CLOCK_PROCESS_CPUTIME_ID) - worked;
        }
        if (i == 0) {
            print_count(result, "starts");
            print_count(result, "stick");
            print_count(result, "open");
            print_count(result, "other");
            print_count(result, "undecided");
            printf("\"seconds\": [");
        }
        printf("%s%.9g", i ? ", " : "", seconds);
        am_result_free(result);
    }
    printf("], \"processor\": %.9g}\n", processor);
    am_system_free(system);
    return 0;
}
