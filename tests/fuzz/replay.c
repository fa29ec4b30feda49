/* A harness as an ordinary test: reads every file of the folders and files it is given, once. With `--mutations N
 * --seed S` in front it then goes on with N changed ones, where the kind of input has a mutator (studies): many runs,
 * without what the fuzzers' instruments cost. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) __attribute__((weak));

enum { MOST_INPUTS = 4096, LONGEST = 4096 };

static size_t inputs;
static struct {
    uint8_t *data;
    size_t size;
} known[MOST_INPUTS];
static char present[4096]; /* the input that is being read */

/* Broken promises and findings of the sanitizers abort. */
static void tell_input(int number) {
    static const char words[] = "the input was ";
    if (write(2, words, sizeof words - 1) < 0 || write(2, present, strlen(present)) < 0 || write(2, "\n", 1) < 0)
        _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

static int replay(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)place;
    if (kind != FTW_F)
        return 0;
    FILE *file = fopen(path, "rb");
    size_t size = (size_t)info->st_size;
    uint8_t *data = malloc(size > 0 ? size : 1);
    if (!file || !data || fread(data, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    snprintf(present, sizeof present, "%s", path);
    LLVMFuzzerTestOneInput(data, size);
    if (inputs < MOST_INPUTS) {
        known[inputs].data = data;
        known[inputs].size = size;
    } else {
        free(data);
    }
    inputs++;
    return 0;
}

static void forget(void) {
    for (size_t i = 0; i < inputs && i < MOST_INPUTS; i++)
        free(known[i].data);
}

/* To be seen again it is written into the current folder when the program is ended by it. */
static uint8_t mutated[LONGEST];
static size_t mutated_size;
static char mutated_name[64];

static void keep_mutated(int number) {
    FILE *file = fopen(mutated_name, "wb");
    if (file) {
        fwrite(mutated, 1, mutated_size, file);
        fclose(file);
    }
    tell_input(number);
}

static void mutate(size_t count, unsigned seed) {
    size_t sources = inputs < MOST_INPUTS ? inputs : MOST_INPUTS;
    signal(SIGABRT, keep_mutated);
    signal(SIGSEGV, keep_mutated);
    for (size_t i = 0; i < count && sources > 0; i++) {
        unsigned own = seed * 2654435761u + (unsigned)i;
        size_t from = own % sources;
        snprintf(mutated_name, sizeof mutated_name, "mutated-%u-%zu", seed, i);
        snprintf(present, sizeof present, "%s (written)", mutated_name);
        mutated_size = known[from].size < LONGEST ? known[from].size : LONGEST;
        memcpy(mutated, known[from].data, mutated_size);
        mutated_size = LLVMFuzzerCustomMutator(mutated, mutated_size, LONGEST, own);
        LLVMFuzzerTestOneInput(mutated, mutated_size);
    }
    printf("%zu mutations of seed %u\n", count, seed);
}

int main(int count, char **paths) {
    static const int fatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], tell_input);
    bool mutates = count > 5 && strcmp(paths[1], "--mutations") == 0 && strcmp(paths[3], "--seed") == 0;
    for (int i = mutates ? 5 : 1; i < count; i++)
        if (nftw(paths[i], replay, 16, FTW_PHYS) != 0) {
            perror(paths[i]);
            return 1;
        }
    printf("%zu inputs\n", inputs);
    if (mutates && LLVMFuzzerCustomMutator)
        mutate(strtoul(paths[2], NULL, 10), (unsigned)strtoul(paths[4], NULL, 10));
    forget();
    return inputs > 0 ? 0 : 1;
}
