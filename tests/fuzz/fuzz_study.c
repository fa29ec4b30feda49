/* Study files: read and checked, or refused with file, line and column. What `show` writes of a study is a study of the
 * same structure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/study.h"
#include "base/watch.h"
#include "harness.h"
#include "study/models.h"

static const char name[] = AMONTONS_FUZZ_FILES "/study.yaml";
enum { MOST_SHOWN = 12 }; /* coordinates: matrices are written out */

/* Only the structure: an analysis over a number of the model has nothing to change any more. */
static void require_same_structure(am_arena *pool, const char *shown, const am_system *system) {
    am_error err = {0};
    am_files files = {.folder = AMONTONS_FUZZ_FILES};
    am_reading reading = {.pool = pool, .files = &files, .err = &err};
    am_study_model model;
    am_node *root = am_node_parse(pool, "shown", shown, strlen(shown), true, &err);
    am_system *again = root ? am_study_model_read(&reading, am_node_get(root, "model"), &model) : NULL;
    if (!again)
        fprintf(stderr, "%s\n%s\n", err.message, shown);
    fuzz_require(again, "a structure that was shown is read");
    fuzz_require(am_system_size(again) == am_system_size(system) &&
                     am_system_contacts(again) == am_system_contacts(system) &&
                     am_system_loads(again) == am_system_loads(system) &&
                     am_system_polynomials(again) == am_system_polynomials(system),
                 "with its coordinates, contacts and loads");
    am_system_free(again);
}

static void require_shown(const am_study *study) {
    am_error err = {0};
    char *shown = am_study_show(study, &err);
    am_arena *pool = am_arena_create(NULL);
    if (shown)
        require_same_structure(pool, shown, am_study_system(study));
    else /* half-planes and the like have no matrices to show */
        fuzz_require_failure(err.status, &err);
    am_arena_free(pool);
    am_output_text_free(shown);
}

static void read_study(const char *text, bool show) {
    am_error err = {0};
    am_study *study = am_study_parse(name, text, 0, NULL, false, &err);
    if (!study) {
        fuzz_require_failure(err.status, &err);
        fuzz_require(err.status != AM_ERR_INPUT || strncmp(err.message, name, sizeof name - 1) == 0,
                     "a message begins with the file");
        return;
    }
    fuzz_require(am_study_analysis(study)[0] != '\0', "a study has an analysis");
    const am_system *system = am_study_system(study);
    if (show && system && am_system_size(system) <= MOST_SHOWN)
        require_shown(study);
    am_study_free(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    fuzz_bound bound = {20};
    am_progress progress = fuzz_bounded(&bound);
    am_watch watch;
    am_watch_begin(&watch, &progress);
    read_study(text, fuzz_hash(data, size) % 4 == 0);
    am_watch_end(&watch, AM_OK, NULL);
    free(text);
    return 0;
}
