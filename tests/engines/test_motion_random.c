/* Properties that every motion has, on hundreds of seeded structures with up to 6 degrees of freedom and 3 contacts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "random_system.h"
#include "relatives.h"
#include "trajectory.h"

#define ROOM 2000

enum { STRUCTURES = CASES(300, 60), RELATIVES = CASES(150, 40) };

static const double until = 12;

/* Structure number `seed`: sizes and kinds vary with it. */
static void structure(uint64_t seed, plain_system *plain, double *q, double *v) {
    static const size_t sizes[][2] = {{2, 1}, {3, 1}, {4, 1}, {4, 2}, {5, 2}, {6, 2}, {6, 3}, {6, 3}};
    const size_t *size = sizes[seed % 8];
    random_options kinds = random_options_default(size[0], size[1]);
    kinds.piecewise = seed % 2 == 0;
    random_system(10000 + seed, &kinds, plain, q, v);
}

/* ---- what must hold at every instant ---- */

typedef struct watch_data {
    const plain_system *plain;
    double q_scale, v_scale, force_scale;
    double worst;    /* largest violation, relative to its scale */
    char where[128]; /* and where */
    size_t samples;
} watch_data;

static void note(watch_data *data, double violation, double scale, const char *what, double t, size_t contact) {
    double relative = violation / scale;
    if (relative <= data->worst)
        return;
    data->worst = isnan(relative) ? INFINITY : relative;
    snprintf(data->where, sizeof data->where, "%s of contact %zu at t = %.17g", what, contact, t);
}

static double row_dot(const double *row, const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += row[i] * x[i];
    return sum;
}

static void check_contact(watch_data *data, size_t c, am_contact_state state, double t, const double *q,
                          const double *v, double N, double T) {
    const plain_contact *contact = &data->plain->contact[c];
    double gap = row_dot(contact->normal, q, data->plain->n) + contact->gap;
    double slide = row_dot(contact->tangent, v, data->plain->n) - contact->surface_velocity;
    double mu = contact->friction, mu_static = contact->static_friction > 0 ? contact->static_friction : mu;
    bool held = contact->normal_law == AM_HELD;
    if (state == AM_OPEN) {
        note(data, -gap, data->q_scale, "penetration", t, c);
        note(data, fabs(N) + fabs(T), data->force_scale, "force across the open gap", t, c);
        return;
    }
    if (!held) {
        note(data, fabs(gap), data->q_scale, "gap of the closed state", t, c);
        note(data, -N, data->force_scale, "tension", t, c);
    }
    if (state == AM_STICK) {
        note(data, fabs(slide), data->v_scale, "sliding while stuck", t, c);
        note(data, fabs(T) - mu_static * N, data->force_scale, "force outside the cone", t, c);
    } else {
        double sign = state == AM_FORWARD ? 1 : -1;
        note(data, -sign * slide, data->v_scale, "sliding the wrong way", t, c);
        note(data, fabs(T + sign * mu * N), data->force_scale, "friction off its law", t, c);
    }
}

static void watch(const am_motion *motion, const am_contact_state *during, void *user) {
    enum { POINTS = 60 };
    watch_data *data = user;
    double from = am_motion_span_start(motion), to = am_motion_time(motion);
    for (int i = 0; i <= POINTS; i++) {
        double t = i == POINTS ? to : from + (to - from) * i / POINTS;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], N[PLAIN_CONTACTS], T[PLAIN_CONTACTS];
        am_motion_at(motion, t, q, v, N, T);
        for (size_t k = 0; k < data->plain->n; k++) {
            data->q_scale = fmax(data->q_scale, fabs(q[k]));
            data->v_scale = fmax(data->v_scale, fabs(v[k]));
        }
        for (size_t c = 0; c < data->plain->m; c++)
            data->force_scale = fmax(data->force_scale, fabs(N[c]));
        for (size_t c = 0; c < data->plain->m; c++)
            check_contact(data, c, during[c], t, q, v, N[c], T[c]);
        data->samples++;
    }
}

