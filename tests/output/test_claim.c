/* A folder of results belongs to one run at a time, and to nobody once that has ended, however it did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "amontons/output.h"
#include "scratch.h"

/* Another process that claims the folder and holds it until it is killed. */
static pid_t start_holder(const char *folder) {
    int ends[2];
    char byte = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        byte = am_output_claim(folder, NULL) ? 'y' : 'n';
        if (write(ends[1], &byte, 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void end_holder(pid_t child) {
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static bool exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

static void assert_held_by(const char *message, pid_t process) {
    char who[64], host[256] = "";
    snprintf(who, sizeof who, "in use by process %ld on ", (long)process);
    gethostname(host, sizeof host - 1);
    if (!strstr(message, who) || !strstr(message, host) || !strstr(message, " since 2") || !strstr(message, " UTC"))
        fail_msg("it does not say who has the folder: %s", message);
}

static void a_second_process_is_told_who_has_the_folder(void **state) {
    (void)state;
    const char *folder = in_scratch("results");
    am_result *result = am_result_create(NULL);
    am_report report = {.study = "a.yaml", .title = "", .source = "", .analysis = "motion", .result = result};
    pid_t holder = start_holder(folder);
    am_error err = {0};
    assert_null(am_output_claim(folder, &err));
    assert_held_by(err.message, holder);
    err = (am_error){0};
    assert_int_equal(am_output_folder(&report, folder, NULL, &err), AM_ERR_FILE);
    assert_held_by(err.message, holder);
    err = (am_error){0};
    assert_int_equal(am_output_folder_check(folder, &err), AM_ERR_FILE);
    assert_held_by(err.message, holder);
    end_holder(holder);
    assert_true(exists(in_scratch("results/.amontons-lock"))); /* it could not remove it any more */
    assert_int_equal(am_output_folder(&report, folder, NULL, &err), AM_OK);
    assert_false(exists(in_scratch("results/.amontons-lock")));
    am_result_free(result);
}

static void a_claim_ends_with_its_release(void **state) {
    (void)state;
    const char *folder = in_scratch("deep/results");
    am_claim *claim = am_output_claim(folder, NULL);
    assert_non_null(claim);
    assert_null(am_output_claim(folder, NULL)); /* nor does another part of this process get it */
    assert_int_equal(am_output_folder_check_claimed(claim, NULL), AM_OK);
    am_output_release(claim);
    assert_false(exists(in_scratch("deep/results/.amontons-lock")));
    claim = am_output_claim(folder, NULL);
    assert_non_null(claim);
    am_output_release(claim);
    am_output_release(NULL);
}

/* Many processes at once: never two at a time, and each of them gets it in the end. */
static void never_two_at_a_time(void **state) {
    (void)state;
    enum { PROCESSES = 6, TURNS = 20 };
    char folder[1024], inside[1024];
    snprintf(folder, sizeof folder, "%s", in_scratch("results"));
    snprintf(inside, sizeof inside, "%s", in_scratch("inside"));
    for (int p = 0; p < PROCESSES; p++) {
        if (fork() != 0)
            continue;
        for (int turn = 0; turn < TURNS;) {
            am_claim *claim = am_output_claim(folder, NULL);
            if (!claim)
                continue;
            bool alone = mkdir(inside, 0777) == 0; /* fails when somebody else is inside */
            if (!alone || rmdir(inside) != 0)
                _exit(1);
            am_output_release(claim);
            turn++;
        }
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int outcome;
        assert_true(wait(&outcome) > 0);
        assert_true(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0);
    }
    assert_false(exists(in_scratch("results/.amontons-lock")));
}

/* The lock's name may be anything that somebody put there: nothing is followed or waited for. */
static void what_lies_at_its_name_is_not_followed(void **state) {
    (void)state;
    assert_int_equal(mkdir(in_scratch("results"), 0777), 0);
    write_scratch("elsewhere", "untouched\n");
    assert_int_equal(symlink("../elsewhere", in_scratch("results/.amontons-lock")), 0);
    am_error err = {0};
    assert_null(am_output_claim(in_scratch("results"), &err));
    assert_non_null(strstr(err.message, "results cannot be written into"));
    struct stat info;
    assert_int_equal(stat(in_scratch("elsewhere"), &info), 0);
    assert_int_equal(info.st_size, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_second_process_is_told_who_has_the_folder, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(a_claim_ends_with_its_release, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(never_two_at_a_time, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(what_lies_at_its_name_is_not_followed, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
