/* Analysis `slip`: zones that are narrow, or that end where something else does. The closed form of a punch passes its
 * own check under every load, and zones narrower than the boundary elements' mesh are said to be so. */
#include <math.h>
#include <stdio.h>

#include "amontons/slip.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "slip_study.h"
#include "uniform.h"

/* ---- One question ---- */

typedef struct answer {
    double c, l, equilibrium, strain, friction; /* c, l over a; NaN: not given */
    bool stick_resolved, slip_resolved, told;   /* the last two of boundary elements */
    bool sticks_or_slips;                       /* the regime is one of partial slip, or stick */
} answer;

static answer ask(const am_slip_contact *contact, double share, am_slip_method method, size_t nodes) {
    am_slip_options options = am_slip_options_default();
    options.Q = share * contact->f * contact->P;
    options.method = method;
    options.nodes = nodes;
    options.branch = 0;
    options.samples = 8;
    am_result *result = NULL;
    GOOD((result = am_result_create(err)) ? AM_OK : AM_ERR_MEMORY);
    GOOD(am_slip_run(contact, &options, result, NULL, err));
    answer a = {.c = number(result, "c_over_a"),
                .l = number(result, "l_over_a"),
                .equilibrium = number(result, "equilibrium_residual"),
                .strain = number(result, "stick_residual"),
                .friction = number(result, "friction_residual"),
                .sticks_or_slips = strcmp(text(result, "regime"), "sliding") != 0};
    if (method == AM_SLIP_ELEMENTS) {
        a.stick_resolved = flag(result, "stick_resolved");
        a.slip_resolved = flag(result, "slip_resolved");
        const am_scalar *told = am_result_find(result, "below_mesh");
        a.told = told->kind == AM_SCALAR_TEXT;
        if (a.told && !strstr(told->text, "below the mesh"))
            fail_msg("\"%s\" does not say what is below the mesh", told->text);
    }
    am_result_free(result);
    return a;
}

/* ---- The punch's own check ---- */

static am_slip_contact punch_of(double alpha) {
    am_slip_contact punch = am_slip_contact_default(AM_SLIP_PUNCH);
    punch.half_width = 0.7;
    punch.f = 0.3;
    punch.P = 2.0;
    punch.height = 0.5 * punch.half_width / (punch.f * alpha);
    return punch;
}

/* Slip length from the original corner: (3.24), and after lift-off, with the contact 2 a' = 2 (2 - Q~/alpha) of which
 * the part 1 - Q~ sticks, (3.28). */
static double slip_length(double alpha, double share) {
    if (share <= alpha / (1.0 + alpha))
        return share <= alpha ? 0.0 : NAN;
    return share <= alpha ? 2.0 - 2.0 * alpha * (1.0 / share - 1.0) : 2.0 - 2.0 * (1.0 - share) * (2.0 - share / alpha);
}

static void assert_sound(double alpha, double share) {
    am_slip_contact punch = punch_of(alpha);
    if (!(share > 0.0 && share < fmin(1.0, 2.0 * alpha)))
        return;
    answer a = ask(&punch, share, AM_SLIP_AUTOMATIC, 100);
    /* quadrature: 1e-8 and better whatever the zones; alpha of the contact is rounded */
    double worst = fmax(fmax(a.equilibrium, a.strain), a.friction);
    if (!(a.equilibrium <= 1e-7 && a.strain <= 1e-7 && a.friction <= 1e-7))
        fail_msg("alpha = %.17g, Q/fP = %.17g: residual %g", alpha, share, worst);
    assert_near(a.l, slip_length(alpha, share), 1e-12 / alpha);
}

/* The loads under which a stick zone of the length L a has its edge, or one of the places where its strain is looked
 * at, in the middle of the punch. */
static void loads_with_an_edge_in_the_middle(double alpha, double (*examine)(double, double)) {
    for (int i = -1; i < 5; i++) {
        double part = i < 0 ? 0.0 : (i + 0.6) / 5.4, L = 1.0 / (1.0 - part);
        double full = 1.0 / (1.0 + 0.5 * L / alpha);
        if (L < 2.0 && full <= alpha)
            examine(alpha, full);
        /* lifted off: 2 (1 - Q~) (2 - Q~/alpha) = L */
        double sum = 1.0 + 2.0 * alpha, lifted = 0.5 * (sum - sqrt(sum * sum - 4.0 * alpha * (2.0 - 0.5 * L)));
        if (lifted > alpha)
            examine(alpha, lifted);
    }
}

static double examine(double alpha, double share) {
    assert_sound(alpha, share);
    for (int digits = 6; digits <= 15; digits += 3)
        for (int side = -1; side <= 1; side += 2)
            assert_sound(alpha, share * (1.0 + side * pow(10.0, -digits)));
    return share;
}

