#include "study_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amontons/output.h"
#include "results.h"

am_study *read_text(const char *text) {
    am_error err = {0};
    am_study *study = am_study_parse("/test.yaml", text, 0, NULL, false, &err);
    if (!study)
        fail_msg("refused: %s\n%s", err.message, text);
    return study;
}

am_run *run_text(const char *text) {
    am_error err = {0};
    am_study *study = read_text(text);
    am_run *made = am_study_run(study, NULL, &err);
    if (!made)
        fail_msg("failed: %s", err.message);
    am_study_free(study);
    return made;
}

double scalar(const am_run *made, const char *name) {
    return number(am_run_report(made)->result, name);
}
