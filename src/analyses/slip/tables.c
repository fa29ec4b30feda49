/* Tables and summary of `slip`. */
#include <math.h>

#include "analyses/slip/form.h"
#include "base/columns.h"
#include "base/try.h"
#include "base/watch.h"

am_table *am_slip_tractions_table(am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "tractions", "x p q slip x_over_a p_over_pm q_over_fpm");
    return am_result_status(result, err) == AM_OK ? table : NULL;
}

am_status am_slip_tractions_row(am_table *table, const am_slip_contact *contact, double a, const double row[4],
                                am_error *err) {
    am_table_add_row(table, err);
    double mean = contact->P / (2.0 * a);
    for (size_t i = 0; i < 4; i++)
        am_table_set_number(table, i, row[i]);
    am_table_set_number(table, 4, row[0] / a);
    am_table_set_number(table, 5, row[1] / mean);
    am_table_set_number(table, 6, row[2] / (contact->f * mean));
    return am_table_status(table, err);
}

am_table *am_slip_zones_table(am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "zones", "state from to");
    return am_result_status(result, err) == AM_OK ? table : NULL;
}

am_status am_slip_zones_row(am_table *table, const char *state, double from, double to, am_error *err) {
    if (!(to > from))
        return AM_OK;
    AM_TRY(am_table_add_row(table, err));
    AM_TRY(am_table_set_text(table, 0, state, err));
    am_table_set_number(table, 1, from);
    am_table_set_number(table, 2, to);

    return AM_OK;
}

am_table *am_slip_branch_table(am_result *result, am_error *err) {
    am_table *table =
        am_result_describe_table(result, "branch", "Q_over_fP c_over_a b_over_a l_over_a stable Q_stable Q_unstable");
    return am_result_status(result, err) == AM_OK ? table : NULL;
}

am_status am_slip_branch_row(am_table *table, const am_slip_point *point, bool stable, am_error *err) {
    am_table_add_row(table, err);
    const double values[] = {point->share,
                             point->c,
                             point->b,
                             point->l,
                             stable ? 1.0 : 0.0,
                             stable ? point->share : NAN,
                             stable ? NAN : point->share};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        am_table_set_number(table, i, values[i]);
    return am_table_status(table, err);
}

/* A number, or that there is none. */
static am_status set(am_result *result, const char *name, double value, am_error *err) {
    return isfinite(value) ? am_result_set_number(result, name, value, err) : am_result_set_none(result, name, err);
}

am_status am_slip_summary(am_result *result, const char *method, const am_slip_contact *contact, double Q, double a,
                          const am_slip_point *point, const am_slip_limits *limits, am_error *err) {
    double limit = contact->f * contact->P;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"c_over_a", point->c},
        {"b_over_a", point->b},
        {"l_over_a", point->l},
        {"Q_over_fP", Q / limit},
        {"Q_max_over_fP", limits->maximum},
        {"Q_onset_over_fP", limits->onset},
        {"c_critical_over_a", limits->critical},
        {"Q_partial_max_over_fP", limits->partial_most},
        {"Q_partial_min_over_fP", limits->partial_least},
        {"P", contact->P},
        {"Q", Q},
        {"f", contact->f},
        {"E_star", contact->modulus},
        {"beta", contact->beta},
        {"a", a},
        {"c", point->c * a},
        {"b", point->b * a},
        {"l", point->l * a},
        {"Q_max", limits->maximum * limit},
        {"Q_onset", limits->onset * limit},
    };
    am_result_set_text(result, "method", method, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        set(result, numbers[i].name, numbers[i].value, err);
    am_result_set_flag(result, "tips_over", limits->tips_over, err);
    return am_result_status(result, err);
}

am_status am_slip_evidence_summary(am_result *result, const am_slip_evidence *evidence, am_error *err) {
    am_result_set_number(result, "equilibrium_residual", evidence->equilibrium, err);
    am_result_set_number(result, "stick_residual", evidence->stick, err);
    am_result_set_number(result, "friction_residual", evidence->friction, err);
    return am_result_status(result, err);
}

/* ---- Stresses ---- */

static am_status stress_row(am_table *table, am_stress stress, double x, double z, double a, am_error *err) {
    am_table_add_row(table, err);
    const double values[] = {x, z, stress.xx, stress.zz, stress.xz, am_stress_shear(stress), x / a, z / a};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        am_table_set_number(table, i, values[i]);
    return am_table_status(table, err);
}

/* The line along which the largest shear is largest for its x. */
static am_status ridge_row(am_table *table, double x, double z, double shear, am_error *err) {
    am_table_add_row(table, err);
    const double values[] = {x, z, shear};
    for (size_t i = 0; i < 3; i++)
        am_table_set_number(table, i, values[i]);
    return am_table_status(table, err);
}

am_status am_slip_stress_table(am_result *result, const am_slip_options *options, double a, am_slip_stress_at at,
                               const void *context, am_error *err) {
    am_table *table =
        am_result_describe_table(result, "stress", "x z sigma_xx sigma_zz tau_xz tau_max x_over_a z_over_a");
    am_table *ridge = am_result_describe_table(result, "ridge", "x z tau_max");
    if (am_result_status(result, err))
        return am_result_status(result, err);
    size_t across = options->stress, down = across / 2 + 1;
    double largest = 0.0, where_x = 0.0, where_z = 0.0;
    for (size_t i = 0; i < across; i++) {
        double x = options->width * a * (2.0 * (double)i / (double)(across - 1) - 1.0), most = 0.0, most_z = 0.0;
        for (size_t j = 0; j < down; j++) {
            /* not on the surface itself, where singular ends would be met */
            double z = options->depth * a * ((double)j + 0.5) / (double)down;
            am_stress stress = at(context, x, z);
            AM_TRY(am_watch_spend(1e4, err));
            AM_TRY(stress_row(table, stress, x, z, a, err));
            double shear = am_stress_shear(stress);
            if (shear > most) {
                most = shear;
                most_z = z;
            }
        }
        AM_TRY(ridge_row(ridge, x, most_z, most, err));
        if (most > largest) {
            largest = most;
            where_x = x;
            where_z = most_z;
        }
    }
    AM_TRY(am_result_set_number(result, "tau_max", largest, err));
    AM_TRY(am_result_set_number(result, "tau_max_x", where_x, err));
    return am_result_set_number(result, "tau_max_z", where_z, err);
}
