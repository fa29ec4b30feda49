#include "study/store.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"

typedef struct entry {
    struct entry *next;
    am_arena memory; /* of key and object */
    size_t size;
    const void *key;
    void *object;
} entry;

struct am_store {
    pthread_mutex_t lock;
    entry *first;
};

am_store *am_store_create(am_error *err) {
    am_store *store = am_memory_new(1, sizeof *store, err);
    if (store)
        pthread_mutex_init(&store->lock, NULL);
    return store;
}

static void entry_free(entry *e) {
    if (e)
        am_arena_clear(&e->memory);
    am_memory_free(e);
}

void am_store_free(am_store *store) {
    if (!store)
        return;
    for (entry *e = store->first, *next; e; e = next) {
        next = e->next;
        entry_free(e);
    }
    pthread_mutex_destroy(&store->lock);
    am_memory_free(store);
}

void am_store_key_add(am_store_key *key, const void *data, size_t size, am_error *err) {
    if (!key->status)
        key->status = am_memory_reserve(&key->bytes, &key->capacity, key->size + size, err);
    if (key->status || size == 0)
        return;
    memcpy(key->bytes + key->size, data, size);
    key->size += size;
}

void am_store_key_text(am_store_key *key, const char *text, am_error *err) {
    am_store_key_add(key, text ? text : "", text ? strlen(text) + 1 : 1, err);
}

void am_store_key_clear(am_store_key *key) {
    am_memory_free(key->bytes);
    *key = (am_store_key){0};
}

static entry *make_entry(const am_store_key *key, am_store_make *make, void *context, am_error *err) {
    entry *e = am_memory_new(1, sizeof *e, err);
    void *copy = e ? am_arena_new(&e->memory, key->size, 1, err) : NULL;
    if (!copy || make(context, &e->memory, &e->object, err) != AM_OK) {
        entry_free(e);
        return NULL;
    }
    memcpy(copy, key->bytes, key->size);
    e->key = copy;
    e->size = key->size;
    return e;
}

am_status am_store_take(am_reading *reading, const am_store_key *key, am_store_make *make, void *context,
                        void **object) {
    am_store *store = reading->files->store;
    if (key->status)
        return key->status;
    if (!store)
        return make(context, reading->pool, object, reading->err);
    pthread_mutex_lock(&store->lock);
    entry *e = store->first;
    while (e && (e->size != key->size || memcmp(e->key, key->bytes, key->size) != 0))
        e = e->next;
    if (!e && (e = make_entry(key, make, context, reading->err))) {
        e->next = store->first;
        store->first = e;
    }
    pthread_mutex_unlock(&store->lock);
    *object = e ? e->object : NULL;
    return e ? AM_OK : am_error_status(reading->err);
}
