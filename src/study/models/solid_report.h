/* What models of meshed bodies (blocks, mesh) add to the result of an analysis that leaves samples. */
#ifndef AMONTONS_STUDY_MODELS_SOLID_REPORT_H
#define AMONTONS_STUDY_MODELS_SOLID_REPORT_H
#include "amontons/result.h"
#include "solid/dynamics.h"

/* The bodies an analysis was about. `dynamics`: NULL or without modes when they have no mass. */
typedef struct am_solid_subject {
    am_solid *solid;
    const am_solid_def *def;
    const am_solid_dynamics *dynamics;
} am_solid_subject;

/* Where the table `samples` of a path or a motion has the coordinates and forces of m contact nodes. */
typedef struct am_solid_samples {
    const am_table *table; /* NULL: the analysis left none that could be used */
    size_t contacts, modes;
    bool moving;       /* of motion or march: inertia plays its part */
    size_t t, state;   /* columns; moving: state is the first of m */
    size_t v, w, N, T; /* of the first contact node; the others follow */
    size_t z;          /* of the first mode */
} am_solid_samples;

am_solid_samples am_solid_find_samples(const am_solid_subject *subject, const am_result *result);

/* One row, in memory of the caller: m each. Behind v are w and the amplitudes of modes: all coordinates. */
typedef struct am_solid_sample {
    double t;
    double *v, *w, *N, *T;
    am_contact_state *state;
} am_solid_sample;

am_status am_solid_sample_init(am_solid_sample *sample, const am_solid_samples *samples, am_error *err);
void am_solid_sample_clear(am_solid_sample *sample);
void am_solid_sample_read(const am_solid_samples *samples, size_t row, am_solid_sample *sample);

/* Displacements of all nodes of the mesh (2 each) and forces of the drives (or NULL). */
am_status am_solid_sample_displacements(const am_solid_subject *subject, const am_solid_samples *samples,
                                        const am_solid_sample *sample, double *displacement, double *drive,
                                        am_error *err);

/* Summary `contact_nodes`, `unknowns`, of bodies with mass also `modes`, `frequency_error`, `highest_frequency`; with
 * samples the table `interface` at their end: contact, x, y, s, p, q, slip, gap, state, area. q = -T/area: positive
 * where it opposes slip along the contact's tangent. `fields`: also the tables of the deformed mesh and its stresses.
 */
am_status am_solid_report(const am_solid_subject *subject, bool fields, am_result *result, am_error *err);

#endif
