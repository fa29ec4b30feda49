/* Coordinates with neither mass nor damping: random structures put into the equations of balance and the laws of contact,
 * the same structure written as contact elements (springs behind sliders, compliant stops), closed forms of Masing chains,
 * the limit of a mass that vanishes, derivatives against differences, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "cases.h"
#include "dense_system.h"
#include "errors.h"
#include "math/dense.h"
#include "near.h"
#include "random_system.h"

enum { MOST = 8 };

/* A structure whose last `light` coordinates have neither mass nor damping. */
typedef struct structure {
    size_t n, light, m, loads;
    double mass[MOST * MOST], damping[MOST * MOST], stiffness[MOST * MOST];
    double rows[5 * MOST][MOST];
    am_contact_def contact[MOST];
    am_load_def load[3 * MOST];
    size_t used;
} structure;

static double *new_row(structure *s) {
    return memset(s->rows[s->used++], 0, sizeof s->rows[0]);
}

static void fill_matrices(structure *s, random_source *r) {
    size_t n = s->n, heavy = n - s->light;
    double part[MOST * MOST];
    random_definite(r, n, 0.6, 3, s->stiffness);
    memset(s->mass, 0, sizeof s->mass);
    memset(s->damping, 0, sizeof s->damping);
    random_definite(r, heavy, 0.7, 1, part);
    for (size_t i = 0; i < heavy * heavy; i++)
        s->mass[i / heavy * n + i % heavy] = part[i];
    random_definite(r, heavy, 0.02, 0.1, part);
    for (size_t i = 0; i < heavy * heavy; i++)
        s->damping[i / heavy * n + i % heavy] = part[i];
}

static void add_load(structure *s, size_t coordinate, am_function function) {
    double *direction = new_row(s);
    direction[coordinate] = 1;
    s->load[s->loads++] = (am_load_def){direction, function};
}

static am_system *make(const structure *s) {
    am_system_def def = am_system_def_default();
    def.n = s->n;
    def.contact_count = s->m;
    def.contacts = s->contact;
    def.load_count = s->loads;
    def.loads = s->load;
    return dense_system(def, s->mass, s->damping, s->stiffness);
}

/* Contacts on the light coordinates: pads pressed by loads with a normal and a tangent, and held ones. */
static void random_structure(uint64_t seed, double harder, structure *s) {
    random_source r = random_seed(seed);
    size_t heavy = 1 + random_index(&r, 2), at = heavy;
    *s = (structure){.n = heavy + 1 + random_index(&r, 4)};
    s->light = s->n - heavy;
    fill_matrices(s, &r);
    while (at < s->n) {
        bool pad = s->n - at >= 2 && random_chance(&r, 0.5), stop = !pad && random_chance(&r, 0.3);
        am_contact_def *contact = &s->contact[s->m++];
        *contact = am_contact_def_default();
        contact->friction = stop ? 0 : random_between(&r, 0.1, 0.5);
        contact->static_friction = random_chance(&r, harder) ? 1.5 * contact->friction : contact->friction;
        double *tangent = new_row(s), *normal = new_row(s);
        if (pad || stop) {
            normal[at] = 1;
            normal[0] = random_chance(&r, 0.3) ? random_between(&r, -0.5, 0.5) : 0;
            contact->normal = normal;
            contact->gap = random_between(&r, -0.2, 0.6);
            if (random_chance(&r, 0.3))
                contact->gap_motion = am_function_sine(random_between(&r, 0, 0.3), random_between(&r, 0.5, 2), 0.4);
            add_load(s, at++, am_function_constant(random_between(&r, -1.5, 0.5)));
        } else {
            contact->normal_law = AM_HELD;
            contact->hold = am_function_sine(random_between(&r, 0, 0.6), random_between(&r, 0.5, 2), 0.3);
            contact->hold.value = 1;
        }
        if (stop)
            continue;
        tangent[at++] = 1;
        tangent[0] = random_chance(&r, 0.3) ? random_between(&r, -1, 1) : 0;
        contact->tangent = tangent;
        if (random_chance(&r, 0.4))
            contact->surface_velocity = random_between(&r, -0.5, 0.5);
        else if (random_chance(&r, 0.3))
            contact->surface_motion = am_function_sine(random_between(&r, 0, 0.5), random_between(&r, 0.5, 2), 0.1);
    }
    for (size_t i = 0; i < s->n; i++)
        add_load(s, i, am_function_sine(random_between(&r, 0, i < heavy ? 3 : 1), random_between(&r, 0.4, 1.5), 0.2));
    for (size_t i = heavy; i < s->n && harder > 0; i++) { /* its jumps are at multiples of 3.1 */
        static const double times[] = {0, 1.3, 3.1}, values[] = {0.4, -0.3, -0.2};
        am_function jumps = am_function_table(3, times, values);
        jumps.period = 3.1;
        add_load(s, i, jumps);
    }
}

