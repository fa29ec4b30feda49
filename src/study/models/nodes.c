#include "models/nodes.h"
#include "amontons/models.h"
#include "base/try.h"
#include "study/functions.h"
#include "study/models.h"
#include "study/models/friction.h"

typedef struct weld_setting {
    am_records tangential, normal; /* of am_function */
} weld_setting;

typedef struct constraint_setting {
    am_numbers rest_minus, rest_plus;
} constraint_setting;

typedef struct nodes_setting {
    am_matrix *A, *B, *C;
    am_friction weakening;
    weld_setting weld;
    constraint_setting constraints;
    am_nodes *def; /* made by build, for report */
} nodes_setting;

/* ---- weld forces ---- */

static am_status finish_force(am_reading *reading, const am_node *node, void *record) {
    return am_function_finish(reading, node, record);
}

static const am_field force_fields[] = {AM_FUNCTION_FIELDS(0)};

static const am_schema force_schema = {.name = "weld_force",
                                       .title = "a weld force",
                                       .about = "A function of time; a plain number is a constant one.",
                                       .size = sizeof(am_function),
                                       .finish = finish_force,
                                       .shorthand = "constant",
                                       AM_FIELDS(force_fields)};

static const am_field weld_fields[] = {
    AM_FIELD("tangential", RECORDS, weld_setting, tangential, .inner = &force_schema, .required = true, .unit = "force",
             .about = "q^w: a number or a function of time for each node",
             .example = "[0, {sine: {amplitude: 1, frequency: 1}}]"),
    AM_FIELD("normal", RECORDS, weld_setting, normal, .inner = &force_schema, .required = true, .unit = "force",
             .about = "p^w: a number or a function of time for each node", .example = "[1, 1]"),
};

static const am_schema weld_schema = {.name = "weld",
                                      .title = "weld",
                                      .about = "The contact forces if all nodes were welded at v = w = 0, eq. (2.1).",
                                      .size = sizeof(weld_setting),
                                      AM_FIELDS(weld_fields)};

/* ---- constraints ---- */

static const am_field constraint_fields[] = {
    AM_FIELD("rest_minus", NUMBERS, constraint_setting, rest_minus, .required = true, .unit = "force",
             .about = "right-hand sides of O- in eq. (2.4) at rest, one per node", .example = "[1, 1]"),
    AM_FIELD("rest_plus", NUMBERS, constraint_setting, rest_plus, .required = true, .unit = "force",
             .about = "right-hand sides of O+ in eq. (2.4) at rest, one per node", .example = "[-1, -1]"),
    AM_FIELD(
        "sequence", LATER, constraint_setting, rest_plus, .required = true,
        .about =
            "pairs [\"2-\", 0.5]: each takes that constraint from rest to the value and back, one unit of time each "
            "way; then all over again",
        .example = "[[\"1+\", 0.5], [\"2-\", -0.5]]"),
};

static const am_schema constraint_schema = {
    .name = "constraints",
    .title = "constraints",
    .about = "The load as the motion of the constraints of eq. (2.4): where they rest, and in which order they advance "
             "and recede. Converted to weld forces.",
    .size = sizeof(constraint_setting),
    AM_FIELDS(constraint_fields)};

/* "2-": node and sign. The name goes from 1, the struct from 0. */
static am_status read_constraint(am_reading *reading, const am_node *node, am_nodes_advance *advance) {
    size_t number = 0, used = 0;
    char digits[AM_TEXT_NUMBER_SIZE];
    const char *text = node->kind == AM_NODE_SCALAR ? am_node_words(node, digits) : "";
    for (; text[used] >= '0' && text[used] <= '9' && used < 9; used++)
        number = 10 * number + (size_t)(text[used] - '0');
    if (used > 0 && text[used] == '\0')
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "'%.60s' names a node without a sign; expected \"%.60s+\" or \"%.60s-\"", text, text, text);
    if (used == 0 || (text[used] != '+' && text[used] != '-') || text[used + 1] != '\0')
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "%s%.60s%s does not name a constraint; expected a node and a sign, such as \"2-\"",
                            *text ? "'" : "", *text ? text : am_node_kind_name(node), *text ? "'" : "");
    if (number == 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "there is no node 0; nodes count from 1");
    advance->node = number - 1;
    advance->sign = text[used] == '+' ? 1 : -1;
    return AM_OK;
}

