/* The first loss of stability in a span of the parameter: pieces are divided until the paths of all eigenvalues across
 * them are so nearly parabolas that none of them can have crossed the axis and come back. */
#include <math.h>
#include <stdint.h>

#include "analyses/threshold/sample.h"
#include "base/local.h"

/* Which eigenvalues of the ends of a piece belong to those of its middle. */
typedef struct matches {
    am_arena memory;
    size_t *before, *after;
    bool *taken;
} matches;

static am_status matches_init(matches *r, const am_threshold_sample *a, const am_threshold_sample *m,
                              const am_threshold_sample *b, am_error *err) {
    size_t n = m->spectrum.count, most = a->spectrum.count > b->spectrum.count ? a->spectrum.count : b->spectrum.count;
    *r = (matches){0};
    r->before = am_arena_new(&r->memory, n, sizeof *r->before, err);
    r->after = am_arena_new(&r->memory, n, sizeof *r->after, err);
    r->taken = am_arena_new(&r->memory, most, sizeof *r->taken, err);
    am_status status = am_arena_status(&r->memory);
    if (status)
        am_arena_clear(&r->memory);
    return status;
}

/* The parabola through x0, x1, x2 at -1, 0, 1: its largest value on [-1, 1]. */
static double parabola_top(double x0, double x1, double x2) {
    double slope = 0.5 * (x2 - x0), bend = 0.5 * (x0 - 2.0 * x1 + x2), top = fmax(x0, x2);
    if (bend < 0.0 && fabs(slope) < -2.0 * bend)
        top = x1 - slope * slope / (4.0 * bend);
    return top;
}

/* Its least distance from zero; 0 when it passes through. */
static double parabola_least(double x0, double x1, double x2) {
    if (x1 < 0.0) {
        x0 = -x0;
        x1 = -x1;
        x2 = -x2;
    }
    return fmax(0.0, -parabola_top(-x0, -x1, -x2));
}

/* One eigenvalue across a piece: at its beginning, middle and end. */
typedef struct path {
    double re[3], im[3];
} path;

/* How far the path is from a straight one: what a parabola leaves out is expected to be less. */
static double path_bend(const path *p) {
    return 0.5 * hypot(p->re[0] - 2.0 * p->re[1] + p->re[2], p->im[0] - 2.0 * p->im[1] + p->im[2]);
}

static bool stays_left(const path *p) {
    return parabola_top(p->re[0], p->re[1], p->re[2]) + path_bend(p) < 0.0;
}

/* 1/lambda lies on the same side of the axis as lambda; it is the smoother one where eigenvalues run to infinity. */
static path inverse(const path *p) {
    path q;
    for (int k = 0; k < 3; k++) {
        double size = p->re[k] * p->re[k] + p->im[k] * p->im[k];
        q.re[k] = p->re[k] / size;
        q.im[k] = -p->im[k] / size;
    }
    return q;
}

static path path_of(const am_threshold_sample *const s[3], const matches *r, size_t i) {
    size_t at[3] = {r->before[i], i, r->after[i]};
    path p;
    for (int k = 0; k < 3; k++) {
        p.re[k] = s[k]->spectrum.real[at[k]];
        p.im[k] = s[k]->spectrum.imaginary[at[k]];
    }
    return p;
}

static bool always_zero(const am_threshold_sample *const s[3], const matches *r, size_t i) {
    size_t at[3] = {r->before[i], i, r->after[i]};
    for (int k = 0; k < 3; k++)
        if (hypot(s[k]->spectrum.real[at[k]], s[k]->spectrum.imaginary[at[k]]) > s[k]->spectrum.uncertainty[at[k]])
            return false;
    return true;
}

/* Eigenvalues on the axis leave it only where two of them meet (undamped flutter), or one meets zero (undamped
 * divergence). Those that are together all the time are not coming together. */
static bool stay_apart(const am_threshold_sample *const s[3], const matches *r, size_t i) {
    path p = path_of(s, r, i);
    if (p.im[1] != 0.0 && parabola_least(p.im[0], p.im[1], p.im[2]) <= path_bend(&p))
        return false;
    for (size_t j = 0; j < s[1]->spectrum.count; j++) {
        if (j == i || !am_threshold_sample_neutral(s[1], j) || s[1]->spectrum.imaginary[j] * p.im[1] <= 0.0 ||
            r->before[j] == SIZE_MAX || r->after[j] == SIZE_MAX)
            continue;
        path q = path_of(s, r, j);
        double apart[3], doubt = s[1]->spectrum.uncertainty[i] + s[1]->spectrum.uncertainty[j];
        for (int k = 0; k < 3; k++)
            apart[k] = p.im[k] - q.im[k];
        if (fabs(apart[0]) <= doubt && fabs(apart[1]) <= doubt && fabs(apart[2]) <= doubt)
            continue;
        if (parabola_least(apart[0], apart[1], apart[2]) <= path_bend(&p) + path_bend(&q))
            return false;
    }
    return true;
}

