#include "base/dictionary.h"
#include "base/try.h"

#include <string.h>

#include "base/memory.h"

static uint64_t hash(const char *word) {
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (const unsigned char *c = (const unsigned char *)word; *c; c++)
        h = (h ^ *c) * 1099511628211u;
    return h ^ (h >> 29);
}

/* The slot that holds `word`, or the free one where it belongs. */
static size_t find_slot(const am_dictionary *dict, const char *word) {
    size_t mask = dict->slot_count - 1;
    size_t slot = (size_t)hash(word) & mask;
    while (dict->slots[slot] != 0 && strcmp(dict->words[dict->slots[slot] - 1], word) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

/* Slots are kept at most half full, so that a search ends soon. */
static am_status grow_slots(am_dictionary *dict, am_error *err) {
    if (dict->slot_count / 2 > dict->count)
        return AM_OK;
    size_t slot_count = dict->slot_count < 16 ? 16 : dict->slot_count * 2;
    uint32_t *slots = am_memory_new(slot_count, sizeof *slots, err);
    if (!slots)
        return AM_ERR_MEMORY;
    am_memory_free(dict->slots);
    dict->slots = slots;
    dict->slot_count = slot_count;
    for (uint32_t code = 0; code < dict->count; code++)
        dict->slots[find_slot(dict, dict->words[code])] = code + 1;
    return AM_OK;
}

static am_status grow_words(am_dictionary *dict, am_error *err) {
    if (dict->count < dict->capacity)
        return AM_OK;
    if (dict->capacity > UINT32_MAX / 4)
        return am_fail(err, AM_ERR_LIMIT, "a text column holds at most %u different texts", (unsigned)dict->count);
    uint32_t capacity = dict->capacity < 4 ? 4 : dict->capacity * 2;
    AM_TRY(am_memory_resize(&dict->words, capacity, err));
    dict->capacity = capacity;
    return AM_OK;
}

am_status am_dictionary_code(am_dictionary *dict, const char *word, uint32_t *code, am_error *err) {
    if (dict->count > 0 && strcmp(dict->words[dict->last], word) == 0) {
        *code = dict->last;
        return AM_OK;
    }
    AM_TRY(grow_slots(dict, err));
    size_t slot = find_slot(dict, word);
    if (dict->slots[slot] == 0) {
        AM_TRY(grow_words(dict, err));
        char *copy = am_memory_text(word, err);
        if (!copy)
            return AM_ERR_MEMORY;
        dict->words[dict->count++] = copy;
        dict->slots[slot] = dict->count;
    }
    *code = dict->last = dict->slots[slot] - 1;
    return AM_OK;
}

size_t am_dictionary_find(const am_dictionary *dict, const char *word) {
    uint32_t code = dict->count > 0 ? dict->slots[find_slot(dict, word)] : 0;
    return code == 0 ? SIZE_MAX : code - 1;
}

void am_dictionary_clear(am_dictionary *dict) {
    for (uint32_t i = 0; i < dict->count; i++)
        am_memory_free(dict->words[i]);
    am_memory_free(dict->words);
    am_memory_free(dict->slots);
    *dict = (am_dictionary){0};
}

const char *am_dictionary_word(const am_dictionary *dict, uint32_t code) {
    return code < dict->count ? dict->words[code] : "";
}
