#include "imports/gmsh_scan.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/character.h"
#include "base/input_file.h"
#include "base/memory.h"
#include "base/text.h"

static const size_t most_bytes = (size_t)1 << 31; /* of a file */

/* ---- The file ---- */

am_status am_gmsh_scan_open(am_gmsh_scan *scan, const char *path, const char *text, am_error *err) {
    *scan = (am_gmsh_scan){.path = path, .line = 1, .err = err};
    am_text held = {0};
    am_error own = {0};
    am_text_add(&held, text);
    scan->status = text ? AM_OK : am_input_read(path, "a mesh", most_bytes, &held, &own);
    size_t size = held.length;
    if (scan->status && err)
        *err = own;
    scan->bytes = am_text_take(&held, scan->status ? NULL : err);
    scan->at = scan->bytes;
    scan->end = scan->bytes ? scan->bytes + size : NULL;
    return scan->status = scan->bytes || scan->status ? scan->status : AM_ERR_MEMORY;
}

void am_gmsh_scan_close(am_gmsh_scan *scan) {
    am_memory_free(scan->bytes);
    scan->bytes = NULL;
}

am_status am_gmsh_scan_fail(am_gmsh_scan *scan, const char *format, ...) {
    if (scan->status != AM_OK)
        return scan->status;
    char text[700];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (scan->binary)
        scan->status = am_fail(scan->err, AM_ERR_INPUT, "%s: %s", scan->path, text);
    else
        scan->status = am_fail(scan->err, AM_ERR_INPUT, "%s:%zu: %s", scan->path, scan->line, text);
    return scan->status;
}

/* ---- Text ---- */

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(am_gmsh_scan *scan) {
    for (; scan->at < scan->end && is_space(*scan->at); scan->at++)
        scan->line += *scan->at == '\n';
}

void am_gmsh_scan_word(am_gmsh_scan *scan, char *word, size_t size) {
    size_t length = 0;
    word[0] = '\0';
    if (scan->status != AM_OK)
        return;
    skip_space(scan);
    for (; scan->at < scan->end && !is_space(*scan->at); scan->at++)
        if (length + 1 < size)
            word[length++] = *scan->at > ' ' && *scan->at < 127 ? *scan->at : '?';
    word[length] = '\0';
}

/* What stands where something else was expected, for a message. */
static void unexpected(am_gmsh_scan *scan, const char *what) {
    size_t length = 0, most = 40;
    while (length < most && scan->at + length < scan->end && scan->at[length] > ' ' && scan->at[length] < 127)
        length++;
    if (scan->at >= scan->end)
        am_gmsh_scan_fail(scan, "the file ends where %s was expected", what);
    else if (length == 0)
        am_gmsh_scan_fail(scan, "unreadable bytes stand where %s was expected", what);
    else
        am_gmsh_scan_fail(scan, "'%.*s' stands where %s was expected", (int)length, scan->at, what);
}

static bool ends_number(const am_gmsh_scan *scan, const char *at) {
    return at >= scan->end || is_space(*at);
}

long long am_gmsh_scan_text_int(am_gmsh_scan *scan, const char *what) {
    if (scan->status != AM_OK)
        return 0;
    skip_space(scan);
    const char *at = scan->at;
    bool minus = at < scan->end && *at == '-';
    long long value = 0;
    size_t digits = 0;
    for (at += minus; at < scan->end && *at >= '0' && *at <= '9' && digits < 18; at++, digits++)
        value = 10 * value + (*at - '0');
    if (digits == 0 || !ends_number(scan, at)) {
        unexpected(scan, what);
        return 0;
    }
    scan->at = at;
    return minus ? -value : value;
}

static double text_number(am_gmsh_scan *scan, const char *what) {
    double value = 0;
    skip_space(scan);
    size_t used = scan->at < scan->end ? am_text_parse_number(scan->at, &value) : 0;
    if (used == 0 || used > (size_t)(scan->end - scan->at) || !ends_number(scan, scan->at + used) || !isfinite(value)) {
        unexpected(scan, what);
        return 0;
    }
    scan->at += used;
    return value;
}

/* Names become texts of tables and files: UTF-8 without control characters. */
static bool is_name(const char *text) {
    size_t length = 0;
    for (const char *c = text; *c; c += length) {
        unsigned code = am_character(c, &length);
        if (code < 32 || code == 127 || code == AM_CHARACTER_UNKNOWN)
            return false;
    }
    return text[0] != '\0';
}

