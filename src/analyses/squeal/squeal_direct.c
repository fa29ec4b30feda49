#include "analyses/squeal/squeal_internal.h"

#include <math.h>
#include <stdlib.h>

#include "analyses/squeal/squeal_report.h"
#include "analyses/squeal/stability_loss.h"
#include "analyses/stability/linearised.h"
#include "analyses/stability/mode_order.h"
#include "analyses/stability/sliding.h"
#include "analyses/threshold/sample.h"
#include "base/local.h"
#include "base/worse.h"
#include "system/observer.h"
#include "system/steady.h"
#include "system/system.h"

/* Up to here a spectrum takes less than a tenth of a second; and more crossings than this are not listed. */
enum { DIRECT_LIMIT = 100, DIRECT_MOST = 400, MOST_CROSSINGS = 1000 };

/* ---- spectra ---- */

typedef struct direct {
    am_arena memory;
    const am_system *system;
    const am_squeal_options *options;
    am_stability_options stability;
    am_system scaled;    /* with another coefficient of friction: system_at */
    double reference;    /* mu of the model itself: its largest coefficient */
    bool by_equilibrium; /* stiffness or damping depend on the steady state */
    bool damped;
    double worst_residual;
    am_spectra spectra;
    am_threshold_options threshold;
    am_threshold_search search;
    am_squeal_crossing *crossing;
    size_t crossings, crossing_capacity;
    size_t most; /* capacity of the four arrays below, in eigenvalues */
    double complex *s, *before;
    size_t *number, *order;
    size_t known;
    size_t grown; /* eigenvalues in the table `unstable` */
    am_result *result;
    const am_progress *progress;
} direct;

/* The system with another coefficient of friction: mu is the largest one, the others keep their ratio to it (where no
 * friction is given at all, every contact counts alike). */
static const am_system *system_at(direct *w, double mu) {
    for (size_t c = 0; c < w->scaled.m; c++) {
        double own = w->system->contact[c].friction, friction = w->reference > 0.0 ? own / w->reference * mu : mu;
        w->scaled.contact[c].friction = mu == w->reference ? own : friction; /* not rounded at the model's own */
        w->scaled.contact[c].static_friction = fmax(w->scaled.contact[c].friction, own);
    }
    return &w->scaled;
}

static am_status spectrum_at(void *context, double mu, am_spectrum *spectrum, am_error *err) {
    direct *w = context;
    AM_TRY(am_stability_spectrum_steady(system_at(w, mu), &w->stability, spectrum, err));
    if (!w->by_equilibrium) /* eigenvalues do not depend on how hard the contacts are pressed; `contacts_closed` tells
                               that */
        spectrum->closed = true;
    w->worst_residual = am_worse(w->worst_residual, spectrum->residual);
    return AM_OK;
}

static bool grows(const am_spectrum *s, size_t i) {
    return s->real[i] > s->uncertainty[i];
}

static size_t count_growing(const am_threshold_sample *sample) {
    size_t count = 0;
    if (sample->state != AM_THRESHOLD_SAMPLE_UNSTABLE && sample->state != AM_THRESHOLD_SAMPLE_STABLE)
        return 0;
    for (size_t i = 0; i < sample->spectrum.count; i++)
        count += sample->spectrum.imaginary[i] >= 0.0 && grows(&sample->spectrum, i);
    return count;
}

/* Rows of a spectrum with imaginary part >= 0, ascending by it, and those with the same one by growth: `count` of
 * w->order. */
static am_status upper_half(direct *w, const am_spectrum *s, size_t *count, am_error *err) {
    return am_mode_order(s->count, s->real, s->imaginary, s->uncertainty, w->order, count, err);
}

static double complex eigenvalue(const am_spectrum *s, size_t row) {
    return s->real[row] + s->imaginary[row] * I;
}

/* ---- the model's own friction ---- */

