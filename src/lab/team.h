/* The workers: one is always ready before it is needed, and none outlives what it works for. */
#ifndef AMONTONS_LAB_TEAM_H
#define AMONTONS_LAB_TEAM_H
#include <poll.h>

#include "lab/options.h"
#include "lab/order.h"

typedef struct am_lab_team am_lab_team;

/* An order that was given. It is gone once its answer was heard. */
typedef struct am_lab_ticket am_lab_ticket;

/* Called with events and with the answer, which comes once, always, and last: also when its worker was ended. What
 * `body` holds may be taken. */
typedef void am_lab_hear(void *context, const am_lab_word *word, am_text *body);

am_lab_team *am_lab_team_create(const am_lab_options *options, am_error *err);
void am_lab_team_free(am_lab_team *team); /* ends all workers; answers are not heard any more */

/* The order is copied. NULL with err filled: too many are waiting, or there is no memory. */
am_lab_ticket *am_lab_team_ask(am_lab_team *team, const am_lab_order *order, am_lab_hear *hear, void *context,
                               am_error *err);

/* Nobody wants the answer any more: a worker that is busy with it is ended, and another takes its place. */
void am_lab_team_drop(am_lab_team *team, am_lab_ticket *ticket);

/* For poll: what to wait for (at most AM_LAB_WORKERS), and what came. `timeout`: milliseconds, made smaller where
 * something is to be done sooner. */
enum { AM_LAB_WORKERS = 8 };
size_t am_lab_team_wait_for(am_lab_team *team, struct pollfd *waiting, int *timeout);
void am_lab_team_turn(am_lab_team *team, const struct pollfd *came, size_t count);

/* For the status. */
size_t am_lab_team_answers(const am_lab_team *team);
size_t am_lab_team_count(const am_lab_team *team);
uint64_t am_lab_team_memory(const am_lab_team *team);

#endif
