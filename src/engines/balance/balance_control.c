/* Control, as measurements are made: some numbers of the model are unknown, and as many conditions say what the motion
 * shall be. The numbers act through the loads or their frequency, along straight lines, so that
 *
 *     F(x, p, c) = Z(omega) u + forces - (load + sum over i of (c_i - own_i) L_i),   omega = omega(p) + sum (c_i - own_i) w_i,
 *
 * and the derivatives by c are exact. With the harmonic a cos h theta + b sin h theta of a coordinate the conditions are
 *
 *     (a^2 + b^2)/A - A = 0       amplitude A,
 *     b cos beta - a sin beta = 0 phase: parallel to cos(h theta - beta), beta the angle of the load and the lag.
 *
 * A start leads from the motion under the structure's own loads to the conditions: what the motion has there becomes
 * what it shall have while `share` goes from 0 to 1. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"
#include "math/pi.h"
#include "math/trigonometric.h"

/* ---- levers: what the numbers do ---- */

static bool acts_elsewhere(const am_balance *b, const am_dependence *d) {
    for (size_t k = 0; k < d->moving_count; k++)
        if (d->moving[k] != 0 && (d->moving[k] < b->at_F || d->moving[k] >= b->at_contact))
            return true;
    return false;
}

static am_status refuse(const am_balance *b, size_t number, const char *why, am_error *err) {
    return am_fail_field(err, AM_ERR_UNSUPPORTED, "control",
                         "%.80s cannot be what control varies: %s; the amplitude of a load and the frequency of all "
                         "loads can",
                         am_model_name(b->line.model, number), why);
}

/* The frequency and the loads per unit of the number. */
static void take_slopes(const am_balance *b, const am_dependence *d, double *omega, double *load) {
    *omega = 0.0;
    memset(load, 0, b->n * b->S * sizeof *load);
    for (size_t k = 0; k < d->moving_count; k++)
        if (d->moving[k] == 0)
            *omega = d->slope[k];
        else
            load[d->moving[k] - b->at_F] = d->slope[k];
}

/* What the number does where the parameter is p. */
static am_status examine(am_balance *b, const am_balance_lever *lever, double p, double *omega, double *load,
                         am_error *err) {
    const am_model_line line = {.model = b->line.model, .number = lever->number, .held = b->line.number, .value = p};
    const double step = lever->own != 0.0 ? 0.5 * fabs(lever->own) : 1.0;
    am_dependence d = {0};
    am_status status = am_balance_find_dependence(b, &line, lever->own, lever->own + step, &d, err);
    if (!status && !d.straight)
        status = refuse(b, lever->number, "it does not move the loads along straight lines", err);
    else if (!status && acts_elsewhere(b, &d))
        status = refuse(b, lever->number, "it changes the structure itself", err);
    else if (!status && d.moving_count == 0)
        status = refuse(b, lever->number, "it changes nothing", err);
    if (!status)
        take_slopes(b, &d, omega, load);
    am_dependence_clear(&d);
    am_model_set(b->line.model, lever->number, lever->own, NULL);
    return status;
}

/* Do both act one beside the other? What the lever does must be the same at both ends of the parameter's range. */
static am_status check_apart(am_balance *b, const am_balance_lever *lever, double *other, am_error *err) {
    double omega, most = am_dense_largest(lever->load, b->n * b->S);
    AM_TRY(examine(b, lever, b->to, &omega, other, err));
    bool same = fabs(omega - lever->omega) <= 1e-12 * fabs(lever->omega);
    for (size_t i = 0; i < b->n * b->S; i++)
        same = same && fabs(other[i] - lever->load[i]) <= 1e-12 * most;
    return same ? AM_OK : refuse(b, lever->number, "what it does depends on the parameter", err);
}

