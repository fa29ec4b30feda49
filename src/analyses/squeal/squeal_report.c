#include "analyses/squeal/squeal_report.h"
#include "base/columns.h"
#include "math/pi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

am_table *am_squeal_add_table(am_result *result, am_squeal_table which) {
    return am_result_describe_table(result, tables[which].name, tables[which].columns);
}

static double hertz(double omega) {
    return omega / (2.0 * pi);
}

static double change(double complex s, double complex projected) {
    double size = cabs(s);
    return size > 0.0 ? cabs(s - projected) / size : cabs(projected);
}

void am_squeal_add_row(am_table *table, am_squeal_table which, const am_squeal_row *row) {
    double complex s = row->s, q = row->projected;
    double mode = (double)row->mode, re = creal(s), im = cimag(s), size = cabs(s), cycles = hertz(cimag(s));
    if (which == AM_SQUEAL_SWEEP) {
        am_table_add_numbers(table, AM_NUMBERS(row->mu, mode, re, im, cycles, row->grows));
    } else if (which == AM_SQUEAL_UNSTABLE) {
        am_table_add_numbers(table, AM_NUMBERS(row->mu, mode, re, im, cycles, creal(q), cimag(q), change(s, q),
                                               row->residual, row->confirmed));
    } else {
        am_table_add_numbers(table, AM_NUMBERS(mode, re, im, cycles, size > 0.0 ? -re / size : 0.0, row->grows,
                                               creal(q), cimag(q), row->residual));
        am_table_set_text(table, 9, row->coordinate, NULL);
    }
}

void am_squeal_add_mode(am_table *table, size_t mode, double omega) {
    am_table_add_numbers(table, AM_NUMBERS((double)mode, omega, hertz(omega)));
}

/* What the modes had left out, relative. */
static double projection_change(const am_squeal_crossing *c) {
    return c->mu != 0.0 ? (c->mu - c->projected_mu) / c->mu : -c->projected_mu;
}

static void add_crossing(am_table *table, const am_squeal_crossing *c) {
    am_table_add_numbers(table, AM_NUMBERS(c->mu, c->omega, hertz(c->omega), c->projected_mu, c->projected_omega,
                                           projection_change(c), c->residual, c->confirmed));
    am_table_set_text(table, 8, am_threshold_kind_name(c->kind), NULL);
}

/* ---- summary ---- */

void am_squeal_add_contact(am_table *table, const am_system *system, size_t contact, am_contact_state state, double N) {
    am_table_add_numbers(table, &N, 1);
    am_table_set_text(table, 0, am_system_contact_name(system, contact), NULL);
    am_table_set_text(table, 1, am_contact_state_name(state), NULL);
}

void am_squeal_report_closed(am_result *result, double least) {
    am_result_set_decided(result, "contacts_closed", !isnan(least), least > 0.0);
    am_result_set_known(result, "least_force", least);
}

void am_squeal_report_nominal(am_result *result, double mu, size_t unstable, bool stable, double growth,
                              double frequency) {
    am_result_set_number(result, "mu", mu, NULL);
    am_result_set_flag(result, "stable", stable, NULL);
    am_result_set_count(result, "unstable_modes", unstable, NULL);
    am_result_set_known(result, "growth_rate", growth);
    am_result_set_known(result, "frequency", isnan(growth) ? NAN : frequency);
}

static void report_critical(am_result *result, const am_squeal_crossing *first, const am_threshold_kind *at_start) {
    const am_squeal_crossing nothing = {
        .mu = NAN, .omega = NAN, .projected_mu = NAN, .projected_omega = NAN, .residual = NAN};
    const am_squeal_crossing *c = first && !at_start ? first : &nothing;
    am_result_set_numbers(result,
                          AM_NAMED({"critical", c->mu}, {"omega", c->omega}, {"hertz", hertz(c->omega)},
                                   {"critical_projected", c->projected_mu}, {"omega_projected", c->projected_omega},
                                   {"projection_change", projection_change(c)}, {"critical_residual", c->residual}));
    const char *kind = at_start ? am_threshold_kind_name(*at_start)
                       : first  ? am_threshold_kind_name(first->kind)
                                : "none";
    am_result_set_text(result, "instability", kind, NULL);
    am_result_set_flag(result, "stable_at_start", !at_start, NULL);
}

static int by_friction(const void *left, const void *right) {
    const am_squeal_crossing *a = left, *b = right;
    return (a->mu > b->mu) - (a->mu < b->mu);
}

void am_squeal_report_crossings(am_result *result, am_squeal_crossing *crossing, size_t count,
                                const am_threshold_kind *at_start) {
    am_table *table = am_squeal_add_table(result, AM_SQUEAL_CROSSINGS);
    if (count > 0)
        qsort(crossing, count, sizeof *crossing, by_friction);
    for (size_t i = 0; i < count; i++)
        add_crossing(table, &crossing[i]);
    report_critical(result, count > 0 ? crossing : NULL, at_start);
}

/* Fewer modes than asked for: said. */
static void report_modes(am_result *result, const am_squeal_evidence *e) {
    char words[200];
    snprintf(words, sizeof words, "%zu modes are used, which is all there are to be had, not the %zu asked for",
             e->modes, e->modes_asked);
    am_result_set_count(result, "modes", e->modes, NULL);
    am_result_set_count(result, "modes_asked", e->modes_asked, NULL);
    am_result_set_words(result, "fewer_modes", e->modes < e->modes_asked ? words : NULL);
}

void am_squeal_report_evidence(am_result *result, const am_squeal_evidence *e) {
    am_result_set_text(result, "method", e->method, NULL);
    report_modes(result, e);
    am_result_set_known(result, "highest_omega", e->highest_omega);
    am_result_set_counts(result,
                         AM_NAMED({"degrees_of_freedom", e->degrees_of_freedom}, {"contact_rows", e->contact_rows},
                                  {"confirmed", e->confirmed}, {"unconfirmed", e->unconfirmed}));
    am_result_set_numbers(result, AM_NAMED({"mode_residual", e->mode_residual}, {"orthogonality", e->orthogonality},
                                           {"eigen_residual", e->eigen_residual}, {"largest_change", e->largest_change},
                                           {"interpolation_error", e->interpolation_error},
                                           {"certified_omega", e->certified_omega}));
    am_result_set_flag(result, "certified", e->certified, NULL);
    am_result_set_count(result, "certificate_factors", e->certificate_factors, NULL);
    am_result_set_words(result, "uncertified_because", e->uncertified_why);
}
