#define _GNU_SOURCE /* memfd_create */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory that is asked for without measure is refused, as a machine would; the library has to say so. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=256:abort_on_error=1";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) {
    return "abort_on_error=1:print_stacktrace=1";
}

void fuzz_require(bool holds, const char *promise) {
    if (holds)
        return;
    fprintf(stderr, "a promise is broken: %s\n", promise);
    abort();
}

void fuzz_require_failure(am_status status, const am_error *err) {
    static const am_status known[] = {
#define KNOWN(name, value, text) name,
        AM_STATUS_TABLE(KNOWN)
#undef KNOWN
    };
    bool listed = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        listed = listed || known[i] == status;
    fuzz_require(listed && status != AM_OK, "a failure has a status of the table");
    if (err->status != status)
        fprintf(stderr, "returned %d (%s), but the error says %d: %s\n", (int)status, am_status_text(status),
                (int)err->status, err->message);
    fuzz_require(err->status == status, "the error has the status that is returned");
    const char *end = memchr(err->message, '\0', sizeof err->message);
    fuzz_require(end && end != err->message, "a failure has a message");
    fuzz_require(memchr(err->field, '\0', sizeof err->field), "the field of an error ends");
    fuzz_require(!strchr(err->message, '\n'), "a message is one line");
}

char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

const char *fuzz_file(const uint8_t *data, size_t size) {
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
        perror("a file in memory");
        exit(1);
    }
    return path;
}

uint64_t fuzz_hash(const uint8_t *data, size_t size) { /* FNV-1a */
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    return hash ^ (hash >> 29);
}

uint8_t fuzz_take(fuzz_bytes *bytes) {
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->data++;
}

size_t fuzz_below(fuzz_bytes *bytes, size_t count) {
    size_t value = fuzz_take(bytes);
    if (count > 256)
        value = value << 8 | fuzz_take(bytes);
    return count > 0 ? value % count : 0;
}

double fuzz_number(fuzz_bytes *bytes) {
    static const double special[] = {0.0,   -0.0,  1.0,  -1.0,   0.5,      2.0,       1e-300, 1e300, 1e-8,
                                     1e308, 1e-17, 1e16, 5e-324, INFINITY, -INFINITY, NAN,    0.1,   -1e300};
    uint8_t how = fuzz_take(bytes);
    if (how < 160)
        return (how - 80) / 16.0;
    if (how < 250)
        return special[how % (sizeof special / sizeof *special)];
    double any;
    uint8_t raw[sizeof any];
    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = fuzz_take(bytes);
    memcpy(&any, raw, sizeof any);
    return any;
}

static bool is_wanted(void *context, double fraction) {
    fuzz_bound *bound = context;
    fuzz_require(fraction >= 0.0 && fraction <= 1.0, "progress is a fraction");
    return bound->questions-- > 0;
}

am_progress fuzz_bounded(fuzz_bound *bound) {
    return (am_progress){.report = is_wanted, .context = bound, .threads = 1};
}
