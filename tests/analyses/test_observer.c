/* Observers see what the tables `samples` and `events` show, in numbers, while the analysis runs; and may end it. */
#include <math.h>
#include <string.h>

#include "amontons/march.h"
#include "amontons/models.h"
#include "amontons/motion.h"
#include "amontons/observer.h"
#include "amontons/orbit.h"
#include "amontons/path.h"
#include "near.h"
#include "results.h"

enum { MOST = 400, SAMPLES = 41 };

/* Samples of at most two coordinates and one contact. */
typedef struct seen {
    size_t count, enough; /* ends the analysis after so many; 0: never */
    double t[MOST], q[MOST][2], v[MOST][2], N[MOST], T[MOST];
    size_t coordinates;
    bool moving;
    am_contact_state state[MOST];
} seen;

static am_status look(void *context, const am_sample *sample, am_error *err) {
    seen *s = context;
    size_t i = s->count++;
    assert_true(i < MOST && sample->coordinates <= 2 && sample->contacts == 1);
    s->coordinates = sample->coordinates;
    s->moving = sample->velocity != NULL;
    s->t[i] = sample->t;
    for (size_t k = 0; k < sample->coordinates; k++) {
        s->q[i][k] = sample->displacement[k];
        s->v[i][k] = s->moving ? sample->velocity[k] : 0.0;
    }
    s->N[i] = sample->normal[0];
    s->T[i] = sample->tangential[0];
    s->state[i] = sample->state[0];
    return s->count == s->enough ? am_fail(err, AM_ERR_EVIDENCE, "seen enough") : AM_OK;
}

/* ---- one analysis each ---- */

static am_system *klarbring(void) {
    am_error err = {0};
    am_klarbring def = am_klarbring_default();
    def.stiffness[0][0] = 1.0, def.stiffness[1][1] = 2.0;
    def.stiffness[0][1] = def.stiffness[1][0] = 0.5;
    def.friction = 0.3;
    def.load[1] = -2.0;
    def.load_rate[0] = 1.0;
    return am_klarbring_create(&def, &err);
}

static am_system *oscillator(void) {
    am_error err = {0};
    am_oscillator def = am_oscillator_default();
    def.beta = 0.6;
    def.Omega = 0.3;
    return am_oscillator_create(&def, &err);
}

static am_status run_motion(am_result *result, am_error *err) {
    am_motion_options options = am_motion_options_default();
    options.until = 30.0;
    options.samples = SAMPLES;
    am_system *system = oscillator();
    am_status status = am_motion_run(system, &options, result, NULL, err);
    am_system_free(system);
    return status;
}

static am_status run_march(am_result *result, am_error *err) {
    am_march_options options = am_march_options_default();
    options.until = 3.0;
    options.samples = SAMPLES;
    options.method = AM_MARCH_MOREAU_JEAN;
    options.step = 0.01;
    am_system *system = klarbring();
    am_status status = am_march_run(system, &options, result, NULL, err);
    am_system_free(system);
    return status;
}

static am_status run_orbit(am_result *result, am_error *err) {
    am_orbit_options options = am_orbit_options_default();
    options.samples = SAMPLES;
    am_system *system = oscillator();
    am_status status = am_orbit_run(system, &options, result, NULL, err);
    am_system_free(system);
    return status;
}

static am_status run_path(am_path_method method, am_result *result, am_error *err) {
    am_path_options options = am_path_options_default();
    options.until = 3.0;
    options.samples = SAMPLES;
    options.method = method;
    options.steps = 60;
    am_system *system = klarbring();
    am_status status = am_path_run(system, &options, result, NULL, err);
    am_system_free(system);
    return status;
}

static am_status run_exact_path(am_result *result, am_error *err) {
    return run_path(AM_PATH_EXACT, result, err);
}

static am_status run_steps(am_result *result, am_error *err) {
    return run_path(AM_PATH_INCREMENTAL, result, err);
}

static const struct {
    am_status (*run)(am_result *result, am_error *err);
    bool moving;
} analyses[] = {{run_motion, true}, {run_march, true}, {run_orbit, true}, {run_exact_path, false}, {run_steps, false}};

/* ---- tests ---- */

/* Columns: t, coordinates, velocities, N, T, state; of a path: t, state, coordinates, N, T. */
static void compare_row(const am_table *table, size_t row, const seen *s) {
    size_t column = 0;
    assert_true(am_table_number(table, row, column++) == s->t[row]);
    column += s->moving ? 0 : 1;
    for (size_t k = 0; k < s->coordinates; k++)
        assert_true(am_table_number(table, row, column++) == s->q[row][k]);
    for (size_t k = 0; k < s->coordinates && s->moving; k++)
        assert_true(am_table_number(table, row, column++) == s->v[row][k]);
    assert_true(am_table_number(table, row, column++) == s->N[row]);
    assert_true(am_table_number(table, row, column++) == s->T[row]);
    assert_string_equal(am_table_text(table, row, s->moving ? column : 1), am_contact_state_name(s->state[row]));
}

