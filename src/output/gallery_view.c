/* The pages a visitor begins with: all studies as cards, by document or by topic, and what the sources got wrong. */
#include <ctype.h>
#include <string.h>

#include "output/figure_parts.h"
#include "output/gallery.h"
#include "output/xml.h"

/* ---- One card ---- */

/* The words of a text that searches may look for, each once and in small letters; words shorter than four letters say
 * little, and more than so many bytes make the page heavy. */
enum { LONGEST_INDEX = 320 };

static void add_words(am_text *index, const char *text) {
    for (const char *c = text ? text : ""; *c && index->length < LONGEST_INDEX;) {
        char word[32] = " ";
        size_t length = 1;
        while (*c && !isalpha((unsigned char)*c))
            c++;
        for (; isalpha((unsigned char)*c); c++)
            if (length + 1 < sizeof word)
                word[length++] = (char)tolower((unsigned char)*c);
        if (length > 4 && !strstr(am_text_view(index), word))
            am_text_add(index, word);
    }
}

static void add_index(am_text *page, const am_gallery_entry *entry) {
    am_text index = {0};
    am_text_printf(&index, "%s/%s", entry->group ? entry->group : "", entry->name ? entry->name : "");
    if (entry->report) {
        am_text_printf(&index, " %s %s", entry->report->analysis ? entry->report->analysis : "",
                       am_gallery_topic(entry));
        add_words(&index, entry->report->about);
    }
    am_xml_add(page, am_text_view(&index));
    am_text_free(&index);
}

static void add_card(am_text *page, const am_gallery *gallery, const am_gallery_entry *entry) {
    am_text_add(page, "<a class=\"card\" href=\"");
    am_gallery_address(page, entry->folder);
    am_text_printf(page, ".html\" data-verdict=\"%s\" data-words=\"",
                   am_gallery_verdict_word(am_gallery_verdict(entry)));
    add_index(page, entry);
    am_text_add(page, "\">");
    if (am_gallery_has_file(gallery, entry, "figure.svg")) {
        am_text_add(page, "<img loading=\"lazy\" width=\"320\" height=\"240\" alt=\"\" src=\"");
        am_gallery_address(page, entry->folder);
        am_text_add(page, "/figure.svg\">");
    } else {
        am_text_add(page, "<span class=\"nothing\">no figure</span>");
    }
    am_text_add(page, "<b>");
    am_label_html(page, am_gallery_title(entry));
    am_text_add(page, "</b>");
    am_gallery_element(page, "<span class=\"source\">", entry->report ? entry->report->source : NULL, "</span>");
    am_gallery_badge(page, entry);
    am_text_add(page, "</a>\n");
}

/* ---- Groups of cards ---- */

typedef const char *heading(const am_gallery_entry *entry);

static const char *group_name(const am_gallery_entry *entry) {
    return entry->group ? entry->group : "";
}

/* What entries are grouped by, which is the address of the group as well; and what it is called. */
typedef struct grouping {
    heading *key, *title;
} grouping;

static bool is_same(const grouping *by, const am_gallery_entry *a, const am_gallery_entry *b) {
    return strcmp(by->key(a), by->key(b)) == 0;
}

static bool is_first(const am_gallery *gallery, const grouping *by, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (is_same(by, &gallery->entries[i], &gallery->entries[index]))
            return false;
    return true;
}

static void add_contents(am_text *page, const am_gallery *gallery, const grouping *by) {
    am_text_add(page, "<nav aria-label=\"contents\"><ul class=\"contents\">\n");
    for (size_t i = 0; i < gallery->count; i++) {
        size_t count = 0;
        if (!is_first(gallery, by, i))
            continue;
        for (size_t k = i; k < gallery->count; k++)
            count += is_same(by, &gallery->entries[i], &gallery->entries[k]);
        am_text_add(page, "<li><a href=\"#");
        am_gallery_address(page, by->key(&gallery->entries[i]));
        am_xml_printf(page, "\">%s</a>", by->title(&gallery->entries[i]));
        am_text_printf(page, " <span class=\"soft\">%zu</span></li>\n", count);
    }
    am_text_add(page, "</ul></nav>\n");
}

static void add_groups(am_text *page, const am_gallery *gallery, const grouping *by) {
    for (size_t first = 0; first < gallery->count; first++) {
        const am_gallery_entry *entry = &gallery->entries[first];
        if (!is_first(gallery, by, first))
            continue;
        am_xml_printf(page, "<section class=\"group\" id=\"%s\">\n<h2>%s</h2>\n<div class=\"cards\">\n", by->key(entry),
                      by->title(entry));
        for (size_t i = first; i < gallery->count; i++)
            if (is_same(by, entry, &gallery->entries[i]))
                add_card(page, gallery, &gallery->entries[i]);
        am_text_add(page, "</div>\n</section>\n");
    }
}

/* ---- The page ---- */

