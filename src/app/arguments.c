#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command.h"
#include "base/memory.h"
#include "base/text.h"

static bool take_setting(const am_command *command, const char *value, am_options *options) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
        return am_print_error("amontons %s: --set needs path=value, for example model.friction=0.3, not '%.100s'",
                              command->name, value);
    if (options->setting_count == AM_MOST_ARGUMENTS)
        return am_print_error("amontons %s: more than %d times --set", command->name, AM_MOST_ARGUMENTS);
    options->settings[options->setting_count++] =
        (am_setting){.path = value, .value = equals + 1}; /* the path is ended at '=' once all are known */
    return true;
}

static bool take_whole(const am_command *command, const char *name, const char *value, int least, int most,
                       int *place) {
    char *end;
    long number = strtol(value, &end, 10);
    if (*end || end == value || number < least || number > most)
        return am_print_error("amontons %s: %s needs a whole number from %d to %d, not '%.60s'", command->name, name,
                              least, most, value);
    *place = (int)number;
    return true;
}

static bool take_threads(const am_command *command, const char *value, am_options *options) {
    return take_whole(command, "--threads", value, 1, 4096, &options->threads);
}

static bool take_port(const am_command *command, const char *value, am_options *options) {
    return take_whole(command, "--port", value, 1, 65535, &options->port);
}

static bool take_memory(const am_command *command, const char *value, am_options *options) {
    return take_whole(command, "--memory", value, 16, 1 << 24, &options->memory);
}

static bool take_seconds(const am_command *command, const char *value, am_options *options) {
    return take_whole(command, "--seconds", value, 1, 1000000, &options->seconds);
}

static bool take_allowed(const am_command *command, const char *value, am_options *options) {
    struct stat info;
    if (stat(value, &info) != 0 || !S_ISDIR(info.st_mode))
        return am_print_error("amontons %s: --allow-read needs the name of a folder, and '%.200s' is none",
                              command->name, value);
    if (options->allowed_count == AM_MOST_ARGUMENTS)
        return am_print_error("amontons %s: more than %d times --allow-read", command->name, AM_MOST_ARGUMENTS);
    options->allowed[options->allowed_count++] = value;
    return true;
}

static bool take_folder(const am_command *command, const char *value, am_options *options) {
    if (!*value)
        return am_print_error("amontons %s: --out needs the name of a folder", command->name);
    options->out = value;
    return true;
}

typedef struct option {
    const char *name;
    char letter; /* "-o"; 0: none */
    int takes;   /* which commands have it; 0: all */
    bool (*take)(const am_command *command, const char *value, am_options *options); /* NULL: it has no value, */
    size_t flag;                                                                     /* but sets this one */
} option;

#define FLAG(name_) offsetof(am_options, name_)
static const option known[] = {{"--set", 0, AM_TAKES_SET, take_setting, 0},
                               {"--out", 'o', AM_TAKES_OUT, take_folder, 0},
                               {"--json", 0, AM_TAKES_JSON, NULL, FLAG(json)},
                               {"--quiet", 'q', AM_TAKES_QUIET, NULL, FLAG(quiet)},
                               {"--verbose", 'v', AM_TAKES_VERBOSE, NULL, FLAG(verbose)},
                               {"--threads", 0, AM_TAKES_THREADS, take_threads, 0},
                               {"--full", 0, AM_TAKES_FULL, NULL, FLAG(full)},
                               {"--force", 0, AM_TAKES_FORCE, NULL, FLAG(force)},
                               {"--allow-read", 0, AM_TAKES_ALLOW, take_allowed, 0},
                               {"--numbers", 0, AM_TAKES_NUMBERS, NULL, FLAG(numbers)},
                               {"--port", 0, AM_TAKES_LAB, take_port, 0},
                               {"--no-browser", 0, AM_TAKES_LAB, NULL, FLAG(no_browser)},
                               {"--memory", 0, AM_TAKES_LAB, take_memory, 0},
                               {"--seconds", 0, AM_TAKES_LAB, take_seconds, 0},
                               {"--animate", 0, AM_TAKES_ANIMATE, NULL, FLAG(animate)},
                               {"--help", 'h', 0, NULL, FLAG(help)}};
enum { known_count = sizeof known / sizeof *known };

static bool applies(const am_command *command, const option *o) {
    return o->takes == 0 || (command->takes & o->takes);
}

static const option *find_option(const am_command *command, const char *argument, size_t length) {
    const char *names[known_count] = {NULL};
    size_t count = 0;
    char word[64] = "";
    for (size_t i = 0; i < known_count; i++) {
        if (!applies(command, &known[i]))
            continue;
        names[count++] = known[i].name;
        if (strlen(known[i].name) == length && strncmp(known[i].name, argument, length) == 0)
            return &known[i];
    }
    memcpy(word, argument, length < sizeof word ? length : sizeof word - 1);
    const char *nearest = am_text_nearest(word, names, count);
    if (nearest)
        am_print_error("amontons %s: unknown option '%s'; did you mean '%s'?", command->name, word, nearest);
    else
        am_print_error("amontons %s: unknown option '%s'; `amontons help %s` shows what it takes", command->name, word,
                       command->name);
    return NULL;
}

