/* A seeded sample of the campaign bench/cross: random structures, each asked one question in two ways (docs/cross.md).
 */
/* ctest: long */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "crosscheck/questions.h"

/* Seeds that once disagreed, beside the first ones. */
typedef struct sample {
    const char *question;
    uint64_t count, remembered[4];
} sample;

static const sample samples[] = {
    {"units", CASES(40, 4), {0}},
    {"coordinates", CASES(40, 4), {100946}}, /* a slider that another contact holds at its limit */
    {"order", CASES(40, 4), {0}},
    {"divided", CASES(40, 4), {45, 58, 67}},  /* a proof of the last state with more directions than coordinates */
    {"march", CASES(10, 1), {103, 174, 221}}, /* let go though it could hold, static above kinetic friction */
    {"moreau", CASES(4, 1), {0}},
    {"squeal", CASES(20, 2), {26}},
    {"threshold", CASES(20, 2), {0}},
    {"response", CASES(20, 2), {0}},
    {"orbit", CASES(10, 1), {0}},
    {"path", CASES(30, 4), {0}}, /* 1, 4: loads and contact forces cancel at the start */
    {"stabilityforms", CASES(20, 2), {0}},
    {"responseforms", CASES(10, 1), {0}},
    {"pathforms", CASES(20, 2), {0}},
    {"join", CASES(6, 1), {0}},
    {"fates", CASES(6, 1), {34, 153, 179}}, /* impacts accumulate within the orbit */
    {"blocks", CASES(2, 0), {0}},
};

static const cross_question *find(const char *name) {
    for (size_t i = 0; i < cross_question_count; i++)
        if (strcmp(cross_questions[i].name, name) == 0)
            return &cross_questions[i];
    fail_msg("there is no question %s", name);
    return NULL;
}

static void ask(const cross_question *question, uint64_t seed) {
    cross_verdict verdict = question->ask(seed);
    if (verdict.kind == CROSS_DISAGREE)
        fail_msg("%s, seed %llu: %s\n%s", question->asks, (unsigned long long)seed, verdict.why,
                 verdict.studies ? verdict.studies : "");
    free(verdict.studies);
}

static void both_ways_agree(void **state) {
    const sample *s = *state;
    const cross_question *question = find(s->question);
    for (uint64_t seed = 1; seed <= s->count; seed++)
        ask(question, seed);
    for (size_t i = 0; i < 4 && s->remembered[i] > 0; i++)
        ask(question, s->remembered[i]);
}

int main(void) {
    enum { COUNT = sizeof samples / sizeof *samples };
    struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){
            .name = samples[i].question, .test_func = both_ways_agree, .initial_state = (void *)&samples[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
