/* A report as one NetCDF-4 file. */
#ifndef AMONTONS_OUTPUT_NETCDF_H
#define AMONTONS_OUTPUT_NETCDF_H
#include "amontons/output.h"

/* The bytes of the file, the caller's (am_output_netcdf_free). It is made in memory so that only one place writes files
 * and knows why that failed: the NetCDF library cannot tell a full disk from other mishaps. */
am_status am_output_netcdf(const am_report *report, void **bytes, size_t *count, am_error *err);
void am_output_netcdf_free(void *bytes);

#endif
