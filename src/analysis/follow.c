#include "amontons/follow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { OPTIONS_COOKIE = 0x414d464c, MOST_EVENTS = 512, MOST_BISECTIONS = 60, MOST_CHANGES = 16, MOST_TURNS = 16 };

/* Where a bifurcation lies is known to this part of the way: near a graze orbits close only to the square root of it.
 */
static const double location = 1e-9;

/* Neighbouring orbits differ by less than this part of their state and period. */
static const double jump = 0.3;

am_follow_options am_follow_options_default(void) {
    return (am_follow_options){.cookie = OPTIONS_COOKIE};
}

typedef struct event {
    size_t contact;
    am_contact_state from, to;
    double t; /* after the section */
} event;

/* An orbit at one value of the parameter, with the section it was closed on. */
typedef struct point {
    double p;
    am_orbit orbit;
    am_orbit_return how;
    size_t count;
    event events[MOST_EVENTS];
} point;

typedef struct branch {
    const am_family *family;
    const am_follow_options *options;
    double target; /* parameter the branch goes to: `to`, after a fold `from` */
    size_t turns;  /* folds passed */
    am_table *points, *bifurcations;
    size_t point_count, bifurcation_count;
    double worst_closing;
} branch;

static void clear(point *x) {
    am_orbit_clear(&x->orbit);
    *x = (point){0};
}

static void move(point *to, point *from) {
    am_orbit_clear(&to->orbit);
    *to = *from;
    from->orbit = (am_orbit){0};
}

static void release(const branch *b, am_system *system) {
    if (!system)
        return;
    if (b->family->release)
        b->family->release(b->family->context, system);
    else
        am_system_free(system);
}

/* ---- one point ---- */

static void collect(point *x, const am_motion *engine) {
    for (size_t i = 0; i < am_motion_switches(engine) && x->count < MOST_EVENTS; i++) {
        const am_switch *s = am_motion_switch(engine, i);
        x->events[x->count++] = (event){s->contact, s->from, s->to, am_motion_time(engine) - x->how.start};
    }
}

/* Once around the orbit, event by event. */
static am_status walk(point *x, am_motion *engine, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    double end = x->how.start + x->orbit.period * (1.0 + 1e-12);
    x->count = 0;
    am_status status = am_motion_start_state(engine, x->how.start, x->orbit.state, err);
    while (!status && kind != AM_STEP_END) {
        status = am_motion_step(engine, end, &kind, err);
        if (!status)
            collect(x, engine);
    }
    return status;
}

/* The switch farthest in time from its neighbours makes the safest section; AM_OK with the engine standing there. */
static am_status anchor(point *x, am_motion *engine, am_error *err) {
    if (x->how.section != AM_SECTION_SWITCH || x->count < 2)
        return AM_OK;
    size_t best = 0;
    double widest = -1.0;
    for (size_t i = 0; i < x->count; i++) {
        double before = i > 0 ? x->events[i].t - x->events[i - 1].t : x->events[i].t;
        double after =
            i + 1 < x->count ? x->events[i + 1].t - x->events[i].t : x->orbit.period - x->events[i].t + x->events[0].t;
        if (fmin(before, after) > widest) {
            widest = fmin(before, after);
            best = i;
        }
    }
    am_step_kind kind = AM_STEP_SPAN;
    size_t passed = 0;
    am_status status = am_motion_start_state(engine, x->how.start, x->orbit.state, err);
    while (!status && passed <= best && kind != AM_STEP_END) {
        status = am_motion_step(engine, x->how.start + 2.0 * x->orbit.period, &kind, err);
        passed += status ? 0 : am_motion_switches(engine);
    }
    if (status || passed <= best)
        return status;
    const event chosen = x->events[best];
    x->how.contact = chosen.contact;
    x->how.from = chosen.from;
    x->how.to = chosen.to;
    x->how.returns = 0;
    for (size_t i = 0; i < x->count; i++)
        x->how.returns +=
            x->events[i].contact == chosen.contact && x->events[i].from == chosen.from && x->events[i].to == chosen.to;
    memcpy(x->orbit.state, am_motion_state(engine), x->orbit.dimension * sizeof *x->orbit.state);
    return walk(x, engine, err);
}