static void observers_see_the_rows_of_samples(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++) {
        am_error err = {0};
        seen s = {0};
        const am_observer observer = {.sample = look, .context = &s};
        am_result *result = am_result_create(&err);
        am_result_observe(result, &observer);
        assert_int_equal(analyses[i].run(result, &err), AM_OK);
        const am_table *table = table_of(result, "samples");
        assert_true(s.count >= SAMPLES && s.moving == analyses[i].moving);
        assert_int_equal(am_table_rows(table), s.count);
        for (size_t row = 0; row < s.count; row++)
            compare_row(table, row, &s);
        am_result_free(result);
    }
}

/* ---- events ---- */

typedef struct changes {
    size_t count;
    am_event last[MOST];
    double q[MOST], v[MOST];
} changes;

static am_status note(void *context, const am_event *event, am_error *err) {
    changes *c = context;
    (void)err;
    assert_true(c->count < MOST);
    c->q[c->count] = event->displacement[0];
    c->v[c->count] = event->velocity[0];
    c->last[c->count++] = *event;
    return AM_OK;
}

/* Columns: t, contact, from, to, cause, then coordinates and velocities. */
static void observers_see_the_rows_of_events(void **state) {
    (void)state;
    static const char *const tables[] = {"events", "events", "switches"};
    size_t seen_in_all = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        am_error err = {0};
        changes c = {0};
        const am_observer observer = {.event = note, .context = &c};
        am_result *result = am_result_create(&err);
        am_result_observe(result, &observer);
        assert_int_equal(analyses[i].run(result, &err), AM_OK);
        const am_table *table = table_of(result, tables[i]);
        assert_int_equal(am_table_rows(table), c.count);
        size_t n = i == 1 ? 2 : 1; /* coordinates: klarbring, else the oscillator */
        for (size_t row = 0; row < c.count; row++) {
            assert_true(am_table_number(table, row, 0) == c.last[row].t);
            assert_string_equal(am_table_text(table, row, 2), am_contact_state_name(c.last[row].from));
            assert_string_equal(am_table_text(table, row, 3), am_contact_state_name(c.last[row].to));
            assert_string_equal(am_table_text(table, row, 4), am_cause_name(c.last[row].cause));
            assert_true(am_table_number(table, row, 5) == c.q[row]);
            assert_true(am_table_number(table, row, 5 + n) == c.v[row]);
        }
        seen_in_all += c.count;
        am_result_free(result);
    }
    assert_true(seen_in_all > 5);
}

static void an_observer_may_end_an_analysis(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++) {
        am_error err = {0};
        seen s = {.enough = 7};
        const am_observer observer = {.sample = look, .context = &s};
        am_result *result = am_result_create(&err);
        am_result_observe(result, &observer);
        assert_int_equal(analyses[i].run(result, &err), AM_ERR_EVIDENCE);
        assert_string_equal(err.message, "seen enough");
        assert_int_equal(s.count, 7);
        am_result_free(result);
    }
}

static void without_an_observer_nothing_looks_on(void **state) {
    (void)state;
    am_error err = {0};
    seen s = {0};
    const am_observer observer = {.sample = look, .context = &s};
    am_result *result = am_result_create(&err);
    am_result_observe(result, &observer);
    am_result_observe(result, NULL);
    assert_int_equal(run_motion(result, &err), AM_OK);
    assert_int_equal(s.count, 0);
    am_result_free(result);
}

/* A path that repeats shows its closed cycle besides: what the table `cycle` holds, and nothing of it as samples. */
static void observers_see_the_cycle_that_repeats(void **state) {
    (void)state;
    am_error err = {0};
    seen samples = {0}, cycle = {0};
    const am_observer parts[2] = {{.sample = look, .context = &samples}, {.cycle = look, .context = &cycle}};
    size_t rows = 0;
    for (size_t k = 0; k < 2; k++) {
        am_path_options options = am_path_options_default();
        options.until_repeat = true;
        options.samples = SAMPLES;
        am_system *system = oscillator();
        am_result *result = am_result_create(&err);
        am_result_observe(result, &parts[k]);
        assert_int_equal(am_path_run(system, &options, result, NULL, &err), AM_OK);
        const am_table *table = am_result_find_table(result, k == 0 ? "samples" : "cycle");
        const seen *s = k == 0 ? &samples : &cycle;
        size_t v = am_table_find_column(table, "v");
        rows = am_table_rows(table);
        assert_int_equal(s->count, rows);
        for (size_t i = 0; i < rows; i++) {
            assert_true(am_table_number(table, i, 0) == s->t[i]);
            assert_true(am_table_number(table, i, v) == s->q[i][0]);
            assert_string_equal(am_table_text(table, i, 1), am_contact_state_name(s->state[i]));
        }
        am_result_free(result);
        am_system_free(system);
    }
    assert_true(rows > SAMPLES);
}

