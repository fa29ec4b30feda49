#include "amontons/models.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/object.h"
#include "base/try.h"
#include "base/whole.h"
#include "math/pi.h"
#include "models/brick.h"
#include "models/kind.h"
#include "models/parts.h"

#define NUMBER(name_, member, ...) AM_FIELD(name_, NUMBER, am_brake, member, __VA_ARGS__)
#define COUNT(name_, member, ...) AM_FIELD(name_, COUNT, am_brake, member, __VA_ARGS__)

static const am_field fields[] = {
    NUMBER("mu", mu, AM_NOT_NEGATIVE, .initial = "0.4", .about = "coefficient of friction", .example = "0.4"),
    COUNT("radial", radial, .least = 2, .most = 2000, .initial = "10", .about = "elements of the disc along its radius",
          .example = "4"),
    COUNT("around", around, .least = 8, .most = 20000, .initial = "60", .about = "and round about", .example = "24"),
    COUNT("through", through, .least = 1, .most = 200, .initial = "1", .about = "and through its thickness"),
    COUNT("pad_through", pad_through, .least = 1, .most = 200, .initial = "2",
          .about = "layers of elements of the pad"),
    NUMBER("outer_radius", outer_radius, AM_POSITIVE, .initial = "0.15", .unit = "length", .about = "free edge"),
    NUMBER("inner_radius", inner_radius, AM_POSITIVE, .initial = "0.08", .unit = "length", .about = "clamped edge"),
    NUMBER("thickness", thickness, AM_POSITIVE, .initial = "0.02", .unit = "length", .about = "of the disc"),
    NUMBER("modulus", modulus, AM_POSITIVE, .initial = "1.1e11", .unit = "force/length^2", .about = "E of the disc"),
    NUMBER("density", density, AM_POSITIVE, .initial = "7200", .unit = "mass/length^3", .about = "of the disc"),
    NUMBER("poisson", poisson, .initial = "0.25", .about = "Poisson's ratio of the disc"),
    NUMBER("pad_inner_radius", pad_inner_radius, AM_POSITIVE, .initial = "0.101", .unit = "length",
           .about = "of the pad; the nearest nodes of the disc count"),
    NUMBER("pad_outer_radius", pad_outer_radius, AM_POSITIVE, .initial = "0.143", .unit = "length",
           .about = "of the pad"),
    NUMBER("pad_angle_deg", pad_angle, AM_POSITIVE, .factor = &one_degree, .initial = "60",
           .about = "sector that the pad covers"),
    NUMBER("pad_thickness", pad_thickness, AM_POSITIVE, .initial = "0.018", .unit = "length", .about = "of the pad"),
    NUMBER("pad_modulus", pad_modulus, AM_POSITIVE, .initial = "6e9", .unit = "force/length^2",
           .about = "E of the pad"),
    NUMBER("pad_density", pad_density, AM_POSITIVE, .initial = "3000", .unit = "mass/length^3", .about = "of the pad"),
    NUMBER("pad_poisson", pad_poisson, .initial = "0.3", .about = "Poisson's ratio of the pad"),
    NUMBER("caliper_stiffness", caliper_stiffness, AM_NOT_NEGATIVE, .initial = "2e8", .unit = "force/length",
           .about = "of the springs behind the pad along the axis, together"),
    NUMBER("abutment_stiffness", abutment_stiffness, AM_NOT_NEGATIVE, .initial = "1e8", .unit = "force/length",
           .about = "of the springs behind the pad in its plane, together"),
    AM_FIELD("rigid", FLAG, am_brake, rigid, .initial = "false",
             .about = "rigid contacts instead of the springs of the lining"),
    NUMBER("lining_stiffness", lining_stiffness, AM_POSITIVE, .initial = "1e9", .unit = "force/length",
           .about = "of all contact springs together"),
    NUMBER("lining_damping", lining_damping, AM_NOT_NEGATIVE, .initial = "0", .unit = "force x time/length",
           .about = "of all contact springs together"),
    NUMBER("mass_damping", mass_damping, AM_NOT_NEGATIVE, .initial = "50", .unit = "1/time",
           .about = "alpha of damping = alpha M + beta K"),
    NUMBER("stiffness_damping", stiffness_damping, AM_NOT_NEGATIVE, .initial = "3e-7", .unit = "time",
           .about = "beta of damping = alpha M + beta K"),
    NUMBER("speed", speed, AM_POSITIVE, .initial = "20", .unit = "1/time", .about = "of the disc, radians"),
    NUMBER("force", force, AM_POSITIVE, .initial = "5000", .unit = "force", .about = "that presses the pad on"),
};

