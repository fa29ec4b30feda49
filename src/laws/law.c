#include "laws/law.h"

#include <math.h>
#include <string.h>

#include "base/try.h"

/* One line for each law: am_law_<name> in the file <name>.c. */
#define LAWS(X)                                                                                                        \
    X(stribeck)                                                                                                        \
    X(hyperbolic)                                                                                                      \
    X(falling)                                                                                                         \
    X(table)

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
    return am_laws[am_law_index(name)];
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

am_status am_law_check(const am_speed_friction *use, am_error *err) {
    const am_law *law = am_law_named(use->law);
    if (!law)
        return am_fail_field(err, AM_ERR_INPUT, "law", "there is no law of friction '%s'", use->law ? use->law : "");
    for (size_t i = 0; i < law->parameters; i++) {
        const am_law_parameter *p = &law->parameter[i];
        double value = use->parameter[i];
        if (!isfinite(value) || !(p->positive ? value > 0.0 : value >= 0.0))
            return am_fail_field(err, AM_ERR_INPUT, p->name, "%s of friction law %s must %s, but is %g", p->name,
                                 law->name, p->positive ? "be positive" : "not be negative", value);
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

double am_speed_friction_at(const am_speed_friction *friction, double v, double *slope) {
    double value = NAN, rate = NAN;
    if (friction && friction->law && v >= 0.0 && am_law_check(friction, NULL) == AM_OK) {
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
