/* A cut of power at any moment leaves the older results whole or the new ones whole; and from the moment that writing
 * has succeeded, the new ones. The disk forgets whatever it may forget (disk.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "disk.h"
#include "scratch.h"
#include "uniform.h"

#if defined(__SANITIZE_ADDRESS__)
enum { CASES = 2, SAMPLES = 2, SEEN_EVERY = 30 };
#else
enum { CASES = 12, SAMPLES = 6, SEEN_EVERY = 10 }; /* the next run is asked after one cut of so many */
#endif

/* ---- Results of a folder, as they are meant to be ---- */

enum { MOST_FILES = 32 };
typedef struct holding {
    size_t count;
    struct {
        char name[64], *bytes;
        size_t size;
    } files[MOST_FILES];
} holding;

static void hold(holding *h, const char *folder, const char *name) {
    char path[1024];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_true(file && fstat(fileno(file), &info) == 0 && h->count < MOST_FILES);
    size_t i = h->count++;
    snprintf(h->files[i].name, sizeof h->files[i].name, "%s", name);
    h->files[i].size = (size_t)info.st_size;
    h->files[i].bytes = malloc(h->files[i].size + 1);
    assert_int_equal(fread(h->files[i].bytes, 1, h->files[i].size, file), h->files[i].size);
    fclose(file);
}

static void hold_all(holding *h, const char *folder, char **names) {
    for (; names && *names; names++)
        hold(h, folder, *names);
}

static void let_go(holding *h) {
    while (h->count > 0)
        free(h->files[--h->count].bytes);
}

static bool has(const holding *h, const char *name) {
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->files[i].name, name) == 0)
            return true;
    return false;
}

/* Does whoever opens the files of the folder find just these, and none that only the other has? */
static bool is_whole(const holding *h, const holding *other) {
    const char *bytes;
    size_t size;
    for (size_t i = 0; i < h->count; i++)
        if (!disk_read(h->files[i].name, &bytes, &size) || size != h->files[i].size ||
            memcmp(bytes, h->files[i].bytes, size) != 0)
            return false;
    for (size_t i = 0; i < other->count; i++)
        if (!has(h, other->files[i].name) && disk_read(other->files[i].name, &bytes, &size))
            return false;
    return true;
}

/* ---- Random results ---- */

static am_result *random_result(uint64_t *seed) {
    static const char *const names[] = {"events", "samples", "branch", "corners", "map"};
    am_result *result = am_result_create(NULL);
    am_result_set_number(result, "energy_residual", uniform(seed, 0, 1), NULL);
    for (size_t i = 0; i < 5; i++) {
        if (uniform(seed, 0, 1) < 0.4)
            continue;
        am_table *table = am_result_add_table(result, names[i], NULL);
        am_table_add_column(table, "t", "s", AM_COLUMN_NUMBER, NULL);
        for (size_t row = 0; row < (size_t)uniform(seed, 0, i == 1 ? 3000 : 20); row++) {
            am_table_add_row(table, NULL);
            am_table_set_number(table, 0, uniform(seed, -1, 1));
        }
    }
    return result;
}

static char **write_random(const char *folder, uint64_t *seed) {
    am_result *result = random_result(seed);
    am_report report = {.study = "one.yaml", .title = "", .source = "", .analysis = "motion", .result = result};
    char **files = NULL;
    am_error err = {0};
    if (am_output_folder(&report, folder, &files, &err) != AM_OK)
        fail_msg("%s", err.message);
    am_result_free(result);
    return files;
}

/* ---- The next run ---- */

static size_t count_names(const char *folder) {
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    size_t count = 0;
    for (const struct dirent *e; (e = readdir(directory));)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static bool is_really_whole(const holding *h, const char *folder) {
    bool whole = true;
    for (size_t i = 0; i < h->count && whole; i++) {
        char path[1024];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, h->files[i].name);
        char *bytes = malloc(h->files[i].size + 1);
        FILE *file = lstat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
        whole = file && fread(bytes, 1, h->files[i].size + 1, file) == h->files[i].size &&
                memcmp(bytes, h->files[i].bytes, h->files[i].size) == 0;
        if (file)
            fclose(file);
        free(bytes);
    }
    return whole && count_names(folder) == h->count + 1; /* and a file of somebody else */
}

/* It finds plain files, all older or all new, and nothing hidden. */
static void check_next_run(const holding *older, const holding *newer, size_t changes) {
    char folder[1024] = "/dev/shm/test_durable-XXXXXX"; /* in memory, where there is such a place: it is quicker */
    if (!mkdtemp(folder))
        snprintf(folder, sizeof folder, "%s", in_scratch("after"));
    remove_tree(folder);
    disk_put(folder);
    am_error err = {0};
    if (am_output_folder_check(folder, &err) != AM_OK)
        fail_msg("after change %zu: %s", changes, err.message);
    if (!is_really_whole(older, folder) && !is_really_whole(newer, folder))
        fail_msg("after change %zu the next run does not find whole results", changes);
    remove_tree(folder);
}

/* ---- Tests ---- */

