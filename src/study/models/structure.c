#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/try.h"
#include "math/entries.h"
#include "study/functions.h"
#include "study/models.h"
#include "study/models/contact_rows.h"
#include "study/models/interfaces.h"
#include "study/models/mode_shapes.h"
#include "study/models/preload.h"
#include "study/number_table.h"
#include "system/prescribed.h"

static am_status prescribed_finish(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, &((am_prescribed *)record)->function);
}

static const am_field prescribed_fields[] = {
    AM_FIELD("coordinate", LATER, am_prescribed, coordinate, .required = true,
             .about = "which coordinate: its name or label, or its number counted from 1", .example = "1"),
    AM_FUNCTION_FIELDS(offsetof(am_prescribed, function))};

static const am_schema prescribed_schema = {
    .name = "prescribed",
    .title = "a prescribed motion",
    .about = "A coordinate whose displacement is a given function of time (a dragged end, a shaken support). It is no "
             "unknown any more: `initial` and results have the remaining coordinates.",
    .size = sizeof(am_prescribed),
    .finish = prescribed_finish,
    AM_FIELDS(prescribed_fields)};

static am_status term_finish(am_reading *reading, const am_node *node, void *record) {
    const am_polynomial_term *term = record;
    const unsigned most = AM_POLYNOMIAL_DEGREE;
    const am_node *velocity = am_node_get(node, "velocity"), *displacement = am_node_get(node, "displacement");
    double powers[2] = {0.0, 0.0}; /* as they are written, however large */
    if (term->displacement <= most && term->velocity <= most && term->displacement + term->velocity >= 1 &&
        term->displacement + term->velocity <= most)
        return AM_OK;
    if (displacement)
        am_node_number(displacement, &powers[0]);
    if (velocity)
        am_node_number(velocity, &powers[1]);
    return am_node_fail(velocity ? velocity : (displacement ? displacement : node), reading->err, AM_ERR_INPUT,
                        "the powers of displacement and velocity in a term must add up to 1 to %d, not %.0f + %.0f",
                        AM_POLYNOMIAL_DEGREE, powers[0], powers[1]);
}

static const am_field term_fields[] = {
    AM_FIELD("coefficient", NUMBER, am_polynomial_term, coefficient, .required = true,
             .about = "c of the term c e^displacement e'^velocity, of any sign", .example = "0.1"),
    AM_FIELD("displacement", DEGREE, am_polynomial_term, displacement, .initial = "0",
             .about = "power of the stretch e; both powers together are 1 to 9", .example = "3"),
    AM_FIELD("velocity", DEGREE, am_polynomial_term, velocity, .initial = "0", .about = "power of the rate e'"),
};

static const am_schema term_schema = {.name = "term",
                                      .title = "a term of a polynomial spring",
                                      .about = "coefficient e^displacement e'^velocity",
                                      .size = sizeof(am_polynomial_term),
                                      .finish = term_finish,
                                      AM_FIELDS(term_fields)};

static am_status polynomial_finish(am_reading *reading, const am_node *node, void *record) {
    if (((const am_polynomial_def *)record)->term_count > 0)
        return AM_OK;
    return am_node_fail(am_node_get(node, "terms"), reading->err, AM_ERR_INPUT,
                        "a polynomial spring needs at least one term, {coefficient, displacement, velocity}");
}

static const am_field polynomial_fields[] = {
    AM_FIELD("name", TEXT, am_polynomial_def, name, .initial = "its number", .about = "what messages call it",
             .example = "hardening"),
    AM_FIELD("direction", VECTOR, am_polynomial_def, direction, .required = true, .by_name = true,
             .about = "row d: stretch e = d.q, one number per coordinate", .example = "[1, 0]"),
    AM_FIELD("terms", ITEMS, am_polynomial_def, terms, .counted = offsetof(am_polynomial_def, term_count),
             .inner = &term_schema, .required = true, .about = "list of terms c e^i e'^j", .example = ""),
};

