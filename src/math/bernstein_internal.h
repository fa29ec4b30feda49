/* C(j,k)/C(n,k) = product over i < k of (j - i)/(n - i): Bernstein coefficient j of s^k, for degree n; share[k][j] for n
 * = 23. Written as constant expressions, so that the table needs neither start-up code nor 576 typed numbers. */
#ifndef AMONTONS_MATH_BERNSTEIN_INTERNAL_H
#define AMONTONS_MATH_BERNSTEIN_INTERNAL_H
#include "math/bernstein.h"

/* The lower half of the orders. */
enum { AM_QUICK_COEFFICIENTS = AM_COEFFICIENTS / 2 };

/* clang-format off */
#define AM_SHARE0(n, j) 1.0
#define AM_SHARE1(n, j) ((j) / (n))
#define AM_SHARE2(n, j) (AM_SHARE1(n, j) * ((j) - 1) / ((n) - 1))
#define AM_SHARE3(n, j) (AM_SHARE2(n, j) * ((j) - 2) / ((n) - 2))
#define AM_SHARE4(n, j) (AM_SHARE3(n, j) * ((j) - 3) / ((n) - 3))
#define AM_SHARE5(n, j) (AM_SHARE4(n, j) * ((j) - 4) / ((n) - 4))
#define AM_SHARE6(n, j) (AM_SHARE5(n, j) * ((j) - 5) / ((n) - 5))
#define AM_SHARE7(n, j) (AM_SHARE6(n, j) * ((j) - 6) / ((n) - 6))
#define AM_SHARE8(n, j) (AM_SHARE7(n, j) * ((j) - 7) / ((n) - 7))
#define AM_SHARE9(n, j) (AM_SHARE8(n, j) * ((j) - 8) / ((n) - 8))
#define AM_SHARE10(n, j) (AM_SHARE9(n, j) * ((j) - 9) / ((n) - 9))
#define AM_SHARE11(n, j) (AM_SHARE10(n, j) * ((j) - 10) / ((n) - 10))
#define AM_SHARE12(n, j) (AM_SHARE11(n, j) * ((j) - 11) / ((n) - 11))
#define AM_SHARE13(n, j) (AM_SHARE12(n, j) * ((j) - 12) / ((n) - 12))
#define AM_SHARE14(n, j) (AM_SHARE13(n, j) * ((j) - 13) / ((n) - 13))
#define AM_SHARE15(n, j) (AM_SHARE14(n, j) * ((j) - 14) / ((n) - 14))
#define AM_SHARE16(n, j) (AM_SHARE15(n, j) * ((j) - 15) / ((n) - 15))
#define AM_SHARE17(n, j) (AM_SHARE16(n, j) * ((j) - 16) / ((n) - 16))
#define AM_SHARE18(n, j) (AM_SHARE17(n, j) * ((j) - 17) / ((n) - 17))
#define AM_SHARE19(n, j) (AM_SHARE18(n, j) * ((j) - 18) / ((n) - 18))
#define AM_SHARE20(n, j) (AM_SHARE19(n, j) * ((j) - 19) / ((n) - 19))
#define AM_SHARE21(n, j) (AM_SHARE20(n, j) * ((j) - 20) / ((n) - 20))
#define AM_SHARE22(n, j) (AM_SHARE21(n, j) * ((j) - 21) / ((n) - 21))
#define AM_SHARE23(n, j) (AM_SHARE22(n, j) * ((j) - 22) / ((n) - 22))
#define AM_SHARES(S) {S(23.0, 0), S(23.0, 1), S(23.0, 2), S(23.0, 3), S(23.0, 4), S(23.0, 5), S(23.0, 6), S(23.0, 7), \
                      S(23.0, 8), S(23.0, 9), S(23.0, 10), S(23.0, 11), S(23.0, 12), S(23.0, 13), S(23.0, 14), S(23.0, 15), \
                      S(23.0, 16), S(23.0, 17), S(23.0, 18), S(23.0, 19), S(23.0, 20), S(23.0, 21), S(23.0, 22), S(23.0, 23)}

static const double share[AM_COEFFICIENTS][AM_COEFFICIENTS] __attribute__((aligned(16))) = {
    AM_SHARES(AM_SHARE0), AM_SHARES(AM_SHARE1), AM_SHARES(AM_SHARE2), AM_SHARES(AM_SHARE3),
    AM_SHARES(AM_SHARE4), AM_SHARES(AM_SHARE5), AM_SHARES(AM_SHARE6), AM_SHARES(AM_SHARE7),
    AM_SHARES(AM_SHARE8), AM_SHARES(AM_SHARE9), AM_SHARES(AM_SHARE10), AM_SHARES(AM_SHARE11),
    AM_SHARES(AM_SHARE12), AM_SHARES(AM_SHARE13), AM_SHARES(AM_SHARE14), AM_SHARES(AM_SHARE15),
    AM_SHARES(AM_SHARE16), AM_SHARES(AM_SHARE17), AM_SHARES(AM_SHARE18), AM_SHARES(AM_SHARE19),
    AM_SHARES(AM_SHARE20), AM_SHARES(AM_SHARE21), AM_SHARES(AM_SHARE22), AM_SHARES(AM_SHARE23),
};

#define AM_QUICKS(S) {S(11.0, 0), S(11.0, 1), S(11.0, 2), S(11.0, 3), S(11.0, 4), S(11.0, 5), S(11.0, 6), S(11.0, 7), \
                      S(11.0, 8), S(11.0, 9), S(11.0, 10), S(11.0, 11)}

/* The same for degree 11. */
static const double quick_share[AM_QUICK_COEFFICIENTS][AM_QUICK_COEFFICIENTS] __attribute__((aligned(16))) = {
    AM_QUICKS(AM_SHARE0), AM_QUICKS(AM_SHARE1), AM_QUICKS(AM_SHARE2), AM_QUICKS(AM_SHARE3),
    AM_QUICKS(AM_SHARE4), AM_QUICKS(AM_SHARE5), AM_QUICKS(AM_SHARE6), AM_QUICKS(AM_SHARE7),
    AM_QUICKS(AM_SHARE8), AM_QUICKS(AM_SHARE9), AM_QUICKS(AM_SHARE10), AM_QUICKS(AM_SHARE11),
};
/* clang-format on */

#endif