static am_status squeal_table(direct *w, const am_spectrum *s, am_error *err) {
    am_table *table = am_squeal_add_table(w->result, AM_SQUEAL_SQUEAL);
    size_t count = 0;
    AM_TRY(upper_half(w, s, &count, err));
    for (size_t k = 0; k < count; k++) {
        const am_squeal_row row = {.mode = k + 1,
                                   .s = eigenvalue(s, w->order[k]),
                                   .projected = eigenvalue(s, w->order[k]),
                                   .grows = grows(s, w->order[k]),
                                   .confirmed = true,
                                   .residual = s->residual,
                                   .coordinate = am_system_name(w->system, am_mode_largest_coordinate(s, w->order[k]))};
        const am_vibration shape = {.mode = row.mode,
                                    .real = creal(row.s),
                                    .imaginary = cimag(row.s),
                                    .amplitude = NAN,
                                    .coordinates = s->n,
                                    .cosine = s->shape + w->order[k] * s->n,
                                    .sine = s->shape_imaginary + w->order[k] * s->n};
        am_squeal_add_row(table, AM_SQUEAL_SQUEAL, &row);
        AM_TRY(k < AM_SQUEAL_SHAPES ? am_observe_shape(w->result, &shape, err) : AM_OK);
    }
    return AM_OK;
}

/* Growth beyond rounding first; without any, the largest real part. */
static am_status nominal(direct *w, am_error *err) {
    AM_LOCAL(am_spectrum_clear) am_spectrum s = {0};
    double mu = w->reference, growth = NAN, frequency = NAN;
    size_t unstable = 0, worst = 0;
    AM_TRY(spectrum_at(w, mu, &s, err));
    if (s.painleve)
        s.count = 0; /* beyond Painlevé's limit eigenvalues mean nothing */
    AM_TRY(squeal_table(w, &s, err));
    for (size_t i = 0; i < s.count; i++)
        unstable += s.imaginary[i] >= 0.0 && grows(&s, i);
    while (unstable > 0 && worst + 1 < s.count && !grows(&s, worst))
        worst++;
    if (s.count > 0)
        growth = s.real[worst], frequency = fabs(s.imaginary[worst]);
    am_squeal_report_nominal(w->result, mu, unstable, unstable == 0 && !s.painleve, growth, frequency);
    return AM_OK;
}

/* ---- real modes and the steady state ---- */

/* Frequencies without friction, damping and circulatory forces. */
static am_status real_modes(direct *w, am_squeal_evidence *evidence, am_error *err) {
    am_system bare = *system_at(w, 0.0);
    am_table *table = am_squeal_add_table(w->result, AM_SQUEAL_MODES);
    size_t count = 0;
    AM_LOCAL(am_matrix_free_at) am_matrix *undamped = am_matrix_sparse(bare.n, bare.n, 0, NULL, NULL, NULL, err);
    bare.contact = am_arena_new(&w->memory, bare.m, sizeof *bare.contact, err);
    AM_TRY(undamped ? am_arena_status(&w->memory) : AM_ERR_MEMORY);
    bare.C = undamped;
    bare.circulatory = NULL;
    bare.polynomials = 0;
    for (size_t c = 0; c < bare.m; c++) {
        bare.contact[c] = w->scaled.contact[c];
        bare.contact[c].contact_damping = bare.contact[c].contact_dissipation = 0.0;
        bare.contact[c].speed_friction = (am_speed_friction){.law = NULL};
    }
    AM_LOCAL(am_spectrum_clear) am_spectrum s = {0};
    AM_TRY(am_stability_spectrum_steady(&bare, &w->stability, &s, err));
    AM_TRY(upper_half(w, &s, &count, err));
    for (size_t k = 0; k < count; k++) {
        double omega = s.imaginary[w->order[k]];
        if (k % 2 == 1 && omega == 0.0) /* a frequency of zero is there twice */
            continue;
        am_squeal_add_mode(table, ++evidence->modes, omega);
        evidence->highest_omega = omega;
    }
    evidence->mode_residual = s.residual;
    return AM_OK;
}

