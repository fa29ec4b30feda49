/* Where does an orbit graze? On the orbit that does not switch there, the least value h of the quantity that is going
 * to is a smooth function of the parameter p, right up to its zero; the orbit beyond, which does switch, is singular at
 * that point (an impact at a speed that vanishes has an unbounded derivative). So the zero of h is approached from the
 * smooth side alone, by orbits closed at values of p that come ten times nearer with each, and extrapolated over what
 * is left. */
#include "analyses/follow/point.h"
#include "base/try.h"

#include <math.h>

#include "base/memory.h"
#include "engines/switching/switching.h"

/* How near to the graze orbits are closed, and how well the last two estimates agree, as parts of the whole way. The
 * parabola through three orbits at distances of up to `nearest` errs by their cube. */
static const double nearest = 1e-5, agreement = 1e-11;

/* A value that changes by less than this part of its scale says nothing: some quantities are zero throughout. */
static const double noise = 1e-12;

/* Part of the way to the zero that is gone at once: ten times nearer each time. */
static const double stride = 0.9;

enum { MOST_ORBITS = 60, MOST_FAILURES = 12 };

/* ---- least values ---- */

typedef struct minimum {
    am_quantity quantity;
    double phase;        /* after the section, in periods */
    double value, scale; /* scale: how large the quantity might be on this orbit */
} minimum;

typedef struct minima {
    size_t count, capacity;
    minimum *list;
} minima;

static am_status add(minima *m, const minimum *one, am_error *err) {
    AM_TRY(am_memory_reserve(&m->list, &m->capacity, m->count + 1, err));
    m->list[m->count++] = *one;
    return AM_OK;
}

/* A quantity at one end of a span. */
typedef struct span_end {
    bool known;
    double value, slope;
} span_end;

enum { KINDS = AM_QUANTITY_OVERLAP + 1 };

typedef struct watching {
    const am_follow_point *orbit;
    am_motion *engine;
    minima *found;
    span_end *first, *last; /* contacts x KINDS: at the section, and where the last span ended */
} watching;

static double phase_of(const watching *w, double t) {
    return (t - w->orbit->how.start) / w->orbit->orbit.period;
}

static am_status note(const watching *w, size_t q, double t, double value, am_error *err) {
    const am_flow *flow = w->engine->span_flow;
    const minimum one = {flow->quantity[q], phase_of(w, t), value, flow->dual[q] * w->engine->size};
    return add(w->found, &one, err);
}

/* Where one span follows another a quantity may have a corner, or jump (another contact has switched): the value before
 * is a least one unless it goes on falling, the value after unless it has been rising. */
static am_status examine_corner(const watching *w, size_t q, double t, const span_end *before, const span_end *after,
                                am_error *err) {
    double zero =
        noise * w->engine->span_flow->dual[q] * w->engine->size; /* where nothing happens they agree to rounding */
    bool left = before->slope < 0.0 && !(after->slope <= 0.0 && after->value <= before->value + zero);
    bool right = after->slope > 0.0 && !(before->slope >= 0.0 && after->value >= before->value - zero);
    if (!before->known || !after->known || (!left && !right))
        return AM_OK;
    double least = !right ? before->value : !left ? after->value : fmin(before->value, after->value);
    return note(w, q, t, least, err);
}

/* A phase may begin with its quantity at zero (slip begins with no velocity, and often with no acceleration): what
 * turns there within rounding is no graze. */
static bool is_beginning(const watching *w, size_t q, const span_end *before, double first, double value) {
    double zero = 1e-9 * w->engine->span_flow->dual[q] * w->engine->size;
    return !before->known && fabs(first) <= zero && value <= zero;
}

