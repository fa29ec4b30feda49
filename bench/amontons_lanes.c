/* Would it pay to run several starts of a small system in the lanes of one vector? The spans of Fig. 6 (Cho and Barber
 * 1998) are noted while its starts run. Then the arithmetic that lanes could share (Taylor series, quantities, the
 * quick test for switches, the state at the end of the span) is done again: span by span with the engine's own
 * functions, and for four spans of the same combination at once, one in each lane. What the engine decides from start
 * to start (contacts, impacts, zeros, proofs of finality) is in the time of the whole runs alone.
 *
 * usage: amontons_lanes FRICTION C1 C2 V1_FROM V1_TO V1_COUNT V2_FROM V2_TO V2_COUNT REPEAT */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "amontons/models.h"
#include "bench.h"
#include "engines/switching/switching.h"
#include "math/bernstein_internal.h"

enum { LANES = 4, MOST_ENTRIES = 16, MOST_FLOWS = 16, ORDERS = AM_COEFFICIENTS, QUICK = AM_QUICK_COEFFICIENTS };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* One span as the engine met it. */
typedef struct span {
    am_flow *flow;
    double x[MOST_ENTRIES], length;
} span;

/* What comes out of a span: the state at its end, and whether the quick test excludes a switch. */
typedef struct outcome {
    double end[MOST_ENTRIES];
    bool above;
} outcome;

typedef struct trace {
    size_t count, room, left;
    span *spans;
} trace;

typedef struct grid {
    double from[2], to[2];
    size_t count[2];
} grid;

static void note(trace *t, const am_motion *e) {
    if (!e->by_jets) { /* the few whose orders follow one from the other stay with the engine */
        t->left++;
        return;
    }
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 4096;
        t->spans = realloc(t->spans, t->room * sizeof *t->spans);
        if (!t->spans)
            exit(3);
    }
    span *s = &t->spans[t->count++];
    s->flow = e->span_flow;
    s->length = e->span_length;
    memcpy(s->x, e->series, e->plan.nx * sizeof *s->x);
}

static void run_starts(am_motion *e, const grid *g, trace *t) {
    am_error err = {0};
    for (size_t i = 0; i < g->count[0] * g->count[1]; i++) {
        size_t at[2] = {i / g->count[1], i % g->count[1]};
        double v[2];
        for (int a = 0; a < 2; a++)
            v[a] = g->from[a] + (g->to[a] - g->from[a]) * (double)at[a] / (double)(g->count[a] - 1);
        am_step_kind kind = AM_STEP_SPAN;
        am_status status = am_motion_start(e, 0.0, NULL, v, &err);
        while (!status && kind != AM_STEP_FINAL && kind != AM_STEP_END) {
            status = am_motion_step(e, 1e6, &kind, &err);
            if (t && !status && kind != AM_STEP_FINAL && kind != AM_STEP_END)
                note(t, e);
        }
        if (status)
            give_up("amontons_lanes", &err);
    }
}

/* ---- span by span, with the engine's functions ---- */

static void powers(double length, double power[ORDERS]) {
    power[0] = 1.0;
    power[1] = length;
    for (size_t k = 2; k < ORDERS; k++)
        power[k] = power[k - 2] * (length * length);
}

static void one_by_one(am_motion *e, const span *s, size_t count, outcome *out) {
    for (; count-- > 0; s++, out++) {
        double a[ORDERS], power[ORDERS];
        memcpy(e->series, s->x, e->plan.nx * sizeof *s->x);
        am_flow_expand(&e->plan, s->flow, true, NULL, e->series, &e->written);
        powers(s->length, power);
        out->above = true;
        for (size_t i = 0; i < s->flow->screens; i++) {
            am_jet_at(&s->flow->quantity_jet[s->flow->screen[i].quantity], s->x, a);
            for (size_t k = 0; k < ORDERS; k++)
                a[k] *= power[k];
            out->above &= am_bernstein_above(a, 0.0);
        }
        am_engine_evaluate(e, s->length, out->end, e->plan.nd);
    }
}

/* ---- four at once ---- */

#define WIDE __attribute__((target("avx2")))

