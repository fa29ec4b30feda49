/* A team whose members are threads of the test. */
#ifndef AMONTONS_TESTS_TEAM_OF_THREADS_H
#define AMONTONS_TESTS_TEAM_OF_THREADS_H
#include "amontons/result.h"

enum { MOST_MEMBERS = 8 };

/* Calls `member` in `size` threads at once and returns when all have ended. cmocka's assertions belong to the main
 * thread: members only note what they find. */
void run_team(size_t size, void (*member)(const am_team *team, void *context), void *context);

#endif
