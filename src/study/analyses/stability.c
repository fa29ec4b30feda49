#include <math.h>
#include <stdint.h>
#include <string.h>

#include "amontons/stability.h"
#include "analyses/stability/modes.h"
#include "base/columns.h"
#include "base/memory.h"
#include "base/result_reuse.h"
#include "base/try.h"
#include "study/case.h"
#include "study/model_numbers.h"

typedef struct stability_setting {
    am_stability_options options;
    am_words state;
    am_threshold_curve_options curve; /* `along:`; its `first` is the threshold; names NULL: not asked for */
    am_model_numbers numbers;         /* of a threshold: the one that varies, and that of `along` */
    bool closed;                      /* the model knows the threshold itself: */
    am_threshold known;               /* its closed form */
} stability_setting;

static void set_defaults(void *record) {
    stability_setting *setting = record;
    setting->options = am_stability_options_default();
    setting->curve = am_threshold_curve_options_default();
    setting->curve.first.parameter = setting->curve.second = NULL;
}

static const am_field along_fields[] = {
    AM_FIELD("parameter", TEXT, am_threshold_curve_options, second, .required = true,
             .about = "another number of the model, by its name", .example = "C_r"),
    AM_FIELD("from", NUMBER, am_threshold_curve_options, from, .required = true, .about = "its first value",
             .example = "0.1"),
    AM_FIELD("to", NUMBER, am_threshold_curve_options, to, .required = true, .about = "its last value", .example = "3"),
    AM_FIELD("step", NUMBER, am_threshold_curve_options, step, AM_POSITIVE, .initial = "0.02",
             .about = "largest step, as a part of the curve's extent"),
    AM_FIELD("most_points", COUNT, am_threshold_curve_options, most_points, .initial = "10000",
             .about = "the curve ends there"),
};

static const am_schema along_schema = {.name = "along",
                                       .title = "along",
                                       .about = "The threshold as a curve, followed by arc length along a second "
                                                "number of the model.",
                                       .size = sizeof(am_threshold_curve_options),
                                       AM_FIELDS(along_fields)};

static const am_field fields[] = {
    AM_FIELD("state", WORDS, stability_setting, state, .words = am_state_words,
             .initial = "sliding, against the moving surface",
             .about = "state of each contact; one word stands for all", .example = "backward"),
    AM_FIELD(
        "threshold", TEXT, stability_setting, curve.first.parameter, .initial = "none",
        .about =
            "a number of the model by its name (Delta, contact.D_c): look for its value at which stability is lost"),
    AM_FIELD("from", NUMBER, stability_setting, curve.first.from, .initial = "0",
             .about = "threshold: a value at which sliding is stable, where the search begins"),
    AM_FIELD("to", NUMBER, stability_setting, curve.first.to, .initial = "without end, in steps that double",
             .about = "threshold: where the search ends"),
    AM_FIELD("along", RECORD, stability_setting, curve, .inner = &along_schema, .initial = "none",
             .about = "threshold: its curve along a second number of the model"),
};

/* Fields that mean something only beside `threshold`. */
static am_status finish(am_reading *reading, const am_node *node, void *record) {
    const am_threshold_curve_options *curve = &((const stability_setting *)record)->curve;
    const am_threshold_options *first = &curve->first;
    static const char *const others[] = {"from", "to", "along"};
    for (size_t i = 0; !first->parameter && i < 3; i++)
        if (am_node_get(node, others[i]))
            return am_node_fail(am_node_get(node, others[i]), reading->err, AM_ERR_INPUT,
                                "%s needs `threshold:`, the number of the model that varies", others[i]);
    if (first->parameter && first->from == first->to)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "from and to are the same");
    if (curve->second && curve->from == curve->to)
        return am_node_fail(am_node_get(am_node_get(node, "along"), "to"), reading->err, AM_ERR_INPUT,
                            "from and to are the same");
    return AM_OK;
}

