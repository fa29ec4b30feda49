/* The C interface: the bytes are a sequence of calls. Objects are made, used in ways that make sense and in ways that
 * do not (objects of another kind, nothing, indices beyond the end, numbers that are none), and freed. What the headers
 * ask of the caller is kept: arrays have the stated lengths, systems and studies outlive what was made of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/amontons.h"
#include "base/watch.h"
#include "harness.h"
#include "papers/twofold.h"

typedef enum kind { MATRIX, SYSTEM, RESULT, MOTION, STUDY, RUN, VERIFY, TWOFOLD, KINDS } kind;
enum { SLOTS = 4, MOST_CALLS = 64, MOST_SIZE = 3, ROOM = 512 };

typedef struct session {
    fuzz_bytes bytes;
    void *object[KINDS][SLOTS];
    fuzz_bound bound;
    am_progress progress;
    am_error err;
} session;

static void free_object(kind k, void *object) {
    switch (k) {
    case MATRIX:
        am_matrix_free(object);
        break;
    case SYSTEM:
        am_system_free(object);
        break;
    case RESULT:
        am_result_free(object);
        break;
    case MOTION:
        am_motion_free(object);
        break;
    case STUDY:
        am_study_free(object);
        break;
    case RUN:
        am_run_free(object);
        break;
    case VERIFY:
        am_verify_free(object);
        break;
    default:
        am_twofold_free(object);
    }
}

/* An object of a kind or nothing; now and then one of another kind. */
static void *pick(session *s, kind k) {
    size_t which = fuzz_below(&s->bytes, 32);
    if (which >= 30)
        k = (kind)fuzz_below(&s->bytes, KINDS);
    return s->object[k][which % SLOTS];
}

/* A new object takes a place; systems and studies, which others are made of, only a free one. */
static void keep(session *s, kind k, void *object) {
    size_t at = fuzz_below(&s->bytes, SLOTS);
    if (!object) {
        fuzz_require_failure(s->err.status, &s->err);
        return;
    }
    void **place = &s->object[k][at];
    if (*place && (k == SYSTEM || k == STUDY)) {
        free_object(k, object);
        return;
    }
    free_object(k, *place);
    *place = object;
}

static void judge(session *s, am_status status) {
    if (status != AM_OK)
        fuzz_require_failure(status, &s->err);
}

static void numbers(session *s, double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        values[i] = fuzz_number(&s->bytes);
}

/* Small, or far beyond everything. */
static size_t any_index(session *s) {
    size_t index = fuzz_below(&s->bytes, 256);
    return index < 250 ? index % 6 : index < 253 ? SIZE_MAX : (size_t)1 << 62;
}

static const char *any_text(session *s) {
    static const char *const texts[] = {"",    "t",         "events", "q1", "model.friction",
                                        "0.3", "klarbring", "motion", "=",  "%s"};
    return texts[fuzz_below(&s->bytes, sizeof texts / sizeof *texts)];
}

/* ---- matrices ---- */

static void make_dense(session *s) {
    double values[36];
    size_t rows = 1 + fuzz_below(&s->bytes, 6), columns = fuzz_below(&s->bytes, 4) ? rows : fuzz_below(&s->bytes, 7);
    numbers(s, values, rows * columns);
    bool symmetric = rows == columns && fuzz_below(&s->bytes, 4) > 0;
    for (size_t i = 0; symmetric && i < rows; i++) {
        values[i * rows + i] = fabs(values[i * rows + i]) + 1.0;
        for (size_t j = 0; j < i; j++)
            values[i * rows + j] = values[j * rows + i];
    }
    keep(s, MATRIX, am_matrix_dense(rows, columns, values, &s->err));
}

static void make_sparse(session *s) {
    size_t row[8], column[8], count = fuzz_below(&s->bytes, 9), n = 1 + fuzz_below(&s->bytes, 4);
    double value[8];
    numbers(s, value, count);
    for (size_t i = 0; i < count; i++) {
        row[i] = fuzz_below(&s->bytes, n + (i == 7));
        column[i] = fuzz_below(&s->bytes, n);
    }
    keep(s, MATRIX, am_matrix_sparse(n, n, count, row, column, value, &s->err));
}

