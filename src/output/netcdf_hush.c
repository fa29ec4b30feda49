#include <stdint.h>

#include "output/netcdf.h"

/* NetCDF silences HDF5 in the thread that uses it first, but HDF5 keeps this setting for each thread. Its two functions
 * are called where they are there; to link HDF5 for them would ask more of whoever builds this. */
#if defined(__GNUC__)
extern int H5Eget_auto2(int64_t stack, void **function, void **data) __attribute__((weak));
extern int H5Eset_auto2(int64_t stack, void *function, void *data) __attribute__((weak));

am_netcdf_hush am_netcdf_hush_begin(void) {
    am_netcdf_hush before = {0};
    if (H5Eget_auto2 && H5Eset_auto2 && H5Eget_auto2(0, &before.function, &before.data) >= 0)
        H5Eset_auto2(0, NULL, NULL);
    return before;
}

void am_netcdf_hush_end(am_netcdf_hush hush) {
    if (hush.function && H5Eset_auto2)
        H5Eset_auto2(0, hush.function, hush.data);
}
#else
am_netcdf_hush am_netcdf_hush_begin(void) {
    return (am_netcdf_hush){0};
}

void am_netcdf_hush_end(am_netcdf_hush hush) {
    (void)hush;
}
#endif
