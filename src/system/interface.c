#include "amontons/system.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"

struct am_interface {
    uint64_t tag; /* AM_TAG_INTERFACE */
    bool ground;  /* there is no other side */
    size_t count;
    am_interface_pair *pair;
    am_contact_def *contact;
    am_arena memory, rows; /* rows: of am_interface_contacts */
};

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void difference(const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; k++)
        c[k] = a[k] - b[k];
}

/* Its length before; 0 leaves it. */
static double normalise(double a[3]) {
    double length = sqrt(dot(a, a));
    for (int k = 0; k < 3 && length > 0.0; k++)
        a[k] /= length;
    return length;
}

static void remove_along(double a[3], const double unit[3]) {
    double share = dot(a, unit);
    for (int k = 0; k < 3; k++)
        a[k] -= share * unit[k];
}

/* ---- pairs ---- */

static double size_of(const am_interface_nodes *nodes) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0.0;
    for (size_t i = 0; i < nodes->count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], nodes->place[3 * i + k]);
            high[k] = fmax(high[k], nodes->place[3 * i + k]);
        }
    for (int k = 0; k < 3 && nodes->count > 0; k++)
        size += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(size);
}

/* The nearest of the nodes, and how far it is; SIZE_MAX: there is none. */
static size_t nearest(const am_interface_nodes *nodes, const double place[3], double *distance) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < nodes->count; i++) {
        double apart[3];
        difference(place, nodes->place + 3 * i, apart);
        double square = dot(apart, apart);
        if (square < least) {
            least = square;
            best = i;
        }
    }
    *distance = sqrt(least);
    return best;
}

enum { NAMED_NODES = 8 };

/* Nodes without a partner, as far as a sentence holds them. */
typedef struct lonely {
    size_t count;
    char words[256];
    long first, nearest;
    double distance;
} lonely;

static void add_lonely(lonely *l, long node, long other, double distance) {
    size_t length = strlen(l->words);
    if (l->count == 0) {
        l->first = node;
        l->nearest = other;
        l->distance = distance;
    }
    if (l->count < NAMED_NODES)
        snprintf(l->words + length, sizeof l->words - length, "%s%ld", l->count ? ", " : "", node);
    else if (l->count == NAMED_NODES)
        snprintf(l->words + length, sizeof l->words - length, ", ...");
    l->count++;
}

static am_status refuse_lonely(const lonely *l, const char *side, const char *other, double tolerance, am_error *err) {
    return am_fail_field(err, AM_ERR_INPUT, side,
                         "%zu node%s of `%s` ha%s no partner in `%s` within %.3g: %s (node %ld is %.3g away, the "
                         "nearest to node %ld)",
                         l->count, l->count > 1 ? "s" : "", side, l->count > 1 ? "ve" : "s", other, tolerance, l->words,
                         l->nearest, l->distance, l->first);
}

/* Each node of one side has a nearest one on the other, and is the nearest to it. */
static am_status find_partners(const am_interface_def *def, double tolerance, size_t *partner, am_error *err) {
    lonely from = {0}, to = {0};
    double distance;
    for (size_t i = 0; i < def->from.count; i++) {
        partner[i] = nearest(&def->to, def->from.place + 3 * i, &distance);
        if (!(distance <= tolerance))
            add_lonely(&from, def->from.number[i], def->to.number[partner[i]], distance);
    }
    if (from.count > 0)
        return refuse_lonely(&from, "from", "to", tolerance, err);
    for (size_t j = 0; j < def->to.count; j++) {
        size_t i = nearest(&def->from, def->to.place + 3 * j, &distance);
        if (!(distance <= tolerance))
            add_lonely(&to, def->to.number[j], def->from.number[i], distance);
        else if (partner[i] != j)
            return am_fail_field(err, AM_ERR_INPUT, "tolerance",
                                 "node %ld of `from` has two partners in `to`, %ld and %ld, which are nearer to each "
                                 "other than the sides: the surfaces must have nodes face to face",
                                 def->from.number[i], def->to.number[partner[i]], def->to.number[j]);
    }
    if (to.count > 0)
        return refuse_lonely(&to, "to", "from", tolerance, err);
    for (size_t i = 0; i < def->from.count; i++)
        if (nearest(&def->from, def->to.place + 3 * partner[i], &distance) != i)
            return am_fail_field(err, AM_ERR_INPUT, "tolerance",
                                 "nodes %ld and %ld of `from` have the same partner %ld in `to`", def->from.number[i],
                                 def->from.number[nearest(&def->from, def->to.place + 3 * partner[i], &distance)],
                                 def->to.number[partner[i]]);
    return AM_OK;
}

