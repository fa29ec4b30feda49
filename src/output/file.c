#include "output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/input_file.h"
#include "base/local.h"
#include "base/text.h"
#include "output/sync.h"

am_status am_output_file_open(am_output_file *file, const char *path, const char *shown, am_error *err) {
    return am_output_file_open_at(file, AT_FDCWD, path, shown, err);
}

am_status am_output_file_open_at(am_output_file *file, int folder, const char *path, const char *shown, am_error *err) {
    file->shown = shown;
    file->reason = 0;
    file->held = 0;
    am_sha256_begin(&file->sum);
    do
        file->descriptor = openat(folder, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    while (file->descriptor < 0 && errno == EINTR);
    if (file->descriptor < 0)
        return am_fail(err, AM_ERR_FILE, "%s could not be written: %s", shown, strerror(errno));
    return AM_OK;
}

static void remember(am_output_file *file, int reason) {
    if (file->reason == 0)
        file->reason = reason != 0 ? reason : EIO;
}

static void write_out(am_output_file *file, const char *bytes, size_t count) {
    am_sha256_add(&file->sum, bytes, count);
    if (file->reason == 0 && !am_write_all(file->descriptor, bytes, count))
        remember(file, errno);
}

static void flush(am_output_file *file) {
    write_out(file, file->buffer, file->held);
    file->held = 0;
}

void am_output_file_write(am_output_file *file, const char *bytes, size_t count) {
    if (file->reason != 0 || count == 0)
        return;
    if (count > sizeof file->buffer - file->held)
        flush(file);
    if (count > sizeof file->buffer) {
        write_out(file, bytes, count);
        return;
    }
    memcpy(file->buffer + file->held, bytes, count);
    file->held += count;
}

void am_output_file_move(am_output_file *file, am_text *text, size_t least) {
    if (text->length < least || text->status != AM_OK)
        return;
    am_output_file_write(file, am_text_view(text), text->length);
    am_text_clear(text);
}

void am_output_file_settle(am_output_file *file) {
    flush(file);
    int reason = file->reason == 0 ? am_output_sync(&file->descriptor, 1) : 0;
    if (reason != 0)
        remember(file, reason);
}

am_status am_output_file_close(am_output_file *file, am_error *err) {
    flush(file);
    errno = 0;
    if (close(file->descriptor) != 0 && errno != EINTR) /* some file systems meet a full disk only now */
        remember(file, errno);
    file->descriptor = -1;
    if (file->reason != 0)
        return am_fail(err, AM_ERR_FILE, "%s could not be written: %s", file->shown, strerror(file->reason));
    return AM_OK;
}

char *am_output_path(const char *folder, const char *name, am_error *err) {
    am_text path = {0};
    am_text_add(&path, folder);
    if (path.length > 0 && path.data[path.length - 1] != '/')
        am_text_add(&path, "/");
    am_text_add(&path, name);
    return am_text_take(&path, err);
}

const char *am_output_path_in(char path[AM_LONGEST_PATH], const char *folder, const char *name) {
    size_t length = folder ? strlen(folder) : 0;
    if (length == 0)
        return "";
    const char *between = folder[length - 1] != '/' ? "/" : "";
    int written = snprintf(path, AM_LONGEST_PATH, "%s%s%s", folder, between, name);
    return written > 0 && written < AM_LONGEST_PATH ? path : "";
}

/* Uses no memory and no descriptor, which could be refused. */
bool am_output_is_file(const char *folder, const char *name) {
    struct stat info;
    return stat(AM_OUTPUT_PATH(folder, name), &info) == 0 && S_ISREG(info.st_mode);
}

char *am_output_read(const char *path, size_t limit, am_error *err) {
    am_text text = {0};
    if (am_input_read(path, "a file", limit, &text, err) == AM_OK)
        return am_text_take(&text, err);
    am_text_free(&text);
    return NULL;
}

/* One folder of the path; that it exists already is fine. The name of a new one is on the disk when the folder it lies
 * in is. */
static am_status make_one(char *path, const char *shown, am_error *err) {
    int reason = mkdir(path, 0777) == 0 ? 0 : errno;
    struct stat info;
    if (reason != 0 && stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return AM_OK;
        reason = ENOTDIR;
    }
    if (reason == 0)
        reason = am_output_sync_parent(path);
    if (reason != 0)
        return am_fail(err, AM_ERR_FILE, "folder %s could not be made: %s", shown, strerror(reason));
    return AM_OK;
}

am_status am_output_make_folder(const char *folder, am_error *err) {
    if (!folder || folder[0] == '\0')
        return am_fail(err, AM_ERR_INPUT, "no folder was given for the results");
    AM_LOCAL_MEMORY char *path = am_memory_text(folder, err);
    if (!path)
        return AM_ERR_MEMORY;
    for (char *c = path + 1; *c; c++) {
        if (*c != '/' || c[-1] == '/')
            continue;
        *c = '\0';
        AM_TRY(make_one(path, folder, err));
        *c = '/';
    }
    return make_one(path, folder, err);
}
