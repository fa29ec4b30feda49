#include "system/capability.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "laws/law.h"
#include "system/system.h"

#define BIT(feature) (1u << AM_HAS_##feature)
#define RIGID (BIT(UNILATERAL) | BIT(HELD))
#define COMPLIANT (BIT(KELVIN_VOIGT) | BIT(HUNT_CROSSLEY))
#define DRAGS (BIT(DRAG) | BIT(HYSTERESIS))
#define POLYNOMIALS (BIT(POLYNOMIAL) | BIT(POLYNOMIAL_CONTACTS))
/* Forces of the structure that give energy to its motion. */
#define ACTIVE (BIT(CIRCULATORY) | BIT(NEGATIVE_DAMPING) | BIT(NEGATIVE_STIFFNESS))
/* What varies in time beside loads and normal forces. */
#define TIMED (BIT(SURFACE_MOTION) | BIT(GAP_MOTION) | BIT(VARYING_STIFFNESS))
#define MOVES                                                                                                          \
    (RIGID | BIT(POISSON) | BIT(STOP) | COMPLIANT | BIT(STATIC_FRICTION) | BIT(WEAKENING) | BIT(SPEED_FRICTION) |      \
     DRAGS | BIT(SLIDER_SPRING) | BIT(CREEP_SPRING) | BIT(PLANE) | BIT(REGULARISED) | POLYNOMIALS | ACTIVE | TIMED |   \
     BIT(NO_MASS))
#define LINEARISES                                                                                                     \
    (RIGID | BIT(POISSON) | COMPLIANT | BIT(STOP) | BIT(STATIC_FRICTION) | BIT(WEAKENING) | BIT(SPEED_FRICTION) |      \
     BIT(SLIDER_SPRING) | BIT(PLANE) | BIT(RIGID_PLANE) | BIT(REGULARISED) | POLYNOMIALS | ACTIVE | BIT(NO_MASS))
#define BALANCES                                                                                                       \
    (BIT(HELD) | COMPLIANT | BIT(STOP) | BIT(SPEED_FRICTION) | DRAGS | BIT(SLIDER_SPRING) | BIT(CREEP_SPRING) |        \
     BIT(REGULARISED) | BIT(PLANE) | BIT(STATIC_FRICTION) | BIT(WEAKENING) | POLYNOMIALS | ACTIVE | TIMED |            \
     BIT(NO_MASS))
/* Friction that depends on the sliding speed. */
#define SPEEDS (BIT(SPEED_FRICTION) | BIT(DRAG) | BIT(CREEP_SPRING) | BIT(REGULARISED))
/* Quasi-static questions do not look at masses, damping and impacts. */
#define STATIC (RIGID | BIT(KELVIN_VOIGT) | BIT(STOP) | BIT(POISSON) | BIT(NEGATIVE_DAMPING) | BIT(NO_MASS))

const am_capability am_capabilities[] = {
    {"motion", MOVES},
    {"orbit", MOVES},
    {"attractors", MOVES},
    {"cells", MOVES & ~BIT(PLANE)},
    {"path with method: exact", STATIC | BIT(SURFACE_MOTION) | BIT(GAP_MOTION) | BIT(SLIDER_SPRING)},
    {"path with method: incremental", STATIC | BIT(HUNT_CROSSLEY) | POLYNOMIALS | BIT(SURFACE_MOTION) |
                                          BIT(GAP_MOTION) | BIT(SLIDER_SPRING) | BIT(STATIC_FRICTION) | BIT(WEAKENING) |
                                          BIT(PLANE) | BIT(RIGID_PLANE) | BIT(HYSTERESIS) | BIT(VARYING_STIFFNESS)},
    {"states", STATIC | BIT(STATIC_FRICTION) | BIT(SPEED_FRICTION) | BIT(SLIDER_SPRING)},
    {"states with question: uniqueness", STATIC | BIT(STATIC_FRICTION) | BIT(SPEED_FRICTION) | BIT(SLIDER_SPRING)},
    {"states with question: sliding", LINEARISES & ~(BIT(POLYNOMIAL) | BIT(NO_MASS))},
    {"shakedown", STATIC | BIT(SLIDER_SPRING)},
    {"march", BIT(HELD) | COMPLIANT | BIT(STOP) | BIT(STATIC_FRICTION) | BIT(WEAKENING) | BIT(SPEED_FRICTION) | DRAGS |
                  BIT(SLIDER_SPRING) | BIT(CREEP_SPRING) | BIT(PLANE) | BIT(REGULARISED) | POLYNOMIALS | ACTIVE |
                  TIMED | BIT(NO_MASS)},
    {"march with method: moreau-jean", (MOVES & ~BIT(POISSON)) | BIT(RIGID_PLANE)},
    {"stability", LINEARISES | DRAGS | BIT(CREEP_SPRING)},
    {"squeal", (LINEARISES | DRAGS | BIT(CREEP_SPRING)) & ~(BIT(POLYNOMIAL) | BIT(NEGATIVE_STIFFNESS))},
    {"response", BALANCES | BIT(UNILATERAL) | BIT(POISSON)},
    {"backbone", BALANCES & ~(TIMED | BIT(NEGATIVE_STIFFNESS))},
    {"twofold", BIT(UNILATERAL) | BIT(POISSON) | BIT(NEGATIVE_DAMPING) | BIT(NO_MASS)},
    {NULL, 0},
};

