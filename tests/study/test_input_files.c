/* What a study names is opened only where the study names a file, and only if it is one: no pipe makes the program
 * wait, no device is read without end, nothing is read from outside the study's folder. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "amontons/matrix.h"
#include "amontons/study.h"
#include "base/input_file.h"
#include "base/text.h"
#include "errors.h"
#include "scratch.h"
#include "uniform.h"

static const unsigned patience = 60; /* seconds; whoever waits for a pipe waits for ever */

/* ---- everything that is no file ---- */

typedef void make_thing(const char *path);

static void make_pipe(const char *path) {
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_folder(const char *path) {
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char here[1024];
    int made = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(made >= 0 && getcwd(here, sizeof here));
    assert_int_equal(chdir(in_scratch("")), 0); /* its name has to be short */
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", strrchr(path, '/') + 1);
    assert_int_equal(bind(made, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(chdir(here), 0);
    close(made);
}

static void make_link_to_pipe(const char *path) {
    char pipe[1100];
    snprintf(pipe, sizeof pipe, "%s.pipe", path);
    make_pipe(pipe);
    assert_int_equal(symlink(strrchr(pipe, '/') + 1, path), 0);
}

/* A file without blocks that claims to be very long. */
static void make_endless(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)1 << 42), 0);
    fclose(file);
}

static const struct {
    make_thing *make;
    const char *words;
} things[] = {{make_pipe, "is a pipe, not"},
              {make_folder, "is a folder, not"},
              {make_socket, ""}, /* cannot be opened at all */
              {make_link_to_pipe, "is a pipe, not"},
              {make_endless, "the file is larger than"}};
enum { THINGS = sizeof things / sizeof *things };

/* ---- every place where a study names a file ---- */

#define STRUCTURE "model: {kind: structure, mass: [1, 1], stiffness: {file: %s}}\nanalysis: {kind: motion, until: 1}\n"
#define MODES                                                                                                          \
    "model: {kind: modes, frequency: [10, 11], damping_ratio: 0.005, contact_rows: {normal: {file: %s}, tangent: "     \
    "[[0, "                                                                                                            \
    "1]], friction: 0.4, law: kelvin-voigt, contact_stiffness: 20}}\nanalysis: {kind: stability}\n"
#define RECORD                                                                                                         \
    "model: {kind: structure, mass: [1], stiffness: [1], loads: [{direction: [1], table: {file: %s}}]}\n"              \
    "analysis: {kind: motion, until: 1}\n"
#define MESH                                                                                                           \
    "model: {kind: mesh, file: %s, bodies: [{name: a, E: 1, nu: 0.3}], contacts: [{slave: a.c, master: b.c, f: "       \
    "0.3}]}\n"                                                                                                         \
    "analysis: {kind: path, method: incremental, until: 1, steps: 4}\n"

static const struct {
    const char *text, *name, *at;
} places[] = {{STRUCTURE, "k.mtx", "s.yaml:1:"},
              {MODES, "n.csv", "s.yaml:1:"},
              {MODES, "n.mtx", "s.yaml:1:"},
              {RECORD, "r.csv", "s.yaml:1:"},
              {MESH, "m.msh", "s.yaml:1:"}};
enum { PLACES = sizeof places / sizeof *places };

static am_study *read_named(const char *format, const char *name, am_error *err) {
    char text[2048];
    snprintf(text, sizeof text, format, name);
    write_scratch("s.yaml", text);
    return am_study_read(in_scratch("s.yaml"), 0, NULL, false, err);
}

static void what_is_no_file_is_refused_wherever_a_file_is_named(void **state) {
    (void)state;
    alarm(patience);
    for (int p = 0; p < PLACES; p++)
        for (int t = 0; t < THINGS; t++) {
            am_error err = {0};
            things[t].make(in_scratch(places[p].name));
            assert_null(read_named(places[p].text, places[p].name, &err));
            assert_says(&err, places[p].name);
            assert_says(&err, places[p].at);
            assert_says(&err, things[t].words);
            remove_tree(in_scratch(places[p].name));
        }
    alarm(0);
}

static void a_study_that_is_no_file_is_refused(void **state) {
    (void)state;
    alarm(patience);
    for (int t = 0; t < THINGS; t++) {
        am_error err = {0};
        things[t].make(in_scratch("t.yaml"));
        assert_null(am_study_read(in_scratch("t.yaml"), 0, NULL, false, &err));
        assert_says(&err, "t.yaml");
        assert_says(&err, things[t].words);
        remove_tree(in_scratch("t.yaml"));
    }
    static const char *const devices[] = {"/dev/zero", "/dev/full", "/dev/tty", "/dev/random"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        am_error err = {0};
        assert_null(am_study_read(devices[i], 0, NULL, false, &err));
        assert_true(err.status == AM_ERR_FILE);
        assert_null(am_matrix_read(devices[i], &err));
        assert_true(err.status == AM_ERR_FILE);
    }
    alarm(0);
}

/* ---- words that are no names of files ---- */

