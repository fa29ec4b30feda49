/* Stability, responses, paths and attractors, each asked in two ways. */
#include <math.h>
#include <string.h>

#include "ask.h"
#include "questions.h"

static cross_verdict agree(void) {
    return (cross_verdict){.kind = CROSS_AGREE};
}

/* One of two refuses: a disagreement, unless both do. */
static cross_verdict refusal(const cross_answer *one, const cross_answer *other) {
    if (one->result || other->result)
        return cross_differ(one, other, "%.180s / %.180s", one->result ? "answered" : one->error.message,
                            other->result ? "answered" : other->error.message);
    cross_verdict verdict = {.kind = CROSS_REFUSED};
    snprintf(verdict.why, sizeof verdict.why, "%.399s", one->error.message);
    return verdict;
}

static bool close_to(double a, double b, double tolerance) {
    return (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}

/* ---- stability and squeal ---- */

static const cross_wishes sliding = {.least_size = 2,
                                     .most_size = CROSS_SIZE,
                                     .most_contacts = 3,
                                     .belt = 1,
                                     .damped = 0.7,
                                     .oblique = 1,
                                     .stiff = 0.5,
                                     .constant = true};

static void draw_sliding(cross_source *source, size_t most_contacts, cross_structure *s) {
    cross_wishes wishes = sliding;
    wishes.most_contacts = most_contacts;
    wishes.other = cross_chance(source, 0.5) ? CROSS_KELVIN_VOIGT : CROSS_UNILATERAL;
    cross_draw(source, &wishes, s);
    for (size_t c = 0; c < s->contacts; c++) { /* closed at rest, and sliding fast enough to go on */
        s->contact[c].gap = 0;
        s->contact[c].surface_velocity = cross_chance(source, 0.5) ? 1 : -1;
    }
}

cross_verdict cross_stability_squeal(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    draw_sliding(&source, 3, &s);
    cross_answer a = cross_ask(&s, false, "kind: stability");
    cross_answer b = cross_ask(&s, false, "kind: squeal, modes: %zu", s.n);
    cross_verdict verdict = agree();
    if (b.result && cross_number(&b, "contacts_closed") == 0)
        verdict = refusal(&a, &a); /* stability refuses what would have to pull; squeal says so and goes on */
    else if (!a.result || !b.result)
        verdict = refusal(&a, &b);
    else if (cross_number(&a, "stable") != cross_number(&b, "stable") ||
             !close_to(cross_number(&a, "growth_rate"), cross_number(&b, "growth_rate"), 1e-6))
        verdict =
            cross_differ(&a, &b, "stable %g, growth %.9g / stable %g, growth %.9g", cross_number(&a, "stable"),
                         cross_number(&a, "growth_rate"), cross_number(&b, "stable"), cross_number(&b, "growth_rate"));
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

cross_verdict cross_threshold_squeal(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    draw_sliding(&source, 1, &s);
    cross_answer a = cross_ask(&s, false, "kind: stability, threshold: contacts.0.friction, to: 2");
    cross_answer b = cross_ask(&s, false, "kind: squeal, modes: %zu, friction: {from: 0, to: 2, count: 201}", s.n);
    cross_verdict verdict = agree();
    if (b.result && cross_number(&b, "contacts_closed") == 0)
        verdict = refusal(&a, &a); /* as above */
    else if (!a.result || !b.result)
        verdict = refusal(&a, &b);
    else if (!close_to(cross_number(&a, "critical"), cross_number(&b, "critical"), 1e-6))
        verdict =
            cross_differ(&a, &b, "critical %.9g (%s) / %.9g (%s)", cross_number(&a, "critical"),
                         cross_word(&a, "instability"), cross_number(&b, "critical"), cross_word(&b, "instability"));
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

/* The growth rate is one over a time, and does not depend on coordinates or on the order of contacts. */
cross_verdict cross_stability_forms(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s, second;
    double back[CROSS_SIZE * CROSS_SIZE], time = cross_scale(&source, 3);
    draw_sliding(&source, 3, &s);
    second = s;
    cross_coordinates(&source, &second, back);
    cross_order(&source, &second);
    cross_units(&second, cross_scale(&source, 3), time, cross_scale(&source, 3));
    cross_answer a = cross_ask(&s, false, "kind: stability"), b = cross_ask(&second, false, "kind: stability");
    cross_verdict verdict = agree();
    double one = cross_number(&a, "growth_rate"), other = cross_number(&b, "growth_rate") * time;
    if (!a.result || !b.result)
        verdict = refusal(&a, &b);
    else if (cross_number(&a, "stable") != cross_number(&b, "stable") || !close_to(one, other, 1e-7))
        verdict = cross_differ(&a, &b, "stable %g, growth %.9g / stable %g, growth %.9g", cross_number(&a, "stable"),
                               one, cross_number(&b, "stable"), other);
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

/* ---- periodic motions ---- */

static const cross_wishes forced = {.least_size = 1,
                                    .most_size = 5,
                                    .most_contacts = 2,
                                    .held = 1,
                                    .slider = 1,
                                    .damped = 1,
                                    .oblique = 0.5,
                                    .stiff = 0.3,
                                    .periodic = true};

/* Are two verdicts on stability the same? One that is withheld gives its reason. */
static bool same_verdict(const cross_answer *one, double stable, const cross_answer *other, double other_stable) {
    if (isnan(stable) || isnan(other_stable))
        return (!isnan(stable) || cross_word(one, "stability_reason")[0]) &&
               (!isnan(other_stable) || cross_word(other, "stability_reason")[0]);
    return stable == other_stable;
}

/* A linear damped structure with sliders behind springs has one periodic response: both ways must find it. Where a
 * slider never slips it remembers where it came to rest (`family`), and so does the mean of the motion. */
cross_verdict cross_response_orbit(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    cross_draw(&source, &forced, &s);
    cross_answer a = cross_ask(&s, false, "kind: response, coordinate: q1");
    cross_answer b = cross_ask(&s, false, "kind: orbit, samples: 0");
    cross_verdict verdict = agree();
    if (!a.result || !b.result) {
        verdict = refusal(&a, &b);
    } else if (cross_number(&b, "family") == 0) {
        double most = cross_number(&a, "peak_largest"), truncation = cross_number(&a, "truncation");
        double largest = fmax(fabs(cross_number(&b, "q1_max")), fabs(cross_number(&b, "q1_min")));
        if (!(fabs(most - largest) <= largest * (1e-9 + 30 * truncation)) ||
            !same_verdict(&a, cross_number(&a, "peak_stable"), &b, cross_number(&b, "stable")))
            verdict = cross_differ(&a, &b, "largest %.9g, stable %g, truncation %.2g / %.9g, stable %g", most,
                                   cross_number(&a, "peak_stable"), truncation, largest, cross_number(&b, "stable"));
    }
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

/* One periodic response, in other units and with the contacts in another order. */
cross_verdict cross_response_forms(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s, second;
    cross_draw(&source, &forced, &s);
    second = s;
    double length = cross_scale(&source, 3);
    cross_order(&source, &second);
    cross_units(&second, length, cross_scale(&source, 3), cross_scale(&source, 3));
    cross_answer a = cross_ask(&s, false, "kind: response, coordinate: q1");
    cross_answer b = cross_ask(&second, false, "kind: response, coordinate: q1");
    cross_verdict verdict = agree();
    double one = cross_number(&a, "peak"), other = cross_number(&b, "peak") / length;
    if (!a.result || !b.result)
        verdict = refusal(&a, &b);
    else if (!same_verdict(&a, cross_number(&a, "peak_stable"), &b, cross_number(&b, "peak_stable")) ||
             !(fabs(one - other) <= one * (1e-8 + 10 * cross_number(&a, "truncation"))))
        verdict = cross_differ(&a, &b, "peak %.9g, stable %g / %.9g, stable %g", one, cross_number(&a, "peak_stable"),
                               other, cross_number(&b, "peak_stable"));
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

/* Compliant stops: where `response` calls its motion stable, time stepping from a point of it stays on it. */
cross_verdict cross_response_march(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    cross_wishes wishes = forced;
    wishes.held = wishes.slider = 0;
    wishes.other = CROSS_KELVIN_VOIGT;
    wishes.least_size = 2;
    cross_draw(&source, &wishes, &s);
    for (size_t c = 0; c < s.contacts; c++) {
        s.contact[c].friction = s.contact[c].static_friction = 0;
        s.contact[c].gap = cross_between(&source, 0, 0.5);
    }
    double period = 2 * 3.14159265358979323846 / s.load[0].function.frequency;
    cross_answer a = cross_ask(&s, false, "kind: response, coordinate: q1");
    cross_verdict verdict = agree();
    if (!a.result) {
        verdict = refusal(&a, &a);
    } else if (cross_number(&a, "peak_stable") == 1) {
        for (size_t i = 0; i < s.n; i++) { /* the state at t = 0 from the harmonics */
            char cosine[40], sine[40];
            snprintf(cosine, sizeof cosine, "q%zu_cos", i + 1);
            snprintf(sine, sizeof sine, "q%zu_sin", i + 1);
            s.q[i] = s.v[i] = 0;
            for (size_t h = 0; h < cross_rows(&a, "shape"); h++) {
                s.q[i] += cross_cell(&a, "shape", (long)h, cosine);
                s.v[i] += (double)h * s.load[0].function.frequency * cross_cell(&a, "shape", (long)h, sine);
            }
        }
        cross_answer b = cross_ask(&s, true, "kind: march, until: %.17g, samples: 2, tolerance: 1e-9", 40 * period);
        double worst = 0, size = 1;
        for (size_t i = 0; i < s.n; i++) {
            char name[40];
            snprintf(name, sizeof name, "q%zu", i + 1);
            size = fmax(size, fabs(s.q[i]));
            worst = fmax(worst, fabs(cross_cell(&b, "samples", -1, name) - s.q[i]));
        }
        double bound = size * (1e-5 + 100 * cross_number(&a, "truncation") + 10 * cross_number(&b, "error_estimate"));
        if (!b.result)
            verdict = refusal(&a, &b);
        else if (!(worst <= bound))
            verdict = cross_differ(&a, &b, "called stable; after 40 periods of march it is %.3g away (expected %.3g)",
                                   worst, bound);
        cross_forget(&b);
    }
    cross_forget(&a);
    return verdict;
}

/* An orbit that `orbit` closes is one that `motion` comes back to: started at its first switch, a period later. */
cross_verdict cross_orbit_motion(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    cross_wishes wishes = forced;
    wishes.slider = 0;
    wishes.held = 0.5;
    wishes.static_friction = 0.3;
    wishes.restitution = 0.5;
    cross_draw(&source, &wishes, &s);
    double period = 2 * 3.14159265358979323846 / s.load[0].function.frequency;
    cross_answer a = cross_ask(&s, true, "kind: orbit, samples: 0, most_returns: 2000");
    cross_verdict verdict = agree();
    if (!a.result) {
        verdict = refusal(&a, &a);
    } else if (cross_number(&a, "stable") == 1 && cross_number(&a, "family") == 0) {
        double periods = 300;
        cross_answer b = cross_ask(&s, true, "kind: motion, until: %.17g, record_from: %.17g, samples: 40001",
                                   (periods + 70) * period, periods * period);
        double most = -INFINITY, least = INFINITY;
        for (size_t i = 0; i < cross_rows(&b, "samples"); i++) {
            double q = cross_cell(&b, "samples", (long)i, "q1");
            most = fmax(most, q);
            least = fmin(least, q);
        }
        double range = cross_number(&a, "q1_max") - cross_number(&a, "q1_min");
        /* Sampled extremes lie inside the true ones by (omega dt)^2/8 of the range at most, omega the fastest motion.
         */
        double inside = 5e-2 * range + 1e-6;
        double rest = pow(fabs(cross_number(&a, "multiplier")), periods / fmax(1, cross_number(&a, "returns")));
        if (!b.result)
            verdict = refusal(&a, &b);
        else if (rest < 1e-6 &&
                 (most > cross_number(&a, "q1_max") + 1e-6 || least < cross_number(&a, "q1_min") - 1e-6 ||
                  most < cross_number(&a, "q1_max") - inside || least > cross_number(&a, "q1_min") + inside))
            verdict = cross_differ(&a, &b, "q1 from %.9g to %.9g / %.9g to %.9g", cross_number(&a, "q1_min"),
                                   cross_number(&a, "q1_max"), least, most);
        cross_forget(&b);
    }
    cross_forget(&a);
    return verdict;
}

/* ---- quasi-static paths ---- */

/* Load steps are of first order where a contact turns within one: with fewer of them one sees how large that is (not
 * with half as many, whose ends are among the others). */
cross_verdict cross_path_methods(uint64_t seed) {
    static const int steps[] = {1999, 1201, 811};
    cross_source source = {.seed = seed};
    cross_structure s;
    cross_wishes wishes = {.least_size = 2, .most_size = 8, .most_contacts = 3, .oblique = 0.5, .stiff = 0.3};
    wishes.massless = true;
    cross_draw(&source, &wishes, &s);
    cross_answer exact = cross_ask(&s, false, "kind: path, until: 6, samples: 2"), b[3];
    for (size_t k = 0; k < 3; k++)
        b[k] = cross_ask(&s, false, "kind: path, until: 6, samples: 2, method: incremental, steps: %d", steps[k]);
    cross_verdict verdict = agree();
    if (!exact.result || !b[0].result || !b[1].result || !b[2].result) {
        verdict = refusal(&exact, &b[0]);
    } else if (cross_number(&exact, "jumps") != cross_number(&b[0], "jumps")) {
        verdict =
            cross_differ(&exact, &b[0], "jumps %g / %g", cross_number(&exact, "jumps"), cross_number(&b[0], "jumps"));
    } else if (cross_number(&exact, "jumps") == 0) {
        double worst = 0, step = 0, size = 1;
        for (size_t i = 0; i < s.n; i++) {
            char name[40];
            snprintf(name, sizeof name, "q%zu", i + 1);
            double q = cross_cell(&exact, "samples", -1, name), fine = cross_cell(&b[0], "samples", -1, name);
            size = fmax(size, fabs(q));
            worst = fmax(worst, fabs(q - fine));
            for (size_t k = 1; k < 3; k++)
                step = fmax(step, fabs(fine - cross_cell(&b[k], "samples", -1, name)));
        }
        if (!(worst <= size * 1e-9 + 20 * step))
            verdict = cross_differ(&exact, &b[0], "the ends differ by %.3g, the step's effect is %.3g", worst, step);
        else if (!close_to(cross_number(&exact, "loss_friction"), cross_number(&b[0], "loss_friction"), 2e-2))
            verdict = cross_differ(&exact, &b[0], "loss_friction %.9g / %.9g", cross_number(&exact, "loss_friction"),
                                   cross_number(&b[0], "loss_friction"));
    }
    cross_forget(&exact);
    for (size_t k = 0; k < 3; k++)
        cross_forget(&b[k]);
    return verdict;
}

/* An exact path in other coordinates, units and another order of contacts: the same corners, the same losses. */
cross_verdict cross_path_forms(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s, second;
    cross_wishes wishes = {.least_size = 2, .most_size = CROSS_SIZE, .most_contacts = 4, .oblique = 0.7, .stiff = 1};
    wishes.massless = true;
    double back[CROSS_SIZE * CROSS_SIZE], length = cross_scale(&source, 3), mass = cross_scale(&source, 3);
    cross_draw(&source, &wishes, &s);
    second = s;
    cross_coordinates(&source, &second, back);
    cross_order(&source, &second);
    cross_units(&second, length, 1, mass);
    cross_answer a = cross_ask(&s, false, "kind: path, until: 6, samples: 2");
    cross_answer b = cross_ask(&second, false, "kind: path, until: 6, samples: 2");
    cross_verdict verdict = agree();
    if (!a.result || !b.result) {
        verdict = refusal(&a, &b);
    } else {
        double one = cross_number(&a, "loss_friction");
        double other = cross_number(&b, "loss_friction") / (mass * length * length);
        if (cross_number(&a, "corners") != cross_number(&b, "corners") || !close_to(one, other, 1e-9))
            verdict = cross_differ(&a, &b, "corners %g, loss %.12g / corners %g, loss %.12g",
                                   cross_number(&a, "corners"), one, cross_number(&b, "corners"), other);
    }
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

/* ---- attractors ---- */

static void draw_impacting(cross_source *source, cross_structure *s) {
    cross_wishes wishes = {.least_size = 2,
                           .most_size = 4,
                           .most_contacts = 1,
                           .held = 0.3,
                           .static_friction = 0.3,
                           .restitution = 1,
                           .damped = 1,
                           .oblique = 0.5,
                           .stiff = 0.2,
                           .periodic = true};
    cross_draw(source, &wishes, s);
}

enum { STARTS = 60 };
#define ATTRACTORS "kind: attractors, starts: {count: %d, seed: %d}, most_returns: 1500, join: %s"

cross_verdict cross_attractors_join(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    draw_impacting(&source, &s);
    int starts = (int)(seed % 1000) + 1;
    cross_answer a = cross_ask(&s, false, ATTRACTORS, STARTS, starts, "true");
    cross_answer b = cross_ask(&s, false, ATTRACTORS, STARTS, starts, "false");
    cross_verdict verdict = agree();
    if (!a.result || !b.result)
        verdict = refusal(&a, &b);
    for (long i = 0; i < STARTS && verdict.kind == CROSS_AGREE; i++) {
        const char *one = cross_cell_word(&a, "starts", i, "fate"), *other = cross_cell_word(&b, "starts", i, "fate");
        if (strncmp(one, "orbit", 5) != 0 || strncmp(other, "orbit", 5) != 0) {
            if (strcmp(one, other) != 0)
                verdict = cross_differ(&a, &b, "start %ld: %s / %s", i, one, other);
            continue;
        }
        /* orbits are numbered in the order in which they are met */
        double p = cross_cell(&a, "orbits", (long)cross_cell(&a, "starts", i, "orbit") - 1, "multiplier");
        double q = cross_cell(&b, "orbits", (long)cross_cell(&b, "starts", i, "orbit") - 1, "multiplier");
        if (!close_to(p, q, 1e-6))
            verdict = cross_differ(&a, &b, "start %ld: orbits with multipliers %.9g / %.9g", i, p, q);
    }
    cross_forget(&a);
    cross_forget(&b);
    return verdict;
}

cross_verdict cross_attractors_orbit(uint64_t seed) {
    cross_source source = {.seed = seed};
    cross_structure s;
    draw_impacting(&source, &s);
    cross_answer a = cross_ask(&s, false, ATTRACTORS, STARTS, 1, "true");
    cross_verdict verdict = agree();
    if (!a.result)
        verdict = refusal(&a, &a);
    for (long i = 0; i < 3 && verdict.kind == CROSS_AGREE; i++) {
        for (size_t k = 0; k < s.n; k++) {
            char name[40];
            snprintf(name, sizeof name, "q%zu", k + 1);
            s.q[k] = cross_cell(&a, "starts", i, name);
            name[0] = 'v';
            s.v[k] = cross_cell(&a, "starts", i, name);
        }
        if (strncmp(cross_cell_word(&a, "starts", i, "fate"), "orbit", 5) != 0)
            continue;
        cross_answer b = cross_ask(&s, true, "kind: orbit, samples: 0, most_returns: 3000");
        double p = cross_cell(&a, "orbits", (long)cross_cell(&a, "starts", i, "orbit") - 1, "multiplier");
        if (!b.result)
            verdict = refusal(&a, &b);
        else if (!close_to(p, cross_number(&b, "multiplier"), 1e-6))
            verdict = cross_differ(&a, &b, "start %ld: multipliers %.9g / %.9g", i, p, cross_number(&b, "multiplier"));
        cross_forget(&b);
    }
    cross_forget(&a);
    return verdict;
}
