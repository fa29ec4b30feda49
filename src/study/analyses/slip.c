#include <math.h>

#include "amontons/slip.h"
#include "base/try.h"
#include "math/pi.h"
#include "study/bind.h"
#include "study/models/halfplane.h"

/* ---- Corners of paths of loads ---- */

/* P = P0 (1 + P_over_P0 sin(angle + phase)), Q = f P0 Q_over_fP0 sin(angle). */
typedef struct oscillation_setting {
    double P_over_P0, Q_over_fP0, phase_deg;
    size_t corners;
} oscillation_setting;

/* The path and the cycle that repeats after it: corners, or an oscillation. */
typedef struct corners_setting {
    am_records path, cycle;
    oscillation_setting oscillation; /* no corners: not given */
} corners_setting;

/* NaN: not given. */
typedef struct corner_setting {
    double P, P_over_P0, Q, Q_over_fP, Q_over_fP0;
    size_t steps;
} corner_setting;

#define LOAD(name_, ...) AM_FIELD(#name_, NUMBER, corner_setting, name_, .optional = true, __VA_ARGS__)

static const am_field corner_fields[] = {
    LOAD(P, .initial = "as at the corner before", .unit = "force/length", .about = "normal load"),
    LOAD(P_over_P0, .instead_of = "P", .initial = "none", .about = "the same over the model's P"),
    LOAD(Q, .initial = "as at the corner before, 0 at first", .unit = "force/length",
         .about = "tangential load, either way"),
    LOAD(Q_over_fP, .instead_of = "Q", .initial = "none",
         .about = "the same over f and the P of this corner: 1 would slide"),
    LOAD(Q_over_fP0, .instead_of = "Q Q_over_fP", .initial = "none", .about = "the same over f and the model's P"),
    AM_FIELD("steps", COUNT, corner_setting, steps, .initial = "those of the analysis",
             .about = "increments on the way to this corner, boundary elements"),
};

static const am_schema corner_schema = {.name = "corner",
                                        .title = "corner of the path",
                                        .about = "Loads; what is left out stays as it was.",
                                        .size = sizeof(corner_setting),
                                        AM_FIELDS(corner_fields)};

static void oscillation_defaults(void *record) {
    oscillation_setting *oscillation = record;
    *oscillation = (oscillation_setting){.phase_deg = 90.0, .corners = 40};
}

static const am_field oscillation_fields[] = {
    AM_FIELD("P_over_P0", NUMBER, oscillation_setting, P_over_P0, .initial = "0",
             .about = "amplitude of P over the model's P"),
    AM_FIELD("Q_over_fP0", NUMBER, oscillation_setting, Q_over_fP0, .required = true,
             .about = "amplitude of Q over f and the model's P"),
    AM_FIELD("phase_deg", NUMBER, oscillation_setting, phase_deg, .initial = "90", .about = "by which P leads Q"),
    AM_FIELD("corners", COUNT, oscillation_setting, corners, .least = 3, .most = 1000, .initial = "40",
             .about = "of the polygon that stands for the ellipse"),
};

static const am_schema oscillation_schema = {.name = "oscillation",
                                             .title = "oscillation",
                                             .about = "P and Q as sines of one period.",
                                             .size = sizeof(oscillation_setting),
                                             .defaults = oscillation_defaults,
                                             AM_FIELDS(oscillation_fields)};

static bool has_corners(const corners_setting *corners) {
    return corners->path.node || corners->cycle.node || corners->oscillation.corners;
}

static am_status check_corners(am_reading *reading, const am_node *node, const corners_setting *corners) {
    const am_records *lists[] = {&corners->path, &corners->cycle};
    for (size_t i = 0; i < 2; i++)
        if (lists[i]->node && !lists[i]->count)
            return am_node_fail(lists[i]->node, reading->err, AM_ERR_INPUT,
                                "a path of loads needs at least one corner");
    const corner_setting *first = corners->path.items;
    if (corners->path.count && isnan(first->P) && isnan(first->P_over_P0))
        return am_node_fail(corners->path.nodes[0], reading->err, AM_ERR_INPUT,
                            "the first corner of a path needs its normal load, P or P_over_P0: before it nothing "
                            "touches");
    const am_node *cycles = am_node_get(node, "cycles");
    if (cycles && !corners->cycle.count && !corners->oscillation.corners)
        return am_node_fail(cycles, reading->err, AM_ERR_INPUT,
                            "cycles says how often cycle or oscillation is passed, and there is none");
    return AM_OK;
}

/* What a corner leaves out stays as in *loads, and *loads moves on. */
static am_slip_corner corner_of(const corner_setting *corner, const am_slip_contact *contact, am_slip_corner *loads) {
    if (!isnan(corner->P))
        loads->P = corner->P;
    if (!isnan(corner->P_over_P0))
        loads->P = corner->P_over_P0 * contact->P;
    if (!isnan(corner->Q))
        loads->Q = corner->Q;
    if (!isnan(corner->Q_over_fP))
        loads->Q = corner->Q_over_fP * contact->f * loads->P;
    if (!isnan(corner->Q_over_fP0))
        loads->Q = corner->Q_over_fP0 * contact->f * contact->P;
    loads->steps = corner->steps;
    return *loads;
}

static void fill_corners(const am_records *corners, const am_slip_contact *contact, am_slip_corner *loads,
                         am_slip_corner *list) {
    const corner_setting *items = corners->items;
    for (size_t i = 0; i < corners->count; i++)
        list[i] = corner_of(&items[i], contact, loads);
}

