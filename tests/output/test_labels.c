/* Whatever a study says in its title, its labels and the names of its columns and states reaches the drawing as text:
 * what gnuplot draws is well formed, draws only, and holds the words. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/character.h"
#include "base/memory.h"
#include "cases.h"
#include "errors.h"
#include "output/figure_parts.h"
#include "output/file.h"
#include "output/folder.h"
#include "output/gnuplot.h"
#include "output/xml.h"
#include "scratch.h"
#include "uniform.h"

static size_t below(uint64_t *seed, size_t count) {
    return (size_t)uniform(seed, 0, (double)count);
}

/* ---- random words ---- */

/* Pieces with a meaning somewhere: in gnuplot, its markup, XML, shells, terminals; and bytes of any kind. */
static const char *const pieces[] = {"{/",
                                     "{/:Italic ",
                                     "{/:Bold ",
                                     "{/Symbol a}",
                                     "{/=20 x}",
                                     "{/A\"><script>alert(1)</script>",
                                     "_{",
                                     "^{",
                                     "_",
                                     "^",
                                     "}",
                                     "{",
                                     "@",
                                     "&",
                                     "&amp;",
                                     "&#x3c;",
                                     "~a{.8-}",
                                     "\\",
                                     "\\\\",
                                     "\\n",
                                     "\\\"",
                                     "\\060",
                                     "\\U+263A",
                                     "`touch stolen`",
                                     "$(id)",
                                     "'",
                                     "''",
                                     "\"",
                                     "<",
                                     ">",
                                     "]]>",
                                     "<!--",
                                     "-->",
                                     "<![CDATA[",
                                     "<script>",
                                     "</tspan>",
                                     "</text>",
                                     "<?xml?>",
                                     "\n",
                                     "\r\n",
                                     "\t",
                                     "set output 'stolen'",
                                     "\nset output 'stolen'\n",
                                     "'; system('touch stolen'); x='",
                                     "%s%n%d",
                                     "#",
                                     ";",
                                     ",",
                                     "=1+1",
                                     "\x01",
                                     "\x1b[31m",
                                     "\x7f",
                                     "\xff",
                                     "\xc0\x80",
                                     "\xed\xa0\x80",
                                     "\xef\xbf\xbf",
                                     "\xef\xbf\xbe",
                                     "\xf4\x90\x80\x80",
                                     "\xc3",
                                     "\xe2\x82",
                                     "\xc2\x85",
                                     "\xc3\xa4",
                                     "\xe2\x88\x9e",
                                     "\xf0\x9d\x9b\xbc",
                                     "u_1",
                                     "x^2",
                                     "a_{12}",
                                     "word",
                                     " ",
                                     "1",
                                     "javascript:",
                                     "onload=",
                                     "&lt;",
                                     "&&",
                                     "{}",
                                     "{{",
                                     "}}",
                                     "@{",
                                     "|",
                                     "*"};

static void random_words(uint64_t *seed, char *text, size_t size) {
    size_t length = 0, count = below(seed, 14);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *piece = pieces[below(seed, sizeof pieces / sizeof *pieces)];
        char byte[2] = {(char)(1 + below(seed, 255)), 0};
        if (below(seed, 6) == 0)
            piece = byte;
        if (length + strlen(piece) + 1 > size)
            break;
        strcpy(text + length, piece);
        length += strlen(piece);
    }
}

/* ---- what a gnuplot string says, as gnuplot reads it ---- */

/* Outside braces of ours every sign with a meaning has a backslash, braces balance, and the string ends where it
 * should: at its last byte. Only openings that we write are there. */
static void assert_is_one_string(const char *quoted) {
    size_t length = strlen(quoted), depth = 0;
    assert_true(length >= 2 && quoted[0] == '\'' && quoted[length - 1] == '\'');
    for (size_t i = 1; i + 1 < length; i++) {
        unsigned char c = (unsigned char)quoted[i];
        assert_true(c >= 32 && c != 127 && c != '\'');
        if (c == '\\') {
            assert_true(i + 2 < length && strchr("_^{}@&~\\", quoted[i + 1]));
            i++;
            continue;
        }
        if (c == '_' || c == '^')
            assert_int_equal(quoted[i + 1], '{');
        else if (c == '{' && quoted[i - 1] != '_' && quoted[i - 1] != '^')
            assert_true(strncmp(quoted + i, "{/:Italic ", 10) == 0 || strncmp(quoted + i, "{/:Bold ", 8) == 0);
        assert_true(!strchr("@&~", c));
        depth += c == '{';
        if (c == '}') {
            assert_true(depth > 0);
            depth--;
        }
    }
    assert_int_equal(depth, 0);
}