#define BELT                                                                                                           \
    "title: belt\nmodel:\n  kind: structure\n  names: [x, y]\n  mass: [[1, 0], [0, 1]]\n"                              \
    "  stiffness: [[1, 0], [0, 4]]\n  contacts:\n    - {name: belt, normal: [0, 1], tangent: [1, 0], "                 \
    "surface_velocity: 0.2, friction: 0.3, static_friction: 0.5}\n  loads: [{direction: [0, -1], constant: 1}]\n"      \
    "analysis: {kind: motion, until: 4, initial: {displacement: [0, 0], velocity: [0, 0]}}\n"                          \
    "sweep: {axes: {model.contacts.0.friction: [0.1, 0.2]}, outputs: [%s]}\n"

static am_run *run_belt(const char *output, const char *results, am_error *err) {
    char text[2048], folder[1024];
    snprintf(text, sizeof text, BELT, output);
    am_study *study = am_study_parse(in_scratch("s.yaml"), text, 0, NULL, false, err);
    if (!study)
        return NULL;
    snprintf(folder, sizeof folder, "%s", in_scratch(results));
    am_run *run = am_study_run_into(study, folder, false, NULL, err);
    am_study_free(study);
    return run;
}

static void words_of_a_sweep_are_not_opened(void **state) {
    (void)state;
    static const char *const words[] = {"belt", "structure", "motion", "x",
                                        "y",    "impacts",   "0.1",    "model.contacts.0.friction"};
    alarm(patience);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        make_pipe(in_scratch(words[i]));
    am_error err = {0};
    am_run *run = run_belt("impacts", "results", &err);
    if (!run)
        fail_msg("%s", err.message);
    am_run_free(run);
    assert_null(run_belt("/dev/zero", "others", &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "s.yaml:11:");
    assert_says(&err, "unknown output '/dev/zero'");
    alarm(0);
}

static void pipes_among_the_parts_of_a_sweep_are_passed_over(void **state) {
    (void)state;
    alarm(patience);
    am_error err = {0};
    assert_int_equal(mkdir(in_scratch("results"), 0700), 0);
    assert_int_equal(mkdir(in_scratch("results/sweep-parts"), 0700), 0);
    make_pipe(in_scratch("results/sweep-parts/part-0-0-0123456789abcdef.nc"));
    make_endless(in_scratch("results/sweep-parts/part-0-1-0123456789abcdef.nc"));
    am_run *run = run_belt("impacts", "results", &err);
    if (!run)
        fail_msg("%s", err.message);
    am_run_free(run);
    assert_int_equal(mkdir(in_scratch("planned"), 0700), 0);
    assert_int_equal(mkdir(in_scratch("planned/sweep-parts"), 0700), 0);
    make_pipe(in_scratch("planned/sweep-parts/plan.json"));
    assert_null(run_belt("impacts", "planned", &err));
    assert_says(&err, "is a pipe");
    alarm(0);
}

/* ---- where files may lie ---- */

#define MARKET "%%%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n1\n"

static void write_matrix(const char *name) {
    char text[128];
    snprintf(text, sizeof text, MARKET);
    write_scratch(name, text);
}

static am_study *open_with(const char *named, const char *allowed, const char *setting, am_error *err) {
    char text[2048], path[1024], folder[1024];
    const char *const folders[] = {folder};
    snprintf(text, sizeof text, STRUCTURE, named);
    write_scratch("inside/s.yaml", text);
    snprintf(path, sizeof path, "%s", in_scratch("inside/s.yaml"));
    snprintf(folder, sizeof folder, "%s", in_scratch(allowed ? allowed : ""));
    const am_setting set = {"model.stiffness.file", setting};
    const am_study_options options = {
        .setting_count = setting ? 1 : 0, .settings = &set, .allowed_count = allowed ? 1 : 0, .allowed = folders};
    return am_study_open(path, &options, err);
}

static void is_read(const char *named, const char *allowed, const char *setting) {
    am_error err = {0};
    am_study *study = open_with(named, allowed, setting, &err);
    if (!study)
        fail_msg("%s: %s", named, err.message);
    am_study_free(study);
}

static void is_refused(const char *named, const char *allowed) {
    am_error err = {0};
    am_study *study = open_with(named, allowed, NULL, &err);
    if (study)
        fail_msg("%s was read", named);
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "s.yaml:1:"); /* where the study names it */
    assert_says(&err, "does not lie in the folder of the study");
    assert_says(&err, "--allow-read");
}

