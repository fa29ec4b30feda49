/* Slider and base with all that was made of them: analyses take the system, reports the rest. */
#ifndef AMONTONS_MODELS_BLOCKS_H
#define AMONTONS_MODELS_BLOCKS_H
#include "amontons/models.h"
#include "base/schema.h"
#include "solid/dynamics.h"

/* Parts of it point to each other: it stays where it was made. */
typedef struct am_blocks_rig {
    am_blocks blocks; /* defaults filled in */
    double left;      /* the slider's left end; its middle is x = 0 */
    double base_left;
    double hertz; /* half-width that half-planes would have under P; 0: flat */
    am_solid_mesh mesh;
    am_mesh_rigid rigid;
    am_mesh_support support[3];
    am_mesh_load load[4];
    am_mesh_gravity gravity;
    am_mesh_drive drive;
    am_mesh_contact contact;
    double press[2][2], push[2][2]; /* times and values */
    am_solid_def def;
    am_solid *solid;
    am_solid_dynamics dynamics; /* with modes; its system was given away */
} am_blocks_rig;

am_blocks_rig *am_blocks_rig_create(const am_blocks *blocks, am_error *err);
void am_blocks_rig_free(am_blocks_rig *rig);

/* The rig's system, once: the caller's from then on. */
am_system *am_blocks_rig_system(am_blocks_rig *rig, am_error *err);

/* Of the contact: the thinner body's. */
double am_blocks_thickness(const am_blocks *blocks);

/* +1: pushed along x; -1: against it. */
double am_blocks_direction(const am_blocks *blocks);

/* ---- rows of am_blocks, which a study's settings begin with ---- */

extern const am_schema am_blocks_slider_schema, am_blocks_base_schema, am_blocks_mesh_schema;
extern const am_word am_blocks_control_words[], am_blocks_side_words[], am_blocks_hold_words[];

#define AM_BLOCKS_NUMBER(name_, ...) AM_FIELD(#name_, NUMBER, am_blocks, name_, __VA_ARGS__)
#define AM_BLOCKS_FIELDS                                                                                               \
    AM_FIELD("slider", RECORD, am_blocks, slider, .inner = &am_blocks_slider_schema, .initial = "140 x 80 x 6",        \
             .about = "{length, height, thickness, E, nu, plane, density, rigid}",                                     \
             .example = "{length: 140, height: 80, thickness: 6, E: 3100, nu: 0.35, plane: stress}"),                  \
        AM_FIELD("base", RECORD, am_blocks, base, .inner = &am_blocks_base_schema, .initial = "300 x 30 x 30",         \
                 .about = "the same",                                                                                  \
                 .example = "{length: 300, height: 30, thickness: 30, E: 3100, nu: 0.35, plane: strain}"),             \
        AM_BLOCKS_NUMBER(P, AM_NOT_NEGATIVE, .initial = "3000", .unit = "force",                                       \
                         .about = "normal load, even on the slider's top; from 0 at t = -1 to P at t = 0",             \
                         .example = "3000"),                                                                           \
        AM_BLOCKS_NUMBER(load_height, AM_NOT_NEGATIVE, .initial = "6", .unit = "length",                               \
                         .about = "h, where the slider is pushed, above the interface", .example = "6"),               \
        AM_FIELD("load_at", WORD, am_blocks, side, .words = am_blocks_side_words, .initial = "left",                   \
                 .about = "where the slider is pushed"),                                                               \
        AM_FIELD("control", WORD, am_blocks, control, .words = am_blocks_control_words, .initial = "force",            \
                 .about = "what is prescribed, from 0 at t = 0 to its end at t = 1"),                                  \
        AM_BLOCKS_NUMBER(Q_over_P, AM_NOT_NEGATIVE, .optional = true, .initial = "0.99 f",                             \
                         .about = "control force: Q/P at t = 1"),                                                      \
        AM_BLOCKS_NUMBER(push, AM_NOT_NEGATIVE, .optional = true, .initial = "none", .unit = "length",                 \
                         .about = "control displacement and spring: how far at t = 1"),                                \
        AM_BLOCKS_NUMBER(stiffness, AM_POSITIVE, .zero_unset = true, .initial = "none", .unit = "force/length",        \
                         .about = "control spring: its stiffness"),                                                    \
        AM_BLOCKS_NUMBER(speed, AM_POSITIVE, .zero_unset = true, .initial = "none", .unit = "length/time",             \
                         .about = "control spring: of its far end from t = 0 on, for ever; instead of push"),          \
        AM_BLOCKS_NUMBER(mass_damping, AM_NOT_NEGATIVE, .initial = "0", .unit = "1/time",                              \
                         .about = "dynamics: damping over mass"),                                                      \
        AM_BLOCKS_NUMBER(stiffness_damping, AM_NOT_NEGATIVE, .initial = "0", .unit = "time",                           \
                         .about = "dynamics: damping over stiffness of the blocks"),                                   \
        AM_BLOCKS_NUMBER(position, AM_NOT_NEGATIVE, .optional = true, .initial = "centred", .unit = "length",          \
                         .about = "of the slider's left end from that of the base"),                                   \
        AM_FIELD("supports", FLAGS, am_blocks, hold, .words = am_blocks_hold_words, .initial = "[bottom, right]",      \
                 .about = "sides of the base that are fixed"),                                                         \
        AM_BLOCKS_NUMBER(radius, AM_POSITIVE, .zero_unset = true, .initial = "none: flat", .unit = "length",           \
                         .about = "of curvature of the gap, closed at the slider's middle: a Hertzian contact"),       \
        AM_BLOCKS_NUMBER(gravity, .initial = "0", .unit = "length/time^2", .about = "downwards, with P"),              \
        AM_FIELD("mesh", RECORD, am_blocks, mesh, .inner = &am_blocks_mesh_schema, .initial = "graded",                \
                 .about = "{element, size, ends, zone, growth, largest}")

/* The mesh of what is not rigid. */
am_status am_blocks_mesh_make(am_blocks_rig *rig, am_error *err);

#endif
