#include "analyses/states/uniqueness.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>

#include "amontons/states.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/pi.h"
#include "system/reduced.h"

/* Friction is looked at up to this many times the given one. */
static const double most_factor = 1e6;

/* Up to this many contacts every set of them is tried open: 2^8 tests of at most 3^7 minors. */
enum { OPEN_LIMIT = 8 };

/* ---- witness ---- */

static am_status report_witness_name(const am_uniqueness *u, am_result *result, am_error *err) {
    am_text name = {0};
    size_t count = 0;
    for (size_t c = 0; c < u->contacts; c++)
        if (u->witness[c] != 0)
            am_text_printf(&name, "%s%zu%c", count++ > 0 ? " " : "", c + 1, u->witness[c] > 0 ? '+' : '-');
    am_status status = am_text_status(&name, err);
    if (!status)
        status = count > 0 ? am_result_set_text(result, "witness", am_text_view(&name), err)
                           : am_result_set_none(result, "witness", err);
    am_text_free(&name);
    return status;
}

/* The load rates with two answers. */
static am_status report_evidence(const am_system *system, const am_uniqueness *u, am_result *result, am_error *err) {
    am_table *table = am_result_describe_table(result, "two_answers", "contact sign rate");
    am_table_describe_as(table, "slip<i>", "slip1");
    am_table_describe_as(table, "slip<i>", "slip2");
    for (size_t c = 0; c < u->contacts; c++) {
        if (u->witness[c] == 0)
            continue;
        am_table_add_row(table, err);
        am_table_set_text(table, 0, am_system_contact_name(system, c), err);
        am_table_set_number(table, 1, u->witness[c]);
        am_table_set_number(table, 2, u->rates[c]);
        am_table_set_number(table, 3, u->first[c]);
        am_table_set_number(table, 4, u->second[c]);
    }
    am_result_set_number(result, "witness_residual", u->evidence_residual, err);
    return am_result_status(result, err);
}

/* ---- verdict ---- */

static am_status report_reason(const am_uniqueness *u, am_result *result, am_error *err) {
    if (u->verdict != AM_UNIQUENESS_UNDECIDED)
        return AM_OK;
    char reason[256];
    if (u->at_rounding)
        snprintf(reason, sizeof reason, "the minor of the witness is zero but for rounding: friction is critical");
    else
        snprintf(reason, sizeof reason,
                 "%zu contacts are too many to look at every minor, and neither a certificate nor a witness was found "
                 "within the budget",
                 u->contacts);
    return am_result_set_text(result, "undecided_because", reason, err);
}

static am_status report_verdict(const am_system *system, const am_uniqueness *u, am_result *result, am_error *err) {
    bool decided = u->verdict != AM_UNIQUENESS_UNDECIDED;
    AM_TRY(decided ? am_result_set_flag(result, "unique", u->verdict == AM_UNIQUE, err)
                   : am_result_set_none(result, "unique", err));
    AM_TRY(am_result_set_text(result, "uniqueness", am_uniqueness_name(u->verdict), err));
    AM_TRY(report_reason(u, result, err));
    AM_TRY(report_witness_name(u, result, err));
    AM_TRY(isfinite(u->minor) ? am_result_set_number(result, "minor", u->minor, err)
                              : am_result_set_none(result, "minor", err));
    AM_TRY(am_result_set_count(result, "minors", u->examined, err));
    AM_TRY(am_result_set_number(result, "margin", u->margin, err));
    if (u->verdict == AM_NOT_UNIQUE)
        AM_TRY(report_evidence(system, u, result, err));
    return AM_OK;
}

/* ---- contacts apart ---- */

static am_status report_open_name(const bool *open, const am_uniqueness *u, am_result *result, am_error *err) {
    am_text name = {0};
    am_text_add(&name, "open");
    for (size_t c = 0; c < u->contacts; c++)
        if (open[c])
            am_text_printf(&name, " %zu", c + 1);
    am_text_add(&name, ":");
    for (size_t c = 0; c < u->contacts; c++)
        if (u->witness[c] != 0)
            am_text_printf(&name, " %zu%c", c + 1, u->witness[c] > 0 ? '+' : '-');
    am_status status = am_text_status(&name, err);
    if (!status)
        status = am_result_set_text(result, "witness_when_open", am_text_view(&name), err);
    am_text_free(&name);
    return status;
}

/* One test for each set of contacts that may be apart; `undecided` at rounding counts as not shown. */
static am_status try_open_sets(const am_system *system, bool *open, am_result *result, am_error *err) {
    size_t m = am_system_contacts(system), sets = (size_t)1 << m;
    bool unique = true, shown = true;
    am_status status = AM_OK;
    for (size_t set = 1; set < sets && unique && !status; set++) {
        am_uniqueness u;
        bool possible = true;
        for (size_t c = 0; c < m; c++) {
            open[c] = set >> c & 1;
            possible = possible && !(open[c] && am_system_contact(system, c)->normal_law == AM_HELD);
        }
        if (!possible)
            continue;
        status = am_uniqueness_test_open(system, open, 0, &u, err);
        if (status)
            break;
        unique = u.verdict != AM_NOT_UNIQUE;
        shown = shown && u.verdict == AM_UNIQUE;
        if (!unique)
            status = report_open_name(open, &u, result, err);
        am_uniqueness_clear(&u);
    }
    if (status)
        return status;
    return unique && !shown ? am_result_set_none(result, "unique_when_open", err)
                            : am_result_set_flag(result, "unique_when_open", unique, err);
}