static am_motion *started(const am_system *system, const double *q, const double *v) {
    am_error err = {0};
    am_motion *motion = am_motion_create(system, true, &err);
    if (!motion || am_motion_start(motion, 0, q, v, &err))
        fail_msg("%s: %s", err.field, err.message);
    return motion;
}

/* Balance of the light rows and the laws, written out once more. */
static void check_sample(const structure *s, const am_motion *motion, double t, uint64_t seed) {
    double q[MOST], v[MOST], N[MOST], T[MOST], close = 1e-11;
    am_motion_at(motion, t, q, v, N, T);
    for (size_t i = s->n - s->light; i < s->n; i++) {
        double sum = 0;
        for (size_t j = 0; j < s->n; j++)
            sum += s->stiffness[i * s->n + j] * q[j];
        for (size_t l = 0; l < s->loads; l++)
            sum -= s->load[l].direction[i] * am_function_at(&s->load[l].function, t);
        for (size_t c = 0; c < s->m; c++)
            sum -= (s->contact[c].normal ? s->contact[c].normal[i] * N[c] : 0) +
                   (s->contact[c].tangent ? s->contact[c].tangent[i] * T[c] : 0);
        if (!(fabs(sum) < close))
            fail_msg("seed %d: row %zu is out of balance by %g at t = %g", (int)seed, i, sum, t);
    }
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &s->contact[c];
        double gap = contact->gap + am_function_at(&contact->gap_motion, t),
               slide = -contact->surface_velocity - am_function_at(&contact->surface_motion, t);
        for (size_t i = 0; i < s->n; i++) {
            gap += contact->normal ? contact->normal[i] * q[i] : 0;
            slide += contact->tangent ? contact->tangent[i] * v[i] : 0;
        }
        bool held = contact->normal_law == AM_HELD;
        if (held)
            assert_near(N[c], am_function_at(&contact->hold, t), close);
        else if (!(gap > -close && N[c] > -close && fabs(fmin(gap, N[c])) < close))
            fail_msg("seed %d: gap %g and normal force %g at t = %g", (int)seed, gap, N[c], t);
        double limit = contact->friction * N[c], most = contact->static_friction * N[c];
        if (contact->tangent && !(fabs(T[c]) < most + close))
            fail_msg("seed %d: friction %.17g above %.17g at t = %.17g", (int)seed, T[c], most, t);
        if (contact->tangent && fabs(slide) > 1e-9 && N[c] > 1e-9 && !(fabs(T[c] + copysign(limit, slide)) < close))
            fail_msg("seed %d: slides at %g under %g of %g at t = %g", (int)seed, slide, T[c], limit, t);
    }
}

static void follow_random_structures(double harder) {
    size_t changes = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        structure s;
        am_step_kind kind = AM_STEP_SPAN;
        am_error err = {0};
        random_structure(seed, harder, &s);
        am_system *system = make(&s);
        am_motion *motion = started(system, NULL, NULL);
        while (kind != AM_STEP_END) {
            if (am_motion_step(motion, 20, &kind, &err))
                fail_msg("seed %d: %s", (int)seed, err.message);
            double from = am_motion_span_start(motion), to = am_motion_time(motion);
            for (int i = 1; i <= 7; i += 2) /* not where loads jump */
                check_sample(&s, motion, from + 0.125 * i * (to - from), seed);
        }
        am_motion_statistics got = am_motion_statistics_get(motion);
        if (!(got.energy_residual < 1e-12))
            fail_msg("seed %d: energy is off by %g", (int)seed, got.energy_residual);
        changes += got.state_changes;
        am_motion_free(motion);
        am_system_free(system);
    }
    assert_true(changes > 1000);
}

static void random_structures_are_in_balance(void **state) {
    (void)state;
    follow_random_structures(0);
}

static void jumps_end_in_balance(void **state) {
    (void)state;
    follow_random_structures(0.4);
}

/* ---- the same structure, written otherwise ---- */

static void step_to(am_motion *motion, double until) {
    am_step_kind kind = AM_STEP_SPAN;
    am_error err = {0};
    while (kind != AM_STEP_END)
        if (am_motion_step(motion, until, &kind, &err))
            fail_msg("%s", err.message);
}

