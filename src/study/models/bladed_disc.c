#include "amontons/models.h"

#include "study/models.h"

typedef struct random_setting {
    double deviation;
    size_t seed;
} random_setting;

static void random_defaults(void *record) {
    random_setting *setting = record;
    setting->seed = 1;
}

static const am_field random_fields[] = {
    AM_FIELD("deviation", NUMBER, random_setting, deviation, .required = true, .range = AM_RANGE_NOT_NEGATIVE,
             .about = "standard deviation of the blades' stiffness, relative"),
    AM_FIELD("seed", COUNT, random_setting, seed, .initial = "1",
             .about = "chooses the pattern; the same seed always gives the same one"),
};

static const am_schema random_schema = {.name = "mistuning",
                                        .title = "mistuning",
                                        .about = "A random pattern of mistuning, normally distributed.",
                                        .size = sizeof(random_setting),
                                        .defaults = random_defaults,
                                        AM_FIELDS(random_fields)};

typedef struct bladed_disc_setting {
    am_bladed_disc disc;
    const am_node *mistuning;
} bladed_disc_setting;

static void set_defaults(void *record) {
    bladed_disc_setting *setting = record;
    setting->disc = am_bladed_disc_default();
}

static am_status draw_mistuning(am_reading *reading, bladed_disc_setting *setting) {
    random_setting random = {0};
    am_bladed_disc *disc = &setting->disc;
    am_status status = am_schema_read(reading, &random_schema, setting->mistuning, &random);
    if (status != AM_OK || disc->sectors > AM_BLADED_DISC_MOST) /* the builder says so */
        return status;
    double *values = am_arena_new(reading->pool, disc->sectors, sizeof *values, reading->err);
    if (!values)
        return AM_ERR_MEMORY;
    am_bladed_disc_mistune(random.seed, random.deviation, disc->sectors, values);
    disc->mistuning = values;
    disc->mistuning_count = disc->sectors;
    return AM_OK;
}

/* A list, or {deviation, seed}. */
static am_status finish(am_reading *reading, const am_node *node, void *record) {
    bladed_disc_setting *setting = record;
    am_numbers list = {0};
    (void)node;
    if (!setting->mistuning)
        return AM_OK;
    if (setting->mistuning->kind == AM_NODE_MAP)
        return draw_mistuning(reading, setting);
    if (setting->mistuning->kind != AM_NODE_LIST)
        return am_node_fail(setting->mistuning, reading->err, AM_ERR_INPUT,
                            "mistuning must be a list with one number per blade, or {deviation, seed}");
    am_status status = am_read_numbers(reading, setting->mistuning, "mistuning", AM_RANGE_ANY, 0, &list);
    setting->disc.mistuning = list.values;
    setting->disc.mistuning_count = list.count;
    if (status == AM_OK && list.count != setting->disc.sectors)
        return am_node_fail(setting->mistuning, reading->err, AM_ERR_INPUT,
                            "mistuning must have one number per blade: %zu, not %zu", setting->disc.sectors,
                            list.count);
    return status;
}

#define NUMBER(name_, ...) AM_FIELD(#name_, NUMBER, bladed_disc_setting, disc.name_, __VA_ARGS__)
#define POSITIVE .range = AM_RANGE_POSITIVE
#define NOT_NEGATIVE .range = AM_RANGE_NOT_NEGATIVE

static const am_field fields[] = {
    AM_FIELD("sectors", COUNT, bladed_disc_setting, disc.sectors, .initial = "12", .about = "number of blades N",
             .example = "12"),
    AM_FIELD("engine_order", COUNT, bladed_disc_setting, disc.engine_order, .initial = "3",
             .about = "EO: blade j = 0..N-1 feels F sin(Omega t + 2 pi EO j/N)", .example = "3"),
    NUMBER(Omega, POSITIVE, .initial = "1", .unit = "radians/time",
           .about = "frequency of the excitation, EO times the speed of the shaft", .example = "0.97"),
    NUMBER(normal_load, NOT_NEGATIVE, .initial = "5", .unit = "force", .about = "normal load on each damper",
           .example = "5"),
    NUMBER(mu, NOT_NEGATIVE, .initial = "0.3", .about = "coefficient of friction of the dampers", .example = "0.3"),
    NUMBER(damper_stiffness, NOT_NEGATIVE, .initial = "0.1", .unit = "force/length",
           .about = "k_d of each damper's contact, in series with its slider; 0: no dampers", .example = "0.1"),
    NUMBER(blade_mass, POSITIVE, .initial = "1", .unit = "mass", .about = "modal mass m_b of a blade"),
    NUMBER(blade_stiffness, POSITIVE, .initial = "1", .unit = "force/length", .about = "k_b, blade to disc"),
    NUMBER(disc_mass, POSITIVE, .initial = "4", .unit = "mass", .about = "m_d of a sector's piece of the disc"),
    NUMBER(disc_stiffness, NOT_NEGATIVE, .initial = "1", .unit = "force/length", .about = "k_g, disc to ground"),
    NUMBER(coupling_stiffness, NOT_NEGATIVE, .initial = "4", .unit = "force/length",
           .about = "k_c between neighbouring pieces of the disc"),
    NUMBER(zeta, NOT_NEGATIVE, .initial = "0.005",
           .about = "viscous damping ratio of every mode of the structure without its dampers"),
    NUMBER(centrifugal, NOT_NEGATIVE, .initial = "0", .unit = "mass x length",
           .about = "mass of a damper times its radius: adds centrifugal (Omega/engine_order)^2 to normal_load"),
    NUMBER(force, NOT_NEGATIVE, .initial = "1", .unit = "force", .about = "amplitude F on each blade"),
    AM_FIELD("mistuning", NODE, bladed_disc_setting, mistuning, .inner = &random_schema, .initial = "none",
             .about = "relative change of each blade's stiffness, a list; or a random pattern {deviation, seed}"),
};

static const am_schema schema = {
    .name = "bladed-disc",
    .title = "model bladed-disc",
    .about = "A bladed disc of N sectors, each a blade mass on a disc mass, with underplatform friction dampers "
             "(Jenkins elements) between neighbouring blades, under an engine-order excitation, tuned or mistuned. "
             "Coordinates blade1..bladeN, disc1..discN, contacts damper1..damperN.",
    .size = sizeof(bladed_disc_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const bladed_disc_setting *setting = settings;
    am_system *system = am_bladed_disc_create(&setting->disc, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

/* Where to look for the peaks: between the frequencies of the tuned disc with its dampers away and stuck. */
static am_status report(const void *settings, am_result *result, am_error *err) {
    const am_bladed_disc *disc = &((const bladed_disc_setting *)settings)->disc;
    size_t diameter = am_bladed_disc_nodal_diameter(disc);
    double free[2], stuck[2];
    am_bladed_disc_frequencies(disc, diameter, false, free);
    am_bladed_disc_frequencies(disc, diameter, true, stuck);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"nodal_diameter", (double)diameter},
                   {"omega_free_1", free[0]},
                   {"omega_free_2", free[1]},
                   {"omega_stuck_1", stuck[0]},
                   {"omega_stuck_2", stuck[1]}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        am_result_set_number(result, numbers[i].name, numbers[i].value, err);
    return am_result_status(result, err);
}

const am_model_kind am_model_bladed_disc = {.schema = &schema,
                                            .build = build,
                                            .figure = "{x: t, y: blade1, x_label: t, y_label: blade 1}",
                                            .report = report,
                                            .reads_summary = true};