/* ---- normals and areas ---- */

/* A triangle: half the vector is its area and normal; a third of it for each node. */
static void add_triangle(const double *place, const size_t node[3], double weight, const double *inside, double *area,
                         double *normal) {
    double a[3], b[3], n[3], toward = 0.0;
    difference(place + 3 * node[1], place + 3 * node[0], a);
    difference(place + 3 * node[2], place + 3 * node[0], b);
    cross(a, b, n);
    for (int v = 0; v < 3 && inside; v++)
        toward += dot(n, inside + 3 * node[v]);
    double sign = toward < 0.0 ? -1.0 : 1.0, size = 0.5 * sqrt(dot(n, n));
    for (int v = 0; v < 3; v++) {
        area[node[v]] += weight * size / 3.0;
        for (int k = 0; k < 3; k++)
            normal[3 * node[v] + k] += sign * weight * n[k];
    }
}

static void add_edge(const double *place, const size_t node[2], const double *inside, double *area, double *normal) {
    double along[3];
    difference(place + 3 * node[1], place + 3 * node[0], along);
    double n[3] = {-along[1], along[0], 0.0}, toward = 0.0;
    for (int v = 0; v < 2 && inside; v++)
        toward += dot(n, inside + 3 * node[v]);
    for (int v = 0; v < 2; v++) {
        area[node[v]] += 0.5 * sqrt(dot(n, n));
        for (int k = 0; k < 3; k++)
            normal[3 * node[v] + k] += toward < 0.0 ? -n[k] : n[k];
    }
}

/* Four nodes are divided both ways, so that a rectangle gives a quarter to each. */
static void add_face(const am_interface_def *def, const am_interface_face *face, double *area, double *normal) {
    const double *place = def->from.place;
    const size_t *v = face->node;
    if (face->count == 2)
        add_edge(place, v, def->inside, area, normal);
    else if (face->count == 3)
        add_triangle(place, v, 1.0, def->inside, area, normal);
    else
        for (int way = 0; way < 2; way++) {
            add_triangle(place, (size_t[]){v[way], v[way + 1], v[way + 2]}, 0.5, def->inside, area, normal);
            add_triangle(place, (size_t[]){v[way + 2], v[(way + 3) % 4], v[way]}, 0.5, def->inside, area, normal);
        }
}

/* The plane in which the nodes lie: across the longest distance from the first node and the node farthest off that
 * line. Nodes off it by more than 1e-3 of their extent are refused: a plane is not their surface. */
static am_status fit_plane(const am_interface_def *def, double normal[3], am_error *err) {
    const double *place = def->from.place;
    double along[3] = {0.0}, best = 0.0, off = 0.0, size = size_of(&def->from), apart[3];
    for (size_t i = 1; i < def->from.count; i++) {
        difference(place + 3 * i, place, apart);
        if (dot(apart, apart) > best) {
            best = dot(apart, apart);
            memcpy(along, apart, sizeof along);
        }
    }
    normalise(along);
    if (def->plane) {
        normal[0] = -along[1];
        normal[1] = along[0];
        normal[2] = 0.0;
        best = dot(along, along);
    } else
        best = 0.0;
    for (size_t i = 1; i < def->from.count && !def->plane; i++) {
        double across[3];
        difference(place + 3 * i, place, apart);
        cross(along, apart, across);
        if (dot(across, across) > best) {
            best = dot(across, across);
            memcpy(normal, across, sizeof across);
        }
    }
    if (!(sqrt(best) > 1e-6 * (def->plane ? 1.0 : size)))
        return am_fail_field(err, AM_ERR_INPUT, "normal",
                             "the nodes of `from` span no surface from which a normal follows: give `normal`");
    normalise(normal);
    for (size_t i = 0; i < def->from.count; i++) {
        difference(place + 3 * i, place, apart);
        off = fmax(off, fabs(dot(apart, normal)));
    }
    return off <= 1e-3 * size ? AM_OK
                              : am_fail_field(err, AM_ERR_INPUT, "normal",
                                              "the nodes of `from` do not lie in a plane (they are off it by %.3g): "
                                              "give `normal`, or a surface mesh",
                                              off);
}

