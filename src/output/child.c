#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "output/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "base/descriptor.h"
#include "base/memory.h"

/* Seconds in which a child computes nothing before it is ended. */
static const int longest_pause = 6;

/* What the child sends before the bytes. */
typedef struct answer {
    am_status status;
    am_error err;
    size_t count;
} answer;

/* ---- The child ---- */

/* No new files or connections, no bytes into files that are open, no core file; nothing on standard error. It ends
 * with its parent, which alone handles signals of the terminal. */
static void drop_rights(pid_t parent) {
    const struct rlimit nothing = {0, 0};
    close(STDERR_FILENO);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    setrlimit(RLIMIT_NOFILE, &nothing);
    setrlimit(RLIMIT_FSIZE, &nothing);
    setrlimit(RLIMIT_CORE, &nothing);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
}

static void be_child(am_child_work *work, void *context, int output, pid_t parent) {
    am_text made = {0};
    answer reply = {AM_OK, {AM_OK, "", ""}, 0};
    drop_rights(parent);
    reply.status = work(context, &made, &reply.err);
    reply.count = reply.status == AM_OK ? made.length : 0;
    bool sent = am_write_all(output, &reply, sizeof reply) && am_write_all(output, made.data, reply.count);
    _exit(sent ? 0 : 1); /* without the exit handlers of this process: they are its parent's */
}

/* ---- The parent ---- */

typedef struct child {
    pid_t process;
    int input;
    bool stuck; /* it computed nothing for too long, and was ended */
} child;

/* The time it has computed, in seconds; negative when it is not known. */
static double time_of(const child *c) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(c->process, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return -1.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Until it sends something or ends. It only computes: if its processor time stands still, it waits for a lock that
 * never opens. */
static void wait_for_bytes(child *c) {
    struct pollfd waiting = {c->input, POLLIN, 0};
    double before = -1.0;
    for (int still = 0; poll(&waiting, 1, 1000) == 0;) {
        double now = time_of(c);
        still = now > before ? 0 : still + 1;
        before = now;
        if (still >= longest_pause) {
            c->stuck = true;
            kill(c->process, SIGKILL);
            return;
        }
    }
}

static bool receive_all(child *c, void *bytes, size_t count) {
    char *to = bytes;
    while (count > 0) {
        wait_for_bytes(c);
        ssize_t received = read(c->input, to, count);
        if (received < 0 && errno == EINTR)
            continue;
        if (received <= 0)
            return false;
        to += received;
        count -= (size_t)received;
    }
    return true;
}

/* false: the child ended before it had sent everything, or sent something impossible. */
static bool receive(child *c, answer *reply, am_text *made, am_status *status, am_error *err) {
    if (!receive_all(c, reply, sizeof *reply) || reply->count > SIZE_MAX / 2)
        return false;
    reply->err.field[sizeof reply->err.field - 1] = reply->err.message[sizeof reply->err.message - 1] = '\0';
    *status = reply->status;
    if (reply->status != AM_OK) {
        if (err)
            *err = reply->err;
        return true;
    }
    char *bytes = am_memory_new(reply->count + 1, 1, err);
    if (!bytes) {
        *status = AM_ERR_MEMORY;
        return true;
    }
    *made = (am_text){.data = bytes, .length = reply->count, .capacity = reply->count + 1};
    return receive_all(c, bytes, reply->count);
}

static am_status wait_for(child *c, const char *what, am_text *made, am_error *err) {
    answer reply;
    am_status status = AM_OK;
    bool whole = receive(c, &reply, made, &status, err);
    close(c->input);
    int outcome = 0;
    while (waitpid(c->process, &outcome, 0) < 0 && errno == EINTR)
        continue;
    if (!whole && WIFSIGNALED(outcome))
        status = am_fail(err, AM_ERR_FILE, "%s: the NetCDF library was ended by signal %d; is there enough memory?",
                         what, WTERMSIG(outcome));
    else if (!whole)
        status = am_fail(err, AM_ERR_FILE, "%s: the NetCDF library gave up; is there enough memory?", what);
    if (status != AM_OK)
        am_text_free(made);
    return status;
}

/* The address sanitizer's own locks do not survive a fork while other threads run. */
static bool can_fork(void) {
#if defined(__SANITIZE_ADDRESS__)
    struct stat threads; /* a folder for each of them, and its two names */
    return stat("/proc/self/task", &threads) == 0 && threads.st_nlink <= 3;
#else
    return true;
#endif
}

am_status am_child_run(am_child_work *work, void *context, const char *what, am_text *made, am_error *err) {
    int ends[2];
    if (!can_fork() || pipe(ends) != 0)
        return work(context, made, err);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t parent = getpid();
    child c = {.process = fork(), .input = ends[0]};
    if (c.process == 0) {
        close(ends[0]);
        be_child(work, context, ends[1], parent);
    }
    close(ends[1]);
    if (c.process < 0)
        close(ends[0]);
    am_status status = c.process > 0 ? wait_for(&c, what, made, err) : AM_ERR_FILE;
    return c.process < 0 || c.stuck ? work(context, made, err) : status;
}