/* Jenkins elements on random masses: springs behind sliders in the law, or a node without mass each. */
static void node_behind_a_spring_is_a_spring_behind_a_slider(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_source r = random_seed(seed);
        size_t heavy = 1 + random_index(&r, 3), count = 1 + random_index(&r, 3);
        structure law = {.n = heavy}, nodes = {.n = heavy + count, .light = count};
        fill_matrices(&law, &r);
        for (size_t i = 0; i < heavy * heavy; i++) {
            size_t at = i / heavy * nodes.n + i % heavy;
            nodes.mass[at] = law.mass[i];
            nodes.damping[at] = law.damping[i];
            nodes.stiffness[at] = law.stiffness[i];
        }
        for (size_t c = 0; c < count; c++) {
            double k = random_between(&r, 0.5, 4), *tangent = new_row(&law), *node = new_row(&nodes);
            am_contact_def contact = am_contact_def_default();
            contact.normal_law = AM_HELD;
            contact.hold = am_function_sine(random_between(&r, 0, 0.7), random_between(&r, 0.5, 2), 0.3);
            contact.hold.value = 1;
            contact.friction = random_between(&r, 0.1, 0.6);
            contact.static_friction = random_chance(&r, 0.3) ? 1.3 * contact.friction : contact.friction;
            contact.surface_velocity = random_chance(&r, 0.3) ? random_between(&r, -0.3, 0.3) : 0;
            for (size_t i = 0; i < heavy; i++)
                tangent[i] = random_between(&r, -1, 1);
            bool between = heavy > 1 && random_chance(&r, 0.5); /* the slider itself is fixed to the last mass */
            double relative = between ? tangent[heavy - 1] : 0;
            for (size_t i = 0; i < heavy; i++)
                for (size_t j = 0; j < heavy; j++)
                    nodes.stiffness[i * nodes.n + j] += k * (tangent[i] - (i + 1 == heavy ? relative : 0)) *
                                                        (tangent[j] - (j + 1 == heavy ? relative : 0));
            for (size_t i = 0; i < heavy; i++) {
                double share = tangent[i] - (i + 1 == heavy ? relative : 0);
                nodes.stiffness[i * nodes.n + heavy + c] = nodes.stiffness[(heavy + c) * nodes.n + i] = -k * share;
            }
            nodes.stiffness[(heavy + c) * (nodes.n + 1)] = k;
            node[heavy + c] = 1;
            node[heavy - 1] += relative;
            law.contact[law.m] = nodes.contact[nodes.m] = contact;
            law.contact[law.m].tangent = tangent;
            law.contact[law.m++].tangential_stiffness = k;
            nodes.contact[nodes.m++].tangent = node;
        }
        for (size_t i = 0; i < heavy; i++) {
            am_function load = am_function_sine(random_between(&r, 0, 2), random_between(&r, 0.4, 1.5), 0.2);
            add_load(&law, i, load);
            add_load(&nodes, i, load);
        }
        am_system *a = make(&law), *b = make(&nodes);
        am_motion *one = started(a, NULL, NULL), *other = started(b, NULL, NULL);
        for (int k = 1; k <= 20; k++) {
            double q[MOST], v[MOST], T[MOST], q2[MOST], v2[MOST], T2[MOST];
            step_to(one, k);
            step_to(other, k);
            am_motion_at(one, k, q, v, NULL, T);
            am_motion_at(other, k, q2, v2, NULL, T2);
            for (size_t i = 0; i < heavy; i++) {
                assert_near(q2[i], q[i], 1e-11);
                assert_near(v2[i], v[i], 1e-11);
            }
            for (size_t c = 0; c < count; c++)
                assert_near(T2[c], T[c], 1e-11);
        }
        am_motion_statistics first = am_motion_statistics_get(one), second = am_motion_statistics_get(other);
        assert_int_equal(first.state_changes, second.state_changes);
        assert_near(second.loss_friction, first.loss_friction, 1e-11 * first.energy_moved);
        am_motion_free(one);
        am_motion_free(other);
        am_system_free(a);
        am_system_free(b);
    }
}

/* A stop behind a spring: the law `spring`, or a node without mass that strikes a rigid stop. Two of them, opposite, on one
 * mass; the nodes are free in between. */
