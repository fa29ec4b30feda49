/* `motion` against itself (other units, coordinates, order, divided contacts) and against `march`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "questions.h"

enum { MOST_EVENTS = 2000 };
static const double until = 12;
static const double lasting = 1e-3;
static const double disturbance = 1e-9;

typedef struct change {
    double t;
    size_t origin; /* contact, as drawn */
    size_t part;   /* contact, as listed */
    char to;       /* first letter: open, stick, forward, backward */
} change;

/* How a structure was changed, and how its results are changed back. */
typedef struct form {
    double length, time;
    double back[CROSS_SIZE * CROSS_SIZE]; /* q = back p */
} form;

typedef struct trajectory {
    size_t count;
    change list[MOST_EVENTS];
    double q[CROSS_SIZE], v[CROSS_SIZE]; /* in the end */
} trajectory;

static form unchanged(size_t n) {
    form f = {.length = 1, .time = 1};
    for (size_t i = 0; i < n; i++)
        f.back[i * n + i] = 1;
    return f;
}

static void read_end(const cross_answer *answer, size_t n, const form *f, trajectory *out) {
    for (size_t i = 0; i < n; i++)
        out->q[i] = out->v[i] = 0;
    for (size_t j = 0; j < n; j++) {
        char name[40];
        snprintf(name, sizeof name, "q%zu", j + 1);
        double q = cross_cell(answer, "samples", -1, name) / f->length;
        name[0] = 'v';
        double v = cross_cell(answer, "samples", -1, name) / f->length * f->time;
        for (size_t i = 0; i < n; i++) {
            out->q[i] += f->back[i * n + j] * q;
            out->v[i] += f->back[i * n + j] * v;
        }
    }
}

/* false: more events than there is room for */
static bool read_trajectory(const cross_answer *answer, const cross_structure *s, const form *f, trajectory *out) {
    out->count = cross_rows(answer, "events");
    if (out->count > MOST_EVENTS)
        return false;
    for (size_t i = 0; i < out->count; i++) {
        size_t part = strtoul(cross_cell_word(answer, "events", (long)i, "contact"), NULL, 10) - 1; /* no names */
        out->list[i] = (change){.t = cross_cell(answer, "events", (long)i, "t") / f->time,
                                .part = part,
                                .origin = s->contact[part].origin,
                                .to = cross_cell_word(answer, "events", (long)i, "to")[0]};
    }
    read_end(answer, s->n, f, out);
    return true;
}

/* The next state of one contact that lasts, from event *index on: its letter and when the one before it ended; 0: there
 * are no more. Bounces that accumulate are infinitely many in theory, and end where rounding says: what is shorter than
 * `lasting` is not compared. */
static char next_state(const trajectory *way, size_t part, size_t *index, double *ended) {
    bool dropped = false;
    for (; *index < way->count; ++*index) {
        const change *now = &way->list[*index];
        if (now->part != part)
            continue;
        double end = until;
        for (size_t i = *index + 1; i < way->count && end == until; i++)
            end = way->list[i].part == part ? way->list[i].t : until;
        if (!dropped)
            *ended = now->t;
        dropped = true;
        if (end - now->t >= lasting) {
            ++*index;
            return now->to;
        }
    }
    return 0;
}

/* Largest difference in time between the changes of contact `a` of one and `b` of the other; INFINITY when they are
 * other changes. */
static double changes_apart(const trajectory *one, size_t a, const trajectory *other, size_t b) {
    double worst = 0, t = 0, u = 0;
    for (size_t i = 0, j = 0;;) {
        char x = next_state(one, a, &i, &t), y = next_state(other, b, &j, &u);
        if (x != y)
            return INFINITY;
        if (x == 0)
            return worst;
        worst = fmax(worst, fabs(t - u));
    }
}

static double ends_apart(size_t n, const trajectory *one, const trajectory *other) {
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fmax(fabs(one->q[i] - other->q[i]), fabs(one->v[i] - other->v[i])));
    return worst;
}