static void check_cut(const holding *older, const holding *newer, size_t changes, disk_luck luck, uint64_t *random,
                      bool readers_too) {
    bool written = changes == disk_changes();
    const char *bytes;
    size_t size;
    disk_cut(changes, luck, random);
    if (!disk_read("notes.txt", &bytes, &size) || size != 5 || memcmp(bytes, "mine\n", 5) != 0)
        fail_msg("after change %zu a file of somebody else is lost", changes);
    if (readers_too && !is_whole(newer, older) && (written || !is_whole(older, newer)))
        fail_msg("after change %zu of %zu, luck %d: %s", changes, disk_changes(), luck,
                 written ? "what was written is lost" : "neither the older nor the new results are whole");
    if (uniform(random, 0, readers_too ? SEEN_EVERY : SEEN_EVERY / 5) < 1)
        check_next_run(older, newer, changes);
}

static void cut_everywhere(uint64_t seed, bool with_older, bool readers_too) {
    holding older = {0}, newer = {0};
    uint64_t random = seed * 77 + 5;
    const char *folder = in_scratch("results");
    char watched[1024];
    snprintf(watched, sizeof watched, "%s", folder);
    assert_int_equal(mkdir(watched, 0777), 0);
    write_scratch("results/notes.txt", "mine\n");
    if (with_older) {
        char **files = write_random(watched, &seed);
        hold_all(&older, watched, files);
        am_output_files_free(files);
    }
    disk_watch(watched);
    char **files = write_random(watched, &seed);
    disk_stop();
    hold_all(&newer, watched, files);
    am_output_files_free(files);
    assert_true(is_really_whole(&newer, watched));
    for (size_t changes = 0; changes <= disk_changes(); changes++)
        for (int luck = DISK_NONE; luck <= DISK_SOME; luck++)
            for (int sample = 0; sample < (luck < DISK_ALL_BUT_ONE ? 1 : SAMPLES); sample++)
                check_cut(&older, &newer, changes, (disk_luck)luck, &random, readers_too);
    disk_free();
    let_go(&older);
    let_go(&newer);
    remove_tree(watched);
}

static void power_may_fail_at_any_moment(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        cut_everywhere(seed, seed % 4 != 0, true);
}

/* Where a file cannot have two names, one of them is missing for an instant; the next run puts it back. */
static void also_where_files_have_one_name_only(void **state) {
    (void)state;
    disk_refuses_links = true;
    cut_everywhere(21, true, false);
    disk_refuses_links = false;
}

static void also_where_there_are_no_symbolic_links(void **state) {
    (void)state;
    disk_refuses_symbolic_links = true;
    cut_everywhere(22, true, false);
    disk_refuses_links = true;
    cut_everywhere(23, true, false);
    disk_refuses_links = disk_refuses_symbolic_links = false;
}

/* ---- Sweeps ---- */

static void note_part(void *context, const char *name) {
    char inner[300];
    snprintf(inner, sizeof inner, "sweep-parts/%s", name);
    hold(context, in_scratch("results"), inner);
}

static bool are_there(const holding *parts) {
    const char *bytes;
    size_t size;
    for (size_t i = 0; i < parts->count; i++)
        if (!disk_read(parts->files[i].name, &bytes, &size) || size != parts->files[i].size ||
            memcmp(bytes, parts->files[i].bytes, size) != 0)
            return false;
    return true;
}

/* What a sweep has kept is there until its results are. */
static void points_of_a_sweep_are_kept_until_its_results_are(void **state) {
    (void)state;
    static const char text[] =
        "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
        "analysis: {kind: motion, until: 3}\n"
        "sweep: {axes: {model.friction: [0.1, 0.2, 0.3]}, outputs: [state_changes]}\n";
    holding none = {0}, parts = {0}, newer = {0};
    uint64_t random = 99;
    char folder[1024], **files = NULL;
    snprintf(folder, sizeof folder, "%s", in_scratch("results"));
    assert_int_equal(mkdir(folder, 0777), 0);
    am_error err = {0};
    am_study *study = am_study_parse("sweep.yaml", text, 0, NULL, false, &err);
    if (!study)
        fail_msg("%s", err.message);
    disk_watch(folder);
    am_run *run = am_study_run_into(study, folder, false, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    size_t computed = disk_changes();
    disk_cut(computed, DISK_ALL, &random);
    disk_list("sweep-parts", note_part, &parts);
    assert_true(parts.count >= 2); /* a plan and a part */
    assert_int_equal(am_output_folder(am_run_report(run), folder, &files, &err), AM_OK);
    size_t written = disk_changes();
    am_study_settled(folder);
    disk_stop();
    hold_all(&newer, folder, files);
    for (size_t changes = computed; changes <= disk_changes(); changes++)
        for (int sample = 0; sample < 4 * SAMPLES; sample++) {
            disk_cut(changes, (disk_luck)(sample % (DISK_SOME + 1)), &random);
            if (!is_whole(&newer, &none) && (changes >= written || !are_there(&parts)))
                fail_msg("after change %zu of %zu neither the points nor the results are there", changes,
                         disk_changes());
        }
    disk_free();
    let_go(&parts);
    let_go(&newer);
    am_output_files_free(files);
    am_run_free(run);
    am_study_free(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(power_may_fail_at_any_moment, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(also_where_files_have_one_name_only, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(also_where_there_are_no_symbolic_links, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(points_of_a_sweep_are_kept_until_its_results_are, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