/* Close the orbit at p from a guess on the section. */
static am_status close_at(const branch *b, double p, const am_orbit_return *how, const double *guess, point *x,
                          am_error *err) {
    *x = (point){.p = p, .how = *how};
    am_system *system = b->family->make(b->family->context, p, err);
    am_motion *engine = system ? am_motion_create(system, true, err) : NULL;
    if (system &&
        how->section == AM_SECTION_PERIOD) { /* the loads' period may depend on the parameter; keep the phase */
        x->how.period = am_orbit_load_period(system);
        x->how.start = how->start * x->how.period / how->period;
    }
    am_status status = engine ? am_orbit_close(engine, &x->how, guess, &x->orbit, err) : err->status;
    if (!status)
        status = am_motion_follow_sensitivity(engine, false, err);
    if (!status)
        status = walk(x, engine, err);
    if (!status)
        status = anchor(x, engine, err);
    am_motion_free(engine);
    release(b, system);
    if (status)
        clear(x);
    return status;
}

static bool same_section(const am_orbit_return *a, const am_orbit_return *b) {
    return a->section == b->section && a->contact == b->contact && a->from == b->from && a->to == b->to &&
           a->returns == b->returns;
}

static double largest(const double *a, const double *b, size_t n) {
    double size = 0.0;
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(a[i] - (b ? b[i] : 0.0)));
    return size;
}

/* Newton's method may end on another orbit, far away. */
static bool is_neighbour(const point *x, const point *last) {
    size_t d = x->orbit.dimension;
    const double *a = x->orbit.state, *b = last->orbit.state;
    if (x->how.section == AM_SECTION_PERIOD && x->orbit.returns != last->orbit.returns)
        return false;
    if (x->how.section == AM_SECTION_SWITCH && fabs(x->orbit.period - last->orbit.period) > jump * last->orbit.period)
        return false;
    return !same_section(&x->how, &last->how) ||
           largest(a, b, d) <= jump * fmax(largest(a, NULL, d), largest(b, NULL, d));
}

/* From two neighbours on the same section by extrapolation, otherwise from the last one as it is. */
static am_status close_near(const branch *b, double p, const point *last, const point *before, point *x,
                            am_error *err) {
    const am_orbit_return *a = &last->how;
    bool same = before && same_section(a, &before->how) && last->p != before->p;
    size_t d = last->orbit.dimension;
    double *guess = am_memory_doubles(last->orbit.state, d, err);
    if (!guess)
        return AM_ERR_MEMORY;
    for (size_t i = 0; same && i < d; i++)
        guess[i] += (p - last->p) / (last->p - before->p) * (last->orbit.state[i] - before->orbit.state[i]);
    am_status status = close_at(b, p, a, guess, x, err);
    bool lost = !status && !is_neighbour(x, last);
    if (lost)
        clear(x);
    if ((status == AM_ERR_LIMIT || lost) && same) {
        status = close_at(b, p, a, last->orbit.state, x, err);
        lost = !status && !is_neighbour(x, last);
    }
    am_memory_free(guess);
    if (!lost)
        return status;
    clear(x);
    return am_fail(err, AM_ERR_LIMIT, "the orbit found at %g is another one", p);
}

/* ---- comparing ---- */

static bool same_kind(const event *a, const event *b) {
    return a->contact == b->contact && a->from == b->from && a->to == b->to;
}

/* The same switches in the same cyclic order. */
static bool same_sequence(const point *a, const point *b) {
    if (a->count != b->count)
        return false;
    for (size_t shift = 0; shift < a->count || shift == 0; shift++) {
        size_t i = 0;
        while (i < a->count && same_kind(&a->events[i], &b->events[(i + shift) % b->count]))
            i++;
        if (i == a->count)
            return true;
    }
    return false;
}

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
    const point *rich = a->count >= b->count ? a : b;
    size_t end, begin = shortest_phase(rich, &end);
    if (rich->count == 0)
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

static const char *name_multiplier(const point *x) {
    double re = x->orbit.multiplier_re[0], im = x->orbit.multiplier_im[0];
    if (fabs(im) > 1e-6 * fabs(re))
        return "Neimark-Sacker";
    return re > 0.0 ? "fold" : "flip";
}

/* ---- tables ---- */