static const am_schema schema = {
    .name = "stability",
    .title = "analysis stability",
    .about = "Do small disturbances of steady sliding, or of another persistent contact state, grow? At which value of "
             "a number of the model do they begin to?",
    .size = sizeof(stability_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

/* Does the model know the threshold itself? It speaks of sliding, on the side of larger values. */
static bool closed_form(const am_study_model *model, stability_setting *setting) {
    const am_threshold_options *first = &setting->curve.first;
    am_threshold *known = &setting->known;
    *known = (am_threshold){.critical = NAN, .omega = NAN, .growth = NAN, .bracket = NAN, .uncertainty = NAN};
    known->reached = first->to;
    return !setting->options.state && !setting->curve.second && first->to > first->from && model->kind->threshold &&
           model->kind->threshold(model->settings, first->parameter, first->from, first->to, known);
}

/* A name that is no number of the model, or an end that it refuses, is said before anything runs. */
static am_status check_ends(am_reading *reading, const stability_setting *setting) {
    const am_threshold_curve_options *curve = &setting->curve;
    const am_threshold_options *first = &curve->first;
    const double corners[4][2] = {
        {first->from, curve->from}, {first->to, curve->from}, {first->from, curve->to}, {first->to, curve->to}};
    for (size_t i = 0; i < (curve->second ? 4 : 2); i++)
        if (isfinite(corners[i][0]))
            AM_TRY(am_model_numbers_accept(&setting->numbers, 1, &corners[i], reading->err));
    return AM_OK;
}

/* Without an end, the first span is as long as the number that the study gives. */
static double first_span(const am_case *made, const char *parameter) {
    double value = 0.0;
    const am_node *node = am_node_find(am_node_get(made->root, "model"), parameter);
    return node && am_node_number(node, &value) && value != 0.0 ? fabs(value) : 1.0;
}

static am_status bind_threshold(am_reading *reading, const am_node *node, const am_case *made,
                                stability_setting *setting) {
    am_threshold_options *first = &setting->curve.first;
    const char **along = &setting->curve.second, *threshold = first->parameter;
    const am_node *along_at = am_node_get(am_node_get(node, "along"), "parameter");
    first->parameter = am_model_path_short(threshold);
    *along = *along ? am_model_path_short(*along) : NULL;
    if (*along && strcmp(first->parameter, *along) == 0)
        return am_node_fail(along_at, reading->err, AM_ERR_INPUT,
                            "the curve needs a number other than the threshold's own, %s", threshold);
    setting->numbers = am_model_numbers_of(am_node_get(made->root, "model"), reading->files, &made->model);
    am_model_numbers_add(&setting->numbers, first->parameter, am_node_get(node, "threshold"));
    if (*along)
        am_model_numbers_add(&setting->numbers, *along, along_at);
    first->span = first_span(made, first->parameter);
    first->stability = &setting->options;
    setting->closed = closed_form(&made->model, setting);
    return setting->closed ? AM_OK : check_ends(reading, setting);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    stability_setting *setting = settings;
    AM_TRY(am_bind_states(reading, &setting->state, "state", made->system, &setting->options.state));
    return setting->curve.first.parameter ? bind_threshold(reading, node, made, setting) : AM_OK;
}

/* ---- The table brake engineers read: one row per mode of steady sliding ---- */

typedef struct columns {
    size_t real, imaginary, hertz, damping_ratio, kind, uncertainty;
} columns;

static bool find_columns(const am_table *table, columns *c) {
    *c = (columns){am_table_find_column(table, "real"),  am_table_find_column(table, "imaginary"),
                   am_table_find_column(table, "hertz"), am_table_find_column(table, "damping_ratio"),
                   am_table_find_column(table, "kind"),  am_table_find_column(table, "uncertainty")};
    return c->real != SIZE_MAX && c->imaginary != SIZE_MAX && c->hertz != SIZE_MAX && c->damping_ratio != SIZE_MAX &&
           c->kind != SIZE_MAX && c->uncertainty != SIZE_MAX;
}

/* The coordinate that moves most in the shape of the eigenvalue in `row`, of equal ones the first; "" when there is no
 * shape of it. */
static const char *largest_coordinate(const am_table *shapes, size_t row) {
    const char *best = "";
    double most = 0.0;
    size_t number = shapes ? am_table_find_column(shapes, "mode") : SIZE_MAX;
    size_t name = shapes ? am_table_find_column(shapes, "coordinate") : SIZE_MAX;
    size_t amplitude = shapes ? am_table_find_column(shapes, "amplitude") : SIZE_MAX;
    if (number == SIZE_MAX || name == SIZE_MAX || amplitude == SIZE_MAX)
        return best;
    for (size_t r = 0; r < am_table_rows(shapes); r++)
        if (am_table_number(shapes, r, number) == (double)row &&
            am_table_number(shapes, r, amplitude) > (1.0 + AM_SHAPE_TIE) * most) {
            most = am_table_number(shapes, r, amplitude);
            best = am_table_text(shapes, r, name);
        }
    return best;
}

static am_status add_columns(am_table *table, am_error *err) {
    am_table_describe(table, "mode real imaginary hertz damping_ratio unstable coordinate");
    return am_table_status(table, err);
}

static bool is_unstable(const am_table *table, const columns *c, size_t row) {
    const char *kind = am_table_text(table, row, c->kind);
    return strcmp(kind, "flutter") == 0 || strcmp(kind, "divergence") == 0;
}

static am_status fill_squeal(const am_table *from, const am_table *shapes, const columns *c, const size_t *order,
                             size_t count, am_result *result, am_error *err) {
    size_t unstable = 0;
    am_table *table = am_result_add_table(result, "squeal", err);
    am_status status = table ? add_columns(table, err) : AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < count; i++) {
        size_t row = order[i];
        bool grows = is_unstable(from, c, row);
        unstable += grows;
        AM_TRY(am_table_add_row(table, err));
        am_table_set_number(table, 0, (double)(i + 1));
        am_table_set_number(table, 1, am_table_number(from, row, c->real));
        am_table_set_number(table, 2, am_table_number(from, row, c->imaginary));
        am_table_set_number(table, 3, am_table_number(from, row, c->hertz));
        am_table_set_number(table, 4, am_table_number(from, row, c->damping_ratio));
        am_table_set_number(table, 5, grows);
        status = am_table_set_text(table, 6, largest_coordinate(shapes, row), err);
    }
    return status == AM_OK ? am_result_set_count(result, "unstable_modes", unstable, err) : status;
}

/* Adds, beside the table `eigenvalues` of a `stability` result, the table `squeal` (mode, real, imaginary, hertz,
 * damping_ratio, unstable, coordinate): one row per pair or real eigenvalue, lowest frequency first; `unstable` is 1 or
 * 0, `coordinate` the one with the largest part in the mode's shape. Summary `unstable_modes`. Nothing when there are
 * no eigenvalues. */
static am_status add_squeal_table(am_result *result, am_error *err) {
    const am_table *from = am_result_find_table(result, "eigenvalues");
    const am_table *shapes = am_result_find_table(result, "modes");
    columns c;
    if (!from || !find_columns(from, &c))
        return AM_OK;
    size_t rows = am_table_rows(from), count = 0;
    double *real = am_memory_new(3 * rows, sizeof *real, err);
    size_t *order = am_memory_new(rows, sizeof *order, err);
    am_status status = real && order ? AM_OK : AM_ERR_MEMORY;
    for (size_t r = 0; r < rows && !status; r++) {
        real[r] = am_table_number(from, r, c.real);
        real[rows + r] = am_table_number(from, r, c.imaginary);
        real[2 * rows + r] = am_table_number(from, r, c.uncertainty);
    }
    if (!status)
        status = am_mode_order(rows, real, real + rows, real + 2 * rows, order, &count, err);
    if (!status)
        status = fill_squeal(from, shapes, &c, order, count, result, err);
    am_memory_free(order);
    am_memory_free(real);
    return status;
}

/* ---- Running ---- */

static am_status run_threshold(const stability_setting *setting, am_result *result, const am_progress *progress,
                               am_error *err) {
    const am_threshold_curve_options *curve = &setting->curve;
    am_model *model = am_model_numbers_open(&setting->numbers, err);
    if (!model)
        return AM_ERR_MEMORY;
    am_status status = curve->second     ? am_threshold_curve_run(model, curve, result, progress, err)
                       : setting->closed ? am_threshold_confirm(model, &curve->first, &setting->known, result, err)
                                         : am_threshold_run(model, &curve->first, result, progress, err);
    am_model_free(model);
    return status;
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const stability_setting *setting = settings;
    if (setting->curve.first.parameter)
        return run_threshold(setting, result, progress, err);
    AM_TRY(am_stability_run(system, &setting->options, result, progress, err));
    return am_result_wants(result, "squeal") ? add_squeal_table(result, err) : AM_OK;
}

const am_analysis_kind am_analysis_stability = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .figure = "{curves: [{table: eigenvalues, x: real, y: imaginary, style: points}], x_label: real part, "
              "y_label: imaginary part}"};
