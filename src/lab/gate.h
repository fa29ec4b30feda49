/* Who may ask. */
#ifndef AMONTONS_LAB_GATE_H
#define AMONTONS_LAB_GATE_H
#include <stdbool.h>
#include <stdint.h>

#include "amontons/error.h"

enum { AM_LAB_TOKEN = 33 }; /* 32 hexadecimal digits and a zero */

/* A number that nobody guesses. */
am_status am_lab_random(uint64_t *number, am_error *err);
am_status am_lab_new_token(char token[AM_LAB_TOKEN], am_error *err);
/* That of the environment (AMONTONS_LAB_TOKEN), or a new one. */
am_status am_lab_token(char token[AM_LAB_TOKEN], am_error *err);

/* "/TOKEN/study" gives "study"; NULL: it does not begin with the token. Takes as long whatever it begins with. */
const char *am_lab_below_token(const char *token, const char *address);

/* "/open/TOKEN": does somebody stand at the door with the right code? */
bool am_lab_is_door(const char *code, const char *address);

/* Do Host and Origin (NULL: not sent) name this server? Pages of other places may know its port, and a name of theirs
 * may lead to this machine. */
bool am_lab_is_own(int port, const char *host, const char *origin);

#endif
