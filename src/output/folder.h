/* Folders of results. */
#ifndef AMONTONS_OUTPUT_FOLDER_H
#define AMONTONS_OUTPUT_FOLDER_H
#include "amontons/error.h"

/* The study whose results a folder holds, as its summary.json says; *study NULL: none, or none that can be told. The
 * caller's (am_memory_free). Fails for want of memory only. */
am_status am_output_study_of(const char *folder, char **study, am_error *err);

#endif