static am_status make_tables(branch *b, am_result *result, am_error *err) {
    const char *parameter = b->options->parameter ? b->options->parameter : "parameter";
    const char *const numbers[] = {parameter, "period",   "multiplier",  "multiplier_re", "multiplier_im",
                                   "stable",  "switches", "dissipation", "closing"};
    b->points = am_result_add_table(result, "branch", err);
    b->bifurcations = am_result_add_table(result, "bifurcations", err);
    am_status status = b->points && b->bifurcations ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = am_table_add_column(b->points, numbers[i], "", AM_COLUMN_NUMBER, err);
    if (!status)
        status = am_table_add_column(b->points, "sequence", "", AM_COLUMN_TEXT, err);
    if (!status)
        status = am_table_add_column(b->bifurcations, parameter, "", AM_COLUMN_NUMBER, err);
    if (!status)
        status = am_table_add_column(b->bifurcations, "kind", "", AM_COLUMN_TEXT, err);
    if (!status)
        status = am_table_add_column(b->bifurcations, "contact", "", AM_COLUMN_NUMBER, err);
    return status ? status : am_table_add_column(b->bifurcations, "what", "", AM_COLUMN_TEXT, err);
}

static am_status add_point(branch *b, const point *x, am_error *err) {
    const am_orbit *o = &x->orbit;
    const double row[] = {x->p,      o->period,           o->multiplier,  o->multiplier_re[0], o->multiplier_im[0],
                          o->stable, (double)o->switches, o->dissipation, o->closing};
    am_status status = am_table_add_row(b->points, err);
    if (status)
        return status;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        am_table_set_number(b->points, i, row[i]);
    b->point_count++;
    b->worst_closing = fmax(b->worst_closing, o->closing);
    return am_table_set_text(b->points, sizeof row / sizeof *row, o->sequence, err);
}

static am_status add_bifurcation(branch *b, am_result *result, double p, const char *kind, size_t contact,
                                 const char *what, am_error *err) {
    am_status status = am_table_add_row(b->bifurcations, err);
    if (status)
        return status;
    am_table_set_number(b->bifurcations, 0, p);
    am_table_set_number(b->bifurcations, 2, contact == (size_t)-1 ? NAN : (double)(contact + 1));
    status = am_table_set_text(b->bifurcations, 1, kind, err);
    if (!status)
        status = am_table_set_text(b->bifurcations, 3, what, err);
    if (!status && b->bifurcation_count++ == 0) {
        status = am_result_set_number(result, "first_bifurcation", p, err);
        if (!status)
            status = am_result_set_text(result, "first_kind", kind, err);
    }
    return status;
}

/* ---- locating ---- */

typedef bool differs(const point *a, const point *b);

static bool other_sequence(const point *a, const point *b) {
    return !same_sequence(a, b);
}

static bool other_stability(const point *a, const point *b) {
    return a->orbit.stable != b->orbit.stable;
}

/* Halve [low, high], whose ends differ, until they are close. Both points are replaced by the nearest ones found. */
static am_status locate(const branch *b, point *low, point *high, differs *differ, am_error *err) {
    double width = location * fabs(b->options->to - b->options->from);
    for (int step = 0; step < MOST_BISECTIONS && fabs(high->p - low->p) > width; step++) {
        point middle = {0};
        double p = 0.5 * (low->p + high->p);
        am_status status = close_near(b, p, low, NULL, &middle, err);
        if (status == AM_ERR_LIMIT)
            status = close_near(b, p, high, NULL, &middle, err);
        if (status == AM_ERR_LIMIT)
            return AM_OK; /* too close to the bifurcation for Newton: as near as it gets */
        if (status)
            return status;
        move(differ(low, &middle) ? high : low, &middle);
    }
    return AM_OK;
}

static am_status copy_point(const branch *b, const point *from, point *to, am_error *err) {
    return close_at(b, from->p, &from->how, from->orbit.state, to, err);
}

static am_status record_change(branch *b, const point *low, const point *high, bool sequence, am_result *result,
                               am_error *err) {
    char what[128];
    size_t contact = (size_t)-1;
    const char *kind = sequence ? name_change(low, high, &contact) : name_multiplier(high);
    if (sequence)
        snprintf(what, sizeof what, "%zu switches become %zu", low->count, high->count);
    else
        snprintf(what, sizeof what, "%s becomes %s", low->orbit.stable ? "stable" : "unstable",
                 high->orbit.stable ? "stable" : "unstable");
    return add_bifurcation(b, result, 0.5 * (low->p + high->p), kind, contact, what, err);
}