/* ---- periods ---- */

typedef struct seen_period {
    size_t count;
    am_period period;
    double least, largest, slowest, fastest;
} seen_period;

static am_status note_period(void *context, const am_period *period, am_error *err) {
    (void)err;
    seen_period *s = context;
    s->count++;
    s->period = *period;
    if (period->least) {
        assert_int_equal(period->coordinates, 1);
        s->least = *period->least, s->largest = *period->largest;
        s->slowest = *period->least_velocity, s->fastest = *period->largest_velocity;
    }
    return AM_OK;
}

/* The extremes of an orbit are those of its summary, and no sample lies beyond them; of a path the energy is known. */
static void observers_see_the_period_that_repeats(void **state) {
    (void)state;
    am_error err = {0};
    seen_period s = {0};
    const am_observer observer = {.period = note_period, .context = &s};
    am_result *result = am_result_create(&err);
    am_result_observe(result, &observer);
    assert_int_equal(run_orbit(result, &err), AM_OK);
    assert_int_equal(s.count, 1);
    assert_true(s.period.period == number(result, "period") && s.period.dissipation == number(result, "dissipation"));
    assert_true(s.largest == number(result, "v_max") && s.least == number(result, "v_min"));
    const am_table *samples = am_result_find_table(result, "samples");
    double rounding = 1e-14, most = 0.0;
    for (size_t i = 0; i < am_table_rows(samples); i++) {
        double q = am_table_number(samples, i, 1), v = am_table_number(samples, i, 2);
        assert_true(q >= s.least - rounding && q <= s.largest + rounding);
        assert_true(v >= s.slowest - rounding && v <= s.fastest + rounding);
        most = fmax(most, q);
    }
    assert_true(most > 0.9 * s.largest); /* and they are reached */
    am_result_free(result);
    for (am_path_method method = AM_PATH_EXACT; method <= AM_PATH_INCREMENTAL; method++) {
        am_path_options options = am_path_options_default();
        am_system *system = oscillator();
        options.until_repeat = true;
        options.method = method;
        options.steps = 200;
        s = (seen_period){0};
        result = am_result_create(&err);
        am_result_observe(result, &observer);
        assert_int_equal(am_path_run(system, &options, result, NULL, &err), AM_OK);
        assert_int_equal(s.count, 1);
        assert_null(s.period.least);
        assert_true(s.period.dissipation == number(result, "dissipation") && s.period.dissipation > 0.0);
        am_result_free(result);
        am_system_free(system);
    }
}

/* What a study's model adds to an orbit C programs get from its watch. */
static void models_report_to_programs_too(void **state) {
    (void)state;
    am_error err = {0};
    am_model_watch watch;
    am_oscillator def = am_oscillator_default();
    am_griffin griffin = am_griffin_default();
    def.beta = griffin.beta = 0.6;
    def.Omega = 1.7;
    for (size_t k = 0; k < 2; k++) {
        double Omega = k == 0 ? def.Omega : griffin.Omega;
        am_orbit_options options = am_orbit_options_default();
        am_system *system = k == 0 ? am_oscillator_create_watched(&def, &watch, &err)
                                   : am_griffin_create_watched(&griffin, &watch, &err);
        am_result *plain = am_result_create(&err), *watched = am_result_create(&err);
        assert_int_equal(am_orbit_run(system, &options, plain, NULL, &err), AM_OK);
        am_result_observe(watched, &watch.observer);
        assert_int_equal(am_orbit_run(system, &options, watched, NULL, &err), AM_OK);
        assert_int_equal(watch.report(watch.observer.context, watched, &err), AM_OK);
        watch.release(watch.observer.context);
        assert_near(number(watched, "vdot_max"), number(plain, "vdot_max") / Omega, 1e-15);
        assert_near(number(watched, "dissipation_ratio"), number(plain, "dissipation") / 0.6, 1e-14);
        if (k == 0) { /* Den Hartog's motion has no stops there: it is the orbit */
            assert_near(number(watched, "v_max_error"), 0.0, 1e-10);
            assert_near(number(watched, "v_max"), number(watched, "v_max_den_hartog"), 1e-10);
        }
        am_result_free(plain);
        am_result_free(watched);
        am_system_free(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observers_see_the_rows_of_samples),    cmocka_unit_test(observers_see_the_cycle_that_repeats),
        cmocka_unit_test(observers_see_the_rows_of_events),     cmocka_unit_test(an_observer_may_end_an_analysis),
        cmocka_unit_test(without_an_observer_nothing_looks_on), cmocka_unit_test(observers_see_the_period_that_repeats),
        cmocka_unit_test(models_report_to_programs_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
