/* Which limit cycles of a slow periodic load attract, and from where: starts are tangential positions of the contacts,
 * each is followed by the path engine until its cycles repeat. docs/attractors.md, "Quasi-static cycles". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/attractors/attractors_internal.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/spread.h"
#include "base/text.h"
#include "engines/quasistatic/check.h"
#include "engines/quasistatic/path_cycle.h"
#include "math/dense.h"
#include "math/linear_program.h"
#include "system/column_names.h"
#include "system/reduced.h"

/* Starts looked at, per start asked for, before the box counts as empty of admissible ones. */
enum { MOST_TRIES = 1000 };

/* Limit cycles whose positions differ by less than this fraction of the path's size are the same one. */
static const double same_cycle = 1e-9;

typedef enum fate_kind { INADMISSIBLE, CYCLE, APERIODIC, FAILED, FATES } fate_kind;

static const char *const fate_name[FATES] = {"inadmissible", "orbit", "aperiodic", "failed"};

/* What became of one start. */
typedef struct fate {
    fate_kind kind;
    size_t orbit;  /* of the list */
    size_t cycles; /* run */
    size_t period;
    uint64_t sequence;
    double exponent;
} fate;

/* A limit cycle. Those that remember their start (memory > 0) come in families: one entry stands for all of one
 * sequence of states. */
typedef struct orbit {
    size_t period, memory, starts, corners;
    uint64_t sequence; /* fingerprint */
    double *phase;     /* period x m: positions at the beginning of each load cycle */
    const char *text;  /* states one after the other */
    double multiplier, closing, dissipation, slip;
} orbit;

typedef struct survey {
    am_arena memory;
    const am_system *system;
    am_attractors_options options; /* with the box that was asked for, or our own */
    const am_progress *progress;
    am_path_cycle_options how;
    am_starts starts;
    am_start_range *box; /* our own, or NULL */
    size_t m, count;     /* starts that are followed */
    size_t *index;       /* count: number of the start in `starts` */
    fate *fates;         /* count */
    double *position;    /* count x m: beginning of the limit cycle */
    double size;         /* of the positions */
    orbit *orbits;
    size_t orbit_count, orbit_capacity;
    char failure[1024]; /* the first one, in the order of the starts */
} survey;

static void positions_of(const survey *s, const double *q, double *v) {
    for (size_t c = 0; c < s->m; c++)
        v[c] = am_dense_dot(am_system_contact(s->system, c)->tangent, q, s->starts.n);
}

/* ---- the box of admissible positions ---- */

/* Rows of |T| <= mu N as G v <= h, with the loads of the first instant. */
static am_status admissible_region(survey *s, const am_reduced *r, double *G, double *h, am_error *err) {
    size_t n = r->n, m = r->m;
    double *force = am_arena_doubles(&s->memory, NULL, n + 2 * m + am_reduced_work(r), err), *q = force + n, *p = q + m;
    am_path_engine engine;
    AM_TRY(am_arena_status(&s->memory));
    AM_TRY(am_path_engine_init(&engine, s->system, err));
    am_path_load(&engine, s->how.from);
    memcpy(force, engine.force[0], n * sizeof *force);
    am_reduced_weld(r, force, q, p, p + m);
    for (size_t i = 0; i < m; i++) {
        double normal = r->held[i] ? engine.held[0][i] : p[i];
        for (size_t j = 0; j < m; j++) {
            G[(2 * i) * m + j] = r->A[i * m + j] - r->mu[i] * r->B[i * m + j];
            G[(2 * i + 1) * m + j] = -r->A[i * m + j] - r->mu[i] * r->B[i * m + j];
        }
        h[2 * i] = r->mu[i] * normal - q[i];
        h[2 * i + 1] = r->mu[i] * normal + q[i];
    }
    am_path_engine_clear(&engine);
    return AM_OK;
}

