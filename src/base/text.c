#include "base/text.h"

#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/memory.h"

/* Room for `more` bytes and the final zero; false (and remembered) when there is none. */
static bool reserve(am_text *text, size_t more) {
    if (text->status != AM_OK)
        return false;
    if (more > SIZE_MAX / 2 - 1 - text->length) {
        text->status = AM_ERR_MEMORY;
        return false;
    }
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity < 128 ? 128 : text->capacity;
    while (capacity < needed)
        capacity *= 2; /* needed < SIZE_MAX / 2: cannot overflow */
    text->status = am_memory_resize(&text->data, capacity, NULL);
    if (!text->status)
        text->capacity = capacity;
    return !text->status;
}

void am_text_add_bytes(am_text *text, const char *bytes, size_t count) {
    if (!reserve(text, count))
        return;
    if (count > 0)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void am_text_add(am_text *text, const char *piece) {
    if (piece)
        am_text_add_bytes(text, piece, strlen(piece));
}

void am_text_printf(am_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->status = text->status != AM_OK ? text->status : AM_ERR_INPUT;
        return;
    }
    if (!reserve(text, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void am_text_number(am_text *text, double value) {
    char buffer[AM_TEXT_NUMBER_SIZE];
    size_t length = am_text_format_number(value, buffer);
    am_text_add_bytes(text, buffer, length);
}

am_status am_text_status(const am_text *text, am_error *err) {
    if (text->status == AM_OK)
        return AM_OK;
    if (text->status == AM_ERR_MEMORY)
        return am_fail(err, AM_ERR_MEMORY, "out of memory: a text of more than %zu bytes was needed", text->length);
    return am_fail(err, text->status, "a text could not be formatted");
}

char *am_text_take(am_text *text, am_error *err) {
    am_text_add(text, ""); /* so that an empty text is "" and not NULL */
    char *data = NULL;
    if (am_text_status(text, err) == AM_OK) {
        data = text->data;
        text->data = NULL;
    }
    am_text_free(text);
    return data;
}

const char *am_text_view(const am_text *text) {
    return text->data ? text->data : "";
}

void am_text_clear(am_text *text) {
    text->length = 0;
    text->status = AM_OK;
    if (text->data)
        text->data[0] = '\0';
}

void am_text_free(am_text *text) {
    am_memory_free(text->data);
    *text = (am_text){0};
}

/* A finite number as printf wrote it: whatever stands for the decimal point in the user's locale becomes a point. */
static size_t point_for_locale(char *text) {
    size_t to = 0;
    bool inside = false;
    for (size_t from = 0; text[from]; from++) {
        if (isdigit((unsigned char)text[from]) || strchr("+-e", text[from])) {
            text[to++] = text[from];
            inside = false;
        } else if (!inside) {
            text[to++] = '.';
            inside = true; /* a point of several bytes is one point */
        }
    }
    text[to] = '\0';
    return to;
}

size_t am_text_format_number(double value, char buffer[AM_TEXT_NUMBER_SIZE]) {
    if (!isfinite(value))
        return (size_t)snprintf(buffer, AM_TEXT_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    size_t length = am_digits_shortest(value, buffer);
    if (length > 0)
        return length;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, AM_TEXT_NUMBER_SIZE, "%.*g", digits, value);
        if (digits == 17 || strtod(buffer, NULL) == value)
            break;
    }
    return point_for_locale(buffer);
}

const char *am_text_of_number(double value, char buffer[AM_TEXT_NUMBER_SIZE]) {
    am_text_format_number(value, buffer);
    return buffer;
}

static size_t count_digits(const char *text) {
    size_t count = 0;
    while (text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

/* Where the decimal point stands and where the number ends; 0 when it is none. */
static size_t measure_number(const char *text, size_t *point) {
    size_t at = text[0] == '+' || text[0] == '-', digits = count_digits(text + at);
    at += digits;
    *point = SIZE_MAX;
    if (text[at] == '.') {
        size_t fraction = count_digits(text + at + 1);
        *point = at;
        at += 1 + fraction;
        digits += fraction;
    }
    if (digits == 0)
        return 0;
    if (text[at] == 'e' || text[at] == 'E') {
        size_t sign = text[at + 1] == '+' || text[at + 1] == '-', exponent = count_digits(text + at + 1 + sign);
        at += exponent > 0 ? 1 + sign + exponent : 0;
    }
    return at;
}

/* A number of few digits without going the long way: an integer below 2^53 times or divided by a power of ten that is
 * itself exact is rounded once, as strtod rounds it. False: it is none of them. */
static bool parse_short(const char *text, size_t length, double *value) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t at = text[0] == '+' || text[0] == '-';
    long digits = 0, power = 0, exponent = 0;
    bool fraction = false;
    uint64_t number = 0;
    for (; at < length && (text[at] | 0x20) != 'e'; at++) {
        if (text[at] == '.') {
            fraction = true;
            continue;
        }
        number = 10 * number + (uint64_t)(text[at] - '0');
        digits += number > 0;
        power -= fraction;
        if (digits > 15)
            return false;
    }
    if (at < length) {
        bool negative = text[++at] == '-';
        for (at += negative || text[at] == '+'; at < length && exponent < 1000; at++)
            exponent = 10 * exponent + (text[at] - '0');
        power += negative ? -exponent : exponent;
    }
    if (FLT_EVAL_METHOD != 0 || power < -22 || power > 22)
        return false;
    double size = power < 0 ? (double)number / tens[-power] : (double)number * tens[power];
    *value = text[0] == '-' ? -size : size;
    return true;
}

/* strtod wants the decimal sign of the program's locale. */
size_t am_text_parse_number(const char *text, double *value) {
    char buffer[1200];
    size_t point, length = measure_number(text, &point);
    if (length == 0 || parse_short(text, length, value))
        return length;
    const char *sign = localeconv()->decimal_point;
    size_t wide = strlen(sign);
    if (length + wide >= sizeof buffer)
        return 0;
    size_t head = point == SIZE_MAX ? length : point, tail = point == SIZE_MAX ? 0 : length - point - 1;
    memcpy(buffer, text, head);
    if (point != SIZE_MAX) {
        memcpy(buffer + head, sign, wide);
        memcpy(buffer + head + wide, text + point + 1, tail);
        head += wide;
    }
    buffer[head + tail] = '\0';
    *value = strtod(buffer, NULL);
    return length;
}

/* ---- Near misses ---- */

enum { LONGEST_WORD = 64 };

static char folded(char c) {
    return c == '-' || c == ' ' ? '_' : (char)tolower((unsigned char)c);
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edits (insert, remove, replace, swap of neighbours) that turn a into b, after folding case; both at most LONGEST_WORD
 * long. */
static size_t distance(const char *a, const char *b) {
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    size_t na = strlen(a), nb = strlen(b);
    for (size_t j = 0; j <= nb; j++)
        before[j] = above[j] = j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t replaced = above[j - 1] + (folded(a[i - 1]) != folded(b[j - 1]));
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            bool swapped =
                i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
            if (swapped)
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[nb];
}

static bool begins_with(const char *text, const char *beginning) {
    size_t i = 0;
    while (beginning[i] && text[i] && folded(text[i]) == folded(beginning[i]))
        i++;
    return beginning[i] == '\0';
}

const char *am_text_nearest(const char *word, const char *const *candidates, size_t count) {
    if (!word || !candidates)
        return NULL;
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD)
        return NULL;
    const char *nearest = NULL, *completed = NULL;
    size_t least = (length + 2) / 3 + 1; /* words of 1 to 3 letters: one slip; 4 to 6: two; ... */
    for (size_t i = 0; i < count; i++) {
        const char *candidate = candidates[i];
        if (!candidate || strlen(candidate) > LONGEST_WORD)
            continue;
        if (strcmp(word, candidate) == 0)
            return candidate;
        size_t edits = distance(word, candidate);
        if (edits < least && edits < length) { /* something of the word must remain */
            least = edits;
            nearest = candidate;
        }
        if (!completed && length >= 3 && begins_with(candidate, word))
            completed = candidate;
    }
    return nearest ? nearest : completed;
}

const char *am_text_part(char *buffer, size_t size, const char *text, size_t length) {
    size_t most = length < size ? length : size - 1;
    memcpy(buffer, text, most);
    buffer[most] = '\0';
    return buffer;
}

const char *am_text_numbered(char *buffer, size_t size, const char *word, size_t number) {
    char digits[24], *end = digits + sizeof digits, *digit = end;
    do
        *--digit = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    size_t length = strlen(word);
    am_text_part(buffer, size, word, length);
    if (length < size)
        am_text_part(buffer + length, size - length, digit, (size_t)(end - digit));
    return buffer;
}