/* `second` may list the contacts in another order, and more than once each. */
static double apart(const cross_structure *s, const trajectory *one, const cross_structure *second,
                    const trajectory *other) {
    double worst = ends_apart(s->n, one, other);
    for (size_t b = 0; b < second->contacts; b++)
        worst = fmax(worst, changes_apart(one, second->contact[b].origin, other, b));
    return isnan(worst) ? INFINITY : worst;
}

static cross_answer ask_motion(const cross_structure *s, double time) {
    return cross_ask(s, true, "kind: motion, until: %.17g, samples: 2, max_events: %d", until * time, MOST_EVENTS);
}

/* How far a disturbance of the start moves events and end: what rounding can do is a millionth of it. */
static double sensitivity(const cross_structure *s, const trajectory *way) {
    static trajectory moved;
    form f = unchanged(s->n);
    cross_structure near = *s;
    for (size_t i = 0; i < s->n; i++) {
        near.q[i] += disturbance * (i % 2 ? 1 : -0.7);
        near.v[i] += disturbance * (i % 3 ? -1 : 0.6);
    }
    cross_answer answer = ask_motion(&near, 1);
    double moves =
        answer.result && read_trajectory(&answer, &near, &f, &moved) ? apart(s, way, &near, &moved) : INFINITY;
    cross_forget(&answer);
    return moves;
}

static const char *reason(const cross_answer *answer) {
    return answer->result ? "answered" : answer->error.message;
}

/* Both refuse with one status: that is agreement on what cannot be done. */
static cross_verdict refused(const cross_structure *s, const cross_answer *one, const cross_answer *other) {
    cross_verdict verdict = {.kind = CROSS_REFUSED};
    if (one->result || other->result || one->error.status != other->error.status) {
        static trajectory way;
        form f = unchanged(s->n);
        if (one->result && read_trajectory(one, s, &f, &way) && !(sensitivity(s, &way) < 1e-4))
            verdict.kind = CROSS_SENSITIVE;
        else
            return cross_differ(one, other, "%.180s / %.180s", reason(one), reason(other));
    }
    snprintf(verdict.why, sizeof verdict.why, "%.399s", one->error.message);
    return verdict;
}

/* Rounding is about 1e-16, a ten millionth of the disturbance; where events graze, its effect falls with the root
 * only, a thousandth. */
