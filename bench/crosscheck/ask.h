/* Questions to the tool, asked as a user would: a study as text, and its result or the sentence that refuses it. */
#ifndef AMONTONS_CROSS_ASK_H
#define AMONTONS_CROSS_ASK_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/study.h"
#include "structure.h"

typedef struct cross_answer {
    am_run *run;             /* NULL: none */
    const am_result *result; /* of `run` */
    am_error error;          /* why there is none */
    char *study;             /* its text */
} cross_answer;

/* The structure under `analysis: {...}`, whose words are given as for printf. `with_start` adds the structure's
 * `initial`. */
cross_answer cross_ask(const cross_structure *structure, bool with_start, const char *analysis, ...)
    __attribute__((format(printf, 3, 4)));
/* A whole study, whose words are given as for printf. */
cross_answer cross_ask_study(const char *study, ...) __attribute__((format(printf, 1, 2)));
void cross_forget(cross_answer *answer);

/* A number of the summary (count or flag: 0 or 1); NaN where there is none. */
double cross_number(const cross_answer *answer, const char *name);
/* A word of the summary; "" where there is none. */
const char *cross_word(const cross_answer *answer, const char *name);

/* A cell of a table, NaN where there is none; `row` from the end when negative (-1: the last). */
double cross_cell(const cross_answer *answer, const char *table, long row, const char *column);
const char *cross_cell_word(const cross_answer *answer, const char *table, long row, const char *column);
size_t cross_rows(const cross_answer *answer, const char *table);

#endif
