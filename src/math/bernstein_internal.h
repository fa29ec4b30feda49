/* share[k][j] = C(j,k)/C(n,k) = product over i < k of (j - i)/(n - i): Bernstein coefficient j of s^k, for degree n
 * = 23. Written as constant expressions, so that the table needs neither start-up code nor 576 typed numbers. */
#ifndef AMONTONS_MATH_BERNSTEIN_INTERNAL_H
#define AMONTONS_MATH_BERNSTEIN_INTERNAL_H
#include "math/bernstein.h"

/* The lower half of the orders. */
enum { AM_QUICK_COEFFICIENTS = AM_COEFFICIENTS / 2 };

/* clang-format off */
#define AM_SHARE0(j) 1.0
#define AM_SHARE1(j) ((j) / 23.0)
#define AM_SHARE2(j) (AM_SHARE1(j) * ((j) - 1) / 22.0)
#define AM_SHARE3(j) (AM_SHARE2(j) * ((j) - 2) / 21.0)
#define AM_SHARE4(j) (AM_SHARE3(j) * ((j) - 3) / 20.0)
#define AM_SHARE5(j) (AM_SHARE4(j) * ((j) - 4) / 19.0)
#define AM_SHARE6(j) (AM_SHARE5(j) * ((j) - 5) / 18.0)
#define AM_SHARE7(j) (AM_SHARE6(j) * ((j) - 6) / 17.0)
#define AM_SHARE8(j) (AM_SHARE7(j) * ((j) - 7) / 16.0)
#define AM_SHARE9(j) (AM_SHARE8(j) * ((j) - 8) / 15.0)
#define AM_SHARE10(j) (AM_SHARE9(j) * ((j) - 9) / 14.0)
#define AM_SHARE11(j) (AM_SHARE10(j) * ((j) - 10) / 13.0)
#define AM_SHARE12(j) (AM_SHARE11(j) * ((j) - 11) / 12.0)
#define AM_SHARE13(j) (AM_SHARE12(j) * ((j) - 12) / 11.0)
#define AM_SHARE14(j) (AM_SHARE13(j) * ((j) - 13) / 10.0)
#define AM_SHARE15(j) (AM_SHARE14(j) * ((j) - 14) / 9.0)
#define AM_SHARE16(j) (AM_SHARE15(j) * ((j) - 15) / 8.0)
#define AM_SHARE17(j) (AM_SHARE16(j) * ((j) - 16) / 7.0)
#define AM_SHARE18(j) (AM_SHARE17(j) * ((j) - 17) / 6.0)
#define AM_SHARE19(j) (AM_SHARE18(j) * ((j) - 18) / 5.0)
#define AM_SHARE20(j) (AM_SHARE19(j) * ((j) - 19) / 4.0)
#define AM_SHARE21(j) (AM_SHARE20(j) * ((j) - 20) / 3.0)
#define AM_SHARE22(j) (AM_SHARE21(j) * ((j) - 21) / 2.0)
#define AM_SHARE23(j) (AM_SHARE22(j) * ((j) - 22) / 1.0)
#define AM_SHARES(S) {S(0), S(1), S(2), S(3), S(4), S(5), S(6), S(7), S(8), S(9), S(10), S(11), S(12), S(13), S(14), S(15), \
                      S(16), S(17), S(18), S(19), S(20), S(21), S(22), S(23)}

static const double share[AM_COEFFICIENTS][AM_COEFFICIENTS] __attribute__((aligned(16))) = {
    AM_SHARES(AM_SHARE0), AM_SHARES(AM_SHARE1), AM_SHARES(AM_SHARE2), AM_SHARES(AM_SHARE3),
    AM_SHARES(AM_SHARE4), AM_SHARES(AM_SHARE5), AM_SHARES(AM_SHARE6), AM_SHARES(AM_SHARE7),
    AM_SHARES(AM_SHARE8), AM_SHARES(AM_SHARE9), AM_SHARES(AM_SHARE10), AM_SHARES(AM_SHARE11),
    AM_SHARES(AM_SHARE12), AM_SHARES(AM_SHARE13), AM_SHARES(AM_SHARE14), AM_SHARES(AM_SHARE15),
    AM_SHARES(AM_SHARE16), AM_SHARES(AM_SHARE17), AM_SHARES(AM_SHARE18), AM_SHARES(AM_SHARE19),
    AM_SHARES(AM_SHARE20), AM_SHARES(AM_SHARE21), AM_SHARES(AM_SHARE22), AM_SHARES(AM_SHARE23),
};

#define AM_QUICK0(j) 1.0
#define AM_QUICK1(j) ((j) / 11.0)
#define AM_QUICK2(j) (AM_QUICK1(j) * ((j) - 1) / 10.0)
#define AM_QUICK3(j) (AM_QUICK2(j) * ((j) - 2) / 9.0)
#define AM_QUICK4(j) (AM_QUICK3(j) * ((j) - 3) / 8.0)
#define AM_QUICK5(j) (AM_QUICK4(j) * ((j) - 4) / 7.0)
#define AM_QUICK6(j) (AM_QUICK5(j) * ((j) - 5) / 6.0)
#define AM_QUICK7(j) (AM_QUICK6(j) * ((j) - 6) / 5.0)
#define AM_QUICK8(j) (AM_QUICK7(j) * ((j) - 7) / 4.0)
#define AM_QUICK9(j) (AM_QUICK8(j) * ((j) - 8) / 3.0)
#define AM_QUICK10(j) (AM_QUICK9(j) * ((j) - 9) / 2.0)
#define AM_QUICK11(j) (AM_QUICK10(j) * ((j) - 10) / 1.0)
#define AM_QUICKS(S) {S(0), S(1), S(2), S(3), S(4), S(5), S(6), S(7), S(8), S(9), S(10), S(11)}

/* The same for degree 11. */
static const double quick_share[AM_QUICK_COEFFICIENTS][AM_QUICK_COEFFICIENTS] __attribute__((aligned(16))) = {
    AM_QUICKS(AM_QUICK0), AM_QUICKS(AM_QUICK1), AM_QUICKS(AM_QUICK2), AM_QUICKS(AM_QUICK3),
    AM_QUICKS(AM_QUICK4), AM_QUICKS(AM_QUICK5), AM_QUICKS(AM_QUICK6), AM_QUICKS(AM_QUICK7),
    AM_QUICKS(AM_QUICK8), AM_QUICKS(AM_QUICK9), AM_QUICKS(AM_QUICK10), AM_QUICKS(AM_QUICK11),
};
/* clang-format on */

#endif
