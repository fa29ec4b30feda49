#include "study/models/mesh.h"
#include "study/files.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "models/mesh_report.h"
#include "solid/gmsh.h"
#include "study/models.h"

/* ---- the definition ---- */

/* Room for as many items as a list has. */
#define ROOM(reading, list, items) am_arena_new((reading)->pool, (list)->count, sizeof *(items), (reading)->err)

static am_solid_place place_of(const char *line, const am_numbers *at) {
    am_solid_place place = {.name = line, .point = at->values != NULL};
    if (at->values)
        memcpy(place.at, at->values, sizeof place.at);
    return place;
}

static am_status take_supports(am_reading *reading, const am_records *list, am_solid_def *def) {
    const am_mesh_support_setting *from = list->items;
    am_solid_support *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++)
        to[i] = (am_solid_support){place_of(from[i].line, &from[i].at), {from[i].x, from[i].y}};
    def->support = to;
    def->support_count = list->count;
    return to ? AM_OK : AM_ERR_MEMORY;
}

static am_status take_loads(am_reading *reading, const am_records *list, am_solid_def *def) {
    const am_mesh_load_setting *from = list->items;
    am_solid_load *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++)
        to[i] = (am_solid_load){place_of(from[i].line, &from[i].at),
                                {from[i].force.values[0], from[i].force.values[1]},
                                from[i].function.function};
    def->load = to;
    def->load_count = list->count;
    return to ? AM_OK : AM_ERR_MEMORY;
}

static am_status take_gravity(am_reading *reading, const am_mesh_gravity_setting *from, am_solid_def *def) {
    if (!from->acceleration.values)
        return AM_OK;
    am_solid_gravity *to = am_arena_new(reading->pool, 1, sizeof *to, reading->err);
    if (!to)
        return AM_ERR_MEMORY;
    memcpy(to->acceleration, from->acceleration.values, sizeof to->acceleration);
    to->function = from->function.function;
    def->gravity = to;
    def->gravity_count = 1;
    return AM_OK;
}

static am_status take_drives(am_reading *reading, const am_records *list, am_solid_def *def) {
    const am_mesh_drive_setting *from = list->items;
    am_solid_drive *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++) {
        const double *d = from[i].direction.values, length = hypot(d[0], d[1]);
        to[i] = (am_solid_drive){.name = from[i].name ? from[i].name : from[i].line,
                                 .place = place_of(from[i].line, &from[i].at),
                                 .direction = {d[0] / length, d[1] / length},
                                 .stiffness = from[i].stiffness,
                                 .function = from[i].function.function};
    }
    def->drive = to;
    def->drive_count = list->count;
    return to ? AM_OK : AM_ERR_MEMORY;
}

static am_status take_rigid(am_reading *reading, const am_records *list, am_solid_def *def) {
    const am_mesh_rigid_setting *from = list->items;
    am_solid_rigid *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++) {
        to[i].name = from[i].name;
        to[i].mass = from[i].mass;
        to[i].inertia = from[i].inertia;
        memcpy(to[i].from, from[i].from.values, sizeof to[i].from);
        memcpy(to[i].to, from[i].to.values, sizeof to[i].to);
        for (size_t k = 0; k < (from[i].fixed.values ? from[i].fixed.count : 3); k++)
            to[i].fixed[from[i].fixed.values ? (size_t)from[i].fixed.values[k] : k] = true;
    }
    def->rigid = to;
    def->rigid_count = list->count;
    return to ? AM_OK : AM_ERR_MEMORY;
}

static am_status take_contacts(am_reading *reading, const am_records *list, am_solid_def *def) {
    const am_mesh_contact_setting *from = list->items;
    am_solid_contact *to = ROOM(reading, list, to);
    for (size_t i = 0; to && i < list->count; i++)
        to[i] = (am_solid_contact){.name = from[i].name ? from[i].name : from[i].slave,
                                   .slave = from[i].slave,
                                   .master = from[i].master,
                                   .friction = from[i].friction.friction,
                                   .gap = from[i].gap,
                                   .curvature = from[i].curvature,
                                   .centre = from[i].centre,
                                   .flush = from[i].flush};
    def->contact = to;
    def->contact_count = list->count;
    return to ? AM_OK : AM_ERR_MEMORY;
}

am_status am_mesh_define(am_reading *reading, const am_mesh_setting *setting, am_solid_def *def) {
    am_status status = take_supports(reading, &setting->supports, def);
    if (status == AM_OK)
        status = take_loads(reading, &setting->loads, def);
    if (status == AM_OK)
        status = take_gravity(reading, &setting->gravity, def);
    if (status == AM_OK)
        status = take_drives(reading, &setting->drives, def);
    if (status == AM_OK)
        status = take_rigid(reading, &setting->rigid, def);
    return status == AM_OK ? take_contacts(reading, &setting->contacts, def) : status;
}

/* ---- the mesh ---- */