static am_status take_lever(am_balance *b, size_t number, am_balance_lever *lever, am_error *err) {
    *lever = (am_balance_lever){.number = number, .own = am_model_value(b->line.model, number), .unit = 1.0};
    AM_ARENA_DOUBLES(&b->memory, b->n * b->S, err, &lever->load, &lever->rotated);
    double *other = am_arena_doubles(&b->memory, NULL, b->n * b->S, err);
    AM_TRY(am_arena_status(&b->memory));
    AM_TRY(examine(b, lever, b->from, &lever->omega, lever->load, err));
    return b->from != b->to ? check_apart(b, lever, other, err) : AM_OK;
}

/* ---- conditions ---- */

/* The angle of a load's harmonic, load = |..| cos(h theta - angle); false: it has none. */
static am_status find_angle(const am_balance *b, const am_system *system, double omega, size_t load, size_t h,
                            double *angle, bool *found, am_error *err) {
    memset(b->signal, 0, b->S * sizeof *b->signal);
    AM_TRY(am_balance_load_signal(b, system, load, omega, b->signal, err));
    const double *s = b->signal + 2 * h - 1;
    *found = s[0] != 0.0 || s[1] != 0.0;
    *angle = atan2(s[1], s[0]);
    return AM_OK;
}

/* The load that a phase is told from: the one named, or the only one with that harmonic. */
static am_status find_reference(const am_balance *b, const am_system *system, double omega,
                                const am_response_control *control, double *angle, am_error *err) {
    size_t count = 0, h = control->harmonic;
    for (size_t l = 0; l < am_system_loads(system); l++) {
        double own;
        bool found;
        if (control->load != SIZE_MAX && l != control->load)
            continue;
        AM_TRY(find_angle(b, system, omega, l, h, &own, &found, err));
        if (found && (count++ == 0 || control->load != SIZE_MAX))
            *angle = own;
    }
    if (count == 0)
        return am_fail_field(err, AM_ERR_INPUT, "control",
                             "a phase is told from a load, and %s the harmonic %zu; give it an amplitude, or another "
                             "`load`",
                             control->load == SIZE_MAX ? "none has" : "that one does not have", h);
    if (count > 1)
        return am_fail_field(
            err, AM_ERR_INPUT, "control",
            "%zu loads have the harmonic %zu: say which one a phase is told from (load: 0 is the first)", count, h);
    return AM_OK;
}

static am_status find_kept(const am_balance *b, size_t h, size_t *at, am_error *err) {
    for (*at = 0; *at < b->kept; (*at)++)
        if (b->coefficient[*at] == 2 * h - 1)
            return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "control",
                         "the harmonic %zu is not among those of the balance (%zu at most%s)", h, b->H,
                         b->odd ? ", odd ones only" : "");
}

/* The angle that a phase is kept at. */
static am_status find_target(const am_balance *b, const am_system *system, double omega,
                             const am_response_control *control, double *angle, am_error *err) {
    AM_TRY(find_reference(b, system, omega, control, angle, err));
    *angle += control->lag;
    return AM_OK;
}

static am_status take_condition(am_balance *b, const am_system *system, const am_response_control *control,
                                am_balance_condition *condition, double *direction, am_error *err) {
    *condition = (am_balance_condition){.harmonic = control->harmonic, .phase = isnan(control->amplitude)};
    memset(direction, 0, b->n * sizeof *direction);
    direction[control->coordinate] = 1.0;
    AM_TRY(am_balance_make_row(b, direction, &condition->row, err));
    AM_TRY(find_kept(b, control->harmonic, &condition->at, err));
    condition->target = control->amplitude;
    return condition->phase ? find_target(b, system, b->dependence.base[0], control, &condition->target, err) : AM_OK;
}

/* ---- making them ---- */

am_status am_balance_take_levers(am_balance *b, am_error *err) {
    b->lever = am_arena_new(&b->memory, b->levers, sizeof *b->lever, err);
    AM_TRY(am_arena_status(&b->memory));
    for (size_t i = 0; i < b->levers; i++)
        AM_TRY(take_lever(b, b->control[i].number, &b->lever[i], err));
    return AM_OK;
}