static bool are_same(const am_slip_corner *one, const am_slip_corner *other, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (one[i].P != other[i].P || one[i].Q != other[i].Q)
            return false;
    return true;
}

/* Corners at equal angles around the circle, from 0 on; steps on each leg, so that a cycle has some 160. */
static void fill_oscillation(const oscillation_setting *oscillation, const am_slip_contact *contact,
                             am_slip_corner *list) {
    for (size_t i = 0; i < oscillation->corners; i++) {
        double angle = two_pi * (double)i / (double)oscillation->corners,
               phase = oscillation->phase_deg * two_pi / 360.0;
        list[i] = (am_slip_corner){.P = contact->P * (1.0 + oscillation->P_over_P0 * sin(angle + phase)),
                                   .Q = contact->f * contact->P * oscillation->Q_over_fP0 * sin(angle),
                                   .steps = (159 + oscillation->corners) / oscillation->corners};
    }
}

/* One round of the cycle. */
static void fill_round(const corners_setting *corners, const am_slip_contact *contact, am_slip_corner *loads,
                       am_slip_corner *list) {
    if (corners->oscillation.corners)
        fill_oscillation(&corners->oscillation, contact, list);
    else
        fill_corners(&corners->cycle, contact, loads, list);
}

/* What a cycle leaves out stays as it was: at first as the path left it, later as the cycle itself does. Where that is
 * not the same, the first time round belongs to the path. */
static am_status take_corners(am_reading *reading, const corners_setting *corners, const am_slip_contact *contact,
                              am_slip_options *options) {
    if (!has_corners(corners))
        return AM_OK;
    bool pressed = corners->path.count > 0;
    size_t before = pressed ? corners->path.count : 1;
    size_t round = corners->oscillation.corners ? corners->oscillation.corners : corners->cycle.count;
    am_slip_corner *list = am_arena_new(reading->pool, before + 2 * round, sizeof *list, reading->err);
    if (!list)
        return AM_ERR_MEMORY;
    am_slip_corner loads = {.P = contact->P}, *first = list + before, *later = first + round;
    list[0] = loads;
    fill_corners(&corners->path, contact, &loads, list);
    fill_round(corners, contact, &loads, first);
    fill_round(corners, contact, &loads, later);
    bool differs = options->cycles > 1 && !are_same(first, later, round);
    options->path = list;
    options->path_count = before + (differs ? round : 0);
    options->cycle = differs ? later : first;
    options->cycle_count = round;
    options->cycles -= differs;
    return AM_OK;
}

/* ---- The analysis ---- */

typedef struct slip_setting {
    am_slip_options options;
    double share;
    int law;
    bool isolated;
    corners_setting corners;
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
    AM_FIELD("points", COUNT, am_slip_options, stress, .least = 2, .most = 2000, .initial = "61",
             .about = "along x; half as many and one down"),
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
    AM_FIELD("samples", COUNT, slip_setting, options.samples, .least = 2, .most = AM_MOST_SAMPLES, .initial = "401",
             .about = "rows of the table tractions of a closed form"),
    AM_FIELD("profiles", COUNT, slip_setting, options.profiles, .most = 2000, .initial = "0",
             .about = "places along the surfaces whose tractions are written for every row of the table path"),
    AM_FIELD("nodes", COUNT, slip_setting, options.nodes, .initial = "100",
             .about = "boundary elements per half-width of the contact"),
    AM_FIELD("steps", COUNT, slip_setting, options.steps,
             .initial = "1 where that is exact, else 20, dissimilar bodies 50; legs of a path 40",
             .about = "increments of the loads, boundary elements"),
    AM_FIELD("branch", COUNT, slip_setting, options.branch, .initial = "200",
             .about = "rows of the table branch: all equilibria, stable or not; 0: none"),
    AM_FIELD("turns", LIST, slip_setting, options.turns, .counted = offsetof(slip_setting, options.turn_count),
             .initial = "none", .about = "Q/fP at which Q turns, one after the other at constant P: the table loop"),
    AM_FIELD("path", RECORDS, slip_setting, corners.path, .inner = &corner_schema, .initial = "none",
             .about =
                 "loads in any order, in the place of Q: corners, each on a straight line from the one before, from "
                 "where nothing touches; the table path"),
    AM_FIELD("cycle", RECORDS, slip_setting, corners.cycle, .inner = &corner_schema, .initial = "none",
             .about = "corners that follow the path, again and again; without a path, from the model's P"),
    AM_FIELD("oscillation", RECORD, slip_setting, corners.oscillation, .inner = &oscillation_schema,
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
    if (take_corners(reading, &setting->corners, contact, &setting->options) != AM_OK)
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
    bool path = has_corners(&setting->corners);
    if (!given && !path)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "analysis slip needs the tangential load, Q or Q_over_fP (which may be 0), or a path");
    if (path && given)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "the path says which loads there are: leave Q, Q_over_fP and c_over_a out");
    AM_TRY(check_corners(reading, node, &setting->corners));
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
    .questions = 600, /* the largest load is searched for where friction weakens */
    .figure = "{table: tractions, curves: [{x: x_over_a, y: p_over_pm, label: p}, {x: x_over_a, y: q_over_fpm, label: "
              "q/f}], x_label: x/a, y_label: over the mean pressure}",
    .model = "R: 1\n",
    .model_kind = "hertz"};
