#include "amontons/squeal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/squeal/confirm.h"
#include "analysis/squeal/search.h"
#include "base/memory.h"
#include "math/arnoldi.h"
#include "system/combination.h"
#include "system/system.h"

enum { SQUEAL_COOKIE = 0x53515541, MOST_VALUES = 100000, CROSSINGS = 24 };

static const double pi = 3.14159265358979323846;

/* Real modes worse than this (residual over elastic forces) are not used. */
static const double mode_limit = 1e-3;

am_squeal_options am_squeal_options_default(void) {
    return (am_squeal_options){
        .modes = 50, .from = 0.0, .to = 1.0, .count = 101, .confirm = true, .cookie = SQUEAL_COOKIE};
}

bool am_squeal_available(void) {
    return am_sparse_available() && am_arnoldi_available();
}

/* An unstable pair of the sweep. */
typedef struct pending {
    size_t mode, value; /* number of the mode; which value of mu */
    am_squeal_pair pair;
} pending;

typedef struct run {
    const am_system *system;
    const am_squeal_options *options;
    am_squeal_full full;
    am_squeal_projected projected;
    am_squeal_room room;
    double complex *s;      /* 2p */
    double complex *before; /* 2 x 2p: for numbering */
    size_t *number;         /* 2p */
    size_t known;
    am_table *sweep;
    pending *growing; /* unstable pairs of the sweep */
    size_t growing_count, growing_room;
    size_t confirmed, unconfirmed;
    double worst_residual, worst_change;
    bool from_stable;
    double last_mu;                          /* of the sweep */
    size_t last_growing;                     /* eigenvalues that grow there */
    am_squeal_threshold crossing[CROSSINGS]; /* where one more begins to, ascending */
    size_t crossings;
    const am_progress *progress;
    am_result *result;
} run;

/* ---- tables ---- */

static am_table *new_table(am_result *result, const char *name, size_t count, const char *const *columns,
                           am_error *err) {
    am_table *table = am_result_add_table(result, name, err);
    for (size_t i = 0; table && i < count; i++) {
        bool text = strcmp(columns[i], "coordinate") == 0 || strcmp(columns[i], "contact") == 0 ||
                    strcmp(columns[i], "state") == 0;
        bool flag = strcmp(columns[i], "unstable") == 0 || strcmp(columns[i], "confirmed") == 0;
        am_column_kind kind = text ? AM_COLUMN_TEXT : flag ? AM_COLUMN_FLAG : AM_COLUMN_NUMBER;
        if (am_table_add_column(table, columns[i], "", kind, err))
            table = NULL;
    }
    return table;
}

#define NEW_TABLE(result, name, err, ...)                                                                              \
    new_table(result, name, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__}, err)

static am_status add_numbers(am_table *table, const double *values, size_t count, am_error *err) {
    am_status status = am_table_add_row(table, err);
    for (size_t i = 0; i < count && !status; i++)
        am_table_set_number(table, i, values[i]);
    return status;
}

static double hertz(double complex s) {
    return cimag(s) / (2.0 * pi);
}

static am_status modes_table(const run *r, am_error *err) {
    am_table *table = NEW_TABLE(r->result, "modes", err, "mode", "omega", "hertz");
    am_status status = table ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; i < r->projected.p && !status; i++) {
        double omega = sqrt(fmax(r->projected.omega2[i], 0.0));
        status = add_numbers(table, (double[]){(double)(i + 1), omega, omega / (2.0 * pi)}, 3, err);
    }
    return status;
}

/* ---- confirming ---- */

static double relative_change(const am_squeal_pair *pair) {
    return cabs(pair->s - pair->projected) / cabs(pair->s);
}

static am_status confirm(run *r, double mu, double complex s, bool fresh, am_squeal_pair *pair, am_error *err) {
    return am_squeal_confirm(&r->full, &r->projected, &r->room, mu, s, fresh, pair, err);
}

static void take_stock(run *r, const am_squeal_pair *pair) {
    r->confirmed += pair->confirmed;
    r->unconfirmed += !pair->confirmed;
    if (!pair->confirmed)
        return;
    r->worst_residual = fmax(r->worst_residual, pair->residual);
    r->worst_change = fmax(r->worst_change, relative_change(pair));
}

/* ---- the model's own friction ---- */

/* The coordinate that moves most. */
static const char *largest_coordinate(const run *r) {
    size_t best = 0;
    for (size_t i = 1; i < r->full.n; i++)
        if (cabs(r->room.v[i]) > cabs(r->room.v[best]))
            best = i;
    return am_system_name(r->system, best);
}

