/* What analyses know of a structure (system/capability.h). Every analysis meets structures with every feature: what its
 * row has it runs to the end, and what the run says of itself (energy, residuals) must hold; what its row does not have
 * it refuses, with the words of the study and the analyses that can. docs/study.md and docs/laws.md show the table. */
/* ctest: long */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "errors.h"
#include "study_text.h"
#include "system/capability.h"

/* ---- features ---- */

#define HELD "held, hold: {constant: 1}"

/* How a structure has a feature: words of a contact, or of the structure with two coordinates (along and away from the
 * surface) and with one. A new feature is one line. */
static const struct feature {
    const char *law, *friction, *contact; /* of the contact: NULL, what is usual */
    const char *impact;                   /* what it does in an impact */
    const char *two, *one;                /* of the structure */
    bool stop, alone;                     /* without a tangent; without contacts */
    unsigned with;                        /* features that it does not go without */
    const char *axis;                     /* of `cells`, for a state variable of its own */
    const char *word;                     /* of the study, which a refusal says */
} features[AM_FEATURES] = {
    [AM_HAS_UNILATERAL] = {.law = "unilateral", .word = "law unilateral"},
    [AM_HAS_HELD] = {.law = HELD, .word = "law held"},
    [AM_HAS_KELVIN_VOIGT] = {.law = "kelvin-voigt, contact_stiffness: 50, contact_damping: 1",
                             .word = "law kelvin-voigt"},
    [AM_HAS_HUNT_CROSSLEY] = {.law = "hunt-crossley, contact_stiffness: 50, contact_dissipation: 0.1",
                              .word = "law hunt-crossley"},
    [AM_HAS_POISSON] = {.law = "unilateral",
                        .impact = ", restitution: 0.5, restitution_law: poisson, tangential_restitution: 0.2",
                        .with = 1u << AM_HAS_UNILATERAL,
                        .word = "restitution_law"},
    [AM_HAS_STOP] = {.law = "unilateral", .stop = true, .word = "tangent"},
    [AM_HAS_STATIC_FRICTION] = {.contact = ", static_friction: 0.5", .word = "static_friction"},
    [AM_HAS_WEAKENING] = {.contact = ", static_friction: 0.5, weakening: {law: ramp, length: 0.1}",
                          .axis = "slid1: {from: -0.1, to: 0.5, count: 3}",
                          .word = "weakens with slip"},
    [AM_HAS_SPEED_FRICTION] = {.friction = "{law: stribeck, static: 0.4, kinetic: 0.3, velocity: 1}",
                               .word = "sliding speed"},
    [AM_HAS_DRAG] = {.friction = "{law: lugre, sigma0: 20, sigma1: 0.1, static: 0.4, kinetic: 0.3, velocity: 0.5}",
                     .axis = "stretch1: {from: -0.2, to: 0.2, count: 3}",
                     .word = "never sticks"},
    [AM_HAS_HYSTERESIS] = {.friction = "{law: dahl, stiffness: 10, friction: 0.3}",
                           .axis = "stretch1: {from: -0.2, to: 0.2, count: 3}",
                           .word = "follows the way"},
    [AM_HAS_SLIDER_SPRING] = {.law = HELD,
                              .contact = ", tangential_stiffness: 5",
                              .axis = "stretch1: {from: -0.2, to: 0.2, count: 3}",
                              .word = "tangential_stiffness"},
    [AM_HAS_CREEP_SPRING] = {.law = "spring, contact_stiffness: 5",
                             .friction = "{law: tanh, friction: 0.3, velocity: 4}",
                             .contact = ", tangential_stiffness: 5",
                             .axis = "stretch1: {from: -0.2, to: 0.2, count: 3}",
                             .word = "ages or may open"},
    [AM_HAS_PLANE] = {.law = HELD,
                      .contact = ", tangential_stiffness: 5",
                      .axis = "stretch1: {from: -0.2, to: 0.2, count: 3}",
                      .word = "two tangents"},
    [AM_HAS_RIGID_PLANE] = {.law = "unilateral", .contact = "", .word = "without springs"},
    [AM_HAS_REGULARISED] = {.law = HELD, .contact = ", regularisation: 0.01", .word = "regularised"},
    [AM_HAS_POLYNOMIAL] = {.alone = true,
                           .two = "polynomials: [{direction: [1, 0], terms: [{coefficient: 1, displacement: 3}]}]",
                           .one = "polynomials: [{direction: [1], terms: [{coefficient: 1, displacement: 3}]}]",
                           .word = "polynomial"},
    [AM_HAS_POLYNOMIAL_CONTACTS] =
        {.two = "polynomials: [{direction: [1, 0], terms: [{coefficient: 1, displacement: 3}]}]",
         .one = "polynomials: [{direction: [1], terms: [{coefficient: 1, displacement: 3}]}]",
         .word = "polynomial"},
    [AM_HAS_CIRCULATORY] = {.two = "circulatory: [[0, 0.1], [-0.1, 0]]",
                            .one = "circulatory: [[0.1]]",
                            .word = "circulatory"},
    [AM_HAS_NEGATIVE_DAMPING] = {.two = "damping: [[0.2, 0.15], [0.15, 0.1]]",
                                 .one = "damping: [[-0.01]]",
                                 .word = "damping"},
    [AM_HAS_NEGATIVE_STIFFNESS] = /* two wells, or it runs away */
    {.two = "stiffness: [[-0.2, 0.1], [0.1, 3]]",
     .one = "stiffness: [[-0.2]]",
     .with = 1u << AM_HAS_POLYNOMIAL_CONTACTS,
     .word = "stiffness"},
    [AM_HAS_SURFACE_MOTION] = {.contact = ", surface_velocity: {constant: 1, sine: {amplitude: 0.5, multiple: 1}}",
                               .word = "varies in time"},
    [AM_HAS_GAP_MOTION] = {.law = "kelvin-voigt, contact_stiffness: 50, contact_damping: 1",
                           .contact = ", gap: {sine: {amplitude: 0.01, multiple: 1}}",
                           .word = "moves along its normal"},
    [AM_HAS_VARYING_STIFFNESS] =
        {.two = "varying_stiffness: [{direction: [1, 0], sine: {amplitude: 0.3, multiple: 1, phase: 0.4}}]",
         .one = "varying_stiffness: [{direction: [1], sine: {amplitude: 0.3, multiple: 1, phase: 0.4}}]",
         .word = "varying_stiffness"},
    [AM_HAS_NO_MASS] = {.two = "mass: [[0, 0], [0, 1]]", .one = "mass: [[0]]", .word = "no mass"},
};

