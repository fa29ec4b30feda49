/* The loop. One thread: connections and workers take turns in it, and nothing in it waits for anything else. */
#if defined(__linux__)
#define _GNU_SOURCE /* ppoll, POLLRDHUP */
#endif
#include "lab/lab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/local.h"
#include "lab/gate.h"
#include "lab/jobs.h"
#include "lab/plan.h"
#include "lab/team.h"
#include "lab/work.h"

enum {
    MOST_CONNECTIONS = 64,
    SPARE_CONNECTIONS = 4,     /* beyond the others, who has been silent for longest makes room */
    CONNECTION_MEMORY = 32768, /* for headers */
    USUAL_SECONDS = 60
};

/* Seconds until a request has come, beyond which a connection is closed; until an answer was taken, it has one and a half
 * times as long, and as long again for each so many bytes (50 kB/s). */
static const double usual_patience = 20, bytes_per_patience = 1e6;

static const char policy[] = "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'; object-src 'none'";

/* A connection; one request after the other comes over it. */
typedef struct line {
    struct am_server *server;
    int socket;
    enum { ASKING, WORKING, TAKING } phase;
    double since, most; /* seconds that the phase may take */
    bool is_cut;        /* libmicrohttpd will find it so */
    struct exchange *exchange;
    struct line *next;
} line;

/* A request and its answer. */
typedef struct exchange {
    struct am_server *server;
    line *line;
    struct MHD_Connection *connection;
    am_text body;
    double begun;
    am_lab_plan plan;
    bool planned, refused;
    am_lab_ticket *ticket; /* work that is not answered yet */
    bool answered;
    am_lab_word word;
    am_lab_job *job; /* that it follows */
    bool waits;      /* the connection sleeps */
    bool gone;       /* the other end is */
} exchange;

typedef struct am_server {
    am_lab_options options;
    char token[AM_LAB_TOKEN];
    char door[AM_LAB_TOKEN]; /* "": it is closed */
    int port, listening;
    struct MHD_Daemon *daemon;
    am_lab_team *team;
    am_lab_jobs *jobs;
    line *lines;
    double begun;
    bool stopped;
} am_server;

/* ---- Answers ---- */

static void free_body(void *bytes) {
    am_memory_free(bytes);
}

