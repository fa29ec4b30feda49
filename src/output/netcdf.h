/* A report as one NetCDF-4 file. The NetCDF library serves one thread at a time: others wait here. */
#ifndef AMONTONS_OUTPUT_NETCDF_H
#define AMONTONS_OUTPUT_NETCDF_H
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "amontons/output.h"
#include "base/text.h"

/* The bytes of the file, the caller's, read back and compared with the report. It is made in memory so that only one
 * place writes files and knows why that failed: the NetCDF library does not report a full disk as such; and in a
 * process of its own, because it may crash when memory is refused. */
am_status am_output_netcdf(const am_report *report, am_text *bytes, am_error *err);

/* A count of the summary as the file holds it: what no such number can hold is the largest. */
static inline long long am_netcdf_count(const am_scalar *scalar) {
    return scalar->number < 0x1p63 ? (long long)scalar->number : LLONG_MAX;
}

/* Is a text too long for an attribute? HDF5 keeps those in a header of 64 kB. */
static inline bool am_netcdf_is_long(const char *text) {
    return text && strlen(text) > 60000;
}

/* ---- Between the files that write, read and check ---- */

enum { AM_NETCDF_NO_FLAG = -1 }; /* where a flag is neither true nor false */

/* The unit as UDUNITS understands it. NULL: there is none, or it names a kind of quantity (`length/time`), since the
 * study's own units are not known. */
const char *am_netcdf_units(const char *unit);

/* Is the column written as bytes? Flags are, that are true, false or unknown. */
bool am_netcdf_is_bytes(const am_table *table, size_t column);

/* Characters of the longest text of a column; at least 1. */
size_t am_netcdf_text_width(const am_table *table, size_t column);

/* A variable for a column over `count` dimensions; texts get one more. `coordinates` names its auxiliary coordinates,
 * "" when there are none. A code of NetCDF. */
int am_netcdf_define(int group, const char *name, const am_table *table, size_t column, int count,
                     const int *dimensions, const char *coordinates, int *variable);

/* A table with axes as variables of the file itself: over the axes where its rows are a grid, over `sample` where they
 * are not. Written, or, once that was done, compared with the file. */
am_status am_netcdf_grid(int file, const am_result *result, bool compare, am_error *err);

/* HDF5, which NetCDF uses, prints everything that it does not find on standard error: not in this thread, from now on.
 * Before calls of NetCDF. */
void am_output_netcdf_silence(void);

/* Does the file hold what it was to hold: these attributes (name, text), every value of the summary, every column and
 * cell? AM_ERR_FILE when not. For one thread at a time. */
am_status am_output_netcdf_check(const am_report *report, size_t head_count, const char *const heads[][2], void *bytes,
                                 size_t count, am_error *err);

/* The tables of such a file, added to `result`, with every bit; the summary is left. AM_ERR_FILE when it is none, or
 * was cut off. Read in a process of its own: such a file may be malicious. */
am_status am_output_netcdf_read(const void *bytes, size_t count, am_result *result, am_error *err);

/* The same in this process; and of a file of `count` bytes that is open in it. */
am_status am_output_netcdf_read_here(const void *bytes, size_t count, am_result *result, am_error *err);
am_status am_output_netcdf_read_open(int file, size_t count, am_result *result, am_error *err);

#endif
