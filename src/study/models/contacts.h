/* Contacts of a study: one item of `contacts:`, and the keys of a law that items of `interfaces:` have too. */
#ifndef AMONTONS_STUDY_MODELS_CONTACTS_H
#define AMONTONS_STUDY_MODELS_CONTACTS_H
#include "amontons/system.h"
#include "study/functions.h"
#include "study/models.h"
#include "study/models/friction.h"

extern const am_word am_restitution_words[];

/* The rows of the law of a contact: their struct begins with an am_contact_def. */
#define AM_CONTACT_LAW_FIELDS                                                                                          \
    AM_FIELD("gap", NUMBER, am_contact_def, gap, .inner = &am_gap_schema, .initial = "0", .unit = "length",            \
             .about = "gap at q = 0: a number, or a function of time"),                                                \
        AM_FIELD("preload", LATER, am_contact_def, gap, .initial = "0", .unit = "force",                               \
                 .about = "laws spring and kelvin-voigt, instead of gap: normal force at q = 0"),                      \
        AM_FIELD("surface_velocity", NUMBER, am_contact_def, surface_velocity, .inner = &am_surface_schema,            \
                 .initial = "0", .unit = "length/time",                                                                \
                 .about = "of the other side, along the tangent: a number, or a function of time {constant: 0.2, "     \
                          "sine: {amplitude, "                                                                         \
                          "frequency}}"),                                                                              \
        AM_FIELD(                                                                                                      \
            "friction", LATER, am_contact_def, friction, .initial = "required, unless `weakening` is a table",         \
            .about =                                                                                                   \
                "kinetic coefficient of friction, or a law of the sliding speed v: {law: stribeck, static, kinetic, "  \
                "velocity, ...} (`amontons list laws`)",                                                               \
            .example = "0.25"),                                                                                        \
        AM_FIELD("static_friction", NUMBER, am_contact_def, static_friction, AM_NOT_NEGATIVE,                          \
                 .initial = "equal to friction",                                                                       \
                 .about = "coefficient that holds while sticking; at least `friction`"),                               \
        AM_FIELD(                                                                                                      \
            "weakening", RECORD, am_contact_def, weakening, .inner = &am_weakening_schema, .initial = "none",          \
            .about =                                                                                                   \
                "{law, length or points}: friction falls from static_friction to friction with the distance slid"),    \
        AM_FIELD("tangential_stiffness", NUMBER, am_contact_def, tangential_stiffness, AM_NOT_NEGATIVE,                \
                 .initial = "none", .unit = "force/length",                                                            \
                 .about = "of a spring in series with the slider, which has no mass (Jenkins element)"),               \
        AM_FIELD("restitution", NUMBER, am_contact_def, restitution, .range = AM_RANGE_FRACTION, .initial = "0",       \
                 .about = "of the normal velocity in an impact, or of its normal impulse"),                            \
        AM_FIELD("restitution_law", WORD, am_contact_def, restitution_law, .words = am_restitution_words,              \
                 .initial = "newton", .about = "what the restitution is the ratio of"),                                \
        AM_FIELD("tangential_restitution", NUMBER, am_contact_def, tangential_restitution, .range = AM_RANGE_FRACTION, \
                 .initial = "0", .about = "of the sliding velocity in an impact, which friction turns around"),        \
        AM_FIELD("law", WORD, am_contact_def, normal_law, .words = am_normal_law_words, .initial = "unilateral",       \
                 .about = "normal law"),                                                                               \
        AM_FIELD("hold", RECORD, am_contact_def, hold, .inner = &am_function_schema,                                   \
                 .about = "law held: the normal force, a function of time"),                                           \
        AM_FIELD("contact_stiffness", NUMBER, am_contact_def, contact_stiffness, AM_POSITIVE,                          \
                 .initial = "required by the compliant laws", .unit = "force/length^contact_exponent",                 \
                 .about = "laws kelvin-voigt and hunt-crossley: K_c"),                                                 \
        AM_FIELD("contact_damping", NUMBER, am_contact_def, contact_damping, AM_NOT_NEGATIVE, .initial = "0",          \
                 .unit = "force x time/length", .about = "law kelvin-voigt: D_c"),                                     \
        AM_FIELD("contact_exponent", NUMBER, am_contact_def, contact_exponent, AM_POSITIVE, .initial = "1",            \
                 .about = "law hunt-crossley: power of the penetration, at least 1 (3/2: Hertz)"),                     \
        AM_FIELD("contact_dissipation", NUMBER, am_contact_def, contact_dissipation, AM_NOT_NEGATIVE, .initial = "0",  \
                 .unit = "time/length", .about = "law hunt-crossley: alpha of 1 + 3/2 alpha d'"),                      \
        AM_FIELD("regularisation", NUMBER, am_contact_def, regularisation, AM_NOT_NEGATIVE, .initial = "0",            \
                 .unit = "length/time",                                                                                \
                 .about =                                                                                              \
                     "analysis march: below this sliding velocity v friction is mu N v/regularisation; 0: Coulomb's "  \
                     "law itself, with stick")

/* What these rows leave to be read, and what they must agree in. A normal and a tangent that are not NULL say that the
 * contact has such rows. */
am_status am_contact_law_finish(am_reading *reading, const am_node *node, am_contact_def *contact);

#endif
