/* Mistakes in laws of contact and friction: each gives one sentence with file, line and column, which names the law, the
 * field, and where an analysis cannot have a law, those that can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "amontons/study.h"

#define MASS "model:\n  kind: structure\n  names: [x]\n  mass: [1]\n  damping: [0.1]\n  stiffness: [1]\n"
#define MOTION "analysis: {kind: motion, until: 5}\n"
#define BACKBONE "analysis: {kind: backbone, from: 0.1, to: 1}\n"
#define HELD(rest) "  contacts:\n    - {name: pad, tangent: [1], law: held, hold: {constant: 1}, " rest "}\n"
#define STOP(rest) "  contacts:\n    - {name: pad, normal: [1], " rest "}\n"
#define DRIVEN "  loads: [{direction: [1], sine: {amplitude: 1, frequency: 1}}]\n"
#define PLANE                                                                                                          \
    "model:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [1, 1]\n  contacts:\n"                                    \
    "    - {tangents: [[1, 0], [0, 1]], law: held, hold: {constant: 1}, friction: 0.3}\n"
#define RATE_AND_STATE(rest) HELD("friction: {law: rate-and-state, f0: 0.6, a: 0.01, b: 0.02, V0: 1.0e-6" rest "}")

static const struct {
    const char *study, *at, *says, *too;
} mistakes[] = {
    /* parameters that make a law non-physical */
    {MASS HELD("friction: {law: stribeck, static: 0.5, kinetic: -0.1, velocity: 0.1}") MOTION,
     ":8:", "kinetic of friction law stribeck must be zero or positive, not -0.1", ""},
    {MASS HELD("friction: {law: stribeck, static: 0.5, kinetic: 0.1, velocity: 0}") MOTION,
     ":8:", "velocity of friction law stribeck must be positive", ""},
    {MASS HELD("friction: {law: polynomial, static: 0.5, linear: -2, quadratic: 1, cubic: 0.1}") MOTION,
     ":8:", "friction law polynomial is negative", "speed"},
    {MASS HELD("friction: {law: falling, static: 0.5, slope: 1, least: 0.7}") MOTION, ":8:", "least = 0.7", "static"},
    {MASS RATE_AND_STATE("") MOTION, ":8:", "friction law rate-and-state needs the key 'Dc'", ""},
    {MASS RATE_AND_STATE(", D_c: 1.0e-5") MOTION, ":8:", "unknown key 'D_c' in friction law rate-and-state",
     "did you mean 'Dc'?"},
    {MASS RATE_AND_STATE(", Dc: 1.0e-5, evolution: ageing") MOTION,
     ":8:", "'ageing' in evolution of friction law rate-and-state", "did you mean 'aging'?"},
    {MASS HELD("friction: {law: bouc-wen, stiffness: 1, beta: 0.1, gamma: 0.5}") MOTION,
     ":8:", "gamma of friction law bouc-wen", "between -beta and beta"},
    {MASS STOP("law: spring, contact_stiffness: 10, restitution: 0.5") MOTION,
     ":8:", "restitution is only for a contact with law: unilateral", ""},
    {MASS HELD("friction: 0.3, restitution: 0.5") MOTION,
     ":8:", "restitution is only for a contact with law: unilateral", ""},
    {MASS HELD("friction: 0.3, gap: 0.5") MOTION, ":8:", "gap is only for a contact with law: unilateral, spring", ""},
    {MASS STOP("law: spring") MOTION, ":8:", "a contact with law: spring needs the key 'contact_stiffness'", ""},
    {MASS STOP("law: power") MOTION, ":8:", "a contact with law: power needs the key 'contact_stiffness'", ""},
    /* tables */
    {MASS HELD("friction: {law: table, velocity: [0, 0.2, 0.1], values: [0.5, 0.3, 0.4]}") MOTION,
     ":8:", "table of friction must increase", "entry 3"},
    {MASS HELD("friction: {law: table, velocity: [0, 0.1, 0.2], values: [0.5, -0.3, 0.4]}") MOTION,
     ":8:", "friction law table: values[1] must be zero or positive", ""},
    {MASS HELD("friction: {law: table, velocity: [0, 0.1], values: [0.5]}") MOTION,
     ":8:", "values of friction law table must be as many as velocity: 2, not 1", ""},
    {MASS HELD("friction: {law: table, velocity: [], values: []}") MOTION, ":8:", "table", "needs"},
    /* a jump of mu(v) at v = 0 */
    {MASS HELD("static_friction: 0.6, friction: {law: falling, static: 0.4, slope: 0.1, least: 0.1}") MOTION,
     ":8:", "friction law falling", "leave static_friction out"},
    /* what an analysis cannot have */
    {MASS HELD("friction: {law: stribeck, static: 0.5, kinetic: 0.1, velocity: 0.1}") DRIVEN
     "analysis: {kind: path, until: 5}\n",
     ":8:", "(law stribeck), and `path` with method: exact does not know that: a path has no speed", "`motion`"},
    {MASS HELD("friction: {law: lugre, sigma0: 10, static: 0.5, kinetic: 0.1, velocity: 0.1}") DRIVEN
     "analysis: {kind: path, until: 5}\n",
     ":8:", "never sticks (law lugre), and `path`", "`motion`"},
    {MASS HELD("friction: 0.3, regularisation: 0.1") DRIVEN "analysis: {kind: shakedown}\n",
     ":8:", "'pad' is regularised, not Coulomb's law itself, and `shakedown`", "`motion`"},
    {MASS HELD("friction: 0.3, regularisation: 0.1, tangential_stiffness: 2") MOTION,
     ":8:", "no spring behind its slider", "leave regularisation out"},
    {MASS HELD(
         "friction: 0.3, surface_velocity: {constant: 0.2, sine: {amplitude: 1, frequency: 0.6}}") "analysis: {kind: "
                                                                                                   "stability}\n",
     ":8:", "velocity of the surface of 'pad' varies in time, and `stability`", "`motion`"},
    {MASS "  varying_stiffness: [{direction: [1], sine: {amplitude: 0.3, frequency: 1.4}}]\n"
          "analysis: {kind: stability}\n",
     ":7:", "(varying_stiffness), and `stability`", "`motion`"},
    {PLANE MOTION, ":6:", "(two tangents) without springs", "`path` with method: incremental"},
    {MASS STOP("gap: 0.1, law: power, contact_stiffness: 3") DRIVEN "analysis: {kind: shakedown}\n",
     ":8:", "(law hunt-crossley or power), and `shakedown`", "`motion`"},
    {MASS RATE_AND_STATE(", Dc: 1.0e-5, form: log") MOTION,
     ":8:", "does not slide at the start, and its friction (law rate-and-state) has no value at rest", "form asinh"},
    {MASS STOP("tangent: [1], law: spring, contact_stiffness: 9, friction: 0.3, regularisation: 0.1") BACKBONE,
     ":8:", "regularised friction (at 'pad') needs a constant normal force", "leave `regularisation` out"},
    /* after a joint of many sliders, too */
    {MASS "  contacts:\n    - {tangent: [1], friction: {law: iwan, F_S: 1, K_T: 1, chi: -0.5, beta: 0.1}}\n"
          "    - {tangent: [1], law: held, hold: {constant: 1},\n"
          "       friction: {law: tanh, friction: 0.3, velocity: 0.1}}\n" DRIVEN "analysis: {kind: path, until: 5}\n",
     ":10:", "never sticks (law tanh), and `path`", "`motion`"},
};