const am_schema am_polynomial_schema = {
    .name = "polynomial",
    .title = "a polynomial spring or damper",
    .about = "A force that is a polynomial of a stretch e = d.q and its rate: the structure feels -d times the sum of "
             "the terms c e^i e'^j. Analyses response, orbit, march and stability know it.",
    .size = sizeof(am_polynomial_def),
    .finish = polynomial_finish,
    AM_FIELDS(polynomial_fields)};

static am_status varying_finish(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, &((am_varying_def *)record)->stiffness);
}

static const am_field varying_fields[] = {
    AM_FIELD("name", TEXT, am_varying_def, name, .initial = "its number", .about = "what messages call it",
             .example = "mesh"),
    AM_FIELD("direction", VECTOR, am_varying_def, direction, .required = true, .by_name = true,
             .about = "row d: stretch e = d.q, one number per coordinate", .example = "[1, 0]"),
    AM_FUNCTION_FIELDS(offsetof(am_varying_def, stiffness))};

static const am_schema varying_schema = {
    .name = "varying_stiffness",
    .title = "a stiffness that varies",
    .about =
        "A spring whose stiffness is a function of time: the structure feels -d k(t) (d.q). Analyses motion, orbit, "
        "attractors, cells, march and response know it.",
    .size = sizeof(am_varying_def),
    .finish = varying_finish,
    AM_FIELDS(varying_fields)};

typedef struct rayleigh_setting {
    double mass, stiffness;
} rayleigh_setting;

static const am_field rayleigh_fields[] = {
    AM_FIELD("mass", NUMBER, rayleigh_setting, mass, .initial = "0", .unit = "1/time", .about = "alpha"),
    AM_FIELD("stiffness", NUMBER, rayleigh_setting, stiffness, .initial = "0", .unit = "time", .about = "beta"),
};

static const am_schema rayleigh_schema = {.name = "rayleigh",
                                          .title = "proportional damping",
                                          .about = "Damping alpha M + beta K of the structure.",
                                          .size = sizeof(rayleigh_setting),
                                          AM_FIELDS(rayleigh_fields)};

typedef struct structure_setting {
    am_system_def def;
    am_texts names;
    am_records contacts, interfaces, loads, preload, prescribed, polynomials, varying;
    am_contact_def contact_rows; /* what its contacts have in common */
    const am_node *labels, *sets, *nodes;
    rayleigh_setting rayleigh;
    am_reduce_setting reduce;
    am_reduce_outcome *outcome; /* of the reduction */
    double Omega;               /* of which sines may be multiples */
    bool wants_shapes;
    const am_node *compare;
    am_mode_shapes *shapes;
    am_coordinates *known; /* labels, unless there is a reduction or less to move, and sets */
} structure_setting;

static void set_defaults(void *record) {
    structure_setting *setting = record;
    setting->def = am_system_def_default();
    am_schema_defaults(&am_reduce_schema, &setting->reduce);
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    structure_setting *setting = record;
    (void)node;
    setting->outcome = am_arena_new(reading->pool, 1, sizeof *setting->outcome, reading->err);
    setting->shapes = am_arena_new(reading->pool, 1, sizeof *setting->shapes, reading->err);
    setting->known = am_arena_new(reading->pool, 1, sizeof *setting->known, reading->err);
    return setting->outcome && setting->shapes && setting->known ? AM_OK : AM_ERR_MEMORY;
}

