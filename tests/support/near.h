/* Numbers that must agree. */
#ifndef AMONTONS_TESTS_NEAR_H
#define AMONTONS_TESTS_NEAR_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Within `tolerance` of each other, bounds included; NaN is never near. */
#define assert_near(got, wanted, tolerance)                                                                            \
    do {                                                                                                               \
        double got_ = (got), wanted_ = (wanted), tolerance_ = (tolerance);                                             \
        if (!(fabs(got_ - wanted_) <= tolerance_))                                                                     \
            fail_msg("%s = %.17g, expected %.17g within %g", #got, got_, wanted_, tolerance_);                         \
    } while (0)

#endif
