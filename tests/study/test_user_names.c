/* Coordinates and contacts that a study names: the same numbers as without names, in columns called after them. What a
 * column must be called is worked out here from the tables of the study without names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "base/glossary.h"
#include "cases.h"
#include "errors.h"
#include "random_system.h"
#include "study_text.h"

enum { MOST = 3, NAME = 24 };

/* %1: names of the coordinates, %2 and %3: names of the contacts (each a line or an entry of its own, or nothing); %4 and
 * %5: the first coordinate and its velocity. */
static const char *const studies[] = {
    /* two masses on two belts, with an obstacle that is struck */
    "model:\n  kind: structure\n  mass: [1, 2]\n  stiffness: [[2, -1], [-1, 3]]\n%1  contacts:\n"
    "    - {%2tangent: [1, 0], law: held, hold: {constant: 1}, friction: 0.3, static_friction: 0.5, surface_velocity: "
    "0.7}\n"
    "    - {%3tangent: [1, -0.2], normal: [0.2, 1], friction: 0.2, gap: 0.3, restitution: 0.6}\n"
    "  loads: [{direction: [0, 1], sine: {amplitude: 2, frequency: 0.7}}]\n"
    "analysis: {kind: motion, until: 12, samples: 7, section: {interval: 3}}\n",
    "model:\n  kind: structure\n  mass: [1, 2]\n  stiffness: [[2, -1], [-1, 3]]\n%1  contacts:\n"
    "    - {%2tangent: [1, 0], normal: [0, 0.1], law: kelvin-voigt, contact_stiffness: 30, contact_damping: 0.2, "
    "friction: 0.3, surface_velocity: 0.7}\n"
    "    - {%3tangent: [1, -0.2], normal: [0.2, 1], law: kelvin-voigt, contact_stiffness: 50, friction: 0.2, gap: "
    "0.3}\n"
    "  loads: [{direction: [0, 1], sine: {amplitude: 2, frequency: 0.7}}]\n"
    "analysis: {kind: march, until: 6, samples: 5}\n",
    "model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n%1  contacts:\n"
    "    - {%2tangent: [1], law: held, hold: {constant: 0.5}, friction: 0.3, static_friction: 0.5, surface_velocity: "
    "0.1}\n"
    "    - {%3tangent: [1], law: held, hold: {constant: 0.4}, friction: 0.2, static_friction: 0.5, surface_velocity: "
    "0.1}\n"
    "analysis: {kind: orbit, samples: 4}\n",
    "model:\n  kind: structure\n  stiffness: [[2, -1], [-1, 3]]\n%1  contacts:\n"
    "    - {%2tangent: [1, 0], law: held, hold: {constant: 1}, friction: 0.3}\n"
    "    - {%3tangent: [0, 1], law: held, hold: {constant: 1}, friction: 0.6}\n"
    "  loads: [{direction: [1, 0.3], sine: {amplitude: 2, frequency: 1}}]\n"
    "analysis: {kind: path, cycles: 3}\n",
    "model:\n  kind: structure\n  stiffness: [[2, -1], [-1, 3]]\n%1  contacts:\n"
    "    - {%2tangent: [1, 0], law: held, hold: {constant: 1}, friction: 0.3}\n"
    "    - {%3tangent: [0, 1], law: held, hold: {constant: 1}, friction: 0.6}\n"
    "  loads: [{direction: [1, 0.3], sine: {amplitude: 2, frequency: 1}}]\n"
    "analysis: {kind: shakedown, samples: 3}\n",
    "model:\n  kind: structure\n  mass: [1, 2]\n  damping: [0.1, 0.1]\n  stiffness: [[2, -1], [-1, 3]]\n%1  contacts:\n"
    "    - {%2tangent: [1, 0], normal: [0.2, 1], friction: 0.3, surface_velocity: 1}\n"
    "    - {%3tangent: [1, 0], law: held, hold: {constant: 1}, friction: 0.2, surface_velocity: 1}\n"
    "  loads: [{direction: [0, -1], constant: 5}]\n"
    "analysis: {kind: stability}\n",
    "model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n  damping: [0.05]\n%1  contacts:\n"
    "    - {%2tangent: [1], law: held, hold: {constant: 1}, friction: 0.5, static_friction: 1, surface_velocity: 0.5}\n"
    "    - {%3tangent: [1], law: held, hold: {constant: 0.1}, friction: 0.5, static_friction: 1, surface_velocity: "
    "0.5}\n"
    "analysis: {kind: attractors, starts: {%4: {from: -1, to: 2, count: 3}, %5: {from: -1, to: 2, count: 3}}}\n",
};