/* What has the feature (%s: its name, %l: its law of friction), and where it is written. */
static const struct {
    const char *name, *has, *key;
} features[AM_FEATURES] = {
    [AM_HAS_UNILATERAL] = {"unilateral", "the contact '%s' is rigid and may open (law unilateral)", "law"},
    [AM_HAS_HELD] = {"held", "the normal force of the contact '%s' is given (law held)", "law"},
    [AM_HAS_KELVIN_VOIGT] = {"kelvin-voigt", "the contact '%s' is compliant (law kelvin-voigt or spring)", "law"},
    [AM_HAS_HUNT_CROSSLEY] = {"hunt-crossley", "the contact '%s' is compliant (law hunt-crossley or power)", "law"},
    [AM_HAS_POISSON] = {"Poisson", "the contact '%s' bounces by its impulses (restitution_law poisson)",
                        "restitution_law"},
    [AM_HAS_STOP] = {"stop", "the contact '%s' has no tangent", "normal"},
    [AM_HAS_STATIC_FRICTION] = {"static/kinetic",
                                "friction at '%s' drops when it begins to slip (static_friction is "
                                "above friction)",
                                "static_friction"},
    [AM_HAS_WEAKENING] = {"weakening", "friction at '%s' weakens with slip", "weakening"},
    [AM_HAS_SPEED_FRICTION] = {"mu(v)", "friction at '%s' depends on the sliding speed (law %l)", "friction"},
    [AM_HAS_DRAG] = {"without stick", "friction at '%s' never sticks (law %l)", "friction"},
    [AM_HAS_HYSTERESIS] = {"hysteresis", "friction at '%s' never sticks and follows the way (law %l)", "friction"},
    [AM_HAS_SLIDER_SPRING] = {"Jenkins",
                              "the contact '%s' has a spring in series with its slider "
                              "(tangential_stiffness)",
                              "tangential_stiffness"},
    [AM_HAS_CREEP_SPRING] = {"without stick, sprung",
                             "friction at '%s' never sticks, stands behind a spring (tangential_stiffness), and "
                             "ages or may open",
                             "tangential_stiffness"},
    [AM_HAS_PLANE] = {"two tangents", "the contact '%s' slips in a plane (two tangents)", "tangents"},
    [AM_HAS_RIGID_PLANE] = {"two tangents, rigid",
                            "the contact '%s' slips in a plane (two tangents) without springs "
                            "behind its slider (tangential_stiffness)",
                            "tangents"},
    [AM_HAS_REGULARISED] = {"regularised", "friction at '%s' is regularised, not Coulomb's law itself",
                            "regularisation"},
    [AM_HAS_POLYNOMIAL] = {"polynomial", "'%s' is a polynomial spring or damper", "polynomials"},
    [AM_HAS_POLYNOMIAL_CONTACTS] = {"polynomial with contacts",
                                    "'%s' is a polynomial spring or damper, beside contacts", "polynomials"},
    [AM_HAS_CIRCULATORY] = {"circulatory", "the stiffness of this structure is not symmetric (circulatory forces)",
                            "circulatory"},
    [AM_HAS_NEGATIVE_DAMPING] = {"negative damping", "the damping of this structure feeds energy in", "damping"},
    [AM_HAS_NEGATIVE_STIFFNESS] = {"negative stiffness",
                                   "the stiffness of this structure is negative in some "
                                   "direction",
                                   "stiffness"},
    [AM_HAS_SURFACE_MOTION] = {"surface v(t)", "the velocity of the surface of '%s' varies in time",
                               "surface_velocity"},
    [AM_HAS_GAP_MOTION] = {"gap(t)", "the support of '%s' moves along its normal", "gap"},
    [AM_HAS_VARYING_STIFFNESS] = {"stiffness k(t)", "'%s' is a stiffness that varies in time (varying_stiffness)",
                                  "varying_stiffness"},
    [AM_HAS_NO_MASS] = {"without mass", "some coordinates of this structure have no mass", "mass"},
};