WIDE static inline void wide_jet(const am_jet *jet, const lanes *x, lanes a[ORDERS]) {
    for (size_t k = 0; k < ORDERS; k += 2) {
        lanes even = {0.0}, odd = {0.0};
        for (size_t j = 0; j < jet->count; j++) {
            const double *c = jet->coefficient + j * ORDERS + k;
            even += x[jet->column[2 * j]] * c[0];
            odd += x[jet->column[2 * j + 1]] * c[1];
        }
        a[k] = even;
        a[k + 1] = odd;
    }
}

/* Horner's rule as the engine has it: for even and for odd orders where two coordinates move, plain for one. */
WIDE static inline lanes wide_polynomial(const lanes a[ORDERS], lanes length, bool plain) {
    lanes even = a[ORDERS - 2], odd = a[ORDERS - 1], square = length * length;
    if (plain) {
        for (size_t k = ORDERS - 1; k-- > 0;)
            odd = odd * length + a[k];
        return odd;
    }
    for (size_t k = ORDERS - 2; k > 0; k -= 2) {
        even = even * square + a[k - 2];
        odd = odd * square + a[k - 1];
    }
    return odd * length + even;
}

WIDE static inline lanes wide_least(lanes a, lanes b) {
    for (size_t l = 0; l < LANES; l++)
        a[l] = b[l] < a[l] ? b[l] : a[l];
    return a;
}

WIDE static inline lanes wide_size(lanes a) {
    for (size_t l = 0; l < LANES; l++)
        a[l] = fabs(a[l]);
    return a;
}

/* am_bernstein_above for all lanes: positive where there is no switch. */
WIDE static inline lanes wide_above(const lanes a[ORDERS]) {
    lanes sum[QUICK], rest[4] = {{0.0}};
    for (size_t j = 0; j < QUICK; j++)
        sum[j] = a[0];
    for (size_t k = 1; k < QUICK; k++)
        for (size_t j = 0; j < QUICK; j++)
            sum[j] += a[k] * quick_share[k][j];
    for (size_t k = QUICK; k < ORDERS; k++)
        rest[k % 4] += wide_size(a[k]);
    lanes least = sum[0];
    for (size_t j = 1; j < QUICK; j++)
        least = wide_least(least, sum[j]);
    return least - ((rest[0] + rest[1]) + (rest[2] + rest[3]));
}

WIDE static void together(const am_plan *plan, const span *const s[LANES], outcome *out) {
    const am_flow *flow = s[0]->flow;
    size_t n = plan->n;
    bool plain = flow->moving.to - flow->moving.from == 1;
    lanes x[MOST_ENTRIES], a[ORDERS], series[ORDERS], length, end[MOST_ENTRIES], square, power[2], above;
    for (size_t l = 0; l < LANES; l++) {
        length[l] = s[l]->length;
        for (size_t i = 0; i < plan->nx; i++)
            x[i][l] = s[l]->x[i];
    }
    for (size_t i = 0; i < n; i++) {
        end[i] = x[n + i] * length + x[i];
        end[n + i] = x[n + i];
    }
    for (size_t i = flow->moving.from; i < flow->moving.to; i++) {
        wide_jet(&flow->rate_jet[i], x, a);
        series[0] = x[n + i];
        for (size_t k = 1; k < ORDERS; k++)
            series[k] = a[k - 1];
        end[n + i] = wide_polynomial(series, length, plain);
        series[0] = x[i];
        series[1] = x[n + i];
        for (size_t k = 2; k < ORDERS; k++)
            series[k] = plan->inverse_order[k - 1] * a[k - 2];
        end[i] = wide_polynomial(series, length, plain);
    }
    square = length * length;
    above = square + 1.0;
    for (size_t i = 0; i < flow->screens; i++) {
        wide_jet(&flow->quantity_jet[flow->screen[i].quantity], x, a);
        power[0] = square * 0.0 + 1.0;
        power[1] = length;
        for (size_t k = 0; k < ORDERS; k++) {
            a[k] *= power[k % 2];
            power[k % 2] *= square;
        }
        above = wide_least(above, wide_above(a));
    }
    for (size_t l = 0; l < LANES; l++) {
        out[l].above = above[l] > 0.0;
        for (size_t i = 0; i < plan->nd; i++)
            out[l].end[i] = end[i][l];
    }
}

