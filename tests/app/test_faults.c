/* The command with calls of the system that fail beneath it (tests/tools/faults.c): it never crashes, never ends with
 * status 0 and something missing, and older results are whole or new ones are. Killed before any change of files, too.
 */
/* ctest: long */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "amontons/study.h"
#include "scratch.h"

#ifdef AMONTONS_FAULTS

static const char motion[] =
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.99]}\n"
    "analysis: {kind: motion, until: 5, samples: 20}\n";
static const char figure[] =
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.99]}\n"
    "analysis: {kind: motion, until: 5, samples: 20}\nfigure: {x: t, y: u1}\n";
static const char sweep[] =
    "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1, -0.99]}\n"
    "analysis: {kind: motion, until: 30}\n"
    "sweep: {axes: {model.friction: [0.1, 0.2, 0.3]}, outputs: [state_changes, first_lift_off]}\n";

/* ---- The command ---- */

static void become_command(const char *const *arguments, const char *fault) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    setenv("LD_PRELOAD", AMONTONS_FAULTS, 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("AMONTONS_FAULT", fault, 1);
    setenv("AMONTONS_FAULT_COUNTS", in_scratch("counts"), 1);
    alarm(60); /* a run that hangs is ended by a signal, and found */
    execv(AMONTONS_COMMAND, (char *const *)arguments);
    _exit(99);
}

/* How it ended: its exit status, or minus the signal. */
static int run(const char *study, const char *setting, const char *folder, const char *fault) {
    const char *const arguments[] = {"amontons", "run",   study,  "--set",   setting, "--threads",
                                     "1",        "--out", folder, "--force", NULL};
    int outcome = 0;
    pid_t child = fork();
    if (child == 0)
        become_command(arguments, fault);
    assert_int_equal(waitpid(child, &outcome, 0), child);
    return WIFSIGNALED(outcome) ? -WTERMSIG(outcome) : WEXITSTATUS(outcome);
}

static unsigned long count_of(const char *class) {
    FILE *file = fopen(in_scratch("counts"), "r");
    char name[32];
    unsigned long count, found = 0;
    assert_non_null(file);
    while (fscanf(file, "%31s %lu", name, &count) == 2)
        if (strcmp(name, class) == 0)
            found = count;
    fclose(file);
    return found;
}

/* ---- The folder ---- */

static void ignore(void *context, const char *name, const char *words, bool fault) {
    (void)context, (void)name, (void)words, (void)fault;
}

static bool is_whole(const char *folder) {
    bool whole = false;
    return am_study_verify(folder, ignore, NULL, &whole, NULL) == AM_OK && whole;
}

static bool same_file(const char *one, const char *two) {
    char a[65536], b[65536];
    FILE *first = fopen(one, "rb"), *second = fopen(two, "rb");
    size_t count = first ? fread(a, 1, sizeof a, first) : 0;
    bool same = first && second && fread(b, 1, sizeof b, second) == count && memcmp(a, b, count) == 0;
    if (first)
        fclose(first);
    if (second)
        fclose(second);
    return same;
}

/* Every table of the wanted results, with every digit. */
static bool has_tables_of(const char *folder, const char *wanted) {
    DIR *directory = opendir(wanted);
    assert_non_null(directory);
    bool same = true;
    for (const struct dirent *e; same && (e = readdir(directory));) {
        char one[1500], two[1500];
        size_t length = strlen(e->d_name);
        if (length < 4 || strcmp(e->d_name + length - 4, ".csv") != 0)
            continue;
        snprintf(one, sizeof one, "%s/%s", folder, e->d_name);
        snprintf(two, sizeof two, "%s/%s", wanted, e->d_name);
        same = same_file(one, two);
    }
    closedir(directory);
    return same;
}

static bool has_hidden(const char *folder) {
    DIR *directory = opendir(folder);
    bool found = false;
    assert_non_null(directory);
    for (const struct dirent *e; (e = readdir(directory));)
        found = found || strncmp(e->d_name, ".amontons", 9) == 0;
    closedir(directory);
    return found;
}

/* ---- One fault after the other ---- */

typedef struct trial {
    char place[900], study[1024], folder[1024], older[1024], newer[1024];
    const char *first, *second; /* the setting of the older results, and of the new ones */
} trial;