/* One quantity along the span just passed. */
static am_status examine_quantity(const watching *w, size_t q, bool first, am_error *err) {
    const am_motion *e = w->engine;
    const am_quantity quantity = e->span_flow->quantity[q];
    size_t place = quantity.contact * KINDS + quantity.kind;
    double a[AM_COEFFICIENTS], where[AM_MOST_TURNS], power = 1.0;
    am_engine_quantity_orders(e, e->span_flow, q, a);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= e->span_length)
        a[k] *= power;
    const span_end begin = {true, a[0], a[1]};
    if (first)
        w->first[place] = begin;
    AM_TRY(examine_corner(w, q, am_motion_span_start(e), &w->last[place], &begin, err));
    size_t turns = am_polynomial_turns(a, where);
    bool falling = a[1] < 0.0;
    span_end *end = &w->last[place];
    for (size_t i = 0; i < turns; i++, falling = !falling) {
        double value = am_polynomial_at(a, where[i]);
        if (falling && !is_beginning(w, q, end, a[0], value))
            AM_TRY(note(w, q, am_motion_span_start(e) + where[i] * e->span_length, value, err));
    }
    end->slope = am_polynomial_slope(a, 1.0, &end->value);
    end->known = true;
    return AM_OK;
}

static am_status examine_span(const watching *w, bool first, am_error *err) {
    for (size_t q = 0; q < w->engine->span_flow->quantities && w->engine->span_length > 0.0; q++)
        AM_TRY(examine_quantity(w, q, first, err));
    return AM_OK;
}

/* The end of the period joins its beginning. */
static am_status examine_section(const watching *w, am_error *err) {
    const am_flow *flow = w->engine->span_flow;
    for (size_t q = 0; q < flow->quantities; q++) {
        size_t place = flow->quantity[q].contact * KINDS + flow->quantity[q].kind;
        AM_TRY(examine_corner(w, q, w->orbit->how.start, &w->last[place], &w->first[place], err));
    }
    return AM_OK;
}

/* A contact that has switched begins with other quantities, or with this one anew. */
static void forget_switched(const watching *w) {
    for (size_t i = 0; i < am_motion_switches(w->engine); i++)
        for (size_t kind = 0; kind < KINDS; kind++)
            w->last[am_motion_switch(w->engine, i)->contact * KINDS + kind].known = false;
}

static double phase_difference(double a, double b) {
    double difference = a - b;
    return fabs(difference - round(difference));
}

static bool same_quantity(am_quantity a, am_quantity b) {
    return a.contact == b.contact && a.kind == b.kind;
}

/* Once around. */
static am_status watch(const watching *w, am_error *err) {
    const am_follow_point *x = w->orbit;
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(w->engine, x->how.start, x->orbit.state, err));
    for (bool first = true; kind != AM_STEP_END; first = false) {
        double passed = am_motion_time(w->engine);
        AM_TRY(am_motion_step(w->engine, x->how.start + x->orbit.period, &kind, err));
        if (am_motion_time(w->engine) > passed)
            AM_TRY(examine_span(w, first, err));
        forget_switched(w);
    }
    return examine_section(w, err);
}

/* All least values along an orbit. */
static am_status find_minima(const am_model_line *line, const am_follow_point *x, minima *found, am_error *err) {
    am_follow_system at;
    found->count = 0;
    am_status status = am_follow_open(line, x->p, &at, err);
    watching w = {.orbit = x, .engine = at.engine, .found = found};
    w.first = status ? NULL : am_memory_new(2 * x->contacts * KINDS, sizeof *w.first, err);
    if (!status)
        status = w.first ? AM_OK : AM_ERR_MEMORY;
    if (!status) {
        w.last = w.first + x->contacts * KINDS;
        status = watch(&w, err);
    }
    am_memory_free(w.first);
    am_follow_shut(&at);
    return status;
}

/* ---- the zero ---- */

typedef struct sample {
    am_follow_point point;
    minima minima;
} sample;

typedef struct zero_search {
    const am_model_line *line;
    double toward, low, high, whole;
    sample *near, *middle, *far; /* by distance from the graze; middle and far may have no orbit yet */
    double bound;                /* a value beyond the graze; NAN: none known */
} zero_search;

/* The same least value on another orbit: at nearly the same phase. `apart`: of the two orbits, in the parameter, as a
 * part of the way. */
