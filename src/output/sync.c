#include "output/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 16, STACK = 1 << 16 };

typedef struct order {
    const int *descriptors;
    size_t count;
    atomic_size_t taken;
    atomic_int reason;
} order;

/* Pipes and some file systems have nothing to settle. */
static int settle(int descriptor) {
    while (fsync(descriptor) != 0) {
        if (errno == EINVAL || errno == ENOTSUP || errno == EOPNOTSUPP)
            return 0;
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

static void *work(void *context) {
    order *o = context;
    for (size_t i; (i = atomic_fetch_add(&o->taken, 1)) < o->count;) {
        int reason = settle(o->descriptors[i]);
        if (reason != 0)
            atomic_store(&o->reason, reason);
    }
    return NULL;
}

/* Where the system starts fewer threads, those that run do all of the work. */
int am_output_sync(const int *descriptors, size_t count) {
    order o = {.descriptors = descriptors, .count = count};
    pthread_t helpers[MOST_THREADS];
    pthread_attr_t small;
    size_t started = 0;
    bool can = count > 1 && pthread_attr_init(&small) == 0;
    if (can)
        pthread_attr_setstacksize(&small, STACK);
    while (can && started < MOST_THREADS && started + 1 < count &&
           pthread_create(&helpers[started], &small, work, &o) == 0)
        started++;
    if (can)
        pthread_attr_destroy(&small);
    work(&o);
    while (started > 0)
        pthread_join(helpers[--started], NULL);
    return atomic_load(&o.reason);
}

/* The one file or folder of that name in an open folder (AT_FDCWD: the current one). */
static int output_sync_name(int folder, const char *name) {
    int descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    int reason = am_output_sync(&descriptor, 1);
    close(descriptor);
    return reason;
}

int am_output_sync_parent(char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    char letter = path[length];
    path[length] = '\0';
    int reason = output_sync_name(AT_FDCWD, length > 0 ? path : ".");
    path[length] = letter;
    return reason == EACCES ? 0 : reason; /* a folder that we may write into but not list */
}
