/* Reading a study by schemas (base/schema.h): lists with where they stand, and mappings into structs. */
#ifndef AMONTONS_STUDY_SCHEMA_H
#define AMONTONS_STUDY_SCHEMA_H
#include "amontons/matrix.h"
#include "base/schema.h"
#include "study/reading.h"

typedef struct am_numbers {
    size_t count;
    const double *values; /* NULL: not given */
    const am_node *node;
} am_numbers;

typedef struct am_words {
    size_t count;
    const int *values; /* NULL: not given */
    const am_node *node;
} am_words;

typedef struct am_texts {
    size_t count;
    const char *const *values;
    const am_node *node;
} am_texts;

typedef struct am_records {
    size_t count;
    void *items;           /* count structs of the inner schema's size */
    const am_node **keys;  /* NAMED: the names */
    const am_node **nodes; /* where each item stands */
    const am_node *node;   /* NULL: not given */
} am_records;

/* Read `node` into `record` (zeroed, schema->size bytes): defaults first, then fields, then `finish`. */
am_status am_schema_read(am_reading *reading, const am_schema *schema, const am_node *node, void *record);

/* The same in two steps: what can be kept while one number changes, and `complete` and `finish` of the record itself. */
am_status am_schema_read_fields(am_reading *reading, const am_schema *schema, const am_node *node, void *record);
am_status am_schema_finish(am_reading *reading, const am_schema *schema, const am_node *node, void *record);

/* Does the mapping give single numbers, flags and words only, so that a copy of its record shares nothing with it? */
bool am_schema_is_plain(const am_schema *schema, const am_node *node);

/* Where a mapping of coordinates to numbers stands for a row, until its owner fills it in. */
extern const double am_row_by_name[1];

/* Reading of single values; `name` is what messages call it. */
am_status am_read_number(am_reading *reading, const am_node *node, const char *name, am_range range, double *value);
am_status am_read_item(am_reading *reading, const am_node *list, size_t index, const char *name, am_range range,
                       double *value); /* a number of a list */
am_status am_read_count(am_reading *reading, const am_node *node, const char *name, size_t *value);
am_status am_read_flag(am_reading *reading, const am_node *node, const char *name, bool *value);
am_status am_read_text(am_reading *reading, const am_node *node, const char *name, const char **value);
am_status am_read_word(am_reading *reading, const am_node *node, const char *name, const am_word *words, int *value);
am_status am_read_numbers(am_reading *reading, const am_node *node, const char *name, am_range range, size_t shape,
                          am_numbers *value);
am_status am_read_words(am_reading *reading, const am_node *node, const char *name, const am_word *words,
                        am_words *value);
am_status am_read_texts(am_reading *reading, const am_node *node, const char *name, am_texts *value);
am_status am_read_records(am_reading *reading, const am_field *field, const am_node *node, am_records *records);
extern const am_schema am_matrix_file_schema;
am_status am_read_matrix(am_reading *reading, const am_node *node, const char *name, size_t order, am_matrix **value);

/* Copies of texts, in the pool; NULL with err filled. */
const char *const *am_texts_keep(am_arena *pool, size_t count, const char *const *texts, am_error *err);

/* Is this scalar a number a study may hold? Strict: "1e3", "-.5", "2."; not "inf", "0x1", "1 m", "1e999". */
bool am_node_number(const am_node *node, double *value);

/* A scalar that is meant as a number and is none: `.nan`, `-inf`, `1e999`. */
bool am_node_not_finite(const am_node *node);

/* "unknown <what> 'x' in <where>; did you mean 'y'? known: a, b, c" at `node`; always AM_ERR_INPUT. */
am_status am_unknown(am_reading *reading, const am_node *node, const char *what, const char *where, const char *word,
                     size_t count, const char *const *known);

#endif
