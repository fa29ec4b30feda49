/* Following an orbit along a parameter. See docs/follow.md. */
#include "amontons/orbit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/analysis.h"
#include "analyses/follow/point.h"
#include "analyses/orbit/orbit_internal.h"
#include "analyses/orbit/verdict.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/trace.h"
#include "base/watch.h"

enum { OPTIONS_COOKIE = 0x414d464c, MOST_BISECTIONS = 60, MOST_CHANGES = 16, MOST_TURNS = 16 };

/* Where a bifurcation lies is known to this part of the way. */
static const double location = 1e-9;

am_follow_options am_follow_options_default(void) {
    return (am_follow_options){.cookie = OPTIONS_COOKIE};
}

typedef am_follow_point point;
typedef am_follow_event event;

typedef struct branch {
    am_model_line line;
    const am_follow_options *options;
    const am_follow_watch *watch;
    double whole;             /* the way from `from` to `to` */
    double longest, smallest; /* steps */
    double target;            /* parameter the branch goes to: `to`, after a fold `from` */
    size_t turns;             /* folds passed */
    size_t point_count;
    char reason[400]; /* why no orbit was found at the last value tried */
    char end[512];    /* why the branch ends */
} branch;

/* ---- comparing ---- */

/* The shortest phase of one contact in an orbit: index of the event that begins it; the one that ends it in *end. */
static size_t shortest_phase(const point *x, size_t *end) {
    size_t begin = 0;
    double shortest = INFINITY;
    *end = 0;
    for (size_t i = 0; i < x->count; i++)
        for (size_t k = 1; k <= x->count; k++) {
            size_t j = (i + k) % x->count;
            if (x->events[j].contact != x->events[i].contact)
                continue;
            double length = x->events[j].t - x->events[i].t + (j <= i ? x->orbit.period : 0.0);
            if (length < shortest) {
                shortest = length;
                begin = i;
                *end = j;
            }
            break;
        }
    return begin;
}

/* Name the change between two neighbouring orbits by the phase that vanishes in the richer one. */
static const char *name_change(const point *a, const point *b, size_t *contact) {
    const point *rich = a->count > b->count ? a : b;
    size_t end, begin = shortest_phase(rich, &end);
    if (a->count == b->count)
        return "switching";
    const event *enters = &rich->events[begin], *leaves = &rich->events[end];
    *contact = enters->contact;
    am_contact_state during = enters->to;
    if (enters->from == AM_OPEN && leaves->to == AM_OPEN)
        return "grazing-impact";
    if (during == AM_OPEN)
        return "grazing-lift-off";
    if (enters->from == leaves->to)
        return during == AM_STICK ? "grazing-sliding" : enters->from == AM_STICK ? "adding-sliding" : "switching";
    return during == AM_STICK ? "crossing-sliding" : "switching";
}

/* A multiplier that passes the unit circle is next to it on both sides. One that jumps across has met something else.
 */
static bool jumps(const point *a, const point *b) {
    static const double widest = 1e-2;
    return fabs(a->orbit.multiplier - 1.0) > widest || fabs(b->orbit.multiplier - 1.0) > widest;
}

static const char *name_multiplier(const point *x) {
    double re = x->orbit.multiplier_re[0], im = x->orbit.multiplier_im[0];
    if (fabs(im) > 1e-6 * fabs(re))
        return "Neimark-Sacker";
    return re > 0.0 ? "fold" : "flip";
}

/* ---- who watches ---- */

static am_status add_point(branch *b, const point *x, am_error *err) {
    b->point_count++;
    return b->watch->point(b->watch->context, x, err);
}

static am_status add_bifurcation(branch *b, double p, const char *kind, size_t contact, const char *what,
                                 am_error *err) {
    return b->watch->bifurcation(b->watch->context, p, kind, contact, what, err);
}

/* ---- locating ---- */

static am_status close_near(branch *b, double p, const point *last, const point *before, point *x, am_error *err) {
    am_status status = am_follow_close_near(&b->line, p, last, before, x, err);
    if (status == AM_ERR_LIMIT)
        snprintf(b->reason, sizeof b->reason, "%.390s", err->message);
    return status;
}

