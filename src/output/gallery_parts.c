/* What the pages of the gallery share. */
#include <ctype.h>
#include <string.h>

#include "output/file.h"
#include "output/gallery.h"
#include "output/xml.h"

void am_gallery_begin(am_text *page, const char *title, const char *up) {
    am_text_add(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    am_xml_printf(page, "<title>%s</title>\n<link rel=\"icon\" href=\"data:,\">\n", title);
    am_xml_printf(page, "<link rel=\"stylesheet\" href=\"%sgallery.css\">\n</head>\n<body>\n", up);
    am_text_add(page, "<a class=\"skip\" href=\"#main\">to the contents</a>\n<header>\n<nav class=\"views\">");
    am_xml_printf(page,
                  "<a href=\"%sindex.html\">by document</a> <a href=\"%stopics.html\">by topic</a> "
                  "<a href=\"%swrong.html\">what the papers got wrong</a></nav>\n</header>\n<main id=\"main\">\n",
                  up, up, up);
}

void am_gallery_end(am_text *page) {
    am_text_add(page, "</main>\n<footer>Amontons " AMONTONS_VERSION "</footer>\n</body>\n</html>\n");
}

void am_gallery_address(am_text *page, const char *path) {
    for (const char *c = path ? path : ""; *c; c++) {
        if (isalnum((unsigned char)*c) || strchr("/._-", *c))
            am_text_add_bytes(page, c, 1);
        else
            am_text_printf(page, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

void am_gallery_link(am_text *page, const char *up, const am_gallery_entry *entry, const char *end) {
    am_text_printf(page, "<a href=\"%s", up);
    am_gallery_address(page, entry->folder);
    am_gallery_address(page, end);
    am_text_add(page, "\">");
}

void am_gallery_element(am_text *page, const char *open, const char *text, const char *close) {
    if (!text || !text[0])
        return;
    am_text_add(page, open);
    am_xml_add(page, text);
    am_text_add(page, close);
}

void am_gallery_seconds(am_text *page, double seconds) {
    if (seconds < 1)
        am_text_printf(page, "%.3g ms", seconds * 1e3);
    else if (seconds < 120)
        am_text_printf(page, "%.3g s", seconds);
    else
        am_text_printf(page, "%.1f min", seconds / 60);
}

/* ---- Of an entry ---- */

static const char *first_of(const char *text, const char *otherwise) {
    return text && text[0] ? text : otherwise ? otherwise : "";
}

const char *am_gallery_title(const am_gallery_entry *entry) {
    return first_of(entry->report ? entry->report->title : NULL, entry->name);
}

const char *am_gallery_group(const am_gallery_entry *entry) {
    return first_of(entry->group_title, entry->group);
}

const char *am_gallery_topic(const am_gallery_entry *entry) {
    return first_of(entry->report ? entry->report->topic : NULL, "other");
}

bool am_gallery_has_file(const am_gallery *gallery, const am_gallery_entry *entry, const char *name) {
    return name && entry->folder && am_output_is_file(AM_OUTPUT_PATH(gallery->folder, entry->folder), name);
}

size_t am_gallery_unmet(const am_report *report) {
    size_t count = 0;
    for (size_t i = 0; i < report->expectation_count; i++)
        count += !report->expectations[i].ok;
    return count;
}

bool am_gallery_held(const am_gallery_entry *entry) {
    return entry->report && am_gallery_unmet(entry->report) == 0;
}

am_source_verdict am_gallery_verdict(const am_gallery_entry *entry) {
    return entry->report ? entry->report->verdict : AM_SOURCE_NONE;
}

const char *am_gallery_verdict_word(am_source_verdict verdict) {
    static const char *const words[] = {"unjudged", "held", "partly", "refuted", "new"};
    return words[verdict <= AM_SOURCE_NEW ? verdict : AM_SOURCE_NONE];
}

void am_gallery_badge(am_text *page, const am_gallery_entry *entry) {
    static const char *const words[] = {"", "held", "held in part", "refuted", "new"};
    am_source_verdict verdict = am_gallery_verdict(entry);
    if (!am_gallery_held(entry))
        am_text_add(page, entry->report ? "<span class=\"badge failed\">expectations not met</span>"
                                        : "<span class=\"badge failed\">failed</span>");
    else if (verdict > AM_SOURCE_NONE && verdict <= AM_SOURCE_NEW)
        am_text_printf(page, "<span class=\"badge %s\">%s</span>", am_gallery_verdict_word(verdict), words[verdict]);
}
