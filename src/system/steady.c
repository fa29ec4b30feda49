#include "system/steady.h"

#include <math.h>
#include <string.h>

am_status am_steady_init(am_steady *steady, const am_system *system, am_error *err) {
    bool depends = false;
    *steady = (am_steady){.system = system};
    for (size_t c = 0; c < system->m; c++)
        depends |= system->contact[c].speed_friction.law != NULL;
    if (!depends)
        return AM_OK;
    am_contact_def *contact = am_arena_new(&steady->memory, system->m, sizeof *contact, err);
    if (!contact)
        return AM_ERR_MEMORY;
    memcpy(contact, system->contact, system->m * sizeof *contact);
    for (size_t c = 0; c < system->m; c++) {
        am_contact_def *own = &contact[c];
        if (own->speed_friction.law)
            own->friction = own->static_friction =
                am_speed_friction_at(&own->speed_friction, fabs(own->surface_velocity), NULL);
    }
    steady->view = *system;
    steady->view.contact = contact;
    steady->system = &steady->view;
    return AM_OK;
}

void am_steady_clear(am_steady *steady) {
    am_arena_clear(&steady->memory);
    *steady = (am_steady){0};
}

/* T = -/+ mu(v) N against the slip: dT = -mu'(v) N t.dq' in either direction. */
double am_steady_damping(const am_contact_def *contact, double normal) {
    double slope = 0.0;
    if (contact->speed_friction.law)
        am_speed_friction_at(&contact->speed_friction, fabs(contact->surface_velocity), &slope);
    return slope * normal;
}
