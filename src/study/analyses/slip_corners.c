#include "study/analyses/slip_corners.h"

#include <math.h>

#include "math/pi.h"

/* NaN: not given. */
typedef struct corner_setting {
    double P, P_over_P0, Q, Q_over_fP, Q_over_fP0;
    size_t steps;
} corner_setting;

#define LOAD(name_, ...) AM_FIELD(#name_, NUMBER, corner_setting, name_, .optional = true, __VA_ARGS__)

static const am_field fields[] = {
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

const am_schema am_slip_corner_schema = {.name = "corner",
                                         .title = "corner of the path",
                                         .about = "Loads; what is left out stays as it was.",
                                         .size = sizeof(corner_setting),
                                         AM_FIELDS(fields)};

static void oscillation_defaults(void *record) {
    am_slip_oscillation *oscillation = record;
    *oscillation = (am_slip_oscillation){.phase_deg = 90.0, .corners = 40};
}

static const am_field oscillation_fields[] = {
    AM_FIELD("P_over_P0", NUMBER, am_slip_oscillation, P_over_P0, .initial = "0",
             .about = "amplitude of P over the model's P"),
    AM_FIELD("Q_over_fP0", NUMBER, am_slip_oscillation, Q_over_fP0, .required = true,
             .about = "amplitude of Q over f and the model's P"),
    AM_FIELD("phase_deg", NUMBER, am_slip_oscillation, phase_deg, .initial = "90", .about = "by which P leads Q"),
    AM_FIELD("corners", COUNT, am_slip_oscillation, corners, .least = 3, .most = 1000, .initial = "40",
             .about = "of the polygon that stands for the ellipse"),
};

const am_schema am_slip_oscillation_schema = {.name = "oscillation",
                                              .title = "oscillation",
                                              .about = "P and Q as sines of one period.",
                                              .size = sizeof(am_slip_oscillation),
                                              .defaults = oscillation_defaults,
                                              AM_FIELDS(oscillation_fields)};

bool am_slip_corners_given(const am_slip_corners *corners) {
    return corners->path.node || corners->cycle.node || corners->oscillation.corners;
}

am_status am_slip_corners_check(am_reading *reading, const am_node *node, const am_slip_corners *corners) {
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

static void fill(const am_records *corners, const am_slip_contact *contact, am_slip_corner *loads,
                 am_slip_corner *list) {
    const corner_setting *items = corners->items;
    for (size_t i = 0; i < corners->count; i++)
        list[i] = corner_of(&items[i], contact, loads);
}

static bool same(const am_slip_corner *one, const am_slip_corner *other, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (one[i].P != other[i].P || one[i].Q != other[i].Q)
            return false;
    return true;
}

/* Corners at equal angles around the circle, from 0 on; steps on each leg, so that a cycle has some 160. */
static void fill_oscillation(const am_slip_oscillation *oscillation, const am_slip_contact *contact,
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
static void fill_round(const am_slip_corners *corners, const am_slip_contact *contact, am_slip_corner *loads,
                       am_slip_corner *list) {
    if (corners->oscillation.corners)
        fill_oscillation(&corners->oscillation, contact, list);
    else
        fill(&corners->cycle, contact, loads, list);
}

/* What a cycle leaves out stays as it was: at first as the path left it, later as the cycle itself does. Where that is
 * not the same, the first time round belongs to the path. */
am_status am_slip_corners_take(am_reading *reading, const am_slip_corners *corners, const am_slip_contact *contact,
                               am_slip_options *options) {
    if (!am_slip_corners_given(corners))
        return AM_OK;
    bool pressed = corners->path.count > 0;
    size_t before = pressed ? corners->path.count : 1;
    size_t round = corners->oscillation.corners ? corners->oscillation.corners : corners->cycle.count;
    am_slip_corner *list = am_arena_new(reading->pool, before + 2 * round, sizeof *list, reading->err);
    if (!list)
        return AM_ERR_MEMORY;
    am_slip_corner loads = {.P = contact->P}, *first = list + before, *later = first + round;
    list[0] = loads;
    fill(&corners->path, contact, &loads, list);
    fill_round(corners, contact, &loads, first);
    fill_round(corners, contact, &loads, later);
    bool differs = options->cycles > 1 && !same(first, later, round);
    options->path = list;
    options->path_count = before + (differs ? round : 0);
    options->cycle = differs ? later : first;
    options->cycle_count = round;
    options->cycles -= differs;
    return AM_OK;
}
