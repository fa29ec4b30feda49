/* AM_TRY(call): a failure of `call` is this function's failure too. For functions that have nothing to give back first. */
#ifndef AMONTONS_BASE_TRY_H
#define AMONTONS_BASE_TRY_H
#include "amontons/error.h"

#define AM_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const am_status am_try_status = (call);                                                                        \
        if (am_try_status != AM_OK)                                                                                    \
            return am_try_status;                                                                                      \
    } while (0)

#endif
