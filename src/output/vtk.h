/* fields.vtu: displacements and stresses of a mesh, for ParaView and other readers of VTK's XML files. */
#ifndef AMONTONS_OUTPUT_VTK_H
#define AMONTONS_OUTPUT_VTK_H
#include "output/file.h"
#include "output/mesh_tables.h"

/* Points at rest with the vectors `displacement`, the tensors `stress` (xx, yy, zz, xy, yz, xz) and the scalars
 * `mises`; cells with `body`, a number from 1 in the order in which bodies come in mesh_elements. Failures of writing
 * appear when the file is closed. */
am_status am_output_vtk(const am_result *result, am_output_file *file, am_error *err);

/* Tables whose rows are points with places x, y, z: mode_shape_nodes (shapes.vtu) and contact_cycles (contacts.vtu).
 * Equally many rows come for each mode or value; its quantities become point data called like mode_3, mode_3_imaginary
 * or loss_1. Cells are those of mode_shape_cells (NULL: the points). */
bool am_vtk_has_points(const am_table *table);
am_status am_output_vtk_points(const am_table *table, const am_table *cells, am_output_file *file, am_error *err);

#endif
