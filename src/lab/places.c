#include "lab/places.h"

#include <string.h>
#include <sys/stat.h>

#include "base/try.h"
#include "study/files.h"

enum { LONGEST_NAME = 1024 };

/* The parts between slashes: not empty, not hidden, which "." and ".." are too. */
static bool has_plain_parts(const char *below) {
    size_t length = strlen(below);
    if (length == 0 || length > LONGEST_NAME || below[length - 1] == '/')
        return false;
    for (const char *part = below; part; part = strchr(part, '/')) {
        part += part != below;
        if (*part == '/' || *part == '\0' || *part == '.')
            return false;
    }
    for (const char *c = below; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '\\')
            return false;
    return true;
}

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

am_lab_root am_lab_name_root(const char *name, const char **below) {
    static const char *const beginnings[] = {[AM_LAB_FOLDER] = "folder/", [AM_LAB_GALLERY] = "gallery/"};
    for (int root = AM_LAB_FOLDER; name && root <= AM_LAB_GALLERY; root++) {
        size_t length = strlen(beginnings[root]);
        *below = name + length;
        if (strncmp(name, beginnings[root], length) == 0 && has_plain_parts(*below) &&
            (ends_with(*below, ".yaml") || ends_with(*below, ".yml")))
            return (am_lab_root)root;
    }
    *below = "";
    return AM_LAB_NOWHERE;
}

const char *am_lab_folder(const am_lab_options *options, am_lab_root root) {
    return root == AM_LAB_FOLDER ? options->folder : root == AM_LAB_GALLERY ? options->gallery : NULL;
}

am_status am_lab_path(const am_lab_options *options, const char *name, am_text *path, bool *found, am_error *err) {
    const char *below, *folder = am_lab_folder(options, am_lab_name_root(name, &below));
    struct stat info;
    *found = false;
    if (!folder)
        return am_fail(err, AM_ERR_INPUT,
                       "this is no name of a study here; expected folder/NAME.yaml or gallery/GROUP/NAME.yaml");
    am_text_clear(path);
    am_text_printf(path, "%s/%s", folder, below);
    AM_TRY(am_text_status(path, err));
    bool there = lstat(path->data, &info) == 0;
    if (!am_files_is_below(folder, path->data) || (there && (stat(path->data, &info) != 0 || !S_ISREG(info.st_mode))))
        return am_fail(err, AM_ERR_INPUT, "there is no study of this name");
    *found = there;
    return AM_OK;
}
