/* Whole or nothing: new files wait in a hidden folder beside their final place; commit moves older files of the same
 * names into that folder and the new ones out of it, and takes every move back when one fails. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/file.h"

struct am_staging {
    char *folder; /* where the files will be */
    char *hidden; /* where they are written */
    char *older;  /* where older files go during commit */
    char *shown;  /* final path of the file being written */
};

static const char older_name[] = ".older";

static void free_staging(am_staging *staging) {
    am_memory_free(staging->folder);
    am_memory_free(staging->hidden);
    am_memory_free(staging->older);
    am_memory_free(staging->shown);
    am_memory_free(staging);
}

am_staging *am_staging_open(const char *folder, am_error *err) {
    am_staging *staging = am_memory_new(1, sizeof *staging, err);
    if (!staging)
        return NULL;
    staging->folder = am_memory_text(folder, err);
    staging->hidden = am_output_path(folder, ".amontons-XXXXXX", err);
    if (!staging->folder || !staging->hidden) {
        free_staging(staging);
        return NULL;
    }
    if (!mkdtemp(staging->hidden)) {
        am_fail(err, AM_ERR_FILE, "results cannot be written into %s: %s", folder, strerror(errno));
        free_staging(staging);
        return NULL;
    }
    staging->older = am_output_path(staging->hidden, older_name, err);
    if (!staging->older || mkdir(staging->older, 0700) != 0) {
        if (staging->older)
            am_fail(err, AM_ERR_FILE, "results cannot be written into %s: %s", folder, strerror(errno));
        am_staging_close(staging);
        return NULL;
    }
    return staging;
}

const char *am_staging_folder(const am_staging *staging) {
    return staging->hidden;
}

am_status am_staging_begin(am_staging *staging, const char *name, am_output_file *file, am_error *err) {
    am_memory_free(staging->shown);
    staging->shown = am_output_path(staging->folder, name, err);
    char *path = am_output_path(staging->hidden, name, err);
    am_status status = staging->shown && path ? AM_OK : AM_ERR_MEMORY;
    if (status == AM_OK)
        status = am_output_file_open(file, path, staging->shown, err);
    am_memory_free(path);
    return status;
}

am_status am_staging_write(am_staging *staging, const char *name, const void *bytes, size_t count, am_error *err) {
    am_output_file file;
    am_status status = am_staging_begin(staging, name, &file, err);
    if (status != AM_OK)
        return status;
    am_output_file_write(&file, bytes, count);
    return am_output_file_close(&file, err);
}

/* from/name becomes to/name; 0 or errno. */
static int move_file(const char *from, const char *to, const char *name) {
    char *source = am_output_path(from, name, NULL);
    char *target = am_output_path(to, name, NULL);
    int reason = source && target ? 0 : ENOMEM;
    if (reason == 0 && rename(source, target) != 0)
        reason = errno;
    am_memory_free(source);
    am_memory_free(target);
    return reason;
}

/* An older file of that name goes aside. A folder or device in the way is never touched. */
static int put_aside(const am_staging *staging, const char *name) {
    char *path = am_output_path(staging->folder, name, NULL);
    if (!path)
        return ENOMEM;
    struct stat info;
    int reason = 0;
    if (lstat(path, &info) != 0)
        reason = errno == ENOENT ? 0 : errno;
    else if (S_ISDIR(info.st_mode))
        reason = EISDIR;
    else if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
        reason = EEXIST;
    else
        reason = move_file(staging->folder, staging->older, name);
    am_memory_free(path);
    return reason;
}

/* Best effort: what was moved goes back. Moves of files that were not there fail, which is right. */
static void undo(const am_staging *staging, char *const *names, size_t count, char *const *stale, size_t stale_count) {
    while (count-- > 0) {
        move_file(staging->folder, staging->hidden, names[count]);
        move_file(staging->older, staging->folder, names[count]);
    }
    while (stale_count-- > 0)
        move_file(staging->older, staging->folder, stale[stale_count]);
}

static am_status fail_move(const am_staging *staging, const char *name, int reason, am_error *err) {
    return am_fail(err, AM_ERR_FILE, "%s/%s could not be replaced: %s", staging->folder, name, strerror(reason));
}

am_status am_staging_commit(am_staging *staging, char *const *names, char *const *stale, am_error *err) {
    size_t gone = 0, done = 0;
    for (; stale && stale[gone]; gone++) {
        int reason = put_aside(staging, stale[gone]);
        if (reason != 0) {
            undo(staging, names, 0, stale, gone);
            return fail_move(staging, stale[gone], reason, err);
        }
    }
    for (; names[done]; done++) {
        int reason = put_aside(staging, names[done]);
        bool aside = reason == 0;
        if (aside)
            reason = move_file(staging->hidden, staging->folder, names[done]);
        if (reason != 0) {
            if (aside)
                move_file(staging->older, staging->folder, names[done]);
            undo(staging, names, done, stale, gone);
            return fail_move(staging, names[done], reason, err);
        }
    }
    return AM_OK;
}

/* A folder of plain files, and the folder itself. */
static void remove_folder(const char *folder) {
    DIR *directory = opendir(folder);
    if (directory) {
        const struct dirent *entry;
        while ((entry = readdir(directory)) != NULL) {
            char *path = am_output_path(folder, entry->d_name, NULL);
            if (path)
                unlink(path); /* fails for folders, as it should */
            am_memory_free(path);
        }
        closedir(directory);
    }
    rmdir(folder);
}

void am_staging_close(am_staging *staging) {
    if (!staging)
        return;
    if (staging->older)
        remove_folder(staging->older);
    remove_folder(staging->hidden);
    free_staging(staging);
}
