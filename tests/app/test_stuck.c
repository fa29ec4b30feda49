/* Never stuck: studies with extreme numbers end by themselves with a sentence, or when they are told to. */
/* ctest: long */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <fcntl.h>

#include "cases.h"
#include "scratch.h"

/* Seconds between the request to end and the end. Loops ask every millisecond or so; on a machine that is busy with
 * other tests a process may wait for its turn for a good part of a second. */
static const double patience = 2.0;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned long long seed = 20261;

/* A number below `count`. */
static size_t draw(size_t count) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (size_t)(seed >> 33) % count;
}

static pid_t start(const char *study, size_t count, char (*settings)[128]) {
    char *arguments[16] = {"amontons", "run", (char *)(size_t)study, "--json", "--threads", "1"};
    size_t used = 6;
    for (size_t i = 0; i < count; i++) {
        arguments[used++] = "--set";
        arguments[used++] = settings[i];
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int out = open("/dev/null", O_WRONLY), err = open(in_scratch("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
            _exit(99);
        execv(AMONTONS_COMMAND, arguments);
        _exit(99);
    }
    return child;
}

/* The status, or -1 when it has not ended after so many seconds. */
static int wait_for(pid_t child, double seconds) {
    int status;
    for (double begin = now(); now() - begin < seconds;) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return -1;
}

static void read_complaint(char *text, size_t size) {
    FILE *file = fopen(in_scratch("stderr"), "r");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
}

static void give_up(pid_t child, const char *study, size_t count, char (*settings)[128], const char *what) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (size_t i = 0; i < count; i++)
        print_message("  --set %s\n", settings[i]);
    fail_msg("%s: %s", study, what);
}

/* ---- told to end ---- */

static const struct {
    const char *study;
    const char *fields[8];
} workloads[] = {
    {"bench/workloads/motion.yaml", {"analysis.until", "model.friction", "model.mass", "analysis.max_spans"}},
    {"bench/workloads/orbit.yaml", {"model.Omega", "model.beta"}},
    {"bench/workloads/march.yaml", {"analysis.until", "analysis.tolerance", "model.K_c", "model.h"}},
    {"bench/workloads/attractors.yaml", {"analysis.until", "model.friction", "analysis.starts.v1.count"}},
    {"bench/workloads/cells.yaml", {"model.Omega", "model.beta", "analysis.box.v.count"}},
    {"bench/workloads/response.yaml", {"analysis.from", "analysis.to", "analysis.harmonics", "model.zeta"}},
    {"bench/workloads/path.yaml", {"analysis.until", "model.mu"}},
    {"bench/workloads/cycles.yaml", {"model.mu", "model.B.1.1"}},
    {"bench/workloads/slip.yaml", {"analysis.nodes", "model.f", "model.P"}},
    {"bench/workloads/squeal.yaml", {"analysis.modes", "analysis.friction.count", "model.radial", "model.around"}},
    {"bench/workloads/states.yaml", {"model.mu", "model.A.4.3"}},
    {"bench/workloads/atlas.yaml", {"analysis.from", "analysis.to", "model.count", "model.coupling"}},
    {"bench/workloads/threshold.yaml", {"model.K_c", "model.xi_c", "model.h"}},
    {"bench/workloads/shakedown.yaml", {"model.mu", "model.B.1.1"}},
    {"bench/workloads/sweep.yaml", {"analysis.until", "model.friction"}},
    {"bench/workloads/blocks.yaml", {"model.slider.length", "model.base.length", "model.base.height"}},
    {"gallery/oscillator/fig7_3h.yaml", {"model.Omega", "model.beta"}},
    {"gallery/griffin/fig8_10.yaml", {"model.zeta", "model.k_ratio"}},
    {"gallery/partialslip/stress.yaml", {"analysis.stress.width", "analysis.stress.count"}},
    {"gallery/response/isola_folds.yaml", {"analysis.harmonics", "analysis.from"}},
};

static const char *const extremes[] = {"1e300", "1e-300", "1e308", "1e-8", "1e8",     "1e15", "1e-15",
                                       "0",     "-1",     "1e4",   "100",  "1000000", "1e-4", "2147483648"};

/* Extreme values for some of its fields; those that are refused at once have ended too. */
static size_t set_extremes(size_t which, char (*settings)[128]) {
    size_t known = 0, count = 1 + draw(2);
    while (known < 8 && workloads[which].fields[known])
        known++;
    for (size_t i = 0; i < count; i++)
        snprintf(settings[i], sizeof settings[i], "%s=%s", workloads[which].fields[draw(known)],
                 extremes[draw(sizeof extremes / sizeof *extremes)]);
    return count;
}

static const char endless[] = "model: {kind: structure, mass: [1], stiffness: [[1]]}\n"
                              "analysis: {kind: motion, until: 1e12, max_spans: 1000000000000000, samples: 2,\n"
                              "  initial: {displacement: [1]}}\n";

static void the_first_request_ends_any_study(void **state) {
    (void)state;
    const size_t kinds = sizeof workloads / sizeof *workloads, cases = CASES(40, 12);
    size_t told = 0;
    double longest = 0.0;
    for (size_t i = 0; i < cases; i++) {
        char study[512], settings[4][128], complaint[512];
        size_t which = i % kinds, count = set_extremes(which, settings);
        snprintf(study, sizeof study, "%s/%s", AMONTONS_SOURCE_DIR, workloads[which].study);
        if (i % 10 == 0) { /* one that is running still on any machine */
            write_scratch("endless.yaml", endless);
            snprintf(study, sizeof study, "%s", in_scratch("endless.yaml"));
            count = 0;
        }
        pid_t child = start(study, count, settings);
        int status = wait_for(child, 0.02 + 0.005 * (double)draw(10)); /* starting takes 0.01 */
        if (status < 0) {
            double begin = now();
            kill(child, draw(2) ? SIGTERM : SIGINT);
            status = wait_for(child, patience);
            longest = fmax(longest, now() - begin);
            told++;
            if (status < 0)
                give_up(child, study, count, settings, "told to end, it goes on");
        }
        read_complaint(complaint, sizeof complaint);
        bool early = status == 1000 + SIGTERM || status == 1000 + SIGINT; /* before the program had begun */
        if (!early && !(status >= 0 && status <= 3) && status != 130)
            give_up(child, study, count, settings, "an unknown status");
        /* A word that the program had to be ended from outside its loops would be an answer too late. */
        if (strstr(complaint, "cannot be stopped"))
            give_up(child, study, count, settings, complaint);
    }
    print_message("%zu of %zu runs were told to end; the longest took %.3f s\n", told, cases, longest);
    assert_true(told >= cases / 10);
}

/* ---- by themselves ---- */

/* Ends with this status and a sentence that holds this word; in seconds that leave room for a busy machine. */
static void ends(const char *text, int wanted, const char *word) {
    char complaint[2048];
    write_scratch("study.yaml", text);
    pid_t child = start(in_scratch("study.yaml"), 0, NULL);
    int status = wait_for(child, 60.0);
    if (status < 0)
        give_up(child, text, 0, NULL, "it does not end");
    read_complaint(complaint, sizeof complaint);
    if (status != wanted || !strstr(complaint, word))
        fail_msg("%s\nstatus %d, '%s'; expected %d and '%s'", text, status, complaint, wanted, word);
}

#define BELT                                                                                                           \
    "model: {kind: structure, mass: [[1, 0], [0, 1]], stiffness: [[%s, 0], [0, 4]], contacts: [{normal: [0, 1], "      \
    "tangent: [1, 0], surface_velocity: 0.2, friction: 0.3, static_friction: 0.5}], loads: [{direction: [0, -1], "     \
    "constant: 1}]}\n"

static void a_motion_without_end_says_so(void **state) {
    (void)state;
    static const char *const untils[] = {"1e300", "1e12", "1e100"};
    for (size_t i = 0; i < sizeof untils / sizeof *untils; i++) {
        char text[1024];
        snprintf(text, sizeof text, BELT "analysis: {kind: motion, until: %s}\n", "1", untils[i]);
        ends(text, 3, "max_spans");
    }
}

static void loads_without_end_say_so(void **state) {
    (void)state;
    ends("model: {kind: oscillator, beta: 0.51, Omega: 1e-8}\nanalysis: {kind: orbit}\n", 3, "less slow loads");
    ends("model: {kind: oscillator, beta: 0.51, Omega: 1e-300}\nanalysis: {kind: orbit}\n", 3, "no periodic motion");
}

static void a_stiffness_without_measure_ends(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, BELT "analysis: {kind: motion, until: 1}\n", "1e308");
    ends(text, 3, "");
    snprintf(text, sizeof text, BELT "analysis: {kind: orbit}\n", "1e308");
    ends(text, 3, "");
}

/* A ramp is a polynomial: a span of it may be as long as one likes, and its switch is at 3 whatever the end is. */
static void a_far_end_does_not_move_a_switch(void **state) {
    (void)state;
    ends("model: {kind: structure, mass: [[1, 0], [0, 1]], damping: [[2, 0], [0, 2]], stiffness: [[1, 0], [0, 4]],\n"
         "  contacts: [{normal: [0, 1], tangent: [1, 0], friction: 0.3}],\n"
         "  loads: [{direction: [0, -1], constant: 1}, {direction: [1, 0], ramp: 0.1}]}\n"
         "analysis: {kind: motion, until: 1e300}\n"
         "expect: {events: 1, 'events[0].t': {value: 3, tolerance: 1e-12}}\n",
         0, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_without_end_says_so),     cmocka_unit_test(loads_without_end_say_so),
        cmocka_unit_test(a_stiffness_without_measure_ends), cmocka_unit_test(a_far_end_does_not_move_a_switch),
        cmocka_unit_test(the_first_request_ends_any_study),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
