/* Opening what somebody else named: files, and nothing else. A pipe would make the program wait, a device may have no
 * end, a folder has no bytes. */
#ifndef AMONTONS_BASE_INPUT_FILE_H
#define AMONTONS_BASE_INPUT_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "amontons/error.h"
#include "base/text.h"

/* Opens without ever waiting, and refuses what is no regular file or has more than `most` bytes. `what` it should be
 * ("a Matrix Market file") is for messages. *size: its bytes at present. NULL with err filled: AM_ERR_FILE ("PATH:
 * cannot be opened: ...", "PATH: is a pipe, not a Matrix Market file"), AM_ERR_LIMIT when it is too large. */
FILE *am_input_open(const char *path, const char *what, size_t most, size_t *size, am_error *err);

/* All bytes of a file, which need not be text, and a zero; a file that grows while it is read is refused at `most`. */
am_status am_input_read(const char *path, const char *what, size_t most, am_text *text, am_error *err);

/* The same where a file may be missing: *found tells. */
am_status am_input_read_if_there(const char *path, const char *what, size_t most, am_text *text, bool *found,
                                 am_error *err);

#endif