/* An engine that gives up must be right: the reference, started from the same data, finds the same at the same time. */
static bool rightly_refused(const plain_system *plain, const double *q, const double *v, const trajectory *engine) {
    reference_event *events = calloc(ROOM, sizeof *events);
    assert_non_null(events);
    reference_result exact = {.room = ROOM, .events = events};
    reference_options options = {.until = until};
    memcpy(options.q, q, plain->n * sizeof *q);
    memcpy(options.v, v, plain->n * sizeof *v);
    reference_run(plain, &options, &exact);
    free(events);
    bool none = exact.status == REFERENCE_NO_STATE || exact.status == REFERENCE_NO_IMPACT;
    bool several = exact.status == REFERENCE_SEVERAL_STATES || exact.status == REFERENCE_SEVERAL_IMPACTS;
    if (!(engine->status == AM_ERR_NO_STATE ? none : engine->status == AM_ERR_SEVERAL_STATES && several))
        return false;
    return fabs(exact.failed_at - engine->reached) <= 1e-6 * fmax(1, exact.failed_at);
}

static void motions_keep_to_the_laws(void **state) {
    (void)state;
    size_t samples = 0, refused = 0, events = 0, wrong = 0;
    double worst_energy = 0, worst_law = 0;
    trajectory *run = malloc(sizeof *run);
    assert_non_null(run);
    for (uint64_t seed = 1; seed <= STRUCTURES; seed++) {
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE];
        structure(seed, &plain, q, v);
        watch_data data = {.plain = &plain, .q_scale = 0.1, .v_scale = 0.1, .force_scale = 1};
        trajectory_run(&plain, 0, until, q, v, 0, watch, &data, run);
        samples += data.samples;
        events += run->count;
        worst_energy = fmax(worst_energy, run->statistics.energy_residual);
        worst_law = fmax(worst_law, data.worst);
        /* Violations are roundings of quantities that were zero at their event: far below the 1e-11 allowed. */
        bool fine = data.worst <= 1e-11 && run->statistics.energy_residual <= 1e-11;
        if (run->status != AM_OK) {
            refused++;
            fine = fine && rightly_refused(&plain, q, v, run);
        } else {
            fine = fine && run->reached == until;
        }
        if (!fine) {
            wrong++;
            print_error("seed %d: %s (%s), energy residual %g, violation %g: %s\n", (int)seed,
                        am_status_text(run->status), run->error.message, run->statistics.energy_residual, data.worst,
                        data.where);
        }
    }
    free(run);
    print_message("%d structures, %zu events, %zu samples: worst energy residual %.2g, worst violation of a law %.2g; "
                  "%zu without unique state\n",
                  STRUCTURES, events, samples, worst_energy, worst_law, refused);
    assert_int_equal(wrong, 0);
    assert_true(refused <= STRUCTURES / 20);
    assert_true(events > CASES(2000, 400));
}

/* ---- relatives of a motion: same events, up to what rounding of the changed data may do ---- */

typedef void relate(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how);

static void check_relatives(relate *change, const char *name) {
    relatives *r = malloc(sizeof *r);
    assert_non_null(r);
    size_t compared = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= RELATIVES; seed++) {
        plain_system plain, moved;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], mq[PLAIN_SIZE], mv[PLAIN_SIZE], from = 0;
        structure(seed, &plain, q, v);
        trajectory_run(&plain, 0, until, q, v, 0, NULL, NULL, &r->base);
        relatives_nudge(&plain, q, v, &moved, mq, mv);
        trajectory_run(&moved, 0, until, mq, mv, 0, NULL, NULL, &r->moved);
        relation how = {0};
        change(seed, &plain, q, v, &from, &how);
        trajectory_run(&plain, from, from + until, q, v, 0, NULL, NULL, &r->other);
        int count = relatives_compare(r, &how);
        bool complete = count == (int)r->base.count;
        if (count < 0 || (complete && r->base.status != r->other.status)) {
            wrong++;
            print_error("%s, seed %d: ", name, (int)seed);
            relatives_print(r, &how);
        } else {
            compared += (size_t)count;
        }
    }
    free(r);
    print_message("%s: %zu events compared\n", name, compared);
    assert_int_equal(wrong, 0);
    assert_true(compared > CASES(500, 100));
}

static void shift_function(am_function *f, double shift) {
    f->phase -= f->frequency * shift;
    f->start += shift;
    if (f->kind == AM_FUNCTION_RAMP)
        f->value -= f->rate * shift;
}