static void the_closed_form_of_a_punch_passes_its_own_check_under_every_load(void **state) {
    (void)state;
    static const double round_ones[] = {0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0};
    uint64_t seed = 5;
    for (int trial = 0; trial < CASES(60, 12); trial++) {
        double alpha = trial < 8 ? round_ones[trial] : pow(10.0, uniform(&seed, -1.5, 0.8));
        double onset = alpha / (1.0 + alpha), most = fmin(1.0, 2.0 * alpha);
        examine(alpha, onset);
        examine(alpha, alpha); /* lift-off */
        loads_with_an_edge_in_the_middle(alpha, examine);
        for (int digits = 1; digits <= 12; digits++)
            assert_sound(alpha, most * (1.0 - pow(10.0, -digits))); /* sliding, tip-over */
        for (int i = 0; i < 10; i++)
            assert_sound(alpha, uniform(&seed, 0.0, most));
        for (int i = 1; i < 10; i++)
            assert_sound(alpha, 0.1 * i); /* the round loads of a sweep */
    }
}

static void neighbouring_loads_have_neighbouring_slip_lengths(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int trial = 0; trial < CASES(40, 8); trial++) {
        double alpha = pow(10.0, uniform(&seed, -1.0, 0.6)), onset = alpha / (1.0 + alpha),
               most = fmin(1.0, 2.0 * alpha);
        am_slip_contact punch = punch_of(alpha);
        /* dl/dQ~ is 2 alpha/Q~^2 in full contact and at most 4 + 2/alpha later: nowhere more than at the onset */
        double steepest = fmax(2.0 * alpha / (onset * onset), 4.0 + 2.0 / alpha), before = 0.0;
        enum { LOADS = 50 };
        for (int i = 1; i < LOADS; i++) {
            double share = onset + (most - onset) * i / LOADS;
            answer a = ask(&punch, share, AM_SLIP_CLOSED_FORM, 100);
            assert_true(a.l > before && a.l - before <= steepest * (most - onset) / LOADS * (1.0 + 1e-9));
            before = a.l;
        }
    }
}

static void boundary_elements_find_the_same_slip_lengths_around_lift_off(void **state) {
    (void)state;
    uint64_t seed = 23;
    enum { NODES = 60 };
    for (int trial = 0; trial < CASES(12, 3); trial++) {
        double alpha = uniform(&seed, 0.3, 0.9), share = alpha * uniform(&seed, 0.9, 1.1);
        share = fmin(share, 0.5 * (alpha + fmin(1.0, 2.0 * alpha)));
        am_slip_contact punch = punch_of(alpha);
        answer exact = ask(&punch, share, AM_SLIP_CLOSED_FORM, NODES),
               found = ask(&punch, share, AM_SLIP_ELEMENTS, NODES);
        assert_true(found.stick_resolved && found.slip_resolved);
        assert_near(found.l, exact.l, 0.5 / NODES); /* the corner's singularity: half a spacing */
    }
}

/* ---- Below the mesh ---- */

/* While dissimilar bodies are pressed together the same part c/a of the contact sticks at all loads and for all powers
 * of the profile, that of a flat punch, which has no history (Spence; docs/bem.md, section 5). */
static double flat_stick(double beta, double f, size_t nodes) {
    am_slip_contact flat = am_slip_contact_default(AM_SLIP_PUNCH);
    flat.beta = beta;
    flat.f = f;
    answer a = ask(&flat, 0.0, AM_SLIP_ELEMENTS, nodes);
    return a.stick_resolved ? a.c : 2.0 / (double)nodes; /* four nodes at most */
}

static void assert_honest(double beta, double f, double power) {
    enum { NODES = 40, FINE = 1600 };
    am_slip_contact contact = am_slip_contact_default(AM_SLIP_POWER);
    contact.exponent = power;
    contact.factor = 0.5;
    contact.beta = beta;
    contact.f = f;
    contact.P = am_slip_load(&contact, 1.0);
    answer a = ask(&contact, 0.0, AM_SLIP_ELEMENTS, NODES);
    double wanted = flat_stick(beta, f, FINE), spacing = 1.0 / NODES;
    assert_true(a.sticks_or_slips);
    assert_int_equal(a.told, !(a.stick_resolved && a.slip_resolved));
    assert_int_equal(isnan(a.c), !a.stick_resolved);
    assert_int_equal(isnan(a.l), !a.slip_resolved);
    if (a.stick_resolved && a.slip_resolved)
        assert_near(a.c, wanted, spacing); /* half a percent with 100 nodes, first order */
    /* four nodes stick together where 2 c is more than five spacings, and never where it is less than two */
    if (2.0 * wanted < 2.0 * spacing)
        assert_false(a.stick_resolved);
    if (2.0 * wanted > 6.0 * spacing)
        assert_true(a.stick_resolved);
    if (1.0 - wanted < 0.1 * spacing)
        assert_false(a.slip_resolved);
    if (1.0 - wanted > 3.0 * spacing)
        assert_true(a.slip_resolved);
}