static const am_field fields[] = {
    AM_FIELD("stiffness", MATRIX, structure_setting, def.stiffness, .required = true, .unit = "force/length",
             .about =
                 "K, symmetric: rows, a diagonal [k1, k2], or {file: blade.sti} (Abaqus, CalculiX, Nastran, Ansys, "
                 "MATLAB, Matrix Market: help matrix_file); negative where the analysis does not need a structure "
                 "at rest",
             .example = "[[2, -1], [-1, 2]]"),
    AM_FIELD("mass", MATRIX, structure_setting, def.mass, .initial = "none", .unit = "mass", .about = "M, as stiffness",
             .example = "[1, 1]"),
    AM_FIELD("damping", MATRIX, structure_setting, def.damping, .initial = "none", .unit = "force x time/length",
             .about =
                 "C, as stiffness, and need not be symmetric (gyroscopic forces); of any sign: negative damping feeds "
                 "energy in, as friction does that falls with speed"),
    AM_FIELD("rayleigh", RECORD, structure_setting, rayleigh, .inner = &rayleigh_schema, .initial = "none",
             .about = "proportional damping {mass: alpha, stiffness: beta}: alpha M + beta K is added to the damping; "
                      "a mode of the frequency w has the damping ratio alpha/(2 w) + beta w/2"),
    AM_FIELD("circulatory", MATRIX, structure_setting, def.circulatory, .initial = "none", .unit = "force/length",
             .about = "added to K and need not be symmetric: forces without a potential (follower forces)"),
    AM_FIELD("labels", NODE, structure_setting, labels, .initial = "those of the files of the matrices",
             .about =
                 "{file: blade.dof}: node and direction of each row, 51.3; a .dof file beside a matrix is found by "
                 "itself"),
    AM_FIELD("sets", NODE, structure_setting, sets, .initial = "none",
             .about =
                 "sets of nodes: {file: blade.inp} (*NSET of an input deck, physical groups of a mesh of Gmsh, or a "
                 "CSV with the columns node and set), or {TIP: [49, 50, 51]}; then TIP.3 stands for direction 3 of "
                 "all its nodes"),
    AM_FIELD("nodes", NODE, structure_setting, nodes, .initial = "those of the file of the sets",
             .about = "{file: blade.inp}: where the nodes are, and the elements, from a file such as `sets` takes"),
    AM_FIELD("reduce", RECORD, structure_setting, reduce, .inner = &am_reduce_schema, .initial = "none",
             .about = "{interface, modes}: the structure reduced to some of its coordinates and modes"),
    AM_FIELD("shapes", FLAG, structure_setting, wants_shapes, .initial = "false",
             .about = "also mode shapes on the nodes of the mesh: tables `mode_shapes`, `mode_shape_nodes`, "
                      "`mode_shape_cells` and the file shapes.vtu, of stability, backbone and squeal"),
    AM_FIELD("compare", NODE, structure_setting, compare, .initial = "none",
             .about = "{file: other/mode_shape_nodes.csv}: shapes of another result, or measured ones (columns mode, "
                      "node, ux, uy, uz), to compare these with: table `mac`"),
    AM_FIELD("names", TEXTS, structure_setting, names, .initial = "the labels, or q1, q2, ...",
             .about = "names of the coordinates", .example = "[u1, u2]"),
    AM_FIELD("contacts", RECORDS, structure_setting, contacts, .inner = &am_contact_schema, .initial = "none",
             .about = "list of contacts", .example = ""),
    AM_FIELD("contact_rows", RECORD, structure_setting, contact_rows, .inner = &am_contact_rows_schema,
             .initial = "none", .about = "many contacts of one law, from two tables or files with a row per contact"),
    AM_FIELD("interfaces", RECORDS, structure_setting, interfaces, .inner = &am_interface_schema, .initial = "none",
             .about = "list of surfaces of a mesh that meet: {from: LOWER, to: UPPER, friction: 0.3, ...}; their nodes "
                      "become pairs, each a contact"),
    AM_FIELD("Omega", NUMBER, structure_setting, Omega, AM_POSITIVE, .initial = "none", .unit = "radians/time",
             .about = "angular frequency of which sines may be multiples (`multiple: 2` instead of their own "
                      "`frequency`): one number that "
                      "drives loads, normal forces, surfaces and stiffnesses together"),
    AM_FIELD("loads", RECORDS, structure_setting, loads, .inner = &am_load_schema, .initial = "none",
             .about = "list of loads", .example = ""),
    AM_FIELD("preload", RECORDS, structure_setting, preload, .inner = &am_preload_schema, .initial = "none",
             .about = "list of constant loads that are put on first, slowly: bolts, weight, centrifugal loads"),
    AM_FIELD("polynomials", RECORDS, structure_setting, polynomials, .inner = &am_polynomial_schema, .initial = "none",
             .about = "list of polynomial springs and dampers g(q, q')"),
    AM_FIELD("varying_stiffness", RECORDS, structure_setting, varying, .inner = &varying_schema, .initial = "none",
             .about = "list of springs whose stiffness is a function of time: {direction, and a function of time}"),
    AM_FIELD("prescribed", RECORDS, structure_setting, prescribed, .inner = &prescribed_schema, .initial = "none",
             .about = "list of coordinates whose motion is given: {coordinate, and a function of time}"),
};

