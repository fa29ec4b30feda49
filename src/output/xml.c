#include "output/xml.h"

#include <stdarg.h>
#include <string.h>

#include "base/character.h"

void am_xml_add(am_text *document, const char *text) {
    for (const char *c = text ? text : ""; *c;) {
        const char *shown, *entity = *c == '&'    ? "&amp;"
                                     : *c == '<'  ? "&lt;"
                                     : *c == '>'  ? "&gt;"
                                     : *c == '"'  ? "&quot;"
                                     : *c == '\'' ? "&#39;"
                                                  : NULL;
        size_t count;
        c += am_character_shown(c, &shown, &count);
        if (entity)
            am_text_add(document, entity);
        else
            am_text_add_bytes(document, shown, count);
    }
}

void am_xml_printf(am_text *document, const char *format, ...) {
    va_list texts;
    va_start(texts, format);
    for (const char *mark; (mark = strstr(format, "%s")) != NULL; format = mark + 2) {
        am_text_add_bytes(document, format, (size_t)(mark - format));
        am_xml_add(document, va_arg(texts, const char *));
    }
    va_end(texts);
    am_text_add(document, format);
}
