/* The ranks of an MPI job as a team. `mpirun amontons run study.yaml` starts the same command several times; whether it
 * belongs to a job is seen from the variables that MPI's launchers set. Only then is MPI loaded, as a module of its own
 * (ranks_mpi.c): a command started alone does not wait for it, and the stubs of MPI that sequential MUMPS brings along
 * cannot be taken for the real one. */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/ranks.h"

/* Open MPI, MPICH and Intel's, Slurm's srun. */
static bool is_in_a_job(void) {
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i]))
            return true;
    return false;
}

int am_team_threads(void) {
    const char *beside = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    beside = beside ? beside : getenv("MPI_LOCALNRANKS");
    long cores = sysconf(_SC_NPROCESSORS_ONLN), members = beside ? atol(beside) : 1;
    return cores > members && members > 0 ? (int)(cores / members) : 1;
}

static size_t size_of_job(void) {
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (getenv(sizes[i]))
            return (size_t)strtoul(getenv(sizes[i]), NULL, 10);
    return 1;
}

/* One of several without MPI: each would compute everything, and all would write the same files. */
static am_exit refuse(const char *why) {
    am_print_error("this process is one of several of an MPI job, but MPI cannot be used (%s): install MPI (Debian: "
                   "openmpi-bin, libopenmpi-dev) and build again, or run the command alone",
                   why);
    return AM_EXIT_INVALID;
}

/* By its whole path, so that no search of the loader decides which module is run. */
static void *open_module(void) {
    char path[4200];
    bool there = am_beside_command(AMONTONS_MODULES_FROM_COMMAND "/" AM_TEAM_MODULE, path, sizeof path) ||
                 am_beside_command(AM_TEAM_MODULE, path, sizeof path);
    return there ? dlopen(path, RTLD_NOW | RTLD_LOCAL | AM_TEAM_BINDING) : NULL;
}

am_exit am_team_join(const am_team **team) {
    *team = NULL;
    if (!is_in_a_job() || size_of_job() < 2)
        return AM_EXIT_DONE;
    void *module = open_module();
    const char *reason = module ? NULL : dlerror();
    if (!module)
        return refuse(reason ? reason : "its module " AM_TEAM_MODULE " is not there");
    void *symbol = dlsym(module, AM_TEAM_ENTER);
    am_team_enter_function enter;
    memcpy(&enter, &symbol, sizeof enter); /* C has no cast from objects to functions; POSIX gives both one form */
    const char *problem = NULL;
    *team = enter ? enter(&problem) : NULL;
    return *team ? AM_EXIT_DONE : refuse(problem ? problem : "its module is damaged");
}

void am_team_leave(const am_team *team, am_exit status) {
    void *module = team ? open_module() : NULL;
    void *symbol = module ? dlsym(module, AM_TEAM_EXIT) : NULL;
    am_team_exit_function leave;
    memcpy(&leave, &symbol, sizeof leave);
    if (status == AM_EXIT_INVALID && am_team_rank(team) > 0)
        sleep(1); /* the first member finds the same, and says so before the job is ended */
    if (leave)
        leave(status == AM_EXIT_DONE || status == AM_EXIT_NOT_MET ? 0 : (int)status);
}
