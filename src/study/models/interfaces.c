#include "study/models/interfaces.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "math/entries.h"
#include "study/models/contacts.h"
#include "study/number_table.h"

static const am_word per_words[] = {{"node", 0, "what is given is that of each pair"},
                                    {"area", 1, "what is given is multiplied by the area of each pair"},
                                    {NULL, 0, NULL}};

static void set_defaults(void *record) {
    ((am_interface_setting *)record)->contact = am_contact_def_default();
}

/* The rows will come of the geometry. */
static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_contact_def *contact = record;
    contact->normal = am_row_by_name;
    contact->tangent = am_node_get(node, "friction") || am_node_get(node, "weakening") ? am_row_by_name : NULL;
    return am_contact_law_finish(reading, node, contact);
}

static const am_field fields[] = {
    AM_FIELD("from", NODE, am_interface_setting, from, .required = true,
             .about = "set of nodes, or a list of them: one side", .example = "LOWER"),
    AM_FIELD("to", NODE, am_interface_setting, to, .initial = "the ground",
             .about = "set of nodes, or a list of them, at the same places: the other side"),
    AM_FIELD("tolerance", NUMBER, am_interface_setting, tolerance, AM_POSITIVE,
             .initial = "1e-6 of the size of the surface", .unit = "length",
             .about = "that the nodes of a pair may be apart"),
    AM_FIELD("normal", NUMBERS, am_interface_setting, normal, .shape = 3,
             .initial = "that of the faces, or of the plane of the nodes",
             .about = "direction from `to` into the body of `from`, the same for all pairs"),
    AM_FIELD("tangent", NUMBERS, am_interface_setting, tangent, .shape = 3, .initial = "none",
             .about = "the only direction of friction: its part across the normal"),
    AM_FIELD("tangents", NODE, am_interface_setting, tangents, .initial = "two across the normal, the first along x",
             .about = "both directions of friction: [[1, 0, 0], [0, 1, 0]]"),
    AM_FIELD("per", EITHER, am_interface_setting, per_area, .words = per_words, .initial = "node",
             .about = "what stiffnesses, damping, hold and preload are given per"),
    AM_FIELD("surface", NODE, am_interface_setting, surface, .initial = "the faces of the mesh that the nodes span",
             .about = "{file: joint.msh}: a mesh of the surface, whose nodes lie where those of `from` do"),
    AM_FIELD("gap_of_mesh", FLAG, am_interface_setting, gap_of_mesh, .initial = "false",
             .about = "the distance of each pair along its normal is added to the gap"),
    AM_CONTACT_LAW_FIELDS};

const am_schema am_interface_schema = {
    .name = "interface",
    .title = "an interface",
    .about =
        "Surfaces of a mesh that meet: nodes at the same places become pairs, each a contact with a normal and two "
        "tangents across it (in the plane one). Without `friction` they are stops.",
    .size = sizeof(am_interface_setting),
    .defaults = set_defaults,
    .finish = finish,
    AM_FIELDS(fields)};

/* ---- nodes ---- */

typedef struct side {
    size_t count;
    long *number;
    double *place;
    size_t *index; /* in the grid */
} side;

static am_status list_nodes(am_reading *reading, const am_node *given, const char *name,
                            const am_coordinates *coordinates, side *s) {
    am_numbers numbers = {0};
    const am_set *set = NULL;
    if (given->kind == AM_NODE_LIST) {
        AM_TRY(am_read_numbers(reading, given, name, AM_RANGE_ANY, 0, &numbers));
        s->count = numbers.count;
    } else {
        const char *text;
        AM_TRY(am_read_text(reading, given, name, &text));
        set = coordinates->sets ? am_sets_find(coordinates->sets, text, strlen(text)) : NULL;
        if (!set)
            return am_node_fail(given, reading->err, AM_ERR_INPUT, "there is no set of nodes '%.60s'", text);
        s->count = set->count;
    }
    AM_ARENA_ARRAYS(reading->pool, long, s->count, reading->err, &s->number);
    AM_ARENA_ARRAYS(reading->pool, size_t, s->count, reading->err, &s->index);
    AM_ARENA_DOUBLES(reading->pool, 3 * s->count, reading->err, &s->place);
    AM_TRY(am_arena_status(reading->pool));
    for (size_t i = 0; i < s->count; i++)
        s->number[i] = set ? set->node[i] : fabs(numbers.values[i]) < 1e15 ? (long)numbers.values[i] : 0;
    for (size_t i = 0; !set && i < s->count; i++)
        if ((double)s->number[i] != numbers.values[i])
            return am_node_fail(given->items[i], reading->err, AM_ERR_INPUT, "a node is a whole number");
    return AM_OK;
}

