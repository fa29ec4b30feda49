/* Where the gallery's studies are. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command.h"
#include "base/memory.h"
#include "base/text.h"

static bool is_folder(const char *path) {
    struct stat status_of;
    return stat(path, &status_of) == 0 && S_ISDIR(status_of.st_mode);
}

static const char *gallery_folder(void) {
    const char *chosen = getenv("AMONTONS_GALLERY");
    if (chosen && *chosen)
        return chosen;
#ifdef AMONTONS_DATA_DIR
    if (is_folder(AMONTONS_DATA_DIR "/gallery"))
        return AMONTONS_DATA_DIR "/gallery";
#endif
    return "gallery";
}

void am_gallery_free(am_gallery_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        am_memory_free(list->studies[i].group);
        am_memory_free(list->studies[i].name);
        am_memory_free(list->studies[i].path);
    }
    am_memory_free(list->studies);
    *list = (am_gallery_list){0};
}

static am_status add_study(am_gallery_list *list, const char *group, const char *file, const char *path,
                           am_error *err) {
    void *studies = list->studies;
    am_status status = am_memory_resize(&studies, list->count + 1, sizeof *list->studies, err);
    if (status != AM_OK)
        return status;
    list->studies = studies;
    am_gallery_study *study = &list->studies[list->count++];
    study->group = am_memory_text(group, err);
    study->name = am_memory_text(file, err);
    study->path = am_memory_text(path, err);
    if (!study->group || !study->name || !study->path)
        return AM_ERR_MEMORY;
    *strrchr(study->name, '.') = '\0';
    return AM_OK;
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
    char path[4096];
    const char *root = gallery_folder();
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
