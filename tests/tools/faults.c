/* Preloaded into a program (LD_PRELOAD), makes calls of the system fail beneath all of its libraries.
 *
 *     AMONTONS_FAULT=CLASS:K       the K-th call of the class fails (from 1), counted over all threads
 *     AMONTONS_FAULT=CLASS:K+      and so do all after it
 *     AMONTONS_FAULT=kill:K        the program is killed (SIGKILL) before its K-th change of files
 *     AMONTONS_FAULT_COUNTS=FILE   how many calls there were, "CLASS N" in each line, when it ends
 *
 * Classes: malloc (calloc, realloc and aligned ones too), netcdf (the same, asked for by NetCDF and HDF5), open (also
 * of streams and folders), write (of streams that it opens, and of standard output, too), rename, link (symbolic ones,
 * folders made, names removed, too), fsync. Files are not really synced: that takes time and changes nothing here.
 * Processes that it becomes by fork count with it; programs that they start are left alone. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum fault_class { MALLOC, NETCDF, OPEN, WRITE, RENAME, LINK, FSYNC, KILL, CLASSES };
static const char *const names[CLASSES] = {"malloc", "netcdf", "open", "write", "rename", "link", "fsync", "kill"};
static const int reasons[CLASSES] = {ENOMEM, ENOMEM, EMFILE, ENOSPC, EIO, EIO, EIO, 0};

static atomic_ulong none[CLASSES], *counts = none; /* shared with the processes that it becomes by fork */
static int failing = CLASSES;                      /* the class */
static unsigned long first;
static bool all_after, begun;
static char counts_path[1024];

static bool fails(enum fault_class c) {
    unsigned long now = atomic_fetch_add(&counts[c], 1) + 1;
    if ((int)c != failing || !begun || !(now == first || (all_after && now > first)))
        return false;
    errno = reasons[c];
    return true;
}

/* A change of files, of whatever class. */
static void change(void) {
    unsigned long now = atomic_fetch_add(&counts[KILL], 1) + 1;
    if (failing == KILL && begun && now == first)
        kill(getpid(), SIGKILL);
}

#define REAL(type, name, ...)                                                                                          \
    static type (*real)(__VA_ARGS__);                                                                                  \
    if (!real)                                                                                                         \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

/* ---- Memory ---- */

enum { MOST_RANGES = 64 };
static struct { uintptr_t from, to; } ranges[MOST_RANGES];
static size_t range_count;

/* Where the code of NetCDF and HDF5 lies. */
static void find_ranges(void) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && range_count < MOST_RANGES && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if ((strstr(line, "libnetcdf") || strstr(line, "libhdf5")) && sscanf(line, "%lx-%lx", &from, &to) == 2) {
            ranges[range_count].from = from;
            ranges[range_count++].to = to;
        }
    }
    if (maps)
        fclose(maps);
}

static enum fault_class asker(const void *caller) {
    for (size_t i = 0; i < range_count; i++)
        if ((uintptr_t)caller >= ranges[i].from && (uintptr_t)caller < ranges[i].to)
            return NETCDF;
    return MALLOC;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    return fails(asker(__builtin_return_address(0))) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails(asker(__builtin_return_address(0))) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return fails(asker(__builtin_return_address(0))) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails(asker(__builtin_return_address(0))) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size) {
    void *found = fails(asker(__builtin_return_address(0))) ? NULL : __libc_memalign(alignment, size);
    if (!found)
        return ENOMEM;
    *place = found;
    return 0;
}

/* So that it is known who asks. */
char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = fails(asker(__builtin_return_address(0))) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* ---- Files ---- */

static bool creates(int flags) {
    return (flags & (O_CREAT | O_TRUNC)) != 0;
}

int openat(int at, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    REAL(int, openat, int, const char *, int, ...);
    if (creates(flags))
        change();
    return fails(OPEN) ? -1 : real(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...) __attribute__((alias("openat")));

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    REAL(int, open, const char *, int, ...);
    if (creates(flags))
        change();
    return fails(OPEN) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

FILE *fopen(const char *path, const char *mode) {
    REAL(FILE *, fopen, const char *, const char *);
    return fails(OPEN) ? NULL : real(path, mode);
}

FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));

DIR *opendir(const char *path) {
    REAL(DIR *, opendir, const char *);
    return fails(OPEN) ? NULL : real(path);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(ssize_t, write, int, const void *, size_t);
    change();
    return fails(WRITE) ? -1 : real(descriptor, bytes, count);
}

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    change();
    return fails(RENAME) ? -1 : real(from, to);
}

int renameat(int from, const char *old, int to, const char *new) {
    REAL(int, renameat, int, const char *, int, const char *);
    change();
    return fails(RENAME) ? -1 : real(from, old, to, new);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    change();
    return fails(LINK) ? -1 : real(from, old, to, new, flags);
}

int symlinkat(const char *target, int at, const char *path) {
    REAL(int, symlinkat, const char *, int, const char *);
    change();
    return fails(LINK) ? -1 : real(target, at, path);
}

int mkdirat(int at, const char *path, mode_t mode) {
    REAL(int, mkdirat, int, const char *, mode_t);
    change();
    return fails(LINK) ? -1 : real(at, path, mode);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    change();
    return fails(LINK) ? -1 : real(path, mode);
}

int unlinkat(int at, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    change();
    return fails(LINK) ? -1 : real(at, path, flags);
}

int fsync(int descriptor) {
    (void)descriptor;
    change();
    return fails(FSYNC) ? -1 : 0;
}

/* ---- Beginning and end ---- */

/* The C library writes its streams by a function that cannot be replaced: standard output gets another one. */
static ssize_t write_out(void *cookie, const char *bytes, size_t count) {
    (void)cookie;
    ssize_t taken = write(1, bytes, count);
    return taken < 0 ? 0 : taken;
}

__attribute__((constructor)) static void begin(void) {
    const char *fault = getenv("AMONTONS_FAULT"), *path = getenv("AMONTONS_FAULT_COUNTS");
    snprintf(counts_path, sizeof counts_path, "%s", path ? path : "");
    for (int c = 0; fault && c < CLASSES; c++) {
        size_t length = strlen(names[c]);
        if (strncmp(fault, names[c], length) != 0 || fault[length] != ':')
            continue;
        char *rest = NULL;
        first = strtoul(fault + length + 1, &rest, 10);
        all_after = *rest == '+';
        failing = c;
    }
    unsetenv("LD_PRELOAD");
    find_ranges();
    FILE *out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_out});
    if (out)
        stdout = out;
    void *shared = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED)
        counts = shared;
    for (int c = 0; c < CLASSES; c++)
        atomic_store(&counts[c], 0);
    begun = true;
}

__attribute__((destructor)) static void finish(void) {
    begun = false;
    FILE *file = counts_path[0] ? fopen(counts_path, "w") : NULL;
    for (int c = 0; file && c < CLASSES; c++)
        fprintf(file, "%s %lu\n", names[c], atomic_load(&counts[c]));
    if (file)
        fclose(file);
}
