#include "system/capability.h"

#include <string.h>

#include "laws/law.h"
#include "system/system.h"

#define BIT(feature) (1u << AM_HAS_##feature)
#define RIGID (BIT(UNILATERAL) | BIT(HELD))
#define COMPLIANT (BIT(KELVIN_VOIGT) | BIT(HUNT_CROSSLEY))
#define POLYNOMIALS (BIT(POLYNOMIAL) | BIT(POLYNOMIAL_CONTACTS))
#define MOVES                                                                                                          \
    (RIGID | BIT(STOP) | COMPLIANT | BIT(STATIC_FRICTION) | BIT(SPEED_FRICTION) | BIT(DRAG) | BIT(SLIDER_SPRING) |     \
     POLYNOMIALS)
#define LINEARISES                                                                                                     \
    (RIGID | COMPLIANT | BIT(STATIC_FRICTION) | BIT(REGULARISED) | POLYNOMIALS | BIT(CIRCULATORY) |                    \
     BIT(FALLING_FRICTION))
#define BALANCES                                                                                                       \
    (BIT(HELD) | BIT(KELVIN_VOIGT) | BIT(SLIDER_SPRING) | BIT(REGULARISED) | POLYNOMIALS | BIT(CIRCULATORY))
/* Quasi-static questions do not look at damping. */
#define STATIC (RIGID | BIT(FALLING_FRICTION))

const am_capability am_capabilities[] = {
    {"motion", MOVES},
    {"orbit", MOVES},
    {"attractors", MOVES},
    {"cells", MOVES},
    {"path", STATIC | BIT(SLIDER_SPRING)},
    {"path with method: incremental", STATIC | BIT(SLIDER_SPRING) | BIT(STATIC_FRICTION) | BIT(WEAKENING)},
    {"states", STATIC | BIT(STATIC_FRICTION)},
    {"states with question: uniqueness", STATIC | BIT(STATIC_FRICTION) | BIT(SLIDER_SPRING)},
    {"states with question: sliding", LINEARISES},
    {"shakedown", STATIC | BIT(SLIDER_SPRING)},
    {"march", BIT(HELD) | COMPLIANT | BIT(STATIC_FRICTION) | BIT(REGULARISED) | POLYNOMIALS | BIT(CIRCULATORY)},
    {"march with method: moreau-jean", RIGID | BIT(CIRCULATORY)},
    {"stability", LINEARISES | BIT(SPEED_FRICTION)},
    {"squeal", LINEARISES},
    {"response", BALANCES},
    {"twofold", BIT(UNILATERAL) | BIT(FALLING_FRICTION)},
    {NULL, 0},
};

