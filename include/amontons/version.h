/* Which library this is. */
#ifndef AMONTONS_VERSION_H
#define AMONTONS_VERSION_H
#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Its version and the commit it was built from: "0.1.0, commit 57fb4b4..."; "unknown" where that is not known. */
AM_API const char *am_version(void);

#ifdef __cplusplus
}
#endif

#endif
