/* The gallery page: one self-contained HTML file that works from a disk without a network. */
#include <ctype.h>
#include <string.h>

#include "amontons/output.h"
#include "base/local.h"
#include "base/object.h"
#include "base/text.h"
#include "output/claim.h"
#include "output/file.h"
#include "output/names.h"
#include "output/xml.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Amontons gallery</title>\n<style>\n"
    ":root{--ink:#1d2730;--soft:#5c6873;--line:#dde2e6;--paper:#fff;--ground:#f5f6f7;--good:#00734f;--bad:#b03a00;--"
    "link:#005a8c}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 Georgia,'Times New Roman',serif}\n"
    "main,header{max-width:76rem;margin:0 auto;padding:0 1.5rem}\n"
    "header{padding-top:3rem;padding-bottom:1.2rem}\n"
    "h1{font-size:2.2rem;font-weight:normal;margin:0;letter-spacing:.01em}\n"
    "h2{font-size:1.4rem;font-weight:normal;margin:2.5rem 0 1rem;padding-bottom:.3rem;border-bottom:1px solid "
    "var(--line)}\n"
    "h3{font-size:1.15rem;margin:0 0 .1rem}\n"
    "p{margin:.4rem 0}\n"
    ".small,table,nav,.tally{font-family:system-ui,-apple-system,'Segoe "
    "UI',Helvetica,Arial,sans-serif;font-size:.86rem}\n"
    ".source{color:var(--soft);font-style:italic}\n"
    ".tally{color:var(--soft);margin-top:.6rem;font-size:.95rem}\n"
    ".good{color:var(--good)}.bad{color:var(--bad);font-weight:600}\n"
    "article{display:grid;grid-template-columns:minmax(0,11fr) minmax(0,10fr);gap:1.8rem;background:var(--paper);"
    "border:1px solid var(--line);border-radius:6px;padding:1.4rem;margin:0 0 1.4rem}\n"
    "article.failed{border-left:4px solid var(--bad)}\n"
    "figure{margin:0}figure img{width:100%;height:auto;display:block}\n"
    ".nothing{min-height:12rem;display:flex;align-items:center;justify-content:center;color:var(--soft);"
    "border:1px dashed var(--line);border-radius:4px}\n"
    "ul{margin:.6rem 0;padding-left:1.2rem}\n"
    "table{border-collapse:collapse;width:100%;margin:.8rem 0}\n"
    "th,td{text-align:left;padding:.25rem .6rem .25rem 0;border-bottom:1px solid "
    "var(--line);vertical-align:top;overflow-wrap:anywhere}\n"
    "th{color:var(--soft);font-weight:500}td.mark{width:1.6rem;text-align:center}\n"
    "a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}\n"
    "nav{color:var(--soft);margin-top:.8rem}nav a{margin-right:.9rem;white-space:nowrap}\n"
    "pre{white-space:pre-wrap;font-size:.85rem;margin:.6rem 0}\n"
    "footer{max-width:76rem;margin:2rem auto;padding:0 1.5rem 2rem;color:var(--soft)}\n"
    "@media(max-width:56rem){article{grid-template-columns:1fr}}\n"
    "@media print{body{background:#fff}article{break-inside:avoid}}\n"
    "</style>\n</head>\n<body>\n";

/* ---- Text ---- */

