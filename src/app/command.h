/* The command line: what its files share. */
#ifndef AMONTONS_APP_COMMAND_H
#define AMONTONS_APP_COMMAND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "amontons/amontons.h"
#include "study/catalogue.h"

/* Exit statuses, documented in docs/command.md. */
typedef enum am_exit {
    AM_EXIT_DONE = 0,
    AM_EXIT_NOT_MET = 1, /* an expectation was not met */
    AM_EXIT_INVALID = 2, /* invalid input */
    AM_EXIT_FAILED = 3,  /* the computation failed, or its output could not be written */
    AM_EXIT_INTERRUPTED = 130
} am_exit;

enum { AM_MOST_ARGUMENTS = 256, AM_MOST_NAMES = 4096 };

/* Options of a command line, as far as the command takes them. Texts are those of argv. */
typedef struct am_options {
    size_t count; /* of names */
    const char *names[AM_MOST_NAMES];
    size_t setting_count;
    am_setting settings[AM_MOST_ARGUMENTS];
    char *setting_texts; /* paths, split off their values; freed with am_options_free */
    const char *out;
    char *command; /* all of it as one line; freed with am_options_free */
    size_t allowed_count;
    const char *allowed[AM_MOST_ARGUMENTS]; /* folders whose files a study may read besides its own */
    bool json, full, help, force, numbers, animate, quiet, verbose, no_browser;
    int threads;         /* 0: as many as the machine has */
    int port;            /* 0: one that is free */
    int memory, seconds; /* of a run in the lab; 0: what is usual */
} am_options;

/* Which options a command takes. */
enum {
    AM_TAKES_SET = 1,
    AM_TAKES_OUT = 2,
    AM_TAKES_JSON = 4,
    AM_TAKES_THREADS = 8,
    AM_TAKES_FULL = 16,
    AM_TAKES_FORCE = 32,
    AM_TAKES_ALLOW = 64,
    AM_TAKES_NUMBERS = 128,
    AM_TAKES_QUIET = 256,
    AM_TAKES_VERBOSE = 512,
    AM_TAKES_LAB = 1024,
    AM_TAKES_ANIMATE = 2048
};

typedef struct am_command {
    const char *name;
    const char *usage; /* after the name */
    const char *about; /* one line; NULL: for programs, not for people */
    const char *more;  /* paragraphs for `amontons help NAME`; may be NULL */
    int takes;
    size_t least, most; /* how many names */
    am_exit (*run)(const am_options *options);
} am_command;

/* Ends with a NULL name. */
extern const am_command am_commands[];

/* arguments.c */
bool am_options_parse(const am_command *command, int argc, char **argv, am_options *options);
void am_options_each(const am_command *command, void (*visit)(const char *name)); /* the options it takes */
bool am_option_has_value(const am_command *command, const char *name);
void am_options_free(am_options *options);

/* algebra_memory.c: ends the program with a message where there is not enough memory for linear algebra. */
void am_check_memory_for_algebra(int threads);

/* interrupt.c: Ctrl-C and termination set a flag, which loops ask for; work that has not stopped a second later, or
 * after a second signal, ends with the program. */
void am_interrupt_watch(void);
bool am_interrupted(void);
void am_interrupt_writing(bool begins); /* results are being written: that is finished first */

/* bar.c: a progress bar on a terminal, and the flag above everywhere. */
typedef struct am_bar {
    const char *label;
    double started, shown_at;
    bool terminal, visible;
    size_t done, all, failed; /* points, of work that has them */
    size_t found;             /* points that were done before */
} am_bar;
am_progress am_bar_start(am_bar *bar, const char *label, int threads);
void am_bar_end(am_bar *bar);

