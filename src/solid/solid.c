#include "solid/solid.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "math/dense.h"
#include "solid/cleaning.h"
#include "solid/freedom.h"
#include "solid/place.h"
#include "solid/solid_internal.h"

/* Gaps below this part of the contact's length are surfaces that touch: places of meshes are rounded. */
static const double touching = 1e-10;

/* The function of load l (loads, then weights). */
static const am_function *solid_function(const am_solid *solid, size_t l) {
    const am_solid_def *def = &solid->def;
    return l < def->load_count ? &def->load[l].function : &def->gravity[l - def->load_count].function;
}

/* ---- contacts ---- */

static am_status find_surfaces(const am_solid_def *def, size_t contact, const am_solid_line **slave,
                               am_mortar_master *master, double ends[2][2], am_error *err) {
    const am_mesh_contact *c = &def->contact[contact];
    char field[48];
    size_t line = c->slave ? am_solid_mesh_find_line(def->mesh, c->slave) : SIZE_MAX;
    snprintf(field, sizeof field, "contacts[%zu].slave", contact);
    if (line == SIZE_MAX)
        return am_fail_field(err, AM_ERR_INPUT, field, "there is no line named %s", c->slave ? c->slave : "(none)");
    *slave = &def->mesh->line[line];
    *master = (am_mortar_master){.name = c->master};
    if (!c->master)
        return AM_OK;
    size_t rigid = am_solid_find_rigid(def, c->master);
    line = am_solid_mesh_find_line(def->mesh, c->master);
    snprintf(field, sizeof field, "contacts[%zu].master", contact);
    if (rigid == SIZE_MAX && line == SIZE_MAX)
        return am_fail_field(err, AM_ERR_INPUT, field, "there is no line or rigid body named %s", c->master);
    if (rigid == SIZE_MAX) {
        master->line = &def->mesh->line[line];
        return AM_OK;
    }
    memcpy(ends[0], def->rigid[rigid].from, sizeof ends[0]);
    memcpy(ends[1], def->rigid[rigid].to, sizeof ends[1]);
    master->rigid = (const double(*)[2])ends;
    return AM_OK;
}

/* Weights of the bodies' thickness: what is in contact is the thinner one. */
static double thickness_of(const am_solid_def *def, const am_solid_line *slave, const am_mortar_master *master) {
    double own = def->mesh->body[slave->body].thickness;
    return master->line ? fmin(own, def->mesh->body[master->line->body].thickness) : own;
}

static void describe_nodes(am_solid *s, size_t contact, double thickness, am_solid_node *to) {
    const am_mortar *mortar = &s->mortar[contact];
    for (size_t i = 0; i < mortar->nodes; i++) {
        const am_mortar_node *from = &mortar->node[i];
        const double *place = s->def.mesh->place + 2 * from->node;
        to[i] = (am_solid_node){
            .contact = contact,
            .node = from->node,
            .place = {place[0], place[1]},
            .normal = {from->normal[0], from->normal[1]},
            .tangent = {from->tangent[0], from->tangent[1]},
            .arc = i ? to[i - 1].arc + hypot(place[0] - to[i - 1].place[0], place[1] - to[i - 1].place[1]) : 0.0,
            .area = from->length * thickness};
    }
}

/* Overlaps of the drawing are mistakes of it, unless they are smaller than what curves of facets can tell. */
static am_status overlap_of(const am_solid *s, size_t contact, const am_solid_node *node, double overlap,
                            am_error *err) {
    const am_mesh_contact *c = &s->def.contact[contact];
    char field[48];
    snprintf(field, sizeof field, "contacts[%zu].gap", contact);
    return am_fail_field(err, AM_ERR_INPUT, field,
                         "the mesh of contact line %s overlaps %s by %.4g at (%g, %g). Draw the bodies apart; or give "
                         "the contact `flush: true` if the two surfaces are meant to coincide (all gaps of the mesh "
                         "are then zero), or a `gap` of %.4g or more, which is added to that of the mesh",
                         c->slave, c->master, overlap, node->place[0], node->place[1], overlap);
}

