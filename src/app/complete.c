/* What the completion of a shell asks: `amontons complete -- WORD...`, the words of a line behind `amontons` up to the one
 * that is being written, which comes last and may be empty. Each line of the answer is a word that could stand there;
 * what ends with = goes on. @studies, @files and @folders are the shell's own to find. */
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "study/describe.h"
#include "study/schema.h"

static const char *beginning; /* of the word that is being written */

static void offer(const char *word) {
    if (strncmp(word, beginning, strlen(beginning)) == 0)
        printf("%s\n", word);
}

static void offer_field(const char *owner, const char *name) {
    char words[512];
    snprintf(words, sizeof words, "%s.%s=", owner, name);
    offer(words);
}

/* ---- kinds and topics ---- */

static void offer_kind(void *context, const am_schema *schema, am_topic_kind kind) {
    (void)context;
    if (kind != AM_TOPIC_OTHER || strcmp(schema->name, "sweep") == 0)
        offer(schema->name);
}

static void offer_topic(void *context, const am_schema *schema, am_topic_kind kind) {
    (void)context, (void)kind;
    offer(schema->name);
}

static void offer_commands(void) {
    for (const am_command *c = am_commands; c->name; c++)
        if (c->about)
            offer(c->name);
}

static void offer_lists(void) {
    static const char *const lists[] = {"models", "analyses", "laws", "gallery"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        offer(lists[i]);
}

/* ---- the gallery ---- */

static void offer_gallery(void) {
    am_gallery_list list = {0};
    char name[1024];
    if (am_gallery_find(&list, NULL) != AM_OK)
        return;
    for (size_t i = 0; i < list.count; i++) {
        const am_gallery_study *study = &list.studies[i];
        if (i == 0 || strcmp(study->group, list.studies[i - 1].group) != 0)
            offer(study->group);
        snprintf(name, sizeof name, "%s/%s", study->group, study->name);
        offer(name);
    }
    am_gallery_free(&list);
}

/* ---- what --set may change ---- */

/* The keys of the study's analysis. */
static void offer_row(void *context, const am_schema *schema, am_topic_kind kind) {
    if (kind == AM_TOPIC_ANALYSIS && strcmp(schema->name, context) == 0)
        for (size_t i = 0; i < schema->field_count; i++)
            offer_field("analysis", schema->fields[i].name);
}

/* Of the first study that the line names. */
static void offer_settings(const am_options *options) {
    const am_study_options how = {0};
    am_study *study = NULL;
    for (size_t i = 1; !study && i + 1 < options->count; i++)
        if (options->names[i][0] != '-')
            study = am_study_open(options->names[i], &how, NULL);
    am_model *model = study ? am_study_open_model(study, NULL) : NULL;
    for (size_t i = 0; model && i < am_model_count(model); i++)
        offer_field("model", am_model_name(model, i));
    if (study)
        am_describe_each_topic(offer_row, (void *)am_study_analysis(study));
    am_model_free(model);
    am_study_free(study);
}

/* ---- a line ---- */

static void offer_arguments(const char *command) {
    static const char *const ways[][2] = {{"run", "@studies"},  {"check", "@studies"}, {"show", "@studies"},
                                          {"import", "@files"}, {"plot", "@folders"},  {"verify", "@folders"},
                                          {"lab", "@studies"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i][0], command) == 0)
            printf("%s\n", ways[i][1]);
    if (strcmp(command, "new") == 0)
        am_describe_each_topic(offer_kind, NULL);
    else if (strcmp(command, "list") == 0)
        offer_lists();
    else if (strcmp(command, "gallery") == 0)
        offer_gallery();
    else if (strcmp(command, "schema") == 0) {
        offer("study");
        offer("result");
    } else if (strcmp(command, "help") == 0) {
        offer_commands();
        am_describe_each_topic(offer_topic, NULL);
    }
}

static void offer_values(const am_options *options, const char *option) {
    if (strcmp(option, "--set") == 0)
        offer_settings(options);
    else if (strcmp(option, "--out") == 0 || strcmp(option, "--allow-read") == 0)
        printf("@folders\n");
}

am_exit am_command_complete(const am_options *options) {
    const char *before = options->count > 1 ? options->names[options->count - 2] : "";
    beginning = options->count > 0 ? options->names[options->count - 1] : "";
    if (options->count < 2) {
        offer_commands();
        offer("--help");
        offer("--version");
        return AM_EXIT_DONE;
    }
    const am_command *command = am_commands;
    while (command->name && strcmp(command->name, options->names[0]) != 0)
        command++;
    if (!command->name)
        return AM_EXIT_DONE;
    const char *option = strcmp(before, "-o") == 0 ? "--out" : before;
    if (am_option_has_value(command, option))
        offer_values(options, option);
    else if (beginning[0] == '-')
        am_options_each(command, offer);
    else
        offer_arguments(command->name);
    return AM_EXIT_DONE;
}
