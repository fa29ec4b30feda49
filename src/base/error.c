#include "amontons/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *am_status_text(am_status status) {
    switch (status) {
#define AM_STATUS_CASE(name, value, text)                                                                              \
    case name:                                                                                                         \
        return text;
        AM_STATUS_TABLE(AM_STATUS_CASE)
#undef AM_STATUS_CASE
    }
    return "unknown status";
}

/* A message is one line, whatever text of a study or a file it repeats. */
static void make_one_line(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

static void fill(am_error *err, am_status status, const char *field, const char *format, va_list arguments) {
    if (!err)
        return;
    err->status = status;
    snprintf(err->field, sizeof err->field, "%s", field);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    make_one_line(err->message);
}

am_status am_fail(am_error *err, am_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(err, status, "", format, arguments);
    va_end(arguments);
    return status;
}

am_status am_fail_field(am_error *err, am_status status, const char *field, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(err, status, field, format, arguments);
    va_end(arguments);
    return status;
}
