/* Distinct texts and their numbers, found by hashing: many equal texts are kept once, as 32-bit codes elsewhere. */
#ifndef AMONTONS_BASE_DICTIONARY_H
#define AMONTONS_BASE_DICTIONARY_H
#include <stddef.h>
#include <stdint.h>

#include "amontons/error.h"

/* Zeroed before its first use. */
typedef struct am_dictionary {
    char **words;
    uint32_t count, capacity;
    uint32_t last;     /* asked for: often the next one, too */
    uint32_t *slots;   /* open addressing; code + 1, 0: free */
    size_t slot_count; /* a power of two */
} am_dictionary;

/* Codes are given from 0 on, in the order of first asking. */
am_status am_dictionary_code(am_dictionary *dict, const char *word, uint32_t *code, am_error *err);

/* SIZE_MAX: it is not in it. */
size_t am_dictionary_find(const am_dictionary *dict, const char *word);

const char *am_dictionary_word(const am_dictionary *dict, uint32_t code);

void am_dictionary_clear(am_dictionary *dict);

#endif