static am_status squeal_row(run *r, am_table *table, size_t index, am_squeal_pair *pair, am_error *err) {
    double complex s = r->s[index];
    bool grows = am_squeal_projected_grows(&r->projected, s);
    *pair = (am_squeal_pair){.projected = s, .s = s, .residual = NAN};
    am_status status = grows ? confirm(r, r->full.reference, s, true, pair, err) : AM_OK;
    if (status)
        return status;
    if (grows)
        take_stock(r, pair);
    double complex at = pair->confirmed ? pair->s : s;
    double size = cabs(at);
    bool unstable = grows && am_squeal_projected_grows(&r->projected, at);
    const double row[] = {
        (double)(index + 1), creal(at), cimag(at), hertz(at),     size > 0.0 ? -creal(at) / size : 0.0,
        (double)unstable,    creal(s),  cimag(s),  pair->residual};
    status = add_numbers(table, row, 9, err);
    if (!status && grows)
        status = am_table_set_text(table, 9, largest_coordinate(r), err);
    pair->s = at;
    return status;
}

static am_status nominal(run *r, am_error *err) {
    am_table *table = NEW_TABLE(r->result, "squeal", err, "mode", "real", "imaginary", "hertz", "damping_ratio",
                                "unstable", "projected_real", "projected_imaginary", "residual", "coordinate");
    size_t count = 0, unstable = 0;
    double complex worst = -INFINITY;
    am_status status = table ? AM_OK : AM_ERR_MEMORY;
    if (!status)
        status = am_squeal_projected_eigenvalues(&r->projected, r->full.reference, r->s, &count, err);
    for (size_t i = 0; i < count && !status; i++) {
        am_squeal_pair pair;
        status = squeal_row(r, table, i, &pair, err);
        if (status)
            break;
        unstable += am_squeal_projected_grows(&r->projected, pair.s);
        worst = creal(pair.s) > creal(worst) ? pair.s : worst;
    }
    if (!status)
        status = am_result_set_number(r->result, "mu", r->full.reference, err);
    if (!status)
        status = am_result_set_flag(r->result, "stable", unstable == 0, err);
    if (!status)
        status = am_result_set_count(r->result, "unstable_modes", unstable, err);
    if (!status)
        status = am_result_set_number(r->result, "growth_rate", creal(worst), err);
    return status ? status : am_result_set_number(r->result, "frequency", cimag(worst), err);
}

/* ---- steady sliding itself ---- */

/* Forces and gaps of the steady state, where nothing changes with time and nothing sticks. */
static bool steady_loads(const run *r, double complex *right) {
    const am_system *system = r->system;
    for (size_t l = 0; l < system->loads; l++) {
        if (system->load[l].function.kind != AM_FUNCTION_CONSTANT)
            return false;
        for (size_t i = 0; i < system->n; i++)
            right[i] += system->load[l].direction[i] * am_function_at(&system->load[l].function, 0.0);
    }
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (r->full.state[c] == AM_STICK)
            return false;
        if (contact->normal_law != AM_HELD)
            continue;
        if (contact->hold.kind != AM_FUNCTION_CONSTANT)
            return false;
        double force = am_function_at(&contact->hold, 0.0);
        double along = am_slip_sign(r->full.state[c]) * contact->friction * force;
        for (size_t i = 0; i < system->n; i++)
            right[i] += contact->normal[i] * force + contact->tangent[i] * along;
    }
    for (size_t k = 0; k < r->full.m; k++)
        right[r->full.n + k] = system->contact[r->full.contact[k]].gap;
    return true;
}

static am_status report_contacts(run *r, bool known, bool loaded, am_error *err) {
    am_table *table = NEW_TABLE(r->result, "contacts", err, "contact", "state", "N");
    double least = INFINITY;
    am_status status = table ? AM_OK : AM_ERR_MEMORY;
    for (size_t k = 0; k < r->full.m && !status; k++) {
        size_t c = r->full.contact[k];
        double force = known ? creal(r->room.v[r->full.n + k]) : NAN;
        least = fmin(least, force);
        status = am_table_add_row(table, err);
        if (!status)
            status = am_table_set_text(table, 0, r->system->contact[c].name, err);
        if (!status)
            status = am_table_set_text(table, 1, am_contact_state_name(r->full.state[c]), err);
        if (!status)
            am_table_set_number(table, 2, force);
    }
    if (status)
        return status;
    bool say = known && loaded && r->full.m > 0;
    status = say ? am_result_set_flag(r->result, "contacts_closed", least > 0.0, err)
                 : am_result_set_none(r->result, "contacts_closed", err);
    if (status)
        return status;
    return say ? am_result_set_number(r->result, "least_force", least, err)
               : am_result_set_none(r->result, "least_force", err);
}

