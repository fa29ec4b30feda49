#include "study/number_hint.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "math/pi.h"
#include "study/schema.h"

/* Units that people write, and what one of them is where the unit is left out. */
static const struct {
    const char *unit;
    double factor;
    const char *words;
} units[] = {
    {"Hz", 6.28318530717958647693, "frequencies are in radians per unit of time"},
    {"kHz", 6283.18530717958647693, "frequencies are in radians per unit of time, here a second"},
    {"rpm", 0.10471975511965977462, "speeds are in radians per unit of time, here a second"},
    {"deg", 3.14159265358979323846 / 180.0, "this angle is in radians"},
    {"degrees", 3.14159265358979323846 / 180.0, "this angle is in radians"},
    {"°", 3.14159265358979323846 / 180.0, "this angle is in radians"},
    {"%", 0.01, "it is a part of 1"},
};

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* A number with a unit behind it. */
static bool hint_unit(const char *name, const char *text, char *buffer) {
    double number;
    size_t length = am_text_parse_number(text, &number);
    const char *unit = text + length + strspn(text + length, " ");
    bool letters = isalpha((unsigned char)*unit) || (unsigned char)*unit >= 0x80 || *unit == '%';
    if (length == 0 || !letters || strncmp(text, "0x", 2) == 0 || strpbrk(unit, "*(") || strncmp(unit, "pi", 2) == 0)
        return false;
    bool in_degrees = ends_with(name, "_deg"), in_hertz = strstr(name, "hertz") != NULL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        bool angle = strncmp(unit, "deg", 3) == 0 || strcmp(unit, "°") == 0;
        if (strcmp(unit, units[i].unit) == 0 && !(angle && in_degrees) && !(in_hertz && strcmp(unit, "Hz") == 0)) {
            snprintf(buffer, AM_NUMBER_HINT, "; %s: write %.10g", units[i].words, number * units[i].factor);
            return true;
        }
    }
    if (in_degrees && strncmp(unit, "rad", 3) == 0)
        snprintf(buffer, AM_NUMBER_HINT, "; this angle is in degrees: write %.10g", number / one_degree);
    else
        snprintf(buffer, AM_NUMBER_HINT, "; a number has no unit, all are in those of the study: write %.*s",
                 (int)length, text);
    return true;
}

/* "0,3" */
static bool hint_comma(const char *text, char *buffer) {
    size_t sign = *text == '-' || *text == '+', whole = strspn(text + sign, "0123456789");
    const char *comma = text + sign + whole;
    size_t part = *comma == ',' ? strspn(comma + 1, "0123456789") : 0;
    if (whole == 0 || part == 0 || comma[1 + part] || strlen(text) > 40)
        return false;
    snprintf(buffer, AM_NUMBER_HINT, "; decimals have a point: write %.*s.%s", (int)(comma - text), text, comma + 1);
    return true;
}

/* "1 000", "1_000", "1'000" */
static bool hint_groups(const char *name, const char *text, char *buffer) {
    char plain[64];
    size_t length = 0, marks = strcspn(text, " _'");
    for (const char *c = text; *c && length + 1 < sizeof plain; c++)
        if (!strchr(" _'", *c))
            plain[length++] = *c;
    plain[length] = '\0';
    double number;
    if (!text[marks] || length == 0 || am_text_parse_number(plain, &number) != length)
        return false;
    bool item = ends_with(name, "]") && text[marks] == ' ';
    snprintf(buffer, AM_NUMBER_HINT, item ? "; is a comma missing in it?" : "; write %s", plain);
    return true;
}

/* "2*pi", "pi/2", "1/3" */
static bool hint_formula(const char *name, const char *text, char *buffer) {
    const char *at = text + (*text == '-');
    double value = *text == '-' ? -1.0 : 1.0;
    char operation = '*';
    for (bool more = true; more;) {
        double number = 1.0;
        at += strspn(at, " ");
        size_t length = am_text_parse_number(at, &number);
        at += length + strspn(at + length, " ");
        bool constant = strncmp(at, "pi", 2) == 0;
        if (constant)
            number *= pi;
        at += constant ? 2 : 0;
        at += strspn(at, " ");
        if (length == 0 && !constant)
            return false;
        value = operation == '*' ? value * number : value / number;
        operation = *at;
        more = operation == '*' || operation == '/';
        at += more;
    }
    if (*at || !isfinite(value))
        return false;
    bool in_degrees = ends_with(name, "_deg") && strstr(text, "pi");
    snprintf(buffer, AM_NUMBER_HINT, "; formulas are not computed: write %s",
             AM_NUMBER(in_degrees ? value / one_degree : value));
    return true;
}

const char *am_number_hint(const char *name, const char *text, bool quoted, char buffer[AM_NUMBER_HINT]) {
    double number;
    size_t length = am_text_parse_number(text, &number);
    buffer[0] = '\0';
    if (quoted && length > 0 && !text[length])
        snprintf(buffer, AM_NUMBER_HINT, "; write it without quotes");
    else if (!hint_comma(text, buffer) && !hint_groups(name, text, buffer) && !hint_unit(name, text, buffer))
        hint_formula(name, text, buffer);
    return buffer;
}

am_status am_angle_check(am_reading *reading, const am_node *node, const char *radians, const char *degrees) {
    enum { MOST = 30 }; /* radians: nearly five turns, where half a turn in degrees begins to be meant */
    const am_node *in_radians = am_node_get(node, radians), *in_degrees = am_node_get(node, degrees);
    double value;
    if (in_radians && am_node_number(in_radians, &value) && fabs(value) >= MOST)
        return am_node_fail(in_radians, reading->err, AM_ERR_INPUT,
                            "%s is in radians, and %g of them are %.3g turns; for %g degrees write %.10g", radians,
                            value, value / two_pi, value, value * one_degree);
    double twelfths = in_degrees && am_node_number(in_degrees, &value) ? value / (pi / 12.0) : 0.0;
    if (fabs(twelfths) > 0.5 && fabs(twelfths) < 25.0 && fabs(twelfths - round(twelfths)) < 1e-6)
        return am_node_fail(in_degrees, reading->err, AM_ERR_INPUT,
                            "%s is in degrees, and this is %g degrees in radians; write that, or %s: %.10g", degrees,
                            15.0 * round(twelfths), radians, value);
    return AM_OK;
}