const char *am_feature_name(am_feature feature) {
    return features[feature].name;
}

static am_feature normal_feature(am_normal_law law) {
    return law == AM_UNILATERAL     ? AM_HAS_UNILATERAL
           : law == AM_HELD         ? AM_HAS_HELD
           : law == AM_KELVIN_VOIGT ? AM_HAS_KELVIN_VOIGT
                                    : AM_HAS_HUNT_CROSSLEY;
}

bool am_contact_creeps_behind(const am_contact_def *contact) {
    const am_speed_friction *use = &contact->speed_friction;
    return use->law && am_law_named(use->law)->alone && (am_law_memories(use) > 1 || contact->normal_law != AM_HELD);
}

static unsigned features_of(const am_system *system, size_t c) {
    const am_contact_def *contact = &system->contact[c];
    bool weakens = am_friction_weakens(&contact->weakening);
    unsigned mask = 1u << normal_feature(contact->normal_law);
    mask |= contact->restitution_law == AM_POISSON && contact->restitution > 0.0 ? BIT(POISSON) : 0;
    mask |= system->stop[c] ? BIT(STOP) : 0;
    mask |= weakens ? BIT(WEAKENING) : 0;
    mask |= !weakens && contact->static_friction > contact->friction ? BIT(STATIC_FRICTION) : 0;
    if (contact->speed_friction.law)
        mask |= am_law_sticks(&contact->speed_friction)                ? BIT(SPEED_FRICTION)
                : am_law_is_rate_independent(&contact->speed_friction) ? BIT(HYSTERESIS)
                                                                       : BIT(DRAG);
    bool behind = contact->speed_friction.law && am_law_named(contact->speed_friction.law)->alone;
    mask |= contact->tangential_stiffness > 0.0 || behind ? BIT(SLIDER_SPRING) : 0;
    bool ages = am_contact_creeps_behind(contact) && !am_law_is_rate_independent(&contact->speed_friction);
    mask |= ages ? BIT(CREEP_SPRING) : 0;
    if (contact->second_tangent)
        mask |= contact->tangential_stiffness > 0.0 ? BIT(PLANE) : BIT(RIGID_PLANE);
    mask |= contact->regularisation > 0.0 ? BIT(REGULARISED) : 0;
    mask |= system->drawn[c] ? BIT(SURFACE_MOTION) : 0;
    mask |= system->lifted[c] ? BIT(GAP_MOTION) : 0;
    return mask;
}

static unsigned features_of_structure(const am_system *system) {
    unsigned mask = system->polynomials == 0 ? 0 : system->m > 0 ? BIT(POLYNOMIAL_CONTACTS) : BIT(POLYNOMIAL);
    mask |= system->circulatory ? BIT(CIRCULATORY) : 0;
    mask |= system->driving ? BIT(NEGATIVE_DAMPING) : 0;
    mask |= system->varyings > 0 ? BIT(VARYING_STIFFNESS) : 0;
    for (size_t i = 0; i < system->n; i++)
        mask |= am_matrix_at(system->M, i, i) == 0.0 ? BIT(NO_MASS) : 0;
    return mask | (system->yielding ? BIT(NEGATIVE_STIFFNESS) : 0);
}

static size_t count_known(am_feature feature) {
    size_t count = 0;
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        count += (row->known >> feature) & 1u;
    return count;
}

