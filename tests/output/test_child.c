/* Work in a process of its own: what it makes comes back, how it ends is said, and it touches nothing else. */
/* ctest: long */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "errors.h"
#include "output/child.h"
#include "scratch.h"

static int touched;

/* So many bytes as `context` says, each of its own value. */
static am_status make_bytes(void *context, am_text *made, am_error *err) {
    const size_t *count = context;
    touched++;
    for (size_t i = 0; i < *count; i++)
        am_text_add_bytes(made, &(char){(char)(i * 7 + i / 256)}, 1);
    return am_text_status(made, err);
}

static void bytes_come_back_however_many_they_are(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 4096, 65535, 65536, 65537, 3000000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        am_text made = {0};
        size_t count = counts[i];
        GOOD(am_child_run(make_bytes, &count, "it could not be made", &made, err));
        assert_int_equal(made.length, count);
        for (size_t k = 0; k < count; k++)
            if (made.data[k] != (char)(k * 7 + k / 256))
                fail_msg("byte %zu of %zu is another one", k, count);
        am_text_free(&made);
    }
    assert_int_equal(touched, 0); /* it happened elsewhere */
}

static am_status fail_with_words(void *context, am_text *made, am_error *err) {
    am_text_add(made, "half of it");
    return am_fail_field(err, AM_ERR_EVIDENCE, "model.mass", "the reason is %s", (const char *)context);
}

static void a_failure_comes_back_with_its_words(void **state) {
    (void)state;
    am_text made = {0};
    am_error err = {0};
    assert_int_equal(am_child_run(fail_with_words, (void *)"known", "it", &made, &err), AM_ERR_EVIDENCE);
    assert_string_equal(err.message, "the reason is known");
    assert_string_equal(err.field, "model.mass");
    assert_null(made.data);
    assert_int_equal(am_child_run(fail_with_words, (void *)"known", "it", &made, NULL), AM_ERR_EVIDENCE);
}

static am_status end_by_signal(void *context, am_text *made, am_error *err) {
    (void)made, (void)err;
    const int *number = context;
    signal(*number, SIG_DFL); /* the sanitizers catch some */
    raise(*number);
    return AM_OK;
}

static void a_crash_is_an_error_that_names_the_signal(void **state) {
    (void)state;
    static const int signals[] = {SIGSEGV, SIGABRT, SIGKILL, SIGFPE, SIGBUS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        am_text made = {0};
        am_error err = {0};
        char words[32];
        int number = signals[i];
        assert_int_equal(am_child_run(end_by_signal, &number, "it could not be made", &made, &err), AM_ERR_FILE);
        snprintf(words, sizeof words, "by signal %d", number);
        assert_says(&err, "it could not be made");
        assert_says(&err, words);
        assert_null(made.data);
    }
}

static am_status leave(void *context, am_text *made, am_error *err) {
    (void)context, (void)made, (void)err;
    _exit(0);
}

static void an_early_exit_is_an_error(void **state) {
    (void)state;
    am_text made = {0};
    am_error err = {0};
    assert_int_equal(am_child_run(leave, NULL, "it could not be made", &made, &err), AM_ERR_FILE);
    assert_says(&err, "gave up");
}

/* Waits for ever where it is made in a process of its own, as for a lock that nobody will open. */
static am_status stand_still(void *context, am_text *made, am_error *err) {
    const pid_t *first = context;
    while (getpid() != *first)
        pause();
    am_text_add(made, "done here");
    return am_text_status(made, err);
}

static void work_that_stands_still_is_done_in_this_process(void **state) {
    (void)state;
    pid_t self = getpid();
    am_text made = {0};
    GOOD(am_child_run(stand_still, &self, "it", &made, err));
    assert_string_equal(am_text_view(&made), "done here");
    am_text_free(&made);
}

/* One letter for each thing that was possible. */
static am_status try_everything(void *context, am_text *made, am_error *err) {
    const int *open_already = context;
    int ends[2];
    if (open(in_scratch("new"), O_CREAT | O_WRONLY, 0600) >= 0)
        am_text_add(made, "c");
    if (open("/etc/passwd", O_RDONLY) >= 0)
        am_text_add(made, "r");
    signal(SIGXFSZ, SIG_IGN);
    if (write(*open_already, "x", 1) == 1)
        am_text_add(made, "w");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
        am_text_add(made, "s");
    return am_text_status(made, err);
}

static void it_opens_and_writes_no_files(void **state) {
    (void)state;
    int file = open(in_scratch("there"), O_CREAT | O_RDWR, 0600);
    am_text made = {0};
    assert_true(file >= 0);
    GOOD(am_child_run(try_everything, &file, "it", &made, err));
    assert_string_equal(am_text_view(&made), "");
    assert_int_equal(lseek(file, 0, SEEK_END), 0);
    close(file);
    am_text_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back_however_many_they_are),
        cmocka_unit_test(a_failure_comes_back_with_its_words),
        cmocka_unit_test(a_crash_is_an_error_that_names_the_signal),
        cmocka_unit_test(an_early_exit_is_an_error),
        cmocka_unit_test(work_that_stands_still_is_done_in_this_process),
        cmocka_unit_test_setup_teardown(it_opens_and_writes_no_files, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
