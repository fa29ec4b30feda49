/* Tables and summary of `slip`. */
#include <math.h>

#include "analyses/slip/solution.h"
#include "base/columns.h"
#include "base/try.h"
#include "base/watch.h"
#include "system/observer.h"

am_table *am_slip_tractions_table(am_result *result) {
    return am_result_describe_table(result, "tractions", "x p q slip x_over_a p_over_pm q_over_fpm");
}

void am_slip_tractions_row(am_table *table, const am_slip_contact *contact, double a, const double row[4]) {
    double mean = contact->P / (2.0 * a);
    am_table_add_numbers(
        table, AM_NUMBERS(row[0], row[1], row[2], row[3], row[0] / a, row[1] / mean, row[2] / (contact->f * mean)));
}

am_table *am_slip_zones_table(am_result *result) {
    return am_result_describe_table(result, "zones", "state from to");
}

void am_slip_zones_row(am_result *result, am_table *table, am_contact_state state, double from, double to) {
    am_error why = {0};
    if (!(to > from))
        return;
    am_table_add_numbers(table, AM_NUMBERS(from, to));
    am_table_set_text(table, 0, am_contact_state_name(state), NULL);
    if (am_observe_zone(result, state, from, to, &why) != AM_OK)
        am_table_fail(table, &why);
}

am_table *am_slip_branch_table(am_result *result) {
    return am_result_describe_table(result, "branch",
                                    "Q_over_fP c_over_a b_over_a l_over_a stable Q_stable Q_unstable");
}

void am_slip_branch_row(am_table *table, const am_slip_point *point, bool stable) {
    am_table_add_numbers(table, AM_NUMBERS(point->share, point->c, point->b, point->l, stable ? 1.0 : 0.0,
                                           stable ? point->share : NAN, stable ? NAN : point->share));
}

void am_slip_summary(am_result *result, const char *method, const am_slip_contact *contact, double Q, double a,
                     const am_slip_point *point, const am_slip_limits *limits) {
    double limit = contact->f * contact->P;
    am_result_set_text(result, "method", method, NULL);
    am_result_set_numbers(result,
                          AM_NAMED({"c_over_a", point->c}, {"b_over_a", point->b}, {"l_over_a", point->l},
                                   {"Q_over_fP", Q / limit}, {"Q_max_over_fP", limits->maximum},
                                   {"Q_onset_over_fP", limits->onset}, {"c_critical_over_a", limits->critical},
                                   {"Q_partial_max_over_fP", limits->partial_most},
                                   {"Q_partial_min_over_fP", limits->partial_least}, {"P", contact->P}, {"Q", Q},
                                   {"f", contact->f}, {"E_star", contact->modulus}, {"beta", contact->beta}, {"a", a},
                                   {"c", point->c * a}, {"b", point->b * a}, {"l", point->l * a},
                                   {"Q_max", limits->maximum * limit}, {"Q_onset", limits->onset * limit}));
    am_result_set_flag(result, "tips_over", limits->tips_over, NULL);
}

void am_slip_evidence_summary(am_result *result, const am_slip_evidence *evidence) {
    am_result_set_numbers(result,
                          AM_NAMED({"equilibrium_residual", evidence->equilibrium}, {"stick_residual", evidence->stick},
                                   {"friction_residual", evidence->friction}));
}

/* ---- Stresses ---- */

am_status am_slip_stress_table(am_result *result, const am_slip_options *options, double a, am_slip_stress_at at,
                               const void *context, am_error *err) {
    am_table *table =
        am_result_describe_table(result, "stress", "x z sigma_xx sigma_zz tau_xz tau_max x_over_a z_over_a");
    /* The line along which the largest shear is largest for its x. */
    am_table *ridge = am_result_describe_table(result, "ridge", "x z tau_max");
    size_t across = options->stress, down = across / 2 + 1;
    double largest = 0.0, where_x = 0.0, where_z = 0.0;
    for (size_t i = 0; i < across; i++) {
        double x = options->width * a * (2.0 * (double)i / (double)(across - 1) - 1.0), most = 0.0, most_z = 0.0;
        for (size_t j = 0; j < down; j++) {
            /* not on the surface itself, where singular ends would be met */
            double z = options->depth * a * ((double)j + 0.5) / (double)down;
            am_stress stress = at(context, x, z);
            AM_TRY(am_watch_spend(1e4, err));
            double shear = am_stress_shear(stress);
            am_table_add_numbers(table, AM_NUMBERS(x, z, stress.xx, stress.zz, stress.xz, shear, x / a, z / a));
            if (shear > most) {
                most = shear;
                most_z = z;
            }
        }
        am_table_add_numbers(ridge, AM_NUMBERS(x, most_z, most));
        if (most > largest) {
            largest = most;
            where_x = x;
            where_z = most_z;
        }
    }
    am_result_set_numbers(result, AM_NAMED({"tau_max", largest}, {"tau_max_x", where_x}, {"tau_max_z", where_z}));
    return AM_OK;
}
