#include <math.h>

#include "amontons/slip.h"
#include "base/try.h"
#include "study/analyses/slip_corners.h"
#include "study/case.h"
#include "study/models/halfplane.h"

typedef struct slip_setting {
    am_slip_options options;
    double share;
    int law;
    bool isolated;
    am_slip_corners corners;
    am_slip_contact contact; /* of the model */
} slip_setting;

static void stress_defaults(void *record) {
    am_slip_options *options = record;
    options->stress = 61;
    options->width = options->depth = 2.0;
}

static void set_defaults(void *record) {
    slip_setting *setting = record;
    setting->options = am_slip_options_default();
}

static const am_word method_words[] = {{"closed-form", AM_SLIP_CLOSED_FORM, "superposition"},
                                       {"boundary-elements", AM_SLIP_ELEMENTS, "tractions at nodes"},
                                       {"automatic", AM_SLIP_AUTOMATIC, "the closed form where there is one"},
                                       {NULL, 0, NULL}};

static const am_field stress_fields[] = {
    AM_FIELD("points", COUNT, am_slip_options, stress, .initial = "61", .about = "along x; half as many and one down"),
    AM_FIELD("width", NUMBER, am_slip_options, width, AM_POSITIVE, .initial = "2",
             .about = "half of the map's width over a"),
    AM_FIELD("depth", NUMBER, am_slip_options, depth, AM_POSITIVE, .initial = "2", .about = "its depth over a"),
};

static const am_schema stress_schema = {.name = "stress",
                                        .title = "map of stresses",
                                        .about = "Stresses below the surface.",
                                        .size = sizeof(am_slip_options),
                                        .defaults = stress_defaults,
                                        .shorthand = "points",
                                        AM_FIELDS(stress_fields)};

static const am_field fields[] = {
    AM_FIELD("Q_over_fP", NUMBER, slip_setting, share, .initial = "none",
             .about = "tangential load over f P, f the dynamic coefficient; or give Q", .example = "0.5"),
    AM_FIELD("Q", NUMBER, slip_setting, options.Q, .instead_of = "Q_over_fP", .initial = "none", .unit = "force/length",
             .about = "tangential load"),
    AM_FIELD("c_over_a", NUMBER, slip_setting, options.stick, AM_NOT_NEGATIVE, .instead_of = "Q Q_over_fP",
             .initial = "none",
             .about = "stick zone in the place of the load: any equilibrium, stable or not (closed forms)"),
    AM_FIELD("b_over_a", NUMBER, slip_setting, options.transition, AM_POSITIVE, .initial = "none",
             .about = "beside c_over_a, law double: the transition zone; Delta is then what it implies"),
    AM_FIELD("law", WORD, slip_setting, law, .words = am_halfplane_law_words, .initial = "that of the model",
             .about = "another law of friction with the model's numbers"),
    AM_FIELD("isolated", FLAG, slip_setting, isolated, .initial = "that of the model",
             .about = "a wave with the thesis' singular term"),
    AM_FIELD("method", WORD, slip_setting, options.method, .words = method_words, .initial = "automatic",
             .about = "how it is solved"),
    AM_FIELD("samples", COUNT, slip_setting, options.samples, .most = AM_MOST_SAMPLES, .initial = "401",
             .about = "rows of the table tractions of a closed form"),
    AM_FIELD("nodes", COUNT, slip_setting, options.nodes, .initial = "100",
             .about = "boundary elements per half-width of the contact"),
    AM_FIELD("steps", COUNT, slip_setting, options.steps,
             .initial = "1 where that is exact, else 20, dissimilar bodies 50; legs of a path 40",
             .about = "increments of the loads, boundary elements"),
    AM_FIELD("branch", COUNT, slip_setting, options.branch, .initial = "200",
             .about = "rows of the table branch: all equilibria, stable or not; 0: none"),
    AM_FIELD("turns", LIST, slip_setting, options.turns, .counted = offsetof(slip_setting, options.turn_count),
             .initial = "none", .about = "Q/fP at which Q turns, one after the other at constant P: the table loop"),
    AM_FIELD("path", RECORDS, slip_setting, corners.path, .inner = &am_slip_corner_schema, .initial = "none",
             .about =
                 "loads in any order, in the place of Q: corners, each on a straight line from the one before, from "
                 "where nothing touches; the table path"),
    AM_FIELD("cycle", RECORDS, slip_setting, corners.cycle, .inner = &am_slip_corner_schema, .initial = "none",
             .about = "corners that follow the path, again and again; without a path, from the model's P"),
    AM_FIELD("oscillation", RECORD, slip_setting, corners.oscillation, .inner = &am_slip_oscillation_schema,
             .instead_of = "cycle", .initial = "none", .about = "in the place of cycle: P and Q as sines"),
    AM_FIELD("cycles", COUNT, slip_setting, options.cycles, .initial = "1", .about = "how often"),
    AM_FIELD("stress", RECORD, slip_setting, options, .inner = &stress_schema, .initial = "none",
             .about = "map of the stresses below the surface: points, width, depth"),
};