/* The largest value of sign v_i in the region. work: 4 m numbers. */
static am_status extreme(const am_linear_program *shape, double *work, size_t i, double sign, double *value,
                         am_error *err) {
    size_t m = shape->columns;
    am_linear_program program = *shape;
    am_linear_solution solution = {.x = work + m, .multiplier = work + 2 * m};
    memset(work, 0, m * sizeof *work);
    work[i] = sign;
    program.objective = work;
    AM_TRY(am_linear_program_solve(&program, &solution, err));
    if (solution.outcome == AM_LINEAR_INFEASIBLE)
        return am_fail_field(err, AM_ERR_INPUT, "starts",
                             "no position of the contacts is admissible at the first instant: friction cannot hold "
                             "them all");
    if (solution.outcome == AM_LINEAR_UNBOUNDED)
        return am_fail_field(err, AM_ERR_INPUT, "starts",
                             "the admissible positions of contact %zu are not bounded: give the starts a box", i + 1);
    *value = solution.value * sign;
    return AM_OK;
}

/* The smallest box around all admissible positions. */
static am_status bounding_box(survey *s, const am_reduced *r, am_error *err) {
    size_t m = s->m;
    s->box = am_arena_new(&s->memory, m, sizeof *s->box, err);
    double *G = am_arena_doubles(&s->memory, NULL, 2 * m * m, err);
    double *h = am_arena_doubles(&s->memory, NULL, 8 * m, err), *lower = h + 2 * m, *upper = lower + m,
           *work = upper + m;
    AM_TRY(am_arena_status(&s->memory));
    for (size_t j = 0; j < m; j++) {
        lower[j] = -INFINITY;
        upper[j] = INFINITY;
    }
    am_linear_program shape = {.rows = 2 * m, .columns = m, .matrix = G, .right = h, .lower = lower, .upper = upper};
    AM_TRY(admissible_region(s, r, G, h, err));
    for (size_t i = 0; i < m; i++) {
        double high = 0.0, low = 0.0, sense = r->sense[i]; /* position = sense * coordinate */
        AM_TRY(extreme(&shape, work, i, 1.0, &high, err));
        AM_TRY(extreme(&shape, work, i, -1.0, &low, err));
        s->box[i] = (am_start_range){
            .coordinate = r->coordinate[i], .low = sense > 0.0 ? low : -high, .high = sense > 0.0 ? high : -low};
    }
    return AM_OK;
}

static am_status choose_box(survey *s, am_error *err) {
    am_reduced reduced;
    if (s->options.count == 0 || s->options.range_count > 0)
        return AM_OK;
    am_status status = am_reduced_init(&reduced, s->system, err);
    if (status)
        return status;
    if (!reduced.direct)
        status = am_fail_field(err, AM_ERR_INPUT, "starts",
                               "the contacts' positions are not coordinates of the structure: give the starts a box");
    else if (!am_linear_program_available())
        status =
            am_fail_field(err, AM_ERR_UNSUPPORTED, "starts",
                          "the admissible starts are found with CLP, and this library was built without it: give the "
                          "starts a box, or install CLP (Debian: coinor-libclp-dev) and build again");
    else
        status = bounding_box(s, &reduced, err);
    am_reduced_clear(&reduced);
    s->options.ranges = s->box;
    s->options.range_count = s->m;
    return status;
}

/* ---- one start ---- */

typedef struct runner {
    am_path_walk walk;
    am_path_cycle cycle;
    double *start, *v; /* 2n, m */
} runner;

static am_status runner_init(runner *r, const survey *s, am_error *err) {
    *r = (runner){.start = am_memory_new(2 * s->starts.n + s->m, sizeof *r->start, err)};
    if (!r->start)
        return AM_ERR_MEMORY;
    r->v = r->start + 2 * s->starts.n;
    AM_TRY(am_path_cycle_init(&r->cycle, s->m, err));
    return am_path_walk_init(&r->walk, s->system, AM_JUMP_STOP, err);
}

static void runner_clear(runner *r) {
    am_memory_free(r->start);
    am_path_cycle_clear(&r->cycle);
    am_path_walk_clear(&r->walk);
}

static am_status place(const survey *s, runner *r, size_t index, am_error *err) {
    am_starts_place(&s->starts, index, r->start);
    positions_of(s, r->start, r->v);
    return am_path_engine_place_at(&r->walk.engine, s->how.from, r->v, err);
}