/* "`march`, `path` with method: incremental and `stability`": the rows that are marked. */
static void list_rows(am_text *text, const bool *marked) {
    size_t count = 0, listed = 0;
    for (size_t r = 0; am_capabilities[r].analysis; r++)
        count += marked[r];
    for (size_t r = 0; am_capabilities[r].analysis; r++) {
        const char *analysis = am_capabilities[r].analysis;
        size_t word = strcspn(analysis, " ");
        if (!marked[r])
            continue;
        am_text_printf(text, "%s`%.*s`%s",
                       listed == 0          ? ""
                       : listed + 1 < count ? ", "
                                            : " and ",
                       (int)word, analysis, analysis + word);
        listed++;
    }
}

enum { ROWS = sizeof am_capabilities / sizeof *am_capabilities };

void am_feature_known_to(am_text *text, am_feature feature) {
    bool marked[ROWS];
    for (size_t r = 0; r < ROWS; r++)
        marked[r] = (am_capabilities[r].known >> feature) & 1u;
    list_rows(text, marked);
}

static const char turns_ever_faster[] =
    "the direction of a rigid slip in a plane turns ever faster before it ends (springs behind the slider, "
    "tangential_stiffness, make that smooth)";

static const char no_acceleration[] = "it asks for accelerations, and where there is no mass they follow from no force";

static const char inertia_decides[] =
    "under forces that follow the motion rest may flutter, which inertia decides, and slow loads have none";

