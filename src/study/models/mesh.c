#include "study/models/mesh.h"
#include "study/files.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "models/mesh_report.h"
#include "study/models.h"

/* ---- the definition ---- */

/* Room for as many items as a list has. */
#define ROOM(reading, list, items) am_arena_new((reading)->pool, (list)->count, sizeof *(items), (reading)->err)

static am_mesh_place place_of(const char *line, const am_numbers *at) {
    am_mesh_place place = {.name = line, .point = at->values != NULL};
    if (at->values)
        memcpy(place.at, at->values, sizeof place.at);
    return place;
}

static void take_bodies(am_reading *reading, const am_records *list, am_mesh *mesh) {
    const am_mesh_body_setting *from = list->items;
    am_mesh_body *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++)
        to[i] = (am_mesh_body){from[i].name,         from[i].body.modulus,   from[i].body.poisson,
                               from[i].body.density, from[i].body.thickness, from[i].body.plane_stress};
    mesh->bodies = to;
    mesh->body_count = list->count;
}

static void take_supports(am_reading *reading, const am_records *list, am_mesh *mesh) {
    const am_mesh_support_setting *from = list->items;
    am_mesh_support *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++)
        to[i] = (am_mesh_support){place_of(from[i].line, &from[i].at), {from[i].x, from[i].y}};
    mesh->supports = to;
    mesh->support_count = list->count;
}

static void take_loads(am_reading *reading, const am_records *list, am_mesh *mesh) {
    const am_mesh_load_setting *from = list->items;
    am_mesh_load *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++)
        to[i] = (am_mesh_load){place_of(from[i].line, &from[i].at),
                               {from[i].force.values[0], from[i].force.values[1]},
                               from[i].function.function};
    mesh->loads = to;
    mesh->load_count = list->count;
}

static void take_gravity(am_reading *reading, const am_mesh_gravity_setting *from, am_mesh *mesh) {
    am_mesh_gravity *to = am_arena_new(reading->pool, 1, sizeof *to, reading->err);
    if (!to || !from->acceleration.values)
        return;
    memcpy(to->acceleration, from->acceleration.values, sizeof to->acceleration);
    to->function = from->function.function;
    mesh->gravity = to;
    mesh->gravity_count = 1;
}

static void take_drives(am_reading *reading, const am_records *list, am_mesh *mesh) {
    const am_mesh_drive_setting *from = list->items;
    am_mesh_drive *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++) {
        const double *d = from[i].direction.values, length = hypot(d[0], d[1]);
        to[i] = (am_mesh_drive){.name = from[i].name ? from[i].name : from[i].line,
                                .place = place_of(from[i].line, &from[i].at),
                                .direction = {d[0] / length, d[1] / length},
                                .stiffness = from[i].stiffness,
                                .function = from[i].function.function};
    }
    mesh->drives = to;
    mesh->drive_count = list->count;
}

static void take_rigid(am_reading *reading, const am_records *list, am_mesh *mesh) {
    const am_mesh_rigid_setting *from = list->items;
    am_mesh_rigid *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++) {
        to[i].name = from[i].name;
        to[i].mass = from[i].mass;
        to[i].inertia = from[i].inertia;
        memcpy(to[i].from, from[i].from.values, sizeof to[i].from);
        memcpy(to[i].to, from[i].to.values, sizeof to[i].to);
        for (size_t k = 0; k < (from[i].fixed.values ? from[i].fixed.count : 3); k++)
            to[i].fixed[from[i].fixed.values ? (size_t)from[i].fixed.values[k] : k] = true;
    }
    mesh->rigid = to;
    mesh->rigid_count = list->count;
}

static void take_contacts(am_reading *reading, const am_records *list, am_mesh *mesh) {
    const am_mesh_contact_setting *from = list->items;
    am_mesh_contact *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++)
        to[i] = (am_mesh_contact){.name = from[i].name ? from[i].name : from[i].slave,
                                  .slave = from[i].slave,
                                  .master = from[i].master,
                                  .friction = from[i].friction.friction,
                                  .gap = from[i].gap,
                                  .curvature = from[i].curvature,
                                  .centre = from[i].centre,
                                  .flush = from[i].flush};
    mesh->contacts = to;
    mesh->contact_count = list->count;
}

static am_status define(am_reading *reading, const am_node *node, const am_mesh_setting *setting, am_mesh *mesh) {
    *mesh = am_mesh_default();
    mesh->text = setting->text;
    if (setting->file && !(mesh->file = am_files_path(reading, am_node_get(node, "file"), setting->file)))
        return reading->err->status;
    take_bodies(reading, &setting->bodies, mesh);
    take_supports(reading, &setting->supports, mesh);
    take_loads(reading, &setting->loads, mesh);
    take_gravity(reading, &setting->gravity, mesh);
    take_drives(reading, &setting->drives, mesh);
    take_rigid(reading, &setting->rigid, mesh);
    take_contacts(reading, &setting->contacts, mesh);
    mesh->modes = setting->modes.count;
    mesh->mass_damping = setting->mass_damping;
    mesh->stiffness_damping = setting->stiffness_damping;
    return am_arena_status(reading->pool);
}

/* ---- the model ---- */

static const char example_mesh[] =
    "\"$MeshFormat\\n2.2 0 8\\n$EndMeshFormat\\n"
    "$PhysicalNames\\n3\\n1 1 \\\"bottom\\\"\\n1 2 \\\"top\\\"\\n2 3 \\\"block\\\"\\n$EndPhysicalNames\\n"
    "$Nodes\\n6\\n1 0 0 0\\n2 1 0 0\\n3 2 0 0\\n4 0 1 0\\n5 1 1 0\\n6 2 1 0\\n$EndNodes\\n"
    "$Elements\\n6\\n1 1 2 1 1 1 2\\n2 1 2 1 1 2 3\\n3 1 2 2 2 4 5\\n4 1 2 2 2 5 6\\n"
    "5 3 2 3 3 1 2 5 4\\n6 3 2 3 3 2 3 6 5\\n$EndElements\\n\"";

