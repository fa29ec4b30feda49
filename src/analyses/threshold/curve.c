/* The threshold along a second parameter: the boundary of stability in a plane, followed by arc length. A circle about
 * the last point meets the boundary where it came from and where it goes on; along the arc between them the next point
 * is a threshold of one parameter, the angle, and is located as such. So folds and corners need no care, and nothing
 * has to be differentiated. */
#include <math.h>
#include <string.h>

#include "analyses/analysis.h"
#include "analyses/threshold/sample.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "math/pi.h"

enum { CURVE_COOKIE = 0x63757276 };

am_threshold_curve_options am_threshold_curve_options_default(void) {
    return (am_threshold_curve_options){.first = am_threshold_options_default(),
                                        .number = 1,
                                        .step = 0.02,
                                        .most_points = 10000,
                                        .second = "the second parameter",
                                        .cookie = CURVE_COOKIE};
}

/* Places are scaled: u = parameter / extent, w = (second - from) / (to - from). */
typedef struct place {
    double u, w;
} place;

typedef struct walk {
    const am_spectra2 *spectra;
    const am_threshold_curve_options *options;
    am_threshold_search search; /* along an arc or a line */
    am_threshold_options turning;
    am_spectra along;
    double extent, side; /* side: +1 when the stable side lies to the left of the direction of travel, in (u, w) */
    /* The arc or line that is looked along. */
    place centre, forward;
    double radius; /* 0: a line through the centre, along u */
    am_threshold_curve *curve;
    size_t capacity; /* of its points */
} walk;

static place place_of(const walk *k, const am_threshold_point *p) {
    const am_threshold_curve_options *o = k->options;
    return (place){p->parameter / k->extent, (p->second - o->from) / (o->to - o->from)};
}

static void values_at(const walk *k, place x, double *parameter, double *second) {
    const am_threshold_curve_options *o = k->options;
    *parameter = x.u * k->extent;
    *second = x.w == 1.0 ? o->to : o->from + x.w * (o->to - o->from);
}

/* The place at an angle from the direction of travel, positive to the stable side; or at a distance along u. */
static place place_along(const walk *k, double t) {
    if (k->radius == 0.0)
        return (place){k->centre.u + t, k->centre.w};
    double c = k->radius * cos(t), s = k->radius * k->side * sin(t);
    return (place){k->centre.u + c * k->forward.u - s * k->forward.w,
                   k->centre.w + c * k->forward.w + s * k->forward.u};
}

static am_status spectrum_along(void *context, double t, am_spectrum *spectrum, am_error *err) {
    const walk *k = context;
    double parameter, second;
    values_at(k, place_along(k, t), &parameter, &second);
    return k->spectra->at(k->spectra->context, parameter, second, spectrum, err);
}

/* A stable and another sample on either side of t = 0, `sign` being the stable side, as near to it as `widths` allow.
 * False: none. */
static am_status find_sides(walk *k, double sign, size_t count, const double *widths, am_threshold_sample *low,
                            am_threshold_sample *high, bool *found, am_error *err) {
    am_threshold_sample centre = {.parameter = 0.0}, next = {.parameter = 0.0};
    am_status status = am_threshold_sample_take(&k->search, 0.0, &centre, err);
    bool stable = status == AM_OK && centre.state == AM_THRESHOLD_SAMPLE_STABLE;
    *found = false;
    for (size_t i = 0; status == AM_OK && i < count && !*found; i++) {
        status = am_threshold_sample_take(&k->search, (stable ? -sign : sign) * widths[i], &next, err);
        if (status != AM_OK)
            break;
        *found = (next.state == AM_THRESHOLD_SAMPLE_STABLE) != stable;
        if (!*found) {
            am_threshold_sample_clear(&centre);
            centre = next;
            next = (am_threshold_sample){.parameter = 0.0};
        }
    }
    if (status == AM_OK && *found) {
        *low = stable ? centre : next;
        *high = stable ? next : centre;
        return AM_OK;
    }
    am_threshold_sample_clear(&centre);
    am_threshold_sample_clear(&next);
    *found = false;
    return status;
}

/* The boundary on the present arc or line. *t: where. Values that the model refuses, and eigenvalues that fail their
 * check, are the end of an arc but not of the curve: a smaller one may do. */