void am_gmsh_scan_quoted(am_gmsh_scan *scan, char *word, size_t size) {
    size_t length = 0;
    word[0] = '\0';
    if (scan->status != AM_OK)
        return;
    skip_space(scan);
    if (scan->at >= scan->end || *scan->at != '"') {
        unexpected(scan, "a name in quotes");
        return;
    }
    for (scan->at++; scan->at < scan->end && *scan->at != '"' && *scan->at != '\n'; scan->at++)
        if (length + 1 < size)
            word[length++] = *scan->at;
    word[length] = '\0';
    if (scan->at >= scan->end || *scan->at != '"')
        unexpected(scan, "the quote that ends a name");
    scan->at += scan->status == AM_OK;
    if (!is_name(word))
        am_gmsh_scan_fail(scan, "the name of a physical group is empty, or not readable text");
}

void am_gmsh_scan_end_line(am_gmsh_scan *scan) {
    if (scan->status != AM_OK)
        return;
    while (scan->at < scan->end && *scan->at != '\n')
        scan->at++;
    if (scan->at < scan->end) {
        scan->at++;
        scan->line++;
    }
}

void am_gmsh_scan_skip_to(am_gmsh_scan *scan, const char *mark) {
    size_t length = strlen(mark);
    while (scan->status == AM_OK && scan->at < scan->end) {
        if ((size_t)(scan->end - scan->at) >= length && memcmp(scan->at, mark, length) == 0 &&
            ends_number(scan, scan->at + length)) {
            scan->at += length;
            return;
        }
        am_gmsh_scan_end_line(scan);
    }
    am_gmsh_scan_fail(scan, "the file ends before '%s'", mark);
}

/* ---- Numbers inside sections ---- */

/* The next `count` bytes in the order of this machine; false: the file ends. */
static bool take_bytes(am_gmsh_scan *scan, void *value, size_t count, const char *what) {
    if (scan->status != AM_OK)
        return false;
    if ((size_t)(scan->end - scan->at) < count) {
        scan->at = scan->end;
        unexpected(scan, what);
        return false;
    }
    unsigned char *to = value;
    for (size_t i = 0; i < count; i++)
        to[scan->swapped ? count - 1 - i : i] = (unsigned char)scan->at[i];
    scan->at += count;
    return true;
}

long long am_gmsh_scan_int(am_gmsh_scan *scan, const char *what) {
    int32_t value = 0;
    if (!scan->binary) {
        long long number = am_gmsh_scan_text_int(scan, what);
        if (number >= INT32_MIN && number <= INT32_MAX)
            return number;
        am_gmsh_scan_fail(scan, "%lld is too large for %s", number, what);
        return 0;
    }
    return take_bytes(scan, &value, sizeof value, what) ? value : 0;
}

size_t am_gmsh_scan_size(am_gmsh_scan *scan, const char *what) {
    uint64_t value = 0;
    if (scan->binary)
        return take_bytes(scan, &value, sizeof value, what) ? (size_t)value : 0;
    long long number = am_gmsh_scan_text_int(scan, what);
    if (number < 0)
        am_gmsh_scan_fail(scan, "%s must not be negative: %lld", what, number);
    return number < 0 ? 0 : (size_t)number;
}

double am_gmsh_scan_number(am_gmsh_scan *scan, const char *what) {
    double value = 0;
    if (scan->status != AM_OK)
        return 0;
    if (!scan->binary)
        return text_number(scan, what);
    if (take_bytes(scan, &value, sizeof value, what) && isfinite(value))
        return value;
    am_gmsh_scan_fail(scan, "%s is not a finite number", what);
    return 0;
}

size_t am_gmsh_scan_count(am_gmsh_scan *scan, const char *what, bool wide, size_t numbers, size_t bytes) {
    long long narrow = wide ? 0 : am_gmsh_scan_int(scan, what);
    size_t count = wide ? am_gmsh_scan_size(scan, what) : (size_t)narrow;
    size_t bytes_left = (size_t)(scan->end - scan->at) + 1;
    if (scan->status != AM_OK)
        return 0;
    if (narrow < 0 || count > bytes_left / (scan->binary ? bytes : 2 * numbers)) {
        if (narrow < 0)
            am_gmsh_scan_fail(scan, "%s must not be negative: %lld", what, narrow);
        else
            am_gmsh_scan_fail(scan, "%s, %zu, is more than the rest of the file has room for", what, count);
        return 0;
    }
    return count;
}
