/* Folders of results. */
#ifndef AMONTONS_OUTPUT_FOLDER_H
#define AMONTONS_OUTPUT_FOLDER_H

/* The study whose results a folder holds, as its summary.json says; NULL: none, or none that can be told. The caller's
 * (am_memory_free). */
char *am_output_study_of(const char *folder);

#endif