static void node_before_a_stop_is_a_compliant_stop(void **state) {
    (void)state;
    const double k[2] = {40, 15}, gap[2] = {0.3, 0.5};
    const double rows[2][3] = {{1, 0, 0}, {-1, 0, 0}}, nodes[2][3] = {{0, 1, 0}, {0, 0, -1}};
    double mass[9] = {1}, damping[9] = {0.05}, stiffness[9] = {2};
    am_contact_def contact[2] = {am_contact_def_default(), am_contact_def_default()};
    am_load_def load = {rows[0], am_function_sine(1.2, 0.8, 0)};
    am_system_def def = am_system_def_default();
    def.n = def.load_count = 1;
    def.loads = &load;
    def.contact_count = 2;
    def.contacts = contact;
    for (int c = 0; c < 2; c++) {
        contact[c].normal = rows[c];
        contact[c].gap = gap[c];
        contact[c].normal_law = AM_KELVIN_VOIGT;
        contact[c].contact_stiffness = k[c];
    }
    am_system *a = dense_system(def, mass, damping, stiffness);
    /* In front of each stop a node on a spring k to the mass; open, it moves with the mass, without a force. */
    memcpy(stiffness, (double[9]){2 + k[0] + k[1], -k[0], -k[1], -k[0], k[0], 0, -k[1], 0, k[1]}, sizeof stiffness);
    memset(mass, 0, sizeof mass);
    memset(damping, 0, sizeof damping);
    mass[0] = 1;
    damping[0] = 0.05;
    for (int c = 0; c < 2; c++) {
        contact[c].normal = nodes[c];
        contact[c].normal_law = AM_UNILATERAL;
        contact[c].contact_stiffness = 0;
    }
    def.n = 3;
    am_system *b = dense_system(def, mass, damping, stiffness);
    am_motion *one = started(a, NULL, NULL), *other = started(b, NULL, NULL);
    for (int t = 1; t <= 40; t++) {
        double q, v, N[2], q2[3], v2[3], N2[2];
        step_to(one, t);
        step_to(other, t);
        am_motion_at(one, t, &q, &v, N, NULL);
        am_motion_at(other, t, q2, v2, N2, NULL);
        assert_near(q2[0], q, 1e-12);
        assert_near(v2[0], v, 1e-11);
        assert_near(N2[0], N[0], 1e-10); /* 40 times the rounding of a displacement, over 40 units of time */
        assert_near(N2[1], N[1], 1e-10);
    }
    assert_true(am_motion_statistics_get(one).state_changes > 10);
    assert_int_equal(am_motion_statistics_get(other).state_changes, am_motion_statistics_get(one).state_changes);
    assert_int_equal(am_motion_statistics_get(other).impacts, 0);
    am_motion_free(one);
    am_motion_free(other);
    am_system_free(a);
    am_system_free(b);
}

/* ---- closed forms ---- */

/* A Masing chain in series: a drive u(t) pulls node 1 by a spring k, which pulls node 2 by a spring k, ...; each rubs with
 * the force R. Under slow or fast u alike, for nothing has mass: the force k (u - x1) of first loading to u with j nodes
 * sliding is j R + k (u - u_j)/(j + 1), u_j = R j (j + 1)/(2 k) where node j + 1 sets off; and unloading is twice that,
 * from the turning point (Masing). The drive is a mass so heavy that nothing slows it. */
static double first_loading(double u, double k, double R, size_t count) {
    size_t j = 0;
    while (j < count && u >= R * (double)((j + 1) * (j + 2)) / (2 * k))
        j++;
    double from = R * (double)(j * (j + 1)) / (2 * k);
    return j < count ? (double)j * R + k * (u - from) / (double)(j + 1) : (double)count * R;
}

static void chain_of_nodes_has_the_loop_of_masing(void **state) {
    (void)state;
    enum { COUNT = 4, SIZE = COUNT + 1 };
    const double k = 2, R = 0.5, heavy = 1e12, speed = 1;
    double mass[SIZE * SIZE] = {0}, stiffness[SIZE * SIZE] = {0}, rows[COUNT][SIZE] = {{0}}, v[SIZE] = {speed};
    am_contact_def contact[COUNT];
    mass[0] = heavy;
    for (size_t c = 0; c < COUNT; c++) {
        stiffness[c * SIZE + c] += k;
        stiffness[(c + 1) * (SIZE + 1)] += k;
        stiffness[c * SIZE + c + 1] = stiffness[(c + 1) * SIZE + c] = -k;
        rows[c][c + 1] = 1;
        contact[c] = am_contact_def_default();
        contact[c].normal_law = AM_HELD;
        contact[c].hold = am_function_constant(1);
        contact[c].friction = R;
        contact[c].tangent = rows[c];
    }
    const double turn = 2.2; /* before the last node sets off, which would slide freely then */
    am_system_def def = am_system_def_default();
    def.n = SIZE;
    def.contact_count = COUNT;
    def.contacts = contact;
    am_system *system = dense_system(def, mass, NULL, stiffness);
    am_motion *motion = started(system, NULL, v);
    double q[SIZE], w[SIZE];
    for (double t = 0.05; t < turn; t += 0.05) {
        step_to(motion, t);
        am_motion_at(motion, t, q, w, NULL, NULL);
        assert_near(k * (q[0] - q[1]), first_loading(t, k, R, COUNT), 1e-11); /* the drive is slowed by 1e-12 */
    }
    step_to(motion, turn);
    am_motion_at(motion, turn, q, w, NULL, NULL);
    double top = k * (q[0] - q[1]);
    w[0] = -speed; /* the drive turns */
    assert_int_equal(am_motion_start(motion, turn, q, w, NULL), AM_OK);
    for (double s = 0.05; s < 2 * turn; s += 0.05) {
        step_to(motion, turn + s);
        am_motion_at(motion, turn + s, q, w, NULL, NULL);
        assert_near(k * (q[0] - q[1]), top - 2 * first_loading(0.5 * s, k, R, COUNT), 1e-10);
    }
    am_motion_free(motion);
    am_system_free(system);
}

