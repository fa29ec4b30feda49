/* The model of a study: all its numbers by name. Each set alone gives the structure that `--set` gives, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/amontons.h"
#include "errors.h"
#include "study_text.h"

#define MOTION "analysis: {kind: motion, until: 1}\n"

static const char structure[] = "title: two masses\n"
                                "model:\n"
                                "  kind: structure\n"
                                "  names: [x, y]\n"
                                "  mass: [1, 2]\n"
                                "  stiffness: [[2, -1], [-1, 2]]\n"
                                "  contacts:\n"
                                "    - {name: '7', tangent: [1, 0], normal: [0, 1], friction: 0.3}\n"
                                "    - {tangent: [0, 1], law: held, hold: {constant: 1, sine: {amplitude: 0.2, "
                                "frequency: 3, phase_deg: 30}}, friction: {law: stribeck, static: 0.5, kinetic: 0.3, "
                                "velocity: 0.1}}\n"
                                "  loads:\n"
                                "    - {direction: [0, -1], constant: 1}\n"
                                "    - {direction: [1, 0], sine: {amplitude: 0.5, frequency: 2}}\n" MOTION;

static const char oscillator[] = "title: oscillator\nmodel: {kind: rod, alpha: 0.2}\n" MOTION;

static const char disc[] =
    "title: disc\nmodel: {kind: disc-pad, mu: 0.4, disc: {modes: 6, thickness: 0.02}, pad: {modes: 4}}\n"
    "analysis: {kind: stability, state: backward}\n";

static am_model *open_model(const am_study *study) {
    am_error err = {0};
    am_model *model = am_study_open_model(study, &err);
    if (!model)
        fail_msg("%s", err.message);
    return model;
}

static void has(const am_model *model, const char *name, double value) {
    size_t i = am_model_find(model, name);
    if (i == SIZE_MAX)
        fail_msg("there is no %s", name);
    assert_string_equal(am_model_name(model, i), name);
    double found = am_model_value(model, i);
    if (!(found == value || (isnan(found) && isnan(value))))
        fail_msg("%s is %g, not %g", name, found, value);
}

static void every_number_of_a_structure_has_a_name(void **state) {
    (void)state;
    am_study *study = read_text(structure);
    am_model *model = open_model(study);
    has(model, "mass.1", 2);
    has(model, "stiffness.0.1", -1);
    has(model, "contacts.0.friction", 0.3);
    has(model, "contacts.0.restitution", 0);       /* left out */
    has(model, "contacts.0.static_friction", NAN); /* left out: that of friction */
    has(model, "contacts.1.friction.velocity", 0.1);
    has(model, "contacts.1.hold.sine.amplitude", 0.2);
    has(model, "contacts.1.hold.sine.phase_deg", 30);
    has(model, "loads.1.sine.amplitude", 0.5);
    has(model, "loads.1.direction.0", 1);
    assert_true(am_model_find(model, "contacts.0.name") == SIZE_MAX); /* a text, be it of digits */
    am_model_free(model);
    am_study_free(study);
}

