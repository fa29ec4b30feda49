/* The campaign of bench/cross: random structures, each asked one question in two ways.
 *
 *     amontons_cross questions
 *     amontons_cross FIRST COUNT SECONDS FOLDER [QUESTION...]
 *
 * Every case runs in a process of its own, for at most SECONDS of processor time. One line a question: how many agreed,
 * disagreed, were refused both ways, were too sensitive to compare, took too long or crashed. The studies of a
 * disagreement are left in FOLDER, named after question and seed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crosscheck/questions.h"

enum { SLOW = 4, CRASHED, OUTCOMES };
static const char *const outcome_names[OUTCOMES] = {"agree", "disagree", "refused", "sensitive", "slow", "crashed"};

static void keep(const char *folder, const char *question, uint64_t seed, const cross_verdict *verdict) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%llu.yaml", folder, question, (unsigned long long)seed);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "# %s\n%s", verdict->why, verdict->studies ? verdict->studies : "");
    fclose(file);
}

/* In the child: asks, reports, leaves. */
static void answer(const cross_question *question, uint64_t seed, long seconds, const char *folder) {
    struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &limit, NULL);
    cross_verdict verdict = question->ask(seed);
    if (verdict.kind == CROSS_DISAGREE)
        keep(folder, question->name, seed, &verdict);
    if (verdict.kind == CROSS_DISAGREE || verdict.kind == CROSS_REFUSED)
        printf("%s %llu %s: %s\n", question->name, (unsigned long long)seed, outcome_names[verdict.kind], verdict.why);
    fflush(stdout);
    _exit((int)verdict.kind);
}

static int outcome_of(const cross_question *question, uint64_t seed, long seconds, const char *folder) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        answer(question, seed, seconds, folder);
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return CRASHED;
    int outcome = WIFEXITED(status) && WEXITSTATUS(status) <= CROSS_SENSITIVE ? WEXITSTATUS(status)
                  : WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF        ? SLOW
                                                                              : CRASHED;
    if (outcome >= SLOW)
        printf("%s %llu %s\n", question->name, (unsigned long long)seed, outcome_names[outcome]);
    return outcome;
}

static bool wanted(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "questions") == 0) {
        for (size_t i = 0; i < cross_question_count; i++)
            puts(cross_questions[i].name);
        return 0;
    }
    if (count < 5) {
        fprintf(stderr, "usage: %s questions | FIRST COUNT SECONDS FOLDER [QUESTION...]\n", words[0]);
        return 2;
    }
    uint64_t first = strtoull(words[1], NULL, 10), cases = strtoull(words[2], NULL, 10);
    long seconds = strtol(words[3], NULL, 10);
    size_t wrong = 0;
    for (size_t i = 0; i < cross_question_count; i++) {
        const cross_question *question = &cross_questions[i];
        if (!wanted(question->name, count - 5, words + 5))
            continue;
        size_t outcomes[OUTCOMES] = {0};
        for (uint64_t seed = first; seed < first + cases; seed++)
            outcomes[outcome_of(question, seed, seconds, words[4])]++;
        printf("= %s", question->name);
        for (int k = 0; k < OUTCOMES; k++)
            printf(" %zu", outcomes[k]);
        printf("\n");
        wrong += outcomes[CROSS_DISAGREE] + outcomes[SLOW] + outcomes[CRASHED];
    }
    return wrong > 0;
}
