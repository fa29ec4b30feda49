/* A drawing that another program made, read before anybody opens it in a browser: XML without declarations of entities,
 * and of SVG only what draws. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/character.h"
#include "base/try.h"
#include "output/xml.h"

enum { DEEPEST = 200, MOST_ATTRIBUTES = 64 };

/* A piece of the document. */
typedef struct piece {
    const char *at;
    size_t length;
} piece;

typedef struct scan {
    const char *at, *end;
    size_t line, depth, roots;
    piece open[DEEPEST];
    am_error *err;
} scan;

static am_status refuse(const scan *s, const char *what) {
    return am_fail(s->err, AM_ERR_FILE, "line %zu: %s", s->line, what);
}

static bool is(piece word, const char *text) {
    return word.length == strlen(text) && strncmp(word.at, text, word.length) == 0;
}

static bool begins(const scan *s, const char *text) {
    size_t length = strlen(text);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, text, length) == 0;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(scan *s) {
    for (; s->at < s->end && is_space(*s->at); s->at++)
        s->line += *s->at == '\n';
}

/* ---- characters and names ---- */

/* One character of text or of a value; entities are those of XML itself and numbers of characters. */
static am_status take_character(scan *s) {
    size_t length;
    unsigned code = am_character(s->at, &length);
    if (code == 0xfffd && length == 1)
        return refuse(s, "bytes that are no UTF-8");
    if (code < 0x20 && !is_space(*s->at))
        return refuse(s, "a control character");
    s->line += *s->at == '\n';
    if (*s->at != '&') {
        s->at += length;
        return AM_OK;
    }
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins(s, known[i])) {
            s->at += strlen(known[i]);
            return AM_OK;
        }
    const char *p = s->at + 1;
    bool hexadecimal = p[0] == '#' && p[1] == 'x';
    size_t digits =
        p[0] == '#' ? strspn(p + 1 + hexadecimal, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789") : 0;
    p += 1 + hexadecimal + digits;
    if (digits == 0 || digits > 6 || p >= s->end || *p != ';')
        return refuse(s, "an & that begins no entity");
    s->at = p + 1;
    return AM_OK;
}

static piece take_name(scan *s) {
    piece name = {s->at, 0};
    bool first = isalpha((unsigned char)*s->at) || *s->at == '_';
    while (first && s->at < s->end && (isalnum((unsigned char)*s->at) || strchr("_:.-", *s->at)))
        s->at++;
    name.length = (size_t)(s->at - name.at);
    return name;
}

/* ---- what may be drawn ---- */

/* Is it one of the words, each with a blank on both sides? */
static bool is_one_of(piece element, const char *words) {
    for (const char *at = words; *at == ' ' && at[1]; at += 1 + strcspn(at + 1, " "))
        if (element.length == strcspn(at + 1, " ") && strncmp(at + 1, element.at, element.length) == 0)
            return true;
    return false;
}

static const char drawing_elements[] =
    " svg g defs title desc path rect circle ellipse line polyline polygon text tspan use symbol marker clipPath mask "
    "pattern linearGradient radialGradient stop image filter feFlood feComposite feGaussianBlur feOffset feMerge "
    "feMergeNode feColorMatrix feBlend animate animateTransform animateMotion mpath ";

static piece trimmed(piece value) {
    for (; value.length > 0 && (unsigned char)value.at[0] <= ' '; value.length--)
        value.at++;
    return value;
}

static bool value_begins(piece value, const char *text) {
    size_t length = strlen(text);
    return value.length >= length && strncasecmp(value.at, text, length) == 0;
}

/* url(...) inside a value that does not point into this document. */
static bool leads_away(piece value) {
    for (size_t i = 0; i < value.length; i++) {
        piece rest = {value.at + i, value.length - i};
        if (!value_begins(rest, "url("))
            continue;
        rest = trimmed((piece){rest.at + 4, rest.length - 4});
        if (rest.length > 0 && (*rest.at == '\'' || *rest.at == '"'))
            rest = trimmed((piece){rest.at + 1, rest.length - 1});
        if (rest.length == 0 || *rest.at != '#')
            return true;
    }
    return false;
}

static bool is_reference(piece name) {
    return is(name, "href") || (name.length > 5 && strncmp(name.at + name.length - 5, ":href", 5) == 0);
}

/* NULL: the attribute is harmless. */
static const char *harm_of(piece element, piece name, piece value) {
    piece target = trimmed(value);
    if (value_begins(name, "on"))
        return "an attribute that handles events";
    if (is_reference(name) && !value_begins(target, "#") &&
        !(is(element, "image") && value_begins(target, "data:image/png;base64,")))
        return "a reference that leads out of the drawing";
    if (is(name, "attributeName") && !is_one_of(value, " transform d opacity fill stroke "))
        return "an animation of what does not draw";
    if (is(name, "base") || is(name, "xml:base") || is(name, "src"))
        return "an address";
    if (memchr(name.at, ':', name.length) && !value_begins(name, "xmlns:") && !is(name, "xml:space") &&
        !is(name, "xml:lang") && !value_begins(name, "xlink:"))
        return "an attribute of another language";
    if (value_begins(name, "xmlns") && !is(value, "http://www.w3.org/2000/svg") &&
        !is(value, "http://www.w3.org/1999/xlink"))
        return "another language than SVG";
    return leads_away(value) || (is(name, "style") && memchr(value.at, '\\', value.length))
               ? "a style that leads out of the drawing"
               : NULL;
}

