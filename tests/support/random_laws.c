#include "random_laws.h"

am_speed_friction random_speed_law(random_source *random, bool gentle, law_points *points) {
    double high = random_between(random, 0.3, 0.5), low = random_between(random, 0.1, 0.3);
    double least = gentle ? 0.2 : 0.1;
    switch (random_index(random, gentle ? 4 : 5)) {
    case 0:
        return (am_speed_friction){.law = "stribeck",
                                   .parameter = {high, low, random_between(random, least, 1),
                                                 random_chance(random, 0.5) ? 1 : 2, random_between(random, 0, 0.05)}};
    case 1:
        return (am_speed_friction){.law = "hyperbolic", .parameter = {high, low, random_between(random, least, 1)}};
    case 2:
        return (am_speed_friction){
            .law = "falling",
            .parameter = {high, gentle ? random_between(random, 0.02, 0.2) : random_between(random, 0.1, 0.5), low}};
    default:
        break;
    }
    if (!gentle)
        points->speed[0] = random_chance(random, 0.5) ? 0 : 0.05;
    for (size_t i = 0; i < LAW_POINTS; i++) {
        if (gentle)
            points->speed[i] = 0.4 * (double)i;
        else if (i > 0)
            points->speed[i] = points->speed[i - 1] + random_between(random, 0.05, 0.4);
        points->coefficient[i] = gentle ? random_between(random, 0.3, 0.4) : random_between(random, 0.1, 0.5);
    }
    return (am_speed_friction){
        .law = "table", .points = LAW_POINTS, .speed = points->speed, .coefficient = points->coefficient};
}

void random_weakening(random_source *random, am_contact_def *contact, law_points *points) {
    static const am_friction_law laws[] = {AM_FRICTION_RAMP, AM_FRICTION_STEP, AM_FRICTION_EXPONENTIAL,
                                           AM_FRICTION_TABLE};
    contact->speed_friction = (am_speed_friction){.law = NULL};
    contact->weakening =
        (am_friction){.law = laws[random_index(random, 4)], .distance = random_between(random, 0.1, 1)};
    if (contact->weakening.law != AM_FRICTION_TABLE) {
        contact->friction = random_between(random, 0.1, 0.3);
        contact->static_friction = random_between(random, 0.3, 0.5);
        return;
    }
    contact->weakening.count = LAW_POINTS;
    contact->weakening.slip = points->slip;
    contact->weakening.coefficient = points->coefficient;
    for (size_t i = 0; i < LAW_POINTS; i++) { /* may rise in between */
        points->slip[i] = i > 0 ? points->slip[i - 1] + random_between(random, 0.1, 0.5) : 0;
        points->coefficient[i] = random_between(random, 0.1, 0.5);
    }
}

am_speed_friction random_drag_law(random_source *random, drag_kind kind) {
    double high = random_between(random, 0.3, 0.5), low = random_between(random, 0.1, 0.3);
    switch (kind) {
    case TANH:
        return (am_speed_friction){.law = "tanh", .parameter = {high, random_between(random, 0.05, 0.3)}};
    case DAHL:
        return (am_speed_friction){.law = "dahl", .parameter = {random_between(random, 2, 20), high}};
    case LUGRE:
        return (am_speed_friction){.law = "lugre",
                                   .parameter = {random_between(random, 5, 30),
                                                 random_chance(random, 0.5) ? random_between(random, 0.1, 1) : 0,
                                                 random_between(random, 0, 0.2), high, low,
                                                 random_between(random, 0.1, 0.5)}};
    case BOUC_WEN: {
        static const double powers[] = {1, 1.5, 2, 3};
        double beta = random_between(random, 2, 5);
        return (am_speed_friction){.law = "bouc-wen",
                                   .parameter = {random_between(random, 0.5, 3), random_between(random, 0.5, 2), beta,
                                                 beta * random_between(random, -0.5, 1),
                                                 powers[random_index(random, 4)]}};
    }
    default:
        return (am_speed_friction){.law = "rate-and-state",
                                   .parameter = {high, random_between(random, 0.02, 0.08),
                                                 random_between(random, 0.02, 0.08), random_between(random, 0.1, 0.5),
                                                 random_between(random, 0.05, 0.3), kind == SLIP, 0}};
    }
}

void random_slider(random_source *random, am_contact_def *contact) {
    contact->speed_friction = (am_speed_friction){.law = NULL};
    contact->weakening = (am_friction){.law = AM_FRICTION_COULOMB};
    contact->friction = random_between(random, 0.1, 0.6);
    contact->static_friction = 0;
    contact->tangential_stiffness = random_between(random, 1, 10);
}
