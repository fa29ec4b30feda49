#include "models/parts.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

void am_parts_names(am_arena *arena, const char *prefix, size_t count, const char **names, am_error *err) {
    enum { size = 48 };
    char *text = am_arena_new(arena, count, size, err);
    for (size_t i = 0; text && names && i < count; i++)
        names[i] = am_text_numbered(text + i * size, size, prefix, i + 1);
}

am_status am_mistuning_check(const double *mistuning, size_t given, size_t count, const char *what, am_error *err) {
    char field[48];
    if (given > 0 && given != count)
        return am_fail_field(err, AM_ERR_INPUT, "mistuning", "mistuning must have one number per %s: %zu, not %zu",
                             what, count, given);
    for (size_t i = 0; i < given; i++) {
        if (mistuning[i] > -1.0 && isfinite(mistuning[i]))
            continue;
        snprintf(field, sizeof field, "mistuning[%zu]", i);
        return am_fail_field(err, AM_ERR_INPUT, field,
                             "with a mistuning of %g %s %zu has no positive stiffness left: it must be above -1",
                             mistuning[i], what, i + 1);
    }
    return AM_OK;
}

double *am_parts_identity(am_arena *arena, size_t n, am_error *err) {
    double *rows = am_arena_new(arena, n, n * sizeof *rows, err);
    for (size_t i = 0; rows && i < n; i++)
        rows[i * n + i] = 1.0;
    return rows;
}

static void release_matrix(void *matrix) {
    am_matrix_free(matrix);
}

am_matrix *am_parts_own(am_arena *arena, am_matrix *matrix, am_error *err) {
    return matrix && am_arena_own(arena, matrix, release_matrix, err) == AM_OK ? matrix : NULL;
}

am_system_def am_parts_def(size_t n, const char *const *names, size_t contact_count, const am_contact_def *contacts,
                           size_t load_count, const am_load_def *loads) {
    am_system_def def = am_system_def_default();
    def.n = n;
    def.names = names;
    def.named_by_model = true;
    def.contact_count = contact_count;
    def.contacts = contacts;
    def.load_count = load_count;
    def.loads = loads;
    return def;
}

am_system *am_arrays_create(am_system_def def, am_arrays arrays, am_error *err) {
    const double *values[] = {arrays.mass, arrays.damping, arrays.stiffness, arrays.circulatory};
    const am_matrix **matrices[] = {&def.mass, &def.damping, &def.stiffness, &def.circulatory};
    am_arena memory = {0};
    bool made = true;
    for (size_t i = 0; i < 4 && made; i++)
        if (values[i]) {
            *matrices[i] = am_parts_own(&memory, am_matrix_dense(def.n, def.n, values[i], err), err);
            made = *matrices[i] != NULL;
        }
    am_system *system = made ? am_system_create(&def, err) : NULL;
    am_arena_clear(&memory);
    return system;
}
