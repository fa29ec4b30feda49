#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_NODES = 4000, MOST_CHANGES = 20000, MOST_ENTRIES = 4000, MOST_DESCRIPTORS = 1024 };

typedef enum kind { FILE_NODE, FOLDER_NODE, LINK_NODE } kind;
typedef struct node {
    kind kind;
    char target[512]; /* of a symbolic link */
} node;

/* A change: bytes added to a node, or a name set and another one unset. */
typedef enum action { WRITE, NAME, SYNC } action;
typedef struct change {
    action action;
    int node;                  /* written, named or synced */
    char *bytes;               /* WRITE; NULL: all bytes are taken away first */
    size_t count;              /* WRITE */
    int into, from;            /* NAME: folders; -1: none */
    char name[256], gone[256]; /* NAME: set in `into`, unset in `from` */
} change;

/* The names of all folders: (folder, name) -> node. */
typedef struct entry {
    int folder, node;
    char name[256];
} entry;
typedef struct tree {
    size_t count;
    entry *entries;
} tree;

typedef struct content {
    char *bytes;
    size_t count;
} content;

static struct {
    bool watching;
    char root[1024];
    size_t node_count, change_count;
    node nodes[MOST_NODES];
    change changes[MOST_CHANGES];
    content first[MOST_NODES]; /* bytes that were safe when the watch began */
    tree begun, now, cut;
    content left[MOST_NODES];   /* after the cut */
    int open[MOST_DESCRIPTORS]; /* nodes + 1 */
    pthread_mutex_t lock;
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool disk_refuses_links, disk_refuses_symbolic_links;

/* ---- Trees ---- */

static int look_up(const tree *t, int folder, const char *name) {
    for (size_t i = 0; i < t->count; i++)
        if (t->entries[i].folder == folder && strcmp(t->entries[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void unset(tree *t, int folder, const char *name) {
    int i = look_up(t, folder, name);
    if (i >= 0)
        t->entries[i] = t->entries[--t->count];
}

static void set(tree *t, int folder, const char *name, int node) {
    unset(t, folder, name);
    assert_true(t->count < MOST_ENTRIES);
    entry *e = &t->entries[t->count++];
    e->folder = folder;
    e->node = node;
    snprintf(e->name, sizeof e->name, "%s", name);
}

static void apply(tree *t, const change *c) {
    if (c->action != NAME)
        return;
    if (c->from >= 0)
        unset(t, c->from, c->gone);
    if (c->into >= 0)
        set(t, c->into, c->name, c->node);
}

static void copy_tree(tree *to, const tree *from) {
    if (!to->entries)
        to->entries = calloc(MOST_ENTRIES, sizeof *to->entries);
    assert_non_null(to->entries);
    to->count = from->count;
    if (from->count > 0)
        memcpy(to->entries, from->entries, from->count * sizeof *from->entries);
}

/* The node at a path below a folder; links are followed. -1: none. */
static int resolve(const tree *t, int folder, const char *path, bool follow_last, int depth) {
    char part[256];
    while (*path == '/')
        path++;
    if (!*path)
        return folder;
    size_t length = strcspn(path, "/");
    assert_true(length < sizeof part);
    memcpy(part, path, length);
    part[length] = '\0';
    const char *rest = path + length;
    if (strcmp(part, ".") == 0)
        return resolve(t, folder, rest, follow_last, depth);
    int i = look_up(t, folder, part);
    if (i < 0)
        return -1;
    int found = t->entries[i].node;
    bool last = *rest == '\0';
    if (disk.nodes[found].kind == LINK_NODE && (!last || follow_last)) {
        assert_true(depth < 8 && disk.nodes[found].target[0] != '/');
        found = resolve(t, folder, disk.nodes[found].target, true, depth + 1);
        if (found < 0)
            return -1;
    }
    return last ? found : disk.nodes[found].kind == FOLDER_NODE ? resolve(t, found, rest, follow_last, depth) : -1;
}

static int new_node(kind k, const char *target) {
    assert_true(disk.node_count < MOST_NODES);
    node *n = &disk.nodes[disk.node_count];
    n->kind = k;
    snprintf(n->target, sizeof n->target, "%s", target);
    return (int)disk.node_count++;
}

/* ---- Noting ---- */

static change *note(action a, int node) {
    assert_true(disk.change_count < MOST_CHANGES);
    change *c = &disk.changes[disk.change_count++];
    *c = (change){.action = a, .node = node, .into = -1, .from = -1};
    return c;
}

static void note_name(int node, int into, const char *name, int from, const char *gone) {
    change *c = note(NAME, node);
    c->into = into;
    c->from = from;
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->gone, sizeof c->gone, "%s", gone);
    apply(&disk.now, c);
}

/* Folder and last name of a path as the system is given it; false: it lies elsewhere. */
static bool place_of(int at, const char *path, int *folder, const char **name) {
    size_t length = strlen(disk.root);
    int base = -1;
    if (path[0] == '/' || at == AT_FDCWD) {
        if (strncmp(path, disk.root, length) != 0 || (path[length] != '/' && path[length] != '\0'))
            return false;
        path += length;
        base = 0;
    } else if (at >= 0 && at < MOST_DESCRIPTORS) {
        base = disk.open[at] - 1;
    }
    if (base < 0)
        return false;
    while (*path == '/')
        path++;
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (!slash) {
        *folder = base;
        return true;
    }
    char above[1024];
    snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
    *folder = resolve(&disk.now, base, above, true, 0);
    return *folder >= 0;
}

static void lock(void) {
    pthread_mutex_lock(&disk.lock);
}

static int unlock(int outcome) {
    int reason = errno;
    pthread_mutex_unlock(&disk.lock);
    errno = reason;
    return outcome;
}

/* ---- The functions of the system ---- */

int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_close(int descriptor);
int __wrap_close(int descriptor);
ssize_t __real_write(int descriptor, const void *bytes, size_t count);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t count);
int __real_ftruncate(int descriptor, off_t length);
int __wrap_ftruncate(int descriptor, off_t length);
int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __real_mkdirat(int at, const char *path, mode_t mode);
int __wrap_mkdirat(int at, const char *path, mode_t mode);
int __real_rmdir(const char *path);
int __wrap_rmdir(const char *path);
int __real_remove(const char *path);
int __wrap_remove(const char *path);
int __real_unlinkat(int at, const char *path, int flags);
int __wrap_unlinkat(int at, const char *path, int flags);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new);
int __real_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags);
int __real_symlinkat(const char *target, int at, const char *path);
int __wrap_symlinkat(const char *target, int at, const char *path);

static void note_open(int descriptor, int at, const char *path, int flags) {
    int folder;
    const char *name;
    if (!disk.watching || descriptor < 0 || !place_of(at, path, &folder, &name))
        return;
    assert_true(descriptor < MOST_DESCRIPTORS);
    int found = *name ? resolve(&disk.now, folder, name, true, 0) : folder;
    if (found < 0) {
        assert_true(flags & O_CREAT);
        found = new_node(FILE_NODE, "");
        note_name(found, folder, name, -1, "");
    } else if (flags & O_TRUNC) {
        note(WRITE, found);
    }
    disk.open[descriptor] = found + 1;
}

static mode_t mode_of(int flags, va_list list) {
    return flags & O_CREAT ? (mode_t)va_arg(list, int) : 0;
}

int __wrap_openat(int at, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    lock();
    int descriptor = __real_openat(at, path, flags, mode);
    note_open(descriptor, at, path, flags);
    return unlock(descriptor);
}

int __wrap_open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    lock();
    int descriptor = __real_open(path, flags, mode);
    note_open(descriptor, AT_FDCWD, path, flags);
    return unlock(descriptor);
}