static void add_headers(struct MHD_Response *response, const char *type, bool kept) {
    const char *const headers[][2] = {{"Content-Security-Policy", policy},
                                      {"X-Content-Type-Options", "nosniff"},
                                      {"Referrer-Policy", "no-referrer"},
                                      {"Cross-Origin-Resource-Policy", "same-origin"},
                                      {"Cross-Origin-Opener-Policy", "same-origin"},
                                      {"Cache-Control", kept ? "no-cache" : "no-store"},
                                      {"Content-Type", type}};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (headers[i][1])
            MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

static void begin_phase(line *l, int phase, double most) {
    l->phase = phase;
    l->since = am_clock_seconds();
    l->most = most;
}

static void begin_asking(line *l) {
    begin_phase(l, ASKING, l->server->options.patience);
}

static void begin_taking(line *l, double bytes) {
    begin_phase(l, TAKING, (1.5 + bytes / bytes_per_patience) * l->server->options.patience);
}

/* Takes the response. */
static enum MHD_Result reply(exchange *e, unsigned status, struct MHD_Response *response, double bytes) {
    if (!response)
        return MHD_NO;
    begin_taking(e->line, bytes);
    enum MHD_Result queued = MHD_queue_response(e->connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static const char *const type_names[] = {[AM_LAB_JSON] = "application/json",
                                         [AM_LAB_COLUMNS] = "application/octet-stream",
                                         [AM_LAB_SVG] = "image/svg+xml",
                                         [AM_LAB_PNG] = "image/png",
                                         [AM_LAB_TEXT] = "text/plain; charset=utf-8"};

/* Takes the body. */
static enum MHD_Result reply_bytes(exchange *e, unsigned status, am_lab_type type, am_text *body, double seconds) {
    size_t length = body->length;
    char timing[96], *bytes = am_text_take(body, NULL);
    if (!bytes)
        return MHD_NO;
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback(length, bytes, free_body);
    if (!response) {
        am_memory_free(bytes);
        return MHD_NO;
    }
    snprintf(timing, sizeof timing, "work;dur=%.3f, total;dur=%.3f", 1e3 * seconds,
             1e3 * (am_clock_seconds() - e->begun));
    add_headers(response, type_names[type], false);
    MHD_add_response_header(response, "Server-Timing", timing);
    return reply(e, status, response, (double)length);
}

/* To whom may not ask: nothing is told. */
static enum MHD_Result reply_nothing(exchange *e, unsigned status) {
    struct MHD_Response *response = MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    if (response)
        add_headers(response, NULL, false);
    e->refused = true;
    return reply(e, status, response, 0);
}

static enum MHD_Result reply_refusal(exchange *e, unsigned status, const am_error *err) {
    am_lab_answer answer = {0};
    am_lab_refuse(&answer, status, err);
    enum MHD_Result result = reply_bytes(e, answer.status, answer.type, &answer.body, 0);
    am_text_free(&answer.body);
    return result;
}

static const char *type_of_file(const char *path) {
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"},
                                           {".woff2", "font/woff2"},
                                           {".woff", "font/woff"},
                                           {".ttf", "font/ttf"},
                                           {".map", "application/json"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcmp(dot, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

/* A part of the page; browsers keep it and ask whether it has changed. */
static enum MHD_Result reply_file(exchange *e) {
    struct stat info;
    char tag[64];
    int file = open(e->plan.path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        am_error err = {0};
        am_fail(&err, AM_ERR_INPUT, "there is no such part of the page");
        if (file >= 0)
            close(file);
        return reply_refusal(e, AM_LAB_NOT_FOUND, &err);
    }
    snprintf(tag, sizeof tag, "\"%jx-%jx-%lx\"", (uintmax_t)info.st_size, (uintmax_t)info.st_mtim.tv_sec,
             (unsigned long)info.st_mtim.tv_nsec);
    const char *known = MHD_lookup_connection_value(e->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
    bool same = known && strcmp(known, tag) == 0;
    struct MHD_Response *response = same ? MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT)
                                         : MHD_create_response_from_fd((uint64_t)info.st_size, file);
    if (same || !response)
        close(file);
    if (response) {
        add_headers(response, same ? NULL : type_of_file(e->plan.path), true);
        MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
    }
    return reply(e, same ? MHD_HTTP_NOT_MODIFIED : AM_LAB_OK, response, (double)info.st_size);
}

static enum MHD_Result reply_status(exchange *e) {
    const am_server *s = e->server;
    am_text text = {0};
    am_text_printf(&text,
                   "{\"version\": \"%s\", \"seconds_up\": %.3f, \"runs\": %zu, \"workers\": %zu, \"jobs\": %zu, "
                   "\"memory\": %" PRIu64 "}",
                   AMONTONS_VERSION, am_clock_seconds() - s->begun, am_lab_team_answers(s->team),
                   am_lab_team_count(s->team), am_lab_jobs_count(s->jobs), am_lab_team_memory(s->team));
    enum MHD_Result result = reply_bytes(e, AM_LAB_OK, AM_LAB_JSON, &text, 0);
    am_text_free(&text);
    return result;
}

static enum MHD_Result reply_text(exchange *e, const char *words) {
    am_text text = {0};
    am_text_add(&text, words);
    enum MHD_Result result = reply_bytes(e, AM_LAB_OK, AM_LAB_JSON, &text, 0);
    am_text_free(&text);
    return result;
}

/* ---- Waiting ---- */

static void sleep_until_woken(exchange *e) {
    e->waits = true;
    MHD_suspend_connection(e->connection);
}

static void wake(exchange *e) {
    if (e->waits)
        MHD_resume_connection(e->connection);
    e->waits = false;
}

static void wake_follower(void *follower, bool replaced) {
    exchange *e = follower;
    if (replaced)
        e->job = NULL;
    wake(e);
}

/* ---- Work ---- */

static void hear(void *context, const am_lab_word *word, am_text *body) {
    exchange *e = context;
    e->ticket = NULL;
    e->answered = true;
    e->word = *word;
    am_text_free(&e->plan.answer.body);
    e->plan.answer.body = *body;
    *body = (am_text){0};
    wake(e);
}

static enum MHD_Result begin_work(exchange *e) {
    am_error err = {0};
    e->ticket = am_lab_team_ask(e->server->team, &e->plan.order, hear, e, &err);
    if (!e->ticket)
        return reply_refusal(e, err.status == AM_ERR_LIMIT ? AM_LAB_BUSY : AM_LAB_FAILED, &err);
    begin_phase(e->line, WORKING, 0);
    sleep_until_woken(e);
    return MHD_YES;
}

static enum MHD_Result begin_job(exchange *e) {
    am_error err = {0};
    uint64_t number;
    char words[64];
    if (am_lab_jobs_start(e->server->jobs, &e->plan.order, &number, &err) != AM_OK)
        return reply_refusal(e, err.status == AM_ERR_LIMIT ? AM_LAB_BUSY : AM_LAB_FAILED, &err);
    snprintf(words, sizeof words, "{\"job\": \"%016" PRIx64 "\"}", number);
    return reply_text(e, words);
}

static ssize_t read_events(void *context, uint64_t position, char *bytes, size_t most) {
    exchange *e = context;
    bool ended = false;
    (void)position;
    size_t count = e->gone || !e->job ? 0 : am_lab_job_read(e->job, bytes, most, &ended);
    if (e->gone || !e->job || ended)
        return ended ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
    if (count > 0) {
        begin_taking(e->line, (double)count);
    } else {
        begin_phase(e->line, WORKING, 0);
        sleep_until_woken(e);
    }
    return (ssize_t)count;
}

static enum MHD_Result follow(exchange *e, am_lab_job *job) {
    enum { BLOCK = 65536 };
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_events, e, NULL);
    if (!response)
        return MHD_NO;
    e->job = job;
    am_lab_job_follow(job, e);
    add_headers(response, "text/event-stream", false);
    return reply(e, AM_LAB_OK, response, 0);
}

/* The results of a job that has ended; they are kept for a while, so they are copied. */
static enum MHD_Result fetch(exchange *e, const am_lab_job *job) {
    const am_lab_answer *answer = am_lab_job_answer(job);
    am_error err = {0};
    am_text copy = {0};
    if (!answer) {
        am_fail(&err, AM_ERR_INPUT, "the job has not ended");
        return reply_refusal(e, AM_LAB_CHANGED, &err);
    }
    am_text_add_bytes(&copy, am_text_view(&answer->body), answer->body.length);
    enum MHD_Result result = reply_bytes(e, answer->status, answer->type, &copy, 0);
    am_text_free(&copy);
    return result;
}

static enum MHD_Result turn_to_job(exchange *e) {
    am_lab_job *job = am_lab_jobs_find(e->server->jobs, e->plan.job);
    am_error err = {0};
    if (!job) {
        am_fail(&err, AM_ERR_INPUT, "there is no such job");
        return reply_refusal(e, AM_LAB_NOT_FOUND, &err);
    }
    if (e->plan.step == AM_LAB_FOLLOW_JOB)
        return follow(e, job);
    if (e->plan.step == AM_LAB_FETCH_JOB)
        return fetch(e, job);
    am_lab_jobs_cancel(e->server->jobs, job);
    return reply_text(e, "{\"cancelled\": true}");
}

static enum MHD_Result carry_out(exchange *e) {
    switch (e->plan.step) {
    case AM_LAB_SAY:
        return reply_bytes(e, e->plan.answer.status, e->plan.answer.type, &e->plan.answer.body, 0);
    case AM_LAB_SEND_FILE:
        return reply_file(e);
    case AM_LAB_DO:
        return begin_work(e);
    case AM_LAB_START_JOB:
        return begin_job(e);
    case AM_LAB_FOLLOW_JOB:
    case AM_LAB_FETCH_JOB:
    case AM_LAB_CANCEL_JOB:
        return turn_to_job(e);
    case AM_LAB_TELL_STATUS:
        return reply_status(e);
    case AM_LAB_STOP:
        e->server->stopped = true;
        return reply_text(e, "{\"stopped\": true}");
    }
    return MHD_NO;
}

/* ---- Requests ---- */

static enum MHD_Result take_argument(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    am_lab_request *request = context;
    (void)kind;
    if (request->argument_count == AM_LAB_ARGUMENTS)
        return MHD_NO;
    request->arguments[request->argument_count++] = (am_lab_argument){name, value ? value : ""};
    return MHD_YES;
}

static enum MHD_Result plan_and_carry_out(exchange *e, const char *address, const char *method) {
    const char *accepted = MHD_lookup_connection_value(e->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    am_lab_request request = {.method = method,
                              .path = am_lab_below_token(e->server->token, address),
                              .body = e->body.data,
                              .length = e->body.length,
                              .columns = accepted && strstr(accepted, "application/octet-stream")};
    MHD_get_connection_values(e->connection, MHD_GET_ARGUMENT_KIND, take_argument, &request);
    am_lab_plan_request(&e->server->options, &request, &e->plan);
    e->planned = true;
    am_text_free(&e->body);
    return carry_out(e);
}

/* Seconds that the door stays open for a browser that is just being started. */
static const double door_stays_open = 60;

static bool comes_through_the_door(am_server *s, const char *address) {
    bool open = s->door[0] && am_clock_seconds() - s->begun < door_stays_open && am_lab_is_door(s->door, address);
    if (open)
        s->door[0] = '\0';
    return open;
}

static enum MHD_Result lead_in(exchange *e) {
    char place[AM_LAB_TOKEN + 2];
    struct MHD_Response *response = MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    snprintf(place, sizeof place, "/%s/", e->server->token);
    if (response) {
        add_headers(response, NULL, false);
        MHD_add_response_header(response, MHD_HTTP_HEADER_LOCATION, place);
    }
    e->refused = true; /* a body is not looked at */
    return reply(e, MHD_HTTP_SEE_OTHER, response, 0);
}

/* Before its body is looked at. 0: it may be asked. */
static unsigned objection(const am_server *s, struct MHD_Connection *connection, const char *address) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (!am_lab_below_token(s->token, address))
        return AM_LAB_NOT_FOUND;
    if (!am_lab_is_own(s->port, host, origin))
        return AM_LAB_FORBIDDEN;
    return length && strtoull(length, NULL, 10) > AM_LAB_BODY ? AM_LAB_TOO_LARGE : 0;
}

static enum MHD_Result begin_exchange(am_server *s, struct MHD_Connection *connection, const char *address,
                                      void **place) {
    const union MHD_ConnectionInfo *known = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    line *l = known ? known->socket_context : NULL;
    exchange *e = l ? am_memory_new(1, sizeof *e, NULL) : NULL;
    if (!e)
        return MHD_NO;
    *e = (exchange){.server = s, .line = l, .connection = connection, .begun = am_clock_seconds()};
    l->exchange = *place = e;
    begin_asking(l);
    if (comes_through_the_door(s, address))
        return lead_in(e);
    unsigned status = objection(s, connection, address);
    return status == 0 ? MHD_YES : reply_nothing(e, status);
}

static enum MHD_Result take_body(exchange *e, const char *bytes, size_t *count) {
    if (e->body.length + *count > AM_LAB_BODY) /* one that did not say how long it is */
        return MHD_NO;
    am_text_add_bytes(&e->body, bytes, *count);
    *count = 0;
    return e->body.status == AM_OK ? MHD_YES : MHD_NO;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *address, const char *method,
                              const char *version, const char *bytes, size_t *count, void **place) {
    exchange *e = *place;
    (void)version;
    if (!e)
        return begin_exchange(context, connection, address, place);
    if (e->gone)
        return MHD_NO;
    if (*count > 0 && e->refused) {
        *count = 0;
        return MHD_YES;
    }
    if (*count > 0)
        return take_body(e, bytes, count);
    if (e->answered)
        return reply_bytes(e, e->word.status, (am_lab_type)e->word.type, &e->plan.answer.body, e->word.seconds);
    return e->planned ? MHD_NO : plan_and_carry_out(e, address, method);
}

static void end_exchange(void *context, struct MHD_Connection *connection, void **place,
                         enum MHD_RequestTerminationCode why) {
    am_server *s = context;
    exchange *e = *place;
    (void)connection, (void)why;
    if (!e)
        return;
    if (e->ticket)
        am_lab_team_drop(s->team, e->ticket);
    if (e->job)
        am_lab_job_leave(e->job, e);
    e->line->exchange = NULL;
    begin_asking(e->line);
    am_text_free(&e->body);
    am_lab_plan_clear(&e->plan);
    am_memory_free(e);
    *place = NULL;
}

/* ---- Connections ---- */

static void note_line(void *context, struct MHD_Connection *connection, void **place,
                      enum MHD_ConnectionNotificationCode what) {
    am_server *s = context;
    line *l = *place;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *place = l = am_memory_new(1, sizeof *l, NULL);
        if (!l)
            return;
        *l = (line){.server = s, .socket = info->connect_fd, .next = s->lines};
        begin_asking(l);
        s->lines = l;
    } else if (l) {
        line **at = &s->lines;
        while (*at != l)
            at = &(*at)->next;
        *at = l->next;
        am_memory_free(l);
    }
}

/* What was not taken yet is thrown away. libmicrohttpd notices that the connection is shut, and ends it. */
static void cut(line *l) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(l->socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    shutdown(l->socket, SHUT_RDWR);
    l->is_cut = true;
}

/* Slow senders and slow readers. */
static void close_slow_lines(am_server *s) {
    double now = am_clock_seconds();
    for (line *l = s->lines; l; l = l->next)
        if (l->phase != WORKING && now - l->since > l->most)
            cut(l);
}

static line *longest_silent(const am_server *s) {
    line *oldest = NULL;
    for (line *l = s->lines; l; l = l->next)
        if (l->phase == ASKING && !l->is_cut && (!oldest || l->since < oldest->since))
            oldest = l;
    return oldest;
}

/* Connections that say nothing must not keep others out. true: some have been cut. */
static bool make_room(am_server *s) {
    size_t count = 0;
    bool some = false;
    for (const line *l = s->lines; l; l = l->next)
        count += !l->is_cut;
    for (line *oldest; count > MOST_CONNECTIONS - SPARE_CONNECTIONS && (oldest = longest_silent(s)); count--) {
        cut(oldest);
        some = true;
    }
    return some;
}

/* Sleeping connections are ours to watch: what they wait for is not wanted once the other end is gone. */
static size_t watch_sleepers(const am_server *s, struct pollfd *waiting) {
    size_t count = 0;
    for (const line *l = s->lines; l && count < MOST_CONNECTIONS; l = l->next)
        if (l->exchange && l->exchange->waits)
            waiting[count++] = (struct pollfd){l->socket, POLLRDHUP, 0};
    return count;
}

static void wake_the_left(am_server *s, const struct pollfd *came, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (line *l = s->lines; l && came[i].revents; l = l->next)
            if (l->socket == came[i].fd && l->exchange && l->exchange->waits) {
                exchange *e = l->exchange;
                e->gone = true;
                if (e->ticket)
                    am_lab_team_drop(s->team, e->ticket);
                e->ticket = NULL;
                wake(e);
            }
}

/* ---- The server ---- */

static am_status listen_here(am_server *s, am_error *err) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->options.port)};
    socklen_t length = sizeof address;
    int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listening = socket(AF_INET, SOCK_STREAM, 0);
    if (s->listening < 0)
        return am_fail(err, AM_ERR_FILE, "no connection can be made: %s", strerror(errno));
    fcntl(s->listening, F_SETFD, FD_CLOEXEC);
    fcntl(s->listening, F_SETFL, O_NONBLOCK);
    setsockopt(s->listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(s->listening, (struct sockaddr *)&address, sizeof address) != 0 || listen(s->listening, SOMAXCONN) != 0 ||
        getsockname(s->listening, (struct sockaddr *)&address, &length) != 0)
        return am_fail(err, AM_ERR_INPUT, "port %d of 127.0.0.1 cannot be used: %s", s->options.port, strerror(errno));
    s->port = ntohs(address.sin_port);
    return AM_OK;
}

static am_status open_server(am_server *s, am_error *err) {
    AM_TRY(am_lab_token(s->token, err));
    AM_TRY(am_lab_new_token(s->door, err));
    AM_TRY(listen_here(s, err));
    s->team = am_lab_team_create(&s->options, err);
    s->jobs = s->team ? am_lab_jobs_create(s->team, s->options.patience, wake_follower, err) : NULL;
    if (!s->jobs)
        return err->status;
    s->daemon =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET,
                         s->listening, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_NOTIFY_COMPLETED,
                         end_exchange, s, MHD_OPTION_NOTIFY_CONNECTION, note_line, s, MHD_OPTION_END);
    if (!s->daemon)
        return am_fail(err, AM_ERR_FILE, "the server could not be started: %s", strerror(errno));
    s->listening = -1; /* the daemon's */
    return AM_OK;
}

