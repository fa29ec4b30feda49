/* Between the command and its module for MPI. */
#ifndef AMONTONS_APP_RANKS_H
#define AMONTONS_APP_RANKS_H
#include "amontons/result.h"

#define AM_TEAM_MODULE "libamontons_mpi.so"
#define AM_TEAM_ENTER "am_team_module_enter"
#define AM_TEAM_EXIT "am_team_module_exit"

/* The module's own MPI comes before whatever else is loaded; sanitizers cannot bear that. */
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define AM_TEAM_BINDING RTLD_DEEPBIND
#else
#define AM_TEAM_BINDING 0
#endif

/* The team, or NULL with what is wrong. */
typedef const am_team *(*am_team_enter_function)(const char **problem);
const am_team *am_team_module_enter(const char **problem);

/* `failed` other than 0: the whole job ends with it, so that nobody waits for this member. */
typedef void (*am_team_exit_function)(int failed);
void am_team_module_exit(int failed);

#endif