/* Spans of one combination wait for each other, as they would if many starts were under way at once. */
static void in_lanes(const am_plan *plan, const span *s, size_t count, outcome *out) {
    struct {
        const am_flow *flow;
        const span *waiting[LANES];
        size_t index[LANES], filled;
    } queue[MOST_FLOWS] = {{.flow = NULL}};
    outcome done[LANES];
    for (size_t i = 0; i < count; i++) {
        size_t q = 0;
        while (queue[q].flow && queue[q].flow != s[i].flow)
            q++;
        queue[q].flow = s[i].flow;
        queue[q].waiting[queue[q].filled] = &s[i];
        queue[q].index[queue[q].filled++] = i;
        if (queue[q].filled < LANES)
            continue;
        together(plan, queue[q].waiting, done);
        for (size_t l = 0; l < LANES; l++)
            out[queue[q].index[l]] = done[l];
        queue[q].filled = 0;
    }
    for (size_t q = 0; q < MOST_FLOWS; q++) { /* the last ones, with some lanes twice */
        for (size_t l = queue[q].filled; queue[q].filled > 0 && l < LANES; l++)
            queue[q].waiting[l] = queue[q].waiting[0];
        if (queue[q].filled > 0)
            together(plan, queue[q].waiting, done);
        for (size_t l = 0; l < queue[q].filled; l++)
            out[queue[q].index[l]] = done[l];
    }
}

/* ---- measuring ---- */

static bool same(const am_plan *plan, const outcome *a, const outcome *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i].above != b[i].above || memcmp(a[i].end, b[i].end, plan->nd * sizeof *a[i].end) != 0)
            return false;
    return true;
}

int main(int argc, char **argv) {
    if (argc != 11) {
        fprintf(stderr, "usage: %s FRICTION C1 C2 V1_FROM V1_TO V1_COUNT V2_FROM V2_TO V2_COUNT REPEAT\n", argv[0]);
        return 2;
    }
    if (!__builtin_cpu_supports("avx2")) {
        puts("{\"supported\": false}");
        return 0;
    }
    am_error err = {0};
    am_klarbring def = am_klarbring_default();
    memcpy(def.stiffness, (double[2][2]){{1, 1}, {1, 2}}, sizeof def.stiffness);
    def.friction = strtod(argv[1], NULL);
    def.load_rate[0] = strtod(argv[2], NULL), def.load_rate[1] = strtod(argv[3], NULL);
    grid g;
    for (int a = 0; a < 2; a++) {
        g.from[a] = strtod(argv[4 + 3 * a], NULL);
        g.to[a] = strtod(argv[5 + 3 * a], NULL);
        g.count[a] = strtoul(argv[6 + 3 * a], NULL, 10);
    }
    am_system *system = am_klarbring_create(&def, &err);
    am_motion *e = system ? am_motion_create(system, false, &err) : NULL;
    if (!e)
        give_up("amontons_lanes", &err);
    if (e->plan.nx > MOST_ENTRIES)
        return 3;
    am_motion_seek_final(e, true);
    trace t = {0};
    run_starts(e, &g, &t);
    outcome *single = calloc(t.count, sizeof *single), *wide = calloc(t.count, sizeof *wide);
    if (!single || !wide)
        return 3;
    double whole = INFINITY, alone = INFINITY, four = INFINITY;
    for (int r = 0; r < atoi(argv[10]); r++) { /* in turns: a busy machine slows all of them */
        double before = seconds_now();
        run_starts(e, &g, NULL);
        double after = seconds_now();
        whole = fmin(whole, after - before);
        one_by_one(e, t.spans, t.count, single);
        before = seconds_now();
        alone = fmin(alone, before - after);
        in_lanes(&e->plan, t.spans, t.count, wide);
        four = fmin(four, seconds_now() - before);
    }
    printf("{\"supported\": true, \"lanes\": %d, \"starts\": %zu, \"spans\": %zu, \"left\": %zu, \"whole\": %.9g, "
           "\"alone\": %.9g, "
           "\"together\": %.9g, \"same\": %s}\n",
           LANES, g.count[0] * g.count[1], t.count, t.left, whole, alone, four,
           same(&e->plan, single, wide, t.count) ? "true" : "false");
    free(single);
    free(wide);
    free(t.spans);
    am_motion_free(e);
    am_system_free(system);
    return 0;
}
