/* Regularised friction as a law of the sliding speed. */
#include "base/arena.h"
#include "base/try.h"
#include "system/system.h"

static bool is_regularised(const am_contact_def *contact) {
    return contact->regularisation > 0.0 && contact->friction > 0.0;
}

am_status am_system_sharpen(const am_system *system, am_system **sharp, am_error *err) {
    size_t m = system->m, count = 0;
    for (size_t c = 0; c < m; c++)
        count += is_regularised(&system->contact[c]);
    *sharp = NULL;
    if (count == 0)
        return AM_OK;
    AM_LOCAL_ARENA memory = {0};
    am_contact_def *contact = am_arena_new(&memory, m, sizeof *contact, err);
    double *points = am_arena_doubles(&memory, NULL, 4 * count, err);
    AM_TRY(am_arena_status(&memory));
    am_system_def def = am_system_definition(system, contact);
    for (size_t c = 0; c < m; c++) {
        if (!is_regularised(&contact[c]))
            continue;
        points[1] = contact[c].regularisation;
        points[3] = contact[c].friction;
        contact[c].regularisation = contact[c].friction = contact[c].static_friction = 0.0;
        contact[c].speed_friction =
            (am_speed_friction){.law = "table", .points = 2, .speed = points, .coefficient = points + 2};
        points += 4;
    }
    *sharp = am_system_create(&def, err);
    return *sharp ? AM_OK : am_error_status(err);
}
