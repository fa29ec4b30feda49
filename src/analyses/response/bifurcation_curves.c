/* Period doublings and Neimark-Sacker points in two parameters. On the exact motion, closed by shooting at (p, s), one
 * equation says where it loses its stability,
 *
 *     product over i of (mu_i + 1) = 0          period doubling: a multiplier -1,
 *     mu_1 mu_2 - 1 = 0                         Neimark-Sacker: a pair on the unit circle,
 *
 * smooth functions of p and s also where multipliers meet and part, so that g(p; s) = 0 is followed along s by
 * pseudo-arclength like any other curve. Under control there are as many further unknowns and conditions on the harmonics
 * of the exact motion. No harmonics are left out. Where other multipliers reach the circle, or the
 * pair a strong resonance, the curve meets others: these points are located. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/follow/point.h"
#include "analyses/response/exact.h"
#include "analyses/response/further_branches.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/try.h"
#include "math/pi.h"

enum { MOST_TESTS = 7, MOST_UNKNOWNS = 1 + AM_FOLD_CONTROLS };

typedef struct track {
    am_response *r;
    am_model_line line;   /* its held number is the second one */
    bool torus;           /* Neimark-Sacker; else period doubling */
    am_follow_point base; /* the orbit closed last */
    double turn;          /* mu_1 + mu_2 of it */
    am_continuation *curve;
    double own; /* the structure's value of the second number */
    double s_step;
    size_t unknowns;            /* 1 and those of control */
    double unit[MOST_UNKNOWNS]; /* of p and of what control varies: unknowns are of order 1 */
    bool skip;                  /* the start of the second part is known */
    size_t first;               /* point of this curve */
    const char *stopped;
    am_status failure; /* inside a visit */
    am_error *err;
} track;

/* ---- multipliers ---- */

/* The product of (mu_i - at), those of modulus above 1 divided by it, without the indices a and b. */
static double product(const am_orbit *o, double at, size_t a, size_t b) {
    double re = 1.0, im = 0.0;
    for (size_t i = 0; i < o->dimension; i++) {
        double size = fmax(1.0, hypot(o->multiplier_re[i], o->multiplier_im[i]));
        double x = (o->multiplier_re[i] - at) / size, y = o->multiplier_im[i] / size, old = re;
        if (i == a || i == b)
            continue;
        re = re * x - im * y;
        im = old * y + im * x;
    }
    return re; /* conjugate pairs: real */
}

/* The same of mu_i mu_j - 1, which vanishes where a pair is on the unit circle. */
static double product_of_pairs(const am_orbit *o, size_t a, size_t b) {
    double re = 1.0, im = 0.0;
    for (size_t i = 0; i < o->dimension; i++)
        for (size_t j = i + 1; j < o->dimension; j++) {
            double x = o->multiplier_re[i] * o->multiplier_re[j] - o->multiplier_im[i] * o->multiplier_im[j] - 1.0;
            double y = o->multiplier_re[i] * o->multiplier_im[j] + o->multiplier_im[i] * o->multiplier_re[j];
            double size = fmax(1.0, hypot(x, y)), old = re;
            if (i == a || i == b || j == a || j == b)
                continue;
            re = (re * x - im * y) / size;
            im = (old * y + im * x) / size;
        }
    return re;
}

