/* Structures of which a part is far stiffer, lighter and faster than the rest: each part moves as it does alone, and
 * what is held, or has come to rest, costs nothing. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "lasting_system.h"
#include "relatives.h"
#include "results.h"

enum { STRUCTURES = CASES(120, 16) };

/* ---- units ---- */

/* What is multiplied, in powers of two, so that nothing is rounded. */
typedef struct scales {
    double mass, stiffness, time, length; /* forces stay */
} scales;

static scales scales_of(int mass, int stiffness) {
    return (scales){.mass = ldexp(1, mass),
                    .stiffness = ldexp(1, stiffness),
                    .time = ldexp(1, (mass - stiffness) / 2),
                    .length = ldexp(1, -stiffness)};
}

static void scale_function(am_function *f, double time) {
    f->rate /= time;
    f->frequency /= time;
    f->start *= time;
    f->duration *= time;
    f->period *= time;
    if (f->kind == AM_FUNCTION_IMPULSE)
        f->amplitude *= time;
}

static void scale(const scales *by, plain_system *plain, double *q, double *v) {
    for (size_t i = 0; i < plain->n * plain->n; i++) {
        plain->mass[i] *= by->mass;
        plain->damping[i] *= by->mass / by->time;
        plain->stiffness[i] *= by->stiffness;
    }
    for (size_t c = 0; c < plain->m; c++) {
        plain_contact *contact = &plain->contact[c];
        contact->gap *= by->length;
        contact->surface_velocity *= by->length / by->time;
        contact->tangential_stiffness *= by->stiffness;
        scale_function(&contact->hold, by->time);
    }
    for (size_t l = 0; l < plain->loads; l++) {
        scale_function(&plain->load[l].function, by->time);
        for (size_t i = 0; i < PLAIN_TABLE; i++)
            plain->load[l].times[i] *= by->time;
    }
    for (size_t i = 0; i < plain->n; i++) {
        q[i] *= by->length;
        v[i] *= by->length / by->time;
    }
}

/* ---- two structures side by side ---- */

static void put_block(const double *a, size_t n, size_t at, size_t size, double *all) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            all[(at + i) * size + at + j] = a[i * n + j];
}

static void put_row(double *row, size_t n, size_t at) {
    double copy[PLAIN_SIZE];
    memcpy(copy, row, sizeof copy);
    memset(row, 0, PLAIN_SIZE * sizeof *row);
    memcpy(row + at, copy, n * sizeof *row);
}

/* `part` becomes part of `all`, with its coordinates from `at` on. */
static void add_part(const plain_system *part, size_t at, plain_system *all) {
    put_block(part->mass, part->n, at, all->n, all->mass);
    put_block(part->damping, part->n, at, all->n, all->damping);
    put_block(part->stiffness, part->n, at, all->n, all->stiffness);
    for (size_t c = 0; c < part->m; c++) {
        plain_contact *contact = &all->contact[all->m++];
        *contact = part->contact[c];
        put_row(contact->normal, part->n, at);
        put_row(contact->tangent, part->n, at);
    }
    for (size_t l = 0; l < part->loads; l++) {
        plain_load *load = &all->load[all->loads++];
        *load = part->load[l];
        put_row(load->direction, part->n, at);
    }
}

/* Only the events of contacts `first` and later, with their numbers and times counted from there. */
static void keep_contacts(trajectory *run, size_t first, size_t count, double time) {
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++) {
        trajectory_event event = run->events[i];
        if (event.contact < first || event.contact >= first + count)
            continue;
        event.contact -= first;
        event.t /= time;
        run->events[kept++] = event;
    }
    run->count = kept;
}

/* A structure with at most so many coordinates, contacts and loads; numbers that are not of this kind are left out. */
static bool part_of(uint64_t seed, size_t n, size_t m, size_t loads, plain_system *plain, double *q, double *v) {
    lasting_system(seed, plain, q, v);
    return plain->n <= n && plain->m <= m && plain->loads <= loads;
}

/* How much stiffer, and lighter: from 2^18 with the same mass to 2^40 with a mass of 2^-20 (1e12 and 1e-6). */
static scales stiffer(uint64_t seed) {
    static const int powers[][2] = {{0, 18}, {0, 20}, {-20, 20}, {-20, 40}, {-10, 30}, {10, 40}};
    const int *power = powers[seed % (sizeof powers / sizeof *powers)];
    return scales_of(power[0], power[1]);
}

/* The motion of a soft structure that has begun beside it takes nothing from the stiff one, whose displacements are
 * 1e-12 of the soft one's. */