/* What has the feature; %s: its name. */
static const struct {
    const char *name, *has;
} features[AM_FEATURES] = {
    [AM_HAS_UNILATERAL] = {"unilateral", "the contact '%s' is rigid and may open (law unilateral)"},
    [AM_HAS_HELD] = {"held", "the normal force of the contact '%s' is given (law held)"},
    [AM_HAS_KELVIN_VOIGT] = {"kelvin-voigt", "the contact '%s' is compliant (law kelvin-voigt)"},
    [AM_HAS_HUNT_CROSSLEY] = {"hunt-crossley", "the contact '%s' is compliant (law hunt-crossley)"},
    [AM_HAS_STOP] = {"stop", "the contact '%s' has no tangent"},
    [AM_HAS_STATIC_FRICTION] = {"static/kinetic", "friction at '%s' drops when it begins to slip (static_friction is "
                                                  "above friction)"},
    [AM_HAS_WEAKENING] = {"weakening", "friction at '%s' weakens with slip"},
    [AM_HAS_SPEED_FRICTION] = {"mu(v)", "friction at '%s' depends on the sliding speed"},
    [AM_HAS_DRAG] = {"without stick",
                     "friction at '%s' never sticks (laws tanh, dahl, lugre, bouc-wen, rate-and-state)"},
    [AM_HAS_SLIDER_SPRING] = {"Jenkins", "the contact '%s' has a spring in series with its slider "
                                         "(tangential_stiffness)"},
    [AM_HAS_REGULARISED] = {"regularised", "friction at '%s' is regularised, not Coulomb's law itself"},
    [AM_HAS_POLYNOMIAL] = {"polynomial", "'%s' is a polynomial spring or damper"},
    [AM_HAS_POLYNOMIAL_CONTACTS] = {"polynomial with contacts",
                                    "'%s' is a polynomial spring or damper, beside contacts"},
    [AM_HAS_CIRCULATORY] = {"circulatory", "the stiffness of this structure is not symmetric (circulatory forces)"},
    [AM_HAS_FALLING_FRICTION] = {"falling friction",
                                 "the damping of this structure feeds energy in, which stands for friction that falls "
                                 "with speed in steady sliding and would act on contacts that stick, too (use a "
                                 "polynomial damper, or a larger static_friction)"},
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

static unsigned features_of(const am_system *system, size_t c) {
    const am_contact_def *contact = &system->contact[c];
    bool weakens = am_friction_weakens(&contact->weakening);
    unsigned mask = 1u << normal_feature(contact->normal_law);
    mask |= system->stop[c] ? BIT(STOP) : 0;
    mask |= weakens ? BIT(WEAKENING) : 0;
    mask |= !weakens && contact->static_friction > contact->friction ? BIT(STATIC_FRICTION) : 0;
    if (contact->speed_friction.law)
        mask |= am_law_sticks(&contact->speed_friction) ? BIT(SPEED_FRICTION) : BIT(DRAG);
    mask |= contact->tangential_stiffness > 0.0 ? BIT(SLIDER_SPRING) : 0;
    mask |= contact->regularisation > 0.0 ? BIT(REGULARISED) : 0;
    return mask;
}

static unsigned features_of_structure(const am_system *system) {
    unsigned mask = system->polynomials == 0 ? 0 : system->m > 0 ? BIT(POLYNOMIAL_CONTACTS) : BIT(POLYNOMIAL);
    mask |= system->circulatory ? BIT(CIRCULATORY) : 0;
    return mask | (system->driving ? BIT(FALLING_FRICTION) : 0);
}

static size_t count_known(am_feature feature) {
    size_t count = 0;
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        count += (row->known >> feature) & 1u;
    return count;
}

void am_feature_known_to(am_text *text, am_feature feature) {
    size_t count = count_known(feature), listed = 0;
    for (const am_capability *row = am_capabilities; row->analysis; row++) {
        if (!((row->known >> feature) & 1u))
            continue;
        size_t word = strcspn(row->analysis, " ");
        am_text_printf(text, "%s`%.*s`%s",
                       listed == 0          ? ""
                       : listed + 1 < count ? ", "
                                            : " and ",
                       (int)word, row->analysis, row->analysis + word);
        listed++;
    }
}

static am_status refuse(am_feature feature, const char *name, const char *analysis, am_error *err) {
    am_text known = {0}, has = {0};
    size_t word = strcspn(analysis, " ");
    for (const char *c = features[feature].has; *c; c++)
        if (c[0] == '%' && c[1] == 's')
            am_text_add(&has, name), c++;
        else
            am_text_add_bytes(&has, c, 1);
    am_feature_known_to(&known, feature);
    am_status status = am_fail(err, AM_ERR_UNSUPPORTED, "%s, and `%.*s`%s does not know that; %s do",
                               am_text_view(&has), (int)word, analysis, analysis + word, am_text_view(&known));
    am_text_free(&known);
    am_text_free(&has);
    return status;
}

/* The one that fewest analyses know says most about what to use instead. */
static am_feature rarest_feature(unsigned mask) {
    am_feature rarest = AM_FEATURES;
    for (am_feature f = 0; f < AM_FEATURES; f++)
        if (((mask >> f) & 1u) && (rarest == AM_FEATURES || count_known(f) < count_known(rarest)))
            rarest = f;
    return rarest;
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
            return refuse(rarest_feature(strange), system->contact[c].name, analysis, err);
    }
    unsigned strange = features_of_structure(system) & ~row->known;
    if (strange)
        return refuse(rarest_feature(strange), system->polynomials ? system->polynomial[0].name : "", analysis, err);
    return AM_OK;
}