static size_t nearest_to(const am_orbit *o, double at, size_t without) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < o->dimension; i++) {
        double distance = hypot(o->multiplier_re[i] - at, o->multiplier_im[i]);
        if (i != without && distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

/* The pair with mu_1 mu_2 nearest to 1 and mu_1 + mu_2 nearest to `turn` (NAN: any complex one): conjugate, or two real
 * ones of one sign, which is what a pair becomes where it meets on the real axis. */
static bool find_pair(const am_orbit *o, double turn, size_t *a, size_t *b) {
    double least = INFINITY;
    for (size_t i = 0; i < o->dimension; i++)
        for (size_t j = i + 1; j < o->dimension; j++) {
            double x = o->multiplier_re[i], y = o->multiplier_im[i], u = o->multiplier_re[j], v = o->multiplier_im[j];
            bool conjugate = y != 0.0 && y == -v && x == u, real = y == 0.0 && v == 0.0 && x * u > 0.0;
            if (!conjugate && (!real || isnan(turn)))
                continue;
            double cost = fabs(x * u - y * v - 1.0) + (isnan(turn) ? 0.0 : fabs(x + u - turn));
            if (cost < least) {
                least = cost;
                *a = i;
                *b = j;
            }
        }
    return least < INFINITY;
}

/* The multipliers of the bifurcation: the one nearest to -1 (a == b), or the pair. */
static bool find_critical(const track *t, const am_orbit *o, size_t *a, size_t *b) {
    if (t->torus)
        return find_pair(o, t->turn, a, b);
    *a = *b = nearest_to(o, -1.0, SIZE_MAX);
    return *a != SIZE_MAX;
}

/* ---- the equation ---- */

/* p and what control varies become the model's. */
static am_status set_numbers(const track *t, const double *y, am_error *err) {
    for (size_t i = 1; i < t->unknowns; i++)
        AM_TRY(am_model_set(t->line.model, t->r->options->controls[i - 1].number, y[i] * t->unit[i], err));
    return AM_OK;
}

/* What is left of the conditions of control on the exact motion. */
static am_status control_rows(track *t, const am_follow_point *x, double *g, am_error *err) {
    AM_LOCAL(am_follow_shut) am_follow_system at = {0};
    const am_response *r = t->r;
    if (t->unknowns == 1)
        return AM_OK;
    AM_LOCAL_MEMORY double *signals = am_memory_new(r->n * r->S, sizeof *signals, err);
    if (!signals)
        return AM_ERR_MEMORY;
    AM_TRY(am_follow_open(&t->line, x->p, &at, err));
    AM_TRY(am_timed_harmonics(at.engine, x->how.start, &x->orbit, r->H, signals, NULL, NULL, err));
    for (size_t i = 1; i < t->unknowns; i++)
        AM_TRY(am_balance_control_rest(r->balance, i - 1, at.system, 2.0 * pi / x->orbit.period, signals, r->H, &g[i],
                                       err));
    return AM_OK;
}

/* g at (y, second), from the orbit closed there: near `base`. `x` is the caller's to clear. */
static am_status close_here(track *t, const double *y, double second, am_follow_point *x, double *g, am_error *err) {
    size_t a = 0, b = 0;
    t->line.value = second;
    AM_TRY(set_numbers(t, y, err));
    AM_TRY(am_follow_close_near(&t->line, y[0] * t->unit[0], &t->base, NULL, x, err));
    AM_TRY(control_rows(t, x, g, err));
    const am_orbit *o = &x->orbit;
    if (!t->torus) {
        *g = product(o, -1.0, SIZE_MAX, SIZE_MAX);
        return AM_OK;
    }
    if (!find_pair(o, t->turn, &a, &b))
        return am_fail(err, AM_ERR_LIMIT, "no pair of multipliers is left");
    *g = o->multiplier_re[a] * o->multiplier_re[b] - o->multiplier_im[a] * o->multiplier_im[b] - 1.0;
    return AM_OK;
}

/* The orbit becomes the one that others are sought near. */
static void keep(track *t, am_follow_point *x) {
    size_t a = 0, b = 0;
    am_follow_move(&t->base, x);
    if (t->torus && find_pair(&t->base.orbit, t->turn, &a, &b))
        t->turn = t->base.orbit.multiplier_re[a] + t->base.orbit.multiplier_re[b];
}

/* The derivative along unknown `along` (t->unknowns: the second number), as a column with rows `stride` apart. */
static am_status difference(track *t, const double *y, double second, size_t along, double *slope, size_t stride,
                            am_error *err) {
    double g[2][MOST_UNKNOWNS] = {{0.0}}, step = along < t->unknowns ? 1e-6 : t->s_step;
    for (int side = 0; side < 2; side++) {
        am_follow_point x = {0};
        double moved[MOST_UNKNOWNS], way = side ? step : -step;
        memcpy(moved, y, t->unknowns * sizeof *moved);
        if (along < t->unknowns)
            moved[along] += way;
        am_status status = close_here(t, moved, along < t->unknowns ? second : second + way, &x, g[side], err);
        am_follow_clear(&x);
        AM_TRY(status);
    }
    for (size_t i = 0; i < t->unknowns; i++)
        slope[i * stride] = (g[1][i] - g[0][i]) / (2.0 * step);
    return AM_OK;
}

static am_status evaluate(void *context, const double *y, double second, double *g, double *jacobian, double *slope,
                          am_error *err) {
    track *t = context;
    am_follow_point x = {0};
    am_status status = close_here(t, y, second, &x, g, err);
    if (status) {
        am_follow_clear(&x);
        return status;
    }
    keep(t, &x);
    for (size_t i = 0; jacobian && i < t->unknowns; i++)
        AM_TRY(difference(t, y, second, i, jacobian + i, t->unknowns, err));
    return slope ? difference(t, y, second, t->unknowns, slope, 1, err) : AM_OK;
}

/* ---- where other curves are met ---- */

static const char *const doubling_names[] = {"resonance-1:2", "fold-flip", "flip-torus"};
static const char *const torus_names[] = {"resonance-1:1", "resonance-1:2", "resonance-1:3", "resonance-1:4",
                                          "flip-torus",    "fold-torus",    "torus-torus"};

static am_status tests(void *context, const double *y, double second, const double *tangent, double *values,
                       am_error *err) {
    track *t = context;
    am_follow_point x = {0};
    double g[MOST_UNKNOWNS];
    size_t a = 0, b = 0;
    (void)tangent;
    am_status status = close_here(t, y, second, &x, g, err);
    bool known = !status && find_critical(t, &x.orbit, &a, &b);
    const am_orbit *o = &x.orbit;
    if (known && t->torus) {
        double turn = o->multiplier_re[a] + o->multiplier_re[b];
        const double own[] = {turn - 2.0, turn + 2.0, turn + 1.0, turn, product(o, -1.0, a, b), product(o, 1.0, a, b)};
        memcpy(values, own, sizeof own);
        values[6] = product_of_pairs(o, a, b);
    } else if (known) {
        values[0] = product(o, -1.0, a, a);
        values[1] = product(o, 1.0, a, a);
        values[2] = product_of_pairs(o, a, a);
    }
    for (size_t i = 0; i < MOST_TESTS && !known && !status; i++)
        if (i < (t->torus ? 7u : 3u))
            values[i] = NAN;
    am_follow_clear(&x);
    return status;
}

/* mu_i mu_j = 1 of two real ones is no bifurcation. */
static bool is_spurious(const track *t, const char *kind) {
    const am_orbit *o = &t->base.orbit;
    size_t a = 0, b = 0;
    if (strcmp(kind, "flip-torus") && strcmp(kind, "torus-torus"))
        return false;
    if (t->torus && !strcmp(kind, "flip-torus"))
        return false;
    if (!find_critical(t, o, &a, &b))
        return true;
    for (size_t i = 0; i < o->dimension; i++)
        if (i != a && i != b && o->multiplier_im[i] != 0.0 &&
            fabs(hypot(o->multiplier_re[i], o->multiplier_im[i]) - 1.0) < 1e-4)
            return false;
    return true;
}

/* ---- recording ---- */

static am_status note(track *t, const am_continuation_point *at, const am_continuation_special *special,
                      am_error *err) {
    am_response_search *s = t->r->search;
    const am_orbit *o = &t->base.orbit;
    size_t a = 0, b = 0;
    double g[MOST_UNKNOWNS];
    am_follow_point x = {0};
    am_status status = close_here(t, at->x, at->p, &x, g, err); /* base may be that of a trial */
    if (status) {
        am_follow_clear(&x);
        return status;
    }
    keep(t, &x);
    if (is_spurious(t, special->kind) || !find_critical(t, o, &a, &b))
        return AM_OK;
    AM_TRY(am_memory_reserve(&s->bifurcation, &s->bifurcation_capacity, s->bifurcations + 1, err));
    s->bifurcation[s->bifurcations++] =
        (am_bifurcation_point){.curve = s->bifurcation_curves,
                               .bifurcation = t->torus ? "neimark-sacker" : "period-doubling",
                               .p = at->x[0] * t->unit[0],
                               .second = at->p,
                               .period = o->period,
                               .re = o->multiplier_re[a],
                               .im = fabs(o->multiplier_im[a]),
                               .closing = o->closing,
                               .kind = strcmp(special->kind, "fold") ? special->kind : "extremum",
                               .located = special->located};
    for (size_t i = 1; i < t->unknowns; i++)
        s->bifurcation[s->bifurcations - 1].control[i - 1] = at->x[i] * t->unit[i];
    return AM_OK;
}

static bool visit(void *context, const am_continuation_point *at, const am_continuation_special *special) {
    track *t = context;
    const am_response_options *o = t->r->options;
    if (t->skip) { /* the start of the second part is that of the first one */
        t->skip = false;
        return true;
    }
    if (!strcmp(special->kind, "value") && at->arclength == 0.0)
        return true;
    double p = at->x[0] * t->unit[0];
    if (p < fmin(o->from, o->to) || p > fmax(o->from, o->to)) {
        t->stopped = "the number followed leaves its range";
        return false;
    }
    t->failure = note(t, at, special, t->err);
    if (!t->failure && !am_progress_report(t->r->progress, 0.95))
        t->failure = am_fail(t->err, AM_ERR_INTERRUPTED, "interrupted while bifurcations were followed");
    bool ends = t->torus && special->located &&
                (!strcmp(special->kind, "resonance-1:1") || !strcmp(special->kind, "resonance-1:2"));
    if (ends)
        t->stopped = "the pair of multipliers meets on the real axis: beyond, no torus is born";
    return !t->failure && !ends;
}

/* ---- one curve ---- */

/* Why a part ends, where its last point is. */
static void explain_end(track *t, const am_continuation_report *report, size_t before) {
    am_response_search *s = t->r->search;
    if (s->bifurcations <= before)
        return;
    am_bifurcation_point *last = &s->bifurcation[s->bifurcations - 1];
    const am_orbit *o = &t->base.orbit;
    size_t a = SIZE_MAX, b;
    find_critical(t, o, &a, &b);
    size_t other = nearest_to(o, 1.0, a);
    bool merges = t->torus && hypot(last->re - 1.0, last->im) < 0.2;
    bool folds = other != SIZE_MAX && hypot(o->multiplier_re[other] - 1.0, o->multiplier_im[other]) < 0.05;
    if (t->stopped)
        snprintf(last->why, sizeof last->why, "%s", t->stopped);
    else if (report->end == AM_CONTINUATION_FAILED && merges)
        snprintf(last->why, sizeof last->why,
                 "the pair of multipliers comes to 1 (a resonance 1:1, where motions fold): it is %.6g +- %.6g i",
                 last->re, last->im);
    else if (report->end == AM_CONTINUATION_FAILED && folds)
        snprintf(last->why, sizeof last->why, "the motion folds there: another multiplier is %.6g",
                 o->multiplier_re[other]);
    else if (report->end == AM_CONTINUATION_CLOSED)
        snprintf(last->why, sizeof last->why, "the curve closes");
    else
        snprintf(last->why, sizeof last->why, "%.*s", (int)sizeof last->why - 1, report->sentence);
}

static am_status follow_part(track *t, double *y, int direction, am_continuation_report *report, am_error *err) {
    const am_response_folds *f = &t->r->options->bifurcation_curves;
    const am_continuation_problem problem = {.n = t->unknowns,
                                             .evaluate = evaluate,
                                             .tests = tests,
                                             .test_count = t->torus ? 7 : 3,
                                             .test_names = t->torus ? torus_names : doubling_names,
                                             .context = t};
    am_continuation_options options = am_response_curve_options(f, &t->own, direction);
    options.x_scale = 1.0;
    options.tolerance = 1e-9;     /* multipliers are known to about 1e-11 */
    options.smallest_step = 1e-6; /* where grazes break the curve nothing is gained by less */
    t->failure = AM_OK;
    t->stopped = NULL;
    t->err = err;
    size_t before = t->r->search->bifurcations;
    am_status status = am_continuation_follow(t->curve, &problem, &options, y, report, visit, t, err);
    status = t->failure ? t->failure : status;
    if (!status)
        explain_end(t, report, before);
    return status;
}

static void reverse(am_response_search *s, size_t first) {
    for (size_t i = first, j = s->bifurcations; i + 1 < j; i++) {
        am_bifurcation_point swap = s->bifurcation[--j];
        s->bifurcation[j] = s->bifurcation[i];
        s->bifurcation[i] = swap;
    }
}

/* The exact orbit next to the balanced point i. */
static am_status close_first(track *t, size_t i, am_error *err) {
    am_response *r = t->r;
    const double *x = r->x + i * r->size;
    double p = r->point[i].p, omega = am_balance_omega(r->balance, x, p);
    const am_system *system;
    am_follow_point like = {.p = p, .how = {.section = AM_SECTION_FREE, .returns = 1, .from_guess = true}};
    am_follow_clear(&t->base); /* that of the curve before */
    t->line.value = t->own;
    AM_TRY(am_model_line_at(&t->line, p, &system, err));
    like.how.period = 2.0 * pi / omega;
    bool switches = am_system_contacts(system) > 0; /* where nothing can, the other beginning is the same */
    if (!r->self_excited) {
        like.how.section = AM_SECTION_PERIOD;
        like.how.period = am_orbit_load_period(system);
        like.how.returns = (size_t)fmax(1.0, round(2.0 * pi / omega / like.how.period));
    }
    double *guess = am_memory_new(2 * r->n + am_balance_springs(r->balance), sizeof *guess, err);
    am_status status = guess ? am_balance_state(r->balance, x, p, guess, err) : AM_ERR_MEMORY;
    if (!status)
        status = am_follow_close(&t->line, p, &like, guess, &t->base, err);
    if (status == AM_ERR_LIMIT && switches) {
        like.how.from_guess = false;
        status = am_follow_close(&t->line, p, &like, guess, &t->base, err);
    }
    am_memory_free(guess);
    return status;
}

static am_status begin(track *t, size_t i, am_error *err) {
    size_t a = 0, b = 0;
    t->turn = NAN;
    am_balance_set_model(t->r->balance, t->r->x + i * t->r->size);
    AM_TRY(close_first(t, i, err));
    if (t->torus && !find_pair(&t->base.orbit, NAN, &a, &b))
        return am_fail(err, AM_ERR_LIMIT, "the exact motion has no pair of complex multipliers");
    if (t->torus)
        t->turn = t->base.orbit.multiplier_re[a] + t->base.orbit.multiplier_re[b];
    am_continuation_free(t->curve);
    t->curve = am_continuation_create(t->unknowns, t->torus ? 7 : 3, err);
    return t->curve ? AM_OK : AM_ERR_MEMORY;
}

/* Where the curve begins, and the units of its unknowns. */
static void set_units(track *t, size_t i, double *y) {
    const am_response *r = t->r;
    t->unit[0] = fabs(r->options->to - r->options->from);
    y[0] = r->point[i].p / t->unit[0];
    for (size_t k = 1; k < t->unknowns; k++) {
        double value = am_balance_control_value(r->balance, r->x + i * r->size, k - 1);
        t->unit[k] = value != 0.0 ? fabs(value) : 1.0;
        y[k] = value / t->unit[k];
    }
}

static am_status follow_both(track *t, size_t i, bool *closed, am_error *err) {
    am_response_search *s = t->r->search;
    am_continuation_report report = {0};
    am_follow_point start = {0};
    double y[MOST_UNKNOWNS], start_at[MOST_UNKNOWNS];
    t->skip = false;
    AM_TRY(begin(t, i, err));
    set_units(t, i, y);
    memcpy(start_at, y, sizeof start_at);
    am_status status = am_follow_copy(&t->base, &start, err);
    double turn = t->turn;
    if (!status)
        status = follow_part(t, y, 1, &report, err);
    *closed = report.end == AM_CONTINUATION_CLOSED;
    if (!status && !*closed) {
        reverse(s, t->first);
        t->skip = s->bifurcations > t->first;
        am_follow_move(&t->base, &start);
        t->turn = turn;
        status = follow_part(t, start_at, -1, &report, err);
    }
    am_follow_clear(&start);
    return status;
}

/* A curve that cannot be begun is counted, with the reason of the first. */
static am_status follow_curve(track *t, size_t i, am_error *err) {
    am_response_search *s = t->r->search;
    am_error own = {0};
    bool closed = false;
    t->first = s->bifurcations;
    t->torus = !strcmp(t->r->point[i].kind, "neimark-sacker");
    am_status status = follow_both(t, i, &closed, &own);
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    s->bifurcation_curves += s->bifurcations > t->first;
    if (s->bifurcations == t->first && s->bifurcation_curves_lost++ == 0)
        snprintf(s->bifurcation_lost, sizeof s->bifurcation_lost, "the %s at %.8g: %.200s", t->r->point[i].kind,
                 t->r->point[i].p, status ? own.message : "nothing lies next to it");
    return AM_OK;
}

/* A curve that was followed has passed the structure's own value here. */
static bool is_met(const track *t, size_t i) {
    const am_response_search *s = t->r->search;
    const am_response_point *point = &t->r->point[i];
    double range = fabs(t->r->options->to - t->r->options->from);
    for (size_t k = 0; k < s->bifurcations; k++)
        if (s->bifurcation[k].second == t->own && !strcmp(s->bifurcation[k].bifurcation, point->kind) &&
            fabs(s->bifurcation[k].p - point->p) <= 1e-3 * range)
            return true;
    return false;
}

am_status am_response_bifurcations_track(am_response *r, am_error *err) {
    const am_response_folds *f = &r->options->bifurcation_curves;
    track t = {.r = r, .line = r->line, .own = am_model_value(r->line.model, f->number)};
    am_status status = AM_OK;
    if (f->number == SIZE_MAX)
        return AM_OK;
    t.line.held = f->number;
    t.unknowns = 1 + r->options->control_count;
    if (t.unknowns > MOST_UNKNOWNS)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "control", "bifurcations are followed with at most %d conditions",
                             AM_FOLD_CONTROLS);
    t.s_step = 1e-6 * fabs(f->to - f->from);
    for (size_t i = 0; i < r->count && !status; i++)
        if ((!strcmp(r->point[i].kind, "period-doubling") || !strcmp(r->point[i].kind, "neimark-sacker")) &&
            !is_met(&t, i))
            status = follow_curve(&t, i, err);
    am_continuation_free(t.curve);
    am_follow_clear(&t.base);
    am_balance_set_model(r->balance, NULL);
    am_model_set(r->line.model, f->number, t.own, NULL);
    return status;
}
