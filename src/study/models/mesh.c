#include "study/models/mesh.h"

#include "base/memory.h"
#include "base/try.h"
#include "models/mesh_report.h"
#include "study/files.h"
#include "study/models.h"
#include "study/models/solid_modes.h"

typedef struct mesh_setting {
    am_mesh mesh;
    am_mesh_gravity gravity;
    am_modes_setting modes;
    bool fields;
    struct am_mesh_rig **rig; /* made by build, for report */
} mesh_setting;

static const char example_mesh[] =
    "\"$MeshFormat\\n2.2 0 8\\n$EndMeshFormat\\n"
    "$PhysicalNames\\n3\\n1 1 \\\"bottom\\\"\\n1 2 \\\"top\\\"\\n2 3 \\\"block\\\"\\n$EndPhysicalNames\\n"
    "$Nodes\\n6\\n1 0 0 0\\n2 1 0 0\\n3 2 0 0\\n4 0 1 0\\n5 1 1 0\\n6 2 1 0\\n$EndNodes\\n"
    "$Elements\\n6\\n1 1 2 1 1 1 2\\n2 1 2 1 1 2 3\\n3 1 2 2 2 4 5\\n4 1 2 2 2 5 6\\n"
    "5 3 2 3 3 1 2 5 4\\n6 3 2 3 3 2 3 6 5\\n$EndElements\\n\"";

static const am_field fields[] = {
    AM_FIELD("file", TEXT, mesh_setting, mesh.file, .initial = "none",
             .about = "a mesh of Gmsh (.msh, format 4.1 or 2.2), relative to the study file"),
    AM_FIELD("text", TEXT, mesh_setting, mesh.text, .initial = "none",
             .about = "what such a file holds, instead of one", .example = example_mesh),
    AM_FIELD("bodies", ITEMS, mesh_setting, mesh.bodies, .counted = offsetof(mesh_setting, mesh.body_count),
             .inner = &am_mesh_body_schema, .required = true,
             .about = "{name, E, nu, thickness, density, plane} of each physical surface",
             .example = "[{name: block, E: 1000, nu: 0.3}]"),
    AM_FIELD("contacts", ITEMS, mesh_setting, mesh.contacts, .counted = offsetof(mesh_setting, mesh.contact_count),
             .inner = &am_mesh_contact_schema, .required = true,
             .about =
                 "{slave, master, f, f_s, law, Delta, weakening, gap, curvature, centre, flush, name} of each pair",
             .example = "[{slave: bottom, f: 0.5}]"),
    AM_FIELD("supports", ITEMS, mesh_setting, mesh.supports, .counted = offsetof(mesh_setting, mesh.support_count),
             .inner = &am_mesh_support_schema, .initial = "none", .about = "{line, x, y, at} of what is held"),
    AM_FIELD("loads", ITEMS, mesh_setting, mesh.loads, .counted = offsetof(mesh_setting, mesh.load_count),
             .inner = &am_mesh_load_schema, .initial = "none",
             .about = "{line, force, at, and a function of time} of each force",
             .example = "[{line: top, force: [0, -10]}, {line: top, force: [1, 0], ramp: 4}]"),
    AM_FIELD("drives", ITEMS, mesh_setting, mesh.drives, .counted = offsetof(mesh_setting, mesh.drive_count),
             .inner = &am_mesh_drive_schema, .initial = "none",
             .about = "{line, direction, at, stiffness, name, and a function of time} of each prescribed displacement"),
    AM_FIELD("gravity", RECORD, mesh_setting, gravity, .inner = &am_mesh_gravity_schema, .initial = "none",
             .about = "{acceleration, and a function of time}"),
    AM_FIELD("rigid", ITEMS, mesh_setting, mesh.rigid, .counted = offsetof(mesh_setting, mesh.rigid_count),
             .inner = &am_mesh_rigid_schema, .initial = "none",
             .about = "{name, from, to, fixed, mass, inertia} of each rigid body"),
    AM_MODES_FIELDS(mesh_setting, modes),
    AM_FIELD("mass_damping", NUMBER, mesh_setting, mesh.mass_damping, AM_NOT_NEGATIVE, .initial = "0", .unit = "1/time",
             .about = "dynamics: damping over mass"),
    AM_FIELD("stiffness_damping", NUMBER, mesh_setting, mesh.stiffness_damping, AM_NOT_NEGATIVE, .initial = "0",
             .unit = "time", .about = "dynamics: damping over stiffness"),
    AM_FIELD("fields", FLAG, mesh_setting, fields, .initial = "false",
             .about =
                 "also the tables mesh_nodes and mesh_elements, and fields.vtu: displacements and stresses in the end",
             .example = "true"),
};

static void set_defaults(void *record) {
    mesh_setting *setting = record;
    setting->mesh = am_mesh_default();
    setting->modes.check = true;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    mesh_setting *setting = record;
    am_mesh *mesh = &setting->mesh;
    if (mesh->file && mesh->text)
        return am_node_fail(am_node_get(node, "text"), reading->err, AM_ERR_INPUT,
                            "file and text cannot both be given: either is the mesh");
    if (!mesh->file && !mesh->text)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "model mesh needs its mesh: the key 'file', or 'text'");
    if (mesh->file && !(mesh->file = am_files_path(reading, am_node_get(node, "file"), mesh->file)))
        return reading->err->status;
    AM_TRY(am_modes_finish(reading, &setting->modes));
    mesh->modes = setting->modes.count;
    mesh->gravity = &setting->gravity;
    mesh->gravity_count = am_node_get(node, "gravity") != NULL;
    setting->rig = am_arena_new(reading->pool, 1, sizeof *setting->rig, reading->err);
    return setting->rig ? AM_OK : AM_ERR_MEMORY;
}

static const am_schema schema = {
    .name = "mesh",
    .title = "model mesh",
    .about = "Elastic bodies meshed by Gmsh, in contact with each other or with rigid bodies. Coordinates v1.. (slips) "
             "and w1.. (gaps) of the contact nodes.",
    .size = sizeof(mesh_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static void release(void *object) {
    am_mesh_rig_clear(object);
    am_memory_free(object);
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const mesh_setting *setting = settings;
    am_mesh_rig *rig = am_memory_new(1, sizeof *rig, reading->err);
    if (!rig || am_arena_own(reading->pool, rig, release, reading->err) != AM_OK)
        return NULL;
    *setting->rig = rig;
    am_system *system = am_mesh_rig_init(rig, &setting->mesh, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

static am_status watch(const void *settings, am_model_watch *made, am_error *err) {
    const mesh_setting *setting = settings;
    return am_mesh_watch_open(*setting->rig, setting->fields, made, err);
}

static am_mode_choice modes_of(const void *settings) {
    const mesh_setting *setting = settings;
    return am_modes_of(&setting->modes, &(*setting->rig)->dynamics);
}

const am_model_kind am_model_mesh = {.schema = &schema,
                                     .build = build,
                                     .analysis = "path",
                                     .many = true,
                                     .keys = "  method: incremental\n"
                                             "  until: 1\n"
                                             "  steps: 20\n",
                                     .figure = "{kind: mesh}",
                                     .watch = watch,
                                     .watches_tables = true,
                                     .modes = modes_of};
