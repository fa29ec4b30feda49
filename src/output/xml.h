/* XML and HTML: texts that stay texts, and drawings that are nothing but drawings. */
#ifndef AMONTONS_OUTPUT_XML_H
#define AMONTONS_OUTPUT_XML_H
#include "base/text.h"

/* A text inside an element, or inside an attribute between quotes of either kind. */
void am_xml_add(am_text *document, const char *text);

/* The same with every "%s" of a format, which has no other directives. */
void am_xml_printf(am_text *document, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Is it a well-formed SVG document that only draws: no scripts, no handlers of events, no foreign elements, nothing
 * that is fetched from elsewhere? AM_ERR_FILE with "line N: ..." otherwise. The bytes end with a zero behind `length`.
 */
am_status am_svg_check(const char *bytes, size_t length, am_error *err);

#endif
