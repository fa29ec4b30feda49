/* Iwan joints in tables: contacts that became many sliders behind springs when the system was created are one again. */
#ifndef AMONTONS_SYSTEM_JOINTS_H
#define AMONTONS_SYSTEM_JOINTS_H
#include "amontons/system.h"
#include "base/text.h"

/* What a joint does as a whole: N and T from the forces of all contacts, and its state ("partial": its sliders differ).
 */
double am_joint_normal(const am_system *system, size_t joint, const double *normal);
double am_joint_tangential(const am_system *system, size_t joint, const double *tangential);
const char *am_joint_state(const am_system *system, size_t joint, const am_contact_state *state);

/* "stick,open"; sliders of one joint that differ are counted: "6 forward 14 stick". */
void am_joints_name(am_text *text, const am_system *system, const am_contact_state *state);

#endif