static cross_verdict same_motion(const cross_structure *s, const cross_structure *second, const form *f) {
    static trajectory one, other;
    cross_answer a = ask_motion(s, 1), b = ask_motion(second, f->time);
    cross_verdict verdict = {.kind = CROSS_AGREE};
    form plain = unchanged(s->n);
    if (!a.result || !b.result) {
        verdict = refused(s, &a, &b);
    } else if (read_trajectory(&a, s, &plain, &one) && read_trajectory(&b, second, f, &other)) {
        double difference = apart(s, &one, second, &other);
        double moves = difference <= 1e-9 ? 0 : sensitivity(s, &one);
        if (!(moves < 1e-4))
            verdict.kind = CROSS_SENSITIVE;
        else if (!(difference <= 1e-9 + 1e-2 * moves))
            verdict = cross_differ(&a, &b, "events and end differ by %.3g where a disturbance of %g moves them by %.3g",
                                   difference, disturbance, moves);
    }
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

static const cross_wishes any_motion = {.least_size = 1,
                                        .most_size = CROSS_SIZE,
                                        .most_contacts = 3,
                                        .held = 0.4,
                                        .slider = 0.3,
                                        .static_friction = 0.4,
                                        .restitution = 0.2,
                                        .belt = 0.3,
                                        .damped = 0.6,
                                        .oblique = 0.6,
                                        .singular = 0.2,
                                        .crowded = 0.3,
                                        .stiff = 1};

cross_verdict cross_motion_units(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s, second;
    cross_draw(&source, &any_motion, &s);
    second = s;
    form f = unchanged(s.n);
    f.length = cross_scale(&source, 3);
    f.time = cross_scale(&source, 3);
    cross_units(&second, f.length, f.time, cross_scale(&source, 3));
    return same_motion(&s, &second, &f);
}

cross_verdict cross_motion_coordinates(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s, second;
    cross_draw(&source, &any_motion, &s);
    second = s;
    form f = unchanged(s.n);
    cross_coordinates(&source, &second, f.back);
    return same_motion(&s, &second, &f);
}

cross_verdict cross_motion_order(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s, second;
    cross_wishes wishes = any_motion;
    wishes.least_size = 4;
    cross_draw(&source, &wishes, &s);
    second = s;
    cross_order(&source, &second);
    form f = unchanged(s.n);
    return same_motion(&s, &second, &f);
}

cross_verdict cross_motion_divided(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s, second;
    cross_wishes wishes = any_motion;
    wishes.most_contacts = 2;
    wishes.crowded = 0; /* what is divided is one contact */
    wishes.slider = 0;  /* the springs of two sliders remember two things */
    cross_draw(&source, &wishes, &s);
    second = s;
    cross_divide(&source, &second, cross_index(&source, s.contacts), 2 + cross_index(&source, 2));
    form f = unchanged(s.n);
    return same_motion(&s, &second, &f);
}

/* What only one of the two can answer, and says so: `motion` finds that a rigid impact has no solution, or several, or
 * creates energy, where Moreau and Jean's scheme takes one, and meets every small bounce, of which steps see few;
 * `march` cannot share the forces of redundant contacts with static friction. */
static bool is_known_limit(const cross_answer *motion, const cross_answer *march) {
    am_status why = motion->error.status;
    return motion->result ? march->error.status == AM_ERR_UNSUPPORTED
                          : march->result && (why == AM_ERR_SEVERAL_STATES || why == AM_ERR_NO_STATE ||
                                              why == AM_ERR_EVIDENCE || why == AM_ERR_LIMIT);
}

/* `march` says how wrong it may be; a run that meets another sequence of events at a tenth of the tolerance is not
 * converged, and nothing can be said. */
static cross_verdict motion_and_march(const cross_structure *s, const char *method, double least) {
    static trajectory one, other;
    form f = unchanged(s->n);
    cross_answer a = ask_motion(s, 1);
    cross_answer b = cross_ask(s, true, "kind: march, %s, until: %.17g, samples: 2, check: true", method, until);
    cross_verdict verdict = {.kind = CROSS_AGREE};
    if ((!a.result || !b.result) && is_known_limit(&a, &b)) {
        verdict.kind = CROSS_REFUSED;
        snprintf(verdict.why, sizeof verdict.why, "%.399s", a.result ? b.error.message : a.error.message);
    } else if (!a.result || !b.result) {
        verdict = refused(s, &a, &b);
    } else if (read_trajectory(&a, s, &f, &one)) {
        read_end(&b, s->n, &f, &other);
        double size = 1, error = cross_number(&b, "error_estimate"), moves = sensitivity(s, &one);
        for (size_t i = 0; i < s->n; i++)
            size = fmax(size, fmax(fabs(one.q[i]), fabs(one.v[i])));
        double difference = ends_apart(s->n, &one, &other);
        if (!(moves < 1e-6) || cross_number(&b, "switches_agree") == 0)
            verdict.kind = CROSS_SENSITIVE;
        else if (!(difference <= size * (least + 10 * error)))
            verdict =
                cross_differ(&a, &b, "the ends differ by %.3g, march expects an error of %.3g (switches_agree %g)",
                             difference, size * error, cross_number(&b, "switches_agree"));
    }
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

cross_verdict cross_motion_march(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    cross_wishes wishes = any_motion;
    wishes.held = 1;
    wishes.slider = wishes.restitution = 0;
    wishes.stiff = 0.3;
    cross_draw(&source, &wishes, &s);
    return motion_and_march(&s, "tolerance: 1e-9", 1e-7);
}

cross_verdict cross_motion_moreau(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    cross_wishes wishes = any_motion;
    wishes.most_size = 6;
    wishes.held = wishes.slider = wishes.static_friction = 0;
    wishes.stiff = 0.3;
    cross_draw(&source, &wishes, &s);
    return motion_and_march(&s, "method: moreau-jean, step: 0.001", 1e-3);
}
