#include "analyses/states/questions.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>

#include "amontons/states.h"
#include "base/columns.h"
#include "base/text.h"
#include "math/pi.h"
#include "system/reduced.h"

/* Friction is looked at up to this many times the given one. */
static const double most_factor = 1e6;

/* Up to this many contacts every set of them is tried open: 2^8 tests of at most 3^7 minors. */
enum { OPEN_LIMIT = 8 };

/* ---- witness ---- */

static void report_witness_name(const am_uniqueness *u, am_result *result) {
    am_text name = {0};
    size_t count = 0;
    for (size_t c = 0; c < u->contacts; c++)
        if (u->witness[c] != 0)
            am_text_printf(&name, "%s%zu%c", count++ > 0 ? " " : "", c + 1, u->witness[c] > 0 ? '+' : '-');
    if (count > 0)
        am_result_take_text(result, "witness", &name);
    else
        am_result_set_none(result, "witness", NULL);
}

/* The load rates with two answers. */
static void report_evidence(const am_system *system, const am_uniqueness *u, am_result *result) {
    am_table *table = am_result_describe_table(result, "two_answers", "contact sign rate");
    am_table_describe_as(table, "slip<i>", "slip1");
    am_table_describe_as(table, "slip<i>", "slip2");
    for (size_t c = 0; c < u->contacts; c++) {
        if (u->witness[c] == 0)
            continue;
        am_table_add_numbers(table, AM_NUMBERS(u->witness[c], u->rates[c], u->first[c], u->second[c]));
        am_table_set_text(table, 0, am_system_contact_name(system, c), NULL);
    }
    am_result_set_number(result, "witness_residual", u->evidence_residual, NULL);
}

/* ---- verdict ---- */

static void report_reason(const am_uniqueness *u, am_result *result) {
    if (u->verdict != AM_UNIQUENESS_UNDECIDED)
        return;
    char reason[256];
    if (u->at_rounding)
        snprintf(reason, sizeof reason, "the minor of the witness is zero but for rounding: friction is critical");
    else
        snprintf(reason, sizeof reason,
                 "%zu contacts are too many to look at every minor, and neither a certificate nor a witness was found "
                 "within the budget",
                 u->contacts);
    am_result_set_text(result, "undecided_because", reason, NULL);
}

static void report_verdict(const am_system *system, const am_uniqueness *u, am_result *result) {
    am_result_set_decided(result, "unique", u->verdict != AM_UNIQUENESS_UNDECIDED, u->verdict == AM_UNIQUE);
    am_result_set_text(result, "uniqueness", am_uniqueness_name(u->verdict), NULL);
    report_reason(u, result);
    report_witness_name(u, result);
    am_result_set_known(result, "minor", u->minor);
    am_result_set_count(result, "minors", u->examined, NULL);
    am_result_set_number(result, "margin", u->margin, NULL);
    if (u->verdict == AM_NOT_UNIQUE)
        report_evidence(system, u, result);
}

/* ---- contacts apart ---- */

static void report_open_name(const bool *open, const am_uniqueness *u, am_result *result) {
    am_text name = {0};
    am_text_add(&name, "open");
    for (size_t c = 0; c < u->contacts; c++)
        if (open[c])
            am_text_printf(&name, " %zu", c + 1);
    am_text_add(&name, ":");
    for (size_t c = 0; c < u->contacts; c++)
        if (u->witness[c] != 0)
            am_text_printf(&name, " %zu%c", c + 1, u->witness[c] > 0 ? '+' : '-');
    am_result_take_text(result, "witness_when_open", &name);
}

/* One test for each set of contacts that may be apart; `undecided` at rounding counts as not shown. */
static am_status try_open_sets(const am_system *system, am_result *result, am_error *err) {
    bool open[OPEN_LIMIT];
    size_t m = am_system_contacts(system), sets = (size_t)1 << m;
    bool unique = true, shown = true;
    for (size_t set = 1; set < sets && unique; set++) {
        am_uniqueness u;
        bool possible = true;
        for (size_t c = 0; c < m; c++) {
            open[c] = set >> c & 1;
            possible = possible && !(open[c] && am_system_contact(system, c)->normal_law == AM_HELD);
        }
        if (!possible)
            continue;
        AM_TRY(am_uniqueness_test_open(system, open, 0, &u, err));
        unique = u.verdict != AM_NOT_UNIQUE;
        shown = shown && u.verdict == AM_UNIQUE;
        if (!unique)
            report_open_name(open, &u, result);
        am_uniqueness_clear(&u);
    }
    am_result_set_decided(result, "unique_when_open", shown || !unique, unique);
    return AM_OK;
}

/* Is the rate problem of the closed contacts unique whichever others are apart? */
static am_status report_open(const am_system *system, am_result *result, am_error *err) {
    if (am_system_contacts(system) > OPEN_LIMIT) {
        am_result_set_none(result, "unique_when_open", NULL);
        return AM_OK;
    }
    return try_open_sets(system, result, err);
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

static void report_pair(am_result *result, const char *exact, const char *below, const char *above,
                        const double bounds[2], double unit) {
    /* Tests decide down to 1e-12 below; minors that rounding hides widen that, but hardly beyond 1e-9. */
    bool known = isinf(bounds[0]) || bounds[1] - bounds[0] <= 1e-9 * bounds[1];
    if (known) {
        am_result_set_number(result, exact, unit * bounds[1], NULL);
        return;
    }
    am_result_set_none(result, exact, NULL);
    am_result_set_number(result, below, unit * bounds[0], NULL);
    am_result_set_number(result, above, unit * bounds[1], NULL);
}

static am_status report_critical(const am_system *system, size_t budget, am_result *result, am_error *err) {
    double bounds[2], mu = common_friction(system);
    bool any = false;
    for (size_t c = 0; c < am_system_contacts(system); c++)
        any = any || am_system_contact(system, c)->friction > 0.0;
    if (!any) {
        am_result_set_none(result, "friction_factor_critical", NULL);
        return AM_OK;
    }
    AM_TRY(am_uniqueness_critical(system, most_factor, budget, bounds, err));
    report_pair(result, "friction_factor_critical", "friction_factor_unique_below", "friction_factor_lost_above",
                bounds, 1.0);
    if (mu > 0.0)
        report_pair(result, "mu_critical", "mu_unique_below", "mu_lost_above", bounds, mu);
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
    AM_TRY(am_reduced_init(&r, system, err));
    for (size_t i = 0; i < 4; i++) {
        size_t own = owner[i].contact, other = 1 - own;
        double mu = owner[i].sign * r.mu[own];
        double slope = (r.A[own * 2 + other] + mu * r.B[own * 2 + other]) / (r.A[own * 3] + mu * r.B[own * 3]);
        beta[i] = own == 0 ? atan(slope) : -atan(slope);
    }
    for (size_t i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "beta%zu", i + 1);
        am_result_set_number(result, name, beta[i], NULL);
        snprintf(name, sizeof name, "alpha%zu", i + 1);
        am_result_set_number(result, name, half_pi - beta[(i + 3) % 4], NULL);
    }
    am_reduced_clear(&r);
    return AM_OK;
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
    report_verdict(system, &u, result);
    am_uniqueness_clear(&u);
    AM_TRY(go_on(progress, 0.3, err));
    AM_TRY(report_open(system, result, err));
    AM_TRY(report_critical(system, options->budget, result, err));
    return report_angles(system, result, err);
}