static am_status measure_gaps(const am_solid *s, size_t contact, am_solid_node *to, am_error *err) {
    const am_mesh_contact *c = &s->def.contact[contact];
    const am_mortar *mortar = &s->mortar[contact];
    double length = mortar->nodes ? to[mortar->nodes - 1].arc : 0.0;
    for (size_t i = 0; i < mortar->nodes; i++) {
        double x = to[i].place[0] - c->centre; /* along the surface, which is nearly straight where it touches */
        double gap = c->flush ? 0.0 : mortar->node[i].gap;
        bool touches = fabs(gap) <= touching * length || (gap < 0.0 && -gap <= mortar->node[i].doubt);
        gap = touches ? 0.0 : gap;
        to[i].gap = gap + c->gap + 0.5 * c->curvature * x * x;
        if (gap < 0.0 && to[i].gap < -touching * length)
            return overlap_of(s, contact, &to[i], -to[i].gap, err);
    }
    return AM_OK;
}

/* What each contact faces; nodes have the holds that are known. */
static am_status make_mortars(am_solid *s, const am_mortar_hold *hold, double *thickness, am_error *err) {
    const am_solid_def *def = &s->def;
    for (size_t k = 0; k < def->contact_count; k++) {
        const am_solid_line *slave = NULL;
        am_mortar_master master;
        double ends[2][2];
        AM_TRY(find_surfaces(def, k, &slave, &master, ends, err));
        AM_TRY(am_mortar_init(&s->mortar[k], def->mesh, slave, &master, hold, &s->memory, err));
        thickness[k] = thickness_of(def, slave, &master);
    }
    return AM_OK;
}

/* Twice, where contact lines meet supports, drives or each other: it takes their normals to tell what is held. */
static am_status settle_mortars(am_solid *s, double *thickness, am_arena *work, am_error *err) {
    size_t crossed = 0;
    am_mortar_hold *hold = am_arena_new(work, s->def.mesh->nodes, sizeof *hold, err);
    AM_TRY(hold ? make_mortars(s, hold, thickness, err) : AM_ERR_MEMORY);
    AM_TRY(am_holding_cross(&s->holding, &s->def, s->mortar, hold, &crossed, work, err));
    AM_TRY(crossed > 0 ? make_mortars(s, hold, thickness, err) : AM_OK);
    return am_holding_contacts(&s->holding, &s->def, s->mortar, err);
}

static am_status make_contacts(am_solid *s, am_error *err) {
    const am_solid_def *def = &s->def;
    size_t total = 0;
    AM_LOCAL_ARENA work = {0};
    double *thickness = am_arena_doubles(&work, NULL, def->contact_count, err);
    s->mortar = am_arena_new(&s->memory, def->contact_count, sizeof *s->mortar, err);
    if (!s->mortar || !thickness)
        return AM_ERR_MEMORY;
    AM_TRY(settle_mortars(s, thickness, &work, err));
    for (size_t k = 0; k < def->contact_count; k++)
        total += s->mortar[k].nodes;
    s->node = am_arena_new(&s->memory, total, sizeof *s->node, err);
    AM_TRY(am_arena_status(&s->memory));
    total = 0;
    for (size_t k = 0; k < def->contact_count; k++) {
        describe_nodes(s, k, thickness[k], s->node + total);
        AM_TRY(measure_gaps(s, k, s->node + total, err));
        total += s->mortar[k].nodes;
    }
    return AM_OK;
}

/* ---- condensation ---- */

static am_status condense(am_solid *s, am_error *err) {
    size_t kept = s->expansion.kept, n = s->expansion.count;
    bool singular;
    s->kept = am_arena_new(&s->memory, kept, sizeof *s->kept, err);
    s->schur = am_arena_doubles(&s->memory, NULL, kept * kept, err);
    AM_ARENA_DOUBLES(&s->memory, n, err, &s->y, &s->total);
    if (am_arena_status(&s->memory))
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < kept; i++)
        s->kept[i] = (int)i + 1;
    AM_TRY(am_assembly_stiffness(&s->stiffness, &s->def, &s->expansion, s->mortar, err));
    AM_TRY(am_sparse_create(&s->factor, AM_SPARSE_SYMMETRIC, n, s->stiffness.count, s->stiffness.row,
                            s->stiffness.column, err));
    AM_TRY(am_sparse_keep(s->factor, kept, s->kept, s->schur, err));
    AM_TRY(am_sparse_factor(s->factor, s->stiffness.value, &singular, err));
    if (singular)
        return am_fail(err, AM_ERR_INPUT,
                       "the stiffness of the mesh is singular to rounding: are moduli, thicknesses and lengths in "
                       "consistent units, and is every body held?");
    return AM_OK;
}