/* One row per contact that has a normal force which may change, and one more where it sticks: as above the limit. */
static am_status steady(direct *w, am_squeal_evidence *evidence, am_error *err) {
    const am_system *system = w->system;
    am_table *table = am_squeal_add_table(w->result, AM_SQUEAL_CONTACTS);
    am_sliding s;
    double least = INFINITY;
    AM_TRY(am_sliding_init(&s, system, w->options->state, err));
    for (size_t c = 0; c < system->m; c++) {
        size_t own = (s.state[c] != AM_OPEN && system->contact[c].normal_law != AM_HELD) + (s.state[c] == AM_STICK);
        double force = s.known ? s.normal[c] : NAN;
        least = own > 0 ? fmin(least, force) : least;
        evidence->contact_rows += own;
        for (size_t r = 0; r < own; r++)
            am_squeal_add_contact(table, system, c, s.state[c], force);
    }
    am_squeal_report_closed(w->result, s.known && s.loaded && evidence->contact_rows > 0 ? least : NAN);
    am_sliding_clear(&s);
    return AM_OK;
}

/* ---- crossings ---- */

/* Eigenvalues for am_squeal_locate: those that do not grow beyond rounding have no positive real part. */
static am_status values_at(void *context, double mu, double complex *values, size_t *count, am_error *err) {
    direct *w = context;
    am_threshold_sample sample;
    *count = 0;
    AM_TRY(am_threshold_sample_take(&w->search, mu, &sample, err));
    bool there = sample.state == AM_THRESHOLD_SAMPLE_STABLE || sample.state == AM_THRESHOLD_SAMPLE_UNSTABLE;
    const am_spectrum *s = &sample.spectrum;
    for (size_t i = 0; there && i < s->count && *count < w->most; i++)
        if (s->imaginary[i] >= 0.0)
            values[(*count)++] = (grows(s, i) ? s->real[i] : fmin(s->real[i], 0.0)) + s->imaginary[i] * I;
    am_threshold_sample_clear(&sample);
    return AM_OK;
}

static bool value_grows(const void *context, double complex s) {
    (void)context;
    return creal(s) > 0.0;
}

static am_status add_crossing(direct *w, am_threshold_kind kind, double mu, double omega, am_error *err) {
    AM_TRY(am_memory_reserve(&w->crossing, &w->crossing_capacity, w->crossings + 1, err));
    w->crossing[w->crossings++] = (am_squeal_crossing){.kind = kind,
                                                       .mu = mu,
                                                       .omega = omega,
                                                       .projected_mu = mu,
                                                       .projected_omega = omega,
                                                       .residual = w->worst_residual,
                                                       .confirmed = true};
    return AM_OK;
}

/* The first loss of stability up to `to`, by the search of `threshold`. */
static am_status first_crossing(direct *w, double to, am_error *err) {
    am_threshold found;
    w->threshold.from = w->options->from;
    w->threshold.to = to;
    AM_TRY(am_threshold_find(&w->spectra, &w->threshold, &found, w->progress, err));
    if (found.kind == AM_THRESHOLD_NONE)
        return AM_OK;
    return add_crossing(w, found.kind, found.critical, found.omega, err);
}

/* Where the number of growing eigenvalues rises from a to b by more than the one crossing that is known already. */
static am_status further_crossings(direct *w, const am_threshold_sample *a, const am_threshold_sample *b,
                                   am_error *err) {
    am_squeal_source source = {values_at, value_grows, w->damped, w};
    for (size_t rank = count_growing(a) + 1; rank <= count_growing(b); rank++) {
        am_squeal_threshold at;
        if (w->crossings >= MOST_CROSSINGS)
            break;
        AM_TRY(am_squeal_locate(&source, a->parameter, b->parameter, rank, w->s, &at, err));
        bool known = false;
        for (size_t i = 0; i < w->crossings; i++)
            known = known || fabs(w->crossing[i].mu - at.mu) <= 1e-9 * fabs(at.mu) + 1e-300;
        if (!(rank == 1 && known))
            AM_TRY(add_crossing(w, at.kind, at.mu, cimag(at.s), err));
    }
    return AM_OK;
}

/* ---- all values of friction ---- */