static void mistakes_in_laws_are_told_where_they_are(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        am_error err = {0};
        am_study *study = am_study_parse("/test.yaml", mistakes[i].study, 0, NULL, false, &err);
        am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
        if (run)
            fail_msg("accepted:\n%s", mistakes[i].study);
        char position[64] = "/test.yaml";
        strcat(position, mistakes[i].at);
        if (err.status != AM_ERR_INPUT || strncmp(err.message, position, strlen(position)) != 0 ||
            !strstr(err.message, mistakes[i].says) || !strstr(err.message, mistakes[i].too))
            fail_msg("of\n%s\nit says '%s' (status %d), not %s ... '%s' ... '%s'", mistakes[i].study, err.message,
                     err.status, position, mistakes[i].says, mistakes[i].too);
        am_study_free(study);
    }
}

/* `amontons check` says so already: nothing has to run. A sweep decides point by point. */
static void laws_that_an_analysis_cannot_have_are_refused_before_it_runs(void **state) {
    (void)state;
    static const char *const studies[] = {
        MASS HELD("friction: 0.3, regularisation: 0.1") DRIVEN "analysis: {kind: shakedown}\n",
        MASS HELD("friction: {law: stribeck, static: 0.5, kinetic: 0.1, velocity: 0.1}") DRIVEN
        "analysis: {kind: path, until: 5}\n",
        MASS HELD("friction: 0.3, tangential_stiffness: 2") "analysis: {kind: states, question: sliding}\n",
        MASS HELD("friction: {law: bouc-wen, stiffness: 1, beta: 1}") "analysis: {kind: squeal, modes: 2, friction: "
                                                                      "{to: 1, count: 3}}\n",
        MASS HELD(
            "friction: {law: rate-and-state, f0: 0.3, a: 0.02, b: 0.01, V0: 0.1, Dc: 0.1}") "analysis: {kind: "
                                                                                            "backbone, from: 0.1, "
                                                                                            "to: 1}\n",
        MASS HELD("friction: 0.3, surface_velocity: 1") DRIVEN "analysis: {kind: stability}\n",
        MASS "  varying_stiffness: [{direction: [1], sine: {amplitude: 0.3, frequency: 1.4}}]\n"
             "analysis: {kind: stability}\n",
        MASS STOP("gap: 0.1, law: power, contact_stiffness: 3") DRIVEN "analysis: {kind: shakedown}\n",
        PLANE "analysis: {kind: cells}\n",
        MASS HELD("friction: {law: tanh, friction: 0.3, velocity: 0.1}, surface_velocity: 1") "analysis: {kind: "
                                                                                              "stability, state: "
                                                                                              "[stick]}\n",
        MASS HELD("friction: 0.3") "analysis: {kind: stability}\n",
    };
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        am_error err = {0};
        am_study *study = am_study_parse("/test.yaml", studies[i], 0, NULL, false, &err);
        if (study || err.status != AM_ERR_INPUT || strncmp(err.message, "/test.yaml:", 11) != 0)
            fail_msg("of\n%s\nit says '%s'", studies[i], study ? "nothing" : err.message);
    }
    am_error err = {0};
    am_study *swept = am_study_parse("/test.yaml",
                                     MASS HELD("friction: 0.3, regularisation: 0.1") DRIVEN
                                     "analysis: {kind: shakedown}\n"
                                     "sweep: {axes: {model.contacts.0.regularisation: [0, 0.1]}}\n",
                                     0, NULL, false, &err);
    if (!swept)
        fail_msg("%s", err.message);
    am_study_free(swept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_in_laws_are_told_where_they_are),
        cmocka_unit_test(laws_that_an_analysis_cannot_have_are_refused_before_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