typedef bool differs(const point *a, const point *b);

static bool other_sequence(const point *a, const point *b) {
    return !am_follow_same_sequence(a, b);
}

static bool other_stability(const point *a, const point *b) {
    return a->orbit.stable != b->orbit.stable;
}

static const char *stability_word(const point *x) {
    return x->orbit.stable ? "stable" : "unstable";
}

/* Halve [low, high], whose ends differ, until they are as near as `width`. Both points are replaced by the nearest ones
 * found; where nothing closes in between they stay apart. `before`: an orbit before low, to aim with; may be empty. */
static am_status bisect(branch *b, const point *before, point *low, point *high, differs *differ, double width,
                        am_error *err) {
    point earlier[2] = {0}, middle = {0};
    am_status status = before->orbit.state ? am_follow_copy(before, &earlier[0], err) : AM_OK;
    for (int step = 0; step < MOST_BISECTIONS && !status && fabs(high->p - low->p) > width; step++) {
        double p = 0.5 * (low->p + high->p);
        bool smooth = am_follow_same_sequence(low, high);
        status = close_near(b, p, low, smooth ? high : &earlier[0], &middle, err);
        if (status == AM_ERR_LIMIT)
            status = close_near(b, p, high, smooth ? low : &earlier[1], &middle, err);
        if (status)
            break;
        bool above = differ(low, &middle);
        am_follow_move(&earlier[above], above ? high : low);
        am_follow_move(above ? high : low, &middle);
    }
    am_follow_clear(&earlier[0]);
    am_follow_clear(&earlier[1]);
    return status == AM_ERR_LIMIT ? AM_OK : status;
}

/* The real multiplier nearest to 1, less 1: its sign tells the two sides of a fold apart. */
static double rest_to_one(const point *x) {
    double rest = INFINITY;
    for (size_t i = 0; i < x->orbit.dimension; i++)
        if (fabs(x->orbit.multiplier_im[i]) < 0.01 && fabs(x->orbit.multiplier_re[i] - 1.0) < fabs(rest))
            rest = x->orbit.multiplier_re[i] - 1.0;
    return rest;
}

/* At a fold a multiplier comes to 1 as the square root of the distance; where all stay away from 1 the branch ends for
 * another reason (a switch that static friction makes a jump). */
static bool ends_in_fold(const point *last, const point *before) {
    double rest = fabs(rest_to_one(last));
    return before->orbit.state && rest < 0.05 && rest < 0.9 * fabs(rest_to_one(before));
}

/* A change of the sequence of switches. */
typedef struct border {
    double p;
    const char *kind;
    size_t contact;
    bool joined;  /* the orbits on both sides meet there */
    bool grazes;  /* one of the two does: the border is real whether or not they meet */
    bool located; /* p is as good as promised */
} border;

/* Do two orbits on both sides of a border tend to the same one? They differ by what the remaining distance explains: it
 * is a square root for some. */
static bool they_meet(const branch *b, const point *x, const point *y) {
    double apart = fabs(x->p - y->p) / b->longest;
    return am_follow_difference(x, y) <= 1e-3 + 0.3 * sqrt(fmin(1.0, apart));
}

static const point none = {0};

/* The orbit between x, on which nothing touches yet, and the value `toward` that grazes. `before`: an orbit on the way
 * to x, or none. x is replaced by the nearest orbit on its side. */
static am_status solve_graze(branch *b, const point *before, point *x, double toward, border *found, am_error *err) {
    am_follow_graze graze;
    double least = fmin(b->options->from, b->options->to);
    am_status status =
        am_follow_find_graze(&b->line, before, x, toward, least, least + b->whole, &graze, &found->located, err);
    if (found->located) {
        found->p = graze.p;
        found->kind = am_follow_graze_name(graze.quantity.kind);
        found->contact = graze.quantity.contact;
        am_follow_move(x, &graze.side);
    }
    am_follow_clear(&graze.side);
    return status;
}

/* A change that nothing grazes at. A phase between two directions of slip can vanish that way, or two switches change
 * places; where the orbits differ by another phase, although the change is located, one of them has ended (in a fold,
 * most often) and the other is not its continuation, however near it is. */