static bool cannot_cross(const am_threshold_sample *const s[3], const matches *r, size_t i) {
    if (r->before[i] == SIZE_MAX || r->after[i] == SIZE_MAX)
        return false;
    if (always_zero(s, r, i))
        return true;
    if (am_threshold_sample_neutral(s[1], i))
        return stay_apart(s, r, i);
    path p = path_of(s, r, i);
    if (stays_left(&p))
        return true;
    path q = inverse(&p);
    return stays_left(&q); /* NaN: no */
}

/* No eigenvalue can have crossed between three stable samples. */
static am_status examine_between(const am_threshold_sample *a, const am_threshold_sample *m,
                                 const am_threshold_sample *b, bool *clear, am_error *err) {
    const am_threshold_sample *const s[3] = {a, m, b};
    matches r;
    AM_TRY(matches_init(&r, a, m, b, err));
    am_threshold_sample_match(m, a, r.before, r.taken);
    am_threshold_sample_match(m, b, r.after, r.taken);
    *clear = true;
    for (size_t i = 0; *clear && i < m->spectrum.count; i++)
        *clear = m->spectrum.imaginary[i] < 0.0 || cannot_cross(s, &r, i);
    am_arena_clear(&r.memory);
    return AM_OK;
}

/* A stretch of the span; its beginning is stable. */
typedef struct stretch {
    const am_threshold_sample *a, *b;
} stretch;

typedef struct answer {
    am_threshold_sample low, high;
    bool found;
} answer;

/* Stretches with a loss are narrowed to this part of the span before the root finder takes over. */
static const double bracket_part = 1.0 / 256.0;

static am_status first_loss(am_threshold_search *search, stretch in, answer *out, am_error *err);

static am_status in_halves(am_threshold_search *search, stretch in, const am_threshold_sample *m, answer *out,
                           am_error *err) {
    AM_TRY(first_loss(search, (stretch){in.a, m}, out, err));
    if (!out->found && m->state == AM_THRESHOLD_SAMPLE_STABLE)
        AM_TRY(first_loss(search, (stretch){m, in.b}, out, err));
    return AM_OK;
}

/* Copies of the ends: the samples of a stretch belong to whoever divided it. */
static am_status copy_ends(stretch in, answer *out, am_error *err) {
    am_status status = am_threshold_sample_copy(in.a, &out->low, err);
    if (status == AM_OK)
        status = am_threshold_sample_copy(in.b, &out->high, err);
    if (status != AM_OK)
        am_threshold_sample_clear(&out->low);
    out->found = status == AM_OK;
    return status;
}

static am_status first_loss(am_threshold_search *search, stretch in, answer *out, am_error *err) {
    double width = fabs(in.b->parameter - in.a->parameter), whole = fabs(search->width);
    bool lost = in.b->state != AM_THRESHOLD_SAMPLE_STABLE, clear = false;
    if (lost && width <= bracket_part * whole)
        return copy_ends(in, out, err);
    AM_LOCAL(am_threshold_sample_clear) am_threshold_sample m = {0};
    double middle = in.a->parameter + 0.5 * (in.b->parameter - in.a->parameter);
    AM_TRY(am_threshold_sample_take(search, middle, &m, err));
    bool quiet = !lost && m.state == AM_THRESHOLD_SAMPLE_STABLE;
    if (quiet)
        AM_TRY(examine_between(in.a, &m, in.b, &clear, err));
    if (quiet && !clear && width <= search->options->finest * whole) {
        search->unresolved++;
        clear = true;
    }
    if (!(quiet && clear))
        AM_TRY(in_halves(search, in, &m, out, err));
    return AM_OK;
}

am_status am_threshold_bracket(am_threshold_search *search, const am_threshold_sample *begin, am_threshold_sample *low,
                               am_threshold_sample *high, bool *found, am_error *err) {
    answer out = {.found = false};
    am_status status = AM_OK;
    size_t pieces = search->options->pieces;
    am_threshold_sample ends[2] = {{.parameter = 0.0},
                                   {.parameter = 0.0}}; /* of the piece before and the present one */
    const am_threshold_sample *a = begin;
    for (size_t k = 1; status == AM_OK && k <= pieces && !out.found; k++) {
        am_threshold_sample *b = &ends[k % 2];
        double part = k == pieces ? 1.0 : (double)k / (double)pieces;
        am_threshold_sample_clear(b);
        status = am_threshold_sample_take(search, search->start + part * search->width, b, err);
        if (status == AM_OK)
            status = first_loss(search, (stretch){a, b}, &out, err);
        a = b;
    }
    am_threshold_sample_clear(&ends[0]);
    am_threshold_sample_clear(&ends[1]);
    *found = out.found;
    *low = out.low;
    *high = out.high;
    return status;
}