/* Follow start number `index` to its limit cycle; `quick`: without closing it. A path that cannot go on is a fate (with
 * its reason in err). */
static am_status run_start(const survey *s, runner *r, size_t index, bool quick, fate *f, am_error *err) {
    am_path_cycle_options how = s->how;
    how.quick = quick;
    *f = (fate){.kind = INADMISSIBLE, .exponent = NAN};
    r->cycle.repeats = false;
    am_status status = place(s, r, index, err);
    if (status)
        return am_status_is_fatal(status) ? status : AM_OK;
    status = am_path_walk_start(&r->walk, NULL, err);
    if (!status)
        status = am_path_cycle_find(&r->walk, &how, &r->cycle, NULL, err);
    if (am_status_is_fatal(status))
        return status;
    f->kind = status ? FAILED : r->cycle.repeats ? CYCLE : APERIODIC;
    f->cycles = r->cycle.cycles;
    f->period = r->cycle.period;
    f->sequence = r->cycle.sequence;
    f->exponent = r->cycle.exponent;
    return AM_OK;
}

/* ---- which starts ---- */

/* Points of a box are taken in turn until enough of them are admissible; a grid keeps all of its points. */
static am_status choose_starts(survey *s, am_error *err) {
    bool all = s->starts.grid;
    size_t wanted = s->starts.count, found = 0;
    runner r;
    s->index = am_arena_new(&s->memory, wanted, sizeof *s->index, err);
    if (!s->index)
        return AM_ERR_MEMORY;
    am_status status = runner_init(&r, s, err);
    for (size_t i = 0; !status && found < wanted && i / MOST_TRIES < wanted; i++) {
        am_error own = {0};
        am_status placed = all ? AM_OK : place(s, &r, i, &own);
        if (am_status_is_fatal(placed)) {
            status = placed;
            *err = own;
        } else if (!placed) {
            s->index[found++] = i;
        }
    }
    runner_clear(&r);
    s->count = found;
    if (!status && found < wanted)
        status = am_fail_field(err, AM_ERR_INPUT, "starts",
                               "only %zu of %zu points of the box are admissible starts: friction cannot hold the "
                               "contacts at the others; make the box smaller",
                               found, wanted * MOST_TRIES);
    return status;
}

static void close_runner(void *worker) {
    runner_clear(worker);
    am_memory_free(worker);
}

static void *open_runner(void *context, int thread, am_error *err) {
    runner *r = am_memory_new(1, sizeof *r, err);
    (void)thread;
    if (r && runner_init(r, context, err)) {
        close_runner(r);
        r = NULL;
    }
    return r;
}

static am_status follow(void *context, void *worker, size_t i, am_error *err) {
    survey *s = context;
    runner *r = worker;
    AM_TRY(run_start(s, r, s->index[i], true, &s->fates[i], err));
    memcpy(s->position + i * s->m, r->cycle.position, s->m * sizeof *s->position);
    return AM_OK;
}

static am_status run_all(survey *s, am_error *err) {
    am_spread all = {.count = s->count,
                     .chunk = 1,
                     .threads = am_progress_threads(s->progress),
                     .progress = s->progress,
                     .to = 1.0,
                     .doing = "following the starts",
                     .context = s,
                     .open = open_runner,
                     .close = close_runner,
                     .item = follow};
    return am_spread_run(&all, err);
}

/* ---- distinct limit cycles, in the order of the starts ---- */

static bool passes(const survey *s, const orbit *o, const double *position) {
    for (size_t k = 0; k < o->period; k++) {
        double scale;
        if (am_path_distance(o->phase + k * s->m, position, s->m, &scale) <= same_cycle * s->size)
            return true;
    }
    return false;
}

/* A cycle approached from both sides in turn looks longer than it is before it is closed. */
static bool is_member(const survey *s, const orbit *o, const fate *f, const double *position) {
    if (f->period % o->period == 0 && passes(s, o, position))
        return true;
    return o->memory > 0 && o->period == f->period && o->sequence == f->sequence;
}