#define AM_NONE ((size_t)-1)

/* Other laws of the same feature. */
static const struct {
    am_feature feature;
    const char *law, *friction;
} others[] = {
    {AM_HAS_KELVIN_VOIGT, "spring, contact_stiffness: 50", NULL},
    {AM_HAS_HUNT_CROSSLEY, "power, contact_stiffness: 50, contact_exponent: 1.5", NULL},
    {AM_HAS_SPEED_FRICTION, NULL, "{law: hyperbolic, static: 0.4, kinetic: 0.3, velocity: 1}"},
    {AM_HAS_SPEED_FRICTION, NULL, "{law: falling, static: 0.4, slope: 0.05}"},
    {AM_HAS_SPEED_FRICTION, NULL, "{law: polynomial, static: 0.4, linear: -0.05, cubic: 0.01}"},
    {AM_HAS_SPEED_FRICTION, NULL, "{law: table, velocity: [0, 1, 2], values: [0.4, 0.3, 0.3]}"},
    {AM_HAS_DRAG, NULL, "{law: tanh, friction: 0.3, velocity: 0.1}"},
    {AM_HAS_HYSTERESIS, NULL, "{law: bouc-wen, stiffness: 10, beta: 20, gamma: 10}"},
    {AM_HAS_DRAG, NULL, "{law: rate-and-state, f0: 0.3, a: 0.02, b: 0.01, V0: 0.1, Dc: 0.1}"},
};
static size_t other = AM_NONE; /* which of them takes the place of a feature's own law */

static const char *given_contact; /* law and friction, in place of what a feature says */

static bool has(unsigned mask, am_feature feature) {
    return mask >> feature & 1;
}

/* ---- analyses ---- */

typedef enum surroundings {
    FORCED,  /* a constant push and a sine */
    STEADY,  /* constant loads, over a moving surface */
    RESTING, /* constant loads */
} surroundings;

/* The rows of the table as a study asks for them, and what a run says of itself: numbers of its summary and where they
 * must lie. Motions close their balance of energy to rounding, `march` to its tolerance of 1e-8 (of a step: over
 * seconds the error is larger) or its fixed step. Few points of a branch show as well as many that it can be followed. */