/* Something changed between two points: where, and what? There may be several changes one after the other. */
static am_status report_changes(branch *b, const point *before, const point *after, differs *differ, am_result *result,
                                am_error *err) {
    point low = {0}, high = {0};
    am_status status = copy_point(b, before, &low, err);
    for (int changes = 0; !status && changes < MOST_CHANGES && differ(&low, after); changes++) {
        clear(&high);
        status = copy_point(b, after, &high, err);
        if (!status)
            status = locate(b, &low, &high, differ, err);
        if (!status)
            status = record_change(b, &low, &high, differ == other_sequence, result, err);
        move(&low, &high);
    }
    clear(&low);
    clear(&high);
    return status == AM_ERR_LIMIT ? AM_OK : status;
}

/* ---- the branch ---- */

static am_status first_point(const branch *b, point *x, const am_progress *progress, am_error *err) {
    am_orbit_options fallback = am_orbit_options_default();
    const am_orbit_options *options = b->options->first ? b->options->first : &fallback;
    am_orbit_search search;
    am_orbit found = {0};
    am_system *system = b->family->make(b->family->context, b->options->from, err);
    am_motion *engine = system ? am_motion_create(system, true, err) : NULL;
    am_status status = engine ? am_orbit_find(engine, options, &found, &search, progress, err) : err->status;
    am_motion_free(engine);
    release(b, system);
    if (!status && search.outcome != AM_ORBIT_PERIODIC)
        status = am_fail(err, AM_ERR_LIMIT, "there is no periodic motion to follow at the first value, %g: %s",
                         b->options->from, search.sentence);
    if (!status)
        status = close_at(b, b->options->from, &search.how, found.state, x, err);
    am_orbit_clear(&found);
    return status;
}

/* One step forward; halved until the orbit closes. False in *alive at the end of the branch. */
static am_status step_forward(branch *b, const point *last, const point *before, double *step, point *next, bool *alive,
                              am_error *err) {
    double whole = fabs(b->options->to - b->options->from), way = b->target - last->p;
    double smallest = b->options->smallest_step > 0.0 ? b->options->smallest_step : 1e-6 * whole;
    *alive = true;
    for (;;) {
        double p = last->p + copysign(*step, way);
        if ((p - b->target) * way > 0.0)
            p = b->target;
        am_status status = close_near(b, p, last, before->orbit.state ? before : NULL, next, err);
        if (status != AM_ERR_LIMIT && status != AM_ERR_NO_STATE && status != AM_ERR_SEVERAL_STATES)
            return status;
        *step *= 0.5;
        if (*step < smallest) {
            *alive = false;
            return AM_OK;
        }
    }
}

static am_status examine(branch *b, const point *last, const point *next, am_result *result, am_error *err) {
    am_status status = AM_OK;
    if (!same_sequence(last, next))
        status = report_changes(b, last, next, other_sequence, result, err);
    if (!status && last->orbit.stable != next->orbit.stable)
        status = report_changes(b, last, next, other_stability, result, err);
    return status ? status : add_point(b, next, err);
}

/* ---- folds ---- */

/* At a fold the leading multiplier comes to 1 as the square root of the distance; where it stays away from 1 the branch
 * ends for another reason (a switch that static friction makes a jump). */
static bool ends_in_fold(const point *last, const point *before) {
    double rest = fabs(1.0 - last->orbit.multiplier_re[0]);
    return before->orbit.state && fabs(last->orbit.multiplier_im[0]) < 0.01 && rest < 0.05 &&
           rest < 0.9 * fabs(1.0 - before->orbit.multiplier_re[0]);
}

/* Near a fold both orbits are x = fold +- c sqrt(distance): with `last` next to the fold and `side` a little way back,
 * the other orbit is near 2 last - side. */
static am_status mirror(const branch *b, const point *last, const point *side, point *other, bool *found,
                        am_error *err) {
    size_t d = last->orbit.dimension;
    const double *a = last->orbit.state, *s = side->orbit.state;
    *found = false;
    if (!same_section(&last->how, &side->how))
        return AM_OK;
    double *guess = am_memory_doubles(a, d, err);
    if (!guess)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < d; i++)
        guess[i] += a[i] - s[i];
    am_status status = close_at(b, side->p, &side->how, guess, other, err);
    am_memory_free(guess);
    if (status)
        return status == AM_ERR_LIMIT ? AM_OK : status;
    *found = is_neighbour(other, side) && same_section(&other->how, &side->how) &&
             largest(other->orbit.state, s, d) > largest(a, s, d);
    if (!*found)
        clear(other);
    return AM_OK;
}