/* One plane for all: its sign is that of the whole body. */
static am_status take_plane(const am_interface_def *def, double *normals, am_error *err) {
    double normal[3] = {0.0}, toward = 0.0, sum = 0.0;
    AM_TRY(fit_plane(def, normal, err));
    for (size_t i = 0; i < def->from.count; i++) {
        toward += dot(normal, def->inside + 3 * i);
        sum += sqrt(dot(def->inside + 3 * i, def->inside + 3 * i));
    }
    if (!(fabs(toward) > 1e-3 * sum))
        return am_fail_field(err, AM_ERR_INPUT, "normal",
                             "on which side of the surface the body of `from` lies does not follow from the mesh: "
                             "give `normal`, from `to` into the body of `from`");
    for (size_t i = 0; i < def->from.count; i++)
        for (int k = 0; k < 3; k++)
            normals[3 * i + k] = toward < 0.0 ? -normal[k] : normal[k];
    return AM_OK;
}

static am_status check_given(const double *given, bool plane, const char *field, am_error *err) {
    double length = given ? sqrt(dot(given, given)) : 1.0;
    if (!(length > 0.0) || !isfinite(length))
        return am_fail_field(err, AM_ERR_INPUT, field, "%s must be a vector of finite length, not zero", field);
    if (given && plane && given[2] != 0.0)
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "%s has a part along z, in which the nodes of this structure do not move", field);
    return AM_OK;
}

static am_status find_normals(const am_interface_def *def, double *area, double *normals, am_error *err) {
    for (size_t f = 0; f < def->face_count; f++)
        add_face(def, &def->faces[f], area, normals);
    if (def->normal)
        for (size_t i = 0; i < def->from.count; i++)
            memcpy(normals + 3 * i, def->normal, 3 * sizeof *normals);
    else if (!def->inside)
        return am_fail_field(err, AM_ERR_INPUT, "normal",
                             "without `normal` it must be known on which side the body of `from` lies (`inside`)");
    else if (def->face_count == 0)
        AM_TRY(take_plane(def, normals, err));
    for (size_t i = 0; i < def->from.count; i++)
        if (!(normalise(normals + 3 * i) > 0.0))
            return am_fail_field(err, AM_ERR_INPUT, "normal",
                                 "node %ld of `from` lies on no face of the surface, so that it has no normal: give "
                                 "`normal`",
                                 def->from.number[i]);
    lonely bare = {0};
    for (size_t i = 0; i < def->from.count && def->per_area; i++)
        if (!(area[i] > 0.0))
            add_lonely(&bare, def->from.number[i], 0, 0.0);
    return bare.count == 0 ? AM_OK
                           : am_fail_field(err, AM_ERR_INPUT, "per",
                                           "%zu node%s of `from` lie%s on no face of the surface and ha%s no area: %s",
                                           bare.count, bare.count > 1 ? "s" : "", bare.count > 1 ? "" : "s",
                                           bare.count > 1 ? "ve" : "s", bare.words);
}

/* ---- tangents ---- */

