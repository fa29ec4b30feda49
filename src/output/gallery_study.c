/* The page of one study: its figure, what its source claims and whether that held, the study itself, its files. */
#include <string.h>

#include "base/memory.h"
#include "output/figure_parts.h"
#include "output/gallery.h"
#include "output/names.h"
#include "output/xml.h"

typedef struct view {
    const am_gallery *gallery;
    const am_gallery_entry *entry;
    char up[64]; /* "../", once for every folder the page is in */
} view;

static void set_up(view *v) {
    const char *folder = v->entry->folder ? v->entry->folder : "";
    for (size_t depth = 0; (folder = strchr(folder, '/')) != NULL && depth < 20; folder++, depth++)
        strcat(v->up, "../"); /* 20 times 3 characters fit */
}

static void add_verdict(am_text *page, const am_gallery_entry *entry) {
    static const char *const words[] = {
        NULL, "Held: what the source says came out.", "Held in part: not all that the source says came out.",
        "Refuted: what the source says did not come out.", "New: there is no claim of a source to judge here."};
    const am_report *report = entry->report;
    am_source_verdict verdict = am_gallery_verdict(entry);
    if (verdict > AM_SOURCE_NONE && verdict <= AM_SOURCE_NEW) {
        am_text_printf(page, "<p class=\"verdict %s\"><strong>%s</strong> ", am_gallery_verdict_word(verdict),
                       words[verdict]);
        am_xml_add(page, report->correction);
        am_text_add(page, "</p>\n");
    }
    size_t unmet = am_gallery_unmet(report);
    if (unmet > 0)
        am_text_printf(
            page,
            "<p class=\"verdict failed\"><strong>%zu of %zu expectations were not met in this run.</strong></p>\n",
            unmet, report->expectation_count);
}

static void add_claims(am_text *page, const am_report *report) {
    if (report->claim_count == 0)
        return;
    am_text_add(page, "<h2>What the source says</h2>\n<ul>\n");
    for (size_t i = 0; i < report->claim_count; i++)
        am_gallery_element(page, "<li>", report->claims[i], "</li>\n");
    am_text_add(page, "</ul>\n");
}

static void add_expectations(am_text *page, const am_report *report) {
    if (report->expectation_count == 0)
        return;
    am_text_add(page, "<h2>What was expected, and what came out</h2>\n<table><thead><tr><th scope=\"col\">quantity</th>"
                      "<th scope=\"col\">expected</th><th scope=\"col\">computed</th><th "
                      "scope=\"col\">met</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < report->expectation_count; i++) {
        const am_expectation *expectation = &report->expectations[i];
        am_xml_printf(page, "<tr><td>%s</td><td>%s", expectation->name, expectation->wanted);
        if (expectation->tolerance > 0)
            am_text_printf(page, " &plusmn;&thinsp;%.3g", expectation->tolerance);
        am_xml_printf(page, "</td><td>%s", expectation->got);
        am_text_add(page, expectation->ok ? "</td><td class=\"good\">yes</td></tr>\n"
                                          : "</td><td class=\"bad\">no</td></tr>\n");
    }
    am_text_add(page, "</tbody></table>\n");
}

static void add_drawing(am_text *page, const view *v, const char *file, const char *words) {
    const char *name = strrchr(v->entry->folder ? v->entry->folder : "", '/');
    name = name ? name + 1 : v->entry->folder;
    am_text_add(page, "<figure><a href=\"");
    am_gallery_address(page, name);
    am_text_printf(page, "/%s\"><img src=\"", file);
    am_gallery_address(page, name);
    am_text_printf(page, "/%s\" alt=\"%s", file, words);
    am_xml_printf(page, "%s\"></a></figure>\n", am_gallery_title(v->entry));
}

static void add_pictures(am_text *page, const view *v) {
    if (am_gallery_has_file(v->gallery, v->entry, "figure.svg"))
        add_drawing(page, v, "figure.svg", "");
    else
        am_text_add(page, "<p class=\"nothing small\">no figure</p>\n");
    if (am_gallery_has_file(v->gallery, v->entry, "animation.svg"))
        add_drawing(page, v, "animation.svg", "In motion: ");
}

/* ---- Files ---- */

static void add_file(am_text *page, const view *v, const char *file, const char *words) {
    if (!am_gallery_has_file(v->gallery, v->entry, file))
        return;
    const char *name = strrchr(v->entry->folder, '/');
    am_text_add(page, "<a href=\"");
    am_gallery_address(page, name ? name + 1 : v->entry->folder);
    am_text_add(page, "/");
    am_gallery_address(page, file);
    am_xml_printf(page, "\">%s</a> ", words);
}

