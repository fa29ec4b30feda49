/* Tables and summary of `backbone`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/backbone/backbone_internal.h"
#include "analyses/tables/contact_cycles.h"
#include "analyses/tables/first_harmonics.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/try.h"
#include "math/pi.h"
#include "math/trigonometric.h"
#include "system/observer.h"
#include "system/system.h"

static am_status fill_backbone(am_backbone *b, am_result *result, am_error *err) {
    am_backbone_equations *e = &b->equations;
    am_table *table = am_result_describe_table(result, "backbone",
                                               "amplitude frequency damping xi largest resonant_force loss_nonlinear "
                                               "loss_damping stable exponent exact_frequency "
                                               "residual kind withheld branch");
    am_table_describe_first_harmonics(table, b->system, true);
    for (size_t i = 0; i < b->count; i++) {
        const am_backbone_point *p = &b->point[i];
        double largest = 0.0;
        size_t column = 15;
        am_backbone_unscale(e, b->points + i * (e->size + 1), p->s, e->x);
        AM_TRY(am_balance_unpack(e->balance, e->x, p->xi, b->signals, err));
        for (size_t c = 0; c < b->n; c++) {
            double most, least;
            am_trig_extremes(b->H, b->signals + c * b->S, &most, NULL, &least, NULL);
            largest = fmax(largest, fmax(fabs(most), fabs(least)));
        }
        am_table_add_numbers(table,
                             AM_NUMBERS(p->amplitude, p->frequency, 0.5 * p->xi / p->frequency, p->xi, largest,
                                        p->xi * p->frequency * p->amplitude / p->modal_force, p->nonlinear, p->damping,
                                        p->stable < 0 ? NAN : (double)p->stable, p->exponent, p->exact, p->residual));
        am_table_set_text(table, 12, p->kind, NULL);
        am_table_set_text(table, 13, p->withheld, NULL);
        am_table_set_number(table, 14, (double)p->branch);
        for (size_t c = 0; c < b->n; c++) { /* a cos + b sin = A cos(theta - phase) */
            const double *s = b->signals + c * b->S;
            am_table_set_number(table, column++, hypot(s[1], s[2]));
            am_table_set_number(table, column++, 180.0 / pi * atan2(s[2], s[1]));
        }
    }
    return AM_OK;
}

static am_status fill_cycles(am_backbone *b, am_result *result, am_error *err) {
    am_backbone_equations *e = &b->equations;
    am_contact_cycles cycles =
        am_contact_cycles_begin(&b->options->cycles, b->system, result, "amplitude", "amplitude");
    for (size_t i = 0; i < b->count; i++) {
        const am_backbone_point *p = &b->point[i];
        if (i + 1 != b->own && strcmp(p->kind, "value") != 0)
            continue;
        am_backbone_unscale(e, b->points + i * (e->size + 1), p->s, e->x);
        AM_TRY(am_contact_cycles_add(&cycles, e->balance, e->x, p->xi, p->amplitude, err));
    }
    return AM_OK;
}

/* To who looks on: the first harmonic, where contacts are listed too. q = Re(X exp(i theta)). */
static am_status show_shapes(am_backbone *b, const am_result *result, am_error *err) {
    am_backbone_equations *e = &b->equations;
    AM_LOCAL_MEMORY double *parts = am_observes_shapes(result) ? am_memory_new(2 * b->n, sizeof *parts, err) : NULL;
    size_t shown = 0;
    if (!parts)
        return am_observes_shapes(result) ? AM_ERR_MEMORY : AM_OK;
    for (size_t i = 0; i < b->count; i++) {
        const am_backbone_point *p = &b->point[i];
        if (i + 1 != b->own && strcmp(p->kind, "value") != 0)
            continue;
        am_backbone_unscale(e, b->points + i * (e->size + 1), p->s, e->x);
        AM_TRY(am_balance_unpack(e->balance, e->x, p->xi, b->signals, err));
        for (size_t c = 0; c < b->n; c++) {
            parts[c] = b->signals[c * b->S + 1];
            parts[b->n + c] = -b->signals[c * b->S + 2];
        }
        const am_vibration shape = {++shown, -0.5 * p->xi, p->frequency, p->amplitude, b->n, parts, parts + b->n};
        AM_TRY(am_observe_shape(result, &shape, err));
    }
    return AM_OK;
}

static bool is_special(const char *kind) {
    return strcmp(kind, "regular") != 0 && strcmp(kind, "start") != 0 && strcmp(kind, "value") != 0 &&
           strcmp(kind, "end") != 0;
}

