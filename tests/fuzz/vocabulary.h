/* The words of study files, from the library's own tables: what a mutation puts in place of another word. */
#ifndef AMONTONS_TESTS_FUZZ_VOCABULARY_H
#define AMONTONS_TESTS_FUZZ_VOCABULARY_H
#include <stddef.h>

typedef struct fuzz_vocabulary {
    size_t kinds, fields, words;
    const char **kind;             /* of models and analyses */
    const struct am_field **field; /* of all mappings, each once by name */
    const char **word;             /* that fields may hold */
} fuzz_vocabulary;

const fuzz_vocabulary *fuzz_words(void);

#endif