/* What physics has against a cell of the table; `analysis`: the rows whose names begin so. The first that fits. */
static const struct {
    const char *analysis;
    unsigned features;
    const char *why;
} reasons[] = {
    {"path", SPEEDS, "a path has no speed"},
    {"shakedown", SPEEDS, "a path has no speed"},
    {"twofold", SPEEDS, "a path has no speed"},
    {"states with question: sliding", DRAGS | BIT(CREEP_SPRING), "its force at an instant depends on what went before"},
    {"states", DRAGS | BIT(CREEP_SPRING) | BIT(REGULARISED),
     "it never sticks: there are no states between which slip would begin"},
    {"path", BIT(NEGATIVE_STIFFNESS), "a path goes through states of rest, and such a structure runs away from them"},
    {"states", BIT(NEGATIVE_STIFFNESS), "slow loads need a state of rest, and such a structure runs away from it"},
    {"shakedown", BIT(NEGATIVE_STIFFNESS), "slow loads need a state of rest, and such a structure runs away from it"},
    {"twofold", BIT(NEGATIVE_STIFFNESS), "slow loads need a state of rest, and such a structure runs away from it"},
    {"march with method: moreau-jean", BIT(POISSON),
     "its step has one impulse, and does not tell compression from expansion"},
    {"march", BIT(UNILATERAL) | BIT(POISSON), "impacts of rigid contacts are no forces that could be integrated"},
    {"states with question: sliding", BIT(POLYNOMIAL), "without contacts there are none that could stay closed"},
    {"motion", BIT(RIGID_PLANE), turns_ever_faster},
    {"orbit", BIT(RIGID_PLANE), turns_ever_faster},
    {"attractors", BIT(RIGID_PLANE), turns_ever_faster},
    {"cells", BIT(RIGID_PLANE), turns_ever_faster},
    {"states with question: sliding", BIT(NO_MASS), no_acceleration},
    {"march", BIT(RIGID_PLANE), turns_ever_faster},
    {"cells", BIT(PLANE),
     "its box has at most three axes, and beside place and velocity there are two stretches (use attractors)"},
    {"path", BIT(PLANE) | BIT(RIGID_PLANE),
     "from corner to corner everything is linear in the loads, and on a circle slip turns with them (method: "
     "incremental "
     "follows it)"},
    {"states", BIT(PLANE) | BIT(RIGID_PLANE),
     "it goes through a finite number of states, and slip in a plane has any direction (path with method: incremental "
     "finds the one that follows)"},
    {"shakedown", BIT(PLANE) | BIT(RIGID_PLANE),
     "its linear program has linear limits, and a circle is none (cycles of path with method: incremental show whether "
     "slip ends)"},
    {"response", BIT(RIGID_PLANE), turns_ever_faster},
    {"backbone", BIT(RIGID_PLANE), turns_ever_faster},
    {"squeal", BIT(POLYNOMIAL), "without contacts there is no friction, and no squeal"},
    {"squeal", BIT(NEGATIVE_STIFFNESS), "its modes are those of a structure that is at rest without friction"},
    {"shakedown", BIT(STATIC_FRICTION) | BIT(WEAKENING),
     "its theorem is about friction that does not fall: what slip has worn down does not come back"},
    {"stability", BIT(SURFACE_MOTION), "steady sliding needs a surface of constant speed"},
    {"squeal", BIT(SURFACE_MOTION), "steady sliding needs a surface of constant speed"},
    {"states with question: sliding", BIT(SURFACE_MOTION), "steady sliding needs a surface of constant speed"},
    {"states with question: sliding", BIT(VARYING_STIFFNESS), "nothing stays as it is while stiffness varies"},
    {"stability", BIT(VARYING_STIFFNESS), "nothing stays as it is while stiffness varies"},
    {"squeal", BIT(VARYING_STIFFNESS), "nothing stays as it is while stiffness varies"},
    {"states", BIT(VARYING_STIFFNESS), "nothing stays as it is while stiffness varies"},
    {"stability", BIT(GAP_MOTION), "steady sliding needs supports at rest"},
    {"squeal", BIT(GAP_MOTION), "steady sliding needs supports at rest"},
    {"states with question: sliding", BIT(GAP_MOTION), "steady sliding needs supports at rest"},
    {"states", BIT(SURFACE_MOTION) | BIT(GAP_MOTION), "it is a question about surfaces at rest"},
    {"shakedown", BIT(SURFACE_MOTION) | BIT(GAP_MOTION), "it is a question about surfaces at rest"},
    {"twofold", BIT(SURFACE_MOTION) | BIT(GAP_MOTION), "it is a question about surfaces at rest"},
    {"twofold", BIT(HELD) | BIT(STOP), "it is a question about rigid contacts that rub on each other's pressure"},
    {"twofold", ~0u, "its load is made for two rigid contacts with one coefficient each on a linear structure"},
    {"path", BIT(STATIC_FRICTION) | BIT(WEAKENING),
     "where friction drops a slip begins with a jump, whose end depends on inertia (method: incremental goes to the "
     "next "
     "equilibrium)"},
    {"path", BIT(CIRCULATORY), inertia_decides},
    {"states", BIT(CIRCULATORY), inertia_decides},
    {"shakedown", BIT(HYSTERESIS),
     "its theorem is about friction that holds up to a limit, and such a law gives way from the first load on"},
    {"path", POLYNOMIALS | BIT(HUNT_CROSSLEY) | BIT(HYSTERESIS) | BIT(VARYING_STIFFNESS),
     "its pieces are linear, and such a force is not (method: incremental follows it by load steps)"},
    {"shakedown", POLYNOMIALS | BIT(HUNT_CROSSLEY) | BIT(CIRCULATORY) | BIT(VARYING_STIFFNESS),
     "its theorem is about linear structures that store what they are given"},
    {"states", POLYNOMIALS | BIT(HUNT_CROSSLEY), "which states are admissible would depend on the displacement"},
    {"states", BIT(WEAKENING), "which states are admissible would depend on the distance slid"},
    {"backbone", BIT(UNILATERAL) | BIT(POISSON),
     "velocities jump in impacts, and a sum of harmonics does not; `response` and `orbit` have such motions exactly"},
    {"backbone", TIMED, "a nonlinear mode is a free motion, which nothing drives"},
    {"backbone", BIT(NEGATIVE_STIFFNESS), "a mode begins around rest, and such a structure runs away from it"},
};

const char *am_capability_reason(const char *analysis, am_feature feature) {
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strncmp(analysis, reasons[i].analysis, strlen(reasons[i].analysis)) == 0 &&
            ((reasons[i].features >> feature) & 1u))
            return reasons[i].why;
    return NULL;
}

/* The rows that cannot have the feature for this reason; false: there are none. */
static bool mark_reason(am_feature feature, const char *why, bool *marked) {
    bool any = false;
    for (size_t r = 0; r < ROWS; r++) {
        const am_capability *row = &am_capabilities[r];
        const char *own =
            row->analysis && !((row->known >> feature) & 1u) ? am_capability_reason(row->analysis, feature) : NULL;
        marked[r] = own && strcmp(own, why) == 0;
        any = any || marked[r];
    }
    return any;
}