typedef struct names {
    char coordinate[MOST][NAME], contact[2][NAME];
} names;

/* ---- the study with names ---- */

static void replace(char *text, size_t size, const char *mark, const char *by) {
    char *at = strstr(text, mark);
    char rest[4096];
    if (!at)
        return;
    snprintf(rest, sizeof rest, "%s", at + strlen(mark));
    snprintf(at, size - (size_t)(at - text), "%s%s", by, rest);
}

static size_t coordinates_of(const char *study) {
    return strstr(study, "mass: [1]\n") ? 1 : 2;
}

/* NULL: without names. */
static void write_study(const char *study, const names *n, char *text, size_t size) {
    char line[256] = "", contact[2][64] = {"", ""}, velocity[64];
    snprintf(text, size, "%s", study);
    if (n) {
        size_t length = (size_t)snprintf(line, sizeof line, "  names: [");
        for (size_t i = 0; i < coordinates_of(study); i++)
            length += (size_t)snprintf(line + length, sizeof line - length, "%s%s", i ? ", " : "", n->coordinate[i]);
        snprintf(line + length, sizeof line - length, "]\n");
        for (size_t c = 0; c < 2; c++)
            snprintf(contact[c], sizeof contact[c], "name: '%s', ", n->contact[c]);
    }
    replace(text, size, "%1", line);
    replace(text, size, "%2", contact[0]);
    replace(text, size, "%3", contact[1]);
    snprintf(velocity, sizeof velocity, "%s%s", n ? "v_" : "v1", n ? n->coordinate[0] : "");
    replace(text, size, "%4", n ? n->coordinate[0] : "q1");
    replace(text, size, "%5", velocity);
}

/* ---- names ---- */

/* Letters that begin no word which tables have. */
static void draw_name(random_source *source, bool contact, char *name) {
    static const char letters[] = "bghjkBGHJK", others[] = "bghjkwz_0123456789", more[] = "bghjkwz_0123456789 -.:";
    size_t length = 1 + random_index(source, 12);
    name[0] = letters[random_index(source, sizeof letters - 1)];
    for (size_t i = 1; i < length; i++)
        name[i] =
            contact ? more[random_index(source, sizeof more - 1)] : others[random_index(source, sizeof others - 1)];
    if (contact && length > 1) /* YAML keeps blanks at the end of a quoted text; no need to try that */
        name[length - 1] = 'k';
    name[length] = '\0';
}

static void draw_names(uint64_t seed, names *n) {
    random_source source = random_seed(seed);
    do {
        for (size_t i = 0; i < MOST; i++)
            draw_name(&source, false, n->coordinate[i]);
        for (size_t c = 0; c < 2; c++)
            draw_name(&source, true, n->contact[c]);
    } while (strcmp(n->coordinate[0], n->coordinate[1]) == 0 || strcmp(n->contact[0], n->contact[1]) == 0);
}

/* "q2" is 2 after "q"; 0: it is something else. *rest: what follows. */
static size_t number_after(const char *word, const char *name, const char **rest) {
    size_t length = strlen(word);
    if (strncmp(name, word, length) != 0 || !isdigit((unsigned char)name[length]))
        return 0;
    char *end;
    size_t number = strtoul(name + length, &end, 10);
    *rest = end;
    return number;
}

static void expected_column(const char *plain, const names *n, char *name, size_t size) {
    static const char *const of_contacts[] = {"N", "T", "state", "use", "position", "stretch"};
    const char *rest = "";
    size_t i = number_after("q", plain, &rest);
    snprintf(name, size, "%s", plain);
    if (i > 0)
        snprintf(name, size, "%s%s", n->coordinate[i - 1], rest);
    i = number_after("v", plain, &rest);
    if (i > 0)
        snprintf(name, size, "v_%s%s", n->coordinate[i - 1], rest);
    for (size_t k = 0; k < sizeof of_contacts / sizeof *of_contacts; k++) {
        i = number_after(of_contacts[k], plain, &rest);
        if (i > 0)
            snprintf(name, size, "%s_%s%s", of_contacts[k], n->contact[i - 1], rest);
    }
}