static void fill_specials(const am_backbone *b, am_result *result) {
    am_table *table = am_result_describe_table(result, "resonances", "kind amplitude frequency damping located branch");
    for (size_t i = 0; i < b->count; i++) {
        const am_backbone_point *p = &b->point[i];
        if (!is_special(p->kind))
            continue;
        am_table_add_numbers(table, AM_NUMBERS(p->amplitude, p->frequency, 0.5 * p->xi / p->frequency,
                                               (double)p->located, (double)p->branch));
        am_table_set_text(table, 0, p->kind, NULL);
    }
}

static size_t count_kind(const am_backbone *b, const char *kind) {
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        count += !strcmp(b->point[i].kind, kind);
    return count;
}

static void set_ends(const am_backbone *b, am_result *result) {
    static const char *const words[] = {"left the range", "closed", "failed", "too many points", "stopped"};
    char text[320];
    const am_continuation_report *mode = &b->reports[0];
    snprintf(text, sizeof text, "%s%s%.256s", words[mode->end], mode->sentence[0] ? ": " : "", mode->sentence);
    am_result_set_text(result, "end", text, NULL);
    am_result_set_flag(result, "reached", mode->end == AM_CONTINUATION_LEFT && b->point[b->own - 1].amplitude >= b->to,
                       NULL);
}

static void set_stability(const am_backbone *b, am_result *result) {
    size_t withheld = 0, unstable = 0;
    double apart = 0.0;
    bool exact = false;
    for (size_t i = 0; i < b->count; i++) {
        withheld += b->point[i].stable < 0;
        unstable += b->point[i].stable == 0;
        exact = exact || isfinite(b->point[i].exact);
        if (isfinite(b->point[i].exact))
            apart = fmax(apart, fabs(b->point[i].exact / b->point[i].frequency - 1.0));
    }
    am_result_set_text(result, "stability", b->judged_by ? b->judged_by : "none", NULL);
    if (!b->judged_by)
        return;
    am_result_set_counts(result, AM_NAMED({"stability_withheld", withheld}, {"unstable_points", unstable}));
    if (exact)
        am_result_set_number(result, "frequency_known_to", apart, NULL);
    if (withheld > 0)
        am_result_set_text(result, "stability_reason", b->reason, NULL);
}

static void set_summary(const am_backbone *b, am_result *result) {
    double residual = 0.0;
    size_t kinks = 0, unlocated = 0;
    for (size_t i = 0; i < b->branches; i++) {
        residual = fmax(residual, b->reports[i].worst_residual);
        kinks += b->reports[i].kinks;
        unlocated += b->reports[i].unlocated;
    }
    double most = -INFINITY, at = NAN, energy = 0.0, least_frequency = INFINITY, most_frequency = -INFINITY;
    for (size_t i = 0; i < b->count; i++) {
        const am_backbone_point *p = &b->point[i];
        double damping = 0.5 * p->xi / p->frequency;
        if (damping > most) {
            most = damping;
            at = p->amplitude;
        }
        energy = fmax(energy, p->balance);
        least_frequency = fmin(least_frequency, p->frequency);
        most_frequency = fmax(most_frequency, p->frequency);
    }
    am_result_set_numbers(result,
                          AM_NAMED({"linear_frequency", b->linear_frequency}, {"linear_damping", b->linear_damping},
                                   {"least_frequency", least_frequency}, {"greatest_frequency", most_frequency},
                                   {"most_damping", most}, {"most_damping_at", at}, {"residual", residual},
                                   {"energy_residual", energy}));
    am_result_set_counts(result, AM_NAMED({"folds", count_kind(b, "fold")},
                                          {"branch_points", count_kind(b, "branch-point")}, {"kinks", kinks},
                                          {"unlocated", unlocated}, {"points", b->count}, {"branches", b->branches}));
    set_ends(b, result);
    set_stability(b, result);
    am_result_set_count(result, "harmonics", b->H, NULL);
    am_result_set_flag(result, "odd", am_balance_odd(b->equations.balance), NULL);
    if (am_system_springs(b->system) > 0)
        am_result_set_text(result, "relaxed", b->rest.state ? "before the motion" : "in the mean", NULL);
    if (am_balance_worn(b->equations.balance) > 0)
        am_result_set_count(result, "worn", am_balance_worn(b->equations.balance), NULL);
    am_result_set_known(result, "truncation_at", b->truncation_at);
    am_result_set_known(result, "truncation", b->truncation);
}

am_status am_backbone_tables(am_backbone *b, am_result *result, am_error *err) {
    AM_TRY(fill_backbone(b, result, err));
    fill_specials(b, result);
    AM_TRY(fill_cycles(b, result, err));
    AM_TRY(show_shapes(b, result, err));
    set_summary(b, result);
    return AM_OK;
}

am_status am_backbone_preview_table(am_backbone *b, am_result *result, am_error *err) {
    return fill_backbone(b, result, err);
}
