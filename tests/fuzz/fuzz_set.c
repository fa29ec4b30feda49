/* `--set path=value`: the first byte chooses a study to start from, of any model or analysis; each further line is one
 * setting, divided at its first `=` as the command does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/study.h"
#include "base/watch.h"
#include "harness.h"
#include "study/analyses.h"
#include "study/models.h"

enum { MOST_SETTINGS = 16, MOST_KINDS = 64 };

static char *templates[MOST_KINDS];
static size_t kinds;

static void add_kind(const char *kind) {
    am_error err = {0};
    templates[kinds] = am_study_template(kind, &err);
    fuzz_require(templates[kinds], "there is a study to start from for every kind");
    kinds++;
}

static void make_templates(void) {
    for (size_t i = 0; am_model_kinds[i]; i++)
        if (strcmp(am_model_kinds[i]->schema->name, "mesh") != 0) /* it names a file that the user has to draw */
            add_kind(am_model_kinds[i]->schema->name);
    for (size_t i = 0; am_analysis_kinds[i]; i++)
        add_kind(am_analysis_kinds[i]->schema->name);
}

/* Lines `path=value`; those without `=` are refused by the command before the library sees them. */
static size_t split(char *text, am_setting *settings) {
    size_t count = 0;
    for (char *line = text, *end; line && count < MOST_SETTINGS; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        char *equals = strchr(line, '=');
        if (!equals || equals == line)
            continue;
        *equals = '\0';
        settings[count++] = (am_setting){.path = line, .value = equals + 1};
    }
    return count;
}

static void read_with(const char *study_text, size_t count, const am_setting *settings) {
    am_error err = {0};
    am_study *study = am_study_parse(AMONTONS_FUZZ_FILES "/study.yaml", study_text, count, settings, false, &err);
    if (!study)
        fuzz_require_failure(err.status, &err);
    am_study_free(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    am_setting settings[MOST_SETTINGS];
    if (kinds == 0)
        make_templates();
    if (size < 2)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    fuzz_bound bound = {20};
    am_progress progress = fuzz_bounded(&bound);
    am_watch watch;
    am_watch_begin(&watch, &progress);
    read_with(templates[data[0] % kinds], split(text, settings), settings);
    am_watch_end(&watch, AM_OK, NULL);
    free(text);
    return 0;
}