/* P(0, mu) v = (F, gaps). The spectrum does not depend on it, but whether the contacts are pressed together does. */
static am_status steady(run *r, am_error *err) {
    double complex *v = r->room.v;
    bool singular = true, loaded = false;
    memset(v, 0, r->full.size * sizeof *v);
    bool known = steady_loads(r, v);
    for (size_t i = 0; i < r->full.size; i++)
        loaded = loaded || v[i] != 0.0;
    am_status status = known ? am_squeal_full_factor(&r->full, 0.0, r->full.reference, &singular, err) : AM_OK;
    known = known && !status && !singular;
    if (!status && known)
        status = am_squeal_full_solve(&r->full, v, 1, err);
    r->full.factored = false; /* of no use to eigenpairs */
    return status ? status : report_contacts(r, known, loaded, err);
}

/* ---- all values of friction ---- */

static am_status sweep_row(run *r, size_t value, double mu, size_t i, bool grows, am_error *err) {
    double complex s = r->s[i];
    am_status status = add_numbers(
        r->sweep, (double[]){mu, (double)r->number[i], creal(s), cimag(s), hertz(s), (double)grows}, 6, err);
    if (status || !grows || !r->options->confirm)
        return status;
    if (r->growing_count == r->growing_room) {
        size_t room = 2 * r->growing_room + 64;
        status = am_memory_resize((void **)&r->growing, room, sizeof *r->growing, err);
        r->growing_room = status ? r->growing_room : room;
    }
    if (!status)
        r->growing[r->growing_count++] = (pending){r->number[i], value, {.mu = mu, .projected = s, .s = s}};
    return status;
}

static am_status sweep_value(run *r, size_t value, double mu, am_error *err) {
    size_t count = 0, growing = 0;
    am_status status = am_squeal_projected_eigenvalues(&r->projected, mu, r->s, &count, err);
    if (status)
        return status;
    am_squeal_follow(r->s, count, 2 * r->projected.p, r->before, &r->known, r->number);
    for (size_t i = 0; i < count && !status; i++) {
        bool grows = am_squeal_projected_grows(&r->projected, r->s[i]);
        growing += grows;
        status = sweep_row(r, value, mu, i, grows, err);
    }
    if (status)
        return status;
    if (value == 0)
        r->from_stable = growing == 0;
    for (size_t rank = r->last_growing + 1; rank <= growing && value > 0 && !status; rank++)
        if (r->crossings < CROSSINGS)
            status = am_squeal_locate(&r->projected, r->last_mu, mu, rank, r->s, &r->crossing[r->crossings++], err);
    r->last_mu = mu;
    r->last_growing = growing;
    return status;
}

static am_status sweep(run *r, am_error *err) {
    const am_squeal_options *o = r->options;
    r->sweep = NEW_TABLE(r->result, "sweep", err, "mu", "mode", "real", "imaginary", "hertz", "unstable");
    am_status status = r->sweep ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; i < o->count && !status; i++) {
        double mu = o->from + (o->to - o->from) * (double)i / (double)(o->count - 1);
        status = sweep_value(r, i, mu, err);
        if (!status && !am_progress_report(r->progress, 0.5 + 0.1 * (double)(i + 1) / (double)o->count))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    return status;
}

/* ---- every unstable pair on the full problem ---- */

/* Mode by mode along mu: neighbours share factors. */
static int by_mode(const void *left, const void *right) {
    const pending *a = left, *b = right;
    if (a->mode != b->mode)
        return a->mode < b->mode ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static int by_value(const void *left, const void *right) {
    const pending *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->mode > b->mode) - (a->mode < b->mode);
}

/* Two pairs of the modes may not become one: the one that moved further is tried again from factors of its own, and
 * is not confirmed when that does not help. */
static am_status separate(run *r, pending *a, pending *b, am_error *err) {
    if (!a->pair.confirmed || !b->pair.confirmed || cabs(a->pair.s - b->pair.s) > 1e-6 * cabs(a->pair.s))
        return AM_OK;
    am_squeal_pair *moved = relative_change(&a->pair) > relative_change(&b->pair) ? &a->pair : &b->pair;
    am_status status = confirm(r, moved->mu, moved->projected, true, moved, err);
    if (!status && cabs(a->pair.s - b->pair.s) <= 1e-6 * cabs(a->pair.s))
        moved->confirmed = false;
    return status;
}