static void name_border(const branch *b, const point *low, const point *high, border *found) {
    *found = (border){.p = 0.5 * (low->p + high->p), .contact = (size_t)-1};
    found->located = fabs(high->p - low->p) <= location * b->whole;
    found->kind = name_change(low, high, &found->contact);
    bool may_vanish = !strcmp(found->kind, "crossing-sliding") || !strcmp(found->kind, "switching");
    found->joined = they_meet(b, low, high) && (may_vanish || !found->located);
    if (!found->joined)
        found->kind = "switching";
}

/* Where between low and high does the sequence change first, and what happens there? Both are replaced by the nearest
 * orbits on either side. Low may graze, and that is seen from where it stands; or high, once it is next to the border:
 * then it has the fewer switches. */
static am_status locate_border(branch *b, const point *before, point *low, point *high, border *found, am_error *err) {
    border other = {0};
    *found = (border){0};
    AM_TRY(solve_graze(b, before, low, high->p, found, err));
    AM_TRY(bisect(b, before, low, high, other_sequence, 1e-4 * b->longest, err));
    if (high->count < low->count)
        AM_TRY(solve_graze(b, &none, high, low->p, &other, err));
    found->grazes = found->located && !other.located;
    if (other.located)
        *found = other;
    found->joined = they_meet(b, low, high);
    if (found->located)
        return AM_OK;
    AM_TRY(bisect(b, before, low, high, other_sequence, location * b->whole, err));
    name_border(b, low, high, found);
    return AM_OK;
}

/* Between two orbits with the same sequence everything is smooth: a multiplier that leaves or enters the unit circle
 * passes through it. */
static am_status report_stability(branch *b, const point *before, const point *after, am_error *err) {
    if (!other_stability(before, after))
        return AM_OK;
    AM_LOCAL(am_follow_clear) point low = {0};
    AM_LOCAL(am_follow_clear) point high = {0};
    AM_TRY(am_follow_copy(before, &low, err));
    AM_TRY(am_follow_copy(after, &high, err));
    AM_TRY(bisect(b, before, &low, &high, other_stability, location * b->whole, err));
    char what[128];
    bool jump = jumps(&low, &high);
    snprintf(what, sizeof what, "%s becomes %s", stability_word(before), stability_word(after));
    if (jump)
        snprintf(what + strlen(what), sizeof what - strlen(what), ": the multiplier jumps from %.4g to %.4g",
                 low.orbit.multiplier, high.orbit.multiplier);
    return add_bifurcation(b, 0.5 * (low.p + high.p), jump ? "switching" : name_multiplier(&high), (size_t)-1, what,
                           err);
}

/* What the change is, in words; how well it is located where orbits did not close next to it. */
static am_status report_border(branch *b, const border *found, const point *low, const point *high, am_error *err) {
    char what[256];
    size_t length =
        (size_t)snprintf(what, sizeof what, "%zu switches become %zu", low->orbit.switches, high->orbit.switches);
    if (other_stability(low, high))
        length += (size_t)snprintf(what + length, sizeof what - length, ", %s becomes %s", stability_word(low),
                                   stability_word(high));
    if (!found->joined)
        length += (size_t)snprintf(what + length, sizeof what - length, ": the orbit jumps");
    if (!found->located)
        snprintf(what + length, sizeof what - length, " (somewhere between %.10g and %.10g)", low->p, high->p);
    return add_bifurcation(b, found->p, found->kind, found->contact, what, err);
}

/* From `last` to `next` piece by piece: within each the sequence stays the same, between two of them something grazes.
 * Where two pieces do not meet, and it is not this branch's orbit that grazes there, `next` is not known to be on the
 * branch: it is left in `beyond`, the last orbit that is on it takes its place, and *alive becomes false. */
