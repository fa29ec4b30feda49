#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"

void am_print_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
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
    if (scalar->kind == AM_SCALAR_TEXT)
        printf("%s\n", scalar->text);
    else if (scalar->kind == AM_SCALAR_FLAG)
        printf("%s\n", scalar->number != 0 ? "yes" : "no");
    else if (scalar->kind == AM_SCALAR_NONE || isnan(scalar->number))
        printf("none\n");
    else
        printf("%.10g\n", scalar->number);
}

static void print_expectation(const am_expectation *expectation) {
    if (expectation->ok) {
        printf("  ✓ %s: %s\n", expectation->name, expectation->got);
        return;
    }
    printf("  ✗ %s: %s, expected %s", expectation->name, expectation->got, expectation->wanted);
    if (expectation->tolerance > 0)
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
    printf("%s\n", *report->title ? report->title : report->study);
    if (*report->source)
        printf("%s\n", report->source);
    printf("analysis %s, %.3g s\n\n", report->analysis, report->seconds);
    for (size_t i = 0; i < count; i++)
        print_scalar(am_result_scalar(report->result, i), width);
    if (report->expectation_count > 0)
        printf("\n");
    for (size_t i = 0; i < report->expectation_count; i++)
        print_expectation(&report->expectations[i]);
}