/* complaint.c: what is wrong, on standard error; false, for functions that end so */
bool am_print_error(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
am_exit am_print_failure(const am_error *err, am_exit otherwise); /* says why, and which exit status that is */

/* With --json: what was wrong first is also printed as a document, or as the member `error` of the one that is printed
 * (`text`; NULL: there is none). Once. */
void am_want_error_document(void);
void am_print_document(char *text, am_exit status);
void am_print_error_document(am_exit status);
bool am_printed_document(void);

/* All of standard input, read once: a study. */
#define AM_STANDARD_INPUT "stdin" /* its name in messages and results */
am_status am_standard_input(const char **text, am_error *err);

/* print.c */
typedef enum am_style_kind { AM_STYLE_PLAIN, AM_STYLE_STRONG, AM_STYLE_GOOD, AM_STYLE_BAD } am_style_kind;
bool am_is_terminal(FILE *stream);
const char *am_style(FILE *stream,
                     am_style_kind style); /* what a terminal obeys; "" where there is none, or NO_COLOR */
/* Texts of studies may hold what a terminal obeys: only what can be shown is, and the ends of lines. At most the first
 * `most` bytes; returns how many are left. */
size_t am_print_words(FILE *stream, const char *text, size_t most);
void am_print_report(const am_report *report, bool verbose);
void am_print_unmet(const am_report *report);           /* expectations only */
am_exit am_print_text(char *text, const am_error *err); /* prints and frees; NULL: says why */

/* help.c */
void am_print_usage(const am_command *command);
am_exit am_command_help(const am_options *options);

/* run.c */
am_exit am_command_run(const am_options *options);
/* Run one study and write its results (folder NULL: none). *run and *files are the caller's once results are there,
 * even if the figure could not be drawn (status 3, err says why) or names what is not there (status 2). */
typedef struct am_run_order {
    const char *folder;
    int threads;
    bool force;          /* write over what another study left */
    const char *command; /* as it was typed, for the provenance */
    const am_team *team; /* NULL: alone */
} am_run_order;
am_exit am_run_and_write(const am_study *study, const am_run_order *order, am_run **run, char ***files, am_error *err);

/* ranks.c: the ranks of the MPI job this process belongs to; *team is NULL when it was started alone. Status 2 with a
 * sentence when it belongs to one and was built without MPI. */
am_exit am_team_join(const am_team **team);
int am_team_threads(void); /* for each member, when those on this machine share its cores */
void am_team_leave(const am_team *team, am_exit status); /* does not return to a job with a member that failed */

/* study.c */
/* The study of that name, as the options say; "-" is standard input. */
am_study *am_options_study(const am_options *options, const char *name, am_error *err);
am_exit am_command_check(const am_options *options);
am_exit am_command_show(const am_options *options);
am_exit am_command_new(const am_options *options);
am_exit am_command_schema(const am_options *options);
am_exit am_command_list(const am_options *options);
am_exit am_command_plot(const am_options *options);
am_exit am_command_verify(const am_options *options);

/* complete.c: what the completion of a shell asks */
am_exit am_command_complete(const am_options *options);

/* import.c */
am_exit am_command_import(const am_options *options);

/* gallery.c */
am_exit am_command_gallery(const am_options *options);

/* lab.c */
am_exit am_command_lab(const am_options *options);

/* find_gallery.c: the path of something that lies beside the command; false when it does not. */
bool am_beside_command(const char *name, char *path, size_t size);

/* Where the gallery lies: $AMONTONS_GALLERY, ./gallery, or beside the command. */
const char *am_gallery_folder(char *buffer, size_t size);
/* The same of the lab's page: $AMONTONS_LAB_PAGE, or beside the command. NULL: there is none. */
const char *am_lab_page_folder(char *buffer, size_t size);

/* The studies of the gallery, sorted by group and name. */
typedef am_catalogue_study am_gallery_study;
typedef struct am_gallery_list {
    size_t count;
    const am_gallery_study *studies;
    am_catalogue found;
    int width; /* of the longest group/name */
} am_gallery_list;
am_status am_gallery_find(am_gallery_list *list, am_error *err);
void am_gallery_free(am_gallery_list *list);
void am_gallery_print_name(const am_gallery_list *list, const am_gallery_study *study); /* padded to the width */

#endif
