#define _XOPEN_SOURCE 700 /* realpath */
#include "study/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- where files lie ---- */

/* The real path of something that exists, or of the nearest folder above it that does. NULL: there is none, or no
 * memory. Freed with free: it comes from the C library. */
static char *real_beginning(const char *path) {
    char *real = realpath(path, NULL), *copy = real ? NULL : am_memory_text(path, NULL);
    while (!real && copy) {
        char *slash = strrchr(copy, '/');
        if (!slash || slash == copy) {
            real = realpath(slash ? "/" : ".", NULL);
            break;
        }
        *slash = '\0';
        real = realpath(copy, NULL);
    }
    am_memory_free(copy);
    return real;
}

/* A name with `..` in it could leave a folder that does not exist yet. */
static bool climbs(const char *path) {
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

bool am_files_is_below(const char *folder, const char *path) {
    char *above = realpath(folder, NULL), *whole = realpath(path, NULL), *below = whole;
    if (!below && !climbs(path))
        below = real_beginning(path);
    size_t length = above ? strlen(above) : 0;
    bool root = length == 1; /* "/" ends with the separator itself */
    bool inside =
        above && below && strncmp(above, below, length) == 0 && (root || below[length] == '/' || below[length] == '\0');
    free(above);
    free(below);
    return inside;
}

static bool is_allowed(const am_files *files, const char *path) {
    bool allowed = am_files_is_below(files->folder, path);
    for (size_t i = 0; i < files->allowed_count && !allowed; i++)
        allowed = am_files_is_below(files->allowed[i], path);
    return allowed;
}

/* ---- the files of a study ---- */

static am_status note(am_reading *reading, const char *path) {
    am_named_files *named = reading->named;
    for (size_t i = 0; named && i < named->count; i++)
        if (strcmp(named->paths[i], path) == 0)
            return AM_OK;
    if (!named)
        return AM_OK;
    const char **paths = am_arena_new(reading->pool, named->count + 1, sizeof *paths, reading->err);
    if (!paths)
        return AM_ERR_MEMORY;
    if (named->count > 0)
        memcpy(paths, named->paths, named->count * sizeof *paths);
    paths[named->count++] = path;
    named->paths = paths;
    return AM_OK;
}

const char *am_files_path(am_reading *reading, const am_node *node, const char *name) {
    const char *folder = reading->files->folder;
    bool bare = name[0] == '/' || strcmp(folder, ".") == 0;
    am_text text = {0};
    am_text_printf(&text, "%s%s%s", bare ? "" : folder, bare ? "" : "/", name);
    const char *path = am_text_status(&text, reading->err) == AM_OK
                           ? am_arena_text(reading->pool, text.data, text.length, reading->err)
                           : NULL;
    am_text_free(&text);
    if (path && !am_node_is_from_command(node) && !is_allowed(reading->files, path)) {
        am_node_fail(
            node, reading->err, AM_ERR_INPUT,
            "the file '%.200s' does not lie in the folder of the study, or below it; a study reads others only "
            "from folders that are allowed (--allow-read FOLDER)",
            name);
        return NULL;
    }
    return path && note(reading, path) == AM_OK ? path : NULL;
}