static void a_stiff_part_moves_as_it_does_alone(void **state) {
    (void)state;
    const double until = 30;
    relatives *r = malloc(sizeof *r);
    assert_non_null(r);
    size_t compared = 0, tried = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= STRUCTURES; seed++) {
        plain_system stiff, soft, moved;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], mq[PLAIN_SIZE], mv[PLAIN_SIZE], all_q[PLAIN_SIZE], all_v[PLAIN_SIZE];
        if (!part_of(seed, 4, 2, 3, &stiff, q, v) || !part_of(seed + 1000, 4, 2, 3, &soft, all_q, all_v))
            continue;
        trajectory_run(&stiff, 0, until, q, v, 0, NULL, NULL, &r->base);
        relatives_nudge(&stiff, q, v, &moved, mq, mv);
        trajectory_run(&moved, 0, until, mq, mv, 0, NULL, NULL, &r->moved);
        scales by = stiffer(seed);
        scale(&by, &stiff, q, v);
        plain_system all = plain_system_new(soft.n + stiff.n, 0);
        add_part(&soft, 0, &all);
        add_part(&stiff, soft.n, &all);
        memcpy(all_q + soft.n, q, stiff.n * sizeof *q);
        memcpy(all_v + soft.n, v, stiff.n * sizeof *v);
        trajectory_run(&all, 0, until * by.time, all_q, all_v, 0, NULL, NULL, &r->other);
        keep_contacts(&r->other, soft.m, stiff.m, by.time);
        /* Rounding is relative to the energy of the whole: that of the soft part is 1/1, that of the stiff one 1/k,
         * displacements go with its root; some ten roundings each in some ten spans. */
        relation how = {.more_rounding = 100 * DBL_EPSILON * sqrt(by.stiffness)};
        int count = relatives_compare(r, &how);
        tried++;
        compared += count > 0 ? (size_t)count : 0;
        if (count < 0 || r->base.status != AM_OK || r->other.status != AM_OK) {
            wrong++;
            print_error("seed %d, time scale %g: ", (int)seed, by.time);
            relatives_print(r, &how);
        }
    }
    free(r);
    print_message("%zu structures, %zu events compared\n", tried, compared);
    assert_int_equal(wrong, 0);
    assert_true(tried > STRUCTURES / 3 && compared > 5 * tried);
}

/* A light mass pressed onto its support by a stiff spring, for ever at rest: one coordinate along it, one into it. */
static plain_system pressed(const scales *by) {
    plain_system plain = plain_system_new(2, 1);
    double q[PLAIN_SIZE] = {0}, v[PLAIN_SIZE] = {0};
    plain.stiffness[0] = 1;
    plain.stiffness[3] = 1.5;
    plain.stiffness[1] = plain.stiffness[2] = 0.2;
    plain.contact[0].normal[0] = plain.contact[0].tangent[1] = 1;
    plain.contact[0].friction = 0.4;
    plain.loads = 1;
    plain.load[0].direction[0] = -1;
    plain.load[0].direction[1] = 0.2;
    plain.load[0].function = am_function_sine(0.3, 1.1, 0);
    plain.load[0].function.value = 1;
    scale(by, &plain, q, v);
    plain.load[0].function.frequency *= by->time; /* slow, as the rest of the structure */
    return plain;
}

/* The soft part moves as it does alone, in as many spans, give or take those of the other's load. */
static void what_a_stiff_part_holds_costs_nothing(void **state) {
    (void)state;
    const double until = 60;
    relatives *r = malloc(sizeof *r);
    assert_non_null(r);
    size_t compared = 0, tried = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= STRUCTURES; seed++) {
        plain_system soft, moved;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], mq[PLAIN_SIZE], mv[PLAIN_SIZE];
        if (!part_of(seed, 4, 3, 5, &soft, q, v))
            continue;
        trajectory_run(&soft, 0, until, q, v, 0, NULL, NULL, &r->base);
        relatives_nudge(&soft, q, v, &moved, mq, mv);
        trajectory_run(&moved, 0, until, mq, mv, 0, NULL, NULL, &r->moved);
        scales by = stiffer(seed);
        plain_system hard = pressed(&by), all = plain_system_new(soft.n + 2, 0);
        add_part(&soft, 0, &all);
        add_part(&hard, soft.n, &all);
        q[soft.n] = q[soft.n + 1] = v[soft.n] = v[soft.n + 1] = 0;
        trajectory_run(&all, 0, until, q, v, 0, NULL, NULL, &r->other);
        relation how = {0};
        int count = relatives_compare(r, &how);
        tried++;
        compared += count > 0 ? (size_t)count : 0;
        size_t spans = r->other.statistics.spans, alone = r->base.statistics.spans;
        if (count < 0 || r->base.status != AM_OK || r->other.status != AM_OK || spans > 4 * alone + 100) {
            wrong++;
            print_error("seed %d, time scale %g: %zu spans, alone %zu; ", (int)seed, by.time, spans, alone);
            relatives_print(r, &how);
        }
    }
    free(r);
    print_message("%zu structures, %zu events compared\n", tried, compared);
    assert_int_equal(wrong, 0);
    assert_true(tried > STRUCTURES / 2 && compared > 10 * tried);
}

