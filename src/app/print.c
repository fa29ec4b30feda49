#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "base/character.h"
#include "base/glossary.h"

enum { LONGEST_SHOWN = 480 }; /* bytes of a text of the summary: six lines of a terminal */

size_t am_print_words(FILE *stream, const char *text, size_t most) {
    const char *begin = text;
    while (*text && (size_t)(text - begin) < most) {
        const char *shown;
        size_t count;
        bool line_ends = *text == '\n';
        text += am_character_shown(text, &shown, &count);
        fwrite(line_ends ? "\n" : shown, 1, count, stream);
    }
    return strlen(text);
}

bool am_is_terminal(FILE *stream) {
    return isatty(fileno(stream)) != 0;
}

const char *am_style(FILE *stream, am_style_kind style) {
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[32m", "\033[31m"};
    const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
    bool shown = am_is_terminal(stream) && !(refused && *refused) && kind && strcmp(kind, "dumb") != 0;
    return shown ? codes[style] : "";
}

am_exit am_print_text(char *text, const am_error *err) {
    if (!text)
        return am_print_failure(err, AM_EXIT_INVALID);
    fputs(text, stdout);
    am_output_text_free(text);
    return AM_EXIT_DONE;
}

static void print_scalar(const am_scalar *scalar, int width) {
    printf("  %-*s  ", width, scalar->name);
    if (scalar->kind == AM_SCALAR_TEXT) {
        size_t left = am_print_words(stdout, scalar->text, LONGEST_SHOWN);
        if (left > 0)
            printf("... and %zu characters more, in summary.json", left);
        printf("\n");
    } else if (scalar->kind == AM_SCALAR_FLAG)
        printf("%s\n", scalar->number != 0 ? "yes" : "no");
    else if (scalar->kind == AM_SCALAR_NONE || isnan(scalar->number))
        printf("none\n");
    else
        printf("%.10g\n", scalar->number);
}

static void print_expectation(const am_expectation *expectation) {
    printf("  %s%s%s ", am_style(stdout, expectation->ok ? AM_STYLE_GOOD : AM_STYLE_BAD), expectation->ok ? "✓" : "✗",
           am_style(stdout, AM_STYLE_PLAIN));
    am_print_words(stdout, expectation->name, SIZE_MAX);
    printf(": ");
    am_print_words(stdout, expectation->got, SIZE_MAX);
    if (!expectation->ok) {
        printf(", expected ");
        am_print_words(stdout, expectation->wanted, SIZE_MAX);
    }
    if (!expectation->ok && expectation->tolerance > 0)
        printf(" within %.3g", expectation->tolerance);
    printf("\n");
}

/* Is this evidence as it should be? */
static bool is_good(const am_scalar *scalar) {
    enum { MILLIONTH = 1000000 };
    if (scalar->kind == AM_SCALAR_TEXT)
        return strcmp(scalar->text, "none") == 0 || !*scalar->text;
    return scalar->kind == AM_SCALAR_NONE || fabs(scalar->number) * MILLIONTH <= 1.0; /* not a number is not good */
}

/* Counters of work, and evidence that is good, are there for who asks. */
static bool is_shown(const am_scalar *scalar, bool verbose) {
    const char *unit;
    const am_glossary_entry *entry = verbose ? NULL : am_glossary_find_summary(scalar->name, &unit);
    if (!entry || entry->use == AM_GLOSSARY_ANSWER)
        return true;
    return entry->use == AM_GLOSSARY_EVIDENCE && !is_good(scalar);
}

static void print_summary(const am_result *result, bool verbose) {
    int width = 0;
    size_t count = am_result_scalar_count(result), left = 0;
    for (size_t i = 0; i < count; i++) {
        const am_scalar *scalar = am_result_scalar(result, i);
        int length = is_shown(scalar, verbose) ? (int)strlen(scalar->name) : 0;
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < count; i++)
        if (is_shown(am_result_scalar(result, i), verbose))
            print_scalar(am_result_scalar(result, i), width);
        else
            left++;
    if (left > 0)
        printf("  (%zu more, counters and small residuals: --verbose)\n", left);
}

void am_print_unmet(const am_report *report) {
    for (size_t i = 0; i < report->expectation_count; i++)
        if (!report->expectations[i].ok)
            print_expectation(&report->expectations[i]);
}

void am_print_report(const am_report *report, bool verbose) {
    printf("%s", am_style(stdout, AM_STYLE_STRONG));
    am_print_words(stdout, *report->title ? report->title : report->study, SIZE_MAX);
    printf("%s\n", am_style(stdout, AM_STYLE_PLAIN));
    if (*report->source) {
        am_print_words(stdout, report->source, SIZE_MAX);
        printf("\n");
    }
    printf("analysis %s, %.3g s\n\n", report->analysis, report->seconds);
    print_summary(report->result, verbose);
    if (report->expectation_count > 0)
        printf("\n");
    for (size_t i = 0; i < report->expectation_count; i++)
        print_expectation(&report->expectations[i]);
}
