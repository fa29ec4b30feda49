/* What is made once per study and used by all its systems: files that were read, structures that were reduced. A sweep
 * reads its model anew for every point, in several threads, and finds them here. */
#ifndef AMONTONS_STUDY_STORE_H
#define AMONTONS_STUDY_STORE_H
#include "base/arena.h"
#include "study/reading.h"

typedef struct am_store am_store;
am_store *am_store_create(am_error *err);
void am_store_free(am_store *store);

/* What an object depends on, byte by byte. Begins as {0}; am_store_key_clear in the end. */
typedef struct am_store_key {
    size_t size, capacity;
    unsigned char *bytes;
    am_status status; /* the first failure */
} am_store_key;
void am_store_key_add(am_store_key *key, const void *data, size_t size, am_error *err);
void am_store_key_text(am_store_key *key, const char *text, am_error *err); /* NULL: none */
void am_store_key_clear(am_store_key *key);

/* Makes an object in `memory`, which is cleared when that fails. */
typedef am_status am_store_make(void *context, am_arena *memory, void **object, am_error *err);

/* The object of a key: from the study's store, where it is made if it is not there yet (others wait meanwhile), and stays
 * as long as the study; without a store it is made in the pool of the reading. It must not be changed. */
am_status am_store_take(am_reading *reading, const am_store_key *key, am_store_make *make, void *context,
                        void **object);

#endif
