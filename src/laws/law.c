#include "laws/law.h"

#include <math.h>
#include <string.h>

#include "base/try.h"

/* One line for each law: am_law_<name> in the file <name>.c. */
#define LAWS(X)                                                                                                        \
    X(stribeck)                                                                                                        \
    X(hyperbolic)                                                                                                      \
    X(falling)                                                                                                         \
    X(polynomial)                                                                                                      \
    X(table)                                                                                                           \
    X(tanh)                                                                                                            \
    X(dahl)                                                                                                            \
    X(lugre)                                                                                                           \
    X(bouc_wen)                                                                                                        \
    X(rate_and_state)

#define DECLARE(name) extern const am_law am_law_##name;
LAWS(DECLARE)
#define LIST(name) &am_law_##name,
const am_law *const am_laws[] = {LAWS(LIST) NULL};

size_t am_law_index(const char *name) {
    size_t index = 0;
    while (am_laws[index] && !(name && strcmp(am_laws[index]->name, name) == 0))
        index++;
    return index;
}

const am_law *am_law_named(const char *name) {
    const am_law *const *law = am_laws;
    if (am_laws[am_law_index(name)] || !name)
        return am_laws[am_law_index(name)];
    while (*law && !((*law)->behind && strcmp((*law)->behind->name, name) == 0))
        law++;
    return *law ? (*law)->behind : NULL;
}

void am_law_put_behind(am_speed_friction *use, double *stiffness) {
    const am_law *law = am_law_named(use->law);
    if (!law->behind || !(*stiffness > 0.0))
        return;
    use->law = law->behind->name;
    use->parameter[law->parameters] = *stiffness;
    *stiffness = 0.0;
}

void am_law_take_out(am_speed_friction *use, double *stiffness) {
    const am_law *law = use->law ? am_law_named(use->law) : NULL;
    if (!law || !law->alone)
        return;
    use->law = law->alone->name;
    *stiffness = use->parameter[law->alone->parameters];
}

static am_status check_points(const am_speed_friction *use, am_error *err) {
    if (use->points == 0 || !use->speed || !use->coefficient)
        return am_fail_field(err, AM_ERR_INPUT, "velocity", "a table of friction needs speeds and values");
    for (size_t i = 0; i < use->points; i++) {
        if (!(use->speed[i] >= 0.0) || !isfinite(use->speed[i]) || (i > 0 && !(use->speed[i] > use->speed[i - 1])))
            return am_fail_field(err, AM_ERR_INPUT, "velocity",
                                 "the speeds of a table of friction must increase from zero or above; entry %zu is %g",
                                 i + 1, use->speed[i]);
        if (!(use->coefficient[i] >= 0.0) || !isfinite(use->coefficient[i]))
            return am_fail_field(err, AM_ERR_INPUT, "values", "friction must not be negative; value %zu is %g", i + 1,
                                 use->coefficient[i]);
    }
    return AM_OK;
}

static bool is_choice(const am_law_parameter *p, double value) {
    size_t i = 0;
    while (p->choices[i] && (double)i != value)
        i++;
    return p->choices[i] != NULL;
}

am_status am_law_check(const am_speed_friction *use, am_error *err) {
    const am_law *law = am_law_named(use->law);
    if (!law)
        return am_fail_field(err, AM_ERR_INPUT, "law", "there is no law of friction '%s'", use->law ? use->law : "");
    for (size_t i = 0; i < law->parameters; i++) {
        const am_law_parameter *p = &law->parameter[i];
        double value = use->parameter[i];
        bool right = p->choices ? is_choice(p, value) : p->any || (p->positive ? value > 0.0 : value >= 0.0);
        if (!isfinite(value) || !right)
            return am_fail_field(err, AM_ERR_INPUT, p->name, "%s of friction law %s must %s, but is %g", p->name,
                                 law->name,
                                 p->choices    ? "be the place of a word"
                                 : p->any      ? "be finite"
                                 : p->positive ? "be positive"
                                               : "not be negative",
                                 value);
    }
    if (law->table)
        AM_TRY(check_points(use, err));
    return law->check ? law->check(use, err) : AM_OK;
}

double am_law_knot(const am_speed_friction *use, size_t piece) {
    const am_law *law = am_law_named(use->law);
    return law && law->knot ? law->knot(use, piece) : INFINITY;
}

size_t am_law_pieces(const am_speed_friction *use) {
    size_t count = 1;
    while (isfinite(am_law_knot(use, count - 1)))
        count++;
    return count;
}

size_t am_law_piece_at(const am_speed_friction *use, double v) {
    size_t piece = 0;
    while (v >= am_law_knot(use, piece))
        piece++;
    return piece;
}

const char *am_speed_law_name(size_t index) {
    size_t count = 0;
    while (am_laws[count])
        count++;
    return index < count ? am_laws[index]->name : NULL;
}

const char *am_speed_law_parameter(const char *law, size_t index) {
    const am_law *found = am_law_named(law);
    return found && index < found->parameters ? found->parameter[index].name : NULL;
}