static const am_schema schema = {
    .name = "slip",
    .title = "analysis slip",
    .about = "Where does a half-plane contact stick, slip and open under P and Q, with which tractions, and which Q "
             "can it carry?",
    .size = sizeof(slip_setting),
    .defaults = set_defaults,
    .has_kind = true,
    AM_FIELDS(fields)};

/* The contact of the model, with what the analysis says of it. */
static am_status take_contact(am_reading *reading, const am_node *node, const am_study_model *model,
                              slip_setting *setting) {
    const am_slip_contact *contact = model->kind->contact ? model->kind->contact(model->settings) : NULL;
    if (!contact)
        return am_node_fail(
            am_node_get(node, "kind"), reading->err, AM_ERR_INPUT,
            "analysis slip is about half-planes, and model %s is none; it goes with hertz, power, wave, "
            "punch and profile",
            model->kind->schema->name);
    setting->contact = *contact;
    if (am_node_get(node, "isolated"))
        setting->contact.isolated = setting->isolated;
    if (am_node_get(node, "Q_over_fP"))
        setting->options.Q = setting->share * contact->f * contact->P;
    if (am_slip_corners_take(reading, &setting->corners, contact, &setting->options) != AM_OK)
        return AM_ERR_MEMORY;
    if (am_node_get(node, "law"))
        setting->contact.law = (am_friction_law)setting->law;
    if (!am_node_get(node, "law") && contact->law == AM_FRICTION_GRIFFITH)
        return AM_OK; /* the model has its energy, be it zero */
    if (am_node_get(node, "b_over_a") && !(setting->contact.slip_length > 0.0))
        return AM_OK; /* Delta follows */
    return am_halfplane_check_law(reading, am_node_get(node, am_node_get(node, "law") ? "law" : "kind"),
                                  &setting->contact);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    slip_setting *setting = settings;
    bool given = am_node_get(node, "Q_over_fP") || am_node_get(node, "Q") || am_node_get(node, "c_over_a");
    bool path = am_slip_corners_given(&setting->corners);
    if (!given && !path)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "analysis slip needs the tangential load, Q or Q_over_fP (which may be 0), or a path");
    if (path && given)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "the path says which loads there are: leave Q, Q_over_fP and c_over_a out");
    AM_TRY(am_slip_corners_check(reading, node, &setting->corners));
    return take_contact(reading, node, &made->model, setting);
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const slip_setting *setting = settings;
    (void)system;
    return am_slip_run(&setting->contact, &setting->options, result, progress, err);
}

const am_analysis_kind am_analysis_slip = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .figure = "{table: tractions, curves: [{x: x_over_a, y: p_over_pm, label: p}, {x: x_over_a, y: q_over_fpm, label: "
              "q/f}], x_label: x/a, y_label: over the mean pressure}",
    .model = "R: 1\n",
    .model_kind = "hertz"};