/* Of the columns `contact` ("2"), `constraint` ("2-") and `coordinate` ("q2"). */
static void expected_text(const char *column, const char *plain, const names *n, char *text, size_t size) {
    bool names_contact = strcmp(column, "contact") == 0 || strcmp(column, "constraint") == 0;
    const char *rest = "";
    size_t c = names_contact ? number_after("", plain, &rest) : 0;
    snprintf(text, size, "%s", plain);
    if (c > 0)
        snprintf(text, size, "%s%s", n->contact[c - 1], rest);
    c = strcmp(column, "coordinate") == 0 ? number_after("q", plain, &rest) : 0;
    if (c > 0)
        snprintf(text, size, "%s%s", n->coordinate[c - 1], rest);
}

/* ---- the same numbers under other names ---- */

static bool is_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void compare_table(const am_table *plain, const am_table *named, const names *n) {
    assert_int_equal(am_table_columns(named), am_table_columns(plain));
    assert_int_equal(am_table_rows(named), am_table_rows(plain));
    for (size_t c = 0; c < am_table_columns(plain); c++) {
        char wanted[128];
        const char *column = am_table_column_name(plain, c);
        expected_column(column, n, wanted, sizeof wanted);
        assert_string_equal(am_table_column_name(named, c), wanted);
        assert_int_equal(am_table_column_kind(named, c), am_table_column_kind(plain, c));
        for (size_t r = 0; r < am_table_rows(plain); r++) {
            char text[128];
            expected_text(column, am_table_text(plain, r, c), n, text, sizeof text);
            assert_string_equal(am_table_text(named, r, c), text);
            assert_true(is_same(am_table_number(named, r, c), am_table_number(plain, r, c)));
        }
    }
}

/* Slips in the summary of `shakedown` belong to contacts, not to coordinates. */
static void expected_scalar(const char *plain, bool slips, const names *n, char *name, size_t size) {
    const char *rest = "";
    size_t c = slips ? number_after("v", plain, &rest) : 0;
    expected_column(plain, n, name, size);
    if (c > 0)
        snprintf(name, size, "v_%s%s", n->contact[c - 1], rest);
}

/* Returns how many values of the summary are called after something. */
static size_t compare_summary(const am_result *plain, const am_result *named, bool slips, const names *n) {
    size_t called = 0;
    assert_int_equal(am_result_scalar_count(named), am_result_scalar_count(plain));
    for (size_t i = 0; i < am_result_scalar_count(plain); i++) {
        const am_scalar *a = am_result_scalar(plain, i), *b = am_result_scalar(named, i);
        char wanted[128];
        expected_scalar(a->name, slips, n, wanted, sizeof wanted);
        assert_string_equal(b->name, wanted);
        assert_true(a->kind == b->kind && is_same(a->number, b->number));
        called += strcmp(a->name, b->name) != 0;
    }
    return called;
}

static void names_go_into_every_table_and_summary(void **state) {
    (void)state;
    size_t columns = 0, texts = 0, called = 0;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (size_t s = 0; s < sizeof studies / sizeof *studies; s++) {
            char text[4096];
            names n;
            draw_names(100 * seed + s, &n);
            write_study(studies[s], NULL, text, sizeof text);
            am_run *plain = run_text(text);
            write_study(studies[s], &n, text, sizeof text);
            am_run *named = run_text(text);
            const am_result *a = am_run_report(plain)->result, *b = am_run_report(named)->result;
            called += compare_summary(a, b, strstr(text, "kind: shakedown") != NULL, &n);
            assert_int_equal(am_result_table_count(a), am_result_table_count(b));
            for (size_t t = 0; t < am_result_table_count(a); t++) {
                compare_table(am_result_table(a, t), am_result_table(b, t), &n);
                columns += am_table_columns(am_result_table(a, t));
                texts += am_table_find_column(am_result_table(a, t), "contact") != SIZE_MAX &&
                         am_table_rows(am_result_table(a, t)) > 0;
            }
            am_run_free(plain);
            am_run_free(named);
        }
    assert_true(columns > 600 && texts > 20 && called >= 6 * (4 + 2 + 4)); /* of orbit, shakedown and stability */
}

/* ---- names that cannot be ---- */

