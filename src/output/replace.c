#include "output/replace.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/local.h"
#include "output/file.h"
#include "output/sync.h"

static const size_t largest_kept = (size_t)1 << 34;

am_status am_output_replace(const char *path, const void *bytes, size_t count, am_error *err) {
    AM_LOCAL(am_text_free) am_text aside = {0};
    am_output_file file;
    am_text_printf(&aside, "%s.part", path);
    AM_TRY(am_text_status(&aside, err));
    remove(aside.data); /* of a run that was ended; or a link or a pipe that somebody put there */
    AM_TRY(am_output_file_open(&file, aside.data, path, err));
    am_output_file_write(&file, bytes, count);
    am_output_file_settle(&file);
    am_status status = am_output_file_close(&file, err);
    int reason = status || rename(aside.data, path) == 0 ? 0 : errno;
    if (!status && reason == 0)
        reason = am_output_sync_parent(aside.data); /* the same folder */
    if (reason != 0)
        status = am_fail(err, AM_ERR_FILE, "'%s' could not be put in its place: %s", path, strerror(reason));
    if (status)
        remove(aside.data);
    return status;
}

am_status am_output_read_whole(const char *path, am_text *text, bool *found, am_error *err) {
    return am_input_read_if_there(path, "a file that was kept", largest_kept, text, found, err);
}

void am_output_remove(const char *path) {
    remove(path);
}

am_status am_output_list(const char *folder, am_output_visit *visit, void *context, am_error *err) {
    DIR *inside = opendir(folder);
    if (!inside && errno == ENOENT)
        return AM_OK;
    if (!inside)
        return am_fail(err, AM_ERR_FILE, "%s could not be looked through: %s", folder, strerror(errno));
    am_status status = AM_OK;
    for (struct dirent *entry; !status && (entry = readdir(inside)) != NULL;)
        status = visit(context, entry->d_name, err);
    closedir(inside);
    return status;
}

typedef struct removal {
    const char *folder;
    const char *const *beginnings;
} removal;

static am_status remove_one(void *context, const char *name, am_error *err) {
    (void)err;
    const removal *d = context;
    bool ours = false;
    for (size_t i = 0; d->beginnings[i]; i++)
        ours = ours || strncmp(name, d->beginnings[i], strlen(d->beginnings[i])) == 0;
    if (ours)
        remove(AM_OUTPUT_PATH(d->folder, name));
    return AM_OK;
}

am_status am_output_remove_folder(const char *folder, const char *const *beginnings, am_error *err) {
    removal d = {folder, beginnings};
    am_status status = am_output_list(folder, remove_one, &d, err);
    rmdir(folder);
    return status;
}
