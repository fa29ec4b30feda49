#include "ask.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *study_text(const cross_structure *structure, bool with_start, const char *analysis, va_list words) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    cross_write_model(out, structure);
    fputs("analysis: {", out);
    vfprintf(out, analysis, words);
    if (with_start) {
        fputs(", ", out);
        cross_write_start(out, structure);
    }
    fputs("}\n", out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* The answer owns the text. */
static cross_answer ask(char *text) {
    cross_answer answer = {.study = text};
    if (!text) {
        answer.error.status = AM_ERR_MEMORY;
        return answer;
    }
    am_study *study = am_study_parse("cross.yaml", text, 0, NULL, false, &answer.error);
    if (study)
        answer.run = am_study_run(study, NULL, &answer.error);
    if (answer.run)
        answer.result = am_run_report(answer.run)->result;
    am_study_free(study);
    return answer;
}

cross_answer cross_ask(const cross_structure *structure, bool with_start, const char *analysis, ...) {
    va_list words;
    va_start(words, analysis);
    char *text = study_text(structure, with_start, analysis, words);
    va_end(words);
    return ask(text);
}

cross_answer cross_ask_study(const char *study, ...) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    va_list words;
    va_start(words, study);
    if (out)
        vfprintf(out, study, words);
    va_end(words);
    if (out && fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return ask(text);
}

void cross_forget(cross_answer *answer) {
    am_run_free(answer->run);
    free(answer->study);
    *answer = (cross_answer){0};
}

double cross_number(const cross_answer *answer, const char *name) {
    const am_scalar *scalar = answer->result ? am_result_find(answer->result, name) : NULL;
    return scalar && scalar->kind != AM_SCALAR_TEXT && scalar->kind != AM_SCALAR_NONE ? scalar->number : NAN;
}

const char *cross_word(const cross_answer *answer, const char *name) {
    const am_scalar *scalar = answer->result ? am_result_find(answer->result, name) : NULL;
    return scalar && scalar->kind == AM_SCALAR_TEXT ? scalar->text : "";
}

size_t cross_rows(const cross_answer *answer, const char *name) {
    const am_table *table = answer->result ? am_result_find_table(answer->result, name) : NULL;
    return table ? am_table_rows(table) : 0;
}

static const am_table *find_cell(const cross_answer *answer, const char *name, long *row, const char *word,
                                 size_t *column) {
    const am_table *table = answer->result ? am_result_find_table(answer->result, name) : NULL;
    if (!table)
        return NULL;
    if (*row < 0)
        *row += (long)am_table_rows(table);
    *column = am_table_find_column(table, word);
    return *column == SIZE_MAX || *row < 0 || (size_t)*row >= am_table_rows(table) ? NULL : table;
}

double cross_cell(const cross_answer *answer, const char *name, long row, const char *word) {
    size_t column;
    const am_table *table = find_cell(answer, name, &row, word, &column);
    return table && am_table_column_kind(table, column) != AM_COLUMN_TEXT ? am_table_number(table, (size_t)row, column)
                                                                          : NAN;
}

const char *cross_cell_word(const cross_answer *answer, const char *name, long row, const char *word) {
    size_t column;
    const am_table *table = find_cell(answer, name, &row, word, &column);
    return table && am_table_column_kind(table, column) == AM_COLUMN_TEXT ? am_table_text(table, (size_t)row, column)
                                                                          : "";
}
