/* Models with numbers: what they lend, what they remember, and what a number does to random structures. */
#include <math.h>
#include <stdlib.h>

#include "amontons/model.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "system/dependence.h"

/* ---- random structures that a number changes in a known way ---- */

enum { MASS, DAMPING, STIFFNESS, FRICTION, GAP, SURFACE, TANGENT, DIRECTION, AMPLITUDE, FREQUENCY, PLACES };
typedef enum course { STILL, STRAIGHT, ROUND, BROKEN } course;

typedef struct changing {
    plain_system base;
    int place;
    course course;
    double slope;
    size_t made; /* systems so far */
} changing;

static double change_at(const changing *c, double p) {
    switch (c->course) {
    case STRAIGHT:
        return c->slope * p;
    case ROUND:
        return c->slope * p * p;
    case BROKEN:
        return c->slope * fabs(p - 1.4); /* the corner lies between from and to */
    default:
        return 0.0;
    }
}

static double *place_of(plain_system *plain, int place) {
    double *const places[PLACES] = {plain->mass,
                                    plain->damping,
                                    plain->stiffness,
                                    &plain->contact[0].friction,
                                    &plain->contact[0].gap,
                                    &plain->contact[0].surface_velocity,
                                    plain->contact[0].tangent,
                                    plain->load[0].direction,
                                    &plain->load[0].function.amplitude,
                                    &plain->load[0].function.frequency};
    return places[place];
}

/* Numbers: that of the place, and a factor of the second load. */
static am_system *make(void *context, const double *values, am_error *err) {
    changing *c = context;
    plain_system plain = c->base;
    *place_of(&plain, c->place) += change_at(c, values[0]);
    plain.load[1].function.amplitude *= values[1];
    c->made++;
    return plain_system_create(&plain, err);
}

static changing random_changing(uint64_t seed) {
    random_source source = random_seed(seed);
    random_options options = random_options_default(4, 2);
    changing c = {.place = (int)random_index(&source, PLACES), .course = (course)random_index(&source, 4)};
    double q[PLAIN_SIZE], v[PLAIN_SIZE];
    options.damped = 1.0;
    random_system(seed, &options, &c.base, q, v);
    c.base.loads = 2;
    for (size_t l = 0; l < 2; l++) {
        c.base.load[l].function = am_function_sine(1.0 + (double)l, 1.7, 0.3);
        c.base.load[l].direction[l] = 1.0;
    }
    c.base.contact[0].static_friction = 0.0;
    c.slope = random_between(&source, 0.05, 0.2);
    return c;
}

static am_model *open_model(changing *c) {
    static const char *const names[] = {"first", "factor"};
    const double values[] = {1.0, 1.0};
    const am_model_def def = {.count = 2, .names = names, .values = values, .make = make, .context = c};
    am_model *model = am_model_create(&def, NULL);
    assert_non_null(model);
    return model;
}

static void what_a_number_does_to_a_random_structure_is_found_out(void **state) {
    (void)state;
    static const am_effect effects[] = {AM_EFFECT_NOTHING, AM_EFFECT_AFFINE, AM_EFFECT_ANY, AM_EFFECT_ANY};
    size_t seen[3] = {0};
    for (uint64_t seed = 1; seed <= CASES(400, 40); seed++) {
        changing c = random_changing(seed);
        am_model *model = open_model(&c);
        am_effect effect;
        GOOD(am_model_effect(model, 0, 1.0, 2.0, &effect, err));
        if (effect != effects[c.course])
            fail_msg("%llu: place %d, course %d: %d", (unsigned long long)seed, c.place, c.course, effect);
        seen[effect]++;
        assert_true(am_model_value(model, 0) == 1.0); /* as before */
        GOOD(am_model_effect(model, 1, 0.5, 3.0, &effect, err));
        assert_int_equal(effect, AM_EFFECT_AFFINE);
        am_model_free(model);
    }
    assert_true(seen[0] > 5 && seen[1] > 5 && seen[2] > 5);
}

static void an_effect_is_remembered_until_another_number_changes(void **state) {
    (void)state;
    changing c = random_changing(7);
    am_model *model = open_model(&c);
    am_effect effect;
    GOOD(am_model_effect(model, 0, 1.0, 2.0, &effect, err));
    size_t made = c.made;
    GOOD(am_model_set(model, 0, 1.5, err));
    GOOD(am_model_effect(model, 0, 1.0, 2.0, &effect, err));
    assert_int_equal(c.made, made);
    GOOD(am_model_effect(model, 0, 1.0, 1.8, &effect, err)); /* elsewhere it may do something else */
    assert_true(c.made > made);
    made = c.made;
    GOOD(am_model_set(model, 1, 2.0, err));
    GOOD(am_model_effect(model, 0, 1.0, 1.8, &effect, err));
    assert_true(c.made > made);
    am_model_free(model);
}

/* ---- numbers read from systems, for any value ---- */

static am_status read_place(void *context, const am_system *system, double *numbers, am_error *err) {
    (void)err;
    ((size_t *)context)[0]++;
    numbers[0] = am_matrix_at(am_system_stiffness(system), 0, 0);
    numbers[1] = am_system_contact(system, 0)->friction;
    numbers[2] = am_system_load(system, 0)->function.amplitude;
    return AM_OK;
}