static am_status examine_pieces(branch *b, const point *before, point *start, point *next, bool *alive, am_error *err) {
    AM_LOCAL(am_follow_clear) point low = {0};
    AM_LOCAL(am_follow_clear) point high = {0};
    for (int changes = 0; *alive && changes < MOST_CHANGES && other_sequence(start, next); changes++) {
        border found = {0};
        AM_TRY(am_follow_copy(start, &low, err));
        AM_TRY(am_follow_copy(next, &high, err));
        AM_TRY(locate_border(b, changes == 0 ? before : &none, &low, &high, &found, err));
        AM_TRY(report_stability(b, start, &low, err));
        *alive = found.joined || found.grazes;
        if (*alive)
            AM_TRY(report_border(b, &found, &low, &high, err));
        am_follow_move(start, *alive ? &high : &low);
    }
    return *alive && am_follow_same_sequence(start, next) ? report_stability(b, start, next, err) : AM_OK;
}

static am_status examine(branch *b, const point *before, const point *last, point *next, point *beyond, bool *alive,
                         am_error *err) {
    AM_LOCAL(am_follow_clear) point start = {0};
    AM_TRY(am_follow_copy(last, &start, err));
    AM_TRY(examine_pieces(b, before, &start, next, alive, err));
    if (!*alive) {
        am_follow_move(beyond, next);
        am_follow_move(next, &start);
    }
    return next->p == last->p ? AM_OK : add_point(b, next, err);
}

/* ---- the branch ---- */

static am_status first_point(const branch *b, point *x, const am_progress *progress, am_error *err) {
    am_orbit_options fallback = am_orbit_options_default();
    const am_orbit_options *options = b->options->first ? b->options->first : &fallback;
    am_orbit_search search;
    point found = {0};
    am_follow_system at;
    am_status status = am_follow_open(&b->line, b->options->from, &at, err);
    if (!status)
        status = options->transient == 0 ? am_orbit_close_guess(at.engine, options, &found.orbit, &search, err)
                                         : am_orbit_find(at.engine, options, &found.orbit, &search, progress, err);
    am_follow_shut(&at);
    if (!status && search.outcome != AM_ORBIT_PERIODIC)
        status = am_fail(err, AM_ERR_LIMIT, "there is no periodic motion to follow at the first value, %g: %s",
                         b->options->from, search.sentence);
    if (!status) {
        found.how = search.how;
        status = am_follow_close(&b->line, b->options->from, &found, found.orbit.state, x, err);
    }
    am_orbit_clear(&found.orbit);
    return status;
}

/* The next value, a step ahead; a rest that is nothing but rounding is taken along. */
static double next_value(const branch *b, const point *last, double step) {
    double way = b->target - last->p;
    return fabs(way) <= step + location * b->whole ? b->target : last->p + copysign(step, way);
}

/* One step forward; halved until the orbit closes. False in *alive at the end of the branch. */
static am_status step_forward(branch *b, const point *last, const point *before, double *step, point *next, bool *alive,
                              am_error *err) {
    *alive = true;
    for (;;) {
        am_status status = close_near(b, next_value(b, last, *step), last, before, next, err);
        if (status != AM_ERR_LIMIT)
            return status;
        *step *= 0.5;
        if (*step < b->smallest) {
            *alive = false;
            return AM_OK;
        }
    }
}

/* ---- folds ---- */

/* Near a fold both orbits are x = fold +- c sqrt(distance): with `last` next to the fold and `side` a little way back,
 * the other orbit is near 2 last - side. */
static am_status mirror(branch *b, const point *last, const point *side, point *other, bool *found, am_error *err) {
    size_t d = last->orbit.dimension;
    const double *a = last->orbit.state, *s = side->orbit.state;
    *found = false;
    if (!am_follow_same_section(last, side))
        return AM_OK;
    double *guess = am_memory_doubles(a, d, err);
    if (!guess)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < d; i++)
        guess[i] += a[i] - s[i];
    am_status status = am_follow_close(&b->line, side->p, side, guess, other, err);
    am_memory_free(guess);
    if (status)
        return status == AM_ERR_LIMIT ? AM_OK : status;
    *found = am_follow_same_section(other, side) && am_follow_is_neighbour(other, side) &&
             rest_to_one(other) * rest_to_one(side) < 0.0;
    if (!*found)
        am_follow_clear(other);
    return AM_OK;
}

