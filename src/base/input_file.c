#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static am_status check_kind(const char *path, const char *what, const struct stat *info, size_t most, am_error *err) {
    const char *kind = S_ISDIR(info->st_mode)                             ? "a folder"
                       : S_ISFIFO(info->st_mode)                          ? "a pipe"
                       : S_ISCHR(info->st_mode) || S_ISBLK(info->st_mode) ? "a device"
                       : S_ISREG(info->st_mode)                           ? NULL
                                                                          : "a socket";
    if (kind)
        return am_fail(err, AM_ERR_FILE, "%s: is %s, not %s", path, kind, what);
    if (info->st_size < 0 || (uintmax_t)info->st_size > most)
        return am_fail(err, AM_ERR_LIMIT, "%s: the file is larger than %zu bytes, the most that is read", path, most);
    return AM_OK;
}

/* Without O_NONBLOCK the opening of a pipe waits for its writer. */
static int open_quickly(const char *path) {
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static FILE *stream_of(int file, const char *path, const char *what, size_t most, size_t *size, am_error *err) {
    struct stat info;
    FILE *stream = NULL;
    if (fstat(file, &info) != 0)
        am_fail(err, AM_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    else if (check_kind(path, what, &info, most, err) == AM_OK && !(stream = fdopen(file, "rb")))
        am_fail(err, AM_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (stream)
        *size = (size_t)info.st_size;
    else
        close(file);
    return stream;
}

FILE *am_input_open(const char *path, const char *what, size_t most, size_t *size, am_error *err) {
    int file = open_quickly(path);
    if (file >= 0)
        return stream_of(file, path, what, most, size, err);
    am_fail(err, AM_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    return NULL;
}

static am_status read_stream(FILE *stream, const char *path, size_t most, am_text *text, am_error *err) {
    char block[16384];
    size_t got;
    am_text_add(text, "");
    errno = 0;
    while ((got = fread(block, 1, sizeof block, stream)) > 0) {
        if (got > most || text->length > most - got)
            return am_fail(err, AM_ERR_LIMIT, "%s: the file is larger than %zu bytes, the most that is read", path,
                           most);
        am_text_add_bytes(text, block, got);
        if (text->status != AM_OK)
            break;
    }
    if (ferror(stream))
        return am_fail(err, AM_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno != 0 ? errno : EIO));
    return am_text_status(text, err);
}

am_status am_input_read(const char *path, const char *what, size_t most, am_text *text, am_error *err) {
    bool found;
    am_status status = am_input_read_if_there(path, what, most, text, &found, err);
    return status == AM_OK && !found ? am_fail(err, AM_ERR_FILE, "%s: cannot be opened: %s", path, strerror(ENOENT))
                                     : status;
}

am_status am_input_read_if_there(const char *path, const char *what, size_t most, am_text *text, bool *found,
                                 am_error *err) {
    size_t size = 0;
    int file = open_quickly(path), reason = errno;
    *found = file >= 0;
    if (file < 0 && reason == ENOENT)
        return AM_OK;
    if (file < 0)
        return am_fail(err, AM_ERR_FILE, "%s: cannot be opened: %s", path, strerror(reason));
    am_error own = {0};
    FILE *stream = stream_of(file, path, what, most, &size, &own);
    am_status status = stream ? read_stream(stream, path, most, text, &own) : own.status;
    if (stream)
        fclose(stream);
    if (status != AM_OK && err)
        *err = own;
    return status;
}
