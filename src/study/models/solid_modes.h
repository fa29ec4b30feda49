/* The keys `modes` and `modes_check` of models of meshed bodies (blocks, mesh). */
#ifndef AMONTONS_STUDY_MODELS_SOLID_MODES_H
#define AMONTONS_STUDY_MODELS_SOLID_MODES_H
#include "solid/dynamics.h"
#include "study/models.h"

typedef struct am_modes_setting {
    const am_node *node; /* a number, or `auto` */
    bool check;          /* true before reading */
    size_t count;        /* of the first try; 0: no mass */
    bool automatic;
} am_modes_setting;

#define AM_MODES_FIELDS(struct_, member)                                                                               \
    {.name = "modes",                                                                                                  \
     .type = AM_FIELD_NODE,                                                                                            \
     .offset = offsetof(struct_, member.node),                                                                         \
     .initial = "0: no mass",                                                                                          \
     .about = "dynamics: shapes of the bodies in which all contacts rest, how many, or auto: as many as it takes "     \
              "until the answer stands still; needs densities"},                                                       \
    {                                                                                                                  \
        .name = "modes_check", .type = AM_FIELD_FLAG, .offset = offsetof(struct_, member.check), .initial = "true",    \
        .about = "a given number of modes: run again with twice as many, and say how much that changes"                \
    }

/* Fills count and automatic. */
am_status am_modes_finish(am_reading *reading, am_modes_setting *setting);

am_mode_choice am_modes_of(const am_modes_setting *setting, const am_solid_dynamics *dynamics);

#endif