/* Q^T L, in the coordinates of balance. */
static void rotate_lever(const am_balance *b, const am_balance_lever *lever) {
    memset(lever->rotated, 0, b->n * b->S * sizeof *lever->rotated);
    for (size_t c = 0; c < b->n * b->n; c++)
        for (size_t k = 0; k < b->S; k++)
            lever->rotated[c / b->n * b->S + k] += b->Q[c % b->n * b->n + c / b->n] * lever->load[c % b->n * b->S + k];
}

am_status am_balance_take_conditions(am_balance *b, const am_system *system, am_error *err) {
    if (b->levers == 0)
        return AM_OK;
    b->condition = am_arena_new(&b->memory, b->levers, sizeof *b->condition, err);
    b->steered = am_arena_doubles(&b->memory, NULL, b->n * b->S, err);
    b->pull = am_arena_new(&b->memory, b->n + b->r, sizeof *b->pull, err);
    double *direction = am_arena_doubles(&b->memory, NULL, b->n, err);
    AM_TRY(am_arena_status(&b->memory));
    b->share = 1.0;
    for (size_t i = 0; i < b->levers; i++) {
        AM_TRY(take_condition(b, system, &b->control[i], &b->condition[i], direction, err));
        rotate_lever(b, &b->lever[i]);
    }
    return AM_OK;
}

am_status am_balance_renew_control(am_balance *b, am_error *err) {
    const am_system *system;
    if (b->levers == 0)
        return AM_OK;
    for (size_t i = 0; i < b->levers; i++) {
        am_balance_lever *lever = &b->lever[i];
        AM_TRY(examine(b, lever, b->from, &lever->omega, lever->load, err));
        rotate_lever(b, lever);
        lever->present = NAN; /* `steered` is that of the old one */
    }
    AM_TRY(am_model_line_at(&b->line, b->from, &system, err));
    for (size_t i = 0; i < b->levers; i++)
        if (b->condition[i].phase)
            AM_TRY(find_target(b, system, b->dependence.base[0], &b->control[i], &b->condition[i].target, err));
    return AM_OK;
}

void am_balance_copy_control_units(am_balance *b, const am_balance *from) {
    for (size_t i = 0; i < b->levers; i++)
        b->lever[i].unit = from->lever[i].unit;
}

bool am_balance_levers_odd(const am_balance *b) {
    for (size_t i = 0; i < b->levers; i++)
        for (size_t k = 0; k < b->n * b->S; k++)
            if (b->lever[i].load[k] != 0.0 && (k % b->S + 1) / 2 % 2 == 0)
                return false;
    return true;
}

/* ---- using them ---- */

static size_t first_lever(const am_balance *b) {
    return b->size - b->levers;
}

double am_balance_control_value(const am_balance *b, const double *x, size_t i) {
    return b->lever[i].own + x[first_lever(b) + i] / b->lever[i].unit;
}

double am_balance_steered_omega(const am_balance *b, const double *x) {
    double sum = 0.0;
    for (size_t i = 0; i < b->levers; i++)
        sum += b->lever[i].omega * x[first_lever(b) + i] / b->lever[i].unit;
    return sum;
}

void am_balance_steer(am_balance *b, const double *x) {
    bool moved = false;
    for (size_t i = 0; i < b->levers; i++) {
        double value = x ? x[first_lever(b) + i] / b->lever[i].unit : 0.0;
        moved |= value != b->lever[i].present;
        b->lever[i].present = value;
    }
    if (!moved)
        return;
    memset(b->steered, 0, b->n * b->S * sizeof *b->steered);
    for (size_t i = 0; i < b->levers; i++)
        for (size_t k = 0; k < b->n * b->S; k++)
            b->steered[k] += b->lever[i].present * b->lever[i].rotated[k];
    b->linear_ready = false;
}

void am_balance_set_model(const am_balance *b, const double *x) {
    for (size_t i = 0; i < b->levers; i++)
        am_model_set(b->line.model, b->lever[i].number, x ? am_balance_control_value(b, x, i) : b->lever[i].own, NULL);
}

/* ---- the equations ---- */