/* ---- stiff coordinates that follow ---- */

/* One more coordinate, k = 2^40 with a mass of 2^-20, damped, coupled to all others as strongly as a positive definite
 * stiffness allows: k_i = part sqrt(k K_ii/n). */
static plain_system with_follower(const plain_system *soft, double part, double damping, double *coupling) {
    const double k = 0x1p40, mass = 0x1p-20;
    size_t n = soft->n;
    plain_system all = plain_system_new(n + 1, 0);
    add_part(soft, 0, &all);
    for (size_t i = 0; i < n; i++) {
        coupling[i] = (i % 2 ? -1 : 1) * part * sqrt(k * soft->stiffness[i * n + i] / (double)n);
        all.stiffness[i * (n + 1) + n] = all.stiffness[n * (n + 1) + i] = coupling[i];
    }
    all.stiffness[n * (n + 1) + n] = k;
    all.damping[n * (n + 1) + n] = 2 * damping * sqrt(k * mass);
    all.mass[n * (n + 1) + n] = mass;
    return all;
}

/* The same without it: with u = c.q/k it moves as -u + d u'/k - ..., so that K - c c^T/k and C + d c c^T/k^2 are left.
 * The next term is (frequency/1e9)^2 times as large. */
static plain_system condensed(const plain_system *soft, const plain_system *all, const double *coupling) {
    size_t n = soft->n, last = n * (n + 1) + n;
    double k = all->stiffness[last], d = all->damping[last];
    plain_system small = *soft;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double product = coupling[i] * coupling[j];
            small.stiffness[i * n + j] -= product / k;
            small.damping[i * n + j] += d * product / (k * k);
        }
    return small;
}

/* After every switch it trembles for some hundred spans, then it follows. */
static void a_stiff_coordinate_that_is_damped_follows_the_others(void **state) {
    (void)state;
    const double until = 40;
    relatives *r = malloc(sizeof *r);
    assert_non_null(r);
    size_t compared = 0, tried = 0, wrong = 0, spans = 0, events = 0;
    for (uint64_t seed = 1; seed <= STRUCTURES; seed++) {
        static const double dampings[] = {0.1, 0.5, 1, 3};
        plain_system soft, moved;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], mq[PLAIN_SIZE], mv[PLAIN_SIZE], coupling[PLAIN_SIZE];
        if (!part_of(seed, 3, 3, 5, &soft, q, v))
            continue;
        plain_system all = with_follower(&soft, 0.4, dampings[seed / 4 % 4], coupling);
        plain_system small = condensed(&soft, &all, coupling);
        trajectory_run(&small, 0, until, q, v, 0, NULL, NULL, &r->base);
        relatives_nudge(&small, q, v, &moved, mq, mv);
        trajectory_run(&moved, 0, until, mq, mv, 0, NULL, NULL, &r->moved);
        q[soft.n] = v[soft.n] = 0;
        for (size_t i = 0; i < soft.n; i++)
            q[soft.n] -= coupling[i] / all.stiffness[soft.n * (soft.n + 1) + soft.n] * q[i];
        trajectory_run(&all, 0, until, q, v, 0, NULL, NULL, &r->other);
        relation how = {.more_rounding = 1e-12};
        int count = relatives_compare(r, &how);
        tried++;
        compared += count > 0 ? (size_t)count : 0;
        spans += r->other.statistics.spans;
        events += r->other.statistics.events;
        if (count < 0 || r->base.status != AM_OK || r->other.status != AM_OK) {
            wrong++;
            print_error("seed %d: %zu spans, alone %zu; ", (int)seed, r->other.statistics.spans,
                        r->base.statistics.spans);
            relatives_print(r, &how);
        }
    }
    free(r);
    print_message("%zu structures, %zu events compared, %zu spans for %zu events\n", tried, compared, spans, events);
    assert_int_equal(wrong, 0);
    assert_true(tried > STRUCTURES / 3 && compared > 10 * tried);
    assert_true(spans < 100 * events + 500 * tried); /* it has 6e9 periods in this time */
}

/* ---- stiff normals ---- */

/* Held contacts become unilateral ones, each with a stiff, light coordinate of its own that a load presses onto it:
 * the normal force is the same. Returns how many there were. */
