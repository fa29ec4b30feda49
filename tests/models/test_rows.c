/* The rows of a model check what C programs fill: every number outside of its range and every count beyond its bounds is
 * refused by the builder, with the name that studies give it; and the defaults of the rows make a sound structure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "near.h"
#include "study/models.h"

/* A record as a study with nothing but the required keys would fill it. */
static void *usual_record(const am_schema *schema) {
    char *record = calloc(1, schema->size);
    am_error err = {0};
    assert_non_null(record);
    am_schema_defaults(schema, record);
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        bool needed = field->required || strcmp(field->name, "alpha") == 0; /* of the rod, without `physical` */
        if (needed && field->type == AM_FIELD_NUMBER)
            assert_true(am_text_parse_number(field->example, (double *)(void *)(record + field->offset)) > 0);
    }
    assert_true(!schema->complete || schema->complete(record, &err) == AM_OK);
    return record;
}

static am_status make(const am_model_kind *kind, const void *record, am_error *err) {
    am_system *system = kind->create(record, err);
    am_system_free(system);
    return system ? AM_OK : err->status;
}

static void assert_refused(const am_model_kind *kind, const void *record, const char *path, const char *what) {
    am_error err = {0};
    am_status status = make(kind, record, &err);
    if (status != AM_ERR_INPUT || strcmp(err.field, path) != 0)
        fail_msg("%s with %s %s: status %d, field '%s', %s", kind->schema->name, path, what, (int)status, err.field,
                 err.message);
}

static size_t refuse_numbers(const am_model_kind *kind, const void *record, const am_field *field, char *place,
                             const char *path) {
    const double wrong[] = {NAN, INFINITY, -1.0, 0.0, 1.5};
    const bool out[] = {true, true, field->range != AM_RANGE_ANY, field->range == AM_RANGE_POSITIVE,
                        field->range == AM_RANGE_FRACTION};
    double *number = (double *)(void *)place, own = *number;
    size_t tried = 0;
    for (size_t k = 0; k < 5; k++)
        if (out[k] && !(field->optional && k == 0) && !(field->zero_unset && k == 3)) {
            *number = wrong[k];
            assert_refused(kind, record, path, "out of its range");
            tried++;
        }
    *number = own;
    return tried;
}

static size_t refuse_counts(const am_model_kind *kind, const void *record, const am_field *field, char *place,
                            const char *path) {
    size_t *count = (size_t *)(void *)place, own = *count, tried = 0;
    if (field->least > 0) {
        *count = field->least - 1;
        assert_refused(kind, record, path, "too small");
        tried++;
    }
    if (field->most > 0) {
        *count = field->most + 1;
        assert_refused(kind, record, path, "too large");
        tried++;
    }
    *count = own;
    return tried;
}

/* Data that the definition follows from are not part of it. */
static bool is_source(const am_field *field) {
    return strcmp(field->name, "physical") == 0 || strcmp(field->name, "Delta") == 0;
}

static size_t refuse_rows(const am_model_kind *kind, const void *record, const am_schema *schema, char *part,
                          const char *before) {
    size_t tried = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        char path[128], *place = part + field->offset;
        snprintf(path, sizeof path, "%s%s%s", before, field->name, field->type == AM_FIELD_RECORD ? "." : "");
        if (is_source(field) || field->same_as)
            continue;
        if (field->type == AM_FIELD_NUMBER)
            tried += refuse_numbers(kind, record, field, place, path);
        else if (field->type == AM_FIELD_COUNT)
            tried += refuse_counts(kind, record, field, place, path);
        else if (field->type == AM_FIELD_RECORD && strcmp(path, "contact.") != 0) /* another law plays no part */
            tried += refuse_rows(kind, record, field->inner, place, path);
    }
    return tried;
}

static void what_rows_do_not_allow_no_model_is_made_of(void **state) {
    (void)state;
    size_t tried = 0, models = 0;
    for (size_t k = 0; am_model_kinds[k]; k++) {
        const am_model_kind *kind = am_model_kinds[k];
        if (!kind->create || kind->contact) /* half-planes: their rows are those of a study */
            continue;
        char *record = usual_record(kind->schema);
        am_error err = {0};
        if (make(kind, record, &err) != AM_OK)
            fail_msg("%s: %s", kind->schema->name, err.message);
        tried += refuse_rows(kind, record, kind->schema, record, "");
        models++;
        free(record);
    }
    assert_true(models >= 9 && tried > 250);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rows_do_not_allow_no_model_is_made_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
