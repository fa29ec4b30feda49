/* Where the gallery's studies are. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"
#include "base/memory.h"
#include "base/try.h"

static bool is_folder(const char *path) {
    struct stat status_of;
    return stat(path, &status_of) == 0 && S_ISDIR(status_of.st_mode);
}

bool am_beside_command(const char *name, char *path, size_t size) {
    char command[4096];
    struct stat status_of;
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
    if (length <= 0)
        return false;
    command[length] = '\0';
    *strrchr(command, '/') = '\0';
    return snprintf(path, size, "%s/%s", command, name) < (int)size && stat(path, &status_of) == 0;
}

/* Beside the command: where an installation puts the gallery, or, in a build tree (build/<preset>), the sources' own.
 * So an installation may be moved, and a command just built does not show the gallery of an older one that is
 * installed. */
static bool beside_command(char *path, size_t size) {
#ifdef AMONTONS_DATA_FROM_COMMAND
    static const char *const places[] = {AMONTONS_DATA_FROM_COMMAND "/gallery", "../../gallery"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (am_beside_command(places[i], path, size) && is_folder(path))
            return true;
#else
    (void)path, (void)size;
#endif
    return false;
}

static const char *gallery_folder(char *buffer, size_t size) {
    const char *chosen = getenv("AMONTONS_GALLERY");
    if (chosen && *chosen)
        return chosen;
    if (is_folder("gallery"))
        return "gallery";
    if (beside_command(buffer, size))
        return buffer;
#ifdef AMONTONS_DATA_DIR
    if (is_folder(AMONTONS_DATA_DIR "/gallery"))
        return AMONTONS_DATA_DIR "/gallery";
#endif
    return "gallery"; /* which does not exist: the message will say so */
}

void am_gallery_free(am_gallery_list *list) {
    am_memory_free(list->studies);
    am_arena_clear(&list->memory);
    *list = (am_gallery_list){0};
}

void am_gallery_print_name(const am_gallery_list *list, const am_gallery_study *study) {
    int printed = printf("%s/%s", study->group, study->name);
    printf("%*s", list->width - printed + 2, "");
}

static am_status add_study(am_gallery_list *list, const char *group, const char *file, const char *path,
                           am_error *err) {
    AM_TRY(am_memory_resize(&list->studies, list->count + 1, err));
    size_t name = (size_t)(strrchr(file, '.') - file);
    int width = (int)(strlen(group) + 1 + name);
    list->studies[list->count++] = (am_gallery_study){am_arena_text(&list->memory, group, strlen(group), err),
                                                      am_arena_text(&list->memory, file, name, err),
                                                      am_arena_text(&list->memory, path, strlen(path), err)};
    list->width = width > list->width ? width : list->width;
    return am_arena_status(&list->memory);
}

static bool is_study(const char *file) {
    const char *dot = strrchr(file, '.');
    return file[0] != '.' && dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static am_status scan_group(am_gallery_list *list, const char *folder, const char *group, am_error *err) {
    char path[4096];
    am_status status = AM_OK;
    DIR *directory = opendir(folder);
    if (!directory)
        return AM_OK; /* a folder that cannot be read holds no studies for us */
    for (struct dirent *entry; status == AM_OK && (entry = readdir(directory));)
        if (is_study(entry->d_name) && snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            status = add_study(list, group, entry->d_name, path, err);
    closedir(directory);
    return status;
}

/* "fig2a" before "fig10": digits compare as numbers. */
static int compare_names(const char *a, const char *b) {
    while (*a && *b) {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            char *end_a, *end_b;
            unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = end_a;
            b = end_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int compare_studies(const void *left, const void *right) {
    const am_gallery_study *a = left, *b = right;
    int groups = compare_names(a->group, b->group);
    return groups ? groups : compare_names(a->name, b->name);
}

am_status am_gallery_find(am_gallery_list *list, am_error *err) {
    char path[4096], buffer[4096];
    const char *root = gallery_folder(buffer, sizeof buffer);
    am_status status = AM_OK;
    DIR *directory = opendir(root);
    if (!directory)
        return am_fail(err, AM_ERR_FILE,
                       "%s: the gallery's folder cannot be read: %s; AMONTONS_GALLERY names another one", root,
                       strerror(errno));
    for (struct dirent *entry; status == AM_OK && (entry = readdir(directory));)
        if (entry->d_name[0] != '.' && snprintf(path, sizeof path, "%s/%s", root, entry->d_name) < (int)sizeof path &&
            is_folder(path))
            status = scan_group(list, path, entry->d_name, err);
    closedir(directory);
    if (status == AM_OK && list->count == 0)
        status = am_fail(err, AM_ERR_FILE, "%s: there are no studies (group/name.yaml) in this gallery", root);
    if (status != AM_OK)
        am_gallery_free(list);
    else
        qsort(list->studies, list->count, sizeof *list->studies, compare_studies);
    return status;
}
