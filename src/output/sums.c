#include "output/sums.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

const char am_sums_name[] = "SHA256SUMS";

void am_sums_clear(am_sums *sums) {
    am_memory_free(sums->files);
    am_arena_clear(&sums->memory);
    *sums = (am_sums){0};
}

static am_sum *find(const am_sums *sums, const char *name, size_t length) {
    for (size_t i = 0; i < sums->count; i++)
        if (strlen(sums->files[i].name) == length && memcmp(sums->files[i].name, name, length) == 0)
            return &sums->files[i];
    return NULL;
}

const am_sum *am_sums_find(const am_sums *sums, const char *name) {
    return find(sums, name, strlen(name));
}

static am_status put(am_sums *sums, const char *name, size_t length, const char *text, uint64_t size, am_error *err) {
    am_sum *sum = find(sums, name, length);
    if (!sum) {
        const char *copy = am_arena_text(&sums->memory, name, length, err);
        AM_TRY(copy ? am_memory_resize(&sums->files, sums->count + 1, err) : AM_ERR_MEMORY);
        sum = &sums->files[sums->count++];
        sum->name = copy;
    }
    sum->size = size;
    memcpy(sum->text, text, AM_SHA256_TEXT - 1);
    sum->text[AM_SHA256_TEXT - 1] = '\0';
    return AM_OK;
}

am_status am_sums_add(am_sums *sums, const char *name, am_sha256 *sum, am_error *err) {
    char text[AM_SHA256_TEXT];
    uint64_t size = sum->length;
    am_sha256_end(sum, text);
    return put(sums, name, strlen(name), text, size, err);
}

am_status am_sums_replace(am_sums *sums, const am_sum *by, am_error *err) {
    return put(sums, by->name, strlen(by->name), by->text, by->size, err);
}

char *am_sums_write(const am_sums *sums, am_error *err) {
    am_text text = {0};
    am_text_add(&text, "");
    for (size_t i = 0; i < sums->count; i++)
        am_text_printf(&text, "# %" PRIu64 " bytes\n%s  %s\n", sums->files[i].size, sums->files[i].text,
                       sums->files[i].name);
    return am_text_take(&text, err);
}

static am_status read_line(am_sums *sums, const char *begin, size_t length, uint64_t size, am_error *err) {
    enum { DIGITS = AM_SHA256_TEXT - 1 };
    bool good = length > DIGITS + 2 && strspn(begin, "0123456789abcdef") == DIGITS && begin[DIGITS] == ' ' &&
                (begin[DIGITS + 1] == ' ' || begin[DIGITS + 1] == '*');
    if (!good)
        return am_fail(err, AM_ERR_INPUT, "%s has a line that is no checksum", am_sums_name);
    return put(sums, begin + DIGITS + 2, length - DIGITS - 2, begin, size, err);
}

am_status am_sums_read(am_sums *sums, const char *text, am_error *err) {
    uint64_t size = 0; /* of the file in the next line */
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (text[length] == '\0')
            return am_fail(err, AM_ERR_INPUT, "%s ends in the midst of a line", am_sums_name);
        if (text[0] == '#') {
            size = strtoull(text + 1, NULL, 10);
        } else {
            AM_TRY(read_line(sums, text, length, size, err));
            size = 0;
        }
        text += length + 1;
    }
    return AM_OK;
}

static int add_all(int descriptor, am_sha256 *sum) {
    char block[16384];
    for (;;) {
        ssize_t count = read(descriptor, block, sizeof block);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0 ? 0 : errno;
        am_sha256_add(sum, block, (size_t)count);
    }
}

int am_sums_of_file(int folder, const char *name, am_sha256 *sum) {
    struct stat info;
    int descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return errno;
    int reason = fstat(descriptor, &info) != 0 ? errno : S_ISREG(info.st_mode) ? 0 : EINVAL;
    am_sha256_begin(sum);
    if (reason == 0)
        reason = add_all(descriptor, sum);
    close(descriptor);
    return reason;
}
