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

bool am_law_is_rate_independent(const am_speed_friction *use) {
    return use->law && am_law_named(use->law)->rate_independent;
}

bool am_law_remembers(const am_speed_friction *use) {
    return use->law && am_law_named(use->law)->rate;
}

/* Operations of a law without stick and its slopes. */
enum { MOST_DRAG = 256 };

am_drag am_law_drag_at(const am_speed_friction *use, double v, double N, double w) {
    const am_law *law = am_law_named(use->law);
    double values[8], series[MOST_DRAG * AM_TAPE_ORDERS];
    am_operation operations[MOST_DRAG];
    size_t piece = am_law_piece_at(use, w);
    for (size_t i = 0; i < 8; i++)
        values[i] = i < 4 || law->rate ? NAN : 0.0;
    for (int k = 0; k < (law->rate ? 2 : 1); k++) {
        am_tape tape = {.operation = operations, .capacity = MOST_DRAG};
        am_drag_terms at = {am_tape_argument(&tape), am_tape_argument(&tape), am_tape_argument(&tape)};
        const am_term argument[] = {at.v, at.N, at.w};
        am_term term[4] = {(k == 0 ? law->drag : law->rate)(&tape, use, piece, &at)};
        for (int i = 0; i < 3; i++)
            term[i + 1] = am_tape_derivative(&tape, term[0], argument[i]);
        if (tape.status == AM_OK && tape.count <= MOST_DRAG) {
            series[at.v * AM_TAPE_ORDERS] = v;
            series[at.N * AM_TAPE_ORDERS] = N;
            series[at.w * AM_TAPE_ORDERS] = w;
            am_tape_run(&tape, tape.count, 0, series);
            for (int i = 0; i < 4; i++)
                values[4 * k + i] = series[term[i] * AM_TAPE_ORDERS];
        }
        am_tape_clear(&tape);
    }
    return (am_drag){values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]};
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