static const am_schema schema = {
    .name = "structure",
    .title = "model structure",
    .about = "Any structure M q'' + C q' + K q + g(q, q') = F(t) + contact forces, with matrices, contacts, loads and "
             "polynomial springs given one by one. `amontons show` writes every other model like this.",
    .size = sizeof(structure_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_status check_order(am_reading *reading, const am_node *node, const char *name, const am_matrix *matrix,
                             size_t n) {
    if (!matrix || am_matrix_rows(matrix) == n)
        return AM_OK;
    return am_node_fail(am_node_get(node, name), reading->err, AM_ERR_INPUT,
                        "%s must be %zu x %zu like the stiffness; it is %zu x %zu", name, n, n, am_matrix_rows(matrix),
                        am_matrix_columns(matrix));
}

/* ---- rows ---- */

/* One row, at a pointer of its struct: a list of numbers stays as it was read, unless all are wanted. */
static am_status wish_row(am_reading *reading, const am_node *row, const char *name, const am_coordinates *coordinates,
                          bool all, am_row_wish wish, am_row_wishes *wishes) {
    if (!row)
        return AM_OK;
    if (row->kind != AM_NODE_MAP && row->count != coordinates->n)
        return am_node_fail(row, reading->err, AM_ERR_INPUT, "%s must have one number per coordinate: %zu, not %zu",
                            name, coordinates->n, row->count);
    if (row->kind != AM_NODE_MAP && !all)
        return AM_OK;
    AM_TRY(am_coordinates_row(reading, row, name, coordinates, &wish.picked));
    return am_row_wish_add(reading, wishes, wish);
}

static am_status wish_contact(am_reading *reading, const am_node *node, am_contact_def *contact,
                              const am_coordinates *coordinates, bool all, am_row_wishes *wishes) {
    const am_node *both = am_node_get(node, "tangents");
    const double **const targets[2] = {&contact->tangent, &contact->second_tangent};
    AM_TRY(wish_row(reading, am_node_get(node, "normal"), "normal", coordinates, all,
                    (am_row_wish){.target = &contact->normal}, wishes));
    AM_TRY(wish_row(reading, am_node_get(node, "tangent"), "tangent", coordinates, all,
                    (am_row_wish){.target = &contact->tangent}, wishes));
    for (size_t i = 0; both && both->kind == AM_NODE_LIST && i < 2; i++)
        AM_TRY(wish_row(reading, both->items[i], "tangents", coordinates, all, (am_row_wish){.target = targets[i]},
                        wishes));
    return AM_OK;
}

/* Contacts as listed, then those of `contact_rows`, then the pairs of interfaces; loads as listed, then what presses
 * `contact_rows` on, then the preload. */
typedef struct parts {
    am_contact_def *contacts;
    am_load_def *loads;
    size_t tabled;            /* contacts, with those listed before them */
    am_interface **interface; /* one for each of setting->interfaces */
} parts;

static am_status take_contact_rows(am_reading *reading, const am_node *rows, const structure_setting *setting,
                                   am_system_def *def) {
    double *press = am_arena_new(reading->pool, def->n, sizeof *press, reading->err);
    if (!press)
        return AM_ERR_MEMORY;
    AM_TRY(am_contact_rows_read(reading, rows, &setting->contact_rows, def->n, &def->contacts, &def->contact_count,
                                press));
    return am_contact_rows_press(reading, press, def->n, &def->loads, &def->load_count);
}

static am_status read_interfaces(am_reading *reading, const structure_setting *setting,
                                 const am_coordinates *coordinates, am_system_def *def, parts *p) {
    const am_interface_setting *interfaces = setting->interfaces.items;
    p->interface = am_arena_new(reading->pool, setting->interfaces.count, sizeof *p->interface, reading->err);
    for (size_t i = 0; p->interface && i < setting->interfaces.count; i++) {
        p->interface[i] =
            am_interface_read(reading, setting->interfaces.nodes[i], &interfaces[i], coordinates, def->stiffness);
        if (!p->interface[i])
            return am_error_status(reading->err);
        def->contact_count += am_interface_count(p->interface[i]);
    }
    return p->interface ? AM_OK : AM_ERR_MEMORY;
}

static am_status take_parts(am_reading *reading, const am_node *rows, const structure_setting *setting,
                            const am_coordinates *coordinates, am_system_def *def, parts *p) {
    def->contacts = setting->contacts.items;
    def->contact_count = setting->contacts.count;
    def->loads = setting->loads.items;
    def->load_count = setting->loads.count;
    if (rows)
        AM_TRY(take_contact_rows(reading, rows, setting, def));
    AM_TRY(am_preload_read(reading, &setting->preload, coordinates, def->mass, &def->loads, &def->load_count));
    p->tabled = def->contact_count;
    AM_TRY(read_interfaces(reading, setting, coordinates, def, p));
    p->contacts = am_arena_new(reading->pool, def->contact_count, sizeof *p->contacts, reading->err);
    p->loads = am_arena_new(reading->pool, def->load_count, sizeof *p->loads, reading->err);
    if (!p->contacts || !p->loads)
        return AM_ERR_MEMORY;
    if (p->tabled > 0)
        memcpy(p->contacts, def->contacts, p->tabled * sizeof *p->contacts);
    if (def->load_count > 0)
        memcpy(p->loads, def->loads, def->load_count * sizeof *p->loads);
    def->contacts = p->contacts;
    def->loads = p->loads;
    return AM_OK;
}

/* A row that is there in full. */
static am_status wish_full_row(am_reading *reading, size_t n, am_row_wish wish, am_row_wishes *wishes) {
    for (size_t i = 0; i < n; i++)
        if ((*wish.target)[i] != 0.0)
            AM_TRY(am_picked_add(reading, &wish.picked, i, (*wish.target)[i]));
    return am_row_wish_add(reading, wishes, wish);
}

/* Rows of `contact_rows`, of what presses them on, and of the preload. */
static am_status wish_tables(am_reading *reading, const structure_setting *setting, const am_system_def *def,
                             const parts *p, am_row_wishes *wishes) {
    for (size_t c = setting->contacts.count; c < p->tabled; c++) {
        AM_TRY(wish_full_row(reading, def->n, (am_row_wish){.target = &p->contacts[c].normal}, wishes));
        AM_TRY(wish_full_row(reading, def->n, (am_row_wish){.target = &p->contacts[c].tangent}, wishes));
    }
    for (size_t l = setting->loads.count; l < def->load_count; l++)
        AM_TRY(wish_full_row(reading, def->n, (am_row_wish){.target = &p->loads[l].direction, .load = true}, wishes));
    return AM_OK;
}

/* All rows that are to be filled in: those given by names and those of interfaces, or all of them. */
static am_status wish_rows(am_reading *reading, const structure_setting *setting, const am_coordinates *coordinates,
                           const am_system_def *def, const parts *p, bool all, am_row_wishes *wishes) {
    const struct {
        const am_records *records;
        void *items;
        size_t size, offset;
        bool load;
    } lists[] = {{&setting->loads, p->loads, sizeof(am_load_def), offsetof(am_load_def, direction), true},
                 {&setting->polynomials, setting->polynomials.items, sizeof(am_polynomial_def),
                  offsetof(am_polynomial_def, direction), false},
                 {&setting->varying, setting->varying.items, sizeof(am_varying_def),
                  offsetof(am_varying_def, direction), false}};
    am_contact_def *pairs = p->contacts + p->tabled;
    for (size_t c = 0; c < setting->contacts.count; c++)
        AM_TRY(wish_contact(reading, setting->contacts.nodes[c], &p->contacts[c], coordinates, all, wishes));
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].records->count; i++) {
            void *item = (char *)lists[l].items + i * lists[l].size + lists[l].offset;
            AM_TRY(wish_row(reading, am_node_get(lists[l].records->nodes[i], "direction"), "direction", coordinates,
                            all, (am_row_wish){.target = item, .load = lists[l].load}, wishes));
        }
    for (size_t i = 0; i < setting->interfaces.count; i++) {
        AM_TRY(am_interface_wish(reading, setting->interfaces.nodes[i], p->interface[i], coordinates, pairs, wishes));
        pairs += am_interface_count(p->interface[i]);
    }
    return all ? wish_tables(reading, setting, def, p, wishes) : AM_OK;
}

