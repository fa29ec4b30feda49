/* What was written is on the disk, even if the power fails now. */
#ifndef AMONTONS_OUTPUT_SYNC_H
#define AMONTONS_OUTPUT_SYNC_H
#include <stddef.h>

/* Files and folders, all at the same time: a disk settles many together nearly as fast as one. 0, or errno of one that
 * could not be. File systems that have nothing to settle are fine. */
int am_output_sync(const int *descriptors, size_t count);

/* The folder that a file or folder lies in, so that its name is on the disk. The path is as before afterwards. */
int am_output_sync_parent(char *path);

#endif