static am_status boundary_along(walk *k, double sign, size_t count, const double *widths, am_threshold_point *point,
                                double *t, bool *found, am_error *err) {
    am_threshold_sample low = {.parameter = 0.0}, high = {.parameter = 0.0};
    am_threshold at = {.critical = NAN, .omega = NAN, .growth = NAN};
    am_status status = find_sides(k, sign, count, widths, &low, &high, found, err);
    if (status == AM_OK && *found)
        status = am_threshold_locate(&k->search, &low, &high, &at, err);
    am_threshold_sample_clear(&low);
    am_threshold_sample_clear(&high);
    if (status == AM_ERR_INPUT || status == AM_ERR_EVIDENCE) {
        *found = false;
        return AM_OK;
    }
    if (status != AM_OK || !*found)
        return status;
    *point = (am_threshold_point){.omega = at.omega, .growth = at.growth, .kind = at.kind, .other_omega = NAN};
    values_at(k, place_along(k, at.critical), &point->parameter, &point->second);
    *t = at.critical;
    return AM_OK;
}

/* Where the boundary goes on, at a distance from a point; *angle: by which angle it has turned. */
static am_status go_on(walk *k, const am_threshold_point *from, place forward, double radius, am_threshold_point *next,
                       double *angle, bool *found, am_error *err) {
    /* Radians; at pi it would be the way back. A quarter turn is along the edge of the range where the curve begins. */
    const double widths[] = {0.03, 0.1, 0.3, 0.8, 1.5, half_pi, 2.2, 2.9};
    k->centre = place_of(k, from);
    k->forward = forward;
    k->radius = radius;
    return boundary_along(k, 1.0, sizeof widths / sizeof *widths, widths, next, angle, found, err);
}

/* The threshold at one value of the second parameter, next to a place. */
static am_status at_second(walk *k, place near, am_threshold_point *point, bool *found, am_error *err) {
    static const double widths[] = {1e-4, 1e-3, 1e-2, 0.05, 0.2};
    double unused, stable_side = k->options->first.from / k->extent < near.u ? -1.0 : 1.0;
    k->centre = near;
    k->radius = 0.0;
    return boundary_along(k, stable_side, sizeof widths / sizeof *widths, widths, point, &unused, found, err);
}

/* ---- Corners ---- */

static bool same_branch(const am_threshold_point *a, const am_threshold_point *b, double part) {
    if (a->kind != b->kind)
        return false;
    return a->kind != AM_THRESHOLD_FLUTTER || fabs(a->omega - b->omega) <= part * fmax(a->omega, b->omega);
}

static bool nearer_to_second(const am_threshold_point *x, const am_threshold_point *a, const am_threshold_point *b) {
    if (a->kind != b->kind)
        return x->kind == b->kind;
    return fabs(x->omega - b->omega) < fabs(x->omega - a->omega);
}

/* Between two points of different branches, the place where one takes over from the other: circles about the first
 * point, bisected. *is_corner: the frequency (or the kind) jumps there. */
static am_status find_corner(walk *k, const am_threshold_point *a, const am_threshold_point *b, place forward,
                             double radius, am_threshold_point *corner, bool *is_corner, am_error *err) {
    double inner = 0.0, outer = radius, angle;
    am_threshold_point before = *a, after = *b;
    for (int step = 0; step < 44 && outer - inner > 1e-12 * radius; step++) {
        am_threshold_point middle;
        bool found = false;
        double r = inner + 0.5 * (outer - inner);
        AM_TRY(go_on(k, a, forward, r, &middle, &angle, &found, err));
        if (!found)
            break;
        bool beyond = nearer_to_second(&middle, &before, &after);
        *(beyond ? &after : &before) = middle;
        *(beyond ? &outer : &inner) = r;
    }
    *is_corner = !same_branch(&before, &after, 0.01);
    *corner = before;
    corner->corner = true;
    corner->other_omega = after.omega;
    return AM_OK;
}

/* ---- The walk ---- */

static am_status append(walk *k, const am_threshold_point *point, am_error *err) {
    am_threshold_curve *curve = k->curve;
    AM_TRY(am_memory_reserve(&curve->points, &k->capacity, curve->count + 1, err));
    curve->points[curve->count++] = *point;
    curve->corners += point->corner;
    return AM_OK;
}