/* Straight and round courses need no system for other values, broken ones say that they do. */
static void numbers_that_depend_on_one_are_known_without_systems(void **state) {
    (void)state;
    static const int places[] = {STIFFNESS, FRICTION, AMPLITUDE};
    size_t reads = 0;
    for (uint64_t seed = 1; seed <= CASES(100, 10); seed++) {
        changing c = random_changing(seed);
        size_t which = seed % 3;
        c.place = places[which];
        am_model *model = open_model(&c);
        const am_model_line line = {.model = model, .held = SIZE_MAX};
        const am_dependence_reader reader = {
            .count = 3, .read = read_place, .context = &reads, .straightness = 4e-15, .bends = true};
        am_dependence d = {0};
        GOOD(am_dependence_find(&d, &line, 1.0, 2.0, &reader, err));
        assert_int_equal(d.straight, c.course < ROUND);
        assert_int_equal(d.bend > 0, c.course == ROUND);
        assert_int_equal(d.straight || d.bend > 0 ? d.moving_count : 0,
                         c.course == STILL || c.course == BROKEN ? 0 : 1);
        double numbers[3], own[3];
        for (double p = 1.0; p <= 2.0; p += 0.09) {
            const am_system *system;
            GOOD(am_model_line_at(&line, p, &system, err));
            GOOD(read_place(&reads, system, own, err));
            memcpy(numbers, d.base, sizeof numbers);
            assert_int_equal(am_dependence_at(&d, p, numbers), c.course != BROKEN);
            for (size_t i = 0; i < 3 && c.course != BROKEN; i++) /* rounding of a polynomial of a few terms */
                assert_near(numbers[i], own[i], 1e-13 * (1.0 + fabs(own[i])));
        }
        am_dependence_clear(&d);
        am_model_free(model);
    }
}

/* ---- the object ---- */

static void one_system_is_lent_until_a_number_changes(void **state) {
    (void)state;
    changing c = random_changing(3);
    c.place = FRICTION;
    c.course = STRAIGHT;
    am_model *model = open_model(&c);
    am_error err = {0};
    assert_int_equal(c.made, 0);
    const am_system *first = am_model_system(model, &err);
    assert_non_null(first);
    double friction = am_system_contact(first, 0)->friction;
    GOOD(am_model_set(model, 0, 1.0, err)); /* the value it has */
    assert_ptr_equal(am_model_system(model, &err), first);
    assert_int_equal(c.made, 1);
    GOOD(am_model_set(model, 0, 2.0, err));
    const am_system *second = am_model_system(model, &err);
    assert_near(am_system_contact(second, 0)->friction, friction + c.slope, 1e-15);
    assert_int_equal(c.made, 2);
    am_model_free(model);
}

static void a_number_that_is_refused_can_be_set_right_again(void **state) {
    (void)state;
    changing c = random_changing(3);
    c.place = FRICTION;
    c.course = STRAIGHT;
    am_model *model = open_model(&c);
    am_error err = {0};
    GOOD(am_model_set(model, 0, -1e6, err));
    assert_null(am_model_system(model, &err));
    assert_blames(&err, "contacts[0].friction", "");
    GOOD(am_model_set(model, 0, 1.0, err));
    assert_non_null(am_model_system(model, &err));
    am_effect effect;
    assert_int_equal(am_model_effect(model, 0, -1e6, 1.0, &effect, &err), AM_ERR_INPUT);
    assert_true(am_model_value(model, 0) == 1.0);
    am_model_free(model);
}

static void numbers_have_names_and_values(void **state) {
    (void)state;
    changing c = random_changing(1);
    am_model *model = open_model(&c);
    am_error err = {0};
    assert_int_equal(am_model_count(model), 2);
    assert_string_equal(am_model_name(model, 1), "factor");
    assert_string_equal(am_model_name(model, 2), "");
    assert_true(isnan(am_model_value(model, 2)));
    assert_int_equal(am_model_find(model, "factor"), 1);
    assert_int_equal(am_model_find(model, "fact"), SIZE_MAX);
    assert_int_equal(am_model_set(model, 2, 1.0, &err), AM_ERR_INPUT);
    am_model_free(model);
    static const char *const twice[] = {"a", "b", "a"};
    const am_model_def def = {.count = 3, .names = twice, .make = make, .context = &c};
    assert_null(am_model_create(&def, &err));
    assert_blames(&err, "names", "differ");
}

static void count_forgotten(void *context) {
    ++*(size_t *)context;
}

static am_system *make_none(void *context, const double *values, am_error *err) {
    (void)context;
    (void)values;
    am_fail(err, AM_ERR_INPUT, "none");
    return NULL;
}

static void what_belongs_to_a_model_goes_with_it(void **state) {
    (void)state;
    size_t forgotten = 0;
    am_error err = {0};
    const am_model_def def = {.make = make_none, .forget = count_forgotten, .context = &forgotten};
    am_model *model = am_model_create(&def, &err);
    assert_non_null(model);
    assert_null(am_model_system(model, &err));
    am_model_free(model);
    assert_int_equal(forgotten, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_number_does_to_a_random_structure_is_found_out),
        cmocka_unit_test(an_effect_is_remembered_until_another_number_changes),
        cmocka_unit_test(numbers_that_depend_on_one_are_known_without_systems),
        cmocka_unit_test(one_system_is_lent_until_a_number_changes),
        cmocka_unit_test(a_number_that_is_refused_can_be_set_right_again),
        cmocka_unit_test(numbers_have_names_and_values),
        cmocka_unit_test(what_belongs_to_a_model_goes_with_it),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