/* All sleepers wake and find that it is over; then nobody is left. */
static void close_server(am_server *s) {
    if (s->listening >= 0)
        close(s->listening);
    for (line *l = s->lines; l; l = l->next)
        if (l->exchange && l->exchange->waits) {
            l->exchange->gone = true;
            wake(l->exchange);
        }
    if (s->daemon) {
        MHD_run(s->daemon);
        MHD_stop_daemon(s->daemon);
    }
    am_lab_jobs_free(s->jobs);
    am_lab_team_free(s->team);
}

static int milliseconds_to_wait(const am_server *s) {
    MHD_UNSIGNED_LONG_LONG own;
    int timeout = s->lines || am_lab_jobs_count(s->jobs) > 0 ? 250 : -1;
    if (MHD_get_timeout(s->daemon, &own) == MHD_YES && (timeout < 0 || own < (MHD_UNSIGNED_LONG_LONG)timeout))
        timeout = (int)own;
    return timeout;
}

/* Waits until something has come, and deals with it. Signals come only while it waits. */
static void turn(am_server *s, const sigset_t *open_to_signals) {
    struct pollfd waiting[1 + AM_LAB_WORKERS + MOST_CONNECTIONS];
    const union MHD_DaemonInfo *events = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    int timeout = milliseconds_to_wait(s);
    waiting[0] = (struct pollfd){events->epoll_fd, POLLIN, 0};
    size_t workers = am_lab_team_wait_for(s->team, waiting + 1, &timeout);
    size_t sleepers = watch_sleepers(s, waiting + 1 + workers);
    const struct timespec time = {timeout / 1000, timeout % 1000 * 1000000L};
    int came = ppoll(waiting, 1 + workers + sleepers, timeout < 0 ? NULL : &time, open_to_signals);
    if (came > 0) {
        wake_the_left(s, waiting + 1 + workers, sleepers);
        am_lab_team_turn(s->team, waiting + 1, workers);
    } else {
        am_lab_team_turn(s->team, waiting + 1, 0);
    }
    am_lab_jobs_turn(s->jobs);
    close_slow_lines(s);
    bool some = make_room(s);
    MHD_run(s->daemon);
    if (some)
        MHD_run(s->daemon); /* it does not listen while all places are taken, and looks once a turn */
}