static am_status read_mesh(am_reading *reading, const am_node *node, const am_mesh_setting *setting,
                           am_solid_mesh *mesh) {
    am_status status;
    if (setting->text) {
        status = am_gmsh_read_text(mesh, "text", setting->text, reading->err);
    } else {
        const char *path = am_files_path(reading, am_node_get(node, "file"), setting->file);
        if (!path)
            return reading->err->status;
        status = am_gmsh_read(mesh, path, reading->err);
    }
    if (status != AM_OK) {
        snprintf(reading->err->field, sizeof reading->err->field, setting->text ? "text" : "file");
        am_node_locate(node, reading->err);
    }
    return status;
}

static am_status unknown_body(am_reading *reading, const am_node *node, const char *name, const am_solid_mesh *mesh) {
    am_text known = {0};
    for (size_t i = 0; i < mesh->bodies; i++)
        am_text_printf(&known, "%s'%.60s'", i > 0 ? ", " : "", mesh->body[i].name);
    am_status status = am_node_fail(node, reading->err, AM_ERR_INPUT, "the mesh has no body '%.60s'; it has %.600s",
                                    name, am_text_view(&known));
    am_text_free(&known);
    return status;
}

/* Every body of the mesh gets its material, and no other. */
static am_status take_bodies(am_reading *reading, const am_records *list, am_solid_mesh *mesh) {
    const am_mesh_body_setting *from = list->items;
    for (size_t i = 0; i < list->count; i++) {
        size_t body = am_solid_mesh_find_body(mesh, from[i].name);
        if (body == SIZE_MAX)
            return unknown_body(reading, list->nodes[i], from[i].name, mesh);
        if (mesh->body[body].modulus > 0)
            return am_node_fail(list->nodes[i], reading->err, AM_ERR_INPUT, "body '%.60s' is given twice",
                                from[i].name);
        char *name = mesh->body[body].name;
        mesh->body[body] = from[i].body;
        mesh->body[body].name = name;
    }
    for (size_t i = 0; i < mesh->bodies; i++)
        if (!(mesh->body[i].modulus > 0))
            return am_node_fail(list->node, reading->err, AM_ERR_INPUT,
                                "body '%.60s' of the mesh has no material; add it to bodies", mesh->body[i].name);
    return AM_OK;
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
    am_mesh_rig *rig = object;
    am_solid_dynamics_clear(&rig->dynamics);
    am_solid_free(rig->solid);
    am_solid_mesh_clear(&rig->mesh);
    am_memory_free(rig);
}

/* The system knows no forces of zero: which of the study's loads is its load number `load`. */
static size_t load_of_study(const am_solid_def *def, size_t load) {
    size_t i = 0;
    for (; i < def->load_count; i++)
        if ((def->load[i].force[0] != 0.0 || def->load[i].force[1] != 0.0) && load-- == 0)
            break;
    return i;
}

/* A load that no contact feels has no direction in the system. Of a mesh that means one of these. */
static void explain_load(const am_mesh_setting *setting, const am_mesh_rig *rig, am_error *err) {
    size_t load;
    int used = 0;
    if (err->status != AM_ERR_INPUT || sscanf(err->field, "loads[%zu].direction%n", &load, &used) != 1 || used == 0)
        return;
    load = load_of_study(&rig->def, load);
    bool heavy = false;
    for (size_t i = 0; i < rig->mesh.bodies; i++)
        heavy = heavy || rig->mesh.body[i].density > 0.0;
    if (load >= setting->loads.count) {
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

static am_status make(am_reading *reading, const am_node *node, const am_mesh_setting *setting, am_mesh_rig *rig) {
    am_status status = read_mesh(reading, node, setting, &rig->mesh);
    if (status == AM_OK)
        status = take_bodies(reading, &setting->bodies, &rig->mesh);
    if (status == AM_OK)
        status = am_mesh_define(reading, setting, &rig->def);
    if (status != AM_OK)
        return status;
    rig->def.mesh = &rig->mesh;
    rig->def.mass_damping = setting->mass_damping;
    rig->def.stiffness_damping = setting->stiffness_damping;
    status = am_solid_create(&rig->solid, &rig->def, reading->err);
    if (status == AM_OK && setting->modes.count > 0)
        status = am_solid_dynamics_init(&rig->dynamics, rig->solid, setting->modes.count, reading->err);
    if (status != AM_OK) {
        explain_load(setting, rig, reading->err);
        am_node_locate(node, reading->err);
    }
    return status;
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const am_mesh_setting *setting = settings;
    am_mesh_rig *rig = am_memory_new(1, sizeof *rig, reading->err);
    if (!rig || am_arena_own(reading->pool, rig, release, reading->err) != AM_OK)
        return NULL;
    *setting->rig = rig;
    if (make(reading, node, setting, rig) != AM_OK)
        return NULL;
    am_system *system = rig->dynamics.system;
    rig->dynamics.system = NULL; /* the caller's from now on */
    if (!system)
        system = am_solid_system(rig->solid, reading->err);
    if (!system) {
        explain_load(setting, rig, reading->err);
        am_node_locate(node, reading->err);
    }
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
    *made = (am_model_watch){{see_sample, own}, report_seen, release_witness};
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