static am_status unstable_table(run *r, am_error *err) {
    am_table *table = NEW_TABLE(r->result, "unstable", err, "mu", "mode", "real", "imaginary", "hertz",
                                "projected_real", "projected_imaginary", "change", "residual", "confirmed");
    am_status status = table ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; i < r->growing_count && !status; i++) {
        const am_squeal_pair *pair = &r->growing[i].pair;
        take_stock(r, pair);
        const double row[] = {pair->mu,       (double)r->growing[i].mode, creal(pair->s),         cimag(pair->s),
                              hertz(pair->s), creal(pair->projected),     cimag(pair->projected), relative_change(pair),
                              pair->residual, (double)pair->confirmed};
        status = add_numbers(table, row, 10, err);
    }
    return status;
}

static am_status confirm_all(run *r, am_error *err) {
    am_status status = AM_OK;
    size_t count = r->growing_count;
    if (count > 0)
        qsort(r->growing, count, sizeof *r->growing, by_mode);
    for (size_t i = 0; i < count && !status; i++) {
        am_squeal_pair *pair = &r->growing[i].pair;
        status = confirm(r, pair->mu, pair->projected, false, pair, err);
        if (!status && !am_progress_report(r->progress, 0.6 + 0.4 * (double)i / (double)count))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    if (count > 0)
        qsort(r->growing, count, sizeof *r->growing, by_value);
    for (size_t i = 0; i < count && !status; i++)
        for (size_t j = i + 1; j < count && r->growing[j].value == r->growing[i].value && !status; j++)
            status = separate(r, &r->growing[i], &r->growing[j], err);
    return status ? status : unstable_table(r, err);
}

/* ---- the critical friction ---- */

static am_status set_or_none(am_result *result, const char *name, bool known, double value, am_error *err) {
    return known ? am_result_set_number(result, name, value, err) : am_result_set_none(result, name, err);
}

/* Every crossing on the full problem: the first one there need not be the first one of the modes. */
static am_status confirm_crossings(run *r, am_squeal_pair *first, const am_squeal_threshold **origin, am_error *err) {
    am_table *table = NEW_TABLE(r->result, "crossings", err, "mu", "omega", "hertz", "projected_mu", "projected_omega",
                                "change", "residual", "confirmed");
    am_status status = table ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; i < r->crossings && !status; i++) {
        const am_squeal_threshold *t = &r->crossing[i];
        am_squeal_pair pair;
        status = am_squeal_confirm_crossing(&r->full, &r->projected, &r->room, t->kind, t->mu, t->s, &pair, err);
        if (status)
            break;
        const double row[] = {pair.mu,       cimag(pair.s),         hertz(pair.s),
                              t->mu,         cimag(t->s),           (pair.mu - t->mu) / pair.mu,
                              pair.residual, (double)pair.confirmed};
        status = add_numbers(table, row, 8, err);
        if (pair.confirmed && !(first->mu <= pair.mu)) {
            *first = pair;
            *origin = t;
        }
    }
    return status;
}

