/* The structure in free motion: its harmonic loads left out, their means kept, and C - xi M in the place of its damping.
 * A model whose one number is xi, so that harmonic balance and what closes motions in time have it like any other. */
#include <math.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/backbone/backbone_internal.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "laws/law.h"
#include "math/entries.h"
#include "system/capability.h"
#include "system/system.h"

static bool is_constant(const am_function *function) {
    for (const am_function *f = function; f; f = f->plus)
        if (!(f->kind == AM_FUNCTION_CONSTANT || (f->kind == AM_FUNCTION_SINE && f->amplitude == 0.0)) ||
            f->derivative > 0)
            return false;
    return true;
}

/* The mean of a load: what is left of it in free motion. */
static am_status find_mean(const am_function *f, double *mean, am_error *err) {
    *mean = f->derivative > 0 ? 0.0 : f->value;
    if (f->kind == AM_FUNCTION_CONSTANT || f->kind == AM_FUNCTION_SINE)
        return AM_OK;
    return am_fail_field(err, AM_ERR_UNSUPPORTED, "loads",
                         "a nonlinear mode is a free motion: loads may be constant, and sines for `forced`, not %s",
                         am_function_kind_name(f->kind));
}

am_status am_backbone_check(const am_system *system, am_error *err) {
    AM_TRY(am_system_check(system, "backbone", err));
    for (size_t c = 0; c < am_system_contacts(system); c++)
        if (!is_constant(&am_system_contact(system, c)->hold))
            return am_fail_contact(
                err, system, c, "hold",
                "the normal force of '%s' varies in time, and a nonlinear mode is a free motion: give it a "
                "constant one, or use `response`",
                am_system_contact(system, c)->name);
    for (size_t c = 0; c < am_system_contacts(system); c++)
        if (am_law_ages(&am_system_contact(system, c)->speed_friction))
            return am_fail_contact(err, system, c, "friction",
                                   "friction of '%s' (law rate-and-state) ages at rest without end, and so there is no "
                                   "rest around which a mode could begin; `response` has its forced motions",
                                   am_system_contact(system, c)->name);
    if (am_matrix_largest(am_system_mass(system)) == 0.0)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "mass", "without mass there are no modes");
    return AM_OK;
}

static am_system *make(void *context, const double *values, am_error *err) {
    const am_system *system = context;
    am_arena memory = {0};
    am_contact_def *contact = am_arena_new(&memory, am_system_contacts(system), sizeof *contact, err);
    am_load_def *load = am_arena_new(&memory, am_system_loads(system), sizeof *load, err);
    const am_matrix *const parts[] = {am_system_damping(system), am_system_mass(system)};
    const double weights[] = {1.0, -values[0]}; /* C - xi M */
    am_matrix *damping = am_arena_status(&memory) ? NULL : am_matrix_weighted_sum(2, parts, weights, err);
    am_system *made = NULL;
    if (damping) {
        am_system_def def = am_system_definition(system, contact);
        am_status status = AM_OK;
        for (size_t l = 0; l < def.load_count && !status; l++) {
            double mean = 0.0;
            load[l] = def.loads[l];
            status = find_mean(&load[l].function, &mean, err);
            load[l].function = am_function_constant(mean);
        }
        def.loads = load;
        def.damping = damping;
        made = status ? NULL : am_system_create(&def, err);
    }
    am_matrix_free(damping);
    am_arena_clear(&memory);
    return made;
}

am_status am_backbone_free_model(const am_system *system, am_model **model, am_error *err) {
    static const char *const names[] = {"xi"};
    const am_model_def def = {.count = 1, .names = names, .make = make, .context = (void *)system};
    AM_TRY(am_backbone_check(system, err));
    *model = am_model_create(&def, err);
    return *model ? AM_OK : am_error_status(err);
}
