/* The rod of Vielsack and Kirillowa (1997) in the relative coordinates of eq. (32):
 *
 *     (1/6) M xi'' + C xi = beta w + T,     sliding velocity of node j = xi_j' + 1,
 *
 * with M = tridiag(1, 4, 1) and C = tridiag(-1, 2, -1), 2 and 1 in the last corner. Sliding has T = -beta w, so xi = 0
 * is steady sliding; sticking holds while |T_j| <= (beta + alpha) w_j. The derivation is in docs/rod.md. */
#include "amontons/models.h"

#include <math.h>

#include "base/columns.h"
#include "base/object.h"
#include "base/try.h"
#include "models/kind.h"
#include "models/parts.h"

/* The rod, or physical data that it follows from. */
typedef struct rod_setting {
    am_rod rod;
    am_rod_physical physical; /* density 0: not given */
    double time_unit, length_unit;
} rod_setting;

#define PHYSICAL(name_, member, ...) AM_FIELD(name_, NUMBER, am_rod_physical, member, AM_POSITIVE, __VA_ARGS__)

static const am_field physical_fields[] = {
    PHYSICAL("density", density, .required = true, .unit = "mass/length^3", .about = "rho", .example = "7850"),
    PHYSICAL("modulus", modulus, .required = true, .unit = "force/length^2", .about = "modulus of elasticity E",
             .example = "2.1e11"),
    PHYSICAL("length", length, .required = true, .unit = "length", .about = "of the whole rod, L_s", .example = "1"),
    PHYSICAL("friction", friction, .required = true, .about = "kinetic coefficient of friction mu", .example = "0.3"),
    PHYSICAL("epsilon", epsilon, .required = true, .about = "static friction is (1 + epsilon) times kinetic",
             .example = "0.1"),
    PHYSICAL("velocity", velocity, .required = true, .unit = "length/time", .about = "of the dragged end, v",
             .example = "0.001"),
    PHYSICAL("gravity", gravity, .initial = "9.81", .unit = "length/time^2", .about = "g"),
};

static const am_schema physical_schema = {
    .name = "physical",
    .title = "physical",
    .about = "A rod in physical units. Results stay in the rod's own units of time, L sqrt(rho/E) with the length L of "
             "one element, and of length, v L sqrt(rho/E): the summary has both.",
    .size = sizeof(am_rod_physical),
    AM_FIELDS(physical_fields)};

static const am_field fields[] = {
    AM_FIELD("elements", COUNT, rod_setting, rod.elements, .least = 1, .most = AM_ROD_MOST_ELEMENTS, .initial = "2",
             .about = "number of finite elements n; nodes 1 to n rub on the ground", .example = "2"),
    AM_FIELD("alpha", NUMBER, rod_setting, rod.alpha, AM_POSITIVE, .instead_of = "physical",
             .initial = "from `physical`", .about = "excess of static over kinetic friction, eq. (30)",
             .example = "0.5"),
    AM_FIELD("beta", NUMBER, rod_setting, rod.beta, AM_POSITIVE, .instead_of = "physical", .initial = "5",
             .about = "kinetic friction; matters only where a node slides backwards"),
    AM_FIELD("physical", RECORD, rod_setting, physical, .inner = &physical_schema, .instead_of = "alpha beta",
             .initial = "none", .about = "density, modulus, ..., instead of alpha and beta"),
};

/* The rows of the rod itself. */
static const am_schema own_schema = {.field_count = 3, .fields = fields};

static am_status complete(void *record, am_error *err) {
    rod_setting *setting = record;
    bool physical = setting->physical.density > 0.0;
    if (!physical && setting->rod.alpha == 0.0)
        return am_fail(err, AM_ERR_INPUT, "model rod needs the key 'alpha', or 'physical' with density, modulus, ...");
    if (!physical)
        return AM_OK;
    setting->physical.elements = setting->rod.elements;
    return am_rod_from_physical(&setting->physical, &setting->rod, &setting->time_unit, &setting->length_unit, err);
}

static const am_schema schema = {
    .name = "rod",
    .title = "model rod",
    .about =
        "An elastic rod dragged over a rough plane (Vielsack and Kirillowa 1997), n elements with consistent mass. "
        "Coordinates xi1..xin relative to steady sliding; the ground moves with velocity -1, so a node sticks at "
        "rate -1.",
    .size = sizeof(rod_setting),
    .complete = complete,
    .has_kind = true,
    AM_FIELDS(fields)};

am_rod am_rod_default(void) {
    rod_setting setting = {0};
    am_schema_defaults(&own_schema, &setting);
    return setting.rod;
}

am_rod_physical am_rod_physical_default(void) {
    am_rod_physical physical = {.elements = am_rod_default().elements};
    am_schema_defaults(&physical_schema, &physical);
    return physical;
}

static am_status check(const am_rod *rod, am_error *err) {
    const rod_setting setting = {.rod = *rod};
    return am_schema_check(&own_schema, &setting, err);
}