static am_status grant_rows(am_reading *reading, const am_row_wishes *wishes, size_t n) {
    for (size_t i = 0; i < wishes->count; i++) {
        *wishes->wish[i].target = am_picked_row(reading, &wishes->wish[i].picked, n);
        if (!*wishes->wish[i].target)
            return AM_ERR_MEMORY;
    }
    return AM_OK;
}

/* ---- the structure ---- */

/* The coordinate (from 0) that a node names. */
static am_status find_coordinate(am_reading *reading, const am_node *node, const am_coordinates *coordinates,
                                 size_t *coordinate) {
    char digits[AM_TEXT_NUMBER_SIZE];
    if (node->kind != AM_NODE_SCALAR)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "coordinate must be a name or a number, not %s",
                            am_node_kind_name(node));
    return am_coordinates_one(reading, node, am_node_words(node, digits), coordinates, coordinate);
}

static am_status check_matrices(am_reading *reading, const am_node *node, const structure_setting *setting,
                                const am_system_def *def) {
    AM_TRY(check_order(reading, node, "mass", def->mass, def->n));
    AM_TRY(check_order(reading, node, "damping", def->damping, def->n));
    AM_TRY(check_order(reading, node, "circulatory", def->circulatory, def->n));
    return setting->names.values ? am_coordinate_names_check(reading, &setting->names, "coordinate", def->n) : AM_OK;
}