static const struct row {
    const char *row, *analysis;
    surroundings surroundings;
    const char *usual_law; /* of the contact, where the feature is none of its normal law */
    const char *rubs;      /* how a contact rubs, where the feature says nothing of it */
    bool beside;           /* a rigid contact, which the question is about */
    struct {
        const char *name;
        double least, most;
    } evidence[3];
} rows[] = {
    {"motion", "motion, until: 3", FORCED,
     .evidence = {{"energy_residual", 0.0, 1e-11}, {"complementarity_residual", 0.0, 1e-9}}},
    {"orbit", "orbit", FORCED, .evidence = {{"energy_residual", 0.0, 1e-10}, {"closing_error", 0.0, 1e-9}}},
    {"attractors", "attractors, starts: {count: 2, box: {q1: [-2, 2], v1: [-1, 1]}}", FORCED,
     .evidence = {{"failed", 0.0, 0.0}, {"undecided", 0.0, 0.0}, {"orbits", 1.0, 2.0}}},
    {"cells", "cells, checks: 2, box: {q1: {from: -6, to: 6, count: 5}, v1: {from: -6, to: 6, count: 5}", FORCED,
     .evidence = {{"orbits", 1.0, 25.0}, {"worst_closing", 0.0, 1e-9}}},
    {"path with method: exact", "path, until: 2, method: exact", FORCED,
     .evidence = {{"energy_residual", 0.0, 1e-12}, {"equilibrium_residual", 0.0, 1e-12}}},
    {"path with method: incremental", "path, until: 2, method: incremental, steps: 10, on_jump: release", FORCED,
     .evidence = {{"complementarity_residual", 0.0, 1e-9}}},
    {"states", "states, question: sectors", RESTING, .evidence = {{"rate_residual", 0.0, 1e-12}}},
    {"states with question: uniqueness", "states, question: uniqueness", RESTING, .evidence = {{"margin", 1e-3, 1e3}}},
    {"states with question: sliding", "states, question: sliding", STEADY, .beside = true,
     .evidence = {{"lcp_residual", 0.0, 1e-12}, {"solutions", 1.0, 1.0}}},
    {"shakedown", "shakedown", FORCED,
     .evidence = {{"primal_residual", 0.0, 1e-12}, {"duality_gap", 0.0, 1e-12}, {"factor", 1e-3, 1e3}}},
    {"march", "march, until: 2", FORCED, .evidence = {{"energy_residual", 0.0, 1e-6}, {"error_estimate", 0.0, 1e-5}}},
    {"march with method: moreau-jean", "march, until: 2, method: moreau-jean, step: 0.005", FORCED,
     .evidence = {{"energy_residual", 0.0, 1e-2}}},
    {"stability", "stability", STEADY,
     .evidence = {{"eigen_residual", 0.0, 1e-12}, {"equilibrium_residual", 0.0, 1e-12}, {"growth_rate", -1.0, 1.0}}},
    {"squeal", "squeal, modes: 2, friction: {to: 0.5, count: 3}", STEADY,
     .evidence = {{"eigen_residual", 0.0, 1e-9}, {"growth_rate", -1.0, 1.0}}},
    {"response", "response, over: Omega, from: 0.5, to: 0.53, largest_step: 0.02, harmonics: 3", FORCED,
     .rubs = ", tangential_stiffness: 5", .evidence = {{"residual", 0.0, 1e-8}}},
    {"backbone", "backbone, from: 0.3, to: 0.4, harmonics: 3, most_points: 6", RESTING,
     .rubs = ", tangential_stiffness: 5", .evidence = {{"residual", 0.0, 1e-8}, {"energy_residual", 0.0, 1e-9}}},
    {"twofold", "twofold, intervals: 3, samples: 6", RESTING, "unilateral", .evidence = {{"residual", 0.0, 1e-9}}},
};

enum { ROWS = sizeof rows / sizeof *rows };

static const am_capability *capability_of(const struct row *row) {
    for (const am_capability *c = am_capabilities; c->analysis; c++)
        if (strcmp(c->analysis, row->row) == 0)
            return c;
    fail_msg("no row %s", row->row);
    return NULL;
}

static bool is(const struct row *row, const char *analysis) {
    return strcmp(row->row, analysis) == 0;
}

static bool is_known(const struct row *row, unsigned mask) {
    return !(mask & ~capability_of(row)->known);
}

/* ---- studies ---- */

/* Of a mask: features that one structure can have together, as far as that is plain; the reader of studies says the
 * rest. One normal law; a stop does not rub; without contacts there is nothing of a contact. */
static unsigned fitting(unsigned mask) {
    const unsigned rests = 1u << AM_HAS_STATIC_FRICTION | 1u << AM_HAS_WEAKENING | 1u << AM_HAS_SPEED_FRICTION |
                           1u << AM_HAS_DRAG | 1u << AM_HAS_HYSTERESIS | 1u << AM_HAS_SLIDER_SPRING |
                           1u << AM_HAS_CREEP_SPRING | 1u << AM_HAS_PLANE;
    unsigned fits = 0;
    bool law = false, friction = false, springs = false, alone = has(mask, AM_HAS_POLYNOMIAL),
         stop = has(mask, AM_HAS_STOP);
    for (unsigned f = 0; f < AM_FEATURES; f++) {
        const struct feature *feature = &features[f];
        bool rubs = feature->friction || feature->contact;
        bool spring = feature->two && strstr(feature->two, "polynomials") == feature->two;
        bool second = (law && feature->law && f != AM_HAS_STOP && !feature->impact) ||
                      (friction && feature->friction) || (springs && spring);
        if (f == AM_HAS_REGULARISED) /* it rises from zero, and has nothing else at rest */
            second = second || (fits & rests);
        if (!has(mask, f) || second || (alone && (rubs || feature->law)) || (stop && (rubs || f == AM_HAS_HELD)))
            continue;
        law = law || feature->law;
        friction = friction || feature->friction;
        springs = springs || spring;
        fits |= 1u << f;
    }
    return fits;
}

