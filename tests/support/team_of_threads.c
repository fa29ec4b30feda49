#include "team_of_threads.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* What all members share. */
typedef struct table {
    atomic_size_t counter;
    pthread_barrier_t all;
    pthread_mutex_t lock;
    unsigned char *merged;
} table;

typedef struct seat {
    am_team team;
    table *at;
    void (*member)(const am_team *team, void *context);
    void *context;
} seat;

static size_t next(void *context) {
    return atomic_fetch_add(&((seat *)context)->at->counter, 1);
}

static void meet(void *context) {
    seat *s = context;
    pthread_barrier_wait(&s->at->all);
    if (s->team.rank == 0)
        atomic_store(&s->at->counter, 0);
    pthread_barrier_wait(&s->at->all);
}

static void merge(void *context, void *bytes, size_t count) {
    seat *s = context;
    unsigned char *own = bytes;
    if (s->team.rank == 0)
        s->at->merged = calloc(count + 1, 1);
    pthread_barrier_wait(&s->at->all);
    pthread_mutex_lock(&s->at->lock);
    for (size_t i = 0; i < count; i++)
        s->at->merged[i] |= own[i];
    pthread_mutex_unlock(&s->at->lock);
    pthread_barrier_wait(&s->at->all);
    for (size_t i = 0; i < count; i++)
        own[i] = s->at->merged[i];
    pthread_barrier_wait(&s->at->all);
    if (s->team.rank == 0)
        free(s->at->merged);
}

static void *sit(void *context) {
    seat *s = context;
    s->member(&s->team, s->context);
    return NULL;
}

void run_team(size_t size, void (*member)(const am_team *team, void *context), void *context) {
    table shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    seat seats[MOST_MEMBERS];
    pthread_t threads[MOST_MEMBERS];
    assert_true(size > 0 && size <= MOST_MEMBERS);
#ifdef _OPENMP
    omp_get_num_procs(); /* LLVM's OpenMP forgets its locks when the last thread that knew of it ends: not this one */
    omp_get_max_threads();
#endif
    assert_int_equal(pthread_barrier_init(&shared.all, NULL, (unsigned)size), 0);
    for (size_t i = 0; i < size; i++) {
        seats[i] = (seat){.at = &shared, .member = member, .context = context};
        seats[i].team = (am_team){
            .rank = i, .size = size, .context = &seats[i], .next = next, .meet = meet, .merge = merge, .patience = 20};
        assert_int_equal(pthread_create(&threads[i], NULL, sit, &seats[i]), 0);
    }
    for (size_t i = 0; i < size; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&shared.all);
}
