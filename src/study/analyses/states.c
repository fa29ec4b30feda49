#include <math.h>

#include "amontons/states.h"
#include "study/case.h"

typedef struct states_setting {
    am_states_options options;
    am_words standing;
    am_numbers rates, loads;
    am_place initial;
} states_setting;

static void set_defaults(void *record) {
    states_setting *setting = record;
    setting->options = am_states_options_default();
}

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
    AM_FIELD("rates", NUMBERS, states_setting, rates, .shape = 2, .initial = "none", .unit = "force/time",
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

static am_status bind_loads(am_reading *reading, const am_numbers *loads, const am_system *system, size_t indices[2]) {
    for (size_t i = 0; loads->values && i < 2; i++) {
        double index = loads->values[i];
        if (!(index >= 0) || index != floor(index) || index >= (double)am_system_loads(system))
            return am_node_fail(loads->node->items[i], reading->err, AM_ERR_INPUT,
                                "loads[%zu] must be a whole number below %zu, the number of loads", i,
                                am_system_loads(system));
        indices[i] = (size_t)index;
    }
    return AM_OK;
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    states_setting *setting = settings;
    const int *words = NULL;
    (void)node;
    am_status status = am_bind_words(reading, &setting->standing, "standing", made->system, &words);
    if (status == AM_OK && words) {
        size_t m = am_system_contacts(made->system);
        am_standing *standing = am_arena_new(reading->pool, m, sizeof *standing, reading->err);
        if (!standing)
            return AM_ERR_MEMORY;
        for (size_t i = 0; i < m; i++)
            standing[i] = (am_standing)words[i];
        setting->options.standing = standing;
    }
    if (status == AM_OK)
        status = am_bind_place(reading, &setting->initial, made->system, &setting->options.displacement,
                               &setting->options.velocity);
    setting->options.rates = setting->rates.values;
    if (setting->loads.values && setting->options.question == AM_STATES_AS_FITS)
        setting->options.question = AM_STATES_SECTORS;
    return status == AM_OK ? bind_loads(reading, &setting->loads, made->system, setting->options.loads) : status;
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const states_setting *setting = settings;
    return am_states_run(system, &setting->options, result, progress, err);
}

const am_analysis_kind am_analysis_states = {.schema = &schema,
                                             .bind = bind,
                                             .run = run,

                                             .figure = "{kind: sectors, x_label: C1, y_label: C2}"};
