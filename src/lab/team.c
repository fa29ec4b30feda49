#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include "lab/team.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/local.h"
#include "lab/work.h"
#include "lab/worker.h"

/* Orders that wait for a worker. */
enum { MOST_WAITING = 64 };

struct am_lab_ticket {
    am_text order; /* its length in 8 bytes, and it */
    bool job;
    double seconds; /* of processor time */
    uint64_t trace; /* as in the order, like `preview` */
    bool preview;
    am_lab_hear *hear;
    void *context;
    am_lab_ticket *next; /* that waits */
};

typedef struct place {
    pid_t process; /* 0: nobody is here */
    int socket;
    am_lab_ticket *ticket; /* NULL: idle */
    size_t sent;           /* of the order */
    double begun;
    am_lab_word word; /* that is being heard */
    size_t heard;     /* bytes of it */
    am_text body;
    uint64_t memory; /* as it said last */
    uint64_t trace;  /* the number under which it has branches; 0: none that anybody may ask for */
    char scratch[128];
    bool late; /* ended because its time was up */
} place;

struct am_lab_team {
    am_lab_options options;
    char scratch[96]; /* folder of theirs */
    size_t most;      /* workers */
    place places[AM_LAB_WORKERS];
    am_lab_ticket *first, *last; /* that wait */
    size_t waiting, answers;
    double resting; /* no worker is started before: one has ended without having done anything */
};

/* ---- Scratch ---- */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *position) {
    (void)info, (void)kind, (void)position;
    return remove(path);
}

