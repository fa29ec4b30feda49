#include "base/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/input_file.h"
#include "base/try.h"

am_status am_lines_open(am_lines *lines, const char *path, const char *what, am_error *err) {
    *lines = (am_lines){.path = path};
    lines->file = am_input_open(path, what, (size_t)1 << 36, &lines->bytes, err);
    return lines->file ? AM_OK : am_error_status(err);
}

void am_lines_close(am_lines *lines) {
    if (lines->file)
        fclose(lines->file);
    lines->file = NULL;
}

am_status am_lines_wrong(const am_lines *lines, am_error *err, const char *format, ...) {
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return am_fail(err, AM_ERR_INPUT, "%s:%zu: %s", lines->path, lines->line, what);
}

/* Editors put it before the first line. */
static size_t drop_byte_order_mark(char *text, size_t length) {
    static const char mark[] = "\xEF\xBB\xBF";
    if (strncmp(text, mark, 3) != 0)
        return length;
    memmove(text, text + 3, length - 2);
    return length - 3;
}

am_status am_lines_next(am_lines *lines, bool *more, am_error *err) {
    size_t length = 0, begun = lines->taken;
    bool zero = false, cut = false;
    int c = EOF;
    errno = 0;
    lines->whole = false;
    while (lines->taken < lines->bytes && (c = getc_unlocked(lines->file)) != EOF) {
        lines->taken++;
        if (c == '\n') {
            lines->whole = true;
            break;
        }
        zero = zero || c == 0;
        cut = cut || length + 1 >= sizeof lines->text;
        if (!cut)
            lines->text[length++] = (char)c;
    }
    if (ferror(lines->file))
        return am_fail(err, AM_ERR_FILE, "%s: cannot be read beyond line %zu: %s", lines->path, lines->line,
                       strerror(errno));
    while (length > 0 && lines->text[length - 1] == '\r')
        length--;
    lines->text[length] = '\0';
    *more = lines->taken > begun;
    lines->line += *more;
    lines->length = begun == 0 ? drop_byte_order_mark(lines->text, length) : length;
    if (zero)
        return am_lines_wrong(lines, err, "the line has a zero character: this is no text");
    return cut ? am_lines_wrong(lines, err, "the line is longer than 1000 characters") : AM_OK;
}
