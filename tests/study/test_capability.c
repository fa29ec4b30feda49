/* What analyses know of a structure (system/capability.h): every analysis meets structures with every feature, alone and
 * in random company, and refuses those that its row does not have and no others; docs/study.md shows the same table. */
#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "study_text.h"
#include "system/capability.h"

/* ---- structures ---- */

/* The features of the contact, then those of the structure. Weakening goes with static friction above kinetic. */
static void write_contact(am_text *t, const char *name, unsigned mask, bool one) {
    bool held = mask >> AM_HAS_HELD & 1, soft = mask >> AM_HAS_KELVIN_VOIGT & 1,
         hertz = mask >> AM_HAS_HUNT_CROSSLEY & 1;
    bool speed = mask >> AM_HAS_SPEED_FRICTION & 1, drag = mask >> AM_HAS_DRAG & 1;
    if (mask >> AM_HAS_STOP & 1)
        am_text_printf(t, "{name: %s, normal: %s", name, one ? "[-1]" : "[0, -1]");
    else
        am_text_printf(t, "{name: %s, normal: %s, tangent: %s, friction: %s", name, one ? "[-1]" : "[0, -1]",
                       one ? "[1]" : "[1, 0]",
                       speed  ? "{law: stribeck, static: 0.4, kinetic: 0.3, velocity: 1}"
                       : drag ? "{law: dahl, stiffness: 10, friction: 0.3}"
                              : "0.3");
    if (mask >> AM_HAS_FALLING_FRICTION & 1)
        am_text_add(t, ", surface_velocity: 1");
    if (held)
        am_text_add(t, ", law: held, hold: {constant: 1}");
    if (soft)
        am_text_add(t, ", law: kelvin-voigt, contact_stiffness: 50, contact_damping: 1");
    if (hertz)
        am_text_add(t, ", law: hunt-crossley, contact_stiffness: 50, contact_dissipation: 0.1");
    if (mask >> AM_HAS_STATIC_FRICTION & 1)
        am_text_add(t, ", static_friction: 0.5");
    if (mask >> AM_HAS_WEAKENING & 1)
        am_text_add(t, ", static_friction: 0.5, weakening: {law: ramp, length: 0.1}");
    if (mask >> AM_HAS_SLIDER_SPRING & 1)
        am_text_add(t, ", tangential_stiffness: 5");
    if (mask >> AM_HAS_REGULARISED & 1)
        am_text_add(t, ", regularisation: 0.01");
    am_text_add(t, "}");
}

static void write_study(am_text *t, unsigned mask, const char *analysis) {
    bool contacts = !(mask >> AM_HAS_POLYNOMIAL & 1), twofold = strcmp(analysis, "twofold") == 0;
    bool spring = !contacts || mask >> AM_HAS_POLYNOMIAL_CONTACTS & 1;
    bool one = strncmp(analysis, "cells", 5) == 0; /* made for one coordinate */
    double damping = mask >> AM_HAS_FALLING_FRICTION & 1 ? -0.05 : 0.1;
    am_text_clear(t);
    am_text_add(t, "title: features\nmodel:\n  kind: structure\n");
    if (one)
        am_text_printf(t, "  mass: [[1]]\n  damping: [[%g]]\n  stiffness: [[2]]\n", damping);
    else
        am_text_printf(t,
                       "  mass: [[1, 0], [0, 1]]\n  damping: [[%g, 0], [0, 0.1]]\n  stiffness: [[2, 0.1], [0.1, 3]]\n",
                       damping);
    if (mask >> AM_HAS_CIRCULATORY & 1)
        am_text_printf(t, "  circulatory: %s\n", one ? "[[0.1]]" : "[[0, 0.1], [-0.1, 0]]");
    if (spring)
        am_text_printf(t, "  polynomials: [{direction: %s, terms: [{coefficient: 1, displacement: 3}]}]\n",
                       one ? "[1]" : "[1, 0]");
    if (contacts) {
        am_text_add(t, "  contacts:\n  - ");
        write_contact(t, "belt", mask, one);
        am_text_add(t, twofold ? "\n  - " : "\n");
        if (twofold)
            write_contact(t, "pad", mask, one);
    }
    am_text_printf(t,
                   "\n  loads: [{direction: %s, constant: 2}, {direction: %s, sine: {amplitude: 1, frequency: 1.3}}]\n",
                   one ? "[1]" : "[0, 1]", one ? "[1]" : "[1, 0]");
    am_text_printf(t, "analysis: {kind: %s}\n", analysis);
}