static void begin_trial(trial *t, const char *text, const char *first, const char *second) {
    char quick[] = "/dev/shm/test_faults-XXXXXX"; /* in memory, where there is such a place */
    snprintf(t->place, sizeof t->place, "%s", mkdtemp(quick) ? quick : in_scratch(""));
    write_scratch("study.yaml", text);
    snprintf(t->study, sizeof t->study, "%s", in_scratch("study.yaml"));
    snprintf(t->folder, sizeof t->folder, "%s/results", t->place);
    snprintf(t->older, sizeof t->older, "%s/older", t->place);
    snprintf(t->newer, sizeof t->newer, "%s/newer", t->place);
    t->first = first;
    t->second = second;
    assert_int_equal(run(t->study, first, t->older, ""), 0);
    assert_int_equal(run(t->study, first, t->folder, ""), 0);
    assert_int_equal(run(t->study, second, t->newer, ""), 0);
    assert_false(has_tables_of(t->older, t->newer));
}

static void check_fault(const trial *t, const char *fault) {
    bool killed = strncmp(fault, "kill:", 5) == 0;
    int outcome = run(t->study, t->second, t->folder, fault);
    bool older = has_tables_of(t->folder, t->older), newer = has_tables_of(t->folder, t->newer);
    if (!killed && outcome < 0)
        fail_msg("%s: signal %d", fault, -outcome);
    if (!killed && outcome != 0 && outcome != 2 && outcome != 3)
        fail_msg("%s: status %d, which means nothing", fault, outcome);
    if (!is_whole(t->folder) || (!older && !newer))
        fail_msg("%s: status %d, and neither older nor new results are whole", fault, outcome);
    if (outcome == 0 && !newer)
        fail_msg("%s: status 0, and the results are not there", fault);
    if (!newer && !has_hidden(t->folder))
        return;
    if (run(t->study, t->first, t->folder, "") != 0 || has_hidden(t->folder) || !has_tables_of(t->folder, t->older) ||
        !is_whole(t->folder))
        fail_msg("%s: the next run does not put the folder in order", fault);
}

/* So many calls of a class as may be tried, spread over all of them; AMONTONS_FAULTS_MOST=N in the environment: N. */
static void check_class(const trial *t, const char *class, const char *after, unsigned long most) {
    if (getenv("AMONTONS_FAULTS_MOST"))
        most = strtoul(getenv("AMONTONS_FAULTS_MOST"), NULL, 10);
    assert_int_equal(run(t->study, t->second, t->newer, ""), 0);
    unsigned long count = count_of(class), step = count / most + 1;
    assert_true(count > 0);
    unsigned long tried = 0;
    for (unsigned long k = 1; k <= count; k += step, tried++) {
        char fault[64];
        snprintf(fault, sizeof fault, "%s:%lu%s", class, k, after);
        check_fault(t, fault);
    }
    print_message("%s%s: %lu of %lu calls failed in turn\n", class, after, tried, count);
}

static void check_study(const char *text, const char *first, const char *second, unsigned long most) {
    static const char *const classes[] = {"open", "write", "rename", "link", "fsync"};
    trial t;
    begin_trial(&t, text, first, second);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        check_class(&t, classes[i], "", most);
        check_class(&t, classes[i], "+", most / 2);
    }
    check_class(&t, "malloc", "", most);
    check_class(&t, "netcdf", "", most);
    check_class(&t, "kill", "", 2 * most);
    remove_tree(t.place);
}

static void a_motion(void **state) {
    (void)state;
    check_study(motion, "model.friction=0.4", "model.friction=0.25", 5);
}

/* Gnuplot itself is left alone; results without the figure, and status 3, are new results too. */
static void a_figure(void **state) {
    (void)state;
    check_study(figure, "model.friction=0.4", "model.friction=0.25", 2);
}

static void a_sweep(void **state) {
    (void)state;
    check_study(sweep, "model.load_rate.1=-0.5", "model.load_rate.1=-0.99", 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_motion, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_figure, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_sweep, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else /* under the sanitizers, which replace the same functions */
int main(void) {
    return 0;
}
#endif
