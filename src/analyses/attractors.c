/* Where do starts lead? Chooses between final states of contact, orbits, and quasi-static cycles. */
#include "amontons/attractors.h"

#include <stdio.h>

#include "analyses/analysis.h"
#include "analyses/attractors/attractors_internal.h"
#include "base/columns.h"
#include "base/object.h"
#include "base/try.h"
#include "base/watch.h"
#include "system/capability.h"
#include "system/system.h"

enum { OPTIONS_COOKIE = 0x414d4154 };

am_attractors_options am_attractors_options_default(void) {
    return (am_attractors_options){.until = 10000.0,
                                   .seed = 1,
                                   .transient = 20,
                                   .most_returns = 20000,
                                   .most_period = 64,
                                   .join = true,
                                   .borders = 16,
                                   .cookie = OPTIONS_COOKIE};
}

am_table *am_attractors_add_map(am_result *result, const char *name, const char *columns, const am_system *system,
                                const am_starts *starts) {
    am_table *map = am_result_describe_table(result, name, "");
    for (size_t a = 0; a < starts->sides; a++) {
        char number[32];
        const char *given = starts->options->count == 0 ? starts->options->axes[a].name : NULL;
        snprintf(number, sizeof number, "s%zu", a + 1);
        if (given || starts->side[a] == AM_ALONG)
            am_table_describe_as(map, "<direction>", given ? given : number);
        else if (starts->side[a] >= starts->n)
            am_table_describe_as(map, "<v>", am_system_velocity_name(system, starts->side[a] - starts->n));
        else
            am_table_describe_as(map, "<q>", am_system_name(system, starts->side[a]));
    }
    am_table_describe(map, columns);
    return map;
}

void am_attractors_add_start(am_table *map, const am_starts *starts, size_t index, const char *fate) {
    am_table_add_row(map, NULL);
    for (size_t a = 0; a < starts->sides; a++)
        am_table_set_number(map, a, am_starts_value(starts, index, a));
    am_table_set_text(map, starts->sides, fate, NULL);
}

/* ---- which form ---- */

static bool repeats(const am_function *function) {
    for (const am_function *f = function; f; f = f->plus)
        if (f->kind == AM_FUNCTION_SINE || f->kind == AM_FUNCTION_CHIRP ||
            (f->kind == AM_FUNCTION_TABLE && f->period > 0.0))
            return true;
    return false;
}

static bool grows(const am_function *f) {
    return f->kind == AM_FUNCTION_RAMP && f->rate != 0.0;
}

/* The first load that repeats, that grows (counted from 1; 0: none), a contact that keeps the structure moving, and
 * whether some stiffness varies for ever. */
typedef struct inputs {
    size_t repeating, growing;
    bool varying;
    const am_contact_def *driving;
} inputs;

/* Has the structure forces that may keep it moving by itself? Negative damping, circulatory forces, polynomial dampers
 * that give energy somewhere. */
static bool moves_by_itself(const am_system *system) {
    bool moves = system->driving || system->circulatory;
    for (size_t p = 0; p < system->polynomials; p++)
        for (size_t i = 0; i < system->polynomial[p].term_count; i++) {
            const am_polynomial_term *term = &system->polynomial[p].terms[i];
            moves |= term->velocity > 0 && (term->coefficient < 0.0 || term->velocity % 2 == 0);
        }
    return moves;
}

static inputs examine_inputs(const am_system *system) {
    inputs in = {0};
    for (size_t l = am_system_loads(system); l > 0; l--) {
        const am_function *f = &am_system_load(system, l - 1)->function;
        if (repeats(f))
            in.repeating = l;
        if (grows(f))
            in.growing = l;
    }
    for (size_t c = 0; c < am_system_contacts(system); c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        bool drives = contact->surface_velocity != 0.0;
        for (size_t i = 0; am_contact_function(contact, i); i++)
            drives = drives || repeats(am_contact_function(contact, i));
        if (drives)
            in.driving = contact;
    }
    for (size_t v = 0; v < am_system_varyings(system); v++)
        in.varying = in.varying || repeats(&am_system_varying(system, v)->stiffness);
    return in;
}

static am_status refuse_growth(const inputs *in, am_error *err) {
    if (in->repeating > 0)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "load %zu repeats for ever while load %zu grows: a final state of contact can be proved only "
                       "for loads that become constant or grow linearly, and orbits exist only for loads that repeat",
                       in->repeating, in->growing);
    if (in->varying)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "some stiffness repeats for ever while load %zu grows: neither a final state of contact nor an "
                       "orbit can be found",
                       in->growing);
    return am_fail(err, AM_ERR_UNSUPPORTED,
                   "contact '%s' has a moving surface or support or a repeating normal force while load %zu grows: "
                   "neither a final "
                   "state of contact nor an orbit can be found",
                   in->driving->name, in->growing);
}

am_attractors_form am_attractors_form_of(const am_system *system) {
    if (am_matrix_largest(am_system_mass(system)) == 0.0)
        return AM_ATTRACTORS_CYCLES;
    inputs in = examine_inputs(system);
    bool ends = in.repeating == 0 && !in.driving && !in.varying && (!moves_by_itself(system) || in.growing > 0);
    return ends ? AM_ATTRACTORS_FINAL : AM_ATTRACTORS_ORBITS;
}

static am_status attractors_run_watched(const am_system *system, const am_attractors_options *options,
                                        am_result *result, const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    AM_TRY(am_options_check(options->cookie, OPTIONS_COOKIE, "attractors", e));
    AM_TRY(am_system_check(system, "attractors", e));
    am_attractors_form form = am_attractors_form_of(system);
    if (form == AM_ATTRACTORS_CYCLES)
        return am_attractors_cycles(system, options, result, progress, e);
    if (form == AM_ATTRACTORS_FINAL)
        return am_attractors_final(system, options, result, progress, e);
    inputs in = examine_inputs(system);
    if (in.growing > 0)
        return refuse_growth(&in, e);
    if (options->edge_from || options->edge_to)
        return am_fail_field(e, AM_ERR_INPUT, "edge",
                             "an edge is located between final states of contact; here motions end on orbits");
    return am_attractors_orbits(system, options, result, progress, e);
}

am_status am_attractors_run(const am_system *system, const am_attractors_options *options, am_result *result,
                            const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, attractors_run_watched(system, options, result, progress, err), err);
}