static am_status take_tangent(const am_interface_def *def, am_interface_pair *pair, int which, const double given[3],
                              am_error *err) {
    double *t = pair->tangent[which];
    memcpy(t, given, 3 * sizeof *t);
    double before = sqrt(dot(t, t));
    remove_along(t, pair->normal);
    if (which == 1)
        remove_along(t, pair->tangent[0]);
    if (normalise(t) > 1e-6 * before)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, which ? "second_tangent" : "tangent",
                         "at node %ld a tangent that was given is along the normal%s", pair->from,
                         which && def->tangent ? " or the first tangent" : "");
}

static am_status find_tangents(const am_interface_def *def, am_interface_pair *pair, am_error *err) {
    double axis[3] = {1.0, 0.0, 0.0};
    if (def->frictionless)
        return AM_OK;
    if (fabs(pair->normal[0]) > 0.9) {
        axis[0] = 0.0;
        axis[1] = 1.0;
    }
    AM_TRY(take_tangent(def, pair, 0, def->tangent ? def->tangent : axis, err));
    if (def->second_tangent)
        return take_tangent(def, pair, 1, def->second_tangent, err);
    if (!def->tangent && !def->plane)
        cross(pair->normal, pair->tangent[0], pair->tangent[1]);
    return AM_OK;
}

/* ---- contacts ---- */

/* The function times a number, with tables and further terms of its own. */
static am_status scale_function(am_arena *memory, am_function *f, double factor, am_error *err) {
    for (;; f = (am_function *)(void *)f->plus) {
        f->value *= factor;
        f->amplitude *= factor;
        if (f->kind == AM_FUNCTION_RAMP)
            f->rate *= factor;
        const double **lists[2] = {&f->values, &f->moments};
        for (int l = 0; l < 2; l++)
            if (*lists[l]) {
                double *scaled = am_arena_doubles(memory, *lists[l], f->count, err);
                for (size_t i = 0; scaled && i < f->count; i++)
                    scaled[i] *= factor;
                *lists[l] = scaled;
            }
        if (!f->plus)
            return am_arena_status(memory);
        am_function *next = am_arena_new(memory, 1, sizeof *next, err);
        if (!next)
            return AM_ERR_MEMORY;
        *next = *f->plus;
        f->plus = next;
    }
}

static am_status make_contact(am_interface *interface, const am_interface_def *def, size_t i, am_error *err) {
    am_interface_pair *pair = &interface->pair[i];
    am_contact_def *contact = &interface->contact[i];
    double share = def->per_area ? pair->area : 1.0;
    char name[64];
    if (def->to.count > 0)
        snprintf(name, sizeof name, "pair %ld-%ld", pair->from, pair->to);
    else
        snprintf(name, sizeof name, "node %ld", pair->from);
    *contact = def->contact;
    contact->normal = contact->tangent = contact->second_tangent = NULL;
    memcpy(contact->place, def->from.place + 3 * i, sizeof contact->place);
    contact->name = am_arena_text(&interface->memory, name, strlen(name), err);
    contact->contact_stiffness *= share;
    contact->contact_damping *= share;
    contact->tangential_stiffness *= share;
    contact->gap += def->gap_of_mesh ? pair->distance : 0.0;
    if (contact->normal_law == AM_HELD && def->per_area)
        AM_TRY(scale_function(&interface->memory, &contact->hold, share, err));
    return am_arena_status(&interface->memory);
}

static am_status make_pairs(am_interface *interface, const am_interface_def *def, const size_t *partner,
                            const double *area, const double *normals, am_error *err) {
    for (size_t i = 0; i < def->from.count; i++) {
        am_interface_pair *pair = &interface->pair[i];
        pair->from = def->from.number[i];
        pair->area = area[i];
        memcpy(pair->normal, normals + 3 * i, sizeof pair->normal);
        if (def->to.count > 0) {
            double apart[3];
            difference(def->from.place + 3 * i, def->to.place + 3 * partner[i], apart);
            pair->to = def->to.number[partner[i]];
            pair->distance = dot(apart, pair->normal);
        }
        AM_TRY(find_tangents(def, pair, err));
        AM_TRY(make_contact(interface, def, i, err));
    }
    return AM_OK;
}

