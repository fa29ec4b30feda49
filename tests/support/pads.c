#include "pads.h"

#include <math.h>
#include <string.h>

/* A pad that takes the part `share` of a held contact's normal force, or any part of that of a unilateral one; its rows
 * are longer by the factors given (the tangent's may be negative: forward and backward change places). */
static plain_contact pad_of(const plain_contact *whole, size_t n, double share, double normal, double tangent) {
    plain_contact pad = *whole;
    double length = fabs(tangent);
    for (size_t i = 0; i < n; i++) {
        pad.normal[i] *= normal;
        pad.tangent[i] *= tangent;
    }
    pad.gap *= normal;
    pad.surface_velocity *= tangent;
    if (whole->normal_law == AM_HELD) {
        pad.hold.value *= share / length;
        pad.hold.amplitude *= share / length;
        for (size_t i = 0; i < n; i++)
            pad.normal[i] = whole->normal[i] * length;
    } else {
        pad.friction *= normal / length;
        pad.static_friction *= normal / length;
    }
    return pad;
}

/* Each contact becomes one to three pads; `whole`: which contact each of them was. */
void pads_divide(random_source *source, const plain_system *one, size_t most, plain_system *many, size_t *whole) {
    *many = *one;
    many->m = 0;
    for (size_t c = 0; c < one->m; c++) {
        size_t room = most - many->m - (one->m - 1 - c), pads = 1 + random_index(source, room < 3 ? room : 3);
        double rest = 1;
        for (size_t i = 0; i < pads; i++) {
            double share = i + 1 < pads ? rest * random_between(source, 0.2, 0.8) : rest;
            double normal = random_between(source, 0.5, 2), tangent = random_between(source, 0.5, 2);
            if (one->contact[c].normal_law == AM_HELD && random_chance(source, 0.3))
                tangent = -tangent;
            rest -= share;
            whole[many->m] = c;
            many->contact[many->m++] = pad_of(&one->contact[c], one->n, share, normal, tangent);
        }
    }
}

am_contact_state pads_seen(const plain_contact *pad, const plain_contact *whole, size_t n, am_contact_state state) {
    double along = 0;
    for (size_t i = 0; i < n; i++)
        along += pad->tangent[i] * whole->tangent[i];
    if (along > 0 || (state != AM_FORWARD && state != AM_BACKWARD))
        return state;
    return state == AM_FORWARD ? AM_BACKWARD : AM_FORWARD;
}

bool pads_divided(const plain_system *one, const plain_system *many) {
    return many->m > one->m;
}
