#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdint.h>

#include "output/netcdf.h"

/* NetCDF silences HDF5 in the thread that uses it first, but HDF5 keeps this setting for each thread. Its function is
 * looked for where it is; to link HDF5 for it would ask more of whoever builds this. */
void am_output_netcdf_hush(void) {
    int (*set)(int64_t stack, void *function, void *data) = NULL;
    *(void **)&set = dlsym(RTLD_DEFAULT, "H5Eset_auto2");
    if (set)
        set(0, NULL, NULL);
}