static am_status read_sequence(am_reading *reading, const am_node *node, am_nodes *def) {
    if (node->kind != AM_NODE_LIST)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "sequence must be a list of pairs such as [\"2-\", 0.5], not %s", am_node_kind_name(node));
    am_nodes_advance *sequence = am_arena_new(reading->pool, node->count, sizeof *sequence, reading->err);
    if (!sequence)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < node->count; k++) {
        const am_node *pair = node->items[k];
        if (pair->kind != AM_NODE_LIST || pair->count != 2)
            return am_node_fail(pair, reading->err, AM_ERR_INPUT,
                                "an item of sequence must be a pair: a constraint and its extreme position, such as "
                                "[\"2-\", 0.5]");
        AM_TRY(read_constraint(reading, pair->items[0], &sequence[k]));
        AM_TRY(am_read_number(reading, pair->items[1], "the extreme position", AM_RANGE_ANY, &sequence[k].extreme));
    }
    def->sequence = sequence;
    def->advance_count = node->count;
    return AM_OK;
}

/* ---- the model ---- */

static const am_field fields[] = {
    AM_FIELD("A", MATRIX, nodes_setting, A, .required = true, .unit = "force/length",
             .about = "tangential stiffness, one row and column per node, eq. (2.1)",
             .example = "[[1, 0.5], [0.5, 1]]"),
    AM_FIELD("B", MATRIX, nodes_setting, B, .required = true, .unit = "force/length",
             .about = "coupling: normal forces from tangential displacements",
             .example = "[[0.5, 0.25], [0.95, 0.95]]"),
    AM_FIELD("C", MATRIX, nodes_setting, C, .initial = "B A^-1 B^T + (trace A / N) I", .unit = "force/length",
             .about = "normal stiffness; matters only while a node is open"),
    AM_FIELD("mu", LATER, nodes_setting, def, .required = true,
             .about = "coefficient of friction: a number, or one per node", .example = "0.5"),
    AM_FIELD("static_mu", LATER, nodes_setting, def, .initial = "equal to mu",
             .about = "coefficient that holds while sticking: a number, or one per node; with `weld` only"),
    AM_FIELD(
        "weakening", RECORD, nodes_setting, weakening, .inner = &am_weakening_schema, .initial = "none",
        .about =
            "{law, length or points}: friction falls from static_mu to mu with the distance slid; with `weld` only"),
    AM_FIELD("constraints", RECORD, nodes_setting, constraints, .inner = &constraint_schema, .initial = "none",
             .about = "{rest_minus, rest_plus, sequence}: the load as moving constraints",
             .example =
                 "{rest_minus: [2, 2], rest_plus: [-2, -2], sequence: [[\"1+\", 0.5], [\"2+\", 0.5], [\"1-\", -0.5], "
                 "[\"2-\", -0.5]]}"),
    AM_FIELD("weld", RECORD, nodes_setting, weld, .inner = &weld_schema, .initial = "none",
             .about = "{tangential, normal}: the load as weld forces, instead of constraints"),
};

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    nodes_setting *setting = record;
    const am_node *weld = am_node_get(node, "weld"), *constraints = am_node_get(node, "constraints");
    if (weld && constraints)
        return am_node_fail(weld, reading->err, AM_ERR_INPUT,
                            "weld and constraints cannot both be given: either determines the loads");
    if (!weld && !constraints)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "model nodes needs its loads: the key 'constraints', or 'weld'");
    setting->def = am_arena_new(reading->pool, 1, sizeof *setting->def, reading->err);
    return setting->def ? AM_OK : AM_ERR_MEMORY;
}

