/* Enumerate the classes of configurations and solve each at the structure's own couplings. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "papers/atlas/atlas_internal.h"

/* Classes that are solved together before the results are remembered: when they are too many to be kept, and when they
 * are kept. */
enum { BATCH = 4096, KEPT_BATCH = 512 };

static am_status grow(am_atlas *a, am_error *err) {
    if (a->count < a->capacity)
        return AM_OK;
    size_t capacity = a->capacity ? 2 * a->capacity : 1024, n = a->sites.n;
    AM_TRY(am_memory_resize(&a->solution, capacity, err));
    AM_TRY(am_memory_resize(&a->labels, capacity * n, err));
    AM_TRY(am_memory_resize(&a->u, capacity * n, err));
    AM_TRY(am_memory_resize(&a->w, capacity * 2 * n, err));
    a->capacity = capacity;
    return AM_OK;
}

/* ---- Solving ---- */

static am_status solve(am_atlas *a, am_atlas_worker *worker, size_t index, void *context, am_error *err) {
    index += *(const size_t *)context; /* the first of the batch */
    am_atlas_solution *s = &a->solution[index];
    size_t n = a->sites.n;
    double *u = a->u + index * n, *w = a->w + 2 * index * n, at = a->options->at;
    s->survives = am_class_solve(&worker->configuration, a->labels + index * n, u);
    s->omega = am_sites_omega(&a->sites, at);
    am_class_phasors(&worker->configuration, u, w);
    if (s->survives && worker->detune && s->active > 0)
        AM_TRY(am_detune_climb(worker->detune, w, &s->omega, &s->survives, err));
    if (!s->survives)
        return AM_OK;
    s->energy = am_class_energy(w, 2 * n);
    if (!a->listed && am_class_surely_unstable(&worker->configuration, w, s->omega, at))
        s->verdict = AM_VERDICT_UNSTABLE;
    else
        AM_TRY(am_class_stability(&worker->configuration, w, s->omega, at, &s->exponent, &s->verdict, err));
    return worker->exact && s->active > 0 ? am_exact_find(worker->exact, w, s->omega, &s->exact, err) : AM_OK;
}

static void count_up(am_atlas *a) {
    am_atlas_tally *t = &a->tally;
    for (size_t k = 0; k < a->count; k++) {
        const am_atlas_solution *s = &a->solution[k];
        t->solved[s->active]++;
        if (!s->survives)
            continue;
        t->survive[s->active]++;
        t->stable[s->active] += s->verdict == AM_VERDICT_STABLE;
        t->marginal[s->active] += s->verdict == AM_VERDICT_MARGINAL;
        t->exact[s->active] += s->exact.exists;
        t->marginal_exact[s->active] += s->exact.exists && s->exact.verdict == AM_VERDICT_MARGINAL;
        t->stable_exact[s->active] += s->exact.exists && s->exact.verdict == AM_VERDICT_STABLE;
    }
}

/* All that are listed, batch by batch. */
static am_status solve_kept(am_atlas *a, am_error *err) {
    size_t first;
    double done = a->done, share = a->share;
    AM_TRY(am_atlas_recall(a, &first, err));
    while (first < a->count) {
        size_t count = a->count - first < KEPT_BATCH ? a->count - first : KEPT_BATCH;
        a->done = done + share * (double)first / (double)a->count;
        a->share = share * (double)count / (double)a->count;
        AM_TRY(am_atlas_spread(a, count, solve, &first, err));
        first += count;
        AM_TRY(am_atlas_remember(a, first, err));
    }
    count_up(a);
    return AM_OK;
}

/* ---- Enumeration ---- */

typedef struct filling {
    am_atlas *atlas;
    am_status status;
    am_error *err;
    double expected;     /* classes, when they are solved in batches */
    size_t solved;       /* so far */
    size_t met;          /* met so far in this run: those solved by an earlier one are passed over */
    double first, share; /* of progress */
} filling;

static am_status add_class(am_atlas *a, const am_site_label *labels, size_t multiplicity, am_error *err) {
    AM_TRY(grow(a, err));
    size_t n = a->sites.n;
    a->solution[a->count] = (am_atlas_solution){.multiplicity = multiplicity,
                                                .active = am_configuration_active(labels, n),
                                                .energy = NAN,
                                                .omega = NAN,
                                                .exponent = NAN,
                                                .verdict = AM_VERDICT_MARGINAL,
                                                .branch = SIZE_MAX};
    memcpy(a->labels + a->count * n, labels, n * sizeof *labels);
    a->count++;
    return AM_OK;
}

