#include "amontons/models.h"

#include <string.h>

#include "math/pi.h"
#include "study/functions.h"
#include "study/models.h"
#include "study/models/contact_rows.h"
#include "study/table.h"

typedef struct modes_setting {
    const am_node *frequency, *hertz, *stiffness, *damping_ratio, *mass;
    am_contact_rows_setting contact_rows;
    am_records loads;
    am_texts names;
} modes_setting;

static const am_field fields[] = {
    AM_FIELD("frequency", NODE, modes_setting, frequency, .initial = "from hertz or stiffness", .unit = "radians/time",
             .about = "of each mode: a list, or {file: name.csv} or name.mtx", .example = "[10, 11]"),
    AM_FIELD("hertz", NODE, modes_setting, hertz, .unit = "1/time", .about = "the same in cycles per unit time"),
    AM_FIELD("stiffness", NODE, modes_setting, stiffness, .unit = "force/length", .about = "modal stiffness instead"),
    AM_FIELD("damping_ratio", NODE, modes_setting, damping_ratio, .initial = "0",
             .about = "of the critical damping: one number, or one per mode", .example = "0.005"),
    AM_FIELD("mass", NODE, modes_setting, mass, .initial = "1", .unit = "mass",
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
    const modes_setting *setting = record;
    int given = !!setting->frequency + !!setting->hertz + !!setting->stiffness;
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
static am_status read_frequencies(am_reading *reading, const modes_setting *setting, am_modes *modes) {
    const am_node *node = setting->frequency ? setting->frequency
                          : setting->hertz   ? setting->hertz
                                             : setting->stiffness;
    const char *name = setting->frequency ? "frequency" : setting->hertz ? "hertz" : "stiffness";
    am_number_table table = {0};
    am_status status = am_read_table(reading, node, name, &table);
    if (status == AM_OK && table.rows != 1 && table.columns != 1)
        status = am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be one row or one column, not %zu x %zu", name,
                              table.rows, table.columns);
    if (status != AM_OK)
        return status;
    modes->modes = table.rows * table.columns;
    double *values = am_arena_new(reading->pool, modes->modes, sizeof *values, reading->err);
    if (!values)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < modes->modes; i++)
        values[i] = setting->hertz ? two_pi * table.values[i] : table.values[i];
    if (setting->stiffness)
        modes->stiffness = values;
    else
        modes->frequency = values;
    return AM_OK;
}

static am_status read_contacts(am_reading *reading, const modes_setting *setting, am_modes *modes) {
    size_t n = modes->modes;
    am_load_def *given = NULL;
    am_status status = am_load_defs(reading, &setting->loads, n, &given);
    double *press = am_arena_new(reading->pool, n, sizeof *press, reading->err);
    am_load_def *loads = am_arena_new(reading->pool, setting->loads.count + 1, sizeof *loads, reading->err);
    if (status == AM_OK && (!press || !loads))
        status = AM_ERR_MEMORY;
    if (status == AM_OK)
        status =
            am_contact_rows_read(reading, &setting->contact_rows, n, &modes->contacts, &modes->contact_count, press);
    if (status != AM_OK)
        return status;
    if (setting->loads.count > 0)
        memcpy(loads, given, setting->loads.count * sizeof *loads);
    modes->load_count = setting->loads.count;
    for (size_t i = 0; i < n; i++)
        if (press[i] != 0.0) {
            loads[modes->load_count++] = (am_load_def){press, am_function_constant(1.0)};
            break;
        }
    modes->loads = loads;
    return AM_OK;
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const modes_setting *setting = settings;
    am_modes modes = {0};
    am_status status = read_frequencies(reading, setting, &modes);
    if (status == AM_OK)
        status = am_read_each(reading, setting->damping_ratio, "damping_ratio", "mode", AM_RANGE_NOT_NEGATIVE, 0.0,
                              modes.modes, &modes.damping_ratio);
    if (status == AM_OK)
        status = am_read_each(reading, setting->mass, "mass", "mode", AM_RANGE_POSITIVE, 1.0, modes.modes, &modes.mass);
    if (status == AM_OK)
        status = read_contacts(reading, setting, &modes);
    if (status == AM_OK && setting->names.values)
        status = am_coordinate_names_check(reading, &setting->names, "mode", modes.modes);
    modes.names = setting->names.values;
    am_system *system = status == AM_OK ? am_modes_create(&modes, reading->err) : NULL;
    if (!system && status == AM_OK)
        am_node_locate(node, reading->err);
    return system;
}

const am_model_kind am_model_modes = {.schema = &schema, .build = build, .analysis = "stability"};
