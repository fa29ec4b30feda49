/* A module of the command: the ranks of an MPI job as a team. */
#include <mpi.h>

#include "app/ranks.h"

/* A counter that lives with rank 0. */
typedef struct ranks {
    am_team team;
    MPI_Win window;
    long long *counter; /* rank 0's own memory of the window */
} ranks;

static ranks job; /* MPI itself is one for the whole process */

static size_t next(void *context) {
    ranks *r = context;
    long long one = 1, before = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, r->window);
    MPI_Fetch_and_op(&one, &before, MPI_LONG_LONG, 0, 0, MPI_SUM, r->window);
    MPI_Win_unlock(0, r->window);
    return (size_t)before;
}

static void meet(void *context) {
    ranks *r = context;
    long long zero = 0, before = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->team.rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, r->window);
        MPI_Fetch_and_op(&zero, &before, MPI_LONG_LONG, 0, 0, MPI_REPLACE, r->window);
        MPI_Win_unlock(0, r->window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void merge(void *context, void *bytes, size_t count) {
    enum { PIECE = 1 << 28 }; /* MPI counts with int */
    (void)context;
    for (size_t done = 0; done < count; done += PIECE)
        MPI_Allreduce(MPI_IN_PLACE, (char *)bytes + done, count - done < PIECE ? (int)(count - done) : PIECE, MPI_BYTE,
                      MPI_BOR, MPI_COMM_WORLD);
}

const am_team *am_team_module_enter(const char **problem) {
    int provided = 0, rank = 0, size = 1;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_SERIALIZED) {
        *problem = "this MPI does not let threads take part";
        return NULL;
    }
    job.team = (am_team){
        .rank = (size_t)rank, .size = (size_t)size, .context = &job, .next = next, .meet = meet, .merge = merge};
    MPI_Win_allocate(rank == 0 ? sizeof *job.counter : 0, sizeof *job.counter, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &job.counter, &job.window);
    if (rank == 0)
        *job.counter = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    return &job.team;
}

void am_team_module_exit(int failed) {
    if (failed)
        MPI_Abort(MPI_COMM_WORLD, failed);
    MPI_Win_free(&job.window);
    MPI_Finalize();
}
