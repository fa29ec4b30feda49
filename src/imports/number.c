/* Numbers as Fortran and C write them into lists and fields. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "imports/import_internal.h"

enum { LONGEST = 64 };

bool am_import_number(const char *text, size_t length, double *value) {
    char number[LONGEST + 2]; /* with the letter of the exponent, and the end */
    size_t used = 0;
    bool exponent = false;
    for (; length > 0 && strchr(" \t", *text); text++, length--)
        ;
    for (; length > 0 && strchr(" \t", text[length - 1]); length--)
        ;
    if (length == 0 || length > LONGEST)
        return false;
    for (size_t i = 0; i < length; i++) {
        bool letter = strchr("eEdD", text[i]) != NULL;
        bool begins = letter || (i > 0 && strchr("+-", text[i]) && !strchr("eEdD", text[i - 1]));
        if (begins && exponent)
            return false;
        exponent = exponent || begins;
        if (begins)
            number[used++] = 'e';
        if (!letter)
            number[used++] = text[i];
    }
    number[used] = '\0';
    size_t read = am_text_parse_number(number, value);
    return read > 0 && number[read] == '\0' && isfinite(*value);
}

bool am_import_whole(const char **text, long *value) {
    enum { MOST_DIGITS = 18 }; /* fit */
    const char *at = *text + (**text == '-' || **text == '+');
    size_t digits = strspn(at, "0123456789");
    *value = 0;
    if (digits == 0 || digits > MOST_DIGITS)
        return false;
    for (size_t i = 0; i < digits; i++)
        *value = 10 * *value + (at[i] - '0');
    *value = **text == '-' ? -*value : *value;
    *text = at + digits;
    return true;
}

void am_import_count_digits(am_import_digits *d, const char *value, bool first) {
    enum { SHORT = 10 };
    value += strspn(value, " \t");
    value += *value == '-' || *value == '+';
    size_t wide = strcspn(value, " \t,\r\n"), exponent = wide - strcspn(value, " \t,\r\neEdD+-");
    if (first)
        *d = (am_import_digits){.wide = wide < SHORT ? 0 : wide, .exponent = exponent};
    else if (d->cut || wide > d->wide)
        d->wide = 0;
    d->cut = wide < d->wide && exponent < d->exponent;
}
