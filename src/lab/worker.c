#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "lab/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/memory.h"
#include "base/time_left.h"
#include "lab/work.h"
#include "math/algebra.h"

enum { MOST_FILES = 256, LARGEST_FILE = 1 << 30, MOST_ORDERS = 5000, LONGEST_ORDER = 1 << 26 };

/* Bytes beyond which a worker that has just answered makes room for a fresh one. */
static const uint64_t large = (uint64_t)512 << 20;

/* Seconds between two words about progress; the share of the time that pictures of unfinished work may take. */
static const double between_words = 0.1, share_of_partials = 0.1, least_pause = 0.25;

typedef struct worker {
    am_lab_bench bench;
    int socket;
    am_lab_order order;
    double begun, told; /* when the order came, and when progress was last told */
    double next_partial;
    bool snapshot; /* a copy of the process, made to show what the work has got so far */
    bool sweeps;   /* the work shows that itself */
    am_trace *trace;
    uint64_t trace_number; /* of the order it is from; 0: there is none */
    size_t orders;
} worker;

/* ---- Bytes ---- */

static bool receive_bytes(int socket, void *bytes, size_t count) {
    for (char *to = bytes; count > 0;) {
        ssize_t received = read(socket, to, count);
        if (received < 0 && errno == EINTR)
            continue;
        if (received <= 0)
            return false;
        to += received;
        count -= (size_t)received;
    }
    return true;
}

/* Without the exit handlers of this process: they are its parent's. */
static void send_word(const worker *w, const am_lab_word *word, const char *bytes) {
    alarm(0); /* a copy that has begun to speak is not cut off in the middle of a word */
    if (!am_write_all(w->socket, word, sizeof *word) || !am_write_all(w->socket, bytes, word->count))
        _exit(1);
}

/* ---- Limits ---- */

/* Bytes of addresses, and of memory that is really there. */
static void measure_memory(uint64_t *addresses, uint64_t *resident) {
    unsigned long pages = 0, there = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    int read = file ? fscanf(file, "%lu %lu", &pages, &there) : 0;
    if (file)
        fclose(file);
    *addresses = read == 2 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    *resident = read == 2 ? (uint64_t)there * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void limit(int what, rlim_t most) {
    const struct rlimit both = {most, most};
    setrlimit(what, &both);
}

/* Address sanitizers reserve terabytes of addresses. */
static bool can_limit_memory(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#else
    return true;
#endif
}

/* The processor time of this order (0: no limit): a timer for it, which ends the process, and a limit of the system,
 * which counts whole seconds from the beginning of the process, for what the timer should miss. */
static void limit_time(double seconds) {
    double whole = floor(seconds);
    const struct itimerval timer = {.it_value = {(time_t)whole, (suseconds_t)(1e6 * (seconds - whole))}};
    struct rusage used;
    struct rlimit limits;
    setitimer(ITIMER_PROF, &timer, NULL);
    if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limits) != 0)
        return;
    rlim_t most = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 3 + (rlim_t)whole;
    limits.rlim_cur = seconds > 0 ? most : limits.rlim_max;
    setrlimit(RLIMIT_CPU, &limits);
}

static void close_others(int socket) {
    long most = sysconf(_SC_OPEN_MAX);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    for (int file = STDERR_FILENO + 1; file < (most < 65536 ? most : 65536); file++)
        if (file != socket)
            close(file);
}

/* Its parent alone handles signals of the terminal, and it ends with its parent. */
static void settle(const am_lab_options *options, int socket, pid_t parent) {
    sigset_t none;
    setpgid(0, 0); /* with the programs that it starts */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
    if (getppid() != parent)
        _exit(1);
    close_others(socket);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, MOST_FILES);
    limit(RLIMIT_FSIZE, LARGEST_FILE);
    am_algebra_reserve();
    if (options->memory > 0 && can_limit_memory()) {
        uint64_t addresses, resident;
        measure_memory(&addresses, &resident);
        limit(RLIMIT_AS, (rlim_t)addresses + ((rlim_t)options->memory << 20));
    }
}

/* ---- Work and its progress ---- */

/* Threads that work together cannot be copied with the process. */
static bool is_alone(void) {
#ifdef _OPENMP
    return !omp_in_parallel();
#else
    return true;
#endif
}

/* A copy of the process, which shows what the work has got so far and ends; meanwhile the work itself waits. Returns true
 * in the copy. */