static am_status check_nodes(const am_interface_nodes *nodes, const char *field, am_error *err) {
    if (nodes->count > 0 && (!nodes->number || !nodes->place))
        return am_fail_field(err, AM_ERR_INPUT, field, "the nodes of `%s` need numbers and places", field);
    for (size_t i = 0; i < nodes->count; i++)
        for (size_t k = 0; k < 3; k++)
            if (!isfinite(nodes->place[3 * i + k]))
                return am_fail_field(err, AM_ERR_INPUT, field, "the place of node %ld of `%s` is not finite",
                                     nodes->number[i], field);
    return AM_OK;
}

static am_status check_definition(const am_interface_def *def, am_error *err) {
    if (def->from.count == 0)
        return am_fail_field(err, AM_ERR_INPUT, "from", "an interface needs nodes in `from`");
    AM_TRY(check_nodes(&def->from, "from", err));
    AM_TRY(check_nodes(&def->to, "to", err));
    if (!(def->tolerance >= 0.0) || !isfinite(def->tolerance))
        return am_fail_field(err, AM_ERR_INPUT, "tolerance", "the tolerance must be finite, and zero or positive");
    if (def->second_tangent && (!def->tangent || def->plane))
        return am_fail_field(err, AM_ERR_INPUT, "second_tangent",
                             def->plane ? "nodes that move in a plane have one tangent"
                                        : "a second tangent needs a first one");
    if (def->per_area && def->face_count == 0)
        return am_fail_field(err, AM_ERR_INPUT, "per",
                             "values per area need the faces of the surface, and the mesh has none on the nodes of "
                             "`from`");
    if (def->per_area && def->contact.iwan.density != AM_IWAN_NONE)
        return am_fail_field(err, AM_ERR_INPUT, "per", "an Iwan joint has forces of its own: it is per node");
    if (def->face_count > 0 && !def->faces)
        return am_fail_field(err, AM_ERR_INPUT, "faces", "there are %zu faces, but no list of them", def->face_count);
    for (size_t f = 0; f < def->face_count; f++)
        for (size_t k = 0; k < def->faces[f].count; k++)
            if (def->faces[f].count < 2 || def->faces[f].count > 4 || def->faces[f].node[k] >= def->from.count)
                return am_fail_field(err, AM_ERR_INPUT, "faces", "face %zu is none of 2 to 4 nodes of `from`", f);
    AM_TRY(check_given(def->normal, def->plane, "normal", err));
    AM_TRY(check_given(def->tangent, def->plane, "tangent", err));
    return check_given(def->second_tangent, def->plane, "second_tangent", err);
}

static am_status make(am_interface *interface, const am_interface_def *def, am_error *err) {
    size_t count = def->from.count;
    am_arena scratch = {0};
    size_t *partner = am_arena_new(&scratch, count, sizeof *partner, err);
    double *area = am_arena_doubles(&scratch, NULL, count, err);
    double *normals = am_arena_doubles(&scratch, NULL, 3 * count, err);
    interface->count = count;
    interface->ground = def->to.count == 0;
    interface->pair = am_arena_new(&interface->memory, count, sizeof *interface->pair, err);
    interface->contact = am_arena_new(&interface->memory, count, sizeof *interface->contact, err);
    am_status status = am_arena_status(&scratch) ? AM_ERR_MEMORY : am_arena_status(&interface->memory);
    double tolerance = def->tolerance > 0.0 ? def->tolerance : 1e-6 * fmax(size_of(&def->from), size_of(&def->to));
    if (!status && def->to.count > 0)
        status = find_partners(def, tolerance, partner, err);
    if (!status)
        status = find_normals(def, area, normals, err);
    if (!status)
        status = make_pairs(interface, def, partner, area, normals, err);
    am_arena_clear(&scratch);
    return status;
}

am_interface_def am_interface_def_default(void) {
    return (am_interface_def){.contact = am_contact_def_default()};
}