/* One name of a path inside an address. */
static void add_address(am_text *page, const char *path) {
    for (const char *c = path ? path : ""; *c; c++) {
        if (isalnum((unsigned char)*c) || strchr("/._-", *c))
            am_text_add_bytes(page, c, 1);
        else
            am_text_printf(page, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

static void add_element(am_text *page, const char *open, const char *text, const char *close) {
    if (!text || !text[0])
        return;
    am_text_add(page, open);
    am_xml_add(page, text);
    am_text_add(page, close);
}

static void add_seconds(am_text *page, double seconds) {
    if (seconds < 1)
        am_text_printf(page, "%.3g ms", seconds * 1e3);
    else if (seconds < 120)
        am_text_printf(page, "%.3g s", seconds);
    else
        am_text_printf(page, "%.1f min", seconds / 60);
}

/* ---- What held ---- */

static size_t count_unmet(const am_report *report) {
    size_t count = 0;
    for (size_t i = 0; i < report->expectation_count; i++)
        count += !report->expectations[i].ok;
    return count;
}

static bool held(const am_gallery_entry *entry) {
    return entry->report && count_unmet(entry->report) == 0;
}

static void add_tally(am_text *page, size_t count, const am_gallery_entry *entries) {
    double seconds = 0;
    size_t unheld = 0;
    for (size_t i = 0; i < count; i++) {
        seconds += entries[i].report ? entries[i].report->seconds : 0;
        unheld += !held(&entries[i]);
    }
    am_text_printf(page, "<p class=\"tally\">%zu %s, ", count, count == 1 ? "study" : "studies");
    add_seconds(page, seconds);
    am_text_add(page, " of computing. ");
    if (unheld == 0)
        am_text_add(page, "<span class=\"good\">Every expectation held.</span>");
    else
        am_text_printf(page, "<span class=\"bad\">%zu did not hold:</span>", unheld);
    for (size_t i = 0; i < count; i++) {
        if (held(&entries[i]))
            continue;
        am_text_printf(page, " <a class=\"bad\" href=\"#study-%zu\">", i + 1);
        am_xml_printf(page, "%s/%s</a>", entries[i].group, entries[i].name);
    }
    am_text_add(page, "</p>\n");
}

/* ---- One study ---- */

static void add_link(am_text *page, const char *results, const am_gallery_entry *entry, const char *file,
                     const char *words) {
    if (!file || !am_output_is_file(results, file))
        return;
    am_text_add(page, "<a href=\"");
    add_address(page, entry->folder);
    am_text_add(page, "/");
    add_address(page, file);
    am_xml_printf(page, "\">%s</a> ", words);
}

static void add_links(am_text *page, const char *results, const am_gallery_entry *entry) {
    const am_result *result = entry->report->result;
    am_text_add(page, "<nav>");
    for (size_t i = 0; result && i < am_result_table_count(result); i++) {
        char *name = am_output_csv_name(result, i, NULL);
        add_link(page, results, entry, name, name);
        am_memory_free(name);
    }
    add_link(page, results, entry, "results.nc", "NetCDF");
    add_link(page, results, entry, "summary.json", "JSON");
    add_link(page, results, entry, "figure.gp", "gnuplot script");
    add_link(page, results, entry, "figure.png", "PNG");
    add_link(page, results, entry, "animation.svg", "animation");
    am_text_add(page, "</nav>\n");
}

static void add_picture(am_text *page, const char *results, const am_gallery_entry *entry) {
    if (!am_output_is_file(results, "figure.svg")) {
        am_text_add(page, "<div class=\"nothing small\">no figure</div>\n");
        return;
    }
    am_text_add(page, "<figure><img loading=\"lazy\" src=\"");
    add_address(page, entry->folder);
    am_xml_printf(page, "/figure.svg\" alt=\"%s\"></figure>\n",
                  entry->report->title ? entry->report->title : entry->name);
}

static void add_expectations(am_text *page, const am_report *report) {
    if (report->expectation_count == 0)
        return;
    am_text_add(page,
                "<table><thead><tr><th>quantity</th><th>expected</th><th>computed</th><th></th></tr></thead><tbody>\n");
    for (size_t i = 0; i < report->expectation_count; i++) {
        const am_expectation *expectation = &report->expectations[i];
        am_xml_printf(page, "<tr><td>%s</td><td>%s", expectation->name, expectation->wanted);
        if (expectation->tolerance > 0)
            am_text_printf(page, " &plusmn;&thinsp;%.3g", expectation->tolerance);
        am_xml_printf(page, "</td><td>%s", expectation->got);
        am_text_add(page, expectation->ok ? "</td><td class=\"mark good\">&#10003;</td></tr>\n"
                                          : "</td><td class=\"mark bad\">&#10007;</td></tr>\n");
    }
    am_text_add(page, "</tbody></table>\n");
}

static void add_claims(am_text *page, const am_report *report) {
    if (report->claim_count == 0)
        return;
    am_text_add(page, "<ul>\n");
    for (size_t i = 0; i < report->claim_count; i++)
        add_element(page, "<li>", report->claims[i], "</li>\n");
    am_text_add(page, "</ul>\n");
}

static void add_study(am_text *page, const char *results, const am_gallery_entry *entry) {
    const am_report *report = entry->report;
    add_picture(page, results, entry);
    am_text_add(page, "<div>");
    add_element(page, "<h3>", report->title && report->title[0] ? report->title : entry->name, "</h3>\n");
    add_element(page, "<p class=\"source\">", report->source, "</p>\n");
    add_element(page, "<p>", report->about, "</p>\n");
    add_claims(page, report);
    add_expectations(page, report);
    am_xml_printf(page, "<p class=\"small\">%s", entry->name);
    add_element(page, " &middot; ", report->analysis, "");
    am_text_add(page, " &middot; ");
    add_seconds(page, report->seconds);
    am_text_add(page, "</p>\n");
    add_links(page, results, entry);
    am_text_add(page, "</div>");
}

static void add_failure(am_text *page, const am_gallery_entry *entry) {
    am_text_add(page, "<div class=\"nothing small bad\">failed</div>\n<div>");
    add_element(page, "<h3>", entry->name, "</h3>\n");
    add_element(page, "<pre class=\"bad\">", entry->failure, "</pre>\n");
    am_text_add(page, "</div>");
}

static void add_card(am_text *page, const char *folder, const am_gallery_entry *entry, size_t index) {
    am_text_printf(page, "<article id=\"study-%zu\"%s>\n", index + 1, held(entry) ? "" : " class=\"failed\"");
    if (entry->report)
        add_study(page, AM_OUTPUT_PATH(folder, entry->folder ? entry->folder : ""), entry);
    else
        add_failure(page, entry);
    am_text_add(page, "\n</article>\n");
}

/* ---- The page ---- */

static bool same_group(const am_gallery_entry *a, const am_gallery_entry *b) {
    return strcmp(a->group ? a->group : "", b->group ? b->group : "") == 0;
}

static bool is_first_of_group(const am_gallery_entry *entries, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (same_group(&entries[i], &entries[index]))
            return false;
    return true;
}

static void add_groups(am_text *page, const char *folder, size_t count, const am_gallery_entry *entries) {
    for (size_t first = 0; first < count; first++) {
        if (!is_first_of_group(entries, first))
            continue;
        am_text_add(page, "<section>\n");
        add_element(page, "<h2>", entries[first].group, "</h2>\n");
        for (size_t i = first; i < count; i++)
            if (same_group(&entries[first], &entries[i]))
                add_card(page, folder, &entries[i], i);
        am_text_add(page, "</section>\n");
    }
}

static void make_page(am_text *page, const char *folder, size_t count, const am_gallery_entry *entries) {
    am_text_add(page, head);
    am_text_add(page, "<header>\n<h1>Amontons gallery</h1>\n<p>Each figure beside what its source claims, and whether "
                      "that held when it was computed.</p>\n");
    add_tally(page, count, entries);
    am_text_add(page, "</header>\n<main>\n");
    add_groups(page, folder, count, entries);
    am_text_add(page, "</main>\n<footer class=\"small\">Amontons " AMONTONS_VERSION "</footer>\n</body>\n</html>\n");
}

static am_status write_page(const char *folder, const am_text *page, am_error *err) {
    char name[] = "index.html";
    char *const names[] = {name, NULL};
    am_claim *claim;
    am_staging *staging;
    AM_TRY(am_claim_open(&claim, folder, err));
    am_status status = am_staging_open(&staging, claim, err);
    if (status == AM_OK)
        status = am_staging_write(staging, name, page->data, page->length, err);
    if (status == AM_OK)
        status = am_staging_commit(staging, names, NULL, err);
    am_staging_close(staging);
    am_output_release(claim);
    return status;
}

am_status am_output_gallery(const char *folder, size_t count, const am_gallery_entry *entries, am_error *err) {
    if (!entries && count > 0)
        return am_misused(err, __func__);
    AM_LOCAL(am_text_free) am_text page = {0};
    make_page(&page, folder, count, entries);
    AM_TRY(am_text_status(&page, err));
    return write_page(folder, &page, err);
}
