/* Connections that are slow on purpose, and jobs that nobody follows: they end by themselves, and nobody waits for them. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "lab/lab.h"

/* Seconds that a request may take to come, in this test; and how much later the end may be noticed where the machine is
 * busy with other tests. */
static const double patience = 0.4, busy = 8.0;

static pid_t server;
static char address[128], base[64];
static int port;

static void tell(void *context, const char *words, const char *door) {
    int *output = context;
    (void)door;
    if (write(*output, words, strlen(words)) < 0)
        _exit(3);
    close(*output);
}

static int start(void **state) {
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    server = fork();
    if (server == 0) {
        am_error err = {0};
        const am_lab_options options = {.patience = patience, .ready = tell, .context = &ends[1]};
        close(ends[0]);
        _exit(am_lab_serve(&options, NULL, &err) == AM_OK ? 0 : 1);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], address, sizeof address - 1);
    close(ends[0]);
    assert_true(length > 0);
    assert_int_equal(sscanf(address, "http://127.0.0.1:%d%63s", &port, base), 2);
    return 0;
}

static int stop(void **state) {
    (void)state;
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    return 0;
}

static int reach(void) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(s, (struct sockaddr *)&place, sizeof place), 0);
    return s;
}

static void say(int s, const char *words) {
    assert_int_equal(send(s, words, strlen(words), MSG_NOSIGNAL), (ssize_t)strlen(words));
}

/* Something is there to be read, or the end. */
static bool has_come(int s, double seconds) {
    struct pollfd waiting = {s, POLLIN, 0};
    return poll(&waiting, 1, (int)(1e3 * seconds)) > 0;
}

/* Seconds until the other end closes; it may say something before. */
static double seconds_to_end(int s) {
    char block[4096];
    double begun = am_clock_seconds();
    while (has_come(s, patience + busy) && recv(s, block, sizeof block, 0) > 0)
        ;
    return am_clock_seconds() - begun;
}

static void assert_it_answers(void) {
    char request[256], answer[64] = "";
    int s = reach();
    snprintf(request, sizeof request, "GET %sstatus HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", base, port);
    say(s, request);
    assert_true(has_come(s, busy));
    assert_true(recv(s, answer, sizeof answer - 1, 0) > 0);
    assert_non_null(strstr(answer, " 200 "));
    close(s);
}

static void who_says_nothing_is_not_waited_for(void **state) {
    (void)state;
    int s = reach();
    assert_true(seconds_to_end(s) < patience + busy);
    close(s);
    assert_it_answers();
}

static void who_sends_byte_by_byte_is_not_waited_for(void **state) {
    (void)state;
    int s = reach();
    double begun = am_clock_seconds();
    say(s, "GET / HTTP/1.1\r\nX: ");
    while (am_clock_seconds() - begun < patience + busy && send(s, "x", 1, MSG_NOSIGNAL) == 1)
        poll(NULL, 0, 20);
    assert_true(am_clock_seconds() - begun < patience + busy);
    close(s);
    assert_it_answers();
}

static void a_body_that_does_not_come_is_not_waited_for(void **state) {
    char request[256];
    (void)state;
    int s = reach();
    snprintf(request, sizeof request,
             "POST %scheck HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1000\r\n\r\nmodel", base, port);
    say(s, request);
    assert_true(seconds_to_end(s) < patience + busy);
    close(s);
    assert_it_answers();
}