static am_status solve_batch(filling *f) {
    am_atlas *a = f->atlas;
    size_t first = 0;
    a->done = f->first + f->share * (double)f->solved / f->expected;
    a->share = f->share * (double)a->count / f->expected;
    AM_TRY(am_atlas_spread(a, a->count, solve, &first, f->err));
    count_up(a);
    f->solved += a->count;
    a->count = 0;
    return am_atlas_remember(a, f->solved, f->err);
}

static bool visit(void *context, const am_site_label *labels, size_t multiplicity) {
    filling *f = context;
    if (!f->atlas->listed && f->met++ < f->solved)
        return true;
    f->status = add_class(f->atlas, labels, multiplicity, f->err);
    if (!f->status && !f->atlas->listed && f->atlas->count == BATCH)
        f->status = solve_batch(f);
    return f->status == AM_OK;
}

/* One number of moving sites after the other, so that the list begins with the simplest motions. */
static am_status enumerate(am_atlas *a, double expected, am_error *err) {
    filling f = {.atlas = a, .err = err, .expected = expected, .first = a->done, .share = a->share};
    am_configurations some = a->configurations;
    if (!a->listed)
        f.status = am_atlas_recall(a, &f.solved, err);
    for (size_t k = a->configurations.least; k <= a->configurations.most && !f.status; k++) {
        some.least = some.most = k;
        am_configurations_list(&some, visit, &f);
    }
    if (f.status)
        return f.status;
    return a->listed ? solve_kept(a, err) : solve_batch(&f);
}

/* ---- Given patterns ---- */

static am_status parse(const am_atlas *a, const char *pattern, am_site_label *labels, am_error *err) {
    size_t n = a->sites.n, site = 0;
    const char *p = pattern;
    memset(labels, 0, n * sizeof *labels);
    for (;; site++) {
        while (*p == ' ' || *p == ',')
            p++;
        if (*p == '\0')
            break;
        if (site == n)
            return am_fail_field(err, AM_ERR_INPUT, "patterns", "'%s' has more words than there are oscillators (%zu)",
                                 pattern, n);
        int sign = *p == '-' ? -1 : 1, cycles = a->configurations.cycles[site], cycle = -1;
        if (*p == '+' || *p == '-')
            p++;
        if (*p == 'L' || *p == 'l')
            cycle = cycles;
        else if (*p == 's' || *p == 'S')
            cycle = 1;
        else if (isdigit((unsigned char)*p))
            cycle = *p - '0';
        if (cycle < 0 || (p[1] != '\0' && p[1] != ' ' && p[1] != ','))
            return am_fail_field(err, AM_ERR_INPUT, "patterns",
                                 "'%s' is no pattern: expected 0 (at rest), +L or -L (large cycle), +s or -s (small "
                                 "cycle) for each oscillator, separated by blanks",
                                 pattern);
        if (cycle > cycles || (cycle == 0 && (*p == 'L' || *p == 'l')))
            return am_fail_field(err, AM_ERR_INPUT, "patterns",
                                 "in '%s' oscillator %zu is on a cycle that it does not have: at %s = %g it has %d",
                                 pattern, site + 1, am_model_name(a->line.model, a->line.number), a->options->at,
                                 cycles);
        labels[site] = (am_site_label)(sign * cycle);
        p++;
    }
    return AM_OK;
}

static am_status take_patterns(am_atlas *a, am_error *err) {
    for (size_t k = 0; k < a->options->pattern_count; k++) {
        am_site_label labels[AM_SITES_MOST];
        AM_TRY(parse(a, a->options->patterns[k], labels, err));
        AM_TRY(add_class(a, labels, am_configuration_multiplicity(&a->sites, labels), err));
    }
    return solve_kept(a, err);
}

am_status am_atlas_list(am_atlas *a, am_error *err) {
    long double classes = 0.0L;
    for (size_t k = 0; k <= a->sites.n; k++)
        classes += a->class_count[k];
    a->listed = a->options->pattern_count > 0 || classes <= (long double)a->options->most_solutions;
    if (a->options->pattern_count > 0)
        return take_patterns(a, err);
    if (!a->listed && !a->options->count)
        return AM_OK;
    if (classes > 1e9L)
        return am_fail_field(err, AM_ERR_LIMIT, "active",
                             "%.3Lg classes are too many to be solved one by one: restrict `active` or `states`, or "
                             "say `count: false`",
                             classes);
    return enumerate(a, (double)classes, err);
}