static size_t press_instead_of_hold(const plain_system *held, plain_system *pressed) {
    size_t count = 0, n = held->n;
    for (size_t c = 0; c < held->m; c++)
        count += held->contact[c].normal_law == AM_HELD && held->contact[c].tangential_stiffness == 0;
    *pressed = plain_system_new(n + count, 0);
    add_part(held, 0, pressed);
    for (size_t c = 0, at = n; c < held->m; c++) {
        plain_contact *contact = &pressed->contact[c];
        if (contact->normal_law != AM_HELD || contact->tangential_stiffness > 0)
            continue;
        plain_load *load = &pressed->load[pressed->loads++];
        *load = (plain_load){.function = contact->hold};
        load->direction[at] = -1;
        contact->normal_law = AM_UNILATERAL;
        contact->hold = (am_function){0};
        memset(contact->normal, 0, sizeof contact->normal);
        contact->normal[at] = 1;
        pressed->stiffness[at * pressed->n + at] = 0x1p40;
        pressed->mass[at * pressed->n + at] = 0x1p-20;
        at++;
    }
    return count;
}

/* The normal of a held contact pushes as well: only along a coordinate that nothing else knows of it does not. */
static void forget_normals(plain_system *plain) {
    for (size_t c = 0; c < plain->m; c++)
        if (plain->contact[c].normal_law == AM_HELD)
            for (size_t i = 0; i < plain->n; i++)
                plain->contact[c].normal[i] *= 0x1p-1000;
}

static void a_contact_with_a_stiff_normal_slides_like_a_held_one(void **state) {
    (void)state;
    const double until = 60;
    relatives *r = malloc(sizeof *r);
    assert_non_null(r);
    size_t compared = 0, tried = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= 3 * STRUCTURES; seed++) {
        plain_system held, moved, pressed;
        double q[PLAIN_SIZE] = {0}, v[PLAIN_SIZE] = {0}, mq[PLAIN_SIZE], mv[PLAIN_SIZE];
        if (!part_of(seed, 4, 3, 3, &held, q, v) || press_instead_of_hold(&held, &pressed) == 0)
            continue;
        for (size_t i = held.n; i < pressed.n; i++)
            q[i] = v[i] = 0;
        forget_normals(&held);
        forget_normals(&pressed);
        trajectory_run(&held, 0, until, q, v, 0, NULL, NULL, &r->base);
        relatives_nudge(&held, q, v, &moved, mq, mv);
        trajectory_run(&moved, 0, until, mq, mv, 0, NULL, NULL, &r->moved);
        trajectory_run(&pressed, 0, until, q, v, 0, NULL, NULL, &r->other);
        relation how = {0};
        int count = relatives_compare(r, &how);
        tried++;
        compared += count > 0 ? (size_t)count : 0;
        if (count < 0 || r->base.status != AM_OK || r->other.status != AM_OK) {
            wrong++;
            print_error("seed %d: ", (int)seed);
            relatives_print(r, &how);
        }
    }
    free(r);
    print_message("%zu structures, %zu events compared\n", tried, compared);
    assert_int_equal(wrong, 0);
    assert_true(tried > STRUCTURES / 3 && compared > 10 * tried);
}

/* ---- what cannot be done says so ---- */

/* A light mass on a stiff spring that nothing damps swings for ever, 1.6e9 times in the time asked for; beside it a
 * soft one slides. Damped it is done in some thousand spans. */
static void a_motion_that_would_take_hours_says_so(void **state) {
    (void)state;
    plain_system plain = plain_system_new(2, 1);
    const double q[2] = {1, 3e-12};
    plain.mass[3] = 1e-6;
    plain.stiffness[0] = 1;
    plain.stiffness[3] = 1e12;
    plain.contact[0].tangent[0] = plain.contact[0].normal[1] = 1;
    plain.contact[0].friction = 0.1;
    plain.contact[0].normal_law = AM_HELD;
    plain.contact[0].hold = am_function_constant(1);
    am_motion_options options = am_motion_options_default();
    options.until = 10;
    options.displacement = q;
    for (int damped = 0; damped < 2; damped++) {
        am_error err = {0};
        plain.damping[3] = damped ? 1 : 0;
        am_system *system = plain_system_create(&plain, &err);
        am_result *result = am_result_create(&err);
        assert_true(system && result);
        am_status status = am_motion_run(system, &options, result, NULL, &err);
        if (damped) {
            assert_int_equal(status, AM_OK);
            assert_true(number(result, "spans") < 20000);
        } else {
            assert_int_equal(status, AM_ERR_LIMIT);
            assert_non_null(strstr(err.message, "coordinate q2"));
            assert_non_null(strstr(err.message, "period of 6.28e-09"));
            assert_non_null(strstr(err.message, "1.6e+09 times"));
            assert_non_null(strstr(err.message, "max_spans"));
        }
        am_result_free(result);
        am_system_free(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_part_moves_as_it_does_alone),
        cmocka_unit_test(what_a_stiff_part_holds_costs_nothing),
        cmocka_unit_test(a_stiff_coordinate_that_is_damped_follows_the_others),
        cmocka_unit_test(a_contact_with_a_stiff_normal_slides_like_a_held_one),
        cmocka_unit_test(a_motion_that_would_take_hours_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