/* The rows of the table as a study asks for them. */
static const struct {
    const char *row, *study;
} asked[] = {
    {"motion", "motion, until: 0.1"},
    {"orbit", "orbit"},
    {"attractors", "attractors, starts: {count: 2}"},
    {"cells", "cells, box: {q1: {from: -1, to: 1, count: 2}, v1: {from: -1, to: 1, count: 2}}"},
    {"path", "path, until: 0.1"},
    {"path with method: incremental", "path, until: 0.1, method: incremental, steps: 2"},
    {"states", "states, question: sectors"},
    {"states with question: uniqueness", "states, question: uniqueness"},
    {"states with question: sliding", "states, question: sliding"},
    {"shakedown", "shakedown"},
    {"march", "march, until: 0.01"},
    {"march with method: moreau-jean", "march, until: 0.01, method: moreau-jean, step: 0.01"},
    {"stability", "stability, state: [forward]"},
    {"squeal", "squeal, state: [forward]"},
    {"response", "response, over: loads.1.sine.frequency, from: 0.5, to: 0.5001, harmonics: 1"},
    {"twofold", "twofold"},
};

static bool stop(void *context, double fraction) {
    (void)fraction;
    return ++*(int *)context < 20; /* refusals come before any work */
}

/* Is the structure refused because of what it has? */
static bool is_refused(unsigned mask, const char *analysis, char *message, size_t size) {
    am_text text = {0};
    am_error err = {0};
    int calls = 0;
    write_study(&text, mask, analysis);
    am_study *study = am_study_parse("/test.yaml", am_text_view(&text), 0, NULL, false, &err);
    am_run *made = NULL;
    if (study) {
        am_progress progress = {.report = stop, .context = &calls};
        made = am_study_run(study, &progress, &err);
    }
    bool refused = strstr(err.message, "does not know that;") != NULL;
    snprintf(message, size, "%s", err.message);
    am_run_free(made);
    am_study_free(study);
    am_text_free(&text);
    return refused;
}

/* ---- the table ---- */

static const am_capability *row_of(const char *analysis) {
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        if (strcmp(row->analysis, analysis) == 0)
            return row;
    fail_msg("no row %s", analysis);
    return NULL;
}

