#include "analyses/squeal/report.h"
#include "base/columns.h"
#include "base/try.h"
#include "math/pi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

static const struct {
    const char *name, *columns;
} tables[] = {
    [AM_SQUEAL_SQUEAL] =
        {"squeal",
         "mode real imaginary hertz damping_ratio unstable projected_real projected_imaginary residual coordinate"},
    [AM_SQUEAL_SWEEP] = {"sweep", "mu mode real imaginary hertz unstable"},
    [AM_SQUEAL_UNSTABLE] =
        {"unstable", "mu mode real imaginary hertz projected_real projected_imaginary change residual confirmed"},
    [AM_SQUEAL_CROSSINGS] = {"crossings", "mu omega hertz projected_mu projected_omega change residual confirmed kind"},
    [AM_SQUEAL_MODES] = {"modes", "mode omega hertz"},
    [AM_SQUEAL_CONTACTS] = {"contacts", "contact state N"}};

am_table *am_squeal_add_table(am_result *result, am_squeal_table which, am_error *err) {
    am_table *table = am_result_describe_table(result, tables[which].name, tables[which].columns);
    return am_result_status(result, err) == AM_OK ? table : NULL;
}

static am_status add_numbers(am_table *table, const double *values, size_t count, am_error *err) {
    am_table_add_row(table, err);
    for (size_t i = 0; i < count; i++)
        am_table_set_number(table, i, values[i]);
    return am_table_status(table, err);
}

static double hertz(double omega) {
    return omega / (2.0 * pi);
}

static double change(double complex s, double complex projected) {
    double size = cabs(s);
    return size > 0.0 ? cabs(s - projected) / size : cabs(projected);
}

am_status am_squeal_add_row(am_table *table, am_squeal_table which, const am_squeal_row *row, am_error *err) {
    double complex s = row->s, q = row->projected;
    double mode = (double)row->mode, re = creal(s), im = cimag(s), size = cabs(s), cycles = hertz(cimag(s));
    if (which == AM_SQUEAL_SWEEP)
        return add_numbers(table, (double[]){row->mu, mode, re, im, cycles, (double)row->grows}, 6, err);
    if (which == AM_SQUEAL_UNSTABLE)
        return add_numbers(table,
                           (double[]){row->mu, mode, re, im, cycles, creal(q), cimag(q), change(s, q), row->residual,
                                      (double)row->confirmed},
                           10, err);
    AM_TRY(add_numbers(table,
                       (double[]){mode, re, im, cycles, size > 0.0 ? -re / size : 0.0, (double)row->grows, creal(q),
                                  cimag(q), row->residual},
                       9, err));
    return !row->coordinate ? AM_OK : am_table_set_text(table, 9, row->coordinate, err);
}

am_status am_squeal_add_mode(am_table *table, size_t mode, double omega, am_error *err) {
    return add_numbers(table, (double[]){(double)mode, omega, hertz(omega)}, 3, err);
}

/* What the modes had left out, relative. */
static double projection_change(const am_squeal_crossing *c) {
    return c->mu != 0.0 ? (c->mu - c->projected_mu) / c->mu : -c->projected_mu;
}

static am_status add_crossing(am_table *table, const am_squeal_crossing *c, am_error *err) {
    const double row[] = {c->mu,
                          c->omega,
                          hertz(c->omega),
                          c->projected_mu,
                          c->projected_omega,
                          projection_change(c),
                          c->residual,
                          (double)c->confirmed};
    add_numbers(table, row, 8, err);
    am_table_set_text(table, 8, am_threshold_kind_name(c->kind), err);
    return am_table_status(table, err);
}

/* ---- summary ---- */

static am_status set_or_none(am_result *result, const char *name, double value, am_error *err) {
    return isnan(value) ? am_result_set_none(result, name, err) : am_result_set_number(result, name, value, err);
}

typedef struct named {
    const char *name;
    double value; /* NaN: none */
} named;

static am_status set_all(am_result *result, const named *numbers, size_t count, am_error *err) {
    for (size_t i = 0; i < count; i++)
        set_or_none(result, numbers[i].name, numbers[i].value, err);
    return am_result_status(result, err);
}

am_status am_squeal_report_contacts(am_result *result, size_t count, const char *const *names,
                                    const char *const *states, const double *forces, bool known, bool loaded,
                                    am_error *err) {
    am_table *table = am_squeal_add_table(result, AM_SQUEAL_CONTACTS, err);
    double least = INFINITY;
    AM_TRY(table ? AM_OK : AM_ERR_MEMORY);
    for (size_t k = 0; k < count; k++) {
        double force = known ? forces[k] : NAN;
        least = fmin(least, force);
        AM_TRY(am_table_add_row(table, err));
        AM_TRY(am_table_set_text(table, 0, names[k], err));
        AM_TRY(am_table_set_text(table, 1, states[k], err));
        am_table_set_number(table, 2, force);
    }
    bool say = known && loaded && count > 0;
    AM_TRY(say ? am_result_set_flag(result, "contacts_closed", least > 0.0, err)
               : am_result_set_none(result, "contacts_closed", err));
    return set_or_none(result, "least_force", say ? least : NAN, err);
}

