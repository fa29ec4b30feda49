/* What model `mesh` adds to a result. */
#ifndef AMONTONS_MODELS_MESH_REPORT_H
#define AMONTONS_MODELS_MESH_REPORT_H
#include "amontons/result.h"
#include "models/mesh.h"
#include "solid/solid_report.h"

/* Borrows the rig. `fields`: the report has the deformed mesh and its stresses too.
 *
 * The report, of the last sample seen: summary `N`, `T` (sums over all contacts) and `max_pressure`; tables `contact_forces`
 * (contact; Fx, Fy on the slave; N, T: sums over its nodes; open, stick, slip: how many nodes are) and `drives` (drive;
 * displacement that is prescribed; force that it takes); and what am_solid_report adds. */
am_status am_mesh_watch_open(am_mesh_rig *rig, bool fields, am_model_watch *watch, am_error *err);

#endif