/* One normal law and features that go with it. */
static unsigned company(unsigned mask) {
    unsigned normal = mask & ((1u << AM_HAS_STOP) - 1u), one = normal & (~normal + 1u);
    unsigned rest = mask & ~((1u << AM_HAS_STOP) - 1u);
    if (rest >> AM_HAS_POLYNOMIAL & 1)
        return 1u << AM_HAS_POLYNOMIAL | (rest & 1u << AM_HAS_CIRCULATORY); /* without contacts */
    if (rest >> AM_HAS_STOP & 1) {                                          /* nothing rubs, nothing is held */
        rest &= 1u << AM_HAS_STOP | 1u << AM_HAS_POLYNOMIAL_CONTACTS | 1u << AM_HAS_CIRCULATORY;
        return (one && one != 1u << AM_HAS_HELD ? one : 1u << AM_HAS_UNILATERAL) | rest;
    }
    if (rest >> AM_HAS_SPEED_FRICTION & 1)
        rest &= ~(1u << AM_HAS_DRAG);
    if ((rest >> AM_HAS_SPEED_FRICTION | rest >> AM_HAS_DRAG) & 1) /* says all about friction, of a rigid slider */
        rest &= ~(1u << AM_HAS_STATIC_FRICTION | 1u << AM_HAS_WEAKENING | 1u << AM_HAS_SLIDER_SPRING |
                  1u << AM_HAS_REGULARISED);
    if (rest >> AM_HAS_WEAKENING & 1)
        rest &= ~(1u << AM_HAS_STATIC_FRICTION);
    bool springs = rest >> AM_HAS_SLIDER_SPRING & 1;
    if (springs) /* rigid sliders with a spring: held and kelvin-voigt contacts only, of one coefficient */
        rest &= ~(1u << AM_HAS_REGULARISED | 1u << AM_HAS_WEAKENING | 1u << AM_HAS_STATIC_FRICTION);
    if (rest >> AM_HAS_REGULARISED & 1)
        rest &= ~(1u << AM_HAS_WEAKENING | 1u << AM_HAS_STATIC_FRICTION);
    one = one ? one : 1u << AM_HAS_HELD;
    if (springs || rest >> AM_HAS_REGULARISED & 1)
        one = one == 1u << AM_HAS_KELVIN_VOIGT ? one : 1u << AM_HAS_HELD;
    return one | rest;
}

static void check(size_t i, unsigned mask) {
    char message[1024];
    unsigned strange = mask & ~row_of(asked[i].row)->known;
    if (is_refused(mask, asked[i].study, message, sizeof message) != (strange != 0))
        fail_msg("%s with features %x (not known: %x): %s", asked[i].row, mask, strange, message);
}

static void every_feature_is_refused_by_the_analyses_that_do_not_know_it_and_no_others(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        for (unsigned f = 0; f < AM_FEATURES; f++)
            check(i, company(1u << f));
}

static void so_it_is_in_random_company(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (size_t k = 0; k < 160; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t i = k % (sizeof asked / sizeof *asked);
        unsigned mask = company((unsigned)(seed >> 33) & (unsigned)(seed >> 45) & ((1u << AM_FEATURES) - 1u));
        if (strcmp(asked[i].row, "cells") == 0) /* a slider is a third axis, which its study does not have */
            mask &= ~(1u << AM_HAS_SLIDER_SPRING);
        check(i, mask);
    }
}

static void every_row_is_asked(void **state) {
    (void)state;
    size_t rows = 0;
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        rows++;
    assert_int_equal(rows, sizeof asked / sizeof *asked);
}

/* The table of docs/study.md, as this test would write it. */
static void the_page_shows_the_same_table(void **state) {
    (void)state;
    am_text table = {0};
    am_text_add(&table, "| |");
    for (const am_capability *row = am_capabilities; row->analysis; row++) {
        size_t word = strcspn(row->analysis, " ");
        const char *rest = strstr(row->analysis, ": ");
        am_text_printf(&table, " `%.*s`%s%s |", (int)word, row->analysis, rest ? " " : "", rest ? rest + 2 : "");
    }
    am_text_add(&table, "\n|---|");
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        am_text_add(&table, "---|");
    am_text_add(&table, "\n");
    for (unsigned f = 0; f < AM_FEATURES; f++) {
        am_text_printf(&table, "| %s |", am_feature_name(f));
        for (const am_capability *row = am_capabilities; row->analysis; row++)
            am_text_add(&table, row->known >> f & 1 ? " x |" : " |");
        am_text_add(&table, "\n");
    }
    static char page[1 << 18];
    FILE *file = fopen(AMONTONS_SOURCE_DIR "/docs/study.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    if (!strstr(page, am_text_view(&table)))
        fail_msg("docs/study.md should have\n%s", am_text_view(&table));
    am_text_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_feature_is_refused_by_the_analyses_that_do_not_know_it_and_no_others),
        cmocka_unit_test(so_it_is_in_random_company),
        cmocka_unit_test(every_row_is_asked),
        cmocka_unit_test(the_page_shows_the_same_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