am_interface *am_interface_create(const am_interface_def *def, am_error *err) {
    if (!def)
        return am_misused_for_nothing(err, "am_interface_create");
    if (check_definition(def, err) != AM_OK)
        return NULL;
    am_interface *interface = am_memory_new(1, sizeof *interface, err);
    if (!interface)
        return NULL;
    interface->tag = AM_TAG_INTERFACE;
    if (make(interface, def, err) == AM_OK)
        return interface;
    am_interface_free(interface);
    return NULL;
}

void am_interface_free(am_interface *interface) {
    if (!am_is(interface, AM_TAG_INTERFACE))
        return;
    am_arena_clear(&interface->memory);
    am_arena_clear(&interface->rows);
    am_object_bury(interface, sizeof *interface);
}

size_t am_interface_count(const am_interface *interface) {
    return am_is(interface, AM_TAG_INTERFACE) ? interface->count : 0;
}

const am_interface_pair *am_interface_pair_at(const am_interface *interface, size_t pair) {
    return am_is(interface, AM_TAG_INTERFACE) && pair < interface->count ? &interface->pair[pair] : NULL;
}

const am_contact_def *am_interface_contact(const am_interface *interface, size_t pair) {
    return am_is(interface, AM_TAG_INTERFACE) && pair < interface->count ? &interface->contact[pair] : NULL;
}

/* ---- rows ---- */

/* v.(u_from - u_to) */
size_t am_interface_row(const am_interface *interface, size_t pair, size_t row, am_coordinate_of *coordinate,
                        const void *mesh, size_t index[6], double value[6]) {
    const am_interface_pair *p = am_interface_pair_at(interface, pair);
    size_t count = 0;
    if (!p || row > 2 || !coordinate)
        return 0;
    const long nodes[2] = {p->from, p->to};
    const double *v = row == 0 ? p->normal : p->tangent[row - 1];
    for (int side = 0; side < (interface->ground ? 1 : 2); side++)
        for (int k = 0; k < 3; k++) {
            size_t at = v[k] != 0.0 ? coordinate(mesh, nodes[side], k + 1) : SIZE_MAX;
            if (at == SIZE_MAX)
                continue;
            index[count] = at;
            value[count++] = side ? -v[k] : v[k];
        }
    return count;
}

static am_status fill_row(am_interface *interface, size_t pair, size_t row, size_t n, am_coordinate_of *coordinate,
                          const void *mesh, const double **target, am_error *err) {
    double value[6];
    size_t index[6], count = am_interface_row(interface, pair, row, coordinate, mesh, index, value);
    double *full = am_arena_doubles(&interface->rows, NULL, n, err);
    if (!full)
        return AM_ERR_MEMORY;
    if (count == 0)
        return am_fail(err, AM_ERR_INPUT, "%s cannot move along its %s: leave it out of the interface",
                       interface->contact[pair].name, row ? "tangent" : "normal");
    for (size_t k = 0; k < count; k++) {
        if (index[k] >= n)
            return am_fail(err, AM_ERR_INPUT, "%s: there is no coordinate %zu among %zu", interface->contact[pair].name,
                           index[k], n);
        full[index[k]] += value[k];
    }
    *target = full;
    return AM_OK;
}

const am_contact_def *am_interface_contacts(am_interface *interface, size_t n, am_coordinate_of *coordinate,
                                            const void *mesh, am_error *err) {
    if (!am_is(interface, AM_TAG_INTERFACE) || !coordinate)
        return am_misused_for_nothing(err, "am_interface_contacts");
    am_arena_reset(&interface->rows);
    for (size_t i = 0; i < interface->count; i++) {
        am_interface_pair *pair = &interface->pair[i];
        const double **targets[3] = {&interface->contact[i].normal, &interface->contact[i].tangent,
                                     &interface->contact[i].second_tangent};
        const double *vectors[3] = {pair->normal, pair->tangent[0], pair->tangent[1]};
        for (size_t r = 0; r < 3; r++) {
            *targets[r] = NULL;
            if (dot(vectors[r], vectors[r]) > 0.0 &&
                fill_row(interface, i, r, n, coordinate, mesh, targets[r], err) != AM_OK)
                return NULL;
        }
    }
    return interface->contact;
}
