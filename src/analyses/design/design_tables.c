/* Tables and summary of `design`. */
#include <stdint.h>
#include <string.h>

#include "analyses/design/design_internal.h"
#include "base/arena.h"
#include "base/columns.h"
#include "base/try.h"
#include "engines/balance/balance.h"

static const char *parameter_name(const am_design *d) {
    return am_model_name(d->model, d->options->number);
}

static const char *frequency_name(const am_design *d) {
    return am_model_name(d->model, d->options->frequency);
}

static const char *const kind_names[] = {
    [AM_DESIGN_SMOOTH] = "smooth", [AM_DESIGN_KINK] = "kink", [AM_DESIGN_END] = "end"};

/* ---- peaks ---- */

static bool is_top(const am_design *d, size_t curve, const am_design_peak *peak) {
    size_t top = SIZE_MAX;
    double slope;
    am_design_envelope(d, peak->p, &top, &slope);
    return top == curve;
}

static void fill_peaks(const am_design *d, am_result *result) {
    am_table *table = am_result_describe_table(result, "peaks", "curve");
    am_table_describe_as(table, "<number>", parameter_name(d));
    am_table_describe_as(table, "<number>", frequency_name(d));
    am_table_describe(table, "peak largest slope kind top condition residual");
    for (size_t c = 0; c < d->curve_count; c++)
        for (size_t i = 0; i < d->curves[c].count; i++) {
            const am_design_peak *peak = &d->curves[c].peak[i];
            am_table_add_numbers(table, AM_NUMBERS((double)c, peak->p, am_design_frequency(d, peak->omega),
                                                   peak->amplitude, peak->largest, peak->slope, is_top(d, c, peak),
                                                   peak->condition, peak->residual));
            am_table_set_text(table, 6, kind_names[peak->kind], NULL);
        }
}

/* ---- envelope ---- */

typedef struct row {
    double p, omega, amplitude;
    size_t curve;
} row;

static void insert(row *rows, size_t *count, row new) {
    size_t at = (*count)++;
    for (; at > 0 && rows[at - 1].p > new.p; at--)
        rows[at] = rows[at - 1];
    rows[at] = new;
}

/* Every curve is sorted; tops of different curves rarely mix, so insertion is quick. */
static void gather(const am_design *d, row *rows, size_t *count) {
    for (size_t c = 0; c < d->curve_count; c++)
        for (size_t i = 0; i < d->curves[c].count; i++) {
            const am_design_peak *peak = &d->curves[c].peak[i];
            if (is_top(d, c, peak))
                insert(rows, count, (row){peak->p, peak->omega, peak->amplitude, c});
        }
    for (size_t i = 0; i < d->optimum_count; i++) {
        size_t top = 0;
        double slope;
        am_design_envelope(d, d->optima[i].p, &top, &slope);
        insert(rows, count, (row){d->optima[i].p, d->optima[i].omega, d->optima[i].amplitude, top});
    }
}

/* The height of what is compared with, at the same p, exactly. */
static am_status add_reference(am_design *r, am_table *table, double p, double amplitude, am_error *err) {
    am_design_summit other;
    am_status status = am_design_summit_at(r, p, &other, err);
    if (!status) {
        am_table_set_number(table, 4, other.peak.amplitude);
        am_table_set_number(table, 5, amplitude / other.peak.amplitude);
    }
    return status == AM_ERR_LIMIT ? AM_OK : status; /* a peak that is lost stays empty */
}