static bool in_plane(unsigned mask) {
    return has(mask, AM_HAS_PLANE) || has(mask, AM_HAS_RIGID_PLANE);
}

static void write_contact(am_text *t, unsigned mask, const struct row *row, const char *normal, const char *tangent,
                          const char *second) {
    const char *law = NULL, *friction = is(row, "twofold") && is_known(row, mask) ? "1" : "0.3";
    for (unsigned f = AM_FEATURES; f-- > 0;) {
        law = has(mask, f) && features[f].law ? features[f].law : law;
        friction = has(mask, f) && features[f].friction ? features[f].friction : friction;
    }
    if (other != AM_NONE) {
        law = others[other].law ? others[other].law : law;
        friction = others[other].friction ? others[other].friction : friction;
    }
    if (!law)
        law = row->usual_law ? row->usual_law : HELD;
    if (given_contact) {
        am_text_printf(t, "  - {normal: %s, tangent: %s, law: %s%s}\n", normal, tangent, given_contact,
                       row->surroundings == STEADY ? ", surface_velocity: 1" : "");
        return;
    }
    am_text_printf(t, "  - {normal: %s, law: %s", normal, law);
    if (in_plane(mask))
        am_text_printf(t, ", tangents: [%s, %s], friction: %s", tangent, second, friction);
    else if (!has(mask, AM_HAS_STOP))
        am_text_printf(t, ", tangent: %s, friction: %s", tangent, friction);
    if (row->surroundings == STEADY && !has(mask, AM_HAS_STOP) && !has(mask, AM_HAS_SURFACE_MOTION))
        am_text_add(t, ", surface_velocity: 1");
    bool rubs = false;
    for (unsigned f = 0; f < AM_FEATURES; f++) {
        am_text_add(t, has(mask, f) && features[f].contact ? features[f].contact : "");
        am_text_add(t, has(mask, f) && features[f].impact ? features[f].impact : "");
        rubs = rubs || (has(mask, f) &&
                        (features[f].contact || features[f].friction || features[f].impact || features[f].stop));
    }
    if (row->rubs && is_known(row, mask) && !rubs)
        am_text_add(t, row->rubs);
    am_text_add(t, "}\n");
}

/* Does a feature say this of the structure? */
static bool given(unsigned mask, const char *key) {
    for (unsigned f = 0; f < AM_FEATURES; f++)
        if (has(mask, f) && features[f].two && strncmp(features[f].two, key, strlen(key)) == 0)
            return true;
    return false;
}

/* Two contacts whose slips push each other on, as `twofold` wants them. */
static void write_pair(am_text *t, unsigned mask, const struct row *row) {
    am_text_add(t, "  stiffness: [[1, 0.5, 0.5, 0.95], [0.5, 1, 0.25, 0.95], [0.5, 0.25, 2.2, 0.5], "
                   "[0.95, 0.95, 0.5, 2.5]]\n  contacts:\n");
    write_contact(t, mask, row, "[0, 0, 1, 0]", "[1, 0, 0, 0]", "[0.6, 0, 0.8, 0]");
    write_contact(t, mask, row, "[0, 0, 0, 1]", "[0, 1, 0, 0]", "[0, 0.6, 0, 0.8]");
    am_text_add(t, "  loads: [{direction: [0, 0, -1, -1], constant: 20}]\n");
    if (has(mask, AM_HAS_NEGATIVE_DAMPING))
        am_text_add(t, "  damping: [-0.1, 0, 0, 0]\n");
}

/* A mass that is pushed against a surface and along it, in space where it slips in a plane and no matrix of a feature
 * says otherwise; one coordinate for `cells`, whose axes they are. */
