#include "amontons/states.h"
#include "analyses/states/questions.h"
#include "base/try.h"
#include "study/bind.h"

typedef struct states_setting {
    am_states_options options;
    am_words standing;
    am_numbers loads;
    am_place initial;
} states_setting;

AM_ANALYSIS_DEFAULTS(states_setting, am_states)

static const am_word problem_words[] = {{"quasistatic", AM_STATES_QUASISTATIC, "equilibrium"},
                                        {"dynamic", AM_STATES_DYNAMIC, "the first instant of a motion from rest"},
                                        {NULL, 0, NULL}};

static const am_word question_words[] = {
    {"sectors", AM_STATES_SECTORS, "which states are admissible where in the plane of two load rates"},
    {"uniqueness", AM_STATES_UNIQUENESS, "do the load rates decide the states of closed contacts, whatever they are"},
    {"sliding", AM_STATES_SLIDING, "can rigid contacts that slide stay closed: solutions of a = A N + b"},
    {NULL, 0, NULL}};

static const am_word standing_words[] = {{"origin", AM_STANDING_ORIGIN, "gap and forces zero: every state possible"},
                                         {"stick", AM_STANDING_STICK, "inside the friction cone"},
                                         {"forward", AM_STANDING_FORWARD, "at the limit T = -f N"},
                                         {"backward", AM_STANDING_BACKWARD, "at the limit T = +f N"},
                                         {"open", AM_STANDING_OPEN, "apart"},
                                         {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("question", WORD, states_setting, options.question, .words = question_words,
             .initial = "sectors with one contact, two loads or any of the next four keys, else uniqueness",
             .about = "what is asked"),
    AM_FIELD("problem", WORD, states_setting, options.problem, .words = problem_words, .initial = "quasistatic",
             .about = "what the rates must satisfy", .example = "quasistatic"),
    AM_FIELD("standing", WORDS, states_setting, standing, .words = standing_words, .initial = "origin",
             .about = "what is known of each contact before the rates act"),
    AM_FIELD("rates", VECTOR, states_setting, options.rates, .shape = 2, .initial = "none", .unit = "force/time",
             .about = "two load rates to classify", .example = "[-1, -0.9]"),
    AM_FIELD("loads", NUMBERS, states_setting, loads, .shape = 2, .initial = "[0, 1]",
             .about = "which two loads span the plane, counted from 0"),
    AM_FIELD("budget", COUNT, states_setting, options.budget, .initial = "50000000",
             .about = "uniqueness: how many minors to look at before the verdict is undecided"),
    AM_FIELD("initial", RECORD, states_setting, initial, .inner = &am_place_schema, .initial = "at rest at zero",
             .about = "sliding: where the contacts are looked at"),
};

static const am_schema schema = {.name = "states",
                                 .title = "analysis states",
                                 .about = "Which contact states are admissible for which load rates, and whether "
                                          "the rates decide.",
                                 .size = sizeof(states_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    states_setting *setting = settings;
    am_states_options *options = &setting->options;
    const int *words = NULL;
    (void)node;
    AM_TRY(am_bind_words(reading, &setting->standing, "standing", made->system, &words));
    options->standing = (const am_standing *)words; /* a word's value is that of the enum */
    AM_TRY(am_bind_place(reading, &setting->initial, made, &options->displacement, &options->velocity));
    if (setting->loads.values && options->question == AM_STATES_AS_FITS)
        options->question = AM_STATES_SECTORS;
    return am_bind_indices(reading, &setting->loads, "loads", "loads", am_system_loads(made->system), options->loads);
}

AM_ANALYSIS_RUN(states_setting, am_states)

static am_status check(const am_system *system, const void *settings, am_error *err) {
    return am_states_check(system, &((const states_setting *)settings)->options, err);
}

const am_analysis_kind am_analysis_states = {.schema = &schema,
                                             .bind = bind,
                                             .check = check,
                                             .run = run,

                                             .figure = "{kind: sectors, x_label: C1, y_label: C2}"};
