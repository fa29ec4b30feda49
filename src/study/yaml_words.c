#include "study/yaml_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How complaints of libfyaml begin, or what is in them, and what they mean to people. */
static const struct {
    const char *said, *words;
} meanings[] = {
    {"tab", "this line begins with a tab; begin it with blanks"},
    {"flow sequence without a closing", "this list is not closed: its ] is missing"},
    {"flow mapping without a closing", "this mapping is not closed: its } is missing"},
    {"mismatched flow mapping", "} closes what [ opened; a list ends with ]"},
    {"mismatched flow sequence", "] closes what { opened; a mapping ends with }"},
    {"missing comma in flow", "a comma is missing here, or the closing bracket before"},
    {"invalid nested block mapping", "': ' is here a second time on one line; put a text with ': ' in quotes"},
    {"single-quoted scalar without", "this text begins with ' and has no closing '; a ' inside of such a text is ''"},
    {"double-quoted scalar without", "this text begins with \" and has no closing \""},
    {"invalid escape", "\\ and what follows it mean nothing between \"double quotes\"; use 'single quotes'"},
    {"plain scalar cannot start", "a text that begins with this character needs quotes"},
    {"block sequence on the same line", "a list with - begins on a line of its own, below the key"},
    {"block sequence entries not allowed", "a list with - begins on a line of its own, below the key"},
    {"invalid indentation", "this line is indented otherwise than the keys above that it belongs to"},
    {"invalid mapping in plain multiline", "this line is indented otherwise than the keys above that it belongs to"},
    {"invalid value after mapping", "this line is indented otherwise than the keys above that it belongs to"},
    {"did not find expected key", "something is left over here behind the end of a value"},
    {"invalid multiline plain key", "this has no colon; expected key: value"},
    {"could not find expected ':'", "this has no colon; expected key: value"},
};

static const char *line_at(const char *text, int line) {
    while (text && --line > 0) {
        const char *end = strchr(text, '\n');
        text = end ? end + 1 : NULL;
    }
    return text;
}

/* "friction:0.25": a key without a blank behind its colon. */
static bool lacks_blank(const char *line, char *buffer) {
    const char *key = line ? line + strspn(line, " -") : "";
    size_t length = 0;
    while (isalnum((unsigned char)key[length]) || key[length] == '_' || key[length] == '.')
        length++;
    const char *value = key + length + 1;
    if (length == 0 || length > 60 || key[length] != ':' || !*value || isspace((unsigned char)*value))
        return false;
    snprintf(buffer, AM_YAML_WORDS, "a blank is missing behind the colon; write %.*s: %.*s", (int)length, key,
             (int)(strcspn(value, " \r\n") < 40 ? strcspn(value, " \r\n") : 40), value);
    return true;
}

const char *am_yaml_words(const char *said, const char *text, int line, int column, char buffer[AM_YAML_WORDS]) {
    const char *here = line_at(text, line);
    bool key = strstr(said, "expected ':'") || strstr(said, "multiline plain key");
    if (key && (lacks_blank(here, buffer) || (here && lacks_blank(line_at(here, 2), buffer))))
        return buffer;
    if (strstr(said, "plain scalar cannot start") && here && (size_t)column <= strcspn(here, "\n")) {
        snprintf(buffer, AM_YAML_WORDS, "a text that begins with %c needs quotes", here[column - 1]);
        return buffer;
    }
    const char *colon = here ? strstr(here, ": ") : NULL;
    if (key && colon && colon < here + column)
        return "the next line is indented as if it went on with this value; a key begins where the others do";
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strstr(said, meanings[i].said))
            return meanings[i].words;
    return said;
}
