/* Folders of results. */
#ifndef AMONTONS_OUTPUT_FOLDER_H
#define AMONTONS_OUTPUT_FOLDER_H
#include <cjson/cJSON.h>

#include "amontons/output.h"
#include "base/text.h"

/* summary.json of a folder; *document is NULL when there is none, or it cannot be read. Fails for want of memory only.
 */
am_status am_output_summary_of(const char *folder, cJSON **document, am_error *err);

/* The study whose results a folder holds, as its summary.json says, and the fingerprint there; NULL: none, or not
 * known. Both are the caller's (am_memory_free). Fails for want of memory only. */
am_status am_output_study_of(const char *folder, char **study, char **fingerprint, am_error *err);

/* The figure alone, drawn aside in a folder of scratch, where nothing is left: its two drawings are added to the texts. */
am_status am_output_draw(const am_report *report, const char *scratch, am_text *svg, am_text *png, am_error *err);

#endif