static void make_places(void) {
    static const char *const folders[] = {"inside", "inside/deep", "inside/deep/deeper", "outside", "inside2"};
    static const char *const files[] = {"inside/k.mtx", "inside/deep/k.mtx", "inside/deep/deeper/k.mtx",
                                        "outside/k.mtx", "inside2/k.mtx"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(in_scratch(folders[i]), 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_matrix(files[i]);
    assert_int_equal(symlink("../outside/k.mtx", in_scratch("inside/link.mtx")), 0);
    assert_int_equal(symlink("../outside", in_scratch("inside/away")), 0);
    assert_int_equal(symlink("deep", in_scratch("inside/within")), 0);
    assert_int_equal(symlink("none", in_scratch("inside/dangling")), 0);
}

static void files_are_read_from_the_folder_of_the_study_and_below(void **state) {
    (void)state;
    char whole[1024];
    make_places();
    is_read("k.mtx", NULL, NULL);
    is_read("./k.mtx", NULL, NULL);
    is_read("deep/../k.mtx", NULL, NULL);
    is_read("deep/deeper/k.mtx", NULL, NULL);
    is_read("../inside/k.mtx", NULL, NULL);
    is_read("within/k.mtx", NULL, NULL);
    snprintf(whole, sizeof whole, "%s", in_scratch("inside/deep/k.mtx"));
    is_read(whole, NULL, NULL);
    is_refused("../outside/k.mtx", NULL);
    is_refused("../inside2/k.mtx", NULL); /* a folder whose name begins alike */
    is_refused("link.mtx", NULL);
    is_refused("away/k.mtx", NULL);
    is_refused("deep/../../outside/k.mtx", NULL);
    is_refused("/etc/passwd", NULL);
    is_refused("/proc/self/environ", NULL);
    is_refused("/dev/zero", NULL);
    is_refused("../outside/none.mtx", NULL); /* nor does the answer tell which files there are */
    is_refused("none/../../outside/k.mtx", NULL);
    snprintf(whole, sizeof whole, "%s", in_scratch("outside/k.mtx"));
    is_refused(whole, NULL);
}

static void folders_that_are_allowed_are_read_too(void **state) {
    (void)state;
    char whole[1024];
    make_places();
    snprintf(whole, sizeof whole, "%s", in_scratch("outside/k.mtx"));
    is_read("../outside/k.mtx", "outside", NULL);
    is_read(whole, "outside", NULL);
    is_read("link.mtx", "outside", NULL);
    is_refused("../inside2/k.mtx", "outside");
    is_read("none.mtx", NULL, whole); /* what whoever runs it names himself may lie anywhere */
}

/* Names made of random pieces: what is read is what lies below, as the system's own resolution of names says. */
static void names_of_random_pieces_lead_out_or_not_as_the_system_says(void **state) {
    (void)state;
    static const char *const pieces[] = {"..", ".", "deep", "deeper", "away", "within", "inside", "outside", "inside2"};
    uint64_t seed = 7;
    char below[1024];
    int read = 0, refused = 0;
    make_places();
    char *inside = realpath(in_scratch("inside"), NULL);
    assert_non_null(inside);
    snprintf(below, sizeof below, "%s/", inside);
    for (int i = 0; i < 600; i++) {
        char name[256] = "", path[1024];
        for (size_t p = 0, count = (size_t)uniform(&seed, 0, 6); p < count; p++) {
            strcat(name, pieces[(size_t)uniform(&seed, 0, sizeof pieces / sizeof *pieces)]);
            strcat(name, "/");
        }
        strcat(name, "k.mtx");
        snprintf(path, sizeof path, "%.700s/%.250s", inside, name);
        char *real = realpath(path, NULL);
        am_error err = {0};
        am_study *study = open_with(name, NULL, NULL, &err);
        bool allowed = real && strncmp(real, below, strlen(below)) == 0;
        if (!study != !allowed)
            fail_msg("%s: %s", name, study ? "was read" : err.message);
        read += study != NULL;
        refused += real && !study;
        am_study_free(study);
        free(real);
    }
    free(inside);
    assert_true(read > 20 && refused > 20);
}

/* What a run writes under another name first is a file of its own, whatever lies there. */
static void links_and_pipes_in_the_way_of_a_sweep_are_replaced(void **state) {
    (void)state;
    alarm(patience);
    am_error err = {0};
    write_scratch("precious", "precious");
    assert_int_equal(mkdir(in_scratch("results"), 0700), 0);
    assert_int_equal(mkdir(in_scratch("results/sweep-parts"), 0700), 0);
    assert_int_equal(symlink("../../precious", in_scratch("results/sweep-parts/plan.json.part")), 0);
    am_run *run = run_belt("impacts", "results", &err);
    assert_non_null(run);
    am_run_free(run);
    am_text text = {0};
    GOOD(am_input_read(in_scratch("precious"), "a file", 100, &text, err));
    assert_string_equal(am_text_view(&text), "precious");
    am_text_free(&text);
    alarm(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_no_file_is_refused_wherever_a_file_is_named, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(a_study_that_is_no_file_is_refused, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(words_of_a_sweep_are_not_opened, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(links_and_pipes_in_the_way_of_a_sweep_are_replaced, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(pipes_among_the_parts_of_a_sweep_are_passed_over, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(files_are_read_from_the_folder_of_the_study_and_below, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(folders_that_are_allowed_are_read_too, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(names_of_random_pieces_lead_out_or_not_as_the_system_says, make_scratch,
                                        remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
