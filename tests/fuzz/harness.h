/* What the harnesses share. A harness is one function that takes any bytes, gives them to the library in one way, and
 * aborts when a promise is broken; crashes, leaks and undefined behaviour are found by the sanitizers around it. */
#ifndef AMONTONS_TESTS_FUZZ_HARNESS_H
#define AMONTONS_TESTS_FUZZ_HARNESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amontons/error.h"
#include "amontons/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the library: aborts with the sentence when it does not hold. */
void fuzz_require(bool holds, const char *promise);

/* Whoever fails says so: a status of the table that is not AM_OK, the same in err, and a message in one line. */
void fuzz_require_failure(am_status status, const am_error *err);

/* The bytes as a text of their own length, which ends with a zero behind it; freed with free. A reader that goes beyond
 * it is seen. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The path of a file in memory with these bytes; the same path each time. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A number that depends on all bytes: what is done with a part of the inputs only is always done with the same ones. */
uint64_t fuzz_hash(const uint8_t *data, size_t size);

/* Bytes taken one after the other; zeros behind the end. */
typedef struct fuzz_bytes {
    const uint8_t *data;
    size_t left;
} fuzz_bytes;
uint8_t fuzz_take(fuzz_bytes *bytes);
size_t fuzz_below(fuzz_bytes *bytes, size_t count); /* 0 ... count - 1; 0 for none */
double fuzz_number(fuzz_bytes *bytes);              /* often small or special, sometimes any double */

/* Work that ends after so many questions whether it shall go on: each is a million operations (base/watch.h). It does
 * not depend on time, so that the same input always ends in the same way. */
typedef struct fuzz_bound {
    long questions;
} fuzz_bound;
am_progress fuzz_bounded(fuzz_bound *bound);

#endif