static void empty(const char *folder) {
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static am_status make_scratch(am_lab_team *team, am_error *err) {
    const char *chosen = getenv("TMPDIR"), *in = chosen && chosen[0] == '/' && strlen(chosen) < 64 ? chosen : P_tmpdir;
    snprintf(team->scratch, sizeof team->scratch, "%s/amontons-lab-XXXXXX", in);
    if (mkdtemp(team->scratch))
        return AM_OK;
    am_fail(err, AM_ERR_FILE, "no folder for scratch could be made in %s: %s", in, strerror(errno));
    team->scratch[0] = '\0';
    return AM_ERR_FILE;
}

/* ---- Starting and ending ---- */

static void start(am_lab_team *team, place *p) {
    int ends[2];
    size_t index = (size_t)(p - team->places);
    pid_t parent = getpid();
    *p = (place){.socket = -1};
    if (access(team->scratch, W_OK) != 0 && make_scratch(team, NULL) != AM_OK) /* somebody has tidied up */
        return;
    snprintf(p->scratch, sizeof p->scratch, "%s/%zu", team->scratch, index);
    if ((mkdir(p->scratch, 0700) != 0 && errno != EEXIST) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    p->process = fork();
    if (p->process == 0)
        am_lab_worker_serve(&team->options, p->scratch, ends[1], parent);
    close(ends[1]);
    if (p->process < 0) {
        close(ends[0]);
        p->process = 0;
        return;
    }
    setpgid(p->process, p->process);
    p->socket = ends[0];
}

/* The worker goes, with the programs that it has started; what it was busy with is left to the caller. Returns how it
 * ended. */
static int end(place *p) {
    int outcome = 0;
    close(p->socket);
    kill(-p->process, SIGKILL);
    kill(p->process, SIGKILL); /* before it had a group of its own */
    while (waitpid(p->process, &outcome, 0) < 0 && errno == EINTR)
        continue;
    am_text_free(&p->body);
    empty(p->scratch);
    p->process = 0;
    p->socket = -1;
    p->trace = 0;
    return outcome;
}

static void free_ticket(am_lab_ticket *ticket) {
    am_text_free(&ticket->order);
    am_memory_free(ticket);
}

am_lab_team *am_lab_team_create(const am_lab_options *options, am_error *err) {
    am_lab_team *team = am_memory_new(1, sizeof *team, err);
    const am_progress all = {.threads = 0};
    if (!team)
        return NULL;
    team->options = *options;
    size_t cores = (size_t)am_progress_threads(&all);
    team->most = cores + 1 < 3 ? 3 : cores + 1 > AM_LAB_WORKERS ? AM_LAB_WORKERS : cores + 1;
    if (make_scratch(team, err) != AM_OK) {
        am_memory_free(team);
        return NULL;
    }
    start(team, &team->places[0]);
    return team;
}

void am_lab_team_free(am_lab_team *team) {
    if (!team)
        return;
    for (size_t i = 0; i < team->most; i++) {
        if (team->places[i].process)
            end(&team->places[i]);
        if (team->places[i].ticket)
            free_ticket(team->places[i].ticket);
    }
    for (am_lab_ticket *ticket = team->first, *next; ticket; ticket = next) {
        next = ticket->next;
        free_ticket(ticket);
    }
    empty(team->scratch);
    am_memory_free(team);
}

/* ---- Giving orders ---- */

/* One whose folder somebody has tidied away is ended. */
static place *idle_place(am_lab_team *team) {
    for (size_t i = 0; i < team->most; i++) {
        place *p = &team->places[i];
        if (!p->process || p->ticket)
            continue;
        if (access(p->scratch, W_OK) == 0)
            return p;
        end(p);
    }
    return NULL;
}

/* The newest branches of a number are those that count. */
static void note_trace(am_lab_team *team, place *holder, uint64_t trace) {
    for (size_t i = 0; i < team->most && trace != 0; i++)
        if (team->places[i].trace == trace)
            team->places[i].trace = 0;
    holder->trace = trace != 0 ? trace : holder->trace;
}

static size_t busy_with_jobs(const am_lab_team *team) {
    size_t count = 0;
    for (size_t i = 0; i < team->most; i++)
        count += team->places[i].ticket && team->places[i].ticket->job;
    return count;
}

/* Previews go to who has their branches; everything else rather not to who has some, so that they stay while others are
 * followed. Negative: not there. A job may be ended on its way, and what its worker has with it. */
static int fitness(const place *p, const am_lab_ticket *ticket) {
    bool own = p->trace != 0 && p->trace == ticket->trace;
    if (ticket->job && own)
        return -1;
    return ticket->preview ? 2 * own + (p->trace == 0) : 2 * (p->trace == 0) + own;
}

/* NULL: none of those that are idle will do. */
static place *fittest_place(am_lab_team *team, const am_lab_ticket *ticket) {
    place *best = NULL;
    for (size_t i = 0; i < team->most; i++) {
        place *p = &team->places[i];
        int fit = p->process && !p->ticket && access(p->scratch, W_OK) == 0 ? fitness(p, ticket) : -1;
        if (fit >= 0 && (!best || fit > fitness(best, ticket)))
            best = p;
    }
    return best;
}

/* The first that may begin, and where: jobs leave a worker to short work. */
static am_lab_ticket *take_waiting(am_lab_team *team, place **p) {
    bool jobs = busy_with_jobs(team) + 1 < team->most;
    am_lab_ticket **at = &team->first, *before = NULL;
    while (*at && (((*at)->job && !jobs) || !fittest_place(team, *at))) {
        before = *at;
        at = &(*at)->next;
    }
    am_lab_ticket *ticket = *at;
    if (!ticket)
        return NULL;
    *at = ticket->next;
    if (team->last == ticket)
        team->last = before;
    team->waiting--;
    ticket->next = NULL;
    *p = fittest_place(team, ticket);
    return ticket;
}

/* One that is idle, and has nothing that is to stay. */
static bool is_one_ready(const am_lab_team *team) {
    for (size_t i = 0; i < team->most; i++)
        if (team->places[i].process && !team->places[i].ticket && team->places[i].trace == 0)
            return true;
    return false;
}

/* A worker that is not needed yet, so that the next order need not wait for a fork. */
static void ensure_one_ready(am_lab_team *team) {
    bool rests = am_clock_seconds() < team->resting;
    for (size_t i = 0; i < team->most && !rests && !is_one_ready(team); i++)
        if (!team->places[i].process)
            start(team, &team->places[i]);
}

static void assign(am_lab_team *team) {
    for (;;) {
        ensure_one_ready(team);
        place *p = idle_place(team);
        am_lab_ticket *ticket = p ? take_waiting(team, &p) : NULL;
        if (!ticket)
            return;
        p->ticket = ticket;
        p->sent = p->heard = 0;
        p->late = false;
        p->begun = am_clock_seconds();
        am_text_clear(&p->body);
    }
}

am_lab_ticket *am_lab_team_ask(am_lab_team *team, const am_lab_order *order, am_lab_hear *hear, void *context,
                               am_error *err) {
    AM_LOCAL(am_text_free) am_text bytes = {0};
    if (team->waiting >= MOST_WAITING) {
        am_fail(err, AM_ERR_LIMIT, "the lab is busy: %d runs are waiting already", MOST_WAITING);
        return NULL;
    }
    am_lab_ticket *ticket = am_memory_new(1, sizeof *ticket, err);
    if (!ticket || am_lab_order_write(order, &bytes, err) != AM_OK) {
        am_memory_free(ticket);
        return NULL;
    }
    uint64_t length = bytes.length;
    *ticket = (am_lab_ticket){.job = order->job,
                              .seconds = order->seconds,
                              .trace = order->trace,
                              .preview = order->preview > 0,
                              .hear = hear,
                              .context = context};
    am_text_add_bytes(&ticket->order, (const char *)&length, sizeof length);
    am_text_add_bytes(&ticket->order, bytes.data, bytes.length);
    if (am_text_status(&ticket->order, err) != AM_OK) {
        free_ticket(ticket);
        return NULL;
    }
    if (team->last)
        team->last->next = ticket;
    else
        team->first = ticket;
    team->last = ticket;
    team->waiting++;
    assign(team);
    return ticket;
}

static void drop_waiting(am_lab_team *team, am_lab_ticket *ticket) {
    am_lab_ticket **at = &team->first, *before = NULL;
    while (*at && *at != ticket) {
        before = *at;
        at = &(*at)->next;
    }
    if (!*at)
        return;
    *at = ticket->next;
    if (team->last == ticket)
        team->last = before;
    team->waiting--;
    free_ticket(ticket);
}

void am_lab_team_drop(am_lab_team *team, am_lab_ticket *ticket) {
    for (size_t i = 0; i < team->most; i++)
        if (team->places[i].ticket == ticket) {
            end(&team->places[i]);
            team->places[i].ticket = NULL;
            free_ticket(ticket);
            assign(team);
            return;
        }
    drop_waiting(team, ticket);
}

/* ---- Listening ---- */

/* The answer is heard, and the worker is free again, or gone. */
static void finish(am_lab_team *team, place *p, const am_lab_word *word, am_text *body) {
    am_lab_ticket *ticket = p->ticket;
    p->ticket = NULL;
    team->answers++;
    ticket->hear(ticket->context, word, body);
    free_ticket(ticket);
}

static void explain(const am_lab_team *team, const place *p, int outcome, am_error *err) {
    int signal = WIFSIGNALED(outcome) ? WTERMSIG(outcome) : 0;
    bool time = p->late || signal == SIGXCPU || signal == SIGPROF;
    if (time)
        am_fail(err, AM_ERR_LIMIT, "the run took more than %g seconds of processor time and was ended",
                p->ticket->seconds);
    else if (signal != 0)
        am_fail(err, AM_ERR_MEMORY, "the process of the run was ended by signal %d; it may have %zu MB of memory",
                signal, team->options.memory);
    else
        am_fail(err, AM_ERR_MEMORY, "the process of the run gave up; it may have %zu MB of memory",
                team->options.memory);
}

static void bury(am_lab_team *team, place *p) {
    am_error err = {0};
    am_lab_answer answer = {0};
    int outcome = end(p);
    if (!p->ticket) {
        team->resting = am_clock_seconds() + 0.5;
        return;
    }
    explain(team, p, outcome, &err);
    am_lab_refuse(&answer, AM_LAB_FAILED, &err);
    const am_lab_word word = {.kind = AM_LAB_ANSWER,
                              .type = AM_LAB_JSON,
                              .status = answer.status,
                              .count = answer.body.length,
                              .seconds = am_clock_seconds() - p->begun};
    finish(team, p, &word, &answer.body);
    am_text_free(&answer.body);
}

/* false: it does not take any more. */
static bool feed(place *p) {
    const am_text *order = &p->ticket->order;
    while (p->sent < order->length) {
        ssize_t sent = send(p->socket, order->data + p->sent, order->length - p->sent, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        p->sent += (size_t)sent;
    }
    return true;
}

static bool is_sane(const place *p) {
    const am_lab_word *word = &p->word;
    return p->ticket && word->kind <= AM_LAB_PARTIAL && word->type < AM_LAB_TYPES && word->count <= AM_LAB_LONGEST;
}

/* One whole word has come. false: the worker is gone. */
static bool heed(am_lab_team *team, place *p) {
    am_lab_word word = p->word;
    am_text body = p->body;
    p->body = (am_text){0};
    p->heard = 0;
    p->memory = word.memory > 0 ? word.memory : p->memory;
    if (word.kind != AM_LAB_ANSWER) {
        p->ticket->hear(p->ticket->context, &word, &body);
        am_text_free(&body);
        return true;
    }
    if (word.status == AM_LAB_OK)
        note_trace(team, p, p->ticket->trace);
    if (word.ended)
        end(p);
    finish(team, p, &word, &body);
    am_text_free(&body);
    return !word.ended;
}

/* What is there to be read, into the word and then its body. false: nothing more, now or ever (*gone). */
static bool hear_some(place *p, bool *gone) {
    char block[65536];
    bool head = p->heard < sizeof p->word;
    size_t wanted = head ? sizeof p->word - p->heard : (size_t)p->word.count - p->body.length;
    wanted = wanted < sizeof block ? wanted : sizeof block;
    ssize_t count = read(p->socket, block, wanted);
    if (count <= 0) {
        *gone = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
        return false;
    }
    if (head)
        memcpy((char *)&p->word + p->heard, block, (size_t)count);
    else
        am_text_add_bytes(&p->body, block, (size_t)count);
    p->heard += head ? (size_t)count : 0;
    *gone = p->body.status != AM_OK || (p->heard == sizeof p->word && !is_sane(p));
    return !*gone;
}

static void listen_to(am_lab_team *team, place *p) {
    bool gone = false;
    while (hear_some(p, &gone))
        if (p->heard == sizeof p->word && p->body.length == p->word.count && !heed(team, p))
            return;
    if (gone)
        bury(team, p);
}

/* A run may wait for a program it started, or for the disk: its own clock stands still then. */
static double patience(const am_lab_ticket *ticket) {
    return ticket->seconds > 0 ? 2 * ticket->seconds + 10 : 0;
}

static void end_late(am_lab_team *team) {
    for (size_t i = 0; i < team->most; i++) {
        place *p = &team->places[i];
        double most = p->ticket ? patience(p->ticket) : 0;
        p->late = most > 0 && am_clock_seconds() - p->begun > most;
        if (p->late)
            bury(team, p);
    }
}

size_t am_lab_team_wait_for(am_lab_team *team, struct pollfd *waiting, int *timeout) {
    size_t count = 0;
    bool clock = team->first || !idle_place(team);
    for (size_t i = 0; i < team->most; i++) {
        const place *p = &team->places[i];
        if (!p->process)
            continue;
        clock = clock || (p->ticket && p->ticket->seconds > 0);
        bool feeding = p->ticket && p->sent < p->ticket->order.length;
        waiting[count++] = (struct pollfd){p->socket, (short)(POLLIN | (feeding ? POLLOUT : 0)), 0};
    }
    if (clock && (*timeout < 0 || *timeout > 500))
        *timeout = 500;
    return count;
}

static place *place_of(am_lab_team *team, int socket) {
    for (size_t i = 0; i < team->most; i++)
        if (team->places[i].process && team->places[i].socket == socket)
            return &team->places[i];
    return NULL;
}

void am_lab_team_turn(am_lab_team *team, const struct pollfd *came, size_t count) {
    for (size_t i = 0; i < count; i++) {
        place *p = came[i].revents ? place_of(team, came[i].fd) : NULL;
        if (p && (came[i].revents & POLLOUT) && p->ticket && !feed(p))
            bury(team, p);
        else if (p && (came[i].revents & (POLLIN | POLLHUP | POLLERR)))
            listen_to(team, p);
    }
    end_late(team);
    assign(team);
}

size_t am_lab_team_answers(const am_lab_team *team) {
    return team->answers;
}

size_t am_lab_team_count(const am_lab_team *team) {
    size_t count = 0;
    for (size_t i = 0; i < team->most; i++)
        count += team->places[i].process != 0;
    return count;
}

uint64_t am_lab_team_memory(const am_lab_team *team) {
    uint64_t sum = 0;
    for (size_t i = 0; i < team->most; i++)
        sum += team->places[i].process ? team->places[i].memory : 0;
    return sum;
}