static am_status condense_loads(am_solid *s, am_error *err) {
    size_t kept = s->expansion.kept, n = s->expansion.count;
    s->loads = s->def.load_count + s->def.gravity_count;
    s->force = am_arena_doubles(&s->memory, NULL, s->loads * n, err);
    s->felt = am_arena_doubles(&s->memory, NULL, s->loads * kept, err);
    AM_TRY(am_arena_status(&s->memory));
    for (size_t l = 0; l < s->loads; l++) {
        double *force = s->force + l * n;
        if (l < s->def.load_count)
            AM_TRY(am_assembly_load(&s->def, &s->expansion, l, force, err));
        else
            am_assembly_gravity(&s->def, &s->expansion, l - s->def.load_count, force);
        AM_TRY(am_sparse_condense(s->factor, force, s->felt + l * kept, err));
    }
    return AM_OK;
}

/* Forces -S_bd d on the contacts by the springs of drives whose far ends move along with a motion. */
static am_status clean_stiffness(am_solid *s, const double *motions, size_t count, am_error *err) {
    size_t kept = s->expansion.kept, n = 2 * s->expansion.contacts, width = s->expansion.count;
    AM_LOCAL_MEMORY double *wanted = am_memory_new(count * n, sizeof *wanted, err);
    if (!wanted)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++)
            wanted[k * n + i] = -am_dense_dot(s->schur + i * kept + n, motions + k * width + n, kept - n);
    return am_clean_matrix(s->schur, n, kept, motions, count, width, wanted, err);
}

/* What contacts feel of a load does the work of the load itself along every motion. */
static void clean_loads(am_solid *s, const double *motions, size_t count) {
    size_t kept = s->expansion.kept, n = 2 * s->expansion.contacts, width = s->expansion.count;
    for (size_t l = 0; l < s->loads; l++)
        for (size_t k = 0; k < count; k++) {
            const double *motion = motions + k * width;
            double *felt = s->felt + l * kept;
            double missing = am_dense_dot(motion, s->force + l * width, width) - am_dense_dot(motion, felt, kept);
            for (size_t i = 0; i < n; i++)
                felt[i] += missing * motion[i];
        }
}

/* Eliminating many unknowns leaves rounding of 1e-12 of the stiffness, 1e-9 where a body hardly changes its volume,
 * also where the result is known: a body that moves rigidly strains nothing (S_bb b + S_bd d = 0), and loads do their
 * own work. Without this a floating body would have slightly negative eigenvalues. */
static am_status clean(am_solid *s, am_error *err) {
    size_t count;
    double *motions;
    am_status status = am_freedom_motions(&s->def, &s->expansion, &count, &motions, err);
    if (!status) {
        am_clean_basis(motions, &count, 2 * s->expansion.contacts, s->expansion.count);
        status = clean_stiffness(s, motions, count, err);
    }
    if (!status)
        clean_loads(s, motions, count);
    am_memory_free(motions);
    return status;
}

static am_status check_rigid(const am_solid_def *def, am_error *err) {
    for (size_t i = 0; i < def->rigid_count; i++) {
        const am_mesh_rigid *r = &def->rigid[i];
        if (!(hypot(r->to[0] - r->from[0], r->to[1] - r->from[1]) > 0.0))
            return am_fail(err, AM_ERR_INPUT, "the surface of rigid body %s has no length", r->name);
    }
    return AM_OK;
}

/* Stiffnesses further apart than rounding can bear in one matrix are a mistake of units, or ask for a rigid body. */
static am_status check_units(const am_solid_mesh *mesh, am_error *err) {
    static const double most = 1e9;
    const am_solid_body *soft = NULL, *stiff = NULL;
    for (size_t b = 0; b < mesh->bodies; b++) {
        const am_solid_body *body = &mesh->body[b];
        soft = !soft || body->modulus * body->thickness < soft->modulus * soft->thickness ? body : soft;
        stiff = !stiff || body->modulus * body->thickness > stiff->modulus * stiff->thickness ? body : stiff;
    }
    if (!soft || stiff->modulus * stiff->thickness <= most * soft->modulus * soft->thickness)
        return AM_OK;
    return am_fail(
        err, AM_ERR_INPUT,
        "E times thickness is %g for %s and %g for %s: so far apart that the stiffness of both is singular to "
        "rounding. Are the units consistent? A body that is to be rigid can be made a rigid one",
        stiff->modulus * stiff->thickness, stiff->name, soft->modulus * soft->thickness, soft->name);
}