/* Coordinates whose motion is given: `coordinates` of them, from 0, in `kept` as well. */
static am_status find_prescribed(am_reading *reading, const structure_setting *setting,
                                 const am_coordinates *coordinates, size_t *kept) {
    const am_records *records = &setting->prescribed;
    for (size_t i = 0; i < records->count; i++)
        AM_TRY(find_coordinate(reading, am_node_get(records->nodes[i], "coordinate"), coordinates, &kept[i]));
    return AM_OK;
}

static void release_matrix(void *matrix) {
    am_matrix_free(matrix);
}

/* alpha M + beta K is added to the damping: that of the structure reduced, if it is, which is the same. */
static am_status add_rayleigh(am_reading *reading, const rayleigh_setting *rayleigh, am_system_def *def) {
    const am_matrix *const terms[] = {def->damping, def->mass, def->stiffness};
    const double weights[] = {1.0, rayleigh->mass, rayleigh->stiffness};
    if (rayleigh->mass == 0.0 && rayleigh->stiffness == 0.0)
        return AM_OK;
    am_matrix *sum = am_matrix_weighted_sum(3, terms, weights, reading->err);
    def->damping = sum;
    return sum ? am_arena_own(reading->pool, sum, release_matrix, reading->err) : AM_ERR_MEMORY;
}

/* What shapes of the system are on the mesh. */
static am_status prepare_shapes(am_reading *reading, const structure_setting *setting,
                                const am_coordinates *coordinates, size_t n, const size_t *prescribed) {
    am_mode_shapes *shapes = setting->shapes;
    size_t *kept = am_arena_new(reading->pool, n, sizeof *kept, reading->err);
    if (!kept)
        return AM_ERR_MEMORY;
    *shapes = (am_mode_shapes){.wanted = true,
                               .whole = coordinates->n,
                               .kept = kept,
                               .shape = setting->outcome->shape,
                               .labels = coordinates->labels,
                               .grid = coordinates->grid};
    for (size_t i = 0; i < n; i++) {
        bool given = false;
        for (size_t k = 0; k < setting->prescribed.count; k++)
            given = given || prescribed[k] == i;
        if (!given)
            kept[shapes->size++] = i;
    }
    return setting->compare ? am_mode_shapes_read(reading, setting->compare, shapes) : AM_OK;
}

