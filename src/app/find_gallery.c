/* Where the gallery's studies are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"

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
static bool beside_command(const char *installed, const char *in_sources, char *path, size_t size) {
    return (am_beside_command(installed, path, size) && is_folder(path)) ||
           (am_beside_command(in_sources, path, size) && is_folder(path));
}

const char *am_gallery_folder(char *buffer, size_t size) {
    const char *chosen = getenv("AMONTONS_GALLERY");
    if (chosen && *chosen)
        return chosen;
    if (is_folder("gallery"))
        return "gallery";
#ifdef AMONTONS_DATA_FROM_COMMAND
    if (beside_command(AMONTONS_DATA_FROM_COMMAND "/gallery", "../../gallery", buffer, size))
        return buffer;
#endif
#ifdef AMONTONS_DATA_DIR
    if (is_folder(AMONTONS_DATA_DIR "/gallery"))
        return AMONTONS_DATA_DIR "/gallery";
#endif
    return "gallery"; /* which does not exist: the message will say so */
}

const char *am_lab_page_folder(char *buffer, size_t size) {
    const char *chosen = getenv("AMONTONS_LAB_PAGE");
    if (chosen && *chosen)
        return chosen;
#ifdef AMONTONS_DATA_FROM_COMMAND
    if (beside_command(AMONTONS_DATA_FROM_COMMAND "/lab", "../../src/lab/page", buffer, size))
        return buffer;
#endif
#ifdef AMONTONS_DATA_DIR
    if (is_folder(AMONTONS_DATA_DIR "/lab"))
        return AMONTONS_DATA_DIR "/lab";
#endif
    return NULL;
}

void am_gallery_free(am_gallery_list *list) {
    am_catalogue_clear(&list->found);
    *list = (am_gallery_list){0};
}

void am_gallery_print_name(const am_gallery_list *list, const am_gallery_study *study) {
    int printed = printf("%s/%s", study->group, study->name);
    printf("%*s", list->width - printed + 2, "");
}

am_status am_gallery_find(am_gallery_list *list, am_error *err) {
    char buffer[4096];
    const char *root = am_gallery_folder(buffer, sizeof buffer);
    am_error own = {0};
    am_status status = am_catalogue_read(&list->found, root, 1, 1, &own);
    if (status == AM_ERR_FILE)
        am_fail(err, status, "%s; it should be the gallery's: AMONTONS_GALLERY names another one", own.message);
    else if (status != AM_OK)
        am_fail(err, status, "%s", own.message);
    else if (list->found.count == 0)
        status = am_fail(err, AM_ERR_FILE, "%s: there are no studies (group/name.yaml) in this gallery", root);
    list->count = list->found.count;
    list->studies = list->found.studies;
    for (size_t i = 0; i < list->count; i++) {
        int width = (int)(strlen(list->studies[i].group) + 1 + strlen(list->studies[i].name));
        list->width = width > list->width ? width : list->width;
    }
    if (status != AM_OK)
        am_gallery_free(list);
    return status;
}