static const am_schema schema = {
    .name = "nodes",
    .title = "model nodes",
    .about = "N contact nodes on an elastic support, loaded slowly (Andersson, Barber and Ahn). Coordinates v1..vN "
             "(tangential) and w1..wN (normal, away from the obstacle).",
    .size = sizeof(nodes_setting),
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

/* A number, or one per node. */
static am_status take_friction(am_reading *reading, const am_node *model, const char *name, size_t n,
                               const double **mu) {
    const am_node *node = am_node_get(model, name);
    am_numbers numbers = {0};
    double all = 0.0;
    if (node->kind == AM_NODE_LIST) {
        am_status status = am_read_numbers(reading, node, name, AM_RANGE_NOT_NEGATIVE, n, &numbers);
        *mu = numbers.values;
        return status;
    }
    AM_TRY(am_read_number(reading, node, name, AM_RANGE_NOT_NEGATIVE, &all));
    double *values = am_arena_new(reading->pool, n, sizeof *values, reading->err);
    for (size_t i = 0; values && i < n; i++)
        values[i] = all;
    *mu = values;
    return values ? AM_OK : AM_ERR_MEMORY;
}

static am_status one_per_node(am_reading *reading, const am_node *node, const char *name, size_t count, size_t n) {
    if (count == n)
        return AM_OK;
    return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must have one entry per node: %zu, not %zu", name, n,
                        count);
}

static am_status take_weld(am_reading *reading, const weld_setting *weld, am_nodes *def) {
    const am_records *tangential = &weld->tangential, *normal = &weld->normal;
    AM_TRY(one_per_node(reading, tangential->node, "tangential", tangential->count, def->count));
    AM_TRY(one_per_node(reading, normal->node, "normal", normal->count, def->count));
    def->tangential = tangential->items;
    def->normal = normal->items;
    return AM_OK;
}

static am_status take_constraints(am_reading *reading, const constraint_setting *constraints, am_nodes *def) {
    const am_numbers *minus = &constraints->rest_minus, *plus = &constraints->rest_plus;
    AM_TRY(one_per_node(reading, minus->node, "rest_minus", minus->count, def->count));
    AM_TRY(one_per_node(reading, plus->node, "rest_plus", plus->count, def->count));
    def->rest_minus = minus->values;
    def->rest_plus = plus->values;
    return AM_OK;
}

static am_status fill(am_reading *reading, const am_node *node, const nodes_setting *setting, am_nodes *def) {
    const am_node *constraints = am_node_get(node, "constraints");
    *def = am_nodes_default();
    def->count = am_matrix_rows(setting->A);
    def->A = setting->A;
    def->B = setting->B;
    def->C = setting->C;
    def->weakening = setting->weakening;
    AM_TRY(take_friction(reading, node, "mu", def->count, &def->mu));
    if (am_node_get(node, "static_mu"))
        AM_TRY(take_friction(reading, node, "static_mu", def->count, &def->static_mu));
    if (!constraints)
        return take_weld(reading, &setting->weld, def);
    AM_TRY(take_constraints(reading, &setting->constraints, def));
    return read_sequence(reading, am_node_get(constraints, "sequence"), def);
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const nodes_setting *setting = settings;
    if (fill(reading, node, setting, setting->def) != AM_OK)
        return NULL;
    am_system *system = am_nodes_create(setting->def, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

static am_status watch(const void *settings, am_model_watch *made, am_error *err) {
    return am_nodes_watch_open(((const nodes_setting *)settings)->def, made, err);
}

const am_model_kind am_model_nodes = {.schema = &schema,
                                      .build = build,
                                      .analysis = "path",
                                      .figure = "{kind: slip}",
                                      .watch = watch,
                                      .watches_tables = true};
