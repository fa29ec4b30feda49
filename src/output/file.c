#include "output/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/memory.h"
#include "base/text.h"

am_status am_output_file_open(am_output_file *file, const char *path, const char *shown, am_error *err) {
    *file = (am_output_file){.shown = shown, .stream = fopen(path, "wb")};
    if (!file->stream)
        return am_fail(err, AM_ERR_FILE, "%s could not be written: %s", shown, strerror(errno));
    return AM_OK;
}

static void remember(am_output_file *file, int reason) {
    if (file->reason == 0)
        file->reason = reason != 0 ? reason : EIO;
}

void am_output_file_write(am_output_file *file, const char *bytes, size_t count) {
    if (file->reason != 0 || count == 0)
        return;
    errno = 0;
    if (fwrite(bytes, 1, count, file->stream) != count)
        remember(file, errno);
}

void am_output_file_settle(am_output_file *file) {
    if (file->reason != 0)
        return;
    errno = 0;
    if (fflush(file->stream) != 0 || (fsync(fileno(file->stream)) != 0 && errno != EINVAL && errno != ENOTSUP))
        remember(file, errno); /* pipes and some file systems have nothing to settle */
}

am_status am_output_file_close(am_output_file *file, am_error *err) {
    errno = 0;
    if (fclose(file->stream) != 0) /* what was buffered may meet a full disk only now */
        remember(file, errno);
    file->stream = NULL;
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

bool am_output_is_file(const char *folder, const char *name) {
    char *path = am_output_path(folder, name, NULL);
    struct stat info;
    bool there = path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    am_memory_free(path);
    return there;
}

char *am_output_read(const char *path, size_t limit, am_error *err) {
    am_text text = {0};
    if (am_input_read(path, "a file", limit, &text, err) == AM_OK)
        return am_text_take(&text, err);
    am_text_free(&text);
    return NULL;
}

/* One folder of the path; that it exists already is fine. */
static am_status make_one(const char *path, const char *shown, am_error *err) {
    if (mkdir(path, 0777) == 0)
        return AM_OK;
    int reason = errno;
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return AM_OK;
    if (there)
        reason = ENOTDIR;
    return am_fail(err, AM_ERR_FILE, "folder %s could not be made: %s", shown, strerror(reason));
}

am_status am_output_make_folder(const char *folder, am_error *err) {
    if (!folder || folder[0] == '\0')
        return am_fail(err, AM_ERR_INPUT, "no folder was given for the results");
    char *path = am_memory_text(folder, err);
    if (!path)
        return AM_ERR_MEMORY;
    am_status status = AM_OK;
    for (char *c = path + 1; status == AM_OK && *c; c++) {
        if (*c != '/' || c[-1] == '/')
            continue;
        *c = '\0';
        status = make_one(path, folder, err);
        *c = '/';
    }
    if (status == AM_OK)
        status = make_one(path, folder, err);
    am_memory_free(path);
    return status;
}
