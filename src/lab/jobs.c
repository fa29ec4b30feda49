#include "lab/jobs.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/local.h"
#include "lab/gate.h"
#include "lab/work.h"

/* Parts of the patience that there is with a connection (20 seconds): a job goes on without a follower at its beginning
 * (30 seconds), and after one has left (5); its results are kept (60). Seconds between two signs of life. */
static const double to_begin = 1.5, to_return = 0.25, to_fetch = 3, between_signs = 10;

enum { MOST_JOBS = 32, MOST_UNREAD = 1 << 20 }; /* jobs: with those that have ended and are kept */

struct am_lab_job {
    uint64_t number;
    am_lab_jobs *all;
    am_lab_ticket *ticket;  /* NULL: it has ended */
    am_lab_answer answer;   /* then */
    void *follower;         /* NULL: nobody */
    double alone;           /* since when nobody follows it, or since when it has ended */
    bool followed, told;    /* somebody has followed it; its end is among the events */
    double sign;            /* when something was last said */
    am_text events;         /* that are not read yet */
    size_t read;            /* bytes of them that are */
    am_text progress, part; /* the last of each, for a new follower */
    am_lab_job *next;
};

struct am_lab_jobs {
    am_lab_team *team;
    double patience;
    am_lab_wake *wake;
    am_lab_job *first;
    size_t count;
};

am_lab_jobs *am_lab_jobs_create(am_lab_team *team, double patience, am_lab_wake *wake, am_error *err) {
    am_lab_jobs *jobs = am_memory_new(1, sizeof *jobs, err);
    if (jobs)
        *jobs = (am_lab_jobs){.team = team, .patience = patience, .wake = wake};
    return jobs;
}

static void forget(am_lab_jobs *jobs, am_lab_job *job) {
    am_lab_job **at = &jobs->first;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    jobs->count--;
    am_text_free(&job->answer.body);
    am_text_free(&job->events);
    am_text_free(&job->progress);
    am_text_free(&job->part);
    am_memory_free(job);
}

void am_lab_jobs_free(am_lab_jobs *jobs) {
    while (jobs && jobs->first) {
        if (jobs->first->ticket)
            am_lab_team_drop(jobs->team, jobs->first->ticket);
        forget(jobs, jobs->first);
    }
    am_memory_free(jobs);
}

/* ---- Events ---- */

