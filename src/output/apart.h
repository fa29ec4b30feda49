/* Work in a process of its own. NetCDF and HDF5 were not made to bear memory that is refused to them, or files from
 * strangers: where they fail, a child of this process ends and not the process itself. */
#ifndef AMONTONS_OUTPUT_APART_H
#define AMONTONS_OUTPUT_APART_H
#include "base/text.h"

/* Leaves bytes in `made`, which is empty before. It sees everything that the caller has made, changes nothing of it,
 * and opens no files. */
typedef am_status am_apart_work(void *context, am_text *made, am_error *err);

/* What the work made, the caller's, or why it failed. AM_ERR_FILE when its process was ended: err says that `what`
 * ("results.nc could not be made") is so, and by which signal. Where no process can be begun (a limit on processes or
 * on memory), or it does not go on (a lock that another thread of this process held when it began), the work is done in
 * this one: better at some risk than not at all. */
am_status am_apart(am_apart_work *work, void *context, const char *what, am_text *made, am_error *err);

#endif
