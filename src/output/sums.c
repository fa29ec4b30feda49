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

const char am_sums_name[] = "SHA256SUMS";

typedef struct line {
    char *name;
    uint64_t size;
    char sum[AM_SHA256_TEXT];
} line;

struct am_sums {
    line *lines;
    size_t count;
};

am_sums *am_sums_create(am_error *err) {
    return am_memory_new(1, sizeof(am_sums), err);
}

void am_sums_free(am_sums *sums) {
    if (!sums)
        return;
    for (size_t i = 0; i < sums->count; i++)
        am_memory_free(sums->lines[i].name);
    am_memory_free(sums->lines);
    am_memory_free(sums);
}

size_t am_sums_count(const am_sums *sums) {
    return sums->count;
}

const char *am_sums_file(const am_sums *sums, size_t index) {
    return sums->lines[index].name;
}

static line *find_line(const am_sums *sums, const char *name) {
    for (size_t i = 0; i < sums->count; i++)
        if (strcmp(sums->lines[i].name, name) == 0)
            return &sums->lines[i];
    return NULL;
}

const char *am_sums_find(const am_sums *sums, const char *name) {
    const line *found = find_line(sums, name);
    return found ? found->sum : NULL;
}

uint64_t am_sums_size(const am_sums *sums, const char *name) {
    const line *found = find_line(sums, name);
    return found ? found->size : 0;
}

static am_status put(am_sums *sums, const char *name, const char *text, uint64_t size, am_error *err) {
    line *l = find_line(sums, name);
    if (!l) {
        char *copy = am_memory_text(name, err);
        am_status status = copy ? am_memory_resize(&sums->lines, sums->count + 1, err) : AM_ERR_MEMORY;
        if (status != AM_OK) {
            am_memory_free(copy);
            return status;
        }
        l = &sums->lines[sums->count++];
        l->name = copy;
    }
    l->size = size;
    memcpy(l->sum, text, AM_SHA256_TEXT - 1);
    l->sum[AM_SHA256_TEXT - 1] = '\0';
    return AM_OK;
}

am_status am_sums_add(am_sums *sums, const char *name, am_sha256 *sum, am_error *err) {
    char text[AM_SHA256_TEXT];
    uint64_t size = sum->length;
    am_sha256_end(sum, text);
    return put(sums, name, text, size, err);
}

char *am_sums_write(const am_sums *sums, am_error *err) {
    am_text text = {0};
    am_text_add(&text, "");
    for (size_t i = 0; i < sums->count; i++)
        am_text_printf(&text, "# %" PRIu64 " bytes\n%s  %s\n", sums->lines[i].size, sums->lines[i].sum,
                       sums->lines[i].name);
    return am_text_take(&text, err);
}

static am_status read_line(am_sums *sums, const char *begin, size_t length, uint64_t size, am_error *err) {
    enum { DIGITS = AM_SHA256_TEXT - 1 };
    bool good = length > DIGITS + 2 && strspn(begin, "0123456789abcdef") == DIGITS && begin[DIGITS] == ' ' &&
                (begin[DIGITS + 1] == ' ' || begin[DIGITS + 1] == '*');
    if (!good)
        return am_fail(err, AM_ERR_INPUT, "%s has a line that is no checksum", am_sums_name);
    am_text name = {0};
    am_text_add_bytes(&name, begin + DIGITS + 2, length - DIGITS - 2);
    am_status status = am_text_status(&name, err);
    if (status == AM_OK)
        status = put(sums, am_text_view(&name), begin, size, err);
    am_text_free(&name);
    return status;
}

am_status am_sums_read(am_sums *sums, const char *text, am_error *err) {
    am_status status = AM_OK;
    uint64_t size = 0; /* of the file in the next line */
    while (status == AM_OK && *text) {
        size_t length = strcspn(text, "\n");
        if (text[length] == '\0')
            return am_fail(err, AM_ERR_INPUT, "%s ends in the midst of a line", am_sums_name);
        if (text[0] == '#') {
            size = strtoull(text + 1, NULL, 10);
        } else {
            status = read_line(sums, text, length, size, err);
            size = 0;
        }
        text += length + 1;
    }
    return status;
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
