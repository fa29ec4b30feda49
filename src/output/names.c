#include "output/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

static char cleaned(char c, bool dots, bool first) {
    bool letter = isalnum((unsigned char)c) || c == '_';
    bool inner = c == '-' || (c == '.' && dots);
    return letter || (inner && !first) ? c : '_';
}

static bool same_when_cleaned(const char *a, const char *b, bool dots) {
    size_t i = 0;
    for (; a[i] && b[i]; i++)
        if (cleaned(a[i], dots, i == 0) != cleaned(b[i], dots, i == 0))
            return false;
    return a[i] == b[i];
}

/* Longer names are cut, since file systems and NetCDF have their limits; a sum of the whole name (FNV-1a) keeps apart
 * what begins alike. */
enum { LONGEST_NAME = 120 };

static void add_sum(am_text *text, const char *name) {
    uint32_t sum = 2166136261u;
    for (; *name; name++)
        sum = (sum ^ (unsigned char)*name) * 16777619u;
    am_text_printf(text, "_%08lx", (unsigned long)sum);
}

static void add_clean(am_text *text, const char *name, bool dots, bool taken, size_t index) {
    for (size_t i = 0; name[i] && i < LONGEST_NAME; i++) {
        char c = cleaned(name[i], dots, i == 0);
        am_text_add_bytes(text, &c, 1);
    }
    if (strlen(name) > LONGEST_NAME)
        add_sum(text, name);
    if (taken)
        am_text_printf(text, "_%zu", index + 1);
}

static char *table_name(const am_result *result, size_t index, bool dots, const char *ending, am_error *err) {
    const char *name = am_table_name(am_result_table(result, index));
    bool taken = !dots && strcmp(name, "summary") == 0;
    for (size_t i = 0; i < index && !taken; i++)
        taken = same_when_cleaned(am_table_name(am_result_table(result, i)), name, dots);
    am_text text = {0};
    add_clean(&text, name, dots, taken, index);
    am_text_add(&text, ending);
    return am_text_take(&text, err);
}

char *am_output_csv_name(const am_result *result, size_t index, am_error *err) {
    return table_name(result, index, true, ".csv", err);
}

char *am_output_group_name(const am_result *result, size_t index, am_error *err) {
    return table_name(result, index, false, "", err);
}

char *am_output_clean_name(const char *name, size_t index, bool taken, am_error *err) {
    am_text text = {0};
    add_clean(&text, name, false, taken, index);
    return am_text_take(&text, err);
}

char *am_output_variable_name(const am_table *table, size_t column, bool taken, am_error *err) {
    return am_output_clean_name(am_table_column_name(table, column), column, taken, err);
}

char *am_output_attribute_name(const char *name, am_error *err) {
    am_text text = {0};
    add_clean(&text, name, true, false, 0);
    return am_text_take(&text, err);
}
