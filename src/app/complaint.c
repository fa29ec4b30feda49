/* What is wrong, in the words of whoever found it: one line on standard error; on a terminal with the line of the study it
 * is about, and with --json as a document on standard output as well. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "base/character.h"
#include "base/input_file.h"
#include "base/local.h"
#include "output/error_document.h"
#include "study/study.h"

/* The first complaint of this process, until it was printed as a document. */
static struct {
    bool wanted, known, printed;
    char message[4096], field[sizeof((am_error *)0)->field];
} document;

static am_text standard_input;

/* ---- the line it is about ---- */

am_status am_standard_input(const char **text, am_error *err) {
    static bool ended;
    char block[16384];
    while (!ended && standard_input.length <= AM_STUDY_LARGEST && standard_input.status == AM_OK) {
        size_t got = fread(block, 1, sizeof block, stdin);
        am_text_add_bytes(&standard_input, block, got);
        ended = got == 0;
    }
    *text = am_text_view(&standard_input);
    AM_TRY(am_text_status(&standard_input, err));
    if (ferror(stdin))
        return am_fail(err, AM_ERR_INPUT, "standard input cannot be read");
    if (standard_input.length > AM_STUDY_LARGEST)
        return am_fail(err, AM_ERR_INPUT, "standard input is longer than %d MiB, the most a study may have",
                       AM_STUDY_LARGEST >> 20);
    if (strlen(*text) != standard_input.length)
        return am_fail(err, AM_ERR_INPUT, "standard input is not a text (UTF-8); expected a study in YAML");
    return AM_OK;
}

static const char *line_of(const char *text, int line) {
    while (text && --line > 0) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text && *text ? text : NULL;
}

/* The line with a sign below the place; of a long one what surrounds it. */
static void show_line(const char *line, const am_error_place *p) {
    enum { BEFORE = 60, SHOWN = 100 };
    size_t column = p->column > 0 ? (size_t)p->column - 1 : 0, at = 0;
    size_t first = column > BEFORE ? column - BEFORE : 0;
    int margin = fprintf(stderr, "%5d | ", p->line);
    for (; *line && *line != '\n' && *line != '\r' && at < first + SHOWN; at++) {
        const char *shown;
        size_t count, length = am_character_shown(line, &shown, &count); /* a tab is one blank */
        if (at >= first)
            fwrite(shown, 1, count, stderr);
        line += length;
    }
    fprintf(stderr, "\n%*s%s^%s\n", margin + (int)(column - first), "", am_style(stderr, AM_STYLE_BAD),
            am_style(stderr, AM_STYLE_PLAIN));
}

static void show_place(const char *message, const am_error_place *p) {
    char file[4096];
    AM_LOCAL(am_text_free) am_text text = {0};
    snprintf(file, sizeof file, "%.*s", (int)p->file, message);
    const char *all = NULL;
    if (strcmp(file, AM_STANDARD_INPUT) == 0 && standard_input.data)
        all = am_text_view(&standard_input);
    else if (am_input_read(file, "a study file", AM_STUDY_LARGEST, &text, NULL) == AM_OK)
        all = am_text_view(&text);
    const char *line = line_of(all, p->line);
    if (line)
        show_line(line, p);
}

/* ---- saying it ---- */

static void say(const char *message) {
    am_error_place p = am_error_place_of(message);
    fputs(am_style(stderr, AM_STYLE_STRONG), stderr);
    am_print_words(stderr, message, (size_t)(p.words - message));
    fputs(am_style(stderr, AM_STYLE_PLAIN), stderr);
    am_print_words(stderr, p.words, SIZE_MAX);
    fputc('\n', stderr);
    if (p.column > 0 && am_is_terminal(stderr))
        show_place(message, &p);
}

static void note(const char *message, const char *field) {
    if (document.known)
        return;
    document.known = true;
    snprintf(document.message, sizeof document.message, "%s", message);
    snprintf(document.field, sizeof document.field, "%s", field);
}

bool am_print_error(const char *format, ...) {
    char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    note(message, "");
    say(message);
    return false;
}

am_exit am_print_failure(const am_error *err, am_exit otherwise) {
    bool interrupted = err->status == AM_ERR_INTERRUPTED || am_interrupted();
    bool told = err->status == AM_ERR_INTERRUPTED && strchr(err->message, ';'); /* a sweep says what it kept */
    const char *message = interrupted && !told ? "interrupted; nothing was written" : err->message;
    note(message, interrupted ? "" : err->field);
    say(message);
    if (interrupted)
        return AM_EXIT_INTERRUPTED;
    if (err->status == AM_ERR_INPUT)
        return AM_EXIT_INVALID;
    return err->status == AM_ERR_MEMORY ? AM_EXIT_FAILED : otherwise;
}

/* ---- as a document ---- */

void am_want_error_document(void) {
    document.wanted = true;
}

void am_print_document(char *text, am_exit status) {
    bool known = document.wanted && document.known;
    AM_LOCAL_MEMORY char *whole =
        known ? am_output_error(text, document.message, document.field, (int)status, NULL) : NULL;
    if (whole || text)
        printf("%s\n", whole ? whole : text);
    document.wanted = false;
    document.printed = true;
}

bool am_printed_document(void) {
    return document.printed;
}

void am_print_error_document(am_exit status) {
    if (document.wanted && document.known)
        am_print_document(NULL, status);
}
