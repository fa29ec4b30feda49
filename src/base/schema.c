#include "base/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/try.h"

bool am_range_holds(am_range range, double number) {
    return range == AM_RANGE_ANY || (range == AM_RANGE_POSITIVE && number > 0) ||
           (range == AM_RANGE_NOT_NEGATIVE && number >= 0) ||
           (range == AM_RANGE_FRACTION && number >= 0 && number <= 1);
}

const char *am_range_words(am_range range) {
    static const char *const words[] = {"a finite number", "positive", "zero or positive", "between 0 and 1"};
    return words[range];
}

const am_field *am_schema_field(const am_schema *schema, const char *name) {
    for (size_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].name[0] == name[0] && strcmp(schema->fields[i].name, name) == 0)
            return &schema->fields[i];
    return NULL;
}

/* ---- Defaults ---- */

void am_field_set_word(const am_field *field, int value, void *place) {
    if (field->type == AM_FIELD_WORD)
        memcpy(place, &value, sizeof value);
    else if (field->type == AM_FIELD_EITHER)
        *(bool *)place = value == field->words[1].value;
}

static void set_initial(const am_field *field, void *place) {
    double number;
    size_t length = am_text_parse_number(field->initial, &number);
    bool is_number = length > 0 && field->initial[length] == '\0';
    if (field->type == AM_FIELD_NUMBER && is_number)
        *(double *)place = field->factor ? number * *field->factor : number;
    else if (field->type == AM_FIELD_COUNT && is_number)
        *(size_t *)place = (size_t)number;
    else if (field->type == AM_FIELD_FLAG)
        *(bool *)place = strcmp(field->initial, "true") == 0;
    for (const am_word *word = field->words; word && word->name; word++)
        if (strcmp(word->name, field->initial) == 0)
            am_field_set_word(field, word->value, place);
}

void am_schema_defaults(const am_schema *schema, void *record) {
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        char *place = (char *)record + field->offset;
        if (field->type == AM_FIELD_RECORD && !field->inner->defaults)
            am_schema_defaults(field->inner, place);
        else if (field->type == AM_FIELD_LIST && field->inner)
            am_schema_defaults(field->inner, record);
        else if (field->optional)
            *(double *)place = NAN;
        else if (field->initial)
            set_initial(field, place);
    }
}

/* ---- Checks ---- */

bool am_count_holds(const am_field *field, size_t count) {
    return count >= field->least && (field->most == 0 || count <= field->most);
}

const char *am_count_words(const am_field *field, char text[AM_COUNT_WORDS]) {
    if (field->least > 0 && field->most > 0)
        snprintf(text, AM_COUNT_WORDS, "lie between %zu and %zu", field->least, field->most);
    else
        snprintf(text, AM_COUNT_WORDS, field->most > 0 ? "be at most %zu" : "be at least %zu",
                 field->most > 0 ? field->most : field->least);
    return text;
}

/* The records around a field, innermost first. */
typedef struct trail {
    const struct trail *around;
    const char *name;
} trail;

/* "disc.thickness" */
static void add_path(const trail *last, am_text *path) {
    if (last->around)
        add_path(last->around, path);
    am_text_printf(path, "%s%s", path->length > 0 ? "." : "", last->name);
}

static bool number_holds(const am_field *field, double number) {
    return (isfinite(number) && am_range_holds(field->range, number)) || (field->optional && isnan(number)) ||
           (field->zero_unset && number == 0.0);
}

static am_status refuse(const am_field *field, const trail *last, const void *place, am_error *err) {
    char bounds[AM_COUNT_WORDS];
    am_text path = {0};
    add_path(last, &path);
    const char *name = am_text_view(&path);
    double number = field->type == AM_FIELD_NUMBER ? *(const double *)place : 0.0;
    am_status status =
        field->type == AM_FIELD_COUNT
            ? am_fail_field(err, AM_ERR_INPUT, name, "%s must %s, not %zu", name, am_count_words(field, bounds),
                            *(const size_t *)place)
            : am_fail_field(err, AM_ERR_INPUT, name, "%s (%s) must be %s, but is %g", name, field->about,
                            am_range_words(field->range), field->factor ? number / *field->factor : number);
    am_text_free(&path);
    return status;
}

/* Often: once for every system of a sweep. Names are put together where something is wrong. */
static am_status check(const am_schema *schema, const trail *around, const void *record, am_error *err) {
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        const void *place = (const char *)record + field->offset;
        const trail here = {around, field->name};
        bool wrong = (field->type == AM_FIELD_NUMBER && !number_holds(field, *(const double *)place)) ||
                     (field->type == AM_FIELD_COUNT && !am_count_holds(field, *(const size_t *)place));
        if (wrong)
            return refuse(field, &here, place, err);
        if (field->type == AM_FIELD_RECORD)
            AM_TRY(check(field->inner, &here, place, err));
    }
    return AM_OK;
}

am_status am_schema_check(const am_schema *schema, const void *record, am_error *err) {
    return check(schema, NULL, record, err);
}
