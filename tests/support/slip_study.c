#include "slip_study.h"

#include <stdio.h>

#include "errors.h"
#include "study_text.h"

enum { LONGEST = 1024 };

static void write_study(char text[LONGEST], const char *model, const char *analysis) {
    snprintf(text, LONGEST, "title: t\nmodel: {%s}\nanalysis: {kind: slip, %s}\n", model, analysis);
}

am_run *ask_slip(const char *model, const char *analysis) {
    char text[LONGEST];
    write_study(text, model, analysis);
    return run_text(text);
}

double slip_answer(const char *model, const char *analysis, const char *name) {
    am_run *made = ask_slip(model, analysis);
    double value = scalar(made, name);
    am_run_free(made);
    return value;
}

void refuse_slip(const char *model, const char *analysis, const char *words) {
    char text[LONGEST];
    am_error err = {0};
    write_study(text, model, analysis);
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    am_run *made = study ? am_study_run(study, NULL, &err) : NULL;
    if (made)
        fail_msg("this was not refused: %s", text);
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, words);
    am_study_free(study);
}