static void add_tally(am_text *page, const am_gallery *gallery) {
    double seconds = 0;
    size_t unheld = 0;
    for (size_t i = 0; i < gallery->count; i++) {
        seconds += gallery->entries[i].report ? gallery->entries[i].report->seconds : 0;
        unheld += !am_gallery_held(&gallery->entries[i]);
    }
    am_text_printf(page, "<p class=\"tally\">%zu %s, ", gallery->count, gallery->count == 1 ? "study" : "studies");
    am_gallery_seconds(page, seconds);
    am_text_add(page, " of computing. ");
    if (unheld == 0)
        am_text_add(page, "<span class=\"good\">Every expectation held.</span>");
    else
        am_text_printf(page, "<span class=\"bad\">%zu did not hold:</span>", unheld);
    for (size_t i = 0; i < gallery->count; i++) {
        if (am_gallery_held(&gallery->entries[i]))
            continue;
        am_text_add(page, " ");
        am_gallery_link(page, "", &gallery->entries[i], ".html");
        am_xml_printf(page, "%s/%s</a>", group_name(&gallery->entries[i]), gallery->entries[i].name);
    }
    am_text_add(page, "</p>\n");
}

static size_t count_verdict(const am_gallery *gallery, am_source_verdict verdict) {
    size_t count = 0;
    for (size_t i = 0; i < gallery->count; i++)
        count += am_gallery_verdict(&gallery->entries[i]) == verdict;
    return count;
}

static void add_form(am_text *page, const am_gallery *gallery) {
    static const struct {
        am_source_verdict verdict;
        const char *word;
    } choices[] = {{AM_SOURCE_HELD, "held"},
                   {AM_SOURCE_PARTLY, "held in part"},
                   {AM_SOURCE_REFUTED, "refuted"},
                   {AM_SOURCE_NEW, "new"}};
    am_text_add(
        page, "<form id=\"find\" hidden>\n<label>Find <input type=\"search\" name=\"q\" autocomplete=\"off\"></label>\n"
              "<fieldset><legend>The source's claim</legend>"
              "<label><input type=\"radio\" name=\"verdict\" value=\"\" checked> all</label>\n");
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        am_text_printf(page, "<label><input type=\"radio\" name=\"verdict\" value=\"%s\"> %s (%zu)</label>\n",
                       am_gallery_verdict_word(choices[i].verdict), choices[i].word,
                       count_verdict(gallery, choices[i].verdict));
    am_text_add(page, "</fieldset>\n<output id=\"found\" aria-live=\"polite\"></output>\n</form>\n");
}

void am_gallery_write_view(am_text *page, const am_gallery *gallery, am_gallery_view view) {
    static const grouping by[] = {{group_name, am_gallery_group}, {am_gallery_topic, am_gallery_topic}};
    am_gallery_begin(page, view == AM_GALLERY_BY_TOPIC ? "Amontons gallery by topic" : "Amontons gallery", "");
    am_text_add(page,
                "<h1>Amontons gallery</h1>\n<p>Published figures about structures with dry friction, computed again: "
                "what each source claims, and whether that held. Every study is a template to copy.</p>\n");
    add_tally(page, gallery);
    add_form(page, gallery);
    add_contents(page, gallery, &by[view]);
    add_groups(page, gallery, &by[view]);
    am_text_add(page, "<script src=\"gallery.js\" defer></script>\n");
    am_gallery_end(page);
}

/* ---- What the sources got wrong ---- */

static bool is_wrong(const am_gallery_entry *entry, am_source_verdict verdict) {
    bool corrected = entry->report && entry->report->correction && entry->report->correction[0];
    am_source_verdict own = am_gallery_verdict(entry);
    if (verdict == AM_SOURCE_REFUTED || verdict == AM_SOURCE_PARTLY)
        return own == verdict;
    return corrected && own != AM_SOURCE_REFUTED && own != AM_SOURCE_PARTLY;
}

static void add_wrong(am_text *page, const am_gallery *gallery, am_source_verdict verdict, const char *words) {
    size_t count = 0;
    for (size_t i = 0; i < gallery->count; i++)
        count += is_wrong(&gallery->entries[i], verdict);
    if (count == 0)
        return;
    am_text_printf(page, "<section>\n<h2>%s <span class=\"soft\">%zu</span></h2>\n<ul class=\"wrong\">\n", words,
                   count);
    for (size_t i = 0; i < gallery->count; i++) {
        const am_gallery_entry *entry = &gallery->entries[i];
        if (!is_wrong(entry, verdict))
            continue;
        am_text_add(page, "<li><p>");
        am_gallery_link(page, "", entry, ".html");
        am_label_html(page, am_gallery_title(entry));
        am_xml_printf(page, "</a> <span class=\"source\">%s</span></p>\n",
                      entry->report->source ? entry->report->source : "");
        am_gallery_element(page, "<p>", entry->report->correction, "</p>");
        am_text_add(page, "</li>\n");
    }
    am_text_add(page, "</ul>\n</section>\n");
}

void am_gallery_write_wrong(am_text *page, const am_gallery *gallery) {
    am_gallery_begin(page, "What the papers got wrong", "");
    am_text_printf(
        page,
        "<h1>What the papers got wrong</h1>\n<p>Of %zu studies %zu held, %zu held in part and %zu did not hold; "
        "%zu are new. Only what was computed again is judged here.</p>\n",
        gallery->count, count_verdict(gallery, AM_SOURCE_HELD), count_verdict(gallery, AM_SOURCE_PARTLY),
        count_verdict(gallery, AM_SOURCE_REFUTED), count_verdict(gallery, AM_SOURCE_NEW));
    add_wrong(page, gallery, AM_SOURCE_REFUTED, "Refuted");
    add_wrong(page, gallery, AM_SOURCE_PARTLY, "Held in part");
    add_wrong(page, gallery, AM_SOURCE_NONE, "Misprints and gaps; the claim itself stands");
    am_gallery_end(page);
}