static am_status fill(am_reading *reading, const am_node *node, const structure_setting *setting, am_system_def *def) {
    const am_node *rows = am_node_get(node, "contact_rows"), *reduce = am_node_get(node, "reduce");
    am_prescribed *prescribed = setting->prescribed.items;
    size_t count = setting->prescribed.count;
    size_t *kept = am_arena_new(reading->pool, count, sizeof *kept, reading->err);
    am_coordinates coordinates;
    am_row_wishes wishes = {0};
    parts p = {0};
    if (!kept)
        return AM_ERR_MEMORY;
    *def = setting->def;
    def->names = setting->names.values;
    AM_TRY(am_imported_gather(reading, node, def, &coordinates));
    def->n = coordinates.n;
    setting->known->sets = coordinates.sets;
    setting->known->labels = reduce || count > 0 ? NULL : coordinates.labels;
    AM_TRY(check_matrices(reading, node, setting, def));
    AM_TRY(take_parts(reading, rows, setting, &coordinates, def, &p));
    AM_TRY(wish_rows(reading, setting, &coordinates, def, &p, reduce != NULL, &wishes));
    AM_TRY(find_prescribed(reading, setting, &coordinates, kept));
    setting->outcome->keep = setting->wants_shapes || setting->compare;
    AM_TRY(reduce ? am_imported_reduce(reading, reduce, &setting->reduce, &coordinates, &wishes, count, kept, def,
                                       setting->outcome)
                  : grant_rows(reading, &wishes, def->n));
    AM_TRY(add_rayleigh(reading, &setting->rayleigh, def));
    for (size_t i = 0; i < count; i++)
        prescribed[i].coordinate = kept[i];
    if (setting->outcome->keep)
        AM_TRY(prepare_shapes(reading, setting, &coordinates, def->n, kept));
    def->polynomials = setting->polynomials.items;
    def->polynomial_count = setting->polynomials.count;
    def->varying = setting->varying.items;
    def->varying_count = setting->varying.count;
    return AM_OK;
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const structure_setting *setting = settings;
    am_system_def def;
    if (fill(reading, node, setting, &def) != AM_OK)
        return NULL;
    am_system *system = am_prescribed_create(&def, setting->prescribed.count, setting->prescribed.items, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

/* What a reduction left out. */
static am_status report(const void *settings, am_result *result, am_error *err) {
    const am_reduce_outcome *outcome = ((const structure_setting *)settings)->outcome;
    if (outcome->whole == 0)
        return AM_OK;
    am_result_set_counts(result, AM_NAMED({"reduction_coordinates", (double)outcome->whole},
                                          {"reduction_interface", (double)outcome->interface},
                                          {"reduction_modes", (double)outcome->modes}));
    am_result_set_numbers(result, AM_NAMED({"reduction_error", outcome->error}));
    return am_result_status(result, err);
}

static void name_coordinates(const void *settings, am_coordinates *coordinates) {
    const am_coordinates *known = ((const structure_setting *)settings)->known;
    coordinates->labels = known->labels;
    coordinates->sets = known->sets;
}

static am_status watch(const void *settings, am_model_watch *made, am_error *err) {
    const am_mode_shapes *shapes = ((const structure_setting *)settings)->shapes;
    return shapes->wanted ? am_mode_shapes_watch(shapes, made, err) : AM_OK;
}

/* Does the answer stand still when modes are added to a reduction? */
static am_mode_choice modes_of(const void *settings) {
    const structure_setting *setting = settings;
    const am_reduce_outcome *outcome = setting->outcome;
    return (am_mode_choice){.asked = outcome->own,
                            .most = outcome->whole - outcome->interface,
                            .automatic = outcome->automatic && outcome->own > 0,
                            .reduced = true,
                            .method = outcome->both ? "both" : NULL,
                            .tolerance = setting->reduce.tolerance};
}

const am_model_kind am_model_structure = {.schema = &schema,
                                          .build = build,
                                          .watch = watch,
                                          .report = report,
                                          .coordinates = name_coordinates,
                                          .modes = modes_of};