/* The orbit on the other side of the fold that `last` is next to; `came_with` has the sign of the multiplier less 1 on
 * this side. */
static am_status go_around(branch *b, const point *last, double came_with, point *other, bool *found, am_error *err) {
    static const double parts[] = {1e-5, 1e-4, 1e-3, 1e-2, 3e-2};
    double back = b->target > last->p ? -b->whole : b->whole;
    am_status status = AM_OK;
    *found = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status && !*found; i++) {
        point side = {0};
        status = close_near(b, last->p + parts[i] * back, last, NULL, &side, err);
        bool across = !status && rest_to_one(&side) * came_with < 0.0; /* Newton's method has gone around already */
        if (across) {
            am_follow_move(other, &side);
            *found = true;
        } else if (!status) {
            status = mirror(b, last, &side, other, found, err);
        }
        am_follow_clear(&side);
        status = status == AM_ERR_LIMIT ? AM_OK : status;
    }
    return status;
}

/* Turn back on the orbit on the other side. */
static void go_back(branch *b, point *last, point *before, point *other) {
    b->turns++;
    b->target = b->target == b->options->to ? b->options->from : b->options->to;
    am_follow_move(before, last);
    am_follow_move(last, other);
}

static am_status end_in_fold(branch *b, point *last, point *before, bool *alive, am_error *err) {
    AM_LOCAL(am_follow_clear) point other = {0};
    if (b->options->through_folds && b->turns < MOST_TURNS)
        AM_TRY(go_around(b, last, rest_to_one(before), &other, alive, err));
    AM_TRY(add_bifurcation(b, last->p, "fold", (size_t)-1,
                           *alive ? "the branch turns back" : "no orbit was found further on", err));
    snprintf(b->end, sizeof b->end, "fold: the orbit meets another one, and both end");
    if (*alive) {
        go_back(b, last, before, &other);
        AM_TRY(add_point(b, last, err));
    }
    return AM_OK;
}

/* ---- branches that end in a graze ---- */

/* Where the speed of an impact vanishes if it goes on falling as between two orbits; NAN if it does not fall. It is
 * proportional to the distance from the graze, unlike everything else on that side. */
static double speed_vanishes(const point *last, const point *before) {
    double nearest = NAN;
    if (!before->orbit.state || !am_follow_same_sequence(last, before))
        return NAN;
    for (size_t i = 0; i < last->count && i < before->count; i++) {
        double here = last->events[i].speed, there = before->events[i].speed;
        double zero = last->p + here / (there - here) * (last->p - before->p);
        if (here > 0.0 && there > here && !(fabs(zero - last->p) >= fabs(nearest - last->p)))
            nearest = zero;
    }
    return nearest;
}

/* The orbit without the impact that vanishes at about `place`, a little beyond it or, where that has none, before. The
 * line through the last two orbits, followed beyond `place`, leaves the contact open, and that is the orbit wanted. */
static am_status leave_out_impact(branch *b, const point *last, const point *before, double place, point *other,
                                  bool *found, am_error *err) {
    static const double parts[] = {0.01, 0.1, 0.5, 1.0, -0.01, -0.1, -0.5, -1.0};
    double step = copysign(b->longest, b->target - last->p);
    const double *here = last->orbit.state, *there = before->orbit.state;
    size_t d = last->orbit.dimension;
    double *guess = am_memory_doubles(here, d, err);
    am_status status = guess ? AM_OK : AM_ERR_MEMORY;
    *found = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status && !*found; i++) {
        double beyond = place + fabs(parts[i]) * step, along = (beyond - last->p) / (last->p - before->p);
        for (size_t k = 0; k < d && am_follow_same_section(last, before); k++)
            guess[k] = here[k] + along * (here[k] - there[k]);
        status = am_follow_close(&b->line, place + parts[i] * step, last, guess, other, err);
        *found = !status && other->count < last->count && they_meet(b, last, other);
        if (!*found)
            am_follow_clear(other);
        status = status == AM_ERR_LIMIT ? AM_OK : status;
    }
    am_memory_free(guess);
    return status;
}

