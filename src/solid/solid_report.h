/* What models of meshed bodies (blocks, mesh) add to the result of an analysis whose samples they have seen. */
#ifndef AMONTONS_SOLID_SOLID_REPORT_H
#define AMONTONS_SOLID_SOLID_REPORT_H
#include "amontons/observer.h"
#include "solid/dynamics.h"

/* The bodies an analysis was about. `dynamics`: NULL or without modes when they have no mass. The coordinates of its
 * samples are the slips of all contact nodes, their gaps, and the amplitudes of modes. */
typedef struct am_solid_subject {
    am_solid *solid;
    const am_solid_def *def;
    const am_solid_dynamics *dynamics;
} am_solid_subject;

/* The gaps of a sample, behind the slips. */
static inline const double *am_solid_gaps(const am_sample *sample) {
    return sample->displacement + sample->contacts;
}

/* The last sample seen, in memory of its own. */
typedef struct am_solid_last {
    am_sample sample; /* displacement NULL: none was seen */
    am_arena memory;
} am_solid_last;

am_status am_solid_last_keep(am_solid_last *last, const am_sample *sample, am_error *err);
void am_solid_last_clear(am_solid_last *last);

/* Displacements of all nodes of the mesh (2 each) and forces of the drives (or NULL). */
am_status am_solid_sample_displacements(const am_solid_subject *subject, const am_sample *sample, double *displacement,
                                        double *drive, am_error *err);

/* Summary `contact_nodes`, `unknowns`, of bodies with mass also `modes`, `frequency_error`, `highest_frequency`; with a
 * last sample the table `interface`: contact, x, y, s, p, q, slip, gap, state, area. q = -T/area: positive where it
 * opposes slip along the contact's tangent. `fields`: also the tables of the deformed mesh and its stresses. */
am_status am_solid_report(const am_solid_subject *subject, bool fields, const am_solid_last *last, am_result *result,
                          am_error *err);

#endif