static const am_schema schema = {
    .name = "brake",
    .title = "model brake",
    .about = "A brake disc and a pad by finite elements, as fine as wanted: a large sparse structure with a friction "
             "contact at every pair of nodes. SI units by default.",
    .size = sizeof(am_brake),
    .has_kind = true,
    AM_FIELDS(fields)};

am_brake am_brake_default(void) {
    am_brake brake = {0};
    am_schema_defaults(&schema, &brake);
    return brake;
}

/* Where the pad is on the disc's mesh: rings `first` to `last` of nodes, and so many elements round about. */
typedef struct layout {
    const am_brake *model;
    size_t first, last, around;
    size_t disc_nodes, pad_nodes; /* that can move */
    size_t pairs;
} layout;

static size_t nearest(double x) {
    return am_whole(x + 0.5);
}

static layout lay_out(const am_brake *b) {
    layout l = {.model = b};
    double step = (b->outer_radius - b->inner_radius) / (double)b->radial;
    l.first = nearest((b->pad_inner_radius - b->inner_radius) / step);
    l.last = nearest((b->pad_outer_radius - b->inner_radius) / step);
    l.first = l.first < 1 ? 1 : l.first; /* the clamped ring has no contact */
    l.last = l.last > b->radial ? b->radial : l.last;
    l.around = nearest(b->pad_angle / (2.0 * pi) * (double)b->around);
    l.disc_nodes = b->radial * b->around * (b->through + 1);
    if (l.last > l.first && l.around > 0) {
        l.pairs = (l.last - l.first + 1) * (l.around + 1);
        l.pad_nodes = l.pairs * (b->pad_through + 1);
    }
    return l;
}

size_t am_brake_size(const am_brake *model) {
    if (!model)
        return 0;
    layout l = lay_out(model);
    return 3 * (l.disc_nodes + l.pad_nodes);
}

/* ---- checking ---- */

static am_status check_poisson(const char *name, double ratio, am_error *err) {
    if (ratio > -1.0 && ratio < 0.5)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, name, "Poisson's ratio must lie between -1 and 0.5, not %g", ratio);
}

static am_status check(const am_brake *b, const layout *l, am_error *err) {
    AM_TRY(check_poisson("poisson", b->poisson, err));
    AM_TRY(check_poisson("pad_poisson", b->pad_poisson, err));
    if (!(b->outer_radius > b->inner_radius))
        return am_fail_field(err, AM_ERR_INPUT, "outer_radius", "the disc needs an outer radius above its inner one");
    if (l->pairs == 0 || l->around >= b->around)
        return am_fail_field(err, AM_ERR_INPUT, "pad_angle",
                             "the pad must cover at least one element of the disc and not all round of it: see its "
                             "radii and its angle");
    return AM_OK;
}

/* ---- nodes ---- */

static const size_t clamped = SIZE_MAX;

static size_t disc_node(const layout *l, size_t ring, size_t spoke, size_t level) {
    const am_brake *b = l->model;
    return ring == 0 ? clamped : (level * b->around + spoke % b->around) * b->radial + ring - 1;
}

static size_t pad_node(const layout *l, size_t ring, size_t spoke, size_t level) {
    return l->disc_nodes + (level * (l->around + 1) + spoke) * (l->last - l->first + 1) + ring - l->first;
}

