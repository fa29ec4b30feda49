#include "base/character.h"

/* How many bytes the first one asks for, and the bits of the number in it; 0: it cannot be the first. */
static size_t first_byte(unsigned char byte, unsigned *code) {
    if (byte < 0x80) {
        *code = byte;
        return 1;
    }
    size_t length = byte >= 0xc2 && byte < 0xe0   ? 2
                    : byte >= 0xe0 && byte < 0xf0 ? 3
                    : byte >= 0xf0 && byte < 0xf5 ? 4
                                                  : 0;
    *code = length == 0 ? 0 : byte & (0x7fu >> length);
    return length;
}

unsigned am_character(const char *text, size_t *length) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned code;
    size_t count = first_byte(bytes[0], &code);
    *length = 1;
    if (count == 0)
        return AM_CHARACTER_UNKNOWN;
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xc0) != 0x80) /* the zero at the end is none either */
            return AM_CHARACTER_UNKNOWN;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    if (code < least[count] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return AM_CHARACTER_UNKNOWN;
    *length = count;
    return (code & 0xfffe) == 0xfffe ? AM_CHARACTER_UNKNOWN : code;
}

size_t am_character_shown(const char *text, const char **shown, size_t *count) {
    size_t length;
    unsigned code = am_character(text, &length);
    *shown = text;
    *count = length;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
        *shown = " ";
        *count = 1;
    } else if (code == AM_CHARACTER_UNKNOWN) {
        *shown = "\xef\xbf\xbd";
        *count = 3;
    }
    return length;
}