/* Where `piece` stands in the text: "line:column". */
static void place_of(const char *text, const char *piece, char *place, size_t size) {
    const char *names = strstr(text, "names: [") + strlen("names: ["), *at = strstr(names, piece), *start = text;
    size_t line = 1;
    assert_non_null(at);
    for (const char *c = text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    snprintf(place, size, ":%zu:%zu: ", line, (size_t)(at - start) + 1);
}

static void assert_refused(const char *text, const char *piece, const char *words) {
    am_error err = {0};
    char place[64];
    am_study *study = am_study_parse("/test.yaml", text, 0, NULL, false, &err);
    if (study)
        fail_msg("accepted:\n%s", text);
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, words);
    place_of(text, piece, place, sizeof place);
    assert_says(&err, place);
}

static void a_coordinate_with_the_name_of_another_column_is_refused(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_source source = random_seed(seed);
        char text[4096], said[128], taken[7][NAME + 16] = {"t", "contact", "from", "to", "cause"};
        names n;
        draw_names(seed, &n);
        n.coordinate[0][6] = '\0'; /* so that its velocity's name has room */
        snprintf(taken[5], sizeof taken[5], "v_%s", n.coordinate[0]);
        snprintf(taken[6], sizeof taken[6], "v_%s_before", n.coordinate[0]);
        const char *clash = taken[random_index(&source, 7)];
        snprintf(n.coordinate[1], sizeof n.coordinate[1], "%.23s", clash);
        write_study(studies[0], &n, text, sizeof text);
        snprintf(said, sizeof said, "would have '%s' twice", clash);
        if (strncmp(clash, "v_", 2) == 0) /* the velocity of the first one: that may be blamed as well */
            assert_refused(text, n.coordinate[0], said);
        else
            assert_refused(text, n.coordinate[1], said);
    }
}

/* ---- and all others can ---- */

static bool has_twice(size_t count, char (*all)[128]) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(all[i], all[k]) == 0)
                return true;
    return false;
}

/* Would the summary or a table of the study without names have a name twice under these? */
static bool would_clash(const am_result *plain, const names *n) {
    enum { MOST_NAMES = 100 };
    static char all[MOST_NAMES][128];
    size_t count = am_result_scalar_count(plain);
    assert_true(count <= MOST_NAMES);
    for (size_t i = 0; i < count; i++)
        expected_column(am_result_scalar(plain, i)->name, n, all[i], sizeof all[i]);
    bool clash = has_twice(count, all);
    for (size_t t = 0; t < am_result_table_count(plain) && !clash; t++) {
        const am_table *table = am_result_table(plain, t);
        count = am_table_columns(table);
        assert_true(count <= MOST_NAMES);
        for (size_t c = 0; c < count; c++)
            expected_column(am_table_column_name(table, c), n, all[c], sizeof all[c]);
        clash = has_twice(count, all);
    }
    return clash;
}

/* A name of the page, or one made of the first coordinate's or contact's. */
static void draw_risky_name(random_source *source, const names *n, char name[NAME]) {
    static const char *const made[] = {"v_%.9s",      "%.9sdot",       "%.9s_max", "%.9s_1",
                                       "%.9s_before", "v_%.9s_before", "q%.9s"},
                             *const of_contact[] = {"N_%.9s", "T_%.9s", "state_%.9s", "use_%.9s", "position_%.9s"};
    size_t k = random_index(source, 40);
    const char *own = "<";
    if (k < sizeof made / sizeof *made)
        snprintf(name, NAME, made[k], n->coordinate[0]);
    else if (k < sizeof made / sizeof *made + sizeof of_contact / sizeof *of_contact)
        snprintf(name, NAME, of_contact[k - sizeof made / sizeof *made], n->contact[0]);
    else
        while (strpbrk(own, "<.+-") || strlen(own) >= NAME)
            own = am_glossary_entry_at(random_index(source, am_glossary_size()))->name;
    if (k >= sizeof made / sizeof *made + sizeof of_contact / sizeof *of_contact)
        snprintf(name, NAME, "%s", own);
}

