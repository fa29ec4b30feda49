#include "output/keep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/file.h"

am_status am_output_keep(const char *path, const void *bytes, size_t count, am_error *err) {
    am_text aside = {0};
    am_output_file file;
    am_text_printf(&aside, "%s.part", path);
    am_status status = am_text_status(&aside, err);
    if (!status)
        status = am_output_file_open(&file, am_text_view(&aside), path, err);
    if (!status) {
        am_output_file_write(&file, bytes, count);
        status = am_output_file_close(&file, err);
        if (!status && rename(am_text_view(&aside), path) != 0)
            status = am_fail(err, AM_ERR_FILE, "'%s' could not be put in its place: %s", path, strerror(errno));
        if (status)
            remove(am_text_view(&aside));
    }
    am_text_free(&aside);
    return status;
}

am_status am_output_recall(const char *path, am_text *text, bool *found, am_error *err) {
    char chunk[16384];
    size_t count;
    FILE *stream = fopen(path, "rb");
    *found = stream != NULL;
    if (!stream && errno == ENOENT)
        return AM_OK;
    if (!stream)
        return am_fail(err, AM_ERR_FILE, "%s could not be read: %s", path, strerror(errno));
    errno = 0;
    while ((count = fread(chunk, 1, sizeof chunk, stream)) > 0)
        am_text_add_bytes(text, chunk, count);
    am_status status = am_text_status(text, err);
    if (!status && ferror(stream))
        status = am_fail(err, AM_ERR_FILE, "%s could not be read: %s", path, strerror(errno));
    fclose(stream);
    return status;
}