static bool in_range(const walk *k, const am_threshold_point *p) {
    const am_threshold_options *o = &k->options->first;
    if (!isfinite(o->to))
        return (p->parameter - o->from) * (o->to < 0.0 ? -1.0 : o->span) >= 0.0;
    return p->parameter >= fmin(o->from, o->to) && p->parameter <= fmax(o->from, o->to);
}

/* The next point with a step in which the boundary turns by a gentle angle. */
static am_status step_on(walk *k, const am_threshold_point *now, place forward, double gentle, double *radius,
                         am_threshold_point *next, bool *found, am_error *err) {
    const double least = 1e-4 * k->options->step;
    for (;;) {
        double angle = 0.0;
        AM_TRY(go_on(k, now, forward, *radius, next, &angle, found, err));
        if (*radius <= least)
            return AM_OK;
        if (*found && fabs(angle) <= gentle)
            return AM_OK;
        if (*found && !same_branch(now, next, 0.1))
            return AM_OK; /* a corner is looked for in this step */
        *radius = fmax(0.5 * *radius, least);
    }
}

/* The last point, on the end of the second parameter, where the line from x to y meets it. */
static am_status finish(walk *k, place x, place y, am_error *err) {
    am_threshold_point last;
    double part = (1.0 - x.w) / (y.w - x.w);
    AM_TRY(at_second(k, (place){x.u + part * (y.u - x.u), 1.0}, &last, &k->curve->reached, err));
    return k->curve->reached ? append(k, &last, err) : AM_OK;
}

/* Take a step: with the corner it passes, if any. */
static am_status take_step(walk *k, place forward, double radius, const am_threshold_point *next, am_error *err) {
    am_threshold_point now = k->curve->points[k->curve->count - 1], corner;
    bool is_corner = false;
    if (!same_branch(&now, next, 0.1))
        AM_TRY(find_corner(k, &now, next, forward, radius, &corner, &is_corner, err));
    if (is_corner)
        AM_TRY(append(k, &corner, err));
    return append(k, next, err);
}

static void count_fold(am_threshold_curve *curve) {
    size_t n = curve->count;
    if (n < 3 || curve->points[n - 2].corner)
        return;
    double before = curve->points[n - 2].second - curve->points[n - 3].second;
    double after = curve->points[n - 1].second - curve->points[n - 2].second;
    curve->folds += before * after < 0.0;
}

static am_status walk_on(walk *k, const am_progress *progress, am_error *err) {
    am_threshold_curve *curve = k->curve;
    place forward = {0.0, 1.0};
    double radius = k->options->step;
    while (curve->count < k->options->most_points) {
        am_threshold_point now = curve->points[curve->count - 1], next;
        bool found = false;
        place here = place_of(k, &now);
        if (!am_progress_report(progress, fmin(fmax(here.w, 0.0), 1.0)))
            return am_fail(err, AM_ERR_INTERRUPTED, "stopped while following the threshold");
        /* The first direction is a guess. */
        AM_TRY(step_on(k, &now, forward, curve->count == 1 ? 1.6 : 0.25, &radius, &next, &found, err));
        if (!found && here.w + k->options->step >= 1.0 && forward.w > 0.0)
            return finish(k, here, (place){here.u + forward.u, here.w + forward.w}, err);
        if (!found)
            return AM_OK;
        place there = place_of(k, &next);
        if (there.w >= 1.0)
            return finish(k, here, there, err);
        if (there.w < 0.0 || !in_range(k, &next))
            return AM_OK;
        AM_TRY(take_step(k, forward, radius, &next, err));
        count_fold(curve);
        here = place_of(k, &curve->points[curve->count - 2]); /* the corner, if there was one */
        double length = hypot(there.u - here.u, there.w - here.w);
        if (length > 0.0)
            forward = (place){(there.u - here.u) / length, (there.w - here.w) / length};
        radius = fmin(1.5 * radius, k->options->step);
    }
    return AM_OK;
}

/* ---- The first point ---- */

typedef struct first_line {
    const am_spectra2 *spectra;
    double second;
} first_line;

