#include "analyses/tables/contact_cycles.h"

#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/element.h"
#include "math/pi.h"

static bool wants_loop(const am_cycle_options *options, const char *contact) {
    for (size_t i = 0; i < options->hysteresis_count; i++)
        if (strcmp(options->hysteresis[i], contact) == 0)
            return true;
    return false;
}

am_status am_contact_cycles_check(const am_cycle_options *options, const am_system *system, am_error *err) {
    for (size_t i = 0; i < options->hysteresis_count; i++) {
        size_t c = 0, count = am_system_contacts(system);
        while (c < count && strcmp(options->hysteresis[i], am_system_contact_name(system, c)) != 0)
            c++;
        if (c == count)
            return am_fail_field(err, AM_ERR_INPUT, "hysteresis", "no contact is called '%.100s'%s%.100s",
                                 options->hysteresis[i], count > 0 ? "; the first is " : ", for there is none",
                                 count > 0 ? am_system_contact_name(system, 0) : "");
    }
    return AM_OK;
}

am_contact_cycles am_contact_cycles_begin(const am_cycle_options *options, const am_system *system, am_result *result,
                                          const char *key, const char *name) {
    am_contact_cycles made = {.options = options, .system = system};
    if (options->contact_cycles) {
        made.cycles = am_result_describe_table(result, "contact_cycles", "");
        am_table_describe_as(made.cycles, key, name);
        am_table_describe(made.cycles, "x y z loss stick_share slip_share open_share N_least N_most T_most contact "
                                       "state");
    }
    if (options->hysteresis_count > 0) {
        made.loops = am_result_describe_table(result, "hysteresis", "");
        am_table_describe_as(made.loops, key, name);
        am_table_describe(made.loops, "joint theta_deg u u2 N T T2 contact");
    }
    return made;
}

/* In words: whether it ever opens, and if not, whether it ever slips. Shares are sums of weights, so that rounding is
 * some 1e-15. */
static const char *word(double stick, double open) {
    const double some = 1e-12;
    return open > 1.0 - some ? "open" : open > some ? "lift-off" : stick > 1.0 - some ? "stick" : "slip";
}

static void add_cycle(const am_contact_cycles *cycles, size_t contact, const am_contact_trace *trace, double value) {
    const am_contact_def *def = am_system_contact(cycles->system, contact);
    double share[3] = {0.0, 0.0, 0.0}, loss = trace->impacts, least = INFINITY, most = -INFINITY, friction = 0.0;
    bool layer = def->normal_law != AM_HELD;
    for (size_t i = 0; i < trace->count; i++) {
        const am_contact_moment *m = &trace->moment[i];
        share[m->state] += m->weight / two_pi;
        loss += m->weight * (m->f[0] * m->rate[0] + m->f[1] * m->rate[1] + (layer ? m->N * m->depth_rate : 0.0));
        least = fmin(least, m->N);
        most = fmax(most, m->N);
        friction = fmax(friction, hypot(m->f[0], m->f[1]));
    }
    am_table_add_numbers(cycles->cycles,
                         AM_NUMBERS(value, def->place[0], def->place[1], def->place[2], loss, share[AM_MOMENT_STICK],
                                    share[AM_MOMENT_SLIP], share[AM_MOMENT_OPEN], least, most, friction));
    am_table_set_text(cycles->cycles, 11, am_system_contact_name(cycles->system, contact), NULL);
    am_table_set_text(cycles->cycles, 12, word(share[AM_MOMENT_STICK], share[AM_MOMENT_OPEN]), NULL);
}

/* T is the force on the structure, against the slip; the first moment comes again at the end, so that loops close. */
static void add_loop(const am_contact_cycles *cycles, size_t contact, const am_contact_trace *trace, double value) {
    for (size_t i = 0; i <= trace->count && trace->count > 0; i++) {
        const am_contact_moment *m = &trace->moment[i % trace->count];
        double theta = m->theta + (i == trace->count ? two_pi : 0.0);
        am_table_add_numbers(cycles->loops, AM_NUMBERS(value, (double)(contact + 1), 180.0 / pi * theta, m->u[0],
                                                       m->u[1], m->N, -m->f[0], -m->f[1]));
        am_table_set_text(cycles->loops, 8, am_system_contact_name(cycles->system, contact), NULL);
    }
}

bool am_contact_cycles_want(const am_contact_cycles *cycles, size_t contact) {
    return cycles->cycles || wants_loop(cycles->options, am_system_contact_name(cycles->system, contact));
}

void am_contact_cycles_add_trace(const am_contact_cycles *cycles, size_t contact, const am_contact_trace *trace,
                                 double value) {
    if (cycles->cycles)
        add_cycle(cycles, contact, trace, value);
    if (wants_loop(cycles->options, am_system_contact_name(cycles->system, contact)))
        add_loop(cycles, contact, trace, value);
}

am_status am_contact_cycles_add(const am_contact_cycles *cycles, am_balance *balance, const double *x, double p,
                                double value, am_error *err) {
    am_contact_trace trace = {0};
    am_status status = AM_OK;
    for (size_t c = 0; c < am_system_contacts(cycles->system) && !status; c++) {
        if (!am_contact_cycles_want(cycles, c))
            continue;
        status = am_balance_trace(balance, x, p, c, &trace, err);
        if (!status)
            am_contact_cycles_add_trace(cycles, c, &trace, value);
    }
    am_memory_free(trace.moment);
    return status;
}
