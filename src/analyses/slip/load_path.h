/* Loads in any order: legs of P and Q, walked by superposition or by boundary elements. */
#ifndef AMONTONS_ANALYSES_SLIP_LOAD_PATH_H
#define AMONTONS_ANALYSES_SLIP_LOAD_PATH_H
#include "analyses/slip/solution.h"
#include "halfplane/superposition.h"

/* Points on a leg where nothing else says how many. */
enum { AM_SLIP_LEG_POINTS = 40 };

/* All corners, one after the other, from where nothing touches. */
typedef struct am_slip_route {
    const char *table; /* where its points are written */
    const char *leg;   /* what that table calls legs */
    size_t count;
    am_slip_corner *corner;
    size_t first;   /* the leg whose points are the first to be written, from its start; those before have none */
    size_t shown;   /* the number that leg has in the table */
    size_t closing; /* corners of the last cycle, at the end of the route; 0: there is no cycle */
    double P;       /* the contact's own, to which others are relative */
    double f;
} am_slip_route;

bool am_slip_has_path(const am_slip_options *options);

/* The path and its cycles; or the turns of Q, which are a path at constant P. */
am_status am_slip_route_of_path(am_slip_route *route, const am_slip_contact *contact, const am_slip_options *options,
                                am_error *err);
am_status am_slip_route_of_turns(am_slip_route *route, const am_slip_contact *contact, const am_slip_options *options,
                                 am_error *err);
void am_slip_route_free(am_slip_route *route);

/* Loads at which the contact would slide, tip over or part are refused, with the leg. */
am_status am_slip_check_path(const am_slip_contact *contact, const am_slip_options *options, am_error *err);

/* The contact with the load at the end of its path, or with the largest one on it; the same contact without a path. */
am_slip_contact am_slip_path_end(const am_slip_contact *contact, const am_slip_options *options);
am_slip_contact am_slip_path_widest(const am_slip_contact *contact, const am_slip_options *options);

/* What walks. */
typedef struct am_slip_point_of_path {
    double P, Q, displacement, approach, a, c, lost;
} am_slip_point_of_path;

/* What is seen at a place of the surfaces. */
typedef struct am_slip_seen {
    double x, p, q;
    am_contact_state state;
} am_slip_seen;

typedef struct am_slip_walker {
    void *engine;
    size_t places; /* along the surfaces, looked at after every step; 0: none */
    am_slip_seen (*look)(const void *engine, size_t place, size_t places);
    am_status (*step)(void *engine, double P, double Q, am_error *err);
    am_slip_point_of_path (*observe)(const void *engine);
    size_t steps;     /* on a leg whose corner does not say; 0: AM_SLIP_LEG_POINTS */
    bool even_growth; /* steps that add about the same to the half-width, not to the load */
} am_slip_walker;

/* Walk the whole route, fill its table; the loss and the area of the last cycle go to the summary. */
am_status am_slip_walk(const am_slip_route *route, const am_slip_walker *walker, am_result *result,
                       const am_progress *progress, am_error *err);

/* The state at the end of a path in closed form; am_slip_walked_free(state->walked) ends it. */
am_status am_slip_solve_path(am_slip_state *state, const am_slip_contact *contact, const am_slip_options *options,
                             am_result *result, const am_progress *progress, am_error *err);

struct am_slip_walked {
    am_slip_contact contact; /* with the last P */
    am_slip_route route;
    am_superposition now, half; /* at the end, and halfway along the last leg */
    am_superposition scratch;
    size_t edge_count; /* where tractions have kinks, in order */
    double *edge;
};

void am_slip_walked_free(am_slip_walked *walked);

#endif