static am_status critical(run *r, am_error *err) {
    am_squeal_pair pair = {.mu = NAN};
    const am_squeal_threshold *t = r->crossing;
    am_status status = confirm_crossings(r, &pair, &t, err);
    if (status)
        return status;
    bool found = r->crossings > 0 && r->from_stable, sure = found && pair.confirmed;
    const struct {
        const char *name;
        bool known;
        double value;
    } numbers[] = {{"critical", sure, pair.mu},
                   {"omega", sure, cimag(pair.s)},
                   {"hertz", sure, hertz(pair.s)},
                   {"critical_projected", found, t->mu},
                   {"omega_projected", found, cimag(t->s)},
                   {"projection_change", sure, (pair.mu - t->mu) / pair.mu},
                   {"critical_residual", sure, pair.residual}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = set_or_none(r->result, numbers[i].name, numbers[i].known, numbers[i].value, err);
    const char *kind = !found ? "none" : t->kind == AM_SQUEAL_DIVERGENCE ? "divergence" : "flutter";
    if (!status)
        status = am_result_set_text(r->result, "instability", kind, err);
    return status ? status : am_result_set_flag(r->result, "stable_at_start", r->from_stable, err);
}

/* ---- all of it ---- */

static am_status evidence(const run *r, am_error *err) {
    const am_squeal_projected *q = &r->projected;
    am_result *result = r->result;
    am_status status = am_result_set_count(result, "modes", q->p, err);
    if (!status)
        status = am_result_set_number(result, "highest_omega", sqrt(fmax(q->omega2[q->p - 1], 0.0)), err);
    if (!status)
        status = am_result_set_count(result, "degrees_of_freedom", q->n, err);
    if (!status)
        status = am_result_set_count(result, "contact_rows", q->m, err);
    if (!status)
        status = am_result_set_number(result, "mode_residual", q->mode_residual, err);
    if (!status)
        status = am_result_set_number(result, "orthogonality", q->orthogonality, err);
    if (!status)
        status = am_result_set_count(result, "confirmed", r->confirmed, err);
    if (!status)
        status = am_result_set_count(result, "unconfirmed", r->unconfirmed, err);
    if (!status)
        status = set_or_none(result, "eigen_residual", r->confirmed > 0, r->worst_residual, err);
    if (!status)
        status = set_or_none(result, "largest_change", r->confirmed > 0, r->worst_change, err);
    return status ? status : am_result_set_number(result, "interpolation_error", q->interpolation_error, err);
}

static am_status check(const am_system *system, const am_squeal_options *o, am_error *err) {
    if (o->cookie != SQUEAL_COOKIE)
        return am_fail(err, AM_ERR_INPUT, "options of squeal must come from am_squeal_options_default()");
    if (o->modes < 2)
        return am_fail_field(err, AM_ERR_INPUT, "modes", "two modes are the least that can couple, not %zu", o->modes);
    if (!(o->from >= 0.0) || !(o->to > o->from) || !isfinite(o->to))
        return am_fail_field(err, AM_ERR_INPUT, "friction",
                             "the coefficients of friction must go up from zero or more, not from %g to %g", o->from,
                             o->to);
    if (o->count < 2 || o->count > MOST_VALUES)
        return am_fail_field(err, AM_ERR_INPUT, "friction", "between 2 and %d values of friction, not %zu", MOST_VALUES,
                             o->count);
    if (am_system_contacts(system) == 0)
        return am_fail(err, AM_ERR_UNSUPPORTED, "without contacts there is no friction, and no squeal");
    if (system->polynomials > 0)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "squeal is for large linear structures, and '%s' is a polynomial spring or damper: use "
                       "`stability`",
                       system->polynomial[0].name);
    am_status friction = am_system_check_friction(system, "squeal", err);
    if (friction)
        return friction;
    if (!am_squeal_available())
        return am_fail(
            err, AM_ERR_UNSUPPORTED,
            "`squeal` needs MUMPS and ARPACK, and this library was built without them; install them (Debian: "
            "libmumps-seq-dev, libarpack2-dev) and build again");
    return AM_OK;
}

static am_status prepare(run *r, am_error *err) {
    am_status status = am_squeal_full_init(&r->full, r->system, r->options->state, err);
    if (status)
        return status;
    double to = fmax(r->options->to, r->full.reference), from = fmin(r->options->from, r->full.reference);
    status = am_squeal_projected_init(&r->projected, &r->full, r->options->modes, from, to, r->progress, err);
    if (!status && !(r->projected.mode_residual < mode_limit))
        status = am_fail(err, AM_ERR_EVIDENCE, "the real modes leave a residual of %g of their elastic forces",
                         r->projected.mode_residual);
    if (!status)
        status = am_squeal_room_init(&r->room, &r->full, r->projected.p, err);
    size_t most = 2 * r->projected.p;
    r->s = status ? NULL : am_memory_new(most, sizeof *r->s, err);
    r->before = status ? NULL : am_memory_new(2 * most, sizeof *r->before, err);
    r->number = status ? NULL : am_memory_new(most, sizeof *r->number, err);
    return status ? status : r->s && r->before && r->number ? AM_OK : AM_ERR_MEMORY;
}

am_status am_squeal_run(const am_system *system, const am_squeal_options *options, am_result *result,
                        const am_progress *progress, am_error *err) {
    run r = {.system = system, .options = options, .result = result, .progress = progress};
    am_status status = check(system, options, err);
    if (!status)
        status = prepare(&r, err);
    if (!status)
        status = modes_table(&r, err);
    if (!status)
        status = steady(&r, err);
    if (!status)
        status = nominal(&r, err);
    if (!status)
        status = sweep(&r, err);
    if (!status)
        status = confirm_all(&r, err);
    if (!status)
        status = critical(&r, err);
    if (!status)
        status = evidence(&r, err);
    am_memory_free(r.s);
    am_memory_free(r.growing);
    am_memory_free(r.before);
    am_memory_free(r.number);
    am_squeal_room_clear(&r.room);
    am_squeal_projected_clear(&r.projected);
    am_squeal_full_clear(&r.full);
    return status;
}
