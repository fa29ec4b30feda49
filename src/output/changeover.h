/* Many files of a folder replaced in one instant. New ones wait in DIR/.amontons-X/new. During the switch, links of the
 * older files are in .amontons-X/old, and every name in DIR is made a symbolic link to .amontons-X/current/NAME,
 * where `current` is a symbolic link to `old`. Then one rename makes `current` point to `new`: whoever opens a file
 * finds all of the older results before it, and all of the new ones after it. At last the new files take the place of
 * the links. Each step is on the disk before the next. Whatever ends the program in between, `current` tells how to
 * finish.
 *
 * Where there are no symbolic links, older files are moved into `old`, an empty file `committed` is the switch, and new
 * files are moved out of `new`. */
#ifndef AMONTONS_OUTPUT_CHANGEOVER_H
#define AMONTONS_OUTPUT_CHANGEOVER_H
#include <stdbool.h>
#include <stddef.h>

/* Begins the name of every folder of ours. */
#define AM_SWITCH_PREFIX ".amontons-"

/* Descriptors of open folders. */
typedef struct am_changeover {
    char name[32]; /* of the hidden folder */
    int folder, hidden, fresh, older;
    bool moves;     /* there are moments in which names are missing */
    bool unsettled; /* it could be neither finished nor taken back: left for the next run */
} am_changeover;

/* Finishes or undoes what runs left that were ended during a switch, and removes their hidden folders. Nobody else
 * may be writing there (am_output_claim). 0 or errno. */
int am_changeover_repair(int folder);

/* A hidden folder with an empty folder `new`. 0 or errno; then nothing is left. */
int am_changeover_begin(am_changeover *s, int folder);

/* The new files take the place of older ones of their names, and the `stale` ones go (NULL-terminated; stale may be
 * NULL). 0; or errno, with the name at fault in *culprit, and the folder is as it was. */
int am_changeover_commit(am_changeover *s, char *const *names, char *const *stale, const char **culprit);

/* Removes the hidden folder with all that is left in it. */
void am_changeover_end(am_changeover *s);

#endif
