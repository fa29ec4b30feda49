#include "amontons/models.h"

#include "base/try.h"
#include "math/pi.h"
#include "study/functions.h"
#include "study/models.h"
#include "study/models/contact_rows.h"
#include "study/number_table.h"

typedef struct modes_setting {
    am_contact_def contact_rows; /* what its contacts have in common */
    am_records loads;
    am_texts names;
} modes_setting;

static const am_field fields[] = {
    AM_FIELD("frequency", LATER, modes_setting, loads, .initial = "from hertz or stiffness", .unit = "radians/time",
             .about = "of each mode: a list, or {file: name.csv} or name.mtx", .example = "[10, 11]"),
    AM_FIELD("hertz", LATER, modes_setting, loads, .unit = "1/time", .about = "the same in cycles per unit time"),
    AM_FIELD("stiffness", LATER, modes_setting, loads, .unit = "force/length", .about = "modal stiffness instead"),
    AM_FIELD("damping_ratio", LATER, modes_setting, loads, .initial = "0",
             .about = "of the critical damping: one number, or one per mode", .example = "0.005"),
    AM_FIELD("mass", LATER, modes_setting, loads, .initial = "1", .unit = "mass",
             .about = "modal mass: one number, or one per mode"),
    AM_FIELD("contact_rows", RECORD, modes_setting, contact_rows, .inner = &am_contact_rows_schema, .required = true,
             .about = "what each mode (column) moves each contact (row) by, and the contacts' law",
             .example = "{normal: [[1, 0.5]], tangent: [[-0.5, 1]], friction: 0.4, law: kelvin-voigt, "
                        "contact_stiffness: 20}"),
    AM_FIELD("loads", RECORDS, modes_setting, loads, .inner = &am_load_schema, .initial = "none",
             .about = "list of loads, with directions of one number per mode"),
    AM_FIELD("names", TEXTS, modes_setting, names, .initial = "q1, q2, ...", .about = "names of the modes"),
};

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    static const char *const keys[] = {"frequency", "hertz", "stiffness"};
    int given = 0;
    (void)record;
    for (size_t i = 0; i < 3; i++)
        given += am_node_get(node, keys[i]) != NULL;
    if (given == 1)
        return AM_OK;
    return am_node_fail(node, reading->err, AM_ERR_INPUT,
                        "model modes needs one of the keys 'frequency', 'hertz' and 'stiffness'%s",
                        given > 1 ? ", not several" : "");
}

static const am_schema schema = {
    .name = "modes",
    .title = "model modes",
    .about = "A structure given by its modes of vibration (frequencies, damping ratios, masses) and by what each mode "
             "moves each contact by, from lists or from CSV and Matrix Market files.",
    .size = sizeof(modes_setting),
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

/* Frequencies or stiffnesses tell how many modes there are. */
static am_status read_frequencies(am_reading *reading, const am_node *map, am_modes *modes) {
    const am_node *frequency = am_node_get(map, "frequency"), *hertz = am_node_get(map, "hertz");
    const am_node *node = frequency ? frequency : hertz ? hertz : am_node_get(map, "stiffness");
    const char *name = frequency ? "frequency" : hertz ? "hertz" : "stiffness";
    am_number_table table = {0};
    AM_TRY(am_read_table(reading, node, name, &table));
    if (table.rows != 1 && table.columns != 1)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be one row or one column, not %zu x %zu", name,
                            table.rows, table.columns);
    modes->modes = table.rows * table.columns;
    double *values = am_arena_doubles(reading->pool, table.values, modes->modes, reading->err);
    if (!values)
        return AM_ERR_MEMORY;
    for (size_t i = 0; hertz && i < modes->modes; i++)
        values[i] *= two_pi;
    *(frequency || hertz ? &modes->frequency : &modes->stiffness) = values;
    return AM_OK;
}

static am_status fill(am_reading *reading, const am_node *node, const modes_setting *setting, am_modes *modes) {
    AM_TRY(read_frequencies(reading, node, modes));
    size_t n = modes->modes;
    AM_TRY(am_read_each(reading, am_node_get(node, "damping_ratio"), "damping_ratio", "mode", AM_RANGE_NOT_NEGATIVE,
                        0.0, n, &modes->damping_ratio));
    AM_TRY(am_read_each(reading, am_node_get(node, "mass"), "mass", "mode", AM_RANGE_POSITIVE, 1.0, n, &modes->mass));
    AM_TRY(am_check_rows(reading, &setting->loads, "direction", n));
    modes->loads = setting->loads.items;
    modes->load_count = setting->loads.count;
    double *press = am_arena_new(reading->pool, n, sizeof *press, reading->err);
    if (!press)
        return AM_ERR_MEMORY;
    AM_TRY(am_contact_rows_read(reading, am_node_get(node, "contact_rows"), &setting->contact_rows, n, &modes->contacts,
                                &modes->contact_count, press));
    AM_TRY(am_contact_rows_press(reading, press, n, &modes->loads, &modes->load_count));
    modes->names = setting->names.values;
    return setting->names.values ? am_coordinate_names_check(reading, &setting->names, "mode", n) : AM_OK;
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    am_modes modes = {0};
    if (fill(reading, node, settings, &modes) != AM_OK)
        return NULL;
    am_system *system = am_modes_create(&modes, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

const am_model_kind am_model_modes = {.schema = &schema, .build = build, .analysis = "stability"};
