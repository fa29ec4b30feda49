/* What model `mesh` adds to a result. */
#ifndef AMONTONS_MODELS_MESH_REPORT_H
#define AMONTONS_MODELS_MESH_REPORT_H
#include "amontons/result.h"
#include "models/mesh.h"
#include "solid/report.h"

/* With a last sample: summary `N`, `T` (sums over all contacts) and `max_pressure` in the end; tables `contact_forces`
 * (contact; Fx, Fy on the slave; N, T: sums over its nodes; open, stick, slip: how many nodes are) and `drives` (drive;
 * displacement that is prescribed; force that it takes), both in the end; and what am_solid_report adds. */
am_status am_mesh_report(am_mesh_rig *rig, bool fields, const am_solid_last *last, am_result *result, am_error *err);

#endif