/* Is the rate problem of the closed contacts unique whichever others are apart? */
static am_status report_open(const am_system *system, am_result *result, am_error *err) {
    if (am_system_contacts(system) > OPEN_LIMIT)
        return am_result_set_none(result, "unique_when_open", err);
    bool *open = am_memory_new(am_system_contacts(system), sizeof *open, err);
    am_status status = open ? try_open_sets(system, open, result, err) : AM_ERR_MEMORY;
    am_memory_free(open);
    return status;
}

/* ---- critical friction ---- */

/* The one coefficient of all contacts that have a normal force of their own; 0 when they differ or none has one. */
static double common_friction(const am_system *system) {
    double mu = 0.0;
    for (size_t c = 0; c < am_system_contacts(system); c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        if (contact->normal_law == AM_HELD)
            continue;
        if (mu != 0.0 && contact->friction != mu)
            return 0.0;
        mu = contact->friction;
        if (mu == 0.0)
            return 0.0;
    }
    return mu;
}

static am_status report_pair(am_result *result, const char *exact, const char *below, const char *above,
                             const double bounds[2], double unit, am_error *err) {
    /* Tests decide down to 1e-12 below; minors that rounding hides widen that, but hardly beyond 1e-9. */
    bool known = isinf(bounds[0]) || bounds[1] - bounds[0] <= 1e-9 * bounds[1];
    if (known)
        return am_result_set_number(result, exact, unit * bounds[1], err);
    AM_TRY(am_result_set_none(result, exact, err));
    AM_TRY(am_result_set_number(result, below, unit * bounds[0], err));
    return am_result_set_number(result, above, unit * bounds[1], err);
}

static am_status report_critical(const am_system *system, size_t budget, am_result *result, am_error *err) {
    double bounds[2], mu = common_friction(system);
    bool any = false;
    for (size_t c = 0; c < am_system_contacts(system); c++)
        any = any || am_system_contact(system, c)->friction > 0.0;
    if (!any)
        return am_result_set_none(result, "friction_factor_critical", err);
    AM_TRY(am_uniqueness_critical(system, most_factor, budget, bounds, err));
    AM_TRY(report_pair(result, "friction_factor_critical", "friction_factor_unique_below", "friction_factor_lost_above",
                       bounds, 1.0, err));
    if (mu > 0.0)
        AM_TRY(report_pair(result, "mu_critical", "mu_unique_below", "mu_lost_above", bounds, mu, err));
    return AM_OK;
}

/* ---- two contacts ---- */

/* The slopes of the constraint lines, eqs. (3.1)-(3.3). */
static am_status report_angles(const am_system *system, am_result *result, am_error *err) {
    static const struct {
        size_t contact;
        int sign;
    } owner[4] = {{0, 1}, {1, -1}, {0, -1}, {1, 1}};
    double beta[4];
    am_reduced r;
    if (am_system_contacts(system) != 2)
        return AM_OK;
    am_status status = am_reduced_init(&r, system, err);
    if (status)
        return status;
    for (size_t i = 0; i < 4; i++) {
        size_t own = owner[i].contact, other = 1 - own;
        double mu = owner[i].sign * r.mu[own];
        double slope = (r.A[own * 2 + other] + mu * r.B[own * 2 + other]) / (r.A[own * 3] + mu * r.B[own * 3]);
        beta[i] = own == 0 ? atan(slope) : -atan(slope);
    }
    for (size_t i = 0; i < 4 && !status; i++) {
        char name[16];
        snprintf(name, sizeof name, "beta%zu", i + 1);
        status = am_result_set_number(result, name, beta[i], err);
        snprintf(name, sizeof name, "alpha%zu", i + 1);
        if (!status)
            status = am_result_set_number(result, name, half_pi - beta[(i + 3) % 4], err);
    }
    am_reduced_clear(&r);
    return status;
}

static am_status go_on(const am_progress *progress, double fraction, am_error *err) {
    return am_progress_report(progress, fraction)
               ? AM_OK
               : am_fail(err, AM_ERR_INTERRUPTED, "stopped during the test of uniqueness");
}

am_status am_states_uniqueness(const am_system *system, const am_states_options *options, am_result *result,
                               const am_progress *progress, am_error *err) {
    am_uniqueness u;
    if (options->problem != AM_STATES_QUASISTATIC)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "problem",
                             "the question of uniqueness is asked of equilibrium (problem: quasistatic)");
    AM_TRY(go_on(progress, 0.0, err));
    AM_TRY(am_uniqueness_test(system, options->budget, &u, err));
    am_status status = report_verdict(system, &u, result, err);
    am_uniqueness_clear(&u);
    if (!status)
        status = go_on(progress, 0.3, err);
    if (!status)
        status = report_open(system, result, err);
    if (!status)
        status = report_critical(system, options->budget, result, err);
    return status ? status : report_angles(system, result, err);
}
