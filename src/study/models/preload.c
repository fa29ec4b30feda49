#include "study/models/preload.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/try.h"

/* About an axis through a point. */
typedef struct centrifugal {
    am_numbers axis, point;
    double speed;
} centrifugal;

typedef struct preload {
    const double *direction;
    double constant;
    am_numbers acceleration;
    centrifugal spin;
} preload;

static const am_field spin_fields[] = {
    AM_FIELD("axis", NUMBERS, centrifugal, axis, .shape = 3, .required = true, .about = "its direction",
             .example = "[0, 0, 1]"),
    AM_FIELD("point", NUMBERS, centrifugal, point, .shape = 3, .initial = "[0, 0, 0]", .unit = "length",
             .about = "a point on it"),
    AM_FIELD("speed", NUMBER, centrifugal, speed, .required = true, .unit = "radians/time", .about = "of rotation",
             .example = "300"),
};

static const am_schema spin_schema = {.name = "centrifugal",
                                      .title = "a centrifugal load",
                                      .about =
                                          "What a structure that rotates feels: M times speed^2 times the distance "
                                          "from the axis, of each node.",
                                      .size = sizeof(centrifugal),
                                      AM_FIELDS(spin_fields)};

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    static const char *const kinds[] = {"direction", "acceleration", "centrifugal"};
    size_t given = 0;
    (void)record;
    for (size_t i = 0; i < 3; i++)
        given += am_node_get(node, kinds[i]) != NULL;
    if (given != 1)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a preload is one of {direction, constant}, {acceleration} and {centrifugal}");
    if (!am_node_get(node, "direction") != !am_node_get(node, "constant"))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a direction needs the key 'constant', its force, and only a direction has it");
    return AM_OK;
}

static const am_field fields[] = {
    AM_FIELD("direction", VECTOR, preload, direction, .by_name = true, .initial = "none",
             .about = "where it acts: {\"51.3\": -1, \"1051.3\": 1} is a bolt that draws two nodes together",
             .example = "[0, -1]"),
    AM_FIELD("constant", NUMBER, preload, constant, .initial = "0", .unit = "force", .about = "how large it is",
             .example = "1"),
    AM_FIELD("acceleration", NUMBERS, preload, acceleration, .shape = 3, .initial = "none", .unit = "length/time^2",
             .about = "weight: [0, 0, -9.81]"),
    AM_FIELD("centrifugal", RECORD, preload, spin, .inner = &spin_schema, .initial = "none",
             .about = "{axis, point, speed}: of a structure that rotates"),
};

const am_schema am_preload_schema = {
    .name = "preload",
    .title = "a preload",
    .about =
        "A constant load that is put on before anything else, slowly, while contacts stick, slip and open: motions "
        "begin, and modes are taken, where it leaves the structure.",
    .size = sizeof(preload),
    .finish = finish,
    AM_FIELDS(fields)};

/* What each node feels per unit of mass. */
static am_status feel(am_reading *reading, const am_node *node, const preload *p, const am_coordinates *coordinates,
                      am_label label, double felt[3]) {
    const centrifugal *spin = &p->spin;
    if (!spin->axis.values) {
        memcpy(felt, p->acceleration.values, 3 * sizeof *felt);
        return AM_OK;
    }
    const double *a = spin->axis.values, square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    size_t at = coordinates->grid ? am_import_mesh_find(coordinates->grid, label.node) : SIZE_MAX;
    if (at == SIZE_MAX)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "the place of node %ld is not known; expected it in the file of `sets` or of `nodes`",
                            label.node);
    if (!(square > 0.0))
        return am_node_fail(spin->axis.node, reading->err, AM_ERR_INPUT, "the axis must not be zero");
    double from[3], along = 0.0;
    for (int k = 0; k < 3; k++) {
        from[k] = coordinates->grid->node[at].place[k] - (spin->point.values ? spin->point.values[k] : 0.0);
        along += from[k] * a[k];
    }
    for (int k = 0; k < 3; k++)
        felt[k] = spin->speed * spin->speed * (from[k] - along / square * a[k]);
    return AM_OK;
}

/* M times what the nodes feel. */
static am_status weigh(am_reading *reading, const am_node *node, const preload *p, const am_coordinates *coordinates,
                       const am_matrix *mass, const double **row) {
    const am_labels *labels = coordinates->labels;
    size_t n = coordinates->n;
    if (!mass || !labels || labels->count == 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "weight needs %s",
                            mass ? "labels that tell which way each coordinate goes" : "a mass");
    double *felt = am_arena_doubles(reading->pool, NULL, n, reading->err);
    double *load = am_arena_doubles(reading->pool, NULL, n, reading->err);
    if (!felt || !load)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        double vector[3];
        if (labels->label[i].direction < 1 || labels->label[i].direction > 3)
            continue;
        AM_TRY(feel(reading, node, p, coordinates, labels->label[i], vector));
        felt[i] = vector[labels->label[i].direction - 1];
    }
    am_matrix_apply(mass, felt, load);
    *row = load;
    return AM_OK;
}

static am_status read_one(am_reading *reading, const am_node *node, const preload *p, const am_coordinates *coordinates,
                          const am_matrix *mass, am_load_def *load) {
    const am_node *direction = am_node_get(node, "direction");
    am_picked picked = {0};
    load->function = am_function_constant(direction ? p->constant : 1.0);
    if (!direction)
        return weigh(reading, node, p, coordinates, mass, &load->direction);
    AM_TRY(am_coordinates_row(reading, direction, "direction", coordinates, &picked));
    load->direction = am_picked_row(reading, &picked, coordinates->n);
    return load->direction ? AM_OK : AM_ERR_MEMORY;
}

am_status am_preload_read(am_reading *reading, const am_records *records, const am_coordinates *coordinates,
                          const am_matrix *mass, const am_load_def **loads, size_t *count) {
    const preload *items = records->items;
    am_load_def *all = am_arena_new(reading->pool, *count + records->count, sizeof *all, reading->err);
    if (!all)
        return AM_ERR_MEMORY;
    if (*count > 0)
        memcpy(all, *loads, *count * sizeof *all);
    for (size_t i = 0; i < records->count; i++)
        AM_TRY(read_one(reading, records->nodes[i], &items[i], coordinates, mass, &all[*count + i]));
    *loads = all;
    *count += records->count;
    return AM_OK;
}
