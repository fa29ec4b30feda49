#include <amontons_commit.h> /* made by cmake/commit.cmake */

#include "amontons/version.h"

const char *am_version(void) {
    return AMONTONS_VERSION ", commit " AMONTONS_COMMIT;
}