/* An impact becomes too weak for the orbit to be closed: its multiplier grows like the inverse of its speed. The orbit
 * that grazes is the end of this branch, and of the one without the impact: that one is smooth. */
static am_status end_with_impact(branch *b, const point *last, const point *before, double place, point *other,
                                 border *graze, am_error *err) {
    bool found = false;
    AM_TRY(leave_out_impact(b, last, before, place, other, &found, err));
    if (found) /* a little beyond where it is expected */
        AM_TRY(solve_graze(b, &none, other, place + 0.5 * (place - other->p), graze, err));
    return AM_OK;
}

/* Does the branch end because an impact vanishes (`other` is the orbit without it then) or because something is touched
 * next? */
static am_status find_graze(branch *b, point *last, const point *before, point *other, border *graze, am_error *err) {
    double place = speed_vanishes(last, before), ahead = copysign(1e-5 * b->whole, b->target - last->p);
    if (fabs(place - last->p) <= b->longest)
        AM_TRY(end_with_impact(b, last, before, place, other, graze, err));
    return graze->located ? AM_OK : solve_graze(b, &none, last, last->p + ahead, graze, err);
}

/* In words what becomes of a branch at its graze. */
static void describe_graze(const point *last, const point *other, bool goes_on, bool turns, char *what, size_t size) {
    if (!other->orbit.state)
        snprintf(what, size, "no orbit was found further on");
    else if (!goes_on && !turns)
        snprintf(what, size, "the branch ends: the orbit of %zu switches there goes back", other->orbit.switches);
    else
        snprintf(what, size, "%zu switches become %zu%s", last->orbit.switches, other->orbit.switches,
                 turns ? ": the branch turns back" : "");
}

/* The branch ends in a graze; `other`, if there is one, is the orbit without the impact. */
static am_status end_in_graze(branch *b, const border *graze, point *last, point *before, point *other, bool *alive,
                              am_error *err) {
    bool any = other->orbit.state != NULL, goes_on = any && (other->p - graze->p) * (b->target - last->p) > 0.0;
    bool turns = any && !goes_on && b->options->through_folds && b->turns < MOST_TURNS;
    char what[128];
    describe_graze(last, other, goes_on, turns, what, sizeof what);
    snprintf(b->end, sizeof b->end, "%s at %.10g: %s", graze->kind, graze->p, what);
    AM_TRY(add_bifurcation(b, graze->p, graze->kind, graze->contact, what, err));
    *alive = goes_on || turns;
    if (!*alive)
        return AM_OK;
    if (turns) {
        go_back(b, last, before, other);
    } else {
        am_follow_move(before, last);
        am_follow_move(last, other);
    }
    return add_point(b, last, err);
}

/* Nothing tells why the branch ends. Where an orbit was found beyond (`beyond`), the motion jumps there. */
static am_status end_or_jump(branch *b, point *last, point *before, point *beyond, bool *alive, am_error *err) {
    *alive = beyond->orbit.state != NULL;
    if (!*alive) {
        snprintf(b->end, sizeof b->end, "no orbit was found beyond %.10g: %s", last->p, b->reason);
        return add_bifurcation(b, last->p, "end", (size_t)-1, "no orbit was found further on", err);
    }
    char what[128];
    snprintf(what, sizeof what, "%zu switches become %zu: the orbit jumps", last->orbit.switches,
             beyond->orbit.switches);
    AM_TRY(add_bifurcation(b, 0.5 * (last->p + beyond->p), "switching", (size_t)-1, what, err));
    am_follow_move(before, last);
    am_follow_move(last, beyond);
    return add_point(b, last, err);
}

/* The branch does not go on beyond `last`: why? Where it is a fold or a graze there is another orbit to go on with. */
static am_status end_branch(branch *b, point *last, point *before, point *beyond, bool *alive, am_error *err) {
    *alive = false;
    if (ends_in_fold(last, before))
        return end_in_fold(b, last, before, alive, err);
    border graze = {0};
    AM_LOCAL(am_follow_clear) point other = {0};
    AM_TRY(find_graze(b, last, before, &other, &graze, err));
    return graze.located ? end_in_graze(b, &graze, last, before, &other, alive, err)
                         : end_or_jump(b, last, before, beyond, alive, err);
}