static const am_field fields[] = {
    AM_FIELD("file", TEXT, am_mesh_setting, file, .initial = "none",
             .about = "a mesh of Gmsh (.msh, format 4.1 or 2.2), relative to the study file"),
    AM_FIELD("text", TEXT, am_mesh_setting, text, .initial = "none", .about = "what such a file holds, instead of one",
             .example = example_mesh),
    AM_FIELD("bodies", RECORDS, am_mesh_setting, bodies, .inner = &am_mesh_body_schema, .required = true,
             .about = "{name, E, nu, thickness, density, plane} of each physical surface",
             .example = "[{name: block, E: 1000, nu: 0.3}]"),
    AM_FIELD("contacts", RECORDS, am_mesh_setting, contacts, .inner = &am_mesh_contact_schema, .required = true,
             .about =
                 "{slave, master, f, f_s, law, Delta, weakening, gap, curvature, centre, flush, name} of each pair",
             .example = "[{slave: bottom, f: 0.5}]"),
    AM_FIELD("supports", RECORDS, am_mesh_setting, supports, .inner = &am_mesh_support_schema, .initial = "none",
             .about = "{line, x, y, at} of what is held"),
    AM_FIELD("loads", RECORDS, am_mesh_setting, loads, .inner = &am_mesh_load_schema, .initial = "none",
             .about = "{line, force, at, and a function of time} of each force",
             .example = "[{line: top, force: [0, -10]}, {line: top, force: [1, 0], ramp: 4}]"),
    AM_FIELD("drives", RECORDS, am_mesh_setting, drives, .inner = &am_mesh_drive_schema, .initial = "none",
             .about = "{line, direction, at, stiffness, name, and a function of time} of each prescribed displacement"),
    AM_FIELD("gravity", RECORD, am_mesh_setting, gravity, .inner = &am_mesh_gravity_schema, .initial = "none",
             .about = "{acceleration, and a function of time}"),
    AM_FIELD("rigid", RECORDS, am_mesh_setting, rigid, .inner = &am_mesh_rigid_schema, .initial = "none",
             .about = "{name, from, to, fixed, mass, inertia} of each rigid body"),
    AM_MODES_FIELDS(am_mesh_setting, modes),
    AM_FIELD("mass_damping", NUMBER, am_mesh_setting, mass_damping, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0",
             .unit = "1/time", .about = "dynamics: damping over mass"),
    AM_FIELD("stiffness_damping", NUMBER, am_mesh_setting, stiffness_damping, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "0", .unit = "time", .about = "dynamics: damping over stiffness"),
    AM_FIELD("fields", FLAG, am_mesh_setting, fields, .initial = "false",
             .about =
                 "also the tables mesh_nodes and mesh_elements, and fields.vtu: displacements and stresses in the end",
             .example = "true"),
};

static void set_defaults(void *record) {
    am_mesh_setting *setting = record;
    setting->modes.check = true;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_mesh_setting *setting = record;
    if (setting->file && setting->text)
        return am_node_fail(am_node_get(node, "text"), reading->err, AM_ERR_INPUT,
                            "file and text cannot both be given: either is the mesh");
    if (!setting->file && !setting->text)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "model mesh needs its mesh: the key 'file', or 'text'");
    setting->rig = am_arena_new(reading->pool, 1, sizeof *setting->rig, reading->err);
    return setting->rig ? am_modes_finish(reading, &setting->modes) : AM_ERR_MEMORY;
}

static const am_schema schema = {
    .name = "mesh",
    .title = "model mesh",
    .about = "Elastic bodies meshed by Gmsh, in contact with each other or with rigid bodies. Coordinates v1.. (slips) "
             "and w1.. (gaps) of the contact nodes.",
    .size = sizeof(am_mesh_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static void release(void *object) {
    am_mesh_rig_clear(object);
    am_memory_free(object);
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const am_mesh_setting *setting = settings;
    am_mesh mesh;
    am_mesh_rig *rig = am_memory_new(1, sizeof *rig, reading->err);
    if (!rig || am_arena_own(reading->pool, rig, release, reading->err) != AM_OK)
        return NULL;
    *setting->rig = rig;
    if (define(reading, node, setting, &mesh) != AM_OK)
        return NULL;
    am_system *system = am_mesh_rig_init(rig, &mesh, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

/* The mesh of which an analysis shows the last sample. */
typedef struct witness {
    const am_mesh_setting *setting;
    am_solid_last last;
} witness;

static am_status see_sample(void *context, const am_sample *sample, am_error *err) {
    return am_solid_last_keep(&((witness *)context)->last, sample, err);
}

static am_status report_seen(void *context, am_result *result, am_error *err) {
    witness *w = context;
    return am_mesh_report(*w->setting->rig, w->setting->fields, &w->last, result, err);
}

static void release_witness(void *context) {
    if (context)
        am_solid_last_clear(&((witness *)context)->last);
    am_memory_free(context);
}

static am_status watch(const void *settings, am_model_watch *made, am_error *err) {
    witness *own = am_memory_new(1, sizeof *own, err);
    if (own)
        *own = (witness){.setting = settings};
    *made = (am_model_watch){{.sample = see_sample, .context = own}, report_seen, release_witness};
    return own ? AM_OK : AM_ERR_MEMORY;
}

static am_mode_choice modes_of(const void *settings) {
    const am_mesh_setting *setting = settings;
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
                                     .modes = modes_of};