static void use_matrix(session *s) {
    const am_matrix *matrix = pick(s, MATRIX);
    double x[64] = {0}, y[64];
    if (am_matrix_rows(matrix) <= 8 && am_matrix_columns(matrix) <= 8) {
        am_matrix_to_dense(matrix, y);
        am_matrix_apply(matrix, x, y);
    }
    double value = am_matrix_at(matrix, any_index(s), any_index(s));
    fuzz_require(isnan(value) || fabs(value) <= am_matrix_largest(matrix), "no entry is larger than the largest");
    am_matrix_asymmetry(matrix);
    am_matrix_is_sparse(matrix);
    if (matrix)
        keep(s, MATRIX, am_matrix_copy(matrix, &s->err));
}

/* ---- systems ---- */

static am_function any_function(session *s, const double *times, const double *values) {
    am_function f = {0};
    switch (fuzz_below(&s->bytes, 7)) {
    case 0:
        f = am_function_constant(fuzz_number(&s->bytes));
        break;
    case 1:
        f = am_function_ramp(fuzz_number(&s->bytes), fuzz_number(&s->bytes));
        break;
    case 2:
        f = am_function_sine(fuzz_number(&s->bytes), fuzz_number(&s->bytes), fuzz_number(&s->bytes));
        break;
    case 3:
        f = am_function_table(fuzz_below(&s->bytes, 4), times, values);
        break;
    case 4:
        f = am_function_pulse(fuzz_number(&s->bytes), fuzz_number(&s->bytes), fuzz_number(&s->bytes));
        break;
    case 5:
        f = am_function_impulse(fuzz_number(&s->bytes), fuzz_number(&s->bytes));
        break;
    default:
        f.kind = (am_function_kind)fuzz_below(&s->bytes, 9);
    }
    if (fuzz_below(&s->bytes, 8) == 0)
        f.period = fuzz_number(&s->bytes);
    am_error err = {0};
    if (am_function_check(&f, &err) == AM_OK) {
        am_function_at(&f, fuzz_number(&s->bytes));
        am_function_rate(&f, fuzz_number(&s->bytes));
    } else
        fuzz_require_failure(err.status, &err);
    return f;
}

static am_contact_def any_contact(session *s, const double *directions) {
    am_contact_def c = am_contact_def_default();
    c.normal = fuzz_below(&s->bytes, 8) ? directions : NULL;
    c.tangent = fuzz_below(&s->bytes, 16) ? directions + MOST_SIZE : NULL;
    c.friction = fuzz_below(&s->bytes, 4) ? 0.25 : fuzz_number(&s->bytes);
    c.normal_law = (am_normal_law)(fuzz_below(&s->bytes, 4) ? 0 : fuzz_below(&s->bytes, 5));
    double *const rare[] = {&c.gap,
                            &c.surface_velocity,
                            &c.restitution,
                            &c.static_friction,
                            &c.tangential_stiffness,
                            &c.contact_stiffness,
                            &c.contact_damping,
                            &c.contact_exponent,
                            &c.contact_dissipation,
                            &c.regularisation};
    for (size_t changes = fuzz_below(&s->bytes, 3); changes > 0; changes--)
        *rare[fuzz_below(&s->bytes, sizeof rare / sizeof *rare)] = fuzz_number(&s->bytes);
    if (c.normal_law == AM_HELD)
        c.hold = any_function(s, directions, directions);
    return c;
}

