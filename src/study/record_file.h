/* Records: functions of time from columns of a CSV file. */
#ifndef AMONTONS_STUDY_RECORD_FILE_H
#define AMONTONS_STUDY_RECORD_FILE_H
#include "amontons/system.h"
#include "study/reading.h"

/* Times (if they are wanted) and values of the file that the mapping of a table names, into the table. */
am_status am_record_read(am_reading *reading, const am_node *node, bool with_times, am_function *table);

#endif
