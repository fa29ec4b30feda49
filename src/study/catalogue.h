/* The studies of a folder: files *.yaml and *.yml in it and in the folders below it, as the gallery keeps them. */
#ifndef AMONTONS_STUDY_CATALOGUE_H
#define AMONTONS_STUDY_CATALOGUE_H
#include "base/arena.h"

/* "joints/bowed.yaml" of the folder "gallery". */
typedef struct am_catalogue_study {
    const char *group; /* "joints"; "" for what lies in the folder itself */
    const char *name;  /* "bowed" */
    const char *file;  /* "joints/bowed.yaml" */
    const char *path;  /* "gallery/joints/bowed.yaml" */
} am_catalogue_study;

/* Begins as {0}. */
typedef struct am_catalogue {
    size_t count, capacity;
    am_catalogue_study *studies;
    am_arena memory; /* of the texts */
} am_catalogue;

/* Those that lie from `least` to `most` folders deep, sorted by group and name, numbers in names as numbers; files and
 * folders whose names begin with a point are left out. Folders below that cannot be read, and links to folders, hold none. AM_ERR_FILE when
 * the folder itself cannot be read, with the system's reason. */
am_status am_catalogue_read(am_catalogue *catalogue, const char *folder, size_t least, size_t most, am_error *err);
void am_catalogue_clear(am_catalogue *catalogue);

/* What a study says of itself on its top level, without checking it: for lists. Missing ones are "". */
typedef struct am_study_heading {
    const char *title, *topic, *verdict;
} am_study_heading;
am_status am_study_heading_read(const char *path, am_arena *memory, am_study_heading *heading, am_error *err);

#endif