int __wrap_close(int descriptor) {
    lock();
    if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS)
        disk.open[descriptor] = 0;
    return unlock(__real_close(descriptor));
}

static int node_of(int descriptor) {
    return disk.watching && descriptor >= 0 && descriptor < MOST_DESCRIPTORS ? disk.open[descriptor] - 1 : -1;
}

ssize_t __wrap_write(int descriptor, const void *bytes, size_t count) {
    lock();
    ssize_t taken = __real_write(descriptor, bytes, count);
    int n = node_of(descriptor);
    if (n >= 0 && taken > 0) {
        change *c = note(WRITE, n);
        c->count = (size_t)taken;
        c->bytes = malloc((size_t)taken);
        assert_non_null(c->bytes);
        memcpy(c->bytes, bytes, (size_t)taken);
    }
    unlock(0);
    return taken;
}

int __wrap_ftruncate(int descriptor, off_t length) {
    lock();
    int outcome = __real_ftruncate(descriptor, length);
    if (node_of(descriptor) >= 0 && outcome == 0) {
        assert_int_equal(length, 0);
        note(WRITE, node_of(descriptor));
    }
    return unlock(outcome);
}

int __wrap_fsync(int descriptor) { /* the model's word is enough: the real disk need not be waited for */
    lock();
    if (node_of(descriptor) >= 0)
        note(SYNC, node_of(descriptor));
    return unlock(0);
}