/* ---- tags ---- */

static am_status take_value(scan *s, piece *value) {
    skip_space(s);
    if (s->at >= s->end || *s->at != '=')
        return refuse(s, "an attribute without a value");
    s->at++;
    skip_space(s);
    char quote = s->at < s->end ? *s->at : 0;
    if (quote != '"' && quote != '\'')
        return refuse(s, "a value without quotes");
    value->at = ++s->at;
    am_status status = AM_OK;
    while (status == AM_OK && s->at < s->end && *s->at != quote) {
        if (*s->at == '<')
            return refuse(s, "a < inside a value");
        status = take_character(s);
    }
    if (status == AM_OK && s->at >= s->end)
        return refuse(s, "a value without an end");
    value->length = (size_t)(s->at - value->at);
    s->at++;
    return status;
}

static am_status take_attributes(scan *s, piece element) {
    piece names[MOST_ATTRIBUTES];
    am_status status = AM_OK;
    for (size_t count = 0; status == AM_OK; count++) {
        const char *before = s->at;
        skip_space(s);
        if (s->at >= s->end || *s->at == '>' || *s->at == '/')
            return AM_OK;
        piece name = take_name(s), value = {0};
        if (name.length == 0 || before == name.at || count == MOST_ATTRIBUTES)
            return refuse(s, "a tag that is not well formed");
        for (size_t i = 0; i < count; i++)
            if (names[i].length == name.length && strncmp(names[i].at, name.at, name.length) == 0)
                return refuse(s, "an attribute that is there twice");
        names[count] = name;
        status = take_value(s, &value);
        const char *harm = status == AM_OK ? harm_of(element, name, value) : NULL;
        if (harm)
            return refuse(s, harm);
    }
    return status;
}

static am_status take_opening(scan *s) {
    s->at++;
    piece element = take_name(s);
    if (!is_one_of(element, drawing_elements))
        return refuse(s, "an element that is no part of a drawing");
    if (s->depth == 0 && (s->roots++ > 0 || !is(element, "svg")))
        return refuse(s, "more than one drawing, or none");
    AM_TRY(take_attributes(s, element));
    bool empty = begins(s, "/>");
    if (!empty && !begins(s, ">"))
        return refuse(s, "a tag without an end");
    s->at += empty ? 2 : 1;
    if (empty)
        return AM_OK;
    if (s->depth == DEEPEST)
        return refuse(s, "elements nested too deeply");
    s->open[s->depth++] = element;
    return AM_OK;
}

static am_status take_closing(scan *s) {
    s->at += 2;
    piece element = take_name(s);
    skip_space(s);
    if (s->depth == 0 || element.length != s->open[s->depth - 1].length ||
        strncmp(element.at, s->open[s->depth - 1].at, element.length) != 0 || !begins(s, ">"))
        return refuse(s, "an end of something that does not end here");
    s->at++;
    s->depth--;
    return AM_OK;
}

static am_status take_comment(scan *s) {
    s->at += 4;
    am_status status = AM_OK;
    while (status == AM_OK && s->at < s->end && !begins(s, "--")) {
        if (*s->at == '&')
            s->at++;
        else
            status = take_character(s);
    }
    if (status == AM_OK && !begins(s, "-->"))
        return refuse(s, "a comment that is not well formed");
    s->at += 3;
    return status;
}

/* <?xml version="1.0" encoding="utf-8" standalone="no"?>, whatever stands in it. */
static am_status take_declaration(scan *s) {
    while (s->at < s->end && *s->at != '>' && (unsigned char)*s->at >= ' ')
        s->at++;
    if (s->at >= s->end || s->at[-1] != '?')
        return refuse(s, "a declaration without an end");
    s->at++;
    return AM_OK;
}

static am_status take_text(scan *s) {
    if (s->depth == 0 && !is_space(*s->at))
        return refuse(s, "text outside the drawing");
    if (begins(s, "]]>"))
        return refuse(s, "]]> that ends nothing");
    return take_character(s);
}

am_status am_svg_check(const char *bytes, size_t length, am_error *err) {
    scan s = {.at = bytes, .end = bytes + length, .line = 1, .err = err};
    am_status status = begins(&s, "<?xml ") ? take_declaration(&s) : AM_OK;
    while (status == AM_OK && s.at < s.end) {
        if (begins(&s, "</"))
            status = take_closing(&s);
        else if (begins(&s, "<!--"))
            status = take_comment(&s);
        else if (*s.at == '<')
            status = take_opening(&s);
        else
            status = take_text(&s);
    }
    if (status == AM_OK && (s.depth > 0 || s.roots != 1))
        status = refuse(&s, "the drawing is not complete");
    return status;
}
