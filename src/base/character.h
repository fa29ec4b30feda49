/* Characters of texts that somebody else wrote, for documents that must stay well formed whatever was written. */
#ifndef AMONTONS_BASE_CHARACTER_H
#define AMONTONS_BASE_CHARACTER_H
#include <stddef.h>

enum { AM_CHARACTER_UNKNOWN = 0xfffd };

/* The character that `text` (not at its end) begins with: its number in Unicode, and its bytes in *length. Bytes that
 * are no UTF-8 are one by one U+FFFD, and so are numbers that are no characters. */
unsigned am_character(const char *text, size_t *length);

/* The same as it may be shown: *shown are *count bytes, which are a blank for a control character, and the sign for
 * what cannot be shown where it is none. Returns how many bytes of `text` it stands for. */
size_t am_character_shown(const char *text, const char **shown, size_t *count);

#endif