static am_status fill_envelope(am_design *d, am_design *r, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "envelope", "");
    am_table_describe_as(table, "<number>", parameter_name(d));
    am_table_describe_as(table, "<number>", frequency_name(d));
    am_table_describe(table, r ? "peak curve reference ratio" : "peak curve");
    size_t most = d->optimum_count, count = 0;
    for (size_t c = 0; c < d->curve_count; c++)
        most += d->curves[c].count;
    row *rows = am_arena_new(&d->memory, most, sizeof *rows, err);
    AM_TRY(am_arena_status(&d->memory));
    gather(d, rows, &count);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && rows[i].p == rows[i - 1].p)
            continue;
        am_table_add_numbers(table, AM_NUMBERS(rows[i].p, am_design_frequency(d, rows[i].omega), rows[i].amplitude,
                                               (double)rows[i].curve));
        if (r)
            AM_TRY(add_reference(r, table, rows[i].p, rows[i].amplitude, err));
    }
    return AM_OK;
}

/* ---- optima ---- */

static void fill_optima(const am_design *d, am_result *result) {
    am_table *table = am_result_describe_table(result, "optima", "");
    am_table_describe_as(table, "<number>", parameter_name(d));
    am_table_describe_as(table, "<number>", frequency_name(d));
    am_table_describe(table, "peak kind least");
    for (size_t i = 0; i < d->optimum_count; i++) {
        const am_design_optimum *o = &d->optima[i];
        am_table_add_numbers(table, AM_NUMBERS(o->p, am_design_frequency(d, o->omega), o->amplitude, i == d->best));
        am_table_set_text(table, 3, o->kind, NULL);
    }
}

/* ---- summary ---- */

typedef struct evidence {
    size_t points, kinks;
    double condition, residual;
} evidence;

static evidence gather_evidence(const am_design *d) {
    evidence e = {0};
    for (size_t c = 0; c < d->curve_count; c++)
        for (size_t i = 0; i < d->curves[c].count; i++) {
            const am_design_peak *peak = &d->curves[c].peak[i];
            e.points++;
            e.kinks += peak->kind == AM_DESIGN_KINK;
            e.condition = !(peak->condition <= e.condition) ? peak->condition : e.condition;
            e.residual = !(peak->residual <= e.residual) ? peak->residual : e.residual;
        }
    return e;
}

static double height_at(const am_design *d, double p) {
    size_t top;
    double slope;
    return am_design_envelope(d, p, &top, &slope);
}

static void fill_numbers(const am_design *d, am_result *result) {
    const am_design_options *o = d->options;
    const am_design_optimum *best = &d->optima[d->best];
    evidence e = gather_evidence(d);
    am_result_set_numbers(result, AM_NAMED({"optimum", best->amplitude}, {"optimum_at", best->p},
                                           {"optimum_frequency", am_design_frequency(d, best->omega)},
                                           {"robust_from", d->robust_from}, {"robust_to", d->robust_to},
                                           {"peak_from", height_at(d, o->from)}, {"peak_to", height_at(d, o->to)},
                                           {"residual", e.residual}, {"condition", e.condition},
                                           {"truncation", d->truncation}));
    am_result_set_counts(result, AM_NAMED({"peaks", d->curve_count}, {"optima", d->optimum_count}, {"points", e.points},
                                          {"kinks", e.kinks}, {"harmonics", d->H}, {"incomplete", d->incomplete},
                                          {"gaps", d->gaps}));
}

am_status am_design_tables(am_design *d, am_design *r, const am_design_ratio *ratio, am_result *result, am_error *err) {
    const char *kind = d->optima[d->best].kind;
    fill_peaks(d, result);
    AM_TRY(fill_envelope(d, r, result, err));
    fill_optima(d, result);
    fill_numbers(d, result);
    am_result_set_text(result, "optimum_kind", kind, NULL);
    am_result_set_flag(result, "optimum_inside", strcmp(kind, "end") != 0, NULL);
    am_result_set_flag(result, "robust_open", d->robust_open, NULL);
    if (r)
        am_result_set_numbers(result,
                              AM_NAMED({"ratio_least", ratio->least}, {"ratio_least_at", ratio->least_at},
                                       {"ratio_greatest", ratio->greatest}, {"ratio_greatest_at", ratio->greatest_at}));
    am_result_set_flag(result, "odd", am_balance_odd(d->balance), NULL);
    return AM_OK;
}