static am_status sweep_rows(direct *w, const am_threshold_sample *sample, am_table *sweep, am_table *unstable,
                            am_error *err) {
    const am_spectrum *s = &sample->spectrum;
    size_t count = 0;
    if (sample->state != AM_THRESHOLD_SAMPLE_STABLE && sample->state != AM_THRESHOLD_SAMPLE_UNSTABLE)
        return AM_OK;
    AM_TRY(upper_half(w, s, &count, err));
    for (size_t k = 0; k < count; k++)
        w->s[k] = eigenvalue(s, w->order[k]);
    am_squeal_follow(w->s, count, w->most, w->before, &w->known, w->number);
    for (size_t k = 0; k < count; k++) {
        const am_squeal_row row = {.mu = sample->parameter,
                                   .mode = w->number[k],
                                   .s = eigenvalue(s, w->order[k]),
                                   .projected = eigenvalue(s, w->order[k]),
                                   .grows = grows(s, w->order[k]),
                                   .confirmed = true,
                                   .residual = s->residual};
        am_squeal_add_row(sweep, AM_SQUEAL_SWEEP, &row);
        if (row.grows && w->options->confirm) {
            w->grown++;
            am_squeal_add_row(unstable, AM_SQUEAL_UNSTABLE, &row);
        }
    }
    return AM_OK;
}

/* Every value; crossings between neighbours. The first loss of stability is searched for as `threshold` does, so that
 * it is found between two stable values as well. */