static void make_system(session *s) {
    static const double times[4] = {0.0, 0.5, 1.0, 2.0}, values[4] = {0.0, 1.0, -1.0, 0.5};
    double directions[2][2 * MOST_SIZE], load[MOST_SIZE];
    am_contact_def contacts[2];
    am_load_def loads[2];
    am_system_def def = am_system_def_default();
    def.n = 1 + fuzz_below(&s->bytes, MOST_SIZE);
    def.stiffness = pick(s, MATRIX);
    def.mass = fuzz_below(&s->bytes, 4) ? pick(s, MATRIX) : NULL;
    def.damping = fuzz_below(&s->bytes, 2) ? pick(s, MATRIX) : NULL;
    def.circulatory = fuzz_below(&s->bytes, 8) ? NULL : pick(s, MATRIX);
    def.contact_count = fuzz_below(&s->bytes, 3);
    def.load_count = fuzz_below(&s->bytes, 3);
    for (size_t i = 0; i < def.contact_count; i++) {
        numbers(s, directions[i], 2 * MOST_SIZE);
        contacts[i] = any_contact(s, directions[i]);
    }
    numbers(s, load, MOST_SIZE);
    for (size_t i = 0; i < def.load_count; i++)
        loads[i] = (am_load_def){.direction = load, .function = any_function(s, times, values)};
    def.contacts = contacts;
    def.loads = loads;
    if (fuzz_below(&s->bytes, 32) == 0)
        def.cookie = 0;
    keep(s, SYSTEM, am_system_create(&def, &s->err));
}

/* Some of the numbers of a model that is nothing but numbers. */
static void change_numbers(session *s, void *model, size_t size) {
    for (size_t changes = fuzz_below(&s->bytes, 4); changes > 0; changes--) {
        double value = fuzz_number(&s->bytes);
        memcpy((char *)model + fuzz_below(&s->bytes, size / sizeof value) * sizeof value, &value, sizeof value);
    }
}

static void make_model(session *s) {
    am_klarbring klarbring = am_klarbring_default();
    am_oscillator oscillator = am_oscillator_default();
    am_griffin griffin = am_griffin_default();
    am_shoe shoe = am_shoe_default();
    am_two_mode two_mode = am_two_mode_default();
    switch (fuzz_below(&s->bytes, 5)) {
    case 0:
        change_numbers(s, &klarbring, offsetof(am_klarbring, load_rate) + sizeof klarbring.load_rate);
        am_klarbring_critical_friction(&klarbring);
        keep(s, SYSTEM, am_klarbring_create(&klarbring, &s->err));
        break;
    case 1:
        oscillator.beta = 0.5;
        change_numbers(s, &oscillator, sizeof oscillator);
        am_oscillator_quasistatic(&oscillator);
        keep(s, SYSTEM, am_oscillator_create(&oscillator, &s->err));
        break;
    case 2:
        griffin.beta = 0.5;
        change_numbers(s, &griffin, sizeof griffin);
        keep(s, SYSTEM, am_griffin_create(&griffin, &s->err));
        break;
    case 3:
        shoe.h = 1.0;
        change_numbers(s, &shoe, sizeof shoe);
        am_shoe_delta(&shoe);
        keep(s, SYSTEM, am_shoe_create(&shoe, &s->err));
        break;
    default:
        change_numbers(s, &two_mode, offsetof(am_two_mode, v_s) + sizeof two_mode.v_s);
        am_two_mode_delta(&two_mode);
        am_two_mode_stiff_limit(&two_mode);
        keep(s, SYSTEM, am_two_mode_create(&two_mode, &s->err));
    }
}

static void use_system(session *s) {
    const am_system *system = pick(s, SYSTEM);
    am_system_name(system, any_index(s));
    am_system_velocity_name(system, any_index(s));
    am_system_contact_name(system, any_index(s));
    am_system_contact(system, any_index(s));
    am_system_load(system, any_index(s));
    am_system_polynomial(system, any_index(s));
    am_matrix_largest(am_system_stiffness(system));
    am_matrix_largest(am_system_mass(system));
    am_orbit_load_period(system);
    am_cells_dimension(system);
    am_uniqueness unique = {0};
    am_status status = am_uniqueness_test(system, 100, &unique, &s->err);
    judge(s, status);
    if (status == AM_OK)
        am_uniqueness_clear(&unique);
}

/* ---- results ---- */

static void make_result(session *s) {
    keep(s, RESULT, am_result_create(&s->err));
}