am_status am_squeal_report_nominal(am_result *result, double mu, size_t unstable, bool stable, double growth,
                                   double frequency, am_error *err) {
    am_result_set_number(result, "mu", mu, err);
    am_result_set_flag(result, "stable", stable, err);
    am_result_set_count(result, "unstable_modes", unstable, err);
    set_or_none(result, "growth_rate", growth, err);
    set_or_none(result, "frequency", isnan(growth) ? NAN : frequency, err);
    return am_result_status(result, err);
}

static am_status report_critical(am_result *result, const am_squeal_crossing *first, const am_threshold_kind *at_start,
                                 am_error *err) {
    const am_squeal_crossing nothing = {
        .mu = NAN, .omega = NAN, .projected_mu = NAN, .projected_omega = NAN, .residual = NAN};
    const am_squeal_crossing *c = first && !at_start ? first : &nothing;
    const named numbers[] = {{"critical", c->mu},
                             {"omega", c->omega},
                             {"hertz", hertz(c->omega)},
                             {"critical_projected", c->projected_mu},
                             {"omega_projected", c->projected_omega},
                             {"projection_change", projection_change(c)},
                             {"critical_residual", c->residual}};
    set_all(result, numbers, sizeof numbers / sizeof *numbers, err);
    const char *kind = at_start ? am_threshold_kind_name(*at_start)
                       : first  ? am_threshold_kind_name(first->kind)
                                : "none";
    am_result_set_text(result, "instability", kind, err);
    am_result_set_flag(result, "stable_at_start", !at_start, err);
    return am_result_status(result, err);
}

static int by_friction(const void *left, const void *right) {
    const am_squeal_crossing *a = left, *b = right;
    return (a->mu > b->mu) - (a->mu < b->mu);
}

am_status am_squeal_report_crossings(am_result *result, am_squeal_crossing *crossing, size_t count,
                                     const am_threshold_kind *at_start, am_error *err) {
    am_table *table = am_squeal_add_table(result, AM_SQUEAL_CROSSINGS, err);
    AM_TRY(table ? AM_OK : AM_ERR_MEMORY);
    if (count > 0)
        qsort(crossing, count, sizeof *crossing, by_friction);
    for (size_t i = 0; i < count; i++)
        AM_TRY(add_crossing(table, &crossing[i], err));
    return report_critical(result, count > 0 ? crossing : NULL, at_start, err);
}

static am_status set_text_or_none(am_result *result, const char *name, const char *text, am_error *err) {
    return text ? am_result_set_text(result, name, text, err) : am_result_set_none(result, name, err);
}

/* Fewer modes than asked for: said. */
static am_status report_modes(am_result *result, const am_squeal_evidence *e, am_error *err) {
    char words[200];
    snprintf(words, sizeof words, "%zu modes are used, which is all there are to be had, not the %zu asked for",
             e->modes, e->modes_asked);
    am_result_set_count(result, "modes", e->modes, err);
    am_result_set_count(result, "modes_asked", e->modes_asked, err);
    set_text_or_none(result, "fewer_modes", e->modes < e->modes_asked ? words : NULL, err);
    return am_result_status(result, err);
}

am_status am_squeal_report_evidence(am_result *result, const am_squeal_evidence *e, am_error *err) {
    const named numbers[] = {{"mode_residual", e->mode_residual},
                             {"orthogonality", e->orthogonality},
                             {"eigen_residual", e->eigen_residual},
                             {"largest_change", e->largest_change},
                             {"interpolation_error", e->interpolation_error},
                             {"certified_omega", e->certified_omega}};
    am_result_set_text(result, "method", e->method, err);
    report_modes(result, e, err);
    set_or_none(result, "highest_omega", e->highest_omega, err);
    am_result_set_count(result, "degrees_of_freedom", e->degrees_of_freedom, err);
    am_result_set_count(result, "contact_rows", e->contact_rows, err);
    am_result_set_count(result, "confirmed", e->confirmed, err);
    am_result_set_count(result, "unconfirmed", e->unconfirmed, err);
    set_all(result, numbers, sizeof numbers / sizeof *numbers, err);
    am_result_set_flag(result, "certified", e->certified, err);
    am_result_set_count(result, "certificate_factors", e->certificate_factors, err);
    set_text_or_none(result, "uncertified_because", e->uncertified_why, err);
    return am_result_status(result, err);
}
