/* A report as one NetCDF-4 file. The NetCDF library serves one thread at a time: others wait here. */
#ifndef AMONTONS_OUTPUT_NETCDF_H
#define AMONTONS_OUTPUT_NETCDF_H
#include "amontons/output.h"

/* The bytes of the file, the caller's (am_output_netcdf_free), read back and compared with the report. It is made in
 * memory so that only one place writes files and knows why that failed: the NetCDF library cannot tell a full disk from
 * other mishaps. */
am_status am_output_netcdf(const am_report *report, void **bytes, size_t *count, am_error *err);
void am_output_netcdf_free(void *bytes);

/* HDF5 beneath NetCDF tells standard error of everything that it does not find: not in this thread, from now on. Before
 * calls of NetCDF. */
void am_output_netcdf_hush(void);

/* Does the file hold what it was to hold: these attributes (name, text), every value of the summary, every column and
 * cell? AM_ERR_FILE when not. For one thread at a time. */
am_status am_output_netcdf_check(const am_report *report, size_t head_count, const char *const heads[][2], void *bytes,
                                 size_t count, am_error *err);

/* The tables of such a file, added to `result`, with every bit; the summary is left. AM_ERR_FILE when it is none, or
 * was cut off. */
am_status am_output_netcdf_read(void *bytes, size_t count, am_result *result, am_error *err);

#endif
