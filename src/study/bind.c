#include "study/bind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/response.h"
#include "base/try.h"

const am_word am_state_words[] = {{"open", AM_OPEN, "no contact"},
                                  {"stick", AM_STICK, "contact without sliding"},
                                  {"forward", AM_FORWARD, "sliding with positive velocity"},
                                  {"backward", AM_BACKWARD, "sliding with negative velocity"},
                                  {NULL, 0, NULL}};

const am_word am_parity_words[] = {
    {"auto", AM_PARITY_AUTO, "odd ones only where the structure and its loads have that symmetry"},
    {"all", AM_PARITY_ALL, "mean and even harmonics included"},
    {"odd", AM_PARITY_ODD, "odd ones only"},
    {NULL, 0, NULL}};

static const am_field place_fields[] = {
    AM_FIELD("displacement", NUMBERS, am_place, displacement, .by_name = true, .initial = "zero", .unit = "length",
             .about = "one number per coordinate"),
    AM_FIELD("velocity", NUMBERS, am_place, velocity, .by_name = true, .initial = "zero", .unit = "length/time",
             .about = "one number per coordinate"),
};

const am_schema am_place_schema = {.name = "initial",
                                   .title = "a start",
                                   .about = "Displacement and velocity.",
                                   .size = sizeof(am_place),
                                   AM_FIELDS(place_fields)};

am_status am_bind_vector(am_reading *reading, const am_numbers *numbers, const char *name, const am_case *made,
                         const double **values) {
    size_t n = made->coordinates.n;
    if (!numbers->values)
        return AM_OK;
    if (numbers->values == am_row_by_name) { /* {"51.3": 1e-3}: the others are zero */
        am_picked picked = {0};
        AM_TRY(am_coordinates_row(reading, numbers->node, name, &made->coordinates, &picked));
        *values = am_picked_row(reading, &picked, n);
        return *values ? AM_OK : AM_ERR_MEMORY;
    }
    if (numbers->count != n)
        return am_node_fail(numbers->node, reading->err, AM_ERR_INPUT,
                            "%s must have one number per coordinate: %zu, not %zu", name, n, numbers->count);
    *values = numbers->values;
    return AM_OK;
}

am_status am_bind_place(am_reading *reading, const am_place *place, const am_case *made, const double **displacement,
                        const double **velocity) {
    AM_TRY(am_bind_vector(reading, &place->displacement, "displacement", made, displacement));
    return am_bind_vector(reading, &place->velocity, "velocity", made, velocity);
}

am_status am_bind_words(am_reading *reading, const am_words *words, const char *name, const am_system *system,
                        const int **values) {
    size_t m = am_system_contacts(system);
    bool all = words->count == 1 && words->node->kind == AM_NODE_SCALAR;
    if (!words->values)
        return AM_OK;
    if (!all && words->count != m)
        return am_node_fail(words->node, reading->err, AM_ERR_INPUT, "%s must have one word per contact: %zu, not %zu",
                            name, m, words->count);
    int *spread = am_arena_new(reading->pool, m, sizeof *spread, reading->err);
    if (!spread)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < m; i++)
        spread[i] = words->values[all ? 0 : i];
    *values = spread;
    return AM_OK;
}

/* A word's value is that of the enum. */
am_status am_bind_states(am_reading *reading, const am_words *words, const char *name, const am_system *system,
                         const am_contact_state **states) {
    const int *values = NULL;
    AM_TRY(am_bind_words(reading, words, name, system, &values));
    *states = values ? (const am_contact_state *)values : *states;
    return AM_OK;
}

am_status am_bind_indices(am_reading *reading, const am_numbers *numbers, const char *name, const char *what,
                          size_t limit, size_t *indices) {
    for (size_t i = 0; i < numbers->count; i++) {
        double index = numbers->values[i];
        if (!(index >= 0) || index != floor(index) || index >= (double)limit)
            return am_node_fail(numbers->node->items[i], reading->err, AM_ERR_INPUT,
                                "%s[%zu] must be a whole number below %zu, the number of %s", name, i, limit, what);
        indices[i] = (size_t)index;
    }
    return AM_OK;
}

am_status am_bind_harmonics(am_reading *reading, const am_node *node, const char *text, size_t *harmonics) {
    const am_node *at = am_node_get(node, "harmonics");
    double number;
    if (!text || strcmp(text, "auto") == 0)
        return AM_OK;
    if (!am_node_number(at, &number) || number != floor(number) || number < 1.0 || number > 10000.0)
        return am_node_fail(at, reading->err, AM_ERR_INPUT,
                            "harmonics is '%s'; expected auto, or a whole number of at least 1", text);
    *harmonics = (size_t)number;
    return AM_OK;
}

bool am_is_state_variable(am_reading *reading, const char *name, const am_case *made, size_t *coordinate,
                          bool *velocity) {
    const am_system *system = made->system;
    size_t n = am_system_size(system);
    const char *spelled = am_coordinates_spell(reading, &made->coordinates, name);
    if (!spelled)
        return false;
    *velocity = false;
    for (*coordinate = 0; *coordinate < n; (*coordinate)++)
        if (strcmp(am_system_name(system, *coordinate), spelled) == 0)
            return true;
    *velocity = true;
    for (*coordinate = 0; *coordinate < n; (*coordinate)++)
        if (strcmp(am_system_velocity_name(system, *coordinate), spelled) == 0)
            return true;
    char *end = NULL;
    unsigned long number = name[0] == 'v' ? strtoul(name + 1, &end, 10) : 0;
    *coordinate = number - 1;
    return end && !*end && number >= 1 && number <= n;
}

am_status am_bind_coordinate(am_reading *reading, const am_node *node, const char *name, const am_case *made,
                             size_t *index) {
    return name ? am_coordinates_one(reading, am_node_get(node, "coordinate"), name, &made->coordinates, index) : AM_OK;
}

am_status am_check_contact_names(am_reading *reading, const am_texts *names, const am_system *system) {
    size_t contacts = am_system_contacts(system);
    for (size_t i = 0; i < names->count; i++) {
        size_t c = 0;
        while (c < contacts && strcmp(am_system_contact_name(system, c), names->values[i]) != 0)
            c++;
        const am_node *at = names->node->kind == AM_NODE_LIST ? names->node->items[i] : names->node;
        if (c == contacts)
            return am_node_fail(at, reading->err, AM_ERR_INPUT, "no contact is called '%.100s'%s%.100s",
                                names->values[i], contacts > 0 ? "; the first is " : ", for there is none",
                                contacts > 0 ? am_system_contact_name(system, 0) : "");
    }
    return AM_OK;
}

am_status am_check_span(am_reading *reading, const am_node *node, double from, double until) {
    if (until > from)
        return AM_OK;
    return am_node_fail(am_node_get(node, "until"), reading->err, AM_ERR_INPUT,
                        "until must be later than the start of the analysis (from: %g), not %g", from, until);
}