static double radius_of(const am_brake *b, size_t ring) {
    return b->inner_radius + (b->outer_radius - b->inner_radius) * (double)ring / (double)b->radial;
}

/* ---- assembly ---- */

typedef struct assembly {
    am_arena memory;
    size_t count;
    size_t *row, *column;
    double *value;
    double *mass; /* n */
} assembly;

static void add(assembly *a, size_t row, size_t column, double value) {
    a->row[a->count] = row;
    a->column[a->count] = column;
    a->value[a->count++] = value;
}

/* The element between two rings, in radial and circumferential displacements: the same all round. Nodes in the order of
 * models/brick.h: (ring, spoke) (ring + 1, spoke) (ring + 1, spoke + 1) (ring, spoke + 1), below and above. */
static am_status make_element(const am_brake *b, size_t ring, double height, bool pad, double *k, double *mass,
                              am_error *err) {
    double place[AM_BRICK_NODES][3], cartesian[AM_BRICK_SIZE * AM_BRICK_SIZE], c[AM_BRICK_NODES], s[AM_BRICK_NODES];
    double angle = 2.0 * pi / (double)b->around;
    for (int i = 0; i < AM_BRICK_NODES; i++) {
        bool outer = i % 4 == 1 || i % 4 == 2, ahead = i % 4 >= 2;
        double r = radius_of(b, ring + outer);
        c[i] = cos(angle * ahead);
        s[i] = sin(angle * ahead);
        place[i][0] = r * c[i];
        place[i][1] = r * s[i];
        place[i][2] = i >= 4 ? height : 0.0;
    }
    am_status status =
        am_brick((const double(*)[3])place, pad ? b->pad_modulus : b->modulus, pad ? b->pad_poisson : b->poisson,
                 pad ? b->pad_density : b->density, cartesian, mass, err);
    for (int i = 0; i < AM_BRICK_NODES && !status; i++)
        for (int j = 0; j < AM_BRICK_NODES; j++) {
            const double ti[3][3] = {{c[i], -s[i], 0}, {s[i], c[i], 0}, {0, 0, 1}};
            const double tj[3][3] = {{c[j], -s[j], 0}, {s[j], c[j], 0}, {0, 0, 1}};
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++) {
                    double sum = 0.0;
                    for (int u = 0; u < 3; u++)
                        for (int v = 0; v < 3; v++)
                            sum += ti[u][p] * cartesian[(3 * i + u) * AM_BRICK_SIZE + 3 * j + v] * tj[v][q];
                    k[(3 * i + p) * AM_BRICK_SIZE + 3 * j + q] = sum;
                }
        }
    return status;
}

static void add_element(assembly *a, const size_t node[AM_BRICK_NODES], const double *k, const double *mass) {
    for (int i = 0; i < AM_BRICK_NODES; i++) {
        for (int d = 0; d < 3 && node[i] != clamped; d++)
            a->mass[3 * node[i] + (size_t)d] += mass[i];
        for (int j = 0; j < AM_BRICK_NODES && node[i] != clamped; j++)
            for (int d = 0; d < 9 && node[j] != clamped; d++)
                add(a, 3 * node[i] + (size_t)d / 3, 3 * node[j] + (size_t)d % 3,
                    k[(3 * i + d / 3) * AM_BRICK_SIZE + 3 * j + d % 3]);
    }
}

static am_status add_body(assembly *a, const layout *l, bool pad, am_error *err) {
    const am_brake *b = l->model;
    size_t (*find)(const layout *, size_t, size_t, size_t) = pad ? pad_node : disc_node;
    size_t layers = pad ? b->pad_through : b->through, around = pad ? l->around : b->around;
    double k[AM_BRICK_SIZE * AM_BRICK_SIZE], mass[AM_BRICK_NODES];
    am_status status = AM_OK;
    for (size_t ring = pad ? l->first : 0; ring < (pad ? l->last : b->radial) && !status; ring++) {
        status = make_element(b, ring, (pad ? b->pad_thickness : b->thickness) / (double)layers, pad, k, mass, err);
        for (size_t spoke = 0; spoke < around && !status; spoke++)
            for (size_t level = 0; level < layers; level++) {
                size_t node[AM_BRICK_NODES];
                for (int i = 0; i < AM_BRICK_NODES; i++)
                    node[i] = find(l, ring + (i % 4 == 1 || i % 4 == 2), spoke + (i % 4 >= 2), level + (i >= 4));
                add_element(a, node, k, mass);
            }
    }
    return status;
}

