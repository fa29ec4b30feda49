/* All peaks of a whole response curve. The curve is followed with few harmonics, which show where peaks are; each is
 * then made one of the finer equations. */
#include <math.h>
#include <string.h>

#include "analyses/design/design_internal.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/trigonometric.h"

enum { SEARCH_HARMONICS = 9, KEPT = 3 };

typedef struct search {
    am_arena memory;
    am_design *d;
    am_balance *balance;
    double p;
    size_t size, S, seen;
    double *signals;
    double *x[KEPT]; /* the last points: oldest first */
    double frequency[KEPT], amplitude[KEPT];
    double *z; /* 2 size of the design */
    am_status failure;
    am_error *err;
} search;

static am_status amplitude_of(search *s, const double *x, double frequency, double *amplitude) {
    AM_TRY(am_balance_unpack(s->balance, x, frequency, s->signals, s->err));
    *amplitude = am_design_amplitude(s->d, s->signals, s->S);
    return AM_OK;
}

/* The same motion with the harmonics of the design. */
static void refine(const search *s, const double *x, double frequency, double *z) {
    am_design_convert(s->balance, s->d->balance, x, am_design_omega(s->d, frequency), z);
}

static bool is_known(const am_design *d, const am_design_peak *peak) {
    for (size_t c = 0; c < d->curve_count; c++)
        for (size_t i = 0; i < d->curves[c].count; i++) {
            const am_design_peak *old = &d->curves[c].peak[i];
            if (fabs(old->p - peak->p) <= 1e-9 * fabs(d->options->to - d->options->from) &&
                fabs(old->omega - peak->omega) <= 1e-4 * (d->most - d->least) &&
                fabs(old->amplitude - peak->amplitude) <= 1e-4 * peak->amplitude)
                return true;
        }
    return false;
}

static am_status new_curve(am_design *d, const am_design_peak *peak, const double *z_and_way, am_error *err) {
    AM_TRY(am_memory_reserve(&d->curves, &d->curve_capacity, d->curve_count + 1, err));
    d->curves[d->curve_count] = (am_design_curve){0};
    return am_design_add(&d->curves[d->curve_count++], d->size, peak, z_and_way, err);
}

/* The peak uphill of the motion in s->z. What the finer equations do not know is no peak. */
static void climb(search *s) {
    am_design *d = s->d;
    am_design_peak peak;
    am_error own = {0};
    d->curvature = 0.0;
    am_status status = am_design_peak_at(d, s->p, s->z, s->z + d->size, &peak, &own);
    if (am_status_is_fatal(status))
        s->failure = am_fail(s->err, status, "%s", own.message);
    else if (!status && !is_known(d, &peak))
        s->failure = new_curve(d, &peak, s->z, s->err);
}

/* A peak between two of the points that are kept. */
static void consider(search *s, size_t left, size_t middle, size_t right) {
    size_t m = s->d->size;
    double *z = s->z, *way = s->z + m;
    refine(s, s->x[left], s->frequency[left], z);
    refine(s, s->x[right], s->frequency[right], way);
    for (size_t i = 0; i < m; i++)
        way[i] -= z[i];
    refine(s, s->x[middle], s->frequency[middle], z);
    climb(s);
}

static bool visit(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    search *s = context;
    double *oldest = s->x[0];
    (void)special;
    for (size_t i = 0; i + 1 < KEPT; i++) {
        s->x[i] = s->x[i + 1];
        s->frequency[i] = s->frequency[i + 1];
        s->amplitude[i] = s->amplitude[i + 1];
    }
    s->x[KEPT - 1] = oldest;
    memcpy(oldest, point->x, s->size * sizeof *oldest);
    s->frequency[KEPT - 1] = point->p;
    s->failure = amplitude_of(s, oldest, point->p, &s->amplitude[KEPT - 1]);
    s->seen++;
    if (!s->failure && s->seen == 2 && s->amplitude[1] > s->amplitude[2])
        consider(s, 1, 1, 2);
    if (!s->failure && s->seen > 2 && s->amplitude[1] >= s->amplitude[0] && s->amplitude[1] > s->amplitude[2])
        consider(s, 0, 1, 2);
    return s->failure == AM_OK;
}