static void fill_result(session *s) {
    am_result *result = pick(s, RESULT);
    judge(s, am_result_set_number(result, any_text(s), fuzz_number(&s->bytes), &s->err));
    judge(s, am_result_set_text(result, any_text(s), any_text(s), &s->err));
    judge(s, am_result_set_none(result, any_text(s), &s->err));
    am_table *table = am_result_add_table(result, any_text(s), &s->err);
    for (size_t i = fuzz_below(&s->bytes, 3); i > 0; i--)
        judge(s,
              am_table_add_column(table, any_text(s), any_text(s), (am_column_kind)fuzz_below(&s->bytes, 4), &s->err));
    for (size_t i = fuzz_below(&s->bytes, 3); i > 0; i--) {
        judge(s, am_table_add_row(table, &s->err));
        am_table_set_number(table, any_index(s), fuzz_number(&s->bytes));
        judge(s, am_table_set_text(table, any_index(s), any_text(s), &s->err));
        am_table_set_flag(table, any_index(s), true);
    }
}

static void use_result(session *s) {
    am_result *result = pick(s, RESULT);
    const am_table *table = am_result_table(result, any_index(s));
    am_result_scalar(result, any_index(s));
    am_result_find(result, any_text(s));
    am_table_number(table, any_index(s), any_index(s));
    am_table_text(table, any_index(s), any_index(s));
    am_table_column_name(table, any_index(s));
    am_table_column_unit(table, any_index(s));
    am_table_column_kind(table, any_index(s));
    am_table_find_column(am_result_find_table(result, any_text(s)), any_text(s));
    judge(s, am_result_absorb(result, pick(s, RESULT), any_text(s), &s->err));
}

static void write_json(session *s) {
    am_report report = {.study = "", .title = "", .source = "", .analysis = "motion", .result = pick(s, RESULT)};
    char *text = am_output_json(&report, fuzz_below(&s->bytes, 2) == 0, 0, NULL, &s->err);
    if (!text)
        fuzz_require_failure(s->err.status, &s->err);
    am_output_text_free(text);
}

/* ---- the engine ---- */

static void make_motion(session *s) {
    keep(s, MOTION, am_motion_create(pick(s, SYSTEM), fuzz_below(&s->bytes, 2) == 0, &s->err));
}

static void start_motion(session *s) {
    am_motion *motion = pick(s, MOTION);
    double state[ROOM];
    numbers(s, state, 12);
    memset(state + 12, 0, sizeof state - 12 * sizeof *state);
    const double *q = fuzz_below(&s->bytes, 8) ? state : NULL;
    double t = fuzz_below(&s->bytes, 2) ? 0.0 : fuzz_number(&s->bytes);
    am_motion_limit(motion, 1000);
    judge(s, fuzz_below(&s->bytes, 2) ? am_motion_start(motion, t, q, state + 6, &s->err)
                                      : am_motion_start_state(motion, t, q, &s->err));
    if (fuzz_below(&s->bytes, 4) == 0)
        judge(s, am_motion_follow_sensitivity(motion, true, &s->err));
    if (fuzz_below(&s->bytes, 8) == 0)
        judge(s, am_motion_imitate(motion, fuzz_number(&s->bytes), any_index(s), &s->err));
    am_motion_seek_final(motion, fuzz_below(&s->bytes, 2) == 0);
}

static void look_at_motion(session *s, am_motion *motion) {
    double q[ROOM], v[ROOM], normal[ROOM], tangential[ROOM];
    am_motion_at(motion, fuzz_number(&s->bytes), q, v, normal, tangential);
    am_motion_forces(motion, normal, tangential);
    am_motion_rates(motion, q, v);
    am_motion_switch(motion, any_index(s));
    am_motion_time(motion);
    am_motion_state(motion);
    am_motion_states(motion);
    am_motion_sensitivity(motion);
    am_motion_velocity_before(motion);
    am_motion_statistics_get(motion);
}