static am_status sweep(direct *w, am_threshold_sample *start, am_error *err) {
    const am_squeal_options *o = w->options;
    am_table *table = am_squeal_add_table(w->result, AM_SQUEAL_SWEEP);
    am_table *unstable = am_squeal_add_table(w->result, AM_SQUEAL_UNSTABLE);
    am_threshold_sample last = {0};
    am_status status = AM_OK;
    bool searched = false;
    for (size_t i = 0; i < o->count && !status; i++) {
        double mu = i + 1 == o->count ? o->to : o->from + (o->to - o->from) * (double)i / (double)(o->count - 1);
        am_threshold_sample here;
        status = am_threshold_sample_take(&w->search, mu, &here, err);
        if (status)
            break;
        status = sweep_rows(w, &here, table, unstable, err);
        if (!status && i == 0)
            status = am_threshold_sample_copy(&here, start, err);
        bool lost = here.state != AM_THRESHOLD_SAMPLE_STABLE || i + 1 == o->count;
        if (!status && lost && !searched && i > 0 && start->state == AM_THRESHOLD_SAMPLE_STABLE) {
            searched = true;
            status = first_crossing(w, mu, err);
        }
        if (!status && i > 0)
            status = further_crossings(w, &last, &here, err);
        am_threshold_sample_clear(&last);
        last = here;
        if (!status && !am_progress_report(w->progress, (double)(i + 1) / (double)o->count))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    am_threshold_sample_clear(&last);
    return status;
}

/* What grows from the start. */
static am_threshold_kind kind_at(const am_threshold_sample *start) {
    if (start->state == AM_THRESHOLD_SAMPLE_PAINLEVE)
        return AM_THRESHOLD_PAINLEVE;
    if (start->state != AM_THRESHOLD_SAMPLE_UNSTABLE)
        return AM_THRESHOLD_LIFT_OFF;
    size_t i = 0;
    while (i + 1 < start->spectrum.count && !grows(&start->spectrum, i))
        i++;
    return start->spectrum.imaginary[i] == 0.0 ? AM_THRESHOLD_DIVERGENCE : AM_THRESHOLD_FLUTTER;
}

/* ---- all of it ---- */

static bool depends_on_equilibrium(const am_system *system) {
    bool depends = system->polynomials > 0;
    for (size_t c = 0; c < system->m; c++)
        depends = depends || system->contact[c].speed_friction.law || system->contact[c].second_tangent ||
                  (system->contact[c].normal_law == AM_HUNT_CROSSLEY &&
                   (system->contact[c].contact_exponent != 1.0 || system->contact[c].contact_dissipation > 0.0));
    return depends;
}

static bool is_damped(const am_system *system) {
    bool damped = am_matrix_largest(system->C) > 0.0 || system->polynomials > 0;
    for (size_t c = 0; c < system->m; c++)
        damped = damped || system->contact[c].speed_friction.law || system->contact[c].second_tangent ||
                 system->contact[c].contact_damping > 0.0 || system->contact[c].contact_dissipation > 0.0;
    return damped;
}

static am_status open_whole(direct *w, am_error *err) {
    w->stability = am_stability_options_default();
    w->stability.state = w->options->state;
    w->by_equilibrium = depends_on_equilibrium(w->system);
    w->damped = is_damped(w->system);
    w->spectra = (am_spectra){spectrum_at, w};
    w->threshold = am_threshold_options_default();
    w->threshold.parameter = "mu";
    w->search = (am_threshold_search){.spectra = &w->spectra, .options = &w->threshold};
    w->most = 2 * w->system->n + AM_LAW_MEMORIES * w->system->m; /* and what friction remembers */
    w->scaled = *w->system;                                      /* borrows all but its contacts */
    w->scaled.contact = am_arena_new(&w->memory, w->system->m, sizeof *w->scaled.contact, err);
    w->s = am_arena_new(&w->memory, w->most, sizeof *w->s, err);
    w->before = am_arena_new(&w->memory, 2 * w->most, sizeof *w->before, err);
    AM_ARENA_ARRAYS(&w->memory, size_t, w->most, err, &w->number, &w->order);
    AM_TRY(am_arena_status(&w->memory));
    for (size_t c = 0; c < w->system->m; c++) {
        w->scaled.contact[c] = w->system->contact[c];
        w->reference = fmax(w->reference, w->system->contact[c].friction);
    }
    return AM_OK;
}

/* Directions that rigid contacts take away. */
static size_t rigid_rows(const am_system *system, const am_contact_state *state) {
    size_t rows = 0;
    for (size_t c = 0; c < system->m; c++) {
        bool open = state && state[c] == AM_OPEN;
        rows += (system->contact[c].normal_law == AM_UNILATERAL && !open) + (state && state[c] == AM_STICK);
    }
    return rows;
}

am_status am_squeal_direct_fits(const am_system *system, const am_squeal_options *options, bool *fits, am_error *err) {
    am_stability_options stability = am_stability_options_default();
    am_spectrum spectrum = {0};
    am_error own = {0};
    stability.state = options->state;
    bool all_modes = options->modes + rigid_rows(system, options->state) + 2 > system->n;
    *fits = system->n <= DIRECT_LIMIT || (all_modes && system->n <= DIRECT_MOST);
    if (!*fits)
        return AM_OK;
    bool massless = false;
    for (size_t i = 0; i < system->n; i++)
        massless = massless || am_matrix_at(system->M, i, i) == 0.0;
    am_status status = massless ? am_stability_spectrum(system, &stability, &spectrum, &own) : AM_OK;
    am_spectrum_clear(&spectrum);
    if (status == AM_ERR_MEMORY) {
        *err = own;
        return status;
    }
    *fits = status != AM_ERR_UNSUPPORTED;
    return AM_OK;
}

static am_status answer(direct *w, am_threshold_sample *start, am_error *err) {
    am_squeal_evidence evidence = {.method = "all coordinates",
                                   .modes_asked = w->options->modes,
                                   .degrees_of_freedom = w->system->n,
                                   .highest_omega = NAN,
                                   .orthogonality = NAN,
                                   .interpolation_error = NAN,
                                   .certified = true,
                                   .certified_omega = NAN};
    AM_TRY(open_whole(w, err));
    AM_TRY(real_modes(w, &evidence, err));
    AM_TRY(steady(w, &evidence, err));
    AM_TRY(nominal(w, err));
    AM_TRY(sweep(w, start, err));
    am_threshold_kind kind = kind_at(start);
    am_squeal_report_crossings(w->result, w->crossing, w->crossings,
                               start->state == AM_THRESHOLD_SAMPLE_STABLE ? NULL : &kind);
    evidence.confirmed = w->grown;
    evidence.eigen_residual = w->worst_residual;
    am_squeal_report_evidence(w->result, &evidence);
    return AM_OK;
}

am_status am_squeal_direct_run(const am_system *system, const am_squeal_options *options, am_result *result,
                               const am_progress *progress, am_error *err) {
    am_steady_sliding steady;
    AM_TRY(am_steady_sliding_init(&steady, system, options->state, NULL, err));
    direct w = {.system = steady.system, .options = options, .result = result, .progress = progress};
    am_threshold_sample start = {0};
    am_status status = answer(&w, &start, err);
    am_threshold_sample_clear(&start);
    am_steady_sliding_clear(&steady);
    am_memory_free(w.crossing);
    am_arena_clear(&w.memory);
    return status;
}