static void write_mass(am_text *t, unsigned mask, const struct row *row) {
    bool one = is(row, "cells"), three = !one && in_plane(mask) && !given(mask, "");
    static const char *const usual[][4] = {
        {"mass:", " [[1]]", " [[1, 0], [0, 1]]", " [1, 1, 1.1]"},
        {"stiffness:", " [[2]]", " [[2, 0.1], [0.1, 3]]", " [[2, 0.1, 0.2], [0.1, 3, 0.1], [0.2, 0.1, 1.5]]"},
        {"damping:", " [[0.2]]", " [[0.2, 0], [0, 0.2]]", " [0.2, 0.2, 0.2]"}};
    static const char *const normals[] = {"[-1]", "[0, -1]", "[0, -1, 0]"};
    static const char *const tangents[] = {"[1]", "[1, 0]", "[1, 0, 0]"};
    static const char *const seconds[] = {"[1]", "[1, 0]", "[0, 0, 1]"}, *const pushes[] = {"[0.1]", "[0, 1]",
                                                                                            "[0, 1, 0]"};
    static const char *const shakes[] = {"[1]", "[1, 0]", "[1, 0, 0.6]"};
    size_t size = one ? 0 : three ? 2 : 1;
    for (size_t k = 0; k < 3; k++)
        if (!given(mask, usual[k][0]))
            am_text_printf(t, "  %s%s\n", usual[k][0], usual[k][size + 1]);
    for (unsigned f = 0; f < AM_FEATURES; f++)
        if (has(mask, f) && features[f].two)
            am_text_printf(t, "  %s\n", one ? features[f].one : features[f].two);
    if (!has(mask, AM_HAS_POLYNOMIAL)) {
        am_text_add(t, "  contacts:\n");
        write_contact(t, mask, row, normals[size], tangents[size], seconds[size]);
        bool rigid = has(mask, AM_HAS_UNILATERAL) || has(mask, AM_HAS_STOP) || has(mask, AM_HAS_RIGID_PLANE);
        if (row->beside && !rigid)
            am_text_printf(t, "  - {normal: %s, tangent: %s, friction: 0.2, surface_velocity: 1}\n", normals[size],
                           tangents[size]);
    }
    am_text_printf(t, "  loads: [{direction: %s, constant: 2}, {direction: %s, %s}]\n", pushes[size], shakes[size],
                   row->surroundings == FORCED ? "sine: {amplitude: 1, multiple: 1, phase: 0.3}" : "constant: 0.1");
}

static void write_study(am_text *t, unsigned mask, const struct row *row) {
    am_text_clear(t);
    am_text_add(t, "title: features\nmodel:\n  kind: structure\n  Omega: 1.3\n");
    (is(row, "twofold") && is_known(row, mask) ? write_pair : write_mass)(t, mask, row);
    am_text_printf(t, "analysis: {kind: %s", row->analysis);
    for (unsigned f = 0; f < AM_FEATURES && is(row, "cells"); f++)
        if (has(mask, f) && features[f].axis)
            am_text_printf(t, ", %s", features[f].axis);
    am_text_add(t, is(row, "cells") ? "}}\n" : "}\n");
}

typedef struct outcome {
    am_run *run;
    am_error err;
    bool read, refused; /* by the reader of studies, or by the analysis because of what the structure has */
} outcome;

static bool few(void *context, double fraction) {
    (void)fraction;
    return ++*(int *)context < 20;
}

/* `whole`: to the end; otherwise as far as refusals, which come before any work. */
static outcome run(unsigned mask, const struct row *row, bool whole, am_text *text) {
    outcome out = {0};
    int calls = 0;
    am_progress progress = {.report = few, .context = &calls};
    write_study(text, mask, row);
    am_study *study = am_study_parse("/test.yaml", am_text_view(text), 0, NULL, false, &out.err);
    out.read = study != NULL;
    if (study)
        out.run = am_study_run(study, whole ? NULL : &progress, &out.err);
    out.refused = strstr(out.err.message, "does not know that") != NULL;
    am_study_free(study);
    return out;
}

/* ---- the cells ---- */

/* 1 where the cell does not hold: all of them are told, not the first alone. */
static int check_yes(const struct row *row, unsigned mask, am_text *text) {
    outcome out = run(mask, row, true, text);
    int wrong = 0;
    if (!out.run) {
        print_error("%s knows %x, and yet: %s\n%s\n", row->row, mask, out.err.message, am_text_view(text));
        return 1;
    }
    for (size_t k = 0; k < 3 && row->evidence[k].name; k++) {
        double value = scalar(out.run, row->evidence[k].name);
        if (!(value >= row->evidence[k].least && value <= row->evidence[k].most)) {
            print_error("%s with %x: %s is %g\n%s\n", row->row, mask, row->evidence[k].name, value, am_text_view(text));
            wrong = 1;
        }
    }
    am_run_free(out.run);
    return wrong;
}

/* Names the law or the key, and everyone who knows it. */
static int check_no(const struct row *row, unsigned mask, am_feature feature, am_text *text) {
    outcome out = run(mask, row, false, text);
    am_text known = {0};
    am_feature_known_to(&known, feature);
    bool plain = (mask & ~capability_of(row)->known) == 1u << feature;
    bool said = strstr(out.err.message, features[feature].word) && strstr(out.err.message, am_text_view(&known));
    int wrong = !out.refused || (plain && !said);
    if (wrong)
        print_error("%s does not know %s, and should say '%s' and who does: %s\n%s\n", row->row,
                    am_feature_name(feature), features[feature].word, out.err.message, am_text_view(text));
    am_text_free(&known);
    am_run_free(out.run);
    return wrong;
}