/* The orbit on the other side of the fold that `last` is next to. */
static am_status go_around(const branch *b, const point *last, point *other, bool *found, am_error *err) {
    static const double parts[] = {1e-4, 1e-3, 1e-2, 3e-2};
    double whole = fabs(b->options->to - b->options->from), back = b->target > last->p ? -whole : whole;
    am_status status = AM_OK;
    *found = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status && !*found; i++) {
        point side = {0};
        status = close_near(b, last->p + parts[i] * back, last, NULL, &side, err);
        if (!status)
            status = mirror(b, last, &side, other, found, err);
        clear(&side);
        status = status == AM_ERR_LIMIT ? AM_OK : status;
    }
    return status;
}

/* The branch does not go on beyond `last`: name why and, where that is a fold, turn back on the other side of it. */
static am_status end_branch(branch *b, point *last, point *before, am_result *result, bool *alive, am_error *err) {
    point other = {0};
    bool fold = ends_in_fold(last, before), around = false;
    am_status status = AM_OK;
    if (fold && b->options->through_folds && b->turns < MOST_TURNS)
        status = go_around(b, last, &other, &around, err);
    if (!status)
        status = add_bifurcation(b, result, last->p, fold ? "fold" : "end", (size_t)-1,
                                 around ? "the branch turns back" : "no orbit was found further on", err);
    if (status || !around) {
        clear(&other);
        return status;
    }
    *alive = true;
    b->turns++;
    b->target = b->target == b->options->to ? b->options->from : b->options->to;
    move(before, last);
    move(last, &other);
    return add_point(b, last, err);
}

static am_status follow(branch *b, point *last, am_result *result, const am_progress *progress, am_error *err) {
    point before = {0}, next = {0};
    double whole = fabs(b->options->to - b->options->from);
    double longest = b->options->step > 0.0 ? b->options->step : whole / 50.0, step = longest;
    bool alive = true;
    b->target = b->options->to;
    am_status status = add_point(b, last, err);
    while (!status && alive && last->p != b->target) {
        status = step_forward(b, last, &before, &step, &next, &alive, err);
        if (!status && !alive) {
            status = end_branch(b, last, &before, result, &alive, err);
            step = longest / 64.0;
            continue;
        }
        if (status)
            break;
        status = examine(b, last, &next, result, err);
        move(&before, last);
        move(last, &next);
        step = fmin(longest, 2.0 * step);
        if (!status && !am_progress_report(progress, fabs(last->p - b->options->from) / whole))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted at parameter %g", last->p);
    }
    clear(&before);
    clear(&next);
    return status;
}

static am_status check(const am_family *family, const am_follow_options *o, am_error *err) {
    if (o->cookie != OPTIONS_COOKIE || !family->make)
        return am_fail(err, AM_ERR_INPUT, "follow options must come from am_follow_options_default()");
    if (!isfinite(o->from) || !isfinite(o->to) || o->from == o->to)
        return am_fail_field(err, AM_ERR_INPUT, "to", "the parameter must go from one finite value to another");
    if (!(o->step >= 0.0) || !(o->smallest_step >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "step", "steps must not be negative");
    return AM_OK;
}

am_status am_follow_run(const am_family *family, const am_follow_options *options, am_result *result,
                        const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    am_status status = check(family, options, e);
    if (status)
        return status;
    branch b = {.family = family, .options = options};
    point *last = am_memory_new(1, sizeof *last, e);
    status = last ? make_tables(&b, result, e) : AM_ERR_MEMORY;
    if (!status)
        status = am_result_set_none(result, "first_bifurcation", e);
    if (!status)
        status = am_result_set_none(result, "first_kind", e);
    if (!status)
        status = first_point(&b, last, progress, e);
    if (!status)
        status = follow(&b, last, result, progress, e);
    if (!status)
        status = am_result_set_count(result, "points", b.point_count, e);
    if (!status)
        status = am_result_set_count(result, "bifurcations", b.bifurcation_count, e);
    if (!status)
        status = am_result_set_count(result, "turns", b.turns, e);
    if (!status)
        status = am_result_set_number(result, "reached", last->p, e);
    if (!status)
        status = am_result_set_number(result, "worst_closing", b.worst_closing, e);
    if (last)
        clear(last);
    am_memory_free(last);
    return status;
}
