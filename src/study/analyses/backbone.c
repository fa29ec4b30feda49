#include "amontons/backbone.h"

#include "analyses/backbone/backbone_internal.h"
#include "base/try.h"
#include "study/bind.h"

typedef struct backbone_setting {
    am_backbone_options options;
    const char *harmonics;
    am_numbers values, forces;
    am_texts hysteresis;
} backbone_setting;

AM_ANALYSIS_DEFAULTS(backbone_setting, am_backbone)
AM_ANALYSIS_RUN(backbone_setting, am_backbone)

static const am_word stability_words[] = {
    {"auto", AM_BACKBONE_STABILITY_AUTO,
     "floquet at as many points as a few seconds allow, if need be in the lowest modes"},
    {"floquet", AM_BACKBONE_STABILITY_FLOQUET, "multipliers of the exact motion next to each point"},
    {"none", AM_BACKBONE_STABILITY_NONE, "not asked for"},
    {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("mode", COUNT, backbone_setting, options.mode, .initial = "1",
             .about =
                 "of the linear structure, by frequency from 1, contacts as they are at small amplitudes (friction "
                 "behind springs stuck)",
             .example = "1"),
    AM_FIELD("from", NUMBER, backbone_setting, options.from, AM_POSITIVE, .initial = "the least of `values`",
             .about = "first modal amplitude, sqrt(X.M X) of the first harmonic", .example = "0.1"),
    AM_FIELD("to", NUMBER, backbone_setting, options.to, AM_POSITIVE, .initial = "the greatest of `values`",
             .about = "last modal amplitude", .example = "10"),
    AM_FIELD("values", NUMBERS, backbone_setting, values, .initial = "none",
             .about = "modal amplitudes to be hit exactly"),
    AM_FIELD("harmonics", TEXT, backbone_setting, harmonics, .initial = "auto",
             .about = "highest harmonic, or auto: as many as the tolerance needs", .example = "7"),
    AM_FIELD("tolerance", NUMBER, backbone_setting, options.tolerance, AM_POSITIVE,
             .initial = "1e-6 with harmonics auto, 0.5 with a number",
             .about = "how much the harmonics left out may move the mode, relative to its size; the study fails where "
                      "that is not met"),
    AM_FIELD("most_harmonics", COUNT, backbone_setting, options.most_harmonics, .initial = "96",
             .about = "harmonics auto: most"),
    AM_FIELD("parity", WORD, backbone_setting, options.parity, .words = am_parity_words, .initial = "auto",
             .about = "harmonics that are kept"),
    AM_FIELD("stability", WORD, backbone_setting, options.stability, .words = stability_words, .initial = "auto",
             .about = "how stability is judged"),
    AM_FIELD("forces", NUMBERS, backbone_setting, forces, .initial = "none",
             .about = "multiples of the structure's harmonic load for which the forced response near the mode is "
                      "predicted",
             .example = "[0.5, 1, 2]"),
    AM_FIELD("contact_cycles", FLAG, backbone_setting, options.cycles.contact_cycles, .initial = "false",
             .about = "what each contact does in a period at `values` and at the last amplitude: losses, stick, slip"),
    AM_FIELD("hysteresis", TEXTS, backbone_setting, hysteresis, .initial = "none",
             .about = "contacts whose forces over the period are wanted there"),
    AM_FIELD("branches", FLAG, backbone_setting, options.branches, .initial = "false",
             .about = "follow the modes that leave at branch points (internal resonances), too"),
    AM_FIELD("most_branches", COUNT, backbone_setting, options.most_branches, .initial = "20",
             .about = "of them, with the mode itself"),
    AM_FIELD("most_points", COUNT, backbone_setting, options.most_points, .initial = "10000", .about = "of the curve"),
};

static const am_schema schema = {.name = "backbone",
                                 .title = "analysis backbone",
                                 .about = "Nonlinear modes: frequency, damping and shape of free vibration over its "
                                          "amplitude, from a linear mode up.",
                                 .size = sizeof(backbone_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    backbone_setting *setting = settings;
    double from, to;
    const am_node *first = am_node_get(node, "from"), *last = am_node_get(node, "to");
    if (first && last && am_node_number(first, &from) && am_node_number(last, &to) && from >= to)
        return am_node_fail(last, reading->err, AM_ERR_INPUT, "amplitudes must go up, not from %g to %g", from, to);
    setting->options.values = setting->values.values;
    setting->options.value_count = setting->values.count;
    setting->options.forces = setting->forces.values;
    setting->options.force_count = setting->forces.count;
    setting->options.cycles.hysteresis = setting->hysteresis.values;
    setting->options.cycles.hysteresis_count = setting->hysteresis.count;
    AM_TRY(am_check_contact_names(reading, &setting->hysteresis, made->system));
    return am_bind_harmonics(reading, node, setting->harmonics, &setting->options.harmonics);
}

static am_status check(const am_system *system, const void *settings, am_error *err) {
    (void)settings;
    return am_backbone_check(system, err);
}

const am_analysis_kind am_analysis_backbone = {.schema = &schema,
                                               .bind = bind,
                                               .check = check,
                                               .run = run,
                                               .figure = "{table: backbone, x: amplitude, y: frequency}",
                                               .model = "k_ratio: 1.5\n  zeta: 0.1\n  beta: 0.6\n",
                                               .model_kind = "griffin"};
