/* Objects carry a tag of their kind, so that nothing, foreign and freed ones given to a public function are an error
 * and not a crash. The tag is the first member; freeing wipes it out (memory that is reused may hold anything, but
 * hardly the tag of the same kind). */
#ifndef AMONTONS_BASE_OBJECT_H
#define AMONTONS_BASE_OBJECT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amontons/error.h"

#define AM_TAG_SYSTEM UINT64_C(0x9d5f1c3ba6e80271)
#define AM_TAG_MODEL UINT64_C(0x86d41ce97b20f3a5)
#define AM_TAG_MOTION UINT64_C(0xb7240e96fd1358ac)
#define AM_TAG_MATRIX UINT64_C(0xc3a85d0f71e9264b)
#define AM_TAG_RESULT UINT64_C(0xe16b97f2480dc35a)
#define AM_TAG_TABLE UINT64_C(0xa94cf0837be2d615)
#define AM_TAG_RUN UINT64_C(0xd802e5b61f97a34c)
#define AM_TAG_STUDY UINT64_C(0x8ef3714ac95b06d2)
#define AM_TAG_TWOFOLD UINT64_C(0xf60d28c7935ae1b4)
#define AM_TAG_VERIFY UINT64_C(0x95b1e64d0c7f832a)
#define AM_TAG_CLAIM UINT64_C(0xab37c9d5e2460f18)
#define AM_TAG_TRACE UINT64_C(0xbe52c906d8f1743b)
#define AM_TAG_INTERFACE UINT64_C(0x84f7a1d2c63b950e)

static inline bool am_is(const void *object, uint64_t tag) {
    return object && *(const uint64_t *)object == tag;
}

/* Frees an object of `size` bytes; what it owns is freed already. Builds that check (without NDEBUG) fill it with
 * nonsense and keep it for a while, so that whoever uses it afterwards always meets an object of no kind; the address
 * sanitizer does the like by itself, and tells where. */
void am_object_bury(void *object, size_t size);

/* The error of a function that was given nothing where something is required, or an object of another kind. */
static inline am_status am_misused(am_error *err, const char *function) {
    return am_fail(err, AM_ERR_INPUT,
                   "%s was given nothing, or a freed or foreign object, where a living one of its own kind is required",
                   function);
}

/* The same for a function that returns an object. */
static inline void *am_misused_for_nothing(am_error *err, const char *function) {
    am_misused(err, function);
    return NULL;
}

#endif