static am_status spectrum_at_first(void *context, double parameter, am_spectrum *spectrum, am_error *err) {
    const first_line *line = context;
    return line->spectra->at(line->spectra->context, parameter, line->second, spectrum, err);
}

static am_status check_options(const am_threshold_curve_options *options, am_error *err) {
    AM_TRY(am_options_check(options->cookie, CURVE_COOKIE, "threshold_curve", err));
    if (!isfinite(options->from) || !isfinite(options->to) || options->from == options->to)
        return am_fail_field(err, AM_ERR_INPUT, "along.to", "from and to of %s must be two different numbers",
                             options->second);
    if (!(options->step > 0.0 && options->step <= 0.5))
        return am_fail_field(err, AM_ERR_INPUT, "along.step", "step must be above 0 and at most 0.5, not %g",
                             options->step);
    return AM_OK;
}

static am_status follow_curve(const am_spectra2 *spectra, const am_threshold_curve_options *options,
                              am_threshold *begin, am_threshold_curve *curve, const am_progress *progress,
                              am_error *err) {
    first_line line = {spectra, options->from};
    am_spectra first = {spectrum_at_first, &line};
    AM_TRY(am_threshold_find(&first, &options->first, begin, progress, err));
    if (begin->kind == AM_THRESHOLD_NONE)
        return AM_OK;
    walk k = {.spectra = spectra, .options = options, .curve = curve};
    k.extent = fabs(begin->critical - options->first.from);
    k.side = begin->critical > options->first.from ? 1.0 : -1.0;
    k.along = (am_spectra){spectrum_along, &k};
    k.turning = options->first;
    k.turning.parameter = "an angle along the boundary";
    k.search = (am_threshold_search){.spectra = &k.along, .options = &k.turning, .floor = 1e-15};
    am_threshold_point point = {.parameter = begin->critical,
                                .second = options->from,
                                .omega = begin->omega,
                                .growth = begin->growth,
                                .kind = begin->kind,
                                .other_omega = NAN};
    AM_TRY(append(&k, &point, err));
    return walk_on(&k, progress, err);
}

static am_status threshold_follow_watched(const am_spectra2 *spectra, const am_threshold_curve_options *options,
                                          am_threshold_curve *curve, const am_progress *progress, am_error *err) {
    am_threshold begin;
    *curve = (am_threshold_curve){0};
    am_status status = check_options(options, err);
    if (status == AM_OK)
        status = follow_curve(spectra, options, &begin, curve, progress, err);
    if (status != AM_OK)
        am_threshold_curve_clear(curve);
    return status;
}

am_status am_threshold_follow(const am_spectra2 *spectra, const am_threshold_curve_options *options,
                              am_threshold_curve *curve, const am_progress *progress, am_error *err) {
    if (!spectra || !options || !curve)
        return am_misused(err, __func__);
    am_watch watch;
    am_watch_begin(&watch, progress);
    return am_watch_end(&watch, threshold_follow_watched(spectra, options, curve, progress, err), err);
}

void am_threshold_curve_clear(am_threshold_curve *curve) {
    if (!curve)
        return;
    am_memory_free(curve->points);
    *curve = (am_threshold_curve){0};
}

/* ---- The systems of a model ---- */

static am_status spectrum_of(void *context, double parameter, double second, am_spectrum *spectrum, am_error *err) {
    am_threshold_systems *s = context;
    s->line.value = second;
    return am_threshold_spectrum(s, parameter, spectrum, err);
}

