#include <stdint.h>

#include "output/netcdf.h"

/* NetCDF silences HDF5 in the thread that uses it first, but HDF5 keeps this setting for each thread. Its function is
 * called where it is there; to link HDF5 for it would ask more of whoever builds this. */
#if defined(__GNUC__)
extern int H5Eset_auto2(int64_t stack, void *function, void *data) __attribute__((weak));

void am_output_netcdf_hush(void) {
    if (H5Eset_auto2)
        H5Eset_auto2(0, NULL, NULL);
}
#else
void am_output_netcdf_hush(void) {}
#endif