/* Share of the pad's face that belongs to a node: half at its edges; the shares add up to 1. */
static double share(const layout *l, size_t ring, size_t spoke) {
    const am_brake *b = l->model;
    double whole = 0.0, own = 0.0;
    for (size_t r = l->first; r <= l->last; r++) {
        double area = radius_of(b, r) * (r == l->first || r == l->last ? 0.5 : 1.0);
        whole += area * (double)l->around;
        own = r == ring ? area * (spoke == 0 || spoke == l->around ? 0.5 : 1.0) : own;
    }
    return own / whole;
}

static void add_springs(assembly *a, const layout *l) {
    for (size_t ring = l->first; ring <= l->last; ring++)
        for (size_t spoke = 0; spoke <= l->around; spoke++) {
            size_t at = 3 * pad_node(l, ring, spoke, l->model->pad_through);
            double part = share(l, ring, spoke);
            add(a, at, at, part * l->model->abutment_stiffness);
            add(a, at + 1, at + 1, part * l->model->abutment_stiffness);
            add(a, at + 2, at + 2, part * l->model->caliper_stiffness);
        }
}

static am_status assemble(assembly *a, const layout *l, am_error *err) {
    const am_brake *b = l->model;
    size_t disc = b->radial * b->around * b->through, pad = (l->last - l->first) * l->around * b->pad_through;
    size_t n = 3 * (l->disc_nodes + l->pad_nodes); /* so many entries has the mass, which damping adds */
    size_t most = (disc + pad) * AM_BRICK_SIZE * AM_BRICK_SIZE + 3 * l->pairs + n;
    a->row = am_arena_new(&a->memory, most, sizeof *a->row, err);
    a->column = am_arena_new(&a->memory, most, sizeof *a->column, err);
    a->value = am_arena_doubles(&a->memory, NULL, most, err);
    a->mass = am_arena_doubles(&a->memory, NULL, n, err);
    AM_TRY(am_arena_status(&a->memory));
    AM_TRY(add_body(a, l, false, err));
    AM_TRY(add_body(a, l, true, err));
    add_springs(a, l);
    return AM_OK;
}

/* ---- contacts, load, names ---- */

typedef struct parts {
    const am_matrix *mass, *damping, *stiffness; /* of the arena */
    am_contact_def *contacts;
    double *rows; /* 2 n for each pair */
    double *press;
    const char **names;
} parts;

static am_status make_matrices(am_arena *memory, parts *p, assembly *a, const am_brake *b, size_t n, am_error *err) {
    p->stiffness = am_parts_own(memory, am_matrix_sparse(n, n, a->count, a->row, a->column, a->value, err), err);
    bool damped = b->mass_damping > 0.0 || b->stiffness_damping > 0.0;
    if (p->stiffness && damped) {
        size_t stored = a->count, from = b->stiffness_damping > 0.0 ? 0 : stored;
        for (size_t e = 0; e < stored; e++)
            a->value[e] *= b->stiffness_damping;
        for (size_t i = 0; i < n; i++)
            add(a, i, i, b->mass_damping * a->mass[i]);
        p->damping = am_parts_own(
            memory, am_matrix_sparse(n, n, a->count - from, a->row + from, a->column + from, a->value + from, err),
            err);
    }
    for (size_t i = 0; i < n; i++)
        a->row[i] = a->column[i] = i;
    p->mass = am_parts_own(memory, am_matrix_sparse(n, n, n, a->row, a->column, a->mass, err), err);
    return p->stiffness && p->mass && (p->damping || !damped) ? AM_OK : AM_ERR_MEMORY;
}