bool am_law_holds_at_rest(const am_speed_friction *use) {
    const double ones[AM_LAW_MEMORIES] = {1.0, 1.0};
    return isfinite(am_law_drag_at(use, 0.0, 1.0, ones).force.value);
}

bool am_law_leaps(const am_speed_friction *use) {
    am_speed_friction alone = *use;
    double spring = 0.0;
    am_law_take_out(&alone, &spring);
    return spring > 0.0 && !am_law_holds_at_rest(&alone);
}

bool am_law_is_rate_independent(const am_speed_friction *use) {
    return use->law && am_law_named(use->law)->rate_independent;
}

bool am_law_ages(const am_speed_friction *use) {
    bool ages = false;
    for (size_t i = 0; use->law && i < am_law_memories(use); i++)
        ages = ages || am_law_named(use->law)->memory[i].start;
    return ages;
}

size_t am_law_memories(const am_speed_friction *use) {
    size_t count = 0;
    while (use->law && count < AM_LAW_MEMORIES && am_law_named(use->law)->memory[count].rate)
        count++;
    return count;
}

void am_law_settled(const am_speed_friction *use, double v, double N, double *w) {
    for (size_t i = 0; i < am_law_memories(use); i++) {
        const am_law_memory *memory = &am_law_named(use->law)->memory[i];
        w[i] = v > 0.0 && memory->steady ? memory->steady(use, v, N) : memory->start ? memory->start(use, v) : 0.0;
    }
}

/* Operations of a law without stick and its slopes. */
enum { MOST_DRAG = 256 };

/* One of its formulas. */
static am_sloped value_at(const am_speed_friction *use, am_drag_formula *formula, double v, double N, const double *w) {
    double series[MOST_DRAG * AM_TAPE_ORDERS];
    am_operation operations[MOST_DRAG];
    am_tape tape = {.operation = operations, .capacity = MOST_DRAG};
    am_drag_terms at = {.v = am_tape_argument(&tape), .N = am_tape_argument(&tape)};
    am_sloped result = {NAN, NAN, NAN, {NAN, NAN}};
    size_t memories = am_law_memories(use);
    for (size_t i = 0; i < memories; i++)
        at.w[i] = am_tape_argument(&tape);
    am_term value = formula(&tape, use, memories > 0 ? am_law_piece_at(use, w[0]) : 0, &at);
    am_term by_v = am_tape_derivative(&tape, value, at.v), by_N = am_tape_derivative(&tape, value, at.N);
    am_term by_w[AM_LAW_MEMORIES] = {0};
    for (size_t i = 0; i < memories; i++)
        by_w[i] = am_tape_derivative(&tape, value, at.w[i]);
    if (tape.status == AM_OK && tape.count <= MOST_DRAG) {
        series[at.v * AM_TAPE_ORDERS] = v;
        series[at.N * AM_TAPE_ORDERS] = N;
        for (size_t i = 0; i < memories; i++)
            series[at.w[i] * AM_TAPE_ORDERS] = w[i];
        am_tape_run(&tape, tape.count, 0, series);
        result = (am_sloped){
            series[value * AM_TAPE_ORDERS], series[by_v * AM_TAPE_ORDERS], series[by_N * AM_TAPE_ORDERS], {0}};
        for (size_t i = 0; i < memories; i++)
            result.by_w[i] = series[by_w[i] * AM_TAPE_ORDERS];
    }
    am_tape_clear(&tape);
    return result;
}

am_drag am_law_drag_at(const am_speed_friction *use, double v, double N, const double *w) {
    const am_law *law = am_law_named(use->law);
    am_drag drag = {.force = value_at(use, law->drag, v, N, w)};
    for (size_t i = 0; i < am_law_memories(use); i++)
        drag.rate[i] = value_at(use, law->memory[i].rate, v, N, w);
    return drag;
}

double am_speed_friction_at(const am_speed_friction *friction, double v, double *slope) {
    double value = NAN, rate = NAN;
    if (friction && friction->law && v >= 0.0 && am_law_check(friction, NULL) == AM_OK && am_law_sticks(friction)) {
        am_operation operations[AM_TAPE_SHORT];
        double series[AM_TAPE_SHORT * AM_TAPE_ORDERS];
        am_tape tape = {.operation = operations, .capacity = AM_TAPE_SHORT};
        am_term speed = am_tape_argument(&tape);
        am_term mu = am_law_named(friction->law)->coefficient(&tape, friction, am_law_piece_at(friction, v), speed);
        am_term fall = am_tape_derivative(&tape, mu, speed);
        if (tape.status == AM_OK && tape.count <= AM_TAPE_SHORT) {
            series[speed * AM_TAPE_ORDERS] = v;
            am_tape_run(&tape, tape.count, 0, series);
            value = series[mu * AM_TAPE_ORDERS];
            rate = series[fall * AM_TAPE_ORDERS];
        }
        am_tape_clear(&tape);
    }
    if (slope)
        *slope = rate;
    return value;
}