static void step_motion(session *s) {
    am_motion *motion = pick(s, MOTION);
    double until = am_motion_time(motion) + fuzz_number(&s->bytes);
    am_step_kind step = AM_STEP_END;
    am_status status = AM_OK;
    for (size_t steps = fuzz_below(&s->bytes, 16); status == AM_OK && steps > 0; steps--)
        status = am_motion_step(motion, until, &step, &s->err);
    judge(s, status);
    look_at_motion(s, motion);
}

/* ---- questions ---- */

static am_status ask(session *s, const am_system *system, am_result *result) {
    am_motion_options motion = am_motion_options_default();
    am_path_options path = am_path_options_default();
    am_march_options march = am_march_options_default();
    am_states_options states = am_states_options_default();
    am_stability_options stability = am_stability_options_default();
    am_shakedown_options shakedown = am_shakedown_options_default();
    am_orbit_options orbit = am_orbit_options_default();
    am_squeal_options squeal = am_squeal_options_default();
    am_twofold_options twofold = am_twofold_options_default();
    double until = fuzz_number(&s->bytes);
    switch (fuzz_below(&s->bytes, 9)) {
    case 0:
        motion.until = until;
        motion.samples = fuzz_below(&s->bytes, 20);
        motion.rest = fuzz_below(&s->bytes, 2) == 0;
        return am_motion_run(system, &motion, result, &s->progress, &s->err);
    case 1:
        path.until = until;
        path.samples = fuzz_below(&s->bytes, 20);
        path.method = (am_path_method)fuzz_below(&s->bytes, 3);
        path.on_jump = (am_on_jump)fuzz_below(&s->bytes, 4);
        path.cycles = fuzz_below(&s->bytes, 4);
        return am_path_run(system, &path, result, &s->progress, &s->err);
    case 2:
        march.until = until;
        march.method = (am_march_method)fuzz_below(&s->bytes, 4);
        march.step = fuzz_number(&s->bytes);
        march.samples = fuzz_below(&s->bytes, 20);
        return am_march_run(system, &march, result, &s->progress, &s->err);
    case 3:
        states.question = (am_states_question)fuzz_below(&s->bytes, 5);
        states.loads[0] = any_index(s);
        return am_states_run(system, &states, result, &s->progress, &s->err);
    case 4:
        return am_stability_run(system, &stability, result, &s->progress, &s->err);
    case 5:
        return am_shakedown_run(system, &shakedown, result, &s->progress, &s->err);
    case 6:
        return am_orbit_run(system, &orbit, result, &s->progress, &s->err);
    case 7:
        return am_squeal_run(system, &squeal, result, &s->progress, &s->err);
    default:
        return am_twofold_run(system, &twofold, result, &s->progress, &s->err);
    }
}

static void run_analysis(session *s) {
    const am_system *system = pick(s, SYSTEM);
    judge(s, ask(s, system, pick(s, RESULT)));
}

static void make_verify(session *s) {
    am_standing standing[ROOM] = {AM_STANDING_ORIGIN};
    for (size_t i = 0; i < 4; i++)
        standing[i] = (am_standing)fuzz_below(&s->bytes, 6);
    keep(s, VERIFY, am_verify_create(pick(s, SYSTEM), standing, &s->err));
}

static void use_verify(session *s) {
    double values[ROOM] = {0};
    am_verify_report report;
    numbers(s, values, 8);
    am_verify_instant instant = {.displacement = values,
                                 .velocity = values + 1,
                                 .load = values,
                                 .load_rate = values + 2,
                                 .normal = values,
                                 .tangential = values,
                                 .normal_rate = values,
                                 .tangential_rate = values,
                                 .scale = fuzz_number(&s->bytes),
                                 .rate_scale = 1.0};
    judge(s, am_verify_check(pick(s, VERIFY), &instant, &report, &s->err));
}

static void make_twofold(session *s) {
    am_twofold_options options = am_twofold_options_default();
    options.intervals = any_index(s) % 100;
    options.samples = any_index(s) % 100;
    keep(s, TWOFOLD, am_twofold_create(pick(s, SYSTEM), &options, &s->err));
}

static void use_twofold(session *s) {
    const am_twofold *twofold = pick(s, TWOFOLD);
    am_twofold_at(twofold, fuzz_number(&s->bytes), any_index(s), fuzz_number(&s->bytes));
}

