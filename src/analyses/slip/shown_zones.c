/* Which zones the nodes can tell, by boundary elements. */
#include <math.h>
#include <stdio.h>

#include "analyses/slip/elements.h"
#include "base/columns.h"

/* Fewer nodes do not show the square root of a traction that ends between them (boundary/bem_zones.c). */
enum { LEAST_NODES = 4 };

static bool slips(const am_bem_zone *zone) {
    return zone->state == AM_FORWARD || zone->state == AM_BACKWARD;
}

/* Of similar bodies with smooth profiles and Coulomb friction contact and stick zone both end with a square root, which
 * the nodes inside locate to a hundredth of their spacing: the slip zone between the two ends needs no node. */
static bool is_located(const am_slip_contact *contact) {
    return contact->beta == 0.0 && contact->law == AM_FRICTION_COULOMB && contact->shape != AM_SLIP_PUNCH;
}

/* The Q beyond which similar bodies slip somewhere: any, where the pressure vanishes at the ends of the contact; of a
 * punch that of (3.8), with the first coefficient of friction. */
static double least_slipping(const am_slip_contact *contact) {
    if (contact->shape != AM_SLIP_PUNCH)
        return 0.0;
    double f = contact->law == AM_FRICTION_COULOMB ? contact->f : contact->f_s;
    double alpha = 0.5 * contact->half_width / (f * contact->height);
    return f * contact->P * (isfinite(alpha) ? alpha / (1.0 + alpha) : 1.0);
}

am_slip_resolution am_slip_resolve(const am_slip_contact *contact, const am_bem_view *view, bool path,
                                   const am_bem_zone *zones, size_t count) {
    am_slip_resolution found = {.stick = true, .slip = true};
    bool sticking = false, forward = false, backward = false;
    for (size_t i = 0; i < count; i++) {
        const am_bem_zone *zone = &zones[i];
        sticking = sticking || zone->state == AM_STICK;
        forward = forward || zone->state == AM_FORWARD;
        backward = backward || zone->state == AM_BACKWARD;
        if (zone->state == AM_STICK && zone->nodes < LEAST_NODES)
            found.stick = false;
        if (slips(zone) && !is_located(contact) && !(zone->to - zone->from >= view->spacing))
            found.slip = false;
    }
    if (!sticking && forward && backward) /* between opposite slips something sticks */
        found.stick = false;
    bool must_slip = contact->beta != 0.0 || view->Q > least_slipping(contact);
    if (sticking && !forward && !backward && must_slip && !path)
        found.slip = false;
    return found;
}

void am_slip_resolution_summary(am_result *result, const am_slip_resolution *found, double spacing) {
    char text[320];
    int end = 0;
    *text = '\0';
    if (!found->stick)
        end = snprintf(text, sizeof text,
                       "the stick zone is below the mesh: fewer than %d nodes, which are %.3g a apart, stick together, "
                       "and its width is not known",
                       LEAST_NODES, spacing);
    if (!found->slip)
        snprintf(text + end, sizeof text - (size_t)end,
                 "%sthe slip zone is below the mesh: narrower than the nodes are apart, %.3g a, and its width is not "
                 "known",
                 end ? "; " : "", spacing);
    am_result_set_flag(result, "stick_resolved", found->stick, NULL);
    am_result_set_flag(result, "slip_resolved", found->slip, NULL);
    am_result_set_words(result, "below_mesh", *text ? text : NULL);
}
