/* A disk that forgets. While it watches, every change that this process makes below one folder is noted as it goes to
 * the system. Afterwards the disk can be asked what it would hold had the power failed at any moment: what was not
 * synced may be there or not, in any combination.
 *
 *   - Bytes of a file are safe when the file was synced; before that, any beginning of them may be there.
 *   - A change of a folder (a name made, linked, renamed, removed) is safe when the folder was synced, of a rename the
 *     one it goes to; before that, it may have happened or not, whatever else has. A rename happens wholly or not.
 *
 * Real file systems forget less. The functions of the system are wrapped: link the test with the names in
 * tests/CMakeLists.txt. */
#ifndef AMONTONS_TESTS_DISK_H
#define AMONTONS_TESTS_DISK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What lies below the folder now is safe; what happens from now on is noted. */
void disk_watch(const char *folder);
void disk_stop(void);
size_t disk_changes(void); /* noted */
void disk_free(void);

/* File systems without links. */
extern bool disk_refuses_links, disk_refuses_symbolic_links;

/* Which of the changes that are not safe have happened. */
typedef enum disk_luck { DISK_NONE, DISK_ALL, DISK_ALL_BUT_ONE, DISK_NONE_BUT_ONE, DISK_SOME } disk_luck;

/* The disk as a cut of power after `changes` changes leaves it. `random`: which ones, where luck leaves it open. */
void disk_cut(size_t changes, disk_luck luck, uint64_t *random);

/* Then: how many bytes a file has (links are followed), and where they are; false when it cannot be opened. */
bool disk_read(const char *path, const char **bytes, size_t *count);

/* The names in a folder: calls `visit` with each of them. */
void disk_list(const char *folder, void (*visit)(void *context, const char *name), void *context);

/* Put it into a real folder, to be looked at by others. */
void disk_put(const char *folder);

#endif