/* The orbit added last may turn out, closed, to be an earlier one. Returns its place. */
static size_t merge_last(survey *s) {
    size_t last = s->orbit_count - 1;
    const orbit *o = &s->orbits[last];
    for (size_t i = 0; i < last; i++)
        if (s->orbits[i].period == o->period && s->orbits[i].memory == o->memory &&
            passes(s, &s->orbits[i], o->phase)) {
            s->orbit_count--;
            return i;
        }
    return last;
}

static double leading(const am_path_cycle *cycle) {
    size_t at = cycle->memory < cycle->m ? cycle->memory : 0;
    double real = cycle->multiplier_real[at], imaginary = cycle->multiplier_imaginary[at];
    return imaginary == 0.0 ? real : hypot(real, imaginary);
}

/* The states of contact at the corners of a cycle, one after the other; the last corner is the first again. */
typedef struct corner_names {
    am_text joined, last; /* `last`: of the latest corner, not yet joined */
    size_t count;
} corner_names;

static am_status name_corner(void *of, const am_path_engine *engine, const char *cause, am_error *err) {
    corner_names *names = of;
    (void)cause;
    if (names->count > 0)
        am_text_printf(&names->joined, "%s%s", names->count > 1 ? " " : "", am_text_view(&names->last));
    am_text_clear(&names->last);
    am_candidates_name(&names->last, engine->state, engine->m);
    names->count++;
    AM_TRY(am_text_status(&names->joined, err));
    return am_text_status(&names->last, err);
}

/* Walk once around the cycle the runner has found: phases and states. */
static am_status walk_around(survey *s, runner *r, orbit *o, am_error *err) {
    corner_names names = {0};
    am_path_observer observer = {.of = &names, .corner = name_corner};
    r->walk.observer = &observer;
    am_status status = name_corner(&names, &r->walk.engine, "start", err);
    for (size_t k = 0; k < o->period && !status; k++) {
        positions_of(s, r->walk.engine.series[0].q, o->phase + k * s->m);
        status = am_path_cycle_walk(&r->walk, &s->how, err);
    }
    r->walk.observer = NULL;
    if (!status) {
        o->corners = names.count - 1;
        o->text = am_text_view(names.count > 1 ? &names.joined : &names.last);
        status = am_arena_keep(&s->memory, &o->text, err);
    }
    am_text_free(&names.joined);
    am_text_free(&names.last);
    return status;
}

/* Follow the start once more and close its cycle. *added: false where that cycle turns out to repel, so that the path
 * only rested there and goes on to another fate. */
static am_status add_orbit(survey *s, runner *r, size_t start, bool *added, am_error *err) {
    fate *f = &s->fates[start];
    AM_TRY(am_memory_reserve(&s->orbits, &s->orbit_capacity, s->orbit_count + 1, err));
    AM_TRY(run_start(s, r, s->index[start], false, f, err));
    *added = f->kind == CYCLE;
    if (!*added)
        return AM_OK;
    memcpy(s->position + start * s->m, r->cycle.position, s->m * sizeof *s->position);
    orbit *o = &s->orbits[s->orbit_count];
    *o = (orbit){0};
    s->orbit_count++;
    o->period = r->cycle.period;
    o->memory = r->cycle.memory;
    o->sequence = f->sequence;
    o->phase = am_arena_doubles(&s->memory, NULL, o->period * s->m, err);
    if (!o->phase)
        return AM_ERR_MEMORY;
    o->multiplier = leading(&r->cycle);
    o->closing = r->cycle.closing;
    o->dissipation = r->cycle.dissipation;
    for (size_t c = 0; c < s->m; c++)
        o->slip += r->cycle.slip[c];
    return walk_around(s, r, o, err);
}

/* Run the first start that failed again, for its reason. */
static void record_failure(survey *s, runner *r, size_t start) {
    fate again;
    am_error why = {0};
    if (s->failure[0])
        return;
    run_start(s, r, s->index[start], false, &again, &why);
    snprintf(s->failure, sizeof s->failure, "%s", why.message);
}