/* One step, examined. A step that leads to another branch is taken again, half as long, from where this one was left.
 */
static am_status go_on(branch *b, point *last, point *before, point *beyond, double *step, bool *alive, am_error *err) {
    AM_LOCAL(am_follow_clear) point next = {0};
    AM_TRY(step_forward(b, last, before, step, &next, alive, err));
    if (*alive) {
        double tried = fabs(next.p - last->p);
        AM_TRY(examine(b, before, last, &next, beyond, alive, err));
        if (next.p != last->p)
            am_follow_move(before, last);
        am_follow_move(last, &next);
        *step = *alive ? fmin(b->longest, 2.0 * *step) : 0.5 * tried;
        *alive = *alive || *step >= b->smallest;
    }
    return AM_OK;
}

static am_status follow(branch *b, point *last, const am_progress *progress, am_error *err) {
    AM_LOCAL(am_follow_clear) point before = {0};
    AM_LOCAL(am_follow_clear) point beyond = {0};
    double step = b->longest;
    bool alive = true;
    AM_TRY(add_point(b, last, err));
    while (alive && last->p != b->target) {
        am_follow_clear(&beyond);
        AM_TRY(go_on(b, last, &before, &beyond, &step, &alive, err));
        if (!alive) {
            AM_TRY(end_branch(b, last, &before, &beyond, &alive, err));
            step = b->longest / 64.0;
        }
        if (!am_progress_report(progress, fabs(last->p - b->options->from) / b->whole))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted at parameter %g", last->p);
    }
    if (alive)
        snprintf(b->end, sizeof b->end, "left the range");
    return AM_OK;
}

