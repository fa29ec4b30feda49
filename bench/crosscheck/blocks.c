/* Elastic blocks, reduced to the modes that `modes: auto` takes and with half of all that their mesh has. */
#include <math.h>
#include <string.h>

#include "ask.h"
#include "questions.h"

typedef struct rig {
    double length, height, overhang, base_height, modulus, density, P, f, f_s, stiffness, speed, damping, elements;
} rig;

static rig draw_rig(cross_source *source) {
    rig r = {.length = cross_between(source, 60, 140),
             .height = cross_between(source, 20, 80),
             .overhang = cross_between(source, 20, 100),
             .base_height = cross_between(source, 10, 30),
             .modulus = 3000 * cross_scale(source, 0.5),
             .density = 1.2e-3 * cross_scale(source, 0.5),
             .P = cross_between(source, 500, 4000),
             .f = cross_between(source, 0.2, 0.6),
             .stiffness = cross_between(source, 300, 3000),
             .damping = cross_between(source, 0.005, 0.02)};
    r.f_s = cross_chance(source, 0.3) ? r.f * cross_between(source, 1.1, 1.5) : r.f;
    r.speed = r.f_s * r.P / r.stiffness / cross_between(source, 0.2, 0.7); /* slides within a millisecond */
    r.elements = 2;
    return r;
}

static cross_answer ask_rig(const rig *r, const char *modes) {
    return cross_ask_study(
        "model: {kind: blocks, slider: {length: %.17g, height: %.17g, E: %.17g, density: %.17g}, base: {length: %.17g, "
        "height: %.17g, E: %.17g, density: %.17g}, P: %.17g, f: %.17g, f_s: %.17g, control: spring, stiffness: %.17g, "
        "speed: %.17g, stiffness_damping: %.17g, mesh: {size: %.17g}, modes: %s, modes_check: false}\n"
        "analysis: {kind: motion, until: 1, initial: rest, samples: 101}\n",
        r->length, r->height, r->modulus, r->density, r->length + r->overhang, r->base_height, r->modulus, r->density,
        r->P, r->f, r->f_s, r->stiffness, r->speed, r->damping, r->length / r->elements, modes);
}

/* Half of all: those above vibrate faster than anything here moves. The refusal of more modes than there are names how
 * many there are. */
static cross_answer ask_half(const rig *r) {
    cross_answer answer = ask_rig(r, "100000");
    const char *has = strstr(answer.error.message, "the mesh has ");
    unsigned long inside;
    if (answer.result || !has || sscanf(has, "the mesh has %lu", &inside) != 1)
        return answer;
    char modes[24];
    snprintf(modes, sizeof modes, "%lu", inside / 2);
    cross_forget(&answer);
    return ask_rig(r, modes);
}

/* Root mean square of the difference of the spring's forces, over that of the forces. */
static double pulls_apart(const cross_answer *one, const cross_answer *other) {
    double difference = 0, all = 0;
    size_t rows = cross_rows(one, "pull");
    if (rows == 0 || rows != cross_rows(other, "pull"))
        return NAN;
    for (size_t i = 0; i < rows; i++) {
        double a = cross_cell(one, "pull", (long)i, "F"), b = cross_cell(other, "pull", (long)i, "F");
        difference += (a - b) * (a - b);
        all += b * b;
    }
    return sqrt(difference / all);
}

/* `modes: auto` promises contact forces to one percent where two doublings in a row have changed no more. */
cross_verdict cross_blocks_modes(uint64_t seed) {
    cross_source source = {.seed = seed};
    rig r = draw_rig(&source);
    cross_answer a = ask_rig(&r, "auto");
    cross_verdict verdict = {.kind = CROSS_AGREE};
    if (!a.result) {
        verdict.kind = CROSS_REFUSED;
        snprintf(verdict.why, sizeof verdict.why, "%.399s", a.error.message);
        cross_forget(&a);
        return verdict;
    }
    cross_answer b = ask_half(&r);
    double apart = pulls_apart(&a, &b);
    if (!b.result)
        verdict = cross_differ(&a, &b, "answered / %.180s", b.error.message);
    else if (!(apart <= 0.01))
        verdict =
            cross_differ(&a, &b, "with %g modes the force in the spring is off by %.3g (%g events, %g)",
                         cross_number(&a, "modes_used"), apart, cross_number(&b, "events"), cross_number(&a, "events"));
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}