static am_status read_side(am_reading *reading, const am_node *given, const char *name,
                           const am_coordinates *coordinates, side *s) {
    AM_TRY(list_nodes(reading, given, name, coordinates, s));
    for (size_t i = 0; i < s->count; i++) {
        s->index[i] = coordinates->grid ? am_import_mesh_find(coordinates->grid, s->number[i]) : SIZE_MAX;
        if (s->index[i] == SIZE_MAX)
            return am_node_fail(given, reading->err, AM_ERR_INPUT,
                                "the place of node %ld is not known; expected it in the file of `sets` or of `nodes`",
                                s->number[i]);
        for (size_t j = 0; j < i; j++)
            if (s->number[j] == s->number[i])
                return am_node_fail(given, reading->err, AM_ERR_INPUT, "node %ld comes twice", s->number[i]);
        memcpy(s->place + 3 * i, coordinates->grid->node[s->index[i]].place, 3 * sizeof *s->place);
    }
    return AM_OK;
}

static bool moves_along_z(const am_coordinates *coordinates, const side *s) {
    for (size_t i = 0; i < s->count; i++)
        if (am_labels_find(coordinates->labels, (am_label){s->number[i], 3}) < SIZE_MAX)
            return true;
    return false;
}

/* Which nodes of the grid are of a side: its index there, from 1. */
static size_t *mark(am_reading *reading, const am_import_mesh *grid, const side *s) {
    size_t *marks = am_arena_new(reading->pool, grid->count, sizeof *marks, reading->err);
    for (size_t i = 0; marks && i < s->count; i++)
        marks[s->index[i]] = i + 1;
    return marks;
}

/* From each node toward those that its stiffness joins it with and that do not lie on the surface themselves. */
static am_status find_inward(am_reading *reading, const am_coordinates *coordinates, const am_matrix *stiffness,
                             const side *from, const side *to, double **inside) {
    const am_import_mesh *grid = coordinates->grid;
    size_t *own = mark(reading, grid, from), *other = mark(reading, grid, to);
    *inside = am_arena_doubles(reading->pool, NULL, 3 * from->count, reading->err);
    AM_TRY(am_arena_status(reading->pool));
    for (size_t i = 0; i < from->count; i++)
        for (int direction = 1; direction <= 3; direction++) {
            size_t row = am_labels_find(coordinates->labels, (am_label){from->number[i], direction});
            const size_t *columns;
            const double *values;
            size_t count = row < SIZE_MAX ? am_matrix_row_entries(stiffness, row, &columns, &values) : 0;
            for (size_t e = 0; e < count; e++) {
                size_t column = columns ? columns[e] : e;
                size_t node =
                    values[e] != 0.0 ? am_import_mesh_find(grid, coordinates->labels->label[column].node) : SIZE_MAX;
                for (int k = 0; node < SIZE_MAX && !own[node] && !other[node] && k < 3; k++)
                    (*inside)[3 * i + (size_t)k] += grid->node[node].place[k] - from->place[3 * i + (size_t)k];
            }
        }
    return AM_OK;
}

/* ---- faces ---- */

/* Nodes of another mesh that lie where those of `from` do: their index there, from 1. */
static size_t *match(am_reading *reading, const am_import_mesh *grid, const side *from, double tolerance) {
    size_t *marks = am_arena_new(reading->pool, grid->count, sizeof *marks, reading->err);
    for (size_t node = 0; marks && node < grid->count; node++) {
        double least = tolerance * tolerance;
        for (size_t i = 0; i < from->count; i++) {
            double square = 0.0;
            for (size_t k = 0; k < 3; k++) {
                double apart = grid->node[node].place[k] - from->place[3 * i + k];
                square += apart * apart;
            }
            if (square <= least) {
                least = square;
                marks[node] = i + 1;
            }
        }
    }
    return marks;
}

static double extent_of(const side *s) {
    double most = 0.0;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < s->count; i++)
            most = fmax(most, fabs(s->place[3 * i + k] - s->place[k]));
    return most;
}

static am_status convert_faces(am_reading *reading, const am_import_mesh_faces *found, const size_t *marks,
                               am_interface_def *def) {
    am_interface_face *faces = am_arena_new(reading->pool, found->count, sizeof *faces, reading->err);
    if (!faces)
        return AM_ERR_MEMORY;
    for (size_t f = 0; f < found->count; f++) {
        faces[f].count = found->face[f].count;
        for (size_t v = 0; v < faces[f].count; v++)
            faces[f].node[v] = marks[found->face[f].node[v]] - 1;
    }
    def->faces = faces;
    def->face_count = found->count;
    return AM_OK;
}

static am_status read_faces(am_reading *reading, const am_interface_setting *setting, const am_coordinates *coordinates,
                            const side *from, am_interface_def *def) {
    const am_import_mesh *grid = coordinates->grid;
    const am_sets *unused;
    am_import_mesh_faces found = {0};
    if (setting->surface)
        AM_TRY(am_imported_mesh(reading, setting->surface, "surface", &grid, &unused));
    double tolerance = setting->tolerance > 0.0 ? setting->tolerance : 1e-6 * extent_of(from);
    size_t *marks = setting->surface ? match(reading, grid, from, tolerance) : mark(reading, grid, from);
    bool *member = am_arena_new(reading->pool, grid->count, sizeof *member, reading->err);
    AM_TRY(am_arena_status(reading->pool));
    for (size_t i = 0; i < grid->count; i++)
        member[i] = marks[i] > 0;
    am_status status = am_import_mesh_find_faces(grid, member, def->plane, &found, reading->err);
    if (!status && setting->surface && found.count == 0)
        status = am_node_fail(setting->surface, reading->err, AM_ERR_INPUT,
                              "no face of this mesh has all its nodes where nodes of `from` are");
    if (!status)
        status = convert_faces(reading, &found, marks, def);
    am_memory_free(found.face);
    return status;
}