am_status am_rod_from_physical(const am_rod_physical *physical, am_rod *rod, double *time_unit, double *length_unit,
                               am_error *err) {
    if (!physical || !rod)
        return am_misused(err, __func__);
    const am_rod other = {.elements = physical->elements, .alpha = 1.0, .beta = 1.0};
    AM_TRY(check(&other, err));
    AM_TRY(am_schema_check(&physical_schema, physical, err));
    double element = physical->length / (double)physical->elements;
    double time = element * sqrt(physical->density / physical->modulus);
    double beta = physical->friction * physical->gravity * time / physical->velocity;
    if (!(beta > 0.0) || !isfinite(beta) || !isfinite(physical->epsilon * beta))
        return am_fail_field(err, AM_ERR_INPUT, "velocity",
                             "these values make beta = sqrt(density/modulus) friction gravity L/velocity = %g, which "
                             "cannot be computed with",
                             beta);
    *rod = (am_rod){.elements = physical->elements, .alpha = physical->epsilon * beta, .beta = beta};
    if (time_unit)
        *time_unit = time;
    if (length_unit)
        *length_unit = time * physical->velocity;
    return AM_OK;
}

/* scale * tridiag(side, middle, side) with `end` in the last corner. */
static am_matrix *chain(am_arena *memory, size_t n, double side, double middle, double end, double scale,
                        am_error *err) {
    size_t *row = am_arena_new(memory, 3 * n, sizeof *row, err), count = 0;
    size_t *column = am_arena_new(memory, 3 * n, sizeof *column, err);
    double *value = am_arena_new(memory, 3 * n, sizeof *value, err);
    for (size_t i = 0; i < n && value; i++)
        for (size_t j = i > 0 ? i - 1 : 0; j < n && j <= i + 1; j++) {
            row[count] = i;
            column[count] = j;
            value[count++] = scale * (i != j ? side : i + 1 < n ? middle : end);
        }
    return value ? am_parts_own(memory, am_matrix_sparse(n, n, count, row, column, value, err), err) : NULL;
}

static void describe(const am_rod *rod, const double *rows, double *weight, const char *const *names,
                     am_contact_def *contacts) {
    for (size_t j = 0; j < rod->elements; j++) {
        double share = j + 1 < rod->elements ? 1.0 : 0.5;
        weight[j] = rod->beta * share; /* its share in the rod's weight, times beta */
        contacts[j] = am_contact_def_default();
        contacts[j].name = names[j];
        contacts[j].tangent = rows + j * rod->elements;
        contacts[j].surface_velocity = -1.0;
        contacts[j].normal_law = AM_HELD;
        contacts[j].hold = am_function_constant(share);
        contacts[j].friction = rod->beta;
        contacts[j].static_friction = rod->beta + rod->alpha;
    }
}

static am_system *make(const am_rod *rod, am_arena *memory, am_error *err) {
    size_t n = rod->elements;
    double *rows = am_parts_identity(memory, n, err), *weight = am_arena_new(memory, n, sizeof *weight, err);
    const char **names = am_arena_new(memory, 2 * n, sizeof *names, err);
    am_contact_def *contacts = am_arena_new(memory, n, sizeof *contacts, err);
    if (am_arena_status(memory))
        return NULL;
    am_parts_names(memory, "xi", n, names, err);
    am_parts_names(memory, "node ", n, names + n, err);
    am_load_def drag = {.direction = weight, .function = am_function_constant(1.0)};
    am_system_def def = am_parts_def(n, names, n, contacts, 1, &drag);
    def.mass = chain(memory, n, 1.0, 4.0, 2.0, 1.0 / 6.0, err);
    def.stiffness = chain(memory, n, -1.0, 2.0, 1.0, 1.0, err);
    if (!def.mass || !def.stiffness || am_arena_status(memory))
        return NULL;
    describe(rod, rows, weight, names + n, contacts);
    return am_system_create(&def, err);
}

am_system *am_rod_create(const am_rod *rod, am_error *err) {
    if (!rod)
        return am_misused_for_nothing(err, __func__);
    am_arena memory = {0};
    am_system *system = check(rod, err) == AM_OK ? make(rod, &memory, err) : NULL;
    am_arena_clear(&memory);
    return system;
}

void am_rod_undeformed(const am_rod *rod, double *displacement, double *velocity) {
    if (!rod)
        return;
    size_t n = rod->elements;
    /* Steady sliding stretches the rod by s, C s = beta w: the force behind node j is beta times the weight from j on.
     */
    double s = 0.0;
    for (size_t j = 0; j < n; j++) {
        s += rod->beta * ((double)(n - j) - 0.5);
        displacement[j] = s;
        velocity[j] = -1.0;
    }
}

static am_system *create(const void *settings, am_error *err) {
    return am_rod_create(&((const rod_setting *)settings)->rod, err);
}

static am_status report(const void *settings, am_result *result, am_error *err) {
    const rod_setting *setting = settings;
    if (setting->physical.density > 0.0)
        am_result_set_numbers(result,
                              AM_NAMED({"alpha", setting->rod.alpha}, {"beta", setting->rod.beta},
                                       {"time_unit", setting->time_unit}, {"length_unit", setting->length_unit}));
    return am_result_status(result, err);
}

const am_model_kind am_model_rod = {
    .schema = &schema, .create = create, .figure = "{x: xi1, y: v1, x_label: xi_1, y_label: xi_1'}", .report = report};
