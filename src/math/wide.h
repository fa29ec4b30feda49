/* Vectors of four numbers, and functions that use them.
 *
 * A function marked AM_WIDE is compiled twice, for processors with AVX2 and for all others, and chosen when the program
 * is loaded. Only how many numbers one instruction takes differs, not what is computed in which order (and nothing is
 * fused): the results are the same bits everywhere. Where functions cannot be chosen that way (other processors, other
 * C libraries, under sanitizers, which are not there yet when it happens) the compiler takes the vectors apart. */
#ifndef AMONTONS_MATH_WIDE_H
#define AMONTONS_MATH_WIDE_H
#include <stdlib.h> /* tells the C library */

typedef double am_four __attribute__((vector_size(32), aligned(8), may_alias));

#define AM_FOUR_OF(value) ((am_four){(value), (value), (value), (value)})

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define AM_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AM_SANITIZED
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(AM_SANITIZED)
#define AM_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define AM_WIDE
#endif

#endif
