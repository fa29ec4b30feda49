/* The bytes of a study file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "study/study.h"

/* Read to the end, but never more than is allowed: a device or a pipe has no size to look at first. */
static am_status read_all(FILE *file, const char *path, am_text *text, am_error *err) {
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        am_text_add_bytes(text, block, got);
        if (text->length > AM_STUDY_LARGEST)
            return am_fail(
                err, AM_ERR_INPUT,
                "%s: the file is larger than %d MiB, the most a study may have; put large matrices into Matrix "
                "Market files ({file: name.mtx})",
                path, AM_STUDY_LARGEST >> 20);
    }
    if (ferror(file))
        return am_fail(err, AM_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    return am_text_status(text, err);
}

char *am_study_load(const char *path, size_t *length, am_error *err) {
    struct stat status_of;
    am_text text = {0};
    if (stat(path, &status_of) == 0 && S_ISDIR(status_of.st_mode)) {
        am_fail(err, AM_ERR_FILE, "%s: is a folder, not a study file", path);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        am_fail(err, AM_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    am_status status = read_all(file, path, &text, err);
    fclose(file);
    *length = text.length;
    char *bytes = status == AM_OK ? am_text_take(&text, err) : NULL;
    am_text_free(&text);
    return bytes;
}
