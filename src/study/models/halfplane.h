/* What the models hertz, power, wave, punch and profile share in a study: materials, load and friction. */
#ifndef AMONTONS_STUDY_MODELS_HALFPLANE_H
#define AMONTONS_STUDY_MODELS_HALFPLANE_H
#include "amontons/slip.h"
#include "study/models.h"

typedef struct am_halfplane_setting {
    am_slip_contact contact;  /* first: analysis `slip` takes it from there */
    const am_node *E, *nu;    /* a number or two */
    const am_node *weakening; /* rows of slip and coefficient */
    double a, f_d;
    double W_tilde, critical, Lambda, Psi;
    double alpha, a_over_lambda;
    am_numbers x, gap;
    size_t nodes;
} am_halfplane_setting;

extern const am_word am_halfplane_law_words[];
extern const am_word am_halfplane_measure_words[];

#define AM_HALFPLANE(name_, type_, member, ...)                                                                        \
    { .name = name_, .type = type_, .offset = offsetof(am_halfplane_setting, member), __VA_ARGS__ }

#define AM_HALFPLANE_MATERIAL_FIELDS                                                                                   \
    AM_HALFPLANE("E_star", AM_FIELD_NUMBER, contact.modulus, .range = AM_RANGE_POSITIVE, .initial = "1",               \
                 .unit = "force/length^2", .about = "contact modulus E* of both bodies, eq. (1.50)"),                  \
        AM_HALFPLANE("beta", AM_FIELD_NUMBER, contact.beta, .initial = "0",                                            \
                     .about = "Dundurs' second parameter, eq. (1.30): 0 for similar bodies"),                          \
        AM_HALFPLANE("E", AM_FIELD_NODE, E, .initial = "none", .unit = "force/length^2",                               \
                     .about = "Young's moduli [upper, lower], or one for both; with nu in the place of E_star and "    \
                              "beta"),                                                                                 \
        AM_HALFPLANE("nu", AM_FIELD_NODE, nu, .initial = "none",                                                       \
                     .about = "Poisson's ratios [upper, lower], or one for both; plane strain")

#define AM_HALFPLANE_FRICTION_FIELDS                                                                                   \
    AM_HALFPLANE("f", AM_FIELD_NUMBER, contact.f, .initial = "0.5",                                                    \
                 .about = "coefficient of friction; the dynamic one where friction weakens"),                          \
        AM_HALFPLANE("f_d", AM_FIELD_NUMBER, f_d, .initial = "none", .about = "another name of f"),                    \
        AM_HALFPLANE("f_s", AM_FIELD_NUMBER, contact.f_s, .range = AM_RANGE_POSITIVE, .initial = "none",               \
                     .about = "static coefficient, from which friction falls to f with slip"),                         \
        AM_HALFPLANE("law", AM_FIELD_WORD, contact.law, .words = am_halfplane_law_words,                               \
                     .initial =                                                                                        \
                         "coulomb; griffith with an energy; double (hertz) or ramp with f_s; table with weakening",    \
                     .about = "how friction goes with slip"),                                                          \
        AM_HALFPLANE("Delta", AM_FIELD_NUMBER, contact.slip_length, .range = AM_RANGE_POSITIVE, .initial = "none",     \
                     .unit = "length", .about = "slip over which friction falls: the area above f over f_s - f"),      \
        AM_HALFPLANE("weakening", AM_FIELD_NODE, weakening, .initial = "none",                                         \
                     .about = "rows [slip, coefficient] in the place of f, f_s and Delta: law table"),                 \
        AM_HALFPLANE("W", AM_FIELD_NUMBER, contact.energy, .range = AM_RANGE_NOT_NEGATIVE, .initial = "none",          \
                     .unit = "force/length", .about = "energy per area of Griffith friction"),                         \
        AM_HALFPLANE("nodes", AM_FIELD_COUNT, nodes, .initial = "24",                                                  \
                     .about = "contact nodes of the structure that other analyses see")

#define AM_HALFPLANE_LOAD_FIELDS(width_)                                                                               \
    AM_HALFPLANE("P", AM_FIELD_NUMBER, contact.P, .initial = "that of a", .unit = "force/length",                      \
                 .about = "normal load"),                                                                              \
        AM_HALFPLANE("a", AM_FIELD_NUMBER, a, .range = AM_RANGE_POSITIVE, .initial = width_, .unit = "length",         \
                     .about = "half-width of the contact under P (beta = 0), in the place of P")

/* Of the profiles whose tractions are differences of two of their own. */
#define AM_HALFPLANE_DOUBLE_FIELDS                                                                                     \
    AM_HALFPLANE("measure", AM_FIELD_WORD, contact.measure, .words = am_halfplane_measure_words, .initial = "edge",    \
                 .about = "how Delta and the energy of the double solution go together"),                              \
        AM_HALFPLANE("c_c_over_a", AM_FIELD_NUMBER, critical, .range = AM_RANGE_NOT_NEGATIVE, .initial = "none",       \
                     .about = "critical half-width of Griffith friction, eq. (5.45), in the place of W")

void am_halfplane_defaults(am_halfplane_setting *setting, am_slip_shape shape);

/* Coefficients of friction under any of their names; first, since loads and lengths may be relative to f. */
am_status am_halfplane_coefficients(am_reading *reading, const am_node *node, am_halfplane_setting *setting);

/* Materials, load and law from what was given. The energy is in contact.energy, or `energy_key` gives it. */
am_status am_halfplane_materials(am_reading *reading, const am_node *node, am_halfplane_setting *setting);
am_status am_halfplane_load(am_reading *reading, const am_node *node, am_halfplane_setting *setting, double usual);
am_status am_halfplane_friction(am_reading *reading, const am_node *node, am_halfplane_setting *setting,
                                const char *energy_key);

/* Can the contact have the law that an analysis asks for? */
am_status am_halfplane_check_law(am_reading *reading, const am_node *node, const am_slip_contact *contact);

/* Two names of one thing: refused. */
am_status am_halfplane_either(am_reading *reading, const am_node *node, const char *one, const char *other);

am_system *am_halfplane_build(am_reading *reading, const am_node *node, const void *settings);

/* The contact of the model: what analysis `slip` takes. */
const am_slip_contact *am_halfplane_contact(const void *settings);

#endif
