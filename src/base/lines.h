/* A text file, line by line, as other programs write them: what is wrong is said with the line. */
#ifndef AMONTONS_BASE_LINES_H
#define AMONTONS_BASE_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "amontons/error.h"

typedef struct am_lines {
    const char *path;
    FILE *file;
    size_t bytes, taken; /* of the file when it was opened; read so far */
    size_t line;         /* of `text`, from 1 */
    char text[1024];     /* without its end */
    size_t length;
    bool whole; /* the line has an end: a file that was cut off may lack it */
} am_lines;

/* As am_input_open; at most 64 GB. */
am_status am_lines_open(am_lines *lines, const char *path, const char *what, am_error *err);
void am_lines_close(am_lines *lines);

/* The next line. *more false: the file has ended. AM_ERR_INPUT for lines that do not fit and those with a zero
 * character, AM_ERR_FILE when the file cannot be read on. */
am_status am_lines_next(am_lines *lines, bool *more, am_error *err);

/* "path:line: ..."; AM_ERR_INPUT. */
am_status am_lines_wrong(const am_lines *lines, am_error *err, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#endif