static void add_files(am_text *page, const view *v) {
    const am_result *result = v->entry->report->result;
    am_text_add(page, "<h2>Files</h2>\n<p class=\"files small\">");
    add_file(page, v, "study.yaml", "study");
    add_file(page, v, "figure.svg", "figure (SVG)");
    add_file(page, v, "figure.png", "figure (PNG)");
    add_file(page, v, "animation.svg", "animation");
    add_file(page, v, "figure.gp", "gnuplot script");
    add_file(page, v, "summary.json", "summary (JSON)");
    add_file(page, v, "results.nc", "all tables (NetCDF)");
    for (size_t i = 0; result && i < am_result_table_count(result); i++) {
        char *name = am_output_csv_name(result, i, NULL);
        add_file(page, v, name, name);
        am_memory_free(name);
    }
    am_text_add(page, "</p>\n");
}

static void add_study_file(am_text *page, const view *v) {
    const am_provenance *provenance = v->entry->report ? v->entry->report->provenance : NULL;
    const char *text = v->entry->text ? v->entry->text : provenance ? provenance->study : NULL;
    am_text_add(page, "<h2>Run it again, and a variant of your own</h2>\n");
    if (v->entry->report)
        am_text_add(page, "<p>For a variant take the study from the files above, and change what you like.</p>\n");
    am_xml_printf(page, "<pre tabindex=\"0\"><code>amontons gallery %s/%s\n", v->entry->group ? v->entry->group : "",
                  v->entry->name ? v->entry->name : "");
    if (v->entry->report)
        am_text_add(page, "amontons check study.yaml\namontons run study.yaml --out mine\n");
    am_text_add(page, "</code></pre>\n");
    if (text) {
        am_text_add(page, "<h2>The study</h2>\n<pre tabindex=\"0\"><code>");
        am_gallery_yaml(page, text);
        am_text_add(page, "</code></pre>\n");
    }
}

/* ---- The page ---- */

static void add_heading(am_text *page, const view *v) {
    am_text_printf(page, "<p class=\"small\"><a href=\"%sindex.html#", v->up);
    am_gallery_address(page, v->entry->group);
    am_xml_printf(page, "\">%s</a></p>\n", am_gallery_group(v->entry));
    am_text_add(page, "<h1>");
    am_label_html(page, am_gallery_title(v->entry));
    am_text_add(page, "</h1>\n");
}

static void add_neighbours(am_text *page, const view *v, size_t index) {
    const am_gallery_entry *entries = v->gallery->entries;
    am_text_add(page, "<nav class=\"neighbours\" aria-label=\"neighbours\">\n");
    if (index > 0) {
        am_gallery_link(page, v->up, &entries[index - 1], ".html");
        am_text_add(page, "&larr; ");
        am_label_html(page, am_gallery_title(&entries[index - 1]));
        am_text_add(page, "</a>\n");
    }
    if (v->entry->report && v->entry->report->topic && v->entry->report->topic[0]) {
        am_text_printf(page, "<a href=\"%stopics.html#", v->up);
        am_gallery_address(page, am_gallery_topic(v->entry));
        am_xml_printf(page, "\">more on %s</a>\n", am_gallery_topic(v->entry));
    }
    if (index + 1 < v->gallery->count) {
        am_gallery_link(page, v->up, &entries[index + 1], ".html");
        am_label_html(page, am_gallery_title(&entries[index + 1]));
        am_text_add(page, " &rarr;</a>\n");
    }
    am_text_add(page, "</nav>\n");
}

static void add_report(am_text *page, const view *v) {
    const am_report *report = v->entry->report;
    am_gallery_element(page, "<p class=\"source\">", report->source, "</p>\n");
    add_verdict(page, v->entry);
    add_pictures(page, v);
    am_gallery_element(page, "<p>", report->about, "</p>\n");
    am_text_add(page, "<div class=\"columns\"><div>\n");
    add_claims(page, report);
    add_files(page, v);
    am_text_add(page, "</div><div>\n");
    add_expectations(page, report);
    am_gallery_element(page, "<p class=\"small soft\">Analysis: ", report->analysis, "");
    am_text_add(page, "; it took ");
    am_gallery_seconds(page, report->seconds);
    am_text_add(page, ".</p>\n</div></div>\n");
}

void am_gallery_write_study(am_text *page, const am_gallery *gallery, size_t index) {
    view v = {.gallery = gallery, .entry = &gallery->entries[index]};
    set_up(&v);
    am_gallery_begin(page, am_gallery_title(v.entry), v.up);
    add_heading(page, &v);
    if (v.entry->report)
        add_report(page, &v);
    else
        am_gallery_element(page, "<p class=\"verdict failed\">It failed.</p>\n<pre tabindex=\"0\" class=\"bad\">",
                           v.entry->failure, "</pre>\n");
    add_study_file(page, &v);
    add_neighbours(page, &v, index);
    am_gallery_end(page);
}