/* Everything that two systems let themselves be asked for. */
static void same_systems(const am_system *a, const am_system *b, const char *name) {
    size_t n = am_system_size(a);
    assert_int_equal(n, am_system_size(b));
    assert_int_equal(am_system_contacts(a), am_system_contacts(b));
    bool same = true;
    for (size_t i = 0; i < n * n; i++)
        same = same && am_matrix_at(am_system_mass(a), i / n, i % n) == am_matrix_at(am_system_mass(b), i / n, i % n) &&
               am_matrix_at(am_system_damping(a), i / n, i % n) == am_matrix_at(am_system_damping(b), i / n, i % n) &&
               am_matrix_at(am_system_stiffness(a), i / n, i % n) == am_matrix_at(am_system_stiffness(b), i / n, i % n);
    for (size_t c = 0; c < am_system_contacts(a); c++) {
        const am_contact_def *one = am_system_contact(a, c), *two = am_system_contact(b, c);
        same = same && one->friction == two->friction && one->static_friction == two->static_friction &&
               one->gap == two->gap && one->surface_velocity == two->surface_velocity &&
               one->restitution == two->restitution && one->hold.value == two->hold.value &&
               memcmp(one->speed_friction.parameter, two->speed_friction.parameter,
                      sizeof one->speed_friction.parameter) == 0 &&
               memcmp(one->tangent, two->tangent, n * sizeof(double)) == 0;
    }
    for (size_t l = 0; l < am_system_loads(a); l++) {
        const am_load_def *one = am_system_load(a, l), *two = am_system_load(b, l);
        same = same && one->function.value == two->function.value && one->function.phase == two->function.phase &&
               one->function.amplitude == two->function.amplitude &&
               one->function.frequency == two->function.frequency &&
               memcmp(one->direction, two->direction, n * sizeof(double)) == 0;
    }
    if (!same)
        fail_msg("%s: another structure", name);
}

/* Numbers one after another, each left where it is half of the time: what a model gives does not depend on what it gave
 * before. */
static void each_number_sets_what_its_path_sets(void **state) {
    (void)state;
    static const char *const texts[] = {structure, oscillator, disc};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        am_study *study = read_text(texts[t]);
        am_model *model = open_model(study);
        size_t accepted = 0;
        for (size_t i = 0; i < am_model_count(model); i++) {
            const char *name = am_model_name(model, i);
            double before = am_model_value(model, i), value = isnan(before) ? 0.6 : 1.25 * before + 0.125;
            char path[256], digits[64];
            snprintf(path, sizeof path, "model.%s", name);
            snprintf(digits, sizeof digits, "%.17g", value);
            const am_setting setting = {path, digits};
            am_error own = {0}, other = {0};
            GOOD(am_model_set(model, i, value, err));
            const am_system *system = am_model_system(model, &own);
            am_study *changed = am_study_parse("/test.yaml", texts[t], 1, &setting, false, &other);
            if (system && changed)
                same_systems(system, am_study_system(changed), name);
            else if (system && !strstr(other.message, "analysis") && /* it may be the analysis that refuses it */
                     !strstr(other.message, "does not know that"))
                fail_msg("%s: only --set is refused: %s", name, other.message);
            else if (changed)
                fail_msg("%s: only the model refuses: %s", name, own.message);
            accepted += system != NULL;
            am_study_free(changed);
            GOOD(am_model_set(model, i, before, err)); /* left out again, where it was */
            same_systems(am_model_system(model, &own), am_study_system(study), name);
        }
        assert_true(accepted > am_model_count(model) / 2);
        am_model_free(model);
        am_study_free(study);
    }
}

static void what_a_number_does_is_known_by_its_name(void **state) {
    (void)state;
    am_study *study = read_text(structure);
    am_model *model = open_model(study);
    am_effect effect;
    GOOD(am_model_effect(model, am_model_find(model, "contacts.0.friction"), 0.2, 0.5, &effect, err));
    assert_int_equal(effect, AM_EFFECT_AFFINE);
    GOOD(am_model_effect(model, am_model_find(model, "contacts.1.hold.sine.phase_deg"), 10.0, 50.0, &effect, err));
    assert_int_equal(effect, AM_EFFECT_AFFINE);
    GOOD(am_model_effect(model, am_model_find(model, "contacts.0.regularisation"), 0.0, 0.0, &effect, err));
    assert_int_equal(effect, AM_EFFECT_NOTHING);
    GOOD(am_model_effect(model, am_model_find(model, "loads.1.sine.frequency"), 1.0, 2.0, &effect, err));
    assert_int_equal(effect, AM_EFFECT_AFFINE);
    am_model_free(model);
    am_study_free(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_a_structure_has_a_name),
        cmocka_unit_test(each_number_sets_what_its_path_sets),
        cmocka_unit_test(what_a_number_does_is_known_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