static void zones_of_dissimilar_bodies_are_right_or_said_to_be_below_the_mesh(void **state) {
    (void)state;
    uint64_t seed = 31;
    for (int trial = 0; trial < CASES(40, 6); trial++) {
        double beta = trial % 4 ? uniform(&seed, 0.02, 0.5) : 0.5;
        double sign = uniform(&seed, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
        assert_honest(sign * beta, pow(10.0, uniform(&seed, -2.0, 0.3)), uniform(&seed, 1.5, 4.0));
    }
}

static void a_stick_zone_of_similar_bodies_near_sliding_is_said_to_be_below_the_mesh(void **state) {
    (void)state;
    am_slip_contact cylinder = am_slip_contact_default(AM_SLIP_HERTZ);
    enum { NODES = 50 };
    for (int i = 0; i < 20; i++) {
        double c = 0.01 * (i + 0.5), share = 1.0 - c * c; /* Cattaneo and Mindlin */
        answer a = ask(&cylinder, share, AM_SLIP_ELEMENTS, NODES);
        assert_int_equal(a.told, !a.stick_resolved);
        if (2.0 * c * NODES < 2.0)
            assert_false(a.stick_resolved);
        if (2.0 * c * NODES > 6.0)
            assert_true(a.stick_resolved);
        if (a.stick_resolved)
            assert_near(a.c, c, 0.25 / NODES); /* with so few nodes */
        else
            assert_true(isnan(a.c));
    }
}

static void a_slip_zone_without_a_node_is_said_to_be_below_the_mesh(void **state) {
    (void)state;
    am_slip_contact cylinder = am_slip_contact_default(AM_SLIP_HERTZ), punch = punch_of(2.0);
    answer smooth = ask(&cylinder, 1e-6, AM_SLIP_ELEMENTS, 50), sharp = ask(&punch, 0.6668, AM_SLIP_ELEMENTS, 50);
    assert_true(!smooth.slip_resolved && smooth.told && isnan(smooth.l) && smooth.stick_resolved);
    assert_true(!sharp.slip_resolved && sharp.told && isnan(sharp.l) && sharp.stick_resolved);
    answer resting = ask(&cylinder, 0.0, AM_SLIP_ELEMENTS, 50), stuck = ask(&punch, 0.6, AM_SLIP_ELEMENTS, 50);
    assert_true(resting.slip_resolved && !resting.told && resting.l == 0.0);
    assert_true(stuck.slip_resolved && !stuck.told);
    assert_near(stuck.l, 0.0, 1e-14); /* 1 - b, rounded */
    /* the ends of similar cylinders are located between nodes: 1 - sqrt(1 - 0.005) */
    assert_near(ask(&cylinder, 0.005, AM_SLIP_ELEMENTS, 50).l, 1.0 - sqrt(0.995), 0.01 / 50.0);
}

static void beta_of_one_half_is_the_limit_of_smaller_ones(void **state) {
    (void)state;
    static const char *const materials[] = {"E: [1.0e30, 1000], nu: [0.3, 0.0]", "E: [1000, 1.0e30], nu: [0.0, 0.3]"};
    double limit = slip_answer("kind: hertz, beta: 0.5, f: 0.4", "Q_over_fP: 0", "c_over_a");
    assert_near(slip_answer("kind: hertz, beta: 0.4999999, f: 0.4", "Q_over_fP: 0", "c_over_a"), limit, 1e-5);
    assert_near(slip_answer("kind: hertz, beta: -0.5, f: 0.4", "Q_over_fP: 0", "c_over_a"), limit, 1e-9);
    for (int i = 0; i < 2; i++) {
        char model[128];
        snprintf(model, sizeof model, "kind: hertz, f: 0.4, P: 1, %s", materials[i]);
        assert_near(fabs(slip_answer(model, "Q_over_fP: 0", "beta")), 0.5, 1e-15);
        assert_near(slip_answer(model, "Q_over_fP: 0", "c_over_a"), limit, 1e-9);
    }
    refuse_slip("kind: hertz, beta: 0.5000001, f: 0.4", "Q_over_fP: 0", "between -1/2 and 1/2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_form_of_a_punch_passes_its_own_check_under_every_load),
        cmocka_unit_test(neighbouring_loads_have_neighbouring_slip_lengths),
        cmocka_unit_test(boundary_elements_find_the_same_slip_lengths_around_lift_off),
        cmocka_unit_test(zones_of_dissimilar_bodies_are_right_or_said_to_be_below_the_mesh),
        cmocka_unit_test(a_stick_zone_of_similar_bodies_near_sliding_is_said_to_be_below_the_mesh),
        cmocka_unit_test(a_slip_zone_without_a_node_is_said_to_be_below_the_mesh),
        cmocka_unit_test(beta_of_one_half_is_the_limit_of_smaller_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