static am_status check(const am_model *model, const am_follow_options *o, am_error *err) {
    AM_TRY(am_options_check(o->cookie, OPTIONS_COOKIE, "follow", err));
    if (!isfinite(o->from) || !isfinite(o->to) || o->from == o->to)
        return am_fail_field(err, AM_ERR_INPUT, "to", "the parameter must go from one finite value to another");
    if (!(o->step >= 0.0) || !(o->smallest_step >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "step", "steps must not be negative");
    return am_model_check(model, o->number, "number", err);
}

am_status am_follow_branch(const am_model_line *line, const am_follow_options *options, const am_follow_watch *watch,
                           const am_progress *progress, am_follow_end *end, am_error *err) {
    branch b = {.line = *line,
                .options = options,
                .watch = watch,
                .whole = fabs(options->to - options->from),
                .target = options->to};
    b.longest = options->step > 0.0 ? options->step : b.whole / 50.0;
    b.smallest = options->smallest_step > 0.0 ? options->smallest_step : 1e-6 * b.whole;
    AM_LOCAL(am_follow_clear) point last = {0};
    am_status status = first_point(&b, &last, progress, err);
    if (!status)
        status = follow(&b, &last, progress, err);
    *end = (am_follow_end){.points = b.point_count, .turns = b.turns, .p = last.p};
    snprintf(end->why, sizeof end->why, "%s", status == AM_ERR_INTERRUPTED ? "interrupted" : b.end);
    if (!status)
        *err = (am_error){0}; /* of orbits that were tried */
    return status;
}

/* ---- tables ---- */

typedef struct report {
    am_model_line line;
    am_result *result;
    am_table *points, *bifurcations;
    size_t bifurcation_count;
    double worst_closing;
    am_follow_trace *trace; /* NULL: nobody wants it */
} report;

static void make_tables(report *r) {
    const char *parameter = am_model_name(r->line.model, r->line.number);
    r->points = am_result_describe_table(r->result, "branch", "");
    am_table_describe_as(r->points, "<number>", parameter);
    am_table_describe(r->points,
                      "period multiplier multiplier_re multiplier_im stable switches dissipation closing sequence");
    r->bifurcations = am_result_describe_table(r->result, "bifurcations", "");
    am_table_describe_as(r->bifurcations, "<number>", parameter);
    am_table_describe(r->bifurcations, "kind contact what");
    am_result_set_none(r->result, "first_bifurcation", NULL);
    am_result_set_none(r->result, "first_kind", NULL);
}

static am_status report_point(void *context, const point *x, am_error *err) {
    report *r = context;
    const am_orbit *o = &x->orbit;
    if (r->trace)
        AM_TRY(am_follow_trace_add(r->trace, x, err));
    am_table_add_numbers(r->points, AM_NUMBERS(x->p, o->period, o->multiplier, o->multiplier_re[0], o->multiplier_im[0],
                                               am_orbit_stable(o), (double)o->switches, o->dissipation, o->closing));
    am_table_set_text(r->points, 9, o->sequence, NULL);
    r->worst_closing = fmax(r->worst_closing, o->closing);
    return AM_OK;
}

/* The name of the contact, in the last row of `bifurcations`. */
static am_status name_contact(const report *r, double p, size_t contact, am_error *err) {
    const am_system *system;
    AM_TRY(am_model_line_at(&r->line, p, &system, err));
    am_table_set_text(r->bifurcations, 2, am_system_contact_name(system, contact), NULL);
    return AM_OK;
}

static am_status report_bifurcation(void *context, double p, const char *kind, size_t contact, const char *what,
                                    am_error *err) {
    report *r = context;
    am_table_add_numbers(r->bifurcations, &p, 1);
    AM_TRY(contact == (size_t)-1 ? AM_OK : name_contact(r, p, contact, err));
    am_table_set_text(r->bifurcations, 1, kind, NULL);
    am_table_set_text(r->bifurcations, 3, what, NULL);
    if (r->bifurcation_count++ == 0) {
        am_result_set_number(r->result, "first_bifurcation", p, NULL);
        am_result_set_text(r->result, "first_kind", kind, NULL);
    }
    return AM_OK;
}

static void summarise(const report *r, const am_follow_end *end) {
    am_result_set_counts(
        r->result, AM_NAMED({"points", end->points}, {"bifurcations", r->bifurcation_count}, {"turns", end->turns}));
    am_result_set_number(r->result, "followed_to", end->p, NULL);
    am_result_set_text(r->result, "end", end->why, NULL);
    am_result_set_number(r->result, "worst_closing", r->worst_closing, NULL);
}

static am_status follow_run_watched(am_model *model, const am_follow_options *options, am_result *result,
                                    const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    AM_TRY(check(model, options, e));
    report r = {.line = {.model = model, .number = options->number, .held = SIZE_MAX}, .result = result};
    const am_follow_watch watch = {report_point, report_bifurcation, &r};
    am_follow_end end = {0};
    am_follow_preview preview = {0};
    make_tables(&r);
    if (am_trace_is_wanted(progress) && !(r.trace = am_follow_trace_create(&r.line, e)))
        return AM_ERR_MEMORY;
    am_status status = am_follow_draw_preview(&r.line, options, &watch, progress, &preview, e);
    if (!status && preview.points > 0) {
        am_result_set_counts(result, AM_NAMED({"points", preview.points}, {"preview_lost", preview.lost}));
        am_result_set_flag(result, "preview", true, NULL);
        am_follow_trace_end(r.trace, true, progress);
        return AM_OK;
    }
    if (!status)
        status = am_follow_branch(&r.line, options, &watch, progress, &end, e);
    am_follow_trace_end(r.trace, status == AM_OK, progress);
    bool part = status == AM_ERR_INTERRUPTED && end.points > 0;
    if (part)
        am_fail(e, AM_ERR_INTERRUPTED, "interrupted at parameter %g", end.p);
    if (!status || part)
        summarise(&r, &end); /* nothing is claimed of a part */
    if (part)
        am_watch_mark(result);
    return status;
}

am_status am_follow_run(am_model *model, const am_follow_options *options, am_result *result,
                        const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(model, AM_TAG_MODEL) && options, result, progress, __func__, err));
    const double before = am_model_value(model, options->number);
    am_status status = follow_run_watched(model, options, result, progress, err);
    am_model_set(model, options->number, before, NULL);
    return am_analysis_end(&watch, result, status, err);
}
