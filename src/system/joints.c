#include "system/joints.h"

#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "system/system.h"

bool am_joints_any(const am_system_def *def) {
    bool any = false;
    for (size_t c = 0; c < def->contact_count && !any; c++)
        any = def->contacts[c].iwan.density != AM_IWAN_NONE;
    return any;
}

am_status am_joint_check(const am_contact_def *contact, am_error *err) {
    if (contact->iwan.density == AM_IWAN_NONE)
        return AM_OK;
    const struct {
        const char *field;
        bool given;
    } others[] = {{"static_friction", contact->friction != 0.0 || contact->static_friction != 0.0},
                  {"weakening", am_friction_weakens(&contact->weakening)},
                  {"friction", contact->speed_friction.law != NULL},
                  {"tangential_stiffness", contact->tangential_stiffness != 0.0},
                  {"regularisation", contact->regularisation != 0.0}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return am_fail_field(err, AM_ERR_INPUT, others[i].field,
                                 "friction law iwan says strength and stiffness of every slider: leave %s out",
                                 others[i].field);
    am_status status = am_iwan_check(&contact->iwan, err);
    if (status && err) {
        char field[sizeof err->field];
        snprintf(field, sizeof field, "friction.%.60s", err->field);
        memcpy(err->field, field, sizeof field);
    }
    return status;
}

/* ---- dividing ---- */

static const char *numbered(const char *name, size_t number, const char *between, am_arena *memory, am_error *err) {
    char text[256];
    snprintf(text, sizeof text, "%.200s%s%zu", name, between, number);
    return am_arena_text(memory, text, strlen(text), err);
}

/* One slider of `count`. A given normal force is that of every slider and acts on the structure once; a compliant one is
 * shared out, so that friction is `count` times as large. */
static am_contact_def slider_of(const am_contact_def *joint, size_t index, size_t count, double strength,
                                double stiffness) {
    am_contact_def slider = *joint;
    slider.iwan = am_iwan_default();
    slider.friction = strength;
    slider.tangential_stiffness = stiffness;
    if (joint->normal_law == AM_HELD) {
        slider.normal = index == 0 ? joint->normal : NULL;
        return slider;
    }
    slider.friction *= (double)count;
    slider.contact_stiffness /= (double)count;
    slider.contact_damping /= (double)count;
    return slider;
}

static am_status divide(const am_contact_def *joint, am_contact_def *sliders, am_arena *memory, am_error *err) {
    size_t count = am_iwan_sliders(&joint->iwan);
    double *strength = NULL, *stiffness = NULL;
    AM_ARENA_DOUBLES(memory, count, err, &strength, &stiffness);
    AM_TRY(am_arena_status(memory));
    am_iwan_divide(&joint->iwan, strength, stiffness);
    for (size_t i = 0; i < count; i++) {
        sliders[i] = slider_of(joint, i, count, strength[i], stiffness[i]);
        sliders[i].joint = joint->name;
        sliders[i].name = numbered(joint->name, i + 1, "_", memory, err);
    }
    return am_arena_status(memory);
}

am_system_def am_joints_divide(const am_system_def *def, am_arena *memory, am_error *err) {
    am_system_def divided = *def;
    divided.contact_count = 0;
    for (size_t c = 0; c < def->contact_count; c++) {
        size_t sliders = am_iwan_sliders(&def->contacts[c].iwan);
        divided.contact_count += sliders > 0 ? sliders : 1;
    }
    am_contact_def *contact = am_arena_new(memory, divided.contact_count, sizeof *contact, err);
    divided.contacts = contact;
    for (size_t c = 0; c < def->contact_count && !am_arena_status(memory); c++) {
        size_t sliders = am_iwan_sliders(&def->contacts[c].iwan);
        *contact = def->contacts[c];
        if (sliders > 0) {
            am_contact_def joint = def->contacts[c];
            joint.name = joint.name ? joint.name : numbered("contact ", c + 1, "", memory, err);
            divide(&joint, contact, memory, err);
        }
        contact += sliders > 0 ? sliders : 1;
    }
    return divided;
}

/* ---- and together again ---- */

static bool belong_together(const am_contact_def *a, const am_contact_def *b) {
    return a->joint && b->joint && strcmp(a->joint, b->joint) == 0;
}

am_status am_joints_group(am_system *system, am_error *err) {
    system->joints = 0;
    system->joint = am_arena_new(&system->memory, system->m + 1, sizeof *system->joint, err);
    AM_TRY(am_arena_status(&system->memory));
    for (size_t c = 0; c < system->m; c++)
        if (c == 0 || !belong_together(&system->contact[c - 1], &system->contact[c]))
            system->joint[system->joints++] = c;
    system->joint[system->joints] = system->m;
    return AM_OK;
}

double am_joint_normal(const am_system *system, size_t joint, const double *normal) {
    size_t first = system->joint[joint];
    double sum = normal[first];
    for (size_t c = first + 1; c < system->joint[joint + 1]; c++)
        sum += system->contact[c].normal_law == AM_HELD ? 0.0 : normal[c];
    return sum;
}

double am_joint_tangential(const am_system *system, size_t joint, const double *tangential) {
    double sum = tangential[system->joint[joint]];
    for (size_t c = system->joint[joint] + 1; c < system->joint[joint + 1]; c++)
        sum += tangential[c];
    return sum;
}

void am_joints_name(am_text *text, const am_system *system, const am_contact_state *state) {
    for (size_t j = 0; j < system->joints; j++) {
        size_t first = system->joint[j], end = system->joint[j + 1], run = first;
        am_text_add(text, j > 0 ? "," : "");
        for (size_t c = first + 1; c <= end; c++) {
            if (c < end && state[c] == state[run])
                continue;
            if (c - run < end - first)
                am_text_printf(text, "%s%zu ", run > first ? " " : "", c - run);
            am_text_add(text, am_contact_state_name(state[run]));
            run = c;
        }
    }
}

const char *am_joint_state(const am_system *system, size_t joint, const am_contact_state *state) {
    size_t first = system->joint[joint];
    for (size_t c = first + 1; c < system->joint[joint + 1]; c++)
        if (state[c] != state[first])
            return "partial";
    return am_contact_state_name(state[first]);
}
