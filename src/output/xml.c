#include "output/xml.h"

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