static am_status fill(am_solid *s, am_error *err) {
    const am_solid_def *def = &s->def;
    AM_TRY(am_solid_mesh_check(def->mesh, err));
    AM_TRY(check_units(def->mesh, err));
    AM_TRY(check_rigid(def, err));
    AM_TRY(am_holding_init(&s->holding, def, &s->memory, err));
    AM_TRY(make_contacts(s, err));
    AM_TRY(am_expansion_init(&s->expansion, def, s->mortar, &s->holding, &s->memory, err));
    AM_TRY(am_freedom_check(def, &s->expansion, s->mortar, err));
    AM_TRY(condense(s, err));
    AM_TRY(condense_loads(s, err));
    return clean(s, err);
}

am_status am_solid_create(am_solid **solid, const am_solid_def *def, am_error *err) {
    *solid = am_memory_new(1, sizeof **solid, err);
    if (!*solid)
        return AM_ERR_MEMORY;
    (*solid)->def = *def;
    am_status status = fill(*solid, err);
    if (status) {
        am_solid_free(*solid);
        *solid = NULL;
    }
    return status;
}

void am_solid_free(am_solid *solid) {
    if (!solid)
        return;
    am_sparse_free(solid->factor);
    am_expansion_clear(&solid->expansion);
    am_assembly_clear(&solid->stiffness);
    am_arena_clear(&solid->memory);
    am_memory_free(solid);
}

size_t am_solid_contacts(const am_solid *solid) {
    return solid->expansion.contacts;
}

const am_solid_node *am_solid_node_at(const am_solid *solid, size_t contact) {
    return &solid->node[contact];
}

size_t am_solid_unknowns(const am_solid *solid) {
    return solid->expansion.count;
}

/* ---- the system ---- */

static void name_coordinates(const am_solid *s, size_t n, char (*text)[24], const char **names) {
    size_t m = s->expansion.contacts;
    for (size_t i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "%c%zu",
                 i < m       ? 'v'
                 : i < 2 * m ? 'w'
                             : 'z',
                 1 + (i < m       ? i
                      : i < 2 * m ? i - m
                                  : i - 2 * m));
        names[i] = text[i];
    }
}

static void define_contacts(const am_solid *s, size_t n, double *rows, char (*text)[48], am_contact_def *contacts) {
    size_t m = s->expansion.contacts, index = 0;
    for (size_t i = 0; i < m; i++) {
        const am_mesh_contact *contact = &s->def.contact[s->node[i].contact];
        index = i && s->node[i].contact == s->node[i - 1].contact ? index + 1 : 1;
        double *tangent = rows + 2 * i * n, *normal = tangent + n;
        tangent[i] = 1.0;
        normal[m + i] = 1.0;
        snprintf(text[i], sizeof text[i], "%.30s %zu", contact->name ? contact->name : "node", index);
        contacts[i] = am_contact_def_default();
        contacts[i].name = text[i];
        contacts[i].tangent = tangent;
        contacts[i].normal = normal;
        contacts[i].gap = s->node[i].gap;
        contacts[i].friction = am_friction_last(&contact->friction);
        contacts[i].static_friction = am_friction_most(&contact->friction);
        if (am_friction_weakens(&contact->friction))
            contacts[i].weakening = contact->friction;
    }
}

/* A force or an acceleration of zero, such as the first of a sweep, is no load. */
static bool is_zero(const am_solid *s, size_t l) {
    const am_solid_def *def = &s->def;
    if (l >= s->loads)
        return false;
    const double *vector = l < def->load_count ? def->load[l].force : def->gravity[l - def->load_count].acceleration;
    return vector[0] == 0.0 && vector[1] == 0.0;
}

