/* AM_TRY(call): a failure of `call` is this function's failure too. For functions that have nothing to give back first. */
#ifndef AMONTONS_BASE_TRY_H
#define AMONTONS_BASE_TRY_H
#include <stdbool.h>

#include "amontons/error.h"

#define AM_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const am_status am_try_status = (call);                                                                        \
        if (am_try_status != AM_OK)                                                                                    \
            return am_try_status;                                                                                      \
    } while (0)

/* The same in functions that return a code of their system or library: an errno, or what NetCDF returns; 0 is success. */
#define AM_TRY_CODE(call)                                                                                              \
    do {                                                                                                               \
        const int am_try_code = (call);                                                                                \
        if (am_try_code != 0)                                                                                          \
            return am_try_code;                                                                                        \
    } while (0)

/* A failure that says nothing of what was tried: nothing else need be tried then. */
static inline bool am_status_is_fatal(am_status status) {
    return status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED;
}

/* Why something could not be made (its maker gave NULL): no memory, unless the error says another reason. */
static inline am_status am_error_status(const am_error *err) {
    return err && err->status != AM_OK ? err->status : AM_ERR_MEMORY;
}

#endif