static const minimum *find_same(const sample *s, const minimum *like, double apart) {
    const minimum *best = NULL;
    double nearby = fmax(1e-4, fmin(0.05, 20.0 * apart));
    for (size_t i = 0; s->point.orbit.state && i < s->minima.count; i++) {
        const minimum *m = &s->minima.list[i];
        double distance = phase_difference(m->phase, like->phase);
        if (same_quantity(m->quantity, like->quantity) && distance < nearby &&
            (!best || distance < phase_difference(best->phase, like->phase)))
            best = m;
    }
    return best;
}

/* The zero of the line through two orbits or, with three, of p as a parabola of the value: the place at which this
 * least value vanishes. NAN if it does not fall on the way. */
static double zero_of(const zero_search *z, const minimum *here) {
    double p0 = z->near->point.p, p1 = z->middle->point.p, p2 = z->far->point.p;
    const minimum *there = find_same(z->middle, here, fabs(p1 - p0) / z->whole);
    const minimum *beyond = find_same(z->far, here, fabs(p2 - p0) / z->whole);
    if (!there || !(here->value > -noise * here->scale) || !(there->value - here->value > noise * here->scale))
        return NAN;
    double f0 = here->value, f1 = there->value, slope = (p1 - p0) / (f1 - f0), zero = p0 - f0 * slope;
    if (!beyond || !(beyond->value > f1))
        return zero;
    double f2 = beyond->value, curve = ((p2 - p1) / (f2 - f1) - slope) / (f2 - f0);
    return zero + f0 * f1 * curve;
}

/* The least value that vanishes first. */
static double first_zero(const zero_search *z, am_quantity *quantity) {
    double first = NAN, least = INFINITY, p = z->near->point.p;
    for (size_t i = 0; i < z->near->minima.count; i++) {
        double zero = zero_of(z, &z->near->minima.list[i]), ahead = (zero - p) * copysign(1.0, z->toward - p);
        if (ahead >= -agreement * z->whole && ahead < least) {
            first = zero;
            least = ahead;
            *quantity = z->near->minima.list[i].quantity;
        }
    }
    return first;
}

static void shift_samples(zero_search *z) {
    sample *oldest = z->far;
    z->far = z->middle;
    z->middle = z->near;
    z->near = oldest;
    am_follow_clear(&oldest->point);
}

/* Close the next orbit at p, nearer to the graze. An orbit that does not exist, or switches otherwise, is beyond it. */
static am_status come_nearer(zero_search *z, double p, bool *nearer, am_error *err) {
    am_follow_point next = {0};
    const am_follow_point *before = z->middle->point.orbit.state ? &z->middle->point : NULL;
    am_status status = am_follow_close_near(z->line, p, &z->near->point, before, &next, err);
    *nearer =
        !status && am_follow_same_sequence(&next, &z->near->point) && am_follow_same_section(&next, &z->near->point);
    if (!*nearer) {
        am_follow_clear(&next);
        z->bound = p;
        return status == AM_ERR_LIMIT ? AM_OK : status;
    }
    shift_samples(z);
    am_follow_move(&z->near->point, &next);
    return find_minima(z->line, &z->near->point, &z->near->minima, err);
}

/* A second orbit, to see which least values fall: a little farther from the graze or, at the border of what may be
 * asked for, a little nearer. */
static am_status take_second(zero_search *z, bool *taken, am_error *err) {
    double p = z->near->point.p, away = p > z->toward ? 1.0 : -1.0, distance = 1e-3 * z->whole;
    bool farther = p + away * distance >= z->low && p + away * distance <= z->high;
    if (!farther)
        distance = fmin(distance, 0.1 * fabs(z->toward - p));
    *taken = false;
    for (int i = 0; i < MOST_FAILURES && !*taken; i++, distance *= 0.5)
        AM_TRY(come_nearer(z, farther ? p + away * distance : p - away * distance, taken, err));
    z->bound = NAN;
    if (*taken && farther) { /* the order is by distance from the graze */
        sample *swap = z->near;
        z->near = z->middle;
        z->middle = swap;
    }
    return AM_OK;
}

