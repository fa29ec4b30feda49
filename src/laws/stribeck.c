/* Stribeck's curve: friction falls from its value at rest to a kinetic one, and rises again with a viscous part. With
 * exponent 1 it is Tustin's, with exponent 2 the Gaussian form (Armstrong-Helouvry, Dupont, Canudas de Wit 1994). */
#include "laws/law.h"

enum { STATIC, KINETIC, VELOCITY, EXPONENT, VISCOUS, COUNT };

static const am_law_parameter parameters[COUNT] = {
    [STATIC] = {"static", .required = true, .about = "coefficient at rest"},
    [KINETIC] = {"kinetic", .required = true, .about = "coefficient it falls to"},
    [VELOCITY] = {"velocity", .positive = true, .required = true, .unit = "length/time",
                  .about = "over which it falls"},
    [EXPONENT] = {"exponent", .positive = true, .initial = 1.0, .about = "of the speed inside the exponential"},
    [VISCOUS] = {"viscous", .unit = "time/length", .about = "growth of the coefficient with speed"},
};

static am_term coefficient(am_tape *tape, const am_speed_friction *use, size_t piece, am_term v) {
    const double *p = use->parameter;
    (void)piece;
    am_term decay = am_tape_power(tape, am_tape_scale(tape, v, 1.0 / p[VELOCITY]), p[EXPONENT]);
    am_term fall = am_tape_scale(tape, am_tape_exp(tape, am_tape_scale(tape, decay, -1.0)), p[STATIC] - p[KINETIC]);
    am_term dry = am_tape_add(tape, am_tape_constant(tape, p[KINETIC]), fall);
    return am_tape_add(tape, dry, am_tape_scale(tape, v, p[VISCOUS]));
}

/* A smaller exponent would make friction fall infinitely steeply at rest: to stay and to slip away would both be motions. */
static am_status check(const am_speed_friction *use, am_error *err) {
    if (use->parameter[EXPONENT] >= 1.0)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "exponent",
                         "with exponent %g friction falls infinitely steeply at rest, and whether a contact at its "
                         "limit slips would be ambiguous; the exponent must be at least 1",
                         use->parameter[EXPONENT]);
}

const am_law am_law_stribeck = {
    .name = "stribeck",
    .about = "mu = kinetic + (static - kinetic) exp(-(v/velocity)^exponent) + viscous v",
    .parameters = COUNT,
    .parameter = parameters,
    .coefficient = coefficient,
    .check = check,
};
