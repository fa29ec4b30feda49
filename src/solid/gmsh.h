/* Meshes drawn with Gmsh: files .msh of format 2.2 and 4.1, as text or binary. docs/mesh.md.
 *
 * Physical groups of dimension 2 become bodies, those of dimension 1 lines, under their names (a group without a name
 * is called by its number). Elements that turn clockwise are turned round, nodes that no element uses are left out. */
#ifndef AMONTONS_SOLID_GMSH_H
#define AMONTONS_SOLID_GMSH_H
#include "solid/mesh.h"

/* Fills an empty mesh. The bodies have no material yet: everything about them but their names is zero, for the caller
 * to fill in before the mesh is checked. AM_ERR_FILE: it cannot be read; AM_ERR_INPUT: with file, line (of text files),
 * group, element. On failure the mesh is empty. */
am_status am_gmsh_read(am_solid_mesh *mesh, const char *path, am_error *err);

/* The same from a text; messages call it `name`. */
am_status am_gmsh_read_text(am_solid_mesh *mesh, const char *name, const char *text, am_error *err);

#endif
