#include "vocabulary.h"

#include <string.h>

#include "study/analyses.h"
#include "study/analyses/following.h"
#include "study/bind.h"
#include "study/expect.h"
#include "study/figure.h"
#include "study/functions.h"
#include "study/models.h"
#include "study/models/contact_rows.h"
#include "study/models/friction.h"
#include "study/models/mesh.h"
#include "study/study.h"
#include "study/sweep/sweep.h"

enum { MOST = 2048 };

static const am_schema *seen[MOST];
static const char *kind[MOST], *word[MOST];
static const am_field *field[MOST];
static fuzz_vocabulary all = {.kind = kind, .field = field, .word = word};
static size_t seen_count;

static void add_text(const char **texts, size_t *count, const char *text) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp(texts[i], text) == 0)
            return;
    if (*count < MOST)
        texts[(*count)++] = text;
}

static void add_field(const am_field *one) {
    for (size_t i = 0; i < all.fields; i++)
        if (strcmp(field[i]->name, one->name) == 0 && field[i]->type == one->type)
            return;
    if (all.fields < MOST)
        field[all.fields++] = one;
}

static void add_schema(const am_schema *schema) {
    for (size_t i = 0; i < seen_count; i++)
        if (seen[i] == schema)
            return;
    if (!schema || seen_count == MOST)
        return;
    seen[seen_count++] = schema;
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *one = &schema->fields[i];
        add_field(one);
        for (const am_word *w = one->words; w && w->name; w++)
            add_text(word, &all.words, w->name);
        add_schema(one->inner);
    }
}

const fuzz_vocabulary *fuzz_words(void) {
    static const am_schema *const others[] = {&am_study_schema,      &am_contact_schema,      &am_polynomial_schema,
                                              &am_load_schema,       &am_figure_schema,       &am_curve_schema,
                                              &am_wish_schema,       &am_sweep_schema,        &am_function_schema,
                                              &am_sweep_axis_schema, &am_sweep_refine_schema, &am_follow_schema,
                                              &am_place_schema,      &am_weakening_schema,    &am_contact_rows_schema};
    if (all.kinds > 0)
        return &all;
    for (size_t i = 0; am_model_kinds[i]; i++) {
        add_text(kind, &all.kinds, am_model_kinds[i]->schema->name);
        add_schema(am_model_kinds[i]->schema);
    }
    for (size_t i = 0; am_analysis_kinds[i]; i++) {
        add_text(kind, &all.kinds, am_analysis_kinds[i]->schema->name);
        add_schema(am_analysis_kinds[i]->schema);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_schema(others[i]);
    for (const am_word *w = am_state_words; w->name; w++)
        add_text(word, &all.words, w->name);
    static const char *const plain[] = {"true", "false", "null", "auto", "last", "file"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        add_text(word, &all.words, plain[i]);
    return &all;
}