/* The name of a column: the last word of a path. */
static const char *last_word(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* The two numbers. */
static void add_numbers(am_table *table, const am_threshold_curve_options *o) {
    const char *first = last_word(o->first.parameter), *second = last_word(o->second);
    am_table_describe_as(table, "<number>", first);
    am_table_describe_as(table, "<number>", strcmp(second, first) ? second : o->second);
}

static void report_points(const am_threshold_curve *curve, const am_threshold_curve_options *o, am_result *result) {
    am_table *table = am_result_describe_table(result, "threshold", "");
    add_numbers(table, o);
    am_table_describe(table, "omega kind growth");
    for (size_t i = 0; i < curve->count; i++) {
        const am_threshold_point *p = &curve->points[i];
        am_table_add_numbers(table, AM_NUMBERS(p->parameter, p->second, p->omega, p->growth));
        am_table_set_text(table, 3, am_threshold_kind_name(p->kind), NULL);
    }
}

/* What meets at a corner, as dynamicists call it where they have a name: with two zero eigenvalues it is a double zero
 * (Bogdanov and Takens). */
static void name_corner(const am_threshold_point *p, am_threshold_kind after, double typical, char name[32]) {
    bool flutter = p->kind == AM_THRESHOLD_FLUTTER, other = after == AM_THRESHOLD_FLUTTER;
    double omega = flutter ? p->omega : p->other_omega;
    const char *first = am_threshold_kind_name(p->kind), *second = am_threshold_kind_name(after);
    bool zero = (flutter && after == AM_THRESHOLD_DIVERGENCE) || (other && p->kind == AM_THRESHOLD_DIVERGENCE);
    if (zero && omega < 1e-3 * typical)
        first = "double", second = "zero";
    size_t used = strlen(first);
    memcpy(name, first, used);
    name[used++] = '-';
    memcpy(name + used, second, strlen(second) + 1);
}

static void report_corners(const am_threshold_curve *curve, const am_threshold_curve_options *o, am_result *result) {
    double typical = 0.0;
    for (size_t i = 0; i < curve->count; i++)
        typical = fmax(typical, curve->points[i].omega);
    am_table *table = am_result_describe_table(result, "corners", "");
    add_numbers(table, o);
    am_table_describe(table, "name omega_before omega_after");
    for (size_t i = 0; i + 1 < curve->count; i++) {
        const am_threshold_point *p = &curve->points[i];
        char name[32];
        if (!p->corner)
            continue;
        am_table_add_numbers(table, AM_NUMBERS(p->parameter, p->second, p->omega, p->other_omega));
        name_corner(p, curve->points[i + 1].kind, typical, name);
        am_table_set_text(table, 2, name, NULL);
    }
}

static void report_summary(const am_threshold_curve *curve, const am_threshold *begin, am_result *result) {
    double worst = 0.0;
    for (size_t i = 0; i < curve->count; i++)
        if (!isnan(curve->points[i].omega)) /* where an eigenvalue is on the axis */
            worst = fmax(worst, fabs(curve->points[i].growth));
    am_result_set_counts(result,
                         AM_NAMED({"points", curve->count}, {"folds", curve->folds}, {"corners", curve->corners}));
    am_result_set_flag(result, "reached", curve->reached, NULL);
    am_result_set_numbers(result,
                          AM_NAMED({"worst_growth", worst}, {"critical", begin->critical}, {"omega", begin->omega}));
    am_result_set_text(result, "instability", am_threshold_kind_name(begin->kind), NULL);
}

static am_status threshold_curve_run_watched(am_model *model, const am_threshold_curve_options *options,
                                             am_result *result, const am_progress *progress, am_error *err) {
    am_stability_options standard = am_stability_options_default();
    AM_LOCAL(am_threshold_curve_clear) am_threshold_curve curve = {0};
    am_threshold begin;
    AM_TRY(check_options(options, err));
    AM_TRY(am_model_check(model, options->first.number, "first.number", err));
    AM_TRY(am_model_check(model, options->number, "number", err));
    am_threshold_systems all = am_threshold_systems_of(model, &options->first, options->number, &standard);
    am_spectra2 spectra = {spectrum_of, &all};
    AM_TRY(follow_curve(&spectra, options, &begin, &curve, progress, err));
    report_summary(&curve, &begin, result);
    report_points(&curve, options, result);
    report_corners(&curve, options, result);
    return AM_OK;
}

am_status am_threshold_curve_run(am_model *model, const am_threshold_curve_options *options, am_result *result,
                                 const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(model, AM_TAG_MODEL) && options, result, progress, __func__, err));
    const size_t first = options->first.number, second = options->number;
    const double before[2] = {am_model_value(model, first), am_model_value(model, second)};
    am_status status = threshold_curve_run_watched(model, options, result, progress, err);
    am_model_set(model, first, before[0], NULL);
    am_model_set(model, second, before[1], NULL);
    return am_analysis_end(&watch, result, status, err);
}
