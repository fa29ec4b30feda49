#include "output/changeover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/try.h"
#include "output/sync.h"

static const char new_name[] = "new", old_name[] = "old", current_name[] = "current", committed_name[] = "committed";
static const char next_name[] = "next";   /* a symbolic link before it is renamed */
static const char moved_name[] = "moved"; /* a mark: names may be missing whose files are in `old` */
enum { MOST_ATTEMPTS = 1000, LONGEST_POINTER = 400 };

static int reason_of(int outcome) {
    return outcome == 0 ? 0 : errno;
}

static int open_folder(int folder, const char *name) {
    return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void close_if_open(int descriptor) {
    if (descriptor >= 0)
        close(descriptor);
}

/* ---- What is there ---- */

static bool is_there(int folder, const char *name) {
    struct stat info;
    return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool leads_to(int folder, const char *name, const char *target) {
    char found[LONGEST_POINTER];
    ssize_t length = readlinkat(folder, name, found, sizeof found - 1);
    found[length > 0 ? length : 0] = '\0';
    return strcmp(found, target) == 0;
}

/* What a name in the folder leads to during the switch. */
static bool pointer_of(const am_changeover *s, const char *name, char target[LONGEST_POINTER]) {
    int length = snprintf(target, LONGEST_POINTER, "%s/%s/%s", s->name, current_name, name);
    return length > 0 && length < LONGEST_POINTER;
}

static bool is_pointer(const am_changeover *s, const char *name) {
    char target[LONGEST_POINTER];
    return pointer_of(s, name, target) && leads_to(s->folder, name, target);
}

static bool is_committed(const am_changeover *s) {
    return leads_to(s->hidden, current_name, new_name) || is_there(s->hidden, committed_name);
}

/* Calls `visit` for everything in a folder until it gives something else than 0. */
typedef int visitor(void *context, const char *name);

static int for_each_entry(int folder, visitor *visit, void *context) {
    int own = open_folder(folder, ".");
    DIR *inside = own >= 0 ? fdopendir(own) : NULL;
    if (!inside) {
        int reason = errno;
        close_if_open(own);
        return reason;
    }
    int reason = 0;
    const struct dirent *entry;
    errno = 0;
    while (reason == 0 && (entry = readdir(inside)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            reason = visit(context, entry->d_name);
    closedir(inside);
    return reason;
}

/* ---- Finishing, or undoing ---- */

/* The name in the folder gets the file of the side that won; where that has none, the link goes. What is neither a link
 * of ours nor missing belongs to another program. */
static int settle_name(const am_changeover *s, const char *name, bool forward) {
    bool pointer = is_pointer(s, name);
    if (!pointer && is_there(s->folder, name))
        return 0;
    int side = forward ? s->fresh : s->older;
    if (side >= 0 && renameat(side, name, s->folder, name) == 0)
        return 0;
    if (side >= 0 && errno != ENOENT)
        return errno;
    return pointer ? reason_of(unlinkat(s->folder, name, 0)) : 0;
}

typedef struct repair_order {
    const am_changeover *s;
    bool forward, pointers_only, changed;
} repair_order;

static int repair_name(void *context, const char *name) {
    repair_order *r = context;
    if (r->pointers_only ? !is_pointer(r->s, name) : is_there(r->s->folder, name))
        return 0;
    r->changed = true;
    return settle_name(r->s, name, r->forward);
}

/* Repeated until nothing is left to do: a folder that changes may not list everything at once. */
static int repair_from(const am_changeover *s, int listed, bool forward, bool pointers_only) {
    repair_order r = {s, forward, pointers_only, true};
    while (r.changed) {
        r.changed = false;
        AM_TRY_CODE(for_each_entry(listed, repair_name, &r));
    }
    return 0;
}

static int repair_changeover(const am_changeover *s) {
    bool forward = is_committed(s);
    AM_TRY_CODE(repair_from(s, s->folder, forward, true));
    if (!forward && s->older >= 0 && is_there(s->hidden, moved_name))
        AM_TRY_CODE(repair_from(s, s->older, false, false));
    if (forward && s->fresh >= 0 && is_there(s->hidden, committed_name))
        AM_TRY_CODE(repair_from(s, s->fresh, true, false));
    return am_output_sync(&s->folder, 1);
}

/* ---- Removing ---- */

static void remove_inside(int folder, const char *name, int inside);

static int remove_name(void *context, const char *name) {
    const int folder = *(const int *)context;
    if (unlinkat(folder, name, 0) == 0)
        return 0;
    int inside = open_folder(folder, name);
    remove_inside(folder, name, inside);
    close_if_open(inside);
    return 0;
}

static void remove_inside(int folder, const char *name, int inside) {
    if (inside < 0)
        return;
    for_each_entry(inside, remove_name, &inside);
    unlinkat(folder, name, AT_REMOVEDIR);
}

static void close_all(am_changeover *s) {
    close_if_open(s->hidden);
    close_if_open(s->fresh);
    close_if_open(s->older);
    s->hidden = s->fresh = s->older = -1;
}

void am_changeover_end(am_changeover *s) {
    if (!s->unsettled && s->older >= 0 && is_there(s->hidden, moved_name)) {
        for_each_entry(s->older, remove_name, &s->older); /* first, so that nobody takes them for missing ones */
        am_output_sync(&s->older, 1);
    }
    if (!s->unsettled)
        remove_inside(s->folder, s->name, s->hidden);
    close_all(s);
}

/* ---- What an earlier run left unfinished ---- */

typedef struct unfinished {
    int folder;
    char name[sizeof((am_changeover *)0)->name];
} unfinished;

/* The first folder of ours. */
static int find_unfinished(void *context, const char *name) {
    unfinished *left = context;
    struct stat info;
    bool ours = strncmp(name, AM_SWITCH_PREFIX, strlen(AM_SWITCH_PREFIX)) == 0 && strlen(name) < sizeof left->name;
    if (!ours || fstatat(left->folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode))
        return 0;
    strcpy(left->name, name);
    return EEXIST;
}

static int repair_unfinished(int folder, const char *name) {
    am_changeover s = {.folder = folder, .hidden = -1, .fresh = -1, .older = -1};
    strcpy(s.name, name);
    s.hidden = open_folder(folder, name);
    if (s.hidden < 0)
        return errno;
    s.fresh = open_folder(s.hidden, new_name);
    s.older = open_folder(s.hidden, old_name);
    int reason = repair_changeover(&s);
    s.unsettled = reason != 0;
    am_changeover_end(&s);
    return reason == 0 && is_there(folder, name) ? ENOTEMPTY : reason;
}

int am_changeover_repair(int folder) {
    for (;;) {
        unfinished left = {.folder = folder};
        int reason = for_each_entry(folder, find_unfinished, &left);
        if (reason != EEXIST || left.name[0] == '\0')
            return reason;
        AM_TRY_CODE(repair_unfinished(folder, left.name));
    }
}

/* ---- The switch ---- */

int am_changeover_begin(am_changeover *s, int folder) {
    *s = (am_changeover){.folder = folder, .hidden = -1, .fresh = -1, .older = -1};
    int reason = EEXIST;
    for (unsigned i = 0; reason == EEXIST && i < MOST_ATTEMPTS; i++) {
        snprintf(s->name, sizeof s->name, AM_SWITCH_PREFIX "%06lx", ((unsigned long)getpid() + i) & 0xffffff);
        reason = reason_of(mkdirat(folder, s->name, 0777));
    }
    if (reason != 0)
        return reason;
    s->hidden = open_folder(folder, s->name);
    reason = s->hidden < 0 ? errno : reason_of(mkdirat(s->hidden, new_name, 0777));
    if (reason == 0 && (s->fresh = open_folder(s->hidden, new_name)) < 0)
        reason = errno;
    if (reason == 0)
        return 0;
    int failed = reason;
    if (s->hidden >= 0)
        unlinkat(s->hidden, new_name, AT_REMOVEDIR);
    unlinkat(folder, s->name, AT_REMOVEDIR);
    close_all(s);
    return failed;
}

/* A folder or device in the way is never touched. */
static int check_place(am_changeover *s, const char *name) {
    struct stat info;
    if (fstatat(s->folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : errno;
    return S_ISDIR(info.st_mode) ? EISDIR : S_ISREG(info.st_mode) || S_ISLNK(info.st_mode) ? 0 : EEXIST;
}

static int make_mark(const am_changeover *s, const char *name) {
    int mark = openat(s->hidden, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    int reason = mark < 0 ? errno : 0;
    close_if_open(mark);
    return reason;
}

/* Before a name goes missing, the mark for it and the folder `old` are on the disk. */
static int mark_moves(am_changeover *s) {
    const int folders[] = {s->older, s->hidden, s->folder};
    if (s->moves)
        return 0;
    AM_TRY_CODE(make_mark(s, moved_name));
    AM_TRY_CODE(am_output_sync(folders, 3));
    s->moves = true;
    return 0;
}

/* The older file of that name is in `old` too; where the system has no hard links, only there. */
static int put_aside(am_changeover *s, const char *name) {
    if (linkat(s->folder, name, s->older, name, 0) == 0 || !is_there(s->folder, name))
        return 0;
    AM_TRY_CODE(mark_moves(s));
    return reason_of(renameat(s->folder, name, s->older, name));
}

/* A symbolic link takes the place of whatever has the name. */
static int link_to(const am_changeover *s, const char *target, int folder, const char *name) {
    unlinkat(s->hidden, next_name, 0);
    AM_TRY_CODE(reason_of(symlinkat(target, s->hidden, next_name)));
    return reason_of(renameat(s->hidden, next_name, folder, name));
}

/* `current` leads to old or new. */
static int set_current(const am_changeover *s, const char *target) {
    return link_to(s, target, s->hidden, current_name);
}

static int make_pointer(am_changeover *s, const char *name) {
    char target[LONGEST_POINTER];
    return pointer_of(s, name, target) ? link_to(s, target, s->folder, name) : ENAMETOOLONG;
}

/* Without symbolic links: the older file is in `old`. */
static int remove_older(am_changeover *s, const char *name) {
    return unlinkat(s->folder, name, 0) == 0 || errno == ENOENT ? 0 : errno;
}

/* An action on every name, until one fails. */
typedef int action(am_changeover *s, const char *name);

static int for_each(am_changeover *s, char *const *names, char *const *stale, action *act, const char **culprit) {
    for (; *names; names++)
        AM_TRY_CODE(act(s, *culprit = *names));
    for (; stale && *stale; stale++)
        AM_TRY_CODE(act(s, *culprit = *stale));
    return 0;
}

static int settle_forward(am_changeover *s, const char *name) {
    return settle_name(s, name, true);
}

static int settle_backward(am_changeover *s, const char *name) {
    return settle_name(s, name, false);
}

static size_t count_of(char *const *names) {
    size_t count = 0;
    while (names[count])
        count++;
    return count;
}

typedef struct tidy_order {
    int fresh;
    char *const *names;
} tidy_order;

static int remove_unnamed(void *context, const char *name) {
    const tidy_order *t = context;
    for (char *const *wanted = t->names; *wanted; wanted++)
        if (strcmp(*wanted, name) == 0)
            return 0;
    unlinkat(t->fresh, name, 0);
    return 0;
}

/* All new files and all folders, at the same time. */
static int sync_everything(const am_changeover *s, char *const *names, const char **culprit) {
    size_t count = count_of(names), opened = 0;
    int *descriptors = am_memory_new(count + 4, sizeof *descriptors, NULL), reason = descriptors ? 0 : ENOMEM;
    for (; reason == 0 && opened < count; opened++) {
        *culprit = names[opened];
        descriptors[opened] = openat(s->fresh, names[opened], O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptors[opened] < 0) {
            reason = errno;
            break;
        }
    }
    if (reason == 0) {
        const int folders[4] = {s->fresh, s->older, s->hidden, s->folder};
        memcpy(descriptors + count, folders, sizeof folders);
        reason = am_output_sync(descriptors, count + 4);
    }
    while (opened > 0)
        close(descriptors[--opened]);
    am_memory_free(descriptors);
    return reason;
}

/* The instant in which the new results are the current ones. */
static int commit_now(const am_changeover *s, bool links) {
    AM_TRY_CODE(links ? set_current(s, new_name) : make_mark(s, committed_name));
    return am_output_sync(&s->hidden, 1);
}

/* Everything before the instant, and the instant itself. */
static int prepare_and_commit(am_changeover *s, char *const *names, char *const *stale, const char **culprit) {
    tidy_order tidy = {s->fresh, names};
    AM_TRY_CODE(for_each(s, names, stale, check_place, culprit));
    AM_TRY_CODE(for_each_entry(s->fresh, remove_unnamed, &tidy)); /* a later repair relies on the files in it */
    AM_TRY_CODE(reason_of(mkdirat(s->hidden, old_name, 0777)));
    if ((s->older = open_folder(s->hidden, old_name)) < 0)
        return errno;
    AM_TRY_CODE(for_each(s, names, stale, put_aside, culprit));
    int led = set_current(s, old_name);
    bool links = led != EPERM && led != ENOSYS && led != ENOTSUP && led != EOPNOTSUPP; /* there are such */
    AM_TRY_CODE(links ? led : mark_moves(s));
    AM_TRY_CODE(sync_everything(s, names, culprit));
    AM_TRY_CODE(for_each(s, names, stale, links ? make_pointer : remove_older, culprit));
    AM_TRY_CODE(am_output_sync(&s->folder, 1));
    return commit_now(s, links);
}

static void undo(am_changeover *s, char *const *names, char *const *stale) {
    const char *ignored;
    bool back = !is_committed(s);
    if (!back) /* the instant itself could not be settled */
        back = (unlinkat(s->hidden, committed_name, 0) == 0 || set_current(s, old_name) == 0) &&
               am_output_sync(&s->hidden, 1) == 0;
    if (!back)
        s->unsettled = true;
    else if (s->older >= 0)
        s->unsettled = for_each(s, names, stale, settle_backward, &ignored) != 0 || am_output_sync(&s->folder, 1) != 0;
}

int am_changeover_commit(am_changeover *s, char *const *names, char *const *stale, const char **culprit) {
    *culprit = names[0];
    int reason = prepare_and_commit(s, names, stale, culprit);
    if (reason != 0) {
        undo(s, names, stale);
        return reason;
    }
    reason = for_each(s, names, stale, settle_forward, culprit);
    if (reason == 0)
        reason = am_output_sync(&s->folder, 1);
    s->unsettled = reason != 0; /* the new results are there, through links */
    return reason;
}