/* ---- limits ---- */

/* With a damping of eps on its light coordinates, and a mass of eps^2/10 that it keeps from swinging, a structure moves as
 * without, but for an error of order eps. */
static void vanishing_mass_and_damping_have_this_limit(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        structure s;
        random_structure(seed, 0, &s);
        size_t m = 0;
        for (size_t c = 0; c < s.m;
             c++) /* a damped coordinate cannot strike: held contacts on light coordinates only */
            if (s.contact[c].normal_law == AM_HELD && s.contact[c].tangent[0] == 0)
                s.contact[m++] = s.contact[c];
        s.m = m;
        double error[2], damped[MOST], q[MOST], v[MOST];
        am_system *system = make(&s);
        am_motion *motion = started(system, NULL, NULL);
        step_to(motion, 6);
        am_motion_at(motion, 6, q, v, NULL, NULL);
        am_motion_free(motion);
        am_system_free(system);
        for (int i = 0; i < 2; i++) {
            double eps = i == 0 ? 1e-2 : 1e-3;
            for (size_t l = s.n - s.light; l < s.n; l++) {
                s.damping[l * (s.n + 1)] = eps;
                s.mass[l * (s.n + 1)] = seed % 2 ? 0 : 0.1 * eps * eps;
            }
            system = make(&s);
            motion = started(system, NULL, NULL);
            step_to(motion, 6);
            am_motion_at(motion, 6, damped, v, NULL, NULL);
            am_motion_free(motion);
            am_system_free(system);
            error[i] = 0;
            for (size_t l = 0; l < s.n; l++)
                error[i] = fmax(error[i], fabs(damped[l] - q[l]));
        }
        if (!(error[1] < 1e-2 && error[1] < 0.15 * error[0]))
            fail_msg("seed %d: off by %g with a damping of 1e-2, by %g with 1e-3", (int)seed, error[0], error[1]);
    }
}

/* ---- states that last ---- */

/* Under constant loads damped structures come to rest; a state that is said to last for ever does. */
static void what_is_proved_to_last_lasts(void **state) {
    (void)state;
    size_t proved = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        structure s;
        am_step_kind kind = AM_STEP_SPAN;
        am_error err = {0};
        double v[MOST] = {1, -1};
        random_structure(seed, 0, &s);
        for (size_t l = 0; l < s.loads; l++)
            s.load[l].function = am_function_constant(am_function_at(&s.load[l].function, 0.7));
        for (size_t c = 0; c < s.m; c++) {
            s.contact[c].hold = am_function_constant(1);
            s.contact[c].surface_velocity = 0;
            s.contact[c].surface_motion = s.contact[c].gap_motion = am_function_constant(0);
        }
        for (size_t i = 0; i < s.n - s.light; i++)
            s.damping[i * (s.n + 1)] += 0.3;
        am_system *system = make(&s);
        am_motion *motion = am_motion_create(system, true, &err);
        am_motion_seek_final(motion, true);
        if (am_motion_start(motion, 0, NULL, v, &err))
            fail_msg("seed %d: %s", (int)seed, err.message);
        while (kind != AM_STEP_END && kind != AM_STEP_FINAL)
            if (am_motion_step(motion, 100, &kind, &err))
                fail_msg("seed %d: %s", (int)seed, err.message);
        size_t before = am_motion_statistics_get(motion).state_changes;
        proved += kind == AM_STEP_FINAL;
        if (kind == AM_STEP_FINAL) {
            am_motion_seek_final(motion, false);
            step_to(motion, am_motion_time(motion) + 60);
            if (am_motion_statistics_get(motion).state_changes != before)
                fail_msg("seed %d: a state said to last did not", (int)seed);
        }
        am_motion_free(motion);
        am_system_free(system);
    }
    assert_true(proved > 5);
}

/* ---- derivatives ---- */

static void end_of(am_motion *motion, double from, const double *start, size_t nd, double until, double *end) {
    am_error err = {0};
    if (am_motion_start_state(motion, from, start, &err))
        fail_msg("%s", err.message);
    step_to(motion, until);
    memcpy(end, am_motion_state(motion), nd * sizeof *end);
}

/* Central differences at h and h/2, extrapolated: errors of h^4 and rounding/h, 1e-9 or so. Where a switch lies between
 * the motions that are compared, or where one begins at its limit, they do not agree, and nothing is said. */