/* Four time units later. */
static void later(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how) {
    (void)seed, (void)q, (void)v;
    *from = how->time_shift = 4;
    for (size_t l = 0; l < plain->loads; l++) {
        shift_function(&plain->load[l].function, 4);
        for (size_t i = 0; i < PLAIN_TABLE; i++)
            plain->load[l].times[i] += 4;
    }
    for (size_t c = 0; c < plain->m; c++)
        shift_function(&plain->contact[c].hold, 4);
}

static void scale_all(plain_system *plain, double *q, double *v, double factor) {
    for (size_t l = 0; l < plain->loads; l++)
        for (size_t i = 0; i < plain->n; i++)
            plain->load[l].direction[i] *= factor;
    for (size_t c = 0; c < plain->m; c++) {
        plain->contact[c].gap *= factor;
        plain->contact[c].surface_velocity *= factor;
        plain->contact[c].hold.value *= factor;
        plain->contact[c].hold.amplitude *= factor;
    }
    for (size_t i = 0; i < plain->n; i++) {
        q[i] *= factor;
        v[i] *= factor;
    }
}

/* Coulomb's law knows no scale of its own. */
static void larger(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how) {
    (void)seed, (void)from, (void)how;
    scale_all(plain, q, v, 1e6);
}

static void smaller(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how) {
    (void)seed, (void)from, (void)how;
    scale_all(plain, q, v, 1e-6);
}

/* Contacts in reverse order. */
static void reordered(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how) {
    static const size_t maps[PLAIN_CONTACTS + 1][PLAIN_CONTACTS] = {{0}, {0}, {1, 0}, {2, 1, 0}, {3, 2, 1, 0}};
    (void)seed, (void)q, (void)v, (void)from;
    plain_contact copy[PLAIN_CONTACTS];
    memcpy(copy, plain->contact, sizeof copy);
    for (size_t c = 0; c < plain->m; c++)
        plain->contact[maps[plain->m][c]] = copy[c];
    how->contact_map = maps[plain->m];
}

/* Coordinates in reverse order: the structure is the same. */
static void renumbered(uint64_t seed, plain_system *plain, double *q, double *v, double *from, relation *how) {
    (void)seed, (void)from, (void)how;
    size_t n = plain->n;
    plain_system old = *plain;
    double old_q[PLAIN_SIZE], old_v[PLAIN_SIZE];
    memcpy(old_q, q, n * sizeof *q);
    memcpy(old_v, v, n * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        size_t k = n - 1 - i;
        q[i] = old_q[k];
        v[i] = old_v[k];
        for (size_t j = 0; j < n; j++) {
            plain->mass[i * n + j] = old.mass[k * n + (n - 1 - j)];
            plain->damping[i * n + j] = old.damping[k * n + (n - 1 - j)];
            plain->stiffness[i * n + j] = old.stiffness[k * n + (n - 1 - j)];
        }
        for (size_t c = 0; c < plain->m; c++) {
            plain->contact[c].normal[i] = old.contact[c].normal[k];
            plain->contact[c].tangent[i] = old.contact[c].tangent[k];
        }
        for (size_t l = 0; l < plain->loads; l++)
            plain->load[l].direction[i] = old.load[l].direction[k];
    }
}

static void motions_shifted_in_time_are_the_same(void **state) {
    (void)state;
    check_relatives(later, "later");
}

static void motions_scaled_up_have_the_same_times(void **state) {
    (void)state;
    check_relatives(larger, "larger");
}

static void motions_scaled_down_have_the_same_times(void **state) {
    (void)state;
    check_relatives(smaller, "smaller");
}

static void order_of_contacts_does_not_matter(void **state) {
    (void)state;
    check_relatives(reordered, "reordered");
}

static void order_of_coordinates_does_not_matter(void **state) {
    (void)state;
    check_relatives(renumbered, "renumbered");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_keep_to_the_laws),
        cmocka_unit_test(motions_shifted_in_time_are_the_same),
        cmocka_unit_test(motions_scaled_up_have_the_same_times),
        cmocka_unit_test(motions_scaled_down_have_the_same_times),
        cmocka_unit_test(order_of_contacts_does_not_matter),
        cmocka_unit_test(order_of_coordinates_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
