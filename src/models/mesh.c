/* Model `mesh`: from a file of Gmsh to the system. The work is done in src/solid/. */
#include "models/mesh.h"

#include <stdint.h>
#include <stdio.h>

#include "base/local.h"
#include "base/object.h"
#include "base/text.h"
#include "solid/gmsh.h"

enum { MESH_COOKIE = 0x414d4d45 };

am_mesh am_mesh_default(void) {
    return (am_mesh){.cookie = MESH_COOKIE};
}

static am_status read_mesh(const am_mesh *from, am_solid_mesh *mesh, am_error *err) {
    if (!from->file == !from->text)
        return am_fail_field(err, AM_ERR_INPUT, "file", "a mesh has a file or a text, one of the two");
    am_status status =
        from->text ? am_gmsh_read_text(mesh, "text", from->text, err) : am_gmsh_read(mesh, from->file, err);
    if (status && err)
        snprintf(err->field, sizeof err->field, from->text ? "text" : "file");
    return status;
}

static am_status unknown_body(const char *name, const char *field, const am_solid_mesh *mesh, am_error *err) {
    AM_LOCAL(am_text_free) am_text known = {0};
    for (size_t i = 0; i < mesh->bodies; i++)
        am_text_printf(&known, "%s'%.60s'", i > 0 ? ", " : "", mesh->body[i].name);
    return am_fail_field(err, AM_ERR_INPUT, field, "the mesh has no body '%.60s'; it has %.600s", name,
                         am_text_view(&known));
}

/* Every body of the mesh gets its material, and no other. */
static am_status take_bodies(const am_mesh *from, am_solid_mesh *mesh, am_error *err) {
    for (size_t i = 0; i < from->body_count; i++) {
        const am_mesh_body *given = &from->bodies[i];
        char field[64];
        snprintf(field, sizeof field, "bodies[%zu]", i);
        size_t body = given->name ? am_solid_mesh_find_body(mesh, given->name) : SIZE_MAX;
        if (body == SIZE_MAX)
            return unknown_body(given->name ? given->name : "", field, mesh, err);
        am_solid_body *own = &mesh->body[body];
        if (own->modulus > 0)
            return am_fail_field(err, AM_ERR_INPUT, field, "body '%.60s' is given twice", given->name);
        *own = (am_solid_body){own->name,      given->modulus,   given->poisson,
                               given->density, given->thickness, given->plane_stress};
    }
    for (size_t i = 0; i < mesh->bodies; i++)
        if (!(mesh->body[i].modulus > 0))
            return am_fail_field(err, AM_ERR_INPUT, "bodies",
                                 "body '%.60s' of the mesh has no material; add it to bodies", mesh->body[i].name);
    return AM_OK;
}

static am_solid_def define(const am_mesh *from, const am_solid_mesh *mesh) {
    return (am_solid_def){.mesh = mesh,
                          .rigid_count = from->rigid_count,
                          .support_count = from->support_count,
                          .load_count = from->load_count,
                          .gravity_count = from->gravity_count,
                          .drive_count = from->drive_count,
                          .contact_count = from->contact_count,
                          .rigid = from->rigid,
                          .support = from->supports,
                          .load = from->loads,
                          .gravity = from->gravity,
                          .drive = from->drives,
                          .contact = from->contacts,
                          .mass_damping = from->mass_damping,
                          .stiffness_damping = from->stiffness_damping};
}

/* The system knows no forces of zero: which of the mesh's loads is its load number `load`. */
static size_t load_of_mesh(const am_solid_def *def, size_t load) {
    size_t i = 0;
    for (; i < def->load_count; i++)
        if ((def->load[i].force[0] != 0.0 || def->load[i].force[1] != 0.0) && load-- == 0)
            break;
    return i;
}

/* A load that no contact feels has no direction in the system. Of a mesh that means one of these. */
static void explain_load(const am_mesh_rig *rig, am_error *err) {
    size_t load;
    int used = 0;
    if (err->status != AM_ERR_INPUT || sscanf(err->field, "loads[%zu].direction%n", &load, &used) != 1 || used == 0)
        return;
    load = load_of_mesh(&rig->def, load);
    bool heavy = false;
    for (size_t i = 0; i < rig->mesh.bodies; i++)
        heavy = heavy || rig->mesh.body[i].density > 0.0;
    if (load >= rig->def.load_count) {
        am_fail_field(err, AM_ERR_INPUT, "gravity",
                      heavy ? "no contact feels this gravity: what has a density is held by supports alone"
                            : "gravity acts on mass: give the bodies a density");
        return;
    }
    char field[64];
    snprintf(field, sizeof field, "loads[%zu].force", load);
    am_fail_field(err, AM_ERR_INPUT, field,
                  "no contact feels this force: what it acts on is held by supports, or is a rigid body that is fixed "
                  "along it");
}

static am_system *make(am_mesh_rig *rig, const am_mesh *from, am_error *err) {
    if (read_mesh(from, &rig->mesh, err) || take_bodies(from, &rig->mesh, err))
        return NULL;
    rig->def = define(from, &rig->mesh);
    if (am_solid_create(&rig->solid, &rig->def, err))
        return NULL;
    if (from->modes == 0)
        return am_solid_system(rig->solid, err);
    if (am_solid_dynamics_init(&rig->dynamics, rig->solid, from->modes, err))
        return NULL;
    am_system *system = rig->dynamics.system;
    rig->dynamics.system = NULL; /* the caller's from now on */
    return system;
}

am_system *am_mesh_rig_init(am_mesh_rig *rig, const am_mesh *mesh, am_error *err) {
    am_error own = {0}, *e = err ? err : &own;
    am_system *system = make(rig, mesh, e);
    if (!system)
        explain_load(rig, e);
    return system;
}

void am_mesh_rig_clear(am_mesh_rig *rig) {
    am_solid_dynamics_clear(&rig->dynamics);
    am_solid_free(rig->solid);
    am_solid_mesh_clear(&rig->mesh);
    *rig = (am_mesh_rig){0};
}

am_system *am_mesh_rig_create(am_mesh_rig *rig, const am_mesh *mesh, am_error *err) {
    if (mesh->cookie == MESH_COOKIE)
        return am_mesh_rig_init(rig, mesh, err);
    am_fail(err, AM_ERR_INPUT, "a mesh must come from am_mesh_default()");
    return NULL;
}

am_system *am_mesh_create(const am_mesh *mesh, am_error *err) {
    if (!mesh)
        return am_misused_for_nothing(err, __func__);
    am_mesh_rig rig = {0};
    am_system *system = am_mesh_rig_create(&rig, mesh, err);
    am_mesh_rig_clear(&rig);
    return system;
}
