/* Schemas: what a struct of settings holds, one row a field. The definition of a model, the options of an analysis, a law,
 * a figure: from its rows a study is read, checked, listed, documented and written, and a definition that a C program
 * fills gets its defaults and is checked (am_schema_defaults, am_schema_check). None of them can forget a field. */
#ifndef AMONTONS_BASE_SCHEMA_H
#define AMONTONS_BASE_SCHEMA_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

/* Of a study that is being read: study/node.h, study/reading.h. */
typedef struct am_node am_node;
typedef struct am_reading am_reading;

typedef enum am_field_type {
    AM_FIELD_NUMBER,  /* double */
    AM_FIELD_COUNT,   /* size_t */
    AM_FIELD_DEGREE,  /* unsigned */
    AM_FIELD_FLAG,    /* bool */
    AM_FIELD_EITHER,  /* bool: the second of two `words` */
    AM_FIELD_TEXT,    /* const char * */
    AM_FIELD_WORD,    /* an enum: one of `words` */
    AM_FIELD_NUMBERS, /* am_numbers */
    AM_FIELD_LIST,    /* const double *, and how many at `counted` */
    AM_FIELD_VECTOR,  /* const double *: how many there must be is for its owner to say */
    AM_FIELD_ARRAY,   /* double [shape] */
    AM_FIELD_WORDS,   /* am_words: a list of words, or one word */
    AM_FIELD_FLAGS,   /* bool []: of each of `words` whether it is in the list */
    AM_FIELD_TEXTS,   /* am_texts */
    AM_FIELD_MATRIX,  /* am_matrix *: rows, a diagonal, or {file: ...} */
    AM_FIELD_RECORD,  /* the struct of `inner` */
    AM_FIELD_RECORDS, /* am_records: a list of `inner` */
    AM_FIELD_ITEMS,   /* a pointer to the structs of `inner`, and how many at `counted` */
    AM_FIELD_NAMED,   /* am_records: a mapping of names to `inner` */
    AM_FIELD_NODE,    /* const am_node *: looked at by its owner */
    AM_FIELD_LATER    /* nothing: its owner finds it by its key */
} am_field_type;

/* What a number may be. */
typedef enum am_range { AM_RANGE_ANY, AM_RANGE_POSITIVE, AM_RANGE_NOT_NEGATIVE, AM_RANGE_FRACTION } am_range;

bool am_range_holds(am_range range, double number);
const char *am_range_words(am_range range); /* "positive", "zero or positive" */

/* One of the words a field may hold. Arrays of words end with a NULL name. */
typedef struct am_word {
    const char *name;
    int value;
    const char *about;
} am_word;

typedef struct am_schema am_schema;

typedef struct am_field {
    const char *name;
    am_field_type type;
    size_t offset;          /* in the schema's struct */
    size_t counted;         /* LIST, ITEMS: offset of the size_t that says how many */
    bool required;          /* refused when missing */
    am_range range;         /* of numbers */
    size_t least, most;     /* COUNT: 0 means no bound */
    const double *factor;   /* NUMBER: the struct holds this many times what is written; NULL: the same */
    size_t shape;           /* NUMBERS, ARRAY: how many; MATRIX: its order; 0: any */
    const am_word *words;   /* WORD, WORDS, EITHER, FLAGS */
    const am_schema *inner; /* RECORD, RECORDS, ITEMS, NAMED; a RECORD may write into the struct around it (offset 0),
                             * and so does the mapping that may stand for a LIST or a NUMBER */
    bool by_name;           /* VECTOR, NUMBERS: a mapping of coordinates to numbers will do, which its owner resolves */
    bool optional;          /* NUMBER: NaN where it is left out, which is fine whatever its range */
    bool zero_unset;        /* NUMBER: 0 where it is left out, the same */
    const char *same_as;    /* the key of which this is another name: both given must not differ */
    const char *instead_of; /* other keys, separated by blanks, that say the same: only one of them may be given */
    const char *initial;    /* what it is when left out: a number, flag or word, or a sentence for people */
    const char *unit;       /* dimension, for people */
    const char *about;      /* one line */
    const char *example;    /* YAML for the template; NULL: the field is shown as a comment */
} am_field;

struct am_schema {
    const char *name;               /* "klarbring" */
    const char *title;              /* "model klarbring", as messages call it */
    const char *about;              /* one or two sentences */
    size_t size;                    /* of its struct */
    void (*defaults)(void *record); /* before it is read; NULL: what its rows say (am_schema_defaults) */
    am_status (*complete)(void *record, am_error *err); /* from what was given to what is meant; errors name fields */
    am_status (*finish)(am_reading *reading, const am_node *node, void *record); /* checks across fields; may be NULL */
    size_t field_count;
    const am_field *fields;
    bool has_kind; /* the mapping also has the key `kind`, which chose this schema */
    /* A list of such mappings where a RECORD stands; NULL: it is refused. */
    am_status (*several)(am_reading *reading, const am_schema *schema, const am_node *node, void *record);
    const char *shorthand; /* the field that a value which is no mapping stands for; NULL: none */
};

/* A row of a schema: the key, what it holds (NUMBER, COUNT, ...), where that goes in the schema's struct; then any other
 * members of am_field by name. */
#define AM_FIELD(name_, type_, record, member, ...)                                                                    \
    { .name = name_, .type = AM_FIELD_##type_, .offset = offsetof(record, member), __VA_ARGS__ }

#define AM_FIELDS(array) .field_count = sizeof(array) / sizeof((array)[0]), .fields = (array)
#define AM_POSITIVE .range = AM_RANGE_POSITIVE
#define AM_NOT_NEGATIVE .range = AM_RANGE_NOT_NEGATIVE

/* Does a count keep its bounds? What it must do: "lie between 2 and 500", "be at most 1000". */
enum { AM_COUNT_WORDS = 64 };
bool am_count_holds(const am_field *field, size_t count);
const char *am_count_words(const am_field *field, char text[AM_COUNT_WORDS]);

const am_field *am_schema_field(const am_schema *schema, const char *name); /* NULL if absent */

/* Numbers, counts, flags and words become what `initial` says; where that is a sentence they stay as they are, and so do
 * inner records with defaults of their own, which they get when they are read. */
void am_schema_defaults(const am_schema *schema, void *record);
void am_field_set_word(const am_field *field, int value, void *place); /* WORD, EITHER */

/* Are all numbers finite and in their ranges, all counts within their bounds? AM_ERR_INPUT with the field's name
 * ("disc.thickness") otherwise. */
am_status am_schema_check(const am_schema *schema, const void *record, am_error *err);

#endif