static const option *find_letter(const am_command *command, char letter) {
    for (size_t i = 0; i < known_count; i++)
        if (known[i].letter == letter && applies(command, &known[i]))
            return &known[i];
    am_print_error("amontons %s: unknown option '-%c'; `amontons help %s` shows what it takes", command->name, letter,
                   command->name);
    return NULL;
}

/* What an option does; `value` is what stands in its own argument, NULL: the next one may be it. */
static bool take_option(const am_command *command, const option *o, const char *value, int argc, char **argv, int *at,
                        am_options *options) {
    if (!o->take)
        return *(bool *)((char *)options + o->flag) = true;
    if (!value && *at + 1 >= argc)
        return am_print_error("amontons %s: %s needs a value", command->name, o->name);
    return o->take(command, value ? value : argv[++*at], options);
}

/* "-qv", "-o DIR", "-oDIR". */
static bool parse_letters(const am_command *command, int argc, char **argv, int *at, am_options *options) {
    const char *letters = argv[*at] + 1;
    for (bool more = true; more && *letters; letters++) {
        const option *o = find_letter(command, *letters);
        if (!o)
            return false;
        more = !o->take;
        if (!take_option(command, o, o->take && letters[1] ? letters + 1 : NULL, argc, argv, at, options))
            return false;
    }
    return true;
}

/* "--name value" or "--name=value"; *at moves past what was taken. */
static bool parse_option(const am_command *command, int argc, char **argv, int *at, am_options *options) {
    const char *argument = argv[*at];
    if (argument[1] != '-')
        return parse_letters(command, argc, argv, at, options);
    size_t length = strcspn(argument, "=");
    const option *o = find_option(command, argument, length);
    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    if (!o)
        return false;
    if (!o->take && value)
        return am_print_error("amontons %s: %s takes no value", command->name, o->name);
    return take_option(command, o, value, argc, argv, at, options);
}

/* Paths of settings end at '=': copies, so that argv stays as it is. */
static bool split_settings(am_options *options) {
    size_t length = 1;
    for (size_t i = 0; i < options->setting_count; i++)
        length += (size_t)(options->settings[i].value - options->settings[i].path);
    char *texts = am_memory_new(length, 1, NULL);
    if (!texts)
        return am_print_error("amontons: out of memory");
    options->setting_texts = texts;
    for (size_t i = 0; i < options->setting_count; i++) {
        size_t path = (size_t)(options->settings[i].value - options->settings[i].path) - 1;
        memcpy(texts, options->settings[i].path, path);
        options->settings[i].path = texts;
        texts += path + 1;
    }
    return true;
}

static bool check_count(const am_command *command, const am_options *options) {
    if (options->help || (options->count >= command->least && options->count <= command->most))
        return true;
    if (options->count < command->least)
        return am_print_error("amontons %s: something is missing; usage: amontons %s %s", command->name, command->name,
                              command->usage);
    return am_print_error("amontons %s: '%.100s' is one argument more than it takes; usage: amontons %s %s",
                          command->name, options->names[command->most], command->name, command->usage);
}

/* An argument as a shell would take it. */
static void add_argument(am_text *line, const char *argument) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    am_text_add(line, " ");
    if (*argument && argument[strspn(argument, plain)] == '\0') {
        am_text_add(line, argument);
        return;
    }
    am_text_add(line, "'");
    for (const char *c = argument; *c; c++)
        if (*c == '\'')
            am_text_add(line, "'\\''");
        else
            am_text_add_bytes(line, c, 1);
    am_text_add(line, "'");
}

static bool join_line(const am_command *command, int argc, char **argv, am_options *options) {
    am_text line = {0};
    am_text_printf(&line, "amontons %s", command->name);
    for (int i = 0; i < argc; i++)
        add_argument(&line, argv[i]);
    options->command = am_text_take(&line, NULL);
    return options->command || am_print_error("amontons: out of memory");
}

void am_options_each(const am_command *command, void (*visit)(const char *name)) {
    for (size_t i = 0; i < known_count; i++)
        if (applies(command, &known[i]))
            visit(known[i].name);
}

bool am_option_has_value(const am_command *command, const char *name) {
    for (size_t i = 0; i < known_count; i++)
        if (applies(command, &known[i]) && strcmp(known[i].name, name) == 0)
            return known[i].take != NULL;
    return false;
}

bool am_options_parse(const am_command *command, int argc, char **argv, am_options *options) {
    bool only_names = false;
    for (int i = 0; i < argc; i++) {
        if (!only_names && strcmp(argv[i], "--") == 0) {
            only_names = true;
        } else if (!only_names && argv[i][0] == '-' && argv[i][1]) {
            if (!parse_option(command, argc, argv, &i, options))
                return false;
        } else if (options->count == AM_MOST_NAMES) {
            return am_print_error("amontons %s: too many arguments", command->name);
        } else {
            options->names[options->count++] = argv[i];
        }
    }
    return check_count(command, options) && split_settings(options) && join_line(command, argc, argv, options);
}

void am_options_free(am_options *options) {
    am_memory_free(options->setting_texts);
    am_memory_free(options->command);
    options->setting_texts = options->command = NULL;
}
