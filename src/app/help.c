#include <stdio.h>
#include <string.h>

#include "app/command.h"

void am_print_usage(const am_command *command) {
    if (command) {
        printf("usage: amontons %s %s\n\n%s\n", command->name, command->usage, command->about);
        if (command->more)
            printf("\n%s", command->more);
        return;
    }
    printf("amontons %s: structures with dry friction\n\n", AMONTONS_VERSION);
    for (const am_command *c = am_commands; c->name; c++)
        if (c->about)
            printf("  amontons %s %s\n      %s\n", c->name, c->usage, c->about);
    printf(
        "\nExit status: 0 done, 1 an expectation was not met, 2 invalid input, 3 the computation failed or its output\n"
        "could not be written, 130 interrupted.\n\n"
        "First steps: `amontons new klarbring > first.yaml`, then `amontons run first.yaml`.\n"
        "Topics for `amontons help`: a command, a model or analysis from `amontons list`, study, figure, expect, "
        "sweep, follow.\n");
}

am_exit am_command_help(const am_options *options) {
    am_error err = {0};
    if (options->count == 0) {
        am_print_usage(NULL);
        return AM_EXIT_DONE;
    }
    for (const am_command *c = am_commands; c->name; c++)
        if (c->about && strcmp(c->name, options->names[0]) == 0) {
            am_print_usage(c);
            return AM_EXIT_DONE;
        }
    return am_print_text(am_study_help(options->names[0], &err), &err);
}