static void derivative_is_the_difference_of_motions(void **state) {
    (void)state;
    const double from = 0.4, until = 4, h = 1e-4; /* contacts have begun to do something */
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        structure s;
        random_structure(seed, seed % 2 ? 0 : 0.5, &s);
        am_system *system = make(&s);
        am_motion *motion = started(system, NULL, NULL);
        size_t nd = am_motion_dimension(motion);
        double start[32], first[32 * 32], exact[32 * 32], end[4][32], middle[32];
        step_to(motion, from);
        memcpy(start, am_motion_state(motion), nd * sizeof *start);
        assert_int_equal(am_motion_follow_sensitivity(motion, true, NULL), AM_OK);
        assert_int_equal(am_motion_start_state(motion, from, start, NULL), AM_OK);
        memcpy(first, am_motion_sensitivity(motion), nd * nd * sizeof *first);
        step_to(motion, until);
        memcpy(exact, am_motion_sensitivity(motion), nd * nd * sizeof *exact);
        memcpy(middle, am_motion_state(motion), nd * sizeof *middle);
        assert_int_equal(am_motion_follow_sensitivity(motion, false, NULL), AM_OK);
        for (size_t j = 0; j < nd; j++) {
            bool light = j % s.n >= s.n - s.light;
            if (light)
                continue;
            for (int k = 0; k < 4; k++) {
                double moved[32];
                for (size_t i = 0; i < nd; i++) /* light coordinates go with the others */
                    moved[i] = start[i] + (k % 2 ? -1 : 1) * (k < 2 ? h : 0.5 * h) * first[i * nd + j];
                end_of(motion, from, moved, nd, until, end[k]);
            }
            double worst = 0, scale = 1, doubt = 0;
            for (size_t i = 0; i < nd; i++) {
                double wide = (end[0][i] - end[1][i]) / (2 * h), narrow = (end[2][i] - end[3][i]) / h;
                double best = narrow + (narrow - wide) / 3;
                scale = fmax(scale, fabs(best));
                doubt = fmax(doubt, fabs(narrow - wide));
                doubt = fmax(doubt, 0.1 * fabs(end[0][i] - 2 * middle[i] + end[1][i]) / h);
                worst = fmax(worst, fabs(best - exact[i * nd + j]));
            }
            if (doubt > 1e-4 * scale)
                continue;
            compared++;
            if (!(worst < 1e-7 * scale))
                fail_msg("seed %d: column %zu of the derivative is off by %g", (int)seed, j, worst / scale);
        }
        am_motion_free(motion);
        am_system_free(system);
    }
    assert_true(compared > 100);
}

/* ---- what cannot be followed ---- */

typedef struct refusal {
    double stiffness[9]; /* of a mass and two light nodes */
    am_contact_def contact[2];
    size_t contacts;
    am_load_def load;
    const char *says;
} refusal;

static const double on_mass[3] = {1, 0, 0}, on_node[3] = {0, 1, 0}, on_other[3] = {0, 0, 1};

static am_contact_def rubbing(const double *tangent) {
    am_contact_def contact = am_contact_def_default();
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.5;
    contact.tangent = tangent;
    return contact;
}

