/* A study shown on its page: keys, numbers, texts and comments have colours. It is not understood here: what is marked
 * wrongly looks odd and nothing more, and every character that the file has is shown. */
#include <stdint.h>
#include <string.h>

#include "output/gallery.h"
#include "output/xml.h"

static void add_part(am_text *page, am_text *part, char kind, const char *text, size_t count) {
    am_text_clear(part);
    am_text_add_bytes(part, text, count);
    if (kind && count)
        am_text_printf(page, "<span class=\"%c\">", kind);
    am_xml_add(page, am_text_view(part));
    if (kind && count)
        am_text_add(page, "</span>");
}

static bool ends_key(const char *c, const char *end) {
    return *c == ':' && (c + 1 == end || strchr(" \t\r", c[1]));
}

static bool begins_comment(const char *c, const char *line) {
    return *c == '#' && (c == line || strchr(" \t", c[-1]));
}

/* A text between quotes, its end included. */
static size_t quoted_length(const char *c, const char *end) {
    const char *at = c + 1;
    while (at < end && *at != *c)
        at += *at == '\\' && *c == '"' && at + 1 < end ? 2 : 1;
    return (size_t)(at < end ? at + 1 - c : end - c);
}

/* A word or several, up to what ends a plain text of YAML. */
static size_t plain_length(const char *c, const char *end, const char *line) {
    const char *at = c;
    while (at < end && !strchr(",[]{}", *at) && !ends_key(at, end) && !begins_comment(at, line))
        at++;
    while (at > c + 1 && strchr(" \t", at[-1]))
        at--;
    return (size_t)(at - c);
}

static char kind_of_plain(const char *c, size_t count, const char *end) {
    char buffer[AM_TEXT_NUMBER_SIZE] = {0};
    double value;
    if (c + count < end && ends_key(c + count, end))
        return 'k';
    if (count >= sizeof buffer)
        return '\0';
    memcpy(buffer, c, count);
    return am_text_parse_number(buffer, &value) == count ? 'n' : '\0';
}

static void add_line(am_text *page, am_text *part, const char *line, const char *end) {
    for (const char *c = line; c < end;) {
        size_t count = 1;
        char kind = '\0';
        if (begins_comment(c, line)) {
            count = (size_t)(end - c);
            kind = 'c';
        } else if (*c == '"' || *c == '\'') {
            count = quoted_length(c, end);
            kind = c + count < end && ends_key(c + count, end) ? 'k' : 's';
        } else if (!strchr(" \t,[]{}:", *c) && !(*c == '-' && c + 1 < end && c[1] == ' ')) {
            count = plain_length(c, end, line);
            kind = kind_of_plain(c, count, end);
        }
        add_part(page, part, kind, c, count);
        c += count;
    }
}

static size_t indent_of(const char *line, const char *end) {
    size_t indent = 0;
    while (line + indent < end && line[indent] == ' ')
        indent++;
    return line + indent == end ? SIZE_MAX : indent; /* an empty line belongs to the block it is in */
}

/* "about: >": the lines below that are indented are a text. */
static bool opens_block(const char *line, const char *end) {
    while (end > line && strchr(" \t\r-+", end[-1]))
        end--;
    return end > line + 2 && strchr(">|", end[-1]) && end[-2] == ' ' && end[-3] == ':';
}

void am_gallery_yaml(am_text *page, const char *study) {
    am_text part = {0};
    size_t block = SIZE_MAX;
    bool inside = false;
    for (const char *line = study; *line;) {
        const char *end = line + strcspn(line, "\n");
        size_t indent = indent_of(line, end);
        inside = inside && indent > block;
        if (inside) {
            add_part(page, &part, '\0', line, (size_t)(end - line));
        } else {
            add_line(page, &part, line, end);
            inside = opens_block(line, end);
            block = indent;
        }
        if (*end)
            am_text_add(page, "\n");
        line = *end ? end + 1 : end;
    }
    am_text_free(&part);
}