static double between(const am_balance *b, const am_balance_condition *c) {
    return c->from + b->share * (c->target - c->from);
}

static void find_harmonic(const am_balance *b, const am_balance_condition *c, const double *x, double *cosine,
                          double *sine) {
    *cosine = *sine = 0.0;
    for (size_t j = 0; j < c->row.count; j++) {
        const double *u = x + c->row.index[j] * b->kept + c->at;
        *cosine += c->row.value[j] * u[0];
        *sine += c->row.value[j] * u[1];
    }
}

/* A condition, and its derivatives by the cosine, the sine and the target. */
static double condition_at(const am_balance *b, const am_balance_condition *c, const double *x, double slope[3]) {
    double u, v, target = between(b, c);
    find_harmonic(b, c, x, &u, &v);
    if (c->phase) {
        slope[0] = -sin(target);
        slope[1] = cos(target);
        slope[2] = -v * sin(target) - u * cos(target);
        return v * cos(target) - u * sin(target);
    }
    slope[0] = 2.0 * u / target;
    slope[1] = 2.0 * v / target;
    slope[2] = -(u * u + v * v) / (target * target) - 1.0;
    return (u * u + v * v) / target - target;
}

double am_balance_control_error(const am_balance *b, const double *x) {
    double worst = 0.0, slope[3], u, v;
    for (size_t i = 0; i < b->levers; i++) {
        find_harmonic(b, &b->condition[i], x, &u, &v);
        worst = fmax(worst, fabs(condition_at(b, &b->condition[i], x, slope)) / hypot(u, v));
    }
    return worst;
}

am_status am_balance_control_rest(const am_balance *b, size_t i, const am_system *system, double omega,
                                  const double *signals, size_t H, double *rest, am_error *err) {
    const am_response_control *control = &b->control[i];
    const double *s = signals + control->coordinate * am_trig_size(H) + 2 * control->harmonic - 1;
    double target = control->amplitude, size = hypot(s[0], s[1]);
    *rest = size / target - 1.0;
    if (!b->condition[i].phase)
        return AM_OK;
    AM_TRY(find_target(b, system, omega, control, &target, err));
    *rest = (s[1] * cos(target) - s[0] * sin(target)) / size;
    return AM_OK;
}

void am_balance_add_conditions(const am_balance *b, const double *x, double *F, double *J) {
    for (size_t i = 0; i < b->levers; i++) {
        size_t row = first_lever(b) + i;
        const am_balance_condition *c = &b->condition[i];
        double slope[3];
        F[row] = b->hold ? x[row] : condition_at(b, c, x, slope);
        if (J && b->hold)
            J[row * b->size + row] = 1.0;
        for (size_t j = 0; J && !b->hold && j < c->row.count; j++)
            for (size_t k = 0; k < 2; k++)
                J[row * b->size + c->row.index[j] * b->kept + c->at + k] = c->row.value[j] * slope[k];
    }
}

static bool has_harmonic(const am_balance *b, const am_balance_lever *lever, size_t h) {
    for (size_t i = 0; i < b->n; i++)
        if ((h > 0 && lever->rotated[i * b->S + 2 * h - 1] != 0.0) || lever->rotated[i * b->S + 2 * h] != 0.0)
            return true;
    return false;
}

am_status am_balance_add_levers(am_balance *b, double omega, const double *rate, double *J, am_error *err) {
    for (size_t i = 0; i < b->levers; i++) {
        const am_balance_lever *lever = &b->lever[i];
        double *column = J + first_lever(b) + i;
        for (size_t k = 0; k < first_lever(b) && lever->omega != 0.0; k++)
            column[k * b->size] = lever->omega * rate[k] / lever->unit;
        for (size_t at = 0; at < b->kept;) {
            size_t h = (b->coefficient[at] + 1) / 2;
            if (has_harmonic(b, lever, h)) {
                AM_TRY(am_balance_condense_load(b, h, omega, lever->rotated, b->pull, err));
                for (size_t c = 0; c < b->r; c++) {
                    column[(c * b->kept + at) * b->size] -= creal(b->pull[c]) / lever->unit;
                    if (h > 0)
                        column[(c * b->kept + at + 1) * b->size] += cimag(b->pull[c]) / lever->unit;
                }
            }
            at += h == 0 ? 1 : 2;
        }
    }
    return AM_OK;
}