int __wrap_mkdirat(int at, const char *path, mode_t mode) {
    int folder;
    const char *name;
    lock();
    int outcome = __real_mkdirat(at, path, mode);
    if (outcome == 0 && disk.watching && place_of(at, path, &folder, &name))
        note_name(new_node(FOLDER_NODE, ""), folder, name, -1, "");
    return unlock(outcome);
}

int __wrap_mkdir(const char *path, mode_t mode) {
    return __wrap_mkdirat(AT_FDCWD, path, mode);
}

int __wrap_unlinkat(int at, const char *path, int flags) {
    int folder;
    const char *name;
    lock();
    int outcome = __real_unlinkat(at, path, flags);
    if (outcome == 0 && disk.watching && place_of(at, path, &folder, &name))
        note_name(-1, -1, "", folder, name);
    return unlock(outcome);
}

int __wrap_rmdir(const char *path) {
    return __wrap_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int __wrap_remove(const char *path) {
    return __wrap_unlinkat(AT_FDCWD, path, 0) == 0 ? 0 : __wrap_rmdir(path);
}

int __wrap_renameat(int from, const char *old, int to, const char *new) {
    int source, target;
    const char *gone, *name;
    lock();
    int outcome = __real_renameat(from, old, to, new);
    if (outcome == 0 && disk.watching && place_of(from, old, &source, &gone) && place_of(to, new, &target, &name)) {
        int i = look_up(&disk.now, source, gone), j = look_up(&disk.now, target, name);
        assert_true(i >= 0);
        if (j < 0 || disk.now.entries[i].node != disk.now.entries[j].node) /* two names of one file both stay */
            note_name(disk.now.entries[i].node, target, name, source, gone);
    }
    return unlock(outcome);
}

int __wrap_rename(const char *from, const char *to) {
    return __wrap_renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int __wrap_linkat(int from, const char *old, int to, const char *new, int flags) {
    int source, target;
    const char *gone, *name;
    if (disk_refuses_links) {
        errno = EPERM;
        return -1;
    }
    lock();
    int outcome = __real_linkat(from, old, to, new, flags);
    if (outcome == 0 && disk.watching && place_of(from, old, &source, &gone) && place_of(to, new, &target, &name))
        note_name(disk.now.entries[look_up(&disk.now, source, gone)].node, target, name, -1, "");
    return unlock(outcome);
}

int __wrap_symlinkat(const char *target, int at, const char *path) {
    int folder;
    const char *name;
    if (disk_refuses_symbolic_links) {
        errno = EPERM;
        return -1;
    }
    lock();
    int outcome = __real_symlinkat(target, at, path);
    if (outcome == 0 && disk.watching && place_of(at, path, &folder, &name))
        note_name(new_node(LINK_NODE, target), folder, name, -1, "");
    return unlock(outcome);
}

/* ---- Watching ---- */

static void take_in(const char *path, int folder) {
    DIR *directory = opendir(path);
    assert_non_null(directory);
    const struct dirent *e;
    while ((e = readdir(directory)) != NULL) {
        char inner[2048];
        struct stat info;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        assert_int_equal(lstat(inner, &info), 0);
        int n = new_node(S_ISDIR(info.st_mode) ? FOLDER_NODE : FILE_NODE, "");
        assert_false(S_ISLNK(info.st_mode));
        set(&disk.now, folder, e->d_name, n);
        if (S_ISDIR(info.st_mode)) {
            take_in(inner, n);
            continue;
        }
        content *c = &disk.first[n];
        c->count = (size_t)info.st_size;
        c->bytes = malloc(c->count + 1);
        FILE *file = fopen(inner, "rb");
        assert_true(file && c->bytes && fread(c->bytes, 1, c->count, file) == c->count);
        fclose(file);
    }
    closedir(directory);
}

void disk_watch(const char *folder) {
    disk_free();
    snprintf(disk.root, sizeof disk.root, "%s", folder);
    const tree empty = {0};
    copy_tree(&disk.now, &empty);
    take_in(folder, new_node(FOLDER_NODE, ""));
    copy_tree(&disk.begun, &disk.now);
    disk.watching = true;
}

void disk_stop(void) {
    disk.watching = false;
}

size_t disk_changes(void) {
    return disk.change_count;
}

static void free_left(void) {
    for (size_t i = 0; i < disk.node_count; i++) {
        free(disk.left[i].bytes);
        disk.left[i] = (content){0};
    }
}

void disk_free(void) {
    free_left();
    for (size_t i = 0; i < disk.change_count; i++)
        free(disk.changes[i].bytes);
    for (size_t i = 0; i < disk.node_count; i++)
        free(disk.first[i].bytes);
    memset(disk.first, 0, sizeof disk.first);
    memset(disk.open, 0, sizeof disk.open);
    free(disk.begun.entries);
    free(disk.now.entries);
    free(disk.cut.entries);
    disk.begun = disk.now = disk.cut = (tree){0};
    disk.node_count = disk.change_count = 0;
    disk.watching = false;
}

/* ---- Cutting ---- */

static uint64_t drawn(uint64_t *random) { /* xorshift64 */
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Was the change made safe by a sync before the cut? */
static bool is_safe(size_t i, size_t changes) {
    const change *c = &disk.changes[i];
    int by = c->action == WRITE ? c->node : c->into >= 0 ? c->into : c->from;
    for (size_t k = i + 1; k < changes; k++)
        if (disk.changes[k].action == SYNC && disk.changes[k].node == by)
            return true;
    return false;
}

static bool has_happened(disk_luck luck, bool chosen, uint64_t *random) {
    switch (luck) {
    case DISK_NONE:
        return false;
    case DISK_ALL:
        return true;
    case DISK_ALL_BUT_ONE:
        return !chosen;
    case DISK_NONE_BUT_ONE:
        return chosen;
    case DISK_SOME:
        break;
    }
    return drawn(random) & 64;
}

static void append(content *to, const char *bytes, size_t count) {
    to->bytes = realloc(to->bytes, to->count + count + 1);
    assert_non_null(to->bytes);
    if (count > 0)
        memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
}

/* Bytes in their order: what is safe, and then a beginning of the rest. */
static void cut_bytes(size_t changes, disk_luck luck, uint64_t *random) {
    bool *ended = calloc(disk.node_count + 1, sizeof *ended);
    assert_non_null(ended);
    for (size_t i = 0; i < disk.node_count; i++)
        append(&disk.left[i], disk.first[i].bytes, disk.first[i].count);
    for (size_t i = 0; i < changes; i++) {
        const change *c = &disk.changes[i];
        if (c->action != WRITE || ended[c->node])
            continue;
        bool whole = is_safe(i, changes) || has_happened(luck, false, random);
        size_t count = whole ? c->count : c->count > 0 ? drawn(random) % c->count : 0;
        if (!c->bytes && whole)
            disk.left[c->node].count = 0;
        append(&disk.left[c->node], c->bytes, luck == DISK_NONE && !whole ? 0 : count);
        ended[c->node] = !whole;
    }
    free(ended);
}

void disk_cut(size_t changes, disk_luck luck, uint64_t *random) {
    size_t open = 0, seen = 0;
    for (size_t i = 0; i < changes; i++)
        open += disk.changes[i].action == NAME && !is_safe(i, changes);
    size_t chosen = open > 0 ? drawn(random) % open : 0;
    free_left();
    copy_tree(&disk.cut, &disk.begun);
    for (size_t i = 0; i < changes; i++) {
        if (disk.changes[i].action != NAME)
            continue;
        bool safe = is_safe(i, changes);
        if (safe || has_happened(luck, seen == chosen, random))
            apply(&disk.cut, &disk.changes[i]);
        seen += !safe;
    }
    cut_bytes(changes, luck, random);
}

bool disk_read(const char *path, const char **bytes, size_t *count) {
    int n = resolve(&disk.cut, 0, path, true, 0);
    if (n < 0 || disk.nodes[n].kind != FILE_NODE)
        return false;
    *bytes = disk.left[n].bytes;
    *count = disk.left[n].count;
    return true;
}

void disk_list(const char *folder, void (*visit)(void *context, const char *name), void *context) {
    int n = resolve(&disk.cut, 0, folder, true, 0);
    for (size_t i = 0; n >= 0 && i < disk.cut.count; i++)
        if (disk.cut.entries[i].folder == n)
            visit(context, disk.cut.entries[i].name);
}

static void put_folder(const char *path, int folder) {
    assert_int_equal(__real_mkdir(path, 0777), 0);
    for (size_t i = 0; i < disk.cut.count; i++) {
        const entry *e = &disk.cut.entries[i];
        if (e->folder != folder)
            continue;
        char inner[2048];
        snprintf(inner, sizeof inner, "%s/%s", path, e->name);
        const node *n = &disk.nodes[e->node];
        if (n->kind == FOLDER_NODE) {
            put_folder(inner, e->node);
        } else if (n->kind == LINK_NODE) {
            assert_int_equal(symlink(n->target, inner), 0);
        } else {
            FILE *file = fopen(inner, "wb");
            assert_non_null(file);
            assert_int_equal(fwrite(disk.left[e->node].bytes, 1, disk.left[e->node].count, file),
                             disk.left[e->node].count);
            assert_int_equal(fclose(file), 0);
        }
    }
}

void disk_put(const char *folder) {
    put_folder(folder, 0);
}