static am_status sort_out(survey *s, am_error *err) {
    runner r;
    am_status status = runner_init(&r, s, err);
    for (size_t i = 0; i < s->count; i++)
        if (s->fates[i].kind == CYCLE)
            s->size = fmax(s->size, am_path_largest(s->position + i * s->m, s->m));
    for (size_t i = 0; i < s->count && !status; i++) {
        fate *f = &s->fates[i];
        if (f->kind == FAILED)
            record_failure(s, &r, i);
        if (f->kind != CYCLE)
            continue;
        for (f->orbit = 0; f->orbit < s->orbit_count; f->orbit++)
            if (is_member(s, &s->orbits[f->orbit], f, s->position + i * s->m))
                break;
        bool known = f->orbit < s->orbit_count, added = false;
        if (!known)
            status = add_orbit(s, &r, i, &added, err);
        if (!status && added)
            f->orbit = merge_last(s);
        if (!status && (known || added))
            s->orbits[f->orbit].starts++;
        else if (!status && f->kind == FAILED)
            record_failure(s, &r, i);
    }
    runner_clear(&r);
    return status;
}

static bool is_stable(const orbit *o) {
    return !(fabs(o->multiplier) > 1.0);
}

/* Stable ones first, otherwise as found. A start that lies exactly on the border of two basins stays with an unstable
 * one. */
static am_status put_stable_first(survey *s, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    orbit *sorted = am_arena_new(&memory, s->orbit_count, sizeof *sorted, err);
    size_t *place = am_arena_new(&memory, s->orbit_count, sizeof *place, err), next = 0;
    AM_TRY(am_arena_status(&memory));
    for (int stable = 1; stable >= 0; stable--)
        for (size_t i = 0; i < s->orbit_count; i++)
            if (is_stable(&s->orbits[i]) == (stable == 1)) {
                place[i] = next;
                sorted[next++] = s->orbits[i];
            }
    if (s->orbit_count > 0)
        memcpy(s->orbits, sorted, s->orbit_count * sizeof *sorted);
    for (size_t i = 0; i < s->count; i++)
        if (s->fates[i].kind == CYCLE)
            s->fates[i].orbit = place[s->fates[i].orbit];
    return AM_OK;
}

/* ---- report ---- */

static size_t admissible(const survey *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        count += s->fates[i].kind != INADMISSIBLE;
    return count;
}

static void make_orbits(const survey *s, am_result *result) {
    enum { BEFORE = 13 }; /* columns before those of the contacts */
    double total = (double)admissible(s);
    am_table *table = am_result_describe_table(result, "orbits",
                                               "orbit period sequence multiplier stable share dissipation cycles "
                                               "corners slip memory closing starts");
    am_columns_contacts(table, s->system, "position");
    for (size_t i = 0; i < s->orbit_count; i++) {
        const orbit *o = &s->orbits[i];
        am_table_add_numbers(table,
                             AM_NUMBERS((double)i + 1.0, (double)o->period * s->how.length, o->multiplier, is_stable(o),
                                        (double)o->starts / total, o->dissipation, (double)o->period,
                                        (double)o->corners, o->slip, (double)o->memory, o->closing, (double)o->starts));
        am_table_set_text(table, 2, o->text, NULL);
        for (size_t c = 0; c < s->m; c++)
            am_table_set_number(table, BEFORE + c, o->phase[c]);
    }
}

static void make_map(const survey *s, am_result *result) {
    size_t sides = s->starts.sides;
    am_table *map = am_attractors_add_map(result, s->options.count > 0 ? "starts" : "map",
                                          "fate orbit cycles exponent_per_cycle", s->system, &s->starts);
    for (size_t i = 0; i < s->count; i++) {
        const fate *f = &s->fates[i];
        char text[64];
        snprintf(text, sizeof text, f->kind == CYCLE ? "%s %zu" : "%s", fate_name[f->kind], f->orbit + 1);
        am_attractors_add_start(map, &s->starts, s->index[i], text);
        if (f->kind == CYCLE)
            am_table_set_number(map, sides + 1, (double)f->orbit + 1.0);
        am_table_set_number(map, sides + 2, (double)f->cycles);
        am_table_set_number(map, sides + 3, f->exponent);
    }
}

