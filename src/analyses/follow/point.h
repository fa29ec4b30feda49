/* One orbit of a branch: closed at one value of the parameter, with the switches it makes. See docs/follow.md. */
#ifndef AMONTONS_ANALYSES_FOLLOW_POINT_H
#define AMONTONS_ANALYSES_FOLLOW_POINT_H
#include "amontons/orbit.h"
#include "engines/switching/flow.h"
#include "system/model.h"

enum { AM_FOLLOW_MOST_EVENTS = 512 };

typedef struct am_follow_event {
    size_t contact;
    am_contact_state from, to;
    double t;     /* after the section */
    double speed; /* of approach, just before an impact; 0: no impact */
} am_follow_event;

/* An orbit with the section it was closed on. */
typedef struct am_follow_point {
    double p;
    size_t contacts;
    am_orbit orbit;
    am_orbit_return how;
    double size;  /* largest entry of the state along the orbit */
    size_t count; /* of switches, those of an accumulation of impacts taken together */
    am_follow_event events[AM_FOLLOW_MOST_EVENTS];
} am_follow_point;

void am_follow_clear(am_follow_point *x);
void am_follow_move(am_follow_point *to, am_follow_point *from); /* `from` is empty afterwards */
am_status am_follow_copy(const am_follow_point *from, am_follow_point *to, am_error *err);

/* The system of one value, and an engine for it; to be closed in any case. */
typedef struct am_follow_system {
    const am_system *system; /* the model's */
    am_motion *engine;
} am_follow_system;
am_status am_follow_open(const am_model_line *line, double p, am_follow_system *opened, am_error *err);
void am_follow_shut(am_follow_system *opened);

/* Close the orbit at p from a guess on the section of `like`, whose states of contact it is made to agree with (like
 * may lack an orbit). AM_ERR_LIMIT, with the reason in err, whenever there is no such orbit: the guess is nobody's
 * input. Other errors (no system at p, memory, interruption) end the branch. */
am_status am_follow_close(const am_model_line *line, double p, const am_follow_point *like, const double *guess,
                          am_follow_point *x, am_error *err);

/* The same near `last`: along the line through it and `before` (NULL: none), then from `last` as it is. An orbit far
 * away is another one, and not taken. */
am_status am_follow_close_near(const am_model_line *line, double p, const am_follow_point *last,
                               const am_follow_point *before, am_follow_point *x, am_error *err);

bool am_follow_same_section(const am_follow_point *a, const am_follow_point *b);

/* The same switches in the same cyclic order: between two such orbits everything is smooth. */
bool am_follow_same_sequence(const am_follow_point *a, const am_follow_point *b);

/* Difference of two orbits: of their states, where they have one section, as a part of the largest state along the
 * orbit (the state at the section may happen to be small); else of their periods. */
double am_follow_difference(const am_follow_point *a, const am_follow_point *b);

/* Newton's method may end on another orbit, far away: is x one that `last` may have become? */
bool am_follow_is_neighbour(const am_follow_point *x, const am_follow_point *last);

/* The orbit that grazes: on it some gap, normal force, sliding velocity or friction reserve touches zero. See
 * docs/follow.md. */
typedef struct am_follow_graze {
    double p;
    am_quantity quantity; /* that touches zero */
    am_follow_point side; /* an orbit next to it, on which the quantity is still positive */
} am_follow_graze;

/* Starting from an orbit on which the quantities are positive, which is the first to touch zero on the way to the value
 * `toward`, and where? `before`: an orbit farther away with the same switches, if it has any. [low, high] is the whole
 * way of the branch, a part of which (docs/follow.md) the answer is good to, and which is not left. *found is false
 * when none does. The caller clears graze->side. */
am_status am_follow_find_graze(const am_model_line *line, const am_follow_point *before, const am_follow_point *from,
                               double toward, double low, double high, am_follow_graze *graze, bool *found,
                               am_error *err);

/* ---- a branch (follow.c) ---- */

/* Who wants to know of a branch while it is followed: each of its orbits in turn, and each bifurcation between two of
 * them (contact: (size_t)-1 where it has none). Both may end it with an error. */
typedef struct am_follow_watch {
    am_status (*point)(void *context, const am_follow_point *x, am_error *err);
    am_status (*bifurcation)(void *context, double p, const char *kind, size_t contact, const char *what,
                             am_error *err);
    void *context;
} am_follow_watch;

typedef struct am_follow_end {
    size_t points, turns; /* of the branch; folds passed */
    double p;             /* of its last orbit */
    char why[512];        /* it ends */
} am_follow_end;

/* *end is filled in any case. */
am_status am_follow_branch(const am_model_line *line, const am_follow_options *options, const am_follow_watch *watch,
                           const am_progress *progress, am_follow_end *end, am_error *err);

/* ---- the next time (follow_trace.c) ---- */

/* The orbits of a branch, to be taken down. */
typedef struct am_follow_trace am_follow_trace;
am_follow_trace *am_follow_trace_create(const am_model_line *line, am_error *err);
am_status am_follow_trace_add(am_follow_trace *trace, const am_follow_point *x, am_error *err);
/* It goes to who wants it, unless it is not whole. NULL is fine. */
void am_follow_trace_end(am_follow_trace *trace, bool whole, const am_progress *progress);

typedef struct am_follow_preview {
    size_t points, lost; /* no points: there was nothing that fits, or nothing closed */
} am_follow_preview;

/* The orbits of the trace, closed for the present numbers, to the watch; nothing, where no preview is asked for. */
am_status am_follow_draw_preview(const am_model_line *line, const am_follow_options *options,
                                 const am_follow_watch *watch, const am_progress *progress, am_follow_preview *made,
                                 am_error *err);

/* ---- grazes (graze.c) ---- */

/* Its name: grazing-impact, grazing-lift-off, grazing-sliding or adding-sliding. */
const char *am_follow_graze_name(am_quantity_kind kind);

#endif
