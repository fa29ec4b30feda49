/* The library of linear algebra as a whole: how it works, not what it computes. */
#ifndef AMONTONS_MATH_ALGEBRA_H
#define AMONTONS_MATH_ALGEBRA_H

/* Sums of LAPACK and the BLAS are taken in an order that depends on the number of their threads, and so do the last
 * bits of what follows. It is one, whatever the environment says and however many processors this process may use:
 * threads are this library's own, over points, starts and branches. To be called before any of them is used; costs
 * nothing when it is so already. */
void am_algebra_settle(void);

/* Up to this order the library factors and multiplies with loops of its own, which do not depend on the kernel. */
enum { AM_ALGEBRA_OWN = 80 };

/* Before a limit on memory: OpenBLAS takes the buffer of this thread now. Where it is refused later, OpenBLAS asks again
 * for ever. */
void am_algebra_reserve(void);

#endif