am_system *am_solid_make_system(const am_solid *solid, size_t n, const double *stiffness, const double *mass,
                                const double *damping, const double *felt, am_error *err) {
    const am_solid *s = solid;
    size_t m = s->expansion.contacts, loads = s->loads + s->def.drive_count;
    am_arena memory = {0};
    double *rows = am_arena_doubles(&memory, NULL, 2 * m * n, err);
    am_contact_def *contacts = am_arena_new(&memory, m, sizeof *contacts, err);
    char(*contact_text)[48] = am_arena_new(&memory, m, sizeof *contact_text, err);
    am_load_def *load = am_arena_new(&memory, loads, sizeof *load, err);
    char(*text)[24] = am_arena_new(&memory, n, sizeof *text, err);
    const char **names = am_arena_new(&memory, n, sizeof *names, err);
    am_matrix *K = am_matrix_dense(n, n, stiffness, err), *M = mass ? am_matrix_dense(n, n, mass, err) : NULL;
    am_matrix *C = damping ? am_matrix_dense(n, n, damping, err) : NULL;
    am_system *system = NULL;
    if (!am_arena_status(&memory) && K && (M || !mass) && (C || !damping)) {
        name_coordinates(s, n, text, names);
        define_contacts(s, n, rows, contact_text, contacts);
        size_t felt_loads = 0;
        for (size_t l = 0; l < loads; l++)
            if (!is_zero(s, l))
                load[felt_loads++] = (am_load_def){felt + l * n, l < s->loads ? *solid_function(s, l)
                                                                              : s->def.drive[l - s->loads].function};
        am_system_def def = am_system_def_default();
        def.n = n;
        def.mass = M;
        def.damping = C;
        def.stiffness = K;
        def.contact_count = m;
        def.contacts = contacts;
        def.load_count = felt_loads;
        def.loads = load;
        def.names = names;
        def.named_by_model = true;
        system = am_system_create(&def, err);
    }
    am_matrix_free(K);
    am_matrix_free(M);
    am_matrix_free(C);
    am_arena_clear(&memory);
    return system;
}

am_system *am_solid_system(const am_solid *solid, am_error *err) {
    const am_solid *s = solid;
    size_t kept = s->expansion.kept, n = 2 * s->expansion.contacts, loads = s->loads + s->def.drive_count;
    am_arena memory = {0};
    double *stiffness = am_arena_doubles(&memory, NULL, n * n, err);
    double *felt = am_arena_doubles(&memory, NULL, loads * n, err);
    am_system *system = NULL;
    if (!am_arena_status(&memory)) {
        for (size_t i = 0; i < n; i++)
            memcpy(stiffness + i * n, s->schur + i * kept, n * sizeof *stiffness);
        for (size_t l = 0; l < s->loads; l++)
            memcpy(felt + l * n, s->felt + l * kept, n * sizeof *felt);
        for (size_t d = 0; d < s->def.drive_count; d++) /* to hold the rest while the drive moves by one */
            for (size_t i = 0; i < n; i++)
                felt[(s->loads + d) * n + i] = -s->schur[i * kept + n + d];
        system = am_solid_make_system(s, n, stiffness, NULL, NULL, felt, err);
    }
    am_arena_clear(&memory);
    return system;
}

/* ---- back to the mesh ---- */

/* Forces along the drives that hold them where they are: their rows of the condensed stiffness. */
static void drive_forces(const am_solid *s, const double *place, double t, double *force) {
    size_t kept = s->expansion.kept, first = 2 * s->expansion.contacts;
    for (size_t d = 0; d < s->def.drive_count; d++) {
        double sum = 0.0;
        for (size_t i = 0; i < kept; i++)
            sum += s->schur[(first + d) * kept + i] * place[i];
        for (size_t l = 0; l < s->loads; l++)
            sum -= s->felt[l * kept + first + d] * am_function_at(solid_function(s, l), t);
        force[d] = sum;
    }
}

am_status am_solid_displacements(am_solid *solid, const double *q, double t, double *displacement, double *rigid,
                                 double *drive, am_error *err) {
    am_solid *s = solid;
    size_t kept = s->expansion.kept, n = s->expansion.count, nodes = s->def.mesh->nodes, rows = s->expansion.rows;
    AM_LOCAL_MEMORY double *place = am_memory_new(kept + rows, sizeof *place, err);
    if (!place)
        return AM_ERR_MEMORY;
    double *u = place + kept;
    memcpy(place, q, 2 * s->expansion.contacts * sizeof *place);
    for (size_t d = 0; d < s->def.drive_count; d++)
        place[2 * s->expansion.contacts + d] = am_function_at(&s->def.drive[d].function, t);
    memset(s->total, 0, n * sizeof *s->total);
    for (size_t l = 0; l < s->loads; l++) {
        double now = am_function_at(solid_function(s, l), t);
        for (size_t i = 0; i < n; i++)
            s->total[i] += now * s->force[l * n + i];
    }
    AM_TRY(am_sparse_expand(s->factor, s->total, place, s->y, err));
    am_expansion_apply(&s->expansion, s->y, u);
    memcpy(displacement, u, 2 * nodes * sizeof *displacement);
    if (rigid)
        memcpy(rigid, u + 2 * nodes, 3 * s->def.rigid_count * sizeof *rigid);
    if (drive)
        drive_forces(s, place, t, drive);
    return AM_OK;
}