/* Friction that sticks needs a spring behind the slider in `backbone`, where nothing else says at which place a loaded
 * contact sticks. */
static unsigned beside(const struct row *row, am_feature feature) {
    bool sticks = feature == AM_HAS_STATIC_FRICTION || feature == AM_HAS_WEAKENING || feature == AM_HAS_SPEED_FRICTION;
    return sticks && is(row, "backbone") ? 1u << AM_HAS_SLIDER_SPRING : 0u;
}

static void every_cell_does_what_it_says(void **state) {
    (void)state;
    am_text text = {0};
    int wrong = 0;
    for (size_t r = 0; r < ROWS; r++)
        for (am_feature f = 0; f < AM_FEATURES; f++) {
            unsigned known = capability_of(&rows[r])->known, mask = 1u << f | (features[f].with & known);
            if (f == AM_HAS_STOP && !has(known, AM_HAS_UNILATERAL)) /* which it is unless told otherwise */
                mask |= known & 1u << AM_HAS_KELVIN_VOIGT;
            if (f == AM_HAS_GAP_MOTION && !has(known, AM_HAS_KELVIN_VOIGT))
                mask |= known & 1u << AM_HAS_UNILATERAL;
            mask |= beside(&rows[r], f);
            wrong += has(capability_of(&rows[r])->known, f) ? check_yes(&rows[r], mask, &text)
                                                            : check_no(&rows[r], mask, f, &text);
        }
    assert_int_equal(wrong, 0);
    am_text_free(&text);
}

/* Under the sanitizers one analysis in five for each law, others for the next: the memory is that of the feature's own
 * law, with which every analysis runs. */
static bool is_asked(size_t row, size_t law) {
    return (row + law) % CASES(1, 5) == 0;
}

/* The axes of `cells` are those of the feature's own law. `response` takes long where contacts that age turn around.
 * Friction of the law bouc-wen does not follow the normal force: `squeal` has no coefficient to vary, and says so. */
static bool is_left_out(const struct row *row, size_t law) {
    bool ages = others[law].friction && strstr(others[law].friction, "rate-and-state");
    bool bound = others[law].friction && strstr(others[law].friction, "bouc-wen"); /* to no normal force */
    if (bound && is(row, "squeal"))
        return true;
    return (others[law].feature == AM_HAS_DRAG || others[law].feature == AM_HAS_HYSTERESIS) &&
           (is(row, "cells") || (ages && (is(row, "response") || is(row, "backbone"))));
}

static void every_law_of_a_feature_does_too(void **state) {
    (void)state;
    am_text text = {0};
    int wrong = 0;
    for (other = 0; other < sizeof others / sizeof *others; other++)
        for (size_t r = 0; r < ROWS; r++)
            if (has(capability_of(&rows[r])->known, others[other].feature) && !is_left_out(&rows[r], other) &&
                is_asked(r, other))
                wrong +=
                    check_yes(&rows[r], 1u << others[other].feature | beside(&rows[r], others[other].feature), &text);
    other = AM_NONE;
    assert_int_equal(wrong, 0);
    am_text_free(&text);
}

/* A slider behind a spring with every friction that sticks, on every normal law that has one. */
static void every_friction_that_sticks_does_behind_a_spring(void **state) {
    (void)state;
    static const char *const normals[] = {HELD,
                                          "unilateral",
                                          "spring, contact_stiffness: 50",
                                          "kelvin-voigt, contact_stiffness: 50, contact_damping: 1",
                                          "hunt-crossley, contact_stiffness: 50, contact_dissipation: 0.1",
                                          "power, contact_stiffness: 50, contact_exponent: 1.5"};
    static const char *const frictions[] = {"0.3, static_friction: 0.5",
                                            "{law: stribeck, static: 0.4, kinetic: 0.3, velocity: 1}",
                                            "{law: hyperbolic, static: 0.4, kinetic: 0.3, velocity: 1}",
                                            "{law: falling, static: 0.4, slope: 0.05}",
                                            "{law: polynomial, static: 0.4, linear: -0.05, cubic: 0.01}",
                                            "{law: table, velocity: [0, 1, 2], values: [0.4, 0.3, 0.3]}",
                                            "0.3, static_friction: 0.5, weakening: {law: ramp, length: 0.1}",
                                            "0.3, static_friction: 0.5, weakening: {law: exponential, length: 0.02}"};
    enum { NORMALS = sizeof normals / sizeof *normals, FRICTIONS = sizeof frictions / sizeof *frictions };
    am_text text = {0};
    int wrong = 0;
    for (size_t k = 0; k < NORMALS * FRICTIONS; k++)
        for (size_t r = 0; r < ROWS; r++) {
            char contact[512];
            bool marches = is(&rows[r], "march") && normals[k % NORMALS] != normals[1]; /* that one is rigid */
            if ((!is(&rows[r], "motion") && !is(&rows[r], "orbit") && !is(&rows[r], "stability") && !marches) ||
                !is_asked(r, k))
                continue;
            snprintf(contact, sizeof contact, "%s, friction: %s, tangential_stiffness: 5", normals[k % NORMALS],
                     frictions[k / NORMALS]);
            given_contact = contact;
            wrong += check_yes(&rows[r], 0, &text);
        }
    given_contact = NULL;
    assert_int_equal(wrong, 0);
    am_text_free(&text);
}