static void serve(am_server *s, const am_progress *progress) {
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &before);
    while (!s->stopped && am_progress_report(progress, 0.0))
        turn(s, &before);
    for (int last = 0; s->stopped && last < 3; last++) /* its answer to whoever ended it */
        MHD_run(s->daemon);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Half of what the machine has, if nobody says otherwise. */
static size_t usual_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages / 2 * ((size_t)size >> 10) >> 10 : 4096;
}

am_status am_lab_serve(const am_lab_options *options, const am_progress *progress, am_error *err) {
    am_server server = {.options = *options, .listening = -1, .begun = am_clock_seconds()};
    am_error own = {0};
    if (server.options.memory == 0)
        server.options.memory = usual_memory();
    if (server.options.seconds == 0)
        server.options.seconds = USUAL_SECONDS;
    if (server.options.patience == 0)
        server.options.patience = usual_patience;
    am_status status = open_server(&server, &own);
    if (status == AM_OK) {
        char address[96], door[96];
        snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", server.port, server.token);
        snprintf(door, sizeof door, "http://127.0.0.1:%d/open/%s", server.port, server.door);
        if (options->ready)
            options->ready(options->context, address, door);
        serve(&server, progress);
    } else if (err) {
        *err = own;
    }
    close_server(&server);
    return status;
}