static void list_periods(const survey *s, am_result *result) {
    am_text text = {0};
    for (size_t i = 0; i < s->orbit_count && is_stable(&s->orbits[i]); i++)
        am_text_printf(&text, "%s%.10g", i > 0 ? ", " : "", (double)s->orbits[i].period * s->how.length);
    am_result_take_text(result, "periods", &text);
}

static void summarise(const survey *s, am_result *result) {
    size_t kinds[FATES] = {0}, most = 0, stable = 0;
    double worst = 0.0, exponent = NAN;
    for (size_t i = 0; i < s->count; i++) {
        kinds[s->fates[i].kind]++;
        most = s->fates[i].kind == CYCLE && s->fates[i].cycles > most ? s->fates[i].cycles : most;
        exponent = s->fates[i].kind == APERIODIC ? fmax(exponent, s->fates[i].exponent) : exponent;
    }
    for (size_t i = 0; i < s->orbit_count; i++) {
        worst = fmax(worst, s->orbits[i].closing);
        stable += is_stable(&s->orbits[i]);
    }
    am_result_set_counts(result, AM_NAMED({"starts", admissible(s)}, {"orbits", stable},
                                          {"unstable_orbits", s->orbit_count - stable},
                                          {"inadmissible", kinds[INADMISSIBLE]}, {"aperiodic", kinds[APERIODIC]},
                                          {"failed", kinds[FAILED]}, {"most_cycles_to_repeat", most}));
    am_result_set_number(result, "worst_closing", worst, NULL);
    if (kinds[APERIODIC] > 0)
        am_result_set_known(result, "largest_exponent_per_cycle", exponent);
    if (s->failure[0])
        am_result_set_text(result, "first_failure", s->failure, NULL);
    list_periods(s, result);
}

static am_status survey_init(survey *s, const am_system *system, const am_attractors_options *options,
                             const am_progress *progress, am_error *err) {
    *s = (survey){.system = system, .options = *options, .progress = progress, .m = am_system_contacts(system)};
    s->how = (am_path_cycle_options){.most_cycles = options->most_returns, .most_period = options->most_period};
    AM_TRY(am_path_check(system, err));
    AM_TRY(am_path_check_cycle(system, &s->how.length, err));
    AM_TRY(choose_box(s, err));
    AM_TRY(am_starts_init(&s->starts, system, &s->options, err));
    AM_TRY(choose_starts(s, err));
    s->fates = am_arena_new(&s->memory, s->count, sizeof *s->fates, err);
    s->position = am_arena_doubles(&s->memory, NULL, s->count * s->m, err);
    return am_arena_status(&s->memory);
}

static void survey_clear(survey *s) {
    am_starts_clear(&s->starts);
    am_memory_free(s->orbits);
    am_arena_clear(&s->memory);
}

static am_status check(const am_attractors_options *o, am_error *err) {
    if (o->most_returns < 1)
        return am_fail_field(err, AM_ERR_INPUT, "most_returns", "at least one cycle must be allowed");
    if (o->most_period < 1 || o->most_period > 1000000)
        return am_fail_field(err, AM_ERR_INPUT, "most_period", "most_period must lie between 1 and 1000000");
    for (size_t a = 0; a < o->axis_count; a++)
        if (!o->axes[a].direction && o->axes[a].velocity)
            return am_fail_field(err, AM_ERR_INPUT, "starts",
                                 "a structure without mass starts from positions, not from velocities");
    for (size_t a = 0; a < o->range_count; a++)
        if (o->ranges[a].velocity)
            return am_fail_field(err, AM_ERR_INPUT, "starts",
                                 "a structure without mass starts from positions, not from velocities");
    return AM_OK;
}

am_status am_attractors_cycles(const am_system *system, const am_attractors_options *options, am_result *result,
                               const am_progress *progress, am_error *err) {
    AM_LOCAL(survey_clear) survey s = {0};
    AM_TRY(check(options, err));
    AM_TRY(survey_init(&s, system, options, progress, err));
    AM_TRY(run_all(&s, err));
    AM_TRY(sort_out(&s, err));
    AM_TRY(put_stable_first(&s, err));
    make_orbits(&s, result);
    make_map(&s, result);
    summarise(&s, result);
    return AM_OK;
}