static void labels_are_one_string_with_our_markup_only(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < CASES(200000, 20000); i++) {
        char text[512];
        am_text quoted = {0};
        random_words(&seed, text, sizeof text);
        am_figure_quote(&quoted, text);
        assert_is_one_string(am_text_view(&quoted));
        am_text_clear(&quoted);
        am_figure_quote_plain(&quoted, text);
        assert_is_one_string(am_text_view(&quoted));
        assert_null(strstr(am_text_view(&quoted), "_{"));
        am_text_clear(&quoted);
        am_figure_remark(&quoted, "about ", text, "");
        const char *line = am_text_view(&quoted);
        assert_int_equal(strncmp(line, " # about ", 9), 0);
        assert_true(strpbrk(line, "\n\r\\") == line + strlen(line) - 1);
        am_text_free(&quoted);
    }
}

static void known_markup_is_set_and_the_rest_is_itself(void **state) {
    (void)state;
    static const struct {
        const char *label, *quoted;
    } cases[] = {{"u_1 over t", "'u_{1}\xc2\xa0over t'"},
                 {"u_{12}", "'u_{12}'"},
                 {"x^2 y_i", "'x^{2}\xc2\xa0y_{i}'"},
                 {"state_changes", "'state\\_changes'"},
                 {"a_{b_c}", "'a_{b_{c}}'"},
                 {"_1", "'\\_1'"},
                 {"x_{}", "'x\\_\\{\\}'"},
                 {"x_{a", "'x\\_\\{a'"},
                 {"{/:Italic q_1}", "'{/:Italic q_{1}}'"},
                 {"{/:Bold x} & y", "'{/:Bold x} \\& y'"},
                 {"{/Symbol a}", "'\\{/Symbol a\\}'"},
                 {"{/=20 a}", "'\\{/=20 a\\}'"},
                 {"u_{{/A\"><script>}", "'u\\_\\{\\{/A\"><script>\\}'"},
                 {"u_{{/A\"><script>}}", "'u_{\\{/A\"><script>\\}}'"},
                 {"a\nb", "'a b'"},
                 {"it's", "'it\xe2\x80\x99s'"},
                 {"\xff", "'\xef\xbf\xbd'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_text quoted = {0};
        am_figure_quote(&quoted, cases[i].label);
        assert_string_equal(am_text_view(&quoted), cases[i].quoted);
        am_text_free(&quoted);
    }
}

/* ---- what gnuplot draws of it ---- */

static am_result *result_named(const char *x, const char *y, const char *word) {
    am_result *result = am_result_create(NULL);
    am_table *table = am_result_add_table(result, "samples", NULL);
    char first[600], second[600];
    snprintf(first, sizeof first, "%sx", x); /* columns have names, and different ones */
    snprintf(second, sizeof second, "%sy", y);
    GOOD(am_table_add_column(table, first, word, AM_COLUMN_NUMBER, err));
    GOOD(am_table_add_column(table, second, "", AM_COLUMN_NUMBER, err));
    GOOD(am_table_add_column(table, "state", "", AM_COLUMN_TEXT, err));
    for (int i = 0; i < 4; i++) {
        GOOD(am_table_add_row(table, err));
        am_table_set_number(table, 0, i / 2);
        am_table_set_number(table, 1, i % 2);
        GOOD(am_table_set_text(table, 2, i == 0 ? word : "stick", err));
    }
    return result;
}

/* The words of a drawing: the text between tags, entities resolved, without blanks. */
static void words_of(const char *svg, char *words, size_t size) {
    static const char *const entities[][2] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&apos;", "'"}};
    size_t length = 0;
    for (bool tag = false; *svg && length + 1 < size; svg++) {
        tag = tag || *svg == '<';
        if (!tag && (unsigned char)*svg > ' ') {
            char c = *svg;
            for (size_t i = 0; i < 5; i++)
                if (strncmp(svg, entities[i][0], strlen(entities[i][0])) == 0) {
                    c = entities[i][1][0];
                    svg += strlen(entities[i][0]) - 1;
                    break;
                }
            words[length++] = c;
        }
        tag = tag && *svg != '>';
    }
    words[length] = '\0';
}

static bool holds_words(const char *svg, const char *plain) {
    static char words[1 << 20];
    char wanted[600];
    size_t length = 0;
    for (const char *p = plain; *p; p++)
        if (*p > ' ')
            wanted[length++] = *p;
    wanted[length] = '\0';
    words_of(svg, words, sizeof words);
    return strstr(words, wanted) != NULL;
}

static void draw(const am_figure *figure, const am_result *result, const char *title) {
    am_report report = {.study = "s.yaml",
                        .title = title,
                        .source = title,
                        .about = title,
                        .analysis = "motion",
                        .result = result,
                        .figure = figure};
    char **files = NULL;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", in_scratch("drawn"));
    GOOD(am_output_folder(&report, folder, &files, err));
    am_output_files_free(files);
    char *path = am_output_path(folder, "figure.svg", NULL), *svg = am_output_read(path, 1 << 24, NULL);
    assert_non_null(svg);
    GOOD(am_svg_check(svg, strlen(svg), err));
    if (!holds_words(svg, "plain<words>&\"more\""))
        fail_msg("the words are not there");
    am_memory_free(path);
    free(svg);
    assert_false(am_output_is_file(folder, "stolen") || am_output_is_file(".", "stolen"));
}

static void anything_as_text_is_drawn_as_text(void **state) {
    (void)state;
    uint64_t seed = 22;
    if (!am_gnuplot_installed())
        skip();
    for (int i = 0; i < CASES(40, 4); i++) {
        char text[6][512];
        for (int k = 0; k < 6; k++)
            random_words(&seed, text[k], sizeof text[k]);
        am_result *result = result_named(text[0], text[1], text[2]);
        const am_table *table = am_result_table(result, 0);
        am_curve curves[] = {{.table = "samples",
                              .x = am_table_column_name(table, 0),
                              .y = am_table_column_name(table, 1),
                              .label = text[3]},
                             {.table = "samples",
                              .x = am_table_column_name(table, 0),
                              .y = am_table_column_name(table, 1),
                              .label = "plain <words> & \"more\""}};
        am_figure figure = {.kind = i % 2 ? AM_FIGURE_MAP : AM_FIGURE_CURVES,
                            .title = i % 2 ? "plain <words> & \"more\"" : text[4],
                            .x_label = i % 3 ? text[5] : NULL,
                            .curves = curves,
                            .curve_count = 2,
                            .table = "samples",
                            .x = curves[0].x,
                            .y = curves[0].y,
                            .value = "state"};
        draw(&figure, result, text[4]);
        am_result_free(result);
    }
}

/* ---- the check of drawings ---- */

static void drawings_that_do_more_than_draw_are_refused(void **state) {
    (void)state;
#define HEAD                                                                                                           \
    "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "                                              \
    "xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"
    static const char *const bad[] = {HEAD "<script>alert(1)</script></svg>",
                                      HEAD "<g onclick='x()'/></svg>",
                                      HEAD "<g ONLOAD='x()'/></svg>",
                                      HEAD "<foreignObject/></svg>",
                                      HEAD "<a href='#x'/></svg>",
                                      HEAD "<style>@import 'x'</style></svg>",
                                      HEAD "<image xlink:href='http://x/y.png'/></svg>",
                                      HEAD "<image href='data:image/svg+xml;base64,x'/></svg>",
                                      HEAD "<use xlink:href='other.svg#a'/></svg>",
                                      HEAD "<use xlink:href='&#106;avascript:x'/></svg>",
                                      HEAD "<g fill='url(http://x)'/></svg>",
                                      HEAD "<g fill=\"url( 'http://x')\"/></svg>",
                                      HEAD "<g style='fill:\\75rl(x)'/></svg>",
                                      HEAD "<animate attributeName='href' to='javascript:x'/></svg>",
                                      HEAD "<g xmlns='http://www.w3.org/1999/xhtml'/></svg>",
                                      HEAD "<h:script xmlns:h='http://www.w3.org/1999/xhtml'/></svg>",
                                      HEAD "<g></svg>",
                                      HEAD "<g></h></svg>",
                                      HEAD "<g/>",
                                      HEAD "</svg><svg/>",
                                      HEAD "</svg>text",
                                      HEAD "<text>R&D</text></svg>",
                                      HEAD "<text>&nbsp;</text></svg>",
                                      HEAD "<text>]]></text></svg>",
                                      HEAD "<text>\x01</text></svg>",
                                      HEAD "<text>\xff</text></svg>",
                                      HEAD "<text a='1' a='2'/></svg>",
                                      HEAD "<text a=1/></svg>",
                                      HEAD "<text a='<'/></svg>",
                                      HEAD "<text a='1'b='2'/></svg>",
                                      HEAD "<text a/></svg>",
                                      HEAD "<!-- a -- b --></svg>",
                                      HEAD "<![CDATA[x]]></svg>",
                                      HEAD "<?php x?></svg>",
                                      "<!DOCTYPE svg [<!ENTITY x 'y'>]><svg/>",
                                      "<html/>",
                                      "",
                                      " ",
                                      "<svg"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        am_error err = {0};
        if (am_svg_check(bad[i], strlen(bad[i]), &err) != AM_ERR_FILE)
            fail_msg("passed: %s", bad[i]);
        assert_int_equal(strncmp(err.message, "line ", 5), 0);
    }
    static const char *const good[] = {
        HEAD "</svg>\n",
        HEAD
        "<!-- a remark & more --><g fill='url(#a)' style='fill:red'><text>a > b &lt; &#38; &#x26;</text></g></svg>",
        HEAD "<use xlink:href='#gpPt1'/><image xlink:href='data:image/png;base64,iVBOR'/></svg>",
        HEAD "<g><animateTransform attributeName=\"transform\" values=\"0,0;1,1\"/></g></svg>", "<svg></svg>"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        GOOD(am_svg_check(good[i], strlen(good[i]), err));
}

/* Whatever is cut off or changed in a sound drawing, the check ends, and a tag that lost its end is noticed. */
static void changed_drawings_never_upset_the_check(void **state) {
    (void)state;
    static const char sound[] =
        HEAD "<g fill='#fff'><text x=\"1\">a &amp; b</text><!-- c --><use xlink:href='#d'/></g></svg>";
    static const char signs[] = "<>/&'\"= !-?;#\x01\xff\xc3zg";
    uint64_t seed = 23;
    for (size_t length = 0; length + 1 < sizeof sound; length++) {
        char *cut = calloc(length + 1, 1);
        memcpy(cut, sound, length);
        assert_int_equal(am_svg_check(cut, length, NULL), AM_ERR_FILE);
        free(cut);
    }
    for (int i = 0; i < CASES(200000, 20000); i++) {
        char changed[sizeof sound];
        memcpy(changed, sound, sizeof sound);
        for (size_t k = 1 + below(&seed, 4); k > 0; k--)
            changed[below(&seed, sizeof sound - 1)] = signs[below(&seed, sizeof signs - 1)];
        am_svg_check(changed, sizeof sound - 1, NULL);
    }
}

static void xml_texts_are_well_formed_whatever_they_say(void **state) {
    (void)state;
    uint64_t seed = 24;
    for (int i = 0; i < CASES(100000, 10000); i++) {
        char text[512];
        am_text document = {0};
        random_words(&seed, text, sizeof text);
        am_text_add(&document, "<svg><text x=\"");
        am_xml_add(&document, text);
        am_text_add(&document, "\" y='");
        am_xml_add(&document, text);
        am_text_add(&document, "'>");
        am_xml_add(&document, text);
        am_text_add(&document, "</text></svg>");
        GOOD(am_svg_check(document.data, document.length, err));
        am_text_free(&document);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_one_string_with_our_markup_only),
        cmocka_unit_test(known_markup_is_set_and_the_rest_is_itself),
        cmocka_unit_test_setup_teardown(anything_as_text_is_drawn_as_text, make_scratch, remove_scratch),
        cmocka_unit_test(drawings_that_do_more_than_draw_are_refused),
        cmocka_unit_test(changed_drawings_never_upset_the_check),
        cmocka_unit_test(xml_texts_are_well_formed_whatever_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
