/* The lock is flock(2) on a small file in the folder. The system releases it however its holder ends, so that a
 * killed run blocks nobody; the file names the holder, for messages. */
#define _GNU_SOURCE /* flock */
#include "output/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "output/file.h"
#include "output/sync.h"

enum { MOST_ATTEMPTS = 100 };

const char am_claim_name[] = ".amontons-lock";

struct am_claim {
    uint64_t tag; /* AM_TAG_CLAIM */
    char *path;
    int folder, lock; /* descriptors */
};

const char *am_claim_folder(const am_claim *claim) {
    return claim->path;
}

int am_claim_descriptor(const am_claim *claim) {
    return claim->folder;
}

/* ---- Who ---- */

static void sign(int lock) {
    char host[256] = "", line[400], since[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "this machine");
    if (gmtime_r(&now, &parts))
        strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &parts);
    int length = snprintf(line, sizeof line, "process %ld on %s since %s\n", (long)getpid(), host, since);
    if (ftruncate(lock, 0) != 0 || write(lock, line, (size_t)length) != length)
        return; /* a disk without room for a line: the lock holds, but does not say whose it is */
}

/* The line, without what could confuse a terminal. */
static void read_signature(int lock, char *words, size_t size) {
    ssize_t length = pread(lock, words, size - 1, 0);
    words[length > 0 ? length : 0] = '\0';
    words[strcspn(words, "\n")] = '\0';
    for (char *c = words; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c == 0x7f)
            *c = '?';
}

void am_claim_holder(int folder, char *words, size_t size) {
    words[0] = '\0';
    int lock = openat(folder, am_claim_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (lock < 0)
        return;
    if (flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        read_signature(lock, words, size);
    close(lock);
}

/* ---- Taking it ---- */

/* Is this still the file of that name? Its last holder may have removed it after we opened it. */
static bool is_current(int folder, int lock) {
    struct stat ours, named;
    return fstat(lock, &ours) == 0 && fstatat(folder, am_claim_name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

static am_status refuse(const am_claim *claim, int lock, am_error *err) {
    char words[400];
    read_signature(lock, words, sizeof words);
    return am_fail(err, AM_ERR_FILE, "%s is in use by %s: wait until it has ended, or take another folder (--out)",
                   claim->path, words[0] ? words : "another run");
}

static am_status fail_to_write(const am_claim *claim, int reason, am_error *err) {
    return am_fail(err, AM_ERR_FILE, "results cannot be written into %s: %s", claim->path, strerror(reason));
}

/* One attempt; *again: somebody else was faster. */
static am_status attempt(am_claim *claim, bool *again, am_error *err) {
    const int how = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int lock = openat(claim->folder, am_claim_name, O_RDWR | O_CREAT | how, 0666);
    int reason = errno;
    bool foreign = lock < 0 && reason == EACCES; /* left by another user's run */
    if (foreign)
        lock = openat(claim->folder, am_claim_name, O_RDONLY | how);
    if (lock < 0)
        return fail_to_write(claim, reason, err);
    if (flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        am_status status = refuse(claim, lock, err); /* a file system without locks is used without */
        close(lock);
        return status;
    }
    *again = !is_current(claim->folder, lock);
    if (!*again && foreign) {
        *again = unlinkat(claim->folder, am_claim_name, 0) == 0;
        if (!*again) {
            close(lock);
            return fail_to_write(claim, EACCES, err);
        }
    }
    if (*again) {
        close(lock);
        return AM_OK;
    }
    claim->lock = lock;
    sign(lock);
    return AM_OK;
}

static am_status take(am_claim *claim, am_error *err) {
    do
        claim->folder = open(claim->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (claim->folder < 0 && errno == EINTR);
    if (claim->folder < 0)
        return fail_to_write(claim, errno, err);
    bool again = true;
    am_status status = AM_OK;
    for (int i = 0; status == AM_OK && again && i < MOST_ATTEMPTS; i++)
        status = attempt(claim, &again, err);
    return status == AM_OK && again ? fail_to_write(claim, EBUSY, err) : status;
}

am_status am_claim_open(am_claim **claim, const char *folder, am_error *err) {
    *claim = NULL;
    AM_TRY(am_output_make_folder(folder, err));
    am_claim *made = am_memory_new(1, sizeof *made, err);
    if (!made)
        return AM_ERR_MEMORY;
    made->tag = AM_TAG_CLAIM;
    made->folder = made->lock = -1;
    made->path = am_memory_text(folder, err);
    am_status status = made->path ? take(made, err) : AM_ERR_MEMORY;
    if (status == AM_OK)
        *claim = made;
    else
        am_output_release(made);
    return status;
}

am_claim *am_output_claim(const char *folder, am_error *err) {
    am_claim *claim;
    am_claim_open(&claim, folder, err);
    return claim;
}

void am_output_release(am_claim *claim) {
    if (!am_is(claim, AM_TAG_CLAIM))
        return;
    if (claim->lock >= 0) {
        unlinkat(claim->folder, am_claim_name, 0); /* while we hold it: nobody else loses a lock */
        close(claim->lock);
    }
    if (claim->folder >= 0) {
        am_output_sync(&claim->folder, 1); /* so that a cut of power does not bring back what was removed */
        close(claim->folder);
    }
    am_memory_free(claim->path);
    am_object_bury(claim, sizeof *claim);
}
