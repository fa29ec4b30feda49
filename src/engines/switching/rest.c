#include "engines/switching/rest.h"

#include "engines/quasistatic/incremental.h"

am_status am_rest_find(const am_system *system, double t, const double *stand, double *q, am_error *err) {
    am_path_incremental path;
    am_error why = {0};
    am_status status = am_path_incremental_init(&path, system, &why);
    if (!status) {
        status = am_path_incremental_place(&path, t, stand, &why);
        if (!status)
            status = am_path_incremental_coordinates(&path, q, &why);
        am_path_incremental_clear(&path);
    }
    return status ? am_fail_field(err, status, "initial", "the structure has no rest to start from at t = %g: %.380s",
                                  t, why.message)
                  : AM_OK;
}