/* ---- pairs ---- */

static am_status read_tangents(am_reading *reading, const am_interface_setting *setting, am_interface_def *def) {
    am_number_table rows = {0};
    def->frictionless = !setting->contact.tangent;
    def->tangent = setting->tangent.values;
    if (!setting->tangents)
        return AM_OK;
    if (def->tangent)
        return am_node_fail(setting->tangents, reading->err, AM_ERR_INPUT,
                            "an interface has a tangent or two tangents, not both");
    AM_TRY(am_read_table(reading, setting->tangents, "tangents", &rows));
    if (rows.rows != 2 || rows.columns != 3)
        return am_node_fail(setting->tangents, reading->err, AM_ERR_INPUT, "tangents are two rows of 3 numbers");
    def->tangent = rows.values;
    def->second_tangent = rows.values + 3;
    return AM_OK;
}

static void release(void *interface) {
    am_interface_free(interface);
}

static am_interface *create(am_reading *reading, const am_node *node, const am_interface_def *def) {
    am_interface *interface = am_interface_create(def, reading->err);
    if (!interface) {
        if (strcmp(reading->err->field, "second_tangent") == 0)
            strcpy(reading->err->field, "tangents");
        am_node_locate(node, reading->err);
        return NULL;
    }
    return am_arena_own(reading->pool, interface, release, reading->err) == AM_OK ? interface : NULL;
}

am_interface *am_interface_read(am_reading *reading, const am_node *node, const am_interface_setting *setting,
                                const am_coordinates *coordinates, const am_matrix *stiffness) {
    am_interface_def def = am_interface_def_default();
    side from = {0}, to = {0};
    double *inside = NULL;
    if (!coordinates->labels || coordinates->labels->count == 0) {
        am_node_fail(node, reading->err, AM_ERR_INPUT,
                     "an interface is of nodes, and the coordinates have no labels that tell their nodes");
        return NULL;
    }
    if (read_side(reading, setting->from, "from", coordinates, &from) != AM_OK ||
        (setting->to && read_side(reading, setting->to, "to", coordinates, &to) != AM_OK))
        return NULL;
    def.from = (am_interface_nodes){from.count, from.number, from.place};
    def.to = (am_interface_nodes){to.count, to.number, to.place};
    def.tolerance = setting->tolerance;
    def.normal = setting->normal.values;
    def.plane = !moves_along_z(coordinates, &from) && !moves_along_z(coordinates, &to);
    def.per_area = setting->per_area;
    def.gap_of_mesh = setting->gap_of_mesh;
    def.contact = setting->contact;
    if (find_inward(reading, coordinates, stiffness, &from, &to, &inside) != AM_OK ||
        read_faces(reading, setting, coordinates, &from, &def) != AM_OK ||
        read_tangents(reading, setting, &def) != AM_OK)
        return NULL;
    def.inside = inside;
    return create(reading, node, &def);
}

static size_t coordinate_of(const void *labels, long node, int direction) {
    return am_labels_find(labels, (am_label){node, direction});
}

static am_status wish_row(am_reading *reading, const am_node *node, const am_interface *interface, size_t pair,
                          size_t row, const am_coordinates *coordinates, am_row_wish wish, am_row_wishes *wishes) {
    size_t index[6];
    double value[6];
    size_t count = am_interface_row(interface, pair, row, coordinate_of, coordinates->labels, index, value);
    if (count == 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "%s cannot move along its %s: leave it out of the interface",
                            am_interface_contact(interface, pair)->name, row ? "tangent" : "normal");
    for (size_t k = 0; k < count; k++)
        AM_TRY(am_picked_add(reading, &wish.picked, index[k], value[k]));
    return am_row_wish_add(reading, wishes, wish);
}

am_status am_interface_wish(am_reading *reading, const am_node *node, const am_interface *interface,
                            const am_coordinates *coordinates, am_contact_def *contacts, am_row_wishes *wishes) {
    for (size_t i = 0; i < am_interface_count(interface); i++) {
        const am_interface_pair *pair = am_interface_pair_at(interface, i);
        const double *vectors[3] = {pair->normal, pair->tangent[0], pair->tangent[1]};
        contacts[i] = *am_interface_contact(interface, i);
        const double **targets[3] = {&contacts[i].normal, &contacts[i].tangent, &contacts[i].second_tangent};
        for (size_t r = 0; r < 3; r++)
            if (vectors[r][0] != 0.0 || vectors[r][1] != 0.0 || vectors[r][2] != 0.0)
                AM_TRY(
                    wish_row(reading, node, interface, i, r, coordinates, (am_row_wish){.target = targets[r]}, wishes));
    }
    return AM_OK;
}
