/* Work in a process of its own. NetCDF and HDF5 may crash when memory is refused or a file is malicious: then a child
 * of this process ends, and not the process itself. */
#ifndef AMONTONS_OUTPUT_CHILD_H
#define AMONTONS_OUTPUT_CHILD_H
#include "base/text.h"

/* Leaves bytes in `made`, which is empty before. It sees everything that the caller has made, changes nothing of it,
 * and opens no files. */
typedef am_status am_child_work(void *context, am_text *made, am_error *err);

/* What the work made, the caller's, or why it failed. AM_ERR_FILE when its process was ended: err says that `what`
 * ("results.nc could not be made") is so, and by which signal. Where no process can be started (a limit on processes
 * or on memory), or it gets stuck (a lock that another thread held when it was started), the work is done in this
 * process. */
am_status am_child_run(am_child_work *work, void *context, const char *what, am_text *made, am_error *err);

#endif