static void what_nothing_determines_is_refused(void **state) {
    (void)state;
    static const double speed[] = {0, 1}, values[] = {0.4, 0.2};
    refusal cases[8];
    size_t count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; i++)
        cases[i] = (refusal){.stiffness = {3, -1, -1, -1, 1, 0, -1, 0, 1},
                             .contact = {rubbing(on_node), rubbing(on_other)},
                             .contacts = 1,
                             .load = {on_mass, am_function_constant(1)}};
    cases[0].says = NULL; /* this one is fine */
    memcpy(cases[1].stiffness, (double[9]){1, 0, 0, 0, 1, -1, 0, -1, 1}, sizeof cases[1].stiffness);
    cases[1].says = "nothing determines coordinate q3";
    cases[2].contact[0].tangential_stiffness = 1;
    cases[2].says = "acts on a coordinate with neither mass nor damping";
    cases[3].contact[0].speed_friction =
        (am_speed_friction){.law = "table", .points = 2, .speed = speed, .coefficient = values};
    cases[3].contact[0].friction = 0;
    cases[3].says = "acts on a coordinate with neither mass nor damping";
    cases[4].contact[0].normal_law = AM_UNILATERAL;
    cases[4].contact[0].normal = on_mass;
    cases[4].says = "presses a coordinate with mass and rubs on one";
    cases[5].contact[1].tangent = on_node;
    cases[5].contacts = 2;
    cases[5].says = "shares its direction";
    cases[6].load = (am_load_def){on_node, am_function_impulse(1, 2)};
    cases[6].says = "a blow acts on";
    cases[7].contact[0].normal_law = AM_KELVIN_VOIGT;
    cases[7].contact[0].normal = on_other;
    cases[7].contact[0].contact_stiffness = 1;
    cases[7].says = "acts on a coordinate with neither mass nor damping";
    for (size_t i = 0; i < count; i++) {
        am_error err = {0};
        am_system_def def = am_system_def_default();
        def.n = 3;
        def.contact_count = cases[i].contacts;
        def.contacts = cases[i].contact;
        def.load_count = 1;
        def.loads = &cases[i].load;
        const double mass[9] = {1};
        am_system *system = dense_system(def, mass, NULL, cases[i].stiffness);
        am_motion *motion = am_motion_create(system, false, &err);
        if (cases[i].says) {
            assert_null(motion);
            assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
            assert_says(&err, cases[i].says);
        } else {
            assert_non_null(motion);
        }
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* A node whose springs couple its normal and its tangent, pressed by 1/2 and pulled by -1: in stick N = 1/2, T = 1 < mu N,
 * and apart the gap is (-1/2 + 0.9)/0.19 > 0. Friction wedges it, or does not. */
static void two_places_are_said(void **state) {
    (void)state;
    const double mass[9] = {1}, stiffness[9] = {1, 0, 0, 0, 1, 0.9, 0, 0.9, 1}, direction[3] = {0, -0.5, -1};
    am_contact_def contact = am_contact_def_default();
    contact.normal = on_node;
    contact.tangent = on_other;
    contact.friction = 3;
    am_load_def load = {direction, am_function_constant(1)};
    am_system_def def = am_system_def_default();
    def.n = 3;
    def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    am_system *system = dense_system(def, mass, NULL, stiffness);
    am_error err = {0};
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    assert_int_equal(am_motion_start(motion, 0, NULL, NULL, &err), AM_ERR_SEVERAL_STATES);
    assert_says(&err, "without inertia nothing says which");
    am_motion_free(motion);
    am_system_free(system);
}

/* ---- laws beside them ---- */

/* Friction and layers of every kind, on coordinates that have mass. */
static am_contact_def law_beside(random_source *r, size_t friction, size_t layer) {
    static const am_speed_friction laws[] = {{.law = "stribeck", .parameter = {0.4, 0.2, 0.3, 1, 0}},
                                             {.law = "tanh", .parameter = {0.3, 0.1}},
                                             {.law = "dahl", .parameter = {10, 0.3}},
                                             {.law = "lugre", .parameter = {20, 0.1, 0, 0.4, 0.3, 0.5}},
                                             {.law = "bouc-wen", .parameter = {10, 1, 20, 10, 1}},
                                             {.law = "rate-and-state", .parameter = {0.3, 0.02, 0.01, 0.1, 0.1, 0, 0}}};
    enum { WITH_LAW = sizeof laws / sizeof *laws };
    static const am_normal_law layers[] = {AM_HELD, AM_KELVIN_VOIGT, AM_HUNT_CROSSLEY};
    am_contact_def contact = am_contact_def_default();
    contact.normal_law = layers[layer];
    contact.hold = am_function_constant(layer == 0 ? 1 : 0);
    contact.contact_stiffness = layer > 0 ? random_between(r, 20, 40) : 0;
    contact.contact_damping = layer == 1 ? random_between(r, 0.1, 0.5) : 0;
    contact.gap = layer > 0 ? -0.1 : 0;
    if (friction < WITH_LAW) {
        contact.speed_friction = laws[friction];
        return contact;
    }
    contact.friction = contact.static_friction = random_between(r, 0.2, 0.4);
    if (friction == WITH_LAW)
        contact.tangential_stiffness = random_between(r, 2, 6);
    if (friction == WITH_LAW + 1) {
        contact.static_friction = 1.6 * contact.friction;
        contact.weakening = (am_friction){.law = AM_FRICTION_RAMP, .distance = random_between(r, 0.05, 0.25)};
    }
    return contact;
}

/* The same on the other coordinates alone: K_oo - K_ol K_ll^-1 K_lo, and loads F_o - K_ol K_ll^-1 F_l. *answer (light x
 * light) = K_ll^-1. */
static void condense(const structure *whole, structure *less, double *answer) {
    size_t n = whole->n, k = whole->light, heavy = n - k;
    double lent[MOST * MOST] = {0}, rcond; /* K_ol K_ll^-1 */
    am_error err = {0};
    *less = (structure){.n = heavy};
    for (size_t i = 0; i < k * k; i++)
        answer[i] = whole->stiffness[(heavy + i / k) * n + heavy + i % k];
    assert_int_equal(am_dense_invert(answer, k, &rcond, &err), AM_OK);
    for (size_t i = 0; i < heavy * k; i++)
        for (size_t j = 0; j < k; j++)
            lent[i] += whole->stiffness[i / k * n + heavy + j] * answer[j * k + i % k];
    for (size_t i = 0; i < heavy * heavy; i++) {
        size_t at = i / heavy * n + i % heavy;
        less->mass[i] = whole->mass[at];
        less->damping[i] = whole->damping[at];
        less->stiffness[i] = whole->stiffness[at];
        for (size_t j = 0; j < k; j++)
            less->stiffness[i] -= lent[i / heavy * k + j] * whole->stiffness[(heavy + j) * n + i % heavy];
    }
    for (size_t l = 0; l < whole->loads; l++) {
        double *direction = new_row(less);
        for (size_t i = 0; i < heavy; i++) {
            direction[i] = whole->load[l].direction[i];
            for (size_t j = 0; j < k; j++)
                direction[i] -= lent[i * k + j] * whole->load[l].direction[heavy + j];
        }
        less->load[less->loads++] = (am_load_def){direction, whole->load[l].function};
    }
}

static am_motion *with_cubic_spring(const structure *s, const am_polynomial_def *spring, am_system **system) {
    am_system_def def = am_system_def_default();
    def.n = s->n;
    def.contact_count = s->m;
    def.contacts = s->contact;
    def.load_count = s->loads;
    def.loads = s->load;
    def.polynomial_count = 1;
    def.polynomials = spring;
    *system = dense_system(def, s->mass, s->damping, s->stiffness);
    return started(*system, NULL, NULL);
}

/* Laws act on two masses, one of which has a cubic spring; nodes without mass stand between their springs. */
static void laws_beside_act_as_on_the_condensed_structure(void **state) {
    (void)state;
    static const double along[MOST] = {1}, away[MOST] = {0, 1};
    const am_polynomial_term cubic = {.coefficient = 0.5, .displacement = 3};
    const am_polynomial_def spring = {.direction = along, .terms = &cubic, .term_count = 1};
    for (uint64_t seed = 0; seed < CASES(27, 9); seed++) {
        random_source r = random_seed(seed + 1);
        structure whole = {.n = 3 + random_index(&r, 3)}, less;
        double answer[MOST * MOST];
        am_system *a, *b;
        whole.light = whole.n - 2;
        fill_matrices(&whole, &r);
        add_load(&whole, 1, am_function_constant(-2));
        for (size_t i = 0; i < whole.n; i++)
            add_load(&whole, i,
                     am_function_sine(i == 1 ? 0.5 : random_between(&r, 0.5, 2), random_between(&r, 0.4, 1.5), 0.2));
        condense(&whole, &less, answer);
        whole.contact[0] = law_beside(&r, seed % 9, (seed + seed / 9) % 3);
        whole.contact[0].tangent = along;
        whole.contact[0].normal = away;
        less.contact[0] = whole.contact[0];
        whole.m = less.m = 1;
        am_motion *one = with_cubic_spring(&whole, &spring, &a), *other = with_cubic_spring(&less, &spring, &b);
        for (int t = 1; t <= 12; t++) {
            double q[MOST], v[MOST], N, T, q2[MOST], v2[MOST], N2, T2;
            step_to(one, t);
            step_to(other, t);
            am_motion_at(one, t, q, v, &N, &T);
            am_motion_at(other, t, q2, v2, &N2, &T2);
            for (size_t i = 0; i < 2; i++) {
                assert_near(q[i], q2[i], 1e-11);
                assert_near(v[i], v2[i], 1e-11);
            }
            assert_near(N, N2, 1e-10); /* 40 times the rounding of a displacement */
            assert_near(T, T2, 1e-10);
            for (size_t l = 0; l < whole.light; l++) {
                double place = 0;
                for (size_t j = 0; j < whole.light; j++) {
                    double force = 0;
                    for (size_t k = 0; k < whole.loads; k++)
                        force += whole.load[k].direction[2 + j] * am_function_at(&whole.load[k].function, t);
                    for (size_t i = 0; i < 2; i++)
                        force -= whole.stiffness[(2 + j) * whole.n + i] * q2[i];
                    place += answer[l * whole.light + j] * force;
                }
                assert_near(q[2 + l], place, 1e-11);
            }
        }
        am_motion_statistics first = am_motion_statistics_get(one), second = am_motion_statistics_get(other);
        assert_int_equal(first.state_changes, second.state_changes);
        assert_near(first.loss_friction, second.loss_friction, 1e-11 * second.energy_moved);
        assert_true(first.energy_residual < 1e-11);
        am_motion_free(one);
        am_motion_free(other);
        am_system_free(a);
        am_system_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_structures_are_in_balance),
        cmocka_unit_test(jumps_end_in_balance),
        cmocka_unit_test(node_behind_a_spring_is_a_spring_behind_a_slider),
        cmocka_unit_test(node_before_a_stop_is_a_compliant_stop),
        cmocka_unit_test(laws_beside_act_as_on_the_condensed_structure),
        cmocka_unit_test(chain_of_nodes_has_the_loop_of_masing),
        cmocka_unit_test(vanishing_mass_and_damping_have_this_limit),
        cmocka_unit_test(what_is_proved_to_last_lasts),
        cmocka_unit_test(derivative_is_the_difference_of_motions),
        cmocka_unit_test(what_nothing_determines_is_refused),
        cmocka_unit_test(two_places_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