/* Forms of answers that have other columns and values than those above. */
static const char *const forms[] = {
    "model:\n  kind: structure\n  mass: [1, 2]\n  damping: [0.1, 0.1]\n  stiffness: [[2, -1], [-1, 3]]\n%1  contacts:\n"
    "    - {%2tangent: [1, 0], normal: [0.2, 1], friction: 0.3, surface_velocity: 1}\n"
    "    - {%3tangent: [1, 0], law: held, hold: {constant: 1}, friction: 0.2, surface_velocity: 1}\n"
    "  loads: [{direction: [0, -1], constant: 5}]\n"
    "analysis: {kind: stability, threshold: contacts.0.friction, to: 2}\n",
    "model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n  damping: [0.05]\n%1  contacts:\n"
    "    - {%2tangent: [1], law: held, hold: {constant: 1}, friction: 0.5}\n"
    "    - {%3tangent: [1], law: held, hold: {constant: 0.1}, friction: 0.5}\n"
    "analysis: {kind: attractors, starts: {%4: {from: -1, to: 2, count: 3}, %5: {from: -1, to: 2, count: 3}}}\n",
    "model:\n  kind: structure\n  stiffness: [[2, -1], [-1, 3]]\n%1  contacts:\n"
    "    - {%2tangent: [1, 0], law: held, hold: {constant: 1}, friction: 0.3}\n"
    "    - {%3tangent: [0, 1], law: held, hold: {constant: 1}, friction: 0.6}\n"
    "  loads: [{direction: [1, 0.3], sine: {amplitude: 2, frequency: 1}}]\n"
    "analysis: {kind: attractors, starts: {%4: {from: -0.1, to: 0.1, count: 3}}}\n",
};

static const char *study_at(size_t index) {
    const size_t count = sizeof studies / sizeof *studies;
    return index < count ? studies[index] : forms[index - count];
}

static bool is_accepted(const char *text, am_error *err) {
    am_study *study = am_study_parse("/test.yaml", text, 0, NULL, false, err);
    am_study_free(study);
    return study != NULL;
}

/* Only the answer tells whether the summary has it: it is refused before. */
static bool depends_on_the_answer(const char *name) {
    return strcmp(name, "fold_load") == 0;
}

/* The last coordinate has the name. Returns whether that clashes. */
static bool compare_refusal(const char *study, const am_result *plain, const names *n) {
    char text[4096];
    am_error err = {0};
    write_study(study, n, text, sizeof text);
    bool clash = would_clash(plain, n), accepted = is_accepted(text, &err);
    if (accepted == clash && !depends_on_the_answer(n->coordinate[coordinates_of(study) - 1]))
        fail_msg("%s: %s\n%s", clash ? "accepted" : "refused", err.message, text);
    return clash;
}

/* By brute force: the names of everything that the study writes are worked out and compared. Every name of the page that
 * can be one is tried, and names made of others. */
static void names_are_refused_where_they_clash_and_only_there(void **state) {
    (void)state;
    size_t clashes = 0, others = 0;
    for (size_t s = 0; s < sizeof studies / sizeof *studies + sizeof forms / sizeof *forms; s++) {
        const char *study = study_at(s);
        const size_t last = coordinates_of(study) - 1;
        char text[4096];
        names n;
        write_study(study, NULL, text, sizeof text);
        am_run *plain = run_text(text);
        const am_result *result = am_run_report(plain)->result;
        for (uint64_t seed = 1; seed <= 80; seed++) {
            random_source source = random_seed(1000 * s + seed);
            draw_names(seed, &n);
            draw_name(&source, false, n.contact[0]);
            n.coordinate[0][9] = n.contact[0][9] = '\0';
            draw_risky_name(&source, &n, n.coordinate[last]);
            *(compare_refusal(study, result, &n) ? &clashes : &others) += 1;
        }
        draw_names(s, &n);
        for (size_t i = 0; i < am_glossary_size(); i += CASES(1, 9)) {
            const char *own = am_glossary_entry_at(i)->name;
            if (strpbrk(own, "<.+-") || strlen(own) >= NAME)
                continue;
            snprintf(n.coordinate[last], NAME, "%s", own);
            *(compare_refusal(study, result, &n) ? &clashes : &others) += 1;
        }
        am_run_free(plain);
    }
    assert_true(clashes > 20 && others > 200);
}

/* What would clash in the samples alone is free where no samples are asked for. */
static void tables_that_are_not_written_refuse_nothing(void **state) {
    (void)state;
    const names n = {{"x", "state_pad"}, {"pad", "foot"}};
    char text[4096];
    write_study(studies[0], &n, text, sizeof text);
    am_error err = {0};
    assert_false(is_accepted(text, &err));
    assert_says(&err, "table samples would have 'state_pad' twice");
    replace(text, sizeof text, "samples: 7", "samples: 0");
    am_run_free(run_text(text));
}