/* From one end of the frequencies towards the other. *reached: it was. */
static am_status follow_response(search *s, am_continuation *curve, double from, double to, double *start,
                                 bool *reached, am_error *err) {
    am_continuation_options follow = am_continuation_options_default();
    am_continuation_problem problem = am_balance_problem(s->balance);
    am_continuation_report report = {0};
    follow.from = from;
    follow.to = to;
    s->seen = 0;
    *reached = false;
    am_status status = am_balance_start(s->balance, curve, from, follow.tolerance, start, NULL, err);
    if (status == AM_ERR_LIMIT)
        status = am_balance_start_slowly(s->balance, curve, from, follow.tolerance, start, NULL, err);
    if (!status)
        status = am_continuation_follow(curve, &problem, &follow, start, &report, visit, s, err);
    if (status || s->failure)
        return s->failure ? s->failure : status;
    if (s->seen > 1 && s->amplitude[2] > s->amplitude[1])
        consider(s, 1, 2, 2);
    *reached = report.end == AM_CONTINUATION_LEFT && fabs(s->frequency[2] - to) < 0.5 * fabs(s->frequency[2] - from);
    return s->failure;
}

/* Motions found from rest at many frequencies, each followed uphill. */
static am_status climb_from_rest(search *s, am_continuation *curve, double *start, am_error *err) {
    enum { STARTS = 24 };
    const am_design_options *o = s->d->options;
    size_t m = s->d->size;
    for (size_t i = 1; i < STARTS; i++) {
        double frequency = o->frequency_from + (double)i / STARTS * (o->frequency_to - o->frequency_from);
        am_error own = {0};
        am_status status = am_balance_start(s->balance, curve, frequency, 1e-10, start, NULL, &own);
        if (status == AM_ERR_MEMORY)
            return am_fail(err, status, "%s", own.message);
        if (status)
            continue;
        refine(s, start, frequency, s->z);
        memset(s->z + m, 0, m * sizeof *s->z);
        s->z[2 * m - 1] = 1.0;
        climb(s);
        if (s->failure)
            return s->failure;
    }
    return AM_OK;
}

/* A curve that does not cross the frequencies (lost, or turned back onto another one) is followed from the other end as
 * well, and motions in between are looked for. */
static am_status search_all(search *s, am_error *err) {
    const am_design_options *o = s->d->options;
    am_error own = {0}; /* a curve that cannot be followed at all says so here, and nowhere else */
    am_continuation *curve = am_continuation_create(s->size, 0, &own);
    double *start = am_arena_doubles(&s->memory, NULL, s->size, &own);
    bool reached = false, back;
    s->err = &own;
    am_status status = curve && start ? AM_OK : AM_ERR_MEMORY;
    if (!status)
        status = follow_response(s, curve, o->frequency_from, o->frequency_to, start, &reached, &own);
    if (!reached && status != AM_ERR_MEMORY && status != AM_ERR_INTERRUPTED) {
        s->d->incomplete++;
        status = follow_response(s, curve, o->frequency_to, o->frequency_from, start, &back, &own);
        if (status != AM_ERR_MEMORY && status != AM_ERR_INTERRUPTED)
            status = climb_from_rest(s, curve, start, &own);
    }
    am_continuation_free(curve);
    return status ? am_fail(err, status, "%s", own.message) : AM_OK;
}

static am_status open_search(search *s, const am_model_line *line, am_error *err) {
    const am_design *d = s->d;
    am_balance_options options = {.degree = d->H < SEARCH_HARMONICS ? d->H : SEARCH_HARMONICS,
                                  .parity = d->balance->odd ? AM_PARITY_ODD : AM_PARITY_ALL};
    s->balance = am_balance_create(line, d->options->frequency_from, d->options->frequency_to, &options, err);
    if (!s->balance)
        return err->status;
    s->size = am_balance_size(s->balance);
    s->S = am_trig_size(options.degree);
    s->signals = am_arena_doubles(&s->memory, NULL, d->n * s->S, err);
    s->z = am_arena_doubles(&s->memory, NULL, 2 * d->size, err);
    for (size_t i = 0; i < KEPT; i++)
        s->x[i] = am_arena_doubles(&s->memory, NULL, s->size, err);
    return am_arena_status(&s->memory);
}

am_status am_design_find(am_design *d, double p, am_error *err) {
    const am_model_line line = {
        .model = d->model, .number = d->options->frequency, .held = d->options->number, .value = p};
    search s = {.d = d, .p = p, .err = err};
    am_status status = open_search(&s, &line, err);
    if (!status)
        status = search_all(&s, err);
    am_balance_free(s.balance);
    am_arena_clear(&s.memory);
    return status;
}
