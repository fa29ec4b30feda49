/* SHA-256 (FIPS 180-4): sums by which files are known again; `sha256sum` computes the same. */
#ifndef AMONTONS_BASE_SHA256_H
#define AMONTONS_BASE_SHA256_H
#include <stddef.h>
#include <stdint.h>

enum { AM_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a zero */

typedef struct am_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
} am_sha256;

void am_sha256_begin(am_sha256 *sum);
void am_sha256_add(am_sha256 *sum, const void *bytes, size_t count);
void am_sha256_end(am_sha256 *sum, char text[AM_SHA256_TEXT]);

#endif