/* Friction without stick behind a spring in all that knows it: with a given normal force, and where that is a layer's. */
static void laws_without_stick_do_behind_a_spring(void **state) {
    (void)state;
    static const char *const normals[] = {HELD, "spring, contact_stiffness: 50",
                                          "kelvin-voigt, contact_stiffness: 50, contact_damping: 1",
                                          "hunt-crossley, contact_stiffness: 50, contact_dissipation: 0.1"};
    static const char *const frictions[] = {"{law: tanh, friction: 0.3, velocity: 0.4}",
                                            "{law: dahl, stiffness: 10, friction: 0.3}",
                                            "{law: bouc-wen, stiffness: 10, beta: 20, gamma: 10}",
                                            "{law: rate-and-state, f0: 0.3, a: 0.02, b: 0.01, V0: 0.1, Dc: 0.1}"};
    enum { NORMALS = sizeof normals / sizeof *normals, FRICTIONS = sizeof frictions / sizeof *frictions };
    am_text text = {0};
    int wrong = 0;
    for (size_t k = 0; k < NORMALS * FRICTIONS; k++)
        for (size_t r = 0; r < ROWS; r++) {
            bool held = k < FRICTIONS && k + 1 < FRICTIONS, ages = k % FRICTIONS + 1 == FRICTIONS;
            char contact[512];
            if (!is_asked(r, k) || !has(capability_of(&rows[r])->known, held ? AM_HAS_DRAG : AM_HAS_CREEP_SPRING) ||
                is(&rows[r], "cells") || is(&rows[r], "squeal") || (k >= FRICTIONS && is(&rows[r], "backbone")) ||
                (ages && (is(&rows[r], "backbone") || is(&rows[r], "response"))) ||
                (k >= FRICTIONS && is(&rows[r], "attractors")))
                continue;
            snprintf(contact, sizeof contact, "%s, friction: %s, tangential_stiffness: 5", normals[k / FRICTIONS],
                     frictions[k % FRICTIONS]);
            given_contact = contact;
            wrong += check_yes(&rows[r], 0, &text);
        }
    given_contact = NULL;
    assert_int_equal(wrong, 0);
    am_text_free(&text);
}

/* Friction without stick behind a spring on a layer that parts faster than it recovers: a branch of exact orbits, along
 * which least values are looked for of what lax contacts do, too. */
static void a_branch_goes_past_lax_contacts(void **state) {
    (void)state;
    struct row row = rows[0];
    am_text text = {0};
    row.row = "response";
    row.analysis = "response, over: Omega, from: 0.5, to: 0.6, largest_step: 0.05, harmonics: 5";
    given_contact =
        "hunt-crossley, contact_stiffness: 50, contact_dissipation: 0.1, friction: {law: bouc-wen, stiffness: "
        "10, beta: 20, gamma: 10}, tangential_stiffness: 5";
    outcome out = run(0, &row, true, &text);
    if (!out.run)
        fail_msg("%s", out.err.message);
    assert_true(scalar(out.run, "residual") < 1e-8);
    given_contact = NULL;
    am_run_free(out.run);
    am_text_free(&text);
}

/* Without a method `path` takes the one that knows the structure, and says which. */
static void a_path_takes_the_method_that_knows(void **state) {
    (void)state;
    struct row row = rows[0];
    am_text text = {0};
    row.row = "path with method: incremental";
    row.analysis = "path, until: 2, steps: 10, on_jump: release";
    for (am_feature f = 0; f < AM_FEATURES; f++) {
        unsigned known = capability_of(&row)->known, mask = 1u << f | (features[f].with & known);
        if (!has(known, f))
            continue;
        outcome out = run(mask, &row, true, &text);
        if (!out.run)
            fail_msg("%s: %s\n%s", am_feature_name(f), out.err.message, am_text_view(&text));
        bool exact = has(capability_of(&(struct row){.row = "path with method: exact"})->known, f);
        assert_string_equal(am_result_find(am_run_report(out.run)->result, "method")->text,
                            exact ? "exact" : "incremental");
        am_run_free(out.run);
    }
    am_text_free(&text);
}

