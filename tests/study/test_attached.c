/* Arrays in memory that a study names, and what the library says of itself to programs. */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "amontons/study.h"
#include "base/text.h"
#include "errors.h"

static const char text[] = "{model: {kind: structure, mass: {array: M}, stiffness: {array: K}, "
                           "contacts: [{law: held, hold: 1, tangent: {array: t}, friction: 0.3}], "
                           "loads: [{direction: {array: t}, sine: {amplitude: 2, frequency: 0.7}}]}, "
                           "analysis: {kind: motion, until: 5, samples: 2}}";

enum { most = 40 };

typedef struct arrays {
    double mass[most * most], stiffness[most * most], tangent[most];
    am_study_array list[3];
    am_study_options options;
} arrays;

/* A chain of n masses whose first one rubs. */
static void make(arrays *a, size_t n) {
    memset(a, 0, sizeof *a);
    for (size_t i = 0; i < n; i++) {
        a->mass[i * n + i] = 1.0;
        a->stiffness[i * n + i] = 2.0;
        if (i > 0)
            a->stiffness[i * n + i - 1] = a->stiffness[(i - 1) * n + i] = -1.0;
    }
    a->tangent[0] = 1.0;
    a->list[0] = (am_study_array){.name = "M", .rows = n, .columns = n, .values = a->mass};
    a->list[1] = (am_study_array){.name = "K", .rows = n, .columns = n, .values = a->stiffness};
    a->list[2] = (am_study_array){.name = "t", .rows = n, .values = a->tangent};
    a->options = (am_study_options){.array_count = 3, .arrays = a->list};
}

static double end_of(const am_study *study) {
    am_error err = {0};
    am_run *run = am_study_run(study, NULL, &err);
    if (!run)
        fail_msg("%s", err.message);
    const am_table *samples = am_result_find_table(am_run_report(run)->result, "samples");
    double end = am_table_number(samples, 1, am_table_find_column(samples, "q1"));
    am_run_free(run);
    return end;
}

static void add_rows(am_text *out, const char *name, const double *values, size_t rows, size_t columns) {
    am_text_printf(out, "%s: [", name);
    for (size_t i = 0; i < rows; i++) {
        am_text_add(out, columns > 1 ? "[" : "");
        for (size_t j = 0; j < columns; j++)
            am_text_printf(out, "%g,", values[i * columns + j]);
        am_text_add(out, columns > 1 ? "]," : "");
    }
    am_text_add(out, "], ");
}

/* The same study with every number written out. */
static am_study *written(const arrays *a, size_t n, am_error *err) {
    am_text out = {0};
    am_text_add(&out, "{model: {kind: structure, ");
    add_rows(&out, "mass", a->mass, n, n);
    add_rows(&out, "stiffness", a->stiffness, n, n);
    am_text_add(&out, "contacts: [{law: held, hold: {constant: 1}, friction: 0.3, ");
    add_rows(&out, "tangent", a->tangent, n, 1);
    am_text_add(&out, "}], loads: [{sine: {amplitude: 2, frequency: 0.7}, ");
    add_rows(&out, "direction", a->tangent, n, 1);
    am_text_add(&out, "}]}, analysis: {kind: motion, until: 5, samples: 2}}");
    am_study *study = am_study_parse("written", am_text_view(&out), 0, NULL, false, err);
    am_text_free(&out);
    return study;
}

/* Listed as numbers (3) or kept beside the study (40 rows): the bits are those of numbers in its text. */
static void arrays_give_what_numbers_in_the_text_give(void **state) {
    (void)state;
    static arrays a;
    for (size_t n = 3; n <= most; n += most - 3) {
        am_error err = {0};
        make(&a, n);
        am_study *as_text = written(&a, n, &err), *study = am_study_open_text("arrays", text, &a.options, &err);
        if (!study || !as_text)
            fail_msg("%s", err.message);
        memset(a.mass, 0x7f, sizeof a.mass); /* they were copied */
        assert_int_equal(am_system_size(am_study_system(study)), n);
        double wanted = end_of(as_text), got = end_of(study);
        if (!(got == wanted))
            fail_msg("%.17g instead of %.17g", got, wanted);
        am_study_free(study);
        am_study_free(as_text);
    }
}

static void small_arrays_are_numbers_with_names(void **state) {
    (void)state;
    static arrays a;
    am_error err = {0};
    make(&a, 3);
    am_study *study = am_study_open_text("arrays", text, &a.options, &err);
    am_model *model = study ? am_study_open_model(study, &err) : NULL;
    if (!model)
        fail_msg("%s", err.message);
    size_t number = am_model_find(model, "stiffness.1.0");
    assert_true(number < am_model_count(model));
    assert_true(am_model_value(model, number) == -1.0);
    am_model_free(model);
    am_study_free(study);
}

static void wrong_arrays_are_refused(void **state) {
    (void)state;
    static arrays a;
    am_error err = {0};
    make(&a, 3);
    a.list[2].name = "u";
    assert_null(am_study_open_text("arrays", text, &a.options, &err));
    assert_non_null(strstr(err.message, "there is no array 't'"));
    make(&a, 3);
    a.tangent[1] = NAN;
    assert_null(am_study_open_text("arrays", text, &a.options, &err));
    assert_non_null(strstr(err.message, "not finite"));
    make(&a, 3);
    a.list[1].values = NULL;
    assert_null(am_study_open_text("arrays", text, &a.options, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_null(am_study_open_text("arrays", text, &(am_study_options){0}, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
}

static void the_description_is_a_document_with_every_option_and_quantity(void **state) {
    (void)state;
    am_error err = {0};
    char *words = am_study_description(&err);
    assert_non_null(words);
    cJSON *document = cJSON_Parse(words);
    assert_non_null(document);
    size_t analyses = 0;
    const cJSON *schema, *row;
    cJSON_ArrayForEach(schema, cJSON_GetObjectItem(document, "schemas")) {
        analyses += strcmp(cJSON_GetObjectItem(schema, "kind")->valuestring, "analysis") == 0;
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(schema, "rows")) {
            assert_non_null(cJSON_GetObjectItem(row, "type"));
            assert_non_null(cJSON_GetObjectItem(row, "about"));
        }
    }
    assert_true(analyses >= 16);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(document, "quantities")) > 500);
    cJSON_Delete(document);
    am_output_text_free(words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_give_what_numbers_in_the_text_give),
        cmocka_unit_test(small_arrays_are_numbers_with_names),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(the_description_is_a_document_with_every_option_and_quantity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