static bool take_snapshot(worker *w) {
    enum { LONGEST = 15 }; /* seconds: much for a copy on a busy machine, little for somebody who waits for nothing */
    double begun = am_clock_seconds();
    pid_t copy = fork();
    if (copy == 0) {
        alarm(LONGEST); /* a lock that another thread held is never given back in the copy */
        w->order.svg = w->order.columns = false;
        return w->snapshot = true;
    }
    int outcome = 1;
    while (copy > 0 && waitpid(copy, &outcome, 0) < 0 && errno == EINTR)
        continue;
    double now = am_clock_seconds(), pause = (now - begun) / share_of_partials;
    w->next_partial = outcome != 0 ? HUGE_VAL : now + (pause > least_pause ? pause : least_pause);
    return false;
}

static bool is_snapshot_due(const worker *w) {
    return w->order.job && am_clock_seconds() > w->next_partial;
}

/* In the copy the work is not wanted any more: it ends with what it has got so far, as when somebody interrupts it. */
static bool tell(void *context, double fraction) {
    worker *w = context;
    double now = am_clock_seconds();
    if (w->snapshot)
        return false;
    if (!w->order.job || now - w->told < between_words)
        return true;
    w->told = now;
    send_word(w,
              &(am_lab_word){
                  .kind = AM_LAB_PROGRESS, .share = fraction, .seconds = am_time_left(now - w->begun, fraction, 0.0)},
              NULL);
    return !(!w->sweeps && is_alone() && is_snapshot_due(w) && take_snapshot(w));
}

/* A sweep makes its part where it stands, whatever its other threads do. */
static void send_part(void *context, am_status (*make)(void *work, am_result *result, am_error *err), void *work) {
    worker *w = context;
    w->sweeps = true;
    if (!is_snapshot_due(w) || !take_snapshot(w))
        return;
    am_lab_answer answer = {0};
    am_error err = {0};
    am_result *result = am_result_create(&err);
    if (!result || make(work, result, &err) != AM_OK)
        _exit(0); /* there is nothing yet */
    am_lab_show_part(&w->order, result, &answer);
    if (answer.status == AM_LAB_OK)
        send_word(w, &(am_lab_word){.kind = AM_LAB_PARTIAL, .status = AM_LAB_OK, .count = answer.body.length},
                  answer.body.data);
    _exit(0);
}

/* The branches under the number of this order; NULL: it has none. */
static am_trace *trace_of_order(worker *w) {
    if (w->order.trace == 0)
        return NULL;
    if (w->order.trace != w->trace_number) { /* somebody else's */
        am_trace_free(w->trace);
        w->trace = am_trace_create(NULL);
        w->trace_number = w->order.trace;
    }
    return w->trace;
}

static void answer_order(worker *w) {
    am_lab_answer answer = {0};
    const am_progress progress = {.trace = trace_of_order(w),
                                  .preview = w->order.preview,
                                  .report = tell,
                                  .part = send_part,
                                  .context = w,
                                  .threads = w->order.threads > 0 ? w->order.threads : w->bench.options->threads};
    w->begun = w->told = am_clock_seconds();
    w->next_partial = w->begun + least_pause;
    w->sweeps = false;
    limit_time(w->order.seconds);
    am_lab_work(&w->bench, &w->order, &progress, &answer);
    limit_time(0);
    if (answer.body.length > AM_LAB_LONGEST || answer.body.status != AM_OK) {
        am_error err = {.status = AM_ERR_LIMIT, .message = "the results are larger than the lab passes on (512 MiB)"};
        am_lab_refuse(&answer, AM_LAB_FAILED, &err);
    }
    am_lab_word word = {.kind = w->snapshot ? AM_LAB_PARTIAL : AM_LAB_ANSWER,
                        .type = (uint32_t)answer.type,
                        .status = answer.status,
                        .count = answer.body.length,
                        .seconds = am_clock_seconds() - w->begun};
    uint64_t addresses;
    measure_memory(&addresses, &word.memory);
    word.ended = word.memory > large || ++w->orders >= MOST_ORDERS;
    if (!w->snapshot || answer.status == AM_LAB_OK)
        send_word(w, &word, answer.body.data);
    am_text_free(&answer.body);
    if (w->snapshot || word.ended)
        _exit(0);
}

void am_lab_worker_serve(const am_lab_options *options, const char *scratch, int socket, pid_t parent) {
    worker w = {.bench = {options, scratch}, .socket = socket};
    uint64_t count;
    settle(options, socket, parent);
    while (receive_bytes(socket, &count, sizeof count) && count <= LONGEST_ORDER) {
        char *bytes = am_memory_new(count, 1, NULL);
        if (!bytes || !receive_bytes(socket, bytes, count) || !am_lab_order_read(&w.order, bytes, count))
            _exit(1);
        answer_order(&w);
        am_memory_free(bytes);
    }
    _exit(0);
}