/* The orbit before serves, if it switches as this one does. */
static am_status use_before(zero_search *z, const am_follow_point *before, bool *taken, am_error *err) {
    const am_follow_point *near = &z->near->point;
    *taken = before->orbit.state && am_follow_same_sequence(before, near) && am_follow_same_section(before, near) &&
             fabs(before->p - z->toward) > fabs(near->p - z->toward);
    AM_TRY(*taken ? am_follow_copy(before, &z->middle->point, err) : AM_OK);
    return !*taken ? AM_OK : find_minima(z->line, &z->middle->point, &z->middle->minima, err);
}

/* Where to close the next orbit on the way to the expected zero, short of everything known to lie beyond it. */
static double next_place(const zero_search *z, double zero) {
    double p = z->near->point.p, distance = zero - p, most = z->toward - p;
    if (!isnan(z->bound))
        most = fmin(fabs(most), 0.55 * fabs(z->bound - p)) * copysign(1.0, most);
    return p + copysign(fmin(stride * fabs(distance), stride * fabs(most)), most);
}

static am_status search_zero(zero_search *z, am_follow_graze *graze, bool *found, am_error *err) {
    double before = NAN;
    size_t failures = 0;
    for (size_t i = 0; i < MOST_ORBITS && failures < MOST_FAILURES; i++) {
        bool nearer;
        double zero = first_zero(z, &graze->quantity), p = z->near->point.p, most = fabs(z->toward - p);
        if (isnan(zero) || fabs(zero - p) > 3.0 * most + z->whole * agreement)
            return AM_OK;
        graze->p = zero;
        double left = fabs(zero - p), close = agreement * z->whole;
        *found =
            left <= most + close && (left <= close || (left <= nearest * z->whole && fabs(zero - before) <= close));
        if (*found)
            return AM_OK;
        before = zero;
        double place = next_place(z, zero);
        if (place == p)
            return AM_OK;
        AM_TRY(come_nearer(z, place, &nearer, err));
        failures += !nearer;
    }
    return AM_OK;
}

static am_status search_from(zero_search *z, const am_follow_point *before, const am_follow_point *from,
                             am_follow_graze *graze, bool *found, am_error *err) {
    bool taken = false;
    AM_TRY(am_follow_copy(from, &z->near->point, err));
    AM_TRY(find_minima(z->line, &z->near->point, &z->near->minima, err));
    AM_TRY(use_before(z, before, &taken, err));
    if (!taken)
        AM_TRY(take_second(z, &taken, err));
    return taken ? search_zero(z, graze, found, err) : AM_OK;
}

am_status am_follow_find_graze(const am_model_line *line, const am_follow_point *before, const am_follow_point *from,
                               double toward, double low, double high, am_follow_graze *graze, bool *found,
                               am_error *err) {
    sample samples[3] = {0};
    *graze = (am_follow_graze){0};
    *found = false;
    zero_search z = {.line = line, .toward = toward, .low = low, .high = high, .whole = high - low, .bound = NAN};
    z.near = &samples[0], z.middle = &samples[1], z.far = &samples[2];
    am_status status = search_from(&z, before, from, graze, found, err);
    if (*found)
        am_follow_move(&graze->side, &z.near->point);
    for (size_t i = 0; i < 3; i++) {
        am_follow_clear(&samples[i].point);
        am_memory_free(samples[i].minima.list);
    }
    return status == AM_ERR_LIMIT ? AM_OK : status;
}

const char *am_follow_graze_name(am_quantity_kind kind) {
    switch (kind) {
    case AM_QUANTITY_GAP:
    case AM_QUANTITY_LAX:
        return "grazing-impact";
    case AM_QUANTITY_NORMAL:
    case AM_QUANTITY_OVERLAP:
        return "grazing-lift-off";
    case AM_QUANTITY_SLIDE:
        return "grazing-sliding";
    case AM_QUANTITY_UPPER:
    case AM_QUANTITY_LOWER:
    case AM_QUANTITY_DISC:
        break;
    }
    return "adding-sliding";
}
