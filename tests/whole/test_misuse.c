/* Misuse of the interface: nothing, nonsense, foreign and freed objects, sizes of zero and beyond all measure give an
 * error or a harmless value, never a crash. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <fcntl.h>

#include "amontons/amontons.h"
#include "papers/atlas.h"
#include "papers/two_mode_boundary.h"
#include "papers/twofold.h"

typedef struct misuse {
    const char *name;
    void *claim, *matrix, *model, *motion, *result, *run, *study, *system, *table, *twofold, *verify; /* objects */
    void *data; /* anything else */
    char *text;
    size_t size;
    am_trace *trace;
    double number;
    am_error *err;
} misuse;

#define MISUSE(name, call)                                                                                             \
    static void misuse_##name(const misuse *m) {                                                                       \
        (void)m;                                                                                                       \
        (void)call;                                                                                                    \
    }
#include "misuse_calls.h"
#undef MISUSE

static const struct {
    const char *name;
    void (*call)(const misuse *m);
} functions[] = {
#define MISUSE(name, call) {#name, misuse_##name},
#include "misuse_calls.h"
#undef MISUSE
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static double nothing[8192]; /* zeros: an object of no kind, a definition that defines nothing */

static misuse with_objects(const char *name, void *object) {
    return (misuse){.name = name,
                    .claim = object,
                    .matrix = object,
                    .model = object,
                    .motion = object,
                    .result = object,
                    .run = object,
                    .study = object,
                    .system = object,
                    .table = object,
                    .trace = object,
                    .twofold = object,
                    .verify = object};
}

/* Call it in a process of its own; false: it did not come back within some seconds, or crashed. */
static bool survives(size_t which, const misuse *m) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* cmocka would catch them */
        for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
            signal(fatal[i], SIG_DFL);
        int out = open("/dev/null", O_WRONLY);
        dup2(out, 1);
        dup2(out, 2);
        alarm(10);
        functions[which].call(m);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!well)
        print_message("%s with %s: %s %d\n", functions[which].name, m->name, WIFEXITED(status) ? "status" : "signal",
                      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return well;
}

static void all_survive(const misuse *m) {
    size_t crashes = 0;
    for (size_t i = 0; i < FUNCTIONS; i++)
        crashes += !survives(i, m);
    print_message("%s: %zu of %d functions crash\n", m->name, crashes, FUNCTIONS);
    assert_int_equal(crashes, 0);
}

static void nothing_at_all(void **state) {
    (void)state;
    am_error err = {0};
    misuse m = with_objects("nothing", NULL);
    all_survive(&m);
    m.name = "nothing, but an error and sizes beyond all measure";
    m.err = &err;
    m.size = SIZE_MAX;
    m.number = -1.0;
    all_survive(&m);
}

static void foreign_objects(void **state) {
    (void)state;
    am_error err = {0};
    am_result *result = am_result_create(&err);
    misuse m = with_objects("an object of no kind", nothing);
    m.data = nothing;
    m.text = "";
    m.err = &err;
    all_survive(&m);
    m = with_objects("an object of another kind", result);
    m.result = m.table = nothing;
    m.data = nothing;
    m.text = "";
    m.err = &err;
    all_survive(&m);
    am_result_free(result);
}

/* ---- Objects that were alive ---- */

static const char study_text[] =
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.99]}\n"
    "analysis: {kind: motion, until: 1}\n";

static am_system *make_klarbring(void *context, const double *values, am_error *err) {
    (void)context;
    return am_klarbring_create(&(am_klarbring){.mass = 1, .stiffness = {{1, 0}, {0, 1}}, .friction = values[0]}, err);
}

/* One living object of each kind that can be had without files. */
static misuse living_objects(am_error *err) {
    misuse m = with_objects("living objects and sizes beyond all measure", NULL);
    am_study *study = am_study_parse("study.yaml", study_text, 0, NULL, false, err);
    assert_non_null(study);
    am_run *run = am_study_run(study, NULL, err);
    assert_non_null(run);
    am_result *result = am_result_create(err);
    assert_non_null(result);
    am_table *table = am_result_add_table(result, "table", err);
    assert_int_equal(am_table_add_column(table, "column", "", AM_COLUMN_NUMBER, err), AM_OK);
    assert_int_equal(am_table_add_row(table, err), AM_OK);
    am_system *system =
        am_klarbring_create(&(am_klarbring){.mass = 1, .stiffness = {{1, 0}, {0, 1}}, .friction = 0.25}, err);
    assert_non_null(system);
    const char *const name = "friction";
    const am_model_def def = {.count = 1, .names = &name, .make = make_klarbring};
    m.model = am_model_create(&def, err);
    assert_non_null(am_model_system(m.model, err));
    m.study = study;
    m.run = run;
    m.result = result;
    m.table = table;
    m.system = system;
    m.motion = am_motion_create(system, false, err);
    m.matrix = am_matrix_dense(1, 1, (const double[]){1.0}, err);
    assert_non_null(m.motion);
    assert_non_null(m.matrix);
    m.err = err;
    return m;
}

