/* Klarbring's mass: k u + C u' + M u'' = F + R with the plane u2 >= 0 (Cho and Barber 1998, eqs. 7-9, 22, 23). */
#include "amontons/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/object.h"
#include "models/parts.h"

am_klarbring am_klarbring_default(void) {
    return (am_klarbring){.stiffness = {{1.0, 0.0}, {0.0, 1.0}}, .mass = 1.0};
}

double am_klarbring_critical_friction(const am_klarbring *def) {
    if (!def)
        return NAN;
    double coupling = fabs(def->stiffness[1][0]);
    return coupling > 0.0 ? def->stiffness[0][0] / coupling : INFINITY;
}

am_status am_klarbring_bisector(const am_klarbring *def, double direction[2], am_error *err) {
    if (!def)
        return am_misused(err, __func__);
    if (!(def->friction > am_klarbring_critical_friction(def)))
        return am_fail_field(
            err, AM_ERR_INPUT, "load_rate",
            "there is no sector with stick, slip and separation to bisect: friction %g does not exceed "
            "its critical value %g",
            def->friction, am_klarbring_critical_friction(def));
    /* The sector lies between C2 = (k21/k11) C1 and C2 = C1/f (eq. 18), on the left for k21 > 0, mirrored for k21 < 0.
     */
    double side = def->stiffness[1][0] > 0.0 ? -1.0 : 1.0;
    double edge[2][2] = {{side, side * def->stiffness[1][0] / def->stiffness[0][0]}, {side, -1.0 / def->friction}};
    double sum[2] = {0.0, 0.0};
    for (int e = 0; e < 2; e++) {
        double length = hypot(edge[e][0], edge[e][1]);
        sum[0] += edge[e][0] / length;
        sum[1] += edge[e][1] / length;
    }
    double length = hypot(sum[0], sum[1]);
    direction[0] = sum[0] / length;
    direction[1] = sum[1] / length;
    return AM_OK;
}

static am_status check(const am_klarbring *def, am_error *err) {
    double k11 = def->stiffness[0][0], k12 = def->stiffness[0][1], k21 = def->stiffness[1][0],
           k22 = def->stiffness[1][1];
    if (!(def->mass > 0.0) || !isfinite(def->mass))
        return am_fail_field(err, AM_ERR_INPUT, "mass", "the mass must be positive, but is %g", def->mass);
    if (!(k11 > 0.0 && k22 > 0.0 && k11 * k22 > k12 * k21))
        return am_fail_field(err, AM_ERR_INPUT, "stiffness",
                             "the support's stiffness must be positive definite: k11 > 0, k22 > 0, k11 k22 > k12^2");
    if (!(def->support_frequency >= 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "support.frequency", "the support's frequency must not be negative");
    return AM_OK;
}

/* Loads 0, 1: F1, F2. Then the inertia load of a vibrating support, then the extra ones. */
static size_t fill_loads(const am_klarbring *def, const double axis[2][2], am_load_def *loads) {
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        loads[count++] =
            (am_load_def){.direction = axis[i], .function = am_function_ramp(def->load[i], def->load_rate[i])};
    for (size_t i = 0; i < 2; i++) {
        double w = def->support_frequency, force = def->mass * w * w * def->support_amplitude[i];
        if (force != 0.0) /* -M s'' = M w^2 s */
            loads[count++] = (am_load_def){.direction = axis[i], .function = am_function_sine(force, w, 0.0)};
    }
    for (size_t l = 0; l < def->extra_count; l++)
        loads[count++] = def->extra[l];
    return count;
}

/* Faults found by am_system_create are named as this model's own fields. */
static void rename_field(am_error *err, size_t own_loads) {
    static const char contact[] = "contacts[0].";
    size_t load = 0;
    int used = 0;
    char rest[sizeof err->field];
    if (strncmp(err->field, contact, sizeof contact - 1) == 0) {
        memmove(err->field, err->field + sizeof contact - 1, strlen(err->field) - sizeof contact + 2);
    } else if (sscanf(err->field, "loads[%zu]%n", &load, &used) == 1 && used > 0 && load >= own_loads) {
        snprintf(rest, sizeof rest, "%s", err->field + used);
        snprintf(err->field, sizeof err->field, "loads[%zu]%.100s", load - own_loads, rest);
    }
}

am_system *am_klarbring_create(const am_klarbring *def, am_error *err) {
    if (!def)
        return am_misused_for_nothing(err, __func__);
    static const double axis[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
    static const char *const names[2] = {"u1", "u2"};
    if (check(def, err))
        return NULL;
    am_contact_def contact = am_contact_def_default();
    contact.name = "plane";
    contact.normal = axis[1];
    contact.tangent = axis[0];
    contact.gap = def->gap;
    contact.friction = def->friction;
    contact.static_friction = def->static_friction;
    contact.restitution = def->restitution;

    am_load_def *loads = am_memory_new(4 + def->extra_count, sizeof *loads, err);
    const double mass[4] = {def->mass, 0.0, 0.0, def->mass};
    if (!loads)
        return NULL;
    size_t load_count = fill_loads(def, axis, loads);
    am_system *system = am_arrays_create(
        am_parts_def(2, names, 1, &contact, load_count, loads),
        (am_arrays){.mass = mass, .damping = &def->damping[0][0], .stiffness = &def->stiffness[0][0]}, err);
    if (!system && err)
        rename_field(err, load_count - def->extra_count);
    am_memory_free(loads);
    return system;
}