static bool said_before(size_t reason) {
    for (size_t i = 0; i < reason; i++)
        if (strcmp(reasons[i].why, reasons[reason].why) == 0)
            return true;
    return false;
}

void am_capability_each_reason(am_reason_line line, void *context) {
    bool marked[ROWS];
    for (am_feature f = 0; f < AM_FEATURES; f++)
        for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
            if (said_before(i) || !mark_reason(f, reasons[i].why, marked))
                continue;
            am_text rows = {0};
            list_rows(&rows, marked);
            line(context, f, am_text_view(&rows), reasons[i].why);
            am_text_free(&rows);
        }
}

/* `contact`: NULL for what belongs to the whole structure; `field`: where it was written. */
static am_status refuse(am_feature feature, const char *name, const am_contact_def *contact, const char *field,
                        const char *analysis, am_error *err) {
    am_text known = {0}, has = {0};
    size_t word = strcspn(analysis, " ");
    for (const char *c = features[feature].has; *c; c++)
        if (c[0] == '%')
            am_text_add(&has, *++c == 's' ? name : contact->speed_friction.law);
        else
            am_text_add_bytes(&has, c, 1);
    am_feature_known_to(&known, feature);
    const char *why = am_capability_reason(analysis, feature);
    am_status status = am_text_status(&has, err);
    if (!status)
        status = am_text_status(&known, err);
    if (!status)
        status = am_fail_field(err, AM_ERR_UNSUPPORTED, field, "%s, and `%.*s`%s does not know that%s%s; %s do",
                               am_text_view(&has), (int)word, analysis, analysis + word, why ? ": " : "",
                               why ? why : "", am_text_view(&known));
    am_text_free(&known);
    am_text_free(&has);
    return status;
}

/* The one that fewest analyses know says most about what to use instead; of several, how it rubs more than how it is
 * pressed. */
static am_feature rarest_feature(unsigned mask) {
    am_feature rarest = AM_FEATURES;
    for (am_feature f = 0; f < AM_FEATURES; f++)
        if (((mask >> f) & 1u) && (rarest == AM_FEATURES || count_known(f) <= count_known(rarest)))
            rarest = f;
    return rarest;
}

/* The sliders of an Iwan joint are one contact of the study. */
static size_t index_in_study(const am_system *system, size_t c) {
    size_t joint = 0;
    while (joint + 1 < system->joints && system->joint[joint + 1] <= c)
        joint++;
    return joint;
}

am_status am_fail_contact(am_error *err, const am_system *system, size_t c, const char *key, const char *format, ...) {
    char field[sizeof err->field], message[sizeof err->message];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    snprintf(field, sizeof field, "contacts[%zu].%s", index_in_study(system, c), key);
    return am_fail_field(err, AM_ERR_UNSUPPORTED, field, "%s", message);
}

static am_status refuse_contact(const am_system *system, size_t c, am_feature feature, const char *analysis,
                                am_error *err) {
    char field[sizeof err->field];
    snprintf(field, sizeof field, "contacts[%zu].%s", index_in_study(system, c), features[feature].key);
    return refuse(feature, system->contact[c].name, &system->contact[c], field, analysis, err);
}

am_status am_system_check(const am_system *system, const char *analysis, am_error *err) {
    const am_capability *row = am_capabilities;
    while (row->analysis && strcmp(row->analysis, analysis) != 0)
        row++;
    if (!row->analysis)
        return am_fail(err, AM_ERR_INPUT, "there is no analysis '%s'", analysis);
    for (size_t c = 0; c < system->m; c++) {
        unsigned strange = features_of(system, c) & ~row->known;
        if (strange)
            return refuse_contact(system, c, rarest_feature(strange), analysis, err);
    }
    unsigned strange = features_of_structure(system) & ~row->known;
    if (!strange)
        return AM_OK;
    am_feature feature = rarest_feature(strange);
    const char *name = feature == AM_HAS_VARYING_STIFFNESS ? system->varying[0].name
                       : system->polynomials > 0           ? system->polynomial[0].name
                                                           : "";
    return refuse(feature, name, NULL, features[feature].key, analysis, err);
}
