/* How far two answers with different numbers of modes are apart: against the definitions, summed up here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study/modes_difference.h"

enum { CONTACTS = 2, SAMPLES = 30, EVENTS = 40 };

typedef struct answer {
    double force[SAMPLES][2 * CONTACTS]; /* N1, N2, T1, T2 */
    size_t events;
    double t[EVENTS];
} answer;

/* Events of the second are those of the first a little earlier or later, and fewer or more of them. */
static void draw(random_source *source, answer *one, answer *two) {
    one->events = random_index(source, EVENTS - 8);
    two->events = one->events;
    if (random_chance(source, 0.5))
        two->events = one->events < 4 ? one->events + random_index(source, 8) : one->events - random_index(source, 4);
    double t[2] = {0.0, 0.0}, loose = random_between(source, 0.0, 0.01);
    for (size_t i = 0; i < EVENTS; i++) {
        double step = random_between(source, 0.0, 1.9 / EVENTS);
        t[0] += step;
        t[1] += fmax(0.0, step + random_between(source, -loose, loose));
        one->t[i] = t[0];
        two->t[i] = t[1];
    }
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t c = 0; c < 2 * CONTACTS; c++) {
            one->force[i][c] = random_between(source, -1, 1);
            two->force[i][c] = one->force[i][c] + random_between(source, -0.01, 0.01);
        }
}

static am_system *two_contacts(void) {
    static const double rows[2][2] = {{1, 0}, {0, 1}};
    am_contact_def contacts[CONTACTS];
    am_system_def def = am_system_def_default();
    for (size_t c = 0; c < CONTACTS; c++) {
        contacts[c] = am_contact_def_default();
        contacts[c].tangent = rows[c];
        contacts[c].normal_law = AM_HELD;
        contacts[c].hold = am_function_constant(1.0);
        contacts[c].friction = 0.3;
    }
    def.n = 2;
    def.contact_count = CONTACTS;
    def.contacts = contacts;
    return dense_system(def, NULL, NULL, (const double[]){1, 0, 0, 1});
}

/* As an analysis shows it. */
static void show(const answer *a, const am_system *system, am_contact_record *record) {
    const am_observer nobody = {0}, observer = am_contact_record_watch(record, system, &nobody);
    for (size_t i = 0; i < SAMPLES; i++) {
        const am_sample sample = {.t = (double)i / (SAMPLES - 1),
                                  .contacts = CONTACTS,
                                  .normal = a->force[i],
                                  .tangential = a->force[i] + CONTACTS};
        GOOD(observer.sample(observer.context, &sample, err));
    }
    for (size_t i = 0; i < a->events; i++)
        GOOD(observer.event(observer.context, &(am_event){.t = a->t[i]}, err));
}

static size_t up_to(const answer *a, double t) {
    size_t count = 0;
    for (size_t i = 0; i < a->events; i++)
        count += a->t[i] <= t;
    return count;
}

/* The samples span one unit of time, so times may differ by 0.01. */
static double events_apart(const answer *one, const answer *two) {
    double most = 0.0;
    for (size_t i = 0; i < one->events; i++)
        most = fmax(most, (double)up_to(one, one->t[i]) - (double)up_to(two, one->t[i] + 0.01));
    for (size_t i = 0; i < two->events; i++)
        most = fmax(most, (double)up_to(two, two->t[i]) - (double)up_to(one, two->t[i] + 0.01));
    return most > 0.0 ? most / fmax((double)one->events, (double)two->events) : 0.0;
}

static void differences_are_those_of_their_definitions(void **state) {
    (void)state;
    random_source source = random_seed(61);
    am_system *system = two_contacts();
    size_t agreed = 0;
    for (size_t trial = 0; trial < 200; trial++) {
        answer one, two;
        draw(&source, &one, &two);
        double off = 0.0, size = 0.0;
        for (size_t i = 0; i < SAMPLES; i++)
            for (size_t c = 0; c < 2 * CONTACTS; c++) {
                off += pow(one.force[i][c] - two.force[i][c], 2);
                size += pow(two.force[i][c], 2);
            }
        am_contact_record first = {0}, second = {0};
        show(&one, system, &first);
        show(&two, system, &second);
        am_modes_difference d = {.modes = 3, .others = 6};
        am_modes_compare(&first, &second, &d);
        assert_near(d.forces, sqrt(off / size), 1e-14);
        assert_near(d.events, events_apart(&one, &two), 1e-15);
        assert_int_equal(d.event_count[0], one.events);
        assert_int_equal(d.event_count[1], two.events);
        bool agree = sqrt(off / size) <= 0.01 && events_apart(&one, &two) <= 0.05;
        assert_int_equal(am_modes_agree(&d), agree);
        am_result *result = am_result_create(NULL);
        GOOD(am_modes_report(result, 3, &d, err));
        assert_int_equal(flag(result, "modes_converged"), agree);
        assert_near(number(result, "modes_compared"), 6, 0);
        char words[64];
        snprintf(words, sizeof words, "(%zu events with 3 modes, %zu with 6)", one.events, two.events);
        const char *verdict = text(result, "modes_verdict");
        assert_true(strstr(verdict, agree ? "stands still: 3 and 6 modes agree" : words) != NULL);
        agreed += agree;
        am_result_free(result);
        am_modes_compare(&first, &first, &d);
        assert_true(d.forces == 0.0 && d.events == 0.0 && am_modes_agree(&d));
        am_contact_record_clear(&first);
        am_contact_record_clear(&second);
    }
    am_system_free(system);
    assert_true(agreed > 10 && agreed < 190); /* of these seeds; otherwise the test says less */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_those_of_their_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