static void free_objects(misuse *m) {
    am_motion_free(m->motion);
    am_model_free(m->model);
    am_matrix_free(m->matrix);
    am_system_free(m->system);
    am_result_free(m->result);
    am_run_free(m->run);
    am_study_free(m->study);
}

/* Sizes and places that no object has, asked of living ones; nothing where an array or a definition belongs. */
static void living_objects_with_sizes_beyond_all_measure(void **state) {
    (void)state;
    am_error err = {0};
    misuse m = living_objects(&err);
    m.size = SIZE_MAX;
    m.number = -1.0;
    all_survive(&m);
    m.name = "living objects and sizes just beyond";
    m.size = 3;
    m.number = NAN;
    all_survive(&m);
    static char room[64];
    m.name = "living objects and definitions of zeros";
    m.data = nothing;
    m.text = room;
    m.size = 1;
    all_survive(&m);
    free_objects(&m);
}

/* Freed for good, then given to every function: an error or a harmless value. The address sanitizer ends the program
 * instead, and says where. */
static void freed_objects(void **state) {
    (void)state;
    am_error err = {0};
    misuse m = living_objects(&err);
    free_objects(&m);
    m.name = "freed objects";
#if defined(__SANITIZE_ADDRESS__)
    size_t reported = 0;
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, "am_matrix_rows") == 0 || strcmp(functions[i].name, "am_motion_free") == 0)
            reported += !survives(i, &m);
    assert_int_equal(reported, 2);
#else
    all_survive(&m);
    assert_int_equal(am_system_size(m.system), 0);
    assert_int_equal(am_matrix_rows(m.matrix), 0);
    assert_int_equal(am_model_count(m.model), 0);
    am_system_free(m.system); /* does nothing */
    am_motion_free(m.motion);
#endif
}

static void a_misuse_is_said(void **state) {
    (void)state;
    am_error err = {0};
    am_result *result = am_result_create(&err);
    am_motion_options options = am_motion_options_default();
    assert_int_equal(am_motion_run((const am_system *)(const void *)result, &options, result, NULL, &err),
                     AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "am_motion_run was given"));
    assert_null(am_motion_create(NULL, false, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_null(am_matrix_dense(SIZE_MAX, SIZE_MAX, NULL, &err));
    assert_null(am_matrix_dense(SIZE_MAX / 8, 1, NULL, &err));
    am_result_free(result);
}

static bool is_listed(const char *name) {
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0)
            return true;
    return strcmp(name, "am_fail") == 0 || strcmp(name, "am_fail_field") == 0; /* printf's own rules */
}

/* The names that a header declares: am_...( outside of comments and definitions of macros, not a pointer to a function.
 */
static size_t check_header(const char *path) {
    FILE *file = fopen(path, "r");
    char line[4096];
    size_t missing = 0;
    bool comment = false;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        bool begins = strncmp(line, "/*", 2) == 0;
        comment = comment || begins;
        bool skip = comment || line[0] == ' ' || line[0] == '#' || strncmp(line, "typedef", 7) == 0;
        if (strstr(line, "*/"))
            comment = false;
        char *name = skip ? NULL : strstr(line, "am_"), *end;
        for (; name && (end = strpbrk(name, " (*,;\n")) && *end != '('; name = strstr(end, "am_"))
            ;
        if (!name || !end || *end != '(')
            continue;
        *end = '\0';
        if (!is_listed(name)) {
            print_message("%s is not tried\n", name);
            missing++;
        }
    }
    fclose(file);
    return missing;
}

static void every_public_function_is_tried(void **state) {
    (void)state;
    const char *folder = AMONTONS_SOURCE_DIR "/include/amontons";
    DIR *headers = opendir(folder);
    size_t missing = 0, count = 0;
    assert_non_null(headers);
    for (struct dirent *entry; (entry = readdir(headers));) {
        char path[1024];
        if (!strstr(entry->d_name, ".h"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        missing += check_header(path);
        count++;
    }
    closedir(headers);
    assert_true(count > 15);
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_function_is_tried),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(foreign_objects),
        cmocka_unit_test(living_objects_with_sizes_beyond_all_measure),
        cmocka_unit_test(freed_objects),
        cmocka_unit_test(a_misuse_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
