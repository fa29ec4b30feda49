/* Schemas: what a mapping in a study may hold. One table per model, analysis, law, function, figure; the same table
 * reads, checks, lists, documents and writes templates, so that none of them can forget a field. */
#ifndef AMONTONS_STUDY_SCHEMA_H
#define AMONTONS_STUDY_SCHEMA_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/matrix.h"
#include "study/reading.h"

typedef enum am_field_type {
    AM_FIELD_NUMBER,  /* double */
    AM_FIELD_COUNT,   /* size_t */
    AM_FIELD_FLAG,    /* bool */
    AM_FIELD_TEXT,    /* const char * */
    AM_FIELD_WORD,    /* int (an enum): one of `words` */
    AM_FIELD_NUMBERS, /* am_numbers */
    AM_FIELD_WORDS,   /* am_words: a list of words, or one word */
    AM_FIELD_TEXTS,   /* am_texts */
    AM_FIELD_MATRIX,  /* am_matrix *: rows, a diagonal, or {file: ...} */
    AM_FIELD_RECORD,  /* the struct of `inner` */
    AM_FIELD_RECORDS, /* am_records: a list of `inner` */
    AM_FIELD_NAMED,   /* am_records: a mapping of names to `inner` */
    AM_FIELD_NODE     /* const am_node *: looked at by its owner */
} am_field_type;

/* What a number may be. */
typedef enum am_range { AM_RANGE_ANY, AM_RANGE_POSITIVE, AM_RANGE_NOT_NEGATIVE, AM_RANGE_FRACTION } am_range;

/* One of the words a field may hold. Arrays of words end with a NULL name. */
typedef struct am_word {
    const char *name;
    int value;
    const char *about;
} am_word;

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

typedef struct am_schema am_schema;

typedef struct am_field {
    const char *name;
    am_field_type type;
    size_t offset;          /* in the schema's struct */
    bool required;          /* refused when missing */
    am_range range;         /* NUMBER and NUMBERS */
    size_t shape;           /* NUMBERS: how many; MATRIX: its order; 0: any */
    const am_word *words;   /* WORD, WORDS */
    const am_schema *inner; /* RECORD, RECORDS, NAMED */
    const char *initial;    /* what it is when left out, for people */
    const char *unit;       /* dimension, for people */
    const char *about;      /* one line */
    const char *example;    /* YAML for the template; NULL: the field is shown as a comment */
} am_field;

struct am_schema {
    const char *name;  /* "klarbring" */
    const char *title; /* "model klarbring", as messages call it */
    const char *about; /* one or two sentences */
    size_t size;       /* of its struct */
    void (*defaults)(void *record);
    am_status (*finish)(am_reading *reading, const am_node *node, void *record); /* checks across fields; may be NULL */
    size_t field_count;
    const am_field *fields;
    bool has_kind;         /* the mapping also has the key `kind`, which chose this schema */
    const char *shorthand; /* the field that a value which is no mapping stands for; NULL: none */
};

/* A row of a schema: the key, what it holds (NUMBER, COUNT, ...), where that goes in the schema's struct; then any other
 * members of am_field by name. */
#define AM_FIELD(name_, type_, record, member, ...)                                                                    \
    { .name = name_, .type = AM_FIELD_##type_, .offset = offsetof(record, member), __VA_ARGS__ }

#define AM_FIELDS(array) .field_count = sizeof(array) / sizeof((array)[0]), .fields = (array)

/* Read `node` into `record` (zeroed, schema->size bytes): defaults first, then fields, then `finish`. */
am_status am_schema_read(am_reading *reading, const am_schema *schema, const am_node *node, void *record);

/* The same without `finish` of the record itself: what can be kept while one number changes. */
am_status am_schema_read_fields(am_reading *reading, const am_schema *schema, const am_node *node, void *record);

/* Does the mapping give single numbers, flags and words only, so that a copy of its record shares nothing with it? */
bool am_schema_is_plain(const am_schema *schema, const am_node *node);

const am_field *am_schema_field(const am_schema *schema, const char *name); /* NULL if absent */

/* Does a number lie in a range? */
bool am_range_holds(am_range range, double number);

/* Reading of single values; `name` is what messages call it. */
am_status am_read_number(am_reading *reading, const am_node *node, const char *name, am_range range, double *value);
am_status am_read_count(am_reading *reading, const am_node *node, const char *name, size_t *value);
am_status am_read_flag(am_reading *reading, const am_node *node, const char *name, bool *value);
am_status am_read_text(am_reading *reading, const am_node *node, const char *name, const char **value);
am_status am_read_word(am_reading *reading, const am_node *node, const char *name, const am_word *words, int *value);
am_status am_read_numbers(am_reading *reading, const am_node *node, const char *name, am_range range, size_t shape,
                          am_numbers *value);
am_status am_read_words(am_reading *reading, const am_node *node, const char *name, const am_word *words,
                        am_words *value);
am_status am_read_texts(am_reading *reading, const am_node *node, const char *name, am_texts *value);
am_status am_read_matrix(am_reading *reading, const am_node *node, const char *name, size_t order, am_matrix **value);

/* Is this scalar a number a study may hold? Strict: "1e3", "-.5", "2."; not "inf", "0x1", "1 m", "1e999". */
bool am_node_number(const am_node *node, double *value);

/* A scalar that is meant as a number and is none: `.nan`, `-inf`, `1e999`. */
bool am_node_not_finite(const am_node *node);

/* "unknown <what> 'x' in <where>; did you mean 'y'? known: a, b, c" at `node`; always AM_ERR_INPUT. */
am_status am_unknown(am_reading *reading, const am_node *node, const char *what, const char *where, const char *word,
                     size_t count, const char *const *known);

#endif
