#include "amontons/models.h"

#include <math.h>
#include <stdio.h>

#include "base/object.h"
#include "models/parts.h"

static am_status fail_at(const char *name, size_t mode, const char *what, double value, am_error *err) {
    char field[64];
    snprintf(field, sizeof field, "%s[%zu]", name, mode);
    return am_fail_field(err, AM_ERR_INPUT, field, "the %s of mode %zu must be %s, but is %g", what, mode + 1,
                         name[0] == 'm' ? "positive" : "zero or positive", value);
}

static am_status check(const am_modes *m, am_error *err) {
    if (m->modes == 0)
        return am_fail_field(err, AM_ERR_INPUT, "frequency", "a structure needs at least one mode");
    if (!m->frequency == !m->stiffness)
        return am_fail_field(err, AM_ERR_INPUT, "frequency",
                             "modes need their frequencies or their stiffnesses, and not both");
    for (size_t i = 0; i < m->modes; i++) {
        if (m->mass && !(m->mass[i] > 0.0 && isfinite(m->mass[i])))
            return fail_at("mass", i, "modal mass", m->mass[i], err);
        if (m->frequency && !(m->frequency[i] >= 0.0 && isfinite(m->frequency[i])))
            return fail_at("frequency", i, "frequency", m->frequency[i], err);
        if (m->stiffness && !(m->stiffness[i] >= 0.0 && isfinite(m->stiffness[i])))
            return fail_at("stiffness", i, "modal stiffness", m->stiffness[i], err);
        if (m->damping_ratio && !(m->damping_ratio[i] >= 0.0 && isfinite(m->damping_ratio[i])))
            return fail_at("damping_ratio", i, "damping ratio", m->damping_ratio[i], err);
    }
    return AM_OK;
}

/* The three diagonals, one after the other. */
static void fill(const am_modes *m, double *mass, double *damping, double *stiffness) {
    for (size_t i = 0; i < m->modes; i++) {
        mass[i] = m->mass ? m->mass[i] : 1.0;
        stiffness[i] = m->stiffness ? m->stiffness[i] : mass[i] * m->frequency[i] * m->frequency[i];
        damping[i] = m->damping_ratio ? 2.0 * m->damping_ratio[i] * sqrt(stiffness[i] * mass[i]) : 0.0;
    }
}

am_system *am_modes_create(const am_modes *m, am_error *err) {
    if (!m)
        return am_misused_for_nothing(err, __func__);
    if (check(m, err) != AM_OK)
        return NULL;
    am_arena memory = {0};
    am_system *system = NULL;
    size_t n = m->modes, *place = am_arena_new(&memory, n, sizeof *place, err);
    double *values = am_arena_new(&memory, 3 * n, sizeof *values, err);
    const am_matrix *part[3] = {NULL, NULL, NULL};
    if (!am_arena_status(&memory)) {
        fill(m, values, values + n, values + 2 * n);
        for (size_t i = 0; i < n; i++)
            place[i] = i;
        for (size_t i = 0; i < 3; i++)
            part[i] = am_parts_own(&memory, am_matrix_sparse(n, n, n, place, place, values + i * n, err), err);
    }
    if (part[0] && part[1] && part[2]) {
        am_system_def def = am_parts_def(n, m->names, m->contact_count, m->contacts, m->load_count, m->loads);
        def.mass = part[0];
        def.damping = part[1];
        def.stiffness = part[2];
        def.named_by_model = m->named_by_model;
        system = am_system_create(&def, err);
    }
    am_arena_clear(&memory);
    return system;
}
