#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "base/character.h"

enum { LONGEST_SHOWN = 480 }; /* bytes of a text of the summary: six lines of a terminal */

/* Texts of studies may hold what a terminal obeys: only what can be shown is, and the ends of lines. At most the first
 * `most` bytes; returns how many are left. */
static size_t print_beginning(FILE *stream, const char *text, size_t most) {
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

static void print_words(FILE *stream, const char *text) {
    print_beginning(stream, text, SIZE_MAX);
}

bool am_print_error(const char *format, ...) {
    char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    print_words(stderr, message);
    fputc('\n', stderr);
    return false;
}

am_exit am_print_failure(const am_error *err, am_exit otherwise) {
    if (err->status == AM_ERR_INTERRUPTED || am_interrupted()) {
        bool told = err->status == AM_ERR_INTERRUPTED && strchr(err->message, ';'); /* a sweep says what it kept */
        am_print_error("%s", told ? err->message : "interrupted; nothing was written");
        return AM_EXIT_INTERRUPTED;
    }
    am_print_error("%s", err->message);
    if (err->status == AM_ERR_INPUT)
        return AM_EXIT_INVALID;
    return err->status == AM_ERR_MEMORY ? AM_EXIT_FAILED : otherwise;
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
        size_t left = print_beginning(stdout, scalar->text, LONGEST_SHOWN);
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
    printf(expectation->ok ? "  ✓ " : "  ✗ ");
    print_words(stdout, expectation->name);
    printf(": ");
    print_words(stdout, expectation->got);
    if (!expectation->ok) {
        printf(", expected ");
        print_words(stdout, expectation->wanted);
    }
    if (!expectation->ok && expectation->tolerance > 0)
        printf(" within %.3g", expectation->tolerance);
    printf("\n");
}

void am_print_report(const am_report *report) {
    int width = 0;
    size_t count = am_result_scalar_count(report->result);
    for (size_t i = 0; i < count; i++) {
        int length = (int)strlen(am_result_scalar(report->result, i)->name);
        width = length > width ? length : width;
    }
    print_words(stdout, *report->title ? report->title : report->study);
    printf("\n");
    if (*report->source) {
        print_words(stdout, report->source);
        printf("\n");
    }
    printf("analysis %s, %.3g s\n\n", report->analysis, report->seconds);
    for (size_t i = 0; i < count; i++)
        print_scalar(am_result_scalar(report->result, i), width);
    if (report->expectation_count > 0)
        printf("\n");
    for (size_t i = 0; i < report->expectation_count; i++)
        print_expectation(&report->expectations[i]);
}