/* ---- studies ---- */

static void make_study(session *s) {
    static const char forced[] =
        "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.99]}\n"
        "analysis: {kind: motion, until: 8, samples: 11}\nexpect: {state_changes: 3}\n";
    static const char *const texts[] = {
        forced, "model: {kind: oscillator, beta: 0.5, Omega: 0.5}\nanalysis: {kind: path, until: 10, samples: 5}\n",
        "model: {kind: two-mode, f1: 0.3}\nanalysis: {kind: stability}\n", "model: {kind: klarbring}\n"};
    am_setting setting = {.path = any_text(s), .value = any_text(s)};
    keep(s, STUDY,
         am_study_parse("study.yaml", texts[fuzz_below(&s->bytes, sizeof texts / sizeof *texts)],
                        fuzz_below(&s->bytes, 4) == 0, &setting, false, &s->err));
}

static void use_study(session *s) {
    const am_study *study = pick(s, STUDY);
    am_study_title(study);
    am_study_analysis(study);
    am_system_size(am_study_system(study));
    char *text = am_study_show(study, &s->err);
    if (!text)
        fuzz_require_failure(s->err.status, &s->err);
    am_output_text_free(text);
    keep(s, RUN, am_study_run(study, &s->progress, &s->err));
}

static void use_run(session *s) {
    am_run *run = pick(s, RUN);
    am_run_met(run);
    am_run_interrupted(run);
    am_run_mistake(run, fuzz_below(&s->bytes, 2) == 0);
    judge(s, am_run_note_command(run, any_text(s), &s->err));
    if (am_run_report(run))
        am_result_table_count(am_run_report(run)->result);
}

static void ask_for_text(session *s) {
    const char *about = any_text(s);
    char *text = fuzz_below(&s->bytes, 3) == 0   ? am_study_template(about, &s->err)
                 : fuzz_below(&s->bytes, 2) == 0 ? am_study_list(about, &s->err)
                                                 : am_study_help(about, &s->err);
    if (!text)
        fuzz_require_failure(s->err.status, &s->err);
    am_output_text_free(text);
}

/* What nothing else was made of. */
static void free_one(session *s) {
    static const kind may_go[] = {MATRIX, RESULT, MOTION, RUN, VERIFY, TWOFOLD};
    kind k = may_go[fuzz_below(&s->bytes, sizeof may_go / sizeof *may_go)];
    size_t at = fuzz_below(&s->bytes, SLOTS);
    free_object(k, s->object[k][at]);
    s->object[k][at] = NULL;
    if (k != RESULT)
        free_object(k, s->object[RESULT][at]); /* of another kind: nothing happens */
}

static void free_all(session *s) {
    static const kind order[] = {RUN, MOTION, VERIFY, TWOFOLD, STUDY, SYSTEM, RESULT, MATRIX};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t at = 0; at < SLOTS; at++)
            free_object(order[i], s->object[order[i]][at]);
}

static void (*const calls[])(session *) = {
    make_dense,   make_dense,  make_sparse,  use_matrix,   make_system,  make_system, make_model,
    make_model,   use_system,  make_result,  fill_result,  use_result,   write_json,  make_motion,
    start_motion, step_motion, run_analysis, run_analysis, make_verify,  use_verify,  make_twofold,
    use_twofold,  make_study,  use_study,    use_run,      ask_for_text, free_one};

/* One call, watched: work without a progress of its own is bounded too. */
static void call(session *s) {
    am_watch watch;
    s->err = (am_error){0};
    s->bound.questions = 2;
    am_watch_begin(&watch, &s->progress);
    calls[fuzz_below(&s->bytes, sizeof calls / sizeof *calls)](s);
    am_watch_end(&watch, AM_OK, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    session s = {.bytes = {data, size}};
    s.progress = fuzz_bounded(&s.bound);
    for (size_t i = 0; i < MOST_CALLS && s.bytes.left > 0; i++)
        call(&s);
    free_all(&s);
    return 0;
}