/* Along a curve: what changes its sign where the first of the numbers is least or greatest. */
static am_status change_of_first(void *context, const double *x, double p, const double *tangent, double *tests,
                                 am_error *err) {
    const am_balance *b = context;
    (void)x, (void)p, (void)err;
    tests[0] = tangent[first_lever(b)];
    return AM_OK;
}

void am_balance_set_tests(const am_balance *b, am_continuation_problem *problem) {
    static const char *const names[] = {"extremum"};
    if (b->levers == 0)
        return;
    problem->tests = change_of_first;
    problem->test_count = 1;
    problem->test_names = names;
}

/* ---- the start ---- */

static am_status evaluate_share(void *context, const double *x, double share, double *F, double *J, double *Fs,
                                am_error *err) {
    am_balance *b = context;
    b->share = share;
    AM_TRY(am_balance_evaluate(b, x, b->p, F, J, NULL, err));
    if (!Fs)
        return AM_OK;
    memset(Fs, 0, b->size * sizeof *Fs);
    for (size_t i = 0; i < b->levers; i++) {
        const am_balance_condition *c = &b->condition[i];
        double slope[3];
        condition_at(b, c, x, slope);
        Fs[first_lever(b) + i] = slope[2] * (c->target - c->from);
    }
    return AM_OK;
}

/* What the motion has where it starts, and the units of the unknowns: a lever of the size of the loads (of the frequency)
 * counts as much as the motion. */
static am_status note_start(am_balance *b, const double *x, am_error *err) {
    double motion = sqrt(am_dense_dot(x, x, first_lever(b)));
    double loads = am_dense_largest(b->numbers + b->at_F, b->n * b->S);
    for (size_t i = 0; i < b->levers; i++) {
        am_balance_condition *c = &b->condition[i];
        am_balance_lever *lever = &b->lever[i];
        double u, v, most = am_dense_largest(lever->load, b->n * b->S);
        find_harmonic(b, c, x, &u, &v);
        if (!(hypot(u, v) > 1e-12 * motion))
            return am_fail_field(err, AM_ERR_LIMIT, "control",
                                 "the coordinate to be controlled rests under the loads that the study gives: start "
                                 "from loads that move it");
        c->from = c->phase ? atan2(v, u) : hypot(u, v);
        if (c->phase) /* the short way round */
            c->from = c->target - remainder(c->target - c->from, 2.0 * pi);
        lever->unit = motion * fmax(fabs(lever->omega) / b->numbers[0], loads > 0.0 ? most / loads : 0.0);
    }
    return AM_OK;
}

static bool record_last(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    (void)special;
    const am_balance *b = context;
    memcpy(b->work, point->x, b->size * sizeof *b->work);
    return true;
}

am_status am_balance_reach_control(am_balance *b, am_continuation *curve, double p, double *x, am_error *err) {
    am_continuation_problem problem = {
        .n = b->size, .evaluate = evaluate_share, .context = b, .test_count = am_balance_problem(b).test_count};
    am_continuation_options options = am_continuation_options_default();
    am_continuation_report report = {0};
    AM_TRY(am_balance_set(b, p, err));
    AM_TRY(note_start(b, x, err));
    options.to = 1.0;
    am_status status = am_continuation_follow(curve, &problem, &options, x, &report, record_last, b, err);
    b->share = 1.0;
    if (!status && report.end != AM_CONTINUATION_LEFT)
        status = am_fail_field(err, AM_ERR_LIMIT, "control",
                               "from the motion under the loads that the study gives, none was reached that meets the "
                               "control: %s",
                               report.sentence);
    memcpy(x, b->work, b->size * sizeof *x);
    return status;
}