static void fill_contact(parts *p, const layout *l, size_t n, size_t ring, size_t spoke, size_t index) {
    const am_brake *b = l->model;
    double part = share(l, ring, spoke);
    size_t below = 3 * disc_node(l, ring, spoke, b->through), above = 3 * pad_node(l, ring, spoke, 0);
    double *normal = p->rows + 2 * index * n, *tangent = normal + n;
    normal[above + 2] = tangent[above + 1] = 1.0;
    normal[below + 2] = tangent[below + 1] = -1.0;
    am_contact_def *contact = &p->contacts[index];
    *contact = am_contact_def_default();
    contact->normal = normal;
    contact->tangent = tangent;
    contact->friction = b->mu;
    contact->surface_velocity = b->speed * radius_of(b, ring);
    contact->normal_law = b->rigid ? AM_UNILATERAL : AM_KELVIN_VOIGT;
    contact->contact_stiffness = b->rigid ? 0.0 : part * b->lining_stiffness;
    contact->contact_damping = b->rigid ? 0.0 : part * b->lining_damping;
    p->press[3 * pad_node(l, ring, spoke, b->pad_through) + 2] = -part * b->force;
}

enum { name_size = 32 };

static am_status make_parts(am_arena *memory, parts *p, const layout *l, size_t n, am_error *err) {
    static const char *const direction[3] = {"r", "c", "z"};
    p->contacts = am_arena_new(memory, l->pairs, sizeof *p->contacts, err);
    p->rows = am_arena_new(memory, l->pairs > SIZE_MAX / 2 / n ? SIZE_MAX : 2 * n * l->pairs, sizeof *p->rows, err);
    p->press = am_arena_new(memory, n, sizeof *p->press, err);
    char *text = am_arena_new(memory, n, name_size, err);
    p->names = am_arena_new(memory, n, sizeof *p->names, err);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    size_t index = 0;
    for (size_t spoke = 0; spoke <= l->around; spoke++)
        for (size_t ring = l->first; ring <= l->last; ring++)
            fill_contact(p, l, n, ring, spoke, index++);
    for (size_t i = 0; i < n; i++) {
        bool pad = i / 3 >= l->disc_nodes;
        snprintf(text + i * name_size, name_size, "%s.%zu.%s", pad ? "pad" : "disc",
                 i / 3 + 1 - (pad ? l->disc_nodes : 0), direction[i % 3]);
        p->names[i] = text + i * name_size;
    }
    return AM_OK;
}

static am_system *make(const layout *l, am_arena *memory, am_error *err) {
    size_t n = 3 * (l->disc_nodes + l->pad_nodes);
    assembly a = {0};
    parts p = {0};
    am_status status = assemble(&a, l, err);
    if (!status)
        status = make_matrices(memory, &p, &a, l->model, n, err);
    am_arena_clear(&a.memory);
    if (status || make_parts(memory, &p, l, n, err))
        return NULL;
    am_load_def load = {p.press, am_function_constant(1.0)};
    am_system_def def = am_parts_def(n, p.names, l->pairs, p.contacts, 1, &load);
    def.mass = p.mass;
    def.damping = p.damping;
    def.stiffness = p.stiffness;
    return am_system_create(&def, err);
}

am_system *am_brake_create(const am_brake *model, am_error *err) {
    if (!model)
        return am_misused_for_nothing(err, __func__);
    if (am_schema_check(&schema, model, err) != AM_OK)
        return NULL;
    layout l = lay_out(model);
    am_arena memory = {0};
    am_system *system = check(model, &l, err) == AM_OK ? make(&l, &memory, err) : NULL;
    am_arena_clear(&memory);
    return system;
}

AM_MODEL_CREATE(am_brake_create)

const am_model_kind am_model_brake = {.schema = &schema, .create = create, .analysis = "squeal"};
