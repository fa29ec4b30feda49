/* Text that grows, numbers that round-trip, and "did you mean" suggestions. */
#ifndef AMONTONS_BASE_TEXT_H
#define AMONTONS_BASE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

/* A growing text. Starts as `am_text text = {0};`. The first failure is remembered and everything added after it is
 * ignored, so that a long document is written without a check per line and am_text_take (or am_text_status) reports it
 * at the end. */
typedef struct am_text {
    char *data; /* ends with a zero once something was added; NULL before */
    size_t length, capacity;
    am_status status;
} am_text;

void am_text_add(am_text *text, const char *piece); /* NULL adds nothing */
void am_text_add_bytes(am_text *text, const char *bytes, size_t count);
void am_text_printf(am_text *text, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void am_text_number(am_text *text, double value); /* as am_text_format_number */

/* AM_OK, or the first failure with its reason in err. */
am_status am_text_status(const am_text *text, am_error *err);

/* The text itself, now the caller's (am_memory_free); never NULL unless adding failed. The am_text is empty afterwards.
 */
char *am_text_take(am_text *text, am_error *err);

/* What was written so far; "" when nothing. Borrowed until the next addition. */
const char *am_text_view(const am_text *text);

void am_text_clear(am_text *text); /* keeps the memory */
void am_text_free(am_text *text);

/* The shortest decimal text that reads back as exactly `value`: "0.1", "42", "1e-300", "nan", "-inf". Whole numbers
 * below 2^53 have no exponent. The decimal point is a point in every locale. Returns the length. */
enum { AM_TEXT_NUMBER_SIZE = 40 };
size_t am_text_format_number(double value, char buffer[AM_TEXT_NUMBER_SIZE]);

/* The same as an argument of am_text_printf, for "%s"; valid to the end of the block. */
#define AM_NUMBER(value) am_text_of_number((value), (char[AM_TEXT_NUMBER_SIZE]){0})
const char *am_text_of_number(double value, char buffer[AM_TEXT_NUMBER_SIZE]);

/* The number that a text begins with: [+-] digits [. digits] [e [+-] digits], a point in every locale; no "inf", "nan",
 * "0x1p3". Returns how many characters it has, 0 when there is none. What is too large becomes infinite. */
size_t am_text_parse_number(const char *text, double *value);

/* The first `length` characters of a text, as many as the buffer of `size` bytes holds, with a zero behind them. */
const char *am_text_part(char *buffer, size_t size, const char *text, size_t length);

/* "q12": a word and a number, shortened to the buffer of `size` bytes. Structures are made by the thousand, and for their
 * names printf would cost more than all the rest. */
const char *am_text_numbered(char *buffer, size_t size, const char *word, size_t number);

/* The candidate the writer of `word` most likely meant (a slip of a letter or two, wrong case, '-' for '_', or a
 * beginning of three letters or more), or NULL. A candidate equal to `word` is returned as it is. */
const char *am_text_nearest(const char *word, const char *const *candidates, size_t count);

#endif