static void contacts_of_one_name_are_refused(void **state) {
    (void)state;
    char text[4096];
    names n = {{"x", "y"}, {"pad", "pad"}};
    write_study(studies[0], &n, text, sizeof text);
    char *second = strstr(text, "'pad'") + 5; /* the second one is blamed */
    assert_non_null(strstr(second, "'pad'"));
    am_error err = {0};
    assert_null(am_study_parse("/test.yaml", text, 0, NULL, false, &err));
    assert_says(&err, ":8:");
    assert_says(&err, "two contacts are both called 'pad'");
    names number = {{"x", "y"}, {"2", "pad"}}; /* the number of a contact that has a name is free */
    write_study(studies[0], &number, text, sizeof text);
    am_run_free(run_text(text));
    replace(text, sizeof text, "name: 'pad', ", ""); /* and is its name, if it has none */
    assert_refused(text, "'2'", "two contacts are both called '2'");
    names force = {{"x", "N_pad"}, {"pad", "foot"}};
    write_study(studies[0], &force, text, sizeof text);
    assert_null(am_study_parse("/test.yaml", text, 0, NULL, false, &err));
    assert_says(&err, "table events would have 'N_pad' twice");
    names empty = {{"x", "y"}, {"", "foot"}};
    write_study(studies[0], &empty, text, sizeof text);
    assert_refused(text, "'', ", "the name of a contact is empty");
}

/* A model's own symbols are no names of its user: its columns are numbered. */
static void symbols_of_models_stay(void **state) {
    (void)state;
    static const struct {
        const char *study, *table;
        const char *columns[12];
    } wanted[] = {{"model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, "
                   "-0.99]}\nanalysis: {kind: motion, until: 9}\n",
                   "events",
                   {"t", "contact", "from", "to", "cause", "q1", "q2", "v1", "v2", "N1", "T1", "v1_before"}},
                  {"model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, "
                   "-0.99]}\nanalysis: {kind: motion, until: 9}\n",
                   "samples",
                   {"t", "u1", "u2", "v1", "v2", "N1", "T1", "state1"}},
                  {"model: {kind: oscillator, beta: 0.3, Omega: 0.8, xi: 0.1}\nanalysis: {kind: orbit}\n",
                   "samples",
                   {"t", "v", "vdot", "N1", "T1", "state1"}}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        am_run *made = run_text(wanted[i].study);
        const am_table *table = am_result_find_table(am_run_report(made)->result, wanted[i].table);
        for (size_t c = 0; c < 12 && wanted[i].columns[c]; c++)
            assert_string_equal(am_table_column_name(table, c), wanted[i].columns[c]);
        if (i == 0)
            assert_string_equal(am_table_text(table, 0, 1), "plane");
        am_run_free(made);
    }
}

/* Without names of their own, coordinates that are left beside prescribed ones keep their numbers, and so do their
 * velocities. */
static void numbers_stay_beside_prescribed_motions(void **state) {
    (void)state;
    am_run *made = run_text("model:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[2, -1], [-1, 2]]\n"
                            "  prescribed: [{coordinate: 1, sine: {amplitude: 1, frequency: 0.3}}]\n"
                            "  contacts: [{tangent: [0, 1], law: held, hold: {constant: 1}, friction: 0.1}]\n"
                            "analysis: {kind: motion, until: 3, samples: 2}\n");
    const am_table *samples = am_result_find_table(am_run_report(made)->result, "samples");
    assert_string_equal(am_table_column_name(samples, 1), "q2");
    assert_string_equal(am_table_column_name(samples, 2), "v2");
    am_run_free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_go_into_every_table_and_summary),
        cmocka_unit_test(a_coordinate_with_the_name_of_another_column_is_refused),
        cmocka_unit_test(names_are_refused_where_they_clash_and_only_there),
        cmocka_unit_test(tables_that_are_not_written_refuse_nothing),
        cmocka_unit_test(contacts_of_one_name_are_refused),
        cmocka_unit_test(symbols_of_models_stay),
        cmocka_unit_test(numbers_stay_beside_prescribed_motions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
