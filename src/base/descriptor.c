#include "base/descriptor.h"

#include <errno.h>
#include <unistd.h>

bool am_write_all(int descriptor, const void *bytes, size_t count) {
    for (const char *from = bytes; count > 0;) {
        errno = 0;
        ssize_t taken = write(descriptor, from, count);
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken <= 0)
            return false;
        from += taken;
        count -= (size_t)taken;
    }
    return true;
}