/* "event: NAME", "data: ...": line ends of a document stand between its members only, and are blanks then. */
static void write_event(am_text *out, const char *name, const char *data, size_t length) {
    am_text_printf(out, "event: %s\ndata: ", name);
    size_t from = out->length;
    am_text_add_bytes(out, data, length);
    for (size_t i = from; out->status == AM_OK && i < out->length; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
    am_text_add(out, "\n\n");
}

static void say(am_lab_job *job, const am_text *event, bool needed) {
    if (!job->follower || (!needed && job->events.length - job->read > MOST_UNREAD))
        return;
    if (job->read == job->events.length) {
        am_text_clear(&job->events);
        job->read = 0;
    }
    am_text_add_bytes(&job->events, am_text_view(event), event->length);
    job->sign = am_clock_seconds();
    job->all->wake(job->follower, false);
}

static void send_end(am_lab_job *job) {
    static const char columns[] = "{\"columns\": true}";
    AM_LOCAL(am_text_free) am_text event = {0};
    const am_lab_answer *answer = &job->answer;
    if (answer->type == AM_LAB_JSON)
        write_event(&event, answer->status == AM_LAB_OK ? "done" : "failed", am_text_view(&answer->body),
                    answer->body.length);
    else
        write_event(&event, "done", columns, strlen(columns));
    say(job, &event, true);
    job->told = job->follower != NULL;
}

static void hear_progress(am_lab_job *job, const am_lab_word *word) {
    AM_LOCAL(am_text_free) am_text data = {0};
    am_text_printf(&data, "{\"share\": %.6f, \"seconds_left\": ", word->share);
    if (word->seconds >= 0)
        am_text_printf(&data, "%.1f}", word->seconds);
    else
        am_text_add(&data, "null}");
    am_text_clear(&job->progress);
    write_event(&job->progress, "progress", am_text_view(&data), data.length);
    say(job, &job->progress, false);
}

static void hear(void *context, const am_lab_word *word, am_text *body) {
    am_lab_job *job = context;
    if (word->kind == AM_LAB_PROGRESS) {
        hear_progress(job, word);
    } else if (word->kind == AM_LAB_PARTIAL) {
        am_text_clear(&job->part);
        if (word->type == AM_LAB_JSON)
            write_event(&job->part, "partial", am_text_view(body), body->length);
        say(job, &job->part, false);
    } else {
        job->ticket = NULL;
        job->answer = (am_lab_answer){word->status, (am_lab_type)word->type, *body};
        *body = (am_text){0};
        job->alone = am_clock_seconds();
        send_end(job);
    }
}

/* ---- Jobs ---- */

/* Results that nobody has fetched make room for new work, the oldest first. */
static void forget_oldest(am_lab_jobs *jobs) {
    am_lab_job *oldest = NULL;
    for (am_lab_job *job = jobs->first; job; job = job->next)
        if (!job->ticket && !job->follower && (!oldest || job->alone < oldest->alone))
            oldest = job;
    if (oldest)
        forget(jobs, oldest);
}

am_status am_lab_jobs_start(am_lab_jobs *jobs, const am_lab_order *order, uint64_t *number, am_error *err) {
    if (jobs->count >= MOST_JOBS)
        forget_oldest(jobs);
    if (jobs->count >= MOST_JOBS)
        return am_fail(err, AM_ERR_LIMIT, "the lab is busy: there are %d jobs already", MOST_JOBS);
    AM_TRY(am_lab_random(number, err));
    am_lab_job *job = am_memory_new(1, sizeof *job, err);
    if (!job)
        return AM_ERR_MEMORY;
    *job = (am_lab_job){.number = *number, .all = jobs, .alone = am_clock_seconds()};
    job->ticket = am_lab_team_ask(jobs->team, order, hear, job, err);
    if (!job->ticket) {
        am_memory_free(job);
        return err->status;
    }
    job->next = jobs->first;
    jobs->first = job;
    jobs->count++;
    return AM_OK;
}

am_lab_job *am_lab_jobs_find(am_lab_jobs *jobs, uint64_t number) {
    am_lab_job *job = jobs->first;
    while (job && job->number != number)
        job = job->next;
    return job;
}

/* Whoever follows it hears that it has ended. */
void am_lab_jobs_cancel(am_lab_jobs *jobs, am_lab_job *job) {
    am_error err = {0};
    if (!job->ticket)
        return;
    am_lab_team_drop(jobs->team, job->ticket);
    job->ticket = NULL;
    am_fail(&err, AM_ERR_INTERRUPTED, "cancelled");
    am_lab_refuse(&job->answer, AM_LAB_FAILED, &err);
    job->alone = am_clock_seconds();
    send_end(job);
}

void am_lab_job_follow(am_lab_job *job, void *follower) {
    void *older = job->follower;
    job->follower = follower;
    job->followed = true;
    am_text_clear(&job->events);
    job->read = 0;
    if (older)
        job->all->wake(older, true);
    if (job->ticket) {
        say(job, &job->progress, false);
        say(job, &job->part, false);
    } else {
        send_end(job);
    }
}

void am_lab_job_leave(am_lab_job *job, void *follower) {
    if (job->follower != follower)
        return;
    job->follower = NULL;
    job->alone = am_clock_seconds();
}

size_t am_lab_job_read(am_lab_job *job, char *bytes, size_t most, bool *ended) {
    size_t count = job->events.length - job->read;
    *ended = job->events.status != AM_OK || (count == 0 && job->told);
    if (*ended || count == 0)
        return 0;
    count = count < most ? count : most;
    memcpy(bytes, job->events.data + job->read, count);
    job->read += count;
    return count;
}

const am_lab_answer *am_lab_job_answer(const am_lab_job *job) {
    return job->ticket ? NULL : &job->answer;
}

void am_lab_jobs_turn(am_lab_jobs *jobs) {
    static const am_text sign = {.data = (char *)": \n\n", .length = 4};
    double now = am_clock_seconds();
    for (am_lab_job *job = jobs->first, *next; job; job = next) {
        next = job->next;
        double since = (now - job->alone) / jobs->patience;
        if (job->follower && now - job->sign > between_signs)
            say(job, &sign, false);
        if (job->ticket && !job->follower && since > (job->followed ? to_return : to_begin))
            am_lab_jobs_cancel(jobs, job);
        else if (!job->ticket && !job->follower && since > to_fetch)
            forget(jobs, job);
    }
}

size_t am_lab_jobs_count(const am_lab_jobs *jobs) {
    return jobs->count;
}