/* The schema is half a megabyte; with small buffers it does not fit between the two. */
static void who_does_not_read_is_not_waited_for(void **state) {
    char request[256];
    int small = 4096, s = reach();
    (void)state;
    setsockopt(s, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    snprintf(request, sizeof request, "GET %sschema HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", base, port);
    for (int i = 0; i < 30; i++) /* answers one behind the other, megabytes */
        say(s, request);
    assert_true(has_come(s, busy));
    assert_it_answers(); /* meanwhile */
    double begun = am_clock_seconds();
    const struct pollfd ended = {s, 0, 0};
    struct pollfd waiting = ended;
    while (am_clock_seconds() - begun < patience + 2 * busy && !(waiting.revents & (POLLHUP | POLLERR)))
        poll(&waiting, 1, 20);
    assert_true(waiting.revents & (POLLHUP | POLLERR));
    close(s);
    assert_it_answers();
}

/* ---- Jobs ---- */

/* Stick and slip for longer than anybody waits. */
static const char endless[] =
    "model: {kind: structure, mass: [[1]], stiffness: [[1]], contacts: [{tangent: [1], law: held, hold: {constant: 1}, "
    "friction: 0.3, static_friction: 0.5, surface_velocity: 0.2}]}\n"
    "analysis: {kind: motion, until: 1e9, samples: 2, max_events: 1000000000, max_spans: 1000000000000}\n";

static void send_request(int s, const char *method, const char *path, const char *body) {
    char head[256];
    snprintf(head, sizeof head,
             "%s %s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n", method, base,
             path, port, strlen(body));
    say(s, head);
    say(s, body);
}

/* The status of the answer, which is read to its end. */
static int ask(const char *method, const char *path, const char *body, char *answer, size_t most) {
    int s = reach(), status = 0;
    size_t length = 0;
    send_request(s, method, path, body);
    for (ssize_t some = 1; some > 0 && length + 1 < most; length += some > 0 ? (size_t)some : 0) {
        assert_true(has_come(s, busy));
        some = recv(s, answer + length, most - 1 - length, 0);
    }
    close(s);
    answer[length] = '\0';
    assert_int_equal(sscanf(answer, "HTTP/1.1 %d", &status), 1);
    return status;
}

/* The path of a new job. */
static void start_job(char path[64]) {
    char answer[4096], number[17] = "";
    assert_int_equal(ask("POST", "jobs", endless, answer, sizeof answer), 200);
    assert_int_equal(sscanf(strstr(answer, "{\"job\""), "{\"job\": \"%16[0-9a-f]", number), 1);
    snprintf(path, 64, "jobs/%s", number);
}

/* It ends because nobody follows it; on a busy machine it may be forgotten by then. */
static void assert_it_is_cancelled(const char *path) {
    char result[80], answer[4096];
    double begun = am_clock_seconds();
    int status = 409;
    snprintf(result, sizeof result, "%s/result", path);
    while (status == 409 && am_clock_seconds() - begun < patience + busy) {
        poll(NULL, 0, 20);
        status = ask("GET", result, "", answer, sizeof answer);
    }
    assert_true(status == 404 || (status == 500 && strstr(answer, "cancelled")));
}

static void a_job_that_nobody_follows_is_ended(void **state) {
    char path[64], answer[4096];
    (void)state;
    start_job(path);
    assert_it_is_cancelled(path);
    double begun = am_clock_seconds();
    while (ask("DELETE", path, "", answer, sizeof answer) != 404 && am_clock_seconds() - begun < 4 * patience + busy)
        poll(NULL, 0, 50);
    assert_int_equal(ask("DELETE", path, "", answer, sizeof answer), 404); /* and forgotten */
    assert_it_answers();
}

/* A connection on which a new job tells how far it is. On a busy machine one may have ended before it is followed. */
static int follow_new_job(char path[64]) {
    for (int attempt = 0; attempt < 20; attempt++) {
        char block[4096];
        int s = reach();
        ssize_t count = 1;
        start_job(path);
        send_request(s, "GET", path, "");
        while (count > 0 && has_come(s, busy)) {
            count = recv(s, block, sizeof block - 1, 0);
            block[count > 0 ? count : 0] = '\0';
            if (strstr(block, "event: progress"))
                return s;
        }
        close(s);
    }
    fail();
    return -1;
}

static void a_job_is_ended_when_its_reader_goes(void **state) {
    char path[64], result[80], answer[4096], block[65536];
    int s = follow_new_job(path);
    (void)state;
    double begun = am_clock_seconds();
    while (am_clock_seconds() - begun < 2 * patience) /* as long as it is read it goes on */
        assert_true(has_come(s, busy) && recv(s, block, sizeof block, 0) > 0);
    snprintf(result, sizeof result, "%s/result", path);
    assert_int_equal(ask("GET", result, "", answer, sizeof answer), 409);
    close(s);
    assert_it_is_cancelled(path);
    assert_it_answers();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_says_nothing_is_not_waited_for),
        cmocka_unit_test(who_sends_byte_by_byte_is_not_waited_for),
        cmocka_unit_test(a_body_that_does_not_come_is_not_waited_for),
        cmocka_unit_test(who_does_not_read_is_not_waited_for),
        cmocka_unit_test(a_job_that_nobody_follows_is_ended),
        cmocka_unit_test(a_job_is_ended_when_its_reader_goes),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