static void so_it_is_in_random_company(void **state) {
    (void)state;
    uint64_t seed = 5;
    size_t asked = 0;
    am_text text = {0};
    for (size_t k = 0; k < CASES(240, 68); k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const struct row *row = &rows[k % ROWS];
        unsigned mask = fitting((unsigned)(seed >> 33) & (unsigned)(seed >> 45) & ((1u << AM_FEATURES) - 1u));
        unsigned strange = mask & ~capability_of(row)->known;
        outcome out = run(mask, row, false, &text);
        asked += out.read || out.refused;
        if (out.read && strange && !out.refused)
            fail_msg("%s with %x (not known: %x): %s", row->row, mask, strange, out.err.message);
        am_run_free(out.run);
    }
    assert_true(asked >= CASES(120, 34)); /* the others do not go together, and the reader of studies said so */
    am_text_free(&text);
}

static void every_row_is_asked_and_every_feature_met(void **state) {
    (void)state;
    for (const am_capability *c = am_capabilities; c->analysis; c++) {
        size_t asked = 0;
        for (size_t r = 0; r < ROWS; r++)
            asked += is(&rows[r], c->analysis);
        if (asked == 0)
            fail_msg("%s is not asked", c->analysis);
    }
    for (am_feature f = 0; f < AM_FEATURES; f++)
        if (!features[f].word)
            fail_msg("no structure has the feature %s", am_feature_name(f));
}

static void every_cell_works_or_a_reason_is_said(void **state) {
    (void)state;
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        for (am_feature f = 0; f < AM_FEATURES; f++)
            if (!has(row->known, f) && !am_capability_reason(row->analysis, f))
                fail_msg("%s does not know %s, and nobody says why", row->analysis, am_feature_name(f));
}

/* ---- where the table is shown ---- */

static void expect_in_page(const char *name, const char *table) {
    static char page[1 << 18];
    char path[256];
    snprintf(path, sizeof path, "%s/docs/%s", AMONTONS_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    if (!strstr(page, table))
        fail_msg("docs/%s should have\n%s", name, table);
}

static void expect_reason(void *context, am_feature feature, const char *analyses, const char *why) {
    am_text line = {0};
    ++*(size_t *)context;
    am_text_printf(&line, "| %s | %s | %s |\n", am_feature_name(feature), analyses, why);
    expect_in_page("laws.md", am_text_view(&line));
    am_text_free(&line);
}

static void the_page_of_laws_has_every_reason(void **state) {
    (void)state;
    size_t reasons = 0;
    am_capability_each_reason(expect_reason, &reasons);
    assert_true(reasons > 5);
}

static void list_laws_prints_the_table(void **state) {
    (void)state;
    char *list = am_study_list("laws", NULL);
    for (am_feature f = 0; f < AM_FEATURES; f++) {
        am_text line = {0};
        am_text_printf(&line, "  %-24s", am_feature_name(f));
        for (const am_capability *row = am_capabilities; row->analysis; row++)
            am_text_add(&line, has(row->known, f) ? "  x" : "  .");
        if (!strstr(list, am_text_view(&line)))
            fail_msg("no line '%s'", am_text_view(&line));
        am_text_free(&line);
    }
    free(list);
}

static void the_page_shows_the_same_table(void **state) {
    (void)state;
    am_text table = {0};
    am_text_add(&table, "| |");
    for (const am_capability *row = am_capabilities; row->analysis; row++) {
        size_t word = strcspn(row->analysis, " ");
        const char *rest = strstr(row->analysis, ": ");
        am_text_printf(&table, " `%.*s`%s%s |", (int)word, row->analysis, rest ? " " : "", rest ? rest + 2 : "");
    }
    am_text_add(&table, "\n|---|");
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        am_text_add(&table, "---|");
    am_text_add(&table, "\n");
    for (am_feature f = 0; f < AM_FEATURES; f++) {
        am_text_printf(&table, "| %s |", am_feature_name(f));
        for (const am_capability *row = am_capabilities; row->analysis; row++)
            am_text_add(&table, has(row->known, f) ? " x |" : " |");
        am_text_add(&table, "\n");
    }
    expect_in_page("study.md", am_text_view(&table));
    am_text_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_asked_and_every_feature_met),
        cmocka_unit_test(every_cell_does_what_it_says),
        cmocka_unit_test(every_law_of_a_feature_does_too),
        cmocka_unit_test(every_friction_that_sticks_does_behind_a_spring),
        cmocka_unit_test(laws_without_stick_do_behind_a_spring),
        cmocka_unit_test(a_branch_goes_past_lax_contacts),
        cmocka_unit_test(a_path_takes_the_method_that_knows),
        cmocka_unit_test(so_it_is_in_random_company),
        cmocka_unit_test(every_cell_works_or_a_reason_is_said),
        cmocka_unit_test(the_page_shows_the_same_table),
        cmocka_unit_test(the_page_of_laws_has_every_reason),
        cmocka_unit_test(list_laws_prints_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
